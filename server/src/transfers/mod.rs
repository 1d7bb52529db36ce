//! Transfers of balance from member to member (docs/rules/transfers.md#transfers-between-members): instant, behind the guard of outgoing money.
//!
//! Invariants: what leaves one `available` arrives in the other in one ledger transfer, the fee beside it; one that the
//! compliance rules hold lies in the sender's `held` until its approvals are there (a trigger asks for them) or it goes back.
//! Tables: schema `transfers`.

pub mod routes;
pub mod service;
mod store;
