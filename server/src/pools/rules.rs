//! Days and shares: pure.

use alloy::primitives::U256;
use protocol::money::Usdt;
use time::{Date, Duration};

/// The full days on which money that joined on this day counts: from the next day on, as many as the term has.
#[must_use]
pub fn term(joined: Date, days: i32) -> Option<(Date, Date)> {
    let first = joined.next_day()?;
    let last = first.checked_add(Duration::days(i64::from(days) - 1))?;
    (days > 0).then_some((first, last))
}

/// How many days two spans have in common, both ends inclusive.
#[must_use]
pub fn common_days(a: (Date, Date), b: (Date, Date)) -> i32 {
    let days = (a.1.min(b.1) - a.0.max(b.0)).whole_days() + 1;
    i32::try_from(days.max(0)).unwrap_or(i32::MAX)
}

/// Shares of a revenue by principal × full days, floored. What floors leave stays where it is.
#[must_use]
pub fn shares(revenue: Usdt, parts: &[(Usdt, i32)]) -> Vec<Usdt> {
    let of = |n: i64| U256::from(n.max(0).unsigned_abs());
    let weight = |(value, days): &(Usdt, i32)| of(value.0) * of(i64::from(*days));
    let whole: U256 = parts.iter().map(weight).fold(U256::ZERO, |sum, w| sum + w);
    let share = |part| {
        (of(revenue.0) * weight(part))
            .checked_div(whole)
            .and_then(|share| i64::try_from(share).ok())
            .map_or(Usdt::ZERO, Usdt)
    };
    parts.iter().map(share).collect()
}

/// A hash of a transaction as it is stored: lower case, `0x` and 64 digits.
#[must_use]
pub fn tx_hash(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.strip_prefix("0x")?;
    (digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    #[test]
    fn a_term_has_its_full_days() {
        let (first, last) = term(date!(2026 - 11 - 20), 30).unwrap();
        assert_eq!((first, last), (date!(2026 - 11 - 21), date!(2026 - 12 - 20)));
        assert_eq!(term(date!(2026 - 11 - 20), 0), None);
        assert_eq!(
            term(date!(2026 - 11 - 20), 1),
            Some((date!(2026 - 11 - 21), date!(2026 - 11 - 21)))
        );
    }

    #[test]
    fn days_in_common() {
        let entry = (date!(2026 - 11 - 10), date!(2026 - 11 - 20));
        let with = |from, to| common_days(entry, (from, to));
        assert_eq!(with(date!(2026 - 11 - 01), date!(2026 - 11 - 30)), 11);
        assert_eq!(with(date!(2026 - 11 - 20), date!(2026 - 11 - 25)), 1);
        assert_eq!(with(date!(2026 - 11 - 21), date!(2026 - 11 - 25)), 0);
        assert_eq!(with(date!(2026 - 10 - 01), date!(2026 - 11 - 09)), 0);
    }

    #[test]
    fn shares_are_by_principal_and_days() {
        let parts = [
            (Usdt::whole(100), 10),
            (Usdt::whole(200), 10),
            (Usdt::whole(300), 0),
        ];
        assert_eq!(
            shares(Usdt(100), &parts),
            [Usdt(33), Usdt(66), Usdt::ZERO],
            "one is left"
        );
        assert_eq!(shares(Usdt(100), &[(Usdt::whole(5), 0)]), [Usdt::ZERO]);
        assert_eq!(shares(Usdt(100), &[]), []);
    }

    #[test]
    fn hashes_are_read_in_any_case() {
        let hash = format!("0x{}", "aB".repeat(32));
        assert_eq!(tx_hash(&format!(" {hash} ")), Some(hash.to_lowercase()));
        assert_eq!(tx_hash("0x12"), None);
        assert_eq!(tx_hash(&"ab".repeat(33)), None);
    }

    proptest! {
        #[test]
        fn no_more_is_shared_than_came_in(revenue in 0i64..=i64::MAX, parts in proptest::collection::vec((0i64..=i64::MAX / 64, 0i32..2_000), 0..40)) {
            let parts: Vec<(Usdt, i32)> = parts.into_iter().map(|(v, d)| (Usdt(v), d)).collect();
            let shared = shares(Usdt(revenue), &parts);
            let sum: i128 = shared.iter().map(|s| i128::from(s.0)).sum();
            prop_assert!(sum <= i128::from(revenue));
            let counted = parts.iter().filter(|(v, d)| v.0 > 0 && *d > 0).count();
            if counted > 0 {
                // Each floor leaves less than a unit.
                prop_assert!(i128::from(revenue) - sum < i128::try_from(counted).unwrap());
            }
            for ((value, days), share) in parts.iter().zip(&shared) {
                prop_assert!(!share.is_negative());
                if value.is_zero() || *days == 0 {
                    prop_assert!(share.is_zero());
                }
            }
        }
    }
}
