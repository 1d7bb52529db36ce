//! SQL of e-mailed codes.

use super::mailing::Place;
use crate::{
    error::Error,
    identity::limits::rules::{Count, Past},
};
use protocol::ids::{SessionId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// When the n-th newest code since a moment was sent to a place, if there were that many.
pub async fn nth_newest(
    conn: &mut PgConnection,
    account: UserId,
    place: Place<'_>,
    since: OffsetDateTime,
    n: i64,
) -> Result<Option<OffsetDateTime>, Error> {
    let (session, asked, device) = match place {
        Place::Session(session) => (Some(session.0), true, None),
        Place::Sessions(device) => (None, true, device),
        Place::SigningIn(device) => (None, false, device),
    };
    Ok(sqlx::query_scalar!(
        "SELECT created_at FROM identity.code WHERE account = $1 AND created_at > $5
             AND CASE WHEN $2::uuid IS NULL THEN (session IS NOT NULL) = $3 AND device IS NOT DISTINCT FROM $4 ELSE session = $2 END
         ORDER BY created_at DESC OFFSET $6 LIMIT 1",
        account.0,
        session,
        asked,
        device,
        since,
        n - 1
    )
    .fetch_optional(conn)
    .await?)
}

/// Only the newest code of a session is good. Ended ones stay for the hourly count.
pub async fn end_open(
    conn: &mut PgConnection,
    account: UserId,
    session: Option<SessionId>,
    purpose: &str,
    binding: &[u8],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.code SET expires_at = $5
         WHERE account = $1 AND session IS NOT DISTINCT FROM $2 AND purpose = $3 AND binding = $4 AND used_at IS NULL AND expires_at > $5",
        account.0,
        session.map(|s| s.0),
        purpose,
        binding,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[allow(clippy::too_many_arguments)] // one row, each column once
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    account: UserId,
    session: Option<SessionId>,
    device: Option<&str>,
    purpose: &str,
    binding: &[u8],
    mac: &[u8],
    now: OffsetDateTime,
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.code (id, account, session, device, purpose, binding, mac, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        id,
        account.0,
        session.map(|s| s.0),
        device,
        purpose,
        binding,
        mac,
        now,
        expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a try at a mailed code is about.
pub struct Tried<'a> {
    pub account: UserId,
    /// The code is good in the session that asked for it; none of one for signing in.
    pub session: Option<SessionId>,
    pub purpose: &'a str,
    pub binding: &'a [u8],
    /// The most that one code has.
    pub most: i16,
}

/// The tries of several counts and this one's rows in them, and the open code with its MAC.
pub type Noted = (Vec<(Past, i64)>, Option<(Uuid, Vec<u8>)>);

/// Writes a try down among the wrong ones of its counts, and counts it on the open code unless that has no more.
pub async fn try_newest(
    conn: &mut PgConnection,
    counts: &[Count],
    tried: &Tried<'_>,
    now: OffsetDateTime,
) -> Result<Noted, Error> {
    let scopes: Vec<&str> = counts.iter().map(|c| c.scope.as_str()).collect();
    let sinces: Vec<OffsetDateTime> = counts.iter().map(|c| now - c.rule.span()).collect();
    let nths: Vec<i64> = counts.iter().map(|c| c.rule.most()).collect();
    let rows = sqlx::query!(
        r#"SELECT count AS "count!", newest, nth, id AS "id!", code, mac
           FROM identity.try_code($1, $2, $3, $4, $5, $6, $7, $8, $9)"#,
        &scopes as &[&str],
        &sinces,
        &nths,
        now,
        tried.account.0,
        tried.session.map(|s| s.0),
        tried.purpose,
        tried.binding,
        tried.most
    )
    .fetch_all(conn)
    .await?;
    let mut code = None;
    let tries = rows
        .into_iter()
        .map(|row| {
            code = code.take().or_else(|| row.code.zip(row.mac));
            let past = Past {
                count: row.count,
                newest: row.newest,
                nth: row.nth,
            };
            (past, row.id)
        })
        .collect();
    Ok((tries, code))
}

/// A mailed code whose time lasts.
pub struct Sent {
    pub mac: Vec<u8>,
    /// It has authorised something.
    pub used: bool,
}

/// Those of an action.
pub async fn sent(
    db: impl PgExecutor<'_>,
    tried: &Tried<'_>,
    now: OffsetDateTime,
) -> Result<Vec<Sent>, Error> {
    Ok(sqlx::query_as!(
        Sent,
        r#"SELECT mac, used_at IS NOT NULL AS "used!" FROM identity.code
           WHERE account = $1 AND session IS NOT DISTINCT FROM $2 AND purpose = $3 AND binding = $4 AND expires_at > $5"#,
        tried.account.0,
        tried.session.map(|s| s.0),
        tried.purpose,
        tried.binding,
        now
    )
    .fetch_all(db)
    .await?)
}

pub async fn consume(conn: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.code SET used_at = $2 WHERE id = $1 AND used_at IS NULL AND expires_at > $2",
        id,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.code WHERE expires_at < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
