//! Passkeys that lie aside (docs/decisions/0107-passkeys-put-aside.md): the account may be in other hands than when they were added, and whose
//! hands, a mailbox alone does not show. They open nothing and stay a factor. Once another password was set, one comes back as the second step
//! after it: who does that has the mailbox, or the other factor, by which the password was set, and the passkey.

use super::{Account, store};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        transaction::Tx,
    },
    identity::service::{self, safety_changed},
};
use protocol::ids::{PasskeyId, UserId};
use serde_json::json;
use sqlx::PgExecutor;
use time::OffsetDateTime;

/// Whether one that lies aside, or does not, is taken: by itself, or (`step`) as the second step after the password.
#[must_use]
pub const fn is_taken(
    aside_at: Option<OffsetDateTime>,
    returns_at: Option<OffsetDateTime>,
    step: bool,
) -> bool {
    aside_at.is_none() || (step && returns_at.is_some())
}

impl store::Stored {
    /// Whether it opens something: by itself, or (`step`) as the second step after the password.
    pub const fn opens(&self, step: bool) -> bool {
        self.doubted_at.is_none() && is_taken(self.aside_at, self.returns_at, step)
    }
}

/// Whether one of somebody's passkeys opens something: by itself, or (`step`) as the second step after the password.
///
/// # Errors
/// Whatever the database refuses.
pub async fn opens(db: impl PgExecutor<'_>, user: UserId, step: bool) -> Result<bool, Error> {
    Ok(store::of(db, user).await?.iter().any(|one| one.opens(step)))
}

/// Puts all of them aside. Whether there were any.
pub async fn put_aside(tx: &mut Tx, by: UserId, user: UserId) -> Result<bool, Error> {
    let now = tx.now();
    let count = store::put_aside(tx.conn(), user, now).await?;
    if count == 0 {
        return Ok(false);
    }
    audit::record(
        tx,
        Some(by),
        Some(user.0),
        Category::Auth,
        "auth.passkeys_aside",
        json!({ "count": count }),
    )
    .await?;
    Ok(true)
}

/// Another password was set: what lies aside may come back after it.
pub async fn let_return(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let now = tx.now();
    store::let_return(tx.conn(), user, now).await
}

/// One came back: it opens what it did before, which its owner is told like any change of a factor.
pub(super) async fn returned(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    passkey: PasskeyId,
) -> Result<(), Error> {
    audit::record(
        tx,
        Some(account.id),
        Some(account.id.0),
        Category::Auth,
        "auth.passkey_returned",
        json!({ "passkey": passkey }),
    )
    .await?;
    service::hold(tx, account.id, "passkey", service::HOLD).await?;
    safety_changed(context, tx, account, "passkey_returned", false).await
}
