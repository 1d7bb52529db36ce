//! SQL of pools.

mod queue;
mod shares;
mod taken;

pub use queue::{lock_queue, pending_revenue};
pub use shares::{Counted, Unpaid, counted, due, give_up, pay, plan, shared, stage, unpaid};
pub use taken::{lock_active, take};

use super::model::{Pool, PoolBooked, PoolRevenueView, PoolView, Revenue, RevenueSource};
use crate::{error::Error, foundation::http::Paging};
use protocol::{
    ids::{FileId, PoolEntryId, PoolId, PoolRevenueId, UserId},
    money::Usdt,
    views::{PoolEntryState, PoolEntryView},
};
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// A pool, kept as it is until the change ends; `change`: nobody else may even read it for one.
pub async fn lock_pool(conn: &mut PgConnection, id: Uuid, change: bool) -> Result<Option<Pool>, Error> {
    if change {
        sqlx::query!("SELECT id FROM pools.pool WHERE id = $1 FOR UPDATE", id)
            .fetch_optional(&mut *conn)
            .await?;
    }
    let row = sqlx::query!(
        "SELECT id, name, term_days, minimum, open, version FROM pools.pool WHERE id = $1 FOR SHARE",
        id
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Pool {
        id: PoolId(r.id),
        name: r.name,
        term_days: r.term_days,
        minimum: Usdt(r.minimum),
        open: r.open,
        version: r.version,
    }))
}

/// Pools that take money now.
pub async fn open_pools(db: impl PgExecutor<'_>) -> Result<Vec<Pool>, Error> {
    let rows = sqlx::query!(
        "SELECT id, name, term_days, minimum, open, version FROM pools.pool WHERE open ORDER BY term_days, id"
    )
    .fetch_all(db)
    .await?;
    let pools = rows.into_iter().map(|r| Pool {
        id: PoolId(r.id),
        name: r.name,
        term_days: r.term_days,
        minimum: Usdt(r.minimum),
        open: r.open,
        version: r.version,
    });
    Ok(pools.collect())
}

pub async fn name_taken(conn: &mut PgConnection, name: &str, but: Option<Uuid>) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pools.pool
               WHERE foundation.folded(name) = foundation.folded($1) AND id IS DISTINCT FROM $2) AS "yes!""#,
        name,
        but
    )
    .fetch_one(conn)
    .await?)
}

/// Writes a pool: a new one, or what changed of one.
pub async fn save_pool(conn: &mut PgConnection, pool: &Pool, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pools.pool (id, name, term_days, minimum, open, created_at, updated_at, version)
         VALUES ($1, $2, $3, $4, $5, $6, $6, $7)
         ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, term_days = EXCLUDED.term_days, minimum = EXCLUDED.minimum,
             open = EXCLUDED.open, updated_at = EXCLUDED.updated_at, version = EXCLUDED.version",
        pool.id.0,
        pool.name,
        pool.term_days,
        pool.minimum.0,
        pool.open,
        now,
        pool.version
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Pools with sums and a person's own part; those that take money, and those that the person is in unless `all`.
pub async fn pools(db: impl PgExecutor<'_>, user: Uuid, all: bool) -> Result<Vec<PoolView>, Error> {
    let rows = sqlx::query!(
        r#"SELECT p.id, p.name, p.term_days, p.minimum, p.open, p.version,
                  foundation.clamped(coalesce((SELECT sum(value) FROM pools.entry e WHERE e.pool = p.id AND e.ended_at IS NULL), 0)) AS "principal!",
                  foundation.clamped(coalesce((SELECT sum(value) FROM pools.revenue r WHERE r.pool = p.id AND r.status = 'booked'), 0)) AS "booked!",
                  foundation.clamped(coalesce((SELECT sum(value) FROM pools.entry e WHERE e.pool = p.id AND e.owner = $1 AND e.ended_at IS NULL), 0)) AS "own_principal!",
                  foundation.clamped(coalesce((SELECT sum(received) FROM pools.entry e WHERE e.pool = p.id AND e.owner = $1), 0)) AS "own_received!",
                  n.value AS "last_value?", n.from_day AS "last_from?", n.to_day AS "last_to?", n.ended_at AS "last_at?"
           FROM pools.pool p
           LEFT JOIN LATERAL (SELECT value, from_day, to_day, ended_at FROM pools.revenue r
                              WHERE r.pool = p.id AND r.status = 'booked' ORDER BY ended_at DESC LIMIT 1) n ON true
           WHERE $2 OR p.open OR EXISTS (SELECT FROM pools.entry e WHERE e.pool = p.id AND e.owner = $1)
           ORDER BY p.open DESC, p.term_days, p.id"#,
        user,
        all
    )
    .fetch_all(db)
    .await?;
    let view = rows.into_iter().map(|r| {
        let last_booked = match (r.last_value, r.last_from, r.last_to, r.last_at) {
            (Some(value), Some(from), Some(to), Some(at)) => Some(PoolBooked {
                value: Usdt(value),
                from_day: from.to_string(),
                to_day: to.to_string(),
                at,
            }),
            _ => None,
        };
        PoolView {
            id: PoolId(r.id),
            name: r.name,
            term_days: r.term_days,
            minimum: Usdt(r.minimum),
            open: r.open,
            principal: Usdt(r.principal),
            booked: Usdt(r.booked),
            last_booked,
            own_principal: Usdt(r.own_principal),
            own_received: Usdt(r.own_received),
            version: r.version,
        }
    });
    Ok(view.collect())
}

pub struct NewEntry {
    pub id: PoolEntryId,
    pub owner: UserId,
    pub value: Usdt,
    /// `available` or `deposit`.
    pub source: &'static str,
    pub settings_version: i32,
    pub first_day: Date,
    pub last_day: Date,
    pub ends_at: OffsetDateTime,
}

pub async fn insert_entry(
    conn: &mut PgConnection,
    pool: &Pool,
    new: &NewEntry,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pools.entry (id, pool, owner, value, term_days, source, risk_accepted_at, settings_version, joined_at, first_day,
             last_day, ends_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7, $9, $10, $11)",
        new.id.0,
        pool.id.0,
        new.owner.0,
        new.value.0,
        pool.term_days,
        new.source,
        now,
        new.settings_version,
        new.first_day,
        new.last_day,
        new.ends_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

struct EntryRow {
    id: Uuid,
    pool: Uuid,
    name: String,
    owner: Uuid,
    value: i64,
    term_days: i32,
    joined_at: OffsetDateTime,
    first_day: Date,
    last_day: Date,
    ends_at: OffsetDateTime,
    ended_at: Option<OffsetDateTime>,
    received: i64,
    taken: i64,
    version: i64,
}

/// An entry with whose it is.
pub struct Entry {
    pub owner: UserId,
    pub view: PoolEntryView,
}

impl From<EntryRow> for Entry {
    fn from(r: EntryRow) -> Self {
        Self {
            owner: UserId(r.owner),
            view: PoolEntryView {
                id: PoolEntryId(r.id),
                pool: PoolId(r.pool),
                pool_name: r.name,
                value: Usdt(r.value),
                taken: Usdt(r.taken),
                state: if r.ended_at.is_some() {
                    PoolEntryState::Ended
                } else {
                    PoolEntryState::Active
                },
                term_days: r.term_days,
                first_day: r.first_day.to_string(),
                last_day: r.last_day.to_string(),
                ends_at: r.ends_at,
                ended_at: r.ended_at,
                received: Usdt(r.received),
                created_at: r.joined_at,
                version: r.version,
            },
        }
    }
}

pub async fn lock_entry(conn: &mut PgConnection, id: PoolEntryId) -> Result<Option<Entry>, Error> {
    let row = sqlx::query_as!(
        EntryRow,
        "SELECT e.id, e.pool, p.name, e.owner, e.value, e.term_days, e.joined_at, e.first_day, e.last_day, e.ends_at, e.ended_at,
                e.received, e.taken, e.version
         FROM pools.entry e JOIN pools.pool p ON p.id = e.pool WHERE e.id = $1 FOR UPDATE OF e",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Entry::from))
}

/// A person's entries, newest first, and how many there are.
pub async fn entries(
    pool: &PgPool,
    owner: Uuid,
    paging: &Paging,
) -> Result<(Vec<PoolEntryView>, i64), Error> {
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM pools.entry WHERE owner = $1"#,
        owner
    )
    .fetch_one(pool)
    .await?;
    let rows = sqlx::query_as!(
        EntryRow,
        "SELECT e.id, e.pool, p.name, e.owner, e.value, e.term_days, e.joined_at, e.first_day, e.last_day, e.ends_at, e.ended_at,
                e.received, e.taken, e.version
         FROM pools.entry e JOIN pools.pool p ON p.id = e.pool
         WHERE e.owner = $1 ORDER BY e.joined_at DESC, e.id DESC LIMIT $2 OFFSET $3",
        owner,
        paging.limit,
        paging.offset
    )
    .fetch_all(pool)
    .await?;
    Ok((rows.into_iter().map(|r| Entry::from(r).view).collect(), total))
}

pub async fn end_entry(conn: &mut PgConnection, id: PoolEntryId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pools.entry SET ended_at = $2, version = version + 1 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub struct RevenueRow<'a> {
    pub revenue: &'a Revenue,
    pub note: &'a str,
    pub proof_seen: bool,
    pub digest: [u8; 32],
    pub by: UserId,
}

pub async fn insert_revenue(
    conn: &mut PgConnection,
    row: &RevenueRow<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let r = row.revenue;
    sqlx::query!(
        "INSERT INTO pools.revenue (id, pool, value, from_day, to_day, source, tx_hash, proof, proof_seen, note, digest, ordered_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        r.id.0,
        r.pool.0,
        r.value.0,
        r.from_day,
        r.to_day,
        r.source.as_str(),
        r.tx_hash,
        r.proof.map(|f| f.0),
        row.proof_seen,
        row.note,
        row.digest.as_slice(),
        row.by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether a transaction of the chain stands behind other revenue. Others who ask about the same one wait.
pub async fn hash_used(conn: &mut PgConnection, hash: &str) -> Result<bool, Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended($1, 22))", hash)
        .execute(&mut *conn)
        .await?;
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pools.revenue WHERE tx_hash = $1 AND status <> 'rejected') AS "yes!""#,
        hash
    )
    .fetch_one(conn)
    .await?)
}

pub async fn lock_revenue(conn: &mut PgConnection, id: PoolRevenueId) -> Result<Option<Revenue>, Error> {
    let row = sqlx::query!(
        "SELECT pool, value, from_day, to_day, source, tx_hash, proof, status FROM pools.revenue WHERE id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Revenue {
            id,
            pool: PoolId(r.pool),
            value: Usdt(r.value),
            from_day: r.from_day,
            to_day: r.to_day,
            source: RevenueSource::read(&r.source)
                .ok_or_else(|| Error::internal("revenue of an unknown source"))?,
            tx_hash: r.tx_hash,
            proof: r.proof.map(FileId),
            pending: r.status == "pending",
        })
    })
    .transpose()
}

/// A word was taken back: how many stand.
pub async fn count_words(conn: &mut PgConnection, id: PoolRevenueId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pools.revenue SET approvals = approvals.words('pool_revenue', id, digest) WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_approvals(
    conn: &mut PgConnection,
    id: PoolRevenueId,
    approvals: i16,
    needed: i16,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pools.revenue SET approvals = $2, approvals_needed = $3 WHERE id = $1",
        id.0,
        approvals,
        needed
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn book_revenue(
    conn: &mut PgConnection,
    id: PoolRevenueId,
    day: Date,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pools.revenue SET status = 'booked', business_day = $2, ended_at = $3 WHERE id = $1",
        id.0,
        day,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn reject_revenue(
    conn: &mut PgConnection,
    id: PoolRevenueId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pools.revenue SET status = 'rejected', rejected_reason = $2, ended_at = $3 WHERE id = $1",
        id.0,
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revenue as staff see it: one, or a page of all, those that wait first.
pub async fn revenue(
    db: impl PgExecutor<'_>,
    id: Option<PoolRevenueId>,
    status: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<(Vec<PoolRevenueView>, i64), Error> {
    let rows = sqlx::query!(
        r#"SELECT r.id, r.pool, p.name, r.value, r.from_day, r.to_day, r.source, r.tx_hash, r.proof, f.mime AS "mime?", r.proof_seen,
                  r.note, r.status, r.approvals, r.approvals_needed, a.username, r.rejected_reason, r.created_at,
                  r.shared_at IS NOT NULL AS "shared_out!",
                  foundation.clamped(coalesce((SELECT sum(s.value) FROM pools.share s WHERE s.revenue = r.id), 0)) AS "shared!",
                  count(*) OVER () AS "total!"
           FROM pools.revenue r JOIN pools.pool p ON p.id = r.pool JOIN identity.account a ON a.id = r.ordered_by
           LEFT JOIN foundation.file f ON f.id = r.proof
           WHERE ($1::uuid IS NULL OR r.id = $1) AND ($2::text IS NULL OR r.status = $2)
           ORDER BY r.status = 'pending' DESC, r.created_at DESC LIMIT $3 OFFSET $4"#,
        id.map(|id| id.0),
        status,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    let total = rows.first().map_or(0, |r| r.total);
    let views = rows.into_iter().map(|r| {
        Ok(PoolRevenueView {
            id: PoolRevenueId(r.id),
            pool: PoolId(r.pool),
            pool_name: r.name,
            value: Usdt(r.value),
            from_day: r.from_day.to_string(),
            to_day: r.to_day.to_string(),
            source: RevenueSource::read(&r.source)
                .ok_or_else(|| Error::internal("revenue of an unknown source"))?,
            tx_hash: r.tx_hash,
            proof: r.proof.map(FileId),
            proof_mime: r.mime,
            proof_seen: r.proof_seen,
            note: r.note,
            status: r.status,
            approvals: r.approvals,
            approvals_needed: r.approvals_needed,
            ordered_by: r.username,
            rejected_reason: r.rejected_reason,
            shared: Usdt(r.shared),
            shared_out: r.shared_out,
            created_at: r.created_at,
        })
    });
    Ok((views.collect::<Result<_, Error>>()?, total))
}

pub async fn is_proof(db: impl PgExecutor<'_>, file: FileId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pools.revenue WHERE proof = $1) AS "yes!""#,
        file.0
    )
    .fetch_one(db)
    .await?)
}
