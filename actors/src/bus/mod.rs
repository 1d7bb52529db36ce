//! Between the nodes: facts, glimpses, presence and control words, as fast as they come and never waited for.
//!
//! Nothing that matters depends on a bus: facts also come by the outbox poll, only later. Control words (a revoked session,
//! a changed scope) are kept and sent again when the bus comes back.

pub mod in_process;
pub mod redis;

use protocol::{
    Glimpse, StreamId,
    glimpse::Present,
    ids::{NodeId, SessionId, TicketId, UserId},
    live_event::Numbered,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What every node has to do or to know at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// A session was signed out or taken away.
    RevokeSession(SessionId),
    /// All sessions of a user were.
    RevokeUser(UserId),
    /// A user's permissions changed.
    ScopeChanged(UserId),
    /// Something that servers keep in memory is out of date; the name is theirs.
    Invalidate(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BusMessage {
    Facts(Vec<Arc<Numbered>>),
    Glimpse(Glimpse),
    /// Who has the ticket open on the sending node.
    Presence {
        ticket: TicketId,
        users: Vec<Present>,
    },
    /// "Who of yours has this ticket open?"
    PresenceAsked {
        ticket: TicketId,
    },
    Control(Control),
}

impl BusMessage {
    /// Must reach the other nodes even if the bus is away for a while.
    #[must_use]
    pub const fn lasting(&self) -> bool {
        matches!(self, Self::Control(_))
    }
}

/// Takes what other nodes say: the sender, and the message.
pub type Sink = Arc<dyn Fn(NodeId, BusMessage) + Send + Sync>;

pub trait Bus: Send + Sync + 'static {
    /// Says something to all other nodes. Never blocks; what a full or absent bus cannot take is dropped, unless it is lasting.
    fn publish(&self, message: BusMessage);
    /// Whom to tell what others say; called once, when the node starts.
    fn attach(&self, sink: Sink);
    /// Whether messages flow at this moment.
    fn connected(&self) -> bool;
}

/// The stream a glimpse belongs to, if it belongs to one.
#[must_use]
pub const fn stream_of(glimpse: &Glimpse) -> Option<StreamId> {
    match glimpse {
        Glimpse::Typing { ticket, .. } | Glimpse::Presence { ticket, .. } => Some(StreamId::Ticket(*ticket)),
        Glimpse::Deciding { queue, .. } => Some(StreamId::Queue(*queue)),
        Glimpse::Confirmations { user, .. } => Some(StreamId::User(*user)),
        Glimpse::DeskStats(_)
        | Glimpse::FeedHealth(_)
        | Glimpse::Opportunity(_)
        | Glimpse::Quote(_)
        | Glimpse::PyxBook(_)
        | Glimpse::PyxTrade(_)
        | Glimpse::PresaleRound(_) => None,
    }
}
