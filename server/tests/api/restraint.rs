//! Limits that people set for themselves, their time out, and young money beside purchases.

use crate::{
    guard::{code, list_on, own_code, own_limit, send, settings, time_out, with_code},
    identity::people,
    kit::{Client, TestApp},
    licences::{balance, buy, fund, id},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    approvals::guard,
    identity::codes::{SEAT, Seat},
    ledger::model::UserAccount::{Available, Bonus},
};
use time::Duration;

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

async fn limit(app: &TestApp, client: &Client, kind: &str, value: Option<&str>) -> Value {
    own_limit(app, client, kind, value).await.ok()
}

/// What a protection would lose, as the database has it: raises, a list on its way off, destinations that wait.
async fn loosening(app: &TestApp) -> i64 {
    sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM approvals.own_limit WHERE next_at IS NOT NULL)
              + (SELECT count(*) FROM approvals.whitelist_switch WHERE off_at IS NOT NULL)
              + (SELECT count(*) FROM approvals.whitelist WHERE removed_at IS NULL)",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap()
}

#[actix_web::test]
async fn a_session_alone_loosens_nothing_and_the_owner_can_stop_it() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let ana = app.user("ana").await;
    limit(&app, &ana, "day", Some("50")).await;
    list_on(&app, &ana).await.ok();
    for value in [Some("50.000001"), Some("100000"), None] {
        ana.post("/self-limits", &json!({ "kind": "day", "value": value }))
            .await
            .refused(422, "code.missing");
    }
    for (purpose, kind, value) in [
        ("own-limits", "transaction", "60"),
        ("own-limits", "day", "61"),
        ("whitelist", "day", "60"),
    ] {
        let other = code(&app, &ana, "ana", purpose, kind, value).await;
        let body = json!({ "kind": "day", "value": "60", "securityCode": other });
        ana.post("/self-limits", &body).await.refused(422, "code.wrong");
    }
    let unknown = json!({ "purpose": "own-limits", "destination": "week", "amount": "1" });
    ana.post("/security-code", &unknown)
        .await
        .refused(422, "request.invalid");
    // Stronger holds at once and loosens nothing.
    limit(&app, &ana, "day", Some("40")).await;
    assert_eq!(people::mails(&app, "ana@example.com", "loosened").await, 0);

    own_limit(&app, &ana, "day", Some("60")).await.ok();
    let shown = people::mail(&app, "ana@example.com", "security_code").await;
    assert!(
        shown.contains("em 24 horas") && shown.contains("Valor: 60"),
        "{shown}"
    );
    let told = people::mail(&app, "ana@example.com", "loosened").await;
    let from = ana.get("/self-limits").await.ok()["day"]["raise"]["at"].clone();
    let from: time::OffsetDateTime = serde_json::from_value::<String>(from)
        .map(|at| time::OffsetDateTime::parse(&at, &time::format_description::well_known::Rfc3339).unwrap())
        .unwrap();
    let day = server::foundation::business_day::of(from);
    let day = format!("{:02}/{:02}/{}", day.day(), u8::from(day.month()), day.year());
    assert!(
        told.contains(&day) && told.contains("60 USDT") && told.contains("em 24 horas"),
        "{told}"
    );
    let add = code(&app, &ana, "ana", "whitelist", "add:ana@banco.com", "").await;
    ana.post(
        "/whitelist",
        &json!({ "kind": "pix", "destination": "ana@banco.com", "securityCode": add }),
    )
    .await
    .ok();
    let off = code(&app, &ana, "ana", "whitelist", "off", "").await;
    ana.post("/whitelist/off", &json!({ "securityCode": off }))
        .await
        .ok();
    assert_eq!(people::mails(&app, "ana@example.com", "loosened").await, 3);
    assert_eq!(loosening(&app).await, 3);

    // The mail's button takes all of it back.
    let token = people::link(&app, "ana@example.com", "loosened", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    let done = reqwest::Client::new().post(&page).send().await.unwrap();
    assert_eq!(done.status(), 200);
    assert_eq!(loosening(&app).await, 0);
    let (on, own): (bool, i64) = sqlx::query_as(
        "SELECT s.is_on, l.usdt FROM approvals.whitelist_switch s JOIN approvals.own_limit l USING (user_id) WHERE l.kind = 'day'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!((on, own), (true, 40_000_000));
}

/// What shuts an owner out of their own money is asked for with a code of exactly that, and mailed with the link that freezes the account.
#[actix_web::test]
async fn a_session_alone_shuts_nobody_out() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 100).await;
    let stolen = app.another_session(&ana).await;
    let calls = [
        ("/self-exclusion", json!({ "days": 365 })),
        ("/self-limits", json!({ "kind": "day", "value": "0" })),
        (
            "/self-limits",
            json!({ "kind": "transaction", "value": "0.000001" }),
        ),
        ("/whitelist/on", json!({})),
    ];
    for (path, body) in &calls {
        stolen.post(path, body).await.refused(422, "code.missing");
    }
    // A code of another session, and one of something else, are none.
    let other = own_code(&app, &ana, "own-limits", "exclusion", "7").await;
    let body = |days: i64| json!({ "days": days, "securityCode": other });
    stolen
        .post("/self-exclusion", &body(7))
        .await
        .refused(422, "code.wrong");
    ana.post("/self-exclusion", &body(365))
        .await
        .refused(422, "code.wrong");
    let shown = people::mail(&app, "ana@example.com", "security_code").await;
    assert!(shown.contains("Duração, em dias: 7"), "{shown}");
    for (destination, amount) in [
        ("exclusion", "0"),
        ("exclusion", "366"),
        ("exclusion", "x"),
        ("exclusion", ""),
    ] {
        let asked = json!({ "purpose": "own-limits", "destination": destination, "amount": amount });
        ana.post("/security-code", &asked)
            .await
            .refused(422, "request.invalid");
    }
    // What ends a limit is no code for one of nothing.
    let none = own_code(&app, &ana, "own-limits", "day", "").await;
    let nothing = json!({ "kind": "day", "value": "0", "securityCode": none });
    ana.post("/self-limits", &nothing)
        .await
        .refused(422, "code.wrong");
    let state = ana.get("/self-limits").await.ok();
    assert_eq!(
        (&state["day"]["own"], &state["excludedUntil"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(ana.get("/whitelist").await.ok()["on"], false);
    assert_eq!(people::mails(&app, "ana@example.com", "tightened").await, 0);
    send(&app, &ana, "ana", "bea", "1").await.ok();

    ana.post("/self-exclusion", &body(7)).await.ok();
    own_limit(&app, &ana, "day", Some("0")).await.ok();
    list_on(&app, &ana).await.ok();
    assert_eq!(people::mails(&app, "ana@example.com", "tightened").await, 3);
    let token = people::link(&app, "ana@example.com", "tightened", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    let done = reqwest::Client::new().post(&page).send().await.unwrap();
    assert_eq!(done.status(), 200);
    stolen
        .get("/self-limits")
        .await
        .refused(401, "auth.unauthenticated");
}

/// Whoever is held, paused or in debt may hold themselves to more.
#[actix_web::test]
async fn a_hold_keeps_nobody_from_a_time_out() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let ana = app.user("ana").await;
    sqlx::query("UPDATE identity.account SET hold_until = $2, hold_reason = 'password' WHERE id = $1")
        .bind(ana.user.0)
        .bind(app.context.now() + Duration::HOUR)
        .execute(&app.sql)
        .await
        .unwrap();
    time_out(&app, &ana, 7).await.ok();
    own_limit(&app, &ana, "day", Some("10")).await.ok();
    list_on(&app, &ana).await.ok();
}

#[actix_web::test]
async fn a_lower_limit_holds_at_once_and_a_higher_one_a_day_later() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 1_000).await;
    let shown = ana.get("/self-limits").await.ok();
    assert_eq!(
        (&shown["transaction"]["own"], &shown["transaction"]["platform"]),
        (&Value::Null, &json!("50000.000000"))
    );
    assert_eq!(
        limit(&app, &ana, "transaction", Some("50")).await["transaction"]["own"],
        "50.000000"
    );
    let reply = send(&app, &ana, "ana", "bea", "51").await;
    reply.refused(422, "outbound.transaction_limit");
    assert_eq!(reply.body["params"]["maximum"], "50");
    assert_eq!(
        ana.get("/outbound-state").await.ok()["perTransaction"],
        "50.000000"
    );
    send(&app, &ana, "ana", "bea", "50").await.ok();
    limit(&app, &ana, "day", Some("80")).await;
    let reply = send(&app, &ana, "ana", "bea", "31").await;
    reply.refused(422, "outbound.day_limit");
    assert_eq!(reply.body["params"]["left"], "30");

    // Raising, or having none, waits; lowering meanwhile does not.
    let waits = own_limit(&app, &ana, "transaction", Some("200")).await.ok();
    assert_eq!(
        (
            &waits["transaction"]["own"],
            &waits["transaction"]["raise"]["value"]
        ),
        (&json!("50.000000"), &json!("200.000000"))
    );
    assert_eq!(
        own_limit(&app, &ana, "day", None).await.ok()["day"]["raise"]["value"],
        Value::Null
    );
    app.clock.advance(Duration::hours(23));
    let ana = app.renew(&ana);
    send(&app, &ana, "ana", "bea", "51")
        .await
        .refused(422, "outbound.transaction_limit");
    app.clock.advance(Duration::hours(1) + Duration::minutes(1));
    let ana = app.renew(&ana);
    send(&app, &ana, "ana", "bea", "150").await.ok();
    let shown = ana.get("/self-limits").await.ok();
    assert_eq!(
        (
            &shown["transaction"]["own"],
            &shown["transaction"]["raise"],
            &shown["day"]["own"]
        ),
        (&json!("200.000000"), &Value::Null, &Value::Null)
    );

    for (body, code) in [
        (json!({ "kind": "day", "value": "100001" }), "limit.invalid"),
        (json!({ "kind": "day", "value": "-1" }), "limit.invalid"),
        (json!({ "kind": "day", "value": "x" }), "amount.invalid"),
        (json!({ "kind": "week", "value": "1" }), "request.invalid"),
        (
            json!({ "kind": "day", "value": "1", "user": "x" }),
            "request.invalid",
        ),
    ] {
        ana.post("/self-limits", &body).await.refused(422, code);
    }
    // Nobody's raise comes early, whatever the server says.
    limit(&app, &ana, "day", Some("10")).await;
    for forged in [
        "UPDATE approvals.own_limit SET usdt = 20000000 WHERE kind = 'day'",
        "UPDATE approvals.own_limit SET usdt = NULL WHERE kind = 'day'",
        "UPDATE approvals.own_limit SET next_usdt = 20000000, next_at = updated_at + interval '1 hour' WHERE kind = 'day'",
    ] {
        let refused = sqlx::query(forged).execute(&app.sql).await.unwrap_err();
        assert!(refused.to_string().contains("a day later"), "{refused}");
    }
}

#[actix_web::test]
async fn a_time_out_stops_what_goes_in_and_never_what_goes_out() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 1_000).await;
    fund(&app, &ana, Bonus, 50).await;
    let (one, two) = (id(&buy(&ana, PLAN_100).await), id(&buy(&ana, PLAN_100).await));
    let topup = json!({ "licence": one, "value": "100", "source": "available" });
    ana.post("/licences/topup", &topup).await.ok();
    let allocate = json!({ "licence": one, "value": "50" });
    ana.post("/trader/allocate-value-in-trading", &allocate)
        .await
        .ok();
    for days in [0, 366, -1] {
        ana.post("/self-exclusion", &json!({ "days": days }))
            .await
            .refused(422, "limit.invalid");
    }
    let begun = time_out(&app, &ana, 7).await.ok();
    assert!(begun["excludedUntil"].is_string());
    for (path, body) in [
        ("/licences/buy", json!({ "plan": PLAN_100, "riskAccepted": true })),
        ("/licences/topup", topup.clone()),
        (
            "/licences/reinvest",
            json!({ "licence": one, "value": "10", "source": "bonus" }),
        ),
        ("/trader/allocate-value-in-trading", allocate.clone()),
        (
            "/trader/relocate-value",
            json!({ "from": one, "to": two, "value": "10" }),
        ),
    ] {
        ana.post(path, &body).await.refused(403, "account.excluded");
    }
    // Out stays open: back from the desk, back from a licence, to another member.
    let back = json!({ "from": one, "value": "50" });
    ana.post("/trader/relocate-value", &back).await.ok();
    ana.post("/licences/cancel", &json!({ "licence": two }))
        .await
        .ok();
    send(&app, &ana, "ana", "bea", "100").await.ok();
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(700));

    // Longer, never shorter.
    time_out(&app, &ana, 1).await.refused(409, "request.conflict");
    time_out(&app, &ana, 30).await.ok();
    let forged = sqlx::query("UPDATE approvals.self_exclusion SET until = since + interval '1 minute'")
        .execute(&app.sql)
        .await
        .unwrap_err();
    assert!(forged.to_string().contains("never made shorter"), "{forged}");
    app.clock.advance(Duration::days(29));
    let ana = app.renew(&ana);
    ana.post("/licences/topup", &topup)
        .await
        .refused(403, "account.excluded");
    app.clock.advance(Duration::days(1) + Duration::minutes(1));
    let ana = app.renew(&ana);
    ana.post("/licences/topup", &topup).await.ok();
    assert_eq!(ana.get("/self-limits").await.ok()["excludedUntil"], Value::Null);
}

async fn young(app: &TestApp, user: &Client, usdt: i64) {
    let mut tx = app.context.db.begin().await.unwrap();
    guard::note_pix_credit(&mut tx, user.user, uuid::Uuid::now_v7(), Usdt::whole(usdt))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

/// What a purchase takes is old money first: afterwards no more may leave than before it.
#[actix_web::test]
async fn a_purchase_never_makes_young_money_old() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 200).await;
    young(&app, &ana, 100).await;
    let licence = id(&buy(&ana, PLAN_100).await);
    let reply = send(&app, &ana, "ana", "bea", "1").await;
    reply.refused(422, "outbound.young");
    assert_eq!(reply.body["params"]["free"], "0");
    // Nor does taking the purchase back.
    ana.post("/licences/cancel", &json!({ "licence": licence }))
        .await
        .ok();
    send(&app, &ana, "ana", "bea", "101")
        .await
        .refused(422, "outbound.young");
    send(&app, &ana, "ana", "bea", "100").await.ok();
}

/// The guard looks, a purchase comes in between, the money moves: then nothing is committed, and it is said why.
#[actix_web::test]
async fn a_purchase_between_the_look_and_the_move_lets_no_young_money_go() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    app.user("bea").await;
    for n in 0..4 {
        let name = format!("ana{n}");
        let ana = app.user(&name).await;
        fund(&app, &ana, Available, 200).await;
        young(&app, &ana, 100).await;
        let code = code(&app, &ana, &name, "transfer", "bea", "100").await;
        let order = json!({ "plan": PLAN_100, "riskAccepted": true });
        let (bought, sent) = futures_util::future::join(
            ana.post("/licences/buy", &order),
            with_code(&ana, "bea", "100", &code),
        )
        .await;
        bought.ok();
        match sent.status {
            // Sent first: what is bought with the rest stays here.
            201 => {}
            _ => sent.refused(422, "outbound.young"),
        }
    }
    // The same, without leaving it to chance.
    let eva = app.user("eva").await;
    fund(&app, &eva, Available, 200).await;
    young(&app, &eva, 100).await;
    let code = code(&app, &eva, "eva", "transfer", "bea", "100").await;
    let mut tx = app.context.db.begin().await.unwrap();
    let out = guard::Outbound {
        user: eva.user,
        action: guard::Action::Transfer,
        destination: "bea",
        amount: "100",
        usdt: Usdt::whole(100),
        drawn: None,
        counterparty: None,
        security_code: Some(&code),
    };
    // As the call would ask: in the session that asked for the code.
    let here = Seat {
        session: Some(eva.session),
        device: None,
        long_known: false,
        address: None,
    };
    let verdict = SEAT
        .scope(here, guard::outbound(&app.context, &mut tx, &out))
        .await
        .unwrap();
    assert!(!verdict.review);
    buy(&eva, PLAN_100).await;
    let move_out = server::ledger::model::Transfer::new(
        server::ledger::model::TransferKind::UserTransfer,
        uuid::Uuid::now_v7().to_string(),
        server::ledger::model::Cause::new(server::ledger::model::CauseKind::User, eva.user.0),
        server::ledger::model::Orderer::User(eva.user),
    )
    .move_usdt(
        server::ledger::model::AccountRef::User(eva.user, Available),
        server::ledger::model::AccountRef::House(server::ledger::model::HouseAccount::Sponsorship),
        Usdt::whole(100),
    );
    server::ledger::service::post(&mut tx, move_out).await.unwrap();
    let refused = tx.commit().await.unwrap_err();
    assert_eq!(refused.error_code(), protocol::ErrorCode::OutboundYoung);
    let said = refused.body(server::foundation::locale::Locale::En);
    assert_eq!(said.params["free"], "0");
    assert_eq!(balance(&app, &eva, Available).await, Usdt::whole(100));
    send(&app, &eva, "eva", "bea", "100")
        .await
        .refused(422, "outbound.young");
}
