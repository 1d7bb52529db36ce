//! Robots' door: the desk's reservations and settlements, order histories.

use super::{copying::service as copying, days, live, manual, model::RobotConfig, store, watch};
use crate::{
    approvals::compliance::pauses::{self, PauseOf},
    error::Error,
    foundation::{
        context::{Context, World},
        http::Paging,
        lease,
        transaction::Tx,
    },
    identity::caller::{Caller, Scope},
    licences::{
        model::Licence,
        rules,
        service::{self as licences, ShareOutcome},
        settlement::{InBatch, InBooks, Settled},
    },
};
use actors::desk::{
    cohort::{RobotSnapshot, Share},
    port::{Batch, Operation, SettledBatch},
};
use protocol::{
    LiveEvent, StreamId,
    ids::{LicenceId, OperationId, UserId},
    money::Usdt,
    views::{LicenceView, Mode, OrderView, RobotStatus, SettledRobot},
};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The lease under which one desk at a time works.
pub const LEASE: &str = "desk";

pub(super) fn ms(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

pub(super) fn snapshot(licence: &Licence, operating: bool, follows: Option<LicenceId>) -> RobotSnapshot {
    RobotSnapshot {
        licence: licence.id,
        user: licence.owner,
        high_risk: licence.is_high_risk,
        allocated: licence.allocated,
        operating,
        active_from_ms: licence.eligible_from.map_or(i64::MAX, ms),
        last_served_ms: licence.last_served.map_or(0, ms),
        follows,
        version: licence.version,
    }
}

/// Robots that may trade by themselves now, or beside the one that they follow; none while the desk stands still. Who follows one that no
/// longer leads is not among them.
///
/// # Errors
/// Whatever the database refuses.
pub async fn eligible(context: &Context) -> Result<Vec<RobotSnapshot>, Error> {
    if pauses::standing(context.db.pool(), PauseOf::Desk)
        .await?
        .is_some()
    {
        return Ok(Vec::new());
    }
    // First who follows: a robot whose copying ends in between is paused when it is read.
    let followed = copying::followed(context).await?;
    let trading = licences::trading(context).await?;
    let robots = trading.iter().filter_map(|l| match followed.get(&l.id) {
        None => Some(snapshot(l, true, None)),
        Some(Some(leader)) => Some(snapshot(l, true, Some(*leader))),
        Some(None) => None,
    });
    Ok(robots.collect())
}

/// Reserves an operation's shares under the desk's lease; what could be reserved.
///
/// # Errors
/// `request.conflict` when another desk holds the lease.
pub async fn reserve(
    context: &Context,
    fence: i64,
    operation: OperationId,
    shares: &[Share],
) -> Result<Vec<Share>, Error> {
    reserve_as(context, fence, operation, shares, false).await
}

/// Like [`reserve`], for an operation that an owner ordered, while its order is this desk's.
///
/// # Errors
/// `request.conflict` when another desk holds the lease.
pub async fn reserve_manual(
    context: &Context,
    fence: i64,
    operation: OperationId,
    shares: &[Share],
) -> Result<Vec<Share>, Error> {
    reserve_as(context, fence, operation, shares, true).await
}

async fn reserve_as(
    context: &Context,
    fence: i64,
    operation: OperationId,
    shares: &[Share],
    manual: bool,
) -> Result<Vec<Share>, Error> {
    let settings = context.settings.current(context.now()).await?;
    let mut tx = context.db.begin().await?;
    lease::check(&mut tx, LEASE, fence).await?;
    // What is in the air ends as it would; nothing more begins.
    if pauses::standing(tx.conn(), PauseOf::Desk).await?.is_some() {
        return Ok(Vec::new());
    }
    let wanted: Vec<(LicenceId, Usdt)> = shares.iter().map(|s| (s.licence, s.amount)).collect();
    let reserved = if !manual {
        let reserved = licences::reserve(&mut tx, &wanted).await?;
        copying::beside_leaders(context, &mut tx, reserved).await?
    } else if manual::service::begin(&mut tx, fence, operation).await? {
        licences::reserve_manual(&mut tx, &wanted).await?
    } else {
        Vec::new()
    };
    if !reserved.is_empty() {
        let expires = tx.now() + Duration::seconds(i64::from(settings.settings.reservation_seconds));
        store::insert_reservations(tx.conn(), operation, &reserved, fence, expires).await?;
    }
    tx.commit().await?;
    let reserved: HashSet<LicenceId> = reserved.into_iter().map(|(id, _)| id).collect();
    Ok(shares
        .iter()
        .filter(|s| reserved.contains(&s.licence))
        .copied()
        .collect())
}

/// Frees reservations whose time is over, and those of desks before this one; not those of operations at a venue.
///
/// # Errors
/// Whatever the database refuses.
pub async fn free_lapsed(context: &Context, fence: i64) -> Result<usize, Error> {
    let mut tx = context.db.begin().await?;
    lease::check(&mut tx, LEASE, fence).await?;
    live::service::lock_reservations(&mut tx).await?;
    let now = tx.now();
    let freed = store::take_lapsed(tx.conn(), fence, now).await?;
    licences::free_reservations(context, &mut tx, &freed).await?;
    tx.commit().await?;
    Ok(freed.len())
}

/// Books a batch of operations, once per batch; the robots concerned as they are then.
///
/// # Errors
/// `request.conflict` when another desk holds the lease; whatever the database refuses: nothing is booked then.
pub async fn settle(context: &Context, fence: i64, batch: &Batch) -> Result<SettledBatch, Error> {
    let settings = context.settings.current(context.now()).await?;
    let mut tx = context.db.begin().await?;
    lease::check(&mut tx, LEASE, fence).await?;
    let now = tx.now();
    let posted = batch.mode == Mode::Live || context.world == World::Demo;
    if !store::insert_batch(tx.conn(), batch, fence, posted, now).await? {
        // Booked before, its answer was lost: the desk learns the rest with its next look at the robots.
        return Ok(SettledBatch {
            robots: Vec::new(),
            day: Some(watch::day(&mut tx, batch.mode).await?),
        });
    }
    if batch.mode == Mode::Live {
        live::service::book(&mut tx, batch).await?;
    }
    let filled: Vec<&Operation> = batch.operations.iter().filter(|o| !o.legs.is_empty()).collect();
    let operations: Vec<Uuid> = batch.operations.iter().map(|o| o.id.0).collect();
    store::insert_operations(tx.conn(), batch, &filled).await?;
    let freed = store::take_reservations(tx.conn(), &operations).await?;
    let share = |o: &Operation| {
        o.shares
            .iter()
            .map(|s| ShareOutcome::new(s.licence, o.id, s.result))
            .collect::<Vec<_>>()
    };
    let mut outcomes: Vec<ShareOutcome> = filled.iter().flat_map(|o| share(o)).collect();
    let booked = if posted {
        let of = InBatch {
            id: batch.id,
            mode: batch.mode,
            lane: batch.lane,
        };
        licences::settle(context, &mut tx, of, &mut outcomes, &freed).await?
    } else {
        licences::free_reservations(context, &mut tx, &freed).await?;
        outcomes.clear();
        InBooks::default()
    };
    store::insert_shares(tx.conn(), &filled, &outcomes).await?;
    days::book(context, &mut tx, batch, &filled, &outcomes).await?;
    days::settled(&mut tx, batch.mode, &booked).await?;
    let mut settled = booked.robots;
    manual::service::close(&mut tx, batch, &outcomes).await?;
    let followed = copying::book(context, &mut tx, &mut settled).await?;
    tell(&mut tx, batch, &settled, |l| l.status(now, &settings.settings));
    let day = watch::book(&mut tx, batch, &settings.settings).await?;
    tx.commit().await?;
    let robots = settled.iter().map(|s| {
        snapshot(
            &s.licence,
            rules::trades(s.licence.status(now, &settings.settings)),
            followed.get(&s.licence.id).copied(),
        )
    });
    Ok(SettledBatch {
        robots: robots.collect(),
        day: Some(day),
    })
}

/// One fact per user and batch.
fn tell(tx: &mut Tx, batch: &Batch, settled: &[Settled], status: impl Fn(&Licence) -> RobotStatus) {
    let at = tx.now();
    let mut by_user: BTreeMap<UserId, Vec<SettledRobot>> = BTreeMap::new();
    for Settled { licence, gain, loss } in settled {
        by_user.entry(licence.owner).or_default().push(SettledRobot {
            licence: licence.id,
            yield_balance: licence.yield_balance,
            topup: licence.topup,
            allocated: licence.allocated,
            loan: licence.loan,
            stopped_by_loan: licence.loan_stopped,
            limit_left: licence.limit_left().max(Usdt::ZERO),
            today: licence.today,
            total_gain: licence.gains,
            total_loss: licence.losses,
            operations: licence.operations,
            gain: *gain,
            loss: *loss,
            status: status(licence),
            version: licence.version,
        });
    }
    for (user, robots) in by_user {
        tx.emit(
            StreamId::User(user),
            LiveEvent::RobotsSettled {
                batch: batch.id,
                mode: batch.mode,
                at,
                robots,
            },
        );
    }
}

/// A robot's operations with their legs, and how many there are; whose robot it is has been looked at.
///
/// # Errors
/// Whatever the database refuses.
pub async fn orders(
    context: &Context,
    scope: Scope,
    robot: LicenceId,
    paging: &Paging,
) -> Result<(Vec<OrderView>, i64), Error> {
    store::orders(context.db.pool(), scope.owner(), robot, paging).await
}

/// That a robot is in scope.
///
/// # Errors
/// `licence.unknown` where it is not.
pub async fn require_robot(context: &Context, scope: Scope, robot: LicenceId) -> Result<(), Error> {
    licences::views(context, scope, Some(robot)).await.map(drop)
}

/// What one settlement booked for these robots of a person together: their operations, oldest first, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn settled_together(
    context: &Context,
    owner: UserId,
    robots: &BTreeSet<LicenceId>,
    batch: Uuid,
    limit: i64,
) -> Result<(Vec<OrderView>, i64), Error> {
    let robots: Vec<Uuid> = robots.iter().map(|id| id.0).collect();
    store::settled_together(context.db.pool(), owner, &robots, batch, limit).await
}

/// Active licences whose robot does not work now, with the reason as their status.
///
/// # Errors
/// Whatever the database refuses.
pub async fn without_operation(context: &Context, caller: &Caller) -> Result<Vec<LicenceView>, Error> {
    let views = licences::views(context, caller.own(), None).await?;
    let here = |v: &LicenceView| {
        use protocol::views::LicenceState::{Active, CeilingReached};
        matches!(v.state, Active | CeilingReached) && !rules::trades(v.robot_status)
    };
    Ok(views.into_iter().filter(here).collect())
}

/// A robot's settings.
///
/// # Errors
/// `licence.unknown`.
pub async fn config(context: &Context, caller: &Caller, robot: LicenceId) -> Result<RobotConfig, Error> {
    let settings = context.settings.current(context.now()).await?;
    let views = licences::views(context, caller.own(), Some(robot)).await?;
    let view = views
        .into_iter()
        .next()
        .ok_or_else(|| Error::internal("a view is missing"))?;
    Ok(RobotConfig {
        licence: robot,
        status: view.robot_status,
        paused: view.paused,
        manual_key: view.manual_key,
        manual_revoked: view.manual_revoked,
        daily_gain_goal: view.daily_gain_goal,
        minimum_goal: rules::percent(settings.settings.minimum_goal),
        maximum_goal: rules::percent(settings.settings.maximum_goal),
    })
}
