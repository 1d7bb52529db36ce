//! SQL of internal notes.

use crate::{error::Error, support::model::TicketNote};
use protocol::{
    ids::{TicketId, TicketNoteId, UserId},
    views::DeskAgent,
};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

pub struct NewNote<'a> {
    pub id: TicketNoteId,
    pub ticket: TicketId,
    pub author: UserId,
    pub body: &'a str,
    pub client_id: Uuid,
    pub at: OffsetDateTime,
}

struct NoteRow {
    id: TicketNoteId,
    number: i32,
    author: UserId,
    author_name: String,
    body: String,
    created_at: OffsetDateTime,
}

impl From<NoteRow> for TicketNote {
    fn from(r: NoteRow) -> Self {
        Self {
            id: r.id,
            number: r.number,
            author: DeskAgent {
                id: r.author,
                name: r.author_name,
            },
            text: r.body,
            created_at: r.created_at,
        }
    }
}

/// Stores a note under the ticket's next number; the caller holds the row's lock. The database's own error is returned, so that a client id which
/// comes to two tickets at once can be told.
pub async fn add_note(conn: &mut PgConnection, new: &NewNote<'_>) -> Result<TicketNote, sqlx::Error> {
    let row = sqlx::query_as!(
        NoteRow,
        r#"WITH t AS (
               UPDATE support.ticket SET notes = notes + 1, version = version + 1 WHERE id = $2 RETURNING notes
           ), n AS (
               INSERT INTO support.note (ticket, number, id, author, body, client_id, created_at)
               SELECT $2, t.notes, $1::uuid, $3::uuid, $4::text, $5, $6::timestamptz FROM t RETURNING number
           )
           SELECT $1::uuid AS "id!: TicketNoteId", n.number AS "number!", a.id AS "author: UserId", a.full_name AS author_name,
                  $4::text AS "body!", $6::timestamptz AS "created_at!"
           FROM n JOIN identity.account a ON a.id = $3::uuid"#,
        new.id.0,
        new.ticket.0,
        new.author.0,
        new.body,
        new.client_id,
        new.at
    )
    .fetch_one(conn)
    .await?;
    Ok(row.into())
}

/// The note that its author sent under this id, and its ticket.
pub async fn noted(
    db: impl PgExecutor<'_>,
    author: UserId,
    client_id: Uuid,
) -> Result<Option<(TicketId, TicketNote)>, Error> {
    let row = sqlx::query!(
        r#"SELECT n.ticket AS "ticket: TicketId", n.id AS "id: TicketNoteId", n.number, n.author AS "author: UserId", a.full_name AS author_name,
                  n.body, n.created_at
           FROM support.note n JOIN identity.account a ON a.id = n.author WHERE n.author = $1 AND n.client_id = $2"#,
        author.0,
        client_id
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| {
        let note = NoteRow {
            id: r.id,
            number: r.number,
            author: r.author,
            author_name: r.author_name,
            body: r.body,
            created_at: r.created_at,
        };
        (r.ticket, note.into())
    }))
}

/// A ticket's notes in their order: a ticket holds so many at most that all are read at once.
pub async fn notes(db: impl PgExecutor<'_>, ticket: TicketId) -> Result<Vec<TicketNote>, Error> {
    let rows = sqlx::query_as!(
        NoteRow,
        r#"SELECT n.id AS "id: TicketNoteId", n.number, n.author AS "author: UserId", a.full_name AS author_name, n.body, n.created_at
           FROM support.note n JOIN identity.account a ON a.id = n.author WHERE n.ticket = $1 ORDER BY n.number"#,
        ticket.0
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(TicketNote::from).collect())
}
