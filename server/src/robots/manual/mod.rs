//! Operations that owners order themselves (docs/rules/desk.md#manual-operations).
//!
//! An order is written first and answered with its own view; the node whose desk holds the lease takes it from there, and what
//! becomes of it is told on its owner's stream. It stands there for up to a minute (2026-11-26: of what the board shows a person's click finds
//! nothing left), until an opportunity comes. It ends in the settlement that books its operation, in the desk's refusal, by its owner's word, or,
//! when none of them comes, by its age. Whatever was booked counts, also for an order that had been given up before.
//!
//! Invariants: one order in the air per person; one minute between two that were filled, counted from their beginning. One that was
//! refused or found nothing gives the turn back. A licence has one owner, so the owner's turn is the licence's, too.
//!
//! Tables: robots.manual_order; the report reads robots.desk_day.

pub mod model;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
