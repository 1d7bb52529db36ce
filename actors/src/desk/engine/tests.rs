//! The engine against a search that knows nothing of logarithms, increments or cycle tables.

use super::super::market::{QUANTITY_ONE, Quantity};
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// An unsigned integer of any size, so that the reference shares no arithmetic with the engine.
#[derive(Clone, PartialEq, Eq)]
struct Big(Vec<u32>);

impl Big {
    fn product(factors: &[u64]) -> Self {
        let mut digits = vec![1u32];
        for factor in factors {
            let parts = [(*factor & 0xffff_ffff), factor >> 32];
            let mut sum = vec![0u32; digits.len() + 3];
            for (shift, part) in parts.into_iter().enumerate() {
                let mut carry = 0u64;
                for i in 0..digits.len() + 2 - shift {
                    let digit = u64::from(digits.get(i).copied().unwrap_or(0));
                    let value = u64::from(sum[i + shift]) + digit * part + carry;
                    sum[i + shift] = (value & 0xffff_ffff) as u32;
                    carry = value >> 32;
                }
            }
            while sum.last() == Some(&0) && sum.len() > 1 {
                sum.pop();
            }
            digits = sum;
        }
        Self(digits)
    }
    fn at_least(&self, other: &Self) -> bool {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
            .is_ge()
    }
}

type Route = Vec<(InstrumentId, Side)>;

/// All profitable routes by walking from USDT over every instrument, two or three steps deep.
fn brute_force(
    market: &Market,
    quotes: &[Option<Quote>],
    usdt: AssetId,
    rules: EngineRules,
    now: i64,
) -> Vec<Route> {
    let mut found = Vec::new();
    let mut path: Route = Vec::new();
    walk(market, quotes, usdt, usdt, rules, now, &mut path, &mut found);
    found.sort();
    found
}

#[allow(clippy::too_many_arguments)]
fn walk(
    market: &Market,
    quotes: &[Option<Quote>],
    usdt: AssetId,
    holding: AssetId,
    rules: EngineRules,
    now: i64,
    path: &mut Route,
    found: &mut Vec<Route>,
) {
    if holding == usdt && !path.is_empty() {
        let mut venues: Vec<_> = path.iter().map(|(i, _)| market.get(*i).unwrap().venue).collect();
        venues.sort();
        venues.dedup();
        let enough = if path.len() == 2 {
            venues.len() == 2
        } else {
            venues.len()
                <= if rules.triangles == Triangles::OneVenue {
                    1
                } else {
                    2
                }
        };
        if enough && profitable(market, quotes, rules, now, path) {
            found.push(path.clone());
        }
        return;
    }
    if path.len() == 3 {
        return;
    }
    for id in market.ids() {
        let i = market.get(id).unwrap();
        for (side, from, to) in [(Side::Buy, i.quote, i.base), (Side::Sell, i.base, i.quote)] {
            if from == holding {
                path.push((id, side));
                walk(market, quotes, usdt, to, rules, now, path, found);
                path.pop();
            }
        }
    }
}

fn profitable(market: &Market, quotes: &[Option<Quote>], rules: EngineRules, now: i64, path: &Route) -> bool {
    let mut over = vec![1_000_000u64];
    let mut under = vec![(1_000_000 + rules.min_edge_ppm) as u64];
    for (id, side) in path {
        let Some(quote) = quotes[id.index()] else {
            return false;
        };
        if quote.at_ms + rules.max_age_ms < now {
            return false;
        }
        match side {
            Side::Sell => {
                over.push(quote.bid.0 as u64);
                under.push(PRICE_ONE as u64);
            }
            Side::Buy => {
                over.push(PRICE_ONE as u64);
                under.push(quote.ask.0 as u64);
            }
        }
        over.push((PPM - market.fee_ppm(*id)) as u64);
        under.push(PPM as u64);
    }
    Big::product(&over).at_least(&Big::product(&under))
}

fn found_by(engine: &Engine) -> Vec<Route> {
    let mut routes: Vec<Route> = engine
        .profitable()
        .map(|o| {
            engine
                .cycle(o.cycle)
                .unwrap()
                .legs()
                .map(|l| (l.instrument, l.side))
                .collect()
        })
        .collect();
    routes.sort();
    routes
}

/// Three venues, one of them without fees, four assets of very different price, one pair listed the other way round.
fn small_market() -> (Arc<Market>, Vec<i64>) {
    let mut market = Market::default();
    let mut fair = Vec::new();
    let price = |x: i64| x * (PRICE_ONE / 1_000_000_000);
    let pairs = [
        ("BTC", "USDT", price(60_000_000_000_000)),
        ("ETH", "USDT", price(3_000_000_000_000)),
        ("ETH", "BTC", price(50_000_000)),
        ("SHIB", "USDT", price(10_000)),
        ("SHIB", "ETH", price(10_000) / 3_000),
        ("USDT", "BRL", price(5_000_000_000)),
        ("BTC", "BRL", price(300_000_000_000_000)),
    ];
    for (venue, fee) in [("a", 0), ("b", 750), ("c", 1_000)] {
        market.add_venue(venue, fee).unwrap();
        for (base, quote, mid) in pairs {
            market.add_instrument(venue, base, quote).unwrap();
            fair.push(mid);
        }
    }
    (Arc::new(market), fair)
}

#[derive(Clone, Debug)]
struct Step {
    instrument: usize,
    shift_ppm: i64,
    spread_ppm: i64,
    wait_ms: i64,
    delay_ms: i64,
    kind: u8,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        0usize..21,
        -4_000i64..4_000,
        0i64..600,
        0i64..400,
        0i64..300,
        0u8..20,
    )
        .prop_map(
            |(instrument, shift_ppm, spread_ppm, wait_ms, delay_ms, kind)| Step {
                instrument,
                shift_ppm,
                spread_ppm,
                wait_ms,
                delay_ms,
                kind,
            },
        );
    proptest::collection::vec(step, 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// After every update the open set is exactly what a full search finds, and every opening time is the first moment of
    /// an unbroken stay in that set.
    #[test]
    fn equals_a_full_search_after_every_update(steps in steps(), two_venues in any::<bool>(), min_edge_ppm in 0i64..600) {
        let (market, fair) = small_market();
        let usdt = market.asset("USDT").unwrap();
        let triangles = if two_venues { Triangles::TwoVenues } else { Triangles::OneVenue };
        let rules = EngineRules { min_edge_ppm, triangles, ..EngineRules::default() };
        let mut engine = Engine::new(Arc::clone(&market), usdt, rules);
        let mut quotes: Vec<Option<Quote>> = vec![None; market.instruments().len()];
        let mut since: BTreeMap<Route, i64> = BTreeMap::new();
        let mut now = 1_700_000_000_000;
        for step in steps {
            now += step.wait_ms;
            let part = |of: i64, ppm: i64| (i128::from(of) * i128::from(ppm) / i128::from(PPM)) as i64;
            let mid = fair[step.instrument] + part(fair[step.instrument], step.shift_ppm);
            let half = part(mid, step.spread_ppm) / 2;
            let mut quote = Quote {
                bid: Price((mid - half).max(1)), ask: Price((mid + half).max(1)),
                bid_quantity: Quantity(5), ask_quantity: Quantity(7), at_ms: now - step.delay_ms,
            };
            match step.kind {
                0 => quote.bid = Price(quote.ask.0 + 1),
                1 => quote.ask = Price(0),
                2 => quote.at_ms = now + 5_000,
                // The same price again, only later.
                3..=6 => if let Some(known) = quotes[step.instrument] { quote = Quote { at_ms: now, ..known } },
                _ => {}
            }
            // What turned stale before this quote came has gone, even if the quote brings it back.
            let before = brute_force(&market, &quotes, usdt, rules, now);
            since.retain(|route, _| before.binary_search(route).is_ok());
            let id = InstrumentId(step.instrument as u32);
            let update = engine.on_quote(id, quote, now);
            quote.at_ms = quote.at_ms.min(now);
            let older = quotes[step.instrument].is_some_and(|k| k.at_ms > quote.at_ms);
            if older {
                prop_assert_eq!(update, Update::Older);
            } else {
                prop_assert_eq!(update, if quote.is_sane() { Update::Applied } else { Update::Refused });
                quotes[step.instrument] = quote.is_sane().then_some(quote);
            }
            let expected = brute_force(&market, &quotes, usdt, rules, now);
            prop_assert_eq!(found_by(&engine).len(), expected.len());
            prop_assert!(found_by(&engine) == expected);
            since.retain(|route, _| expected.binary_search(route).is_ok());
            for route in expected {
                since.entry(route).or_insert(now);
            }
            for o in engine.profitable() {
                let route: Route = engine.cycle(o.cycle).unwrap().legs().map(|l| (l.instrument, l.side)).collect();
                prop_assert_eq!(Some(&o.since_ms), since.get(&route));
                prop_assert_eq!(engine.opportunity(o.cycle, now).is_some(), now - o.since_ms < rules.life_ms);
                prop_assert!(o.edge_ppm >= min_edge_ppm);
            }
            // Time alone closes exactly what turns stale.
            if step.kind > 15 {
                now += 900;
                engine.on_time(now);
                let expected = brute_force(&market, &quotes, usdt, rules, now);
                prop_assert!(found_by(&engine) == expected);
                since.retain(|route, _| expected.binary_search(route).is_ok());
            }
        }
    }

    /// What the depth promises, the quotes carry: each leg's base quantity stays within its quote.
    #[test]
    fn depth_never_exceeds_a_leg(asks in proptest::collection::vec(1i64..1_000_000_000, 3), bids in proptest::collection::vec(1i64..1_000_000_000, 3)) {
        let (market, fair) = small_market();
        let usdt = market.asset("USDT").unwrap();
        let mut engine = Engine::new(Arc::clone(&market), usdt, EngineRules { min_edge_ppm: -PPM, ..EngineRules::default() });
        for (n, id) in market.ids().enumerate() {
            let mid = Price(fair[n].max(1));
            let quote = Quote { bid: mid, ask: mid, bid_quantity: Quantity(bids[n % 3]), ask_quantity: Quantity(asks[n % 3]), at_ms: 1 };
            engine.on_quote(id, quote, 1);
        }
        for n in 0..engine.cycles().len() {
            let id = CycleId(n as u32);
            let size = engine.depth(id);
            prop_assert!(size.0 >= 0);
            engine.take(id, size);
            for leg in engine.cycle(id).unwrap().legs() {
                let quote = engine.quote(leg.instrument).unwrap();
                let most = if leg.side == Side::Buy { quote.ask_quantity } else { quote.bid_quantity };
                prop_assert!(engine.used[leg.slot() as usize] <= most.0, "{:?}", leg);
            }
        }
    }
}

fn vector_market(fee_ppm: u32, venues: &[&str], pairs: &[(&str, &str)]) -> Engine {
    let mut market = Market::default();
    for venue in venues {
        market.add_venue(venue, fee_ppm).unwrap();
        for (base, quote) in pairs {
            market.add_instrument(venue, base, quote).unwrap();
        }
    }
    let usdt = market.asset("USDT").unwrap();
    Engine::new(Arc::new(market), usdt, EngineRules::default())
}

fn put(
    engine: &mut Engine,
    venue: &str,
    base: &str,
    quote: &str,
    bid: &str,
    ask: &str,
    at_ms: i64,
) -> Update {
    let id = engine.market().instrument(venue, base, quote).unwrap();
    let quantity = Quantity(10 * QUANTITY_ONE);
    let quote = Quote {
        bid: bid.parse().unwrap(),
        ask: ask.parse().unwrap(),
        bid_quantity: quantity,
        ask_quantity: quantity,
        at_ms,
    };
    engine.on_quote(id, quote, at_ms)
}

#[test]
fn the_published_triangle_multiplies_by_four_and_a_half() {
    let pairs = [("BTC", "USDT"), ("ETH", "BTC"), ("ETH", "USDT")];
    let mut engine = vector_market(0, &["a"], &pairs);
    put(&mut engine, "a", "BTC", "USDT", "30000", "30000", 1);
    put(&mut engine, "a", "ETH", "BTC", "0.3", "0.3", 1);
    put(&mut engine, "a", "ETH", "USDT", "2000", "2000", 1);
    let found: Vec<_> = engine.opportunities(1).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].edge_ppm, 3_500_000);
    let route = engine.cycle(found[0].cycle).unwrap().route(engine.market());
    assert_eq!(route, "USDT → ETH (a) → BTC (a) → USDT (a)");
    put(&mut engine, "a", "ETH", "BTC", "0.06666666", "0.06666667", 2);
    assert_eq!(engine.opportunities(2).count(), 0, "no cycle, nothing found");
}

#[test]
fn net_is_gross_less_both_fees() {
    // Buy 100, sell 102, 0.5 % a side: the fees are taken from what each leg receives, so net is 102 × 0.995² ÷ 100.
    let mut engine = vector_market(5_000, &["a", "b"], &[("BTC", "USDT")]);
    put(&mut engine, "a", "BTC", "USDT", "99.9", "100", 1);
    put(&mut engine, "b", "BTC", "USDT", "102", "102.1", 1);
    let found: Vec<_> = engine.opportunities(1).collect();
    assert_eq!(
        found.iter().map(|o| o.edge_ppm).collect::<Vec<_>>(),
        [9_825],
        "2.00 % gross, 0.9825 % net"
    );
}

#[test]
fn the_edge_itself_is_enough_and_a_hair_less_is_not() {
    let mut engine = vector_market(0, &["a", "b"], &[("BTC", "USDT")]);
    put(&mut engine, "a", "BTC", "USDT", "99", "100", 1);
    put(&mut engine, "b", "BTC", "USDT", "100.0199999999", "101", 1);
    assert_eq!(engine.profitable().count(), 0);
    put(&mut engine, "b", "BTC", "USDT", "100.02", "101", 2);
    assert_eq!(engine.profitable().count(), 1);
}

#[test]
fn stale_quotes_and_old_opportunities_are_never_traded() {
    let mut engine = vector_market(0, &["a", "b"], &[("BTC", "USDT")]);
    put(&mut engine, "a", "BTC", "USDT", "99", "100", 0);
    put(&mut engine, "b", "BTC", "USDT", "105", "106", 1_600);
    assert_eq!(
        engine.profitable().count(),
        0,
        "the other quote is older than 1.5 s"
    );
    put(&mut engine, "a", "BTC", "USDT", "99", "100", 1_700);
    let cycle = engine.opportunities(1_700).next().unwrap().cycle;
    for at in [2_500, 3_300] {
        put(&mut engine, "a", "BTC", "USDT", "99", "100", at);
        put(&mut engine, "b", "BTC", "USDT", "105", "106", at);
    }
    assert!(engine.opportunity(cycle, 3_699).is_some());
    assert!(
        engine.opportunity(cycle, 3_700).is_none(),
        "two seconds after it opened"
    );
    assert_eq!(
        engine.profitable().count(),
        1,
        "still there, but no longer believed"
    );
    assert_eq!(
        put(&mut engine, "b", "BTC", "USDT", "99", "106", 3_000),
        Update::Older
    );
    put(&mut engine, "b", "BTC", "USDT", "99", "106", 3_800);
    put(&mut engine, "b", "BTC", "USDT", "105", "106", 3_900);
    assert!(
        engine.opportunity(cycle, 3_900).is_some(),
        "gone and come back: a new one"
    );
    engine.on_time(5_000);
    assert_eq!(engine.profitable().count(), 0);
}

#[test]
fn an_insane_quote_takes_its_instrument_out() {
    let mut engine = vector_market(0, &["a", "b"], &[("BTC", "USDT")]);
    put(&mut engine, "a", "BTC", "USDT", "99", "100", 1);
    put(&mut engine, "b", "BTC", "USDT", "105", "106", 1);
    assert_eq!(engine.profitable().count(), 1);
    assert_eq!(
        put(&mut engine, "a", "BTC", "USDT", "101", "100", 2),
        Update::Refused
    );
    assert_eq!(engine.profitable().count(), 0);
    let quote = engine.quote(InstrumentId(1)).unwrap();
    assert_eq!(
        engine.on_quote(InstrumentId(9), quote, 3),
        Update::UnknownInstrument
    );
}

#[test]
fn depth_is_the_least_along_the_legs_and_taken_once() {
    let mut engine = vector_market(0, &["a", "b"], &[("BTC", "USDT")]);
    let id = |e: &Engine, v| e.market().instrument(v, "BTC", "USDT").unwrap();
    let quote = |bid: &str, bq: &str, ask: &str, aq: &str| Quote {
        bid: bid.parse().unwrap(),
        bid_quantity: bq.parse().unwrap(),
        ask: ask.parse().unwrap(),
        ask_quantity: aq.parse().unwrap(),
        at_ms: 1,
    };
    let (a, b) = (id(&engine, "a"), id(&engine, "b"));
    engine.on_quote(a, quote("99", "1", "100", "5"), 1);
    engine.on_quote(b, quote("105", "2", "106", "1"), 1);
    let cycle = engine.profitable().next().unwrap().cycle;
    assert_eq!(engine.depth(cycle), Usdt::whole(200), "b buys only two");
    engine.take(cycle, Usdt::whole(150));
    assert_eq!(engine.depth(cycle), Usdt::whole(50));
    engine.take(cycle, Usdt::whole(50));
    assert_eq!(engine.depth(cycle), Usdt::ZERO);
    engine.on_quote(b, quote("105", "9", "106", "1"), 2);
    assert_eq!(
        engine.depth(cycle),
        Usdt::whole(300),
        "b has quoted again, a still lacks what was taken"
    );
    assert_eq!(engine.moved(), [cycle]);
}
