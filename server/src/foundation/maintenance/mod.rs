//! Keeping the foundation's tables small: facts 90 days, first answers and done effects 30 days, interrupted uploads an hour.

mod store;

use super::{
    context::Context,
    files,
    job_queue::{self, Claimed},
};
use crate::error::Error;
use time::Duration;

/// Deletes what has outlived its purpose. Resuming clients that come later than that get a reset.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context, job: &Claimed) -> Result<(), Error> {
    files::sweep(context, context.now()).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    store::prune(tx.conn(), now - Duration::days(90), now - Duration::days(30)).await?;
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
