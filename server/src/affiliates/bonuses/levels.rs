//! Levels 2 to 10: of the same rise, up the sponsor chain, at once. No compression: a level belongs to who stands there. Pure.

use super::facts::{Fact, Upline};
use crate::{affiliates::model::NewBonus, foundation::settings::Settings};
use protocol::views::BonusKind;

#[must_use]
pub fn of(rise: &Fact, chain: &[Upline], settings: &Settings) -> Vec<NewBonus> {
    let rates = settings.level_bonuses();
    chain
        .iter()
        .filter(|u| u.level >= 2)
        .filter_map(|upline| {
            let place = usize::try_from(upline.level - 1).ok()?;
            rise.bonus(BonusKind::Level, upline, *rates.get(place)?)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::facts::tests::{chain, fact},
        *,
    };
    use proptest::prelude::*;
    use protocol::views::BonusCause;

    #[test]
    fn each_level_has_its_share() {
        let of: Vec<(i16, i64)> = of(
            &fact(BonusCause::Allocation, 100_000_000),
            &chain(&[true; 12]),
            &Settings::default(),
        )
        .iter()
        .map(|b| (b.level, b.gross.0))
        .collect();
        assert_eq!(
            of,
            [
                (2, 1_000_000),
                (3, 500_000),
                (4, 500_000),
                (5, 500_000),
                (6, 500_000)
            ]
        );
    }

    proptest! {
        /// All levels together never come to more than the sum of their shares.
        #[test]
        fn never_more_than_the_shares_say(base in 1i64..1_000_000_000_000, actives in prop::collection::vec(any::<bool>(), 0..12)) {
            let settings = Settings::default();
            let sum: i64 = of(&fact(BonusCause::Allocation, base), &chain(&actives), &settings).iter().map(|b| b.gross.0).sum();
            let rates: i64 = settings.level_bonuses().iter().skip(1).sum();
            prop_assert!(i128::from(sum) * 1_000_000 <= i128::from(base) * i128::from(rates));
        }
    }
}
