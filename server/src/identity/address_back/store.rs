//! SQL of addresses that accounts had.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// Keeps the account's address as it stands.
pub async fn keep(
    conn: &mut PgConnection,
    account: UserId,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.former_address (account, email, email_key, changed_at, until)
         SELECT id, email, email_key, $2, $3 FROM identity.account WHERE id = $1",
        account.0,
        now,
        until
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Undoes the first change that left an address which is still kept, and all after it; that address's row.
pub async fn undo(
    conn: &mut PgConnection,
    account: UserId,
    email_key: &str,
    now: OffsetDateTime,
) -> Result<Option<i64>, Error> {
    Ok(sqlx::query_scalar!(
        r#"WITH first AS (SELECT min(id) AS id FROM identity.former_address
                         WHERE account = $1 AND email_key = $2 AND undone_at IS NULL AND until > $3),
                undone AS (UPDATE identity.former_address f SET undone_at = $3 FROM first
                           WHERE f.account = $1 AND f.id >= first.id AND f.undone_at IS NULL)
           SELECT id FROM first"#,
        account.0,
        email_key,
        now
    )
    .fetch_one(conn)
    .await?)
}

/// Puts a kept address in its place again, confirmed: a link that was mailed there has just been used. None when it is another's.
pub async fn give(
    conn: &mut PgConnection,
    account: UserId,
    former: i64,
    now: OffsetDateTime,
) -> Result<Option<String>, Error> {
    Ok(sqlx::query_scalar!(
        "UPDATE identity.account a SET email = f.email, email_key = f.email_key, email_confirmed_at = $3, version = version + 1, updated_at = $3
         FROM identity.former_address f
         WHERE a.id = $1 AND f.id = $2 AND NOT EXISTS (SELECT FROM identity.account o WHERE o.email_key = f.email_key AND o.id <> a.id)
         RETURNING a.email",
        account.0,
        former,
        now
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn prune(db: impl PgExecutor<'_>, before: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.former_address WHERE until < $1", before)
        .execute(db)
        .await?;
    Ok(())
}
