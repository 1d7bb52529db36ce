//! Arbora's server: rooms over one foundation. `ARCHITECTURE.md` is the map.

pub mod affiliates;
pub mod app;
pub mod approvals;
pub mod config;
pub mod error;
pub mod foundation;
pub mod identity;
pub mod jobs;
pub mod ledger;
pub mod licences;
pub mod market;
pub mod notifications;
pub mod payouts;
pub mod pix;
pub mod pools;
pub mod presale;
pub mod realtime;
pub mod reports;
pub mod robots;
pub mod routes;
pub mod rulebook;
pub mod sponsorship;
pub mod support;
pub mod transfers;
pub mod treasury;
pub mod wallet;
