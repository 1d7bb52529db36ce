//! A person closes their own account (docs/rules/privacy.md#closing).
//!
//! Invariants: an account is closed empty: no money, nothing under way, no case, no hold, no role that decides; looked at when it is asked for and
//! again, behind the account's lock, when its day comes. Until then it is as always, and its owner cancels, or whatever leaves the account to other hands. One request a person;
//! who cancels and who closes wait for each other, and the first one counts. Closed is for good: `identity::closing` says what goes when.
//! Table: `privacy.closing`.

pub mod jobs;
pub mod model;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
