//! Manual operations' door: the order, its way to the desk, its end, the report.

use super::{
    model::{ManualDay, ManualDesk, ManualWish},
    rules::{self, LIFE, Refused, STANDS, Situation},
    store::{self, Closed, Order},
};
use crate::{
    approvals::{
        compliance::{
            Pause,
            pauses::{self, PauseOf},
        },
        restraint,
    },
    error::Error,
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Page},
        lease,
        settings::Settings,
        transaction::Tx,
    },
    identity::caller::Caller,
    licences::{
        model::Licence,
        service::{self as licences, ShareOutcome},
    },
    robots::{desk_runner, rules::unwound, service as robots, store as robots_store, watch},
};
use actors::desk::port::{Batch, ManualOrder};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{LicenceId, OperationId},
    money::Usdt,
    views::{ManualOrderView, ManualRefusal},
};
use std::collections::HashMap;
use time::OffsetDateTime;

/// Orders that the desk gets at one look.
const AT_ONCE: i64 = 64;
/// Orders that a robot's page shows.
const SHOWN: i64 = 10;

fn tell(tx: &mut Tx, order: &Order) {
    tx.emit(
        StreamId::User(order.owner),
        LiveEvent::ManualChanged {
            order: Box::new(order.view.clone()),
        },
    );
}

/// What one's own robot may do now, looked up as an order is judged.
struct Look {
    licence: Licence,
    refused: Option<Refused>,
    turn: Option<OffsetDateTime>,
    /// An order of its owner is open for too long.
    stale: bool,
    /// The desk stands still by the house's word.
    maintenance: Option<Pause>,
}

async fn look(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    licence: LicenceId,
    settings: &Settings,
) -> Result<Look, Error> {
    let now = tx.now();
    let licence = licences::own(tx.conn(), caller.own(), licence).await?;
    let (open, last) = store::turn(tx.conn(), caller.user).await?;
    let stale = open.is_some_and(|at| at <= now - LIFE);
    let maintenance = pauses::standing(tx.conn(), PauseOf::Desk).await?;
    let situation = Situation {
        licence: &licence,
        settings,
        now,
        excluded: restraint::has_time_out(tx, caller.user).await?,
        open: open.is_some() && !stale,
        last,
        maintenance: maintenance.is_some(),
        desk: desk_runs(context, tx, settings).await?,
    };
    let (refused, turn) = (situation.refusal(), situation.turn());
    Ok(Look {
        refused,
        turn,
        stale,
        maintenance,
        licence,
    })
}

/// Some node has a desk, and the day's loss has not stopped it.
async fn desk_runs(context: &Context, tx: &mut Tx, settings: &Settings) -> Result<bool, Error> {
    let now = tx.now();
    if !lease::is_held(tx.conn(), robots::LEASE, now).await? {
        return Ok(false);
    }
    let known = watch::stored_mode(tx.conn()).await?;
    let mode = known.unwrap_or_else(|| licences::world_mode(context));
    let (net, _) = robots_store::desk_day(tx.conn(), mode.as_str(), business_day::of(now)).await?;
    Ok(net > -settings.desk_daily_loss.0)
}

/// Takes an order; the desk has it within a moment, and what becomes of it is told on the owner's stream.
///
/// # Errors
/// `licence.unknown`, `licence.state`, `manual.*`, `request.invalid` for what cannot be a route, `account.excluded`, `desk.maintenance`.
pub async fn order(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    wish: &ManualWish,
) -> Result<ManualOrderView, Error> {
    let invalid = || Error::code(ErrorCode::RequestInvalid).field("route", ErrorCode::RequestInvalid);
    let route = match &wish.route {
        Some(given) => Some(rules::route(given).ok_or_else(invalid)?),
        None => None,
    };
    let settings = context.settings.within(tx).await?;
    restraint::require_no_time_out(tx, caller.user).await?;
    // Two at once: the second sees the first.
    store::lock_owner(tx.conn(), caller.user).await?;
    let now = tx.now();
    for old in store::expire(tx.conn(), Some(caller.user), now).await? {
        tell(tx, &old);
    }
    let seen = look(context, tx, caller, wish.licence, &settings.settings).await?;
    if let Some(refused) = seen.refused {
        return Err(match &seen.maintenance {
            Some(pause) if refused.code == ErrorCode::DeskMaintenance => pauses::refusal(refused.code, pause),
            _ => refused.error(&settings.settings),
        });
    }
    let id = OperationId::fresh();
    let order = store::insert(tx.conn(), id, wish.licence, caller.user, route.as_deref(), now).await?;
    tell(tx, &order);
    Ok(order.view)
}

/// Takes an order back that nothing was begun for.
///
/// # Errors
/// `request.not_found` for what is none of one's own; `request.conflict` for one that has ended, or that the desk has begun.
pub async fn cancel(context: &Context, caller: &Caller, id: OperationId) -> Result<ManualOrderView, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let Some(order) = store::cancel(tx.conn(), id, caller.user, now).await? else {
        let known = store::is_of(tx.conn(), id, caller.user).await?;
        return Err(Error::code(if known {
            ErrorCode::RequestConflict
        } else {
            ErrorCode::RequestNotFound
        }));
    };
    tell(&mut tx, &order);
    tx.commit().await?;
    Ok(order.view)
}

/// Whether one's own robot may operate now, and its newest orders.
///
/// # Errors
/// `licence.unknown`.
pub async fn desk(context: &Context, caller: &Caller, licence: LicenceId) -> Result<ManualDesk, Error> {
    let settings = context.settings.current(context.now()).await?;
    let settings = &settings.settings;
    let mut tx = context.db.begin().await?;
    let seen = look(context, &mut tx, caller, licence, settings).await?;
    drop(tx);
    // Who looks at somebody else's screens gives up nothing: that waits for the owner, or the desk.
    if seen.stale && caller.seen_by.is_none() {
        expire(context).await?;
    }
    let orders = store::newest(context.db.pool(), licence, SHOWN).await?;
    let robot = robots::snapshot(&seen.licence, true, None);
    let cohort = desk_runner::cohort(settings);
    Ok(ManualDesk {
        licence,
        ready: seen.refused.is_none(),
        refusal: seen.refused.map(|r| r.code),
        next_at: seen.turn.or(seen.refused.and_then(|r| r.until)),
        maximum: cohort.share_cap(&robot, seen.licence.reserved),
        minimum_edge: rules::parts_per_million(cohort.edge_ppm(robot.high_risk)),
        minimum_volume: cohort.least_share,
        orders,
    })
}

/// Hands what waits to the desk of this lease, and gives up what has waited too long. One query while there is nothing.
///
/// # Errors
/// `request.conflict` when another desk holds the lease.
pub async fn take(context: &Context, fence: i64) -> Result<Vec<ManualOrder>, Error> {
    let (asked, oldest) = store::waiting(context.db.pool()).await?;
    if oldest.is_some_and(|at| at <= context.now() - LIFE) {
        expire(context).await?;
    }
    if !asked {
        return Ok(Vec::new());
    }
    let mut tx = context.db.begin().await?;
    let settings = context.settings.within(&mut tx).await?;
    lease::check(&mut tx, robots::LEASE, fence).await?;
    let now = tx.now();
    let sent = store::send(tx.conn(), fence, now, AT_ONCE).await?;
    let ids: Vec<_> = sent.iter().map(|o| o.view.licence.0).collect();
    let licences: HashMap<LicenceId, Licence> = licences::with_ids(tx.conn(), &ids)
        .await?
        .into_iter()
        .map(|l| (l.id, l))
        .collect();
    let mut orders = Vec::with_capacity(sent.len());
    for order in sent {
        tell(&mut tx, &order);
        let licence = licences
            .get(&order.view.licence)
            .ok_or_else(|| Error::internal("an order of a licence that does not exist"))?;
        let operating = rules::operates(licence, &settings.settings, now);
        orders.push(ManualOrder {
            operation: order.view.id,
            route: order.view.route,
            until_ms: milliseconds(order.view.asked_at + STANDS),
            robot: robots::snapshot(licence, operating, None),
        });
    }
    tx.commit().await?;
    Ok(orders)
}

/// The desk has begun nothing for an order.
///
/// # Errors
/// `request.conflict` when another desk holds the lease.
pub async fn refuse(
    context: &Context,
    fence: i64,
    id: OperationId,
    reason: ManualRefusal,
) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    lease::check(&mut tx, robots::LEASE, fence).await?;
    let now = tx.now();
    if let Some(order) = store::refuse(tx.conn(), id, reason, now).await? {
        tell(&mut tx, &order);
        tx.commit().await?;
    }
    Ok(())
}

/// Gives up what is open for too long: its desk died, or never took it. Any node may.
///
/// # Errors
/// Whatever the database refuses.
pub async fn expire(context: &Context) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let expired = store::expire(tx.conn(), None, now).await?;
    if expired.is_empty() {
        return Ok(());
    }
    for order in &expired {
        tell(&mut tx, order);
    }
    tracing::warn!(orders = expired.len(), "manual orders were given up");
    tx.commit().await?;
    Ok(())
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// Begins an operation, if it still may be: its order is in the hands of this lease's desk, not too old, and its owner has asked for no time
/// out since. From now on it is not taken back.
pub(in crate::robots) async fn begin(tx: &mut Tx, fence: i64, id: OperationId) -> Result<bool, Error> {
    let now = tx.now();
    let Some(order) = store::begin(tx.conn(), id, fence, now).await? else {
        return Ok(false);
    };
    if restraint::has_time_out(tx, order.owner).await? {
        return Ok(false);
    }
    tell(tx, &order);
    Ok(true)
}

/// Ends the orders of a batch with what was booked of them; `outcomes` as they were booked, none where nothing was.
pub(in crate::robots) async fn close(
    tx: &mut Tx,
    batch: &Batch,
    outcomes: &[ShareOutcome],
) -> Result<(), Error> {
    let mut closed = Vec::new();
    for operation in batch.operations.iter().filter(|o| o.manual) {
        let booked = |licence| {
            outcomes
                .iter()
                .find(|o| o.operation == operation.id && o.licence == licence)
                .map(|o| o.applied.result)
        };
        let result: Usdt = operation
            .shares
            .iter()
            .map(|s| booked(s.licence).unwrap_or(s.result))
            .sum();
        closed.push(Closed {
            id: operation.id,
            route: operation.route.clone(),
            filled: (!operation.legs.is_empty()).then_some((operation.volume, result)),
            unwound: unwound(&operation.legs, operation.triangular),
        });
    }
    if closed.is_empty() {
        return Ok(());
    }
    let now = tx.now();
    for order in store::close(tx.conn(), &closed, batch.mode, now).await? {
        tell(tx, &order);
    }
    Ok(())
}

/// Days of the desk: what owners ordered beside what cohorts did.
///
/// # Errors
/// `request.invalid` for a page out of bounds.
pub async fn report(context: &Context, params: &ListParams) -> Result<Page<ManualDay>, Error> {
    let paging = params.paging(10)?;
    params.sort_key(&["day", "created_at"])?;
    let (days, total) =
        store::days(context.db.pool(), paging.descending, paging.limit, paging.offset).await?;
    Ok(Page::new(days, &paging, total))
}
