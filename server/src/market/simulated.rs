//! An invented market that behaves like one: correlated random walks, a little noise per venue, rare dislocations.
//!
//! Most of the time all venues agree within their spreads and fees and nothing can be earned. Now and then one venue's
//! price runs away for a second or two and an opportunity opens; some of these are gone again before an order arrives, so
//! that operations lose as well. A price that ran away does so again for some minutes, as where a venue's withdrawals stand
//! still: who saw a route and waits on it is met there. The same seed gives the same market; each start of the server draws
//! another.
//!
//! Floats stay inside the walk: every quote is turned into fixed-point once and only that leaves this file.

use super::{Feed, FeedError, recording::Recording};
use actors::desk::{
    Clock,
    dice::Dice,
    inbox::Inbox,
    market::{InstrumentId, Market, PRICE_ONE, Price, QUANTITY_ONE, Quantity, Quote},
};
use futures_util::future::BoxFuture;
use protocol::views::Mode;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// How often the market moves.
pub const STEP_MS: i64 = 100;

/// Invented venues: invented prices must not carry the name of a real exchange. Fees in millionths.
const VENUES: &[(&str, u32)] = &[
    ("Aurora", 750),
    ("Boreal", 800),
    ("Celeste", 1_000),
    ("Delta", 1_000),
];

/// Coins with a price to begin at and how strongly they follow the whole market and their own mind (per √s, in 10⁻⁵).
const COINS: &[(&str, f64, f64, f64)] = &[
    ("BTC", 96_000.0, 9.0, 3.0),
    ("ETH", 3_400.0, 11.0, 5.0),
    ("BNB", 690.0, 9.0, 6.0),
    ("SOL", 185.0, 13.0, 8.0),
    ("XRP", 2.4, 12.0, 9.0),
    ("ADA", 0.95, 12.0, 9.0),
    ("DOGE", 0.38, 14.0, 11.0),
    ("LTC", 105.0, 10.0, 7.0),
    ("LINK", 22.0, 12.0, 9.0),
    ("DOT", 7.1, 12.0, 9.0),
    ("USDC", 1.0001, 0.0, 0.2),
    ("BUSD", 0.9998, 0.0, 0.2),
];

/// Hardly move against USDT, and are still never taken as equal to it.
const STABLE: [&str; 2] = ["USDC", "BUSD"];
/// Pairs beside each coin against USDT; they close the triangles.
const CROSSES: &[(&str, &str)] = &[
    ("ETH", "BTC"),
    ("BNB", "BTC"),
    ("SOL", "BTC"),
    ("XRP", "BTC"),
    ("LTC", "BTC"),
    ("BNB", "ETH"),
    ("SOL", "ETH"),
    ("LINK", "ETH"),
    ("BTC", "USDC"),
    ("ETH", "USDC"),
];

/// What a venue does not list: no two real ones are alike.
const UNLISTED: &[(&str, &str, &str)] = &[
    ("Boreal", "DOT", "USDT"),
    ("Celeste", "LTC", "BTC"),
    ("Celeste", "LINK", "ETH"),
    ("Delta", "DOGE", "USDT"),
    ("Delta", "BNB", "ETH"),
    ("Delta", "XRP", "BTC"),
    ("Delta", "ETH", "USDC"),
];

/// A venue's own deviation from the common price: standard deviation, and how much of it is left after a second.
const NOISE: f64 = 1.2e-4;
const NOISE_KEPT: f64 = 0.8;
/// Dislocations in a minute, on average.
const DISLOCATIONS_PER_MINUTE: i64 = 5;
/// Instruments whose price runs away again and again, at any time.
const RESTLESS: usize = 2;
/// How long one of them is still before the next time, on average.
const STILL_MS: i64 = RESTLESS as i64 * 60_000 / DISLOCATIONS_PER_MINUTE;
/// Share of the times after which it stays restless, in millionths; else another takes its place: after some ten minutes.
const STAYS_PPM: u32 = 960_000;
/// Share of them that is gone before an order arrives, in millionths.
const FLASHES_PPM: u32 = 120_000;
/// Share of the instruments that quotes at each step, in millionths.
const QUOTING_PPM: u32 = 200_000;

struct Listed {
    venue: usize,
    base: usize,
    /// None for USDT itself.
    quote: Option<usize>,
    half_spread: f64,
    price_unit: i64,
    quantity_unit: i64,
}

struct Dislocation {
    instrument: usize,
    /// In logarithm of the price.
    shift: f64,
    from_ms: i64,
    until_ms: i64,
}

/// An instrument whose price runs away now and then, always to the same side.
#[derive(Clone, Copy)]
struct Restless {
    instrument: usize,
    /// How far, in logarithm of the price; each time a little else.
    shift: f64,
    /// When it does next.
    at_ms: i64,
}

/// The market itself, on its own time.
pub struct Simulation {
    market: Arc<Market>,
    dice: Dice,
    now_ms: i64,
    /// By coin, logarithms.
    prices: Vec<f64>,
    /// By venue and coin.
    noise: Vec<f64>,
    listed: Vec<Listed>,
    restless: [Restless; RESTLESS],
    dislocations: Vec<Dislocation>,
    quotes: Vec<(InstrumentId, Quote)>,
}

impl Simulation {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut market = Market::default();
        let mut listed = Vec::new();
        let coin = |name: &str| COINS.iter().position(|c| c.0 == name);
        for (venue, (name, fee)) in VENUES.iter().enumerate() {
            if market.add_venue(name, *fee).is_err() {
                continue;
            }
            let against_usdt = COINS.iter().map(|c| (c.0, "USDT"));
            for (base, quote) in against_usdt.chain(CROSSES.iter().copied()) {
                if UNLISTED.contains(&(name, base, quote)) {
                    continue;
                }
                let Some(b) = coin(base) else { continue };
                if market.add_instrument(name, base, quote).is_ok() {
                    let price = COINS[b].1 / coin(quote).map_or(1.0, |q| COINS[q].1);
                    let half_spread = if STABLE.contains(&base) {
                        0.3e-4
                    } else {
                        0.5e-4 + 1.0e-4 * unit(&mut dice)
                    };
                    let quote = coin(quote);
                    listed.push(Listed {
                        venue,
                        base: b,
                        quote,
                        half_spread,
                        price_unit: power_below(price * 2.0e-5 * PRICE_ONE as f64),
                        quantity_unit: power_below(0.1 / COINS[b].1 * QUANTITY_ONE as f64),
                    });
                }
            }
        }
        // Each start begins somewhere else, within 3 % of what the coins were worth when this was written.
        let prices = COINS
            .iter()
            .map(|c| c.1.ln() + c.2.min(1.0) * 0.03 * (2.0 * unit(&mut dice) - 1.0))
            .collect();
        let noise = (0..VENUES.len() * COINS.len())
            .map(|_| NOISE * normal(&mut dice))
            .collect();
        let restless = std::array::from_fn(|_| Restless {
            at_ms: soon(&mut dice) - STILL_MS / 4,
            ..another(&mut dice, &listed)
        });
        Self {
            market: Arc::new(market),
            dice,
            now_ms: 0,
            prices,
            noise,
            listed,
            restless,
            dislocations: Vec::new(),
            quotes: Vec::new(),
        }
    }

    #[must_use]
    pub fn market(&self) -> Arc<Market> {
        Arc::clone(&self.market)
    }

    /// One step of [`STEP_MS`]: the quotes that changed, their time counted from the start.
    pub fn step(&mut self) -> &[(InstrumentId, Quote)] {
        let seconds = STEP_MS as f64 / 1_000.0;
        let common = normal(&mut self.dice);
        for (price, coin) in self.prices.iter_mut().zip(COINS) {
            *price += 1e-5 * seconds.sqrt() * (coin.2 * common + coin.3 * normal(&mut self.dice));
        }
        let kept = NOISE_KEPT.powf(seconds);
        let fresh = NOISE * (1.0 - kept * kept).sqrt();
        for noise in &mut self.noise {
            *noise = *noise * kept + fresh * normal(&mut self.dice);
        }
        self.dislocate();
        self.quotes.clear();
        for n in 0..self.listed.len() {
            // Everyone hears of a price that runs away, and of its return.
            let now = self.now_ms;
            let turns = self
                .dislocations
                .iter()
                .any(|d| d.instrument == n && (d.from_ms == now || d.until_ms == now));
            if turns || self.now_ms == 0 || self.dice.chance(QUOTING_PPM) {
                let quote = self.quote(n);
                self.quotes
                    .push((InstrumentId(u32::try_from(n).unwrap_or(u32::MAX)), quote));
            }
        }
        let now = self.now_ms;
        self.dislocations.retain(|d| d.until_ms >= now);
        self.now_ms += STEP_MS;
        &self.quotes
    }

    fn dislocate(&mut self) {
        let now = self.now_ms;
        for n in 0..RESTLESS {
            let Restless {
                instrument,
                shift,
                at_ms,
            } = self.restless[n];
            if at_ms > now {
                continue;
            }
            let shift = shift * (0.95 + 0.1 * unit(&mut self.dice));
            let life_ms = if self.dice.chance(FLASHES_PPM) {
                STEP_MS
            } else {
                self.dice.between(3, 12) * STEP_MS
            };
            self.dislocations.push(Dislocation {
                instrument,
                shift,
                from_ms: now,
                until_ms: now + life_ms,
            });
            let next = if self.dice.chance(STAYS_PPM) {
                self.restless[n]
            } else {
                another(&mut self.dice, &self.listed)
            };
            self.restless[n] = Restless {
                at_ms: now + soon(&mut self.dice),
                ..next
            };
        }
    }

    fn quote(&mut self, n: usize) -> Quote {
        let listed = &self.listed[n];
        let of = |coin: usize| self.prices[coin] + self.noise[listed.venue * COINS.len() + coin];
        let now = self.now_ms;
        let shift: f64 = self
            .dislocations
            .iter()
            .filter(|d| d.instrument == n && d.until_ms > now)
            .map(|d| d.shift)
            .sum();
        let middle = of(listed.base) - listed.quote.map_or(0.0, of) + shift;
        let price = |log: f64| (log.exp() * PRICE_ONE as f64) as i64 / listed.price_unit;
        let bid = Price((price(middle - listed.half_spread) * listed.price_unit).max(1));
        let ask = Price((price(middle + listed.half_spread) + 1) * listed.price_unit);
        let coin_value = self.prices[listed.base].exp();
        let mut depth = || {
            // Seldom less than a fifth or more than five times of it; a price that ran away has little behind it.
            let usual = if shift == 0.0 { 4_000.0 } else { 120.0 };
            let value = usual * (0.8 * normal(&mut self.dice)).exp();
            let units = (value / coin_value * QUANTITY_ONE as f64) as i64 / listed.quantity_unit;
            Quantity(units.max(1) * listed.quantity_unit)
        };
        Quote {
            bid,
            bid_quantity: depth(),
            ask,
            ask_quantity: depth(),
            at_ms: now,
        }
    }

    /// What the market does in so many milliseconds, as a recording.
    #[must_use]
    pub fn record(mut self, for_ms: i64) -> Recording {
        let mut quotes = Vec::new();
        while self.now_ms < for_ms {
            quotes.extend_from_slice(self.step());
        }
        Recording {
            market: (*self.market).clone(),
            quotes,
        }
    }
}

/// An instrument that becomes restless, at once.
fn another(dice: &mut Dice, listed: &[Listed]) -> Restless {
    let instrument = usize::try_from(dice.below(listed.len() as u64)).unwrap_or(0);
    // A triangle pays three fees, so a cross has to run further before anyone earns.
    let cross = listed.get(instrument).is_some_and(|l| l.quote.is_some());
    let least = if cross { 30.0e-4 } else { 22.0e-4 };
    let size = least + 9.0e-4 * unit(dice);
    Restless {
        instrument,
        shift: if dice.chance(500_000) { size } else { -size },
        at_ms: 0,
    }
}

/// How long a restless price is still: evenly around [`STILL_MS`], seldom as long as a minute.
fn soon(dice: &mut Dice) -> i64 {
    dice.between(STILL_MS / 2, STILL_MS * 3 / 2)
}

/// The largest power of ten not above `x`, at least 1.
fn power_below(x: f64) -> i64 {
    let mut power = 1i64;
    while (power * 10) as f64 <= x && power < i64::MAX / 100 {
        power *= 10;
    }
    power
}

/// Evenly from 0 to below 1.
fn unit(dice: &mut Dice) -> f64 {
    (dice.roll() >> 11) as f64 / (1u64 << 53) as f64
}

/// Standard normal, by Box and Muller.
fn normal(dice: &mut Dice) -> f64 {
    let (a, b) = (1.0 - unit(dice), unit(dice));
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// The feed: the simulation in real time.
pub struct Simulated(Simulation);

impl Simulated {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Simulation::new(seed))
    }
}

impl Feed for Simulated {
    fn name(&self) -> String {
        "simulated".into()
    }
    fn mode(&self) -> Mode {
        Mode::Simulated
    }
    fn market(&self) -> Arc<Market> {
        self.0.market()
    }
    fn run(
        mut self: Box<Self>,
        inbox: Arc<Inbox>,
        clock: Clock,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<(), FeedError>> {
        Box::pin(async move {
            let mut every = tokio::time::interval(Duration::from_millis(STEP_MS.unsigned_abs()));
            every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    () = stop.cancelled() => return Ok(()),
                    _ = every.tick() => {}
                }
                let at_ms = clock();
                for (id, quote) in self.0.step() {
                    inbox.put(*id, Quote { at_ms, ..*quote });
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::desk::{
        cohort::RobotSnapshot,
        floor::{Effect, Floor, FloorRules},
        port::{ManualOrder, SettledBatch},
    };
    use protocol::{
        glimpse::Glimpse,
        ids::{LicenceId, OperationId, UserId},
        money::Usdt,
    };

    #[test]
    fn the_same_seed_is_the_same_market() {
        let one = Simulation::new(5).record(3_000);
        assert_eq!(one, Simulation::new(5).record(3_000));
        assert_ne!(one.quotes, Simulation::new(6).record(3_000).quotes);
    }

    #[test]
    fn quotes_are_sane_and_close_to_each_other() {
        let mut simulation = Simulation::new(11);
        let market = simulation.market();
        assert!((3..=5).contains(&market.venues().len()));
        for symbol in ["USDT", "BTC", "ETH", "BNB", "SOL"] {
            assert!(market.asset(symbol).is_some());
        }
        for _ in 0..3_000 {
            for (_, quote) in simulation.step() {
                assert!(quote.is_sane() && quote.bid < quote.ask);
                let spread = i128::from(quote.ask.0 - quote.bid.0) * 1_000_000 / i128::from(quote.bid.0);
                assert!(spread < 700, "{spread} ppm");
                assert!(quote.bid_quantity.0 > 0 && quote.ask_quantity.0 > 0);
            }
        }
        let price = simulation.quote(0).bid;
        assert!(
            (60_000..140_000).contains(&(price.0 / PRICE_ONE)),
            "five minutes do not ruin anybody"
        );
    }

    fn robot(n: u128) -> RobotSnapshot {
        RobotSnapshot {
            licence: LicenceId(uuid::Uuid::from_u128(n)),
            user: UserId(uuid::Uuid::from_u128(n)),
            high_risk: n == 3,
            allocated: Usdt::whole(2_000),
            operating: true,
            active_from_ms: 0,
            last_served_ms: 0,
            follows: None,
            version: 1,
        }
    }

    /// A demo's desk with three robots on an invented market: what is reserved is granted, what is settled is booked.
    struct Demo {
        simulation: Simulation,
        floor: Floor,
        now_ms: i64,
    }

    impl Demo {
        fn new(seed: u64) -> Self {
            let simulation = Simulation::new(seed);
            let market = simulation.market();
            let usdt = market.asset("USDT").unwrap();
            let mut floor = Floor::new(market, usdt, FloorRules::new("simulated", Mode::Simulated, seed));
            floor.on_eligible(Ok((1..=3).map(robot).collect()), 0);
            Self {
                simulation,
                floor,
                now_ms: 0,
            }
        }

        /// The next step of the market, and what the desk made of it.
        fn step(&mut self) -> Vec<Effect> {
            let mut seen = Vec::new();
            for (id, quote) in self.simulation.step().to_vec() {
                self.floor.on_quote(id, quote, self.now_ms);
            }
            for part in 0..5 {
                let now = self.now_ms + part * 20;
                self.floor.on_tick(now);
                for effect in self.floor.effects() {
                    match &effect {
                        Effect::Reserve {
                            operation, shares, ..
                        } => self.floor.on_reserved(*operation, Ok(shares.clone()), now),
                        Effect::Settle(batch) => {
                            self.floor.on_settled(batch.id, Ok(SettledBatch::default()), now);
                        }
                        _ => {}
                    }
                    seen.push(effect);
                }
            }
            self.now_ms += STEP_MS;
            seen
        }
    }

    /// What a demo shows: three robots on ten invented minutes, three times.
    #[test]
    fn a_demo_sees_gains_and_losses_every_few_minutes() {
        let (mut gains, mut losses, mut net, mut pairs, mut triangles) = (0, 0, 0i64, 0, 0);
        for seed in 0..3 {
            let mut demo = Demo::new(seed);
            for _ in 0..6_000 {
                for effect in demo.step() {
                    let Effect::Settle(batch) = effect else { continue };
                    for operation in &batch.operations {
                        net += operation.result.0;
                        gains += i32::from(operation.result.is_positive());
                        losses += i32::from(operation.result.is_negative());
                        triangles += i32::from(operation.triangular);
                        pairs += i32::from(!operation.triangular);
                    }
                }
            }
        }
        // Thirty minutes in all.
        tracing::info!(gains, losses, %net, pairs, triangles, "thirty minutes of a simulated market");
        assert!((60..900).contains(&gains), "{gains} gains");
        assert!((10..300).contains(&losses), "{losses} losses");
        assert!(net > 0 && net < 200_000_000, "{net} micro-USDT on 6 000");
        assert!(
            pairs > 20 && triangles > 20,
            "{pairs} pairs, {triangles} triangles"
        );
    }

    /// A person reads a route off the board, takes some seconds to order there, and waits for at most a minute: of ten such orders at least
    /// eight are filled.
    #[test]
    fn who_waits_on_a_route_of_the_board_is_met_there() {
        const PERSON_MS: i64 = 5_000;
        const STANDS_MS: i64 = 60_000;
        let (mut filled, mut orders) = (0, 0);
        for seed in 0..4 {
            let mut demo = Demo::new(seed);
            // What was read off the board and since when; then the order.
            let mut read: Option<(String, i64)> = None;
            let mut standing: Option<OperationId> = None;
            for _ in 0..18_000 {
                let now = demo.now_ms;
                if standing.is_none()
                    && let Some((route, _)) = read.take_if(|(_, at)| *at + PERSON_MS <= now)
                {
                    let operation = OperationId(uuid::Uuid::from_u128(now.unsigned_abs().into()));
                    demo.floor.on_manual(
                        &ManualOrder {
                            operation,
                            route: Some(route),
                            until_ms: now + STANDS_MS,
                            robot: robot(9),
                        },
                        now,
                    );
                    standing = Some(operation);
                    orders += 1;
                }
                for effect in demo.step() {
                    match effect {
                        // A robot of standard risk takes what brings at least 0.05 %.
                        Effect::Show(Glimpse::Opportunity(seen))
                            if standing.is_none() && seen.edge.parse::<f64>().unwrap() >= 0.05 =>
                        {
                            read.get_or_insert((seen.route, now));
                        }
                        Effect::Reserve { operation, .. } if standing == Some(operation) => {
                            standing = None;
                            filled += 1;
                        }
                        Effect::Refuse { operation, .. } if standing == Some(operation) => standing = None,
                        _ => {}
                    }
                }
            }
        }
        assert!(orders > 60, "{orders} orders in two hours");
        assert!(filled * 10 >= orders * 8, "{filled} of {orders} filled");
    }
}
