//! First answers to money calls (docs/rules/foundation.md#idempotency): the same key and body get the first answer again, another body gets 409.
//!
//! Scope: (user, route, key). The answer is written in the movement's own transaction; only committed results and final
//! business refusals are kept. Two calls of one key at once: an advisory lock makes the second wait for the first's end.

mod store;

use super::{http::Headers, transaction::Tx};
use crate::error::Error;
use actix_web::{HttpResponse, http::StatusCode};
use protocol::{ErrorCode, ids::UserId};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The key of a money call, read from its header.
#[derive(Clone, Debug)]
pub struct Key {
    user: UserId,
    route: String,
    key: String,
    body_hash: Vec<u8>,
}

/// What was answered the first time.
#[derive(Clone, Debug)]
pub struct Stored {
    pub status: u16,
    pub body: serde_json::Value,
}

impl Stored {
    /// The first answer, to the letter.
    #[must_use]
    pub fn respond(self) -> HttpResponse {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        HttpResponse::build(status)
            .insert_header(("Idempotent-Replay", "true"))
            .json(self.body)
    }
}

impl Key {
    /// `route` is the template (`POST /deposit-pix`); `fields` are the money fields and the path's parameters.
    ///
    /// # Errors
    /// `idempotency.missing` without a key of 16–64 printable characters.
    pub fn from(
        headers: &Headers,
        user: UserId,
        route: &str,
        fields: &impl Serialize,
    ) -> Result<Self, Error> {
        let key = headers
            .idempotency_key
            .clone()
            .ok_or_else(|| Error::code(ErrorCode::IdempotencyMissing))?;
        if !(16..=64).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Error::code(ErrorCode::IdempotencyMissing));
        }
        let body_hash = Sha256::digest(serde_json::to_vec(fields)?).to_vec();
        Ok(Self {
            user,
            route: route.to_owned(),
            key,
            body_hash,
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
    pub async fn first_answer(&self, tx: &mut Tx) -> Result<Option<Stored>, Error> {
        store::lock(tx.conn(), self).await?;
        let Some((hash, status, body)) = store::find(tx.conn(), self).await? else {
            return Ok(None);
        };
        if hash != self.body_hash {
            return Err(Error::code(ErrorCode::IdempotencyMismatch));
        }
        Ok(Some(Stored { status, body }))
    }

    /// Keeps an answer with the change that it reports.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn keep(&self, tx: &mut Tx, status: StatusCode, body: &impl Serialize) -> Result<(), Error> {
        let now = tx.now();
        store::keep(tx.conn(), self, status.as_u16(), serde_json::to_value(body)?, now).await
    }
}
