//! Operations on their way into the books: what waits, and the batches under way.
//!
//! A batch is one transaction, and a transaction is one process of the database: a single one leaves the other cores idle. So
//! batches go side by side. No robot is in two of them, and an operation never overtakes an earlier one of the same robot: what
//! happened to a robot is booked in the order in which it happened.

use std::{collections::HashSet, sync::Arc};

use protocol::{
    ids::{BatchId, LicenceId},
    views::Mode,
};

use super::port::{Batch, Operation};

/// Shares that are worth a transaction of their own; fewer go together.
const WORTH_A_LANE: usize = 1_000;

/// A batch that the server works on, or that waits for another try.
struct Lane {
    batch: Arc<Batch>,
    robots: HashSet<LicenceId>,
    tries: u32,
    /// None while the server works on it.
    again_ms: Option<i64>,
}

/// Part of a division: operations of one batch to be.
#[derive(Default)]
struct Part {
    operations: Vec<Operation>,
    robots: HashSet<LicenceId>,
    shares: usize,
}

pub(super) struct Settlements {
    /// Batches under way at once.
    width: usize,
    waiting: Vec<Operation>,
    lanes: Vec<Lane>,
    /// Something has come or gone since what waits was looked through.
    changed: bool,
}

impl Settlements {
    pub(super) const fn new(width: usize) -> Self {
        Self {
            width,
            waiting: Vec::new(),
            lanes: Vec::new(),
            changed: false,
        }
    }

    pub(super) fn push(&mut self, operation: Operation) {
        self.changed = true;
        self.waiting.push(operation);
    }

    /// Operations that no batch holds yet.
    pub(super) const fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Nothing is left to be booked.
    pub(super) const fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.lanes.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.lanes.clear();
    }

    /// What the server is to book now: batches whose next try is due, and as many new ones as there is room for. None when there
    /// was nothing to look at.
    pub(super) fn due(&mut self, mode: Mode, now_ms: i64) -> Option<Vec<Arc<Batch>>> {
        let looked = std::mem::take(&mut self.changed) && !self.waiting.is_empty();
        let mut due = Vec::new();
        for lane in &mut self.lanes {
            if lane.again_ms.is_some_and(|again| now_ms >= again) {
                lane.again_ms = None;
                lane.tries += 1;
                due.push(Arc::clone(&lane.batch));
            }
        }
        for part in if looked { self.divide() } else { Vec::new() } {
            let taken = |lane: u8| self.lanes.iter().any(|l| l.batch.lane == lane);
            let batch = Arc::new(Batch {
                id: BatchId::fresh(),
                mode,
                lane: (0..u8::MAX).find(|lane| !taken(*lane)).unwrap_or(u8::MAX),
                operations: part.operations,
            });
            due.push(Arc::clone(&batch));
            self.lanes.push(Lane {
                batch,
                robots: part.robots,
                tries: 1,
                again_ms: None,
            });
        }
        (looked || !due.is_empty()).then_some(due)
    }

    /// Takes out of what waits all that may go now, in parts that share no robot with each other, with what is under way or
    /// with an earlier operation that stays.
    fn divide(&mut self) -> Vec<Part> {
        let room = self.width.saturating_sub(self.lanes.len());
        if room == 0 {
            return Vec::new();
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut staying = Vec::new();
        let mut held: HashSet<LicenceId> = HashSet::new();
        for operation in std::mem::take(&mut self.waiting) {
            let of =
                |robots: &HashSet<LicenceId>| operation.shares.iter().any(|s| robots.contains(&s.licence));
            let mut meets = (0..parts.len()).filter(|place| parts.get(*place).is_some_and(|p| of(&p.robots)));
            let place = match (meets.next(), meets.next()) {
                _ if of(&held) || self.lanes.iter().any(|lane| of(&lane.robots)) => None,
                (Some(_), Some(_)) => None,
                (Some(only), None) => Some(only),
                (None, _) => Some(roomiest(&mut parts, room)),
            };
            match place.and_then(|place| parts.get_mut(place)) {
                Some(part) => {
                    part.robots.extend(operation.shares.iter().map(|s| s.licence));
                    part.shares += operation.shares.len();
                    part.operations.push(operation);
                }
                None => {
                    held.extend(operation.shares.iter().map(|s| s.licence));
                    staying.push(operation);
                }
            }
        }
        self.waiting = staying;
        parts
    }

    /// The server has booked it: the batch, unless it was none of those under way.
    pub(super) fn booked(&mut self, id: BatchId) -> Option<Arc<Batch>> {
        let place = self.place(id)?;
        self.changed = true;
        Some(self.lanes.swap_remove(place).batch)
    }

    /// What became of it is not known: it is tried again, ever more slowly; how often it was.
    pub(super) fn lost(&mut self, id: BatchId, now_ms: i64, wait_ms: i64) -> Option<u32> {
        let place = self.place(id)?;
        let lane = self.lanes.get_mut(place)?;
        lane.again_ms = Some(now_ms + wait_ms.saturating_mul(1 << lane.tries.min(3)));
        Some(lane.tries)
    }

    fn place(&self, id: BatchId) -> Option<usize> {
        self.lanes.iter().position(|lane| lane.batch.id == id)
    }
}

/// Where an operation goes that meets no other: to the smallest part, or a new one once those that are there are worth it.
fn roomiest(parts: &mut Vec<Part>, room: usize) -> usize {
    let smallest = parts.iter().enumerate().min_by_key(|(_, part)| part.shares);
    match smallest {
        Some((place, part)) if parts.len() >= room || part.shares < WORTH_A_LANE => place,
        _ => {
            parts.push(Part::default());
            parts.len() - 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::{cohort::Share, port::divided};
    use proptest::prelude::*;
    use protocol::{
        ids::{OperationId, UserId},
        money::Usdt,
    };
    use std::collections::{BTreeMap, BTreeSet};
    use uuid::Uuid;

    fn licence(n: u8) -> LicenceId {
        LicenceId(Uuid::from_u128(u128::from(n)))
    }

    /// An operation of these robots, each with so many shares.
    fn operation(robots: &BTreeSet<u8>, each: usize) -> Operation {
        let shares: Vec<Share> = robots
            .iter()
            .flat_map(|n| std::iter::repeat_n(licence(*n), each))
            .map(|licence| Share {
                licence,
                user: UserId(licence.0),
                amount: Usdt::whole(1),
            })
            .collect();
        Operation {
            id: OperationId::fresh(),
            route: String::new(),
            triangular: false,
            edge_ppm: 0,
            decided_ms: 0,
            filled_ms: 0,
            legs: Vec::new(),
            volume: Usdt::ZERO,
            fees: Usdt::ZERO,
            result: Usdt::ZERO,
            manual: false,
            shares: divided(&shares, Usdt::ZERO, Usdt::ZERO, Usdt::ZERO),
        }
    }

    fn robots(of: &[u8]) -> BTreeSet<u8> {
        of.iter().copied().collect()
    }

    fn due(line: &mut Settlements, now_ms: i64) -> Vec<Arc<Batch>> {
        line.due(Mode::Simulated, now_ms).unwrap_or_default()
    }

    #[test]
    fn little_goes_together_and_much_side_by_side() {
        let mut few = Settlements::new(2);
        for n in 0..20 {
            few.push(operation(&robots(&[n]), 1));
        }
        assert_eq!(due(&mut few, 0).len(), 1);
        let mut many = Settlements::new(2);
        for n in 0..20 {
            many.push(operation(&robots(&[n]), WORTH_A_LANE));
        }
        let sizes: Vec<usize> = due(&mut many, 0).iter().map(|b| b.operations.len()).collect();
        assert_eq!(sizes, [10, 10]);
        assert_eq!(many.waiting(), 0);
    }

    #[test]
    fn who_is_under_way_waits_and_is_not_overtaken() {
        let mut line = Settlements::new(2);
        line.push(operation(&robots(&[1]), 1));
        let first = due(&mut line, 0);
        line.push(operation(&robots(&[1, 2]), 1));
        line.push(operation(&robots(&[2]), 1));
        line.push(operation(&robots(&[3]), 1));
        let second = due(&mut line, 0);
        assert_eq!(second.len(), 1);
        assert_eq!(
            second[0].operations[0].shares[0].licence,
            licence(3),
            "it has nothing to do with the others"
        );
        assert_eq!((line.waiting(), due(&mut line, 0).len()), (2, 0));
        // A lost answer keeps its robots until it is found.
        assert_eq!(line.lost(first[0].id, 0, 1_000), Some(1));
        assert!(due(&mut line, 1_999).is_empty());
        assert_eq!(due(&mut line, 2_000), first);
        assert_eq!(line.lost(first[0].id, 2_000, 1_000), Some(2));
        assert!(line.booked(first[0].id).is_some() && line.booked(first[0].id).is_none());
        assert_eq!(
            line.lost(first[0].id, 0, 1_000),
            None,
            "nobody asks for it any more"
        );
        let third = due(&mut line, 3_000);
        assert_eq!(third.iter().map(|b| b.operations.len()).collect::<Vec<_>>(), [2]);
        assert!(!line.is_empty());
        assert!(line.booked(third[0].id).is_some() && line.booked(second[0].id).is_some());
        assert!(line.is_empty());
    }

    proptest! {
        /// Whatever is pushed, booked and lost, in whatever order: every operation is booked once, no robot is in two batches at
        /// once, and each robot's operations are booked in the order in which they came.
        #[test]
        fn every_robot_keeps_its_order(
            width in 1usize..4,
            steps in prop::collection::vec((0u8..4, prop::collection::btree_set(0u8..12, 1..4), 1usize..700), 1..80),
        ) {
            let mut line = Settlements::new(width);
            let (mut pushed, mut booked) = (BTreeMap::<u8, Vec<OperationId>>::new(), BTreeMap::<u8, Vec<OperationId>>::new());
            let mut under_way: Vec<Arc<Batch>> = Vec::new();
            let mut now = 0;
            let number = |id: LicenceId| u8::try_from(id.0.as_u128()).unwrap();
            let mut step = |line: &mut Settlements, what: u8, robots: &BTreeSet<u8>, each: usize, last: bool| {
                now += 10_000;
                match what {
                    0 | 1 if !last => {
                        let new = operation(robots, each);
                        for n in robots {
                            pushed.entry(*n).or_default().push(new.id);
                        }
                        line.push(new);
                    }
                    2 if !under_way.is_empty() => {
                        let batch = under_way.swap_remove(each % under_way.len());
                        let known = line.booked(batch.id).unwrap();
                        assert_eq!(known.id, batch.id);
                        for operation in &batch.operations {
                            for n in operation.shares.iter().map(|s| number(s.licence)).collect::<BTreeSet<_>>() {
                                booked.entry(n).or_default().push(operation.id);
                            }
                        }
                    }
                    3 if !under_way.is_empty() && !last => {
                        let batch = under_way.swap_remove(each % under_way.len());
                        line.lost(batch.id, now, 1).unwrap();
                    }
                    _ => under_way.extend(due(line, now)),
                }
                assert!(under_way.len() <= width);
                let lanes: BTreeSet<u8> = line.lanes.iter().map(|l| l.batch.lane).collect();
                assert_eq!(lanes.len(), line.lanes.len(), "two in one lane");
                let mut seen = BTreeSet::new();
                for batch in &under_way {
                    let own: BTreeSet<u8> = batch.operations.iter().flat_map(|o| &o.shares).map(|s| number(s.licence)).collect();
                    for n in own {
                        assert!(seen.insert(n), "robot {n} is in two batches");
                    }
                }
                line.is_empty()
            };
            for (what, robots, each) in &steps {
                step(&mut line, *what, robots, *each, false);
            }
            let none = BTreeSet::new();
            let mut rounds = 0;
            while !step(&mut line, if rounds % 2 == 0 { 9 } else { 2 }, &none, rounds, true) {
                rounds += 1;
                prop_assert!(rounds < 2_000, "something stays for ever");
            }
            prop_assert_eq!(pushed, booked);
        }
    }
}
