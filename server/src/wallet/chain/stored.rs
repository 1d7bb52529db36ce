//! How the tables keep what is of the chain: whole wei, addresses and hashes as their bytes, coins by name.

use super::{Coin, wei};
use crate::{error::Error, ledger::amount::Amount};
use alloy::primitives::{Address, B256, U256};

/// Wei out of a column.
///
/// # Errors
/// `service.internal` below zero.
pub fn amount(stored: Amount) -> Result<U256, Error> {
    wei::read(stored.0).ok_or_else(|| Error::internal("a negative amount on the chain"))
}

/// Wei for a column.
///
/// # Errors
/// `service.internal` beyond its 38 digits.
pub fn column(amount: U256) -> Result<Amount, Error> {
    wei::booked(amount)
        .map(Amount)
        .ok_or_else(|| Error::internal("an amount on the chain beyond 38 digits"))
}

/// An address out of a column.
///
/// # Errors
/// `service.internal` for bytes that are none.
pub fn place(stored: &[u8]) -> Result<Address, Error> {
    Address::try_from(stored).map_err(|_| Error::internal("an address of another length"))
}

/// A hash out of a column.
///
/// # Errors
/// `service.internal` for bytes that are none.
pub fn hash(stored: &[u8]) -> Result<B256, Error> {
    B256::try_from(stored).map_err(|_| Error::internal("a hash of another length"))
}

/// A coin out of a column.
///
/// # Errors
/// `service.internal` for a word that is none.
pub fn coin(stored: &str) -> Result<Coin, Error> {
    stored.parse().map_err(|()| Error::internal("an unknown coin"))
}
