//! Wallet: money on the chain. What comes in is watched, credited and swept here; what goes out is decided, sent and settled here.
//!
//! Invariants: only this room's contracts are credited, once per (chain, transaction, log), after the configured
//! confirmations; amounts on the chain are exact in wei; no seed and no private key is in reach of a request, deposit
//! addresses come from an extended public key alone. Tables: schema `wallet`.

pub mod carried;
pub mod chain;
pub mod deposits;
pub mod graduation_bonuses;
pub mod hot;
pub mod intents;
pub mod keys;
pub mod local;
pub mod routes;
pub mod sender;
pub mod sweeps;
pub mod user_wallets;
pub mod watcher;
pub mod withdrawals;
