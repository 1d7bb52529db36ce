//! How long what identity writes down is kept: what its job deletes by. What people are told of it is `privacy::retention`, which names
//! each of these (a test).

use time::Duration;

/// Wrong tries: no rule counts longer.
pub const TRIES: Duration = Duration::days(2);
/// Codes, after their end.
pub const CODES: Duration = Duration::days(2);
/// Links, after their end.
pub const LINKS: Duration = Duration::days(30);
/// Requests for another e-mail, after their end.
pub const EMAIL_CHANGES: Duration = Duration::days(30);
/// Addresses that another took the place of, after the days in which they can be had back.
pub const FORMER_ADDRESSES: Duration = Duration::days(30);
/// Tickets of a socket that nobody opened: good for seconds.
pub const SOCKET_TICKETS: Duration = Duration::ZERO;
/// Half-done sign-ins, after their end.
pub const CHALLENGES: Duration = Duration::DAY;
/// Ways to Google and back, after their end.
pub const GOOGLE_VISITS: Duration = Duration::HOUR;
/// Passwords of closed accounts: so long whoever has one is told that the account is closed.
pub const CLOSED_PASSWORDS: Duration = Duration::days(30);
/// What names the person of a closed account: five years, as the law against laundering of money has it (Lei 9.613/1998, art. 10).
pub const CLOSED_ACCOUNTS: Duration = Duration::days(1_826);
/// Sessions, after their end.
pub const SESSIONS: Duration = Duration::days(60);
/// Looks at an account, after their end: so far back its owner reads who looked.
pub const LOOKS: Duration = Duration::days(365);
/// Devices that nobody used for so long are forgotten; browsers keep no cookie longer.
pub const DEVICES: Duration = Duration::days(400);
/// Those that were never seen again after their first day.
pub const DEVICES_UNUSED: Duration = Duration::days(60);
