//! Currencies and amounts of the ledger, and how an `i128` travels as PostgreSQL's `numeric`.

use protocol::money::{Brl, Pyx, Usdt};
use sqlx::{
    Decode, Encode, Postgres, Type,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueFormat, PgValueRef},
};
use std::fmt;

/// A coin on the chain, counted in wei (18 decimals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Coin {
    Usdt,
    Busd,
    Bnb,
    Pyx,
}

impl Coin {
    pub const ALL: &'static [Self] = &[Self::Usdt, Self::Busd, Self::Bnb, Self::Pyx];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Usdt => "usdt",
            Self::Busd => "busd",
            Self::Bnb => "bnb",
            Self::Pyx => "pyx",
        }
    }
}

/// What an account is kept in. Each is balanced by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Currency {
    /// What we owe and earn, 10⁻⁶.
    Usdt,
    /// Centavo.
    Brl,
    /// The pre-sale token in our books, 10⁻⁶.
    Pyx,
    /// A coin on chain, wei.
    Chain(Coin),
}

impl Currency {
    pub const ALL: &'static [Self] = &[
        Self::Usdt,
        Self::Brl,
        Self::Pyx,
        Self::Chain(Coin::Usdt),
        Self::Chain(Coin::Busd),
        Self::Chain(Coin::Bnb),
        Self::Chain(Coin::Pyx),
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Usdt => "USDT",
            Self::Brl => "BRL",
            Self::Pyx => "PYX",
            Self::Chain(Coin::Usdt) => "USDT_BSC",
            Self::Chain(Coin::Busd) => "BUSD_BSC",
            Self::Chain(Coin::Bnb) => "BNB_BSC",
            Self::Chain(Coin::Pyx) => "PYX_BSC",
        }
    }

    /// The currency of a stored code.
    #[must_use]
    pub fn read(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|c| c.as_str() == code)
    }
}

/// A whole number of a currency's smallest unit; the currency stands beside it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(pub i128);

impl Amount {
    pub const ZERO: Self = Self(0);
    /// What the database's column holds: 38 digits.
    pub const LIMIT: i128 = 10i128.pow(38) - 1;

    /// The sum, if a column can hold it.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self).filter(|a| a.fits())
    }

    /// Whether a column can hold it.
    #[must_use]
    pub const fn fits(self) -> bool {
        self.0 >= -Self::LIMIT && self.0 <= Self::LIMIT
    }

    /// As USDT; `None` beyond what that type holds (9 · 10¹² USDT).
    #[must_use]
    pub fn usdt(self) -> Option<Usdt> {
        i64::try_from(self.0).ok().map(Usdt)
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Usdt> for Amount {
    fn from(a: Usdt) -> Self {
        Self(a.0.into())
    }
}
impl From<Brl> for Amount {
    fn from(a: Brl) -> Self {
        Self(a.0.into())
    }
}
impl From<Pyx> for Amount {
    fn from(a: Pyx) -> Self {
        Self(a.0.into())
    }
}

impl Type<Postgres> for Amount {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("numeric")
    }
}

impl PgHasArrayType for Amount {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("_numeric")
    }
}

/// The wire form of `numeric` counts in groups of four decimal digits.
const GROUP: u128 = 10_000;
const NEGATIVE: u16 = 0x4000;

impl Encode<'_, Postgres> for Amount {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let mut groups: Vec<u16> = Vec::with_capacity(10);
        let mut rest = self.0.unsigned_abs();
        while rest > 0 {
            groups.push(u16::try_from(rest % GROUP)?);
            rest /= GROUP;
        }
        let weight = i16::try_from(groups.len())? - 1;
        let trailing = groups.iter().take_while(|g| **g == 0).count();
        buf.extend_from_slice(&i16::try_from(groups.len() - trailing)?.to_be_bytes());
        buf.extend_from_slice(&weight.max(0).to_be_bytes());
        buf.extend_from_slice(&(if self.0 < 0 { NEGATIVE } else { 0 }).to_be_bytes());
        buf.extend_from_slice(&0u16.to_be_bytes());
        for group in groups.iter().skip(trailing).rev() {
            buf.extend_from_slice(&group.to_be_bytes());
        }
        Ok(IsNull::No)
    }
}

impl Decode<'_, Postgres> for Amount {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        if value.format() == PgValueFormat::Text {
            return Ok(Self(value.as_str()?.parse()?));
        }
        let words: Vec<u16> = value
            .as_bytes()?
            .chunks_exact(2)
            .map(|w| u16::from_be_bytes([w.first().copied().unwrap_or(0), w.last().copied().unwrap_or(0)]))
            .collect();
        let [count, weight, sign, _scale, digits @ ..] = words.as_slice() else {
            return Err("a numeric without a header".into());
        };
        if *sign != 0 && *sign != NEGATIVE {
            return Err("not a finite number".into());
        }
        // Above 2¹⁵ a weight is negative: a fraction, which a whole-number column never holds.
        let weight = usize::from(*weight);
        let mut magnitude: u128 = 0;
        if *count > 0 {
            if weight > 9 || usize::from(*count) > weight + 1 {
                return Err("not a whole number of 38 digits".into());
            }
            for position in 0..=weight {
                magnitude = magnitude * GROUP + u128::from(digits.get(position).copied().unwrap_or(0));
            }
        }
        let magnitude = i128::try_from(magnitude)?;
        Ok(Self(if *sign == NEGATIVE { -magnitude } else { magnitude }))
    }
}
