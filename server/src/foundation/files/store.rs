//! SQL of uploaded files.

use super::Purpose;
use crate::error::Error;
use protocol::ids::{FileId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

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
