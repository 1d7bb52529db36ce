//! Approvals: the one policy of who may decide on money, and when two must; and the guard before money leaves (docs/rules/approvals.md).
//!
//! Invariants, held by the database: decisions are never changed; nobody decides on own money or on that of their sponsor or
//! direct referrals; of two approvals each is another person's and neither has the permission through the other, by any chain of
//! grants, and both may decide when the second one comes; nobody decides before their permission counts, or while they are frozen ([`grants`]); an approval binds the
//! digest of what was seen, so that a changed amount or destination has no approvals. Tables: schema `approvals`.
//!
//! A room whose money waits describes it as a [`service::Subject`] and calls [`service::approve`] in the transaction that acts
//! on the answer; it stores the digest and asks `approvals.is_approved` in a trigger of its own. A room that lets money out calls
//! [`guard::outbound`] first and hands its [`guard::Verdict`] to the function that moves the money. The book PYX/USDT asks
//! [`guard::trading`] whom a whitelist or own limit binds and what a trade may lose, and [`compliance::meetings`] who may meet whom.
//! Whoever loosens a whitelist or own limit passes the guard and is told ([`loosening`], 2026-11-23); whoever tightens them, or begins a time out, gives a code
//! and is told ([`tightening`], 2026-11-26). What a whitelist or own limit ends in rooms above is ended in the transaction that switches it on, through [`unsent`] (2026-11-23).
//!
//! A place that money may go to is read and compared by [`destinations`] alone (2026-11-26: a CPF with its dots was another destination than
//! the same without, so that a list shut its own owner out).
//!
//! The first of two words is looked at again when the second comes, and may fall away (2026-11-27: the word of who had lost the role meanwhile
//! counted; and one to which nobody was a second person stood in the way for ever).
//!
//! Whether one person is enough depends on what else was approved that day, so that no amount alone tells it: what is said before a
//! decision is asked of the same rule ([`service::preview`]). What was rejected after it was approved does not count (2026-11-23).

pub mod compliance;
pub mod destinations;
pub mod foresight;
pub mod grants;
pub mod guard;
mod looking;
pub mod loosening;
pub mod restraint;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
mod tightening;
pub mod unsent;
pub mod whitelist;
