//! The sender against a chain that does as it likes, and against itself after a fall.

use super::{
    desk::coins,
    payout::{AWAY, Payout, Setup, decide, id, reject},
};
use crate::{
    chain_kit::{CONFIRMATIONS, milli},
    kit::Client,
};
use alloy::{
    primitives::{U256, address},
    signers::local::PrivateKeySigner,
};
use protocol::{ids::NodeId, money::Usdt};
use serde_json::{Value, json};
use server::wallet::{
    chain::Coin,
    hot::{Vault, signer::Caps},
};
use time::Duration;

/// `pause()` and `unpause()` of the test tokens.
pub const PAUSE: [u8; 4] = [0x84, 0x56, 0xcb, 0x59];
pub const UNPAUSE: [u8; 4] = [0x3f, 0x4b, 0xa8, 0x3a];

async fn attempts(payout: &Payout) -> Vec<(String, i64)> {
    sqlx::query_as(
        "SELECT encode(tx, 'hex'), gas_price::bigint FROM wallet.outgoing_attempt ORDER BY signed_at",
    )
    .fetch_all(&payout.app().sql)
    .await
    .unwrap()
}

#[actix_web::test]
async fn a_stuck_one_is_offered_again_with_its_nonce_and_whichever_is_mined_settles() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    payout.round().await;
    assert_eq!(attempts(&payout).await.len(), 1, "not stuck yet");
    payout.app().clock.advance(Duration::seconds(61));
    payout.round().await;
    let both = attempts(&payout).await;
    assert_eq!(both.len(), 2);
    assert!(both[1].1 * 1_000 >= both[0].1 * 1_125, "{both:?}");
    let nonces = payout
        .count("SELECT count(DISTINCT nonce) FROM wallet.outgoing_attempt")
        .await;
    assert_eq!(nonces, 1);
    let ana = payout.app().renew(&ana);
    let shown = payout.see(&ana, &row).await;
    assert_eq!(
        shown["transaction"],
        format!("0x{}", both[1].0),
        "the newest is shown"
    );
    // The first one is mined after all.
    let raw: Vec<u8> =
        sqlx::query_scalar("SELECT raw FROM wallet.outgoing_attempt ORDER BY signed_at LIMIT 1")
            .fetch_one(&payout.app().sql)
            .await
            .unwrap();
    payout
        .desk
        .chain
        .ask("anvil_dropAllTransactions", json!([]))
        .await;
    payout.desk.chain.send_raw(&raw).await;
    payout.finish().await;
    let done = payout.see(&ana, &row).await;
    assert_eq!(
        (&done["status"], &done["transaction"]),
        (&json!("complete"), &json!(format!("0x{}", both[0].0)))
    );
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, coins(49));
    payout.desk.exact().await;
}

#[actix_web::test]
async fn beyond_the_highest_price_it_waits_and_tells() {
    let mut payout = Payout::open().await;
    let price = payout.desk.chain.client().gas_price().await.unwrap();
    let cap = price + price / 5;
    payout.sending.policy.gas_price_cap = cap;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    assert_eq!(payout.status(&ana, &row).await, "sent");
    for _ in 0..8 {
        payout.app().clock.advance(Duration::seconds(61));
        payout.round().await;
    }
    let all = attempts(&payout).await;
    assert_eq!(all.len(), 2, "an eighth more fits once");
    assert!(
        all.iter()
            .all(|(_, price)| u128::try_from(*price).unwrap() <= cap)
    );
    let admin = payout.app().renew(&admin);
    assert_eq!(payout.alerts(&admin).await, ["stuck"]);
    payout.finish().await;
    payout.round().await;
    assert!(payout.alerts(&admin).await.is_empty());
}

#[actix_web::test]
async fn death_between_storing_and_sending_sends_the_same_bytes() {
    let mut payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    // As if it had never been handed over: nobody knows it but the table.
    payout
        .desk
        .chain
        .ask("anvil_dropAllTransactions", json!([]))
        .await;
    for sql in [
        "UPDATE wallet.outgoing SET state = 'signed'",
        "UPDATE wallet.outgoing_attempt SET sent_at = NULL, sent_head = NULL",
    ] {
        sqlx::query(sql).execute(&payout.app().sql).await.unwrap();
    }
    let before = attempts(&payout).await;
    // Another node takes over; the old one's number is worth nothing any more.
    payout.app().clock.advance(Duration::seconds(31));
    payout.node = NodeId::fresh();
    payout.round().await;
    assert_eq!(attempts(&payout).await, before, "nothing is signed anew");
    payout.finish().await;
    let ana = payout.app().renew(&ana);
    assert_eq!(payout.status(&ana, &row).await, "complete");
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, coins(49));
}

#[actix_web::test]
async fn an_old_number_signs_nothing() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    payout.approved(&ana, &admin, AWAY, "50").await;
    let context = &payout.app().context;
    let refused =
        server::wallet::sender::service::round(context, &payout.desk.chain.chain(), &payout.sending, 77)
            .await;
    assert!(refused.is_err());
    assert_eq!(payout.count("SELECT count(*) FROM wallet.outgoing").await, 0);
}

/// Takes the tables back to before anything was signed, as a backup of then would.
async fn restore(payout: &Payout) {
    let mut conn = payout.app().sql.acquire().await.unwrap();
    for sql in [
        "SET session_replication_role = replica",
        "DELETE FROM wallet.outgoing_attempt",
        "UPDATE wallet.outgoing SET state = 'queued', nonce = NULL, tx = NULL, block = NULL, success = NULL, signed_at = NULL",
        "UPDATE wallet.withdrawal SET status = 'approved' WHERE status = 'sent'",
        "UPDATE wallet.sender SET next_nonce = 0",
        "SET session_replication_role = origin",
    ] {
        sqlx::query(sql).execute(&mut *conn).await.unwrap();
    }
}

#[actix_web::test]
async fn a_backup_that_comes_back_never_pays_twice() {
    let payout = Payout::open().await;
    let (ana, rui) = (
        payout.customer("ana", 100).await,
        payout.customer("rui", 100).await,
    );
    let admin = payout.app().admin("bia").await;
    let paid = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    payout.mine(1).await;
    let hash = payout.see(&ana, &paid).await["transaction"].clone();
    restore(&payout).await;
    let other = address!("dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB");
    let waits = payout.approved(&rui, &admin, other, "30").await;
    payout.round().await;
    assert_eq!(
        (
            payout.status(&ana, &paid).await.as_str(),
            payout.status(&rui, &waits).await.as_str()
        ),
        ("approved", "approved"),
        "nothing is signed while the chain knows more than we do"
    );
    let view = admin.get("/admin/hot-wallet").await.ok();
    assert_eq!(view["halted"], true);
    assert_eq!(payout.alerts(&admin).await, ["foreign"]);
    for _ in 0..3 {
        payout.mine(CONFIRMATIONS).await;
    }
    payout.finish().await;
    let found = payout.see(&ana, &paid).await;
    assert_eq!(
        (&found["status"], &found["transaction"]),
        (&json!("complete"), &hash),
        "it is the very payment of before"
    );
    assert_eq!(payout.status(&rui, &waits).await, "complete");
    assert_eq!(
        (
            payout.on_chain(Coin::Usdt, AWAY).await,
            payout.on_chain(Coin::Usdt, other).await
        ),
        (coins(49), coins(29))
    );
    let nonce = payout.desk.chain.client().nonce(payout.hot()).await.unwrap();
    assert_eq!(nonce, 2, "one payment each");
    assert!(payout.alerts(&admin).await.is_empty());
    payout.desk.exact().await;
}

#[actix_web::test]
async fn what_was_paid_before_it_was_asked_for_again_is_that_payment() {
    // The backup is older than the approval: the chain's payment is found first, the withdrawal comes to it later.
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 200).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    payout.mine(1).await;
    let mut conn = payout.app().sql.acquire().await.unwrap();
    for sql in [
        "SET session_replication_role = replica",
        "DELETE FROM wallet.outgoing_attempt",
        "UPDATE wallet.withdrawal SET status = 'pending', outgoing = NULL, digest = NULL, approvals = 0",
        "DELETE FROM wallet.outgoing",
        "DELETE FROM approvals.decision",
        "UPDATE wallet.sender SET next_nonce = 0",
        "SET session_replication_role = origin",
    ] {
        sqlx::query(sql).execute(&mut *conn).await.unwrap();
    }
    drop(conn);
    for _ in 0..3 {
        payout.mine(CONFIRMATIONS).await;
    }
    let view = admin.get("/admin/hot-wallet").await.ok();
    assert_eq!(
        (&view["halted"], view["foreign"].as_array().map(Vec::len)),
        (&json!(true), Some(1)),
        "{view}"
    );
    let seen: Vec<&Value> = view["foreign"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["transaction"])
        .collect();
    // What was found behind those that somebody has seen is not let pass by their word.
    for other in [json!([]), json!([seen[0], "0x00"])] {
        let body = json!({ "reason": "Backup", "seen": other });
        admin
            .post("/admin/hot-wallet/resume", &body)
            .await
            .refused(409, "decision.changed");
    }
    // A person has looked; what is approved now is known to be paid.
    admin
        .post("/admin/hot-wallet/resume", &json!({ "reason": "", "seen": seen }))
        .await
        .refused(422, "decision.reason_missing");
    let half = admin
        .post(
            "/admin/hot-wallet/resume",
            &json!({ "reason": "Backup de ontem", "seen": seen }),
        )
        .await
        .ok();
    assert_eq!(
        (&half["halted"], &half["resumeAskedBy"]),
        (&json!(true), &json!("bia"))
    );
    admin
        .post(
            "/admin/hot-wallet/resume",
            &json!({ "reason": "Sim", "seen": seen }),
        )
        .await
        .refused(409, "decision.same_person");
    let second = payout.app().admin("caio").await;
    let resumed = second
        .post("/admin/hot-wallet/resume", &json!({ "reason": "", "seen": seen }))
        .await
        .ok();
    assert_eq!(
        (&resumed["halted"], &resumed["resumeAskedBy"]),
        (&json!(false), &Value::Null)
    );
    admin
        .post(
            "/admin/hot-wallet/resume",
            &json!({ "reason": "De novo", "seen": seen }),
        )
        .await
        .refused(409, "hot_wallet.state");
    decide(&admin, &row, json!({})).await.ok();
    payout.round().await;
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, coins(49), "paid once");
    // The next one gets the next nonce.
    let next = payout.approved(&ana, &admin, AWAY, "20").await;
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &next).await, "complete");
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, coins(68));
    payout.desk.exact().await;
}

/// What the wallet's key signed without us, as staff see it.
pub async fn foreign(admin: &Client) -> Vec<Value> {
    let view = admin.get("/admin/hot-wallet").await.ok();
    let all = view["foreign"].as_array().unwrap();
    all.iter().map(|one| one["transaction"].clone()).collect()
}

/// A hot wallet whose key was used before, halted; its customer, a person who decides, and the withdrawal that waits.
pub async fn used_before() -> (Payout, Client, Client, Value) {
    let key = PrivateKeySigner::random();
    let hot = key.address();
    let payout = Payout::with(Setup {
        hot: Some(key.clone()),
        ..Setup::default()
    })
    .await;
    let tx = alloy::consensus::TxLegacy {
        chain_id: Some(31337),
        nonce: 0,
        gas_price: 2_000_000_000,
        gas_limit: 21_000,
        to: alloy::primitives::TxKind::Call(AWAY),
        value: U256::from(1),
        ..Default::default()
    };
    let used = server::wallet::local::sign(&key, tx).unwrap();
    payout.desk.chain.send_raw(&used.raw).await;
    payout.desk.chain.mine(1).await;
    assert_eq!(payout.hot(), hot);
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    payout.mine(CONFIRMATIONS).await;
    assert_eq!(payout.status(&ana, &row).await, "approved");
    payout.mine(CONFIRMATIONS).await;
    (payout, ana, admin, row)
}

#[actix_web::test]
async fn a_key_that_was_used_before_waits_for_a_person() {
    let (payout, ana, admin, row) = used_before().await;
    let seen = foreign(&admin).await;
    for by in [&admin, &payout.app().admin("caio").await] {
        by.post(
            "/admin/hot-wallet/resume",
            &json!({ "reason": "Carteira antiga", "seen": seen }),
        )
        .await
        .ok();
    }
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
}

#[actix_web::test]
async fn too_little_waits_for_more_and_tells() {
    let payout = Payout::with(Setup {
        usdt: 0,
        bnb: 0,
        ..Setup::default()
    })
    .await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    let view = admin.get("/admin/hot-wallet").await.ok();
    let low = &view["alerts"][0];
    assert_eq!(
        (&low["kind"], &low["coin"], &low["amount"]),
        (&json!("low"), &json!("usdt"), &json!(coins(49).to_string()))
    );
    assert_eq!(payout.alerts(&admin).await, ["low", "gas"]);
    assert_eq!(payout.status(&ana, &row).await, "approved", "nothing is lost");
    payout.fill(Coin::Usdt, coins(49)).await;
    payout.round().await;
    assert_eq!(payout.alerts(&admin).await, ["gas"]);
    payout.fill(Coin::Bnb, coins(1)).await;
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    assert!(payout.alerts(&admin).await.is_empty());
}

#[actix_web::test]
async fn what_the_books_lack_does_not_leave() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    payout.price("BUSD", Usdt::whole(1));
    payout.fill(Coin::Busd, coins(100)).await;
    let row = payout.pending(&ana, "busd", AWAY, "50").await;
    decide(&admin, &row, json!({})).await.ok();
    payout.round().await;
    assert_eq!(payout.status(&ana, &row).await, "approved");
    assert_eq!(payout.alerts(&admin).await, ["books"]);
    payout.capital(Coin::Busd, coins(100)).await;
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    payout.desk.exact().await;
}

#[actix_web::test]
async fn without_a_key_withdrawals_are_taken_and_wait() {
    let payout = Payout::with(Setup {
        hot: None,
        ..Setup::default()
    })
    .await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    assert_eq!(payout.status(&ana, &row).await, "approved");
    assert_eq!(payout.alerts(&admin).await, ["no_key"]);
    let view = admin.get("/admin/hot-wallet").await.ok();
    assert_eq!(view["coins"][0]["waitingCount"], 1);
    reject(&admin, &row, "Sem carteira").await.ok();
    assert_eq!(payout.desk.balance(&ana, "available").await, 100_000_000);
}

#[actix_web::test]
async fn what_the_chain_refuses_staff_send_again_or_give_back() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 200).await;
    let admin = payout.app().admin("bia").await;
    let usdt = payout.desk.chain.contracts().usdt.unwrap();
    let faucet = payout.desk.chain.faucet();
    faucet.call(usdt, U256::ZERO, PAUSE.to_vec()).await.unwrap();
    payout.desk.chain.mine(1).await;
    let (first, second) = (
        payout.approved(&ana, &admin, AWAY, "50").await,
        payout.approved(&ana, &admin, AWAY, "60").await,
    );
    payout.round().await;
    payout.finish().await;
    for row in [&first, &second] {
        assert_eq!(payout.status(&ana, row).await, "failed");
    }
    assert_eq!(
        payout.desk.balance(&ana, "held").await,
        110_000_000,
        "only a person's decision gives it back"
    );
    ana.post("/withdraw/cancel", &json!({ "id": id(&first) }))
        .await
        .refused(409, "withdrawal.state");
    faucet.call(usdt, U256::ZERO, UNPAUSE.to_vec()).await.unwrap();
    payout.desk.chain.mine(1).await;
    reject(&admin, &first, "A rede recusou").await.ok();
    let again = decide(&admin, &second, json!({ "status": "retry" })).await.ok();
    assert_eq!(again["status"], "approved");
    payout.round().await;
    payout.finish().await;
    assert_eq!(
        (
            payout.status(&ana, &first).await.as_str(),
            payout.status(&ana, &second).await.as_str()
        ),
        ("rejected", "complete")
    );
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, milli(58_800));
    assert_eq!(payout.desk.balance(&ana, "available").await, 140_000_000);
    payout.desk.exact().await;
}

#[actix_web::test]
async fn a_block_that_is_undone_is_waited_for_again() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 100).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "50").await;
    payout.round().await;
    payout.mine(1).await;
    assert!(payout.see(&ana, &row).await["block"].is_number());
    payout.desk.chain.reorg(1).await;
    payout.round().await;
    let shown = payout.see(&ana, &row).await;
    assert_eq!(shown["status"], "sent");
    assert!(shown["block"].is_null(), "{shown}");
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, U256::ZERO);
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    assert_eq!(payout.on_chain(Coin::Usdt, AWAY).await, coins(49));
    assert_eq!(attempts(&payout).await.len(), 1, "the same bytes again");
    payout.desk.exact().await;
}

#[actix_web::test]
async fn caps_and_surplus() {
    let cold = address!("dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB");
    let payout = Payout::with(Setup {
        caps: Caps {
            per_hour: Usdt::whole(100),
            ..Caps::default()
        },
        vault: Vault {
            cold: Some(cold),
            maximum: Some(Usdt::whole(1_000)),
        },
        ..Setup::default()
    })
    .await;
    let ana = payout.customer("ana", 1_000).await;
    let admin = payout.app().admin("bia").await;
    let (first, second) = (
        payout.approved(&ana, &admin, AWAY, "80").await,
        payout.approved(&ana, &admin, AWAY, "40").await,
    );
    payout.round().await;
    assert_eq!(payout.alerts(&admin).await, ["capped"]);
    assert_eq!(
        (
            payout.status(&ana, &first).await.as_str(),
            payout.status(&ana, &second).await.as_str()
        ),
        ("sent", "approved")
    );
    payout.round().await;
    payout.finish().await;
    // What is more than the maximum and waited for by nobody lies in the cold.
    let (hot, far) = (
        payout.on_chain(Coin::Usdt, payout.hot()).await,
        payout.on_chain(Coin::Usdt, cold).await,
    );
    assert_eq!(hot + far + milli(78_400), coins(10_000));
    assert!(hot >= coins(1_000) && hot <= coins(1_200), "{hot}");
    payout.finish().await;
    assert_eq!(payout.on_chain(Coin::Usdt, cold).await, far, "once");
    payout.desk.exact().await;
}

#[actix_web::test]
async fn many_ways_at_once_lose_and_double_nothing() {
    use rand::{Rng, SeedableRng, rngs::StdRng};
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 2_000).await;
    let admin = payout.app().admin("bia").await;
    let seed = 20_261_122;
    let mut rng = StdRng::seed_from_u64(seed);
    let mut rows = Vec::new();
    for step in 0..90 {
        match rng.random_range(0..8) {
            0 | 1 => {
                let value = format!("{}", rng.random_range(10..60));
                let reply = payout.ask_for(&ana, "usdt", AWAY, &value).await;
                if reply.status == 201 {
                    if rng.random_bool(0.8) {
                        payout.confirm(&ana).await;
                    }
                    rows.push(reply.body);
                }
            }
            2 | 3 => {
                if let Some(row) = pick(&mut rng, &rows) {
                    decide(&admin, row, json!({})).await;
                }
            }
            4 => {
                if let Some(row) = pick(&mut rng, &rows) {
                    reject(&admin, row, "porque sim").await;
                }
            }
            5 => {
                if let Some(row) = pick(&mut rng, &rows) {
                    ana.post("/withdraw/cancel", &json!({ "id": id(row) })).await;
                }
            }
            6 => payout.mine(rng.random_range(1..4)).await,
            _ => payout.round().await,
        }
        assert!(
            payout.desk.balance(&ana, "available").await >= 0,
            "step {step} of {seed}"
        );
    }
    for _ in 0..4 {
        payout.round().await;
        payout.finish().await;
    }
    let sum = |sql| payout.count(sql);
    let held = sum("SELECT coalesce(sum(usdt), 0)::bigint FROM wallet.withdrawal WHERE status IN ('awaiting_email', 'pending')").await;
    let gone =
        sum("SELECT coalesce(sum(usdt), 0)::bigint FROM wallet.withdrawal WHERE status = 'complete'").await;
    let fees =
        sum("SELECT coalesce(sum(fee), 0)::bigint FROM wallet.withdrawal WHERE status = 'complete'").await;
    let net =
        sum("SELECT coalesce(sum(net), 0)::bigint FROM wallet.withdrawal WHERE status = 'complete'").await;
    let left =
        sum("SELECT count(*) FROM wallet.withdrawal WHERE status IN ('approved', 'sent', 'failed')").await;
    let desk = &payout.desk;
    assert_eq!(left, 0);
    assert!(gone > 0 && rows.len() > 5, "{} rows", rows.len());
    assert_eq!(desk.balance(&ana, "held").await, held);
    assert_eq!(desk.balance(&ana, "available").await, 2_000_000_000 - held - gone);
    assert_eq!(
        desk.house("network_fund").await + desk.house("withdrawal_fees").await,
        fees
    );
    assert_eq!(
        payout.on_chain(Coin::Usdt, AWAY).await,
        server::wallet::chain::wei::of(net)
    );
    desk.exact().await;
}

fn pick<'a>(rng: &mut rand::rngs::StdRng, rows: &'a [serde_json::Value]) -> Option<&'a serde_json::Value> {
    use rand::Rng;
    (!rows.is_empty()).then(|| &rows[rng.random_range(0..rows.len())])
}
