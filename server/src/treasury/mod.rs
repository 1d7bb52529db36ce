//! Treasury: what the house holds where no book and no chain of ours says so, as staff declare it (docs/rules/reports.md#declared-holdings).
//!
//! Invariants: a declaration stands only with its approvals, until the next one of the same place stands; it is shown with its author
//! and its time, beside the coverage and never in it; it moves no money; each change
//! is a fact for everyone who looks at the coverage. Tables: schema `treasury`.

pub mod routes;
pub mod service;
mod store;
