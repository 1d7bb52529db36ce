//! Rules of the house and their changes.

use super::{wire, words};
use crate::ids::{PlanId, RuleChangeId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    /// What a change of the rulebook is about.
    RuleChangeKind { Settings = "settings", Plan = "plan" }
    /// Where a change of the rulebook stands.
    RuleChangeStatus {
        /// For a second person.
        Waiting = "waiting",
        /// For its hour.
        Agreed = "agreed",
        InForce = "in_force",
        Withdrawn = "withdrawn",
    }
}

wire! {
    /// One value of a change, as people write it.
    pub struct RuleItem {
        pub key: String,
        /// None: it did not exist.
        pub before: Option<String>,
        pub after: String,
    }
    /// A change of settings or of a plan.
    pub struct RuleChangeView {
        #[serde(rename = "_id")]
        pub id: RuleChangeId,
        pub kind: RuleChangeKind,
        /// The plan whose place is taken; none: a new one.
        pub plan: Option<PlanId>,
        pub items: Vec<RuleItem>,
        /// Needs a second person.
        pub money: bool,
        pub reason: String,
        pub status: RuleChangeStatus,
        /// Usernames.
        pub ordered_by: String,
        pub agreed_by: Option<String>,
        pub withdrawn_by: Option<String>,
        pub withdrawn_reason: Option<String>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub agreed_at: Option<OffsetDateTime>,
        /// Since when, or from when, it is in force.
        #[serde(with = "time::serde::rfc3339::option")]
        pub effective_at: Option<OffsetDateTime>,
        pub version: i64,
    }
}
