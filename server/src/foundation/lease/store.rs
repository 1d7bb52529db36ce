//! SQL of the leases.

use crate::error::Error;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn acquire(
    pool: &PgPool,
    name: &str,
    holder: Uuid,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<Option<i64>, Error> {
    Ok(sqlx::query_scalar!(
        "INSERT INTO foundation.lease AS l (name, holder, fence, expires_at) VALUES ($1, $2, 1, $4)
         ON CONFLICT (name) DO UPDATE SET
             fence = CASE WHEN l.holder = $2 THEN l.fence ELSE l.fence + 1 END, holder = $2, expires_at = $4
         WHERE l.holder = $2 OR l.expires_at < $3
         RETURNING fence",
        name,
        holder,
        now,
        until
    )
    .fetch_optional(pool)
    .await?)
}

pub async fn release(pool: &PgPool, name: &str, fence: i64, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("UPDATE foundation.lease SET expires_at = $3::timestamptz - interval '1 second' WHERE name = $1 AND fence = $2", name, fence, now)
        .execute(pool)
        .await?;
    Ok(())
}

pub async fn is_current(conn: &mut PgConnection, name: &str, fence: i64) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT fence FROM foundation.lease WHERE name = $1 FOR SHARE",
        name
    )
    .fetch_optional(conn)
    .await?
        == Some(fence))
}

pub async fn is_held(db: impl PgExecutor<'_>, name: &str, now: OffsetDateTime) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM foundation.lease WHERE name = $1 AND expires_at >= $2) AS "held!""#,
        name,
        now
    )
    .fetch_one(db)
    .await?)
}
