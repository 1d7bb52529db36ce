//! An account that its owner has closed: what goes at once, what the law keeps for its time, and what stays (docs/rules/privacy.md#closing).
//!
//! Invariants: closed is for good (the database). At once go sessions, factors, links, roles, the picture and all that is only for living here;
//! the username becomes one that names nobody, and nobody gets the old one again. Name, address, e-mail and document stay for the time of the
//! law, then they go too; the e-mail is nobody else's until then. The row stays: postings and the network's tree stand on it. Whoever has the
//! password is told for a while that the account is closed, everybody else what strangers are told.
//! Tables: `identity.account`, `identity.retired_username`.

mod store;

use super::{
    codes::{self, Both, Purpose},
    devices, email_change, erasing, google, links, looks, passkeys, roles, secrets, sessions,
    sign_in::{end_challenges, lock_with_password, require_password},
    signals,
    store::{self as accounts, Account},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::{Context, Keys},
        files, mail,
        transaction::{Db, Tx},
    },
};
use protocol::{
    ErrorCode,
    ids::{FileId, SessionId, UserId},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

/// The status of an account that its owner has closed.
pub const CLOSED: &str = "closed";

/// The reason of the fact by which sockets end: [`signals::user_changed`].
pub const FACT: &str = "closed";

/// A request that still waits so long after its day is late: what holds it up is no matter of a moment, or its job was given up.
pub const LATE: Duration = Duration::HOUR;

/// Accounts whose time is over that one run erases.
const BATCH: i64 = 500;

#[must_use]
pub fn is_closed(account: &Account) -> bool {
    account.status == CLOSED
}

/// # Errors
/// `auth.closed` for an account that its owner has closed.
pub fn require_open(account: &Account) -> Result<(), Error> {
    if is_closed(account) {
        Err(Error::code(ErrorCode::AccountClosed))
    } else {
        Ok(())
    }
}

/// Whether an account is closed, and nobody closes it until the transaction ends. Call it before the ledger is asked for anything.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_closed_within(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    store::is_closed(tx.conn(), user).await
}

/// From when on the account is to be closed, where that was asked for.
pub(super) async fn due(db: &Db, user: UserId) -> Result<Option<OffsetDateTime>, Error> {
    store::due(db.pool(), user).await
}

/// How many accounts should be closed by now and are not.
///
/// # Errors
/// Whatever the database refuses.
pub async fn late(tx: &mut Tx, now: OffsetDateTime) -> Result<i64, Error> {
    store::late(tx.conn(), now - LATE).await
}

/// What the owner shows who asks: the password, and the codes that change one's data. Consume the proof in the change that they authorise.
///
/// # Errors
/// `password.wrong`, `code.missing`, `code.wrong`, at their fields; `request.rate_limited`.
pub async fn check(
    context: &Context,
    account: &Account,
    session: SessionId,
    password: &str,
    mailed: &str,
    app: &str,
) -> Result<Both, Error> {
    require_password(context, account, session, password).await?;
    codes::check_both(context, account, Purpose::CloseAccount, mailed, app).await
}

/// Locks roles and the account, whose password still is the one that was shown.
///
/// # Errors
/// `auth.failed` for one that was replaced meanwhile.
pub async fn lock_shown(tx: &mut Tx, account: &Account) -> Result<(), Error> {
    roles::lock(tx).await?;
    lock_with_password(tx, account).await
}

/// The way to the page that freezes the account, for a mail.
///
/// # Errors
/// Whatever the database refuses.
pub async fn freeze_path(context: &Context, tx: &mut Tx, account: &Account) -> Result<String, Error> {
    let token = links::create_freeze(&context.keys, tx, account).await?;
    Ok(format!("/freeze/{token}"))
}

/// Locks roles and the account: who decides about money must not change between the look and the deed.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    roles::lock(tx).await?;
    accounts::lock(tx.conn(), user).await
}

/// Locks the account alone.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock_account(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    accounts::lock(tx.conn(), user).await
}

/// Closes an account, which the caller has locked ([`lock`]) and looked at: nothing of worth is in it. Sockets end by the fact.
///
/// # Errors
/// Whatever the database refuses.
pub async fn close(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    reason: Option<&str>,
) -> Result<(), Error> {
    let (user, now) = (account.id, tx.now());
    sessions::end_all(tx, user, None, CLOSED).await?;
    looks::end_of_subject(tx, user, CLOSED).await?;
    end_challenges(tx, user).await?;
    email_change::end(tx, user).await?;
    links::revoke_all(tx, user).await?;
    google::forget(tx, user, Some(user)).await?;
    passkeys::forget(tx, user).await?;
    devices::forget_others(tx, user, None).await?;
    accounts::replace_recovery_codes(tx.conn(), user, &[]).await?;
    store::drop_roles(tx.conn(), user).await?;
    store::drop_social(tx.conn(), user).await?;
    let digest = retired(&context.keys, &bare(&account.username));
    store::retire_username(tx.conn(), &digest, business_day::of(now)).await?;
    store::close(tx.conn(), user, &nameless(user), reason, now).await?;
    mail::move_waiting(tx, user, &account.email, None).await?;
    if let Some(picture) = account.avatar {
        files::discard(tx, FileId(picture)).await?;
    }
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Profile,
        "closing.closed",
        json!({}),
    )
    .await?;
    signals::user_changed(tx, user, FACT);
    Ok(())
}

/// A username's digest without the key: what was kept of it at first.
fn bare(username: &str) -> [u8; 32] {
    Sha256::digest(username.as_bytes()).into()
}

/// What is kept of a username that nobody gets again.
fn retired(keys: &Keys, bare: &[u8]) -> [u8; 32] {
    secrets::mac(keys, "retired-username", &[bare])
}

/// Whether somebody was called so who has closed their account.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn is_retired(keys: &Keys, tx: &mut Tx, username: &str) -> Result<bool, Error> {
    let bare = bare(username);
    store::is_retired(tx.conn(), &retired(keys, &bare), &bare).await
}

/// What a closed account is called: the end of its id, which is random.
fn nameless(user: UserId) -> String {
    let digits = user.0.simple().to_string();
    let end = digits.get(digits.len().saturating_sub(12)..).unwrap_or(&digits);
    format!("closed-{end}")
}

/// Forgets the passwords of accounts closed a while ago, and what names the persons of those that were closed long ago.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn prune(context: &Context) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    for digest in store::bare_usernames(tx.conn(), BATCH).await? {
        store::key_username(tx.conn(), &digest, &retired(&context.keys, &digest)).await?;
    }
    store::forget_passwords(tx.conn(), now - super::kept::CLOSED_PASSWORDS).await?;
    let before = now - super::kept::CLOSED_ACCOUNTS;
    let erased = store::erase(tx.conn(), before, now, BATCH).await?;
    if !erased.is_empty() {
        store::drop_addresses(tx.conn(), &erased, before).await?;
        erasing::tell(context, &mut tx, &erased).await?;
        for user in erased {
            audit::record(
                &mut tx,
                None,
                Some(user.0),
                Category::Profile,
                "closing.erased",
                json!({}),
            )
            .await?;
        }
    }
    tx.commit().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_left_is_called_by_nothing_of_theirs() {
        let (one, other) = (UserId::fresh(), UserId::fresh());
        assert_eq!(nameless(one).len(), 19);
        assert_ne!(nameless(one), nameless(other));
        assert!(nameless(one).starts_with("closed-"));
    }
}
