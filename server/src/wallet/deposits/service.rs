//! Deposits over the chain as people see and decide them.

use super::{
    credit, rates, rules,
    store::{self, Deposit, Filter, Shown},
    waiting,
};
use crate::{
    approvals::{
        compliance::{self, End},
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        amounts,
        audit::{self, Category},
        context::Context,
        http::Paging,
        listing::DaysReport,
        settings::InForce,
        subjects, text,
        transaction::Tx,
    },
    identity::caller::Scope,
    ledger::model::Orderer,
    wallet::chain::{Chain, Coin},
};
use alloy::primitives::B256;
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{ChainDepositId, UserId},
    live_event::QueueItem,
    money::Usdt,
    stream_id::Queue,
    views::{ChainDepositStatus as Status, ChainDepositView, DepositOutcome, PendingCause},
};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

/// Confirmations where no chain is configured: for the lists of what came before.
const CONFIRMATIONS: u64 = 15;

pub(crate) fn needed(context: &Context) -> u64 {
    context
        .part::<Chain>()
        .map_or(CONFIRMATIONS, |chain| chain.confirmations)
}

pub(crate) fn unknown() -> Error {
    Error::code(ErrorCode::RequestNotFound)
}

async fn view(context: &Context, tx: &mut Tx, id: ChainDepositId) -> Result<ChainDepositView, Error> {
    let in_force = context.settings.within(tx).await?;
    let scanned = store::scanned(&mut *tx.conn()).await?;
    let everyone = Scope::Staff(UserId(Uuid::nil()));
    store::shown(tx.conn(), everyone, id)
        .await?
        .ok_or_else(unknown)?
        .view(scanned, needed(context), &in_force.settings)
}

/// Tells the owner, those who decide when the queue is concerned, and whoever may point at the deposit; what was told.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell(
    context: &Context,
    tx: &mut Tx,
    id: ChainDepositId,
    queue: bool,
) -> Result<ChainDepositView, Error> {
    let view = view(context, tx, id).await?;
    let shown = view.credited.or(view.value).unwrap_or_default();
    subjects::upsert(
        tx,
        subjects::Kind::CryptoDeposit,
        id.0,
        view.user,
        shown,
        view.status.as_str(),
    )
    .await?;
    tx.emit(
        StreamId::User(view.user),
        LiveEvent::CryptoDepositChanged {
            deposit: Box::new(view.clone()),
        },
    );
    if queue {
        store::lock_queue(tx.conn()).await?;
        let (pending, _) = store::queue(tx.conn()).await?;
        tx.emit(
            StreamId::Queue(Queue::CryptoDeposits),
            LiveEvent::QueueChanged {
                queue: Queue::CryptoDeposits,
                item: Box::new(QueueItem::CryptoDeposit {
                    deposit: view.clone(),
                }),
                pending,
            },
        );
    }
    Ok(view)
}

/// A page of deposits within a scope, with how far the watcher has read.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Shown>, i64, u64), Error> {
    let mut conn = context.db.pool().acquire().await?;
    let scanned = store::scanned(&mut *conn).await?;
    let (rows, total) = store::list(&mut conn, scope, filter, paging, sort).await?;
    Ok((rows, total, scanned))
}

/// What was credited, by day, of the deposits that the filters let through.
///
/// # Errors
/// Whatever the database refuses.
pub async fn credited(context: &Context, scope: Scope, filter: &Filter) -> Result<DaysReport, Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::credited(&mut conn, scope, filter).await
}

/// How many wait for a decision, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::queue(&mut conn).await
}

/// What a person decides.
#[derive(Clone, Debug)]
pub enum Decision {
    /// `worth`: what the coins are in USDT, where no rate says it.
    Approve { worth: Option<Usdt> },
    /// Not ours to keep: given back by a transaction, or frozen for a reason.
    Reject { reason: String, refund: Option<B256> },
}

/// One person's decision. Approved for good, the deposit is credited in this very transaction.
///
/// # Errors
/// `request.not_found`, `deposit.state`, `decision.*`, `deposit.value_missing`, `deposit.refund_invalid`, `amount.invalid`.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: ChainDepositId,
    decision: Decision,
) -> Result<ChainDepositView, Error> {
    let mut deposit = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    waits(&deposit)?;
    match decision {
        Decision::Reject { reason, refund } => reject(tx, by, &mut deposit, &reason, refund).await?,
        Decision::Approve { worth } => approve(context, tx, by, &mut deposit, worth).await?,
    }
    let reason = deposit.reason.as_deref().unwrap_or_default();
    match deposit.status {
        Status::PendingApproval => {}
        Status::Rejected => compliance::end(tx, waiting::SUBJECT, id.0, End::Refused(by, reason)).await?,
        _ => compliance::end(tx, waiting::SUBJECT, id.0, End::Cleared(by)).await?,
    }
    tell(context, tx, id, true).await
}

fn waits(deposit: &Deposit) -> Result<(), Error> {
    match deposit.status {
        Status::PendingApproval => Ok(()),
        Status::Approved | Status::Rejected => Err(Error::code(ErrorCode::DecisionDone)),
        _ => Err(Error::code(ErrorCode::DepositState)),
    }
}

/// A deposit that waits, with its worth by the rules or as somebody says it.
///
/// # Errors
/// `request.not_found`, `deposit.state`, `decision.done`, `deposit.value_missing`, `amount.*`.
pub async fn waiting(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: ChainDepositId,
    said: Option<Usdt>,
) -> Result<Waiting, Error> {
    let deposit = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    waits(&deposit)?;
    let in_force = context.settings.within(tx).await?;
    let (worth, credited) = judged(context, &deposit, &in_force, said)?;
    let coin = deposit.coin.map_or("unlisted", Coin::as_str);
    let place = deposit.address.to_string();
    Ok(subject(&deposit, coin, &place, credited, worth).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// `request.not_found`, `deposit.state`, `decision.*`.
pub async fn take_back(context: &Context, tx: &mut Tx, by: UserId, id: ChainDepositId) -> Result<(), Error> {
    let deposit = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    waits(&deposit)?;
    // Whatever it was said to be worth: the word is found by the deposit.
    let waiting = subject(&deposit, "", "", Usdt::ZERO, Usdt::ZERO).waiting();
    approvals::take_back(tx, &waiting, by).await?;
    store::count_words(tx.conn(), id).await?;
    tell(context, tx, id, true).await?;
    Ok(())
}

fn subject<'a>(
    deposit: &Deposit,
    coin: &'a str,
    destination: &'a str,
    credited: Usdt,
    worth: Usdt,
) -> Subject<'a> {
    Subject {
        kind: Kind::CryptoDeposit,
        id: deposit.id.0,
        customer: Some(deposit.owner),
        coin,
        destination,
        // Both what arrived and what it credits.
        amount: format!("{}={credited}", deposit.received),
        usdt: worth,
    }
}

async fn reject(
    tx: &mut Tx,
    by: UserId,
    deposit: &mut Deposit,
    reason: &str,
    refund: Option<B256>,
) -> Result<(), Error> {
    let reason = text::paragraph(reason);
    if reason.is_empty() && refund.is_none() {
        return Err(Error::code(ErrorCode::RefundInvalid)
            .field("reason", ErrorCode::RefundInvalid)
            .field("refund", ErrorCode::RefundInvalid));
    }
    let words = match refund {
        Some(hash) if reason.is_empty() => hash.to_string(),
        _ => reason,
    };
    let coin = deposit.coin.map_or("unlisted", Coin::as_str);
    let place = deposit.address.to_string();
    let worth = deposit.value.unwrap_or_default();
    let kept = approvals::reject(tx, &subject(deposit, coin, &place, Usdt::ZERO, worth), by, &words).await?;
    deposit.status = Status::Rejected;
    deposit.reason = Some(kept);
    deposit.refund = refund;
    deposit.decided_at = Some(tx.now());
    store::save(tx.conn(), deposit).await?;
    record(tx, by, deposit, "crypto_deposit.reject").await
}

/// What the deposit is worth and credits, by the rules or by what the approver says.
fn judged(
    context: &Context,
    deposit: &Deposit,
    in_force: &InForce,
    said: Option<Usdt>,
) -> Result<(Usdt, Usdt), Error> {
    if let Some(said) = said {
        amounts::at_most(said, amounts::MOST_PER_ORDER, "value")?;
    }
    // Nobody could take it out again: it is given back.
    if deposit.pending_cause == Some(PendingCause::Closed) {
        return Err(Error::code(ErrorCode::AccountClosed));
    }
    let coin = deposit
        .coin
        .filter(|_| deposit.pending_cause != Some(PendingCause::UnlistedToken))
        .ok_or_else(|| Error::code(ErrorCode::DepositState))?;
    if let (Some(due), Some(value)) = (deposit.due, deposit.value)
        && deposit.received == due
    {
        let worth = rules::worth(due, coin, None).ok_or_else(|| Error::code(ErrorCode::AmountInvalid))?;
        return Ok((worth, value));
    }
    let rate = rates::current(context, coin);
    let worth = match (rules::worth(deposit.received, coin, rate), said) {
        // The chain says what USDT is; nobody needs to.
        (Some(worth), _) if coin == Coin::Usdt => worth,
        (_, Some(said)) if said.is_positive() => said,
        (Some(worth), None) => worth,
        _ => {
            return Err(
                Error::code(ErrorCode::DepositValueMissing).field("value", ErrorCode::DepositValueMissing)
            );
        }
    };
    let credited = rules::plain(worth, &in_force.settings)
        .ok_or_else(|| Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid))?;
    Ok((worth, credited))
}

async fn approve(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    deposit: &mut Deposit,
    said: Option<Usdt>,
) -> Result<(), Error> {
    let in_force = context.settings.within(tx).await?;
    let (worth, credited) = judged(context, deposit, &in_force, said)?;
    let coin = deposit.coin.map_or("unlisted", Coin::as_str);
    let place = deposit.address.to_string();
    let subject = subject(deposit, coin, &place, credited, worth);
    let standing = approvals::approve(tx, &in_force, &subject, by).await?;
    deposit.digest = Some(subject.digest().to_vec());
    deposit.approvals = standing.approvals;
    deposit.approvals_needed = standing.needed;
    record(tx, by, deposit, "crypto_deposit.approve").await?;
    if !standing.is_complete() {
        return store::save(tx.conn(), deposit).await;
    }
    if deposit.due.is_some() && deposit.due == Some(deposit.received) {
        return credit::fulfil(
            context,
            tx,
            deposit,
            &in_force,
            Orderer::User(by),
            Status::Approved,
        )
        .await;
    }
    credit::book(tx, deposit, &in_force, worth, credited, Orderer::User(by)).await?;
    deposit.outcome = deposit.outcome.or(Some(DepositOutcome::Plain));
    deposit.status = Status::Approved;
    store::save(tx.conn(), deposit).await
}

async fn record(tx: &mut Tx, by: UserId, deposit: &Deposit, action: &str) -> Result<(), Error> {
    let details = json!({
        "deposit": deposit.id, "wei": deposit.received.to_string(), "approvals": deposit.approvals,
        "needed": deposit.approvals_needed,
    });
    audit::record(
        tx,
        Some(by),
        Some(deposit.owner.0),
        Category::Money,
        action,
        details,
    )
    .await
}
