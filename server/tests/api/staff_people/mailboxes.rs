//! Whose mailbox it is, is whose account it is: nobody moves it alone, the one before takes it back, and who stands near keeps away.

use super::{approve, edit, move_mailbox, view};
use crate::{
    deciders::sponsor,
    identity::{
        people::{
            OTHER_PASSWORD, PASSWORD, Person, confirm, lift_caps, link, login, mail, mails, member, register,
            signed_in,
        },
        roles::{add, remove, role},
    },
    kit::{ADMINISTRATOR, Client, Reply, TestApp},
    pix::png,
};
use serde_json::{Value, json};
use time::Duration;

const NEW: &str = "ana@nova.example";

async fn forgot(app: &TestApp, email: &str) {
    let asked = app
        .anonymous()
        .post("/forgot-password", &json!({ "email": email }))
        .await;
    assert_eq!(asked.status, 200, "{}", asked.body);
}

/// A password by the newest link in a mailbox.
async fn reset(app: &TestApp, token: &str, password: &str) -> Reply {
    let body = json!({ "password": password, "password_confirmation": password });
    app.anonymous()
        .post(&format!("/redefine-password/{token}"), &body)
        .await
}

async fn freeze(app: &TestApp, token: &str) -> String {
    let page = format!("http://{}/freeze/{token}", app.address);
    let done = reqwest::Client::new()
        .post(&page)
        .header("Accept-Language", "en")
        .send()
        .await
        .unwrap();
    assert_eq!(done.status(), 200);
    done.text().await.unwrap()
}

/// Signed in with a password that was set by the new mailbox.
async fn through_the_new_mailbox(app: &TestApp) -> Person {
    forgot(app, NEW).await;
    let token = link(app, NEW, "reset_password", "/reset-password/").await;
    assert_eq!(reset(app, &token, OTHER_PASSWORD).await.status, 204);
    let reply = login(app, NEW, OTHER_PASSWORD).await;
    signed_in(app, &reply, NEW, OTHER_PASSWORD)
}

/// Whoever knows the password has not shown that they read at the new address: staff may have moved the account away from just them.
#[actix_web::test]
async fn the_password_of_before_opens_nothing_after_staff_moved_the_mailbox() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    move_mailbox(&root, &eva, &ana.client, NEW).await;
    // Confirmed or not.
    login(&app, NEW, PASSWORD)
        .await
        .refused(403, "auth.password_ended");
    login(&app, NEW, OTHER_PASSWORD).await.refused(401, "auth.failed");
    assert_eq!(view(&root, &ana.client).await["passwordEnded"], true);
    let told = mail(&app, NEW, "confirm_email").await;
    assert!(told.contains("Esqueci minha senha"), "{told}");
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("anulou a senha")
    );
    let tail = link(&app, NEW, "confirm_email", "/verify-email/").await;
    assert_eq!(confirm(&app, &tail).await.body["state"], "confirmed");
    login(&app, NEW, PASSWORD)
        .await
        .refused(403, "auth.password_ended");
    let opened: i64 =
        sqlx::query_scalar("SELECT count(*) FROM identity.session WHERE account = $1 AND ended_at IS NULL")
            .bind(ana.client.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(opened, 0);
    let written: Value = sqlx::query_scalar(
        "SELECT details FROM foundation.audit WHERE subject = $1 AND action = 'user.email'",
    )
    .bind(ana.client.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(written, json!({ "passwordEnded": true }));
    // Another one than before, by the new mailbox; it opens, and opens again.
    forgot(&app, NEW).await;
    let token = link(&app, NEW, "reset_password", "/reset-password/").await;
    reset(&app, &token, PASSWORD).await.refused(422, "password.same");
    assert_eq!(reset(&app, &token, OTHER_PASSWORD).await.status, 204);
    let reply = login(&app, NEW, OTHER_PASSWORD).await;
    let again = signed_in(&app, &reply, NEW, OTHER_PASSWORD);
    assert_eq!(again.client.get("/me").await.ok()["user"]["emailConfirmed"], true);
    assert_eq!(view(&root, &ana.client).await["passwordEnded"], false);
    login(&app, NEW, OTHER_PASSWORD).await.ok();
}

#[actix_web::test]
async fn one_alone_moves_no_customers_mailbox() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    assert_eq!(view(&root, &ana.client).await["emailByTwo"], true);
    let waits = edit(&root, &ana.client, json!({ "email": NEW })).await;
    assert_eq!(
        (
            waits.status,
            &waits.body["request"]["before"],
            &waits.body["request"]["after"]
        ),
        (202, &json!(ana.email), &json!(NEW)),
        "{}",
        waits.body
    );
    approve(&root, &waits.body["request"])
        .await
        .refused(409, "decision.same_person");
    assert_eq!(
        ana.client.get("/me").await.ok()["user"]["email"],
        json!(ana.email)
    );
    assert_eq!(mails(&app, NEW, "confirm_email").await, 0);
    approve(&eva, &waits.body["request"]).await.ok();
    let again = through_the_new_mailbox(&app).await;
    let me = again.client.get("/me").await.ok()["user"].take();
    assert_eq!(me["hold"]["reason"], "staff_email");
    let until: time::OffsetDateTime = serde_json::from_value::<String>(me["hold"]["until"].clone())
        .map(|text| {
            time::OffsetDateTime::parse(&text, &time::format_description::well_known::Rfc3339).unwrap()
        })
        .unwrap();
    assert!(until - app.context.now() > Duration::hours(71), "{until}");
    // Its password puts no other address in the place of the one that two chose.
    again
        .client
        .post(
            "/email/correction",
            &json!({ "email": "ladra@example.com", "password": OTHER_PASSWORD }),
        )
        .await
        .refused(403, "email.by_staff");
}

/// Somebody who registered with a mistyped address and lost the session: one person helps, and the stranger who has that mailbox gets nothing.
#[actix_web::test]
async fn an_address_that_nobody_confirmed_is_put_right_by_one() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let ana = register(&app, "Ana", "arbora").await;
    assert_eq!(view(&root, &ana.client).await["emailByTwo"], false);
    assert_eq!(
        edit(&root, &ana.client, json!({ "email": NEW })).await.status,
        200
    );
    assert_eq!(mails(&app, &ana.email, "safety_changed").await, 0);
    let kept: i64 =
        sqlx::query_scalar("SELECT count(*) FROM identity.link WHERE account = $1 AND mailbox = $2")
            .bind(ana.client.user.0)
            .bind(&ana.email)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(kept, 0);
    // Whoever reads the mistyped one may have set the password: it opens nothing either.
    login(&app, NEW, PASSWORD)
        .await
        .refused(403, "auth.password_ended");
    // Nothing keeps the mistyped one from whose it is.
    register(&app, "Ana", "arbora").await;
    let tail = link(&app, NEW, "confirm_email", "/verify-email/").await;
    assert_eq!(confirm(&app, &tail).await.body["state"], "confirmed");
    assert_eq!(view(&root, &ana.client).await["emailByTwo"], true);
}

#[actix_web::test]
async fn the_mailbox_before_takes_the_account_back() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    move_mailbox(&root, &eva, &ana.client, NEW).await;
    let own = link(&app, &ana.email, "safety_changed", "/freeze/").await;
    let confirmation = link(&app, NEW, "confirm_email", "/verify-email/").await;
    // Whoever has the other mailbox gets in.
    forgot(&app, NEW).await;
    let token = link(&app, NEW, "reset_password", "/reset-password/").await;
    assert_eq!(reset(&app, &token, OTHER_PASSWORD).await.status, 204);
    let reply = login(&app, NEW, OTHER_PASSWORD).await;
    let thief = signed_in(&app, &reply, NEW, OTHER_PASSWORD);
    let theirs = link(&app, NEW, "safety_changed", "/freeze/").await;

    let page = freeze(&app, &own).await;
    assert!(
        page.contains("Its e-mail is the address that got this link again"),
        "{page}"
    );
    assert_eq!(thief.client.get("/me").await.status, 401);
    login(&app, NEW, OTHER_PASSWORD).await.refused(401, "auth.failed");
    login(&app, &ana.email, OTHER_PASSWORD)
        .await
        .refused(403, "auth.frozen");
    confirm(&app, &confirmation)
        .await
        .refused(422, "link.confirmation_invalid");
    let told = mail(&app, NEW, "address_given_back").await;
    assert!(!told.contains("/freeze/") && !told.contains(&ana.email), "{told}");
    mail(&app, &ana.email, "frozen").await;
    // No reset reaches the other mailbox; the owner's does.
    let before = mails(&app, NEW, "reset_password").await;
    forgot(&app, NEW).await;
    forgot(&app, &ana.email).await;
    let token = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    assert_eq!(reset(&app, &token, PASSWORD).await.status, 204);
    assert_eq!(mails(&app, NEW, "reset_password").await, before);
    let reply = login(&app, &ana.email, PASSWORD).await;
    let again = signed_in(&app, &reply, &ana.email, PASSWORD);
    let me = again.client.get("/me").await.ok()["user"].take();
    assert_eq!(
        (&me["email"], &me["emailConfirmed"], &me["hold"]["reason"]),
        (&json!(ana.email), &json!(true), &json!("frozen"))
    );
    // What lies in the other mailbox freezes, as any warning does, and moves nothing.
    let page = freeze(&app, &theirs).await;
    assert!(
        page.contains("Account frozen") && !page.contains("got this link again"),
        "{page}"
    );
    assert_eq!(view(&root, &ana.client).await["email"], json!(ana.email));
}

#[actix_web::test]
async fn a_reset_that_waits_in_the_other_mailbox_is_void() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    move_mailbox(&root, &eva, &ana.client, NEW).await;
    forgot(&app, NEW).await;
    let token = link(&app, NEW, "reset_password", "/reset-password/").await;
    freeze(&app, &link(&app, &ana.email, "safety_changed", "/freeze/").await).await;
    reset(&app, &token, OTHER_PASSWORD)
        .await
        .refused(422, "link.invalid");
    login(&app, &ana.email, OTHER_PASSWORD)
        .await
        .refused(401, "auth.failed");
}

#[actix_web::test]
async fn however_often_it_was_moved_and_by_whomever() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    move_mailbox(&root, &eva, &ana.client, NEW).await;
    let own = link(&app, &ana.email, "safety_changed", "/freeze/").await;
    let tail = link(&app, NEW, "confirm_email", "/verify-email/").await;
    confirm(&app, &tail).await.ok();
    move_mailbox(&root, &eva, &ana.client, "ana@outra.example").await;
    let between = link(&app, NEW, "safety_changed", "/freeze/").await;
    freeze(&app, &own).await;
    assert_eq!(view(&root, &ana.client).await["email"], json!(ana.email));
    freeze(&app, &between).await;
    assert_eq!(view(&root, &ana.client).await["email"], json!(ana.email));
    // Who is helped back to the address before has undone it, too: the mailbox in between brings nothing back.
    let bia = member(&app, "Bia", "arbora").await;
    move_mailbox(&root, &eva, &bia.client, "bia@nova.example").await;
    let tail = link(&app, "bia@nova.example", "confirm_email", "/verify-email/").await;
    confirm(&app, &tail).await.ok();
    move_mailbox(&root, &eva, &bia.client, &bia.email).await;
    let theirs = link(&app, "bia@nova.example", "safety_changed", "/freeze/").await;
    freeze(&app, &theirs).await;
    assert_eq!(view(&root, &bia.client).await["email"], json!(bia.email));
}

/// Whoever asked may be who the account was frozen against: two ask anew.
#[actix_web::test]
async fn a_freeze_ends_what_waits_for_a_second_person() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    forgot(&app, &ana.email).await;
    let token = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    assert_eq!(reset(&app, &token, OTHER_PASSWORD).await.status, 204);
    let warned = link(&app, &ana.email, "safety_changed", "/freeze/").await;
    let waits = edit(&root, &ana.client, json!({ "email": NEW })).await;
    freeze(&app, &warned).await;
    approve(&eva, &waits.body["request"])
        .await
        .refused(409, "decision.done");
    assert_eq!(view(&root, &ana.client).await["email"], json!(ana.email));
    move_mailbox(&root, &eva, &ana.client, NEW).await;
    assert_eq!(view(&root, &ana.client).await["email"], json!(NEW));
}

#[actix_web::test]
async fn an_address_that_was_left_is_kept_a_week_for_its_account() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    move_mailbox(&root, &eva, &ana.client, NEW).await;
    let form = crate::identity::people::form("Outra", &ana.email);
    app.anonymous()
        .post("/auth/register/arbora", &form)
        .await
        .refused(422, "email.taken");
    let bia = member(&app, "Bia", "arbora").await;
    let waits = edit(&root, &bia.client, json!({ "email": ana.email })).await;
    approve(&eva, &waits.body["request"])
        .await
        .refused(422, "email.taken");
    let own = link(&app, &ana.email, "safety_changed", "/freeze/").await;
    app.clock.advance(Duration::days(7));
    assert!(freeze(&app, &own).await.contains("invalid"));
    let reply = app.anonymous().post("/auth/register/arbora", &form).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

/// What an administrator may change of somebody, as requests.
async fn changes(by: &Client, of: &Client) -> Vec<(&'static str, Reply)> {
    let path = |end: &str| format!("/admin/user/{}/{end}", of.user);
    let status = json!({ "status": "inactive", "reason": "x" });
    vec![
        ("name", edit(by, of, json!({ "fullName": "Outro Nome" })).await),
        ("email", edit(by, of, json!({ "email": NEW })).await),
        ("status", edit(by, of, status).await),
        ("sessions", by.delete(&path("sessions")).await),
        (
            "picture",
            by.upload(&path("upload-image"), "a.png", "image/png", png(1))
                .await,
        ),
        ("no picture", by.delete(&path("avatar")).await),
    ]
}

#[actix_web::test]
async fn who_stands_in_the_direct_line_changes_nothing() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (up, down, root) = (
        app.admin("up").await,
        app.admin("down").await,
        app.admin("root").await,
    );
    let ana = member(&app, "Ana", "arbora").await.client;
    sponsor(&app, &ana, &up).await;
    sponsor(&app, &down, &ana).await;
    for by in [&up, &down] {
        for (what, reply) in changes(by, &ana).await {
            assert_eq!(
                (reply.status, reply.code()),
                (403, "decision.own_money"),
                "{what}: {}",
                reply.body
            );
        }
        assert_eq!(view(by, &ana).await["editable"], false);
    }
    // Nor as the second of two; by the database either.
    let waits = edit(&root, &ana, json!({ "email": NEW })).await;
    approve(&up, &waits.body["request"])
        .await
        .refused(403, "decision.own_money");
    let customer: Option<uuid::Uuid> =
        sqlx::query_scalar("SELECT customer FROM approvals.decision WHERE kind = 'admin_grant'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(customer, Some(ana.user.0));
}

/// Fills what one of the staff may cause in an hour.
async fn fill(app: &TestApp, by: &Client) {
    sqlx::query(
        "INSERT INTO identity.failure (scope, at) SELECT 'staff:' || $1, $2 FROM generate_series(1, 60)",
    )
    .bind(by.user.to_string())
    .bind(app.context.now())
    .execute(&app.sql)
    .await
    .unwrap();
}

#[actix_web::test]
async fn no_cap_refuses_what_protects() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva, ana) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.user("ana").await,
    );
    let administrator = [role(&app, ADMINISTRATOR).await];
    fill(&app, &root).await;
    for body in [
        json!({ "fullName": "Outro Nome" }),
        json!({ "email": NEW }),
        json!({ "status": "active", "reason": "x" }),
    ] {
        edit(&root, &ana, body.clone())
            .await
            .refused(429, "request.rate_limited");
    }
    add(&root, &ana, &administrator)
        .await
        .refused(429, "request.rate_limited");
    let off = json!({ "status": "inactive", "reason": "conta tomada" });
    assert_eq!(edit(&root, &ana, off.clone()).await.status, 200);
    let ended: Value = root
        .delete(&format!("/admin/user/{}/sessions", ana.user))
        .await
        .ok();
    assert_eq!(ended["ended"], 1);
    let waits = edit(&root, &eva, off).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    let leo = app.admin("leo").await;
    assert_eq!(remove(&root, &leo, &administrator).await.status, 202);
    root.post(
        "/admin/freezes",
        &json!({ "userId": leo.user, "reason": "conta tomada" }),
    )
    .await
    .ok();
}

/// By the owner's own hand, or that of a thief who reads both mailboxes for an hour.
#[actix_web::test]
async fn also_what_was_moved_by_the_owners_own_hand_is_taken_back() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let ana: Person = member(&app, "Ana", "arbora").await;
    crate::identity::email_change::moved(&app, &ana, NEW).await;
    assert_eq!(view(&root, &ana.client).await["email"], NEW);
    let own = link(&app, &ana.email, "safety_changed", "/freeze/").await;
    freeze(&app, &own).await;
    assert_eq!(view(&root, &ana.client).await["email"], json!(ana.email));
    assert_eq!(ana.client.get("/me").await.status, 401);
    login(&app, NEW, PASSWORD).await.refused(401, "auth.failed");
}
