//! What waits to be written to one peer: bounded, counted in bytes, written without waiting.
//!
//! An idle peer is written to at once by whoever has something for it; only what the socket does not take is queued. A
//! backlog leaves in merged writes. Glimpses never join a backlog: the newest of each key waits beside it and leaves last.
//! Nothing is allocated while a peer keeps up, and the queue's memory is given back when it has drained.

use super::frame::Frame;
use bytes::Bytes;
use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, IoSlice},
    sync::Arc,
    task::{Context, Poll},
};

/// Frames handed to the kernel in one call.
const MERGE: usize = 64;

/// The connection under a session. Dropping it closes the socket, whoever does it and whatever is stuck in it.
pub trait Wire: Send {
    /// Writes what the peer takes now; `WouldBlock` when it takes nothing.
    fn try_write(&mut self, bytes: &[IoSlice<'_>]) -> io::Result<usize>;
    fn poll_writable(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
    /// 0 is the end.
    fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>>;
    /// Says that nothing more will be written.
    fn finish(&mut self);
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The kernel has all of it.
    Written,
    /// The peer does not keep up: somebody has to flush when it can be written to again.
    Queued,
    /// More waits than may wait.
    Over,
    /// The peer is gone.
    Dead,
}

#[derive(Default)]
pub struct Outbound {
    wire: Option<Box<dyn Wire>>,
    queue: VecDeque<Bytes>,
    /// Bytes of the first queued frame that are written already.
    written: usize,
    /// Bytes queued, without those written.
    bytes: usize,
    /// The newest glimpse of each key, while there is a backlog.
    held: BTreeMap<Arc<str>, Frame>,
    /// After this only the rest of a begun frame and the closing frame are written.
    closing: bool,
}

impl Outbound {
    #[must_use]
    pub fn new(wire: Box<dyn Wire>) -> Self {
        Self {
            wire: Some(wire),
            ..Self::default()
        }
    }

    /// Bytes that wait.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    #[must_use]
    pub fn alive(&self) -> bool {
        self.wire.is_some()
    }

    pub fn wire(&mut self) -> Option<&mut Box<dyn Wire>> {
        self.wire.as_mut()
    }

    /// Sends a frame, or queues it behind those that wait already.
    pub fn push(&mut self, frame: &Frame, limit: usize) -> Pushed {
        if self.closing {
            return Pushed::Dead;
        }
        self.push_any(frame.bytes(), limit)
    }

    fn push_any(&mut self, frame: &Bytes, limit: usize) -> Pushed {
        let Some(wire) = &mut self.wire else {
            return Pushed::Dead;
        };
        let mut written = 0;
        if self.queue.is_empty() {
            match wire.try_write(&[IoSlice::new(frame)]) {
                Ok(n) if n >= frame.len() => return Pushed::Written,
                Ok(n) => written = n,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => {
                    self.drop_wire();
                    return Pushed::Dead;
                }
            }
            self.written = written;
        }
        self.bytes += frame.len() - written;
        self.queue.push_back(frame.clone());
        if self.bytes > limit {
            Pushed::Over
        } else {
            Pushed::Queued
        }
    }

    /// Shows a passing sight: at once to a peer that keeps up, else the newest of its key when the backlog is gone.
    pub fn glimpse(&mut self, key: &Arc<str>, frame: &Frame, limit: usize) -> Pushed {
        if self.queue.is_empty() {
            return self.push(frame, limit);
        }
        if self.closing {
            return Pushed::Dead;
        }
        self.held.insert(key.clone(), frame.clone());
        Pushed::Queued
    }

    /// Writes what the peer takes, many frames to a call. `Queued` means that there is more than it takes now.
    pub fn flush(&mut self) -> Pushed {
        loop {
            if self.queue.is_empty() {
                for frame in std::mem::take(&mut self.held).into_values() {
                    self.bytes += frame.len();
                    self.queue.push_back(frame.into_bytes());
                }
                if self.queue.is_empty() {
                    self.queue = VecDeque::new();
                    if self.closing
                        && let Some(wire) = &mut self.wire
                    {
                        wire.finish();
                    }
                    return Pushed::Written;
                }
            }
            let Some(wire) = &mut self.wire else {
                return Pushed::Dead;
            };
            let mut slices = [IoSlice::new(&[]); MERGE];
            let mut used = 0;
            for (slice, frame) in slices.iter_mut().zip(&self.queue) {
                let skip = if used == 0 { self.written } else { 0 };
                *slice = IoSlice::new(frame.get(skip..).unwrap_or_default());
                used += 1;
            }
            match wire.try_write(slices.get(..used).unwrap_or_default()) {
                Ok(n) => self.advance(n),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Pushed::Queued,
                Err(_) => {
                    self.drop_wire();
                    return Pushed::Dead;
                }
            }
        }
    }

    fn advance(&mut self, mut n: usize) {
        self.bytes = self.bytes.saturating_sub(n);
        while let Some(first) = self.queue.front() {
            let rest = first.len() - self.written;
            if n < rest {
                self.written += n;
                return;
            }
            n -= rest;
            self.written = 0;
            self.queue.pop_front();
        }
    }

    /// Says good-bye: what has not been begun is dropped, since a client resumes; the closing frame goes last.
    pub fn close(&mut self, farewell: &Frame) -> Pushed {
        if self.closing {
            return Pushed::Dead;
        }
        self.held = BTreeMap::new();
        let begun = if self.written > 0 {
            self.queue.pop_front()
        } else {
            None
        };
        self.queue = VecDeque::new();
        self.bytes = 0;
        if let Some(begun) = begun {
            self.bytes = begun.len() - self.written;
            self.queue.push_back(begun);
        }
        let pushed = self.push_any(farewell.bytes(), usize::MAX);
        self.closing = true;
        if pushed == Pushed::Written
            && let Some(wire) = &mut self.wire
        {
            wire.finish();
        }
        pushed
    }

    /// Closes the socket and forgets everything.
    pub fn drop_wire(&mut self) {
        *self = Self {
            closing: true,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Mutex;

    /// A peer that takes a given number of bytes, then no more until it is given room again.
    #[derive(Clone, Default)]
    struct Peer(Arc<Mutex<(usize, Vec<u8>, usize)>>);
    impl Peer {
        fn room(&self, bytes: usize) {
            self.0.lock().unwrap().0 = bytes;
        }
        fn got(&self) -> Vec<u8> {
            self.0.lock().unwrap().1.clone()
        }
        fn calls(&self) -> usize {
            self.0.lock().unwrap().2
        }
    }
    impl Wire for Peer {
        fn try_write(&mut self, bytes: &[IoSlice<'_>]) -> io::Result<usize> {
            let mut state = self.0.lock().unwrap();
            state.2 += 1;
            let mut n = 0;
            for part in bytes {
                let take = part.len().min(state.0);
                state.1.extend_from_slice(&part[..take]);
                state.0 -= take;
                n += take;
            }
            if n == 0 {
                Err(io::ErrorKind::WouldBlock.into())
            } else {
                Ok(n)
            }
        }
        fn poll_writable(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
        fn poll_read(&mut self, _: &mut Context<'_>, _: &mut [u8]) -> Poll<io::Result<usize>> {
            Poll::Pending
        }
        fn finish(&mut self) {}
    }
    fn pair(room: usize) -> (Peer, Outbound) {
        let peer = Peer::default();
        peer.room(room);
        (peer.clone(), Outbound::new(Box::new(peer)))
    }
    fn frame(n: usize) -> Frame {
        Frame::text(&"abcdefgh".repeat(n))
    }

    #[test]
    fn a_peer_that_keeps_up_costs_one_write_a_frame_and_no_memory() {
        let (peer, mut out) = pair(1000);
        for _ in 0..3 {
            assert_eq!(out.push(&frame(1), 10), Pushed::Written);
        }
        assert_eq!((peer.calls(), out.bytes(), out.queue.capacity()), (3, 0, 0));
    }

    #[test]
    fn a_backlog_is_counted_merged_and_bounded() {
        let (peer, mut out) = pair(5);
        for n in 0..10 {
            assert_eq!(out.push(&frame(1), 1000), Pushed::Queued, "{n}");
        }
        assert_eq!(out.bytes(), 95);
        peer.room(1000);
        let before = peer.calls();
        assert_eq!(out.flush(), Pushed::Written);
        assert_eq!(
            (peer.calls() - before, out.bytes(), out.queue.capacity()),
            (1, 0, 0)
        );
        assert_eq!(peer.got(), frame(1).bytes().repeat(10));
        peer.room(0);
        assert_eq!(out.push(&frame(2), 20), Pushed::Queued);
        assert_eq!(out.push(&frame(2), 20), Pushed::Over);
    }

    #[test]
    fn glimpses_of_one_key_replace_each_other_behind_a_backlog() {
        let (peer, mut out) = pair(3);
        let (a, b): (Arc<str>, Arc<str>) = ("a".into(), "b".into());
        assert_eq!(out.push(&frame(1), 1000), Pushed::Queued);
        for n in 1..=9 {
            assert_eq!(
                out.glimpse(&a, &Frame::text(&n.to_string()), 1000),
                Pushed::Queued
            );
        }
        out.glimpse(&b, &Frame::text("b"), 1000);
        assert_eq!(out.bytes(), 7);
        peer.room(1000);
        assert_eq!(out.flush(), Pushed::Written);
        let wanted = [frame(1), Frame::text("9"), Frame::text("b")];
        assert_eq!(peer.got(), Frame::merged(&wanted).unwrap().into_bytes());
    }

    #[test]
    fn closing_drops_what_was_not_begun() {
        let (peer, mut out) = pair(3);
        for _ in 0..100 {
            out.push(&frame(10), 1 << 20);
        }
        let bye = Frame::close(4004, "slow");
        assert_eq!(out.close(&bye), Pushed::Queued);
        assert!(out.bytes() < 100 + bye.len());
        assert_eq!(out.push(&frame(1), 1000), Pushed::Dead);
        peer.room(1000);
        assert_eq!(out.flush(), Pushed::Written);
        assert_eq!(
            peer.got(),
            Frame::merged([&frame(10), &bye]).unwrap().into_bytes()
        );
    }

    proptest! {
        /// However the peer takes its bytes, it gets all frames whole and in order, and the count is exact.
        #[test]
        fn bytes_are_neither_lost_nor_doubled(steps in proptest::collection::vec((0_usize..40, 1_usize..6), 1..80)) {
            let (peer, mut out) = pair(0);
            let mut sent = vec![];
            for (room, size) in steps {
                peer.room(room);
                let f = frame(size);
                sent.extend_from_slice(f.bytes());
                out.push(&f, 1 << 20);
                out.flush();
                prop_assert_eq!(out.bytes(), sent.len() - peer.got().len());
            }
            peer.room(1 << 20);
            out.flush();
            prop_assert_eq!(peer.got(), sent);
        }
    }
}
