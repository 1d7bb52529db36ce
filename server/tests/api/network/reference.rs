//! The network's rules, written naively from their text (docs/rules/affiliates.md): every member by itself, every sale walked up to the
//! root, no arrays, no chunks, nothing shared with the product. Slow on purpose.

mod closing;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use uuid::Uuid;

const WHOLE: i128 = 1_000_000;
/// A point, a USDT: in millionths.
pub const UNIT: i64 = 1_000_000;

#[derive(Clone, Debug)]
pub struct Licence {
    pub id: Uuid,
    pub value: i64,
    pub ceiling: i64,
    pub used: i64,
    pub active: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Member {
    pub id: Uuid,
    pub sponsor: Option<usize>,
    pub parent: Option<usize>,
    pub right: bool,
    pub children: [Option<usize>; 2],
    pub selected_right: bool,
    pub account_inactive: bool,
    pub licences: Vec<Licence>,
    pub carry: [i64; 2],
    pub owed: [i64; 2],
    pub losses: i64,
    pub paid_points: i64,
    pub rank: i16,
    pub peak: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bonus {
    pub day: i64,
    pub receiver: usize,
    pub source: Option<usize>,
    pub kind: &'static str,
    pub level: i16,
    pub base: i64,
    pub gross: i64,
    pub paid: i64,
    pub waiting: i64,
    pub lost: i64,
    pub reason: Option<&'static str>,
    pub dropped: i64,
    pub returned: i64,
    /// Seconds since 1970.
    pub young_until: Option<i64>,
    /// Where the look at its pair stands: `open`, `cleared`, `refused`.
    pub review: Option<&'static str>,
    pub of: Of,
}

/// What a bonus is of, for what is taken back later; and its review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Of {
    /// The licence whose sale it is of.
    sale: Option<Uuid>,
    rise: Option<usize>,
    review: Option<usize>,
    /// On matched points: who belonged to its receiver when it was booked, stood below and had sold what stood; by their ids.
    sellers: Vec<usize>,
}

/// A rise of somebody's highest N.
#[derive(Clone, Copy, Debug)]
struct Rise {
    who: usize,
    at: i64,
    base: i64,
    undone: i64,
}

/// A look at the bonuses that one of two who belong together gets through the other.
#[derive(Clone, Copy, Debug)]
struct Review {
    receiver: usize,
    source: usize,
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub left: i64,
    pub right: i64,
    pub matched: i64,
    pub lost: i64,
    pub reason: Option<&'static str>,
}

/// The whole network. Member 0 is the house.
#[derive(Clone, Debug, Default)]
pub struct Network {
    pub members: Vec<Member>,
    pub bonuses: Vec<Bonus>,
    pub fund: i64,
    pub matches: BTreeMap<(i64, Uuid), Match>,
    /// Member, rank: threshold, bonus, day.
    pub graduations: BTreeMap<(Uuid, i16), (i64, i64, i64)>,
    /// Bonuses that wait for the fund, the oldest first.
    queue: VecDeque<usize>,
    /// Since the last closing: seller, points, day.
    points: Vec<(usize, i64, i64)>,
    /// What robots brought: day, owner.
    gains: BTreeMap<(i64, usize), i64>,
    /// The day to which a gain belongs now.
    pub today: i64,
    sales: BTreeMap<Uuid, Sale>,
    /// Until when each member's credits are young; the clock. Seconds since 1970.
    young: BTreeMap<usize, i64>,
    pub now: i64,
    rises: Vec<Rise>,
    /// Who share a payer, both ways.
    related: BTreeSet<(usize, usize)>,
    reviews: Vec<Review>,
    /// How often the fund paid a part of what had waited.
    pub paid_later: usize,
}

/// A final sale.
#[derive(Clone, Copy, Debug)]
struct Sale {
    who: usize,
    value: i64,
    young_until: Option<i64>,
    /// The day on which it became final, and the one on which it was taken back.
    sold: i64,
    undone: Option<i64>,
}

impl Sale {
    /// Whether it stood when a day ended.
    fn stood(&self, day: i64) -> bool {
        self.sold <= day && self.undone.is_none_or(|undone| undone > day)
    }
}

/// Percentages, in parts per million.
const LEVELS: [i64; 10] = [100_000, 10_000, 5_000, 5_000, 5_000, 5_000, 0, 0, 0, 0];
const DIRECT: i64 = 50_000;
const INDIRECT: i64 = 10_000;
const RESIDUAL: [i64; 3] = [50_000, 20_000, 10_000];
const BINARY: i64 = 100_000;
const GRADUATION: i64 = 50_000;
const LADDER: [i64; 8] = [
    1_000, 5_000, 20_000, 50_000, 150_000, 500_000, 1_500_000, 5_000_000,
];

fn share(base: i64, ppm: i64) -> i64 {
    i64::try_from((i128::from(base) * i128::from(ppm)).div_euclid(WHOLE)).unwrap()
}

impl Network {
    pub fn new(house: Uuid) -> Self {
        let house = Member {
            id: house,
            ..Member::default()
        };
        Self {
            members: vec![house],
            ..Self::default()
        }
    }

    /// Down the sponsor's selected leg to its outermost free place.
    pub fn join(&mut self, id: Uuid, sponsor: usize) -> usize {
        let new = self.members.len();
        let right = self.members[sponsor].selected_right;
        let mut at = sponsor;
        while let Some(next) = self.members[at].children[usize::from(right)] {
            at = next;
        }
        self.members[at].children[usize::from(right)] = Some(new);
        self.members.push(Member {
            id,
            sponsor: Some(sponsor),
            parent: Some(at),
            right,
            ..Member::default()
        });
        new
    }

    pub fn buy(&mut self, who: usize, id: Uuid, value: i64, ceiling: i64) {
        self.members[who].licences.push(Licence {
            id,
            value,
            ceiling,
            used: 0,
            active: true,
        });
    }

    fn active(&self, who: usize) -> bool {
        !self.members[who].account_inactive && self.members[who].licences.iter().any(|l| l.active)
    }

    /// Sponsors from the nearest on, without the house.
    fn sponsors(&self, who: usize) -> Vec<usize> {
        let mut above = Vec::new();
        let mut at = who;
        while let Some(sponsor) = self.members[at].sponsor {
            if sponsor == 0 {
                break;
            }
            above.push(sponsor);
            at = sponsor;
        }
        above
    }

    /// The head of the queue first, in parts.
    pub fn pay_queue(&mut self) {
        while let Some(head) = self.queue.front().copied() {
            let part = self.bonuses[head].waiting.min(self.fund);
            self.bonuses[head].waiting -= part;
            self.bonuses[head].paid += part;
            self.paid_later += usize::from(part > 0);
            self.fund -= part;
            if self.bonuses[head].waiting > 0 {
                break;
            }
            self.queue.pop_front();
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a line of the rules' table")]
    fn give(
        &mut self,
        day: i64,
        receiver: usize,
        source: Option<usize>,
        kind: &'static str,
        level: i16,
        base: i64,
        ppm: i64,
        rule: Option<(&'static str, i64)>,
        young_until: Option<i64>,
        mut of: Of,
    ) -> Option<usize> {
        let gross = share(base, ppm);
        if gross == 0 {
            return None;
        }
        let waits = !self.queue.is_empty();
        let licences = &mut self.members[receiver].licences;
        let left: i64 = licences
            .iter()
            .filter(|l| l.active)
            .map(|l| l.ceiling - l.used)
            .sum();
        // Smallest bound; ties: not qualified, ceiling, cap.
        let order = ["inactive", "not_qualified", "network_ceiling", "daily_cap"];
        let mut bounds: Vec<(i64, usize)> = vec![(left, 2)];
        if let Some((reason, most)) = rule {
            bounds.push((most, order.iter().position(|o| *o == reason).unwrap()));
        }
        bounds.sort_unstable();
        let earned = gross.min(bounds[0].0);
        let mut rest = earned;
        for licence in licences.iter_mut().filter(|l| l.active) {
            let part = rest.min(licence.ceiling - licence.used);
            licence.used += part;
            rest -= part;
        }
        assert_eq!(rest, 0);
        let paid = if waits { 0 } else { earned.min(self.fund) };
        self.fund -= paid;
        of.review = match source {
            _ if earned == 0 => None,
            Some(source) => self.review(receiver, source),
            None => {
                of.sellers = self.related_sellers(day, receiver);
                self.first_review(receiver, &of.sellers)
            }
        };
        self.bonuses.push(Bonus {
            day,
            receiver,
            source,
            kind,
            level,
            base,
            gross,
            paid,
            waiting: earned - paid,
            lost: gross - earned,
            reason: (earned < gross).then_some(order[bounds[0].1]),
            dropped: 0,
            returned: 0,
            young_until,
            review: of.review.map(|at| self.reviews[at].status),
            of,
        });
        let at = self.bonuses.len() - 1;
        if earned > paid {
            self.queue.push_back(at);
        }
        Some(at)
    }

    fn unless_inactive(&self, who: usize) -> Option<(&'static str, i64)> {
        (!self.active(who)).then_some(("inactive", 0))
    }

    /// Somebody's money is young until then.
    pub fn credited(&mut self, who: usize, until: i64) {
        self.young.insert(who, until);
    }

    fn young_until(&self, who: usize) -> Option<i64> {
        self.young.get(&who).copied().filter(|until| *until > self.now)
    }

    /// Whether somebody stands below another in the binary tree.
    fn stands_below(&self, mut who: usize, above: usize) -> bool {
        while let Some(parent) = self.members[who].parent {
            if parent == above {
                return true;
            }
            who = parent;
        }
        false
    }

    /// A licence's sale became final: three quarters into the fund, the sale's bonuses, its points.
    pub fn sale_final(&mut self, day: i64, who: usize, licence: Uuid, value: i64) {
        self.fund += share(value, 750_000);
        self.pay_queue();
        let young_until = self.young_until(who);
        for (above, level) in self.sponsors(who).into_iter().zip(1i16..=5) {
            let (kind, ppm) = if level == 1 {
                ("direct_sale", DIRECT)
            } else {
                ("indirect_sale", INDIRECT)
            };
            let rule = self.unless_inactive(above);
            self.give(
                day,
                above,
                Some(who),
                kind,
                level,
                value,
                ppm,
                rule,
                young_until,
                Of {
                    sale: Some(licence),
                    ..Of::default()
                },
            );
        }
        self.points.push((who, value, day));
        let sale = Sale {
            who,
            value,
            young_until,
            sold: day,
            undone: None,
        };
        self.sales.insert(licence, sale);
    }

    /// A final sale was taken back.
    pub fn sale_undone(&mut self, day: i64, licence: Uuid) {
        let sale = self.sales.get_mut(&licence).unwrap();
        assert_eq!(sale.undone.replace(day), None);
        let Sale { who, value, .. } = *sale;
        self.points.push((who, -value, day));
        if let Some(own) = self.members[who].licences.iter_mut().find(|l| l.id == licence) {
            own.active = false;
        }
        for at in 0..self.bonuses.len() {
            let bonus = &self.bonuses[at];
            let back = bonus.waiting + bonus.paid - bonus.returned;
            if bonus.of.sale == Some(licence) {
                self.take_back(at, back);
            }
        }
        self.pay_rest();
    }

    /// What waits first, then what was paid; the ceilings that it used are free again, the youngest licence first.
    fn take_back(&mut self, at: usize, amount: i64) {
        let amount = amount.max(0);
        let bonus = &mut self.bonuses[at];
        let dropped = amount.min(bonus.waiting);
        bonus.waiting -= dropped;
        bonus.dropped += dropped;
        bonus.returned += amount - dropped;
        assert!(bonus.returned <= bonus.paid);
        self.fund += amount - dropped;
        let mut rest = amount;
        for own in self.members[bonus.receiver].licences.iter_mut().rev() {
            let part = rest.min(own.used);
            own.used -= part;
            rest -= part;
        }
    }

    fn pay_rest(&mut self) {
        self.queue.retain(|at| self.bonuses[*at].waiting > 0);
        self.pay_queue();
    }

    /// A reversed credit of then took so much of somebody's capital; N is this now. Rises since, the newest first, were none as far as N fell.
    pub fn capital_undone(&mut self, who: usize, taken: i64, since: i64, base: i64) {
        let mut left = (self.members[who].peak - base).min(taken).max(0);
        for at in (0..self.rises.len()).rev() {
            let rise = self.rises[at];
            let part = left.min(rise.base - rise.undone);
            if rise.who != who || rise.at < since || part == 0 {
                continue;
            }
            left -= part;
            self.members[who].peak -= part;
            self.rises[at].undone += part;
            for bonus in 0..self.bonuses.len() {
                if self.bonuses[bonus].of.rise != Some(at) {
                    continue;
                }
                // Of the whole bonus the part of its base that is gone, rounded up, less what went before.
                let Bonus { gross, lost, .. } = self.bonuses[bonus];
                let Bonus {
                    dropped, returned, ..
                } = self.bonuses[bonus];
                let gone = i128::from(rise.undone + part);
                let due =
                    (i128::from(gross - lost) * gone + i128::from(rise.base) - 1) / i128::from(rise.base);
                self.take_back(bonus, i64::try_from(due).unwrap() - dropped - returned);
            }
        }
        self.pay_rest();
    }

    /// Two share a payer from now on.
    pub fn relate(&mut self, one: usize, other: usize) {
        self.related.extend([(one, other), (other, one)]);
    }

    /// The look that a bonus of one through the other waits for: the open one, or a new one unless they were cleared before.
    fn review(&mut self, receiver: usize, source: usize) -> Option<usize> {
        let mut before = (0..self.reviews.len()).filter(|at| {
            let review = self.reviews[*at];
            (review.receiver, review.source) == (receiver, source) && review.status != "refused"
        });
        match before.next_back() {
            Some(at) if self.reviews[at].status == "open" => return Some(at),
            Some(_) => return None,
            None => {}
        }
        if !self.related.contains(&(receiver, source)) {
            return None;
        }
        self.reviews.push(Review {
            receiver,
            source,
            status: "open",
        });
        Some(self.reviews.len() - 1)
    }

    /// Those who belong to a receiver, stand below it and had sold what stood when the day ended.
    fn related_sellers(&self, day: i64, receiver: usize) -> Vec<usize> {
        let mut sellers: Vec<usize> = self
            .related
            .iter()
            .filter(|(one, _)| *one == receiver)
            .map(|(_, other)| *other)
            .filter(|other| self.stands_below(*other, receiver))
            .filter(|other| {
                self.sales
                    .values()
                    .any(|sale| sale.who == *other && sale.stood(day))
            })
            .collect();
        sellers.sort_by_key(|seller| self.members[*seller].id);
        sellers
    }

    /// The look that a bonus on matched points waits for: at the first of these who are not cleared.
    fn first_review(&mut self, receiver: usize, sellers: &[usize]) -> Option<usize> {
        sellers.iter().find_map(|seller| self.review(receiver, *seller))
    }

    /// A person has looked at what one gets through the other.
    pub fn decided(&mut self, receiver: usize, source: usize, cleared: bool) {
        let open = |r: &Review| (r.receiver, r.source, r.status) == (receiver, source, "open");
        let looked_at = self.reviews.iter().position(open).unwrap();
        let status = if cleared { "cleared" } else { "refused" };
        self.reviews[looked_at].status = status;
        for at in 0..self.bonuses.len() {
            if self.bonuses[at].of.review != Some(looked_at) {
                continue;
            }
            self.bonuses[at].review = Some(status);
            let bonus = &self.bonuses[at];
            let back = bonus.waiting + bonus.paid - bonus.returned;
            // Whoever it was booked for, whatever became of the two meanwhile.
            let sellers = bonus.of.sellers.clone();
            if !cleared {
                self.take_back(at, back);
            } else if back > 0
                && let Some(next) = self.first_review(receiver, &sellers)
            {
                self.bonuses[at].of.review = Some(next);
                self.bonuses[at].review = Some("open");
            }
        }
        self.pay_rest();
    }

    /// Points on the legs since the last closing, each sale walked up by itself.
    pub fn fresh(&self, of: usize) -> [i64; 2] {
        let mut fresh = [0, 0];
        for (seller, points, _) in &self.points {
            let mut at = *seller;
            while let Some(up) = self.members[at].parent {
                if up == of {
                    fresh[usize::from(self.members[at].right)] += points;
                }
                at = up;
            }
        }
        fresh
    }

    /// N rose, or not, to this: what goes beyond the highest so far pays.
    pub fn base_changed(&mut self, day: i64, who: usize, base: i64) {
        let rise = base - self.members[who].peak;
        if rise <= 0 {
            return;
        }
        self.members[who].peak = base;
        self.rises.push(Rise {
            who,
            at: self.now,
            base: rise,
            undone: 0,
        });
        let of_rise = self.rises.len() - 1;
        self.pay_queue();
        for (above, (level, ppm)) in self.sponsors(who).into_iter().zip((1i16..).zip(LEVELS)) {
            let rule = self.unless_inactive(above);
            let young = self.young_until(who);
            self.give(
                day,
                above,
                Some(who),
                "level",
                level,
                rise,
                ppm,
                rule,
                young,
                Of {
                    rise: Some(of_rise),
                    ..Of::default()
                },
            );
        }
    }

    pub fn gained(&mut self, who: usize, amount: i64) {
        *self.gains.entry((self.today, who)).or_default() += amount;
    }
}
