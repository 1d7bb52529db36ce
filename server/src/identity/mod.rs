//! Identity: who people are and what they may do — registration, sign-in, sessions, two factors, roles.
//!
//! Invariants: permissions are read from the database, never from a token; codes and links are stored hashed and used once;
//! refresh tokens rotate and reuse ends the family; unknown users cost what known ones cost; a refusal changes nothing but the
//! count of wrong tries. Tables: schema `identity`.

pub mod acceptances;
mod avatar;
mod browser;
pub mod caller;
pub mod codes;
mod factors;
mod freeze_page;
pub mod gate;
pub mod jobs;
mod limits;
mod links;
mod passwords;
mod profile;
mod recovery;
mod registration;
pub mod resealing;
pub mod roles;
pub mod routes;
pub mod rules;
pub mod secrets;
pub mod service;
pub mod sessions;
mod sign_in;
pub mod signals;
mod store;
pub mod tickets;

pub use avatar::AvatarViewers;
pub use browser::{Browser, keep as keep_cookies};
