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
