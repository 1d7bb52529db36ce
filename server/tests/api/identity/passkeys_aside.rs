//! Passkeys that lie aside: after a freeze, and after another e-mail by staff. Neither the mailbox nor the passkey opens the account alone.

use super::{
    passkeys::{add, alone, asked, enter, freeze, left, list},
    people::{
        OTHER_PASSWORD, PASSWORD, Person, app_factor, confirm, lift_caps, link, login, mail, mails, member,
        signed_in,
    },
};
use crate::{
    authenticator::Authenticator,
    kit::{Reply, TestApp},
    staff_people::move_mailbox,
};
use serde_json::{Value, json};
use time::Duration;

/// A password by the newest link in a mailbox; with the app's code where it is on.
async fn reset(app: &TestApp, email: &str, password: &str, app_code: Option<String>) {
    let asked = app
        .anonymous()
        .post("/forgot-password", &json!({ "email": email }))
        .await;
    assert_eq!(asked.status, 200, "{}", asked.body);
    let token = link(app, email, "reset_password", "/reset-password/").await;
    let body = json!({ "password": password, "password_confirmation": password, "appCode": app_code });
    let done = app
        .anonymous()
        .post(&format!("/redefine-password/{token}"), &body)
        .await;
    assert_eq!(done.status, 204, "{}", done.body);
}

/// The second step that a password leads to.
async fn step(app: &TestApp, email: &str, password: &str) -> Value {
    login(app, email, password).await.ok()["twoFactor"].take()
}

/// The second step by what the device shows.
async fn by(app: &TestApp, device: &mut Authenticator, step: &Value) -> Reply {
    let options = asked(app, Some(&step["challenge"])).await.ok();
    enter(app, Some(&step["challenge"]), &device.get(&options)).await
}

async fn aside(app: &TestApp) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM identity.passkey WHERE aside_at IS NOT NULL")
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn a_freeze_takes_no_factor_off_and_the_passkey_comes_back_after_the_new_password() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    alone(&app, &mut phone).await.ok();
    freeze(&app, &ana).await;
    assert_eq!((left(&app).await.0, aside(&app).await), (1, 1));
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
    // Whoever has the mailbox alone sets a password and stands before the factor, as before the freeze.
    reset(&app, &ana.email, OTHER_PASSWORD, None).await;
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
    let asked_for = step(&app, &ana.email, OTHER_PASSWORD).await;
    assert_eq!(asked_for["methods"], json!(["passkey", "recovery"]));
    assert_eq!(asked_for["passkeysAside"], false);
    let mut stranger = Authenticator::new(super::passkeys::PAGE);
    by(&app, &mut stranger, &asked_for)
        .await
        .refused(422, "passkey.refused");
    // The owner has both.
    app.clock.advance(Duration::hours(73));
    let asked_for = step(&app, &ana.email, OTHER_PASSWORD).await;
    let told = mails(&app, &ana.email, "safety_changed").await;
    let reply = by(&app, &mut phone, &asked_for).await;
    let inside = signed_in(&app, &reply, &ana.email, OTHER_PASSWORD);
    assert_eq!(mails(&app, &ana.email, "safety_changed").await, told + 1);
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("volta a abrir")
    );
    let me = inside.client.get("/me").await.ok();
    assert_eq!(
        me["user"]["hold"]["reason"], "passkey",
        "like any change of a factor"
    );
    assert_eq!(list(&inside.client).await[0]["aside"], false);
    assert_eq!(
        me["user"]["twoFactor"],
        json!({ "email": false, "app": false, "passkey": true, "passkeyOpens": true, "recoveryCodesLeft": 10 })
    );
    alone(&app, &mut phone).await.ok();
}

#[actix_web::test]
async fn each_comes_back_by_itself_and_a_strangers_stays_until_it_is_taken_off() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut old = add(&app, &ana, "Antiga").await;
    app.clock.advance(Duration::days(8));
    let client = app.renew(&ana.client);
    let ana = Person { client, ..ana };
    let mut new = add(&app, &ana, "Nova").await;
    let mut theirs = add(&app, &ana, "De ninguém").await;
    alone(&app, &mut old).await.ok();
    freeze(&app, &ana).await;
    // Those of long ago as well: a link that was mailed later may be used.
    assert_eq!(aside(&app).await, 3);
    alone(&app, &mut old).await.refused(422, "passkey.refused");
    alone(&app, &mut theirs).await.refused(422, "passkey.refused");
    reset(&app, &ana.email, OTHER_PASSWORD, None).await;
    for own in [&mut old, &mut new] {
        alone(&app, own).await.refused(422, "passkey.refused");
        let asked_for = step(&app, &ana.email, OTHER_PASSWORD).await;
        by(&app, own, &asked_for).await.ok();
        alone(&app, own).await.ok();
        // A count, and what is asked for in a minute.
        app.clock.advance(Duration::minutes(2));
    }
    let asked_for = step(&app, &ana.email, OTHER_PASSWORD).await;
    let reply = by(&app, &mut new, &asked_for).await;
    let inside = signed_in(&app, &reply, &ana.email, OTHER_PASSWORD);
    let lying: Vec<_> = list(&inside.client)
        .await
        .iter()
        .filter(|one| one["aside"] == true)
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(lying, ["De ninguém"]);
    alone(&app, &mut theirs).await.refused(422, "passkey.refused");
    // In a code's place it is not asked for.
    let asked_for = inside
        .client
        .post("/security-code/passkey", &json!({ "purpose": "change-factor" }))
        .await
        .ok();
    assert_eq!(asked_for["allowCredentials"].as_array().unwrap().len(), 2);
    // The database holds to it, whatever a server does.
    for forced in ["aside_at = NULL, returns_at = NULL", "last_used_at = created_at"] {
        sqlx::query("UPDATE identity.passkey SET returns_at = NULL WHERE aside_at IS NOT NULL")
            .execute(&app.sql)
            .await
            .unwrap();
        let sql = format!("UPDATE identity.passkey SET {forced} WHERE aside_at IS NOT NULL");
        let done = sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&app.sql).await;
        assert!(done.is_err(), "{forced}");
    }
}

#[actix_web::test]
async fn an_app_is_the_way_in_while_passkeys_lie_aside() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let (phone, _) = app_factor(&app, &ana).await;
    app.clock.advance(Duration::minutes(1));
    let begun = json!({ "password": PASSWORD, "code": phone.code(&app) });
    let options = ana.client.post("/me/passkeys/options", &begun).await.ok();
    let mut key = Authenticator::new(super::passkeys::PAGE);
    super::passkeys::keep(&ana, "Chave", &key.create(&options))
        .await
        .ok();
    alone(&app, &mut key).await.ok();
    freeze(&app, &ana).await;
    app.clock.advance(Duration::minutes(1));
    reset(&app, &ana.email, OTHER_PASSWORD, Some(phone.code(&app))).await;
    app.clock.advance(Duration::minutes(1));
    let asked_for = step(&app, &ana.email, OTHER_PASSWORD).await;
    let body = json!({ "challenge": asked_for["challenge"], "method": "app", "code": phone.code(&app) });
    let reply = app.anonymous().post("/auth/2fa", &body).await;
    let inside = signed_in(&app, &reply, &ana.email, OTHER_PASSWORD);
    let held = list(&inside.client).await;
    assert_eq!((&held[0]["aside"], held.len()), (&json!(true), 1));
    assert_eq!(
        inside.client.get("/me").await.ok()["user"]["twoFactor"]["passkeyOpens"],
        false
    );
    inside
        .client
        .post("/security-code/passkey", &json!({ "purpose": "change-factor" }))
        .await
        .refused(422, "passkey.refused");
}

#[actix_web::test]
async fn another_email_by_staff_puts_all_aside_until_the_new_mailbox_sets_a_password() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    app.clock.advance(Duration::days(8));
    let (root, eva) = (app.renew(&root), app.renew(&eva));
    alone(&app, &mut phone).await.ok();
    let new = "ana@nova.example";
    move_mailbox(&root, &eva, &ana.client, new).await;
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("não abrem nada até"),
        "the owner is told"
    );
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
    // The password of before does not bring it back: a thief may know it.
    login(&app, new, PASSWORD)
        .await
        .refused(403, "auth.password_ended");
    let tail = link(&app, new, "confirm_email", "/verify-email/").await;
    assert_eq!(confirm(&app, &tail).await.body["state"], "confirmed");
    reset(&app, new, OTHER_PASSWORD, None).await;
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
    let asked_for = step(&app, new, OTHER_PASSWORD).await;
    let reply = by(&app, &mut phone, &asked_for).await;
    signed_in(&app, &reply, new, OTHER_PASSWORD);
    alone(&app, &mut phone).await.ok();
    let told: Vec<String> = sqlx::query_scalar(
        "SELECT action FROM foundation.audit WHERE subject = $1 AND action LIKE 'auth.passkey%' ORDER BY id",
    )
    .bind(ana.client.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        told,
        ["auth.passkey", "auth.passkeys_aside", "auth.passkey_returned"]
    );
}
