//! SQL of pruning.

use crate::error::Error;
use sqlx::PgConnection;
use time::OffsetDateTime;

pub async fn prune(
    conn: &mut PgConnection,
    facts_before: OffsetDateTime,
    answers_before: OffsetDateTime,
    effects_before: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!("DELETE FROM foundation.event WHERE at < $1", facts_before)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "DELETE FROM foundation.idempotency WHERE created_at < $1",
        answers_before
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM foundation.job_done WHERE done_at < $1",
        effects_before
    )
    .execute(conn)
    .await?;
    Ok(())
}
