//! A server beside a chain, with users' wallets; watcher and sender work when the test says so.

use crate::{
    chain::desk::Desk,
    chain_kit::{CONFIRMATIONS, TestChain},
    guard::{code, settings},
    kit::{Client, Reply, TestApp},
    notifications,
};
use alloy::{
    primitives::{Address, B256, U256},
    sol_types::SolCall,
};
use protocol::ids::NodeId;
use serde_json::{Value, json};
use server::{
    foundation::{context::Parts, lease},
    wallet::{
        chain::{
            Coin,
            contracts::{Erc20, Router},
            signer::{Signer, Signers},
        },
        hot::{self, signer::HouseSigner},
        keys::{Caps, MasterKeys, UserSigner, Vault},
        sender::{self, Policy, service::Sending},
        user_wallets::service::Wallets,
    },
};
use std::sync::Arc;

pub const MASTER: [u8; 32] = [11; 32];

pub struct Bench {
    pub desk: Desk,
}

impl Bench {
    pub async fn open() -> Self {
        Self::with(Caps::default()).await
    }

    /// With other caps of the users' keys.
    pub async fn with(caps: Caps) -> Self {
        let chain = TestChain::start().await;
        let parts = Parts::default().with(chain.chain()).with(chain.faucet());
        let (client, contracts) = (chain.client(), chain.contracts());
        let app = TestApp::start_with_made(async |db| {
            let vault = Vault::open(db.pool(), MasterKeys::new(&MASTER, None), db.now())
                .await
                .unwrap();
            let users: Arc<dyn Signer> =
                Arc::new(UserSigner::new(&db, vault.clone(), client, contracts, caps));
            let house: Arc<dyn Signer> = Arc::new(HouseSigner {
                hot: None,
                kept: None,
            });
            parts.with(Wallets::new(vault)).with(Sending {
                signers: Some(Signers {
                    house,
                    users: Some(users),
                }),
                hot: None,
                gas: None,
                vault: hot::Vault::default(),
                policy: Policy::default(),
            })
        })
        .await;
        settings(&app, |_| {}).await;
        let desk = Desk {
            app,
            chain,
            node: NodeId::fresh(),
        };
        desk.watch().await;
        Self { desk }
    }

    pub fn app(&self) -> &TestApp {
        &self.desk.app
    }

    /// Somebody with an open wallet.
    pub async fn person(&self, name: &'static str) -> Owner {
        let client = self.app().user(name).await;
        let wallet = client.post("/web3/wallet", &json!({})).await.ok();
        Owner {
            name,
            client,
            address: wallet["address"].as_str().unwrap().parse().unwrap(),
        }
    }

    /// The same with coins in it.
    pub async fn funded(&self, name: &'static str, coins: &[(Coin, U256)]) -> Owner {
        let owner = self.person(name).await;
        for (coin, wei) in coins {
            self.desk.chain.pay(*coin, owner.address, *wei).await;
        }
        self.desk.mine(CONFIRMATIONS).await;
        owner
    }

    /// What a wallet holds on the chain.
    pub async fn held(&self, owner: Address, coin: Coin) -> U256 {
        let client = self.desk.chain.client();
        match self.desk.chain.contracts().token(coin) {
            None => client.balance(owner, None).await.unwrap(),
            Some(token) => client.token_balance(token, owner, None).await.unwrap(),
        }
    }

    /// Words are asked for with their code.
    pub async fn reveal(&self, owner: &Owner) -> Reply {
        let code = code(self.app(), &owner.client, owner.name, "reveal-phrase", "", "").await;
        owner
            .client
            .post("/web3/reveal-secret-phrase", &json!({ "securityCode": code }))
            .await
    }

    pub fn sending(&self) -> &Sending {
        self.app().context.part().unwrap()
    }

    /// One round of a sender that remembers nothing.
    pub async fn send_round(&self) {
        let context = &self.app().context;
        let ttl = time::Duration::seconds(30);
        let held = lease::acquire(
            context.db.pool(),
            sender::LEASE,
            self.desk.node,
            context.now(),
            ttl,
        )
        .await
        .unwrap()
        .expect("the lease is taken");
        sender::service::round(context, &self.desk.chain.chain(), self.sending(), held.fence)
            .await
            .unwrap();
    }

    /// Signs and sends what waits, buries it under enough blocks, and hears of it.
    pub async fn settle(&self) {
        self.send_round().await;
        self.desk.mine(CONFIRMATIONS).await;
        self.send_round().await;
    }

    /// (code, amount, coin) of what the inbox says of somebody's wallet, oldest first.
    pub async fn notified(&self, owner: &Owner) -> Vec<(String, String, String)> {
        notifications::drain(self.app()).await;
        let inbox = notifications::inbox(&owner.client).await;
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let mut lines: Vec<_> = inbox["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|l| text(&l["code"]).starts_with("wallet_"))
            .map(|l| {
                (
                    text(&l["code"]),
                    text(&l["params"]["amount"]),
                    text(&l["params"]["coin"]),
                )
            })
            .collect();
        lines.reverse();
        lines
    }

    /// Transactions that were ever queued.
    pub async fn queued(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM wallet.outgoing")
            .fetch_one(&self.app().sql)
            .await
            .unwrap()
    }

    /// Somebody else trades, before whatever waits.
    pub async fn trade_waiting(&self, coin: Coin, out: Coin, wei: U256) {
        let (faucet, known) = (self.desk.chain.faucet(), self.desk.chain.contracts());
        let (from, to) = (known.token(coin).unwrap(), known.token(out).unwrap());
        faucet.give(coin, faucet.address(), wei).await.unwrap();
        let call = Router::swapExactTokensForTokensCall {
            amountIn: wei,
            amountOutMin: U256::ZERO,
            path: vec![from, to],
            to: faucet.address(),
            deadline: U256::MAX,
        };
        faucet
            .call(known.router.unwrap(), U256::ZERO, call.abi_encode())
            .await
            .unwrap();
    }

    pub async fn trade(&self, coin: Coin, out: Coin, wei: U256) {
        self.trade_waiting(coin, out, wei).await;
        self.desk.mine(1).await;
    }

    /// What the router may take of a wallet.
    pub async fn allowance(&self, token: Address, owner: Address) -> U256 {
        let ask = Erc20::allowanceCall {
            owner,
            spender: self.desk.chain.contracts().router.unwrap(),
        };
        let answers = self
            .desk
            .chain
            .client()
            .calls(&[(token, ask.abi_encode())])
            .await
            .unwrap();
        Erc20::allowanceCall::abi_decode_returns(answers[0].as_ref().unwrap()).unwrap()
    }

    pub async fn pay(&self, coin: Coin, to: Address, wei: U256) -> B256 {
        self.desk.chain.pay(coin, to, wei).await
    }
}

/// Somebody with a wallet.
pub struct Owner {
    pub name: &'static str,
    pub client: Client,
    pub address: Address,
}

impl Owner {
    pub fn shown(&self) -> String {
        self.address.to_checksum(None)
    }

    pub async fn history(&self, query: &str) -> Value {
        self.client
            .get(&format!("/web3/historic_wallet/{}{query}", self.shown()))
            .await
            .ok()
    }

    /// (kind, status, coin) of each line.
    pub async fn lines(&self, query: &str) -> Vec<(String, String, String)> {
        let page = self.history(query).await;
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| (text(&m["kind"]), text(&m["status"]), text(&m["coin"])))
            .collect()
    }

    /// Wei and what is kept aside of a coin, as the screen shows them.
    pub async fn balance(&self, coin: &str) -> (U256, U256) {
        let all = self
            .client
            .get(&format!("/web3/readWalletBalances/{}", self.shown()))
            .await
            .ok();
        let one = all["data"]
            .as_array()
            .unwrap()
            .iter()
            .find(|b| b["coin"] == coin)
            .unwrap_or_else(|| panic!("no {coin} in {all}"))
            .clone();
        let wei = |v: &Value| v.as_str().unwrap().parse().unwrap();
        (wei(&one["wei"]), wei(&one["aside"]))
    }
}
