//! How the desk and its feed are doing: the day's result against its limit, the feed's state as the desk's node last stored it.

use super::{
    service::ms,
    store::{self, Added},
};
use crate::{
    error::Error,
    foundation::{business_day, context::Context, settings::Settings, transaction::Tx},
    identity::roles,
    market::health::VenueHealth,
};
use actors::desk::port::{Batch, Day, Limits, Risk};
use protocol::{
    LiveEvent, Permission, StreamId,
    glimpse::{FeedsView, VenueView},
    money::Usdt,
    views::Mode,
};
use sqlx::PgExecutor;
use time::{Duration, OffsetDateTime};

/// A state that is older says that no desk runs any more.
const STORED_HOLDS: Duration = Duration::seconds(15);

fn limits(settings: &Settings) -> Limits {
    Limits {
        max_operation: settings.desk_max_operation,
        max_venue: settings.desk_max_venue,
        daily_loss: settings.desk_daily_loss,
    }
}

fn until(now: OffsetDateTime) -> OffsetDateTime {
    let day = business_day::of(now);
    business_day::start(day.next_day().unwrap_or(day))
}

/// What the desk may risk now, and what the business day has brought in its mode.
///
/// # Errors
/// Whatever the database refuses.
pub async fn risk(context: &Context, mode: Mode) -> Result<Risk, Error> {
    let now = context.now();
    let settings = context.settings.current(now).await?;
    let (net, operations) = store::desk_day(context.db.pool(), mode.as_str(), business_day::of(now)).await?;
    Ok(Risk {
        limits: Some(limits(&settings.settings)),
        day: Some(Day {
            net: Usdt(net),
            operations,
            until_ms: ms(until(now)),
        }),
    })
}

/// Adds a batch to its day; those who watch over the desk hear of a loss that has just reached the limit.
pub(super) async fn book(tx: &mut Tx, batch: &Batch, settings: &Settings) -> Result<Day, Error> {
    let now = tx.now();
    let (mut all, mut manual) = (Added::default(), Added::default());
    for operation in batch.operations.iter().filter(|o| !o.legs.is_empty()) {
        let parts = [Some(&mut all), operation.manual.then_some(&mut manual)];
        for part in parts.into_iter().flatten() {
            part.net += operation.result.0;
            part.operations += 1;
            part.volume += operation.volume.0;
        }
    }
    let (day, result) = (business_day::of(now), all.net);
    let (net, operations) = store::add_to_day(tx.conn(), batch.mode.as_str(), day, all, manual).await?;
    let limit = settings.desk_daily_loss;
    if net <= -limit.0 && net - result > -limit.0 {
        tracing::error!(mode = %batch.mode, loss = %Usdt(-net), %limit, "the desk halts: the day's loss has reached its limit");
        metrics::counter!("desk_halts_total").increment(1);
        for person in roles::holders(tx.conn(), Permission::AdminDashboard.as_str()).await? {
            tx.emit(
                StreamId::User(person),
                LiveEvent::DeskHalted {
                    mode: batch.mode,
                    loss: Usdt(-net),
                    limit,
                    until: until(now),
                },
            );
        }
    }
    Ok(Day {
        net: Usdt(net),
        operations,
        until_ms: ms(until(now)),
    })
}

/// The day as it is, for a batch that was booked before.
pub(super) async fn day(tx: &mut Tx, mode: Mode) -> Result<Day, Error> {
    let now = tx.now();
    let (net, operations) = store::desk_day(tx.conn(), mode.as_str(), business_day::of(now)).await?;
    Ok(Day {
        net: Usdt(net),
        operations,
        until_ms: ms(until(now)),
    })
}

fn at(ms: Option<i64>) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms?) * 1_000_000).ok()
}

/// A look at the venues, as people see it.
#[must_use]
pub fn view(feed: &str, mode: Mode, venues: Vec<VenueHealth>) -> FeedsView {
    let venue = |v: VenueHealth| VenueView {
        venue: v.venue,
        connected: v.connected,
        since: at(v.since_ms),
        quotes_per_second: v.quotes_per_second,
        latency_ms: v.latency_ms,
        skew_ms: v.skew_ms,
        reconnects: v.reconnects,
        last_quote_at: at(v.last_quote_ms),
    };
    FeedsView {
        feed: feed.to_owned(),
        mode: Some(mode),
        running: true,
        venues: venues.into_iter().map(venue).collect(),
    }
}

/// Stores a look; an older desk's never replaces a newer one's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn store_state(context: &Context, fence: i64, state: &FeedsView) -> Result<(), Error> {
    let body = serde_json::to_value(state)?;
    store::put_feed_state(context.db.pool(), fence, context.now(), &body).await
}

/// The mode in which the desk's node last said that it trades.
pub(super) async fn stored_mode(db: impl PgExecutor<'_>) -> Result<Option<Mode>, Error> {
    let Some((_, state)) = store::feed_state(db).await? else {
        return Ok(None);
    };
    let state: FeedsView = serde_json::from_value(state)?;
    Ok(state.mode)
}

/// The feed of whichever node runs the desk, as it last said.
///
/// # Errors
/// Whatever the database refuses.
pub async fn feeds(context: &Context) -> Result<FeedsView, Error> {
    let Some((at, state)) = store::feed_state(context.db.pool()).await? else {
        return Ok(FeedsView {
            feed: "off".into(),
            mode: None,
            running: false,
            venues: Vec::new(),
        });
    };
    let state: FeedsView = serde_json::from_value(state)?;
    Ok(if context.now() - at > STORED_HOLDS {
        at_rest(state)
    } else {
        state
    })
}

/// The same feed when nobody runs it.
#[must_use]
pub fn at_rest(state: FeedsView) -> FeedsView {
    let venue = |v| VenueView {
        connected: false,
        since: None,
        quotes_per_second: 0,
        ..v
    };
    FeedsView {
        running: false,
        venues: state.venues.into_iter().map(venue).collect(),
        ..state
    }
}
