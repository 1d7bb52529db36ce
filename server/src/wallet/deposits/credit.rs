//! What a confirmed payment does: counts towards an intent, credits a plain sum, adds to small change, or waits for a person ([`waiting`]).
//! Called by the watcher alone, in the transaction that marks the payment as counted.

use super::{
    jobs, rates, rules,
    rules::{Meets, Open},
    service::tell,
    store::{self, Deposit},
    waiting::{self, held_for_review, wait},
};
use crate::{
    error::Error,
    foundation::{context::Context, job_queue::NewJob, settings::InForce, transaction::Tx},
    identity::closing,
    ledger::{
        fees,
        model::{
            AccountRef, Cause, CauseKind, Fx, HouseAccount, NewHold, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service as ledger,
    },
    wallet::chain::{Coin, booked, wei},
};
use alloy::primitives::{Address, B256, U256};
use protocol::{
    ErrorCode,
    ids::{ChainDepositId, UserId},
    money::Usdt,
    views::{ChainDepositStatus as Status, DepositOutcome as Outcome, DepositProduct, PendingCause},
};
use time::OffsetDateTime;

/// A payment that has its confirmations.
#[derive(Clone, Debug)]
pub struct Payment {
    /// Number of the address that it came to.
    pub address: i32,
    pub owner: UserId,
    /// None: a token on no list.
    pub coin: Option<Coin>,
    pub contract: Option<Address>,
    pub tx: B256,
    pub wei: U256,
    pub block: u64,
    pub at: OffsetDateTime,
    /// Its token's balance did not grow as the log says.
    pub doubtful: bool,
}

/// Counts a payment; returns the deposit that it went to.
///
/// # Errors
/// Whatever the ledger or the database refuses; nothing has happened then.
pub async fn settle(context: &Context, tx: &mut Tx, payment: &Payment) -> Result<ChainDepositId, Error> {
    let in_force = context.settings.within(tx).await?;
    // First of all: who closes it waits for this, or this for them.
    let closed = closing::is_closed_within(tx, payment.owner).await?;
    let known = store::lock_address(tx.conn(), payment.address).await?;
    let Some(coin) = payment.coin else {
        return waiting::unlisted(context, tx, payment, known).await;
    };
    if closed {
        return waiting::left(context, tx, &in_force, payment, coin, &known).await;
    }
    let asked = known.iter().rfind(|d| d.expires_at.is_some()).cloned();
    let parent = asked.as_ref().map(|d| d.id);
    if payment.doubtful {
        let waiting = fresh(
            tx,
            payment,
            coin,
            payment.wei,
            Outcome::Later,
            parent,
            in_force.version,
        );
        return wait(context, tx, waiting, PendingCause::Balance).await;
    }
    let open = asked.filter(|d| matches!(d.status, Status::Waiting | Status::Pending));
    let Some(mut intent) = open else {
        let ended = known.iter().rfind(|d| d.expires_at.is_some());
        let late = ended.is_some_and(|d| {
            matches!(d.status, Status::TimedOut | Status::Canceled) || d.outcome == Some(Outcome::Underpaid)
        });
        let outcome = if late { Outcome::Late } else { Outcome::Later };
        return plain(
            context,
            tx,
            &in_force,
            payment,
            coin,
            payment.wei,
            outcome,
            &known,
        )
        .await;
    };
    let (Some(due), Some(expires_at)) = (intent.due, intent.expires_at) else {
        // A plain sum was asked for: whatever of its coin comes is it.
        if intent.coin != Some(coin) {
            return plain(
                context,
                tx,
                &in_force,
                payment,
                coin,
                payment.wei,
                Outcome::WrongToken,
                &known,
            )
            .await;
        }
        let Some(worth) = rules::worth(payment.wei, coin, rates::current(context, coin)) else {
            count(&mut intent, payment, payment.wei);
            return wait(context, tx, intent, PendingCause::NoRate).await;
        };
        if rules::plain(worth, &in_force.settings).is_none() {
            return plain(
                context,
                tx,
                &in_force,
                payment,
                coin,
                payment.wei,
                Outcome::Dust,
                &known,
            )
            .await;
        }
        count(&mut intent, payment, payment.wei);
        intent.outcome = Some(Outcome::Plain);
        return credit_plain(context, tx, &in_force, intent, coin, worth).await;
    };
    let meeting = Open {
        coin: intent.coin.unwrap_or(Coin::Usdt),
        due,
        received: intent.received,
        expires_at,
    };
    match rules::meet(&meeting, coin, payment.wei, payment.at) {
        Meets::WrongToken => {
            plain(
                context,
                tx,
                &in_force,
                payment,
                coin,
                payment.wei,
                Outcome::WrongToken,
                &known,
            )
            .await
        }
        Meets::Late => {
            plain(
                context,
                tx,
                &in_force,
                payment,
                coin,
                payment.wei,
                Outcome::Late,
                &known,
            )
            .await
        }
        Meets::Part => {
            count(&mut intent, payment, payment.wei);
            intent.status = Status::Pending;
            store::save(tx.conn(), &intent).await?;
            tell(context, tx, intent.id, false).await?;
            Ok(intent.id)
        }
        Meets::Whole { rest } => {
            count(&mut intent, payment, payment.wei - rest);
            intent.outcome = Some(if rest.is_zero() {
                Outcome::Exact
            } else {
                Outcome::Overpaid
            });
            let id = intent.id;
            if held_for_review(context, tx, &intent, intent.value.unwrap_or_default()).await? {
                wait(context, tx, intent, PendingCause::Compliance).await?;
            } else {
                fulfil(
                    context,
                    tx,
                    &mut intent,
                    &in_force,
                    Orderer::System,
                    Status::Confirmed,
                )
                .await?;
            }
            if !rest.is_zero() {
                plain(
                    context,
                    tx,
                    &in_force,
                    payment,
                    coin,
                    rest,
                    Outcome::Overpaid,
                    &known,
                )
                .await?;
            }
            Ok(id)
        }
    }
}

/// Credits what is left of a deposit that was reversed; what is left for who has closed their account meanwhile, which the caller has asked before
/// anything was booked, waits for a person.
///
/// # Errors
/// Whatever the ledger or the database refuses.
pub async fn rest_of(
    context: &Context,
    tx: &mut Tx,
    payment: &Payment,
    of: ChainDepositId,
    outcome: Outcome,
    closed: bool,
) -> Result<ChainDepositId, Error> {
    let in_force = context.settings.within(tx).await?;
    let known = store::lock_address(tx.conn(), payment.address).await?;
    let coin = payment
        .coin
        .ok_or_else(|| Error::internal("a token on no list was credited"))?;
    let parent: Vec<Deposit> = known.into_iter().filter(|d| d.id == of).collect();
    if closed {
        return waiting::left(context, tx, &in_force, payment, coin, &parent).await;
    }
    plain(
        context,
        tx,
        &in_force,
        payment,
        coin,
        payment.wei,
        outcome,
        &parent,
    )
    .await
}

/// Takes the payment into the deposit's own figures.
pub(super) fn count(deposit: &mut Deposit, payment: &Payment, amount: U256) {
    deposit.received = deposit.received.saturating_add(amount);
    deposit.seen = deposit.seen.saturating_sub(amount);
    deposit.tx = Some(payment.tx);
    deposit.seen_block = Some(payment.block);
}

/// A deposit of its own for so much of a payment.
pub(super) fn fresh(
    tx: &Tx,
    payment: &Payment,
    coin: Coin,
    amount: U256,
    outcome: Outcome,
    parent: Option<ChainDepositId>,
    settings_version: i32,
) -> Deposit {
    let mut deposit = Deposit::new(
        payment.owner,
        payment.address,
        DepositProduct::Plain,
        Status::Pending,
        tx.now(),
    );
    deposit.parent = parent;
    deposit.coin = Some(coin);
    deposit.outcome = Some(outcome);
    deposit.settings_version = settings_version;
    count(&mut deposit, payment, amount);
    deposit
}

/// Money that no intent takes: credited after the fee, added to small change, or left to a person.
#[allow(clippy::too_many_arguments)]
async fn plain(
    context: &Context,
    tx: &mut Tx,
    in_force: &InForce,
    payment: &Payment,
    coin: Coin,
    amount: U256,
    outcome: Outcome,
    known: &[Deposit],
) -> Result<ChainDepositId, Error> {
    let parent = known.iter().rfind(|d| d.expires_at.is_some()).map(|d| d.id);
    let version = in_force.version;
    if coin == Coin::Bnb {
        let waiting = fresh(tx, payment, coin, amount, outcome, parent, version);
        return wait(context, tx, waiting, PendingCause::Native).await;
    }
    let Some(rate) = rates::current(context, coin) else {
        let waiting = fresh(tx, payment, coin, amount, outcome, parent, version);
        return wait(context, tx, waiting, PendingCause::NoRate).await;
    };
    let mut deposit = with_change(tx, payment, coin, amount, known, version);
    let worth = rules::worth(deposit.received, coin, Some(rate)).unwrap_or_default();
    if rules::plain(worth, &in_force.settings).is_none() {
        store::save(tx.conn(), &deposit).await?;
        tell(context, tx, deposit.id, false).await?;
        return Ok(deposit.id);
    }
    deposit.outcome = Some(if outcome == Outcome::Dust {
        Outcome::Plain
    } else {
        outcome
    });
    credit_plain(context, tx, in_force, deposit, coin, worth).await
}

/// So much of a payment, added to what small change of its coin its address has.
pub(super) fn with_change(
    tx: &Tx,
    payment: &Payment,
    coin: Coin,
    amount: U256,
    known: &[Deposit],
    settings_version: i32,
) -> Deposit {
    if let Some(change) = known.iter().find(|d| is_change(d, coin)) {
        let mut sum = change.clone();
        count(&mut sum, payment, amount);
        return sum;
    }
    let parent = known.iter().rfind(|d| d.expires_at.is_some()).map(|d| d.id);
    fresh(tx, payment, coin, amount, Outcome::Dust, parent, settings_version)
}

/// Whether a deposit is the small change of a coin at its address, too little to be credited so far.
pub(super) fn is_change(deposit: &Deposit, coin: Coin) -> bool {
    deposit.outcome == Some(Outcome::Dust) && deposit.coin == Some(coin) && deposit.transfer.is_none()
}

pub(super) async fn credit_plain(
    context: &Context,
    tx: &mut Tx,
    in_force: &InForce,
    mut deposit: Deposit,
    coin: Coin,
    worth: Usdt,
) -> Result<ChainDepositId, Error> {
    if held_for_review(context, tx, &deposit, worth).await? {
        return wait(context, tx, deposit, PendingCause::Compliance).await;
    }
    let credited =
        rules::plain(worth, &in_force.settings).ok_or_else(|| Error::internal("a credit of nothing"))?;
    if coin != Coin::Usdt {
        deposit.rate = rates::current(context, coin);
    }
    book(tx, &mut deposit, in_force, worth, credited, Orderer::System).await?;
    deposit.status = Status::Complete;
    store::save(tx.conn(), &deposit).await?;
    tell(context, tx, deposit.id, false).await?;
    Ok(deposit.id)
}

/// Books a deposit's wei into custody and what they credit to `available`; the fee is the rest, a share of it for the network.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn book(
    tx: &mut Tx,
    deposit: &mut Deposit,
    in_force: &InForce,
    worth: Usdt,
    credited: Usdt,
    orderer: Orderer,
) -> Result<(), Error> {
    let coin = deposit
        .coin
        .ok_or_else(|| Error::internal("a token on no list cannot be booked"))?;
    let held = wei::booked(deposit.received).ok_or_else(|| Error::code(ErrorCode::AmountInvalid))?;
    let fee = worth - credited;
    let parts = fees::divide(fee, in_force.settings.fee_network_fund_share)?;
    let house = AccountRef::House;
    let exchange = house(HouseAccount::Fx(Fx::Coin(booked(coin))));
    let transfer = Transfer::new(
        TransferKind::DepositChain,
        format!("chain_deposit:{}", deposit.id),
        Cause::new(CauseKind::ChainDeposit, deposit.id.0),
        orderer,
    )
    .settings(in_force.version)
    .wei(
        house(HouseAccount::CustodyChain(booked(coin))),
        booked(coin),
        -held,
    )
    .wei(exchange, booked(coin), held)
    .usdt(exchange, -worth)
    .usdt(AccountRef::User(deposit.owner, UserAccount::Available), credited)
    .usdt(house(HouseAccount::NetworkFund), parts.fund)
    .usdt(house(HouseAccount::DepositFees), parts.house);
    let posted = ledger::post(tx, transfer).await?;
    deposit.credited = Some(credited);
    deposit.fee = Some(fee);
    deposit.transfer = Some(posted.id.0);
    deposit.decided_at = Some(tx.now());
    Ok(())
}

/// An intent has all its money: into custody, held for its product, and the job that hands it over.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn fulfil(
    context: &Context,
    tx: &mut Tx,
    intent: &mut Deposit,
    in_force: &InForce,
    orderer: Orderer,
    status: Status,
) -> Result<(), Error> {
    let value = intent
        .value
        .ok_or_else(|| Error::internal("an intent without a value"))?;
    let worth = intent
        .due
        .and_then(wei::usdt)
        .ok_or_else(|| Error::internal("an intent without a price"))?;
    book(tx, intent, in_force, worth, value, orderer).await?;
    let hold = NewHold {
        from: AccountRef::User(intent.owner, UserAccount::Available),
        amount: value.into(),
        key: format!("intent:{}", intent.id),
        cause: Cause::new(CauseKind::DepositIntent, intent.id.0),
        orderer,
        settings_version: in_force.version,
        expires_at: None,
    };
    intent.status = status;
    match ledger::hold(tx, hold).await {
        Ok(held) => {
            intent.hold = Some(held.id.0);
            tx.enqueue(NewJob::new(
                jobs::HAND_OVER,
                format!("{}:{}", jobs::HAND_OVER, intent.id),
                &intent.id,
            )?);
        }
        // An open debt was repaid from it first: what is left stays in the balance.
        Err(error) if error.error_code() == ErrorCode::BalanceInsufficient => {
            intent.outcome = Some(Outcome::PlanGone);
            if status == Status::Confirmed {
                intent.status = Status::Complete;
            }
        }
        Err(error) => return Err(error),
    }
    store::save(tx.conn(), intent).await?;
    tell(context, tx, intent.id, false).await?;
    Ok(())
}
