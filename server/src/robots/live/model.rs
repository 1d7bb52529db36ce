//! Bodies of the calls of live trading.

use protocol::money::Usdt;
use protocol::views::LiveSwitchView;
pub use protocol::views::{LiveMissing, LiveSwitchState};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

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
    /// When the oldest of them began.
    #[serde(with = "time::serde::rfc3339::option")]
    pub open_since: Option<OffsetDateTime>,
    /// Capital that stays reserved until they are over.
    pub open_capital: Usdt,
    /// Nobody can end them: this installation has no keys of the venue.
    pub stranded: bool,
}

/// What operations that are over have left at the venue at no value, by asset.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveResidues {
    pub assets: Vec<LiveResidue>,
    /// Booked operations that left something.
    pub operations: i64,
    /// All booked operations.
    pub booked: i64,
}

/// One asset's leftovers.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveResidue {
    pub asset: String,
    /// Their sum, in units of the asset.
    #[schema(example = "0.00001234")]
    pub amount: String,
    pub operations: i64,
    #[serde(with = "time::serde::rfc3339")]
    pub last_at: OffsetDateTime,
}

/// Which request somebody confirms: the one that they have seen.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveConfirmation {
    pub id: Uuid,
}

/// Asks for live trading.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LiveWish {
    /// `REAL`, typed.
    pub word: String,
    pub reason: String,
}
