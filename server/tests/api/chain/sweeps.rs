//! Gathering: gas first, then the coins; our own transactions are nobody's deposit.

use super::desk::{Desk, coins};
use crate::{
    chain_kit::{CONFIRMATIONS, SEED, TestChain, milli},
    kit::TestApp,
};
use alloy::{primitives::address, signers::local::PrivateKeySigner};
use server::{
    foundation::{context::Parts, lease},
    wallet::{
        chain::Coin,
        local::KeptSigner,
        sender::LEASE,
        sweeps::service::{self as sweeps, Sweeping},
    },
};
use std::sync::Arc;

#[actix_web::test]
async fn coins_reach_the_treasury_and_gas_is_no_deposit() {
    let chain = TestChain::start().await;
    let treasury = address!("00000000000000000000000000000000007ea5e0");
    let gas = PrivateKeySigner::random();
    chain.faucet().fund(gas.address(), coins(1)).await.unwrap();
    let signer = KeptSigner::new(31337, &SEED, gas, treasury, chain.contracts()).unwrap();
    let sweeping = Sweeping {
        signer: Arc::new(signer),
        treasury,
    };
    let parts = Parts::default().with(chain.chain());
    let desk = Desk {
        app: TestApp::start_with_parts(parts).await,
        chain,
        node: protocol::ids::NodeId::fresh(),
    };
    desk.watch().await;
    let gather = async || {
        desk.mine(CONFIRMATIONS).await;
        let context = &desk.app.context;
        let ttl = time::Duration::seconds(30);
        let held = lease::acquire(context.db.pool(), LEASE, desk.node, context.now(), ttl);
        let fence = held.await.unwrap().expect("the lease is taken").fence;
        sweeps::round(context, &desk.chain.chain(), &sweeping, fence)
            .await
            .unwrap();
    };
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "100").await;
    let small = desk.plain(&ana, "usdt", "10").await;
    let waits = desk.plain(&ana, "bnb", "10").await;
    desk.chain.pay(Coin::Usdt, small.address, coins(4)).await;
    desk.chain.pay(Coin::Bnb, waits.address, milli(500)).await;
    desk.paid(Coin::Usdt, intent.address, coins(105)).await;
    let token = desk.chain.contracts().usdt.unwrap();
    let client = desk.chain.client();
    for _ in 0..4 {
        gather().await;
    }
    assert_eq!(
        client.token_balance(token, treasury, None).await.unwrap(),
        coins(105)
    );
    assert_eq!(
        client.token_balance(token, small.address, None).await.unwrap(),
        coins(4),
        "too little to gather"
    );
    assert_eq!(
        client.balance(waits.address, None).await.unwrap(),
        milli(500),
        "it waits for a decision"
    );
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT kind, state FROM wallet.sweep ORDER BY created_at")
            .fetch_all(&desk.app.sql)
            .await
            .unwrap();
    assert_eq!(
        rows,
        [("gas".into(), "done".into()), ("sweep".into(), "done".into())]
    );
    assert_eq!(ana.deposits().await.len(), 3, "gas is no deposit");
    // A second payment to the emptied address is credited and gathered like the first.
    desk.paid(Coin::Usdt, intent.address, coins(53)).await;
    for _ in 0..4 {
        gather().await;
    }
    assert_eq!(
        client.token_balance(token, treasury, None).await.unwrap(),
        coins(158)
    );
    assert_eq!(ana.unasked().await[0].2, "50.000000");
    desk.exact().await;
}
