//! Whoever moves money, takes protection away or looks at a secret as staff decides: refused while frozen, before it counts, and about those
//! who stand near.

use crate::{
    claw_back::{self, credited},
    grants::{freeze, made},
    guard::settings,
    identity::people::lift_caps,
    kit::{Client, Reply, TestApp},
    licences::{self, PLAN_100, buy, fund},
    pix::{self, end_to_end},
    pix_withdrawals::{self, withdraw},
    words::settled,
};
use protocol::Permission;
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    identity::gate::{Access, Route},
    ledger::model::UserAccount::Available,
    routes::ROUTES,
};
use time::Duration;
use uuid::Uuid;

/// Every line by which an administrator changes something, of the house or of somebody's account.
fn changes() -> impl Iterator<Item = &'static Route> {
    let theirs = |access| {
        matches!(
            access,
            Access::Permission(Permission::AdminPermissions | Permission::UserEdit)
        )
    };
    ROUTES
        .iter()
        .filter(move |r| r.method != "GET" && theirs(r.access))
}

async fn call(by: &Client, route: &Route) -> Reply {
    let path: Vec<String> = route
        .path
        .split('/')
        .map(|part| match part.strip_prefix('{') {
            Some(_) => Uuid::now_v7().to_string(),
            None => part.to_owned(),
        })
        .collect();
    let request = by.request(route.method.parse().unwrap(), &path.join("/"));
    by.send(request.json(&json!({}))).await
}

#[actix_web::test]
async fn nothing_is_changed_by_who_is_frozen_or_does_not_count_yet() {
    let app = TestApp::start().await;
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let (xico, mia, leo) = (
        app.user("xico").await,
        app.admin("mia").await,
        app.admin("leo").await,
    );
    made(&app, &rui, &eva, &xico).await;
    freeze(&mia, &leo).await.ok();
    let mut walked = 0;
    for route in changes() {
        let line = format!("{} {}", route.method, route.path);
        for (who, code) in [
            (&xico, "decision.too_new"),
            (&mia, "decision.frozen"),
            (&leo, "decision.frozen"),
        ] {
            let reply = call(who, route).await;
            let refused = reply.status == 403 && reply.code() == code;
            assert_eq!(
                refused, !route.undeciding,
                "{line}: {} {}",
                reply.status, reply.body
            );
        }
        walked += 1;
    }
    assert!(walked > 40, "{walked} lines");
    // Which lines are no decisions is a matter of this list, and not of a word that somebody wrote in passing.
    let free: Vec<&str> = changes().filter(|r| r.undeciding).map(|r| r.path).collect();
    assert_eq!(
        free,
        [
            "/admin/user/{id}/look",
            "/admin/trading/live/off",
            "/admin/ledger/verify",
            "/admin/settings/preview"
        ]
    );
    // A day later they count; who is frozen does not come to count.
    app.clock.advance(Duration::hours(25));
    let route = changes().find(|r| r.path.ends_with("/agree")).unwrap();
    assert_ne!(call(&app.renew(&xico), route).await.status, 403);
    call(&app.renew(&mia), route)
        .await
        .refused(403, "decision.frozen");
}

/// Makes one person the sponsor of another.
pub async fn sponsor(app: &TestApp, of: &Client, by: &Client) {
    // As if they had registered so: a member's sponsor never changes.
    let mut tx = app.sql.begin().await.unwrap();
    sqlx::query("SET LOCAL session_replication_role = replica")
        .execute(&mut *tx)
        .await
        .unwrap();
    sqlx::query("UPDATE affiliates.member SET sponsor = $2 WHERE id = $1")
        .bind(of.user.0)
        .bind(by.user.0)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn nobody_acts_on_what_is_their_own_or_their_lines() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let bia = app.admin("bia").await;
    let ana = pix_withdrawals::customer(&app, "ana", "400").await;
    let (up, down) = (app.admin("up").await, app.admin("down").await);
    let deposit = credited(&app, &ana, &bia, "100", 1).await;
    let waiting = withdraw(&app, &ana, "ana", "50").await;
    let approved = withdraw(&app, &ana, "ana", "60").await;
    pix_withdrawals::approve(&bia, &approved).await.ok();
    let licence = licences::id(&buy(&ana, PLAN_100).await);
    let robot = crate::robots::robot(&app, &ana, 100).await;
    let result = settled(&app, &ana, robot).await;
    let day = (app.context.now() + Duration::days(3)).date().to_string();
    let reason = json!({ "reason": "Engano" });
    let calls: Vec<(Method, String, Value)> = vec![
        (
            Method::POST,
            format!("/admin/deposits-pix/{}/reverse", pix::id(&deposit)),
            reason.clone(),
        ),
        (
            Method::POST,
            format!("/admin/withdraw-pix/{}/key", pix_withdrawals::id(&waiting)),
            json!({}),
        ),
        (
            Method::POST,
            format!("/admin/withdraw-pix/{}/paid", pix_withdrawals::id(&approved)),
            json!({ "endToEndId": end_to_end(app.context.now(), "own") }),
        ),
        (
            Method::DELETE,
            format!("/admin/pix/holder/{}", ana.user),
            reason.clone(),
        ),
        (
            Method::POST,
            format!("/admin/licences/{licence}/manual-key"),
            json!({ "revoked": true, "reason": "Engano" }),
        ),
        (
            Method::POST,
            format!("/admin/robots/{robot}/operations/{result}/reverse"),
            reason.clone(),
        ),
        (
            Method::POST,
            "/admin/outbound-pauses".into(),
            json!({ "username": "ana", "reason": "Engano", "reviewDate": day }),
        ),
    ];
    sponsor(&app, &ana, &up).await;
    sponsor(&app, &down, &ana).await;
    let before: i64 = sqlx::query_scalar("SELECT count(*) FROM approvals.decision")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    for (method, path, body) in &calls {
        for by in [&up, &down] {
            let request = by.request(method.clone(), path);
            let reply = by.send(request.json(body)).await;
            assert_eq!(
                (reply.status, reply.code()),
                (403, "decision.own_money"),
                "{method} {path}: {}",
                reply.body
            );
        }
    }
    let receipt = format!("/admin/withdraw-pix/{}/receipt", pix_withdrawals::id(&approved));
    up.upload(&receipt, "recibo.png", "image/png", pix::png(3))
        .await
        .refused(403, "decision.own_money");
    let after: i64 = sqlx::query_scalar("SELECT count(*) FROM approvals.decision")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(before, after);
    // One's own.
    fund(&app, &bia, Available, 200).await;
    let own = licences::id(&buy(&bia, PLAN_100).await);
    bia.post(
        &format!("/admin/licences/{own}/manual-key"),
        &json!({ "revoked": true, "reason": "Engano" }),
    )
    .await
    .refused(403, "decision.own_money");
    // Who stands apart does all of it, and each is on record as a decision.
    for (method, path, body) in &calls {
        let request = bia.request(method.clone(), path);
        let reply = bia.send(request.json(body)).await;
        assert!(reply.status < 300, "{method} {path}: {}", reply.body);
    }
    let kinds: Vec<String> = sqlx::query_scalar(
        "SELECT kind FROM approvals.decision WHERE decided_by = $1 AND kind NOT IN ('pix_deposit', 'pix_withdrawal') ORDER BY kind",
    )
    .bind(bia.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        kinds,
        [
            "manual_key",
            "outbound_pause",
            "pix_holder",
            "pix_key",
            "pix_payment",
            "pix_reversal",
            "result_reversal"
        ]
    );
}

#[actix_web::test]
async fn a_large_credit_is_taken_back_by_two() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let ana = app.user("ana").await;
    let (rui, eva, leo) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("leo").await,
    );
    let deposit = pix::with_proof(&ana, "9000", 1).await;
    let bank = end_to_end(app.context.now(), "1");
    pix::approve(&rui, &deposit, &bank).await.ok();
    pix::approve(&eva, &deposit, &bank).await.ok();
    assert_eq!(pix::available(&app, &ana).await, 9_000_000_000);

    let half = claw_back::reverse(&rui, &deposit).await.ok();
    assert_eq!(
        (&half["reversalAskedBy"], half.get("reversed")),
        (&json!("rui"), None)
    );
    assert_eq!(
        pix::available(&app, &ana).await,
        9_000_000_000,
        "nothing has moved"
    );
    let own = &ana.get("/list-deposits-pix").await.ok()["data"][0];
    assert_eq!(own.get("reversalAskedBy"), None, "no word to its owner yet");
    claw_back::reverse(&rui, &deposit)
        .await
        .refused(409, "decision.same_person");
    // The first one's word does not count while they are frozen: another's is the first then.
    freeze(&leo, &rui).await.ok();
    let half = claw_back::reverse(&eva, &deposit).await.ok();
    assert_eq!(
        (&half["reversalAskedBy"], half.get("reversed")),
        (&json!("eva"), None)
    );
    sqlx::query("UPDATE approvals.freeze SET ended_at = at, ended_how = 'console'")
        .execute(&app.sql)
        .await
        .unwrap();
    let path = format!("/admin/deposits-pix/{}/reverse", pix::id(&deposit));
    let done = rui.post(&path, &json!({ "reason": "" })).await.ok();
    assert_eq!(
        (&done["reversed"], &done["reason"], done.get("reversalAskedBy")),
        (&json!(true), &json!("Devolvido pelo banco"), None)
    );
    assert_eq!(pix::available(&app, &ana).await, 0);
    licences::exact(&app).await;
}

#[actix_web::test]
async fn the_database_takes_no_deed_without_its_decision() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, bia) = (
        pix_withdrawals::customer(&app, "ana", "400").await,
        app.admin("bia").await,
    );
    let deposit = credited(&app, &ana, &bia, "100", 1).await;
    let approved = withdraw(&app, &ana, "ana", "60").await;
    pix_withdrawals::approve(&bia, &approved).await.ok();
    let day = (app.context.now() + Duration::days(3)).date().to_string();
    let body = json!({ "reason": "Investigação", "reviewDate": day });
    let pauses = bia.post("/admin/outbound-pauses", &body).await.ok();
    let pause = pauses["data"][0]["_id"].as_str().unwrap();
    let refused = async |sql: String, constraint: &str| {
        let error = sqlx::query(sqlx::AssertSqlSafe(sql.clone()))
            .execute(app.context.db.pool())
            .await
            .unwrap_err();
        let found = error
            .as_database_error()
            .and_then(|e| e.constraint())
            .map(str::to_owned);
        assert_eq!(found.as_deref(), Some(constraint), "{sql}: {error}");
    };
    let (deposit, approved) = (pix::id(&deposit), pix_withdrawals::id(&approved));
    refused(
        format!("UPDATE pix.deposit SET reversed_at = now() WHERE id = '{deposit}'"),
        "reversal_approved",
    )
    .await;
    refused(
        format!(
            "INSERT INTO pix.payment (withdrawal, end_to_end_id, transfer, brl, paid_by, at)
             SELECT id, 'E1', (SELECT id FROM ledger.transfer LIMIT 1), brl, '{}', now() FROM pix.withdrawal WHERE id = '{approved}'",
            bia.user
        ),
        "payment_decided",
    )
    .await;
    refused(
        format!(
            "UPDATE approvals.pause SET lifted_at = now(), lifted_by = '{}' WHERE id = '{pause}'",
            bia.user
        ),
        "pause_lift_approved",
    )
    .await;
}
