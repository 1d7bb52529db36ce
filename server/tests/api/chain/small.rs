//! Sums too small to be credited: one line a coin, beside what a person decides about and what a reorganisation leaves.

use super::desk::{Desk, coins};
use crate::{
    chain_kit::{CONFIRMATIONS, TestChain, milli},
    kit::TestApp,
};
use protocol::{ids::NodeId, money::Usdt};
use server::{foundation::context::Parts, market::Rates, wallet::chain::Coin};

/// Native coin is decided about by a person however small it is: each payment is a line of its own, and nobody else waits for it.
#[actix_web::test]
async fn small_sums_of_native_coin_halt_nobody() {
    let chain = TestChain::start().await;
    let rates = Rates::default();
    let parts = Parts::default().with(chain.chain()).with(rates.clone());
    let desk = Desk {
        app: TestApp::start_with_parts(parts).await,
        chain,
        node: NodeId::fresh(),
    };
    desk.watch().await;
    let (ana, bia) = (desk.app.user("ana").await, desk.app.user("bia").await);
    let asked = desk.plain(&ana, "bnb", "50").await;
    let other = desk.plain(&bia, "usdt", "25").await;
    for venue in ["a", "b", "c"] {
        rates.note("BNB", venue, Usdt::whole(530), desk.app.context.now());
    }
    desk.chain.pay(Coin::Bnb, asked.address, milli(1)).await;
    desk.chain.mine(1).await;
    desk.chain.pay(Coin::Bnb, asked.address, milli(1)).await;
    desk.paid(Coin::Usdt, other.address, coins(27)).await;
    let waits = ("later".to_owned(), "pending_approval".to_owned(), String::new());
    assert_eq!(ana.unasked().await, [waits.clone(), waits]);
    assert_eq!(ana.deposit(&asked.id).await["status"], "waiting_for_buyer_funds");
    assert_eq!(bia.deposit(&other.id).await["credited"], "25.000000");
    desk.exact().await;
}

/// What a reorganisation leaves of a sum that had been credited may be too little again: it is added to the change that came since.
#[actix_web::test]
async fn what_is_left_of_a_reversed_sum_joins_the_change_that_came_since() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let asked = desk.plain(&ana, "usdt", "10").await;
    desk.chain.pay(Coin::Usdt, asked.address, milli(600)).await;
    desk.chain.mine(CONFIRMATIONS * 2).await;
    desk.chain.pay(Coin::Usdt, asked.address, milli(600)).await;
    desk.chain.mine(1).await;
    desk.paid(Coin::Usdt, asked.address, milli(300)).await;
    // (1.2 − 1) ÷ 1.04, and 0.3 beside it.
    assert_eq!(desk.balance(&ana, "available").await, 192_307);
    assert_eq!(ana.unasked().await.len(), 2);
    // The second 0.6 and the 0.3 leave the chain: the first 0.6 is too little by itself, and the line of the 0.3 is there.
    desk.chain.reorg(CONFIRMATIONS + 1).await;
    desk.watch().await;
    desk.mine(CONFIRMATIONS * 3).await;
    assert_eq!(desk.balance(&ana, "available").await, 0);
    desk.exact().await;
    // With 0.7 it is 0.3 more than the fee.
    desk.paid(Coin::Usdt, asked.address, milli(700)).await;
    assert_eq!(desk.balance(&ana, "available").await, 288_461);
    desk.exact().await;
}
