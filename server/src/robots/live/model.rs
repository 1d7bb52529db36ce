//! Bodies of the calls of live trading.

use protocol::views::LiveSwitchView;
pub use protocol::views::{LiveMissing, LiveSwitchState};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Whether operations go to a real venue, and what stands in the way.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveTrading {
    /// Both persons have switched it on, and nothing is missing.
    pub on: bool,
    /// What this installation lacks for it.
    pub missing: Vec<LiveMissing>,
    /// The newest request; none: nobody ever asked.
    pub switch: Option<LiveSwitchView>,
    /// Operations at the venue that are not booked yet.
    pub open_operations: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    pub open_since: Option<OffsetDateTime>,
}

/// Asks for live trading.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LiveWish {
    /// `REAL`, typed.
    pub word: String,
    pub reason: String,
}
