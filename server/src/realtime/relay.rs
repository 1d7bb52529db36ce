//! Committed facts on their way to the actors: directly after the commit, and once a second from the outbox, so that what
//! another node committed, or what was lost on the way, comes too.

use crate::{
    foundation::{
        outbox::{self, Cursor},
        transaction::{Db, EventSink},
    },
    identity::closing,
};
use actors::Realtime;
use protocol::{LiveEvent, StreamId, ids::UserId, live_event::Numbered};
use std::time::Duration;
use time::OffsetDateTime;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The direct way. Never blocks the committing request.
pub struct Relay {
    queue: mpsc::Sender<Vec<Numbered>>,
}

/// Commits that may wait for the actors; what does not fit comes by the poll.
const WAITING: usize = 4_096;

impl Relay {
    #[must_use]
    pub fn new(realtime: Realtime) -> Self {
        let (queue, mut inbox) = mpsc::channel::<Vec<Numbered>>(WAITING);
        actix_web::rt::spawn(async move {
            while let Some(facts) = inbox.recv().await {
                let left = left(&facts);
                realtime.deliver(facts);
                shut_out(&realtime, left);
            }
        });
        Self { queue }
    }
}

impl EventSink for Relay {
    fn committed(&self, facts: &[Numbered]) {
        if self.queue.try_send(facts.to_vec()).is_err() {
            metrics::counter!("relay_overflow_total").increment(1);
        }
    }
}

/// Whose accounts were closed: a job does that, which knows no sockets.
fn left(facts: &[Numbered]) -> Vec<UserId> {
    let closed = facts.iter().filter_map(|fact| match (&fact.stream, &fact.event) {
        (StreamId::User(user), LiveEvent::UserChanged { reason }) if reason == closing::FACT => Some(*user),
        _ => None,
    });
    closed.collect()
}

fn shut_out(realtime: &Realtime, left: Vec<UserId>) {
    for user in left {
        realtime.revoke_user(user);
    }
}

/// Facts per read of the outbox.
const BATCH: i64 = 1_000;

/// Reads the outbox until told to stop; begins behind everything that has ended before, since those who connect later
/// subscribe at the present number.
pub async fn poll(db: Db, realtime: Realtime, every: Duration, stop: CancellationToken) {
    let mut cursor: Option<Cursor> = None;
    loop {
        let read = match cursor {
            None => outbox::cursor_now(db.pool())
                .await
                .map(|start| (Vec::new(), start)),
            Some(cursor) => outbox::poll(db.pool(), cursor, BATCH).await,
        };
        let full = match read {
            Ok((facts, next)) => {
                cursor = Some(next);
                note(&db, &facts);
                let full = i64::try_from(facts.len()).unwrap_or(0) == BATCH;
                if !facts.is_empty() {
                    let left = left(&facts);
                    realtime.deliver_polled(facts);
                    shut_out(&realtime, left);
                }
                full
            }
            Err(error) => {
                tracing::warn!(?error, "the outbox cannot be read");
                false
            }
        };
        if full {
            continue;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
    }
}

/// How far behind the poll is: what it found, and how long the first of it had lain there.
fn note(db: &Db, facts: &[Numbered]) {
    let now = db.now();
    let age = facts
        .first()
        .map_or(Duration::ZERO, |f| (now - f.at).unsigned_abs());
    metrics::gauge!("outbox_read_facts").set(u32::try_from(facts.len()).unwrap_or(u32::MAX));
    metrics::gauge!("outbox_age_seconds").set(age);
    metrics::gauge!("outbox_read_timestamp_seconds").set((now - OffsetDateTime::UNIX_EPOCH).unsigned_abs());
}
