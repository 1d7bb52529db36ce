//! The rulebook: who may change which rule, when it holds, what it does to what was sold; two at once; history to the last word.

use crate::{
    kit::{Client, Reply, SYSTEM_EMPLOYEE, TestApp},
    licences::{buy, exact, fund},
};
use serde_json::{Value, json};
use server::{jobs, ledger::model::UserAccount};
use time::Duration;

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

async fn settings(of: &Client) -> Value {
    of.get("/admin/settings").await.ok()
}

pub async fn revision(of: &Client) -> i64 {
    settings(of).await["revision"].as_i64().unwrap()
}

async fn value(of: &Client, key: &str) -> String {
    let all = settings(of).await;
    let list = all["settings"].as_array().unwrap();
    let one = list.iter().find(|s| s["key"] == key).unwrap();
    one["value"].as_str().unwrap().to_owned()
}

pub async fn order(by: &Client, changes: Value) -> Reply {
    let revision = revision(by).await;
    let body = json!({ "revision": revision, "changes": changes, "reason": "Decisão da diretoria" });
    by.post("/admin/settings", &body).await
}

pub async fn agree(by: &Client, change: &Value) -> Reply {
    let id = change["_id"].as_str().unwrap();
    by.post(&format!("/admin/settings/changes/{id}/agree"), &json!({}))
        .await
}

pub async fn withdraw(by: &Client, change: &Value, reason: &str) -> Reply {
    let id = change["_id"].as_str().unwrap();
    let path = format!("/admin/settings/changes/{id}/withdraw");
    by.post(&path, &json!({ "reason": reason })).await
}

async fn version(app: &TestApp) -> i32 {
    let now = app.context.now();
    app.context.settings.forget().await;
    app.context.settings.current(now).await.unwrap().version
}

async fn fee(app: &TestApp) -> i64 {
    app.context.settings.forget().await;
    let now = app.context.now();
    app.context
        .settings
        .current(now)
        .await
        .unwrap()
        .settings
        .withdrawal_fee
}

#[actix_web::test]
async fn what_is_not_money_holds_at_once_and_is_recorded() {
    let app = TestApp::start().await;
    let (ada, eva, ana) = (
        app.admin("ada").await,
        app.person("eva", SYSTEM_EMPLOYEE).await,
        app.user("ana").await,
    );
    ana.get("/admin/settings").await.refused(403, "auth.forbidden");
    let seen = settings(&eva).await;
    assert!(seen["settings"].as_array().unwrap().len() > 50);
    let (before, first) = (version(&app).await, value(&eva, "latencyMs").await);
    assert_eq!(first, "150");
    order(&eva, json!({ "latencyMs": "200" }))
        .await
        .refused(403, "auth.forbidden");
    let done = order(&ada, json!({ "latencyMs": "200", "brand": "Arbora Teste" }))
        .await
        .ok();
    assert_eq!(
        (&done["status"], &done["money"]),
        (&json!("in_force"), &json!(false))
    );
    assert_eq!(value(&eva, "latencyMs").await, "200");
    assert!(version(&app).await > before);
    assert_eq!(app.anonymous().get("/config").await.ok()["brand"], "Arbora Teste");
    let one = settings(&eva).await["settings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["key"] == "latencyMs")
        .unwrap()
        .clone();
    assert_eq!(
        (&one["changedBy"], &one["default"]),
        (&json!("ada"), &json!("150"))
    );
    let history = eva.get("/admin/settings/history?search=latencyMs").await.ok();
    assert_eq!(history["meta"]["total"], 1);
    assert_eq!(
        history["data"][0]["items"][1],
        json!({ "key": "latencyMs", "before": "150", "after": "200" })
    );
    assert_eq!(
        eva.get("/admin/settings/history?search=transferFee").await.ok()["meta"]["total"],
        0
    );
    let facts: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.event WHERE kind = 'rules.changed' AND stream = 'queue:settings'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(facts, 1);
    for (changes, field, code) in [
        (json!({ "latencyMs": "200" }), "latencyMs", "rules.unchanged"),
        (
            json!({ "latencyMs": "9999999" }),
            "latencyMs",
            "rules.out_of_range",
        ),
        (json!({ "latencyMs": "depressa" }), "latencyMs", "amount.invalid"),
        (json!({ "hotKey": "1" }), "hotKey", "rules.unknown"),
        (
            json!({ "minimumGoal": "5", "defaultGoal": "4" }),
            "defaultGoal",
            "rules.contradict",
        ),
        (
            json!({ "allocationFactor": "6" }),
            "allocationFactor",
            "rules.out_of_range",
        ),
    ] {
        let refused = order(&ada, changes).await;
        refused.refused(422, code);
        assert!(refused.body["errors"][field].is_array(), "{}", refused.body);
    }
    let revision = revision(&ada).await;
    ada.post(
        "/admin/settings",
        &json!({ "revision": revision, "changes": { "latencyMs": "150" }, "reason": " " }),
    )
    .await
    .refused(422, "decision.reason_missing");
}

#[actix_web::test]
async fn of_two_at_once_one_is_refused() {
    let app = TestApp::start().await;
    let (ada, bia) = (app.admin("ada").await, app.admin("bia").await);
    let revision = revision(&ada).await;
    let body = |value: &str| json!({ "revision": revision, "changes": { "latencyMs": value }, "reason": "Ao mesmo tempo" });
    let (first, second) = (body("210"), body("220"));
    let (a, b) = tokio::join!(
        ada.post("/admin/settings", &first),
        bia.post("/admin/settings", &second)
    );
    let mut statuses = [a.status, b.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", a.body, b.body);
    let refused = if a.status == 409 { a } else { b };
    assert_eq!(refused.code(), "rules.moved");
}

#[actix_web::test]
async fn money_waits_for_a_second_person_and_a_day() {
    let app = TestApp::start().await;
    let (ada, bia, caio) = (
        app.admin("ada").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let shown = ada
        .post(
            "/admin/settings/preview",
            &json!({ "changes": { "withdrawalFee": "3", "depositFeeShare": "5" } }),
        )
        .await
        .ok();
    assert_eq!(shown["money"], true);
    let effect = |code: &str| {
        let all = shown["effects"].as_array().unwrap();
        all.iter().find(|e| e["code"] == code).unwrap().clone()
    };
    assert_eq!(
        (
            &effect("withdrawal_100")["before"],
            &effect("withdrawal_100")["after"]
        ),
        (&json!("2.000000"), &json!("3.000000"))
    );
    assert_eq!(effect("deposit_100")["after"], "106.000000");

    let change = order(&ada, json!({ "withdrawalFee": "3" })).await.ok();
    assert_eq!(
        (&change["status"], &change["effectiveAt"]),
        (&json!("waiting"), &Value::Null)
    );
    assert_eq!(settings(&ada).await["waiting"][0]["_id"], change["_id"]);
    order(&bia, json!({ "withdrawalFee": "4" }))
        .await
        .refused(409, "rules.waiting");
    agree(&ada, &change).await.refused(409, "decision.same_person");
    // Whom one made an administrator is no second person.
    sqlx::query("UPDATE identity.account_role SET granted_by = $1 WHERE account = $2")
        .bind(ada.user.0)
        .bind(caio.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    agree(&caio, &change).await.refused(403, "decision.granted");
    let agreed = agree(&bia, &change).await.ok();
    assert_eq!(
        (&agreed["status"], &agreed["agreedBy"]),
        (&json!("agreed"), &json!("bia"))
    );
    agree(&bia, &change).await.refused(409, "decision.done");
    assert_eq!(fee(&app).await, 20_000, "not yet");

    // What holds at once in the meantime stays when the hour comes.
    order(&bia, json!({ "latencyMs": "170" })).await.ok();
    assert_eq!(fee(&app).await, 20_000);
    app.clock.advance(Duration::hours(23));
    assert_eq!(fee(&app).await, 20_000);
    app.clock.advance(Duration::hours(2));
    assert_eq!(fee(&app).await, 30_000);
    let (ada, bia) = (app.renew(&ada), app.renew(&bia));
    assert_eq!(value(&ada, "latencyMs").await, "170");
    assert_eq!(value(&ada, "withdrawalFee").await, "3.00");
    while jobs::round(&app.context).await.unwrap() > 0 {}
    let told: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.event WHERE kind = 'rules.changed' AND payload -> 'change' ->> 'status' = 'in_force' AND payload -> 'change' ->> 'money' = 'true'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(told, 1, "the desk and the screens hear of it");
    withdraw(&bia, &change, "Tarde demais")
        .await
        .refused(409, "rules.state");

    // Agreed and then taken back: it never holds.
    let change = order(&ada, json!({ "withdrawalFee": "9" })).await.ok();
    let other = order(&ada, json!({ "transferFee": "0.5" })).await.ok();
    agree(&bia, &change).await.ok();
    agree(&bia, &other).await.ok();
    withdraw(&ada, &change, "")
        .await
        .refused(422, "decision.reason_missing");
    let gone = withdraw(&ada, &change, "Mudamos de ideia").await.ok();
    assert_eq!(
        (&gone["status"], &gone["withdrawnReason"]),
        (&json!("withdrawn"), &json!("Mudamos de ideia"))
    );
    app.clock.advance(Duration::hours(25));
    assert_eq!(fee(&app).await, 30_000);
    assert_eq!(
        value(&app.renew(&ada), "transferFee").await,
        "0.500000",
        "the other one does"
    );
}

/// The database says the same, whatever the server says.
#[actix_web::test]
async fn the_database_lets_no_money_rule_pass_alone() {
    let app = TestApp::start().await;
    let ada = app.admin("ada").await;
    let change = order(&ada, json!({ "withdrawalFee": "3" })).await.ok();
    let id: uuid::Uuid = change["_id"].as_str().unwrap().parse().unwrap();
    for change in [
        "UPDATE rulebook.change SET status = 'in_force', agreed_by = $2, effective_at = now() WHERE id = $1",
        "UPDATE rulebook.change SET status = 'agreed', agreed_by = NULL, effective_at = now() + interval '2 days' WHERE id = $1 AND $2::uuid IS NOT NULL",
        "UPDATE rulebook.change SET status = 'agreed', agreed_by = '00000000-0000-0000-0000-000000000001', agreed_at = now(), effective_at = now() WHERE id = $1 AND $2::uuid IS NOT NULL",
    ] {
        let refused = sqlx::query(change)
            .bind(id)
            .bind(ada.user.0)
            .execute(&app.sql)
            .await;
        assert!(refused.is_err(), "{change}");
    }
}

#[actix_web::test]
async fn a_plan_changes_for_new_purchases_alone() {
    let app = TestApp::start().await;
    let (ada, bia, ana) = (
        app.admin("ada").await,
        app.admin("bia").await,
        app.user("ana").await,
    );
    fund(&app, &ana, UserAccount::Available, 1_000).await;
    let sold = buy(&ana, PLAN_100).await;
    assert_eq!(sold["maximumReturn"], "300.000000");
    let body = |revision: i64, changes: Value| json!({ "revision": revision, "changes": changes, "reason": "Nova tabela" });
    let at = revision(&ada).await;
    let path = format!("/admin/plans/{PLAN_100}");
    for (changes, code) in [
        (json!({ "allocationFactor": "6" }), "rules.out_of_range"),
        (json!({ "maximumReturn": "300" }), "rules.unchanged"),
        (json!({ "cor": "azul" }), "rules.unknown"),
        (json!({ "active": "false", "value": "150" }), "rules.contradict"),
    ] {
        ada.patch(&path, &body(at, changes)).await.refused(422, code);
    }
    let change = ada
        .patch(
            &path,
            &body(at, json!({ "maximumReturn": "250", "value": "120" })),
        )
        .await
        .ok();
    assert_eq!(
        (&change["status"], &change["kind"]),
        (&json!("waiting"), &json!("plan"))
    );
    let again = revision(&ada).await;
    ada.patch(&path, &body(again, json!({ "value": "130" })))
        .await
        .refused(409, "rules.waiting");
    assert_eq!(ana.get("/licences/plans").await.ok()[1]["value"], "100.000000");
    let agreed = agree(&bia, &change).await.ok();
    assert_eq!(agreed["status"], "in_force");
    let plans = ana.get("/licences/plans").await.ok();
    assert_eq!(
        (&plans[1]["value"], &plans[1]["maximumReturn"]),
        (&json!("120.000000"), &json!("250.00"))
    );
    let fresh = buy(&ana, plans[1]["_id"].as_str().unwrap()).await;
    assert_eq!(fresh["maximumReturn"], "300.000000", "250 % of 120");
    let kept = ana.get("/get-user-licenses").await.ok();
    let first = kept["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|l| l["_id"] == sold["_id"])
        .unwrap()
        .clone();
    assert_eq!(
        (&first["value"], &first["maximumReturn"]),
        (&json!("100.000000"), &json!("300.000000"))
    );
    ana.post(
        "/licences/buy",
        &json!({ "plan": PLAN_100, "riskAccepted": true }),
    )
    .await
    .refused(404, "plan.unknown");

    // A new one; of one value and risk there is only one; off sale and back.
    let at = revision(&ada).await;
    let twice = ada
        .post(
            "/admin/plans",
            &body(at, json!({ "value": "120", "isHighRisk": "false" })),
        )
        .await
        .ok();
    agree(&bia, &twice).await.refused(409, "plan.twice");
    withdraw(&bia, &twice, "Já existe").await.ok();
    let at = revision(&ada).await;
    ada.post("/admin/plans", &body(at, json!({ "value": "7500" })))
        .await
        .refused(422, "field.required");
    let made = ada
        .post(
            "/admin/plans",
            &body(at, json!({ "value": "7500", "isHighRisk": "true" })),
        )
        .await
        .ok();
    agree(&bia, &made).await.ok();
    let row = async || {
        let rows = bia.get("/admin/plans").await.ok();
        rows.as_array()
            .unwrap()
            .iter()
            .find(|p| p["value"] == "7500.000000")
            .unwrap()
            .clone()
    };
    let plan = row().await;
    assert_eq!(
        (&plan["active"], &plan["allocationFactor"], &plan["licences"]),
        (&json!(true), &json!(5), &json!(0))
    );
    let path = format!("/admin/plans/{}", plan["_id"].as_str().unwrap());
    for active in ["false", "true"] {
        let at = revision(&ada).await;
        let change = ada
            .patch(&path, &body(at, json!({ "active": active })))
            .await
            .ok();
        agree(&bia, &change).await.ok();
        assert_eq!(row().await["active"].to_string(), active);
    }
    exact(&app).await;
}
