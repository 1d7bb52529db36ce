//! What the network's pages show.

use crate::{affiliates::rules::Leg, identity::service::Social};
use protocol::{
    ids::UserId,
    money::Usdt,
    views::{BinaryNeed, BonusKind, LostReason, MemberStatus, Rank},
};
use serde::Serialize;
use time::OffsetDateTime;

/// A member of the binary tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    #[serde(rename = "_id")]
    pub id: UserId,
    /// Of the nodes of this answer; none for the topmost.
    pub parent: Option<UserId>,
    /// The leg on which the member stands below its parent; none for the topmost.
    pub leg: Option<Leg>,
    /// Steps below the topmost.
    pub level: i32,
    pub username: String,
    pub rank: Option<Rank>,
    pub status: MemberStatus,
    /// Points that the last closing left on each leg.
    pub left_points: Usdt,
    pub right_points: Usdt,
    /// The same with what has come since: what the next closing would match.
    pub left_now: Usdt,
    pub right_now: Usdt,
    /// Whether matched points are paid.
    pub binary_active: bool,
    /// What is missing for it.
    pub binary_needs: Vec<BinaryNeed>,
    /// Whether somebody stands directly below, in this answer or not.
    pub has_left: bool,
    pub has_right: bool,
}

/// The way from the asker down to the topmost member of a part of the tree: both ends by username, what lies between them counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeWay {
    /// From the asker on; empty where the asker is the topmost.
    pub path: Vec<String>,
    pub between: i64,
    /// Down to the topmost; empty where `path` reaches that far.
    pub last: Vec<String>,
}

/// A part of the binary tree: at most six levels below the topmost member, 127 nodes.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BinaryTree {
    /// The one who asks.
    pub me: UserId,
    /// The leg on which new members are placed.
    pub selected_leg: Leg,
    /// The member above the topmost one, as long as it is the asker or stands below: where "up" leads.
    pub up: Option<UserId>,
    pub way: TreeWay,
    /// The day that was closed last (`2026-11-24`): points are of its end. None before the first closing.
    pub closed_day: Option<String>,
    /// The topmost first, then level by level, from left to right. Empty for somebody who waits for a place.
    pub nodes: Vec<TreeNode>,
}

/// Somebody who came by the asker, or by those whom the asker brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
    pub rank: Option<Rank>,
    /// The leg below its sponsor; none while it waits for a place.
    pub leg: Option<Leg>,
    pub status: MemberStatus,
    /// Points of its own licences' sales, less those that were taken back.
    pub points: Usdt,
    /// How many it has brought itself.
    pub references: i64,
    /// Where they are found elsewhere: of whom the asker brought, no others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub social: Option<Social>,
}

/// A month of the team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamMonth {
    /// `2026-11`.
    pub month: String,
    /// Members on each leg at the month's last closing.
    pub left: i64,
    pub right: i64,
    /// Direct referrals who registered in the month.
    pub referrals: i64,
}

/// What bonuses of a type brought in a month, what was taken back left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusMonth {
    /// `2026-11`, of the business day.
    pub month: String,
    pub kind: BonusKind,
    pub level: i16,
    pub paid: Usdt,
    /// What the fund pays as it fills.
    pub waiting: Usdt,
}

/// Points of a leg.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegPoints {
    /// After the last closing.
    pub carried: Usdt,
    /// What reversed sales took beyond it: set off against what comes.
    pub owed: Usdt,
    /// Since then.
    pub fresh: Usdt,
}

/// What the next closing would bring if the day ended now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosingPreview {
    /// Points that both legs have.
    pub matched: Usdt,
    /// In percent.
    pub percentage: String,
    /// The binary bonus on them.
    pub bonus: Usdt,
    /// The residual bonus on what robots of three levels have brought today so far; and what of it would be lost, and why.
    pub residual: Usdt,
    pub residual_lost: Usdt,
    pub residual_lost_reason: Option<LostReason>,
    /// Until when the residual bonus counts what robots brought, where it runs a little behind; none where it counts everything.
    #[serde(with = "time::serde::rfc3339::option")]
    pub residual_as_of: Option<OffsetDateTime>,
    pub points_lost: Usdt,
    pub lost_reason: Option<LostReason>,
    pub binary_active: bool,
    pub binary_needs: Vec<BinaryNeed>,
    /// The summed value of active licences: the most that a day's binary bonus may be.
    pub daily_cap: Usdt,
    /// What the network may still pay on them.
    pub ceiling_left: Usdt,
}

/// A member's network at a glance.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkDashboard {
    /// The day that was closed last; none before the first closing.
    pub closed_day: Option<String>,
    pub referrals: i64,
    pub active_referrals: i64,
    /// Members on each leg at the last closing.
    pub left_members: i64,
    pub right_members: i64,
    pub left: LegPoints,
    pub right: LegPoints,
    /// Points that were matched and paid, ever: what ranks count.
    pub paid_points: Usdt,
    pub rank: Option<Rank>,
    /// The last twelve months, oldest first.
    pub growth: Vec<TeamMonth>,
    /// Of the last twelve months.
    pub bonuses: Vec<BonusMonth>,
    pub tonight: ClosingPreview,
}
