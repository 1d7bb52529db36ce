//! Time is passed in. Tests set it; nothing else in the server asks the system.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicI64, Ordering},
};
use time::OffsetDateTime;

/// A source of the present moment, in UTC with microsecond precision (what PostgreSQL keeps).
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> OffsetDateTime;
}

pub type SharedClock = Arc<dyn Clock>;

/// The system's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)] // the one place that asks
    fn now(&self) -> OffsetDateTime {
        truncate(OffsetDateTime::now_utc())
    }
}

/// A clock that runs with the system's, shifted by what was added: for tests, and for the days behind a fresh demo.
#[derive(Debug, Default)]
pub struct ShiftedClock {
    shift_micros: AtomicI64,
    stopped: OnceLock<OffsetDateTime>,
}

impl ShiftedClock {
    /// From here on it goes by [`Self::advance`] alone: for what a minute that begins would change.
    pub fn stop(&self) {
        self.stopped.get_or_init(|| SystemClock.now());
    }

    pub fn advance(&self, by: time::Duration) {
        self.shift_micros.fetch_add(
            i64::try_from(by.whole_microseconds()).unwrap_or(i64::MAX),
            Ordering::SeqCst,
        );
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> OffsetDateTime {
        let base = self.stopped.get().copied().unwrap_or_else(|| SystemClock.now());
        base + time::Duration::microseconds(self.shift_micros.load(Ordering::SeqCst))
    }
}

/// Cut to microseconds, so that a value read back equals the value written.
fn truncate(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_nanosecond(at.nanosecond() / 1_000 * 1_000)
        .unwrap_or(at)
}
