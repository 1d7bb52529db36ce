//! What is under way: found in a block, sent again, signed anew at a higher price, ended.

use super::{
    OutgoingId, Settled,
    causes::{self, Ready},
    service::{Round, unsigned},
    store::{self, Attempt, Open, Sender},
};
use crate::wallet::{
    chain::{ChainError, client::Outcome, signer::Warrant},
    watcher::Trouble,
};
use alloy::primitives::{B256, U256};

/// What following has met.
#[derive(Debug, Default)]
pub struct Followed {
    /// Transactions whose nonce is used on the chain, by none of their attempts.
    pub lost: Vec<Open>,
    /// One waits at the highest price allowed.
    pub stuck: bool,
}

/// Looks after everything that a sender has under way, by nonce.
pub async fn follow(round: &Round<'_>, sender: &Sender, nonce: u64) -> Result<Followed, Trouble> {
    let pool = round.context.db.pool();
    let mut followed = Followed::default();
    let mut first = true;
    for open in store::open(pool, sender.address).await? {
        let attempts = store::attempts(pool, open.id).await?;
        match in_block(round, &attempts).await? {
            Some((tx, outcome)) => mined(round, &open, tx, &outcome).await?,
            None => {
                let mined_before = open.state == "mined";
                if mined_before {
                    let mut tx = round.begin().await?;
                    causes::lock(&mut tx, open.cause).await?;
                    store::unmined(tx.conn(), open.id).await?;
                    causes::moved(round.context, &mut tx, open.cause).await?;
                    tx.commit().await?;
                }
                if nonce > open.nonce && !mined_before {
                    followed.lost.push(open);
                    continue;
                }
                again(round, &open, &attempts).await?;
                if std::mem::take(&mut first) && !faster(round, &open, &attempts).await? {
                    followed.stuck = true;
                }
            }
        }
    }
    Ok(followed)
}

async fn in_block(round: &Round<'_>, attempts: &[Attempt]) -> Result<Option<(B256, Outcome)>, Trouble> {
    for attempt in attempts.iter().rev() {
        if let Some(outcome) = round.chain.client.outcome(attempt.tx).await? {
            return Ok(Some((attempt.tx, outcome)));
        }
    }
    Ok(None)
}

async fn mined(round: &Round<'_>, open: &Open, hash: B256, outcome: &Outcome) -> Result<(), Trouble> {
    if open.state != "mined" || open.tx != Some(hash) || open.block != Some(outcome.block) {
        let mut tx = round.begin().await?;
        causes::lock(&mut tx, open.cause).await?;
        store::mined(tx.conn(), open.id, hash, outcome.block, outcome.success).await?;
        causes::moved(round.context, &mut tx, open.cause).await?;
        tx.commit().await?;
    }
    if round.final_block.is_none_or(|last| last < outcome.block) {
        return Ok(());
    }
    let settled = Settled {
        success: outcome.success,
        tx_hash: Some(hash),
        block: Some(outcome.block),
        gas_wei: U256::from(outcome.gas_used) * U256::from(outcome.gas_price),
    };
    let mut tx = round.begin().await?;
    causes::lock(&mut tx, open.cause).await?;
    let now = tx.now();
    if store::ended(tx.conn(), open.id, settled.gas_wei, now).await? {
        // What the books refuse now is tried again: the coins have left, and others must not wait for it.
        match causes::settled(round.context, &mut tx, open.id, open.cause, &settled).await {
            Ok(()) => {
                tx.commit().await?;
            }
            Err(error) => {
                tracing::error!(?error, id = %open.id.0, "a final transaction is not booked yet");
                metrics::counter!("sender_unbooked_total").increment(1);
            }
        }
    }
    Ok(())
}

/// Hands stored bytes to the chain.
pub async fn send(round: &Round<'_>, id: OutgoingId, hash: B256, raw: &[u8]) -> Result<(), Trouble> {
    match round.chain.client.send_raw(raw).await {
        // Known already, or refused for now: whether it is mined its receipt says.
        Ok(_) | Err(ChainError::Refused { .. }) => {
            let mut tx = round.begin().await?;
            let now = tx.now();
            store::sent(tx.conn(), id, hash, round.head, now).await?;
            tx.commit().await?;
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// The newest attempt again, where the chain does not know it.
async fn again(round: &Round<'_>, open: &Open, attempts: &[Attempt]) -> Result<(), Trouble> {
    let Some(newest) = attempts.last() else {
        return Ok(());
    };
    let Some(raw) = &newest.raw else { return Ok(()) };
    if newest.sent_at.is_none() || !round.chain.client.knows(newest.tx).await? {
        send(round, open.id, newest.tx, raw).await?;
    }
    Ok(())
}

/// An eighth more, rounded up, or what gas costs now.
#[must_use]
pub fn higher(last: u128, now: u128) -> u128 {
    last.saturating_add(last.div_ceil(8)).max(now)
}

/// Signs a stuck one anew; false when it is stuck and may cost no more.
async fn faster(round: &Round<'_>, open: &Open, attempts: &[Attempt]) -> Result<bool, Trouble> {
    let policy = &round.sending.policy;
    let Some(newest) = attempts.last() else {
        return Ok(true);
    };
    let (Some(sent_at), Some(sent_head)) = (newest.sent_at, newest.sent_head) else {
        return Ok(true);
    };
    let waited = round.context.now() - sent_at;
    let stuck = waited >= policy.stuck || round.head >= sent_head.saturating_add(policy.stuck_blocks);
    // What was found on the chain and fell out of it has no bytes here: it is signed anew at once.
    if !stuck && newest.raw.is_some() {
        return Ok(true);
    }
    let price = higher(newest.gas_price, round.gas_price);
    if price > policy.gas_price_cap {
        return Ok(false);
    }
    let Some(item) = store::item(round.context.db.pool(), open.id).await? else {
        return Ok(true);
    };
    let Some(signer) = round.sending.signer(item.purse) else {
        return Ok(true);
    };
    let Some(warrant) = still(round, &item).await? else {
        return Ok(true);
    };
    let again = unsigned(round.chain.client.id(), &item, open.nonce, price);
    let signed = match signer.sign(item.purse.key(), again, warrant).await {
        Ok(signed) => signed,
        Err(error) => {
            tracing::warn!(%error, id = %open.id.0, "a stuck transaction is not signed anew");
            return Ok(true);
        }
    };
    let mut tx = round.begin().await?;
    causes::lock(&mut tx, open.cause).await?;
    let now = tx.now();
    store::keep_attempt(tx.conn(), open.id, open.nonce, price, &signed, now).await?;
    causes::moved(round.context, &mut tx, open.cause).await?;
    tx.commit().await?;
    send(round, open.id, signed.hash, &signed.raw).await?;
    Ok(true)
}

/// The warrant once more. A payment that was sent may be mined whatever is thought of it now: a hold does not stop its price.
async fn still(round: &Round<'_>, item: &store::Item) -> Result<Option<Option<Warrant>>, Trouble> {
    let mut tx = round.begin().await?;
    let ready = causes::ready(round.context, &mut tx, item).await?;
    tx.rollback().await?;
    Ok(match ready {
        Ready::Go(warrant) => Some(warrant),
        Ready::Wait(_) | Ready::Dropped => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What nodes demand of a replacement, to the wei.
        #[test]
        fn a_replacement_costs_an_eighth_more(last in 1u128..1_000_000_000_000, now in 0u128..1_000_000_000_000) {
            let price = higher(last, now);
            prop_assert!(price * 1_000 >= last * 1_125 && price >= now);
            prop_assert!(price <= now.max(last + last / 8 + 1));
        }
    }
}
