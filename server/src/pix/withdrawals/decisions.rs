//! What approvers do: decide, pay, and say that a payment failed.

use super::{
    rules,
    service::{SUBJECT, give_back, key_of, nobody, record, refuse, state, tell, unknown},
    store::{self, Locked, NewPayment},
};
use crate::{
    approvals::{
        compliance::{self, End},
        guard::{self, Action, Outbound, Verdict},
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        context::Context,
        files::{self, Received},
        transaction::Tx,
    },
    identity::caller::Scope,
    ledger::{
        model::{AccountRef, Currency, Fx, HouseAccount, Leg, Orderer},
        service as ledger,
    },
    pix::{
        keys::{HolderMatch, PixKey},
        rate,
        rules::EndToEndId,
    },
};
use protocol::{
    ErrorCode,
    ids::{FileId, PixWithdrawalId, UserId},
    money::Brl,
    views::{PixWithdrawalStatus as Status, PixWithdrawalView},
};
use serde_json::json;
use time::Duration;

/// Clocks of banks and ours differ; a payment from a later future is a slip of the hand.
const CLOCKS_DIFFER: Duration = Duration::minutes(10);

/// A person's decision on a withdrawal.
#[derive(Clone, Debug)]
pub enum Decision {
    Approve {
        /// The approver knows whose key it is.
        holder_checked: bool,
        /// The bank's id, when it was paid at once.
        end_to_end_id: Option<String>,
    },
    Reject(String),
}

/// How one knows that the bank has paid.
pub enum Evidence {
    EndToEndId(String),
    Receipt(Received),
}

/// What an approval binds: the key, what it receives, what leaves the books.
fn subject<'a>(withdrawal: &Locked, key: &'a PixKey) -> Subject<'a> {
    Subject {
        kind: Kind::PixWithdrawal,
        id: withdrawal.id.0,
        customer: Some(withdrawal.owner),
        coin: Brl::CODE,
        destination: key.expose(),
        amount: format!("{}={}", withdrawal.brl, withdrawal.net),
        usdt: withdrawal.value,
    }
}

/// A withdrawal that waits for an approval.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.done`.
pub async fn waiting(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixWithdrawalId,
) -> Result<Waiting, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    match withdrawal.status {
        Status::Pending => Ok(subject(&withdrawal, &key_of(context, &withdrawal)?).waiting()),
        Status::Approved | Status::Rejected => Err(Error::code(ErrorCode::DecisionDone)),
        _ => Err(state()),
    }
}

/// The guard's word on what may have changed since the request. The person who decides is the review that it may ask for.
async fn recheck(
    context: &Context,
    tx: &mut Tx,
    withdrawal: &Locked,
    key: &PixKey,
) -> Result<Verdict, Error> {
    let amount = withdrawal.value.to_string();
    let out = Outbound {
        user: withdrawal.owner,
        action: Action::PixWithdrawal,
        destination: key.expose(),
        amount: &amount,
        usdt: withdrawal.value,
        drawn: None,
        counterparty: None,
        security_code: None,
    };
    guard::recheck(context, tx, &out).await
}

/// One person's decision. What was approved but could not be paid may still be rejected: its money returns.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.*`, `pix.holder_unchecked`, the guard's refusals, `rate.unavailable`.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixWithdrawalId,
    decision: Decision,
) -> Result<PixWithdrawalView, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    match (&decision, withdrawal.status, withdrawal.paid) {
        (Decision::Approve { .. }, Status::Pending, _) => {}
        (Decision::Reject(_), Status::Pending | Status::AwaitingConfirmation, _)
        | (Decision::Reject(_), Status::Approved, false) => {}
        (_, Status::Approved | Status::Rejected, _) => return Err(Error::code(ErrorCode::DecisionDone)),
        _ => return Err(state()),
    }
    match decision {
        Decision::Reject(reason) => reject(context, tx, by, &withdrawal, &reason).await,
        Decision::Approve {
            holder_checked,
            end_to_end_id,
        } => {
            let evidence = end_to_end_id.map(Evidence::EndToEndId);
            approve(context, tx, by, &withdrawal, holder_checked, evidence).await
        }
    }
}

async fn reject(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    withdrawal: &Locked,
    reason: &str,
) -> Result<PixWithdrawalView, Error> {
    let key = key_of(context, withdrawal)?;
    let reason = approvals::reject(tx, &subject(withdrawal, &key), by, reason).await?;
    give_back(tx, withdrawal, Status::Rejected, Some(&reason), Orderer::User(by)).await?;
    let details = json!({ "withdrawal": withdrawal.id, "approved": withdrawal.status == Status::Approved });
    record(tx, Some(by), withdrawal.owner, "pix_withdrawal.reject", details).await?;
    tell(context, tx, withdrawal.id, Some("rejected")).await
}

async fn approve(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    withdrawal: &Locked,
    holder_checked: bool,
    evidence: Option<Evidence>,
) -> Result<PixWithdrawalView, Error> {
    let now = tx.now();
    let in_force = context.settings.within(tx).await?;
    let key = key_of(context, withdrawal)?;
    if withdrawal.holder_match != HolderMatch::Matches && !holder_checked {
        return Err(refuse("holderChecked", ErrorCode::PixHolderUnchecked));
    }
    let verdict = recheck(context, tx, withdrawal, &key).await?;
    let current = rate::within(context, tx).await?;
    if rules::moved(
        withdrawal.rate,
        current.rate,
        in_force.settings.withdrawal_quote_tolerance,
    ) {
        let brl = rules::receives(withdrawal.net, current.rate)
            .ok_or_else(|| Error::internal("a net that buys nothing"))?;
        store::offer(tx.conn(), withdrawal.id, brl, current.rate).await?;
        let details = json!({ "withdrawal": withdrawal.id, "rate": current.rate.to_string(), "brl": brl });
        record(tx, Some(by), withdrawal.owner, "pix_withdrawal.requote", details).await?;
        return tell(context, tx, withdrawal.id, Some("awaiting_confirmation")).await;
    }
    let subject = subject(withdrawal, &key);
    let standing = approvals::approve(tx, &in_force, &subject, by).await?;
    store::set_approvals(
        tx.conn(),
        withdrawal.id,
        &subject.digest(),
        standing.approvals,
        standing.needed,
        holder_checked,
    )
    .await?;
    let details = json!({
        "withdrawal": withdrawal.id, "usdt": withdrawal.value, "brl": withdrawal.brl, "approvals": standing.approvals,
        "needed": standing.needed, "holderChecked": holder_checked,
    });
    record(tx, Some(by), withdrawal.owner, "pix_withdrawal.approve", details).await?;
    if !standing.is_complete() {
        return tell(context, tx, withdrawal.id, None).await;
    }
    store::set_status(tx.conn(), withdrawal.id, Status::Approved, None, now).await?;
    compliance::end(tx, SUBJECT, withdrawal.id.0, End::Cleared(by)).await?;
    match evidence {
        None => tell(context, tx, withdrawal.id, None).await,
        Some(evidence) => {
            let approved = store::lock(tx.conn(), nobody(), withdrawal.id)
                .await?
                .ok_or_else(unknown)?;
            post(context, tx, by, &approved, evidence, &verdict).await
        }
    }
}

/// The bank has paid what was approved: the held money leaves the books.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.own_money`, `pix.end_to_end_id_invalid`, `pix.payment_used`,
/// `pix.float_missing`, the guard's refusals: what was held back since the approval is not recorded as paid.
pub async fn pay(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixWithdrawalId,
    evidence: Evidence,
) -> Result<PixWithdrawalView, Error> {
    let withdrawal = payable(tx, by, id).await?;
    let key = key_of(context, &withdrawal)?;
    let verdict = recheck(context, tx, &withdrawal, &key).await?;
    post(context, tx, by, &withdrawal, evidence, &verdict).await
}

/// Asked before a receipt is taken in, so that nobody uploads for nothing.
///
/// # Errors
/// As [`pay`].
pub async fn payable(tx: &mut Tx, by: UserId, id: PixWithdrawalId) -> Result<Locked, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    if withdrawal.status != Status::Approved || withdrawal.paid {
        return Err(state());
    }
    Ok(withdrawal)
}

async fn post(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    withdrawal: &Locked,
    evidence: Evidence,
    _: &Verdict,
) -> Result<PixWithdrawalView, Error> {
    if by == withdrawal.owner {
        return Err(Error::code(ErrorCode::DecisionOwnMoney));
    }
    let key = key_of(context, withdrawal)?;
    // Whoever pays computes anew what was approved.
    if withdrawal.digest.as_deref() != Some(subject(withdrawal, &key).digest().as_slice()) {
        return Err(Error::internal(
            "a withdrawal that differs from what was approved",
        ));
    }
    let now = tx.now();
    let (end_to_end_id, proof): (Option<String>, Option<FileId>) = match evidence {
        Evidence::EndToEndId(typed) => {
            let id = EndToEndId::read(&typed)
                .filter(|id| id.at <= now + CLOCKS_DIFFER)
                .ok_or_else(|| refuse("endToEndId", ErrorCode::EndToEndIdInvalid))?;
            (Some(id.text), None)
        }
        Evidence::Receipt(received) => {
            let file = files::persist(tx, context, by, received).await?;
            (None, Some(file.id))
        }
    };
    let in_force = context.settings.within(tx).await?;
    let (fund, house) = rules::fee_parts(withdrawal.fee, in_force.settings.fee_network_fund_share)
        .ok_or_else(|| Error::internal("a fee that cannot be divided"))?;
    let account = |account| AccountRef::House(account);
    let usdt = |account: AccountRef, amount: protocol::money::Usdt| Leg {
        account,
        currency: Currency::Usdt,
        amount: amount.into(),
    };
    let brl = |account: AccountRef, amount: Brl| Leg {
        account,
        currency: Currency::Brl,
        amount: amount.into(),
    };
    let exchange = account(HouseAccount::Fx(Fx::Brl));
    let legs: Vec<Leg> = [
        usdt(exchange, withdrawal.net),
        usdt(account(HouseAccount::NetworkFund), fund),
        usdt(account(HouseAccount::WithdrawalFees), house),
        brl(exchange, -withdrawal.brl),
        brl(account(HouseAccount::CustodyPix), withdrawal.brl),
    ]
    .into_iter()
    .filter(|leg| leg.amount.0 != 0)
    .collect();
    let posted = ledger::post_hold(tx, withdrawal.hold, None, legs, Orderer::User(by))
        .await
        .map_err(|e| match e.error_code() {
            // The customer's money is held: what falls short is the house's own.
            ErrorCode::BalanceInsufficient => Error::code(ErrorCode::PixFloatMissing),
            _ => e,
        })?;
    let payment = NewPayment {
        withdrawal: withdrawal.id,
        end_to_end_id: end_to_end_id.as_deref(),
        proof,
        transfer: posted.id,
        brl: withdrawal.brl,
        by,
    };
    store::pay(tx.conn(), &payment, now).await?;
    let details = json!({ "withdrawal": withdrawal.id, "usdt": withdrawal.value, "brl": withdrawal.brl, "receipt": proof });
    record(tx, Some(by), withdrawal.owner, "pix_withdrawal.pay", details).await?;
    tell(context, tx, withdrawal.id, Some("paid")).await
}

/// The whole key, for the person who pays at the bank; every look is on record.
///
/// # Errors
/// `request.not_found`; `withdrawal.state` once nothing is to be paid.
pub async fn reveal_key(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixWithdrawalId,
) -> Result<PixKey, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    let open = matches!(withdrawal.status, Status::Pending | Status::Approved) && !withdrawal.paid;
    if !open {
        return Err(state());
    }
    let key = key_of(context, &withdrawal)?;
    if withdrawal.status == Status::Approved {
        // Who asks now is about to pay: the last moment to hear that it may not leave.
        let _ = recheck(context, tx, &withdrawal, &key).await?;
    }
    let details = json!({ "withdrawal": id });
    record(tx, Some(by), withdrawal.owner, "pix_withdrawal.key", details).await?;
    Ok(key)
}
