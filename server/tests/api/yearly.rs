//! A person's year: what it says is what the statement and the books say, to the last digit, while it runs and when it is over.

use crate::{
    claw_back::{credited, reverse},
    guard::{send, settings},
    kit::{Client, TestApp, usdt},
    licences::{PLAN_100, buy, earn, exact, id},
    pix::end_to_end,
    pix_withdrawals::{customer, withdraw},
    presale_market::give_pyx,
    statement::{printed, read},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{foundation::business_day, robots::days};
use time::{Date, Duration, Month};

async fn yearly(app: &TestApp, who: &Client, query: &str) -> Value {
    app.renew(who)
        .get(&format!("/yearly-statement{query}"))
        .await
        .ok()
}

/// Opening and changes are closing, accounts and months add up, and the statement of the same days says the same.
async fn adds_up(app: &TestApp, who: &Client, told: &Value) {
    let sum = |list: &Value, name: &str| -> Usdt {
        list.as_array().unwrap().iter().map(|row| usdt(&row[name])).sum()
    };
    let (opening, closing) = (usdt(&told["opening"]), usdt(&told["closing"]));
    assert_eq!(sum(&told["accounts"], "before"), opening, "{told}");
    assert_eq!(sum(&told["accounts"], "after"), closing, "{told}");
    let changes = &told["changes"];
    let mut change = usdt(&changes["paidIn"]) - usdt(&changes["paidOut"]) + sum(&told["results"], "total");
    for name in [
        "pools",
        "bonus",
        "licences",
        "exchange",
        "sponsorship",
        "loans",
        "corrections",
    ] {
        change += usdt(&changes[name]);
    }
    assert_eq!(opening + change, closing, "{told}");
    assert_eq!(sum(&told["months"], "paidIn"), usdt(&changes["paidIn"]));
    assert_eq!(sum(&told["months"], "paidOut"), usdt(&changes["paidOut"]));
    for mode in told["results"].as_array().unwrap() {
        assert_eq!(sum(&mode["months"], "net"), usdt(&mode["total"]), "{mode}");
    }
    let crossed = |way: &str| -> Usdt {
        let rows = told["crossings"].as_array().unwrap().iter();
        rows.filter(|row| row["crossed"] == way)
            .map(|row| usdt(&row["usdt"]))
            .sum()
    };
    assert_eq!(crossed("in"), usdt(&changes["paidIn"]), "{told}");
    assert_eq!(
        crossed("out") + crossed("returned"),
        usdt(&changes["paidOut"]),
        "{told}"
    );

    let days = format!(
        "?limit=1&startDate={}-01-01&endDate={}",
        told["year"],
        told["lastDay"].as_str().unwrap()
    );
    let statement = app.renew(who).get(&format!("/statement{days}")).await.ok();
    assert_eq!(
        (&statement["opening"], &statement["closing"]),
        (&told["opening"], &told["closing"])
    );
    let flows = &statement["flows"];
    for (here, there) in [
        ("paidIn", "entries"),
        ("paidOut", "exits"),
        ("bonus", "bonus"),
        ("licences", "licences"),
        ("exchange", "exchange"),
        ("sponsorship", "sponsorship"),
        ("loans", "loans"),
        ("corrections", "corrections"),
    ] {
        assert_eq!(changes[here], flows[there], "{here}");
    }
    assert_eq!(
        sum(&told["results"], "total") + usdt(&changes["pools"]),
        usdt(&flows["results"])
    );
}

/// To the second day of the year after.
fn next_year(app: &TestApp) -> i32 {
    let now = app.context.now();
    let year = business_day::of(now).year() + 1;
    let second = Date::from_calendar_date(year, Month::January, 2).unwrap();
    app.clock
        .advance(business_day::start(second) + Duration::HOUR - now);
    year
}

#[actix_web::test]
async fn a_year_is_told_while_it_runs_and_stays_so_when_it_is_over() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, admin) = (customer(&app, "ana", "2500").await, app.admin("bia").await);
    app.user("bea").await;
    let licence = id(&buy(&ana, PLAN_100).await);
    for (path, value) in [
        ("/licences/topup", "300"),
        ("/trader/allocate-value-in-trading", "250"),
    ] {
        let body = json!({ "licence": licence, "value": value });
        ana.post(path, &body).await.ok();
    }
    earn(&app, &licence, 12).await;
    earn(&app, &licence, -2).await;
    send(&app, &ana, "ana", "bea", "20").await.ok();
    give_pyx(&app, &ana, 7).await;
    let made = withdraw(&app, &ana, "ana", "50").await;
    let bank = end_to_end(app.context.now(), "9");
    let body = json!({ "id": made["_id"], "status": "approved", "holderChecked": true, "endToEndId": bank, "brl": made["brl"] });
    admin
        .patch("/admin/withdraw-pix-approve-reject", &body)
        .await
        .ok();

    let running = yearly(&app, &ana, "").await;
    let year = running["year"].as_i64().unwrap();
    assert_eq!(running["running"], true);
    assert_eq!(running["years"], json!([year]));
    adds_up(&app, &ana, &running).await;
    assert_eq!(running["opening"], "0.000000");
    // 2500 − 100 − 20 − 50 + 10
    assert_eq!(running["closing"], "2340.000000");
    assert_eq!(
        (&running["changes"]["paidIn"], &running["changes"]["paidOut"]),
        (&json!("2500.000000"), &json!("70.000000"))
    );
    let results = running["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(
        (&results[0]["mode"], &results[0]["total"]),
        (&json!("simulated"), &json!("10.000000"))
    );
    assert_eq!(running["licences"][0]["number"], 1);
    assert_eq!(running["pyx"]["after"], "7.000000");
    let out = running["crossings"].as_array().unwrap().iter();
    let pix: Vec<&Value> = out
        .filter(|row| row["crossed"] == "out" && row["way"] == "pix")
        .collect();
    assert_eq!(
        (&pix[0]["usdt"], &pix[0]["brl"]),
        (&json!("50.000000"), &made["brl"])
    );
    let goods = running["goods"].as_array().unwrap();
    assert_eq!(
        (&goods[0]["group"], &goods[0]["code"], &goods[0]["after"]),
        (&json!("08"), &json!("03"), &json!("2340.000000"))
    );
    assert_eq!(goods[1]["coin"], "PYX");

    // What happens afterwards is another year's, whether or not the days of the one before are closed.
    let after = next_year(&app);
    earn(&app, &licence, 5).await;
    let mut over = Vec::new();
    for _ in 0..2 {
        let told = yearly(&app, &ana, &format!("?year={year}")).await;
        assert_eq!(told["running"], false);
        assert_eq!(told["lastDay"], format!("{year}-12-31"));
        assert_eq!(told["closing"], "2340.000000");
        adds_up(&app, &ana, &told).await;
        over.push(told);
        let new = yearly(&app, &ana, "").await;
        assert_eq!(
            (&new["year"], &new["opening"], &new["closing"]),
            (&json!(after), &json!("2340.000000"), &json!("2345.000000"))
        );
        assert_eq!(new["years"], json!([after, year]));
        adds_up(&app, &ana, &new).await;
        days::close_due(&app.context).await.unwrap();
    }
    assert_eq!(over[0], over[1]);
    exact(&app).await;
}

#[actix_web::test]
async fn a_deposit_taken_back_is_told_as_that() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let deposit = credited(&app, &ana, &admin, "40", 7).await;
    app.clock.advance(Duration::seconds(1));
    reverse(&admin, &deposit).await.ok();
    let told = yearly(&app, &ana, "").await;
    adds_up(&app, &ana, &told).await;
    let rows: Vec<(&Value, &Value, &Value)> = told["crossings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["crossed"], &row["way"], &row["brl"]))
        .collect();
    assert_eq!(
        rows,
        [
            (&json!("in"), &json!("pix"), &deposit["brl"]),
            (&json!("returned"), &json!("pix"), &deposit["brl"])
        ]
    );
}

#[actix_web::test]
async fn a_year_before_the_account_or_to_come_is_refused_and_its_files_say_what_they_are() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let ana = customer(&app, "ana", "2500").await;
    let licence = id(&buy(&ana, PLAN_100).await);
    earn(&app, &licence, 12).await;
    let year = business_day::of(app.context.now()).year();
    for wrong in [year - 1, year + 1, 0, -1] {
        for path in ["", ".csv", ".pdf"] {
            ana.get(&format!("/yearly-statement{path}?year={wrong}"))
                .await
                .refused(422, "request.invalid");
        }
    }
    let csv = ana.get("/yearly-statement.csv").await;
    let csv = csv.body.as_str().unwrap();
    let pdf = read(&printed(&ana, "/yearly-statement.pdf", "pt").await, &["-layout"]).await;
    for text in ["DEMO", "SIMULADO", "Grupo 08", "PIX"] {
        assert!(csv.contains(text), "{text} in {csv}");
        assert!(pdf.contains(text), "{text} in {pdf}");
    }
    assert!(
        csv.contains("2412,000000") && pdf.contains("2.412,00"),
        "{csv}{pdf}"
    );
    assert!(csv.contains("não é orientação tributária"), "{csv}");
    assert!(
        pdf.contains("Informe anual") && pdf.contains("ano em curso"),
        "{pdf}"
    );
}
