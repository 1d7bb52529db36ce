//! Signing in: the password, then the second factor where one is on.

pub mod passkey;
mod store;

use super::{
    address_back,
    browser::Browser,
    closing,
    codes::{self, Accepts, Extra, Purpose},
    devices, frozen, google, hands, limits, links, looks, passkeys, passwords, secrets,
    service::{self, safety_changed},
    sessions,
    signals::Signals,
    store::{self as accounts, Account, By},
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
use uuid::Uuid;

const CHALLENGE_LIFE: Duration = Duration::minutes(10);
const CHALLENGE_TRIES: i16 = 5;

/// How the second step can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FactorMethod {
    Email,
    App,
    Recovery,
    /// By `POST /auth/passkey`, with the challenge.
    Passkey,
}

/// A session that has just begun, or goes on: the access token for the page, the refresh token for its cookie.
pub struct SignedIn {
    pub access: String,
    pub refresh: String,
    pub session: SessionId,
    /// For the browser's own cookie, with a session that has just begun.
    pub device: Option<String>,
}

/// What a right password leads to.
pub enum Step {
    In(SignedIn),
    Factor {
        challenge: Uuid,
        methods: Vec<FactorMethod>,
        /// There are passkeys, and none of them is taken now.
        aside: bool,
    },
}

/// Opens a session for an account, in a change that says why. From now on the account knows the browser.
pub(super) async fn open_session(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    browser: &Browser,
    method: &str,
) -> Result<SignedIn, Error> {
    let device = devices::remember(&context.keys, tx, account.id, browser).await?;
    let (session, refresh) =
        sessions::open(&context.keys, tx, account.id, browser, &device.hash, method).await?;
    audit::record(
        tx,
        Some(account.id),
        Some(account.id.0),
        Category::Auth,
        "auth.signed_in",
        json!({ "session": session, "method": method }),
    )
    .await?;
    if device.strange && WARNED.contains(&method) {
        tell_owner(context, tx, account, browser).await?;
    }
    let access = sessions::access_token(&context.keys, account.id, session, tx.now())?;
    Ok(SignedIn {
        access,
        refresh,
        session,
        device: Some(device.token),
    })
}

/// Ways in of which the owner hears when the browser is a strange one; the others are mailed themselves.
const WARNED: [&str; 5] = ["password", "google", "email", "app", "passkey"];

/// A browser that the account did not know is in. Whoever has the password brings no more of these mails than the hour takes.
async fn tell_owner(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    browser: &Browser,
) -> Result<(), Error> {
    if !limits::room(tx, limits::rules::sign_in_told(account.id)).await? {
        return Ok(());
    }
    let token = links::create_freeze(&context.keys, tx, account).await?;
    let letter = Mail::SignedIn {
        device: browser.device.clone(),
        address: browser.address.clone(),
        at: tx.now(),
        freeze_path: format!("/freeze/{token}"),
    };
    mail::send(context, tx, &service::recipient_of(account), &letter).await?;
    Ok(())
}

/// What stands for an e-mail in the counts of wrong passwords: nobody can read from it whose they are.
pub(super) fn whose(context: &Context, email_key: &str) -> String {
    hex::encode(&secrets::mac(&context.keys, "login-scope", &[email_key.as_bytes()])[..16])
}

/// Checks a signed-in person's password again. Tries count in their session: those of strangers do not hold it up.
pub(super) async fn require_password(
    context: &Context,
    account: &Account,
    session: SessionId,
    password: &str,
) -> Result<(), Error> {
    let attempt = limits::attempt(&context.db, limits::rules::own_password(session)).await?;
    if !passwords::verify(context, password, account.password_hash.as_deref()).await? {
        return Err(Error::code(ErrorCode::PasswordWrong).field("password", ErrorCode::PasswordWrong));
    }
    attempt.right(&context.db).await
}

/// Locks the account for a change that its password allows: one that was replaced since it was checked allows nothing.
pub(super) async fn lock_with_password(tx: &mut Tx, account: &Account) -> Result<(), Error> {
    if accounts::lock_with_password(tx.conn(), account.id, account.password_hash.as_deref()).await? {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::AuthFailed))
    }
}

/// Ends the sign-ins that wait for their second factor: what opened them no longer holds. The caller has locked the account.
pub(super) async fn end_challenges(tx: &mut Tx, account: UserId) -> Result<(), Error> {
    let now = tx.now();
    store::end_open(tx.conn(), account, now).await?;
    passkeys::end_open(tx, account).await
}

/// The first step. Unknown people, wrong passwords and people without one get the same answer at the same cost.
pub async fn login(context: &Context, email: &str, password: &str, browser: &Browser) -> Result<Step, Error> {
    let key = mail::address::key(email);
    let known = devices::known(context, &key, browser).await?;
    let place = devices::place(known.as_deref(), browser);
    let counts = limits::rules::sign_in(&whose(context, &key), place);
    let attempt = limits::attempt(&context.db, counts).await?;
    let account = accounts::account(context.db.pool(), By::EmailKey(&key)).await?;
    let right = passwords::verify(
        context,
        password,
        account.as_ref().and_then(|a| a.password_hash.as_deref()),
    )
    .await?;
    let Some(account) = account.filter(|_| right) else {
        return Err(Error::code(ErrorCode::AuthFailed));
    };
    attempt.right(&context.db).await?;
    closing::require_open(&account)?;
    if account.frozen_at.is_some() {
        return Err(Error::code(ErrorCode::AccountFrozen));
    }
    if account.password_ended_at.is_some() {
        return Err(Error::code(ErrorCode::PasswordEnded));
    }
    let mut tx = context.db.begin().await?;
    lock_with_password(&mut tx, &account).await?;
    let step = admit(context, &mut tx, &account, browser, "password").await?;
    tx.commit().await?;
    mail_second(context, &account, &step, known.as_deref(), browser).await?;
    Ok(step)
}

/// Who somebody is was shown in one way: a session, or the second step where a factor is on. The account is locked; [`mail_second`] follows the
/// commit.
pub(super) async fn admit(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    browser: &Browser,
    method: &str,
) -> Result<Step, Error> {
    let (email_on, app_on) = (account.two_factor_email, account.totp_secret.is_some());
    if !account.has_factor() {
        return Ok(Step::In(
            open_session(context, tx, account, browser, method).await?,
        ));
    }
    let challenge = Uuid::now_v7();
    let now = tx.now();
    store::insert(
        tx.conn(),
        challenge,
        account.id,
        &browser.device,
        &browser.address,
        now,
        now + CHALLENGE_LIFE,
    )
    .await?;
    let mut methods = Vec::new();
    let by_passkey = account.has_passkey && passkeys::opens(tx.conn(), account.id, true).await?;
    if by_passkey {
        methods.push(FactorMethod::Passkey);
    }
    if app_on {
        methods.push(FactorMethod::App);
    }
    if email_on {
        methods.push(FactorMethod::Email);
    }
    if accounts::unused_recovery_codes(tx.conn(), account.id).await? > 0 {
        methods.push(FactorMethod::Recovery);
    }
    Ok(Step::Factor {
        challenge,
        methods,
        aside: account.has_passkey && !by_passkey,
    })
}

/// Mails the code of a second step, if one is mailed: a change of its own, for someone who has used up this hour's codes may still take the
/// app or a recovery code. Where a passkey is taken the code is mailed when it is asked for ([`resend`]).
pub(super) async fn mail_second(
    context: &Context,
    account: &Account,
    step: &Step,
    known: Option<&str>,
    browser: &Browser,
) -> Result<(), Error> {
    let Step::Factor {
        challenge, methods, ..
    } = step
    else {
        return Ok(());
    };
    if !methods.contains(&FactorMethod::Email) || methods.contains(&FactorMethod::Passkey) {
        return Ok(());
    }
    match mail_code(context, account, *challenge, known, browser).await {
        Err(error) if error.error_code() == ErrorCode::RateLimited && methods.len() > 1 => Ok(()),
        other => other,
    }
}

async fn mail_code(
    context: &Context,
    account: &Account,
    challenge: Uuid,
    known: Option<&str>,
    browser: &Browser,
) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    codes::send(
        context,
        &mut tx,
        account,
        codes::Asker::Stranger(known),
        Purpose::SignIn,
        challenge.as_bytes(),
        Extra::Device(browser.device.clone()),
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

/// Mails a code for a challenge, or another one. A challenge that is not open is as unknown as one that never was.
pub async fn resend(context: &Context, challenge: Uuid, browser: &Browser) -> Result<(), Error> {
    let account = challenge_account(context, challenge).await?;
    if !account.two_factor_email {
        return Err(Error::code(ErrorCode::AuthFailed));
    }
    let seat = devices::seat(context, account.id, browser).await?;
    mail_code(context, &account, challenge, seat.device.as_deref(), browser).await
}

async fn challenge_account(context: &Context, challenge: Uuid) -> Result<Account, Error> {
    let unknown = || Error::code(ErrorCode::AuthFailed);
    let owner = store::open(context.db.pool(), challenge, CHALLENGE_TRIES, context.now())
        .await?
        .ok_or_else(unknown)?;
    let account = accounts::account(context.db.pool(), By::Id(owner))
        .await?
        .ok_or_else(unknown)?;
    if account.frozen_at.is_some() {
        Err(Error::code(ErrorCode::AccountFrozen))
    } else {
        Ok(account)
    }
}

/// The second step: code and challenge are used up with the session that they open.
pub async fn second_step(
    context: &Context,
    challenge: Uuid,
    method: FactorMethod,
    code: &str,
    browser: &Browser,
) -> Result<SignedIn, Error> {
    if method == FactorMethod::Passkey {
        return Err(Error::code(ErrorCode::RequestInvalid).field("method", ErrorCode::RequestInvalid));
    }
    let account = challenge_account(context, challenge).await?;
    if !store::count_try(context.db.pool(), challenge, CHALLENGE_TRIES).await? {
        return Err(Error::code(ErrorCode::AuthFailed));
    }
    let accepts = Accepts {
        email: method == FactorMethod::Email && account.two_factor_email,
        app: method == FactorMethod::App,
        recovery: method == FactorMethod::Recovery,
        passkey: false,
    };
    let seat = devices::seat(context, account.id, browser).await?;
    let proof = codes::check_at(
        context,
        &account,
        &seat,
        Purpose::SignIn,
        challenge.as_bytes(),
        code,
        accepts,
    )
    .await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    // A reset at the same time either ends this challenge or finds the session that it opened.
    accounts::lock(tx.conn(), account.id).await?;
    let by_recovery = proof.is_recovery();
    proof.consume(&mut tx).await?;
    if !store::consume(tx.conn(), challenge, now).await? {
        return Err(Error::code(ErrorCode::AuthFailed));
    }
    let name = match method {
        FactorMethod::Email => "email",
        FactorMethod::App => "app",
        FactorMethod::Recovery => "recovery",
        FactorMethod::Passkey => "passkey",
    };
    let signed_in = open_session(context, &mut tx, &account, browser, name).await?;
    if by_recovery {
        safety_changed(context, &mut tx, &account, "recovery_code", true).await?;
    }
    tx.commit().await?;
    Ok(signed_in)
}

/// Rotates a refresh token into a new pair; the end of a copied family is committed and told.
pub async fn refresh(
    context: &Context,
    signals: &Signals,
    token: &str,
    browser: &Browser,
) -> Result<SignedIn, Error> {
    let mut tx = context.db.begin().await?;
    match sessions::rotate(context, &mut tx, token).await? {
        sessions::Rotated::Good {
            session,
            account,
            token,
        } => {
            let access = sessions::access_token(&context.keys, account, session, tx.now())?;
            devices::note_use(&context.keys, &mut tx, account, browser).await?;
            tx.commit().await?;
            Ok(SignedIn {
                access,
                refresh: token,
                session,
                device: None,
            })
        }
        sessions::Rotated::Reused { session, account } => {
            audit::record(
                &mut tx,
                None,
                Some(account.0),
                Category::Auth,
                "auth.refresh_reused",
                json!({ "session": session }),
            )
            .await?;
            tx.commit().await?;
            signals.ended(&[session]).await;
            Err(Error::code(ErrorCode::Unauthenticated))
        }
        sessions::Rotated::Unknown => Err(Error::code(ErrorCode::Unauthenticated)),
    }
}

/// Signs out: ends the session of a refresh token, whatever its generation.
pub async fn logout(context: &Context, signals: &Signals, token: &str) -> Result<(), Error> {
    let Some(session) = sessions::session_of(&context.keys, token) else {
        return Ok(());
    };
    let Some(state) = sessions::fresh_state(context, session).await? else {
        return Ok(());
    };
    end_session(context, signals, state.caller.user, session, "logout").await?;
    Ok(())
}

/// Why a session ended that its owner ended in the list of devices.
pub const REVOKED: &str = "revoked";

/// Ends one of a user's own sessions; `false` when there is none such.
pub async fn end_session(
    context: &Context,
    signals: &Signals,
    user: UserId,
    session: SessionId,
    reason: &str,
) -> Result<bool, Error> {
    let mut tx = context.db.begin().await?;
    let Some(ended) = sessions::end(&mut tx, user, session, reason).await? else {
        return Ok(false);
    };
    // Ended from elsewhere: the device may be in other hands.
    if let Some(device) = ended.device_hash.filter(|_| reason == REVOKED) {
        devices::forget_left(&mut tx, user, &device).await?;
    }
    looks::end_of_session(&mut tx, session).await?;
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.signed_out",
        json!({ "session": session, "reason": reason }),
    )
    .await?;
    tx.commit().await?;
    signals.ended(&[session]).await;
    Ok(true)
}

/// The owner says "it was not me": all sessions end, signing in waits for a new password, outgoing money for 72 h. Whether the account has
/// the address of this mailbox again, which another one had taken the place of.
pub async fn freeze(context: &Context, signals: &Signals, token: &str) -> Result<bool, Error> {
    let refused = || Error::code(ErrorCode::LinkInvalid);
    let link = links::find(&context.keys, context.db.pool(), token).await?;
    let link = link
        .filter(|l| l.purpose == links::Purpose::Freeze && l.is_good(context.now()))
        .ok_or_else(refused)?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    frozen::tell(context, &mut tx, link.account).await?;
    accounts::lock(tx.conn(), link.account).await?;
    links::consume(&mut tx, &link).await?;
    let before = service::account_within(&mut tx, link.account).await?;
    let given_back = address_back::give(context, &mut tx, &before, link.mailbox.as_deref()).await?;
    let account = service::account_within(&mut tx, link.account).await?;
    accounts::freeze(tx.conn(), account.id, now).await?;
    accounts::hold(tx.conn(), account.id, now + service::FREEZE_HOLD, "frozen").await?;
    links::revoke(&mut tx, account.id, links::Purpose::ResetPassword).await?;
    // The way back in begins with a new link, at once.
    let asked = limits::rules::reset_link(&whose(context, &mail::address::key(&account.email)));
    limits::forget(&mut tx, &[asked]).await?;
    end_challenges(&mut tx, account.id).await?;
    hands::changed(context, &mut tx, account.id).await?;
    google::forget(&mut tx, account.id, Some(account.id)).await?;
    // Put aside, and not taken off: whoever has no more than the mailbox must not free an account of its factor.
    passkeys::put_aside(&mut tx, account.id, account.id).await?;
    devices::forget_others(&mut tx, account.id, None).await?;
    let ended = sessions::end_all(&mut tx, account.id, None, "frozen").await?;
    looks::end_of_subject(&mut tx, account.id, looks::FROZEN).await?;
    audit::record(
        &mut tx,
        Some(account.id),
        Some(account.id.0),
        Category::Auth,
        "auth.frozen",
        json!({}),
    )
    .await?;
    mail::send(
        context,
        &mut tx,
        &service::recipient_of(&account),
        &Mail::Frozen {
            path: "/forgot-password".into(),
        },
    )
    .await?;
    super::signals::user_changed(&mut tx, account.id, "frozen");
    tx.commit().await?;
    signals.shut_out(account.id, &ended).await;
    Ok(given_back)
}

/// Forgets challenges that are over.
pub async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::CHALLENGES).await
}
