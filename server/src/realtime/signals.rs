//! What identity tells: sessions that ended and rights that changed reach the sockets of all nodes.

use crate::identity::signals::{SessionSignals, Signals};
use actors::Realtime;
use protocol::ids::{SessionId, UserId};
use std::sync::Arc;

struct Sockets(Realtime);

impl SessionSignals for Sockets {
    fn revoke_session(&self, session: SessionId) {
        self.0.revoke_session(session);
    }

    fn revoke_user(&self, user: UserId) {
        self.0.revoke_user(user);
    }

    fn scope_changed(&self, user: UserId) {
        self.0.scope_changed(user);
    }
}

/// The port that identity's use cases call.
#[must_use]
pub fn signals(realtime: &Realtime) -> Signals {
    Signals::new(Arc::new(Sockets(realtime.clone())))
}
