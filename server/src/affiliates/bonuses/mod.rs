//! Bonuses: what the network earns its members (docs/rules/affiliates.md#bonuses).
//!
//! Each kind has its rule in a file of its own; what they say is bounded by [`ceiling`] and paid by [`fund`], both pure. What happens in
//! other rooms leaves a cause in its own transaction ([`service`]); causes are worked off in their order, one worker at a time, in
//! transactions of their own ([`work`]): a sale locks nobody's account but its buyer's, and what refuses a bonus refuses no sale (2026-11-24).
//! Closings book theirs by [`booking`] too.
//!
//! Invariants, held by the database: a bonus is booked once for its cause, receiver, kind, level and source; what it came to is paid,
//! waits, is lost with a reason or was dropped; no fund and no ceiling is overdrawn.

pub(super) mod binary;
pub mod booking;
pub mod ceiling;
mod direct_sale;
pub mod facts;
pub mod fund;
mod indirect_sale;
mod level_one;
mod levels;
pub(super) mod residual;
pub mod reviews;
pub(super) mod rules;
pub mod service;
pub(super) mod store;
mod take_back;
pub mod work;
