//! Finds opportunities: pure, incremental, without allocation once built.
//!
//! A quote touches only the cycles through its instrument. For each of them three logarithms are added; the few whose sum
//! comes near the minimum edge are then decided exactly in integers, so that what is open is always what a full search
//! over the same quotes would find (property-tested against one). Nothing is open whose quotes are older than the age
//! limit. An opportunity lives two seconds from its opening (docs/rules/desk.md#opportunities): what stays longer is a fault of the data
//! rather than free money, and opens again only after it has gone.
//!
//! Depth is taken once: what an operation uses of a quote's quantity is gone until that instrument quotes again.

use std::sync::Arc;

use super::{
    cycles::{self, Cycle, CycleId, Leg, Side, Triangles},
    logarithm::{self, LogTable},
    market::{AMOUNT_PER_MICRO, AssetId, InstrumentId, Market, PPM, PRICE_ONE, Price, Quote},
    wide::Ratio,
};
use protocol::money::Usdt;

/// What counts as an opportunity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineRules {
    /// Least net edge of any robot, in millionths; each robot's own is checked when the cohort forms.
    pub min_edge_ppm: i64,
    /// A quote older than this is stale and never traded.
    pub max_age_ms: i64,
    /// How long an opportunity may be taken after it opened.
    pub life_ms: i64,
    pub triangles: Triangles,
}

impl Default for EngineRules {
    fn default() -> Self {
        Self {
            min_edge_ppm: 200,
            max_age_ms: 1_500,
            life_ms: 2_000,
            triangles: Triangles::TwoVenues,
        }
    }
}

/// Why an update changed nothing, or took its instrument out of the market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    Applied,
    /// Older than the quote already known.
    Older,
    /// Insane prices: the instrument is without a quote until the next sane one.
    Refused,
    UnknownInstrument,
}

/// An opportunity as the board shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opportunity {
    pub cycle: CycleId,
    /// Net of all fees, in millionths, floored.
    pub edge_ppm: i64,
    pub since_ms: i64,
}

#[derive(Clone, Copy)]
struct Open {
    opportunity: Opportunity,
    /// When its oldest quote turns stale.
    fresh_until: i64,
}

/// One cycle seen from one side of one quote: the two other sides that it needs.
#[derive(Clone, Copy)]
struct Touch {
    others: [u32; 2],
    cycle: u32,
}

/// A side without a price: no sum with it can reach an edge, and three of them do not overflow.
const NO_PRICE: i64 = i64::MIN / 4;
const NOT_OPEN: u32 = u32::MAX;
const NEVER: i64 = i64::MAX;

pub struct Engine {
    market: Arc<Market>,
    rules: EngineRules,
    table: LogTable,
    /// log₂ of [`PRICE_ONE`].
    price_one: i64,
    /// The sieve: a sum of logarithms below it cannot reach the minimum edge.
    least: i64,
    quotes: Vec<Option<Quote>>,
    /// By side of a quote: base quantity that operations have used since it arrived.
    used: Vec<i64>,
    /// By side of a quote: log₂ of its rate net of fee; one more, zero, for the leg that a pair lacks.
    weights: Vec<i64>,
    fee_weights: Vec<i64>,
    touches: Vec<Touch>,
    /// By side of a quote: where its touches begin; one more for the end of the last.
    starts: Vec<u32>,
    cycles: Vec<Cycle>,
    /// By cycle: its place in `open`.
    places: Vec<u32>,
    open: Vec<Open>,
    /// Cycles that the last update opened or whose prices it moved while open.
    moved: Vec<CycleId>,
    /// No open quote turns stale before this.
    next_sweep: i64,
    opened: u64,
}

impl Engine {
    /// Lays out all cycles of the market; everything that updates will ever need is allocated here.
    #[must_use]
    pub fn new(market: Arc<Market>, settlement: AssetId, rules: EngineRules) -> Self {
        let cycles = cycles::all(&market, settlement, rules.triangles);
        let table = LogTable::new();
        let sides = market.instruments().len() * 2;
        let none = u32::try_from(sides).unwrap_or(u32::MAX);
        let mut by_side: Vec<Vec<Touch>> = vec![Vec::new(); sides];
        for (cycle, id) in cycles.iter().zip(0u32..) {
            let slots = cycle.slots(none);
            for (own, a, b) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
                if let Some(touches) = by_side.get_mut(slots[own] as usize) {
                    touches.push(Touch {
                        others: [slots[a], slots[b]],
                        cycle: id,
                    });
                }
            }
        }
        let mut starts = Vec::with_capacity(sides + 1);
        let mut touches = Vec::with_capacity(by_side.iter().map(Vec::len).sum());
        for side in by_side {
            starts.push(u32::try_from(touches.len()).unwrap_or(u32::MAX));
            touches.extend(side);
        }
        starts.push(u32::try_from(touches.len()).unwrap_or(u32::MAX));
        let ppm = |value: i64| table.log2(value.unsigned_abs()) - table.log2(PPM.unsigned_abs());
        let mut weights = vec![NO_PRICE; sides + 1];
        if let Some(last) = weights.last_mut() {
            *last = 0;
        }
        Self {
            rules,
            least: ppm(PPM + rules.min_edge_ppm) - logarithm::MARGIN,
            quotes: vec![None; market.instruments().len()],
            used: vec![0; sides],
            weights,
            fee_weights: market.ids().map(|id| ppm(PPM - market.fee_ppm(id))).collect(),
            touches,
            starts,
            places: vec![NOT_OPEN; cycles.len()],
            open: Vec::with_capacity(cycles.len()),
            moved: Vec::with_capacity(cycles.len()),
            cycles,
            next_sweep: NEVER,
            opened: 0,
            price_one: table.log2(PRICE_ONE.unsigned_abs()),
            table,
            market,
        }
    }

    /// Takes one quote; afterwards [`Self::moved`] names the open cycles through it.
    pub fn on_quote(&mut self, id: InstrumentId, mut quote: Quote, now_ms: i64) -> Update {
        self.moved.clear();
        if now_ms > self.next_sweep {
            self.sweep(now_ms);
        }
        let Some(known) = self.quotes.get_mut(id.index()) else {
            return Update::UnknownInstrument;
        };
        quote.at_ms = quote.at_ms.min(now_ms);
        if known.is_some_and(|k| quote.at_ms < k.at_ms) {
            return Update::Older;
        }
        let sane = quote.is_sane();
        let before = std::mem::replace(known, sane.then_some(quote));
        let was_fresh = before.is_some_and(|k| k.at_ms >= now_ms - self.rules.max_age_ms);
        let fee = self.fee_weights[id.index()];
        let (bid, ask) = if sane {
            let log = |price: Price| self.table.log2(price.0.unsigned_abs()) - self.price_one;
            (log(quote.bid) + fee, fee - log(quote.ask))
        } else {
            (NO_PRICE, NO_PRICE)
        };
        let same_bid = before.is_some_and(|k| k.bid == quote.bid) && was_fresh && sane;
        let same_ask = before.is_some_and(|k| k.ask == quote.ask) && was_fresh && sane;
        for (side, weight, same) in [(Side::Sell, bid, same_bid), (Side::Buy, ask, same_ask)] {
            let slot = Leg { instrument: id, side }.slot() as usize;
            self.used[slot] = 0;
            self.weights[slot] = weight;
            // The same price while the old one was fresh changes no edge: only what is open gains depth and time.
            if same && self.open.is_empty() {
                continue;
            }
            self.visit(slot, weight, now_ms);
        }
        if sane { Update::Applied } else { Update::Refused }
    }

    fn visit(&mut self, slot: usize, weight: i64, now_ms: i64) {
        let (from, to) = (self.starts[slot] as usize, self.starts[slot + 1] as usize);
        for at in from..to {
            let Touch {
                others: [a, b],
                cycle,
            } = self.touches[at];
            let sum = weight + self.weights[a as usize] + self.weights[b as usize];
            if sum >= self.least {
                self.decide(cycle, now_ms);
            } else if !self.open.is_empty() && self.places[cycle as usize] != NOT_OPEN {
                self.close(cycle);
            }
        }
    }

    /// The exact decision on one cycle.
    fn decide(&mut self, cycle: u32, now_ms: i64) {
        let id = CycleId(cycle);
        let (edge_ppm, oldest) = self.exact(id).unwrap_or((i64::MIN, 0));
        let fresh_until = oldest.saturating_add(self.rules.max_age_ms);
        if edge_ppm < self.rules.min_edge_ppm || fresh_until < now_ms {
            self.close(cycle);
            return;
        }
        match self.places[cycle as usize] {
            NOT_OPEN => {
                self.places[cycle as usize] = u32::try_from(self.open.len()).unwrap_or(NOT_OPEN);
                let opportunity = Opportunity {
                    cycle: id,
                    edge_ppm,
                    since_ms: now_ms,
                };
                self.open.push(Open {
                    opportunity,
                    fresh_until,
                });
                self.opened += 1;
            }
            place => {
                let open = &mut self.open[place as usize];
                open.opportunity.edge_ppm = edge_ppm;
                open.fresh_until = fresh_until;
            }
        }
        self.next_sweep = self.next_sweep.min(fresh_until);
        self.moved.push(id);
    }

    /// Edge and time of the oldest quote; none while a leg has no quote.
    fn exact(&self, id: CycleId) -> Option<(i64, i64)> {
        let mut ratio = Ratio::ONE;
        let mut oldest = i64::MAX;
        for leg in self.cycles[id.0 as usize].legs() {
            let quote = self.quotes[leg.instrument.index()]?;
            oldest = oldest.min(quote.at_ms);
            let fee = PPM - self.market.fee_ppm(leg.instrument);
            ratio = match leg.side {
                Side::Sell => ratio.times(quote.bid.0.unsigned_abs(), PRICE_ONE.unsigned_abs()),
                Side::Buy => ratio.times(PRICE_ONE.unsigned_abs(), quote.ask.0.unsigned_abs()),
            };
            ratio = ratio.times(fee.unsigned_abs(), PPM.unsigned_abs());
        }
        Some((ratio.edge_ppm(), oldest))
    }

    fn close(&mut self, cycle: u32) {
        let place = std::mem::replace(&mut self.places[cycle as usize], NOT_OPEN);
        if place == NOT_OPEN {
            return;
        }
        self.open.swap_remove(place as usize);
        if let Some(moved_here) = self.open.get(place as usize) {
            self.places[moved_here.opportunity.cycle.0 as usize] = place;
        }
        if self.open.is_empty() {
            self.next_sweep = NEVER;
        }
    }

    /// Closes what has gone stale by the mere passing of time.
    fn sweep(&mut self, now_ms: i64) {
        let mut next = NEVER;
        let mut at = 0;
        while let Some(open) = self.open.get(at).copied() {
            if open.fresh_until < now_ms {
                self.close(open.opportunity.cycle.0);
                continue;
            }
            next = next.min(open.fresh_until);
            at += 1;
        }
        self.next_sweep = next;
    }

    /// Lets time pass without a quote.
    pub fn on_time(&mut self, now_ms: i64) {
        self.moved.clear();
        if now_ms > self.next_sweep {
            self.sweep(now_ms);
        }
    }

    /// Open cycles that the last update opened or moved.
    #[must_use]
    pub fn moved(&self) -> &[CycleId] {
        &self.moved
    }

    /// Everything profitable now, also what has outlived its life.
    pub fn profitable(&self) -> impl Iterator<Item = Opportunity> + '_ {
        self.open.iter().map(|o| o.opportunity)
    }

    /// What may be taken now.
    pub fn opportunities(&self, now_ms: i64) -> impl Iterator<Item = Opportunity> + '_ {
        self.profitable()
            .filter(move |o| now_ms - o.since_ms < self.rules.life_ms)
    }

    /// The opportunity of a cycle, if it may be taken now.
    #[must_use]
    pub fn opportunity(&self, id: CycleId, now_ms: i64) -> Option<Opportunity> {
        let place = *self.places.get(id.0 as usize)?;
        let open = self.open.get(place as usize)?;
        (open.fresh_until >= now_ms && now_ms - open.opportunity.since_ms < self.rules.life_ms)
            .then_some(open.opportunity)
    }

    /// USDT that the least depth along the legs can carry, net of what operations have used.
    #[must_use]
    pub fn depth(&self, id: CycleId) -> Usdt {
        self.carried(id, &self.used)
    }

    /// USDT that the least depth along the legs could carry as it is quoted.
    #[must_use]
    pub fn quoted_depth(&self, id: CycleId) -> Usdt {
        self.carried(id, &[])
    }

    fn carried(&self, id: CycleId, used: &[i64]) -> Usdt {
        let Some(cycle) = self.cycles.get(id.0 as usize) else {
            return Usdt::ZERO;
        };
        let mut start = i128::from(i64::MAX);
        // The most that could arrive at each leg, rounded up, so that the start scaled by it never overfills one.
        let mut amount = start;
        for leg in cycle.legs() {
            let Some(quote) = self.quotes[leg.instrument.index()] else {
                return Usdt::ZERO;
            };
            let used = used.get(leg.slot() as usize).copied().unwrap_or(0);
            let most = match leg.side {
                Side::Sell => i128::from((quote.bid_quantity.0 - used).max(0)),
                Side::Buy => worth((quote.ask_quantity.0 - used).max(0), quote.ask),
            };
            if amount > most {
                start = start * most / amount;
                amount = most;
            }
            amount = self.convert(leg, quote, amount, 1);
            if start == 0 || amount == 0 {
                return Usdt::ZERO;
            }
        }
        Usdt(i64::try_from(start / i128::from(AMOUNT_PER_MICRO)).unwrap_or(i64::MAX))
    }

    /// Marks the depth that an operation of `size` uses along the cycle.
    pub fn take(&mut self, id: CycleId, size: Usdt) {
        let Some(cycle) = self.cycles.get(id.0 as usize).copied() else {
            return;
        };
        let mut amount = i128::from(size.0.max(0)) * i128::from(AMOUNT_PER_MICRO);
        for leg in cycle.legs() {
            let Some(quote) = self.quotes[leg.instrument.index()] else {
                return;
            };
            let base = match leg.side {
                Side::Sell => amount,
                Side::Buy => amount * i128::from(PRICE_ONE) / i128::from(quote.ask.0.max(1)),
            };
            let used = &mut self.used[leg.slot() as usize];
            *used = used.saturating_add(i64::try_from(base).unwrap_or(i64::MAX));
            amount = self.convert(leg, quote, amount, 0);
        }
    }

    /// What a leg makes of an amount at its quote, net of fee: floored, or with `up` = 1 rounded up. Amounts are in 10⁻⁸ of
    /// their asset and kept within 63 bits.
    fn convert(&self, leg: Leg, quote: Quote, amount: i128, up: i128) -> i128 {
        let divide = |over: i128, under: i128| (over + up * (under - 1)) / under;
        let gross = match leg.side {
            Side::Sell => divide(amount * i128::from(quote.bid.0), i128::from(PRICE_ONE)),
            Side::Buy => divide(amount * i128::from(PRICE_ONE), i128::from(quote.ask.0.max(1))),
        };
        let kept = i128::from(PPM - self.market.fee_ppm(leg.instrument));
        divide(gross.min(i128::from(i64::MAX)) * kept, i128::from(PPM)).max(0)
    }

    #[must_use]
    pub fn cycle(&self, id: CycleId) -> Option<Cycle> {
        self.cycles.get(id.0 as usize).copied()
    }
    #[must_use]
    pub fn cycles(&self) -> &[Cycle] {
        &self.cycles
    }
    #[must_use]
    pub fn quote(&self, id: InstrumentId) -> Option<Quote> {
        self.quotes.get(id.index()).copied().flatten()
    }
    /// The quote unless it is stale.
    #[must_use]
    pub fn fresh_quote(&self, id: InstrumentId, now_ms: i64) -> Option<Quote> {
        self.quote(id)
            .filter(|q| q.at_ms >= now_ms - self.rules.max_age_ms)
    }
    #[must_use]
    pub fn market(&self) -> &Arc<Market> {
        &self.market
    }
    /// Opportunities opened since the start.
    #[must_use]
    pub const fn opened(&self) -> u64 {
        self.opened
    }
}

/// Quote amount of a base quantity at a price, floored, within 63 bits.
fn worth(quantity: i64, price: Price) -> i128 {
    (i128::from(quantity) * i128::from(price.0) / i128::from(PRICE_ONE)).min(i128::from(i64::MAX))
}

#[cfg(test)]
mod tests;
