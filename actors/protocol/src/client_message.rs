//! What a browser may say over its socket; unknown fields and unknown words are refused.

use crate::{StreamId, ids::TicketId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ClientMessage {
    /// The first message: a fresh access token.
    Auth {
        token: String,
    },
    /// A newer access token for the same session.
    Refresh {
        token: String,
    },
    /// From now on (no epoch and seq), or from the given place: missed facts first, in order.
    Subscribe {
        stream: StreamId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<i64>,
    },
    Unsubscribe {
        stream: StreamId,
    },
    /// Glimpses of a topic, e.g. `desk`.
    Watch {
        topic: Topic,
    },
    Unwatch {
        topic: Topic,
    },
    Typing {
        ticket: TicketId,
        on: bool,
    },
    /// Everything up to this message number was seen.
    #[serde(rename_all = "camelCase")]
    Read {
        ticket: TicketId,
        up_to: i64,
    },
    /// "I have this item's decision open."
    Deciding {
        queue: crate::stream_id::Queue,
        item: uuid::Uuid,
        on: bool,
    },
    Hb,
}

/// A glimpse topic that stands by itself (ticket glimpses come with the ticket's stream).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Topic {
    Desk,
    /// The pre-sale's progress, the book PYX/USDT and its trades.
    Pyx,
}

impl Topic {
    pub const ALL: [Self; 2] = [Self::Desk, Self::Pyx];

    /// Its place in [`Self::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Desk => 0,
            Self::Pyx => 1,
        }
    }
}
