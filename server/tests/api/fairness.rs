//! What bonuses come from, what they are against what the house earns, what a person was paid by, and what the house still owes of them.

use crate::{
    affiliates::beneath,
    bonuses::{active, first, fund_holds, sell, works},
    bonuses_related::relate,
    claw_back::{credited, reverse},
    guard::send,
    identity::people::store_settings,
    kit::{Client, TestApp},
    licences::fund,
    robots::robot,
    staff_queues::{alerts_of, run_job, told_of},
};
use serde_json::{Value, json};
use server::{
    affiliates::{
        closing::service as closings,
        payout::jobs::LOOK,
        service::{self as affiliates, Leg},
    },
    foundation::{
        business_day,
        clock::Clock,
        settings::{PERCENT, Settings},
    },
    ledger::model::UserAccount,
    robots::days,
};
use time::Duration;

/// Whose bonus of this type, newest first.
async fn newest(client: &Client, kind: &str) -> Value {
    let log = client
        .get(&format!("/affiliates/bonus-log?bonusType={kind}"))
        .await
        .ok();
    log["data"][0].clone()
}

fn path(at: &str, bonus: &Value) -> String {
    format!("{at}/{}", bonus["_id"].as_str().unwrap())
}

const OWN: &str = "/affiliates/bonus-log";
const ANY: &str = "/admin/bonus-report";

#[actix_web::test]
async fn a_bonus_shows_its_sale_its_path_and_its_place_in_line() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = active(&app, "bia", &ana).await;
    let caio = beneath(&app, "caio", bia.user).await;
    fund(&app, &caio, UserAccount::Available, 200).await;
    let licence = sell(&caio, 100).await;
    fund_holds(&app, 7_000_000).await;
    works(&app).await;
    // Of the rise 1 of Bia's 10 was paid; Ana's 1 stands behind the 9 that are left.
    let waits = newest(&ana, "level_2").await;
    let told = ana.get(&path(OWN, &waits)).await.ok();
    assert_eq!(told["bonus"], waits);
    assert_eq!(told["path"], json!(["ana", "bia", "caio"]));
    assert_eq!(told["line"], json!({ "place": 2, "ahead": "9.000000" }));
    assert_eq!((&told["movements"], &told["licence"]), (&json!([]), &Value::Null));
    let head = bia.get(&path(OWN, &newest(&bia, "level_1").await)).await.ok();
    assert_eq!(head["line"], json!({ "place": 1, "ahead": "0.000000" }));
    let movement = &head["movements"][0];
    assert_eq!(
        (&movement["amount"], &movement["together"]),
        (&json!("1.000000"), &json!(false))
    );
    // The movement leads back to the bonus.
    let back = bia
        .get(&format!("/statement/{}", movement["transfer"].as_str().unwrap()))
        .await
        .ok();
    assert_eq!(
        (
            &back["fact"]["type"],
            &back["fact"]["businessDay"],
            &back["fact"]["bonuses"][0]["_id"],
            &back["fact"]["bonuses"][0]["source"],
            &back["fact"]["bonuses"][0]["percentage"]
        ),
        (
            &json!("bonuses"),
            &Value::Null,
            &head["bonus"]["_id"],
            &json!("caio"),
            &json!("10.00")
        )
    );
    // Staff see the licence too; others see nothing.
    let all = admin.get(&path(ANY, &waits)).await.ok();
    assert_eq!(
        (&all["licence"]["_id"], &all["licence"]["value"], &all["username"]),
        (&json!(licence), &json!("100.000000"), &json!("ana"))
    );
    bia.get(&path(OWN, &waits))
        .await
        .refused(404, "request.not_found");
    bia.get(&path(ANY, &waits)).await.refused(403, "auth.forbidden");
    // The percentage of then stays when the settings change.
    store_settings(
        &app,
        &Settings {
            level_bonus_2: 2 * PERCENT,
            ..Settings::default()
        },
    )
    .await;
    let told = ana.get(&path(OWN, &waits)).await.ok();
    assert_eq!(told["bonus"]["percentage"], "1.00");
}

#[actix_web::test]
async fn what_goes_back_is_a_movement_of_the_bonus() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    let deposit = credited(&app, &bia, &admin, "200", 1).await;
    sell(&bia, 100).await;
    works(&app).await;
    reverse(&admin, &deposit).await.ok();
    works(&app).await;
    let bonus = newest(&ana, "direct_sale").await;
    let told = ana.get(&path(OWN, &bonus)).await.ok();
    let parts: Vec<(&Value, &Value)> = told["movements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (&m["kind"], &m["amount"]))
        .collect();
    let (came, went) = (json!("5.000000"), json!("-5.000000"));
    assert_eq!(parts, [(&json!("bonus"), &came), (&json!("claw_back"), &went)]);
    let back = told["movements"][1]["transfer"].as_str().unwrap();
    let origin = ana.get(&format!("/statement/{back}")).await.ok();
    assert_eq!(origin["fact"]["bonuses"][0]["_id"], bonus["_id"]);
}

/// The next noon of São Paulo, so that what follows is of one day.
fn at_noon(app: &TestApp) {
    let tomorrow = business_day::of(app.clock.now()).next_day().unwrap();
    let noon = business_day::start(tomorrow) + Duration::hours(12);
    app.clock.advance(noon - app.clock.now());
}

/// The day ends and is closed.
async fn closes(app: &TestApp) {
    app.clock.advance(Duration::days(1));
    closings::close_due(&app.context, days::results_of).await.unwrap();
}

#[actix_web::test]
async fn a_binary_bonus_shows_staff_the_licences_that_were_sold() {
    let app = TestApp::start().await;
    at_noon(&app);
    let ana = first(&app, "ana").await;
    let mut sold = Vec::new();
    for (name, leg) in [("bia", Leg::Left), ("caio", Leg::Right)] {
        affiliates::select_leg(&app.context, ana.user, leg).await.unwrap();
        let member = beneath(&app, name, ana.user).await;
        fund(&app, &member, UserAccount::Available, 200).await;
        sold.push((member.clone(), sell(&member, 100).await));
    }
    works(&app).await;
    closes(&app).await;
    let (ana, admin, bia) = (app.renew(&ana), app.admin("root").await, app.renew(&sold[0].0));
    let bonus = newest(&ana, "binary").await;
    for (leg, (member, licence)) in ["left", "right"].into_iter().zip(&sold) {
        let sales = |at: &str| format!("{}/sales?leg={leg}", path(at, &bonus));
        let staff = admin.get(&sales(ANY)).await.ok();
        assert_eq!(
            (&staff["data"][0]["member"], &staff["data"][0]["licence"]),
            (
                &json!(member.user),
                &json!({ "_id": licence, "number": 1, "value": "100.000000" })
            )
        );
        // Its receiver sees the same without them.
        let mut own = staff.clone();
        own["data"][0]["licence"] = Value::Null;
        assert_eq!(ana.get(&sales(OWN)).await.ok(), own);
    }
    let way = format!("path/{}", sold[1].0.user);
    let shown = admin.get(&format!("{}/{way}", path(ANY, &bonus))).await.ok();
    assert_eq!(
        (&shown["leg"], &shown["path"]),
        (&json!("right"), &json!(["ana", "caio"]))
    );
    for rest in ["sales?leg=left", &way] {
        bia.get(&format!("{}/{rest}", path(OWN, &bonus)))
            .await
            .refused(404, "request.not_found");
        bia.get(&format!("{}/{rest}", path(ANY, &bonus)))
            .await
            .refused(403, "auth.forbidden");
    }
}

#[actix_web::test]
async fn a_residual_bonus_shows_staff_what_each_robot_brought() {
    let app = TestApp::start().await;
    at_noon(&app);
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    let (one, other) = (robot(&app, &bia, 100).await, robot(&app, &bia, 100).await);
    let brought = async |licence: protocol::ids::LicenceId, gain: i64, loss: i64| {
        sqlx::query(
            "INSERT INTO robots.day_result (licence, mode, day, owner, gain, loss, fees, operations, hits)
             SELECT id, 'simulated', $2, owner, $3, $4, 0, 3, 1 FROM licences.licence WHERE id = $1",
        )
        .bind(licence.0)
        .bind(business_day::of(app.clock.now()))
        .bind(gain)
        .bind(loss)
        .execute(&app.sql)
        .await
        .unwrap();
    };
    // A day that lost 2, then one on which both robots brought 6 together: 4 of it are above water.
    brought(one, 0, 2_000_000).await;
    closes(&app).await;
    brought(one, 7_000_000, 3_000_000).await;
    brought(other, 2_000_000, 0).await;
    closes(&app).await;
    let (ana, admin) = (app.renew(&ana), app.admin("root").await);
    let bonus = newest(&ana, "residual").await;
    assert_eq!(
        (&bonus["base"], &bonus["paid"]),
        (&json!("4.000000"), &json!("0.200000"))
    );
    let told = admin.get(&path(ANY, &bonus)).await.ok();
    let robot = |licence: protocol::ids::LicenceId, number: i32, gain: &str, loss: &str| {
        json!({
            "licence": { "_id": licence, "number": number, "value": "100.000000" },
            "mode": "simulated", "gain": gain, "loss": loss, "operations": 3,
        })
    };
    assert_eq!(
        told["results"],
        json!({
            "member": bia.user,
            "robots": [robot(one, 1, "7.000000", "3.000000"), robot(other, 2, "2.000000", "0.000000")],
            "result": "6.000000",
            "setOff": "2.000000",
        })
    );
    // What others' robots do is theirs: the receiver sees the day and the sum.
    assert_eq!(ana.get(&path(OWN, &bonus)).await.ok()["results"], Value::Null);
}

async fn report(admin: &Client, query: &str) -> Value {
    admin.get(&format!("/admin/payout-report{query}")).await.ok()
}

#[actix_web::test]
async fn bonuses_stand_against_what_the_house_earned() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = active(&app, "bia", &ana).await;
    let caio = beneath(&app, "caio", bia.user).await;
    let deposit = credited(&app, &caio, &admin, "300", 1).await;
    sell(&caio, 200).await;
    works(&app).await;
    // A sale of 100; 5 and 1 for it, 20 and 2 for the rise. Deposits by PIX are free.
    let today = business_day::of(app.context.now());
    let whole = report(&admin, "").await;
    let expected = json!({
        "licences": "100.000000", "fees": "0.000000", "revenue": "100.000000", "bonuses": "28.000000",
        "graduations": "0.000000", "ratio": "28.00",
    });
    assert_eq!(whole["total"], expected);
    assert_eq!(
        (
            &whole["ceiling"]["ceiling"],
            &whole["ceiling"]["over"],
            &whole["ceiling"]["sums"]
        ),
        (&json!("75.00"), &json!(false), &expected)
    );
    let days = whole["days"].as_array().unwrap();
    assert_eq!(days.len(), 30);
    assert_eq!(
        (&days[29]["day"], &days[29]["ratio"], &days[28]["ratio"]),
        (&json!(today.to_string()), &json!("28.00"), &Value::Null)
    );
    let months = whole["months"].as_array().unwrap();
    assert_eq!(months.last().unwrap()["revenue"], "100.000000");
    // A fee: half of it goes to the fund, all of it is revenue.
    fund(&app, &ana, UserAccount::Available, 100).await;
    send(&app, &ana, "ana", "bia", "50").await.ok();
    let fee: i64 = sqlx::query_scalar("SELECT fee FROM transfers.transfer")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let with_fee = report(&admin, "").await;
    assert_eq!(
        with_fee["total"]["fees"].as_str().unwrap().parse(),
        Ok(protocol::money::Usdt(fee))
    );
    // What is taken back of a sale and of its bonuses is neither.
    reverse(&admin, &deposit).await.ok();
    works(&app).await;
    let after = report(&admin, "").await;
    assert_eq!(after["total"]["bonuses"], "0.000000", "{after}");
    assert_eq!(after["total"]["licences"], "0.000000", "{after}");
    // Other days, and what is no period.
    let long_ago = report(&admin, "?startDate=2020-01-01&endDate=2020-01-31").await;
    assert_eq!(long_ago["days"].as_array().unwrap().len(), 31);
    assert_eq!(long_ago["total"]["ratio"], Value::Null);
    for wrong in [
        "?startDate=2020-01-01&endDate=2021-01-01",
        "?startDate=2020-02-01&endDate=2020-01-01",
        "?startDate=soon",
    ] {
        admin
            .get(&format!("/admin/payout-report{wrong}"))
            .await
            .refused(422, "request.invalid");
    }
    ana.get("/admin/payout-report")
        .await
        .refused(403, "auth.forbidden");
}

async fn ceiling(app: &TestApp, percent: i64) {
    let settings = Settings {
        payout_ceiling: percent * PERCENT,
        ..Settings::default()
    };
    store_settings(app, &settings).await;
}

const ALERTS: &str = "payout_";

#[actix_web::test]
async fn the_ceiling_alerts_once_when_it_is_crossed_and_once_when_it_is_not_any_more() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 300).await;
    sell(&bia, 200).await;
    works(&app).await;
    // 25 of 100: the ceiling itself is not above it.
    ceiling(&app, 25).await;
    run_job(&app, LOOK).await;
    assert_eq!(report(&admin, "").await["ceiling"]["alertSince"], Value::Null);
    ceiling(&app, 24).await;
    run_job(&app, LOOK).await;
    run_job(&app, LOOK).await;
    let stands = report(&admin, "").await["ceiling"].clone();
    assert_eq!(stands["over"], true);
    assert!(stands["alertSince"].is_string());
    told_of(&app, &admin, ALERTS, 1).await;
    assert_eq!(alerts_of(&admin, ALERTS).await, ["payout_over"]);
    assert_eq!(alerts_of(&ana, ALERTS).await, Vec::<String>::new());
    // The sale leaves the window: nothing is above anything.
    app.clock.advance(Duration::days(31));
    let admin = app.renew(&admin);
    run_job(&app, LOOK).await;
    run_job(&app, LOOK).await;
    told_of(&app, &admin, ALERTS, 2).await;
    assert_eq!(alerts_of(&admin, ALERTS).await, ["payout_below", "payout_over"]);
    assert_eq!(report(&admin, "").await["ceiling"]["alertSince"], Value::Null);
}

#[actix_web::test]
async fn accounts_that_belong_together_are_seen_together() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    let caio = beneath(&app, "caio", ana.user).await;
    let deposit = credited(&app, &bia, &admin, "200", 1).await;
    credited(&app, &caio, &admin, "500", 2).await;
    sell(&bia, 100).await;
    works(&app).await;
    let none = report(&admin, "").await;
    assert_eq!(
        (&none["rings"]["count"], &none["rings"]["ratio"]),
        (&json!(0), &Value::Null)
    );
    relate(&app, &ana, &bia).await;
    let told = report(&admin, "").await["rings"].clone();
    // 5 and 10 of the 200 that they put in together; Caio is nobody's.
    assert_eq!(
        told["largest"],
        json!([{
            "members": ["ana", "bia"], "accounts": 2, "bonuses": "15.000000", "deposits": "200.000000", "ratio": "7.50",
        }])
    );
    assert_eq!(
        (&told["count"], &told["accounts"], &told["ratio"]),
        (&json!(1), &json!(2), &json!("7.50"))
    );
    // The bank takes it back from where it went: nothing was put in.
    reverse(&admin, &deposit).await.ok();
    works(&app).await;
    let told = report(&admin, "").await["rings"].clone();
    assert_eq!(
        (&told["deposits"], &told["ratio"]),
        (&json!("0.000000"), &Value::Null)
    );
}

#[actix_web::test]
async fn deferred_bonuses_are_owed_on_a_line_of_their_own() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 200).await;
    sell(&bia, 100).await;
    fund_holds(&app, 4_000_000).await;
    let owed = async || {
        let report = admin.get("/admin/solvency").await.ok();
        let of = |name: &str| {
            let lines = report["owed"].as_array().unwrap();
            lines
                .iter()
                .find(|o| o["account"] == name)
                .map(|o| o["usdt"].clone())
        };
        let total: protocol::money::Usdt = report["owedTotal"].as_str().unwrap().parse().unwrap();
        (of("bonus"), of("bonus_deferred"), total)
    };
    let (_, none, before) = owed().await;
    assert_eq!(none, None);
    works(&app).await;
    let (paid, deferred, after) = owed().await;
    assert_eq!(
        (paid, deferred),
        (Some(json!("4.000000")), Some(json!("11.000000")))
    );
    assert_eq!(after - before, protocol::money::Usdt::whole(15));
}

#[actix_web::test]
async fn trading_and_sales_are_told_apart_in_what_one_was_paid() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let paid = async |client: &Client| client.get("/dashboard/paid-by").await.ok();
    let nothing = paid(&ana).await;
    assert_eq!(
        (&nothing["tradingShare"], &nothing["salesShare"], &nothing["mode"]),
        (&Value::Null, &Value::Null, &json!("simulated"))
    );
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 200).await;
    sell(&bia, 100).await;
    works(&app).await;
    let sales = paid(&ana).await;
    assert_eq!(
        (&sales["sales"], &sales["tradingShare"], &sales["salesShare"]),
        (&json!("15.000000"), &json!("0.00"), &json!("100.00"))
    );
    // What her robots brought, in the mode that is booked; another's and another mode's are not hers.
    let (own, foreign) = (robot(&app, &ana, 100).await, robot(&app, &bia, 100).await);
    let today = business_day::of(app.context.now());
    for (licence, mode, gain, loss) in [
        (own, "simulated", 9_000_000i64, 4_000_000i64),
        (own, "paper", 77_000_000, 0),
        (foreign, "simulated", 55_000_000, 0),
    ] {
        sqlx::query(
            "INSERT INTO robots.day_result (licence, mode, day, owner, gain, loss, fees, operations, hits)
             SELECT id, $2, $3, owner, $4, $5, 0, 1, 1 FROM licences.licence WHERE id = $1",
        )
        .bind(licence.0)
        .bind(mode)
        .bind(today)
        .bind(gain)
        .bind(loss)
        .execute(&app.sql)
        .await
        .unwrap();
    }
    let both = paid(&ana).await;
    assert_eq!(
        (
            &both["robots"],
            &both["pools"],
            &both["trading"],
            &both["sales"],
            &both["residual"],
            &both["tradingShare"],
            &both["salesShare"]
        ),
        (
            &json!("5.000000"),
            &json!("0.000000"),
            &json!("5.000000"),
            &json!("15.000000"),
            &json!("0.000000"),
            &json!("25.00"),
            &json!("75.00")
        )
    );
    assert_eq!(both["lastDay"], json!(today.to_string()));
}
