//! Operations that owners order: what automatic robots have left of an opportunity, taken by one robot.

use protocol::{money::Usdt, views::ManualRefusal};

use super::{
    super::{cohort::Share, engine::Opportunity, port::ManualOrder},
    Effect, Floor,
};

impl Floor {
    /// An owner's order: begun, or refused with a reason.
    pub fn on_manual(&mut self, order: &ManualOrder, now_ms: i64) {
        if let Err(reason) = self.manual(order, now_ms) {
            self.effects.push(Effect::Refuse {
                operation: order.operation,
                reason,
            });
        }
    }

    fn manual(&mut self, order: &ManualOrder, now_ms: i64) -> Result<(), ManualRefusal> {
        if !self.begins() {
            return Err(ManualRefusal::DeskOff);
        }
        let named = |o: &Opportunity| {
            let market = self.engine.market();
            self.engine
                .cycle(o.cycle)
                .is_some_and(|c| c.route(market) == order.route)
        };
        let opportunity = self.engine.opportunities(now_ms).find(named);
        // Asked again by its cycle: one that has just turned stale is no longer there.
        let opportunity = opportunity
            .and_then(|o| self.engine.opportunity(o.cycle, now_ms))
            .filter(|o| self.is_traded(o.cycle))
            .ok_or(ManualRefusal::Expired)?;
        if self.flights.len() >= self.rules.max_in_flight || self.is_behind() {
            return Err(ManualRefusal::Busy);
        }
        let (robot, rules) = (&order.robot, self.rules.cohort);
        if opportunity.edge_ppm < rules.edge_ppm(robot.high_risk) {
            return Err(ManualRefusal::Thin);
        }
        if !robot.operating {
            return Err(ManualRefusal::Changed);
        }
        if robot.allocated < rules.least_allocation {
            return Err(ManualRefusal::NotAllocated);
        }
        if now_ms < robot.active_from_ms {
            return Err(ManualRefusal::TooEarly);
        }
        let enough = |amount: Usdt| amount >= rules.least_share && amount.is_positive();
        let cap = rules.share_cap(robot, self.roster.bound(robot.licence));
        if !enough(cap) {
            return Err(ManualRefusal::Bound);
        }
        // Between two quotes what was taken is still in the book: neither of both measures may be exceeded.
        let cycle = opportunity.cycle;
        let left = self.engine.quoted_depth(cycle) - self.taken_of(&opportunity);
        let amount = cap.min(self.bounded(left.min(self.engine.depth(cycle)), cycle));
        if !enough(amount) {
            return Err(ManualRefusal::Taken);
        }
        let share = Share {
            licence: robot.licence,
            user: robot.user,
            amount,
        };
        self.begin(order.operation, &opportunity, vec![share], true, now_ms);
        Ok(())
    }
}
