//! What staff do with people's accounts: made by invitation, changed, switched on and off, written about.
//!
//! Invariants: nobody touches here their own account, one of their direct line, or one with a permission that they lack. Who decides about money
//! is switched on or off by two persons only, and anybody in use given another e-mail or freed of a factor by two: `approvals::grants` asks, and
//! calls what stands here. An address that staff put in place is confirmed by its owner before the account is used again; the address before it
//! hears of it with a freeze link that gives it back ([`address_back`]), all sessions end, outgoing money waits, the password opens nothing and
//! passkeys lie aside until another one is set by the new mailbox. Notes are added, never changed, and no person reads those about themself. Tables: `identity.staff_note`, `identity.account`.
//!
//! 2026-11-24: switching an account off closes its sockets, which authorise again (4003), and leaves its sessions: the person reads why and
//! takes money out. Whoever fears a thief ends the sessions beside it.

pub mod notes;
mod store;

use super::{
    address_back, avatar, email_change, google, hands,
    invitations::{self, NewPerson},
    links, passkeys,
    registration::{self, clean_address},
    roles::{self, Authority},
    rules,
    rules::Form,
    service::{self, Caused, safety_changed},
    sessions,
    signals::{self, Signals},
    store::{self as accounts, Account, Address, By, ProfilePatch},
};
use crate::{
    error::{Error, violates},
    foundation::{
        audit::{self, Category},
        context::Context,
        files::Received,
        locale::Locale,
        mail, text,
        transaction::{Db, Tx},
    },
};
use protocol::{
    ErrorCode,
    ids::{FileId, SessionId, UserId},
    views::AccountDecision,
};
use serde::Deserialize;
use serde_json::json;
use time::Duration;
use time::OffsetDateTime;

/// How long outgoing money waits after staff took a factor off, or put another address in place.
const STAFF_HOLD: Duration = Duration::hours(72);

/// Nobody of this id.
#[track_caller]
#[must_use]
pub fn unknown(id: &str) -> Error {
    let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
    Error::code(ErrorCode::UserUnknown).with("id", shown)
}

/// The person that a path names.
///
/// # Errors
/// `user.unknown`, with the id.
pub async fn named(db: &Db, id: &str) -> Result<Account, Error> {
    let user: UserId = id.parse().map_err(|_| unknown(id))?;
    accounts::account(db.pool(), By::Id(user))
        .await?
        .ok_or_else(|| unknown(id))
}

fn require_other(actor: UserId, about: UserId) -> Result<(), Error> {
    if actor == about {
        return Err(Error::code(ErrorCode::UserOwn));
    }
    Ok(())
}

/// A person whom this one may change, held until the transaction ends.
///
/// # Errors
/// `user.own`; `user.unknown`; `auth.forbidden` for who lacks a permission of theirs; `decision.own_money` for who stands in their direct line.
pub async fn lock(tx: &mut Tx, actor: UserId, target: UserId) -> Result<(Account, Authority), Error> {
    require_other(actor, target)?;
    let account = accounts::locked(tx.conn(), target)
        .await?
        .ok_or_else(|| unknown(&target.to_string()))?;
    Ok((account, roles::require_authority(tx, actor, target).await?))
}

/// Whether the owner said "it was not me" since then.
///
/// # Errors
/// Whatever the database refuses.
pub async fn froze_since(tx: &mut Tx, target: UserId, since: OffsetDateTime) -> Result<bool, Error> {
    links::used_since(tx, target, links::Purpose::Freeze, since).await
}

/// What sessions and sockets hear after the commit.
#[derive(Debug)]
#[must_use = "sessions and sockets are told after the commit"]
pub enum Told {
    /// Names changed: the session cache forgets them.
    Renamed(Vec<SessionId>),
    /// Rights changed: sockets authorise again.
    Rescoped(UserId, Vec<SessionId>),
    /// All of these ended.
    ShutOut(UserId, Vec<SessionId>),
}

impl Told {
    pub async fn tell(self, signals: &Signals) {
        match self {
            Self::Renamed(living) => {
                for session in living {
                    sessions::forget(session).await;
                }
            }
            Self::Rescoped(user, living) => signals.scope_changed(user, &living).await,
            Self::ShutOut(user, ended) => signals.shut_out(user, &ended).await,
        }
    }
}

/// Whether an account is switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AccountStatus {
    Active,
    Inactive,
}

impl AccountStatus {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }
}

/// What staff change of somebody. What is missing stays; of `status`, `email` and `twoFactor` one at a time.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditUser {
    #[serde(default)]
    pub full_name: Option<String>,
    /// An empty text removes it.
    #[serde(default)]
    pub mobile_number: Option<String>,
    #[serde(default)]
    pub locale: Option<Locale>,
    #[serde(default)]
    pub address: Option<Address>,
    /// Another address, of an account in use by two persons: confirmed by its owner before the account is used again. All sessions end, outgoing
    /// money waits 72 hours.
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    pub status: Option<AccountStatus>,
    /// `false` takes all second factors off, by two persons; outgoing money waits 72 hours. `true` is refused: only the owner switches one on.
    #[serde(default)]
    pub two_factor: Option<bool>,
    /// Why, at most 500 characters; needed with `status` and `twoFactor`. The person reads the one of their status.
    #[serde(default)]
    pub reason: Option<String>,
}

/// A change that may need two.
#[derive(Clone, Debug)]
pub enum Change {
    Status(AccountStatus, String),
    Email(String),
    Factors,
}

impl Change {
    /// Whether it only ever stops what could do harm: no cap refuses that.
    #[must_use]
    pub const fn protects(&self) -> bool {
        matches!(self, Self::Status(AccountStatus::Inactive, _))
    }
}

/// A form that was checked.
pub struct Edit {
    full_name: Option<String>,
    mobile_number: Option<Option<String>>,
    locale: Option<Locale>,
    address: Option<Address>,
    pub change: Option<Change>,
    pub why: Option<String>,
}

impl EditUser {
    /// # Errors
    /// `email.invalid`, `decision.reason_missing`, `message.too_long`, `request.invalid`, at their fields.
    pub fn check(&self) -> Result<Edit, Error> {
        let mut form = Form::default();
        let full_name = self
            .full_name
            .as_deref()
            .map(|n| form.line("fullName", n, 2, 120));
        let mobile_number = self
            .mobile_number
            .as_deref()
            .map(|typed| form.phone("mobileNumber", typed));
        let address = self.address.as_ref().map(|a| clean_address(&mut form, a));
        let email = self.email.as_deref().and_then(|typed| {
            let email = rules::email(typed);
            if email.is_none() {
                form.refuse("email", ErrorCode::EmailInvalid);
            }
            email
        });
        let given = self.reason.as_deref().unwrap_or_default();
        let why = match text::reason(given, "reason") {
            Ok(why) => Some(why),
            Err(missing) if missing.error_code() == ErrorCode::ReasonMissing => {
                if self.status.is_some() || self.two_factor.is_some() {
                    form.refuse("reason", ErrorCode::ReasonMissing);
                }
                None
            }
            Err(too_long) => return Err(too_long),
        };
        let asked = [
            ("status", self.status.is_some()),
            ("email", self.email.is_some()),
            ("twoFactor", self.two_factor.is_some()),
        ];
        for (field, _) in asked.iter().filter(|(_, given)| *given).skip(1) {
            form.refuse(field, ErrorCode::RequestInvalid);
        }
        if self.two_factor == Some(true) {
            form.refuse("twoFactor", ErrorCode::RequestInvalid);
        }
        form.finish()?;
        let change = match (self.status, email, self.two_factor) {
            (Some(status), ..) => Some(Change::Status(status, why.clone().unwrap_or_default())),
            (_, Some(email), _) => Some(Change::Email(email)),
            (_, _, Some(_)) => Some(Change::Factors),
            _ => None,
        };
        Ok(Edit {
            full_name,
            mobile_number,
            locale: self.locale,
            address,
            change,
            why,
        })
    }
}

impl Edit {
    fn fields(&self) -> Vec<&'static str> {
        [
            ("fullName", self.full_name.is_some()),
            ("mobileNumber", self.mobile_number.is_some()),
            ("locale", self.locale.is_some()),
            ("address", self.address.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, given)| given.then_some(name))
        .collect()
    }
}

/// Changes what one person may change; tells the owner by mail. None when nothing of it was asked for. Whatever the form asks for beside it
/// tells somebody, too, and counts, but for what protects.
///
/// # Errors
/// `request.rate_limited` above what one of the staff may cause in an hour.
pub async fn edit(
    context: &Context,
    tx: &mut Tx,
    actor: UserId,
    account: &Account,
    edit: &Edit,
) -> Result<Option<Told>, Error> {
    let (fields, now) = (edit.fields(), tx.now());
    if !fields.is_empty() || edit.change.as_ref().is_some_and(|change| !change.protects()) {
        service::staff_writes(tx, actor, account.id, Caused::Change).await?;
    }
    if fields.is_empty() {
        return Ok(None);
    }
    let patch = ProfilePatch {
        full_name: edit.full_name.as_deref(),
        mobile_number: edit.mobile_number.as_ref().map(Option::as_deref),
        locale: edit.locale.map(Locale::as_str),
        ..ProfilePatch::default()
    };
    accounts::patch(tx.conn(), account.id, &patch, now).await?;
    if let Some(address) = &edit.address {
        accounts::put_address(tx.conn(), account.id, address, now).await?;
    }
    let details = json!({ "fields": fields });
    record(tx, actor, account.id, Category::Profile, "user.edited", details).await?;
    safety_changed(context, tx, account, "profile", false).await?;
    Ok(Some(Told::Renamed(sessions::ids(tx, account.id).await?)))
}

async fn record(
    tx: &mut Tx,
    actor: UserId,
    about: UserId,
    category: Category,
    action: &'static str,
    details: serde_json::Value,
) -> Result<(), Error> {
    audit::record(tx, Some(actor), Some(about.0), category, action, details).await
}

/// Switches an account on or off, with a reason that its owner reads. Somebody still decides afterwards. Where two agreed to it, its owner has their mail
/// with all who decide (`approvals::grants`).
///
/// # Errors
/// `request.conflict` when it is so already; `roles.last_administrator`.
pub async fn set_status(
    context: &Context,
    tx: &mut Tx,
    actor: UserId,
    account: &Account,
    status: AccountStatus,
    reason: &str,
    by_two: bool,
) -> Result<Told, Error> {
    let (status, now) = (status.as_str(), tx.now());
    let switched = store::set_status(tx.conn(), account.id, status, reason, actor, now)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestConflict))?;
    roles::require_administrator(tx).await?;
    if status == AccountStatus::Inactive.as_str() {
        // What waits beside it is known already: most accounts have nothing.
        if switched.closing {
            hands::changed(context, tx, account.id).await?;
        } else {
            email_change::end(tx, account.id).await?;
        }
    }
    let details = json!({ "before": account.status, "after": status, "status": status });
    record(tx, actor, account.id, Category::Profile, "user.status", details).await?;
    signals::user_changed(tx, account.id, "status");
    let what = if status == AccountStatus::Active.as_str() {
        AccountDecision::SwitchedOn
    } else {
        AccountDecision::SwitchedOff
    };
    let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
    if by_two {
        signals::account_decided(tx, account.id, what, reason);
    } else {
        service::decided(context, tx, account, what, Vec::new(), reason).await?;
    }
    Ok(Told::Rescoped(account.id, switched.living))
}

/// Puts another address in place: it is confirmed by its owner before the account is used again. The address before it hears of it with a
/// freeze link, all sessions end, outgoing money waits, the password opens nothing and passkeys lie aside until another one is set by the new
/// mailbox (docs/decisions/0114-ways-in-by-others-and-of-who-decides.md), which is told so. Whoever has no password yet is invited at the new address. The caller has asked whether mail could reach it.
///
/// # Errors
/// `email.taken`; `request.conflict` for the address that stands; `roles.last_administrator`.
pub async fn set_email(
    context: &Context,
    tx: &mut Tx,
    actor: UserId,
    account: &Account,
    email: &str,
) -> Result<Told, Error> {
    let (key, now) = (mail::address::key(email), tx.now());
    if key == mail::address::key(&account.email) {
        return Err(Error::code(ErrorCode::RequestConflict).field("email", ErrorCode::RequestConflict));
    }
    // Told at the address that it was asked from.
    hands::changed(context, tx, account.id).await?;
    address_back::leave(tx, account, &key).await?;
    if let Err(error) = store::set_email(tx.conn(), account.id, email, &key, now).await {
        return Err(if violates(&error, "account_email_key_key") {
            Error::code(ErrorCode::EmailTaken).field("email", ErrorCode::EmailTaken)
        } else {
            error.into()
        });
    }
    // Who reads at the other one has not shown who they are.
    mail::move_waiting(tx, account.id, &account.email, None).await?;
    roles::require_administrator(tx).await?;
    // What lies in the mailbox before ends; its warnings stay.
    for purpose in [
        links::Purpose::ConfirmEmail,
        links::Purpose::ResetPassword,
        links::Purpose::Invitation,
    ] {
        links::revoke(tx, account.id, purpose).await?;
    }
    google::forget(tx, account.id, Some(actor)).await?;
    // What signs in without the password waits for a new one, which comes by the new mailbox.
    let what = if passkeys::put_aside(tx, actor, account.id).await? {
        "staff_email_passkeys"
    } else {
        "staff_email"
    };
    let details = json!({ "passwordEnded": account.password_hash.is_some() });
    record(tx, actor, account.id, Category::Profile, "user.email", details).await?;
    service::hold(tx, account.id, "staff_email", STAFF_HOLD).await?;
    if account.email_confirmed_at.is_some() {
        safety_changed(context, tx, account, what, false).await?;
    } else {
        // Who reads there may be a stranger.
        signals::user_changed(tx, account.id, "staff_email");
    }
    let changed = service::account_within(tx, account.id).await?;
    if changed.password_hash.is_some() {
        registration::send_confirmation(context, tx, &changed).await?;
    } else {
        invitations::send_invitation(context, tx, &changed).await?;
    }
    super::sign_in::end_challenges(tx, account.id).await?;
    shut_out(tx, account.id, "staff_email").await
}

/// Takes all second factors off, by the word of two.
///
/// # Errors
/// `request.conflict` where none is on.
pub async fn drop_factors(
    context: &Context,
    tx: &mut Tx,
    actor: UserId,
    account: &Account,
) -> Result<Told, Error> {
    if factors(account) == NO_FACTOR {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let now = tx.now();
    accounts::set_email_factor(tx.conn(), account.id, false, now).await?;
    accounts::drop_totp(tx.conn(), account.id, now).await?;
    passkeys::forget(tx, account.id).await?;
    accounts::replace_recovery_codes(tx.conn(), account.id, &[]).await?;
    super::sign_in::end_challenges(tx, account.id).await?;
    hands::changed(context, tx, account.id).await?;
    let details = json!({ "before": factors(account), "after": NO_FACTOR });
    record(tx, actor, account.id, Category::Auth, "user.factor", details).await?;
    service::hold(tx, account.id, "staff_factor", STAFF_HOLD).await?;
    safety_changed(context, tx, account, "staff_factor", false).await?;
    shut_out(tx, account.id, "staff_factor").await
}

async fn shut_out(tx: &mut Tx, user: UserId, why: &'static str) -> Result<Told, Error> {
    let ended = sessions::end_all(tx, user, None, why).await?;
    Ok(Told::ShutOut(user, ended))
}

/// No second factor is on.
pub const NO_FACTOR: &str = "none";

/// Which second factors are on, in one word.
#[must_use]
pub const fn factors(account: &Account) -> &'static str {
    match (
        account.two_factor_email,
        account.totp_secret.is_some(),
        account.has_passkey,
    ) {
        (false, false, false) => NO_FACTOR,
        (true, false, false) => "email",
        (false, true, false) => "app",
        (true, true, false) => "email+app",
        (false, false, true) => "passkey",
        (true, false, true) => "email+passkey",
        (false, true, true) => "app+passkey",
        (true, true, true) => "email+app+passkey",
    }
}

/// Why an account is switched off; none of one that is on.
///
/// # Errors
/// Whatever the database refuses.
pub async fn status_reason(db: &Db, user: UserId, status: &str) -> Result<Option<String>, Error> {
    if status == AccountStatus::Active.as_str() {
        return Ok(None);
    }
    store::status_reason(db.pool(), user).await
}

/// Somebody whom staff make, as checked.
pub struct Invited {
    pub full_name: String,
    pub email: String,
    pub mobile_number: Option<String>,
    pub locale: Locale,
}

/// Makes an account without a password, and mails its invitation. Roles and the place in the network belong to the same transaction.
///
/// # Errors
/// `email.taken`; `request.rate_limited` above what one of the staff may cause in an hour.
pub async fn create(context: &Context, tx: &mut Tx, by: UserId, new: &Invited) -> Result<Account, Error> {
    let person = NewPerson {
        email: &new.email,
        full_name: &new.full_name,
        mobile_number: new.mobile_number.as_deref(),
        locale: new.locale,
    };
    let account = invitations::insert_invited(context, tx, &person).await?;
    service::staff_writes(tx, by, account.id, Caused::Letter).await?;
    record(tx, by, account.id, Category::Profile, "user.invited", json!({})).await?;
    invitations::send_invitation(context, tx, &account).await?;
    Ok(account)
}

/// Mails the invitation again; earlier links end.
///
/// # Errors
/// `user.*`, `auth.forbidden`; `request.conflict` for who has a password, or signs in another way; `request.rate_limited`.
pub async fn invite_again(context: &Context, actor: UserId, target: UserId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let (account, _) = lock(&mut tx, actor, target).await?;
    if account.password_hash.is_some() || account.email_confirmed_at.is_some() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    service::staff_writes(&mut tx, actor, target, Caused::Letter).await?;
    record(
        &mut tx,
        actor,
        target,
        Category::Profile,
        "user.invited",
        json!({ "again": true }),
    )
    .await?;
    invitations::send_invitation(context, &mut tx, &account).await?;
    tx.commit().await?;
    Ok(())
}

/// A person's picture, put by staff, or taken off.
///
/// # Errors
/// `user.*`, `auth.forbidden`.
pub async fn put_avatar(
    context: &Context,
    actor: UserId,
    target: UserId,
    received: Option<Received>,
) -> Result<Option<FileId>, Error> {
    let mut tx = context.db.begin().await?;
    lock(&mut tx, actor, target).await?;
    let (file, told) = avatar::put_within(context, &mut tx, actor, target, received).await?;
    tx.commit().await?;
    for session in told {
        sessions::forget(session).await;
    }
    Ok(file)
}

/// Ends all of a person's sessions; how many there were.
///
/// # Errors
/// `user.*`, `auth.forbidden`.
pub async fn end_sessions(
    context: &Context,
    signals: &Signals,
    actor: UserId,
    target: UserId,
) -> Result<usize, Error> {
    let mut tx = context.db.begin().await?;
    lock(&mut tx, actor, target).await?;
    let told = shut_out(&mut tx, target, "staff").await?;
    let Told::ShutOut(_, ended) = &told else {
        return Err(Error::internal("sessions that did not end"));
    };
    let count = ended.len();
    super::sign_in::end_challenges(&mut tx, target).await?;
    record(
        &mut tx,
        actor,
        target,
        Category::Auth,
        "user.sessions_ended",
        json!({ "count": count }),
    )
    .await?;
    signals::user_changed(&mut tx, target, "sessions");
    tx.commit().await?;
    told.tell(signals).await;
    Ok(count)
}
