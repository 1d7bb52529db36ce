//! What waits for a person: a look of compliance, a token on no list, money for somebody who has left.

use super::{
    credit::{Payment, count, fresh, with_change},
    rates, rules,
    service::tell,
    store::{self, Deposit},
};
use crate::{
    approvals::compliance::{self, Flow, Judgement, Movement},
    error::Error,
    foundation::{context::Context, settings::InForce, transaction::Tx},
    wallet::chain::Coin,
};
use protocol::{
    ids::ChainDepositId,
    money::Usdt,
    views::{ChainDepositStatus as Status, DepositOutcome as Outcome, DepositProduct, PendingCause},
};

/// What waits for a case is named so there.
pub const SUBJECT: &str = "crypto_deposit";

/// Whether a person must look first, by the compliance port: the case is opened, and decided with the deposit. Who sent the
/// coins is no evidence on a chain: exchanges pay thousands of people from one address.
pub(super) async fn held_for_review(
    context: &Context,
    tx: &mut Tx,
    deposit: &Deposit,
    usdt: Usdt,
) -> Result<bool, Error> {
    let movement = Movement {
        user: deposit.owner,
        flow: Flow::DepositChain,
        usdt,
        counterparty: None,
        payer: None,
    };
    let look = compliance::look(context, tx, &movement, Some((SUBJECT, deposit.id.0))).await?;
    let reasons = match look.judgement {
        Judgement::Allow => return Ok(false),
        Judgement::Review(reasons) => reasons,
        Judgement::Refuse(reason) => vec![reason],
    };
    if look.case.is_none() {
        let case = compliance::open(tx, &movement, &reasons).await?;
        compliance::attach(tx, case, SUBJECT, deposit.id.0).await?;
    }
    Ok(true)
}

/// Puts a deposit into the approvers' queue.
pub(super) async fn wait(
    context: &Context,
    tx: &mut Tx,
    mut deposit: Deposit,
    cause: PendingCause,
) -> Result<ChainDepositId, Error> {
    deposit.status = Status::PendingApproval;
    deposit.pending_cause = Some(cause);
    deposit.waiting_since = deposit.waiting_since.or(Some(tx.now()));
    store::save(tx.conn(), &deposit).await?;
    tell(context, tx, deposit.id, true).await?;
    Ok(deposit.id)
}

/// Money for somebody who has left: a person gives it back. One case a payment, so that whoever ends one has seen all that it is about; only what
/// is too little to be credited adds up quietly, as it does for everybody.
pub(super) async fn left(
    context: &Context,
    tx: &mut Tx,
    in_force: &InForce,
    payment: &Payment,
    coin: Coin,
    known: &[Deposit],
) -> Result<ChainDepositId, Error> {
    let Some(rate) = rates::current(context, coin) else {
        let parent = known.iter().rfind(|d| d.expires_at.is_some()).map(|d| d.id);
        let version = in_force.version;
        let one = fresh(tx, payment, coin, payment.wei, Outcome::Later, parent, version);
        return wait(context, tx, one, PendingCause::Closed).await;
    };
    let mut deposit = with_change(tx, payment, coin, payment.wei, known, in_force.version);
    let worth = rules::worth(deposit.received, coin, Some(rate)).unwrap_or_default();
    if rules::plain(worth, &in_force.settings).is_none() {
        store::save(tx.conn(), &deposit).await?;
        tell(context, tx, deposit.id, false).await?;
        return Ok(deposit.id);
    }
    deposit.outcome = Some(Outcome::Later);
    wait(context, tx, deposit, PendingCause::Closed).await
}

/// A token on no list: one case per address and contract, whatever is sent of it.
pub(super) async fn unlisted(
    context: &Context,
    tx: &mut Tx,
    payment: &Payment,
    known: Vec<Deposit>,
) -> Result<ChainDepositId, Error> {
    let parent = known.iter().rfind(|d| d.expires_at.is_some()).map(|d| d.id);
    let same = known
        .into_iter()
        .find(|d| d.coin.is_none() && d.contract == payment.contract);
    let mut deposit = same.unwrap_or_else(|| {
        let mut one = Deposit::new(
            payment.owner,
            payment.address,
            DepositProduct::Plain,
            Status::Pending,
            tx.now(),
        );
        one.contract = payment.contract;
        one.parent = parent;
        one.outcome = Some(Outcome::WrongToken);
        one
    });
    count(&mut deposit, payment, payment.wei);
    if deposit.status == Status::Rejected {
        store::save(tx.conn(), &deposit).await?;
        return Ok(deposit.id);
    }
    wait(context, tx, deposit, PendingCause::UnlistedToken).await
}
