//! Use cases of copying: leading, following, and how both end.

use super::{
    model::{FollowOrder, LeaderView, LeadingOrder, LeadingView},
    rules::{self, LEAST_LOSS, Standing},
    store::{self, Asked, Following, NewFollowing},
};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Page, given},
        settings::Settings,
        transaction::Tx,
    },
    identity::caller::Caller,
    licences::{model::Licence, service as licences, settlement::Settled},
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{FollowingId, LicenceId},
    money::Usdt,
    views::{FollowingState, FollowingView, LeaderEnd, LicenceState},
};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Followers that rest in one transaction: each has a stream whose head is locked at its end.
const CHUNK: usize = 100;
/// Leaders looked at in one round of the desk.
const LOOK: i64 = 20;

/// Leaders with their results, the best return first unless another order is asked for.
///
/// # Errors
/// `request.invalid` for a page or an order that is none.
pub async fn leaders(
    context: &Context,
    caller: &Caller,
    params: &ListParams,
) -> Result<Page<LeaderView>, Error> {
    let paging = params.paging(10)?;
    let sort = params.sort_key(&["return", "operations", "followers", "days"])?;
    let asked = Asked {
        by: caller.user,
        mode: licences::world_mode(context),
        today: business_day::of(context.now()),
        search: given(params.search.as_deref()),
        sort,
    };
    let (views, total) = store::leaders(context.db.pool(), &asked, &paging).await?;
    Ok(Page::new(views, &paging, total))
}

fn standing(
    licence: (bool, bool, Usdt),
    record: &store::Record,
    median: Usdt,
    days: i64,
    settings: &Settings,
) -> Standing {
    let (active, manual_key, allocated) = licence;
    Standing {
        active,
        manual_key,
        follows: record.follows,
        days,
        operations: record.operations,
        allocated,
        needed_days: settings.leader_days,
        needed_operations: settings.leader_operations,
        median,
    }
}

/// Whether one's own robot leads, and what it lacks to.
///
/// # Errors
/// `licence.unknown`.
pub async fn leading(context: &Context, caller: &Caller, licence: LicenceId) -> Result<LeadingView, Error> {
    let now = context.now();
    let settings = &context.settings.current(now).await?.settings;
    let view = licences::views(context, caller.own(), Some(licence))
        .await?
        .into_iter()
        .next()
        .ok_or_else(|| Error::internal("a view is missing"))?;
    let pool = context.db.pool();
    let record = store::record(pool, licence, licences::world_mode(context)).await?;
    let median = store::median(pool, settings.minimum_allocation).await?;
    let today = business_day::of(now);
    let days = record.first.map_or(0, |first| (today - first).whole_days());
    let own = (
        view.state == LicenceState::Active,
        view.manual_key,
        view.allocated,
    );
    let standing = standing(own, &record, median, days, settings);
    let missing = rules::missing(&standing);
    Ok(LeadingView {
        licence,
        open: record.leads,
        days,
        operations: record.operations,
        needed_days: standing.needed_days,
        needed_operations: standing.needed_operations,
        allocated: standing.allocated,
        median,
        eligible: missing.is_empty(),
        missing,
        followers: record.followers,
    })
}

/// Opens one's own robot to followers, or closes it; what is so already stays.
///
/// # Errors
/// `licence.unknown`; opening: `licence.state`, `leader.follows`, `leader.manual_key`, `leader.too_young`,
/// `leader.too_few_operations`, `leader.allocation_too_small`.
pub async fn lead(context: &Context, caller: &Caller, order: &LeadingOrder) -> Result<LeadingView, Error> {
    // Nobody learns here whether a licence that is not theirs leads.
    licences::views(context, caller.own(), Some(order.licence)).await?;
    if order.open {
        open(context, caller, order.licence).await?;
    } else {
        close(context, order.licence, LeaderEnd::Owner).await?;
        while release(context, order.licence).await? {}
    }
    leading(context, caller, order.licence).await
}

async fn open(context: &Context, caller: &Caller, licence: LicenceId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let settings = context.settings.within(&mut tx).await?;
    let now = tx.now();
    let leads = store::lock_leader(tx.conn(), licence, caller.user, now).await?;
    let own = licences::hold_own(&mut tx, caller, licence).await?;
    if leads {
        return Ok(());
    }
    let record = store::record(&mut *tx.conn(), licence, licences::world_mode(context)).await?;
    let median = store::median(&mut *tx.conn(), settings.settings.minimum_allocation).await?;
    let today = business_day::of(now);
    let days = record.first.map_or(0, |first| (today - first).whole_days());
    let own = (own.state == LicenceState::Active, own.manual_key, own.allocated);
    let standing = standing(own, &record, median, days, &settings.settings);
    if let Some(code) = rules::missing(&standing).first() {
        return Err(refusal(*code, &standing));
    }
    store::open_leader(tx.conn(), licence, now).await?;
    tx.commit().await?;
    Ok(())
}

fn refusal(code: ErrorCode, s: &Standing) -> Error {
    let refused = Error::code(code);
    match code {
        ErrorCode::LeaderTooYoung => refused.with("needed", s.needed_days).with("days", s.days),
        ErrorCode::LeaderOperations => refused
            .with("needed", s.needed_operations)
            .with("operations", s.operations),
        ErrorCode::LeaderAllocation => refused.with("median", s.median),
        _ => refused,
    }
}

/// Closes a leader and lets its followers rest; those beyond one transaction follow by [`release`].
async fn close(context: &Context, leader: LicenceId, why: LeaderEnd) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if store::close_leader(tx.conn(), leader, why, now).await? {
        rest_followers(context, &mut tx, leader).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Lets followers of a leader that is closed rest; whether there may be more.
async fn release(context: &Context, leader: LicenceId) -> Result<bool, Error> {
    let mut tx = context.db.begin().await?;
    let some = rest_followers(context, &mut tx, leader).await?;
    tx.commit().await?;
    Ok(some)
}

async fn rest_followers(context: &Context, tx: &mut Tx, leader: LicenceId) -> Result<bool, Error> {
    let limit = i64::try_from(CHUNK).unwrap_or(i64::MAX);
    let followers = store::followers(&mut *tx.conn(), leader, limit).await?;
    if followers.is_empty() {
        return Ok(false);
    }
    // Licences before followings, as a settlement locks them.
    licences::hold(tx, &followers).await?;
    let ids: Vec<Uuid> = followers.iter().map(|l| l.0).collect();
    let now = tx.now();
    let ended = store::end(tx.conn(), &ids, Some(leader), FollowingState::Left, now).await?;
    let resting: Vec<LicenceId> = ended.iter().map(|f| f.view.licence).collect();
    licences::rest(context, tx, &resting).await?;
    for following in ended {
        tell(tx, following);
    }
    Ok(true)
}

fn tell(tx: &mut Tx, following: Following) -> FollowingView {
    tx.emit(
        StreamId::User(following.owner),
        LiveEvent::FollowingChanged {
            following: Box::new(following.view.clone()),
        },
    );
    following.view
}

/// Lets one's own robot copy another from now on.
///
/// # Errors
/// `licence.unknown`, `licence.state`, `leader.unknown`, `leader.closed`, `follow.own`, `follow.manual_key`, `follow.leads`,
/// `follow.twice`, `follow.maximum_loss`.
pub async fn follow(context: &Context, caller: &Caller, order: &FollowOrder) -> Result<FollowingView, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let leader = store::leader(tx.conn(), order.leader).await?;
    let own = licences::hold_own(&mut tx, caller, order.licence).await?;
    let (leads_for, is_open) = leader.ok_or_else(|| Error::code(ErrorCode::LeaderUnknown))?;
    if own.state != LicenceState::Active {
        return Err(Error::code(ErrorCode::LicenceState));
    }
    if leads_for == caller.user {
        return Err(Error::code(ErrorCode::FollowOwn));
    }
    if !is_open {
        return Err(Error::code(ErrorCode::LeaderClosed));
    }
    if own.manual_key {
        return Err(Error::code(ErrorCode::FollowManualKey));
    }
    let record = store::record(&mut *tx.conn(), order.licence, licences::world_mode(context)).await?;
    if record.leads {
        return Err(Error::code(ErrorCode::FollowLeads));
    }
    if record.follows {
        return Err(Error::code(ErrorCode::FollowTwice));
    }
    if !rules::may_lose(order.maximum_loss, own.allocated) {
        return Err(Error::code(ErrorCode::FollowMaximumLoss)
            .field("maximumLoss", ErrorCode::FollowMaximumLoss)
            .with("minimum", LEAST_LOSS)
            .with("maximum", own.allocated));
    }
    let new = NewFollowing {
        id: FollowingId::fresh(),
        follower: order.licence,
        owner: caller.user,
        leader: order.leader,
        maximum_loss: order.maximum_loss,
    };
    store::insert(tx.conn(), &new, now).await?;
    let begun = store::list(&mut *tx.conn(), caller.user, Some(order.licence))
        .await?
        .pop()
        .ok_or_else(|| Error::internal("a following is missing"))?;
    let view = tell(&mut tx, begun);
    tx.commit().await?;
    Ok(view)
}

/// Ends one's own robot's copying; it goes on by itself.
///
/// # Errors
/// `licence.unknown`, `follow.none`.
pub async fn unfollow(
    context: &Context,
    caller: &Caller,
    licence: LicenceId,
) -> Result<FollowingView, Error> {
    let mut tx = context.db.begin().await?;
    licences::hold_own(&mut tx, caller, licence).await?;
    let now = tx.now();
    let ended = store::end(tx.conn(), &[licence.0], None, FollowingState::Ended, now)
        .await?
        .pop()
        .ok_or_else(|| Error::code(ErrorCode::FollowNone))?;
    let view = tell(&mut tx, ended);
    tx.commit().await?;
    Ok(view)
}

/// What one's own robots follow and have followed.
///
/// # Errors
/// Whatever the database refuses.
pub async fn following(context: &Context, caller: &Caller) -> Result<Vec<FollowingView>, Error> {
    let list = store::list(context.db.pool(), caller.user, None).await?;
    Ok(list.into_iter().map(|f| f.view).collect())
}

/// All robots that follow, with their leader; none where it no longer leads or trades: such a robot is about to rest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn followed(context: &Context) -> Result<HashMap<LicenceId, Option<LicenceId>>, Error> {
    let all = store::followed(context.db.pool()).await?;
    Ok(all
        .into_iter()
        .map(|(follower, leader, leads)| (follower, leads.then_some(leader)))
        .collect())
}

/// Of what was reserved for one operation, what stays: a follower's share is freed where its leader's was refused.
///
/// # Errors
/// Whatever the database refuses.
pub async fn beside_leaders(
    context: &Context,
    tx: &mut Tx,
    reserved: Vec<(LicenceId, Usdt)>,
) -> Result<Vec<(LicenceId, Usdt)>, Error> {
    let robots: Vec<Uuid> = reserved.iter().map(|(id, _)| id.0).collect();
    let leaders = store::leaders_of(tx.conn(), &robots).await?;
    if leaders.is_empty() {
        return Ok(reserved);
    }
    let present: HashSet<LicenceId> = reserved.iter().map(|(id, _)| *id).collect();
    let takes_part = |id: &LicenceId| present.contains(id);
    let (stays, goes): (Vec<_>, Vec<_>) = reserved
        .into_iter()
        .partition(|(id, _)| leaders.get(id).is_none_or(takes_part));
    licences::free_reservations(context, tx, &goes).await?;
    Ok(stays)
}

/// Counts a settlement for those who follow, inside it. At the maximum loss the copying ends and the robot rests, which is taken
/// over into `settled`; whom the others follow.
///
/// # Errors
/// Whatever the database refuses.
pub async fn book(
    context: &Context,
    tx: &mut Tx,
    settled: &mut [Settled],
) -> Result<HashMap<LicenceId, LicenceId>, Error> {
    if settled.is_empty() {
        return Ok(HashMap::new());
    }
    let robots: Vec<Uuid> = settled.iter().map(|s| s.licence.id.0).collect();
    let results: Vec<i64> = settled.iter().map(|s| (s.gain - s.loss).0).collect();
    let now = tx.now();
    let counted = store::book(tx.conn(), &robots, &results, now).await?;
    let (running, ended): (Vec<Following>, Vec<Following>) = counted
        .into_iter()
        .partition(|f| f.view.state == FollowingState::Active);
    let resting: Vec<LicenceId> = ended.iter().map(|f| f.view.licence).collect();
    let rested: HashMap<LicenceId, Licence> = licences::rest(context, tx, &resting)
        .await?
        .into_iter()
        .map(|l| (l.id, l))
        .collect();
    for one in settled {
        if let Some(licence) = rested.get(&one.licence.id) {
            one.licence = licence.clone();
        }
    }
    for following in ended {
        tell(tx, following);
    }
    Ok(running
        .into_iter()
        .map(|f| (f.view.licence, f.view.leader))
        .collect())
}

/// A result of a robot that its running copying had counted was taken back: what that has brought is without it. What ended stays ended; a
/// gain that goes may end it by its loss, as a settlement would. The caller holds the licence's row.
///
/// # Errors
/// Whatever the database refuses.
pub async fn undo(
    context: &Context,
    tx: &mut Tx,
    licence: &Licence,
    gain: Usdt,
    loss: Usdt,
) -> Result<(), Error> {
    let mut back = [Settled {
        licence: licence.clone(),
        gain: loss,
        loss: gain,
    }];
    book(context, tx, &mut back).await?;
    Ok(())
}

/// Ends what no longer runs: leaders whose licence ended or whose owner is not active, followers whose own licence ended. The
/// desk's node looks every few seconds; until then nobody trades behind such a leader.
///
/// # Errors
/// Whatever the database refuses; what ended so far has ended.
pub async fn sweep(context: &Context) -> Result<(), Error> {
    let pool = context.db.pool();
    for (leader, why) in store::gone(pool, LOOK).await? {
        close(context, leader, why).await?;
    }
    for leader in store::left_behind(pool, LOOK).await? {
        release(context, leader).await?;
    }
    let limit = i64::try_from(CHUNK).unwrap_or(i64::MAX);
    let over = store::ended_followers(pool, limit).await?;
    if over.is_empty() {
        return Ok(());
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    for following in store::end(tx.conn(), &over, None, FollowingState::Ended, now).await? {
        tell(&mut tx, following);
    }
    tx.commit().await?;
    Ok(())
}
