//! What stands before outgoing money, tried on transfers: factor, holds, young money, limits, whitelist, pauses, cases.

use crate::{
    identity::people,
    kit::{Client, Reply, TestApp},
    licences::{balance, fund},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    approvals::{compliance, guard},
    foundation::{business_day, settings::Settings},
    ledger::model::UserAccount::{Available, Debt, Held},
};
use time::Duration;

pub fn email(client: &Client, name: &str) -> String {
    let _ = client;
    format!("{name}@example.com")
}

/// A code for an action, out of the mailbox.
pub async fn code(
    app: &TestApp,
    client: &Client,
    name: &str,
    purpose: &str,
    destination: &str,
    amount: &str,
) -> String {
    let body = json!({ "purpose": purpose, "destination": destination, "amount": amount });
    assert_eq!(client.post("/security-code", &body).await.ok()["method"], "email");
    people::code(app, &email(client, name), "security_code").await
}

/// The same of whoever it is.
pub async fn own_code(
    app: &TestApp,
    client: &Client,
    purpose: &str,
    destination: &str,
    amount: &str,
) -> String {
    let body = json!({ "purpose": purpose, "destination": destination, "amount": amount });
    assert_eq!(client.post("/security-code", &body).await.ok()["method"], "email");
    let to: String = sqlx::query_scalar("SELECT email FROM identity.account WHERE id = $1")
        .bind(client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    people::code(app, &to, "security_code").await
}

/// A limit of one's own, with its code.
pub async fn own_limit(app: &TestApp, client: &Client, kind: &str, value: Option<&str>) -> Reply {
    let code = own_code(app, client, "own-limits", kind, value.unwrap_or_default()).await;
    let body = json!({ "kind": kind, "value": value, "securityCode": code });
    client.post("/self-limits", &body).await
}

/// A time out, with its code.
pub async fn time_out(app: &TestApp, client: &Client, days: i64) -> Reply {
    let code = own_code(app, client, "own-limits", "exclusion", &days.to_string()).await;
    let body = json!({ "days": days, "securityCode": code });
    client.post("/self-exclusion", &body).await
}

/// The list of destinations on, with its code.
pub async fn list_on(app: &TestApp, client: &Client) -> Reply {
    let code = own_code(app, client, "whitelist", "on", "").await;
    client
        .post("/whitelist/on", &json!({ "securityCode": code }))
        .await
}

/// Asks for a code and sends the money.
pub async fn send(app: &TestApp, from: &Client, name: &str, to: &str, value: &str) -> Reply {
    let code = code(app, from, name, "transfer", to, value).await;
    with_code(from, to, value, &code).await
}

pub async fn with_code(from: &Client, to: &str, value: &str, code: &str) -> Reply {
    from.post(
        "/transfer",
        &json!({ "receiver": to, "value": value, "securityCode": code }),
    )
    .await
}

/// Other settings than the default, in force at once.
pub async fn settings(app: &TestApp, change: impl FnOnce(&mut Settings)) {
    let mut settings = Settings {
        codes_per_hour: 1_000,
        mails_per_hour: 1_000,
        ..Settings::default()
    };
    change(&mut settings);
    app.context
        .settings
        .store(&settings, app.context.now(), None, "test")
        .await
        .unwrap();
}

async fn state(client: &Client) -> Value {
    client.get("/outbound-state").await.ok()
}

#[actix_web::test]
async fn a_code_opens_exactly_what_its_mail_shows() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _, _) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("caio").await,
    );
    fund(&app, &ana, Available, 100).await;
    for missing in [
        json!({ "purpose": "transfer" }),
        json!({ "purpose": "transfer", "destination": "bea" }),
    ] {
        ana.post("/security-code", &missing)
            .await
            .refused(422, "field.required");
    }
    let code = code(&app, &ana, "ana", "transfer", "bea", "10").await;
    let mail = people::mail(&app, "ana@example.com", "security_code").await;
    assert!(
        mail.contains("Destino: bea") && mail.contains("Valor: 10,00 USDT"),
        "{mail}"
    );
    with_code(&ana, "bea", "10", "")
        .await
        .refused(422, "code.missing");
    for (to, value) in [("caio", "10"), ("bea", "11"), ("bea", "10.000001")] {
        with_code(&ana, to, value, &code).await.refused(422, "code.wrong");
    }
    // A refusal for another reason leaves the code unspent.
    let done = with_code(&ana, "bea", "10.00", &code).await.ok();
    assert_eq!(done["status"], "complete");
    with_code(&ana, "bea", "10.00", &code)
        .await
        .refused(422, "code.used");
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(90));
}

#[actix_web::test]
async fn wrong_codes_are_counted_although_nothing_is_committed() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 100).await;
    let right = code(&app, &ana, "ana", "transfer", "bea", "1").await;
    for _ in 0..5 {
        with_code(&ana, "bea", "1", &people::other(&right))
            .await
            .refused(422, "code.wrong");
    }
    // Five tries a code: the right one is no longer good, and nothing is learnt from it, nor counted.
    with_code(&ana, "bea", "1", &right)
        .await
        .refused(422, "code.wrong");
    let right = code(&app, &ana, "ana", "transfer", "bea", "1").await;
    for _ in 0..5 {
        with_code(&ana, "bea", "1", &people::other(&right))
            .await
            .refused(422, "code.wrong");
    }
    // Ten a day and purpose.
    with_code(&ana, "bea", "1", &right)
        .await
        .refused(429, "request.rate_limited");
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(100));
}

#[actix_web::test]
async fn a_change_of_password_or_factor_holds_money_for_a_day_and_says_until_when() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (people::member(&app, "Ana", "arbora").await, app.user("bea").await);
    fund(&app, &ana.client, Available, 100).await;
    assert_eq!(state(&ana.client).await["hold"], Value::Null);
    people::email_factor(&app, &ana).await;
    let before = app.context.now();
    let body = json!({ "purpose": "transfer", "destination": "bea", "amount": "1" });
    ana.client.post("/security-code", &body).await.ok();
    let code = people::code(&app, &ana.email, "security_code").await;
    let reply = with_code(&ana.client, "bea", "1", &code).await;
    reply.refused(403, "outbound.held");
    assert_eq!(reply.body["params"]["reasonCode"], "factor");
    let near = |seconds| business_day::shown(before + Duration::hours(24) + Duration::seconds(seconds));
    let until = reply.body["params"]["until"].as_str().unwrap();
    assert!((0..60).any(|seconds| until == near(seconds)), "{until}");
    assert!(
        reply.body["message"].as_str().unwrap().contains(until),
        "{}",
        reply.body
    );
    assert_eq!(state(&ana.client).await["hold"]["reasonCode"], "factor");
    app.clock.advance(Duration::hours(24) + Duration::minutes(1));
    let later = app.renew(&ana.client);
    later.post("/security-code", &body).await.ok();
    let code = people::code(&app, &ana.email, "security_code").await;
    with_code(&later, "bea", "1", &code).await.ok();
}

#[actix_web::test]
async fn young_pix_money_stays_three_days_the_first_time_and_one_later() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 150).await;
    let credit = async |usdt: i64| {
        let mut tx = app.context.db.begin().await.unwrap();
        let source = uuid::Uuid::now_v7();
        guard::note_pix_credit(&mut tx, ana.user, source, Usdt::whole(usdt))
            .await
            .unwrap();
        tx.commit().await.unwrap();
        source
    };
    let first = credit(100).await;
    let reply = send(&app, &ana, "ana", "bea", "51").await;
    reply.refused(422, "outbound.young");
    assert_eq!(reply.body["params"]["free"], "50");
    assert_eq!(
        (&state(&ana).await["young"], &state(&ana).await["spendable"]),
        (&json!("100.000000"), &json!("50.000000"))
    );
    send(&app, &ana, "ana", "bea", "50").await.ok();
    app.clock.advance(Duration::hours(71));
    let ana = app.renew(&ana);
    send(&app, &ana, "ana", "bea", "1")
        .await
        .refused(422, "outbound.young");
    app.clock.advance(Duration::hours(2));
    let ana = app.renew(&ana);
    send(&app, &ana, "ana", "bea", "1").await.ok();
    let second = credit(99).await;
    assert_ne!(first, second);
    app.clock.advance(Duration::hours(25));
    let ana = app.renew(&ana);
    send(&app, &ana, "ana", "bea", "99").await.ok();
    // What the bank took back is nobody's young money.
    let third = credit(10).await;
    let mut tx = app.context.db.begin().await.unwrap();
    guard::forget_pix_credit(&mut tx, third).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(state(&ana).await["young"], "0.000000");
}

#[actix_web::test]
async fn an_approved_pix_deposit_is_young() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let made = crate::pix::with_proof(&ana, "100", 1).await;
    let bank = crate::pix::end_to_end(app.context.now(), "1");
    crate::pix::approve(&admin, &made, &bank).await.ok();
    assert_eq!(state(&ana).await["young"], "100.000000");
    assert_eq!(state(&ana).await["spendable"], "0.000000");
}

#[actix_web::test]
async fn limits_debt_and_pauses_stand_before_money() {
    let app = TestApp::start().await;
    settings(&app, |s| {
        s.outbound_per_transaction = Usdt::whole(50);
        s.outbound_per_day = Usdt::whole(80);
    })
    .await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    fund(&app, &ana, Available, 500).await;
    send(&app, &ana, "ana", "bea", "51")
        .await
        .refused(422, "outbound.transaction_limit");
    send(&app, &ana, "ana", "bea", "50").await.ok();
    let reply = send(&app, &ana, "ana", "bea", "31").await;
    reply.refused(422, "outbound.day_limit");
    assert_eq!(reply.body["params"]["left"], "30");
    send(&app, &ana, "ana", "bea", "30").await.ok();

    // One switches it on, two end it; the same person twice does not.
    let day = (app.context.now() + Duration::days(3)).date().to_string();
    let paused = bia
        .post(
            "/admin/outbound-pauses",
            &json!({ "reason": "Investigação", "reviewDate": day }),
        )
        .await
        .ok();
    let pause = paused["data"][0]["_id"].as_str().unwrap().to_owned();
    assert!(paused["data"][0]["activeFrom"].is_string());
    let reply = send(&app, &bea, "bea", "ana", "1").await;
    reply.refused(403, "outbound.paused");
    assert_eq!(reply.body["params"]["reason"], "Investigação");
    assert_eq!(state(&bea).await["pause"]["reason"], "Investigação");
    let lift = format!("/admin/outbound-pauses/{pause}/lift");
    let half = caio.post(&lift, &crate::pauses::ended()).await.ok();
    assert_eq!(
        (&half["data"][0]["liftAskedBy"], &half["data"][0]["liftedAt"]),
        (&json!("caio"), &Value::Null)
    );
    caio.post(&lift, &json!({}))
        .await
        .refused(409, "decision.same_person");
    send(&app, &bea, "bea", "ana", "1")
        .await
        .refused(403, "outbound.paused");
    let ended = bia.post(&lift, &json!({})).await.ok();
    assert!(ended["data"][0]["liftedAt"].is_string());
    send(&app, &bea, "bea", "ana", "1").await.ok();
    for (body, code) in [
        (
            json!({ "reason": "", "reviewDate": day }),
            "decision.reason_missing",
        ),
        (
            json!({ "reason": "x", "reviewDate": "2020-01-01" }),
            "request.invalid",
        ),
        (
            json!({ "reason": "x", "reviewDate": "2099-01-01" }),
            "request.invalid",
        ),
    ] {
        bia.post("/admin/outbound-pauses", &body).await.refused(422, code);
    }

    owe(&app, &bea, 5).await;
    send(&app, &bea, "bea", "ana", "1")
        .await
        .refused(403, "outbound.debt");
}

/// A debt out of nothing.
async fn owe(app: &TestApp, user: &Client, amount: i64) {
    use server::ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind},
        service,
    };
    let mut tx = app.context.db.begin().await.unwrap();
    let transfer = Transfer::new(
        TransferKind::ClawBack,
        uuid::Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, user.user.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::User(user.user, Debt),
        AccountRef::House(HouseAccount::PixLosses),
        Usdt::whole(amount),
    );
    service::post(&mut tx, transfer).await.unwrap();
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn a_listed_destination_waits_a_day_and_the_list_ends_a_day_late() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _, _) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("caio").await,
    );
    fund(&app, &ana, Available, 100).await;
    let add = async |ana: &Client, kind: &str, destination: &str| {
        let code = code(&app, ana, "ana", "whitelist", &format!("add:{destination}"), "").await;
        ana.post(
            "/whitelist",
            &json!({ "kind": kind, "destination": destination, "label": "Bea", "securityCode": code }),
        )
        .await
    };
    let list = add(&ana, "member", "bea").await.ok();
    let entry = list["entries"][0]["_id"].as_str().unwrap().to_owned();
    assert_eq!(list["on"], false);
    add(&ana, "member", "bea").await.refused(409, "whitelist.twice");
    add(&ana, "member", "nobody").await.refused(404, "user.unknown");
    add(&ana, "chain", "0x52908400098527886E0F7030069857D2E4169EE7")
        .await
        .ok();
    list_on(&app, &ana).await.ok();
    let reply = send(&app, &ana, "ana", "bea", "1").await;
    reply.refused(403, "whitelist.waiting");
    send(&app, &ana, "ana", "caio", "1")
        .await
        .refused(403, "whitelist.missing");
    app.clock.advance(Duration::hours(24) + Duration::minutes(1));
    let ana = app.renew(&ana);
    send(&app, &ana, "ana", "bea", "1").await.ok();

    // Taking it off needs its own code.
    let wrong = code(&app, &ana, "ana", "whitelist", "add:bea", "").await;
    let off = format!("/whitelist/{entry}/remove");
    ana.post(&off, &json!({ "securityCode": wrong }))
        .await
        .refused(422, "code.wrong");
    let right = code(&app, &ana, "ana", "whitelist", "remove:bea", "").await;
    let left = ana.post(&off, &json!({ "securityCode": right })).await.ok();
    assert_eq!(left["entries"].as_array().unwrap().len(), 1);
    send(&app, &ana, "ana", "bea", "1")
        .await
        .refused(403, "whitelist.missing");
    // Somebody else's entry does not exist.
    let bea = app.person("dora", crate::kit::CUSTOMER).await;
    let other = left["entries"][0]["_id"].as_str().unwrap();
    bea.post(
        &format!("/whitelist/{other}/remove"),
        &json!({ "securityCode": "1" }),
    )
    .await
    .refused(404, "request.not_found");

    let right = code(&app, &ana, "ana", "whitelist", "off", "").await;
    let ending = ana
        .post("/whitelist/off", &json!({ "securityCode": right }))
        .await
        .ok();
    assert_eq!(ending["on"], true);
    assert!(ending["offAt"].is_string());
    send(&app, &ana, "ana", "caio", "1")
        .await
        .refused(403, "whitelist.missing");
    app.clock.advance(Duration::hours(24) + Duration::minutes(1));
    let ana = app.renew(&ana);
    send(&app, &ana, "ana", "caio", "1").await.ok();
    assert_eq!(ana.get("/whitelist").await.ok()["on"], false);
}

#[actix_web::test]
async fn what_the_rules_hold_waits_for_a_person_and_moves_or_goes_back() {
    let app = TestApp::start().await;
    settings(&app, |s| {
        s.compliance_amount = Usdt::whole(40);
        s.two_person_limit = Usdt::whole(50);
    })
    .await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    fund(&app, &ana, Available, 1_000).await;
    let decide = async |who: &Client, transfer: &Value, approve: bool, reason: &str| {
        let body = json!({ "id": transfer["_id"], "approve": approve, "reason": reason });
        who.patch("/admin/transfers-approve-reject", &body).await
    };
    let held = send(&app, &ana, "ana", "bea", "40").await.ok();
    assert_eq!(held["status"], "pending");
    assert_eq!(
        (
            balance(&app, &ana, Available).await,
            balance(&app, &ana, Held).await
        ),
        (Usdt::whole(960), Usdt::whole(40))
    );
    // The receiver hears nothing of it yet.
    assert_eq!(bea.get("/transfers-list").await.ok()["meta"]["total"], 0);
    let cases = bia.get("/admin/compliance/cases?status=open").await.ok();
    assert_eq!(
        (&cases["data"][0]["reasons"], &cases["data"][0]["waits"]),
        (&json!(["amount"]), &json!("transfer"))
    );
    // It is decided where the money is.
    bia.patch(
        "/admin/compliance/cases",
        &json!({ "id": cases["data"][0]["_id"], "cleared": true }),
    )
    .await
    .refused(409, "request.conflict");
    assert_eq!(decide(&bia, &held, true, "").await.ok()["status"], "complete");
    assert_eq!(
        (
            balance(&app, &ana, Held).await,
            balance(&app, &bea, Available).await
        ),
        (Usdt::ZERO, Usdt::whole(40))
    );
    decide(&bia, &held, true, "").await.refused(409, "decision.done");

    // Two persons above the limit.
    let large = send(&app, &ana, "ana", "bea", "60").await.ok();
    assert_eq!(decide(&bia, &large, true, "").await.ok()["status"], "pending");
    decide(&bia, &large, true, "")
        .await
        .refused(409, "decision.same_person");
    assert_eq!(decide(&caio, &large, true, "").await.ok()["status"], "complete");
    assert_eq!(balance(&app, &bea, Available).await, Usdt::whole(100));

    // Turned down: the money is back, and so is its part of the limits; the same two are refused from now on.
    let before = state(&ana).await["leftToday"].clone();
    let bad = send(&app, &ana, "ana", "bea", "45").await.ok();
    decide(&bia, &bad, false, "")
        .await
        .refused(422, "decision.reason_missing");
    let done = decide(&bia, &bad, false, "Origem não explicada").await.ok();
    assert_eq!(
        (&done["status"], &done["reason"]),
        (&json!("rejected"), &json!("Origem não explicada"))
    );
    assert_eq!(
        (
            balance(&app, &ana, Available).await,
            balance(&app, &ana, Held).await
        ),
        (Usdt::whole(900), Usdt::ZERO)
    );
    assert_eq!(state(&ana).await["leftToday"], before);
    send(&app, &ana, "ana", "bea", "1")
        .await
        .refused(403, "outbound.refused");
    let cases = bia.get("/admin/compliance/cases").await.ok();
    let ends: Vec<&Value> = cases["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["status"])
        .collect();
    assert_eq!(ends, ["refused", "cleared", "cleared"]);
}

#[actix_web::test]
async fn a_transfer_between_related_accounts_waits_whatever_relates_them() {
    let app = TestApp::start().await;
    let admin = app.admin("bia").await;
    let (ana, bea, caio) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("caio").await,
    );
    fund(&app, &ana, Available, 100).await;
    let mut tx = app.context.db.begin().await.unwrap();
    for person in [&ana, &bea] {
        compliance::note_payer(&mut tx, person.user, "Maria da Silva")
            .await
            .unwrap();
    }
    for person in [&ana, &caio] {
        compliance::note_document(&mut tx, person.user, &[7; 32])
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    for (to, reason) in [("bea", "same_payer"), ("caio", "same_document")] {
        assert_eq!(
            send(&app, &ana, "ana", to, "5").await.ok()["status"],
            "pending",
            "{reason}"
        );
        let cases = admin
            .get(&format!("/admin/compliance/cases?status=open&search={to}"))
            .await
            .ok();
        assert_eq!(cases["data"][0]["reasons"], json!([reason]));
    }
}

#[actix_web::test]
async fn nobody_decides_on_a_transfer_to_themselves() {
    let app = TestApp::start().await;
    settings(&app, |s| s.compliance_amount = Usdt::whole(10)).await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    fund(&app, &ana, Available, 100).await;
    let held = send(&app, &ana, "ana", "bia", "10").await.ok();
    let body = json!({ "id": held["_id"], "approve": true });
    bia.patch("/admin/transfers-approve-reject", &body)
        .await
        .refused(403, "decision.own_money");
    // Nor does the database let a transfer go without its approvals.
    let forged =
        sqlx::query("UPDATE transfers.transfer SET status = 'complete', ledger_transfer = gen_random_uuid()")
            .execute(&app.sql)
            .await;
    assert!(forged.unwrap_err().to_string().contains("needs its approvals"));
}
