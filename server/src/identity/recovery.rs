//! Passwords that change: forgotten, invited, chosen anew.

use super::{
    browser::Browser,
    closing,
    codes::{self, Purpose},
    devices, hands, limits,
    links::{self, Link},
    passkeys, passwords,
    service::{self, recipient_of, safety_changed},
    sessions,
    sign_in::{SignedIn, end_challenges, lock_with_password, open_session, require_password, whose},
    signals::Signals,
    store::{self, Account, By},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        mail::{self, Mail},
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
};
use serde_json::json;
use time::Duration;

/// Two passwords, typed alike.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    pub password: String,
    pub password_confirmation: String,
}

/// The body of a reset: the link came by mail, so where the authenticator is on its code, or a recovery code, is asked beside it.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResetPassword {
    pub password: String,
    pub password_confirmation: String,
    #[serde(default, rename = "appCode")]
    pub app_code: Option<String>,
}

/// A reset link left for its mailbox needs time to be read: one that is good for less is not mailed again.
const READING: Duration = Duration::minutes(25);

/// A reset link that was asked for.
pub struct AskedReset {
    /// None: one went to this address a moment ago, should anybody have it.
    pub due: Option<limits::Attempt>,
    /// Seconds until another one is sent.
    pub next_in: u32,
}

/// Whether a reset link is due for an address. It depends on what was typed alone, never on whether anybody has it.
pub async fn ask_reset(context: &Context, email: &str) -> Result<AskedReset, Error> {
    let count = limits::rules::reset_link(&whose(context, &mail::address::key(email)));
    let (due, next_in) = match limits::attempt(&context.db, vec![count]).await {
        Ok(attempt) => {
            let pause = limits::rules::RESET_PAUSE.whole_seconds();
            (Some(attempt), u32::try_from(pause).unwrap_or(u32::MAX))
        }
        Err(error) => (None, error.retries_after().ok_or(error)?),
    };
    Ok(AskedReset { due, next_in })
}

/// Mails the reset link that is due, if the address is known; what could not be sent may be asked for again at once. The caller
/// answers before this runs, and the same for everyone.
pub async fn mail_reset(context: &Context, email: &str, due: limits::Attempt) -> Result<(), Error> {
    let sent = send_reset(context, email).await;
    if sent.is_err() {
        due.right(&context.db).await?;
    }
    sent
}

async fn send_reset(context: &Context, email: &str) -> Result<(), Error> {
    let key = mail::address::key(email);
    let known = store::account(context.db.pool(), By::EmailKey(&key)).await?;
    // A closed account has no way back.
    let Some(account) = known.filter(|account| !closing::is_closed(account)) else {
        return Ok(());
    };
    let mut tx = context.db.begin().await?;
    store::lock(tx.conn(), account.id).await?;
    let purpose = links::Purpose::ResetPassword;
    let (token, until) = links::offer(&context.keys, &mut tx, account.id, purpose, READING).await?;
    let letter = Mail::ResetPassword {
        path: format!("/reset-password/{token}"),
        until,
    };
    mail::send(context, &mut tx, &recipient_of(&account), &letter).await?;
    audit::record(
        &mut tx,
        None,
        Some(account.id.0),
        Category::Auth,
        "auth.reset_requested",
        json!({}),
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

/// What is judged of a password before it is set.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasswordCheck {
    pub password: String,
    /// What else the person typed, or is: words that make a password guessable.
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    pub full_name: Option<String>,
    #[serde(default)]
    pub username: Option<String>,
    /// The token of the reset or invitation by which it will be set: its account's words count.
    #[serde(default)]
    pub link: Option<String>,
}

/// How a password would be judged by the call that sets it. Nothing is kept or logged.
pub async fn judge(context: &Context, check: PasswordCheck) -> Result<passwords::Strength, Error> {
    let typed = [check.email, check.full_name, check.username];
    let mut words: Vec<String> = typed
        .into_iter()
        .flatten()
        .filter(|word| !word.trim().is_empty())
        .map(|word| word.chars().take(254).collect())
        .collect();
    if let Some(token) = check.link {
        let link = links::find(&context.keys, context.db.pool(), &token).await?;
        if let Some(link) = link.filter(|l| l.is_good(context.now())) {
            let account = service::account(&context.db, link.account).await?;
            words.extend([account.email, account.full_name, account.username]);
        }
    }
    passwords::judge(context, check.password, words).await
}

/// What a good link is for, and whether using it takes the authenticator's code.
pub struct Seen {
    pub purpose: &'static str,
    pub app_code: bool,
}

/// What a link is for, while it is good; opening it changes nothing.
pub async fn look(context: &Context, token: &str) -> Result<Option<Seen>, Error> {
    let link = links::find(&context.keys, context.db.pool(), token).await?;
    let Some(link) = link.filter(|l| l.is_good(context.now())) else {
        return Ok(None);
    };
    let app_code = link.purpose == links::Purpose::ResetPassword
        && service::account(&context.db, link.account)
            .await?
            .totp_secret
            .is_some();
    Ok(Some(Seen {
        purpose: link.purpose.as_str(),
        app_code,
    }))
}

async fn good_link(
    context: &Context,
    token: &str,
    purpose: links::Purpose,
) -> Result<(Link, Account), Error> {
    let refused = || Error::code(ErrorCode::LinkInvalid);
    let link = links::find(&context.keys, context.db.pool(), token).await?;
    let link = link
        .filter(|l| l.purpose == purpose && l.is_good(context.now()))
        .ok_or_else(refused)?;
    let account = store::account(context.db.pool(), By::Id(link.account))
        .await?
        .ok_or_else(refused)?;
    Ok((link, account))
}

/// An acceptable password that differs from the previous one (docs/rules/identity.md#passwords), hashed.
async fn fresh_hash(context: &Context, account: &Account, new: &NewPassword) -> Result<String, Error> {
    passwords::acceptable(
        &new.password,
        &new.password_confirmation,
        &[&account.email, &account.full_name, &account.username],
    )?;
    if account.password_hash.is_some()
        && passwords::verify(context, &new.password, account.password_hash.as_deref()).await?
    {
        return Err(Error::code(ErrorCode::PasswordSame).field("password", ErrorCode::PasswordSame));
    }
    passwords::hash(context, &new.password).await
}

/// Puts another password in place. Passkeys that lie aside may come back after it.
async fn set_password(tx: &mut Tx, user: UserId, hash: &str) -> Result<(), Error> {
    let now = tx.now();
    store::set_password(tx.conn(), user, hash, now).await?;
    passkeys::let_return(tx, user).await
}

/// A forgotten password, by the mailed link and, where the authenticator is on, its code or a recovery code: a mailbox alone sets none.
/// All sessions and half-done sign-ins end, outgoing money waits, nobody is signed in. Of all browsers the
/// account knows this one alone from now on, with nothing counted against it, neither passwords nor codes, and the hour's mailed codes begin
/// anew; returns the mark for its cookie.
pub async fn redefine(
    context: &Context,
    signals: &Signals,
    token: &str,
    body: ResetPassword,
    browser: &Browser,
) -> Result<String, Error> {
    let (link, account) = good_link(context, token, links::Purpose::ResetPassword).await?;
    // Before the password is compared with the old one: a mailbox alone learns nothing of that.
    let seat = devices::seat(context, account.id, browser).await?;
    let proof = codes::check_app(
        context,
        &account,
        &seat,
        Purpose::ResetPassword,
        body.app_code.as_deref().unwrap_or_default(),
    )
    .await?;
    let new = NewPassword {
        password: body.password,
        password_confirmation: body.password_confirmation,
    };
    let hash = fresh_hash(context, &account, &new).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    store::lock(tx.conn(), account.id).await?;
    links::consume(&mut tx, &link).await?;
    if let Some(proof) = proof {
        proof.consume(&mut tx).await?;
    }
    set_password(&mut tx, account.id, &hash).await?;
    end_challenges(&mut tx, account.id).await?;
    hands::changed(context, &mut tx, account.id).await?;
    let device = devices::remember(&context.keys, &mut tx, account.id, browser).await?;
    devices::forget_others(&mut tx, account.id, Some(&device.hash)).await?;
    let whose = whose(context, &mail::address::key(&account.email));
    let name = devices::name(&device.hash);
    limits::forget(
        &mut tx,
        &limits::rules::sign_in(&whose, limits::rules::Place::Known(&name)),
    )
    .await?;
    limits::forget(&mut tx, &[limits::rules::reset_link(&whose)]).await?;
    limits::forget_codes(&mut tx, account.id).await?;
    store::begin_codes_anew(tx.conn(), account.id, now).await?;
    let ended = sessions::end_all(&mut tx, account.id, None, "reset").await?;
    audit::record(
        &mut tx,
        Some(account.id),
        Some(account.id.0),
        Category::Auth,
        "auth.password_reset",
        json!({}),
    )
    .await?;
    safety_changed(context, &mut tx, &account, "reset", true).await?;
    tx.commit().await?;
    signals.shut_out(account.id, &ended).await;
    Ok(device.token)
}

/// An invitation that is being accepted: its link, and the first password, hashed.
pub struct Acceptance {
    link: Link,
    account: Account,
    hash: String,
}

/// Looks at an invitation and hashes the first password: all that needs no transaction.
///
/// # Errors
/// `link.invalid`; `password.*`.
pub async fn invited(
    context: &Context,
    token: &str,
    email: &str,
    new: &NewPassword,
) -> Result<Acceptance, Error> {
    let (link, account) = good_link(context, token, links::Purpose::Invitation).await?;
    if mail::address::key(email) != mail::address::key(&account.email) || account.password_hash.is_some() {
        return Err(Error::code(ErrorCode::LinkInvalid));
    }
    let hash = fresh_hash(context, &account, new).await?;
    Ok(Acceptance { link, account, hash })
}

/// The first password. The link came by mail, so the address is confirmed; a session begins unless a factor is on. The caller's
/// transaction also holds the place in the network.
///
/// # Errors
/// `link.invalid` when another was faster.
pub async fn accept_invitation(
    context: &Context,
    tx: &mut Tx,
    accepted: Acceptance,
    browser: &Browser,
) -> Result<(UserId, Option<SignedIn>), Error> {
    let Acceptance { link, account, hash } = accepted;
    let now = tx.now();
    store::lock(tx.conn(), account.id).await?;
    links::consume(tx, &link).await?;
    set_password(tx, account.id, &hash).await?;
    store::confirm_email(tx.conn(), account.id, now).await?;
    audit::record(
        tx,
        Some(account.id),
        Some(account.id.0),
        Category::Auth,
        "auth.invitation_accepted",
        json!({}),
    )
    .await?;
    let signed_in = if account.has_factor() {
        None
    } else {
        Some(open_session(context, tx, &account, browser, "invitation").await?)
    };
    Ok((account.id, signed_in))
}

/// The body of a change of one's own password.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangePassword {
    pub current_password: String,
    pub password: String,
    #[serde(rename = "password_confirmation")]
    pub password_confirmation: String,
    /// The mailed code, purpose `change-password`.
    pub security_code: String,
    /// The authenticator's, where it is on.
    #[serde(default)]
    pub app_code: Option<String>,
}

/// A password that its owner changes: the old one, the codes, then all other sessions end and outgoing money waits.
pub async fn change(
    context: &Context,
    signals: &Signals,
    user: UserId,
    session: SessionId,
    body: ChangePassword,
) -> Result<(), Error> {
    let account = service::account(&context.db, user).await?;
    require_password(context, &account, session, &body.current_password)
        .await
        .map_err(|error| match error.error_code() {
            ErrorCode::PasswordWrong => {
                Error::code(ErrorCode::PasswordWrong).field("currentPassword", ErrorCode::PasswordWrong)
            }
            _ => error,
        })?;
    let new = NewPassword {
        password: body.password,
        password_confirmation: body.password_confirmation,
    };
    let hash = fresh_hash(context, &account, &new).await?;
    let proof = codes::check_both(
        context,
        &account,
        Purpose::ChangePassword,
        &body.security_code,
        body.app_code.as_deref().unwrap_or_default(),
    )
    .await?;
    let mut tx = context.db.begin().await?;
    lock_with_password(&mut tx, &account).await?;
    proof.consume(&mut tx).await?;
    set_password(&mut tx, user, &hash).await?;
    links::revoke(&mut tx, user, links::Purpose::ResetPassword).await?;
    end_challenges(&mut tx, user).await?;
    // Whoever asked for another e-mail, or for an end, may be the reason for another password.
    hands::changed(context, &mut tx, user).await?;
    let ended = sessions::end_all(&mut tx, user, Some(session), "password").await?;
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.password_changed",
        json!({}),
    )
    .await?;
    safety_changed(context, &mut tx, &account, "password", true).await?;
    tx.commit().await?;
    signals.ended(&ended).await;
    Ok(())
}
