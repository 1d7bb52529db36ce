//! Registration through an upline and confirmation of the address.

use super::people::{confirm, form, lift_caps, link, mails, member, register};
use crate::kit::TestApp;
use serde_json::{Value, json};
use time::Duration;

async fn accounts(app: &TestApp) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM identity.account")
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn a_person_registers_confirms_and_may_then_work() {
    let app = TestApp::start().await;
    let upline = app.anonymous().get("/affiliates/verify-upline/Arbora").await.ok();
    assert_eq!(upline, json!({"username": "arbora", "firstName": "Arbora"}));
    let ana = register(&app, "Ana", "arbora").await;
    assert_eq!(
        ana.client.get("/sessions").await.status,
        200,
        "an unconfirmed account may look around"
    );
    ana.client
        .post("/security-code", &json!({"purpose": "change-account-data"}))
        .await
        .refused(403, "auth.email_unconfirmed");
    let tail = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    assert_eq!(
        app.anonymous().get(&format!("/email/verify/{tail}")).await.ok(),
        json!({"state": "pending"}),
        "opening changes nothing"
    );
    assert_eq!(confirm(&app, &tail).await.ok(), json!({"state": "confirmed"}));
    assert_eq!(
        confirm(&app, &tail).await.ok(),
        json!({"state": "confirmed"}),
        "clicking twice is no error"
    );
    assert_eq!(
        ana.client
            .post("/security-code", &json!({"purpose": "change-account-data"}))
            .await
            .status,
        200
    );
    let (username, terms, role): (String, String, String) = sqlx::query_as(
        "SELECT a.username, a.terms_version, r.name FROM identity.account a JOIN identity.account_role ar ON ar.account = a.id
         JOIN identity.role r ON r.id = ar.role WHERE a.id = $1 AND a.adult_declared_at IS NOT NULL AND a.risk_accepted_at IS NOT NULL",
    )
    .bind(ana.client.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert!(username.starts_with("anadasilva"), "{username}");
    assert_eq!((terms.as_str(), role.as_str()), ("2026-11", "customer"));
    let upline = app
        .anonymous()
        .get(&format!("/affiliates/verify-upline/{username}"))
        .await
        .ok();
    assert_eq!(
        upline,
        json!({"username": username, "firstName": "Ana"}),
        "no more than a stranger needs"
    );
}

#[actix_web::test]
async fn every_refusal_changes_nothing() {
    let app = TestApp::start().await;
    member(&app, "Ana", "arbora").await;
    let before = accounts(&app).await;
    let change = |pointer: &str, value: Value| {
        let mut body = form("Bia da Silva", "bia@example.com");
        *body.pointer_mut(pointer).unwrap() = value;
        body
    };
    let cases = [
        (change("/terms", json!(false)), "terms.missing", "terms"),
        (change("/adult", json!(false)), "adult.missing", "adult"),
        (change("/riskNotice", json!(false)), "risk.missing", "riskNotice"),
        (change("/email", json!("bia@nowhere")), "email.invalid", "email"),
        (change("/email", json!("Ana@Example.com")), "email.taken", "email"),
        (
            change("/password", json!("12345678")),
            "password.mismatch",
            "password_confirmation",
        ),
        (change("/fullName", json!("")), "request.invalid", "fullName"),
        (
            change("/fullName", json!("Bia\u{202e}")),
            "request.invalid",
            "fullName",
        ),
        (
            change("/mobileNumber", json!("call me")),
            "request.invalid",
            "mobileNumber",
        ),
        (
            change("/address/postalCode", json!(" ")),
            "request.invalid",
            "address.postalCode",
        ),
        (
            change("/address/city", json!("x".repeat(200))),
            "request.invalid",
            "address.city",
        ),
    ];
    for (body, code, field) in cases {
        let reply = app.anonymous().post("/auth/register/arbora", &body).await;
        reply.refused(422, code);
        assert!(reply.body["errors"][field].is_array(), "{field}: {}", reply.body);
        assert!(reply.headers.get("set-cookie").is_none());
    }
    let mut weak = form("Bia da Silva", "bia@example.com");
    weak["password"] = json!("biadasilva");
    weak["password_confirmation"] = json!("biadasilva");
    app.anonymous()
        .post("/auth/register/arbora", &weak)
        .await
        .refused(422, "password.weak");
    let good = form("Bia da Silva", "bia@example.com");
    app.anonymous()
        .post("/auth/register/nobody1", &good)
        .await
        .refused(404, "upline.unknown");
    for forbidden in ["roles", "balance", "sponsor", "status", "emailConfirmed", "side"] {
        let mut body = good.clone();
        body[forbidden] = json!("x");
        app.anonymous()
            .post("/auth/register/arbora", &body)
            .await
            .refused(422, "request.invalid");
    }
    assert_eq!(accounts(&app).await, before);
    let members: i64 = sqlx::query_scalar("SELECT count(*) FROM affiliates.member")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(members, before);
    assert_eq!(mails(&app, "bia@example.com", "confirm_email").await, 0);
    assert_eq!(
        app.anonymous().post("/auth/register/arbora", &good).await.status,
        200,
        "refusals did not use the address up"
    );
}

#[actix_web::test]
async fn taken_addresses_are_told_five_times_an_hour() {
    let app = TestApp::start().await;
    member(&app, "Ana", "arbora").await;
    let taken = form("Ana Outra", "ana@example.com");
    for _ in 0..5 {
        app.anonymous()
            .post("/auth/register/arbora", &taken)
            .await
            .refused(422, "email.taken");
    }
    app.anonymous()
        .post("/auth/register/arbora", &taken)
        .await
        .refused(429, "request.rate_limited");
    app.clock.advance(Duration::minutes(61));
    app.anonymous()
        .post("/auth/register/arbora", &taken)
        .await
        .refused(422, "email.taken");
}

#[actix_web::test]
async fn an_unconfirmed_upline_is_unknown() {
    let app = TestApp::start().await;
    let ana = register(&app, "Ana", "arbora").await;
    let username: String = sqlx::query_scalar("SELECT username FROM identity.account WHERE id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    app.anonymous()
        .get(&format!("/affiliates/verify-upline/{username}"))
        .await
        .refused(404, "upline.unknown");
    app.anonymous()
        .post(
            &format!("/auth/register/{username}"),
            &form("Bia", "bia@example.com"),
        )
        .await
        .refused(404, "upline.unknown");
}

#[actix_web::test]
async fn only_the_newest_own_fresh_link_confirms() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = register(&app, "Ana", "arbora").await;
    let bia = register(&app, "Bia", "arbora").await;
    let first = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    assert_eq!(
        ana.client
            .post("/email/verification-notification", &json!({}))
            .await
            .status,
        204
    );
    let second = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    let (_, token) = second.split_once('/').unwrap();
    for bad in [
        first,
        format!("{}/{token}", bia.client.user),
        format!("{}/xx", ana.client.user),
        "x/y".into(),
    ] {
        confirm(&app, &bad)
            .await
            .refused(422, "link.confirmation_invalid");
    }
    app.clock.advance(Duration::days(3) + Duration::SECOND);
    confirm(&app, &second)
        .await
        .refused(422, "link.confirmation_invalid");
    let ana = crate::kit::Client {
        ..app.renew(&ana.client)
    };
    assert_eq!(
        ana.post("/email/verification-notification", &json!({}))
            .await
            .status,
        204
    );
    let third = link(&app, "ana@example.com", "confirm_email", "/verify-email/").await;
    assert_eq!(confirm(&app, &third).await.ok()["state"], "confirmed");
    ana.post("/email/verification-notification", &json!({}))
        .await
        .refused(409, "request.conflict");
}

#[actix_web::test]
async fn mails_to_one_person_are_five_an_hour() {
    let app = TestApp::start().await;
    let ana = register(&app, "Ana", "arbora").await;
    for _ in 0..4 {
        assert_eq!(
            ana.client
                .post("/email/verification-notification", &json!({}))
                .await
                .status,
            204
        );
    }
    ana.client
        .post("/email/verification-notification", &json!({}))
        .await
        .refused(429, "request.rate_limited");
    assert_eq!(mails(&app, &ana.email, "confirm_email").await, 5);
    // The newest link is still good: a refused request changed nothing.
    let tail = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    assert_eq!(confirm(&app, &tail).await.ok()["state"], "confirmed");
}

#[actix_web::test]
async fn one_address_registers_once_even_at_once() {
    let app = TestApp::start().await;
    let all = (0..6).map(|_| {
        let stranger = app.anonymous();
        async move {
            stranger
                .post("/auth/register/arbora", &form("Ana da Silva", "ana@example.com"))
                .await
                .status
        }
    });
    let mut answers = futures_util::future::join_all(all).await;
    answers.sort_unstable();
    assert_eq!(answers.iter().filter(|s| **s == 200).count(), 1, "{answers:?}");
    assert_eq!(accounts(&app).await, 2);
}

#[actix_web::test]
async fn a_mailbox_is_one_however_its_address_is_spelled() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let post = async |email: &str| {
        let body = form("Ana da Silva", email);
        app.anonymous().post("/auth/register/arbora", &body).await
    };
    post("Ana@exämple.example").await.ok();
    let kept: (String, String) =
        sqlx::query_as("SELECT email, email_key FROM identity.account WHERE NOT is_house")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(
        kept,
        (
            "Ana@xn--exmple-cua.example".to_owned(),
            "ana@xn--exmple-cua.example".to_owned()
        )
    );
    for same in [
        "ana@xn--exmple-cua.example",
        "ANA@EXÄMPLE.example",
        "ana@exa\u{308}mple.example",
        "ana@exämple．example",
    ] {
        post(same).await.refused(422, "email.taken");
        let reply = super::people::login(&app, same, super::people::PASSWORD).await;
        assert_eq!(reply.status, 200, "{same}: {}", reply.body);
    }
    // No server takes mail for these.
    for bad in ["joão@exemplo.com", "ａｎａ@exemplo.com", "ana@exemplo_a.com"] {
        post(bad).await.refused(422, "email.invalid");
    }
}

/// Addresses that stood with letters beyond ASCII in their domain are brought to the one form.
#[actix_web::test]
async fn addresses_that_stood_in_another_form_are_brought_to_one() {
    let app = TestApp::start().await;
    let people = [
        app.user("ana").await,
        app.user("bea").await,
        app.user("caio").await,
        app.user("dora").await,
    ];
    for (person, email, key) in [
        (&people[0], "Ana@Exämple.Example", "ana@exämple.example"),
        (&people[1], "bea@例え.テスト.example", "bea@例え.テスト.example"),
        (&people[2], "caio@straße.example", "caio@straße.example"),
        (&people[3], "dora@ＥＸＡＭＰＬＥ。com", "dora@ｅｘａｍｐｌｅ。com"),
    ] {
        sqlx::query("UPDATE identity.account SET email = $2, email_key = $3 WHERE id = $1")
            .bind(person.user.0)
            .bind(email)
            .bind(key)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    let change = include_str!("../../../../migrations/0113_identity_one_mailbox.sql");
    for _ in 0..2 {
        sqlx::raw_sql(change).execute(&app.sql).await.unwrap();
        for (person, typed) in [
            (&people[0], "Ana@Exämple.Example"),
            (&people[1], "bea@例え.テスト.example"),
            (&people[2], "caio@straße.example"),
            (&people[3], "dora@example.com"),
        ] {
            let (email, key): (String, String) =
                sqlx::query_as("SELECT email, email_key FROM identity.account WHERE id = $1")
                    .bind(person.user.0)
                    .fetch_one(&app.sql)
                    .await
                    .unwrap();
            let read = server::foundation::mail::address::read(typed).unwrap();
            assert_eq!(
                (email, key),
                (read, server::foundation::mail::address::key(typed)),
                "{typed}"
            );
        }
    }
}
