//! The network's pages: a part of the binary tree, who came by whom, the member's dashboard.
//!
//! Invariants: of those below nothing is shown but username, rank, leg, status and points; whoever does not stand below is as unknown as
//! nobody. No call's work grows with the depth of the tree: who stands below whom is known by jump pointers (`affiliates.node`,
//! docs/decisions/0056-jump-pointers.md), points and team sizes are those of the last closing.

pub mod model;
pub mod routes;
pub mod service;
mod store;
pub(in crate::affiliates) mod way;

pub(in crate::affiliates) use service::modes;
pub(in crate::affiliates) use store::{Node, last_carried, leg, node};
