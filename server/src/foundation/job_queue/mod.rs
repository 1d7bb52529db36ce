//! Work that must happen after a change: enqueued in its transaction, done at least once, each outside effect once.
//!
//! A job's `effect` names what it brings about; a second job of the same effect is not stored, and an effect that was done
//! is remembered. Money jobs are never dropped: back-off, then [`parked`] with an alert.

pub mod parked;
mod store;

use crate::error::Error;
use serde::Serialize;
use time::{Duration, OffsetDateTime};

pub use store::{Claimed, Waiting, claim, complete, fail, is_late, keep, revive, waiting};

/// A job to be stored with a change.
#[derive(Clone, Debug)]
pub struct NewJob {
    pub kind: &'static str,
    /// Unique name of the effect, e.g. `licence.finalise:<id>`.
    pub effect: String,
    pub payload: serde_json::Value,
    /// Not before; the change's own time when none.
    pub run_at: Option<OffsetDateTime>,
}

impl NewJob {
    /// # Errors
    /// When the payload cannot be written as JSON.
    pub fn new(
        kind: &'static str,
        effect: impl Into<String>,
        payload: &impl Serialize,
    ) -> Result<Self, Error> {
        Ok(Self {
            kind,
            effect: effect.into(),
            payload: serde_json::to_value(payload)?,
            run_at: None,
        })
    }

    #[must_use]
    pub fn at(mut self, run_at: OffsetDateTime) -> Self {
        self.run_at = Some(run_at);
        self
    }
}

/// How long to wait after the n-th failure: 2 s, doubled up to 10 minutes.
#[must_use]
pub fn back_off(attempts: i32) -> Duration {
    let exponent = u32::try_from(attempts.clamp(1, 10)).unwrap_or(10);
    Duration::seconds((1i64 << exponent).min(600))
}
