//! The desk on an earlier clock: the simulated market, the desk's own mind and the real books, for a short while of each day behind a
//! fresh demo. What it brings is simulated, and says so like everything the demo's desk does.

use actors::desk::{
    floor::{Effect, Floor},
    market::Quote,
};
use protocol::{ErrorCode, ids::NodeId, views::Mode};
use time::{Duration, OffsetDateTime};

use super::network::Past;
use crate::{
    error::Error,
    foundation::{context::Context, lease},
    market::simulated::{STEP_MS, Simulation},
    robots::{
        desk_runner,
        service::{self, LEASE},
    },
};

/// Time passes for the desk this often.
const TICK_MS: i64 = 20;
/// Longer than operations are in the air.
const LANDING: i64 = 10_000;

/// Opportunities come by chance; when few do, the day has few results.
const LONGEST: i64 = 60_000;

/// Lets the desk trade from a moment on, until so many batches have settled.
pub async fn trade(past: &Past, from: OffsetDateTime, enough: usize) -> Result<(), Error> {
    let context = &past.context;
    past.turn_to(from);
    let life = Duration::milliseconds(LONGEST + LANDING) + Duration::minutes(5);
    let lease = lease::acquire(context.db.pool(), LEASE, NodeId::fresh(), context.now(), life)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestConflict))?;
    let settings = context.settings.current(context.now()).await?;
    let seed = u64::try_from(from.unix_timestamp()).unwrap_or_default();
    let mut market = Simulation::new(seed);
    let usdt = market
        .market()
        .asset("USDT")
        .ok_or_else(|| Error::internal("the simulated market has no USDT"))?;
    let rules = desk_runner::rules(&settings.settings, "simulated", Mode::Simulated, seed);
    let mut floor = Floor::new(market.market(), usdt, rules);
    let start = from.unix_timestamp() * 1_000;
    let (mut now, mut settled) = (start, 0);
    while settled < enough && now < start + LONGEST {
        for (instrument, quote) in market.step().to_vec() {
            let quote = Quote {
                at_ms: start + quote.at_ms,
                ..quote
            };
            floor.on_quote(instrument, quote, now);
        }
        for _ in 0..STEP_MS / TICK_MS {
            settled += tick(past, &mut floor, lease.fence, now).await?;
            now += TICK_MS;
        }
    }
    floor.close();
    let latest = now + LANDING;
    while !floor.is_done() && now < latest {
        tick(past, &mut floor, lease.fence, now).await?;
        now += TICK_MS;
    }
    lease::release(context.db.pool(), &lease, context.now()).await
}

/// How many batches settled.
async fn tick(past: &Past, floor: &mut Floor, fence: i64, now: i64) -> Result<usize, Error> {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(now) * 1_000_000)
        .map_err(|error| Error::internal(format!("a moment of the desk: {error}")))?;
    past.turn_to(at);
    floor.on_tick(now);
    carry_out(&past.context, floor, fence, now).await
}

/// Does what the desk wants, and what the answers make it want next.
async fn carry_out(context: &Context, floor: &mut Floor, fence: i64, now: i64) -> Result<usize, Error> {
    let mut settlements = 0;
    loop {
        let effects = floor.effects();
        if effects.is_empty() {
            return Ok(settlements);
        }
        for effect in effects {
            match effect {
                Effect::Refresh => {
                    let robots = service::eligible(context).await?;
                    floor.on_eligible(Ok(robots), now);
                }
                Effect::Reserve {
                    operation, shares, ..
                } => {
                    let reserved = service::reserve(context, fence, operation, &shares).await?;
                    floor.on_reserved(operation, Ok(reserved), now);
                }
                Effect::Settle(batch) => {
                    let settled = service::settle(context, fence, &batch).await?;
                    floor.on_settled(batch.id, Ok(settled), now);
                    settlements += 1;
                }
                // Nobody looks on, orders by hand or trades at a venue.
                Effect::Show(_) | Effect::Refuse { .. } | Effect::Execute(_) => {}
            }
        }
    }
}
