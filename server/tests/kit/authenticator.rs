//! An authenticator in software, as a browser answers for one: a key of P-256, a count, the flags of who was asked for a finger.
#![allow(dead_code)] // each who uses it tries what it needs

use ciborium::Value as Cbor;
use data_encoding::BASE64URL_NOPAD;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Who touched it was there and was asked who they are; the key may be copied, and was.
const FLAGS: u8 = 0b0001_1101;
const ATTESTED: u8 = 1 << 6;

/// The bytes of a field in base64url.
pub fn bytes(field: &Value) -> Vec<u8> {
    BASE64URL_NOPAD
        .decode(field.as_str().unwrap().as_bytes())
        .unwrap()
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

fn text(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

/// One passkey on a device of its own.
pub struct Authenticator {
    key: EcdsaKeyPair,
    random: SystemRandom,
    pub credential: Vec<u8>,
    /// By what it knows the account, once it has made a passkey there.
    pub handle: Option<Vec<u8>>,
    /// How often it signed; those that do not count say nought.
    pub count: u32,
    pub counts: bool,
    /// The page that asks.
    pub origin: String,
    /// Whether that page stands inside another site's.
    pub framed: bool,
    /// Another site than the one that asks.
    pub site: Option<String>,
    pub flags: u8,
}

impl Authenticator {
    pub fn new(origin: &str) -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, made.as_ref(), &random).unwrap();
        // The key's own bytes name it: two are never called the same.
        let credential = digest(key.public_key().as_ref()).to_vec();
        Self {
            key,
            random,
            credential,
            handle: None,
            count: 0,
            counts: true,
            origin: origin.to_owned(),
            framed: false,
            site: None,
            flags: FLAGS,
        }
    }

    fn client(&self, kind: &str, options: &Value) -> Vec<u8> {
        let said = json!({
            "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": self.framed, "other_keys_can_be_added_here": "yes"
        });
        serde_json::to_vec(&said).unwrap()
    }

    fn data(&mut self, asking: &Value, flags: u8) -> Vec<u8> {
        if self.counts {
            self.count += 1;
        }
        let site = self.site.as_deref().unwrap_or_else(|| asking.as_str().unwrap());
        let mut data = digest(site.as_bytes()).to_vec();
        data.push(self.flags | flags);
        data.extend(self.count.to_be_bytes());
        data
    }

    fn cose(&self) -> Vec<u8> {
        let point = self.key.public_key().as_ref();
        let entries = [
            (1, Cbor::from(2)),
            (3, Cbor::from(-7)),
            (-1, Cbor::from(1)),
            (-2, Cbor::Bytes(point[1..33].to_vec())),
            (-3, Cbor::Bytes(point[33..65].to_vec())),
        ];
        let map = entries
            .into_iter()
            .map(|(label, value)| (Cbor::from(label), value))
            .collect();
        written(&Cbor::Map(map))
    }

    /// Makes the passkey: what `navigator.credentials.create` leads to.
    pub fn create(&mut self, options: &Value) -> Value {
        let client = self.client("webauthn.create", options);
        let mut data = self.data(&options["rp"]["id"], ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential.len()).unwrap().to_be_bytes());
        data.extend(&self.credential);
        data.extend(self.cose());
        self.handle = Some(bytes(&options["user"]["id"]));
        let object = Cbor::Map(vec![
            (Cbor::from("fmt"), Cbor::from("none")),
            (Cbor::from("attStmt"), Cbor::Map(Vec::new())),
            (Cbor::from("authData"), Cbor::Bytes(data)),
        ]);
        json!({
            "id": text(&self.credential), "clientDataJSON": text(&client), "attestationObject": text(&written(&object)),
            "transports": ["internal", "hybrid"],
        })
    }

    /// Signs with it: what `navigator.credentials.get` leads to.
    pub fn get(&mut self, options: &Value) -> Value {
        let client = self.client("webauthn.get", options);
        let data = self.data(&options["rpId"], 0);
        let message = [data.as_slice(), &digest(&client)].concat();
        let signature = self.key.sign(&self.random, &message).unwrap();
        json!({
            "id": text(&self.credential), "clientDataJSON": text(&client), "authenticatorData": text(&data),
            "signature": text(signature.as_ref()), "userHandle": self.handle.as_deref().map(text),
        })
    }
}

fn written(value: &Cbor) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::ser::into_writer(value, &mut bytes).unwrap();
    bytes
}
