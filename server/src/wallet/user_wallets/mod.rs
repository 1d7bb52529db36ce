//! The users' own wallets on the chain: balances, what moves on them, sending, swapping, their words.
//!
//! Invariants: a wallet belongs to one person and answers to nobody else; whatever leaves it passes the guard, with gas from its
//! own coin; what open orders will take is kept aside, so that two at once never order more than there is; a swap goes back into
//! the wallet itself, for at least what its owner agreed to, within two minutes; nothing here ever touches the books.
//! Tables: `wallet.user_move`, `wallet.user_step`, `wallet.phrase_shown`.

pub mod arrivals;
pub mod exchange;
pub mod orders;
pub mod routes;
pub mod rules;
pub mod sends;
pub mod service;
pub mod settling;
pub mod store;
pub mod swaps;
