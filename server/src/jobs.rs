//! Every job and schedule on one page, and the runner that does them: at least once, each effect once.
//!
//! A handler opens its own transaction, brings the effect about, calls [`job_queue::complete`] in that transaction and
//! commits. A schedule is a job whose effect names its slot in time, so that one node does it, once.

use crate::{
    affiliates,
    error::Error,
    foundation::{
        audit,
        context::Context,
        files,
        job_queue::{self, Claimed, NewJob},
        mail, maintenance, subjects,
    },
    identity, ledger, licences, notifications, payouts, pix,
    pix::withdrawals::Pix,
    pools, privacy, reports, robots, rulebook, support, wallet,
    wallet::withdrawals::Crypto,
};
use futures_util::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, FuturesUnordered},
};
use serde_json::json;
use std::{collections::HashSet, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Does one job.
pub type Handler = for<'a> fn(&'a Context, &'a Claimed) -> BoxFuture<'a, Result<(), Error>>;

/// Handlers by kind.
pub const JOBS: &[(&str, Handler)] = &[
    (maintenance::PRUNE, |context, job| {
        Box::pin(maintenance::prune(context, job))
    }),
    (files::REMOVE, |context, job| {
        Box::pin(files::remove(context, job))
    }),
    (files::sweeping::COMPARE, |context, job| {
        Box::pin(files::sweeping::job(context, job))
    }),
    (audit::jobs::LINK, |context, job| {
        Box::pin(audit::jobs::link(context, job))
    }),
    (audit::jobs::SIGN, |context, job| {
        Box::pin(audit::jobs::sign(context, job))
    }),
    (identity::jobs::PRUNE, |context, job| {
        Box::pin(identity::jobs::prune(context, job))
    }),
    (identity::jobs::LOOKS, |context, job| {
        Box::pin(identity::jobs::end_looks(context, job))
    }),
    ("mail.send", |context, job| {
        Box::pin(mail::smtp::send_job(context, job))
    }),
    (subjects::WATCHED, |context, job| {
        Box::pin(support::about::changed(context, job))
    }),
    ("affiliates.place", |context, job| {
        Box::pin(affiliates::jobs::place(context, job))
    }),
    (affiliates::bonuses::work::WORK, |context, job| {
        Box::pin(affiliates::bonuses::work::job(context, job))
    }),
    (affiliates::bonuses::reviews::DECIDED, |context, job| {
        Box::pin(affiliates::bonuses::reviews::decided(context, job))
    }),
    ("pix.time_out", |context, job| {
        Box::pin(pix::jobs::time_out(context, job))
    }),
    ("pix.withdrawals_expire", |context, job| {
        Box::pin(payouts::jobs::expire::<Pix>(context, job))
    }),
    ("pix.rate", |context, job| {
        Box::pin(pix::jobs::refresh_rate(context, job))
    }),
    (pix::statements::service::JUDGE, |context, job| {
        Box::pin(pix::statements::service::judge(context, job))
    }),
    (wallet::deposits::jobs::HAND_OVER, |context, job| {
        Box::pin(wallet::deposits::jobs::hand_over(context, job))
    }),
    (notifications::queues::OLD_QUEUES, |context, job| {
        Box::pin(old_queues(context, job))
    }),
    (notifications::announcements::TELL, |context, job| {
        Box::pin(notifications::announcements::tell(context, job))
    }),
    (notifications::digest::DIGESTS, |context, job| {
        Box::pin(notifications::digest::hand_out(context, job))
    }),
    (notifications::digest::DIGEST, |context, job| {
        Box::pin(notifications::digest::write(context, job))
    }),
    (notifications::away::MAIL, |context, job| {
        Box::pin(notifications::away::mail(context, job))
    }),
    (notifications::untaken::TELL, |context, job| {
        Box::pin(notifications::untaken::tell(context, job))
    }),
    (notifications::push::PUSH, |context, job| {
        Box::pin(notifications::push::send(context, job))
    }),
    ("wallet.withdrawals_expire", |context, job| {
        Box::pin(payouts::jobs::expire::<Crypto>(context, job))
    }),
    (wallet::hot::jobs::SIGNER, |context, job| {
        Box::pin(wallet::hot::jobs::look(context, job))
    }),
    (licences::service::FINALISE, |context, job| {
        Box::pin(licences::jobs::finalise(context, job))
    }),
    (privacy::jobs::MAKE, |context, job| {
        Box::pin(privacy::jobs::make(context, job))
    }),
    (privacy::jobs::EXPIRE, |context, job| {
        Box::pin(privacy::jobs::expire(context, job))
    }),
    (privacy::closing::jobs::CLOSE, |context, job| {
        Box::pin(privacy::closing::jobs::close(context, job))
    }),
    (privacy::closing::jobs::LATE, |context, job| {
        Box::pin(privacy::closing::jobs::look(context, job))
    }),
    (ledger::jobs::VERIFY, |context, job| {
        Box::pin(ledger::jobs::verify(context, job))
    }),
    (ledger::jobs::EXPIRE_HOLDS, |context, job| {
        Box::pin(ledger::jobs::expire_holds(context, job))
    }),
    (rulebook::service::TAKES_EFFECT, |context, job| {
        Box::pin(rulebook::service::takes_effect(context, job))
    }),
    (robots::days::CLOSE, |context, job| {
        Box::pin(robots::days::close(context, job))
    }),
    (affiliates::payout::jobs::LOOK, |context, job| {
        Box::pin(affiliates::payout::jobs::look(context, job))
    }),
    (affiliates::closing::sums::SUM, |context, job| {
        Box::pin(affiliates::closing::sums::job(context, job))
    }),
    (affiliates::closing::sums::GAINS, |context, job| {
        Box::pin(affiliates::closing::sums::gains_job(context, job))
    }),
    (affiliates::closing::jobs::CLOSE, |context, job| {
        Box::pin(affiliates::closing::jobs::close(
            context,
            job,
            robots::days::results_of,
        ))
    }),
    (pools::service::EXIT, |context, job| {
        Box::pin(pools::jobs::exit(context, job))
    }),
    (pools::service::CLOSING, |context, job| {
        Box::pin(pools::jobs::close(context, job))
    }),
];

/// Job kinds that run once in every slot of so many seconds.
pub const SCHEDULES: &[(&str, i64)] = &[
    (maintenance::PRUNE, 3_600),
    (files::sweeping::COMPARE, 3_600),
    (identity::jobs::PRUNE, 3_600),
    (identity::jobs::LOOKS, 60),
    (audit::jobs::LINK, 60),
    (audit::jobs::SIGN, 86_400),
    // Pays what waits for the fund as fees fill it.
    (affiliates::bonuses::work::WORK, 60),
    (affiliates::closing::sums::SUM, 60),
    // Tonight's closing is looked at all day: what robots brought is behind by no more than this.
    (affiliates::closing::sums::GAINS, 10),
    ("pix.time_out", 60),
    ("pix.withdrawals_expire", 60),
    ("pix.rate", 60),
    (notifications::queues::OLD_QUEUES, 600),
    (notifications::digest::DIGESTS, 300),
    // What is told later: another try, the end of quiet hours or of a full hour.
    (notifications::push::PUSH, 60),
    ("wallet.withdrawals_expire", 60),
    (wallet::hot::jobs::SIGNER, 60),
    (privacy::closing::jobs::LATE, 600),
    (ledger::jobs::VERIFY, 86_400),
    (ledger::jobs::EXPIRE_HOLDS, 60),
    (robots::days::CLOSE, 3_600),
    // Looks whether a day is over and has something to share: at 00:05 of São Paulo, or as soon as this runs again.
    (pools::service::CLOSING, 300),
    // The same, for the network.
    (affiliates::closing::jobs::CLOSE, 300),
    (affiliates::payout::jobs::LOOK, 600),
];

/// What waits is counted by the reports, for the header as for the alert, and told by the notifications: neither knows the other.
async fn old_queues(context: &Context, job: &Claimed) -> Result<(), Error> {
    let counted = reports::waiting::counted(context).await?;
    notifications::queues::look(context, job, counted).await
}

/// How many jobs run side by side.
const WIDTH: usize = 4;

/// How often what is under way says that it still is: nobody else takes it then.
const KEEP: time::Duration = time::Duration::seconds(20);

/// Runs jobs until told to stop; then finishes what is under way.
pub async fn run(context: Context, wake: Arc<Notify>, stop: CancellationToken) {
    let mut last_slots = vec![0i64; SCHEDULES.len()];
    // As many are claimed as there is room for: a long one, such as a closing, keeps its place and no other waits for it.
    let mut under_way = FuturesUnordered::new();
    let mut held: HashSet<i64> = HashSet::new();
    let mut kept = context.now();
    while !stop.is_cancelled() {
        if let Err(error) = schedule(&context, &mut last_slots).await {
            tracing::warn!(?error, "schedules wait");
        }
        let room = WIDTH - under_way.len();
        let claimed = match claim(&context, room).await {
            Ok(jobs) => jobs,
            Err(error) => {
                tracing::warn!(?error, "the job queue waits");
                Vec::new()
            }
        };
        held.extend(claimed.iter().map(|job| job.id));
        under_way.extend(claimed.into_iter().map(|job| {
            let context = &context;
            async move {
                let id = job.id;
                one(context, job).await;
                id
            }
        }));
        if !held.is_empty() && context.now() - kept >= KEEP {
            kept = context.now();
            let ids: Vec<i64> = held.iter().copied().collect();
            if let Err(error) = job_queue::keep(context.db.pool(), &ids, kept).await {
                tracing::warn!(?error, "jobs under way could not be kept");
            }
        }
        tokio::select! {
            () = stop.cancelled() => break,
            Some(id) = under_way.next() => {
                held.remove(&id);
            }
            () = wake.notified() => {}
            () = tokio::time::sleep(Duration::from_millis(500)) => {}
        }
    }
    while under_way.next().await.is_some() {}
}

/// At most so many due jobs.
async fn claim(context: &Context, most: usize) -> Result<Vec<Claimed>, Error> {
    match i64::try_from(most) {
        Ok(most) if most > 0 => job_queue::claim(context.db.pool(), context.now(), most).await,
        _ => Ok(Vec::new()),
    }
}

async fn schedule(context: &Context, last: &mut [i64]) -> Result<(), Error> {
    let now = context.now();
    let mut due = Vec::new();
    for ((kind, seconds), last) in SCHEDULES.iter().zip(last.iter_mut()) {
        let slot = now.unix_timestamp() / seconds;
        if *last != slot {
            due.push(NewJob {
                kind,
                effect: format!("{kind}:{slot}"),
                payload: json!({}),
                run_at: None,
            });
            *last = slot;
        }
    }
    if due.is_empty() {
        return Ok(());
    }
    let mut tx = context.db.begin().await?;
    for job in due {
        tx.enqueue(job);
    }
    tx.commit().await?;
    Ok(())
}

/// Claims and does one round of due jobs; returns how many.
///
/// # Errors
/// When the queue cannot be read; failures of single jobs are handled by their back-off.
pub async fn round(context: &Context) -> Result<usize, Error> {
    let jobs = job_queue::claim(context.db.pool(), context.now(), 16).await?;
    let count = jobs.len();
    stream::iter(jobs)
        .for_each_concurrent(WIDTH, |job| one(context, job))
        .await;
    Ok(count)
}

/// A job that panics has failed like any other: the runner and the other jobs of the round go on.
async fn unbroken(work: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(Error::internal("a job panicked")))
}

async fn one(context: &Context, job: Claimed) {
    let job = &job;
    let result = match JOBS.iter().find(|(kind, _)| *kind == job.kind) {
        Some((_, handler)) => unbroken(handler(context, job)).await,
        None => Err(Error::internal(format!("no handler for {}", job.kind))),
    };
    let Err(error) = result else {
        metrics::counter!("jobs_done_total", "kind" => job.kind.clone()).increment(1);
        return;
    };
    tracing::warn!(kind = %job.kind, attempts = job.attempts, ?error, "a job failed");
    match job_queue::fail(context.db.pool(), job, &format!("{error:?}"), context.now()).await {
        Ok(true) => {
            tracing::error!(kind = %job.kind, id = job.id, "a job is parked and needs a person: `server jobs list`")
        }
        Ok(false) => {}
        // Its lock runs out and another round takes it.
        Err(error) => tracing::warn!(?error, "a failed job could not be given back"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    #[allow(clippy::panic)]
    async fn a_job_that_panics_has_failed() {
        assert!(unbroken(async { Ok(()) }).await.is_ok());
        assert!(unbroken(async { panic!("beyond the end") }).await.is_err());
    }
}
