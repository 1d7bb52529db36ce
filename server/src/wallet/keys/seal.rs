//! Sealing: entropy under a wallet's own key, that key under the master key. XChaCha20-Poly1305.

use super::vault::KeysError;
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use hmac::{Hmac, Mac};
use protocol::ids::UserId;
use sha2::Sha256;
use uuid::Uuid;
use zeroize::Zeroizing;

/// Length of a nonce.
const NONCE: usize = 24;

type Bytes = Zeroizing<[u8; 32]>;

/// What a sealed secret belongs to; it opens for nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub user: UserId,
    pub wallet: Uuid,
}

impl Bound {
    fn data(self, what: &str, version: i32) -> Vec<u8> {
        let mut data = Vec::with_capacity(64);
        data.extend(what.as_bytes());
        data.push(0);
        data.extend(self.user.0.as_bytes());
        data.extend(self.wallet.as_bytes());
        data.extend(version.to_be_bytes());
        data
    }
}

/// A wallet's own key.
pub struct DataKey(Bytes);

impl DataKey {
    pub fn fresh() -> Self {
        Self(Zeroizing::new(rand::random()))
    }

    pub fn seal(&self, bound: Bound, entropy: &[u8]) -> Result<Vec<u8>, KeysError> {
        seal(&self.0, &bound.data("entropy", 0), entropy)
    }

    pub fn open(&self, bound: Bound, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeysError> {
        open(&self.0, &bound.data("entropy", 0), sealed)
    }
}

/// A master key with what is derived from it. Prints nothing.
pub struct MasterKey {
    wrapping: Bytes,
    pub fingerprint: [u8; 32],
}

impl MasterKey {
    pub fn new(key: &[u8; 32]) -> Self {
        Self {
            wrapping: Zeroizing::new(derive(key, b"arbora user wallets: wrapping key")),
            fingerprint: derive(key, b"arbora user wallets: fingerprint"),
        }
    }

    pub fn wrap(&self, bound: Bound, version: i32, key: &DataKey) -> Result<Vec<u8>, KeysError> {
        seal(&self.wrapping, &bound.data("data key", version), key.0.as_slice())
    }

    pub fn unwrap(&self, bound: Bound, version: i32, sealed: &[u8]) -> Result<DataKey, KeysError> {
        let opened = open(&self.wrapping, &bound.data("data key", version), sealed)?;
        let bytes: [u8; 32] = opened.as_slice().try_into().map_err(|_| KeysError::Broken)?;
        Ok(DataKey(Zeroizing::new(bytes)))
    }
}

/// The master key in force and, during a rotation, the one before.
pub struct MasterKeys {
    pub(super) current: MasterKey,
    pub(super) previous: Option<MasterKey>,
}

impl MasterKeys {
    #[must_use]
    pub fn new(current: &[u8; 32], previous: Option<&[u8; 32]>) -> Self {
        Self {
            current: MasterKey::new(current),
            previous: previous.map(MasterKey::new),
        }
    }

    /// The key of a fingerprint.
    pub(super) fn by(&self, fingerprint: &[u8]) -> Option<&MasterKey> {
        std::iter::once(&self.current)
            .chain(&self.previous)
            .find(|key| key.fingerprint.as_slice() == fingerprint)
    }
}

fn derive(key: &[u8; 32], name: &[u8]) -> [u8; 32] {
    let mut block = Zeroizing::new([0u8; 64]);
    block[..32].copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new(&(*block).into());
    mac.update(name);
    mac.finalize().into_bytes().into()
}

fn seal(key: &Bytes, data: &[u8], secret: &[u8]) -> Result<Vec<u8>, KeysError> {
    let nonce: [u8; NONCE] = rand::random();
    let sealed = XChaCha20Poly1305::new(&(**key).into())
        .encrypt(
            &XNonce::from(nonce),
            Payload {
                msg: secret,
                aad: data,
            },
        )
        .map_err(|_| KeysError::Broken)?;
    Ok([nonce.as_slice(), &sealed].concat())
}

fn open(key: &Bytes, data: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, KeysError> {
    let (nonce, body) = sealed.split_at_checked(NONCE).ok_or(KeysError::Broken)?;
    let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| KeysError::Broken)?;
    XChaCha20Poly1305::new(&(**key).into())
        .decrypt(&XNonce::from(nonce), Payload { msg: body, aad: data })
        .map(Zeroizing::new)
        .map_err(|_| KeysError::Broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_opens_for_its_user_wallet_and_version_only() {
        let (one, other) = (MasterKey::new(&[7; 32]), MasterKey::new(&[8; 32]));
        let bound = Bound {
            user: UserId::fresh(),
            wallet: Uuid::now_v7(),
        };
        let key = DataKey::fresh();
        let wrapped = one.wrap(bound, 1, &key).unwrap();
        let back = one.unwrap(bound, 1, &wrapped).unwrap();
        assert_eq!(back.0, key.0);
        let elsewhere = Bound {
            user: UserId::fresh(),
            ..bound
        };
        let another = Bound {
            wallet: Uuid::now_v7(),
            ..bound
        };
        assert!(one.unwrap(elsewhere, 1, &wrapped).is_err());
        assert!(one.unwrap(another, 1, &wrapped).is_err());
        assert!(one.unwrap(bound, 2, &wrapped).is_err());
        assert!(other.unwrap(bound, 1, &wrapped).is_err());
        let sealed = key.seal(bound, b"sixteen bytes...").unwrap();
        assert_eq!(key.open(bound, &sealed).unwrap().as_slice(), b"sixteen bytes...");
        assert!(key.open(elsewhere, &sealed).is_err());
        assert!(DataKey::fresh().open(bound, &sealed).is_err());
        for at in [0, 30, sealed.len() - 1] {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert!(key.open(bound, &altered).is_err());
        }
        assert!(key.open(bound, &sealed[..20]).is_err());
    }

    #[test]
    fn a_fingerprint_says_which_key_and_no_more() {
        let one = MasterKey::new(&[7; 32]);
        assert_eq!(one.fingerprint, MasterKey::new(&[7; 32]).fingerprint);
        assert_ne!(one.fingerprint, MasterKey::new(&[8; 32]).fingerprint);
        assert_ne!(one.fingerprint, *one.wrapping);
        let both = MasterKeys::new(&[8; 32], Some(&[7; 32]));
        assert!(both.by(&one.fingerprint).is_some());
        assert!(MasterKeys::new(&[8; 32], None).by(&one.fingerprint).is_none());
    }
}
