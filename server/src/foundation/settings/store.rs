//! SQL of the settings.

use crate::error::Error;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn in_force(
    db: impl PgExecutor<'_>,
    now: OffsetDateTime,
) -> Result<Option<(i32, serde_json::Value)>, Error> {
    let row = sqlx::query!("SELECT version, body FROM foundation.settings WHERE effective_at <= $1 ORDER BY version DESC LIMIT 1", now)
        .fetch_optional(db)
        .await?;
    Ok(row.map(|r| (r.version, r.body)))
}

pub async fn version(db: impl PgExecutor<'_>, version: i32) -> Result<Option<serde_json::Value>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT body FROM foundation.settings WHERE version = $1", version)
            .fetch_optional(db)
            .await?,
    )
}

pub async fn insert(
    db: impl PgExecutor<'_>,
    body: serde_json::Value,
    effective_at: OffsetDateTime,
    author: Option<Uuid>,
    reason: &str,
) -> Result<i32, Error> {
    Ok(sqlx::query_scalar!(
        "INSERT INTO foundation.settings (body, effective_at, author, reason) VALUES ($1, $2, $3, $4) RETURNING version",
        body,
        effective_at,
        author,
        reason
    )
    .fetch_one(db)
    .await?)
}
