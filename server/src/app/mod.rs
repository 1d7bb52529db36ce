//! Wiring: how the rooms become one server. Nothing here decides anything about money or people.

mod answers;
pub mod api;
mod background;
pub mod banner;
mod chain;
pub mod commands;
pub mod demo;
pub mod health;
mod in_force;
pub mod join;
pub mod listener;
pub mod logging;
pub mod parked;
pub mod probes;
mod seed;
pub mod shelves;
mod shutdown;
pub mod spa;
mod unsent;
