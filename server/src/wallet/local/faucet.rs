//! Play money for whoever asks: mints the test tokens, gives native coin, mines.

use super::Deployment;
use crate::{
    config::LOCAL_CHAIN,
    wallet::chain::{
        ChainError, Client, Coin,
        contracts::TestToken,
        signer::{Signed, SignerError},
    },
};
use alloy::{
    consensus::{SignableTransaction, TxEnvelope, TxLegacy},
    eips::eip2718::Encodable2718,
    network::TxSignerSync,
    primitives::{Address, Bytes, TxHash, TxKind, U256},
    providers::Provider,
    signers::local::PrivateKeySigner,
    sol_types::SolCall,
};
use std::sync::Arc;
use tokio::sync::Mutex;

/// Signs a legacy transaction with a key at hand.
///
/// # Errors
/// When the key refuses.
pub fn sign(key: &PrivateKeySigner, mut tx: TxLegacy) -> Result<Signed, SignerError> {
    let signature = key
        .sign_transaction_sync(&mut tx)
        .map_err(|e| SignerError::Failed(e.to_string()))?;
    let signed = TxEnvelope::from(tx.into_signed(signature));
    Ok(Signed {
        hash: *signed.tx_hash(),
        raw: Bytes::from(signed.encoded_2718()),
    })
}

/// The account that deployed the test coins and may mint them. Cheap to clone; sends one transaction at a time.
#[derive(Clone)]
pub struct Faucet {
    client: Client,
    key: PrivateKeySigner,
    turn: Arc<Mutex<()>>,
    deployment: Deployment,
}

impl std::fmt::Debug for Faucet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Faucet({})", self.key.address())
    }
}

impl Faucet {
    #[must_use]
    pub fn new(client: Client, key: PrivateKeySigner) -> Self {
        let deployment = Deployment::by(key.address());
        Self {
            client,
            key,
            turn: Arc::default(),
            deployment,
        }
    }

    #[must_use]
    pub(super) fn with(self, deployment: Deployment) -> Self {
        Self { deployment, ..self }
    }

    #[must_use]
    pub fn address(&self) -> Address {
        self.key.address()
    }

    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Sets an account's native balance, which only a development node can.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn fund(&self, account: Address, wei: U256) -> Result<(), ChainError> {
        self.ask("anvil_setBalance", (account, wei)).await
    }

    /// Mines blocks, a second apart.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn mine(&self, blocks: u64) -> Result<(), ChainError> {
        self.ask("anvil_mine", (U256::from(blocks), U256::from(1))).await
    }

    /// Puts whatever waits into a block now.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn seal(&self) -> Result<(), ChainError> {
        self.ask("evm_mine", ()).await
    }

    async fn ask<P: alloy::rpc::json_rpc::RpcSend>(
        &self,
        method: &'static str,
        params: P,
    ) -> Result<(), ChainError> {
        let _: serde_json::Value = self.client.provider().raw_request(method.into(), params).await?;
        Ok(())
    }

    /// Gives coins away: tokens are minted, BNB comes from the faucet's own endless purse.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn give(&self, coin: Coin, to: Address, wei: U256) -> Result<TxHash, ChainError> {
        match self.deployment.token(coin) {
            None => self.send(TxKind::Call(to), wei, Bytes::new()).await,
            Some(token) => {
                let mint = TestToken::mintCall { to, amount: wei };
                self.call(token, U256::ZERO, mint.abi_encode()).await
            }
        }
    }

    /// Calls a contract from the faucet's account.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn call(&self, contract: Address, value: U256, input: Vec<u8>) -> Result<TxHash, ChainError> {
        self.send(TxKind::Call(contract), value, input.into()).await
    }

    /// Signs and sends one transaction; its nonce is the chain's.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn send(&self, to: TxKind, value: U256, input: Bytes) -> Result<TxHash, ChainError> {
        let _turn = self.turn.lock().await;
        let tx = TxLegacy {
            chain_id: Some(LOCAL_CHAIN),
            nonce: self.client.pending_nonce(self.key.address()).await?,
            gas_price: self.client.gas_price().await? * 2,
            gas_limit: 12_000_000,
            to,
            value,
            input,
        };
        let signed = sign(&self.key, tx).map_err(|_| ChainError::Nonsense("a key that does not sign"))?;
        self.client.send_raw(&signed.raw).await
    }
}
