//! What a withdrawal brings, what PYX cost that leave, and where nothing goes. Pure.

use crate::{
    foundation::{evm_address, settings::Settings},
    payouts::rules::Parts,
    wallet::chain::{Coin, Contracts, wei},
};
use alloy::primitives::{Address, U256};
use protocol::money::{Pyx, Usdt};

/// Coins that are paid out.
pub const COINS: [Coin; 4] = [Coin::Usdt, Coin::Busd, Coin::Bnb, Coin::Pyx];
/// The least PYX that leave at once.
pub const PYX_MINIMUM: Pyx = Pyx::whole(1);

/// What PYX cost that leave: they leave whole, the fee is paid beside them. Their worth at a price is rounded up, so that limits never
/// see too little; none below the minimum.
#[must_use]
pub fn pyx_parts(pyx: Pyx, price: Usdt, settings: &Settings) -> Option<Parts> {
    if pyx < PYX_MINIMUM || !price.is_positive() {
        return None;
    }
    Some(Parts {
        fee: settings.pyx_withdrawal_fee,
        net: price.mul_div_ceil(pyx.0, Pyx::ONE)?,
    })
}

/// Exact wei that a net brings at a rate (USDT per whole coin), floored; none for nothing.
#[must_use]
pub fn receives(net: Usdt, rate: Usdt) -> Option<U256> {
    if !net.is_positive() || !rate.is_positive() {
        return None;
    }
    let whole = U256::from(10u64).pow(U256::from(18));
    let net = U256::from(u64::try_from(net.0).ok()?);
    let rate = U256::from(u64::try_from(rate.0).ok()?);
    let wei = net * whole / rate;
    (!wei.is_zero() && wei::booked(wei).is_some()).then_some(wei)
}

/// Addresses that nobody is paid at: contracts, the house's own, nobody's. Deposit addresses stand in the database.
#[must_use]
pub fn is_forbidden(address: Address, contracts: &Contracts, house: &[Address]) -> bool {
    let contract = [contracts.usdt, contracts.busd, contracts.pyx, contracts.router].contains(&Some(address));
    contract || evm_address::is_nobodys(address) || house.contains(&address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy::primitives::address;
    use proptest::prelude::*;

    #[test]
    fn nobody_is_paid_at_contracts_and_at_ours() {
        let usdt = address!("55d398326f99059fF775485246999027B3197955");
        let hot = address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
        let contracts = Contracts {
            usdt: Some(usdt),
            ..Contracts::default()
        };
        for (address, is) in [
            (usdt, true),
            (hot, true),
            (Address::ZERO, true),
            (address!("0000000000000000000000000000000000000004"), true),
            (address!("000000000000000000000000000000000000dEaD"), true),
            (address!("dead000000000000000000000000000000000000"), true),
            (address!("fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"), false),
        ] {
            assert_eq!(is_forbidden(address, &contracts, &[hot]), is, "{address}");
        }
    }

    #[test]
    fn a_coin_at_six_hundred() {
        let whole = U256::from(10u64).pow(U256::from(18));
        assert_eq!(
            receives(Usdt::whole(1_200), Usdt::whole(600)),
            Some(whole * U256::from(2))
        );
        assert_eq!(
            receives(Usdt(1), Usdt::whole(1)),
            Some(U256::from(1_000_000_000_000u64))
        );
        assert_eq!(
            receives(Usdt::whole(98), Usdt::whole(1)),
            Some(whole * U256::from(98))
        );
        assert_eq!(receives(Usdt::ZERO, Usdt::whole(1)), None);
        assert_eq!(receives(Usdt::whole(1), Usdt::ZERO), None);
    }

    #[test]
    fn pyx_leave_whole_from_one_on() {
        let settings = Settings::default();
        let parts = |pyx: &str, price: &str| {
            pyx_parts(pyx.parse().unwrap(), price.parse().unwrap(), &settings)
                .map(|p| (p.fee.to_string(), p.net.to_string()))
        };
        let worth = |net: &str| Some(("1.000000".to_owned(), net.to_owned()));
        for (pyx, price, expected) in [
            ("1", "0.05", worth("0.050000")),
            ("1.000001", "0.05", worth("0.050001")),
            ("120.5", "2", worth("241.000000")),
            ("0.999999", "2", None),
            ("0", "2", None),
            ("-3", "2", None),
            ("5", "0", None),
        ] {
            assert_eq!(parts(pyx, price), expected, "{pyx} at {price}");
        }
    }

    proptest! {
        /// The worth that limits see is never below what the price says, and less than a unit above it.
        #[test]
        fn worth_of_pyx_is_rounded_up(micro in 1_000_000i64..1_000_000_000_000, price in 1i64..1_000_000_000) {
            let net = pyx_parts(Pyx(micro), Usdt(price), &Settings::default()).unwrap().net;
            let (exact, worth) = (i128::from(micro) * i128::from(price), i128::from(net.0) * 1_000_000);
            prop_assert!(worth >= exact && worth - exact < 1_000_000);
        }

        /// What leaves is never worth more than the net, and lacks less than a wei.
        #[test]
        fn never_a_wei_too_much(micro in 1_000_000i64..1_000_000_000_000, rate in 100_000i64..10_000_000_000) {
            let wei = receives(Usdt(micro), Usdt(rate)).unwrap();
            let whole = U256::from(10u64).pow(U256::from(18));
            let (rate, worth) = (U256::from(rate.unsigned_abs()), U256::from(micro.unsigned_abs()) * whole);
            prop_assert!(wei * rate <= worth && worth - wei * rate < rate);
        }
    }
}
