//! Passkeys through the HTTP API, with an authenticator in software: added with the password and a factor, a second step, a way in by
//! themselves, refused when they are not what they say.

use super::people::{
    App, OTHER_PASSWORD, PASSWORD, Person, code, email_factor, lift_caps, link, login, mail, mails, member,
    other, security_code, signed_in,
};
use crate::{
    authenticator::Authenticator,
    kit::{Client, Reply, TestApp},
};
use serde_json::{Value, json};
use server::{jobs, privacy::closing::rules::WAIT};
use time::Duration;

/// Where a demo's pages are to a browser.
pub const PAGE: &str = "http://localhost";

pub async fn begin(app: &TestApp, person: &Person) -> Value {
    let code = security_code(app, person, "change-factor").await;
    let body = json!({ "password": person.password, "code": code });
    person.client.post("/me/passkeys/options", &body).await.ok()
}

pub async fn keep(person: &Person, name: &str, credential: &Value) -> Reply {
    let body = json!({ "name": name, "credential": credential });
    person.client.post("/me/passkeys", &body).await
}

/// Somebody's first passkey, whose password and mailed code were right.
pub async fn add(app: &TestApp, person: &Person, name: &str) -> Authenticator {
    let options = begin(app, person).await;
    let mut device = Authenticator::new(PAGE);
    keep(person, name, &device.create(&options)).await.ok();
    device
}

/// How many passkeys there are, and accounts that have had one.
pub async fn left(app: &TestApp) -> (i64, i64) {
    sqlx::query_as(
        "SELECT (SELECT count(*) FROM identity.passkey), (SELECT count(*) FROM identity.passkey_handle)",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap()
}

pub async fn list(client: &Client) -> Vec<Value> {
    client.get("/me/passkeys").await.ok()["data"]
        .as_array()
        .unwrap()
        .clone()
}

/// What is asked of a passkey at the sign-in.
pub async fn asked(app: &TestApp, step: Option<&Value>) -> Reply {
    let body = step.map_or_else(|| json!({}), |step| json!({ "challenge": step }));
    app.anonymous().post("/auth/passkey/options", &body).await
}

pub async fn enter(app: &TestApp, step: Option<&Value>, credential: &Value) -> Reply {
    let mut body = json!({ "credential": credential });
    if let Some(step) = step {
        body["challenge"] = step.clone();
    }
    app.anonymous().post("/auth/passkey", &body).await
}

/// Signs in by itself with what the device shows.
pub async fn alone(app: &TestApp, device: &mut Authenticator) -> Reply {
    let options = asked(app, None).await.ok();
    enter(app, None, &device.get(&options)).await
}

/// "It was not me", by the link of the newest sign-in's mail.
pub async fn freeze(app: &TestApp, person: &Person) {
    let token = link(app, &person.email, "signed_in", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    assert_eq!(
        reqwest::Client::new().post(&page).send().await.unwrap().status(),
        200
    );
}

#[actix_web::test]
async fn a_passkey_is_added_with_the_password_and_a_code_and_holds_money() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let reply = login(&app, &ana.email, PASSWORD).await;
    let elsewhere = signed_in(&app, &reply, &ana.email, PASSWORD);
    let code = security_code(&app, &ana, "change-factor").await;
    let order = |password: &str, code: &str| json!({ "password": password, "code": code });
    let begins = async |body: &Value| ana.client.post("/me/passkeys/options", body).await;
    begins(&order(OTHER_PASSWORD, &code))
        .await
        .refused(422, "password.wrong");
    begins(&order(PASSWORD, "")).await.refused(422, "code.missing");
    begins(&order(PASSWORD, &other(&code)))
        .await
        .refused(422, "code.wrong");
    let options = begins(&order(PASSWORD, &code)).await.ok();
    begins(&order(PASSWORD, &code)).await.refused(422, "code.used");
    assert_eq!(options["rp"]["id"], "localhost");
    assert_eq!(options["user"]["name"], ana.email);
    assert_eq!(options["attestation"], "none");
    assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
    assert_eq!(options["excludeCredentials"], json!([]));
    let mut phone = Authenticator::new(PAGE);
    let made = phone.create(&options);
    keep(&ana, "  ", &made).await.refused(422, "field.required");
    keep(&ana, &"x".repeat(61), &made)
        .await
        .refused(422, "message.too_long");
    // Another session's challenge is no answer here.
    keep(&elsewhere, "Celular", &made)
        .await
        .refused(422, "passkey.refused");
    let added = keep(&ana, "Celular", &made).await.ok();
    assert_eq!(added["recoveryCodes"].as_array().unwrap().len(), 10);
    assert_eq!(added["passkey"]["name"], "Celular");
    assert_eq!(added["passkey"]["synced"], true);
    keep(&ana, "Celular", &made).await.refused(422, "passkey.refused");
    elsewhere
        .client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    let me = ana.client.get("/me").await.ok();
    assert_eq!(me["user"]["twoFactor"]["passkey"], true);
    assert_eq!(me["user"]["twoFactor"]["passkeyOpens"], true);
    assert_eq!(me["user"]["hold"]["reason"], "passkey");
    assert!(
        mail(&app, &ana.email, "safety_changed")
            .await
            .contains("/freeze/")
    );
    let audited: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.audit WHERE action = 'auth.passkey' AND subject = $1",
    )
    .bind(ana.client.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(audited, 1);
    // The next one knows the first, and brings no other recovery codes.
    let options = begin(&app, &ana).await;
    assert_eq!(options["excludeCredentials"][0]["id"], made["id"]);
    let mut key = Authenticator::new(PAGE);
    let second = keep(&ana, "Chave", &key.create(&options)).await.ok();
    assert_eq!(second.get("recoveryCodes"), None);
    let names: Vec<_> = list(&ana.client)
        .await
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(names, ["Celular", "Chave"]);
}

#[actix_web::test]
async fn what_no_authenticator_of_ours_made_is_not_kept() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let options = begin(&app, &ana).await;
    let bent = |change: &dyn Fn(&mut Authenticator)| {
        let mut device = Authenticator::new(PAGE);
        change(&mut device);
        device.create(&options)
    };
    for credential in [
        bent(&|device| device.origin = "https://localhost.example".into()),
        bent(&|device| device.site = Some("example".into())),
        // Nobody was asked who they are.
        bent(&|device| device.flags &= !0b100),
        // Longer than any key of the three algorithms.
        bent(&|device| device.padding = 2_000),
        bent(&|device| device.padding = 16_000),
        json!({ "id": "AA", "clientDataJSON": "AA", "attestationObject": "AA" }),
        json!({ "id": "not base64!", "clientDataJSON": "é", "attestationObject": "AA" }),
    ] {
        keep(&ana, "Celular", &credential)
            .await
            .refused(422, "passkey.refused");
    }
    assert!(list(&ana.client).await.is_empty());
    // A refused answer leaves the challenge; five minutes end it.
    app.clock.advance(Duration::minutes(5));
    let late = bent(&|_| {});
    keep(&ana, "Celular", &late).await.refused(422, "passkey.refused");
    let options = begin(&app, &ana).await;
    let mut phone = Authenticator::new(PAGE);
    let good = phone.create(&options);
    // A new password ends what waits.
    let codes = security_code(&app, &ana, "change-password").await;
    let change = json!({ "currentPassword": PASSWORD, "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD, "securityCode": codes });
    let changed = ana.client.post("/me/change-password", &change).await;
    assert_eq!(changed.status, 204, "{}", changed.body);
    keep(&ana, "Celular", &good).await.refused(422, "passkey.refused");
}

#[actix_web::test]
async fn a_passkey_is_renamed_and_removed_by_its_owner_alone() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let bia = member(&app, "Bia", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    let id = list(&ana.client).await[0]["_id"].as_str().unwrap().to_owned();
    let path = format!("/me/passkeys/{id}");
    let name = |name: &str| json!({ "name": name });
    bia.client
        .patch(&path, &name("Meu"))
        .await
        .refused(404, "request.not_found");
    ana.client
        .patch(&path, &name("a\u{202e}b"))
        .await
        .refused(422, "field.characters");
    assert_eq!(
        ana.client.patch(&path, &name("  Celular  novo ")).await.status,
        204
    );
    assert_eq!(list(&ana.client).await[0]["name"], "Celular novo");
    let removal = format!("{path}/remove");
    let order = async |person: &Person| {
        let code = security_code(&app, person, "change-factor").await;
        json!({ "password": PASSWORD, "code": code })
    };
    bia.client
        .post(&removal, &order(&bia).await)
        .await
        .refused(404, "request.not_found");
    let told = mails(&app, &ana.email, "safety_changed").await;
    let removed = ana.client.post(&removal, &order(&ana).await).await;
    assert_eq!(removed.status, 204, "{}", removed.body);
    assert_eq!(mails(&app, &ana.email, "safety_changed").await, told + 1);
    assert!(list(&ana.client).await.is_empty());
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
    // The last factor takes the recovery codes with it, and the password alone signs in again.
    let me = ana.client.get("/me").await.ok();
    assert_eq!(
        me["user"]["twoFactor"],
        json!({ "email": false, "app": false, "passkey": false, "passkeyOpens": false, "recoveryCodesLeft": 0 })
    );
    assert!(login(&app, &ana.email, PASSWORD).await.ok()["token"].is_string());
}

#[actix_web::test]
async fn recovery_codes_stay_while_a_passkey_does() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    add(&app, &ana, "Celular").await;
    let order = json!({ "method": "app", "enable": true, "password": PASSWORD });
    let offer = ana.client.post("/setup-2fa", &order).await.ok();
    let phone = App::of(offer["secret"].as_str().unwrap());
    let mut order =
        json!({ "method": "app", "enable": true, "password": PASSWORD, "code": phone.code(&app) });
    // A passkey is a current factor: the password alone adds none beside it.
    ana.client
        .post("/setup-2fa", &order)
        .await
        .refused(422, "code.missing");
    order["securityCode"] = json!(security_code(&app, &ana, "change-factor").await);
    let done = ana.client.post("/setup-2fa", &order).await.ok();
    assert_eq!(done.get("recoveryCodes"), None, "those of the passkey are good");
    app.clock.advance(Duration::minutes(1));
    let off = json!({ "method": "app", "enable": false, "code": phone.code(&app), "password": PASSWORD });
    ana.client.post("/setup-2fa", &off).await.ok();
    let me = ana.client.get("/me").await.ok();
    assert_eq!(me["user"]["twoFactor"]["recoveryCodesLeft"], 10);
}

#[actix_web::test]
async fn a_passkey_is_the_second_step_once_and_for_its_own_sign_in() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let bia = member(&app, "Bia", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    let mut others = add(&app, &bia, "Celular").await;
    let step = async |person: &Person| {
        let answer = login(&app, &person.email, PASSWORD).await.ok();
        assert_eq!(answer["twoFactor"]["methods"], json!(["passkey", "recovery"]));
        answer["twoFactor"]["challenge"].clone()
    };
    let challenge = step(&ana).await;
    let options = asked(&app, Some(&challenge)).await.ok();
    assert_eq!(options["allowCredentials"].as_array().unwrap().len(), 1);
    // Another one's passkey, another sign-in's answer, a passkey by itself: none is this step.
    enter(&app, Some(&challenge), &others.get(&options))
        .await
        .refused(422, "passkey.refused");
    let another = step(&ana).await;
    enter(&app, Some(&another), &phone.get(&options))
        .await
        .refused(422, "passkey.refused");
    enter(&app, None, &phone.get(&options))
        .await
        .refused(422, "passkey.refused");
    let right = phone.get(&options);
    let reply = enter(&app, Some(&challenge), &right).await;
    let inside = signed_in(&app, &reply, &ana.email, PASSWORD);
    let sessions = inside.client.get("/sessions").await.ok();
    let own = sessions["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["current"] == true)
        .unwrap();
    assert_eq!(own["method"], "passkey");
    enter(&app, Some(&challenge), &right)
        .await
        .refused(401, "auth.failed");
    let unknown = json!(uuid::Uuid::now_v7());
    asked(&app, Some(&unknown)).await.refused(401, "auth.failed");
    let typed = json!({ "challenge": another, "method": "passkey", "code": "123456" });
    app.anonymous()
        .post("/auth/2fa", &typed)
        .await
        .refused(422, "request.invalid");
    // Five tries at one sign-in, as with codes.
    for _ in 0..4 {
        enter(&app, Some(&another), &others.get(&options))
            .await
            .refused(422, "passkey.refused");
    }
    let last = asked(&app, Some(&another)).await;
    last.refused(401, "auth.failed");
}

#[actix_web::test]
async fn where_a_passkey_is_taken_a_code_is_mailed_when_it_is_asked_for() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    email_factor(&app, &ana).await;
    add(&app, &ana, "Celular").await;
    let step = login(&app, &ana.email, PASSWORD).await.ok()["twoFactor"].take();
    assert_eq!(step["methods"], json!(["passkey", "email", "recovery"]));
    assert_eq!(mails(&app, &ana.email, "sign_in_code").await, 0);
    let challenge = json!({ "challenge": step["challenge"] });
    let sent = app.anonymous().post("/auth/2fa/resend", &challenge).await;
    assert!(sent.status < 300, "{}", sent.body);
    assert_eq!(mails(&app, &ana.email, "sign_in_code").await, 1);
    let typed = code(&app, &ana.email, "sign_in_code").await;
    let body = json!({ "challenge": step["challenge"], "method": "email", "code": typed });
    let inside = app.anonymous().post("/auth/2fa", &body).await.ok();
    assert!(inside["token"].is_string());
}

#[actix_web::test]
async fn a_passkey_signs_in_by_itself_and_nobody_learns_whose_there_are() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    let options = asked(&app, None).await.ok();
    assert_eq!(options["allowCredentials"], json!([]));
    let shown = phone.get(&options);
    // An unknown passkey, one that does not say whose it is, and one that says somebody else's are refused alike.
    let stranger = Authenticator::new(PAGE).get(&options);
    enter(&app, None, &stranger).await.refused(422, "passkey.refused");
    for handle in [Value::Null, json!("AAAA")] {
        let mut nameless = shown.clone();
        nameless["userHandle"] = handle;
        enter(&app, None, &nameless).await.refused(422, "passkey.refused");
    }
    let reply = enter(&app, None, &shown).await;
    let inside = signed_in(&app, &reply, &ana.email, PASSWORD);
    assert_eq!(inside.client.user, ana.client.user);
    assert!(
        mail(&app, &ana.email, "signed_in").await.contains("/freeze/"),
        "a strange browser"
    );
    enter(&app, None, &shown).await.refused(422, "passkey.refused");
    assert!(list(&ana.client).await[0]["lastUsedAt"].is_string());
}

#[actix_web::test]
async fn a_passkey_of_long_ago_is_put_aside_by_a_freeze_as_well() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    app.clock.advance(Duration::days(8));
    alone(&app, &mut phone).await.ok();
    freeze(&app, &ana).await;
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
}

#[actix_web::test]
async fn a_challenge_is_used_once_by_two_at_the_same_time() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    let options = asked(&app, None).await.ok();
    let (one, two) = (phone.get(&options), phone.get(&options));
    let (one, two) = futures_util::join!(enter(&app, None, &one), enter(&app, None, &two));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
}

#[actix_web::test]
async fn ten_are_enough() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    for nth in 0..10 {
        add(&app, &ana, &format!("Chave {nth}")).await;
    }
    let code = security_code(&app, &ana, "change-factor").await;
    let body = json!({ "password": PASSWORD, "code": code });
    ana.client
        .post("/me/passkeys/options", &body)
        .await
        .refused(409, "passkey.full");
}

#[actix_web::test]
async fn a_closed_account_leaves_none() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let mut phone = add(&app, &ana, "Celular").await;
    // Another factor holds money back for a day, and so the account.
    app.clock.advance(Duration::days(2));
    let client = app.renew(&ana.client);
    crate::closing::ask(&app, &Person { client, ..ana }).await.ok();
    app.clock.advance(WAIT + Duration::SECOND);
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert_eq!(left(&app).await, (0, 0));
    alone(&app, &mut phone).await.refused(422, "passkey.refused");
}
