//! First answers to money calls (docs/rules/foundation.md#idempotency): the same key and body get the first answer again, another body gets 409.
//!
//! Scope: (user, route, key). The answer is written in the movement's own transaction; only committed results and final
//! business refusals are kept. Two calls of one key at once: an advisory lock makes the second wait for the first's end.
//!
//! 2026-11-23: [`run`] is the only way. Its steps stood in 37 handlers and had drifted: four kept refusals, the others did not.

mod store;

use super::{
    http::Headers,
    locale::Locale,
    transaction::{Answer, Db, Tx},
};
use crate::error::Error;
use actix_web::{HttpResponse, http::StatusCode};
use protocol::{ErrorCode, ids::UserId};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The key of a money call, read from its header.
#[derive(Clone, Debug)]
pub struct Key {
    user: UserId,
    /// Method and template (`POST /deposit-pix`).
    route: String,
    key: String,
    body_hash: Vec<u8>,
    locale: Locale,
}

/// For `skip_serializing_if`, of a field that is no part of what a key stands for: a security code differs from try to try. The document tells of
/// it, which it does not of one that is skipped outright.
#[must_use]
pub const fn is_left_out<T>(_: &T) -> bool {
    true
}

/// Does a money call once: the first answer again where there is one, else the work and its answer in one transaction. A refusal
/// that cannot end otherwise answers for its key from then on.
///
/// # Errors
/// `idempotency.mismatch` when the key was used with another body; what the work refuses.
pub async fn run<T: Serialize>(
    db: &Db,
    key: &Key,
    success: StatusCode,
    work: impl AsyncFnOnce(&mut Tx) -> Result<T, Error>,
) -> Result<HttpResponse, Error> {
    let mut tx = db.begin().await?;
    if let Some(first) = key.first_answer(&mut tx).await? {
        return Ok(first.respond());
    }
    match work(&mut tx).await {
        Ok(answer) => {
            key.keep(&mut tx, success, &answer)?;
            tx.commit().await?;
            Ok(HttpResponse::build(success).json(answer))
        }
        Err(error) => {
            tx.rollback().await?;
            Err(refused(db, key, error).await)
        }
    }
}

/// The first answer of this key, if it was used: for work that has to look elsewhere before its transaction.
///
/// # Errors
/// `idempotency.mismatch` when the key was used with another body.
pub async fn answered(db: &Db, key: &Key) -> Result<Option<HttpResponse>, Error> {
    let mut tx = db.begin().await?;
    let first = key.first_answer(&mut tx).await?;
    tx.rollback().await?;
    Ok(first.map(Stored::respond))
}

/// The refusal, kept if it cannot end otherwise.
async fn refused(db: &Db, key: &Key, error: Error) -> Error {
    if is_final(&error)
        && let Err(trouble) = key.keep_refusal(db, &error).await
    {
        // The caller is refused all the same; another try of this key is refused by the same rule.
        tracing::warn!(error = ?trouble, "a refusal could not be kept");
    }
    error
}

/// Whether the same order can only be refused again. What passes by itself with time, or speaks of the key alone, is not final.
fn is_final(error: &Error) -> bool {
    use ErrorCode as E;
    match error.error_code() {
        // Money that comes later is for a new order.
        E::BalanceInsufficient => true,
        E::IdempotencyMismatch
        | E::IdempotencyInFlight
        | E::RequestConflict
        | E::YieldUnreconciled
        | E::SwapPriceMoved
        | E::ManualDeskOff
        | E::ManualOpen
        | E::ManualTooEarly
        | E::ManualWait => false,
        code => code.status() == StatusCode::CONFLICT.as_u16() && !error.is_for_now(),
    }
}

/// What was answered the first time.
struct Stored {
    status: u16,
    body: serde_json::Value,
}

impl Stored {
    /// The first answer, to the letter.
    fn respond(self) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        HttpResponse::build(status)
            .insert_header(("Idempotent-Replay", "true"))
            .json(self.body)
    }
}

impl Key {
    /// `fields` are the money fields and the path's parameters.
    ///
    /// # Errors
    /// `idempotency.missing` without a key of 16–64 printable characters.
    pub fn from(headers: &Headers, user: UserId, fields: &impl Serialize) -> Result<Self, Error> {
        let missing = || Error::code(ErrorCode::IdempotencyMissing);
        let key = headers.idempotency_key.clone().ok_or_else(missing)?;
        if !(16..=64).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(missing());
        }
        let body_hash = Sha256::digest(serde_json::to_vec(fields)?).to_vec();
        Ok(Self {
            user,
            route: headers.route.clone(),
            key,
            body_hash,
            locale: headers.locale,
        })
    }

    /// A text for the ledger: one movement per user, route and key, for ever.
    #[must_use]
    pub fn ledger_key(&self) -> String {
        format!("{}:{}:{}", self.user, self.route, self.key)
    }

    /// Waits for a running call of the same key, then returns its answer if there is one.
    ///
    /// # Errors
    /// `idempotency.mismatch` when the key was used with another body.
    async fn first_answer(&self, tx: &mut Tx) -> Result<Option<Stored>, Error> {
        let Some((hash, status, body)) = store::first_answer(tx.conn(), self).await? else {
            return Ok(None);
        };
        if hash != self.body_hash {
            return Err(Error::code(ErrorCode::IdempotencyMismatch));
        }
        Ok(Some(Stored { status, body }))
    }

    /// Keeps an answer with the change that it reports.
    fn keep(&self, tx: &mut Tx, status: StatusCode, body: &impl Serialize) -> Result<(), Error> {
        tx.answer(Answer {
            user: self.user.0,
            route: self.route.clone(),
            key: self.key.clone(),
            body_hash: self.body_hash.clone(),
            status: status.as_u16(),
            body: serde_json::to_value(body)?,
        });
        Ok(())
    }

    /// A refusal answers for its key from now on, unless another call of the key was answered meanwhile.
    async fn keep_refusal(&self, db: &Db, error: &Error) -> Result<(), Error> {
        let mut tx = db.begin().await?;
        if self.first_answer(&mut tx).await?.is_some() {
            return Ok(());
        }
        let status = StatusCode::from_u16(error.error_code().status()).unwrap_or(StatusCode::CONFLICT);
        self.keep(&mut tx, status, &error.body(self.locale))?;
        tx.commit().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_end_otherwise_is_final() {
        for (code, is) in [
            (ErrorCode::WithdrawalState, true),
            (ErrorCode::DecisionSamePerson, true),
            (ErrorCode::LicenceFinal, true),
            (ErrorCode::RequestConflict, false),
            (ErrorCode::IdempotencyMismatch, false),
            (ErrorCode::ManualWait, false),
            (ErrorCode::CodeWrong, false),
            (ErrorCode::BalanceInsufficient, true),
            (ErrorCode::RateLimited, false),
            (ErrorCode::Internal, false),
        ] {
            assert_eq!(is_final(&Error::code(code)), is, "{code:?}");
        }
        assert!(!is_final(&Error::code(ErrorCode::WalletBusy).retry_after(1)));
    }
}
