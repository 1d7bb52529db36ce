//! The ledger against the real database: vectors, concurrency, immutability, properties, the batch writer, the verifier.
// What cannot be arranged fails the test, where it happens.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod batch;
mod database;
mod guarded;
mod immutability;
mod properties;
mod vectors;
mod verifier;
