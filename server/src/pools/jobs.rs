//! Principal that comes back, and the shares of closed days.

use super::service;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};
use protocol::ids::PoolEntryId;

/// Gives the job's entry its principal back.
///
/// # Errors
/// Whatever the ledger refuses; the job is tried again then.
pub async fn exit(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: PoolEntryId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    service::exit(context, &mut tx, id).await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Shares what was booked on days that are over.
///
/// # Errors
/// Whatever the ledger refuses; the next slot goes on.
pub async fn close(context: &Context, job: &Claimed) -> Result<(), Error> {
    service::close(context).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
