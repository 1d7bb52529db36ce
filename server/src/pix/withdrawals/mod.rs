//! Money out by PIX (docs/rules/pix.md#withdrawals): held at the request, decided by people, paid at the bank, posted with the evidence.
//!
//! Invariants: value = fee + net; what the key receives is net at the quoted rate, floored to the centavo; nothing is approved
//! without its approvals, paid without an approval, or paid twice — the database refuses it; the key is sealed and leaves this room
//! only to the person who pays. Tables: `pix.withdrawal`, `pix.payment`, `pix.holder`.

pub mod admin;
pub mod decisions;
pub mod holder;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
