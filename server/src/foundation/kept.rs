//! How long what stands below all rooms is kept: what its jobs delete by. What people are told of it is `privacy::retention`, which names
//! each of these (a test).

use time::Duration;

/// Facts; who comes later gets a reset.
pub const FACTS: Duration = Duration::days(90);
/// First answers of calls that move money.
pub const ANSWERS: Duration = Duration::days(30);
/// Effects of jobs: no second job brings one about.
pub const EFFECTS: Duration = Duration::days(30);
/// That a mail was sent; its body goes when it is.
pub const MAILS: Duration = Duration::days(30);
/// Bytes that no row names; no upload takes as long.
pub const FILES_OF_NOBODY: Duration = Duration::DAY;
/// What an interrupted upload left.
pub const UPLOADS: Duration = Duration::HOUR;
