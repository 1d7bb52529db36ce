//! Mail to who is away (docs/rules/notifications.md#mail-to-who-is-away): one for a burst of lines. A burst begins with the first line that is written for
//! somebody, and ends as soon as they have a socket or mark something as read. What of it is still unread after the delay is mailed, once;
//! whether they are here is known by the sockets of all nodes, which end bursts as long as they are open.

use super::{
    push,
    rules::{self, Line},
    store, untaken,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed, NewJob},
        mail::{self, Mail},
        transaction::Tx,
    },
    identity::service::{self as identity, Here},
};
use protocol::{ids::UserId, views::NoticeGroup};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The job's kind.
pub const MAIL: &str = "notifications.away";
/// Every node has said a few times by then who has a socket there.
pub(super) const KNOWN: Duration = Duration::seconds(90);

/// Whose burst, and which.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Due {
    owner: UserId,
    burst: Uuid,
}

/// A line was written: its reader's burst begins with it, unless one is under way. Whether they are away shows when the delay is over.
pub(super) async fn stir(tx: &mut Tx, line: &Line, at: OffsetDateTime, delay: Duration) -> Result<(), Error> {
    if !rules::is_mailed_when_away(line.code) {
        return Ok(());
    }
    let due = Due {
        owner: line.owner,
        burst: Uuid::now_v7(),
    };
    if store::begin_burst(tx.conn(), due.owner, due.burst, at).await? {
        let then = tx.now() + delay;
        tx.enqueue(NewJob::new(MAIL, format!("{MAIL}:{}", due.burst), &due)?.at(then));
    }
    Ok(())
}

/// These people are here: what they were told stands before them.
///
/// # Errors
/// Whatever the database refuses.
pub async fn here(context: &Context, people: &[UserId]) -> Result<(), Error> {
    if people.is_empty() {
        return Ok(());
    }
    store::end_bursts(context.db.pool(), people).await?;
    untaken::end(context.db.pool(), people).await?;
    push::here(context, people).await
}

/// The job of a burst whose delay is over. Mail, mark and job are one commit.
///
/// # Errors
/// Whatever the database refuses; nothing has happened then, and the job comes back.
pub async fn mail(context: &Context, job: &Claimed) -> Result<(), Error> {
    let due: Due = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    // None: they were here, or it was mailed.
    if let Some(since) = store::burst(tx.conn(), due.owner, due.burst).await? {
        tell(context, &mut tx, due, since).await?;
    }
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

async fn tell(context: &Context, tx: &mut Tx, due: Due, since: OffsetDateTime) -> Result<(), Error> {
    let Some(Here { to, is_active }) = identity::recipient_here(tx, due.owner).await? else {
        return store::end_bursts(tx.conn(), &[due.owner]).await;
    };
    let now = tx.now();
    // Asked again in the morning: what was read by then is told by nothing.
    if let Some(end) = to
        .hours
        .and_then(|hours| hours.ends(now, to.time_zone.as_deref()))
    {
        let effect = format!("{MAIL}:{}:{}", due.burst, end.unix_timestamp());
        tx.enqueue(NewJob::new(MAIL, effect, &due)?.at(end));
        return Ok(());
    }
    let mut counts: Vec<(NoticeGroup, i64)> = Vec::new();
    for (code, count) in store::unread_since(tx.conn(), due.owner, since).await? {
        let group = rules::group(&code);
        let is_theirs = is_active || rules::is_for_inactive(group);
        if !is_theirs || !rules::is_mailed_when_away(&code) || to.quiet.contains(&group) {
            continue;
        }
        match counts.iter_mut().find(|(of, _)| *of == group) {
            Some((_, all)) => *all += count,
            None => counts.push((group, count)),
        }
    }
    // Read, or switched off, the group or the account: the next line begins another.
    if counts.is_empty() {
        return store::end_bursts(tx.conn(), &[due.owner]).await;
    }
    mail::send(context, tx, &to, &Mail::Away { counts }).await?;
    store::burst_mailed(tx.conn(), due.owner, now).await
}
