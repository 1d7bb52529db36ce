//! SQL of closed accounts.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::{Date, OffsetDateTime};

/// Waits for who closes it now, and makes the next one wait.
pub async fn is_closed(conn: &mut PgConnection, id: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT status = 'closed' AS "closed!" FROM identity.account WHERE id = $1 FOR KEY SHARE"#,
        id.0
    )
    .fetch_optional(conn)
    .await?
    .unwrap_or(false))
}

/// How many requests wait whose day had come by then.
pub async fn late(conn: &mut PgConnection, due: OffsetDateTime) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "late!" FROM privacy.closing WHERE state = 'waiting' AND due_at <= $1"#,
        due
    )
    .fetch_one(conn)
    .await?)
}

/// When the account is to be closed.
pub async fn due(db: impl PgExecutor<'_>, id: UserId) -> Result<Option<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT due_at FROM privacy.closing WHERE owner = $1 AND state = 'waiting'",
        id.0
    )
    .fetch_optional(db)
    .await?)
}

pub async fn drop_roles(conn: &mut PgConnection, id: UserId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.account_role WHERE account = $1", id.0)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn drop_social(conn: &mut PgConnection, id: UserId) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.social WHERE account = $1", id.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Nobody gets this username again.
pub async fn retire_username(conn: &mut PgConnection, digest: &[u8; 32], today: Date) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.retired_username (digest, retired_on, keyed) VALUES ($1, $2, true) ON CONFLICT (digest) DO NOTHING",
        digest.as_slice(),
        today
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether a username is one of these, by its digest with the key or, of the first ones, without.
pub async fn is_retired(conn: &mut PgConnection, digest: &[u8; 32], bare: &[u8; 32]) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM identity.retired_username WHERE digest = $1 AND keyed OR digest = $2 AND NOT keyed) AS "retired!""#,
        digest.as_slice(),
        bare.as_slice()
    )
    .fetch_one(conn)
    .await?)
}

/// Digests that have no key yet.
pub async fn bare_usernames(conn: &mut PgConnection, most: i64) -> Result<Vec<Vec<u8>>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT digest FROM identity.retired_username WHERE NOT keyed ORDER BY digest LIMIT $1 FOR UPDATE",
        most
    )
    .fetch_all(conn)
    .await?)
}

pub async fn key_username(conn: &mut PgConnection, bare: &[u8], digest: &[u8; 32]) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.retired_username SET digest = $2, keyed = true WHERE digest = $1 AND NOT keyed",
        bare,
        digest.as_slice()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What is only for living here goes with it.
pub async fn close(
    conn: &mut PgConnection,
    id: UserId,
    username: &str,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET status = 'closed', closed_at = $4, closing_reason = $3,
             username = $2, username_key = $2, avatar = NULL, two_factor_email = false, totp_secret = NULL, totp_confirmed_at = NULL,
             totp_pending = NULL, totp_pending_at = NULL, hold_until = NULL, hold_reason = NULL, anti_phishing = NULL, time_zone = NULL,
             quiet_mail = '{}', quiet_from = NULL, quiet_until = NULL, version = version + 1, updated_at = $4
         WHERE id = $1 AND status <> 'closed'",
        id.0,
        username,
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn forget_passwords(conn: &mut PgConnection, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET password_hash = NULL WHERE closed_at < $1 AND erased_at IS NULL AND password_hash IS NOT NULL",
        before
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes what names their persons from accounts closed before a moment: the e-mail is free again. Whose they were.
pub async fn erase(
    conn: &mut PgConnection,
    before: OffsetDateTime,
    now: OffsetDateTime,
    most: i64,
) -> Result<Vec<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"UPDATE identity.account SET email = id::text || '@closed.invalid', email_key = id::text || '@closed.invalid', full_name = username,
               mobile_number = NULL, birth_date = NULL, status_reason = NULL, closing_reason = NULL, password_hash = NULL, erased_at = $2, updated_at = $2
           WHERE id IN (SELECT id FROM identity.account WHERE closed_at < $1 AND erased_at IS NULL
                        ORDER BY closed_at, id LIMIT $3 FOR UPDATE)
           RETURNING id AS "id: UserId""#,
        before,
        now,
        most
    )
    .fetch_all(conn)
    .await?)
}

/// Postal addresses of those that are erased, who left before `before`.
pub async fn drop_addresses(
    conn: &mut PgConnection,
    erased: &[UserId],
    before: OffsetDateTime,
) -> Result<(), Error> {
    let ids: Vec<uuid::Uuid> = erased.iter().map(|user| user.0).collect();
    sqlx::query!(
        "DELETE FROM identity.address d USING identity.account a WHERE d.account = ANY($1) AND a.id = d.account AND a.closed_at < $2",
        &ids,
        before
    )
    .execute(conn)
    .await?;
    Ok(())
}
