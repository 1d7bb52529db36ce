//! Support: customers ask, staff answer, both see each other live.
//!
//! Invariants: a message's number is gap-free within its ticket (given under the ticket's row lock); a message sent twice with
//! one client id is stored once; only a reply of staff ends the customer's waiting; a ticket's image is its first message's
//! attachment; every change is told on the ticket's stream and on the lists that show the ticket. A deleted ticket stays in the
//! database and is unknown to everybody. Tables: schema `support`.

pub mod attachments;
pub mod model;
pub mod routes;
mod rules;
pub mod service;
mod store;
