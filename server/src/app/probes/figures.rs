//! The page of figures: what the rooms have counted, and what is looked up when somebody reads it.

use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Waiting},
    },
    jobs::JOBS,
    wallet::hot,
};
use actors::Realtime;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::{sync::OnceLock, time::Duration};
use time::OffsetDateTime;
use tokio::sync::Mutex;

/// How old what was looked up in the database may be.
const KEPT: time::Duration = time::Duration::seconds(5);
/// The page comes without it when it takes longer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Of every duration, in seconds.
const BUCKETS: [f64; 12] = [
    0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Every figure of the program, with the sentence that stands beside it on the page.
#[rustfmt::skip]
pub const FIGURES: &[(&str, Kind, &str)] = &[
    ("build_info", Kind::Gauge, "1, with the program's version."),
    ("process_start_time_seconds", Kind::Gauge, "When this process began to serve."),
    ("http_request_seconds", Kind::Histogram, "Requests by method, route (as the table writes it, below /api) and class of status."),
    ("sockets", Kind::Gauge, "Open sockets, also those that have not said yet who they are."),
    ("sockets_unauthenticated", Kind::Gauge, "Sockets that have not said yet who they are."),
    ("socket_users", Kind::Gauge, "People with a socket on this node."),
    ("socket_bytes_queued", Kind::Gauge, "Bytes that wait for slow peers."),
    ("sessions_closed_total", Kind::Counter, "Sockets that this node closed, by reason."),
    ("sessions_refused_total", Kind::Counter, "Sockets for which there was no place."),
    ("stream_actors", Kind::Gauge, "Stream actors alive."),
    ("actors_rebuilt_total", Kind::Counter, "Actors that panicked and were made anew."),
    ("bus_connected", Kind::Gauge, "1 while the bus between the nodes is there."),
    ("bus_dropped_total", Kind::Counter, "Messages that the bus could not carry; facts among them come by the outbox."),
    ("facts_deferred_total", Kind::Counter, "Facts that came before their turn."),
    ("relay_overflow_total", Kind::Counter, "Commits whose facts had no place on the direct way; they come by the outbox."),
    ("outbox_read_facts", Kind::Gauge, "Facts in the last read of the outbox; 1000 means that there are more."),
    ("outbox_age_seconds", Kind::Gauge, "Age of the first fact in the last read of the outbox; 0 when there was none."),
    ("outbox_read_timestamp_seconds", Kind::Gauge, "When the outbox was last read."),
    ("push_messages_total", Kind::Counter, "Messages that this node handed to push services, by outcome: taken, later, gone, refused."),
    ("jobs_done_total", Kind::Counter, "Jobs that this node has done, by kind."),
    ("jobs_due", Kind::Gauge, "Jobs whose time has come, by kind; mail.send is the queue of mails."),
    ("jobs_oldest_seconds", Kind::Gauge, "How long the first due job has waited, by kind."),
    ("jobs_parked", Kind::Gauge, "Jobs that need a person, by kind."),
    ("database_connections", Kind::Gauge, "Open connections of the pool."),
    ("database_connections_idle", Kind::Gauge, "Those of them that nobody uses."),
    ("database_connections_max", Kind::Gauge, "How many there may be."),
    ("database_read", Kind::Gauge, "0 when the figures of queue and signer could not be looked up; they are old then."),
    ("signer_alive", Kind::Gauge, "1 when somebody has signed, or was ready to, within the last minute."),
    ("settlement_batch_seconds", Kind::Histogram, "Batches of the desk's results, from the order to the commit."),
    ("desk_halts_total", Kind::Counter, "How often the desk was halted."),
    ("feed_unreadable_total", Kind::Counter, "Messages of venues that could not be read, by venue."),
    ("chain_watched_here", Kind::Gauge, "1 on the node that reads the chain."),
    ("chain_lag_blocks", Kind::Gauge, "Blocks between the chain's head and what was read, on the node that reads it."),
    ("chain_halted", Kind::Gauge, "1 while nothing is credited because the chain has changed its mind."),
    ("chain_watch_troubles_total", Kind::Counter, "Rounds of the watcher that failed."),
    ("sender_troubles_total", Kind::Counter, "Rounds of the sender that failed."),
    ("sender_halted_total", Kind::Counter, "How often a sender found nonces that it does not know."),
    ("sender_unbooked_total", Kind::Counter, "Transactions on the chain that could not be booked."),
    ("hot_wallet_alerts_total", Kind::Counter, "Alerts of the hot wallet, by kind."),
    ("wallet_allowances_left_total", Kind::Counter, "Allowances that could not be taken back."),
    ("ledger_differences_total", Kind::Counter, "How often the ledger was not exact."),
    ("audit_differences_total", Kind::Counter, "How often the chain over the audit was not whole."),
    ("files_removed_total", Kind::Counter, "Files of nobody that were removed: bytes without a row, a day old."),
    ("files_missing", Kind::Gauge, "Files that have a row but no bytes, when it was last looked."),
    ("files_of_nobody", Kind::Gauge, "Files without a row that were left, because they were too many to believe it."),
    ("files_shelves_of_others", Kind::Gauge, "1 when the place of the files is another database's, or this one is a copy: nothing is removed there."),
    ("payouts_broken_total", Kind::Counter, "Approved payouts that differ from what was approved and wait, once a round."),
    ("reconciliations_short_total", Kind::Counter, "How often the venue held less than the books."),
];

static PAGE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// From now on everything that is counted is kept; the same for every server of a process. None when somebody else counts.
pub fn install() -> Option<&'static PrometheusHandle> {
    let begin = || {
        let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).ok()?;
        let handle = builder.install_recorder().ok()?;
        for (name, kind, sentence) in FIGURES {
            match kind {
                Kind::Counter => metrics::describe_counter!(*name, *sentence),
                Kind::Gauge => metrics::describe_gauge!(*name, *sentence),
                Kind::Histogram => metrics::describe_histogram!(*name, *sentence),
            }
        }
        Some(handle)
    };
    PAGE.get_or_init(begin).as_ref()
}

/// Sums up what was measured since the last time, which otherwise waits for a reader.
pub fn tidy() {
    if let Some(page) = install() {
        page.run_upkeep();
    }
}

/// What one server tells on its page.
pub struct Figures {
    looked: Mutex<Option<OffsetDateTime>>,
}

impl Figures {
    pub fn new(now: OffsetDateTime) -> Self {
        install();
        metrics::gauge!("build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
        metrics::gauge!("process_start_time_seconds").set((now - OffsetDateTime::UNIX_EPOCH).unsigned_abs());
        Self {
            looked: Mutex::new(None),
        }
    }

    /// The page, in Prometheus' text format.
    pub async fn page(&self, context: &Context, realtime: &Realtime) -> String {
        own(context, realtime);
        self.look(context).await;
        install().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Asks the database, at most every five seconds and once at a time.
    async fn look(&self, context: &Context) {
        let mut looked = self.looked.lock().await;
        let now = context.now();
        if looked.is_some_and(|at| now - at < KEPT) {
            return;
        }
        let found = tokio::time::timeout(PATIENCE, stored(context, now)).await;
        let read = matches!(found, Ok(Ok(())));
        metrics::gauge!("database_read").set(u32::from(read));
        *looked = Some(now);
    }
}

/// What this process knows by itself.
fn own(context: &Context, realtime: &Realtime) {
    let (stats, pool) = (realtime.stats(), context.db.pool());
    metrics::gauge!("sockets").set(count(stats.sessions));
    metrics::gauge!("sockets_unauthenticated").set(count(stats.unauthenticated));
    metrics::gauge!("socket_users").set(count(stats.users));
    metrics::gauge!("socket_bytes_queued").set(count(stats.queued_bytes));
    metrics::gauge!("stream_actors").set(count(stats.actors));
    metrics::gauge!("bus_connected").set(u32::from(stats.bus_connected));
    metrics::gauge!("database_connections").set(pool.size());
    metrics::gauge!("database_connections_idle").set(count(pool.num_idle()));
    metrics::gauge!("database_connections_max").set(pool.options().get_max_connections());
}

/// What stands in the database.
async fn stored(context: &Context, now: OffsetDateTime) -> Result<(), Error> {
    let aside = context.db.aside();
    let waiting = job_queue::waiting(aside.pool(), now).await?;
    // Every kind, also those that have nothing left.
    for (kind, _) in JOBS {
        let line = waiting.iter().find(|line| line.kind == *kind);
        let of = |what: fn(&Waiting) -> i64| count(line.map_or(0, what));
        let oldest = line.and_then(|line| line.oldest);
        let age = oldest.map_or(Duration::ZERO, |at| (now - at).unsigned_abs());
        metrics::gauge!("jobs_due", "kind" => *kind).set(of(|line| line.due));
        metrics::gauge!("jobs_parked", "kind" => *kind).set(of(|line| line.parked));
        metrics::gauge!("jobs_oldest_seconds", "kind" => *kind).set(age);
    }
    let signing = hot::jobs::is_signing(aside.pool(), now).await?;
    metrics::gauge!("signer_alive").set(u32::from(signing));
    Ok(())
}

fn count(value: impl TryInto<u32>) -> u32 {
    value.try_into().unwrap_or(u32::MAX)
}
