//! The living part of Arbora: who is connected, what they listen to, and how facts and glimpses reach them. No SQL, no money.
//!
//! The server wires a [`Realtime`] with its [`ports`] and a [`bus::Bus`], hands it every committed fact and every socket.
//! A fact goes to the actor of its stream ([`channel`]), which checks its number, keeps it for a while ([`stream`]) and
//! writes one pre-encoded frame to every session that listens ([`session`]).

pub mod approvals;
pub mod broadcast;
pub mod bus;
pub mod channel;
pub mod config;
pub mod desk;
mod node;
pub mod ports;
pub mod realtime;
pub mod runtime;
pub mod session;
pub mod stream;
pub mod ticket;
pub mod topic;
pub mod user;

pub use config::Config;
pub use ports::{Credential, Gatekeeper, Head, Identity, Inbound, Range, Refusal, Replay};
pub use realtime::{Ports, Realtime, Stats};
