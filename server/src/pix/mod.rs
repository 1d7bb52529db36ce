//! PIX: deposits in BRL with proof, approved by people, credited in USDT at the locked rate (docs/rules/pix.md#deposits); withdrawals (docs/rules/pix.md#withdrawals).
//!
//! Invariants: a deposit is credited once, with a bank's EndToEndId that was never used before, in or out (`pix.used_id`), from the BRL that arrived,
//! floored, in one transaction with its facts; the database refuses an approved deposit without its approvals and its
//! credit; what is to be paid in BRL is rounded up to the centavo. Tables: schema `pix`.

pub mod br_code;
pub mod files;
pub mod jobs;
pub mod rate;
mod report;
pub mod resealing;
pub mod reversal;
pub mod routes;
pub mod rules;
pub mod service;
pub mod statements;
mod store;
pub mod withdrawals;

pub use crate::foundation::pix_keys as keys;
