//! A payment that had counted has left the chain for good: its credit is undone (docs/rules/wallet.md#reorganisations).

use super::{
    service::tell,
    store::{self, Deposit},
};
use crate::{
    approvals::unsent,
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        transaction::Tx,
    },
    identity::caller::Scope,
    ledger::{
        amount::Amount,
        model::{AccountRef, Cause, CauseKind, Currency, Fx, HouseAccount, Leg, Orderer, UserAccount},
        service as ledger,
    },
    licences::claw_back::{ClawBack, claw_back},
    wallet::chain::{Coin, booked, wei},
};
use protocol::{
    ids::{ChainDepositId, HoldId, UserId},
    money::Usdt,
};
use serde_json::json;
use uuid::Uuid;

/// Undoes what a deposit credited. Doing it twice changes nothing; a deposit that credited nothing only loses its payments.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub async fn reverse(context: &Context, tx: &mut Tx, id: ChainDepositId) -> Result<(), Error> {
    let everyone = Scope::Staff(UserId(Uuid::nil()));
    let Some(mut deposit) = store::lock(tx.conn(), everyone, id).await? else {
        return Ok(());
    };
    let (Some(credited), Some(fee), Some(coin)) = (deposit.credited, deposit.fee, deposit.coin) else {
        return Ok(());
    };
    if deposit.reversed_at.is_some() {
        return Ok(());
    }
    // Held for a licence that was not opened yet: back to the balance first.
    if let Some(hold) = deposit.hold.filter(|_| deposit.licence.is_none())
        && let Err(error) = ledger::void_hold(tx, HoldId(hold), Orderer::System).await
        && error.error_code() != protocol::ErrorCode::LedgerRefused
    {
        return Err(error);
    }
    // What was asked for and has not left comes back first.
    let available = ledger::usdt_balance(tx.conn(), own(&deposit, UserAccount::Available)).await?;
    let canceled = if available < credited {
        Some(unsent::cancel(context, tx, deposit.owner, "reorg").await?)
    } else {
        None
    };
    take_back(context, tx, &deposit, coin, credited, fee).await?;
    deposit.reversed_at = Some(tx.now());
    store::save(tx.conn(), &deposit).await?;
    let details = json!({ "deposit": id, "usdt": credited });
    audit::record(
        tx,
        None,
        Some(deposit.owner.0),
        Category::Money,
        "crypto_deposit.reverse",
        details,
    )
    .await?;
    tell(context, tx, id, false).await?;
    if let Some(canceled) = &canceled {
        unsent::tell(context, tx, canceled).await?;
    }
    Ok(())
}

fn own(deposit: &Deposit, account: UserAccount) -> AccountRef {
    AccountRef::User(deposit.owner, account)
}

/// From wherever the ledger's rules take it (docs/rules/ledger.md#reversed-credits). The network keeps its part of the fee: the house bears it.
async fn take_back(
    context: &Context,
    tx: &mut Tx,
    deposit: &Deposit,
    coin: Coin,
    credited: Usdt,
    fee: Usdt,
) -> Result<(), Error> {
    let held = wei::booked(deposit.received).ok_or_else(|| Error::internal("an amount beyond the books"))?;
    let exchange = AccountRef::House(HouseAccount::Fx(Fx::Coin(booked(coin))));
    let leg = |account, currency, amount| Leg {
        account,
        currency,
        amount,
    };
    let beside = [
        leg(
            AccountRef::House(HouseAccount::CustodyChain(booked(coin))),
            Currency::Chain(booked(coin)),
            Amount(held),
        ),
        leg(exchange, Currency::Chain(booked(coin)), Amount(-held)),
        leg(exchange, Currency::Usdt, fee.into()),
        leg(
            AccountRef::House(HouseAccount::ChainLosses),
            Currency::Usdt,
            (-fee).into(),
        ),
    ];
    let order = ClawBack {
        user: deposit.owner,
        amount: credited,
        since: deposit.decided_at.unwrap_or(deposit.created_at),
        to: exchange,
        losses: HouseAccount::ChainLosses,
        key: format!("chain_claw_back:{}", deposit.id),
        cause: Cause::new(CauseKind::ChainDeposit, deposit.id.0),
        orderer: Orderer::System,
        beside: beside.into_iter().filter(|l| l.amount != Amount::ZERO).collect(),
    };
    claw_back(context, tx, order).await?;
    Ok(())
}
