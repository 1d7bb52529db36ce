//! Devices: a browser is known by a random cookie, never by its name or its address, which anybody can copy and strangers share.
//!
//! The cookie comes with a full sign-in (password and second factor), a registration, an accepted invitation or a reset; accounts
//! keep its hash, which is the same in all of them, so that one browser in several accounts is seen. An account *knows* a device
//! until its password is reset elsewhere, its owner freezes it or ends the device's session: the row then stays as evidence, and
//! the browser is a strange one. A change of password by somebody who is signed in leaves devices known: their owners would
//! otherwise stand among strangers again.

mod store;

use super::{
    browser::Browser,
    kept,
    limits::rules::{LONGEST_KNOWN, Place, Seat},
    secrets,
};
use crate::{
    error::Error,
    foundation::{
        context::{Context, Keys},
        transaction::{Db, Tx},
    },
};
use protocol::ids::UserId;
use time::{Duration, OffsetDateTime};

/// Characters of a cookie: 256 bits as [`secrets::token`] writes them.
const LENGTH: usize = 43;

/// How often a device's use is written down.
const NOTED_EVERY: Duration = Duration::HOUR;

/// A browser as an account knows it.
pub struct Device {
    /// For the cookie.
    pub token: String,
    pub hash: Vec<u8>,
    /// The account did not know it, and has been used elsewhere before.
    pub strange: bool,
}

fn hash(keys: &Keys, token: &str) -> Vec<u8> {
    secrets::mac(keys, "device", &[token.as_bytes()]).to_vec()
}

/// What the browser's cookie is stored as; none without one that could be ours.
fn shown(keys: &Keys, browser: &Browser) -> Option<(String, Vec<u8>)> {
    let token = browser.token.as_deref()?;
    let whole = data_encoding::BASE64URL_NOPAD
        .decode(token.as_bytes())
        .is_ok_and(|bytes| bytes.len() == 32);
    (token.len() == LENGTH && whole).then(|| (token.to_owned(), hash(keys, token)))
}

/// The name under which a known device's tries are counted.
#[must_use]
pub fn name(hash: &[u8]) -> String {
    hex::encode(&hash[..16.min(hash.len())])
}

/// The name of the browser, if the account behind an e-mail knows it. Asked alike for e-mails that nobody has.
///
/// # Errors
/// Whatever the database refuses.
pub async fn known(context: &Context, email_key: &str, browser: &Browser) -> Result<Option<String>, Error> {
    let Some((_, hash)) = shown(&context.keys, browser) else {
        return Ok(None);
    };
    let knows = store::knows(context.db.pool(), email_key, &hash).await?;
    Ok(knows.then(|| name(&hash)))
}

/// Where a password is tried: on the known device of that name, else at the browser's address.
#[must_use]
pub fn place<'a>(known: Option<&'a str>, browser: &'a Browser) -> Place<'a> {
    known.map_or(Place::Strange(&browser.address), Place::Known)
}

/// Where somebody who is not signed in types the codes of an account.
///
/// # Errors
/// Whatever the database refuses.
pub async fn seat(context: &Context, account: UserId, browser: &Browser) -> Result<Seat, Error> {
    let mut known = None;
    if let Some((_, hash)) = shown(&context.keys, browser) {
        let long = store::long_known(context.db.pool(), account, &hash, LONGEST_KNOWN).await?;
        known = long.map(|long| (name(&hash), long));
    }
    let long_known = known.as_ref().is_some_and(|(_, long)| *long);
    Ok(Seat {
        session: None,
        device: known.map(|(name, _)| name),
        long_known,
        address: Some(browser.address.clone()),
    })
}

/// From now on the account knows this browser. It keeps a cookie that we gave it and gets a fresh one otherwise.
///
/// # Errors
/// Whatever the database refuses.
pub async fn remember(keys: &Keys, tx: &mut Tx, account: UserId, browser: &Browser) -> Result<Device, Error> {
    let ours = match shown(keys, browser) {
        // A cookie that no account has is none of ours: whoever made it up may have told it to others.
        Some((token, hash)) if store::exists(tx.conn(), &hash).await? => Some((token, hash)),
        _ => None,
    };
    let (token, hash) = ours.unwrap_or_else(|| {
        let token = secrets::token();
        let hash = hash(keys, &token);
        (token, hash)
    });
    let now = tx.now();
    let label: String = browser.device.chars().take(200).collect();
    let (knew, any) = store::remember(tx.conn(), account, &hash, &label, now).await?;
    Ok(Device {
        token,
        hash,
        strange: any && !knew,
    })
}

/// The browser is used for this account, which keeps its row alive.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note_use(keys: &Keys, tx: &mut Tx, account: UserId, browser: &Browser) -> Result<(), Error> {
    let now = tx.now();
    match shown(keys, browser) {
        Some((_, hash)) => store::note_use(tx.conn(), account, &hash, now, now - NOTED_EVERY).await,
        None => Ok(()),
    }
}

/// The account knows none of its devices but this one any more.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget_others(tx: &mut Tx, account: UserId, but: Option<&[u8]>) -> Result<(), Error> {
    store::forget_others(tx.conn(), account, but).await
}

/// The account no longer knows a device on which no session of it lives.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget_left(tx: &mut Tx, account: UserId, hash: &[u8]) -> Result<(), Error> {
    store::forget_left(tx.conn(), account, hash).await
}

/// How many other accounts were used in a person's browsers since then.
///
/// # Errors
/// Whatever the database refuses.
pub async fn other_accounts(tx: &mut Tx, user: UserId, since: OffsetDateTime) -> Result<i64, Error> {
    store::other_accounts(tx.conn(), user, since).await
}

/// Whether two people used one browser since then.
///
/// # Errors
/// Whatever the database refuses.
pub async fn sharing(
    tx: &mut Tx,
    pairs: &[(UserId, UserId)],
    since: OffsetDateTime,
) -> Result<Vec<(UserId, UserId)>, Error> {
    store::sharing(tx.conn(), pairs, since).await
}

/// Groups of people who used one browser since then.
///
/// # Errors
/// Whatever the database refuses.
pub async fn shared(tx: &mut Tx, since: OffsetDateTime) -> Result<Vec<Vec<UserId>>, Error> {
    store::shared(tx.conn(), since).await
}

/// Forgets devices that nobody uses.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(db: &Db) -> Result<(), Error> {
    let now = db.now();
    store::prune(db.pool(), now - kept::DEVICES, now - kept::DEVICES_UNUSED).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_be_ours_is_looked_up() {
        let keys = Keys::of_installation(2);
        let browser = |token: Option<&str>| Browser {
            device: "Firefox · Linux".into(),
            address: "203.0.113.7".into(),
            token: token.map(str::to_owned),
        };
        let token = secrets::token();
        assert_eq!(
            shown(&keys, &browser(Some(&token))),
            Some((token.clone(), hash(&keys, &token)))
        );
        assert_eq!(hash(&keys, &token).len(), 32);
        for bad in ["", "x", &token[..42], &format!("{token}A"), &"ç".repeat(22)] {
            assert_eq!(shown(&keys, &browser(Some(bad))), None, "{bad}");
        }
        assert_eq!(shown(&keys, &browser(None)), None);
    }
}
