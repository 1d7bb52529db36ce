//! How long what is kept, for people to read (docs/rules/foundation.md#retention): one line for each period by the constant that its job
//! deletes by, and one for each thing that no job deletes. Pure.

use super::{jobs, rules};
use crate::{foundation, identity};
use serde::Serialize;
use time::Duration;

/// Something that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    Facts,
    FirstAnswers,
    JobEffects,
    Mails,
    Uploads,
    FilesOfNobody,
    Exports,
    Tries,
    Codes,
    Links,
    EmailChanges,
    FormerAddresses,
    SocketTickets,
    Challenges,
    GoogleVisits,
    Sessions,
    Devices,
    DevicesUnused,
    ClosedPasswords,
    ClosedAccounts,
    Looks,
    Account,
    Money,
    Audit,
    Decisions,
    Acceptances,
    StaffNotes,
    Tickets,
    Notifications,
}

/// What deletes it, and when.
#[derive(Clone, Copy, Debug)]
pub struct Deleted {
    pub after: Duration,
    /// Where `after` stands, by which the job deletes too.
    pub constant: &'static str,
    pub job: &'static str,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub what: Kept,
    /// None: for ever.
    pub deleted: Option<Deleted>,
    /// Where it stands; none: on the disk.
    pub tables: &'static [&'static str],
}

macro_rules! goes {
    ($what:ident, $($constant:ident)::+, $job:expr, [$($table:literal),*]) => {
        Line {
            what: Kept::$what,
            deleted: Some(Deleted {
                after: $($constant)::+,
                constant: stringify!($($constant)::+),
                job: $job,
            }),
            tables: &[$($table),*],
        }
    };
}

macro_rules! stays {
    ($what:ident, [$($table:literal),*]) => {
        Line {
            what: Kept::$what,
            deleted: None,
            tables: &[$($table),*],
        }
    };
}

const FOUNDATION: &str = foundation::maintenance::PRUNE;
const COMPARE: &str = foundation::files::sweeping::COMPARE;
const IDENTITY: &str = identity::jobs::PRUNE;

#[rustfmt::skip]
pub const LINES: &[Line] = &[
    goes!(SocketTickets,   identity::kept::SOCKET_TICKETS,   IDENTITY,     ["identity.ws_ticket"]),
    goes!(Uploads,         foundation::kept::UPLOADS,        FOUNDATION,   []),
    goes!(GoogleVisits,    identity::kept::GOOGLE_VISITS,    IDENTITY,     ["identity.google_visit"]),
    goes!(Challenges,      identity::kept::CHALLENGES,       IDENTITY,     ["identity.challenge", "identity.passkey_challenge"]),
    goes!(FilesOfNobody,   foundation::kept::FILES_OF_NOBODY, COMPARE,     []),
    goes!(Tries,           identity::kept::TRIES,            IDENTITY,     ["identity.failure"]),
    goes!(Codes,           identity::kept::CODES,            IDENTITY,     ["identity.code"]),
    goes!(Exports,         rules::LIFE,                      jobs::EXPIRE, []),
    goes!(Links,           identity::kept::LINKS,            IDENTITY,     ["identity.link"]),
    goes!(EmailChanges,    identity::kept::EMAIL_CHANGES,    IDENTITY,     ["identity.email_change"]),
    goes!(FormerAddresses, identity::kept::FORMER_ADDRESSES, IDENTITY,     ["identity.former_address"]),
    goes!(Mails,           foundation::kept::MAILS,          IDENTITY,     ["foundation.mail"]),
    goes!(FirstAnswers,    foundation::kept::ANSWERS,        FOUNDATION,   ["foundation.idempotency"]),
    goes!(JobEffects,      foundation::kept::EFFECTS,        FOUNDATION,   ["foundation.job_done"]),
    goes!(ClosedPasswords, identity::kept::CLOSED_PASSWORDS, IDENTITY,     []),
    goes!(Sessions,        identity::kept::SESSIONS,         IDENTITY,     ["identity.session"]),
    goes!(DevicesUnused,   identity::kept::DEVICES_UNUSED,   IDENTITY,     ["identity.device"]),
    goes!(Facts,           foundation::kept::FACTS,          FOUNDATION,   ["foundation.event"]),
    goes!(Looks,           identity::kept::LOOKS,            IDENTITY,     ["identity.look"]),
    goes!(Devices,         identity::kept::DEVICES,          IDENTITY,     ["identity.device"]),
    goes!(ClosedAccounts,  identity::kept::CLOSED_ACCOUNTS,  IDENTITY,     ["identity.address"]),
    stays!(Account,        ["identity.account"]),
    stays!(Money,          ["ledger.transfer", "ledger.posting", "licences.licence", "pix.deposit", "pix.withdrawal", "wallet.deposit", "wallet.withdrawal"]),
    stays!(Audit,          ["foundation.audit", "foundation.audit_link"]),
    stays!(Decisions,      ["approvals.decision", "approvals.compliance_case"]),
    stays!(Acceptances,    ["identity.acceptance"]),
    stays!(StaffNotes,     ["identity.staff_note", "support.note"]),
    stays!(Tickets,        ["support.ticket", "support.message", "support.rating"]),
    stays!(Notifications,  ["notifications.line", "notifications.announcement"]),
];

/// How long something is kept.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RetentionLine {
    pub what: Kept,
    /// From its end where it has one, else from when it was made; the jobs look every hour. None: for ever.
    pub seconds: Option<i64>,
}

/// The whole table, what goes soonest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Retention {
    pub data: Vec<RetentionLine>,
}

/// What people read.
#[must_use]
pub fn shown() -> Retention {
    let line = |line: &Line| RetentionLine {
        what: line.what,
        seconds: line.deleted.map(|deleted| deleted.after.whole_seconds()),
    };
    Retention {
        data: LINES.iter().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_soonest_stands_first_and_what_stays_last() {
        let times: Vec<i64> = shown()
            .data
            .iter()
            .map(|line| line.seconds.unwrap_or(i64::MAX))
            .collect();
        assert!(times.is_sorted(), "{times:?}");
    }
}
