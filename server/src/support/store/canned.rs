//! SQL of canned replies.

use crate::{
    error::Error,
    support::model::{CannedReply, CannedTexts},
};
use protocol::ids::{CannedReplyId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// What a person typed of one.
pub struct CannedRow<'a> {
    pub id: CannedReplyId,
    pub title: &'a str,
    pub text: &'a CannedTexts,
    pub by: UserId,
    pub at: OffsetDateTime,
}

struct Row {
    id: CannedReplyId,
    title: String,
    body_pt: String,
    body_en: String,
    body_es: String,
    retired: bool,
    version: i64,
}

impl From<Row> for CannedReply {
    fn from(r: Row) -> Self {
        Self {
            id: r.id,
            title: r.title,
            text: CannedTexts {
                pt: r.body_pt,
                en: r.body_en,
                es: r.body_es,
            },
            retired: r.retired,
            version: r.version,
        }
    }
}

/// Those in use in their order, then the newest retired.
pub async fn canned_replies(db: impl PgExecutor<'_>) -> Result<Vec<CannedReply>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"(SELECT id AS "id!: CannedReplyId", title AS "title!", body_pt AS "body_pt!", body_en AS "body_en!", body_es AS "body_es!",
                  false AS "retired!", version AS "version!"
            FROM support.canned_reply WHERE retired_at IS NULL ORDER BY place)
           UNION ALL
           (SELECT id, title, body_pt, body_en, body_es, true, version
            FROM support.canned_reply WHERE retired_at IS NOT NULL ORDER BY retired_at DESC, id LIMIT 200)"#
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(CannedReply::from).collect())
}

/// Those in use, in their order. Whoever changes them waits here for whoever does already.
pub async fn lock_canned(conn: &mut PgConnection) -> Result<Vec<CannedReplyId>, Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('support.canned_reply', 166))")
        .execute(&mut *conn)
        .await?;
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: CannedReplyId" FROM support.canned_reply WHERE retired_at IS NULL ORDER BY place"#
    )
    .fetch_all(conn)
    .await?)
}

pub async fn canned_reply(db: impl PgExecutor<'_>, id: CannedReplyId) -> Result<Option<CannedReply>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id AS "id: CannedReplyId", title, body_pt, body_en, body_es, retired_at IS NOT NULL AS "retired!", version
           FROM support.canned_reply WHERE id = $1"#,
        id.0
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(CannedReply::from))
}

/// The database's own error is returned here and below, so that a title in use can be told.
pub async fn insert_canned(
    conn: &mut PgConnection,
    new: &CannedRow<'_>,
    place: i32,
) -> Result<CannedReply, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        r#"INSERT INTO support.canned_reply (id, title, body_pt, body_en, body_es, place, changed_by, created_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
           RETURNING id AS "id: CannedReplyId", title, body_pt, body_en, body_es, false AS "retired!", version"#,
        new.id.0,
        new.title,
        new.text.pt,
        new.text.en,
        new.text.es,
        place,
        new.by.0,
        new.at
    )
    .fetch_one(conn)
    .await?;
    Ok(row.into())
}

pub async fn edit_canned(conn: &mut PgConnection, new: &CannedRow<'_>) -> Result<CannedReply, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        r#"UPDATE support.canned_reply
           SET title = $2, body_pt = $3, body_en = $4, body_es = $5, changed_by = $6, updated_at = $7, version = version + 1
           WHERE id = $1
           RETURNING id AS "id: CannedReplyId", title, body_pt, body_en, body_es, retired_at IS NOT NULL AS "retired!", version"#,
        new.id.0,
        new.title,
        new.text.pt,
        new.text.en,
        new.text.es,
        new.by.0,
        new.at
    )
    .fetch_one(conn)
    .await?;
    Ok(row.into())
}

/// Gives one a place among those in use, or retires it.
pub async fn place_canned(
    conn: &mut PgConnection,
    id: CannedReplyId,
    place: Option<i32>,
    by: UserId,
    at: OffsetDateTime,
) -> Result<CannedReply, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        r#"UPDATE support.canned_reply
           SET place = $2, retired_at = CASE WHEN $2::integer IS NULL THEN $4::timestamptz END, changed_by = $3, updated_at = $4,
               version = version + 1
           WHERE id = $1
           RETURNING id AS "id: CannedReplyId", title, body_pt, body_en, body_es, retired_at IS NOT NULL AS "retired!", version"#,
        id.0,
        place,
        by.0,
        at
    )
    .fetch_one(conn)
    .await?;
    Ok(row.into())
}

/// Those behind one that left move up.
pub async fn close_gap(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE support.canned_reply r SET place = o.place
         FROM (SELECT id, (row_number() OVER (ORDER BY place))::integer AS place FROM support.canned_reply WHERE retired_at IS NULL) o
         WHERE o.id = r.id AND o.place <> r.place"
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts those in use in this order: all of them, each once.
pub async fn order_canned(conn: &mut PgConnection, ids: &[CannedReplyId]) -> Result<(), Error> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    sqlx::query!(
        "UPDATE support.canned_reply r SET place = o.place::integer
         FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, place) WHERE o.id = r.id",
        &ids
    )
    .execute(conn)
    .await?;
    Ok(())
}
