//! SQL of the sender: whose nonces are whose, what is queued, under way, in a block; and what is not ours.

mod foreign;

pub use foreign::*;

use super::{Cause, Outgoing, OutgoingId, Purse};
use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::chain::{
        Coin,
        signer::Signed,
        stored::{amount, coin, column, hash, place},
    },
};
use alloy::primitives::{Address, B256, Bytes, U256};
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

fn number(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

fn kept(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub async fn insert(
    conn: &mut PgConnection,
    id: OutgoingId,
    new: &Outgoing,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let value = column(new.value)?;
    let carried = new.carries.map(|c| column(c.wei)).transpose()?;
    sqlx::query!(
        "INSERT INTO wallet.outgoing (id, key, owner, sender, recipient, value, data, gas_limit, coin, beneficiary, amount, cause_kind,
             cause, state, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'queued', $14)",
        id.0,
        new.purse.as_str(),
        new.purse.owner().map(|o| o.0),
        new.sender.as_slice(),
        new.recipient.as_slice(),
        value as Amount,
        new.data.as_ref(),
        kept(new.gas_limit),
        new.carries.map(|c| c.coin.as_str()),
        new.carries.as_ref().map(|c| c.to.as_slice()),
        carried as Option<Amount>,
        new.cause.kind(),
        new.cause.id(),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn drop_queued(
    conn: &mut PgConnection,
    id: OutgoingId,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE wallet.outgoing SET state = 'dropped', ended_at = $2 WHERE id = $1 AND state = 'queued'",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether a transaction is neither ended nor dropped.
pub async fn lives(db: impl PgExecutor<'_>, id: OutgoingId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.outgoing WHERE id = $1 AND state NOT IN ('done', 'failed', 'dropped')) AS "is!""#,
        id.0
    )
    .fetch_one(db)
    .await?)
}

/// A sender of ours with work to do.
#[derive(Clone, Debug)]
pub struct Sender {
    pub address: Address,
    pub purse: Purse,
    /// None: it never sent anything.
    pub place: Option<Place>,
}

/// Where a sender stands.
#[derive(Clone, Debug)]
pub struct Place {
    pub next_nonce: u64,
    pub checked_block: u64,
    pub halted_at: Option<OffsetDateTime>,
    pub halted: Option<String>,
    /// How far the chain was looked through for nonces that are not ours.
    pub scanned: Option<u64>,
}

fn purse(key: &str, owner: Option<Uuid>) -> Result<Purse, Error> {
    match (key, owner) {
        ("hot", None) => Ok(Purse::Hot),
        ("user", Some(owner)) => Ok(Purse::User(UserId(owner))),
        _ => Err(Error::internal("a sender of nobody")),
    }
}

/// Senders with something queued or under way, those that are halted, and the house's own.
pub async fn senders(db: impl PgExecutor<'_>) -> Result<Vec<Sender>, Error> {
    let rows = sqlx::query!(
        r#"SELECT w.address AS "address!", w.key AS "key!", w.owner, s.next_nonce AS "next_nonce?", s.checked_block AS "checked_block?",
               s.halted_at, s.halted_why, s.scanned
           FROM (SELECT DISTINCT sender AS address, key, owner FROM wallet.outgoing WHERE state IN ('queued', 'signed', 'sent', 'mined')
                 UNION SELECT address, key, owner FROM wallet.sender WHERE halted_at IS NOT NULL OR key = 'hot') w
           LEFT JOIN wallet.sender s ON s.address = w.address
           ORDER BY w.key, w.address LIMIT 200"#
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(Sender {
                address: place(&r.address)?,
                purse: purse(&r.key, r.owner)?,
                place: r.next_nonce.zip(r.checked_block).map(|(next, checked)| Place {
                    next_nonce: number(next),
                    checked_block: number(checked),
                    halted_at: r.halted_at,
                    halted: r.halted_why,
                    scanned: r.scanned.map(number),
                }),
            })
        })
        .collect()
}

/// Where a sender stands, locked.
pub async fn lock_place(conn: &mut PgConnection, sender: Address) -> Result<Option<Place>, Error> {
    let row = sqlx::query!(
        "SELECT next_nonce, checked_block, halted_at, halted_why, scanned FROM wallet.sender WHERE address = $1 FOR UPDATE",
        sender.as_slice()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Place {
        next_nonce: number(r.next_nonce),
        checked_block: number(r.checked_block),
        halted_at: r.halted_at,
        halted: r.halted_why,
        scanned: r.scanned.map(number),
    }))
}

/// A sender that is seen for the first time; one that is known stays as it is.
pub async fn begin(
    conn: &mut PgConnection,
    sender: Address,
    purse: Purse,
    next_nonce: u64,
    head: u64,
    halted: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO wallet.sender (address, key, owner, next_nonce, checked_block, halted_at, halted_why, created_at)
         VALUES ($1, $2, $3, $4, $5, CASE WHEN $6::text IS NULL THEN NULL ELSE $7::timestamptz END, $6, $7) ON CONFLICT DO NOTHING",
        sender.as_slice(),
        purse.as_str(),
        purse.owner().map(|o| o.0),
        kept(next_nonce),
        kept(head),
        halted,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Chain and table agree up to this block.
pub async fn checked(conn: &mut PgConnection, sender: Address, block: u64) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.sender SET checked_block = greatest(checked_block, $2), halted_at = NULL, halted_why = NULL, scanned = NULL
         WHERE address = $1",
        sender.as_slice(),
        kept(block)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn halt(
    conn: &mut PgConnection,
    sender: Address,
    why: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.sender SET halted_at = coalesce(halted_at, $3), halted_why = $2 WHERE address = $1",
        sender.as_slice(),
        why,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The chain was looked through up to this block.
pub async fn scanned(conn: &mut PgConnection, sender: Address, block: Option<u64>) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.sender SET scanned = $2 WHERE address = $1",
        sender.as_slice(),
        block.map(kept)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_next(conn: &mut PgConnection, sender: Address, next: u64) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.sender SET next_nonce = greatest(next_nonce, $2) WHERE address = $1",
        sender.as_slice(),
        kept(next)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A transaction under way.
#[derive(Clone, Debug)]
pub struct Open {
    pub id: OutgoingId,
    pub cause: Cause,
    pub nonce: u64,
    pub state: String,
    pub tx: Option<B256>,
    pub block: Option<u64>,
}

fn cause(kind: &str, id: Uuid) -> Result<Cause, Error> {
    Cause::read(kind, id).ok_or_else(|| Error::internal("a transaction of an unknown cause"))
}

/// What a sender has under way, by nonce.
pub async fn open(db: impl PgExecutor<'_>, sender: Address) -> Result<Vec<Open>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, cause_kind, cause, nonce AS "nonce!", state, tx, block FROM wallet.outgoing
           WHERE sender = $1 AND state IN ('signed', 'sent', 'mined') ORDER BY nonce LIMIT 200"#,
        sender.as_slice()
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(Open {
                id: OutgoingId(r.id),
                cause: cause(&r.cause_kind, r.cause)?,
                nonce: number(r.nonce),
                state: r.state,
                tx: r.tx.as_deref().map(hash).transpose()?,
                block: r.block.map(number),
            })
        })
        .collect()
}

/// A transaction that waits for its turn, or is signed anew.
#[derive(Clone, Debug)]
pub struct Item {
    pub id: OutgoingId,
    pub purse: Purse,
    pub sender: Address,
    pub recipient: Address,
    pub value: U256,
    pub data: Bytes,
    pub gas_limit: u64,
    pub coin: Option<Coin>,
    pub amount: U256,
    pub cause: Cause,
    pub created_at: OffsetDateTime,
}

macro_rules! item {
    ($r:expr) => {{
        let r = $r;
        Ok(Item {
            id: OutgoingId(r.id),
            purse: purse(&r.key, r.owner)?,
            sender: place(&r.sender)?,
            recipient: place(&r.recipient)?,
            value: amount(r.value)?,
            data: r.data.into(),
            gas_limit: number(r.gas_limit),
            coin: r.coin.as_deref().map(coin).transpose()?,
            amount: r.amount.map(amount).transpose()?.unwrap_or_default(),
            cause: cause(&r.cause_kind, r.cause)?,
            created_at: r.created_at,
        })
    }};
}

/// What waits at a sender, oldest first.
pub async fn queued(db: impl PgExecutor<'_>, sender: Address, count: i64) -> Result<Vec<Item>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, key, owner, sender, recipient, value AS "value: Amount", data, gas_limit, coin, amount AS "amount: Amount", cause_kind,
               cause, created_at FROM wallet.outgoing
           WHERE sender = $1 AND state = 'queued' ORDER BY created_at, id LIMIT $2"#,
        sender.as_slice(),
        count
    )
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|r| item!(r)).collect()
}

pub async fn item(db: impl PgExecutor<'_>, id: OutgoingId) -> Result<Option<Item>, Error> {
    let row = sqlx::query!(
        r#"SELECT id, key, owner, sender, recipient, value AS "value: Amount", data, gas_limit, coin, amount AS "amount: Amount", cause_kind,
               cause, created_at FROM wallet.outgoing WHERE id = $1"#,
        id.0
    )
    .fetch_optional(db)
    .await?;
    row.map(|r| item!(r)).transpose()
}

/// One signed form of a transaction.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub tx: B256,
    pub gas_price: u128,
    /// None of one that was found on the chain.
    pub raw: Option<Vec<u8>>,
    pub sent_at: Option<OffsetDateTime>,
    /// The newest block when it was first sent.
    pub sent_head: Option<u64>,
}

/// All attempts of a transaction under its present nonce, oldest first.
pub async fn attempts(db: impl PgExecutor<'_>, id: OutgoingId) -> Result<Vec<Attempt>, Error> {
    let rows = sqlx::query!(
        r#"SELECT a.tx, a.gas_price AS "gas_price: Amount", a.raw, a.sent_at, a.sent_head FROM wallet.outgoing_attempt a
           JOIN wallet.outgoing o ON o.id = a.outgoing AND o.nonce = a.nonce WHERE a.outgoing = $1 ORDER BY a.gas_price, a.signed_at"#,
        id.0
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(Attempt {
                tx: hash(&r.tx)?,
                gas_price: u128::try_from(r.gas_price.0).unwrap_or(0),
                raw: r.raw,
                sent_at: r.sent_at,
                sent_head: r.sent_head.map(number),
            })
        })
        .collect()
}

/// Keeps a signed form before it is sent anywhere.
pub async fn keep_attempt(
    conn: &mut PgConnection,
    id: OutgoingId,
    nonce: u64,
    gas_price: u128,
    signed: &Signed,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let price = column(U256::from(gas_price))?;
    sqlx::query!(
        "INSERT INTO wallet.outgoing_attempt (outgoing, tx, nonce, gas_price, raw, signed_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id.0,
        signed.hash.as_slice(),
        kept(nonce),
        price as Amount,
        signed.raw.as_ref(),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A transaction gets its nonce; false when it was taken back meanwhile.
pub async fn sign(
    conn: &mut PgConnection,
    id: OutgoingId,
    nonce: u64,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE wallet.outgoing SET state = 'signed', nonce = $2, signed_at = $3 WHERE id = $1 AND state = 'queued'",
        id.0,
        kept(nonce),
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn sent(
    conn: &mut PgConnection,
    id: OutgoingId,
    tx: B256,
    head: u64,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.outgoing_attempt SET sent_at = $2, sent_head = $3 WHERE tx = $1 AND sent_at IS NULL",
        tx.as_slice(),
        now,
        kept(head)
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE wallet.outgoing SET state = 'sent' WHERE id = $1 AND state = 'signed'",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One of its attempts is in a block.
pub async fn mined(
    conn: &mut PgConnection,
    id: OutgoingId,
    tx: B256,
    block: u64,
    success: bool,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.outgoing SET state = 'mined', tx = $2, block = $3, success = $4 WHERE id = $1 AND state IN ('signed', 'sent', 'mined')",
        id.0,
        tx.as_slice(),
        kept(block),
        success
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The chain changed its mind: it waits for a block again.
pub async fn unmined(conn: &mut PgConnection, id: OutgoingId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.outgoing SET state = 'sent', tx = NULL, block = NULL, success = NULL WHERE id = $1 AND state = 'mined'",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deep enough: it has ended. False when it had before.
pub async fn ended(
    conn: &mut PgConnection,
    id: OutgoingId,
    gas: U256,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let gas = column(gas)?;
    let done = sqlx::query!(
        "UPDATE wallet.outgoing SET state = CASE WHEN success THEN 'done' ELSE 'failed' END, gas = $2, ended_at = $3
         WHERE id = $1 AND state = 'mined'",
        id.0,
        gas as Amount,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Its nonce went to another transaction for good: back into the queue, or dropped.
pub async fn displace(
    conn: &mut PgConnection,
    id: OutgoingId,
    again: bool,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE wallet.outgoing SET state = CASE WHEN $2 THEN 'queued' ELSE 'dropped' END, nonce = NULL, tx = NULL, block = NULL,
             success = NULL, signed_at = NULL, ended_at = CASE WHEN $2 THEN NULL ELSE $3::timestamptz END
         WHERE id = $1 AND state IN ('signed', 'sent', 'mined')",
        id.0,
        again,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// An attempt of which only the chain knew.
pub async fn found_attempt(
    conn: &mut PgConnection,
    id: OutgoingId,
    nonce: u64,
    tx: B256,
    head: u64,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO wallet.outgoing_attempt (outgoing, tx, nonce, gas_price, raw, signed_at, sent_at, sent_head)
         VALUES ($1, $2, $3, 0, NULL, $4, $4, $5) ON CONFLICT DO NOTHING",
        id.0,
        tx.as_slice(),
        kept(nonce),
        now,
        kept(head)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A queued transaction is on the chain already, under this nonce and hash.
pub async fn adopt(
    conn: &mut PgConnection,
    id: OutgoingId,
    nonce: u64,
    tx: B256,
    head: u64,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    found_attempt(&mut *conn, id, nonce, tx, head, now).await?;
    let done = sqlx::query!(
        "UPDATE wallet.outgoing SET state = 'sent', nonce = $2, signed_at = $3 WHERE id = $1 AND state = 'queued'",
        id.0,
        kept(nonce),
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whose attempt a hash is, under which nonce.
pub async fn known(db: impl PgExecutor<'_>, tx: B256) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.outgoing_attempt WHERE tx = $1) AS "is!""#,
        tx.as_slice()
    )
    .fetch_one(db)
    .await?)
}

/// The transaction of a nonce.
pub async fn by_nonce(
    db: impl PgExecutor<'_>,
    sender: Address,
    nonce: u64,
) -> Result<Option<(OutgoingId, Cause, String)>, Error> {
    let row = sqlx::query!(
        "SELECT id, cause_kind, cause, state FROM wallet.outgoing WHERE sender = $1 AND nonce = $2",
        sender.as_slice(),
        kept(nonce)
    )
    .fetch_optional(db)
    .await?;
    row.map(|r| Ok((OutgoingId(r.id), cause(&r.cause_kind, r.cause)?, r.state)))
        .transpose()
}

/// Wei of a coin that a sender has signed and that no block holds yet; with `final_only`, all that is not final.
pub async fn under_way(
    db: impl PgExecutor<'_>,
    sender: Address,
    coin: Coin,
    mined_too: bool,
) -> Result<U256, Error> {
    let sum = sqlx::query_scalar!(
        r#"SELECT coalesce(sum(amount), 0) AS "sum!: Amount" FROM wallet.outgoing
           WHERE sender = $1 AND coin = $2 AND (state IN ('signed', 'sent') OR $3 AND state = 'mined')"#,
        sender.as_slice(),
        coin.as_str(),
        mined_too
    )
    .fetch_one(db)
    .await?;
    amount(sum)
}
