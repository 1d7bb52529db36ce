//! What came to a wallet.

use super::Row;
use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::chain::{
        Coin,
        stored::{column, place},
    },
};
use alloy::primitives::{Address, B256, U256};
use protocol::ids::{UserId, WalletMoveId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// Wallets from a number on.
pub async fn wallets_from(db: impl PgExecutor<'_>, from: i32) -> Result<Vec<(i32, Address, UserId)>, Error> {
    let rows = sqlx::query!(
        "SELECT number, address, owner FROM wallet.user_wallet WHERE number >= $1",
        from
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| Ok((r.number, place(&r.address)?, UserId(r.owner))))
        .collect()
}

/// A payment that was seen on a wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub owner: UserId,
    pub coin: Coin,
    pub wei: U256,
    pub payer: Address,
    pub tx: B256,
    /// −1: native coin.
    pub log: i32,
    pub block: u64,
    pub block_hash: B256,
    pub at: OffsetDateTime,
}

/// Notes it; none when it is known, or comes from a transaction of the wallet's own (a swap).
pub async fn arrived(
    conn: &mut PgConnection,
    arrival: &Arrival,
    now: OffsetDateTime,
) -> Result<Option<WalletMoveId>, Error> {
    let wei = column(arrival.wei)?;
    let id = WalletMoveId::fresh();
    let new = sqlx::query_scalar!(
        "INSERT INTO wallet.user_move (id, owner, kind, status, coin, wei, counterparty, tx, log, block, block_hash, created_at, updated_at)
         SELECT $1, $2, 'receive', 'mined', $3, $4, $5, $6, $7, $8, $9, $10, $11
         WHERE NOT EXISTS (SELECT FROM wallet.outgoing_attempt a JOIN wallet.outgoing o ON o.id = a.outgoing
                           WHERE a.tx = $6 AND o.owner = $2)
         ON CONFLICT (owner, tx, log) WHERE kind = 'receive'
             DO UPDATE SET block = EXCLUDED.block, block_hash = EXCLUDED.block_hash, version = user_move.version + 1, updated_at = EXCLUDED.updated_at
             WHERE user_move.block_hash <> EXCLUDED.block_hash
         RETURNING id",
        id.0,
        arrival.owner.0,
        arrival.coin.as_str(),
        wei as Amount,
        arrival.payer.as_slice(),
        arrival.tx.as_slice(),
        arrival.log,
        i64::try_from(arrival.block).unwrap_or(i64::MAX),
        arrival.block_hash.as_slice(),
        arrival.at,
        now
    )
    .fetch_optional(conn)
    .await?;
    Ok(new.map(WalletMoveId))
}

/// Forgets what was received above a block that is the newest common one; the lines that are gone.
pub async fn forget_above(conn: &mut PgConnection, block: u64) -> Result<Vec<Row>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"DELETE FROM wallet.user_move WHERE kind = 'receive' AND block > $1
           RETURNING id, owner, kind, status, coin, wei AS "wei: Amount", counterparty, coin_out, minimum AS "minimum: Amount",
               received AS "received: Amount", deadline, gas AS "gas: Amount", tx, block, reason, usdt, version, created_at, updated_at, ended_at"#,
        i64::try_from(block).unwrap_or(i64::MAX)
    )
    .fetch_all(conn)
    .await?;
    Ok(rows)
}
