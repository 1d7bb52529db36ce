//! Addresses as people write them: EIP-55, whose letters' case is a checksum.

use alloy::primitives::Address;

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
