//! What ranks take: pure (docs/rules/affiliates.md#graduations).

use super::service::NextGraduation;
use crate::foundation::settings::{Settings, WHOLE};
use protocol::{money::Usdt, views::Rank};

/// The rank after this one (zero: none yet), and how far so many paid points are on the way to it; none after the last.
#[must_use]
pub fn next(rank: i16, points: Usdt, settings: &Settings) -> Option<NextGraduation> {
    let ladder = settings.graduations();
    let threshold = Usdt::whole(*ladder.get(usize::try_from(rank).ok()?)?);
    Some(NextGraduation {
        name: Rank::numbered(rank + 1)?,
        points,
        threshold,
        missing: (threshold - points).max(Usdt::ZERO),
        progress: points.mul_div_floor(100, threshold.0).map_or(0, |p| p.0.min(100)),
        bonus: threshold
            .mul_div_floor(settings.graduation_bonus, WHOLE)
            .unwrap_or_default(),
    })
}

/// The ranks (from 1) that a member of this rank reaches with so many paid points (millionths); thresholds are whole points.
#[must_use]
pub fn reached(rank: i16, paid_points: i64, thresholds: &[i64]) -> Vec<(i16, Usdt)> {
    (1i16..)
        .zip(thresholds.iter().map(|t| Usdt::whole(*t)))
        .filter(|(number, threshold)| *number > rank && threshold.0 <= paid_points)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_rank_and_what_is_missing_for_it() {
        let after = |rank, points| {
            let next = next(rank, Usdt(points), &Settings::default())?;
            Some((
                next.name,
                next.threshold.0 / Usdt::ONE,
                next.missing.0,
                next.progress,
                next.bonus.0 / Usdt::ONE,
            ))
        };
        let whole = |points: i64| Usdt::whole(points).0;
        assert_eq!(after(0, 0), Some((Rank::Bronze, 1_000, whole(1_000), 0, 50)));
        assert_eq!(after(0, whole(1_000) - 1), Some((Rank::Bronze, 1_000, 1, 99, 50)));
        assert_eq!(
            after(1, whole(2_000)),
            Some((Rank::Silver, 5_000, whole(3_000), 40, 250))
        );
        // The next closing that pays points brings it.
        assert_eq!(after(0, whole(1_200)), Some((Rank::Bronze, 1_000, 0, 100, 50)));
        assert_eq!(
            after(7, whole(4_000_000)),
            Some((Rank::Crown, 5_000_000, whole(1_000_000), 80, 250_000))
        );
        assert_eq!(after(8, whole(9_000_000)), None);
    }

    #[test]
    fn each_rank_that_is_passed_is_reached() {
        let ladder = [1_000, 5_000, 20_000];
        let after = |rank, points| {
            let passed = reached(rank, Usdt::whole(points).0, &ladder);
            passed.into_iter().map(|(number, _)| number).collect::<Vec<_>>()
        };
        assert!(after(0, 999).is_empty());
        assert_eq!(after(0, 1_000), [1]);
        assert!(after(1, 4_999).is_empty());
        assert_eq!(after(0, 20_000), [1, 2, 3]);
        assert_eq!(after(2, 20_000), [3]);
        assert!(after(3, 90_000).is_empty());
    }
}
