//! The closing as a job.

use super::service::{self, Results};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};

/// A job of this kind closes the days that are over: at 00:05 of São Paulo, or as soon as this runs again.
pub const CLOSE: &str = "affiliates.close";

/// Closes what is over. `results` tells what members' robots brought.
///
/// # Errors
/// Whatever the ledger or the database refuses; the next slot goes on.
pub async fn close(context: &Context, job: &Claimed, results: Results) -> Result<(), Error> {
    service::close_due(context, results).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
