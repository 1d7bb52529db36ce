//! Reading: from the cursor to the head, block by block, with the logs of the range.

use super::{Trouble, Watcher, reorg, store};
use crate::{
    error::Error,
    foundation::{context::World, lease, transaction::Tx},
    wallet::{
        chain::{Block, ChainError, Client, Coin, client::Native, contracts::Erc20, stored},
        deposits::{self, service::tell},
        user_wallets::{arrivals, store::Arrival},
    },
};
use alloy::{
    primitives::{Address, B256, U256},
    rpc::types::{Filter, Log},
    sol_types::SolEvent,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use protocol::{ids::UserId, views::ChainDepositStatus as Status};
use std::collections::{BTreeSet, HashMap};
use time::OffsetDateTime;

/// Blocks read in one transaction.
const RANGE: u64 = 100;
/// Questions asked side by side.
const WIDTH: usize = 8;
/// Addresses in one question for logs.
const TOPICS: usize = 500;
/// Block hashes kept; a reorganisation that goes deeper is no reorganisation.
const KEPT: u64 = 2_000;
/// Blocks before the head with which the first look begins.
const FIRST: u64 = 64;
/// How old the newest block may be in production.
const FRESH: time::Duration = time::Duration::seconds(60);
/// Numbers are given out in order but committed in any: so many of the newest are read again.
const LATE_COMMITS: i32 = 1_000;

/// The addresses that are watched.
#[derive(Default)]
pub struct Addresses {
    by_address: HashMap<Address, (i32, UserId)>,
    highest: i32,
}

impl Addresses {
    async fn refresh(&mut self, watcher: &sqlx::PgPool) -> Result<(), Error> {
        let from = (self.highest - LATE_COMMITS).max(0);
        for (number, address, owner) in store::addresses(watcher, from).await? {
            self.highest = self.highest.max(number);
            self.by_address.insert(address, (number, owner));
        }
        Ok(())
    }
}

/// A payment in a block.
#[derive(Clone, Debug)]
pub struct Found {
    pub tx: B256,
    /// −1: native coin.
    pub log: i32,
    pub address: i32,
    pub contract: Option<Address>,
    pub coin: Option<Coin>,
    pub payer: Address,
    pub wei: U256,
    pub block: u64,
    pub block_hash: B256,
    pub at: OffsetDateTime,
}

/// Reads up to one range; true when there is more.
pub async fn read(watcher: &mut Watcher) -> Result<bool, Trouble> {
    let client = watcher.chain.client.clone();
    let pool = watcher.context.db.pool().clone();
    let head = client.head().await?;
    // After the head: whoever paid in a block up to it had the address before.
    watcher.addresses.refresh(&pool).await?;
    watcher.wallets.refresh(&pool).await?;
    let Some(cursor) = store::cursor(&pool).await? else {
        // A little before the head: a chain that changes its mind right after has a block in common with what is stored.
        let first = head.saturating_sub(FIRST);
        let block = client.block(first).await?.ok_or(Trouble::Moved)?;
        let mut tx = begin(watcher).await?;
        let now = tx.now();
        store::begin(tx.conn(), &block, now).await?;
        tx.commit().await?;
        return Ok(true);
    };
    let scanned = cursor.scanned;
    metrics::gauge!("chain_lag_blocks").set(u32::try_from(head.saturating_sub(scanned)).unwrap_or(u32::MAX));
    if !reorg::still_there(watcher, scanned, head).await? {
        reorg::step_back(watcher, scanned, head).await?;
        return Ok(true);
    }
    if head <= scanned {
        let mut tx = begin(watcher).await?;
        let now = tx.now();
        store::alive(tx.conn(), now).await?;
        tx.commit().await?;
        return Ok(false);
    }
    let (to, blocks, found, arrived) =
        range(watcher, &client, scanned + 1, head.min(scanned + RANGE)).await?;
    fresh(watcher, to == head, blocks.last())?;
    let known = store::blocks_below(&pool, scanned, 1).await?;
    let mut parent = known.first().map(|(_, hash, _)| *hash);
    for block in &blocks {
        if parent.is_some_and(|p| p != block.parent) {
            return Err(Trouble::Moved);
        }
        parent = Some(block.hash);
    }
    let mut tx = begin(watcher).await?;
    let now = tx.now();
    match store::lock_cursor(tx.conn()).await? {
        Some(c) if c.scanned == scanned => {}
        _ => return Err(Trouble::Moved),
    }
    store::keep_blocks(tx.conn(), &blocks).await?;
    for payment in &found {
        store::see(tx.conn(), client.id(), payment).await?;
    }
    arrivals::see(&mut tx, &arrived).await?;
    store::scanned(tx.conn(), to, KEPT, now).await?;
    let touched: BTreeSet<i32> = found.iter().map(|f| f.address).collect();
    for address in touched {
        refresh_seen(watcher, &mut tx, address).await?;
    }
    tx.commit().await?;
    Ok(to < head)
}

/// A transaction of the one watcher.
pub async fn begin(watcher: &Watcher) -> Result<Tx, Trouble> {
    let mut tx = watcher.context.db.begin().await?;
    lease::check(&mut tx, super::LEASE, watcher.fence).await?;
    Ok(tx)
}

fn fresh(watcher: &Watcher, is_head: bool, newest: Option<&Block>) -> Result<(), Trouble> {
    let age = newest.map(|block| watcher.context.now() - store::time_of(block));
    if is_head && watcher.context.world == World::Production && age.is_some_and(|age| age > FRESH) {
        return Err(Trouble::Stale);
    }
    Ok(())
}

type Range = (u64, Vec<Block>, Vec<Found>, Vec<Arrival>);

/// Blocks and payments of a range, less of it when the node cannot answer for all.
async fn range(watcher: &Watcher, client: &Client, from: u64, mut to: u64) -> Result<Range, Trouble> {
    let logs = loop {
        match logs(watcher, client, from, to).await {
            Ok(logs) => break logs,
            Err(ChainError::Refused { .. }) if to > from => to = from + (to - from) / 2,
            Err(error) => return Err(error.into()),
        }
    };
    let read: Vec<(Block, Vec<Native>)> = stream::iter(from..=to)
        .map(|number| async move { client.block_with_native(number).await?.ok_or(Trouble::Moved) })
        .buffered(WIDTH)
        .try_collect()
        .await?;
    let (mut found, mut arrived) = (Vec::new(), Vec::new());
    for (block, native) in &read {
        for one in native {
            arrived.extend(watcher.wallets.owner(&one.to).map(|owner| Arrival {
                owner,
                coin: Coin::Bnb,
                wei: one.wei,
                payer: one.from,
                tx: one.tx,
                log: -1,
                block: block.number,
                block_hash: block.hash,
                at: store::time_of(block),
            }));
            let Some((address, _)) = watcher.addresses.by_address.get(&one.to) else {
                continue;
            };
            found.push(Found {
                tx: one.tx,
                log: -1,
                address: *address,
                contract: None,
                coin: Some(Coin::Bnb),
                payer: one.from,
                wei: one.wei,
                block: block.number,
                block_hash: block.hash,
                at: store::time_of(block),
            });
        }
    }
    let blocks: Vec<Block> = read.into_iter().map(|(block, _)| block).collect();
    for log in logs {
        let Some(moved) = transfer(&blocks, from, &log)? else {
            continue;
        };
        let to = moved.to;
        if let (Some(owner), Some(coin)) = (
            watcher.wallets.owner(&to),
            watcher.chain.contracts.coin(moved.contract),
        ) {
            arrived.push(moved.arrival(owner, coin));
        }
        if let Some((address, _)) = watcher.addresses.by_address.get(&to) {
            found.push(moved.found(*address, watcher.chain.contracts.coin(moved.contract)));
        }
    }
    Ok((to, blocks, found, arrived))
}

async fn logs(watcher: &Watcher, client: &Client, from: u64, to: u64) -> Result<Vec<Log>, ChainError> {
    let all: Vec<B256> = watcher
        .addresses
        .by_address
        .keys()
        .chain(watcher.wallets.addresses())
        .map(|a| a.into_word())
        .collect();
    let mut logs = Vec::new();
    for some in all.chunks(TOPICS) {
        let filter = Filter::new()
            .event_signature(Erc20::Transfer::SIGNATURE_HASH)
            .topic2(some.to_vec());
        logs.extend(client.logs(from, to, &filter).await?);
    }
    Ok(logs)
}

/// A token's transfer in a block.
struct Moved<'a> {
    contract: Address,
    to: Address,
    payer: Address,
    wei: U256,
    tx: B256,
    log: i32,
    block: &'a Block,
}

impl Moved<'_> {
    fn found(&self, address: i32, coin: Option<Coin>) -> Found {
        Found {
            tx: self.tx,
            log: self.log,
            address,
            contract: Some(self.contract),
            coin,
            payer: self.payer,
            wei: self.wei,
            block: self.block.number,
            block_hash: self.block.hash,
            at: store::time_of(self.block),
        }
    }

    fn arrival(&self, owner: UserId, coin: Coin) -> Arrival {
        Arrival {
            owner,
            coin,
            wei: self.wei,
            payer: self.payer,
            tx: self.tx,
            log: self.log,
            block: self.block.number,
            block_hash: self.block.hash,
            at: store::time_of(self.block),
        }
    }
}

/// What a log moved; none for what only looks like a transfer, or moved nothing.
fn transfer<'a>(blocks: &'a [Block], from: u64, log: &Log) -> Result<Option<Moved<'a>>, Trouble> {
    let (Some(number), Some(hash), Some(tx), Some(index)) = (
        log.block_number,
        log.block_hash,
        log.transaction_hash,
        log.log_index.and_then(|i| i32::try_from(i).ok()),
    ) else {
        return Ok(None);
    };
    if log.removed {
        return Ok(None);
    }
    let block = number
        .checked_sub(from)
        .and_then(|i| usize::try_from(i).ok())
        .and_then(|i| blocks.get(i))
        .ok_or(Trouble::Moved)?;
    if block.hash != hash {
        return Err(Trouble::Moved);
    }
    // A token of another kind (an item, not an amount) has the same signature and other topics.
    let Ok(event) = log.log_decode_validate::<Erc20::Transfer>() else {
        return Ok(None);
    };
    let moved = event.inner.data;
    // What no column holds is worth nothing either.
    if moved.value.is_zero() || stored::column(moved.value).is_err() {
        return Ok(None);
    }
    Ok(Some(Moved {
        contract: log.address(),
        to: moved.to,
        payer: moved.from,
        wei: moved.value,
        tx,
        log: index,
        block,
    }))
}

/// Takes over what an address's open deposit has seen, and tells its owner when that changed.
pub async fn refresh_seen(watcher: &Watcher, tx: &mut Tx, address: i32) -> Result<(), Trouble> {
    let known = deposits::store::lock_address(tx.conn(), address).await?;
    let open = known
        .into_iter()
        .rfind(|d| d.expires_at.is_some() && matches!(d.status, Status::Waiting | Status::Pending));
    let Some(mut deposit) = open else { return Ok(()) };
    let until = match (deposit.due, deposit.expires_at) {
        (Some(_), Some(end)) => end,
        // A plain sum is credited whenever it comes.
        _ => tx.now() + time::Duration::days(36_500),
    };
    let (seen, newest) = store::seen(tx.conn(), address, deposit.coin, until).await?;
    let status = if seen.is_zero() && deposit.received.is_zero() {
        Status::Waiting
    } else {
        Status::Pending
    };
    let place = newest.map(|(block, _)| block).or(deposit.seen_block);
    if seen == deposit.seen && status == deposit.status && place == deposit.seen_block {
        return Ok(());
    }
    deposit.seen = seen;
    deposit.status = status;
    if let Some((block, hash)) = newest {
        deposit.seen_block = Some(block);
        deposit.tx = Some(hash);
    } else if deposit.received.is_zero() {
        deposit.seen_block = None;
        deposit.tx = None;
    }
    deposits::store::save(tx.conn(), &deposit).await?;
    tell(&watcher.context, tx, deposit.id, false).await?;
    Ok(())
}
