//! Glimpse topics that stand by themselves (the trading desk's board and quotes): one actor per topic conflates once for all
//! who watch, and writes all that is due in one write per session.

use crate::{
    node::Node,
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
};
use actix::{Actor, Context, Handler};
use protocol::{Glimpse, client_message::Topic, server_message::ServerMessage};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::time::Instant;

/// Glimpses that may wait; more are lost, which is what glimpses are for.
const PERMITS: usize = 16_384;

pub type TopicMailbox = Mailbox<TopicActor, Message>;

pub enum Message {
    Watch {
        session: Arc<Session>,
    },
    /// Carries a handle, so that the actor outlives its last watcher until it has seen it go.
    Unwatch {
        session: u64,
        actor: Arc<TopicMailbox>,
    },
    Sight(Sight),
    Due,
}

/// A glimpse as it is kept and sent.
#[must_use]
pub fn sight(glimpse: &Glimpse) -> Sight {
    let key = glimpse.key();
    let frame = Frame::json(&ServerMessage::Glimpse {
        key: key.clone(),
        glimpse: Box::new(glimpse.clone()),
    });
    Sight {
        key: key.into(),
        frame,
    }
}

/// The topic's actor, started when nobody has watched it so far.
pub fn find_or_start(node: &Arc<Node>, topic: Topic) -> Arc<TopicMailbox> {
    node.topics.find_or_start(topic, || {
        let (own_node, weak) = (Arc::downgrade(node), Arc::downgrade(node));
        let farewell = Box::new(move || {
            if let Some(node) = weak.upgrade() {
                node.topics.forget(&topic);
            }
        });
        let arbiter = node.arbiters.pick(node.topics.spread(&topic));
        Mailbox::start(
            arbiter,
            PERMITS,
            &node.actors,
            Some(farewell),
            move |inbox, own| TopicActor {
                inbox,
                core: Supervised::new(Core::new(topic, own_node, own, vec![])),
            },
        )
    })
}

pub struct TopicActor {
    inbox: Inbox<Message>,
    core: Supervised<Core>,
}

struct Core {
    topic: Topic,
    node: Weak<Node>,
    own: Weak<TopicMailbox>,
    watchers: Vec<Arc<Session>>,
    conflator: Conflator,
    timer: bool,
}

impl Actor for TopicActor {
    type Context = Context<Self>;
}

impl Handler<Wake> for TopicActor {
    type Result = ();

    fn handle(&mut self, _: Wake, _: &mut Self::Context) {
        self.inbox.answer_call();
        let messages = self.inbox.take();
        // What may leave at once leaves in one write, however many glimpses came together.
        let mut ready = vec![];
        for message in messages {
            ready.extend(self.core.run(|core| core.handle(message)).into_iter().flatten());
        }
        self.core.run(|core| core.show(&ready));
    }
}

impl Rebuild for Core {
    fn name(&self) -> String {
        format!("{:?}", self.topic)
    }
    fn rebuild(&mut self) -> Self {
        Self::new(
            self.topic,
            self.node.clone(),
            self.own.clone(),
            std::mem::take(&mut self.watchers),
        )
    }
}

impl Core {
    fn new(topic: Topic, node: Weak<Node>, own: Weak<TopicMailbox>, watchers: Vec<Arc<Session>>) -> Self {
        let gap = node
            .upgrade()
            .map_or(Duration::from_millis(200), |n| n.config.glimpse_gap);
        Self {
            topic,
            node,
            own,
            watchers,
            conflator: Conflator::new(gap),
            timer: false,
        }
    }

    fn handle(&mut self, message: Message) -> Vec<Sight> {
        let ready = match message {
            Message::Watch { session } => {
                if session.is_live() && self.watchers.iter().all(|s| s.id != session.id) {
                    self.watchers.push(session);
                }
                vec![]
            }
            Message::Unwatch { session, actor } => {
                self.watchers.retain(|s| s.id != session);
                if self.watchers.is_empty()
                    && let Some(node) = self.node.upgrade()
                {
                    self.watchers = vec![];
                    node.topics.linger(actor, after(node.config.linger));
                }
                vec![]
            }
            Message::Sight(_) if self.watchers.is_empty() => vec![],
            Message::Sight(sight) => self.conflator.offer(sight, Instant::now()).into_iter().collect(),
            Message::Due => {
                self.timer = false;
                self.conflator.due(Instant::now())
            }
        };
        if !self.timer && !self.conflator.is_empty() {
            self.timer = true;
            let own = self.own.clone();
            let delay = self
                .node
                .upgrade()
                .map_or(Duration::from_millis(50), |n| n.config.glimpse_gap / 4);
            actix_rt::spawn(async move {
                tokio::time::sleep(delay).await;
                if let Some(own) = own.upgrade() {
                    own.answer(Message::Due);
                }
            });
        }
        ready
    }

    fn show(&self, sights: &[Sight]) {
        let Some(merged) = Frame::merged(sights.iter().map(|s| &s.frame)) else {
            return;
        };
        for watcher in &self.watchers {
            watcher.show(sights, &merged);
        }
    }
}
