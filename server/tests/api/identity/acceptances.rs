//! What people accepted: they read it version by version, and so do staff who see people.

use super::people::member;
use crate::{
    kit::{Client, SALESPERSON, STORE_EMPLOYEE, TestApp},
    licences::{PLAN_100, buy, fund},
};
use serde_json::{Value, json};
use server::{
    foundation::clock::Clock, identity::service::TERMS_VERSION, ledger::model::UserAccount::Available,
};
use time::Duration;

async fn own(client: &Client) -> Value {
    client.get("/me/acceptances").await.ok()["data"].clone()
}

fn lines(list: &Value) -> Vec<(&str, &str, Option<&str>, i64)> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["what"].as_str().unwrap(),
                one["version"].as_str().unwrap(),
                one["language"].as_str(),
                one["times"].as_i64().unwrap(),
            )
        })
        .collect()
}

#[actix_web::test]
async fn everybody_reads_what_they_accepted_version_by_version() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await.client;
    sqlx::query(
        "INSERT INTO identity.acceptance (account, what, version, language, at)
         SELECT $1, what, '2026-04', 'en', $2 FROM unnest(ARRAY['terms', 'risk', 'age']) AS what",
    )
    .bind(ana.user.0)
    .bind(app.clock.now() - Duration::days(200))
    .execute(&app.sql)
    .await
    .unwrap();
    let all = own(&ana).await;
    assert_eq!(
        lines(&all),
        [
            ("terms", TERMS_VERSION, Some("pt"), 1),
            ("risk", TERMS_VERSION, Some("pt"), 1),
            ("terms", "2026-04", Some("en"), 1),
            ("risk", "2026-04", Some("en"), 1),
        ]
    );
    assert_eq!(all[1]["at"], all[1]["lastAt"]);

    // The notice is read again with each purchase: its first day stays.
    fund(&app, &ana, Available, 400).await;
    app.clock.advance(Duration::minutes(2));
    buy(&ana.clone().locale("es"), PLAN_100).await;
    let more = own(&ana).await;
    assert_eq!(
        lines(&more)[..2],
        [
            ("terms", TERMS_VERSION, Some("pt"), 1),
            ("risk", TERMS_VERSION, Some("pt"), 2),
        ]
    );
    assert_eq!(more[1]["at"], all[1]["at"]);
    assert!(more[1]["lastAt"].as_str() > more[1]["at"].as_str());
}

#[actix_web::test]
async fn an_account_without_lines_of_its_own_says_what_it_keeps() {
    let app = TestApp::start().await;
    let bea = app.user("bea").await;
    assert_eq!(
        lines(&own(&bea).await),
        [
            ("terms", TERMS_VERSION, None, 1),
            ("risk", TERMS_VERSION, None, 1)
        ]
    );
    sqlx::query("UPDATE identity.account SET terms_accepted_at = NULL, terms_version = NULL, risk_accepted_at = NULL WHERE id = $1")
        .bind(bea.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    assert_eq!(own(&bea).await, json!([]));
}

#[actix_web::test]
async fn staff_who_see_people_see_what_they_accepted_and_nobody_else_does() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await.client;
    let (seller, store) = (
        app.person("sol", SALESPERSON).await,
        app.person("lia", STORE_EMPLOYEE).await,
    );
    let path = format!("/admin/user/{}", ana.user);
    let seen = seller.get(&path).await.ok();
    assert_eq!(seen["acceptances"].as_array().unwrap().len(), 2);
    assert_eq!(seen["acceptances"], own(&ana).await);
    for other in [&store, &ana] {
        other.get(&path).await.refused(403, "auth.forbidden");
    }
    assert_eq!(app.anonymous().get("/me/acceptances").await.status, 401);
}
