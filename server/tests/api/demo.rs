//! What a fresh demo has, so that no screen of the network is empty at first sight; and that it lives, within bounds.

use crate::{
    kit::{Client, TestApp},
    licences::exact,
};
use protocol::ids::{NodeId, SessionId, UserId};
use serde_json::{Value, json};
use server::{
    affiliates::bonuses::work::work_off,
    app::demo::{self, life},
    config::Config,
    foundation::business_day,
    jobs,
};
use std::collections::BTreeSet;
use tempfile::TempDir;
use time::Duration;

/// A demo as its first start makes it. At noon of São Paulo: yesterday is closed.
async fn fresh() -> (TestApp, Config, TempDir) {
    let app = TestApp::start().await;
    let noon = business_day::start(business_day::of(app.context.now())) + Duration::hours(36);
    app.clock.advance(noon - app.context.now());
    let folder = tempfile::tempdir().unwrap();
    let config = Config::from_args(["--data-dir", folder.path().to_str().unwrap()]).unwrap();
    begin(&app, &config).await;
    (app, config, folder)
}

async fn begin(app: &TestApp, config: &Config) {
    let people = demo::begin(&app.context, &config.secrets).await.unwrap();
    assert_eq!(people.len(), 7, "who can sign in");
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

/// Somebody of the demo, signed in.
async fn named(app: &TestApp, username: &str) -> Client {
    let user: uuid::Uuid = sqlx::query_scalar("SELECT id FROM identity.account WHERE username = $1")
        .bind(username)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let client = Client {
        user: UserId(user),
        session: SessionId::fresh(),
        ..app.anonymous()
    };
    app.another_session(&client).await
}

async fn count(app: &TestApp, of: &str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {of}")))
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

async fn words(app: &TestApp, query: &str) -> BTreeSet<String> {
    sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(query.to_owned()))
        .fetch_all(&app.sql)
        .await
        .unwrap()
        .into_iter()
        .collect()
}

fn set<const N: usize>(words: [&str; N]) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

fn total(page: &Value) -> i64 {
    page["meta"]["total"].as_i64().unwrap()
}

#[actix_web::test]
async fn a_fresh_demo_has_a_network_with_days_behind_it() {
    let (app, config, _folder) = fresh().await;
    assert_eq!(count(&app, "affiliates.closing WHERE step = 'done'").await, 3);
    assert_eq!(
        words(&app, "SELECT DISTINCT kind FROM affiliates.bonus WHERE paid > 0").await,
        set(["level", "direct_sale", "indirect_sale", "residual", "binary"])
    );
    assert_eq!(
        words(
            &app,
            "SELECT DISTINCT lost_reason FROM affiliates.match WHERE lost > 0"
        )
        .await,
        set(["inactive", "not_qualified", "daily_cap"])
    );
    assert!(
        count(&app, "affiliates.graduation").await >= 2,
        "both traders have a rank"
    );
    assert_eq!(
        count(
            &app,
            "affiliates.points WHERE business_day > (SELECT max(day) FROM affiliates.closing)"
        )
        .await,
        2,
        "sales that tonight's closing will carry"
    );
    assert!(
        count(&app, "robots.operation").await > 0
            && count(&app, "robots.batch WHERE mode <> 'simulated'").await == 0,
        "what robots brought is simulated and says so"
    );
    assert_eq!(
        count(&app, "affiliates.review").await,
        0,
        "nobody is related to anybody"
    );
    exact(&app).await;
    let report = server::ledger::verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");

    // Who approves money has no part in the traders' legs.
    let staff = "WITH RECURSIVE below AS (
            SELECT m.id FROM affiliates.member m JOIN identity.account a USING (id) WHERE a.username = 'trader1'
            UNION ALL SELECT m.id FROM affiliates.member m JOIN below b ON m.parent = b.id)
         SELECT a.username FROM below JOIN identity.account a USING (id)
         WHERE a.username IN ('admin1', 'admin2', 'employee', 'sales', 'store')";
    assert_eq!(words(&app, staff).await, BTreeSet::new());

    // Every page of the network, as both traders see it.
    for (name, below) in [("trader1", 15), ("trader2", 10)] {
        let trader = named(&app, name).await;
        let tree = trader.get("/affiliates/diagram-binary-tree/me").await.ok();
        let nodes = tree["nodes"].as_array().unwrap();
        assert!(nodes.len() >= below, "{name}: {}", nodes.len());
        for leg in ["left", "right"] {
            assert!(
                nodes.iter().any(|n| n["level"] == 1 && n["leg"] == leg),
                "{name} has no {leg} leg"
            );
        }
        let me = &nodes[0];
        assert_eq!(
            (&me["binaryActive"], &me["rank"]),
            (&json!(true), &json!("bronze")),
            "{name}"
        );
        assert!(nodes.iter().any(|n| n["binaryActive"] == false), "{name}");
        let dashboard = trader.get("/affiliates/dashboard").await.ok();
        assert_ne!(
            dashboard["left"]["carried"], "0.000000",
            "{name} has points that wait: {dashboard}"
        );
        assert_ne!(
            dashboard["tonight"]["matched"], "0.000000",
            "{name} has something tonight"
        );
        for chart in ["growth", "bonuses"] {
            assert!(
                !dashboard[chart].as_array().unwrap().is_empty(),
                "{name}: {chart}"
            );
        }
        let log = trader.get("/affiliates/bonus-log").await.ok();
        assert!(total(&log) >= 6, "{name}: {}", total(&log));
    }
    let trader = named(&app, "trader1").await;
    let brought = trader.get("/affiliates/reference-list?level=1").await.ok();
    assert_eq!(total(&brought), 4);
    let waits = |page: &Value| {
        let all = page["data"].as_array().unwrap();
        all.iter().filter(|r| r["leg"].is_null()).count()
    };
    assert_eq!(waits(&brought), 1, "one waits for a place: {brought}");

    // What staff look at.
    let admin = named(&app, "admin1").await;
    for page in [
        "bonus-report",
        "binary-lost-points-report",
        "graduation",
        "graduations",
    ] {
        let page = admin.get(&format!("/admin/{page}")).await.ok();
        assert!(total(&page) > 0, "{page}");
    }

    // Another start adds nothing.
    let members = count(&app, "affiliates.member").await;
    let transfers = count(&app, "ledger.transfer").await;
    begin(&app, &config).await;
    assert_eq!(count(&app, "affiliates.member").await, members);
    assert_eq!(count(&app, "ledger.transfer").await, transfers);
}

#[actix_web::test]
async fn a_demo_that_was_begun_without_its_network_gets_it_today() {
    let app = TestApp::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config = Config::from_args(["--data-dir", folder.path().to_str().unwrap()]).unwrap();
    // As an earlier version, or a start that was cut short, has left it: people, nothing else.
    demo::people_alone(&app.context, &config.secrets).await.unwrap();
    begin(&app, &config).await;
    assert_eq!(count(&app, "affiliates.closing").await, 0);
    assert!(count(&app, "affiliates.member WHERE placed_at IS NOT NULL").await > 20);
    let days: i64 = count(&app, "(SELECT DISTINCT business_day FROM affiliates.points) d").await;
    assert_eq!(days, 1, "nothing is booked into a past that others have seen");
    exact(&app).await;
}

/// What the traders have at their disposal.
async fn balances(app: &TestApp) -> Vec<Value> {
    let mut all = Vec::new();
    for name in ["trader1", "trader2"] {
        let me = named(app, name).await.get("/me").await.ok();
        assert!(me["user"]["balance"].is_string(), "{me}");
        all.push(me["user"]["balance"].clone());
    }
    all
}

#[actix_web::test]
async fn it_lives_on_one_node_within_bounds() {
    let (app, ..) = fresh().await;
    let (here, there) = (NodeId::fresh(), NodeId::fresh());
    let before = count(&app, "affiliates.points").await;
    let paid = balances(&app).await;
    assert!(life::turn(&app.context, here).await.unwrap());
    assert!(!life::turn(&app.context, there).await.unwrap(), "one node moves");
    let mut moves = 1;
    while life::turn(&app.context, here).await.unwrap() {
        moves += 1;
        assert!(moves < 200, "it comes to rest");
    }
    assert!(moves > 10, "more than those who come: {moves}");
    work_off(&app.context).await.unwrap();
    assert_eq!(
        balances(&app).await,
        paid,
        "what whoever tries the demo has is not moved by it"
    );
    assert!(count(&app, "affiliates.points").await > before, "points follow");
    exact(&app).await;
    let report = server::ledger::verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
}
