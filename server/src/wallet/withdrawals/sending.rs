//! Between a withdrawal and its transaction: queued once approved, asked before it is signed, posted once it is final.

use super::{
    decisions::{locked, recheck, subject},
    pyx, rules,
    service::{payable, record, tell, unknown, written},
    store::{self, Locked},
};
use crate::{
    approvals::guard::Verdict,
    error::Error,
    foundation::{context::Context, transaction::Tx},
    ledger::{
        amount::Amount,
        model::{AccountRef, Currency, Fx, HouseAccount, Leg, Orderer},
        service as ledger,
    },
    wallet::{
        chain::{Coin, booked, signer::Warrant, wei},
        sender::{
            self, Carries, Cause, Outgoing, Purse, Settled,
            causes::{Ready, Wait},
            service::Round,
            store::Item,
        },
        watcher::Trouble,
    },
};
use alloy::primitives::Address;
use protocol::{ids::ChainWithdrawalId, views::ChainWithdrawalStatus as Status};
use serde_json::json;

/// Approved ones that get their transaction in one round.
const BATCH: i64 = 50;

/// Gives every approved withdrawal a transaction of the hot wallet.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue_approved(round: &Round<'_>, hot: Address) -> Result<(), Trouble> {
    for id in store::unqueued(round.context.db.pool(), hot, BATCH).await? {
        let mut tx = round.begin().await?;
        let withdrawal = locked(&mut tx, id).await?;
        if withdrawal.status != Status::Approved {
            continue;
        }
        if let Some(outgoing) = withdrawal.outgoing
            && sender::store::lives(tx.conn(), outgoing).await?
            && !sender::drop_queued(&mut tx, outgoing).await?
        {
            continue;
        }
        let outgoing = Outgoing::transfer(
            Purse::Hot,
            hot,
            round.chain.contracts.token(withdrawal.coin),
            Carries {
                coin: withdrawal.coin,
                to: withdrawal.address,
                wei: withdrawal.wei,
            },
            Cause::Withdrawal(id.0),
        );
        let queued = sender::enqueue(&mut tx, &outgoing).await?;
        store::set_outgoing(tx.conn(), id, Some(queued)).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Whether it may be signed now: still approved as it stands, nothing against its owner, and in the books.
///
/// # Errors
/// Whatever the database refuses.
pub async fn ready(
    context: &Context,
    tx: &mut Tx,
    id: ChainWithdrawalId,
    item: &Item,
) -> Result<Ready, Error> {
    let withdrawal = locked(tx, id).await?;
    let destination = written(&withdrawal);
    let digest = subject(&withdrawal, &destination).digest();
    if withdrawal.digest.as_deref() != Some(digest.as_slice())
        || withdrawal.outgoing != Some(item.id)
        || !store::approved(tx.conn(), id, &digest).await?
    {
        return Err(Error::internal(
            "a withdrawal that differs from what was approved",
        ));
    }
    let (_, deposits) = store::deposit_address(tx.conn(), withdrawal.address).await?;
    match withdrawal.status {
        Status::Approved => {}
        // Signed before: the same payment at another price.
        Status::Sent => return Ok(Ready::Go(Some(warrant(&withdrawal, digest, deposits, None)))),
        _ => return Ok(Ready::Dropped),
    }
    let stands = match recheck(context, tx, &withdrawal).await {
        Ok(verdict) => payable(context, tx, withdrawal.address).await.map(|()| verdict),
        Err(error) => Err(error),
    };
    let verdict = match stands {
        Ok(verdict) => verdict,
        Err(error) if error.error_code().status() < 500 => return Ok(Ready::Wait(Wait::Held)),
        Err(error) => return Err(error),
    };
    if !in_the_books(tx, &withdrawal, item.sender).await? {
        return Ok(Ready::Wait(Wait::Books));
    }
    let warrant = warrant(&withdrawal, digest, deposits, Some(&verdict));
    Ok(Ready::Go(Some(warrant)))
}

/// With the guard's word; without one only for what was signed under it before.
fn warrant(withdrawal: &Locked, digest: [u8; 32], deposits: u32, _: Option<&Verdict>) -> Warrant {
    Warrant {
        withdrawal: withdrawal.id.0,
        digest,
        usdt: withdrawal.value,
        deposits,
    }
}

/// The books hold the coins of this one and of all that left and is not posted yet.
async fn in_the_books(tx: &mut Tx, withdrawal: &Locked, hot: Address) -> Result<bool, Error> {
    let coin = booked(withdrawal.coin);
    let custody = AccountRef::House(HouseAccount::CustodyChain(coin));
    let held = ledger::account_balance(tx.conn(), custody, Currency::Chain(coin)).await?;
    let under_way = sender::store::under_way(tx.conn(), hot, withdrawal.coin, true).await?;
    let needed = wei::booked(under_way.saturating_add(withdrawal.wei));
    Ok(needed.is_some_and(|needed| held.0.checked_neg().is_some_and(|held| held >= needed)))
}

/// Its bytes are stored: from now on it is on its way.
///
/// # Errors
/// Whatever the database refuses.
pub async fn signed(context: &Context, tx: &mut Tx, id: ChainWithdrawalId) -> Result<(), Error> {
    let now = tx.now();
    store::set_status(tx.conn(), id, Status::Sent, None, now).await?;
    tell(context, tx, id, None).await?;
    Ok(())
}

/// Its transaction moved: into a block, out of it, to another hash.
///
/// # Errors
/// Whatever the database refuses.
pub async fn moved(context: &Context, tx: &mut Tx, id: ChainWithdrawalId) -> Result<(), Error> {
    store::touch(tx.conn(), id).await?;
    tell(context, tx, id, None).await?;
    Ok(())
}

/// Its nonce went to another transaction: it waits for a fresh one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn returned(context: &Context, tx: &mut Tx, id: ChainWithdrawalId) -> Result<(), Error> {
    let now = tx.now();
    store::set_status(tx.conn(), id, Status::Approved, None, now).await?;
    tell(context, tx, id, None).await?;
    Ok(())
}

/// Final: the held money leaves the books, or the chain refused it and staff decide.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub async fn settled(
    context: &Context,
    tx: &mut Tx,
    id: ChainWithdrawalId,
    settled: &Settled,
) -> Result<(), Error> {
    let withdrawal = locked(tx, id).await?;
    let details = json!({
        "withdrawal": id, "success": settled.success, "transaction": settled.tx_hash.map(|h| h.to_string()),
        "block": settled.block, "gas": settled.gas_wei.to_string(),
    });
    record(tx, None, withdrawal.owner, "crypto_withdrawal.settle", details).await?;
    if !settled.success {
        let now = tx.now();
        store::set_status(tx.conn(), id, Status::Failed, None, now).await?;
        tell(context, tx, id, Some("failed")).await?;
        return Ok(());
    }
    let posted = if withdrawal.coin == Coin::Pyx {
        pyx::lock(tx, withdrawal.owner).await?;
        let legs = pyx::legs(&withdrawal)?;
        let posted = ledger::post_hold(tx, withdrawal.hold, None, legs, Orderer::System).await?;
        if let Some(fee) = withdrawal.fee_hold {
            let legs = fee_legs(context, tx, &withdrawal).await?;
            ledger::post_hold(tx, fee, None, legs, Orderer::System).await?;
        }
        ledger::tell_pyx(tx, withdrawal.owner).await?;
        posted
    } else {
        let legs = legs(context, tx, &withdrawal).await?;
        ledger::post_hold(tx, withdrawal.hold, None, legs, Orderer::System).await?
    };
    store::complete(tx.conn(), id, posted.id).await?;
    tell(context, tx, id, Some("complete")).await?;
    Ok(())
}

/// The fee for the fund and the house.
async fn fee_legs(context: &Context, tx: &mut Tx, withdrawal: &Locked) -> Result<Vec<Leg>, Error> {
    let in_force = context.settings.within(tx).await?;
    let (fund, house) = rules::fee_parts(withdrawal.fee, in_force.settings.fee_network_fund_share)
        .ok_or_else(|| Error::internal("a fee that cannot be divided"))?;
    Ok([
        (HouseAccount::NetworkFund, fund),
        (HouseAccount::WithdrawalFees, house),
    ]
    .into_iter()
    .filter(|(_, part)| !part.is_zero())
    .map(|(account, part)| Leg {
        account: AccountRef::House(account),
        currency: Currency::Usdt,
        amount: part.into(),
    })
    .collect())
}

/// What the held value becomes: the net against the coins that left, the fee for the fund and the house.
async fn legs(context: &Context, tx: &mut Tx, withdrawal: &Locked) -> Result<Vec<Leg>, Error> {
    let coin = booked(withdrawal.coin);
    let wei = wei::booked(withdrawal.wei).ok_or_else(unknown)?;
    let exchange = AccountRef::House(HouseAccount::Fx(Fx::Coin(coin)));
    let usdt = |account, amount: protocol::money::Usdt| Leg {
        account,
        currency: Currency::Usdt,
        amount: amount.into(),
    };
    let chain = |account, amount: i128| Leg {
        account,
        currency: Currency::Chain(coin),
        amount: Amount(amount),
    };
    let mut legs = vec![usdt(exchange, withdrawal.net)];
    legs.extend(fee_legs(context, tx, withdrawal).await?);
    legs.push(chain(exchange, -wei));
    legs.push(chain(AccountRef::House(HouseAccount::CustodyChain(coin)), wei));
    Ok(legs)
}
