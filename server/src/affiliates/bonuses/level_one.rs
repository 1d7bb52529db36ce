//! Level 1, direct referral: of the rise of N over the member's highest N so far, to the sponsor, at once. Pure.

use super::facts::{Fact, Upline};
use crate::{affiliates::model::NewBonus, foundation::settings::Settings};
use protocol::views::BonusKind;

#[must_use]
pub fn of(rise: &Fact, chain: &[Upline], settings: &Settings) -> Option<NewBonus> {
    let sponsor = chain.iter().find(|u| u.level == 1)?;
    rise.bonus(BonusKind::Level, sponsor, settings.level_bonus_1)
}

#[cfg(test)]
mod tests {
    use super::{
        super::facts::tests::{chain, fact},
        *,
    };
    use proptest::prelude::*;
    use protocol::{money::Usdt, views::BonusCause};

    proptest! {
        /// A tenth, floored, to the sponsor and to nobody else.
        #[test]
        fn a_tenth_to_the_sponsor(base in 1i64..1_000_000_000_000, actives in prop::collection::vec(any::<bool>(), 0..12)) {
            let chain = chain(&actives);
            let bonus = of(&fact(BonusCause::Allocation, base), &chain, &Settings::default());
            prop_assert_eq!(bonus.map(|b| b.receiver), chain.first().filter(|_| base >= 10).map(|u| u.member));
            if let Some(bonus) = bonus {
                prop_assert_eq!(bonus.gross, Usdt(base / 10));
            }
        }
    }
}
