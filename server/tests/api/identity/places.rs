//! Wrong codes belong to where they are typed: nobody's shut out anybody else, and nobody guesses without a bound.

use super::people::{
    App, Browser, PASSWORD, Person, app_factor, code, email_factor, lift_caps, link, member, other,
    security_code,
};
use crate::{
    guard::with_code,
    kit::{Client, Reply, TestApp},
    licences::{balance, fund},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::ledger::model::UserAccount::Available;
use time::Duration;

/// The second step of a sign-in in a browser, with a fresh challenge.
async fn second(app: &TestApp, browser: &mut Browser, person: &Person, method: &str, code: &str) -> Reply {
    let step = browser.login(app, &person.email, PASSWORD).await.ok();
    let body = json!({"challenge": step["twoFactor"]["challenge"], "method": method, "code": code});
    browser.post(app, "/auth/2fa", &body).await
}

fn next_code(app: &TestApp, phone: &App) -> String {
    app.clock.advance(Duration::seconds(30));
    phone.code(app)
}

/// Somebody with the app, and the browser in which they signed in.
async fn with_app(app: &TestApp) -> (Person, Browser, App, Vec<String>) {
    lift_caps(app).await;
    let ana = member(app, "Ana", "arbora").await;
    let (phone, codes) = app_factor(app, &ana).await;
    app.clock.advance(Duration::hours(25));
    let ana = Person {
        client: app.renew(&ana.client),
        ..ana
    };
    let mut home = Browser::at("198.51.100.1");
    let done = second(app, &mut home, &ana, "app", &phone.code(app)).await;
    assert_eq!(done.status, 200, "{}", done.body);
    (ana, home, phone, codes)
}

/// Each call that takes the app's code, with this one.
async fn everything(thief: &Client, code: &str) -> Vec<(&'static str, Reply)> {
    let data = json!({"fullName": "Outra Pessoa", "securityCode": "000000", "appCode": code});
    let factor = json!({"method": "app", "enable": false, "code": code, "password": PASSWORD});
    let listed = json!({"kind": "member", "destination": "bea", "securityCode": code});
    vec![
        ("transfer", with_code(thief, "bea", "1", code).await),
        ("whitelist", thief.post("/whitelist", &listed).await),
        ("data", thief.patch("/me", &data).await),
        ("factor", thief.post("/setup-2fa", &factor).await),
    ]
}

#[actix_web::test]
async fn ten_wrong_codes_in_a_stolen_session_are_that_sessions_own() {
    let app = TestApp::start().await;
    let (ana, mut home, phone, _) = with_app(&app).await;
    app.user("bea").await;
    fund(&app, &ana.client, Available, 100).await;
    let thief = app.another_session(&ana.client).await;
    for n in 0..10 {
        with_code(&thief, "bea", "1", &format!("00000{n}"))
            .await
            .refused(422, "code.wrong");
    }
    for (what, reply) in everything(&thief, &phone.code(&app)).await {
        assert_eq!(
            reply.body["code"], "request.rate_limited",
            "{what}: {}",
            reply.body
        );
    }
    let right = next_code(&app, &phone);
    with_code(&ana.client, "bea", "1", &right).await.ok();
    assert_eq!(balance(&app, &ana.client, Available).await, Usdt::whole(99));
    let listed = json!({"kind": "member", "destination": "bea", "securityCode": next_code(&app, &phone)});
    assert_eq!(ana.client.post("/whitelist", &listed).await.status, 201);
    let next = next_code(&app, &phone);
    assert_eq!(second(&app, &mut home, &ana, "app", &next).await.status, 200);
}

#[actix_web::test]
async fn no_session_uses_up_or_ends_a_code_that_another_asked_for() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mine = security_code(&app, &ana, "change-account-data").await;
    let thief = app.another_session(&ana.client).await;
    let change = |client: &Client, code: &str| {
        let client = client.clone();
        let body = json!({"fullName": "Ana Nova", "securityCode": code});
        async move { client.patch("/me", &body).await }
    };
    change(&thief, &mine).await.refused(422, "code.wrong");
    for _ in 0..5 {
        change(&thief, &other(&mine)).await.refused(422, "code.wrong");
    }
    // The newest ends the earlier ones of its own session.
    thief
        .post("/security-code", &json!({"purpose": "change-account-data"}))
        .await
        .ok();
    assert_eq!(change(&ana.client, &mine).await.status, 200);
}

#[actix_web::test]
async fn strangers_codes_shut_no_known_browser_out_and_are_bounded() {
    let app = TestApp::start().await;
    let (ana, mut home, phone, codes) = with_app(&app).await;
    for (method, wrong) in [("app", "000000"), ("recovery", "AAAAA-BBBBB-CCCCC")] {
        let mut looked_at = 0;
        for place in 0..12 {
            let mut thief = Browser::at(&format!("203.0.113.{place}"));
            for _ in 0..11 {
                let reply = second(&app, &mut thief, &ana, method, wrong).await;
                match reply.status {
                    422 => looked_at += 1,
                    429 => break,
                    status => panic!("{status} {}", reply.body),
                }
            }
        }
        assert_eq!(looked_at, 100, "{method}: ten from one place, a hundred from all");
    }
    let mut strange = Browser::at("192.0.2.1");
    let right = next_code(&app, &phone);
    second(&app, &mut strange, &ana, "app", &right)
        .await
        .refused(429, "request.rate_limited");
    assert_eq!(second(&app, &mut home, &ana, "app", &right).await.status, 200);
    let recovered = second(&app, &mut home, &ana, "recovery", &codes[0]).await;
    assert_eq!(recovered.status, 200, "{}", recovered.body);
    // On one device in however many sessions: twenty.
    let mut wrong = 0;
    while second(&app, &mut home, &ana, "app", "000000").await.status == 422 {
        wrong += 1;
    }
    assert_eq!(wrong, 20);
}

#[actix_web::test]
async fn devices_that_a_thief_makes_known_gain_no_tries() {
    let app = TestApp::start().await;
    let (ana, _, phone, _) = with_app(&app).await;
    let mut wrong = 0;
    for n in 0..12 {
        let mut thief = Browser::at(&format!("203.0.113.{n}"));
        let right = next_code(&app, &phone);
        let done = second(&app, &mut thief, &ana, "app", &right).await;
        if done.status == 429 {
            break;
        }
        assert_eq!(done.status, 200, "{}", done.body);
        while second(&app, &mut thief, &ana, "app", "000000").await.status == 422 {
            wrong += 1;
        }
    }
    // Three beside the owner's two are of those that are known longest.
    assert_eq!(wrong, 3 * 20 + 100);
}

#[actix_web::test]
async fn a_reset_forgets_all_wrong_codes() {
    let app = TestApp::start().await;
    let (ana, _, phone, _) = with_app(&app).await;
    for place in 0..10 {
        let mut thief = Browser::at(&format!("203.0.113.{place}"));
        for _ in 0..10 {
            second(&app, &mut thief, &ana, "app", "000000")
                .await
                .refused(422, "code.wrong");
        }
    }
    let mut fresh = Browser::at("192.0.2.1");
    let right = next_code(&app, &phone);
    second(&app, &mut fresh, &ana, "app", &right)
        .await
        .refused(429, "request.rate_limited");
    let asked = fresh
        .post(&app, "/forgot-password", &json!({"email": ana.email}))
        .await;
    assert_eq!(asked.status, 200);
    let token = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    let new = "a different long passphrase 9";
    let body = json!({"password": new, "password_confirmation": new, "appCode": right});
    let done = fresh
        .post(&app, &format!("/redefine-password/{token}"), &body)
        .await;
    assert_eq!(done.status, 204, "{}", done.body);
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM identity.failure WHERE scope LIKE '%code%' || $1 || '%'")
            .bind(ana.client.user.to_string())
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(left, 0);
    let next = next_code(&app, &phone);
    let step = Browser::at("192.0.2.2").login(&app, &ana.email, new).await.ok();
    let body = json!({"challenge": step["twoFactor"]["challenge"], "method": "app", "code": next});
    let done = Browser::at("192.0.2.2").post(&app, "/auth/2fa", &body).await;
    assert_eq!(done.status, 200, "{}", done.body);
}

/// Whoever has the password asks for all the codes that strangers get: a known browser gets its own.
#[actix_web::test]
async fn strangers_use_up_no_known_browsers_codes_for_signing_in() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let mut home = Browser::at("198.51.100.1");
    let step = home.login(&app, &ana.email, PASSWORD).await.ok();
    let finish = async |home: &mut Browser, step: &Value| {
        let code = code(&app, &ana.email, "sign_in_code").await;
        let body = json!({"challenge": step["twoFactor"]["challenge"], "method": "email", "code": code});
        home.post(&app, "/auth/2fa", &body).await
    };
    assert_eq!(finish(&mut home, &step).await.status, 200);
    let mut thief = Browser::at("203.0.113.1");
    let theirs = thief.login(&app, &ana.email, PASSWORD).await.ok();
    let again = json!({"challenge": theirs["twoFactor"]["challenge"]});
    for _ in 0..3 {
        assert_eq!(thief.post(&app, "/auth/2fa/resend", &again).await.status, 204);
    }
    thief
        .post(&app, "/auth/2fa/resend", &again)
        .await
        .refused(429, "request.rate_limited");
    let step = home.login(&app, &ana.email, PASSWORD).await.ok();
    assert_eq!(finish(&mut home, &step).await.status, 200);
}

/// What a wrong code leaves behind.
async fn counted(app: &TestApp, person: &Person) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM identity.failure WHERE scope ~ ('^(code|recovery):' || $1)")
        .bind(person.client.user.to_string())
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn a_right_code_that_comes_many_times_at_once_is_no_wrong_one() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    // The sixth may find no try left while another gets its own back.
    for name in ["Ana Nova", "Ana Silva"].repeat(6) {
        let code = security_code(&app, &ana, "change-account-data").await;
        let body = json!({"fullName": name, "securityCode": code});
        let all = futures_util::future::join_all((0..6).map(|_| ana.client.patch("/me", &body))).await;
        assert_eq!(all.iter().filter(|r| r.status == 200).count(), 1, "{all:?}");
        assert_eq!(counted(&app, &ana).await, 0, "{all:?}");
    }
    let code = security_code(&app, &ana, "change-account-data").await;
    let body = json!({"fullName": "Ana Nova", "securityCode": code});
    assert_eq!(ana.client.patch("/me", &body).await.status, 200);
    for _ in 0..12 {
        let again = ana.client.patch("/me", &body).await;
        again.refused(422, "code.used");
        assert!(again.body["errors"]["securityCode"].is_array(), "{}", again.body);
    }
    assert_eq!(counted(&app, &ana).await, 0);
    // A code that is asked for after it keeps its tries.
    let next = security_code(&app, &ana, "change-account-data").await;
    for _ in 0..6 {
        ana.client.patch("/me", &body).await.refused(422, "code.used");
    }
    let body = json!({"fullName": "Ana", "securityCode": next});
    assert_eq!(ana.client.patch("/me", &body).await.status, 200);
    // What is wrong is counted as ever, while there is something to compare.
    let next = security_code(&app, &ana, "change-account-data").await;
    let body = json!({"fullName": "Ana", "securityCode": other(&next)});
    for _ in 0..7 {
        ana.client.patch("/me", &body).await.refused(422, "code.wrong");
    }
    let wrong: i64 =
        sqlx::query_scalar("SELECT count(*) FROM identity.failure WHERE scope LIKE 'code:%:session:%'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(wrong, 5);
    let body = json!({"fullName": "Ana", "securityCode": next});
    ana.client.patch("/me", &body).await.refused(422, "code.wrong");
}

#[actix_web::test]
async fn a_used_code_of_the_app_or_for_recovery_is_no_wrong_one() {
    let app = TestApp::start().await;
    let (ana, mut home, phone, codes) = with_app(&app).await;
    app.user("bea").await;
    fund(&app, &ana.client, Available, 100).await;
    let code = next_code(&app, &phone);
    with_code(&ana.client, "bea", "1", &code).await.ok();
    with_code(&ana.client, "bea", "1", &code)
        .await
        .refused(422, "code.used");
    assert_eq!(balance(&app, &ana.client, Available).await, Usdt::whole(99));
    assert_eq!(
        second(&app, &mut home, &ana, "recovery", &codes[0]).await.status,
        200
    );
    second(&app, &mut home, &ana, "recovery", &codes[0])
        .await
        .refused(422, "code.used");
    assert_eq!(counted(&app, &ana).await, 0);
}

async fn ask(client: &Client) -> Reply {
    client
        .post("/security-code", &json!({"purpose": "change-password"}))
        .await
}

/// Whoever has the password is in as often as they like, and asks for codes: the owner's browser has its own.
#[actix_web::test]
async fn strangers_sessions_use_up_no_known_browsers_codes() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut sent = 0;
    for place in 0..8 {
        // Known later than the owner's.
        app.clock.advance(Duration::minutes(1));
        let mut thief = Browser::at(&format!("203.0.113.{place}"));
        let reply = thief.login(&app, &ana.email, PASSWORD).await;
        let theirs = super::people::signed_in(&app, &reply, &ana.email, PASSWORD);
        while ask(&theirs.client).await.status == 200 {
            sent += 1;
        }
    }
    // Four of theirs beside the owner's are of those that are known longest; the others share what three sessions get.
    assert_eq!(sent, 4 * 5 + 15);
    ask(&ana.client).await.ok();
}

/// The hour that a thief with the password used up ends with the password; what a day gives does not.
#[actix_web::test]
async fn a_reset_begins_the_hours_codes_anew() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let resend = async |browser: &mut Browser, password: &str| {
        let step = browser.login(&app, &ana.email, password).await.ok();
        let again = json!({"challenge": step["twoFactor"]["challenge"]});
        browser.post(&app, "/auth/2fa/resend", &again).await
    };
    let mut thief = Browser::at("203.0.113.1");
    while resend(&mut thief, PASSWORD).await.status == 204 {}
    let mut laptop = Browser::at("198.51.100.8");
    resend(&mut laptop, PASSWORD)
        .await
        .refused(429, "request.rate_limited");
    app.anonymous()
        .post("/forgot-password", &json!({"email": ana.email}))
        .await;
    let token = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    let new = "a different long passphrase 9";
    let body = json!({"password": new, "password_confirmation": new});
    let done = Browser::at("198.51.100.7")
        .post(&app, &format!("/redefine-password/{token}"), &body)
        .await;
    assert_eq!(done.status, 204, "{}", done.body);
    assert_eq!(resend(&mut laptop, new).await.status, 204);
    // As if each of the day's hours had been used up: what a reset adds is bounded.
    sqlx::query(
        "INSERT INTO identity.code (id, account, purpose, binding, mac, created_at, expires_at)
         SELECT gen_random_uuid(), $1, 'sign-in', '', '', $2, $2 FROM generate_series(1, 120)",
    )
    .bind(ana.client.user.0)
    .bind(app.context.now() - Duration::hours(2))
    .execute(&app.sql)
    .await
    .unwrap();
    let refused = resend(&mut laptop, new).await;
    refused.refused(429, "request.rate_limited");
    let wait: i64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(wait > 20 * 3_600, "{wait}");
}
