//! What staff do about orders of owners, the report of them, and another node's desk that takes one.

use crate::{
    kit::TestApp,
    licences::{balance, exact},
    manual::{configure, count, desk, done, order, page, steered, take},
    robots::{batch, operation, robot, share},
};
use actors::desk::port::Operation;
use protocol::{
    ids::{LicenceId, OperationId},
    money::Usdt,
};
use serde_json::{Value, json};
use server::{
    foundation::{business_day, clock::SharedClock, context::Context, transaction::Db},
    ledger::model::UserAccount,
    robots::{desk_runner, service},
};
use std::sync::Arc;
use time::Duration;

#[actix_web::test]
async fn staff_take_the_key_away_and_give_it_back() {
    let app = TestApp::start().await;
    let (user, admin) = (app.user("ana").await, app.admin("root").await);
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    order(&user, licence).await.ok();
    let taken = take(&app, fence).await;
    let path = format!("/admin/licences/{licence}/manual-key");
    let decide = async |revoked: bool, reason: &str| {
        admin
            .post(&path, &json!({ "revoked": revoked, "reason": reason }))
            .await
    };
    user.post(&path, &json!({ "revoked": true, "reason": "mine" }))
        .await
        .refused(403, "auth.forbidden");
    decide(true, " ").await.refused(422, "decision.reason_missing");
    admin
        .post(
            &format!("/admin/licences/{}/manual-key", LicenceId::fresh()),
            &json!({ "revoked": true, "reason": "nobody's" }),
        )
        .await
        .refused(404, "licence.unknown");
    let view = decide(true, "orders by a program").await.ok();
    assert_eq!(
        (&view["manualKey"], &view["manualRevoked"]),
        (&json!(false), &json!(true)),
        "off at once"
    );
    let share = share(&user, licence, Usdt::whole(10));
    let begun = service::reserve_manual(&app.context, fence, taken.operation, &[share]).await;
    assert!(begun.unwrap().is_empty(), "also for an order in the air");
    configure(&user, licence, json!({ "manualKey": true }))
        .await
        .refused(409, "manual.revoked");
    configure(&user, licence, json!({ "manualKey": false }))
        .await
        .ok();
    let config = user
        .get(&format!("/trader/search-config-robot-trader?licence={licence}"))
        .await
        .ok();
    assert_eq!(
        (&config["manualKey"], &config["manualRevoked"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(page(&user, licence).await["refusal"], "manual.revoked");

    decide(false, "explained").await.ok();
    configure(&user, licence, json!({ "manualKey": true })).await.ok();
    let lines: Vec<(String, Value)> = sqlx::query_as(
        "SELECT action, details FROM foundation.audit WHERE action LIKE 'licence.manual%' AND actor = $1 AND subject = $2 ORDER BY id",
    )
    .bind(admin.user.0)
    .bind(user.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        lines,
        [
            (
                "licence.manual_revoked".to_owned(),
                json!({ "licence": licence, "reason": "orders by a program" })
            ),
            (
                "licence.manual_given_back".to_owned(),
                json!({ "licence": licence, "reason": "explained" })
            ),
        ]
    );
    let told = count(
        &app,
        "foundation.event WHERE kind = 'licence.changed' AND (payload -> 'licence' ->> 'manualRevoked')::boolean",
    )
    .await;
    assert!(told >= 1);
}

#[actix_web::test]
async fn the_report_sets_owners_beside_cohorts() {
    let app = TestApp::start().await;
    let (user, admin) = (app.user("ana").await, app.admin("root").await);
    let fence = desk(&app).await;
    let steered = steered(&app, &user, 200).await;
    let automatic = robot(&app, &user, 400).await;
    let none = admin.get("/admin/reports/manual").await.ok();
    assert_eq!((&none["data"], &none["meta"]["total"]), (&json!([]), &json!(0)));
    order(&user, steered).await.ok();
    let taken = take(&app, fence).await;
    let (mine, its) = (
        share(&user, steered, Usdt::whole(20)),
        share(&user, automatic, Usdt::whole(40)),
    );
    let (own, missed) = (OperationId::fresh(), OperationId::fresh());
    service::reserve_manual(&app.context, fence, taken.operation, &[mine])
        .await
        .unwrap();
    service::reserve(&app.context, fence, own, &[its]).await.unwrap();
    let nothing = Operation {
        legs: Vec::new(),
        ..operation(missed, &[(its, 0)])
    };
    let all = vec![
        done(&taken, mine, Some(-5_000)),
        operation(own, &[(its, 28_004)]),
        nothing,
    ];
    service::settle(&app.context, fence, &batch(all)).await.unwrap();
    user.get("/admin/reports/manual")
        .await
        .refused(403, "auth.forbidden");
    let report = admin.get("/admin/reports/manual?page=1&limit=5").await.ok();
    let day = business_day::of(app.context.now()).to_string();
    assert_eq!(
        report["data"],
        json!([{
            "day": day, "mode": "simulated",
            "manual": { "operations": 1, "volume": "20.000000", "net": "-0.005000", "edge": "-0.0250" },
            "cohort": { "operations": 1, "volume": "40.000000", "net": "0.028004", "edge": "0.0700" },
        }])
    );
    assert_eq!(report["meta"]["total"], 1);
    admin
        .get("/admin/reports/manual?limit=0")
        .await
        .refused(422, "request.invalid");
    // A day on which nobody ordered anything.
    app.clock.advance(Duration::days(1));
    let id = OperationId::fresh();
    service::reserve(&app.context, fence, id, &[its]).await.unwrap();
    service::settle(&app.context, fence, &batch(vec![operation(id, &[(its, 1_000)])]))
        .await
        .unwrap();
    let report = app.renew(&admin).get("/admin/reports/manual").await.ok();
    assert_eq!(report["data"][1]["day"], day);
    assert_eq!(
        report["data"][0]["manual"],
        json!({ "operations": 0, "volume": "0.000000", "net": "0.000000", "edge": null })
    );
    exact(&app).await;
}

/// The whole way: the call at this node, another node's desk that finds it, a market that moves.
#[actix_web::test]
async fn another_nodes_desk_takes_fills_and_books_it() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let licence = steered(&app, &user, 400).await;
    // Its own door to the database: it hears of no commit of this node.
    let clock: SharedClock = app.clock.clone();
    let context = Context {
        db: Db::new(app.context.db.pool().clone(), clock),
        ..app.context.clone()
    };
    let stop = tokio_util::sync::CancellationToken::new();
    let running = actix_web::rt::spawn(desk_runner::run(
        context,
        Arc::new(|_| {}),
        "simulated".parse().unwrap(),
        stop.clone(),
    ));
    // The next opportunity, whichever it is: that of one route may take longer to come again than an order stands.
    let mut last = Value::Null;
    for _ in 0..60 {
        // A desk that begins has no lease yet; an order before it has is refused.
        while page(&user, licence).await["ready"] != true {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let asked = user
            .post("/trader/manual", &json!({ "licence": licence }))
            .await
            .ok();
        for _ in 0..1_200 {
            last = page(&user, licence).await["orders"][0].clone();
            assert_eq!(last["_id"], asked["_id"]);
            if !matches!(last["state"].as_str(), Some("asked" | "sent")) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        if last["state"] == "done" {
            break;
        }
    }
    assert_eq!(last["state"], "done", "{last}");
    assert_eq!(last["mode"], "simulated");
    stop.cancel();
    running.await.unwrap();
    let filled: Vec<(bool, i64)> = sqlx::query_as(
        "SELECT o.manual, s.amount FROM robots.operation o JOIN robots.share s ON s.operation = o.id",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(filled.len(), 1);
    assert!(filled[0].0 && filled[0].1 <= 40_000_000, "a tenth at most");
    assert_eq!(balance(&app, &user, UserAccount::Available).await, Usdt::ZERO);
    exact(&app).await;
}
