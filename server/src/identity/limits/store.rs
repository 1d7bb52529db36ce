//! SQL of wrong tries.

use crate::error::Error;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

pub struct Past {
    pub count: i64,
    pub newest: Option<OffsetDateTime>,
    /// The n-th newest.
    pub nth: Option<OffsetDateTime>,
}

/// A scope's tries since a moment. Holds the scope until the transaction ends: tries at once are judged one after another.
pub async fn past(
    conn: &mut PgConnection,
    scope: &str,
    since: OffsetDateTime,
    nth: i64,
) -> Result<Past, Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended($1, 12))", scope)
        .execute(&mut *conn)
        .await?;
    Ok(sqlx::query_as!(
        Past,
        r#"SELECT count(*) AS "count!", max(at) AS newest,
                  (SELECT at FROM identity.failure WHERE scope = $1 AND at > $2 ORDER BY at DESC OFFSET $3 LIMIT 1) AS nth
           FROM identity.failure WHERE scope = $1 AND at > $2"#,
        scope,
        since,
        nth - 1
    )
    .fetch_one(conn)
    .await?)
}

pub async fn insert(conn: &mut PgConnection, scope: &str, at: OffsetDateTime) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        "INSERT INTO identity.failure (scope, at) VALUES ($1, $2) RETURNING id",
        scope,
        at
    )
    .fetch_one(conn)
    .await?)
}

pub async fn strike(db: impl PgExecutor<'_>, id: i64) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.failure WHERE id = $1", id)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn forgive(db: impl PgExecutor<'_>, scope: &str) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.failure WHERE scope = $1", scope)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.failure WHERE at < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
