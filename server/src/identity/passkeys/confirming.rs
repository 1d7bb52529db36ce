//! Passkeys in the place of codes: what is confirmed is bound to the challenge, and what was shown becomes a proof that stands where a code
//! does, once, in the same session, for that one action.

use super::{
    Ask, Outcome, accounts,
    forms::{PasskeyRequest, PasskeyShown, refused},
    judge, request, secrets, store,
};
use crate::{
    error::Error,
    foundation::{
        context::{Context, Keys},
        transaction::{Db, Tx},
    },
    identity::{codes::Purpose, signals::Signals},
};
use protocol::ids::{SessionId, UserId};
use uuid::Uuid;

/// By what a proof is told from every code: none is so long.
const MARK: &str = "PK";
/// 256 bits in base 32, which survives what is done to codes that people type.
const LENGTH: usize = MARK.len() + 52;

/// Asks for a passkey's word on one action; `binding` is the action's hash.
///
/// # Errors
/// `passkey.refused` for who has none that opens something.
pub async fn confirm(
    context: &Context,
    user: UserId,
    session: SessionId,
    purpose: Purpose,
    binding: &[u8],
) -> Result<PasskeyRequest, Error> {
    let ask = Ask::Confirm {
        account: user,
        session,
        action: purpose.as_str(),
        binding,
    };
    let mut tx = context.db.begin().await?;
    let request = request(context, &mut tx, ask).await?;
    tx.commit().await?;
    Ok(request)
}

fn mac(keys: &Keys, proof: &str) -> [u8; 32] {
    secrets::mac(keys, "passkey-proof", &[proof.as_bytes()])
}

/// What stands in a code's place, for the action that the answered challenge was made for.
///
/// # Errors
/// `passkey.refused`.
pub async fn prove(
    context: &Context,
    signals: &Signals,
    user: UserId,
    session: SessionId,
    shown: &PasskeyShown,
) -> Result<String, Error> {
    let shown = shown.read()?;
    // For which action, the challenge itself knows.
    let ask = Ask::Confirm {
        account: user,
        session,
        action: "",
        binding: b"",
    };
    let mut tx = context.db.begin().await?;
    let account = accounts::locked(tx.conn(), user).await?.ok_or_else(refused)?;
    let challenge = match judge(context, &mut tx, &account, ask, &shown).await? {
        Outcome::Right(challenge) => challenge,
        Outcome::Copied(ended) => {
            tx.commit().await?;
            signals.ended(&ended).await;
            return Err(refused());
        }
    };
    let secret = data_encoding::BASE32_NOPAD.encode(&rand::random::<[u8; 32]>());
    let proof = format!("{MARK}{secret}");
    store::keep_proof(tx.conn(), challenge, &mac(&context.keys, &proof)).await?;
    tx.commit().await?;
    Ok(proof)
}

/// Whether what stands in a code's place is a proof.
#[must_use]
pub fn is_proof(code: &str) -> bool {
    code.len() == LENGTH && code.starts_with(MARK)
}

/// The answered challenge that a proof stands for, if it was made for this, and whether the proof was spent.
///
/// # Errors
/// Whatever the database refuses.
pub async fn proved(
    context: &Context,
    db: &Db,
    ask: Option<Ask<'_>>,
    proof: &str,
) -> Result<Option<(Uuid, bool)>, Error> {
    match ask {
        Some(ask) => store::proved(db.pool(), &mac(&context.keys, proof), ask, context.now()).await,
        None => Ok(None),
    }
}

/// Uses a proof up, in the transaction of what it authorises; `false` when it was used meanwhile.
///
/// # Errors
/// Whatever the database refuses.
pub async fn spend(tx: &mut Tx, challenge: Uuid) -> Result<bool, Error> {
    let now = tx.now();
    store::spend(tx.conn(), challenge, now).await
}
