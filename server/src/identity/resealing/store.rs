//! SQL of resealing.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::PgConnection;

pub struct Sealed {
    pub id: UserId,
    pub secret: Option<Vec<u8>>,
    pub pending: Option<Vec<u8>>,
}

/// The next accounts with a secret, locked.
pub async fn lock_after(conn: &mut PgConnection, after: UserId, most: i64) -> Result<Vec<Sealed>, Error> {
    let rows = sqlx::query!(
        "SELECT id, totp_secret, totp_pending FROM identity.account
         WHERE id > $1 AND (totp_secret IS NOT NULL OR totp_pending IS NOT NULL) ORDER BY id LIMIT $2 FOR UPDATE",
        after.0,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Sealed {
            id: UserId(r.id),
            secret: r.totp_secret,
            pending: r.totp_pending,
        })
        .collect())
}

pub async fn keep(
    conn: &mut PgConnection,
    id: UserId,
    secret: Option<&[u8]>,
    pending: Option<&[u8]>,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET totp_secret = coalesce($2, totp_secret), totp_pending = coalesce($3, totp_pending) WHERE id = $1",
        id.0,
        secret,
        pending
    )
    .execute(conn)
    .await?;
    Ok(())
}
