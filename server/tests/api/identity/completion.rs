//! What an account must give before anything else: terms, risk notice, age, address, upline.

use super::people::member;
use crate::{
    kit::{CUSTOMER, Client, TestApp},
    licences::{balance, fund},
};
use serde_json::{Value, json};
use server::{identity::service::HOUSE, ledger::model::UserAccount::Available, routes::ROUTES};

/// Somebody as staff make them: an account and a role, nothing that only the person can say.
async fn bare(app: &TestApp, name: &str) -> Client {
    let client = app.person(name, CUSTOMER).await;
    for change in [
        "DELETE FROM affiliates.sponsor_counter WHERE sponsor = $1",
        "DELETE FROM affiliates.member WHERE id = $1",
        "DELETE FROM identity.address WHERE account = $1",
        "UPDATE identity.account SET terms_accepted_at = NULL, terms_version = NULL, risk_accepted_at = NULL,
             adult_declared_at = NULL WHERE id = $1",
    ] {
        sqlx::query(change)
            .bind(client.user.0)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    client
}

async fn missing(client: &Client) -> Vec<String> {
    serde_json::from_value(client.get("/me").await.ok()["user"]["missing"].clone()).unwrap()
}

fn address() -> Value {
    json!({ "country": "Brasil", "state": "SP", "city": "São Paulo", "street": "Rua B", "number": "2", "district": "Centro",
        "postalCode": "01000-000" })
}

fn everything() -> Value {
    json!({ "terms": true, "riskNotice": true, "adult": true, "address": address() })
}

async fn sponsor(app: &TestApp, client: &Client) -> uuid::Uuid {
    sqlx::query_scalar("SELECT sponsor FROM affiliates.member WHERE id = $1")
        .bind(client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn nothing_moves_until_everything_that_is_missing_was_given() {
    let app = TestApp::start().await;
    let (eva, bea) = (bare(&app, "eva").await, app.user("bea").await);
    fund(&app, &eva, Available, 100).await;
    assert_eq!(
        missing(&eva).await,
        ["terms", "risk", "adult", "address", "upline"]
    );
    for (path, body) in [
        ("/deposit-pix", json!({ "usdt": "100" })),
        ("/transfer", json!({ "receiver": "bea", "value": "1" })),
        ("/licences/buy", json!({ "plan": "x", "riskAccepted": true })),
        ("/withdraw-pix", json!({ "value": "20" })),
        ("/whitelist/on", json!({})),
    ] {
        eva.post(path, &body)
            .await
            .refused(403, "auth.profile_incomplete");
    }
    // What pays a licence over the chain says which notice is missing, and is refused all the same when that is said along.
    let mut intent = json!({ "licenseValue": "100", "product": "usdt_bep20", "isHighRisk": false });
    let path = "/trader/create-deposit-intent";
    eva.post(path, &intent).await.refused(422, "risk.not_recorded");
    intent["riskAccepted"] = json!(true);
    eva.post(path, &intent)
        .await
        .refused(403, "auth.profile_incomplete");
    let telling: Vec<&str> = ROUTES
        .iter()
        .filter(|r| r.tells_missing)
        .map(|r| r.path)
        .collect();
    assert_eq!(telling, [path]);
    // Reading, help with it, and the way out stay open.
    eva.get("/statement").await.ok();
    eva.delete("/me/closing").await.ok();
    eva.post("/security-code", &json!({ "purpose": "change-password" }))
        .await
        .refused(403, "auth.profile_incomplete");
    eva.post("/security-code", &json!({ "purpose": "close-account" }))
        .await
        .ok();

    // Each thing is asked for by its name, and nothing is kept of a form that is refused.
    for (without, field, code) in [
        ("terms", "terms", "terms.missing"),
        ("riskNotice", "riskNotice", "risk.missing"),
        ("adult", "adult", "adult.missing"),
        ("address", "address", "request.invalid"),
    ] {
        let mut form = everything();
        form.as_object_mut().unwrap().remove(without);
        let reply = eva.post("/me/complete", &form).await;
        assert_eq!(reply.status, 422, "{without}: {}", reply.body);
        assert!(
            reply.body["errors"][field].is_array(),
            "{without}: {}",
            reply.body
        );
        assert_eq!(reply.code(), code);
    }
    let mut form = everything();
    form["address"]["city"] = json!("");
    let reply = eva.post("/me/complete", &form).await;
    assert_eq!(reply.status, 422);
    assert!(reply.body["errors"]["address.city"].is_array(), "{}", reply.body);
    let mut form = everything();
    form["upline"] = json!("nobody");
    let reply = eva.post("/me/complete", &form).await;
    reply.refused(404, "upline.unknown");
    assert!(reply.body["errors"]["upline"].is_array());
    for forbidden in ["sponsor", "balance", "roles", "status"] {
        let mut form = everything();
        form[forbidden] = json!("x");
        eva.post("/me/complete", &form)
            .await
            .refused(422, "request.invalid");
    }
    assert_eq!(missing(&eva).await.len(), 5);

    let mut form = everything();
    form["upline"] = json!("@Bea");
    assert_eq!(eva.post("/me/complete", &form).await.status, 204);
    assert_eq!(missing(&eva).await, Vec::<String>::new());
    assert_eq!(sponsor(&app, &eva).await, bea.user.0);
    eva.post("/deposit-pix", &json!({ "usdt": "100" })).await.ok();
    assert_eq!(
        balance(&app, &eva, Available).await,
        protocol::money::Usdt::whole(100)
    );
}

#[actix_web::test]
async fn who_names_nobody_stands_below_the_house_and_what_is_known_stays() {
    let app = TestApp::start().await;
    let (eva, _bea) = (bare(&app, "eva").await, app.user("bea").await);
    assert_eq!(eva.post("/me/complete", &everything()).await.status, 204);
    assert_eq!(sponsor(&app, &eva).await, HOUSE.0);
    let placed: bool =
        sqlx::query_scalar("SELECT placed_at IS NOT NULL FROM affiliates.member WHERE id = $1")
            .bind(eva.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert!(placed);
    // Neither the upline nor the address changes on this way: one never, the other with a code.
    eva.post("/me/complete", &json!({ "upline": "bea" }))
        .await
        .refused(409, "request.conflict");
    eva.post("/me/complete", &json!({ "address": address() }))
        .await
        .refused(409, "request.conflict");
    assert_eq!(sponsor(&app, &eva).await, HOUSE.0);
    assert_eq!(eva.post("/me/complete", &json!({})).await.status, 204);
}

#[actix_web::test]
async fn newer_terms_are_asked_for_but_never_hold_anybodys_money_back() {
    let app = TestApp::start().await;
    super::people::lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await.client;
    fund(&app, &ana, Available, 100).await;
    sqlx::query("UPDATE identity.account SET terms_version = 'older' WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    // The session's state is a second old at most; the guarded calls ask anew.
    server::identity::sessions::forget(ana.session).await;
    let me = ana.get("/me").await.ok();
    assert_eq!(me["user"]["missing"], json!(["terms", "risk"]));
    assert_eq!(me["user"]["termsBefore"], true);
    ana.post("/deposit-pix", &json!({ "usdt": "100" }))
        .await
        .refused(403, "auth.profile_incomplete");
    // Taking money out asks for what it always asks for, not for the terms.
    let reply = ana.post("/withdraw-pix/quote", &json!({})).await;
    assert_ne!(reply.code(), "auth.profile_incomplete", "{}", reply.body);
    ana.post("/me/complete", &json!({ "terms": true }))
        .await
        .refused(422, "risk.missing");
    assert_eq!(
        ana.post("/me/complete", &json!({ "terms": true, "riskNotice": true }))
            .await
            .status,
        204
    );
    ana.post("/deposit-pix", &json!({ "usdt": "100" })).await.ok();
    let kept: (String, bool) = sqlx::query_as(
        "SELECT terms_version, risk_accepted_at IS NOT NULL FROM identity.account WHERE id = $1",
    )
    .bind(ana.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(kept, (server::identity::service::TERMS_VERSION.to_owned(), true));
}
