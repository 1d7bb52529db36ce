//! Every job and schedule on one page, and the runner that does them: at least once, each effect once.
//!
//! A handler opens its own transaction, brings the effect about, calls [`job_queue::complete`] in that transaction and
//! commits. A schedule is a job whose effect names its slot in time, so that one node does it, once.

use crate::{
    affiliates,
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed, NewJob},
        mail, maintenance,
    },
    identity, ledger, licences, notifications, pix, pools, robots, rulebook, wallet,
};
use futures_util::{StreamExt, future::BoxFuture, stream};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Does one job.
pub type Handler = for<'a> fn(&'a Context, &'a Claimed) -> BoxFuture<'a, Result<(), Error>>;

/// Handlers by kind.
pub const JOBS: &[(&str, Handler)] = &[
    ("foundation.prune", |context, job| {
        Box::pin(maintenance::prune(context, job))
    }),
    ("identity.prune", |context, job| {
        Box::pin(identity::jobs::prune(context, job))
    }),
    ("mail.send", |context, job| {
        Box::pin(mail::smtp::send_job(context, job))
    }),
    ("affiliates.place", |context, job| {
        Box::pin(affiliates::jobs::place(context, job))
    }),
    ("pix.time_out", |context, job| {
        Box::pin(pix::jobs::time_out(context, job))
    }),
    ("pix.withdrawals_expire", |context, job| {
        Box::pin(pix::jobs::expire_withdrawals(context, job))
    }),
    ("pix.rate", |context, job| {
        Box::pin(pix::jobs::refresh_rate(context, job))
    }),
    (wallet::deposits::jobs::HAND_OVER, |context, job| {
        Box::pin(wallet::deposits::jobs::hand_over(context, job))
    }),
    (notifications::queues::OLD_QUEUES, |context, job| {
        Box::pin(notifications::queues::look(context, job))
    }),
    (wallet::withdrawals::jobs::EXPIRE, |context, job| {
        Box::pin(wallet::withdrawals::jobs::expire(context, job))
    }),
    (wallet::hot::jobs::SIGNER, |context, job| {
        Box::pin(wallet::hot::jobs::look(context, job))
    }),
    (licences::service::FINALISE, |context, job| {
        Box::pin(licences::jobs::finalise(context, job))
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
    (pools::service::EXIT, |context, job| {
        Box::pin(pools::jobs::exit(context, job))
    }),
    (pools::service::CLOSING, |context, job| {
        Box::pin(pools::jobs::close(context, job))
    }),
];

/// Job kinds that run once in every slot of so many seconds.
pub const SCHEDULES: &[(&str, i64)] = &[
    ("foundation.prune", 3_600),
    ("identity.prune", 3_600),
    ("pix.time_out", 60),
    ("pix.withdrawals_expire", 60),
    ("pix.rate", 60),
    (notifications::queues::OLD_QUEUES, 600),
    (wallet::withdrawals::jobs::EXPIRE, 60),
    (wallet::hot::jobs::SIGNER, 60),
    (ledger::jobs::VERIFY, 86_400),
    (ledger::jobs::EXPIRE_HOLDS, 60),
    (robots::days::CLOSE, 3_600),
    // Looks whether a day is over and has something to share: at 00:05 of São Paulo, or as soon as this runs again.
    (pools::service::CLOSING, 300),
];

/// How many jobs of one claim run side by side.
const WIDTH: usize = 4;

/// Runs jobs until told to stop; then finishes what is under way.
pub async fn run(context: Context, wake: Arc<Notify>, stop: CancellationToken) {
    let mut last_slots = vec![0i64; SCHEDULES.len()];
    while !stop.is_cancelled() {
        if let Err(error) = schedule(&context, &mut last_slots).await {
            tracing::warn!(?error, "schedules wait");
        }
        let worked = match round(&context).await {
            Ok(count) => count > 0,
            Err(error) => {
                tracing::warn!(?error, "the job queue waits");
                false
            }
        };
        if !worked {
            tokio::select! {
                () = stop.cancelled() => break,
                () = wake.notified() => {}
                () = tokio::time::sleep(Duration::from_millis(500)) => {}
            }
        }
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
        .for_each_concurrent(WIDTH, |job| async move { one(context, &job).await })
        .await;
    Ok(count)
}

async fn one(context: &Context, job: &Claimed) {
    let result = match JOBS.iter().find(|(kind, _)| *kind == job.kind) {
        Some((_, handler)) => handler(context, job).await,
        None => Err(Error::internal(format!("no handler for {}", job.kind))),
    };
    let Err(error) = result else {
        metrics::counter!("jobs_done_total", "kind" => job.kind.clone()).increment(1);
        return;
    };
    tracing::warn!(kind = %job.kind, attempts = job.attempts, ?error, "a job failed");
    match job_queue::fail(context.db.pool(), job, &format!("{error:?}"), context.now()).await {
        Ok(true) => tracing::error!(kind = %job.kind, id = job.id, "a job is parked and needs a person"),
        Ok(false) => {}
        // Its lock runs out and another round takes it.
        Err(error) => tracing::warn!(?error, "a failed job could not be given back"),
    }
}
