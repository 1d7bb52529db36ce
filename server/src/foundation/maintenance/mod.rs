//! Keeping the foundation's tables small: what has stood for as long as [`kept`] says goes.

mod store;

use super::{
    context::Context,
    files,
    job_queue::{self, Claimed},
    kept,
};
use crate::error::Error;

/// A job of this kind deletes it.
pub const PRUNE: &str = "foundation.prune";

/// Deletes what has outlived its purpose. Resuming clients that come later than that get a reset.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context, job: &Claimed) -> Result<(), Error> {
    files::sweep(context, context.now()).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    store::prune(
        tx.conn(),
        now - kept::FACTS,
        now - kept::ANSWERS,
        now - kept::EFFECTS,
    )
    .await?;
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
