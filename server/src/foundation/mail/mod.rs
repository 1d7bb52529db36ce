//! Outgoing mail: typed builders only, written with the transaction that causes them, sent by a job.
//!
//! Invariants: links are built from the configured public URL, never from a request; a recipient gets at most so many mails an
//! hour (what was asked for is then refused, a notice waits), and mails with a reset link a few beside those: neither uses up the
//! other's (2026-11-23: whoever made the platform write to somebody kept them from a new password). Codes are counted by identity alone, and
//! what warns of an account's safety never waits behind other mail (2026-11-25: a thief who filled the hour was an hour ahead); that a withdrawal was asked for, has gone or
//! was refused, and the word about another e-mail, neither, and what staff cause is bounded by who causes it (2026-11-26: one employee's letters came before a customer's warnings). Nobody is written
//! to about what they switched off, and what can wait is held while its reader sleeps; it goes to the address that they have when it leaves
//! (docs/decisions/0106-mail-that-waits-moves.md). Once sent, the body with its code or link is erased.
//! What can never be sent is parked with its reason and tried no more (2026-11-26: an address that no relay takes was tried for ever, and the
//! log blamed the server).
//! Without an SMTP server mail stays in the database and the mailbox page of a demo world shows it. Table: `foundation.mail`.

pub mod address;
mod content;
mod letter;
mod lines;
pub mod mailbox;
mod parts;
mod render;
pub mod smtp;
mod store;

pub use letter::Mail;
pub use lines::Said;
pub use parts::Summed;

use super::{
    context::{Context, World},
    job_queue::NewJob,
    kept,
    locale::Locale,
    quiet_hours::QuietHours,
    transaction::Tx,
};
use crate::error::Error;
use protocol::{ErrorCode, ids::UserId, views::NoticeGroup};
use std::slice;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The job that hands a stored mail to the SMTP server; its payload is the mail's id.
pub const JOB: &str = "mail.send";

/// The span over which a recipient's mails are counted.
const SPAN: Duration = Duration::HOUR;

/// The most mails with a reset link an hour to a recipient: identity sends them a quarter of an hour apart, and one more to who has
/// used theirs.
const WAYS_IN: i64 = 5;

/// Who gets a mail, in which language, with the words by which they know us.
#[derive(Clone, Debug)]
pub struct Recipient {
    pub user: Option<UserId>,
    pub email: String,
    pub name: String,
    pub locale: Locale,
    /// Chosen by the user; a mail without it is not ours.
    pub anti_phishing: Option<String>,
    /// The IANA name of the zone in which they read times; that of the business without one.
    pub time_zone: Option<String>,
    /// What they do not want to be written to about.
    pub quiet: Vec<NoticeGroup>,
    /// When they want nothing that can wait.
    pub hours: Option<QuietHours>,
}

/// Writes a mail with the change that causes it; none where its reader does not want it.
///
/// # Errors
/// `request.rate_limited` when the recipient has had enough mails this hour and this one was asked for; whatever the database refuses.
pub async fn send(
    context: &Context,
    tx: &mut Tx,
    to: &Recipient,
    mail: &Mail,
) -> Result<Option<Uuid>, Error> {
    Ok(send_all(context, tx, slice::from_ref(to), mail).await?.pop())
}

/// Until when its reader's quiet hours hold a mail that can wait.
fn held_until(to: &Recipient, mail: &Mail, now: OffsetDateTime) -> Option<OffsetDateTime> {
    let hours = to.hours.filter(|_| mail.can_wait())?;
    hours.ends(now, to.time_zone.as_deref())
}

/// The same to several at once, in one statement, however many they are; the ids of those that were written.
///
/// # Errors
/// As [`send`]: of one that must not be written, none is.
pub async fn send_all(
    context: &Context,
    tx: &mut Tx,
    to: &[Recipient],
    mail: &Mail,
) -> Result<Vec<Uuid>, Error> {
    let wants = |to: &&Recipient| !mail.group().is_some_and(|group| to.quiet.contains(&group));
    let mut readers: Vec<&Recipient> = to.iter().filter(wants).collect();
    if readers.is_empty() {
        return Ok(Vec::new());
    }
    // Mails to one recipient wait for each other: whoever writes to several takes them in one order.
    readers.sort_unstable_by(|one, other| one.email.cmp(&other.email));
    let now = tx.now();
    let settings = context.settings.within(tx).await?;
    let own = mail.is_way_in();
    let mut letters = Vec::with_capacity(readers.len());
    for to in readers {
        let letter = render::Letter {
            brand: &settings.settings.brand,
            public_url: &context.public_url,
            demo: context.world == World::Demo,
            to,
            mail,
        };
        letters.push(store::Letter {
            id: Uuid::now_v7(),
            to,
            mail: letter.render()?,
            not_before: held_until(to, mail, now),
        });
    }
    let counted = store::Counted {
        most: if own {
            WAYS_IN
        } else {
            settings.settings.mails_per_hour.max(1)
        },
        since: now - SPAN,
        is_uncounted: mail.is_uncounted(),
        is_way_in: own,
        is_asked_for: mail.is_asked_for(),
    };
    // The newest mails fill the hour; the next may leave an hour after the oldest of them.
    let due = store::put(tx.conn(), &letters, mail.template(), &counted, now).await?;
    for (letter, free_at) in letters.iter().zip(due) {
        if free_at > now && counted.is_asked_for {
            let seconds = u32::try_from((free_at - now).whole_seconds()).unwrap_or(3_600);
            return Err(Error::code(ErrorCode::RateLimited).retry_after(seconds.max(1)));
        }
        if !context.mailbox {
            let id = letter.id;
            tx.enqueue(NewJob::new(JOB, format!("{JOB}:{id}"), &id)?.at(free_at));
        }
    }
    Ok(letters.into_iter().map(|letter| letter.id).collect())
}

/// What of a person's mails waits at an address goes to another one, or is dropped: with none, where nobody has shown to read at the other or the
/// person has left. What is on its way already stays, and what warns or was asked for never waits. Call it behind the change of the account, in its
/// transaction.
///
/// # Errors
/// Whatever the database refuses.
pub async fn move_waiting(tx: &mut Tx, whose: UserId, from: &str, to: Option<&str>) -> Result<(), Error> {
    let now = tx.now();
    store::move_waiting(tx.conn(), whose, from, to, now).await?;
    Ok(())
}

/// Refuses an address that no mail of ours could ever reach: its local part is beyond ASCII, and the relay does not take such.
///
/// # Errors
/// `email.invalid`.
pub async fn require_reachable(context: &Context, email: &str) -> Result<(), Error> {
    if !address::is_beyond_ascii(email) {
        return Ok(());
    }
    let taken = match &context.mailer {
        Some(mailer) => mailer.takes_beyond_ascii(context.now()).await,
        None => None,
    };
    if taken == Some(true) {
        return Ok(());
    }
    Err(Error::code(ErrorCode::EmailInvalid).field("email", ErrorCode::EmailInvalid))
}

/// Forgets old mails; bodies were erased when they were sent.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<u64, Error> {
    store::prune(context.db.pool(), context.now() - kept::MAILS).await
}
