//! Identity: who people are and what they may do — registration, sign-in, sessions, two factors, roles.
//!
//! Invariants: permissions are read from the database, never from a token; codes and links are stored hashed and used once;
//! refresh tokens rotate and reuse ends the family; unknown users cost what known ones cost; a refusal changes nothing but the
//! count of wrong tries; a reset, or a change of password or factor, ends sign-ins that are half done. Tables: schema `identity`.
//!
//! Decisions:
//! - 2026-11-23: wrong passwords count by device or address, never for the account alone (`limits::rules`): a count that strangers
//!   fill locked its owner out. Whoever resets the password may sign in at once from that browser, which is known from then on.
//! - 2026-11-26: wrong codes likewise count in their session, on its device or by address (`limits::rules::code`), and a mailed code is good in
//!   the session that asked for it: ten wrong ones in another session shut the owner out of their own money for a day. The loose count of the
//!   account passes by the five devices known longest, not by all known ones: a thief with a password makes as many known as he likes.
//! - 2026-11-23: changing one's data or password with the authenticator on needs both codes, the mailed one and the app's: a
//!   mailbox alone changes nothing, and neither does a telephone alone.
//! - 2026-11-23: nor does a mailed reset link alone set a password where the authenticator is on: its code, or a recovery code, goes with
//!   it, and signing in asks again. The same code is not good twice: signing in takes the next one.
//! - 2026-11-23: mails with a reset link are counted apart from all others and sent a quarter of an hour apart, whoever asks; each
//!   carries the link that lives. So a stranger's requests bring the owner a link instead of keeping it away. The answer says when the
//!   next may be sent, by what was typed alone.
//! - 2026-11-23: freezing an account also takes back what rooms above keep for its owner's protection and would soon be weaker
//!   (`frozen`): a freeze that lets a limit rise a day later protects nothing.
//! - 2026-11-28: what leaves an account to other hands calls off what was asked for before (`hands`): a closing that a thief asked for outlived the
//!   reset, the recovery by the support and the change of e-mail by which its owner came back.
//! - 2026-11-23: who has not confirmed an address may correct it (the password again; what was mailed before ends) and write to the
//!   support: a mistyped address was a dead end. Everything else still waits for the confirmation.

pub mod acceptances;
mod address_back;
mod avatar;
mod browser;
pub mod caller;
pub mod closing;
pub mod codes;
mod devices;
pub mod documents;
pub mod email_change;
mod erasing;
mod factors;
mod freeze_page;
mod frozen;
pub mod gate;
pub mod google;
mod hands;
mod invitations;
pub mod jobs;
pub mod kept;
mod limits;
mod links;
pub mod looks;
pub mod passkeys;
mod passwords;
pub mod people;
pub mod personal;
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
mod sign_ups;
pub mod signals;
mod store;
pub mod tickets;
mod watched;

pub use avatar::AvatarViewers;
pub use browser::{Browser, keep as keep_cookies};
