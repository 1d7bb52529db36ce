//! Notices pushed to people's devices (Web Push; docs/rules/notifications.md#push, docs/decisions/0102-push-by-the-house.md).
//!
//! Invariants: what waits for a device is written with the line that it tells of; only services that the operator named are asked, and none of them
//! reads what it carries; a device is its session's, and goes with it (the database); whoever dies while sending sends the same message again at
//! most, which takes the first one's place. Tables: `notifications.push_device`, `notifications.push`.

mod endpoint;
mod plan;
mod pusher;
mod resting;
pub mod routes;
pub mod sealing;
mod sending;
mod store;
mod vapid;
pub mod words;

pub use endpoint::Services;
pub use pusher::{NoPusher, Pusher};
pub use sending::{PUSH, send};

use super::{away, rules};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        job_queue::NewJob,
        text,
        transaction::Tx,
    },
    identity::{caller::Caller, service as identity, signals},
};
use data_encoding::BASE64URL_NOPAD;
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{NotificationId, PushDeviceId, SessionId, UserId},
    views::NoticeGroup,
};
use pusher::{Outcome, Urgency};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Most devices of one person: of one more the oldest goes.
const MOST: i64 = 10;
/// Most characters of a device's name.
const NAME: usize = 60;
/// How long after a try another one is.
const BETWEEN_TRIES: Duration = Duration::seconds(10);

/// A browser that a person's notices are pushed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushDevice {
    pub id: PushDeviceId,
    /// As its page called it: `Chrome, Android`.
    pub name: String,
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// When its push service last took something for it.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_sent_at: Option<OffsetDateTime>,
}

/// One's devices, and what a browser is asked with for another.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PushDevices {
    /// The house's public key (P-256, uncompressed, base64url).
    pub key: String,
    /// Those in sessions that live, the oldest first.
    pub devices: Vec<PushDevice>,
}

/// What a browser gave (`PushSubscription`), and what its page calls it.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushSubscription {
    /// Where its push service takes messages for it.
    pub endpoint: String,
    /// Its public key (P-256, uncompressed, base64url).
    pub p256dh: String,
    /// The secret that came with the key (base64url).
    pub auth: String,
    /// At most sixty characters are kept.
    pub name: String,
}

fn pusher(context: &Context) -> Result<&Pusher, Error> {
    context
        .part::<Pusher>()
        .ok_or_else(|| Error::code(ErrorCode::Unavailable))
}

fn invalid(field: &'static str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

/// One's devices.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context, caller: &Caller) -> Result<PushDevices, Error> {
    Ok(PushDevices {
        key: pusher(context)?.key().to_owned(),
        devices: store::list(context.db.pool(), caller.user, context.now()).await?,
    })
}

/// Whether a person has a device.
///
/// # Errors
/// Whatever the database refuses.
pub async fn has_device(context: &Context, owner: UserId) -> Result<bool, Error> {
    store::has(context.db.pool(), owner, context.now()).await
}

/// Adds the browser that asks, or renews it: an address is one device, of who is signed in there now. Of more than ten the oldest goes.
///
/// # Errors
/// `push.host_unknown` at `endpoint` for a service that the operator did not name; `request.invalid` at what a browser does not give.
pub async fn add(context: &Context, caller: &Caller, given: &PushSubscription) -> Result<PushDevice, Error> {
    let address = pusher(context)?
        .services()
        .address(&given.endpoint)
        .ok_or_else(|| {
            Error::code(ErrorCode::PushHostUnknown).field("endpoint", ErrorCode::PushHostUnknown)
        })?;
    let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap_or_default();
    let (p256dh, auth) = (bytes(&given.p256dh), bytes(&given.auth));
    if !sealing::is_point(&p256dh) {
        return Err(invalid("p256dh"));
    }
    if auth.len() != sealing::AUTH {
        return Err(invalid("auth"));
    }
    let name = text::cut(&text::cleaned(&given.name), NAME);
    if name.is_empty() {
        return Err(invalid("name"));
    }
    let given = store::Given {
        owner: caller.user,
        session: caller.session,
        endpoint: address.as_str(),
        p256dh: &p256dh,
        auth: &auth,
        name: &name,
    };
    let mut tx = context.db.begin().await?;
    store::lock_owner(tx.conn(), caller.user).await?;
    let device = match store::owner_of(tx.conn(), given.endpoint).await? {
        Some(owner) if owner == caller.user => store::renew(tx.conn(), &given).await?,
        before => {
            if let Some(before) = before {
                store::let_go(tx.conn(), given.endpoint).await?;
                record(&mut tx, None, before, "notifications.push_removed").await?;
            }
            put(context, &mut tx, &given).await?
        }
    };
    // Its address came to somebody in this moment.
    let device = device.ok_or_else(|| Error::code(ErrorCode::RequestConflict))?;
    tx.commit().await?;
    Ok(device)
}

async fn put(context: &Context, tx: &mut Tx, given: &store::Given<'_>) -> Result<Option<PushDevice>, Error> {
    let now = tx.now();
    let device = store::insert(tx.conn(), given, now).await?;
    if let Some(newest) = &device {
        for gone in store::leave_newest(tx.conn(), newest.id, given, MOST, now).await? {
            record(tx, Some(given.owner), given.owner, "notifications.push_removed").await?;
            silenced(context, tx, given.owner, given.session, gone).await?;
        }
        record(tx, Some(given.owner), given.owner, "notifications.push_added").await?;
    }
    Ok(device)
}

/// Whose devices changed reads it in the log, and sees it on every screen.
async fn record(tx: &mut Tx, by: Option<UserId>, owner: UserId, action: &str) -> Result<(), Error> {
    audit::record(tx, by, Some(owner.0), Category::Profile, action, json!({})).await?;
    signals::user_changed(tx, owner, "notifications");
    Ok(())
}

/// A device was taken off by a session: its owner is told, unless it was that session's own, or its session was over and ended it. Whoever holds a
/// stolen session silences nobody unheard.
async fn silenced(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    by: SessionId,
    gone: store::Removed,
) -> Result<(), Error> {
    if !gone.heard || gone.session == by {
        return Ok(());
    }
    let event = LiveEvent::PushDeviceRemoved {
        device: gone.id,
        name: gone.name,
    };
    tx.emit(StreamId::User(owner), event);
    identity::device_silenced(context, tx, owner).await
}

/// Takes one of one's devices off. Where another session's is, its owner hears of it.
///
/// # Errors
/// `request.not_found`.
pub async fn remove(context: &Context, caller: &Caller, id: PushDeviceId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let user = caller.user;
    let gone = store::remove(tx.conn(), user, id, now)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    record(&mut tx, Some(user), user, "notifications.push_removed").await?;
    silenced(context, &mut tx, user, caller.session, gone).await?;
    tx.commit().await?;
    Ok(())
}

/// Sends something to one of one's devices now. One that its service no longer knows is taken off.
///
/// # Errors
/// `request.not_found`; `request.rate_limited` for another within ten seconds; `push.gone`; `service.unavailable` while the service takes nothing.
pub async fn try_out(context: &Context, caller: &Caller, id: PushDeviceId) -> Result<(), Error> {
    let (pusher, now, pool) = (pusher(context)?, context.now(), context.db.pool());
    let devices = store::list(pool, caller.user, now).await?;
    if !devices.iter().any(|device| device.id == id) {
        return Err(Error::code(ErrorCode::RequestNotFound));
    }
    let since = now - BETWEEN_TRIES;
    let address = store::begin_try(pool, caller.user, id, since, now)
        .await?
        .ok_or_else(|| {
            let seconds = u32::try_from(BETWEEN_TRIES.whole_seconds()).unwrap_or(10);
            Error::code(ErrorCode::RateLimited).retry_after(seconds)
        })?;
    let told = words::Told {
        id: Uuid::now_v7().to_string(),
        title: caller.locale.text("push", "try.title").to_owned(),
        text: caller.locale.text("push", "try").to_owned(),
        url: words::SETTINGS.to_owned(),
        tag: "try".to_owned(),
        at: now,
    };
    match pusher.hand_over(&address, told, Urgency::High, now).await? {
        Outcome::Taken => store::sent(pool, &[id.0], &[0], now).await,
        Outcome::Gone => {
            let mut tx = context.db.begin().await?;
            if store::remove(tx.conn(), caller.user, id, now).await?.is_some() {
                record(&mut tx, None, caller.user, "notifications.push_removed").await?;
            }
            tx.commit().await?;
            Err(Error::code(ErrorCode::PushGone))
        }
        Outcome::Later(_) | Outcome::Unanswered | Outcome::Refused => {
            Err(Error::code(ErrorCode::Unavailable))
        }
    }
}

/// Lines that were written in a change, each once, whatever it said of them.
#[derive(Debug, Default)]
pub struct New(BTreeMap<Uuid, Fresh>);

#[derive(Debug)]
struct Fresh {
    owner: UserId,
    group: NoticeGroup,
    /// It is told when it is known whether they are away.
    waits: bool,
}

impl New {
    /// A line stands, or says something newer.
    pub fn line(&mut self, id: NotificationId, owner: UserId, code: &str) {
        let fresh = Fresh {
            owner,
            group: rules::group(code),
            waits: rules::PUSHED_WHEN_AWAY.contains(&code),
        };
        self.0.insert(id.0, fresh);
    }
}

/// Has them told to the devices of their owners. Call it once, in the change that writes the lines.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell(tx: &mut Tx, new: New) -> Result<(), Error> {
    if new.0.is_empty() {
        return Ok(());
    }
    let now = tx.now();
    let (mut lines, mut owners) = (Vec::new(), Vec::new());
    let (mut topics, mut due) = (Vec::new(), Vec::new());
    for (line, fresh) in new.0 {
        lines.push(line);
        owners.push(fresh.owner.0);
        topics.push(fresh.group.as_str().to_owned());
        due.push(if fresh.waits { now + away::KNOWN } else { now });
    }
    if store::add(tx.conn(), &lines, &owners, &topics, &due, now).await? > 0 {
        tx.enqueue(NewJob::new(PUSH, format!("{PUSH}:{}", Uuid::now_v7()), &())?);
    }
    Ok(())
}

/// These people have a page open: what it shows by itself is not pushed.
///
/// # Errors
/// Whatever the database refuses.
pub async fn here(context: &Context, people: &[UserId]) -> Result<(), Error> {
    let codes: Vec<String> = rules::PUSHED_WHEN_AWAY
        .iter()
        .map(|code| (*code).to_owned())
        .collect();
    store::here(context.db.pool(), people, &codes).await
}

/// What waits of a group is not told: its reader wants it no more.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget(tx: &mut Tx, owner: UserId, group: NoticeGroup) -> Result<(), Error> {
    store::forget(tx.conn(), owner, &rules::codes_of(group)).await
}
