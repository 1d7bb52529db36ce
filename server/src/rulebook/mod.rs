//! Rulebook: what staff may tune, and who did. Settings and plans change here and nowhere else (docs/rules/settings.md#changing-settings).
//!
//! A change names the revision that its author had read: of two at once one is refused. What is not about money holds at once. What
//! is about money waits for a second person under the one policy of [`crate::approvals`]; settings then take effect 24 hours later,
//! plans at once for whoever buys from then on. Versions of the settings are never changed: each change writes the version of now
//! and, anew, those of the changes that are agreed and wait for their hour.
//!
//! Tables: schema `rulebook` — book, change. Settings' versions stand in `foundation.settings`, plans in `licences.plan`.

pub mod descriptors;
mod effects;
pub mod plans;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
