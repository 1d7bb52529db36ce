//! What sending and swapping share: room in the wallet, the order's lines, its transactions in their order.

use super::{
    rules,
    service::{Standing, told},
    store::{self, NewMove, NewStep, Placed, StepKind},
};
use crate::{
    approvals::guard::Verdict,
    error::Error,
    foundation::{
        audit::{self, Category},
        transaction::Tx,
    },
    wallet::{
        chain::{Chain, Coin},
        keys::digest,
        sender::{self, Carries, Cause, Outgoing, Purse},
    },
};
use alloy::primitives::{Address, U256};
use protocol::{
    ErrorCode,
    ids::{OutboundId, UserId, WalletMoveId},
    views::WalletMoveView,
};
use serde_json::json;

/// How often an order is tried while its wallet moves under it.
pub const TRIES: usize = 4;

/// Gas is never offered below this: some nodes answer zero.
const CHEAPEST: u128 = 1_000_000_000;

/// What a unit of gas costs now.
#[must_use]
pub const fn price(node: u128) -> u128 {
    if node > CHEAPEST { node } else { CHEAPEST }
}

/// The most that a unit of gas may cost: prices rise while a transaction waits, and a wallet keeps so much aside.
#[must_use]
pub const fn price_most(now: u128) -> u128 {
    price(now).saturating_mul(4)
}

/// Wei that so much gas may cost at most.
#[must_use]
pub fn gas_most(gas: u64, price: u128) -> U256 {
    U256::from(gas).saturating_mul(U256::from(price))
}

/// Refuses what the wallet cannot pay: the coins, and BNB for the network beside it.
///
/// # Errors
/// `balance.insufficient`, `wallet.gas_missing`.
pub fn room(standing: &Standing, chain: &Chain, coin: Coin, wei: U256, gas: U256) -> Result<(), Error> {
    let free = standing.free(chain, coin);
    if wei > free {
        return Err(
            Error::code(ErrorCode::BalanceInsufficient).field("value", ErrorCode::BalanceInsufficient)
        );
    }
    let native = if coin == Coin::Bnb {
        free - wei
    } else {
        standing.free(chain, Coin::Bnb)
    };
    if gas > native {
        return Err(gas_missing(gas));
    }
    Ok(())
}

/// Says how much BNB the network wants.
#[must_use]
pub fn gas_missing(gas: U256) -> Error {
    Error::code(ErrorCode::WalletGasMissing)
        .with("needed", rules::shown_up(gas))
        .field("value", ErrorCode::WalletGasMissing)
}

/// The most of a coin that may be ordered beside its gas.
#[must_use]
pub fn most(standing: &Standing, chain: &Chain, coin: Coin, gas: U256) -> U256 {
    let free = standing.free(chain, coin);
    if coin == Coin::Bnb {
        free.saturating_sub(gas)
    } else {
        free
    }
}

/// Locks the wallet if it is still as it was read; what was read otherwise counts for nothing.
///
/// # Errors
/// Whatever the database refuses.
pub async fn unchanged(tx: &mut Tx, standing: &Standing) -> Result<bool, Error> {
    Ok(store::lock_wallet(tx.conn(), standing.wallet.owner).await? == Some(standing.wallet.version))
}

/// Orders followed each other too closely.
#[must_use]
pub fn busy() -> Error {
    Error::code(ErrorCode::WalletBusy).retry_after(1)
}

/// What the guard's word is stored as.
///
/// # Errors
/// When the guard let something pass without a place, which cannot be.
pub fn passed(verdict: &Verdict) -> Result<OutboundId, Error> {
    verdict
        .id
        .ok_or_else(|| Error::internal("the guard let something pass without a place"))
}

/// Writes an order with its transactions and queues them, each after the other. Needs the guard's word.
///
/// # Errors
/// Whatever the database refuses.
pub async fn write(
    tx: &mut Tx,
    chain: &Chain,
    from: Address,
    order: &NewMove,
    steps: Vec<NewStep>,
    carries: Option<Carries>,
    _: &Verdict,
) -> Result<WalletMoveView, Error> {
    let now = tx.now();
    let placed: Vec<Placed<'_>> = steps
        .iter()
        .zip(1i16..)
        .map(|(step, position)| Placed {
            step,
            position,
            digest: signed(chain, order.owner, step),
        })
        .collect();
    let row = store::insert(tx.conn(), order, &placed, now).await?;
    for step in steps {
        let carries = carries.filter(|_| step.kind == StepKind::Send);
        enqueue(tx, from, order.owner, step, carries).await?;
    }
    note(tx, order.owner, order).await?;
    told(tx, &row)
}

/// What the signer of a transaction signs.
fn signed(chain: &Chain, owner: UserId, step: &NewStep) -> [u8; 32] {
    digest(
        chain.client.id(),
        owner,
        step.recipient,
        step.value,
        &step.data,
        step.gas_limit,
    )
}

/// Writes one transaction of an order and queues it behind those before.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(
    tx: &mut Tx,
    chain: &Chain,
    from: Address,
    (order, owner): (WalletMoveId, UserId),
    position: i16,
    step: NewStep,
    carries: Option<Carries>,
) -> Result<(), Error> {
    let now = tx.now();
    let digest = signed(chain, owner, &step);
    store::insert_step(tx.conn(), (order, owner), position, &step, &digest, now).await?;
    enqueue(tx, from, owner, step, carries).await
}

/// Queues a transaction behind those before.
async fn enqueue(
    tx: &mut Tx,
    from: Address,
    owner: UserId,
    step: NewStep,
    carries: Option<Carries>,
) -> Result<(), Error> {
    let outgoing = Outgoing {
        purse: Purse::User(owner),
        sender: from,
        recipient: step.recipient,
        value: step.value,
        data: step.data,
        gas_limit: step.gas_limit,
        carries,
        cause: match step.kind {
            StepKind::Send => Cause::WalletSend(step.id),
            StepKind::Approve => Cause::WalletApprove(step.id),
            StepKind::Swap => Cause::WalletSwap(step.id),
            StepKind::Revoke => Cause::WalletRevoke(step.id),
        },
    };
    sender::enqueue(tx, &outgoing).await?;
    Ok(())
}

async fn note(tx: &mut Tx, owner: UserId, order: &NewMove) -> Result<(), Error> {
    audit::record(
        tx,
        Some(owner),
        Some(order.id.0),
        Category::Money,
        match order.swap {
            Some(_) => "wallet.swap",
            None => "wallet.send",
        },
        json!({ "coin": order.coin.as_str(), "wei": order.wei.to_string(), "usdt": order.usdt.to_string() }),
    )
    .await
}
