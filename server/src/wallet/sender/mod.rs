//! Sends what was queued: for each sender one nonce after the other, under a lease whose number every writing transaction checks.
//!
//! Invariants: (address, nonce) belongs to one transaction; signed bytes and their hash are stored before they are sent, and only
//! those bytes are ever sent again; one that is stuck is signed anew with the same nonce and a higher price, and whichever attempt
//! is mined settles, once, when enough blocks hold it. A chain that knows of nonces which the table does not stops all signing of
//! that sender until each is matched: a restored backup never pays twice. The process may die between any two steps.
//! Tables: `wallet.sender`, `wallet.outgoing`, `wallet.outgoing_attempt`.
//!
//! A room queues with [`enqueue`] in the transaction of its own fact, and hears of the end in [`causes`].

pub mod causes;
mod follow;
mod recovery;
pub mod service;
pub mod store;
mod task;

use super::chain::{Coin, contracts::Erc20::transferCall, signer::KeyRef};
use crate::{error::Error, foundation::transaction::Tx};
use alloy::{
    primitives::{Address, B256, Bytes, U256},
    sol_types::SolCall,
};
use protocol::ids::UserId;
use std::time::Duration;
use uuid::Uuid;

pub use task::run;

/// One node sends.
pub const LEASE: &str = "wallet.sender";
/// Gas of a plain transfer of native coin, and what a token's transfer may use.
pub const NATIVE_GAS: u64 = 21_000;
pub const TOKEN_GAS: u64 = 90_000;

/// Whose money goes out, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purse {
    /// The house's hot wallet.
    Hot,
    /// A customer's own wallet.
    User(UserId),
}

impl Purse {
    #[must_use]
    pub const fn key(self) -> KeyRef {
        match self {
            Self::Hot => KeyRef::Hot,
            Self::User(user) => KeyRef::User(user),
        }
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::User(_) => "user",
        }
    }

    #[must_use]
    pub const fn owner(self) -> Option<UserId> {
        match self {
            Self::Hot => None,
            Self::User(user) => Some(user),
        }
    }
}

/// What a transaction is for. Of each one lives at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    Withdrawal(Uuid),
    /// The bonus of a rank.
    GraduationBonus(Uuid),
    WalletSend(Uuid),
    WalletApprove(Uuid),
    WalletSwap(Uuid),
    /// The allowance of a swap that failed, taken back.
    WalletRevoke(Uuid),
    /// Surplus on its way to the cold address.
    Cold(Uuid),
}

impl Cause {
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Withdrawal(_) => "withdrawal",
            Self::GraduationBonus(_) => "graduation_bonus",
            Self::WalletSend(_) => "wallet_send",
            Self::WalletApprove(_) => "wallet_approve",
            Self::WalletSwap(_) => "wallet_swap",
            Self::WalletRevoke(_) => "wallet_revoke",
            Self::Cold(_) => "cold",
        }
    }

    #[must_use]
    pub const fn id(self) -> Uuid {
        match self {
            Self::Withdrawal(id)
            | Self::GraduationBonus(id)
            | Self::WalletSend(id)
            | Self::WalletApprove(id)
            | Self::WalletSwap(id)
            | Self::WalletRevoke(id)
            | Self::Cold(id) => id,
        }
    }

    /// From its stored form.
    #[must_use]
    pub fn read(kind: &str, id: Uuid) -> Option<Self> {
        Some(match kind {
            "withdrawal" => Self::Withdrawal(id),
            "graduation_bonus" => Self::GraduationBonus(id),
            "wallet_send" => Self::WalletSend(id),
            "wallet_approve" => Self::WalletApprove(id),
            "wallet_swap" => Self::WalletSwap(id),
            "wallet_revoke" => Self::WalletRevoke(id),
            "cold" => Self::Cold(id),
            _ => return None,
        })
    }
}

/// A coin that somebody receives by it, as lists show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carries {
    pub coin: Coin,
    pub to: Address,
    pub wei: U256,
}

/// A transaction to be sent. Its nonce and its price are the sender's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub purse: Purse,
    pub sender: Address,
    pub recipient: Address,
    pub value: U256,
    pub data: Bytes,
    pub gas_limit: u64,
    pub carries: Option<Carries>,
    pub cause: Cause,
}

impl Outgoing {
    /// A transfer of a coin: native, or a call of its contract (`token`).
    #[must_use]
    pub fn transfer(
        purse: Purse,
        sender: Address,
        token: Option<Address>,
        carries: Carries,
        cause: Cause,
    ) -> Self {
        let (recipient, value, data, gas_limit) = match token {
            None => (carries.to, carries.wei, Bytes::new(), NATIVE_GAS),
            Some(token) => {
                let call = transferCall {
                    to: carries.to,
                    amount: carries.wei,
                };
                (token, U256::ZERO, call.abi_encode().into(), TOKEN_GAS)
            }
        };
        Self {
            purse,
            sender,
            recipient,
            value,
            data,
            gas_limit,
            carries: Some(carries),
            cause,
        }
    }
}

/// A queued transaction's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutgoingId(pub Uuid);

/// How a transaction ended, told once, in the transaction that ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    pub success: bool,
    /// None: another transaction, not ours, used its nonce; it never reached the chain and is not sent any more.
    pub tx_hash: Option<B256>,
    pub block: Option<u64>,
    pub gas_wei: U256,
}

/// Queues a transaction, in the transaction of the fact that wants it. A second one for the same cause is refused by the database
/// while the first one lives.
///
/// # Errors
/// Whatever the database refuses.
pub async fn enqueue(tx: &mut Tx, outgoing: &Outgoing) -> Result<OutgoingId, Error> {
    let id = OutgoingId(Uuid::now_v7());
    let now = tx.now();
    store::insert(tx.conn(), id, outgoing, now).await?;
    Ok(id)
}

/// Takes a queued transaction back; false when it is signed already, and then it may reach the chain.
///
/// # Errors
/// Whatever the database refuses.
pub async fn drop_queued(tx: &mut Tx, id: OutgoingId) -> Result<bool, Error> {
    let now = tx.now();
    store::drop_queued(tx.conn(), id, now).await
}

/// How the sender goes about it.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// Without a block for so long, or for so many blocks, it is offered at a higher price.
    pub stuck: Duration,
    pub stuck_blocks: u64,
    /// The most that a unit of gas may cost, in wei.
    pub gas_price_cap: u128,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            stuck: Duration::from_secs(60),
            stuck_blocks: 20,
            gas_price_cap: 100_000_000_000,
        }
    }
}
