//! Live operations: begun, carried to their end, recovered, booked.

use super::{
    model::LiveResidues,
    store, switch,
    venue::{self, Answer, Found, Report, Venue, VenueError},
};
use crate::{
    error::Error,
    foundation::{context::Context, lease, transaction::Tx},
    licences::reconciliation,
    robots::service as robots,
};
use actors::desk::{
    cohort::Share,
    cycles::Side,
    live::{self, Fate, Filters, LiveLeg, Next, Order, Plan},
    market::{AMOUNT_PER_MICRO, Price, Quantity},
    port::{Batch, LiveDone, LiveOrder, Operation as DeskOperation, divided},
};
use protocol::{
    LiveEvent, StreamId,
    ids::{BatchId, OperationId},
    money::Usdt,
    stream_id::Queue,
    views::Mode,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

/// Prices that decided an operation are good for so long; what could not begin by then never does.
const FRESH: time::Duration = time::Duration::seconds(5);
/// Between two questions about an order whose fate is open.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// How often the venue's balances are held against the books, and how soon again after a failure.
const RECONCILED_EVERY: Duration = Duration::from_secs(3_600);
const RECONCILED_AGAIN: Duration = Duration::from_secs(60);
/// The longest pause before what brings back is tried again.
const LONGEST_PAUSE: i64 = 60;

/// A leg with the rules that the venue had then, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredLeg {
    base: String,
    quote: String,
    buys: bool,
    price: i64,
    step: i64,
    least: i64,
    most: i64,
    market_step: i64,
    market_least: i64,
    market_most: i64,
    notional: i64,
}

impl StoredLeg {
    fn new(leg: &LiveLeg, f: Filters) -> Self {
        Self {
            base: leg.base.clone(),
            quote: leg.quote.clone(),
            buys: leg.side == Side::Buy,
            price: leg.price.0,
            step: f.step.0,
            least: f.least.0,
            most: f.most.0,
            market_step: f.market_step.0,
            market_least: f.market_least.0,
            market_most: f.market_most.0,
            notional: f.notional.0,
        }
    }

    fn leg(&self) -> LiveLeg {
        LiveLeg {
            base: self.base.clone(),
            quote: self.quote.clone(),
            side: if self.buys { Side::Buy } else { Side::Sell },
            price: Price(self.price),
        }
    }

    const fn filters(&self) -> Filters {
        Filters {
            step: Quantity(self.step),
            least: Quantity(self.least),
            most: Quantity(self.most),
            market_step: Quantity(self.market_step),
            market_least: Quantity(self.market_least),
            market_most: Quantity(self.market_most),
            notional: Quantity(self.notional),
        }
    }
}

/// An order as it is stored.
#[derive(Clone, Debug)]
pub struct Known {
    pub step: i16,
    pub client_id: String,
    pub symbol: String,
    pub sent_ms: i64,
    pub order: Order,
    pub fate: Fate,
    pub closed_at: Option<OffsetDateTime>,
}

/// What an operation brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booked {
    pub volume: Usdt,
    pub fees: Usdt,
    pub result: Usdt,
}

/// An operation as it is stored.
#[derive(Clone, Debug)]
pub struct Operation {
    pub id: OperationId,
    pub route: String,
    pub edge_ppm: i64,
    pub manual: bool,
    pub decided_at: OffsetDateTime,
    pub legs: Vec<StoredLeg>,
    pub size: Usdt,
    pub rates: BTreeMap<String, Price>,
    pub shares: Vec<Share>,
    /// None while it trades.
    pub done: Option<Booked>,
    pub orders: Vec<Known>,
}

impl Operation {
    fn plan(&self) -> Result<Plan, Error> {
        Plan::new(
            self.legs.iter().map(StoredLeg::leg).collect(),
            self.legs.iter().map(StoredLeg::filters).collect(),
            self.size,
        )
        .map_err(|e| Error::internal(e.to_string()))
    }

    fn known(&self) -> Vec<(Order, Fate)> {
        self.orders.iter().map(|o| (o.order, o.fate.clone())).collect()
    }

    fn seen(&self, plan: &Plan, done: Booked) -> LiveDone {
        LiveDone {
            legs: live::views(plan, venue::NAME, &self.known()),
            volume: done.volume,
            fees: done.fees,
            result: done.result,
        }
    }

    /// How long what brings back has to wait after its last tries that brought nothing.
    fn pause_until(&self, order: &Order) -> Option<OffsetDateTime> {
        let idle = |k: &&Known| match &k.fate {
            Fate::Done(trades) => trades.is_empty(),
            _ => true,
        };
        let tries: Vec<&Known> = self
            .orders
            .iter()
            .rev()
            .take_while(|k| k.order.price.is_none() && k.order.leg == order.leg)
            .take_while(idle)
            .collect();
        let last = tries.first()?.closed_at?;
        let seconds = 1i64
            .checked_shl(
                u32::try_from(tries.len().saturating_sub(1))
                    .unwrap_or(u32::MAX)
                    .min(16),
            )
            .unwrap_or(LONGEST_PAUSE)
            .min(LONGEST_PAUSE);
        Some(last + time::Duration::seconds(seconds))
    }
}

/// The venue's name of a pair.
fn symbol(leg: &LiveLeg) -> String {
    format!("{}{}", leg.base, leg.quote)
}

/// The id by which the venue knows an order: always the same for an operation's step.
#[must_use]
pub fn client_id(operation: OperationId, step: i16) -> String {
    format!("{}-{step:x}", operation.0.simple())
}

/// The venue's failures are nobody's fault here: what is not known yet is asked again.
fn unknown(error: VenueError) -> Error {
    Error::internal(error.to_string())
}

/// Carries an operation to its end. The first call begins it; any other goes on where it stands.
///
/// # Errors
/// `request.conflict` when another desk holds the lease; anything else: its end is not known yet.
pub async fn execute(
    context: &Context,
    venue: &Venue,
    fence: i64,
    order: &LiveOrder,
) -> Result<LiveDone, Error> {
    if store::find(context.db.pool(), order.operation).await?.is_none()
        && !begin(context, venue, fence, order).await?
    {
        return Ok(LiveDone::default());
    }
    drive(context, venue, fence, order.operation).await
}

/// Writes an operation down, while its shares are reserved and live trading is on; false: nothing is begun.
async fn begin(context: &Context, venue: &Venue, fence: i64, order: &LiveOrder) -> Result<bool, Error> {
    let symbols: Vec<String> = order.legs.iter().map(symbol).collect();
    let rules = match venue.rules(&symbols).await {
        Ok(rules) => rules,
        Err(error) => {
            tracing::warn!(operation = %order.operation, %error, "an operation was not begun");
            return Ok(false);
        }
    };
    let mut tx = context.db.begin().await?;
    lease::check(&mut tx, robots::LEASE, fence).await?;
    store::lock_reservations(tx.conn()).await?;
    let now = tx.now();
    let decided = i128::from(order.decided_ms) * 1_000_000;
    let old = now.unix_timestamp_nanos() - decided > FRESH.whole_nanoseconds();
    let reserved = store::reserved(tx.conn(), order.operation).await?;
    let shares: BTreeMap<_, _> = order.shares.iter().map(|s| (s.licence, s.amount)).collect();
    if old || reserved != shares || shares.is_empty() || !switch::is_on(context, &mut tx).await? {
        return Ok(false);
    }
    let size = order.shares.iter().map(|s| s.amount).sum();
    if Plan::new(order.legs.clone(), rules.clone(), size).is_err() {
        return Ok(false);
    }
    let legs: Vec<StoredLeg> = order
        .legs
        .iter()
        .zip(rules)
        .map(|(leg, f)| StoredLeg::new(leg, f))
        .collect();
    store::insert(tx.conn(), order, fence, venue::NAME, &legs, now).await?;
    tell(&mut tx);
    tx.commit().await?;
    Ok(true)
}

/// Those who look at the switch see operations come and go.
fn tell(tx: &mut Tx) {
    tx.emit(
        StreamId::Queue(Queue::Settings),
        LiveEvent::LiveOperationsChanged {},
    );
}

async fn fenced(context: &Context, fence: i64) -> Result<Tx, Error> {
    let mut tx = context.db.begin().await?;
    lease::check(&mut tx, robots::LEASE, fence).await?;
    Ok(tx)
}

/// Does what the plan wants next until it wants nothing more. It can be cut off anywhere and called again.
async fn drive(context: &Context, venue: &Venue, fence: i64, id: OperationId) -> Result<LiveDone, Error> {
    loop {
        let operation = store::find(context.db.pool(), id)
            .await?
            .ok_or_else(|| Error::internal("a live operation vanished"))?;
        let plan = operation.plan()?;
        if let Some(done) = operation.done {
            return Ok(operation.seen(&plan, done));
        }
        match live::next(&plan, &operation.known(), &operation.rates) {
            Next::Order(order) => {
                if let Some(until) = operation.pause_until(&order).filter(|_| order.price.is_none()) {
                    let left = Duration::try_from(until - context.now()).unwrap_or_default();
                    tokio::time::sleep(left).await;
                }
                send(context, venue, fence, &operation, &plan, order).await?;
            }
            Next::Ask(place) => {
                let order = operation
                    .orders
                    .get(place)
                    .ok_or_else(|| Error::internal("an order vanished"))?;
                find_out(context, venue, fence, id, order).await?;
            }
            Next::Rate(asset) => {
                let price = venue.price(&asset, "USDT").await.map_err(unknown)?;
                let mut tx = fenced(context, fence).await?;
                store::put_rate(tx.conn(), id, &asset, price).await?;
                tx.commit().await?;
            }
            Next::Finished(done) => {
                let mut tx = fenced(context, fence).await?;
                let now = tx.now();
                if store::set_executed(tx.conn(), id, &done, now).await? {
                    tx.commit().await?;
                }
            }
        }
    }
}

/// Writes an order down, then sends it, then writes down what came back.
async fn send(
    context: &Context,
    venue: &Venue,
    fence: i64,
    operation: &Operation,
    plan: &Plan,
    order: Order,
) -> Result<(), Error> {
    let step = i16::try_from(operation.orders.len()).map_err(|_| Error::internal("too many orders"))?;
    let leg = plan
        .legs()
        .get(order.leg)
        .ok_or_else(|| Error::internal("an order of no leg"))?;
    // Signed with the time that is stored: whoever asks later knows from when on the venue would not have taken it.
    let known = Known {
        step,
        client_id: client_id(operation.id, step),
        symbol: symbol(leg),
        sent_ms: venue.time().await.map_err(unknown)?,
        order,
        fate: Fate::Unknown,
        closed_at: None,
    };
    let mut tx = fenced(context, fence).await?;
    let now = tx.now();
    // Two that drive the same operation: the second one's row is refused, and it sends nothing.
    store::record(tx.conn(), operation.id, &known, now).await?;
    tx.commit().await?;
    let answer = venue
        .place(&known.symbol, &known.client_id, &known.order, known.sent_ms)
        .await;
    match answer {
        Answer::Over(report) => over(context, operation.id, &known, &report).await,
        Answer::Refused { small, reason } => refused(context, operation.id, &known, small, &reason).await,
        Answer::Unknown => {
            tracing::warn!(operation = %operation.id, step, "an order's answer was lost: it is asked for by its id");
            let mut tx = context.db.begin().await?;
            store::set_unknown(tx.conn(), operation.id, step).await?;
            tx.commit().await?;
            Ok(())
        }
    }
}

// What the venue says is written down under any lease: it is a fact, and the first word stays.

async fn over(context: &Context, id: OperationId, known: &Known, report: &Report) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if store::lock_open(tx.conn(), id, known.step).await? {
        store::set_over(tx.conn(), id, known, report.order, &report.trades, now).await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn refused(
    context: &Context,
    id: OperationId,
    known: &Known,
    small: bool,
    reason: &str,
) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if store::lock_open(tx.conn(), id, known.step).await? {
        tracing::warn!(operation = %id, step = known.step, reason, "the venue refused an order");
        store::set_refused(tx.conn(), id, known.step, small, reason, now).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Asks the venue about an order by its id. One that is not there, and would no longer be taken, never was.
async fn find_out(
    context: &Context,
    venue: &Venue,
    fence: i64,
    id: OperationId,
    order: &Known,
) -> Result<(), Error> {
    fenced(context, fence).await?.rollback().await?;
    // The time first: an order that arrives between the two questions is found.
    let late = venue.is_too_late(order.sent_ms).await.map_err(unknown)?;
    match venue
        .find(&order.symbol, &order.client_id)
        .await
        .map_err(unknown)?
    {
        Found::Over(report) => over(context, id, order, &report).await,
        Found::Missing if late => refused(context, id, order, false, "never arrived").await,
        Found::Open | Found::Missing => {
            tokio::time::sleep(ASK_AGAIN).await;
            Ok(())
        }
    }
}

/// Ends and books what earlier desks have begun; how many there were.
///
/// # Errors
/// Whatever the venue or the database refuses: it is tried again before a desk begins anything.
pub async fn recover(context: &Context, venue: &Venue, fence: i64) -> Result<usize, Error> {
    let open = store::unfinished(context.db.pool()).await?;
    for id in &open {
        let done = drive(context, venue, fence, *id).await?;
        let operation = store::find(context.db.pool(), *id)
            .await?
            .ok_or_else(|| Error::internal("a live operation vanished"))?;
        let batch = Batch {
            // Booked under its own id: once, whoever does it.
            id: BatchId(id.0),
            mode: Mode::Live,
            lane: 0,
            operations: vec![DeskOperation {
                id: *id,
                shares: divided(&operation.shares, done.volume, done.fees, done.result),
                route: operation.route,
                triangular: true,
                edge_ppm: operation.edge_ppm,
                decided_ms: robots::ms(operation.decided_at),
                filled_ms: robots::ms(context.now()),
                legs: done.legs,
                volume: done.volume,
                fees: done.fees,
                result: done.result,
                manual: operation.manual,
            }],
        };
        robots::settle(context, fence, &batch).await?;
        tracing::warn!(operation = %id, result = %done.result, "an operation of an earlier desk was ended and booked");
    }
    Ok(open.len())
}

/// Writes down, once now and then every hour, what the venue holds against what is booked.
pub async fn reconcile(context: Context, venue: Arc<Venue>, stop: CancellationToken) {
    loop {
        let rest = match reconcile_once(&context, &venue).await {
            Ok(_) => RECONCILED_EVERY,
            Err(error) => {
                tracing::warn!(?error, "the venue's balances could not be read");
                RECONCILED_AGAIN
            }
        };
        if stop.run_until_cancelled(tokio::time::sleep(rest)).await.is_none() {
            return;
        }
    }
}

/// Whether the venue's USDT cover what is booked; other coins count for nothing.
///
/// # Errors
/// Whatever the venue or the database refuses.
pub async fn reconcile_once(context: &Context, venue: &Venue) -> Result<bool, Error> {
    let account = venue.account().await.map_err(unknown)?;
    let held: i64 = account
        .balances
        .iter()
        .filter(|(asset, _)| asset == "USDT")
        .map(|(_, quantity)| quantity.0 / AMOUNT_PER_MICRO)
        .sum();
    reconciliation::record(context, Usdt(held)).await
}

/// What operations that are over have left at the venue at no value: the house's, in no book.
///
/// # Errors
/// Whatever the database refuses.
pub async fn residues(context: &Context) -> Result<LiveResidues, Error> {
    store::residues(context.db.pool()).await
}

/// Whether operations wait for their end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn has_unfinished(context: &Context) -> Result<bool, Error> {
    Ok(!store::unfinished(context.db.pool()).await?.is_empty())
}

/// Who frees reservations waits for operations that are just begun, and sees them then.
pub(in crate::robots) async fn lock_reservations(tx: &mut Tx) -> Result<(), Error> {
    store::lock_reservations(tx.conn()).await
}

/// Ties the operations of a live batch to it. None is booked that is not over, or with other figures than its fills give.
pub(in crate::robots) async fn book(tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
    let now = tx.now();
    let mut any = false;
    for operation in &batch.operations {
        let figures = Booked {
            volume: operation.volume,
            fees: operation.fees,
            result: operation.result,
        };
        let booked = store::set_booked(tx.conn(), operation.id, batch.id.0, figures, now).await?;
        // What was given up before it began has no row, and nothing to book.
        if !booked && (!operation.legs.is_empty() || store::is_begun(tx.conn(), operation.id).await?) {
            return Err(Error::internal("a live operation cannot be booked"));
        }
        any |= booked;
    }
    if any {
        tell(tx);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn an_orders_id_fits_the_venue_and_follows_from_its_step() {
        let id = OperationId(Uuid::from_u128(7));
        assert_eq!(client_id(id, 0), "00000000000000000000000000000007-0");
        let long = client_id(OperationId(Uuid::max()), 4_095);
        assert_eq!(long.len(), 36);
        assert!(
            long.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        );
    }
}
