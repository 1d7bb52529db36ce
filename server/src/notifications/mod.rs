//! Notifications: each user's inbox, written from the facts of the other rooms.
//!
//! Invariants: a fact makes at most one line, however often and wherever it is read (the cursor moves in the transaction that
//! writes the lines); a thing that facts show whole makes news only when its state changes; robots' operations make none. A line
//! is a code with values: the sentence is the reader's browser's, in the reader's language. What staff announce is written without a fact, by the
//! reader's id. Tables: schema `notifications`.

pub mod announcements;
pub mod away;
pub mod digest;
pub mod preferences;
pub mod push;
pub mod queues;
pub mod routes;
pub mod rules;
pub mod service;
mod store;
pub mod untaken;
