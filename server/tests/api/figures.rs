//! One figure, one source: whatever call, file or document shows a person's money says the same; and what happened to it is told as its
//! person lived it, a line an event.

use crate::{
    claw_back::{credited, reverse},
    guard::{send, settings},
    kit::{Client, TestApp, usdt},
    licences::{PLAN_100, buy, earn, exact, fund, id},
    pix::end_to_end,
    pix_withdrawals::{self, customer, withdraw},
    pools,
    presale_market::{self, open_market, trader},
    sponsorship,
    statement::{printed, read},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{foundation::locale::Locale, ledger::model::UserAccount::Available};
use time::Duration;

async fn activity(client: &Client, query: &str) -> Value {
    client.get(&format!("/activity{query}")).await.ok()
}

/// Events as people read them, newest first: what, amount or what it moved, where it stands.
fn told(page: &Value) -> Vec<(String, String, String)> {
    let rows = page["data"].as_array().unwrap().iter();
    rows.map(|row| {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let amount = text("amount");
        let shown = if amount == "0.000000" {
            format!("({})", text("moved"))
        } else {
            amount
        };
        (text("kind"), shown, text("state"))
    })
    .collect()
}

fn line(kind: &str, amount: &str, state: &str) -> (String, String, String) {
    (kind.to_owned(), amount.to_owned(), state.to_owned())
}

/// The figures of a person by everything that shows them.
async fn everywhere(app: &TestApp, admin: &Client, who: &Client) -> Value {
    let (admin, who) = (app.renew(admin), app.renew(who));
    let results = who.get("/dashboard/my-results").await.ok()["myResults"].clone();
    let summary = admin
        .get(&format!("/admin/user-financial-summary/{}", who.user))
        .await
        .ok();
    let figures = summary["figures"].clone();
    for name in [
        "total",
        "available",
        "invested",
        "sponsored",
        "paidIn",
        "takenOut",
        "netPaidIn",
        "result",
    ] {
        assert_eq!(results[name], figures[name], "{name}");
    }
    // The dashboard's line ends in them.
    let analytics = who.get("/dashboard/analytics/all").await.ok();
    let last = analytics["equity"].as_array().unwrap().last().unwrap().clone();
    for name in ["total", "paidIn", "takenOut", "netPaidIn"] {
        assert_eq!(last[name], figures[name], "{name} of the line");
    }
    // Both views of the statement close with the total, by the same flows; the events add up to it.
    let ledger = who.get("/statement?limit=100").await.ok();
    let events = activity(&who, "?limit=100").await;
    for page in [&ledger, &events] {
        assert_eq!(page["closing"], figures["total"]);
        assert_eq!(page["flows"]["entries"], figures["paidIn"]);
        assert_eq!(page["flows"]["exits"], figures["takenOut"]);
        assert_eq!(page["flows"]["results"], figures["result"]);
    }
    assert_eq!(ledger["flows"], events["flows"]);
    assert_eq!(summary["flows"], ledger["flows"]);
    let sum: Usdt = events["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| usdt(&e["amount"]))
        .sum();
    assert_eq!(
        usdt(&events["opening"]) + sum,
        usdt(&events["closing"]),
        "{events}"
    );
    // What staff read of each account adds up to it, the price of a licence aside; and what one is told of oneself names the same.
    let accounts = summary["accounts"].as_object().unwrap();
    let of = |name: &str| match name {
        "pool_principal" => usdt(&accounts["poolPrincipal"]),
        _ => usdt(&accounts[name]),
    };
    let total: Usdt = results["totalAccounts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| of(name.as_str().unwrap()))
        .sum();
    assert_eq!(total, usdt(&figures["total"]));
    let me = who.get("/me").await.ok();
    assert_eq!(me["user"]["balance"], figures["available"]);
    let listed = admin
        .get(&format!(
            "/admin/users-list/?search={}",
            me["user"]["username"].as_str().unwrap()
        ))
        .await
        .ok();
    assert_eq!(listed["data"][0]["balance"], figures["available"]);
    // Files.
    for path in ["/statement.csv", "/activity.csv"] {
        let csv = who.get(path).await;
        let text = csv.body.as_str().unwrap().to_owned();
        let closing = text.lines().last().unwrap();
        let total = figures["total"].as_str().unwrap().replace('.', ",");
        assert!(
            closing.contains("Saldo final") && closing.contains(&total),
            "{path}: {closing} {total}"
        );
    }
    let total = Locale::Pt.amount(figures["total"].as_str().unwrap());
    for path in ["/statement.pdf", "/activity.pdf"] {
        let text = document(&who, path).await;
        let closing = text.lines().rfind(|line| line.contains("Saldo final"));
        assert!(
            closing.is_some_and(|line| line.trim_end().ends_with(&total)),
            "{path}: {total} in {text}"
        );
    }
    figures
}

/// What a reader finds in a document.
async fn document(who: &Client, path: &str) -> String {
    read(&printed(who, path, "pt").await, &["-layout"]).await
}

fn said(figures: &Value, names: [&str; 4]) -> [String; 4] {
    names.map(|name| figures[name].as_str().unwrap().to_owned())
}

#[actix_web::test]
async fn every_screen_and_file_says_the_same_of_ones_money() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let ana = customer(&app, "ana", "2500").await;
    let (bea, admin) = (app.user("bea").await, app.admin("bia").await);
    let names = ["total", "paidIn", "takenOut", "result"];
    let seen = everywhere(&app, &admin, &ana).await;
    assert_eq!(
        said(&seen, names),
        ["2500.000000", "2500.000000", "0.000000", "0.000000"]
    );

    // A licence is paid when it is bought, and allocating changes nothing of what one owns.
    let licence = id(&buy(&ana, PLAN_100).await);
    let bought = everywhere(&app, &admin, &ana).await;
    assert_eq!(bought["total"], "2400.000000");
    for (path, value) in [
        ("/licences/topup", "300"),
        ("/trader/allocate-value-in-trading", "250"),
    ] {
        ana.post(path, &json!({ "licence": licence, "value": value }))
            .await
            .ok();
        assert_eq!(
            everywhere(&app, &admin, &ana).await["total"],
            "2400.000000",
            "{path}"
        );
    }
    // What is bought and given back is had again.
    let second = id(&buy(&ana, PLAN_100).await);
    assert_eq!(everywhere(&app, &admin, &ana).await["total"], "2300.000000");
    ana.post("/licences/cancel", &json!({ "licence": second }))
        .await
        .ok();
    assert_eq!(everywhere(&app, &admin, &ana).await["total"], "2400.000000");

    // Sponsored: in the total wherever it lies, and always said beside it.
    sponsorship::order(&admin, &ana, "add", "25", None).await.ok();
    sponsorship::order(&admin, &ana, "add", "15", Some(&licence))
        .await
        .ok();
    let given = everywhere(&app, &admin, &ana).await;
    assert_eq!(
        (&given["total"], &given["sponsored"]),
        (&json!("2440.000000"), &json!("40.000000"))
    );
    assert_eq!(given["invested"], "315.000000");
    assert_eq!(
        given["paidIn"], "2500.000000",
        "what the house gives was not paid in"
    );

    earn(&app, &licence, 12).await;
    earn(&app, &licence, -2).await;
    let earned = everywhere(&app, &admin, &ana).await;
    assert_eq!(
        said(&earned, names),
        ["2450.000000", "2500.000000", "0.000000", "10.000000"]
    );

    // A pool, a loan's fee, a transfer, a withdrawal on its way and paid.
    pools::join(&ana, "100").await;
    let pooled = everywhere(&app, &admin, &ana).await;
    assert_eq!(
        (&pooled["total"], &pooled["invested"]),
        (&json!("2450.000000"), &json!("413.000000"))
    );
    send(&app, &ana, "ana", "bea", "20").await.ok();
    let made = withdraw(&app, &ana, "ana", "50").await;
    let waiting = everywhere(&app, &admin, &ana).await;
    assert_eq!(
        said(&waiting, names),
        ["2430.000000", "2500.000000", "20.000000", "10.000000"]
    );
    let bank = end_to_end(app.context.now(), "9");
    let body = json!({ "id": made["_id"], "status": "approved", "holderChecked": true, "endToEndId": bank, "brl": made["brl"] });
    admin
        .patch("/admin/withdraw-pix-approve-reject", &body)
        .await
        .ok();
    let left = everywhere(&app, &admin, &ana).await;
    assert_eq!(
        said(&left, names),
        ["2380.000000", "2500.000000", "70.000000", "10.000000"]
    );
    assert_eq!(left["netPaidIn"], "2430.000000");
    let received = everywhere(&app, &admin, &bea).await;
    assert_eq!(
        said(&received, names),
        ["20.000000", "20.000000", "0.000000", "0.000000"]
    );

    // All of it, as it was lived: nothing of what was set aside, no price that leaves twice, nothing counted up and down.
    let ana = app.renew(&ana);
    let page = activity(&ana, "?limit=100").await;
    let withdrawal = &page["data"][0];
    assert_eq!(withdrawal["movements"], 2);
    let mut lines = told(&page);
    // The robots' day stands where its last result came.
    let robots = lines
        .iter()
        .position(|(kind, ..)| kind == "robot_results")
        .unwrap();
    assert_eq!(lines.remove(robots), line("robot_results", "10.000000", "done"));
    assert_eq!(
        lines,
        [
            line("withdrawal_pix", "-50.000000", "paid"),
            line("transfer_sent", "-20.000000", "done"),
            line("pool_entry", "(100.000000)", "done"),
            line("sponsorship_add", "15.000000", "done"),
            line("sponsorship_add", "25.000000", "done"),
            line("licence_cancel", "100.000000", "done"),
            line("licence_purchase", "-100.000000", "undone"),
            line("allocation", "(250.000000)", "done"),
            line("topup", "(300.000000)", "done"),
            line("licence_purchase", "-100.000000", "done"),
            line("deposit_pix", "2500.000000", "done"),
        ]
    );
    assert_eq!(page["data"][1]["counterparty"], "bea");
    let rows = page["data"].as_array().unwrap().iter();
    let numbers: Vec<&Value> = rows
        .filter(|row| row["kind"] == "licence_purchase")
        .map(|row| &row["licence"])
        .collect();
    assert_eq!(numbers, [2, 1]);
    // Its document in words, with the amounts' one form.
    let pdf = document(&ana, "/activity.pdf").await;
    for text in [
        "Saque PIX",
        "-50,00",
        "pago",
        "2.380,00",
        "2.500,00",
        "Compra de licença #1",
        "-100,00",
    ] {
        assert!(pdf.contains(text), "{text} in {pdf}");
    }
    assert!(!pdf.contains("Reserva") && !pdf.contains("definitiva"));
    // The total at its edges, unless some of its events alone were asked for.
    assert!(pdf.contains("Saldo final"));
    for path in ["/activity.csv?group=deposits", "/activity.pdf?group=deposits"] {
        let some = if path.contains("pdf") {
            document(&ana, path).await
        } else {
            ana.get(path).await.body.as_str().unwrap().to_owned()
        };
        assert!(
            some.contains("2.500,0") || some.contains("2500,0"),
            "{path}: {some}"
        );
        assert!(
            !some.contains("Saldo inicial") && !some.contains("Saldo final"),
            "{path}: {some}"
        );
    }
    exact(&app).await;
}

#[actix_web::test]
async fn an_event_is_one_line_from_its_beginning_to_its_end() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, admin) = (customer(&app, "ana", "200").await, app.admin("bia").await);
    let made = withdraw(&app, &ana, "ana", "60").await;
    assert_eq!(
        told(&activity(&ana, "?limit=1").await),
        [line("withdrawal_pix", "(60.000000)", "waiting")]
    );
    pix_withdrawals::decide(&admin, &made, json!({ "status": "rejected", "reason": "Chave" }))
        .await
        .ok();
    let page = activity(&ana, "?group=withdrawals").await;
    assert_eq!(told(&page), [line("withdrawal_pix", "(60.000000)", "returned")]);
    assert_eq!(
        (&page["meta"]["total"], &page["data"][0]["movements"]),
        (&json!(1), &json!(2))
    );
    // One step further are the books: what was set aside, and what became of it.
    let transfers = page["data"][0]["transfers"].as_array().unwrap().clone();
    for (transfer, kind) in transfers.iter().zip(["hold_voided", "hold"]) {
        let origin = ana
            .get(&format!("/statement/{}", transfer.as_str().unwrap()))
            .await
            .ok();
        assert_eq!(origin["kind"], kind);
        assert_eq!(
            (&origin["event"]["kind"], &origin["event"]["amount"]),
            (&json!("withdrawal_pix"), &json!("0.000000"))
        );
    }

    // A deposit that the bank takes back is one line more, and the first says so.
    app.clock.advance(Duration::seconds(1));
    let deposit = credited(&app, &ana, &admin, "40", 7).await;
    app.clock.advance(Duration::seconds(1));
    reverse(&admin, &deposit).await.ok();
    assert_eq!(
        told(&activity(&ana, "?group=deposits").await),
        [
            line("deposit_returned", "-40.000000", "done"),
            line("deposit_pix", "40.000000", "undone"),
            line("deposit_pix", "200.000000", "done"),
        ]
    );
    let figures = everywhere(&app, &admin, &ana).await;
    assert_eq!(
        (&figures["paidIn"], &figures["takenOut"]),
        (&json!("240.000000"), &json!("40.000000"))
    );

    // Days of robots are lines of their own, by day; nobody else's events, and no group that there is not.
    fund(&app, &ana, Available, 300).await;
    let licence = id(&buy(&ana, PLAN_100).await);
    for (path, value) in [
        ("/licences/topup", "100"),
        ("/trader/allocate-value-in-trading", "100"),
    ] {
        ana.post(path, &json!({ "licence": licence, "value": value }))
            .await
            .ok();
    }
    for day in 0..2 {
        for _ in 0..3 {
            earn(&app, &licence, 1 + day).await;
            app.clock.advance(Duration::seconds(2));
        }
        app.clock.advance(Duration::DAY);
    }
    let ana = app.renew(&ana);
    let results = activity(&ana, "?group=results").await;
    assert_eq!(
        told(&results),
        [
            line("robot_results", "6.000000", "done"),
            line("robot_results", "3.000000", "done")
        ]
    );
    assert_eq!(
        (&results["data"][0]["movements"], &results["data"][0]["mode"]),
        (&json!(3), &json!("simulated"))
    );
    // Who reads on in a list sees the day as it was when they began.
    earn(&app, &licence, 5).await;
    let begun = activity(&ana, "?group=results").await;
    assert_eq!(told(&begun)[0], line("robot_results", "5.000000", "done"));
    let as_of = begun["meta"]["asOf"].as_str().unwrap();
    app.clock.advance(Duration::seconds(2));
    earn(&app, &licence, 7).await;
    let on = activity(&ana, &format!("?group=results&asOf={as_of}")).await;
    assert_eq!((&on["data"], &on["closing"]), (&begun["data"], &begun["closing"]));
    let anew = activity(&ana, "?group=results").await;
    assert_eq!(told(&anew)[0], line("robot_results", "12.000000", "done"));
    assert_eq!(anew["data"][0]["movements"], 2);
    let without = activity(&ana, "?limit=100&group=deposits,licences,withdrawals").await;
    assert!(told(&without).iter().all(|(kind, ..)| kind != "robot_results"));
    ana.get("/activity?group=house")
        .await
        .refused(422, "request.invalid");
    let cid = app.user("cid").await;
    assert_eq!(activity(&cid, "").await["meta"]["total"], 0);
}

#[actix_web::test]
async fn an_order_is_one_line_with_all_its_trades() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 100, 0).await,
        trader(&app, "bea", 0, 100).await,
    );
    let bought = presale_market::order(&ana, "buy", "0.5", "30").await.ok();
    assert_eq!(
        told(&activity(&ana, "?group=exchange").await),
        [line("pyx_buy", "(15.000000)", "waiting")]
    );
    for quantity in ["10", "5"] {
        presale_market::order(&bea, "sell", "0.5", quantity).await.ok();
    }
    let page = activity(&ana, "?group=exchange").await;
    assert_eq!(told(&page), [line("pyx_buy", "-7.500000", "waiting")]);
    assert_eq!(page["data"][0]["pyx"], "15.000000");
    presale_market::cancel(&ana, &bought).await.ok();
    assert_eq!(
        told(&activity(&ana, "?group=exchange").await),
        [line("pyx_buy", "-7.500000", "done")]
    );
    // Who sells into it has a line for each order of theirs.
    let sold = activity(&bea, "?group=exchange").await;
    assert_eq!(
        told(&sold),
        [
            line("pyx_sell", "2.500000", "done"),
            line("pyx_sell", "5.000000", "done"),
            line("presale_vesting", "()", "done"),
        ]
    );
    assert_eq!(sold["data"][0]["pyx"], "-5.000000");
}

/// Robots book all the time: what came since the first page moves no event from one page to another.
#[actix_web::test]
async fn pages_of_events_do_not_shift() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    for n in 1..=5 {
        fund(&app, &ana, Available, n).await;
        app.clock.advance(Duration::seconds(1));
    }
    let ids = |page: &Value| -> Vec<String> {
        let rows = page["data"].as_array().unwrap().iter();
        rows.map(|row| row["_id"].as_str().unwrap().to_owned()).collect()
    };
    let first = activity(&ana, "?limit=3").await;
    let as_of = first["meta"]["asOf"].as_str().unwrap().to_owned();
    fund(&app, &ana, Available, 100).await;
    let second = activity(&ana, &format!("?limit=3&page=2&asOf={as_of}")).await;
    assert_eq!(
        (&second["meta"]["total"], &second["closing"]),
        (&json!(5), &json!("15.000000"))
    );
    let mut seen = [ids(&first), ids(&second)].concat();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);
}

/// What was given into a licence is one event, and what was taken out of the balance and out of the licence at once too; a purchase that was
/// cancelled, or whose money was taken back, says so.
#[actix_web::test]
async fn a_sponsorship_is_one_event_and_a_purchase_says_what_became_of_it() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    fund(&app, &ana, Available, 200).await;
    app.clock.advance(Duration::seconds(1));
    let funded = line("sponsorship_add", "200.000000", "done");
    let kept = id(&buy(&ana, PLAN_100).await);
    sponsorship::order(&admin, &ana, "add", "30", Some(&kept))
        .await
        .ok();
    let lot = line("sponsorship_add", "30.000000", "done");
    let page = activity(&ana, "?group=sponsorship").await;
    assert_eq!(told(&page), [lot.clone(), funded.clone()]);
    assert_eq!(
        (&page["data"][0]["movements"], &page["data"][0]["licence"]),
        (&json!(2), &json!(1))
    );
    app.clock.advance(Duration::seconds(1));
    sponsorship::order(&admin, &ana, "add", "5", None).await.ok();
    app.clock.advance(Duration::seconds(1));
    sponsorship::order(&admin, &ana, "remove", "7", Some(&kept))
        .await
        .ok();
    let all = told(&activity(&ana, "?group=sponsorship").await);
    assert_eq!(
        all,
        [
            line("sponsorship_remove", "-7.000000", "done"),
            line("sponsorship_add", "5.000000", "done"),
            lot,
            funded,
        ]
    );
    let bought = line("licence_purchase", "-100.000000", "done");
    assert_eq!(
        told(&activity(&ana, "?group=licences").await),
        std::slice::from_ref(&bought)
    );
    app.clock.advance(Duration::seconds(1));
    let other = id(&buy(&ana, PLAN_100).await);
    app.clock.advance(Duration::seconds(1));
    ana.post("/licences/cancel", &json!({ "licence": other }))
        .await
        .ok();
    let licences = told(&activity(&ana, "?group=licences").await);
    assert_eq!(
        licences,
        [
            line("licence_cancel", "100.000000", "done"),
            line("licence_purchase", "-100.000000", "undone"),
            bought,
        ]
    );
    everywhere(&app, &admin, &ana).await;

    // What a deposit had paid for goes back with it.
    let rui = app.user("rui").await;
    let deposit = credited(&app, &rui, &admin, "100", 8).await;
    app.clock.advance(Duration::hours(80));
    let (rui, admin) = (app.renew(&rui), app.renew(&admin));
    buy(&rui, PLAN_100).await;
    app.clock.advance(Duration::seconds(1));
    reverse(&admin, &deposit).await.ok();
    assert_eq!(
        told(&activity(&rui, "?group=licences").await).last(),
        Some(&line("licence_purchase", "-100.000000", "undone"))
    );
}
