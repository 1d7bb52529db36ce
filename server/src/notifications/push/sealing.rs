//! Sealing a message for one browser (RFC 8291 over RFC 8188): whoever carries it sees how long it is, and nothing else. Pure.

use p256::{NistP256, PublicKey, SecretKey, ecdh::diffie_hellman, elliptic_curve::sec1::ToEncodedPoint};
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    hmac,
};

/// The most that a message holds: push services take 4 096 bytes, of which sealing takes about a hundred.
pub const MOST: usize = 3_000;
/// One record holds it all.
const RECORD: u32 = 4_096;
/// What ends the last record.
const LAST: u8 = 2;

/// Bytes of a point as it is written whole, and of the secret that the browser gave with it.
pub const POINT: usize = 65;
pub const AUTH: usize = 16;

/// Whether these bytes are a point that a message can be sealed for.
#[must_use]
pub fn is_point(bytes: &[u8]) -> bool {
    bytes.len() == POINT && PublicKey::from_sec1_bytes(bytes).is_ok()
}

/// Seals a message with a key that is made for it and forgotten. None for what is no point of the curve.
#[must_use]
pub fn seal(receiver: &[u8], auth: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    sealed(&fresh(), &rand::random(), receiver, auth, plain)
}

fn fresh() -> SecretKey {
    loop {
        // All but some of 2³² draws are a key.
        if let Ok(key) = SecretKey::from_slice(&rand::random::<[u8; 32]>()) {
            return key;
        }
    }
}

fn sealed(key: &SecretKey, salt: &[u8; 16], receiver: &[u8], auth: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    let to = PublicKey::from_sec1_bytes(receiver).ok()?;
    let sender = key.public_key().to_encoded_point(false);
    let shared = diffie_hellman::<NistP256>(key.to_nonzero_scalar(), to.as_affine());
    let info = [b"WebPush: info\0".as_slice(), receiver, sender.as_bytes()].concat();
    let secret = derived(auth, shared.raw_secret_bytes(), &info);
    let content = derived(salt, &secret, b"Content-Encoding: aes128gcm\0");
    let nonce = derived(salt, &secret, b"Content-Encoding: nonce\0");
    let sealing = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, content.get(..16)?).ok()?);
    let nonce = Nonce::try_assume_unique_for_key(nonce.get(..12)?).ok()?;
    let mut record = [plain, &[LAST]].concat();
    sealing
        .seal_in_place_append_tag(nonce, Aad::empty(), &mut record)
        .ok()?;
    let length = u8::try_from(sender.as_bytes().len()).ok()?;
    Some(
        [
            salt.as_slice(),
            &RECORD.to_be_bytes(),
            &[length],
            sender.as_bytes(),
            record.as_slice(),
        ]
        .concat(),
    )
}

/// HKDF (RFC 5869) with SHA-256, of one block.
fn derived(salt: &[u8], secret: &[u8], info: &[u8]) -> [u8; 32] {
    let mac = |key: &[u8], text: &[u8]| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text);
    let extracted = mac(salt, secret);
    let block = mac(extracted.as_ref(), &[info, &[1]].concat());
    let mut derived = [0; 32];
    derived.copy_from_slice(block.as_ref());
    derived
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        data_encoding::BASE64URL_NOPAD.decode(text.as_bytes()).unwrap()
    }

    /// RFC 8291, appendix A.
    #[test]
    fn it_is_sealed_as_the_standard_does() {
        let key = SecretKey::from_slice(&bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")).unwrap();
        let salt: [u8; 16] = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let receiver =
            bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4");
        let auth = bytes("BTBZMqHH6r4Tts7J_aSIgg");
        let plain = b"When I grow up, I want to be a watermelon";
        let message = sealed(&key, &salt, &receiver, &auth, plain).unwrap();
        assert_eq!(
            data_encoding::BASE64URL_NOPAD.encode(&message),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn each_is_sealed_with_a_key_of_its_own_and_the_longest_fits() {
        let receiver = fresh().public_key().to_encoded_point(false);
        let (one, other) = (
            seal(receiver.as_bytes(), &[7; AUTH], &[b'a'; MOST]).unwrap(),
            seal(receiver.as_bytes(), &[7; AUTH], &[b'a'; MOST]).unwrap(),
        );
        assert_ne!(one[..86], other[..86]);
        assert!(one.len() <= 4_096, "{}", one.len());
    }

    #[test]
    fn what_is_no_point_is_none() {
        let point = fresh().public_key().to_encoded_point(false);
        assert!(is_point(point.as_bytes()));
        let mut bent = point.as_bytes().to_vec();
        bent[40] ^= 1;
        let short = fresh().public_key().to_encoded_point(true);
        for bad in [bent.as_slice(), short.as_bytes(), &[4; POINT], &[]] {
            assert!(!is_point(bad), "{bad:?}");
        }
        assert_eq!(seal(&bent, &[7; AUTH], b"a"), None);
    }
}
