//! Staff queues in which somebody waits too long (docs/rules/notifications.md#queues-that-wait). Everyone who may decide there is told
//! once; again only after the queue had caught up.

use super::store;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
    identity::roles,
    support::service as support,
};
use protocol::{LiveEvent, Queue, StreamId};
use time::{Duration, OffsetDateTime};

/// The job's kind.
pub const OLD_QUEUES: &str = "notifications.old_queues";
/// Longer than this nobody should wait.
pub const OLD: Duration = Duration::hours(48);

/// Looks at the queues whose states are given, and at the tickets; run it every ten minutes.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(
    context: &Context,
    job: &Claimed,
    mut states: Vec<(Queue, i64, Option<OffsetDateTime>)>,
) -> Result<(), Error> {
    let (waiting, oldest) = support::waiting(context.db.pool()).await?;
    states.push((Queue::Tickets, waiting, oldest));
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    for (queue, pending, oldest) in states {
        let Some(since) = oldest.filter(|since| *since <= now - OLD) else {
            store::caught_up(tx.conn(), queue.as_str()).await?;
            continue;
        };
        if !store::note_old(tx.conn(), queue.as_str(), since, now).await? {
            continue;
        }
        for person in roles::holders(tx.conn(), queue.decides().as_str()).await? {
            let event = LiveEvent::QueueOld {
                queue,
                pending,
                since,
            };
            tx.emit(StreamId::User(person), event);
        }
    }
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}
