//! A desk with a hot wallet, whose sender works when the test says so.

use super::desk::{Desk, coins};
use crate::{
    chain_kit::{CONFIRMATIONS, SEED, TestChain},
    identity::people::lift_caps,
    kit::{Client, Reply, TestApp},
};
use alloy::{
    primitives::{Address, U256, address},
    signers::local::PrivateKeySigner,
};
use protocol::{ids::NodeId, money::Usdt};
use serde_json::{Value, json};
use server::{
    foundation::{clock::ShiftedClock, context::Parts, lease},
    ledger::{amount::Coin as BookedCoin, model::*, service as ledger},
    market::Rates,
    wallet::{
        chain::{Coin, booked, keys::DepositKeys, signer::Signers, wei},
        hot::{
            Vault,
            signer::{Caps, HotSigner, HouseSigner},
        },
        sender::{
            LEASE, Policy,
            service::{self as sender, Sending},
        },
        watcher::Trouble,
    },
};
use std::sync::Arc;

/// Where the tests' customers want their coins.
pub const AWAY: Address = address!("fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359");

pub struct Setup {
    pub caps: Caps,
    pub vault: Vault,
    pub policy: Policy,
    pub hot: Option<PrivateKeySigner>,
    /// Whole USDT and BNB that the hot wallet begins with on the chain.
    pub usdt: u64,
    pub bnb: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            caps: Caps::default(),
            vault: Vault::default(),
            policy: Policy::default(),
            hot: Some(PrivateKeySigner::random()),
            usdt: 10_000,
            bnb: 10,
        }
    }
}

pub struct Payout {
    pub desk: Desk,
    pub sending: Sending,
    pub rates: Rates,
    pub node: NodeId,
}

impl Payout {
    pub async fn open() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn with(setup: Setup) -> Self {
        let chain = TestChain::start().await;
        let hot = setup.hot.as_ref().map(PrivateKeySigner::address);
        let signer = setup.hot.map(|key| {
            HotSigner::new(
                key,
                31337,
                chain.contracts(),
                setup.vault,
                DepositKeys::of_seed(&SEED).map(Arc::new),
                setup.caps,
                Arc::new(ShiftedClock::default()),
            )
        });
        let house = HouseSigner {
            hot: signer,
            kept: None,
        };
        let sending = Sending {
            signers: Some(Signers {
                house: Arc::new(house),
                users: None,
            }),
            hot,
            gas: None,
            vault: setup.vault,
            policy: setup.policy,
        };
        let rates = Rates::default();
        let parts = Parts::default()
            .with(chain.chain())
            .with(sending.clone())
            .with(rates.clone());
        let app = TestApp::start_with_parts(parts).await;
        lift_caps(&app).await;
        let payout = Self {
            desk: Desk {
                app,
                chain,
                node: NodeId::fresh(),
            },
            sending,
            rates,
            node: NodeId::fresh(),
        };
        payout.fill(Coin::Usdt, coins(setup.usdt)).await;
        payout.fill(Coin::Bnb, coins(setup.bnb)).await;
        payout
    }

    pub fn app(&self) -> &TestApp {
        &self.desk.app
    }

    pub fn hot(&self) -> Address {
        self.sending.hot.expect("there is no hot wallet")
    }

    /// Coins on the chain alone.
    pub async fn fill(&self, coin: Coin, wei: U256) {
        if let Some(hot) = self.sending.hot
            && !wei.is_zero()
        {
            self.desk.chain.pay(coin, hot, wei).await;
            self.desk.chain.mine(1).await;
        }
    }

    /// Coins in the books alone, as the house's own.
    pub async fn capital(&self, coin: Coin, wei_: U256) {
        let coin: BookedCoin = booked(coin);
        let amount = wei::booked(wei_).unwrap();
        let mut tx = self.app().context.db.begin().await.unwrap();
        let order = Transfer::new(
            TransferKind::HouseCapital,
            uuid::Uuid::now_v7().to_string(),
            Cause::new(CauseKind::User, uuid::Uuid::nil()),
            Orderer::System,
        )
        .wei(AccountRef::House(HouseAccount::CustodyChain(coin)), coin, -amount)
        .wei(AccountRef::House(HouseAccount::Fx(Fx::Coin(coin))), coin, amount);
        ledger::post(&mut tx, order).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Old money, which came in over the chain.
    pub async fn customer(&self, name: &str, whole: i64) -> Client {
        let user = self.app().user(name).await;
        self.credit(&user, whole).await;
        user
    }

    pub async fn credit(&self, user: &Client, whole: i64) {
        let amount = Usdt::whole(whole);
        let held = wei::booked(wei::of(amount.0)).unwrap();
        let (custody, exchange) = (
            AccountRef::House(HouseAccount::CustodyChain(BookedCoin::Usdt)),
            AccountRef::House(HouseAccount::Fx(Fx::Coin(BookedCoin::Usdt))),
        );
        let order = Transfer::new(
            TransferKind::DepositChain,
            uuid::Uuid::now_v7().to_string(),
            Cause::new(CauseKind::User, user.user.0),
            Orderer::System,
        )
        .wei(custody, BookedCoin::Usdt, -held)
        .wei(exchange, BookedCoin::Usdt, held)
        .usdt(exchange, -amount)
        .usdt(AccountRef::User(user.user, UserAccount::Available), amount);
        let mut tx = self.app().context.db.begin().await.unwrap();
        ledger::post(&mut tx, order).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// One round of the sender.
    pub async fn round(&self) {
        self.try_round().await.unwrap();
    }

    pub async fn try_round(&self) -> Result<(), Trouble> {
        let context = &self.app().context;
        let ttl = time::Duration::seconds(30);
        let held = lease::acquire(context.db.pool(), LEASE, self.node, context.now(), ttl)
            .await
            .unwrap()
            .expect("the lease is taken");
        sender::round(context, &self.desk.chain.chain(), &self.sending, held.fence).await
    }

    /// Mines so many blocks, then a round.
    pub async fn mine(&self, blocks: u64) {
        self.desk.chain.mine(blocks).await;
        self.round().await;
    }

    /// Until everything that is sent is final.
    pub async fn finish(&self) {
        self.mine(1).await;
        self.mine(CONFIRMATIONS).await;
    }

    pub async fn ask_for(&self, user: &Client, coin: &str, to: Address, value: &str) -> Reply {
        user.post("/withdraw", &order(coin, to, value)).await
    }

    /// The newest mail with a link.
    pub async fn letter(&self, user: &Client) -> String {
        sqlx::query_scalar(
            "SELECT text_body FROM foundation.mail WHERE user_id = $1 AND template = 'crypto_withdrawal_link' ORDER BY created_at DESC, id DESC LIMIT 1",
        )
        .bind(user.user.0)
        .fetch_one(&self.app().sql)
        .await
        .unwrap()
    }

    /// The newest mailed link's token.
    pub async fn link(&self, user: &Client) -> String {
        let text = self.letter(user).await;
        let (_, rest) = text.split_once("?confirm=").unwrap();
        let link: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
        link.split_once('.').unwrap().1.to_owned()
    }

    pub async fn confirm(&self, user: &Client) -> Value {
        let token = self.link(user).await;
        user.post("/withdraw/confirm", &json!({ "token": token }))
            .await
            .ok()
    }

    /// Asked for and confirmed by the link.
    pub async fn pending(&self, user: &Client, coin: &str, to: Address, value: &str) -> Value {
        self.ask_for(user, coin, to, value).await.ok();
        let row = self.confirm(user).await;
        assert_eq!(row["status"], "pending");
        row
    }

    pub async fn approved(&self, user: &Client, admin: &Client, to: Address, value: &str) -> Value {
        let row = self.pending(user, "usdt", to, value).await;
        let row = decide(admin, &row, json!({})).await.ok();
        assert_eq!(row["status"], "approved");
        row
    }

    pub async fn see(&self, user: &Client, row: &Value) -> Value {
        user.get(&format!("/withdraw/{}", id(row))).await.ok()
    }

    pub async fn status(&self, user: &Client, row: &Value) -> String {
        self.see(user, row).await["status"].as_str().unwrap().to_owned()
    }

    pub async fn on_chain(&self, coin: Coin, of: Address) -> U256 {
        let client = self.desk.chain.client();
        match self.desk.chain.contracts().token(coin) {
            Some(token) => client.token_balance(token, of, None).await.unwrap(),
            None => client.balance(of, None).await.unwrap(),
        }
    }

    pub async fn alerts(&self, admin: &Client) -> Vec<String> {
        let wallet = admin.get("/admin/hot-wallet").await.ok();
        wallet["alerts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.app().sql).await.unwrap()
    }

    pub fn price(&self, coin: &str, usdt: Usdt) {
        for venue in ["a", "b", "c"] {
            self.rates.note(coin, venue, usdt, self.app().context.now());
        }
    }
}

pub fn order(coin: &str, to: Address, value: &str) -> Value {
    json!({ "coin": coin, "address": to.to_checksum(None), "value": value })
}

pub fn id(row: &Value) -> String {
    row["_id"].as_str().unwrap().to_owned()
}

pub async fn decide(admin: &Client, row: &Value, more: Value) -> Reply {
    let mut body = json!({ "id": id(row), "status": "approved", "amount": row["amount"] });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    admin
        .patch("/admin/crypto-withdrawal-approve-reject", &body)
        .await
}

pub async fn reject(admin: &Client, row: &Value, reason: &str) -> Reply {
    decide(admin, row, json!({ "status": "rejected", "reason": reason })).await
}
