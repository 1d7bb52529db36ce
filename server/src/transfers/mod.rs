//! Transfers of balance from member to member (docs/rules/transfers.md#transfers-between-members): instant, behind the guard of outgoing money.
//!
//! Invariants: what leaves one `available` arrives in the other in one ledger transfer, the fee beside it; one that the
//! compliance rules hold lies in the sender's `held` until its approvals are there (a trigger asks for them) or it goes back. One that waits when a
//! credit behind it is reversed is canceled first, as withdrawals are (2026-11-23); who should have received it never heard of it.
//! Tables: schema `transfers`.

pub mod routes;
pub mod service;
mod store;
