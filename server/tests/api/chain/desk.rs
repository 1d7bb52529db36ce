//! A server beside a chain, with a watcher that works when the test says so.

use crate::{
    chain_kit::{CONFIRMATIONS, TestChain, milli},
    kit::{Client, TestApp},
};
use alloy::primitives::{Address, B256, U256};
use protocol::ids::NodeId;
use serde_json::{Value, json};
use server::{
    foundation::{context::Parts, lease},
    jobs,
    ledger::verify,
    wallet::{
        chain::Coin,
        watcher::{LEASE, Trouble, Watcher},
    },
};
use std::sync::Arc;

pub struct Desk {
    pub app: TestApp,
    pub chain: TestChain,
    pub node: NodeId,
}

impl Desk {
    pub async fn open() -> Self {
        let chain = TestChain::start().await;
        let app = TestApp::start_with_parts(Parts::default().with(chain.chain())).await;
        let desk = Self {
            app,
            chain,
            node: NodeId::fresh(),
        };
        desk.watch().await;
        desk
    }

    /// A watcher as a node makes one at its start: it remembers nothing.
    pub async fn watcher(&self, node: NodeId) -> Option<Watcher> {
        let context = &self.app.context;
        let ttl = time::Duration::seconds(30);
        let held = lease::acquire(context.db.pool(), LEASE, node, context.now(), ttl)
            .await
            .unwrap()?;
        Some(Watcher::new(
            context.clone(),
            self.chain.chain(),
            held.fence,
            Arc::new(|_| {}),
        ))
    }

    /// Reads and counts everything that is there, then does the jobs.
    pub async fn watch(&self) {
        self.try_watch().await.unwrap();
    }

    pub async fn try_watch(&self) -> Result<(), Trouble> {
        let mut watcher = self.watcher(self.node).await.expect("the lease is taken");
        while watcher.round().await? {}
        while jobs::round(&self.app.context).await.unwrap() > 0 {}
        Ok(())
    }

    /// Mines so many blocks and watches them.
    pub async fn mine(&self, blocks: u64) {
        self.chain.mine(blocks).await;
        self.watch().await;
    }

    /// Pays, mines the payment's block and as many as confirm it, watches.
    pub async fn paid(&self, coin: Coin, to: Address, wei: U256) -> B256 {
        let tx = self.chain.pay(coin, to, wei).await;
        self.mine(CONFIRMATIONS).await;
        tx
    }

    pub async fn intent(&self, client: &Client, value: &str) -> Intent {
        let body = json!({ "licenseValue": value, "product": "usdt_bep20", "isHighRisk": false, "riskAccepted": true });
        Intent::read(client.post("/trader/create-deposit-intent", &body).await.ok())
    }

    pub async fn plain(&self, client: &Client, coin: &str, value: &str) -> Intent {
        Intent::read(
            client
                .post("/deposit", &json!({ "coin": coin, "value": value }))
                .await
                .ok(),
        )
    }

    /// The books are exact, and custody holds what was booked.
    pub async fn exact(&self) {
        let report = verify::verify(&self.app.context.db).await.unwrap();
        assert!(report.exact, "{report}");
    }

    pub async fn balance(&self, client: &Client, account: &str) -> i64 {
        self.sum("user", Some(client.user.0), account).await
    }

    pub async fn house(&self, account: &str) -> i64 {
        self.sum("house", None, account).await
    }

    async fn sum(&self, kind: &str, owner: Option<uuid::Uuid>, account: &str) -> i64 {
        sqlx::query_scalar(
            "SELECT coalesce(sum(balance), 0)::bigint FROM ledger.account
             WHERE owner_kind = $1 AND owner IS NOT DISTINCT FROM $2 AND name = $3 AND currency = 'USDT'",
        )
        .bind(kind)
        .bind(owner)
        .bind(account)
        .fetch_one(&self.app.sql)
        .await
        .unwrap()
    }
}

#[derive(Clone, Debug)]
pub struct Intent {
    pub id: String,
    pub address: Address,
    pub due: U256,
    pub body: Value,
}

impl Intent {
    pub fn read(body: Value) -> Self {
        Self {
            id: body["_id"].as_str().unwrap().to_owned(),
            address: body["address"].as_str().unwrap().parse().unwrap(),
            due: body["due"].as_str().unwrap_or("0").parse().unwrap(),
            body,
        }
    }
}

impl Client {
    /// One's deposits over the chain, newest first.
    pub async fn deposits(&self) -> Vec<Value> {
        self.get("/list-deposits?limit=100").await.ok()["data"]
            .as_array()
            .unwrap()
            .clone()
    }

    pub async fn deposit(&self, id: &str) -> Value {
        self.deposits()
            .await
            .into_iter()
            .find(|d| d["_id"] == id)
            .unwrap()
    }

    /// Those that are no intent of their own, as (outcome, status, credited).
    pub async fn unasked(&self) -> Vec<(String, String, String)> {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        self.deposits()
            .await
            .iter()
            .filter(|d| d["expiresAt"].is_null())
            .map(|d| (text(&d["outcome"]), text(&d["status"]), text(&d["credited"])))
            .collect()
    }
}

/// Whole coins in wei.
pub fn coins(whole: u64) -> U256 {
    milli(whole * 1_000)
}
