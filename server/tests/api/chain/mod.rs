//! Money on the chain, against a real node.

mod client;
mod deposits;
pub mod desk;
mod faucet;
mod finality;
pub mod graduations;
mod leaving;
mod letters;
pub mod payout;
mod pyx;
mod reorgs;
pub mod restarts;
pub mod sender;
mod signer;
mod small;
mod sweeps;
mod withdrawals;
mod withdrawals_decided;
