//! Switching second factors on and off.

use super::people::{
    App, OTHER_PASSWORD, PASSWORD, Person, app_factor, email_factor, lift_caps, login, mail, mails, member,
    other, security_code, signed_in,
};
use crate::{
    kit::{ADMINISTRATOR, Reply, TestApp, live::Live},
    notifications::{codes, drain, inbox},
};
use serde_json::{Value, json};
use time::Duration;

async fn setup(person: &Person, body: Value) -> Reply {
    person.client.post("/setup-2fa", &body).await
}

async fn state(app: &TestApp, person: &Person) -> (bool, bool, i64) {
    sqlx::query_as(
        "SELECT two_factor_email, totp_secret IS NOT NULL, (SELECT count(*) FROM identity.recovery_code WHERE account = a.id) FROM identity.account a WHERE id = $1",
    )
    .bind(person.client.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap()
}

#[actix_web::test]
async fn email_codes_come_on_with_the_password_and_a_code_and_end_other_sessions() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let reply = login(&app, &ana.email, PASSWORD).await;
    let elsewhere = signed_in(&app, &reply, &ana.email, PASSWORD);
    let code = security_code(&app, &ana, "change-factor").await;
    let on = |code: &str, password: &str| json!({"method": "email", "enable": true, "code": code, "password": password});
    setup(
        &ana,
        json!({"method": "email", "enable": true, "password": PASSWORD}),
    )
    .await
    .refused(422, "code.missing");
    setup(&ana, on(&code, OTHER_PASSWORD))
        .await
        .refused(422, "password.wrong");
    setup(&ana, on(&other(&code), PASSWORD))
        .await
        .refused(422, "code.wrong");
    let transfer = security_code(&app, &ana, "change-account-data").await;
    if transfer != code {
        setup(&ana, on(&transfer, PASSWORD))
            .await
            .refused(422, "code.wrong"); // a code is good for its own purpose
    }
    assert_eq!(
        state(&app, &ana).await,
        (false, false, 0),
        "nothing changed so far"
    );
    let done = setup(&ana, on(&code, PASSWORD)).await.ok();
    assert_eq!(done["recoveryCodes"].as_array().unwrap().len(), 10);
    assert_eq!(state(&app, &ana).await, (true, false, 10));
    setup(&ana, on(&code, PASSWORD))
        .await
        .refused(409, "factor.state");
    elsewhere
        .client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    assert_eq!(ana.client.get("/sessions").await.status, 200);
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("/freeze/")
    );
}

#[actix_web::test]
async fn the_app_comes_on_with_its_first_code() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    setup(
        &ana,
        json!({"method": "app", "enable": true, "code": "123456", "password": PASSWORD}),
    )
    .await
    .refused(422, "code.wrong");
    setup(
        &ana,
        json!({"method": "app", "enable": true, "password": PASSWORD}),
    )
    .await
    .ok();
    setup(
        &ana,
        json!({"method": "app", "enable": true, "code": "000000", "password": PASSWORD}),
    )
    .await
    .refused(422, "code.wrong");
    assert_eq!(state(&app, &ana).await, (false, false, 0));
    app_factor(&app, &ana).await;
    assert_eq!(state(&app, &ana).await, (false, true, 10));
    let (secret, id): (Vec<u8>, uuid::Uuid) =
        sqlx::query_as("SELECT totp_secret, id FROM identity.account WHERE id = $1")
            .bind(ana.client.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert!(
        secret.len() > 40 && id == ana.client.user.0,
        "sealed, not the 20 bytes themselves"
    );
}

#[actix_web::test]
async fn an_offered_secret_waits_a_quarter_of_an_hour() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let offer = setup(
        &ana,
        json!({"method": "app", "enable": true, "password": PASSWORD}),
    )
    .await
    .ok();
    app.clock.advance(Duration::minutes(14));
    let later = Person {
        client: app.renew(&ana.client),
        ..ana.clone()
    };
    assert!(offer["secret"].is_string());
    app.clock.advance(Duration::minutes(2));
    let later = Person {
        client: app.renew(&later.client),
        ..later
    };
    setup(
        &later,
        json!({"method": "app", "enable": true, "code": "123456", "password": PASSWORD}),
    )
    .await
    .refused(422, "code.wrong");
    app_factor(&app, &later).await;
}

#[actix_web::test]
async fn with_the_app_on_a_mailbox_alone_changes_nothing() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let (phone, codes) = app_factor(&app, &ana).await;
    let mailed = security_code(&app, &ana, "change-factor").await;
    setup(
        &ana,
        json!({"method": "email", "enable": true, "code": mailed, "password": PASSWORD}),
    )
    .await
    .refused(422, "code.wrong");
    setup(
        &ana,
        json!({"method": "app", "enable": false, "code": mailed, "password": PASSWORD}),
    )
    .await
    .refused(422, "code.wrong");
    app.clock.advance(Duration::seconds(30));
    setup(
        &ana,
        json!({"method": "email", "enable": true, "code": phone.code(&app), "password": PASSWORD}),
    )
    .await
    .ok();
    assert_eq!(state(&app, &ana).await, (true, true, 10), "recovery codes stay");
    setup(
        &ana,
        json!({"method": "app", "enable": false, "code": codes[3], "password": PASSWORD}),
    )
    .await
    .ok();
    assert_eq!(state(&app, &ana).await, (true, false, 10));
}

#[actix_web::test]
async fn the_app_beside_email_codes_needs_the_current_factor() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let offer = setup(
        &ana,
        json!({"method": "app", "enable": true, "password": PASSWORD}),
    )
    .await
    .ok();
    let phone = App::of(offer["secret"].as_str().unwrap());
    let body = |security: &str| json!({"method": "app", "enable": true, "code": phone.code(&app), "securityCode": security, "password": PASSWORD});
    setup(&ana, body("")).await.refused(422, "code.missing");
    let mailed = security_code(&app, &ana, "change-factor").await;
    setup(&ana, body(&other(&mailed)))
        .await
        .refused(422, "code.wrong");
    setup(&ana, body(&mailed)).await.ok();
    assert!(state(&app, &ana).await.1);
}

#[actix_web::test]
async fn the_last_factor_takes_the_recovery_codes_with_it() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let code = security_code(&app, &ana, "change-factor").await;
    setup(
        &ana,
        json!({"method": "email", "enable": false, "code": code, "password": PASSWORD}),
    )
    .await
    .ok();
    assert_eq!(state(&app, &ana).await, (false, false, 0));
    assert!(login(&app, &ana.email, PASSWORD).await.body["token"].is_string());
    assert_eq!(mails(&app, &ana.email, "safety_changed").await, 2);
}

/// Each with a right code of its own: the second would have put other recovery codes in the place of those that the first one wrote down.
#[actix_web::test]
async fn two_who_switch_at_once_switch_once() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let reply = login(&app, &ana.email, PASSWORD).await;
    let elsewhere = signed_in(&app, &reply, &ana.email, PASSWORD);
    let on = |code: String| json!({"method": "email", "enable": true, "code": code, "password": PASSWORD});
    let here = on(security_code(&app, &ana, "change-factor").await);
    let there = on(security_code(&app, &elsewhere, "change-factor").await);
    let (one, two) = futures_util::join!(setup(&ana, here), setup(&elsewhere, there));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200, "{} {}", one.body, two.body);
    assert!([401, 409].contains(&statuses[1]), "{} {}", one.body, two.body);
    assert_eq!(state(&app, &ana).await, (true, false, 10));
}

/// Whoever has an administrator's session and password, and passes the factor once, stays by one of their own: all others who decide hear, and each
/// of them alone stops the decisions.
#[actix_web::test]
async fn the_others_who_decide_hear_when_one_of_them_changes_a_factor() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (rui, leo) = (app.admin("rui").await, app.admin("leo").await);
    let told = || mails(&app, "rui@example.com", "admin_rights");
    let bia = member(&app, "Bia", "arbora").await;
    email_factor(&app, &bia).await;
    assert_eq!(told().await, 0, "a customer's own affair");
    let ana = member(&app, "Ana", "arbora").await;
    sqlx::query("INSERT INTO identity.account_role (account, role, granted_at) SELECT $1, id, $3 FROM identity.role WHERE name = $2")
        .bind(ana.client.user.0)
        .bind(ADMINISTRATOR)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    let mut socket = Live::open(&app, &rui).await;
    socket.subscribe(&format!("user:{}", rui.user)).await;
    email_factor(&app, &ana).await;
    let fact = socket.fact("administrator.guarded").await;
    assert_eq!(
        (&fact["event"]["person"], &fact["event"]["username"].is_string()),
        (&json!(ana.client.user), &true)
    );
    assert_eq!(told().await, 1);
    assert_eq!(mails(&app, "leo@example.com", "admin_rights").await, 1);
    assert_eq!(
        mails(&app, &ana.email, "admin_rights").await,
        0,
        "the owner has the mail that freezes"
    );
    let letter = mail(&app, "leo@example.com", "admin_rights").await;
    assert!(letter.contains("congele as decisões"), "{letter}");
    drain(&app).await;
    for hearer in [&rui, &leo] {
        assert_eq!(codes(&inbox(hearer).await), ["admin_guarded"]);
    }
    assert!(!codes(&inbox(&ana.client).await).contains(&"admin_guarded"));
    let written: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.audit WHERE subject = $1 AND action = 'auth.factor'",
    )
    .bind(ana.client.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(written, 1);
    // What they are told to do in doubt is done by one.
    let doubt = json!({ "userId": ana.client.user, "reason": "fator trocado" });
    rui.post("/admin/freezes", &doubt).await.ok();
}
