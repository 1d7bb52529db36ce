//! The bonus of a rank over the chain: asked for, agreed to, sent, posted from the fund; once, whoever presses and whatever dies.

use super::{
    desk::coins,
    payout::Payout,
    restarts::cut,
    sender::{PAUSE, UNPAUSE},
};
use crate::{
    chain_kit::CONFIRMATIONS,
    guard::settings,
    kit::{Client, Reply, TestApp, live::Live},
};
use alloy::primitives::{Address, U256, address};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    ledger::{amount::Coin as BookedCoin, model::*, service as ledger},
    wallet::chain::{Coin, wei},
};
use time::Duration;
use uuid::Uuid;

/// A member's own wallet.
const WALLET: Address = address!("dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB");

/// What came in over the chain and lies in the fund.
async fn fund(payout: &Payout, whole: i64) {
    let amount = Usdt::whole(whole);
    let held = wei::booked(wei::of(amount.0)).unwrap();
    let exchange = AccountRef::House(HouseAccount::Fx(Fx::Coin(BookedCoin::Usdt)));
    let order = Transfer::new(
        TransferKind::DepositChain,
        Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, Uuid::nil()),
        Orderer::System,
    )
    .wei(
        AccountRef::House(HouseAccount::CustodyChain(BookedCoin::Usdt)),
        BookedCoin::Usdt,
        -held,
    )
    .wei(exchange, BookedCoin::Usdt, held)
    .usdt(exchange, -amount)
    .usdt(AccountRef::House(HouseAccount::GraduationFund), amount);
    let mut tx = payout.app().context.db.begin().await.unwrap();
    ledger::post(&mut tx, order).await.unwrap();
    tx.commit().await.unwrap();
}

/// Writes what closings and first openings of wallets write, without either.
async fn write(app: &TestApp, sql: &'static str, binds: (Uuid, Uuid, i64, Vec<u8>, i64)) {
    let mut conn = app.sql.acquire().await.unwrap();
    sqlx::query("SET session_replication_role = replica")
        .execute(&mut *conn)
        .await
        .unwrap();
    let (id, owner, amount, bytes, days) = binds;
    sqlx::query(sql)
        .bind(id)
        .bind(owner)
        .bind(amount)
        .bind(bytes)
        .bind(days)
        .bind(app.context.now())
        .execute(&mut *conn)
        .await
        .unwrap();
    sqlx::query("SET session_replication_role = origin")
        .execute(&mut *conn)
        .await
        .unwrap();
}

/// A rank that somebody reached, whose bonus is so many USDT.
pub async fn reached(payout: &Payout, who: &Client, rank: i64, whole: i64) -> String {
    let id = Uuid::now_v7();
    write(
        payout.app(),
        "INSERT INTO affiliates.graduation (id, member, rank, threshold, rate, amount, settings_version, closing, business_day, reached_at)
         SELECT $1, $2, $5, 1000000000, 50000, $3, 1, $1, $6::date, $6 WHERE $4::bytea IS NOT NULL",
        (id, who.user.0, Usdt::whole(whole).0, Vec::new(), rank),
    )
    .await;
    id.to_string()
}

/// Somebody's own wallet, so many hours old.
async fn wallet(payout: &Payout, who: &Client, at: Address, hours: i64) {
    write(
        payout.app(),
        "INSERT INTO wallet.user_wallet (id, owner, address, entropy, data_key, key_version, created_at)
         SELECT $1, $2, $4, $4, $4, 1, $6 - make_interval(hours => $5::int) WHERE $3::bigint IS NOT NULL",
        (Uuid::now_v7(), who.user.0, 0, at.to_vec(), hours),
    )
    .await;
}

pub async fn press(admin: &Client, graduation: &str) -> Reply {
    admin
        .post(
            "/admin/graduation/pay-bonus",
            &json!({ "graduationId": graduation }),
        )
        .await
}

pub async fn reject(admin: &Client, graduation: &str, reason: &str) -> Reply {
    admin
        .post(
            "/admin/graduation/reject-bonus",
            &json!({ "graduationId": graduation, "reason": reason }),
        )
        .await
}

async fn line(admin: &Client, graduation: &str) -> Value {
    let page = admin.get("/admin/graduation?limit=100").await.ok();
    let rows = page["data"].as_array().unwrap();
    rows.iter().find(|row| row["_id"] == *graduation).unwrap().clone()
}

/// What its member reads of it: what became of the bonus, and by which transaction.
async fn seen_by(who: &Client, graduation: &str) -> (Value, Value) {
    let page = who.get("/affiliates/graduations").await.ok();
    let rows = page["data"].as_array().unwrap();
    let row = rows.iter().find(|row| row["_id"] == *graduation).unwrap();
    (row["status"].clone(), row["bonusPaymentHash"].clone())
}

/// Whole USDT in the fund, and out of it on their way.
async fn kept(payout: &Payout) -> (i64, i64) {
    (
        payout.desk.house("graduation_fund").await / 1_000_000,
        payout.desk.house("graduation_due").await / 1_000_000,
    )
}

/// A member with a wallet of some age, and two administrators; so much in the fund.
pub async fn scene(whole: i64) -> (Payout, Client, Client, Client) {
    let payout = Payout::open().await;
    fund(&payout, whole).await;
    let ana = payout.app().user("ana").await;
    wallet(&payout, &ana, WALLET, 73).await;
    let (bia, eva) = (payout.app().admin("bia").await, payout.app().admin("eva").await);
    (payout, ana, bia, eva)
}

#[actix_web::test]
async fn one_person_pays_a_small_bonus_and_it_counts_when_the_chain_is_final() {
    let (payout, ana, bia, eva) = scene(120).await;
    let bronze = reached(&payout, &ana, 1, 50).await;
    let offer = bia
        .get(&format!("/admin/graduation/pay-bonus/{bronze}"))
        .await
        .ok();
    assert_eq!(
        (
            &offer["value"],
            &offer["address"],
            &offer["chain"],
            &offer["payment"]
        ),
        (
            &json!("50.000000"),
            &json!(WALLET.to_checksum(None)),
            &json!(31337),
            &Value::Null
        ),
        "{offer}"
    );
    assert_eq!(kept(&payout).await, (120, 0), "an offer moves nothing");
    let waiting = (json!("waiting"), Value::Null);
    assert_eq!(seen_by(&ana, &bronze).await, waiting);
    let done = press(&bia, &bronze).await.ok();
    assert_eq!(
        (&done["data"]["status"], &done["data"]["trxHash"]),
        (&json!("approved"), &Value::Null)
    );
    assert!(done["message"].as_str().unwrap().contains("liberado"), "{done}");
    assert_eq!(kept(&payout).await, (70, 50));
    assert_eq!(seen_by(&ana, &bronze).await, waiting, "decided, not yet sent");
    // Whoever presses again, with whatever key: nothing more is paid.
    for again in [&bia, &eva] {
        assert_eq!(press(again, &bronze).await.ok()["data"]["status"], "approved");
    }
    payout.round().await;
    let sent = press(&eva, &bronze).await.ok();
    assert_eq!(sent["data"]["status"], "sent");
    let hash = sent["data"]["trxHash"].as_str().unwrap().to_owned();
    let row = line(&bia, &bronze).await;
    assert_eq!(
        (
            &row["isBonusPaid"],
            &row["bonusPaymentHash"],
            &row["payment"]["status"]
        ),
        (&json!(false), &json!(hash), &json!("sent"))
    );
    assert_eq!(seen_by(&ana, &bronze).await, (json!("sent"), json!(hash)));
    // What is signed is no longer anybody's to stop.
    reject(&eva, &bronze, "Engano")
        .await
        .refused(409, "decision.done");
    payout.finish().await;
    let row = line(&bia, &bronze).await;
    assert_eq!(
        (&row["isBonusPaid"], &row["bonusPaymentHash"]),
        (&json!(true), &json!(hash))
    );
    assert!(row["paidAt"].is_string());
    assert_eq!(seen_by(&ana, &bronze).await, (json!("paid"), json!(hash)));
    assert_eq!(
        bia.get("/affiliates/graduations").await.ok()["data"],
        json!([]),
        "of oneself alone"
    );
    let paid = press(&eva, &bronze).await.ok();
    assert_eq!(
        (&paid["data"]["status"], &paid["data"]["trxHash"]),
        (&json!("complete"), &json!(hash))
    );
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, coins(50));
    assert_eq!(kept(&payout).await, (70, 0));
    payout.desk.exact().await;
    // Filters see it; its member hears of it.
    for (query, total) in [
        ("isBonusPaid=true", 1),
        ("isBonusPaid=false", 0),
        ("isWaiting=true", 0),
    ] {
        let page = bia.get(&format!("/admin/graduation?{query}")).await.ok();
        assert_eq!(page["meta"]["total"], total, "{query}");
    }
    crate::notifications::drain(payout.app()).await;
    let inbox = ana.get("/notifications").await.ok();
    let codes: Vec<&str> = inbox["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|line| line["code"].as_str())
        .filter(|code| code.starts_with("graduation_bonus"))
        .collect();
    assert_eq!(codes, ["graduation_bonus_complete", "graduation_bonus_sent"]);
    let mails: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.mail WHERE user_id = $1 AND template = 'graduation_bonus'",
    )
    .bind(ana.user.0)
    .fetch_one(&payout.app().sql)
    .await
    .unwrap();
    assert_eq!(mails, 1);
}

#[actix_web::test]
async fn a_large_one_takes_two_persons_who_hear_of_each_other() {
    let (payout, ana, bia, eva) = scene(8_000).await;
    let diamond = reached(&payout, &ana, 5, 7_500).await;
    let mut desk = Live::open(payout.app(), &eva).await;
    desk.subscribe("queue:graduation-bonuses").await;
    let mut own = Live::open(payout.app(), &ana).await;
    own.say(&json!({ "op": "subscribe", "stream": "queue:graduation-bonuses" }))
        .await;
    own.expect("denied").await;
    own.subscribe(&format!("user:{}", ana.user)).await;

    let first = press(&bia, &diamond).await.ok();
    assert_eq!(
        (
            &first["data"]["status"],
            &first["data"]["approvals"],
            &first["data"]["approvalsNeeded"],
            &first["data"]["trxHash"]
        ),
        (&json!("pending"), &json!(1), &json!(2), &Value::Null)
    );
    assert!(first["message"].as_str().unwrap().contains("1 de 2"), "{first}");
    let told = desk.expect("event").await["event"].clone();
    assert_eq!(
        (
            &told["queue"],
            &told["pending"],
            &told["item"]["payment"]["status"]
        ),
        (&json!("graduation-bonuses"), &json!(1), &json!("pending")),
        "{told}"
    );
    let waiting = bia.get("/admin/graduation?isWaiting=true").await.ok();
    assert_eq!(waiting["data"][0]["_id"], json!(diamond));
    let queues = eva.get("/admin/waiting").await.ok();
    let queue = queues["queues"]
        .as_array()
        .unwrap()
        .iter()
        .find(|queue| queue["queue"] == "graduation_bonuses")
        .unwrap()
        .clone();
    assert_eq!((&queue["pending"], &queue["mine"]), (&json!(1), &json!(1)));
    // The same person again is not a second one.
    assert_eq!(press(&bia, &diamond).await.ok()["data"]["approvals"], 1);
    payout.round().await;
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, U256::ZERO);
    let preview = format!(
        "/admin/approvals/preview?kind=graduation_bonus&id={}",
        first["data"]["_id"].as_str().unwrap()
    );
    assert_eq!(eva.get(&preview).await.ok()["completes"], true);
    bia.get(&preview).await.refused(409, "decision.same_person");

    // Turned down, it may be asked for anew; and then two persons agree.
    reject(&eva, &diamond, "")
        .await
        .refused(422, "decision.reason_missing");
    let no = reject(&eva, &diamond, "Em análise").await.ok();
    assert_eq!(no["data"]["status"], "rejected");
    assert_eq!(seen_by(&ana, &diamond).await, (json!("waiting"), Value::Null));
    assert_eq!(kept(&payout).await, (8_000, 0));
    reject(&eva, &diamond, "De novo")
        .await
        .refused(404, "request.not_found");
    let row = line(&bia, &diamond).await;
    assert_eq!(
        (
            &row["payment"]["status"],
            &row["payment"]["reason"],
            &row["bonusPaymentHash"]
        ),
        (&json!("rejected"), &json!("Em análise"), &Value::Null)
    );
    press(&eva, &diamond).await.ok();
    assert_eq!(press(&bia, &diamond).await.ok()["data"]["status"], "approved");
    payout.round().await;
    let fact = own.fact("graduation_bonus.changed").await;
    let payment = &fact["event"]["payment"];
    assert_eq!(
        (&payment["status"], &payment["approvals"], &payment["reason"]),
        (&json!("sent"), &json!(0), &Value::Null),
        "what staff agree on, and turn down, is not its member's to read"
    );
    payout.finish().await;
    assert_eq!(line(&bia, &diamond).await["isBonusPaid"], true);
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, coins(7_500));
    assert_eq!(kept(&payout).await, (500, 0));
    payout.desk.exact().await;
}

#[actix_web::test]
async fn what_stands_against_it_is_said_and_moves_nothing() {
    let (payout, ana, bia, _) = scene(40).await;
    let (rui, lia) = (payout.app().user("rui").await, payout.app().user("lia").await);
    wallet(
        &payout,
        &lia,
        address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
        71,
    )
    .await;
    let (without, young) = (
        reached(&payout, &rui, 1, 10).await,
        reached(&payout, &lia, 1, 10).await,
    );
    let (dear, nothing, held) = (
        reached(&payout, &ana, 1, 50).await,
        reached(&payout, &ana, 2, 0).await,
        reached(&payout, &ana, 3, 10).await,
    );
    for (graduation, code) in [
        (&without, "graduation.wallet_missing"),
        (&young, "graduation.wallet_young"),
        (&dear, "graduation.fund_short"),
        (&nothing, "graduation.no_bonus"),
    ] {
        press(&bia, graduation).await.refused(422, code);
        bia.get(&format!("/admin/graduation/pay-bonus/{graduation}"))
            .await
            .refused(422, code);
    }
    press(&bia, &Uuid::now_v7().to_string())
        .await
        .refused(404, "request.not_found");
    press(&ana, &held).await.refused(403, "auth.forbidden");
    // Money of a person that may not leave does not arrive either.
    let mut tx = payout.app().context.db.begin().await.unwrap();
    server::identity::service::hold(&mut tx, ana.user, "password", Duration::hours(24))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    press(&bia, &held).await.refused(403, "outbound.held");
    bia.get(&format!("/admin/graduation/pay-bonus/{held}"))
        .await
        .refused(403, "outbound.held");
    assert_eq!(kept(&payout).await, (40, 0));
    let rows = payout.count("SELECT count(*) FROM wallet.graduation_bonus").await;
    assert_eq!(rows, 0);
}

#[actix_web::test]
async fn what_the_chain_refuses_is_back_in_the_fund_and_paid_anew() {
    let (payout, ana, bia, _) = scene(100).await;
    let bronze = reached(&payout, &ana, 1, 50).await;
    let usdt = payout.desk.chain.contracts().usdt.unwrap();
    let faucet = payout.desk.chain.faucet();
    faucet.call(usdt, U256::ZERO, PAUSE.to_vec()).await.unwrap();
    payout.desk.chain.mine(1).await;
    press(&bia, &bronze).await.ok();
    payout.round().await;
    payout.finish().await;
    let row = line(&bia, &bronze).await;
    assert_eq!(
        (
            &row["isBonusPaid"],
            &row["payment"]["status"],
            &row["bonusPaymentHash"]
        ),
        (&json!(false), &json!("failed"), &Value::Null),
        "{row}"
    );
    assert_eq!(kept(&payout).await, (100, 0));
    faucet.call(usdt, U256::ZERO, UNPAUSE.to_vec()).await.unwrap();
    payout.desk.chain.mine(1).await;
    assert_eq!(press(&bia, &bronze).await.ok()["data"]["status"], "approved");
    payout.round().await;
    payout.finish().await;
    assert_eq!(line(&bia, &bronze).await["isBonusPaid"], true);
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, coins(50));
    assert_eq!(kept(&payout).await, (50, 0));
    payout.desk.exact().await;
}

#[actix_web::test]
async fn many_press_at_once_and_the_fund_pays_what_it_holds_once() {
    let (payout, ana, bia, eva) = scene(70).await;
    let (bronze, silver) = (
        reached(&payout, &ana, 1, 50).await,
        reached(&payout, &ana, 2, 50).await,
    );
    let presses = (0..12).map(|n| {
        let (admin, of) = ([&bia, &eva][n % 2], [&bronze, &silver][n / 2 % 2]);
        press(admin, of)
    });
    let answers = futures_util::future::join_all(presses).await;
    let good: Vec<&str> = answers
        .iter()
        .filter(|reply| reply.status == 200)
        .map(|reply| reply.body["data"]["graduation"].as_str().unwrap())
        .collect();
    assert_eq!(good.len(), 6, "one of the two is covered, by all who press it");
    assert!(good.iter().all(|one| *one == good[0]));
    for reply in answers.iter().filter(|reply| reply.status != 200) {
        reply.refused(422, "graduation.fund_short");
    }
    let rows = payout.count("SELECT count(*) FROM wallet.graduation_bonus").await;
    assert_eq!(rows, 1);
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, coins(50));
    assert_eq!(kept(&payout).await, (20, 0));
    payout.desk.exact().await;
}

#[actix_web::test]
async fn a_sender_killed_between_any_two_steps_pays_once() {
    let (payout, ana, bia, _) = scene(100).await;
    let bronze = reached(&payout, &ana, 1, 50).await;
    press(&bia, &bronze).await.ok();
    let mut kills = 0;
    let mut polls = 1;
    while line(&bia, &bronze).await["isBonusPaid"] == false {
        match cut(payout.try_round(), polls).await {
            None => {
                kills += 1;
                polls += 1 + polls / 8;
            }
            // A killed transaction may still hold its locks for a moment.
            Some(Err(_)) => polls += 1,
            // It went through: the chain goes on, and the next rounds are cut anew.
            Some(Ok(())) => {
                payout.desk.chain.mine(CONFIRMATIONS).await;
                polls = 1;
            }
        }
    }
    assert!(kills > 20, "it was killed {kills} times");
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, coins(50));
    assert_eq!(kept(&payout).await, (50, 0));
    let posted = payout
        .count("SELECT count(*) FROM ledger.transfer WHERE kind = 'graduation_bonus'")
        .await;
    assert_eq!(posted, 2, "aside, and paid");
    payout.desk.exact().await;
}

#[actix_web::test]
async fn a_broken_payment_holds_nobody_else_up_and_is_told() {
    let (payout, ana, bia, _) = scene(200).await;
    let rui = payout.app().user("rui").await;
    let place = address!("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
    wallet(&payout, &rui, place, 73).await;
    let (broken, sound) = (
        reached(&payout, &ana, 1, 50).await,
        reached(&payout, &rui, 1, 50).await,
    );
    for graduation in [&broken, &sound] {
        assert_eq!(press(&bia, graduation).await.ok()["data"]["status"], "approved");
    }
    // As no server writes it: not what was approved.
    write(
        payout.app(),
        "UPDATE wallet.graduation_bonus SET digest = $4
         WHERE graduation = $1 AND owner = $2 AND $3::bigint + $5::bigint = 0 AND $6::timestamptz IS NOT NULL",
        (broken.parse().unwrap(), ana.user.0, 0, vec![0], 0),
    )
    .await;
    payout.round().await;
    assert_eq!(press(&bia, &sound).await.ok()["data"]["status"], "sent");
    assert_eq!(press(&bia, &broken).await.ok()["data"]["status"], "approved");
    assert_eq!(payout.alerts(&bia).await, ["refused"]);
    payout.finish().await;
    assert_eq!(payout.on_chain(Coin::Usdt, place).await, coins(50));
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, coins(0));
    assert_eq!(kept(&payout).await, (100, 50));
    payout.desk.exact().await;
}

async fn case(admin: &Client) -> Value {
    admin.get("/admin/compliance/cases").await.ok()["data"][0].clone()
}

async fn decide_case(admin: &Client, case: &Value, cleared: bool) -> Reply {
    let word = json!({ "id": case["_id"], "cleared": cleared, "note": "Olhei" });
    admin.patch("/admin/compliance/cases", &word).await
}

#[actix_web::test]
async fn what_the_compliance_rules_want_seen_is_paid_only_after_somebody_has() {
    let (payout, ana, bia, eva) = scene(200).await;
    settings(payout.app(), |s| s.compliance_amount = Usdt::whole(50)).await;
    let (bronze, prata, small) = (
        reached(&payout, &ana, 1, 50).await,
        reached(&payout, &ana, 2, 60).await,
        reached(&payout, &ana, 3, 49).await,
    );
    assert_eq!(press(&bia, &small).await.ok()["data"]["status"], "approved");
    assert_eq!(case(&bia).await, Value::Null, "below, nobody need look");

    let asked = press(&bia, &bronze).await.ok();
    assert_eq!(
        (&asked["data"]["status"], &asked["data"]["approvals"]),
        (&json!("pending"), &json!(0)),
        "{asked}"
    );
    assert!(
        asked["message"].as_str().unwrap().contains("Conformidade"),
        "{asked}"
    );
    let open = case(&bia).await;
    assert_eq!(
        (&open["flow"], &open["waits"], &open["reasons"], &open["status"]),
        (
            &json!("graduation_bonus"),
            &json!("graduation_bonus"),
            &json!(["amount"]),
            &json!("open")
        ),
        "{open}"
    );
    for admin in [&bia, &eva] {
        press(admin, &bronze).await.refused(403, "compliance.open");
    }
    // Nor does the database let it pass.
    let forced =
        sqlx::query("UPDATE wallet.graduation_bonus SET status = 'approved' WHERE status = 'pending'")
            .execute(&payout.app().sql)
            .await
            .unwrap_err();
    assert!(forced.to_string().contains("not cleared"), "{forced}");
    decide_case(&eva, &open, true).await.ok();
    assert_eq!(press(&bia, &bronze).await.ok()["data"]["status"], "approved");

    press(&bia, &prata).await.ok();
    let open = case(&bia).await;
    decide_case(&eva, &open, false).await.ok();
    press(&bia, &prata).await.refused(409, "compliance.refused");
    assert_eq!(kept(&payout).await, (41, 159));
    reject(&bia, &prata, "Recusado na conformidade").await.ok();
    assert_eq!(kept(&payout).await, (101, 99));
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.on_chain(Coin::Usdt, WALLET).await, coins(99));
    payout.desk.exact().await;
}

/// What the server never does the database does not let anybody do.
#[actix_web::test]
async fn the_database_holds_what_is_paid_to_whom_and_how_often() {
    let (payout, ana, bia, _) = scene(100).await;
    let bronze = reached(&payout, &ana, 1, 50).await;
    let paid = press(&bia, &bronze).await.ok();
    let (id, graduation) = (paid["data"]["_id"].as_str().unwrap().to_owned(), bronze.clone());
    let refused = async |sql: &'static str| {
        let done = sqlx::query(sql)
            .bind(id.parse::<Uuid>().unwrap())
            .bind(graduation.parse::<Uuid>().unwrap())
            .execute(&payout.app().sql)
            .await;
        assert!(done.is_err(), "{sql}");
    };
    for sql in [
        // A second payment of the same rank.
        "INSERT INTO wallet.graduation_bonus (id, graduation, owner, address, usdt, net, wei, rate, settings_version, status, created_at, waiting_since, expires_at)
         SELECT gen_random_uuid(), graduation, owner, address, usdt, net, wei, rate, settings_version, 'pending', created_at, waiting_since, expires_at
         FROM wallet.graduation_bonus WHERE id = $1 AND graduation = $2",
        // Another wallet, another amount, another step.
        "UPDATE wallet.graduation_bonus SET address = decode(repeat('11', 20), 'hex') WHERE id = $1 AND graduation = $2",
        "UPDATE wallet.graduation_bonus SET usdt = 60000000, net = 60000000, wei = 60000000000000000000 WHERE id = $1 AND graduation = $2",
        "UPDATE wallet.graduation_bonus SET status = 'complete', transfer = gen_random_uuid() WHERE id = $1 AND graduation = $2",
        "UPDATE wallet.graduation_bonus SET digest = decode(repeat('11', 32), 'hex') WHERE id = $1 AND graduation = $2",
        // The rank is paid by a payment that is complete, and let go only by one that has ended.
        "UPDATE affiliates.graduation SET paid_at = now(), payment_hash = '0x' || repeat('ab', 32) WHERE payout = $1 AND id = $2",
        "UPDATE affiliates.graduation SET payout = NULL WHERE payout = $1 AND id = $2",
        "UPDATE affiliates.graduation SET payout = gen_random_uuid() WHERE payout = $1 AND id = $2",
    ] {
        refused(sql).await;
    }
    payout.round().await;
    payout.finish().await;
    for sql in [
        "UPDATE affiliates.graduation SET payout = NULL, paid_at = NULL, payment_hash = NULL WHERE payout = $1 AND id = $2",
        "UPDATE affiliates.graduation SET payment_hash = '0x' || repeat('cd', 32) WHERE payout = $1 AND id = $2",
        "UPDATE wallet.graduation_bonus SET status = 'rejected', transfer = NULL WHERE id = $1 AND graduation = $2",
    ] {
        refused(sql).await;
    }
    assert_eq!(line(&bia, &bronze).await["isBonusPaid"], true);
}
