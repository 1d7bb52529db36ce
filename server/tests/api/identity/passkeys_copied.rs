//! Passkeys whose count goes back: what they opened ends, and two answers that overtake each other are no copy.

use super::{
    passkeys::{PAGE, add, alone, asked, begin, enter, keep, list},
    people::{PASSWORD, lift_caps, login, mails, member, signed_in},
};
use crate::{authenticator::Authenticator, kit::TestApp};
use serde_json::{Value, json};
use time::Duration;

#[actix_web::test]
async fn a_count_that_goes_back_is_refused_and_told() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    let reply = alone(&app, &mut phone).await;
    let begun = signed_in(&app, &reply, &ana.email, PASSWORD);
    // Half-done: the password was right.
    let step = login(&app, &ana.email, PASSWORD).await.ok();
    let half = step["twoFactor"]["challenge"].clone();
    let told = mails(&app, &ana.email, "safety_changed").await;
    phone.count -= 1;
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
    assert_eq!(mails(&app, &ana.email, "safety_changed").await, told + 1);
    assert_eq!(list(&ana.client).await[0]["doubted"], true);
    // What a passkey had opened ends, what had begun without one goes on.
    begun
        .client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    asked(&app, Some(&half)).await.refused(401, "auth.failed");
    let me = ana.client.get("/me").await.ok();
    assert_eq!(me["user"]["twoFactor"]["passkey"], true);
    assert_eq!(me["user"]["twoFactor"]["passkeyOpens"], false);
    // It stays shut when the count is right again, and the password alone does not do.
    phone.count += 10;
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
    assert_eq!(mails(&app, &ana.email, "safety_changed").await, told + 1);
    let step = login(&app, &ana.email, PASSWORD).await.ok();
    assert_eq!(step["twoFactor"]["methods"], json!(["recovery"]));
    assert_eq!(step["twoFactor"]["passkeysAside"], true);
    // An empty list would ask for any.
    asked(&app, Some(&step["twoFactor"]["challenge"]))
        .await
        .refused(422, "passkey.refused");
    ana.client
        .post("/security-code/passkey", &json!({ "purpose": "change-factor" }))
        .await
        .refused(422, "passkey.refused");
    for undone in ["doubted_at = NULL", "sign_count = 0", "last_used_at = now()"] {
        let done = sqlx::query(sqlx::AssertSqlSafe(format!(
            "UPDATE identity.passkey SET {undone}"
        )))
        .execute(&app.sql)
        .await;
        assert!(done.is_err(), "{undone}");
    }
}

/// The proofs that a copy made, and nobody used yet, open nothing either; and the sessions hear at once.
#[actix_web::test]
async fn what_a_copy_had_confirmed_is_void() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    let change = json!({ "purpose": "change-factor" });
    let show = async |phone: &mut Authenticator| {
        let options = ana.client.post("/security-code/passkey", &change).await.ok();
        let body = json!({ "credential": phone.get(&options) });
        ana.client.post("/security-code/passkey/proof", &body).await
    };
    let proof = show(&mut phone).await.ok()["proof"].clone();
    phone.count -= 1;
    show(&mut phone).await.refused(422, "passkey.refused");
    let order = json!({ "method": "email", "enable": true, "password": PASSWORD, "code": proof });
    ana.client
        .post("/setup-2fa", &order)
        .await
        .refused(422, "code.used");
    assert_eq!(
        ana.client.get("/me").await.ok()["user"]["hold"]["reason"],
        "passkey_copied"
    );
}

/// Two sign-ins with a challenge each, asked for now.
async fn two(app: &TestApp, phone: &mut Authenticator) -> (Value, Value) {
    let (one, other) = (asked(app, None).await.ok(), asked(app, None).await.ok());
    app.clock.advance(Duration::SECOND);
    (phone.get(&one), phone.get(&other))
}

#[actix_web::test]
async fn answers_that_overtake_each_other_are_no_copy() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    let (first, second) = two(&app, &mut phone).await;
    enter(&app, None, &second).await.ok();
    enter(&app, None, &first).await.ok();
    assert_eq!(list(&ana.client).await[0]["doubted"], false);
    let kept: i64 = sqlx::query_scalar("SELECT sign_count FROM identity.passkey")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(kept, i64::from(phone.count), "the count is not set back");
    alone(&app, &mut phone).await.ok();
}

#[actix_web::test]
async fn a_copy_is_told_from_answers_that_overtake_each_other() {
    // One that comes with the count that another one had since; one asked for after the answer that it does not follow.
    for late in [false, true] {
        let app = TestApp::start().await;
        lift_caps(&app).await;
        let ana = member(&app, "Ana", "arbora").await;
        let mut phone = add(&app, &ana, "Celular").await;
        let (first, second) = two(&app, &mut phone).await;
        let copy = if late {
            enter(&app, None, &second).await.ok();
            app.clock.advance(Duration::SECOND);
            let options = asked(&app, None).await.ok();
            phone.count -= 2;
            phone.get(&options)
        } else {
            let options = asked(&app, None).await.ok();
            app.clock.advance(Duration::SECOND);
            enter(&app, None, &second).await.ok();
            enter(&app, None, &first).await.ok();
            phone.count -= 2;
            phone.get(&options)
        };
        enter(&app, None, &copy).await.refused(422, "passkey.refused");
        assert_eq!(list(&ana.client).await[0]["doubted"], true, "{late}");
    }
}

/// What does not count is no copy, however often it signs.
#[actix_web::test]
async fn an_authenticator_that_does_not_count_signs_again_and_again() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let options = begin(&app, &ana).await;
    let mut synced = Authenticator::ed_dsa(PAGE);
    synced.counts = false;
    keep(&ana, "Nuvem", &synced.create(&options)).await.ok();
    let (first, second) = two(&app, &mut synced).await;
    enter(&app, None, &second).await.ok();
    enter(&app, None, &first).await.ok();
    alone(&app, &mut synced).await.ok();
    assert_eq!(list(&ana.client).await[0]["doubted"], false);
}

#[actix_web::test]
async fn a_passkey_of_each_algorithm_signs_in() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    for mut device in [
        Authenticator::new(PAGE),
        Authenticator::ed_dsa(PAGE),
        Authenticator::rs256(PAGE),
    ] {
        let options = begin(&app, &ana).await;
        keep(&ana, "Chave", &device.create(&options)).await.ok();
        alone(&app, &mut device).await.ok();
    }
}
