//! Exact money (docs/rules/foundation.md#amounts-and-rounding). Amounts are integers of their smallest unit; JSON carries them as strings; no float, ever.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// Why a text is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    #[error("not a decimal number")]
    Malformed,
    #[error("more decimals than the currency has")]
    TooPrecise,
    #[error("out of range")]
    OutOfRange,
}

/// Reads `[-]digits[.digits]` into units of 10⁻`scale`. No exponent, no sign but `-`, no separators, at most `scale` decimals.
fn parse(text: &str, scale: u32) -> Result<i64, AmountError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || digits.ends_with('.') {
        return Err(AmountError::Malformed);
    }
    if whole.len() > 18 {
        return Err(AmountError::OutOfRange);
    }
    let scale_len = usize::try_from(scale).map_err(|_| AmountError::OutOfRange)?;
    if fraction.len() > scale_len {
        return Err(AmountError::TooPrecise);
    }
    let mut value: i128 = 0;
    for byte in whole
        .bytes()
        .chain(fraction.bytes())
        .chain(std::iter::repeat_n(b'0', scale_len - fraction.len()))
    {
        value = value * 10 + i128::from(byte - b'0');
    }
    i64::try_from(if negative { -value } else { value }).map_err(|_| AmountError::OutOfRange)
}

fn write(value: i64, scale: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let unit = 10u64.pow(scale);
    let magnitude = value.unsigned_abs();
    let sign = if value < 0 { "-" } else { "" };
    let width = usize::try_from(scale).unwrap_or(0);
    write!(f, "{sign}{}.{:0width$}", magnitude / unit, magnitude % unit)
}

macro_rules! amounts {
    ($($(#[$doc:meta])* $name:ident, $scale:literal, $code:literal);+ $(;)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "database", derive(sqlx::Type), sqlx(transparent))]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String, format = "amount", example = "100.00"))]
        pub struct $name(pub i64);

        impl $name {
            pub const ZERO: Self = Self(0);
            /// One whole unit of the currency, in its smallest parts.
            pub const ONE: i64 = 10i64.pow($scale);
            pub const CODE: &'static str = $code;

            /// An amount of whole units.
            #[must_use]
            pub const fn whole(units: i64) -> Self { Self(units * Self::ONE) }
            #[must_use]
            pub const fn is_positive(self) -> bool { self.0 > 0 }
            #[must_use]
            pub const fn is_negative(self) -> bool { self.0 < 0 }
            #[must_use]
            pub const fn is_zero(self) -> bool { self.0 == 0 }
            /// As a sentence shows it: without decimals that say nothing.
            #[must_use]
            pub fn brief(self) -> String {
                let text = self.to_string();
                match text.split_once('.') {
                    Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                    None => text,
                }
            }
            #[must_use]
            pub fn checked_add(self, other: Self) -> Option<Self> { self.0.checked_add(other.0).map(Self) }
            #[must_use]
            pub fn checked_sub(self, other: Self) -> Option<Self> { self.0.checked_sub(other.0).map(Self) }
            /// A sum that was counted wider, as the nearest amount.
            #[must_use]
            pub fn clamped(units: i128) -> Self {
                let nearest = if units < 0 { i64::MIN } else { i64::MAX };
                Self(i64::try_from(units).unwrap_or(nearest))
            }
            /// `self × numerator ÷ denominator`, rounded toward negative infinity: what we credit is never rounded up.
            /// `None` when the denominator is not positive or the result does not fit.
            #[must_use]
            pub fn mul_div_floor(self, numerator: i64, denominator: i64) -> Option<Self> {
                if denominator <= 0 { return None; }
                let product = i128::from(self.0) * i128::from(numerator);
                i64::try_from(product.div_euclid(i128::from(denominator))).ok().map(Self)
            }
            /// Like [`Self::mul_div_floor`], rounded toward positive infinity: what is to be paid to us.
            #[must_use]
            pub fn mul_div_ceil(self, numerator: i64, denominator: i64) -> Option<Self> {
                if denominator <= 0 { return None; }
                let product = i128::from(self.0) * i128::from(numerator);
                i64::try_from(-(-product).div_euclid(i128::from(denominator))).ok().map(Self)
            }
        }
        impl fmt::Display for $name { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write(self.0, $scale, f) } }
        impl fmt::Debug for $name { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{self} {}", $code) } }
        impl FromStr for $name { type Err = AmountError; fn from_str(s: &str) -> Result<Self, AmountError> { parse(s, $scale).map(Self) } }
        impl Serialize for $name { fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { s.collect_str(self) } }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                struct Text;
                impl de::Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str("an amount as a decimal string") }
                    fn visit_str<E: de::Error>(self, v: &str) -> Result<$name, E> { v.parse().map_err(E::custom) }
                }
                // Only strings: a JSON number has already lost digits in most clients.
                d.deserialize_str(Text)
            }
        }
        /// A sum never fails: at most it is the greatest amount. What a limit is held against is refused by then, and the books, which
        /// count wider, refuse what does not add up.
        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self { Self::clamped(iter.map(|a| i128::from(a.0)).sum()) }
        }
        impl std::ops::Neg for $name { type Output = Self; fn neg(self) -> Self { Self(-self.0) } }
        impl std::ops::Add for $name { type Output = Self; fn add(self, o: Self) -> Self { Self(self.0 + o.0) } }
        impl std::ops::Sub for $name { type Output = Self; fn sub(self, o: Self) -> Self { Self(self.0 - o.0) } }
        impl std::ops::AddAssign for $name { fn add_assign(&mut self, o: Self) { self.0 += o.0; } }
        impl std::ops::SubAssign for $name { fn sub_assign(&mut self, o: Self) { self.0 -= o.0; } }
    )+};
}

amounts! {
    /// USDT, in units of 10⁻⁶.
    Usdt, 6, "USDT";
    /// Brazilian real, in centavos.
    Brl, 2, "BRL";
    /// PYX token, in units of 10⁻⁶.
    Pyx, 6, "PYX";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_and_writes_exactly() {
        for (text, units) in [
            ("0", 0),
            ("1", 1_000_000),
            ("1.5", 1_500_000),
            ("-0.000001", -1),
            ("0012.30", 12_300_000),
        ] {
            assert_eq!(text.parse::<Usdt>(), Ok(Usdt(units)), "{text}");
        }
        assert_eq!(Usdt(-1).to_string(), "-0.000001");
        assert_eq!(Brl(123_456).to_string(), "1234.56");
    }

    #[test]
    fn a_sum_is_at_most_the_greatest_amount() {
        let greatest = Usdt(i64::MAX);
        assert_eq!([greatest, greatest].into_iter().sum::<Usdt>(), greatest);
        assert_eq!([greatest, Usdt(1), -greatest].into_iter().sum::<Usdt>(), Usdt(1));
        assert_eq!(Usdt::clamped(i128::MIN), Usdt(i64::MIN));
    }

    #[test]
    fn refuses_what_is_not_an_amount() {
        for text in [
            "", "-", ".", "1.", ".5", "+1", "1e3", "1,5", " 1", "0x1", "NaN", "١",
        ] {
            assert_eq!(text.parse::<Usdt>(), Err(AmountError::Malformed), "{text:?}");
        }
        assert_eq!("1.0000001".parse::<Usdt>(), Err(AmountError::TooPrecise));
        assert_eq!("1.001".parse::<Brl>(), Err(AmountError::TooPrecise));
        assert_eq!(
            "9223372036854.775808".parse::<Usdt>(),
            Err(AmountError::OutOfRange)
        );
        assert_eq!(
            "1000000000000000000000".parse::<Usdt>(),
            Err(AmountError::OutOfRange)
        );
        assert!(
            serde_json::from_str::<Usdt>("1.5").is_err(),
            "numbers are refused, only strings are exact"
        );
    }

    proptest! {
        #[test]
        fn every_amount_survives_the_trip(units in any::<i64>()) {
            let json = serde_json::to_string(&Usdt(units)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Usdt>(&json).unwrap(), Usdt(units));
        }

        #[test]
        fn floor_and_ceiling_enclose_the_exact_share(units in -1_000_000_000_000i64..1_000_000_000_000, n in -10_000i64..10_000, d in 1i64..10_000) {
            let exact = i128::from(units) * i128::from(n);
            let floor = i128::from(Usdt(units).mul_div_floor(n, d).unwrap().0) * i128::from(d);
            let ceil = i128::from(Usdt(units).mul_div_ceil(n, d).unwrap().0) * i128::from(d);
            prop_assert!(floor <= exact && exact - floor < i128::from(d));
            prop_assert!(ceil >= exact && ceil - exact < i128::from(d));
        }
    }
}
