//! The token by which a push service knows this house (VAPID, RFC 8292): signed with the installation's own key, for one service, for hours.

use crate::error::Error;
use data_encoding::BASE64URL_NOPAD;
use p256::{
    SecretKey,
    ecdsa::{Signature, SigningKey, signature::Signer},
    elliptic_curve::sec1::ToEncodedPoint,
};
use serde::Serialize;
use time::{Duration, OffsetDateTime};

/// Services take a day at most.
const LIFE: Duration = Duration::hours(12);
const HEADER: &[u8] = br#"{"typ":"JWT","alg":"ES256"}"#;

/// The installation's key, and whom a service may write to about it. Never printed.
pub struct Vapid {
    key: SigningKey,
    public: String,
    subject: String,
}

#[derive(Serialize)]
struct Claims<'a> {
    aud: &'a str,
    exp: i64,
    sub: &'a str,
}

impl Vapid {
    /// None for bytes that are no key of the curve.
    #[must_use]
    pub fn new(key: &[u8; 32], email: &str) -> Option<Self> {
        let key = SecretKey::from_slice(key).ok()?;
        let public = key.public_key().to_encoded_point(false);
        Some(Self {
            public: BASE64URL_NOPAD.encode(public.as_bytes()),
            key: SigningKey::from(&key),
            subject: format!("mailto:{email}"),
        })
    }

    /// What a browser is asked with for a subscription that this house alone can send to.
    #[must_use]
    pub fn public(&self) -> &str {
        &self.public
    }

    /// The header for the service of this origin.
    ///
    /// # Errors
    /// `service.internal` when the claims cannot be written.
    pub fn authorization(&self, origin: &str, now: OffsetDateTime) -> Result<String, Error> {
        let claims = Claims {
            aud: origin,
            exp: (now + LIFE).unix_timestamp(),
            sub: &self.subject,
        };
        let claims = BASE64URL_NOPAD.encode(&serde_json::to_vec(&claims)?);
        let said = format!("{}.{claims}", BASE64URL_NOPAD.encode(HEADER));
        let signature: Signature = self.key.sign(said.as_bytes());
        let signature = BASE64URL_NOPAD.encode(&signature.to_bytes());
        Ok(format!("vapid t={said}.{signature}, k={}", self.public))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use serde_json::{Value, json};
    use time::macros::datetime;

    #[test]
    fn a_token_is_for_one_service_and_signed_with_the_key_that_is_shown() {
        let vapid = Vapid::new(&[7; 32], "privacidade@arbora.example").unwrap();
        let now = datetime!(2026-11-28 12:00 UTC);
        let header = vapid.authorization("https://fcm.googleapis.com", now).unwrap();
        let (token, key) = header
            .strip_prefix("vapid t=")
            .and_then(|rest| rest.split_once(", k="))
            .unwrap();
        assert_eq!(key, vapid.public());
        let (said, signature) = token.rsplit_once('.').unwrap();
        let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, bytes(key));
        public.verify(said.as_bytes(), &bytes(signature)).unwrap();
        let other = said.replacen("ey", "ez", 1);
        assert!(public.verify(other.as_bytes(), &bytes(signature)).is_err());
        let (head, claims) = said.split_once('.').unwrap();
        let read = |text: &str| serde_json::from_slice::<Value>(&bytes(text)).unwrap();
        assert_eq!(read(head), json!({ "typ": "JWT", "alg": "ES256" }));
        assert_eq!(
            read(claims),
            json!({ "aud": "https://fcm.googleapis.com", "exp": now.unix_timestamp() + 43_200,
                "sub": "mailto:privacidade@arbora.example" })
        );
    }

    #[test]
    fn what_is_no_key_is_none() {
        assert!(Vapid::new(&[0; 32], "a@b.example").is_none());
        assert!(Vapid::new(&[255; 32], "a@b.example").is_none());
    }
}
