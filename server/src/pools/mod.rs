//! Pools: money put in for a term, revenue with proof and two approvals, shares of it (docs/rules/pools.md).
//!
//! Invariants: what active entries hold is the ledger's `pool_principal`; principal is back at the end of its term and never
//! earlier, but for what is taken back; revenue enters `pool_revenue` only with two persons' approvals of exactly its amount, period and proof; shares are
//! written down once per revenue and paid once each, out of `pool_revenue` alone: the floors' rest stays there, and no other
//! account covers a shortfall.
//!
//! What a reversed credit takes (`licences::claw_back`, 2026-11-23) leaves `pool_principal` and the entry, newest entry first; what was
//! put in is `value + taken`. The part taken counts as if it had never been put in, as far as nothing was paid for it:
//! - revenue whose shares are not written down yet is shared by principal × full days, with the principal that is left for all days;
//! - a share that is written down and not paid becomes ⌊share × left ÷ held before⌋; the difference stays in `pool_revenue`, nobody
//!   else's share grows;
//! - what was paid stays paid.
//!
//! An entry that is taken whole has ended, before its term. Entries are locked before their shares are read or changed, and before any
//! of the ledger's accounts; the database looks at each commit that entries hold what the account holds.
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
