//! The chain of a demo that has none: a private development node with test coins and a V2 exchange. Play money only.
//!
//! Invariants: never in production, never under another chain id than 31337; its node listens on loopback, starts and stops
//! with the server and keeps its blocks under the data folder; keys are drawn per installation; the same key makes the same
//! contract addresses, so that nothing about them needs to be stored.

mod anvil;
mod deploy;
mod faucet;
pub mod routes;
mod signer;

pub use anvil::{Anvil, AnvilOptions};
pub use deploy::Deployment;
pub use faucet::{Faucet, sign};
pub use signer::KeptSigner;

use super::chain::{Client, client::TIMEOUT};
use crate::config::LOCAL_CHAIN;
use alloy::signers::local::PrivateKeySigner;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Why there is no local chain. Each text is the one sentence that the operator reads.
#[derive(Debug, thiserror::Error)]
pub enum LocalChainError {
    #[error("the local chain's programs are not in {0}: run `npm ci` in tools/chain")]
    NoTools(PathBuf),
    #[error("another server keeps its local chain in {0}: stop it first, or set CHAIN_RPC_URL")]
    SecondInstance(PathBuf),
    #[error("the local chain did not start: {0}")]
    Start(String),
    #[error("the local chain cannot be set up: {0}")]
    SetUp(String),
    #[error("{doing}: {source}")]
    Io { doing: String, source: std::io::Error },
}

impl LocalChainError {
    fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

/// A running local chain. Dropping it stops the node, which writes its blocks first.
#[derive(Debug)]
pub struct LocalChain {
    pub anvil: Anvil,
    pub deployment: Deployment,
    pub faucet: Faucet,
    pub client: Client,
}

impl LocalChain {
    /// Starts the node and deploys what is not there yet.
    ///
    /// # Errors
    /// As [`LocalChainError`] says.
    pub async fn start(
        tools: &Path,
        options: AnvilOptions,
        key: PrivateKeySigner,
    ) -> Result<Self, LocalChainError> {
        let anvil = Anvil::start(tools, options)?;
        let client = Client::new(LOCAL_CHAIN, &[anvil.url()], false, TIMEOUT)
            .map_err(|e| LocalChainError::SetUp(e.to_string()))?;
        let faucet = Faucet::new(client.clone(), key);
        let deployment = deploy::ensure(tools, &faucet).await?;
        Ok(Self {
            anvil,
            faucet: faucet.with(deployment),
            deployment,
            client,
        })
    }
}

/// Between two blocks while something waits for confirmations.
const BEAT: Duration = Duration::from_secs(1);
/// Beats between two blocks while nothing happens: time must pass on the chain too, or no intent would ever end.
const REST: u32 = 15;
/// Blocks that follow a transaction at the quick pace.
const BUSY: u64 = 30;

/// Mines: every second for a while after something happened, rarely otherwise, so that kept blocks stay few.
pub async fn heartbeat(faucet: Faucet, stop: CancellationToken) {
    let (mut last, mut busy_until, mut beats) = (0, 0, 0);
    while stop.run_until_cancelled(tokio::time::sleep(BEAT)).await.is_some() {
        let Ok(head) = faucet.client().head().await else {
            continue;
        };
        if head != last {
            // Whatever we did not mine came with a transaction.
            busy_until = head + BUSY;
        }
        beats += 1;
        last = head;
        if (head < busy_until || beats >= REST) && faucet.seal().await.is_ok() {
            last = head + 1;
            beats = 0;
        }
    }
}
