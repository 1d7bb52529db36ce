//! Actors by id: find one, or start it. The registry holds weak handles only, so an actor lives exactly as long as somebody
//! needs it; a short memory keeps those that have just become idle, so that reconnecting clients find them warm.

use super::lock;
use std::{
    collections::{HashMap, VecDeque, hash_map::RandomState},
    hash::{BuildHasher, Hash},
    sync::{Arc, Mutex, Weak},
    time::Duration,
};
use tokio::time::Instant;

const SHARDS: usize = 16;

pub struct Registry<K, H> {
    shards: [Mutex<HashMap<K, Weak<H>>>; SHARDS],
    hasher: RandomState,
    lingering: Mutex<VecDeque<(Instant, Arc<H>)>>,
}

impl<K, H> Default for Registry<K, H> {
    fn default() -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
            lingering: Mutex::default(),
        }
    }
}

impl<K: Hash + Eq + Copy, H> Registry<K, H> {
    /// A number that spreads ids evenly, also over arbiters.
    pub fn spread(&self, id: &K) -> usize {
        usize::try_from(self.hasher.hash_one(id) & 0xFFFF_FFFF).unwrap_or_default()
    }

    fn shard(&self, id: &K) -> &Mutex<HashMap<K, Weak<H>>> {
        // Always within the array; the fallback satisfies a reader who does not want to prove it.
        let [first, ..] = &self.shards;
        self.shards.get(self.spread(id) % SHARDS).unwrap_or(first)
    }

    pub fn find(&self, id: &K) -> Option<Arc<H>> {
        lock(self.shard(id)).get(id)?.upgrade()
    }

    /// The living actor, or the one that `start` starts. At most one lives per id.
    pub fn find_or_start(&self, id: K, start: impl FnOnce() -> Arc<H>) -> Arc<H> {
        let mut shard = lock(self.shard(&id));
        if let Some(handle) = shard.get(&id).and_then(Weak::upgrade) {
            return handle;
        }
        let handle = start();
        shard.insert(id, Arc::downgrade(&handle));
        handle
    }

    /// Forgets an id whose actor is gone; a successor that has been started meanwhile stays.
    pub fn forget(&self, id: &K) {
        let mut shard = lock(self.shard(id));
        if shard.get(id).is_some_and(|weak| weak.strong_count() == 0) {
            shard.remove(id);
        }
        if shard.is_empty() {
            *shard = HashMap::new();
        }
    }

    /// Keeps an idle actor for a while.
    pub fn linger(&self, handle: Arc<H>, until: Instant) {
        lock(&self.lingering).push_back((until, handle));
    }

    /// Lets go of those whose time is over.
    pub fn sweep(&self, now: Instant) {
        loop {
            let over = {
                let mut lingering = lock(&self.lingering);
                if lingering.front().is_none_or(|(until, _)| *until > now) {
                    if lingering.is_empty() {
                        *lingering = VecDeque::new();
                    }
                    return;
                }
                lingering.pop_front()
            };
            // Dropped outside the lock: the last handle takes its actor along, which calls back here.
            drop(over);
        }
    }

    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The living actors whose ids are wanted.
    pub fn all(&self, wanted: impl Fn(&K) -> bool) -> Vec<(K, Arc<H>)> {
        let mut all = vec![];
        for shard in &self.shards {
            let shard = lock(shard);
            all.extend(
                shard
                    .iter()
                    .filter(|(id, _)| wanted(id))
                    .filter_map(|(id, h)| Some((*id, h.upgrade()?))),
            );
        }
        all
    }
}

/// Threads for actors: none of them is blocked by another's work.
pub struct Arbiters {
    own: Vec<actix::Arbiter>,
    handles: Vec<actix::ArbiterHandle>,
}

impl Arbiters {
    /// Must be called on a running actix system; 0 takes the caller's own arbiter.
    #[must_use]
    pub fn start(count: usize) -> Self {
        let own: Vec<_> = (0..count).map(|_| actix::Arbiter::new()).collect();
        let mut handles: Vec<_> = own.iter().map(actix::Arbiter::handle).collect();
        if handles.is_empty() {
            handles.push(actix::Arbiter::current());
        }
        Self { own, handles }
    }

    #[must_use]
    pub fn pick(&self, spread: usize) -> &actix::ArbiterHandle {
        // There is at least one; modulo keeps the index inside.
        #[allow(clippy::indexing_slicing)]
        &self.handles[spread % self.handles.len()]
    }
}

impl Drop for Arbiters {
    fn drop(&mut self) {
        for arbiter in &self.own {
            arbiter.stop();
        }
    }
}

/// How long an idle actor stays, seen from now.
#[must_use]
pub fn after(linger: Duration) -> Instant {
    Instant::now() + linger
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_starts_once_forgets_and_lingers() {
        let registry: Registry<u32, String> = Registry::default();
        assert!(registry.find(&1).is_none());
        let a = registry.find_or_start(1, || Arc::new("a".into()));
        let again = registry.find_or_start(1, || panic!("started twice"));
        assert!(Arc::ptr_eq(&a, &again));
        registry.forget(&1);
        assert!(registry.find(&1).is_some(), "a living one is not forgotten");
        let now = Instant::now();
        registry.linger(a, now + Duration::from_secs(1));
        drop(again);
        registry.sweep(now);
        assert!(registry.find(&1).is_some());
        registry.sweep(now + Duration::from_secs(1));
        assert!(registry.find(&1).is_none());
        registry.forget(&1);
        assert!(registry.is_empty());
        let b = registry.find_or_start(1, || Arc::new("b".into()));
        assert_eq!((b.as_str(), registry.len()), ("b", 1));
    }
}
