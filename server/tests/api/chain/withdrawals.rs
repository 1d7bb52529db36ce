//! Money out over the chain: from the request to the block, and every way back.

use super::{
    desk::coins,
    payout::{AWAY, Payout, decide, id, order, reject},
};
use crate::chain_kit::milli;
use alloy::primitives::Address;
use protocol::money::Usdt;
use serde_json::json;
use server::{
    payouts::service as withdrawals,
    wallet::{chain::Coin, withdrawals::Crypto},
};
use time::{Duration, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

#[actix_web::test]
async fn from_the_request_to_the_block() {
    let payout = Payout::open().await;
    let (ana, rui) = (
        payout.customer("ana", 250).await,
        payout.customer("rui", 50).await,
    );
    let admin = payout.app().admin("bia").await;
    let quote = ana
        .post("/withdraw/quote", &order("usdt", AWAY, "100"))
        .await
        .ok();
    assert_eq!(
        [&quote["fee"], &quote["net"], &quote["amount"], &quote["rate"]],
        [
            &json!("2.000000"),
            &json!("98.000000"),
            &json!(coins(98).to_string()),
            &json!("1.000000")
        ]
    );
    let asked = payout.ask_for(&ana, "usdt", AWAY, "100").await.ok();
    assert_eq!(asked["status"], "awaiting_email");
    assert_eq!(
        (
            payout.desk.balance(&ana, "available").await,
            payout.desk.balance(&ana, "held").await
        ),
        (150_000_000, 100_000_000)
    );
    let until = OffsetDateTime::parse(asked["expiresAt"].as_str().unwrap(), &Rfc3339)
        .unwrap()
        .to_offset(UtcOffset::from_hms(-3, 0, 0).unwrap());
    let letter = payout.letter(&ana).await;
    let said = format!("{:02}:{:02} (Brasília)", until.hour(), until.minute());
    assert!(letter.contains(&said), "{said}: {letter}");
    // Opening the page changes nothing; nobody else's session confirms; a guess does not.
    let token = payout.link(&ana).await;
    assert_eq!(payout.status(&ana, &asked).await, "awaiting_email");
    rui.get(&format!("/withdraw/{}", id(&asked)))
        .await
        .refused(404, "request.not_found");
    let body = json!({ "token": token });
    rui.post("/withdraw/confirm", &body)
        .await
        .refused(422, "link.invalid");
    ana.post("/withdraw/confirm", &json!({ "token": "x" }))
        .await
        .refused(422, "link.invalid");
    decide(&admin, &asked, json!({}))
        .await
        .refused(409, "withdrawal.state");
    assert_eq!(
        ana.post("/withdraw/confirm", &body).await.ok()["status"],
        "pending"
    );
    ana.post("/withdraw/confirm", &body)
        .await
        .refused(422, "link.invalid");

    let queue = admin
        .get("/admin/crypto-withdrawal-list?status=pending")
        .await
        .ok();
    assert_eq!(
        (
            &queue["pending"],
            &queue["meta"]["limit"],
            &queue["data"][0]["username"]
        ),
        (&json!(1), &json!(100), &json!("ana"))
    );
    let approved = decide(&admin, &asked, json!({})).await.ok();
    assert_eq!(approved["status"], "approved");
    ana.post("/withdraw/cancel", &json!({ "id": id(&asked) }))
        .await
        .refused(409, "withdrawal.state");
    payout.round().await;
    let sent = payout.see(&ana, &asked).await;
    assert_eq!(sent["status"], "sent");
    assert!(sent["transaction"].as_str().unwrap().starts_with("0x") && sent["block"].is_null());
    reject(&admin, &asked, "tarde demais")
        .await
        .refused(409, "decision.done");
    payout.mine(1).await;
    assert!(payout.see(&ana, &asked).await["block"].is_number());
    assert_eq!(
        payout.status(&ana, &asked).await,
        "sent",
        "one block is not final"
    );
    payout.finish().await;
    let done = payout.see(&ana, &asked).await;
    assert_eq!(
        (&done["status"], &done["transaction"]),
        (&json!("complete"), &sent["transaction"])
    );
    assert!(done["completedAt"].is_string());
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, coins(98));
    let desk = &payout.desk;
    assert_eq!(
        (
            desk.balance(&ana, "available").await,
            desk.balance(&ana, "held").await,
            desk.house("network_fund").await,
            desk.house("withdrawal_fees").await,
        ),
        (150_000_000, 0, 1_000_000, 1_000_000)
    );
    let custody: String =
        sqlx::query_scalar("SELECT sum(balance)::text FROM ledger.account WHERE name = 'custody_chain:usdt'")
            .fetch_one(&payout.app().sql)
            .await
            .unwrap();
    assert_eq!(custody, format!("-{}", coins(202)), "300 came, 98 left");
    desk.exact().await;
    for path in [
        "/list-withdraws?status=complete",
        "/list-withdraws?function=customer",
        "/financial/individual-crypto-withdrawal-list?coin=usdt",
    ] {
        assert_eq!(ana.get(path).await.ok()["data"][0]["_id"], asked["_id"], "{path}");
        assert_eq!(rui.get(path).await.ok()["meta"]["total"], 0, "{path}");
    }
    for path in [
        "/list-withdraws?function=salesperson",
        "/financial/individual-crypto-withdrawal-list?function=salesperson",
        "/list-deposits?function=salesperson",
        "/finance/individual-crypto-deposits-list?function=salesperson",
    ] {
        assert_eq!(ana.get(path).await.ok()["meta"]["total"], 0, "{path}");
    }
    ana.get("/list-deposits?function=king")
        .await
        .refused(422, "request.invalid");
    let report = async |query: &str| {
        admin
            .get(&format!("/admin/crypto-withdrawals-report{query}"))
            .await
            .ok()
    };
    let paid = report("").await;
    assert_eq!(
        (&paid["count"], &paid["total"], &paid["days"][0]["total"]),
        (&json!(1), &json!("98.000000"), &json!("98.000000"))
    );
    let nothing = json!({ "count": 0, "total": "0.000000", "days": [] });
    for query in ["?search=rui", "?coin=bnb", "?status=pending"] {
        assert_eq!(report(query).await, nothing, "{query}");
    }
    ana.get("/admin/crypto-withdrawals-report")
        .await
        .refused(403, "auth.forbidden");
    let of_ana = format!("/financial/individual-crypto-withdrawal-list?userId={}", ana.user);
    assert_eq!(admin.get(&of_ana).await.ok()["meta"]["total"], 1);
    rui.get(&of_ana).await.refused(403, "auth.forbidden");
}

#[actix_web::test]
async fn refusals_in_their_own_words() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let deposit: Address = payout.desk.plain(&ana, "usdt", "50").await.address;
    let usdt = payout.desk.chain.contracts().usdt.unwrap();
    for (address, code, pt) in [
        (
            "0x12",
            "withdrawal.address_invalid",
            "Este endereço não é válido para esta moeda!",
        ),
        (
            "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "withdrawal.address_invalid",
            "Este endereço não é válido para esta moeda!",
        ),
    ] {
        let body = json!({ "coin": "usdt", "address": address, "value": "20" });
        let reply = ana.post("/withdraw", &body).await;
        reply.refused(422, code);
        assert_eq!(reply.body["errors"]["address"][0], pt, "{}", reply.body);
    }
    for to in [Address::ZERO, deposit, payout.hot(), usdt] {
        payout
            .ask_for(&ana, "usdt", to, "20")
            .await
            .refused(422, "withdrawal.address_refused");
    }
    for (value, code, pt) in [
        (
            "100.000001",
            "balance.insufficient",
            "O valor é maior que o seu saldo!",
        ),
        ("9.99", "withdrawal.invalid", "Valor para retirada inválido."),
        ("-5", "withdrawal.invalid", "Valor para retirada inválido."),
        ("dez", "withdrawal.invalid", "Valor para retirada inválido."),
    ] {
        let reply = payout.ask_for(&ana, "usdt", AWAY, value).await;
        reply.refused(422, code);
        assert_eq!(reply.body["errors"]["value"][0], pt, "{value}");
    }
    payout
        .ask_for(&ana, "bnb", AWAY, "20")
        .await
        .refused(503, "rate.unavailable");
    let english = ana.clone().locale("en");
    let reply = english
        .post(
            "/withdraw",
            &json!({ "coin": "usdt", "address": "x", "value": "20" }),
        )
        .await;
    assert_eq!(
        reply.body["errors"]["address"][0],
        "That is not a valid address for that coin!"
    );
    assert_eq!(payout.desk.balance(&ana, "available").await, 100_000_000);
}

#[actix_web::test]
async fn every_way_back_gives_the_money_back() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let full = 100_000_000;
    // By its user, before and after the link.
    let first = payout.ask_for(&ana, "usdt", AWAY, "20").await.ok();
    let cancel = json!({ "id": id(&first) });
    assert_eq!(
        ana.post("/withdraw/cancel", &cancel).await.ok()["status"],
        "canceled"
    );
    assert_eq!(
        ana.post("/withdraw/cancel", &cancel).await.ok()["status"],
        "canceled"
    );
    let second = payout.pending(&ana, "usdt", AWAY, "20").await;
    ana.post("/withdraw/cancel", &json!({ "id": id(&second) }))
        .await
        .ok();
    assert_eq!(payout.desk.balance(&ana, "available").await, full);
    // By staff, with a reason, also once it is approved and queued.
    let third = payout.pending(&ana, "usdt", AWAY, "20").await;
    reject(&admin, &third, "")
        .await
        .refused(422, "decision.reason_missing");
    let rejected = reject(&admin, &third, "Endereço suspeito").await.ok();
    assert_eq!(
        (&rejected["status"], &rejected["reason"]),
        (&json!("rejected"), &json!("Endereço suspeito"))
    );
    let fourth = payout.approved(&ana, &admin, AWAY, "20").await;
    reject(&admin, &fourth, "Engano").await.ok();
    payout.round().await;
    assert_eq!(payout.status(&ana, &fourth).await, "rejected");
    // By time: a fresh link ends the one before; half an hour after the newest it is over.
    let fifth = payout.ask_for(&ana, "usdt", AWAY, "20").await.ok();
    let old = payout.link(&ana).await;
    payout.app().clock.advance(Duration::minutes(20));
    let ana = payout.app().renew(&ana);
    ana.post("/withdraw/resend", &json!({ "id": id(&fifth) }))
        .await
        .ok();
    ana.post("/withdraw/confirm", &json!({ "token": old }))
        .await
        .refused(422, "link.invalid");
    payout.app().clock.advance(Duration::minutes(29));
    assert!(
        !withdrawals::expire_one::<Crypto>(&payout.app().context)
            .await
            .unwrap()
    );
    payout.app().clock.advance(Duration::minutes(1));
    let ana = payout.app().renew(&ana);
    let token = payout.link(&ana).await;
    ana.post("/withdraw/confirm", &json!({ "token": token }))
        .await
        .refused(409, "withdrawal.state");
    // The job passes over rows that somebody holds; the refused call lets go of its row with its connection, a moment after its answer.
    let mut expired = false;
    for _ in 0..3_000 {
        expired = withdrawals::expire_one::<Crypto>(&payout.app().context)
            .await
            .unwrap();
        if expired {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(expired);
    assert_eq!(payout.status(&ana, &fifth).await, "expired");
    assert_eq!(
        (
            payout.desk.balance(&ana, "available").await,
            payout.desk.balance(&ana, "held").await
        ),
        (full, 0)
    );
    let open = "SELECT count(*) FROM approvals.outbound WHERE released_at IS NULL";
    assert_eq!(payout.count(open).await, 0, "the rolling limits are free again");
    payout.desk.exact().await;
    // A reversed credit takes back what has not left.
    let sixth = payout.pending(&ana, "usdt", AWAY, "20").await;
    let admin = payout.app().renew(&admin);
    let seventh = payout.approved(&ana, &admin, AWAY, "30").await;
    let eighth = payout.approved(&ana, &admin, AWAY, "25").await;
    payout.round().await;
    let ninth = payout.ask_for(&ana, "usdt", AWAY, "12").await.ok();
    let context = &payout.app().context;
    let mut tx = context.db.begin().await.unwrap();
    let canceled = server::approvals::unsent::cancel(context, &mut tx, ana.user, "Crédito revertido")
        .await
        .unwrap();
    server::approvals::unsent::tell(context, &mut tx, &canceled)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    for (row, status) in [
        (&sixth, "canceled"),
        (&seventh, "sent"),
        (&eighth, "sent"),
        (&ninth, "canceled"),
    ] {
        assert_eq!(payout.status(&ana, row).await, status);
    }
    payout.finish().await;
    payout.desk.exact().await;
}

#[actix_web::test]
async fn one_key_is_one_withdrawal() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await.key("0123456789abcdef");
    let (a, b) = tokio::join!(
        payout.ask_for(&ana, "usdt", AWAY, "20"),
        payout.ask_for(&ana, "usdt", AWAY, "20")
    );
    let rows: Vec<_> = [a, b]
        .into_iter()
        .filter(|r| r.status == 201)
        .map(|r| r.body["_id"].clone())
        .collect();
    assert!(!rows.is_empty() && rows.iter().all(|r| *r == rows[0]));
    payout
        .ask_for(&ana, "usdt", AWAY, "21")
        .await
        .refused(409, "idempotency.mismatch");
    assert_eq!(payout.desk.balance(&ana, "held").await, 20_000_000);
}

#[actix_web::test]
async fn a_rate_that_moved_is_asked_about() {
    let payout = Payout::open().await;
    payout.capital(Coin::Bnb, coins(10)).await;
    let ana = payout.customer("ana", 1_000).await;
    let admin = payout.app().admin("bia").await;
    payout.price("BNB", Usdt::whole(600));
    let row = payout.pending(&ana, "bnb", AWAY, "300").await;
    assert_eq!(row["amount"], milli(490).to_string(), "294 at 600");
    payout.price("BNB", Usdt::whole(590));
    let asked = decide(&admin, &row, json!({})).await.ok();
    assert_eq!(asked["status"], "awaiting_confirmation");
    let offer = asked["offer"]["amount"].as_str().unwrap().to_owned();
    assert_eq!(offer, "498305084745762711", "294 at 590, floored");
    let take = |amount: &str| json!({ "id": id(&row), "amount": amount });
    ana.post("/withdraw/requote", &take("498305084745762712"))
        .await
        .refused(409, "withdrawal.state");
    let taken = ana.post("/withdraw/requote", &take(&offer)).await.ok();
    assert_eq!(
        (&taken["status"], &taken["amount"]),
        (&json!("pending"), &json!(offer))
    );
    payout.price("BNB", Usdt::whole(595));
    decide(&admin, &row, json!({}))
        .await
        .refused(409, "decision.changed");
    assert_eq!(decide(&admin, &taken, json!({})).await.ok()["status"], "approved");
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    assert_eq!(payout.on_chain(Coin::Bnb, AWAY).await.to_string(), offer);
    payout.desk.exact().await;
}

#[actix_web::test]
async fn what_is_owed_beside_what_is_held() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 1_000).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "100").await;
    payout.round().await;
    payout.price("BNB", Usdt::whole(600));
    let see = || async { admin.get("/admin/solvency").await.ok() };
    let before = see().await;
    let of = |report: &serde_json::Value, list: &str, key: &str, name: &str| {
        report[list]
            .as_array()
            .unwrap()
            .iter()
            .find(|line| line[key] == name)
            .map(|line| line["usdt"].clone())
    };
    assert_eq!(before["owedTotal"], "1000.000000", "{before}");
    assert_eq!(of(&before, "owed", "account", "held"), Some(json!("100.000000")));
    // 10 000 USDT and nearly 10 BNB lie on the chain; the books know of 1 000.
    assert_eq!(
        of(&before, "held", "currency", "USDT"),
        Some(json!("10000.000000"))
    );
    assert_eq!(
        before["fxTotal"], "0.000000",
        "what is not in the books is no gain"
    );
    payout.capital(Coin::Bnb, coins(2)).await;
    let put_in = see().await;
    assert_eq!(
        (&put_in["capital"], &put_in["fxTotal"]),
        (&json!("1200.000000"), &json!("0.000000")),
        "nor is what the house has put in"
    );
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    let after = see().await;
    assert_eq!(
        (
            &after["owedTotal"],
            &after["house"],
            of(&after, "held", "currency", "USDT")
        ),
        (
            &json!("900.000000"),
            &json!("2.000000"),
            Some(json!("9902.000000"))
        )
    );
    let (whole, _) = after["coverage"].as_str().unwrap().split_once('.').unwrap();
    assert!(
        (1_700..1_770).contains(&whole.parse::<u32>().unwrap()),
        "{whole} per cent"
    );
    assert_eq!(after["fxTotal"], "0.000000");
    ana.get("/admin/solvency").await.refused(403, "auth.forbidden");
}
