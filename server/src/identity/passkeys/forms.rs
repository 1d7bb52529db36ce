//! What pages and authenticators say to each other, in the shapes of `PublicKeyCredentialCreationOptionsJSON` and its kin; bytes in base64url.

use super::{ceremony, key::ALGORITHMS, store};
use crate::error::Error;
use data_encoding::BASE64URL_NOPAD;
use protocol::{ErrorCode, ids::PasskeyId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Most bytes of what an authenticator sends: an attestation with its certificates is the longest.
const MOST: usize = 16 * 1024;

/// How an authenticator can be reached, as browsers say it.
pub const TRANSPORTS: [&str; 7] = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

/// How long a page may ask an authenticator, in milliseconds: as long as its challenge is good.
const TIMEOUT: u32 = 300_000;

/// A passkey of one's own.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyView {
    #[serde(rename = "_id")]
    pub id: PasskeyId,
    pub name: String,
    /// Its owner's other devices have it too.
    pub synced: bool,
    /// It showed a count that was used before: it opens nothing, and should be taken off.
    pub doubted: bool,
    /// It lies aside since the account was frozen, or got another e-mail from staff: it opens nothing until another password was set and it was the
    /// second step after it.
    pub aside: bool,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_used_at: Option<OffsetDateTime>,
}

/// For whom a passkey is made: the site.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PasskeySite {
    pub id: String,
    pub name: String,
}

/// For whom a passkey is made: the account, under a name that is random.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyOwner {
    pub id: String,
    pub name: String,
    pub display_name: String,
}

/// An algorithm that the key may be of.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PasskeyAlgorithm {
    /// `public-key`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its number in COSE's registry.
    pub alg: i64,
}

/// A passkey that there is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PasskeyName {
    /// `public-key`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub id: String,
    pub transports: Vec<String>,
}

/// What the authenticator must be able to do.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyNeeds {
    /// `required`: it signs in by itself.
    pub resident_key: &'static str,
    pub require_resident_key: bool,
    /// `required`: it asks for a finger, a face or a number.
    pub user_verification: &'static str,
}

/// What a page hands to `navigator.credentials.create`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyCreation {
    pub challenge: String,
    pub rp: PasskeySite,
    pub user: PasskeyOwner,
    pub pub_key_cred_params: Vec<PasskeyAlgorithm>,
    pub timeout: u32,
    /// Those that the account has: one authenticator holds no two.
    pub exclude_credentials: Vec<PasskeyName>,
    pub authenticator_selection: PasskeyNeeds,
    /// `none`.
    pub attestation: &'static str,
}

/// What a page hands to `navigator.credentials.get`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyRequest {
    pub challenge: String,
    pub rp_id: String,
    pub timeout: u32,
    /// Those of the account; none where nobody has said whose it is.
    pub allow_credentials: Vec<PasskeyName>,
    /// `required`.
    pub user_verification: &'static str,
}

/// What `navigator.credentials.create` gave.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasskeyMade {
    pub id: String,
    #[serde(rename = "clientDataJSON")]
    pub client_data: String,
    pub attestation_object: String,
    #[serde(default)]
    pub transports: Vec<String>,
}

/// What `navigator.credentials.get` gave.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasskeyShown {
    pub id: String,
    #[serde(rename = "clientDataJSON")]
    pub client_data: String,
    pub authenticator_data: String,
    pub signature: String,
    #[serde(default)]
    pub user_handle: Option<String>,
}

/// What a passkey showed, as bytes.
pub struct Shown {
    pub id: Vec<u8>,
    pub client: Vec<u8>,
    pub authenticator: Vec<u8>,
    pub signature: Vec<u8>,
    pub handle: Option<Vec<u8>>,
}

/// The refusal of what an authenticator, or a page, sent: one for everything, so that nothing is learnt of whose passkeys there are.
#[track_caller]
#[must_use]
pub fn refused() -> Error {
    Error::code(ErrorCode::PasskeyRefused)
}

/// Says in the log why; who asked learns only that it was refused.
#[track_caller]
pub fn faulty(fault: ceremony::Fault) -> Error {
    tracing::info!(?fault, "an answer of an authenticator was refused");
    refused()
}

pub fn bytes(text: &str) -> Result<Vec<u8>, Error> {
    if text.len() > MOST {
        return Err(refused());
    }
    BASE64URL_NOPAD
        .decode(text.trim_end_matches('=').as_bytes())
        .map_err(|_| refused())
}

impl PasskeyShown {
    /// # Errors
    /// `passkey.refused` for what is no base64url, or too long.
    pub fn read(&self) -> Result<Shown, Error> {
        Ok(Shown {
            id: bytes(&self.id)?,
            client: bytes(&self.client_data)?,
            authenticator: bytes(&self.authenticator_data)?,
            signature: bytes(&self.signature)?,
            handle: self.user_handle.as_deref().map(bytes).transpose()?,
        })
    }
}

impl From<store::Stored> for PasskeyView {
    fn from(stored: store::Stored) -> Self {
        Self {
            id: stored.id,
            name: stored.name,
            synced: stored.backed_up,
            doubted: stored.doubted_at.is_some(),
            aside: stored.aside_at.is_some(),
            created_at: stored.created_at,
            last_used_at: stored.last_used_at,
        }
    }
}

impl PasskeyName {
    pub fn of(stored: store::Stored) -> Self {
        Self {
            kind: "public-key",
            id: BASE64URL_NOPAD.encode(&stored.credential),
            transports: stored.transports,
        }
    }
}

impl PasskeyCreation {
    pub fn new(challenge: String, rp: PasskeySite, user: PasskeyOwner, held: Vec<store::Stored>) -> Self {
        Self {
            challenge,
            rp,
            user,
            pub_key_cred_params: ALGORITHMS
                .map(|alg| PasskeyAlgorithm {
                    kind: "public-key",
                    alg,
                })
                .into(),
            timeout: TIMEOUT,
            exclude_credentials: held.into_iter().map(PasskeyName::of).collect(),
            authenticator_selection: PasskeyNeeds {
                resident_key: "required",
                require_resident_key: true,
                user_verification: "required",
            },
            attestation: "none",
        }
    }
}

impl PasskeyRequest {
    pub fn new(challenge: String, rp_id: String, held: Vec<store::Stored>) -> Self {
        Self {
            challenge,
            rp_id,
            timeout: TIMEOUT,
            allow_credentials: held.into_iter().map(PasskeyName::of).collect(),
            user_verification: "required",
        }
    }
}
