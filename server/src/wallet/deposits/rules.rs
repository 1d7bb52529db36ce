//! What a payment is worth and what becomes of it (docs/rules/wallet.md#what-a-payment-does). Pure.

use crate::{
    foundation::settings::{Settings, WHOLE, percent},
    wallet::chain::{Coin, wei},
};
use alloy::primitives::U256;
use protocol::{money::Usdt, views::DepositPrice};
use time::OffsetDateTime;

/// What is to be paid for a value: the value, its share, the fixed fee; rounded up.
#[must_use]
pub fn due(value: Usdt, settings: &Settings) -> Option<Usdt> {
    value
        .mul_div_ceil(WHOLE + settings.deposit_fee_share, WHOLE)?
        .checked_add(settings.deposit_fee)
}

/// What a deposit costs that is not booked yet; `agreed` is what an intent asks for.
#[must_use]
pub fn price(value: Option<Usdt>, agreed: Option<Usdt>, settings: &Settings) -> DepositPrice {
    let total = agreed.or_else(|| due(value?, settings));
    let costs = total
        .zip(value)
        .and_then(|(total, value)| total.checked_sub(value));
    DepositPrice {
        fee: settings.deposit_fee,
        fee_percent: percent(settings.deposit_fee_share),
        total,
        costs,
    }
}

/// What a plain sum credits: what is left after the fixed fee, without its share; floored. `None` for what the fee eats up.
#[must_use]
pub fn plain(worth: Usdt, settings: &Settings) -> Option<Usdt> {
    let above = worth
        .checked_sub(settings.deposit_fee)
        .filter(|a| a.is_positive())?;
    above
        .mul_div_floor(WHOLE, WHOLE + settings.deposit_fee_share)
        .filter(|c| c.is_positive())
}

/// What an amount of a coin is in USDT, floored; `rate` is 10⁻⁶ USDT per whole coin.
#[must_use]
pub fn worth(amount: U256, coin: Coin, rate: Option<Usdt>) -> Option<Usdt> {
    if coin == Coin::Usdt {
        return wei::usdt(amount);
    }
    let rate = U256::from(u64::try_from(rate?.0).ok()?);
    let micro = amount.checked_mul(rate)? / U256::from(10u64).pow(U256::from(18));
    i64::try_from(micro).ok().map(Usdt)
}

/// Blocks that hold a payment, its own among them; at most what is needed.
#[must_use]
pub fn confirmations(scanned: u64, block: u64, needed: u64) -> u32 {
    let held = (scanned + 1).saturating_sub(block).min(needed);
    u32::try_from(held).unwrap_or(u32::MAX)
}

/// The newest block that is confirmed; none while the chain is shorter.
#[must_use]
pub const fn confirmed(scanned: u64, needed: u64) -> Option<u64> {
    (scanned + 1).checked_sub(needed)
}

/// An intent as a payment meets it.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub coin: Coin,
    /// Exact wei.
    pub due: U256,
    pub received: U256,
    pub expires_at: OffsetDateTime,
}

/// What a confirmed payment does to the intent of its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    /// Counts towards it; more is to come.
    Part,
    /// Completes it; `rest` is more than was asked for.
    Whole {
        rest: U256,
    },
    /// Is not for it: another coin, or after its end.
    WrongToken,
    Late,
}

#[must_use]
pub fn meet(open: &Open, coin: Coin, amount: U256, at: OffsetDateTime) -> Meets {
    if coin != open.coin {
        return Meets::WrongToken;
    }
    if at > open.expires_at {
        return Meets::Late;
    }
    let received = open.received.saturating_add(amount);
    if received >= open.due {
        Meets::Whole {
            rest: received - open.due,
        }
    } else {
        Meets::Part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::datetime;

    fn settings() -> Settings {
        Settings::default()
    }

    #[test]
    fn the_published_examples() {
        let s = settings();
        assert_eq!(due(Usdt::whole(100), &s), Some(Usdt::whole(105)));
        assert_eq!(due(Usdt::whole(50), &s), Some(Usdt::whole(53)));
        assert_eq!(plain(Usdt::whole(60), &s), Some(Usdt(56_730_769)));
        assert_eq!(plain(Usdt::whole(1), &s), None);
        assert_eq!(plain(Usdt(1_000_001), &s), None, "a millionth leaves nothing");
        assert_eq!(plain(Usdt(1_000_002), &s), Some(Usdt(1)));
        assert_eq!(plain(Usdt::whole(-5), &s), None);
    }

    #[test]
    fn a_price_is_what_was_agreed_or_what_the_settings_of_now_ask() {
        let now = Settings {
            deposit_fee: Usdt(2_500_000),
            deposit_fee_share: 15_125,
            ..Settings::default()
        };
        let asked = |value, agreed| {
            let price = price(value, agreed, &now);
            assert_eq!((price.fee, &*price.fee_percent), (Usdt(2_500_000), "1.5125"));
            (price.total, price.costs)
        };
        assert_eq!(
            asked(Some(Usdt::whole(100)), Some(Usdt::whole(105))),
            (Some(Usdt::whole(105)), Some(Usdt::whole(5)))
        );
        assert_eq!(
            asked(Some(Usdt::whole(100)), None),
            (Some(Usdt(104_012_500)), Some(Usdt(4_012_500)))
        );
        assert_eq!(asked(None, None), (None, None), "nobody asked for it");
    }

    #[test]
    fn a_coin_is_worth_its_rate() {
        let whole = U256::from(10u64).pow(U256::from(18));
        assert_eq!(
            worth(whole, Coin::Bnb, Some(Usdt::whole(600))),
            Some(Usdt::whole(600))
        );
        assert_eq!(
            worth(whole / U256::from(3), Coin::Bnb, Some(Usdt::whole(1))),
            Some(Usdt(333_333))
        );
        assert_eq!(worth(whole, Coin::Bnb, None), None);
        assert_eq!(worth(whole, Coin::Usdt, None), Some(Usdt::whole(1)));
        assert_eq!(worth(U256::MAX, Coin::Bnb, Some(Usdt::whole(600))), None);
    }

    #[test]
    fn confirmations_count_the_own_block() {
        assert_eq!(confirmations(100, 100, 15), 1);
        assert_eq!(confirmations(113, 100, 15), 14);
        assert_eq!(confirmations(200, 100, 15), 15);
        assert_eq!(confirmations(99, 100, 15), 0);
        assert_eq!(confirmed(114, 15), Some(100));
        assert_eq!(confirmed(13, 15), None);
    }

    #[test]
    fn parts_add_up_until_the_end() {
        let end = datetime!(2026-11-20 12:00 UTC);
        let open = |received: u64| Open {
            coin: Coin::Usdt,
            due: U256::from(105),
            received: U256::from(received),
            expires_at: end,
        };
        let after = end + time::Duration::SECOND;
        for (received, coin, amount, at, expected) in [
            (0, Coin::Usdt, 60, end, Meets::Part),
            (60, Coin::Usdt, 45, end, Meets::Whole { rest: U256::ZERO }),
            (60, Coin::Usdt, 50, end, Meets::Whole { rest: U256::from(5) }),
            (60, Coin::Busd, 45, end, Meets::WrongToken),
            (60, Coin::Usdt, 45, after, Meets::Late),
        ] {
            assert_eq!(meet(&open(received), coin, U256::from(amount), at), expected);
        }
    }

    proptest! {
        #[test]
        fn exact_payment_credits_exactly_the_value_also_plain(micro in 1i64..10_000_000_000_000) {
            let s = settings();
            let due = due(Usdt(micro), &s).unwrap();
            prop_assert_eq!(plain(due, &s), Some(Usdt(micro)));
        }

        #[test]
        fn never_more_than_came(micro in 0i64..i64::MAX / 2) {
            if let Some(credited) = plain(Usdt(micro), &settings()) {
                prop_assert!(credited < Usdt(micro));
            }
        }
    }
}
