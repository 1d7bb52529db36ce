//! The chain changes its mind: one block deep, several, deeper than what counts as confirmed.

use super::desk::{Desk, coins};
use crate::chain_kit::CONFIRMATIONS;
use serde_json::json;
use server::wallet::chain::Coin;

#[actix_web::test]
async fn what_was_only_seen_is_forgotten_and_may_come_again() {
    for depth in [1, 3] {
        let desk = Desk::open().await;
        let ana = desk.app.user("ana").await;
        let intent = desk.intent(&ana, "50").await;
        desk.chain.pay(Coin::Usdt, intent.address, intent.due).await;
        desk.mine(depth).await;
        assert_eq!(ana.deposit(&intent.id).await["status"], "pending", "{depth}");
        desk.chain.reorg(depth).await;
        desk.watch().await;
        let back = ana.deposit(&intent.id).await;
        assert_eq!(back["status"], "waiting_for_buyer_funds", "{depth}");
        assert_eq!((&back["seen"], &back["transaction"]), (&json!("0"), &json!(null)));
        desk.mine(CONFIRMATIONS + 1).await;
        assert_eq!(desk.balance(&ana, "available").await, 0);
        desk.paid(Coin::Usdt, intent.address, intent.due).await;
        assert_eq!(ana.deposit(&intent.id).await["outcome"], "exact", "{depth}");
        desk.exact().await;
    }
}

#[actix_web::test]
async fn a_payment_that_moves_to_another_block_counts_once() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let asked = desk.plain(&ana, "usdt", "50").await;
    let tx = desk.chain.pay(Coin::Usdt, asked.address, coins(53)).await;
    desk.mine(2).await;
    let raw = desk.chain.raw(tx).await;
    desk.chain.reorg(2).await;
    desk.watch().await;
    desk.chain.send_raw(&raw).await;
    desk.mine(CONFIRMATIONS + 2).await;
    let done = ana.deposit(&asked.id).await;
    assert_eq!(
        (&done["status"], &done["transaction"]),
        (&json!("complete"), &json!(tx.to_string()))
    );
    assert_eq!(desk.balance(&ana, "available").await, 50_000_000);
    desk.exact().await;
}

#[actix_web::test]
async fn what_had_counted_halts_crediting_and_is_taken_back() {
    let desk = Desk::open().await;
    let (ana, bia, staff) = (
        desk.app.user("ana").await,
        desk.app.user("bia").await,
        desk.app.admin("ada").await,
    );
    let (asked, other) = (
        desk.plain(&ana, "usdt", "100").await,
        desk.plain(&bia, "usdt", "25").await,
    );
    desk.paid(Coin::Usdt, asked.address, coins(105)).await;
    assert_eq!(desk.balance(&ana, "available").await, 100_000_000);
    // Spent on a licence of 50 meanwhile.
    let plans = ana.get("/licences/plans").await.ok();
    let plan = &plans[0]["_id"];
    let buy = json!({ "plan": plan, "source": "available", "riskAccepted": true });
    ana.post("/licences/buy", &buy).await.ok();

    desk.chain.reorg(CONFIRMATIONS + 2).await;
    desk.watch().await;
    let queue = staff.get("/admin/all-crypto-deposits-list").await.ok();
    assert_eq!(queue["watcher"]["halted"], "reorg");
    assert_eq!(ana.get("/me").await.ok()["user"]["hold"]["reason"], "chain_reorg");
    // Those who decide are told, once.
    crate::notifications::drain(&desk.app).await;
    let lines = |inbox: serde_json::Value| -> Vec<(String, serde_json::Value)> {
        inbox["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|l| {
                (
                    l["code"].as_str().unwrap().to_owned(),
                    l["params"]["count"].clone(),
                )
            })
            .collect()
    };
    let told = lines(staff.get("/notifications").await.ok());
    assert_eq!(told, [("chain_reorganised".to_owned(), json!(1))]);
    assert!(
        !lines(bia.get("/notifications").await.ok())
            .iter()
            .any(|(code, _)| code == "chain_reorganised")
    );
    // Nobody is credited while it is not clear what holds.
    desk.chain.pay(Coin::Usdt, other.address, coins(27)).await;
    desk.mine(CONFIRMATIONS - 1).await;
    assert_eq!(desk.balance(&bia, "available").await, 0);
    desk.exact().await;

    desk.mine(CONFIRMATIONS + 3).await;
    let lost = ana.deposit(&asked.id).await;
    assert_eq!(lost["reversed"], true);
    assert_eq!(
        (
            desk.balance(&ana, "available").await,
            desk.balance(&ana, "debt").await
        ),
        (0, 0)
    );
    let licences = ana.get("/get-user-licenses").await.ok();
    assert_eq!(licences["data"][0]["state"], "reversed");
    let queue = staff.get("/admin/all-crypto-deposits-list").await.ok();
    assert_eq!(queue["watcher"]["halted"], json!(null));
    assert_eq!(desk.balance(&bia, "available").await, 25_000_000);
    desk.exact().await;
}

#[actix_web::test]
async fn what_comes_back_after_a_deep_reorganisation_stays_credited() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "50").await;
    let tx = desk.paid(Coin::Usdt, intent.address, intent.due).await;
    let raw = desk.chain.raw(tx).await;
    let licence = ana.deposit(&intent.id).await["licence"].clone();
    desk.chain.reorg(CONFIRMATIONS + 1).await;
    desk.watch().await;
    desk.chain.send_raw(&raw).await;
    desk.mine(CONFIRMATIONS * 3).await;
    let kept = ana.deposit(&intent.id).await;
    assert_eq!(kept["reversed"], json!(null));
    assert_eq!(kept["licence"], licence);
    assert_eq!(ana.deposits().await.len(), 1, "it did not count again");
    assert_eq!(
        ana.get("/get-user-licenses").await.ok()["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    desk.exact().await;
}

#[actix_web::test]
async fn one_of_two_parts_leaves_the_other_counts_anew() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "100").await;
    desk.chain.pay(Coin::Usdt, intent.address, coins(60)).await;
    desk.chain.mine(CONFIRMATIONS * 2).await;
    desk.chain.pay(Coin::Usdt, intent.address, coins(50)).await;
    desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.deposit(&intent.id).await["outcome"], "overpaid");
    assert_eq!(desk.balance(&ana, "available").await, 3_846_153);
    desk.chain.reorg(CONFIRMATIONS).await;
    desk.watch().await;
    desk.mine(CONFIRMATIONS * 2).await;
    assert_eq!(ana.deposit(&intent.id).await["reversed"], true);
    // 60 are still there: (60 − 1) ÷ 1.04.
    assert_eq!(desk.balance(&ana, "available").await, 56_730_769);
    desk.exact().await;
}
