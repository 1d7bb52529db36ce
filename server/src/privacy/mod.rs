//! Privacy: a person gets all that is kept about them as one file, closes their own account, and anybody reads how long what is kept
//! (docs/rules/privacy.md).
//!
//! Invariants: a file is made for one person by a job, asked for with a fresh code, at most one a day; nobody else is ever given it, and
//! they only for a fresh code; it goes after seven days. In it stands what is about that person alone: of others at most the username under
//! which they met. No secret is in it, sealed or not. Tables: schema `privacy`.
//!
//! 2026-11-27: numbers of documents and PIX keys stand in it as the account shows them, masked: a file lies on disks that nobody guards.

mod archive;
pub mod closing;
mod contents;
pub mod jobs;
pub mod model;
pub mod retention;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
