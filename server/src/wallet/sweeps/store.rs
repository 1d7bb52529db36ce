//! SQL of the sweeps.

use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::chain::{
        Coin,
        stored::{coin, column, hash},
    },
};
use alloy::primitives::{Address, B256, U256};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// Whether we ever moved this coin off an address ourselves.
pub async fn taken(
    db: impl PgExecutor<'_>,
    address: i32,
    coin: Coin,
    sender: Address,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.sweep WHERE kind = 'sweep' AND address = $1 AND coin = $2 AND sender = $3) AS "is!""#,
        address,
        coin.as_str(),
        sender.as_slice()
    )
    .fetch_one(db)
    .await?)
}

/// A transaction of ours that is stored, signed.
pub struct Sweep {
    pub id: Uuid,
    pub kind: &'static str,
    pub address: i32,
    pub coin: Coin,
    pub wei: U256,
    pub sender: Address,
    pub recipient: Address,
    pub nonce: u64,
    pub tx: B256,
    pub raw: Vec<u8>,
}

pub async fn insert(conn: &mut PgConnection, sweep: &Sweep, now: OffsetDateTime) -> Result<(), Error> {
    let wei = column(sweep.wei)?;
    sqlx::query!(
        "INSERT INTO wallet.sweep (id, kind, address, coin, wei, sender, recipient, nonce, tx, raw, state, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'signed', $11)",
        sweep.id,
        sweep.kind,
        sweep.address,
        sweep.coin.as_str(),
        wei as Amount,
        sweep.sender.as_slice(),
        sweep.recipient.as_slice(),
        i64::try_from(sweep.nonce).unwrap_or(i64::MAX),
        sweep.tx.as_slice(),
        sweep.raw,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Transactions whose end is not known yet, oldest first.
pub async fn open(db: impl PgExecutor<'_>) -> Result<Vec<(Uuid, B256, Vec<u8>)>, Error> {
    let rows = sqlx::query!(
        "SELECT id, tx, raw FROM wallet.sweep WHERE state IN ('signed', 'sent') ORDER BY sender, nonce LIMIT 200"
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| Ok((r.id, hash(&r.tx)?, r.raw)))
        .collect()
}

pub async fn sent(conn: &mut PgConnection, id: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.sweep SET state = 'sent' WHERE id = $1 AND state = 'signed'",
        id
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn ended(
    conn: &mut PgConnection,
    id: Uuid,
    success: bool,
    gas: U256,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let gas = column(gas)?;
    sqlx::query!(
        "UPDATE wallet.sweep SET state = CASE WHEN $2 THEN 'done' ELSE 'failed' END, gas = $3, ended_at = $4
         WHERE id = $1 AND state IN ('signed', 'sent')",
        id,
        success,
        gas as Amount,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The first nonce of a sender that no stored transaction has.
pub async fn next_nonce(db: impl PgExecutor<'_>, sender: Address) -> Result<u64, Error> {
    let next = sqlx::query_scalar!(
        r#"SELECT coalesce(max(nonce) + 1, 0) AS "next!" FROM wallet.sweep WHERE sender = $1"#,
        sender.as_slice()
    )
    .fetch_one(db)
    .await?;
    Ok(u64::try_from(next).unwrap_or(0))
}

/// Addresses and coins that were paid to since they were last emptied, where nothing is under way and nothing waits for a person.
pub async fn full(db: impl PgExecutor<'_>, count: i64) -> Result<Vec<(i32, Coin)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT p.address, p.coin AS "coin!" FROM wallet.payment p
           WHERE p.state = 'settled' AND p.coin IS NOT NULL
             AND NOT EXISTS (SELECT FROM wallet.sweep s WHERE s.address = p.address AND s.state IN ('signed', 'sent'))
             AND NOT EXISTS (SELECT FROM wallet.deposit d WHERE d.address = p.address AND d.status = 'pending_approval')
           GROUP BY p.address, p.coin
           HAVING max(p.settled_at) > coalesce((SELECT max(s.created_at) FROM wallet.sweep s
               WHERE s.address = p.address AND s.coin = p.coin AND s.kind = 'sweep' AND s.state = 'done'), '-infinity')
           ORDER BY max(p.settled_at) LIMIT $1"#,
        count
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| Ok((r.address, coin(&r.coin)?)))
        .collect()
}
