//! Pure rules of the pre-sale.

pub mod book;
pub mod reference;
pub mod vesting;

use protocol::money::{Pyx, Usdt};

/// What a value buys at a price (USDT of a whole PYX), floored; none when that is nothing.
#[must_use]
pub fn quantity(value: Usdt, price: Usdt) -> Option<Pyx> {
    if price.0 <= 0 || value.0 <= 0 {
        return None;
    }
    let units = i128::from(value.0) * i128::from(Pyx::ONE) / i128::from(price.0);
    i64::try_from(units).ok().map(Pyx).filter(|pyx| pyx.is_positive())
}

/// What a quantity is worth at a price, floored.
#[must_use]
pub fn cost(quantity: Pyx, price: Usdt) -> Option<Usdt> {
    price.mul_div_floor(quantity.0, Pyx::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_purchase_is_floored_and_never_nothing() {
        for (value, price, pyx) in [
            (1_000_000, 50_000, Some(20_000_000)),
            (1_000_000, 300_000, Some(3_333_333)),
            (1, 1_000_000, Some(1)),
            (1, 1_000_001, None),
            (0, 1, None),
            (-1, 1, None),
            (1, 0, None),
            (i64::MAX, 1, None),
        ] {
            assert_eq!(
                quantity(Usdt(value), Usdt(price)),
                pyx.map(Pyx),
                "{value} at {price}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_bought_is_never_worth_more_than_what_was_paid(value in 1i64..1_000_000_000_000, price in 1i64..1_000_000_000) {
            if let Some(pyx) = quantity(Usdt(value), Usdt(price)) {
                prop_assert!(cost(pyx, Usdt(price)).is_some_and(|worth| worth.0 <= value));
                let more = i128::from(pyx.0 + 1) * i128::from(price);
                prop_assert!(more > i128::from(value) * i128::from(Pyx::ONE));
            }
        }
    }
}
