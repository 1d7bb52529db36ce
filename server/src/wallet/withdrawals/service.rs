//! What a customer does with withdrawals: quote, ask, confirm by the mailed link, confirm a new rate, cancel; and what time does.

use super::{
    pyx,
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
    wallet::{
        chain::{Coin, address, wei},
        deposits::rates,
        hot,
        intents::service::chain,
        sender,
    },
};
use alloy::primitives::{Address, U256};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{ChainWithdrawalId, HoldId, UserId},
    live_event::QueueItem,
    money::{Pyx, Usdt},
    stream_id::Queue,
    views::{ChainWithdrawalStatus as Status, ChainWithdrawalView},
};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// What waits for a case is named so there.
pub const SUBJECT: &str = "crypto_withdrawal";

/// What a customer asks for.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub coin: Coin,
    pub address: &'a str,
    /// USDT; of PYX, which have as many decimals, so many PYX.
    pub value: Usdt,
    pub security_code: Option<&'a str>,
}

/// What it would cost and bring now.
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    pub coin: Coin,
    pub address: Address,
    pub value: Usdt,
    pub parts: Parts,
    pub wei: U256,
    pub rate: Usdt,
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

/// The server itself: sees all, is nobody.
pub(super) const fn nobody() -> Scope {
    Scope::Staff(UserId(uuid::Uuid::nil()))
}

/// How an address is written wherever it is bound: in codes, approvals, lists.
pub(super) fn written(withdrawal: &Locked) -> String {
    address::write(withdrawal.address)
}

/// Refuses the addresses at which nobody is paid.
pub(super) async fn payable(context: &Context, tx: &mut Tx, to: Address) -> Result<(), Error> {
    let chain = chain(context)?;
    let (deposit, _) = store::deposit_address(tx.conn(), to).await?;
    if deposit || rules::is_forbidden(to, &chain.contracts, &hot::house(context)) {
        return Err(refuse("address", ErrorCode::AddressRefused));
    }
    Ok(())
}

/// USDT per whole coin now.
pub(super) fn rate(context: &Context, coin: Coin) -> Result<Usdt, Error> {
    rates::current(context, coin).ok_or_else(|| Error::code(ErrorCode::RateUnavailable).retry_after(30))
}

/// What an order would bring now; nothing moves.
///
/// # Errors
/// `withdrawal.invalid`, `withdrawal.address_invalid`, `withdrawal.address_refused`, `balance.insufficient`,
/// `chain.coin_unavailable`, `chain.unavailable`, `rate.unavailable`.
pub async fn quote(context: &Context, tx: &mut Tx, owner: UserId, order: &Order<'_>) -> Result<Quote, Error> {
    let chain = chain(context)?;
    if !rules::COINS.contains(&order.coin) || !chain.contracts.offers(order.coin) {
        return Err(refuse("coin", ErrorCode::CoinUnavailable));
    }
    let to = address::read(order.address).ok_or_else(|| refuse("address", ErrorCode::AddressInvalid))?;
    payable(context, tx, to).await?;
    let in_force = context.settings.within(tx).await?;
    let invalid = || refuse("value", ErrorCode::WithdrawalInvalid);
    if order.coin == Coin::Pyx {
        return pyx::quote(tx, owner, to, Pyx(order.value.0), &in_force.settings).await;
    }
    let parts = rules::parts(order.value, &in_force.settings).ok_or_else(invalid)?;
    let available = AccountRef::User(owner, UserAccount::Available);
    if order.value > ledger::usdt_balance(tx.conn(), available).await? {
        return Err(refuse("value", ErrorCode::BalanceInsufficient));
    }
    let rate = rate(context, order.coin)?;
    let wei = rules::receives(parts.net, rate).ok_or_else(invalid)?;
    Ok(Quote {
        coin: order.coin,
        address: to,
        value: order.value,
        parts,
        wei,
        rate,
    })
}

/// What a code binds of an order, and the mail shows: USDT unless another coin is named. Of PYX their number, whatever they are worth.
#[must_use]
pub fn bound_amount(value: Usdt, coin: Coin, wei: U256) -> String {
    match coin {
        Coin::Usdt => value.to_string(),
        Coin::Pyx => format!("{} PYX", wei::pyx(wei).unwrap_or(Pyx(i64::MAX))),
        other => format!("{value} USDT → {}", other.as_str().to_uppercase()),
    }
}

/// Asks for money: it passes the guard, is set aside, and waits for its mailed link.
///
/// # Errors
/// As [`quote`], and the guard's: `code.*`, `outbound.*`, `whitelist.*`; `request.rate_limited` above the hour's mails.
pub async fn withdraw(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    order: &Order<'_>,
) -> Result<ChainWithdrawalView, Error> {
    let quote = quote(context, tx, owner, order).await?;
    let in_force = context.settings.within(tx).await?;
    let amount = bound_amount(quote.value, quote.coin, quote.wei);
    let destination = address::write(quote.address);
    let out = Outbound {
        user: owner,
        action: Action::CryptoWithdrawal,
        destination: &destination,
        amount: &amount,
        usdt: quote.value,
        drawn: (quote.coin == Coin::Pyx).then_some(quote.parts.fee),
        counterparty: None,
        security_code: order.security_code,
    };
    let verdict = guard::outbound(context, tx, &out).await?;
    let id = ChainWithdrawalId::fresh();
    if let Some(case) = verdict.case {
        compliance::attach(tx, case, SUBJECT, id.0).await?;
    }
    let token = secrets::token();
    hold(context, tx, owner, id, &quote, &in_force, &verdict, &token).await?;
    let details = json!({
        "withdrawal": id, "usdt": quote.value, "fee": quote.parts.fee, "net": quote.parts.net, "coin": quote.coin,
        "address": destination, "wei": quote.wei.to_string(), "review": verdict.review,
    });
    record(tx, Some(owner), owner, "crypto_withdrawal.request", details).await?;
    let view = tell(context, tx, id, None).await?;
    mail_link(context, tx, &view, &token).await?;
    Ok(view)
}

fn link(context: &Context, token: &str) -> [u8; 32] {
    secrets::mac(&context.keys, "withdrawal-link", &[token.as_bytes()])
}

#[allow(clippy::too_many_arguments)] // one step of `withdraw`
async fn hold(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: ChainWithdrawalId,
    quote: &Quote,
    in_force: &InForce,
    verdict: &guard::Verdict,
    token: &str,
) -> Result<(), Error> {
    let now = tx.now();
    let set_aside = |from, amount, key| NewHold {
        from: AccountRef::User(owner, from),
        amount,
        key,
        cause: Cause::new(CauseKind::Withdrawal, id.0),
        orderer: Orderer::User(owner),
        settings_version: in_force.version,
        // It ends with the withdrawal, which ends by its own job.
        expires_at: None,
    };
    let key = format!("crypto_withdrawal:{id}");
    let (hold, fee_hold) = if quote.coin == Coin::Pyx {
        pyx::lock(tx, owner).await?;
        let coins = set_aside(UserAccount::Pyx, pyx::of(quote.wei)?.into(), key.clone());
        let coins = place(tx, coins, ErrorCode::BalanceInsufficient).await?;
        let fee = set_aside(
            UserAccount::Available,
            quote.parts.fee.into(),
            format!("{key}:fee"),
        );
        let fee = if quote.parts.fee.is_zero() {
            None
        } else {
            Some(place(tx, fee, ErrorCode::WithdrawalFeeUncovered).await?)
        };
        ledger::tell_pyx(tx, owner).await?;
        (coins, fee)
    } else {
        let all = set_aside(UserAccount::Available, quote.value.into(), key);
        (place(tx, all, ErrorCode::BalanceInsufficient).await?, None)
    };
    let settings = &in_force.settings;
    let new = NewWithdrawal {
        id,
        owner,
        coin: quote.coin,
        address: quote.address,
        value: quote.value,
        fee: quote.parts.fee,
        net: quote.parts.net,
        wei: quote.wei,
        rate: quote.rate,
        hold,
        fee_hold,
        outbound: verdict.id,
        settings_version: in_force.version,
        review: verdict.review,
        approvals_needed: if quote.value > settings.two_person_limit {
            2
        } else {
            1
        },
        link: link(context, token),
        expires_at: now + Duration::minutes(settings.withdrawal_link_minutes),
    };
    store::insert(tx.conn(), &new, now).await
}

/// A hold; too little is said of the amount, in these words.
async fn place(tx: &mut Tx, new: NewHold, lacks: ErrorCode) -> Result<HoldId, Error> {
    let held = ledger::hold(tx, new).await.map_err(|e| match e.error_code() {
        ErrorCode::BalanceInsufficient => refuse("value", lacks),
        _ => e,
    })?;
    Ok(held.id)
}

async fn mail_link(
    context: &Context,
    tx: &mut Tx,
    view: &ChainWithdrawalView,
    token: &str,
) -> Result<(), Error> {
    let to = identity::recipient(tx, view.user).await?;
    let mail = Mail::CryptoWithdrawalLink {
        value: mailed_value(view),
        fee: view.fee,
        receives: shown_amount(&view.amount, view.coin),
        address: view.address.clone(),
        path: format!("/wallet/my-withdrawals?confirm={}.{token}", view.id),
    };
    mail::send(context, tx, &to, &mail).await?;
    Ok(())
}

/// What a mail calls the withdrawal's value: USDT from the balance, of PYX their number.
fn mailed_value(view: &ChainWithdrawalView) -> String {
    match view.coin {
        Coin::Pyx => shown_amount(&view.amount, view.coin),
        _ => format!("{} USDT", view.value),
    }
}

/// Wei as people read them: whole coins, at most eight decimals, floored.
#[must_use]
pub fn shown_amount(wei: &str, coin: Coin) -> String {
    let digits = format!("{wei:0>19}");
    let (whole, fraction) = digits.split_at(digits.len() - 18);
    let fraction = fraction.get(..8).unwrap_or_default().trim_end_matches('0');
    let fraction = format!("{fraction:0<2}");
    format!("{whole}.{fraction} {}", coin.as_str().to_uppercase())
}

/// A fresh link with its full time; the one before it is good for nothing any more.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` once it is confirmed; `request.rate_limited`.
pub async fn resend(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: ChainWithdrawalId,
) -> Result<ChainWithdrawalView, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    let now = tx.now();
    if withdrawal.status != Status::AwaitingEmail || withdrawal.expires_at <= now {
        return Err(state());
    }
    let in_force = context.settings.within(tx).await?;
    let until = now + Duration::minutes(in_force.settings.withdrawal_link_minutes);
    let token = secrets::token();
    store::set_link(tx.conn(), id, &link(context, &token), until).await?;
    let view = tell(context, tx, id, None).await?;
    mail_link(context, tx, &view, &token).await?;
    Ok(view)
}

/// The mailed link's button: into the approvers' queue. Opening the link alone never comes here.
///
/// # Errors
/// `link.invalid` for a token that is old, used, somebody else's; `withdrawal.state` once its time is over.
pub async fn confirm(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    token: &str,
) -> Result<ChainWithdrawalView, Error> {
    let invalid = || Error::code(ErrorCode::LinkInvalid);
    if token.len() > 64 {
        return Err(invalid());
    }
    let hash = link(context, token);
    let id = store::by_link(tx.conn(), owner, &hash)
        .await?
        .ok_or_else(invalid)?;
    let withdrawal = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(invalid)?;
    // Between the look and the lock another may have used it.
    let same = withdrawal
        .link
        .as_deref()
        .is_some_and(|kept| secrets::same(kept, &hash));
    if withdrawal.status != Status::AwaitingEmail || !same {
        return Err(invalid());
    }
    let now = tx.now();
    if withdrawal.expires_at <= now {
        return Err(state());
    }
    let in_force = context.settings.within(tx).await?;
    let until = now + Duration::days(in_force.settings.crypto_withdrawal_days);
    store::confirm(tx.conn(), id, now, until).await?;
    let details = json!({ "withdrawal": id });
    record(tx, Some(owner), owner, "crypto_withdrawal.confirm", details).await?;
    tell(context, tx, id, None).await
}

/// Takes the amount at the new rate; back into the approvers' queue.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` when nothing was offered, or something else than `seen`.
pub async fn requote(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: ChainWithdrawalId,
    seen: &str,
) -> Result<ChainWithdrawalView, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    match (withdrawal.status, withdrawal.offer) {
        (Status::AwaitingConfirmation, Some((wei, _))) if wei.to_string() == seen => {}
        _ => return Err(state()),
    }
    let now = tx.now();
    store::take_offer(tx.conn(), id, now).await?;
    let details = json!({ "withdrawal": id, "wei": seen });
    record(tx, Some(owner), owner, "crypto_withdrawal.requote_taken", details).await?;
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
    id: ChainWithdrawalId,
) -> Result<ChainWithdrawalView, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    match withdrawal.status {
        Status::Canceled => return shown(tx, Scope::Own(owner), id).await?.view(),
        Status::AwaitingEmail | Status::Pending | Status::AwaitingConfirmation => {}
        _ => return Err(state()),
    }
    give_back(tx, &withdrawal, Status::Canceled, None, Orderer::User(owner)).await?;
    let details = json!({ "withdrawal": id });
    record(tx, Some(owner), owner, "crypto_withdrawal.cancel", details).await?;
    tell(context, tx, id, None).await
}

/// The money returns, its part of the limits with it. What the sender may have signed is not given back.
pub(super) async fn give_back(
    tx: &mut Tx,
    withdrawal: &Locked,
    status: Status,
    reason: Option<&str>,
    orderer: Orderer,
) -> Result<(), Error> {
    if withdrawal.status == Status::Approved
        && let Some(outgoing) = withdrawal.outgoing
    {
        // A failed or dropped one of before stays; a queued one is taken back here; a signed one answers no.
        let living = sender::store::lives(tx.conn(), outgoing).await?;
        if living && !sender::drop_queued(tx, outgoing).await? {
            return Err(state());
        }
    }
    let now = tx.now();
    store::set_status(tx.conn(), withdrawal.id, status, reason, now).await?;
    if withdrawal.coin == Coin::Pyx {
        pyx::lock(tx, withdrawal.owner).await?;
    }
    for hold in [Some(withdrawal.hold), withdrawal.fee_hold].into_iter().flatten() {
        ledger::void_hold(tx, hold, orderer).await?;
    }
    if withdrawal.coin == Coin::Pyx {
        ledger::tell_pyx(tx, withdrawal.owner).await?;
    }
    if let Some(outbound) = withdrawal.outbound {
        guard::release(tx, outbound).await?;
    }
    let end = match (status, orderer) {
        (Status::Rejected, Orderer::User(by)) => End::Refused(by, reason.unwrap_or_default()),
        _ => End::Lapsed,
    };
    compliance::end(tx, SUBJECT, withdrawal.id.0, end).await
}

/// Takes back everything that a person asked for and that cannot be on the chain: a credit behind it was reversed (docs/rules/ledger.md#reversed-credits).
/// The money is in `available` again. Call it before taking it from there, and [`tell_canceled`] at the end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel_unsent(
    tx: &mut Tx,
    owner: UserId,
    reason: &str,
) -> Result<Vec<ChainWithdrawalId>, Error> {
    let mut canceled = Vec::new();
    for id in store::unsent(tx.conn(), owner).await? {
        let withdrawal = store::lock(tx.conn(), Scope::Own(owner), id)
            .await?
            .ok_or_else(unknown)?;
        match give_back(tx, &withdrawal, Status::Canceled, Some(reason), Orderer::System).await {
            Ok(()) => {}
            // The sender was faster.
            Err(error) if error.error_code() == ErrorCode::WithdrawalState => continue,
            Err(error) => return Err(error),
        }
        let details = json!({ "withdrawal": id });
        record(tx, None, owner, "crypto_withdrawal.cancel", details).await?;
        canceled.push(id);
    }
    Ok(canceled)
}

/// Tells of what [`cancel_unsent`] took back: the queue's lock comes after all of the ledger's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_canceled(context: &Context, tx: &mut Tx, ids: &[ChainWithdrawalId]) -> Result<(), Error> {
    for id in ids {
        tell(context, tx, *id, Some("canceled")).await?;
    }
    Ok(())
}

/// Gives back one withdrawal that was not confirmed or decided in time; whether there was one.
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
    record(
        &mut tx,
        None,
        withdrawal.owner,
        "crypto_withdrawal.expire",
        details,
    )
    .await?;
    tell(context, &mut tx, id, Some("expired")).await?;
    tx.commit().await?;
    Ok(true)
}

/// Locks a withdrawal's row.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx, id: ChainWithdrawalId) -> Result<(), Error> {
    store::lock(tx.conn(), nobody(), id).await?;
    Ok(())
}

/// One's own withdrawal.
///
/// # Errors
/// `request.not_found`.
pub async fn own(
    context: &Context,
    owner: UserId,
    id: ChainWithdrawalId,
) -> Result<ChainWithdrawalView, Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::shown(&mut conn, Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?
        .view()
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

/// How many wait for a person, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::queue(&mut conn).await
}

pub(super) async fn shown(tx: &mut Tx, scope: Scope, id: ChainWithdrawalId) -> Result<Shown, Error> {
    store::shown(tx.conn(), scope, id).await?.ok_or_else(unknown)
}

/// Tells the owner (by mail as well where `letter` names one), those who decide, and whoever may point at it. Call it last.
pub(super) async fn tell(
    context: &Context,
    tx: &mut Tx,
    id: ChainWithdrawalId,
    letter: Option<&'static str>,
) -> Result<ChainWithdrawalView, Error> {
    let view = shown(tx, nobody(), id).await?.view()?;
    subjects::upsert(
        tx,
        subjects::Kind::CryptoWithdrawal,
        id.0,
        view.user,
        pyx::worth(&view)?,
        view.status.as_str(),
    )
    .await?;
    if let Some(state) = letter {
        let to = identity::recipient(tx, view.user).await?;
        let amount = view.offer.as_ref().map_or(&view.amount, |offer| &offer.amount);
        let mail = Mail::CryptoWithdrawal {
            state,
            value: mailed_value(&view),
            fee: view.fee,
            receives: shown_amount(amount, view.coin),
            address: view.address.clone(),
            transaction: view
                .transaction
                .clone()
                .filter(|_| view.status == Status::Complete),
            reason: view.reason.clone(),
        };
        mail::send(context, tx, &to, &mail).await?;
    }
    tx.emit(
        StreamId::User(view.user),
        LiveEvent::CryptoWithdrawalChanged {
            withdrawal: Box::new(view.clone()),
        },
    );
    store::lock_queue(tx.conn()).await?;
    let (pending, _) = store::queue(tx.conn()).await?;
    tx.emit(
        StreamId::Queue(Queue::CryptoWithdrawals),
        LiveEvent::QueueChanged {
            queue: Queue::CryptoWithdrawals,
            item: Box::new(QueueItem::CryptoWithdrawal {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_floored() {
        for (wei, coin, text) in [
            ("98000000000000000000", Coin::Usdt, "98.00 USDT"),
            ("163333333333333333", Coin::Bnb, "0.16333333 BNB"),
            ("1", Coin::Bnb, "0.00 BNB"),
            ("1234567890000000000", Coin::Busd, "1.23456789 BUSD"),
        ] {
            assert_eq!(shown_amount(wei, coin), text);
        }
    }
}
