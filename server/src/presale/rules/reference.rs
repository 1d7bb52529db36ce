//! The reference of the book and its anchors: what the band, bound orders and losses are counted from. Whole numbers only.
//!
//! Whoever trades moves the reference, so it is no witness against them: it follows only many people, each of little weight, and what a
//! bound order may cost hangs on its slow anchors as well, which no trade of today moves.

use protocol::{
    ids::UserId,
    money::{Pyx, Usdt},
    pyx::PyxSide,
};
use std::collections::BTreeMap;
use time::{Date, Duration};

/// The whole, in parts per million.
const WHOLE: i64 = 1_000_000;
/// Pairs of people who must have traded. Neither a pair nor a person counts for more than so manieth a part of the least volume, so it
/// takes at least so many pairs and twice as many people, whatever they trade.
const PAIRS: i128 = 3;
/// Business days, today with them, whose openings are anchors.
const ANCHOR_DAYS: i64 = 7;

/// What one person bought from another in the last 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traded {
    pub buyer: UserId,
    pub seller: UserId,
    pub cost: Usdt,
    pub quantity: Pyx,
}

/// How the reference follows trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Below this volume it stands still.
    pub least: Usdt,
    /// The most that it moves in a business day, in parts per million of where the day before left it.
    pub parts: i64,
}

/// A business day of the reference: where it began, and where it stands or was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    pub day: Date,
    pub base: Usdt,
    pub price: Usdt,
}

/// The reference of the moment with the lowest and the highest of itself and of the last days' openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchors {
    pub reference: Usdt,
    pub lowest: Usdt,
    pub highest: Usdt,
}

/// The first business day whose opening is an anchor.
#[must_use]
pub fn first_day(today: Date) -> Date {
    today.saturating_sub(Duration::days(ANCHOR_DAYS - 1))
}

impl Anchors {
    /// A book without a day yet: all is at one price.
    #[must_use]
    pub const fn at(price: Usdt) -> Self {
        Self {
            reference: price,
            lowest: price,
            highest: price,
        }
    }

    /// From the stored days, the latest first: those from the first that counts on, and the one before them, whose end is where the
    /// first of them began. A day without an order has no row; it begins where the one before was left.
    #[must_use]
    pub fn of(days: &[Day], first: Date) -> Option<Self> {
        let latest = days.first()?;
        let mut anchors = Self::at(latest.price);
        for day in days {
            let before = day.day < first;
            let opening = if before { day.price } else { day.base };
            anchors.lowest = anchors.lowest.min(opening);
            anchors.highest = anchors.highest.max(opening);
            if before {
                break;
            }
        }
        Some(anchors)
    }

    /// What a side is held to: the worst of all for whoever would have it trade badly.
    #[must_use]
    pub const fn held_to(&self, side: PyxSide) -> Usdt {
        match side {
            PyxSide::Buy => self.lowest,
            PyxSide::Sell => self.highest,
        }
    }

    /// Whether a price is at the anchor or better for whoever orders.
    #[must_use]
    pub fn is_fair(&self, side: PyxSide, price: Usdt) -> bool {
        is_fair(side, price, self.held_to(side))
    }

    /// What a side loses at a price, rounded up; nothing at its anchor or better. None when it cannot be counted.
    #[must_use]
    pub fn lost(&self, side: PyxSide, price: Usdt, quantity: Pyx) -> Option<Usdt> {
        lost(side, price, self.held_to(side), quantity)
    }
}

/// The lowest and the highest that the reference may be on a day which began at `base`.
#[must_use]
pub fn bounds(base: Usdt, parts: i64) -> (Usdt, Usdt) {
    let parts = parts.clamp(0, WHOLE);
    let low = base.mul_div_ceil(WHOLE - parts, WHOLE).unwrap_or(base);
    let high = base.mul_div_floor(WHOLE + parts, WHOLE).unwrap_or(base);
    (low.max(Usdt(1)), high.max(Usdt(1)))
}

/// What of a pair's trades counts.
struct Counted {
    cost: i128,
    quantity: i128,
}

/// What of each pair's trades counts: no pair more than its part of the least volume, then nobody's pairs together more than that.
fn counted(traded: &[Traded], least: Usdt) -> BTreeMap<[UserId; 2], Counted> {
    let most = (i128::from(least.0.max(1)) + PAIRS - 1) / PAIRS;
    let mut pairs: BTreeMap<[UserId; 2], Counted> = BTreeMap::new();
    for one in traded {
        let mut people = [one.buyer, one.seller];
        people.sort_unstable();
        let pair = pairs.entry(people).or_insert(Counted { cost: 0, quantity: 0 });
        pair.cost += i128::from(one.cost.0);
        pair.quantity += i128::from(one.quantity.0);
    }
    pairs.retain(|_, pair| pair.cost > 0);
    let mut people: BTreeMap<UserId, i128> = BTreeMap::new();
    for (pair, all) in &pairs {
        for person in pair {
            *people.entry(*person).or_default() += all.cost.min(most);
        }
    }
    for (pair, all) in &mut pairs {
        let busier = pair
            .iter()
            .filter_map(|person| people.get(person))
            .fold(most, |a, b| a.max(*b));
        let part = all.cost.min(most) * most / busier;
        all.quantity = all.quantity * part / all.cost;
        all.cost = part;
    }
    pairs.retain(|_, pair| pair.cost > 0);
    pairs
}

/// The average price, once enough people traded enough.
fn average(traded: &[Traded], least: Usdt) -> Option<Usdt> {
    let pairs = counted(traded, least);
    let cost: i128 = pairs.values().map(|pair| pair.cost).sum();
    let quantity: i128 = pairs.values().map(|pair| pair.quantity).sum();
    if i128::try_from(pairs.len()).ok()? < PAIRS || cost < i128::from(least.0) || quantity <= 0 {
        return None;
    }
    i64::try_from(cost * i128::from(Pyx::ONE) / quantity)
        .ok()
        .map(Usdt)
}

/// The reference after what was traded: the average price, once enough people traded enough, no further from the day's beginning than it
/// may move; otherwise the last one.
#[must_use]
pub fn next(base: Usdt, last: Usdt, traded: &[Traded], pace: Pace) -> Usdt {
    let wanted = average(traded, pace.least)
        .filter(|price| price.is_positive())
        .unwrap_or(last);
    let (low, high) = bounds(base, pace.parts);
    wanted.clamp(low, high)
}

fn is_fair(side: PyxSide, price: Usdt, anchor: Usdt) -> bool {
    match side {
        PyxSide::Buy => price <= anchor,
        PyxSide::Sell => price >= anchor,
    }
}

fn lost(side: PyxSide, price: Usdt, anchor: Usdt, quantity: Pyx) -> Option<Usdt> {
    if is_fair(side, price, anchor) {
        return Some(Usdt::ZERO);
    }
    let apart = price.0.abs_diff(anchor.0);
    Usdt(i64::try_from(apart).ok()?).mul_div_ceil(quantity.0, Pyx::ONE)
}

#[cfg(test)]
mod tests;
