//! SQL of exports.

use super::model::Export;
use crate::error::Error;
use protocol::ids::{DataExportId, FileId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

struct Row {
    id: Uuid,
    owner: Uuid,
    state: String,
    file: Option<Uuid>,
    bytes: Option<i64>,
    asked_at: OffsetDateTime,
    ready_at: Option<OffsetDateTime>,
    expires_at: Option<OffsetDateTime>,
    downloaded_at: Option<OffsetDateTime>,
}

impl TryFrom<Row> for Export {
    type Error = Error;

    fn try_from(r: Row) -> Result<Self, Error> {
        Ok(Self {
            id: r.id.into(),
            owner: r.owner.into(),
            state: r
                .state
                .parse()
                .map_err(|()| Error::internal("an export in an unknown state"))?,
            file: r.file.map(FileId::from),
            bytes: r.bytes,
            asked_at: r.asked_at,
            ready_at: r.ready_at,
            expires_at: r.expires_at,
            downloaded_at: r.downloaded_at,
        })
    }
}

/// One person's asking, one after the other, until the transaction ends.
pub async fn lock(conn: &mut PgConnection, owner: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 152))",
        owner.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn newest(db: impl PgExecutor<'_>, owner: UserId, count: i64) -> Result<Vec<Export>, Error> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, owner, state, file, bytes, asked_at, ready_at, expires_at, downloaded_at
         FROM privacy.export WHERE owner = $1 ORDER BY asked_at DESC LIMIT $2",
        owner.0,
        count
    )
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Export::try_from).collect()
}

/// One's own.
pub async fn of(db: impl PgExecutor<'_>, id: DataExportId, owner: UserId) -> Result<Option<Export>, Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, owner, state, file, bytes, asked_at, ready_at, expires_at, downloaded_at
         FROM privacy.export WHERE id = $1 AND owner = $2",
        id.0,
        owner.0
    )
    .fetch_optional(db)
    .await?;
    row.map(Export::try_from).transpose()
}

pub async fn find(db: impl PgExecutor<'_>, id: DataExportId) -> Result<Option<Export>, Error> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, owner, state, file, bytes, asked_at, ready_at, expires_at, downloaded_at FROM privacy.export WHERE id = $1",
        id.0
    )
    .fetch_optional(db)
    .await?;
    row.map(Export::try_from).transpose()
}

pub async fn insert(
    conn: &mut PgConnection,
    id: DataExportId,
    owner: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO privacy.export (id, owner, state, asked_at) VALUES ($1, $2, 'asked', $3)",
        id.0,
        owner.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether it was still asked for.
pub async fn made(
    conn: &mut PgConnection,
    id: DataExportId,
    file: FileId,
    bytes: i64,
    (now, until): (OffsetDateTime, OffsetDateTime),
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE privacy.export SET state = 'ready', file = $2, bytes = $3, ready_at = $4, expires_at = $5, version = version + 1
         WHERE id = $1 AND state = 'asked'",
        id.0,
        file.0,
        bytes,
        now,
        until
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn downloaded(conn: &mut PgConnection, id: DataExportId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE privacy.export SET downloaded_at = $2, version = version + 1 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The file that it had.
pub async fn expire(conn: &mut PgConnection, id: DataExportId) -> Result<Option<FileId>, Error> {
    let file = sqlx::query_scalar!(
        r#"WITH old AS (SELECT id, file FROM privacy.export WHERE id = $1 AND state = 'ready' FOR UPDATE)
           UPDATE privacy.export e SET state = 'expired', file = NULL, version = version + 1 FROM old WHERE e.id = old.id
           RETURNING old.file AS "file!""#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(file.map(FileId))
}
