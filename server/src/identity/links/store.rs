//! SQL of links.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

pub struct Row {
    pub id: Uuid,
    pub account: UserId,
    pub purpose: String,
    pub mailbox: Option<String>,
    pub expires_at: OffsetDateTime,
    pub used_at: Option<OffsetDateTime>,
}

pub async fn drop_unused(conn: &mut PgConnection, account: UserId, purpose: &str) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.link WHERE account = $1 AND purpose = $2 AND used_at IS NULL",
        account.0,
        purpose
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn drop_unused_to(conn: &mut PgConnection, account: UserId, mailbox: &str) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.link WHERE account = $1 AND mailbox = $2 AND used_at IS NULL",
        account.0,
        mailbox
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub struct New<'a> {
    pub id: Uuid,
    pub account: UserId,
    pub purpose: &'a str,
    pub hash: &'a [u8],
    pub mailbox: Option<&'a str>,
    pub expires_at: OffsetDateTime,
}

pub async fn insert(conn: &mut PgConnection, new: &New<'_>, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.link (id, account, purpose, hash, mailbox, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        new.id,
        new.account.0,
        new.purpose,
        new.hash,
        new.mailbox,
        now,
        new.expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn find(db: impl PgExecutor<'_>, hash: &[u8]) -> Result<Option<Row>, Error> {
    Ok(sqlx::query_as!(
        Row,
        r#"SELECT id, account AS "account: UserId", purpose, mailbox, expires_at, used_at FROM identity.link WHERE hash = $1"#,
        hash
    )
    .fetch_optional(db)
    .await?)
}

/// A link that can still be mailed.
pub struct Living {
    pub id: Uuid,
    pub hash: Vec<u8>,
    pub expires_at: OffsetDateTime,
}

/// The newest unused one that is good until then.
pub async fn newest(
    conn: &mut PgConnection,
    account: UserId,
    purpose: &str,
    until: OffsetDateTime,
) -> Result<Option<Living>, Error> {
    Ok(sqlx::query_as!(
        Living,
        "SELECT id, hash, expires_at FROM identity.link WHERE account = $1 AND purpose = $2 AND used_at IS NULL AND expires_at >= $3
         ORDER BY created_at DESC LIMIT 1",
        account.0,
        purpose,
        until
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn consume(conn: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.link SET used_at = $2 WHERE id = $1 AND used_at IS NULL AND expires_at > $2",
        id,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn used_since(
    conn: &mut PgConnection,
    account: UserId,
    purpose: &str,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM identity.link WHERE account = $1 AND purpose = $2 AND used_at >= $3) AS "used!""#,
        account.0,
        purpose,
        since
    )
    .fetch_one(conn)
    .await?)
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.link WHERE expires_at < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
