//! Payouts that the hot wallet carries, whichever kind they are: what is approved gets a transaction, is asked about before it is
//! signed, and is posted once final (docs/rules/wallet.md#sending).
//!
//! A kind says what its transactions are for, how it is posted, and what becomes of it when the chain refuses it ([`Carried`]); its table
//! has the columns `outgoing` and `transfer` beside those of payouts (`store`). Kinds: withdrawals, bonuses of ranks.

mod store;

pub use store::{deposit_address, signed_since, waiting};

use super::{
    chain::{Coin, address, booked, signer::Warrant, wei},
    hot,
    intents::service::chain,
    sender::{
        self, Carries, Cause, Outgoing, OutgoingId, Purse, Settled,
        causes::{Ready, Wait},
        service::Round,
        store::Item,
    },
    watcher::Trouble,
    withdrawals::rules,
};
use crate::{
    approvals::guard::Verdict,
    error::Error,
    foundation::{context::Context, transaction::Tx},
    ledger::{
        amount::Amount,
        model::{AccountRef, Currency, Fx, HouseAccount},
        service as ledger,
    },
    payouts::{
        decisions,
        kind::{Bound, Payout, Port},
        money::Left,
        refuse, refuse_state,
        rules::State,
        service::{self as payouts, nobody},
        store::set_state,
        unknown,
    },
};
use alloy::primitives::{Address, U256};
use protocol::{ErrorCode, ids::TransferId};
use serde_json::json;
use std::future::Future;

/// Which coin, to which address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct To {
    pub coin: Coin,
    pub address: Address,
}

/// A payout that the hot wallet carries. Its digest binds coin, address and wei: the signer computes it anew from what it signs.
pub trait Carried: Port<Amount = U256, To = To> {
    /// What its transactions are for.
    fn cause(id: Self::Id) -> Cause;

    fn destination(own: &Self::Own) -> To;

    /// The transaction that carries it, or carried it last.
    fn outgoing(own: &Self::Own) -> Option<OutgoingId>;

    /// Final: what was set aside leaves the books.
    fn post(
        context: &Context,
        tx: &mut Tx,
        payout: &Payout<Self>,
        settled: &Settled,
    ) -> impl Future<Output = Result<TransferId, Error>> + Send;

    /// After it is complete: whose it was is told.
    fn completed(
        _: &mut Tx,
        _: &Payout<Self>,
        _: &Settled,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// The chain refused it for good; the letter that tells of it.
    fn refused(
        tx: &mut Tx,
        payout: &Payout<Self>,
    ) -> impl Future<Output = Result<Option<&'static str>, Error>> + Send;
}

/// Refuses the addresses at which nobody is paid.
///
/// # Errors
/// `withdrawal.address_refused`, `chain.unavailable`.
pub async fn payable(context: &Context, tx: &mut Tx, to: Address) -> Result<(), Error> {
    let (deposit, _) = deposit_address(tx.conn(), to).await?;
    payable_at(context, to, deposit)
}

/// The same of an address of which is known whether it is one for `deposit`s.
///
/// # Errors
/// As [`payable`].
pub fn payable_at(context: &Context, to: Address, deposit: bool) -> Result<(), Error> {
    let chain = chain(context)?;
    if deposit || rules::is_forbidden(to, &chain.contracts, &hot::house(context)) {
        return Err(refuse("address", ErrorCode::AddressRefused));
    }
    Ok(())
}

/// How it is bound: an approval binds the coin, the address, the wei that it receives; the guard shows `amount`.
#[must_use]
pub fn bound(to: &To, amount: String, wei: U256) -> Bound {
    Bound {
        destination: address::write(to.address),
        amount,
        coin: to.coin.as_str(),
        receives: wei.to_string(),
    }
}

/// One for the sender, locked.
async fn locked<K: Carried>(tx: &mut Tx, id: K::Id) -> Result<Payout<K>, Error> {
    payouts::lock(tx, nobody(), id).await
}

/// Whether no transaction of it can reach the chain: a queued one is taken back for it.
async fn free<K: Carried>(tx: &mut Tx, payout: &Payout<K>) -> Result<bool, Error> {
    let Some(outgoing) = K::outgoing(&payout.own) else {
        return Ok(true);
    };
    Ok(!sender::store::lives(tx.conn(), outgoing).await? || sender::drop_queued(tx, outgoing).await?)
}

/// Takes back what is queued, before anything returns: a failed or dropped one of before stays; a signed one answers no.
///
/// # Errors
/// `withdrawal.state` for what may have been paid.
pub async fn retract<K: Carried>(tx: &mut Tx, payout: &Payout<K>) -> Result<(), Error> {
    if free(tx, payout).await? {
        Ok(())
    } else {
        Err(refuse_state())
    }
}

/// Approved ones that get their transaction in one round.
const BATCH: i64 = 50;

/// Locks its row: always before its transaction's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock<K: Carried>(tx: &mut Tx, id: K::Id) -> Result<(), Error> {
    locked::<K>(tx, id).await?;
    Ok(())
}

/// Gives every approved one a transaction of the hot wallet. One that cannot be read, or is refused one, waits for a person and holds
/// nobody else up; whether there was such a one.
///
/// # Errors
/// Whatever the database refuses, and when another node has taken over.
pub async fn queue_approved<K: Carried>(round: &Round<'_>, hot: Address) -> Result<bool, Trouble> {
    let mut broken = false;
    for id in store::unqueued::<K>(round.context.db.pool(), hot, BATCH).await? {
        let mut tx = round.begin().await?;
        match queue::<K>(round, &mut tx, hot, id).await {
            Ok(()) => {
                tx.commit().await?;
            }
            // Of the database, not of this one.
            Err(error) if error.error_code().status() == 503 => return Err(error.into()),
            Err(error) => {
                broken = true;
                metrics::counter!("payouts_broken_total", "kind" => K::name()).increment(1);
                tracing::error!(?error, kind = K::name(), %id, "an approved payout gets no transaction");
            }
        }
    }
    Ok(broken)
}

async fn queue<K: Carried>(round: &Round<'_>, tx: &mut Tx, hot: Address, id: K::Id) -> Result<(), Error> {
    let payout = locked::<K>(tx, id).await?;
    if payout.state != State::Approved || !free(tx, &payout).await? {
        return Ok(());
    }
    let to = K::destination(&payout.own);
    let outgoing = Outgoing::transfer(
        Purse::Hot,
        hot,
        round.chain.contracts.token(to.coin),
        Carries {
            coin: to.coin,
            to: to.address,
            wei: payout.amount,
        },
        K::cause(id),
    );
    let queued = sender::enqueue(tx, &outgoing).await?;
    store::set_outgoing::<K>(tx.conn(), id, queued).await
}

/// Whether it may be signed now: still approved as it stands, nothing against its owner, and in the books.
///
/// # Errors
/// Whatever the database refuses.
pub async fn ready<K: Carried>(
    context: &Context,
    tx: &mut Tx,
    id: K::Id,
    item: &Item,
) -> Result<Ready, Error> {
    let payout = locked::<K>(tx, id).await?;
    let bound = payouts::bound(context, &payout)?;
    let digest = decisions::as_approved(&payout, &bound)?;
    if K::outgoing(&payout.own) != Some(item.id) || !store::approved::<K>(tx.conn(), id, &digest).await? {
        return Err(Error::internal("a payout that differs from what was approved"));
    }
    let to = K::destination(&payout.own).address;
    let (_, deposits) = deposit_address(tx.conn(), to).await?;
    match payout.state {
        State::Approved => {}
        // Signed before: the same payment at another price.
        State::Sent => return Ok(Ready::Go(Some(warrant(&payout, digest, deposits, None)))),
        _ => return Ok(Ready::Dropped),
    }
    let stands = match payouts::recheck(context, tx, &payout, &bound).await {
        Ok(verdict) => payable(context, tx, to).await.map(|()| verdict),
        Err(error) => Err(error),
    };
    let verdict = match stands {
        Ok(verdict) => verdict,
        Err(error) if error.error_code().status() < 500 => return Ok(Ready::Wait(Wait::Held)),
        Err(error) => return Err(error),
    };
    if !in_the_books(tx, &payout, item.sender).await? {
        return Ok(Ready::Wait(Wait::Books));
    }
    let warrant = warrant(&payout, digest, deposits, Some(&verdict));
    Ok(Ready::Go(Some(warrant)))
}

/// With the guard's word; without one only for what was signed under it before.
fn warrant<K: Carried>(payout: &Payout<K>, digest: [u8; 32], deposits: u32, _: Option<&Verdict>) -> Warrant {
    Warrant {
        kind: K::DECIDED,
        payout: payout.id.into(),
        digest,
        usdt: payout.value,
        deposits,
    }
}

/// The books hold the coins of this one and of all that left and is not posted yet.
async fn in_the_books<K: Carried>(tx: &mut Tx, payout: &Payout<K>, hot: Address) -> Result<bool, Error> {
    let carried = K::destination(&payout.own).coin;
    let coin = booked(carried);
    let custody = AccountRef::House(HouseAccount::CustodyChain(coin));
    let held = ledger::account_balance(tx.conn(), custody, Currency::Chain(coin)).await?;
    let under_way = sender::store::under_way(tx.conn(), hot, carried, true).await?;
    let needed = wei::booked(under_way.saturating_add(payout.amount));
    Ok(needed.is_some_and(|needed| held.0.checked_neg().is_some_and(|held| held >= needed)))
}

/// Its bytes are stored: from now on it is on its way.
///
/// # Errors
/// Whatever the database refuses.
pub async fn signed<K: Carried>(context: &Context, tx: &mut Tx, id: K::Id) -> Result<(), Error> {
    let now = tx.now();
    set_state::<K>(tx.conn(), id, State::Sent, None, now).await?;
    payouts::tell::<K>(context, tx, id, None).await?;
    Ok(())
}

/// Its transaction moved: into a block, out of it, to another hash.
///
/// # Errors
/// Whatever the database refuses.
pub async fn moved<K: Carried>(context: &Context, tx: &mut Tx, id: K::Id) -> Result<(), Error> {
    store::touch::<K>(tx.conn(), id).await?;
    payouts::tell::<K>(context, tx, id, None).await?;
    Ok(())
}

/// Its nonce went to another transaction: it waits for a fresh one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn returned<K: Carried>(context: &Context, tx: &mut Tx, id: K::Id) -> Result<(), Error> {
    let now = tx.now();
    set_state::<K>(tx.conn(), id, State::Approved, None, now).await?;
    payouts::tell::<K>(context, tx, id, None).await?;
    Ok(())
}

/// Final: what was set aside leaves the books, or the chain refused it.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub async fn settled<K: Carried>(
    context: &Context,
    tx: &mut Tx,
    id: K::Id,
    settled: &Settled,
) -> Result<(), Error> {
    let payout = locked::<K>(tx, id).await?;
    let details = json!({
        "withdrawal": id, "success": settled.success, "transaction": settled.tx_hash.map(|h| h.to_string()),
        "block": settled.block, "gas": settled.gas_wei.to_string(),
    });
    payouts::record::<K>(tx, None, payout.owner, "settle", details).await?;
    let letter = if settled.success {
        let posted = K::post(context, tx, &payout, settled).await?;
        store::complete::<K>(tx.conn(), id, posted).await?;
        K::completed(tx, &payout, settled).await?;
        Some("complete")
    } else {
        K::refused(tx, &payout).await?
    };
    payouts::tell::<K>(context, tx, id, letter).await?;
    Ok(())
}

/// The coins that left the books' custody.
///
/// # Errors
/// `request.not_found` for an amount beyond what the books hold.
pub fn left(coin: Coin, wei: U256) -> Result<Left, Error> {
    let coin = booked(coin);
    Ok(Left {
        exchange: Fx::Coin(coin),
        custody: HouseAccount::CustodyChain(coin),
        currency: Currency::Chain(coin),
        amount: Amount(wei::booked(wei).ok_or_else(unknown)?),
    })
}
