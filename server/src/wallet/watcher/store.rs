//! SQL of the watcher: its cursor, block hashes, payments.

use super::scan::Found;
use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::{
        chain::{
            Block, Coin,
            stored::{coin, column, hash, place},
            wei,
        },
        deposits::credit::Payment,
    },
};
use alloy::primitives::{Address, B256, U256};
use protocol::ids::{ChainDepositId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// How far the watcher has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub scanned: u64,
    pub confirmed: u64,
    pub halted: bool,
    /// How far the chain reached when what had counted left it.
    pub left_at: Option<u64>,
}

/// Why crediting is halted, as stored: the word, and behind a colon the block.
pub const REORG: &str = "reorg";

fn left_at(why: Option<&str>) -> Option<u64> {
    why?.strip_prefix(REORG)?.strip_prefix(':')?.parse().ok()
}

fn number(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

pub fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub async fn cursor(db: impl PgExecutor<'_>) -> Result<Option<Cursor>, Error> {
    let row = sqlx::query!("SELECT scanned, confirmed, halted_at, halted_why FROM wallet.cursor")
        .fetch_optional(db)
        .await?;
    Ok(row.map(|r| Cursor {
        scanned: number(r.scanned),
        confirmed: number(r.confirmed),
        halted: r.halted_at.is_some(),
        left_at: left_at(r.halted_why.as_deref()),
    }))
}

/// The cursor, locked until the transaction ends: changes of it follow one another.
pub async fn lock_cursor(conn: &mut PgConnection) -> Result<Option<Cursor>, Error> {
    let row = sqlx::query!("SELECT scanned, confirmed, halted_at, halted_why FROM wallet.cursor FOR UPDATE")
        .fetch_optional(conn)
        .await?;
    Ok(row.map(|r| Cursor {
        scanned: number(r.scanned),
        confirmed: number(r.confirmed),
        halted: r.halted_at.is_some(),
        left_at: left_at(r.halted_why.as_deref()),
    }))
}

/// What staff should know about the watcher.
#[derive(Clone, Debug)]
pub struct Health {
    pub scanned: u64,
    pub confirmed: u64,
    pub halted_why: Option<String>,
    pub alive_at: OffsetDateTime,
}

/// # Errors
/// Whatever the database refuses.
pub async fn health(db: impl PgExecutor<'_>) -> Result<Option<Health>, Error> {
    let row = sqlx::query!("SELECT scanned, confirmed, halted_why, alive_at FROM wallet.cursor")
        .fetch_optional(db)
        .await?;
    Ok(row.map(|r| Health {
        scanned: number(r.scanned),
        confirmed: number(r.confirmed),
        halted_why: r
            .halted_why
            .map(|why| why.split(':').next().unwrap_or_default().to_owned()),
        alive_at: r.alive_at,
    }))
}

/// The first look: everything up to here is none of ours.
pub async fn begin(conn: &mut PgConnection, at: &Block, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO wallet.cursor (scanned, confirmed, confirmed_at, alive_at) VALUES ($1, $1, $2, $3) ON CONFLICT DO NOTHING",
        stored(at.number),
        time_of(at),
        now
    )
    .execute(&mut *conn)
    .await?;
    keep_blocks(conn, std::slice::from_ref(at)).await
}

pub fn time_of(block: &Block) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(block.time).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

pub async fn keep_blocks(conn: &mut PgConnection, blocks: &[Block]) -> Result<(), Error> {
    let numbers: Vec<i64> = blocks.iter().map(|b| stored(b.number)).collect();
    let hashes: Vec<Vec<u8>> = blocks.iter().map(|b| b.hash.to_vec()).collect();
    let times: Vec<OffsetDateTime> = blocks.iter().map(time_of).collect();
    sqlx::query!(
        "INSERT INTO wallet.block (number, hash, at) SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::timestamptz[])
         ON CONFLICT (number) DO UPDATE SET hash = EXCLUDED.hash, at = EXCLUDED.at",
        &numbers,
        &hashes,
        &times
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Moves the cursor on and forgets blocks that nobody will ask for.
pub async fn scanned(conn: &mut PgConnection, to: u64, keep: u64, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.cursor SET scanned = $1, alive_at = $2",
        stored(to),
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM wallet.block WHERE number < $1::bigint - $2::bigint",
        stored(to),
        stored(keep)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn alive(conn: &mut PgConnection, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!("UPDATE wallet.cursor SET alive_at = $1", now)
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn confirmed(conn: &mut PgConnection, to: u64, at: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.cursor SET confirmed = $1, confirmed_at = $2",
        stored(to),
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stored blocks from the newest down.
pub async fn blocks_below(
    db: impl PgExecutor<'_>,
    up_to: u64,
    count: i64,
) -> Result<Vec<(u64, B256, OffsetDateTime)>, Error> {
    let rows = sqlx::query!(
        "SELECT number, hash, at FROM wallet.block WHERE number <= $1 ORDER BY number DESC LIMIT $2",
        stored(up_to),
        count
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| Ok((number(r.number), hash(&r.hash)?, r.at)))
        .collect()
}

pub async fn addresses(db: impl PgExecutor<'_>, from: i32) -> Result<Vec<(i32, Address, UserId)>, Error> {
    let rows = sqlx::query!(
        "SELECT number, address, owner FROM wallet.deposit_address WHERE number >= $1",
        from
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            let address = place(&r.address)?;
            Ok((r.number, address, r.owner.into()))
        })
        .collect()
}

/// Stores a payment that was seen. One that had left the chain is back at its new place; one that has counted stays as it is,
/// also when it now stands at another place of its transaction.
pub async fn see(conn: &mut PgConnection, chain: u64, found: &Found) -> Result<(), Error> {
    let wei = column(found.wei)?;
    sqlx::query!(
        "INSERT INTO wallet.payment AS p (id, chain_id, tx, log, address, contract, coin, payer, wei, block, block_hash, block_time, state)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'seen'
         WHERE NOT EXISTS (SELECT FROM wallet.payment g WHERE g.chain_id = $2 AND g.tx = $3 AND g.address = $5 AND g.wei = $9
             AND g.contract IS NOT DISTINCT FROM $6 AND g.state IN ('gone', 'reversed'))
             -- Our own gas and sweeps are nobody's deposit.
             AND NOT EXISTS (SELECT FROM wallet.sweep w WHERE w.tx = $3)
         ON CONFLICT (chain_id, tx, log) DO UPDATE SET block = EXCLUDED.block, block_hash = EXCLUDED.block_hash,
             block_time = EXCLUDED.block_time, state = 'seen'
         WHERE p.state = 'removed'",
        Uuid::now_v7(),
        stored(chain),
        found.tx.as_slice(),
        found.log,
        found.address,
        found.contract.as_ref().map(|c| c.as_slice()),
        found.coin.map(Coin::as_str),
        found.payer.as_slice(),
        wei as Amount,
        stored(found.block),
        found.block_hash.as_slice(),
        found.at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The lowest block up to `target` with payments that wait to be counted.
pub async fn next_block(db: impl PgExecutor<'_>, target: u64) -> Result<Option<u64>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT min(block) FROM wallet.payment WHERE state = 'seen' AND block <= $1",
        stored(target)
    )
    .fetch_one(db)
    .await?
    .map(number))
}

/// A payment with its row's id and the block it was seen in.
pub struct Waiting {
    pub id: Uuid,
    pub block_hash: B256,
    pub on_chain: Address,
    pub deposit: Option<ChainDepositId>,
    pub payment: Payment,
}

struct WaitingRow {
    id: Uuid,
    tx: Vec<u8>,
    address: i32,
    contract: Option<Vec<u8>>,
    coin: Option<String>,
    wei: Amount,
    block: i64,
    block_hash: Vec<u8>,
    block_time: OffsetDateTime,
    deposit: Option<Uuid>,
    on_chain: Vec<u8>,
    owner: Uuid,
}

impl TryFrom<WaitingRow> for Waiting {
    type Error = Error;

    fn try_from(r: WaitingRow) -> Result<Self, Error> {
        Ok(Self {
            id: r.id,
            block_hash: hash(&r.block_hash)?,
            on_chain: place(&r.on_chain)?,
            deposit: r.deposit.map(Into::into),
            payment: Payment {
                address: r.address,
                owner: r.owner.into(),
                coin: r.coin.as_deref().map(coin).transpose()?,
                contract: r.contract.and_then(|c| Address::try_from(c.as_slice()).ok()),
                tx: hash(&r.tx)?,
                wei: wei::read(r.wei.0).unwrap_or(U256::ZERO),
                block: number(r.block),
                at: r.block_time,
                doubtful: false,
            },
        })
    }
}

pub async fn waiting(db: impl PgExecutor<'_>, block: u64) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query_as!(
        WaitingRow,
        r#"SELECT p.id, p.tx, p.address, p.contract, p.coin, p.wei AS "wei: Amount", p.block, p.block_hash, p.block_time,
             p.deposit, a.address AS on_chain, a.owner
           FROM wallet.payment p JOIN wallet.deposit_address a ON a.number = p.address
           WHERE p.state = 'seen' AND p.block = $1 ORDER BY p.log, p.id"#,
        stored(block)
    )
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Waiting::try_from).collect()
}

pub async fn gone(db: impl PgExecutor<'_>) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query_as!(
        WaitingRow,
        r#"SELECT p.id, p.tx, p.address, p.contract, p.coin, p.wei AS "wei: Amount", p.block, p.block_hash, p.block_time,
             p.deposit, a.address AS on_chain, a.owner
           FROM wallet.payment p JOIN wallet.deposit_address a ON a.number = p.address
           WHERE p.state = 'gone' ORDER BY p.block, p.log, p.id"#
    )
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Waiting::try_from).collect()
}

/// Marks a payment as counted; false when it was not waiting any more.
pub async fn settled(
    conn: &mut PgConnection,
    id: Uuid,
    deposit: ChainDepositId,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE wallet.payment SET state = 'settled', deposit = $2, settled_at = $3 WHERE id = $1 AND state = 'seen'",
        id,
        deposit.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn removed(conn: &mut PgConnection, id: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.payment SET state = 'removed' WHERE id = $1 AND state = 'seen'",
        id
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A payment that had left is on the chain again, at this place.
pub async fn back(conn: &mut PgConnection, id: Uuid, block: u64, hash: B256) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.payment SET state = 'settled', block = $2, block_hash = $3 WHERE id = $1 AND state = 'gone'",
        id,
        stored(block),
        hash.as_slice()
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn reversed(conn: &mut PgConnection, id: Uuid) -> Result<(), Error> {
    sqlx::query!("UPDATE wallet.payment SET state = 'reversed' WHERE id = $1", id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Everything above a block never was: what had not counted is removed, what had is gone. Returns the addresses concerned and
/// the owners of what is gone.
pub async fn undo(conn: &mut PgConnection, above: u64) -> Result<(Vec<i32>, Vec<UserId>), Error> {
    let above = stored(above);
    let rows = sqlx::query!(
        r#"UPDATE wallet.payment p SET state = CASE WHEN p.state = 'seen' THEN 'removed' ELSE 'gone' END
           FROM wallet.deposit_address a
           WHERE a.number = p.address AND p.block > $1 AND p.state IN ('seen', 'settled')
           RETURNING p.address AS "address!", p.state AS "state!", a.owner AS "owner!""#,
        above
    )
    .fetch_all(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM wallet.block WHERE number > $1", above)
        .execute(&mut *conn)
        .await?;
    let mut addresses: Vec<i32> = rows.iter().map(|r| r.address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let mut owners: Vec<UserId> = rows
        .iter()
        .filter(|r| r.state == "gone")
        .map(|r| r.owner.into())
        .collect();
    owners.sort_unstable();
    owners.dedup();
    Ok((addresses, owners))
}

pub async fn step_back(
    conn: &mut PgConnection,
    to: u64,
    at: OffsetDateTime,
    halted: Option<(OffsetDateTime, &str)>,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.cursor SET scanned = $1, confirmed_at = CASE WHEN confirmed > $1 THEN $2 ELSE confirmed_at END,
             confirmed = least(confirmed, $1), halted_at = coalesce(halted_at, $3), halted_why = coalesce($4, halted_why)",
        stored(to),
        at,
        halted.map(|h| h.0),
        halted.map(|h| h.1)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn halt(conn: &mut PgConnection, why: &str, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.cursor SET halted_at = coalesce(halted_at, $2), halted_why = coalesce(halted_why, $1)",
        why,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Crediting goes on, if nothing is gone any more; true when it does.
pub async fn resume(conn: &mut PgConnection) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE wallet.cursor SET halted_at = NULL, halted_why = NULL
         WHERE halted_why LIKE 'reorg%' AND NOT EXISTS (SELECT FROM wallet.payment WHERE state = 'gone')"
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What an address has seen and not counted yet, of one coin and up to a moment: sum, newest block and its transaction.
pub async fn seen(
    conn: &mut PgConnection,
    address: i32,
    coin: Option<Coin>,
    until: OffsetDateTime,
) -> Result<(U256, Option<(u64, B256)>), Error> {
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(wei), 0)::numeric(38, 0) AS "sum!: Amount", max(block) AS block,
             (array_agg(tx ORDER BY block DESC, log DESC))[1] AS tx
           FROM wallet.payment WHERE address = $1 AND coin IS NOT DISTINCT FROM $2 AND state = 'seen' AND block_time <= $3"#,
        address,
        coin.map(Coin::as_str),
        until
    )
    .fetch_one(conn)
    .await?;
    let newest = match (row.block, row.tx) {
        (Some(block), Some(tx)) => Some((number(block), hash(&tx)?)),
        _ => None,
    };
    Ok((wei::read(row.sum.0).unwrap_or(U256::ZERO), newest))
}

/// Deposits whose payments gather confirmations.
pub async fn sinking(db: impl PgExecutor<'_>) -> Result<Vec<(ChainDepositId, UserId, u64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, owner, seen_block AS "block!" FROM wallet.deposit
           WHERE status = 'pending' AND seen > 0 AND seen_block IS NOT NULL AND expires_at IS NOT NULL LIMIT 1000"#
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.id.into(), r.owner.into(), number(r.block)))
        .collect())
}
