//! What manual operations look like.

use protocol::{
    ErrorCode,
    ids::LicenceId,
    money::Usdt,
    views::{ManualOrderView, Mode},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Takes the next opportunity of a route, or of any, with one's own robot.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManualWish {
    pub licence: LicenceId,
    /// As the board shows it; without it whichever comes first.
    #[serde(default)]
    pub route: Option<String>,
}

/// Which robot's manual operations are asked for.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ManualRobot {
    pub licence: LicenceId,
}

/// Whether a robot may operate at its owner's word now, and what came of the latest orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManualDesk {
    pub licence: LicenceId,
    pub ready: bool,
    /// Why not: the code that an order would be refused with.
    #[schema(value_type = Option<String>)]
    pub refusal: Option<ErrorCode>,
    /// When waiting will be over: the turn's minute, or the minute from which the capital takes part.
    #[serde(with = "time::serde::rfc3339::option")]
    pub next_at: Option<OffsetDateTime>,
    /// The most that one operation may take of the robot now.
    pub maximum: Usdt,
    /// An opportunity with less is not for this robot: percent, four decimals.
    pub minimum_edge: String,
    /// Of which less is left is nobody's.
    pub minimum_volume: Usdt,
    /// The newest ten.
    pub orders: Vec<ManualOrderView>,
}

/// Operations of a day that came about in one way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManualDaySide {
    pub operations: i64,
    pub volume: Usdt,
    /// As the market made it, before ceilings.
    pub net: Usdt,
    /// Net result in percent of the volume, four decimals; none without volume.
    pub edge: Option<String>,
}

/// A business day of the desk in one mode: what owners ordered beside what cohorts did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManualDay {
    pub day: String,
    pub mode: Mode,
    pub manual: ManualDaySide,
    pub cohort: ManualDaySide,
}
