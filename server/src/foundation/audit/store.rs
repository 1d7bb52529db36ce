//! SQL of the audit's chain.

use super::chain::Digest;
use crate::error::Error;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// A line as the chain reads it; `details` as PostgreSQL writes a jsonb.
#[derive(Clone, Debug)]
pub struct Line {
    pub id: i64,
    pub at: OffsetDateTime,
    pub actor: Option<Uuid>,
    pub subject: Option<Uuid>,
    pub category: String,
    pub action: String,
    pub details: String,
}

/// The last link: its number, its digest and the highest line that any link holds.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    pub seq: i64,
    pub digest: Digest,
    pub highest: i64,
}

/// A link and the line that it holds; none where the line is gone.
#[derive(Clone, Debug)]
pub struct Link {
    pub seq: i64,
    pub audit: i64,
    pub digest: Vec<u8>,
    pub line: Option<Line>,
}

/// One node links at a time; held until the transaction ends.
pub async fn lock(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('foundation.audit_link', 0))")
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn head(db: impl PgExecutor<'_>) -> Result<Option<Head>, Error> {
    let row = sqlx::query!(
        r#"SELECT l.seq, l.digest, (SELECT max(h.audit) FROM foundation.audit_link h) AS "highest!"
           FROM foundation.audit_link l ORDER BY l.seq DESC LIMIT 1"#
    )
    .fetch_optional(db)
    .await?;
    Ok(row.and_then(|row| {
        Some(Head {
            seq: row.seq,
            digest: row.digest.try_into().ok()?,
            highest: row.highest,
        })
    }))
}

/// Lines above `floor` that no link holds, in the order in which they were written.
pub async fn unlinked(conn: &mut PgConnection, floor: i64, most: i64) -> Result<Vec<Line>, Error> {
    Ok(sqlx::query_as!(
        Line,
        r#"SELECT a.id, a.at, a.actor, a.subject, a.category, a.action, a.details::text AS "details!" FROM foundation.audit a
           WHERE a.id > $1 AND NOT EXISTS (SELECT FROM foundation.audit_link l WHERE l.audit = a.id) ORDER BY a.id LIMIT $2"#,
        floor,
        most
    )
    .fetch_all(conn)
    .await?)
}

/// Puts links behind each other; the key refuses a second chain.
pub async fn put(
    conn: &mut PgConnection,
    seqs: &[i64],
    lines: &[i64],
    digests: &[Vec<u8>],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO foundation.audit_link (seq, audit, digest, linked_at)
         SELECT s, a, d, $4 FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS t(s, a, d) ORDER BY s",
        seqs,
        lines,
        digests,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Links after `seq` with their lines, in order.
pub async fn links(conn: &mut PgConnection, after: i64, most: i64) -> Result<Vec<Link>, Error> {
    let rows = sqlx::query!(
        r#"SELECT l.seq, l.audit, l.digest, a.id AS "id?", a.at AS "at?", a.actor AS "actor?", a.subject AS "subject?",
                  a.category AS "category?", a.action AS "action?", a.details::text AS details
           FROM foundation.audit_link l LEFT JOIN foundation.audit a ON a.id = l.audit WHERE l.seq > $1 ORDER BY l.seq LIMIT $2"#,
        after,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Link {
            seq: row.seq,
            audit: row.audit,
            digest: row.digest,
            line: row.id.and_then(|id| {
                Some(Line {
                    id,
                    at: row.at?,
                    actor: row.actor,
                    subject: row.subject,
                    category: row.category?,
                    action: row.action?,
                    details: row.details?,
                })
            }),
        })
        .collect())
}

/// The digest of one link.
pub async fn digest(db: impl PgExecutor<'_>, seq: i64) -> Result<Option<Vec<u8>>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT digest FROM foundation.audit_link WHERE seq = $1", seq)
            .fetch_optional(db)
            .await?,
    )
}

/// The last link as it is shown.
#[derive(Clone, Debug)]
pub struct Last {
    pub seq: i64,
    pub digest: Vec<u8>,
    pub at: OffsetDateTime,
}

pub async fn last(db: impl PgExecutor<'_>) -> Result<Option<Last>, Error> {
    Ok(sqlx::query_as!(
        Last,
        "SELECT seq, digest, linked_at AS at FROM foundation.audit_link ORDER BY seq DESC LIMIT 1"
    )
    .fetch_optional(db)
    .await?)
}

/// The link of one line, with the digest before it and what it holds.
#[derive(Clone, Debug)]
pub struct LinkOf {
    pub seq: i64,
    pub before: Option<Vec<u8>>,
    pub digest: Vec<u8>,
    pub at: OffsetDateTime,
    pub line: Line,
}

pub async fn linked(db: impl PgExecutor<'_>, line: i64) -> Result<Option<LinkOf>, Error> {
    let row = sqlx::query!(
        r#"SELECT l.seq, l.digest, l.linked_at, b.digest AS "before?", a.id, a.at, a.actor, a.subject, a.category, a.action,
                  a.details::text AS "details!"
           FROM foundation.audit_link l JOIN foundation.audit a ON a.id = l.audit
           LEFT JOIN foundation.audit_link b ON b.seq = l.seq - 1 WHERE l.audit = $1"#,
        line
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| LinkOf {
        seq: row.seq,
        before: row.before,
        digest: row.digest,
        at: row.linked_at,
        line: Line {
            id: row.id,
            at: row.at,
            actor: row.actor,
            subject: row.subject,
            category: row.category,
            action: row.action,
            details: row.details,
        },
    }))
}

/// The first line that no link holds although it is older than `before`, of the whole audit.
pub async fn forgotten(conn: &mut PgConnection, before: OffsetDateTime) -> Result<Option<i64>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT min(a.id) FROM foundation.audit a LEFT JOIN foundation.audit_link l ON l.audit = a.id
           WHERE l.audit IS NULL AND a.at < $1"#,
        before
    )
    .fetch_one(conn)
    .await?)
}

/// As long as a pass over millions of rows needs.
pub async fn take_time(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SET LOCAL statement_timeout = 0")
        .execute(conn)
        .await?;
    Ok(())
}
