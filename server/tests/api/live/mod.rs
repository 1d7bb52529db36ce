//! Live trading against a venue on this machine: partial fills, refusals, lost answers, a process killed at every step; the switch.

pub mod bench;
mod deaths;
pub mod exchange;
mod operations;
mod switch;
