//! The chain knows of nonces that the table does not: a backup came back, or the key was used elsewhere. Nothing is signed until each
//! of them is explained; one that paid what waits here is that payment.

use super::{
    Cause, Purse, Settled, causes,
    service::Round,
    store::{self, Item, Open, Place, Sender},
};
use crate::wallet::{chain::client::Sent, watcher::Trouble};
use alloy::primitives::U256;

/// Why a sender is halted.
pub const USED: &str = "used";
pub const AHEAD: &str = "ahead";
/// Waiting ones that are held against what was found.
const WAITING: i64 = 1_000;
/// Blocks looked through in one round.
const CHUNK: u64 = 200;

/// Looks for what is not known; true once everything is explained and signing may go on.
pub async fn resolve(
    round: &Round<'_>,
    sender: &Sender,
    place: &Place,
    lost: &[Open],
    nonce: u64,
    pending: u64,
) -> Result<bool, Trouble> {
    if place.halted.is_none() {
        let mut tx = round.begin().await?;
        let now = tx.now();
        store::halt(tx.conn(), sender.address, AHEAD, now).await?;
        tx.commit().await?;
        tracing::error!(sender = %sender.address, nonce, pending, known = place.next_nonce,
            "the chain knows of nonces that are not ours: nothing is signed");
        metrics::counter!("sender_halted_total").increment(1);
    }
    // Only what cannot be undone any more explains anything.
    let deep = round.final_block.unwrap_or(0);
    let mut at = place
        .scanned
        .unwrap_or(place.checked_block.saturating_sub(round.chain.confirmations));
    if at < deep {
        let until = deep.min(at + CHUNK);
        while at < until {
            at += 1;
            for found in round.chain.client.sent_by(sender.address, at).await? {
                explain(round, sender, &found, at).await?;
            }
        }
        let mut tx = round.begin().await?;
        store::scanned(tx.conn(), sender.address, Some(at)).await?;
        tx.commit().await?;
    }
    if at < deep {
        return Ok(false);
    }
    settle_place(round, sender, place, lost, nonce, pending).await
}

/// Goes on when every nonce is explained and, for the house, a person has seen what was not ours.
async fn settle_place(
    round: &Round<'_>,
    sender: &Sender,
    place: &Place,
    lost: &[Open],
    nonce: u64,
    pending: u64,
) -> Result<bool, Trouble> {
    let pool = round.context.db.pool();
    // What only waits at a node may still become anything.
    if pending > nonce.max(place.next_nonce) {
        return Ok(false);
    }
    let still_open = store::open(pool, sender.address).await?;
    let unresolved = |l: &Open| {
        still_open
            .iter()
            .any(|o| o.id == l.id && o.nonce == l.nonce && o.state != "mined")
    };
    if lost.iter().any(unresolved) {
        return Ok(false);
    }
    // What waits here may be what was paid there.
    for item in store::queued(pool, sender.address, WAITING).await? {
        claim(round, &item).await?;
    }
    let missing = nonce.saturating_sub(place.next_nonce);
    let explained = store::explained(pool, sender.address, place.next_nonce, nonce).await?;
    let foreign = store::foreign(pool, sender.address).await?;
    let unseen = sender.purse == Purse::Hot && foreign.iter().any(|f| !f.acknowledged);
    // A key that was used before this table began has nothing to be found: a person says that it is so.
    if unseen || explained < missing {
        return Ok(false);
    }
    let mut tx = round.begin().await?;
    store::set_next(tx.conn(), sender.address, nonce).await?;
    store::checked(tx.conn(), sender.address, round.head).await?;
    tx.commit().await?;
    tracing::warn!(sender = %sender.address, next = nonce, "every nonce is explained: signing goes on");
    Ok(true)
}

/// One transaction of a sender that is deep in the chain: ours, or somebody's.
async fn explain(round: &Round<'_>, sender: &Sender, found: &Sent, block: u64) -> Result<(), Trouble> {
    let pool = round.context.db.pool();
    if store::known(pool, found.tx).await? {
        return Ok(());
    }
    if let Some((id, cause, state)) = store::by_nonce(pool, sender.address, found.nonce).await? {
        let Some(item) = store::item(pool, id).await? else {
            return Ok(());
        };
        if matches!(state.as_str(), "done" | "failed") {
            return Ok(());
        }
        let mut tx = round.begin().await?;
        causes::lock(&mut tx, cause).await?;
        let now = tx.now();
        if same(&item, found) {
            // An attempt that the backup had not seen yet.
            store::found_attempt(tx.conn(), id, found.nonce, found.tx, block, now).await?;
            tx.commit().await?;
            return Ok(());
        }
        displace(round, &mut tx, sender, &item, now).await?;
        tx.commit().await?;
    }
    let mut tx = round.begin().await?;
    let now = tx.now();
    store::note_foreign(tx.conn(), sender.address, found, block, now).await?;
    tx.commit().await?;
    Ok(())
}

/// Another transaction has the nonce for good: the house pays again with a fresh one, a customer is told.
async fn displace(
    round: &Round<'_>,
    tx: &mut crate::foundation::transaction::Tx,
    sender: &Sender,
    item: &Item,
    now: time::OffsetDateTime,
) -> Result<(), Trouble> {
    let again = sender.purse == Purse::Hot;
    if !store::displace(tx.conn(), item.id, again, now).await? {
        return Ok(());
    }
    if again {
        causes::returned(round.context, tx, item.cause).await?;
    } else {
        let settled = Settled {
            success: false,
            tx_hash: None,
            block: None,
            gas_wei: U256::ZERO,
        };
        causes::settled(round.context, tx, item.id, item.cause, &settled).await?;
    }
    Ok(())
}

fn same(item: &Item, found: &Sent) -> bool {
    found.to == Some(item.recipient) && found.value == item.value && found.data == item.data
}

/// What waits may have been paid by a transaction that was found: then that is its transaction. True when it was.
pub async fn claim(round: &Round<'_>, item: &Item) -> Result<bool, Trouble> {
    // The house's own moves repeat themselves; one too many does no harm.
    if matches!(item.cause, Cause::Cold(_)) {
        return Ok(false);
    }
    let Some((hash, nonce, block)) = store::paid_already(round.context.db.pool(), item).await? else {
        return Ok(false);
    };
    let mut tx = round.begin().await?;
    causes::lock(&mut tx, item.cause).await?;
    let now = tx.now();
    if !store::adopt(tx.conn(), item.id, nonce, hash, block, now).await?
        || !store::claim_foreign(tx.conn(), hash, item.id).await?
    {
        tx.rollback().await?;
        return Ok(true);
    }
    causes::signed(round.context, &mut tx, item.cause).await?;
    tx.commit().await?;
    tracing::warn!(tx = %hash, id = %item.id.0, "what waited was paid already");
    Ok(true)
}
