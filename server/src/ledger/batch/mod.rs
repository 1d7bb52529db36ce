//! The batch writer: many callers' transfers, one commit; each is booked or refused on its own and awaits its own outcome.
//!
//! Orders come as data (transfer, facts, subject line), never as code, so that nothing a caller does can hold the commit up.
//! While batches are being written the next one gathers: the busier the ledger, the larger its batches. Batches under way share no
//! account: two that did would be written one after the other, with a connection and a core that wait. The queue is bounded; a caller beyond it waits. A commit whose answer was lost is looked up by its transaction's number and asked again
//! under its keys, so that "failed" means that nothing moved; only while the database stays away is it unknown, and the same
//! key finds it out later.

mod queue;

use super::{
    account::AccountRef,
    booking::{self, HeldAccounts, NewAccount, Order},
    model::{Posted, Transfer},
    rules::{self, Refusal},
    store,
};
use crate::{
    error::Error,
    foundation::{
        subjects,
        transaction::{Db, Tx},
    },
};
use futures_util::FutureExt as _;
use protocol::{ErrorCode, LiveEvent, StreamId};
use queue::{Queue, Waiting};
use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Semaphore, oneshot};
use uuid::Uuid;

/// An order with what is written beside it if, and only if, it is booked now.
#[derive(Clone, Debug)]
pub struct Entry {
    pub transfer: Transfer,
    pub facts: Vec<(StreamId, LiveEvent)>,
    pub subject: Option<subjects::Line>,
}

impl Entry {
    #[must_use]
    pub const fn new(transfer: Transfer) -> Self {
        Self {
            transfer,
            facts: Vec::new(),
            subject: None,
        }
    }
}

/// Sizes of the writer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Transfers that may wait; beyond it callers wait before they enter.
    pub queue: usize,
    /// Transfers of one commit.
    pub batch: usize,
    /// Batches under way at once.
    pub workers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            queue: 8_192,
            batch: 1_000,
            workers: 2,
        }
    }
}

type Outcome = Result<Posted, Error>;

/// An entry as it is written, worked out by its caller.
struct Prepared {
    order: Result<Order, Refusal>,
    facts: Vec<(StreamId, LiveEvent)>,
    subject: Option<subjects::Line>,
}

impl Prepared {
    /// Neighbours in the line use the same rows of busy house accounts, and the next batch others, so that it need not wait.
    fn of(entry: Entry, lane: u64, lanes: u64) -> Self {
        let seed = rules::seed(&entry.transfer.key);
        let seed = seed - seed % lanes + lane;
        Self {
            order: Order::on_stripes(entry.transfer, HeldAccounts::Refused, seed),
            facts: entry.facts,
            subject: entry.subject,
        }
    }
}

struct Job {
    entries: Vec<Prepared>,
    reply: oneshot::Sender<Vec<Outcome>>,
    _room: tokio::sync::OwnedSemaphorePermit,
}

impl Waiting for Job {
    fn transfers(&self) -> usize {
        self.entries.len()
    }

    fn rows(&self) -> impl Iterator<Item = Uuid> {
        self.accounts().map(|a| a.id)
    }

    fn own_rows(&self) -> impl Iterator<Item = Uuid> {
        let owned = |a: &&NewAccount| !matches!(a.account, AccountRef::House(_));
        self.accounts().filter(owned).map(|a| a.id)
    }
}

impl Job {
    fn accounts(&self) -> impl Iterator<Item = &NewAccount> {
        let orders = self.entries.iter().flat_map(|e| &e.order);
        orders.flat_map(|o| &o.accounts)
    }
}

/// Closes the queue with the last handle.
struct Door(Arc<Queue<Job>>);

impl Drop for Door {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A handle to the writer. The writer ends when the last handle is dropped and the queue is empty.
#[derive(Clone)]
pub struct BatchWriter {
    door: Arc<Door>,
    room: Arc<Semaphore>,
    limits: Limits,
    /// Transfers that were handed in so far.
    handed_in: Arc<AtomicUsize>,
}

impl BatchWriter {
    /// Starts the workers on the current runtime.
    #[must_use]
    pub fn start(db: &Db, limits: Limits) -> Self {
        let limits = Limits {
            queue: limits.queue.max(1),
            batch: limits.batch.max(1),
            workers: limits.workers.max(1),
        };
        let queue = Arc::new(Queue::default());
        for _ in 0..limits.workers {
            tokio::spawn(work(db.clone(), queue.clone(), limits.batch));
        }
        Self {
            door: Arc::new(Door(queue)),
            room: Arc::new(Semaphore::new(limits.queue)),
            limits,
            handed_in: Arc::default(),
        }
    }

    /// Books one transfer in the next batch.
    ///
    /// # Errors
    /// As `service::post`; `service.unavailable` when the database cannot be reached: nothing moved then.
    pub async fn submit(&self, entry: Entry) -> Outcome {
        let outcomes = self.submit_many(vec![entry]).await?;
        outcomes
            .into_iter()
            .next()
            .unwrap_or_else(|| Err(Error::internal("an order without an outcome")))
    }

    /// Books several transfers in their order and in one commit, each by itself booked or refused.
    ///
    /// # Errors
    /// `service.unavailable` when the writer has stopped.
    pub async fn submit_many(&self, entries: Vec<Entry>) -> Result<Vec<Outcome>, Error> {
        let stopped = || Error::code(ErrorCode::Unavailable);
        let places = u32::try_from(entries.len().min(self.limits.queue)).unwrap_or(u32::MAX);
        let room = self
            .room
            .clone()
            .acquire_many_owned(places)
            .await
            .map_err(|_| stopped())?;
        let (reply, outcome) = oneshot::channel();
        let place = self.handed_in.fetch_add(entries.len(), Ordering::Relaxed);
        let lane = place / self.limits.batch % self.limits.workers;
        let prepared = |entry| Prepared::of(entry, lane as u64, self.limits.workers as u64);
        self.door.0.push(Job {
            entries: entries.into_iter().map(prepared).collect(),
            reply,
            _room: room,
        });
        outcome.await.map_err(|_| stopped())
    }
}

async fn work(db: Db, queue: Arc<Queue<Job>>, batch: usize) {
    while let Some(taken) = queue.next(batch).await {
        let entries: Vec<&Prepared> = taken.iter().flat_map(|j| &j.entries).collect();
        let written = AssertUnwindSafe(write(&db, &entries)).catch_unwind().await;
        queue.done(&taken);
        // A panic is a fault of ours before the commit: its callers are told so by replies that nobody gives.
        let Ok(outcomes) = written else { continue };
        let mut outcomes = outcomes.into_iter();
        for job in taken {
            let own: Vec<Outcome> = outcomes.by_ref().take(job.entries.len()).collect();
            // A caller that went away has its outcome in the books, under its key.
            let _ = job.reply.send(own);
        }
    }
}

/// Why a batch as a whole did not come to be.
enum Failure {
    /// Before the commit: nothing was written.
    Before(Error),
    /// The commit was sent and its answer is lost.
    Commit { xid: String, error: Error },
}

/// How often a batch is tried again after a passing fault (a deadlock with a single post, a database that restarts).
const TRIES: u32 = 4;

/// Writes a batch. A fault that is one entry's own must not be everyone's: then the batch is halved until that entry is alone.
async fn write(db: &Db, entries: &[&Prepared]) -> Vec<Outcome> {
    let mut tried = 0;
    loop {
        tried += 1;
        let error = match attempt(db, entries).await {
            Ok(outcomes) => return outcomes.into_iter().map(|o| o.map_err(Error::from)).collect(),
            Err(Failure::Before(error)) => error,
            Err(Failure::Commit { xid, error }) => match look_up(db, &xid, entries).await {
                Some(outcomes) => return outcomes,
                None => error,
            },
        };
        let passing = error.error_code() == ErrorCode::Unavailable;
        if !passing && entries.len() > 1 {
            let (left, right) = entries.split_at(entries.len() / 2);
            let mut outcomes = Box::pin(write(db, left)).await;
            outcomes.extend(Box::pin(write(db, right)).await);
            return outcomes;
        }
        if tried >= TRIES || (!passing && tried > 1) {
            tracing::error!(?error, transfers = entries.len(), "a batch could not be written");
            let code = error.error_code();
            return entries.iter().map(|_| Err(Error::code(code))).collect();
        }
        tokio::time::sleep(Duration::from_millis(20 << tried)).await;
    }
}

async fn attempt(db: &Db, entries: &[&Prepared]) -> Result<Vec<Result<Posted, Refusal>>, Failure> {
    let mut tx = db.begin().await.map_err(Failure::Before)?;
    let outcomes = fill(&mut tx, entries).await.map_err(Failure::Before)?;
    let xid = store::current_xid(tx.conn()).await.map_err(Failure::Before)?;
    match tx.commit().await {
        Ok(_) => Ok(outcomes),
        Err(error) => Err(Failure::Commit { xid, error }),
    }
}

async fn fill(tx: &mut Tx, entries: &[&Prepared]) -> Result<Vec<Result<Posted, Refusal>>, Error> {
    let orders = entries.iter().map(|e| e.order.clone()).collect();
    let now = tx.now();
    let booked = booking::book(tx.conn(), now, orders).await?;
    for (user, accounts) in booked.touched {
        tx.emit(StreamId::User(user), LiveEvent::BalanceChanged { accounts });
    }
    let mut lines = Vec::new();
    for (entry, outcome) in entries.iter().zip(&booked.outcomes) {
        if outcome.as_ref().is_ok_and(|posted| !posted.replayed) {
            for (stream, fact) in &entry.facts {
                tx.emit(*stream, fact.clone());
            }
            lines.extend(entry.subject.clone());
        }
    }
    if !lines.is_empty() {
        subjects::upsert_many(tx, &lines).await?;
    }
    Ok(booked.outcomes)
}

/// What became of a commit whose answer was lost: its outcomes if it happened, `None` if it did not or cannot be known yet.
async fn look_up(db: &Db, xid: &str, entries: &[&Prepared]) -> Option<Vec<Outcome>> {
    for round in 0..6u32 {
        tokio::time::sleep(Duration::from_millis(25 << round)).await;
        match store::xact_status(db.pool(), xid).await {
            Ok(Some(status)) if status == "committed" => {
                // What was booked answers under its key; what was refused is decided anew, and nobody was told otherwise.
                return attempt(db, entries)
                    .await
                    .ok()
                    .map(|outcomes| outcomes.into_iter().map(|o| o.map_err(Error::from)).collect());
            }
            Ok(Some(status)) if status == "aborted" => return None,
            // Still running, or the database is not back yet.
            Ok(_) | Err(_) => {}
        }
    }
    None
}
