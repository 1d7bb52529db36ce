//! What the real-time part asks of the server: who is there, who may listen, what was missed. Actors hold no SQL.
//!
//! Every call is awaited with a timeout and its failure is an answer ("unavailable"), never the end of a session.

use async_trait::async_trait;
use protocol::{
    ErrorCode, StreamId,
    ids::{SessionId, TicketId, UserId},
    live_event::Numbered,
    permission::Permissions,
};
use time::OffsetDateTime;

/// Who speaks over a socket, as the server knows them at the moment of authentication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub user: UserId,
    pub session: SessionId,
    pub name: String,
    pub permissions: Permissions,
    /// Speaks for the house in tickets.
    pub staff: bool,
    /// The socket lives no longer, unless a newer token comes in band.
    pub expires_at: OffsetDateTime,
}

/// How a socket proves who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// An access token: in the first message, or later as a refresh.
    Token(String),
    /// A one-time ticket, offered as a subprotocol of the handshake.
    Ticket(String),
}

/// Why a question was not answered with yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("refused")]
    Refused,
    /// The database does not answer: try again later.
    #[error("unavailable")]
    Unavailable,
}

/// Where a stream stands in the database; a stream without facts stands at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Head {
    pub epoch: i32,
    pub seq: i64,
}

/// What the database still has of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// The facts `from_seq..`, gap-free and in order, at most `max`; shorter than `max` means that it ends at the head.
    Facts(Vec<Numbered>),
    /// Pruned, or of another epoch: the client has to fetch over REST.
    Gone,
}

/// The stored facts, for resuming and for closing gaps.
#[async_trait]
pub trait Replay: Send + Sync + 'static {
    /// Committed facts of `stream` with numbers `from_seq` and up.
    async fn range(&self, stream: StreamId, epoch: i32, from_seq: i64, max: usize) -> Result<Range, Refusal>;
    /// The last committed number.
    async fn head(&self, stream: StreamId) -> Result<Head, Refusal>;
}

/// Who someone is and what they may listen to.
#[async_trait]
pub trait Gatekeeper: Send + Sync + 'static {
    /// A ticket is used up by this call.
    async fn authenticate(&self, credential: Credential) -> Result<Identity, Refusal>;
    /// Unknown and forbidden streams are both `Ok(false)`.
    async fn may_subscribe(&self, identity: &Identity, stream: StreamId) -> Result<bool, Refusal>;
}

/// What clients tell that has to be stored.
#[async_trait]
pub trait Inbound: Send + Sync + 'static {
    /// Everything up to message `up_to` of the ticket was seen; asked only of sessions that are subscribed to the ticket.
    async fn read(&self, identity: &Identity, ticket: TicketId, up_to: i64) -> Result<(), ErrorCode>;
}
