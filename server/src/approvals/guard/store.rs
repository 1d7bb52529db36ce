//! SQL of the guard: the rolling limits and young money.

use super::Outbound;
use crate::error::Error;
use protocol::{
    ids::{OutboundId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// One person's outgoing requests follow one another, so that two at once cannot both find the limit free.
pub async fn lock(conn: &mut PgConnection, user: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 6))",
        user.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn insert(
    conn: &mut PgConnection,
    id: OutboundId,
    out: &Outbound<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.outbound (id, user_id, action, usdt, counterparty, at) VALUES ($1, $2, $3, $4, $5, $6)",
        id.0,
        out.user.0,
        out.action.as_str(),
        out.usdt.0,
        out.counterparty.map(|c| c.0),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn release(conn: &mut PgConnection, id: OutboundId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.outbound SET released_at = $2 WHERE id = $1 AND released_at IS NULL",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What left since then.
pub async fn used(conn: &mut PgConnection, user: UserId, since: OffsetDateTime) -> Result<Usdt, Error> {
    let sum = sqlx::query_scalar!(
        r#"SELECT foundation.clamped(COALESCE(sum(usdt), 0)) AS "sum!" FROM approvals.outbound
           WHERE user_id = $1 AND at > $2 AND released_at IS NULL"#,
        user.0,
        since
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(sum))
}

/// How much money is young, and until when the last of it is.
pub async fn young(
    conn: &mut PgConnection,
    user: UserId,
    now: OffsetDateTime,
) -> Result<(Usdt, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT foundation.clamped(COALESCE(sum(usdt), 0)) AS "sum!", max(until) AS until FROM approvals.young_credit
           WHERE user_id = $1 AND until > $2 AND ended_at IS NULL"#,
        user.0,
        now
    )
    .fetch_one(conn)
    .await?;
    Ok((Usdt(row.sum), row.until))
}

pub async fn note_young(
    conn: &mut PgConnection,
    user: UserId,
    source: Uuid,
    usdt: Usdt,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.young_credit (source, user_id, usdt, at, until)
         SELECT $1, $2, $3, $4, CASE WHEN EXISTS (SELECT FROM approvals.young_credit WHERE user_id = $2) THEN $5::timestamptz ELSE $6::timestamptz END
         ON CONFLICT (source) DO NOTHING",
        source,
        user.0,
        usdt.0,
        now,
        now + Duration::hours(24),
        now + Duration::hours(72)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn end_young(conn: &mut PgConnection, source: Uuid, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.young_credit SET ended_at = $2 WHERE source = $1 AND ended_at IS NULL",
        source,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
