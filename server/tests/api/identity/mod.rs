//! Accounts through the HTTP API: registration, signing in, sessions, factors, recovery, roles, secrets.

pub mod people;

mod completion;
mod factors;
mod mail;
mod profile;
mod recovery;
mod registration;
mod roles;
pub mod secrets;
mod sessions;
mod sign_in;
