//! What the network takes out of what the house earns (docs/rules/affiliates.md#payout-ratio): bonuses against revenue by day and month,
//! the ceiling that staff set and the alert on it, and what accounts that belong together take out against what they put in.
//!
//! Revenue is read from the ledger, bonuses from their rows by business day, what waits for the fund inside: a fund that has run dry
//! makes the ratio no better (2026-11-24). The alert is told once when the ratio of 30 days crosses the ceiling, and once when it is below
//! again; where it stands is kept in `affiliates.payout_alert`.

pub mod jobs;
pub mod model;
pub mod routes;
mod rules;
pub mod service;
mod store;
