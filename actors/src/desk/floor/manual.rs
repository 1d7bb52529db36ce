//! Operations that owners order. An order stands until an opportunity comes that it can take, first in line before automatic robots; it ends
//! with the operation, by its owner's word, or with the reason why nothing came: no person is as quick as a robot.

use protocol::{ids::OperationId, money::Usdt, views::ManualRefusal};

use super::{
    super::{cohort::Share, cycles::CycleId, engine::Opportunity, port::ManualOrder},
    Effect, Floor,
};

/// Orders that stand at once, of all owners together.
const STANDING: usize = 4_096;

/// An order that waits for its opportunity.
pub(super) struct Standing {
    order: ManualOrder,
    /// Why nothing has come of it so far.
    reason: ManualRefusal,
}

/// What another opportunity, or another moment, may change.
const fn passes(reason: ManualRefusal) -> bool {
    matches!(
        reason,
        ManualRefusal::Expired
            | ManualRefusal::Thin
            | ManualRefusal::Taken
            | ManualRefusal::Busy
            | ManualRefusal::Bound
    )
}

impl Floor {
    /// An owner's order: begun at once with what is open, or standing from now on, or refused with a reason.
    pub fn on_manual(&mut self, order: &ManualOrder, now_ms: i64) {
        let open = self.open(now_ms);
        let Err(reason) = self.look(order, &open, now_ms) else {
            return;
        };
        if passes(reason) && now_ms < order.until_ms && self.standing.len() < STANDING {
            self.standing.push(Standing {
                order: order.clone(),
                reason,
            });
        } else {
            self.refuse(order.operation, reason);
        }
    }

    fn refuse(&mut self, operation: OperationId, reason: ManualRefusal) {
        self.effects.push(Effect::Refuse { operation, reason });
    }

    /// The first standing order, in the order in which they came, that takes part in an opportunity that has just come or moved; then the next.
    pub(super) fn serve(&mut self, cycle: CycleId, now_ms: i64) {
        if self.standing.is_empty() || !self.begins() {
            return;
        }
        let waiting = std::mem::take(&mut self.standing);
        for mut standing in waiting {
            // Asked again for each: what the one before took is gone.
            let opportunity = self
                .engine
                .opportunity(cycle, now_ms)
                .filter(|o| self.meant(&standing.order, o));
            let Some(opportunity) = opportunity else {
                self.standing.push(standing);
                continue;
            };
            match self.take(&standing.order, &opportunity, now_ms) {
                Ok(()) => {}
                Err(reason) if passes(reason) => {
                    standing.reason = reason;
                    self.standing.push(standing);
                }
                Err(reason) => self.refuse(standing.order.operation, reason),
            }
        }
    }

    /// Lets time pass for what stands: what has become possible is taken, what is over ends.
    pub(super) fn stand(&mut self, now_ms: i64) {
        if self.standing.is_empty() {
            return;
        }
        let open = self.open(now_ms);
        let waiting = std::mem::take(&mut self.standing);
        for mut standing in waiting {
            let Err(reason) = self.look(&standing.order, &open, now_ms) else {
                continue;
            };
            // That nothing is open now hides no nearer reason.
            if reason != ManualRefusal::Expired {
                standing.reason = reason;
            }
            if passes(reason) && now_ms < standing.order.until_ms {
                self.standing.push(standing);
            } else {
                self.refuse(standing.order.operation, standing.reason);
            }
        }
    }

    /// Nothing more is begun: what stands ends with that reason.
    pub(super) fn dismiss(&mut self) {
        for standing in std::mem::take(&mut self.standing) {
            self.refuse(standing.order.operation, ManualRefusal::DeskOff);
        }
    }

    /// An opportunity that an order is for: of its route, or any.
    fn meant(&self, order: &ManualOrder, opportunity: &Opportunity) -> bool {
        let market = self.engine.market();
        let named = |route: &str| {
            self.engine
                .cycle(opportunity.cycle)
                .is_some_and(|c| c.route(market) == route)
        };
        self.is_traded(opportunity.cycle) && order.route.as_deref().is_none_or(named)
    }

    /// What is open now, the best first.
    fn open(&self, now_ms: i64) -> Vec<CycleId> {
        let mut open: Vec<(i64, CycleId)> = self
            .engine
            .opportunities(now_ms)
            .map(|o| (-o.edge_ppm, o.cycle))
            .collect();
        open.sort_unstable();
        open.into_iter().map(|(_, cycle)| cycle).collect()
    }

    /// Begins an order with what is open: the best that it can take. Of several reasons against that of the best.
    fn look(&mut self, order: &ManualOrder, open: &[CycleId], now_ms: i64) -> Result<(), ManualRefusal> {
        if !self.begins() {
            return Err(ManualRefusal::DeskOff);
        }
        self.fits(order, now_ms)?;
        let mut first = None;
        for cycle in open {
            // Asked again by its cycle: one that has just turned stale, or was taken, is no longer there.
            let opportunity = self
                .engine
                .opportunity(*cycle, now_ms)
                .filter(|o| self.meant(order, o));
            let Some(opportunity) = opportunity else {
                continue;
            };
            match self.take(order, &opportunity, now_ms) {
                Ok(()) => return Ok(()),
                Err(reason) => first = first.or(Some(reason)),
            }
        }
        Err(first.unwrap_or(ManualRefusal::Expired))
    }

    /// What must hold of the robot whatever is open.
    fn fits(&self, order: &ManualOrder, now_ms: i64) -> Result<(), ManualRefusal> {
        let (robot, rules) = (&order.robot, self.rules.cohort);
        if !robot.operating {
            return Err(ManualRefusal::Changed);
        }
        if robot.allocated < rules.least_allocation {
            return Err(ManualRefusal::NotAllocated);
        }
        if now_ms < robot.active_from_ms {
            return Err(ManualRefusal::TooEarly);
        }
        Ok(())
    }

    fn take(
        &mut self,
        order: &ManualOrder,
        opportunity: &Opportunity,
        now_ms: i64,
    ) -> Result<(), ManualRefusal> {
        self.fits(order, now_ms)?;
        if self.flights.len() >= self.rules.max_in_flight || self.is_behind() {
            return Err(ManualRefusal::Busy);
        }
        let (robot, rules) = (&order.robot, self.rules.cohort);
        if opportunity.edge_ppm < rules.edge_ppm(robot.high_risk) {
            return Err(ManualRefusal::Thin);
        }
        let enough = |amount: Usdt| amount >= rules.least_share && amount.is_positive();
        let cap = rules.share_cap(robot, self.roster.bound(robot.licence));
        if !enough(cap) {
            return Err(ManualRefusal::Bound);
        }
        // Between two quotes what was taken is still in the book: neither of both measures may be exceeded.
        let cycle = opportunity.cycle;
        let left = self.engine.quoted_depth(cycle) - self.taken_of(opportunity);
        let amount = cap.min(self.bounded(left.min(self.engine.depth(cycle)), cycle));
        if !enough(amount) {
            return Err(ManualRefusal::Taken);
        }
        let share = Share {
            licence: robot.licence,
            user: robot.user,
            amount,
        };
        self.begin(order.operation, opportunity, vec![share], true, now_ms);
        Ok(())
    }
}
