//! What people were shown and said yes to: the version, the language that they read it in, and what they said it for.
//!
//! 2026-11-27: what a stranger accepted for an address that was not theirs stays written, as everything does, and is nobody's: an account
//! says from when on its acceptances are its owner's (`google`). Table: `identity.acceptance`.

mod store;

use super::{registration::TERMS_VERSION, service};
use crate::{
    error::Error,
    foundation::{
        locale::Locale,
        transaction::{Db, Tx},
    },
};
use protocol::{ErrorCode, ids::UserId};
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

/// The version of the risk notice on the screens; it changes together with the terms.
pub const RISK_VERSION: &str = TERMS_VERSION;

/// What may be said yes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    Terms,
    Risk,
    /// 18 or older.
    Age,
}

impl Accepted {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Risk => "risk",
            Self::Age => "age",
        }
    }

    const fn version(self) -> &'static str {
        match self {
            Self::Terms | Self::Age => TERMS_VERSION,
            Self::Risk => RISK_VERSION,
        }
    }
}

/// A text that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AcceptedText {
    Terms,
    Risk,
}

impl AcceptedText {
    fn read(word: &str) -> Result<Self, Error> {
        match word {
            "terms" => Ok(Self::Terms),
            "risk" => Ok(Self::Risk),
            other => Err(Error::internal(format!("nobody accepts {other}"))),
        }
    }
}

/// A version of a text that a person said yes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acceptance {
    pub what: AcceptedText,
    /// As `/config` calls the one in force.
    pub version: String,
    /// In which it was read the first time; none where that was not written down yet.
    pub language: Option<Locale>,
    /// The first time.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub last_at: OffsetDateTime,
    /// How often: the risk notice is read again with each purchase.
    pub times: i64,
}

/// What a person accepted, version by version, the newest first (docs/rules/identity.md#accepted-texts).
///
/// # Errors
/// Whatever the database refuses.
pub async fn of(db: &Db, user: UserId) -> Result<Vec<Acceptance>, Error> {
    store::of(db.pool(), user).await
}

/// Writes down, in the language of the request that is being answered, that somebody accepted these for `about`.
///
/// # Errors
/// Whatever the database refuses.
pub async fn record(tx: &mut Tx, user: UserId, what: &[Accepted], about: Option<Uuid>) -> Result<(), Error> {
    record_in(tx, user, what, about, Locale::current()).await
}

/// As [`record`], in a language that is known.
///
/// # Errors
/// Whatever the database refuses.
pub async fn record_in(
    tx: &mut Tx,
    user: UserId,
    what: &[Accepted],
    about: Option<Uuid>,
    locale: Locale,
) -> Result<(), Error> {
    let names: Vec<String> = what.iter().map(|w| w.as_str().to_owned()).collect();
    let versions: Vec<String> = what.iter().map(|w| w.version().to_owned()).collect();
    let now = tx.now();
    store::insert(tx.conn(), user, &names, &versions, locale.as_str(), about, now).await
}

/// That an account accepted the risk notice in force: at its registration, or by `POST /me/complete` since.
///
/// # Errors
/// `risk.not_recorded`, which names that call, where it did not.
pub async fn require_risk(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let account = service::account_within(tx, user).await?;
    if account.risk_accepted_at.is_some() && account.terms_version.as_deref() == Some(RISK_VERSION) {
        return Ok(());
    }
    Err(Error::code(ErrorCode::RiskNotRecorded).field("riskAccepted", ErrorCode::RiskNotRecorded))
}
