//! What is asked of copying and what it looks like.

use crate::foundation::amounts;
use protocol::{
    ErrorCode,
    ids::LicenceId,
    money::Usdt,
    views::{LeaderEnd, Mode},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A robot that others may follow, or once could: its results in the world's mode, losses too, up to the day on which it
/// stopped leading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaderView {
    /// The licence.
    #[serde(rename = "_id")]
    pub id: LicenceId,
    /// The owner's username.
    pub name: String,
    /// The caller's own.
    pub own: bool,
    pub high_risk: bool,
    /// It takes followers now.
    pub open: bool,
    #[serde(with = "time::serde::rfc3339")]
    pub opened_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    pub closed_at: Option<OffsetDateTime>,
    /// Why it no longer leads.
    pub why: Option<LeaderEnd>,
    /// Since its first operation.
    pub days: i64,
    pub operations: i64,
    pub gains: Usdt,
    /// ≥ 0.
    pub losses: Usdt,
    pub net: Usdt,
    /// Percent of the capital that was at work, over the days that are closed; none while there is nothing to divide by.
    #[serde(rename = "return")]
    pub rate: Option<String>,
    /// The least net result of a day; below zero unless no day brought a loss.
    pub worst_day: Option<Usdt>,
    pub followers: i64,
    /// One of the caller's robots follows it.
    pub followed_by_me: bool,
    pub mode: Mode,
}

/// Whether one's own robot leads, and what it lacks to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadingView {
    pub licence: LicenceId,
    pub open: bool,
    /// Since its first operation.
    pub days: i64,
    pub operations: i64,
    pub needed_days: i64,
    pub needed_operations: i64,
    pub allocated: Usdt,
    /// Of what the robots that trade have allocated.
    pub median: Usdt,
    pub eligible: bool,
    /// Codes of the refusals that opening would meet.
    #[schema(value_type = Vec<String>)]
    pub missing: Vec<ErrorCode>,
    pub followers: i64,
}

/// Opens a robot to followers, or closes it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeadingOrder {
    pub licence: LicenceId,
    pub open: bool,
}

/// Lets one's own robot copy another.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FollowOrder {
    pub licence: LicenceId,
    pub leader: LicenceId,
    /// From 1 USDT to what is allocated: the copying ends when the robot has lost that much.
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub maximum_loss: Usdt,
}
