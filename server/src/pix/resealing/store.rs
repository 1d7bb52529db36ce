//! SQL of resealing.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::PgConnection;
use uuid::Uuid;

pub struct Sealed {
    pub id: Uuid,
    pub owner: UserId,
    pub sealed: Vec<u8>,
}

/// The next withdrawals, locked: each has a key.
pub async fn keys_after(conn: &mut PgConnection, after: Uuid, most: i64) -> Result<Vec<Sealed>, Error> {
    let rows = sqlx::query!(
        "SELECT id, owner, key_sealed FROM pix.withdrawal WHERE id > $1 ORDER BY id LIMIT $2 FOR UPDATE",
        after,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Sealed {
            id: r.id,
            owner: UserId(r.owner),
            sealed: r.key_sealed,
        })
        .collect())
}

/// The next documents, locked.
pub async fn documents_after(conn: &mut PgConnection, after: Uuid, most: i64) -> Result<Vec<Sealed>, Error> {
    let rows = sqlx::query!(
        "SELECT account, sealed FROM pix.holder WHERE account > $1 ORDER BY account LIMIT $2 FOR UPDATE",
        after,
        most
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Sealed {
            id: r.account,
            owner: UserId(r.account),
            sealed: r.sealed,
        })
        .collect())
}

pub async fn keep_key(conn: &mut PgConnection, id: Uuid, sealed: &[u8]) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.withdrawal SET key_sealed = $2 WHERE id = $1",
        id,
        sealed
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn keep_document(conn: &mut PgConnection, account: Uuid, sealed: &[u8]) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.holder SET sealed = $2 WHERE account = $1",
        account,
        sealed
    )
    .execute(conn)
    .await?;
    Ok(())
}
