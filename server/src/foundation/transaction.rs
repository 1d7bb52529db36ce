//! One transaction holds the change, its facts, its jobs and its audit lines; after the commit the facts go to the relay.
//!
//! Stream heads are locked last and in sorted order: two transactions can wait for each other only in that order, and the
//! numbers of a stream are in commit order without a gap.

use super::{clock::SharedClock, job_queue::NewJob, outbox};
use crate::error::Error;
use protocol::{LiveEvent, StreamId, live_event::Numbered};
use sqlx::{PgConnection, PgPool, Postgres};
use std::sync::{Arc, PoisonError, RwLock};
use time::OffsetDateTime;

/// Where committed facts of this node go: the relay, and whoever acts on them. Called after the commit, never blocks; what it
/// misses a poll finds.
pub trait EventSink: Send + Sync + 'static {
    fn committed(&self, facts: &[Numbered]);
}

/// All who listen.
#[derive(Clone, Default)]
struct Sinks(Arc<RwLock<Vec<Arc<dyn EventSink>>>>);

impl Sinks {
    fn add(&self, sink: Arc<dyn EventSink>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(sink);
    }

    fn committed(&self, facts: &[Numbered]) {
        if facts.is_empty() {
            return;
        }
        for sink in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            sink.committed(facts);
        }
    }
}

/// Connections beside the pool.
const ASIDE: u32 = 4;
/// Connections for files of whole lists, which take long: as many are written at once.
const FILES: u32 = 3;

/// The database as rooms see it.
#[derive(Clone)]
pub struct Db {
    pool: PgPool,
    aside: PgPool,
    files: PgPool,
    clock: SharedClock,
    sinks: Sinks,
}

impl Db {
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock) -> Self {
        // Its own few connections: a change that waits here for one of the others' could wait for itself.
        let beside = |most| {
            pool.options()
                .clone()
                .min_connections(0)
                .max_connections(most)
                .connect_lazy_with((*pool.connect_options()).clone())
        };
        let (aside, files) = (beside(ASIDE), beside(FILES));
        Self {
            pool,
            aside,
            files,
            clock,
            sinks: Sinks::default(),
        }
    }

    /// The same database through a few connections of its own, for what a change under way must write whether or not it is
    /// committed (wrong tries). Only short statements that wait for nothing else belong here.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self {
            pool: self.aside.clone(),
            ..self.clone()
        }
    }

    /// For files of whole lists: few connections, so that they take none from other work.
    #[must_use]
    pub fn files(&self) -> &PgPool {
        &self.files
    }

    /// Tells this sink too, from now on and for as long as this database is open.
    pub fn listen(&self, sink: Arc<dyn EventSink>) {
        self.sinks.add(sink);
    }

    /// For reads that need no transaction.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Begins a change.
    ///
    /// # Errors
    /// `service.unavailable` when the database cannot be reached.
    pub async fn begin(&self) -> Result<Tx, Error> {
        Ok(Tx {
            inner: self.pool.begin().await?,
            now: self.clock.now(),
            facts: Vec::new(),
            jobs: Vec::new(),
            sinks: self.sinks.clone(),
        })
    }

    /// Hands over facts that were numbered and committed elsewhere (the ledger's batch writer).
    pub fn publish(&self, facts: &[Numbered]) {
        self.sinks.committed(facts);
    }
}

/// A change under way. Dropping it undoes everything.
pub struct Tx {
    inner: sqlx::Transaction<'static, Postgres>,
    now: OffsetDateTime,
    facts: Vec<(StreamId, LiveEvent)>,
    jobs: Vec<NewJob>,
    sinks: Sinks,
}

impl Tx {
    pub fn conn(&mut self) -> &mut PgConnection {
        &mut self.inner
    }

    /// The moment of this change: one and the same for all that it writes.
    #[must_use]
    pub const fn now(&self) -> OffsetDateTime {
        self.now
    }

    /// A fact on a stream; numbered at the commit, in the order of these calls.
    pub fn emit(&mut self, stream: StreamId, event: LiveEvent) {
        self.facts.push((stream, event));
    }

    /// A fact of which a transaction needs only one per stream: `merge` takes it into an earlier one (and says so), or it is
    /// added. For absolute values, where the last one says it all.
    pub fn emit_merged(
        &mut self,
        stream: StreamId,
        event: LiveEvent,
        merge: fn(&mut LiveEvent, &LiveEvent) -> bool,
    ) {
        let merged = self
            .facts
            .iter_mut()
            .any(|(s, earlier)| *s == stream && merge(earlier, &event));
        if !merged {
            self.emit(stream, event);
        }
    }

    /// A job that exists only if this change is committed.
    pub fn enqueue(&mut self, job: NewJob) {
        self.jobs.push(job);
    }

    /// Writes jobs and facts, commits, then hands the facts to the relay.
    ///
    /// # Errors
    /// Whatever the database refuses; nothing has happened then.
    pub async fn commit(mut self) -> Result<Vec<Numbered>, Error> {
        if !self.jobs.is_empty() {
            let jobs = std::mem::take(&mut self.jobs);
            super::job_queue::insert(&mut self.inner, &jobs, self.now).await?;
        }
        let facts = std::mem::take(&mut self.facts);
        let numbered = if facts.is_empty() {
            Vec::new()
        } else {
            outbox::append(&mut self.inner, facts, self.now).await?
        };
        self.inner.commit().await?;
        self.sinks.committed(&numbered);
        Ok(numbered)
    }

    /// Undoes everything, now rather than on drop.
    ///
    /// # Errors
    /// When the connection is gone; the change is undone all the same.
    pub async fn rollback(self) -> Result<(), Error> {
        Ok(self.inner.rollback().await?)
    }
}
