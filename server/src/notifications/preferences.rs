//! Which notices a person wants mailed, and which with a toast. The line in the inbox is always written, and what is about safety always comes
//! (docs/rules/notifications.md#preferences). Mails are switched where the account is, toasts here.

use super::store;
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
    },
    identity::{caller::Caller, service as identity, signals},
};
use protocol::{ErrorCode, Permission, views::NoticeGroup};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A group of notices and where it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Preference {
    pub group: NoticeGroup,
    /// Always.
    pub inbox: bool,
    /// None: nobody is mailed about it.
    pub mail: Option<bool>,
    pub toast: bool,
    /// Always on: nothing to switch.
    pub locked: bool,
}

/// The body of a change: what is missing stays.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreferenceChange {
    pub group: NoticeGroup,
    #[serde(default)]
    pub mail: Option<bool>,
    #[serde(default)]
    pub toast: Option<bool>,
}

/// Whether mails are written about it: those of `foundation::mail::Mail::group`, and of safety.
const fn mailed(group: NoticeGroup) -> bool {
    matches!(
        group,
        NoticeGroup::MoneyOut | NoticeGroup::Network | NoticeGroup::Security
    )
}

/// Whether somebody hears of such things at all.
fn hears(caller: &Caller, group: NoticeGroup) -> bool {
    let customer = Permission::RegisteredUser;
    group != NoticeGroup::Staff || caller.permissions.iter().any(|held| held != customer)
}

/// Groups with where each comes.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context, caller: &Caller) -> Result<Vec<Preference>, Error> {
    let account = identity::account(&context.db, caller.user).await?;
    let no_mail = identity::quiet_mail(&account);
    let no_toast = store::quiet(context.db.pool(), caller.user).await?;
    Ok(NoticeGroup::ALL
        .iter()
        .copied()
        .filter(|group| hears(caller, *group))
        .map(|group| {
            let locked = group == NoticeGroup::Security;
            Preference {
                group,
                inbox: true,
                mail: mailed(group).then(|| locked || !no_mail.contains(&group)),
                toast: locked || !no_toast.iter().any(|quiet| quiet == group.as_str()),
                locked,
            }
        })
        .collect())
}

/// Switches a group.
///
/// # Errors
/// `notifications.locked` for what is about safety; `request.invalid` at `group` for one that the person does not hear of, at `mail` for one
/// that is not mailed.
pub async fn change(context: &Context, caller: &Caller, body: PreferenceChange) -> Result<Preference, Error> {
    let invalid =
        |field: &'static str| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
    let PreferenceChange { group, mail, toast } = body;
    if group == NoticeGroup::Security {
        return Err(Error::code(ErrorCode::NoticesLocked).field("group", ErrorCode::NoticesLocked));
    }
    if !hears(caller, group) {
        return Err(invalid("group"));
    }
    if mail.is_some() && !mailed(group) {
        return Err(invalid("mail"));
    }
    let mut tx = context.db.begin().await?;
    if let Some(mail) = mail {
        identity::set_quiet_mail(&mut tx, caller.user, group, !mail).await?;
    }
    if let Some(toast) = toast {
        store::set_quiet(tx.conn(), caller.user, group.as_str(), !toast).await?;
    }
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(caller.user.0),
        Category::Profile,
        "notifications.preference",
        json!({ "group": group, "mail": mail, "toast": toast }),
    )
    .await?;
    signals::user_changed(&mut tx, caller.user, "notifications");
    tx.commit().await?;
    let all = list(context, caller).await?;
    all.into_iter()
        .find(|row| row.group == group)
        .ok_or_else(|| invalid("group"))
}
