//! The book PYX/USDT: price before time. Prices in ticks and quantities in lots make every cost exact to the micro-unit.
//!
//! Orders of two people who are kept apart pass each other by: the incoming one goes on to the next, and may come to wait at a price that
//! crosses the other's. Both stay good for everybody else, each at its own price, so the book crosses itself between such two alone.

use super::cost;
use protocol::{
    ids::{PyxOrderId, UserId},
    money::{Pyx, Usdt},
    pyx::{PyxOrderEnd, PyxSide},
};

/// The step of prices: 0.0001 USDT.
pub const TICK: Usdt = Usdt(100);
/// The step of quantities: 0.01 PYX.
pub const LOT: Pyx = Pyx(10_000);
/// One order meets at most so many: it holds the book's lock for all of them (a hundred took 2.75 s, 2026-11-26). What is left of
/// it then ends.
pub const MOST_FILLS: usize = 25;

/// An order that waits in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resting {
    pub id: PyxOrderId,
    pub owner: UserId,
    pub price: Usdt,
    /// What of it is not filled.
    pub rest: Pyx,
}

/// An order that comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming {
    pub owner: UserId,
    pub side: PyxSide,
    pub price: Usdt,
    pub quantity: Pyx,
}

/// Two orders meet, at the price of the one that was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    pub maker: PyxOrderId,
    pub price: Usdt,
    pub quantity: Pyx,
    pub cost: Usdt,
}

/// What became of an incoming order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    pub fills: Vec<Fill>,
    /// What is left of it.
    pub rest: Pyx,
    /// Why what is left does not wait in the book.
    pub end: Option<PyxOrderEnd>,
}

/// Whether an order of this side and price would take one that waits at that price.
#[must_use]
pub fn crosses(side: PyxSide, price: Usdt, resting: Usdt) -> bool {
    match side {
        PyxSide::Buy => resting <= price,
        PyxSide::Sell => resting >= price,
    }
}

/// Lets an order meet those of the other side, which come best price first, of one price the earliest first. Those of people whom its
/// owner is kept apart from are passed by.
#[must_use]
pub fn place(
    order: &Incoming,
    makers: impl IntoIterator<Item = Resting>,
    apart: impl Fn(UserId) -> bool,
) -> Placed {
    let mut placed = Placed {
        rest: order.quantity,
        ..Placed::default()
    };
    for maker in makers {
        if placed.rest.is_zero() || !crosses(order.side, order.price, maker.price) {
            break;
        }
        if apart(maker.owner) {
            continue;
        }
        if maker.owner == order.owner {
            placed.end = Some(PyxOrderEnd::SelfTrade);
            break;
        }
        if placed.fills.len() >= MOST_FILLS {
            placed.end = Some(PyxOrderEnd::Limit);
            break;
        }
        let quantity = placed.rest.min(maker.rest);
        // Neither can outgrow the order's own cost, which was checked.
        let Some(cost) = cost(quantity, maker.price) else {
            break;
        };
        placed.fills.push(Fill {
            maker: maker.id,
            price: maker.price,
            quantity,
            cost,
        });
        placed.rest -= quantity;
    }
    placed
}

/// The lowest and the highest price that orders may have: so many parts per million around a reference, in ticks.
#[must_use]
pub fn band(reference: Usdt, parts: i64) -> (Usdt, Usdt) {
    const WHOLE: i64 = 1_000_000;
    let up = |units: i64| units.saturating_add(TICK.0 - 1).div_euclid(TICK.0) * TICK.0;
    let down = |units: i64| units.div_euclid(TICK.0) * TICK.0;
    let low = reference
        .mul_div_ceil((WHOLE - parts).max(0), WHOLE)
        .unwrap_or(TICK);
    let high = reference
        .mul_div_floor(WHOLE.saturating_add(parts), WHOLE)
        .unwrap_or(reference);
    let low = Usdt(up(low.0)).max(TICK);
    (low, Usdt(down(high.0)).max(low))
}

#[cfg(test)]
mod tests;
