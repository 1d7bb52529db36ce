//! Passing sights: prices, desk figures, typing, presence. The latest wins, nothing is stored, losing one does no harm.

use crate::{
    client_message::Topic,
    ids::{ChainDepositId, TicketId, UserId},
    pyx::{PresaleProgress, PyxBook, PyxTradeView},
    stream_id::Queue,
    views::{DeskHalt, Mode, wire},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Glimpse {
    #[serde(rename = "typing")]
    Typing {
        ticket: TicketId,
        user: UserId,
        name: String,
        on: bool,
    },
    /// Who has the ticket open now.
    #[serde(rename = "presence")]
    Presence { ticket: TicketId, users: Vec<Present> },
    /// A colleague has opened the decision on an item.
    #[serde(rename = "deciding")]
    Deciding {
        queue: Queue,
        item: uuid::Uuid,
        user: UserId,
        name: String,
        on: bool,
    },
    /// A payment to this user sinks deeper into the chain.
    #[serde(rename = "confirmations")]
    Confirmations {
        user: UserId,
        deposit: ChainDepositId,
        confirmations: u32,
        needed: u32,
    },
    #[serde(rename = "desk.stats")]
    DeskStats(DeskStats),
    /// How the venues of the desk's feed are doing.
    #[serde(rename = "feed.health")]
    FeedHealth(FeedsView),
    #[serde(rename = "opportunity")]
    Opportunity(OpportunityView),
    #[serde(rename = "quote")]
    Quote(QuoteView),
    /// The depth of the book PYX/USDT.
    #[serde(rename = "pyx.book")]
    PyxBook(PyxBook),
    /// The newest trade of PYX.
    #[serde(rename = "pyx.trade")]
    PyxTrade(PyxTradeView),
    /// How far the running round is sold.
    #[serde(rename = "pyx.round")]
    PresaleRound(PresaleProgress),
}

impl Glimpse {
    /// Glimpses with the same key replace each other: at most five a second of one key reach a session.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Typing { ticket, user, .. } => format!("typing:{ticket}:{user}"),
            Self::Presence { ticket, .. } => format!("presence:{ticket}"),
            Self::Deciding { item, user, .. } => format!("deciding:{item}:{user}"),
            Self::Confirmations { deposit, .. } => format!("confirmations:{deposit}"),
            Self::DeskStats(_) => "desk.stats".into(),
            Self::FeedHealth(_) => "feed.health".into(),
            Self::Opportunity(o) => format!("opportunity:{}", o.route),
            Self::Quote(q) => format!("quote:{}:{}", q.venue, q.symbol),
            Self::PyxBook(_) => "pyx.book".into(),
            Self::PyxTrade(_) => "pyx.trade".into(),
            Self::PresaleRound(_) => "pyx.round".into(),
        }
    }

    /// The topic it is shown under, if it belongs to no stream.
    #[must_use]
    pub const fn topic(&self) -> Option<Topic> {
        match self {
            Self::Typing { .. }
            | Self::Presence { .. }
            | Self::Deciding { .. }
            | Self::Confirmations { .. } => None,
            Self::DeskStats(_) | Self::FeedHealth(_) | Self::Opportunity(_) | Self::Quote(_) => {
                Some(Topic::Desk)
            }
            Self::PyxBook(_) | Self::PyxTrade(_) | Self::PresaleRound(_) => Some(Topic::Pyx),
        }
    }
}

wire! {
    pub struct Present {
        pub id: UserId,
        pub name: String,
        pub staff: bool,
    }

    /// What the desk is doing right now.
    pub struct DeskStats {
        pub feed: String,
        pub mode: Mode,
        pub running: bool,
        pub quotes_per_second: u32,
        pub opportunities_per_minute: u32,
        pub operations_per_minute: u32,
        pub robots: u32,
        /// Why it begins nothing, if it does not.
        pub halted: Option<DeskHalt>,
    }

    /// The desk's feed on the node that runs it.
    pub struct FeedsView {
        pub feed: String,
        /// None before any desk has ever run.
        pub mode: Option<Mode>,
        pub running: bool,
        pub venues: Vec<VenueView>,
    }

    /// A venue of the feed. What nobody measured is null.
    pub struct VenueView {
        pub venue: String,
        pub connected: bool,
        #[serde(with = "time::serde::rfc3339::option")]
        pub since: Option<OffsetDateTime>,
        pub quotes_per_second: u32,
        /// Half of the way of a ping and its answer.
        pub latency_ms: Option<i64>,
        /// Our clock less the venue's.
        pub skew_ms: Option<i64>,
        pub reconnects: u32,
        #[serde(with = "time::serde::rfc3339::option")]
        pub last_quote_at: Option<OffsetDateTime>,
    }

    /// An opportunity on the board; prices and quantities as decimal strings.
    pub struct OpportunityView {
        pub route: String,
        /// Net edge in percent, four decimals.
        pub edge: String,
        /// USDT that the depth along the legs allows.
        pub size: String,
        pub age_ms: u32,
    }

    pub struct QuoteView {
        pub venue: String,
        pub symbol: String,
        pub bid: String,
        pub ask: String,
    }
}
