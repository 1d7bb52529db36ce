//! SQL of outgoing mail.

use super::{Recipient, render::Rendered};
use crate::error::Error;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// When the recipient's mails left or will leave, newest first: those with a reset link, or all others but codes. Two mails to one
/// recipient at once wait for each other here.
pub async fn recent(
    conn: &mut PgConnection,
    recipient: &str,
    ways_in: bool,
    since: OffsetDateTime,
) -> Result<Vec<OffsetDateTime>, Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 11))",
        recipient
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_scalar!(
        "SELECT due_at FROM foundation.mail WHERE recipient = $1 AND due_at > $2 AND (template = 'reset_password') = $3
           AND template NOT IN ('sign_in_code', 'security_code') ORDER BY due_at DESC LIMIT 500",
        recipient,
        since,
        ways_in
    )
    .fetch_all(conn)
    .await?)
}

pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    to: &Recipient,
    template: &str,
    mail: &Rendered,
    now: OffsetDateTime,
    due_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO foundation.mail (id, recipient, user_id, template, subject, text_body, html_body, created_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        id,
        to.email,
        to.user.map(|u| u.0),
        template,
        mail.subject,
        mail.text,
        mail.html,
        now,
        due_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A stored mail.
pub struct Stored {
    pub id: Uuid,
    pub recipient: String,
    pub template: String,
    pub subject: String,
    pub text_body: String,
    pub html_body: String,
    pub created_at: OffsetDateTime,
}

/// A mail that has not been sent.
pub async fn unsent(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Stored>, Error> {
    Ok(sqlx::query_as!(
        Stored,
        "SELECT id, recipient, template, subject, text_body, html_body, created_at FROM foundation.mail WHERE id = $1 AND sent_at IS NULL",
        id
    )
    .fetch_optional(db)
    .await?)
}

/// Notes that a mail has left, and erases what it said.
pub async fn sent(db: impl PgExecutor<'_>, id: Uuid, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE foundation.mail SET sent_at = $2, text_body = '', html_body = '' WHERE id = $1",
        id,
        now
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The newest mails, of one recipient if given.
pub async fn newest(
    db: impl PgExecutor<'_>,
    recipient: Option<&str>,
    limit: i64,
) -> Result<Vec<Stored>, Error> {
    Ok(sqlx::query_as!(
        Stored,
        "SELECT id, recipient, template, subject, text_body, html_body, created_at FROM foundation.mail
         WHERE $1::text IS NULL OR lower(recipient) = lower($1) ORDER BY created_at DESC, id DESC LIMIT $2",
        recipient,
        limit
    )
    .fetch_all(db)
    .await?)
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<u64, Error> {
    Ok(
        sqlx::query!("DELETE FROM foundation.mail WHERE created_at < $1", before)
            .execute(db)
            .await?
            .rows_affected(),
    )
}
