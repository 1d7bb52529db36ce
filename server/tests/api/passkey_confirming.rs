//! Passkeys in the place of codes: bound to one action, once, in one session; tried on transfers and on factors.

use crate::{
    authenticator::Authenticator,
    guard::{settings, with_code},
    identity::{
        passkeys::{PAGE, add},
        people::{PASSWORD, Person, member},
    },
    kit::{Client, Reply, TestApp},
    licences::{balance, fund},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::ledger::model::UserAccount::Available;
use time::Duration;

fn transfer(to: &str, amount: &str) -> Value {
    json!({ "purpose": "transfer", "destination": to, "amount": amount })
}

async fn ask(client: &Client, asked: &Value) -> Reply {
    client.post("/security-code/passkey", asked).await
}

async fn show(client: &Client, credential: &Value) -> Reply {
    let body = json!({ "credential": credential });
    client.post("/security-code/passkey/proof", &body).await
}

/// What stands in a code's place.
async fn proof(client: &Client, phone: &mut Authenticator, asked: &Value) -> String {
    let options = ask(client, asked).await.ok();
    let answer = show(client, &phone.get(&options)).await.ok();
    answer["proof"].as_str().unwrap().to_owned()
}

/// Somebody with a passkey and money that may leave.
async fn rich(app: &TestApp) -> (Person, Authenticator) {
    settings(app, |_| {}).await;
    let mut ana = member(app, "Ana", "arbora").await;
    app.user("bea").await;
    app.user("caio").await;
    fund(app, &ana.client, Available, 100).await;
    let phone = add(app, &ana, "Celular").await;
    app.clock.advance(Duration::hours(24) + Duration::minutes(1));
    ana.client = app.renew(&ana.client);
    (ana, phone)
}

#[actix_web::test]
async fn a_passkey_opens_exactly_what_it_was_asked_about_once_and_in_its_session() {
    let app = TestApp::start().await;
    let (ana, mut phone) = rich(&app).await;
    let ana = ana.client;
    for missing in [
        json!({ "purpose": "transfer" }),
        json!({ "purpose": "transfer", "destination": "bea" }),
    ] {
        ask(&ana, &missing).await.refused(422, "field.required");
    }
    // What takes both codes takes no passkey.
    for both in ["change-password", "change-account-data", "close-account"] {
        ask(&ana, &json!({ "purpose": both }))
            .await
            .refused(422, "request.invalid");
    }
    let bea = app.user("dora").await;
    ask(&bea, &transfer("caio", "10"))
        .await
        .refused(422, "passkey.refused");
    let right = proof(&ana, &mut phone, &transfer("bea", "10")).await;
    for (to, value) in [("bea", "10.01"), ("caio", "10"), ("bea", "100")] {
        with_code(&ana, to, value, &right)
            .await
            .refused(422, "code.wrong");
    }
    let elsewhere = app.another_session(&ana).await;
    with_code(&elsewhere, "bea", "10", &right)
        .await
        .refused(422, "code.wrong");
    let mut made_up = right.clone();
    made_up.replace_range(2..4, if right.starts_with("PKAA") { "BB" } else { "AA" });
    with_code(&ana, "bea", "10", &made_up)
        .await
        .refused(422, "code.wrong");
    with_code(&ana, "bea", "10", &right).await.ok();
    with_code(&ana, "bea", "10", &right)
        .await
        .refused(422, "code.used");
    // What is over is over.
    let late = proof(&ana, &mut phone, &transfer("bea", "1")).await;
    app.clock.advance(Duration::minutes(5));
    with_code(&ana, "bea", "1", &late)
        .await
        .refused(422, "code.wrong");
}

#[actix_web::test]
async fn a_refused_action_leaves_the_proof_unspent_and_two_at_once_spend_it_once() {
    let app = TestApp::start().await;
    let (ana, mut phone) = rich(&app).await;
    let ana = ana.client;
    let right = proof(&ana, &mut phone, &transfer("bea", "300")).await;
    let short = with_code(&ana, "bea", "300", &right).await;
    assert_eq!(short.code(), "balance.insufficient", "{}", short.body);
    fund(&app, &ana, Available, 900).await;
    let (one, two) = futures_util::join!(
        with_code(&ana, "bea", "300", &right),
        with_code(&ana, "bea", "300", &right)
    );
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses[1], 422, "{} {}", one.body, two.body);
    assert!(statuses[0] < 300, "{} {}", one.body, two.body);
    let left = balance(&app, &ana, Available).await;
    assert!(
        left > Usdt::whole(600) && left <= Usdt::whole(700),
        "once: {left}"
    );
}

#[actix_web::test]
async fn an_answer_is_good_for_what_was_asked_alone() {
    let app = TestApp::start().await;
    let (ana, mut phone) = rich(&app).await;
    let to_sign_in = app
        .anonymous()
        .post("/auth/passkey/options", &json!({}))
        .await
        .ok();
    show(&ana.client, &phone.get(&to_sign_in))
        .await
        .refused(422, "passkey.refused");
    let to_confirm = ask(&ana.client, &transfer("bea", "10")).await.ok();
    assert_eq!(to_confirm["allowCredentials"].as_array().unwrap().len(), 1);
    let answer = phone.get(&to_confirm);
    app.anonymous()
        .post("/auth/passkey", &json!({ "credential": answer }))
        .await
        .refused(422, "passkey.refused");
    let elsewhere = app.another_session(&ana.client).await;
    show(&elsewhere, &answer).await.refused(422, "passkey.refused");
    // Somebody else's device, and a page that is not ours.
    let mut stranger = Authenticator::new(PAGE);
    show(&ana.client, &stranger.get(&to_confirm))
        .await
        .refused(422, "passkey.refused");
    phone.origin = "https://localhost.example".into();
    show(&ana.client, &phone.get(&to_confirm))
        .await
        .refused(422, "passkey.refused");
    phone.origin = PAGE.into();
    show(&ana.client, &phone.get(&to_confirm)).await.ok();
}

#[actix_web::test]
async fn a_passkey_is_a_current_factor_for_changing_factors() {
    let app = TestApp::start().await;
    let (ana, mut phone) = rich(&app).await;
    let asked = json!({ "purpose": "change-factor" });
    let right = proof(&ana.client, &mut phone, &asked).await;
    // Bound to its purpose: it moves no money.
    with_code(&ana.client, "bea", "10", &right)
        .await
        .refused(422, "code.wrong");
    let order = json!({ "method": "email", "enable": true, "password": PASSWORD, "code": right });
    ana.client.post("/setup-2fa", &order).await.ok();
    let id = ana.client.get("/me/passkeys").await.ok()["data"][0]["_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let removal = json!({ "password": PASSWORD, "code": proof(&ana.client, &mut phone, &asked).await });
    let path = format!("/me/passkeys/{id}/remove");
    let removed = ana.client.post(&path, &removal).await;
    assert_eq!(removed.status, 204, "{}", removed.body);
    let me = ana.client.get("/me").await.ok();
    assert_eq!(me["user"]["twoFactor"]["passkey"], false);
    assert_eq!(me["user"]["twoFactor"]["email"], true);
}
