//! Another e-mail by the owner's hand: asked for with password and codes, confirmed at both addresses.
//!
//! Invariants: nothing changes before the address that stands and the one that comes have both said yes, within 24 hours; one request a person,
//! the newest. An account in other hands ends it ([`super::hands`]). Who decides about money
//! does not change their e-mail by this way, whenever they came to decide: two others do (docs/decisions/0073-email-change.md). Afterwards outgoing
//! money waits, all sessions but the asking one end, both addresses hear with a freeze link. Table: `identity.email_change`.

mod store;

use super::{
    address_back,
    browser::Browser,
    codes::{self, Purpose},
    limits, links,
    registration::{note_taken, watch_registration},
    roles, rules,
    service::{self, recipient_of, safety_changed},
    sessions,
    sign_in::{end_challenges, lock_with_password, require_password},
    signals::{self, Signals},
    store::{self as accounts, Account, By},
};
use crate::{
    error::{Error, violates},
    foundation::{
        audit::{self, Category},
        context::Context,
        mail::{self, Mail, Recipient},
        transaction::{Db, Tx},
    },
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// The time in which both addresses confirm; that of their links.
pub(super) const LIFE: Duration = Duration::hours(24);

/// The body of a request for another e-mail.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeEmail {
    pub email: String,
    pub password: String,
    /// The mailed code, purpose `change-account-data`.
    pub security_code: String,
    /// The authenticator's, where it is on.
    #[serde(default)]
    pub app_code: Option<String>,
}

/// A request that waits for its confirmations.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmailChangeView {
    /// The one that comes, masked.
    pub email: String,
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
    pub old_confirmed: bool,
    pub new_confirmed: bool,
}

/// Which address a link was sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The address that stands.
    Old,
    /// The one that comes.
    New,
}

impl Side {
    const fn of(purpose: links::Purpose) -> Option<Self> {
        match purpose {
            links::Purpose::EmailChangeOld => Some(Self::Old),
            links::Purpose::EmailChangeNew => Some(Self::New),
            _ => None,
        }
    }

    const fn purpose(self) -> links::Purpose {
        match self {
            Self::Old => links::Purpose::EmailChangeOld,
            Self::New => links::Purpose::EmailChangeNew,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
        }
    }
}

/// What a link says of its request.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct EmailChangeState {
    pub side: Side,
    /// The address that comes, masked.
    pub email: String,
    /// This side has confirmed.
    pub done: bool,
    /// Both have: the address stands.
    pub changed: bool,
}

fn state(row: &store::Row, side: Side) -> EmailChangeState {
    EmailChangeState {
        side,
        email: rules::masked_email(&row.email),
        done: match side {
            Side::Old => row.old_confirmed_at.is_some(),
            Side::New => row.new_confirmed_at.is_some(),
        },
        changed: row.changed_at.is_some(),
    }
}

/// The request that waits, if there is one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn standing(db: &Db, user: UserId) -> Result<Option<EmailChangeView>, Error> {
    let row = store::find(db.pool(), user).await?;
    let now = db.now();
    Ok(row
        .filter(|row| row.changed_at.is_none() && row.expires_at > now)
        .map(|row| EmailChangeView {
            email: rules::masked_email(&row.email),
            until: row.expires_at,
            old_confirmed: row.old_confirmed_at.is_some(),
            new_confirmed: row.new_confirmed_at.is_some(),
        }))
}

#[track_caller]
fn at_field(code: ErrorCode) -> Error {
    Error::code(code).field("email", code)
}

/// Asks for another e-mail: a link goes to both addresses. A request before it ends.
///
/// # Errors
/// `email.invalid`, `email.taken`, `email.by_two` for who decides about money; `request.conflict` for the address that stands;
/// `password.wrong`, `code.*`; `request.rate_limited`.
pub async fn ask(
    context: &Context,
    user: UserId,
    session: SessionId,
    body: &ChangeEmail,
    browser: &Browser,
) -> Result<(), Error> {
    let account = service::account(&context.db, user).await?;
    let email = rules::email(&body.email).ok_or_else(|| at_field(ErrorCode::EmailInvalid))?;
    mail::require_reachable(context, &email).await?;
    let key = mail::address::key(&email);
    if key == mail::address::key(&account.email) {
        return Err(at_field(ErrorCode::RequestConflict));
    }
    let mut look = context.db.begin().await?;
    let decides = roles::decides(&mut look, user).await?;
    look.rollback().await?;
    if decides {
        return Err(at_field(ErrorCode::EmailByTwo));
    }
    require_password(context, &account, session, &body.password).await?;
    watch_registration(context, browser).await?;
    let app = body.app_code.as_deref().unwrap_or_default();
    let proof = codes::check_both(
        context,
        &account,
        Purpose::ChangeAccountData,
        &body.security_code,
        app,
    )
    .await?;
    // Each request mails somebody who may be a stranger.
    let _counted = limits::attempt(&context.db, vec![limits::rules::email_change(user)]).await?;
    if accounts::account(context.db.pool(), By::EmailKey(&key))
        .await?
        .is_some()
    {
        note_taken(context, browser).await?;
        return Err(at_field(ErrorCode::EmailTaken));
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    lock_with_password(&mut tx, &account).await?;
    proof.consume(&mut tx).await?;
    forget(&mut tx, user).await?;
    let new = store::New {
        email: &email,
        email_key: &key,
        session,
        expires_at: now + LIFE,
    };
    store::insert(tx.conn(), user, &new, now).await?;
    for side in [Side::Old, Side::New] {
        write(context, &mut tx, &account, &email, side).await?;
    }
    record(&mut tx, user, "auth.email_change_asked").await?;
    signals::user_changed(&mut tx, user, "email_change");
    tx.commit().await?;
    Ok(())
}

/// Mails a side its link.
async fn write(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    email: &str,
    side: Side,
) -> Result<(), Error> {
    let token = links::create(&context.keys, tx, account.id, side.purpose()).await?;
    let own = recipient_of(account);
    let (to, freeze) = match side {
        Side::Old => (own, Some(links::create_freeze(&context.keys, tx, account).await?)),
        // Whoever reads there may be a stranger: neither the owner's name, nor their word, nor what freezes the account.
        Side::New => (
            Recipient {
                email: email.to_owned(),
                name: email.to_owned(),
                anti_phishing: None,
                ..own
            },
            None,
        ),
    };
    let letter = Mail::EmailChangeLink {
        side: side.as_str(),
        email: rules::masked_email(email),
        path: format!("/change-email/{token}"),
        until: tx.now() + LIFE,
        freeze_path: freeze.map(|token| format!("/freeze/{token}")),
    };
    mail::send(context, tx, &to, &letter).await?;
    Ok(())
}

async fn record(tx: &mut Tx, user: UserId, action: &'static str) -> Result<(), Error> {
    audit::record(tx, Some(user), Some(user.0), Category::Auth, action, json!({})).await
}

/// Takes one's own request back; nothing happens where there is none.
///
/// # Errors
/// Whatever the database refuses.
pub async fn take_back(context: &Context, user: UserId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    accounts::lock(tx.conn(), user).await?;
    if forget(&mut tx, user).await? {
        record(&mut tx, user, "auth.email_change_taken_back").await?;
        signals::user_changed(&mut tx, user, "email_change");
    }
    tx.commit().await?;
    Ok(())
}

/// Ends a request, inside the change that leaves no room for it: its links are dead, those that were used too. The account is locked.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn end(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    if forget(tx, user).await? {
        audit::record(
            tx,
            None,
            Some(user.0),
            Category::Auth,
            "auth.email_change_ended",
            json!({}),
        )
        .await?;
        signals::user_changed(tx, user, "email_change");
    }
    Ok(())
}

/// Whether a request was open.
async fn forget(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    let now = tx.now();
    let links = [Side::Old, Side::New].map(|side| side.purpose().as_str().to_owned());
    store::delete(tx.conn(), user, &links, now).await
}

#[track_caller]
fn dead() -> Error {
    Error::code(ErrorCode::ChangeLinkInvalid)
}

/// The link and what it is for, used or not.
async fn linked(context: &Context, tx: &mut Tx, token: &str) -> Result<(links::Link, Side), Error> {
    let link = links::find(&context.keys, tx.conn(), token)
        .await?
        .ok_or_else(dead)?;
    let side = Side::of(link.purpose).ok_or_else(dead)?;
    Ok((link, side))
}

/// The request of a link: one that waits, or that was carried out.
async fn asked(tx: &mut Tx, user: UserId) -> Result<store::Row, Error> {
    let now = tx.now();
    let row = store::find(tx.conn(), user).await?;
    row.filter(|row| row.changed_at.is_some() || row.expires_at > now)
        .ok_or_else(dead)
}

/// What a link is for; opening it changes nothing.
///
/// # Errors
/// `link.change_invalid`.
pub async fn look(context: &Context, token: &str) -> Result<EmailChangeState, Error> {
    let mut tx = context.db.begin().await?;
    let (link, side) = linked(context, &mut tx, token).await?;
    let row = asked(&mut tx, link.account).await?;
    tx.rollback().await?;
    Ok(state(&row, side))
}

/// One address says yes; the second one's yes changes the e-mail. A link that was used is good news for its owner, who clicked twice.
///
/// # Errors
/// `link.change_invalid`; `email.taken` by somebody meanwhile and `email.by_two` for who decides by now, both of which end the request.
pub async fn confirm(context: &Context, signals: &Signals, token: &str) -> Result<EmailChangeState, Error> {
    let mut tx = context.db.begin().await?;
    let user = linked(context, &mut tx, token).await?.0.account;
    // Who decides must not change between the look and the deed; roles are locked before people.
    roles::lock(&mut tx).await?;
    accounts::lock(tx.conn(), user).await?;
    // What another ended meanwhile is gone behind the lock.
    let (link, side) = linked(context, &mut tx, token).await?;
    let row = asked(&mut tx, user).await?;
    let seen = state(&row, side);
    if seen.done {
        tx.rollback().await?;
        return Ok(seen);
    }
    if roles::decides(&mut tx, user).await? {
        end(&mut tx, user).await?;
        tx.commit().await?;
        return Err(at_field(ErrorCode::EmailByTwo));
    }
    let now = tx.now();
    links::consume(&mut tx, &link).await.map_err(|_| dead())?;
    store::confirm(tx.conn(), user, side == Side::Old, now).await?;
    let row = asked(&mut tx, user).await?;
    if row.old_confirmed_at.is_none() || row.new_confirmed_at.is_none() {
        audit::record(
            &mut tx,
            Some(user),
            Some(user.0),
            Category::Auth,
            "auth.email_change_confirmed",
            json!({ "side": side.as_str() }),
        )
        .await?;
        signals::user_changed(&mut tx, user, "email_change");
        tx.commit().await?;
        return Ok(state(&row, side));
    }
    change(context, signals, tx, user, row, side).await
}

async fn change(
    context: &Context,
    signals: &Signals,
    mut tx: Tx,
    user: UserId,
    row: store::Row,
    side: Side,
) -> Result<EmailChangeState, Error> {
    let now = tx.now();
    let before = service::account_within(&mut tx, user).await?;
    address_back::leave(&mut tx, &before, &row.email_key).await?;
    if let Err(error) = store::change(tx.conn(), user, &row.email, &row.email_key, now).await {
        if !violates(&error, "account_email_key_key") {
            return Err(error.into());
        }
        tx.rollback().await?;
        let mut tx = context.db.begin().await?;
        accounts::lock(tx.conn(), user).await?;
        end(&mut tx, user).await?;
        tx.commit().await?;
        return Err(at_field(ErrorCode::EmailTaken));
    }
    mail::move_waiting(&mut tx, user, &before.email, Some(&row.email)).await?;
    // What lies in the mailbox before ends; its warnings stay.
    for purpose in [
        links::Purpose::ConfirmEmail,
        links::Purpose::ResetPassword,
        links::Purpose::Invitation,
    ] {
        links::revoke(&mut tx, user, purpose).await?;
    }
    end_challenges(&mut tx, user).await?;
    let ended = sessions::end_all(&mut tx, user, Some(row.session), "email").await?;
    record(&mut tx, user, "auth.email_changed").await?;
    safety_changed(context, &mut tx, &before, "email", true).await?;
    let after = service::account_within(&mut tx, user).await?;
    safety_changed(context, &mut tx, &after, "email", false).await?;
    tx.commit().await?;
    signals.ended(&ended).await;
    Ok(EmailChangeState {
        side,
        email: rules::masked_email(&row.email),
        done: true,
        changed: true,
    })
}

/// Forgets requests that ran out, and changes, of long ago.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::EMAIL_CHANGES).await
}
