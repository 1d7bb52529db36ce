//! Placing and cancelling orders.

use super::{
    matching::{self, Met},
    settle::{self, Taker},
    store::{self, Entered, Moved, NewOrder, Order, Record},
};
use crate::{
    approvals::guard::{self, trading},
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        settings::{InForce, Settings},
        transaction::Tx,
    },
    identity::{
        caller::Scope,
        service::{self as identity, Purpose},
    },
    ledger::model::Orderer,
    presale::{
        rules::{
            book::{self, Incoming, LOT, TICK},
            cost,
            reference::{self, Anchors, Day, Pace},
        },
        store::{self as rounds, Round, Span},
        vested,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{PyxOrderId, SessionId, UserId},
    money::{Pyx, Usdt},
    pyx::{PyxOrderEnd, PyxOrderStatus, PyxOrderView, PyxSide},
};
use serde_json::json;
use std::collections::BTreeSet;
use time::OffsetDateTime;
use uuid::Uuid;

/// What a person orders, in which of their sessions.
#[derive(Clone, Copy)]
pub struct NewPyxOrder<'a> {
    pub user: UserId,
    pub session: SessionId,
    /// The session's first order needs it: the app's code, or the mailed one of purpose `pyx-trading`.
    pub security_code: Option<&'a str>,
    pub side: PyxSide,
    pub price: Usdt,
    pub quantity: Pyx,
}

/// `rounds`: those that were agreed.
pub(super) fn is_open(rounds: &[Span], now: OffsetDateTime) -> bool {
    let runs = |r: &Span| r.starts_at <= now && now < r.ends_at;
    rounds.iter().any(|r| r.ends_at <= now) && !rounds.iter().any(runs)
}

fn refuse(field: &'static str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

fn check(order: &NewPyxOrder<'_>) -> Result<(), Error> {
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

/// The price of the round that ended last: what the book begins with.
fn last_round(rounds: &[Span], now: OffsetDateTime) -> Option<Usdt> {
    rounds
        .iter()
        .filter(|r| r.ends_at <= now)
        .max_by_key(|r| r.ends_at)
        .map(|r| r.price)
}

/// The anchors as they stand: of the stored days, else the last round's price.
pub(super) fn anchors_of(days: &[Day], rounds: &[Span], now: OffsetDateTime) -> Option<Anchors> {
    let first = reference::first_day(business_day::of(now));
    Anchors::of(days, first).or_else(|| last_round(rounds, now).map(Anchors::at))
}

/// Rounds as far as the book looks at them.
pub(super) fn spans(rounds: &[Round]) -> Vec<Span> {
    rounds.iter().map(Span::from).collect()
}

/// The days that anchors come from.
async fn days(tx: &mut Tx) -> Result<Vec<Day>, Error> {
    let first = reference::first_day(business_day::of(tx.now()));
    store::reference_days(tx.conn(), first).await
}

/// A session's first order gives a code; later ones need none.
async fn open_session(context: &Context, tx: &mut Tx, order: &NewPyxOrder<'_>) -> Result<(), Error> {
    let account = identity::account_within(tx, order.user).await?;
    let purpose = Purpose::PyxTrading;
    let binding = guard::binding(purpose, "", "");
    let code = order.security_code.unwrap_or_default();
    identity::check_factor(context, &account, purpose, &binding, code)
        .await?
        .consume(tx)
        .await?;
    let now = tx.now();
    store::open_session(tx.conn(), order.session, now).await?;
    audit::record(
        tx,
        Some(order.user),
        Some(order.session.0),
        Category::Money,
        "order.session",
        json!({}),
    )
    .await
}

/// The book as an order finds it.
struct Opened {
    latest: Option<Day>,
    anchors: Anchors,
}

/// Takes the book's lock, in a session that may trade.
async fn enter(context: &Context, tx: &mut Tx, order: &NewPyxOrder<'_>) -> Result<Entered, Error> {
    let first = reference::first_day(business_day::of(tx.now()));
    if let Some(entered) = store::enter(tx.conn(), order.session, order.user, first).await? {
        return Ok(entered);
    }
    // Who may not order is told so before a code is asked for.
    may_order(tx, order).await?;
    open_session(context, tx, order).await?;
    store::enter(tx.conn(), order.session, order.user, first)
        .await?
        .ok_or_else(|| Error::internal("a session that was opened may not trade"))
}

/// What stands against whoever orders, and whether the anchors bind them. Behind the book's lock it is the last word: what stops a person ends their orders behind that lock.
async fn may_order(tx: &mut Tx, order: &NewPyxOrder<'_>) -> Result<bool, Error> {
    trading::require_may_order(tx, order.user, order.side == PyxSide::Buy).await
}

/// Refuses what may not be ordered now.
fn allow(
    now: OffsetDateTime,
    order: &NewPyxOrder<'_>,
    entered: &Entered,
    bound: bool,
    settings: &Settings,
) -> Result<Opened, Error> {
    let closed = || Error::code(ErrorCode::OrderMarketClosed);
    if !is_open(&entered.rounds, now) {
        return Err(closed());
    }
    let anchors = anchors_of(&entered.days, &entered.rounds, now).ok_or_else(closed)?;
    let (low, high) = book::band(anchors.reference, settings.pyx_band);
    if order.price < low || order.price > high {
        return Err(refuse("price", ErrorCode::OrderBand)
            .with("low", low.brief())
            .with("high", high.brief()));
    }
    if bound && !anchors.is_fair(order.side, order.price) {
        return Err(refuse("price", ErrorCode::OrderReference)
            .with("buy", anchors.held_to(PyxSide::Buy).brief())
            .with("sell", anchors.held_to(PyxSide::Sell).brief()));
    }
    if entered.open_orders >= settings.pyx_open_orders {
        return Err(Error::code(ErrorCode::OrderTooMany).with("maximum", settings.pyx_open_orders));
    }
    Ok(Opened {
        latest: entered.days.first().copied(),
        anchors,
    })
}

/// Places an order: it meets what waits for it, the rest waits itself.
///
/// # Errors
/// `order.tick`, `order.lot`, `order.band`, `order.reference`, `order.loss`, `order.market_closed`, `order.too_many`, `balance.insufficient`,
/// `account.excluded`, `code.*`, `outbound.held`, `outbound.paused`, `outbound.debt`, `outbound.young`, `outbound.transaction_limit`,
/// `outbound.day_limit`.
pub async fn place(context: &Context, tx: &mut Tx, order: &NewPyxOrder<'_>) -> Result<PyxOrderView, Error> {
    check(order)?;
    let user = order.user;
    let entered = enter(context, tx, order).await?;
    let bound = may_order(tx, order).await?;
    let in_force = context.settings.within(tx).await?;
    let opened = allow(tx.now(), order, &entered, bound, &in_force.settings)?;
    let taker = Taker {
        id: PyxOrderId::fresh(),
        user,
        side: order.side,
        settings_version: in_force.version,
        anchors: opened.anchors,
    };
    let incoming = Incoming {
        owner: user,
        side: order.side,
        price: order.price,
        quantity: order.quantity,
    };
    let met = matching::find(context, tx, &taker, &incoming, &in_force.settings).await?;
    met.require_room(&taker, &in_force.settings)?;
    let moved = reference_after(tx.now(), &opened, &taker, &met, &in_force)?;
    let (stored, changed, taken) = book_all(tx, &taker, order, &met, moved).await?;
    matching::note(context, tx, &taker, &met, taken).await?;
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

/// Counts the reference anew after an order that traded: between two it stands still, so that what people see is what binds them.
fn reference_after(
    now: OffsetDateTime,
    opened: &Opened,
    taker: &Taker,
    met: &Met,
    in_force: &InForce,
) -> Result<Moved, Error> {
    let settings = &in_force.settings;
    let today = business_day::of(now);
    // Another node's clock may have begun the day already.
    let last = opened.anchors.reference;
    let (day, base) = match opened.latest {
        Some(latest) if latest.day >= today => (latest.day, latest.base),
        _ => (today, last),
    };
    let traded = if met.placed.fills.is_empty() {
        Vec::new()
    } else {
        met.dealt(taker)?
    };
    let pace = Pace {
        least: settings.pyx_reference_volume,
        parts: settings.pyx_reference_move,
    };
    Ok(Moved {
        day: Day {
            day,
            base,
            price: reference::next(base, last, &traded, pace),
        },
        parts: pace.parts,
        settings_version: in_force.version,
    })
}

/// Everything that an order does: what is set aside of it, the orders that end, its trades, and the row that these name. And what it took
/// from `available`, which may be young ([`matching::note`]).
async fn book_all(
    tx: &mut Tx,
    taker: &Taker,
    order: &NewPyxOrder<'_>,
    met: &Met,
    reference: Moved,
) -> Result<(Order, Vec<Order>, Option<Usdt>), Error> {
    let placed = &met.placed;
    let total: Usdt = placed.fills.iter().map(|f| f.cost).sum();
    let in_field = |error: Error| match error.error_code() {
        ErrorCode::BalanceInsufficient => error.field("quantity", ErrorCode::BalanceInsufficient),
        _ => error,
    };
    let waits = placed.rest.is_positive() && placed.end.is_none();
    let (id, side, version) = (taker.id, taker.side, taker.settings_version);
    let aside = waits
        .then(|| settle::aside(id, taker.user, side, order.price, placed.rest, version))
        .transpose()?;
    let booked = settle::book(tx, taker, aside, &met.ended, &met.meetings()?)
        .await
        .map_err(in_field)?;
    let status = if placed.rest.is_zero() {
        PyxOrderStatus::Filled
    } else if waits {
        PyxOrderStatus::Open
    } else {
        PyxOrderStatus::Cancelled
    };
    let new = NewOrder {
        id,
        user: taker.user,
        side,
        price: order.price,
        quantity: order.quantity,
        filled: order.quantity - placed.rest,
        total,
        status,
        end: placed.end.filter(|_| status == PyxOrderStatus::Cancelled),
        hold: booked.hold,
        settings_version: version,
    };
    let order_of: Vec<Uuid> = std::iter::once(id.0)
        .chain(booked.changes.iter().map(|change| change.id))
        .collect();
    let record = Record {
        placed: Some(new),
        changes: booked.changes,
        trades: booked.trades,
        reference: Some(reference),
    };
    let now = tx.now();
    let stored = store::record(tx.conn(), &record, now).await?;
    let mut changed = settle::in_order(stored, order_of.into_iter())?.into_iter();
    let stored = changed.next();
    let stored = stored.ok_or_else(|| Error::internal("an order was not stored"))?;
    let taken = match side {
        PyxSide::Buy if waits => Some(total + settle::worth(placed.rest, order.price)?),
        PyxSide::Buy => Some(total),
        PyxSide::Sell => None,
    };
    Ok((stored, changed.collect(), taken))
}

/// Tells the owners of orders what became of them, and of their PYX.
async fn tell(tx: &mut Tx, orders: &[Order]) -> Result<(), Error> {
    let people: BTreeSet<UserId> = orders.iter().map(Order::owner).collect();
    let people: Vec<UserId> = people.into_iter().collect();
    for order in orders {
        tx.emit(
            StreamId::User(order.owner()),
            LiveEvent::OrderChanged {
                order: Box::new(order.view()?),
            },
        );
    }
    vested::tell_all(tx, &people).await
}

/// Takes an open order back; what was filled of it stays filled.
///
/// # Errors
/// `order.unknown`, `order.done`.
pub async fn cancel(tx: &mut Tx, user: UserId, id: PyxOrderId) -> Result<PyxOrderView, Error> {
    lock(tx).await?;
    let order = store::find(tx.conn(), Scope::Own(user), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::OrderUnknown))?;
    if order.hold.is_none() {
        return Err(Error::code(ErrorCode::OrderDone));
    }
    let ended = settle::end(
        tx,
        std::slice::from_ref(&order),
        PyxOrderEnd::Owner,
        Orderer::User(user),
    )
    .await?;
    audit::record(
        tx,
        Some(user),
        Some(id.0),
        Category::Money,
        "order.cancel",
        json!({ "filled": Pyx(order.filled) }),
    )
    .await?;
    let view = ended.first().map(Order::view);
    tell(tx, &ended).await?;
    view.ok_or_else(|| Error::internal("an order was not stored"))?
}

/// Takes the book's lock: before any of a person's limits, and those before any of the ledger's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx) -> Result<(), Error> {
    store::lock_book(tx.conn()).await
}

/// A person's whitelist or a limit of theirs came on: their open orders that are not at the anchors or better end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn end_off_reference(tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    lock(tx).await?;
    let now = tx.now();
    let rounds = spans(&rounds::agreed_rounds(tx.conn()).await?);
    let days = days(tx).await?;
    let Some(anchors) = anchors_of(&days, &rounds, now) else {
        return Ok(());
    };
    let unfair = store::open_unfair(tx.conn(), owner, anchors).await?;
    let ended = settle::end(tx, &unfair, PyxOrderEnd::Guarded, Orderer::System).await?;
    tell(tx, &ended).await
}

/// A protection of the person was loosened in a session: all others give a code before they trade again.
///
/// # Errors
/// Whatever the database refuses.
pub async fn close_other_sessions(tx: &mut Tx, owner: UserId, session: SessionId) -> Result<(), Error> {
    store::close_other_sessions(tx.conn(), owner, session).await
}

/// A credit is taken back: the person's open orders to buy end first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel_unsent(tx: &mut Tx, owner: UserId) -> Result<Vec<Uuid>, Error> {
    lock(tx).await?;
    let buys = store::open_buys(tx.conn(), owner).await?;
    let ended = settle::end(tx, &buys, PyxOrderEnd::Reversal, Orderer::System).await?;
    tell(tx, &ended).await?;
    Ok(settle::ids(&ended))
}
