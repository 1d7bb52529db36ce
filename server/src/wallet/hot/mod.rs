//! The hot wallet, which pays withdrawals: its key's rules, its surplus, how it stands.
//!
//! Invariants: its key signs what people approved, exactly, within its caps, and its surplus to the cold address; nothing else. What it
//! pays for gas is outside the books, as with sweeps. Table: `wallet.hot_state`; what is not ours: `wallet.foreign_transaction`.

pub mod demo;
pub mod holdings;
pub mod jobs;
pub mod routes;
pub mod service;
pub mod signer;
mod store;

use super::sender::service::Sending;
use crate::foundation::context::Context;
use alloy::primitives::Address;
use protocol::money::Usdt;

/// Where what the hot wallet need not hold goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vault {
    pub cold: Option<Address>,
    /// The most that it holds of each coin, by worth.
    pub maximum: Option<Usdt>,
}

/// The house's own addresses.
#[must_use]
pub fn house(context: &Context) -> Vec<Address> {
    let mut all = Vec::new();
    if let Some(sending) = context.part::<Sending>() {
        all.extend(sending.hot);
        all.extend(sending.gas);
        all.extend(sending.vault.cold);
    }
    all
}
