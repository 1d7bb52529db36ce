//! SQL of what a reversed credit takes of a person's entries.

use super::{Entry, EntryRow};
use crate::error::Error;
use protocol::{
    ids::{PoolEntryId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use time::OffsetDateTime;

/// A person's entries whose term runs, locked, oldest first.
pub async fn lock_active(conn: &mut PgConnection, owner: UserId) -> Result<Vec<Entry>, Error> {
    let rows = sqlx::query_as!(
        EntryRow,
        "SELECT e.id, e.pool, p.name, e.owner, e.value, e.term_days, e.joined_at, e.first_day, e.last_day, e.ends_at, e.ended_at,
                e.received, e.taken, e.version
         FROM pools.entry e JOIN pools.pool p ON p.id = e.pool WHERE e.owner = $1 AND e.ended_at IS NULL ORDER BY e.id FOR UPDATE OF e",
        owner.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Entry::from).collect())
}

/// Takes a part of an entry, and as much of its shares that are not paid, floored; taken whole, it has ended. The entry is locked.
pub async fn take(
    conn: &mut PgConnection,
    id: PoolEntryId,
    held: Usdt,
    part: Usdt,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pools.entry SET value = value - $2, taken = taken + $2, version = version + 1,
             ended_at = CASE WHEN value = $2 THEN $3 ELSE ended_at END WHERE id = $1",
        id.0,
        part.0,
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE pools.share SET value = div(value::numeric * $2::bigint, $3::bigint)::bigint WHERE entry = $1 AND paid_at IS NULL",
        id.0,
        (held - part).0,
        held.0
    )
    .execute(conn)
    .await?;
    Ok(())
}
