//! SQL of the first answers.

use super::Key;
use crate::error::Error;
use sqlx::PgConnection;
use time::OffsetDateTime;

pub async fn lock(conn: &mut PgConnection, key: &Key) -> Result<(), Error> {
    let name = key.ledger_key();
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended($1, 7))", name)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn find(
    conn: &mut PgConnection,
    key: &Key,
) -> Result<Option<(Vec<u8>, u16, serde_json::Value)>, Error> {
    let row = sqlx::query!(
        "SELECT body_hash, status, response FROM foundation.idempotency WHERE user_id = $1 AND route = $2 AND key = $3",
        key.user.0,
        key.route,
        key.key
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| (r.body_hash, u16::try_from(r.status).unwrap_or(200), r.response)))
}

pub async fn keep(
    conn: &mut PgConnection,
    key: &Key,
    status: u16,
    body: serde_json::Value,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO foundation.idempotency (user_id, route, key, body_hash, status, response, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        key.user.0,
        key.route,
        key.key,
        key.body_hash,
        i16::try_from(status).unwrap_or(200),
        body,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
