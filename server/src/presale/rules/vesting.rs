//! When bought PYX becomes free: evenly, day by day of the business calendar, after the round's end and the cliff. Each day's part is
//! floored, the last day pays the rest.

use crate::foundation::business_day;
use protocol::money::Pyx;
use time::{Date, Duration, OffsetDateTime};

/// What one person bought in one round, and how it becomes free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub total: Pyx,
    /// The first day that frees something.
    pub first: Date,
    pub days: i32,
}

impl Schedule {
    /// Of a round that ends then: the first day is the one after the cliff, which begins with the round's last day.
    #[must_use]
    pub fn new(total: Pyx, ends_at: OffsetDateTime, cliff_days: i32, vesting_days: i32) -> Self {
        let first = business_day::of(ends_at).saturating_add(Duration::days(i64::from(cliff_days) + 1));
        Self {
            total,
            first,
            days: vesting_days.max(1),
        }
    }

    #[must_use]
    pub fn last(&self) -> Date {
        self.first
            .saturating_add(Duration::days(i64::from(self.days) - 1))
    }

    /// What every day but the last frees.
    #[must_use]
    pub fn per_day(&self) -> Pyx {
        Pyx(self.total.0.div_euclid(i64::from(self.days)))
    }

    /// What a day frees.
    #[must_use]
    pub fn on(&self, day: Date) -> Pyx {
        if day < self.first || day > self.last() {
            Pyx::ZERO
        } else if day == self.last() {
            Pyx(self.total.0 - self.per_day().0 * (i64::from(self.days) - 1))
        } else {
            self.per_day()
        }
    }

    /// All that is free on a day, this day's part with it.
    #[must_use]
    pub fn vested(&self, day: Date) -> Pyx {
        if day >= self.last() {
            return self.total;
        }
        let passed = (day - self.first).whole_days() + 1;
        Pyx(self.per_day().0 * passed.max(0))
    }

    /// The next day after this one that frees something.
    #[must_use]
    pub fn next_after(&self, day: Date) -> Option<Date> {
        let candidate = self.first.max(day.next_day()?);
        if candidate > self.last() {
            None
        } else if self.per_day().is_zero() {
            // Too little for a part each day: it all comes at the end.
            Some(self.last())
        } else {
            Some(candidate)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::{date, datetime};

    #[test]
    fn the_cliff_passes_then_equal_days_and_the_rest_at_the_end() {
        let s = Schedule::new(Pyx(10), datetime!(2026-11-20 15:00 UTC), 2, 3);
        assert_eq!(
            (s.first, s.last()),
            (date!(2026 - 11 - 23), date!(2026 - 11 - 25))
        );
        let days = [
            (date!(2026 - 11 - 20), 0, 0),
            (date!(2026 - 11 - 22), 0, 0),
            (date!(2026 - 11 - 23), 3, 3),
            (date!(2026 - 11 - 24), 3, 6),
            (date!(2026 - 11 - 25), 4, 10),
            (date!(2026 - 11 - 26), 0, 10),
        ];
        for (day, on, vested) in days {
            assert_eq!((s.on(day), s.vested(day)), (Pyx(on), Pyx(vested)), "{day}");
        }
        assert_eq!(s.next_after(date!(2026 - 11 - 20)), Some(date!(2026 - 11 - 23)));
        assert_eq!(s.next_after(date!(2026 - 11 - 24)), Some(date!(2026 - 11 - 25)));
        assert_eq!(s.next_after(date!(2026 - 11 - 25)), None);
    }

    #[test]
    fn the_round_ends_on_a_day_of_sao_paulo() {
        // 02:59 UTC is still the day before.
        let s = Schedule::new(Pyx(1), datetime!(2026-11-20 02:59 UTC), 0, 1);
        assert_eq!(
            (s.first, s.last()),
            (date!(2026 - 11 - 20), date!(2026 - 11 - 20))
        );
    }

    #[test]
    fn too_little_for_every_day_comes_at_the_end() {
        let s = Schedule::new(Pyx(2), datetime!(2026-11-20 15:00 UTC), 0, 5);
        assert_eq!(s.next_after(s.first), Some(s.last()));
        assert_eq!(s.on(s.last()), Pyx(2));
    }

    proptest! {
        #[test]
        fn all_days_add_up_to_the_whole(total in 1i64..i64::MAX / 2, cliff in 0i32..400, days in 1i32..1_500, end in 1_700_000_000i64..2_000_000_000) {
            let ends = OffsetDateTime::from_unix_timestamp(end).unwrap();
            let s = Schedule::new(Pyx(total), ends, cliff, days);
            let mut day = business_day::of(ends);
            let (mut sum, mut before) = (0i64, Pyx::ZERO);
            while day <= s.last().next_day().unwrap() {
                let on = s.on(day);
                prop_assert!(!on.is_negative());
                if day < s.first {
                    prop_assert_eq!(on, Pyx::ZERO);
                    prop_assert!((day - business_day::of(ends)).whole_days() <= i64::from(cliff));
                }
                sum += on.0;
                prop_assert_eq!(s.vested(day), Pyx(sum));
                prop_assert!(s.vested(day) >= before);
                before = s.vested(day);
                day = day.next_day().unwrap();
            }
            prop_assert_eq!(sum, total);
        }
    }
}
