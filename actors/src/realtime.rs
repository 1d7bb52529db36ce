//! The door to the real-time part: what the server starts, feeds, asks and stops.

use crate::{
    bus::{Bus, BusMessage, Control},
    config::Config,
    node::{Node, OnControl},
    ports::{Gatekeeper, Inbound, Replay},
    runtime::lock,
    session::{Session, drive::Drive, frame::Frame, outbound::Wire, transport},
};
use actix_web::{HttpRequest, HttpResponse, web};
use protocol::{
    Glimpse,
    ids::{SessionId, UserId},
    live_event::Numbered,
    server_message::{CloseReason, ServerMessage},
};
use std::{
    net::IpAddr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// What the server implements for us.
#[derive(Clone)]
pub struct Ports {
    pub replay: Arc<dyn Replay>,
    pub gatekeeper: Arc<dyn Gatekeeper>,
    pub inbound: Arc<dyn Inbound>,
}

/// Figures for the metrics page and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Sockets, also those that have not said yet who they are.
    pub sessions: usize,
    pub unauthenticated: usize,
    /// Users with at least one session.
    pub users: usize,
    /// Stream and topic actors alive.
    pub actors: usize,
    /// Bytes that wait for slow peers.
    pub queued_bytes: usize,
    pub bus_connected: bool,
}

/// The real-time part of one node; clones share it.
#[derive(Clone)]
pub struct Realtime {
    node: Arc<Node>,
}

impl Realtime {
    /// Starts the node's real-time part; must be called on a running actix system.
    #[must_use]
    pub fn start(config: Config, ports: Ports, bus: Arc<dyn Bus>) -> Self {
        let node = Arc::new(Node::new(
            config,
            ports.replay,
            ports.gatekeeper,
            ports.inbound,
            bus.clone(),
        ));
        let weak = Arc::downgrade(&node);
        bus.attach(Arc::new(move |from, message| {
            if let Some(node) = weak.upgrade() {
                node.hear(from, message);
            }
        }));
        let weak = Arc::downgrade(&node);
        node.arbiters.pick(0).spawn_fn(move || {
            actix_rt::spawn(Node::pulse(weak));
        });
        Self { node }
    }

    /// Facts of this node, just committed, in the order of their commits as far as that is known: to those who listen here,
    /// and to the other nodes.
    pub fn deliver(&self, facts: Vec<Numbered>) {
        if facts.is_empty() {
            return;
        }
        let facts: Vec<Arc<Numbered>> = facts.into_iter().map(Arc::new).collect();
        self.node.bus.publish(BusMessage::Facts(facts.clone()));
        self.node.deliver(facts);
    }

    /// Facts as the poll of the outbox sees them, of any node: most are known already, and are recognised by their number.
    pub fn deliver_polled(&self, facts: Vec<Numbered>) {
        self.node.deliver(facts.into_iter().map(Arc::new).collect());
    }

    /// Shows a glimpse on all nodes: to the listeners of the stream that it belongs to, or to the watchers of the desk.
    pub fn glimpse(&self, glimpse: Glimpse) {
        self.node.glimpse(glimpse);
    }

    /// Ends a session's sockets on all nodes ("revoked").
    pub fn revoke_session(&self, session: SessionId) {
        self.control(Control::RevokeSession(session));
    }

    /// Ends all of a user's sockets on all nodes ("revoked").
    pub fn revoke_user(&self, user: UserId) {
        self.control(Control::RevokeUser(user));
    }

    /// Makes all of a user's sockets reconnect with their new permissions, on all nodes.
    pub fn scope_changed(&self, user: UserId) {
        self.control(Control::ScopeChanged(user));
    }

    /// Tells all nodes, this one too, that something they keep in memory is out of date.
    pub fn invalidate(&self, what: impl Into<String>) {
        self.control(Control::Invalidate(what.into()));
    }

    fn control(&self, control: Control) {
        self.node.obey(&control);
        self.node.bus.publish(BusMessage::Control(control));
    }

    /// Whom to tell every control word, own or from another node (for the server's own memory); replaces an earlier one.
    pub fn on_control(&self, hook: OnControl) {
        *lock(&self.node.on_control) = Some(hook);
    }

    /// Answers a WebSocket handshake: 101, or 503 when there is no place or the node is draining. `peer` is the client's
    /// address as the server knows it through its proxies. The server has checked the origin before. A one-time ticket among
    /// the offered subprotocols is used; otherwise the first message authenticates. `HttpServer::on_connect` must be set to
    /// [`transport::on_connect`].
    #[must_use]
    pub fn accept(&self, req: &HttpRequest, payload: web::Payload, peer: IpAddr) -> HttpResponse {
        transport::accept(&self.node, req, payload, peer)
    }

    /// Takes a connection that is not a socket of the HTTP server and drives it to its end; for tests and tools. False when
    /// there is no place.
    #[must_use]
    pub fn attach(&self, wire: Box<dyn Wire>, address: IpAddr) -> bool {
        let Some(admission) = self.node.limits.admit(address) else {
            return false;
        };
        let node = self.node.clone();
        let id = node.next_session();
        node.clone().session_arbiter(id).spawn_fn(move || {
            let session = Session::open(&node, id, wire, admission);
            actix_rt::spawn(Drive::new(session, &[], None));
        })
    }

    /// Closes all sessions in batches: tells them first to come back after a random wait within `window`, refuses new ones,
    /// and returns when the last is closed.
    pub async fn drain(&self, window: Duration) {
        self.node.draining.store(true, Ordering::SeqCst);
        let within_ms = u32::try_from(window.as_millis()).unwrap_or(u32::MAX);
        let announcement = Frame::json(&ServerMessage::Drain { within_ms });
        let sessions = self.node.sessions.all();
        for session in &sessions {
            session.send(&announcement);
        }
        const BATCHES: usize = 20;
        let size = sessions.len().div_ceil(BATCHES).max(1);
        let pause = window / u32::try_from(BATCHES).unwrap_or(1);
        for batch in sessions.chunks(size) {
            tokio::time::sleep(pause).await;
            for session in batch {
                session.close(CloseReason::GoingAway);
            }
        }
        drop(sessions);
        // Those that came in while we were at it, and the farewells under way.
        let deadline =
            tokio::time::Instant::now() + self.node.config.close_grace + Duration::from_millis(500);
        while !self.node.sessions.is_empty() && tokio::time::Instant::now() < deadline {
            for session in self.node.sessions.all() {
                session.close(CloseReason::GoingAway);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for session in self.node.sessions.all() {
            session.gone();
        }
    }

    /// Users who have a socket of this node.
    #[must_use]
    pub fn present(&self) -> Vec<UserId> {
        self.node.sessions.present()
    }

    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            sessions: self.node.sessions.len(),
            unauthenticated: self.node.limits.strangers(),
            users: self.node.sessions.users(),
            actors: self.node.actors.load(Ordering::Relaxed),
            queued_bytes: self.node.queued.load(Ordering::Relaxed),
            bus_connected: self.node.bus.connected(),
        }
    }
}
