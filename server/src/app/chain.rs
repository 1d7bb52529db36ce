//! Opens the chain: the operator's providers, or the demo's own node, which lives as long as this.

use std::sync::Arc;

use alloy::{
    primitives::{Address, U256, utils::Unit},
    signers::local::PrivateKeySigner,
};
use anyhow::{Context as _, bail};

use crate::{
    config::{Config, Key, Signing, World},
    foundation::{
        clock::{Clock as _, SystemClock},
        context::Parts,
        evm_address::Swallowing,
        transaction::Db,
    },
    market::Rates,
    wallet::{
        chain::{
            Chain, ChainError, Client, Contracts, Finality, client,
            keys::DepositKeys,
            signer::{Signer, Signers},
        },
        hot::{
            Vault,
            signer::{Caps, HotSigner, HouseSigner},
        },
        keys::{self, MasterKeys, UserSigner},
        local::{AnvilOptions, KeptSigner, LocalChain, LocalChainError},
        sender::{Policy, service::Sending},
        sweeps::service::Sweeping,
        user_wallets::service::Wallets,
    },
};

/// The vault of the users' wallets, with the master keys of the configuration.
///
/// # Errors
/// In one sentence, when the master key is another one than this database's.
pub async fn user_keys(config: &Config, pool: &sqlx::PgPool) -> anyhow::Result<keys::Vault> {
    let secrets = &config.secrets;
    let previous = secrets.master_previous.as_ref().map(|key| key.expose());
    let masters = MasterKeys::new(secrets.master.expose(), previous);
    Ok(keys::Vault::open(pool, masters, SystemClock.now()).await?)
}

/// The chain as far as this installation has one.
pub struct OpenChain {
    chain: Option<Chain>,
    local: Option<LocalChain>,
    sweeping: Option<Sweeping>,
    sending: Option<Sending>,
    user_caps: keys::Caps,
}

impl OpenChain {
    /// # Errors
    /// When a provider is on another chain, a key cannot be read, or the local chain is broken. A provider that does not answer
    /// is waited for, not an error.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let deposits = deposit_keys(config)?;
        check_seed(config, deposits.as_deref())?;
        let settings = &config.store.chain;
        let user_caps = keys::Caps {
            transaction: config.hot.user.per_transaction,
            hour: config.hot.user.per_hour,
            day: config.hot.user.per_day,
        };
        let chain = |client, contracts| Chain {
            client,
            contracts,
            confirmations: settings.confirmations,
            finality: if settings.finalized {
                Finality::Finalized
            } else {
                Finality::Blocks
            },
            deposits: deposits.clone(),
        };
        if !settings.rpc_urls.is_empty() {
            let urls: Vec<&str> = settings.rpc_urls.iter().map(|url| url.expose()).collect();
            let agreement = config.store.world == World::Production;
            let client = Client::new(settings.id, &urls, agreement, client::TIMEOUT)?;
            match client.check().await {
                Err(error @ ChainError::WrongChain { .. }) => bail!("CHAIN_RPC_URL: {error}"),
                Err(error) => tracing::warn!(%error, "the chain is waited for"),
                Ok(()) => {}
            }
            let contracts = Contracts::from(&settings.contracts);
            let (sweeping, sending) = workers(config, purse(config, &client, contracts, deposits.as_ref())?);
            return Ok(Self {
                chain: Some(chain(client, contracts)),
                local: None,
                sweeping,
                sending: Some(sending),
                user_caps,
            });
        }
        let Some(tools) = &settings.local else {
            return Ok(Self {
                chain: None,
                local: None,
                sweeping: None,
                sending: None,
                user_caps,
            });
        };
        let key = config.secrets.drawn_key("chain.key")?;
        let key = PrivateKeySigner::from_slice(key.expose()).context("the local chain's key")?;
        let options = AnvilOptions {
            folder: Some(config.store.files.data.join("chain")),
            port: 0,
        };
        match LocalChain::start(tools, options, key).await {
            Ok(local) => {
                let contracts = local.deployment.contracts();
                let purse = purse(config, &local.client, contracts, deposits.as_ref())?;
                if let Some(gas) = purse.gas {
                    let wei = Unit::ETHER.wei() * U256::from(1_000);
                    local.faucet.fund(gas, wei).await?;
                }
                let (sweeping, sending) = workers(config, purse);
                Ok(Self {
                    chain: Some(chain(local.client.clone(), contracts)),
                    sweeping,
                    sending: Some(sending),
                    user_caps,
                    local: Some(local),
                })
            }
            Err(error @ LocalChainError::NoTools(_)) => {
                tracing::warn!(%error, "this demo has no chain");
                Ok(Self {
                    chain: None,
                    local: None,
                    sweeping: None,
                    sending: None,
                    user_caps,
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Where what is sent stays: the contracts that are known, and the house's own wallets.
    fn swallowing(&self) -> Swallowing {
        let contracts = self.chain.iter().flat_map(|chain| {
            let Contracts {
                usdt,
                busd,
                pyx,
                router,
            } = chain.contracts;
            [usdt, busd, pyx, router]
        });
        let house = self.sending.iter().flat_map(|s| [s.hot, s.gas, s.vault.cold]);
        Swallowing(contracts.chain(house).flatten().collect())
    }

    /// What use cases get of it, and of the users' keys.
    #[must_use]
    pub fn parts(&self, parts: Parts, db: &Db, keys: keys::Vault) -> Parts {
        let here = self.sending.as_ref().is_some_and(|s| s.signers.is_some());
        let users = self
            .chain
            .as_ref()
            .filter(|_| here)
            .map(|chain| -> Arc<dyn Signer> {
                let (client, contracts) = (chain.client.clone(), chain.contracts);
                Arc::new(UserSigner::new(
                    db,
                    keys.clone(),
                    client,
                    contracts,
                    self.user_caps,
                ))
            });
        let parts = parts.with(Rates::default()).with(Wallets::new(keys));
        let parts = parts.with(self.swallowing());
        let parts = match &self.chain {
            Some(chain) => parts.with(chain.clone()),
            None => parts,
        };
        let parts = match &self.local {
            Some(local) => parts.with(local.faucet.clone()),
            None => parts,
        };
        let parts = match &self.sweeping {
            Some(sweeping) => parts.with(sweeping.clone()),
            None => parts,
        };
        match &self.sending {
            Some(sending) => {
                let mut sending = sending.clone();
                if let Some(signers) = &mut sending.signers {
                    signers.users = users;
                }
                parts.with(sending)
            }
            None => parts,
        }
    }

    /// As the banner says it, and whether it is the built-in one.
    #[must_use]
    pub fn shown(&self) -> (String, bool) {
        match (&self.chain, &self.local) {
            (_, Some(local)) => (format!("local test chain 31337 at {}", local.anvil.url()), true),
            (Some(chain), None) => (format!("chain {}, your providers", chain.client.id()), false),
            (None, None) => ("none: crypto deposits rest".to_owned(), true),
        }
    }

    /// Stops the local node; it writes its blocks first.
    pub fn close(self) {
        drop(self.local);
    }
}

fn deposit_keys(config: &Config) -> anyhow::Result<Option<Arc<DepositKeys>>> {
    if let Some(xpub) = &config.secrets.deposit_xpub {
        let keys = DepositKeys::read(xpub.expose()).context("ARBORA_DEPOSIT_XPUB cannot be read")?;
        return Ok(Some(Arc::new(keys)));
    }
    if config.store.world == World::Production {
        return Ok(None);
    }
    let seed = match &config.secrets.deposit_seed {
        Some(seed) => seed.clone(),
        None => config.secrets.drawn_key("deposit.seed")?,
    };
    Ok(Some(Arc::new(
        DepositKeys::of_seed(seed.expose()).context("the deposit seed")?,
    )))
}

/// Coins that come to addresses of another seed would stay there.
fn check_seed(config: &Config, deposits: Option<&DepositKeys>) -> anyhow::Result<()> {
    let Some((seed, known)) = config.secrets.deposit_seed.as_ref().zip(deposits) else {
        return Ok(());
    };
    let own = DepositKeys::of_seed(seed.expose()).context("the deposit seed")?;
    if known.address(0) != own.address(0) {
        bail!("ARBORA_DEPOSIT_SEED is not the seed of ARBORA_DEPOSIT_XPUB");
    }
    Ok(())
}

/// What `server check` finds out about the deposit keys without a chain.
///
/// # Errors
/// As [`OpenChain::open`].
pub fn check_deposits(config: &Config) -> anyhow::Result<()> {
    check_seed(config, deposit_keys(config)?.as_deref())
}

/// The keys of this process: a demo draws its own, elsewhere whatever is configured.
struct Purse {
    /// None: another process signs.
    house: Option<HouseSigner>,
    hot: Option<Address>,
    /// Gas and deposit keys are there: coins can be gathered.
    gathers: bool,
    gas: Option<Address>,
}

fn purse(
    config: &Config,
    client: &Client,
    contracts: Contracts,
    deposits: Option<&Arc<DepositKeys>>,
) -> anyhow::Result<Purse> {
    let expected = match config.signing {
        Signing::Elsewhere { hot, gas } => {
            return Ok(Purse {
                house: None,
                hot: Some(hot),
                gathers: false,
                gas,
            });
        }
        Signing::Here { hot, .. } => hot,
    };
    let demo = config.store.world == World::Demo;
    let key = |given: &Option<Key>, file| -> anyhow::Result<Option<Key>> {
        match given {
            Some(key) => Ok(Some(key.clone())),
            None if demo => Ok(Some(config.secrets.drawn_key(file)?)),
            None => Ok(None),
        }
    };
    let read = |key: &Key| PrivateKeySigner::from_slice(key.expose()).context("a key of the chain");
    let vault = vault(config);
    let hot = match key(&config.secrets.hot, "hot.key")? {
        Some(key) => Some(HotSigner::new(
            read(&key)?,
            client.id(),
            contracts,
            vault,
            deposits.cloned(),
            Caps {
                per_transaction: config.hot.per_transaction,
                per_hour: config.hot.per_hour,
                per_day: config.hot.per_day,
            },
            Arc::new(SystemClock),
        )),
        None => None,
    };
    let address = hot.as_ref().map(HotSigner::address);
    if expected.is_some_and(|expected| address != Some(expected)) {
        bail!("ARBORA_HOT_KEY is not the key of ARBORA_HOT_ADDRESS");
    }
    let treasury = address.or(vault.cold);
    let gas = key(&config.secrets.gas, "chain_gas.key")?;
    let seed = if config.secrets.deposit_xpub.is_some() && config.secrets.deposit_seed.is_none() {
        None
    } else {
        key(&config.secrets.deposit_seed, "deposit.seed")?
    };
    let mut gas_address = None;
    let kept = match (gas, seed, treasury) {
        (Some(gas), Some(seed), Some(treasury)) => {
            let gas = read(&gas)?;
            gas_address = Some(gas.address());
            KeptSigner::new(client.id(), seed.expose(), gas, treasury, contracts)
        }
        _ => None,
    };
    Ok(Purse {
        gathers: kept.is_some(),
        house: Some(HouseSigner { hot, kept }),
        hot: address,
        gas: gas_address,
    })
}

fn vault(config: &Config) -> Vault {
    Vault {
        cold: config.hot.cold,
        maximum: Some(config.hot.maximum),
    }
}

/// What gathers coins and what sends them, by the same keys.
fn workers(config: &Config, purse: Purse) -> (Option<Sweeping>, Sending) {
    let house = purse.house.map(|house| -> Arc<dyn Signer> { Arc::new(house) });
    let sweeping = house
        .as_ref()
        .filter(|_| purse.gathers)
        .zip(purse.hot.or(config.hot.cold))
        .map(|(house, treasury)| Sweeping {
            signer: Arc::clone(house),
            treasury,
        });
    let sending = Sending {
        signers: house.map(|house| Signers { house, users: None }),
        hot: purse.hot,
        gas: purse.gas,
        vault: vault(config),
        policy: Policy {
            stuck: config.hot.stuck,
            gas_price_cap: config.hot.gas_price_cap,
            ..Policy::default()
        },
    };
    (sweeping, sending)
}
