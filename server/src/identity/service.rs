//! The door of this room for others: accounts, proofs, holds, registration, sessions.

use super::{
    address_back, closing, codes, devices, email_change, limits, links,
    people::{self, AccountStatus},
    sessions,
    signals::{self, Signals},
    store::{self, By},
    watched,
};
pub use super::{
    codes::{Accepts, Both, Extra, Proof, Purpose},
    documents::{DocumentView, Documents, Keeper},
    erasing::{Erasers, OnErasing},
    frozen::{OnFreeze, Shields},
    hands::{OnOtherHands, Requests},
    invitations::{NewStaff, create_staff},
    limits::rules::Caused,
    passkeys::{confirm as confirm_by_passkey, forms::PasskeyRequest},
    personal::{Social, social_of},
    profile::{Completion, Hold, Profile, complete, profile},
    recovery::{Acceptance, NewPassword, accept_invitation, invited},
    registration::TERMS_VERSION,
    registration::{
        ConfirmState, DemoUser, Registered, Registration, confirm, create_demo_user, note_taken, register,
        watch_registration,
    },
    rules::first_name,
    sign_in::SignedIn,
    sign_ups::{Porter, SignUps},
    store::{Account, Address},
};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        locale::Locale,
        mail::{self, Mail, Recipient},
        quiet_hours::QuietHours,
        transaction::{Db, Tx},
    },
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
    views::{AccountDecision, NoticeGroup},
};
use time::{Duration, OffsetDateTime};

/// How long outgoing money waits after a change of password or factor, the use of a recovery code, or a reset.
pub const HOLD: Duration = Duration::hours(24);
/// How long it waits after the owner froze the account.
pub const FREEZE_HOLD: Duration = Duration::hours(72);

/// The house member: root of the network, without sign-in, role or money.
pub const HOUSE: UserId = UserId(uuid::Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_00ff));

/// The house's username: a referral link of the platform itself.
pub const HOUSE_USERNAME: &str = "arbora";

/// An account by id.
///
/// # Errors
/// `user.unknown`.
pub async fn account(db: &Db, user: UserId) -> Result<Account, Error> {
    store::account(db.pool(), By::Id(user))
        .await?
        .ok_or_else(|| Error::code(ErrorCode::UserUnknown))
}

/// An account by its username; nobody meets one that was closed.
///
/// # Errors
/// Whatever the database refuses.
pub async fn account_by_username(db: &Db, username: &str) -> Result<Option<Account>, Error> {
    let key = crate::foundation::text::key(username);
    let found = store::account(db.pool(), By::UsernameKey(&key)).await?;
    Ok(found.filter(|account| !closing::is_closed(account)))
}

/// An account by its username, inside a change; nobody meets one that was closed.
///
/// # Errors
/// Whatever the database refuses.
pub async fn account_by_username_within(tx: &mut Tx, username: &str) -> Result<Option<Account>, Error> {
    let key = crate::foundation::text::key(username);
    let found = store::account(tx.conn(), By::UsernameKey(&key)).await?;
    Ok(found.filter(|account| !closing::is_closed(account)))
}

/// An account by its e-mail, inside a change.
///
/// # Errors
/// Whatever the database refuses.
pub async fn account_by_email_within(tx: &mut Tx, email: &str) -> Result<Option<Account>, Error> {
    store::account(
        tx.conn(),
        By::EmailKey(&crate::foundation::mail::address::key(email)),
    )
    .await
}

/// Somebody found by a search: no more than a stranger may know.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct FoundPerson {
    pub username: String,
    /// First name and the initial of the last one.
    pub name: String,
    pub avatar: Option<uuid::Uuid>,
}

/// The most that a search of people finds.
const FOUND: i64 = 10;
/// The least of a username that finds somebody.
const PREFIX: usize = 3;

/// Members whose username begins like this (three letters or more), or whose e-mail is exactly this; never oneself.
///
/// # Errors
/// Whatever the database refuses.
pub async fn search_people(db: &Db, by: UserId, term: &str) -> Result<Vec<FoundPerson>, Error> {
    let key = crate::foundation::mail::address::key(term);
    let by_email = key.contains('@') && !key.starts_with('@');
    let prefix = crate::foundation::text::folded(key.trim_start_matches('@'));
    if !by_email && prefix.chars().count() < PREFIX {
        return Ok(Vec::new());
    }
    let prefix = format!("{}%", crate::foundation::text::like_literal(&prefix));
    let rows = store::search(
        db.pool(),
        by,
        by_email.then_some(key.as_str()),
        (!by_email).then_some(prefix.as_str()),
        FOUND,
    )
    .await?;
    Ok(rows
        .into_iter()
        .map(|(username, full_name, avatar)| FoundPerson {
            username,
            name: super::rules::short_name(&full_name),
            avatar,
        })
        .collect())
}

/// Where a person's mail goes, as it is stored.
pub struct Mailbox {
    pub user: UserId,
    pub email: String,
    pub full_name: String,
    pub locale: String,
    pub anti_phishing: Option<String>,
    pub time_zone: Option<String>,
    pub quiet_mail: Vec<String>,
    pub quiet_from: Option<i16>,
    pub quiet_until: Option<i16>,
}

impl From<Mailbox> for Recipient {
    fn from(mailbox: Mailbox) -> Self {
        Self {
            user: Some(mailbox.user),
            email: mailbox.email,
            name: mailbox.full_name,
            locale: Locale::parse(&mailbox.locale).unwrap_or_default(),
            anti_phishing: mailbox.anti_phishing,
            time_zone: mailbox.time_zone,
            quiet: quiet(&mailbox.quiet_mail),
            hours: hours(mailbox.quiet_from, mailbox.quiet_until),
        }
    }
}

/// Where a person's mail goes.
#[must_use]
pub fn recipient_of(account: &Account) -> Recipient {
    let mailbox = Mailbox {
        user: account.id,
        email: account.email.clone(),
        full_name: account.full_name.clone(),
        locale: account.locale.clone(),
        anti_phishing: account.anti_phishing.clone(),
        time_zone: account.time_zone.clone(),
        quiet_mail: account.quiet_mail.clone(),
        quiet_from: account.quiet_from,
        quiet_until: account.quiet_until,
    };
    mailbox.into()
}

fn quiet(groups: &[String]) -> Vec<NoticeGroup> {
    groups.iter().filter_map(|group| group.parse().ok()).collect()
}

/// The groups of notices that a person does not want mailed.
#[must_use]
pub fn quiet_mail(account: &Account) -> Vec<NoticeGroup> {
    quiet(&account.quiet_mail)
}

fn hours(from: Option<i16>, until: Option<i16>) -> Option<QuietHours> {
    QuietHours::new(from?, until?)
}

/// When a person wants no mail that can wait.
#[must_use]
pub fn quiet_hours(account: &Account) -> Option<QuietHours> {
    hours(account.quiet_from, account.quiet_until)
}

/// Holds a person's mail that can wait between these hours; at no time without any.
///
/// # Errors
/// Whatever the database refuses.
pub async fn set_quiet_hours(tx: &mut Tx, user: UserId, hours: Option<QuietHours>) -> Result<(), Error> {
    let now = tx.now();
    store::set_quiet_hours(tx.conn(), user, hours.map(QuietHours::minutes), now).await
}

/// Mails notices of a group to a person no longer, or again.
///
/// # Errors
/// Whatever the database refuses.
pub async fn set_quiet_mail(tx: &mut Tx, user: UserId, group: NoticeGroup, quiet: bool) -> Result<(), Error> {
    let now = tx.now();
    store::set_quiet_mail(tx.conn(), user, group.as_str(), quiet, now).await
}

/// Where a person's mail goes, by id, inside a change.
///
/// # Errors
/// `user.unknown`.
pub async fn recipient(tx: &mut Tx, user: UserId) -> Result<Recipient, Error> {
    let account = store::account(tx.conn(), By::Id(user))
        .await?
        .ok_or_else(|| Error::code(ErrorCode::UserUnknown))?;
    Ok(recipient_of(&account))
}

/// Somebody who has not left, for what calls them here.
#[derive(Clone, Debug)]
pub struct Here {
    pub to: Recipient,
    /// Staff did not switch the account off: one that is off reads, takes its money out and writes to support, and does nothing else.
    pub is_active: bool,
}

/// The same with whether there is something for them to do; none of a closed account, where nobody is written to.
///
/// # Errors
/// `user.unknown`.
pub async fn recipient_here(tx: &mut Tx, user: UserId) -> Result<Option<Here>, Error> {
    let account = store::account(tx.conn(), By::Id(user))
        .await?
        .ok_or_else(|| Error::code(ErrorCode::UserUnknown))?;
    Ok((account.status != "closed").then(|| Here {
        to: recipient_of(&account),
        is_active: account.status == AccountStatus::Active.as_str(),
    }))
}

/// Mails a code that authorises one action of a session; `binding` is the action's hash, `details` say it in words.
///
/// # Errors
/// `request.rate_limited` above five codes an hour of the session, fifteen of all where it stands.
pub async fn send_code(
    context: &Context,
    user: UserId,
    session: SessionId,
    purpose: Purpose,
    binding: &[u8],
    details: Vec<String>,
) -> Result<(), Error> {
    let account = account(&context.db, user).await?;
    let mut tx = context.db.begin().await?;
    codes::send(
        context,
        &mut tx,
        &account,
        codes::Asker::Session(session),
        purpose,
        binding,
        Extra::Details(details),
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

/// Checks what changes one's own data: `securityCode`, the mailed code, and `appCode` where the authenticator is on; consume the
/// proof in the transaction that they authorise.
///
/// # Errors
/// `code.missing`, `code.wrong` at their fields; `request.rate_limited`.
pub async fn check_both_codes(
    context: &Context,
    user: UserId,
    purpose: Purpose,
    mailed: &str,
    app: &str,
) -> Result<Both, Error> {
    let account = account(&context.db, user).await?;
    codes::check_both(context, &account, purpose, mailed, app).await
}

/// An account by id, inside a change.
///
/// # Errors
/// `user.unknown`.
pub async fn account_within(tx: &mut Tx, user: UserId) -> Result<Account, Error> {
    store::account(tx.conn(), By::Id(user))
        .await?
        .ok_or_else(|| Error::code(ErrorCode::UserUnknown))
}

/// Checks a `securityCode` that authorises money, inside the transaction that it authorises: the app's where it is on, else the
/// e-mailed one bound to the action; or a passkey's proof, bound likewise.
///
/// # Errors
/// `code.missing`, `code.wrong`, `request.rate_limited`.
pub async fn check_factor(
    context: &Context,
    account: &Account,
    purpose: Purpose,
    binding: &[u8],
    code: &str,
) -> Result<Proof, Error> {
    let accepts = Accepts::strongest(account.totp_secret.is_some());
    codes::check(context, account, purpose, binding, code, accepts).await
}

/// Why and until when outgoing money of this account waits.
#[must_use]
pub fn hold_of(account: &Account, now: OffsetDateTime) -> Option<(OffsetDateTime, &str)> {
    standing_hold(account.hold_until, account.hold_reason.as_deref(), now)
}

/// The same of a hold that was read without its account.
#[must_use]
pub fn standing_hold(
    until: Option<OffsetDateTime>,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Option<(OffsetDateTime, &str)> {
    Some((until.filter(|until| *until > now)?, reason.unwrap_or("password")))
}

/// Holds outgoing money of a person: `what` names its text under `holds`. The latest event extends an earlier hold, never ends it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn hold(tx: &mut Tx, user: UserId, what: &'static str, span: Duration) -> Result<(), Error> {
    let until = tx.now() + span;
    store::hold(tx.conn(), user, until, what).await
}

/// The refusal of outgoing money that is held.
#[track_caller]
#[must_use]
pub fn held(until: OffsetDateTime, reason: &str) -> Error {
    Error::code(ErrorCode::OutboundHeld)
        .with("until", business_day::shown(until))
        .with("reason", Locale::current().text("holds", reason))
        .with("reasonCode", reason)
}

/// How long a browser that two have used relates them.
const RELATES: Duration = Duration::days(30);

/// Whom a browser relates has used it since then.
#[must_use]
pub fn related_since(tx: &Tx) -> OffsetDateTime {
    tx.now() - RELATES
}

/// How many other accounts were used from a person's devices within 30 days.
///
/// # Errors
/// Whatever the database refuses.
pub async fn accounts_on_devices(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    let since = related_since(tx);
    devices::other_accounts(tx, user, since).await
}

/// Which of these pairs of people used one device within 30 days.
///
/// # Errors
/// Whatever the database refuses.
pub async fn sharing_devices(
    tx: &mut Tx,
    pairs: &[(UserId, UserId)],
) -> Result<Vec<(UserId, UserId)>, Error> {
    let since = related_since(tx);
    devices::sharing(tx, pairs, since).await
}

/// Groups of people who used one browser lately.
///
/// # Errors
/// Whatever the database refuses.
pub async fn shared_devices(tx: &mut Tx) -> Result<Vec<Vec<UserId>>, Error> {
    let since = related_since(tx);
    devices::shared(tx, since).await
}

/// What every change of an account's safety does: fact, mail with a freeze link, word to the others where its owner decides about money
/// ([`watched`]) and, where money could follow, a hold.
pub(super) async fn safety_changed(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    what: &'static str,
    hold: bool,
) -> Result<(), Error> {
    let now = tx.now();
    if hold {
        store::hold(tx.conn(), account.id, now + HOLD, what).await?;
    }
    let token = links::create_freeze(&context.keys, tx, account).await?;
    let letter = Mail::SafetyChanged {
        what,
        at: now,
        freeze_path: format!("/freeze/{token}"),
    };
    mail::send(context, tx, &recipient_of(account), &letter).await?;
    watched::tell(context, tx, account, what).await?;
    signals::user_changed(tx, account.id, what);
    Ok(())
}

/// Tells an owner that a session of theirs took another one's device off, which hears nothing any more: a mail beside the line of their inbox, a few
/// times an hour at most. Taking off is never refused for it.
///
/// # Errors
/// `user.unknown`.
pub async fn device_silenced(context: &Context, tx: &mut Tx, user: UserId) -> Result<(), Error> {
    if !limits::room(tx, limits::rules::silence_told(user)).await? {
        return Ok(());
    }
    let account = account_within(tx, user).await?;
    safety_changed(context, tx, &account, "push_removed", false).await
}

/// Tells an owner what staff decided about their account: a fact, of which a line follows, and a mail, since they may not be here; not at an
/// address that nobody has confirmed: who reads there may be a stranger.
pub(super) async fn decided(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    what: AccountDecision,
    roles: Vec<String>,
    reason: Option<String>,
) -> Result<(), Error> {
    if account.email_confirmed_at.is_some() {
        let letter = Mail::AccountDecided {
            what: what.as_str(),
            roles,
            reason: reason.clone(),
            at: tx.now(),
        };
        mail::send(context, tx, &recipient_of(account), &letter).await?;
    }
    signals::account_decided(tx, account.id, what, reason);
    Ok(())
}

/// Tells an owner that a protection of theirs will be weaker from a moment on, with the link that stops it ([`OnFreeze`]).
///
/// # Errors
/// Whatever the database refuses.
pub async fn loosened(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    what: &'static str,
    details: Vec<String>,
    from: OffsetDateTime,
) -> Result<(), Error> {
    let token = links::create_freeze(&context.keys, tx, account).await?;
    let letter = Mail::Loosened {
        what,
        details,
        from,
        freeze_path: format!("/freeze/{token}"),
    };
    mail::send(context, tx, &recipient_of(account), &letter).await?;
    signals::user_changed(tx, account.id, what);
    Ok(())
}

/// One of the staff causes a mail to somebody: call it in the change itself.
///
/// # Errors
/// `request.rate_limited` above what one of the staff may cause in an hour.
pub async fn staff_writes(tx: &mut Tx, actor: UserId, about: UserId, caused: Caused) -> Result<(), Error> {
    limits::note(tx, &limits::rules::by_staff(actor, about, caused)).await
}

/// Somebody asks for a ticket of theirs by mail: call it in the change itself.
///
/// # Errors
/// `request.rate_limited` above what one may ask for in a day.
pub async fn asks_for_transcript(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    limits::note(tx, &[limits::rules::transcript(user)]).await
}

/// Tells an owner that a protection of theirs is stronger from now on, with the link for whom it was not.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tightened(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    what: &'static str,
    details: Vec<String>,
) -> Result<(), Error> {
    let at = tx.now();
    let token = links::create_freeze(&context.keys, tx, account).await?;
    let letter = Mail::Tightened {
        what,
        details,
        at,
        freeze_path: format!("/freeze/{token}"),
    };
    mail::send(context, tx, &recipient_of(account), &letter).await?;
    Ok(())
}

/// Activates or deactivates a user, with a reason. Sessions stay: an inactive person may read and take money out.
///
/// # Errors
/// `user.own`; `user.unknown`; `request.conflict` when it is so already; `auth.forbidden` for someone with a permission that the actor lacks;
/// `roles.two_persons` for who decides: their role is taken first, by two.
pub async fn set_status(
    context: &Context,
    signals: &Signals,
    actor: UserId,
    user: UserId,
    active: bool,
    reason: &str,
) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    super::roles::lock(&mut tx).await?;
    let (account, authority) = people::lock(&mut tx, actor, user).await?;
    if authority.over_who_decides() {
        return Err(Error::code(ErrorCode::RolesTwoPersons));
    }
    let status = if active {
        AccountStatus::Active
    } else {
        AccountStatus::Inactive
    };
    let told = people::set_status(context, &mut tx, actor, &account, status, reason, false).await?;
    tx.commit().await?;
    told.tell(signals).await;
    Ok(())
}

/// Forgets what no rule needs any more: tries, codes, links, tickets, ended sessions, challenges, devices. Run it hourly.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<(), Error> {
    limits::prune(&context.db).await?;
    codes::prune(context).await?;
    links::prune(context.db.pool(), context.now()).await?;
    email_change::prune(context).await?;
    address_back::prune(context).await?;
    super::tickets::prune(context).await?;
    super::sign_in::prune(context).await?;
    super::passkeys::prune(context).await?;
    super::google::prune(context).await?;
    closing::prune(context).await?;
    super::looks::prune(context).await?;
    devices::prune(&context.db).await?;
    sessions::prune(context).await
}
