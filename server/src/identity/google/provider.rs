//! The OpenID provider: the way to its page, and what it says of somebody who came back from there.
//!
//! Its addresses and keys come from its own document, below the one address that is configured, and are kept for an hour; a token under a
//! key that is not among them is worth another look, once a minute. Tokens are signed with its private key (RS256, ES256), never with our
//! secret, and are for this program alone.

use crate::{
    error::Error,
    foundation::{
        context::{Context, World},
        outbound,
    },
    identity::rules,
};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, jwk::JwkSet};
use protocol::ErrorCode;
use reqwest::{
    Method, Request,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use serde::{Deserialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;
use url::{Url, form_urlencoded};

/// How long its document is believed.
const KEPT: Duration = Duration::HOUR;
/// How soon it is asked again for a key that it does not have.
const AGAIN: Duration = Duration::MINUTE;

/// Where our own page is called back.
pub const CALLBACK: &str = "/api/oauth/google/callback";

/// A configured provider. One per process, in [`Context::parts`].
pub struct Provider {
    client_id: String,
    client_secret: String,
    issuer: String,
    known: Mutex<Option<(OffsetDateTime, Known)>>,
}

/// Why nothing that came back counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The person said no, or what was said is not what it has to be.
    Refused,
    /// The e-mail is not confirmed there, or is none.
    Unverified,
    /// The provider does not answer.
    Unavailable,
}

impl Refusal {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Unverified => "unverified",
            Self::Unavailable => "unavailable",
        }
    }

    /// The error of a kept one.
    #[must_use]
    pub fn error(word: &str) -> Error {
        Error::code(match word {
            "unverified" => ErrorCode::GoogleUnverified,
            "unavailable" => ErrorCode::Unavailable,
            _ => ErrorCode::GoogleRefused,
        })
    }
}

/// Somebody as the provider knows them.
#[derive(Clone)]
pub struct Person {
    pub issuer: String,
    pub subject: String,
    /// Confirmed there, in our form.
    pub email: String,
    pub full_name: Option<String>,
}

/// What a visit's own secrets make of the way there and back.
pub struct Proofs {
    pub state: String,
    pub nonce: String,
    pub verifier: String,
}

/// Its document, as far as it matters here (OpenID Connect Discovery).
#[derive(Clone, Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
}

/// The document with the keys that it names.
#[derive(Clone)]
struct Known {
    document: Document,
    keys: JwkSet,
}

/// The answer to a code.
#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

/// What a token says. Its issuer, audience and signature are looked at before.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: i64,
    nonce: Option<String>,
    email: Option<String>,
    email_verified: Option<bool>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Audience {
    /// For this client, and for nobody beside it.
    fn is_only(&self, client: &str) -> bool {
        match self {
            Self::One(one) => one == client,
            Self::Many(all) => all.len() == 1 && all.iter().all(|one| one == client),
        }
    }
}

/// Why a token did not count.
enum Flaw {
    /// None of the keys that are known made it.
    Key,
    Refused,
}

/// Asks for something in JSON. What is answered instead of it is a refusal below 500.
async fn ask<T: DeserializeOwned>(context: &Context, request: Request) -> Result<T, Refusal> {
    let loopback = context.world == World::Demo;
    let answered = outbound::ask(request, loopback)
        .await
        .map_err(|_| Refusal::Unavailable)?;
    match answered.status.as_u16() {
        200 => serde_json::from_slice(&answered.body).map_err(|error| {
            // Not its text: a token may stand in it.
            tracing::warn!(line = error.line(), "the OpenID provider's answer cannot be read");
            Refusal::Unavailable
        }),
        status @ 400..500 => {
            tracing::warn!(status, "the OpenID provider refused");
            Err(Refusal::Refused)
        }
        status => {
            tracing::warn!(status, "the OpenID provider did not answer");
            Err(Refusal::Unavailable)
        }
    }
}

impl Provider {
    #[must_use]
    pub fn new(client_id: &str, client_secret: &str, issuer: &str) -> Self {
        Self {
            client_id: client_id.to_owned(),
            client_secret: client_secret.to_owned(),
            issuer: issuer.to_owned(),
            known: Mutex::new(None),
        }
    }

    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Its document and keys, not older than so long.
    async fn known(&self, context: &Context, oldest: Duration) -> Result<Known, Refusal> {
        let now = context.now();
        let mut kept = self.known.lock().await;
        if let Some((_, known)) = kept.as_ref().filter(|(at, _)| now - *at < oldest) {
            return Ok(known.clone());
        }
        let at = format!(
            "{}/.well-known/openid-configuration",
            self.issuer.trim_end_matches('/')
        );
        let at = Url::parse(&at).map_err(|_| Refusal::Unavailable)?;
        let unavailable = |_| Refusal::Unavailable;
        let document: Document = ask(context, Request::new(Method::GET, at))
            .await
            .map_err(unavailable)?;
        if document.issuer != self.issuer {
            tracing::warn!("the OpenID provider calls itself otherwise than it is configured");
            return Err(Refusal::Unavailable);
        }
        let keys: JwkSet = ask(context, Request::new(Method::GET, document.jwks_uri.clone()))
            .await
            .map_err(unavailable)?;
        let known = Known { document, keys };
        *kept = Some((now, known.clone()));
        Ok(known)
    }

    fn redirect(context: &Context) -> String {
        format!("{}{CALLBACK}", context.public_url)
    }

    /// The address of its page for this visit.
    ///
    /// # Errors
    /// `service.unavailable`.
    pub async fn page(&self, context: &Context, proofs: &Proofs) -> Result<String, Error> {
        let known = self.known(context, KEPT).await;
        let known = known.map_err(|_| Error::code(ErrorCode::Unavailable))?;
        let challenge = data_encoding::BASE64URL_NOPAD.encode(&Sha256::digest(proofs.verifier.as_bytes()));
        let mut page = known.document.authorization_endpoint;
        page.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", Self::redirect(context).as_str()),
            ("scope", "openid email profile"),
            ("state", proofs.state.as_str()),
            ("nonce", proofs.nonce.as_str()),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
            // Whose account it is to be is chosen each time: a browser may be shared.
            ("prompt", "select_account"),
        ]);
        Ok(page.into())
    }

    /// The client's own proof (RFC 6749, 2.3.1).
    fn basic(&self) -> Option<HeaderValue> {
        let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.client_id), encoded(&self.client_secret));
        let value = format!("Basic {}", data_encoding::BASE64.encode(pair.as_bytes()));
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Exchanges what came back for a word on who it is.
    pub async fn ask(&self, context: &Context, code: &str, proofs: &Proofs) -> Result<Person, Refusal> {
        let known = self.known(context, KEPT).await?;
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("grant_type", "authorization_code"),
                ("code", code),
                ("redirect_uri", Self::redirect(context).as_str()),
                ("code_verifier", proofs.verifier.as_str()),
            ])
            .finish();
        let mut request = Request::new(Method::POST, known.document.token_endpoint.clone());
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.basic().ok_or(Refusal::Unavailable)?);
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-www-form-urlencoded"),
        );
        *request.body_mut() = Some(form.into());
        let Tokens { id_token } = ask(context, request).await?;
        let read = match self.read(&known, &id_token) {
            Err(Flaw::Key) => self.read(&self.known(context, AGAIN).await?, &id_token),
            read => read,
        };
        match read {
            Ok(claims) => self.person(claims, &proofs.nonce, context.now()),
            Err(Flaw::Key | Flaw::Refused) => {
                tracing::warn!("an OpenID token was refused");
                Err(Refusal::Refused)
            }
        }
    }

    /// A token's claims, if one of the keys signed it for us.
    fn read(&self, known: &Known, token: &str) -> Result<Claims, Flaw> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| Flaw::Refused)?;
        if !matches!(header.alg, Algorithm::RS256 | Algorithm::ES256) {
            return Err(Flaw::Refused);
        }
        let key = match &header.kid {
            Some(kid) => known.keys.find(kid),
            None => known.keys.keys.first().filter(|_| known.keys.keys.len() == 1),
        };
        let key = DecodingKey::from_jwk(key.ok_or(Flaw::Key)?).map_err(|_| Flaw::Refused)?;
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.client_id]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_exp = false; // by our own clock, below
        jsonwebtoken::decode::<Claims>(token, &key, &validation)
            .map(|data| data.claims)
            .map_err(|_| Flaw::Refused)
    }

    /// What counts of a token that was read: of this visit, of now, for us alone, with an e-mail that is confirmed and that we can keep.
    fn person(&self, claims: Claims, nonce: &str, now: OffsetDateTime) -> Result<Person, Refusal> {
        let said = claims.nonce.as_deref().unwrap_or_default();
        let own: bool = said.as_bytes().ct_eq(nonce.as_bytes()).into();
        let for_us = claims.aud.is_only(&self.client_id)
            && claims.azp.as_deref().is_none_or(|azp| azp == self.client_id);
        let named = (1..=255).contains(&claims.sub.len());
        if !own || !for_us || !named || claims.exp <= now.unix_timestamp() {
            tracing::warn!("an OpenID token was refused");
            return Err(Refusal::Refused);
        }
        let email = claims
            .email
            .filter(|_| claims.email_verified == Some(true))
            .and_then(|email| rules::email(&email))
            .ok_or(Refusal::Unverified)?;
        Ok(Person {
            issuer: claims.iss,
            subject: claims.sub,
            email,
            full_name: claims.name,
        })
    }
}
