//! Rooms through the HTTP API, each test on a database of its own.
// What cannot be arranged fails the test, where it happens.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../kit/chain.rs"]
mod chain_kit;
mod kit;

mod affiliates;
mod analytics;
mod approval_preview;
mod approvals;
mod chain;
mod claw_back;
mod claw_back_pools;
mod copying;
mod day;
mod feeds;
mod files;
mod files_of_lists;
mod grants;
mod guard;
mod identity;
mod intake;
mod licences;
mod lists;
mod live;
mod loans;
mod manual;
mod money_calls;
mod money_fields;
mod nodes;
mod notifications;
mod pix;
mod pix_statements;
mod pix_withdrawals;
mod platform;
mod pool;
mod pools;
mod presale;
mod presale_guarded;
mod presale_market;
mod probes;
mod realtime;
mod refusals;
mod restraint;
mod robots;
mod rulebook;
mod side_by_side;
mod sponsorship;
mod staff_queues;
mod statement;
mod support;
mod transfers;
mod treasury;
mod waiting;
mod wallets;
