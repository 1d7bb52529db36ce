//! Use cases of PIX deposits.

use super::{
    br_code::BrCode,
    rate,
    rules::{self, EndToEndId, Rate},
    statements::service::{self as statements, Moved},
    store::{self, Claim, Filter, For, Locked, NewDeposit, Shown},
};
use crate::{
    approvals::{
        compliance::{self, End, Flow, Movement},
        guard,
        rules::{Kind, needed_at_first},
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        amounts,
        audit::{self, Category},
        context::Context,
        files::{self, Received},
        listing::DaysReport,
        subjects, text,
        transaction::Tx,
    },
    identity::caller::Scope,
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, Fx, HouseAccount, Orderer, Transfer, TransferKind, UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{PixDepositId, TransferId, UserId},
    live_event::QueueItem,
    money::{Brl, Usdt},
    stream_id::Queue,
    views::{PixDepositStatus as Status, PixDepositView},
};
use serde_json::json;
use time::{Duration, OffsetDateTime};

pub use super::reversal::reverse;

/// What a customer asks for: one of the two, the other follows from the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Usdt(Usdt),
    Brl(Brl),
}

/// What an approver has read off the bank's statement.
#[derive(Clone, Debug)]
pub struct Statement {
    pub end_to_end_id: String,
    pub payer_name: String,
    /// What arrived; what was asked when none.
    pub brl: Option<Brl>,
}

/// A person's decision on a deposit.
#[derive(Clone, Debug)]
pub enum Decision {
    Approve(Statement),
    Reject(String),
}

const PAYER_NAME: usize = 140;

fn refuse(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

pub(super) fn unknown() -> Error {
    Error::code(ErrorCode::RequestNotFound)
}

/// Opens a deposit: the rate is locked, the BR Code written.
///
/// # Errors
/// `amount.*`, `deposit.too_small`, `deposit.too_large`, `deposit.too_many`, `rate.unavailable`.
pub async fn create(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    asked: Asked,
) -> Result<PixDepositView, Error> {
    let now = tx.now();
    let in_force = context.settings.within(tx).await?;
    let settings = &in_force.settings;
    let current = rate::within(context, tx).await?;
    let positive = match asked {
        Asked::Usdt(usdt) => usdt.is_positive(),
        Asked::Brl(brl) => brl.is_positive(),
    };
    let field = if matches!(asked, Asked::Usdt(_)) {
        "usdt"
    } else {
        "brl"
    };
    if !positive {
        return Err(refuse(field, ErrorCode::AmountNotPositive));
    }
    let pair = match asked {
        Asked::Usdt(usdt) => rules::to_pay(usdt, current.rate).map(|brl| (usdt, brl)),
        Asked::Brl(brl) => rules::credited(brl, current.rate).map(|usdt| (usdt, brl)),
    };
    let too_large = || refuse(field, ErrorCode::DepositTooLarge).with("maximum", whole(settings.pix_maximum));
    let (usdt, brl) = pair.ok_or_else(too_large)?;
    if usdt < settings.pix_minimum {
        return Err(refuse(field, ErrorCode::DepositTooSmall).with("minimum", whole(settings.pix_minimum)));
    }
    if usdt > settings.pix_maximum {
        return Err(too_large());
    }
    store::lock_owner(tx.conn(), owner).await?;
    let open = store::open_count(tx.conn(), owner, now).await?;
    if open >= settings.pix_open_deposits {
        return Err(Error::code(ErrorCode::DepositTooMany).with("count", open));
    }
    let txid = rules::txid(rand::random());
    let receiver = &context.pix;
    let br_code = BrCode {
        key: &receiver.key,
        name: &receiver.name,
        city: &receiver.city,
        txid: &txid,
        amount: Some(brl),
        description: None,
    }
    .text()
    .map_err(|e| Error::internal(format!("the receiver's PIX data: {e}")))?;
    let new = NewDeposit {
        id: PixDepositId::fresh(),
        owner,
        txid,
        br_code,
        usdt,
        brl,
        rate: current.rate,
        rate_source: current.source.as_str(),
        rate_locked_until: now + Duration::minutes(settings.pix_rate_locked_minutes),
        expires_at: now + Duration::hours(settings.pix_proof_hours),
        settings_version: in_force.version,
        approvals_needed: needed_at_first(Kind::PixDeposit, usdt, settings.two_person_limit),
    };
    store::insert(tx.conn(), &new, now).await?;
    record(
        tx,
        Some(owner),
        owner,
        "pix_deposit.create",
        json!({ "deposit": new.id, "usdt": usdt, "brl": brl }),
    )
    .await?;
    tell(tx, new.id, false).await?.view(For::Owner)
}

/// A proof for one's own deposit: it enters the queue; also a deposit that had timed out.
///
/// # Errors
/// `request.not_found`; `deposit.state` for what was decided or withdrawn.
pub async fn add_proof(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: PixDepositId,
    received: Received,
) -> Result<PixDepositView, Error> {
    let deposit = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    takes_proof(&deposit)?;
    let now = tx.now();
    let file = files::persist(tx, context, owner, received).await?;
    store::attach_proof(tx.conn(), id, &file, now).await?;
    record(
        tx,
        Some(owner),
        owner,
        "pix_deposit.proof",
        json!({ "deposit": id, "file": file.id }),
    )
    .await?;
    tell(tx, id, true).await?.view(For::Owner)
}

/// Asked before a body is taken in, so that nobody uploads for nothing.
///
/// # Errors
/// As [`add_proof`].
pub async fn expects_proof(tx: &mut Tx, owner: UserId, id: PixDepositId) -> Result<(), Error> {
    let deposit = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    takes_proof(&deposit)
}

fn takes_proof(deposit: &Locked) -> Result<(), Error> {
    match deposit.status {
        Status::Pending | Status::PendingApproval | Status::TimedOut => Ok(()),
        Status::Approved | Status::Rejected | Status::Canceled => Err(Error::code(ErrorCode::DepositState)),
    }
}

/// Withdraws one's own deposit while no proof was sent; doing it twice changes nothing.
///
/// # Errors
/// `request.not_found`; `deposit.state` once a proof was sent.
pub async fn cancel(tx: &mut Tx, owner: UserId, id: PixDepositId) -> Result<PixDepositView, Error> {
    let deposit = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    match deposit.status {
        Status::Canceled => return shown(tx, Scope::Own(owner), id).await?.view(For::Owner),
        Status::Pending => {}
        _ => return Err(Error::code(ErrorCode::DepositState)),
    }
    let now = tx.now();
    store::set_status(tx.conn(), id, Status::Canceled, None, now).await?;
    record(
        tx,
        Some(owner),
        owner,
        "pix_deposit.cancel",
        json!({ "deposit": id }),
    )
    .await?;
    tell(tx, id, false).await?.view(For::Owner)
}

/// Closes up to `max` deposits whose time has ended; returns how many.
///
/// # Errors
/// Whatever the database refuses.
pub async fn time_out(context: &Context, max: i64) -> Result<usize, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let ids = store::time_out(tx.conn(), now, max).await?;
    for id in &ids {
        tell(&mut tx, *id, false).await?;
    }
    tx.commit().await?;
    Ok(ids.len())
}

/// One person's decision. Approved for good, the deposit is credited in this very transaction.
///
/// # Errors
/// `request.not_found`, `deposit.state`, `decision.*`, `pix.end_to_end_id_*`, `amount.*`, `rate.unavailable`.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixDepositId,
    decision: Decision,
) -> Result<PixDepositView, Error> {
    let deposit = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    waits(&deposit)?;
    match decision {
        Decision::Reject(reason) => reject(tx, by, &deposit, &reason).await?,
        Decision::Approve(statement) => approve(context, tx, by, &deposit, statement).await?,
    }
    tell(tx, id, true).await?.view(For::Staff)
}

fn waits(deposit: &Locked) -> Result<(), Error> {
    match deposit.status {
        Status::PendingApproval => Ok(()),
        Status::Approved | Status::Rejected => Err(Error::code(ErrorCode::DecisionDone)),
        _ => Err(Error::code(ErrorCode::DepositState)),
    }
}

/// What an approval binds: the bank's payment, what arrived and what it credits. Without a claim it is as it was asked for.
fn subject<'a>(deposit: &Locked, claim: Option<&'a Claim>) -> Subject<'a> {
    Subject {
        kind: Kind::PixDeposit,
        id: deposit.id.0,
        customer: Some(deposit.owner),
        coin: Brl::CODE,
        destination: claim.map_or("", |c| &c.end_to_end_id),
        amount: claim.map_or_else(|| deposit.brl.to_string(), |c| format!("{}={}", c.brl, c.usdt)),
        usdt: claim.map_or(deposit.usdt, |c| c.usdt),
    }
}

/// A deposit that waits, as the last claim says it or as it was asked for.
///
/// # Errors
/// `request.not_found`, `deposit.state`, `decision.done`.
pub async fn waiting(tx: &mut Tx, by: UserId, id: PixDepositId) -> Result<Waiting, Error> {
    let deposit = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    waits(&deposit)?;
    let claim = store::claim(tx.conn(), id).await?;
    Ok(subject(&deposit, claim.as_ref()).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back(tx: &mut Tx, by: UserId, id: PixDepositId) -> Result<(), Error> {
    let waiting = waiting(tx, by, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::count_words(tx.conn(), id).await?;
    tell(tx, id, true).await?;
    Ok(())
}

async fn reject(tx: &mut Tx, by: UserId, deposit: &Locked, reason: &str) -> Result<(), Error> {
    let reason = approvals::reject(tx, &subject(deposit, None), by, reason).await?;
    let now = tx.now();
    store::set_status(tx.conn(), deposit.id, Status::Rejected, Some(&reason), now).await?;
    let end = End::Refused(by, &reason);
    compliance::end(tx, compliance::service::PIX_DEPOSIT, deposit.id.0, end).await?;
    record(
        tx,
        Some(by),
        deposit.owner,
        "pix_deposit.reject",
        json!({ "deposit": deposit.id }),
    )
    .await
}

async fn approve(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    deposit: &Locked,
    statement: Statement,
) -> Result<(), Error> {
    let now = tx.now();
    let in_force = context.settings.within(tx).await?;
    let payment = payment(tx.now(), deposit, statement)?;
    let known = store::known(tx.conn(), deposit.id, deposit.owner, &payment.id.text).await?;
    // Nobody could take it out any more: it is given back outside. Who leaves at this moment is met by the ledger.
    if known.has_left {
        return Err(Error::code(ErrorCode::AccountClosed));
    }
    let claim = claim(context, tx, deposit, payment, known.claim).await?;
    if known.is_used {
        return Err(refuse("endToEndId", ErrorCode::EndToEndIdUsed));
    }
    if waits_for_a_look(context, tx, deposit, &claim).await? {
        // Kept for whoever approves after the look: the word of somebody who may approve.
        approvals::require_decider(tx, &subject(deposit, Some(&claim)).waiting(), by).await?;
        return store::keep_claim(tx.conn(), deposit.id, &claim, by, None, now).await;
    }
    let subject = subject(deposit, Some(&claim));
    let standing = approvals::approve(tx, &in_force, &subject, by).await?;
    let details = json!({
        "deposit": deposit.id, "usdt": claim.usdt, "brl": claim.brl, "approvals": standing.approvals, "needed": standing.needed,
    });
    record(tx, Some(by), deposit.owner, "pix_deposit.approve", details).await?;
    let approved = store::Approved {
        digest: subject.digest(),
        standing,
        credit: if standing.is_complete() {
            Some(credit(tx, by, deposit, &claim, in_force.version).await?)
        } else {
            None
        },
    };
    store::keep_claim(tx.conn(), deposit.id, &claim, by, Some(&approved), now).await
}

/// The compliance rules look at what comes in too: what they want a person to see becomes a case, and nothing is approved until it
/// is cleared. True when the case was opened just now: nothing is approved, and the approver sees why.
async fn waits_for_a_look(
    context: &Context,
    tx: &mut Tx,
    deposit: &Locked,
    claim: &Claim,
) -> Result<bool, Error> {
    let kind = compliance::service::PIX_DEPOSIT;
    let movement = Movement {
        user: deposit.owner,
        flow: Flow::DepositPix,
        usdt: claim.usdt,
        counterparty: None,
        payer: Some(&claim.payer_name),
    };
    compliance::waits_for_a_look(context, tx, &movement, kind, deposit.id.0).await
}

/// A payment as an approver typed it.
struct Payment {
    id: EndToEndId,
    payer_name: String,
    brl: Brl,
}

/// Checks what an approver typed.
fn payment(now: OffsetDateTime, deposit: &Locked, statement: Statement) -> Result<Payment, Error> {
    let id = EndToEndId::of_payment(&statement.end_to_end_id, deposit.created_at, now)
        .map_err(|code| refuse("endToEndId", code))?;
    let payer_name = text::line(&statement.payer_name)
        .filter(|n| !n.is_empty() && n.chars().count() <= PAYER_NAME)
        .ok_or_else(|| refuse("payerName", ErrorCode::RequestInvalid))?;
    let brl = statement.brl.unwrap_or(deposit.brl);
    if !brl.is_positive() {
        return Err(refuse("brl", ErrorCode::AmountNotPositive));
    }
    amounts::brl_at_most(brl, amounts::MOST_BRL, "brl")?;
    Ok(Payment { id, payer_name, brl })
}

/// What a payment credits.
async fn claim(
    context: &Context,
    tx: &mut Tx,
    deposit: &Locked,
    payment: Payment,
    earlier: Option<Claim>,
) -> Result<Claim, Error> {
    let Payment { id, payer_name, brl } = payment;
    // A second approver confirms what the first one saw, at the rate of that moment.
    if let Some(earlier) = earlier
        && rules::bank_key(&earlier.end_to_end_id) == rules::bank_key(&id.text)
        && earlier.brl == brl
    {
        return Ok(Claim {
            payer_name,
            ..earlier
        });
    }
    let rate: Rate = if id.is_after(deposit.rate_locked_until) {
        rules::rate_for(deposit.rate, rate::within(context, tx).await?.rate, true)
    } else {
        deposit.rate
    };
    let usdt = rules::credited(brl, rate)
        .filter(|u| u.is_positive())
        .ok_or_else(|| refuse("brl", ErrorCode::AmountInvalid))?;
    Ok(Claim {
        end_to_end_id: id.text,
        payer_name,
        brl,
        rate,
        usdt,
    })
}

async fn credit(
    tx: &mut Tx,
    by: UserId,
    deposit: &Locked,
    claim: &Claim,
    settings_version: i32,
) -> Result<TransferId, Error> {
    let exchange = AccountRef::House(HouseAccount::Fx(Fx::Brl));
    let transfer = Transfer::new(
        TransferKind::DepositPix,
        format!("pix_deposit:{}", deposit.id),
        Cause::new(CauseKind::PixDeposit, deposit.id.0),
        Orderer::User(by),
    )
    .settings(settings_version)
    .brl(AccountRef::House(HouseAccount::CustodyPix), -claim.brl)
    .brl(exchange, claim.brl)
    .usdt(exchange, -claim.usdt)
    .usdt(
        AccountRef::User(deposit.owner, UserAccount::Available),
        claim.usdt,
    );
    let posted = ledger::post(tx, transfer).await?;
    guard::note_pix_credit(tx, deposit.owner, deposit.id.0, claim.usdt).await?;
    compliance::note_payer(tx, deposit.owner, &claim.payer_name).await?;
    Ok(posted.id)
}

/// A page of deposits within a scope.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    paging: &crate::foundation::http::Paging,
    sort: &'static str,
) -> Result<(Vec<Shown>, i64), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::list(&mut conn, scope, filter, paging, sort).await
}

/// What was credited of the deposits that the filters let through.
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
pub async fn queue(context: &Context) -> Result<(i64, Option<time::OffsetDateTime>), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::queue(&mut conn).await
}

async fn shown(tx: &mut Tx, scope: Scope, id: PixDepositId) -> Result<Shown, Error> {
    store::shown(tx.conn(), scope, id).await?.ok_or_else(unknown)
}

/// Tells the owner, those who decide when the queue is concerned, and whoever may point at the deposit. Call it last.
pub(super) async fn tell(tx: &mut Tx, id: PixDepositId, queue: bool) -> Result<Shown, Error> {
    let row = store::shown(tx.conn(), Scope::Staff(UserId(uuid::Uuid::nil())), id)
        .await?
        .ok_or_else(unknown)?;
    let own = row.view(For::Owner)?;
    // What a statement's line says of it hangs on that.
    let is_open = matches!(own.status, Status::Pending | Status::PendingApproval);
    if !is_open || row.claim_id.is_some() {
        statements::moved(tx, Moved::Deposit(id))?;
    }
    subjects::upsert(
        tx,
        subjects::Kind::PixDeposit,
        id.0,
        own.user,
        own.credited.unwrap_or(own.usdt),
        own.status.as_str(),
    )
    .await?;
    tx.emit(
        StreamId::User(own.user),
        LiveEvent::PixDepositChanged {
            deposit: Box::new(own),
        },
    );
    if queue {
        let pending = store::pending(tx.conn()).await?;
        let item = QueueItem::PixDeposit {
            deposit: row.view(For::Staff)?,
        };
        tx.emit(
            StreamId::Queue(Queue::PixDeposits),
            LiveEvent::QueueChanged {
                queue: Queue::PixDeposits,
                item: Box::new(item),
                pending,
            },
        );
    }
    Ok(row)
}

pub(super) async fn record(
    tx: &mut Tx,
    actor: Option<UserId>,
    owner: UserId,
    action: &str,
    details: serde_json::Value,
) -> Result<(), Error> {
    audit::record(tx, actor, Some(owner.0), Category::Money, action, details).await
}

/// A limit as a sentence shows it: without decimals that say nothing.
fn whole(limit: Usdt) -> String {
    let text = limit.to_string();
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
