//! The engine's cost per quote on 5 venues × 200 pairs, beside a full Bellman–Ford per quote on the same graph.
//!
//! `cargo bench -p actors --bench engine`. The goal (P6) is a median of at most 1 µs per quote and at least 20 times the
//! full search. The stream is random and mostly unprofitable, as markets are; a few quotes open real opportunities.
// What cannot be arranged fails the test, where it happens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr
)]

use actors::desk::{
    dice::Dice,
    engine::{Engine, EngineRules},
    market::{InstrumentId, Market, PRICE_ONE, Price, QUANTITY_ONE, Quantity, Quote},
};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::{hint::black_box, sync::Arc, time::Instant};

const VENUES: u32 = 5;
const STREAM: usize = 100_000;

/// 100 coins against USDT, 60 of them against BTC, 25 against ETH, 14 against BNB and BTC/USDC: 200 pairs a venue.
fn market() -> (Arc<Market>, Vec<i64>) {
    let mut market = Market::default();
    let mut fair = Vec::new();
    let value = |coin: u64| (1 + coin * coin * 7) * 100_000_000;
    for venue in 0..VENUES {
        let name = format!("venue-{venue}");
        market.add_venue(&name, 750).unwrap();
        let mut list = |base: &str, quote: &str, price: u64| {
            market.add_instrument(&name, base, quote).unwrap();
            fair.push(i64::try_from(price).unwrap());
        };
        for coin in 1..=100u64 {
            list(&format!("C{coin}"), "USDT", value(coin));
        }
        for (quote, coins) in [(100u64, 1..=60u64), (99, 61..=85), (98, 84..=97)] {
            for coin in coins {
                let price =
                    u128::from(value(coin)) * u128::from(PRICE_ONE.unsigned_abs()) / u128::from(value(quote));
                list(
                    &format!("C{coin}"),
                    &format!("C{quote}"),
                    u64::try_from(price).unwrap(),
                );
            }
        }
        list("C100", "USDC", value(100));
    }
    assert_eq!(market.instruments().len(), 1_000);
    (Arc::new(market), fair)
}

fn stream(fair: &[i64]) -> Vec<(InstrumentId, Quote)> {
    let mut dice = Dice::new(7);
    let quote = |n: usize, dice: &mut Dice| {
        let mut mid = i128::from(fair[n]);
        let wide = if dice.chance(500) { 6_000 } else { 120 };
        mid += mid * i128::from(dice.between(-wide, wide)) / 1_000_000;
        let half = mid * 100 / 1_000_000;
        let price = |p: i128| Price(i64::try_from(p).unwrap().max(1));
        let quantity = Quantity(dice.between(1, 50) * QUANTITY_ONE);
        let (bid, ask) = (price(mid - half), price(mid + half));
        Quote {
            bid,
            ask,
            bid_quantity: quantity,
            ask_quantity: quantity,
            at_ms: 1,
        }
    };
    let id = |n: usize| InstrumentId(u32::try_from(n).unwrap());
    let first: Vec<_> = (0..fair.len()).map(|n| (id(n), quote(n, &mut dice))).collect();
    let rest = (0..STREAM).map(|_| {
        let n = usize::try_from(dice.below(fair.len() as u64)).unwrap();
        (id(n), quote(n, &mut dice))
    });
    first.into_iter().chain(rest.collect::<Vec<_>>()).collect()
}

fn engine(market: &Arc<Market>) -> Engine {
    let usdt = market.asset("USDT").unwrap();
    Engine::new(
        Arc::clone(market),
        usdt,
        EngineRules {
            max_age_ms: i64::MAX / 4,
            ..EngineRules::default()
        },
    )
}

/// The textbook search: every edge relaxed until nothing changes, at most once per asset, for each quote.
struct BellmanFord {
    assets: usize,
    source: usize,
    edges: Vec<(usize, usize, f64)>,
    distance: Vec<f64>,
}

impl BellmanFord {
    fn new(market: &Market) -> Self {
        let assets = 1 + market
            .instruments()
            .iter()
            .map(|i| i.base.0.max(i.quote.0))
            .max()
            .unwrap_or(0);
        let edges = market.instruments().iter().flat_map(|i| {
            let (base, quote) = (usize::from(i.base.0), usize::from(i.quote.0));
            [(base, quote, f64::INFINITY), (quote, base, f64::INFINITY)]
        });
        Self {
            assets: usize::from(assets),
            source: usize::from(market.asset("USDT").unwrap().0),
            edges: edges.collect(),
            distance: vec![f64::INFINITY; usize::from(assets)],
        }
    }
    fn on_quote(&mut self, id: InstrumentId, quote: &Quote, fee: f64) -> bool {
        let rate = |price: Price| price.0 as f64 / PRICE_ONE as f64;
        self.edges[id.index() * 2].2 = -(rate(quote.bid) * fee).ln();
        self.edges[id.index() * 2 + 1].2 = -(fee / rate(quote.ask)).ln();
        self.distance.fill(f64::INFINITY);
        self.distance[self.source] = 0.0;
        for _ in 0..self.assets {
            let mut changed = false;
            for &(from, to, weight) in &self.edges {
                let through = self.distance[from] + weight;
                if through < self.distance[to] - 1e-12 {
                    self.distance[to] = through;
                    changed = true;
                }
            }
            if !changed {
                return false;
            }
        }
        true
    }
}

fn per_quote(c: &mut Criterion) {
    let (market, fair) = market();
    let stream = stream(&fair);
    let mut warm = engine(&market);
    for (id, quote) in &stream {
        warm.on_quote(*id, *quote, 1);
    }

    // Each quote timed by itself: the median is what P6 speaks of, the tail is where hub pairs such as C100/USDT are.
    let mut times: Vec<u128> = stream
        .iter()
        .map(|(id, quote)| {
            let start = Instant::now();
            black_box(warm.on_quote(*id, *quote, 1));
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 1_000];
    eprintln!(
        "engine: {} cycles; per quote p50 {} ns, p90 {} ns, p99 {} ns, p99.9 {} ns; {} opened",
        warm.cycles().len(),
        at(500),
        at(900),
        at(990),
        at(999),
        warm.opened()
    );

    let mut group = c.benchmark_group("per quote, 5 venues x 200 pairs");
    let mut next = stream.iter().cycle();
    group.bench_function("incremental engine", |b| {
        b.iter_batched(
            || next.next().copied().unwrap(),
            |(id, quote)| black_box(warm.on_quote(id, quote, 1)),
            BatchSize::SmallInput,
        );
    });
    let mut full = BellmanFord::new(&market);
    for (id, quote) in stream.iter().take(fair.len()) {
        full.on_quote(*id, quote, 0.999_25);
    }
    let mut next = stream.iter().cycle();
    group.bench_function("full Bellman-Ford", |b| {
        b.iter_batched(
            || next.next().copied().unwrap(),
            |(id, quote)| black_box(full.on_quote(id, &quote, 0.999_25)),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, per_quote);
criterion_main!(benches);
