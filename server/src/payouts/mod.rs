//! Payouts: money that people decide on and that leaves, whatever carries it (docs/rules/payouts.md).
//!
//! Invariants: value = fee + net; the value is set aside with the request and either leaves whole or returns whole; nothing is paid
//! that is not approved exactly as it stands; what may have been paid is not given back; a moved rate changes an amount only by its
//! owner's word. The database holds each of them, in the kind's own table.
//!
//! A kind is a type that says where its money goes ([`kind::Destination`]), where the money is meanwhile and how an approval becomes
//! a payment ([`kind::Settlement`]), how its rows are kept ([`store::Rows`]) and what is shown of it ([`kind::Screen`]); the room that
//! pays is above and calls [`service`] and [`decisions`] with its type. Kinds: `pix::withdrawals::Pix`, `wallet::withdrawals::Crypto`,
//! `wallet::graduation_bonuses::GraduationBonus`.
//! The tables are theirs (docs/decisions/0048-payouts-one-code-two-tables.md).
//!
//! Ranks' bonuses are the kind that staff ask for (2026-11-24, docs/decisions/0054-rank-bonus-a-payout.md): [`service::open`] without a
//! verdict, then [`decisions::decide`] as the first approval in the same transaction, which tells; where the compliance rules want somebody to
//! look, their case is cleared first (docs/decisions/0067-ranks-bonuses-are-looked-at.md). Nothing of the member's is held; nobody confirms,
//! for its rate never moves; it does not expire.
//!
//! Locks: the payout's row, the ledger's accounts, the queue's, then of mail. Who tells of several takes all queues' before any of mail
//! ([`crate::approvals::unsent::tell`]; 2026-11-24).

pub mod decisions;
pub mod jobs;
pub mod kind;
pub mod lists;
pub mod money;
pub mod rules;
pub mod service;
pub mod store;

use crate::error::Error;
use protocol::ErrorCode;

/// A refusal that names its field.
#[track_caller]
pub fn refuse(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

#[track_caller]
pub fn unknown() -> Error {
    Error::code(ErrorCode::RequestNotFound)
}

/// Not from where it stands.
#[track_caller]
pub fn refuse_state() -> Error {
    Error::code(ErrorCode::WithdrawalState)
}
