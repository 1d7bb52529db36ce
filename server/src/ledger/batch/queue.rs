//! Who waits for the batch writer, and who goes into the next batch: batches under way share no account, so that they are written
//! beside each other instead of one after the other, and of two that share somebody's account the earlier goes first.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::Notify;
use uuid::Uuid;

/// Something that waits: how many transfers it is, and which accounts' rows they move.
pub trait Waiting {
    fn transfers(&self) -> usize;
    fn rows(&self) -> impl Iterator<Item = Uuid>;
    /// Those on which nobody is overtaken. Not the house's: one that waits for somebody's account would hold up everybody.
    fn own_rows(&self) -> impl Iterator<Item = Uuid>;
}

/// The line that waits, and what is being written.
struct Line<J> {
    waiting: VecDeque<J>,
    /// Transfers that wait.
    size: usize,
    /// Rows of the batches under way.
    under_way: HashSet<Uuid>,
}

impl<J> Default for Line<J> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            size: 0,
            under_way: HashSet::new(),
        }
    }
}

impl<J: Waiting> Line<J> {
    fn push(&mut self, job: J) {
        self.size += job.transfers();
        self.waiting.push_back(job);
    }

    /// The oldest whose accounts nobody is writing, until there are `most` transfers. Whoever has to wait is not overtaken on their
    /// own accounts, so that these are free one day; then the first batch that finds the house's free takes them.
    fn take(&mut self, most: usize) -> Vec<J> {
        let (mut taken, mut size) = (Vec::new(), 0);
        let mut passed_over = VecDeque::new();
        let mut kept: HashSet<Uuid> = HashSet::new();
        while size < most
            && let Some(job) = self.waiting.pop_front()
        {
            if job
                .rows()
                .any(|row| self.under_way.contains(&row) || kept.contains(&row))
            {
                kept.extend(job.own_rows());
                passed_over.push_back(job);
            } else {
                size += job.transfers();
                taken.push(job);
            }
        }
        passed_over.append(&mut self.waiting);
        self.waiting = passed_over;
        self.size -= size;
        self.under_way.extend(taken.iter().flat_map(Waiting::rows));
        taken
    }

    fn done(&mut self, written: &[J]) {
        for row in written.iter().flat_map(Waiting::rows) {
            self.under_way.remove(&row);
        }
    }
}

/// Shared by those who hand in and those who write.
pub struct Queue<J> {
    line: Mutex<Line<J>>,
    closed: AtomicBool,
    news: Notify,
}

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self {
            line: Mutex::default(),
            closed: false.into(),
            news: Notify::new(),
        }
    }
}

impl<J: Waiting> Queue<J> {
    fn line(&self) -> MutexGuard<'_, Line<J>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, job: J) {
        self.line().push(job);
        self.news.notify_waiters();
    }

    /// The next batch, as soon as there is one that can be written; none when nobody can hand in any more and nobody waits.
    pub async fn next(&self, most: usize) -> Option<Vec<J>> {
        loop {
            let news = self.news.notified();
            tokio::pin!(news);
            news.as_mut().enable();
            // Callers who were just answered come back one by one: as long as a turn brings more of them, one more turn.
            let mut size = 0;
            loop {
                let before = size;
                size = self.line().size;
                if size >= most || size == before {
                    break;
                }
                tokio::task::yield_now().await;
            }
            let batch = self.line().take(most);
            if !batch.is_empty() {
                return Some(batch);
            }
            if self.closed.load(Ordering::Acquire) && self.line().waiting.is_empty() {
                return None;
            }
            news.await;
        }
    }

    /// A batch has its outcome: its accounts may be moved again.
    pub fn done(&self, written: &[J]) {
        self.line().done(written);
        self.news.notify_waiters();
    }

    /// Nobody hands in any more.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.news.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    struct Job {
        number: usize,
        transfers: usize,
        rows: Vec<u128>,
    }

    impl Waiting for Job {
        fn transfers(&self) -> usize {
            self.transfers
        }

        fn rows(&self) -> impl Iterator<Item = Uuid> {
            self.rows.iter().copied().map(Uuid::from_u128)
        }

        fn own_rows(&self) -> impl Iterator<Item = Uuid> {
            self.rows().filter(|row| row.as_u128() >= HOUSE)
        }
    }

    /// Rows below are the house's.
    const HOUSE: u128 = 3;

    #[derive(Clone, Debug)]
    enum Step {
        Push(usize, Vec<u128>),
        Take(usize),
        Done(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (1usize..3, prop::collection::vec(0u128..12, 0..4)).prop_map(|(n, rows)| Step::Push(n, rows)),
            2 => (1usize..6).prop_map(Step::Take),
            2 => (0usize..4).prop_map(Step::Done),
        ];
        prop::collection::vec(step, 0..80)
    }

    proptest! {
        /// Batches under way share no account, the jobs of somebody's account are written in the order in which they came, and all are
        /// written.
        #[test]
        fn batches_are_apart_and_nobody_is_overtaken(steps in steps()) {
            let mut line = Line::default();
            let mut under_way: Vec<Vec<Job>> = Vec::new();
            let (mut pushed, mut written) = (0, Vec::new());
            let drain = std::iter::repeat_n([Step::Take(usize::MAX), Step::Done(0)], 200).flatten();
            for step in steps.into_iter().chain(drain) {
                match step {
                    Step::Push(transfers, rows) => {
                        line.push(Job { number: pushed, transfers, rows });
                        pushed += 1;
                    }
                    Step::Take(most) => {
                        let batch = line.take(most);
                        let before: usize = batch.split_last().map_or(0, |(_, rest)| rest.iter().map(Waiting::transfers).sum());
                        prop_assert!(before < most, "the last one had a place");
                        for other in &under_way {
                            let theirs: HashSet<Uuid> = other.iter().flat_map(Waiting::rows).collect();
                            prop_assert!(batch.iter().flat_map(Waiting::rows).all(|row| !theirs.contains(&row)));
                        }
                        written.extend(batch.iter().map(|job| (job.number, job.rows.clone())));
                        if !batch.is_empty() {
                            under_way.push(batch);
                        }
                    }
                    Step::Done(which) => {
                        if !under_way.is_empty() {
                            let batch = under_way.remove(which % under_way.len());
                            line.done(&batch);
                        }
                    }
                }
                prop_assert_eq!(line.size, line.waiting.iter().map(Waiting::transfers).sum::<usize>());
            }
            prop_assert_eq!(written.len(), pushed);
            for row in HOUSE..12 {
                let order: Vec<usize> = written.iter().filter(|(_, rows)| rows.contains(&row)).map(|(n, _)| *n).collect();
                prop_assert!(order.is_sorted(), "{row}: {order:?}");
            }
            prop_assert!(line.under_way.is_empty());
        }
    }
}
