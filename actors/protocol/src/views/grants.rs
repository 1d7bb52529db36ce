//! Who may decide, and how that changes.

use super::{wire, words};
use crate::ids::{AdminFreezeId, AdminGrantId, UserId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    /// What a request does: with roles, or with the account of who decides.
    GrantAction {
        Add = "add",
        Remove = "remove",
        Activate = "activate",
        Deactivate = "deactivate",
        /// Another e-mail.
        Email = "email",
        /// All second factors off.
        Factor = "factor",
    }
    /// Where a request to give or take roles that decide stands.
    GrantStatus {
        /// For a second person.
        Waiting = "waiting",
        /// Two agreed.
        Done = "done",
        Rejected = "rejected",
        /// Nobody agreed in time, or it was overtaken.
        Lapsed = "lapsed",
    }
    /// How a freeze ended.
    FreezeEnd {
        /// Two others lifted it.
        Agreed = "agreed",
        /// The installation's operator did.
        Console = "console",
    }
}

wire! {
    /// Somebody of the staff.
    pub struct StaffPerson {
        #[serde(rename = "_id")]
        pub id: UserId,
        pub username: String,
        pub full_name: String,
    }
    /// A request to give or take roles that decide, or to change the account of who decides.
    pub struct AdminGrantView {
        #[serde(rename = "_id")]
        pub id: AdminGrantId,
        pub person: StaffPerson,
        pub action: GrantAction,
        /// Names of the roles; none of a request about the account.
        pub roles: Vec<String>,
        /// Of a request about the account: `active` or `inactive`, an e-mail, or which factors are on (`email`, `app`, `email+app`, `none`).
        pub before: Option<String>,
        pub after: Option<String>,
        /// Why it is asked for.
        pub why: Option<String>,
        pub status: GrantStatus,
        /// Whose word is the first of the two.
        pub asked_by: StaffPerson,
        #[serde(with = "time::serde::rfc3339")]
        pub asked_at: OffsetDateTime,
        /// Until when it waits.
        #[serde(with = "time::serde::rfc3339")]
        pub lasts_until: OffsetDateTime,
        /// Username of who agreed or turned it down.
        pub decided_by: Option<String>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub decided_at: Option<OffsetDateTime>,
        /// Why it was turned down.
        pub reason: Option<String>,
        pub version: i64,
    }
    /// Decisions of two administrators that stand still: of who was frozen and of who froze.
    pub struct AdminFreezeView {
        #[serde(rename = "_id")]
        pub id: AdminFreezeId,
        pub frozen: StaffPerson,
        pub frozen_by: StaffPerson,
        pub reason: String,
        #[serde(with = "time::serde::rfc3339")]
        pub at: OffsetDateTime,
        /// Who has agreed to lift it, one of two.
        pub lift_asked_by: Option<StaffPerson>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub ended_at: Option<OffsetDateTime>,
        pub ended_how: Option<FreezeEnd>,
        /// Username of the second one who lifted it.
        pub lifted_by: Option<String>,
        pub version: i64,
    }
}
