//! What a withdrawal brings. Pure.

use crate::pix::rules::Rate;
use protocol::money::{Brl, Usdt};

/// USDT has 10⁻⁶, a rate 10⁻⁴, a centavo is 10⁻².
const SCALE: i64 = 100_000_000;

/// What so much brings: floored to the centavo; none when that is nothing.
#[must_use]
pub fn receives(net: Usdt, rate: Rate) -> Option<Brl> {
    net.mul_div_floor(rate.0, SCALE)
        .map(|centavos| Brl(centavos.0))
        .filter(|brl| brl.is_positive())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floored_to_the_centavo_and_never_nothing() {
        assert_eq!(receives(Usdt(1), Rate(50_000)), None);
        assert_eq!(
            receives(Usdt::whole(98), Rate(53_923)),
            Some(Brl(52_844)),
            "528.4454"
        );
    }

    proptest! {
        /// What leaves in BRL never exceeds what it is worth, and lacks less than a centavo.
        #[test]
        fn never_a_centavo_too_much(micro in 1_000_000i64..1_000_000_000_000, rate in 10_000i64..1_000_000) {
            let brl = receives(Usdt(micro), Rate(rate)).unwrap();
            let (paid, worth) = (i128::from(brl.0) * i128::from(SCALE), i128::from(micro) * i128::from(rate));
            prop_assert!(paid <= worth && worth - paid < i128::from(SCALE));
        }
    }
}
