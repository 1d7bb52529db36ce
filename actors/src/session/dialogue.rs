//! What a client says, and what is done about it. Messages of one session are handled one after the other; what has to ask
//! the server becomes a future, and nothing more is read from the peer until it has ended.

use super::{Phase, Session, Subscription, directory::Entry};
use crate::{
    channel::Message,
    ports::{Credential, Head, Identity, Refusal},
    runtime::lock,
    topic,
};
use futures_util::future::BoxFuture;
use protocol::{
    ClientMessage, ErrorCode, Glimpse, StreamId,
    client_message::Topic,
    ids::TicketId,
    server_message::{CloseReason, ServerMessage},
};
use std::sync::{Arc, atomic::Ordering};

type Job = BoxFuture<'static, ()>;

impl Session {
    /// Takes a text message; gives a future when the answer needs the server.
    pub fn receive(self: &Arc<Self>, text: &str) -> Option<Job> {
        let config = &self.node.config;
        let phase = {
            let mut state = lock(&self.state);
            let now = self.node.millis();
            if !state
                .bucket
                .take(config.inbound_burst, config.inbound_per_second, now)
            {
                drop(state);
                self.close(CloseReason::TooMany);
                return None;
            }
            state.phase
        };
        let Ok(message) = serde_json::from_str::<ClientMessage>(text) else {
            self.close(CloseReason::BadMessage);
            return None;
        };
        match (phase, message) {
            (Phase::Closing | Phase::Gone, _) => None,
            (Phase::Stranger, ClientMessage::Auth { token }) => {
                Some(authenticate(self.clone(), Credential::Token(token)))
            }
            (Phase::Stranger, _) => {
                self.close(CloseReason::Unauthenticated);
                None
            }
            (Phase::Live, message) => self.converse(message),
        }
    }

    fn converse(self: &Arc<Self>, message: ClientMessage) -> Option<Job> {
        let identity = self.identity()?;
        match message {
            ClientMessage::Auth { .. } => {
                self.close(CloseReason::BadMessage);
                None
            }
            ClientMessage::Refresh { token } => Some(refresh(self.clone(), token)),
            ClientMessage::Subscribe { stream, epoch, seq } => {
                let place = epoch.zip(seq).map(|(epoch, seq)| Head { epoch, seq });
                Some(subscribe(self.clone(), identity, stream, place))
            }
            ClientMessage::Unsubscribe { stream } => {
                self.unsubscribe(stream);
                None
            }
            ClientMessage::Watch { topic } => {
                self.watch(topic);
                None
            }
            ClientMessage::Unwatch { topic } => {
                let watched = lock(&self.state)
                    .watching
                    .get_mut(topic.index())
                    .and_then(Option::take);
                if let Some(actor) = watched {
                    actor.answer(topic::Message::Unwatch {
                        session: self.id,
                        actor: actor.clone(),
                    });
                }
                None
            }
            ClientMessage::Typing { ticket, on } => {
                if self.listens(StreamId::Ticket(ticket)) {
                    let name = identity.name.clone();
                    self.node.glimpse(Glimpse::Typing {
                        ticket,
                        user: identity.user,
                        name,
                        on,
                    });
                }
                None
            }
            ClientMessage::Deciding { queue, item, on } => {
                if self.listens(StreamId::Queue(queue)) {
                    let name = identity.name.clone();
                    self.node.glimpse(Glimpse::Deciding {
                        queue,
                        item,
                        user: identity.user,
                        name,
                        on,
                    });
                }
                None
            }
            ClientMessage::Read { ticket, up_to } => self
                .listens(StreamId::Ticket(ticket))
                .then(|| read(self.clone(), identity, ticket, up_to)),
            ClientMessage::Hb => None,
        }
    }

    /// Whether the session listens to the stream; if not, it is told what everyone is told of a stream that is not theirs.
    fn listens(&self, stream: StreamId) -> bool {
        let listens = lock(&self.state).subscriptions.iter().any(|s| s.stream == stream);
        if !listens {
            self.say(&ServerMessage::Denied { stream });
        }
        listens
    }

    fn unsubscribe(&self, stream: StreamId) {
        let mut state = lock(&self.state);
        if let Some(index) = state.subscriptions.iter().position(|s| s.stream == stream) {
            state.subscriptions.swap_remove(index).leave(self.id);
        }
    }

    fn watch(self: &Arc<Self>, topic: Topic) {
        let actor = self.topic(topic);
        let mut state = lock(&self.state);
        if state.phase != Phase::Live {
            return;
        }
        if actor
            .try_send(topic::Message::Watch {
                session: self.clone(),
            })
            .is_ok()
        {
            if let Some(place) = state.watching.get_mut(topic.index()) {
                *place = Some(actor);
            }
        } else {
            drop(state);
            self.say(&ServerMessage::Error {
                code: ErrorCode::Busy,
            });
        }
    }

    fn refused(&self, refusal: Refusal) {
        match refusal {
            Refusal::Refused => self.close(CloseReason::Unauthenticated),
            // Not the client's fault, and not for ever: it backs off and comes again.
            Refusal::Unavailable => self.close(CloseReason::GoingAway),
        }
    }

    /// When the identity's time is over, on the node's clock.
    fn expiry(&self, identity: &Identity) -> u64 {
        let left = identity.expires_at - (self.node.config.clock)();
        self.node
            .millis()
            .saturating_add(u64::try_from(left.whole_milliseconds()).unwrap_or(0))
    }
}

/// Who is it? The answer makes a stranger's session live.
pub(super) fn authenticate(session: Arc<Session>, credential: Credential) -> Job {
    Box::pin(async move {
        let node = session.node.clone();
        session.asked.store(node.millis(), Ordering::SeqCst);
        let identity = match node.within(node.gatekeeper.authenticate(credential)).await {
            Ok(identity) => Arc::new(identity),
            Err(refusal) => return session.refused(refusal),
        };
        let expires = session.expiry(&identity);
        if expires <= node.millis() {
            return session.close(CloseReason::Unauthenticated);
        }
        {
            let mut state = lock(&session.state);
            if state.phase != Phase::Stranger {
                return;
            }
            state.phase = Phase::Live;
            state.since = node.millis();
            state.expires = expires;
            state.next_beat = node.millis() + session.draw_beat();
            state.identity = Some(identity.clone());
            if let Some(admission) = &mut state.admission {
                admission.known();
            }
        }
        let limit = node.config.sessions_per_user;
        match node
            .sessions
            .enter(&session, identity.user, identity.session, limit, node.millis())
        {
            Entry::Entered => {}
            Entry::TooMany => return session.close(CloseReason::TooMany),
            Entry::Overtaken(reason) => return session.close(reason),
        }
        // Closed while it was being entered: whoever closed it could not find it there yet.
        if !session.is_live() {
            return node.sessions.leave(&session, identity.user);
        }
        session.say(&ServerMessage::Welcome {
            user: identity.user,
            session: identity.session,
            now: (node.config.clock)(),
            heartbeat_seconds: u32::try_from(node.config.heartbeat.as_secs()).unwrap_or(25),
        });
    })
}

/// A newer token of the same session: it may stay longer, with the permissions that the token has now.
fn refresh(session: Arc<Session>, token: String) -> Job {
    Box::pin(async move {
        let node = session.node.clone();
        match node
            .within(node.gatekeeper.authenticate(Credential::Token(token)))
            .await
        {
            Ok(identity) => {
                let expires = session.expiry(&identity);
                let same = {
                    let mut state = lock(&session.state);
                    let same = state
                        .identity
                        .as_ref()
                        .is_some_and(|i| i.user == identity.user && i.session == identity.session);
                    if same {
                        state.expires = expires;
                        state.identity = Some(Arc::new(identity));
                    }
                    same
                };
                if !same {
                    session.close(CloseReason::Unauthenticated);
                }
            }
            Err(Refusal::Refused) => session.close(CloseReason::Unauthenticated),
            // The old token still holds; the client tries again.
            Err(Refusal::Unavailable) => {
                session.say(&ServerMessage::Error {
                    code: ErrorCode::Unavailable,
                });
            }
        }
    })
}

fn subscribe(session: Arc<Session>, identity: Arc<Identity>, stream: StreamId, place: Option<Head>) -> Job {
    Box::pin(async move {
        let node = session.node.clone();
        match node
            .within(node.gatekeeper.may_subscribe(&identity, stream))
            .await
        {
            Ok(true) => {}
            Ok(false) | Err(Refusal::Refused) => {
                session.say(&ServerMessage::Denied { stream });
                return;
            }
            Err(Refusal::Unavailable) => {
                session.say(&ServerMessage::Error {
                    code: ErrorCode::Unavailable,
                });
                return;
            }
        }
        let actor = node.stream(stream);
        let mut state = lock(&session.state);
        // Under the lock: whoever closes the session meanwhile finds the subscription and takes it back, after this.
        if state.phase != Phase::Live {
            return;
        }
        let known = state.subscriptions.iter().position(|s| s.stream == stream);
        if known.is_none() && state.subscriptions.len() >= node.config.subscriptions_per_session {
            drop(state);
            session.close(CloseReason::TooMany);
            return;
        }
        if actor
            .try_send(Message::Join {
                session: session.clone(),
                place,
            })
            .is_err()
        {
            drop(state);
            session.say(&ServerMessage::Error {
                code: ErrorCode::Busy,
            });
            return;
        }
        let subscription = Subscription { stream, actor };
        match known.and_then(|index| state.subscriptions.get_mut(index)) {
            Some(old) => *old = subscription,
            None => {
                state.subscriptions.reserve_exact(1);
                state.subscriptions.push(subscription);
            }
        }
    })
}

fn read(session: Arc<Session>, identity: Arc<Identity>, ticket: TicketId, up_to: i64) -> Job {
    Box::pin(async move {
        let node = session.node.clone();
        let call = node.inbound.read(&identity, ticket, up_to);
        let result = tokio::time::timeout(node.config.port_timeout, call)
            .await
            .unwrap_or(Err(ErrorCode::Unavailable));
        if let Err(code) = result {
            session.say(&ServerMessage::Error { code });
        }
    })
}
