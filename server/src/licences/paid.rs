//! Licences that come into being with money from elsewhere.

use super::{
    model::Licence,
    money::account,
    plans,
    service::{FINALISE, tell_all},
    store::{self, Plan},
};
use crate::{
    affiliates,
    approvals::restraint,
    error::Error,
    foundation::{context::Context, job_queue::NewJob, settings::InForce, transaction::Tx},
    ledger::{
        model::{Currency, Leg, LicenceAccount, Orderer},
        service as ledger,
    },
};
use protocol::{
    ids::{HoldId, LicenceId, PlanId, UserId},
    money::Usdt,
    views::LicenceState,
};
use time::{Duration, OffsetDateTime};

/// The contract of a licence that is paid now.
pub(super) fn contract(
    id: LicenceId,
    owner: UserId,
    number: i32,
    plan: &Plan,
    sponsored: bool,
    now: OffsetDateTime,
    settings: &InForce,
) -> Licence {
    Licence {
        id,
        owner,
        number,
        plan: plan.id,
        value: plan.value,
        is_high_risk: plan.is_high_risk,
        maximum_return_ppm: plan.maximum_return_ppm,
        network_ceiling_ppm: plan.network_ceiling_ppm,
        allocation_factor: plan.allocation_factor,
        sponsored,
        state: LicenceState::Active,
        paid_at: now,
        cancellable_until: now + Duration::days(settings.settings.cancel_days),
        final_at: None,
        price: plan.value,
        topup: Usdt::ZERO,
        allocated: Usdt::ZERO,
        yield_balance: Usdt::ZERO,
        loan: Usdt::ZERO,
        reserved: Usdt::ZERO,
        capital: plan.value,
        gains: Usdt::ZERO,
        losses: Usdt::ZERO,
        topup_at: None,
        paused: false,
        manual_key: false,
        manual_revoked: false,
        goal_ppm: settings.settings.default_goal,
        goal_day: None,
        today: Usdt::ZERO,
        today_day: None,
        operations: 0,
        eligible_from: None,
        last_served: None,
        loan_taken: Usdt::ZERO,
        loan_at: None,
        loan_stopped: false,
        version: 1,
    }
}

/// Stores a paid licence, with its place in the network and the day on which its sale becomes final by itself.
pub(super) async fn begin(
    context: &Context,
    tx: &mut Tx,
    licence: &Licence,
    settings: &InForce,
) -> Result<(), Error> {
    store::insert(tx.conn(), licence, settings.version).await?;
    affiliates::service::licence_changed(context, tx, &licence.in_network()).await?;
    let job = NewJob::new(FINALISE, format!("{FINALISE}:{}", licence.id), &licence.id)?;
    tx.enqueue(job.at(licence.cancellable_until));
    Ok(())
}

/// A licence whose price lies held.
#[derive(Clone, Copy, Debug)]
pub struct Paid {
    pub owner: UserId,
    pub plan: PlanId,
    /// As agreed when it was ordered.
    pub value: Usdt,
    pub hold: HoldId,
}

/// Opens the licence that the held money was paid for; none when its plan is no longer sold at that value or its owner takes a time
/// out, and then the money stays held.
///
/// # Errors
/// Whatever the ledger refuses.
pub async fn open_paid(context: &Context, tx: &mut Tx, paid: &Paid) -> Result<Option<LicenceId>, Error> {
    // Paid from outside before or during a time out: the money is the person's, the licence is not opened.
    if restraint::has_time_out(tx, paid.owner).await? {
        return Ok(None);
    }
    let settings = context.settings.within(tx).await?;
    let plan = plans::sold(tx.conn(), paid.plan).await?;
    let Some(plan) = plan.filter(|p| p.value == paid.value) else {
        return Ok(None);
    };
    let id = LicenceId::fresh();
    let price = Leg {
        account: account(id, LicenceAccount::Price),
        currency: Currency::Usdt,
        amount: paid.value.into(),
    };
    ledger::post_hold(tx, paid.hold, None, vec![price], Orderer::User(paid.owner)).await?;
    let number = store::next_number(tx.conn(), paid.owner).await?;
    let now = tx.now();
    let licence = contract(id, paid.owner, number, &plan, false, now, &settings);
    begin(context, tx, &licence, &settings).await?;
    let mut licences = vec![licence];
    tell_all(context, tx, &settings, &mut licences).await?;
    Ok(Some(id))
}
