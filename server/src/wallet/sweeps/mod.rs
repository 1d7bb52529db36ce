//! Gathering what lies on deposit addresses: gas to an address where a token needs it, then the coins to the treasury.
//!
//! Invariants: signed bytes and their hash are stored before they are sent, and only those bytes are ever sent again; a nonce of
//! a sender is used once; one transaction of an address is under way at a time; our own transactions are nobody's deposit.
//! The books do not move: custody is custody, wherever the coins lie. What waits for a decision stays where it came to.

pub mod service;
pub mod store;
