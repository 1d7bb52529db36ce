//! Licences: plans, purchase, finality, top-ups as lots, allocation, the limits of all that (docs/rules/licences.md).
//!
//! Invariants: `topup + allocated ≤ factor × value`; a licence's lots add up to `topup + allocated`; what open operations
//! have reserved stays allocated; the price rests in the licence until the sale is final, and then splits into sales and
//! funds in one transfer; [`service`]'s `settle` is the only writer of gains, losses and limits, beside [`undoing`]. The balances in
//! `licences.licence` are copies of the ledger's, written in the same transaction, for reading only.
//!
//! What a robot does is one word, said by [`rules::robot_status`] of the licence's own figures and shown by every screen as it comes;
//! idle is a licence without anything allocated and no other (2026-11-23: operated by hand, below the least that takes part and
//! waiting for the full minute have words of their own).
//!
//! A licence's row is locked before any of its money moves; several are locked in the order of their ids.
//!
//! Tables: schema `licences` — plan, licence, lot, lot_loss.

pub mod claw_back;
pub mod jobs;
pub mod loan_rules;
pub mod loans;
mod manual_key;
pub mod model;
pub mod money;
mod paid;
pub mod plans;
pub mod reconciliation;
pub mod routes;
pub mod rules;
pub mod service;
pub mod settlement;
pub mod sponsored;
mod store;
pub mod undoing;
pub mod withdrawals;
