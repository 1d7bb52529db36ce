//! SQL of wrong tries.

use super::rules::Past;
use crate::error::Error;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

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

/// One try in several scopes.
pub async fn insert(
    conn: &mut PgConnection,
    scopes: &[String],
    at: OffsetDateTime,
) -> Result<Vec<i64>, Error> {
    Ok(sqlx::query_scalar!(
        "INSERT INTO identity.failure (scope, at) SELECT scope, $2 FROM unnest($1::text[]) AS s(scope) RETURNING id",
        scopes,
        at
    )
    .fetch_all(conn)
    .await?)
}

/// Takes out these tries, and all of these scopes.
pub async fn strike(db: impl PgExecutor<'_>, ids: &[i64], scopes: &[String]) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.failure WHERE id = ANY($1) OR scope = ANY($2)",
        ids,
        scopes
    )
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
