//! Sponsorship: balance that staff give for use in licences, and take again (docs/rules/transfers.md#sponsorship).
//!
//! Invariants: it goes to `sponsored`, or from there into a licence as a lot of that origin, never to `available`; a removal takes
//! `sponsored`, then that lot's unreserved rest, never below zero; a trigger lets a request end only with its approvals.
//! Tables: schema `sponsorship`.

pub mod routes;
pub mod service;
mod store;
