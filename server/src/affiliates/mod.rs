//! Affiliates: who brought whom, where each stands in the binary tree, what each sells.
//!
//! Invariants: sponsor and place never change; a place costs the same at any depth (a chain's outermost node is the only lock); a
//! final sale writes one row of points, the closing carries it up later; only a fund pays a bonus ([`bonuses`]). Registration and confirmation stand here because they
//! make the place; identity makes the person. Tables: schema `affiliates`.

pub mod bonuses;
pub mod closing;
pub mod graduations;
pub mod invitations;
pub mod jobs;
pub mod model;
pub mod network;
pub mod payout;
pub mod reports;
pub mod routes;
mod rules;
pub mod service;
mod store;
