//! What a withdrawal costs and brings. Pure.

use crate::{
    foundation::settings::{Settings, WHOLE},
    pix::rules::Rate,
};
use protocol::money::{Brl, Usdt};

/// USDT has 10⁻⁶, a rate 10⁻⁴, a centavo is 10⁻².
const SCALE: i64 = 100_000_000;

/// A value divided into what the house keeps and what leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    pub fee: Usdt,
    pub net: Usdt,
}

/// Divides a value; none when it is below the minimum or nothing would be left.
#[must_use]
pub fn parts(value: Usdt, settings: &Settings) -> Option<Parts> {
    if !value.is_positive() || value < settings.withdrawal_minimum {
        return None;
    }
    let fee = value
        .mul_div_floor(settings.withdrawal_fee, WHOLE)?
        .max(settings.withdrawal_fee_minimum);
    let net = value.checked_sub(fee).filter(|net| net.is_positive())?;
    Some(Parts { fee, net })
}

/// What so much brings: floored to the centavo; none when that is nothing.
#[must_use]
pub fn receives(net: Usdt, rate: Rate) -> Option<Brl> {
    net.mul_div_floor(rate.0, SCALE)
        .map(|centavos| Brl(centavos.0))
        .filter(|brl| brl.is_positive())
}

/// Whether a rate moved by more than so many parts per million since it was quoted.
#[must_use]
pub fn moved(quoted: Rate, now: Rate, tolerance: i64) -> bool {
    let difference = i128::from(quoted.0.abs_diff(now.0));
    difference * i128::from(WHOLE) > i128::from(quoted.0) * i128::from(tolerance)
}

/// How a fee is divided: the network fund's share, floored, and the rest for the house.
#[must_use]
pub fn fee_parts(fee: Usdt, fund_share: i64) -> Option<(Usdt, Usdt)> {
    let fund = fee.mul_div_floor(fund_share, WHOLE)?;
    Some((fund, fee.checked_sub(fund)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_per_cent_at_least_one() {
        let settings = Settings::default();
        for (value, fee) in [
            ("10", "1"),
            ("50", "1"),
            ("50.000049", "1"),
            ("50.00005", "1.000001"),
            ("100", "2"),
            ("1234.567891", "24.691357"),
        ] {
            let value: Usdt = value.parse().unwrap();
            let fee: Usdt = fee.parse().unwrap();
            assert_eq!(
                parts(value, &settings),
                Some(Parts {
                    fee,
                    net: value - fee
                }),
                "{value}"
            );
        }
        for small in ["0", "-20", "9.999999"] {
            assert_eq!(parts(small.parse().unwrap(), &settings), None, "{small}");
        }
        let dear = Settings {
            withdrawal_minimum: Usdt::whole(1),
            ..Settings::default()
        };
        assert_eq!(parts(Usdt::whole(1), &dear), None, "nothing would be left");
        assert_eq!(
            parts(Usdt(1_000_001), &dear),
            Some(Parts {
                fee: Usdt::whole(1),
                net: Usdt(1)
            })
        );
        assert_eq!(receives(Usdt(1), Rate(50_000)), None);
        assert_eq!(
            receives(Usdt::whole(98), Rate(53_923)),
            Some(Brl(52_844)),
            "528.4454"
        );
    }

    #[test]
    fn one_per_cent_is_not_more_than_one_per_cent() {
        for (now, is) in [(50_500, false), (50_501, true), (49_500, false), (49_499, true)] {
            assert_eq!(moved(Rate(50_000), Rate(now), 10_000), is, "{now}");
        }
    }

    proptest! {
        /// Value = fee + net, to the last unit; the fee is never below the minimum nor more than a unit off two per cent.
        #[test]
        fn nothing_is_lost_between_fee_and_net(micro in 10_000_000i64..9_000_000_000_000_000) {
            let settings = Settings::default();
            let Parts { fee, net } = parts(Usdt(micro), &settings).unwrap();
            prop_assert_eq!(fee + net, Usdt(micro));
            prop_assert!(fee >= settings.withdrawal_fee_minimum && net.is_positive());
            prop_assert!(fee == settings.withdrawal_fee_minimum || i128::from(fee.0) * 50 <= i128::from(micro));
            let (fund, house) = fee_parts(fee, settings.fee_network_fund_share).unwrap();
            prop_assert_eq!(fund + house, fee);
            prop_assert!(!fund.is_negative() && !house.is_negative());
        }

        /// What leaves in BRL never exceeds what it is worth, and lacks less than a centavo.
        #[test]
        fn never_a_centavo_too_much(micro in 1_000_000i64..1_000_000_000_000, rate in 10_000i64..1_000_000) {
            let brl = receives(Usdt(micro), Rate(rate)).unwrap();
            let (paid, worth) = (i128::from(brl.0) * i128::from(SCALE), i128::from(micro) * i128::from(rate));
            prop_assert!(paid <= worth && worth - paid < i128::from(SCALE));
        }
    }
}
