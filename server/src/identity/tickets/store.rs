//! SQL of the socket tickets.

use crate::error::Error;
use protocol::ids::SessionId;
use sqlx::PgPool;
use time::OffsetDateTime;

/// Stores a ticket; sweeps the session's expired ones on the way.
pub async fn insert(
    pool: &PgPool,
    hash: &[u8],
    session: SessionId,
    expires_at: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "WITH swept AS (DELETE FROM identity.ws_ticket WHERE session = $2 AND expires_at < $4)
         INSERT INTO identity.ws_ticket (hash, session, expires_at) VALUES ($1, $2, $3)",
        hash,
        session.0,
        expires_at,
        now
    )
    .execute(pool)
    .await?;
    Ok(())
}

pub async fn consume(pool: &PgPool, hash: &[u8], now: OffsetDateTime) -> Result<Option<SessionId>, Error> {
    let row = sqlx::query!(
        "DELETE FROM identity.ws_ticket WHERE hash = $1 RETURNING session, expires_at",
        hash
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.filter(|r| r.expires_at > now).map(|r| SessionId(r.session)))
}

pub async fn prune(pool: &PgPool, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.ws_ticket WHERE expires_at < $1", now)
        .execute(pool)
        .await?;
    Ok(())
}
