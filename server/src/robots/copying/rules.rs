//! Who may lead, what a follower may lose, what a leader's return is: pure.

use protocol::{ErrorCode, money::Usdt};

/// The least maximum loss.
pub const LEAST_LOSS: Usdt = Usdt::whole(1);

const DAY_SECONDS: i128 = 86_400;
/// One per cent has so many of a rate's last decimal.
const DECIMALS: i128 = 10_000;

/// What decides whether a robot may be opened to followers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub active: bool,
    pub manual_key: bool,
    pub follows: bool,
    /// Since its first operation.
    pub days: i64,
    pub operations: i64,
    pub allocated: Usdt,
    pub needed_days: i64,
    pub needed_operations: i64,
    /// Of what the robots that trade have allocated.
    pub median: Usdt,
}

/// What it lacks, the weightiest first.
#[must_use]
pub fn missing(s: &Standing) -> Vec<ErrorCode> {
    [
        (!s.active, ErrorCode::LicenceState),
        (s.follows, ErrorCode::LeaderFollows),
        // Manual operations are not copied: its followers would wait for ever.
        (s.manual_key, ErrorCode::LeaderManualKey),
        (s.days < s.needed_days, ErrorCode::LeaderTooYoung),
        (s.operations < s.needed_operations, ErrorCode::LeaderOperations),
        (s.allocated < s.median, ErrorCode::LeaderAllocation),
    ]
    .into_iter()
    .filter_map(|(lacks, code)| lacks.then_some(code))
    .collect()
}

/// Whether a follower with so much allocated may set this maximum loss.
#[must_use]
pub fn may_lose(maximum: Usdt, allocated: Usdt) -> bool {
    (LEAST_LOSS..=allocated).contains(&maximum)
}

/// Net result in percent of the capital that was at work on average: `weight` is capital × seconds over so many days. Four
/// decimals at most, floored, so that it never flatters.
#[must_use]
pub fn rate(net: Usdt, weight: i128, days: i64) -> Option<String> {
    if weight <= 0 || days <= 0 {
        return None;
    }
    let scaled = i128::from(net.0)
        .checked_mul(DAY_SECONDS * i128::from(days))?
        .checked_mul(100 * DECIMALS)?
        .div_euclid(weight);
    let sign = if scaled < 0 { "-" } else { "" };
    let (whole, fraction) = (
        scaled.unsigned_abs() / DECIMALS.unsigned_abs(),
        scaled.unsigned_abs() % DECIMALS.unsigned_abs(),
    );
    let text = format!("{sign}{whole}.{fraction:04}");
    Some(
        text.strip_suffix("00")
            .map_or_else(|| text.clone(), str::to_owned),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const READY: Standing = Standing {
        active: true,
        manual_key: false,
        follows: false,
        days: 30,
        operations: 100,
        allocated: Usdt::whole(200),
        needed_days: 30,
        needed_operations: 100,
        median: Usdt::whole(200),
    };

    #[test]
    fn each_condition_is_named() {
        assert!(missing(&READY).is_empty());
        for (standing, code) in [
            (
                Standing {
                    active: false,
                    ..READY
                },
                ErrorCode::LicenceState,
            ),
            (
                Standing {
                    follows: true,
                    ..READY
                },
                ErrorCode::LeaderFollows,
            ),
            (
                Standing {
                    manual_key: true,
                    ..READY
                },
                ErrorCode::LeaderManualKey,
            ),
            (Standing { days: 29, ..READY }, ErrorCode::LeaderTooYoung),
            (
                Standing {
                    operations: 99,
                    ..READY
                },
                ErrorCode::LeaderOperations,
            ),
            (
                Standing {
                    allocated: Usdt(199_999_999),
                    ..READY
                },
                ErrorCode::LeaderAllocation,
            ),
        ] {
            assert_eq!(missing(&standing), [code]);
        }
        let none = Standing {
            days: 0,
            operations: 0,
            allocated: Usdt::ZERO,
            ..READY
        };
        assert_eq!(missing(&none).len(), 3);
    }

    #[test]
    fn a_maximum_loss_is_between_one_and_all() {
        let all = Usdt::whole(100);
        assert!(may_lose(Usdt::whole(1), all) && may_lose(all, all));
        assert!(!may_lose(Usdt(999_999), all) && !may_lose(Usdt(100_000_001), all));
        assert!(!may_lose(Usdt::whole(1), Usdt(999_999)), "too little to lose");
    }

    #[test]
    fn a_return_is_by_the_capital_at_work() {
        let hundred = 100_000_000 * DAY_SECONDS;
        let of = |net, weight, days| rate(Usdt(net), weight, days);
        assert_eq!(of(1_000_000, hundred, 1).as_deref(), Some("1.00"));
        assert_eq!(of(1_000_000, 2 * hundred, 2).as_deref(), Some("1.00"));
        assert_eq!(
            of(1_000_000, 3 * hundred, 2).as_deref(),
            Some("0.6666"),
            "150 on average"
        );
        assert_eq!(
            of(-1_000_000, 3 * hundred, 2).as_deref(),
            Some("-0.6667"),
            "never flattered"
        );
        assert_eq!(of(-250_000_000, hundred, 1).as_deref(), Some("-250.00"));
        assert_eq!(of(0, hundred, 1).as_deref(), Some("0.00"));
        assert_eq!(of(5, 0, 1), None);
        assert_eq!(of(5, hundred, 0), None);
    }

    proptest! {
        #[test]
        fn a_return_never_flatters(net in -1_000_000_000_000i64..1_000_000_000_000, weight in 1i128..1_000_000_000_000_000_000_000, days in 1i64..4_000) {
            let text = rate(Usdt(net), weight, days).unwrap();
            let (whole, fraction) = text.split_once('.').unwrap();
            prop_assert!((2..=4).contains(&fraction.len()));
            let shown: i128 = format!("{whole}{fraction:0<4}").parse().unwrap();
            let exact = i128::from(net) * DAY_SECONDS * i128::from(days) * 1_000_000;
            prop_assert!(shown * weight <= exact && exact < (shown + 1) * weight);
        }
    }
}
