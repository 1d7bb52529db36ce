//! What a customer does with withdrawals: quote, ask, confirm a new rate, cancel; and what time does.

use super::{
    holder,
    rules::{self, Parts},
    store::{self, Filter, Locked, NewWithdrawal, Shown},
};
use crate::{
    approvals::{
        compliance::{self, End},
        guard::{self, Action, Outbound},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        mail::{self, Mail},
        settings::InForce,
        subjects,
        transaction::Tx,
    },
    identity::{caller::Scope, secrets, service as identity},
    ledger::{
        model::{AccountRef, Cause, CauseKind, NewHold, Orderer, UserAccount},
        service as ledger,
    },
    pix::{
        keys::{HolderMatch, PixKey},
        rate::{self, Current},
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{FileId, PixWithdrawalId, UserId},
    live_event::QueueItem,
    money::{Brl, Usdt},
    stream_id::Queue,
    views::{PixKeyKind, PixWithdrawalStatus as Status, PixWithdrawalView},
};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// What waits for a case is named so there.
pub const SUBJECT: &str = "pix_withdrawal";

/// What a customer asks for.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub value: Usdt,
    pub key_kind: PixKeyKind,
    pub key: &'a str,
    pub security_code: Option<&'a str>,
}

/// What it would cost and bring now.
pub struct Quote {
    pub value: Usdt,
    pub parts: Parts,
    pub brl: Brl,
    pub current: Current,
    pub key: PixKey,
    pub holder: HolderMatch,
}

#[track_caller]
pub(super) fn refuse(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

#[track_caller]
pub(super) fn unknown() -> Error {
    Error::code(ErrorCode::RequestNotFound)
}

#[track_caller]
pub(super) fn state() -> Error {
    Error::code(ErrorCode::WithdrawalState)
}

/// What an order would bring now; nothing moves.
///
/// # Errors
/// `withdrawal.invalid`, `balance.insufficient`, `pix.key_invalid`, `pix.document_missing`, `rate.unavailable`.
pub async fn quote(context: &Context, tx: &mut Tx, owner: UserId, order: &Order<'_>) -> Result<Quote, Error> {
    let in_force = context.settings.within(tx).await?;
    let invalid = || refuse("value", ErrorCode::WithdrawalInvalid);
    let parts = rules::parts(order.value, &in_force.settings).ok_or_else(invalid)?;
    let available = AccountRef::User(owner, UserAccount::Available);
    if order.value > ledger::usdt_balance(tx.conn(), available).await? {
        return Err(refuse("value", ErrorCode::BalanceInsufficient));
    }
    let document = holder::document(context, tx.conn(), owner)
        .await?
        .ok_or_else(|| refuse("document", ErrorCode::PixDocumentMissing))?;
    let key =
        PixKey::read(order.key_kind, order.key).ok_or_else(|| refuse("key", ErrorCode::PixKeyInvalid))?;
    let current = rate::within(context, tx).await?;
    let brl = rules::receives(parts.net, current.rate).ok_or_else(invalid)?;
    Ok(Quote {
        value: order.value,
        parts,
        brl,
        current,
        holder: key.against(&document),
        key,
    })
}

/// Asks for money: it passes the guard, is set aside and waits for the approvers.
///
/// # Errors
/// As [`quote`], and the guard's: `code.*`, `outbound.*`, `whitelist.*`.
pub async fn withdraw(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    order: &Order<'_>,
) -> Result<PixWithdrawalView, Error> {
    let quote = quote(context, tx, owner, order).await?;
    let in_force = context.settings.within(tx).await?;
    let amount = quote.value.to_string();
    let out = Outbound {
        user: owner,
        action: Action::PixWithdrawal,
        destination: quote.key.expose(),
        amount: &amount,
        usdt: quote.value,
        drawn: None,
        counterparty: None,
        security_code: order.security_code,
    };
    let verdict = guard::outbound(context, tx, &out).await?;
    let id = PixWithdrawalId::fresh();
    if let Some(case) = verdict.case {
        compliance::attach(tx, case, SUBJECT, id.0).await?;
    }
    hold(context, tx, owner, id, &quote, &in_force, &verdict).await?;
    let details = json!({
        "withdrawal": id, "usdt": quote.value, "fee": quote.parts.fee, "net": quote.parts.net, "brl": quote.brl,
        "keyKind": quote.key.kind(), "review": verdict.review,
    });
    record(tx, Some(owner), owner, "pix_withdrawal.request", details).await?;
    tell(context, tx, id, Some("requested")).await
}

async fn hold(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: PixWithdrawalId,
    quote: &Quote,
    in_force: &InForce,
    verdict: &guard::Verdict,
) -> Result<(), Error> {
    let now = tx.now();
    let held = ledger::hold(
        tx,
        NewHold {
            from: AccountRef::User(owner, UserAccount::Available),
            amount: quote.value.into(),
            key: format!("pix_withdrawal:{id}"),
            cause: Cause::new(CauseKind::Withdrawal, id.0),
            orderer: Orderer::User(owner),
            settings_version: in_force.version,
            // It ends with the withdrawal, which ends by its own job.
            expires_at: None,
        },
    )
    .await
    .map_err(|e| match e.error_code() {
        ErrorCode::BalanceInsufficient => refuse("value", ErrorCode::BalanceInsufficient),
        _ => e,
    })?;
    let settings = &in_force.settings;
    let new = NewWithdrawal {
        id,
        owner,
        key_kind: quote.key.kind(),
        key_sealed: secrets::seal(
            &context.keys,
            &holder::bound_to(owner, "key"),
            quote.key.expose().as_bytes(),
        )?,
        key_mac: holder::mac(&context.keys, "pix-key", quote.key.expose()),
        key_masked: quote.key.masked(),
        holder_match: quote.holder,
        value: quote.value,
        fee: quote.parts.fee,
        net: quote.parts.net,
        brl: quote.brl,
        rate: quote.current.rate,
        rate_source: quote.current.source.as_str(),
        hold: held.id,
        outbound: verdict.id,
        settings_version: in_force.version,
        review: verdict.review,
        approvals_needed: if quote.value > settings.two_person_limit {
            2
        } else {
            1
        },
        expires_at: now + Duration::days(settings.pix_withdrawal_days),
    };
    store::insert(tx.conn(), &new, now).await
}

/// The key of a withdrawal, opened. Seals change with the master key; its MAC says that it is the one that was asked for.
pub(super) fn key_of(context: &Context, withdrawal: &Locked) -> Result<PixKey, Error> {
    let text = secrets::open(
        &context.keys,
        &holder::bound_to(withdrawal.owner, "key"),
        &withdrawal.key_sealed,
    )?;
    std::str::from_utf8(&text)
        .ok()
        .and_then(|text| PixKey::read(withdrawal.key_kind, text))
        .filter(|key| {
            secrets::same(
                &holder::mac(&context.keys, "pix-key", key.expose()),
                &withdrawal.key_mac,
            )
        })
        .ok_or_else(|| Error::internal("a stored key is none"))
}

/// Takes the value at the new rate; back into the approvers' queue.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` when nothing was offered, or something else than `seen`.
pub async fn confirm(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: PixWithdrawalId,
    seen: Brl,
) -> Result<PixWithdrawalView, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    match (withdrawal.status, withdrawal.offer) {
        (Status::AwaitingConfirmation, Some((brl, _))) if brl == seen => {}
        _ => return Err(state()),
    }
    let now = tx.now();
    store::take_offer(tx.conn(), id, now).await?;
    let details = json!({ "withdrawal": id, "brl": seen });
    record(tx, Some(owner), owner, "pix_withdrawal.confirm", details).await?;
    tell(context, tx, id, None).await
}

/// Takes one's request back until it was approved; doing it twice changes nothing.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` once it was decided.
pub async fn cancel(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: PixWithdrawalId,
) -> Result<PixWithdrawalView, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    match withdrawal.status {
        Status::Canceled => return shown(tx, Scope::Own(owner), id).await?.view(),
        Status::Pending | Status::AwaitingConfirmation => {}
        Status::Approved | Status::Rejected | Status::Expired => return Err(state()),
    }
    give_back(tx, &withdrawal, Status::Canceled, None, Orderer::User(owner)).await?;
    let details = json!({ "withdrawal": id });
    record(tx, Some(owner), owner, "pix_withdrawal.cancel", details).await?;
    tell(context, tx, id, None).await
}

/// The money returns, its part of the limits with it.
pub(super) async fn give_back(
    tx: &mut Tx,
    withdrawal: &Locked,
    status: Status,
    reason: Option<&str>,
    orderer: Orderer,
) -> Result<(), Error> {
    let now = tx.now();
    store::set_status(tx.conn(), withdrawal.id, status, reason, now).await?;
    ledger::void_hold(tx, withdrawal.hold, orderer).await?;
    if let Some(outbound) = withdrawal.outbound {
        guard::release(tx, outbound).await?;
    }
    let end = match (status, orderer) {
        (Status::Rejected, Orderer::User(by)) => End::Refused(by, reason.unwrap_or_default()),
        _ => End::Lapsed,
    };
    compliance::end(tx, SUBJECT, withdrawal.id.0, end).await
}

/// Takes back everything that a person asked for and that was not paid: a credit behind it was reversed (docs/rules/ledger.md#reversed-credits). The money
/// is in `available` again. Call it before taking it from there, and [`tell_canceled`] at the end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel_unsent(tx: &mut Tx, owner: UserId, reason: &str) -> Result<Vec<PixWithdrawalId>, Error> {
    let ids = store::unsent(tx.conn(), owner).await?;
    for id in &ids {
        let withdrawal = store::lock(tx.conn(), Scope::Own(owner), *id)
            .await?
            .ok_or_else(unknown)?;
        give_back(tx, &withdrawal, Status::Canceled, Some(reason), Orderer::System).await?;
        let details = json!({ "withdrawal": id });
        record(tx, None, owner, "pix_withdrawal.cancel", details).await?;
    }
    Ok(ids)
}

/// Tells of what [`cancel_unsent`] took back: the queue's lock comes after all of the ledger's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_canceled(context: &Context, tx: &mut Tx, ids: &[PixWithdrawalId]) -> Result<(), Error> {
    for id in ids {
        tell(context, tx, *id, Some("canceled")).await?;
    }
    Ok(())
}

/// Gives back one undecided withdrawal whose time has ended; whether there was one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn expire_one(context: &Context) -> Result<bool, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let Some(id) = store::overdue(tx.conn(), now, 1).await?.pop() else {
        return Ok(false);
    };
    let withdrawal = store::lock(tx.conn(), nobody(), id).await?.ok_or_else(unknown)?;
    give_back(&mut tx, &withdrawal, Status::Expired, None, Orderer::System).await?;
    let details = json!({ "withdrawal": id });
    record(&mut tx, None, withdrawal.owner, "pix_withdrawal.expire", details).await?;
    tell(context, &mut tx, id, Some("expired")).await?;
    tx.commit().await?;
    Ok(true)
}

/// The server itself: sees all, is nobody.
pub(super) const fn nobody() -> Scope {
    Scope::Staff(UserId(uuid::Uuid::nil()))
}

/// A page of withdrawals within a scope.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Shown>, i64), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::list(&mut conn, scope, filter, paging, sort).await
}

/// How many wait for a decision or their payment, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::queue(&mut conn).await
}

/// Whose withdrawal a receipt of payment belongs to.
///
/// # Errors
/// Whatever the database refuses.
pub async fn payment_owner(context: &Context, file: FileId) -> Result<Option<UserId>, Error> {
    store::payment_owner(context.db.pool(), file).await
}

pub(super) async fn shown(tx: &mut Tx, scope: Scope, id: PixWithdrawalId) -> Result<Shown, Error> {
    store::shown(tx.conn(), scope, id).await?.ok_or_else(unknown)
}

/// Tells the owner (by mail as well where `letter` names one), those who decide, and whoever may point at it. Call it last.
pub(super) async fn tell(
    context: &Context,
    tx: &mut Tx,
    id: PixWithdrawalId,
    letter: Option<&'static str>,
) -> Result<PixWithdrawalView, Error> {
    let view = shown(tx, nobody(), id).await?.view()?;
    subjects::upsert(
        tx,
        subjects::Kind::PixWithdrawal,
        id.0,
        view.user,
        view.value,
        view.status.as_str(),
    )
    .await?;
    if let Some(state) = letter {
        let to = identity::recipient(tx, view.user).await?;
        let mail = Mail::PixWithdrawal {
            state,
            value: view.value,
            fee: view.fee,
            brl: view.offer.as_ref().map_or(view.brl, |offer| offer.brl),
            key: view.key.clone(),
            reason: view.reason.clone(),
        };
        mail::send(context, tx, &to, &mail).await?;
    }
    tx.emit(
        StreamId::User(view.user),
        LiveEvent::PixWithdrawalChanged {
            withdrawal: Box::new(view.clone()),
        },
    );
    store::lock_queue(tx.conn()).await?;
    let (pending, _) = store::queue(tx.conn()).await?;
    tx.emit(
        StreamId::Queue(Queue::PixWithdrawals),
        LiveEvent::QueueChanged {
            queue: Queue::PixWithdrawals,
            item: Box::new(QueueItem::PixWithdrawal {
                withdrawal: view.clone(),
            }),
            pending,
        },
    );
    Ok(view)
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
