//! The report, and the look at the ceiling.

use super::{
    model::{PayoutCeiling, PayoutReport, Rings},
    rules, store,
};
use crate::{
    approvals::compliance,
    error::Error,
    foundation::{business_day, context::Context, settings::percent, transaction::Tx},
};
use protocol::{ids::UserId, money::Usdt};
use time::{Date, Duration};

/// Days whose bonuses and revenue the ceiling compares.
pub const WINDOW: i64 = 30;

/// Bonuses against revenue from a day to another.
///
/// # Errors
/// Whatever the database refuses.
pub async fn report(context: &Context, from: Date, to: Date) -> Result<PayoutReport, Error> {
    let mut tx = context.db.snapshot().await?;
    let days = store::days(tx.conn(), from, to).await?;
    let ceiling = ceiling(context, &mut tx).await?;
    let rings = rings(&mut tx).await?;
    tx.rollback().await?;
    Ok(PayoutReport {
        first_day: from.to_string(),
        last_day: to.to_string(),
        total: rules::sum(&days, from, to).sums(),
        days: rules::by_day(&days, from, to),
        months: rules::by_month(&days, from, to),
        ceiling,
        rings,
    })
}

/// What the last 30 days say of another ceiling or another share of fees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Fees of these days, less what was reversed of them.
    pub fees: Usdt,
    /// On how many of them bonuses stood above the one and the other ceiling.
    pub days_over: [i64; 2],
}

/// The last 30 days under two ceilings.
///
/// # Errors
/// Whatever the database refuses.
pub async fn past(context: &Context, ceilings: [i64; 2]) -> Result<Past, Error> {
    let today = business_day::of(context.now());
    let first = today - Duration::days(WINDOW - 1);
    let mut tx = context.db.snapshot().await?;
    let days = store::days(tx.conn(), first - Duration::days(WINDOW - 1), today).await?;
    tx.rollback().await?;
    Ok(Past {
        fees: rules::sum(&days, first, today).fees,
        days_over: ceilings.map(|ceiling| rules::days_over(&days, first, today, WINDOW, ceiling)),
    })
}

/// Where the last days stand against the ceiling.
///
/// # Errors
/// Whatever the database refuses.
pub async fn ceiling(context: &Context, tx: &mut Tx) -> Result<PayoutCeiling, Error> {
    let now = context.now();
    let ceiling = context.settings.current(now).await?.settings.payout_ceiling;
    let window = last_days(tx, business_day::of(now)).await?;
    Ok(PayoutCeiling {
        ceiling: percent(ceiling),
        sums: window.sums(),
        over: window.over(ceiling),
        alert_since: store::alert_since(tx.conn()).await?,
    })
}

/// The days that the ceiling looks at, today inside.
pub(super) async fn last_days(tx: &mut Tx, today: Date) -> Result<rules::Booked, Error> {
    let from = today - Duration::days(WINDOW - 1);
    let days = store::days(tx.conn(), from, today).await?;
    Ok(rules::sum(&days, from, today))
}

async fn rings(tx: &mut Tx) -> Result<Rings, Error> {
    let members: Vec<(i32, UserId)> = (0i32..)
        .zip(compliance::rings(tx).await?)
        .flat_map(|(ring, members)| members.into_iter().map(move |member| (ring, member)))
        .collect();
    Ok(rules::rings(&store::took(tx.conn(), &members).await?))
}
