//! A credit that a bank took back.

use super::{
    service::{record, tell, unknown},
    store::{self, Claim, For, Locked},
};
use crate::{
    approvals::{
        guard,
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
        unsent,
    },
    error::Error,
    foundation::{context::Context, text, transaction::Tx},
    identity::caller::Scope,
    ledger::{
        model::{AccountRef, Cause, CauseKind, Currency, Fx, HouseAccount, Leg, Orderer, UserAccount},
        service as ledger,
    },
    licences::claw_back::{ClawBack, claw_back},
};
use protocol::{
    ErrorCode,
    ids::{PixDepositId, TransferId, UserId},
    money::{Brl, Usdt},
    views::{PixDepositStatus as Status, PixDepositView},
};
use serde_json::json;
use time::OffsetDateTime;

/// What those who take a credit back agree to.
fn reversal<'a>(deposit: &Locked, claim: &'a Claim) -> Subject<'a> {
    Subject {
        kind: Kind::PixReversal,
        id: deposit.id.0,
        customer: Some(deposit.owner),
        coin: "BRL",
        destination: &claim.end_to_end_id,
        amount: claim.brl.to_string(),
        usdt: claim.usdt,
    }
}

/// A credit that may be taken back, with its booking, its moment and what was credited.
async fn credited(
    tx: &mut Tx,
    by: UserId,
    id: PixDepositId,
) -> Result<(Locked, TransferId, OffsetDateTime, Claim), Error> {
    let deposit = store::lock(tx.conn(), Scope::Staff(by), id)
        .await?
        .ok_or_else(unknown)?;
    if deposit.status != Status::Approved || deposit.reversed {
        return Err(Error::code(ErrorCode::DepositState));
    }
    let (transfer, since, claim) = store::credit(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("approved without a credit"))?;
    Ok((deposit, transfer, since, claim))
}

/// What would be taken back.
///
/// # Errors
/// `request.not_found`, `deposit.state`.
pub async fn waiting(tx: &mut Tx, by: UserId, id: PixDepositId) -> Result<Waiting, Error> {
    let (deposit, _, _, claim) = credited(tx, by, id).await?;
    Ok(reversal(&deposit, &claim).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back_word(tx: &mut Tx, by: UserId, id: PixDepositId) -> Result<(), Error> {
    let waiting = waiting(tx, by, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::touch(tx.conn(), id).await?;
    tell(tx, id, true).await?;
    Ok(())
}

/// The bank took the money back: by as many as the credit takes, the credit is undone, and what was spent of it is taken back
/// (docs/rules/ledger.md#reversed-credits). The first of two says why and the second agrees; nothing has moved until then.
///
/// # Errors
/// `request.not_found`, `deposit.state` for what was never credited or already taken back, `decision.*`; `balance.insufficient` when the owner moved money at the same moment: to be tried again in a new change.
pub async fn reverse(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PixDepositId,
    reason: &str,
) -> Result<PixDepositView, Error> {
    let (deposit, transfer, since, claim) = credited(tx, by, id).await?;
    let spent = ledger::usdt_balance(tx.conn(), available(deposit.owner)).await? < claim.usdt;
    if spent {
        // What is taken back below is held before the person's lock, which the decision takes: so does who decides about one of these.
        unsent::hold(context, tx, deposit.owner).await?;
    }
    let in_force = context.settings.within(tx).await?;
    // Who agrees to what another asked for need not say why again.
    let said = if reason.trim().is_empty() {
        let first = approvals::asked(tx.conn(), Kind::PixReversal, id.0).await?;
        first.and_then(|asked| asked.reason)
    } else {
        None
    };
    let reason = text::reason(said.as_deref().unwrap_or(reason), "reason")?;
    let subject = reversal(&deposit, &claim);
    let standing = approvals::approve_because(tx, &in_force, &subject, by, &reason).await?;
    if !standing.is_complete() {
        let details = json!({ "deposit": id, "usdt": claim.usdt, "approvals": standing.approvals, "needed": standing.needed });
        record(tx, Some(by), deposit.owner, "pix_deposit.reversal_asked", details).await?;
        store::touch(tx.conn(), id).await?;
        return tell(tx, id, true).await?.view(For::Staff);
    }
    guard::forget_pix_credit(tx, id.0).await?;
    // What was asked for but not paid comes back first.
    let canceled = if spent {
        Some(unsent::cancel(context, tx, deposit.owner, &reason).await?)
    } else {
        None
    };
    let whole = !spent || ledger::usdt_balance(tx.conn(), available(deposit.owner)).await? >= claim.usdt;
    let debt = if whole {
        ledger::reverse(tx, transfer, Orderer::User(by), &reason).await?;
        Usdt::ZERO
    } else {
        take_back(context, tx, by, &deposit, &claim, since).await?
    };
    let now = tx.now();
    store::set_reversed(tx.conn(), id, &reason, now).await?;
    record(
        tx,
        Some(by),
        deposit.owner,
        "pix_deposit.reverse",
        json!({ "deposit": id, "usdt": claim.usdt, "debt": debt }),
    )
    .await?;
    let told = tell(tx, id, false).await?;
    if let Some(canceled) = &canceled {
        unsent::tell(context, tx, canceled).await?;
    }
    told.view(For::Staff)
}

const fn available(owner: UserId) -> AccountRef {
    AccountRef::User(owner, UserAccount::Available)
}

/// What was spent is taken back as far as it can be. Returns what is owed then.
async fn take_back(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    deposit: &Locked,
    claim: &Claim,
    since: OffsetDateTime,
) -> Result<Usdt, Error> {
    let exchange = AccountRef::House(HouseAccount::Fx(Fx::Brl));
    let leg = |account, amount: Brl| Leg {
        account,
        currency: Currency::Brl,
        amount: amount.into(),
    };
    let order = ClawBack {
        user: deposit.owner,
        amount: claim.usdt,
        since,
        to: exchange,
        losses: HouseAccount::PixLosses,
        key: format!("pix_claw_back:{}", deposit.id),
        cause: Cause::new(CauseKind::PixDeposit, deposit.id.0),
        orderer: Orderer::User(by),
        beside: vec![
            leg(AccountRef::House(HouseAccount::CustodyPix), claim.brl),
            leg(exchange, -claim.brl),
        ],
    };
    claw_back(context, tx, order).await
}
