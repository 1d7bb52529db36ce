//! Outgoing mail: typed builders only, written with the transaction that causes them, sent by a job.
//!
//! Invariants: links are built from the configured public URL, never from a request; a recipient gets at most so many mails an
//! hour (what was asked for is then refused, a notice waits), and mails with a reset link a few beside those: neither uses up the
//! other's (2026-11-23: whoever made the platform write to somebody kept them from a new password). Codes are counted by identity alone. Once sent, the body with its code or link is erased.
//! Without an SMTP server mail stays in the database and the mailbox page of a demo world shows it. Table: `foundation.mail`.

mod letter;
pub mod mailbox;
mod render;
pub mod smtp;
mod store;

pub use letter::Mail;

use super::{
    context::{Context, World},
    job_queue::NewJob,
    locale::Locale,
    transaction::Tx,
};
use crate::error::Error;
use protocol::{ErrorCode, ids::UserId};
use time::Duration;
use uuid::Uuid;

/// The job that hands a stored mail to the SMTP server; its payload is the mail's id.
pub const JOB: &str = "mail.send";

/// The span over which a recipient's mails are counted.
const SPAN: Duration = Duration::HOUR;

/// The most mails with a reset link an hour to a recipient: identity sends them a quarter of an hour apart, and one more to who has
/// used theirs.
const WAYS_IN: usize = 5;

/// Who gets a mail, in which language, with the words by which they know us.
#[derive(Clone, Debug)]
pub struct Recipient {
    pub user: Option<UserId>,
    pub email: String,
    pub name: String,
    pub locale: Locale,
    /// Chosen by the user; a mail without it is not ours.
    pub anti_phishing: Option<String>,
}

/// Writes a mail with the change that causes it.
///
/// # Errors
/// `request.rate_limited` when the recipient has had enough mails this hour and this one was asked for; whatever the database refuses.
pub async fn send(context: &Context, tx: &mut Tx, to: &Recipient, mail: &Mail) -> Result<Uuid, Error> {
    let now = tx.now();
    let settings = context.settings.within(tx).await?;
    let cap = usize::try_from(settings.settings.mails_per_hour)
        .unwrap_or(0)
        .max(1);
    let own = mail.is_way_in();
    let cap = if own { WAYS_IN } else { cap };
    let due = store::recent(tx.conn(), &to.email, own, now - SPAN).await?;
    // The newest `cap` mails fill the hour; the next may leave an hour after the oldest of them.
    let free_at = match due.get(cap - 1) {
        Some(oldest) if !mail.is_code() => (*oldest + SPAN).max(now),
        _ => now,
    };
    if free_at > now && mail.is_asked_for() {
        let seconds = u32::try_from((free_at - now).whole_seconds()).unwrap_or(3_600);
        return Err(Error::code(ErrorCode::RateLimited).retry_after(seconds.max(1)));
    }
    let letter = render::Letter {
        brand: &settings.settings.brand,
        public_url: &context.public_url,
        demo: context.world == World::Demo,
        to,
        mail,
    };
    let rendered = letter.render()?;
    let id = Uuid::now_v7();
    store::insert(tx.conn(), id, to, mail.template(), &rendered, now, free_at).await?;
    if !context.mailbox {
        tx.enqueue(NewJob::new(JOB, format!("{JOB}:{id}"), &id)?.at(free_at));
    }
    Ok(id)
}

/// Forgets mails older than a month; bodies were erased when they were sent.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<u64, Error> {
    store::prune(context.db.pool(), context.now() - Duration::days(30)).await
}
