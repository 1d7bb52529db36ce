//! One socket of one signed-in browser (or of somebody who has not said yet who they are).
//!
//! Anyone may write to a session from any thread: an idle peer is written to on the spot, without a task being woken. What the
//! peer does not take is queued, bounded ([`outbound`]); over the bound the session is closed with "slow" and its memory is
//! free. Deadlines, silence and heartbeats are looked after by the node's shared pulse, from outside the connection's own
//! future, so that a stuck peer cannot hide. Once closed, a session owns nothing but what its last frame needs.

pub mod bucket;
pub mod conflate;
mod dialogue;
pub mod directory;
pub mod drive;
pub mod frame;
pub mod limits;
pub mod outbound;
pub mod socket;
pub mod transport;

use crate::{
    channel::{Message, StreamMailbox},
    node::Node,
    ports::{Credential, Identity},
    runtime::lock,
    topic::{self, TopicMailbox},
};
use bucket::Bucket;
use conflate::Sight;
use frame::Frame;
use futures_util::task::AtomicWaker;
use limits::Admission;
use outbound::{Outbound, Pushed, Wire};
use protocol::{
    StreamId,
    client_message::Topic,
    server_message::{CloseReason, ServerMessage},
};
use rand::Rng;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

/// What a session listens to.
struct Subscription {
    stream: StreamId,
    actor: Arc<StreamMailbox>,
}

impl Subscription {
    fn leave(self, session: u64) {
        self.actor.answer(Message::Leave {
            session,
            actor: self.actor.clone(),
        });
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nobody knows yet who it is.
    Stranger,
    Live,
    /// The farewell is on its way; the socket is dropped at the latest after a grace.
    Closing,
    Gone,
}

struct State {
    phase: Phase,
    /// When the phase began.
    since: u64,
    /// When the identity's token ends.
    expires: u64,
    next_beat: u64,
    bucket: Bucket,
    identity: Option<Arc<Identity>>,
    subscriptions: Vec<Subscription>,
    /// By the topic's place.
    watching: [Option<Arc<TopicMailbox>>; Topic::ALL.len()],
    admission: Option<Admission>,
}

pub struct Session {
    pub id: u64,
    node: Arc<Node>,
    /// The last sign of life.
    heard: AtomicU64,
    /// When the credential was handed to the gatekeeper.
    asked: AtomicU64,
    waker: AtomicWaker,
    state: Mutex<State>,
    // Locked after `state`, never before it.
    out: Mutex<Outbound>,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl Session {
    /// Takes a connection into care. `id` is the number by which its thread was chosen.
    pub fn open(node: &Arc<Node>, id: u64, wire: Box<dyn Wire>, admission: Admission) -> Arc<Self> {
        let now = node.millis();
        let session = Arc::new(Self {
            id,
            node: node.clone(),
            heard: AtomicU64::new(now),
            asked: AtomicU64::new(0),
            waker: AtomicWaker::new(),
            state: Mutex::new(State {
                phase: Phase::Stranger,
                since: now,
                expires: u64::MAX,
                next_beat: u64::MAX,
                bucket: Bucket::full(node.config.inbound_burst, now),
                identity: None,
                subscriptions: vec![],
                watching: Default::default(),
                admission: Some(admission),
            }),
            out: Mutex::new(Outbound::new(wire)),
        });
        node.sessions.insert(session.clone());
        session
    }

    /// Who it is, once that is known.
    pub fn identity(&self) -> Option<Arc<Identity>> {
        lock(&self.state).identity.clone()
    }

    pub(crate) fn asked_at(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }

    /// Whether frames still make sense.
    pub fn is_live(&self) -> bool {
        matches!(lock(&self.state).phase, Phase::Live | Phase::Stranger)
    }

    /// Sends a frame, or queues it; false when the session is at its end.
    pub fn send(&self, frame: &Frame) -> bool {
        let (pushed, delta) = {
            let mut out = lock(&self.out);
            let before = out.bytes();
            (
                out.push(frame, self.node.config.queue_bytes),
                Delta::of(before, out.bytes()),
            )
        };
        self.settle(pushed, delta)
    }

    pub fn say(&self, message: &ServerMessage) -> bool {
        self.send(&Frame::json(message))
    }

    /// Shows glimpses: in one write to a peer that keeps up, else the newest of each key after its backlog.
    pub fn show(&self, sights: &[Sight], merged: &Frame) -> bool {
        let limit = self.node.config.queue_bytes;
        let (pushed, delta) = {
            let mut out = lock(&self.out);
            let before = out.bytes();
            let pushed = if before == 0 {
                out.push(merged, limit)
            } else {
                sights
                    .iter()
                    .map(|s| out.glimpse(&s.key, &s.frame, limit))
                    .next_back()
                    .unwrap_or(Pushed::Written)
            };
            (pushed, Delta::of(before, out.bytes()))
        };
        self.settle(pushed, delta)
    }

    fn settle(&self, pushed: Pushed, delta: Delta) -> bool {
        delta.apply(&self.node);
        match pushed {
            Pushed::Written => true,
            Pushed::Queued => {
                self.waker.wake();
                true
            }
            Pushed::Over => {
                self.close(CloseReason::Slow);
                false
            }
            Pushed::Dead => {
                self.waker.wake();
                false
            }
        }
    }

    /// Says good-bye with a close code; what the session listened to is let go at once, the socket after the farewell.
    pub fn close(&self, reason: CloseReason) {
        if !self.end(Phase::Closing) {
            return;
        }
        metrics::counter!("sessions_closed_total", "reason" => reason.text()).increment(1);
        self.farewell(&Frame::close(reason.code(), reason.text()));
    }

    /// The peer has said good-bye: answer it and be gone.
    fn part(&self) {
        if self.end(Phase::Closing) {
            self.farewell(&Frame::close(1000, ""));
        }
        self.gone();
    }

    fn farewell(&self, farewell: &Frame) {
        let delta = {
            let mut out = lock(&self.out);
            let before = out.bytes();
            out.close(farewell);
            Delta::of(before, out.bytes())
        };
        delta.apply(&self.node);
        self.waker.wake();
    }

    /// Drops the socket without a word.
    pub fn gone(&self) {
        self.end(Phase::Gone);
        let delta = {
            let mut out = lock(&self.out);
            let before = out.bytes();
            out.drop_wire();
            Delta::of(before, 0)
        };
        delta.apply(&self.node);
        self.node.sessions.remove(self);
        self.waker.wake();
    }

    /// Moves on to a last phase and lets go of everything; false when it had come so far before.
    fn end(&self, phase: Phase) -> bool {
        let (first, subscriptions, watching, identity, admission) = {
            let mut state = lock(&self.state);
            let first = matches!(state.phase, Phase::Stranger | Phase::Live);
            if first || phase == Phase::Gone {
                state.phase = phase;
            }
            if first {
                state.since = self.node.millis();
            }
            let subscriptions = std::mem::take(&mut state.subscriptions);
            let identity = if first { state.identity.clone() } else { None };
            // The place stays taken until the socket is really closed.
            let admission = if phase == Phase::Gone {
                state.admission.take()
            } else {
                None
            };
            (
                first,
                subscriptions,
                std::mem::take(&mut state.watching),
                identity,
                admission,
            )
        };
        for subscription in subscriptions {
            subscription.leave(self.id);
        }
        for topic in watching.into_iter().flatten() {
            topic.answer(topic::Message::Unwatch {
                session: self.id,
                actor: topic.clone(),
            });
        }
        if let Some(identity) = identity {
            self.node.sessions.leave(self, identity.user);
        }
        drop(admission);
        first
    }

    /// A look from outside, about once a second.
    pub(crate) fn beat(&self, now: u64) {
        enum Act {
            Nothing,
            Close(CloseReason),
            Drop,
            Beat(BTreeMap<StreamId, i64>),
        }
        let config = &self.node.config;
        let silent = now.saturating_sub(self.heard.load(Ordering::Relaxed)) >= millis(config.silence);
        let act = {
            let mut state = lock(&self.state);
            let age = now.saturating_sub(state.since);
            match state.phase {
                Phase::Gone => Act::Nothing,
                Phase::Closing if age >= millis(config.close_grace) => Act::Drop,
                Phase::Closing => Act::Nothing,
                _ if silent => Act::Drop,
                Phase::Stranger if age >= millis(config.auth_deadline) => {
                    Act::Close(CloseReason::AuthTimeout)
                }
                Phase::Stranger => Act::Nothing,
                Phase::Live if now >= state.expires => Act::Close(CloseReason::Unauthenticated),
                Phase::Live if now >= state.next_beat => {
                    state.next_beat = now + self.draw_beat();
                    let heads = state.subscriptions.iter().filter_map(|s| {
                        let seq = s.actor.published.load(Ordering::Acquire);
                        (seq >= 0).then_some((s.stream, seq))
                    });
                    Act::Beat(heads.collect())
                }
                Phase::Live => Act::Nothing,
            }
        };
        match act {
            Act::Nothing => {}
            Act::Close(reason) => self.close(reason),
            Act::Drop => self.gone(),
            Act::Beat(hb) => {
                // Browsers do not show pings to the page, and pages do not answer a text: each side gets its own sign of life.
                let text = Frame::json(&ServerMessage::Heartbeat { hb });
                if let Some(both) = Frame::merged([&text, &Frame::ping()]) {
                    self.send(&both);
                }
            }
        }
    }

    /// The time to the next heartbeat: ± 10 %, so that sessions that began together do not stay together.
    fn draw_beat(&self) -> u64 {
        let mean = millis(self.node.config.heartbeat);
        let tenth = mean / 10;
        mean - tenth + rand::rng().random_range(0..=2 * tenth)
    }

    /// Bytes have come: the peer is alive.
    fn hear(&self) {
        self.heard.store(self.node.millis(), Ordering::Relaxed);
    }

    /// Offers the ticket that came with the handshake.
    pub(crate) fn present(self: &Arc<Self>, ticket: String) -> futures_util::future::BoxFuture<'static, ()> {
        dialogue::authenticate(self.clone(), Credential::Ticket(ticket))
    }

    /// Writes what waits, as far as the peer takes it. False when the socket is closed.
    fn poll_flush(&self, cx: &mut Context<'_>) -> bool {
        let (pushed, delta) = {
            let mut out = lock(&self.out);
            let before = out.bytes();
            let mut pushed = Pushed::Written;
            while out.bytes() > 0 {
                match out.wire().map(|wire| wire.poll_writable(cx)) {
                    Some(Poll::Ready(Ok(()))) => {
                        pushed = out.flush();
                        if pushed == Pushed::Dead {
                            break;
                        }
                    }
                    Some(Poll::Pending) => break,
                    Some(Poll::Ready(Err(_))) | None => {
                        pushed = Pushed::Dead;
                        break;
                    }
                }
            }
            if !out.alive() {
                pushed = Pushed::Dead;
            }
            (pushed, Delta::of(before, out.bytes()))
        };
        delta.apply(&self.node);
        pushed != Pushed::Dead
    }

    fn poll_read(&self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<std::io::Result<usize>> {
        match lock(&self.out).wire() {
            Some(wire) => wire.poll_read(cx, into),
            None => Poll::Ready(Ok(0)),
        }
    }

    fn topic(&self, topic: Topic) -> Arc<TopicMailbox> {
        topic::find_or_start(&self.node, topic)
    }
}

/// A change of the bytes that wait, for the node's sum.
struct Delta(usize, usize);
impl Delta {
    const fn of(before: usize, after: usize) -> Self {
        Self(before, after)
    }
    fn apply(&self, node: &Node) {
        if self.1 > self.0 {
            node.queued.fetch_add(self.1 - self.0, Ordering::Relaxed);
        } else if self.0 > self.1 {
            node.queued.fetch_sub(self.0 - self.1, Ordering::Relaxed);
        }
    }
}
