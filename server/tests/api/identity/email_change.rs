//! Another e-mail by the owner's hand, confirmed at both addresses.

use super::people::{
    OTHER_PASSWORD, PASSWORD, Person, app_factor, lift_caps, link, login, mail, mails, member, security_code,
};
use crate::{
    kit::{ADMINISTRATOR, Client, Reply, TestApp, live::Live},
    staff_people::{edit, move_mailbox},
};
use reqwest::Method;
use serde_json::{Value, json};
use server::identity::{service, signals::Signals};
use time::Duration;

const NEW: &str = "ana@nova.example";

async fn me(client: &Client) -> Value {
    client.get("/me").await.ok()["user"].take()
}

async fn ask_with(app: &TestApp, person: &Person, email: &str, more: Value) -> Reply {
    let code = security_code(app, person, "change-account-data").await;
    let mut body = json!({ "email": email, "password": PASSWORD, "securityCode": code });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    person.client.post("/me/email", &body).await
}

/// Asks for another e-mail; the tokens of both links.
async fn asked(app: &TestApp, person: &Person, email: &str) -> (String, String) {
    let reply = ask_with(app, person, email, json!({})).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    (
        link(app, &person.email, "email_change_link", "/change-email/").await,
        link(app, email, "email_change_link", "/change-email/").await,
    )
}

/// The whole of it.
pub async fn moved(app: &TestApp, person: &Person, email: &str) {
    let tokens = asked(app, person, email).await;
    for token in [&tokens.0, &tokens.1] {
        confirm(app, token).await.ok();
    }
}

async fn look(app: &TestApp, token: &str) -> Reply {
    app.anonymous().get(&format!("/email/change/{token}")).await
}

/// As the page's button does.
async fn confirm(app: &TestApp, token: &str) -> Reply {
    let stranger = app.anonymous();
    let request = stranger.request(Method::POST, &format!("/email/change/{token}"));
    stranger.send(request.header("X-Arbora", "1")).await
}

/// Both links are dead, and nothing has changed.
#[track_caller]
fn dead(replies: [Reply; 2]) {
    for reply in replies {
        reply.refused(422, "link.change_invalid");
    }
}

async fn both(app: &TestApp, tokens: &(String, String)) -> [Reply; 2] {
    [confirm(app, &tokens.0).await, confirm(app, &tokens.1).await]
}

#[actix_web::test]
async fn both_addresses_say_yes_before_anything_changes() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let elsewhere = app.another_session(&ana.client).await;
    let reset = {
        app.anonymous()
            .post("/forgot-password", &json!({ "email": ana.email }))
            .await;
        link(&app, &ana.email, "reset_password", "/reset-password/").await
    };
    let mut live = Live::open(&app, &ana.client).await;
    live.subscribe(&format!("user:{}", ana.client.user)).await;
    let (old, new) = asked(&app, &ana, NEW).await;
    assert_eq!(live.fact("user.changed").await["event"]["reason"], "email_change");
    assert_ne!(old, new);
    // The one that comes may be a stranger's: it reads neither how to freeze the account nor the other address.
    let to_new = mail(&app, NEW, "email_change_link").await;
    assert!(
        !to_new.contains("/freeze/") && !to_new.contains(&ana.email),
        "{to_new}"
    );
    assert!(
        mail(&app, &ana.email, "email_change_link")
            .await
            .contains("/freeze/")
    );
    let waits = me(&ana.client).await["emailChange"].take();
    assert_eq!(
        (&waits["email"], &waits["oldConfirmed"], &waits["newConfirmed"]),
        (&json!("a***@nova.example"), &json!(false), &json!(false))
    );

    // Opening changes nothing; neither does a call that is not our page's.
    let opened = json!({ "side": "old", "email": "a***@nova.example", "done": false, "changed": false });
    assert_eq!(look(&app, &old).await.ok(), opened);
    let plain = app
        .anonymous()
        .send(
            app.anonymous()
                .request(Method::POST, &format!("/email/change/{old}")),
        )
        .await;
    assert_eq!(plain.ok(), opened);
    assert_eq!(look(&app, &new).await.ok()["side"], "new");

    let first = confirm(&app, &new).await.ok();
    assert_eq!(
        (&first["side"], &first["done"], &first["changed"]),
        (&json!("new"), &json!(true), &json!(false))
    );
    // Twice by the same side is once.
    assert_eq!(confirm(&app, &new).await.ok()["changed"], false);
    let waits = me(&ana.client).await;
    assert_eq!(
        (&waits["email"], &waits["emailChange"]["newConfirmed"]),
        (&json!(ana.email), &json!(true))
    );
    assert_eq!(login(&app, NEW, PASSWORD).await.status, 401);

    let second = confirm(&app, &old).await.ok();
    assert_eq!(
        (&second["side"], &second["done"], &second["changed"]),
        (&json!("old"), &json!(true), &json!(true))
    );
    // Who asked stays signed in, nobody else does; money waits.
    let now = me(&ana.client).await;
    assert_eq!(
        (&now["email"], &now["emailConfirmed"], &now["emailChange"]),
        (&json!(NEW), &json!(true), &Value::Null)
    );
    assert_eq!(now["hold"]["reason"], "email");
    elsewhere.get("/me").await.refused(401, "auth.unauthenticated");
    login(&app, &ana.email, PASSWORD)
        .await
        .refused(401, "auth.failed");
    assert_eq!(login(&app, NEW, PASSWORD).await.status, 200);
    for address in [ana.email.as_str(), NEW] {
        assert!(
            mail(&app, address, "safety_changed").await.contains("/freeze/"),
            "{address}"
        );
    }
    // What lay in the old mailbox is dead; opened again the links say what became of it.
    let body = json!({ "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD });
    app.anonymous()
        .post(&format!("/redefine-password/{reset}"), &body)
        .await
        .refused(422, "link.invalid");
    for token in [&old, &new] {
        assert_eq!(look(&app, token).await.ok()["changed"], true);
        assert_eq!(confirm(&app, token).await.ok()["changed"], true);
    }
    let kept: Vec<(String, Value)> = sqlx::query_as(
        "SELECT action, details FROM foundation.audit WHERE action LIKE 'auth.email_change%' ORDER BY id",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        kept,
        [
            ("auth.email_change_asked".to_owned(), json!({})),
            ("auth.email_change_confirmed".to_owned(), json!({ "side": "new" })),
            ("auth.email_changed".to_owned(), json!({})),
        ]
    );
}

#[actix_web::test]
async fn asking_takes_the_password_and_the_codes() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, bia) = (
        member(&app, "Ana", "arbora").await,
        member(&app, "Bia", "arbora").await,
    );
    let refuse = async |email: &str, more: Value, status: u16, code: &str| {
        ask_with(&app, &ana, email, more).await.refused(status, code);
    };
    refuse("ana@nowhere", json!({}), 422, "email.invalid").await;
    refuse("ANA@example.com", json!({}), 409, "request.conflict").await;
    refuse(NEW, json!({ "password": OTHER_PASSWORD }), 422, "password.wrong").await;
    refuse(NEW, json!({ "securityCode": "" }), 422, "code.missing").await;
    refuse(NEW, json!({ "code": "123456" }), 422, "request.invalid").await;
    refuse(&bia.email, json!({}), 422, "email.taken").await;
    assert_eq!(me(&ana.client).await["emailChange"], Value::Null);
    let (phone, _) = app_factor(&app, &ana).await;
    let code = security_code(&app, &ana, "change-account-data").await;
    let body = json!({ "email": NEW, "password": PASSWORD, "securityCode": code });
    let reply = ana.client.post("/me/email", &body).await;
    reply.refused(422, "code.missing");
    assert!(reply.body["errors"]["appCode"].is_array(), "{}", reply.body);
    // The step of the app that switched it on is spent.
    app.clock.advance(Duration::seconds(30));
    let ana = Person {
        client: app.renew(&ana.client),
        ..ana
    };
    let more = json!({ "appCode": phone.code(&app) });
    let reply = ask_with(&app, &ana, NEW, more).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    assert_eq!(mails(&app, NEW, "email_change_link").await, 1);
}

#[actix_web::test]
async fn the_newest_request_counts_and_may_be_taken_back() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let first = asked(&app, &ana, NEW).await;
    confirm(&app, &first.1).await.ok();
    let other = "ana@outra.example";
    let second = asked(&app, &ana, other).await;
    dead(both(&app, &first).await);
    assert_eq!(
        me(&ana.client).await["emailChange"]["newConfirmed"],
        false,
        "a yes to another address is none"
    );
    assert_eq!(ana.client.delete("/me/email").await.status, 204);
    assert_eq!(ana.client.delete("/me/email").await.status, 204);
    dead(both(&app, &second).await);
    assert_eq!(me(&ana.client).await["emailChange"], Value::Null);

    // And none after a day.
    let third = asked(&app, &ana, NEW).await;
    confirm(&app, &third.0).await.ok();
    app.clock.advance(Duration::hours(24));
    let late = app.renew(&ana.client);
    dead(both(&app, &third).await);
    let now = me(&late).await;
    assert_eq!(
        (&now["email"], &now["emailChange"]),
        (&json!(ana.email), &Value::Null)
    );
    look(&app, "nobody").await.refused(422, "link.change_invalid");
}

#[actix_web::test]
async fn whoever_is_in_doubt_ends_it() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (rui, leo) = (app.admin("rui").await, app.admin("leo").await);
    let none = Signals::default();

    let ana = member(&app, "Ana", "arbora").await;
    let tokens = asked(&app, &ana, NEW).await;
    confirm(&app, &tokens.1).await.ok();
    let freeze = link(&app, &ana.email, "email_change_link", "/freeze/").await;
    let page = format!("http://{}/freeze/{freeze}", app.address);
    let done = reqwest::Client::new().post(&page).send().await.unwrap();
    assert_eq!(done.status(), 200);
    dead(both(&app, &tokens).await);

    let bia = member(&app, "Bia", "arbora").await;
    let tokens = asked(&app, &bia, "bia@nova.example").await;
    service::set_status(&app.context, &none, rui.user, bia.client.user, false, "pediu")
        .await
        .unwrap();
    dead(both(&app, &tokens).await);
    service::set_status(&app.context, &none, rui.user, bia.client.user, true, "voltou")
        .await
        .unwrap();
    dead(both(&app, &tokens).await);

    let caio = member(&app, "Caio", "arbora").await;
    let tokens = asked(&app, &caio, "caio@nova.example").await;
    app.anonymous()
        .post("/forgot-password", &json!({ "email": caio.email }))
        .await;
    let reset = link(&app, &caio.email, "reset_password", "/reset-password/").await;
    let body = json!({ "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD });
    let done = app
        .anonymous()
        .post(&format!("/redefine-password/{reset}"), &body)
        .await;
    assert_eq!(done.status, 204, "{}", done.body);
    dead(both(&app, &tokens).await);

    let davi = member(&app, "Davi", "arbora").await;
    let tokens = asked(&app, &davi, "davi@nova.example").await;
    move_mailbox(&rui, &leo, &davi.client, "davi@staff.example").await;
    dead(both(&app, &tokens).await);

    let eva = member(&app, "Eva", "arbora").await;
    let tokens = asked(&app, &eva, "eva@nova.example").await;
    let code = security_code(&app, &eva, "change-password").await;
    let body = json!({ "currentPassword": PASSWORD, "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD, "securityCode": code });
    assert_eq!(eva.client.post("/me/change-password", &body).await.status, 204);
    dead(both(&app, &tokens).await);
}

#[actix_web::test]
async fn an_address_that_somebody_took_meanwhile_ends_it() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let tokens = asked(&app, &ana, "bia@example.com").await;
    confirm(&app, &tokens.1).await.ok();
    member(&app, "Bia", "arbora").await;
    confirm(&app, &tokens.0).await.refused(422, "email.taken");
    let now = me(&ana.client).await;
    assert_eq!(
        (&now["email"], &now["emailChange"]),
        (&json!(ana.email), &Value::Null)
    );
    dead(both(&app, &tokens).await);
}

/// Who decides about money does not move their own mailbox alone: neither at the asking nor by a request from before.
#[actix_web::test]
async fn who_decides_does_not_change_their_own_address_alone() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let give = async |person: &Person| {
        sqlx::query("INSERT INTO identity.account_role (account, role, granted_at) SELECT $1, id, now() FROM identity.role WHERE name = $2")
            .bind(person.client.user.0)
            .bind(ADMINISTRATOR)
            .execute(&app.sql)
            .await
            .unwrap();
    };
    let ana = member(&app, "Ana", "arbora").await;
    let tokens = asked(&app, &ana, NEW).await;
    confirm(&app, &tokens.1).await.ok();
    give(&ana).await;
    confirm(&app, &tokens.0).await.refused(403, "email.by_two");
    let now = me(&ana.client).await;
    assert_eq!(
        (&now["email"], &now["emailChange"]),
        (&json!(ana.email), &Value::Null)
    );
    dead(both(&app, &tokens).await);
    // No code is spent on what is refused anyway.
    ask_with(&app, &ana, NEW, json!({ "password": "x", "securityCode": "x" }))
        .await
        .refused(403, "email.by_two");

    // The way that there is: another asks, and a third agrees.
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let waits = edit(&rui, &ana.client, json!({ "email": NEW })).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    let request = waits.body["request"].clone();
    crate::staff_people::approve(&ana.client, &request)
        .await
        .refused(403, "roles.own");
    assert_eq!(
        crate::staff_people::approve(&eva, &request).await.ok()["status"],
        "done"
    );
}

#[actix_web::test]
async fn requests_are_bounded() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    for number in 0..5 {
        let reply = ask_with(&app, &ana, &format!("a{number}@nova.example"), json!({})).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
    }
    let reply = ask_with(&app, &ana, NEW, json!({})).await;
    reply.refused(429, "request.rate_limited");
    assert!(reply.headers.contains_key("retry-after"));
    assert_eq!(mails(&app, NEW, "email_change_link").await, 0);
}
