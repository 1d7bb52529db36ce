//! Addresses as people write them: EIP-55, whose letters' case is a checksum. Some are nobody's, and what is sent to others stays there.

use super::context::Context;
use alloy::primitives::Address;

/// Bytes that are one and the same at the beginning or the end of an address: of no key has anybody found as many.
const SAME: usize = 12;

/// Contracts and the house's own wallets, which keep what is sent to them; they are put there at the start.
#[derive(Clone, Debug, Default)]
pub struct Swallowing(pub Vec<Address>);

/// Whether nobody has the key of it: zero, precompiled contracts, the places where coins are burnt, the marks of programs.
#[must_use]
pub fn is_nobodys(address: Address) -> bool {
    let same = |bytes: &[u8]| bytes.iter().all(|byte| bytes.first() == Some(byte));
    let bytes = address.as_slice();
    let ends = [bytes.get(..SAME), bytes.get(bytes.len() - SAME..)];
    ends.into_iter().flatten().any(same)
}

/// Whether what is sent there is lost to who sends it.
#[must_use]
pub fn is_lost(context: &Context, address: Address) -> bool {
    let known = context.part::<Swallowing>();
    is_nobodys(address) || known.is_some_and(|known| known.0.contains(&address))
}

/// Reads an address. Mixed case must be the checksum; all lower or all upper case carries none and is taken.
#[must_use]
pub fn read(text: &str) -> Option<Address> {
    let text = text.trim();
    let digits = text.strip_prefix("0x")?;
    let plain = digits == digits.to_ascii_lowercase() || digits == digits.to_ascii_uppercase();
    let address: Address = text.parse().ok()?;
    (plain || address.to_checksum(None) == text).then_some(address)
}

/// The hexadecimal digits of an address or a transaction's hash, or of a part of one, that somebody searches for.
#[must_use]
pub fn digits(typed: &str) -> String {
    let digits = typed.trim().to_ascii_lowercase();
    digits.strip_prefix("0x").unwrap_or(&digits).to_owned()
}

/// Writes an address with its checksum.
#[must_use]
pub fn write(address: Address) -> String {
    address.to_checksum(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_the_key_of_some() {
        for nobodys in [
            "0x0000000000000000000000000000000000000000",
            "0x0000000000000000000000000000000000001004",
            "0x000000000000000000000000000000000000dEaD",
            "0xdead000000000000000000000000000000000000",
            "0xffffffffffffffffffffffffffffffffffffffff",
            "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
        ] {
            assert!(is_nobodys(nobodys.parse().unwrap()), "{nobodys}");
        }
        for somebodys in [
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0x00000000219ab540356cBB839Cbe05303d7705Fa",
        ] {
            assert!(!is_nobodys(somebodys.parse().unwrap()), "{somebodys}");
        }
    }

    #[test]
    fn one_letter_in_the_other_case_is_no_address() {
        let good = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
        assert_eq!(read(good).map(write).as_deref(), Some(good));
        assert_eq!(read(&good.to_ascii_lowercase()).map(write).as_deref(), Some(good));
        assert_eq!(read("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), None);
        for bad in [
            "",
            "0x",
            "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
