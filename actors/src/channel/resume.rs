//! How a stream's actor learns where the stream stands, closes gaps and brings a returning client up to date. Every question
//! to the database runs beside the actor and comes back as a message; a vain one is asked again, ever more slowly.

use super::{Core, Message, Subscriber, encode};
use crate::{
    node::Node,
    ports::{Head, Range, Refusal},
    session::{Session, frame::Frame},
    stream::{Resume, Ring},
};
use protocol::server_message::ServerMessage;
use std::{sync::Arc, time::Duration};

/// Tries to catch up with a stream that runs away from the database's answers, before the client is told to start over.
const ATTEMPTS: u8 = 3;
/// Vain tries to close a gap, before the stream is read anew and everyone told to start over.
const FILL_TRIES: u32 = 12;

/// What a returning client gets after the database has answered.
enum Next {
    Send(Frame, i64),
    Again,
    Reset,
    Later,
}

impl Core {
    /// Asks a port beside the actor; the answer comes as a message.
    fn question<T, F, Q>(&self, question: Q, answer: impl FnOnce(Result<T, Refusal>) -> Message + 'static)
    where
        Q: FnOnce(Arc<Node>) -> F + 'static,
        F: Future<Output = Result<T, Refusal>>,
        T: 'static,
    {
        let Some(node) = self.node.upgrade() else { return };
        let own = self.own.clone();
        actix_rt::spawn(async move {
            let result = node.clone().within(question(node)).await;
            if let Some(own) = own.upgrade() {
                own.answer(answer(result));
            }
        });
    }

    fn question_head(&self, answer: impl FnOnce(Result<Head, Refusal>) -> Message + 'static) {
        let stream = self.stream;
        self.question(move |node| async move { node.replay.head(stream).await }, answer);
    }

    fn question_range<A>(&self, after: Head, max: usize, answer: A)
    where
        A: FnOnce(Result<Range, Refusal>) -> Message + 'static,
    {
        let stream = self.stream;
        self.question(
            move |node| async move { node.replay.range(stream, after.epoch, after.seq + 1, max).await },
            answer,
        );
    }

    fn backoff(&mut self) -> Duration {
        self.tries = self.tries.saturating_add(1);
        Duration::from_millis(25 << self.tries.min(7))
    }

    /// Asks where the stream stands. Until the answer comes, nothing is written.
    pub(super) fn load(&mut self) {
        if self.loading {
            return;
        }
        self.ring = None;
        self.round = None;
        self.loading = true;
        self.filling = false;
        self.behind = false;
        self.question_head(Message::Loaded);
    }

    pub(super) fn loaded(&mut self, result: Result<Head, Refusal>) {
        self.loading = false;
        let Some(node) = self.node.upgrade() else { return };
        let head = match result {
            Ok(head) => head,
            Err(refusal) => {
                tracing::warn!(stream = %self.stream, %refusal, "the stream's head cannot be read; trying again");
                let delay = self.backoff();
                self.later(delay, Message::Load);
                return;
            }
        };
        let renumbered = self.epoch.is_some_and(|epoch| epoch != head.epoch);
        // After a rebuild the subscribers stand at different places: begin at the rearmost and fill up from there.
        let rearmost = self.subscribers.iter().map(|s| s.place).min().unwrap_or(head.seq);
        let reset = renumbered || rearmost > head.seq;
        if reset {
            self.reset_all(head);
        }
        // Only now: a panic on the way here must not make a half-told reset look like a told one.
        self.epoch = Some(head.epoch);
        let start = Head {
            epoch: head.epoch,
            seq: if reset { head.seq } else { rearmost },
        };
        self.fanned = start.seq;
        self.ring = Some(Ring::new(start, node.config.ring_events, node.config.ring_bytes));
        if start < head {
            self.fill();
        } else {
            self.tries = 0;
        }
        for fact in std::mem::take(&mut self.early) {
            self.fact(fact);
        }
        while self.ring.is_some()
            && let Some((session, place)) = self.waiting.pop()
        {
            self.join(session, place);
        }
    }

    fn reset_all(&mut self, head: Head) {
        let reset = Frame::json(&ServerMessage::Reset {
            stream: self.stream,
            epoch: head.epoch,
            seq: head.seq,
        });
        for subscriber in &mut self.subscribers {
            subscriber.dead = !subscriber.session.send(&reset);
            subscriber.place = head.seq;
            subscriber.catching = false;
        }
    }

    /// Facts were lost on the way here: is there something in the database that we have not seen?
    pub(super) fn check(&mut self) {
        if self.ring.is_some() {
            self.question_head(Message::Checked);
        }
    }

    pub(super) fn checked(&mut self, result: Result<Head, Refusal>) {
        let Some(ring) = &self.ring else { return };
        match result {
            Ok(head) if head.epoch != ring.head().epoch => self.load(),
            Ok(head) if head.seq > ring.head().seq => self.fill(),
            Ok(_) => {}
            Err(_) => {
                let delay = self.backoff();
                self.later(delay, Message::Check);
            }
        }
    }

    /// Asks for what follows our head.
    pub(super) fn fill(&mut self) {
        let (Some(ring), Some(node)) = (&self.ring, self.node.upgrade()) else {
            return;
        };
        self.behind = true;
        if !self.filling {
            let (head, max) = (ring.head(), node.config.replay_max);
            self.filling = true;
            self.question_range(head, max, Message::Filled);
        }
    }

    pub(super) fn filled(&mut self, result: Result<Range, Refusal>) {
        self.filling = false;
        let (Some(ring), Some(node)) = (&mut self.ring, self.node.upgrade()) else {
            return;
        };
        let before = ring.head().seq;
        match result {
            Ok(Range::Facts(facts)) => {
                self.behind = facts.len() >= node.config.replay_max;
                for fact in facts {
                    ring.accept(
                        Head {
                            epoch: fact.epoch,
                            seq: fact.seq,
                        },
                        || encode(&fact),
                    );
                }
            }
            Ok(Range::Gone) => return self.start_over(),
            Err(refusal) => {
                tracing::warn!(stream = %self.stream, %refusal, "a gap cannot be filled; trying again");
            }
        }
        let (grown, gap) = (ring.head().seq > before, ring.has_gap());
        if grown {
            self.tries = 0;
        }
        if !self.behind && !gap {
            return;
        }
        if grown && self.behind {
            self.fill();
        } else if self.tries > FILL_TRIES && !self.behind {
            // A number that the database does not have either: should never be, and must not stop the stream for ever.
            tracing::error!(stream = %self.stream, after = before, "a stream has a hole");
            self.start_over();
        } else {
            let delay = self.backoff();
            self.gap_timer = true;
            self.later(delay, Message::GapDue);
        }
    }

    /// What our subscribers lack is not there any more: everyone gets a reset.
    fn start_over(&mut self) {
        self.epoch = Some(i32::MIN);
        self.load();
    }

    /// Answers a client that asks for everything after `place`.
    pub(super) fn resume(&mut self, session: Arc<Session>, place: Option<Head>) {
        let Some(ring) = &self.ring else { return };
        let head = ring.head();
        let id = session.id;
        let resume = ring.resume(place);
        let from = match resume {
            Resume::Replay { after } | Resume::Ask { after } => after,
            Resume::Ahead | Resume::Reset => place.map_or(head.seq, |p| p.seq),
        };
        // Entered before anything is sent: should the sending panic, the rebuilt actor knows whom it owes an answer.
        self.subscribers.push(Subscriber {
            session,
            place: from,
            catching: true,
            attempts: 0,
            dead: false,
        });
        match resume {
            Resume::Replay { after } => {
                let hello = self.subscribed(Head {
                    epoch: head.epoch,
                    seq: after,
                });
                let frames = self.ring.iter().flat_map(|ring| ring.since(after));
                if let Some(all) = Frame::merged(std::iter::once(&hello).chain(frames)) {
                    self.answer(id, &all, head.seq);
                }
            }
            Resume::Ask { .. } => self.ask(id),
            Resume::Ahead => {
                let claimed = place.unwrap_or(head);
                self.question_head(move |result| Message::Seen {
                    session: id,
                    claimed,
                    result,
                });
            }
            Resume::Reset => self.reset(id),
        }
    }

    fn subscribed(&self, place: Head) -> Frame {
        Frame::json(&ServerMessage::Subscribed {
            stream: self.stream,
            epoch: place.epoch,
            seq: place.seq,
        })
    }

    fn catching(&mut self, session: u64) -> Option<&mut Subscriber> {
        self.subscribers
            .iter_mut()
            .find(|s| s.session.id == session && s.catching)
    }

    /// Sends a waiting subscriber what it waited for; from then on it takes part in the rounds, from `place` on.
    fn answer(&mut self, session: u64, frame: &Frame, place: i64) {
        if let Some(subscriber) = self.catching(session) {
            subscriber.dead = !subscriber.session.send(frame);
            subscriber.place = place;
            subscriber.catching = false;
        }
    }

    fn reset(&mut self, session: u64) {
        let Some(head) = self.ring.as_ref().map(Ring::head) else {
            return;
        };
        let reset = ServerMessage::Reset {
            stream: self.stream,
            epoch: head.epoch,
            seq: head.seq,
        };
        self.answer(session, &Frame::json(&reset), head.seq);
    }

    /// Asks the database for what a subscriber missed.
    pub(super) fn ask(&mut self, session: u64) {
        let Some(node) = self.node.upgrade() else { return };
        let Some(epoch) = self.ring.as_ref().map(|r| r.head().epoch) else {
            return;
        };
        let Some(after) = self.catching(session).map(|s| Head { epoch, seq: s.place }) else {
            return;
        };
        // One more than may be replayed, to see whether there are more.
        let max = node.config.replay_max + 1;
        self.question_range(after, max, move |result| Message::Caught { session, result });
    }

    pub(super) fn caught(&mut self, session: u64, result: Result<Range, Refusal>) {
        let Some((after, attempts)) = self.catching(session).map(|s| (s.place, s.attempts)) else {
            return;
        };
        match self.next(after, attempts, result) {
            Next::Send(frame, place) => self.answer(session, &frame, place),
            Next::Reset => self.reset(session),
            Next::Again => {
                if let Some(subscriber) = self.catching(session) {
                    subscriber.attempts += 1;
                }
                self.ask(session);
            }
            Next::Later => self.later(Duration::from_millis(500), Message::AskAgain { session }),
        }
    }

    /// Puts the database's facts and ours together, if they are whole together.
    fn next(&self, after: i64, attempts: u8, result: Result<Range, Refusal>) -> Next {
        let (Some(ring), Some(node)) = (&self.ring, self.node.upgrade()) else {
            return Next::Later;
        };
        let head = ring.head();
        let facts = match result {
            Err(_) => return Next::Later,
            Ok(Range::Gone) => return Next::Reset,
            Ok(Range::Facts(facts)) => facts,
        };
        let whole = facts
            .iter()
            .zip(after + 1..)
            .all(|(f, n)| f.seq == n && f.epoch == head.epoch);
        if !whole || facts.len() > node.config.replay_max {
            return Next::Reset;
        }
        let last = after + i64::try_from(facts.len()).unwrap_or_default();
        if last < head.seq && !ring.covers(last) {
            return if attempts < ATTEMPTS {
                Next::Again
            } else {
                Next::Reset
            };
        }
        let hello = self.subscribed(Head {
            epoch: head.epoch,
            seq: after,
        });
        let frames: Vec<Frame> = std::iter::once(hello).chain(facts.iter().map(encode)).collect();
        match Frame::merged(frames.iter().chain(ring.since(last))) {
            // A replay must not look like a slow reader.
            Some(all) if all.len() <= node.config.queue_bytes / 2 => Next::Send(all, last.max(head.seq)),
            _ => Next::Reset,
        }
    }

    /// A client claims to be ahead of us: it may be right (its facts have not come here yet) or wrong (of a time before a
    /// restored backup).
    pub(super) fn seen(&mut self, session: u64, claimed: Head, result: Result<Head, Refusal>) {
        let Some(own) = self.ring.as_ref().map(Ring::head) else {
            return;
        };
        if self.catching(session).is_none() {
            return;
        }
        match result {
            Err(_) => {
                let again = move |result| Message::Seen {
                    session,
                    claimed,
                    result,
                };
                let (stream, delay) = (self.stream, self.backoff());
                self.question(
                    move |node| async move {
                        tokio::time::sleep(delay).await;
                        node.replay.head(stream).await
                    },
                    again,
                );
            }
            // Renumbered: the load that follows resets everyone, this one too.
            Ok(head) if head.epoch != own.epoch => self.load(),
            Ok(head) if claimed.epoch == head.epoch && claimed.seq <= head.seq => {
                let hello = self.subscribed(claimed);
                self.answer(session, &hello, claimed.seq);
                self.fill();
            }
            Ok(_) => self.reset(session),
        }
    }
}
