//! SQL of who asked to be told, and of what came while they were away.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// Whether somebody asked for it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn wants(db: impl PgExecutor<'_>, owner: UserId, topic: &str) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM notifications.wanted WHERE owner = $1 AND topic = $2) AS "is!""#,
        owner.0,
        topic
    )
    .fetch_one(db)
    .await?)
}

/// They ask for it, or no more.
///
/// # Errors
/// Whatever the database refuses.
pub async fn want(conn: &mut PgConnection, owner: UserId, topic: &str, wanted: bool) -> Result<(), Error> {
    if wanted {
        sqlx::query!(
            "INSERT INTO notifications.wanted (owner, topic) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            owner.0,
            topic
        )
        .execute(conn)
        .await?;
    } else {
        sqlx::query!(
            "DELETE FROM notifications.wanted WHERE owner = $1 AND topic = $2",
            owner.0,
            topic
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}

/// Who asked for it and has no burst under way, but for this person.
pub async fn idle(conn: &mut PgConnection, topic: &str, but: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT w.owner AS "owner: UserId" FROM notifications.wanted w
           WHERE w.topic = $1 AND w.owner <> $2 AND NOT EXISTS (SELECT FROM notifications.untaken b WHERE b.owner = w.owner)
           ORDER BY w.owner"#,
        topic,
        but.0
    )
    .fetch_all(conn)
    .await?)
}

/// Begins a burst; false while one is under way.
pub async fn begin(
    conn: &mut PgConnection,
    owner: UserId,
    id: Uuid,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO notifications.untaken (owner, id, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        owner.0,
        id,
        since
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Since when a burst is under way of which nobody was told, its row held until the transaction ends.
pub async fn burst(
    conn: &mut PgConnection,
    owner: UserId,
    id: Uuid,
) -> Result<Option<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT since FROM notifications.untaken WHERE owner = $1 AND id = $2 AND told_at IS NULL FOR UPDATE",
        owner.0,
        id
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn told(conn: &mut PgConnection, owner: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.untaken SET told_at = $2 WHERE owner = $1",
        owner.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Their bursts are over, told or not. Nodes that have the same people take the rows in one order.
///
/// # Errors
/// Whatever the database refuses.
pub async fn end(db: impl PgExecutor<'_>, owners: &[UserId]) -> Result<(), Error> {
    let owners: Vec<Uuid> = owners.iter().map(|owner| owner.0).collect();
    sqlx::query!(
        "WITH held AS MATERIALIZED (SELECT owner FROM notifications.untaken WHERE owner = ANY($1) ORDER BY owner FOR UPDATE)
         DELETE FROM notifications.untaken b USING held WHERE b.owner = held.owner",
        &owners
    )
    .execute(db)
    .await?;
    Ok(())
}
