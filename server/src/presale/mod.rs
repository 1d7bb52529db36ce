//! PYX: sold in rounds of a fixed price, freed day by day, then traded against USDT in a book (docs/rules/presale.md).
//!
//! Invariants: a round sells only terms that two persons agreed to, never more than its supply, to nobody more than its cap (constraints);
//! what was bought lies in `pyx_locked` and only its owner's claim frees it, by the schedule of [`rules::vesting`]; the book's own,
//! with what binds its orders to the guard of outgoing money, are those of [`market`].
//! Tables: schema `presale`.

pub mod live;
pub mod market;
pub mod routes;
pub mod rules;
pub mod service;
pub mod staff;
mod store;
mod vested;
