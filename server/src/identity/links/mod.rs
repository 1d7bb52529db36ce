//! Links in mails: 256 bits, stored hashed, used once, only the newest of a purpose. Opening one changes nothing; a button acts.
//!
//! A link's token is the MAC of its random id under the server's key: the table alone gives none, and a living link can be mailed
//! again (2026-11-23: a second request ended the link that its owner was about to open).

mod store;

use super::{secrets, store::Account};
use crate::{
    error::Error,
    foundation::{context::Keys, mail::address, transaction::Tx},
};
use protocol::{ErrorCode, ids::UserId};
use sqlx::PgExecutor;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// How long a freeze link is good, and the address that was left is kept for its mailbox.
pub const FREEZE_LIFE: Duration = Duration::days(7);

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    ConfirmEmail,
    ResetPassword,
    Invitation,
    Freeze,
    /// Another e-mail, at the address that stands.
    EmailChangeOld,
    /// And at the one that comes.
    EmailChangeNew,
}

impl Purpose {
    const ALL: [Self; 6] = [
        Self::ConfirmEmail,
        Self::ResetPassword,
        Self::Invitation,
        Self::Freeze,
        Self::EmailChangeOld,
        Self::EmailChangeNew,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ConfirmEmail => "confirm-email",
            Self::ResetPassword => "reset-password",
            Self::Invitation => "invitation",
            Self::Freeze => "freeze",
            Self::EmailChangeOld => "email-change-old",
            Self::EmailChangeNew => "email-change-new",
        }
    }

    const fn life(self) -> Duration {
        match self {
            Self::ConfirmEmail => Duration::days(3),
            Self::ResetPassword => Duration::HOUR,
            Self::Invitation => Duration::days(7),
            Self::Freeze => FREEZE_LIFE,
            Self::EmailChangeOld | Self::EmailChangeNew => super::email_change::LIFE,
        }
    }
}

/// A link that was found by its token.
#[derive(Clone, Debug)]
pub struct Link {
    pub id: Uuid,
    pub account: UserId,
    pub purpose: Purpose,
    /// Of a freeze link, the mailbox that it was sent to.
    pub mailbox: Option<String>,
    expires_at: OffsetDateTime,
    used_at: Option<OffsetDateTime>,
}

impl Link {
    /// Neither used nor expired.
    #[must_use]
    pub fn is_good(&self, now: OffsetDateTime) -> bool {
        self.used_at.is_none() && self.expires_at > now
    }
}

fn token_of(keys: &Keys, id: Uuid) -> String {
    data_encoding::BASE64URL_NOPAD.encode(&secrets::mac(keys, "link-token", &[id.as_bytes()]))
}

fn hash(keys: &Keys, token: &str) -> Vec<u8> {
    secrets::mac(keys, "link", &[token.as_bytes()]).to_vec()
}

/// A fresh token; earlier ones of the purpose end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn create(keys: &Keys, tx: &mut Tx, account: UserId, purpose: Purpose) -> Result<String, Error> {
    Ok(fresh(keys, tx, account, purpose, None).await?.0)
}

/// A fresh token that freezes the account, for the mailbox of the address that it has here. Earlier ones stay: a thief's later changes must not
/// disarm the owner's first warning.
///
/// # Errors
/// Whatever the database refuses.
pub async fn create_freeze(keys: &Keys, tx: &mut Tx, account: &Account) -> Result<String, Error> {
    let mailbox = address::key(&account.email);
    Ok(fresh(keys, tx, account.id, Purpose::Freeze, Some(&mailbox))
        .await?
        .0)
}

/// The account's living link of a purpose, while it is good for so long, else a fresh one; and until when it is good.
///
/// # Errors
/// Whatever the database refuses.
pub async fn offer(
    keys: &Keys,
    tx: &mut Tx,
    account: UserId,
    purpose: Purpose,
    at_least: Duration,
) -> Result<(String, OffsetDateTime), Error> {
    let until = tx.now() + at_least;
    if let Some(row) = store::newest(tx.conn(), account, purpose.as_str(), until).await? {
        let token = token_of(keys, row.id);
        // Made under another key, it cannot be told again.
        if secrets::same(&hash(keys, &token), &row.hash) {
            return Ok((token, row.expires_at));
        }
    }
    fresh(keys, tx, account, purpose, None).await
}

async fn fresh(
    keys: &Keys,
    tx: &mut Tx,
    account: UserId,
    purpose: Purpose,
    mailbox: Option<&str>,
) -> Result<(String, OffsetDateTime), Error> {
    // Random throughout: a time in it would be known to others.
    let (now, id) = (tx.now(), Uuid::new_v4());
    let (token, until) = (token_of(keys, id), now + purpose.life());
    if purpose != Purpose::Freeze {
        store::drop_unused(tx.conn(), account, purpose.as_str()).await?;
    }
    let new = store::New {
        id,
        account,
        purpose: purpose.as_str(),
        hash: &hash(keys, &token),
        mailbox,
        expires_at: until,
    };
    store::insert(tx.conn(), &new, now).await?;
    Ok((token, until))
}

/// The link of a token, used or not.
///
/// # Errors
/// Whatever the database refuses.
pub async fn find(keys: &Keys, db: impl PgExecutor<'_>, token: &str) -> Result<Option<Link>, Error> {
    if token.len() > 64 {
        return Ok(None);
    }
    let row = store::find(db, &hash(keys, token)).await?;
    Ok(row.and_then(|r| {
        let purpose = Purpose::ALL.into_iter().find(|p| p.as_str() == r.purpose)?;
        Some(Link {
            id: r.id,
            account: r.account,
            purpose,
            mailbox: r.mailbox,
            expires_at: r.expires_at,
            used_at: r.used_at,
        })
    }))
}

/// Uses a link, in the transaction of what it allows.
///
/// # Errors
/// `link.invalid` when another was faster.
pub async fn consume(tx: &mut Tx, link: &Link) -> Result<(), Error> {
    let now = tx.now();
    if store::consume(tx.conn(), link.id, now).await? {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::LinkInvalid))
    }
}

/// Ends all unused links of a purpose.
///
/// # Errors
/// Whatever the database refuses.
pub async fn revoke(tx: &mut Tx, account: UserId, purpose: Purpose) -> Result<(), Error> {
    store::drop_unused(tx.conn(), account, purpose.as_str()).await
}

/// Ends the unused freeze links in a mailbox that nobody has shown to read.
///
/// # Errors
/// Whatever the database refuses.
pub async fn revoke_to(tx: &mut Tx, account: UserId, mailbox: &str) -> Result<(), Error> {
    store::drop_unused_to(tx.conn(), account, mailbox).await
}

/// Ends all unused links, whatever they are for: they lie in a mailbox that is not the account's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn revoke_all(tx: &mut Tx, account: UserId) -> Result<(), Error> {
    for purpose in Purpose::ALL {
        revoke(tx, account, purpose).await?;
    }
    Ok(())
}

/// Whether somebody has used one for this since then; of the last month.
///
/// # Errors
/// Whatever the database refuses.
pub async fn used_since(
    tx: &mut Tx,
    account: UserId,
    purpose: Purpose,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    store::used_since(tx.conn(), account, purpose.as_str(), since).await
}

/// Forgets links that expired long ago.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(db: impl PgExecutor<'_>, now: OffsetDateTime) -> Result<(), Error> {
    store::prune(db, now - super::kept::LINKS).await
}
