//! What deposits enqueue: handing a paid intent's money over to what it was paid for.

use super::{service::tell, store};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
    identity::caller::Scope,
    ledger::{model::Orderer, service as ledger},
    licences::service as licences,
    pools,
};
use protocol::{
    ids::{ChainDepositId, HoldId, UserId},
    views::{ChainDepositStatus as Status, DepositOutcome, DepositProduct},
};
use uuid::Uuid;

/// A job of this kind hands over one intent.
pub const HAND_OVER: &str = "wallet.hand_over";

/// Gives the held money to the licence or the pool, or back to the balance when there is nothing to buy any more.
///
/// # Errors
/// Whatever the ledger or the database refuses; the job comes back.
pub async fn hand_over(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: ChainDepositId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let deposit = store::lock(tx.conn(), Scope::Staff(UserId(Uuid::nil())), id).await?;
    if let Some(mut deposit) = deposit
        && let (Some(hold), Some(value), Some(plan)) = (deposit.hold, deposit.value, deposit.plan)
        && deposit.licence.is_none()
        && deposit.outcome != Some(DepositOutcome::PlanGone)
        && deposit.reversed_at.is_none()
    {
        let hold = HoldId(hold);
        let owner = deposit.owner;
        let opened: Option<Uuid> = match deposit.product {
            DepositProduct::License => {
                let paid = licences::Paid {
                    owner,
                    plan: plan.into(),
                    value,
                    hold,
                };
                licences::open_paid(context, &mut tx, &paid)
                    .await?
                    .map(Into::into)
            }
            DepositProduct::Pool => {
                let paid = pools::model::Paid {
                    owner,
                    pool: plan,
                    value,
                    hold,
                };
                pools::service::open_paid(context, &mut tx, &paid)
                    .await?
                    .map(Into::into)
            }
            DepositProduct::Plain => None,
        };
        match opened {
            Some(opened) => deposit.licence = Some(opened),
            None => {
                ledger::void_hold(&mut tx, hold, Orderer::System).await?;
                deposit.outcome = Some(DepositOutcome::PlanGone);
            }
        }
        if deposit.status == Status::Confirmed {
            deposit.status = Status::Complete;
        }
        store::save(tx.conn(), &deposit).await?;
        tell(context, &mut tx, id, false).await?;
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
