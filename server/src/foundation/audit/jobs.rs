//! The audit's jobs: lines into the chain, and once a day its head, signed.

use super::{
    heads::{self, AuditHeads},
    linking::{self, Reach},
    store, verify,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
};

/// Kind of the linking.
pub const LINK: &str = "foundation.audit_link";
/// Kind of the daily signature.
pub const SIGN: &str = "foundation.audit_sign";

/// Links what was written since.
///
/// # Errors
/// Whatever the database refuses.
pub async fn link(context: &Context, job: &Claimed) -> Result<(), Error> {
    linking::link(&context.db, Reach::Recent).await?;
    done(context, job).await
}

/// Links whatever is not in the chain, verifies all of it and signs its head. A chain that differs is an alarm in the log and the
/// metrics and is not signed: a signature says that it was whole.
///
/// # Errors
/// When the database cannot be read, or the file not be written.
pub async fn sign(context: &Context, job: &Claimed) -> Result<(), Error> {
    if let Some(heads) = context.part::<AuditHeads>() {
        linking::link(&context.db, Reach::Whole).await?;
        let now = context.now();
        let kept = heads::read(&heads.path()).map_err(anyhow::Error::from)?;
        let report = verify::verify(&context.db, &kept, &heads.public(), now).await?;
        if report.whole() {
            let head = store::head(context.db.pool()).await?;
            if let Some(head) = head {
                let signed = heads
                    .sign(head.seq, &head.digest, now)
                    .map_err(anyhow::Error::from)?;
                tracing::info!(seq = signed.seq, digest = signed.digest, signature = signed.signature, %report, "the audit's head is signed");
            }
        } else {
            tracing::error!(%report, "the audit was changed");
            metrics::counter!("audit_differences_total").increment(1);
        }
    }
    done(context, job).await
}

async fn done(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
