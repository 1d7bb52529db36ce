//! How a fee is divided between the network fund and the house (docs/rules/affiliates.md#funds): for every room that takes one. Pure.

use crate::{error::Error, foundation::settings::WHOLE};
use protocol::money::Usdt;

/// The two parts of a fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The network fund's share, floored.
    pub fund: Usdt,
    /// The rest.
    pub house: Usdt,
}

/// Divides a fee; `fund_share` in parts per million.
///
/// # Errors
/// `service.internal` for a fee below zero, and for a share that is no part of the whole: nothing is booked then.
pub fn divide(fee: Usdt, fund_share: i64) -> Result<Parts, Error> {
    let indivisible = || Error::internal("a fee that cannot be divided");
    if fee.is_negative() || !(0..=WHOLE).contains(&fund_share) {
        return Err(indivisible());
    }
    let fund = fee.mul_div_floor(fund_share, WHOLE).ok_or_else(indivisible)?;
    let house = fee.checked_sub(fund).ok_or_else(indivisible)?;
    Ok(Parts { fund, house })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_funds_share_is_floored_and_the_house_has_the_rest() {
        for (fee, share, fund, house) in [
            (0, 500_000, 0, 0),
            (1, 500_000, 0, 1),
            (3, 500_000, 1, 2),
            (5_000_000, 500_000, 2_500_000, 2_500_000),
            (5_000_000, 0, 0, 5_000_000),
            (5_000_000, WHOLE, 5_000_000, 0),
            (1_000_001, 333_333, 333_333, 666_668),
            (i64::MAX, WHOLE, i64::MAX, 0),
        ] {
            let parts = divide(Usdt(fee), share).unwrap();
            assert_eq!(
                (parts.fund, parts.house),
                (Usdt(fund), Usdt(house)),
                "{fee} at {share}"
            );
        }
        for (fee, share) in [(-1, 500_000), (1, -1), (1, WHOLE + 1)] {
            assert!(divide(Usdt(fee), share).is_err(), "{fee} at {share}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_neither_part_is_below_zero(fee in 0..=i64::MAX, share in 0..=WHOLE) {
            let parts = divide(Usdt(fee), share).unwrap();
            prop_assert_eq!(i128::from(parts.fund.0) + i128::from(parts.house.0), i128::from(fee));
            prop_assert!(!parts.fund.is_negative() && !parts.house.is_negative());
        }
    }
}
