//! The actor of one stream: takes facts in whatever order and however often they come, and writes them to every session that
//! listens, in order, without a gap and without a double.
//!
//! Invariants: a subscriber's `place` is the last number written to it, and it moves in the same step as the write; a fact is
//! written to a subscriber only behind its predecessor; what cannot be replayed whole is a reset. Facts that came while a
//! round of writes was under way leave together in the next: merged when there is a backlog, at once when there is none.
//! A large audience is served in turns, so that the actor's thread stays free for others.

mod resume;

use crate::{
    bus::BusMessage,
    node::Node,
    ports::{Head, Identity, Range, Refusal},
    runtime::{
        mailbox::{Inbox, Mailbox, Wake},
        registry::after,
        supervisor::{Rebuild, Supervised},
    },
    session::{
        Session,
        conflate::{Conflator, Sight},
        frame::Frame,
    },
    stream::{Accepted, Ring},
};
use actix::{Actor, Context, Handler};
use protocol::{
    Glimpse, StreamId, glimpse::Present, ids::NodeId, live_event::Numbered, server_message::ServerMessage,
};
use std::{
    collections::VecDeque,
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};
use tokio::time::Instant;

/// Messages that may wait for one stream's actor.
pub const PERMITS: usize = 16_384;
/// Sessions written to in one turn.
const AUDIENCE: usize = 512;
/// Messages handled in one turn, and facts merged into one write.
const TURN: usize = 256;
const MERGE: usize = 64;
/// Facts kept while the stream's head is being loaded; more are brought back by the gap that they leave.
const EARLY: usize = 256;

pub type StreamMailbox = Mailbox<Channel, Message>;

pub enum Message {
    /// From `place` on, or from now.
    Join {
        session: Arc<Session>,
        place: Option<Head>,
    },
    /// Carries a handle, so that the actor outlives its last subscriber until it has seen it go.
    Leave {
        session: u64,
        actor: Arc<StreamMailbox>,
    },
    Fact(Arc<Numbered>),
    Glimpse(Sight),
    /// Another node's list of who has the ticket open, and its question for ours.
    Presence {
        from: NodeId,
        users: Vec<Present>,
    },
    PresenceAsked,
    /// Time to repeat what other nodes might have forgotten.
    PresenceDue,
    GlimpsesDue,
    /// A gap has stayed for the grace.
    GapDue,
    Load,
    Check,
    Loaded(Result<Head, Refusal>),
    Checked(Result<Head, Refusal>),
    Filled(Result<Range, Refusal>),
    /// What a subscriber missed, as the database has it.
    Caught {
        session: u64,
        result: Result<Range, Refusal>,
    },
    AskAgain {
        session: u64,
    },
    /// The database's head, for a client that is ahead of us.
    Seen {
        session: u64,
        claimed: Head,
        result: Result<Head, Refusal>,
    },
}

/// What a kind of stream does beside carrying facts.
pub trait Role: Send {
    fn joined(&mut self, _session: u64, _who: &Identity) -> Vec<Effect> {
        vec![]
    }
    fn left(&mut self, _session: u64) -> Vec<Effect> {
        vec![]
    }
    fn presence(&mut self, _from: NodeId, _users: Vec<Present>, _now: Instant) -> Vec<Effect> {
        vec![]
    }
    fn presence_asked(&mut self) -> Vec<Effect> {
        vec![]
    }
    fn presence_due(&mut self, _now: Instant) -> Vec<Effect> {
        vec![]
    }
    /// The same role without what it has seen.
    fn fresh(&self) -> Box<dyn Role>;
}

/// What a role wants done.
pub enum Effect {
    Show(Glimpse),
    Publish(BusMessage),
}

struct Subscriber {
    session: Arc<Session>,
    place: i64,
    /// Waits for the database; facts pass it by until then.
    catching: bool,
    attempts: u8,
    dead: bool,
}

/// A round of writes.
struct Round {
    after: i64,
    merged: Frame,
    cursor: usize,
}

struct Core {
    stream: StreamId,
    node: Weak<Node>,
    own: Weak<StreamMailbox>,
    role: Box<dyn Role>,
    /// None while the stream's head is being loaded.
    ring: Option<Ring>,
    /// The last known epoch, to tell a rebuilt stream from a renumbered one.
    epoch: Option<i32>,
    early: VecDeque<Arc<Numbered>>,
    waiting: Vec<(Arc<Session>, Option<Head>)>,
    subscribers: Vec<Subscriber>,
    round: Option<Round>,
    /// Everything up to here was written to everyone.
    fanned: i64,
    loading: bool,
    filling: bool,
    /// The database has facts that are not here; they have been asked for.
    behind: bool,
    gap_timer: bool,
    /// Vain tries to load or to fill, for the back-off.
    tries: u32,
    conflator: Option<Box<Conflator>>,
    glimpse_timer: bool,
}

pub struct Channel {
    inbox: Inbox<Message>,
    pending: VecDeque<Message>,
    core: Supervised<Core>,
}

impl Channel {
    pub fn new(
        stream: StreamId,
        node: Weak<Node>,
        own: Weak<StreamMailbox>,
        inbox: Inbox<Message>,
        role: Box<dyn Role>,
    ) -> Self {
        Self {
            inbox,
            pending: VecDeque::new(),
            core: Supervised::new(Core::new(stream, node, own, role)),
        }
    }

    /// Runs a piece of work; after a panic the rebuilt state begins by loading itself.
    fn run<R>(&mut self, work: impl FnOnce(&mut Core) -> R) -> Option<R> {
        let result = self.core.run(work);
        if result.is_none() {
            self.core.run(Core::load);
        }
        result
    }

    /// One turn; true when there is more to do.
    fn turn(&mut self) -> bool {
        self.inbox.answer_call();
        if self.run(Core::fan_out).unwrap_or(true) {
            return true;
        }
        if self.inbox.missed() {
            self.run(Core::check);
        }
        self.pending.extend(self.inbox.take());
        let mut facts = 0;
        for _ in 0..TURN {
            let Some(message) = self.pending.pop_front() else {
                break;
            };
            facts += usize::from(matches!(message, Message::Fact(_)));
            self.run(|core| core.handle(message));
            if facts >= MERGE {
                break;
            }
        }
        let more = self.run(Core::fan_out).unwrap_or(true);
        if self.pending.is_empty() {
            self.pending = VecDeque::new();
        }
        more || !self.pending.is_empty()
    }
}

impl Actor for Channel {
    type Context = Context<Self>;

    fn started(&mut self, _: &mut Self::Context) {
        self.core.run(Core::load);
    }
}

impl Handler<Wake> for Channel {
    type Result = ();

    fn handle(&mut self, _: Wake, _: &mut Self::Context) {
        if self.turn()
            && let Some(own) = self.core.run(|core| core.own.upgrade()).flatten()
        {
            own.wake();
        }
    }
}

impl Rebuild for Core {
    fn name(&self) -> String {
        self.stream.to_string()
    }

    /// The subscribers and how far each got are kept; the facts come from the database again.
    fn rebuild(&mut self) -> Self {
        let mut fresh = Self::new(
            self.stream,
            self.node.clone(),
            self.own.clone(),
            self.role.fresh(),
        );
        fresh.epoch = self.epoch;
        fresh.waiting = std::mem::take(&mut self.waiting);
        fresh.tries = self.tries + 1;
        for mut subscriber in std::mem::take(&mut self.subscribers) {
            if let Some(identity) = subscriber.session.identity() {
                fresh.role.joined(subscriber.session.id, &identity);
            }
            if subscriber.catching {
                // Asked for its missed facts, and the answer will not be understood any more: it begins anew.
                let place = fresh.epoch.map(|epoch| Head {
                    epoch,
                    seq: subscriber.place,
                });
                fresh.waiting.push((subscriber.session, place));
            } else {
                subscriber.attempts = 0;
                fresh.subscribers.push(subscriber);
            }
        }
        fresh
    }
}

impl Core {
    fn new(stream: StreamId, node: Weak<Node>, own: Weak<StreamMailbox>, role: Box<dyn Role>) -> Self {
        Self {
            stream,
            node,
            own,
            role,
            ring: None,
            epoch: None,
            early: VecDeque::new(),
            waiting: vec![],
            subscribers: vec![],
            round: None,
            fanned: 0,
            loading: false,
            filling: false,
            behind: false,
            gap_timer: false,
            tries: 0,
            conflator: None,
            glimpse_timer: false,
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Join { session, place } => self.join(session, place),
            Message::Leave { session, actor } => self.leave(session, actor),
            Message::Fact(fact) => self.fact(fact),
            Message::Glimpse(sight) => self.glimpse(sight),
            Message::Presence { from, users } => {
                let effects = self.role.presence(from, users, Instant::now());
                self.perform(effects);
            }
            Message::PresenceAsked => {
                let effects = self.role.presence_asked();
                self.perform(effects);
            }
            Message::PresenceDue => {
                let effects = self.role.presence_due(Instant::now());
                self.perform(effects);
            }
            Message::GlimpsesDue => self.glimpses_due(),
            Message::GapDue => {
                self.gap_timer = false;
                if self.behind || self.ring.as_ref().is_some_and(Ring::has_gap) {
                    self.fill();
                }
            }
            Message::Load => self.load(),
            Message::Check => self.check(),
            Message::Loaded(result) => self.loaded(result),
            Message::Checked(result) => self.checked(result),
            Message::Filled(result) => self.filled(result),
            Message::Caught { session, result } => self.caught(session, result),
            Message::AskAgain { session } => self.ask(session),
            Message::Seen {
                session,
                claimed,
                result,
            } => self.seen(session, claimed, result),
        }
    }

    /// Takes a fact in; it is written by the round that follows.
    fn fact(&mut self, fact: Arc<Numbered>) {
        let Some(ring) = &mut self.ring else {
            // Committed before or after the head that is being loaded? The number will tell.
            if self.early.len() < EARLY {
                self.early.push_back(fact);
            }
            return;
        };
        match ring.accept(
            Head {
                epoch: fact.epoch,
                seq: fact.seq,
            },
            || encode(&fact),
        ) {
            Accepted::Old | Accepted::Grown { .. } => {}
            Accepted::Gap => self.gap(),
            Accepted::NewEpoch => self.load(),
        }
    }

    /// Facts of neighbouring commits may overtake each other by an instant; only a gap that stays is worth a question.
    fn gap(&mut self) {
        if !self.gap_timer && !self.filling {
            self.gap_timer = true;
            let grace = self.node.upgrade().map_or(Duration::ZERO, |n| n.config.gap_grace);
            self.later(grace, Message::GapDue);
        }
    }

    /// Writes what is new to the next part of the audience; true when there are more to serve.
    fn fan_out(&mut self) -> bool {
        let Some(ring) = &mut self.ring else { return false };
        let head = ring.head().seq;
        let round = match &mut self.round {
            Some(round) => round,
            None => {
                let Some(merged) = Frame::merged(ring.since(self.fanned)) else {
                    self.fanned = head;
                    self.publish_head(head);
                    return false;
                };
                self.round.insert(Round {
                    after: self.fanned,
                    merged,
                    cursor: 0,
                })
            }
        };
        let end = (round.cursor + AUDIENCE).min(self.subscribers.len());
        for subscriber in self.subscribers.get_mut(round.cursor..end).into_iter().flatten() {
            if subscriber.catching || subscriber.dead || subscriber.place >= head {
                continue;
            }
            let alive = if subscriber.place == round.after {
                subscriber.session.send(&round.merged)
            } else {
                Frame::merged(ring.since(subscriber.place)).is_some_and(|rest| subscriber.session.send(&rest))
            };
            subscriber.place = head;
            subscriber.dead = !alive;
        }
        round.cursor = end;
        if end < self.subscribers.len() {
            return true;
        }
        self.round = None;
        self.fanned = head;
        ring.trim();
        // The dead take their leave themselves; until then they are only passed by.
        self.publish_head(head);
        false
    }

    /// The number that heartbeats tell: never ahead of what was written.
    fn publish_head(&self, head: i64) {
        if let Some(own) = self.own.upgrade() {
            own.published.store(head, Ordering::Release);
        }
    }

    fn join(&mut self, session: Arc<Session>, place: Option<Head>) {
        self.remove(session.id);
        if !session.is_live() {
            return;
        }
        if self.ring.is_none() {
            self.waiting.push((session, place));
            self.load();
            return;
        }
        if let Some(identity) = session.identity() {
            let effects = self.role.joined(session.id, &identity);
            self.resume(session, place);
            self.perform(effects);
        }
    }

    fn leave(&mut self, session: u64, actor: Arc<StreamMailbox>) {
        self.remove(session);
        let effects = self.role.left(session);
        self.perform(effects);
        if self.subscribers.is_empty()
            && self.waiting.is_empty()
            && let Some(node) = self.node.upgrade()
        {
            self.subscribers = vec![];
            self.waiting = vec![];
            node.streams.linger(actor, after(node.config.linger));
        }
    }

    /// Takes a subscriber out. Messages are handled between rounds only, so nobody is passed by when places change.
    fn remove(&mut self, session: u64) {
        self.waiting.retain(|(s, _)| s.id != session);
        if let Some(index) = self.subscribers.iter().position(|s| s.session.id == session) {
            self.subscribers.swap_remove(index);
        }
    }

    fn glimpse(&mut self, sight: Sight) {
        let Some(node) = self.node.upgrade() else { return };
        let gap = node.config.glimpse_gap;
        let conflator = self
            .conflator
            .get_or_insert_with(|| Box::new(Conflator::new(gap)));
        if let Some(sight) = conflator.offer(sight, Instant::now()) {
            self.show(&[sight]);
        }
        if !self.glimpse_timer {
            self.glimpse_timer = true;
            self.later(gap, Message::GlimpsesDue);
        }
    }

    fn glimpses_due(&mut self) {
        self.glimpse_timer = false;
        let Some(conflator) = &mut self.conflator else {
            return;
        };
        let due = conflator.due(Instant::now());
        if conflator.is_empty() {
            self.conflator = None;
        } else if let Some(node) = self.node.upgrade() {
            self.glimpse_timer = true;
            self.later(node.config.glimpse_gap / 4, Message::GlimpsesDue);
        }
        self.show(&due);
    }

    fn show(&mut self, sights: &[Sight]) {
        let Some(merged) = Frame::merged(sights.iter().map(|s| &s.frame)) else {
            return;
        };
        for subscriber in &mut self.subscribers {
            if !subscriber.dead {
                subscriber.session.show(sights, &merged);
            }
        }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Show(glimpse) => self.glimpse(crate::topic::sight(&glimpse)),
                Effect::Publish(message) => {
                    if let Some(node) = self.node.upgrade() {
                        node.bus.publish(message);
                    }
                }
            }
        }
    }

    /// Sends a message to this actor after a while.
    fn later(&self, delay: Duration, message: Message) {
        let own = self.own.clone();
        actix_rt::spawn(async move {
            tokio::time::sleep(delay).await;
            if let Some(own) = own.upgrade() {
                own.answer(message);
            }
        });
    }
}

/// A fact as the frame that every session gets.
#[must_use]
pub fn encode(fact: &Numbered) -> Frame {
    Frame::json(&ServerMessage::Event {
        stream: fact.stream,
        epoch: fact.epoch,
        seq: fact.seq,
        at: fact.at,
        event: Box::new(fact.event.clone()),
    })
}
