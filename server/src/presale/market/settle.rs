//! What orders do to the books: setting aside, meeting, giving back.

use super::store::{self, Change, NewTrade, Order, Record};
use crate::{
    error::Error,
    foundation::transaction::Tx,
    ledger::{
        amount::{Amount, Currency},
        model::{AccountRef, Cause, CauseKind, Leg, NewHold, Orderer, TransferKind, UserAccount},
        rules::Refusal,
        service::{self as ledger, Move},
    },
    presale::rules::{
        book::{Fill, LOT},
        cost,
        reference::Anchors,
    },
};
use protocol::{
    ids::{HoldId, PyxOrderId, PyxTradeId, TransferId, UserId},
    money::{Pyx, Usdt},
    pyx::{PyxOrderEnd, PyxOrderStatus, PyxSide},
};
use std::collections::HashMap;
use uuid::Uuid;

const fn account(user: UserId, which: UserAccount) -> AccountRef {
    AccountRef::User(user, which)
}

/// What a price times a quantity is; bounded when the order came in.
pub(super) fn worth(quantity: Pyx, price: Usdt) -> Result<Usdt, Error> {
    cost(quantity, price).ok_or_else(|| Error::internal("an order whose cost cannot be counted"))
}

/// What sets aside what an order, or the rest of one, may take.
pub(super) fn aside(
    id: PyxOrderId,
    user: UserId,
    side: PyxSide,
    price: Usdt,
    rest: Pyx,
    settings_version: i32,
) -> Result<Move, Error> {
    let (from, amount) = match side {
        PyxSide::Buy => (
            account(user, UserAccount::Available),
            Amount::from(worth(rest, price)?),
        ),
        PyxSide::Sell => (account(user, UserAccount::Pyx), Amount::from(rest)),
    };
    Ok(Move::Aside(NewHold {
        from,
        amount,
        // What is left of an order is set aside once for each rest.
        key: format!("pyx_order:{id}:{}", rest.0 / LOT.0),
        cause: Cause::new(CauseKind::Order, id.0),
        orderer: Orderer::User(user),
        settings_version,
        expires_at: None,
    }))
}

fn hold(order: &Order) -> Result<HoldId, Error> {
    let hold = order.hold.map(HoldId);
    hold.ok_or_else(|| Error::internal("an open order that holds nothing"))
}

/// An order that comes in, as its trades need it.
#[derive(Clone, Copy)]
pub(super) struct Taker {
    pub id: PyxOrderId,
    pub user: UserId,
    pub side: PyxSide,
    pub settings_version: i32,
    /// What prices are compared with while it comes in.
    pub anchors: Anchors,
}

fn lost(side: PyxSide, anchors: Anchors, fill: &Fill) -> Result<Usdt, Error> {
    anchors
        .lost(side, fill.price, fill.quantity)
        .ok_or_else(|| Error::internal("a loss that cannot be counted"))
}

/// What an incoming order loses against the anchors by a meeting.
pub(super) fn taker_lost(taker: &Taker, fill: &Fill) -> Result<Usdt, Error> {
    lost(taker.side, taker.anchors, fill)
}

/// What the order that waited loses by it.
pub(super) fn maker_lost(maker: &Order, anchors: Anchors, fill: &Fill) -> Result<Usdt, Error> {
    lost(maker.side()?, anchors, fill)
}

/// One meeting: the taker pays or delivers at once, the maker from what it set aside; what is left of that is set aside anew.
fn meeting(taker: &Taker, maker: &Order, fill: &Fill) -> Result<(Move, Option<Move>), Error> {
    let other = maker.owner();
    let leg = |user, which, currency, units: i64| Leg {
        account: account(user, which),
        currency,
        amount: Amount(i128::from(units)),
    };
    let usdt = |user, units| leg(user, UserAccount::Available, Currency::Usdt, units);
    let pyx = |user, units| leg(user, UserAccount::Pyx, Currency::Pyx, units);
    let (used, legs) = match taker.side {
        PyxSide::Buy => (
            Amount::from(fill.quantity),
            vec![
                pyx(taker.user, fill.quantity.0),
                usdt(taker.user, -fill.cost.0),
                usdt(other, fill.cost.0),
            ],
        ),
        PyxSide::Sell => (
            Amount::from(fill.cost),
            vec![
                usdt(taker.user, fill.cost.0),
                pyx(taker.user, -fill.quantity.0),
                pyx(other, fill.quantity.0),
            ],
        ),
    };
    let trade = Move::Trade {
        hold: hold(maker)?,
        used,
        legs,
        orderer: Orderer::User(taker.user),
        kind: TransferKind::PyxTrade,
        cause: Cause::new(CauseKind::Order, maker.id),
    };
    let rest = maker.rest() - fill.quantity;
    let anew = rest.is_positive().then(|| {
        let (id, price) = (PyxOrderId(maker.id), Usdt(maker.price));
        aside(id, other, maker.side()?, price, rest, taker.settings_version)
    });
    Ok((trade, anew.transpose()?))
}

/// What an incoming order does to the books.
#[derive(Default)]
pub(super) struct Booked {
    /// What the order itself sets aside.
    pub hold: Option<HoldId>,
    pub changes: Vec<Change>,
    pub trades: Vec<NewTrade>,
}

/// Books all that an incoming order does, in this order: what it sets aside, the orders that end, its meetings one after another. It is
/// one set of the ledger's statements, whatever it meets.
pub(super) async fn book(
    tx: &mut Tx,
    taker: &Taker,
    aside: Option<Move>,
    ended: &[Order],
    meetings: &[(&Order, &Fill)],
) -> Result<Booked, Error> {
    let waits = aside.is_some();
    let mut moves: Vec<Move> = aside.into_iter().collect();
    for order in ended {
        moves.push(Move::Back(hold(order)?, Orderer::System));
    }
    let mut again = Vec::with_capacity(meetings.len());
    for (maker, fill) in meetings {
        let (trade, anew) = meeting(taker, maker, fill)?;
        again.push(anew.is_some());
        moves.push(trade);
        moves.extend(anew);
    }
    if moves.is_empty() {
        return Ok(Booked::default());
    }
    let mut outcomes = ledger::move_all(tx, moves).await?.into_iter();
    let mut next = || {
        let outcome = outcomes.next();
        outcome.ok_or_else(|| Error::internal("a movement without an outcome"))
    };
    let mut booked = Booked::default();
    if waits {
        booked.hold = next()??.hold;
    }
    for order in ended {
        next()??;
        booked.changes.push(ending(order, PyxOrderEnd::Guarded));
    }
    for ((maker, fill), again) in meetings.iter().zip(again) {
        let posted = next()??.posted;
        let mut change = Change {
            id: maker.id,
            filled: Pyx(maker.filled) + fill.quantity,
            total: Usdt(maker.total) + fill.cost,
            status: PyxOrderStatus::Filled,
            end: None,
            hold: None,
        };
        if again {
            match next()? {
                Ok(moved) => (change.status, change.hold) = (PyxOrderStatus::Open, moved.hold),
                // What came back repaid a debt first: the order ends with what it got.
                Err(Refusal::Insufficient(_)) => {
                    (change.status, change.end) = (PyxOrderStatus::Cancelled, Some(PyxOrderEnd::Debt));
                }
                Err(refusal) => return Err(refusal.into()),
            }
        }
        booked.changes.push(change);
        booked.trades.push(trade(taker, maker, fill, posted.id)?);
    }
    Ok(booked)
}

fn trade(taker: &Taker, maker: &Order, fill: &Fill, transfer: TransferId) -> Result<NewTrade, Error> {
    let other = maker.owner();
    let (buy_order, sell_order, buyer, seller) = match taker.side {
        PyxSide::Buy => (taker.id.0, maker.id, taker.user, other),
        PyxSide::Sell => (maker.id, taker.id.0, other, taker.user),
    };
    Ok(NewTrade {
        id: PyxTradeId::fresh(),
        buy_order,
        sell_order,
        buyer,
        seller,
        side: taker.side,
        price: fill.price,
        quantity: fill.quantity,
        cost: fill.cost,
        anchors: taker.anchors,
        buyer_lost: lost(PyxSide::Buy, taker.anchors, fill)?,
        seller_lost: lost(PyxSide::Sell, taker.anchors, fill)?,
        transfer,
    })
}

const fn ending(order: &Order, why: PyxOrderEnd) -> Change {
    Change {
        id: order.id,
        filled: Pyx(order.filled),
        total: Usdt(order.total),
        status: PyxOrderStatus::Cancelled,
        end: Some(why),
        hold: None,
    }
}

/// Ends open orders: what they set aside goes back. They are told in their order.
pub(super) async fn end(
    tx: &mut Tx,
    orders: &[Order],
    why: PyxOrderEnd,
    orderer: Orderer,
) -> Result<Vec<Order>, Error> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let mut moves = Vec::with_capacity(orders.len());
    for order in orders {
        moves.push(Move::Back(hold(order)?, orderer));
    }
    for outcome in ledger::move_all(tx, moves).await? {
        outcome?;
    }
    let record = Record {
        changes: orders.iter().map(|order| ending(order, why)).collect(),
        ..Record::default()
    };
    let now = tx.now();
    let changed = store::record(tx.conn(), &record, now).await?;
    in_order(changed, orders.iter().map(|order| order.id))
}

/// Stored orders in an order of their ids.
pub(super) fn in_order(stored: Vec<Order>, ids: impl Iterator<Item = Uuid>) -> Result<Vec<Order>, Error> {
    let mut found: HashMap<Uuid, Order> = stored.into_iter().map(|order| (order.id, order)).collect();
    ids.map(|id| {
        let order = found.remove(&id);
        order.ok_or_else(|| Error::internal("an order was not stored"))
    })
    .collect()
}

/// Ids as rows have them.
pub(super) fn ids(orders: &[Order]) -> Vec<Uuid> {
    orders.iter().map(|o| o.id).collect()
}
