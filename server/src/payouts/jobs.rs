//! What payouts do by themselves: those that nobody confirmed or decided in time give their money back.

use super::{kind::Port, service};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};

/// Gives back what is past its time; a schedule runs it every minute for each kind.
///
/// # Errors
/// Whatever the database refuses; the job comes back.
pub async fn expire<K: Port>(context: &Context, job: &Claimed) -> Result<(), Error> {
    while service::expire_one::<K>(context).await? {}
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}
