//! All sessions of the node, and whose they are: for the shared pulse, for revoking, for draining.

use super::Session;
use crate::{bus::Control, runtime::lock};
use protocol::{
    ids::{SessionId, UserId},
    server_message::CloseReason,
};
use std::{
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
};

const SHARDS: usize = 16;
/// A revocation is remembered for so long, for sessions whose authentication is under way when it comes.
const REMEMBERED_MS: u64 = 10_000;
/// Sessions looked at before others get their turn on the thread.
const CHUNK: usize = 512;

#[derive(Default)]
pub struct Directory {
    shards: [Mutex<HashMap<u64, Arc<Session>>>; SHARDS],
    users: Mutex<HashMap<UserId, Vec<Arc<Session>>>>,
    recent: Mutex<VecDeque<(u64, Control)>>,
}

/// Why a session may not be entered under its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Entered,
    TooMany,
    /// It was revoked between the question and now.
    Overtaken(CloseReason),
}

/// What a control word means for a session of `user`.
fn verdict(control: &Control, user: UserId, session: SessionId) -> Option<CloseReason> {
    match control {
        Control::RevokeSession(s) if *s == session => Some(CloseReason::Revoked),
        Control::RevokeUser(u) if *u == user => Some(CloseReason::Revoked),
        Control::ScopeChanged(u) if *u == user => Some(CloseReason::ScopeChanged),
        _ => None,
    }
}

impl Directory {
    fn shard(&self, id: u64) -> &Mutex<HashMap<u64, Arc<Session>>> {
        let [first, ..] = &self.shards;
        let index = usize::try_from(id % 16).unwrap_or_default();
        self.shards.get(index).unwrap_or(first)
    }

    pub fn insert(&self, session: Arc<Session>) {
        lock(self.shard(session.id)).insert(session.id, session);
    }

    pub fn remove(&self, session: &Session) {
        let mut shard = lock(self.shard(session.id));
        shard.remove(&session.id);
        if shard.is_empty() {
            *shard = HashMap::new();
        }
    }

    /// Enters a session under its user, unless that user has `limit` already.
    pub fn enter(
        &self,
        session: &Arc<Session>,
        user: UserId,
        id: SessionId,
        limit: usize,
        now: u64,
    ) -> Entry {
        let mut users = lock(&self.users);
        let overtaken = lock(&self.recent)
            .iter()
            // The newest word counts.
            .rev()
            .filter(|(at, _)| now.saturating_sub(*at) <= REMEMBERED_MS && *at >= session.asked_at())
            .find_map(|(_, control)| verdict(control, user, id));
        if let Some(reason) = overtaken {
            return Entry::Overtaken(reason);
        }
        let own = users.entry(user).or_insert_with(|| Vec::with_capacity(1));
        if own.len() >= limit {
            return Entry::TooMany;
        }
        own.push(session.clone());
        Entry::Entered
    }

    pub fn leave(&self, session: &Session, user: UserId) {
        let mut users = lock(&self.users);
        if let Some(own) = users.get_mut(&user) {
            own.retain(|s| s.id != session.id);
            if own.is_empty() {
                users.remove(&user);
            }
        }
        if users.is_empty() {
            *users = HashMap::new();
        }
    }

    /// Closes the sessions that a control word is about.
    pub fn obey(&self, control: &Control, now: u64) {
        let (user, session) = match control {
            Control::RevokeUser(user) | Control::ScopeChanged(user) => (Some(*user), None),
            Control::RevokeSession(session) => (None, Some(*session)),
            Control::Invalidate(_) => return,
        };
        let concerned: Vec<(Arc<Session>, CloseReason)> = {
            let users = lock(&self.users);
            {
                let mut recent = lock(&self.recent);
                recent.push_back((now, control.clone()));
                while recent
                    .front()
                    .is_some_and(|(at, _)| now.saturating_sub(*at) > REMEMBERED_MS)
                {
                    recent.pop_front();
                }
            }
            let of_user = user.and_then(|u| users.get(&u)).into_iter().flatten();
            let any = session.map(|_| users.values().flatten()).into_iter().flatten();
            of_user
                .chain(any)
                .filter_map(|s| {
                    let identity = s.identity()?;
                    Some((s.clone(), verdict(control, identity.user, identity.session)?))
                })
                .collect()
        };
        for (session, reason) in concerned {
            session.close(reason);
        }
    }

    /// Looks after sessions (deadlines, silence, heartbeats): at each call after one of so many parts, so that looking costs a
    /// quiet session little and never comes for all at once.
    pub async fn beat(&self, tick: u64, parts: usize, now: u64) {
        for session in self.part_in_chunks(tick, parts.clamp(1, SHARDS)) {
            for session in session {
                // The pulse is everybody's: what goes wrong with one session ends that session alone.
                if catch_unwind(AssertUnwindSafe(|| session.beat(now))).is_err() {
                    session.gone();
                }
            }
            tokio::task::yield_now().await;
        }
    }

    fn part_in_chunks(&self, tick: u64, parts: usize) -> impl Iterator<Item = Vec<Arc<Session>>> + '_ {
        let first = usize::try_from(tick).unwrap_or_default() % parts;
        self.shards.iter().skip(first).step_by(parts).flat_map(|shard| {
            let all: Vec<_> = lock(shard).values().cloned().collect();
            let mut all = all.into_iter();
            std::iter::from_fn(move || {
                let chunk: Vec<_> = all.by_ref().take(CHUNK).collect();
                (!chunk.is_empty()).then_some(chunk)
            })
        })
    }

    #[must_use]
    pub fn all(&self) -> Vec<Arc<Session>> {
        self.shards
            .iter()
            .flat_map(|shard| lock(shard).values().cloned().collect::<Vec<_>>())
            .collect()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Users with at least one session.
    #[must_use]
    pub fn users(&self) -> usize {
        lock(&self.users).len()
    }

    /// Who they are.
    #[must_use]
    pub fn present(&self) -> Vec<UserId> {
        lock(&self.users).keys().copied().collect()
    }
}
