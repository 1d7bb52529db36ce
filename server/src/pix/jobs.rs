//! What PIX does by itself: deposits whose day has ended, the rate.

use super::{rate, service};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};

/// Deposits closed in one transaction.
const BATCH: i64 = 100;

/// Closes deposits without proof whose time has ended; a schedule runs it every minute.
///
/// # Errors
/// Whatever the database refuses; the job comes back.
pub async fn time_out(context: &Context, job: &Claimed) -> Result<(), Error> {
    while service::time_out(context, BATCH).await? > 0 {}
    done(context, job).await
}

/// Asks the rate service; a schedule runs it every minute. A service that is silent is no failure of the job: the next minute
/// asks again, and the last answer serves for an hour.
///
/// # Errors
/// Whatever the database refuses.
pub async fn refresh_rate(context: &Context, job: &Claimed) -> Result<(), Error> {
    if let Err(error) = rate::refresh(context).await {
        tracing::warn!(?error, "the rate was not refreshed");
    }
    done(context, job).await
}

async fn done(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}
