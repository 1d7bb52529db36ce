//! Signing in with Google, by OpenID Connect.
//!
//! Invariants: a Google account is its issuer and subject, never its e-mail; an account has one, a Google account is one account's. What comes
//! back counts in the browser that went there (cookie), once (state, nonce, PKCE), and reaches the page as a code that is good once, for 60
//! seconds, in that browser. Linking begins in a session with password and factor, and ends while that session lives. An e-mail that a
//! confirmed account has opens nothing; one that nobody has confirmed takes what was typed there out first. The second factor is asked for as
//! after a password. Called by `affiliates`, which gives who comes in a place. Tables: `identity.google_account`, `identity.google_visit`.

pub mod provider;
mod store;

pub use provider::Provider;

use super::{
    browser::Browser,
    closing,
    codes::{self, Accepts, Purpose},
    devices, links, registration, roles, rules, secrets,
    service::{self, safety_changed},
    sessions,
    sign_in::{self, Step, end_challenges, lock_with_password, require_password},
    signals::{self, Signals},
    store::{self as accounts, Account, By},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::{Context, Keys},
        locale::Locale,
        mail, text,
        transaction::{Db, Tx},
    },
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
};
use provider::{Person, Proofs, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// How long somebody may stay at Google.
pub const LIFE: Duration = Duration::minutes(10);
/// How long the page may take to show its code.
const CODE_LIFE: Duration = Duration::seconds(60);

/// Whom Google calls somebody: the part of the context that says it is offered.
fn provider(context: &Context) -> Result<&Arc<Provider>, Error> {
    context
        .part::<Arc<Provider>>()
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

/// Whether signing in with Google is offered.
#[must_use]
pub fn is_offered(context: &Context) -> bool {
    context.part::<Arc<Provider>>().is_some()
}

/// A Google account, as its owner sees it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoogleView {
    /// Masked.
    pub email: String,
    #[serde(with = "time::serde::rfc3339")]
    pub linked_at: OffsetDateTime,
}

/// Somebody's Google account.
///
/// # Errors
/// Whatever the database refuses.
pub async fn of(db: &Db, user: UserId) -> Result<Option<GoogleView>, Error> {
    let linked = store::of(db.pool(), user).await?;
    Ok(linked.map(|linked| GoogleView {
        email: rules::masked_email(&linked.email),
        linked_at: linked.linked_at,
    }))
}

/// Where the browser goes, and what it keeps meanwhile.
pub struct Leaving {
    pub url: String,
    pub browser: String,
}

fn hashed(keys: &Keys, name: &str, text: &str) -> Vec<u8> {
    secrets::mac(keys, name, &[text.as_bytes()]).to_vec()
}

/// Nonce and verifier come from what only the browser and the way there and back carry: the tables give none of them.
fn proofs(keys: &Keys, state: &str, browser: &str) -> Proofs {
    let derived = |name: &str| {
        let parts: [&[u8]; 2] = [state.as_bytes(), browser.as_bytes()];
        data_encoding::BASE64URL_NOPAD.encode(&secrets::mac(keys, name, &parts))
    };
    Proofs {
        nonce: derived("google-nonce"),
        verifier: derived("google-verifier"),
        state: state.to_owned(),
    }
}

/// A visit before it begins.
struct Visit {
    state: String,
    browser: String,
    url: String,
}

async fn prepare(context: &Context) -> Result<Visit, Error> {
    let provider = provider(context)?;
    let (state, browser) = (secrets::token(), secrets::token());
    let url = provider
        .page(context, &proofs(&context.keys, &state, &browser))
        .await?;
    Ok(Visit { state, browser, url })
}

impl Visit {
    async fn begin(
        self,
        context: &Context,
        tx: &mut Tx,
        linking: Option<(UserId, SessionId)>,
        upline: Option<&str>,
    ) -> Result<Leaving, Error> {
        let now = tx.now();
        let new = store::New {
            state: &hashed(&context.keys, "google-state", &self.state),
            browser: &hashed(&context.keys, "google-browser", &self.browser),
            linking,
            upline,
            expires_at: now + LIFE,
        };
        store::begin(tx.conn(), Uuid::now_v7(), &new, now).await?;
        Ok(Leaving {
            url: self.url,
            browser: self.browser,
        })
    }
}

/// Begins a sign-in; `upline` names whose referral link was open.
///
/// # Errors
/// `request.not_found` where it is not offered; `service.unavailable`.
pub async fn begin(context: &Context, upline: Option<&str>) -> Result<Leaving, Error> {
    let visit = prepare(context).await?;
    let upline = upline
        .and_then(text::line)
        .filter(|name| !name.is_empty() && name.chars().count() <= 60);
    let mut tx = context.db.begin().await?;
    let leaving = visit.begin(context, &mut tx, None, upline.as_deref()).await?;
    tx.commit().await?;
    Ok(leaving)
}

/// What another way in, or one less, asks for.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GoogleChange {
    pub password: String,
    /// The authenticator's where it is on, else the mailed code (`change-factor`).
    pub code: String,
}

async fn prove(
    context: &Context,
    account: &Account,
    session: SessionId,
    body: &GoogleChange,
) -> Result<codes::Proof, Error> {
    require_password(context, account, session, &body.password).await?;
    let accepts = Accepts::strongest(account.totp_secret.is_some());
    codes::check(context, account, Purpose::ChangeFactor, b"", &body.code, accepts).await
}

/// Begins to link a Google account to one's own.
///
/// # Errors
/// `google.linked`; `password.wrong`, `code.*`; `request.not_found` where it is not offered; `service.unavailable`.
pub async fn begin_linking(
    context: &Context,
    user: UserId,
    session: SessionId,
    body: &GoogleChange,
) -> Result<Leaving, Error> {
    let account = service::account(&context.db, user).await?;
    if store::of(context.db.pool(), user).await?.is_some() {
        return Err(Error::code(ErrorCode::GoogleLinked));
    }
    // Nothing is used up where nobody answers.
    let visit = prepare(context).await?;
    let proof = prove(context, &account, session, body).await?;
    let mut tx = context.db.begin().await?;
    lock_with_password(&mut tx, &account).await?;
    proof.consume(&mut tx).await?;
    let leaving = visit.begin(context, &mut tx, Some((user, session)), None).await?;
    tx.commit().await?;
    Ok(leaving)
}

/// Takes one's Google account off.
///
/// # Errors
/// `request.conflict` where there is none; `google.only_way` for who has no password; `password.wrong`, `code.*`.
pub async fn unlink(
    context: &Context,
    user: UserId,
    session: SessionId,
    body: &GoogleChange,
) -> Result<(), Error> {
    let account = service::account(&context.db, user).await?;
    if store::of(context.db.pool(), user).await?.is_none() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    if account.password_hash.is_none() {
        return Err(Error::code(ErrorCode::GoogleOnlyWay));
    }
    let proof = prove(context, &account, session, body).await?;
    let mut tx = context.db.begin().await?;
    lock_with_password(&mut tx, &account).await?;
    proof.consume(&mut tx).await?;
    if !forget(&mut tx, user, Some(user)).await? {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    end_challenges(&mut tx, user).await?;
    safety_changed(context, &mut tx, &account, "google", false).await?;
    tx.commit().await?;
    Ok(())
}

/// Takes somebody's Google account off inside a change that leaves no room for it; whether there was one. The account is locked.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn forget(tx: &mut Tx, user: UserId, by: Option<UserId>) -> Result<bool, Error> {
    let had = store::unlink(tx.conn(), user).await?;
    if had {
        record(tx, by, user, false).await?;
    }
    Ok(had)
}

async fn record(tx: &mut Tx, by: Option<UserId>, user: UserId, on: bool) -> Result<(), Error> {
    let details = json!({ "on": on });
    audit::record(tx, by, Some(user.0), Category::Auth, "auth.google", details).await
}

/// What Google sends the browser back with.
#[derive(Deserialize)]
pub struct Returned {
    pub state: Option<String>,
    pub code: Option<String>,
    pub error: Option<String>,
    pub iss: Option<String>,
}

/// Takes what came back: the code that the page shows for it, whatever came of it. None for a visit that this browser has not under way.
///
/// # Errors
/// `request.not_found` where it is not offered.
pub async fn answer(
    context: &Context,
    returned: &Returned,
    browser: Option<&str>,
) -> Result<Option<String>, Error> {
    let provider = provider(context)?;
    let (Some(state), Some(browser)) = (returned.state.as_deref(), browser) else {
        return Ok(None);
    };
    let keys = &context.keys;
    let visit = store::answered(
        context.db.pool(),
        &hashed(keys, "google-state", state),
        &hashed(keys, "google-browser", browser),
        context.now(),
    )
    .await?;
    let Some(visit) = visit else { return Ok(None) };
    let foreign = returned
        .iss
        .as_deref()
        .is_some_and(|iss| iss != provider.issuer());
    let came = match (&returned.code, &returned.error) {
        (Some(code), None) if !foreign => provider.ask(context, code, &proofs(keys, state, browser)).await,
        _ => Err(Refusal::Refused),
    };
    let code = secrets::token();
    let kept = came.as_ref().map_err(|refusal| refusal.as_str());
    let until = context.now() + CODE_LIFE;
    store::keep(
        context.db.pool(),
        visit,
        kept,
        &hashed(keys, "google-code", &code),
        until,
    )
    .await?;
    Ok(Some(code))
}

/// Somebody who is back, by a code that is used up.
pub struct Back {
    person: Person,
    linking: Option<(UserId, SessionId)>,
    /// Whose referral link was open.
    pub upline: Option<String>,
}

/// Uses the page's code up.
///
/// # Errors
/// `google.expired` for a code that is not good in this browser; `google.refused`, `google.unverified`, `service.unavailable` for what came of
/// the visit.
pub async fn redeem(context: &Context, code: &str, browser: Option<&str>) -> Result<Back, Error> {
    provider(context)?;
    let expired = || Error::code(ErrorCode::GoogleExpired);
    let browser = browser.ok_or_else(expired)?;
    let keys = &context.keys;
    let came = store::redeem(
        context.db.pool(),
        &hashed(keys, "google-code", code),
        &hashed(keys, "google-browser", browser),
        context.now(),
    )
    .await?
    .ok_or_else(expired)?;
    if let Some(word) = came.refusal {
        return Err(Refusal::error(&word));
    }
    let (Some(issuer), Some(subject), Some(email)) = (came.issuer, came.subject, came.email) else {
        return Err(expired());
    };
    Ok(Back {
        person: Person {
            issuer,
            subject,
            email,
            full_name: came.full_name,
        },
        linking: came.account.zip(came.session),
        upline: came.upline,
    })
}

/// What a visit leads to, before its commit.
pub struct Came {
    pub user: UserId,
    /// The address is confirmed by this: what waits for that may follow.
    pub confirmed: bool,
    account: Account,
    /// None for an account that was linked.
    step: Option<Step>,
    ended: Vec<SessionId>,
}

/// What the page is told.
pub enum Done {
    Step(Step),
    Linked,
}

/// Lets somebody in, or links their Google account, inside the caller's change, which also gives who is new a place.
///
/// # Errors
/// `auth.frozen`; `google.link_first` for the e-mail of an account that is in use; `google.taken`, `google.linked`, `google.expired` of a link.
pub async fn enter(
    context: &Context,
    tx: &mut Tx,
    back: &Back,
    browser: &Browser,
    locale: Locale,
) -> Result<Came, Error> {
    let person = &back.person;
    if let Some((user, session)) = back.linking {
        return link(context, tx, person, user, session).await;
    }
    if let Some(user) = store::owner(tx.conn(), &person.issuer, &person.subject).await? {
        accounts::lock(tx.conn(), user).await?;
        // Taken off meanwhile, by who locked it first.
        if store::owner(tx.conn(), &person.issuer, &person.subject).await? != Some(user) {
            return Err(Error::code(ErrorCode::GoogleExpired));
        }
        let account = service::account_within(tx, user).await?;
        return admit(context, tx, account, browser, "google", false).await;
    }
    let key = mail::address::key(&person.email);
    match accounts::account(tx.conn(), By::EmailKey(&key)).await? {
        Some(account) => meet(context, tx, person, account.id, browser).await,
        None => {
            let name = name_of(person);
            let user = registration::register_known(context, tx, &person.email, &name, locale).await?;
            keep(tx, user, person).await?;
            let account = service::account_within(tx, user).await?;
            admit(context, tx, account, browser, "registration", true).await
        }
    }
}

async fn keep(tx: &mut Tx, user: UserId, person: &Person) -> Result<(), Error> {
    let now = tx.now();
    if !store::link(tx.conn(), user, person, now).await? {
        return Err(Error::code(ErrorCode::GoogleTaken));
    }
    record(tx, Some(user), user, true).await
}

async fn admit(
    context: &Context,
    tx: &mut Tx,
    account: Account,
    browser: &Browser,
    method: &str,
    confirmed: bool,
) -> Result<Came, Error> {
    if account.frozen_at.is_some() {
        return Err(Error::code(ErrorCode::AccountFrozen));
    }
    let step = sign_in::admit(context, tx, &account, browser, method).await?;
    Ok(Came {
        user: account.id,
        confirmed,
        account,
        step: Some(step),
        ended: Vec::new(),
    })
}

/// The e-mail is one that an account has. Where nobody has ever confirmed it, who registered may be a stranger: their password, sessions and
/// all that they typed go first, and what only the person can say is asked again. Anywhere else the owner links it, signed in.
async fn meet(
    context: &Context,
    tx: &mut Tx,
    person: &Person,
    user: UserId,
    browser: &Browser,
) -> Result<Came, Error> {
    accounts::lock(tx.conn(), user).await?;
    let account = service::account_within(tx, user).await?;
    closing::require_open(&account)?;
    let used = account.email_confirmed_at.is_some() || account.proven_at.is_some();
    // Whoever is to decide about money comes by the invitation that was sent.
    if used || account.frozen_at.is_some() || roles::decides(tx, user).await? {
        return Err(Error::code(ErrorCode::GoogleLinkFirst));
    }
    let now = tx.now();
    let mut ended = Vec::new();
    if account.password_hash.is_some() {
        store::clear(tx.conn(), user, &name_of(person), now).await?;
        ended = sessions::end_all(tx, user, None, "google").await?;
        devices::forget_others(tx, user, None).await?;
        end_challenges(tx, user).await?;
        audit::record(
            tx,
            None,
            Some(user.0),
            Category::Auth,
            "auth.google_cleared",
            json!({}),
        )
        .await?;
    }
    links::revoke_all(tx, user).await?;
    accounts::confirm_email(tx.conn(), user, now).await?;
    keep(tx, user, person).await?;
    let details = json!({ "method": "google" });
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.email_confirmed",
        details,
    )
    .await?;
    signals::user_changed(tx, user, "confirmed");
    let account = service::account_within(tx, user).await?;
    let came = admit(context, tx, account, browser, "registration", true).await?;
    Ok(Came { ended, ..came })
}

async fn link(
    context: &Context,
    tx: &mut Tx,
    person: &Person,
    user: UserId,
    session: SessionId,
) -> Result<Came, Error> {
    accounts::lock(tx.conn(), user).await?;
    let account = service::account_within(tx, user).await?;
    let now = tx.now();
    if account.frozen_at.is_some() || !store::lives(tx.conn(), user, session, now).await? {
        return Err(Error::code(ErrorCode::GoogleExpired));
    }
    if store::of(tx.conn(), user).await?.is_some() {
        return Err(Error::code(ErrorCode::GoogleLinked));
    }
    keep(tx, user, person).await?;
    end_challenges(tx, user).await?;
    safety_changed(context, tx, &account, "google", true).await?;
    Ok(Came {
        user,
        confirmed: false,
        account,
        step: None,
        ended: Vec::new(),
    })
}

/// What follows the commit: sockets hear, and the second step's code goes out.
///
/// # Errors
/// `request.rate_limited` where no code may be mailed and nothing else opens.
pub async fn after(
    context: &Context,
    signals: &Signals,
    came: Came,
    browser: &Browser,
) -> Result<Done, Error> {
    if !came.ended.is_empty() {
        signals.shut_out(came.user, &came.ended).await;
    }
    let Some(step) = came.step else {
        return Ok(Done::Linked);
    };
    let key = mail::address::key(&came.account.email);
    let known = devices::known(context, &key, browser).await?;
    sign_in::mail_second(context, &came.account, &step, known.as_deref(), browser).await?;
    Ok(Done::Step(step))
}

/// The name of somebody new: Google's, else what stands before the @.
fn name_of(person: &Person) -> String {
    let fits = |typed: &str| {
        let line: String = text::line(typed)?.chars().take(120).collect();
        (line.chars().count() >= 2).then_some(line)
    };
    let local = person.email.split('@').next().unwrap_or_default();
    person
        .full_name
        .as_deref()
        .and_then(fits)
        .or_else(|| fits(local))
        .unwrap_or_else(|| person.email.clone())
}

/// Forgets visits that are over.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::GOOGLE_VISITS).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_new_has_a_name() {
        let named = |full_name: Option<&str>, email: &str| {
            name_of(&Person {
                issuer: String::new(),
                subject: String::new(),
                email: email.into(),
                full_name: full_name.map(str::to_owned),
            })
        };
        assert_eq!(named(Some("  Eva   Prado "), "eva@b.co"), "Eva Prado");
        assert_eq!(named(Some("E"), "eva@b.co"), "eva");
        assert_eq!(named(Some("Eva\u{202e}"), "eva@b.co"), "eva");
        assert_eq!(named(None, "e@b.co"), "e@b.co");
        assert_eq!(named(Some(&"é".repeat(300)), "e@b.co").chars().count(), 120);
    }

    #[test]
    fn proofs_are_of_one_visit_and_long_enough_for_pkce() {
        let keys = Keys::of_installation(2);
        let one = proofs(&keys, "state", "browser");
        assert!(one.verifier.len() >= 43 && one.verifier != one.nonce);
        for other in [proofs(&keys, "other", "browser"), proofs(&keys, "state", "other")] {
            assert!(other.verifier != one.verifier && other.nonce != one.nonce);
        }
    }
}
