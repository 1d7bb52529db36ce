//! Tickets that nobody has taken, told to those who answer, asked for it and are away (docs/rules/notifications.md#tickets-that-nobody-has-taken): by
//! one line for a burst. A burst begins with a new ticket, or with what its customer writes while nobody has it, and ends as soon as its reader has a
//! socket or marks something as read, as that of mails does: who has a page open sees it there.

mod store;

pub use store::{end, want, wants};

use super::away;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed, NewJob},
        transaction::Tx,
    },
    identity::roles,
    support::service as support,
};
use protocol::{LiveEvent, Permission, Queue, StreamId, ids::UserId, views::NoticeGroup};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// The job's kind.
pub const TELL: &str = "notifications.untaken";
/// Who may ask to be told.
pub const ANSWERS: Permission = Queue::Tickets.decides();
/// As the table has it.
const TOPIC: &str = NoticeGroup::Tickets.as_str();

/// Whose burst, and which.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Due {
    owner: UserId,
    burst: Uuid,
}

/// A customer wrote in a ticket that nobody has: the bursts of those who asked begin with it, but for those that are under way. Whether they are away
/// shows when the delay is over.
pub(super) async fn stir(tx: &mut Tx, customer: UserId, at: OffsetDateTime) -> Result<(), Error> {
    let mut idle = store::idle(tx.conn(), TOPIC, customer).await?;
    if idle.is_empty() {
        return Ok(());
    }
    let answer = roles::holders(tx.conn(), ANSWERS.as_str()).await?;
    idle.retain(|person| answer.contains(person));
    let then = tx.now() + away::KNOWN;
    for owner in idle {
        let due = Due {
            owner,
            burst: Uuid::now_v7(),
        };
        if store::begin(tx.conn(), due.owner, due.burst, at).await? {
            tx.enqueue(NewJob::new(TELL, format!("{TELL}:{}", due.burst), &due)?.at(then));
        }
    }
    Ok(())
}

/// The job of a burst whose delay is over. Fact, mark and job are one commit.
///
/// # Errors
/// Whatever the database refuses; nothing has happened then, and the job comes back.
pub async fn tell(context: &Context, job: &Claimed) -> Result<(), Error> {
    let due: Due = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    // None: they were here, it was told, or they want it no more.
    if let Some(since) = store::burst(tx.conn(), due.owner, due.burst).await? {
        tell_them(&mut tx, due.owner, since).await?;
    }
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

async fn tell_them(tx: &mut Tx, owner: UserId, since: OffsetDateTime) -> Result<(), Error> {
    let answers = roles::holders(tx.conn(), ANSWERS.as_str())
        .await?
        .contains(&owner);
    let count = if answers {
        support::untaken(tx, owner, since).await?
    } else {
        0
    };
    // A colleague has taken or answered them, or they answer no more: the next words begin another.
    if count == 0 {
        return store::end(tx.conn(), &[owner]).await;
    }
    tx.emit(StreamId::User(owner), LiveEvent::TicketsWait { count });
    let now = tx.now();
    store::told(tx.conn(), owner, now).await
}
