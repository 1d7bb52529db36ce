//! Intents whose time is over: what they received is credited as a plain sum, or adds to the small change of their address.

use super::{
    credit::{credit_plain, is_change},
    rates, rules,
    service::tell,
    store::{self, Deposit},
};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
    wallet::chain::Coin,
};
use alloy::primitives::U256;
use protocol::views::{ChainDepositStatus as Status, DepositOutcome as Outcome, DepositProduct};
use time::OffsetDateTime;

/// Ends up to a hundred intents whose time was over before this moment of the chain; true when there may be more.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub async fn end_intents(context: &Context, tx: &mut Tx, chain_time: OffsetDateTime) -> Result<bool, Error> {
    let in_force = context.settings.within(tx).await?;
    let ended = store::lock_ended(tx.conn(), chain_time).await?;
    let more = ended.len() >= 100;
    for mut intent in ended {
        intent.seen = U256::ZERO;
        let coin = intent.coin.unwrap_or(Coin::Usdt);
        let worth = rules::worth(intent.received, coin, rates::current(context, coin));
        let credits = worth.and_then(|w| rules::plain(w, &in_force.settings));
        match (worth, credits) {
            (Some(worth), Some(_)) => {
                intent.outcome = Some(Outcome::Underpaid);
                credit_plain(context, tx, &in_force, intent, coin, worth).await?;
            }
            _ => {
                if !intent.received.is_zero() {
                    small_change(context, tx, &intent, coin).await?;
                }
                intent.status = Status::TimedOut;
                intent.decided_at = Some(tx.now());
                store::save(tx.conn(), &intent).await?;
                tell(context, tx, intent.id, false).await?;
            }
        }
    }
    Ok(more)
}

/// What an ended intent received is too little to credit: it adds to the small change of its address.
async fn small_change(context: &Context, tx: &mut Tx, intent: &Deposit, coin: Coin) -> Result<(), Error> {
    let known = store::lock_address(tx.conn(), intent.address).await?;
    let found = known.into_iter().find(|d| is_change(d, coin));
    let mut change = found.unwrap_or_else(|| {
        let mut one = Deposit::new(
            intent.owner,
            intent.address,
            DepositProduct::Plain,
            Status::Pending,
            tx.now(),
        );
        one.parent = Some(intent.id);
        one.coin = Some(coin);
        one.outcome = Some(Outcome::Dust);
        one.tx = intent.tx;
        one.seen_block = intent.seen_block;
        one.settings_version = intent.settings_version;
        one
    });
    change.received = change.received.saturating_add(intent.received);
    store::save(tx.conn(), &change).await?;
    tell(context, tx, change.id, false).await?;
    Ok(())
}
