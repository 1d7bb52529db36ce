//! The house's three wallets: the hot one pays, another one pays for gas, nobody's program has the key of the cold one.

use alloy::{primitives::Address, signers::local::PrivateKeySigner};

use super::{
    ChainContracts, Key, Problems, World,
    secrets::{Found, GAS_KEY, HOT_KEY, published_keys},
};
use crate::foundation::evm_address;

/// What is said of a wallet, by its address or by its key.
struct Wallet {
    word: &'static str,
    address: (&'static str, Option<Address>),
    key: Option<(&'static str, Option<Address>)>,
}

/// What the settings and the secrets say of the three.
pub(super) fn check(
    world: World,
    [hot, gas, cold]: [Option<Address>; 3],
    contracts: &ChainContracts,
    found: &Found,
    problems: &mut Problems,
) {
    let of_key = |name: &'static str| Some((name, found.key(name).as_ref().and_then(owner)));
    let wallets = [
        Wallet {
            word: "the hot wallet",
            address: ("ARBORA_HOT_ADDRESS", hot),
            key: of_key(HOT_KEY),
        },
        Wallet {
            word: "the gas wallet",
            address: ("ARBORA_GAS_ADDRESS", gas),
            key: of_key(GAS_KEY),
        },
        Wallet {
            word: "the cold wallet",
            address: ("ARBORA_COLD_ADDRESS", cold),
            key: None,
        },
    ];
    for wallet in &wallets {
        if let ((name, Some(said)), Some((key, Some(has)))) = (&wallet.address, &wallet.key)
            && said != has
        {
            problems.add(format!("{key} is not the key of {name}"));
        }
    }
    if !world.is_production() {
        return;
    }
    let published: Vec<Address> = published_keys().filter_map(|key| owner(&key)).collect();
    for wallet in &wallets {
        let (name, Some(address)) = wallet.address else {
            continue;
        };
        if published.contains(&address) {
            problems.add(format!(
                "{name} is the address of a published test key, which anybody empties: make a key of your own"
            ));
        }
        if evm_address::is_nobodys(address) {
            problems.add(format!(
                "{name} is an address that nobody has the key of: put your own"
            ));
        }
        if let Some((contract, _)) = contracts
            .named()
            .iter()
            .find(|(_, known)| *known == Some(address))
        {
            problems.add(format!(
                "{name} is the contract of {contract}: put a wallet's address"
            ));
        }
    }
    let at = |wallet: &Wallet| wallet.address.1.or(wallet.key.and_then(|(_, has)| has));
    for (one, other, why) in [
        (0, 1, "their transactions are counted in one place each"),
        (0, 2, "what is too much for it has to lie elsewhere"),
        (1, 2, "its key has to be in no program"),
    ] {
        if let (Some(one), Some(other)) = (wallets.get(one), wallets.get(other))
            && at(one).is_some()
            && at(one) == at(other)
        {
            problems.add(format!(
                "{} and {} are one ({} = {}): {why}; put an address for each",
                one.word, other.word, one.address.0, other.address.0
            ));
        }
    }
}

fn owner(key: &Key) -> Option<Address> {
    PrivateKeySigner::from_slice(key.expose())
        .ok()
        .map(|signer| signer.address())
}
