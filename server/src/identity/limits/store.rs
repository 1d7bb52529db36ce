//! SQL of wrong tries.

use super::rules::{Count, Past};
use crate::error::Error;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// The tries of several counts, and with `noted` this one in each of them. Holds the counts, in their order, until the transaction
/// ends: tries at once are judged one after another.
pub async fn tries(
    conn: &mut PgConnection,
    counts: &[Count],
    now: OffsetDateTime,
    noted: bool,
) -> Result<Vec<(Past, Option<i64>)>, Error> {
    let scopes: Vec<&str> = counts.iter().map(|c| c.scope.as_str()).collect();
    let sinces: Vec<OffsetDateTime> = counts.iter().map(|c| now - c.rule.span()).collect();
    let nths: Vec<i64> = counts.iter().map(|c| c.rule.most()).collect();
    let rows = sqlx::query!(
        r#"SELECT count AS "count!", newest, nth, id FROM identity.tries($1, $2, $3, $4, $5)"#,
        &scopes as &[&str],
        &sinces,
        &nths,
        now,
        noted
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let past = Past {
                count: r.count,
                newest: r.newest,
                nth: r.nth,
            };
            (past, r.id)
        })
        .collect())
}

/// Takes out these tries, and all of these scopes; a mailed code that was right gets back its try.
pub async fn strike(
    db: impl PgExecutor<'_>,
    ids: &[i64],
    scopes: &[String],
    code: Option<Uuid>,
) -> Result<(), Error> {
    sqlx::query!(
        "WITH back AS (UPDATE identity.code SET attempts = GREATEST(attempts - 1, 0) WHERE id = $3)
         DELETE FROM identity.failure WHERE id = ANY($1) OR scope = ANY($2)",
        ids,
        scopes,
        code
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes out all tries in scopes that begin like this, up to a colon: before the sign that follows it.
pub async fn strike_beginning(db: impl PgExecutor<'_>, beginnings: &[String]) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.failure f USING unnest($1::text[]) AS b(beginning)
         WHERE f.scope ~>=~ b.beginning AND f.scope ~<~ (left(b.beginning, -1) || ';')",
        beginnings
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
