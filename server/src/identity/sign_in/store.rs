//! SQL of challenges: the password was right, the second factor is asked for.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    account: UserId,
    device: &str,
    address: &str,
    now: OffsetDateTime,
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.challenge (id, account, device, address, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        account.0,
        device,
        address,
        now,
        expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whose challenge it is, while it is open.
pub async fn open(
    db: impl PgExecutor<'_>,
    id: Uuid,
    tries: i16,
    now: OffsetDateTime,
) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT account AS "account: UserId" FROM identity.challenge WHERE id = $1 AND used_at IS NULL AND expires_at > $2 AND attempts < $3"#,
        id,
        now,
        tries
    )
    .fetch_optional(db)
    .await?)
}

/// Counts a try; `false` when all are spent.
pub async fn count_try(db: impl PgExecutor<'_>, id: Uuid, tries: i16) -> Result<bool, Error> {
    let done = sqlx::query!("UPDATE identity.challenge SET attempts = attempts + 1 WHERE id = $1 AND attempts < $2 AND used_at IS NULL", id, tries)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn consume(conn: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.challenge SET used_at = $2 WHERE id = $1 AND used_at IS NULL AND expires_at > $2",
        id,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends what is open.
pub async fn end_open(conn: &mut PgConnection, account: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.challenge SET used_at = $2 WHERE account = $1 AND used_at IS NULL",
        account.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.challenge WHERE expires_at < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
