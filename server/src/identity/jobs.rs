//! What identity does by itself.

use super::{looks, service};
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

/// A job of this kind ends the looks at accounts that are over.
pub const LOOKS: &str = "identity.looks";

/// Ends looks whose time, session or right is over; a schedule runs it every minute. A call under one is refused before that.
///
/// # Errors
/// Whatever the database refuses.
pub async fn end_looks(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    looks::end_due(&mut tx).await?;
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

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
