//! Pools: money put in for a term, revenue with proof and two approvals, shares of it (domain.md §4).
//!
//! Invariants: what active entries hold is the ledger's `pool_principal`; principal is back at the end of its term and never
//! earlier; revenue enters `pool_revenue` only with two persons' approvals of exactly its amount, period and proof; shares are
//! written down once per revenue and paid once each, out of `pool_revenue` alone: the floors' rest stays there, and no other
//! account covers a shortfall.
//!
//! Tables: schema `pools` — pool, entry, revenue, share.

pub mod files;
pub mod jobs;
pub mod model;
mod revenue;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
