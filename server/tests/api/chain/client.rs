//! The client against a node: typed answers, time limits, two providers that must agree.

use crate::chain_kit::{TestChain, milli};
use alloy::{
    primitives::{U256, address},
    rpc::types::Filter,
    sol_types::SolEvent,
};
use server::wallet::chain::{ChainError, Client, Coin, contracts::Erc20};
use std::time::Duration;

/// For nodes that answer.
const LIMIT: Duration = Duration::from_secs(60);
/// For one that never does.
const SHORT: Duration = Duration::from_millis(500);

#[actix_web::test]
async fn reads_blocks_logs_receipts_and_balances() {
    let chain = TestChain::start().await;
    let client = chain.client();
    client.check().await.unwrap();
    let to = address!("7a11ce3d5b2f49e8860c1d94e7a5f0b2c36d81ce");
    let before = chain.head().await;
    let usdt = chain.pay(Coin::Usdt, to, milli(1_500)).await;
    let bnb = chain.pay(Coin::Bnb, to, milli(20)).await;
    assert_eq!(client.outcome(usdt).await.unwrap(), None, "it waits");
    assert!(client.knows(usdt).await.unwrap());
    chain.mine(1).await;

    let (block, native) = client.block_with_native(before + 1).await.unwrap().unwrap();
    assert_eq!(block.parent, chain.hash(before).await);
    assert_eq!(client.block(block.number).await.unwrap(), Some(block));
    assert_eq!(native.len(), 1);
    assert_eq!((native[0].tx, native[0].to, native[0].wei), (bnb, to, milli(20)));
    let outcome = client.outcome(usdt).await.unwrap().unwrap();
    assert!(outcome.success);
    assert_eq!((outcome.block, outcome.block_hash), (block.number, block.hash));

    let filter = Filter::new()
        .event_signature(Erc20::Transfer::SIGNATURE_HASH)
        .topic2(to.into_word());
    let logs = client.logs(before, before + 1, &filter).await.unwrap();
    assert_eq!(logs.len(), 1);
    let transfer = logs[0].log_decode::<Erc20::Transfer>().unwrap();
    assert_eq!(transfer.inner.data.value, milli(1_500));

    let token = chain.contracts().usdt.unwrap();
    assert_eq!(client.token_balance(token, to, None).await.unwrap(), milli(1_500));
    assert_eq!(
        client.token_balance(token, to, Some(before)).await.unwrap(),
        U256::ZERO
    );
    assert_eq!(client.balance(to, None).await.unwrap(), milli(20));
    assert_eq!(client.block(before + 10).await.unwrap(), None);
}

#[actix_web::test]
async fn its_blocks_and_coins_survive_a_stop() {
    let mut chain = TestChain::start().await;
    let to = address!("7a11ce3d5b2f49e8860c1d94e7a5f0b2c36d81ce");
    let tx = chain.pay(Coin::Busd, to, milli(7_000)).await;
    chain.mine(3).await;
    let (head, contracts) = (chain.head().await, chain.contracts());
    let hash = chain.hash(head).await;
    let client = chain.client();
    chain.stop();
    assert!(matches!(client.head().await, Err(ChainError::Unreachable(_))));
    chain.restart().await;
    assert_eq!(chain.contracts(), contracts);
    assert_eq!((chain.head().await, chain.hash(head).await), (head, hash));
    assert!(client.outcome(tx).await.unwrap().unwrap().success);
}

#[actix_web::test]
async fn another_chain_and_a_silent_node_are_not_believed() {
    let chain = TestChain::start().await;
    let other = Client::new(56, &[&chain.url()], false, LIMIT).unwrap();
    assert!(matches!(
        other.check().await,
        Err(ChainError::WrongChain {
            found: 31337,
            wanted: 56
        })
    ));
    // Takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    let slow = Client::new(31337, &[&silent], false, SHORT).unwrap();
    assert!(matches!(slow.head().await, Err(ChainError::Unreachable(_))));
    // The second one answers for it, but not where two must.
    let one = Client::new(31337, &[&silent, &chain.url()], false, LIMIT).unwrap();
    assert_eq!(one.head().await.unwrap(), chain.head().await);
    let two = Client::new(31337, &[&silent, &chain.url()], true, LIMIT).unwrap();
    assert!(two.head().await.is_err());
    assert!(two.block(1).await.is_err());
}

#[actix_web::test]
async fn providers_that_differ_give_no_answer() {
    let (one, other) = (TestChain::start().await, TestChain::start().await);
    let to = address!("7a11ce3d5b2f49e8860c1d94e7a5f0b2c36d81ce");
    let tx = one.pay(Coin::Usdt, to, milli(1)).await;
    one.mine(1).await;
    other.mine(1).await;
    let number = one.head().await;
    let both = Client::new(31337, &[&one.url(), &other.url()], true, LIMIT).unwrap();
    assert!(matches!(both.block(number).await, Err(ChainError::Disagree)));
    assert!(matches!(both.outcome(tx).await, Err(ChainError::Disagree)));
    let twice = Client::new(31337, &[&one.url(), &one.url()], true, LIMIT).unwrap();
    assert_eq!(twice.block(number).await.unwrap(), Some(one.block(number).await));
}
