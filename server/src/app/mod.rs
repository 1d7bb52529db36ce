//! Wiring: how the rooms become one server. Nothing here decides anything about money or people.

pub mod api;
mod background;
pub mod banner;
mod chain;
pub mod commands;
mod demo;
pub mod health;
mod in_force;
pub mod listener;
pub mod logging;
pub mod probes;
mod seed;
mod shutdown;
pub mod spa;
pub mod unsent;
