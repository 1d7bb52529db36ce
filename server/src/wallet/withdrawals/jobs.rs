//! What withdrawals do by themselves: those that nobody confirmed or decided in time give their money back.

use super::service;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};

/// Once a minute.
pub const EXPIRE: &str = "wallet.withdrawals_expire";

/// Gives back what is past its time.
///
/// # Errors
/// Whatever the database refuses; the job comes back.
pub async fn expire(context: &Context, job: &Claimed) -> Result<(), Error> {
    while service::expire_one(context).await? {}
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}
