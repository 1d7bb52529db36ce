//! One thing at a time for each person, where one of its kind is heavy: whoever asks for many makes only themselves wait. Or for each thing of
//! another kind, where two who want the same would both make it. Per process.

use crate::error::Error;
use protocol::{ErrorCode, ids::UserId};
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many of one person wait while another of theirs is at work.
const WAITING: usize = 2;

/// Who is at work, and who waits behind their own. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Turns<K: Copy + Eq + Hash = UserId>(Arc<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    people: Mutex<HashMap<K, Arc<Line>>>,
    patience: Duration,
    busy: ErrorCode,
    waiting: usize,
}

/// What one person has asked for.
#[derive(Debug)]
struct Line(Arc<Semaphore>);

/// Statements and reports as documents: they lie in memory until they have been read.
static EXPORTS: LazyLock<Turns> = LazyLock::new(|| Turns::new(Duration::from_secs(30), ErrorCode::Busy));

/// Lists as files, statements among them: nobody waits for a turn, the person is told.
static LISTS: LazyLock<Turns> = LazyLock::new(|| Turns::new(Duration::ZERO, ErrorCode::ExportBusy));

/// A person's turn to have a list written as a file.
///
/// # Errors
/// `export.busy` while another of theirs is written or read.
pub async fn list(user: UserId) -> Result<Turn, Error> {
    LISTS.turn(user).await
}

/// A person's turn to have a statement or report written as a document.
///
/// # Errors
/// `service.busy` when others of theirs wait already.
pub async fn export(user: UserId) -> Result<Turn, Error> {
    EXPORTS.turn(user).await
}

impl<K: Copy + Eq + Hash> Turns<K> {
    /// Turns that are waited for so long; `busy` says that there are too many.
    #[must_use]
    pub fn new(patience: Duration, busy: ErrorCode) -> Self {
        Self::of_many(patience, busy, WAITING)
    }

    /// The same, with another number of those that wait.
    #[must_use]
    pub fn of_many(patience: Duration, busy: ErrorCode, waiting: usize) -> Self {
        Self(Arc::new(Inner {
            people: Mutex::default(),
            patience,
            busy,
            waiting,
        }))
    }

    /// A person's turn, held until it is dropped.
    ///
    /// # Errors
    /// The code given at the beginning, when others of theirs wait already or the one before takes too long.
    pub async fn turn(&self, user: K) -> Result<Turn<K>, Error> {
        let busy = || Error::code(self.0.busy).retry_after(5);
        let place = {
            let mut people = self.people();
            let line = people
                .entry(user)
                .or_insert_with(|| Arc::new(Line(Arc::new(Semaphore::new(1)))));
            // One count is the map's own; the others are the one at work and those that wait.
            if Arc::strong_count(line) - 1 > self.0.waiting {
                return Err(busy());
            }
            Place {
                turns: self.clone(),
                user,
                line: Arc::clone(line),
            }
        };
        let permit = tokio::time::timeout(self.0.patience, Arc::clone(&place.line.0).acquire_owned())
            .await
            .map_err(|_| busy())?
            .map_err(|_| Error::internal("a person's line was closed"))?;
        Ok(Turn {
            _permit: permit,
            _place: place,
        })
    }

    /// How many people are at work or wait.
    #[must_use]
    pub fn people_at_it(&self) -> usize {
        self.people().len()
    }

    /// How many are at work or wait behind this one.
    #[must_use]
    pub fn line(&self, of: K) -> usize {
        self.people()
            .get(&of)
            .map_or(0, |line| Arc::strong_count(line) - 1)
    }

    fn people(&self) -> MutexGuard<'_, HashMap<K, Arc<Line>>> {
        self.0.people.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A person's turn.
#[derive(Debug)]
pub struct Turn<K: Copy + Eq + Hash = UserId> {
    // The permit goes before the place: whoever finds the line empty finds it free.
    _permit: OwnedSemaphorePermit,
    _place: Place<K>,
}

/// A place at work or in the line.
#[derive(Debug)]
struct Place<K: Copy + Eq + Hash> {
    turns: Turns<K>,
    user: K,
    line: Arc<Line>,
}

impl<K: Copy + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut people = self.turns.people();
        // The map's and this one: nobody else of this person is here.
        if Arc::strong_count(&self.line) == 2 {
            people.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[actix_web::test]
    async fn a_person_has_one_turn_and_a_short_line() {
        let turns = Turns::new(Duration::from_secs(3600), ErrorCode::FileBusy);
        let (ana, rui) = (UserId::fresh(), UserId::fresh());
        let first = turns.turn(ana).await.unwrap();
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(turns.turn(ana))).collect();
        for turn in &mut waiting {
            assert!(turn.as_mut().now_or_never().is_none());
        }
        let refused = turns.turn(ana).await.map(drop).map_err(|e| e.error_code());
        assert_eq!(refused, Err(ErrorCode::FileBusy));
        drop(turns.turn(rui).await.unwrap());
        drop(first);
        drop(waiting.remove(0).await.unwrap());
        // Who goes away while waiting leaves the line.
        drop(waiting);
        assert_eq!(turns.people_at_it(), 0);
        turns.turn(ana).await.unwrap();
    }
}
