//! What all sessions and actors of one process share.

use crate::{
    approvals, broadcast,
    bus::{Bus, BusMessage, Control, stream_of},
    channel::{self, Channel, StreamMailbox},
    config::Config,
    ports::{Gatekeeper, Inbound, Replay},
    runtime::{
        lock,
        mailbox::Mailbox,
        registry::{Arbiters, Registry},
    },
    session::{directory::Directory, limits::Limits},
    ticket,
    topic::TopicMailbox,
    user,
};
use protocol::{Glimpse, StreamId, client_message::Topic, ids::NodeId};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// How often the shared pulse beats.
const PULSE: Duration = Duration::from_millis(250);

/// Called with every control word, own or from another node.
pub type OnControl = Arc<dyn Fn(&Control) + Send + Sync>;

pub struct Node {
    pub config: Config,
    pub replay: Arc<dyn Replay>,
    pub gatekeeper: Arc<dyn Gatekeeper>,
    pub inbound: Arc<dyn Inbound>,
    pub bus: Arc<dyn Bus>,
    pub streams: Registry<StreamId, StreamMailbox>,
    pub topics: Registry<Topic, TopicMailbox>,
    pub arbiters: Arbiters,
    pub sessions: Directory,
    pub limits: Arc<Limits>,
    /// Bytes that wait in all sessions together.
    pub queued: AtomicUsize,
    pub actors: Arc<AtomicUsize>,
    pub draining: AtomicBool,
    pub on_control: Mutex<Option<OnControl>>,
    started: Instant,
    next_session: AtomicU64,
}

impl Node {
    pub fn new(
        config: Config,
        replay: Arc<dyn Replay>,
        gatekeeper: Arc<dyn Gatekeeper>,
        inbound: Arc<dyn Inbound>,
        bus: Arc<dyn Bus>,
    ) -> Self {
        Self {
            limits: Arc::new(Limits::new(&config)),
            arbiters: Arbiters::start(config.arbiters),
            config,
            replay,
            gatekeeper,
            inbound,
            bus,
            streams: Registry::default(),
            topics: Registry::default(),
            sessions: Directory::default(),
            queued: AtomicUsize::new(0),
            actors: Arc::default(),
            draining: AtomicBool::new(false),
            on_control: Mutex::default(),
            started: Instant::now(),
            next_session: AtomicU64::new(1),
        }
    }

    /// Milliseconds since the node's start: the time of everything that needs no calendar.
    pub fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub fn next_session(&self) -> u64 {
        self.next_session.fetch_add(1, Ordering::Relaxed)
    }

    /// Into how many parts the pulse divides the sessions: each is looked at once a second, oftener where heartbeats are short.
    fn parts(&self) -> usize {
        let looks = self.config.heartbeat.as_millis() / (4 * PULSE.as_millis());
        usize::try_from(looks).unwrap_or(usize::MAX).clamp(1, 4)
    }

    /// The thread of a session: one after the other.
    pub fn session_arbiter(&self, id: u64) -> &actix::ArbiterHandle {
        self.arbiters.pick(usize::try_from(id).unwrap_or_default())
    }

    /// The actor of a stream, started when nobody has needed it so far.
    pub fn stream(self: &Arc<Self>, stream: StreamId) -> Arc<StreamMailbox> {
        self.streams.find_or_start(stream, || {
            let arbiter = self.arbiters.pick(self.streams.spread(&stream));
            let (node, weak) = (Arc::downgrade(self), Arc::downgrade(self));
            let farewell = Box::new(move || {
                if let Some(node) = weak.upgrade() {
                    node.streams.forget(&stream);
                }
            });
            Mailbox::start(
                arbiter,
                channel::PERMITS,
                &self.actors,
                Some(farewell),
                move |inbox, own| {
                    let role: Box<dyn channel::Role> = match stream {
                        StreamId::User(_) => Box::new(user::User),
                        StreamId::Ticket(id) => Box::new(ticket::Ticket::new(id)),
                        StreamId::Queue(_) => Box::new(approvals::Queue),
                        StreamId::Public => Box::new(broadcast::Public),
                    };
                    Channel::new(stream, node, own, inbox, role)
                },
            )
        })
    }

    /// Shows a glimpse to this node's sessions.
    pub fn show(&self, glimpse: &Glimpse) {
        match stream_of(glimpse) {
            // A full mailbox loses a glimpse, which is what glimpses are for.
            Some(stream) => {
                if let Some(actor) = self.streams.find(&stream) {
                    let _ = actor.try_send(channel::Message::Glimpse(crate::topic::sight(glimpse)));
                }
            }
            None => {
                if let Some(actor) = glimpse.topic().and_then(|topic| self.topics.find(&topic)) {
                    let _ = actor.try_send(crate::topic::Message::Sight(crate::topic::sight(glimpse)));
                }
            }
        }
    }

    /// Shows a glimpse everywhere.
    pub fn glimpse(&self, glimpse: Glimpse) {
        self.show(&glimpse);
        self.bus.publish(BusMessage::Glimpse(glimpse));
    }

    /// Does what a control word says, on this node.
    pub fn obey(self: &Arc<Self>, control: &Control) {
        self.sessions.obey(control, self.millis());
        let hook = lock(&self.on_control).clone();
        if let Some(hook) = hook {
            hook(control);
        }
    }

    /// Takes what another node says.
    pub fn hear(self: &Arc<Self>, from: NodeId, message: BusMessage) {
        match message {
            BusMessage::Facts(facts) => self.deliver(facts),
            BusMessage::Glimpse(glimpse) => self.show(&glimpse),
            BusMessage::Control(control) => self.obey(&control),
            BusMessage::Presence { ticket, users } => {
                if let Some(actor) = self.streams.find(&StreamId::Ticket(ticket)) {
                    let _ = actor.try_send(channel::Message::Presence { from, users });
                }
            }
            BusMessage::PresenceAsked { ticket } => {
                if let Some(actor) = self.streams.find(&StreamId::Ticket(ticket)) {
                    let _ = actor.try_send(channel::Message::PresenceAsked);
                }
            }
        }
    }

    /// Hands facts to the actors of their streams; streams that nobody here listens to have none.
    pub fn deliver(&self, facts: Vec<Arc<protocol::live_event::Numbered>>) {
        for fact in facts {
            if let Some(actor) = self.streams.find(&fact.stream)
                && actor.try_send(channel::Message::Fact(fact)).is_err()
            {
                // The mailbox is full: when the actor has come through, it asks the database what it has missed.
                actor.miss();
                metrics::counter!("facts_deferred_total").increment(1);
            }
        }
    }

    /// Runs a port's call with the timeout that every await has.
    pub async fn within<T>(
        &self,
        call: impl Future<Output = Result<T, crate::Refusal>>,
    ) -> Result<T, crate::Refusal> {
        tokio::time::timeout(self.config.port_timeout, call)
            .await
            .unwrap_or(Err(crate::Refusal::Unavailable))
    }

    /// The shared pulse of all sessions and idle actors: no session has timers of its own.
    pub async fn pulse(node: std::sync::Weak<Self>) {
        let mut every = tokio::time::interval(PULSE);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        for tick in 0_u64.. {
            every.tick().await;
            let Some(node) = node.upgrade() else { return };
            let now = node.millis();
            node.sessions.beat(tick, node.parts(), now).await;
            node.streams.sweep(Instant::now());
            node.topics.sweep(Instant::now());
            // Every 20 s.
            if tick % 80 == 79 {
                for (_, ticket) in node.streams.all(|stream| matches!(stream, StreamId::Ticket(_))) {
                    let _ = ticket.try_send(channel::Message::PresenceDue);
                }
            }
        }
    }
}
