//! Values that must never be printed, and are wiped from memory when dropped.

use std::{fmt, str::FromStr};

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A text that prints as `***`.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Every call is a place to look at in a review.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::new(text))
    }
}

/// A 256-bit key that prints as `***`. Written as 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Key([u8; 32]);

impl Key {
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = Zeroizing::new([0_u8; 32]);
        hex::decode_to_slice(text.trim(), bytes.as_mut_slice()).ok()?;
        Some(Self(*bytes))
    }

    pub fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(hex::encode(self.0))
    }

    /// The key itself. Every call is a place to look at in a review.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    /// True for what only looks like a key: zeros, or one byte repeated.
    pub fn is_trivial(&self) -> bool {
        self.0.iter().all(|byte| Some(byte) == self.0.first())
    }

    /// True for what somebody typed: `0123…` again and again. Thirty-two drawn bytes are about thirty different ones; sixteen or fewer
    /// never happen.
    pub fn is_patterned(&self) -> bool {
        let different: std::collections::BTreeSet<u8> = self.0.iter().copied().collect();
        let counts = |(before, after): (&u8, &u8)| before.abs_diff(*after) == self.0[0].abs_diff(self.0[1]);
        different.len() <= 16 || self.0.iter().zip(self.0.iter().skip(1)).all(counts)
    }
}

macro_rules! prints_stars {
    ($($name:ty),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("***")
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("***")
            }
        }
    )*};
}
prints_stars!(Secret, Key);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_prints_a_secret() {
        let secret = Secret::new("hunter2");
        let key = Key::from_bytes([7; 32]);
        assert_eq!(
            format!("{secret} {secret:?} {secret:#?} {key} {key:?}"),
            "*** *** *** *** ***"
        );
        assert_eq!(secret.expose(), "hunter2");
    }

    #[test]
    fn a_key_is_64_hexadecimal_digits() {
        let text = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
        assert_eq!(
            Key::from_hex(&format!("{text}\n")).unwrap().to_hex().as_str(),
            text
        );
        assert!(Key::from_hex(&text[2..]).is_none());
        assert!(Key::from_hex(&"xy".repeat(32)).is_none());
        assert!(Key::from_bytes([9; 32]).is_trivial());
        assert!(!Key::from_hex(text).unwrap().is_trivial());
        assert!(Key::from_hex(text).unwrap().is_patterned());
        let counted: String = (0..32_u8).map(|byte| format!("{byte:02x}")).collect();
        assert!(Key::from_hex(&counted).unwrap().is_patterned());
        let drawn = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        assert!(!Key::from_hex(drawn).unwrap().is_patterned());
    }
}
