//! What orders do to the books: setting aside, meeting, giving back.

use super::store::{self, Change, NewTrade, Order};
use crate::{
    error::Error,
    foundation::transaction::Tx,
    ledger::{
        amount::{Amount, Currency},
        model::{AccountRef, Cause, CauseKind, Leg, NewHold, Orderer, TransferKind, UserAccount},
        service as ledger,
    },
    presale::rules::{
        book::{Fill, LOT},
        cost,
        reference::Anchors,
    },
};
use protocol::{
    ErrorCode,
    ids::{HoldId, PyxOrderId, PyxTradeId, UserId},
    money::{Pyx, Usdt},
    pyx::{PyxOrderEnd, PyxOrderStatus, PyxSide},
};
use uuid::Uuid;

const fn account(user: UserId, which: UserAccount) -> AccountRef {
    AccountRef::User(user, which)
}

/// What a price times a quantity is; bounded when the order came in.
pub(super) fn worth(quantity: Pyx, price: Usdt) -> Result<Usdt, Error> {
    cost(quantity, price).ok_or_else(|| Error::internal("an order whose cost cannot be counted"))
}

/// Sets aside what an order, or the rest of one, may take.
pub(super) async fn set_aside(
    tx: &mut Tx,
    id: PyxOrderId,
    user: UserId,
    side: PyxSide,
    price: Usdt,
    rest: Pyx,
    settings_version: i32,
) -> Result<HoldId, Error> {
    let (from, amount) = match side {
        PyxSide::Buy => (
            account(user, UserAccount::Available),
            Amount::from(worth(rest, price)?),
        ),
        PyxSide::Sell => (account(user, UserAccount::Pyx), Amount::from(rest)),
    };
    let held = ledger::hold(
        tx,
        NewHold {
            from,
            amount,
            // What is left of an order is set aside once for each rest.
            key: format!("pyx_order:{id}:{}", rest.0 / LOT.0),
            cause: Cause::new(CauseKind::Order, id.0),
            orderer: Orderer::User(user),
            settings_version,
            expires_at: None,
        },
    )
    .await?;
    Ok(held.id)
}

/// Everybody's accounts that a run of trades moves, locked in their order before the first of them.
pub(super) async fn lock(tx: &mut Tx, people: impl IntoIterator<Item = UserId>) -> Result<(), Error> {
    let accounts: Vec<(AccountRef, Currency)> = people
        .into_iter()
        .flat_map(|user| {
            [
                (account(user, UserAccount::Available), Currency::Usdt),
                (account(user, UserAccount::Held), Currency::Usdt),
                (account(user, UserAccount::Debt), Currency::Usdt),
                (account(user, UserAccount::Pyx), Currency::Pyx),
                (account(user, UserAccount::PyxHeld), Currency::Pyx),
            ]
        })
        .collect();
    ledger::lock_accounts(tx, &accounts).await
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

/// Books one meeting: the taker pays or delivers at once, the maker from what it set aside; what is left of it is set aside anew.
pub(super) async fn trade(tx: &mut Tx, taker: &Taker, maker: &Order, fill: &Fill) -> Result<Order, Error> {
    let hold = HoldId(
        maker
            .hold
            .ok_or_else(|| Error::internal("an open order that holds nothing"))?,
    );
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
    let id = PyxTradeId::fresh();
    let posted = ledger::trade_hold(
        tx,
        hold,
        used,
        legs,
        Orderer::User(taker.user),
        TransferKind::PyxTrade,
        Cause::new(CauseKind::Order, maker.id),
    )
    .await?;
    let filled = Pyx(maker.filled) + fill.quantity;
    let mut change = Change {
        filled,
        total: Usdt(maker.total) + fill.cost,
        status: PyxOrderStatus::Filled,
        end: None,
        hold: None,
    };
    let rest = Pyx(maker.quantity) - filled;
    if rest.is_positive() {
        let aside = set_aside(
            tx,
            PyxOrderId(maker.id),
            other,
            maker.side()?,
            Usdt(maker.price),
            rest,
            taker.settings_version,
        )
        .await;
        match aside {
            Ok(hold) => (change.status, change.hold) = (PyxOrderStatus::Open, Some(hold)),
            // What came back repaid a debt first: the order ends with what it got.
            Err(error) if error.error_code() == ErrorCode::BalanceInsufficient => {
                (change.status, change.end) = (PyxOrderStatus::Cancelled, Some(PyxOrderEnd::Debt));
            }
            Err(error) => return Err(error),
        }
    }
    let now = tx.now();
    let (buy_order, sell_order, buyer, seller) = match taker.side {
        PyxSide::Buy => (taker.id.0, maker.id, taker.user, other),
        PyxSide::Sell => (maker.id, taker.id.0, other, taker.user),
    };
    let row = NewTrade {
        id,
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
        transfer: posted.id,
    };
    store::insert_trade(tx.conn(), &row, now).await?;
    store::change(tx.conn(), maker.id, &change, now).await
}

/// Ends an open order: what it set aside goes back.
pub(super) async fn end(
    tx: &mut Tx,
    order: &Order,
    why: PyxOrderEnd,
    orderer: Orderer,
) -> Result<Order, Error> {
    let hold = order
        .hold
        .ok_or_else(|| Error::internal("an open order that holds nothing"))?;
    ledger::void_hold(tx, HoldId(hold), orderer).await?;
    let now = tx.now();
    let change = Change {
        filled: Pyx(order.filled),
        total: Usdt(order.total),
        status: PyxOrderStatus::Cancelled,
        end: Some(why),
        hold: None,
    };
    store::change(tx.conn(), order.id, &change, now).await
}

/// Ids as rows have them.
pub(super) fn ids(orders: &[Order]) -> Vec<Uuid> {
    orders.iter().map(|o| o.id).collect()
}
