//! SQL of transactions on the chain that nothing here sent.

use super::{Item, kept, number};
use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::{
        chain::{
            client::Sent,
            stored::{column, hash, place},
        },
        sender::OutgoingId,
    },
};
use alloy::primitives::{Address, B256};
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// A transaction that nothing here knew of.
#[derive(Clone, Debug)]
pub struct Foreign {
    pub tx: B256,
    pub nonce: u64,
    pub recipient: Address,
    pub block: u64,
    pub acknowledged: bool,
}

pub async fn note_foreign(
    conn: &mut PgConnection,
    sender: Address,
    found: &Sent,
    block: u64,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let value = column(found.value)?;
    let recipient = found.to.unwrap_or_default();
    sqlx::query!(
        "INSERT INTO wallet.foreign_transaction (tx, sender, nonce, recipient, value, data, block, found_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
        found.tx.as_slice(),
        sender.as_slice(),
        kept(found.nonce),
        recipient.as_slice(),
        value as Amount,
        found.data.as_ref(),
        kept(block),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What is known of a sender's transactions that nothing here sent, and that paid nothing of ours.
pub async fn foreign(db: impl PgExecutor<'_>, sender: Address) -> Result<Vec<Foreign>, Error> {
    let rows = sqlx::query!(
        r#"SELECT tx, nonce, recipient, block, acknowledged_at IS NOT NULL AS "acknowledged!" FROM wallet.foreign_transaction
           WHERE sender = $1 AND outgoing IS NULL ORDER BY nonce LIMIT 200"#,
        sender.as_slice()
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(Foreign {
                tx: hash(&r.tx)?,
                nonce: number(r.nonce),
                recipient: place(&r.recipient)?,
                block: number(r.block),
                acknowledged: r.acknowledged,
            })
        })
        .collect()
}

/// How many nonces from `from` up to, not including, `to` are explained: ours, or found on the chain.
pub async fn explained(db: impl PgExecutor<'_>, sender: Address, from: u64, to: u64) -> Result<u64, Error> {
    let count = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (
               SELECT nonce FROM wallet.outgoing WHERE sender = $1 AND nonce >= $2 AND nonce < $3
               UNION SELECT nonce FROM wallet.foreign_transaction WHERE sender = $1 AND nonce >= $2 AND nonce < $3) n"#,
        sender.as_slice(),
        kept(from),
        kept(to)
    )
    .fetch_one(db)
    .await?;
    Ok(number(count))
}

/// A transaction on the chain that does exactly what waits here, and is nobody's yet.
pub async fn paid_already(db: impl PgExecutor<'_>, item: &Item) -> Result<Option<(B256, u64, u64)>, Error> {
    let value = column(item.value)?;
    let row = sqlx::query!(
        "SELECT tx, nonce, block FROM wallet.foreign_transaction
         WHERE sender = $1 AND recipient = $2 AND value = $3 AND data = $4 AND outgoing IS NULL ORDER BY nonce LIMIT 1",
        item.sender.as_slice(),
        item.recipient.as_slice(),
        value as Amount,
        item.data.as_ref()
    )
    .fetch_optional(db)
    .await?;
    row.map(|r| Ok((hash(&r.tx)?, number(r.nonce), number(r.block))))
        .transpose()
}

pub async fn claim_foreign(conn: &mut PgConnection, tx: B256, by: OutgoingId) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE wallet.foreign_transaction SET outgoing = $2 WHERE tx = $1 AND outgoing IS NULL",
        tx.as_slice(),
        by.0
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A person has looked at all that is not ours.
pub async fn acknowledge(
    conn: &mut PgConnection,
    sender: Address,
    by: UserId,
    now: OffsetDateTime,
) -> Result<u64, Error> {
    let done = sqlx::query!(
        "UPDATE wallet.foreign_transaction SET acknowledged_by = $2, acknowledged_at = $3
         WHERE sender = $1 AND outgoing IS NULL AND acknowledged_at IS NULL",
        sender.as_slice(),
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
