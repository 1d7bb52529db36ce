//! The ledger's jobs: the nightly verification, and holds whose time has run out.

use super::{service, verify};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};

/// Kind of the nightly verification.
pub const VERIFY: &str = "ledger.verify";
/// Kind of the sweep of expired holds.
pub const EXPIRE_HOLDS: &str = "ledger.expire_holds";

/// Verifies the books. A difference is an alarm in the log and the metrics, not a failure of the job: trying again would not
/// mend it.
///
/// # Errors
/// When the database cannot be read.
pub async fn verify(context: &Context, job: &Claimed) -> Result<(), Error> {
    let report = verify::verify(&context.db).await?;
    if report.exact {
        tracing::info!(%report, "nightly verification");
    } else {
        tracing::error!(%report, "the ledger does not add up");
        metrics::counter!("ledger_differences_total").increment(1);
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Gives back what expired holds have set aside, a hundred in a transaction.
///
/// # Errors
/// Whatever the database refuses.
pub async fn expire_holds(context: &Context, job: &Claimed) -> Result<(), Error> {
    loop {
        let mut tx = context.db.begin().await?;
        let ended = service::expire_holds(&mut tx, 100).await?.len();
        if ended == 100 {
            tx.commit().await?;
            continue;
        }
        let now = tx.now();
        if job_queue::complete(tx.conn(), job, now).await? {
            tx.commit().await?;
        }
        return Ok(());
    }
}
