//! How much staff may type.
//!
//! Every amount that a person of the house types has a maximum far above what the house ever moves at once and far below what a sum of
//! them could not hold: above it the amount is a slip of the hand, or worse, and the refusal says the maximum. What customers type is
//! bounded by their balance or by the settings (2026-11-23).

use crate::error::Error;
use protocol::{
    ErrorCode,
    money::{AmountError, Brl, Usdt},
};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::RawValue;
use std::{ops::Deref, str::FromStr};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, RefOr, Schema, SchemaFormat,
        schema::{SchemaType, Type},
    },
};

/// An amount of a request as it was written: a text, or a JSON number, to its last digit and never through a float. Whoever reads it
/// says of which coin it is, and refuses what is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WrittenAmount(String);

impl Deref for WrittenAmount {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for WrittenAmount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Box::<RawValue>::deserialize(deserializer)?;
        let text = written.get();
        match text.bytes().next() {
            Some(b'"') => serde_json::from_str(text).map(Self).map_err(de::Error::custom),
            Some(b'-' | b'0'..=b'9') => Ok(Self(text.to_owned())),
            _ => Err(de::Error::custom(
                "invalid type: expected an amount as a decimal string",
            )),
        }
    }
}

impl PartialSchema for WrittenAmount {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Number]))
            .format(Some(SchemaFormat::Custom("amount".to_owned())))
            .description(Some(
                "A decimal number, better as a text: many programs lose digits of numbers.",
            ))
            .examples([serde_json::json!("100.00")])
            .into()
    }
}

impl ToSchema for WrittenAmount {}

/// Of one order, decision or plan.
pub const MOST_PER_ORDER: Usdt = Usdt::whole(10_000_000);
/// Of one payment by PIX.
pub const MOST_BRL: Brl = Brl::whole(10_000_000);
/// Of what the house declares to hold in one place.
pub const MOST_DECLARED: Usdt = Usdt::whole(1_000_000_000);

/// An amount of one coin, written so.
///
/// # Errors
/// For what is no amount of it, in the words of [`protocol::money::AmountError`].
pub fn exact<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = AmountError>,
{
    WrittenAmount::deserialize(deserializer)?
        .parse()
        .map_err(de::Error::custom)
}

/// The same, or none.
///
/// # Errors
/// As [`exact`].
pub fn exact_or_none<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = AmountError>,
{
    Option::<WrittenAmount>::deserialize(deserializer)?
        .map(|written| written.parse().map_err(de::Error::custom))
        .transpose()
}

/// Refuses an amount of an order that is nothing, less, or above the maximum.
///
/// # Errors
/// `amount.not_positive`, `amount.too_large`.
pub fn of_order(value: Usdt, field: &str) -> Result<(), Error> {
    if !value.is_positive() {
        return Err(Error::code(ErrorCode::AmountNotPositive).field(field, ErrorCode::AmountNotPositive));
    }
    at_most(value, MOST_PER_ORDER, field)
}

/// Refuses an amount above a maximum.
///
/// # Errors
/// `amount.too_large`, with the maximum.
pub fn at_most(value: Usdt, most: Usdt, field: &str) -> Result<(), Error> {
    if value > most {
        return Err(too_large(field, format!("{} USDT", most.brief())));
    }
    Ok(())
}

/// The same for BRL.
///
/// # Errors
/// `amount.too_large`, with the maximum.
pub fn brl_at_most(value: Brl, most: Brl, field: &str) -> Result<(), Error> {
    if value > most {
        return Err(too_large(field, format!("{} BRL", most.brief())));
    }
    Ok(())
}

fn too_large(field: &str, maximum: String) -> Error {
    Error::code(ErrorCode::AmountTooLarge)
        .with("maximum", maximum)
        .field(field, ErrorCode::AmountTooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_read_as_it_is_written() {
        let read = |text: &str| serde_json::from_str::<WrittenAmount>(text).map(|a| a.to_string());
        for (written, is) in [
            ("\"100.10\"", "100.10"),
            ("100", "100"),
            ("100.10", "100.10"),
            ("-0.5", "-0.5"),
            (
                "0.1000000000000000055511151231257827",
                "0.1000000000000000055511151231257827",
            ),
            ("9007199254740993", "9007199254740993"),
            ("1e2", "1e2"),
        ] {
            assert_eq!(read(written).ok().as_deref(), Some(is), "{written}");
        }
        for none in ["null", "true", "[]", "{}", "[100]"] {
            assert!(read(none).is_err(), "{none}");
        }
        let maybe: Option<WrittenAmount> = serde_json::from_str("null").unwrap();
        assert_eq!(maybe, None);
        assert_eq!(
            serde_json::to_string(&WrittenAmount("1.0".into())).unwrap(),
            "\"1.0\""
        );
    }
}
