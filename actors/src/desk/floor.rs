//! The desk's own mind, without time, tasks or I/O: quotes, answers and ticks go in, [`Effect`]s come out.
//!
//! A decision lives through three states: **asked** (its shares are bound here and requested from the server), **due** (the
//! server has reserved them; the fills happen at the quotes `latency_ms` after the decision), **done** (its result waits
//! for the next batch, [`super::settlements`]). A batch that fails is sent again unchanged, under the same id, until it is booked;
//! meanwhile new results of its robots wait, and when too many wait nothing new is begun. Losing the lease ends everything at
//! once: what was not booked then never happened.
//!
//! Owners may order an operation with one robot ([`Floor::on_manual`]). It stands until an opportunity comes that it can take, before
//! automatic robots, and lives on like any other; it never takes a place among the flights that an automatic one needs.
//!
//! In mode live a due operation is not filled here: it goes to the venue ([`Effect::Execute`]), and from that moment neither time
//! nor [`Floor::close`] ends it; its result comes back with [`Floor::on_executed`]. Only triangles of one venue are begun then.
//!
//! Risk is bounded before anything begins: by the size of one operation, by what is in the air through one venue, and by the
//! day: once its losses, booked or about to be, reach the limit, what is in the air is finished and nothing more begins.

use std::{collections::HashMap, sync::Arc};

use protocol::{
    glimpse::Glimpse,
    ids::{BatchId, OperationId},
    money::Usdt,
    views::{DeskHalt, LegView, ManualRefusal, Mode},
};

use super::{
    board::{Board, Figures},
    cohort::{CohortRules, RobotSnapshot, Roster, Share},
    cycles::{Cycle, CycleId, Leg},
    dice::Dice,
    engine::{Engine, EngineRules, Opportunity, Update},
    execution::{self, Executed, ExecutionRules, Prices},
    live::LiveLeg,
    market::{AssetId, InstrumentId, Market, Quote},
    port::{Batch, Day, Limits, LiveDone, LiveOrder, Operation, Risk, SettleError, SettledBatch, divided},
    settlements::Settlements,
};

mod manual;
mod venue;

/// Everything about a desk that is not the market; times in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloorRules {
    pub feed: String,
    pub mode: Mode,
    pub engine: EngineRules,
    pub cohort: CohortRules,
    pub execution: ExecutionRules,
    /// Fills use the quotes this much later than the decision.
    pub latency_ms: i64,
    /// Least time between two settlements.
    pub settle_every_ms: i64,
    /// Batches that are booked side by side. More than the database has cores to spare bring nothing.
    pub settle_width: usize,
    /// Robots are asked for anew this often, besides when told of a change.
    pub refresh_every_ms: i64,
    /// Least time between two such questions: many changes at once are one.
    pub refresh_gap_ms: i64,
    /// An operation whose shares are not confirmed by then is given up.
    pub reserve_within_ms: i64,
    pub max_in_flight: usize,
    /// With more results waiting nothing new is begun.
    pub max_waiting: usize,
    /// Until the server says otherwise.
    pub limits: Limits,
    /// In mode live: the venue that takes orders. Only triangles that lie wholly there are begun.
    pub venue: Option<String>,
    /// How often a venue turns an order down, in millionths: simulated and paper fills must not look better than live ones.
    pub refusal_ppm: u32,
    pub seed: u64,
}

impl FloorRules {
    #[must_use]
    pub fn new(feed: &str, mode: Mode, seed: u64) -> Self {
        Self {
            feed: feed.into(),
            mode,
            engine: EngineRules::default(),
            cohort: CohortRules::default(),
            execution: ExecutionRules::default(),
            latency_ms: 150,
            settle_every_ms: 1_000,
            settle_width: 2,
            refresh_every_ms: 5_000,
            refresh_gap_ms: 200,
            reserve_within_ms: 5_000,
            max_in_flight: 32,
            max_waiting: 2_000,
            limits: Limits::default(),
            venue: None,
            refusal_ppm: 5_000,
            seed,
        }
    }
}

/// What the desk wants done.
#[derive(Clone, Debug)]
pub enum Effect {
    Reserve {
        operation: OperationId,
        shares: Vec<Share>,
        manual: bool,
    },
    /// Nothing was begun for a manual order.
    Refuse {
        operation: OperationId,
        reason: ManualRefusal,
    },
    /// In mode live: the operation goes to the venue. Asked again until it is known what became of it.
    Execute(Arc<LiveOrder>),
    Settle(Arc<Batch>),
    Refresh,
    Show(Glimpse),
}

struct Flight {
    id: OperationId,
    cycle: CycleId,
    edge_ppm: i64,
    decided_ms: i64,
    /// As asked for, then as accepted.
    shares: Vec<Share>,
    accepted: bool,
    manual: bool,
    /// In mode live: the legs with the prices that decided it.
    legs: Vec<LiveLeg>,
    sent: Sent,
}

/// Whether an operation has gone to the venue: from then on time does not end it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    No,
    Asked {
        tries: u32,
    },
    /// What became of it is to be asked again.
    Again {
        at_ms: i64,
        tries: u32,
    },
}

/// How much of one opening has been taken.
#[derive(Clone, Copy, Default)]
struct Taken {
    since_ms: i64,
    size: Usdt,
}

pub struct Floor {
    rules: FloorRules,
    engine: Engine,
    roster: Roster,
    dice: Dice,
    flights: Vec<Flight>,
    settlements: Settlements,
    limits: Limits,
    day: Option<Day>,
    /// Losses that wait to be booked, without the gains: while batches are booked side by side the day may already hold a result
    /// whose own answer is still under way. A loss that counts twice for a moment only stops early, a gain would go too far.
    losses: Usdt,
    taken: HashMap<CycleId, Taken>,
    /// Owners' orders that wait for their opportunity, the first first.
    standing: Vec<manual::Standing>,
    board: Board,
    effects: Vec<Effect>,
    considered: Vec<(i64, CycleId, Usdt)>,
    last_settle_ms: i64,
    last_refresh_ms: i64,
    refreshing: bool,
    wants_refresh: bool,
    closing: bool,
    fenced: bool,
}

struct At<'a> {
    engine: &'a Engine,
    now_ms: i64,
}

impl Prices for At<'_> {
    fn fresh(&self, instrument: InstrumentId) -> Option<Quote> {
        self.engine.fresh_quote(instrument, self.now_ms)
    }
    fn latest(&self, instrument: InstrumentId) -> Option<Quote> {
        self.engine.quote(instrument)
    }
}

impl Floor {
    #[must_use]
    pub fn new(market: Arc<Market>, settlement: AssetId, rules: FloorRules) -> Self {
        let board = Board::new(&market, settlement);
        let settlements = Settlements::new(rules.settle_width);
        Self {
            engine: Engine::new(market, settlement, rules.engine),
            dice: Dice::new(rules.seed),
            limits: rules.limits,
            day: None,
            losses: Usdt::ZERO,
            rules,
            roster: Roster::default(),
            flights: Vec::new(),
            settlements,
            taken: HashMap::new(),
            standing: Vec::new(),
            board,
            effects: Vec::new(),
            considered: Vec::new(),
            last_settle_ms: i64::MIN / 2,
            last_refresh_ms: i64::MIN / 2,
            refreshing: false,
            wants_refresh: true,
            closing: false,
            fenced: false,
        }
    }

    /// What has to be done now, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    pub fn on_quote(&mut self, id: InstrumentId, quote: Quote, now_ms: i64) {
        if self.engine.on_quote(id, quote, now_ms) == Update::Applied {
            self.board.quoted(id);
        }
        if self.engine.moved().is_empty() || (self.roster.is_empty() && self.standing.is_empty()) {
            return;
        }
        // The best edge has the first call on the depth that several cycles share.
        let mut considered = std::mem::take(&mut self.considered);
        considered.clear();
        let open = self
            .engine
            .moved()
            .iter()
            .filter_map(|c| self.engine.opportunity(*c, now_ms));
        considered.extend(open.map(|o| (-o.edge_ppm, o.cycle, Usdt::ZERO)));
        considered.sort_unstable();
        // What owners take now is used of the quotes already: it does not count for robots twice.
        for (_, cycle, taken) in &mut considered {
            if let Some(opportunity) = self.engine.opportunity(*cycle, now_ms) {
                *taken = self.taken_of(&opportunity);
            }
        }
        // Owners are first in line for all that has opened: cycles share the depth of a price that ran away, and a robot that took the
        // best of them would leave nothing to who stands on another.
        for (_, cycle, _) in &considered {
            self.serve(*cycle, now_ms);
        }
        for (_, cycle, taken) in &considered {
            self.consider(*cycle, *taken, now_ms);
        }
        self.considered = considered;
    }

    /// `taken`: of this opening, before these quotes came.
    fn consider(&mut self, cycle: CycleId, taken: Usdt, now_ms: i64) {
        // Manual operations take no place from automatic ones.
        let flying = self.flights.iter().filter(|f| !f.manual).count();
        if !self.begins() || flying >= self.rules.max_in_flight || self.is_behind() || !self.is_traded(cycle)
        {
            return;
        }
        let Some(opportunity) = self.engine.opportunity(cycle, now_ms) else {
            return;
        };
        let size = self.bounded(self.engine.depth(cycle) - taken, cycle);
        let shares = self
            .roster
            .form(size, opportunity.edge_ppm, now_ms, &self.rules.cohort);
        if !shares.is_empty() {
            self.begin(OperationId::fresh(), &opportunity, shares, false, now_ms);
        }
    }

    fn begins(&self) -> bool {
        !self.closing && !self.fenced && self.halted().is_none()
    }

    /// Too many results wait to be booked.
    fn is_behind(&self) -> bool {
        self.settlements.waiting() >= self.rules.max_waiting
    }

    /// What has been taken of an opening. One is taken up to its depth once, however often its quotes are repeated: nobody
    /// else's trades show in a recording or a simulation, in a real book ours would.
    fn taken_of(&mut self, opportunity: &Opportunity) -> Usdt {
        let taken = self.taken.entry(opportunity.cycle).or_default();
        if taken.since_ms != opportunity.since_ms {
            *taken = Taken {
                since_ms: opportunity.since_ms,
                size: Usdt::ZERO,
            };
        }
        taken.size
    }

    /// The part of a size that the limits allow one operation through this cycle now.
    fn bounded(&self, size: Usdt, cycle: CycleId) -> Usdt {
        size.min(self.limits.max_operation).min(self.room(cycle))
    }

    fn begin(
        &mut self,
        id: OperationId,
        opportunity: &Opportunity,
        shares: Vec<Share>,
        manual: bool,
        now_ms: i64,
    ) {
        let cycle = opportunity.cycle;
        let total: Usdt = shares.iter().map(|s| s.amount).sum();
        if let Some(taken) = self.taken.get_mut(&cycle) {
            taken.size += total;
        }
        self.engine.take(cycle, total);
        self.roster.bind(&shares, now_ms);
        self.effects.push(Effect::Reserve {
            operation: id,
            shares: shares.clone(),
            manual,
        });
        let live = self.rules.mode == Mode::Live;
        let flight = Flight {
            id,
            cycle,
            edge_ppm: opportunity.edge_ppm,
            decided_ms: now_ms,
            shares,
            accepted: false,
            manual,
            legs: if live {
                self.live_legs(cycle, now_ms)
            } else {
                Vec::new()
            },
            sent: Sent::No,
        };
        self.flights.push(flight);
    }

    /// Why nothing may begin: the day's losses, with those that are not booked yet. A gain counts once it is booked.
    #[must_use]
    pub fn halted(&self) -> Option<DeskHalt> {
        let net = self.day.map_or(Usdt::ZERO, |d| d.net) + self.losses;
        (net <= -self.limits.daily_loss).then_some(DeskHalt::DailyLoss)
    }

    /// How much more may go through the venues of a cycle now.
    fn room(&self, id: CycleId) -> Usdt {
        let market = self.engine.market();
        let venue = |leg: Leg| market.get(leg.instrument).map(|i| i.venue);
        let passes = |cycle: Cycle, at| cycle.legs().any(|leg| venue(leg) == Some(at));
        let Some(cycle) = self.engine.cycle(id) else {
            return Usdt::ZERO;
        };
        let free = cycle.legs().filter_map(venue).map(|at| {
            let through = self
                .flights
                .iter()
                .filter(|f| self.engine.cycle(f.cycle).is_some_and(|c| passes(c, at)));
            let used: Usdt = through.flat_map(|f| &f.shares).map(|s| s.amount).sum();
            self.limits.max_venue - used
        });
        free.min().unwrap_or(Usdt::ZERO)
    }

    /// What the server says about risk.
    pub fn on_risk(&mut self, risk: Risk) {
        if let Some(limits) = risk.limits {
            self.limits = limits;
        }
        self.take_day(risk.day);
    }

    fn take_day(&mut self, day: Option<Day>) {
        let Some(new) = day else { return };
        // Answers may cross: an older look never replaces a newer booking.
        let newer = self
            .day
            .is_none_or(|known| (new.until_ms, new.operations) >= (known.until_ms, known.operations));
        if newer {
            self.day = Some(new);
        }
    }

    /// The server's answer to [`Effect::Reserve`].
    pub fn on_reserved(&mut self, id: OperationId, answer: Result<Vec<Share>, SettleError>, now_ms: i64) {
        let Some(place) = self.flights.iter().position(|f| f.id == id) else {
            return;
        };
        match answer {
            Ok(accepted) => {
                if let Some(flight) = self.flights.get_mut(place) {
                    let asked = std::mem::replace(&mut flight.shares, accepted);
                    flight.accepted = true;
                    self.roster.release(&asked);
                    self.roster.bind(&flight.shares, now_ms);
                    if flight.shares.is_empty() && self.flights.swap_remove(place).manual {
                        self.effects.push(Effect::Refuse {
                            operation: id,
                            reason: ManualRefusal::Changed,
                        });
                    }
                }
            }
            Err(SettleError::Fenced) => self.fence(),
            // It may have been reserved all the same: the batch frees it.
            Err(SettleError::Unavailable(_)) => self.give_up(place, now_ms),
        }
        self.fill_due(now_ms);
    }

    fn give_up(&mut self, place: usize, now_ms: i64) {
        let flight = self.flights.swap_remove(place);
        self.finish(flight, LiveDone::default(), now_ms);
    }

    /// Fills what is due, in order of decision.
    fn fill_due(&mut self, now_ms: i64) {
        let mut due: Vec<(i64, OperationId)> = Vec::new();
        for flight in &self.flights {
            let age = now_ms - flight.decided_ms;
            match flight.sent {
                Sent::No => {}
                Sent::Again { at_ms, .. } if now_ms >= at_ms => {
                    due.push((flight.decided_ms, flight.id));
                    continue;
                }
                Sent::Asked { .. } | Sent::Again { .. } => continue,
            }
            if (flight.accepted && age >= self.rules.latency_ms) || age >= self.rules.reserve_within_ms {
                due.push((flight.decided_ms, flight.id));
            }
        }
        due.sort_unstable();
        for (_, id) in due {
            let Some(place) = self.flights.iter().position(|f| f.id == id) else {
                continue;
            };
            let late = self.flights.get(place).is_some_and(|f| {
                let over = now_ms - f.decided_ms >= self.rules.reserve_within_ms;
                f.sent == Sent::No && (!f.accepted || over)
            });
            if late {
                self.give_up(place, now_ms);
                continue;
            }
            if self.rules.mode == Mode::Live {
                self.send(place);
                continue;
            }
            let flight = self.flights.swap_remove(place);
            let Some(cycle) = self.engine.cycle(flight.cycle) else {
                continue;
            };
            let size = flight.shares.iter().map(|s| s.amount).sum();
            let refused: Vec<bool> = cycle
                .legs()
                .map(|_| self.dice.chance(self.rules.refusal_ppm))
                .collect();
            let prices = At {
                engine: &self.engine,
                now_ms,
            };
            let done = execution::execute(
                self.engine.market(),
                &cycle,
                size,
                &prices,
                &refused,
                &self.rules.execution,
            );
            let done = self.seen(done);
            self.finish(flight, done, now_ms);
        }
    }

    /// Fills of quotes as people see them.
    fn seen(&self, done: Executed) -> LiveDone {
        let market = self.engine.market();
        let legs = done.fills.iter().map(|fill| LegView {
            venue: market.venue_name(fill.instrument).to_owned(),
            symbol: market.symbol(fill.instrument),
            side: fill.side.as_str().to_owned(),
            price: fill.price.to_string(),
            quantity: fill.quantity.to_string(),
            fee: format!("{} {}", fill.fee, fill.received_asset(market)),
            unwinding: fill.unwinding,
        });
        LiveDone {
            legs: legs.collect(),
            volume: done.volume,
            fees: done.fees,
            result: done.result,
        }
    }

    fn finish(&mut self, flight: Flight, done: LiveDone, now_ms: i64) {
        let Some(cycle) = self.engine.cycle(flight.cycle) else {
            return;
        };
        if !done.legs.is_empty() {
            self.board.operated();
        }
        self.losses += loss(done.result);
        self.settlements.push(Operation {
            id: flight.id,
            route: cycle.route(self.engine.market()),
            triangular: cycle.is_triangle(),
            edge_ppm: flight.edge_ppm,
            decided_ms: flight.decided_ms,
            filled_ms: now_ms,
            volume: done.volume,
            fees: done.fees,
            result: done.result,
            manual: flight.manual,
            shares: divided(&flight.shares, done.volume, done.fees, done.result),
            legs: done.legs,
        });
    }

    /// The server's answer to [`Effect::Settle`].
    pub fn on_settled(&mut self, id: BatchId, answer: Result<SettledBatch, SettleError>, now_ms: i64) {
        match answer {
            Ok(settled) => {
                let Some(batch) = self.settlements.booked(id) else {
                    return;
                };
                for operation in &batch.operations {
                    let shares = operation.shares.iter();
                    let shares: Vec<Share> = shares
                        .map(|s| Share {
                            licence: s.licence,
                            user: s.user,
                            amount: s.amount,
                        })
                        .collect();
                    self.roster.release(&shares);
                    self.losses -= loss(operation.result);
                }
                self.take_day(settled.day);
                for robot in settled.robots {
                    self.roster.put(robot);
                }
            }
            Err(SettleError::Fenced) => self.fence(),
            Err(SettleError::Unavailable(reason)) => {
                let wait = self.rules.settle_every_ms;
                if let Some(tries) = self.settlements.lost(id, now_ms, wait) {
                    tracing::warn!(batch = %id, tries, reason, "batch not booked, kept for another try");
                }
            }
        }
    }

    /// The server's answer to [`Effect::Refresh`].
    pub fn on_eligible(&mut self, answer: Result<Vec<RobotSnapshot>, SettleError>, now_ms: i64) {
        self.refreshing = false;
        self.last_refresh_ms = now_ms;
        match answer {
            Ok(robots) => self.roster.replace(robots),
            Err(SettleError::Fenced) => self.fence(),
            Err(SettleError::Unavailable(reason)) => tracing::warn!(reason, "robots could not be read"),
        }
    }

    /// Something about the robots changed: they are asked for at the next tick.
    pub const fn wake(&mut self) {
        self.wants_refresh = true;
    }

    /// Begins nothing more; what is in the air is finished and booked.
    pub fn close(&mut self) {
        self.closing = true;
        self.dismiss();
    }

    /// The lease is lost: nothing of what is not booked will ever be.
    pub fn fence(&mut self) {
        self.fenced = true;
        self.flights.clear();
        self.settlements.clear();
        self.standing.clear();
        self.effects.clear();
        self.losses = Usdt::ZERO;
    }

    /// Nothing left to do after [`Self::close`] or [`Self::fence`].
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.fenced || (self.closing && self.flights.is_empty() && self.settlements.is_empty())
    }

    /// Lets time pass: fills, settles, refreshes, shows.
    pub fn on_tick(&mut self, now_ms: i64) {
        if self.fenced {
            return;
        }
        self.engine.on_time(now_ms);
        if self.day.is_some_and(|day| now_ms >= day.until_ms) {
            (self.day, self.wants_refresh) = (None, true);
        }
        self.fill_due(now_ms);
        self.stand(now_ms);
        self.settle(now_ms);
        let since = now_ms - self.last_refresh_ms;
        let due = since >= self.rules.refresh_every_ms
            || (self.wants_refresh && since >= self.rules.refresh_gap_ms);
        if due && !self.refreshing && !self.closing {
            (self.refreshing, self.wants_refresh) = (true, false);
            self.effects.push(Effect::Refresh);
        }
        // Turns of long-gone openings need no memory.
        self.taken.retain(|_, t| now_ms - t.since_ms <= 60_000);
        let figures = Figures {
            feed: &self.rules.feed,
            mode: self.rules.mode,
            running: !self.closing,
            halted: self.halted(),
            robots: self.roster.len(),
        };
        self.board.show(&self.engine, &figures, now_ms, |glimpse| {
            self.effects.push(Effect::Show(glimpse))
        });
    }

    fn settle(&mut self, now_ms: i64) {
        if now_ms - self.last_settle_ms < self.rules.settle_every_ms {
            return;
        }
        let Some(due) = self.settlements.due(self.rules.mode, now_ms) else {
            return;
        };
        // Also when nothing can go yet: looking through what waits has its price.
        self.last_settle_ms = now_ms;
        self.effects.extend(due.into_iter().map(Effect::Settle));
    }
}

/// The part of a result that is a loss: negative, or zero.
fn loss(result: Usdt) -> Usdt {
    result.min(Usdt::ZERO)
}

#[cfg(test)]
mod tests;
