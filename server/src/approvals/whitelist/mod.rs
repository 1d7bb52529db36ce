//! A person's list of destinations: once on, money goes nowhere else; a fresh destination waits; off takes a day. All three are mailed to the
//! owner ([`loosening`], [`tightening`]).

mod store;

use super::{
    destinations::{self, Destination},
    guard::Verdict,
    loosening::{self, Loosening},
    tightening::{self, Tightening},
    unsent,
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        evm_address,
        locale::Locale,
        transaction::Tx,
    },
    identity::service::{self as identity, Purpose},
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId, WhitelistId},
};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// How long a list that is switched off stays in force.
const OFF_DELAY: Duration = Duration::hours(24);

/// What kind of destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = WhitelistKind)]
pub enum Kind {
    /// An address on the chain.
    Chain,
    /// A PIX key.
    Pix,
    /// A member of the platform.
    Member,
}

impl Kind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Pix => "pix",
            Self::Member => "member",
        }
    }

    fn read(text: &str) -> Option<Self> {
        [Self::Chain, Self::Pix, Self::Member]
            .into_iter()
            .find(|k| k.as_str() == text)
    }
}

/// Refuses a destination that the person's list, which is in force, does not hold, or not yet.
///
/// # Errors
/// `whitelist.missing`, `whitelist.waiting`.
pub(super) fn require(usable_at: Option<OffsetDateTime>, now: OffsetDateTime) -> Result<(), Error> {
    match usable_at {
        None => {
            Err(Error::code(ErrorCode::WhitelistMissing).field("destination", ErrorCode::WhitelistMissing))
        }
        Some(at) if at > now => Err(Error::code(ErrorCode::WhitelistWaiting)
            .with("until", business_day::shown(at))
            .field("destination", ErrorCode::WhitelistWaiting)),
        Some(_) => Ok(()),
    }
}

/// Somewhere money may go.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
// A role's permissions have an `Entry` too.
#[schema(as = WhitelistEntry)]
pub struct Entry {
    #[serde(rename = "_id")]
    pub id: WhitelistId,
    pub kind: Kind,
    /// As people read it; of a member the username.
    pub destination: String,
    pub label: String,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub usable_at: OffsetDateTime,
}

/// A person's list with its switch.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhitelistView {
    pub on: bool,
    /// Switched off by then; until then it stays in force.
    #[serde(with = "time::serde::rfc3339::option")]
    pub off_at: Option<OffsetDateTime>,
    pub entries: Vec<Entry>,
}

/// One's own list.
///
/// # Errors
/// Whatever the database refuses.
pub async fn view(tx: &mut Tx, user: UserId) -> Result<WhitelistView, Error> {
    let now = tx.now();
    let (on, off_at) = store::switch(tx.conn(), user, now).await?;
    Ok(WhitelistView {
        on,
        off_at,
        entries: store::entries(tx.conn(), user).await?,
    })
}

/// A destination to be listed.
#[derive(Clone, Debug)]
pub struct NewEntry<'a> {
    pub kind: Kind,
    pub destination: Destination,
    pub label: &'a str,
}

/// The most destinations of one person.
const MOST: i64 = 50;

/// Reads a destination that is to be listed.
///
/// # Errors
/// What says that it is none of its kind, at `destination`; `wallet.address_refused` where money would be lost.
pub fn read(context: &Context, kind: Kind, typed: &str) -> Result<Destination, Error> {
    match Destination::read(kind, typed) {
        Some(Destination::Chain(address)) if evm_address::is_lost(context, address) => {
            Err(refuse(ErrorCode::WalletAddressRefused))
        }
        read => read.ok_or_else(|| refuse(destinations::refusal(kind))),
    }
}

/// A member who was named by e-mail, by the username: found as whoever is sent balance, by the whole address alone.
///
/// # Errors
/// `user.unknown`.
pub async fn found(context: &Context, user: UserId, destination: Destination) -> Result<Destination, Error> {
    let Destination::Member(email) = &destination else {
        return Ok(destination);
    };
    if !email.contains('@') {
        return Ok(destination);
    }
    let found = identity::search_people(&context.db, user, email).await?;
    let member = found.into_iter().next();
    member
        .map(|member| Destination::Member(member.username))
        .ok_or_else(|| refuse(ErrorCode::UserUnknown))
}

#[track_caller]
fn refuse(code: ErrorCode) -> Error {
    Error::code(code).field("destination", code)
}

/// An entry's destination as people read it, in whatever spelling it came onto the list.
fn written(kind: Kind, key: &str, shown: String) -> String {
    match kind {
        Kind::Member => shown,
        Kind::Chain | Kind::Pix => Destination::read(kind, key).map_or(shown, |place| place.written()),
    }
}

/// Lists a destination; it may be used after the delay. Needs the guard's word.
///
/// # Errors
/// `user.unknown` for a member that is none; `request.invalid` for one more than there may be; `whitelist.twice`.
pub async fn add(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    new: &NewEntry<'_>,
    verdict: &Verdict,
) -> Result<(), Error> {
    let (destination, shown) = listed(tx, user, new).await?;
    let in_force = context.settings.within(tx).await?;
    let now = tx.now();
    if store::count(tx.conn(), user).await? >= MOST {
        return Err(Error::code(ErrorCode::RequestInvalid));
    }
    let id = WhitelistId::fresh();
    let row = store::NewRow {
        id,
        user,
        kind: new.kind,
        destination: &destination,
        shown: &shown,
        label: new.label,
        usable_at: now + Duration::hours(in_force.settings.whitelist_delay_hours),
    };
    store::insert(tx.conn(), &row, now).await?;
    record(tx, user, "whitelist.add", json!({ "entry": id })).await?;
    let loosening = Loosening {
        user,
        session,
        what: "whitelist_add",
        from: row.usable_at,
    };
    let say = |locale: Locale| vec![format!("{}: {shown}", locale.text("mail", "details.destination"))];
    loosening::tell(context, tx, &loosening, say, verdict).await
}

/// As it is compared, and as it is shown.
async fn listed(tx: &mut Tx, user: UserId, new: &NewEntry<'_>) -> Result<(String, String), Error> {
    let Destination::Member(username) = &new.destination else {
        return Ok((new.destination.key(), new.destination.written()));
    };
    let member = identity::account_by_username_within(tx, username)
        .await?
        .filter(|m| m.id != user)
        .ok_or_else(|| refuse(ErrorCode::UserUnknown))?;
    Ok((member.id.to_string(), member.username))
}

/// Takes a destination off; `false` when it is not there. Needs the guard's word.
///
/// # Errors
/// Whatever the database refuses.
pub async fn remove(tx: &mut Tx, user: UserId, id: WhitelistId, _: &Verdict) -> Result<bool, Error> {
    let now = tx.now();
    if !store::remove(tx.conn(), user, id, now).await? {
        return Ok(false);
    }
    record(tx, user, "whitelist.remove", json!({ "entry": id })).await?;
    Ok(true)
}

/// The destination of an entry as shown, to bind a code to it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn shown(tx: &mut Tx, user: UserId, id: WhitelistId) -> Result<Option<String>, Error> {
    store::shown(tx.conn(), user, id).await
}

/// Switches the list on, at once; a switching off under way ends, and so does what the person has standing that the list no longer lets stand.
///
/// # Errors
/// `code.*`.
pub async fn switch_on(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    security_code: Option<&str>,
) -> Result<(), Error> {
    let now = tx.now();
    unsent::lock(context, tx).await?;
    let tightening = Tightening {
        user,
        what: "whitelist_on",
        purpose: Purpose::Whitelist,
        destination: "on",
        amount: "",
        security_code,
    };
    tightening::pass(context, tx, &tightening, |_| Vec::new()).await?;
    store::set(tx.conn(), user, None, now).await?;
    record(tx, user, "whitelist.on", json!({})).await?;
    unsent::bind(context, tx, user).await
}

/// Switches the list off, a day from now. Needs the guard's word.
///
/// # Errors
/// `request.conflict` when it is off, or on its way there.
pub async fn switch_off(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    verdict: &Verdict,
) -> Result<(), Error> {
    let now = tx.now();
    let (on, off_at) = store::switch(tx.conn(), user, now).await?;
    if !on || off_at.is_some() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let from = now + OFF_DELAY;
    store::set(tx.conn(), user, Some(from), now).await?;
    record(tx, user, "whitelist.off", json!({})).await?;
    let loosening = Loosening {
        user,
        session,
        what: "whitelist_off",
        from,
    };
    loosening::tell(context, tx, &loosening, |_| Vec::new(), verdict).await
}

/// The owner froze the account: a switching off under way ends, and destinations that wait go.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn take_loosening_back(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let now = tx.now();
    store::keep_on(tx.conn(), user, now).await?;
    store::remove_waiting(tx.conn(), user, now).await
}

async fn record(
    tx: &mut Tx,
    user: UserId,
    action: &'static str,
    details: serde_json::Value,
) -> Result<(), Error> {
    audit::record(tx, Some(user), Some(user.0), Category::Money, action, details).await
}
