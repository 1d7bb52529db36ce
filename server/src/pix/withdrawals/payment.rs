//! How an approved withdrawal is paid: a person pays at the bank and records its id or a receipt, with the posting.

use super::{
    rules,
    service::{Pix, Word},
    store::{self, NewPayment},
};
use crate::{
    approvals::{guard::Verdict, rules::Kind, service as approvals},
    error::Error,
    foundation::{
        context::Context,
        files::{self, Received},
        settings::{InForce, Settings},
        transaction::Tx,
    },
    identity::caller::Scope,
    ledger::{
        model::{Currency, Fx, HouseAccount, Orderer},
        service as ledger,
    },
    payouts::{
        decisions,
        kind::{Destination, Payout, Quote, Settlement},
        money::{self, Left},
        refuse, refuse_state,
        rules::State,
        service as payouts,
    },
    pix::{
        keys::PixKey,
        rate,
        rules::{EndToEndId, Rate},
        statements::service::{self as statements, Moved},
    },
};
use protocol::{
    ErrorCode,
    ids::{FileId, HoldId, PixWithdrawalId, UserId},
    money::{Brl, Usdt},
    views::PixWithdrawalView,
};
use serde_json::json;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The letter that tells of a payment.
const PAID: &str = "paid";

/// How one knows that the bank has paid.
pub enum Evidence {
    EndToEndId(String),
    Receipt(Received),
}

impl Settlement for Pix {
    const BEGINS: State = State::Pending;

    fn until(settings: &Settings, now: OffsetDateTime) -> OffsetDateTime {
        now + Duration::days(settings.pix_withdrawal_days)
    }

    async fn set_aside(
        tx: &mut Tx,
        id: PixWithdrawalId,
        owner: UserId,
        quote: &Quote<Self>,
        in_force: &InForce,
    ) -> Result<HoldId, Error> {
        money::set_value_aside(tx, id, owner, quote, in_force).await
    }

    async fn give_back(tx: &mut Tx, payout: &Payout<Self>, orderer: Orderer) -> Result<(), Error> {
        ledger::void_hold(tx, payout.held, orderer).await?;
        Ok(())
    }

    async fn unpaid(tx: &mut Tx, payout: &Payout<Self>, by: UserId) -> Result<Option<Kind>, Error> {
        let others = store::seen_by_others(tx.conn(), payout.id, by).await?;
        Ok(others.then_some(Kind::PixUnpaid))
    }

    async fn rate(context: &Context, tx: &mut Tx, _: &Payout<Self>) -> Result<Rate, Error> {
        Ok(rate::within(context, tx).await?.rate)
    }

    fn receives(net: Usdt, rate: Rate) -> Option<Brl> {
        rules::receives(net, rate)
    }

    fn units(rate: Rate) -> i64 {
        rate.0
    }

    async fn approved(
        context: &Context,
        tx: &mut Tx,
        by: UserId,
        payout: &Payout<Self>,
        word: Word,
        verdict: &Verdict,
    ) -> Result<Option<&'static str>, Error> {
        let Some(id) = word.end_to_end_id else {
            return Ok(None);
        };
        post(context, tx, by, payout, Evidence::EndToEndId(id), verdict).await?;
        Ok(Some(PAID))
    }
}

/// The bank has paid what was approved: the held money leaves the books.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.own_money`, `pix.end_to_end_id_*`, `pix.payment_used`,
/// `pix.float_missing`, the guard's refusals: what was held back since the approval is not recorded as paid.
pub async fn pay(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixWithdrawalId,
    evidence: Evidence,
) -> Result<PixWithdrawalView, Error> {
    let payout = payable(tx, by, id).await?;
    let bound = payouts::bound(context, &payout)?;
    let verdict = payouts::recheck(context, tx, &payout, &bound).await?;
    let subject = decisions::beside(Kind::PixPayment, payout.id.into(), &payout, &bound);
    approvals::act(tx, &subject, by).await?;
    post(context, tx, by, &payout, evidence, &verdict).await?;
    payouts::tell_to::<Pix>(context, tx, id, Some(PAID), Some(verdict.recipient())).await
}

/// Asked before a receipt is taken in, so that nobody uploads for nothing.
///
/// # Errors
/// As [`pay`].
pub async fn payable(tx: &mut Tx, by: UserId, id: PixWithdrawalId) -> Result<Payout<Pix>, Error> {
    let payout = payouts::lock::<Pix>(tx, Scope::Staff(by), id).await?;
    if payout.state != State::Approved {
        return Err(refuse_state());
    }
    if by == payout.owner {
        return Err(Error::code(ErrorCode::DecisionOwnMoney));
    }
    Ok(payout)
}

/// Call it behind the payer's decision: the last approval, or the word that the bank has paid.
async fn post(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    payout: &Payout<Pix>,
    evidence: Evidence,
    _: &Verdict,
) -> Result<(), Error> {
    // Whoever pays computes anew what was approved.
    decisions::as_approved(payout, &payouts::bound(context, payout)?)?;
    let now = tx.now();
    let (end_to_end_id, proof): (Option<String>, Option<FileId>) = match evidence {
        Evidence::EndToEndId(typed) => {
            let id = EndToEndId::of_payment(&typed, payout.own.created_at, now)
                .map_err(|code| refuse("endToEndId", code))?;
            (Some(id.text), None)
        }
        Evidence::Receipt(received) => {
            let file = files::persist(tx, context, by, received).await?;
            (None, Some(file.id))
        }
    };
    let left = Left {
        exchange: Fx::Brl,
        custody: HouseAccount::CustodyPix,
        currency: Currency::Brl,
        amount: payout.amount.into(),
    };
    let in_force = context.settings.within(tx).await?;
    let legs = money::legs(payout.net, payout.fee, left, &in_force.settings)?;
    let posted = ledger::post_hold(tx, payout.held, None, legs, Orderer::User(by))
        .await
        .map_err(|e| match e.error_code() {
            // The customer's money is held: what falls short is the house's own.
            ErrorCode::BalanceInsufficient => Error::code(ErrorCode::PixFloatMissing),
            _ => e,
        })?;
    let payment = NewPayment {
        withdrawal: payout.id,
        end_to_end_id: end_to_end_id.as_deref(),
        proof,
        transfer: posted.id,
        brl: payout.amount,
        by,
    };
    store::pay(tx.conn(), &payment, now).await?;
    statements::moved(tx, Moved::Withdrawal(payout.id))?;
    let details =
        json!({ "withdrawal": payout.id, "usdt": payout.value, "brl": payout.amount, "receipt": proof });
    payouts::record::<Pix>(tx, Some(by), payout.owner, "pay", details).await
}

/// The whole key, for the person who pays at the bank; every look is on record.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` once nothing is to be paid; `decision.*`.
pub async fn reveal_key(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixWithdrawalId,
) -> Result<PixKey, Error> {
    let payout = payouts::lock::<Pix>(tx, Scope::Staff(by), id).await?;
    if !matches!(payout.state, State::Pending | State::Approved) {
        return Err(refuse_state());
    }
    let key = Pix::to(context, &payout)?;
    let bound = payouts::bound(context, &payout)?;
    let subject = decisions::beside(Kind::PixKey, Uuid::now_v7(), &payout, &bound);
    approvals::act(tx, &subject, by).await?;
    let now = tx.now();
    store::key_seen(tx.conn(), id, by, now).await?;
    if payout.state == State::Approved {
        // Who asks now is about to pay: the last moment to hear that it may not leave.
        let _ = payouts::recheck(context, tx, &payout, &bound).await?;
    }
    payouts::record::<Pix>(tx, Some(by), payout.owner, "key", json!({ "withdrawal": id })).await?;
    Ok(key)
}
