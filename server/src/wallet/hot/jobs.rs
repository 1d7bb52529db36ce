//! A server whose keys lie in a process of their own notices when that one is gone.

use super::service;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
        lease,
    },
    wallet::sender::{self, service::Sending},
};
use protocol::views::HotAlertKind;
use sqlx::PgExecutor;
use time::{Duration, OffsetDateTime};

/// Once a minute.
pub const SIGNER: &str = "wallet.signer";
/// A process that starts anew or loses its connection for a moment is not gone.
const GRACE: Duration = Duration::MINUTE;

/// Whether somebody signs: the sender's lease was prolonged within the last minute.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_signing(db: impl PgExecutor<'_>, now: OffsetDateTime) -> Result<bool, Error> {
    lease::is_held(db, sender::LEASE, now - GRACE).await
}

/// Tells those who decide when nobody has signed for longer than a minute. Whoever signs again tells the rest.
///
/// # Errors
/// Whatever the database refuses; the job comes back.
pub async fn look(context: &Context, job: &Claimed) -> Result<(), Error> {
    let elsewhere = context.part::<Sending>().is_some_and(|s| s.signers.is_none());
    if elsewhere && !is_signing(context.db.pool(), context.now()).await? {
        service::silent(context, HotAlertKind::Absent).await?;
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}
