//! Deposits over the chain: what came in, what it credits, what a person must decide.
//!
//! Invariants: a payment counts once; a deposit is credited once, with exactly the wei that were booked into custody; what is
//! credited without a person is USDT by the rules or a coin at a fresh market rate; everything else waits in the queue.

pub mod credit;
pub mod ending;
pub mod jobs;
pub mod rates;
pub mod reversal;
pub mod routes;
pub mod rules;
pub mod service;
pub mod store;
pub mod waiting;
