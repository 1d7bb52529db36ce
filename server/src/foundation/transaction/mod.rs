//! One transaction holds the change, its facts, its jobs and its audit lines; after the commit the facts go to the relay.
//!
//! What a change says of itself (audit lines, what others may point at, jobs, the first answer, facts) is gathered and written at its
//! end with one call (2026-11-24; each was a statement where it arose).
//!
//! Stream heads are locked last and in sorted order: two transactions can wait for each other only in that order, and the
//! numbers of a stream are in commit order without a gap.

mod ending;
mod store;

pub use ending::{Answer, AuditLine, Ending, SubjectLine};

use super::{clock::SharedClock, job_queue::NewJob};
use crate::error::{Error, violates};
use protocol::{ErrorCode, LiveEvent, StreamId, live_event::Numbered, money::Usdt};
use sqlx::{PgConnection, PgPool, Postgres, postgres::PgDatabaseError};
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use time::{Date, OffsetDateTime};

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
/// Connections for files of whole lists, which take long: as many are written at once, and the others wait for so long. Who reads
/// one keeps none ([`super::spool`]).
const FILES: u32 = 3;
/// Connections that change nothing, for who looks at what somebody else sees.
const LOOKS: u32 = 4;
const FILES_WAIT: Duration = Duration::from_secs(30);

/// The database as rooms see it.
#[derive(Clone)]
pub struct Db {
    pool: PgPool,
    aside: PgPool,
    files: PgPool,
    looks: PgPool,
    clock: SharedClock,
    sinks: Sinks,
}

impl Db {
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock) -> Self {
        // Its own few connections: a change that waits here for one of the others' could wait for itself.
        let wait = pool.options().get_acquire_timeout();
        let beside = |most, wait, options| {
            pool.options()
                .clone()
                .min_connections(0)
                .max_connections(most)
                .acquire_timeout(wait)
                .connect_lazy_with(options)
        };
        let plain = || (*pool.connect_options()).clone();
        let (aside, files) = (beside(ASIDE, wait, plain()), beside(FILES, FILES_WAIT, plain()));
        // PostgreSQL itself refuses whatever would be written through these.
        let looks = beside(
            LOOKS,
            wait,
            plain().options([("default_transaction_read_only", "on")]),
        );
        Self {
            pool,
            aside,
            files,
            looks,
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

    /// The same database through connections whose every transaction is read-only: what would be written is refused by the database.
    #[must_use]
    pub fn read_only(&self) -> Self {
        Self {
            pool: self.looks.clone(),
            aside: self.looks.clone(),
            files: self.looks.clone(),
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
            ending: Ending::default(),
            places: HashMap::new(),
            open_day: None,
            sinks: self.sinks.clone(),
        })
    }

    /// Begins a look: all that it asks sees one state of the database, and nothing is changed.
    ///
    /// # Errors
    /// `service.unavailable` when the database cannot be reached.
    pub async fn snapshot(&self) -> Result<Tx, Error> {
        let mut tx = self.begin().await?;
        store::snapshot(tx.conn()).await?;
        Ok(tx)
    }
}

/// A change under way. Dropping it undoes everything.
pub struct Tx {
    inner: sqlx::Transaction<'static, Postgres>,
    now: OffsetDateTime,
    ending: Ending,
    /// Places of the facts of each stream.
    places: HashMap<StreamId, Vec<usize>>,
    /// As it was asked for; it stays so until the change ends.
    open_day: Option<Date>,
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

    pub(super) const fn open_day(&self) -> Option<Date> {
        self.open_day
    }

    pub(super) const fn set_open_day(&mut self, day: Date) {
        self.open_day = Some(day);
    }

    /// A fact on a stream; numbered at the commit, in the order of these calls.
    pub fn emit(&mut self, stream: StreamId, event: LiveEvent) {
        self.places
            .entry(stream)
            .or_default()
            .push(self.ending.facts.len());
        self.ending.facts.push((stream, event));
    }

    /// A fact of which a transaction needs only one per stream: `merge` takes it into an earlier one (and says so), or it is
    /// added. For absolute values, where the last one says it all.
    pub fn emit_merged(
        &mut self,
        stream: StreamId,
        event: LiveEvent,
        merge: fn(&mut LiveEvent, &LiveEvent) -> bool,
    ) {
        let earlier = self.places.get(&stream).map_or(&[][..], Vec::as_slice);
        let facts = &mut self.ending.facts;
        let merged = earlier.iter().any(|place| {
            let fact = facts.get_mut(*place);
            fact.is_some_and(|(_, earlier)| merge(earlier, &event))
        });
        if !merged {
            self.emit(stream, event);
        }
    }

    /// A job that exists only if this change is committed, and once: not while its effect waits or when it is done.
    pub fn enqueue(&mut self, job: NewJob) {
        self.ending.jobs.push(job);
    }

    /// A line of the audit log.
    pub fn note(&mut self, line: AuditLine) {
        self.ending.audit.push(line);
    }

    /// A thing that others may point at, as it is now.
    pub fn show(&mut self, line: SubjectLine) {
        self.ending.subjects.push(line);
    }

    /// What the key of this change's call is answered from now on.
    pub fn answer(&mut self, answer: Answer) {
        self.ending.answer = Some(answer);
    }

    /// Writes what was gathered, commits, then hands the facts to the relay.
    ///
    /// # Errors
    /// Whatever the database refuses; nothing has happened then.
    pub async fn commit(mut self) -> Result<Vec<Numbered>, Error> {
        let ending = std::mem::take(&mut self.ending);
        let numbered = ending.write(&mut self.inner, self.now).await?;
        self.inner.commit().await.map_err(refused_at_the_end)?;
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

/// What the database looks at again at the commit it refuses in words too: young money, with what may leave (the guard's
/// `outbound.young`, when a change in between took the older money).
#[track_caller]
fn refused_at_the_end(error: sqlx::Error) -> Error {
    let free = violates(&error, "outbound_young")
        .then(|| {
            error
                .as_database_error()?
                .try_downcast_ref::<PgDatabaseError>()?
                .detail()
        })
        .flatten()
        .and_then(|free| free.parse().ok());
    match free {
        Some(free) => Error::code(ErrorCode::OutboundYoung)
            .with("free", Usdt(free).brief())
            .field("value", ErrorCode::OutboundYoung),
        None => error.into(),
    }
}
