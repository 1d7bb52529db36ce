//! What stands still apart from the rest: the desk and registrations, by one person at once, until two agree that it goes on.

use crate::{
    identity::people::{form, register},
    kit::{Client, TestApp, live::Live},
    manual,
};
use actors::desk::cohort::Share;
use protocol::ids::{LicenceId, OperationId};
use serde_json::{Value, json};
use server::robots::service;
use time::Duration;

pub const PAUSES: &str = "/admin/outbound-pauses";

pub fn body(app: &TestApp, what: &str) -> Value {
    let day = (app.context.now() + Duration::days(3)).date().to_string();
    json!({ "what": what, "reason": "Manutenção", "reviewDate": day })
}

/// Why it may go on.
pub fn ended() -> Value {
    json!({ "reason": "Tudo conferido" })
}

async fn pause(app: &TestApp, by: &Client, what: &str) -> String {
    let all = by.post(PAUSES, &body(app, what)).await.ok();
    let new = &all["data"][0];
    assert_eq!(
        (&new["what"], new["activeFrom"].is_string()),
        (&json!(what), true)
    );
    new["_id"].as_str().unwrap().to_owned()
}

async fn lift(by: &Client, pause: &str) {
    by.post(&format!("{PAUSES}/{pause}/lift"), &ended()).await.ok();
}

/// What of a robot could be reserved.
async fn reserved(app: &TestApp, fence: i64, owner: &Client, licence: LicenceId) -> usize {
    let share = Share {
        licence,
        user: owner.user,
        amount: "10".parse().unwrap(),
    };
    service::reserve(&app.context, fence, OperationId::fresh(), &[share])
        .await
        .unwrap()
        .len()
}

#[actix_web::test]
async fn registrations_stand_still_apart_from_the_rest() {
    let app = TestApp::start().await;
    let (bia, caio, ana) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.user("ana").await,
    );
    let stands = pause(&app, &bia, "sign_ups").await;
    let stranger = app.anonymous();
    let reply = stranger
        .post("/auth/register/arbora", &form("Rui da Silva", "rui@example.com"))
        .await;
    reply.refused(403, "sign_ups.paused");
    assert_eq!(reply.body["params"]["reason"], "Manutenção");
    let seen = stranger.get("/affiliates/verify-upline/arbora").await.ok();
    assert_eq!(
        (&seen["username"], &seen["pause"]["reason"]),
        (&json!("arbora"), &json!("Manutenção"))
    );
    assert!(seen["pause"]["reviewAt"].is_string());
    // Money and the desk go on.
    assert_eq!(ana.get("/outbound-state").await.ok()["pause"], Value::Null);
    let me = ana.get("/me").await.ok();
    assert_eq!(
        (&me["user"]["pause"], &me["user"]["deskPause"]),
        (&Value::Null, &Value::Null)
    );
    lift(&caio, &stands).await;
    stranger
        .post("/auth/register/arbora", &form("Rui da Silva", "rui@example.com"))
        .await
        .refused(403, "sign_ups.paused");
    lift(&bia, &stands).await;
    register(&app, "Rui", "arbora").await;
    let seen = stranger.get("/affiliates/verify-upline/arbora").await.ok();
    assert!(seen.get("pause").is_none(), "{seen}");
    let noted: Vec<String> =
        sqlx::query_scalar("SELECT action FROM foundation.audit WHERE action LIKE 'sign_ups.%' ORDER BY id")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(noted, ["sign_ups.pause", "sign_ups.resume", "sign_ups.resume"]);
}

#[actix_web::test]
async fn the_desk_begins_nothing_while_it_stands_still() {
    let app = TestApp::start().await;
    let (bia, caio, ana, eva) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.user("ana").await,
        app.user("eva").await,
    );
    let (auto, hand) = (
        crate::robots::robot(&app, &ana, 200).await,
        manual::steered(&app, &eva, 200).await,
    );
    sqlx::query("UPDATE licences.licence SET eligible_from = now() - interval '1 minute' WHERE id = $1")
        .bind(auto.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let fence = manual::desk(&app).await;
    let eligible = async || service::eligible(&app.context).await.unwrap().len();
    assert_eq!(
        (eligible().await, reserved(&app, fence, &ana, auto).await),
        (1, 1)
    );
    let mut everyone = Live::open(&app, &ana).await;
    everyone.subscribe("public").await;
    let stands = pause(&app, &bia, "desk").await;
    assert_eq!(
        everyone.fact("announcement").await["event"]["code"],
        "desk_paused"
    );
    assert_eq!(
        (eligible().await, reserved(&app, fence, &ana, auto).await),
        (0, 0)
    );
    let reply = manual::order(&eva, hand).await;
    reply.refused(403, "desk.maintenance");
    assert_eq!(reply.body["params"]["reason"], "Manutenção");
    let page = eva.get(&format!("/trader/manual?licence={hand}")).await.ok();
    assert_eq!(
        (&page["ready"], &page["refusal"]),
        (&json!(false), &json!("desk.maintenance"))
    );
    let me = eva.get("/me").await.ok();
    assert_eq!(
        (&me["user"]["deskPause"]["reason"], &me["user"]["pause"]),
        (&json!("Manutenção"), &Value::Null)
    );
    assert_eq!(eva.get("/outbound-state").await.ok()["pause"], Value::Null);
    register(&app, "Rui", "arbora").await;
    // One at a time of each, and of nobody alone; money stands still beside it.
    bia.post(PAUSES, &body(&app, "desk"))
        .await
        .refused(409, "request.conflict");
    let mut of_one = body(&app, "desk");
    of_one["username"] = json!("ana");
    bia.post(PAUSES, &of_one).await.refused(422, "request.invalid");
    pause(&app, &bia, "outbound").await;
    assert_eq!(
        ana.get("/outbound-state").await.ok()["pause"]["reason"],
        "Manutenção"
    );
    for by in [&caio, &bia] {
        assert_eq!(eligible().await, 0);
        lift(by, &stands).await;
    }
    let mut told = everyone.fact("announcement").await["event"].clone();
    while told["code"] != "desk_resumed" {
        told = everyone.fact("announcement").await["event"].clone();
    }
    assert_eq!(told["params"]["reason"], "Tudo conferido");
    assert_eq!(
        (eligible().await, reserved(&app, fence, &ana, auto).await),
        (1, 1)
    );
    assert_eq!(manual::order(&eva, hand).await.status, 202);
    assert_eq!(eva.get("/me").await.ok()["user"]["deskPause"], Value::Null);
    assert_eq!(
        ana.get("/outbound-state").await.ok()["pause"]["reason"],
        "Manutenção"
    );
}
