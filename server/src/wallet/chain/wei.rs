//! Amounts on the chain are whole wei, 18 decimals for every coin here; in the books USDT and PYX have six.

use alloy::primitives::U256;
use protocol::money::{Pyx, Usdt};

/// Wei of one micro-unit.
const MICRO: u64 = 1_000_000_000_000;

/// As the ledger keeps it; `None` beyond its 38 digits.
#[must_use]
pub fn booked(wei: U256) -> Option<i128> {
    i128::try_from(wei).ok().filter(|w| *w < 10i128.pow(38))
}

/// From the ledger; `None` below zero.
#[must_use]
pub fn read(booked: i128) -> Option<U256> {
    U256::try_from(booked).ok()
}

/// What so many wei are in the books, floored.
#[must_use]
pub fn micro(wei: U256) -> Option<i64> {
    i64::try_from(wei / U256::from(MICRO)).ok()
}

/// What so many wei of USDT are, floored.
#[must_use]
pub fn usdt(wei: U256) -> Option<Usdt> {
    micro(wei).map(Usdt)
}

/// What so many wei of PYX are, floored.
#[must_use]
pub fn pyx(wei: U256) -> Option<Pyx> {
    micro(wei).map(Pyx)
}

/// Exact wei of an amount in the books; zero for what is negative.
#[must_use]
pub fn of(micro: i64) -> U256 {
    U256::from(u64::try_from(micro).unwrap_or(0)) * U256::from(MICRO)
}

/// Whole wei as coins, exact, without trailing zeros; `None` for what is no number.
#[must_use]
pub fn coins(wei: &str) -> Option<String> {
    let digits = wei.parse::<U256>().ok()?.to_string();
    let padded = format!("{digits:0>19}");
    let (whole, part) = padded.split_at(padded.len() - 18);
    let part = part.trim_end_matches('0');
    Some(if part.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{part}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floors_and_is_exact() {
        assert_eq!(usdt(U256::from(MICRO - 1)), Some(Usdt(0)));
        assert_eq!(
            usdt(of(105_000_000) + U256::from(MICRO - 1)),
            Some(Usdt(105_000_000))
        );
        assert_eq!(of(-1), U256::ZERO);
        assert_eq!(usdt(U256::MAX), None);
        assert_eq!(booked(U256::MAX), None);
        assert_eq!(read(-1), None);
        for (wei, shown) in [
            ("0", Some("0")),
            ("1", Some("0.000000000000000001")),
            ("1500000000000000000", Some("1.5")),
            ("105000000000000000000", Some("105")),
            ("x", None),
        ] {
            assert_eq!(coins(wei).as_deref(), shown, "{wei}");
        }
    }

    proptest! {
        #[test]
        fn what_is_booked_comes_back(micro in 0i64..=i64::MAX) {
            prop_assert_eq!(usdt(of(micro)), Some(Usdt(micro)));
            prop_assert_eq!(booked(of(micro)).and_then(read), Some(of(micro)));
        }
    }
}
