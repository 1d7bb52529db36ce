//! Ledger: double entry, append-only (docs/rules/ledger.md). Every movement of money in the house is a transfer booked here.
//!
//! Invariants, each also enforced by the database: a transfer has at least two postings and sums to zero in every currency;
//! a posting continues its account's history (balance after, version) and is never changed; user and licence accounts do
//! not fall below zero, `loan` and `debt` do not rise above; a key is booked once; a transfer is reversed once; a hold is
//! resolved once; in production only live operations post trading results. Accounts are locked in the order of their ids. A mass
//! booking ([`mass`]) is one transfer with the house's side first, and is undone for one owner at a time.
//!
//! Units: every amount is a whole number of its currency's smallest unit, `i128` here and `numeric(38,0)` there, so that
//! coins on chain are booked exact in wei beside USDT (10⁻⁶) and BRL (centavo). Coins and BRL are currencies of their own;
//! `fx:{coin}` holds both sides of an exchange, so that every currency by itself sums to zero.
//!
//! Tables: schema `ledger` — account, transfer, posting, hold, hold_resolution.

pub mod account;
pub mod amount;
mod booking;
pub mod fees;
pub mod holds;
pub mod jobs;
mod leaving;
pub mod mass;
pub mod model;
mod reversals;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
pub mod verify;
