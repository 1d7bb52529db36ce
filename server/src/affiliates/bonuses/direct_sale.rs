//! Direct sale: of a licence's value, to the sponsor, when the sale is final. Pure.

use super::facts::{Fact, Upline};
use crate::{affiliates::model::NewBonus, foundation::settings::Settings};
use protocol::views::BonusKind;

#[must_use]
pub fn of(sale: &Fact, chain: &[Upline], settings: &Settings) -> Option<NewBonus> {
    let sponsor = chain.iter().find(|u| u.level == 1)?;
    sale.bonus(BonusKind::DirectSale, sponsor, settings.direct_sale_bonus)
}

#[cfg(test)]
mod tests {
    use super::{
        super::facts::tests::{chain, fact},
        *,
    };
    use proptest::prelude::*;
    use protocol::views::BonusCause;

    proptest! {
        #[test]
        fn a_twentieth_to_the_sponsor(base in 20i64..1_000_000_000_000, actives in prop::collection::vec(any::<bool>(), 0..4)) {
            let chain = chain(&actives);
            let bonus = of(&fact(BonusCause::Sale, base), &chain, &Settings::default());
            prop_assert_eq!(bonus.map(|b| (b.receiver, b.gross.0)), chain.first().map(|u| (u.member, base / 20)));
        }
    }
}
