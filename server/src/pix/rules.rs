//! Money and time of PIX deposits. Pure.

use protocol::{
    ErrorCode,
    money::{Brl, Usdt},
};
use rust_decimal::{Decimal, prelude::ToPrimitive};
use time::{Date, Duration, Month, OffsetDateTime, Time};

/// BRL per USDT, in 10⁻⁴.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(pub i64);

/// USDT has 10⁻⁶, a rate 10⁻⁴, a centavo is 10⁻².
const SCALE: i64 = 100_000_000;
/// What a rate service may say; anything else is its fault, not the market's.
const PLAUSIBLE: std::ops::RangeInclusive<i64> = 10_000..=1_000_000;

impl Rate {
    /// Reads a decimal such as `5.3923`; more than four decimals are rounded up: what is to be paid to us.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let exact = Decimal::from_str_exact(text.trim()).ok()?;
        let rate = exact.checked_mul(Decimal::from(10_000))?.ceil().to_i64()?;
        PLAUSIBLE.contains(&rate).then_some(Self(rate))
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:04}", self.0 / 10_000, self.0 % 10_000)
    }
}

/// What is to be paid for so much: rounded up to the centavo.
#[must_use]
pub fn to_pay(usdt: Usdt, rate: Rate) -> Option<Brl> {
    usdt.mul_div_ceil(rate.0, SCALE).map(|centavos| Brl(centavos.0))
}

/// What so much BRL credits: floored at 10⁻⁶.
#[must_use]
pub fn credited(brl: Brl, rate: Rate) -> Option<Usdt> {
    brl.mul_div_floor(SCALE, rate.0).map(|micro| Usdt(micro.0))
}

/// Clocks of banks and ours differ; a payment from a later future is a slip of the hand.
const CLOCKS_DIFFER: Duration = Duration::minutes(10);
/// By so much the minute in an id may differ from that of the payment: more is not settled by the central bank.
const ID_DIFFERS: Duration = Duration::hours(12);

/// A bank's payment id: `E`, the payer's bank (ISPB, 8), the minute of the payment in UTC (`yyyyMMddHHmm`), 11 free characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndToEndId {
    pub text: String,
    /// When the payer's bank took the order.
    pub at: OffsetDateTime,
}

/// The form in which two spellings of a bank's id are the same. Banks tell capitals apart when they draw one; none draws two that differ
/// in nothing else (docs/rules/pix.md#one-payment-one-id).
#[must_use]
pub fn bank_key(end_to_end_id: &str) -> String {
    end_to_end_id.to_ascii_uppercase()
}

impl EndToEndId {
    /// Reads an id; letters of the free part stay as written, for the bank finds its payment by them.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        // A bank is the root of its CNPJ, which may hold letters since July 2026.
        let (bank, rest) = text.split_at_checked(9)?;
        let bank = bank.to_ascii_uppercase();
        if !bank.starts_with('E') {
            return None;
        }
        let (stamp, _) = rest.split_at_checked(12)?;
        let number = |from: usize, to: usize| {
            stamp
                .get(from..to)
                .filter(|s| s.bytes().all(|b| b.is_ascii_digit()))?
                .parse::<u16>()
                .ok()
        };
        let part = |from: usize, to: usize| number(from, to).and_then(|n| u8::try_from(n).ok());
        let day = Date::from_calendar_date(
            i32::from(number(0, 4)?),
            Month::try_from(part(4, 6)?).ok()?,
            part(6, 8)?,
        )
        .ok()?;
        let minute = Time::from_hms(part(8, 10)?, part(10, 12)?, 0).ok()?;
        Some(Self {
            text: bank + rest,
            at: day.with_time(minute).assume_utc(),
        })
    }

    /// Reads the id of a payment that has been made for what was asked then: none from a future that no clock explains, none that is older
    /// than what it pays.
    ///
    /// # Errors
    /// `pix.end_to_end_id_invalid`, `pix.end_to_end_id_older`.
    pub fn of_payment(text: &str, asked: OffsetDateTime, now: OffsetDateTime) -> Result<Self, ErrorCode> {
        let id = Self::read(text)
            .filter(|id| id.at <= now + CLOCKS_DIFFER)
            .ok_or(ErrorCode::EndToEndIdInvalid)?;
        if id.at + ID_DIFFERS < asked {
            return Err(ErrorCode::EndToEndIdOlder);
        }
        Ok(id)
    }

    /// Whether the payment was ordered after the lock had ended; the lock's own minute counts as in time.
    #[must_use]
    pub fn is_after(&self, locked_until: OffsetDateTime) -> bool {
        self.at > locked_until
    }
}

/// The rate that a payment gets: in time the locked one, later the one of the two that credits less.
#[must_use]
pub fn rate_for(locked: Rate, current: Rate, late: bool) -> Rate {
    if late { locked.max(current) } else { locked }
}

/// Letters and digits of our own mark.
#[must_use]
pub fn txid(random: [u8; 15]) -> String {
    format!("A{}", data_encoding::BASE32_NOPAD.encode(&random))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::datetime;

    #[test]
    fn rates_are_read_exactly() {
        for (text, rate) in [
            ("5", 50_000),
            ("5.3923", 53_923),
            ("5.39231", 53_924),
            ("5.3900", 53_900),
            (" 5.1 ", 51_000),
        ] {
            assert_eq!(Rate::read(text), Some(Rate(rate)), "{text}");
        }
        for bad in [
            "",
            "0",
            "-5",
            "0.9999",
            "100.0001",
            "1e3",
            "NaN",
            "5,39",
            "99999999999999999999999999999",
        ] {
            assert_eq!(Rate::read(bad), None, "{bad}");
        }
        assert_eq!(Rate(53_905).to_string(), "5.3905");
    }

    #[test]
    fn hundred_dollars_at_five() {
        assert_eq!(to_pay(Usdt::whole(100), Rate(50_000)), Some(Brl::whole(500)));
        assert_eq!(credited(Brl::whole(500), Rate(50_000)), Some(Usdt::whole(100)));
        assert_eq!(to_pay(Usdt(1), Rate(50_000)), Some(Brl(1)), "up to the centavo");
        assert_eq!(
            credited(Brl(1), Rate(53_900)),
            Some(Usdt(1_855)),
            "0.01 / 5.39 = 0.00185528…"
        );
    }

    #[test]
    fn bank_ids() {
        let good = EndToEndId::read("E6070119020261120123400000000aB1").unwrap();
        assert_eq!(good.at, datetime!(2026-11-20 12:34 UTC));
        assert!(
            good.is_after(datetime!(2026-11-20 12:33:59 UTC))
                && !good.is_after(datetime!(2026-11-20 12:34 UTC))
        );
        let paid = |asked, now| EndToEndId::of_payment(&good.text, asked, now);
        let noon = datetime!(2026-11-20 12:00 UTC);
        assert_eq!(paid(noon, datetime!(2026-11-20 12:24 UTC)), Ok(good.clone()));
        assert_eq!(
            paid(noon, datetime!(2026-11-20 12:23:59 UTC)),
            Err(ErrorCode::EndToEndIdInvalid)
        );
        let later = datetime!(2026-11-21 00:34 UTC);
        assert_eq!(paid(later, later), Ok(good.clone()), "asked within the half day");
        assert_eq!(
            paid(later + Duration::SECOND, later + Duration::DAY),
            Err(ErrorCode::EndToEndIdOlder)
        );
        for bad in [
            "",
            "E607011902026112012340000000aB1",   // 31
            "E6070119020261120123400000000aB12", // 33
            "D6070119020261120123400000000aB1",
            "E6070119020261320123400000000aB1", // month 13
            "E6070119020261120253400000000aB1", // hour 25
            "E60701190202611201234000000-0aB1",
        ] {
            assert_eq!(EndToEndId::read(bad), None, "{bad}");
        }
        let lower = EndToEndId::read(" e607a119020261120123400000000aB1 ").unwrap();
        assert_eq!(lower.text, "E607A119020261120123400000000aB1");
        assert_eq!(bank_key(&lower.text), "E607A119020261120123400000000AB1");
    }

    #[test]
    fn a_late_payment_gets_what_credits_less() {
        let (low, high) = (Rate(50_000), Rate(54_000));
        assert_eq!(rate_for(low, high, false), low);
        assert_eq!(rate_for(low, high, true), high);
        assert_eq!(rate_for(high, low, true), high);
    }

    #[test]
    fn marks_fit_the_br_code() {
        let mark = txid([255; 15]);
        assert!(mark.len() == 25 && mark.bytes().all(|b| b.is_ascii_alphanumeric()));
    }

    proptest! {
        /// Who pays what was asked is credited at least what was asked, and less than a centavo's worth more.
        #[test]
        fn conversion_never_loses_and_never_gives(micro in 1i64..1_000_000_000_000, rate in 10_000i64..1_000_000) {
            let (usdt, rate) = (Usdt(micro), Rate(rate));
            let brl = to_pay(usdt, rate).unwrap();
            let back = credited(brl, rate).unwrap();
            prop_assert!(back >= usdt);
            prop_assert!(back.0 - usdt.0 <= SCALE / rate.0, "more than a centavo's worth");
            // In BRL the credit never exceeds what arrived.
            prop_assert!(i128::from(back.0) * i128::from(rate.0) <= i128::from(brl.0) * i128::from(SCALE));
        }

        /// More BRL never credits less; a higher rate never credits more.
        #[test]
        fn conversion_is_monotonic(brl in 1i64..1_000_000_000, more in 0i64..1_000_000, rate in 10_000i64..900_000, higher in 0i64..100_000) {
            prop_assert!(credited(Brl(brl + more), Rate(rate)) >= credited(Brl(brl), Rate(rate)));
            prop_assert!(credited(Brl(brl), Rate(rate + higher)) <= credited(Brl(brl), Rate(rate)));
        }
    }
}
