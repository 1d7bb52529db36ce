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
use protocol::{LiveEvent, Permission, StreamId, stream_id::Queue};
use time::{Duration, OffsetDateTime};

/// The job's kind.
pub const OLD_QUEUES: &str = "notifications.old_queues";
/// Longer than this nobody should wait.
pub const OLD: Duration = Duration::hours(48);

/// How long a queue is, since when its oldest waits, and who may decide there.
async fn states(context: &Context) -> Result<Vec<(Queue, i64, Option<OffsetDateTime>, Permission)>, Error> {
    let admin = Permission::AdminPermissions;
    let of = |queue, (pending, oldest)| (queue, pending, oldest, admin);
    let (tickets, oldest_ticket) = store::waiting_tickets(context.db.pool()).await?;
    Ok(vec![
        of(Queue::PixDeposits, pix::service::queue(context).await?),
        of(
            Queue::PixWithdrawals,
            pix::withdrawals::service::queue(context).await?,
        ),
        of(
            Queue::CryptoDeposits,
            wallet::deposits::service::queue(context).await?,
        ),
        of(
            Queue::CryptoWithdrawals,
            wallet::withdrawals::service::queue(context).await?,
        ),
        of(Queue::Transfers, transfers::service::queue(context).await?),
        of(Queue::Compliance, compliance::queue(context).await?),
        (Queue::Tickets, tickets, oldest_ticket, Permission::ListTickets),
    ])
}

/// Looks at all queues; run it every ten minutes.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(context: &Context, job: &Claimed) -> Result<(), Error> {
    let states = states(context).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    for (queue, pending, oldest, permission) in states {
        let Some(since) = oldest.filter(|since| *since <= now - OLD) else {
            store::caught_up(tx.conn(), queue.as_str()).await?;
            continue;
        };
        if !store::note_old(tx.conn(), queue.as_str(), since, now).await? {
            continue;
        }
        for person in roles::holders(tx.conn(), permission.as_str()).await? {
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
