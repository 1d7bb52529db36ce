//! SQL of outgoing mail.

use super::{Recipient, render::Rendered};
use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// How a mail counts among those of its recipient.
pub struct Counted {
    /// So many fill the span.
    pub most: i64,
    pub since: OffsetDateTime,
    /// Counts not among the others, and never waits behind them.
    pub is_uncounted: bool,
    /// Counted apart from all others.
    pub is_way_in: bool,
    /// It is not written where it would have to wait.
    pub is_asked_for: bool,
}

/// A mail to one recipient.
pub struct Letter<'a> {
    pub id: Uuid,
    pub to: &'a Recipient,
    pub mail: Rendered,
    /// Its reader sleeps until then.
    pub not_before: Option<OffsetDateTime>,
}

/// Writes mails down, each unless its recipient has had enough and it was asked for; when they leave, or could, in their order. Two mails to one
/// recipient at once wait for each other here.
pub async fn put(
    conn: &mut PgConnection,
    letters: &[Letter<'_>],
    template: &str,
    counted: &Counted,
    now: OffsetDateTime,
) -> Result<Vec<OffsetDateTime>, Error> {
    let text = |part: for<'a> fn(&'a Letter<'a>) -> &'a str| -> Vec<String> {
        letters.iter().map(|letter| part(letter).to_owned()).collect()
    };
    let ids: Vec<Uuid> = letters.iter().map(|letter| letter.id).collect();
    let emails = text(|letter| &letter.to.email);
    let subjects = text(|letter| &letter.mail.subject);
    let texts = text(|letter| &letter.mail.text);
    let pages = text(|letter| &letter.mail.html);
    let people: Vec<Option<Uuid>> = letters
        .iter()
        .map(|letter| letter.to.user.map(|user| user.0))
        .collect();
    let held: Vec<Option<OffsetDateTime>> = letters.iter().map(|letter| letter.not_before).collect();
    Ok(sqlx::query_scalar!(
        r#"SELECT foundation.put_mail(m.id, m.email, m.person, $7, m.subject, m.plain, m.html, m.not_before, $8, $9, $10, $11, $12, $13) AS "due!"
           FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $14::timestamptz[])
               AS m(id, email, person, subject, plain, html, not_before)"#,
        &ids,
        &emails,
        &people as &[Option<Uuid>],
        &subjects,
        &texts,
        &pages,
        template,
        now,
        counted.since,
        counted.most,
        counted.is_uncounted,
        counted.is_way_in,
        counted.is_asked_for,
        &held as &[Option<OffsetDateTime>]
    )
    .fetch_all(conn)
    .await?)
}

/// Mails of a person that wait at an address go to another one, or are dropped.
pub async fn move_waiting(
    conn: &mut PgConnection,
    whose: UserId,
    from: &str,
    to: Option<&str>,
    now: OffsetDateTime,
) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT foundation.move_mail($1, $2, $3, $4) AS "moved!""#,
        whose.0,
        from,
        to,
        now
    )
    .fetch_one(conn)
    .await?)
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
        "SELECT id, recipient, template, subject, text_body, html_body, created_at FROM foundation.mail
         WHERE id = $1 AND sent_at IS NULL AND parked_at IS NULL",
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

/// Notes that a mail can never be sent, and why; its code or link is of no use any more.
pub async fn park(db: impl PgExecutor<'_>, id: Uuid, reason: &str, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE foundation.mail SET parked_at = $2, parked_for = $3, text_body = '', html_body = '' WHERE id = $1",
        id,
        now,
        reason
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
