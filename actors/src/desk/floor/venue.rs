//! In mode live: which opportunities may go to the venue, and operations on their way there and back.

use std::sync::Arc;

use protocol::{ids::OperationId, views::Mode};

use super::{
    super::{
        cycles::CycleId,
        execution,
        live::LiveLeg,
        port::{LiveDone, LiveOrder, SettleError},
    },
    Effect, Floor, Sent,
};

impl Floor {
    /// In mode live only triangles of the one venue that takes orders are.
    pub(super) fn is_traded(&self, id: CycleId) -> bool {
        if self.rules.mode != Mode::Live {
            return true;
        }
        let (market, venue) = (self.engine.market(), self.rules.venue.as_deref());
        self.engine.cycle(id).is_some_and(|cycle| {
            cycle.is_triangle()
                && cycle
                    .legs()
                    .all(|l| Some(market.venue_name(l.instrument)) == venue)
        })
    }

    /// The legs of a cycle at the prices of now.
    pub(super) fn live_legs(&self, id: CycleId, now_ms: i64) -> Vec<LiveLeg> {
        let market = self.engine.market();
        let legs = self.engine.cycle(id).into_iter().flat_map(|cycle| cycle.legs());
        let legs = legs.filter_map(|leg| {
            let (i, quote) = (
                market.get(leg.instrument)?,
                self.engine.fresh_quote(leg.instrument, now_ms)?,
            );
            Some(LiveLeg {
                base: market.asset_name(i.base).to_owned(),
                quote: market.asset_name(i.quote).to_owned(),
                side: leg.side,
                price: execution::level(leg.side, &quote).price,
            })
        });
        legs.collect()
    }

    /// Hands an operation to the venue. What was handed before goes on where it stands.
    pub(super) fn send(&mut self, place: usize) {
        let Some(flight) = self.flights.get_mut(place) else {
            return;
        };
        let route = self.engine.cycle(flight.cycle);
        let route = route.map(|cycle| cycle.route(self.engine.market()));
        self.effects.push(Effect::Execute(Arc::new(LiveOrder {
            operation: flight.id,
            route: route.unwrap_or_default(),
            edge_ppm: flight.edge_ppm,
            decided_ms: flight.decided_ms,
            manual: flight.manual,
            legs: flight.legs.clone(),
            shares: flight.shares.clone(),
        })));
        flight.sent = match flight.sent {
            Sent::Again { tries, .. } => Sent::Asked { tries },
            _ => Sent::Asked { tries: 0 },
        };
    }

    /// The server's answer to [`Effect::Execute`].
    pub fn on_executed(&mut self, id: OperationId, answer: Result<LiveDone, SettleError>, now_ms: i64) {
        let Some(place) = self.flights.iter().position(|f| f.id == id) else {
            return;
        };
        match answer {
            Ok(done) => {
                let flight = self.flights.swap_remove(place);
                self.finish(flight, done, now_ms);
            }
            Err(SettleError::Fenced) => self.fence(),
            Err(SettleError::Unavailable(reason)) => {
                if let Some(flight) = self.flights.get_mut(place)
                    && let Sent::Asked { tries } = flight.sent
                {
                    let wait = self.rules.settle_every_ms.saturating_mul(1 << tries.min(3));
                    flight.sent = Sent::Again {
                        at_ms: now_ms + wait,
                        tries: tries.saturating_add(1),
                    };
                    tracing::warn!(operation = %id, tries, reason, "what became of an operation is not known yet");
                }
            }
        }
    }
}
