//! SQL of the closing: who has what of a revenue, and what is paid.

use super::{Entry, EntryRow};
use crate::error::Error;
use protocol::{
    ids::{PoolEntryId, PoolId, PoolRevenueId, TransferId, UserId},
    money::Usdt,
};
use sqlx::{PgConnection, PgExecutor};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Booked revenue whose shares are due, oldest first.
pub async fn due(db: impl PgExecutor<'_>, day: Date) -> Result<Vec<PoolRevenueId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM pools.revenue WHERE status = 'booked' AND shared_at IS NULL AND business_day <= $1 ORDER BY business_day, id",
        day
    )
    .fetch_all(db)
    .await?;
    Ok(ids.into_iter().map(PoolRevenueId).collect())
}

/// Whether shares are written down, and paid.
pub async fn stage(conn: &mut PgConnection, id: PoolRevenueId) -> Result<(bool, bool), Error> {
    let row = sqlx::query!(
        r#"SELECT planned_at IS NOT NULL AS "planned!", shared_at IS NOT NULL AS "shared!" FROM pools.revenue WHERE id = $1 FOR UPDATE"#,
        id.0
    )
    .fetch_one(conn)
    .await?;
    Ok((row.planned, row.shared))
}

pub struct Counted {
    pub entry: PoolEntryId,
    pub value: Usdt,
    pub first_day: Date,
    pub last_day: Date,
}

/// Entries of a pool that have a full day in this span; nothing is taken of them until the change ends. Who has closed their account since then has
/// given up what comes late, and nobody closes one meanwhile.
pub async fn counted(
    conn: &mut PgConnection,
    pool: PoolId,
    from: Date,
    to: Date,
) -> Result<Vec<Counted>, Error> {
    let rows = sqlx::query!(
        "SELECT e.id, e.value, e.first_day, e.last_day FROM pools.entry e JOIN identity.account a ON a.id = e.owner
         WHERE e.pool = $1 AND e.first_day <= $3 AND e.last_day >= $2 AND a.status <> 'closed'
         ORDER BY e.id FOR SHARE OF e FOR KEY SHARE OF a",
        pool.0,
        from,
        to
    )
    .fetch_all(conn)
    .await?;
    let counted = rows.into_iter().map(|r| Counted {
        entry: PoolEntryId(r.id),
        value: Usdt(r.value),
        first_day: r.first_day,
        last_day: r.last_day,
    });
    Ok(counted.collect())
}

/// Writes a revenue's shares down.
pub async fn plan(
    conn: &mut PgConnection,
    id: PoolRevenueId,
    shares: &[(PoolEntryId, i32, Usdt)],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let entries: Vec<Uuid> = shares.iter().map(|(entry, _, _)| entry.0).collect();
    let days: Vec<i32> = shares.iter().map(|(_, days, _)| *days).collect();
    let values: Vec<i64> = shares.iter().map(|(_, _, value)| value.0).collect();
    sqlx::query!(
        "INSERT INTO pools.share (revenue, entry, days, value) SELECT $1, e, d, v FROM unnest($2::uuid[], $3::int[], $4::bigint[]) AS n(e, d, v)",
        id.0,
        &entries,
        &days,
        &values
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE pools.revenue SET planned_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub struct Unpaid {
    pub entry: PoolEntryId,
    pub owner: UserId,
    pub value: Usdt,
    /// The owner has closed their account.
    pub left: bool,
}

/// The next shares that are not paid, one of each person, with their entries locked; and whether there were any to lock.
pub async fn unpaid(
    conn: &mut PgConnection,
    id: PoolRevenueId,
    most: i64,
) -> Result<(bool, Vec<Unpaid>), Error> {
    let entries = sqlx::query_scalar!(
        "SELECT e.id FROM pools.entry e
         WHERE e.id IN (SELECT DISTINCT ON (o.owner) o.id
                        FROM (SELECT s.entry FROM pools.share s WHERE s.revenue = $1 AND s.paid_at IS NULL AND s.value > 0
                              ORDER BY s.entry LIMIT $2) s
                        JOIN pools.entry o ON o.id = s.entry ORDER BY o.owner, o.id)
         ORDER BY e.id FOR UPDATE",
        id.0,
        most
    )
    .fetch_all(&mut *conn)
    .await?;
    // Read once the entries are ours: what was taken of one while it was waited for is not in its share any more.
    let rows = sqlx::query!(
        r#"SELECT s.entry, e.owner, s.value, a.status = 'closed' AS "left!"
           FROM pools.share s JOIN pools.entry e ON e.id = s.entry JOIN identity.account a ON a.id = e.owner
           WHERE s.revenue = $1 AND s.entry = ANY($2) AND s.paid_at IS NULL AND s.value > 0 ORDER BY s.entry"#,
        id.0,
        &entries
    )
    .fetch_all(conn)
    .await?;
    let unpaid = rows.into_iter().map(|r| Unpaid {
        entry: PoolEntryId(r.entry),
        owner: UserId(r.owner),
        value: Usdt(r.value),
        left: r.left,
    });
    Ok((!entries.is_empty(), unpaid.collect()))
}

/// Shares that nobody will be paid: nothing of them is left. The entries are locked.
pub async fn give_up(
    conn: &mut PgConnection,
    id: PoolRevenueId,
    entries: &[PoolEntryId],
) -> Result<(), Error> {
    let entries: Vec<Uuid> = entries.iter().map(|entry| entry.0).collect();
    sqlx::query!(
        "UPDATE pools.share SET value = 0 WHERE revenue = $1 AND entry = ANY($2) AND paid_at IS NULL",
        id.0,
        &entries
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Marks shares as paid and adds them to their entries; the entries after it.
pub async fn pay(
    conn: &mut PgConnection,
    id: PoolRevenueId,
    paid: &[PoolEntryId],
    transfer: TransferId,
    now: OffsetDateTime,
) -> Result<Vec<Entry>, Error> {
    let entries: Vec<Uuid> = paid.iter().map(|entry| entry.0).collect();
    sqlx::query!(
        "UPDATE pools.share SET transfer = $3, paid_at = $4 WHERE revenue = $1 AND entry = ANY($2)",
        id.0,
        &entries,
        transfer.0,
        now
    )
    .execute(&mut *conn)
    .await?;
    let rows = sqlx::query_as!(
        EntryRow,
        "UPDATE pools.entry e SET received = e.received + s.value, version = e.version + 1
         FROM pools.share s, pools.pool p
         WHERE s.revenue = $1 AND s.entry = ANY($2) AND e.id = s.entry AND p.id = e.pool
         RETURNING e.id, e.pool, p.name, e.owner, e.value, e.term_days, e.joined_at, e.first_day, e.last_day, e.ends_at, e.ended_at,
                   e.received, e.taken, e.version",
        id.0,
        &entries
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Entry::from).collect())
}

pub async fn shared(conn: &mut PgConnection, id: PoolRevenueId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("UPDATE pools.revenue SET shared_at = $2 WHERE id = $1", id.0, now)
        .execute(conn)
        .await?;
    Ok(())
}
