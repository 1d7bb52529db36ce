//! Twelve words (BIP-39, English, no passphrase) and the one key that a wallet has: m/44'/60'/0'/0/0.

use crate::wallet::chain::keys::private_branch;
use alloy::{
    primitives::Address,
    signers::local::{
        PrivateKeySigner,
        coins_bip39::{English, Wordlist},
    },
};
use coins_bip32::{
    ecdsa::SigningKey,
    xkeys::{Parent, XPriv},
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroizing;

const BYTES: usize = 16;
const WORDS: usize = 12;
/// Rounds of PBKDF2 that BIP-39 asks for.
const ROUNDS: u32 = 2_048;
/// Longest word of the list is eight letters: no text grows and leaves a copy behind.
const LETTERS: usize = WORDS * 9;

/// What a wallet is made of.
pub struct Entropy(Zeroizing<[u8; BYTES]>);

/// The words, for their owner's eyes. Prints nothing.
pub struct Phrase(Zeroizing<String>);

impl Phrase {
    /// The words themselves. Every call is a place to look at in a review.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Entropy {
    pub fn fresh() -> Self {
        Self(Zeroizing::new(rand::random()))
    }

    pub fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self(Zeroizing::new(bytes.try_into().ok()?)))
    }

    pub fn expose(&self) -> &[u8] {
        self.0.as_slice()
    }

    pub fn phrase(&self) -> Phrase {
        let words = English::get_all();
        let checksum = Sha256::digest(self.0.as_slice());
        let mut bits = Zeroizing::new([0u8; BYTES + 1]);
        bits[..BYTES].copy_from_slice(self.0.as_slice());
        bits[BYTES] = checksum[0];
        let mut text = Zeroizing::new(String::with_capacity(LETTERS));
        for word in 0..WORDS {
            let index = (word * 11..word * 11 + 11).fold(0usize, |index, bit| {
                index << 1 | usize::from(bits[bit / 8] >> (7 - bit % 8) & 1)
            });
            if word > 0 {
                text.push(' ');
            }
            text.push_str(words.get(index).copied().unwrap_or_default());
        }
        Phrase(text)
    }

    /// The wallet's key.
    pub fn key(&self) -> Option<PrivateKeySigner> {
        let seed = seed(&self.phrase());
        let branch: XPriv = private_branch(seed.as_slice())?;
        let child = branch.derive_child(0).ok()?;
        let key: &SigningKey = child.as_ref();
        Some(PrivateKeySigner::from_signing_key(key.clone()))
    }

    pub fn address(&self) -> Option<Address> {
        self.key().map(|key| key.address())
    }
}

/// PBKDF2 with HMAC-SHA-512 of one block, by hand so that no copy of the words stays in a library's buffers.
fn seed(phrase: &Phrase) -> Zeroizing<[u8; 64]> {
    // A text longer than a block of SHA-512 counts as its hash.
    let mut key = Zeroizing::new([0u8; 128]);
    let words = phrase.expose().as_bytes();
    match key.get_mut(..words.len()) {
        Some(place) => place.copy_from_slice(words),
        None => key[..64].copy_from_slice(&Sha512::digest(words)),
    }
    let keyed = <Hmac<Sha512> as KeyInit>::new(&(*key).into());
    let round = |message: &[&[u8]]| -> Zeroizing<[u8; 64]> {
        let mut mac = keyed.clone();
        for part in message {
            mac.update(part);
        }
        Zeroizing::new(mac.finalize().into_bytes().into())
    };
    let mut last = round(&[b"mnemonic", &1u32.to_be_bytes()]);
    let mut sum = last.clone();
    for _ in 1..ROUNDS {
        last = round(&[last.as_slice()]);
        for (into, byte) in sum.iter_mut().zip(last.iter()) {
            *into ^= byte;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy::{
        primitives::address,
        signers::local::coins_bip39::{Entropy as TheirEntropy, Mnemonic},
    };

    fn of(hex_text: &str) -> Entropy {
        Entropy::read(&hex::decode(hex_text).unwrap()).unwrap()
    }

    #[test]
    fn published_entropy_has_its_published_words() {
        for (entropy, words) in [
            (
                "00000000000000000000000000000000",
                "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
            ),
            (
                "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
                "legal winner thank year wave sausage worth useful legal winner thank yellow",
            ),
            (
                "80808080808080808080808080808080",
                "letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
            ),
            (
                "ffffffffffffffffffffffffffffffff",
                "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong",
            ),
            (
                "9e885d952ad362caeb4efe34a8e91bd2",
                "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic",
            ),
        ] {
            assert_eq!(of(entropy).phrase().expose(), words);
        }
    }

    #[test]
    fn the_published_phrases_have_their_published_addresses() {
        assert_eq!(
            of("00000000000000000000000000000000").address(),
            Some(address!("9858EfFD232B4033E47d90003D41EC34EcaEda94"))
        );
        let junk = Mnemonic::<English>::new_from_phrase(
            "test test test test test test test test test test test junk",
        )
        .unwrap();
        let key = junk.derive_key("m/44'/60'/0'/0/0", None).unwrap();
        let key: &SigningKey = key.as_ref();
        assert_eq!(
            PrivateKeySigner::from_signing_key(key.clone()).address(),
            address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
        );
    }

    /// The seed of a phrase longer than a block of the hash counts as well.
    #[test]
    fn words_seed_and_key_are_those_of_the_reference() {
        let long = of("95db9b0f5ec8bb9c1b27bcda4d3bb6c1");
        let mut some = vec![long];
        some.extend((0..20).map(|_| Entropy::fresh()));
        for entropy in some {
            let bytes: [u8; 16] = entropy.expose().try_into().unwrap();
            let theirs = Mnemonic::<English>::new_from_entropy(TheirEntropy::from(bytes));
            assert_eq!(entropy.phrase().expose(), theirs.to_phrase());
            assert_eq!(seed(&entropy.phrase()).as_slice(), theirs.to_seed(None).unwrap());
        }
    }

    #[test]
    fn wallets_differ() {
        assert_ne!(Entropy::fresh().expose(), Entropy::fresh().expose());
        assert!(Entropy::read(&[0; 15]).is_none());
    }
}
