//! What the payout report shows.

use protocol::money::Usdt;
use serde::Serialize;
use time::OffsetDateTime;

/// What the house earned and what the network took, of a day, a month or a period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PayoutSums {
    /// Of final sales, with what went into the funds; less sales that were taken back.
    pub licences: Usdt,
    /// Of deposits, withdrawals, transfers and loans, with what went into the fund.
    pub fees: Usdt,
    /// Both.
    pub revenue: Usdt,
    /// Earned: paid or waiting for the fund, less what was taken back.
    pub bonuses: Usdt,
    /// Bonuses of ranks that were reached.
    pub graduations: Usdt,
    /// Bonuses of both sorts against revenue, in percent, floored; none without revenue.
    pub ratio: Option<String>,
}

/// A business day; days without anything are there with zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PayoutDay {
    /// `2026-11-24`.
    pub day: String,
    #[serde(flatten)]
    pub sums: PayoutSums,
}

/// The days of a month that lie in the period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PayoutMonth {
    /// `2026-11`.
    pub month: String,
    #[serde(flatten)]
    pub sums: PayoutSums,
}

/// Where the last 30 days stand against the ceiling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutCeiling {
    /// In percent, as staff set it.
    pub ceiling: String,
    /// Of the last 30 days.
    pub sums: PayoutSums,
    pub over: bool,
    /// Since when the alert stands; none while there is none.
    #[serde(with = "time::serde::rfc3339::option")]
    pub alert_since: Option<OffsetDateTime>,
}

/// Accounts of which each shares a device, a document or a payer with another one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Ring {
    /// Some of their usernames.
    pub members: Vec<String>,
    pub accounts: i64,
    #[serde(flatten)]
    pub sums: RingSums,
}

/// What accounts that belong together took and put in, ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct RingSums {
    /// Earned, less what was taken back.
    pub bonuses: Usdt,
    /// Credited from outside, less what was taken back.
    pub deposits: Usdt,
    /// Bonuses against deposits, in percent, floored; none without deposits.
    pub ratio: Option<String>,
}

/// All rings together, and those that took most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Rings {
    pub count: i64,
    pub accounts: i64,
    #[serde(flatten)]
    pub sums: RingSums,
    pub largest: Vec<Ring>,
}

/// Bonuses against revenue.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutReport {
    pub first_day: String,
    pub last_day: String,
    pub total: PayoutSums,
    pub days: Vec<PayoutDay>,
    pub months: Vec<PayoutMonth>,
    pub ceiling: PayoutCeiling,
    pub rings: Rings,
}
