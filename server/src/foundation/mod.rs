//! What every room stands on: what a request passes before its handler, lists and their files, transactions that carry facts, time, jobs, idempotency, settings, audit, mail, files, languages.
//!
//! Invariants: a fact is written in the transaction of the change that made it and leaves only after the commit; time comes
//! from [`clock`]; SQL stands only in `store` modules. Tables: schema `foundation`.

pub mod amounts;
pub mod audit;
pub mod business_day;
pub mod clock;
pub mod context;
pub mod database;
pub mod embedded_postgres;
pub mod evm_address;
pub mod files;
pub mod http;
pub mod idempotency;
pub mod intake;
pub mod job_queue;
pub mod kept;
pub mod lease;
pub mod listing;
pub mod locale;
pub mod mail;
pub mod maintenance;
pub mod open_day;
pub mod outbound;
pub mod outbox;
pub mod paper;
pub mod pix_keys;
pub mod private;
pub mod quiet_hours;
pub mod settings;
pub mod sheet;
pub mod spool;
pub mod subjects;
pub mod text;
pub mod transaction;
pub mod turns;
