//! The users' own wallets, against a real node.

mod bench;
mod keys;
mod moves;
mod orders;
