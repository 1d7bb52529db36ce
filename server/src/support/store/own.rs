//! SQL of a message that its author corrects or completes.

use super::MessageRow;
use crate::{error::Error, identity::caller::Scope};
use protocol::{
    ids::{FileId, MessageId, TicketId, UserId},
    views::{AttachmentView, MessageView, TicketSide},
};
use sqlx::PgConnection;
use time::OffsetDateTime;

/// A message whose ticket the scope may see, and whether this ticket was merged into another. Both are locked, the ticket first, as by
/// everybody: what somebody else has just made of them is seen.
pub async fn lock_message(
    conn: &mut PgConnection,
    scope: Scope,
    id: MessageId,
) -> Result<Option<(MessageView, bool)>, Error> {
    let row = sqlx::query!(
        r#"SELECT m.id AS "id: MessageId", m.ticket AS "ticket: TicketId", m.number, m.author AS "author: UserId", a.full_name AS author_name,
                  a.avatar AS "author_avatar: FileId", m.side AS "side: TicketSide", m.body, m.client_id, m.attachment AS "attachment: FileId", m.attachment_name, m.attachment_mime,
                  m.attachment_size, m.edited_at IS NOT NULL AS "edited!", m.deleted_at IS NOT NULL AS "deleted!", m.mailed_to, m.created_at,
                  t.merged_into IS NOT NULL AS "merged!"
           FROM support.ticket t JOIN support.message m ON m.ticket = t.id JOIN identity.account a ON a.id = m.author
           WHERE m.id = $1 AND ($2::uuid IS NULL OR t.owner = $2) AND t.deleted_at IS NULL FOR UPDATE OF t, m"#,
        id.0,
        scope.owner()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| {
        let message = MessageRow {
            id: r.id,
            ticket: r.ticket,
            number: r.number,
            author: r.author,
            author_name: r.author_name,
            author_avatar: r.author_avatar,
            side: r.side,
            body: r.body,
            client_id: r.client_id,
            attachment: r.attachment,
            attachment_name: r.attachment_name,
            attachment_mime: r.attachment_mime,
            attachment_size: r.attachment_size,
            edited: r.edited,
            deleted: r.deleted,
            mailed_to: r.mailed_to,
            created_at: r.created_at,
        };
        (message.into(), r.merged)
    }))
}

/// Writes a message's text anew. Whether it is its ticket's newest one: lists show that, and the ticket's row has changed with it.
pub async fn edit(
    conn: &mut PgConnection,
    (ticket, number): (TicketId, i64),
    body: &str,
    preview: &str,
    at: OffsetDateTime,
) -> Result<bool, Error> {
    let newest = sqlx::query!(
        "WITH m AS (UPDATE support.message SET body = $3, edited_at = $5 WHERE ticket = $1 AND number = $2)
         UPDATE support.ticket SET version = version + 1, last_message = $4 WHERE id = $1 AND last_number = $2",
        ticket.0,
        number,
        body,
        preview,
        at
    )
    .execute(conn)
    .await?;
    Ok(newest.rows_affected() == 1)
}

/// Gives a message its one attachment, and its ticket's row a new version; false when it has one.
pub async fn attach(
    conn: &mut PgConnection,
    (ticket, number): (TicketId, i64),
    file: &AttachmentView,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "WITH m AS (
             UPDATE support.message SET attachment = $3, attachment_name = $4, attachment_mime = $5, attachment_size = $6
             WHERE ticket = $1 AND number = $2 AND attachment IS NULL RETURNING ticket
         )
         UPDATE support.ticket t SET version = t.version + 1 FROM m WHERE t.id = m.ticket",
        ticket.0,
        number,
        file.file.0,
        file.name,
        file.mime,
        file.bytes
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
