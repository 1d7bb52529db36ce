//! Nodes and servers that stop at any moment.

use super::desk::{Desk, coins};
use crate::chain_kit::CONFIRMATIONS;
use futures_util::future::poll_fn;
use protocol::ids::NodeId;
use server::wallet::{chain::Coin, watcher::Trouble};
use std::{future::Future, pin::pin, task::Poll};

/// Runs a future for so many polls, then drops it where it stands, as a killed process would.
pub async fn cut<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

#[actix_web::test]
async fn a_server_killed_between_any_two_steps_credits_once() {
    let desk = Desk::open().await;
    let (ana, bia) = (desk.app.user("ana").await, desk.app.user("bia").await);
    let (intent, asked) = (
        desk.intent(&ana, "100").await,
        desk.plain(&bia, "usdt", "25").await,
    );
    desk.chain.pay(Coin::Usdt, intent.address, coins(60)).await;
    desk.chain.mine(1).await;
    desk.chain.pay(Coin::Usdt, intent.address, coins(45)).await;
    desk.chain.pay(Coin::Usdt, asked.address, coins(27)).await;
    desk.chain.mine(CONFIRMATIONS).await;
    let mut polls = 1;
    loop {
        let mut watcher = desk.watcher(desk.node).await.unwrap();
        match cut(watcher.round(), polls).await {
            // Every step at first, then every tenth of the way.
            None => polls += 1 + polls / 10,
            // A killed transaction may still hold its locks for a moment.
            Some(Err(_)) => polls += 1,
            Some(Ok(more)) => {
                if !more {
                    break;
                }
            }
        }
    }
    assert!(polls > 10, "it was killed {polls} times");
    desk.watch().await;
    assert_eq!(ana.deposit(&intent.id).await["outcome"], "exact");
    assert_eq!(desk.balance(&bia, "available").await, 25_000_000);
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
async fn a_node_that_was_down_is_caught_up_with() {
    let mut desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let asked = desk.plain(&ana, "usdt", "25").await;
    desk.chain.stop();
    assert!(matches!(cut_off(&desk).await, Err(Trouble::Chain(_))));
    desk.chain.restart().await;
    desk.chain.mine(500).await;
    desk.chain.pay(Coin::Usdt, asked.address, coins(27)).await;
    desk.chain.mine(500).await;
    desk.watch().await;
    assert_eq!(desk.balance(&ana, "available").await, 25_000_000);
    assert_eq!(ana.deposit(&asked.id).await["status"], "complete");
    desk.exact().await;
}

async fn cut_off(desk: &Desk) -> Result<bool, Trouble> {
    // The context still has the client of the node that is down.
    let chain = desk
        .app
        .context
        .part::<server::wallet::chain::Chain>()
        .unwrap()
        .clone();
    let lease = server::foundation::lease::acquire(
        desk.app.context.db.pool(),
        server::wallet::watcher::LEASE,
        desk.node,
        desk.app.context.now(),
        time::Duration::seconds(30),
    )
    .await
    .unwrap()
    .unwrap();
    let show = std::sync::Arc::new(|_| {});
    server::wallet::watcher::Watcher::new(desk.app.context.clone(), chain, lease.fence, show)
        .round()
        .await
}

#[actix_web::test]
async fn one_node_watches_and_another_takes_over() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let asked = desk.plain(&ana, "usdt", "25").await;
    desk.chain.pay(Coin::Usdt, asked.address, coins(27)).await;
    desk.chain.mine(CONFIRMATIONS).await;
    let mut first = desk.watcher(desk.node).await.unwrap();
    let second = NodeId::fresh();
    assert!(desk.watcher(second).await.is_none(), "the lease is taken");
    desk.app.clock.advance(time::Duration::minutes(1));
    let mut second = desk.watcher(second).await.unwrap();
    assert!(
        matches!(first.round().await, Err(Trouble::Server(_))),
        "its time is over"
    );
    while second.round().await.unwrap() {}
    assert_eq!(desk.balance(&ana, "available").await, 25_000_000);
    desk.exact().await;
}

#[actix_web::test]
async fn two_watchers_of_one_lease_do_no_harm() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let mut addresses = Vec::new();
    for _ in 0..3 {
        addresses.push(desk.plain(&ana, "usdt", "25").await.address);
    }
    for round in 0..4 {
        for address in &addresses {
            desk.chain.pay(Coin::Usdt, *address, coins(27)).await;
        }
        desk.chain.mine(1 + round).await;
    }
    desk.chain.mine(CONFIRMATIONS).await;
    let mut one = desk.watcher(desk.node).await.unwrap();
    let mut other = desk.watcher(desk.node).await.unwrap();
    for _ in 0..10 {
        let _ = futures_util::future::join(one.round(), other.round()).await;
    }
    desk.watch().await;
    assert_eq!(desk.balance(&ana, "available").await, 12 * 25_000_000);
    assert_eq!(ana.deposits().await.len(), 12);
    desk.exact().await;
}

#[actix_web::test]
async fn another_deposit_key_is_refused() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    desk.plain(&ana, "usdt", "25").await;
    let check = server::wallet::intents::service::check_branch;
    check(&desk.app.context).await.unwrap();
    let mut chain = desk.chain.chain();
    chain.deposits = server::wallet::chain::keys::DepositKeys::of_seed(&[8; 32]).map(std::sync::Arc::new);
    let mut context = desk.app.context.clone();
    context.parts = context.parts.with(chain);
    assert!(check(&context).await.is_err());
}
