//! SQL of one's own limits and time outs.

use super::Stored;
use crate::error::Error;
use protocol::{ids::UserId, money::Usdt};
use sqlx::PgConnection;
use time::OffsetDateTime;

/// One change of a person's restraints at a time, and none between the guard's look and its end.
pub async fn lock(conn: &mut PgConnection, user: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 6))",
        user.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The limits per request and per day.
pub async fn limits(conn: &mut PgConnection, user: UserId) -> Result<(Stored, Stored), Error> {
    let rows = sqlx::query!(
        "SELECT kind, usdt, next_usdt, next_at FROM approvals.own_limit WHERE user_id = $1",
        user.0
    )
    .fetch_all(conn)
    .await?;
    let mut found = (Stored::default(), Stored::default());
    for row in rows {
        let stored = Stored {
            usdt: row.usdt.map(Usdt),
            next: row.next_usdt.map(Usdt),
            next_at: row.next_at,
        };
        match row.kind.as_str() {
            "transaction" => found.0 = stored,
            _ => found.1 = stored,
        }
    }
    Ok(found)
}

pub async fn put_limit(
    conn: &mut PgConnection,
    user: UserId,
    kind: &str,
    limit: Stored,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.own_limit (user_id, kind, usdt, next_usdt, next_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (user_id, kind) DO UPDATE SET usdt = EXCLUDED.usdt, next_usdt = EXCLUDED.next_usdt, next_at = EXCLUDED.next_at,
             updated_at = EXCLUDED.updated_at",
        user.0,
        kind,
        limit.usdt.map(|u| u.0),
        limit.next.map(|u| u.0),
        limit.next_at,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Raises whose time has not come.
pub async fn drop_raises(conn: &mut PgConnection, user: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.own_limit SET next_usdt = NULL, next_at = NULL, updated_at = $2 WHERE user_id = $1 AND next_at > $2",
        user.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn exclusion(conn: &mut PgConnection, user: UserId) -> Result<Option<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT until FROM approvals.self_exclusion WHERE user_id = $1",
        user.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn put_exclusion(
    conn: &mut PgConnection,
    user: UserId,
    since: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.self_exclusion (user_id, since, until) VALUES ($1, $2, $3)
         ON CONFLICT (user_id) DO UPDATE SET until = EXCLUDED.until",
        user.0,
        since,
        until
    )
    .execute(conn)
    .await?;
    Ok(())
}
