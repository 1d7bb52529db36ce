//! What others must hear at once: a session ended, a user was shut out, a user's rights changed. The realtime room listens and
//! closes or re-scopes sockets on all nodes; without a listener nothing happens (the session cache is a second old at most).

use crate::{error::Error, foundation::transaction::Tx};
use actix_web::{FromRequest, HttpRequest, dev::Payload, web};
use protocol::{
    LiveEvent, StreamId,
    ids::{SessionId, UserId},
    views::AccountDecision,
};
use std::{
    future::{Ready, ready},
    sync::Arc,
};

/// The port. Calls come after the commit and must not block.
pub trait SessionSignals: Send + Sync + 'static {
    /// This session ended: close its sockets with 4002.
    fn revoke_session(&self, session: SessionId);
    /// All of the user's sessions ended.
    fn revoke_user(&self, user: UserId);
    /// Roles, status or confirmation changed: sockets authorise again (4003).
    fn scope_changed(&self, user: UserId);
}

/// The port as use cases hold it.
#[derive(Clone, Default)]
pub struct Signals(Option<Arc<dyn SessionSignals>>);

impl Signals {
    #[must_use]
    pub fn new(port: Arc<dyn SessionSignals>) -> Self {
        Self(Some(port))
    }

    /// Tells that these sessions ended. Call it after the commit.
    pub async fn ended(&self, sessions: &[SessionId]) {
        for session in sessions {
            super::sessions::forget(*session).await;
            if let Some(port) = &self.0 {
                port.revoke_session(*session);
            }
        }
    }

    /// Tells that all sessions of a user ended. Call it after the commit.
    pub async fn shut_out(&self, user: UserId, sessions: &[SessionId]) {
        for session in sessions {
            super::sessions::forget(*session).await;
        }
        if let Some(port) = &self.0 {
            port.revoke_user(user);
        }
    }

    /// Tells that a user's rights changed. Call it after the commit, with the user's living sessions.
    pub async fn scope_changed(&self, user: UserId, sessions: &[SessionId]) {
        for session in sessions {
            super::sessions::forget(*session).await;
        }
        if let Some(port) = &self.0 {
            port.scope_changed(user);
        }
    }
}

impl FromRequest for Signals {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(req
            .app_data::<web::Data<Self>>()
            .map(|s| s.get_ref().clone())
            .unwrap_or_default()))
    }
}

/// The durable fact beside the signal: fetch /me again.
pub fn user_changed(tx: &mut Tx, user: UserId, reason: &str) {
    tx.emit(
        StreamId::User(user),
        LiveEvent::UserChanged {
            reason: reason.to_owned(),
        },
    );
}

/// The fact of which a line tells somebody what staff decided about them.
pub fn account_decided(tx: &mut Tx, user: UserId, what: AccountDecision, reason: Option<String>) {
    tx.emit(StreamId::User(user), LiveEvent::AccountDecided { what, reason });
}
