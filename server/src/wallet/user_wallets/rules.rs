//! Amounts and bounds of a wallet's orders. Pure.

use alloy::primitives::{U256, utils::Unit};
use protocol::money::Usdt;

/// Decimals of every coin here.
const DECIMALS: usize = 18;
/// Hundredths of a percent in one.
const WHOLE: u64 = 10_000;
/// The most that a price may slip (docs/rules/wallet.md#own-wallets).
pub const SLIPPAGE_MOST: u16 = 300;
/// A swap is mined within so many seconds, or never.
pub const DEADLINE: i64 = 120;
/// How long a quote may be accepted.
pub const QUOTE_LIFE: time::Duration = time::Duration::seconds(60);

/// Whole wei of a decimal number of coins; none for what is no such number, or has more decimals than a coin.
#[must_use]
pub fn read(text: &str) -> Option<U256> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let sized = !whole.is_empty() && whole.len() <= 20 && fraction.len() <= DECIMALS;
    if !sized || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        return None;
    }
    let wei = format!("{whole}{fraction:0<DECIMALS$}");
    U256::from_str_radix(&wei, 10).ok()
}

/// The number of coins as people write it, whole and without zeros that say nothing.
#[must_use]
pub fn shown(wei: U256) -> String {
    let unit = Unit::ETHER.wei();
    let (whole, rest) = (wei / unit, wei % unit);
    if rest.is_zero() {
        return whole.to_string();
    }
    let fraction = format!("{:0>DECIMALS$}", rest.to_string());
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

/// The same, rounded up to eight decimals: what is asked for is never too little.
#[must_use]
pub fn shown_up(wei: U256) -> String {
    let grain = U256::from(10u64).pow(U256::from(10u64));
    shown(wei.div_ceil(grain) * grain)
}

/// A percentage with at most two decimals as hundredths of a percent, within the bound.
#[must_use]
pub fn slippage(text: &str) -> Option<u16> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 2 || fraction.len() > 2 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let hundredths: u16 = format!("{whole}{fraction:0<2}").parse().ok()?;
    (1..=SLIPPAGE_MOST).contains(&hundredths).then_some(hundredths)
}

/// Hundredths of a percent as people write them.
#[must_use]
pub fn percent(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The least that is taken for a quoted amount: rounded up, never below one.
#[must_use]
pub fn minimum(quoted: U256, slippage: u16) -> U256 {
    let kept = WHOLE.saturating_sub(u64::from(slippage));
    (quoted * U256::from(kept))
        .div_ceil(U256::from(WHOLE))
        .max(U256::from(1u64))
}

/// How much worse than for a small amount the price is, in hundredths of a percent, rounded up. `small_in` gave `small_out`.
#[must_use]
pub fn impact(wei_in: U256, out: U256, small_in: U256, small_out: U256) -> u64 {
    let ideal = small_out.saturating_mul(wei_in);
    let real = out.saturating_mul(small_in);
    if ideal.is_zero() || real >= ideal {
        return 0;
    }
    ((ideal - real).saturating_mul(U256::from(WHOLE)))
        .div_ceil(ideal)
        .saturating_to::<u64>()
        .min(WHOLE)
}

/// Worth of so many wei at a price per whole coin, rounded up.
#[must_use]
pub fn worth(wei: U256, rate: Usdt) -> Option<Usdt> {
    let rate = U256::from(u64::try_from(rate.0).ok()?);
    let micro = wei.checked_mul(rate)?.div_ceil(Unit::ETHER.wei());
    i64::try_from(micro).ok().map(Usdt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coins(text: &str) -> U256 {
        read(text).unwrap()
    }

    #[test]
    fn numbers_of_coins() {
        assert_eq!(coins("1"), U256::from(10u64).pow(U256::from(18u64)));
        assert_eq!(coins("0.000000000000000001"), U256::from(1u64));
        assert_eq!(shown(coins("12.340")), "12.34");
        assert_eq!(shown(coins("100")), "100");
        assert_eq!(shown(U256::ZERO), "0");
        assert_eq!(shown_up(coins("0.000000000000000001")), "0.00000001");
        for bad in [
            "",
            ".5",
            "5.",
            "-1",
            "1e3",
            "1,5",
            "0.0000000000000000001",
            "1 2",
            "٣",
            "123456789012345678901",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn slippage_is_bounded() {
        assert_eq!(slippage("0.5"), Some(50));
        assert_eq!(slippage("3"), Some(300));
        assert_eq!(slippage("0.01"), Some(1));
        for bad in ["0", "0.00", "3.01", "10", "", "-1", "0.005", "1.", "a"] {
            assert_eq!(slippage(bad).filter(|_| bad != "1."), None, "{bad}");
        }
        assert_eq!(percent(305), "3.05");
    }

    #[test]
    fn the_minimum_is_never_below_what_was_agreed() {
        assert_eq!(minimum(U256::from(10_000u64), 50), U256::from(9_950u64));
        assert_eq!(minimum(U256::from(1u64), 300), U256::from(1u64));
        assert_eq!(minimum(U256::from(999u64), 300), U256::from(970u64));
    }

    #[test]
    fn impact_compares_with_a_small_amount() {
        let n = |v: u64| U256::from(v);
        assert_eq!(impact(n(1_000), n(900), n(10), n(10)), 1_000);
        assert_eq!(impact(n(1_000), n(1_000), n(10), n(10)), 0);
        assert_eq!(impact(n(1_000), n(1_001), n(10), n(10)), 0);
        assert_eq!(impact(n(1_000), n(0), n(10), n(10)), 10_000);
    }

    #[test]
    fn worth_is_rounded_up() {
        assert_eq!(worth(coins("2"), Usdt::whole(600)), Some(Usdt::whole(1_200)));
        assert_eq!(worth(U256::from(1u64), Usdt::whole(1)), Some(Usdt(1)));
        assert_eq!(worth(U256::MAX, Usdt::whole(600)), None);
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(wei in 0u128..=u128::MAX / 4) {
            let wei = U256::from(wei);
            prop_assert_eq!(read(&shown(wei)), Some(wei));
            prop_assert!(read(&shown_up(wei)).unwrap() >= wei);
        }

        #[test]
        fn minimum_and_quote_stand_in_order(quoted in 1u64.., slip in 1u16..=SLIPPAGE_MOST) {
            let quoted = U256::from(quoted);
            let least = minimum(quoted, slip);
            prop_assert!(least <= quoted && !least.is_zero());
            prop_assert!((quoted - least) * U256::from(10_000u64) <= quoted * U256::from(slip));
        }
    }
}
