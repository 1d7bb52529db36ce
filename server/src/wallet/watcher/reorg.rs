//! When the chain changes its mind: back to the last common block; what had counted is waited for, then taken back.

use super::{Trouble, Watcher, scan, store};
use crate::{
    approvals::compliance::{self, End},
    foundation::transaction::Tx,
    identity::{caller::Scope, closing, roles, service as identity},
    wallet::{
        deposits::{self, credit, reversal, service::tell, waiting},
        user_wallets::arrivals,
    },
};
use alloy::primitives::U256;
use protocol::{
    LiveEvent, Permission, StreamId,
    ids::{ChainDepositId, UserId},
    views::{ChainDepositStatus as Status, DepositOutcome},
};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Stored blocks compared in one go.
const CHUNK: i64 = 50;
/// How long outgoing money of those concerned rests, at first.
const HOLD: time::Duration = time::Duration::hours(24);

/// Whether the newest block that was read is still part of the chain.
pub async fn still_there(watcher: &Watcher, scanned: u64, head: u64) -> Result<bool, Trouble> {
    if head < scanned {
        return Ok(false);
    }
    let known = store::blocks_below(watcher.context.db.pool(), scanned, 1).await?;
    let Some((number, hash, _)) = known.first() else {
        return Ok(true);
    };
    let block = watcher.chain.client.block(*number).await?;
    Ok(block.is_some_and(|b| b.hash == *hash))
}

/// Undoes everything above the last common block.
pub async fn step_back(watcher: &Watcher, scanned: u64, head: u64) -> Result<(), Trouble> {
    let pool = watcher.context.db.pool();
    let mut from = scanned;
    let ancestor = 'search: loop {
        let known = store::blocks_below(pool, from, CHUNK).await?;
        for (number, hash, at) in &known {
            if *number <= head
                && watcher
                    .chain
                    .client
                    .block(*number)
                    .await?
                    .is_some_and(|b| b.hash == *hash)
            {
                break 'search Some((*number, *at));
            }
        }
        match known.last() {
            Some((lowest, _, _)) if *lowest > 0 => from = lowest - 1,
            _ => break None,
        }
    };
    let mut tx = scan::begin(watcher).await?;
    let now = tx.now();
    let Some((ancestor, at)) = ancestor else {
        store::halt(tx.conn(), "lost", now).await?;
        tx.commit().await?;
        tracing::error!("none of the stored blocks is on this chain: crediting is halted");
        metrics::gauge!("chain_halted").set(1);
        return Err(Trouble::Lost);
    };
    match store::lock_cursor(tx.conn()).await? {
        Some(c) if c.scanned == scanned => {}
        _ => return Err(Trouble::Moved),
    }
    let (addresses, owners) = store::undo(tx.conn(), ancestor).await?;
    arrivals::undo(&mut tx, ancestor).await?;
    let why = format!("{}:{scanned}", store::REORG);
    let halted = (!owners.is_empty()).then_some((now, why.as_str()));
    store::step_back(tx.conn(), ancestor, at, halted).await?;
    for owner in &owners {
        identity::hold(&mut tx, *owner, "chain_reorg", HOLD).await?;
    }
    if !owners.is_empty() {
        let number = |block: u64| i64::try_from(block).unwrap_or(i64::MAX);
        for person in roles::holders(tx.conn(), Permission::AdminPermissions.as_str()).await? {
            tx.emit(
                StreamId::User(person),
                LiveEvent::ChainReorganised {
                    customers: i64::try_from(owners.len()).unwrap_or(i64::MAX),
                    from: number(scanned),
                    to: number(ancestor),
                },
            );
        }
    }
    for address in addresses {
        scan::refresh_seen(watcher, &mut tx, address).await?;
    }
    tx.commit().await?;
    tracing::warn!(from = scanned, to = ancestor, "the chain was reorganised");
    if !owners.is_empty() {
        tracing::error!(
            customers = owners.len(),
            "credited payments have left the chain: crediting is halted"
        );
        metrics::gauge!("chain_halted").set(1);
    }
    Ok(())
}

/// Looks after what is gone: a payment that is back and confirmed stays credited; one that the new chain lacks is taken back.
pub async fn resolve(watcher: &Watcher) -> Result<(), Trouble> {
    let pool = watcher.context.db.pool();
    let needed = watcher.chain.confirmations;
    for one in store::gone(pool).await? {
        let Some(cursor) = store::cursor(pool).await? else {
            return Ok(());
        };
        let last = watcher.chain.final_block(cursor.scanned).await?;
        let deep = |block: u64| last.is_some_and(|last| block <= last);
        let outcome = watcher.chain.client.outcome(one.payment.tx).await?;
        match outcome.filter(|o| o.success) {
            Some(place) if place.block <= cursor.scanned && deep(place.block) => {
                let mut tx = scan::begin(watcher).await?;
                store::back(tx.conn(), one.id, place.block, place.block_hash).await?;
                tx.commit().await?;
            }
            // On its way.
            Some(_) => {}
            // What fell out is usually mined again: it gets as many fresh blocks as a payment needs.
            None if cursor.left_at.is_none_or(|at| cursor.scanned >= at + needed) => {
                take_back(watcher, &one).await?;
            }
            None => {}
        }
    }
    let mut tx = scan::begin(watcher).await?;
    let resumed = store::resume(tx.conn()).await?;
    tx.commit().await?;
    if resumed {
        tracing::warn!("crediting goes on");
        metrics::gauge!("chain_halted").set(0);
    }
    Ok(())
}

/// Everything that a payment went into loses it; what other payments brought is credited anew.
async fn take_back(watcher: &Watcher, one: &store::Waiting) -> Result<(), Trouble> {
    let mut tx = scan::begin(watcher).await?;
    // Before anything is booked: who closes it waits for this, or this for them.
    let closed = closing::is_closed_within(&mut tx, one.payment.owner).await?;
    let known = deposits::store::lock_address(tx.conn(), one.payment.address).await?;
    let concerned: BTreeSet<ChainDepositId> = known
        .iter()
        .filter(|d| Some(d.id) == one.deposit || (d.tx == Some(one.payment.tx) && d.reversed_at.is_none()))
        .map(|d| d.id)
        .collect();
    let elsewhere = known
        .iter()
        .filter(|d| concerned.contains(&d.id) && Some(d.id) != one.deposit)
        .fold(U256::ZERO, |sum, d| sum.saturating_add(d.received));
    for id in concerned {
        let own = if Some(id) == one.deposit {
            one.payment.wei.saturating_sub(elsewhere)
        } else {
            U256::MAX
        };
        lose(watcher, &mut tx, id, own, closed).await?;
    }
    store::reversed(tx.conn(), one.id).await?;
    tx.commit().await?;
    Ok(())
}

/// A deposit loses so many wei. What is left of it for who has closed their account is given back by a person.
async fn lose(
    watcher: &Watcher,
    tx: &mut Tx,
    id: ChainDepositId,
    lost: U256,
    closed: bool,
) -> Result<(), Trouble> {
    let everyone = Scope::Staff(UserId(Uuid::nil()));
    let Some(mut deposit) = deposits::store::lock(tx.conn(), everyone, id).await? else {
        return Ok(());
    };
    let rest = deposit.received.saturating_sub(lost);
    if deposit.transfer.is_none() {
        deposit.received = rest;
        if rest.is_zero() && deposit.status == Status::PendingApproval {
            deposit.status = Status::Rejected;
            deposit.reason = Some("reorg".into());
            compliance::end(tx, waiting::SUBJECT, id.0, End::Lapsed).await?;
        }
        deposits::store::save(tx.conn(), &deposit).await?;
        tell(&watcher.context, tx, id, deposit.status == Status::Rejected).await?;
        return Ok(());
    }
    if deposit.reversed_at.is_some() {
        return Ok(());
    }
    reversal::reverse(&watcher.context, tx, id).await?;
    let (Some(coin), false) = (deposit.coin, rest.is_zero()) else {
        return Ok(());
    };
    let payment = credit::Payment {
        address: deposit.address,
        owner: deposit.owner,
        coin: Some(coin),
        contract: deposit.contract,
        tx: deposit.tx.unwrap_or_default(),
        wei: rest,
        block: deposit.seen_block.unwrap_or_default(),
        at: tx.now(),
        doubtful: false,
    };
    let outcome = DepositOutcome::Underpaid;
    credit::rest_of(&watcher.context, tx, &payment, id, outcome, closed).await?;
    Ok(())
}
