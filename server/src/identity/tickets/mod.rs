//! One-time tickets for the socket's handshake: 30 s, one use, stored hashed.

mod store;

use super::caller::Caller;
use crate::{error::Error, foundation::context::Context};
use protocol::{ErrorCode, ids::SessionId};
use sha2::{Digest, Sha256};
use time::Duration;

/// Life of a ticket.
pub const LIFE_SECONDS: i64 = 30;

fn hash(ticket: &str) -> Vec<u8> {
    Sha256::digest(ticket.as_bytes()).to_vec()
}

/// A ticket for the caller's session: 256 random bits.
///
/// # Errors
/// `service.unavailable` when the database cannot be reached.
pub async fn issue(context: &Context, caller: &Caller) -> Result<String, Error> {
    let ticket = data_encoding::BASE64URL_NOPAD.encode(&rand::random::<[u8; 32]>());
    let now = context.now();
    store::insert(
        context.db.pool(),
        &hash(&ticket),
        caller.session,
        now + Duration::seconds(LIFE_SECONDS),
        now,
    )
    .await?;
    Ok(ticket)
}

/// Uses a ticket up.
///
/// # Errors
/// `auth.unauthenticated` for an unknown, used or expired one.
pub async fn consume(context: &Context, ticket: &str) -> Result<SessionId, Error> {
    let session = store::consume(context.db.pool(), &hash(ticket), context.now()).await?;
    session.ok_or_else(|| Error::code(ErrorCode::Unauthenticated))
}

/// Forgets tickets that nobody used.
///
/// # Errors
/// `service.unavailable` when the database cannot be reached.
pub async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::SOCKET_TICKETS).await
}
