//! The daily closing: residual bonuses, the binary bonus, ranks (docs/rules/affiliates.md#closing).
//!
//! A day is closed at 00:05 of São Paulo, missed days one by one, oldest first. The transaction that opens the next day copies what the
//! members concerned were when the day ended; everything later reads that copy. Read as it stands when a bonus is booked are what its
//! network ceiling and the fund leave, whether its receiver has closed the account (docs/decisions/0094-nothing-comes-to-who-has-left.md), and
//! who is related to its receiver, and cleared of it; whose sales stood is the day's (docs/decisions/0095-who-stands-below-by-a-walk.md).
//! Whether a residual bonus' source has young money is asked when that step begins, or is taken up again; a binary bonus is as young as it
//! was when the day ended (docs/decisions/0062-binary-and-young-money.md).
//!
//! Steps come in chunks, each in a transaction of its own that says how far it came: what is stopped goes on from there, and
//! one that is done again changes nothing. One node closes at a time, by a lease whose fence every transaction checks.
//!
//! Calculation ([`tree`], `copied`) is pure, and so are the rules of what it pays for, each beside its kind (`bonuses::residual`, `bonuses::binary`,
//! `graduations::rules`). It is computed anew on every resume: a day's points and results no longer change once the next day is open, and
//! the points on the legs are kept in versions (docs/decisions/0057-legs-in-segments.md).
//!
//! Tables: affiliates.closing, closing_member, leg_points, team, residual_carry, match, standing, graduation, node, day_sum, day_points,
//! gained, day_gain, gain_below, bonus_month, touched, referral, directs, directs_month.

mod copied;
pub mod jobs;
pub mod service;
mod steps;
mod store;
pub mod sums;
mod tell;
pub mod tree;
