//! SQL of uploaded files.

use super::Purpose;
use crate::error::Error;
use protocol::ids::{FileId, UserId};
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashSet;
use time::OffsetDateTime;
use uuid::Uuid;

/// A file as the database knows it.
#[derive(Clone, Debug)]
pub struct FileRow {
    pub id: FileId,
    /// Who uploaded it.
    pub owner: UserId,
    pub purpose: Purpose,
    pub mime: String,
    pub name: String,
    pub bytes: i64,
    pub sha256: Vec<u8>,
    pub pixels: Option<Vec<u8>>,
    pub created_at: OffsetDateTime,
}

/// Whether a file was seen before under another id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Similar {
    pub same_bytes: bool,
    pub same_pixels: bool,
}

pub async fn insert(conn: &mut PgConnection, row: &FileRow) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO foundation.file (id, owner, purpose, mime, name, bytes, sha256, pixels, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        row.id.0,
        row.owner.0,
        row.purpose.as_str(),
        row.mime,
        row.name,
        row.bytes,
        row.sha256,
        row.pixels,
        row.created_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn find(db: impl PgExecutor<'_>, id: FileId) -> Result<Option<FileRow>, Error> {
    let row = sqlx::query!(
        "SELECT id, owner, purpose, mime, name, bytes, sha256, pixels, created_at FROM foundation.file WHERE id = $1",
        id.0
    )
    .fetch_optional(db)
    .await?;
    row.map(|r| {
        Ok(FileRow {
            id: r.id.into(),
            owner: r.owner.into(),
            purpose: r
                .purpose
                .parse()
                .map_err(|()| Error::internal("a file of an unknown purpose"))?,
            mime: r.mime,
            name: r.name,
            bytes: r.bytes,
            sha256: r.sha256,
            pixels: r.pixels,
            created_at: r.created_at,
        })
    })
    .transpose()
}

/// What somebody has sent of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub files: i64,
    pub bytes: i64,
    pub oldest: Option<OffsetDateTime>,
}

/// What somebody has sent of a kind since a moment.
pub async fn sent(
    db: impl PgExecutor<'_>,
    owner: UserId,
    purpose: Purpose,
    since: OffsetDateTime,
) -> Result<Sent, Error> {
    Ok(sqlx::query_as!(
        Sent,
        r#"SELECT count(*) AS "files!", foundation.clamped(COALESCE(sum(bytes), 0)) AS "bytes!", min(created_at) AS oldest
           FROM foundation.file WHERE owner = $1 AND purpose = $2 AND created_at > $3"#,
        owner.0,
        purpose.as_str(),
        since
    )
    .fetch_one(db)
    .await?)
}

/// Those of these that have a row.
pub async fn known(db: impl PgExecutor<'_>, ids: &[FileId]) -> Result<HashSet<FileId>, Error> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let known = sqlx::query_scalar!("SELECT id FROM foundation.file WHERE id = ANY($1)", &ids)
        .fetch_all(db)
        .await?;
    Ok(known.into_iter().map(FileId).collect())
}

/// What no row names, as it was noted.
#[derive(Clone, Debug)]
pub struct Stray {
    pub name: String,
    /// Somebody has seen it among too many, and lets it go.
    pub released: bool,
}

/// Notes what no row names, and forgets what is not among it any more. Which of it had been noted before a moment.
pub async fn strays(
    conn: &mut PgConnection,
    names: &[String],
    now: OffsetDateTime,
    before: OffsetDateTime,
) -> Result<Vec<Stray>, Error> {
    sqlx::query!("DELETE FROM foundation.stray WHERE name <> ALL($1)", names)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "INSERT INTO foundation.stray (name, seen_at) SELECT name, $2 FROM unnest($1::text[]) AS f(name) ON CONFLICT (name) DO NOTHING",
        names,
        now
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_as!(
        Stray,
        r#"SELECT name, released_at IS NOT NULL AS "released!" FROM foundation.stray WHERE seen_at < $1"#,
        before
    )
    .fetch_all(conn)
    .await?)
}

/// How much of what is noted is of which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    pub all: i64,
    /// Before a moment.
    pub old: i64,
    pub released: i64,
}

/// How much is noted.
pub async fn noted(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<Noted, Error> {
    Ok(sqlx::query_as!(
        Noted,
        r#"SELECT count(*) AS "all!", count(*) FILTER (WHERE seen_at < $1) AS "old!", count(released_at) AS "released!"
           FROM foundation.stray"#,
        before
    )
    .fetch_one(db)
    .await?)
}

/// Lets go what was noted before a moment; how much that is.
pub async fn release(
    conn: &mut PgConnection,
    before: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<u64, Error> {
    let released = sqlx::query!(
        "UPDATE foundation.stray SET released_at = $2 WHERE seen_at < $1 AND released_at IS NULL",
        before,
        now
    )
    .execute(conn)
    .await?;
    Ok(released.rows_affected())
}

/// Begins anew: what is nobody's is looked for from now on.
pub async fn forget_strays(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("DELETE FROM foundation.stray").execute(conn).await?;
    Ok(())
}

/// Whether this database has written a mark lately, in the place where it is now.
pub async fn wrote(db: impl PgExecutor<'_>, mark: Uuid) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM foundation.shelves WHERE $1 = ANY(marks) AND place = foundation.place()) AS "ours!""#,
        mark
    )
    .fetch_one(db)
    .await?)
}

/// Notes that a mark is written next, in place of all before and wherever they were written.
pub async fn first_mark(conn: &mut PgConnection, mark: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO foundation.shelves (place, marks) VALUES (foundation.place(), ARRAY[$1::uuid])
         ON CONFLICT (one) DO UPDATE SET place = excluded.place, marks = excluded.marks",
        mark
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that a mark is written next in place of one of ours; false where that is none. The last ones stay known, two nodes may be at it, and before them
/// the one that lies there: one may die between noting and writing, or be refused the writing again and again.
pub async fn next_mark(db: impl PgExecutor<'_>, mark: Uuid, lying: Uuid) -> Result<bool, Error> {
    let noted = sqlx::query!(
        "UPDATE foundation.shelves SET marks = (ARRAY[$1::uuid, $2::uuid] || array_remove(marks, $2))[1:16] WHERE $2 = ANY(marks)",
        mark,
        lying
    )
    .execute(db)
    .await?;
    Ok(noted.rows_affected() > 0)
}

/// The next ids, in their order, of files that were given before a moment.
pub async fn page(
    db: impl PgExecutor<'_>,
    after: Option<FileId>,
    before: OffsetDateTime,
    most: usize,
) -> Result<Vec<FileId>, Error> {
    let page = sqlx::query_scalar!(
        "SELECT id FROM foundation.file WHERE ($1::uuid IS NULL OR id > $1) AND created_at < $2 ORDER BY id LIMIT $3",
        after.map(|id| id.0),
        before,
        i64::try_from(most).unwrap_or(i64::MAX)
    )
    .fetch_all(db)
    .await?;
    Ok(page.into_iter().map(FileId).collect())
}

/// Which of these have a row, and what they are for.
pub async fn purposes(db: impl PgExecutor<'_>, ids: &[FileId]) -> Result<Vec<(FileId, String)>, Error> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        "SELECT id, purpose FROM foundation.file WHERE id = ANY($1) ORDER BY id",
        &ids
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|r| (FileId(r.id), r.purpose)).collect())
}

pub async fn delete(conn: &mut PgConnection, id: FileId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM foundation.file WHERE id = $1", id.0)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn similar(conn: &mut PgConnection, row: &FileRow) -> Result<Similar, Error> {
    let found = sqlx::query!(
        r#"SELECT EXISTS (SELECT 1 FROM foundation.file WHERE purpose = $1 AND sha256 = $2 AND id <> $4) AS "bytes!",
                  EXISTS (SELECT 1 FROM foundation.file WHERE purpose = $1 AND pixels = $3 AND id <> $4) AS "pixels!""#,
        row.purpose.as_str(),
        row.sha256,
        row.pixels,
        row.id.0
    )
    .fetch_one(conn)
    .await?;
    Ok(Similar {
        same_bytes: found.bytes,
        same_pixels: found.pixels,
    })
}
