//! Reconciliation: the bank's statement, line by line, against what was approved and what still waits.
//!
//! Invariants: a file is taken once; nothing is credited by a line — it only shows, or brings a deposit before the approvers; of several
//! payments that name one deposit one is waited for, the others are one too many. Findings are judged anew by a job when what they speak
//! of is decided, paid or reversed (2026-11-26: the second of two payments looked as missing as the first, before and after). A file of
//! which one line cannot be read for sure is refused whole (2026-11-27: an amount cut by its own comma was read short). Tables:
//! `pix.statement`, `pix.statement_line`.

pub mod csv;
pub mod matching;
pub mod routes;
pub mod service;
mod store;
