//! What the chain itself calls final, instead of a number of blocks.

use super::{
    desk::{Desk, coins},
    payout::{AWAY, Payout},
};
use crate::chain_kit::CONFIRMATIONS;
use serde_json::json;
use server::wallet::chain::{Coin, Finality};

/// The block up to which the chain will not change its mind.
async fn final_block(desk: &Desk) -> u64 {
    desk.chain.client().finalized().await.unwrap().unwrap_or(0)
}

#[actix_web::test]
async fn a_deposit_counts_once_its_block_is_finalized() {
    let mut desk = Desk::open().await;
    desk.chain.finality = Finality::Finalized;
    let ana = desk.app.user("ana").await;
    let asked = desk.plain(&ana, "usdt", "50").await;
    desk.paid(Coin::Usdt, asked.address, coins(53)).await;
    let block = desk.chain.head().await + 1 - CONFIRMATIONS;
    let seen = ana.deposit(&asked.id).await;
    assert_eq!(
        (&seen["status"], desk.balance(&ana, "available").await),
        (&json!("pending"), 0),
        "so many blocks are not enough: {seen}"
    );
    for _ in 0..60 {
        desk.mine(5).await;
        let credited = desk.balance(&ana, "available").await;
        let last = final_block(&desk).await;
        assert_eq!(credited > 0, last >= block, "final up to {last}, paid in {block}");
        if credited > 0 {
            break;
        }
    }
    assert_eq!(desk.balance(&ana, "available").await, 50_000_000);
    assert_eq!(ana.deposit(&asked.id).await["status"], "complete");
    desk.exact().await;
}

#[actix_web::test]
async fn a_withdrawal_is_complete_once_its_block_is_finalized() {
    let mut payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.desk.chain.finality = Finality::Finalized;
    payout.round().await;
    payout.finish().await;
    let sent = payout.see(&ana, &row).await;
    assert_eq!(sent["status"], "sent", "so many blocks are not enough");
    let block = sent["block"].as_u64().unwrap();
    for _ in 0..60 {
        payout.mine(5).await;
        let done = payout.status(&ana, &row).await == "complete";
        assert_eq!(done, final_block(&payout.desk).await >= block);
        if done {
            break;
        }
    }
    assert_eq!(payout.status(&ana, &row).await, "complete");
    payout.desk.exact().await;
}
