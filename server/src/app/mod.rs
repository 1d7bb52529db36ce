//! Wiring: how the rooms become one server. Nothing here decides anything about money or people.

pub mod api;
mod background;
pub mod banner;
mod chain;
pub mod commands;
mod demo;
mod in_force;
mod listener;
pub mod logging;
mod seed;
mod shutdown;
pub mod spa;
pub mod unsent;
