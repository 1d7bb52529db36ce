//! Who is calling: put into the request by the gate, taken out by handlers.

use crate::{error::Error, foundation::locale::Locale};
use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload};
use protocol::{
    ErrorCode, Permission,
    ids::{LookId, SessionId, UserId},
    permission::Permissions,
};
use std::future::{Ready, ready};
use time::OffsetDateTime;

/// A signed-in person with what they may do, read from the database (never from the token).
#[derive(Clone, Debug)]
pub struct Caller {
    pub user: UserId,
    pub session: SessionId,
    pub full_name: String,
    pub username: String,
    /// What they may do now; of an inactive account no more than a registered user.
    pub permissions: Permissions,
    /// What their roles hold and an inactive account may not use.
    pub withheld: Permissions,
    pub active: bool,
    pub email_confirmed: bool,
    pub completeness: Completeness,
    pub locale: Locale,
    /// From when on decisions of who holds `admin_permissions` count.
    pub counts_at: Option<OffsetDateTime>,
    /// A colleague stopped their decisions, or they a colleague's.
    pub frozen: bool,
    /// Somebody of the staff looks at what this person sees: nothing of it is the person's own doing, and nothing is changed.
    pub seen_by: Option<Seen>,
}

/// A look under which a call is made.
#[derive(Clone, Debug)]
pub struct Seen {
    pub look: LookId,
    pub reason: String,
    pub until: OffsetDateTime,
}

/// What is known of a person who may act: terms, risk notice, age, postal address, upline (docs/rules/identity.md#completeness).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    Complete,
    /// Newer terms than the accepted ones: asked before anything else, but never between people and their own money.
    Renewal,
    /// Something was never given: nothing but reading until it is.
    Incomplete,
}

/// Whose things a store function may touch: every query has it in its WHERE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One's own.
    Own(UserId),
    /// Everyone's, by a permission that the gate has checked.
    Staff(UserId),
}

impl Scope {
    /// The owner that rows are restricted to, if any.
    #[must_use]
    pub const fn owner(self) -> Option<uuid::Uuid> {
        match self {
            Self::Own(user) => Some(user.0),
            Self::Staff(_) => None,
        }
    }
}

impl Caller {
    #[must_use]
    pub const fn own(&self) -> Scope {
        Scope::Own(self.user)
    }

    /// Refuses whose word about money and rights does not count now.
    ///
    /// # Errors
    /// `decision.frozen`, `decision.too_new`.
    pub fn decides(&self, now: OffsetDateTime) -> Result<(), Error> {
        if self.frozen {
            Err(Error::code(ErrorCode::DecisionFrozen))
        } else if self.counts_at.is_none_or(|at| at > now) {
            Err(Error::code(ErrorCode::DecisionTooNew))
        } else {
            Ok(())
        }
    }

    /// # Errors
    /// `auth.forbidden` without the permission.
    pub fn staff(&self, permission: Permission) -> Result<Scope, Error> {
        if self.permissions.holds(permission) {
            Ok(Scope::Staff(self.user))
        } else {
            Err(Error::code(ErrorCode::Forbidden))
        }
    }

    /// Why outgoing money waits, for whoever asks: who looks at somebody else's screens does not learn what was done with their factors.
    #[must_use]
    pub fn hold_reason<'a>(&self, reason: &'a str) -> &'a str {
        let of_factors = matches!(
            reason,
            "factor" | "passkey" | "passkey_copied" | "recovery_code" | "staff_factor"
        );
        if self.seen_by.is_some() && of_factors {
            "safety"
        } else {
            reason
        }
    }

    /// For calls that the gate lets through because they say themselves what is missing.
    ///
    /// # Errors
    /// `auth.profile_incomplete` while something was not given.
    pub fn require_complete(&self) -> Result<(), Error> {
        if self.completeness == Completeness::Complete {
            Ok(())
        } else {
            Err(Error::code(ErrorCode::ProfileIncomplete))
        }
    }
}

impl FromRequest for Caller {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            req.extensions()
                .get::<Self>()
                .cloned()
                .ok_or_else(|| Error::code(ErrorCode::Unauthenticated)),
        )
    }
}
