//! Lists that grow at their head while somebody turns their pages: no row comes twice, none is passed over.

use crate::{
    affiliates::beneath,
    bonuses,
    guard::{send, settings},
    kit::{Client, TestApp},
    licences::fund,
    pix::deposit,
    robots::{batch, fence, operation, robot, share},
};
use protocol::{ids::OperationId, money::Usdt};
use serde_json::{Value, json};
use server::{
    foundation::audit::{self, Category},
    ledger::model::UserAccount::Available,
    robots::service,
};
use time::Duration;
use uuid::Uuid;

fn keys(page: &Value) -> Vec<String> {
    let rows = page["data"].as_array().unwrap().iter();
    rows.map(|row| row.get("_id").unwrap_or(&row["id"]).to_string())
        .collect()
}

/// Turns all pages of two rows; before each but the first something comes. Then the first page is asked for anew.
async fn turned(who: &Client, path: &str, mut grow: impl AsyncFnMut()) {
    let page = async |more: &str| who.get(&format!("{path}?limit=2{more}")).await.ok();
    let first = page("").await;
    let (total, last) = (
        &first["meta"]["total"],
        first["meta"]["lastPage"].as_i64().unwrap(),
    );
    assert!(last > 1, "{path}: {first}");
    let as_of = first["meta"]["asOf"]
        .as_str()
        .unwrap_or_else(|| panic!("{path}: {first}"));
    let mut seen = keys(&first);
    for number in 2..=last {
        grow().await;
        let next = page(&format!("&page={number}&asOf={as_of}")).await;
        let meta = &next["meta"];
        assert_eq!(
            (&meta["page"], &meta["total"], &meta["asOf"]),
            (&json!(number), total, &json!(as_of)),
            "{path}"
        );
        seen.extend(keys(&next));
    }
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!(json!(seen.len()), *total, "{path}: {seen:?}");
    assert_eq!(once.len(), seen.len(), "{path}: {seen:?}");
    let fresh = page("").await;
    assert_eq!(
        fresh["meta"]["total"].as_i64(),
        total.as_i64().map(|total| total + last - 1),
        "{path}"
    );
    assert_ne!(fresh["meta"]["asOf"], first["meta"]["asOf"], "{path}");
    // In another order nothing comes at the head.
    let sorted = who.get(&format!("{path}?limit=2&sortdirection=asc")).await;
    assert!(
        sorted.status == 422 || sorted.body["meta"]["asOf"].is_null(),
        "{path}"
    );
}

/// A transfer like the one that there is, of now.
async fn transferred(app: &TestApp) {
    sqlx::query(
        "INSERT INTO transfers.transfer (id, sender, receiver, usdt, fee, status, outbound, digest, ledger_transfer, approvals_needed,
             settings_version, created_at, updated_at)
         SELECT gen_random_uuid(), t.sender, t.receiver, 1, 0, t.status, t.outbound, t.digest, t.ledger_transfer, t.approvals_needed,
             t.settings_version, $1, t.updated_at FROM transfers.transfer t LIMIT 1",
    )
    .bind(app.context.now())
    .execute(&app.sql)
    .await
    .unwrap();
}

async fn told(app: &TestApp, who: &Client, number: i64) {
    sqlx::query(
        "INSERT INTO notifications.line (id, owner, code, about, stream, epoch, seq, at) VALUES ($1, $2, 'growing', $1, 'growing', 1, $3, $4)",
    )
    .bind(Uuid::now_v7())
    .bind(who.user.0)
    .bind(number)
    .bind(app.context.now())
    .execute(&app.sql)
    .await
    .unwrap();
}

async fn logged(app: &TestApp, who: &Client) {
    let mut tx = app.context.db.begin().await.unwrap();
    let actor = Some(who.user);
    audit::record(&mut tx, actor, None, Category::Money, "growing.line", json!({}))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn pages_do_not_shift_while_rows_come() {
    let app = TestApp::start().await;
    settings(&app, |s| s.pix_open_deposits = 20).await;
    let (ana, _bea) = (app.user("ana").await, app.user("bea").await);
    let root = app.admin("root").await;
    let later = || app.clock.advance(Duration::seconds(1));

    fund(&app, &ana, Available, 100).await;
    send(&app, &ana, "ana", "bea", "50").await.ok();
    for _ in 0..4 {
        later();
        transferred(&app).await;
        deposit(&ana, "30").await;
        logged(&app, &ana).await;
    }
    for (who, path) in [(&ana, "/transfers-list"), (&root, "/admin/transfers-reports")] {
        turned(who, path, async || {
            later();
            transferred(&app).await;
        })
        .await;
    }
    for (who, path) in [
        (&ana, "/list-deposits-pix"),
        (&root, "/admin/list-deposits-pix-approve-reject"),
    ] {
        turned(who, path, async || {
            later();
            deposit(&ana, "30").await;
        })
        .await;
    }
    let path = format!("/admin/user-logs-list/{}", ana.user);
    turned(&root, &path, async || {
        later();
        logged(&app, &ana).await;
    })
    .await;

    turned(&root, "/admin/audit", async || {
        later();
        logged(&app, &ana).await;
    })
    .await;

    let mut number = 0;
    let mut tell = async || {
        later();
        number += 1;
        told(&app, &ana, number).await;
    };
    for _ in 0..5 {
        tell().await;
    }
    turned(&ana, "/notifications", tell).await;

    let mut number = 0;
    turned(&root, "/admin/users-list/", async || {
        later();
        number += 1;
        app.user(&format!("member{number}")).await;
    })
    .await;
}

#[actix_web::test]
async fn pages_of_operations_do_not_shift_while_a_robot_works() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let licence = robot(&app, &ana, 200).await;
    let fence = fence(&app).await;
    let share = share(&ana, licence, Usdt::whole(20));
    let mut at = 0;
    let mut work = async || {
        at += 1_000;
        let id = OperationId::fresh();
        service::reserve(&app.context, fence, id, &[share]).await.unwrap();
        let mut done = operation(id, &[(share, 1_000)]);
        done.filled_ms += at;
        service::settle(&app.context, fence, &batch(vec![done]))
            .await
            .unwrap();
    };
    for _ in 0..5 {
        work().await;
    }
    turned(&ana, &format!("/trader/orders-history/{licence}"), work).await;
}

#[actix_web::test]
async fn pages_of_bonuses_do_not_shift_while_they_are_paid() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let ana = bonuses::first(&app, "ana").await;
    let mut number = 0;
    // One of the sale and one of the rise.
    let mut sale = async || {
        app.clock.advance(Duration::seconds(1));
        number += 1;
        let seller = beneath(&app, &format!("seller{number}"), ana.user).await;
        fund(&app, &seller, Available, 300).await;
        bonuses::sell(&seller, 200).await;
        bonuses::works(&app).await;
    };
    for _ in 0..2 {
        sale().await;
    }
    for (who, path) in [(&ana, "/affiliates/bonus-log"), (&root, "/admin/bonus-report")] {
        let first = who.get(&format!("{path}?limit=2")).await.ok();
        let as_of = first["meta"]["asOf"].as_str().unwrap();
        sale().await;
        let path_of = |more: &str| format!("{path}?limit=2{more}");
        let next = who.get(&path_of(&format!("&page=2&asOf={as_of}"))).await.ok();
        assert_eq!(next["meta"]["total"], first["meta"]["total"]);
        let seen = [keys(&first), keys(&next)].concat();
        assert!(seen[2..].iter().all(|key| !seen[..2].contains(key)), "{seen:?}");
        // By their value nothing comes at the head.
        let sorted = who.get(&path_of("&sortby=value")).await.ok();
        assert_eq!(sorted["meta"]["asOf"], Value::Null);
    }
}
