//! Intents: what somebody wants to pay for over the chain, each with an address of its own (docs/rules/wallet.md#intents).
//!
//! Invariants: an address is given out once; what is agreed does not change; at most so many are open per person; an intent
//! ends by the chain's clock, never by ours.

pub mod routes;
pub mod service;
