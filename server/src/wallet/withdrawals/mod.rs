//! Money out over the chain (docs/rules/wallet.md#withdrawals): a kind of payout (docs/rules/payouts.md), confirmed by the mailed
//! link, carried by the hot wallet ([`super::carried`]), posted with the block that makes it final.
//!
//! Invariants: what the address receives is net at the quoted rate, floored to the wei; nothing is sent that is not approved exactly
//! as it stands, nothing goes back while a transaction of it can still be mined — the database refuses both; opening a link changes
//! nothing. Tables: `wallet.withdrawal`, and the sender's.

pub mod admin;
pub mod links;
mod pyx;
pub mod routes;
pub mod rules;
mod screen;
pub mod sending;
pub mod service;
mod store;

pub use service::Crypto;
