//! What the server says over a socket, and the close codes with what a client does about each.

use crate::{
    Glimpse, LiveEvent, StreamId,
    error_code::ErrorCode,
    ids::{SessionId, UserId},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use time::OffsetDateTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ServerMessage {
    #[serde(rename_all = "camelCase")]
    Welcome {
        user: UserId,
        session: SessionId,
        #[serde(with = "time::serde::rfc3339")]
        now: OffsetDateTime,
        heartbeat_seconds: u32,
    },
    /// Subscribed at this place; what was missed follows, then what is new.
    Subscribed {
        stream: StreamId,
        epoch: i32,
        seq: i64,
    },
    /// What was missed cannot be replayed: fetch over REST, then apply events above `seq`.
    Reset {
        stream: StreamId,
        epoch: i32,
        seq: i64,
    },
    Event {
        stream: StreamId,
        epoch: i32,
        seq: i64,
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
        event: Box<LiveEvent>,
    },
    Glimpse {
        key: String,
        glimpse: Box<Glimpse>,
    },
    /// No such stream, or not yours: the answer is the same.
    Denied {
        stream: StreamId,
    },
    /// Sent every 25 s ± 10 %: each subscribed stream's current number.
    Heartbeat {
        hb: BTreeMap<StreamId, i64>,
    },
    /// The node is going away: reconnect after a random wait within this window.
    #[serde(rename_all = "camelCase")]
    Drain {
        within_ms: u32,
    },
    Error {
        code: ErrorCode,
    },
}

/// Why a socket was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseReason {
    /// No first message in time: reconnect and authenticate.
    AuthTimeout = 4000,
    /// Token bad or expired: refresh it, then reconnect.
    Unauthenticated = 4001,
    /// Signed out, deactivated or revoked: sign out here too.
    Revoked = 4002,
    /// Permissions changed: fetch /me, then reconnect.
    ScopeChanged = 4003,
    /// Fell too far behind: reconnect and resume.
    Slow = 4004,
    /// Too many connections or messages: wait 30 s.
    TooMany = 4005,
    /// A message that is not of the protocol: a defect of the client; reconnect after a back-off.
    BadMessage = 4006,
    /// The node goes away: reconnect with jitter.
    GoingAway = 4007,
    /// Frame over 64 KB.
    TooLarge = 1009,
}

impl CloseReason {
    pub const ALL: &'static [Self] = &[
        Self::AuthTimeout,
        Self::Unauthenticated,
        Self::Revoked,
        Self::ScopeChanged,
        Self::Slow,
        Self::TooMany,
        Self::BadMessage,
        Self::GoingAway,
        Self::TooLarge,
    ];
    #[must_use]
    pub const fn code(self) -> u16 {
        self as u16
    }
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::AuthTimeout => "auth timeout",
            Self::Unauthenticated => "unauthenticated",
            Self::Revoked => "revoked",
            Self::ScopeChanged => "scope changed",
            Self::Slow => "slow",
            Self::TooMany => "too many",
            Self::BadMessage => "bad message",
            Self::GoingAway => "going away",
            Self::TooLarge => "too large",
        }
    }
}

/// What is spoken over the socket, for the API document; clients are generated from it.
#[must_use]
pub fn words() -> serde_json::Value {
    let schema = |name: &str| serde_json::json!({ "$ref": format!("#/components/schemas/{name}") });
    let closed = |reason: &CloseReason| serde_json::json!({ "code": reason.code(), "reason": reason.text() });
    serde_json::json!({
        "takes": schema("ClientMessage"),
        "sends": schema("ServerMessage"),
        "closes": CloseReason::ALL.iter().map(closed).collect::<Vec<_>>(),
    })
}
