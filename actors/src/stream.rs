//! A stream's recent facts and what a subscriber needs of them; pure, no I/O and no clock.
//!
//! Invariants: the ring holds the frames `first..=head` of one epoch without a gap; what comes twice is ignored; what comes
//! ahead of a gap waits, bounded, and is never shown before its predecessors; a resume is whole or it is a reset.

use crate::{ports::Head, session::frame::Frame};
use std::collections::{BTreeMap, VecDeque};

/// Facts that may wait ahead of a gap. More are forgotten: closing the gap from the database brings them back.
const AHEAD_MAX: usize = 256;

/// What became of a fact that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// Known already, or of an older epoch.
    Old,
    /// The head moved: frames after the returned number are new.
    Grown { after: i64 },
    /// A predecessor is missing.
    Gap,
    /// The stream was renumbered: nothing that is known here holds any more.
    NewEpoch,
}

/// What a client that was at some place needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// From memory: every frame above `after` (maybe none).
    Replay { after: i64 },
    /// Older than the memory: the database has to be asked for what follows `after`.
    Ask { after: i64 },
    /// The client is ahead of what is known here: look at the database's head before deciding.
    Ahead,
    /// Not resumable.
    Reset,
}

#[derive(Debug)]
pub struct Ring {
    epoch: i32,
    head: i64,
    frames: VecDeque<Frame>,
    bytes: usize,
    max_frames: usize,
    max_bytes: usize,
    ahead: BTreeMap<i64, Frame>,
}

impl Ring {
    #[must_use]
    pub fn new(head: Head, max_frames: usize, max_bytes: usize) -> Self {
        Self {
            epoch: head.epoch,
            head: head.seq,
            frames: VecDeque::new(),
            bytes: 0,
            max_frames,
            max_bytes,
            ahead: BTreeMap::new(),
        }
    }

    #[must_use]
    pub const fn head(&self) -> Head {
        Head {
            epoch: self.epoch,
            seq: self.head,
        }
    }

    /// The number of the oldest frame kept; `head + 1` when none is.
    #[must_use]
    pub fn first(&self) -> i64 {
        self.head + 1 - i64::try_from(self.frames.len()).unwrap_or(i64::MAX)
    }

    #[must_use]
    pub fn has_gap(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Takes a fact in, wherever it came from and however often.
    pub fn accept(&mut self, at: Head, frame: impl FnOnce() -> Frame) -> Accepted {
        if at.epoch < self.epoch || (at.epoch == self.epoch && at.seq <= self.head) {
            return Accepted::Old;
        }
        if at.epoch > self.epoch {
            return Accepted::NewEpoch;
        }
        if at.seq > self.head + 1 {
            self.ahead.entry(at.seq).or_insert_with(frame);
            if self.ahead.len() > AHEAD_MAX {
                self.ahead.pop_last();
            }
            return Accepted::Gap;
        }
        let after = self.head;
        self.append(frame());
        while let Some(next) = self.ahead.remove(&(self.head + 1)) {
            self.append(next);
        }
        Accepted::Grown { after }
    }

    fn append(&mut self, frame: Frame) {
        self.head += 1;
        self.bytes += frame.len();
        self.frames.push_back(frame);
        // What waited ahead and has been overtaken by the database's answer is of no use any more.
        if let Some((first, _)) = self.ahead.first_key_value()
            && *first <= self.head
        {
            let later = self.ahead.split_off(&(self.head + 1));
            self.ahead = later;
        }
    }

    /// Cuts the memory to its bounds; called after a fan-out, which still needs every new frame.
    pub fn trim(&mut self) {
        while self.frames.len() > self.max_frames || self.bytes > self.max_bytes {
            match self.frames.pop_front() {
                Some(old) => self.bytes -= old.len(),
                None => break,
            }
        }
        // Peak buffers would otherwise stay for the stream's life.
        if self.frames.is_empty() {
            self.frames = VecDeque::new();
        }
    }

    /// Whether every frame above `after` is in memory.
    #[must_use]
    pub fn covers(&self, after: i64) -> bool {
        after <= self.head && after + 1 >= self.first()
    }

    /// The frames above `after`, in order; nothing when they are not all here.
    pub fn since(&self, after: i64) -> impl Iterator<Item = &Frame> {
        let skip = if self.covers(after) {
            usize::try_from(after + 1 - self.first()).unwrap_or(usize::MAX)
        } else {
            usize::MAX
        };
        self.frames.iter().skip(skip)
    }

    /// What a client needs that asks for everything after `place` (or from now on).
    #[must_use]
    pub fn resume(&self, place: Option<Head>) -> Resume {
        match place {
            None => Resume::Replay { after: self.head },
            Some(p) if p.epoch > self.epoch => Resume::Ahead,
            Some(p) if p.epoch != self.epoch || p.seq < 0 => Resume::Reset,
            Some(p) if p.seq > self.head => Resume::Ahead,
            Some(p) if self.covers(p.seq) => Resume::Replay { after: p.seq },
            Some(p) => Resume::Ask { after: p.seq },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(n: i64) -> Frame {
        Frame::text(&n.to_string())
    }
    fn at(seq: i64) -> Head {
        Head { epoch: 1, seq }
    }
    fn ring(head: i64, max: usize) -> Ring {
        Ring::new(at(head), max, 1 << 20)
    }
    fn offer(ring: &mut Ring, n: i64) -> Accepted {
        ring.accept(at(n), || frame(n))
    }
    fn texts(ring: &Ring, after: i64) -> Vec<String> {
        ring.since(after).map(Frame::payload).collect()
    }

    #[test]
    fn grows_ignores_doubles_and_holds_back_what_is_ahead() {
        let mut r = ring(4, 8);
        assert_eq!(offer(&mut r, 4), Accepted::Old);
        assert_eq!(offer(&mut r, 5), Accepted::Grown { after: 4 });
        assert_eq!(offer(&mut r, 5), Accepted::Old);
        assert_eq!(offer(&mut r, 8), Accepted::Gap);
        assert_eq!(offer(&mut r, 7), Accepted::Gap);
        assert!(r.has_gap());
        assert_eq!(r.head(), at(5));
        assert_eq!(offer(&mut r, 6), Accepted::Grown { after: 5 });
        assert_eq!(texts(&r, 5), ["6", "7", "8"]);
        assert!(!r.has_gap());
        assert_eq!(r.accept(Head { epoch: 0, seq: 99 }, || frame(99)), Accepted::Old);
        assert_eq!(
            r.accept(Head { epoch: 2, seq: 1 }, || frame(1)),
            Accepted::NewEpoch
        );
    }

    #[test]
    fn decides_how_to_resume() {
        let mut r = ring(10, 4);
        assert_eq!(r.resume(None), Resume::Replay { after: 10 });
        assert_eq!(r.resume(Some(at(10))), Resume::Replay { after: 10 });
        assert_eq!(r.resume(Some(at(9))), Resume::Ask { after: 9 });
        for n in 11..=16 {
            offer(&mut r, n);
        }
        r.trim();
        assert_eq!(r.first(), 13);
        assert_eq!(r.resume(Some(at(12))), Resume::Replay { after: 12 });
        assert_eq!(texts(&r, 12), ["13", "14", "15", "16"]);
        assert_eq!(r.resume(Some(at(11))), Resume::Ask { after: 11 });
        assert_eq!(texts(&r, 11), Vec::<String>::new());
        assert_eq!(r.resume(Some(at(17))), Resume::Ahead);
        assert_eq!(r.resume(Some(at(-1))), Resume::Reset);
        assert_eq!(r.resume(Some(Head { epoch: 0, seq: 16 })), Resume::Reset);
        assert_eq!(r.resume(Some(Head { epoch: 2, seq: 1 })), Resume::Ahead);
    }

    #[test]
    fn bytes_bound_the_memory_too() {
        let mut r = Ring::new(at(0), 1000, 100);
        for n in 1..=100 {
            r.accept(at(n), || Frame::text(&"x".repeat(30)));
            r.trim();
        }
        assert!(r.bytes <= 100);
        assert_eq!(r.frames.len(), 3);
        r.accept(at(101), || Frame::text(&"x".repeat(300)));
        assert_eq!(r.since(100).count(), 1);
        r.trim();
        assert_eq!((r.bytes, r.frames.len(), r.head().seq), (0, 0, 101));
    }

    proptest! {
        /// Whatever the order, the doubles and the losses: the ring is always a gap-free tail, and once every fact has come, it ends at the last.
        #[test]
        fn any_order_of_arrival_gives_the_same_stream(mut order in proptest::collection::vec(1_i64..60, 0..300)) {
            let mut r = ring(0, 40);
            for n in &order {
                offer(&mut r, *n);
                r.trim();
                let tail = texts(&r, r.first() - 1);
                let wanted: Vec<_> = (r.first()..=r.head().seq).map(|n| n.to_string()).collect();
                prop_assert_eq!(tail, wanted);
            }
            order.sort_unstable();
            order.dedup();
            let contiguous = order.iter().zip(1_i64..).take_while(|(a, b)| **a == *b).count();
            prop_assert_eq!(r.head().seq, i64::try_from(contiguous).unwrap_or(0));
        }
    }
}
