//! What an authenticator's answers must hold (Web Authentication, Level 3, §7.1 and §7.2). Pure: the challenge is the database's, which knows
//! it by its digest alone.
//!
//! Attestation is not asked for (`none`) and, where a browser sends one, not judged: whose make an authenticator is decides nothing here.

use super::key::PublicKey;
use crate::{
    foundation::context::World,
    identity::browser::{host, is_loopback, origin},
};
use ciborium::Value;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// Why an answer is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not what authenticators write.
    Malformed,
    /// An answer to another kind of question.
    Kind,
    /// Asked by a page that is not ours, or inside one.
    Origin,
    /// Made for another site.
    Site,
    /// Nobody touched the authenticator, or it did not ask who touches it.
    Unverified,
    /// Another passkey than the one that it says.
    Credential,
    /// A key of an algorithm that was not asked for.
    Key,
    Signature,
}

/// For which site passkeys are made, and on which pages.
#[derive(Clone, Debug)]
pub struct Site {
    /// The relying party's id: a domain.
    pub id: String,
    /// Scheme, host and port of our pages; none on one machine, where they are reached through several ports.
    origin: Option<String>,
}

impl Site {
    /// That of this installation. Browsers take no address of the network for a site: a demo on one machine is `localhost`.
    #[must_use]
    pub fn of(world: World, public_url: &str) -> Self {
        let own = origin(public_url);
        if world == World::Demo && is_loopback(own) {
            Self {
                id: "localhost".into(),
                origin: None,
            }
        } else {
            Self {
                id: host(own).to_owned(),
                origin: Some(own.to_owned()),
            }
        }
    }

    fn is_own(&self, page: &str) -> bool {
        self.origin.as_ref().map_or_else(
            || origin(page) == page && host(page) == self.id,
            |own| own == page,
        )
    }
}

/// What the browser says of the page that asked; browsers may add to it.
#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default, rename = "crossOrigin")]
    cross_origin: bool,
}

fn client_data(bytes: &[u8]) -> Result<ClientData, Fault> {
    serde_json::from_slice(bytes).map_err(|_| Fault::Malformed)
}

/// The challenge that was answered.
///
/// # Errors
/// [`Fault::Malformed`].
pub fn challenge(client: &[u8]) -> Result<Vec<u8>, Fault> {
    let said = client_data(client)?;
    data_encoding::BASE64URL_NOPAD
        .decode(said.challenge.as_bytes())
        .map_err(|_| Fault::Malformed)
}

fn require_own_page(site: &Site, client: &[u8], kind: &str) -> Result<(), Fault> {
    let said = client_data(client)?;
    if said.kind != kind {
        Err(Fault::Kind)
    } else if said.cross_origin || !site.is_own(&said.origin) {
        Err(Fault::Origin)
    } else {
        Ok(())
    }
}

/// Bytes of a public key that are kept.
const MOST_KEY: usize = 2048;

/// Flags of authenticator data.
const PRESENT: u8 = 1;
const VERIFIED: u8 = 1 << 2;
const ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const ATTESTED: u8 = 1 << 6;
const EXTENDED: u8 = 1 << 7;

struct AuthenticatorData<'a> {
    flags: u8,
    count: u32,
    rest: &'a [u8],
}

impl AuthenticatorData<'_> {
    const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

fn authenticator_data<'a>(site: &Site, bytes: &'a [u8]) -> Result<AuthenticatorData<'a>, Fault> {
    let (made_for, rest) = bytes.split_first_chunk::<32>().ok_or(Fault::Malformed)?;
    let (flags, rest) = rest.split_first().ok_or(Fault::Malformed)?;
    let (count, rest) = rest.split_first_chunk::<4>().ok_or(Fault::Malformed)?;
    let own: [u8; 32] = Sha256::digest(site.id.as_bytes()).into();
    if *made_for != own {
        return Err(Fault::Site);
    }
    let data = AuthenticatorData {
        flags: *flags,
        count: u32::from_be_bytes(*count),
        rest,
    };
    if !data.has(PRESENT) || !data.has(VERIFIED) {
        return Err(Fault::Unverified);
    }
    if data.has(BACKED_UP) && !data.has(ELIGIBLE) {
        return Err(Fault::Malformed);
    }
    Ok(data)
}

/// How deep CBOR may nest: attestations do not need more.
const DEPTH: usize = 8;

/// The first item, and what follows it.
fn item(bytes: &[u8]) -> Result<(Value, &[u8]), Fault> {
    let mut rest = bytes;
    let value =
        ciborium::de::from_reader_with_recursion_limit(&mut rest, DEPTH).map_err(|_| Fault::Malformed)?;
    Ok((value, rest))
}

fn named<'a>(map: &'a Value, name: &str) -> Option<&'a Value> {
    map.as_map()?
        .iter()
        .find(|(key, _)| key.as_text() == Some(name))
        .map(|(_, value)| value)
}

/// A passkey as its authenticator made it.
#[derive(Debug)]
pub struct Made {
    pub credential: Vec<u8>,
    /// The `COSE_Key` as it was written.
    pub public_key: Vec<u8>,
    pub count: u32,
    pub eligible: bool,
    pub backed_up: bool,
}

/// Judges the answer to a registration.
///
/// # Errors
/// Whatever it lacks.
pub fn made(site: &Site, client: &[u8], attestation: &[u8], id: &[u8]) -> Result<Made, Fault> {
    require_own_page(site, client, "webauthn.create")?;
    let (object, after) = item(attestation)?;
    let written = named(&object, "authData").and_then(Value::as_bytes);
    let (Some(written), true) = (written, after.is_empty()) else {
        return Err(Fault::Malformed);
    };
    let data = authenticator_data(site, written)?;
    if !data.has(ATTESTED) {
        return Err(Fault::Malformed);
    }
    // Sixteen bytes of the make, then the name's length.
    let (_, rest) = data.rest.split_first_chunk::<16>().ok_or(Fault::Malformed)?;
    let (length, rest) = rest.split_first_chunk::<2>().ok_or(Fault::Malformed)?;
    let (credential, rest) = rest
        .split_at_checked(usize::from(u16::from_be_bytes(*length)))
        .ok_or(Fault::Malformed)?;
    if credential != id || !(16..=1023).contains(&credential.len()) {
        return Err(Fault::Credential);
    }
    let (key, mut after) = item(rest)?;
    let public_key = rest
        .get(..rest.len() - after.len())
        .ok_or(Fault::Malformed)?
        .to_vec();
    // A key is as long as its numbers: what is padded beyond that is none.
    if public_key.len() > MOST_KEY {
        return Err(Fault::Malformed);
    }
    PublicKey::read(&key)?;
    if data.has(EXTENDED) {
        (_, after) = item(after)?;
    }
    if !after.is_empty() {
        return Err(Fault::Malformed);
    }
    Ok(Made {
        credential: credential.to_vec(),
        public_key,
        count: data.count,
        eligible: data.has(ELIGIBLE),
        backed_up: data.has(BACKED_UP),
    })
}

/// What a passkey showed.
#[derive(Debug, PartialEq, Eq)]
pub struct Signed {
    pub count: u32,
    pub eligible: bool,
    pub backed_up: bool,
}

/// Judges the answer of a passkey with this key.
///
/// # Errors
/// Whatever it lacks.
pub fn signed(
    site: &Site,
    client: &[u8],
    written: &[u8],
    signature: &[u8],
    public_key: &[u8],
) -> Result<Signed, Fault> {
    require_own_page(site, client, "webauthn.get")?;
    let data = authenticator_data(site, written)?;
    let (key, _) = item(public_key)?;
    let hash: [u8; 32] = Sha256::digest(client).into();
    if !PublicKey::read(&key)?.signed(&[written, &hash].concat(), signature) {
        return Err(Fault::Signature);
    }
    Ok(Signed {
        count: data.count,
        eligible: data.has(ELIGIBLE),
        backed_up: data.has(BACKED_UP),
    })
}

/// Whether a count does not follow the one before: somebody may have a copy. Authenticators that do not count say nought.
#[must_use]
pub const fn is_behind(before: u32, now: u32) -> bool {
    (before != 0 || now != 0) && now <= before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::passkeys::authenticator::{Authenticator, bytes};
    use serde_json::{Value as Json, json};

    const PAGE: &str = "https://arbora.test";

    fn site() -> Site {
        Site::of(World::Production, PAGE)
    }

    fn options() -> Json {
        json!({ "challenge": "AAECAwQFBgcICQoLDA0ODw", "rp": { "id": "arbora.test" }, "rpId": "arbora.test", "user": { "id": "AAAA" } })
    }

    fn try_made(answer: &Json) -> Result<Made, Fault> {
        made(
            &site(),
            &bytes(&answer["clientDataJSON"]),
            &bytes(&answer["attestationObject"]),
            &bytes(&answer["id"]),
        )
    }

    fn try_signed(answer: &Json, key: &[u8]) -> Result<Signed, Fault> {
        signed(
            &site(),
            &bytes(&answer["clientDataJSON"]),
            &bytes(&answer["authenticatorData"]),
            &bytes(&answer["signature"]),
            key,
        )
    }

    #[test]
    fn what_an_authenticator_makes_and_signs_is_taken() {
        let mut phone = Authenticator::new(PAGE);
        let answer = phone.create(&options());
        assert_eq!(
            challenge(&bytes(&answer["clientDataJSON"])).unwrap(),
            (0..16).collect::<Vec<u8>>()
        );
        let made = try_made(&answer).unwrap();
        assert_eq!(made.credential, bytes(&answer["id"]));
        assert_eq!((made.count, made.eligible, made.backed_up), (1, true, true));
        let signed = try_signed(&phone.get(&options()), &made.public_key).unwrap();
        assert_eq!(
            signed,
            Signed {
                count: 2,
                eligible: true,
                backed_up: true
            }
        );
    }

    #[test]
    fn what_was_made_for_others_or_by_nobody_is_refused() {
        let made = |change: &dyn Fn(&mut Authenticator)| {
            let mut phone = Authenticator::new(PAGE);
            change(&mut phone);
            let answer = phone.create(&options());
            try_made(&answer).map(|_| ()).unwrap_err()
        };
        assert_eq!(
            made(&|p| p.origin = "https://arbora.example".into()),
            Fault::Origin
        );
        assert_eq!(made(&|p| p.origin = "http://arbora.test".into()), Fault::Origin);
        assert_eq!(made(&|p| p.framed = true), Fault::Origin);
        assert_eq!(made(&|p| p.site = Some("example".into())), Fault::Site);
        assert_eq!(made(&|p| p.flags &= !PRESENT), Fault::Unverified);
        assert_eq!(made(&|p| p.flags &= !VERIFIED), Fault::Unverified);
        assert_eq!(made(&|p| p.flags &= !ELIGIBLE), Fault::Malformed);
        assert_eq!(made(&|p| p.credential = vec![7; 15]), Fault::Credential);
    }

    #[test]
    fn nothing_of_an_answer_can_be_changed() {
        let mut phone = Authenticator::new(PAGE);
        let answer = phone.create(&options());
        let key = try_made(&answer).unwrap().public_key;
        let mut other = answer.clone();
        other["id"] = json!("AAECAwQFBgcICQoLDA0ODw");
        assert_eq!(try_made(&other).unwrap_err(), Fault::Credential);
        // What is made is no signature, and what is signed makes nothing.
        other = answer.clone();
        other["clientDataJSON"] = phone.get(&options())["clientDataJSON"].clone();
        assert_eq!(try_made(&other).unwrap_err(), Fault::Kind);
        let good = phone.get(&options());
        for (field, at) in [
            ("signature", 20),
            ("authenticatorData", 36),
            ("clientDataJSON", 40),
        ] {
            let mut bent = bytes(&good[field]);
            bent[at] ^= 1;
            let mut answer = good.clone();
            answer[field] = json!(data_encoding::BASE64URL_NOPAD.encode(&bent));
            let fault = try_signed(&answer, &key).unwrap_err();
            assert!(
                matches!(fault, Fault::Signature | Fault::Malformed | Fault::Origin),
                "{field}: {fault:?}"
            );
        }
        let another = Authenticator::new(PAGE).create(&options());
        let another = try_made(&another).unwrap().public_key;
        assert_eq!(try_signed(&good, &another).unwrap_err(), Fault::Signature);
        assert!(try_signed(&good, &key).is_ok());
    }

    #[test]
    fn each_of_the_three_algorithms_is_verified_and_nothing_else_is() {
        type Maker = fn(&str) -> Authenticator;
        let makers: [Maker; 3] = [Authenticator::new, Authenticator::ed_dsa, Authenticator::rs256];
        let kinds = |key: &PublicKey| match key {
            PublicKey::Es256(_) => 0,
            PublicKey::EdDsa(_) => 1,
            PublicKey::Rs256 { .. } => 2,
        };
        let mut keys = Vec::new();
        for (nth, make) in makers.into_iter().enumerate() {
            let mut device = make(PAGE);
            let key = try_made(&device.create(&options())).unwrap().public_key;
            let (read, _) = item(&key).unwrap();
            assert_eq!(kinds(&PublicKey::read(&read).unwrap()), nth);
            let good = device.get(&options());
            assert_eq!(try_signed(&good, &key).unwrap().count, 2, "{nth}");
            // Each byte of the signature matters, and its length.
            let signature = bytes(&good["signature"]);
            for at in 0..signature.len() {
                let mut bent = signature.clone();
                bent[at] ^= 1;
                let mut answer = good.clone();
                answer["signature"] = json!(data_encoding::BASE64URL_NOPAD.encode(&bent));
                assert_eq!(
                    try_signed(&answer, &key).unwrap_err(),
                    Fault::Signature,
                    "{nth} {at}"
                );
            }
            let longer = [signature.as_slice(), &[0]].concat();
            let lengths: [&[u8]; 3] = [&signature[..signature.len() - 1], &longer, &[]];
            for wrong in lengths {
                let mut answer = good.clone();
                answer["signature"] = json!(data_encoding::BASE64URL_NOPAD.encode(wrong));
                assert_eq!(try_signed(&answer, &key).unwrap_err(), Fault::Signature, "{nth}");
            }
            keys.push((key, good));
        }
        // None is another's, of whichever algorithm.
        for (one, (key, _)) in keys.iter().enumerate() {
            for (other, (_, answer)) in keys.iter().enumerate() {
                assert_eq!(try_signed(answer, key).is_ok(), one == other, "{one} {other}");
            }
        }
        let another = try_made(&Authenticator::ed_dsa(PAGE).create(&options())).unwrap();
        assert_eq!(
            try_signed(&keys[1].1, &another.public_key).unwrap_err(),
            Fault::Signature
        );
    }

    #[test]
    fn a_key_that_is_padded_beyond_its_numbers_is_none() {
        let padded = |padding: usize| {
            let mut device = Authenticator::rs256(PAGE);
            device.padding = padding;
            try_made(&device.create(&options()))
        };
        let bare = padded(0).unwrap().public_key.len();
        // A label of five bytes, and three that say the length.
        let room = MOST_KEY - bare - 8;
        assert_eq!(padded(room).unwrap().public_key.len(), MOST_KEY);
        assert_eq!(padded(room + 1).unwrap_err(), Fault::Malformed);
        assert_eq!(padded(60_000).unwrap_err(), Fault::Malformed);
    }

    #[test]
    fn what_is_cut_off_or_goes_on_is_malformed() {
        let answer = Authenticator::new(PAGE).create(&options());
        let (client, object, id) = (
            bytes(&answer["clientDataJSON"]),
            bytes(&answer["attestationObject"]),
            bytes(&answer["id"]),
        );
        for end in 0..object.len() {
            assert!(made(&site(), &client, &object[..end], &id).is_err(), "{end}");
        }
        let longer = [object.as_slice(), &[0]].concat();
        assert_eq!(
            made(&site(), &client, &longer, &id).unwrap_err(),
            Fault::Malformed
        );
        assert_eq!(challenge(b"{}").unwrap_err(), Fault::Malformed);
        // Nested without end.
        assert_eq!(
            made(&site(), &client, &[0x81; 100_000], &id).unwrap_err(),
            Fault::Malformed
        );
    }

    #[test]
    fn a_key_is_of_an_algorithm_that_was_asked_for() {
        let key = |entries: &[(i64, Value)]| {
            let map = entries
                .iter()
                .map(|(label, value)| (Value::from(*label), value.clone()))
                .collect();
            PublicKey::read(&Value::Map(map))
        };
        let coordinate = || Value::Bytes(vec![1; 32]);
        let point = |kind: i64, algorithm: i64, curve: i64| {
            key(&[
                (1, kind.into()),
                (3, algorithm.into()),
                (-1, curve.into()),
                (-2, coordinate()),
                (-3, coordinate()),
            ])
        };
        assert!(matches!(point(2, -7, 1), Ok(PublicKey::Es256(point)) if point.len() == 65));
        assert!(matches!(point(1, -8, 6), Ok(PublicKey::EdDsa(_))));
        for (kind, algorithm, curve) in [(2, -7, 2), (2, -35, 1), (2, -8, 1), (1, -7, 1), (1, -8, 7)] {
            assert_eq!(point(kind, algorithm, curve), Err(Fault::Key));
        }
        let modulus = |length: usize| {
            key(&[
                (1, Value::from(3)),
                (3, Value::from(-257)),
                (-1, Value::Bytes(vec![9; length])),
                (-2, Value::Bytes(vec![1, 0, 1])),
            ])
        };
        assert!(matches!(modulus(256), Ok(PublicKey::Rs256 { .. })));
        assert_eq!(modulus(128), Err(Fault::Key), "1024 bits are too few");
    }

    #[test]
    fn a_count_follows_the_one_before() {
        for (before, now, behind) in [
            (0, 0, false),
            (0, 1, false),
            (7, 8, false),
            (7, 7, true),
            (7, 6, true),
            (7, 0, true),
        ] {
            assert_eq!(is_behind(before, now), behind, "{before} {now}");
        }
    }

    #[test]
    fn a_site_is_a_domain_and_its_pages_are_ours_alone() {
        let own = site();
        assert_eq!(own.id, "arbora.test");
        assert!(own.is_own(PAGE));
        for page in [
            "https://arbora.test:8443",
            "https://a.arbora.test",
            "https://arbora.test.example",
            "http://arbora.test",
            "null",
        ] {
            assert!(!own.is_own(page), "{page}");
        }
        let demo = Site::of(World::Demo, "http://127.0.0.1:8080");
        assert_eq!(demo.id, "localhost");
        assert!(demo.is_own("http://localhost:5173") && demo.is_own("http://localhost"));
        assert!(!demo.is_own("http://localhost.example") && !demo.is_own("http://127.0.0.1:8080"));
        assert_eq!(Site::of(World::Production, "http://127.0.0.1").id, "127.0.0.1");
    }
}
