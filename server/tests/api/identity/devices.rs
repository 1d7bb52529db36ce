//! Browsers that accounts know: what a stranger's wrong passwords do to others, and what one browser in two accounts tells.

use super::people::{
    Browser, OTHER_PASSWORD, PASSWORD, Person, app_factor, code, cookie, cookie_line, email_factor,
    lift_caps, link, login, mail, member, other, security_code, signed_in,
};
use crate::kit::{Reply, TestApp};
use serde_json::json;
use server::identity::service::{accounts_on_devices, sharing_devices};
use time::Duration;

fn seconds(reply: &Reply) -> i64 {
    reply.headers["retry-after"].to_str().unwrap().parse().unwrap()
}

/// Somebody with a browser that the account knows.
async fn at_home(app: &TestApp, name: &str) -> (Person, Browser) {
    let person = member(app, name, "arbora").await;
    let mut browser = Browser::at("198.51.100.1");
    assert_eq!(browser.login(app, &person.email, PASSWORD).await.status, 200);
    (person, browser)
}

/// Strangers try, three times from each of so many addresses.
async fn hammer(app: &TestApp, email: &str, addresses: u32) {
    for n in 0..addresses {
        let mut stranger = Browser::at(&format!("203.0.113.{n}"));
        for _ in 0..3 {
            let reply = stranger.login(app, email, "a guess").await;
            assert!(matches!(reply.status, 401 | 429), "{}", reply.body);
        }
    }
}

async fn redefine(app: &TestApp, browser: &mut Browser, email: &str, password: &str) {
    let asked = browser
        .post(app, "/forgot-password", &json!({"email": email}))
        .await;
    assert_eq!(asked.status, 200);
    let token = link(app, email, "reset_password", "/reset-password/").await;
    let body = json!({"password": password, "password_confirmation": password});
    let done = browser
        .post(app, &format!("/redefine-password/{token}"), &body)
        .await;
    assert_eq!(done.status, 204, "{}", done.body);
}

#[actix_web::test]
async fn a_full_sign_in_makes_the_browser_known() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let mut browser = Browser::at("198.51.100.1");
    let step = browser.login(&app, &ana.email, PASSWORD).await.ok();
    assert_eq!(browser.device, None, "not before the second factor");
    let body = json!({"challenge": step["twoFactor"]["challenge"], "method": "email",
        "code": code(&app, &ana.email, "sign_in_code").await});
    let done = browser.post(&app, "/auth/2fa", &body).await;
    let line = cookie_line(&done.headers, "device");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/api", "Max-Age=34560000"] {
        assert!(line.contains(part), "{line}");
    }
    let token = browser.device.clone().unwrap();
    let stored: Vec<(Vec<u8>, String, bool)> = sqlx::query_as(
        "SELECT token_hash, label, known FROM identity.device WHERE account = $1 ORDER BY created_at",
    )
    .bind(ana.client.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(stored.len(), 2, "the registration's and this one");
    assert!(
        stored
            .iter()
            .all(|(hash, _, known)| *known && hash.len() == 32 && !token.as_bytes().starts_with(&hash[..4])),
        "hashed"
    );
    // The mark stays the same as long as it is one of ours.
    let mut kept = browser.clone();
    assert_eq!(kept.login(&app, &ana.email, PASSWORD).await.status, 200);
    assert_eq!(kept.device, browser.device);
    let bia = member(&app, "Bia", "arbora").await;
    assert_eq!(browser.login(&app, &bia.email, PASSWORD).await.status, 200);
    assert_eq!(
        browser.device.as_deref(),
        Some(&*token),
        "one mark for all accounts"
    );
    let mut made_up = Browser {
        device: Some("A".repeat(43)),
        ..Browser::default()
    };
    assert_eq!(made_up.login(&app, &bia.email, PASSWORD).await.status, 200);
    assert_ne!(
        made_up.device,
        Some("A".repeat(43)),
        "a mark that somebody made up is none"
    );
}

#[actix_web::test]
async fn strangers_lock_nobody_out() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, mut home) = at_home(&app, "Ana").await;
    hammer(&app, &ana.email, 34).await;
    // Even from one of their addresses: this browser is known.
    let mut moved = Browser {
        device: home.device.clone(),
        ..Browser::at("203.0.113.1")
    };
    assert_eq!(moved.login(&app, &ana.email, PASSWORD).await.status, 200);
    assert_eq!(home.login(&app, &ana.email, PASSWORD).await.status, 200);
    // A strange browser waits while so many try from everywhere, and is told how long.
    let strange = Browser::at("192.0.2.1").login(&app, &ana.email, PASSWORD).await;
    strange.refused(429, "request.rate_limited");
    assert!((3_000..=3_601).contains(&seconds(&strange)));
    assert!(
        strange.body["message"].as_str().unwrap().contains(" min")
            || strange.body["message"].as_str().unwrap().contains("1 h"),
        "{}",
        strange.body
    );
    // Whoever is signed in changes what they like.
    let code = security_code(&app, &ana, "change-password").await;
    let change = json!({"currentPassword": PASSWORD, "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD,
        "securityCode": code});
    assert_eq!(ana.client.post("/me/change-password", &change).await.status, 204);
    let ana = Person {
        password: OTHER_PASSWORD.into(),
        ..ana
    };
    email_factor(&app, &ana).await;
    // And whoever forgot the password, on a browser that nobody knows, at one of the strangers' addresses.
    hammer(&app, &ana.email, 2).await;
    let mut library = Browser::at("203.0.113.1");
    library
        .login(&app, &ana.email, OTHER_PASSWORD)
        .await
        .refused(429, "request.rate_limited");
    redefine(&app, &mut library, &ana.email, PASSWORD).await;
    hammer(&app, &ana.email, 2).await;
    let step = library.login(&app, &ana.email, PASSWORD).await;
    assert_eq!(step.status, 200, "{}", step.body);
    assert!(step.body["twoFactor"].is_object());
}

#[actix_web::test]
async fn a_known_browser_has_ten_wrong_passwords_an_hour() {
    let app = TestApp::start().await;
    let (ana, mut home) = at_home(&app, "Ana").await;
    for _ in 0..10 {
        home.login(&app, &ana.email, "mistyped")
            .await
            .refused(401, "auth.failed");
    }
    let full = home.login(&app, &ana.email, PASSWORD).await;
    full.refused(429, "request.rate_limited");
    assert!((3_000..=3_601).contains(&seconds(&full)));
    app.clock.advance(Duration::minutes(61));
    assert_eq!(home.login(&app, &ana.email, PASSWORD).await.status, 200);
    home.login(&app, &ana.email, "mistyped")
        .await
        .refused(401, "auth.failed");
    assert_eq!(
        home.login(&app, &ana.email, PASSWORD).await.status,
        200,
        "a right one pardons"
    );
}

#[actix_web::test]
async fn a_reset_gives_its_browser_a_clean_count() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, mut home) = at_home(&app, "Ana").await;
    let mut phone = Browser::at("198.51.100.2");
    assert_eq!(phone.login(&app, &ana.email, PASSWORD).await.status, 200);
    for _ in 0..10 {
        home.login(&app, &ana.email, "forgotten")
            .await
            .refused(401, "auth.failed");
    }
    home.login(&app, &ana.email, OTHER_PASSWORD)
        .await
        .refused(429, "request.rate_limited");
    let before = home.device.clone();
    redefine(&app, &mut home, &ana.email, OTHER_PASSWORD).await;
    assert_eq!(home.device, before, "its mark stays");
    assert_eq!(home.login(&app, &ana.email, OTHER_PASSWORD).await.status, 200);
    // The account may have been in other hands: the others are strange to it now, and stay on record.
    let known: Vec<bool> =
        sqlx::query_scalar("SELECT known FROM identity.device WHERE account = $1 ORDER BY known")
            .bind(ana.client.user.0)
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(known, [false, false, true], "registration, phone, home");
}

#[actix_web::test]
async fn a_browser_is_known_to_its_own_accounts_only() {
    let app = TestApp::start().await;
    let (ana, _) = at_home(&app, "Ana").await;
    let (bia, mut hers) = at_home(&app, "Bia").await;
    for _ in 0..3 {
        hers.login(&app, &ana.email, "a guess")
            .await
            .refused(401, "auth.failed");
    }
    hers.login(&app, &ana.email, "a guess")
        .await
        .refused(429, "request.rate_limited");
    assert_eq!(hers.login(&app, &bia.email, PASSWORD).await.status, 200);
}

#[actix_web::test]
async fn nobody_learns_from_a_wait_who_has_an_account() {
    let app = TestApp::start().await;
    let (ana, _) = at_home(&app, "Ana").await;
    let (_, bias) = at_home(&app, "Bia").await;
    for device in [None, bias.device] {
        let mut one = Browser {
            device: device.clone(),
            ..Browser::at("203.0.113.1")
        };
        let mut two = one.clone();
        for round in 0..6 {
            let known = one.login(&app, &ana.email, "a guess").await;
            let unknown = two.login(&app, "nobody@example.com", "a guess").await;
            assert_eq!(
                (known.status, &known.body),
                (unknown.status, &unknown.body),
                "{round}"
            );
            if known.status == 429 {
                assert!((seconds(&known) - seconds(&unknown)).abs() <= 1);
            }
            assert!(
                cookie(&known.headers, "device").is_none() && cookie(&unknown.headers, "device").is_none()
            );
        }
        app.clock.advance(Duration::days(2));
    }
}

#[actix_web::test]
async fn a_session_ended_from_elsewhere_leaves_a_strange_browser() {
    let app = TestApp::start().await;
    let (ana, mut lost) = at_home(&app, "Ana").await;
    let reply = lost.login(&app, &ana.email, PASSWORD).await;
    let there = signed_in(&app, &reply, &ana.email, PASSWORD);
    let list = ana.client.get("/sessions").await.ok();
    for session in list["data"].as_array().unwrap() {
        if session["current"] == false && session["_id"] != there.client.session.to_string() {
            let path = format!("/sessions/{}", session["_id"].as_str().unwrap());
            assert_eq!(ana.client.delete(&path).await.status, 204);
        }
    }
    for _ in 0..4 {
        lost.login(&app, &ana.email, "mistyped")
            .await
            .refused(401, "auth.failed"); // another session still lives there
    }
    assert_eq!(lost.login(&app, &ana.email, PASSWORD).await.status, 200);
    let list = ana.client.get("/sessions").await.ok();
    for session in list["data"].as_array().unwrap() {
        if session["current"] == false {
            let path = format!("/sessions/{}", session["_id"].as_str().unwrap());
            assert_eq!(ana.client.delete(&path).await.status, 204);
        }
    }
    for _ in 0..3 {
        lost.login(&app, &ana.email, "a guess")
            .await
            .refused(401, "auth.failed");
    }
    lost.login(&app, &ana.email, "a guess")
        .await
        .refused(429, "request.rate_limited");
}

#[actix_web::test]
async fn one_browser_in_two_accounts_is_seen_and_its_name_and_address_say_nothing() {
    let app = TestApp::start().await;
    let (ana, mut shared) = at_home(&app, "Ana").await;
    let (bia, _) = at_home(&app, "Bia").await;
    let (one, two) = (ana.client.user, bia.client.user);
    let mut tx = app.context.db.begin().await.unwrap();
    assert!(
        sharing_devices(&mut tx, &[(one, two)]).await.unwrap().is_empty(),
        "same browser name, same address"
    );
    assert_eq!(accounts_on_devices(&mut tx, one).await.unwrap(), 0);
    tx.rollback().await.unwrap();
    assert_eq!(shared.login(&app, &bia.email, PASSWORD).await.status, 200);
    let mut tx = app.context.db.begin().await.unwrap();
    let both = [(one, two), (two, one)];
    let mut shared = sharing_devices(&mut tx, &both).await.unwrap();
    shared.sort_unstable_by_key(|pair| *pair != both[0]);
    assert_eq!(shared, both);
    assert_eq!(accounts_on_devices(&mut tx, one).await.unwrap(), 1);
    tx.rollback().await.unwrap();
    app.clock.advance(Duration::days(31));
    let mut tx = app.context.db.begin().await.unwrap();
    assert!(
        sharing_devices(&mut tx, &[(one, two)]).await.unwrap().is_empty(),
        "a month ago"
    );
    tx.rollback().await.unwrap();
}

#[actix_web::test]
async fn a_password_typed_again_counts_in_its_session() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, mut home) = at_home(&app, "Ana").await;
    let reply = home.login(&app, &ana.email, PASSWORD).await;
    let elsewhere = signed_in(&app, &reply, &ana.email, PASSWORD);
    let ask = |person: &Person, password: &str| {
        let (client, body) = (
            person.client.clone(),
            json!({"method": "app", "enable": true, "password": password}),
        );
        async move { client.post("/setup-2fa", &body).await }
    };
    for _ in 0..10 {
        ask(&ana, "mistyped").await.refused(422, "password.wrong");
    }
    let full = ask(&ana, PASSWORD).await;
    full.refused(429, "request.rate_limited");
    assert!((3_000..=3_601).contains(&seconds(&full)));
    assert_eq!(ask(&elsewhere, PASSWORD).await.status, 200);
    assert_eq!(
        home.login(&app, &ana.email, PASSWORD).await.status,
        200,
        "the sign-in counts by itself"
    );
}

#[actix_web::test]
async fn what_the_old_password_opened_ends_with_it() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let open = |password: &'static str| {
        let (app, email) = (&app, ana.email.clone());
        async move {
            let step = login(app, &email, password).await.ok();
            let code = code(app, &email, "sign_in_code").await;
            json!({"challenge": step["twoFactor"]["challenge"], "method": "email", "code": code})
        }
    };
    let stranger = app.anonymous();
    // A reset.
    let half_done = open(PASSWORD).await;
    redefine(&app, &mut Browser::default(), &ana.email, OTHER_PASSWORD).await;
    stranger
        .post("/auth/2fa", &half_done)
        .await
        .refused(401, "auth.failed");
    // A change of the factor, then of the password.
    let reply = stranger.post("/auth/2fa", &open(OTHER_PASSWORD).await).await;
    let ana = signed_in(&app, &reply, &ana.email, OTHER_PASSWORD);
    let half_done = open(OTHER_PASSWORD).await;
    let mailed = security_code(&app, &ana, "change-factor").await;
    let off = json!({"method": "email", "enable": false, "code": mailed, "password": OTHER_PASSWORD});
    assert_eq!(ana.client.post("/setup-2fa", &off).await.status, 200);
    stranger
        .post("/auth/2fa", &half_done)
        .await
        .refused(401, "auth.failed");
    let mailed = security_code(&app, &ana, "change-factor").await;
    let on = json!({"method": "email", "enable": true, "code": mailed, "password": OTHER_PASSWORD});
    assert_eq!(ana.client.post("/setup-2fa", &on).await.status, 200);
    let half_done = open(OTHER_PASSWORD).await;
    let mailed = security_code(&app, &ana, "change-password").await;
    let change = json!({"currentPassword": OTHER_PASSWORD, "password": PASSWORD, "password_confirmation": PASSWORD,
        "securityCode": mailed});
    assert_eq!(ana.client.post("/me/change-password", &change).await.status, 204);
    stranger
        .post("/auth/2fa", &half_done)
        .await
        .refused(401, "auth.failed");
}

#[actix_web::test]
async fn wrong_codes_leave_the_recovery_codes_open_and_say_how_long() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let (_, codes) = app_factor(&app, &ana).await;
    let second = |method: &'static str, code: String| {
        let (app, email) = (&app, ana.email.clone());
        async move {
            let step = login(app, &email, PASSWORD).await.ok();
            let body = json!({"challenge": step["twoFactor"]["challenge"], "method": method, "code": code});
            app.anonymous().locale("en").post("/auth/2fa", &body).await
        }
    };
    for n in 0..10 {
        second("app", format!("00000{n}"))
            .await
            .refused(422, "code.wrong");
    }
    let full = second("app", "123456".into()).await;
    full.refused(429, "request.rate_limited");
    assert!(seconds(&full) > 86_000, "{}", seconds(&full));
    assert_eq!(full.body["message"], "Too many attempts. Try again in 24 h.");
    for n in 0..10 {
        second("recovery", format!("AAAAA-BBBBB-{n}"))
            .await
            .refused(422, "code.wrong");
    }
    second("recovery", codes[0].clone())
        .await
        .refused(429, "request.rate_limited");
    app.clock.advance(Duration::hours(25));
    for n in 0..10 {
        second("app", format!("00000{n}"))
            .await
            .refused(422, "code.wrong");
    }
    assert_eq!(second("recovery", codes[0].clone()).await.status, 200);
}

#[actix_web::test]
async fn with_the_app_on_ones_data_and_password_need_both_codes() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let (phone, _) = app_factor(&app, &ana).await;
    app.clock.advance(Duration::seconds(30));
    let mailed = security_code(&app, &ana, "change-account-data").await;
    let patch = |mailed: &str, app_code: &str| {
        let client = ana.client.clone();
        let body = json!({"fullName": "Ana Nova", "securityCode": mailed, "appCode": app_code});
        async move { client.patch("/me", &body).await }
    };
    let right = phone.code(&app);
    for (mail, app_code, error, fields) in [
        ("", "", "code.missing", &["appCode", "securityCode"][..]),
        (&*mailed, "", "code.missing", &["appCode"]),
        ("", &*right, "code.missing", &["securityCode"]),
        (&*mailed, &*other(&right), "code.wrong", &["appCode"]),
        (&*other(&mailed), &*right, "code.wrong", &["securityCode"]),
        (&*right, &*right, "code.wrong", &["securityCode"]),
        (&*mailed, &*mailed, "code.wrong", &["appCode"]),
    ] {
        let reply = patch(mail, app_code).await;
        reply.refused(422, error);
        let found: Vec<&String> = reply.body["errors"].as_object().unwrap().keys().collect();
        assert_eq!(found, fields, "{}", reply.body);
    }
    assert_eq!(patch(&mailed, &right).await.status, 200);
    app.clock.advance(Duration::seconds(30));
    // The taxpayer's number is of one's data as well.
    let mailed = security_code(&app, &ana, "change-account-data").await;
    let right = phone.code(&app);
    let number =
        |app_code: &str| json!({"document": "529.982.247-25", "securityCode": mailed, "appCode": app_code});
    ana.client
        .post("/pix/holder", &number(""))
        .await
        .refused(422, "code.missing");
    assert_eq!(ana.client.post("/pix/holder", &number(&right)).await.status, 200);
    app.clock.advance(Duration::seconds(30));
    let mailed = security_code(&app, &ana, "change-password").await;
    let change = |mailed: &str, app_code: &str| {
        let client = ana.client.clone();
        let body = json!({"currentPassword": PASSWORD, "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD,
            "securityCode": mailed, "appCode": app_code});
        async move { client.post("/me/change-password", &body).await }
    };
    change(&mailed, "").await.refused(422, "code.missing");
    let right = phone.code(&app);
    let wrong = change(&mailed, &other(&right)).await;
    wrong.refused(422, "code.wrong");
    assert!(wrong.body["errors"]["appCode"].is_array());
    change(&right, &right).await.refused(422, "code.wrong");
    assert_eq!(change(&mailed, &right).await.status, 204);
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("/freeze/")
    );
}
