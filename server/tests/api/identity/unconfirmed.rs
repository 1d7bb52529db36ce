//! The first minutes: an address that is not confirmed yet, or was mistyped; the help that there is until then; the password's judge.

use super::people::{
    OTHER_PASSWORD, PASSWORD, Person, confirm, form, lift_caps, link, login, mails, member, register,
};
use crate::kit::{Reply, STORE_EMPLOYEE, TestApp, live::Live};
use serde_json::{Value, json};
use time::Duration;

async fn correct(person: &Person, email: &str, password: &str) -> Reply {
    let body = json!({"email": email, "password": password});
    person.client.post("/email/correction", &body).await
}

async fn me(person: &Person) -> Value {
    person.client.get("/me").await.ok()["user"].take()
}

#[actix_web::test]
async fn a_mistyped_address_is_corrected_and_what_was_mailed_there_ends() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let mut ana = register(&app, "Ana", "arbora").await;
    let wrong = ana.email.clone();
    let confirmation = link(&app, &wrong, "confirm_email", "/verify-email/").await;
    // Whoever has that mailbox asks for a new password, too.
    app.anonymous()
        .post("/forgot-password", &json!({"email": wrong}))
        .await;
    let reset = link(&app, &wrong, "reset_password", "/reset-password/").await;
    let mut live = Live::open(&app, &ana.client).await;
    live.subscribe(&format!("user:{}", ana.client.user)).await;

    correct(&ana, "ana@right.example", OTHER_PASSWORD)
        .await
        .refused(422, "password.wrong");
    correct(&ana, "ana@nowhere", PASSWORD)
        .await
        .refused(422, "email.invalid");
    assert_eq!(me(&ana).await["email"], wrong, "nothing changed so far");
    let done = correct(&ana, "Ana@Right.example", PASSWORD).await;
    assert_eq!(done.status, 204, "{}", done.body);
    assert_eq!(live.fact("user.changed").await["event"]["reason"], "email");
    ana.email = "Ana@right.example".into();
    assert_eq!(me(&ana).await["email"], ana.email);

    confirm(&app, &confirmation)
        .await
        .refused(422, "link.confirmation_invalid");
    let new = json!({"password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD});
    app.anonymous()
        .post(&format!("/redefine-password/{reset}"), &new)
        .await
        .refused(422, "link.invalid");
    login(&app, &wrong, PASSWORD).await.refused(401, "auth.failed");
    assert_eq!(login(&app, "ana@right.example", PASSWORD).await.status, 200);
    let audit: Vec<(String, Value)> =
        sqlx::query_as("SELECT action, details FROM foundation.audit WHERE action = 'auth.email_corrected'")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(audit, [("auth.email_corrected".to_owned(), json!({}))]);
    let link = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    assert_eq!(confirm(&app, &link).await.ok()["state"], "confirmed");
    assert_eq!(
        live.closed().await,
        4003,
        "other rights: the page asks again who it is"
    );
    assert_eq!(me(&ana).await["emailConfirmed"], true);
    correct(&ana, "ana@third.example", PASSWORD)
        .await
        .refused(409, "request.conflict");
    assert_eq!(mails(&app, "ana@third.example", "confirm_email").await, 0);
}

#[actix_web::test]
async fn corrections_are_bounded_and_tell_little_of_others() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let bia = member(&app, "Bia", "arbora").await;
    let ana = register(&app, "Ana", "arbora").await;
    let taken = correct(&ana, " BIA@example.com", PASSWORD).await;
    taken.refused(422, "email.taken");
    assert!(taken.body["errors"]["email"].is_array(), "{}", taken.body);
    assert_eq!(
        me(&bia).await["email"],
        bia.email,
        "and nothing changed for its owner"
    );
    for n in 0..4 {
        assert_eq!(
            correct(&ana, &format!("ana{n}@example.com"), PASSWORD)
                .await
                .status,
            204
        );
    }
    let sixth = correct(&ana, "ana5@example.com", PASSWORD).await;
    sixth.refused(429, "request.rate_limited");
    assert_eq!(mails(&app, "ana5@example.com", "confirm_email").await, 0);
    let cia = register(&app, "Cia", "arbora").await;
    // What a registration may learn of taken addresses, an hour and place, is learnt here too.
    for _ in 0..4 {
        app.anonymous()
            .post("/auth/register/arbora", &form("Cia", "bia@example.com"))
            .await
            .refused(422, "email.taken");
    }
    app.anonymous()
        .post("/auth/register/arbora", &form("Dia", "bia@example.com"))
        .await
        .refused(429, "request.rate_limited");
    correct(&cia, "bia@example.com", PASSWORD)
        .await
        .refused(429, "request.rate_limited");
}

#[actix_web::test]
async fn support_is_open_to_who_has_not_confirmed_an_address() {
    let app = TestApp::start().await;
    let ana = register(&app, "Ana", "arbora").await;
    let agent = app.person("rita", STORE_EMPLOYEE).await;
    let new = json!({"subject": "O e-mail não chega", "description": "Nada até agora.", "category": "account_data"});
    let ticket = ana.client.post("/support/open-ticket", &new).await.ok();
    let id = ticket["ticket"]["_id"].as_str().unwrap().to_owned();
    let list = ana.client.get("/support/list-tickets-user/").await.ok();
    assert_eq!(list["meta"]["total"], 1);
    let mut live = Live::open(&app, &ana.client).await;
    live.subscribe(&format!("ticket:{id}")).await;
    let say = |who: &crate::kit::Client, text: &str| {
        let (who, body) = (who.clone(), json!({"ticketId": id, "text": text}));
        async move { who.post("/support/ticket-response", &body).await }
    };
    say(&agent, "Qual é o endereço?").await.ok();
    assert_eq!(
        live.fact("ticket.message").await["event"]["message"]["text"],
        "Qual é o endereço?"
    );
    let path = format!("/support/get-ticket-user/{id}");
    assert_eq!(
        ana.client.get(&path).await.ok()["messages"]
            .as_array()
            .unwrap()
            .len(),
        2
    );

    ana.client
        .post("/support/open-ticket", &new)
        .await
        .refused(409, "ticket.one_open");
    say(&ana.client, "ana@example.com").await.ok();
    say(&ana.client, "Alô?").await.ok();
    let fourth = say(&ana.client, "Alô??").await;
    fourth.refused(429, "request.rate_limited");
    let wait: i64 = fourth.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((3_000..=3_601).contains(&wait), "{wait}");
    // Closing it opens no way around.
    let close = format!("/support/close-ticket/{id}");
    assert_eq!(ana.client.post(&close, &json!({})).await.status, 200);
    ana.client
        .post("/support/open-ticket", &new)
        .await
        .refused(429, "request.rate_limited");
    app.clock.advance(Duration::minutes(61));
    let ana = Person {
        client: app.renew(&ana.client),
        ..ana
    };
    ana.client.post("/support/open-ticket", &new).await.ok();
    say(&ana.client, "Ainda este")
        .await
        .refused(409, "ticket.one_open");
    // Nothing else is open, and nothing of it is left once the address is confirmed.
    let reply = ana
        .client
        .upload(
            &format!("/support/upload-image/{id}"),
            "a.png",
            "image/png",
            vec![1],
        )
        .await;
    reply.refused(403, "auth.email_unconfirmed");
    for path in ["/support/subjects", "/notifications", "/get-user-licenses"] {
        ana.client.get(path).await.refused(403, "auth.email_unconfirmed");
    }
    let tail = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    assert_eq!(confirm(&app, &tail).await.ok()["state"], "confirmed");
    for _ in 0..5 {
        ana.client.post("/support/open-ticket", &new).await.ok();
    }
}

#[actix_web::test]
async fn a_ticket_that_comes_twice_at_once_is_one() {
    let app = TestApp::start().await;
    let ana = register(&app, "Ana", "arbora").await;
    let new = json!({"subject": "Olá", "description": "Nada.", "category": "other", "clientId": uuid::Uuid::now_v7()});
    let both =
        futures_util::future::join_all((0..2).map(|_| ana.client.post("/support/open-ticket", &new))).await;
    assert!(both.iter().all(|r| r.status == 200), "{both:?}");
    assert_eq!(both[0].body["ticket"]["_id"], both[1].body["ticket"]["_id"]);
}

#[actix_web::test]
async fn a_password_is_judged_as_the_call_that_sets_it_does() {
    let app = TestApp::start().await;
    let stranger = app.anonymous();
    let judge = |body: Value| {
        let stranger = stranger.clone();
        async move { stranger.post("/auth/password-strength", &body).await.ok() }
    };
    assert_eq!(
        judge(json!({"password": "12345678"})).await,
        json!({"score": 0, "acceptable": false})
    );
    assert_eq!(
        judge(json!({"password": PASSWORD})).await,
        json!({"score": 4, "acceptable": true})
    );
    assert_eq!(
        judge(json!({"password": "kX9#pT2!".repeat(17)})).await["acceptable"],
        false,
        "longer than is taken"
    );
    assert_eq!(judge(json!({"password": ""})).await["acceptable"], false);
    let mut weak = form("Bia da Silva", "bia@example.com");
    weak["password"] = json!("biadasilva");
    weak["password_confirmation"] = json!("biadasilva");
    stranger
        .post("/auth/register/arbora", &weak)
        .await
        .refused(422, "password.weak");
    let words = json!({"password": "biadasilva", "email": "bia@example.com", "fullName": "Bia da Silva", "username": "bia7"});
    assert_eq!(judge(words).await["acceptable"], false);
    // A link's account counts without being told.
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    stranger
        .post("/forgot-password", &json!({"email": ana.email}))
        .await;
    let token = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    let own = "anadasilva ana@example";
    let with = judge(json!({"password": own, "link": token})).await;
    let without = judge(json!({"password": own})).await;
    assert!(
        with["score"].as_u64() < without["score"].as_u64(),
        "{with} {without}"
    );
    let redefined = json!({"password": own, "password_confirmation": own});
    let reply = stranger
        .post(&format!("/redefine-password/{token}"), &redefined)
        .await;
    assert_eq!(with["acceptable"], reply.status == 204);
    stranger
        .post(
            "/auth/password-strength",
            &json!({"password": "x", "admin": true}),
        )
        .await
        .refused(422, "request.invalid");
}
