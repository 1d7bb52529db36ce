//! SQL of announcements.

use super::{AnnouncementText, AnnouncementView, InLanguages};
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
};
use protocol::ids::{AnnouncementId, NotificationId, UserId};
use serde_json::{Value, json};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

/// The code of their lines.
pub const CODE: &str = "announcement";

pub struct New<'a> {
    pub id: AnnouncementId,
    pub title: Value,
    pub body: Value,
    pub role: Option<&'a str>,
    pub by: UserId,
}

/// Holds publishing until the transaction ends.
pub async fn lock(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('notifications.announcement', 12))")
        .execute(conn)
        .await?;
    Ok(())
}

/// Stores one; false where its id is taken.
pub async fn insert(conn: &mut PgConnection, new: &New<'_>, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO notifications.announcement (id, title, body, role, by, created_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (id) DO NOTHING",
        new.id.0,
        new.title,
        new.body,
        new.role,
        new.by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn made_by(conn: &mut PgConnection, id: AnnouncementId, by: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM notifications.announcement WHERE id = $1 AND by = $2) AS "is!""#,
        id.0,
        by.0
    )
    .fetch_one(conn)
    .await?)
}

pub async fn count_since(conn: &mut PgConnection, since: OffsetDateTime) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM notifications.announcement WHERE created_at > $1"#,
        since
    )
    .fetch_one(conn)
    .await?)
}

/// How many active people of a role there are; of all roles without one.
pub async fn audience(db: impl PgExecutor<'_>, role: Option<&str>) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM identity.account a
           WHERE NOT a.is_house AND a.status = 'active' AND a.email_confirmed_at IS NOT NULL
             AND ($1::text IS NULL OR EXISTS (SELECT FROM identity.account_role g JOIN identity.role r ON r.id = g.role
                                              WHERE g.account = a.id AND r.name = $1))"#,
        role
    )
    .fetch_one(db)
    .await?)
}

#[derive(FromRow)]
struct Listed {
    id: Uuid,
    title: Json<InLanguages>,
    body: Json<InLanguages>,
    role: Option<String>,
    author: String,
    told: i64,
    done: bool,
    created_at: OffsetDateTime,
}

impl From<Listed> for AnnouncementView {
    fn from(row: Listed) -> Self {
        Self {
            id: AnnouncementId(row.id),
            title: row.title.0,
            text: row.body.0,
            role: row.role,
            by: row.author,
            told: row.told,
            done: row.done,
            created_at: row.created_at,
        }
    }
}

const COLUMNS: &str = "SELECT n.id, n.title, n.body, n.role, a.username AS author, n.told, n.done_at IS NOT NULL AS done, n.created_at
    FROM notifications.announcement n JOIN identity.account a ON a.id = n.by";

pub async fn page(pool: &PgPool, paging: &Paging) -> Result<(Vec<AnnouncementView>, i64), Error> {
    let all: QueryBuilder<Postgres> = QueryBuilder::new("SELECT count(*) FROM notifications.announcement");
    let total = listing::count(pool, all, paging).await?;
    let mut query: QueryBuilder<Postgres> = QueryBuilder::new(COLUMNS);
    query.push(" ORDER BY n.created_at DESC, n.id DESC");
    let rows: Vec<Listed> = listing::rows(pool, query, paging).await?;
    Ok((rows.into_iter().map(AnnouncementView::from).collect(), total))
}

pub async fn view(conn: &mut PgConnection, id: AnnouncementId) -> Result<Option<AnnouncementView>, Error> {
    let mut query: QueryBuilder<Postgres> = QueryBuilder::new(COLUMNS);
    query.push(" WHERE n.id = ").push_bind(id.0);
    let row: Option<Listed> = query.build_query_as().fetch_optional(conn).await?;
    Ok(row.map(AnnouncementView::from))
}

/// The words, for who has a line of them.
pub async fn read(
    db: impl PgExecutor<'_>,
    id: AnnouncementId,
    reader: UserId,
) -> Result<Option<AnnouncementText>, Error> {
    let row = sqlx::query!(
        r#"SELECT title AS "title: Json<InLanguages>", body AS "body: Json<InLanguages>", created_at FROM notifications.announcement
           WHERE id = $1 AND EXISTS (SELECT FROM notifications.line l WHERE l.owner = $2 AND l.about = $1 AND l.code = $3)"#,
        id.0,
        reader.0,
        CODE
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| AnnouncementText {
        id,
        title: row.title.0,
        text: row.body.0,
        created_at: row.created_at,
    }))
}

/// Where the telling of one stands.
pub struct UnderWay {
    title: Value,
    role: Option<String>,
    created_at: OffsetDateTime,
    told_to: Uuid,
}

/// One whose readers are not all told, its row held until the transaction ends.
pub async fn under_way(conn: &mut PgConnection, id: AnnouncementId) -> Result<Option<UnderWay>, Error> {
    Ok(sqlx::query_as!(
        UnderWay,
        "SELECT title, role, created_at, told_to FROM notifications.announcement WHERE id = $1 AND done_at IS NULL FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

/// A line that was written.
pub struct Written {
    pub id: NotificationId,
    pub owner: UserId,
    pub params: Value,
    pub quiet: bool,
}

/// Writes the lines of the next readers, by their ids: who was there when it was published and is active. One reader has one line, by the name
/// of the fact that there is none of.
pub async fn write(
    conn: &mut PgConnection,
    id: AnnouncementId,
    row: &UnderWay,
    most: i64,
    now: OffsetDateTime,
) -> Result<Vec<Written>, Error> {
    let params = json!({ "announcement": id, "title": row.title });
    let lines = sqlx::query!(
        r#"INSERT INTO notifications.line AS l (id, owner, code, params, about, stream, epoch, seq, at)
           SELECT gen_random_uuid(), a.id, $2::text, $3::jsonb, $1::uuid, 'announcement:' || $1::uuid::text || ':' || a.id::text, 0, 0, $4::timestamptz
           FROM identity.account a
           WHERE a.id > $5 AND a.created_at <= $6 AND NOT a.is_house AND a.status = 'active' AND a.email_confirmed_at IS NOT NULL
             AND ($7::text IS NULL OR EXISTS (SELECT FROM identity.account_role g JOIN identity.role r ON r.id = g.role
                                              WHERE g.account = a.id AND r.name = $7))
           ORDER BY a.id LIMIT $8
           RETURNING id AS "id: NotificationId", owner AS "owner: UserId",
               EXISTS (SELECT FROM notifications.quiet q WHERE q.owner = l.owner AND q.channel = 'toast' AND q.topic = 'news') AS "quiet!""#,
        id.0,
        CODE,
        params,
        now,
        row.told_to,
        row.created_at,
        row.role,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(lines
        .into_iter()
        .map(|line| Written {
            id: line.id,
            owner: line.owner,
            params: params.clone(),
            quiet: line.quiet,
        })
        .collect())
}

/// All up to this reader have their line.
pub async fn advance(
    conn: &mut PgConnection,
    id: AnnouncementId,
    last: UserId,
    more: i64,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.announcement SET told_to = $2, told = told + $3 WHERE id = $1",
        id.0,
        last.0,
        more
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn done(conn: &mut PgConnection, id: AnnouncementId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.announcement SET done_at = $2 WHERE id = $1 AND done_at IS NULL",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
