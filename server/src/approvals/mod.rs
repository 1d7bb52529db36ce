//! Approvals: the one policy of who may decide on money, and when two must; and the guard before money leaves (safety.md).
//!
//! Invariants, held by the database: decisions are never changed; nobody decides on own money or on that of their sponsor or
//! direct referrals; of two approvals each is another person's and neither made the other an approver; an approval binds the
//! digest of what was seen, so that a changed amount or destination has no approvals. Tables: schema `approvals`.
//!
//! A room whose money waits describes it as a [`service::Subject`] and calls [`service::approve`] in the transaction that acts
//! on the answer; it stores the digest and asks `approvals.is_approved` in a trigger of its own. A room that lets money out calls
//! [`guard::outbound`] first and hands its [`guard::Verdict`] to the function that moves the money.

pub mod compliance;
pub mod guard;
pub mod restraint;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
pub mod unsent;
pub mod whitelist;
