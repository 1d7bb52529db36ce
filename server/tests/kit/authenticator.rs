//! An authenticator in software, as a browser answers for one: a key of one of the three algorithms, a count, the flags of who was asked for a
//! finger.
#![allow(dead_code)] // each who uses it tries what it needs

use ciborium::Value as Cbor;
use data_encoding::BASE64URL_NOPAD;
use ring::{
    rand::SystemRandom,
    rsa::PublicKeyComponents,
    signature::{
        ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    },
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

/// A key of RSA of 2048 bits for these tests alone: ring makes none.
const RSA: &[u8] = include_bytes!("rsa_2048.pk8");

/// What signs.
enum Key {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
    Rs256(Box<RsaKeyPair>),
}

impl Key {
    fn es256(random: &SystemRandom) -> Self {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, made.as_ref(), random).unwrap();
        Self::Es256(key)
    }

    fn ed_dsa(random: &SystemRandom) -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(random).unwrap();
        Self::EdDsa(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    fn rs256() -> Self {
        Self::Rs256(Box::new(RsaKeyPair::from_pkcs8(RSA).unwrap()))
    }

    fn sign(&self, random: &SystemRandom, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Es256(key) => key.sign(random, message).unwrap().as_ref().to_vec(),
            Self::EdDsa(key) => key.sign(message).as_ref().to_vec(),
            Self::Rs256(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, random, message, &mut signature)
                    .unwrap();
                signature
            }
        }
    }

    /// Its public half, as a `COSE_Key`.
    fn entries(&self) -> Vec<(i64, Cbor)> {
        match self {
            Self::Es256(key) => {
                let point = key.public_key().as_ref();
                vec![
                    (1, Cbor::from(2)),
                    (3, Cbor::from(-7)),
                    (-1, Cbor::from(1)),
                    (-2, Cbor::Bytes(point[1..33].to_vec())),
                    (-3, Cbor::Bytes(point[33..65].to_vec())),
                ]
            }
            Self::EdDsa(key) => vec![
                (1, Cbor::from(1)),
                (3, Cbor::from(-8)),
                (-1, Cbor::from(6)),
                (-2, Cbor::Bytes(key.public_key().as_ref().to_vec())),
            ],
            Self::Rs256(key) => {
                let PublicKeyComponents { n, e } = PublicKeyComponents::<Vec<u8>>::from(key.public());
                vec![
                    (1, Cbor::from(3)),
                    (3, Cbor::from(-257)),
                    (-1, Cbor::Bytes(n)),
                    (-2, Cbor::Bytes(e)),
                ]
            }
        }
    }
}

/// One passkey on a device of its own.
pub struct Authenticator {
    key: Key,
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
    /// Bytes that its key is longer than it has to be.
    pub padding: usize,
}

impl Authenticator {
    pub fn new(origin: &str) -> Self {
        let random = SystemRandom::new();
        Self::of(Key::es256(&random), random, origin)
    }

    /// One whose key is of Ed25519.
    pub fn ed_dsa(origin: &str) -> Self {
        let random = SystemRandom::new();
        Self::of(Key::ed_dsa(&random), random, origin)
    }

    /// One whose key is of RSA: the same at each call.
    pub fn rs256(origin: &str) -> Self {
        Self::of(Key::rs256(), SystemRandom::new(), origin)
    }

    fn of(key: Key, random: SystemRandom, origin: &str) -> Self {
        // The key's own bytes name it: two are never called the same.
        let credential = digest(&cose(&key, 0)).to_vec();
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
            padding: 0,
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

    /// Makes the passkey: what `navigator.credentials.create` leads to.
    pub fn create(&mut self, options: &Value) -> Value {
        let client = self.client("webauthn.create", options);
        let mut data = self.data(&options["rp"]["id"], ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential.len()).unwrap().to_be_bytes());
        data.extend(&self.credential);
        data.extend(cose(&self.key, self.padding));
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
        let signature = self.key.sign(&self.random, &message);
        json!({
            "id": text(&self.credential), "clientDataJSON": text(&client), "authenticatorData": text(&data),
            "signature": text(&signature), "userHandle": self.handle.as_deref().map(text),
        })
    }
}

/// A key as it is written, with an entry of no meaning that makes it longer.
fn cose(key: &Key, padding: usize) -> Vec<u8> {
    let mut map: Vec<_> = key
        .entries()
        .into_iter()
        .map(|(label, value)| (Cbor::from(label), value))
        .collect();
    if padding > 0 {
        map.push((Cbor::from(-70_000), Cbor::Bytes(vec![0; padding])));
    }
    written(&Cbor::Map(map))
}

fn written(value: &Cbor) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::ser::into_writer(value, &mut bytes).unwrap();
    bytes
}
