//! SQL of a new message.

use super::{TicketRow, desk::DeskRow};
use crate::support::model;
use protocol::{
    ids::{FileId, MessageId, TicketId, UserId},
    views::{MessageView, TicketCategory, TicketSide, TicketStatus},
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

pub struct NewMessage<'a> {
    pub id: MessageId,
    pub ticket: TicketId,
    pub author: UserId,
    pub side: TicketSide,
    pub body: &'a str,
    /// As lists show it.
    pub preview: &'a str,
    /// It ends the customer's waiting, and takes a ticket that nobody has taken.
    pub answers: bool,
    pub client_id: Option<Uuid>,
    pub mailed_to: Option<&'a str>,
    pub at: OffsetDateTime,
}

/// Stores a message under the ticket's next number and notes it in the ticket's row; the caller holds the row's lock. The writer has
/// read everything up to their own message; what its customer says opens a closed ticket again. None when this author's client id has come before; the database's own error is returned, so
/// that one which comes to two tickets at once can be told.
pub async fn write(
    conn: &mut PgConnection,
    new: &NewMessage<'_>,
) -> Result<Option<model::Stored>, sqlx::Error> {
    let row = sqlx::query!(
        r#"WITH t AS (
               UPDATE support.ticket SET
                   -- What its customer says opens it again.
                   status = CASE WHEN $4 = 'customer' AND $9::text IS NULL THEN 'open' ELSE status END,
                   closed_at = CASE WHEN $4 = 'customer' AND $9::text IS NULL THEN NULL ELSE closed_at END,
                   closed_by = CASE WHEN $4 = 'customer' AND $9::text IS NULL THEN NULL ELSE closed_by END,
                   last_number = last_number + 1, last_message = $6, last_message_at = $10, version = version + 1,
                   taken_by = CASE WHEN $7 THEN COALESCE(taken_by, $3) ELSE taken_by END,
                   taken_at = CASE WHEN $7 THEN COALESCE(taken_at, $10) ELSE taken_at END,
                   first_answered_at = CASE WHEN $7 THEN COALESCE(first_answered_at, $10) ELSE first_answered_at END,
                   waiting_since = CASE WHEN $7 THEN NULL WHEN $4 = 'customer' THEN COALESCE(waiting_since, $10) ELSE waiting_since END,
                   read_by_customer = CASE WHEN $4 = 'customer' THEN last_number + 1 ELSE read_by_customer END,
                   read_by_staff = CASE WHEN $4 = 'staff' THEN last_number + 1 ELSE read_by_staff END
               WHERE id = $2 AND NOT EXISTS (SELECT FROM support.message m WHERE m.author = $3 AND m.client_id = $8)
               RETURNING *
           ), m AS (
               INSERT INTO support.message (ticket, number, id, author, side, body, client_id, created_at, mailed_to)
               SELECT t.id, t.last_number, $1, $3, $4, $5, $8, $10, $9 FROM t
               RETURNING number
           )
           SELECT t.id AS "id: TicketId", t.number, t.owner AS "owner: UserId", o.full_name AS owner_name, t.subject,
                  t.category AS "category: TicketCategory", t.status AS "status: TicketStatus", t.last_number, t.last_message,
                  t.read_by_customer, t.read_by_staff, t.waiting_since, t.last_message_at, t.created_at, t.closed_at,
                  t.status = 'closed' AND t.first_answered_at IS NOT NULL AND r.ticket IS NULL AND t.merged_into IS NULL AS "asks_rating!",
                  t.merged_into AS "merged_into: TicketId", g.number AS "merged_number?", t.doubles,
                  t.deleted_at IS NOT NULL AS "deleted!", t.version, a.full_name AS author_name,
                  a.avatar AS "author_avatar: FileId",
                  t.taken_by AS "taken_by: UserId", h.full_name AS "taken_name?", t.taken_at, t.first_answered_at, t.notes, r.score AS "rating?"
           FROM t JOIN m ON m.number = t.last_number
           JOIN identity.account o ON o.id = t.owner JOIN identity.account a ON a.id = $3
           LEFT JOIN identity.account h ON h.id = t.taken_by LEFT JOIN support.rating r ON r.ticket = t.id
           LEFT JOIN support.ticket g ON g.id = t.merged_into"#,
        new.id.0,
        new.ticket.0,
        new.author.0,
        new.side.as_str(),
        new.body,
        new.preview,
        new.answers,
        new.client_id,
        new.mailed_to,
        new.at
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| {
        let message = MessageView {
            id: new.id,
            ticket: new.ticket,
            number: r.last_number,
            author: new.author,
            author_name: r.author_name,
            author_avatar: r.author_avatar,
            side: new.side,
            text: new.body.to_owned(),
            attachment: None,
            edited: false,
            deleted: false,
            client_id: new.client_id,
            mailed_to: new.mailed_to.map(str::to_owned),
            created_at: new.at,
        };
        let ticket = TicketRow {
            id: r.id,
            number: r.number,
            owner: r.owner,
            owner_name: r.owner_name,
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
            merged_into: r.merged_into,
            merged_number: r.merged_number,
            doubles: r.doubles,
            deleted: r.deleted,
            version: r.version,
        };
        let desk = DeskRow {
            id: r.id,
            taken_by: r.taken_by,
            taken_name: r.taken_name,
            taken_at: r.taken_at,
            first_answered_at: r.first_answered_at,
            notes: r.notes,
            rating: r.rating,
            version: r.version,
        };
        let written = model::Written {
            ticket: ticket.into(),
            message,
        };
        model::Stored {
            written,
            desk: desk.into(),
        }
    }))
}
