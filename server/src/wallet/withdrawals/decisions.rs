//! What approvers do: approve, reject, send a failed one again or give it back.

use super::{
    rules,
    service::{SUBJECT, give_back, nobody, payable, rate, record, state, tell, unknown, written},
    store::{self, Locked},
};
use crate::{
    approvals::{
        compliance::{self, End},
        guard::{self, Action, Outbound, Verdict},
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{context::Context, transaction::Tx},
    identity::caller::Scope,
    ledger::model::Orderer,
    wallet::chain::Coin,
};
use protocol::{
    ErrorCode,
    ids::{ChainWithdrawalId, UserId},
    views::{ChainWithdrawalStatus as Status, ChainWithdrawalView},
};
use serde_json::json;

/// A person's decision on a withdrawal.
#[derive(Clone, Debug)]
pub enum Decision {
    Approve,
    Reject(String),
    /// A failed one once more, as it was approved.
    Retry,
}

/// What an approval binds: the coin, the address, the wei that it receives. The signer computes it anew from what it signs.
pub(super) fn subject<'a>(withdrawal: &Locked, destination: &'a str) -> Subject<'a> {
    Subject {
        kind: Kind::CryptoWithdrawal,
        id: withdrawal.id.0,
        customer: Some(withdrawal.owner),
        coin: withdrawal.coin.as_str(),
        destination,
        amount: withdrawal.wei.to_string(),
        usdt: withdrawal.value,
    }
}

/// A withdrawal that waits for an approval.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.done`.
pub async fn waiting(tx: &mut Tx, by: UserId, id: ChainWithdrawalId) -> Result<Waiting, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    match withdrawal.status {
        Status::Pending => Ok(subject(&withdrawal, &written(&withdrawal)).waiting()),
        Status::Approved | Status::Rejected | Status::Sent | Status::Complete => {
            Err(Error::code(ErrorCode::DecisionDone))
        }
        _ => Err(state()),
    }
}

/// The guard's word on what may have changed since the request.
pub(super) async fn recheck(context: &Context, tx: &mut Tx, withdrawal: &Locked) -> Result<Verdict, Error> {
    let destination = written(withdrawal);
    let amount = super::service::bound_amount(withdrawal.value, withdrawal.coin, withdrawal.wei);
    let out = Outbound {
        user: withdrawal.owner,
        action: Action::CryptoWithdrawal,
        destination: &destination,
        amount: &amount,
        usdt: withdrawal.value,
        drawn: None,
        counterparty: None,
        security_code: None,
    };
    guard::recheck(context, tx, &out).await
}

/// One person's decision.
///
/// # Errors
/// `request.not_found`, `withdrawal.state`, `decision.*`, the guard's refusals, `rate.unavailable`, `withdrawal.address_refused`.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: ChainWithdrawalId,
    decision: Decision,
) -> Result<ChainWithdrawalView, Error> {
    let withdrawal = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    match (&decision, withdrawal.status) {
        (Decision::Approve, Status::Pending) | (Decision::Retry, Status::Failed) => {}
        (
            Decision::Reject(_),
            Status::Pending | Status::AwaitingConfirmation | Status::Approved | Status::Failed,
        ) => {}
        (_, Status::Approved | Status::Rejected | Status::Sent | Status::Complete) => {
            return Err(Error::code(ErrorCode::DecisionDone));
        }
        _ => return Err(state()),
    }
    match decision {
        Decision::Approve => approve(context, tx, by, &withdrawal).await,
        Decision::Reject(reason) => reject(context, tx, by, &withdrawal, &reason).await,
        Decision::Retry => retry(context, tx, by, &withdrawal).await,
    }
}

async fn reject(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    withdrawal: &Locked,
    reason: &str,
) -> Result<ChainWithdrawalView, Error> {
    let destination = written(withdrawal);
    let reason = approvals::reject(tx, &subject(withdrawal, &destination), by, reason).await?;
    give_back(tx, withdrawal, Status::Rejected, Some(&reason), Orderer::User(by))
        .await
        .map_err(|error| match error.error_code() {
            // The sender was faster: it is on its way.
            ErrorCode::WithdrawalState => Error::code(ErrorCode::DecisionDone),
            _ => error,
        })?;
    let details = json!({ "withdrawal": withdrawal.id, "was": withdrawal.status });
    record(
        tx,
        Some(by),
        withdrawal.owner,
        "crypto_withdrawal.reject",
        details,
    )
    .await?;
    tell(context, tx, withdrawal.id, Some("rejected")).await
}

async fn approve(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    withdrawal: &Locked,
) -> Result<ChainWithdrawalView, Error> {
    let in_force = context.settings.within(tx).await?;
    // The person who decides is the review that the guard may ask for.
    let _ = recheck(context, tx, withdrawal).await?;
    payable(context, tx, withdrawal.address).await?;
    // PYX leave whole, whatever they are worth by now.
    let current = match withdrawal.coin {
        Coin::Pyx => withdrawal.rate,
        coin => rate(context, coin)?,
    };
    if rules::moved(
        withdrawal.rate,
        current,
        in_force.settings.withdrawal_quote_tolerance,
    ) {
        let wei = rules::receives(withdrawal.net, current)
            .ok_or_else(|| Error::internal("a net that buys nothing"))?;
        store::offer(tx.conn(), withdrawal.id, wei, current).await?;
        let details = json!({ "withdrawal": withdrawal.id, "rate": current, "wei": wei.to_string() });
        record(
            tx,
            Some(by),
            withdrawal.owner,
            "crypto_withdrawal.requote",
            details,
        )
        .await?;
        return tell(context, tx, withdrawal.id, Some("awaiting_confirmation")).await;
    }
    let destination = written(withdrawal);
    let subject = subject(withdrawal, &destination);
    let standing = approvals::approve(tx, &in_force, &subject, by).await?;
    store::set_approvals(
        tx.conn(),
        withdrawal.id,
        &subject.digest(),
        standing.approvals,
        standing.needed,
    )
    .await?;
    let details = json!({
        "withdrawal": withdrawal.id, "usdt": withdrawal.value, "coin": withdrawal.coin, "wei": withdrawal.wei.to_string(),
        "approvals": standing.approvals, "needed": standing.needed,
    });
    record(
        tx,
        Some(by),
        withdrawal.owner,
        "crypto_withdrawal.approve",
        details,
    )
    .await?;
    if standing.is_complete() {
        let now = tx.now();
        store::set_status(tx.conn(), withdrawal.id, Status::Approved, None, now).await?;
        compliance::end(tx, SUBJECT, withdrawal.id.0, End::Cleared(by)).await?;
    }
    tell(context, tx, withdrawal.id, None).await
}

/// The approvals of before stand; the sender gives it a transaction of its own.
async fn retry(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    withdrawal: &Locked,
) -> Result<ChainWithdrawalView, Error> {
    if by == withdrawal.owner {
        return Err(Error::code(ErrorCode::DecisionOwnMoney));
    }
    let _ = recheck(context, tx, withdrawal).await?;
    let now = tx.now();
    store::set_status(tx.conn(), withdrawal.id, Status::Approved, None, now).await?;
    let details = json!({ "withdrawal": withdrawal.id });
    record(tx, Some(by), withdrawal.owner, "crypto_withdrawal.retry", details).await?;
    tell(context, tx, withdrawal.id, None).await
}

/// A withdrawal for the sender, locked.
pub(super) async fn locked(tx: &mut Tx, id: ChainWithdrawalId) -> Result<Locked, Error> {
    store::lock(tx.conn(), nobody(), id).await?.ok_or_else(unknown)
}
