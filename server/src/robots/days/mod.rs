//! Days of robots: results rolled up with each settlement, balances at each day's end, the month's gold traders (docs/rules/desk.md#days).
//!
//! What a settlement brought stands in `robots.day_result` in the settlement's own transaction. The closing of a day is a job that
//! only spares later readers the day's postings: whoever reads takes what is closed and goes on from there by the postings.
//!
//! `robots.day_settled` says the same of the books: what was posted, by the day of the posting and by person.
//!
//! Tables: robots.day_result, day_route, day_settled, day_close, closed_day, gold_trader.

pub mod rules;
mod store;

use crate::{
    affiliates::{model::DayResult, service as affiliates},
    error::Error,
    foundation::{
        business_day,
        context::{Context, World},
        job_queue::{self, Claimed},
        open_day,
        transaction::Tx,
    },
    licences::{
        service::ShareOutcome,
        settlement::{InBooks, Settled},
    },
};
use actors::desk::port::{Batch, Operation};
use futures_util::future::BoxFuture;
use protocol::{
    ids::{LicenceId, OperationId, UserId},
    money::Usdt,
    views::Mode,
};
use rules::Tally;
use std::collections::{BTreeMap, HashMap};
use time::{Date, Duration};

/// A job of this kind closes the days that are over.
pub const CLOSE: &str = "robots.close_days";
/// Licences closed in one transaction.
const CHUNK: i64 = 500;
/// Changes begun before midnight are committed by then.
const AFTER: Duration = Duration::minutes(5);

/// In which modes results count for the network: in production real ones.
const fn modes(world: World) -> &'static [Mode] {
    match world {
        World::Demo => &[Mode::Simulated, Mode::Paper, Mode::Live],
        World::Production => &[Mode::Live],
    }
}

/// Whether results of a mode count for the network.
pub(super) fn counts(world: World, mode: Mode) -> bool {
    modes(world).contains(&mode)
}

/// Counts a batch: `outcomes` as they were booked, none where nothing was. What it brought whom is left for the network, as far as it counts there.
///
/// # Errors
/// Whatever the database refuses.
pub async fn book(
    context: &Context,
    tx: &mut Tx,
    batch: &Batch,
    filled: &[&Operation],
    outcomes: &[ShareOutcome],
) -> Result<(), Error> {
    let applied: HashMap<(LicenceId, OperationId), &ShareOutcome> =
        outcomes.iter().map(|o| ((o.licence, o.operation), o)).collect();
    let mut days: BTreeMap<(LicenceId, UserId), Tally> = BTreeMap::new();
    let mut routes: BTreeMap<(LicenceId, &str), Tally> = BTreeMap::new();
    for operation in filled {
        for share in &operation.shares {
            let outcome = applied.get(&(share.licence, operation.id));
            let booked = outcome.map_or(share.result, |o| o.applied.result);
            let one = Tally::of(share.result, booked, share.fees);
            *days.entry((share.licence, share.user)).or_default() += one;
            *routes.entry((share.licence, &operation.route)).or_default() += one;
        }
    }
    let day = open_day::of(tx).await?;
    store::add_days(tx.conn(), batch.mode, day, &days).await?;
    store::add_routes(tx.conn(), batch.mode, day, &routes).await?;
    if !counts(context.world, batch.mode) {
        return Ok(());
    }
    affiliates::results_left(tx, day, &by_owner(&days)).await
}

/// What robots brought, by their owners; nothing of whom it came to nothing.
fn by_owner(days: &BTreeMap<(LicenceId, UserId), Tally>) -> Vec<DayResult> {
    let mut owners: BTreeMap<UserId, Usdt> = BTreeMap::new();
    for ((_, owner), tally) in days {
        *owners.entry(*owner).or_default() += tally.net();
    }
    owners
        .into_iter()
        .filter(|(_, result)| !result.is_zero())
        .map(|(member, result)| DayResult { member, result })
        .collect()
}

/// Counts what a batch did to people's money in the books, by the day of its booking.
///
/// # Errors
/// Whatever the database refuses.
pub async fn settled(tx: &mut Tx, mode: Mode, booked: &InBooks) -> Result<(), Error> {
    let Some(transfer) = booked.transfer else {
        return Ok(());
    };
    let mut owners: BTreeMap<UserId, Usdt> = BTreeMap::new();
    let moved = |s: &&Settled| !(s.gain.is_zero() && s.loss.is_zero());
    for robot in booked.robots.iter().filter(moved) {
        *owners.entry(robot.licence.owner).or_default() += robot.gain - robot.loss;
    }
    let now = tx.now();
    store::add_settled(tx.conn(), mode, now, transfer, &owners).await
}

/// Closes the days that are over, oldest first, then ranks the month.
///
/// # Errors
/// Whatever the database refuses; days closed so far stay closed.
pub async fn close(context: &Context, job: &Claimed) -> Result<(), Error> {
    close_due(context).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Closes every day that is over; the last closed one, none while nothing was ever bought.
///
/// # Errors
/// Whatever the database refuses.
pub async fn close_due(context: &Context) -> Result<Option<Date>, Error> {
    let Some(over) = business_day::of(context.now() - AFTER).previous_day() else {
        return Ok(None);
    };
    let mut last = store::last_closed(context.db.pool()).await?;
    let first = match last {
        Some(day) => day.next_day(),
        None => store::first_day(context.db.pool()).await?,
    };
    let mut next = first;
    while let Some(day) = next.filter(|day| *day <= over) {
        close_day(context, day).await?;
        last = Some(day);
        next = day.next_day();
    }
    if let Some(day) = last.filter(|_| first.is_some_and(|first| first <= over)) {
        rank(context, day).await?;
    }
    Ok(last)
}

async fn close_day(context: &Context, day: Date) -> Result<(), Error> {
    let until = business_day::start(day.next_day().unwrap_or(day));
    let mut after = uuid::Uuid::nil();
    loop {
        let mut tx = context.db.begin().await?;
        let chunk = store::chunk(tx.conn(), after, CHUNK).await?;
        let Some(last) = chunk.last().copied() else {
            let now = tx.now();
            store::mark_closed(tx.conn(), day, now).await?;
            tx.commit().await?;
            return Ok(());
        };
        store::close(tx.conn(), &chunk, day, business_day::start(day), until).await?;
        tx.commit().await?;
        after = last;
    }
}

/// The best tenth of the month up to a day, mode by mode.
async fn rank(context: &Context, through: Date) -> Result<(), Error> {
    let first = through.replace_day(1).unwrap_or(through);
    for mode in [Mode::Simulated, Mode::Paper, Mode::Live] {
        let traders = store::traders(context.db.pool(), mode, first, through).await?;
        let gold = rules::gold(&traders);
        let mut tx = context.db.begin().await?;
        store::replace_gold(tx.conn(), mode, through, &gold).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Whether a person is a gold trader this month in a mode.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_gold(context: &Context, owner: UserId, mode: Mode) -> Result<bool, Error> {
    let today = business_day::of(context.now());
    let first = today.replace_day(1).unwrap_or(today);
    store::is_gold(context.db.pool(), owner, mode, first).await
}

/// What each person's robots brought on a business day, over all licences: of the results that are booked in this world.
#[must_use]
pub fn results_of<'a>(
    context: &'a Context,
    tx: &'a mut Tx,
    day: Date,
) -> BoxFuture<'a, Result<Vec<DayResult>, Error>> {
    Box::pin(async move { store::results_of(tx.conn(), modes(context.world), day).await })
}
