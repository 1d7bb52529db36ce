//! What comes to a wallet: seen, listed, told, and forgotten when the chain changes its mind.

use super::bench::Bench;
use crate::{
    chain_kit::{CONFIRMATIONS, milli},
    kit::live::Live,
};
use alloy::{
    primitives::{TxKind, U256, address},
    sol_types::{SolCall, SolConstructor},
};
use serde_json::json;
use server::wallet::chain::{Coin, contracts};
use std::collections::BTreeSet;

#[actix_web::test]
async fn what_comes_is_listed_told_and_counted_once() {
    let bench = Bench::open().await;
    let (ana, bia) = (bench.person("ana").await, bench.person("bia").await);
    let mut socket = Live::open(bench.app(), &ana.client).await;
    socket.subscribe(&format!("user:{}", ana.client.user)).await;
    assert_eq!(ana.balance("usdt").await, (U256::ZERO, U256::ZERO));

    let usdt = bench.pay(Coin::Usdt, ana.address, milli(12_500)).await;
    bench.desk.mine(1).await;
    let fact = socket.fact("wallet.changed").await;
    assert_eq!(fact["event"]["move"]["transaction"], json!(usdt.to_string()));
    assert_eq!(fact["event"]["move"]["wei"], json!(milli(12_500).to_string()));
    assert_eq!(
        ana.balance("usdt").await.0,
        milli(12_500),
        "what was read before is not believed any more"
    );

    bench.pay(Coin::Bnb, ana.address, milli(20)).await;
    bench.pay(Coin::Pyx, ana.address, milli(7_000)).await;
    bench.desk.mine(CONFIRMATIONS).await;
    // A watcher that starts anew finds nothing twice.
    bench.desk.watch().await;
    let lines = ana.lines("").await;
    assert_eq!(lines.len(), 3, "{lines:?}");
    let only = |kind: &str, status: &str, coin: &str| (kind.to_owned(), status.to_owned(), coin.to_owned());
    assert_eq!(ana.lines("?coin=bnb").await, [only("receive", "mined", "bnb")]);
    assert_eq!(ana.lines("?kind=send").await, []);
    assert_eq!(
        ana.lines(&format!("?search={}", &usdt.to_string()[..20])).await,
        [only("receive", "mined", "usdt")]
    );
    let page = ana.history("?limit=2&page=2").await;
    assert_eq!(
        (page["data"].as_array().unwrap().len(), &page["meta"]["total"]),
        (1, &json!(3))
    );
    assert_eq!(bia.lines("").await, []);
    for bad in [
        "?kind=steal",
        "?status=lost",
        "?coin=btc",
        // They mean a role and a product, which a line of a wallet has not.
        "?function=customer",
        "?selectedProduct=license",
        "?sortby=wei",
    ] {
        let reply = ana
            .client
            .get(&format!("/web3/historic_wallet/{}{bad}", ana.shown()))
            .await;
        reply.refused(422, "request.invalid");
    }
    // Each arrival is one line of its owner's, in its own coin; seen again it stays one.
    bench.desk.mine(CONFIRMATIONS).await;
    let told = |code: &str, amount: &str, coin: &str| (code.to_owned(), amount.to_owned(), coin.to_owned());
    let arrivals = bench.notified(&ana).await;
    assert_eq!(
        arrivals.iter().cloned().collect::<BTreeSet<_>>(),
        BTreeSet::from([
            told("wallet_received", "12.5", "USDT"),
            told("wallet_received", "0.02", "BNB"),
            told("wallet_received", "7", "PYX"),
        ])
    );
    assert_eq!(arrivals.len(), 3, "each once");
    assert_eq!(bench.notified(&bia).await, []);
    let all = ana
        .client
        .get(&format!("/web3/readWalletBalances/{}", ana.shown()))
        .await
        .ok();
    assert_eq!(all["data"][0]["coin"], "bnb");
    assert_eq!(all["data"][1]["usdt"], "12.500000");
}

#[actix_web::test]
async fn zero_values_and_unlisted_coins_are_hidden() {
    let bench = Bench::open().await;
    let ana = bench.person("ana").await;
    let faucet = bench.desk.chain.faucet();
    // A coin of nobody's list, with a name that lies.
    let code = std::fs::read_to_string(
        crate::chain_kit::tools()
            .join("@openzeppelin/contracts/build/contracts/ERC20PresetMinterPauser.json"),
    )
    .unwrap();
    let code: serde_json::Value = serde_json::from_str(&code).unwrap();
    let mut input = hex::decode(code["bytecode"].as_str().unwrap().trim_start_matches("0x")).unwrap();
    input.extend(
        contracts::TestToken::constructorCall {
            name: "Tether USD".into(),
            symbol: "USDT".into(),
        }
        .abi_encode(),
    );
    let nonce = bench
        .desk
        .chain
        .client()
        .pending_nonce(faucet.address())
        .await
        .unwrap();
    let fake = faucet.address().create(nonce);
    faucet
        .send(TxKind::Create, U256::ZERO, input.into())
        .await
        .unwrap();
    bench.desk.mine(1).await;
    let mint = contracts::TestToken::mintCall {
        to: ana.address,
        amount: milli(1_000_000),
    };
    faucet.call(fake, U256::ZERO, mint.abi_encode()).await.unwrap();
    bench.pay(Coin::Usdt, ana.address, U256::ZERO).await;
    bench.pay(Coin::Bnb, ana.address, U256::ZERO).await;
    bench.desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.lines("").await, []);
    assert_eq!(ana.balance("usdt").await.0, U256::ZERO);
}

#[actix_web::test]
async fn what_left_the_chain_is_forgotten_and_comes_back_once() {
    let bench = Bench::open().await;
    let ana = bench.person("ana").await;
    let tx = bench.pay(Coin::Usdt, ana.address, milli(5_000)).await;
    bench.desk.mine(1).await;
    let raw = bench.desk.chain.raw(tx).await;
    assert_eq!(ana.lines("").await.len(), 1);
    let mut socket = Live::open(bench.app(), &ana.client).await;
    socket.subscribe(&format!("user:{}", ana.client.user)).await;
    bench.desk.chain.reorg(1).await;
    bench.desk.mine(1).await;
    let fact = socket.fact("wallet.changed").await;
    assert_eq!(
        (&fact["event"]["move"]["status"], &fact["event"]["move"]["reason"]),
        (&json!("failed"), &json!("dropped"))
    );
    assert_eq!(ana.lines("").await, []);
    bench.desk.chain.send_raw(&raw).await;
    bench.desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.lines("").await.len(), 1);
    assert_eq!(ana.balance("usdt").await.0, milli(5_000));
}

#[actix_web::test]
async fn one_request_answers_what_many_would() {
    let bench = Bench::open().await;
    let owner = address!("7a11ce3d5b2f49e8860c1d94e7a5f0b2c36d81ce");
    bench.pay(Coin::Usdt, owner, milli(1_500)).await;
    bench.pay(Coin::Bnb, owner, milli(20)).await;
    bench.desk.chain.mine(1).await;
    let (client, known) = (bench.desk.chain.client(), bench.desk.chain.contracts());
    let tokens = [known.usdt.unwrap(), known.pyx.unwrap()];
    let price = client.gas_price().await.unwrap();
    let account = client.account(owner, &tokens).await.unwrap();
    assert_eq!(account.gas_price, price);
    assert_eq!(
        (account.native, account.tokens),
        (milli(20), vec![milli(1_500), U256::ZERO])
    );
    let head = bench.desk.chain.head().await;
    assert_eq!(account.time, bench.desk.chain.block(head).await.time);
    // Of several calls one that is refused says nothing about the others.
    let total = contracts::Erc20::totalSupplyCall {}.abi_encode();
    let answers = client
        .calls(&[
            (tokens[0], total.clone()),
            (tokens[0], vec![1, 2, 3, 4]),
            (tokens[1], total),
        ])
        .await
        .unwrap();
    assert_eq!(
        answers.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, false, true]
    );
}
