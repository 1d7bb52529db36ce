//! What is asked of pools and what they look like.

use crate::{foundation::amounts, ledger::model::AccountRef};
use protocol::{
    ids::{FileId, HoldId, PoolId, PoolRevenueId, TransferId, UserId},
    money::Usdt,
    views::PoolEntryView,
};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// A pool's plan as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    pub id: PoolId,
    pub name: String,
    pub term_days: i32,
    pub minimum: Usdt,
    pub open: bool,
    pub version: i64,
}

/// Puts balance into a pool.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PoolOrder {
    /// The pool.
    pub plan: PoolId,
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub value: Usdt,
    /// The risk notice was read and accepted.
    #[serde(default)]
    pub risk_accepted: bool,
}

/// An entry with the movement that made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PoolJoined {
    #[serde(flatten)]
    pub entry: PoolEntryView,
    pub transfers: Vec<TransferId>,
}

/// Money that lies held for a pool.
#[derive(Clone, Copy, Debug)]
pub struct Paid {
    pub owner: UserId,
    pub pool: Uuid,
    pub value: Usdt,
    pub hold: HoldId,
}

/// The newest revenue that was booked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolBooked {
    pub value: Usdt,
    pub from_day: String,
    pub to_day: String,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// A pool as people see it, with their own part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolView {
    #[serde(rename = "_id")]
    pub id: PoolId,
    pub name: String,
    pub term_days: i32,
    pub minimum: Usdt,
    /// Takes new money.
    pub open: bool,
    /// What all have in it now.
    pub principal: Usdt,
    /// Revenue that was ever booked.
    pub booked: Usdt,
    pub last_booked: Option<PoolBooked>,
    /// What the caller has in it now, and has received ever.
    pub own_principal: Usdt,
    pub own_received: Usdt,
    pub version: i64,
}

/// A new pool.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPool {
    pub name: String,
    pub term_days: i32,
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub minimum: Usdt,
}

/// Changes of a pool; they hold for money that comes in later.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PoolChange {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub term_days: Option<i32>,
    #[serde(default, deserialize_with = "amounts::exact_or_none")]
    #[schema(value_type = Option<amounts::WrittenAmount>)]
    pub minimum: Option<Usdt>,
    #[serde(default)]
    pub open: Option<bool>,
    /// As it was seen.
    pub version: i64,
}

/// Where revenue came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RevenueSource {
    /// A movement of custody on an exchange, proven by a document.
    Custody,
    /// A transaction of the chain.
    Chain,
}

impl RevenueSource {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Custody => "custody",
            Self::Chain => "chain",
        }
    }
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        [Self::Custody, Self::Chain]
            .into_iter()
            .find(|s| s.as_str() == text)
    }
}

/// Revenue about to be decided on.
#[derive(Clone, Debug)]
pub struct Revenue {
    pub id: PoolRevenueId,
    pub pool: PoolId,
    pub value: Usdt,
    pub from_day: Date,
    pub to_day: Date,
    pub source: RevenueSource,
    pub tx_hash: Option<String>,
    pub proof: Option<FileId>,
    pub pending: bool,
}

/// Revenue as staff see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolRevenueView {
    #[serde(rename = "_id")]
    pub id: PoolRevenueId,
    pub pool: PoolId,
    pub pool_name: String,
    pub value: Usdt,
    pub from_day: String,
    pub to_day: String,
    pub source: RevenueSource,
    pub tx_hash: Option<String>,
    pub proof: Option<FileId>,
    pub proof_mime: Option<String>,
    /// The same document was sent before.
    pub proof_seen: bool,
    pub note: String,
    /// `pending`, `booked`, `rejected`.
    pub status: String,
    pub approvals: i16,
    pub approvals_needed: i16,
    pub ordered_by: String,
    pub rejected_reason: Option<String>,
    /// What its shares come to, and whether all are paid.
    pub shared: Usdt,
    pub shared_out: bool,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// What staff order about revenue.
#[derive(Clone, Debug)]
pub struct NewRevenue {
    pub pool: PoolId,
    pub value: Usdt,
    pub from_day: Date,
    pub to_day: Date,
    pub tx_hash: Option<String>,
    pub note: String,
}

/// One person's decision.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PoolRevenueDecision {
    pub id: PoolRevenueId,
    pub approve: bool,
    /// Needed to reject.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Legs and accounts name a pool by its id.
#[must_use]
pub const fn principal(owner: UserId, pool: PoolId) -> AccountRef {
    AccountRef::User(owner, crate::ledger::model::UserAccount::PoolPrincipal(pool.0))
}
