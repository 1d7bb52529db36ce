//! Accounts through the HTTP API: registration, signing in, sessions, factors, recovery, roles, secrets.

pub mod people;

mod acceptances;
mod completion;
mod devices;
pub mod email_change;
mod factors;
mod google;
mod issuer;
mod mail;
pub mod passkeys;
mod passkeys_aside;
mod passkeys_copied;
mod personal;
mod places;
mod profile;
mod rates;
mod recovery;
mod registration;
pub mod roles;
pub mod secrets;
mod sessions;
mod sign_in;
mod unconfirmed;
