//! Reconciliation: the bank's statement, line by line, against what was approved and what still waits.
//!
//! Invariants: a file is taken once; nothing is credited by a line — it only shows, or brings a deposit before the approvers. Tables:
//! `pix.statement`, `pix.statement_line`.

pub mod csv;
pub mod matching;
pub mod routes;
pub mod service;
mod store;
