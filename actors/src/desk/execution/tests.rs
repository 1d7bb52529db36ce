//! Fills by hand, the published cases, and the properties that money needs.

use super::super::{
    cycles::{self, Triangles},
    market::QUANTITY_ONE,
};
use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

/// A market where quotes can be stale.
#[derive(Default)]
struct Desk {
    market: Market,
    quotes: HashMap<InstrumentId, (Quote, bool)>,
}

impl Prices for Desk {
    fn fresh(&self, instrument: InstrumentId) -> Option<Quote> {
        self.quotes
            .get(&instrument)
            .filter(|(_, fresh)| *fresh)
            .map(|(q, _)| *q)
    }
    fn latest(&self, instrument: InstrumentId) -> Option<Quote> {
        self.quotes.get(&instrument).map(|(q, _)| *q)
    }
}

impl Desk {
    fn new(fees: &[(&str, u32)], pairs: &[(&str, &str)]) -> Self {
        let mut desk = Self::default();
        for (venue, fee) in fees {
            desk.market.add_venue(venue, *fee).unwrap();
            for (base, quote) in pairs {
                desk.market.add_instrument(venue, base, quote).unwrap();
            }
        }
        desk
    }
    fn put(&mut self, venue: &str, pair: (&str, &str), bid: &str, ask: &str, quantity: &str) {
        let id = self.market.instrument(venue, pair.0, pair.1).unwrap();
        let quantity = quantity.parse().unwrap();
        let (bid, ask) = (bid.parse().unwrap(), ask.parse().unwrap());
        self.quotes.insert(
            id,
            (
                Quote {
                    bid,
                    bid_quantity: quantity,
                    ask,
                    ask_quantity: quantity,
                    at_ms: 0,
                },
                true,
            ),
        );
    }
    fn stale(&mut self, venue: &str, pair: (&str, &str)) {
        let id = self.market.instrument(venue, pair.0, pair.1).unwrap();
        self.quotes.get_mut(&id).unwrap().1 = false;
    }
    fn cycle(&self, route: &str) -> Cycle {
        let usdt = self.market.asset("USDT").unwrap();
        let all = cycles::all(&self.market, usdt, Triangles::TwoVenues);
        all.into_iter().find(|c| c.route(&self.market) == route).unwrap()
    }
    fn run(&self, route: &str, size: Usdt, refused: &[bool]) -> Executed {
        let done = execute(
            &self.market,
            &self.cycle(route),
            size,
            self,
            refused,
            &ExecutionRules::default(),
        );
        let usdt = self.market.asset("USDT").unwrap();
        assert_eq!(
            recompute(&self.market, usdt, &done.fills),
            done.result,
            "the fills alone give the result"
        );
        done
    }
}

const BTC: (&str, &str) = ("BTC", "USDT");
const THERE_AND_BACK: &str = "USDT → BTC (a) → USDT (b)";

fn pair(fee_a: u32, fee_b: u32, ask: &str, bid: &str) -> Desk {
    let mut desk = Desk::new(&[("a", fee_a), ("b", fee_b)], &[BTC]);
    desk.put("a", BTC, "99", ask, "10");
    desk.put("b", BTC, bid, "300", "10");
    desk
}

#[test]
fn buy_at_100_sell_at_102_at_a_total_cost_of_one_percent() {
    let free = pair(0, 0, "100", "102").run(THERE_AND_BACK, Usdt::whole(100), &[]);
    assert_eq!(
        (free.result, free.fees),
        (Usdt::whole(2), Usdt::ZERO),
        "gross 2.00 %"
    );
    // A fee of 1 USDT on what the sale brings is 1 % of the 100 put in.
    let done = pair(0, 9_803, "100", "102").run(THERE_AND_BACK, Usdt::whole(100), &[]);
    assert_eq!(
        (done.result + done.fees, done.volume),
        (Usdt::whole(2), Usdt::whole(100))
    );
    assert_eq!(done.result, Usdt(1_000_094), "net 1.00 %");
}

#[test]
fn buy_at_100_sell_at_200_with_a_fee_of_one_each_gains_98_percent() {
    // 1 % of the coin bought (worth 1 at its buying price, 2 when sold) and about 0.5 % of the sale.
    let done = pair(0, 10_000, "100", "200").run(THERE_AND_BACK, Usdt::whole(100), &[]);
    assert_eq!(
        (done.result, done.fees),
        (Usdt::whole(98), Usdt::whole(2)),
        "98 % net"
    );
}

#[test]
fn the_published_triangle() {
    let pairs = [("BTC", "USDT"), ("ETH", "BTC"), ("ETH", "USDT")];
    let mut desk = Desk::new(&[("a", 0)], &pairs);
    desk.put("a", pairs[0], "30000", "30000", "10");
    desk.put("a", pairs[1], "0.3", "0.3", "10");
    desk.put("a", pairs[2], "2000", "2000", "10");
    let done = desk.run("USDT → ETH (a) → BTC (a) → USDT (a)", Usdt::whole(2_000), &[]);
    assert_eq!(done.result, Usdt::whole(7_000), "2 000 becomes 9 000");
    assert_eq!(done.fills.len(), 3);
}

#[test]
fn book_walk() {
    let levels: Vec<Level> = [99, 98, 97, 96, 95]
        .map(|p| Level {
            price: Price(p * PRICE_ONE),
            quantity: Quantity(2 * QUANTITY_ONE),
        })
        .to_vec();
    assert_eq!(
        walk(&levels, Quantity(10 * QUANTITY_ONE)),
        (Price(97 * PRICE_ONE), Quantity(10 * QUANTITY_ONE))
    );
    assert_eq!(
        walk(&levels, Quantity(99 * QUANTITY_ONE)).1,
        Quantity(10 * QUANTITY_ONE),
        "no more than there is"
    );
    assert_eq!(walk(&[], Quantity(1)), (Price(0), Quantity(0)));
}

#[test]
fn the_price_that_came_too_late_is_a_loss() {
    let done = pair(1_000, 1_000, "100", "100").run(THERE_AND_BACK, Usdt::whole(100), &[]);
    assert_eq!(done.result, Usdt(-199_900), "nothing gained, both fees paid");
    assert_eq!(done.fees, Usdt(199_900));
}

#[test]
fn a_first_leg_that_fails_costs_nothing() {
    let mut desk = pair(1_000, 1_000, "100", "102");
    let refused = desk.run(THERE_AND_BACK, Usdt::whole(100), &[true, false]);
    assert_eq!(
        (refused.result, refused.volume, refused.fills.len()),
        (Usdt::ZERO, Usdt::ZERO, 0)
    );
    desk.stale("a", BTC);
    assert_eq!(desk.run(THERE_AND_BACK, Usdt::whole(100), &[]).fills, []);
}

#[test]
fn a_second_leg_that_fails_is_brought_back_at_a_loss() {
    for why in ["refused", "stale"] {
        let mut desk = pair(1_000, 1_000, "100", "102");
        if why == "stale" {
            desk.stale("b", BTC);
        }
        let done = desk.run(THERE_AND_BACK, Usdt::whole(100), &[false, why == "refused"]);
        assert_eq!(done.fills.len(), 2, "{why}");
        let back = done.fills[1];
        assert!(back.unwinding && back.side == Side::Sell && back.instrument == done.fills[0].instrument);
        assert_eq!(
            back.price,
            "98.9505".parse().unwrap(),
            "the bid of 99 less the haircut"
        );
        // 0.999 BTC sold at 98.9505, less 0.1 %: 98.75269795 comes back.
        assert_eq!(done.result, Usdt(-1_247_303), "{why}");
    }
}

#[test]
fn a_middle_leg_that_fails_goes_back_one_step() {
    let pairs = [("BTC", "USDT"), ("ETH", "BTC"), ("ETH", "USDT")];
    let mut desk = Desk::new(&[("a", 0)], &pairs);
    desk.put("a", pairs[0], "30000", "30000", "10");
    desk.put("a", pairs[1], "0.3", "0.3", "10");
    desk.put("a", pairs[2], "2000", "2000", "10");
    let route = "USDT → ETH (a) → BTC (a) → USDT (a)";
    let second = desk.run(route, Usdt::whole(2_000), &[false, true, false]);
    assert_eq!(
        (second.result, second.fills.len()),
        (Usdt::whole(-1), 2),
        "only the haircut of 0.05 %"
    );
    let third = desk.run(route, Usdt::whole(2_000), &[false, false, true]);
    assert_eq!(third.fills.len(), 4, "BTC back to ETH, ETH back to USDT");
    assert!(third.result < Usdt::ZERO && third.result > Usdt::whole(-3));
}

#[test]
fn what_the_depth_cannot_take_is_brought_back() {
    let mut desk = pair(0, 0, "100", "102");
    desk.put("b", BTC, "102", "300", "0.25");
    let done = desk.run(THERE_AND_BACK, Usdt::whole(100), &[]);
    // A quarter gains 2 %, the rest is sold where it was bought, at 99 less the haircut.
    assert_eq!(
        done.fills.iter().map(|f| f.unwinding).collect::<Vec<_>>(),
        [false, false, true]
    );
    assert_eq!(done.result, Usdt(25_500_000 + 74_212_875 - 100_000_000));
    desk.put("a", BTC, "99", "100", "0.25");
    let smaller = desk.run(THERE_AND_BACK, Usdt::whole(100), &[]);
    assert_eq!(
        (smaller.volume, smaller.result),
        (Usdt::whole(25), Usdt(500_000)),
        "only what the first leg took is at risk"
    );
}

proptest! {
    /// Whatever the market does: the fills alone give the result, no more goes in than was given, no more is lost than went in.
    #[test]
    fn nothing_is_lost_beyond_what_went_in(
        mids in proptest::collection::vec(1i64..2_000, 6), sizes in proptest::collection::vec(0i64..40 * QUANTITY_ONE, 6),
        fees in (0u32..20_000, 0u32..20_000), size in 0i64..50_000_000_000, stale in 0usize..12, refused in proptest::collection::vec(prop::bool::weighted(0.2), 3),
    ) {
        let pairs = [("BTC", "USDT"), ("ETH", "BTC"), ("ETH", "USDT")];
        let mut desk = Desk::new(&[("a", fees.0), ("b", fees.1)], &pairs);
        for (n, id) in desk.market.ids().enumerate() {
            let mid = mids[n] * PRICE_ONE / 7;
            let quote = Quote { bid: Price(mid), ask: Price(mid + mid / 500), bid_quantity: Quantity(sizes[n]), ask_quantity: Quantity(sizes[n]), at_ms: 0 };
            desk.quotes.insert(id, (quote, n != stale));
        }
        let usdt = desk.market.asset("USDT").unwrap();
        for cycle in cycles::all(&desk.market, usdt, Triangles::TwoVenues) {
            let done = execute(&desk.market, &cycle, Usdt(size), &desk, &refused, &ExecutionRules::default());
            prop_assert_eq!(recompute(&desk.market, usdt, &done.fills), done.result);
            prop_assert!(done.volume <= Usdt(size) && done.result >= -done.volume);
            prop_assert!(!done.fees.is_negative());
            for fill in &done.fills {
                prop_assert!(fill.quantity.0 > 0 && fill.fee.0 >= 0 && fill.received() >= 0);
                if !fill.unwinding {
                    let quote = desk.fresh(fill.instrument).unwrap();
                    prop_assert!(fill.quantity.0 <= level(fill.side, &quote).quantity.0);
                }
            }
            if done.fills.is_empty() {
                prop_assert_eq!(done.result, Usdt::ZERO);
            }
        }
    }
}
