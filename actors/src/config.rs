//! Sizes, times and limits of the real-time part; the defaults are the documented contract.

use std::{sync::Arc, time::Duration};
use time::OffsetDateTime;

/// Wall time, given by the server's clock.
pub type WallClock = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

#[derive(Clone)]
pub struct Config {
    pub clock: WallClock,
    /// This process, as the others on the bus see it.
    pub node: protocol::ids::NodeId,
    /// Threads that sessions and stream actors are spread over; 0 keeps everything on the caller's own arbiter.
    pub arbiters: usize,
    pub auth_deadline: Duration,
    /// Mean time between heartbeats; each is drawn from ± 10 %.
    pub heartbeat: Duration,
    /// A peer that sent nothing, not even a pong, for this long is gone.
    pub silence: Duration,
    /// How long a closed session may still flush before its socket is dropped.
    pub close_grace: Duration,
    /// Bytes that may wait for one session.
    pub queue_bytes: usize,
    /// Glimpses with one key are at least this far apart.
    pub glimpse_gap: Duration,
    /// Facts a stream keeps in memory for resuming, and their bytes at most.
    pub ring_events: usize,
    pub ring_bytes: usize,
    /// Facts fetched from the database for one resume; a client that missed more gets a reset.
    pub replay_max: usize,
    /// How long a fact ahead of a gap waits for its predecessor before the database is asked.
    pub gap_grace: Duration,
    /// How long a stream nobody listens to stays, so that reconnecting clients resume from memory.
    pub linger: Duration,
    /// Every await on a port ends after this.
    pub port_timeout: Duration,
    /// Messages a client may send: a burst, and so many a second.
    pub inbound_burst: u32,
    pub inbound_per_second: u32,
    pub subscriptions_per_session: usize,
    pub sessions_per_node: usize,
    pub sessions_per_user: usize,
    pub unauthenticated_per_address: usize,
    pub unauthenticated_per_node: usize,
}

impl Config {
    /// The documented figures, for the given clock.
    #[must_use]
    pub fn new(clock: WallClock) -> Self {
        Self {
            clock,
            node: protocol::ids::NodeId::fresh(),
            arbiters: std::thread::available_parallelism().map_or(2, usize::from),
            auth_deadline: Duration::from_secs(5),
            heartbeat: Duration::from_secs(25),
            silence: Duration::from_secs(33),
            close_grace: Duration::from_secs(2),
            queue_bytes: 1024 * 1024,
            glimpse_gap: Duration::from_millis(200),
            ring_events: 256,
            ring_bytes: 128 * 1024,
            replay_max: 500,
            gap_grace: Duration::from_millis(25),
            linger: Duration::from_secs(30),
            port_timeout: Duration::from_secs(5),
            inbound_burst: 60,
            inbound_per_second: 20,
            subscriptions_per_session: 32,
            sessions_per_node: 50_000,
            sessions_per_user: 20,
            unauthenticated_per_address: 20,
            unauthenticated_per_node: 1_000,
        }
    }
}
