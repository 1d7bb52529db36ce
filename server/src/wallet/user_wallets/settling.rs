//! How orders go on and end: what the sender asks and reports of their transactions.

use super::{
    exchange::{Exchange, silent},
    orders, rules,
    service::{moment, tell},
    store::{self, Carried, NewStep, Place, Row, StepKind},
    swaps::APPROVE_GAS,
};
use crate::{
    approvals::guard::{self, Action, Outbound},
    error::Error,
    foundation::{context::Context, transaction::Tx},
    wallet::{
        chain::{
            Chain, Coin, address,
            contracts::{Erc20, Weth},
        },
        intents::service::chain,
        sender::{self, Cause, OutgoingId, Settled},
    },
};
use alloy::{
    primitives::{Address, B256, U256},
    sol_types::{SolCall, SolEvent},
};
use protocol::{
    ErrorCode,
    ids::WalletMoveId,
    money::Usdt,
    views::{WalletMoveReason as Reason, WalletMoveStatus as Status},
};
use uuid::Uuid;

/// Locks the wallet and the move of a transaction, always before the transaction itself.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx, cause: Cause) -> Result<(), Error> {
    store::lock_step(tx.conn(), cause.id()).await?;
    Ok(())
}

/// Whether a transaction may be signed now. False: it was taken back, with all that nobody signed yet of its move.
///
/// # Errors
/// `chain.unavailable`, or whatever the database refuses.
pub async fn ready(context: &Context, tx: &mut Tx, cause: Cause) -> Result<bool, Error> {
    let Some((kind, row)) = store::lock_step(tx.conn(), cause.id()).await? else {
        return Ok(false);
    };
    if kind == StepKind::Revoke {
        return revocable(tx, cause).await;
    }
    let stands = match row.deadline() {
        // By the chain's own clock: it decides.
        Some(deadline) if chain_time(context).await? > deadline => Err(Reason::Expired),
        Some(_) => Ok(()),
        None => allowed(context, tx, &row).await?,
    };
    let Err(reason) = stands else { return Ok(true) };
    take_back(tx, row.id()).await?;
    if store::open_steps(tx.conn(), row.id()).await?.is_empty() {
        fail(context, tx, &row, reason).await?;
    }
    Ok(false)
}

/// A later swap has set the allowance anew: taking it back would spoil that one, which takes back its own.
async fn revocable(tx: &mut Tx, cause: Cause) -> Result<bool, Error> {
    if !store::allowed_since(tx.conn(), cause.id()).await? {
        return Ok(true);
    }
    let queued = store::carried_by(tx.conn(), cause.id()).await?;
    if let Some(outgoing) = queued
        && sender::drop_queued(tx, OutgoingId(outgoing)).await?
    {
        store::end_step(tx.conn(), cause.id(), true, U256::ZERO).await?;
    }
    Ok(false)
}

/// Nothing comes of an order any more; what it allowed the exchange is taken back.
async fn fail(context: &Context, tx: &mut Tx, row: &Row, reason: Reason) -> Result<(), Error> {
    let (gas, approved) = store::cost(tx.conn(), row.id()).await?;
    put(tx, row, &Place::failed(reason, gas)).await?;
    if approved {
        revoke(context, tx, row).await?;
    }
    Ok(())
}

/// Queues the allowance of nothing, in the transaction that ends the swap: whatever happens to the process, it is sent.
async fn revoke(context: &Context, tx: &mut Tx, row: &Row) -> Result<(), Error> {
    let chain = chain(context)?;
    let (coin, _) = row.wei()?;
    let (Some(_), Some(token), Some(router)) = (
        row.deadline(),
        chain.contracts.token(coin),
        chain.contracts.router,
    ) else {
        return Ok(());
    };
    let Some(allowed) = store::allowed(tx.conn(), row.id()).await? else {
        return Ok(());
    };
    let nothing = Erc20::approveCall {
        spender: router,
        amount: U256::ZERO,
    };
    let step = NewStep {
        id: Uuid::now_v7(),
        kind: StepKind::Revoke,
        recipient: token,
        value: U256::ZERO,
        data: nothing.abi_encode().into(),
        gas_limit: APPROVE_GAS,
        price_most: allowed.price_most,
        usdt: Usdt::ZERO,
    };
    let order = (row.id(), row.owner());
    orders::queue(tx, chain, allowed.wallet, order, allowed.next, step, None).await
}

async fn chain_time(context: &Context) -> Result<time::OffsetDateTime, Error> {
    let client = &chain(context)?.client;
    let head = client.head().await.map_err(silent)?;
    let block = client.block(head).await.map_err(silent)?;
    Ok(moment(block.map_or(0, |block| block.time)))
}

/// The guard once more, without the code: a hold that began meanwhile stops what was not signed yet.
async fn allowed(context: &Context, tx: &mut Tx, row: &Row) -> Result<Result<(), Reason>, Error> {
    let Some(to) = row.counterparty()? else {
        return Ok(Ok(()));
    };
    let (coin, wei) = row.wei()?;
    let counterparty = store::owner_of(&mut *tx.conn(), to).await?;
    let out = Outbound {
        user: row.owner(),
        action: Action::WalletSend,
        destination: &address::write(to),
        amount: &format!("{} {}", rules::shown(wei), coin.as_str().to_uppercase()),
        usdt: row.usdt(),
        drawn: None,
        counterparty,
        security_code: None,
    };
    match guard::recheck(context, tx, &out).await {
        Ok(_) => Ok(Ok(())),
        Err(error)
            if matches!(
                error.error_code(),
                ErrorCode::OutboundHeld
                    | ErrorCode::OutboundPaused
                    | ErrorCode::OutboundDebt
                    | ErrorCode::OutboundRefused
                    | ErrorCode::WhitelistMissing
                    | ErrorCode::WhitelistWaiting
                    | ErrorCode::AccountInactive
            ) =>
        {
            Ok(Err(Reason::Refused))
        }
        Err(error) => Err(error),
    }
}

/// A transaction is signed, or has another hash, or stands in a block, or does no more: its owner sees it.
///
/// # Errors
/// `chain.unavailable` when a swap's receipt cannot be read.
pub async fn moved(context: &Context, tx: &mut Tx, cause: Cause) -> Result<(), Error> {
    let Some((kind, row)) = store::lock_step(tx.conn(), cause.id()).await? else {
        return Ok(());
    };
    let Some(carried) = store::carried(tx.conn(), cause.id()).await? else {
        return Ok(());
    };
    if row.has_ended() {
        return Ok(());
    }
    if kind == StepKind::Revoke {
        return Ok(());
    }
    if kind == StepKind::Approve {
        // The hash that people look for is that of what moves their coins.
        if row.status()? == Status::Queued {
            put(tx, &row, &Place::sent(None)).await?;
        }
        return Ok(());
    }
    let place = if carried.mined {
        in_block(context, &row, kind, &carried, true).await?
    } else {
        Place::sent(carried.tx)
    };
    put(tx, &row, &place).await
}

/// A transaction ended; called once for each, in the transaction that ends it.
///
/// # Errors
/// `chain.unavailable` when a swap's receipt cannot be read: the sender asks again.
pub async fn settled(context: &Context, tx: &mut Tx, cause: Cause, settled: &Settled) -> Result<(), Error> {
    let Some((kind, row)) = store::lock_step(tx.conn(), cause.id()).await? else {
        return Err(Error::internal("a transaction of no wallet's order"));
    };
    if !store::end_step(tx.conn(), cause.id(), settled.success, settled.gas_wei).await? {
        return Ok(());
    }
    let (gas, approved) = store::cost(tx.conn(), row.id()).await?;
    match kind {
        StepKind::Approve => return after_approval(context, tx, &row, settled).await,
        StepKind::Revoke => {
            if !settled.success {
                tracing::error!(step = %cause.id(), "an allowance is not taken back");
                metrics::counter!("wallet_allowances_left_total").increment(1);
            }
            return after_end(tx, &row, gas).await;
        }
        StepKind::Send | StepKind::Swap => {}
    }
    let carried = Carried {
        mined: settled.tx_hash.is_some(),
        success: settled.success,
        tx: settled.tx_hash,
        block: settled.block,
    };
    let mut place = if carried.mined {
        in_block(context, &row, kind, &carried, approved).await?
    } else {
        Place::failed(Reason::Dropped, gas)
    };
    place.gas = Some(gas);
    place.ended = true;
    let failed = place.status == Status::Failed;
    put(tx, &row, &place).await?;
    if failed && kind == StepKind::Swap && approved {
        revoke(context, tx, &row).await?;
    }
    Ok(())
}

/// Without its allowance a swap that nobody signed yet would only cost gas; one that was taken back meanwhile leaves none.
async fn after_approval(context: &Context, tx: &mut Tx, row: &Row, settled: &Settled) -> Result<(), Error> {
    if !settled.success && !row.has_ended() {
        take_back(tx, row.id()).await?;
    }
    if !row.has_ended() && store::open_steps(tx.conn(), row.id()).await?.is_empty() {
        let reason = match (settled.success, settled.tx_hash) {
            // Its swap came too late to be signed.
            (true, _) => Reason::Expired,
            (false, Some(_)) => Reason::Reverted,
            (false, None) => Reason::Dropped,
        };
        return fail(context, tx, row, reason).await;
    }
    let (gas, _) = store::cost(tx.conn(), row.id()).await?;
    after_end(tx, row, gas).await
}

/// What an order that has ended still cost.
async fn after_end(tx: &mut Tx, row: &Row, gas: U256) -> Result<(), Error> {
    if row.has_ended() {
        let now = tx.now();
        store::add_gas(tx.conn(), row.id(), gas, now).await?;
        tell(tx, row.id()).await?;
    }
    Ok(())
}

async fn put(tx: &mut Tx, row: &Row, place: &Place) -> Result<(), Error> {
    if row.has_ended() {
        return Ok(());
    }
    let now = tx.now();
    store::place(tx.conn(), row.id(), place, now).await?;
    tell(tx, row.id()).await?;
    Ok(())
}

/// Takes back what nobody signed yet of a move.
async fn take_back(tx: &mut Tx, id: WalletMoveId) -> Result<(), Error> {
    for (outgoing, step) in store::open_steps(tx.conn(), id).await? {
        if sender::drop_queued(tx, OutgoingId(outgoing)).await? {
            store::end_step(tx.conn(), step, false, U256::ZERO).await?;
        }
    }
    Ok(())
}

/// What a transaction in a block has done.
async fn in_block(
    context: &Context,
    row: &Row,
    kind: StepKind,
    carried: &Carried,
    approved: bool,
) -> Result<Place, Error> {
    let place = Place {
        tx: carried.tx,
        block: carried.block,
        ..Place::sent(None)
    };
    if !carried.success {
        let reason = why(context, row, kind, carried.block, approved).await?;
        return Ok(Place {
            status: Status::Failed,
            reason: Some(reason),
            ..place
        });
    }
    let received = match kind {
        StepKind::Swap => Some(received(context, row, carried.tx).await?),
        StepKind::Send | StepKind::Approve | StepKind::Revoke => None,
    };
    Ok(Place {
        status: Status::Mined,
        received,
        ..place
    })
}

/// Why nothing came of it: the router refuses what is late, or brings less than was agreed.
async fn why(
    context: &Context,
    row: &Row,
    kind: StepKind,
    block: Option<u64>,
    approved: bool,
) -> Result<Reason, Error> {
    let deadline = row.deadline().filter(|_| kind == StepKind::Swap && approved);
    let (Some(block), Some(deadline)) = (block, deadline) else {
        return Ok(Reason::Reverted);
    };
    let mined = chain(context)?.client.block(block).await.map_err(silent)?;
    if mined.is_some_and(|b| moment(b.time) > deadline) {
        Ok(Reason::Expired)
    } else {
        Ok(Reason::Slippage)
    }
}

/// What a swap brought, as its receipt says: the coins that came to the wallet, or the native coin that was unwrapped for it.
async fn received(context: &Context, row: &Row, hash: Option<B256>) -> Result<U256, Error> {
    let chain = chain(context)?;
    let lost = || Error::internal("a swap without its receipt");
    let (Some(hash), Some(coin)) = (hash, row.coin_out()?) else {
        return Err(lost());
    };
    let receipt = chain
        .client
        .receipt(hash)
        .await
        .map_err(silent)?
        .ok_or_else(lost)?;
    let own: Address = receipt.from;
    let exchange = Exchange::of(chain).await?;
    let sum = receipt
        .inner
        .logs()
        .iter()
        .filter_map(|log| came(chain, &exchange, coin, own, log))
        .fold(U256::ZERO, U256::saturating_add);
    // The router keeps its word or reverts; what it said at least is what came at least.
    Ok(sum.max(row.minimum()?.unwrap_or_default()))
}

fn came(
    chain: &Chain,
    exchange: &Exchange,
    coin: Coin,
    own: Address,
    log: &alloy::rpc::types::Log,
) -> Option<U256> {
    match chain.contracts.token(coin) {
        Some(token) => {
            let event = Erc20::Transfer::decode_log(&log.inner).ok()?;
            (log.address() == token && event.data.to == own).then_some(event.data.value)
        }
        None => {
            let event = Weth::Withdrawal::decode_log(&log.inner).ok()?;
            (log.address() == exchange.wrapped && event.data.src == exchange.router).then_some(event.data.wad)
        }
    }
}
