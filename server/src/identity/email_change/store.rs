//! SQL of requests for another e-mail.

use crate::error::Error;
use protocol::ids::{SessionId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// A request.
pub struct Row {
    pub email: String,
    pub email_key: String,
    pub session: SessionId,
    pub expires_at: OffsetDateTime,
    pub old_confirmed_at: Option<OffsetDateTime>,
    pub new_confirmed_at: Option<OffsetDateTime>,
    pub changed_at: Option<OffsetDateTime>,
}

pub async fn find(db: impl PgExecutor<'_>, account: UserId) -> Result<Option<Row>, Error> {
    Ok(sqlx::query_as!(
        Row,
        r#"SELECT email, email_key, session AS "session: SessionId", expires_at, old_confirmed_at, new_confirmed_at, changed_at
           FROM identity.email_change WHERE account = $1"#,
        account.0
    )
    .fetch_optional(db)
    .await?)
}

pub struct New<'a> {
    pub email: &'a str,
    pub email_key: &'a str,
    pub session: SessionId,
    pub expires_at: OffsetDateTime,
}

pub async fn insert(
    conn: &mut PgConnection,
    account: UserId,
    new: &New<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.email_change (account, email, email_key, session, asked_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        account.0,
        new.email,
        new.email_key,
        new.session.0,
        now,
        new.expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets a request with all links of these purposes, those that were used too: what they stood for is gone. Whether one was open.
pub async fn delete(
    conn: &mut PgConnection,
    account: UserId,
    links: &[String],
    now: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"WITH dead AS (DELETE FROM identity.link WHERE account = $1 AND purpose = ANY ($3))
           DELETE FROM identity.email_change WHERE account = $1 RETURNING changed_at IS NULL AND expires_at > $2 AS "open!""#,
        account.0,
        now,
        links
    )
    .fetch_optional(conn)
    .await?
    .unwrap_or(false))
}

/// Notes that one side said yes.
pub async fn confirm(
    conn: &mut PgConnection,
    account: UserId,
    old: bool,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.email_change SET old_confirmed_at = CASE WHEN $2 THEN $3 ELSE old_confirmed_at END,
             new_confirmed_at = CASE WHEN $2 THEN new_confirmed_at ELSE $3 END WHERE account = $1",
        account.0,
        old,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The other address takes its place, confirmed. A taken one violates `account_email_key_key`.
pub async fn change(
    conn: &mut PgConnection,
    account: UserId,
    email: &str,
    email_key: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH done AS (UPDATE identity.email_change SET changed_at = $4 WHERE account = $1)
         UPDATE identity.account SET email = $2, email_key = $3, email_confirmed_at = $4, version = version + 1, updated_at = $4 WHERE id = $1",
        account.0,
        email,
        email_key,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.email_change WHERE expires_at < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
