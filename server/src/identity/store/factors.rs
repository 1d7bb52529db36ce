//! SQL of second factors: e-mailed codes, the app, recovery codes.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

pub async fn set_email_factor(
    conn: &mut PgConnection,
    id: UserId,
    on: bool,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!("UPDATE identity.account SET two_factor_email = $2, version = version + 1, updated_at = $3 WHERE id = $1", id.0, on, now).execute(conn).await?;
    Ok(())
}

/// A secret that waits for its first code.
pub async fn offer_totp(
    conn: &mut PgConnection,
    id: UserId,
    sealed: &[u8],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET totp_pending = $2, totp_pending_at = $3 WHERE id = $1",
        id.0,
        sealed,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The waiting secret becomes the factor; its first step is spent. `false` when the secret is no longer the one that was checked.
pub async fn confirm_totp(
    conn: &mut PgConnection,
    id: UserId,
    sealed: &[u8],
    step: i64,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.account SET totp_secret = totp_pending, totp_pending = NULL, totp_pending_at = NULL, totp_confirmed_at = $4,
             totp_last_step = $3, version = version + 1, updated_at = $4
         WHERE id = $1 AND totp_secret IS NULL AND totp_pending = $2",
        id.0,
        sealed,
        step,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn drop_totp(conn: &mut PgConnection, id: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET totp_secret = NULL, totp_pending = NULL, totp_pending_at = NULL, totp_confirmed_at = NULL,
             version = version + 1, updated_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Spends a TOTP step; `false` when it, or a later one, was spent before.
pub async fn spend_step(conn: &mut PgConnection, id: UserId, step: i64) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.account SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2",
        id.0,
        step
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn replace_recovery_codes(
    conn: &mut PgConnection,
    id: UserId,
    hashes: &[Vec<u8>],
) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.recovery_code WHERE account = $1", id.0)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "INSERT INTO identity.recovery_code (account, hash) SELECT $1, h FROM unnest($2::bytea[]) AS h",
        id.0,
        hashes
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn unused_recovery_codes(db: impl PgExecutor<'_>, id: UserId) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM identity.recovery_code WHERE account = $1 AND used_at IS NULL"#,
        id.0
    )
    .fetch_one(db)
    .await?)
}

pub async fn has_recovery_code(db: impl PgExecutor<'_>, id: UserId, hash: &[u8]) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM identity.recovery_code WHERE account = $1 AND hash = $2 AND used_at IS NULL) AS "yes!""#,
        id.0,
        hash
    )
    .fetch_one(db)
    .await?)
}

pub async fn used_recovery_code(db: impl PgExecutor<'_>, id: UserId, hash: &[u8]) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM identity.recovery_code WHERE account = $1 AND hash = $2 AND used_at IS NOT NULL) AS "yes!""#,
        id.0,
        hash
    )
    .fetch_one(db)
    .await?)
}

pub async fn spend_recovery_code(
    conn: &mut PgConnection,
    id: UserId,
    hash: &[u8],
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.recovery_code SET used_at = $3 WHERE account = $1 AND hash = $2 AND used_at IS NULL",
        id.0,
        hash,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
