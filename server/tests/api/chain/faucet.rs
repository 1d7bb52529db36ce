//! Play money, in a demo alone; the sales that it pays for.

use super::desk::{Desk, coins};
use crate::{
    chain_kit::{CONFIRMATIONS, TestChain},
    kit::TestApp,
};
use serde_json::json;
use server::{foundation::context::Parts, wallet::chain::Coin};

#[actix_web::test]
async fn it_pays_ones_own_deposit_or_any_address() {
    let chain = TestChain::start().await;
    let parts = Parts::default().with(chain.chain()).with(chain.faucet());
    let desk = Desk {
        app: TestApp::start_with_parts(parts).await,
        chain,
        node: protocol::ids::NodeId::fresh(),
    };
    desk.watch().await;
    assert_eq!(desk.app.anonymous().get("/config").await.ok()["faucet"], true);
    let (ana, bia) = (desk.app.user("ana").await, desk.app.user("bia").await);
    let intent = desk.intent(&ana, "50").await;
    bia.post("/dev/faucet", &json!({ "deposit": intent.id }))
        .await
        .refused(404, "request.not_found");
    ana.post("/dev/faucet", &json!({ "deposit": intent.id, "value": "30" }))
        .await
        .ok();
    desk.mine(1).await;
    ana.post("/dev/faucet", &json!({ "deposit": intent.id }))
        .await
        .ok();
    desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.deposit(&intent.id).await["outcome"], "exact");
    ana.post("/dev/faucet", &json!({ "deposit": intent.id }))
        .await
        .refused(409, "deposit.state");
    let to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    for (coin, value, code) in [
        ("bnb", "0", "amount.not_positive"),
        ("bnb", "1000001", "amount.invalid"),
    ] {
        ana.post(
            "/dev/faucet",
            &json!({ "address": to, "coin": coin, "value": value }),
        )
        .await
        .refused(422, code);
    }
    ana.post(
        "/dev/faucet",
        &json!({ "address": to, "coin": "bnb", "value": "2" }),
    )
    .await
    .ok();
    desk.chain.mine(1).await;
    let balance = desk
        .chain
        .client()
        .balance(to.parse().unwrap(), None)
        .await
        .unwrap();
    assert_eq!(balance, coins(2));

    // The sale, beside one from the balance.
    let asked = desk.plain(&ana, "usdt", "100").await;
    desk.paid(Coin::Usdt, asked.address, coins(105)).await;
    let plans = ana.get("/licences/plans").await.ok();
    let buy = json!({ "plan": plans[1]["_id"], "source": "available", "riskAccepted": true });
    ana.post("/licences/buy", &buy).await.ok();
    let staff = desk.app.admin("ada").await;
    let report = staff.get("/admin/crypto-deposits-list?sortby=value").await.ok();
    assert_eq!(report["meta"]["total"], 2);
    assert_eq!(report["data"][0]["method"], "balance");
    assert_eq!(report["data"][1]["method"], "usdt_bep20");
    assert_eq!(report["data"][1]["wei"], coins(53).to_string());
    assert_eq!(report["days"][0]["total"], "150.000000");
    assert_eq!(report["groups"].as_array().unwrap().len(), 2);
    let only = staff
        .get("/admin/crypto-deposits-list?selectedMethod=usdt_bep20")
        .await
        .ok();
    assert_eq!(only["meta"]["total"], 1);
    let total = async |query: &str| {
        let page = staff
            .get(&format!("/admin/crypto-deposits-list?{query}"))
            .await
            .ok();
        page["meta"]["total"].as_i64().unwrap()
    };
    let all = total("").await;
    assert!(all > 0);
    for (query, expected) in [
        ("status=active", all),
        ("status=reversed", 0),
        ("function=customer", all),
        ("function=salesperson", 0),
        ("selectedProduct=license", all),
        ("selectedMethod=balance", 1),
        ("selectedMethod=busd_bep20", 0),
        ("selectedMethod=bnb", 0),
        ("selectedMethod=usdt_bep20&selectedProduct=license", 1),
        ("selectedMethod=sponsored", 0),
        ("endDate=2020-01-01", 0),
        ("search=nobody-of-this-name", 0),
    ] {
        assert_eq!(total(query).await, expected, "{query}");
    }
    for bad in [
        "status=gold",
        "selectedProduct=gold",
        "selectedProduct=plain",
        "selectedProduct=liquidity_for_pools",
        "selectedMethod=pix",
        "startDate=gold",
    ] {
        staff
            .get(&format!("/admin/crypto-deposits-list?{bad}"))
            .await
            .refused(422, "request.invalid");
    }
    let deposits = async |query: &str| {
        let page = staff
            .get(&format!("/admin/all-crypto-deposits-list?{query}"))
            .await
            .ok();
        page["meta"]["total"].as_i64().unwrap()
    };
    let came = deposits("").await;
    assert!(came > 0);
    assert_eq!(deposits("selectedMethod=usdt_bep20").await, came);
    assert_eq!(deposits("selectedMethod=bnb").await, 0);
    assert_eq!(deposits("function=salesperson").await, 0);
    staff
        .get("/admin/all-crypto-deposits-list?selectedMethod=pix")
        .await
        .refused(422, "request.invalid");
    staff
        .get("/admin/crypto-deposits-list?selectedMethod=gold")
        .await
        .refused(422, "request.invalid");
}

#[actix_web::test]
async fn without_a_chain_of_its_own_there_is_no_such_call() {
    let app = TestApp::start().await;
    assert_eq!(app.anonymous().get("/config").await.ok()["faucet"], false);
    app.user("ana")
        .await
        .post("/dev/faucet", &json!({}))
        .await
        .refused(404, "request.not_found");
}
