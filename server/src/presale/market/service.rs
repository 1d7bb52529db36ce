//! Placing and cancelling orders, and what the market shows.

use super::{
    settle::{self, Taker},
    store::{self, Filter, NewOrder, Order},
};
use crate::{
    approvals::{guard, restraint},
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        transaction::Tx,
    },
    identity::caller::Scope,
    ledger::model::Orderer,
    presale::{
        rules::{
            book::{self, Incoming, LOT, MOST_FILLS, Resting, TICK},
            cost,
        },
        store::{self as rounds, Round},
        vested,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{PyxOrderId, UserId},
    money::{Pyx, Usdt},
    pyx::{PyxBook, PyxOrderEnd, PyxOrderStatus, PyxOrderView, PyxSide, PyxTradeView},
};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Levels of each side that the depth shows.
pub const LEVELS: i64 = 20;
/// Hours of candles.
const CANDLES: Duration = Duration::days(30);

/// What a person orders.
#[derive(Clone, Copy, Debug)]
pub struct NewPyxOrder {
    pub side: PyxSide,
    pub price: Usdt,
    pub quantity: Pyx,
}

/// The market as everybody sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PyxMarket {
    /// Orders are taken: a round has ended and none sells.
    pub open: bool,
    pub book: PyxBook,
    /// What the band is counted from: the average of 24 hours, else the last trade, else the last round; none before all of them.
    pub reference: Option<Usdt>,
    /// The prices that orders may have.
    pub low: Option<Usdt>,
    pub high: Option<Usdt>,
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

fn is_open(rounds: &[Round], now: OffsetDateTime) -> bool {
    rounds.iter().any(|r| r.ends_at <= now) && !rounds.iter().any(|r| r.runs(now))
}

/// What the band is counted from.
fn reference(traded: &store::Traded, rounds: &[Round], now: OffsetDateTime) -> Option<Usdt> {
    if traded.quantity > 0 {
        return Usdt(traded.cost).mul_div_floor(Pyx::ONE, traded.quantity);
    }
    let last_round = || {
        rounds
            .iter()
            .filter(|r| r.ends_at <= now)
            .max_by_key(|r| r.ends_at)
            .map(|r| r.price)
    };
    traded.last.or_else(last_round).map(Usdt)
}

fn refuse(field: &'static str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

fn check(order: &NewPyxOrder) -> Result<(), Error> {
    for (field, units) in [("price", order.price.0), ("quantity", order.quantity.0)] {
        if units <= 0 {
            return Err(refuse(field, ErrorCode::AmountNotPositive));
        }
    }
    if order.price.0 % TICK.0 != 0 {
        return Err(refuse("price", ErrorCode::OrderTick).with("tick", TICK.brief()));
    }
    if order.quantity.0 % LOT.0 != 0 {
        return Err(refuse("quantity", ErrorCode::OrderLot).with("lot", LOT.brief()));
    }
    match cost(order.quantity, order.price) {
        Some(cost) if cost.is_positive() => Ok(()),
        Some(_) => Err(refuse("quantity", ErrorCode::AmountNotPositive)),
        None => Err(refuse("quantity", ErrorCode::AmountInvalid)),
    }
}

/// Places an order: it meets what waits for it, the rest waits itself.
///
/// # Errors
/// `order.tick`, `order.lot`, `order.band`, `order.market_closed`, `order.too_many`, `balance.insufficient`, `account.excluded`,
/// `outbound.held`, `outbound.paused`, `outbound.debt`, `outbound.young`.
pub async fn place(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    order: &NewPyxOrder,
) -> Result<PyxOrderView, Error> {
    check(order)?;
    guard::require_open(tx, user).await?;
    if order.side == PyxSide::Buy {
        restraint::require_no_time_out(tx, user).await?;
    }
    let in_force = context.settings.within(tx).await?;
    let settings = &in_force.settings;
    let now = tx.now();
    store::lock_book(tx.conn()).await?;
    let rounds = rounds::agreed_rounds(tx.conn()).await?;
    if !is_open(&rounds, now) {
        return Err(Error::code(ErrorCode::OrderMarketClosed));
    }
    let traded = store::traded(tx.conn(), now - Duration::DAY).await?;
    let (low, high) = reference(&traded, &rounds, now)
        .map(|r| book::band(r, settings.pyx_band))
        .ok_or_else(|| Error::code(ErrorCode::OrderMarketClosed))?;
    if order.price < low || order.price > high {
        return Err(refuse("price", ErrorCode::OrderBand)
            .with("low", low.brief())
            .with("high", high.brief()));
    }
    if store::open_orders(tx.conn(), user).await? >= settings.pyx_open_orders {
        return Err(Error::code(ErrorCode::OrderTooMany).with("maximum", settings.pyx_open_orders));
    }
    let most = i64::try_from(MOST_FILLS + 1).unwrap_or(i64::MAX);
    let makers = store::crossing(tx.conn(), order.side, order.price, most).await?;
    let incoming = Incoming {
        owner: user,
        side: order.side,
        price: order.price,
        quantity: order.quantity,
    };
    let placed = book::place(
        &incoming,
        makers.iter().map(|m| Resting {
            id: PyxOrderId(m.id),
            owner: m.owner(),
            price: Usdt(m.price),
            rest: m.rest(),
        }),
    );
    let taker = Taker {
        id: PyxOrderId::fresh(),
        user,
        side: order.side,
        settings_version: in_force.version,
    };
    let (stored, changed) = book_all(tx, &taker, order, &makers, &placed).await?;
    let details = json!({ "side": order.side.as_str(), "price": order.price, "quantity": order.quantity, "filled": Pyx(stored.filled) });
    audit::record(
        tx,
        Some(user),
        Some(taker.id.0),
        Category::Money,
        "order.place",
        details,
    )
    .await?;
    let view = stored.view()?;
    let all: Vec<Order> = changed.into_iter().chain(std::iter::once(stored)).collect();
    tell(tx, &all).await?;
    Ok(view)
}

/// Everything that an order does: the row that its trades name, its trades, what is set aside of it.
async fn book_all(
    tx: &mut Tx,
    taker: &Taker,
    order: &NewPyxOrder,
    makers: &[Order],
    placed: &book::Placed,
) -> Result<(Order, Vec<Order>), Error> {
    let now = tx.now();
    let filled = order.quantity - placed.rest;
    let total: Usdt = placed.fills.iter().map(|f| f.cost).sum();
    let maker_of = |id: PyxOrderId| makers.iter().find(|m| m.id == id.0);
    let people: BTreeSet<UserId> = placed
        .fills
        .iter()
        .filter_map(|f| maker_of(f.maker).map(Order::owner))
        .chain(std::iter::once(taker.user))
        .collect();
    settle::lock(tx, people).await?;
    let in_field = |error: Error| match error.error_code() {
        ErrorCode::BalanceInsufficient => error.field("quantity", ErrorCode::BalanceInsufficient),
        _ => error,
    };
    let waits = placed.rest.is_positive() && placed.end.is_none();
    let hold = if waits {
        let (id, side, version) = (taker.id, taker.side, taker.settings_version);
        let aside = settle::set_aside(tx, id, taker.user, side, order.price, placed.rest, version).await;
        Some(aside.map_err(in_field)?)
    } else {
        None
    };
    let status = if placed.rest.is_zero() {
        PyxOrderStatus::Filled
    } else if waits {
        PyxOrderStatus::Open
    } else {
        PyxOrderStatus::Cancelled
    };
    let new = NewOrder {
        id: taker.id,
        user: taker.user,
        side: taker.side,
        price: order.price,
        quantity: order.quantity,
        filled,
        total,
        status,
        end: placed.end.filter(|_| status == PyxOrderStatus::Cancelled),
        hold,
        settings_version: taker.settings_version,
    };
    let stored = store::insert(tx.conn(), &new, now).await?;
    let mut changed = Vec::with_capacity(placed.fills.len());
    for fill in &placed.fills {
        let maker = maker_of(fill.maker).ok_or_else(|| Error::internal("a trade with nobody"))?;
        changed.push(settle::trade(tx, taker, maker, fill).await.map_err(in_field)?);
    }
    if taker.side == PyxSide::Buy {
        let aside = if waits {
            settle::worth(placed.rest, order.price)?
        } else {
            Usdt::ZERO
        };
        guard::require_aged(tx, taker.user, total + aside).await?;
    }
    Ok((stored, changed))
}

/// Tells the owners of orders what became of them, and of their PYX.
async fn tell(tx: &mut Tx, orders: &[Order]) -> Result<(), Error> {
    let people: BTreeSet<UserId> = orders.iter().map(Order::owner).collect();
    for order in orders {
        tx.emit(
            StreamId::User(order.owner()),
            LiveEvent::OrderChanged {
                order: Box::new(order.view()?),
            },
        );
    }
    for person in people {
        vested::tell(tx, person).await?;
    }
    Ok(())
}

/// Takes an open order back; what was filled of it stays filled.
///
/// # Errors
/// `order.unknown`, `order.done`.
pub async fn cancel(tx: &mut Tx, user: UserId, id: PyxOrderId) -> Result<PyxOrderView, Error> {
    store::lock_book(tx.conn()).await?;
    let order = store::find(tx.conn(), Scope::Own(user), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::OrderUnknown))?;
    if order.hold.is_none() {
        return Err(Error::code(ErrorCode::OrderDone));
    }
    let ended = settle::end(tx, &order, PyxOrderEnd::Owner, Orderer::User(user)).await?;
    audit::record(
        tx,
        Some(user),
        Some(id.0),
        Category::Money,
        "order.cancel",
        json!({ "filled": Pyx(order.filled) }),
    )
    .await?;
    let view = ended.view()?;
    tell(tx, &[ended]).await?;
    Ok(view)
}

/// A credit is taken back: the person's open orders to buy end first (domain.md §2).
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel_unsent(tx: &mut Tx, owner: UserId) -> Result<Vec<Uuid>, Error> {
    store::lock_book(tx.conn()).await?;
    let mut ended = Vec::new();
    for order in store::open_buys(tx.conn(), owner).await? {
        ended.push(settle::end(tx, &order, PyxOrderEnd::Reversal, Orderer::System).await?);
    }
    tell(tx, &ended).await?;
    Ok(settle::ids(&ended))
}

/// The market now.
///
/// # Errors
/// Whatever the database refuses.
pub async fn market(context: &Context) -> Result<PyxMarket, Error> {
    let now = context.now();
    let pool = context.db.pool();
    let rounds = rounds::agreed_rounds(pool).await?;
    let traded = store::traded(pool, now - Duration::DAY).await?;
    let in_force = context.settings.current(now).await?;
    let reference = reference(&traded, &rounds, now);
    let band = reference.map(|r| book::band(r, in_force.settings.pyx_band));
    Ok(PyxMarket {
        open: is_open(&rounds, now),
        book: store::depth(pool, LEVELS).await?,
        reference,
        low: band.map(|b| b.0),
        high: band.map(|b| b.1),
        tick: TICK,
        lot: LOT,
        last: traded.last.map(Usdt),
        day_first: traded.first.map(Usdt),
        day_quantity: Pyx(traded.quantity),
    })
}

/// Trades, the latest first, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn trades(context: &Context, paging: &Paging) -> Result<(Vec<PyxTradeView>, i64), Error> {
    store::trades(context.db.pool(), 0, paging.limit, paging.offset).await
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
