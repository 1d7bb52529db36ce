//! Binary: of the points that both legs matched, when the day is closed. Pure.

use crate::{affiliates::model::Frozen, foundation::settings::WHOLE};
use protocol::{money::Usdt, views::LostReason};

/// The binary bonus on matched points, `ppm` parts per million of them, before anything bounds it.
#[must_use]
pub fn gross(matched: i64, ppm: i64) -> Usdt {
    Usdt(matched).mul_div_floor(ppm, WHOLE).unwrap_or_default()
}

/// What bounds a binary bonus beside the network ceiling: who was not active or not qualified when the day ended earns nothing, others no
/// more than their daily cap.
#[must_use]
pub fn bound(frozen: Option<&Frozen>) -> (LostReason, Usdt) {
    match frozen {
        None => (LostReason::Inactive, Usdt::ZERO),
        Some(f) if !f.qualified => (LostReason::NotQualified, Usdt::ZERO),
        Some(f) => (LostReason::DailyCap, f.daily_cap),
    }
}

/// Points that were matched and not paid. What was paid for is rounded up, so that no point is lost that was not. Who was not active or not
/// qualified loses all of them, also where a whole bonus on them would come to nothing.
#[must_use]
pub fn points_lost(matched: i64, ppm: i64, earned: Usdt, frozen: Option<&Frozen>) -> i64 {
    if frozen.is_none_or(|f| !f.qualified) {
        return matched;
    }
    if earned >= gross(matched, ppm) {
        return 0;
    }
    let paid = earned.mul_div_ceil(WHOLE, ppm).map_or(0, |p| p.0);
    (matched - paid).max(0)
}

#[cfg(test)]
mod tests {
    use super::{super::ceiling, *};
    use crate::foundation::settings::PERCENT;
    use proptest::prelude::*;
    use protocol::ids::UserId;

    const TEN: i64 = 10 * PERCENT;

    fn frozen(qualified: bool, cap: i64) -> Frozen {
        Frozen {
            member: UserId(uuid::Uuid::nil()),
            qualified,
            daily_cap: Usdt::whole(cap),
        }
    }

    #[test]
    fn ten_per_cent_up_to_the_smallest_bound() {
        use LostReason::{DailyCap, Inactive, NetworkCeiling, NotQualified};
        let free = Some(frozen(true, 10_000));
        let alone = Some(frozen(false, 10_000));
        let cap = |cap| Some(frozen(true, cap));
        for (what, matched, frozen, ceiling, paid, lost, reason) in [
            ("left 1 200, right 500", 500, free, 10_000, 50, 0, None),
            ("left 100, right 200", 100, free, 10_000, 10, 0, None),
            ("left 1 800, right 20 800", 1_800, free, 10_000, 180, 0, None),
            ("a daily cap of 30", 500, cap(30), 10_000, 30, 200, Some(DailyCap)),
            (
                "a ceiling of 30",
                500,
                cap(100),
                30,
                30,
                200,
                Some(NetworkCeiling),
            ),
            (
                "both 30: the ceiling is named",
                500,
                cap(30),
                30,
                30,
                200,
                Some(NetworkCeiling),
            ),
            ("bounds that just fit", 500, cap(50), 50, 50, 0, None),
            ("nothing left", 500, cap(100), 0, 0, 500, Some(NetworkCeiling)),
            ("not qualified", 500, alone, 10_000, 0, 500, Some(NotQualified)),
            (
                "not qualified, at the ceiling",
                500,
                alone,
                0,
                0,
                500,
                Some(NotQualified),
            ),
            ("not active", 500, None, 10_000, 0, 500, Some(Inactive)),
        ] {
            let matched = Usdt::whole(matched).0;
            let earned = ceiling::bound(
                gross(matched, TEN),
                Some(bound(frozen.as_ref())),
                Usdt::whole(ceiling),
            );
            assert_eq!(earned.earned, Usdt::whole(paid), "{what}");
            assert_eq!(
                points_lost(matched, TEN, earned.earned, frozen.as_ref()),
                Usdt::whole(lost).0,
                "{what}"
            );
            assert_eq!(earned.reason, reason, "{what}");
        }
    }

    /// Where nothing is paid for points, or for so few: nobody loses a bonus, and who would have had none has not been paid.
    #[test]
    fn points_that_pay_nothing_are_lost_by_who_would_have_lost_them() {
        let (free, alone) = (frozen(true, 10), frozen(false, 10));
        for (ppm, matched) in [(0, Usdt::whole(500).0), (TEN, 9)] {
            assert_eq!(gross(matched, ppm), Usdt::ZERO);
            for (frozen, lost) in [(Some(&free), 0), (Some(&alone), matched), (None, matched)] {
                assert_eq!(
                    points_lost(matched, ppm, Usdt::ZERO, frozen),
                    lost,
                    "{ppm}, {frozen:?}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn points_are_paid_or_lost(matched in 1i64..10_000_000_000, ppm in 0i64..=200_000, cap in 0i64..1_000_000_000, left in -1_000i64..1_000_000_000, qualified: bool) {
            let frozen = Frozen { daily_cap: Usdt(cap), ..frozen(qualified, 0) };
            let earned = ceiling::bound(gross(matched, ppm), Some(bound(Some(&frozen))), Usdt(left));
            let lost = points_lost(matched, ppm, earned.earned, Some(&frozen));
            prop_assert!((0..=matched).contains(&lost));
            prop_assert!(lost == 0 || !qualified || earned.reason.is_some());
            // What is lost would have earned no more than what was lost.
            prop_assert!(i128::from(lost) * i128::from(ppm) <= i128::from(earned.lost.0 + 1) * i128::from(WHOLE));
        }
    }
}
