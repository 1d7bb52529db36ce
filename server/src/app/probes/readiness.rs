//! Whether this node can serve, looked at once a second at most.

use crate::foundation::{
    clock::SharedClock,
    context::Context,
    database::{self, Schema},
};
use serde::Serialize;
use sqlx::PgPool;
use std::time::Duration;
use time::OffsetDateTime;
use tokio::sync::Mutex;

/// How old an answer may be.
const KEPT: time::Duration = time::Duration::SECOND;
/// A database that has not answered after so long does not answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a node cannot serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// It was told to stop.
    Stopping,
    /// The database does not answer.
    Database,
    /// The database lacks a migration that this program needs.
    Schema,
}

/// What a node does without, and serves all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lack {
    /// The bus between nodes: what happens on others comes by the outbox, within a second.
    Redis,
    /// A program for the schema that is there already.
    Update,
}

/// The answer, as it is written.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub ready: bool,
    pub reasons: Vec<Reason>,
    pub degraded: Vec<Lack>,
}

/// What the last look at the database has found; `None` when it did not answer.
type Found = Option<Schema>;

pub struct Readiness {
    pool: PgPool,
    clock: SharedClock,
    last: Mutex<Option<(OffsetDateTime, Found)>>,
}

impl Readiness {
    /// Through the connections aside: a pool that is busy serving is no reason to be sent nothing.
    pub fn new(context: &Context) -> Self {
        Self {
            pool: context.db.aside().pool().clone(),
            clock: context.clock.clone(),
            last: Mutex::new(None),
        }
    }

    pub async fn answer(&self, stopping: bool, bus_connected: bool) -> Answer {
        let mut answer = Answer {
            ready: false,
            reasons: Vec::new(),
            degraded: Vec::new(),
        };
        if stopping {
            answer.reasons.push(Reason::Stopping);
        } else {
            match self.look().await {
                None => answer.reasons.push(Reason::Database),
                Some(Schema::Older) => answer.reasons.push(Reason::Schema),
                Some(Schema::Newer) => answer.degraded.push(Lack::Update),
                Some(Schema::Fits) => {}
            }
        }
        if !bus_connected {
            answer.degraded.push(Lack::Redis);
        }
        answer.ready = answer.reasons.is_empty();
        answer
    }

    /// Whoever asks while somebody else looks gets what that one finds.
    async fn look(&self) -> Found {
        let mut last = self.last.lock().await;
        let now = self.clock.now();
        if let Some((at, found)) = *last
            && now - at < KEPT
        {
            return found;
        }
        let found = match tokio::time::timeout(PATIENCE, database::schema(&self.pool)).await {
            Ok(Ok(schema)) => Some(schema),
            Ok(Err(error)) => {
                tracing::warn!(%error, "not ready: the database does not answer");
                None
            }
            Err(_) => {
                tracing::warn!("not ready: the database does not answer in time");
                None
            }
        };
        *last = Some((self.clock.now(), found));
        found
    }
}
