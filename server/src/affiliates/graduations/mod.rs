//! Ranks: who reached which, and what their bonus became (docs/rules/affiliates.md#graduations).
//!
//! Ranks are reached in closings, each once; a rank's bonus is one row that staff pay over the chain: the room that pays locks it here first and says
//! here when a payment begins, ends unpaid, is final (2026-11-24). Tables: affiliates.standing, graduation.

pub mod routes;
pub(super) mod rules;
pub mod service;
mod store;
