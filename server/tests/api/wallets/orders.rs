//! Sending and swapping on a real chain: bounds, codes, room, restarts, two at once.

use super::bench::{Bench, Owner};
use crate::{chain_kit::milli, guard::code, kit::Reply};
use alloy::primitives::{Address, U256, address};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::wallet::{chain::Coin, keys::Caps};

const TO: Address = address!("7a11ce3d5b2f49e8860c1d94e7a5f0b2c36d81ce");

fn shown(to: Address) -> String {
    to.to_checksum(None)
}

/// Asks for a code and sends.
async fn send(bench: &Bench, from: &Owner, coin: &str, to: Address, value: &str) -> Reply {
    let amount = format!("{value} {}", coin.to_uppercase());
    let code = code(
        bench.app(),
        &from.client,
        from.name,
        "transfer-tokens",
        &shown(to),
        &amount,
    )
    .await;
    let body = json!({ "coin": coin, "address": shown(to), "value": value, "securityCode": code });
    from.client.post("/web3/transferToken", &body).await
}

async fn quote(from: &Owner, coin: &str, out: &str, value: &str, slippage: &str) -> Value {
    let body = json!({ "coin": coin, "coinOut": out, "value": value, "slippage": slippage });
    from.client.post("/web3/swapTokens/quote", &body).await.ok()
}

/// Accepts a quote with its code.
async fn accept(
    bench: &Bench,
    from: &Owner,
    coin: &str,
    out: &str,
    value: &str,
    slippage: &str,
    quote: &Value,
) -> Reply {
    let amount = quote["amount"].as_str().unwrap();
    let destination = quote["destination"].as_str().unwrap();
    let code = code(
        bench.app(),
        &from.client,
        from.name,
        "swap-tokens",
        destination,
        amount,
    )
    .await;
    let body = json!({
        "coin": coin, "coinOut": out, "value": value, "slippage": slippage, "quote": quote["quote"], "securityCode": code,
    });
    from.client.post("/web3/swapTokens", &body).await
}

async fn swap(bench: &Bench, from: &Owner, coin: &str, out: &str, value: &str, slippage: &str) -> Reply {
    let quote = quote(from, coin, out, value, slippage).await;
    accept(bench, from, coin, out, value, slippage, &quote).await
}

fn wei(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

async fn one(owner: &Owner, id: &Value) -> Value {
    owner.history("").await["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|m| m["_id"] == *id)
        .cloned()
        .unwrap_or_else(|| panic!("no move {id}"))
}

/// Somebody with 100 USDT and 1 BNB.
async fn rich(bench: &Bench) -> Owner {
    bench
        .funded("ana", &[(Coin::Usdt, milli(100_000)), (Coin::Bnb, milli(1_000))])
        .await
}

#[actix_web::test]
async fn a_token_is_sent_and_its_gas_is_ones_own() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let quote = ana
        .client
        .post(
            "/web3/transferToken/quote",
            &json!({ "coin": "usdt", "address": shown(TO), "value": "40.5" }),
        )
        .await
        .ok();
    assert_eq!(
        (&quote["max"], &quote["amount"], &quote["usdt"]),
        (&json!("100"), &json!("40.5 USDT"), &json!("40.500000"))
    );
    assert_eq!(quote["gasMissing"], false);
    let made = send(&bench, &ana, "usdt", TO, "40.5").await;
    assert_eq!(made.status, 201);
    let made = made.ok();
    assert_eq!(
        (&made["status"], &made["kind"]),
        (&json!("queued"), &json!("send"))
    );
    assert_eq!(
        ana.balance("usdt").await,
        (milli(100_000), milli(40_500)),
        "kept aside until it has left"
    );
    bench.send_round().await;
    let sent = one(&ana, &made["_id"]).await;
    assert_eq!(sent["status"], "sent");
    assert!(sent["transaction"].as_str().unwrap().starts_with("0x"));
    bench.settle().await;
    let done = one(&ana, &made["_id"]).await;
    assert_eq!(
        (&done["status"], &done["counterparty"]),
        (&json!("mined"), &json!(shown(TO)))
    );
    assert_eq!(bench.held(TO, Coin::Usdt).await, milli(40_500));
    assert_eq!(ana.balance("usdt").await, (milli(59_500), U256::ZERO));
    let gas = wei(&done["gas"]);
    assert!(!gas.is_zero() && gas <= wei(&quote["feeMost"]));
    assert_eq!(bench.held(ana.address, Coin::Bnb).await, milli(1_000) - gas);
    bench.desk.exact().await;
}

#[actix_web::test]
async fn the_most_of_the_native_coin_leaves_its_gas() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let most = ana
        .client
        .post(
            "/web3/transferToken/quote",
            &json!({ "coin": "bnb", "address": shown(TO) }),
        )
        .await
        .ok();
    let value = most["max"].as_str().unwrap().to_owned();
    assert_eq!(most["value"], value.as_str());
    assert_eq!(most["gasMissing"], false);
    let made = send(&bench, &ana, "bnb", TO, &value).await.ok();
    bench.settle().await;
    assert_eq!(one(&ana, &made["_id"]).await["status"], "mined");
    assert_eq!(bench.held(TO, Coin::Bnb).await, wei(&made["wei"]));
}

#[actix_web::test]
async fn what_cannot_be_sent_is_refused_with_its_reason() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let poor = bench.funded("bia", &[(Coin::Usdt, milli(10_000))]).await;
    let known = bench.desk.chain.contracts();
    let wrong_case = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    for (address, error) in [
        (wrong_case.to_owned(), "wallet.address_invalid"),
        ("ana".into(), "wallet.address_invalid"),
        (shown(Address::ZERO), "wallet.address_refused"),
        (ana.shown(), "wallet.address_refused"),
        (shown(known.usdt.unwrap()), "wallet.address_refused"),
        (shown(known.router.unwrap()), "wallet.address_refused"),
    ] {
        let body = json!({ "coin": "usdt", "address": address, "value": "1", "securityCode": "000000" });
        ana.client
            .post("/web3/transferToken", &body)
            .await
            .refused(422, error);
    }
    for (value, error) in [
        ("0", "amount.not_positive"),
        ("-1", "amount.invalid"),
        ("1.0000000000000000001", "amount.invalid"),
        ("1e3", "amount.invalid"),
    ] {
        let body = json!({ "coin": "usdt", "address": shown(TO), "value": value, "securityCode": "000000" });
        ana.client
            .post("/web3/transferToken", &body)
            .await
            .refused(422, error);
    }
    let body = json!({ "coin": "usdt", "address": shown(TO), "value": "101", "securityCode": "000000" });
    ana.client
        .post("/web3/transferToken", &body)
        .await
        .refused(422, "balance.insufficient");
    let body = json!({ "coin": "usdt", "address": shown(TO), "value": "5", "securityCode": "000000" });
    let refused = poor.client.post("/web3/transferToken", &body).await;
    refused.refused(422, "wallet.gas_missing");
    assert!(
        refused.body["message"].as_str().unwrap().contains("BNB"),
        "{}",
        refused.body
    );
    // A code for another amount, and for another place.
    for (to, amount) in [(TO, "6 USDT"), (ana.address, "5 USDT")] {
        let code = code(
            bench.app(),
            &ana.client,
            "ana",
            "transfer-tokens",
            &shown(to),
            amount,
        )
        .await;
        let body = json!({ "coin": "usdt", "address": shown(TO), "value": "5", "securityCode": code });
        ana.client
            .post("/web3/transferToken", &body)
            .await
            .refused(422, "code.wrong");
    }
    let stranger = bench.app().user("caio").await;
    stranger
        .post("/web3/transferToken", &body)
        .await
        .refused(404, "request.not_found");
    assert_eq!(bench.queued().await, 0);
}

#[actix_web::test]
async fn the_same_key_sends_once_and_two_at_once_never_more_than_there_is() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let one_code = code(
        bench.app(),
        &ana.client,
        "ana",
        "transfer-tokens",
        &shown(TO),
        "30 USDT",
    )
    .await;
    let body = json!({ "coin": "usdt", "address": shown(TO), "value": "30", "securityCode": one_code });
    let client = ana.client.key("one-order-and-its-repetitions");
    let first = client.post("/web3/transferToken", &body).await.ok();
    let again = client.post("/web3/transferToken", &body).await;
    assert_eq!(again.headers["idempotent-replay"], "true");
    assert_eq!(again.ok()["_id"], first["_id"]);

    // 70 are left; of two sends of 40 one passes.
    let mut bodies = Vec::new();
    for value in ["40", "40.1"] {
        let code = code(
            bench.app(),
            &ana.client,
            "ana",
            "transfer-tokens",
            &shown(TO),
            &format!("{value} USDT"),
        )
        .await;
        bodies.push(json!({ "coin": "usdt", "address": shown(TO), "value": value, "securityCode": code }));
    }
    let both = futures_util::future::join(
        ana.client.post("/web3/transferToken", &bodies[0]),
        ana.client.post("/web3/transferToken", &bodies[1]),
    )
    .await;
    let mut outcomes = [both.0.status, both.1.status];
    outcomes.sort_unstable();
    assert_eq!(outcomes, [201, 422], "{} {}", both.0.body, both.1.body);
    bench.settle().await;
    bench.settle().await;
    let nonces: Vec<i64> =
        sqlx::query_scalar("SELECT nonce FROM wallet.outgoing WHERE owner = $1 ORDER BY nonce")
            .bind(ana.client.user.0)
            .fetch_all(&bench.app().sql)
            .await
            .unwrap();
    assert_eq!(nonces, [0, 1]);
    let gone = milli(100_000) - bench.held(ana.address, Coin::Usdt).await;
    assert!(gone == milli(70_000) || gone == milli(70_100), "{gone}");
    assert_eq!(bench.held(TO, Coin::Usdt).await, gone);
}

#[actix_web::test]
async fn a_send_that_was_stored_survives_every_stop() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let made = send(&bench, &ana, "usdt", TO, "10").await.ok();
    // Stored, signed, and the node does not answer: nobody knows whether it arrived.
    bench.send_round().await;
    bench.desk.chain.ask("anvil_dropAllTransactions", json!([])).await;
    // Another process takes over, with nothing in its memory: the same bytes go again.
    let hashes: Vec<Vec<u8>> = sqlx::query_scalar("SELECT tx FROM wallet.outgoing_attempt")
        .fetch_all(&bench.app().sql)
        .await
        .unwrap();
    assert_eq!(hashes.len(), 1);
    bench.send_round().await;
    bench.settle().await;
    let done = one(&ana, &made["_id"]).await;
    assert_eq!(done["status"], "mined");
    assert_eq!(
        done["transaction"],
        json!(format!("0x{}", hex::encode(&hashes[0])))
    );
    assert_eq!(bench.held(TO, Coin::Usdt).await, milli(10_000));
    bench.settle().await;
    assert_eq!(bench.held(TO, Coin::Usdt).await, milli(10_000), "once");
}

#[actix_web::test]
async fn a_hold_that_began_meanwhile_takes_the_send_back() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let made = send(&bench, &ana, "usdt", TO, "10").await.ok();
    sqlx::query("UPDATE identity.account SET hold_until = now() + interval '1 hour', hold_reason = 'password' WHERE id = $1")
        .bind(ana.client.user.0)
        .execute(&bench.app().sql)
        .await
        .unwrap();
    bench.settle().await;
    let done = one(&ana, &made["_id"]).await;
    assert_eq!(
        (&done["status"], &done["reason"]),
        (&json!("failed"), &json!("refused"))
    );
    assert_eq!(bench.held(ana.address, Coin::Usdt).await, milli(100_000));
    assert_eq!(ana.balance("usdt").await.1, U256::ZERO);
}

#[actix_web::test]
async fn tokens_and_the_native_coin_are_swapped_both_ways() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    for (coin, out, value, route, steps) in [
        ("usdt", "pyx", "10", json!(["usdt", "pyx"]), 2),
        ("usdt", "bnb", "60", json!(["usdt", "bnb"]), 2),
        ("bnb", "busd", "0.01", json!(["bnb", "usdt", "busd"]), 1),
    ] {
        let out_coin: Coin = out.parse().unwrap();
        let before = bench.held(ana.address, out_coin).await;
        let quote = quote(&ana, coin, out, value, "0.5").await;
        assert_eq!(quote["route"], route);
        assert_eq!(quote["approval"], steps == 2);
        assert!(wei(&quote["minimum"]) < wei(&quote["out"]));
        let made = accept(&bench, &ana, coin, out, value, "0.5", &quote).await.ok();
        assert_eq!(made["minimum"], quote["minimum"]);
        bench.settle().await;
        let done = one(&ana, &made["_id"]).await;
        assert_eq!(done["status"], "mined", "{done}");
        let received = wei(&done["received"]);
        assert!(received >= wei(&quote["minimum"]));
        assert_eq!(received, wei(&quote["out"]), "nobody else traded");
        let after = bench.held(ana.address, out_coin).await;
        let gas = if out == "bnb" {
            wei(&done["gas"])
        } else {
            U256::ZERO
        };
        assert_eq!(after + gas - before, received);
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM wallet.user_step WHERE move = $1::uuid")
            .bind(made["_id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap())
            .fetch_one(&bench.app().sql)
            .await
            .unwrap();
        assert_eq!(count, steps);
        if let Some(token) = bench.desk.chain.contracts().token(coin.parse().unwrap()) {
            assert_eq!(
                bench.allowance(token, ana.address).await,
                U256::ZERO,
                "exactly what was swapped"
            );
        }
        // What a swap brings is its own line, not one more.
        assert!(
            !ana.lines("?kind=receive")
                .await
                .iter()
                .any(|(_, _, c)| c == "pyx" || c == "busd")
        );
    }
    bench.desk.exact().await;
}

#[actix_web::test]
async fn a_price_that_moved_beyond_the_tolerance_fails_clearly_and_loses_nothing() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    // Moved before the order: refused at once.
    let first = quote(&ana, "usdt", "pyx", "50", "0.5").await;
    bench.trade(Coin::Usdt, Coin::Pyx, milli(100_000_000)).await;
    accept(&bench, &ana, "usdt", "pyx", "50", "0.5", &first)
        .await
        .refused(409, "wallet.swap_price_moved");
    // Moved between order and block: the router refuses.
    let made = swap(&bench, &ana, "usdt", "pyx", "50", "0.5").await.ok();
    bench
        .trade_waiting(Coin::Usdt, Coin::Pyx, milli(100_000_000))
        .await;
    bench.settle().await;
    let done = one(&ana, &made["_id"]).await;
    assert_eq!(
        (&done["status"], &done["reason"]),
        (&json!("failed"), &json!("slippage")),
        "{done}"
    );
    assert_eq!(done["received"], json!(null));
    assert_eq!(
        bench.held(ana.address, Coin::Usdt).await,
        milli(100_000),
        "only gas was paid"
    );
    assert_eq!(ana.balance("usdt").await.1, U256::ZERO);
    assert!(!wei(&done["gas"]).is_zero());
    // What was allowed is taken back: queued with the failure, sent by whoever looks next.
    let usdt = bench.desk.chain.contracts().usdt.unwrap();
    assert_eq!(bench.allowance(usdt, ana.address).await, milli(50_000));
    assert_eq!(bench.queued().await, 3);
    // Asked for again meanwhile, a swap brings its own allowance: this one is about to go.
    assert_eq!(quote(&ana, "usdt", "pyx", "50", "0.5").await["approval"], true);
    bench.settle().await;
    assert_eq!(bench.allowance(usdt, ana.address).await, U256::ZERO);
    let after = one(&ana, &made["_id"]).await;
    assert_eq!(
        (&after["status"], &after["reason"]),
        (&done["status"], &done["reason"])
    );
    assert!(
        wei(&after["gas"]) > wei(&done["gas"]),
        "its gas belongs to the swap"
    );
    bench.settle().await;
    assert_eq!(bench.queued().await, 3, "once");
    bench.desk.exact().await;
}

#[actix_web::test]
async fn a_swap_that_comes_too_late_leaves_no_allowance_and_spoils_no_other() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let usdt = bench.desk.chain.contracts().usdt.unwrap();
    // Sent in time, mined too late: the router refuses.
    let late = swap(&bench, &ana, "usdt", "pyx", "20", "3").await.ok();
    bench.send_round().await;
    bench.desk.chain.ask("evm_increaseTime", json!([300])).await;
    bench.settle().await;
    let done = one(&ana, &late["_id"]).await;
    assert_eq!(
        (&done["status"], &done["reason"]),
        (&json!("failed"), &json!("expired"))
    );
    // Another swap is ordered before the allowance is taken back: both end as they should.
    let next = swap(&bench, &ana, "usdt", "pyx", "30", "3").await.ok();
    bench.settle().await;
    bench.settle().await;
    assert_eq!(one(&ana, &next["_id"]).await["status"], "mined");
    assert_eq!(bench.allowance(usdt, ana.address).await, U256::ZERO);
    bench.desk.exact().await;
}

#[actix_web::test]
async fn a_swap_that_nobody_signed_in_time_costs_nothing() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let made = swap(&bench, &ana, "usdt", "pyx", "50", "3").await.ok();
    bench.desk.chain.pass(180).await;
    bench.settle().await;
    let done = one(&ana, &made["_id"]).await;
    assert_eq!(
        (&done["status"], &done["reason"], &done["gas"]),
        (&json!("failed"), &json!("expired"), &json!("0"))
    );
    assert_eq!(bench.held(ana.address, Coin::Bnb).await, milli(1_000));
}

#[actix_web::test]
async fn a_swap_is_bound_by_its_quote_its_code_and_its_bounds() {
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let bia = bench
        .funded("bia", &[(Coin::Usdt, milli(100_000)), (Coin::Bnb, milli(1_000))])
        .await;
    for (slippage, error) in [
        ("3.01", "wallet.slippage_invalid"),
        ("0", "wallet.slippage_invalid"),
        ("50", "wallet.slippage_invalid"),
    ] {
        let body = json!({ "coin": "usdt", "coinOut": "pyx", "value": "1", "slippage": slippage });
        ana.client
            .post("/web3/swapTokens/quote", &body)
            .await
            .refused(422, error);
    }
    let body = json!({ "coin": "usdt", "coinOut": "usdt", "value": "1", "slippage": "1" });
    ana.client
        .post("/web3/swapTokens/quote", &body)
        .await
        .refused(422, "wallet.swap_pair");
    let fine = quote(&ana, "usdt", "pyx", "10", "0.5").await;
    // Somebody else's quote, one of another amount, tolerance or coin, one that was touched.
    accept(&bench, &bia, "usdt", "pyx", "10", "0.5", &fine)
        .await
        .refused(409, "wallet.swap_quote_old");
    accept(&bench, &ana, "usdt", "pyx", "10", "3", &fine)
        .await
        .refused(409, "wallet.swap_quote_old");
    accept(&bench, &ana, "usdt", "pyx", "11", "0.5", &fine)
        .await
        .refused(409, "wallet.swap_quote_old");
    accept(&bench, &ana, "usdt", "busd", "10", "0.5", &fine)
        .await
        .refused(409, "wallet.swap_quote_old");
    let mut touched = fine.clone();
    touched["quote"] = json!(format!("1{}", fine["quote"].as_str().unwrap()));
    accept(&bench, &ana, "usdt", "pyx", "10", "0.5", &touched)
        .await
        .refused(409, "wallet.swap_quote_old");
    let body = json!({ "coin": "usdt", "coinOut": "pyx", "value": "10", "slippage": "0.5", "quote": fine["quote"], "securityCode": "000000" });
    ana.client
        .post("/web3/swapTokens", &body)
        .await
        .refused(422, "code.wrong");
    assert_eq!(bench.queued().await, 0);
    bench.app().clock.advance(time::Duration::seconds(61));
    accept(&bench, &ana, "usdt", "pyx", "10", "0.5", &fine)
        .await
        .refused(409, "wallet.swap_quote_old");
}

#[actix_web::test]
async fn the_signer_signs_nothing_that_the_guard_did_not_let_pass() {
    use alloy::{consensus::TxLegacy, primitives::TxKind};
    use server::wallet::chain::signer::KeyRef;
    let bench = Bench::open().await;
    let ana = rich(&bench).await;
    let signers = bench.sending().signers.clone().unwrap();
    let users = signers.users.unwrap();
    let key = KeyRef::User(ana.client.user);
    let pay = |value: U256, gas_price: u128, nonce: u64| TxLegacy {
        chain_id: Some(31337),
        nonce,
        gas_price,
        gas_limit: 21_000,
        to: TxKind::Call(TO),
        value,
        input: alloy::primitives::Bytes::new(),
    };
    assert!(
        users
            .sign(key, pay(milli(5), 1_000_000_000, 0), None)
            .await
            .is_err()
    );
    send(&bench, &ana, "bnb", TO, "0.005").await.ok();
    assert!(
        users
            .sign(key, pay(milli(6), 1_000_000_000, 0), None)
            .await
            .is_err(),
        "another amount"
    );
    assert!(
        users
            .sign(key, pay(milli(5), 1_000_000_000_000, 0), None)
            .await
            .is_err(),
        "a price beyond the agreed one"
    );
    let other = TxLegacy {
        chain_id: Some(56),
        ..pay(milli(5), 1_000_000_000, 0)
    };
    assert!(users.sign(key, other, None).await.is_err(), "another chain");
    assert!(
        users
            .sign(key, pay(milli(5), 1_000_000_000, 0), None)
            .await
            .is_ok()
    );
    assert!(
        users
            .sign(key, pay(milli(5), 1_200_000_000, 0), None)
            .await
            .is_ok(),
        "the same at another price"
    );
    assert!(
        users
            .sign(key, pay(milli(5), 1_000_000_000, 1), None)
            .await
            .is_err(),
        "not twice"
    );
    assert!(
        users
            .sign(KeyRef::Hot, pay(milli(5), 1_000_000_000, 0), None)
            .await
            .is_err()
    );
}

#[actix_web::test]
async fn the_signers_own_caps_refuse_what_the_guard_let_pass() {
    let bench = Bench::with(Caps {
        transaction: Usdt::whole(20),
        hour: Usdt::whole(30),
        day: Usdt::whole(40),
    })
    .await;
    let ana = rich(&bench).await;
    let status = async |row: &Value| {
        one(&ana, &row["_id"]).await["status"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let pay = async |value: &str| send(&bench, &ana, "usdt", TO, value).await.ok();
    // One that is too large is never signed; others pass it.
    let large = pay("20.5").await;
    let first = pay("18").await;
    bench.settle().await;
    assert_eq!(
        (status(&large).await, status(&first).await),
        ("queued".into(), "mined".into())
    );
    // The hour is used up: it waits, and goes when the hour is over.
    let second = pay("15").await;
    bench.settle().await;
    assert_eq!(status(&second).await, "queued");
    sqlx::query("UPDATE wallet.user_step SET signed_at = signed_at - interval '61 minutes' WHERE signed_at IS NOT NULL")
        .execute(&bench.app().sql)
        .await
        .unwrap();
    bench.settle().await;
    assert_eq!(status(&second).await, "mined");
    // The day, too, has its end.
    let third = pay("10").await;
    bench.settle().await;
    assert_eq!(status(&third).await, "queued");
    assert_eq!(bench.held(TO, Coin::Usdt).await, milli(33_000));
}

/// One send between two people, one swap and one that fails: each is news once, for whom it concerns, with what really moved.
#[actix_web::test]
async fn what_becomes_of_orders_is_told_once_to_whom_it_concerns() {
    let bench = Bench::open().await;
    let (ana, bia) = (rich(&bench).await, bench.person("bia").await);
    let line = |code: &str, amount: &str, coin: &str| (code.to_owned(), amount.to_owned(), coin.to_owned());
    let mut anas = bench.notified(&ana).await;
    anas.sort();
    assert_eq!(
        anas,
        [
            line("wallet_received", "1", "BNB"),
            line("wallet_received", "100", "USDT")
        ]
    );
    let fresh = async |known: &[(String, String, String)]| {
        let all = bench.notified(&ana).await;
        assert_eq!(all.len(), known.len() + 1, "{all:?}");
        all.last().unwrap().clone()
    };

    send(&bench, &ana, "usdt", bia.address, "40.5").await.ok();
    assert_eq!(
        bench.notified(&ana).await.len(),
        anas.len(),
        "that it was made she knows"
    );
    bench.settle().await;
    let sent = fresh(&anas).await;
    assert_eq!(sent, line("wallet_sent", "40.5", "USDT"));
    anas.push(sent);
    assert_eq!(
        bench.notified(&bia).await,
        [line("wallet_received", "40.5", "USDT")]
    );

    let made = swap(&bench, &ana, "usdt", "pyx", "10", "0.5").await.ok();
    bench.settle().await;
    let done = one(&ana, &made["_id"]).await;
    assert_eq!(done["status"], "mined");
    let (code, amount, coin) = fresh(&anas).await;
    assert_eq!((code.as_str(), coin.as_str()), ("wallet_swapped", "PYX"));
    // What it brought, to the last digit.
    assert_eq!(
        alloy::primitives::utils::parse_ether(&amount).unwrap(),
        wei(&done["received"])
    );
    anas.push((code, amount, coin));

    let made = swap(&bench, &ana, "usdt", "pyx", "20", "0.5").await.ok();
    bench
        .trade_waiting(Coin::Usdt, Coin::Pyx, milli(100_000_000))
        .await;
    bench.settle().await;
    assert_eq!(one(&ana, &made["_id"]).await["status"], "failed");
    let failed = fresh(&anas).await;
    // What did not leave.
    assert_eq!(failed, line("wallet_failed", "20", "USDT"));
    anas.push(failed);
    // The allowance that is taken back is no news, nor is anything that is looked at again.
    bench.settle().await;
    bench.settle().await;
    assert_eq!(bench.notified(&ana).await.len(), anas.len());
    assert_eq!(bench.notified(&bia).await.len(), 1);
}
