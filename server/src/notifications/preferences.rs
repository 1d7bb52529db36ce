//! Which notices a person wants mailed, which with a toast, and which pushed to their devices. The line in the inbox is always written, but for what is asked for, and what is about safety always comes
//! (docs/rules/notifications.md#preferences), and when they want nothing that can wait. Mails are switched where the account is, toasts here.

use super::{digest, push, store, untaken};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        quiet_hours::QuietHours,
    },
    identity::{caller::Caller, service as identity, signals},
};
use protocol::{ErrorCode, Permission, views::NoticeGroup};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The ways that are not wanted, as the table has them; what is not mailed stands where the account is.
const TOAST: &str = "toast";
const PUSH: &str = "push";

/// A group of notices and where it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Preference {
    pub group: NoticeGroup,
    /// Always, but for what is told to those alone who ask for it.
    pub inbox: bool,
    /// Whether they asked for it. None: it is told to everyone whom it concerns.
    pub wanted: Option<bool>,
    /// None: nobody is mailed about it, or they did not ask for it.
    pub mail: Option<bool>,
    /// None: it makes none.
    pub toast: Option<bool>,
    /// None: the person has no device that anything is pushed to, or did not ask for it.
    pub push: Option<bool>,
    /// Always on: nothing to switch.
    pub locked: bool,
}

/// From–to, by one's own clock: `22:00`, `07:00`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuietTimes {
    pub from: String,
    pub until: String,
}

impl From<QuietHours> for QuietTimes {
    fn from(hours: QuietHours) -> Self {
        let (from, until) = hours.shown();
        Self { from, until }
    }
}

/// What a person wants.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    pub data: Vec<Preference>,
    /// When nothing is mailed or pushed that can wait; none: it always is.
    pub quiet_hours: Option<QuietTimes>,
    /// The IANA name of the zone by whose clocks they are.
    pub zone: String,
    /// A mail each morning of what came in, by kind.
    pub digest: bool,
}

/// The body of other quiet hours: none where nothing is held.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuietHoursChange {
    #[serde(default)]
    pub hours: Option<QuietTimes>,
}

/// The body of a wish for digests.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DigestChange {
    pub on: bool,
}

/// The body of a change: what is missing stays.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreferenceChange {
    pub group: NoticeGroup,
    #[serde(default)]
    pub wanted: Option<bool>,
    #[serde(default)]
    pub mail: Option<bool>,
    #[serde(default)]
    pub toast: Option<bool>,
    #[serde(default)]
    pub push: Option<bool>,
}

/// Whether mails are written about it: those of `foundation::mail::Mail::group`, that there is something where one is away, and of safety.
/// What goes to everyone is told on screens alone.
const fn mailed(group: NoticeGroup) -> bool {
    !matches!(group, NoticeGroup::News)
}

/// Whether it makes toasts: not what the pages of who hears of it show by themselves.
const fn toasted(group: NoticeGroup) -> bool {
    !matches!(group, NoticeGroup::Tickets)
}

/// Whether it is told to those alone who ask for it.
const fn is_asked_for(group: NoticeGroup) -> bool {
    matches!(group, NoticeGroup::Tickets)
}

/// Whether somebody hears of such things at all.
fn hears(caller: &Caller, group: NoticeGroup) -> bool {
    let customer = Permission::RegisteredUser;
    match group {
        NoticeGroup::Staff => caller.permissions.iter().any(|held| held != customer),
        NoticeGroup::Tickets => caller.permissions.holds(untaken::ANSWERS),
        _ => true,
    }
}

/// What somebody wants: groups with where each comes, and quiet hours.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context, caller: &Caller) -> Result<Preferences, Error> {
    let account = identity::account(&context.db, caller.user).await?;
    let no_mail = identity::quiet_mail(&account);
    let quiet = store::quiet(context.db.pool(), caller.user).await?;
    let wants = |way: &str, group: NoticeGroup| {
        !quiet
            .iter()
            .any(|(channel, topic)| channel == way && topic == group.as_str())
    };
    let pushed = push::has_device(context, caller.user).await?;
    let tickets = NoticeGroup::Tickets;
    let asks =
        hears(caller, tickets) && untaken::wants(context.db.pool(), caller.user, tickets.as_str()).await?;
    let data = NoticeGroup::ALL
        .iter()
        .copied()
        .filter(|group| hears(caller, *group))
        .map(|group| {
            let locked = group == NoticeGroup::Security;
            let wanted = is_asked_for(group).then_some(asks);
            let inbox = wanted.unwrap_or(true);
            Preference {
                group,
                inbox,
                wanted,
                mail: (inbox && mailed(group)).then(|| locked || !no_mail.contains(&group)),
                toast: (inbox && toasted(group)).then(|| locked || wants(TOAST, group)),
                push: (inbox && pushed).then(|| locked || wants(PUSH, group)),
                locked,
            }
        })
        .collect();
    Ok(Preferences {
        data,
        digest: digest::is_wanted(context, caller.user).await?,
        quiet_hours: identity::quiet_hours(&account).map(QuietTimes::from),
        zone: account.time_zone.unwrap_or_else(|| business_day::ZONE.to_owned()),
    })
}

/// Sets quiet hours, or takes them away.
///
/// # Errors
/// `request.invalid` at `hours` for what is no time of the day, and for a from that is the until.
pub async fn keep_quiet(
    context: &Context,
    caller: &Caller,
    body: QuietHoursChange,
) -> Result<Preferences, Error> {
    let hours = match &body.hours {
        None => None,
        Some(times) => Some(QuietHours::read(&times.from, &times.until).ok_or_else(|| invalid("hours"))?),
    };
    let mut tx = context.db.begin().await?;
    identity::set_quiet_hours(&mut tx, caller.user, hours).await?;
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(caller.user.0),
        Category::Profile,
        "notifications.quiet_hours",
        json!({ "on": hours.is_some() }),
    )
    .await?;
    signals::user_changed(&mut tx, caller.user, "notifications");
    tx.commit().await?;
    list(context, caller).await
}

/// Begins one's digests, or ends them.
///
/// # Errors
/// Whatever the database refuses.
pub async fn want_digest(
    context: &Context,
    caller: &Caller,
    body: DigestChange,
) -> Result<Preferences, Error> {
    let account = identity::account(&context.db, caller.user).await?;
    let mut tx = context.db.begin().await?;
    digest::want(&mut tx, caller.user, account.time_zone.as_deref(), body.on).await?;
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(caller.user.0),
        Category::Profile,
        "notifications.digest",
        json!({ "on": body.on }),
    )
    .await?;
    signals::user_changed(&mut tx, caller.user, "notifications");
    tx.commit().await?;
    list(context, caller).await
}

fn invalid(field: &'static str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

/// Switches a group.
///
/// # Errors
/// `notifications.locked` for what is about safety; `request.invalid` at `group` for one that the person does not hear of, at `mail` and `toast` for
/// one that is not mailed or makes none, at `wanted` for one that nobody has to ask for.
pub async fn change(context: &Context, caller: &Caller, body: PreferenceChange) -> Result<Preference, Error> {
    let PreferenceChange {
        group,
        wanted,
        mail,
        toast,
        push,
    } = body;
    if group == NoticeGroup::Security {
        return Err(Error::code(ErrorCode::NoticesLocked).field("group", ErrorCode::NoticesLocked));
    }
    if !hears(caller, group) {
        return Err(invalid("group"));
    }
    if mail.is_some() && !mailed(group) {
        return Err(invalid("mail"));
    }
    if toast.is_some() && !toasted(group) {
        return Err(invalid("toast"));
    }
    if wanted.is_some() && !is_asked_for(group) {
        return Err(invalid("wanted"));
    }
    let mut tx = context.db.begin().await?;
    if let Some(wanted) = wanted {
        untaken::want(tx.conn(), caller.user, group.as_str(), wanted).await?;
        if !wanted {
            untaken::end(tx.conn(), &[caller.user]).await?;
            push::forget(&mut tx, caller.user, group).await?;
        }
    }
    if let Some(mail) = mail {
        identity::set_quiet_mail(&mut tx, caller.user, group, !mail).await?;
    }
    if let Some(toast) = toast {
        store::set_quiet(tx.conn(), caller.user, TOAST, group.as_str(), !toast).await?;
    }
    if let Some(push) = push {
        store::set_quiet(tx.conn(), caller.user, PUSH, group.as_str(), !push).await?;
        if !push {
            push::forget(&mut tx, caller.user, group).await?;
        }
    }
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(caller.user.0),
        Category::Profile,
        "notifications.preference",
        json!({ "group": group, "wanted": wanted, "mail": mail, "toast": toast, "push": push }),
    )
    .await?;
    signals::user_changed(&mut tx, caller.user, "notifications");
    tx.commit().await?;
    let all = list(context, caller).await?;
    all.data
        .into_iter()
        .find(|row| row.group == group)
        .ok_or_else(|| invalid("group"))
}
