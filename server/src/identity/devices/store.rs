//! SQL of devices.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn knows(db: impl PgExecutor<'_>, email_key: &str, hash: &[u8]) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM identity.device d JOIN identity.account a ON a.id = d.account
               WHERE a.email_key = $1 AND d.token_hash = $2 AND d.known) AS "yes!""#,
        email_key,
        hash
    )
    .fetch_one(db)
    .await?)
}

/// Whether a device is one of so many that an account has known longest; none of one that it does not know.
pub async fn long_known(
    db: impl PgExecutor<'_>,
    account: UserId,
    hash: &[u8],
    most: i64,
) -> Result<Option<bool>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT identity.long_known($1, $2, $3)", account.0, hash, most)
            .fetch_one(db)
            .await?,
    )
}

pub async fn exists(db: impl PgExecutor<'_>, hash: &[u8]) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM identity.device WHERE token_hash = $1) AS "yes!""#,
        hash
    )
    .fetch_one(db)
    .await?)
}

/// Keeps a device: whether the account knew it, and whether it ever knew any.
pub async fn remember(
    conn: &mut PgConnection,
    account: UserId,
    hash: &[u8],
    label: &str,
    now: OffsetDateTime,
) -> Result<(bool, bool), Error> {
    // What stood before: a statement sees the table as it was.
    let row = sqlx::query!(
        r#"WITH stored AS (
               INSERT INTO identity.device (account, token_hash, label, created_at, seen_at) VALUES ($1, $2, $3, $4, $4)
               ON CONFLICT (account, token_hash) DO UPDATE SET label = $3, known = true, seen_at = $4)
           SELECT EXISTS (SELECT FROM identity.device WHERE account = $1 AND token_hash = $2 AND known) AS "knew!",
                  EXISTS (SELECT FROM identity.device WHERE account = $1) AS "any!""#,
        account.0,
        hash,
        label,
        now
    )
    .fetch_one(conn)
    .await?;
    Ok((row.knew, row.any))
}

pub async fn note_use(
    conn: &mut PgConnection,
    account: UserId,
    hash: &[u8],
    now: OffsetDateTime,
    noted_before: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.device SET seen_at = $3 WHERE account = $1 AND token_hash = $2 AND seen_at < $4",
        account.0,
        hash,
        now,
        noted_before
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn forget_others(
    conn: &mut PgConnection,
    account: UserId,
    but: Option<&[u8]>,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.device SET known = false WHERE account = $1 AND known AND token_hash IS DISTINCT FROM $2",
        account.0,
        but
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn forget_left(conn: &mut PgConnection, account: UserId, hash: &[u8]) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.device SET known = false WHERE account = $1 AND token_hash = $2
             AND NOT EXISTS (SELECT FROM identity.session s WHERE s.account = $1 AND s.device_hash = $2 AND s.ended_at IS NULL)",
        account.0,
        hash
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn other_accounts(
    conn: &mut PgConnection,
    user: UserId,
    since: OffsetDateTime,
) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT identity.accounts_on_devices($1, $2) AS "n!""#,
        user.0,
        since
    )
    .fetch_one(conn)
    .await?)
}

/// Which of these pairs were on one device since then.
pub async fn sharing(
    conn: &mut PgConnection,
    pairs: &[(UserId, UserId)],
    since: OffsetDateTime,
) -> Result<Vec<(UserId, UserId)>, Error> {
    let ones: Vec<Uuid> = pairs.iter().map(|(one, _)| one.0).collect();
    let others: Vec<Uuid> = pairs.iter().map(|(_, other)| other.0).collect();
    let rows = sqlx::query!(
        r#"SELECT p.one AS "one!: UserId", p.other AS "other!: UserId" FROM unnest($1::uuid[], $2::uuid[]) AS p(one, other)
           WHERE EXISTS (SELECT FROM identity.device a JOIN identity.device b ON b.token_hash = a.token_hash
               WHERE a.account = p.one AND b.account = p.other AND a.seen_at > $3 AND b.seen_at > $3)"#,
        &ones,
        &others,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.one, r.other)).collect())
}

pub async fn shared(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Vec<UserId>>, Error> {
    let rows = sqlx::query_scalar!(
        r#"SELECT array_agg(account) AS "accounts!" FROM identity.device WHERE seen_at > $1 GROUP BY token_hash HAVING count(*) > 1"#,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|accounts| accounts.into_iter().map(UserId).collect())
        .collect())
}

/// Forgets devices that were last seen before a moment, and those of one day only that were seen before another.
pub async fn prune(
    db: impl PgExecutor<'_>,
    before: OffsetDateTime,
    unused_before: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM identity.device WHERE seen_at < $1 OR (seen_at < $2 AND seen_at < created_at + interval '1 day')",
        before,
        unused_before
    )
    .execute(db)
    .await?;
    Ok(())
}
