//! Indirect sale: of a licence's value, to each of levels 2 to 5 of the sponsor chain, when the sale is final. Pure.

use super::facts::{Fact, Upline};
use crate::{affiliates::model::NewBonus, foundation::settings::Settings};
use protocol::views::BonusKind;

#[must_use]
pub fn of(sale: &Fact, chain: &[Upline], settings: &Settings) -> Vec<NewBonus> {
    chain
        .iter()
        .filter(|u| (2..=5).contains(&u.level))
        .filter_map(|upline| sale.bonus(BonusKind::IndirectSale, upline, settings.indirect_sale_bonus))
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

    proptest! {
        #[test]
        fn one_per_cent_to_each_of_four(base in 100i64..1_000_000_000_000, actives in prop::collection::vec(any::<bool>(), 0..12)) {
            let chain = chain(&actives);
            let bonuses = of(&fact(BonusCause::Sale, base), &chain, &Settings::default());
            prop_assert_eq!(bonuses.len(), actives.len().saturating_sub(1).min(4));
            prop_assert!(bonuses.iter().all(|b| b.gross.0 == base / 100));
            prop_assert!(bonuses.iter().zip(chain.iter().skip(1)).all(|(b, u)| b.receiver == u.member && b.level == u.level));
        }
    }
}
