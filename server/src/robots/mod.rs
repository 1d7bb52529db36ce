//! Robots: what the desk did with the capital allocated to it, and the calls that steer it (docs/rules/desk.md).
//!
//! Implements the desk's port `Settle`: reservations, settlements, each once and under the desk's lease. The money itself is
//! moved by `licences::service::settle`; here stand the operations, their legs and each robot's share. What is not live in
//! production is recorded and never posted.
//!
//! Tables: schema `robots` — batch, operation, share, reservation, desk_day, feed_state; roll-ups in [`days`], what owners
//! order themselves in [`manual`], followers in [`copying`], real orders in [`live`],
//! results taken back in [`reversals`].

pub mod copying;
pub mod days;
pub mod desk_runner;
pub mod live;
pub mod manual;
pub mod model;
mod port;
pub mod reversals;
pub mod routes;
mod rules;
pub mod service;
mod store;
pub mod watch;
