//! Orders of one operation at a real venue, one after the other (docs/rules/desk.md#live-trading): pure.
//!
//! A triangle of one venue leaves the settlement asset through its first leg and comes back through its third. Each leg is a
//! limit order that fills at once or not at all (IOC), no worse than the quotes that decided it. What a leg leaves over is
//! then sold at market: the first asset the way it came, the second the way it was going, one order each. What is below the
//! venue's least stays behind and counts as nothing.
//!
//! [`next`] looks only at the plan and at what is known of the orders so far, so it can be asked again after any loss of
//! memory: it never wants anything while an order's fate is unknown, and the same knowledge always wants the same order.
//!
//! A commission taken in an asset that the operation does not hold (a venue's own coin) is a debt of the operation: it is
//! valued at the venue's rate, rounded up, and makes the result smaller. So is the last digit that trades, each rounded
//! against the operation, may take beyond what was held.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{money::Usdt, views::LegView};

use super::{
    cycles::Side,
    execution::{Rounding, divide, worth},
    market::{AMOUNT_PER_MICRO, PRICE_ONE, Price, Quantity},
};
use Rounding::{Down, Up};

/// One conversion with the price that decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveLeg {
    pub base: String,
    pub quote: String,
    pub side: Side,
    /// No worse than this.
    pub price: Price,
}

impl LiveLeg {
    #[must_use]
    pub fn gives(&self) -> &str {
        match self.side {
            Side::Buy => &self.quote,
            Side::Sell => &self.base,
        }
    }
    #[must_use]
    pub fn gets(&self) -> &str {
        match self.side {
            Side::Buy => &self.base,
            Side::Sell => &self.quote,
        }
    }
}

/// What a venue takes of one symbol; zero: no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Of limit orders: quantities are multiples of the step.
    pub step: Quantity,
    pub least: Quantity,
    pub most: Quantity,
    /// Of market orders, beside the others.
    pub market_step: Quantity,
    pub market_least: Quantity,
    pub market_most: Quantity,
    /// Least worth in the quote asset.
    pub notional: Quantity,
}

/// How much an order is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    Base(Quantity),
    /// A purchase at market for this much of the quote asset.
    Quote(Quantity),
}

/// One order for the venue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub leg: usize,
    pub side: Side,
    pub amount: Amount,
    /// None: at market, to bring back what is left.
    pub price: Option<Price>,
}

/// One trade of an order, as the venue tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    pub id: i64,
    pub price: Price,
    pub quantity: Quantity,
    pub commission: Quantity,
    pub commission_asset: String,
}

/// What is known of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It may be at the venue or not.
    Unknown,
    /// The venue never took it. `small`: because it is below the venue's least.
    Refused { small: bool },
    /// It is over; these are its trades, perhaps none.
    Done(Vec<Trade>),
}

/// An operation as it was decided, with what the venue's rules were then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    legs: [LiveLeg; 3],
    filters: [Filters; 3],
    size: Usdt,
}

/// What is to be done now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Order(Order),
    /// Find out about the order at this place.
    Ask(usize),
    /// Find out what one unit of this asset costs.
    Rate(String),
    Finished(Finished),
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// What went into the first leg.
    pub volume: Usdt,
    /// Commissions at the operation's own prices, rounded up; for information, already inside the result.
    pub fees: Usdt,
    pub result: Usdt,
    /// What stayed behind at no value.
    pub residues: BTreeMap<String, Quantity>,
}

/// What a plan has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no triangle of one venue that leaves one asset and comes back to it")]
pub struct NoTriangle;

impl Plan {
    /// # Errors
    /// When the legs are no triangle, or a price is none.
    pub fn new(legs: Vec<LiveLeg>, filters: Vec<Filters>, size: Usdt) -> Result<Self, NoTriangle> {
        let legs: [LiveLeg; 3] = legs.try_into().map_err(|_| NoTriangle)?;
        let filters: [Filters; 3] = filters.try_into().map_err(|_| NoTriangle)?;
        let [first, second, third] = &legs;
        let chained =
            first.gets() == second.gives() && second.gets() == third.gives() && third.gets() == first.gives();
        let assets: BTreeSet<&str> = legs.iter().map(LiveLeg::gives).collect();
        if chained && assets.len() == 3 && legs.iter().all(|l| l.price.0 > 0) {
            Ok(Self { legs, filters, size })
        } else {
            Err(NoTriangle)
        }
    }

    #[must_use]
    pub const fn legs(&self) -> &[LiveLeg; 3] {
        &self.legs
    }
    #[must_use]
    pub const fn filters(&self) -> &[Filters; 3] {
        &self.filters
    }

    fn settlement(&self) -> &str {
        let [first, ..] = &self.legs;
        first.gives()
    }

    /// What so much of an asset costs in the settlement asset, rounded up: the triangle's own at the prices that decided it,
    /// since a venue need not know a rate for what is quoted the other way round. None: its rate has to be asked.
    fn cost(&self, asset: &str, amount: i128, rates: &BTreeMap<String, Price>) -> Option<i128> {
        let [first, second, third] = &self.legs;
        let trades = match asset {
            a if a == self.settlement() => return Some(amount),
            a if a == first.gets() => first,
            a if a == second.gets() => third,
            _ => return rates.get(asset).map(|rate| worth(amount, *rate, Up)),
        };
        Some(if trades.base == asset {
            worth(amount, trades.price, Up)
        } else {
            divide(amount * i128::from(PRICE_ONE), i128::from(trades.price.0), Up)
        })
    }

    /// The order of the leg with this much to give, if the venue would take it.
    fn forward(&self, place: usize, holding: i128) -> Option<Order> {
        let (leg, filters) = (self.legs.get(place)?, self.filters.get(place)?);
        let quantity = match leg.side {
            Side::Sell => holding,
            // The largest quantity whose cost, rounded up, the holding pays.
            Side::Buy => holding.max(0) * i128::from(PRICE_ONE) / i128::from(leg.price.0),
        };
        let quantity = stepped(quantity, filters.step, filters.most);
        let fits = quantity > 0
            && quantity >= i128::from(filters.least.0)
            && worth(quantity, leg.price, Down) >= i128::from(filters.notional.0);
        fits.then_some(Order {
            leg: place,
            side: leg.side,
            amount: Amount::Base(units(quantity)),
            price: Some(leg.price),
        })
    }

    /// The market order that turns a leftover back into the settlement asset, if the venue would take it.
    fn back(&self, place: usize, asset: &str, holding: i128) -> Option<Order> {
        let (leg, f) = (self.legs.get(place)?, self.filters.get(place)?);
        if holding <= 0 {
            return None;
        }
        let most = [f.most, f.market_most].into_iter().filter(|m| m.0 > 0).min();
        let least = i128::from(f.least.0.max(f.market_least.0));
        let step = Quantity(f.step.0.max(f.market_step.0));
        let (side, amount) = if leg.base == asset {
            let quantity = stepped(holding, step, most.unwrap_or_default());
            if quantity <= 0
                || quantity < least
                || worth(quantity, leg.price, Down) < i128::from(f.notional.0)
            {
                return None;
            }
            (Side::Sell, Amount::Base(units(quantity)))
        } else {
            let bought = stepped(
                holding * i128::from(PRICE_ONE) / i128::from(leg.price.0),
                step,
                Quantity(0),
            );
            if bought <= 0 || bought < least || holding < i128::from(f.notional.0) {
                return None;
            }
            (Side::Buy, Amount::Quote(units(holding)))
        };
        Some(Order {
            leg: place,
            side,
            amount,
            price: None,
        })
    }
}

fn units(amount: i128) -> Quantity {
    Quantity(i64::try_from(amount).unwrap_or(i64::MAX))
}

fn stepped(quantity: i128, step: Quantity, most: Quantity) -> i128 {
    let quantity = if most.0 > 0 {
        quantity.min(most.0.into())
    } else {
        quantity
    };
    let step = i128::from(step.0.max(1));
    quantity.max(0) / step * step
}

/// Everything that the trades moved; the settlement asset begins at zero.
fn holdings(plan: &Plan, known: &[(Order, Fate)]) -> BTreeMap<String, i128> {
    let mut held: BTreeMap<String, i128> = BTreeMap::new();
    for (order, fate) in known {
        let (Fate::Done(trades), Some(leg)) = (fate, plan.legs.get(order.leg)) else {
            continue;
        };
        for trade in trades {
            let (base, quote) = match order.side {
                Side::Buy => (
                    i128::from(trade.quantity.0),
                    -worth(trade.quantity.0.into(), trade.price, Up),
                ),
                Side::Sell => (
                    -i128::from(trade.quantity.0),
                    worth(trade.quantity.0.into(), trade.price, Down),
                ),
            };
            *held.entry(leg.base.clone()).or_default() += base;
            *held.entry(leg.quote.clone()).or_default() += quote;
            *held.entry(trade.commission_asset.clone()).or_default() -= i128::from(trade.commission.0);
        }
    }
    held
}

/// What is to be done next. `rates`: what one unit of an asset costs in the settlement asset, where it was asked.
#[must_use]
pub fn next(plan: &Plan, known: &[(Order, Fate)], rates: &BTreeMap<String, Price>) -> Next {
    if let Some(place) = known.iter().position(|(_, fate)| *fate == Fate::Unknown) {
        return Next::Ask(place);
    }
    let held = holdings(plan, known);
    let of = |asset: &str| held.get(asset).copied().unwrap_or(0);
    if known.iter().all(|(order, _)| order.price.is_some()) {
        for (place, leg) in plan.legs.iter().enumerate() {
            if known.iter().any(|(order, _)| order.leg >= place) {
                continue;
            }
            let holding = if place == 0 {
                i128::from(plan.size.0.max(0)) * i128::from(AMOUNT_PER_MICRO)
            } else {
                of(leg.gives())
            };
            if let Some(order) = plan.forward(place, holding) {
                return Next::Order(order);
            }
            // A leg that cannot be ordered leaves nothing for those after it.
            break;
        }
    }
    let [first, second, _] = &plan.legs;
    for (place, asset) in [(0, first.gets()), (2, second.gets())] {
        let left_small = known.iter().any(|(order, fate)| {
            order.leg == place && order.price.is_none() && *fate == Fate::Refused { small: true }
        });
        if let Some(order) = plan.back(place, asset, of(asset)).filter(|_| !left_small) {
            return Next::Order(order);
        }
    }
    let mut debts = 0;
    for (asset, amount) in held.iter().filter(|(a, v)| **v < 0 && *a != plan.settlement()) {
        match plan.cost(asset, -amount, rates) {
            Some(cost) => debts += cost,
            None => return Next::Rate(asset.clone()),
        }
    }
    let (fees, missing) = fees(plan, known, rates);
    if let Some(asset) = missing {
        return Next::Rate(asset);
    }
    let volume = volume(plan, known);
    let result = divide(of(plan.settlement()) - debts, i128::from(AMOUNT_PER_MICRO), Down);
    let residues = held
        .iter()
        .filter(|(asset, amount)| *asset != plan.settlement() && **amount > 0)
        .map(|(asset, amount)| (asset.clone(), units(*amount)))
        .collect();
    Next::Finished(Finished {
        volume: micro(volume),
        fees: micro(fees),
        result: Usdt(i64::try_from(result).unwrap_or(i64::MIN)),
        residues,
    })
}

fn micro(amount: i128) -> Usdt {
    Usdt(i64::try_from(divide(amount, i128::from(AMOUNT_PER_MICRO), Up)).unwrap_or(i64::MAX))
}

/// What the first leg took of the settlement asset.
fn volume(plan: &Plan, known: &[(Order, Fate)]) -> i128 {
    let [first, ..] = &plan.legs;
    let mut sum = 0;
    for (order, fate) in known {
        if let (0, Some(_), Fate::Done(trades)) = (order.leg, order.price, fate) {
            for trade in trades {
                sum += match first.side {
                    Side::Buy => worth(trade.quantity.0.into(), trade.price, Up),
                    Side::Sell => trade.quantity.0.into(),
                };
            }
        }
    }
    sum
}

/// All commissions in the settlement asset; or the asset whose rate is missing.
fn fees(plan: &Plan, known: &[(Order, Fate)], rates: &BTreeMap<String, Price>) -> (i128, Option<String>) {
    let mut sum = 0;
    for (_, fate) in known {
        let Fate::Done(trades) = fate else { continue };
        for trade in trades.iter().filter(|t| t.commission.0 > 0) {
            match plan.cost(&trade.commission_asset, trade.commission.0.into(), rates) {
                Some(cost) => sum += cost,
                None => return (0, Some(trade.commission_asset.clone())),
            }
        }
    }
    (sum, None)
}

/// The trades as people see them.
#[must_use]
pub fn views(plan: &Plan, venue: &str, known: &[(Order, Fate)]) -> Vec<LegView> {
    let mut views = Vec::new();
    for (order, fate) in known {
        let (Fate::Done(trades), Some(leg)) = (fate, plan.legs.get(order.leg)) else {
            continue;
        };
        views.extend(trades.iter().map(|trade| LegView {
            venue: venue.to_owned(),
            symbol: format!("{}/{}", leg.base, leg.quote),
            side: order.side.as_str().to_owned(),
            price: trade.price.to_string(),
            quantity: trade.quantity.to_string(),
            fee: format!("{} {}", trade.commission, trade.commission_asset),
            // Only what is brought back is sold or bought at any price.
            unwinding: order.price.is_none(),
        }));
    }
    views
}

#[cfg(test)]
mod tests;
