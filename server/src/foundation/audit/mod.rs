//! Who did what: append-only lines in the transaction of the deed, fields by allow-list, no personal values.

mod store;

use super::transaction::Tx;
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

/// Writes a line. `details` holds ids, states and amounts only.
///
/// # Errors
/// Whatever the database refuses.
pub async fn record(
    tx: &mut Tx,
    actor: Option<UserId>,
    subject: Option<Uuid>,
    category: Category,
    action: &str,
    details: serde_json::Value,
) -> Result<(), Error> {
    let now = tx.now();
    store::insert(
        tx.conn(),
        now,
        actor.map(|a| a.0),
        subject,
        category.as_str(),
        action,
        details,
    )
    .await
}
