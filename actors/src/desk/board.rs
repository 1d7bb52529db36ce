//! What the desk shows of itself: its figures once a second, the best opportunities five times a second, prices against
//! the settlement asset once a second. Glimpses only: nothing here is stored or decides anything.

use std::collections::VecDeque;

use protocol::{
    glimpse::{DeskStats, Glimpse, OpportunityView, QuoteView},
    views::{DeskHalt, Mode},
};

use super::{
    engine::Engine,
    market::{AssetId, InstrumentId, Market},
};

const OPPORTUNITIES_EVERY_MS: i64 = 200;
const FIGURES_EVERY_MS: i64 = 1_000;
/// More lines than this nobody reads.
const OPPORTUNITIES_SHOWN: usize = 10;

pub(super) struct Figures<'a> {
    pub feed: &'a str,
    pub mode: Mode,
    pub running: bool,
    pub halted: Option<DeskHalt>,
    pub robots: usize,
}

pub(super) struct Board {
    /// By instrument: whether its price is shown, and whether it moved since.
    shown: Vec<(bool, bool)>,
    quotes: u32,
    operations: u32,
    /// Per second of the last minute: opportunities opened, operations done.
    minute: VecDeque<(u32, u32)>,
    opened_before: u64,
    last_opportunities_ms: i64,
    last_figures_ms: i64,
}

impl Board {
    pub(super) fn new(market: &Market, settlement: AssetId) -> Self {
        Self {
            shown: market
                .instruments()
                .iter()
                .map(|i| (i.quote == settlement, false))
                .collect(),
            quotes: 0,
            operations: 0,
            minute: VecDeque::with_capacity(60),
            opened_before: 0,
            last_opportunities_ms: i64::MIN / 2,
            last_figures_ms: i64::MIN / 2,
        }
    }

    pub(super) fn quoted(&mut self, id: InstrumentId) {
        self.quotes += 1;
        if let Some((_, moved)) = self.shown.get_mut(id.index()) {
            *moved = true;
        }
    }

    pub(super) const fn operated(&mut self) {
        self.operations += 1;
    }

    pub(super) fn show(
        &mut self,
        engine: &Engine,
        figures: &Figures<'_>,
        now_ms: i64,
        mut emit: impl FnMut(Glimpse),
    ) {
        if now_ms - self.last_opportunities_ms >= OPPORTUNITIES_EVERY_MS {
            self.last_opportunities_ms = now_ms;
            let mut best: Vec<_> = engine.opportunities(now_ms).collect();
            best.sort_unstable_by_key(|o| (-o.edge_ppm, o.cycle));
            for o in best.into_iter().take(OPPORTUNITIES_SHOWN) {
                let Some(cycle) = engine.cycle(o.cycle) else {
                    continue;
                };
                emit(Glimpse::Opportunity(OpportunityView {
                    route: cycle.route(engine.market()),
                    edge: format!("{}.{:04}", o.edge_ppm / 10_000, o.edge_ppm % 10_000),
                    size: engine.depth(o.cycle).to_string(),
                    age_ms: u32::try_from(now_ms - o.since_ms).unwrap_or(0),
                }));
            }
        }
        if now_ms - self.last_figures_ms >= FIGURES_EVERY_MS {
            let seconds = u32::try_from((now_ms - self.last_figures_ms) / FIGURES_EVERY_MS).unwrap_or(1);
            self.last_figures_ms = now_ms;
            self.figures(engine, figures, seconds, &mut emit);
        }
    }

    fn figures(
        &mut self,
        engine: &Engine,
        figures: &Figures<'_>,
        seconds: u32,
        emit: &mut impl FnMut(Glimpse),
    ) {
        let market = engine.market();
        for (id, (shown, moved)) in market.ids().zip(self.shown.iter_mut()) {
            if *shown && std::mem::take(moved) {
                let Some(quote) = engine.quote(id) else { continue };
                emit(Glimpse::Quote(QuoteView {
                    venue: market.venue_name(id).to_owned(),
                    symbol: market.symbol(id),
                    bid: quote.bid.to_string(),
                    ask: quote.ask.to_string(),
                }));
            }
        }
        let opened = u32::try_from(engine.opened() - self.opened_before).unwrap_or(u32::MAX);
        self.opened_before = engine.opened();
        if self.minute.len() >= 60 {
            self.minute.pop_front();
        }
        self.minute
            .push_back((opened, std::mem::take(&mut self.operations)));
        let quotes = std::mem::take(&mut self.quotes);
        emit(Glimpse::DeskStats(DeskStats {
            feed: figures.feed.to_owned(),
            mode: figures.mode,
            running: figures.running,
            quotes_per_second: quotes / seconds.max(1),
            opportunities_per_minute: self.minute.iter().map(|m| m.0).sum(),
            operations_per_minute: self.minute.iter().map(|m| m.1).sum(),
            robots: u32::try_from(figures.robots).unwrap_or(u32::MAX),
            halted: figures.halted,
        }));
    }
}
