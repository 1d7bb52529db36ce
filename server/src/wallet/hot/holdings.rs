//! What the house holds on the chain: hot wallet, cold address, deposit addresses that were not emptied. Read now and then, kept for a
//! while: a screen must not ask the chain for every reader.

use super::store;
use crate::{
    error::Error,
    foundation::context::Context,
    wallet::{
        chain::{Chain, ChainError, Coin},
        sender::service::Sending,
        withdrawals::rules::COINS,
    },
};
use alloy::primitives::{Address, U256};
use std::sync::{Arc, Mutex, PoisonError};
use time::{Duration, OffsetDateTime};

/// How long a reading is good.
const FRESH: Duration = Duration::seconds(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Hot,
    Cold,
    Deposits,
}

#[derive(Clone, Copy, Debug)]
pub struct Holding {
    pub place: Place,
    pub coin: Coin,
    pub wei: U256,
}

#[derive(Clone, Debug)]
pub struct Reading {
    pub at: OffsetDateTime,
    pub all: Vec<Holding>,
}

/// The newest reading. Part of the context.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Option<Reading>>>);

/// What is held. An old reading where the chain does not answer, none where it never did.
///
/// # Errors
/// Whatever the database refuses.
pub async fn read(context: &Context) -> Result<Option<Reading>, Error> {
    let kept = context.part::<Kept>();
    let old = kept.and_then(|k| k.0.lock().unwrap_or_else(PoisonError::into_inner).clone());
    let now = context.now();
    if let Some(reading) = old.as_ref().filter(|r| now - r.at < FRESH) {
        return Ok(Some(reading.clone()));
    }
    let Some(chain) = context.part::<Chain>() else {
        return Ok(old);
    };
    let unemptied = store::unemptied(context.db.pool()).await?;
    match ask(context, chain, &unemptied).await {
        Ok(all) => {
            let reading = Reading { at: now, all };
            if let Some(kept) = kept {
                *kept.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading.clone());
            }
            Ok(Some(reading))
        }
        Err(error) => {
            tracing::warn!(%error, "what is held on the chain is not read");
            Ok(old)
        }
    }
}

async fn ask(
    context: &Context,
    chain: &Chain,
    unemptied: &[(Address, Coin)],
) -> Result<Vec<Holding>, ChainError> {
    let sending = context.part::<Sending>();
    let mut all = Vec::new();
    for (place, address) in [
        (Place::Hot, sending.and_then(|s| s.hot)),
        (Place::Cold, sending.and_then(|s| s.vault.cold)),
    ] {
        let Some(address) = address else { continue };
        for coin in COINS.into_iter().filter(|coin| chain.contracts.offers(*coin)) {
            let wei = balance(chain, coin, address).await?;
            all.push(Holding { place, coin, wei });
        }
    }
    for coin in COINS {
        let mut sum = U256::ZERO;
        for (address, _) in unemptied.iter().filter(|(_, c)| *c == coin) {
            sum = sum.saturating_add(balance(chain, coin, *address).await?);
        }
        if !sum.is_zero() {
            all.push(Holding {
                place: Place::Deposits,
                coin,
                wei: sum,
            });
        }
    }
    Ok(all)
}

async fn balance(chain: &Chain, coin: Coin, of: Address) -> Result<U256, ChainError> {
    match chain.contracts.token(coin) {
        Some(token) => chain.client.token_balance(token, of, None).await,
        None => chain.client.balance(of, None).await,
    }
}
