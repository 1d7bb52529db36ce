//! Robots: reservations and settlements under the lease, once each; what they do to limits, goals and lots; the desk whole.

use crate::{
    kit::{Client, TestApp},
    licences::{buy, exact, fund, house, id},
};
use actors::desk::{
    cohort::Share,
    port::{Batch, Operation, ShareResult},
};
use protocol::{
    ids::{BatchId, LicenceId, NodeId, OperationId},
    money::Usdt,
    views::{LegView, Mode},
};
use serde_json::{Value, json};
use server::{
    foundation::lease,
    ledger::{
        model::{HouseAccount, Orderer, UserAccount},
        service::{self as ledger, Owner},
    },
    robots::service::{self, LEASE},
};

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

/// Takes the desk's lease; the number of it.
pub async fn fence(app: &TestApp) -> i64 {
    let now = app.context.now();
    let node = NodeId::fresh();
    lease::acquire(
        app.context.db.pool(),
        LEASE,
        node,
        now,
        time::Duration::seconds(1),
    )
    .await
    .unwrap()
    .unwrap()
    .fence
}

/// A licence with this much allocated, its minute of waiting over.
pub async fn robot(app: &TestApp, user: &Client, allocated: i64) -> LicenceId {
    fund(app, user, UserAccount::Available, 100 + allocated).await;
    let licence = id(&buy(user, PLAN_100).await);
    let value = allocated.to_string();
    user.post("/licences/topup", &json!({ "licence": licence, "value": value }))
        .await
        .ok();
    user.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": licence, "value": value }),
    )
    .await
    .ok();
    licence.parse().unwrap()
}

pub fn share(user: &Client, licence: LicenceId, amount: Usdt) -> Share {
    Share {
        licence,
        user: user.user,
        amount,
    }
}

pub fn operation(id: OperationId, shares: &[(Share, i64)]) -> Operation {
    let leg = |side: &str| LegView {
        venue: "Aurora".into(),
        symbol: "BTC/USDT".into(),
        side: side.into(),
        price: "96000".into(),
        quantity: "0.001".into(),
        fee: "0.00000075 BTC".into(),
        unwinding: false,
    };
    let result = |(s, result): &(Share, i64)| ShareResult {
        licence: s.licence,
        user: s.user,
        amount: s.amount,
        volume: s.amount,
        fees: Usdt(1_000),
        result: Usdt(*result),
    };
    let volume: Usdt = shares.iter().map(|(s, _)| s.amount).sum();
    Operation {
        id,
        route: "USDT → BTC (Aurora) → USDT (Boreal)".into(),
        triangular: false,
        edge_ppm: 700,
        decided_ms: 1_700_000_000_000,
        filled_ms: 1_700_000_000_150,
        legs: vec![leg("buy"), leg("sell")],
        volume,
        fees: Usdt(1_000),
        result: Usdt(shares.iter().map(|(_, r)| r).sum()),
        manual: false,
        shares: shares.iter().map(result).collect(),
    }
}

pub fn batch(operations: Vec<Operation>) -> Batch {
    Batch {
        id: BatchId::fresh(),
        mode: Mode::Simulated,
        lane: 0,
        operations,
    }
}

async fn view(user: &Client, licence: LicenceId) -> Value {
    let list = user.get("/get-user-licenses").await.ok();
    list["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|l| l["_id"] == licence.to_string())
        .unwrap()
        .clone()
}

#[actix_web::test]
async fn a_batch_is_booked_once_and_never_netted() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let licence = robot(&app, &user, 200).await;
    let fence = fence(&app).await;
    let share = share(&user, licence, Usdt::whole(20));
    let (one, two, missed) = (OperationId::fresh(), OperationId::fresh(), OperationId::fresh());
    for operation in [one, two, missed] {
        assert_eq!(
            service::reserve(&app.context, fence, operation, &[share])
                .await
                .unwrap(),
            [share]
        );
    }
    assert_eq!(view(&user, licence).await["reserved"], "60.000000");
    user.post(
        "/trader/relocate-value",
        &json!({ "from": licence, "value": "150" }),
    )
    .await
    .refused(409, "licence.funds_reserved");
    let nothing = Operation {
        legs: Vec::new(),
        result: Usdt::ZERO,
        ..operation(missed, &[(share, 0)])
    };
    let batch = batch(vec![
        operation(one, &[(share, 30_000)]),
        operation(two, &[(share, -50_000)]),
        nothing,
    ]);
    let (a, b) = tokio::join!(
        service::settle(&app.context, fence, &batch),
        service::settle(&app.context, fence, &batch)
    );
    let robots = a.unwrap().robots.len() + b.unwrap().robots.len();
    assert_eq!(robots, 1, "the same batch twice at once is booked once");
    service::settle(&app.context, fence, &batch).await.unwrap();
    let after = view(&user, licence).await;
    assert_eq!(
        (&after["yield"], &after["allocated"]),
        (&json!("0.030000"), &json!("199.950000"))
    );
    assert_eq!(
        (&after["today"], &after["operations"], &after["reserved"]),
        (&json!("-0.020000"), &json!(2), &json!("0.000000"))
    );
    assert_eq!(
        house(&app, HouseAccount::Trading(Mode::Simulated)).await,
        Usdt(20_000)
    );
    let transfers: i64 = sqlx::query_scalar("SELECT count(*) FROM ledger.transfer WHERE kind = 'settlement'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(transfers, 1, "one transfer per batch");
    exact(&app).await;

    let orders = user.get(&format!("/trader/orders-history/{licence}")).await.ok();
    assert_eq!(orders["meta"]["total"], 2, "what never filled is no operation");
    let order = &orders["data"][0];
    assert_eq!(
        (&order["mode"], order["legs"].as_array().unwrap().len()),
        (&json!("simulated"), 2)
    );
    // From the value on the screen down to the legs of each fill.
    let line = user.get("/statement?kind=settlement&limit=1").await.ok()["data"][0].clone();
    let path = format!("/statement/{}", line["transfer"].as_str().unwrap());
    let origin = user.get(&path).await.ok();
    assert_eq!(
        (&origin["fact"]["type"], &origin["fact"]["total"], &origin["mode"]),
        (&json!("operations"), &json!(2), &json!("simulated"))
    );
    assert_eq!(origin["fact"]["operations"][0]["legs"], order["legs"]);
    let results: Vec<_> = origin["fact"]["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["result"].as_str().unwrap())
        .collect();
    assert_eq!(results, ["0.030000", "-0.050000"]);
    app.user("bea")
        .await
        .get(&path)
        .await
        .refused(404, "statement.unknown");
    let facts: Vec<Value> =
        sqlx::query_scalar("SELECT payload FROM foundation.event WHERE kind = 'robots.settled'")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(facts.len(), 1, "one fact per user and batch");
    assert_eq!(
        (&facts[0]["robots"][0]["gain"], &facts[0]["robots"][0]["loss"]),
        (&json!("0.030000"), &json!("0.050000"))
    );
}

/// A movement as its owner sees it.
async fn origin(user: &Client, transfer: &str) -> Value {
    user.get(&format!("/statement/{transfer}")).await.ok()
}

/// What each of one's own accounts was moved by, and what each operation made for one's own robots.
fn told(origin: &Value) -> (Vec<(String, String)>, Vec<String>) {
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let postings = origin["postings"].as_array().unwrap().iter();
    let operations = origin["fact"]["operations"].as_array().unwrap().iter();
    (
        postings
            .map(|p| {
                (
                    format!("{}{}", text(&p["account"]), p["licence"]),
                    text(&p["amount"]),
                )
            })
            .collect(),
        operations.map(|o| text(&o["result"])).collect(),
    )
}

#[actix_web::test]
async fn a_batch_is_one_transfer_of_which_each_sees_their_own_and_one_robots_result_is_undone() {
    let app = TestApp::start().await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (one, two) = (robot(&app, &ana, 200).await, robot(&app, &ana, 200).await);
    let third = robot(&app, &bea, 200).await;
    let fence = fence(&app).await;
    let shares = [
        share(&ana, one, Usdt::whole(20)),
        share(&ana, two, Usdt::whole(20)),
        share(&bea, third, Usdt::whole(20)),
    ];
    let ids = [OperationId::fresh(), OperationId::fresh()];
    for id in ids {
        service::reserve(&app.context, fence, id, &shares).await.unwrap();
    }
    let with = |results: [i64; 3]| shares.iter().copied().zip(results).collect::<Vec<_>>();
    let batch = batch(vec![
        operation(ids[0], &with([30_000, 20_000, 7_000])),
        operation(ids[1], &with([-50_000, 1_000, -2_000])),
    ]);
    service::settle(&app.context, fence, &batch).await.unwrap();
    let (transfer, lines): (uuid::Uuid, i32) =
        sqlx::query_as("SELECT id, lines FROM ledger.transfer WHERE kind = 'settlement'")
            .fetch_one(&app.sql)
            .await
            .expect("one transfer");
    assert_eq!(
        lines, 7,
        "a posting for each gain and each loss, two of the house"
    );
    let transfer = transfer.to_string();
    let postings = |all: &[(&str, &str)]| {
        let mut all: Vec<_> = all
            .iter()
            .map(|(a, v)| ((*a).to_owned(), (*v).to_owned()))
            .collect();
        all.sort();
        all
    };
    let seen = async |user: &Client, transfer: &str| {
        let (mut postings, operations) = told(&origin(user, transfer).await);
        postings.sort();
        (postings, operations)
    };
    let anas = [
        ("allocated1", "-0.050000"),
        ("yield1", "0.030000"),
        ("yield2", "0.021000"),
    ];
    assert_eq!(
        seen(&ana, &transfer).await,
        (postings(&anas), vec!["0.050000".into(), "-0.049000".into()])
    );
    let beas = [("allocated1", "-0.002000"), ("yield1", "0.007000")];
    assert_eq!(
        seen(&bea, &transfer).await,
        (postings(&beas), vec!["0.007000".into(), "-0.002000".into()])
    );
    let eva = app.user("eva").await;
    eva.get(&format!("/statement/{transfer}"))
        .await
        .refused(404, "statement.unknown");
    let list = ana.get("/statement?kind=settlement&limit=10").await.ok();
    assert_eq!(list["meta"]["total"], 3, "her own lines alone");
    exact(&app).await;

    let key: String = sqlx::query_scalar("SELECT key FROM ledger.transfer WHERE id::text = $1")
        .bind(&transfer)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let mut tx = app.context.db.begin().await.unwrap();
    let part = ledger::part(&mut tx, &key, Owner::Licence(one)).await.unwrap();
    let undone = ledger::reverse_part(&mut tx, &part.unwrap(), Orderer::System, "venue")
        .await
        .unwrap()
        .id
        .to_string();
    tx.commit().await.unwrap();
    let back = origin(&ana, &undone).await;
    assert_eq!(
        (&back["reverses"], &back["kind"]),
        (&json!(transfer), &json!("reversal"))
    );
    let robots = [("allocated1", "0.050000"), ("yield1", "-0.030000")];
    assert_eq!(
        seen(&ana, &undone).await,
        (postings(&robots), vec!["0.030000".into(), "-0.050000".into()]),
        "of that robot"
    );
    assert_eq!(origin(&ana, &transfer).await["reversedBy"], json!(undone));
    assert_eq!(origin(&bea, &transfer).await["reversedBy"], Value::Null);
    bea.get(&format!("/statement/{undone}"))
        .await
        .refused(404, "statement.unknown");
    assert_eq!(
        house(&app, HouseAccount::Trading(Mode::Simulated)).await,
        Usdt(-26_000),
        "what the others were given"
    );
    let report = server::ledger::verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
}

#[actix_web::test]
async fn without_the_lease_nothing_is_booked() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let licence = robot(&app, &user, 100).await;
    let old = fence(&app).await;
    let share = share(&user, licence, Usdt::whole(10));
    let id = OperationId::fresh();
    service::reserve(&app.context, old, id, &[share]).await.unwrap();
    app.clock.advance(time::Duration::seconds(2));
    let new = fence(&app).await;
    assert!(new > old);
    let refused = service::settle(&app.context, old, &batch(vec![operation(id, &[(share, 5)])]))
        .await
        .unwrap_err();
    assert_eq!(refused.error_code().as_str(), "request.conflict");
    assert!(
        service::reserve(&app.context, old, OperationId::fresh(), &[share])
            .await
            .is_err()
    );
    assert_eq!(
        service::free_lapsed(&app.context, new).await.unwrap(),
        1,
        "with the old desk its reservations go"
    );
    let user = app.renew(&user);
    assert_eq!(view(&user, licence).await["reserved"], "0.000000");
    exact(&app).await;
}

#[actix_web::test]
async fn reservations_never_exceed_the_allocation_and_lapse() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let licence = robot(&app, &user, 100).await;
    let fence = fence(&app).await;
    let share = share(&user, licence, Usdt::whole(30));
    let tries = (0..6).map(|_| {
        service::reserve(
            &app.context,
            fence,
            OperationId::fresh(),
            std::slice::from_ref(&share),
        )
    });
    let accepted = futures_util::future::join_all(tries)
        .await
        .into_iter()
        .filter(|r| r.as_ref().is_ok_and(|s| !s.is_empty()))
        .count();
    assert_eq!(accepted, 3, "3 × 30 of 100");
    app.clock.advance(time::Duration::seconds(31));
    assert_eq!(service::free_lapsed(&app.context, fence).await.unwrap(), 3);
    let user = app.renew(&user);
    user.patch(
        "/trader/config-robot-trader",
        &json!({ "licence": licence, "paused": true }),
    )
    .await
    .ok();
    assert!(
        service::reserve(&app.context, fence, OperationId::fresh(), &[share])
            .await
            .unwrap()
            .is_empty(),
        "paused"
    );
    exact(&app).await;
}

#[actix_web::test]
async fn at_the_ceiling_the_gain_is_cut_and_the_capital_is_free() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let licence = robot(&app, &user, 100).await;
    let fence = fence(&app).await;
    let share = share(&user, licence, Usdt::whole(10));
    let id = OperationId::fresh();
    service::reserve(&app.context, fence, id, &[share]).await.unwrap();
    // 300 % of 100 + 100.
    let settled = service::settle(
        &app.context,
        fence,
        &batch(vec![operation(id, &[(share, 601_000_000)])]),
    )
    .await
    .unwrap();
    assert!(!settled.robots[0].operating);
    let after = view(&user, licence).await;
    assert_eq!(
        (&after["state"], &after["robotStatus"]),
        (&json!("ceiling_reached"), &json!("ceiling_reached"))
    );
    assert_eq!(
        (&after["yield"], &after["limitLeft"]),
        (&json!("600.000000"), &json!("0.000000"))
    );
    assert_eq!(
        (&after["allocated"], &after["topup"]),
        (&json!("0.000000"), &json!("100.000000"))
    );
    let orders = user.get(&format!("/trader/orders-history/{licence}")).await.ok();
    assert_eq!(
        (&orders["data"][0]["result"], &orders["data"][0]["cut"]),
        (&json!("600.000000"), &json!("1.000000"))
    );
    user.post(
        "/licences/capital-withdraw",
        &json!({ "licence": licence, "value": "100" }),
    )
    .await
    .ok();
    assert!(service::eligible(&app.context).await.unwrap().is_empty());
    exact(&app).await;
}

/// The word on every screen, by the licence's own figures; and the desk trades with it if and only if it says so.
#[actix_web::test]
async fn the_status_is_what_the_desk_does() {
    let app = TestApp::start().await;
    // A robot joins with the next full minute.
    app.clock.stop();
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 1_000).await;
    let licence = id(&buy(&user, PLAN_100).await);
    user.post("/licences/topup", &json!({ "licence": licence, "value": "300" }))
        .await
        .ok();
    let robot: LicenceId = licence.parse().unwrap();
    let is = async |word: &str, works: bool| {
        let user = app.renew(&user);
        let seen = view(&user, robot).await;
        assert_eq!(seen["robotStatus"], word, "{seen}");
        assert_eq!(seen["joinsAt"].is_null(), word != "joining", "{seen}");
        let desk = service::eligible(&app.context).await.unwrap().len();
        assert_eq!(
            desk,
            usize::from(["joining", "operating"].contains(&word)),
            "{word}"
        );
        let results = user.get("/dashboard/my-results").await.ok();
        let on = results["myResults"]["robots"].as_array().unwrap().len();
        let resting = user.get("/dashboard/my-results/without-operation").await.ok();
        let off = resting.as_array().unwrap().len();
        assert_eq!((on, off), (usize::from(works), usize::from(!works)), "{word}");
        let path = format!("/trader/search-config-robot-trader?licence={robot}");
        let config = user.get(&path).await.ok();
        assert_eq!(
            (&config["status"], &config["paused"]),
            (&seen["robotStatus"], &seen["paused"])
        );
    };
    let change = async |what: Value| {
        let mut what = what;
        what["licence"] = json!(robot);
        app.renew(&user)
            .patch("/trader/config-robot-trader", &what)
            .await
            .ok();
    };
    let allocate = async || {
        let order = json!({ "licence": licence, "value": "100" });
        app.renew(&user)
            .post("/trader/allocate-value-in-trading", &order)
            .await
            .ok();
    };
    is("idle", false).await;
    allocate().await;
    is("joining", true).await;
    app.clock.advance(time::Duration::MINUTE);
    is("operating", true).await;
    // Losses leave less than takes part.
    crate::licences::earn(&app, &licence, -95).await;
    is("below_minimum", false).await;
    change(json!({ "paused": true })).await;
    is("paused", false).await;
    let back = json!({ "from": licence, "value": "5" });
    app.renew(&user).post("/trader/relocate-value", &back).await.ok();
    is("idle", false).await;
    let seen = view(&app.renew(&user), robot).await;
    assert_eq!(seen["paused"], true, "it rests at its owner's word as well");
    assert_eq!(seen["today"], "-95.000000");
    app.clock.advance(time::Duration::DAY);
    let seen = view(&app.renew(&user), robot).await;
    assert_eq!(seen["today"], "0.000000", "of yesterday nothing is left in today");
    allocate().await;
    is("paused", false).await;
    change(json!({ "paused": false, "manualKey": true })).await;
    is("manual", false).await;
    crate::licences::earn(&app, &licence, 2).await;
    is("goal_reached", false).await;
}

#[actix_web::test]
async fn the_goal_stops_the_robot_until_tomorrow() {
    let app = TestApp::start().await;
    // A robot joins with the next full minute.
    app.clock.stop();
    let user = app.user("ana").await;
    let licence = robot(&app, &user, 100).await;
    let fence = fence(&app).await;
    assert_eq!(service::eligible(&app.context).await.unwrap().len(), 1);
    let share = share(&user, licence, Usdt::whole(10));
    let id = OperationId::fresh();
    service::reserve(&app.context, fence, id, &[share]).await.unwrap();
    service::settle(
        &app.context,
        fence,
        &batch(vec![operation(id, &[(share, 1_000_000)])]),
    )
    .await
    .unwrap();
    assert_eq!(view(&user, licence).await["robotStatus"], "goal_reached");
    assert!(service::eligible(&app.context).await.unwrap().is_empty());
    let raised = user
        .patch(
            "/trader/config-robot-trader",
            &json!({ "licence": licence, "dailyGainGoal": "5" }),
        )
        .await
        .ok();
    assert_eq!(raised["robotStatus"], "joining", "its first minute is not over");
    user.patch(
        "/trader/config-robot-trader",
        &json!({ "licence": licence, "dailyGainGoal": "0.5" }),
    )
    .await
    .ok();
    app.clock.advance(time::Duration::days(1));
    assert_eq!(
        service::eligible(&app.context).await.unwrap().len(),
        1,
        "a new day"
    );
    let user = app.renew(&user);
    assert_eq!(view(&user, licence).await["today"], "0.000000");
}

#[actix_web::test]
async fn a_loss_takes_the_oldest_lots() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let licence = robot(&app, &user, 100).await;
    fund(&app, &user, UserAccount::Available, 100).await;
    user.post("/licences/topup", &json!({ "licence": licence, "value": "50" }))
        .await
        .ok();
    user.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": licence, "value": "50" }),
    )
    .await
    .ok();
    let fence = fence(&app).await;
    let share = share(&user, licence, Usdt::whole(120));
    let id = OperationId::fresh();
    service::reserve(&app.context, fence, id, &[share]).await.unwrap();
    service::settle(
        &app.context,
        fence,
        &batch(vec![operation(id, &[(share, -110_000_000)])]),
    )
    .await
    .unwrap();
    let lots: Vec<i64> =
        sqlx::query_scalar("SELECT amount FROM licences.lot WHERE licence = $1 ORDER BY created_at")
            .bind(licence.0)
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(lots, [0, 40_000_000]);
    exact(&app).await;
}

#[actix_web::test]
async fn a_batch_of_many_robots_is_exact() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let mut shares = Vec::new();
    for _ in 0..12 {
        let licence = robot(&app, &user, 100).await;
        shares.push(share(&user, licence, Usdt::whole(10)));
    }
    let fence = fence(&app).await;
    let mut operations = Vec::new();
    for n in 0..10i64 {
        let id = OperationId::fresh();
        assert_eq!(
            service::reserve(&app.context, fence, id, &shares)
                .await
                .unwrap()
                .len(),
            12
        );
        let results: Vec<(Share, i64)> = shares
            .iter()
            .zip(0i64..)
            .map(|(s, m)| (*s, (n * 7 + m * 13) % 29 * 1_000 - 12_000))
            .collect();
        operations.push(operation(id, &results));
    }
    let total: i64 = operations.iter().map(|o| o.result.0).sum();
    service::settle(&app.context, fence, &batch(operations))
        .await
        .unwrap();
    assert_eq!(
        house(&app, HouseAccount::Trading(Mode::Simulated)).await,
        Usdt(-total)
    );
    let booked: i64 = sqlx::query_scalar("SELECT sum(result)::bigint FROM robots.share")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(booked, total);
    exact(&app).await;
}

#[actix_web::test]
async fn the_desk_trades_by_itself_and_stops_clean() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    robot(&app, &user, 400).await;
    // The minute in which new capital waits is over.
    sqlx::query("UPDATE licences.licence SET eligible_from = now() - interval '1 minute'")
        .execute(&app.sql)
        .await
        .unwrap();
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/sample.ndjson");
    let feed = format!("replay:{recording}?speed=3").parse().unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let live = app.live.clone();
    let desk = actix_web::rt::spawn(server::robots::desk_runner::run(
        app.context.clone(),
        std::sync::Arc::new(move |glimpse| live.glimpse(glimpse)),
        feed,
        stop.clone(),
    ));
    let mut shares = 0i64;
    for _ in 0..900 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        shares = sqlx::query_scalar("SELECT count(*) FROM robots.share")
            .fetch_one(&app.sql)
            .await
            .unwrap();
        if shares >= 2 {
            break;
        }
    }
    assert!(shares >= 2, "the recording holds opportunities");
    stop.cancel();
    desk.await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM robots.reservation")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(left, 0, "what was in the air is settled");
    exact(&app).await;
    let (left, fence): (f64, i64) = sqlx::query_as(
        "SELECT extract(epoch FROM expires_at - now())::float8, fence FROM foundation.lease WHERE name = 'desk'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert!(
        left < 0.0,
        "the lease is free for the next node, not taken for {left} s (fence {fence})"
    );
}

#[actix_web::test]
async fn a_running_desk_follows_its_settings() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    robot(&app, &user, 400).await;
    sqlx::query("UPDATE licences.licence SET eligible_from = now() - interval '1 minute'")
        .execute(&app.sql)
        .await
        .unwrap();
    // No recording holds an edge of five percent.
    crate::guard::settings(&app, |s| {
        (s.minimum_edge, s.minimum_edge_high_risk) = (50_000, 50_000)
    })
    .await;
    let recording = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/sample.ndjson");
    let feed = format!("replay:{recording}?speed=3").parse().unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let (told, mut stats) = tokio::sync::mpsc::unbounded_channel();
    let desk = actix_web::rt::spawn(server::robots::desk_runner::run(
        app.context.clone(),
        std::sync::Arc::new(move |glimpse| {
            if matches!(glimpse, protocol::Glimpse::DeskStats(_)) {
                let _ = told.send(());
            }
        }),
        feed,
        stop.clone(),
    ));
    let shares = async || -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM robots.share")
            .fetch_one(&app.sql)
            .await
            .unwrap()
    };
    // As many seconds as the other test's desk needs for its first operations.
    for _ in 0..5 {
        stats.recv().await.unwrap();
    }
    assert_eq!(shares().await, 0);
    crate::guard::settings(&app, |s| (s.minimum_edge, s.minimum_edge_high_risk) = (500, 200)).await;
    let mut traded = 0;
    for _ in 0..900 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        traded = shares().await;
        if traded > 0 {
            break;
        }
    }
    assert!(traded > 0, "the new edge holds without a restart");
    stop.cancel();
    desk.await.unwrap();
    exact(&app).await;
}

#[actix_web::test]
async fn what_has_changed_since_the_desk_looked_reserves_nothing() {
    let app = TestApp::start().await;
    let (user, admin) = (app.user("ana").await, app.admin("root").await);
    let licence = robot(&app, &user, 100).await;
    let fence = fence(&app).await;
    let wanted = share(&user, licence, Usdt::whole(10));
    let reserved = async || {
        service::reserve(&app.context, fence, OperationId::fresh(), &[wanted])
            .await
            .unwrap()
            .len()
    };
    let configure = async |change: Value| {
        let mut body = json!({ "licence": licence });
        body.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        user.patch("/trader/config-robot-trader", &body).await.ok();
    };
    assert_eq!(reserved().await, 1);

    configure(json!({ "manualKey": true })).await;
    assert_eq!(reserved().await, 0, "the key is on: no automatic operation");
    configure(json!({ "manualKey": false })).await;
    assert_eq!(reserved().await, 1);

    configure(json!({ "paused": true })).await;
    assert_eq!(reserved().await, 0, "paused");
    configure(json!({ "paused": false })).await;
    assert_eq!(reserved().await, 1);

    let status = async |active| {
        server::identity::service::set_status(
            &app.context,
            &server::identity::signals::Signals::default(),
            admin.user,
            user.user,
            active,
            "a test",
        )
        .await
        .unwrap();
    };
    status(false).await;
    assert_eq!(reserved().await, 0, "the owner is inactive");
    status(true).await;
    assert_eq!(reserved().await, 1);

    let day = server::foundation::business_day::of(app.context.now());
    for (change, why) in [
        (
            "UPDATE licences.licence SET goal_day = $1",
            "the day's goal is reached",
        ),
        (
            "UPDATE licences.licence SET goal_day = NULL, state = 'ceiling_reached' WHERE $1 IS NOT NULL",
            "the ceiling is reached",
        ),
    ] {
        sqlx::query(change).bind(day).execute(&app.sql).await.unwrap();
        assert_eq!(reserved().await, 0, "{why}");
    }
}

/// A clock that stands until it is moved.
struct Standing(std::sync::atomic::AtomicI64);

impl server::foundation::clock::Clock for Standing {
    fn now(&self) -> time::OffsetDateTime {
        let ms = self.0.load(std::sync::atomic::Ordering::SeqCst);
        time::OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).unwrap()
    }
}

#[actix_web::test]
async fn a_committed_change_wakes_the_desk() {
    use protocol::Glimpse;
    use std::sync::{Arc, atomic::AtomicI64};
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let now = app.context.now().unix_timestamp() * 1_000;
    let clock = Arc::new(Standing(AtomicI64::new(now)));
    let context = server::foundation::context::Context {
        clock: clock.clone(),
        ..app.context.clone()
    };
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let stop = tokio_util::sync::CancellationToken::new();
    let desk = actix_web::rt::spawn(server::robots::desk_runner::run(
        context,
        Arc::new(move |glimpse| {
            if let Glimpse::DeskStats(stats) = glimpse {
                let _ = tell.send(stats.robots);
            }
        }),
        "simulated".parse().unwrap(),
        stop.clone(),
    ));
    assert_eq!(told.recv().await, Some(0), "the desk runs and has no robots");
    robot(&app, &user, 100).await;
    // The desk's own look comes after five seconds of its clock, which never pass here: four do, the last of them slowly.
    let mut robots = 0;
    for round in 0..40 {
        clock.0.fetch_add(100, std::sync::atomic::Ordering::SeqCst);
        let wait = std::time::Duration::from_millis(if round < 25 { 50 } else { 4_000 });
        while let Ok(Some(count)) = tokio::time::timeout(wait, told.recv()).await {
            robots = count;
        }
        if robots > 0 {
            break;
        }
    }
    assert_eq!(robots, 1);
    stop.cancel();
    desk.await.unwrap();
}
