//! A chain per test: a node of its own with test coins, a V2 exchange and liquidity. Blocks come when the test mines.
#![allow(dead_code)]

use alloy::{
    primitives::{Address, B256, TxHash, TxKind, U256, utils::Unit},
    providers::Provider,
    signers::local::PrivateKeySigner,
    sol_types::SolCall,
};
use serde_json::{Value, json};
use server::wallet::{
    chain::{Block, Chain, Client, Coin, Contracts, Finality, contracts::Erc20, keys::DepositKeys},
    local::{AnvilOptions, Deployment, LocalChain},
};
use std::path::{Path, PathBuf};

/// Of the deposit addresses.
pub const SEED: [u8; 32] = *b"a seed of thirty-two random byte";
/// Confirmations that tests wait for.
pub const CONFIRMATIONS: u64 = 5;

/// Where `tools/setup` put the node and the contracts.
pub fn tools() -> PathBuf {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/chain/node_modules");
    assert!(
        place.is_dir(),
        "the local chain's packages are missing: run tools/setup test"
    );
    place
}

/// So many thousandths of a coin, in wei.
pub fn milli(thousandths: u64) -> U256 {
    U256::from(thousandths) * Unit::ETHER.wei() / U256::from(1_000)
}

pub struct TestChain {
    local: Option<LocalChain>,
    key: PrivateKeySigner,
    folder: tempfile::TempDir,
    port: u16,
    /// When a block is final, for whoever asks this chain.
    pub finality: Finality,
}

impl TestChain {
    /// A chain with contracts and liquidity, on which nothing happens by itself any more.
    pub async fn start() -> Self {
        static PROVIDER: std::sync::Once = std::sync::Once::new();
        PROVIDER.call_once(|| {
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let mut chain = Self {
            local: None,
            key: PrivateKeySigner::random(),
            folder: tempfile::tempdir().unwrap(),
            port: 0,
            finality: Finality::Blocks,
        };
        chain.restart().await;
        chain
    }

    /// Starts the node again on its kept blocks, at its old address.
    pub async fn restart(&mut self) {
        self.stop();
        let options = AnvilOptions {
            folder: Some(self.folder.path().to_owned()),
            port: self.port,
        };
        let local = LocalChain::start(&tools(), options, self.key.clone())
            .await
            .unwrap();
        self.port = local.anvil.url().rsplit(':').next().unwrap().parse().unwrap();
        self.local = Some(local);
        self.ask("evm_setAutomine", json!([false])).await;
    }

    /// Stops the node; it keeps its blocks.
    pub fn stop(&mut self) {
        self.local = None;
    }

    fn local(&self) -> &LocalChain {
        self.local.as_ref().expect("the node is stopped")
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn client(&self) -> Client {
        self.local().client.clone()
    }

    pub fn deployment(&self) -> Deployment {
        self.local().deployment
    }

    pub fn contracts(&self) -> Contracts {
        self.local().deployment.contracts()
    }

    /// As the server's context holds it.
    pub fn chain(&self) -> Chain {
        Chain {
            client: self.client(),
            contracts: self.contracts(),
            confirmations: CONFIRMATIONS,
            finality: self.finality,
            deposits: DepositKeys::of_seed(&SEED).map(std::sync::Arc::new),
        }
    }

    /// Sends several transfers of a token in one transaction; it waits for the next block.
    pub async fn pay_in_one(&self, coin: Coin, transfers: &[(Address, U256)]) -> TxHash {
        let faucet = &self.local().faucet;
        let token = self.contracts().token(coin).unwrap();
        let total = transfers.iter().fold(U256::ZERO, |sum, (_, wei)| sum + wei);
        // The contract that pays lives only while it is made; its address is known before.
        let nonce = self.client().pending_nonce(faucet.address()).await.unwrap();
        let payer = faucet.address().create(nonce + 1);
        faucet.give(coin, payer, total).await.unwrap();
        let mut code = Vec::new();
        let length = transfers.len() * 49 + 5;
        for (n, _) in transfers.iter().enumerate() {
            let data = u16::try_from(length + n * 68).unwrap().to_be_bytes();
            // CODECOPY(0, data, 68); CALL(gas, token, 0, 0, 68, 0, 0)
            code.extend([0x60, 68, 0x61, data[0], data[1], 0x60, 0, 0x39]);
            code.extend([0x60, 0, 0x60, 0, 0x60, 68, 0x60, 0, 0x60, 0, 0x73]);
            code.extend(token.as_slice());
            code.extend([0x61, 0xff, 0xff, 0xf1, 0x50]);
            code.extend([0x5b; 5]);
        }
        code.extend([0x60, 0, 0x60, 0, 0xf3]);
        assert_eq!(code.len(), length);
        for (to, amount) in transfers {
            let call = Erc20::transferCall {
                to: *to,
                amount: *amount,
            };
            code.extend(call.abi_encode());
        }
        faucet
            .send(TxKind::Create, U256::ZERO, code.into())
            .await
            .unwrap()
    }

    pub fn faucet(&self) -> server::wallet::local::Faucet {
        self.local().faucet.clone()
    }

    /// Any call of the node.
    pub async fn ask(&self, method: &'static str, params: Value) -> Value {
        self.client()
            .provider()
            .raw_request(method.into(), params)
            .await
            .unwrap()
    }

    /// Sends coins; the payment waits for the next block.
    pub async fn pay(&self, coin: Coin, to: Address, wei: U256) -> TxHash {
        self.local().faucet.give(coin, to, wei).await.unwrap()
    }

    /// Mines so many blocks, a second apart.
    pub async fn mine(&self, blocks: u64) {
        self.local().faucet.mine(blocks).await.unwrap();
        self.settle_price().await;
    }

    /// The node takes a new block into its price of gas a moment after it has mined it; the price holds still from then on.
    async fn settle_price(&self) {
        for _ in 0..2_000 {
            let fees = self.ask("eth_feeHistory", json!(["0x1", "latest", []])).await;
            if fees["gasUsedRatio"]
                .as_array()
                .is_some_and(|blocks| !blocks.is_empty())
            {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        panic!("the node does not count its newest block");
    }

    /// The next block comes so many seconds after the newest.
    pub async fn pass(&self, seconds: i64) {
        self.ask("evm_increaseTime", json!([seconds])).await;
        self.mine(1).await;
    }

    pub async fn head(&self) -> u64 {
        self.client().head().await.unwrap()
    }

    pub async fn block(&self, number: u64) -> Block {
        self.client().block(number).await.unwrap().unwrap()
    }

    pub async fn hash(&self, number: u64) -> B256 {
        self.block(number).await.hash
    }

    /// A mined transaction as it was sent.
    pub async fn raw(&self, tx: TxHash) -> Vec<u8> {
        let raw = self.ask("eth_getRawTransactionByHash", json!([tx])).await;
        hex::decode(raw.as_str().unwrap().trim_start_matches("0x")).unwrap()
    }

    pub async fn send_raw(&self, raw: &[u8]) {
        self.client().send_raw(raw).await.unwrap();
    }

    /// Replaces the newest blocks by as many empty ones: what they held is gone.
    pub async fn reorg(&self, depth: u64) {
        self.ask("anvil_reorg", json!([depth, []])).await;
        // What fell out must not come back by itself.
        self.ask("anvil_dropAllTransactions", json!([])).await;
    }
}
