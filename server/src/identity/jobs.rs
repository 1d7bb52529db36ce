//! What identity does by itself.

use super::service;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
        mail,
    },
};

/// A job of this kind deletes what has stood for as long as [`super::kept`] says.
pub const PRUNE: &str = "identity.prune";

/// Forgets tries, codes, links, challenges, sessions and mails that no rule needs any more; a schedule runs it every hour.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context, job: &Claimed) -> Result<(), Error> {
    service::prune(context).await?;
    mail::prune(context).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}
