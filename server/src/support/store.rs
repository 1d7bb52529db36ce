//! SQL of tickets and messages. Deleted tickets are never read.

mod canned;
mod desk;
mod found;
mod lists;
mod merging;
mod notes;
mod own;
mod ratings;
mod writing;

pub use canned::{
    CannedRow, canned_replies, canned_reply, close_gap, edit_canned, insert_canned, lock_canned,
    order_canned, place_canned,
};
pub use desk::{agents, answers, days, desk, take};
pub use found::{found, found_in_all};
pub use lists::{Filter, Taken, list, staff_list};
pub use merging::{doubles, hold_with_kin, merge, part};
pub use notes::{NewNote, add_note, noted, notes};
pub use own::{attach, edit, lock_message};
pub use ratings::{rate, rating, ratings_by_agent, ratings_by_day, said};
pub use writing::{NewMessage, write};

use super::{
    model::{Brief, CustomerPanel},
    rules::Written,
};
use crate::{error::Error, identity::caller::Scope};
use protocol::{
    ids::{FileId, MessageId, TicketId, UserId},
    views::{AttachmentView, MessageView, TicketCategory, TicketLink, TicketSide, TicketStatus, TicketView},
};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// A ticket's row, locked.
pub struct Locked {
    pub owner: UserId,
    pub status: TicketStatus,
    pub last_number: i64,
    pub read_by_customer: i64,
    pub read_by_staff: i64,
    pub closed_at: Option<OffsetDateTime>,
    pub taken_by: Option<UserId>,
    pub first_answered_at: Option<OffsetDateTime>,
    pub notes: i32,
    pub merged_into: Option<TicketId>,
    pub doubles: i32,
}

/// Locks a ticket that the scope may touch.
pub async fn lock(conn: &mut PgConnection, scope: Scope, id: TicketId) -> Result<Option<Locked>, Error> {
    Ok(sqlx::query_as!(
        Locked,
        r#"SELECT owner AS "owner: UserId", status AS "status: TicketStatus", last_number, read_by_customer, read_by_staff, closed_at,
                  taken_by AS "taken_by: UserId", first_answered_at, notes, merged_into AS "merged_into: TicketId", doubles
           FROM support.ticket WHERE id = $1 AND ($2::uuid IS NULL OR owner = $2) AND deleted_at IS NULL FOR UPDATE"#,
        id.0,
        scope.owner()
    )
    .fetch_optional(conn)
    .await?)
}

#[derive(sqlx::FromRow)]
struct TicketRow {
    id: TicketId,
    number: i64,
    owner: UserId,
    owner_name: String,
    subject: String,
    category: TicketCategory,
    status: TicketStatus,
    last_number: i64,
    last_message: String,
    read_by_customer: i64,
    read_by_staff: i64,
    waiting_since: Option<OffsetDateTime>,
    last_message_at: OffsetDateTime,
    created_at: OffsetDateTime,
    closed_at: Option<OffsetDateTime>,
    asks_rating: bool,
    merged_into: Option<TicketId>,
    merged_number: Option<i64>,
    doubles: i32,
    deleted: bool,
    version: i64,
}

impl From<TicketRow> for TicketView {
    fn from(r: TicketRow) -> Self {
        Self {
            id: r.id,
            number: r.number,
            user: r.owner,
            user_name: r.owner_name,
            subject: r.subject,
            category: r.category,
            status: r.status,
            last_number: r.last_number,
            last_message: r.last_message,
            read_by_customer: r.read_by_customer,
            read_by_staff: r.read_by_staff,
            waiting_since: r.waiting_since,
            last_message_at: r.last_message_at,
            created_at: r.created_at,
            closed_at: r.closed_at,
            asks_rating: r.asks_rating,
            merged_into: r
                .merged_into
                .zip(r.merged_number)
                .map(|(id, number)| TicketLink { id, number }),
            doubles: r.doubles,
            deleted: r.deleted,
            version: r.version,
        }
    }
}

/// A ticket as the scope sees it; one that has just been deleted too, so that its end can be told.
async fn find(
    db: impl PgExecutor<'_>,
    scope: Scope,
    id: TicketId,
    deleted_too: bool,
) -> Result<Option<TicketView>, Error> {
    let row = sqlx::query_as!(
        TicketRow,
        r#"SELECT t.id AS "id: TicketId", t.number, t.owner AS "owner: UserId", a.full_name AS owner_name, t.subject,
                  t.category AS "category: TicketCategory", t.status AS "status: TicketStatus", t.last_number, t.last_message,
                  t.read_by_customer, t.read_by_staff, t.waiting_since, t.last_message_at, t.created_at, t.closed_at,
                  t.status = 'closed' AND t.first_answered_at IS NOT NULL AND r.ticket IS NULL AND t.merged_into IS NULL AS "asks_rating!",
                  t.merged_into AS "merged_into: TicketId", g.number AS "merged_number?", t.doubles,
                  t.deleted_at IS NOT NULL AS "deleted!", t.version
           FROM support.ticket t JOIN identity.account a ON a.id = t.owner LEFT JOIN support.rating r ON r.ticket = t.id
           LEFT JOIN support.ticket g ON g.id = t.merged_into
           WHERE t.id = $1 AND ($2::uuid IS NULL OR t.owner = $2) AND ($3 OR t.deleted_at IS NULL)"#,
        id.0,
        scope.owner(),
        deleted_too
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(TicketView::from))
}

pub async fn ticket(
    db: impl PgExecutor<'_>,
    scope: Scope,
    id: TicketId,
) -> Result<Option<TicketView>, Error> {
    find(db, scope, id, false).await
}

/// The ticket after a change in this transaction.
pub async fn after_change(conn: &mut PgConnection, scope: Scope, id: TicketId) -> Result<TicketView, Error> {
    find(conn, scope, id, true)
        .await?
        .ok_or_else(|| Error::internal("a changed ticket is gone"))
}

pub struct NewRow<'a> {
    pub id: TicketId,
    pub owner: UserId,
    pub subject: &'a str,
    pub category: TicketCategory,
    pub about: Option<(&'a str, Uuid)>,
    pub at: OffsetDateTime,
}

pub async fn insert(conn: &mut PgConnection, new: &NewRow<'_>) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO support.ticket (id, owner, subject, category, about_kind, about_id, last_message_at, waiting_since, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7)",
        new.id.0,
        new.owner.0,
        new.subject,
        new.category.as_str(),
        new.about.map(|(kind, _)| kind),
        new.about.map(|(_, id)| id),
        new.at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a person has written so far, beside one ticket. Holds the person's writing until the transaction ends.
pub async fn written(
    conn: &mut PgConnection,
    owner: UserId,
    beside: Option<TicketId>,
    since: OffsetDateTime,
    nth: i64,
) -> Result<Written, Error> {
    Ok(sqlx::query_as!(
        Written,
        r#"SELECT other_open AS "other_open!", oldest_counted FROM support.written($1, $2, $3, $4)"#,
        owner.0,
        beside.map(|t| t.0),
        since,
        nth - 1
    )
    .fetch_one(conn)
    .await?)
}

struct MessageRow {
    id: MessageId,
    ticket: TicketId,
    number: i64,
    author: UserId,
    author_name: String,
    author_avatar: Option<FileId>,
    side: TicketSide,
    body: String,
    client_id: Option<Uuid>,
    attachment: Option<FileId>,
    attachment_name: Option<String>,
    attachment_mime: Option<String>,
    attachment_size: Option<i64>,
    edited: bool,
    deleted: bool,
    mailed_to: Option<String>,
    created_at: OffsetDateTime,
}

impl From<MessageRow> for MessageView {
    fn from(r: MessageRow) -> Self {
        let attachment = match (
            r.attachment,
            r.attachment_name,
            r.attachment_mime,
            r.attachment_size,
        ) {
            (Some(file), Some(name), Some(mime), Some(bytes)) if !r.deleted => Some(AttachmentView {
                file,
                name,
                mime,
                bytes,
            }),
            _ => None,
        };
        Self {
            id: r.id,
            ticket: r.ticket,
            number: r.number,
            author: r.author,
            author_name: r.author_name,
            author_avatar: r.author_avatar,
            side: r.side,
            text: if r.deleted { String::new() } else { r.body },
            attachment,
            edited: r.edited,
            deleted: r.deleted,
            client_id: r.client_id,
            mailed_to: r.mailed_to,
            created_at: r.created_at,
        }
    }
}

/// Messages of a ticket with numbers in the open interval, in order. Numbers have no gap, so the interval bounds the answer.
pub async fn messages(
    db: impl PgExecutor<'_>,
    ticket: TicketId,
    after: i64,
    before: i64,
) -> Result<Vec<MessageView>, Error> {
    let rows = sqlx::query_as!(
        MessageRow,
        r#"SELECT m.id AS "id: MessageId", m.ticket AS "ticket: TicketId", m.number, m.author AS "author: UserId", a.full_name AS author_name,
                  a.avatar AS "author_avatar: FileId", m.side AS "side: TicketSide", m.body, m.client_id, m.attachment AS "attachment: FileId", m.attachment_name, m.attachment_mime,
                  m.attachment_size, m.edited_at IS NOT NULL AS "edited!", m.deleted_at IS NOT NULL AS "deleted!", m.mailed_to, m.created_at
           FROM support.message m JOIN identity.account a ON a.id = m.author
           WHERE m.ticket = $1 AND m.number > $2 AND m.number < $3 ORDER BY m.number"#,
        ticket.0,
        after,
        before
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(MessageView::from).collect())
}

/// One message by its number.
pub async fn message(
    db: impl PgExecutor<'_>,
    ticket: TicketId,
    number: i64,
) -> Result<Option<MessageView>, Error> {
    Ok(messages(db, ticket, number - 1, number + 1).await?.pop())
}

/// Where the message stands that its author sent under this id.
pub async fn sent(
    db: impl PgExecutor<'_>,
    author: UserId,
    client_id: Uuid,
) -> Result<Option<(TicketId, i64)>, Error> {
    let row = sqlx::query!(
        r#"SELECT m.ticket AS "ticket: TicketId", m.number FROM support.message m JOIN support.ticket t ON t.id = m.ticket
           WHERE m.author = $1 AND m.client_id = $2 AND t.deleted_at IS NULL"#,
        author.0,
        client_id
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| (r.ticket, r.number)))
}

/// The ticket's row changed in something that lists show.
pub async fn touch(conn: &mut PgConnection, id: TicketId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE support.ticket SET version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether a file hangs on a message that the scope may see.
pub async fn shows_file(db: impl PgExecutor<'_>, scope: Scope, file: FileId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM support.message m JOIN support.ticket t ON t.id = m.ticket
           WHERE m.attachment = $1 AND m.deleted_at IS NULL AND t.deleted_at IS NULL AND ($2::uuid IS NULL OR t.owner = $2)) AS "is!""#,
        file.0,
        scope.owner()
    )
    .fetch_one(db)
    .await?)
}

pub async fn read(conn: &mut PgConnection, id: TicketId, side: TicketSide, up_to: i64) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE support.ticket SET version = version + 1,
             read_by_customer = CASE WHEN $2 = 'customer' THEN greatest(read_by_customer, $3) ELSE read_by_customer END,
             read_by_staff = CASE WHEN $2 = 'staff' THEN greatest(read_by_staff, $3) ELSE read_by_staff END
         WHERE id = $1",
        id.0,
        side.as_str(),
        up_to
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn close(
    conn: &mut PgConnection,
    id: TicketId,
    by: UserId,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE support.ticket SET status = 'closed', closed_at = $3, closed_by = $2, version = version + 1 WHERE id = $1",
        id.0,
        by.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn delete(conn: &mut PgConnection, id: TicketId, at: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE support.ticket SET deleted_at = $2, version = version + 1 WHERE id = $1",
        id.0,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a ticket is about: kind and id.
pub async fn about(db: impl PgExecutor<'_>, id: TicketId) -> Result<Option<(String, Uuid)>, Error> {
    let row = sqlx::query!(
        "SELECT about_kind, about_id FROM support.ticket WHERE id = $1",
        id.0
    )
    .fetch_optional(db)
    .await?;
    Ok(row.and_then(|r| r.about_kind.zip(r.about_id)))
}

/// Tickets that are told of a change of what they are about. Nothing bounds how many somebody opens about one thing: of more the older ones see it when
/// they are opened.
const TOLD: i64 = 20;

/// The newest tickets that are about a thing.
pub async fn tickets_about(conn: &mut PgConnection, kind: &str, about: Uuid) -> Result<Vec<TicketId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: TicketId" FROM support.ticket
           WHERE about_kind = $1 AND about_id = $2 AND deleted_at IS NULL ORDER BY id DESC LIMIT $3"#,
        kind,
        about,
        TOLD
    )
    .fetch_all(conn)
    .await?)
}

pub async fn brief(db: impl PgExecutor<'_>, id: TicketId) -> Result<Option<Brief>, Error> {
    Ok(sqlx::query_as!(
        Brief,
        r#"SELECT owner AS "owner: UserId", number, read_by_customer, read_by_staff, taken_by AS "holder: UserId", closed_by AS "closed_by: UserId"
           FROM support.ticket WHERE id = $1 AND deleted_at IS NULL"#,
        id.0
    )
    .fetch_optional(db)
    .await?)
}

/// How many tickets wait for an answer, and since when the oldest.
pub async fn waiting(db: impl PgExecutor<'_>) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "waiting!", min(waiting_since) AS oldest FROM support.ticket
           WHERE status = 'open' AND waiting_since IS NOT NULL AND deleted_at IS NULL"#
    )
    .fetch_one(db)
    .await?;
    Ok((row.waiting, row.oldest))
}

/// Open tickets that wait, that nobody has taken, and to which something came since then, but for this person's own.
pub async fn untaken(db: impl PgExecutor<'_>, but: UserId, since: OffsetDateTime) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM support.ticket
           WHERE status = 'open' AND waiting_since IS NOT NULL AND taken_by IS NULL AND deleted_at IS NULL
             AND owner <> $1 AND last_message_at >= $2"#,
        but.0,
        since
    )
    .fetch_one(db)
    .await?)
}

/// The person behind a ticket; their latest subjects are added by the caller.
pub async fn customer(db: impl PgExecutor<'_>, owner: UserId) -> Result<Option<CustomerPanel>, Error> {
    let row = sqlx::query!(
        r#"SELECT a.id AS "id: UserId", a.full_name, a.username, a.status, a.locale, a.created_at,
                  (SELECT count(*) FROM support.ticket t WHERE t.owner = a.id AND t.deleted_at IS NULL) AS "tickets!",
                  (SELECT count(*) FROM support.ticket t WHERE t.owner = a.id AND t.deleted_at IS NULL AND t.status = 'open') AS "open!"
           FROM identity.account a WHERE a.id = $1"#,
        owner.0
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| CustomerPanel {
        id: r.id,
        full_name: r.full_name,
        username: r.username,
        status: r.status,
        locale: r.locale,
        created_at: r.created_at,
        tickets: r.tickets,
        open_tickets: r.open,
        recent: Vec::new(),
    }))
}
