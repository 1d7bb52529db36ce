//! SQL of content.

use super::{
    model::{ContentFile, ContentKind, ContentStatus, ContentView, LessonProgress, StaffContentView},
    rules::{Languages, PREVIEW},
};
use crate::{
    error::Error,
    foundation::{http::Paging, listing, locale::Locale},
};
use protocol::ids::{ContentId, FileId, UserId};
use sqlx::{PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use time::OffsetDateTime;

/// An item with its file and how far its reader came.
#[derive(sqlx::FromRow)]
pub struct Row {
    id: ContentId,
    kind: String,
    language: String,
    title: String,
    body: String,
    place: i32,
    cover: Option<FileId>,
    file: Option<FileId>,
    file_name: Option<String>,
    file_mime: Option<String>,
    file_bytes: Option<i64>,
    seconds: Option<i32>,
    done: bool,
    author: String,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    published_at: Option<OffsetDateTime>,
    version: i64,
}

impl Row {
    fn kind(&self) -> ContentKind {
        if self.kind == ContentKind::Material.as_str() {
            ContentKind::Material
        } else {
            ContentKind::Lesson
        }
    }

    fn file(&self) -> Option<ContentFile> {
        Some(ContentFile {
            file: self.file?,
            name: self.file_name.clone()?,
            mime: self.file_mime.clone()?,
            bytes: self.file_bytes?,
        })
    }

    /// As customers see it; none of a draft.
    pub fn view(self) -> Option<ContentView> {
        Some(ContentView {
            id: self.id,
            kind: self.kind(),
            language: Locale::parse(&self.language).unwrap_or_default(),
            file: self.file(),
            progress: LessonProgress {
                seconds: self.seconds.unwrap_or_default(),
                done: self.done,
            },
            title: self.title,
            text: self.body,
            cover: self.cover,
            published_at: self.published_at?,
        })
    }

    pub fn staff_view(self) -> StaffContentView {
        StaffContentView {
            id: self.id,
            kind: self.kind(),
            language: Locale::parse(&self.language).unwrap_or_default(),
            status: match self.published_at {
                Some(_) => ContentStatus::Published,
                None => ContentStatus::Draft,
            },
            file: self.file(),
            title: self.title,
            text: self.body,
            order: self.place,
            cover: self.cover,
            author: self.author,
            created_at: self.created_at,
            updated_at: self.updated_at,
            published_at: self.published_at,
            version: self.version,
        }
    }
}

/// What is asked of the lists.
#[derive(Clone, Debug)]
pub struct Asked {
    pub kind: Option<ContentKind>,
    pub languages: Languages,
    pub status: Option<ContentStatus>,
    pub search: Option<String>,
}

/// Items as one reader sees them; `body` is an expression over them.
fn select(body: &str, reader: UserId) -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new(format!(
        "SELECT i.id, i.kind, i.language, i.title, {body} AS body, i.place, i.cover, i.file, f.name AS file_name, f.mime AS file_mime,
                f.bytes AS file_bytes, p.seconds, p.done_at IS NOT NULL AS done, a.username AS author, i.created_at, i.updated_at,
                i.published_at, i.version
         FROM content.item i JOIN identity.account a ON a.id = i.created_by LEFT JOIN foundation.file f ON f.id = i.file
         LEFT JOIN content.progress p ON p.item = i.id AND p.person = "
    ));
    query.push_bind(reader.0);
    query
}

fn restrict(query: &mut QueryBuilder<Postgres>, asked: &Asked) {
    query.push(" WHERE true");
    if let Some(kind) = asked.kind {
        query.push(" AND i.kind = ").push_bind(kind.as_str());
    }
    match asked.status {
        Some(ContentStatus::Published) => {
            query.push(" AND i.published_at IS NOT NULL");
        }
        Some(ContentStatus::Draft) => {
            query.push(" AND i.published_at IS NULL");
        }
        None => {}
    }
    match asked.languages {
        Languages::All => {}
        Languages::One(locale) => {
            query.push(" AND i.language = ").push_bind(locale.as_str());
        }
        Languages::Readers(locale) => {
            // Where nothing of this kind is written in the reader's language, what there is.
            query
                .push(" AND (i.language = ")
                .push_bind(locale.as_str())
                .push(" OR NOT EXISTS (SELECT FROM content.item o WHERE o.published_at IS NOT NULL AND o.kind = i.kind AND o.language = ")
                .push_bind(locale.as_str())
                .push("))");
        }
    }
    if let Some(search) = &asked.search {
        listing::any_like(query, &["i.title", "i.body"], search);
        query.push(")");
    }
}

/// A page of the items that are asked for, in their order.
pub async fn list(
    pool: &PgPool,
    reader: UserId,
    asked: &Asked,
    paging: &Paging,
) -> Result<(Vec<Row>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*) FROM content.item i");
    restrict(&mut all, asked);
    let total = listing::count(pool, all, paging).await?;
    let mut query = select(&format!("left(i.body, {PREVIEW})"), reader);
    restrict(&mut query, asked);
    query.push(" ORDER BY i.kind, i.place, i.created_at, i.id");
    Ok((listing::rows(pool, query, paging).await?, total))
}

/// One item, whole; a draft only where `drafts`.
pub async fn item(
    db: impl PgExecutor<'_>,
    reader: UserId,
    id: ContentId,
    drafts: bool,
) -> Result<Option<Row>, Error> {
    let mut query = select("i.body", reader);
    query
        .push(" WHERE i.id = ")
        .push_bind(id.0)
        .push(" AND (i.published_at IS NOT NULL OR ")
        .push_bind(drafts)
        .push(")");
    Ok(query.build_query_as().fetch_optional(db).await?)
}

/// Whether a file hangs on something published, or on a draft where those are shown.
pub async fn shows(db: impl PgExecutor<'_>, file: FileId, drafts: bool) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM content.item WHERE (file = $1 OR cover = $1) AND (published_at IS NOT NULL OR $2)) AS "is!""#,
        file.0,
        drafts
    )
    .fetch_one(db)
    .await?)
}

/// What decides about an item, locked until the change ends.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: String,
    pub language: String,
    pub title: String,
    pub body: String,
    pub place: i32,
    pub cover: Option<FileId>,
    pub file: Option<FileId>,
    pub published_at: Option<OffsetDateTime>,
    pub version: i64,
}

impl Item {
    /// Whether customers would find something to read or to open.
    pub fn is_complete(&self) -> bool {
        self.file.is_some() || self.kind == ContentKind::Lesson.as_str() && !self.body.is_empty()
    }
}

pub async fn lock(conn: &mut PgConnection, id: ContentId) -> Result<Option<Item>, Error> {
    Ok(sqlx::query_as!(
        Item,
        r#"SELECT kind, language, title, body, place, cover AS "cover: FileId", file AS "file: FileId", published_at, version
           FROM content.item WHERE id = $1 FOR UPDATE"#,
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

pub struct NewItem<'a> {
    pub id: ContentId,
    pub kind: ContentKind,
    pub language: Locale,
    pub title: &'a str,
    pub body: &'a str,
    /// Behind all others when none.
    pub place: Option<i32>,
    pub by: UserId,
    pub at: OffsetDateTime,
}

/// Stores a draft; false when the id is taken.
pub async fn insert(conn: &mut PgConnection, new: &NewItem<'_>) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO content.item (id, kind, language, title, body, place, created_by, created_at, updated_at)
         SELECT $1, $2, $3, $4, $5,
                coalesce($6, (SELECT least(coalesce(max(place), 0) + 10, 9999) FROM content.item WHERE kind = $2 AND language = $3)), $7, $8, $8
         ON CONFLICT (id) DO NOTHING",
        new.id.0,
        new.kind.as_str(),
        new.language.as_str(),
        new.title,
        new.body,
        new.place,
        new.by.0,
        new.at
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether this person made an item of this id.
pub async fn made_by(conn: &mut PgConnection, id: ContentId, by: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM content.item WHERE id = $1 AND created_by = $2) AS "is!""#,
        id.0,
        by.0
    )
    .fetch_one(conn)
    .await?)
}

pub async fn save(
    conn: &mut PgConnection,
    id: ContentId,
    item: &Item,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE content.item SET language = $2, title = $3, body = $4, place = $5, cover = $6, file = $7, published_at = $8,
                updated_at = $9, version = version + 1
         WHERE id = $1",
        id.0,
        item.language,
        item.title,
        item.body,
        item.place,
        item.cover.map(|file| file.0),
        item.file.map(|file| file.0),
        item.published_at,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn delete(conn: &mut PgConnection, id: ContentId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM content.item WHERE id = $1", id.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// What all files of content but one take, in bytes. Others that would add to it wait until the change ends.
pub async fn taken(conn: &mut PgConnection, but: Option<FileId>) -> Result<i64, Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('content.files', 0))")
        .execute(&mut *conn)
        .await?;
    Ok(sqlx::query_scalar!(
        r#"SELECT foundation.clamped(coalesce(sum(bytes), 0)) AS "bytes!" FROM foundation.file
           WHERE purpose IN ('content_cover', 'content_file') AND id IS DISTINCT FROM $1"#,
        but.map(|file| file.0)
    )
    .fetch_one(conn)
    .await?)
}

/// Notes how far somebody came in a published lesson; false when there is none. What is not said of its end stays.
pub async fn progress(
    db: impl PgExecutor<'_>,
    person: UserId,
    item: ContentId,
    seconds: i32,
    done: Option<bool>,
    at: OffsetDateTime,
) -> Result<bool, Error> {
    let written = sqlx::query!(
        "INSERT INTO content.progress (person, item, seconds, done_at, updated_at)
         SELECT $1, i.id, $3, CASE WHEN $4 THEN $5::timestamptz END, $5
         FROM content.item i WHERE i.id = $2 AND i.kind = 'lesson' AND i.published_at IS NOT NULL
         ON CONFLICT (person, item) DO UPDATE SET seconds = EXCLUDED.seconds, updated_at = EXCLUDED.updated_at,
             done_at = CASE WHEN $4 THEN coalesce(content.progress.done_at, EXCLUDED.updated_at)
                            WHEN $4 IS NULL THEN content.progress.done_at END",
        person.0,
        item.0,
        seconds,
        done,
        at
    )
    .execute(db)
    .await?;
    Ok(written.rows_affected() == 1)
}
