//! Public keys of passkeys: `COSE_Key` (RFC 9052 §7, RFC 9053 §7) of the three algorithms that authenticators sign with.

use super::ceremony::Fault;
use ciborium::Value;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};

/// ES256, EdDSA, RS256 by their numbers in COSE's registry: what is offered to authenticators, the preferred one first.
pub const ALGORITHMS: [i64; 3] = [-7, -8, -257];

/// Labels of a `COSE_Key` and of its parameters.
const KIND: i64 = 1;
const ALGORITHM: i64 = 3;
const CURVE_OR_MODULUS: i64 = -1;
const X_OR_EXPONENT: i64 = -2;
const Y: i64 = -3;

/// A key whose signatures can be checked.
#[derive(Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// A point of P-256, uncompressed.
    Es256(Vec<u8>),
    EdDsa(Vec<u8>),
    Rs256 {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
}

fn entry(map: &Value, label: i64) -> Option<&Value> {
    let is_it = |key: &Value| {
        key.as_integer()
            .is_some_and(|key| i128::from(key) == i128::from(label))
    };
    map.as_map()?
        .iter()
        .find(|(key, _)| is_it(key))
        .map(|(_, value)| value)
}

fn number(map: &Value, label: i64) -> Option<i128> {
    entry(map, label)?.as_integer().map(i128::from)
}

fn bytes(map: &Value, label: i64) -> Option<&[u8]> {
    entry(map, label)?.as_bytes().map(Vec::as_slice)
}

/// A number without zeros in front, as ring wants it.
fn unpadded(number: &[u8]) -> Vec<u8> {
    number.iter().copied().skip_while(|byte| *byte == 0).collect()
}

impl PublicKey {
    /// Reads a key that an authenticator made.
    ///
    /// # Errors
    /// [`Fault::Key`] for what is none of the three.
    pub fn read(key: &Value) -> Result<Self, Fault> {
        Self::of(key).ok_or(Fault::Key)
    }

    fn of(key: &Value) -> Option<Self> {
        match (number(key, KIND)?, number(key, ALGORITHM)?) {
            (2, -7) if number(key, CURVE_OR_MODULUS)? == 1 => {
                let (x, y) = (bytes(key, X_OR_EXPONENT)?, bytes(key, Y)?);
                let point = [[4_u8].as_slice(), x, y].concat();
                (x.len() == 32 && y.len() == 32).then_some(Self::Es256(point))
            }
            (1, -8) if number(key, CURVE_OR_MODULUS)? == 6 => {
                let x = bytes(key, X_OR_EXPONENT)?;
                (x.len() == 32).then(|| Self::EdDsa(x.to_vec()))
            }
            (3, -257) => {
                let modulus = unpadded(bytes(key, CURVE_OR_MODULUS)?);
                let exponent = unpadded(bytes(key, X_OR_EXPONENT)?);
                let good = (256..=1024).contains(&modulus.len()) && (1..=4).contains(&exponent.len());
                good.then_some(Self::Rs256 { modulus, exponent })
            }
            _ => None,
        }
    }

    /// Whether this key signed the message.
    #[must_use]
    pub fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        match self {
            Self::Es256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point)
                .verify(message, signature)
                .is_ok(),
            Self::EdDsa(key) => UnparsedPublicKey::new(&ED25519, key)
                .verify(message, signature)
                .is_ok(),
            Self::Rs256 { modulus, exponent } => RsaPublicKeyComponents {
                n: modulus,
                e: exponent,
            }
            .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            .is_ok(),
        }
    }
}
