//! The one door to private keys. Whoever wants something signed describes it; what may be signed is decided behind the door.

use crate::approvals::rules::Kind as Decided;
use alloy::{
    consensus::TxLegacy,
    primitives::{Address, Bytes, TxHash},
};
use futures_util::future::BoxFuture;
use protocol::{ids::UserId, money::Usdt};
use std::sync::Arc;
use time::OffsetDateTime;
use uuid::Uuid;

/// Whose key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRef {
    /// The hot wallet, which pays withdrawals.
    Hot,
    /// The gas wallet, which fills deposit addresses; of its own, so that its nonces are counted in one place.
    Gas,
    /// A deposit address by its index below the deposit branch.
    Deposit(u32),
    /// A customer's own wallet.
    User(UserId),
}

/// What people approved, for a key that signs nothing without it. The signer computes the digest anew from the transaction itself.
#[derive(Clone, Copy, Debug)]
pub struct Warrant {
    /// What kind of payout it is.
    pub kind: Decided,
    pub payout: Uuid,
    pub digest: [u8; 32],
    /// What leaves the books for it, for the caps.
    pub usdt: Usdt,
    /// How many deposit addresses were ever given out: none of them is paid.
    pub deposits: u32,
}

/// Who signs for the senders: the house's keys, and those of the customers' wallets where they are kept. Part of the context.
#[derive(Clone)]
pub struct Signers {
    pub house: Arc<dyn Signer>,
    pub users: Option<Arc<dyn Signer>>,
}

impl Signers {
    /// Whoever has such keys.
    #[must_use]
    pub fn of(&self, key: KeyRef) -> Option<&Arc<dyn Signer>> {
        match key {
            KeyRef::User(_) => self.users.as_ref(),
            KeyRef::Hot | KeyRef::Gas | KeyRef::Deposit(_) => Some(&self.house),
        }
    }
}

/// A transaction with its signature, ready to be sent, and the hash by which it will be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    pub hash: TxHash,
    pub raw: Bytes,
}

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum SignerError {
    #[error("there is no such key here")]
    NoKey,
    #[error("refused: {0}")]
    Refused(&'static str),
    /// Within the rules, but not now: a cap of the hour or the day is used up.
    #[error("a cap is used up")]
    Capped,
    #[error("signing failed: {0}")]
    Failed(String),
}

/// Signs. May live in a process of its own; keys never leave it.
pub trait Signer: Send + Sync + 'static {
    /// The address of a key.
    ///
    /// # Errors
    /// When there is no such key.
    fn address(&self, key: KeyRef) -> Result<Address, SignerError>;

    /// Signs a transaction (legacy form, with its chain id), within the caps that the signer keeps. Only the hot key wants a
    /// warrant. The same payment at another price counts once.
    ///
    /// # Errors
    /// When there is no such key or the transaction breaks a rule.
    fn sign(
        &self,
        key: KeyRef,
        tx: TxLegacy,
        warrant: Option<Warrant>,
    ) -> BoxFuture<'_, Result<Signed, SignerError>>;

    /// What was signed within a day before this process began, for the caps.
    fn remember(&self, _spent: &[(OffsetDateTime, Usdt)]) {}
}
