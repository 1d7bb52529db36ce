//! Deposit addresses from an extended public key (BIP-32): whoever holds it can make addresses and spend nothing.

use alloy::primitives::{Address, keccak256};
use coins_bip32::{
    enc::{MainnetEncoder, XKeyEncoder},
    path::DerivationPath,
    xkeys::{Parent, XPriv, XPub},
};

/// The public branch below which deposit addresses lie: child `i` is the address of index `i`.
#[derive(Clone)]
pub struct DepositKeys(XPub);

impl std::fmt::Debug for DepositKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DepositKeys(***)")
    }
}

/// Children from here on are hardened, which a public key cannot make.
const HARDENED: u32 = 1 << 31;

impl DepositKeys {
    /// Reads an `xpub…`.
    #[must_use]
    pub fn read(xpub: &str) -> Option<Self> {
        MainnetEncoder::xpub_from_base58(xpub.trim()).ok().map(Self)
    }

    /// The public half of a seed's branch m/44'/60'/0'/0, for a demo whose server draws its seed itself.
    #[must_use]
    pub fn of_seed(seed: &[u8]) -> Option<Self> {
        private_branch(seed).map(|branch| Self(branch.verify_key()))
    }

    /// The address of an index; `None` beyond what can be derived.
    #[must_use]
    pub fn address(&self, index: u32) -> Option<Address> {
        if index >= HARDENED {
            return None;
        }
        let child = self.0.derive_child(index).ok()?;
        let key: &coins_bip32::ecdsa::VerifyingKey = child.as_ref();
        let point = key.to_encoded_point(false);
        // Without the leading 4 of an uncompressed point.
        let hash = keccak256(point.as_bytes().get(1..)?);
        hash.get(12..).map(Address::from_slice)
    }
}

/// The private branch of a seed. Only signers call it.
pub fn private_branch(seed: &[u8]) -> Option<XPriv> {
    let path: DerivationPath = "m/44'/60'/0'/0".parse().ok()?;
    XPriv::root_from_seed(seed, None).ok()?.derive_path(&path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy::{
        primitives::address,
        signers::local::{MnemonicBuilder, coins_bip39::English},
    };

    const PHRASE: &str =
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

    /// The branch of a phrase, made the long way round: seed, path, public half, its text.
    fn branch(phrase: &str, path: &str) -> DepositKeys {
        let mnemonic = coins_bip39_of(phrase);
        let path: DerivationPath = path.parse().unwrap();
        let private: XPriv = mnemonic.derive_path(&path).unwrap();
        let text = MainnetEncoder::xpub_to_base58(&private.verify_key()).unwrap();
        DepositKeys::read(&text).unwrap()
    }

    fn coins_bip39_of(phrase: &str) -> XPriv {
        use alloy::signers::local::coins_bip39::Mnemonic;
        Mnemonic::<English>::new_from_phrase(phrase)
            .unwrap()
            .master_key(None)
            .unwrap()
    }

    #[test]
    fn the_published_phrases_have_their_published_addresses() {
        let keys = branch(PHRASE, "m/44'/60'/0'/0");
        for (index, expected) in [
            address!("9858EfFD232B4033E47d90003D41EC34EcaEda94"),
            address!("6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"),
            address!("b6716976A3ebe8D39aCEB04372f22Ff8e6802D7A"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(keys.address(u32::try_from(index).unwrap()), Some(expected));
        }
        let junk = branch(
            "test test test test test test test test test test test junk",
            "m/44'/60'/0'/0",
        );
        assert_eq!(
            junk.address(0),
            Some(address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))
        );
    }

    #[test]
    fn the_public_branch_and_the_phrase_agree() {
        let keys = branch(PHRASE, "m/44'/60'/0'/0");
        for index in [0, 7, 1_000, 2_000_000] {
            let signer = MnemonicBuilder::<English>::default()
                .phrase(PHRASE)
                .index(index)
                .unwrap()
                .build()
                .unwrap();
            assert_eq!(keys.address(index), Some(signer.address()));
        }
        assert_eq!(keys.address(HARDENED), None);
        assert!(DepositKeys::read("xpub661MyMwAqRbcG").is_none());
    }
}
