//! Support: customers ask, staff answer, both see each other live.
//!
//! Invariants: a message's number is gap-free within its ticket (given under the ticket's row lock); a message sent twice with
//! one client id is stored once; only a reply of staff ends the customer's waiting; a ticket's image is its first message's
//! attachment; a mail from staff about a ticket is a message of it, marked as such, that ends nobody's waiting, opens nothing
//! again and is never corrected (2026-11-23: it used to be kept nowhere); every change is told on the ticket's stream and on the lists that show the ticket. A deleted ticket stays in the
//! database and is unknown to everybody. A ticket has one holder at most; who it is, internal notes and times of answers are staff's alone: they
//! stand in no type that a customer's call answers with and are told on the staff's queue only, notes without their text. Tables: schema `support`.
//!
//! How its customer found a ticket solved is said once and never changed; what they say beside the score is in no fact.
//!
//! A double keeps its messages; it is over for good, and shown where it was merged into.
//!
//! 2026-11-23: who has not confirmed an address may write too, for a mail that does not come is what one asks about then: one open
//! ticket, three messages an hour, no attachments.

pub mod about;
pub mod attachments;
mod canned;
mod desk;
pub mod desk_routes;
mod mails;
mod merging;
pub mod model;
mod notes;
mod ratings;
mod reading;
mod replies;
pub mod routes;
mod rules;
pub mod service;
mod store;
mod transcripts;

/// Where the support's WhatsApp opens.
#[derive(Clone, Debug)]
pub struct Whatsapp(pub String);

impl Whatsapp {
    /// Of a number in digits alone.
    #[must_use]
    pub fn of(digits: &str) -> Self {
        Self(format!("https://wa.me/{digits}"))
    }
}
