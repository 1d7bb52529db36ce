//! Forgotten, changed and first passwords; the freeze link.

use super::people::{
    OTHER_PASSWORD, PASSWORD, app_factor, cookie, email_factor, lift_caps, link, login, mail, mails, member,
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
    assert_eq!((known.status, &known.body), (200, &unknown.body));
    assert_eq!(unknown.ok(), json!({"nextIn": 900}));
    let token = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    assert_eq!(
        app.anonymous()
            .get(&format!("/verifySignature/{token}"))
            .await
            .ok(),
        json!({"valid": true, "purpose": "reset-password", "appCode": false})
    );
    assert_eq!(
        app.anonymous().get("/verifySignature/nonsense").await.ok(),
        json!({"valid": false, "purpose": null, "appCode": false})
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

/// Asks for a link; seconds until the next one.
async fn app_forgot(app: &TestApp, email: &str) -> u64 {
    let answer = app
        .anonymous()
        .post("/forgot-password", &json!({"email": email}))
        .await
        .ok();
    answer["nextIn"].as_u64().unwrap()
}

/// The link of the newest mail, once so many have been written.
async fn nth_link(app: &TestApp, email: &str, many: i64) -> String {
    for _ in 0..3_000 {
        if mails(app, email, "reset_password").await == many {
            return link(app, email, "reset_password", "/reset-password/").await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("no {many} mails");
}

#[actix_web::test]
async fn a_repeated_request_mails_the_living_link_again() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    assert_eq!(app_forgot(&app, &ana.email).await, 900);
    let first = nth_link(&app, &ana.email, 1).await;
    // Somebody asks again and again: no other mail, the same words as for nobody's address.
    for email in [&*ana.email, "nobody@example.com"] {
        app_forgot(&app, email).await;
        app.clock.advance(Duration::minutes(5));
        let left = app_forgot(&app, email).await;
        assert!((590..=600).contains(&left), "{left}");
    }
    app.clock.advance(Duration::minutes(5));
    assert_eq!(app_forgot(&app, &ana.email).await, 900);
    assert_eq!(nth_link(&app, &ana.email, 2).await, first);
    app.clock.advance(Duration::minutes(15));
    app_forgot(&app, &ana.email).await;
    assert_eq!(nth_link(&app, &ana.email, 3).await, first);
    // Too little is left of it to be mailed again: another, and this one ends.
    app.clock.advance(Duration::minutes(15));
    app_forgot(&app, &ana.email).await;
    let second = nth_link(&app, &ana.email, 4).await;
    assert_ne!(second, first);
    let use_it = async |token: &str, password: &str| {
        app.anonymous()
            .post(&format!("/redefine-password/{token}"), &new_password(password))
            .await
    };
    use_it(&first, OTHER_PASSWORD).await.refused(422, "link.invalid");
    assert_eq!(use_it(&second, OTHER_PASSWORD).await.status, 204);
    // Who has used one may ask for another at once; an hour later it has ended.
    app_forgot(&app, &ana.email).await;
    let third = nth_link(&app, &ana.email, 5).await;
    app.clock.advance(Duration::minutes(61));
    use_it(&third, PASSWORD).await.refused(422, "link.invalid");
    assert_eq!(login(&app, &ana.email, OTHER_PASSWORD).await.status, 200);
}

#[actix_web::test]
async fn other_mails_leave_room_for_a_reset_link_and_it_for_them() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let ask = async || {
        let body = json!({"purpose": "change-account-data"});
        ana.client.post("/security-code", &body).await
    };
    app_forgot(&app, &ana.email).await;
    nth_link(&app, &ana.email, 1).await;
    for _ in 0..5 {
        ask().await.ok();
    }
    ask().await.refused(429, "request.rate_limited");
    app.clock.advance(Duration::minutes(15));
    app_forgot(&app, &ana.email).await;
    nth_link(&app, &ana.email, 2).await;
}

#[actix_web::test]
async fn with_the_app_on_a_mailed_link_alone_sets_no_password() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let (phone, recovery) = app_factor(&app, &ana).await;
    app_forgot(&app, &ana.email).await;
    let token = nth_link(&app, &ana.email, 1).await;
    let seen = app.anonymous().get(&format!("/verifySignature/{token}")).await;
    assert_eq!(seen.ok()["appCode"], true);
    let reset = async |token: &str, password: &str, code: Option<&str>| {
        let mut body = new_password(password);
        body["appCode"] = json!(code);
        app.anonymous()
            .post(&format!("/redefine-password/{token}"), &body)
            .await
    };
    app.clock.advance(Duration::minutes(1));
    let code = phone.code(&app);
    for (none, refusal) in [(None, "code.missing"), (Some(""), "code.missing")] {
        let refused = reset(&token, OTHER_PASSWORD, none).await;
        refused.refused(422, refusal);
        assert!(!refused.body["errors"]["appCode"].is_null(), "{}", refused.body);
    }
    reset(&token, OTHER_PASSWORD, Some(&super::people::other(&code)))
        .await
        .refused(422, "code.wrong");
    // Nor does it tell whether a password is the old one.
    reset(&token, PASSWORD, None).await.refused(422, "code.missing");
    let signed_in = login(&app, &ana.email, PASSWORD).await;
    assert!(signed_in.body["twoFactor"].is_object(), "nothing has changed");
    assert_eq!(reset(&token, OTHER_PASSWORD, Some(&code)).await.status, 204);
    // Signing in asks again.
    let step = login(&app, &ana.email, OTHER_PASSWORD).await;
    assert_eq!(step.body["twoFactor"]["methods"][0], "app");

    // A recovery code, once.
    app_forgot(&app, &ana.email).await;
    let token = nth_link(&app, &ana.email, 2).await;
    let third = "yet another passphrase 7";
    assert_eq!(reset(&token, third, Some(&recovery[0])).await.status, 204);
    app_forgot(&app, &ana.email).await;
    let token = nth_link(&app, &ana.email, 3).await;
    reset(&token, PASSWORD, Some(&recovery[0]))
        .await
        .refused(422, "code.used");
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
        .refused(422, "code.used");
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
