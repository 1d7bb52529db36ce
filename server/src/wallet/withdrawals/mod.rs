//! Money out over the chain (docs/rules/wallet.md#withdrawals): held at the request, confirmed by the mailed link, decided by people, sent by the sender,
//! posted with the block that makes it final.
//!
//! Invariants: value = fee + net; what the address receives is net at the quoted rate, floored to the wei; nothing is sent that is not
//! approved exactly as it stands, nothing goes back while a transaction of it can still be mined — the database refuses both; opening
//! a link changes nothing. Tables: `wallet.withdrawal`, and the sender's.

pub mod admin;
pub mod decisions;
pub mod jobs;
mod pyx;
pub mod routes;
pub mod rules;
pub mod sending;
pub mod service;
mod store;
