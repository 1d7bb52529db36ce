//! What comes to the address of somebody who has left.

use super::desk::{Desk, coins};
use crate::{
    chain_kit::CONFIRMATIONS,
    closing::{ask, state, status},
    identity::people::{Person, lift_caps, member},
};
use alloy::primitives::Address;
use serde_json::json;
use server::{jobs, wallet::chain::Coin};

/// A member who asked for an address, took the deposit back, and wants to leave.
async fn leaving(desk: &Desk, name: &str) -> (Person, Address) {
    let who = member(&desk.app, name, "arbora").await;
    let asked = desk.plain(&who.client, "usdt", "25").await;
    who.client
        .post("/deposit/cancel", &json!({ "id": asked.id }))
        .await
        .ok();
    ask(&desk.app, &who).await.ok();
    (who, asked.address)
}

/// Their day has come, without the chain's clock being left behind.
async fn its_day(desk: &Desk) {
    sqlx::query("UPDATE foundation.job SET run_at = created_at WHERE kind = 'privacy.close_account'")
        .execute(&desk.app.sql)
        .await
        .unwrap();
}

#[actix_web::test]
async fn a_payment_to_who_has_left_waits_for_a_person_who_gives_it_back() {
    let desk = Desk::open().await;
    lift_caps(&desk.app).await;
    let admin = desk.app.admin("bia").await;
    let (ana, address) = leaving(&desk, "Ana").await;
    its_day(&desk).await;
    desk.watch().await;
    assert_eq!(status(&desk.app, &ana.client).await, "closed");

    desk.paid(Coin::Usdt, address, coins(30)).await;
    desk.paid(Coin::Usdt, address, coins(12)).await;
    assert_eq!(desk.balance(&ana.client, "available").await, 0);
    let queue = admin
        .get("/admin/all-crypto-deposits-list?status=pending_approval")
        .await
        .ok();
    let rows = queue["data"].as_array().unwrap();
    // Each payment is a case of its own: whoever gives one back has not ended the other.
    assert_eq!(rows.len(), 2, "{queue}");
    let mut received: Vec<&str> = rows.iter().map(|row| row["received"].as_str().unwrap()).collect();
    received.sort_unstable();
    assert_eq!(received, [coins(12).to_string(), coins(30).to_string()]);
    let path = "/admin/crypto-deposits-approve-reject";
    for row in rows {
        assert_eq!(row["pendingCause"], "closed");
        admin
            .patch(path, &json!({ "id": row["_id"], "status": "approved" }))
            .await
            .refused(403, "auth.closed");
    }
    let back = json!({ "id": rows[0]["_id"], "status": "rejected", "reason": "Devolvido a quem pagou" });
    assert_eq!(admin.patch(path, &back).await.ok()["status"], "rejected");
    desk.paid(Coin::Usdt, address, coins(7)).await;
    let queue = admin
        .get("/admin/all-crypto-deposits-list?status=pending_approval")
        .await
        .ok();
    assert_eq!(queue["meta"]["total"], 2, "{queue}");
    assert_eq!(desk.balance(&ana.client, "available").await, 0);
    desk.exact().await;
}

/// Booked in the same instant as the closing: it is in an open account, or it waits for a person, and nothing of it is lost.
#[actix_web::test]
async fn a_payment_and_a_closing_at_once_lose_nothing() {
    let desk = Desk::open().await;
    lift_caps(&desk.app).await;
    let mut people = Vec::new();
    for name in ["Ana", "Bea", "Caio", "Davi"] {
        people.push(leaving(&desk, name).await);
    }
    while jobs::round(&desk.app.context).await.unwrap() > 0 {}
    its_day(&desk).await;
    for (_, address) in &people {
        desk.chain.pay(Coin::Usdt, *address, coins(30)).await;
    }
    desk.chain.mine(CONFIRMATIONS).await;
    let mut watcher = desk.watcher(desk.node).await.unwrap();
    let (watched, round) = futures_util::future::join(watcher.round(), jobs::round(&desk.app.context)).await;
    watched.unwrap();
    round.unwrap();
    desk.watch().await;
    for (who, _) in &people {
        let (account, request) = (
            status(&desk.app, &who.client).await,
            state(&desk.app, &who.client).await,
        );
        let waits: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM wallet.deposit WHERE owner = $1 AND status = 'pending_approval' AND pending_cause = 'closed'",
        )
        .bind(who.client.user.0)
        .fetch_one(&desk.app.sql)
        .await
        .unwrap();
        let available = desk.balance(&who.client, "available").await;
        match (&*account, &*request) {
            ("closed", "closed") => assert_eq!((available, waits), (0, 1), "{}", who.email),
            ("active", "kept") => {
                assert_eq!(waits, 0, "{}", who.email);
                assert!(available > 0, "{}", who.email);
            }
            other => panic!("{}: {other:?}", who.email),
        }
    }
    desk.exact().await;
}

/// A payment leaves the chain when its owner has left: what stays of their deposit is credited to nobody, and given back by a person.
#[actix_web::test]
async fn what_is_left_of_a_reversed_deposit_waits_when_its_owner_has_left() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let intent = desk.intent(&ana, "100").await;
    desk.chain.pay(Coin::Usdt, intent.address, coins(60)).await;
    desk.chain.mine(CONFIRMATIONS * 2).await;
    desk.chain.pay(Coin::Usdt, intent.address, coins(50)).await;
    desk.mine(CONFIRMATIONS).await;
    assert_eq!(ana.deposit(&intent.id).await["outcome"], "overpaid");
    sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
        .bind(ana.user.0)
        .bind(desk.app.context.now())
        .execute(&desk.app.sql)
        .await
        .unwrap();
    desk.chain.reorg(CONFIRMATIONS).await;
    desk.watch().await;
    desk.mine(CONFIRMATIONS * 2).await;
    assert_eq!(desk.balance(&ana, "available").await, 0);
    let waits: Vec<(String, String)> = sqlx::query_as(
        "SELECT pending_cause, received::text FROM wallet.deposit WHERE owner = $1 AND status = 'pending_approval'",
    )
    .bind(ana.user.0)
    .fetch_all(&desk.app.sql)
    .await
    .unwrap();
    assert_eq!(waits, [("closed".to_owned(), coins(60).to_string())]);
    desk.exact().await;
}
