//! What robots look like.

use protocol::{
    ids::LicenceId,
    money::Usdt,
    views::{LicenceView, Mode, RobotStatus},
};
use serde::{Deserialize, Serialize};

/// One's own results: money at work and what it brought, in the world's mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyResults {
    pub mode: Mode,
    /// What the person owns: `available`, `held`, `bonus`, pools and everything in licences, less loans and debt.
    pub total: Usdt,
    pub available: Usdt,
    pub bonus: Usdt,
    /// Principal in pools.
    pub pools: Usdt,
    pub price: Usdt,
    pub topup: Usdt,
    pub allocated: Usdt,
    #[serde(rename = "yield")]
    pub yield_balance: Usdt,
    pub today: Usdt,
    pub total_gain: Usdt,
    pub total_loss: Usdt,
    pub operations: i64,
    /// Days on which yield may leave, and the next of them.
    pub yield_days: Vec<u8>,
    pub next_yield_day: Option<String>,
    /// Licences whose robot operates or has reached its goal.
    pub robots: Vec<LicenceView>,
}

/// The answer of my-results, under the name that its callers know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MyResultsAnswer {
    #[serde(rename = "myResults")]
    pub my_results: MyResults,
}

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
