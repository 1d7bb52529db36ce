//! One round of gathering. Called by whoever sends, which holds the lease: where the keys are.

use super::store::{self, Sweep};
use crate::{
    error::Error,
    foundation::{context::Context, lease, transaction::Tx},
    wallet::{
        chain::{
            Chain, ChainError, Coin,
            contracts::Erc20::transferCall,
            signer::{KeyRef, Signer},
        },
        sender::LEASE,
        watcher::Trouble,
    },
};
use alloy::{
    consensus::TxLegacy,
    primitives::{Address, Bytes, TxKind, U256, utils::Unit},
    sol_types::SolCall,
};
use std::sync::Arc;
use uuid::Uuid;

/// Addresses emptied in one round.
const BATCH: i64 = 20;
/// What a token's transfer may use, and what native coin does use.
const TOKEN_GAS: u64 = 90_000;
const NATIVE_GAS: u64 = 21_000;

/// What sweeping needs. Part of the context where there is a signer and a place to gather at.
#[derive(Clone)]
pub struct Sweeping {
    pub signer: Arc<dyn Signer>,
    pub treasury: Address,
}

/// Below it gathering costs more than it brings.
fn minimum(coin: Coin) -> U256 {
    match coin {
        Coin::Bnb => Unit::ETHER.wei() / U256::from(100),
        Coin::Usdt | Coin::Busd | Coin::Pyx => Unit::ETHER.wei() * U256::from(5),
    }
}

/// Looks after what is under way, then empties what is full.
///
/// # Errors
/// When the chain or the database does not answer; the next round goes on.
pub async fn round(context: &Context, chain: &Chain, sweeping: &Sweeping, fence: i64) -> Result<(), Trouble> {
    follow(context, chain, fence).await?;
    for (address, coin) in store::full(context.db.pool(), BATCH).await? {
        if let Err(error) = empty(context, chain, sweeping, fence, address, coin).await {
            tracing::warn!(%error, address, coin = coin.as_str(), "a deposit address is not emptied");
        }
    }
    Ok(())
}

async fn begin(context: &Context, fence: i64) -> Result<Tx, Error> {
    let mut tx = context.db.begin().await?;
    lease::check(&mut tx, LEASE, fence).await?;
    Ok(tx)
}

/// Mined ones end; the others are sent again, the same bytes.
async fn follow(context: &Context, chain: &Chain, fence: i64) -> Result<(), Trouble> {
    let last = match store::open(context.db.pool()).await? {
        open if open.is_empty() => return Ok(()),
        _ => chain.final_block(chain.client.head().await?).await?,
    };
    for (id, hash, raw) in store::open(context.db.pool()).await? {
        match chain.client.outcome(hash).await? {
            Some(outcome) if last.is_some_and(|last| outcome.block <= last) => {
                let gas = U256::from(outcome.gas_used) * U256::from(outcome.gas_price);
                let mut tx = begin(context, fence).await?;
                let now = tx.now();
                store::ended(tx.conn(), id, outcome.success, gas, now).await?;
                tx.commit().await?;
            }
            Some(_) => {}
            None => send(context, chain, fence, id, &raw).await?,
        }
    }
    Ok(())
}

async fn send(context: &Context, chain: &Chain, fence: i64, id: Uuid, raw: &[u8]) -> Result<(), Trouble> {
    match chain.client.send_raw(raw).await {
        // Known already, or its nonce was used by itself: its receipt will say.
        Ok(_) | Err(ChainError::Refused { .. }) => {
            let mut tx = begin(context, fence).await?;
            store::sent(tx.conn(), id).await?;
            tx.commit().await?;
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// What is to be signed next for an address.
struct Next {
    kind: &'static str,
    key: KeyRef,
    recipient: Address,
    wei: U256,
    tx: TxLegacy,
}

async fn empty(
    context: &Context,
    chain: &Chain,
    sweeping: &Sweeping,
    fence: i64,
    number: i32,
    coin: Coin,
) -> Result<(), Trouble> {
    let Ok(index) = u32::try_from(number) else {
        return Ok(());
    };
    let signing = |_| Trouble::Server(Error::internal("the signer refuses"));
    let key = KeyRef::Deposit(index);
    let address = sweeping.signer.address(key).map_err(signing)?;
    let price = chain.client.gas_price().await?;
    let native = chain.client.balance(address, None).await?;
    let call = |gas_limit: u64, to: Address, value: U256, input: Bytes| TxLegacy {
        chain_id: Some(chain.client.id()),
        nonce: 0,
        gas_price: price,
        gas_limit,
        to: TxKind::Call(to),
        value,
        input,
    };
    let next = if let Some(token) = chain.contracts.token(coin) {
        let amount = chain.client.token_balance(token, address, None).await?;
        if amount < minimum(coin) {
            return Ok(());
        }
        let needed = U256::from(price) * U256::from(TOKEN_GAS);
        if native < needed {
            // A quarter more, for a price that rises until it arrives.
            let gas = needed + needed / U256::from(4) - native;
            Next {
                kind: "gas",
                key: KeyRef::Gas,
                recipient: address,
                wei: gas,
                tx: call(NATIVE_GAS, address, gas, Bytes::new()),
            }
        } else {
            let transfer = transferCall {
                to: sweeping.treasury,
                amount,
            };
            Next {
                kind: "sweep",
                key,
                recipient: sweeping.treasury,
                wei: amount,
                tx: call(TOKEN_GAS, token, U256::ZERO, transfer.abi_encode().into()),
            }
        }
    } else {
        let fee = U256::from(price) * U256::from(NATIVE_GAS);
        if native < minimum(coin).max(fee) {
            return Ok(());
        }
        Next {
            kind: "sweep",
            key,
            recipient: sweeping.treasury,
            wei: native - fee,
            tx: call(NATIVE_GAS, sweeping.treasury, native - fee, Bytes::new()),
        }
    };
    let sender = sweeping.signer.address(next.key).map_err(signing)?;
    let chain_nonce = chain.client.nonce(sender).await?;
    let mut tx = begin(context, fence).await?;
    let now = tx.now();
    let nonce = store::next_nonce(&mut *tx.conn(), sender).await?.max(chain_nonce);
    let unsigned = TxLegacy { nonce, ..next.tx };
    let signed = sweeping
        .signer
        .sign(next.key, unsigned, None)
        .await
        .map_err(signing)?;
    let sweep = Sweep {
        id: Uuid::now_v7(),
        kind: next.kind,
        address: number,
        coin,
        wei: next.wei,
        sender,
        recipient: next.recipient,
        nonce,
        tx: signed.hash,
        raw: signed.raw.to_vec(),
    };
    store::insert(tx.conn(), &sweep, now).await?;
    tx.commit().await?;
    send(context, chain, fence, sweep.id, &sweep.raw).await
}
