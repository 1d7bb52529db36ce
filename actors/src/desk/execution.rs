//! What an operation really brings (docs/rules/desk.md#execution): pure.
//!
//! Legs fill at the quotes `latency_ms` after the decision, not at those that made it, so a result can be a loss. Each leg
//! takes what the previous one got. What a leg cannot take, because the depth went, the quote is stale or missing, or the
//! venue refuses, is brought back along the way it came at the latest known prices less a haircut, in the same operation;
//! the loss is booked. Dust that no unit of a price can buy stays where it is and counts as nothing.
//!
//! Every amount is exact: a buy costs its price rounded up to 10⁻⁸, a sale brings it rounded down, the fee is taken from
//! what is received and rounded up. So a result can be recomputed from the recorded fills alone ([`recompute`]).

use super::{
    cycles::{Cycle, Leg, Side},
    market::{AMOUNT_PER_MICRO, AssetId, InstrumentId, Market, PPM, PRICE_ONE, Price, Quantity, Quote},
};
use protocol::money::Usdt;

/// Price and quantity of one step of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    pub price: Price,
    pub quantity: Quantity,
}

/// One fill at one price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    pub instrument: InstrumentId,
    pub side: Side,
    pub price: Price,
    /// Of the base asset.
    pub quantity: Quantity,
    /// Of the asset received: base when buying, quote when selling.
    pub fee: Quantity,
    /// Brings back what a later leg could not take.
    pub unwinding: bool,
}

impl Fill {
    fn given(&self) -> i128 {
        match self.side {
            Side::Buy => worth(self.quantity.0.into(), self.price, Up),
            Side::Sell => self.quantity.0.into(),
        }
    }
    fn received(&self) -> i128 {
        let gross = match self.side {
            Side::Buy => self.quantity.0.into(),
            Side::Sell => worth(self.quantity.0.into(), self.price, Down),
        };
        gross - i128::from(self.fee.0)
    }
    /// Symbol of the asset that the fill brings, in which its fee is.
    #[must_use]
    pub fn received_asset<'a>(&self, market: &'a Market) -> &'a str {
        ends(market, self.instrument, self.side).map_or("?", |(_, received)| market.asset_name(received))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Up,
    Down,
}
use Rounding::{Down, Up};

pub(super) fn divide(over: i128, under: i128, rounding: Rounding) -> i128 {
    let floor = over.div_euclid(under);
    if rounding == Up && floor * under != over {
        floor + 1
    } else {
        floor
    }
}

/// Quote amount of a base quantity.
pub(super) fn worth(quantity: i128, price: Price, rounding: Rounding) -> i128 {
    divide(quantity * i128::from(price.0), i128::from(PRICE_ONE), rounding)
}

fn units(amount: i128) -> Quantity {
    Quantity(i64::try_from(amount).unwrap_or(i64::MAX))
}

/// Circumstances of the fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionRules {
    /// Millionths by which a forced return is worse than the latest known price.
    pub haircut_ppm: i64,
}

impl Default for ExecutionRules {
    fn default() -> Self {
        Self { haircut_ppm: 500 }
    }
}

/// What the market offers at the moment of the fills.
pub trait Prices {
    /// The quote that may be traded on; none when stale or missing.
    fn fresh(&self, instrument: InstrumentId) -> Option<Quote>;
    /// The latest known one, however old.
    fn latest(&self, instrument: InstrumentId) -> Option<Quote>;
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    pub fills: Vec<Fill>,
    /// USDT that went into the first leg.
    pub volume: Usdt,
    /// Fees of all fills in USDT at the fills' own prices, rounded up; for information, already inside the result.
    pub fees: Usdt,
    pub result: Usdt,
}

/// Fills `size` along the cycle. `refused` tells for each leg whether its venue turns the order down.
#[must_use]
pub fn execute(
    market: &Market,
    cycle: &Cycle,
    size: Usdt,
    prices: &impl Prices,
    refused: &[bool],
    rules: &ExecutionRules,
) -> Executed {
    let legs: Vec<Leg> = cycle.legs().collect();
    let mut run = Run {
        market,
        prices,
        rules,
        fills: Vec::new(),
    };
    let start = i128::from(size.0.max(0)) * i128::from(AMOUNT_PER_MICRO);
    let mut holding = start;
    let mut volume = 0;
    let mut back = 0;
    for (step, leg) in legs.iter().enumerate() {
        let offered = if refused.get(step).copied().unwrap_or(false) {
            None
        } else {
            prices.fresh(leg.instrument)
        };
        let levels = offered.map(|quote| level(leg.side, &quote));
        let (used, got) = run.leg(*leg, holding, levels.as_slice(), false);
        if step == 0 {
            // What the first leg does not take never left the robots' hands.
            volume = used;
        } else {
            back += run.bring_back(legs.get(..step).unwrap_or(&[]), holding - used);
        }
        holding = got;
        if holding == 0 {
            break;
        }
    }
    let fills = run.fills;
    let result = divide(back + holding - volume, i128::from(AMOUNT_PER_MICRO), Down);
    Executed {
        fees: fees(market, cycle, &fills),
        volume: Usdt(i64::try_from(divide(volume, i128::from(AMOUNT_PER_MICRO), Up)).unwrap_or(i64::MAX)),
        result: Usdt(i64::try_from(result).unwrap_or(i64::MIN)),
        fills,
    }
}

pub(super) fn level(side: Side, quote: &Quote) -> Level {
    match side {
        Side::Buy => Level {
            price: quote.ask,
            quantity: quote.ask_quantity,
        },
        Side::Sell => Level {
            price: quote.bid,
            quantity: quote.bid_quantity,
        },
    }
}

struct Run<'a, P> {
    market: &'a Market,
    prices: &'a P,
    rules: &'a ExecutionRules,
    fills: Vec<Fill>,
}

impl<P: Prices> Run<'_, P> {
    /// Trades up to `holding` against the levels, best first; what was given and what was got, net of fees.
    fn leg(&mut self, leg: Leg, holding: i128, levels: &[Level], unwinding: bool) -> (i128, i128) {
        let (mut given, mut got) = (0, 0);
        for level in levels {
            let left = holding - given;
            let most = i128::from(level.quantity.0.max(0));
            let quantity = match leg.side {
                Side::Sell => left.min(most),
                // The largest quantity whose cost, rounded up, the holding pays.
                Side::Buy => (left * i128::from(PRICE_ONE) / i128::from(level.price.0.max(1))).min(most),
            };
            if quantity <= 0 {
                continue;
            }
            let mut fill = Fill {
                instrument: leg.instrument,
                side: leg.side,
                price: level.price,
                quantity: units(quantity),
                fee: Quantity(0),
                unwinding,
            };
            fill.fee = units(divide(
                fill.received() * i128::from(self.market.fee_ppm(leg.instrument)),
                i128::from(PPM),
                Up,
            ));
            given += fill.given();
            got += fill.received();
            self.fills.push(fill);
        }
        (given, got)
    }

    /// Returns what a leg left over to the start, backwards along the legs already done. Depth is no bound here: the
    /// haircut stands for the deeper, worse levels that a market order eats.
    fn bring_back(&mut self, done: &[Leg], mut amount: i128) -> i128 {
        for leg in done.iter().rev() {
            if amount <= 0 {
                return 0;
            }
            let back = Leg {
                side: leg.side.opposite(),
                ..*leg
            };
            let Some(quote) = self.prices.latest(leg.instrument) else {
                return 0;
            };
            let known = level(back.side, &quote).price;
            let worse = match back.side {
                Side::Sell => PPM - self.rules.haircut_ppm,
                Side::Buy => PPM + self.rules.haircut_ppm,
            };
            let price = i128::from(known.0) * i128::from(worse) / i128::from(PPM);
            let price = Price(i64::try_from(price).unwrap_or(i64::MAX).max(1));
            let (_, got) = self.leg(
                back,
                amount,
                &[Level {
                    price,
                    quantity: Quantity(i64::MAX),
                }],
                true,
            );
            amount = got;
        }
        amount.max(0)
    }
}

fn ends(market: &Market, instrument: InstrumentId, side: Side) -> Option<(AssetId, AssetId)> {
    let i = market.get(instrument)?;
    Some(if side == Side::Buy {
        (i.quote, i.base)
    } else {
        (i.base, i.quote)
    })
}

/// Fees of all fills in the settlement asset: each valued by the fill of the same operation that trades its asset for it.
fn fees(market: &Market, cycle: &Cycle, fills: &[Fill]) -> Usdt {
    let settlement = cycle
        .legs()
        .next()
        .and_then(|l| ends(market, l.instrument, l.side))
        .map(|(from, _)| from);
    let mut sum = 0i128;
    for fill in fills {
        let Some((_, received)) = ends(market, fill.instrument, fill.side) else {
            continue;
        };
        let fee = i128::from(fill.fee.0);
        if Some(received) == settlement {
            sum += fee;
            continue;
        }
        let valued = fills.iter().find_map(|f| {
            let i = market.get(f.instrument)?;
            if i.base == received && Some(i.quote) == settlement {
                Some(worth(fee, f.price, Up))
            } else if i.quote == received && Some(i.base) == settlement {
                Some(divide(
                    fee * i128::from(PRICE_ONE),
                    i128::from(f.price.0.max(1)),
                    Up,
                ))
            } else {
                None
            }
        });
        sum += valued.unwrap_or(0);
    }
    Usdt(i64::try_from(divide(sum, i128::from(AMOUNT_PER_MICRO), Up)).unwrap_or(i64::MAX))
}

/// The result of recorded fills, from nothing but themselves: what `settlement` they brought less what they took, floored.
#[must_use]
pub fn recompute(market: &Market, settlement: AssetId, fills: &[Fill]) -> Usdt {
    let mut sum = 0i128;
    for fill in fills {
        let Some((given, received)) = ends(market, fill.instrument, fill.side) else {
            continue;
        };
        if given == settlement {
            sum -= fill.given();
        }
        if received == settlement {
            sum += fill.received();
        }
    }
    Usdt(i64::try_from(divide(sum, i128::from(AMOUNT_PER_MICRO), Down)).unwrap_or(i64::MIN))
}

/// Average price of selling or buying `want` into a book, floored; and how much of it the book could take.
#[must_use]
pub fn walk(levels: &[Level], want: Quantity) -> (Price, Quantity) {
    let (mut filled, mut value) = (0i128, 0i128);
    for level in levels {
        let quantity = (i128::from(want.0) - filled).min(level.quantity.0.into()).max(0);
        filled += quantity;
        value += quantity * i128::from(level.price.0);
    }
    let average = if filled == 0 { 0 } else { value / filled };
    (Price(i64::try_from(average).unwrap_or(i64::MAX)), units(filled))
}

#[cfg(test)]
mod tests;
