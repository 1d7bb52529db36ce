//! The users' own wallets, against a real node.

pub mod bench;
mod keys;
mod moves;
mod orders;
