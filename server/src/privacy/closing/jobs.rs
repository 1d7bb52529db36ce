//! Closing an account when its day has come.

use super::{
    model::{Closing, ClosingEnd},
    rules,
    service::{record, told},
    store,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
        mail,
        transaction::Tx,
    },
    identity::{closing, service as identity, signals},
};
use protocol::ids::AccountClosingId;

/// A job of this kind closes an account whose owner asked for it.
pub const CLOSE: &str = "privacy.close_account";

/// Closes it, or keeps it when something is in the way, in one transaction. Done again, or after a cancelling, it finds nothing that waits.
///
/// # Errors
/// Whatever the database refuses; tried again.
pub async fn close(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: AccountClosingId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if let Some(asked) = store::find(tx.conn(), id).await? {
        closing::lock(&mut tx, asked.owner).await?;
        // A cancelling may have been faster.
        if let Some(asked) = store::find(tx.conn(), id).await? {
            finish(context, &mut tx, &asked).await?;
        }
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

async fn finish(context: &Context, tx: &mut Tx, asked: &Closing) -> Result<(), Error> {
    let now = tx.now();
    // Behind the lock: what was booked until now is seen, what comes later finds the account closed.
    let needs = store::needs(tx.conn(), asked.owner, now).await?;
    let moved = store::wallet_since(tx.conn(), asked.owner, asked.asked_at).await?;
    let end = if moved || rules::refusal(&needs).is_some() {
        ClosingEnd::Kept
    } else {
        ClosingEnd::Closed
    };
    store::end(tx.conn(), asked.id, end, now).await?;
    let account = identity::account_within(tx, asked.owner).await?;
    let to = identity::recipient_of(&account);
    if end == ClosingEnd::Closed {
        closing::close(tx, &account, asked.reason.as_deref()).await?;
    } else {
        record(tx, None, asked.owner, "closing.kept").await?;
        signals::user_changed(tx, asked.owner, "closing");
    }
    mail::send(context, tx, &to, &told(end)).await?;
    Ok(())
}
