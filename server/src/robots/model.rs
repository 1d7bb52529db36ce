//! What robots look like.

use protocol::{ids::LicenceId, views::RobotStatus};
use serde::{Deserialize, Serialize};

/// A robot's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotConfig {
    pub licence: LicenceId,
    pub status: RobotStatus,
    pub paused: bool,
    pub manual_key: bool,
    /// Staff have taken the key away: it cannot be switched on.
    pub manual_revoked: bool,
    /// Percent of what is allocated.
    pub daily_gain_goal: String,
    pub minimum_goal: String,
    pub maximum_goal: String,
}

/// Which robot's settings are asked for.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichRobot {
    pub licence: LicenceId,
}
