//! The ledger against the real database: vectors, concurrency, immutability, properties, mass bookings, the verifier.
// What cannot be arranged fails the test, where it happens.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod database;
mod forged;
mod immutability;
mod mass;
mod properties;
mod vectors;
mod verifier;
