//! All members' robots as who decides about money sees them: each in the status that its owner reads, results of one mode, filters, sums, the file.

use crate::{
    kit::{Client, SYSTEM_EMPLOYEE, TestApp},
    licences::{buy, fund, id},
    robots::robot,
};
use protocol::ids::LicenceId;
use serde_json::{Value, json};
use server::{foundation::business_day, ledger::model::UserAccount};
use sqlx::AssertSqlSafe;
use time::Duration;

const PATH: &str = "/admin/robots";
const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";
const PLAN_50_RISKY: &str = "0190a000-0000-7000-8000-000000020001";

async fn list(by: &Client, query: &str) -> Value {
    by.get(&format!("{PATH}?{query}")).await.ok()
}

/// Whose robots a page has, in its order.
fn owners(page: &Value) -> Vec<&str> {
    page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["username"].as_str().unwrap())
        .collect()
}

/// What a robot has brought on a day in a mode.
async fn brought(app: &TestApp, robot: LicenceId, mode: &str, days_ago: i64, net: i64) {
    sqlx::query(
        "INSERT INTO robots.day_result (licence, mode, day, owner, gain, loss, fees, operations, hits)
         SELECT id, $2, $3, owner, greatest($4, 0), greatest(-$4, 0), 0, 1, 0 FROM licences.licence WHERE id = $1",
    )
    .bind(robot.0)
    .bind(mode)
    .bind(business_day::of(app.context.now()) - Duration::days(days_ago))
    .bind(net)
    .execute(&app.sql)
    .await
    .unwrap();
}

async fn set(app: &TestApp, robot: LicenceId, what: &str) {
    sqlx::query(AssertSqlSafe(format!(
        "UPDATE licences.licence SET {what} WHERE id = $1"
    )))
    .bind(robot.0)
    .execute(&app.sql)
    .await
    .unwrap();
}

/// The database says how a robot stands as the one rule of it does, whatever keeps it from operating.
#[actix_web::test]
async fn each_robot_stands_as_its_owner_reads_it() {
    let app = TestApp::start().await;
    let today = business_day::of(app.context.now());
    let states = [
        ("operates", "version = version".to_owned(), "operating"),
        ("pausa", "paused = true".to_owned(), "paused"),
        ("meta", format!("goal_day = '{today}'"), "goal_reached"),
        ("ontem", format!("goal_day = '{today}'::date - 1"), "operating"),
        ("mao", "manual_key = true".to_owned(), "manual"),
        (
            "pouco",
            "topup = topup + allocated - 9000000, allocated = 9000000".to_owned(),
            "below_minimum",
        ),
        (
            "nada",
            "topup = topup + allocated, allocated = 0, paused = true".to_owned(),
            "idle",
        ),
        (
            "tudo",
            format!("paused = true, manual_key = true, goal_day = '{today}'"),
            "paused",
        ),
    ];
    let mut people = Vec::new();
    for (name, what, status) in &states {
        let owner = app.user(name).await;
        let robot = robot(&app, &owner, 100).await;
        set(&app, robot, what).await;
        people.push((owner, *name, *status));
    }
    // The minute before the others' capital takes part is over; this one's is not.
    app.clock.advance(Duration::minutes(2));
    let late = app.user("chega").await;
    let robot = robot(&app, &late, 100).await;
    set(&app, robot, "eligible_from = eligible_from + interval '1 day'").await;
    people.push((late, "chega", "joining"));
    let gone = app.user("desiste").await;
    fund(&app, &gone, UserAccount::Available, 100).await;
    let licence = id(&buy(&gone, PLAN_100).await);
    gone.post("/licences/cancel", &json!({ "licence": licence }))
        .await
        .ok();
    people.push((gone, "desiste", "cancelled"));

    let root = app.admin("root").await;
    let page = list(&root, "limit=100").await;
    assert_eq!(page["meta"]["total"], people.len());
    for (owner, name, status) in &people {
        let rows = page["data"].as_array().unwrap();
        let row = rows.iter().find(|row| row["username"] == *name).unwrap();
        assert_eq!(
            (&row["status"], &row["mode"]),
            (&json!(status), &json!("simulated")),
            "{name}"
        );
        let path = format!("/admin/balance-manager/get-user-licenses/{}", owner.user);
        let told = root.get(&path).await.ok();
        assert_eq!(
            (&told[0]["robotStatus"], &told[0]["allocated"], &told[0]["_id"]),
            (&row["status"], &row["allocated"], &row["_id"]),
            "{name}"
        );
        let found = list(&root, &format!("status={status}&limit=100")).await;
        assert!(owners(&found).contains(name), "{status}");
        assert!(
            found["data"]
                .as_array()
                .unwrap()
                .iter()
                .all(|row| row["status"] == *status)
        );
    }
    // What the overview counts is what its tile leads to.
    let working = list(&root, "status=working&limit=100").await;
    assert_eq!(working["meta"]["total"], 3);
    assert_eq!(working["sums"]["working"], 3);
    let house = root.get("/admin/general-view").await.ok();
    assert_eq!(house["robots"]["working"], 3);
    assert_eq!(page["sums"]["working"], 3);
}

#[actix_web::test]
async fn results_are_told_in_one_mode_and_never_added_up() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let (first, second) = (robot(&app, &ana, 200).await, robot(&app, &bia, 100).await);
    brought(&app, first, "simulated", 0, 3_000_000).await;
    brought(&app, first, "simulated", 1, -1_000_000).await;
    brought(&app, first, "live", 0, 70_000_000).await;
    brought(&app, second, "simulated", 0, -500_000).await;
    let root = app.admin("root").await;
    let page = list(&root, "sortby=today&sortdirection=desc").await;
    assert_eq!(owners(&page), ["ana", "bia"]);
    let told = |row: &Value| [row["mode"].clone(), row["today"].clone(), row["total"].clone()];
    assert_eq!(
        told(&page["data"][0]),
        [json!("simulated"), json!("3.000000"), json!("2.000000")]
    );
    assert_eq!(
        told(&page["data"][1]),
        [json!("simulated"), json!("-0.500000"), json!("-0.500000")]
    );
    assert_eq!(
        page["sums"],
        json!({ "owners": 2, "working": 2, "allocated": "300.000000", "today": "2.500000" })
    );
    assert_eq!(page["mode"], "simulated");
    // Of another mode than the desk's only who has a result in it.
    let live = list(&root, "mode=live").await;
    assert_eq!((&live["mode"], owners(&live)), (&json!("live"), vec!["ana"]));
    assert_eq!(
        told(&live["data"][0]),
        [json!("live"), json!("70.000000"), json!("70.000000")]
    );
    assert_eq!(
        live["sums"],
        json!({ "owners": 1, "working": 1, "allocated": "200.000000", "today": "70.000000" })
    );
    assert_eq!(list(&root, "mode=paper").await["data"], json!([]));
    // Tomorrow nothing is of today.
    app.clock.advance(Duration::days(1));
    let root = app.renew(&root);
    let page = list(&root, "search=ana").await;
    assert_eq!(
        told(&page["data"][0]),
        [json!("simulated"), json!("0.000000"), json!("2.000000")]
    );
}

#[actix_web::test]
async fn it_is_filtered_sorted_paged_and_written_as_a_file() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.user("bia").await,
        app.user("caio").await,
    );
    let first = robot(&app, &ana, 100).await;
    app.clock.advance(Duration::days(1));
    let (ana, bia, caio) = (app.renew(&ana), app.renew(&bia), app.renew(&caio));
    let second = robot(&app, &bia, 300).await;
    app.clock.advance(Duration::minutes(5));
    let third = robot(&app, &ana, 50).await;
    set(&app, third, "eligible_from = eligible_from + interval '1 day'").await;
    fund(&app, &caio, UserAccount::Available, 50).await;
    buy(&caio, PLAN_50_RISKY).await;
    brought(&app, first, "simulated", 0, 1_000_000).await;
    brought(&app, second, "simulated", 0, 2_500_000).await;
    let root = app.admin("root").await;
    let all = list(&root, "").await;
    assert_eq!(
        (&all["meta"]["total"], &all["meta"]["limit"]),
        (&json!(4), &json!(10))
    );
    assert_eq!(all["sums"]["owners"], 3);
    let day = |ago: i64| business_day::of(app.context.now()) - Duration::days(ago);
    for (query, expected) in [
        ("search=bia".to_owned(), 1),
        ("search=BIA".to_owned(), 1),
        ("search=ninguem".to_owned(), 0),
        // The second licence of its owner.
        ("search=%232".to_owned(), 1),
        ("kind=high_risk".to_owned(), 1),
        ("kind=standard".to_owned(), 3),
        ("status=idle".to_owned(), 1),
        ("status=reversed".to_owned(), 0),
        ("mode=simulated".to_owned(), 4),
        (format!("endDate={}", day(1)), 1),
        (format!("startDate={}", day(0)), 3),
        ("kind=standard&search=ana&status=working".to_owned(), 2),
    ] {
        assert_eq!(list(&root, &query).await["meta"]["total"], expected, "{query}");
    }
    for (sort, order) in [
        ("created_at", ["ana", "bia", "ana", "caio"]),
        ("username", ["ana", "ana", "bia", "caio"]),
        ("allocated", ["caio", "ana", "ana", "bia"]),
        ("status", ["caio", "ana", "ana", "bia"]),
    ] {
        let page = list(&root, &format!("sortby={sort}&sortdirection=asc")).await;
        let mut found = owners(&page);
        if sort == "status" {
            // Idle, joining, and two that operate: those by their ids.
            found[2..].sort_unstable();
        }
        assert_eq!(found, order, "{sort}");
    }
    let page = list(&root, "sortby=value&sortdirection=asc").await;
    assert_eq!(owners(&page)[0], "caio");
    let page = list(&root, "sortby=today&sortdirection=desc").await;
    assert_eq!(owners(&page)[..2], ["bia", "ana"]);
    let page = list(&root, "limit=2&page=2&sortby=username&sortdirection=asc").await;
    assert_eq!(owners(&page), ["bia", "caio"]);
    for wrong in [
        "mode=gold",
        "status=gold",
        "status=active",
        "kind=gold",
        "sortby=total",
        "startDate=gold",
        "limit=0",
        "limit=501",
        "format=pdf",
    ] {
        root.get(&format!("{PATH}?{wrong}"))
            .await
            .refused(422, "request.invalid");
    }

    let file = root
        .get(&format!(
            "{PATH}?format=csv&limit=1&page=9&sortby=allocated&sortdirection=desc"
        ))
        .await;
    assert_eq!(file.status, 200, "{}", file.body);
    assert_eq!(file.headers["x-total-rows"], "4");
    let lines: Vec<&str> = file.body.as_str().unwrap().lines().collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert_eq!(
        lines[1],
        "Data;Usuário;Nome;Número;Plano;Valor (USDT);Modo;Situação;Alocado (USDT);Hoje (USDT);Total (USDT)"
    );
    assert!(
        lines[2].contains(";bia;") && lines[2].contains(";SIMULADO;"),
        "{}",
        lines[2]
    );
    assert!(
        lines[2].ends_with(";300,000000;2,500000;2,500000"),
        "{}",
        lines[2]
    );
    let only = root.get(&format!("{PATH}?format=csv&kind=high_risk")).await;
    assert_eq!(only.headers["x-total-rows"], "1");

    // Money of others is for who decides about it.
    for by in [&ana, &app.person("sis", SYSTEM_EMPLOYEE).await] {
        for query in ["", "?format=csv"] {
            by.get(&format!("{PATH}{query}"))
                .await
                .refused(403, "auth.forbidden");
        }
    }
}
