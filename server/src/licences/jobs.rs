//! A sale becomes final by itself when its time to cancel is over.

use super::service;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};
use protocol::ids::LicenceId;

/// Makes the job's licence final.
///
/// # Errors
/// Whatever the ledger refuses; the job is tried again then.
pub async fn finalise(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: LicenceId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    service::finalise(context, &mut tx, id).await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
