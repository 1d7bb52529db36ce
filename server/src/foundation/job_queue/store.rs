//! SQL of the job queue.

use super::{back_off, parked::Parked};
use crate::error::Error;
use sqlx::{PgConnection, PgExecutor};
use time::{Duration, OffsetDateTime};

/// A job that this process has taken for `LOCK`; if the process dies, another takes it when the lock runs out.
#[derive(Clone, Debug)]
pub struct Claimed {
    pub id: i64,
    pub kind: String,
    pub effect: String,
    pub payload: serde_json::Value,
    pub attempts: i32,
    pub max_attempts: i32,
}

const LOCK: Duration = Duration::seconds(60);

/// Takes up to `max` due jobs.
pub async fn claim(db: impl PgExecutor<'_>, now: OffsetDateTime, max: i64) -> Result<Vec<Claimed>, Error> {
    let rows = sqlx::query_as!(
        Claimed,
        "UPDATE foundation.job SET state = 'running', locked_until = $2, attempts = attempts + 1
         WHERE id IN (
             SELECT id FROM foundation.job
             WHERE state <> 'parked' AND run_at <= $1 AND (state = 'waiting' OR locked_until < $1)
             ORDER BY run_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
         RETURNING id, kind, effect, payload, attempts, max_attempts",
        now,
        now + LOCK,
        max
    )
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// Jobs that are still under way stay with who has them.
pub async fn keep(db: impl PgExecutor<'_>, ids: &[i64], now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE foundation.job SET locked_until = $2 WHERE id = ANY($1) AND state = 'running'",
        ids,
        now + LOCK
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Marks a job's effect as done; call it in the transaction that brings the effect about.
/// `false` when another process has already done it: the caller must roll back.
pub async fn complete(conn: &mut PgConnection, job: &Claimed, now: OffsetDateTime) -> Result<bool, Error> {
    let fresh = sqlx::query!(
        "INSERT INTO foundation.job_done (effect, kind, done_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        job.effect,
        job.kind,
        now
    )
    .execute(&mut *conn)
    .await?
    .rows_affected()
        == 1;
    sqlx::query!("DELETE FROM foundation.job WHERE id = $1", job.id)
        .execute(conn)
        .await?;
    Ok(fresh)
}

/// Gives a failed job back for later, or parks it after its last attempt; returns whether it was parked.
pub async fn fail(
    db: impl PgExecutor<'_>,
    job: &Claimed,
    reason: &str,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let park = job.attempts >= job.max_attempts;
    let state = if park { "parked" } else { "waiting" };
    sqlx::query!(
        "UPDATE foundation.job SET state = $2, run_at = $3, locked_until = NULL, last_error = left($4, 500) WHERE id = $1",
        job.id,
        state,
        now + back_off(job.attempts),
        reason
    )
    .execute(db)
    .await?;
    Ok(park)
}

/// Whether a job of a kind that could have begun before a moment has not.
pub async fn is_late(db: impl PgExecutor<'_>, kind: &str, before: OffsetDateTime) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM foundation.job
                          WHERE state <> 'parked' AND state = 'waiting' AND run_at < $2 AND kind = $1) AS "late!""#,
        kind,
        before
    )
    .fetch_one(db)
    .await?)
}

/// The jobs that are parked, at most so many, the oldest first.
pub async fn parked(db: impl PgExecutor<'_>, most: i64) -> Result<Vec<Parked>, Error> {
    Ok(sqlx::query_as!(
        Parked,
        "SELECT id, kind, effect, created_at, last_error FROM foundation.job WHERE state = 'parked' ORDER BY id LIMIT $1",
        most
    )
    .fetch_all(db)
    .await?)
}

/// How many jobs are parked.
pub async fn count_parked(db: impl PgExecutor<'_>) -> Result<i64, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT count(*) AS "n!" FROM foundation.job WHERE state = 'parked'"#)
            .fetch_one(db)
            .await?,
    )
}

/// What stands in the queue of one kind.
pub struct Waiting {
    pub kind: String,
    /// Jobs whose time has come.
    pub due: i64,
    /// Since when the first of them could run.
    pub oldest: Option<OffsetDateTime>,
    pub parked: i64,
}

/// The queue by kind; kinds without a job are absent. A job that is done has no row.
pub async fn waiting(db: impl PgExecutor<'_>, now: OffsetDateTime) -> Result<Vec<Waiting>, Error> {
    Ok(sqlx::query_as!(
        Waiting,
        r#"SELECT kind, count(*) FILTER (WHERE state <> 'parked' AND run_at <= $1) AS "due!",
                  min(run_at) FILTER (WHERE state <> 'parked' AND run_at <= $1) AS oldest,
                  count(*) FILTER (WHERE state = 'parked') AS "parked!"
           FROM foundation.job GROUP BY kind"#,
        now
    )
    .fetch_all(db)
    .await?)
}

/// Sends a parked job round again; its kind, none where no such job is parked.
pub async fn retry(conn: &mut PgConnection, id: i64, now: OffsetDateTime) -> Result<Option<String>, Error> {
    Ok(sqlx::query_scalar!(
        "UPDATE foundation.job SET state = 'waiting', run_at = $2, attempts = 0 WHERE id = $1 AND state = 'parked' RETURNING kind",
        id,
        now
    )
    .fetch_optional(conn)
    .await?)
}

/// Sends those of these effects that are parked round again.
pub async fn revive(db: impl PgExecutor<'_>, effects: &[String], now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE foundation.job SET state = 'waiting', run_at = $2, attempts = 0 WHERE effect = ANY($1) AND state = 'parked'",
        effects,
        now
    )
    .execute(db)
    .await?;
    Ok(())
}
