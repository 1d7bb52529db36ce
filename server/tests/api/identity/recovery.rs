//! Forgotten, changed and first passwords; the freeze link.

use super::people::{
    OTHER_PASSWORD, PASSWORD, cookie, email_factor, lift_caps, link, login, mail, mails, member,
    security_code, signed_in, with_cookie,
};
use crate::kit::TestApp;
use serde_json::json;
use server::foundation::{locale::Locale, transaction::Db};
use server::identity::service::{NewStaff, create_staff};
use time::Duration;

fn new_password(password: &str) -> serde_json::Value {
    json!({"password": password, "password_confirmation": password})
}

async fn hold(app: &TestApp, user: protocol::ids::UserId) -> Option<String> {
    sqlx::query_scalar(
        "SELECT hold_reason FROM identity.account WHERE id = $1 AND hold_until > now() + interval '20 hours'",
    )
    .bind(user.0)
    .fetch_optional(&app.sql)
    .await
    .unwrap()
    .flatten()
}

#[actix_web::test]
async fn a_forgotten_password_is_redefined_once_and_ends_every_session() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let known = app
        .anonymous()
        .post("/forgot-password", &json!({"email": ana.email}))
        .await;
    let unknown = app
        .anonymous()
        .post("/forgot-password", &json!({"email": "nobody@example.com"}))
        .await;
    assert_eq!((known.status, &known.body), (204, &unknown.body));
    assert_eq!(unknown.status, 204);
    let token = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    assert_eq!(
        app.anonymous()
            .get(&format!("/verifySignature/{token}"))
            .await
            .ok(),
        json!({"valid": true, "purpose": "reset-password"})
    );
    assert_eq!(
        app.anonymous().get("/verifySignature/nonsense").await.ok(),
        json!({"valid": false, "purpose": null})
    );
    let path = format!("/redefine-password/{token}");
    app.anonymous()
        .post(&path, &new_password("password1"))
        .await
        .refused(422, "password.weak");
    app.anonymous()
        .post(&path, &new_password(PASSWORD))
        .await
        .refused(422, "password.same");
    app.anonymous()
        .post(
            &path,
            &json!({"password": OTHER_PASSWORD, "password_confirmation": PASSWORD}),
        )
        .await
        .refused(422, "password.mismatch");
    ana.client.get("/sessions").await.ok();
    let done = app.anonymous().post(&path, &new_password(OTHER_PASSWORD)).await;
    assert_eq!(done.status, 204, "{}", done.body);
    assert!(
        cookie(&done.headers, "token").is_none() && cookie(&done.headers, "signed_in").is_none(),
        "nobody is signed in"
    );
    app.anonymous()
        .post(&path, &new_password("yet another passphrase 7"))
        .await
        .refused(422, "link.invalid");
    assert_eq!(
        app.anonymous()
            .get(&format!("/verifySignature/{token}"))
            .await
            .ok()["valid"],
        false
    );
    ana.client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    with_cookie(&app, "/auth/refresh", &ana.refresh)
        .await
        .refused(401, "auth.unauthenticated");
    login(&app, &ana.email, PASSWORD)
        .await
        .refused(401, "auth.failed");
    assert_eq!(login(&app, &ana.email, OTHER_PASSWORD).await.status, 200);
    assert_eq!(hold(&app, ana.client.user).await.as_deref(), Some("reset"));
    assert_eq!(mails(&app, "nobody@example.com", "reset_password").await, 0);
}

#[actix_web::test]
async fn reset_links_are_newest_only_an_hour_long_and_two_an_hour() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let ask = || app_forgot(&app, &ana.email);
    ask().await;
    let first = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    ask().await;
    let mut second = first.clone();
    for _ in 0..3_000 {
        second = link(&app, &ana.email, "reset_password", "/reset-password/").await;
        if second != first {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    app.anonymous()
        .post(
            &format!("/redefine-password/{first}"),
            &new_password(OTHER_PASSWORD),
        )
        .await
        .refused(422, "link.invalid");
    ask().await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(
        mails(&app, &ana.email, "reset_password").await,
        2,
        "the third is not sent, and nobody is told"
    );
    app.clock.advance(Duration::minutes(61));
    app.anonymous()
        .post(
            &format!("/redefine-password/{second}"),
            &new_password(OTHER_PASSWORD),
        )
        .await
        .refused(422, "link.invalid");
    assert_eq!(login(&app, &ana.email, PASSWORD).await.status, 200);
}

async fn app_forgot(app: &TestApp, email: &str) {
    assert_eq!(
        app.anonymous()
            .post("/forgot-password", &json!({"email": email}))
            .await
            .status,
        204
    );
}

#[actix_web::test]
async fn a_link_is_good_for_its_own_purpose() {
    let app = TestApp::start().await;
    let ana = super::people::register(&app, "Ana", "arbora").await;
    let confirm = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    let (_, token) = confirm.split_once('/').unwrap();
    app.anonymous()
        .post(
            &format!("/redefine-password/{token}"),
            &new_password(OTHER_PASSWORD),
        )
        .await
        .refused(422, "link.invalid");
    app.anonymous()
        .post(
            &format!("/new-password/{token}/{}", ana.email),
            &new_password(OTHER_PASSWORD),
        )
        .await
        .refused(422, "link.invalid");
    assert_eq!(
        app.anonymous()
            .get(&format!("/verifySignature/{token}"))
            .await
            .ok()["purpose"],
        "confirm-email"
    );
}

#[actix_web::test]
async fn one_changes_ones_password_with_the_old_one_and_a_code() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let reply = login(&app, &ana.email, PASSWORD).await;
    let elsewhere = signed_in(&app, &reply, &ana.email, PASSWORD);
    let code = security_code(&app, &ana, "change-password").await;
    let body = |current: &str, new: &str, code: &str| json!({"currentPassword": current, "password": new, "password_confirmation": new, "securityCode": code});
    let call = |body: serde_json::Value| {
        let client = ana.client.clone();
        async move { client.post("/me/change-password", &body).await }
    };
    call(body(OTHER_PASSWORD, OTHER_PASSWORD, &code))
        .await
        .refused(422, "password.wrong");
    call(body(PASSWORD, PASSWORD, &code))
        .await
        .refused(422, "password.same");
    call(body(PASSWORD, "password1", &code))
        .await
        .refused(422, "password.weak");
    call(body(PASSWORD, OTHER_PASSWORD, &super::people::other(&code)))
        .await
        .refused(422, "code.wrong");
    call(body(PASSWORD, OTHER_PASSWORD, ""))
        .await
        .refused(422, "code.missing");
    assert_eq!(call(body(PASSWORD, OTHER_PASSWORD, &code)).await.status, 204);
    call(body(OTHER_PASSWORD, "yet another passphrase 7", &code))
        .await
        .refused(422, "code.wrong"); // a code is used once
    elsewhere
        .client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    ana.client.get("/sessions").await.ok();
    assert_eq!(hold(&app, ana.client.user).await.as_deref(), Some("password"));
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("Sua senha foi alterada")
    );
}

#[actix_web::test]
async fn the_owner_freezes_an_account_from_a_mail() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let token = link(&app, &ana.email, "safety_changed", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    let http = reqwest::Client::new();
    let opened = http.get(&page).send().await.unwrap();
    assert_eq!(opened.headers()["referrer-policy"], "no-referrer");
    assert!(opened.text().await.unwrap().contains("<form method=\"post\">"));
    ana.client.get("/sessions").await.ok(); // opening it changed nothing
    assert!(
        !http
            .post(&page)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
            .contains("<form")
    );
    ana.client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    login(&app, &ana.email, PASSWORD)
        .await
        .refused(403, "auth.frozen");
    login(&app, &ana.email, OTHER_PASSWORD)
        .await
        .refused(401, "auth.failed"); // who lacks the password learns nothing
    assert_eq!(hold(&app, ana.client.user).await.as_deref(), Some("frozen"));
    assert!(
        !http
            .post(&page)
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap()
            .contains("<form"),
        "one use"
    );
    app_forgot(&app, &ana.email).await;
    let reset = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    assert_eq!(
        app.anonymous()
            .post(
                &format!("/redefine-password/{reset}"),
                &new_password(OTHER_PASSWORD)
            )
            .await
            .status,
        204
    );
    assert!(login(&app, &ana.email, OTHER_PASSWORD).await.body["twoFactor"].is_object());
    assert_eq!(
        hold(&app, ana.client.user).await.as_deref(),
        Some("frozen"),
        "the longer hold stays"
    );
}

#[actix_web::test]
async fn an_invitation_sets_the_first_password() {
    let app = TestApp::start().await;
    // As the console: the server's role makes no administrator.
    let console = Db::new(app.sql.clone(), app.clock.clone());
    let mut tx = console.begin().await.unwrap();
    let staff = NewStaff {
        email: "rui@example.com",
        full_name: "Rui Admin",
        role: "administrator",
        locale: Locale::En,
        granted_by: None,
    };
    let (user, address) = create_staff(&app.context, &mut tx, &staff).await.unwrap();
    tx.commit().await.unwrap();
    let tail = link(&app, "rui@example.com", "invitation", "/new-password/").await;
    assert!(address.ends_with(&tail));
    assert!(
        mail(&app, "rui@example.com", "invitation")
            .await
            .contains("Set password")
    );
    let (token, email) = tail.split_once('/').unwrap();
    login(&app, "rui@example.com", "anything")
        .await
        .refused(401, "auth.failed");
    app.anonymous()
        .post(
            &format!("/new-password/{token}/other@example.com"),
            &new_password(PASSWORD),
        )
        .await
        .refused(422, "link.invalid");
    let done = app
        .anonymous()
        .post(&format!("/new-password/{token}/{email}"), &new_password(PASSWORD))
        .await;
    assert_eq!(done.status, 200, "{}", done.body);
    assert_eq!(done.body["users"]["_id"], user.to_string());
    assert_eq!(done.body["users"]["roles"][0]["name"], "administrator");
    let rui = signed_in(&app, &done, "rui@example.com", PASSWORD);
    assert_eq!(
        rui.client.get("/admin/roles").await.ok()["data"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    app.anonymous()
        .post(
            &format!("/new-password/{token}/{email}"),
            &new_password(OTHER_PASSWORD),
        )
        .await
        .refused(422, "link.invalid");
}
