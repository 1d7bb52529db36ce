//! Use cases of the network's pages.

use super::{
    model::{BinaryTree, ClosingPreview, LegPoints, NetworkDashboard, Reference, TreeNode, TreeWay},
    store::{self, GainsBelow, Node, Own, ReferenceFilter, TreeRow},
    way::{self, Way},
};
use crate::{
    affiliates::{
        bonuses::{binary, ceiling},
        model::Frozen,
        rules::Leg,
        store as members,
    },
    error::Error,
    foundation::{
        business_day,
        context::{Context, World},
        http::Paging,
        settings::{Settings, WHOLE, percent},
        text,
    },
    identity::service as identity,
};
use protocol::{
    ErrorCode,
    ids::UserId,
    money::Usdt,
    views::{BinaryNeed, LostReason, Rank},
};
use std::collections::HashMap;

/// The most levels below the topmost member.
pub const LEVELS: i32 = 6;
/// Levels of the sponsor tree that may be asked for.
pub const REFERENCE_LEVELS: i64 = 10;
/// Names at each end of the way to the topmost member.
const NAMES: i64 = 3;
/// Months that the dashboard looks back.
const MONTHS: u32 = 12;

fn unknown() -> Error {
    Error::code(ErrorCode::UserUnknown)
}

async fn own_node(context: &Context, user: UserId) -> Result<Node, Error> {
    store::node(context.db.pool(), user)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

/// The member that a name, an id or `me` means.
async fn named(context: &Context, me: Node, whom: &str) -> Result<Option<Node>, Error> {
    if whom == "me" {
        return Ok(Some(me));
    }
    match whom.parse::<UserId>() {
        Ok(id) => store::node(context.db.pool(), id).await,
        Err(_) => {
            store::node_named(
                context.db.pool(),
                text::key(whom.trim_start_matches('@')).as_str(),
            )
            .await
        }
    }
}

/// Part of the binary tree below oneself, or below somebody who stands there.
///
/// # Errors
/// `request.not_found` for somebody who is no member, `user.unknown` for whoever does not stand below.
pub async fn tree(context: &Context, user: UserId, whom: &str, levels: i32) -> Result<BinaryTree, Error> {
    let me = own_node(context, user).await?;
    let pool = context.db.pool();
    let top = named(context, me, whom).await?.ok_or_else(unknown)?;
    if top.no != me.no && !store::stands_below(pool, top.no, me.no).await? {
        return Err(unknown());
    }
    let up = match top.parent.filter(|_| top.no != me.no) {
        Some(parent) => store::member_of(pool, parent).await?,
        None => None,
    };
    let selected_leg = members::member(pool, user)
        .await?
        .map_or(Leg::Left, |m| Leg::read(&m.selected_leg));
    let mut rows = Vec::new();
    let mut way = Way::default();
    if top.placed {
        let mut tx = context.db.snapshot().await?;
        let closed = store::last_carried(tx.conn()).await?;
        rows = store::tree(tx.conn(), top.no, levels, closed).await?;
        let depth = rows.first().map_or(0, |top| top.depth);
        if top.no != me.no {
            let own = store::depth(tx.conn(), me.no).await?;
            way = way::down(tx.conn(), top.no, (own, depth), NAMES).await?;
        }
        let deepest = depth + i64::from(levels) + 1;
        let fresh = store::unsummed(tx.conn(), closed, deepest).await?;
        tx.rollback().await?;
        add_fresh(&mut rows, &fresh);
    }
    Ok(BinaryTree {
        me: user,
        selected_leg,
        up,
        way: TreeWay {
            path: way.path,
            between: way.between,
            last: way.last,
        },
        closed_day: store::last_closed(pool).await?.map(|day| day.to_string()),
        nodes: rows.into_iter().map(shown).collect(),
    })
}

fn needs(active: bool, left: bool, right: bool) -> Vec<BinaryNeed> {
    [
        (active, BinaryNeed::Activity),
        (left, BinaryNeed::LeftReferral),
        (right, BinaryNeed::RightReferral),
    ]
    .into_iter()
    .filter(|(there, _)| !there)
    .map(|(_, need)| need)
    .collect()
}

/// Adds points to the legs of everyone shown above whoever sold them.
fn add_fresh(rows: &mut [TreeRow], fresh: &[store::Unsummed]) {
    let places: HashMap<i32, usize> = rows.iter().enumerate().map(|(at, row)| (row.no, at)).collect();
    for one in fresh {
        let mut step = one.parent.zip(one.on_right);
        while let Some((no, on_right)) = step {
            let Some(row) = places.get(&no).and_then(|at| rows.get_mut(*at)) else {
                break;
            };
            let leg = if on_right {
                &mut row.right_summed
            } else {
                &mut row.left_summed
            };
            *leg = leg.saturating_add(one.points);
            step = row.above.zip(row.on_right);
        }
    }
}

fn shown(row: TreeRow) -> TreeNode {
    let binary_needs = needs(row.active, row.left_active, row.right_active);
    TreeNode {
        id: row.member,
        parent: row.parent,
        leg: row.on_right.map(store::leg),
        level: row.level,
        username: row.username,
        rank: Rank::numbered(row.rank),
        status: store::status(row.active),
        left_points: Usdt(row.left_points.max(0)),
        right_points: Usdt(row.right_points.max(0)),
        left_now: Usdt(row.left_points.saturating_add(row.left_summed).max(0)),
        right_now: Usdt(row.right_points.saturating_add(row.right_summed).max(0)),
        binary_active: binary_needs.is_empty(),
        binary_needs,
        has_left: row.has_left,
        has_right: row.has_right,
    }
}

/// Whose references are asked for: one's own, or of somebody whom one brought, at any level.
///
/// # Errors
/// `request.not_found` for somebody who is no member, `user.unknown` for whoever came by others.
pub async fn whose_references(
    context: &Context,
    user: UserId,
    affiliate: Option<UserId>,
) -> Result<i32, Error> {
    let me = own_node(context, user).await?;
    let Some(affiliate) = affiliate.filter(|id| *id != user) else {
        return Ok(me.no);
    };
    let pool = context.db.pool();
    let node = store::node(pool, affiliate).await?.ok_or_else(unknown)?;
    if store::brought_by(pool, node.no, me.no).await? {
        Ok(node.no)
    } else {
        Err(unknown())
    }
}

/// Members at one level of the sponsor tree, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn references(
    context: &Context,
    filter: &ReferenceFilter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Reference>, i64), Error> {
    let (mut rows, total) = store::references(context.db.pool(), filter, paging, sort).await?;
    if filter.direct {
        let ids: Vec<UserId> = rows.iter().map(|row| row.id).collect();
        let mut social = identity::social_of(&context.db, &ids).await?;
        for row in &mut rows {
            row.social = Some(social.remove(&row.id).unwrap_or_default());
        }
    }
    Ok((rows, total))
}

/// A member's network at a glance.
///
/// # Errors
/// `request.not_found` for somebody who is no member.
pub async fn dashboard(context: &Context, user: UserId) -> Result<NetworkDashboard, Error> {
    let me = own_node(context, user).await?;
    let (pool, now) = (context.db.pool(), context.now());
    let settings = context.settings.current(now).await?;
    let today = business_day::of(now);
    let first = business_day::month_before(today, MONTHS - 1);
    // Carry and what came since are of one moment.
    let mut tx = context.db.snapshot().await?;
    let closed = store::last_carried(tx.conn()).await?;
    let own = store::own(tx.conn(), me.no).await?;
    let fresh = store::fresh_points(tx.conn(), me.no, closed).await?;
    let below = store::gains_below(tx.conn(), user, today).await?;
    tx.rollback().await?;
    let (growth, bonuses) = futures_util::try_join!(
        store::growth(pool, me.no, first, business_day::month_before(today, 0)),
        store::bonus_months(pool, me.no, first),
    )?;
    let leg = |carried: i64, fresh: i64| LegPoints {
        carried: Usdt(carried.max(0)),
        owed: Usdt(-carried.min(0)),
        fresh: Usdt(fresh),
    };
    Ok(NetworkDashboard {
        closed_day: store::last_closed(pool).await?.map(|day| day.to_string()),
        referrals: own.referrals,
        active_referrals: own.active_referrals,
        left_members: own.left_members.into(),
        right_members: own.right_members.into(),
        left: leg(own.left_points, fresh.0),
        right: leg(own.right_points, fresh.1),
        paid_points: Usdt(own.paid_points),
        rank: Rank::numbered(own.rank),
        growth,
        bonuses,
        tonight: preview(user, &own, fresh, &below, &settings.settings),
    })
}

/// Whose results a closing counts: in production real ones.
pub const fn modes(world: World) -> &'static [&'static str] {
    match world {
        World::Demo => &["simulated", "paper", "live"],
        World::Production => &["live"],
    }
}

/// The residual bonuses on what so many steps brought, before anything bounds them. A closing rounds each member's down: of these sums less than a
/// millionth a member comes to nothing there.
fn residual(below: [Usdt; 3], settings: &Settings) -> Usdt {
    below
        .into_iter()
        .zip(settings.residual_bonuses())
        .filter_map(|(base, rate)| base.mul_div_floor(rate, WHOLE))
        .sum()
}

/// What the closing would do with these legs if the day ended now.
fn preview(
    user: UserId,
    own: &Own,
    fresh: (i64, i64),
    below: &GainsBelow,
    settings: &Settings,
) -> ClosingPreview {
    let left = own.left_points.saturating_add(fresh.0);
    let right = own.right_points.saturating_add(fresh.1);
    let matched = left.min(right).max(0);
    let binary_needs = needs(own.active, own.left_active, own.right_active);
    let frozen = Frozen {
        member: user,
        qualified: binary_needs.is_empty(),
        daily_cap: Usdt(own.value)
            .mul_div_floor(settings.binary_daily_cap, WHOLE)
            .unwrap_or_default(),
    };
    // Residual bonuses come first: the binary one has what they leave of the ceilings.
    let inactive = (!own.active).then_some((LostReason::Inactive, Usdt::ZERO));
    let residual = ceiling::bound(residual(below.bases, settings), inactive, Usdt(own.ceiling_left));
    let ceiling_left = Usdt(own.ceiling_left) - residual.earned;
    let ppm = settings.binary_bonus;
    let active = own.active.then_some(&frozen);
    let bound = binary::bound(active);
    let earned = ceiling::bound(binary::gross(matched, ppm), Some(bound), ceiling_left);
    let points_lost = binary::points_lost(matched, ppm, earned.earned, active);
    ClosingPreview {
        matched: Usdt(matched),
        percentage: percent(ppm),
        bonus: earned.earned,
        residual: residual.earned,
        residual_lost: residual.lost,
        residual_lost_reason: residual.reason.filter(|_| residual.lost.is_positive()),
        residual_as_of: below.since,
        points_lost: Usdt(points_lost),
        lost_reason: earned.reason.or(Some(bound.0)).filter(|_| points_lost > 0),
        binary_active: binary_needs.is_empty(),
        binary_needs,
        daily_cap: frozen.daily_cap,
        ceiling_left: Usdt(own.ceiling_left),
    }
}
