//! Content: lessons of the academy and material to hand on. Staff write, order and publish it, customers read it; how far somebody came in
//! a lesson is kept (docs/rules/content.md).
//!
//! Invariants: no customer is ever shown a draft, its file or its cover, by whatever way; what is published has something to read or to
//! open; its files are of the kinds that their bytes say, and together no more than the quota; a file that is replaced or whose item goes,
//! goes with it in the same change. Tables: schema `content`.
//!
//! 2026-11-27: a player asks for a video by address alone, without the session's header. It gets a link that names one file, bears our mark
//! and lasts some hours; whether the item is published is asked with every part of the video.

pub mod files;
pub mod links;
pub mod model;
pub mod routes;
pub mod rules;
pub mod service;
pub mod staff;
mod store;
