//! Staff queues in which somebody waits too long (docs/rules/notifications.md#queues-that-wait). Everyone who may decide there is told
//! once; again only after the queue had caught up.

use super::store;
use crate::{
    approvals::compliance::service as compliance,
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
    },
    identity::roles,
    pix, transfers, wallet,
};
use protocol::{LiveEvent, Queue, StreamId};
use time::{Duration, OffsetDateTime};

/// The job's kind.
pub const OLD_QUEUES: &str = "notifications.old_queues";
/// Longer than this nobody should wait.
pub const OLD: Duration = Duration::hours(48);

/// How long a queue is and since when its oldest waits; none where nobody is told.
async fn state(context: &Context, queue: Queue) -> Result<Option<(i64, Option<OffsetDateTime>)>, Error> {
    Ok(Some(match queue {
        Queue::PixDeposits => pix::service::queue(context).await?,
        Queue::PixWithdrawals => pix::withdrawals::service::queue(context).await?,
        Queue::CryptoDeposits => wallet::deposits::service::queue(context).await?,
        Queue::CryptoWithdrawals => wallet::withdrawals::service::queue(context).await?,
        Queue::Transfers => transfers::service::queue(context).await?,
        Queue::Compliance => compliance::queue(context).await?,
        Queue::Tickets => store::waiting_tickets(context.db.pool()).await?,
        Queue::GraduationBonuses
        | Queue::Sponsorship
        | Queue::PoolRevenue
        | Queue::Holdings
        | Queue::Settings
        | Queue::Rounds
        | Queue::Pauses
        | Queue::Live
        | Queue::Grants => return Ok(None),
    }))
}

/// Looks at all queues; run it every ten minutes.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut states = Vec::new();
    for queue in Queue::ALL {
        states.extend(
            state(context, *queue)
                .await?
                .map(|(pending, oldest)| (*queue, pending, oldest)),
        );
    }
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
        for person in roles::holders(tx.conn(), queue.permission().as_str()).await? {
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
