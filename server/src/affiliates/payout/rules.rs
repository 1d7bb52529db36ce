//! Ratios and sums of the payout report: pure.

use super::model::{PayoutDay, PayoutMonth, PayoutSums, Ring, RingSums, Rings};
use crate::foundation::settings::{WHOLE, percent_of};
use protocol::money::Usdt;
use std::collections::BTreeMap;
use time::{Date, Duration};

/// Rings that are shown by themselves.
const RINGS: usize = 20;
/// Members of a ring that are named.
const NAMED: usize = 10;

/// What was booked, of a day or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Booked {
    pub licences: Usdt,
    pub fees: Usdt,
    pub bonuses: Usdt,
    pub graduations: Usdt,
}

impl Booked {
    pub fn revenue(&self) -> Usdt {
        self.licences + self.fees
    }

    pub fn paid_out(&self) -> Usdt {
        self.bonuses + self.graduations
    }

    /// Whether bonuses are more than a share of the revenue (parts per million); without revenue anything is.
    pub fn over(&self, ceiling: i64) -> bool {
        i128::from(self.paid_out().0) * i128::from(WHOLE)
            > i128::from(self.revenue().0.max(0)) * i128::from(ceiling)
    }

    pub fn add(&mut self, other: &Self) {
        self.licences += other.licences;
        self.fees += other.fees;
        self.bonuses += other.bonuses;
        self.graduations += other.graduations;
    }

    pub fn sums(&self) -> PayoutSums {
        PayoutSums {
            licences: self.licences,
            fees: self.fees,
            revenue: self.revenue(),
            bonuses: self.bonuses,
            graduations: self.graduations,
            ratio: percent_of(self.paid_out(), self.revenue()),
        }
    }
}

/// The sum of the days from one to another.
pub fn sum(days: &BTreeMap<Date, Booked>, from: Date, to: Date) -> Booked {
    let mut sum = Booked::default();
    for (_, booked) in days.range(from..=to) {
        sum.add(booked);
    }
    sum
}

/// On how many of the days from one to another the bonuses of the `window` days that end with it are above a share of their revenue.
pub fn days_over(days: &BTreeMap<Date, Booked>, from: Date, to: Date, window: i64, ceiling: i64) -> i64 {
    let over = std::iter::successors(Some(from), |day| day.next_day())
        .take_while(|day| *day <= to)
        .filter(|day| sum(days, *day - Duration::days(window - 1), *day).over(ceiling));
    i64::try_from(over.count()).unwrap_or(i64::MAX)
}

/// Every day from one to another.
pub fn by_day(days: &BTreeMap<Date, Booked>, from: Date, to: Date) -> Vec<PayoutDay> {
    std::iter::successors(Some(from), |day| day.next_day())
        .take_while(|day| *day <= to)
        .map(|day| PayoutDay {
            day: day.to_string(),
            sums: days.get(&day).copied().unwrap_or_default().sums(),
        })
        .collect()
}

/// Every month from a day to another.
pub fn by_month(days: &BTreeMap<Date, Booked>, from: Date, to: Date) -> Vec<PayoutMonth> {
    let mut months: BTreeMap<(i32, u8), Booked> = BTreeMap::new();
    for day in std::iter::successors(Some(from), |day| day.next_day()).take_while(|day| *day <= to) {
        let month = months.entry((day.year(), u8::from(day.month()))).or_default();
        if let Some(booked) = days.get(&day) {
            month.add(booked);
        }
    }
    months
        .into_iter()
        .map(|((year, month), booked)| PayoutMonth {
            month: format!("{year}-{month:02}"),
            sums: booked.sums(),
        })
        .collect()
}

/// What an account took and put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Took {
    /// The ring's number.
    pub ring: i32,
    pub username: String,
    pub bonuses: Usdt,
    pub deposits: Usdt,
}

fn ring_sums(bonuses: Usdt, deposits: Usdt) -> RingSums {
    RingSums {
        bonuses,
        deposits,
        ratio: percent_of(bonuses, deposits),
    }
}

/// All rings together, and those that took most first.
pub fn rings(accounts: &[Took]) -> Rings {
    let mut rings: BTreeMap<i32, Vec<&Took>> = BTreeMap::new();
    for account in accounts {
        rings.entry(account.ring).or_default().push(account);
    }
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let sums = |of: &[&Took]| {
        ring_sums(
            of.iter().map(|a| a.bonuses).sum(),
            of.iter().map(|a| a.deposits).sum(),
        )
    };
    let mut largest: Vec<Ring> = rings
        .values()
        .map(|of| Ring {
            members: of.iter().take(NAMED).map(|a| a.username.clone()).collect(),
            accounts: count(of.len()),
            sums: sums(of),
        })
        .collect();
    largest.sort_by(|a, b| (b.sums.bonuses, &a.members).cmp(&(a.sums.bonuses, &b.members)));
    largest.truncate(RINGS);
    Rings {
        count: count(rings.len()),
        accounts: count(accounts.len()),
        sums: sums(&accounts.iter().collect::<Vec<_>>()),
        largest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    fn booked(revenue: i64, bonuses: i64) -> Booked {
        Booked {
            licences: Usdt(revenue),
            bonuses: Usdt(bonuses),
            ..Booked::default()
        }
    }

    #[test]
    fn over_is_more_than_the_share_and_not_the_share_itself() {
        for (revenue, bonuses, over) in [
            (100, 75, false),
            (100, 76, true),
            (0, 0, false),
            (0, 1, true),
            (-5, 1, true),
            (-5, 0, false),
            (i64::MAX, i64::MAX, true),
        ] {
            assert_eq!(
                booked(revenue, bonuses).over(750_000),
                over,
                "{revenue} {bonuses}"
            );
        }
        assert_eq!(booked(300, 100).sums().ratio.as_deref(), Some("33.33"));
        assert_eq!(booked(0, 100).sums().ratio, None);
        assert_eq!(
            booked(100, -1).sums().ratio.as_deref(),
            Some("0.00"),
            "more was taken back than earned"
        );
    }

    #[test]
    fn each_day_looks_back_by_itself() {
        let days = BTreeMap::from([
            (date!(2026 - 11 - 01), booked(100, 80)),
            (date!(2026 - 11 - 03), booked(100, 0)),
        ]);
        let over = |window, ceiling| {
            let (from, to) = (date!(2026 - 11 - 01), date!(2026 - 11 - 05));
            days_over(&days, from, to, window, ceiling * WHOLE / 100)
        };
        assert_eq!(over(30, 80), 0);
        assert_eq!(over(30, 79), 2, "until the third brings revenue");
        assert_eq!(over(30, 39), 5);
        assert_eq!(over(2, 79), 2, "the first leaves the window");
    }

    #[test]
    fn days_and_months_are_all_there_and_add_up() {
        let days = BTreeMap::from([
            (date!(2026 - 10 - 31), booked(100, 10)),
            (date!(2026 - 11 - 02), booked(50, 5)),
        ]);
        let (from, to) = (date!(2026 - 10 - 30), date!(2026 - 11 - 03));
        let all = by_day(&days, from, to);
        assert_eq!(all.len(), 5);
        assert_eq!((all[1].sums.revenue, all[2].sums.revenue), (Usdt(100), Usdt(0)));
        let months = by_month(&days, from, to);
        assert_eq!(
            months
                .iter()
                .map(|m| (&*m.month, m.sums.revenue))
                .collect::<Vec<_>>(),
            [("2026-10", Usdt(100)), ("2026-11", Usdt(50))]
        );
        assert_eq!(sum(&days, from, to), booked(150, 15));
    }

    #[test]
    fn rings_are_summed_and_those_that_took_most_come_first() {
        let took = |ring, name: &str, bonuses, deposits| Took {
            ring,
            username: name.to_owned(),
            bonuses: Usdt(bonuses),
            deposits: Usdt(deposits),
        };
        let rings = rings(&[
            took(1, "ana", 10, 100),
            took(1, "bia", 0, 100),
            took(2, "caio", 30, 0),
            took(2, "davi", 0, 0),
        ]);
        assert_eq!((rings.count, rings.accounts), (2, 4));
        assert_eq!(rings.sums.ratio.as_deref(), Some("20.00"));
        assert_eq!(rings.largest[0].members, ["caio", "davi"]);
        assert_eq!(rings.largest[0].sums.ratio, None, "nothing was put in");
        assert_eq!(rings.largest[1].sums.ratio.as_deref(), Some("5.00"));
    }
}
