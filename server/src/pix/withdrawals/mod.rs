//! Money out by PIX (docs/rules/pix.md#withdrawals): a kind of payout (docs/rules/payouts.md) that a person pays at the bank.
//!
//! Invariants: what the key receives is net at the quoted rate, floored to the centavo; nothing is approved without its approvals,
//! paid without an approval, or paid twice — the database refuses it; the key is sealed and leaves this room only to the person who
//! pays. Tables: `pix.withdrawal`, `pix.payment`, `pix.holder`.

pub mod admin;
pub mod holder;
pub mod payment;
pub mod routes;
pub mod rules;
mod screen;
pub mod service;
mod store;

pub use service::Pix;
