//! The bonus of a rank over the chain (docs/rules/affiliates.md#paying-a-ranks-bonus): a kind of payout (docs/rules/payouts.md) that staff
//! ask for and the sender pays, from the house's fund to the member's own wallet.
//!
//! Invariants: a rank's bonus has one payment that is under way, or was made; it goes to the wallet that its member has here, in the amount that the
//! closing wrote; what is asked for is out of the fund until it is paid or has ended without being paid — the database refuses everything else.
//! The rank's row says what became of it and is locked first ([`store`]). Tables: `wallet.graduation_bonus`, and the sender's.

pub mod routes;
mod screen;
mod sending;
pub mod service;
mod store;

pub use service::GraduationBonus;
