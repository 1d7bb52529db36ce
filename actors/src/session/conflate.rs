//! Conflation of glimpses: of one key at most one in every gap (200 ms: five a second), and the newest wins. The first of a
//! quiet key leaves at once. Shared by all sessions that watch the same thing, so that the work is done once; pure.

use super::frame::Frame;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Keys that are remembered at most; a key beyond is refused until others have gone quiet.
const KEYS_MAX: usize = 4096;

struct Key {
    sent: Instant,
    pending: Option<Frame>,
}

/// A glimpse ready to be shown.
#[derive(Clone, Debug)]
pub struct Sight {
    pub key: Arc<str>,
    pub frame: Frame,
}

pub struct Conflator {
    gap: Duration,
    keys: HashMap<Arc<str>, Key>,
    waiting: usize,
}

impl Conflator {
    #[must_use]
    pub fn new(gap: Duration) -> Self {
        Self {
            gap,
            keys: HashMap::new(),
            waiting: 0,
        }
    }

    /// Whether nothing waits and nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether something will be due later.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// Takes a glimpse: gives it back when it may leave now, else it waits and replaces what waited under its key.
    pub fn offer(&mut self, sight: Sight, now: Instant) -> Option<Sight> {
        if let Some(key) = self.keys.get_mut(&sight.key) {
            if now.duration_since(key.sent) >= self.gap {
                key.sent = now;
                if key.pending.take().is_some() {
                    self.waiting -= 1;
                }
                return Some(sight);
            }
            if key.pending.replace(sight.frame).is_none() {
                self.waiting += 1;
            }
            return None;
        }
        if self.keys.len() >= KEYS_MAX {
            return None;
        }
        self.keys.insert(
            sight.key.clone(),
            Key {
                sent: now,
                pending: None,
            },
        );
        Some(sight)
    }

    /// What may leave now; quiet keys are forgotten.
    pub fn due(&mut self, now: Instant) -> Vec<Sight> {
        let mut due = vec![];
        let gap = self.gap;
        self.keys.retain(|name, key| {
            if now.duration_since(key.sent) < gap {
                return true;
            }
            match key.pending.take() {
                Some(frame) => {
                    key.sent = now;
                    due.push(Sight {
                        key: name.clone(),
                        frame,
                    });
                    true
                }
                None => false,
            }
        });
        self.waiting = self.waiting.saturating_sub(due.len());
        if self.keys.is_empty() {
            self.keys = HashMap::new();
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(key: &str, n: u32) -> Sight {
        Sight {
            key: key.into(),
            frame: Frame::text(&n.to_string()),
        }
    }

    #[test]
    fn five_a_second_and_the_newest_wins() {
        let gap = Duration::from_millis(200);
        let mut c = Conflator::new(gap);
        let start = Instant::now();
        let mut seen: Vec<(u32, String)> = vec![];
        for ms in 0..2000_u32 {
            let now = start + Duration::from_millis(u64::from(ms));
            seen.extend(c.due(now).into_iter().map(|s| (ms, s.frame.payload())));
            if ms < 1500 {
                seen.extend(c.offer(sight("a", ms), now).map(|s| (ms, s.frame.payload())));
            }
        }
        assert_eq!(seen.first(), Some(&(0, "0".into())));
        assert!(seen.windows(2).all(|w| w[1].0 - w[0].0 >= 200), "{seen:?}");
        assert_eq!(seen.last().map(|s| s.1.as_str()), Some("1499"));
        assert_eq!(seen.len(), 9);
        assert!(c.is_empty() && !c.waits());
    }

    #[test]
    fn keys_do_not_disturb_each_other() {
        let mut c = Conflator::new(Duration::from_millis(200));
        let now = Instant::now();
        assert!(c.offer(sight("a", 1), now).is_some());
        assert!(c.offer(sight("b", 2), now).is_some());
        assert!(c.offer(sight("a", 3), now).is_none());
        assert!(c.offer(sight("a", 4), now).is_none());
        assert!(c.waits());
        let due = c.due(now + Duration::from_millis(200));
        assert_eq!(due.iter().map(|s| s.frame.payload()).collect::<Vec<_>>(), ["4"]);
        assert!(!c.waits());
    }
}
