//! Who a socket is, what it may listen to, and the read marks that it sends.

use crate::{
    error::Error,
    foundation::context::Context,
    identity::{caller::Caller, sessions, tickets},
    support,
};
use actors::{Credential, Gatekeeper, Identity, Inbound, Refusal};
use async_trait::async_trait;
use protocol::{
    ErrorCode, Permission, StreamId,
    ids::{SessionId, TicketId, UserId},
};
use time::{Duration, OffsetDateTime};

/// Implements the actors' ports over identity and support.
pub struct Doorkeeper {
    context: Context,
}

impl Doorkeeper {
    #[must_use]
    pub const fn new(context: Context) -> Self {
        Self { context }
    }

    async fn session(
        &self,
        session: SessionId,
        user: Option<UserId>,
        until: OffsetDateTime,
    ) -> Result<Identity, Refusal> {
        let now = self.context.now();
        let state = sessions::fresh_state(&self.context, session)
            .await
            .map_err(unavailable)?
            .ok_or(Refusal::Refused)?;
        if state.expires_at <= now || user.is_some_and(|u| u != state.caller.user) {
            return Err(Refusal::Refused);
        }
        let caller = state.caller;
        Ok(Identity {
            user: caller.user,
            session,
            staff: caller.permissions.holds(Permission::ResponseTicket),
            name: caller.full_name,
            permissions: caller.permissions,
            expires_at: until.min(state.expires_at),
        })
    }

    async fn caller(&self, identity: &Identity) -> Result<Option<Caller>, Refusal> {
        let state = sessions::fresh_state(&self.context, identity.session)
            .await
            .map_err(unavailable)?;
        Ok(state.map(|s| s.caller).filter(|c| c.user == identity.user))
    }
}

fn unavailable(error: Error) -> Refusal {
    if error.error_code().status() < 500 {
        Refusal::Refused
    } else {
        Refusal::Unavailable
    }
}

#[async_trait]
impl Gatekeeper for Doorkeeper {
    async fn authenticate(&self, credential: Credential) -> Result<Identity, Refusal> {
        let now = self.context.now();
        match credential {
            Credential::Token(token) => {
                let claims = sessions::verify(&self.context.keys, &token, now).map_err(unavailable)?;
                let until = OffsetDateTime::from_unix_timestamp(claims.exp).map_err(|_| Refusal::Refused)?;
                self.session(claims.sid, Some(claims.sub), until).await
            }
            Credential::Ticket(ticket) => {
                let session = tickets::consume(&self.context, &ticket)
                    .await
                    .map_err(unavailable)?;
                self.session(session, None, now + Duration::seconds(sessions::ACCESS_SECONDS))
                    .await
            }
        }
    }

    async fn may_subscribe(&self, identity: &Identity, stream: StreamId) -> Result<bool, Refusal> {
        let Some(caller) = self.caller(identity).await? else {
            return Ok(false);
        };
        match stream {
            StreamId::User(user) => Ok(user == caller.user),
            StreamId::Public => Ok(true),
            StreamId::Queue(queue) => Ok(caller.active && caller.permissions.holds(queue.permission())),
            StreamId::Ticket(ticket) => support::service::may_see(&self.context, &caller, ticket)
                .await
                .map_err(unavailable),
        }
    }
}

#[async_trait]
impl Inbound for Doorkeeper {
    async fn read(&self, identity: &Identity, ticket: TicketId, up_to: i64) -> Result<(), ErrorCode> {
        support::service::mark_read(&self.context, identity.user, identity.staff, ticket, up_to)
            .await
            .map_err(|e| e.error_code())
    }
}
