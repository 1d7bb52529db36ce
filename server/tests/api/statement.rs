//! The statement against the ledger, to the last digit.

use crate::{
    analytics::deposit,
    guard::{send, settings},
    kit::{Client, TestApp},
    licences::{PLAN_100, buy, earn, fund, id},
};
use futures_util::FutureExt;
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    foundation::turns,
    ledger::model::UserAccount::{Available, Bonus},
};
use time::Duration;

fn usdt(value: &Value) -> Usdt {
    value.as_str().unwrap_or("0").parse().unwrap()
}

async fn statement(client: &Client, query: &str) -> Value {
    client.get(&format!("/statement{query}")).await.ok()
}

/// Opening + what came − what left = closing = the ledger's own balance; and each line's balance follows from the one before.
fn adds_up(page: &Value) {
    let rows = page["data"].as_array().unwrap();
    let mut balance = usdt(&page["opening"]);
    for row in rows.iter().rev() {
        balance = balance + usdt(&row["credit"]) - usdt(&row["debit"]);
        assert_eq!(balance, usdt(&row["balance"]), "{row}");
    }
    assert_eq!(balance, usdt(&page["closing"]));
    if !page["credits"].is_null() {
        let moved = usdt(&page["credits"]) - usdt(&page["debits"]);
        assert_eq!(usdt(&page["opening"]) + moved, usdt(&page["closing"]));
    }
    assert_eq!(
        usdt(&page["opening"]) + net(page),
        usdt(&page["closing"]),
        "{page}"
    );
}

/// What the flows of a period did together.
fn net(page: &Value) -> Usdt {
    let flows = page["flows"].as_object().unwrap();
    let sum = |sum: Usdt, (name, value): (&String, &Value)| {
        if name == "exits" {
            sum - usdt(value)
        } else {
            sum + usdt(value)
        }
    };
    flows.iter().fold(Usdt::ZERO, sum)
}

async fn owned(app: &TestApp, client: &Client, name: Option<&str>) -> Usdt {
    let sum: i64 = sqlx::query_scalar(
        "SELECT COALESCE(sum(balance), 0)::bigint FROM ledger.account
         WHERE currency = 'USDT' AND (owner = $1 OR owner IN (SELECT id FROM licences.licence WHERE owner = $1)) AND CASE WHEN $2::text IS NULL THEN name <> 'price' ELSE name = $2 END",
    )
    .bind(client.user.0)
    .bind(name)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    Usdt(sum)
}

#[actix_web::test]
async fn sums_of_lines_are_the_ledgers_balances() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 400).await;
    fund(&app, &ana, Bonus, 7).await;
    send(&app, &ana, "ana", "bea", "12.345678").await.ok();
    let plans = ana.get("/licences/plans").await.ok();
    let plan = plans
        .as_array()
        .or_else(|| plans["data"].as_array())
        .unwrap()
        .iter()
        .find(|p| p["value"] == "100.000000")
        .unwrap()
        .clone();
    let licence = ana
        .post(
            "/licences/buy",
            &json!({ "plan": plan["_id"], "source": "available", "riskAccepted": true }),
        )
        .await
        .ok();
    ana.post(
        "/licences/topup",
        &json!({ "licence": licence["_id"], "value": "50.5", "source": "available" }),
    )
    .await
    .ok();

    let all = statement(&ana, "?limit=100").await;
    adds_up(&all);
    assert_eq!(usdt(&all["closing"]), owned(&app, &ana, None).await);
    assert_eq!(usdt(&all["opening"]), Usdt::ZERO);
    for account in ["available", "bonus", "topup", "price"] {
        let page = statement(&ana, &format!("?limit=100&account={account}")).await;
        adds_up(&page);
        assert_eq!(
            usdt(&page["closing"]),
            owned(&app, &ana, Some(account)).await,
            "{account}"
        );
        assert!(
            page["data"]
                .as_array()
                .unwrap()
                .iter()
                .all(|r| r["account"] == account)
        );
    }
    // Pages meet without a gap.
    let total = all["meta"]["total"].as_u64().unwrap();
    let mut seen = Vec::new();
    for page in 1..=total.div_ceil(2) {
        seen.extend(
            statement(&ana, &format!("?limit=2&page={page}")).await["data"]
                .as_array()
                .unwrap()
                .clone(),
        );
    }
    assert_eq!(&seen, all["data"].as_array().unwrap());
    // A kind keeps the true balances and the period's edges, and adds up only what it shows.
    let some = statement(&ana, "?kind=user_transfer").await;
    assert_eq!(some["meta"]["total"], 1);
    assert_eq!(
        (&some["flows"]["exits"], &some["flows"]["entries"]),
        (&json!("12.345678"), &json!("0.000000"))
    );
    assert!(
        some["debits"].is_null() && some["credits"].is_null(),
        "only one account has columns to add up"
    );
    assert_eq!(some["closing"], all["closing"]);

    // The next day begins where this one ended.
    app.clock.advance(Duration::days(1));
    let ana = app.renew(&ana);
    let today = app.context.now() - Duration::hours(3);
    send(&app, &ana, "ana", "bea", "1").await.ok();
    let page = statement(&ana, &format!("?startDate={}&account=available", today.date())).await;
    adds_up(&page);
    assert_eq!(page["meta"]["total"], 1);
    assert_eq!(usdt(&page["closing"]), owned(&app, &ana, Some("available")).await);

    // Behind each line stands its movement, with all that it did to one's own accounts and nothing of others'.
    for row in all["data"].as_array().unwrap() {
        let origin = ana
            .get(&format!("/statement/{}", row["transfer"].as_str().unwrap()))
            .await
            .ok();
        let amount = usdt(&row["credit"]) - usdt(&row["debit"]);
        let postings = origin["postings"].as_array().unwrap();
        assert!(
            postings.iter().any(|p| p["account"] == row["account"]
                && p["licence"] == row["licence"]
                && p["amount"] == amount.to_string()),
            "{row} {origin}"
        );
        assert_eq!((&origin["kind"], &origin["at"]), (&row["kind"], &row["at"]));
        match row["kind"].as_str().unwrap() {
            "user_transfer" => assert_eq!(
                (&origin["fact"]["from"], &origin["fact"]["to"], postings.len()),
                (&json!("ana"), &json!("bea"), 1)
            ),
            "licence_purchase" | "topup" => assert_eq!(origin["fact"]["licence"], licence["_id"]),
            _ => {}
        }
    }
    let sent = all["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["kind"] == "user_transfer")
        .unwrap();
    let path = format!("/statement/{}", sent["transfer"].as_str().unwrap());
    let received = app.renew(&bea).get(&path).await.ok();
    assert_eq!(received["postings"][0]["amount"], "12.345678");
    let cid = app.user("cid").await;
    cid.get(&path).await.refused(404, "statement.unknown");
    cid.get("/statement/01890000-0000-7000-8000-000000000000")
        .await
        .refused(404, "statement.unknown");

    // Nobody else's lines.
    let other = statement(&app.renew(&bea), "?limit=100").await;
    adds_up(&other);
    assert_eq!(other["meta"]["total"], 2);
    for bad in [
        "?account=house",
        "?kind=nothing",
        "?startDate=2026-13-01",
        "?startDate=2020-01-01&endDate=2026-01-01",
    ] {
        ana.get(&format!("/statement{bad}"))
            .await
            .refused(422, "request.invalid");
    }
}

#[actix_web::test]
async fn entries_are_what_came_from_outside_on_every_screen() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    deposit(&app, &ana, 2_500).await;
    deposit(&app, &bea, 50).await;
    send(&app, &bea, "bea", "ana", "20").await.ok();
    fund(&app, &ana, Bonus, 7).await;
    let licence = id(&buy(&ana, PLAN_100).await);
    for (path, value) in [
        ("/licences/topup", "300"),
        ("/trader/allocate-value-in-trading", "250"),
        ("/trader/relocate-value", "100"),
        ("/trader/allocate-value-in-trading", "100"),
    ] {
        let order = if path.ends_with("relocate-value") {
            json!({ "from": licence, "value": value })
        } else {
            json!({ "licence": licence, "value": value })
        };
        ana.post(path, &order).await.ok();
    }
    earn(&app, &licence, 12).await;
    earn(&app, &licence, -2).await;
    send(&app, &ana, "ana", "bea", "5").await.ok();

    let all = statement(&ana, "?limit=100").await;
    adds_up(&all);
    assert_eq!(
        all["flows"],
        json!({
            "entries": "2520.000000", "exits": "5.000000", "results": "10.000000", "bonus": "0.000000",
            "licences": "-100.000000", "exchange": "0.000000", "sponsorship": "7.000000", "loans": "0.000000",
            "corrections": "0.000000", "own": "0.000000",
        })
    );
    // One account alone: what came from one's other accounts is said to have come from there.
    let topup = statement(&ana, "?limit=100&account=topup").await;
    adds_up(&topup);
    assert_eq!(
        (&topup["flows"]["entries"], &topup["flows"]["own"]),
        (&json!("0.000000"), &json!("50.000000"))
    );
    assert_eq!(
        (&topup["credits"], &topup["debits"]),
        (&json!("400.000000"), &json!("350.000000"))
    );

    // What was paid in on the dashboard are the entries, and staff read the same sums.
    let analytics = ana.get("/dashboard/analytics/all").await.ok();
    let point = analytics["equity"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&point["paidIn"], &point["takenOut"], &point["netPaidIn"]),
        (&json!("2520.000000"), &json!("5.000000"), &json!("2515.000000"))
    );
    assert_eq!(analytics["deposited"], true);
    let admin = app.admin("rui").await;
    let path = format!("/admin/user-financial-summary/{}", ana.user);
    let summary = admin.get(&path).await.ok();
    assert_eq!(summary["flows"], all["flows"]);
}

#[actix_web::test]
async fn files_say_the_same_and_that_it_is_play_money() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 40).await;
    for value in ["1", "2.5", "0.000001"] {
        send(&app, &ana, "ana", "bea", value).await.ok();
    }
    let csv = ana.get("/statement.csv?account=available").await;
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
    let text = csv.body.as_str().unwrap();
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    assert!(lines[0].contains("DEMO"), "{text}");
    assert!(
        lines[2].contains("Saldo inicial") && lines[2].contains("0,000000"),
        "{text}"
    );
    assert!(
        lines[3].contains("Patrocínio recebido") && lines[3].contains(";40,000000;;40,000000;USDT"),
        "{text}"
    );
    assert!(
        lines.last().unwrap().contains("Saldo final") && lines.last().unwrap().contains("36,499999"),
        "{text}"
    );
    assert_eq!(lines.len(), 2 + 2 + 4);

    let text = read(&printed(&ana, "/statement.pdf", "pt").await, &["-layout"]).await;
    for said in [
        "DEMO",
        "Saldo inicial",
        "Patrocínio recebido",
        "40,00",
        "Saldo final",
        "36,499999",
        "Página 1/1",
    ] {
        assert!(text.contains(said), "{said} in {text}");
    }
}

/// A document of the statement's.
pub async fn printed(client: &Client, path: &str, locale: &str) -> Vec<u8> {
    let pdf = client
        .http
        .get(format!("{}{path}", client.base))
        .bearer_auth(client.token.as_deref().unwrap())
        .header("locale", locale)
        .send()
        .await
        .unwrap();
    assert_eq!(pdf.headers()["content-type"], "application/pdf");
    pdf.bytes().await.unwrap().to_vec()
}

/// What a reader of documents finds in one: poppler's, as most people's on Linux.
pub async fn read(pdf: &[u8], how: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.pdf");
    std::fs::write(&file, pdf).unwrap();
    let done = tokio::process::Command::new("pdftotext")
        .args(how)
        .arg(&file)
        .arg("-")
        .output()
        .await
        .unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// Pages of A4 with the edges of each word on them: left, upper, right, lower.
fn edges(boxes: &str) -> Vec<[f64; 4]> {
    let number = |line: &str, name: &str| -> f64 {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    boxes
        .lines()
        .filter(|line| line.contains("<word "))
        .map(|line| ["xMin", "yMin", "xMax", "yMax"].map(|name| number(line, name)))
        .collect()
}

#[actix_web::test]
async fn a_document_has_every_name_whole_and_on_its_page() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let long = "Maria Aparecida dos Santos ".repeat(5);
    let [wide, cyrillic, far] = ["W", "Щ", "龍"].map(|letter| letter.repeat(120));
    let names = [
        ("Łukasz Żółć", true),
        ("Œuvre D’Ambrosio", true),
        ("Жанна Ёжикова", true),
        ("Ελένη Παπαδοπούλου", true),
        ("Nguyễn Thị Ảnh", true),
        (&long[..120], true),
        (wide.as_str(), true),
        (cyrillic.as_str(), true),
        ("Ana 李小龍", false),
        ("Ana 🤷🏽\u{200d}♀\u{fe0f} Lima", false),
        ("علی\u{200c}رضا", false),
        (far.as_str(), false),
    ];
    for (name, drawn) in names {
        sqlx::query("UPDATE identity.account SET full_name = $2 WHERE id = $1")
            .bind(ana.user.0)
            .bind(name)
            .execute(&app.sql)
            .await
            .unwrap();
        let pdf = printed(&ana, "/statement.pdf", "en").await;
        let text = read(&pdf, &["-raw"]).await;
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        // From right to left it is read in another order.
        if !name.starts_with('ع') {
            assert!(bare(&text).contains(&bare(name)), "{name} in {text}");
        }
        let legend = text.contains("in place of a letter that this document’s font does not have");
        assert_eq!(legend, !drawn, "{name} in {text}");
        let words = edges(&read(&pdf, &["-bbox"]).await);
        assert!(words.len() > 10);
        for [left, top, right, bottom] in words {
            let inside = left >= 30.0 && top >= 30.0 && right <= 565.0 && bottom <= 812.0;
            assert!(inside, "{name}: {left} {top} {right} {bottom}");
        }
    }
}

#[actix_web::test]
async fn one_person_has_one_file_written_at_a_time() {
    let app = TestApp::start().await;
    let (ana, rui) = (app.user("ana").await, app.user("rui").await);
    let writing = turns::export(ana.user).await.unwrap();
    let mut waiting = [
        Box::pin(turns::export(ana.user)),
        Box::pin(turns::export(ana.user)),
    ];
    for turn in &mut waiting {
        assert!(turn.as_mut().now_or_never().is_none());
    }
    ana.get("/statement.pdf").await.refused(503, "service.busy");
    rui.get("/statement.pdf").await.ok();
    drop((waiting, writing));
    ana.get("/statement.pdf").await.ok();
    // Lists as files have one turn together, whichever list it is.
    let listing = turns::list(ana.user).await.unwrap();
    for path in ["/statement.csv", "/activity.csv", "/transfers-list?format=csv"] {
        let busy = ana.get(path).await;
        assert_eq!(busy.code(), "export.busy", "{path}: {}", busy.body);
        rui.get(path).await.ok();
    }
    drop(listing);
    ana.get("/statement.csv").await.ok();
}

/// Robots book all the time: what came since the first page moves no line from one page to another.
#[actix_web::test]
async fn pages_do_not_shift_while_movements_are_booked() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    for n in 1..=7 {
        fund(&app, &ana, Available, n).await;
        app.clock.advance(Duration::seconds(1));
    }
    let ids = |page: &Value| -> Vec<String> {
        let rows = page["data"].as_array().unwrap().iter();
        rows.map(|row| row["_id"].as_str().unwrap().to_owned()).collect()
    };
    let first = statement(&ana, "?limit=3").await;
    let as_of = first["meta"]["asOf"].as_str().unwrap().to_owned();
    let mut seen = ids(&first);
    for page in 2..=3 {
        fund(&app, &ana, Available, 100).await;
        app.clock.advance(Duration::seconds(1));
        let next = statement(&ana, &format!("?limit=3&page={page}&asOf={as_of}")).await;
        assert_eq!(
            (
                &next["meta"]["page"],
                &next["meta"]["total"],
                &next["meta"]["asOf"]
            ),
            (&json!(page), &json!(7), &json!(as_of))
        );
        // What came since is in no sum either.
        assert_eq!(next["closing"], "28.000000");
        seen.extend(ids(&next));
    }
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!((seen.len(), once.len()), (7, 7), "{seen:?}");
    let fresh = statement(&ana, "?limit=3").await;
    assert_eq!(fresh["meta"]["total"], 9);
    assert_ne!(fresh["meta"]["asOf"], first["meta"]["asOf"]);
    for wrong in ["yesterday", "2026-11-20", "9999-12-31T23:59:59-01:00"] {
        ana.get(&format!("/statement?page=2&asOf={wrong}"))
            .await
            .refused(422, "request.invalid");
    }
}
