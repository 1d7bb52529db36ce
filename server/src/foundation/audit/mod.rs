//! Who did what: append-only lines in the transaction of the deed, fields by allow-list, no personal values.
//!
//! The lines are linked into a chain of digests by a job ([`jobs`]), the chain's head is signed once a day into a file outside the
//! database ([`heads`]), and [`verify`] says whether anything was changed, left out or put in between; what screens show of it without
//! that pass is [`standing`]. Invariants: one chain without gaps, each line in it once; neither lines nor links ever change. Tables:
//! `foundation.audit`, `foundation.audit_link`.

pub mod chain;
pub mod heads;
pub mod jobs;
pub mod linking;
pub mod standing;
mod store;
pub mod verify;

use super::transaction::{AuditLine, Tx};
use crate::error::Error;
use protocol::ids::UserId;
use uuid::Uuid;

/// The category by which a log is filtered (docs/rules/foundation.md#audit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    Auth,
    Profile,
    Money,
    Roles,
    Settings,
    Support,
}

impl Category {
    const ALL: [Self; 6] = [
        Self::Auth,
        Self::Profile,
        Self::Money,
        Self::Roles,
        Self::Settings,
        Self::Support,
    ];

    /// By its word.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == word)
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Profile => "profile",
            Self::Money => "money",
            Self::Roles => "roles",
            Self::Settings => "settings",
            Self::Support => "support",
        }
    }
}

/// Writes a line, at the end of the change. `details` holds ids, states and amounts only.
///
/// # Errors
/// None of its own: what the database refuses is told at the commit.
// Awaited like everything that writes: its callers do not change with where it is written.
pub async fn record(
    tx: &mut Tx,
    actor: Option<UserId>,
    subject: Option<Uuid>,
    category: Category,
    action: &str,
    details: serde_json::Value,
) -> Result<(), Error> {
    tx.note(AuditLine {
        actor: actor.map(|a| a.0),
        subject,
        category: category.as_str(),
        action: action.to_owned(),
        details,
    });
    Ok(())
}
