//! Analytics: sums over days, robots and routes are the shares and the ledger's settlements, to the last digit; what one owns over
//! time is the same whether or not days are closed; gold traders.

use crate::{
    kit::{Client, TestApp},
    licences::{exact, fund},
    robots::{batch, fence, operation, robot, share},
};
use actors::desk::port::Operation;
use protocol::{
    ids::{LicenceId, OperationId},
    money::Usdt,
};
use serde_json::{Value, json};
use server::{
    foundation::business_day,
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, Fx, HouseAccount, Orderer, Transfer, TransferKind, UserAccount,
        },
        service as ledger,
    },
    robots::{days, service},
};
use time::Duration;

/// Settles one operation of each robot; the results in micro-USDT.
async fn settle(app: &TestApp, user: &Client, route: &str, results: &[(LicenceId, i64)]) {
    // The lease of the settlement before is over.
    app.clock.advance(Duration::seconds(2));
    let fence = fence(app).await;
    let shares: Vec<_> = results
        .iter()
        .map(|(licence, result)| (share(user, *licence, Usdt::whole(5)), *result))
        .collect();
    let id = OperationId::fresh();
    let wanted: Vec<_> = shares.iter().map(|(s, _)| *s).collect();
    service::reserve(&app.context, fence, id, &wanted).await.unwrap();
    let one = Operation {
        route: route.into(),
        ..operation(id, &shares)
    };
    service::settle(&app.context, fence, &batch(vec![one]))
        .await
        .unwrap();
}

/// Money from outside, as a confirmed deposit books it.
pub async fn deposit(app: &TestApp, user: &Client, amount: i64) {
    let mut tx = app.context.db.begin().await.unwrap();
    let id = uuid::Uuid::now_v7();
    let order = Transfer::new(
        TransferKind::DepositPix,
        id.to_string(),
        Cause::new(CauseKind::PixDeposit, id),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::House(HouseAccount::Fx(Fx::Brl)),
        AccountRef::User(user.user, UserAccount::Available),
        Usdt::whole(amount),
    );
    ledger::post(&mut tx, order).await.unwrap();
    tx.commit().await.unwrap();
}

async fn read(app: &TestApp, user: &Client, what: &str) -> Value {
    app.renew(user)
        .get(&format!("/dashboard/analytics/{what}"))
        .await
        .ok()
}

fn micro(value: &Value) -> i64 {
    value.as_str().unwrap().parse::<Usdt>().unwrap().0
}

fn summed(list: &Value, field: &str) -> i64 {
    list.as_array()
        .unwrap()
        .iter()
        .map(|row| micro(&row[field]))
        .sum()
}

fn counted(list: &Value, field: &str) -> i64 {
    list.as_array()
        .unwrap()
        .iter()
        .map(|row| row[field].as_i64().unwrap())
        .sum()
}

#[actix_web::test]
async fn days_robots_routes_and_the_ledger_say_the_same() {
    let app = TestApp::start().await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (one, two) = (robot(&app, &ana, 200).await, robot(&app, &ana, 100).await);
    let foreign = robot(&app, &bea, 100).await;
    for day in 0..3i64 {
        settle(
            &app,
            &ana,
            "USDT → BTC → USDT",
            &[(one, 40_000 + day), (two, -10_001)],
        )
        .await;
        settle(&app, &ana, "USDT → ETH → USDT", &[(one, -7 * day), (two, 3)]).await;
        settle(&app, &bea, "USDT → BTC → USDT", &[(foreign, 999)]).await;
        app.clock.advance(Duration::DAY);
    }
    let seen = read(&app, &ana, "all").await;
    let shares: (i64, i64, i64, i64) = sqlx::query_as(
        "SELECT sum(greatest(result, 0))::bigint, sum(greatest(-result, 0))::bigint, count(*), count(*) FILTER (WHERE result + cut > 0)
         FROM robots.share WHERE owner = $1",
    )
    .bind(ana.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    let booked: (i64, i64) = sqlx::query_as(
        "SELECT sum(p.amount) FILTER (WHERE a.name = 'yield')::bigint, -sum(p.amount) FILTER (WHERE a.name = 'allocated')::bigint
         FROM ledger.posting p JOIN ledger.transfer t ON t.id = p.transfer JOIN ledger.account a ON a.id = p.account
         WHERE t.kind = 'settlement' AND a.owner IN (SELECT id FROM licences.licence WHERE owner = $1)",
    )
    .bind(ana.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!((shares.0, shares.1), booked);
    assert_eq!(seen["robots"].as_array().unwrap().len(), 2);
    assert_eq!(seen["routes"].as_array().unwrap().len(), 2);
    assert_eq!(
        seen["days"].as_array().unwrap().len(),
        4,
        "today too, though nothing happened"
    );
    for part in ["days", "robots", "routes"] {
        let list = &seen[part];
        assert_eq!((summed(list, "gain"), summed(list, "loss")), booked, "{part}");
        assert_eq!(summed(list, "net"), booked.0 - booked.1, "{part}");
        assert_eq!(
            (counted(list, "operations"), counted(list, "hits")),
            (shares.2, shares.3),
            "{part}"
        );
    }
    assert_eq!(micro(&seen["total"]["net"]), booked.0 - booked.1);
    assert_eq!(
        (&seen["mode"], &seen["booked"], &seen["modes"]),
        (&json!("simulated"), &json!(true), &json!(["simulated"]))
    );
    assert_eq!(seen["days"][0]["net"], "0.030002");

    // One robot; another mode; somebody else's robot.
    let of_two = read(&app, &ana, &format!("all?robot={two}")).await;
    assert_eq!(summed(&of_two["days"], "net"), 3 * (3 - 10_001));
    assert!(micro(&of_two["drawdown"][2]["amount"]) == -3 * 9_998);
    assert_eq!(of_two["robots"], seen["robots"], "to choose another");
    let paper = read(&app, &ana, "all?mode=paper").await;
    assert_eq!(
        (
            summed(&paper["days"], "gain"),
            paper["routes"].as_array().unwrap().len()
        ),
        (0, 0)
    );
    assert_eq!(paper["equity"], seen["equity"], "a balance has no mode");
    let ana = app.renew(&ana);
    ana.get(&format!("/dashboard/analytics/7d?robot={foreign}"))
        .await
        .refused(404, "licence.unknown");
    ana.get("/dashboard/analytics/8d")
        .await
        .refused(422, "request.invalid");
    assert_eq!(read(&app, &ana, "7d").await["days"].as_array().unwrap().len(), 7);
    exact(&app).await;
}

#[actix_web::test]
async fn what_one_owns_over_time_does_not_depend_on_closed_days() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    deposit(&app, &user, 500).await;
    fund(&app, &user, UserAccount::Bonus, 3).await;
    let licence = robot(&app, &user, 100).await;
    let mut expected = Vec::new();
    for day in 0..4i64 {
        settle(
            &app,
            &user,
            "USDT → BTC → USDT",
            &[(licence, 1_000_000 * (2 - day))],
        )
        .await;
        let total = app.renew(&user).get("/dashboard/my-results").await.ok()["myResults"]["total"].clone();
        expected.push(total);
        app.clock.advance(Duration::DAY);
        if day == 1 {
            let seen = read(&app, &user, "all").await;
            assert_eq!(seen["equity"][1]["total"], expected[1]);
            assert_eq!(
                days::close_due(&app.context).await.unwrap(),
                business_day::of(app.context.now()).previous_day()
            );
        }
    }
    expected.push(expected.last().unwrap().clone());
    let open = read(&app, &user, "all").await["equity"].clone();
    let totals = |equity: &Value| -> Vec<Value> {
        equity
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e["total"].clone())
            .collect()
    };
    assert_eq!(totals(&open), expected);
    days::close_due(&app.context).await.unwrap();
    days::close_due(&app.context).await.unwrap();
    let closed = read(&app, &user, "all").await["equity"].clone();
    assert_eq!(closed, open);
    for point in open.as_array().unwrap() {
        assert_eq!(point["netPaidIn"], "500.000000");
    }
    // Held money is still one's own.
    let before = closed[4]["total"].clone();
    let mut tx = app.context.db.begin().await.unwrap();
    ledger::hold(
        &mut tx,
        server::ledger::model::NewHold {
            from: AccountRef::User(user.user, UserAccount::Available),
            amount: Usdt::whole(7).into(),
            key: "a hold of the test".into(),
            cause: Cause::new(CauseKind::Withdrawal, uuid::Uuid::now_v7()),
            orderer: Orderer::System,
            settings_version: 0,
            expires_at: None,
        },
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let after = app.renew(&user).get("/dashboard/my-results").await.ok()["myResults"]["total"].clone();
    assert_eq!(after, before);
    assert_eq!(read(&app, &user, "7d").await["equity"][6]["total"], before);
    exact(&app).await;
}

#[actix_web::test]
async fn the_best_tenth_of_the_month_is_gold() {
    let app = TestApp::start().await;
    // The second day of a month of the business, so that all of it lies in one.
    let today = business_day::of(app.context.now());
    let month = today.replace_day(1).unwrap() + Duration::days(32);
    let start = business_day::start(month.replace_day(2).unwrap());
    app.clock.advance(start - app.context.now() + Duration::hours(1));
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (fast, slow) = (robot(&app, &ana, 100).await, robot(&app, &bea, 400).await);
    for day in 0..7 {
        let gold = read(&app, &ana, "30d").await["goldTrader"].clone();
        assert_eq!(gold, json!(false), "day {day}: not yet seven days");
        settle(&app, &ana, "USDT → BTC → USDT", &[(fast, 20_000)]).await;
        settle(&app, &bea, "USDT → BTC → USDT", &[(slow, 30_000)]).await;
        app.clock.advance(Duration::DAY);
        days::close_due(&app.context).await.unwrap();
    }
    assert_eq!(
        read(&app, &ana, "30d").await["goldTrader"],
        true,
        "the rate counts"
    );
    assert_eq!(read(&app, &bea, "30d").await["goldTrader"], false);
    assert_eq!(
        read(&app, &ana, "30d?mode=live").await["goldTrader"],
        false,
        "by mode"
    );
    let weight: i64 = sqlx::query_scalar(
        "SELECT weight::bigint FROM robots.day_close WHERE licence = $1 AND name = 'allocated' ORDER BY day DESC LIMIT 1",
    )
    .bind(fast.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(weight, 100_000_000 * 86_400, "the whole capital a whole day");
    app.clock.advance(Duration::days(31));
    assert_eq!(
        read(&app, &ana, "30d").await["goldTrader"],
        false,
        "another month"
    );
}
