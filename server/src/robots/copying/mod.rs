//! Copying: robots open to followers, and who follows them (docs/rules/desk.md#copying).
//!
//! Invariants: nobody follows two, leads and follows at once, or follows a robot of their own; a following counts its robot's
//! booked results in the settlement that books them, and ends there when its maximum loss is reached; a robot whose following
//! ended without its owner rests until they resume it, and their notice goes with the same change.
//!
//! Locks are taken leaders first, then licences in the order of their ids, then followings.
//!
//! Tables: robots.leader, following.

pub mod model;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
