//! What payments become: every case of the rules, on a real chain.

use super::desk::{Desk, Intent, coins};
use crate::{
    chain_kit::{CONFIRMATIONS, milli},
    guard::settings,
    kit::Client,
};
use alloy::{
    primitives::{TxKind, U256},
    sol_types::SolCall,
};
use protocol::money::Usdt;
use serde_json::json;
use server::wallet::chain::{Coin, contracts, wei};

#[actix_web::test]
async fn an_exact_payment_is_seen_confirmed_and_buys_its_licence() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let quote = ana
        .get("/trader/get-deposit-intent/license/100?isHighRisk=false")
        .await
        .ok();
    assert_eq!(
        (&quote["total"], &quote["open"]),
        (&json!("105.000000"), &json!(null))
    );
    let intent = desk.intent(&ana, "100").await;
    assert_eq!(intent.due, coins(105));
    assert_eq!(intent.body["status"], "waiting_for_buyer_funds");
    let open = ana
        .get("/trader/get-deposit-intent/license/100?isHighRisk=false")
        .await
        .ok();
    assert_eq!(open["open"]["_id"], intent.id.as_str());

    let tx = desk.chain.pay(Coin::Usdt, intent.address, coins(105)).await;
    for confirmations in 1..CONFIRMATIONS {
        desk.mine(1).await;
        let seen = ana.deposit(&intent.id).await;
        assert_eq!(seen["status"], "pending");
        assert_eq!(seen["confirmations"], json!(confirmations));
        assert_eq!(seen["seen"], json!(coins(105).to_string()));
        assert_eq!(seen["transaction"], json!(tx.to_string()));
    }
    desk.mine(1).await;
    let done = ana.deposit(&intent.id).await;
    assert_eq!(
        (&done["status"], &done["outcome"]),
        (&json!("complete"), &json!("exact"))
    );
    assert_eq!(
        (&done["credited"], &done["fee"]),
        (&json!("100.000000"), &json!("5.000000"))
    );
    let licences = ana.get("/get-user-licenses").await.ok();
    assert_eq!(licences["data"][0]["_id"], done["licence"]);
    assert_eq!(licences["data"][0]["state"], "active");
    assert_eq!(licences["data"][0]["price"], "100.000000");
    assert_eq!(
        (
            desk.balance(&ana, "available").await,
            desk.balance(&ana, "held").await
        ),
        (0, 0)
    );
    assert_eq!(
        (desk.house("network_fund").await, desk.house("deposit_fees").await),
        (2_500_000, 2_500_000)
    );
    desk.exact().await;
}

/// What a deposit costs is a setting. The deposit says it until it is booked, and then what was taken.
#[actix_web::test]
async fn what_it_costs_is_said_as_it_is_taken() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let agreed = desk.intent(&ana, "100").await;
    settings(&desk.app, |s| {
        s.deposit_fee = Usdt(2_500_000);
        s.deposit_fee_share = 15_125;
    })
    .await;
    assert_eq!(
        ana.get("/deposit/terms").await.ok(),
        json!({ "minimum": "10.000000", "maximum": "100000.000000", "fee": "2.500000", "feePercent": "1.5125", "minutes": 60 })
    );
    let price = |total: &str, costs: &str| json!({ "fee": "2.500000", "feePercent": "1.5125", "total": total, "costs": costs });
    assert_eq!(
        ana.deposit(&agreed.id).await["price"],
        price("105.000000", "5.000000"),
        "what was agreed stays"
    );
    let plain = desk.plain(&ana, "usdt", "100").await;
    assert_eq!(plain.body["price"], price("104.012500", "4.012500"));
    desk.paid(Coin::Usdt, plain.address, wei::of(104_012_500)).await;
    let done = ana.deposit(&plain.id).await;
    assert_eq!(
        [&done["credited"], &done["fee"], &done["price"]],
        [&json!("100.000000"), &json!("4.012500"), &json!(null)]
    );
    desk.paid(Coin::Usdt, agreed.address, coins(105)).await;
    let done = ana.deposit(&agreed.id).await;
    assert_eq!(
        [&done["credited"], &done["fee"], &done["price"]],
        [&json!("100.000000"), &json!("5.000000"), &json!(null)]
    );
    desk.exact().await;
}

/// Payments to one intent of 100 (due 105), in thousandths, and what they leave: status, outcome, credited, balance, licences.
#[actix_web::test]
async fn amounts_in_time() {
    for (parts, status, outcome, credited, balance, licences) in [
        (vec![60_000, 45_000], "complete", "exact", "100.000000", 0, 1),
        (
            vec![35_000, 35_000, 35_000],
            "complete",
            "exact",
            "100.000000",
            0,
            1,
        ),
        // 5 too much: (5 − 1) ÷ 1.04 more.
        (vec![110_000], "complete", "overpaid", "100.000000", 3_846_153, 1),
        // 0.5 too much is small change.
        (vec![105_500], "complete", "overpaid", "100.000000", 0, 1),
        (vec![60_000], "complete", "underpaid", "56.730769", 56_730_769, 0),
        (vec![104_999], "complete", "underpaid", "99.999038", 99_999_038, 0),
        (vec![900], "cancelled_timed_out", "", "", 0, 0),
        (vec![], "cancelled_timed_out", "", "", 0, 0),
    ] {
        let desk = Desk::open().await;
        let ana = desk.app.user("ana").await;
        let intent = desk.intent(&ana, "100").await;
        for part in &parts {
            desk.chain.pay(Coin::Usdt, intent.address, milli(*part)).await;
            desk.chain.mine(1).await;
        }
        desk.chain.mine(CONFIRMATIONS).await;
        desk.watch().await;
        // The hour ends by the chain's clock, once the block that is later is confirmed.
        desk.chain.pass(3_700).await;
        desk.mine(CONFIRMATIONS).await;
        let done = ana.deposit(&intent.id).await;
        assert_eq!(done["status"], status, "{parts:?}");
        assert_eq!(done["outcome"].as_str().unwrap_or_default(), outcome, "{parts:?}");
        assert_eq!(
            done["credited"].as_str().unwrap_or_default(),
            credited,
            "{parts:?}"
        );
        assert_eq!(desk.balance(&ana, "available").await, balance, "{parts:?}");
        let own = ana.get("/get-user-licenses").await.ok();
        assert_eq!(own["data"].as_array().unwrap().len(), licences, "{parts:?}");
        desk.exact().await;
    }
}

#[actix_web::test]
async fn an_intent_ends_by_the_chains_clock_and_late_money_is_a_plain_sum() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "100").await;
    // Our clock says it is over; the chain has not said so.
    desk.app.clock.advance(time::Duration::hours(2));
    let ana = desk.app.renew(&ana);
    desk.mine(1).await;
    assert_eq!(ana.deposit(&intent.id).await["status"], "waiting_for_buyer_funds");
    desk.chain.pass(3_700).await;
    desk.mine(CONFIRMATIONS - 2).await;
    assert_eq!(
        ana.deposit(&intent.id).await["status"],
        "waiting_for_buyer_funds",
        "the later block is not confirmed yet"
    );
    desk.mine(1).await;
    assert_eq!(ana.deposit(&intent.id).await["status"], "cancelled_timed_out");
    desk.paid(Coin::Usdt, intent.address, coins(105)).await;
    assert_eq!(
        ana.unasked().await,
        [("late".into(), "complete".into(), "100.000000".into())]
    );
    // The address is watched for ever.
    desk.paid(Coin::Usdt, intent.address, coins(53)).await;
    assert_eq!(desk.balance(&ana, "available").await, 150_000_000);
    assert!(
        ana.get("/get-user-licenses").await.ok()["data"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    desk.exact().await;
}

#[actix_web::test]
async fn a_payment_in_the_last_second_counts_when_it_confirms_later() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "50").await;
    desk.chain.pay(Coin::Usdt, intent.address, intent.due).await;
    desk.chain.mine(1).await;
    desk.chain.pass(4_000).await;
    desk.mine(CONFIRMATIONS).await;
    let done = ana.deposit(&intent.id).await;
    assert_eq!(
        (&done["status"], &done["outcome"]),
        (&json!("complete"), &json!("exact"))
    );
    desk.exact().await;
}

#[actix_web::test]
async fn a_used_address_takes_later_money_as_plain_sums() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "50").await;
    desk.paid(Coin::Usdt, intent.address, intent.due).await;
    desk.paid(Coin::Usdt, intent.address, coins(27)).await;
    assert_eq!(
        ana.unasked().await,
        [("later".into(), "complete".into(), "25.000000".into())]
    );
    desk.exact().await;
}

#[actix_web::test]
async fn two_logs_of_one_transaction_both_count() {
    let desk = Desk::open().await;
    let (ana, bia) = (desk.app.user("ana").await, desk.app.user("bia").await);
    let (one, other) = (
        desk.intent(&ana, "50").await,
        desk.plain(&bia, "usdt", "25").await,
    );
    desk.chain
        .pay_in_one(
            Coin::Usdt,
            &[
                (one.address, coins(30)),
                (other.address, coins(27)),
                (one.address, coins(23)),
            ],
        )
        .await;
    desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.deposit(&one.id).await["outcome"], "exact");
    let plain = bia.deposit(&other.id).await;
    assert_eq!(
        (&plain["status"], &plain["credited"]),
        (&json!("complete"), &json!("25.000000"))
    );
    desk.exact().await;
}

#[actix_web::test]
async fn small_change_adds_up_per_address() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let asked = desk.plain(&ana, "usdt", "10").await;
    for _ in 0..2 {
        desk.paid(Coin::Usdt, asked.address, milli(400)).await;
        assert_eq!(ana.unasked().await.len(), 1, "one quiet case");
        assert_eq!(desk.balance(&ana, "available").await, 0);
    }
    assert_eq!(ana.deposit(&asked.id).await["status"], "waiting_for_buyer_funds");
    desk.paid(Coin::Usdt, asked.address, milli(400)).await;
    // (1.2 − 1) ÷ 1.04
    assert_eq!(
        ana.unasked().await,
        [("plain".into(), "complete".into(), "0.192307".into())]
    );
    desk.paid(Coin::Usdt, asked.address, coins(27)).await;
    assert_eq!(ana.deposit(&asked.id).await["credited"], "25.000000");
    desk.exact().await;
}

#[actix_web::test]
async fn other_coins_wait_for_a_person() {
    let desk = Desk::open().await;
    let (ana, staff) = (desk.app.user("ana").await, desk.app.admin("ada").await);
    let intent = desk.intent(&ana, "50").await;
    desk.paid(Coin::Busd, intent.address, coins(53)).await;
    desk.paid(Coin::Bnb, intent.address, milli(100)).await;
    // A token on no list: the wrapped coin, sent by its holder.
    let wrapped = desk.chain.deployment().wrapped;
    let faucet = desk.chain.faucet();
    faucet
        .call(wrapped, coins(3), contracts::Weth::depositCall {}.abi_encode())
        .await
        .unwrap();
    for _ in 0..2 {
        let send = contracts::Erc20::transferCall {
            to: intent.address,
            amount: coins(1),
        };
        faucet.call(wrapped, U256::ZERO, send.abi_encode()).await.unwrap();
    }
    desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.deposit(&intent.id).await["status"], "waiting_for_buyer_funds");
    let queue = staff
        .get("/admin/all-crypto-deposits-list?status=pending_approval&sortby=created_at&sortdirection=asc")
        .await
        .ok();
    let causes: Vec<_> = queue["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["pendingCause"].as_str().unwrap())
        .collect();
    assert_eq!(causes, ["no_rate", "native", "unlisted_token"]);
    assert_eq!(queue["pending"], 3);
    let id = |n: usize| queue["data"][n]["_id"].clone();
    let path = "/admin/crypto-deposits-approve-reject";
    let approve = |n: usize| json!({ "id": id(n), "status": "approved" });
    staff
        .patch(path, &approve(0))
        .await
        .refused(422, "deposit.value_missing");
    let said = json!({ "id": id(0), "status": "approved", "value": "52.00" });
    let done = staff.patch(path, &said).await.ok();
    assert_eq!(
        (&done["status"], &done["credited"]),
        (&json!("approved"), &json!("49.038461"))
    );
    staff
        .patch(path, &json!({ "id": id(1), "status": "rejected" }))
        .await
        .refused(422, "deposit.refund_invalid");
    let refund = json!({ "id": id(1), "status": "rejected", "refund": format!("0x{}", "ab".repeat(32)) });
    assert_eq!(staff.patch(path, &refund).await.ok()["status"], "rejected");
    staff.patch(path, &approve(2)).await.refused(409, "deposit.state");
    let frozen = json!({ "id": id(2), "status": "rejected", "reason": "Token desconhecido" });
    staff.patch(path, &frozen).await.ok();
    staff.patch(path, &frozen).await.refused(409, "decision.done");
    assert_eq!(desk.balance(&ana, "available").await, 49_038_461);
    desk.exact().await;
}

#[actix_web::test]
async fn what_was_credited_adds_up_by_day() {
    let desk = Desk::open().await;
    let (ana, bia) = (desk.app.user("ana").await, desk.app.user("bia").await);
    let pay = async |client: &Client, value, paid| {
        let intent = desk.plain(client, "usdt", value).await;
        desk.paid(Coin::Usdt, intent.address, milli(paid)).await;
        assert_eq!(client.deposit(&intent.id).await["status"], "complete");
    };
    pay(&ana, "25", 27_000).await;
    pay(&bia, "40", 42_600).await;
    // Nobody paid this one.
    desk.plain(&ana, "usdt", "70").await;
    desk.app.clock.advance(time::Duration::days(1));
    desk.chain.pass(86_400).await;
    pay(&desk.app.renew(&ana), "10.50", 11_920).await;
    let staff = desk.app.admin("ada").await;
    let report = async |query: &str| {
        staff
            .get(&format!("/admin/crypto-deposits-report{query}"))
            .await
            .ok()
    };
    let all = report("").await;
    let days: Vec<_> = all["days"].as_array().unwrap().iter().collect();
    assert_eq!(
        (&all["count"], &all["total"], days.len()),
        (&json!(3), &json!("75.500000"), 2)
    );
    assert_eq!(
        [
            &days[0]["count"],
            &days[0]["total"],
            &days[1]["count"],
            &days[1]["total"]
        ],
        [&json!(2), &json!("65.000000"), &json!(1), &json!("10.500000")]
    );
    let first = days[0]["day"].as_str().unwrap();
    assert!(first < days[1]["day"].as_str().unwrap());
    let one_day = report(&format!("?startDate={first}&endDate={first}")).await;
    assert_eq!(
        (&one_day["total"], &one_day["days"]),
        (&json!("65.000000"), &json!([days[0]]))
    );
    assert_eq!(report("?search=bia").await["total"], "40.000000");
    let nothing = json!({ "count": 0, "total": "0.000000", "days": [] });
    for (query, found) in [
        ("selectedMethod=usdt_bep20", &all),
        ("selectedProduct=plain", &all),
        ("selectedMethod=usdt_bep20&selectedProduct=plain", &all),
        ("selectedMethod=bnb", &nothing),
        ("selectedMethod=busd_bep20", &nothing),
        ("selectedProduct=license", &nothing),
        ("selectedProduct=liquidity_for_pools", &nothing),
    ] {
        assert_eq!(&report(&format!("?{query}")).await, found, "{query}");
    }
    // Paid by no coin, and no product: neither is ever looked over.
    for wrong in [
        "selectedMethod=pix",
        "selectedMethod=balance",
        "selectedMethod=gold",
        "selectedProduct=gold",
    ] {
        for path in ["/admin/crypto-deposits-report", "/admin/all-crypto-deposits-list"] {
            staff
                .get(&format!("{path}?{wrong}"))
                .await
                .refused(422, "request.invalid");
        }
    }
    // The lists by the same words: everybody's four with the one that nobody paid, and one's own three.
    let renewed = desk.app.renew(&ana);
    for (client, path, there) in [
        (&staff, "/admin/all-crypto-deposits-list", 4),
        (&renewed, "/list-deposits", 3),
        (&renewed, "/finance/individual-crypto-deposits-list", 3),
    ] {
        for (product, expected) in [("plain", there), ("license", 0), ("liquidity_for_pools", 0)] {
            let page = client
                .get(&format!("{path}?selectedProduct={product}"))
                .await
                .ok();
            assert_eq!(page["meta"]["total"], expected, "{path} {product}");
        }
    }
    desk.app
        .renew(&ana)
        .get("/admin/crypto-deposits-report")
        .await
        .refused(403, "auth.forbidden");
}

#[actix_web::test]
async fn nobody_decides_on_own_money_and_large_sums_need_two() {
    let desk = Desk::open().await;
    let (ada, bea) = (desk.app.admin("ada").await, desk.app.admin("bea").await);
    let ana = desk.app.user("ana").await;
    let (own, large) = (
        desk.plain(&ada, "bnb", "10").await,
        desk.plain(&ana, "bnb", "10").await,
    );
    desk.paid(Coin::Bnb, own.address, milli(10)).await;
    desk.paid(Coin::Bnb, large.address, coins(10)).await;
    let path = "/admin/crypto-deposits-approve-reject";
    let say = |id: &str, value: &str| json!({ "id": id, "status": "approved", "value": value });
    ada.patch(path, &say(&own.id, "6"))
        .await
        .refused(403, "decision.own_money");
    let first = ada.patch(path, &say(&large.id, "6000")).await.ok();
    assert_eq!(
        (&first["status"], &first["approvals"]),
        (&json!("pending_approval"), &json!(1))
    );
    ada.patch(path, &say(&large.id, "6000"))
        .await
        .refused(409, "decision.same_person");
    // Another value is another decision: it begins anew.
    let other = bea.patch(path, &say(&large.id, "6001")).await.ok();
    assert_eq!(other["status"], "pending_approval");
    let done = bea.patch(path, &say(&large.id, "6000")).await.ok();
    assert_eq!(done["status"], "approved");
    desk.exact().await;
}

#[actix_web::test]
async fn a_fresh_market_rate_credits_native_coin_that_was_asked_for() {
    use server::market::Rates;
    let chain = crate::chain_kit::TestChain::start().await;
    let rates = Rates::default();
    let parts = server::foundation::context::Parts::default()
        .with(chain.chain())
        .with(rates.clone());
    let app = crate::kit::TestApp::start_with_parts(parts).await;
    let desk = Desk {
        app,
        chain,
        node: protocol::ids::NodeId::fresh(),
    };
    desk.watch().await;
    let ana = desk.app.user("ana").await;
    let asked = desk.plain(&ana, "bnb", "50").await;
    for venue in ["a", "b", "c"] {
        rates.note(
            "BNB",
            venue,
            protocol::money::Usdt::whole(530),
            desk.app.context.now(),
        );
    }
    desk.paid(Coin::Bnb, asked.address, milli(100)).await;
    let done = ana.deposit(&asked.id).await;
    assert_eq!(
        (&done["status"], &done["credited"]),
        (&json!("complete"), &json!("50.000000"))
    );
    assert_eq!(done["rate"], "530.000000");
    desk.exact().await;
}

#[actix_web::test]
async fn intents_have_limits_owners_and_an_end() {
    let desk = Desk::open().await;
    let (ana, bia) = (desk.app.user("ana").await, desk.app.user("bia").await);
    let path = "/trader/create-deposit-intent";
    let intent = |value: &str| json!({ "licenseValue": value, "product": "usdt_bep20", "isHighRisk": false, "riskAccepted": true });
    ana.post(path, &intent("77")).await.refused(404, "plan.unknown");
    ana.post(path, &intent("-50"))
        .await
        .refused(422, "amount.not_positive");
    let unread =
        json!({ "licenseValue": "50", "product": "usdt_bep20", "isHighRisk": false, "riskAccepted": false });
    ana.post(path, &unread)
        .await
        .refused(422, "licence.risk_not_accepted");
    for (coin, value, code) in [
        ("usdt", "9.999999", "deposit.too_small"),
        ("usdt", "100001", "deposit.too_large"),
        ("usdt", "0", "amount.not_positive"),
        ("pyx", "50", "chain.coin_unavailable"),
    ] {
        ana.post("/deposit", &json!({ "coin": coin, "value": value }))
            .await
            .refused(422, code);
    }
    let keyed = ana.key("one-intent-and-no-more");
    let first = desk.intent(&keyed, "50").await;
    assert_eq!(
        desk.intent(&keyed, "50").await.id,
        first.id,
        "the same key, the same intent"
    );
    let second = desk.intent(&ana, "100").await;
    assert_ne!(first.address, second.address);
    desk.plain(&ana, "usdt", "20").await;
    ana.post(path, &intent("250"))
        .await
        .refused(422, "deposit.too_many");
    bia.post("/deposit/cancel", &json!({ "id": first.id }))
        .await
        .refused(404, "request.not_found");
    assert!(bia.deposits().await.is_empty());
    for _ in 0..2 {
        let gone = ana.post("/deposit/cancel", &json!({ "id": first.id })).await.ok();
        assert_eq!(gone["status"], "canceled");
    }
    desk.intent(&ana, "250").await;
    // What was seen cannot be withdrawn; what comes after a withdrawal is late money.
    desk.chain.pay(Coin::Usdt, second.address, coins(1)).await;
    desk.mine(1).await;
    ana.post("/deposit/cancel", &json!({ "id": second.id }))
        .await
        .refused(409, "deposit.state");
    desk.paid(Coin::Usdt, first.address, coins(53)).await;
    assert_eq!(
        ana.unasked().await,
        [("late".into(), "complete".into(), "50.000000".into())]
    );
    let by_coin = ana
        .get("/finance/individual-crypto-deposits-list?coin=busd")
        .await
        .ok();
    assert_eq!(by_coin["meta"]["total"], 0);
    let named = format!("/finance/individual-crypto-deposits-list?userId={}", ana.user);
    bia.get(&named).await.refused(403, "auth.forbidden");
    assert_eq!(
        desk.app.admin("ada").await.get(&named).await.ok()["meta"]["total"],
        5
    );
    desk.exact().await;
}

#[actix_web::test]
async fn a_plan_that_is_gone_leaves_the_money_in_the_balance() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "50").await;
    sqlx::query("UPDATE licences.plan SET active = false")
        .execute(&desk.app.sql)
        .await
        .unwrap();
    desk.paid(Coin::Usdt, intent.address, intent.due).await;
    let done = ana.deposit(&intent.id).await;
    assert_eq!(
        (&done["status"], &done["outcome"]),
        (&json!("complete"), &json!("plan_gone"))
    );
    assert_eq!(desk.balance(&ana, "available").await, 50_000_000);
    desk.exact().await;
}

#[actix_web::test]
async fn without_a_chain_nothing_is_promised() {
    let app = crate::kit::TestApp::start().await;
    let ana = app.user("ana").await;
    ana.post("/deposit", &json!({ "coin": "usdt", "value": "50" }))
        .await
        .refused(503, "chain.unavailable");
    assert!(ana.deposits().await.is_empty());
}

#[actix_web::test]
async fn a_transfer_that_its_receipt_calls_failed_does_not_count() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "50").await;
    // More than the faucet has: the transaction is mined and undone.
    let send = contracts::Erc20::transferCall {
        to: intent.address,
        amount: coins(u64::MAX / 1_000_000),
    };
    let token = desk.chain.contracts().usdt.unwrap();
    desk.chain
        .faucet()
        .send(TxKind::Call(token), U256::ZERO, send.abi_encode().into())
        .await
        .unwrap();
    desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.deposit(&intent.id).await["status"], "waiting_for_buyer_funds");
    desk.exact().await;
}

#[actix_web::test]
async fn a_paid_intent_for_a_pool_is_an_entry_of_it() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let pool = "0190b000-0000-7000-8000-000000000002";
    let order = |value: &str| {
        json!({ "kind": "liquidity_for_pools", "licenseValue": value, "planId": pool, "product": "usdt_bep20",
            "isHighRisk": false, "riskAccepted": true })
    };
    let path = "/trader/create-deposit-intent";
    ana.post(path, &order("249")).await.refused(422, "pool.minimum");
    let [paid, closed] = [
        Intent::read(ana.post(path, &order("300")).await.ok()),
        Intent::read(ana.post(path, &order("400")).await.ok()),
    ];
    assert_eq!(paid.due, coins(313));
    // Each value has its own open intent.
    for (value, intent) in [("300", &paid), ("400", &closed)] {
        let quote = format!("/trader/get-deposit-intent/liquidity_for_pools/{value}/{pool}");
        assert_eq!(ana.get(&quote).await.ok()["open"]["_id"], intent.id.as_str());
    }
    desk.paid(Coin::Usdt, paid.address, paid.due).await;
    let deposit = ana.deposit(&paid.id).await;
    assert_eq!(
        (&deposit["status"], &deposit["licence"]),
        (&json!("complete"), &json!(null))
    );
    let mine = ana.get("/pools/mine").await.ok();
    assert_eq!(
        (&mine["meta"]["total"], &mine["data"][0]["value"]),
        (&json!(1), &json!("300.000000"))
    );
    assert_eq!(desk.balance(&ana, "held").await, 0);
    // A pool that closed meanwhile takes nothing: the money is the balance's.
    sqlx::query("UPDATE pools.pool SET open = false")
        .execute(&desk.app.sql)
        .await
        .unwrap();
    desk.paid(Coin::Usdt, closed.address, closed.due).await;
    assert_eq!(ana.deposit(&closed.id).await["outcome"], "plan_gone");
    assert_eq!(desk.balance(&ana, "available").await, 400_000_000);
    desk.exact().await;
}

/// The body that the product's specification gives, and nothing else: the risk notice that the account accepted stands for it.
#[actix_web::test]
async fn an_intent_needs_no_more_than_value_product_and_risk() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let body = json!({ "licenseValue": "100", "product": "usdt_bep20", "isHighRisk": false });
    let intent = ana.post("/trader/create-deposit-intent", &body).await;
    assert_eq!(intent.status, 201, "{}", intent.body);
    let said: i64 = sqlx::query_scalar("SELECT count(*) FROM identity.acceptance WHERE account = $1")
        .bind(ana.user.0)
        .fetch_one(&desk.app.sql)
        .await
        .unwrap();
    assert_eq!(said, 0, "nothing is written down that was not said");
    // A number is as good as a text: the specification says neither.
    for value in [json!(50), json!(250.00)] {
        let mut number = body.clone();
        number["licenseValue"] = value;
        let intent = ana.post("/trader/create-deposit-intent", &number).await;
        assert_eq!(intent.status, 201, "{}", intent.body);
    }
    for value in [json!(77.123_456_7), json!(null), json!([100]), json!(true)] {
        let mut wrong = body.clone();
        wrong["licenseValue"] = value;
        ana.post("/trader/create-deposit-intent", &wrong)
            .await
            .refused(422, "amount.invalid");
    }

    let mut no = body.clone();
    no["riskAccepted"] = json!(false);
    ana.post("/trader/create-deposit-intent", &no)
        .await
        .refused(422, "licence.risk_not_accepted");
    // Whoever accepted an older notice only is told which call records the newer one.
    sqlx::query("UPDATE identity.account SET terms_version = '2020-01' WHERE id = $1")
        .bind(ana.user.0)
        .execute(&desk.app.sql)
        .await
        .unwrap();
    server::identity::sessions::forget(ana.session).await;
    ana.post("/trader/create-deposit-intent", &body)
        .await
        .refused(422, "risk.not_recorded");
    let mut said = body.clone();
    said["riskAccepted"] = json!(true);
    ana.post("/trader/create-deposit-intent", &said)
        .await
        .refused(403, "auth.profile_incomplete");
}
