//! What the market shows: depth, prices over time, trades, one's own orders.

use super::{
    service::{anchors_of, is_open, spans},
    store::{self, Filter, Order},
};
use crate::{
    error::Error,
    foundation::{business_day, context::Context, http::Paging},
    identity::caller::Scope,
    presale::{
        rules::{
            book::{self, LOT, TICK},
            reference,
        },
        store as rounds,
    },
};
use protocol::{
    money::{Pyx, Usdt},
    pyx::{PyxBook, PyxOrderView, PyxSide, PyxTradeView},
};
use serde::Serialize;
use time::{Duration, OffsetDateTime};

/// Levels of each side that the depth shows.
pub const LEVELS: i64 = 20;
/// Hours of candles.
const CANDLES: Duration = Duration::days(30);

/// The market as everybody sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PyxMarket {
    /// Orders are taken: a round has ended and none sells.
    pub open: bool,
    pub book: PyxBook,
    /// What the band is counted from: where the last order left it, following the average of 24 hours of enough people so far a day;
    /// before any order the last round's price; none before all of them.
    pub reference: Option<Usdt>,
    /// The prices that orders may have.
    pub low: Option<Usdt>,
    pub high: Option<Usdt>,
    /// The most that an order to buy may pay, and the least that one to sell may ask, while its owner's whitelist or a limit of theirs is
    /// on; losses are counted from them. The lowest and the highest of the reference and of where the last business days began.
    pub fair_buy: Option<Usdt>,
    pub fair_sell: Option<Usdt>,
    pub tick: Usdt,
    pub lot: Pyx,
    pub last: Option<Usdt>,
    /// The first price of the last 24 hours.
    pub day_first: Option<Usdt>,
    /// PYX of the last 24 hours.
    pub day_quantity: Pyx,
}

/// Rounds and trades of an hour, for the price over time.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PyxPriceStep {
    pub number: i32,
    pub price: Usdt,
    #[serde(with = "time::serde::rfc3339")]
    pub starts_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub ends_at: OffsetDateTime,
}

#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PyxCandle {
    /// The hour's beginning.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    pub open: Usdt,
    pub high: Usdt,
    pub low: Usdt,
    pub close: Usdt,
    pub quantity: Pyx,
}

/// The price since the beginning: rounds that have begun, the earliest first, then trades by the hour.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PyxPriceHistory {
    pub rounds: Vec<PyxPriceStep>,
    pub candles: Vec<PyxCandle>,
}

/// The market now.
///
/// # Errors
/// Whatever the database refuses.
pub async fn market(context: &Context) -> Result<PyxMarket, Error> {
    let now = context.now();
    let pool = context.db.pool();
    let rounds = spans(&rounds::agreed_rounds(pool).await?);
    let volume = store::volume(pool, now - Duration::DAY).await?;
    let in_force = context.settings.current(now).await?;
    let first = reference::first_day(business_day::of(now));
    let days = store::reference_days(pool, first).await?;
    let anchors = anchors_of(&days, &rounds, now);
    let reference = anchors.map(|a| a.reference);
    let band = reference.map(|r| book::band(r, in_force.settings.pyx_band));
    Ok(PyxMarket {
        open: is_open(&rounds, now),
        book: store::depth(pool, LEVELS).await?,
        reference,
        low: band.map(|b| b.0),
        high: band.map(|b| b.1),
        fair_buy: anchors.map(|a| a.held_to(PyxSide::Buy)),
        fair_sell: anchors.map(|a| a.held_to(PyxSide::Sell)),
        tick: TICK,
        lot: LOT,
        last: volume.last.map(Usdt),
        day_first: volume.first.map(Usdt),
        day_quantity: Pyx(volume.quantity),
    })
}

/// Trades, the latest first, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn trades(context: &Context, paging: &Paging) -> Result<(Vec<PyxTradeView>, i64), Error> {
    store::trades(context.db.pool(), 0, paging.as_of, paging.limit, paging.offset).await
}

/// The price over time.
///
/// # Errors
/// Whatever the database refuses.
pub async fn price_history(context: &Context) -> Result<PyxPriceHistory, Error> {
    let now = context.now();
    let rounds = rounds::agreed_rounds(context.db.pool()).await?;
    let candles = store::candles(context.db.pool(), now - CANDLES).await?;
    Ok(PyxPriceHistory {
        rounds: rounds
            .iter()
            .rev()
            .filter(|r| r.begun(now))
            .map(|r| PyxPriceStep {
                number: r.number,
                price: Usdt(r.price),
                starts_at: r.starts_at,
                ends_at: r.ends_at,
            })
            .collect(),
        candles: candles
            .into_iter()
            .map(|c| PyxCandle {
                at: c.at,
                open: Usdt(c.open),
                high: Usdt(c.high),
                low: Usdt(c.low),
                close: Usdt(c.close),
                quantity: Pyx(c.quantity),
            })
            .collect(),
    })
}

/// A page of one's own orders.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<PyxOrderView>, i64), Error> {
    let (rows, total) = store::list(context.db.pool(), scope, filter, paging, sort).await?;
    let views = rows.iter().map(Order::view).collect::<Result<_, _>>()?;
    Ok((views, total))
}
