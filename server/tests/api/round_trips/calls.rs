//! Money calls of customers beside those of the first page.

use super::asks;
use crate::{
    chain::desk::Desk,
    chain_kit::milli,
    guard::{code, settings},
    kit::{TestApp, statements},
    licences::{fund, id},
    manual, pix, pools,
    presale_market::{open_market, order, trader},
    wallets::bench::Bench,
};
use alloy::primitives::{Address, address};
use serde_json::json;
use server::{
    ledger::model::UserAccount::{Available, Bonus},
    wallet::chain::Coin,
};

#[actix_web::test]
async fn bonus_pool_and_manual_operation() {
    let app = statements::counted(TestApp::start()).await;
    let ana = app.user("ana").await;
    fund(&app, &ana, Available, 1_000).await;
    fund(&app, &ana, Bonus, 10).await;
    asks(
        &app,
        &ana,
        "bonus withdrawn",
        ana.post("/bonus/withdraw", &json!({ "value": "5" })),
    )
    .await;
    asks(
        &app,
        &ana,
        "pool joined",
        ana.post("/pools/join", &pools::order(pools::POOL_90, "100")),
    )
    .await;
    manual::desk(&app).await;
    let licence = manual::steered(&app, &ana, 200).await;
    let name = "operation ordered by its owner";
    let order = asks(&app, &ana, name, manual::order(&ana, licence)).await;
    let path = format!("/trader/manual/{}/cancel", id(&order));
    let name = "operation taken back by its owner";
    asks(&app, &ana, name, ana.post(&path, &json!({}))).await;
}

#[actix_web::test]
async fn deposits_that_end() {
    let app = statements::counted(TestApp::start()).await;
    let ana = app.user("ana").await;
    let made = ana.post("/deposit-pix", &json!({ "usdt": "100" })).await.ok();
    let path = format!("/deposit-pix/{}/cancel", pix::id(&made));
    asks(&app, &ana, "PIX deposit canceled", ana.post(&path, &json!({}))).await;

    let desk = statements::counted(Desk::open()).await;
    let app = &desk.app;
    let ana = app.user("ana").await;
    asks(
        app,
        &ana,
        "crypto deposit asked for",
        ana.post("/deposit", &json!({ "coin": "usdt", "value": "20" })),
    )
    .await;
    let body =
        json!({ "licenseValue": "50", "product": "usdt_bep20", "isHighRisk": false, "riskAccepted": true });
    let intent = ana.post("/trader/create-deposit-intent", &body).await.ok();
    let body = json!({ "id": id(&intent) });
    asks(
        app,
        &ana,
        "deposit intent canceled",
        ana.post("/deposit/cancel", &body),
    )
    .await;
}

/// A price worse than its side's anchor: the loss is of the limits.
#[actix_web::test]
async fn pyx_orders_that_lose() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    open_market(&app).await;
    let (seller, buyer) = (
        trader(&app, "sara", 100, 100).await,
        trader(&app, "rui", 100, 100).await,
    );
    let name = "PYX order that waits, worse than the anchors";
    asks(&app, &seller, name, order(&seller, "sell", "0.49", "10")).await;
    let name = "PYX order to buy by which the other loses";
    asks(&app, &buyer, name, order(&buyer, "buy", "0.49", "10")).await;
    order(&seller, "sell", "0.51", "10").await.ok();
    let name = "PYX order to buy that loses";
    asks(&app, &buyer, name, order(&buyer, "buy", "0.51", "10")).await;
    order(&buyer, "buy", "0.49", "10").await.ok();
    let name = "PYX order to sell that loses";
    asks(&app, &seller, name, order(&seller, "sell", "0.49", "10")).await;
    order(&buyer, "buy", "0.51", "10").await.ok();
    let name = "PYX order to sell by which the other loses";
    asks(&app, &seller, name, order(&seller, "sell", "0.51", "10")).await;
}

#[actix_web::test]
async fn own_wallets() {
    const TO: Address = address!("7a11ce3d5b2f49e8860c1d94e7a5f0b2c36d81ce");
    let bench = statements::counted(Bench::open()).await;
    let app = bench.app();
    let coins = [(Coin::Usdt, milli(100_000)), (Coin::Bnb, milli(1_000))];
    let owner = bench.funded("ana", &coins).await;
    let ana = &owner.client;
    let to = TO.to_checksum(None);
    let mut body = json!({ "coin": "usdt", "address": to, "value": "10" });
    let name = "send from one's own wallet quoted";
    asks(app, ana, name, ana.post("/web3/transferToken/quote", &body)).await;
    body["securityCode"] = code(app, ana, "ana", "transfer-tokens", &to, "10 USDT")
        .await
        .into();
    asks(
        app,
        ana,
        "coins sent from one's own wallet",
        ana.post("/web3/transferToken", &body),
    )
    .await;
    bench.settle().await;

    let mut body = json!({ "coin": "usdt", "coinOut": "pyx", "value": "10", "slippage": "0.5" });
    let name = "swap in one's own wallet quoted";
    let quote = asks(app, ana, name, ana.post("/web3/swapTokens/quote", &body)).await;
    let text = |name: &str| quote[name].as_str().unwrap().to_owned();
    let (to, amount) = (text("destination"), text("amount"));
    let word = code(app, ana, "ana", "swap-tokens", &to, &amount).await;
    body["quote"] = quote["quote"].clone();
    body["securityCode"] = word.into();
    asks(
        app,
        ana,
        "coins swapped in one's own wallet",
        ana.post("/web3/swapTokens", &body),
    )
    .await;
}
