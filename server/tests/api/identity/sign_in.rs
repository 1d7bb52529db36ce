//! Signing in, both ways, and what is refused on the way.

use super::people::{
    PASSWORD, app_factor, code, cookie_line, email_factor, lift_caps, login, mails, member, other, signed_in,
};
use crate::kit::TestApp;
use serde_json::json;
use time::Duration;

#[actix_web::test]
async fn a_password_opens_a_session_with_its_cookies() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let reply = login(&app, " ANA@Example.com ", PASSWORD).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let refresh = cookie_line(&reply.headers, "token");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/api/auth", "Max-Age=2592000"] {
        assert!(refresh.contains(part), "{refresh}");
    }
    assert!(!refresh.contains("Secure"), "on loopback there is no https");
    let mark = cookie_line(&reply.headers, "signed_in");
    assert!(
        mark.starts_with("signed_in=1") && mark.contains("Path=/") && !mark.contains("HttpOnly"),
        "{mark}"
    );
    let again = signed_in(&app, &reply, &ana.email, PASSWORD);
    assert_eq!(again.client.user, ana.client.user);
    assert_eq!(
        again.client.get("/sessions").await.ok()["data"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[actix_web::test]
async fn unknown_people_and_wrong_passwords_get_one_answer() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let wrong = login(&app, &ana.email, "not the password").await;
    let unknown = login(&app, "nobody@example.com", "not the password").await;
    let house = login(&app, "house@arbora.invalid", "not the password").await;
    for reply in [&wrong, &unknown, &house] {
        reply.refused(401, "auth.failed");
        assert_eq!(reply.body, wrong.body);
        assert!(reply.headers.get("set-cookie").is_none());
    }
}

#[actix_web::test]
async fn wrong_passwords_wait_longer_and_longer_and_a_right_one_forgives() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    for _ in 0..3 {
        login(&app, &ana.email, "wrong").await.refused(401, "auth.failed");
    }
    let early = login(&app, &ana.email, PASSWORD).await;
    early.refused(429, "request.rate_limited");
    let wait: i64 = early.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=6).contains(&wait), "{wait}");
    // The same for an address that nobody has.
    for _ in 0..3 {
        login(&app, "nobody@example.com", "wrong")
            .await
            .refused(401, "auth.failed");
    }
    login(&app, "nobody@example.com", "wrong")
        .await
        .refused(429, "request.rate_limited");
    app.clock.advance(Duration::seconds(6));
    assert_eq!(login(&app, &ana.email, PASSWORD).await.status, 200);
    login(&app, &ana.email, "wrong").await.refused(401, "auth.failed");
    assert_eq!(
        login(&app, &ana.email, PASSWORD).await.status,
        200,
        "earlier tries are forgiven"
    );
}

#[actix_web::test]
async fn many_wrong_passwords_at_once_count_like_one_after_another() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let tries = (0..12).map(|n| {
        let (app, email) = (&app, ana.email.clone());
        async move { login(app, &email, &format!("wrong {n}")).await.status }
    });
    let answers = futures_util::future::join_all(tries).await;
    assert!(answers.iter().filter(|s| **s == 401).count() <= 3, "{answers:?}");
    assert!(answers.iter().all(|s| matches!(s, 401 | 429)), "{answers:?}");
}

#[actix_web::test]
async fn an_emailed_code_is_the_second_step() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let first = login(&app, &ana.email, PASSWORD).await;
    assert!(
        first.headers.get("set-cookie").is_none(),
        "no session before the second step"
    );
    let step = &first.body["twoFactor"];
    assert_eq!(step["methods"], json!(["email", "recovery"]));
    let right = code(&app, &ana.email, "sign_in_code").await;
    let answer = |code: String| {
        let (stranger, challenge) = (app.anonymous(), step["challenge"].clone());
        async move {
            stranger
                .post(
                    "/auth/2fa",
                    &json!({"challenge": challenge, "method": "email", "code": code}),
                )
                .await
        }
    };
    answer(other(&right)).await.refused(422, "code.wrong");
    let done = answer(right.clone()).await;
    assert_eq!(done.status, 200, "{}", done.body);
    signed_in(&app, &done, &ana.email, PASSWORD)
        .client
        .get("/sessions")
        .await
        .ok();
    answer(right).await.refused(401, "auth.failed"); // a challenge opens one session
}

#[actix_web::test]
async fn a_code_is_good_for_its_own_challenge_and_ten_minutes() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let first = login(&app, &ana.email, PASSWORD).await.ok();
    let first_code = code(&app, &ana.email, "sign_in_code").await;
    let second = login(&app, &ana.email, PASSWORD).await.ok();
    let try_code = |answer: &serde_json::Value, code: &str| {
        let body = json!({"challenge": answer["twoFactor"]["challenge"], "method": "email", "code": code});
        let stranger = app.anonymous();
        async move { stranger.post("/auth/2fa", &body).await }
    };
    try_code(&second, &first_code).await.refused(422, "code.wrong");
    assert_eq!(try_code(&first, &first_code).await.status, 200);
    let second_code = code(&app, &ana.email, "sign_in_code").await;
    app.clock.advance(Duration::minutes(11));
    try_code(&second, &second_code).await.refused(401, "auth.failed");
    let unknown = json!({"twoFactor": {"challenge": uuid::Uuid::now_v7()}});
    try_code(&unknown, "123456").await.refused(401, "auth.failed");
}

#[actix_web::test]
async fn five_tries_a_challenge_and_ten_wrong_codes_a_day() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let mut wrong = 0;
    for _ in 0..2 {
        let answer = login(&app, &ana.email, PASSWORD).await.ok();
        let right = code(&app, &ana.email, "sign_in_code").await;
        let body = |code: &str| json!({"challenge": answer["twoFactor"]["challenge"], "method": "email", "code": code});
        for _ in 0..5 {
            app.anonymous()
                .post("/auth/2fa", &body(&other(&right)))
                .await
                .refused(422, "code.wrong");
            wrong += 1;
        }
        app.anonymous()
            .post("/auth/2fa", &body(&right))
            .await
            .refused(401, "auth.failed");
    }
    assert_eq!(wrong, 10);
    let answer = login(&app, &ana.email, PASSWORD).await.ok();
    let right = code(&app, &ana.email, "sign_in_code").await;
    let body = json!({"challenge": answer["twoFactor"]["challenge"], "method": "email", "code": right});
    app.anonymous()
        .post("/auth/2fa", &body)
        .await
        .refused(429, "request.rate_limited");
    app.clock.advance(Duration::hours(25));
    let answer = login(&app, &ana.email, PASSWORD).await.ok();
    let right = code(&app, &ana.email, "sign_in_code").await;
    let body = json!({"challenge": answer["twoFactor"]["challenge"], "method": "email", "code": right});
    assert_eq!(app.anonymous().post("/auth/2fa", &body).await.status, 200);
}

/// A stolen session asks for all the codes that it gets: the owner's other session gets its own, and the owner still signs in.
#[actix_web::test]
async fn no_session_uses_up_the_codes_of_another_nor_those_for_signing_in() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    let ask = async |client: &crate::kit::Client| {
        client
            .post("/security-code", &json!({"purpose": "change-account-data"}))
            .await
    };
    let burn = async |client: &crate::kit::Client| {
        for _ in 0..5 {
            ask(client).await.ok();
        }
        ask(client).await.refused(429, "request.rate_limited");
    };
    burn(&app.another_session(&ana.client).await).await;
    ask(&ana.client).await.ok();
    let answer = login(&app, &ana.email, PASSWORD).await.ok();
    let body = json!({
        "challenge": answer["twoFactor"]["challenge"],
        "method": "email",
        "code": code(&app, &ana.email, "sign_in_code").await,
    });
    app.anonymous().post("/auth/2fa", &body).await.ok();
    // All sessions elsewhere are bounded together as well; the owner's device and signing in are not.
    burn(&app.another_session(&ana.client).await).await;
    let third = app.another_session(&ana.client).await;
    burn(&third).await;
    ask(&app.another_session(&ana.client).await)
        .await
        .refused(429, "request.rate_limited");
    ask(&ana.client).await.ok();
    login(&app, &ana.email, PASSWORD).await.ok();
    assert_eq!(mails(&app, &ana.email, "sign_in_code").await, 2);
}

#[actix_web::test]
async fn another_code_on_request_ends_the_earlier_and_five_an_hour_are_sent() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    lift_caps(&app).await;
    email_factor(&app, &ana).await;
    app.clock.advance(Duration::hours(2));
    super::people::store_settings(
        &app,
        &server::foundation::settings::Settings {
            mails_per_hour: 100,
            ..Default::default()
        },
    )
    .await;
    let answer = login(&app, &ana.email, PASSWORD).await.ok();
    let challenge = answer["twoFactor"]["challenge"].clone();
    let first = code(&app, &ana.email, "sign_in_code").await;
    for _ in 0..4 {
        assert_eq!(
            app.anonymous()
                .post("/auth/2fa/resend", &json!({"challenge": challenge}))
                .await
                .status,
            204
        );
    }
    let sixth = app
        .anonymous()
        .post("/auth/2fa/resend", &json!({"challenge": challenge}))
        .await;
    sixth.refused(429, "request.rate_limited");
    assert!(
        sixth.headers["retry-after"]
            .to_str()
            .unwrap()
            .parse::<u32>()
            .unwrap()
            > 3_000
    );
    assert_eq!(mails(&app, &ana.email, "sign_in_code").await, 5);
    let newest = code(&app, &ana.email, "sign_in_code").await;
    let body = |code: &str| json!({"challenge": challenge, "method": "email", "code": code});
    if first != newest {
        app.anonymous()
            .post("/auth/2fa", &body(&first))
            .await
            .refused(422, "code.wrong");
    }
    assert_eq!(
        app.anonymous().post("/auth/2fa", &body(&newest)).await.status,
        200
    );
}

#[actix_web::test]
async fn the_app_is_the_second_step_and_a_step_is_never_taken_twice() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let (phone, _) = app_factor(&app, &ana).await;
    let second = |code: String, method: &'static str| {
        let (app, email) = (&app, ana.email.clone());
        async move {
            let answer = login(app, &email, PASSWORD).await.ok();
            let body = json!({"challenge": answer["twoFactor"]["challenge"], "method": method, "code": code});
            app.anonymous().post("/auth/2fa", &body).await
        }
    };
    second(phone.code(&app), "app").await.refused(422, "code.used"); // its step was spent when the factor came on
    app.clock.advance(Duration::seconds(30));
    let fresh = phone.code(&app);
    second(fresh.clone(), "email").await.refused(422, "code.wrong"); // each method takes its own codes
    assert_eq!(second(fresh.clone(), "app").await.status, 200);
    second(fresh, "app").await.refused(422, "code.used");
    let old = phone.code(&app);
    app.clock.advance(Duration::seconds(90));
    second(old, "app").await.refused(422, "code.wrong"); // more than one step away
}

#[actix_web::test]
async fn a_recovery_code_signs_in_once_warns_and_holds_money() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let (_, codes) = app_factor(&app, &ana).await;
    assert_eq!(codes.len(), 10);
    assert!(
        codes.iter().all(|c| c.replace('-', "").len() >= 16),
        "at least 80 bits in base32"
    );
    app.clock.advance(Duration::hours(30));
    let second = |code: String| {
        let (app, email) = (&app, ana.email.clone());
        async move {
            let answer = login(app, &email, PASSWORD).await.ok();
            let body =
                json!({"challenge": answer["twoFactor"]["challenge"], "method": "recovery", "code": code});
            app.anonymous().post("/auth/2fa", &body).await
        }
    };
    let done = second(codes[0].to_lowercase()).await;
    assert_eq!(done.status, 200, "{}", done.body);
    second(codes[0].clone()).await.refused(422, "code.used");
    let held: bool = sqlx::query_scalar("SELECT hold_until > created_at + interval '53 hours' AND hold_reason = 'recovery_code' FROM identity.account WHERE id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert!(held);
    assert!(
        super::people::mail(&app, &ana.email, "safety_changed")
            .await
            .contains("/freeze/")
    );
}

#[actix_web::test]
async fn forms_with_unknown_or_missing_fields_are_refused() {
    let app = TestApp::start().await;
    let stranger = app.anonymous();
    stranger
        .post(
            "/auth/login",
            &json!({"email": "a@b.co", "password": "x", "admin": true}),
        )
        .await
        .refused(422, "request.invalid");
    stranger
        .post("/auth/login", &json!({"email": "a@b.co"}))
        .await
        .refused(422, "request.invalid");
    stranger
        .post(
            "/auth/2fa",
            &json!({"challenge": "no id", "method": "email", "code": "1"}),
        )
        .await
        .refused(422, "request.invalid");
    stranger
        .post(
            "/auth/2fa",
            &json!({"challenge": uuid::Uuid::now_v7(), "method": "sms", "code": "1"}),
        )
        .await
        .refused(422, "request.invalid");
}
