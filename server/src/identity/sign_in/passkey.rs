//! Signing in with a passkey: as the second step after the password, or by itself. It asks who touches it, so that it is two factors alone.

use super::{CHALLENGE_TRIES, SignedIn, accounts, challenge_account, closing, open_session, store};
use crate::{
    error::Error,
    foundation::context::Context,
    identity::{
        browser::Browser,
        passkeys::{
            self, Ask, METHOD, Outcome,
            forms::{PasskeyRequest, PasskeyShown, refused},
        },
        signals::Signals,
    },
};
use protocol::ErrorCode;
use uuid::Uuid;

/// What a passkey is asked for: in the second step of this challenge, or without one of nobody in particular.
///
/// # Errors
/// `auth.failed` for a challenge that is not open, or of an account without passkeys; `passkey.refused` where none of them opens it.
pub async fn options(context: &Context, step: Option<Uuid>) -> Result<PasskeyRequest, Error> {
    let ask = match step {
        None => Ask::SignIn,
        Some(step) => {
            let account = challenge_account(context, step).await?;
            if !account.has_passkey {
                return Err(Error::code(ErrorCode::AuthFailed));
            }
            Ask::Step {
                account: account.id,
                step,
            }
        }
    };
    let mut tx = context.db.begin().await?;
    let request = passkeys::request(context, &mut tx, ask).await?;
    tx.commit().await?;
    Ok(request)
}

/// Opens a session with what a passkey showed. Nothing is said of whose passkeys there are: an unknown one is refused like a wrong one.
///
/// # Errors
/// `passkey.refused`; `auth.failed` for a challenge that is not open; `auth.frozen`, `auth.closed`.
pub async fn enter(
    context: &Context,
    signals: &Signals,
    step: Option<Uuid>,
    shown: &PasskeyShown,
    browser: &Browser,
) -> Result<SignedIn, Error> {
    let shown = shown.read()?;
    let failed = || Error::code(ErrorCode::AuthFailed);
    let (ask, owner) = match step {
        None => {
            let owner = passkeys::owner(&context.db, &shown).await?;
            (Ask::SignIn, owner.ok_or_else(refused)?)
        }
        Some(step) => {
            let account = challenge_account(context, step).await?.id;
            if !store::count_try(context.db.pool(), step, CHALLENGE_TRIES).await? {
                return Err(failed());
            }
            (Ask::Step { account, step }, account)
        }
    };
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let account = accounts::locked(tx.conn(), owner).await?.ok_or_else(refused)?;
    let outcome = passkeys::judge(context, &mut tx, &account, ask, &shown).await?;
    if let Outcome::Copied(ended) = outcome {
        tx.commit().await?;
        signals.ended(&ended).await;
        return Err(refused());
    }
    closing::require_open(&account)?;
    if account.frozen_at.is_some() {
        return Err(Error::code(ErrorCode::AccountFrozen));
    }
    if let Some(step) = step
        && !store::consume(tx.conn(), step, now).await?
    {
        return Err(failed());
    }
    let signed_in = open_session(context, &mut tx, &account, browser, METHOD).await?;
    tx.commit().await?;
    Ok(signed_in)
}
