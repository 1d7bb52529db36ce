//! What those who decide do: approve, reject, have a failed one paid again.

use super::{
    kind::{Bound, Payout, Port},
    rules::{self, State, Step},
    service::{bound, give_back, lock, recheck, record, tell, tell_to, with},
    store,
};
use crate::{
    approvals::{
        compliance::{self, End},
        guard::Verdict,
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{context::Context, settings::InForce, transaction::Tx},
    identity::caller::Scope,
    ledger::model::Orderer,
};
use protocol::{ErrorCode, ids::UserId, money::Usdt};
use serde_json::json;
use uuid::Uuid;

/// A person's decision.
#[derive(Clone, Debug)]
pub enum Decision<Word, Amount> {
    /// With what it brings as it was seen: its owner may have taken another rate meanwhile. None where it cannot move.
    Approve(Word, Option<Amount>),
    Reject(String),
    /// A failed one once more, as it was approved.
    Retry,
}

impl<Word, Amount> Decision<Word, Amount> {
    const fn step(&self) -> Step {
        match self {
            Self::Approve(..) => Step::Approve,
            Self::Reject(_) => Step::Reject,
            Self::Retry => Step::Retry,
        }
    }
}

/// What an approval binds. Whoever pays computes it anew.
pub fn subject<'a, K: Port>(payout: &Payout<K>, bound: &'a Bound) -> Subject<'a> {
    Subject {
        kind: K::DECIDED,
        id: payout.id.into(),
        customer: Some(payout.owner),
        coin: bound.coin,
        destination: &bound.destination,
        amount: bound.receives.clone(),
        usdt: payout.value,
    }
}

/// A person's act about one that was approved, or waits for it. Its worth counted with the approval and does not count again.
pub fn beside<'a, K: Port>(kind: Kind, id: Uuid, payout: &Payout<K>, bound: &'a Bound) -> Subject<'a> {
    Subject {
        kind,
        id,
        usdt: Usdt::ZERO,
        amount: format!("{} of {}", bound.receives, payout.id),
        ..subject(payout, bound)
    }
}

/// Whether a stored one is what was approved, to the letter; its digest.
///
/// # Errors
/// `service.internal` when it is not.
pub fn as_approved<K: Port>(payout: &Payout<K>, bound: &Bound) -> Result<[u8; 32], Error> {
    let digest = subject(payout, bound).digest();
    if payout.digest.as_deref() == Some(digest.as_slice()) {
        Ok(digest)
    } else {
        Err(Error::internal(
            "a withdrawal that differs from what was approved",
        ))
    }
}

/// One that waits for an approval.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.done`.
pub async fn waiting<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: K::Id,
) -> Result<Waiting, Error> {
    let payout = lock::<K>(tx, Scope::Staff(by), id).await?;
    rules::decidable(Step::Approve, payout.state).map_err(Error::code)?;
    Ok(subject(&payout, &bound(context, &payout)?).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back<K: Port>(context: &Context, tx: &mut Tx, by: UserId, id: K::Id) -> Result<(), Error> {
    let waiting = waiting::<K>(context, tx, by, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::count_words::<K>(tx.conn(), id, K::DECIDED).await?;
    tell::<K>(context, tx, id, None).await?;
    Ok(())
}

/// The word that an approved one was not paid, as it waits for whoever speaks next; none where one person's is enough.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`.
pub async fn unpaid<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: K::Id,
) -> Result<Option<Waiting>, Error> {
    let payout = lock::<K>(tx, Scope::Staff(by), id).await?;
    if payout.state != State::Approved {
        return Err(Error::code(ErrorCode::WithdrawalState));
    }
    let Some(kind) = K::unpaid(tx, &payout, by).await? else {
        return Ok(None);
    };
    let bound = bound(context, &payout)?;
    Ok(Some(beside(kind, payout.id.into(), &payout, &bound).waiting()))
}

/// One person's decision.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.*`, what the kind asks of an approver, the guard's refusals, `rate.unavailable`;
/// `decision.changed` where another amount was seen.
pub async fn decide<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: K::Id,
    decision: Decision<K::Word, K::Amount>,
) -> Result<K::View, Error> {
    let payout = lock::<K>(tx, Scope::Staff(by), id).await?;
    decide_locked(context, tx, by, payout, decision).await
}

/// The same of one that the caller has locked.
///
/// # Errors
/// As [`decide`], but for `request.not_found`.
pub async fn decide_locked<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    payout: Payout<K>,
    decision: Decision<K::Word, K::Amount>,
) -> Result<K::View, Error> {
    rules::decidable(decision.step(), payout.state).map_err(Error::code)?;
    match decision {
        Decision::Approve(_, Some(seen)) if seen != payout.amount => {
            Err(Error::code(ErrorCode::DecisionChanged))
        }
        Decision::Approve(word, _) => approve(context, tx, by, payout, word).await,
        Decision::Reject(reason) => reject(context, tx, by, &payout, &reason).await,
        Decision::Retry => retry(context, tx, by, &payout).await,
    }
}

async fn reject<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    payout: &Payout<K>,
    reason: &str,
) -> Result<K::View, Error> {
    let bound = bound(context, payout)?;
    let rejected = subject(payout, &bound);
    let unpaid = match payout.state {
        State::Approved => K::unpaid(tx, payout, by).await?,
        _ => None,
    };
    let reason = if let Some(kind) = unpaid {
        let in_force = context.settings.within(tx).await?;
        let asked = beside(kind, payout.id.into(), payout, &bound);
        let (standing, reason) =
            approvals::approve_to_reject(tx, &in_force, (&asked, &rejected), by, reason).await?;
        if !standing.is_complete() {
            let details = json!({ "withdrawal": payout.id, "approvals": standing.approvals, "needed": standing.needed });
            record::<K>(tx, Some(by), payout.owner, "reject_asked", details).await?;
            return tell::<K>(context, tx, payout.id, None).await;
        }
        reason
    } else {
        approvals::reject(tx, &rejected, by, reason).await?
    };
    give_back(tx, payout, State::Rejected, Some(&reason), Orderer::User(by))
        .await
        .map_err(|error| match error.error_code() {
            // Whoever pays was faster: it is on its way.
            ErrorCode::WithdrawalState => Error::code(ErrorCode::DecisionDone),
            _ => error,
        })?;
    let details = json!({ "withdrawal": payout.id, "was": payout.state.as_str() });
    record::<K>(tx, Some(by), payout.owner, "reject", details).await?;
    tell::<K>(context, tx, payout.id, K::REJECTED).await
}

async fn approve<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    payout: Payout<K>,
    word: K::Word,
) -> Result<K::View, Error> {
    let in_force = context.settings.within(tx).await?;
    let bound = bound(context, &payout)?;
    K::vouched(&payout, &word)?;
    let verdict = recheck(context, tx, &payout, &bound).await?;
    K::payable(context, tx, &payout).await?;
    if let Some((amount, rate)) = moved(context, tx, &payout, &in_force).await? {
        store::offer::<K>(tx.conn(), payout.id, amount, rate).await?;
        let details =
            json!({ "withdrawal": payout.id, "rate": rate.to_string(), (K::AMOUNT): K::noted(amount) });
        record::<K>(tx, Some(by), payout.owner, "requote", details).await?;
        let to = Some(verdict.recipient());
        return tell_to::<K>(context, tx, payout.id, Some("awaiting_confirmation"), to).await;
    }
    let checked = Checked {
        payout,
        bound,
        verdict,
    };
    agree(context, tx, by, checked, word).await
}

/// The first approval of what was opened in this very change, as it was quoted there: nothing has moved since.
///
/// # Errors
/// `decision.*`.
pub async fn approve_opened<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    payout: Payout<K>,
    word: K::Word,
    verdict: Verdict,
) -> Result<K::View, Error> {
    let bound = bound(context, &payout)?;
    K::vouched(&payout, &word)?;
    let checked = Checked {
        payout,
        bound,
        verdict,
    };
    agree(context, tx, by, checked, word).await
}

/// What nothing stands against.
struct Checked<K: Port> {
    payout: Payout<K>,
    bound: Bound,
    verdict: Verdict,
}

async fn agree<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    checked: Checked<K>,
    word: K::Word,
) -> Result<K::View, Error> {
    let Checked {
        payout,
        bound,
        verdict,
    } = checked;
    let (id, in_force) = (payout.id, context.settings.within(tx).await?);
    let subject = subject(&payout, &bound);
    let standing = approvals::approve(tx, &in_force, &subject, by).await?;
    let (digest, now) = (subject.digest(), tx.now());
    store::approve::<K>(tx.conn(), payout.id, &digest, standing, &word, now).await?;
    let mut details = json!({
        "withdrawal": payout.id, "usdt": payout.value, (K::AMOUNT): K::noted(payout.amount), "approvals": standing.approvals,
        "needed": standing.needed,
    });
    with(&mut details, K::of_approval(&payout, &word));
    record::<K>(tx, Some(by), payout.owner, "approve", details).await?;
    let letter = if standing.is_complete() {
        let approved = Payout {
            state: State::Approved,
            digest: Some(digest.to_vec()),
            ..payout
        };
        if approved.has_case {
            // All approvals are there: its case ends with them.
            compliance::end(tx, K::name(), approved.id.into(), End::Cleared(by)).await?;
        }
        // A kind that pays at once does so.
        K::approved(context, tx, by, &approved, word, &verdict).await?
    } else {
        None
    };
    tell_to::<K>(context, tx, id, letter, Some(verdict.recipient())).await
}

/// What its owner is asked to confirm, if the rate has moved by more than is taken without a word.
async fn moved<K: Port>(
    context: &Context,
    tx: &mut Tx,
    payout: &Payout<K>,
    in_force: &InForce,
) -> Result<Option<(K::Amount, K::Rate)>, Error> {
    let rate = K::rate(context, tx, payout).await?;
    let tolerance = in_force.settings.withdrawal_quote_tolerance;
    if !rules::moved(K::units(payout.rate), K::units(rate), tolerance) {
        return Ok(None);
    }
    let amount = K::receives(payout.net, rate).ok_or_else(|| Error::internal("a net that buys nothing"))?;
    Ok(Some((amount, rate)))
}

/// The approvals of before stand.
async fn retry<K: Port>(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    payout: &Payout<K>,
) -> Result<K::View, Error> {
    let bound = bound(context, payout)?;
    approvals::act(tx, &beside(Kind::PayoutRetry, Uuid::now_v7(), payout, &bound), by).await?;
    let _ = recheck(context, tx, payout, &bound).await?;
    let now = tx.now();
    store::set_state::<K>(tx.conn(), payout.id, State::Approved, None, now).await?;
    record::<K>(
        tx,
        Some(by),
        payout.owner,
        "retry",
        json!({ "withdrawal": payout.id }),
    )
    .await?;
    tell::<K>(context, tx, payout.id, None).await
}
