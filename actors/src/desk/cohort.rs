//! Who takes part in an operation (docs/rules/desk.md#cohorts): pure.
//!
//! Robots stand in a queue by when they were last served. An opportunity is cut into shares from the head of that queue:
//! each robot at most its fraction of its own allocation, at least one USDT, until the size is filled. Standard and
//! high-risk robots queue apart, because a thin edge is enough only for the latter; a cohort draws from both in the order
//! of service.
//!
//! A robot that follows another stands in no queue: it takes part only where its leader has a share, with the same fraction
//! of its own allocation, and only of what the cohort leaves of the size. Followers have no followers.
//!
//! A result is divided in proportion to the shares, in whole micro-units: what is left over goes one unit each to the
//! largest remainders, so that the parts always add up to the result and nothing stays with the house.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
};

use super::market::PPM;

/// Bounds on shares; all come from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CohortRules {
    /// Least net edge in millionths.
    pub standard_edge_ppm: i64,
    pub high_risk_edge_ppm: i64,
    /// Largest share in millionths of the robot's allocation.
    pub standard_share_ppm: i64,
    pub high_risk_share_ppm: i64,
    pub least_share: Usdt,
    /// A robot with less allocated takes no part.
    pub least_allocation: Usdt,
}

impl Default for CohortRules {
    fn default() -> Self {
        Self {
            standard_edge_ppm: 500,
            high_risk_edge_ppm: 200,
            standard_share_ppm: 100_000,
            high_risk_share_ppm: 250_000,
            least_share: Usdt::whole(1),
            least_allocation: Usdt::whole(10),
        }
    }
}

impl CohortRules {
    #[must_use]
    pub const fn edge_ppm(&self, high_risk: bool) -> i64 {
        if high_risk {
            self.high_risk_edge_ppm
        } else {
            self.standard_edge_ppm
        }
    }

    /// The most that a robot may put into one operation: its fraction, and never more than is free.
    #[must_use]
    pub fn share_cap(&self, robot: &RobotSnapshot, bound: Usdt) -> Usdt {
        let ppm = if robot.high_risk {
            self.high_risk_share_ppm
        } else {
            self.standard_share_ppm
        };
        let fraction = robot.allocated.mul_div_floor(ppm, PPM).unwrap_or(Usdt::ZERO);
        Usdt(fraction.0.min(robot.allocated.0.saturating_sub(bound.0)).max(0))
    }
}

/// A robot as the server knows it. Whether it may trade at all (paused, goal, ceiling, manual key, inactive owner) is the
/// server's to say by `operating`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotSnapshot {
    pub licence: LicenceId,
    pub user: UserId,
    pub high_risk: bool,
    pub allocated: Usdt,
    pub operating: bool,
    /// The next full minute after the latest allocation, relocation or resumption.
    pub active_from_ms: i64,
    /// When it last had a share; 0 for never.
    pub last_served_ms: i64,
    /// Whose operations it copies; it takes part in no others.
    pub follows: Option<LicenceId>,
    /// Grows with every change of the licence: what is older never replaces what is newer.
    pub version: i64,
}

/// The first full minute after `at_ms`: capital moved at that moment takes part from then on.
#[must_use]
pub const fn next_full_minute(at_ms: i64) -> i64 {
    (at_ms.div_euclid(60_000) + 1) * 60_000
}

/// One robot's part of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub licence: LicenceId,
    pub user: UserId,
    pub amount: Usdt,
}

/// Order of service: the longest unserved first; ties by licence, which is by age.
type Turn = (i64, LicenceId);

/// All robots that may trade, queued; and what the desk has bound of each in operations that are not settled yet.
#[derive(Debug, Default)]
pub struct Roster {
    robots: BTreeMap<LicenceId, RobotSnapshot>,
    /// Kept apart from the robots: one that leaves the queue for a while still has its share in the air.
    bound: HashMap<LicenceId, Usdt>,
    standard: BTreeSet<Turn>,
    high_risk: BTreeSet<Turn>,
    /// By leader.
    followers: BTreeSet<(LicenceId, Turn)>,
}

impl Roster {
    /// Puts a robot where it waits for its turn.
    fn enqueue(&mut self, robot: &RobotSnapshot) {
        let turn = (robot.last_served_ms, robot.licence);
        match (robot.follows, robot.high_risk) {
            (Some(leader), _) => self.followers.insert((leader, turn)),
            (None, true) => self.high_risk.insert(turn),
            (None, false) => self.standard.insert(turn),
        };
    }

    fn dequeue(&mut self, robot: &RobotSnapshot) {
        let turn = (robot.last_served_ms, robot.licence);
        match (robot.follows, robot.high_risk) {
            (Some(leader), _) => self.followers.remove(&(leader, turn)),
            (None, true) => self.high_risk.remove(&turn),
            (None, false) => self.standard.remove(&turn),
        };
    }

    /// Puts in the server's knowledge of all robots; those it does not name are gone. A turn that the server has not stored
    /// yet is kept, and so is what a settlement has told since.
    pub fn replace(&mut self, robots: Vec<RobotSnapshot>) {
        let before = std::mem::take(&mut self.robots);
        self.standard.clear();
        self.high_risk.clear();
        self.followers.clear();
        for mut robot in robots {
            if let Some(known) = before.get(&robot.licence) {
                let served = robot.last_served_ms.max(known.last_served_ms);
                if known.version > robot.version {
                    robot = known.clone();
                }
                robot.last_served_ms = served;
            }
            self.put(robot);
        }
    }

    /// Puts in or updates one robot unless it is known newer; one that does not operate leaves the queue.
    pub fn put(&mut self, mut robot: RobotSnapshot) {
        if let Some(known) = self.robots.get(&robot.licence) {
            if known.version > robot.version {
                return;
            }
            robot.last_served_ms = robot.last_served_ms.max(known.last_served_ms);
        }
        self.remove(robot.licence);
        if robot.operating {
            self.enqueue(&robot);
            self.robots.insert(robot.licence, robot);
        }
    }

    pub fn remove(&mut self, licence: LicenceId) {
        if let Some(old) = self.robots.remove(&licence) {
            self.dequeue(&old);
        }
    }

    #[must_use]
    pub fn get(&self, licence: LicenceId) -> Option<&RobotSnapshot> {
        self.robots.get(&licence)
    }
    #[must_use]
    pub fn len(&self) -> usize {
        self.robots.len()
    }
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.robots.is_empty()
    }

    /// Cuts `size` into shares: the cohort's first, then its followers'. Nothing is reserved yet: [`Self::bind`] does that
    /// once the shares are accepted.
    #[must_use]
    pub fn form(&self, size: Usdt, edge_ppm: i64, now_ms: i64, rules: &CohortRules) -> Vec<Share> {
        let mut shares = self.cohort(size, edge_ppm, now_ms, rules);
        let taken: Usdt = shares.iter().map(|s| s.amount).sum();
        let copied = self.copies(&shares, size - taken, edge_ppm, now_ms, rules);
        shares.extend(copied);
        shares
    }

    /// Shares of those who stand in the queues.
    fn cohort(&self, size: Usdt, edge_ppm: i64, now_ms: i64, rules: &CohortRules) -> Vec<Share> {
        let allowed = |high_risk: bool| edge_ppm >= rules.edge_ppm(high_risk);
        let mut standard = self.standard.iter().filter(|_| allowed(false)).peekable();
        let mut high_risk = self.high_risk.iter().filter(|_| allowed(true)).peekable();
        let mut left = size;
        let mut shares = Vec::new();
        while left >= rules.least_share && left.is_positive() {
            let turn = match (standard.peek(), high_risk.peek()) {
                (Some(a), Some(b)) if a <= b => standard.next(),
                (Some(_), None) => standard.next(),
                (_, Some(_)) => high_risk.next(),
                (None, None) => None,
            };
            let Some((_, licence)) = turn else { break };
            let Some(robot) = self.robots.get(licence) else {
                continue;
            };
            let most = rules.share_cap(robot, self.bound(robot.licence)).min(left);
            shares.extend(share_of(robot, most, now_ms, rules).inspect(|share| left -= share.amount));
        }
        shares
    }

    /// Shares of those who follow robots with a share: the leader's fraction of their own allocation, in the order of service
    /// while anything is left.
    fn copies(
        &self,
        cohort: &[Share],
        mut left: Usdt,
        edge_ppm: i64,
        now_ms: i64,
        rules: &CohortRules,
    ) -> Vec<Share> {
        let mut turns: Vec<(Turn, Share, Usdt)> = Vec::new();
        for share in cohort {
            let Some(leader) = self.robots.get(&share.licence) else {
                continue;
            };
            turns.extend(
                self.following(leader.licence)
                    .map(|turn| (turn, *share, leader.allocated)),
            );
        }
        turns.sort_unstable_by_key(|(turn, ..)| *turn);
        let mut shares = Vec::new();
        for ((_, licence), led, whole) in turns {
            if left < rules.least_share || !left.is_positive() {
                break;
            }
            let Some(robot) = self.robots.get(&licence) else {
                continue;
            };
            if edge_ppm < rules.edge_ppm(robot.high_risk) {
                continue;
            }
            let fraction = robot
                .allocated
                .mul_div_floor(led.amount.0, whole.0)
                .unwrap_or(Usdt::ZERO);
            let cap = rules.share_cap(robot, self.bound(robot.licence));
            let most = fraction.min(cap).min(left);
            shares.extend(share_of(robot, most, now_ms, rules).inspect(|share| left -= share.amount));
        }
        shares
    }

    /// The turns of a robot's followers, the longest unserved first.
    fn following(&self, leader: LicenceId) -> impl Iterator<Item = Turn> {
        let first = (leader, (i64::MIN, LicenceId(uuid::Uuid::nil())));
        self.followers
            .range(first..)
            .take_while(move |(of, _)| *of == leader)
            .map(|(_, turn)| *turn)
    }

    /// What the desk has bound of a robot.
    #[must_use]
    pub fn bound(&self, licence: LicenceId) -> Usdt {
        self.bound.get(&licence).copied().unwrap_or(Usdt::ZERO)
    }

    /// Binds shares and marks their robots as served.
    pub fn bind(&mut self, shares: &[Share], now_ms: i64) {
        for share in shares {
            *self.bound.entry(share.licence).or_default() += share.amount;
            if let Some(mut robot) = self.robots.get(&share.licence).cloned() {
                robot.last_served_ms = robot.last_served_ms.max(now_ms);
                self.remove(share.licence);
                self.put(robot);
            }
        }
    }

    /// Gives back what shares had bound.
    pub fn release(&mut self, shares: &[Share]) {
        for share in shares {
            if let Some(bound) = self.bound.get_mut(&share.licence) {
                *bound -= share.amount;
                if !bound.is_positive() {
                    self.bound.remove(&share.licence);
                }
            }
        }
    }
}

/// A robot's share of at most so much, if it may have one at all.
fn share_of(robot: &RobotSnapshot, most: Usdt, now_ms: i64, rules: &CohortRules) -> Option<Share> {
    let ready = now_ms >= robot.active_from_ms && robot.allocated >= rules.least_allocation;
    (ready && most >= rules.least_share && most.is_positive()).then_some(Share {
        licence: robot.licence,
        user: robot.user,
        amount: most,
    })
}

/// Divides `result` by the shares' amounts, in their order: whole micro-units, left-overs to the largest remainders
/// (ties to the earlier share), a loss divided like a gain. The parts add up to the result exactly. Empty or without
/// amounts: nothing to divide among, no parts.
#[must_use]
pub fn divide(result: Usdt, amounts: &[Usdt]) -> Vec<Usdt> {
    let whole: i128 = amounts.iter().map(|a| i128::from(a.0.max(0))).sum();
    if whole == 0 {
        return vec![Usdt::ZERO; amounts.len()];
    }
    let magnitude = i128::from(result.0.unsigned_abs());
    let mut parts: Vec<i128> = Vec::with_capacity(amounts.len());
    let mut remainders: Vec<(i128, usize)> = Vec::with_capacity(amounts.len());
    for (place, amount) in amounts.iter().enumerate() {
        let product = magnitude * i128::from(amount.0.max(0));
        parts.push(product / whole);
        remainders.push((product % whole, place));
    }
    // Fewer units are left over than there are parts, so one each is enough.
    let left_over = magnitude - parts.iter().sum::<i128>();
    remainders.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, place) in remainders
        .into_iter()
        .take(usize::try_from(left_over).unwrap_or(0))
    {
        if let Some(part) = parts.get_mut(place) {
            *part += 1;
        }
    }
    let sign = if result.is_negative() { -1 } else { 1 };
    parts
        .into_iter()
        .map(|p| Usdt(i64::try_from(p * sign).unwrap_or(0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn robot(n: u128, allocated: Usdt) -> RobotSnapshot {
        RobotSnapshot {
            licence: LicenceId(Uuid::from_u128(n)),
            user: UserId(Uuid::from_u128(n / 2)),
            high_risk: false,
            allocated,
            operating: true,
            active_from_ms: 0,
            last_served_ms: 0,
            follows: None,
            version: 1,
        }
    }

    fn roster(robots: impl IntoIterator<Item = RobotSnapshot>) -> Roster {
        let mut roster = Roster::default();
        roster.replace(robots.into_iter().collect());
        roster
    }

    fn formed(roster: &Roster, size: Usdt, edge_ppm: i64) -> Vec<(u128, Usdt)> {
        let shares = roster.form(size, edge_ppm, 60_000, &CohortRules::default());
        shares.iter().map(|s| (s.licence.0.as_u128(), s.amount)).collect()
    }

    #[test]
    fn ten_percent_each_until_the_size_is_filled() {
        let r = roster((1..=3).map(|n| robot(n, Usdt::whole(1_000))));
        let shares = formed(&r, Usdt::whole(250), 500);
        assert_eq!(
            shares,
            [(1, Usdt::whole(100)), (2, Usdt::whole(100)), (3, Usdt::whole(50))]
        );
        let mut risky = robot(1, Usdt::whole(1_000));
        risky.high_risk = true;
        assert_eq!(
            formed(&roster([risky]), Usdt::whole(900), 500),
            [(1, Usdt::whole(250))]
        );
    }

    #[test]
    fn the_least_recently_served_comes_first() {
        let mut r = roster((1..=3).map(|n| robot(n, Usdt::whole(1_000))));
        let first = r.form(Usdt::whole(100), 500, 60_000, &CohortRules::default());
        r.bind(&first, 60_000);
        assert_eq!(formed(&r, Usdt::whole(100), 500), [(2, Usdt::whole(100))]);
        assert_eq!(r.bound(first[0].licence), Usdt::whole(100));
        r.replace((1..=3).map(|n| robot(n, Usdt::whole(1_000))).collect());
        assert_eq!(
            formed(&r, Usdt::whole(100), 500)[0].0,
            2,
            "a turn the server has not stored yet is kept"
        );
    }

    #[test]
    fn older_knowledge_never_replaces_newer() {
        let mut r = roster([robot(1, Usdt::whole(1_000)), robot(2, Usdt::whole(1_000))]);
        r.put(RobotSnapshot {
            version: 3,
            ..robot(1, Usdt::whole(500))
        });
        r.replace(vec![RobotSnapshot {
            version: 2,
            ..robot(1, Usdt::whole(1_000))
        }]);
        assert_eq!(formed(&r, Usdt::whole(500), 500), [(1, Usdt::whole(50))]);
        r.put(RobotSnapshot {
            version: 4,
            operating: false,
            ..robot(1, Usdt::whole(500))
        });
        assert!(r.is_empty(), "paused: out of the queue");
    }

    #[test]
    fn what_is_bound_stays_bound_while_a_robot_is_away() {
        let mut r = roster([robot(1, Usdt::whole(10))]);
        for _ in 0..9 {
            let shares = r.form(Usdt::whole(1), 500, 60_000, &CohortRules::default());
            r.bind(&shares, 60_000);
        }
        r.replace(Vec::new());
        r.replace(vec![robot(1, Usdt::whole(10))]);
        let last = r.form(Usdt::whole(5), 500, 60_000, &CohortRules::default());
        r.bind(&last, 60_000);
        assert!(formed(&r, Usdt::whole(5), 500).is_empty(), "all ten are bound");
        r.release(&last);
        assert_eq!(formed(&r, Usdt::whole(5), 500), [(1, Usdt::whole(1))]);
    }

    #[test]
    fn a_thin_edge_is_for_high_risk_robots_only() {
        let mut risky = robot(2, Usdt::whole(1_000));
        risky.high_risk = true;
        let r = roster([robot(1, Usdt::whole(1_000)), risky]);
        assert_eq!(formed(&r, Usdt::whole(50), 200), [(2, Usdt::whole(50))]);
        assert_eq!(formed(&r, Usdt::whole(50), 499), [(2, Usdt::whole(50))]);
        assert_eq!(formed(&r, Usdt::whole(50), 500), [(1, Usdt::whole(50))]);
        assert!(formed(&r, Usdt::whole(50), 199).is_empty());
    }

    #[test]
    fn who_takes_no_part() {
        let poor = robot(1, Usdt(9_999_999));
        let mut waiting = robot(2, Usdt::whole(1_000));
        waiting.active_from_ms = 60_001;
        let mut paused = robot(3, Usdt::whole(1_000));
        paused.operating = false;
        let busy = robot(4, Usdt::whole(1_000));
        let mut r = roster([poor, waiting, paused, busy.clone(), robot(5, Usdt::whole(10))]);
        r.bind(
            &[Share {
                licence: busy.licence,
                user: busy.user,
                amount: Usdt(999_000_001),
            }],
            0,
        );
        assert_eq!(formed(&r, Usdt::whole(500), 500), [(5, Usdt::whole(1))]);
        assert!(
            formed(&r, Usdt(999_999), 500).is_empty(),
            "no share below one USDT"
        );
    }

    fn follower(n: u128, leader: u128, allocated: Usdt) -> RobotSnapshot {
        RobotSnapshot {
            follows: Some(LicenceId(Uuid::from_u128(leader))),
            ..robot(n, allocated)
        }
    }

    #[test]
    fn followers_copy_their_leaders_fraction() {
        let whole = Usdt::whole;
        let r = roster([
            robot(1, whole(1_000)),
            follower(2, 1, Usdt(300_000_007)),
            follower(3, 1, whole(500)),
        ]);
        // The leader's cap is a tenth, so the followers put in a tenth as well, floored.
        assert_eq!(
            formed(&r, whole(500), 500),
            [(1, whole(100)), (2, Usdt(30_000_000)), (3, whole(50))]
        );
        // A leader without a share has no copies, nor has one that is not there.
        assert!(formed(&roster([follower(2, 1, whole(1_000))]), whole(500), 500).is_empty());
        // Part of the leader is bound: its share is less than a tenth, and so are the copies.
        let mut busy = roster([robot(1, whole(1_000)), follower(2, 1, whole(333))]);
        busy.bound.insert(LicenceId(Uuid::from_u128(1)), whole(950));
        assert_eq!(
            formed(&busy, whole(500), 500),
            [(1, whole(50)), (2, Usdt(16_650_000))]
        );
    }

    #[test]
    fn followers_take_what_the_cohort_leaves_in_the_order_of_service() {
        let whole = Usdt::whole;
        let served = RobotSnapshot {
            last_served_ms: 9,
            ..follower(3, 1, whole(1_000))
        };
        let r = roster([
            robot(1, whole(1_000)),
            robot(2, whole(1_000)),
            served,
            follower(4, 2, whole(1_000)),
        ]);
        assert_eq!(
            formed(&r, whole(200), 500),
            [(1, whole(100)), (2, whole(100))],
            "nothing is left"
        );
        assert_eq!(
            formed(&r, whole(330), 500),
            [(1, whole(100)), (2, whole(100)), (4, whole(100)), (3, whole(30))]
        );
        assert_eq!(
            formed(&r, Usdt(200_999_999), 500).len(),
            2,
            "less than a least share is left"
        );
    }

    #[test]
    fn a_follower_keeps_its_own_bounds_and_leads_nobody() {
        let whole = Usdt::whole;
        let mut leader = robot(1, whole(1_000));
        leader.high_risk = true;
        let own_cap = follower(2, 1, whole(1_000));
        let small = follower(3, 1, whole(10));
        let mut waiting = follower(4, 1, whole(1_000));
        waiting.active_from_ms = 60_001;
        let poor = follower(5, 1, Usdt(9_999_999));
        let below = follower(6, 2, whole(1_000));
        let mut r = roster([leader, own_cap, small, waiting, poor, below]);
        // A high-risk leader puts in a quarter; a standard follower still a tenth at most.
        assert_eq!(
            formed(&r, whole(900), 500),
            [(1, whole(250)), (2, whole(100)), (3, whole(1))]
        );
        assert_eq!(
            formed(&r, whole(900), 200),
            [(1, whole(250))],
            "too thin an edge for standard followers"
        );
        // Left alone it is a robot like any other.
        r.put(RobotSnapshot {
            version: 2,
            ..robot(3, whole(10))
        });
        assert_eq!(
            formed(&r, whole(900), 500),
            [(1, whole(250)), (3, whole(1)), (2, whole(100))]
        );
        r.remove(LicenceId(Uuid::from_u128(1)));
        assert_eq!(formed(&r, whole(900), 500), [(3, whole(1))]);
    }

    #[test]
    fn capital_takes_part_from_the_next_full_minute() {
        assert_eq!(next_full_minute(0), 60_000);
        assert_eq!(next_full_minute(59_999), 60_000);
        assert_eq!(next_full_minute(60_000), 120_000);
    }

    #[test]
    fn left_over_units_go_to_the_largest_remainders() {
        let amounts = [Usdt(1), Usdt(1), Usdt(1)];
        assert_eq!(divide(Usdt(10), &amounts), [Usdt(4), Usdt(3), Usdt(3)]);
        assert_eq!(divide(Usdt(-10), &amounts), [Usdt(-4), Usdt(-3), Usdt(-3)]);
        assert_eq!(divide(Usdt(7), &[Usdt(1), Usdt(5)]), [Usdt(1), Usdt(6)]);
        assert_eq!(divide(Usdt(7), &[]), []);
    }

    prop_compose! {
        fn any_robot()(n in 1u128..10_000, allocated in 0i64..5_000_000_000, part in 0i64..=1_000_000, high_risk in any::<bool>(),
            operating in prop::bool::weighted(0.9), active_from_ms in 0i64..70_000, last_served_ms in 0i64..50) -> (RobotSnapshot, Usdt) {
            let bound = Usdt(allocated).mul_div_floor(part, PPM).unwrap();
            (RobotSnapshot { high_risk, operating, active_from_ms, last_served_ms, ..robot(n, Usdt(allocated)) }, bound)
        }
    }

    proptest! {
        #[test]
        fn shares_stay_within_every_bound(robots in proptest::collection::vec(any_robot(), 0..60), size in 0i64..2_000_000_000, edge in 0i64..1_000) {
            let rules = CohortRules::default();
            let mut r = roster(robots.iter().map(|(robot, _)| robot.clone()));
            for (robot, bound) in &robots {
                if r.bound(robot.licence).is_zero() {
                    r.bound.insert(robot.licence, (*bound).min(r.get(robot.licence).map_or(Usdt::ZERO, |x| x.allocated)));
                }
            }
            let shares = r.form(Usdt(size), edge, 60_000, &rules);
            let total: i64 = shares.iter().map(|s| s.amount.0).sum();
            prop_assert!(total <= size);
            let mut last = None;
            let mut seen = BTreeSet::new();
            for share in &shares {
                let robot = r.get(share.licence).unwrap();
                prop_assert!(seen.insert(share.licence), "one share each");
                prop_assert!(share.amount >= rules.least_share && share.amount <= rules.share_cap(robot, r.bound(share.licence)));
                prop_assert!(r.bound(share.licence) + share.amount <= robot.allocated);
                prop_assert!(robot.operating && robot.active_from_ms <= 60_000 && robot.allocated >= rules.least_allocation);
                prop_assert!(edge >= rules.edge_ppm(robot.high_risk));
                let turn = (robot.last_served_ms, robot.licence);
                prop_assert!(last < Some(turn), "in order of service");
                last = Some(turn);
            }
            // What is left could not be taken by anyone who is free to.
            if size - total >= rules.least_share.0 {
                for robot in r.robots.values().filter(|x| !seen.contains(&x.licence)) {
                    let able = robot.active_from_ms <= 60_000 && robot.allocated >= rules.least_allocation
                        && edge >= rules.edge_ppm(robot.high_risk) && rules.share_cap(robot, r.bound(robot.licence)) >= rules.least_share;
                    prop_assert!(!able, "{robot:?} was passed over");
                }
            }
            r.bind(&shares, 60_000);
            for robot in r.robots.values() {
                prop_assert!(r.bound(robot.licence) <= robot.allocated);
            }
            prop_assert_eq!(r.standard.len() + r.high_risk.len(), r.robots.len());
        }

        #[test]
        fn followers_change_nothing_for_the_cohort(robots in proptest::collection::vec((any_robot(), prop::option::of(1usize..60)), 0..60), size in 0i64..4_000_000_000, edge in 0i64..1_000) {
            let rules = CohortRules::default();
            let mut led: BTreeMap<LicenceId, RobotSnapshot> = BTreeMap::new();
            for ((robot, _), leads) in &robots {
                // Anybody may be named, also who follows somebody else or is not there at all.
                let follows = leads.map(|place| robots.get(place).map_or(LicenceId(Uuid::from_u128(77_777)), |((r, _), _)| r.licence));
                led.entry(robot.licence).or_insert(RobotSnapshot { follows: follows.filter(|l| *l != robot.licence), ..robot.clone() });
            }
            let mut r = roster(led.values().cloned());
            let mut alone = roster(led.values().filter(|x| x.follows.is_none()).cloned());
            for ((robot, bound), _) in &robots {
                let bound = (*bound).min(led.get(&robot.licence).map_or(Usdt::ZERO, |x| x.allocated));
                for roster in [&mut r, &mut alone] {
                    roster.bound.insert(robot.licence, bound);
                }
            }
            let shares = r.form(Usdt(size), edge, 60_000, &rules);
            let cohort = alone.form(Usdt(size), edge, 60_000, &rules);
            let (own, copies) = shares.split_at(cohort.len().min(shares.len()));
            prop_assert_eq!(own, &cohort[..], "the cohort is served as if nobody followed");
            let total: i64 = shares.iter().map(|s| s.amount.0).sum();
            prop_assert!(total <= size);
            let mut seen = BTreeSet::new();
            let mut last = None;
            for share in copies {
                let robot = r.get(share.licence).unwrap();
                let leader = r.get(robot.follows.unwrap()).unwrap();
                let led = cohort.iter().find(|s| s.licence == leader.licence);
                prop_assert!(led.is_some() && leader.follows.is_none(), "only beside its leader");
                let fraction = i128::from(led.unwrap().amount.0) * i128::from(robot.allocated.0) / i128::from(leader.allocated.0);
                prop_assert!(i128::from(share.amount.0) <= fraction);
                prop_assert!(share.amount >= rules.least_share && share.amount <= rules.share_cap(robot, r.bound(share.licence)));
                prop_assert!(r.bound(share.licence) + share.amount <= robot.allocated);
                prop_assert!(robot.operating && robot.active_from_ms <= 60_000 && robot.allocated >= rules.least_allocation);
                prop_assert!(edge >= rules.edge_ppm(robot.high_risk));
                prop_assert!(seen.insert(share.licence), "one share each");
                let turn = (robot.last_served_ms, robot.licence);
                prop_assert!(last < Some(turn), "in order of service");
                last = Some(turn);
            }
            r.bind(&shares, 60_000);
            prop_assert_eq!(r.standard.len() + r.high_risk.len() + r.followers.len(), r.robots.len());
            for licence in led.into_keys() {
                r.remove(licence);
            }
            prop_assert!(r.standard.is_empty() && r.high_risk.is_empty() && r.followers.is_empty());
        }

        #[test]
        fn parts_add_up_and_differ_by_less_than_a_unit(result in -1_000_000_000_000i64..1_000_000_000_000, amounts in proptest::collection::vec(1i64..10_000_000_000, 1..50)) {
            let amounts: Vec<Usdt> = amounts.into_iter().map(Usdt).collect();
            let whole: i128 = amounts.iter().map(|a| i128::from(a.0)).sum();
            let parts = divide(Usdt(result), &amounts);
            prop_assert_eq!(parts.iter().copied().sum::<Usdt>(), Usdt(result));
            for (part, amount) in parts.iter().zip(&amounts) {
                let exact = i128::from(result) * i128::from(amount.0);
                prop_assert!((i128::from(part.0) * whole - exact).abs() < whole);
                prop_assert!(part.0 == 0 || part.is_negative() == (result < 0));
            }
        }
    }
}
