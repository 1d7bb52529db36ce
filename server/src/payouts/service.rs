//! What a customer does with payouts: ask, take a new amount, cancel; what time does, and what a reversed credit does.

use super::{
    kind::{Bound, New, Payout, Port, Quote},
    lists::Filter,
    money, refuse_state,
    rules::State,
    store, unknown,
};
use crate::{
    approvals::{
        compliance::{self, End},
        guard::{self, Inquiry, Outbound, Verdict},
        rules::needed_at_first,
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        listing::DaysReport,
        mail::{self, Recipient},
        settings::InForce,
        subjects,
        transaction::Tx,
    },
    identity::{caller::Scope, service as identity},
    ledger::model::Orderer,
};
use protocol::{ErrorCode, LiveEvent, StreamId, ids::UserId, money::Usdt};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

/// The server itself: sees all, is nobody.
#[must_use]
pub const fn nobody() -> Scope {
    Scope::Staff(UserId(Uuid::nil()))
}

/// What a request would cost and bring now, refused for all that would refuse the request but the code and the compliance rules; nothing moves.
///
/// # Errors
/// As the kind's quote; `balance.insufficient`; `outbound.*`, `whitelist.*`.
pub async fn quote<K: Port>(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    order: &K::Order<'_>,
) -> Result<Quote<K>, Error> {
    let in_force = context.settings.within(tx).await?;
    let quote = K::quote(context, tx, owner, order, &in_force).await?;
    money::affordable(tx, owner, &quote).await?;
    let bound = K::bound(&quote.to, quote.value, quote.parts.net, quote.amount);
    let out = Outbound {
        drawn: K::drawn(&quote),
        ..leaving::<K>(owner, quote.value, &bound)
    };
    guard::foresee(tx, &in_force.settings, &out).await?;
    Ok(quote)
}

/// Asks for money: it passes the guard, is set aside, and waits for its owner's word or for those who decide.
///
/// # Errors
/// As the kind's quote, and the guard's: `code.*`, `outbound.*`, `whitelist.*`; what its letters are refused for.
pub async fn request<K: Port>(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    order: &K::Order<'_>,
    security_code: Option<&str>,
) -> Result<K::View, Error> {
    let in_force = context.settings.within(tx).await?;
    let quote = K::quote(context, tx, owner, order, &in_force).await?;
    let bound = K::bound(&quote.to, quote.value, quote.parts.net, quote.amount);
    let out = Outbound {
        drawn: K::drawn(&quote),
        security_code,
        ..leaving::<K>(owner, quote.value, &bound)
    };
    let verdict = guard::outbound(context, tx, &out).await?;
    let (id, opening) = open(context, tx, owner, owner, &quote, &in_force, Some(&verdict)).await?;
    let to = Some(verdict.recipient());
    let view = tell_to::<K>(context, tx, id, K::REQUESTED, to).await?;
    K::requested(context, tx, &view, &opening, to).await?;
    Ok(view)
}

/// Opens a payout as it was quoted: its money is set aside and its row written. `by` asks for it; who asks for their own money brings
/// the guard's word, see [`request`]. Whoever opens tells, at the end: of what staff ask for the first approval does ([`super::decisions::decide`]).
///
/// # Errors
/// What setting aside is refused for.
pub async fn open<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    owner: UserId,
    quote: &Quote<K>,
    in_force: &InForce,
    verdict: Option<&Verdict>,
) -> Result<(K::Id, K::Opening), Error> {
    let id = K::Id::from(Uuid::now_v7());
    if let Some(case) = verdict.and_then(|verdict| verdict.case) {
        compliance::attach(tx, case, K::name(), id.into()).await?;
    }
    let opening = K::opening(context, owner, quote)?;
    let held = K::set_aside(tx, id, owner, quote, in_force).await?;
    let (now, review) = (tx.now(), verdict.is_some_and(|verdict| verdict.review));
    let new = New {
        id,
        owner,
        quote,
        held: &held,
        opening: &opening,
        outbound: verdict.and_then(|verdict| verdict.id),
        review,
        approvals_needed: needed_at_first(K::DECIDED, quote.value, in_force.settings.two_person_limit),
        settings_version: in_force.version,
        expires_at: K::until(&in_force.settings, now),
    };
    K::insert(tx.conn(), &new, now).await?;
    let mut details = json!({
        "withdrawal": id, "usdt": quote.value, "fee": quote.parts.fee, "net": quote.parts.net,
        (K::AMOUNT): K::noted(quote.amount), "review": review,
    });
    with(&mut details, K::of_request(quote));
    record::<K>(tx, Some(by), owner, "request", details).await?;
    Ok((id, opening))
}

/// Adds a kind's own to what the audit holds.
pub(super) fn with(details: &mut Value, more: Value) {
    if let (Value::Object(details), Value::Object(more)) = (details, more) {
        details.extend(more);
    }
}

/// A payout of one's own, or anybody's for staff, locked.
///
/// # Errors
/// `request.not_found`.
pub async fn lock<K: Port>(tx: &mut Tx, scope: Scope, id: K::Id) -> Result<Payout<K>, Error> {
    K::lock(tx.conn(), scope, id).await?.ok_or_else(unknown)
}

/// How a stored one is written where somebody's word is bound to it.
///
/// # Errors
/// `service.internal` when its destination does not open.
pub fn bound<K: Port>(context: &Context, payout: &Payout<K>) -> Result<Bound, Error> {
    let to = K::to(context, payout)?;
    Ok(K::bound(&to, payout.value, payout.net, payout.amount))
}

/// The guard's word on what may have changed since the request. Who decides is the review that it may ask for.
///
/// # Errors
/// `outbound.*`, `whitelist.*`.
pub async fn recheck<K: Port>(
    context: &Context,
    tx: &mut Tx,
    payout: &Payout<K>,
    bound: &Bound,
) -> Result<Verdict, Error> {
    recheck_of::<K>(context, tx, payout.owner, payout.value, bound).await
}

/// What the guard and the compliance rules see of it, before anything is refused for it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn inquire<'a, K: Port>(
    context: &Context,
    tx: &mut Tx,
    payout: &Payout<K>,
    bound: &'a Bound,
) -> Result<Inquiry<'a>, Error> {
    guard::inquire(context, tx, &leaving::<K>(payout.owner, payout.value, bound)).await
}

/// The guard's word on what is not asked for yet: for a quote whose order brings no factor.
///
/// # Errors
/// As [`recheck`].
pub async fn recheck_of<K: Port>(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    value: Usdt,
    bound: &Bound,
) -> Result<Verdict, Error> {
    guard::recheck(context, tx, &leaving::<K>(owner, value, bound)).await
}

/// What the guard looks at, without a factor.
fn leaving<K: Port>(owner: UserId, value: Usdt, bound: &Bound) -> Outbound<'_> {
    Outbound {
        user: owner,
        action: K::ACTION,
        destination: &bound.destination,
        amount: &bound.amount,
        usdt: value,
        drawn: None,
        counterparty: None,
        security_code: None,
    }
}

/// Takes the amount at the new rate, if it is the one that was `seen`; back into the queue of those who decide.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` when nothing was offered, or something else.
pub async fn requote<K: Port>(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: K::Id,
    seen: impl FnOnce(K::Amount) -> bool,
) -> Result<K::View, Error> {
    let payout = lock::<K>(tx, Scope::Own(owner), id).await?;
    let amount = match (payout.state, payout.offer) {
        (State::AwaitingConfirmation, Some((amount, _))) if seen(amount) => amount,
        _ => return Err(refuse_state()),
    };
    let now = tx.now();
    store::take_offer::<K>(tx.conn(), id, now).await?;
    let details = json!({ "withdrawal": id, (K::AMOUNT): K::noted(amount) });
    record::<K>(tx, Some(owner), owner, K::TAKEN, details).await?;
    tell::<K>(context, tx, id, None).await
}

/// Takes one's request back until it was approved; doing it twice changes nothing.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` once it was decided.
pub async fn cancel<K: Port>(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: K::Id,
) -> Result<K::View, Error> {
    let payout = lock::<K>(tx, Scope::Own(owner), id).await?;
    if payout.state == State::Canceled {
        return K::view(&shown::<K>(tx, Scope::Own(owner), id).await?);
    }
    if !payout.state.is_undecided() {
        return Err(refuse_state());
    }
    give_back(tx, &payout, State::Canceled, None, Orderer::User(owner)).await?;
    record::<K>(tx, Some(owner), owner, "cancel", json!({ "withdrawal": id })).await?;
    tell::<K>(context, tx, id, None).await
}

/// The money returns, its part of the limits with it. What may have been paid is not given back.
///
/// # Errors
/// `withdrawal.state` for what may have been paid.
pub(super) async fn give_back<K: Port>(
    tx: &mut Tx,
    payout: &Payout<K>,
    state: State,
    reason: Option<&str>,
    orderer: Orderer,
) -> Result<(), Error> {
    if payout.state == State::Approved {
        K::retract(tx, payout).await?;
    }
    let now = tx.now();
    store::set_state::<K>(tx.conn(), payout.id, state, reason, now).await?;
    K::give_back(tx, payout, orderer).await?;
    if let Some(outbound) = payout.outbound {
        guard::release(tx, outbound).await?;
    }
    if !payout.has_case {
        return Ok(());
    }
    let end = match (state, orderer) {
        (State::Rejected, Orderer::User(by)) => End::Refused(by, reason.unwrap_or_default()),
        _ => End::Lapsed,
    };
    compliance::end(tx, K::name(), payout.id.into(), end).await
}

/// Holds what a person has asked for and not got, until the change ends.
///
/// # Errors
/// Whatever the database refuses.
pub async fn hold_unsent<K: Port>(tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    store::unsent::<K>(tx.conn(), owner).await?;
    Ok(())
}

/// Takes back everything that a person asked for and that was certainly not paid: a credit behind it was reversed
/// (docs/rules/ledger.md#reversed-credits). The money is in `available` again. Call it before taking it from there, and
/// [`tell_canceled`] at the end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel_unsent<K: Port>(tx: &mut Tx, owner: UserId, reason: &str) -> Result<Vec<Uuid>, Error> {
    let mut canceled = Vec::new();
    for id in store::unsent::<K>(tx.conn(), owner).await? {
        let payout = lock::<K>(tx, Scope::Own(owner), id).await?;
        match give_back(tx, &payout, State::Canceled, Some(reason), Orderer::System).await {
            Ok(()) => {}
            // Whoever pays was faster.
            Err(error) if error.error_code() == ErrorCode::WithdrawalState => continue,
            Err(error) => return Err(error),
        }
        record::<K>(tx, None, owner, "cancel", json!({ "withdrawal": id })).await?;
        canceled.push(id.into());
    }
    Ok(canceled)
}

/// Tells of what [`cancel_unsent`] took back: the queue's lock comes after all of the ledger's. Its letters come after all queues' locks:
/// [`write_of_canceled`].
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_canceled<K: Port>(context: &Context, tx: &mut Tx, ids: &[Uuid]) -> Result<(), Error> {
    for id in ids {
        tell::<K>(context, tx, K::Id::from(*id), None).await?;
    }
    Ok(())
}

/// The letters of what [`tell_canceled`] told.
///
/// # Errors
/// Whatever the database refuses.
pub async fn write_of_canceled<K: Port>(context: &Context, tx: &mut Tx, ids: &[Uuid]) -> Result<(), Error> {
    for id in ids {
        let row = shown::<K>(tx, nobody(), K::Id::from(*id)).await?;
        let letter = K::letter(&K::view(&row)?, "canceled");
        let to = identity::recipient(tx, UserId(row.as_ref().owner)).await?;
        mail::send(context, tx, &to, &letter).await?;
    }
    Ok(())
}

/// Gives back one that was not confirmed or decided in time; whether there was one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn expire_one<K: Port>(context: &Context) -> Result<bool, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let Some(id) = store::overdue::<K>(tx.conn(), now).await? else {
        return Ok(false);
    };
    let payout = lock::<K>(&mut tx, nobody(), id).await?;
    give_back(&mut tx, &payout, State::Expired, None, Orderer::System).await?;
    let details = json!({ "withdrawal": id });
    record::<K>(&mut tx, None, payout.owner, "expire", details).await?;
    tell::<K>(context, &mut tx, id, Some("expired")).await?;
    tx.commit().await?;
    Ok(true)
}

/// One's own.
///
/// # Errors
/// `request.not_found`.
pub async fn own<K: Port>(context: &Context, owner: UserId, id: K::Id) -> Result<K::View, Error> {
    let mut conn = context.db.pool().acquire().await?;
    let found = store::shown::<K>(&mut conn, Scope::Own(owner), id).await?;
    K::view(&found.ok_or_else(unknown)?)
}

/// A page within a scope.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list<K: Port>(
    context: &Context,
    scope: Scope,
    filter: &Filter<K>,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<K::Shown>, i64), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::list(&mut conn, scope, filter, paging, sort).await
}

/// What has left of the payouts that the filters let through, by the day on which it was asked for.
///
/// # Errors
/// Whatever the database refuses.
pub async fn paid<K: Port>(context: &Context, scope: Scope, filter: &Filter<K>) -> Result<DaysReport, Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::paid(&mut conn, scope, filter).await
}

/// How many wait for a person, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue<K: Port>(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::queue::<K>(&mut conn).await
}

async fn shown<K: Port>(tx: &mut Tx, scope: Scope, id: K::Id) -> Result<K::Shown, Error> {
    store::shown::<K>(tx.conn(), scope, id).await?.ok_or_else(unknown)
}

/// Tells the owner (by mail as well where `letter` names one), those who decide, and whoever may point at it. Call it last.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell<K: Port>(
    context: &Context,
    tx: &mut Tx,
    id: K::Id,
    letter: Option<&'static str>,
) -> Result<K::View, Error> {
    tell_to::<K>(context, tx, id, letter, None).await
}

/// As [`tell`], where it is known already who gets the letter.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_to<K: Port>(
    context: &Context,
    tx: &mut Tx,
    id: K::Id,
    letter: Option<&'static str>,
    recipient: Option<&Recipient>,
) -> Result<K::View, Error> {
    let (row, pending) = store::told::<K>(tx.conn(), id).await?.ok_or_else(unknown)?;
    let view = K::view(&row)?;
    let line = row.as_ref();
    let owner = UserId(line.owner);
    if let Some(kind) = K::POINTED {
        subjects::upsert(tx, kind, id.into(), owner, K::worth(&view)?, &line.status).await?;
    }
    if let Some(state) = letter {
        let letter = K::letter(&view, state);
        let to = match recipient {
            Some(to) => to.clone(),
            None => identity::recipient(tx, owner).await?,
        };
        mail::send(context, tx, &to, &letter).await?;
    }
    if let Some(event) = K::changed(&view) {
        tx.emit(StreamId::User(owner), event);
    }
    tx.emit(
        StreamId::Queue(K::QUEUE),
        LiveEvent::QueueChanged {
            queue: K::QUEUE,
            item: Box::new(K::item(&view)),
            pending,
        },
    );
    Ok(view)
}

/// A line of the audit, under the kind's name.
///
/// # Errors
/// Whatever the database refuses.
pub async fn record<K: Port>(
    tx: &mut Tx,
    actor: Option<UserId>,
    owner: UserId,
    deed: &str,
    details: Value,
) -> Result<(), Error> {
    let action = format!("{}.{deed}", K::name());
    audit::record(tx, actor, Some(owner.0), Category::Money, &action, details).await
}
