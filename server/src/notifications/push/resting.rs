//! Services that are left alone for a while: one that does not answer, or says that it cannot now, is asked for nobody until then.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use time::{Duration, OffsetDateTime};

/// The longest that one answer has a whole service wait: it may have meant one device alone.
const LONGEST: Duration = Duration::minutes(5);

/// By their origin, and until when.
#[derive(Default)]
pub struct Resting(Mutex<HashMap<String, OffsetDateTime>>);

impl Resting {
    fn all(&self) -> MutexGuard<'_, HashMap<String, OffsetDateTime>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much longer a service is left alone.
    pub fn rest(&self, origin: &str, now: OffsetDateTime) -> Option<Duration> {
        let until = self.all().get(origin).copied()?;
        Some(until - now).filter(|rest| rest.is_positive())
    }

    /// Leaves a service alone for so long, or for as long as was said before. Whose rest is over is forgotten.
    pub fn leave(&self, origin: &str, rest: Duration, now: OffsetDateTime) {
        let until = now + rest.min(LONGEST);
        let mut all = self.all();
        all.retain(|_, until| *until > now);
        if until > now {
            let known = all.entry(origin.to_owned()).or_insert(until);
            *known = until.max(*known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_service_rests_for_the_longest_that_was_said_and_no_other_does() {
        let (now, resting) = (datetime!(2026-11-28 12:00 UTC), Resting::default());
        let rest = |origin: &str, later| resting.rest(origin, now + Duration::seconds(later));
        assert_eq!(rest("a", 0), None);
        resting.leave("a", Duration::seconds(90), now);
        resting.leave("a", Duration::seconds(30), now);
        assert_eq!(rest("a", 60), Some(Duration::seconds(30)));
        assert_eq!(rest("b", 60), None);
        assert_eq!(rest("a", 90), None);
        resting.leave("b", Duration::HOUR, now);
        assert_eq!(rest("b", 0), Some(LONGEST));
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let (now, resting) = (datetime!(2026-11-28 12:00 UTC), Resting::default());
        resting.leave("a", Duration::ZERO, now);
        assert!(resting.all().is_empty());
        resting.leave("a", Duration::SECOND, now);
        resting.leave("b", Duration::SECOND, now + Duration::MINUTE);
        assert_eq!(resting.all().len(), 1);
    }
}
