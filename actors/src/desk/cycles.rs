//! Every way to leave the settlement asset and come back richer: cross-venue pairs and triangles, laid out once.
//!
//! Only cycles through the settlement asset (USDT) are laid out: a gain in another coin would be no gain that a licence's
//! accounts can hold. A cycle starts and ends there and passes it nowhere else, so each appears once per direction. Assets
//! are equal only if their symbols are: a loop from USDT to USDC is closed by a traded pair or not at all.

use super::market::{AssetId, InstrumentId, Market};
use std::fmt::Write as _;

/// Whether the base asset is bought (at the ask) or sold (at the bid).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Buy,
    Sell,
}

impl Side {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
        }
    }
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }
}

/// One conversion of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leg {
    pub instrument: InstrumentId,
    pub side: Side,
}

impl Leg {
    /// Index of the quote's side that the leg takes: bids even, asks odd.
    #[must_use]
    pub(super) const fn slot(self) -> u32 {
        self.instrument.0 * 2 + matches!(self.side, Side::Buy) as u32
    }

    /// What the leg gives and what it gets.
    fn assets(self, market: &Market) -> Option<(AssetId, AssetId)> {
        let i = market.get(self.instrument)?;
        Some(match self.side {
            Side::Buy => (i.quote, i.base),
            Side::Sell => (i.base, i.quote),
        })
    }
}

/// Two or three conversions from the settlement asset back to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cycle {
    first: Leg,
    second: Leg,
    third: Option<Leg>,
}

/// Position of a cycle in its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CycleId(pub u32);

/// What kinds of triangles are looked for; cross-venue pairs always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangles {
    /// All three legs at one venue.
    OneVenue,
    /// Also with one leg at a second venue.
    TwoVenues,
}

impl Cycle {
    pub fn legs(&self) -> impl DoubleEndedIterator<Item = Leg> + Clone + use<> {
        [Some(self.first), Some(self.second), self.third]
            .into_iter()
            .flatten()
    }

    #[must_use]
    pub const fn is_triangle(&self) -> bool {
        self.third.is_some()
    }

    pub(super) fn slots(&self, none: u32) -> [u32; 3] {
        [
            self.first.slot(),
            self.second.slot(),
            self.third.map_or(none, Leg::slot),
        ]
    }

    /// How people read it: `USDT → BTC (Aurora) → USDT (Boreal)`.
    #[must_use]
    pub fn route(&self, market: &Market) -> String {
        let start = self.first.assets(market).map(|(from, _)| from);
        let mut text = start.map(|a| market.asset_name(a).to_owned()).unwrap_or_default();
        for leg in self.legs() {
            if let Some((_, to)) = leg.assets(market) {
                let _ = write!(
                    text,
                    " → {} ({})",
                    market.asset_name(to),
                    market.venue_name(leg.instrument)
                );
            }
        }
        text
    }
}

/// All cycles of a market through `settlement`, in an order that depends on the market alone.
#[must_use]
pub fn all(market: &Market, settlement: AssetId, triangles: Triangles) -> Vec<Cycle> {
    // Conversions out of each asset, so that the search visits only what connects.
    let mut out_of: Vec<Vec<(Leg, AssetId)>> = Vec::new();
    for instrument in market.ids() {
        for side in [Side::Buy, Side::Sell] {
            let leg = Leg { instrument, side };
            if let Some((from, to)) = leg.assets(market) {
                let from = usize::from(from.0);
                if out_of.len() <= from {
                    out_of.resize_with(from + 1, Vec::new);
                }
                if let Some(legs) = out_of.get_mut(from) {
                    legs.push((leg, to));
                }
            }
        }
    }
    let from = |asset: AssetId| out_of.get(usize::from(asset.0)).map_or(&[][..], Vec::as_slice);
    let venue = |leg: Leg| market.get(leg.instrument).map(|i| i.venue);
    let mut cycles = Vec::new();
    for &(first, x) in from(settlement) {
        for &(second, y) in from(x) {
            if y == settlement {
                // There and back at one venue only loses the spread, also where it lists a pair both ways round.
                if venue(first) != venue(second) {
                    cycles.push(Cycle {
                        first,
                        second,
                        third: None,
                    });
                }
                continue;
            }
            for &(third, back) in from(y) {
                let (a, b, c) = (venue(first), venue(second), venue(third));
                let allowed = match triangles {
                    Triangles::OneVenue => a == b && b == c,
                    Triangles::TwoVenues => a == b || b == c || a == c,
                };
                if back == settlement && allowed {
                    cycles.push(Cycle {
                        first,
                        second,
                        third: Some(third),
                    });
                }
            }
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn market(venues: &[&str], pairs: &[(&str, &str)]) -> Market {
        let mut market = Market::default();
        for venue in venues {
            market.add_venue(venue, 1_000).unwrap();
            for (base, quote) in pairs {
                market.add_instrument(venue, base, quote).unwrap();
            }
        }
        market
    }

    fn routes(market: &Market, triangles: Triangles) -> Vec<String> {
        let usdt = market.asset("USDT").unwrap();
        all(market, usdt, triangles)
            .iter()
            .map(|c| c.route(market))
            .collect()
    }

    #[test]
    fn two_venues_make_two_cross_venue_cycles() {
        let m = market(&["a", "b"], &[("BTC", "USDT")]);
        assert_eq!(
            routes(&m, Triangles::TwoVenues),
            ["USDT → BTC (a) → USDT (b)", "USDT → BTC (b) → USDT (a)"]
        );
    }

    #[test]
    fn one_triangle_has_two_directions() {
        let m = market(&["a"], &[("BTC", "USDT"), ("ETH", "BTC"), ("ETH", "USDT")]);
        assert_eq!(
            routes(&m, Triangles::OneVenue),
            [
                "USDT → BTC (a) → ETH (a) → USDT (a)",
                "USDT → ETH (a) → BTC (a) → USDT (a)"
            ]
        );
    }

    #[test]
    fn a_second_venue_may_take_any_one_leg() {
        let pairs = [("BTC", "USDT"), ("ETH", "BTC"), ("ETH", "USDT")];
        let two = market(&["a", "b"], &pairs);
        let triangles = |m: &Market, t| {
            all(m, m.asset("USDT").unwrap(), t)
                .iter()
                .filter(|c| c.is_triangle())
                .count()
        };
        assert_eq!(triangles(&two, Triangles::OneVenue), 4);
        assert_eq!(
            triangles(&two, Triangles::TwoVenues),
            16,
            "two directions × two venues for each of three legs"
        );
        let three = market(&["a", "b", "c"], &pairs);
        assert_eq!(
            triangles(&three, Triangles::TwoVenues),
            2 * (27 - 6),
            "all three at different venues is too many"
        );
    }

    #[test]
    fn stablecoins_are_never_taken_as_equal() {
        let mut m = market(&["a"], &[("BTC", "USDT")]);
        m.add_venue("b", 1_000).unwrap();
        m.add_instrument("b", "BTC", "USDC").unwrap();
        assert!(
            routes(&m, Triangles::TwoVenues).is_empty(),
            "bought for USDT and sold for USDC is no cycle"
        );
        m.add_instrument("a", "USDC", "USDT").unwrap();
        assert_eq!(
            routes(&m, Triangles::TwoVenues).len(),
            2,
            "a traded pair closes it, at its own price"
        );
    }

    #[test]
    fn what_never_touches_the_settlement_asset_is_left_out() {
        let m = market(&["a", "b"], &[("ETH", "BTC"), ("USDT", "BRL")]);
        assert_eq!(
            routes(&m, Triangles::TwoVenues),
            ["USDT → BRL (a) → USDT (b)", "USDT → BRL (b) → USDT (a)"]
        );
    }
}
