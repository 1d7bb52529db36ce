//! The chain as the other parts of this room see it: coins and their contracts, addresses, amounts, a typed client.

mod batch;
pub mod client;
pub mod contracts;
pub mod keys;
pub mod signer;
pub mod stored;
pub mod wei;

pub use crate::foundation::evm_address as address;
use crate::{config, ledger::amount::Coin as LedgerCoin};
use alloy::primitives::Address;
pub use batch::Account;
pub use client::{Block, ChainError, Client};
pub use protocol::views::Coin;
use std::sync::Arc;

/// The coin as the ledger books it.
#[must_use]
pub const fn booked(coin: Coin) -> LedgerCoin {
    match coin {
        Coin::Usdt => LedgerCoin::Usdt,
        Coin::Busd => LedgerCoin::Busd,
        Coin::Bnb => LedgerCoin::Bnb,
        Coin::Pyx => LedgerCoin::Pyx,
    }
}

/// When a block is final.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finality {
    /// When `confirmations` blocks hold it, itself among them.
    #[default]
    Blocks,
    /// When the chain says so by its tag `finalized`.
    Finalized,
}

/// The chain of this installation. Part of the context: `context.part::<Chain>()`, absent where no chain is configured.
#[derive(Clone, Debug)]
pub struct Chain {
    pub client: Client,
    pub contracts: Contracts,
    /// A payment is credited when so many blocks, its own among them, hold it.
    pub confirmations: u64,
    pub finality: Finality,
    /// Public branch m/44'/60'/0'/0 (or its account) of the deposit seed.
    pub deposits: Option<Arc<keys::DepositKeys>>,
}

/// The contracts that are listened to and paid into. A coin without one is not offered; BNB has none by nature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contracts {
    pub usdt: Option<Address>,
    pub busd: Option<Address>,
    pub pyx: Option<Address>,
    /// V2 router of the swaps; its factory and wrapped coin are read from it.
    pub router: Option<Address>,
}

impl Chain {
    /// The newest block that is final when the newest of all is `head`; none yet, or the chain does not say.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn final_block(&self, head: u64) -> Result<Option<u64>, ChainError> {
        Ok(match self.finality {
            Finality::Blocks => (head + 1).checked_sub(self.confirmations),
            Finality::Finalized => self.client.finalized().await?.map(|block| block.min(head)),
        })
    }
}

impl From<&config::ChainContracts> for Contracts {
    fn from(known: &config::ChainContracts) -> Self {
        Self {
            usdt: known.usdt,
            busd: known.busd,
            pyx: known.pyx,
            router: known.router,
        }
    }
}

impl Contracts {
    /// The token's contract; none for BNB and for what is not configured.
    #[must_use]
    pub const fn token(&self, coin: Coin) -> Option<Address> {
        match coin {
            Coin::Usdt => self.usdt,
            Coin::Busd => self.busd,
            Coin::Pyx => self.pyx,
            Coin::Bnb => None,
        }
    }

    /// Which coin a contract is.
    #[must_use]
    pub fn coin(&self, contract: Address) -> Option<Coin> {
        Coin::ALL
            .iter()
            .copied()
            .find(|coin| self.token(*coin) == Some(contract))
    }

    /// Whether the coin can be used on this chain.
    #[must_use]
    pub fn offers(&self, coin: Coin) -> bool {
        coin == Coin::Bnb || self.token(coin).is_some()
    }
}
