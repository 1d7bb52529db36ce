//! Operations that owners order themselves (docs/rules/desk.md#manual-operations).
//!
//! An order is written first and answered with its own view; the node whose desk holds the lease takes it from there, and what
//! becomes of it is told on its owner's stream. It ends in the settlement that books its operation, in the desk's refusal, or,
//! when neither comes, by its age. Whatever was booked counts, also for an order that had been given up before.
//!
//! Invariants: one order in the air per person; one minute between two that were filled, counted from the order. One that was
//! refused or found nothing gives the turn back. A licence has one owner, so the owner's turn is the licence's, too.
//!
//! Tables: robots.manual_order; the report reads robots.desk_day.

pub mod model;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
