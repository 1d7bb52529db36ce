//! Which chain, who is asked about it, which contracts are trusted there.

use std::path::PathBuf;

use alloy::primitives::{Address, address};
use url::Url;

use crate::foundation::evm_address;

use super::{
    Problems, Secret, World,
    places::{Place, is_sealed, refuse_example},
};

/// Local development chains; never real money.
pub const LOCAL_CHAIN: u64 = 31337;
const TEST_NET: u64 = 97;
const MAIN_NET: u64 = 56;
/// Fewer blocks than this are no confirmation anywhere.
const FEWEST_CONFIRMATIONS: u64 = 3;
/// So many where none are said; shown, too, while what is finalized is waited for.
const CONFIRMATIONS: u64 = 15;
/// The word for the chain's own finality.
const FINALIZED: &str = "finalized";

#[derive(Clone, Debug)]
pub struct Chain {
    pub id: u64,
    /// Providers; they are asked independently of each other.
    pub rpc_urls: Vec<Secret>,
    pub contracts: ChainContracts,
    pub confirmations: u64,
    /// What the chain calls finalized is final, instead of what so many blocks hold.
    pub finalized: bool,
    /// Where the local chain's programs are; none: it is switched off.
    pub local: Option<PathBuf>,
}

/// The only contracts whose transfers are credited and that are ever called.
#[derive(Clone, Debug, Default)]
pub struct ChainContracts {
    pub usdt: Option<Address>,
    pub busd: Option<Address>,
    pub pyx: Option<Address>,
    pub router: Option<Address>,
}

impl ChainContracts {
    /// What is published about a chain.
    fn published(id: u64) -> Self {
        if id != MAIN_NET {
            return Self::default();
        }
        Self {
            usdt: Some(address!("55d398326f99059fF775485246999027B3197955")),
            busd: Some(address!("e9e7CEA3DedcA5984780Bafc599bD69ADd087D56")),
            pyx: None,
            router: Some(address!("10ED43C718714eb63d5aA57B78B54704E256024E")),
        }
    }

    /// With the variable that names each.
    pub(super) fn named(&self) -> [(&'static str, Option<Address>); 4] {
        [
            ("ARBORA_CHAIN_USDT", self.usdt),
            ("ARBORA_CHAIN_BUSD", self.busd),
            ("ARBORA_CHAIN_PYX", self.pyx),
            ("ARBORA_CHAIN_ROUTER", self.router),
        ]
    }

    /// Whoever made another token can make as much of it as they like.
    fn check_production(&self, published: &Self, problems: &mut Problems) {
        for (coin, given, known) in [
            ("USDT", self.usdt, published.usdt),
            ("BUSD", self.busd, published.busd),
        ] {
            if let Some(known) = known.filter(|known| given != Some(*known)) {
                problems.add(format!(
                    "ARBORA_CHAIN_{coin} is not {coin}'s contract of this chain: leave it out, or put {known}"
                ));
            }
        }
        let named = self.named();
        for (at, (name, contract)) in named.iter().enumerate() {
            let same = named
                .iter()
                .take(at)
                .find(|(_, other)| contract.is_some() && other == contract);
            if let Some((other, _)) = same {
                problems.add(format!(
                    "{name} and {other} are the same contract: put the one of each"
                ));
            }
        }
    }
}

/// An address as somebody typed it: with the right checksum, or with none.
pub(super) fn address(name: &str, given: Option<&str>, problems: &mut Problems) -> Option<Address> {
    let text = given?;
    let read = evm_address::read(text).filter(|a| !a.is_zero());
    if read.is_none() {
        problems.add(format!("{name} is not an address"));
    }
    read
}

impl Chain {
    pub(super) fn check(settings: &ChainSettings, world: World, problems: &mut Problems) -> Self {
        let id = settings.chain_id.unwrap_or(if world.is_production() {
            MAIN_NET
        } else {
            LOCAL_CHAIN
        });
        match world {
            World::Production if id != MAIN_NET => problems.add(format!(
                "ARBORA_CHAIN_ID is {id}, where coins are play money or unknown: production is on BNB Smart Chain, {MAIN_NET} (leave it out)"
            )),
            World::Demo if id != LOCAL_CHAIN && id != TEST_NET => {
                problems.add(format!(
                    "a demo uses the local chain {LOCAL_CHAIN} or the test net {TEST_NET}, not chain {id}"
                ));
            }
            _ => {}
        }
        let web =
            |url: &Secret| Url::parse(url.expose()).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !settings.chain_rpc_url.iter().all(web) {
            problems.add("CHAIN_RPC_URL is not a list of https addresses, divided by commas");
        }
        let finalized = settings.confirmations == FINALIZED;
        let confirmations = if finalized {
            CONFIRMATIONS
        } else {
            settings.confirmations.parse().unwrap_or_else(|_| {
                problems.add(format!(
                    "ARBORA_CHAIN_CONFIRMATIONS is neither a number nor `{FINALIZED}`"
                ));
                CONFIRMATIONS
            })
        };
        if confirmations < FEWEST_CONFIRMATIONS {
            problems.add(format!(
                "ARBORA_CHAIN_CONFIRMATIONS is {confirmations}: fewer than {FEWEST_CONFIRMATIONS} confirm nothing"
            ));
        }
        let published = ChainContracts::published(id);
        let mut contract = |name: &str, given: &Option<String>, known: Option<Address>| match given {
            None => known,
            Some(text) => address(name, Some(text), problems),
        };
        let contracts = ChainContracts {
            usdt: contract("ARBORA_CHAIN_USDT", &settings.usdt, published.usdt),
            busd: contract("ARBORA_CHAIN_BUSD", &settings.busd, published.busd),
            pyx: contract("ARBORA_CHAIN_PYX", &settings.pyx, published.pyx),
            router: contract("ARBORA_CHAIN_ROUTER", &settings.router, published.router),
        };
        if world.is_production() {
            contracts.check_production(&published, problems);
        }
        let local = (!world.is_production() && id == LOCAL_CHAIN && settings.chain_rpc_url.is_empty())
            .then(|| settings.chain_tools.clone())
            .filter(|place| place.as_os_str() != "off");
        Self {
            id,
            rpc_urls: settings.chain_rpc_url.clone(),
            contracts,
            confirmations,
            finalized,
            local,
        }
    }

    /// Who provides, by what they registered: addresses carry the keys of accounts.
    pub fn providers(&self) -> Vec<String> {
        let urls = self
            .rpc_urls
            .iter()
            .filter_map(|url| Url::parse(url.expose()).ok());
        urls.filter_map(|url| Some(Place::of(&url)?.owner())).collect()
    }

    /// Only a serving process talks to the chain.
    pub(super) fn check_provider(&self, world: World, problems: &mut Problems) {
        if !world.is_production() {
            return;
        }
        match self.rpc_urls.len() {
            0 => problems
                .add("CHAIN_RPC_URL is missing: put the addresses of two providers, divided by a comma"),
            1 => problems
                .add("CHAIN_RPC_URL names one provider: two that agree are needed before money is credited"),
            _ => {}
        }
        let mut seen: Vec<String> = Vec::new();
        for owner in self.providers() {
            if seen.contains(&owner) {
                problems.add(format!(
                    "CHAIN_RPC_URL names {owner} twice: two that agree have to be two; put the address of another provider"
                ));
            }
            seen.push(owner);
        }
        for url in &self.rpc_urls {
            let parsed = Url::parse(url.expose()).ok();
            if let Some(url) = parsed.filter(|url| url.scheme() == "http" && !is_sealed(url, "https")) {
                let place = Place::of(&url).map_or_else(String::new, |place| place.owner());
                problems.add(format!(
                    "CHAIN_RPC_URL asks {place} over http: use https (a node on this machine is named 127.0.0.1 or [::1])"
                ));
            }
            refuse_example("CHAIN_RPC_URL", Some(url), problems);
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Chain")]
pub struct ChainSettings {
    /// Providers of the chain, divided by commas; production needs two of different owners. Without one a demo runs a chain of its own
    #[arg(
        long,
        env = "CHAIN_RPC_URL",
        hide_env_values = true,
        global = true,
        value_delimiter = ',',
        value_name = "URL"
    )]
    pub chain_rpc_url: Vec<Secret>,
    /// Chain id: 56 in production, 31337 in a demo by default. Cannot be changed once the database exists
    #[arg(
        long,
        env = "ARBORA_CHAIN_ID",
        hide_env_values = true,
        global = true,
        value_name = "NUMBER"
    )]
    pub chain_id: Option<u64>,
    /// Blocks that must hold a payment before it is credited, at least 3; or `finalized`: what the chain itself says will not be
    /// undone
    #[arg(
        long = "chain-confirmations",
        env = "ARBORA_CHAIN_CONFIRMATIONS",
        hide_env_values = true,
        global = true,
        default_value = "15",
        value_name = "NUMBER"
    )]
    pub confirmations: String,
    /// USDT's contract, where it is not the published one of the chain
    #[arg(
        long = "chain-usdt",
        env = "ARBORA_CHAIN_USDT",
        hide_env_values = true,
        global = true,
        value_name = "ADDRESS"
    )]
    pub usdt: Option<String>,
    /// BUSD's contract, where it is not the published one of the chain
    #[arg(
        long = "chain-busd",
        env = "ARBORA_CHAIN_BUSD",
        hide_env_values = true,
        global = true,
        value_name = "ADDRESS"
    )]
    pub busd: Option<String>,
    /// PYX's contract; without one the token is not offered on chain
    #[arg(
        long = "chain-pyx",
        env = "ARBORA_CHAIN_PYX",
        hide_env_values = true,
        global = true,
        value_name = "ADDRESS"
    )]
    pub pyx: Option<String>,
    /// The V2 router for swaps, where it is not the published one of the chain
    #[arg(
        long = "chain-router",
        env = "ARBORA_CHAIN_ROUTER",
        hide_env_values = true,
        global = true,
        value_name = "ADDRESS"
    )]
    pub router: Option<String>,
    /// Folder with the local chain's packages, or `off` for a demo without a chain
    #[arg(
        long,
        env = "ARBORA_CHAIN_TOOLS",
        hide_env_values = true,
        global = true,
        default_value = "tools/chain/node_modules",
        value_name = "FOLDER"
    )]
    pub chain_tools: PathBuf,
}
