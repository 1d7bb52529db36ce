//! Counting: payments that enough blocks hold, in the order of the chain, and intents whose time is over by it.

use super::{Trouble, Watcher, scan, store};
use crate::{
    config::LOCAL_CHAIN,
    wallet::{
        chain::{ChainError, Coin, Finality},
        deposits::{credit, ending, rules},
    },
};
use alloy::primitives::U256;
use std::collections::{BTreeSet, HashMap};

/// Counts everything up to the newest confirmed block.
pub async fn confirm(watcher: &Watcher) -> Result<(), Trouble> {
    let pool = watcher.context.db.pool();
    loop {
        let Some(cursor) = store::cursor(pool).await?.filter(|c| !c.halted) else {
            return Ok(());
        };
        let Some(target) = watcher.chain.final_block(cursor.scanned).await? else {
            return Ok(());
        };
        if target <= cursor.confirmed {
            return Ok(());
        }
        match store::next_block(pool, target).await? {
            Some(block) => count(watcher, block).await?,
            None => return advance(watcher, target).await,
        }
    }
}

/// What was final when the chain was asked is so still: what the chain has finalized stays, blocks are counted anew.
fn is_final(watcher: &Watcher, cursor: &store::Cursor, block: u64) -> bool {
    let held = match watcher.chain.finality {
        Finality::Blocks => rules::confirmed(cursor.scanned, watcher.chain.confirmations) >= Some(block),
        Finality::Finalized => cursor.scanned >= block,
    };
    !cursor.halted && held
}

/// Nothing is paid up to this block: only time passes.
async fn advance(watcher: &Watcher, target: u64) -> Result<(), Trouble> {
    let pool = watcher.context.db.pool();
    let known = store::blocks_below(pool, target, 1).await?;
    let Some((_, _, at)) = known.first().copied().filter(|(number, _, _)| *number == target) else {
        return Err(Trouble::Moved);
    };
    loop {
        let mut tx = scan::begin(watcher).await?;
        let still = store::lock_cursor(tx.conn()).await?;
        if still.is_none_or(|c| !is_final(watcher, &c, target)) {
            return Err(Trouble::Moved);
        }
        let more = ending::end_intents(&watcher.context, &mut tx, at).await?;
        if !more {
            store::confirmed(tx.conn(), target, at).await?;
        }
        tx.commit().await?;
        if !more {
            return Ok(());
        }
    }
}

async fn count(watcher: &Watcher, block: u64) -> Result<(), Trouble> {
    let pool = watcher.context.db.pool();
    let mut waiting = store::waiting(pool, block).await?;
    let Some(at) = waiting.first().map(|w| w.payment.at) else {
        return Ok(());
    };
    let mut failed = BTreeSet::new();
    for one in &waiting {
        match watcher.chain.client.outcome(one.payment.tx).await? {
            Some(outcome) if outcome.block_hash == one.block_hash && outcome.block == block => {
                if !outcome.success {
                    failed.insert(one.id);
                }
            }
            _ => return Err(Trouble::Moved),
        }
    }
    doubt(watcher, block, &mut waiting).await?;

    let mut tx = scan::begin(watcher).await?;
    let now = tx.now();
    let cursor = store::lock_cursor(tx.conn()).await?;
    let Some(cursor) = cursor.filter(|c| is_final(watcher, c, block)) else {
        return Err(Trouble::Moved);
    };
    // Whatever ended before this block ended without it.
    while ending::end_intents(&watcher.context, &mut tx, at).await? {}
    let mut touched = BTreeSet::new();
    for one in &waiting {
        touched.insert(one.payment.address);
        if failed.contains(&one.id) {
            store::removed(tx.conn(), one.id).await?;
            continue;
        }
        let deposit = credit::settle(&watcher.context, &mut tx, &one.payment).await?;
        if !store::settled(tx.conn(), one.id, deposit, now).await? {
            return Err(Trouble::Moved);
        }
    }
    for address in touched {
        scan::refresh_seen(watcher, &mut tx, address).await?;
    }
    store::confirmed(tx.conn(), block.max(cursor.confirmed), at).await?;
    tx.commit().await?;
    Ok(())
}

/// A credit is no more than the token's balance grew in that block; what our own transfers took out of it is added.
async fn doubt(watcher: &Watcher, block: u64, waiting: &mut [store::Waiting]) -> Result<(), Trouble> {
    let client = &watcher.chain.client;
    let mut sums: HashMap<(i32, Coin), U256> = HashMap::new();
    for one in waiting.iter() {
        if let Some(coin) = one.payment.coin.filter(|c| *c != Coin::Bnb) {
            let sum = sums.entry((one.payment.address, coin)).or_default();
            *sum = sum.saturating_add(one.payment.wei);
        }
    }
    for ((address, coin), sum) in sums {
        let Some(one) = waiting.iter().find(|w| w.payment.address == address) else {
            continue;
        };
        let Some(token) = watcher.chain.contracts.token(coin) else {
            continue;
        };
        let on_chain = one.on_chain;
        let after = client.token_balance(token, on_chain, Some(block)).await;
        let before = client
            .token_balance(token, on_chain, Some(block.saturating_sub(1)))
            .await;
        let (after, before) = match (after, before) {
            (Ok(after), Ok(before)) => (after, before),
            // A development node forgets the state of old blocks over a restart; its logs are its own word anyway.
            (Err(ChainError::Refused { .. }), _) | (_, Err(ChainError::Refused { .. }))
                if client.id() == LOCAL_CHAIN =>
            {
                continue;
            }
            (Err(error), _) | (_, Err(error)) => return Err(error.into()),
        };
        if after < before.saturating_add(sum) {
            let swept =
                super::super::sweeps::store::taken(watcher.context.db.pool(), address, coin, on_chain)
                    .await?;
            if !swept {
                for one in waiting.iter_mut() {
                    if one.payment.address == address && one.payment.coin == Some(coin) {
                        one.payment.doubtful = true;
                    }
                }
            }
        }
    }
    Ok(())
}
