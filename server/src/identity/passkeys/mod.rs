//! Passkeys (Web Authentication): a second factor and a way in without a password, which no copied page can ask for
//! (docs/decisions/0100-passkeys.md, docs/decisions/0107-passkeys-put-aside.md, docs/rules/identity.md#passkeys).
//!
//! Invariants: a challenge is made for one thing, good for minutes, stored hashed and answered once; the browser's word on the page that asked,
//! the site, a person who was asked who they are, and the signature are all judged; a count that goes back opens nothing, ends what passkeys had
//! opened, and its owner hears; what lies aside opens nothing.
//! Adding and removing one takes the password and a current factor, ends half-done sign-ins and other sessions, holds outgoing money and is
//! mailed with a freeze link. Tables: `identity.passkey`, `passkey_handle`, `passkey_challenge`.

mod aside;
pub mod ceremony;
mod confirming;
pub mod forms;
mod key;
mod store;

use super::{
    codes::{self, Accepts, Purpose},
    secrets,
    service::{self, safety_changed},
    sessions,
    sign_in::{end_challenges, lock_with_password, require_password},
    signals::Signals,
    store::{self as accounts, Account},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::{Context, Keys},
        text,
        transaction::{Db, Tx},
    },
};
pub use aside::opens;
pub(super) use aside::{let_return, put_aside};
use ceremony::Site;
pub use confirming::{confirm, is_proof, prove, proved, spend};
use forms::{
    PasskeyCreation, PasskeyMade, PasskeyOwner, PasskeyRequest, PasskeySite, PasskeyView, Shown, TRANSPORTS,
    bytes, faulty, refused,
};
use protocol::{
    ErrorCode,
    ids::{PasskeyId, SessionId, UserId},
};
use serde_json::json;
use time::Duration;
use uuid::Uuid;

/// How long a challenge waits for its answer.
const LIFE: Duration = Duration::minutes(5);
/// Most of one account.
const MOST: usize = 10;
/// Most characters of a name that its owner gives.
const NAME: usize = 60;
/// How a session began that a passkey opened, alone or after the password.
pub const METHOD: &str = "passkey";

/// What a challenge is made for.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// Another passkey of this account, in this session.
    Register { account: UserId, session: SessionId },
    /// Signing in without a password: of nobody in particular.
    SignIn,
    /// The second step of a half-done sign-in.
    Step { account: UserId, step: Uuid },
    /// An action of a session, by the purpose of its code and the hash of what is confirmed.
    Confirm {
        account: UserId,
        session: SessionId,
        action: &'a str,
        binding: &'a [u8],
    },
}

impl<'a> Ask<'a> {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Register { .. } => "register",
            Self::SignIn => "sign-in",
            Self::Step { .. } => "second-step",
            Self::Confirm { .. } => "confirm",
        }
    }

    const fn account(self) -> Option<UserId> {
        match self {
            Self::Register { account, .. } | Self::Step { account, .. } | Self::Confirm { account, .. } => {
                Some(account)
            }
            Self::SignIn => None,
        }
    }

    const fn session(self) -> Option<SessionId> {
        match self {
            Self::Register { session, .. } | Self::Confirm { session, .. } => Some(session),
            Self::SignIn | Self::Step { .. } => None,
        }
    }

    const fn step(self) -> Option<Uuid> {
        match self {
            Self::Step { step, .. } => Some(step),
            _ => None,
        }
    }

    const fn bound(self) -> Option<(&'a str, &'a [u8])> {
        match self {
            Self::Confirm { action, binding, .. } => Some((action, binding)),
            _ => None,
        }
    }
}

fn site(context: &Context) -> Site {
    Site::of(context.world, &context.public_url)
}

fn digest(keys: &Keys, challenge: &[u8]) -> [u8; 32] {
    secrets::mac(keys, "passkey-challenge", &[challenge])
}

/// A challenge for this, as the page hands it to an authenticator.
async fn challenge(context: &Context, tx: &mut Tx, ask: Ask<'_>) -> Result<String, Error> {
    let (fresh, now): ([u8; 32], _) = (rand::random(), tx.now());
    store::ask(tx.conn(), &digest(&context.keys, &fresh), ask, now, now + LIFE).await?;
    Ok(data_encoding::BASE64URL_NOPAD.encode(&fresh))
}

/// Uses up the challenge that was answered, if it was made for this.
async fn answered(
    context: &Context,
    tx: &mut Tx,
    ask: Ask<'_>,
    client: &[u8],
) -> Result<store::Answered, Error> {
    let (challenge, now) = (ceremony::challenge(client).map_err(faulty)?, tx.now());
    store::answer(tx.conn(), &digest(&context.keys, &challenge), ask, now)
        .await?
        .ok_or_else(refused)
}

/// What a passkey is asked for: of an account that has some, or of nobody in particular.
///
/// # Errors
/// `passkey.refused` for an account none of whose passkeys opens this: an empty list asks for any.
pub async fn request(context: &Context, tx: &mut Tx, ask: Ask<'_>) -> Result<PasskeyRequest, Error> {
    let mut held = match ask.account() {
        Some(account) => store::of(tx.conn(), account).await?,
        None => Vec::new(),
    };
    held.retain(|one| one.opens(ask.step().is_some()));
    if held.is_empty() && ask.account().is_some() {
        return Err(refused());
    }
    let challenge = challenge(context, tx, ask).await?;
    Ok(PasskeyRequest::new(challenge, site(context).id, held))
}

/// Whose passkey is shown.
///
/// # Errors
/// Whatever the database refuses.
pub async fn owner(db: &Db, shown: &Shown) -> Result<Option<UserId>, Error> {
    store::owner(db.pool(), &shown.id).await
}

/// What came of a passkey that was shown.
#[must_use = "a copied passkey is told of in the same change: commit it and refuse"]
#[derive(Debug)]
pub enum Outcome {
    /// It is the account's, and answered this challenge.
    Right(Uuid),
    /// Its count went back: it opens nothing from now on. These sessions ended, which passkeys had opened; they are told after the commit.
    Copied(Vec<SessionId>),
}

/// Judges what a passkey of a locked account showed; the challenge is used up in the transaction of what it authorises.
///
/// # Errors
/// `passkey.refused`.
pub async fn judge(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    ask: Ask<'_>,
    shown: &Shown,
) -> Result<Outcome, Error> {
    let now = tx.now();
    let asked = answered(context, tx, ask, &shown.client).await?;
    let held = store::held(tx.conn(), account.id, &shown.id)
        .await?
        .filter(|held| aside::is_taken(held.aside_at, held.returns_at, ask.step().is_some()))
        .ok_or_else(refused)?;
    // Where nobody has said whose account it is, the authenticator does.
    let named = shown
        .handle
        .as_ref()
        .map(|handle| secrets::same(handle, &held.handle));
    if !named.unwrap_or(ask.account().is_some()) {
        return Err(refused());
    }
    let signed = ceremony::signed(
        &site(context),
        &shown.client,
        &shown.authenticator,
        &shown.signature,
        &held.public_key,
    )
    .map_err(faulty)?;
    if signed.eligible != held.backup_eligible {
        return Err(refused());
    }
    // Two answers may overtake each other: what was asked for before another one came is held against the count of then. No count is shown twice.
    let (stood, again) = store::counted_since(tx.conn(), held.id, asked.created_at, signed.count).await?;
    let stood = u32::try_from(stood.unwrap_or(held.sign_count)).unwrap_or(u32::MAX);
    if ceremony::is_behind(stood, signed.count) || (again && signed.count != 0) {
        return Ok(Outcome::Copied(doubt(context, tx, account, held.id).await?));
    }
    store::note_answer(tx.conn(), asked.id, held.id, held.sign_count, signed.count).await?;
    store::note_use(tx.conn(), held.id, signed.count, signed.backed_up, now).await?;
    if held.aside_at.is_some() {
        aside::returned(context, tx, account, held.id).await?;
    }
    Ok(Outcome::Right(asked.id))
}

/// Somebody may have a copy: the passkey opens nothing any more, what it may have opened ends (by which passkey a session began is not kept:
/// all that began with one), outgoing money waits, the owner hears.
async fn doubt(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    passkey: PasskeyId,
) -> Result<Vec<SessionId>, Error> {
    let now = tx.now();
    store::doubt(tx.conn(), passkey, now).await?;
    end_challenges(tx, account.id).await?;
    let ended = sessions::end_begun(tx, account.id, METHOD, "passkey_copied").await?;
    let details = json!({ "passkey": passkey, "sessions": ended.len() });
    audit::record(
        tx,
        None,
        Some(account.id.0),
        Category::Auth,
        "auth.passkey_doubted",
        details,
    )
    .await?;
    service::hold(tx, account.id, "passkey_copied", service::HOLD).await?;
    safety_changed(context, tx, account, "passkey_copied", false).await?;
    Ok(ended)
}

/// One's own passkeys, the oldest first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(db: &Db, user: UserId) -> Result<Vec<PasskeyView>, Error> {
    let held = store::of(db.pool(), user).await?;
    Ok(held.into_iter().map(PasskeyView::from).collect())
}

/// What another passkey, or one less, asks for.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyChange {
    pub password: String,
    /// The authenticator app's where it is on, else the mailed code (`change-factor`); or a passkey's proof for that purpose. To take one off also a
    /// recovery code.
    pub code: String,
}

async fn allowed(
    context: &Context,
    account: &Account,
    session: SessionId,
    body: &PasskeyChange,
    recovery: bool,
) -> Result<codes::Proof, Error> {
    require_password(context, account, session, &body.password).await?;
    let accepts = Accepts {
        recovery,
        ..Accepts::strongest(account.totp_secret.is_some())
    };
    codes::check(context, account, Purpose::ChangeFactor, b"", &body.code, accepts).await
}

/// Begins another passkey, with the password and a current factor.
///
/// # Errors
/// `password.wrong`, `code.*`; `passkey.full`.
pub async fn begin(
    context: &Context,
    user: UserId,
    session: SessionId,
    body: &PasskeyChange,
) -> Result<PasskeyCreation, Error> {
    let account = service::account(&context.db, user).await?;
    let proof = allowed(context, &account, session, body, false).await?;
    let brand = context
        .settings
        .current(context.now())
        .await?
        .settings
        .brand
        .clone();
    let mut tx = context.db.begin().await?;
    lock_with_password(&mut tx, &account).await?;
    let (held, now) = (store::of(tx.conn(), user).await?, tx.now());
    if held.len() >= MOST {
        return Err(Error::code(ErrorCode::PasskeysFull));
    }
    proof.consume(&mut tx).await?;
    let handle = store::handle(tx.conn(), user, &rand::random::<[u8; 32]>(), now).await?;
    let ask = Ask::Register {
        account: user,
        session,
    };
    let challenge = challenge(context, &mut tx, ask).await?;
    tx.commit().await?;
    let rp = PasskeySite {
        id: site(context).id,
        name: brand,
    };
    let owner = PasskeyOwner {
        id: data_encoding::BASE64URL_NOPAD.encode(&handle),
        name: account.email,
        display_name: account.full_name,
    };
    Ok(PasskeyCreation::new(challenge, rp, owner, held))
}

/// A name as it is kept.
fn named(given: &str) -> Result<String, Error> {
    let wrong = |code| Error::code(code).field("name", code);
    let name = text::line(given).ok_or_else(|| wrong(ErrorCode::FieldCharacters))?;
    if name.is_empty() {
        return Err(wrong(ErrorCode::FieldRequired));
    }
    text::at_most(name, "name", NAME)
}

/// A passkey that its authenticator made, under a name.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPasskey {
    pub name: String,
    pub credential: PasskeyMade,
}

/// What was added; the first factor to come on brings recovery codes.
#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyAdded {
    pub passkey: PasskeyView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_codes: Option<Vec<String>>,
}

/// Keeps a passkey that answered the session's challenge.
///
/// # Errors
/// `passkey.refused`, `passkey.full`; what the name is refused for.
pub async fn add(
    context: &Context,
    signals: &Signals,
    user: UserId,
    session: SessionId,
    body: &NewPasskey,
) -> Result<PasskeyAdded, Error> {
    let name = named(&body.name)?;
    let (id, client) = (bytes(&body.credential.id)?, bytes(&body.credential.client_data)?);
    let attestation = bytes(&body.credential.attestation_object)?;
    let mut transports = body.credential.transports.clone();
    transports.retain(|one| TRANSPORTS.contains(&one.as_str()));
    transports.sort_unstable();
    transports.dedup();
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let account = accounts::locked(tx.conn(), user).await?.ok_or_else(refused)?;
    let ask = Ask::Register {
        account: user,
        session,
    };
    answered(context, &mut tx, ask, &client).await?;
    let made = ceremony::made(&site(context), &client, &attestation, &id).map_err(faulty)?;
    if store::of(tx.conn(), user).await?.len() >= MOST {
        return Err(Error::code(ErrorCode::PasskeysFull));
    }
    let new = store::New {
        id: PasskeyId::fresh(),
        account: user,
        credential: &made.credential,
        public_key: &made.public_key,
        count: made.count,
        transports: &transports,
        eligible: made.eligible,
        backed_up: made.backed_up,
        name: &name,
    };
    if !store::insert(tx.conn(), &new, now).await? {
        return Err(refused());
    }
    let needs_codes = !account.has_factor() || accounts::unused_recovery_codes(tx.conn(), user).await? == 0;
    let recovery_codes = if needs_codes {
        Some(codes::new_recovery_codes(&context.keys, &mut tx, user).await?)
    } else {
        None
    };
    let passkey = PasskeyView {
        id: new.id,
        name: name.clone(),
        synced: made.backed_up,
        doubted: false,
        aside: false,
        created_at: now,
        last_used_at: None,
    };
    let ended = changed(context, &mut tx, &account, session, new.id, true).await?;
    tx.commit().await?;
    signals.ended(&ended).await;
    Ok(PasskeyAdded {
        passkey,
        recovery_codes,
    })
}

/// What every change of one's passkeys does; the sessions that ended with it.
async fn changed(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    session: SessionId,
    passkey: PasskeyId,
    added: bool,
) -> Result<Vec<SessionId>, Error> {
    record(tx, account.id, &json!({ "passkey": passkey, "on": added })).await?;
    end_challenges(tx, account.id).await?;
    let ended = sessions::end_all(tx, account.id, Some(session), "factor").await?;
    service::hold(tx, account.id, "passkey", service::HOLD).await?;
    let what = if added { "passkey_added" } else { "passkey_removed" };
    safety_changed(context, tx, account, what, false).await?;
    Ok(ended)
}

async fn record(tx: &mut Tx, user: UserId, details: &serde_json::Value) -> Result<(), Error> {
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.passkey",
        details.clone(),
    )
    .await
}

/// Another name of one of one's passkeys.
///
/// # Errors
/// `request.not_found` for none of one's own; what the name is refused for.
pub async fn rename(context: &Context, user: UserId, id: PasskeyId, name: &str) -> Result<(), Error> {
    let name = named(name)?;
    let mut tx = context.db.begin().await?;
    if !store::rename(tx.conn(), user, id, &name).await? {
        return Err(Error::code(ErrorCode::RequestNotFound));
    }
    let details = json!({ "passkey": id });
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.passkey_renamed",
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

/// Takes one of one's passkeys off. Recovery codes go with the last factor.
///
/// # Errors
/// `request.not_found` for none of one's own; `password.wrong`, `code.*`.
pub async fn remove(
    context: &Context,
    signals: &Signals,
    user: UserId,
    session: SessionId,
    id: PasskeyId,
    body: &PasskeyChange,
) -> Result<(), Error> {
    let account = service::account(&context.db, user).await?;
    if !store::of(context.db.pool(), user)
        .await?
        .iter()
        .any(|one| one.id == id)
    {
        return Err(Error::code(ErrorCode::RequestNotFound));
    }
    let proof = allowed(context, &account, session, body, true).await?;
    let mut tx = context.db.begin().await?;
    lock_with_password(&mut tx, &account).await?;
    proof.consume(&mut tx).await?;
    if !store::remove(tx.conn(), user, id).await? {
        return Err(Error::code(ErrorCode::RequestNotFound));
    }
    forget_codes_without_factor(&mut tx, user).await?;
    let ended = changed(context, &mut tx, &account, session, id, false).await?;
    tx.commit().await?;
    signals.ended(&ended).await;
    Ok(())
}

/// Recovery codes stand beside a factor, or open nothing.
async fn forget_codes_without_factor(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    if service::account_within(tx, user).await?.has_factor() {
        return Ok(());
    }
    accounts::replace_recovery_codes(tx.conn(), user, &[]).await
}

/// All of an account's passkeys go, with a change that says why.
pub(super) async fn forget(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    store::remove_all(tx.conn(), user).await?;
    end_open(tx, user).await?;
    store::drop_handle(tx.conn(), user).await
}

/// Challenges that wait end: what opened them no longer holds.
pub(super) async fn end_open(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let now = tx.now();
    store::end_open(tx.conn(), user, now).await
}

/// Forgets challenges that are over.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::CHALLENGES).await
}

#[cfg(test)]
#[path = "../../../tests/kit/authenticator.rs"]
mod authenticator;
