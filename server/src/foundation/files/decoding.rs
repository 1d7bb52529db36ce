//! How much of the machine looking at uploads may take, so that one person cannot stop everybody else's.
//!
//! A person has one upload at a time; few wait behind it, more are refused. All decodings together share a fixed amount of
//! memory, weighed by what a file's header says it will grow to. What is small has memory of its own, so that large pictures
//! never stand before it; within each share whoever came first goes first, so that a large one is not overtaken for ever.
//! Per process: every node guards its own memory.

use crate::{
    error::Error,
    foundation::turns::{Turn, Turns},
};
use protocol::{
    ErrorCode,
    ids::{FileId, UserId},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const MEGABYTE: u64 = 1024 * 1024;
/// What one large decoding may take at most, and all of them: a picture of 16 megapixels with 16 bits a channel, twice, and
/// its file.
pub const LARGE: u64 = 288 * MEGABYTE;
/// Screenshots and receipts: up to about four megapixels.
const SMALL: u64 = 64 * MEGABYTE;
const SMALL_EACH: u64 = 32 * MEGABYTE;
/// Nothing counts less than a quarter of its share: so at most four of each share are at work on the cores.
const AT_ONCE: u64 = 4;
const PATIENCE: Duration = Duration::from_secs(20);
/// How many wait while the small pictures of one file are made: a page that shows it to many.
const WAITING: usize = 32;

/// Places and memory for looking at uploads. One per process; cheap to clone.
#[derive(Clone, Debug)]
pub struct Decoding(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    turns: Turns,
    making: Turns<FileId>,
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
    in_use: AtomicU64,
    peak: AtomicU64,
    patience: Duration,
}

impl Default for Decoding {
    fn default() -> Self {
        Self::patient(PATIENCE)
    }
}

fn kibibytes(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

impl Decoding {
    /// All that decodings may take together, in bytes.
    pub const TOTAL: u64 = SMALL + LARGE;

    /// One whose uploads wait so long for their turn and for memory.
    #[must_use]
    pub fn patient(patience: Duration) -> Self {
        let permits = |bytes| Arc::new(Semaphore::new(usize::try_from(kibibytes(bytes)).unwrap_or(0)));
        Self(Arc::new(Inner {
            turns: Turns::new(patience, ErrorCode::FileBusy),
            making: Turns::of_many(patience, ErrorCode::Busy, WAITING),
            small: permits(SMALL),
            large: permits(LARGE),
            in_use: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            patience,
        }))
    }

    /// A person's turn: one upload at a time, from its first byte to its last look.
    ///
    /// # Errors
    /// `file.busy` when others of theirs wait already, or when the one before takes too long.
    pub async fn turn(&self, user: UserId) -> Result<Turn, Error> {
        self.0.turns.turn(user).await
    }

    /// The turn to make the small pictures of a file: whoever has waited for it looks first whether they are there.
    ///
    /// # Errors
    /// `service.busy` when many wait already, or when the one before takes too long.
    pub async fn making(&self, file: FileId) -> Result<Turn<FileId>, Error> {
        self.0.making.turn(file).await
    }

    /// Memory for one decoding, held until it is dropped.
    ///
    /// # Errors
    /// `file.dimensions` for more than anything may take; `service.busy` after a wait.
    pub async fn memory(&self, bytes: u64) -> Result<Memory, Error> {
        let (share, all) = if bytes <= SMALL_EACH {
            (&self.0.small, SMALL)
        } else {
            (&self.0.large, LARGE)
        };
        if bytes > all {
            return Err(Error::code(ErrorCode::FileDimensions));
        }
        let bytes = bytes.max(all / AT_ONCE);
        let wait = Arc::clone(share).acquire_many_owned(kibibytes(bytes));
        let permit = tokio::time::timeout(self.0.patience, wait)
            .await
            .map_err(|_| Error::code(ErrorCode::Busy).retry_after(10))?
            .map_err(|_| Error::internal("the memory for decodings was closed"))?;
        let now = self.0.in_use.fetch_add(bytes, Relaxed) + bytes;
        self.0.peak.fetch_max(now, Relaxed);
        Ok(Memory {
            decoding: self.clone(),
            bytes,
            permit,
        })
    }

    /// What decodings have taken now, in bytes.
    #[must_use]
    pub fn in_use(&self) -> u64 {
        self.0.in_use.load(Relaxed)
    }

    /// The most that they have had at one moment.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Relaxed)
    }

    /// How many ask for small pictures of a file that are made now.
    #[must_use]
    pub fn askers(&self, file: FileId) -> usize {
        self.0.making.line(file)
    }

    /// How many people have an upload at work or waiting.
    #[must_use]
    pub fn people_at_it(&self) -> usize {
        self.0.turns.people_at_it()
    }
}

/// Memory of one decoding.
#[derive(Debug)]
pub struct Memory {
    decoding: Decoding,
    bytes: u64,
    permit: OwnedSemaphorePermit,
}

impl Memory {
    /// Gives back all but so much: what was decoded is gone, and what came of it is still there.
    pub fn shrink(&mut self, bytes: u64) {
        let more = self.bytes.saturating_sub(bytes) / 1024;
        let back = usize::try_from(more)
            .ok()
            .and_then(|more| self.permit.split(more));
        if back.is_some() {
            self.bytes -= more * 1024;
            self.decoding.0.in_use.fetch_sub(more * 1024, Relaxed);
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.decoding.0.in_use.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[actix_web::test]
    async fn large_ones_share_their_memory_and_leave_the_small_ones_theirs() {
        let decoding = Decoding::patient(Duration::from_secs(3600));
        let large = decoding.memory(LARGE).await.unwrap();
        let mut next = Box::pin(decoding.memory(LARGE / 2));
        assert!(next.as_mut().now_or_never().is_none());
        let small = decoding.memory(1).await.unwrap();
        assert_eq!(decoding.in_use(), LARGE + SMALL / AT_ONCE);
        drop(large);
        let next = next.await.unwrap();
        // A smaller large one finds room beside it; what is beyond all memory is never begun.
        drop(decoding.memory(SMALL_EACH + 1).await.unwrap());
        let beyond = decoding
            .memory(LARGE + 1)
            .await
            .map(drop)
            .map_err(|e| e.error_code());
        assert_eq!(beyond, Err(ErrorCode::FileDimensions));
        // What was decoded is given back before what came of it: another finds room.
        let mut next = next;
        next.shrink(LARGE / 4);
        assert_eq!(decoding.in_use(), LARGE / 4 + SMALL / AT_ONCE);
        next.shrink(LARGE);
        assert_eq!(decoding.in_use(), LARGE / 4 + SMALL / AT_ONCE);
        drop(decoding.memory(LARGE * 3 / 4).await.unwrap());
        drop((next, small));
        assert_eq!(decoding.in_use(), 0);
        assert!(decoding.peak() <= Decoding::TOTAL);
    }

    #[actix_web::test]
    async fn a_files_small_pictures_are_made_by_one_and_others_wait() {
        let decoding = Decoding::patient(Duration::from_secs(3600));
        let (file, other) = (FileId::fresh(), FileId::fresh());
        let first = decoding.making(file).await.unwrap();
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(decoding.making(file))).collect();
        for turn in &mut waiting {
            assert!(turn.as_mut().now_or_never().is_none());
        }
        let refused = decoding.making(file).await.map(drop);
        assert_eq!(refused.map_err(|e| e.error_code()), Err(ErrorCode::Busy));
        drop(decoding.making(other).await.unwrap());
        drop(first);
        for turn in waiting {
            drop(turn.await.unwrap());
        }
    }
}
