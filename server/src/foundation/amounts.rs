//! How much staff may type.
//!
//! Every amount that a person of the house types has a maximum far above what the house ever moves at once and far below what a sum of
//! them could not hold: above it the amount is a slip of the hand, or worse, and the refusal says the maximum. What customers type is
//! bounded by their balance or by the settings (2026-11-23).

use crate::error::Error;
use protocol::{
    ErrorCode,
    money::{Brl, Usdt},
};

/// Of one order, decision or plan.
pub const MOST_PER_ORDER: Usdt = Usdt::whole(10_000_000);
/// Of one payment by PIX.
pub const MOST_BRL: Brl = Brl::whole(10_000_000);
/// Of what the house declares to hold in one place.
pub const MOST_DECLARED: Usdt = Usdt::whole(1_000_000_000);

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
