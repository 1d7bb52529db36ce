//! The book PYX/USDT, open while no round sells, once one has ended.
//!
//! Invariants: one lock for the whole book, taken before any of the ledger's; what an open order may cost is held; a trade is booked in
//! the transaction in which the orders met, against the waiting order's hold; the book never crosses itself.

pub mod routes;
pub mod service;
mod settle;
pub(super) mod store;
