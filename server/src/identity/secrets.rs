//! MACs, random tokens and sealing: the few cryptographic verbs of this room.

use crate::{error::Error, foundation::context::Keys};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// HMAC-SHA-256 over length-prefixed parts, under a name that keeps uses apart.
#[must_use]
pub fn mac(keys: &Keys, name: &str, parts: &[&[u8]]) -> [u8; 32] {
    // A key of exactly one block: what HMAC itself would make of a longer one.
    let mut block = [0u8; 64];
    block[..32].copy_from_slice(&Sha256::digest(&keys.codes));
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new(&block.into());
    for part in std::iter::once(name.as_bytes()).chain(parts.iter().copied()) {
        mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Equality that takes the same time whatever differs.
#[must_use]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

/// 256 random bits as they stand in links.
#[must_use]
pub fn token() -> String {
    data_encoding::BASE64URL_NOPAD.encode(&rand::random::<[u8; 32]>())
}

/// Six decimal digits.
#[must_use]
pub fn six_digits() -> String {
    use rand::Rng;
    format!("{:06}", rand::rng().random_range(0..1_000_000u32))
}

/// Seals a secret for one owner: it opens for nobody else's id.
///
/// # Errors
/// `service.internal` when the cipher refuses.
pub fn seal(keys: &Keys, owner: &[u8], secret: &[u8]) -> Result<Vec<u8>, Error> {
    let nonce: [u8; 24] = rand::random();
    let cipher = XChaCha20Poly1305::new(&keys.sealing.into());
    let sealed = cipher
        .encrypt(
            &XNonce::from(nonce),
            Payload {
                msg: secret,
                aad: owner,
            },
        )
        .map_err(|_| Error::internal("a secret cannot be sealed"))?;
    Ok([nonce.as_slice(), &sealed].concat())
}

/// Opens what [`seal`] made.
///
/// # Errors
/// `service.internal` for another owner, another key or altered bytes.
pub fn open(keys: &Keys, owner: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
    let broken = || Error::internal("a sealed secret does not open");
    let (nonce, body) = sealed.split_at_checked(24).ok_or_else(broken)?;
    let nonce: [u8; 24] = nonce.try_into().map_err(|_| broken())?;
    std::iter::once(&keys.sealing)
        .chain(&keys.sealing_previous)
        .find_map(|key| {
            let payload = Payload {
                msg: body,
                aad: owner,
            };
            XChaCha20Poly1305::new(&(*key).into())
                .decrypt(&XNonce::from(nonce), payload)
                .ok()
        })
        .ok_or_else(broken)
}

/// What only the key before a rotation opens, under the key in force; none for what needs no new seal.
///
/// # Errors
/// `service.internal` for what neither key opens.
pub fn reseal(keys: &Keys, owner: &[u8], sealed: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let current = Keys {
        sealing_previous: None,
        ..keys.clone()
    };
    if open(&current, owner, sealed).is_ok() {
        return Ok(None);
    }
    let secret = zeroize::Zeroizing::new(open(keys, owner, sealed)?);
    seal(keys, owner, &secret).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keys {
        Keys::of_installation(2)
    }

    #[test]
    fn a_sealed_secret_opens_for_its_owner_only() {
        let sealed = seal(&keys(), b"ana", b"secret").unwrap();
        assert_eq!(open(&keys(), b"ana", &sealed).unwrap(), b"secret");
        assert!(open(&keys(), b"bia", &sealed).is_err());
        let mut altered = sealed.clone();
        *altered.last_mut().unwrap() ^= 1;
        assert!(open(&keys(), b"ana", &altered).is_err());
        assert!(open(&keys(), b"ana", b"short").is_err());
        assert!(
            open(
                &Keys {
                    sealing: [4; 32],
                    ..keys()
                },
                b"ana",
                &sealed
            )
            .is_err()
        );
    }

    #[test]
    fn what_was_sealed_before_a_rotation_opens_and_is_sealed_anew() {
        let sealed = seal(&keys(), b"ana", b"secret").unwrap();
        let rotated = Keys {
            sealing: [4; 32],
            sealing_previous: Some([3; 32]),
            ..keys()
        };
        assert_eq!(open(&rotated, b"ana", &sealed).unwrap(), b"secret");
        let fresh = reseal(&rotated, b"ana", &sealed).unwrap().unwrap();
        assert!(reseal(&rotated, b"ana", &fresh).unwrap().is_none());
        let without = Keys {
            sealing_previous: None,
            ..rotated
        };
        assert_eq!(open(&without, b"ana", &fresh).unwrap(), b"secret");
        assert!(open(&without, b"ana", &sealed).is_err());
        assert!(reseal(&without, b"ana", &sealed).is_err());
    }

    #[test]
    fn macs_keep_names_and_parts_apart() {
        let k = keys();
        assert_ne!(mac(&k, "a", &[b"bc"]), mac(&k, "ab", &[b"c"]));
        assert_ne!(mac(&k, "a", &[b"b", b"c"]), mac(&k, "a", &[b"bc"]));
        assert_eq!(six_digits().len(), 6);
        assert!(token().len() >= 43);
    }
}
