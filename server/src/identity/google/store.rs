//! SQL of Google accounts and of the visits there.

use super::provider::Person;
use crate::error::Error;
use protocol::ids::{SessionId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// Whose Google account it is.
pub async fn owner(db: impl PgExecutor<'_>, issuer: &str, subject: &str) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT account AS "account: UserId" FROM identity.google_account WHERE issuer = $1 AND subject = $2"#,
        issuer,
        subject
    )
    .fetch_optional(db)
    .await?)
}

pub struct Linked {
    pub email: String,
    pub linked_at: OffsetDateTime,
}

/// Somebody's Google account.
pub async fn of(db: impl PgExecutor<'_>, account: UserId) -> Result<Option<Linked>, Error> {
    Ok(sqlx::query_as!(
        Linked,
        "SELECT email, linked_at FROM identity.google_account WHERE account = $1",
        account.0
    )
    .fetch_optional(db)
    .await?)
}

/// `false` when it, or the person, is linked already.
pub async fn link(
    conn: &mut PgConnection,
    account: UserId,
    person: &Person,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO identity.google_account (account, issuer, subject, email, linked_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
        account.0,
        person.issuer,
        person.subject,
        person.email,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether there was one.
pub async fn unlink(conn: &mut PgConnection, account: UserId) -> Result<bool, Error> {
    let done = sqlx::query!(
        "DELETE FROM identity.google_account WHERE account = $1",
        account.0
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A visit that begins.
pub struct New<'a> {
    pub state: &'a [u8],
    pub browser: &'a [u8],
    pub linking: Option<(UserId, SessionId)>,
    pub upline: Option<&'a str>,
    pub expires_at: OffsetDateTime,
}

pub async fn begin(
    conn: &mut PgConnection,
    id: Uuid,
    new: &New<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.google_visit (id, state, browser, account, session, upline, started_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        id,
        new.state,
        new.browser,
        new.linking.map(|(user, _)| user.0),
        new.linking.map(|(_, session)| session.0),
        new.upline,
        now,
        new.expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The browser is back, once: the visit of this state that this browser began.
pub async fn answered(
    db: impl PgExecutor<'_>,
    state: &[u8],
    browser: &[u8],
    now: OffsetDateTime,
) -> Result<Option<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "UPDATE identity.google_visit SET answered_at = $3
         WHERE state = $1 AND browser = $2 AND answered_at IS NULL AND expires_at > $3 RETURNING id",
        state,
        browser,
        now
    )
    .fetch_optional(db)
    .await?)
}

/// What came of it, under the code that the page gets.
pub async fn keep(
    db: impl PgExecutor<'_>,
    id: Uuid,
    came: Result<&Person, &str>,
    code: &[u8],
    until: OffsetDateTime,
) -> Result<(), Error> {
    let person = came.ok();
    sqlx::query!(
        "UPDATE identity.google_visit SET issuer = $2, subject = $3, email = $4, full_name = $5, refusal = $6, code = $7, code_until = $8
         WHERE id = $1",
        id,
        person.map(|p| p.issuer.as_str()),
        person.map(|p| p.subject.as_str()),
        person.map(|p| p.email.as_str()),
        person.and_then(|p| p.full_name.as_deref()),
        came.err(),
        code,
        until
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A visit whose code was shown.
pub struct Came {
    pub account: Option<UserId>,
    pub session: Option<SessionId>,
    pub upline: Option<String>,
    pub refusal: Option<String>,
    pub issuer: Option<String>,
    pub subject: Option<String>,
    pub email: Option<String>,
    pub full_name: Option<String>,
}

/// Uses a code up, in the browser that began its visit.
pub async fn redeem(
    db: impl PgExecutor<'_>,
    code: &[u8],
    browser: &[u8],
    now: OffsetDateTime,
) -> Result<Option<Came>, Error> {
    Ok(sqlx::query_as!(
        Came,
        r#"UPDATE identity.google_visit SET used_at = $3
           WHERE code = $1 AND browser = $2 AND used_at IS NULL AND code_until > $3
           RETURNING account AS "account: UserId", session AS "session: SessionId", upline, refusal, issuer, subject, email, full_name"#,
        code,
        browser,
        now
    )
    .fetch_optional(db)
    .await?)
}

/// Whether a session of somebody lives.
pub async fn lives(
    conn: &mut PgConnection,
    account: UserId,
    session: SessionId,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM identity.session
                          WHERE id = $2 AND account = $1 AND ended_at IS NULL AND expires_at > $3) AS "yes!""#,
        account.0,
        session.0,
        now
    )
    .fetch_one(conn)
    .await?)
}

/// Takes what a stranger typed out of an account that nobody has confirmed, and confirms it for who reads its mailbox.
pub async fn clear(
    conn: &mut PgConnection,
    account: UserId,
    full_name: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET password_hash = NULL, password_ended_at = NULL, full_name = $2, mobile_number = NULL, terms_accepted_at = NULL,
             risk_accepted_at = NULL, adult_declared_at = NULL, terms_version = NULL, acceptances_from = $3, version = version + 1, updated_at = $3
         WHERE id = $1",
        account.0,
        full_name,
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM identity.address WHERE account = $1", account.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Forgets visits that are over.
pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.google_visit WHERE expires_at < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
