//! An export as its owner sees it.

use protocol::ids::{DataExportId, FileId, UserId};
use serde::Serialize;
use time::OffsetDateTime;

/// Where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataExportState {
    /// It is being made.
    Asked,
    /// It can be downloaded until it expires.
    Ready,
    /// Its file is gone.
    Expired,
}

impl DataExportState {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Ready => "ready",
            Self::Expired => "expired",
        }
    }
}

impl std::str::FromStr for DataExportState {
    type Err = ();
    fn from_str(s: &str) -> Result<Self, ()> {
        [Self::Asked, Self::Ready, Self::Expired]
            .into_iter()
            .find(|state| state.as_str() == s)
            .ok_or(())
    }
}

/// An export, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    pub id: DataExportId,
    pub owner: UserId,
    pub state: DataExportState,
    pub file: Option<FileId>,
    pub bytes: Option<i64>,
    pub asked_at: OffsetDateTime,
    pub ready_at: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub downloaded_at: Option<OffsetDateTime>,
}

/// A file with all that is kept about oneself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataExportView {
    #[serde(rename = "_id")]
    pub id: DataExportId,
    pub state: DataExportState,
    #[serde(with = "time::serde::rfc3339")]
    pub asked_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    pub ready_at: Option<OffsetDateTime>,
    /// When the file goes.
    #[serde(with = "time::serde::rfc3339::option")]
    pub expires_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub downloaded_at: Option<OffsetDateTime>,
    pub bytes: Option<i64>,
}

impl From<Export> for DataExportView {
    fn from(e: Export) -> Self {
        Self {
            id: e.id,
            state: e.state,
            asked_at: e.asked_at,
            ready_at: e.ready_at,
            expires_at: e.expires_at,
            downloaded_at: e.downloaded_at,
            bytes: e.bytes,
        }
    }
}

/// One's own exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataExports {
    /// The newest first, at most ten.
    pub data: Vec<DataExportView>,
    /// From when another may be asked for; none: now.
    #[serde(with = "time::serde::rfc3339::option")]
    pub next_at: Option<OffsetDateTime>,
}
