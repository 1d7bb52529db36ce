//! Operations that owners order: from the call to the books, every refusal, turns, what a desk leaves behind, what staff may do.

use crate::{
    guard::{settings, time_out},
    kit::{Client, TestApp},
    licences::{balance, buy, exact, fund, house, id},
    robots::{batch, operation, robot, share},
};
use actors::desk::{
    cohort::Share,
    engine::EngineRules,
    floor::{Effect, Floor, FloorRules},
    market::{Market, PRICE_ONE, Price, QUANTITY_ONE, Quantity, Quote},
    port::{ManualOrder, Operation},
};
use protocol::{
    ids::{LicenceId, NodeId, OperationId},
    money::Usdt,
    views::{ManualRefusal, Mode},
};
use serde_json::{Value, json};
use server::{
    foundation::{business_day, clock::SharedClock, context::Context, lease, transaction::Db},
    ledger::model::{HouseAccount, UserAccount},
    robots::{
        desk_runner,
        manual::service as manual,
        service::{self, LEASE},
    },
};
use std::sync::Arc;
use time::Duration;

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";
const ROUTE: &str = "USDT → BTC (Aurora) → USDT (Boreal)";

/// Takes the desk's lease for longer than any of these tests lasts; the number of it.
pub async fn desk(app: &TestApp) -> i64 {
    let now = app.context.now();
    lease::acquire(
        app.context.db.pool(),
        LEASE,
        NodeId::fresh(),
        now,
        Duration::days(2),
    )
    .await
    .unwrap()
    .unwrap()
    .fence
}

async fn ready_at_once(app: &TestApp, licence: LicenceId) {
    sqlx::query("UPDATE licences.licence SET eligible_from = now() - interval '1 minute' WHERE id = $1")
        .bind(licence.0)
        .execute(&app.sql)
        .await
        .unwrap();
}

async fn configure(user: &Client, licence: LicenceId, mut change: Value) -> crate::kit::Reply {
    change["licence"] = json!(licence);
    user.patch("/trader/config-robot-trader", &change).await
}

/// A robot in its owner's hands, its minute of waiting over.
pub async fn steered(app: &TestApp, user: &Client, allocated: i64) -> LicenceId {
    let licence = robot(app, user, allocated).await;
    ready_at_once(app, licence).await;
    configure(user, licence, json!({ "manualKey": true })).await.ok();
    licence
}

pub async fn order(user: &Client, licence: LicenceId) -> crate::kit::Reply {
    user.post("/trader/manual", &json!({ "licence": licence, "route": ROUTE }))
        .await
}

async fn page(user: &Client, licence: LicenceId) -> Value {
    user.get(&format!("/trader/manual?licence={licence}")).await.ok()
}

/// What the page says about the next order, which the order says, too.
async fn refused(user: &Client, licence: LicenceId, status: u16, code: &str) -> Value {
    let seen = page(user, licence).await;
    assert_eq!(
        (&seen["ready"], &seen["refusal"]),
        (&json!(false), &json!(code)),
        "{seen}"
    );
    let reply = order(user, licence).await;
    reply.refused(status, code);
    reply.body
}

async fn states(app: &TestApp, user: &Client) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT payload -> 'order' ->> 'state' FROM foundation.event WHERE kind = 'robot.manual' AND stream = $1 ORDER BY seq",
    )
    .bind(format!("user:{}", user.user))
    .fetch_all(&app.sql)
    .await
    .unwrap()
}

async fn count(app: &TestApp, what: &'static str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {what}")))
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

/// The one order that waits, in the desk's hands now.
async fn take(app: &TestApp, fence: i64) -> ManualOrder {
    let mut orders = manual::take(&app.context, fence).await.unwrap();
    assert_eq!(orders.len(), 1);
    orders.remove(0)
}

/// What the desk would send of a filled order; without a result one that filled nothing.
fn done(order: &ManualOrder, share: Share, result: Option<i64>) -> Operation {
    let filled = operation(order.operation, &[(share, result.unwrap_or(0))]);
    Operation {
        manual: true,
        legs: if result.is_some() {
            filled.legs.clone()
        } else {
            Vec::new()
        },
        volume: if result.is_some() {
            filled.volume
        } else {
            Usdt::ZERO
        },
        ..filled
    }
}

/// The one order that waits, begun by the desk with so much of its robot.
async fn begin(app: &TestApp, fence: i64, user: &Client, usdt: i64) -> (ManualOrder, Share) {
    let order = take(app, fence).await;
    let share = share(user, order.robot.licence, Usdt::whole(usdt));
    let reserved = service::reserve_manual(&app.context, fence, order.operation, &[share])
        .await
        .unwrap();
    assert_eq!(reserved, [share]);
    (order, share)
}

/// Takes, reserves and books the one order that waits.
async fn fill(app: &TestApp, fence: i64, user: &Client, result: Option<i64>) {
    let (order, share) = begin(app, fence, user, 10).await;
    let batch = batch(vec![done(&order, share, result)]);
    service::settle(&app.context, fence, &batch).await.unwrap();
}

/// Two venues between which a BTC for 100 sells at 102.
fn market() -> Arc<Market> {
    let mut market = Market::default();
    for venue in ["Aurora", "Boreal"] {
        market.add_venue(venue, 1_000).unwrap();
        market.add_instrument(venue, "BTC", "USDT").unwrap();
    }
    Arc::new(market)
}

fn floor(now: i64) -> Floor {
    let market = market();
    let usdt = market.asset("USDT").unwrap();
    let rules = FloorRules {
        refusal_ppm: 0,
        engine: EngineRules::default(),
        ..FloorRules::new("test", Mode::Simulated, 1)
    };
    let ids: Vec<_> = market.ids().collect();
    let mut floor = Floor::new(market, usdt, rules);
    for (id, bid, ask) in [(ids[0], 99, 100), (ids[1], 102, 103)] {
        let quote = Quote {
            bid: Price(bid * PRICE_ONE),
            ask: Price(ask * PRICE_ONE),
            bid_quantity: Quantity(QUANTITY_ONE),
            ask_quantity: Quantity(QUANTITY_ONE),
            at_ms: now,
        };
        floor.on_quote(id, quote, now);
    }
    floor
}

/// Carries out what the desk wants until it wants nothing.
async fn carry_out(context: &Context, floor: &mut Floor, fence: i64, now: i64) {
    loop {
        let effects = floor.effects();
        if effects.is_empty() {
            return;
        }
        for effect in effects {
            match effect {
                Effect::Show(_) => {}
                Effect::Refresh => floor.on_eligible(Ok(service::eligible(context).await.unwrap()), now),
                Effect::Reserve {
                    operation,
                    shares,
                    manual,
                } => {
                    assert!(manual, "no robot here trades by itself");
                    let reserved = service::reserve_manual(context, fence, operation, &shares)
                        .await
                        .unwrap();
                    floor.on_reserved(operation, Ok(reserved), now);
                }
                Effect::Execute(_) => panic!("only in mode live"),
                Effect::Refuse { operation, reason } => {
                    manual::refuse(context, fence, operation, reason).await.unwrap();
                }
                Effect::Settle(batch) => {
                    let settled = service::settle(context, fence, &batch).await.unwrap();
                    floor.on_settled(batch.id, Ok(settled), now);
                }
            }
        }
    }
}

#[actix_web::test]
async fn from_the_order_to_the_books_exact_to_the_last_digit() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    let before = page(&user, licence).await;
    assert_eq!(
        before,
        json!({ "licence": licence, "ready": true, "refusal": null, "nextAt": null, "maximum": "20.000000", "minimumEdge": "0.0500", "minimumVolume": "1.000000", "orders": [] })
    );

    let key = user.key("0123456789abcdef-manual");
    let asked = order(&key, licence).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    let asked = asked.body;
    assert_eq!(
        (&asked["state"], &asked["route"], &asked["licence"]),
        (&json!("asked"), &json!(ROUTE), &json!(licence))
    );
    for empty in ["reason", "volume", "result", "mode", "closedAt"] {
        assert!(asked[empty].is_null(), "{empty}");
    }
    let again = order(&key, licence).await;
    assert_eq!((again.status, &again.body), (202, &asked), "the same call again");
    refused(&user, licence, 409, "manual.open").await;

    let taken = take(&app, fence).await;
    assert_eq!(json!(taken.operation), asked["_id"]);
    assert!(taken.robot.operating && taken.route.as_deref() == Some(ROUTE));
    assert!(manual::take(&app.context, fence).await.unwrap().is_empty());
    let mut now = 1_800_000_000_000;
    let mut floor = floor(now);
    floor.on_manual(&taken, now);
    carry_out(&app.context, &mut floor, fence, now).await;
    now += 149;
    floor.on_tick(now);
    carry_out(&app.context, &mut floor, fence, now).await;
    assert_eq!(page(&user, licence).await["orders"][0]["state"], "sent");
    floor.on_tick(now + 1);
    carry_out(&app.context, &mut floor, fence, now + 1).await;

    // 20 USDT buy 0.2 BTC, of which 0.1998 arrive and sell for 20.3796, of which 20.3592204 arrive.
    let after = page(&user, licence).await;
    let order_seen = &after["orders"][0];
    assert_eq!(
        (
            &order_seen["state"],
            &order_seen["volume"],
            &order_seen["result"],
            &order_seen["mode"],
            &order_seen["reason"]
        ),
        (
            &json!("done"),
            &json!("20.000000"),
            &json!("0.359220"),
            &json!("simulated"),
            &json!(null)
        )
    );
    assert!(order_seen["closedAt"].is_string());
    let views = user.get("/get-user-licenses").await.ok();
    let view = &views["data"][0];
    assert_eq!(
        (
            &view["yield"],
            &view["allocated"],
            &view["reserved"],
            &view["operations"]
        ),
        (
            &json!("0.359220"),
            &json!("200.000000"),
            &json!("0.000000"),
            &json!(1)
        )
    );
    assert_eq!(
        house(&app, HouseAccount::Trading(Mode::Simulated)).await,
        Usdt(-359_220)
    );
    assert_eq!(count(&app, "ledger.transfer WHERE kind = 'settlement'").await, 1);
    exact(&app).await;
    let history = user.get(&format!("/trader/orders-history/{licence}")).await.ok();
    assert_eq!(
        (&history["data"][0]["manual"], &history["data"][0]["_id"]),
        (&json!(true), &asked["_id"])
    );
    // Taken by the desk, then begun.
    assert_eq!(states(&app, &user).await, ["asked", "sent", "sent", "done"]);
}

#[actix_web::test]
async fn the_desk_says_no_and_the_turn_comes_back() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    let now = 1_800_000_000_000;
    // The opportunity is over when the order arrives, and no other comes while it stands.
    order(&user, licence).await.ok();
    let taken = ManualOrder {
        until_ms: now + 62_000,
        ..take(&app, fence).await
    };
    let mut old = floor(now);
    old.on_manual(&taken, now + 2_001);
    carry_out(&app.context, &mut old, fence, now).await;
    assert_eq!(page(&user, licence).await["orders"][0]["state"], "sent");
    old.on_tick(now + 62_000);
    carry_out(&app.context, &mut old, fence, now).await;
    let seen = page(&user, licence).await;
    assert_eq!(
        (
            &seen["ready"],
            &seen["orders"][0]["state"],
            &seen["orders"][0]["reason"]
        ),
        (&json!(true), &json!("refused"), &json!("expired"))
    );
    // Paused between the desk's word and the reservation.
    order(&user, licence).await.ok();
    let taken = take(&app, fence).await;
    configure(&user, licence, json!({ "paused": true })).await.ok();
    let mut fresh = floor(now);
    fresh.on_manual(&taken, now);
    carry_out(&app.context, &mut fresh, fence, now).await;
    assert_eq!(page(&user, licence).await["orders"][0]["reason"], "changed");
    configure(&user, licence, json!({ "paused": false })).await.ok();
    ready_at_once(&app, licence).await;
    // It filled nothing.
    order(&user, licence).await.ok();
    fill(&app, fence, &user, None).await;
    let seen = page(&user, licence).await;
    assert_eq!(
        (
            &seen["ready"],
            &seen["orders"][0]["state"],
            &seen["orders"][0]["result"]
        ),
        (&json!(true), &json!("nothing"), &json!(null))
    );
    assert_eq!(
        states(&app, &user).await,
        [
            "asked", "sent", "refused", "asked", "sent", "sent", "refused", "asked", "sent", "sent",
            "nothing"
        ]
    );
    assert_eq!(count(&app, "robots.operation").await, 0);
    exact(&app).await;
}

#[actix_web::test]
async fn every_refusal_before_anything_is_written() {
    let app = TestApp::start().await;
    let (user, other) = (app.user("ana").await, app.user("bea").await);
    let licence = steered(&app, &user, 200).await;
    let set = async |change: &'static str| {
        sqlx::query(sqlx::AssertSqlSafe(format!(
            "UPDATE licences.licence SET {change} WHERE id = $1"
        )))
        .bind(licence.0)
        .execute(&app.sql)
        .await
        .unwrap();
    };
    refused(&user, licence, 409, "manual.desk_off").await;
    desk(&app).await;
    assert_eq!(page(&user, licence).await["ready"], true);

    // Somebody else's robot is nobody's.
    order(&other, licence).await.refused(404, "licence.unknown");
    other
        .get(&format!("/trader/manual?licence={licence}"))
        .await
        .refused(404, "licence.unknown");
    for route in [
        "",
        "a\u{202e}b",
        "qualquer coisa",
        "USDT → BTC (Aurora) → BRL (Boreal)",
    ] {
        user.post("/trader/manual", &json!({ "licence": licence, "route": route }))
            .await
            .refused(422, "request.invalid");
    }
    let unkeyed = user
        .http
        .post(format!("{}/trader/manual", user.base))
        .bearer_auth(user.token.clone().unwrap())
        .json(&json!({ "licence": licence, "route": ROUTE }));
    user.send(unkeyed).await.refused(422, "idempotency.missing");

    configure(&user, licence, json!({ "manualKey": false }))
        .await
        .ok();
    refused(&user, licence, 409, "manual.key_off").await;
    configure(&user, licence, json!({ "manualKey": true })).await.ok();
    ready_at_once(&app, licence).await;

    set("manual_key = false, manual_revoked = true").await;
    refused(&user, licence, 409, "manual.revoked").await;
    set("manual_key = true, manual_revoked = false").await;

    let day = business_day::of(app.context.now());
    sqlx::query("UPDATE licences.licence SET goal_day = $1")
        .bind(day)
        .execute(&app.sql)
        .await
        .unwrap();
    refused(&user, licence, 409, "manual.goal_reached").await;
    set("goal_day = NULL, gains = 3 * capital").await;
    refused(&user, licence, 409, "manual.limit_reached").await;
    set("gains = 0, state = 'ceiling_reached'").await;
    refused(&user, licence, 409, "licence.state").await;
    set("state = 'active'").await;

    configure(&user, licence, json!({ "paused": true })).await.ok();
    refused(&user, licence, 409, "manual.paused").await;
    configure(&user, licence, json!({ "paused": false })).await.ok();
    let from = app.context.now() + Duration::seconds(40);
    sqlx::query("UPDATE licences.licence SET eligible_from = $1")
        .bind(from)
        .execute(&app.sql)
        .await
        .unwrap();
    let body = refused(&user, licence, 409, "manual.too_early").await;
    let at = time::OffsetDateTime::parse(
        body["params"]["at"].as_str().unwrap(),
        &time::format_description::well_known::Rfc3339,
    )
    .unwrap();
    assert!((at - from).abs() < Duration::milliseconds(1));
    assert_eq!(page(&user, licence).await["nextAt"], body["params"]["at"]);
    ready_at_once(&app, licence).await;

    let back = json!({ "from": licence, "value": "200" });
    user.post("/trader/relocate-value", &back).await.ok();
    let body = refused(&user, licence, 409, "manual.not_allocated").await;
    assert_eq!(body["params"]["minimum"], "10.000000");
    let out = json!({ "licence": licence, "value": "200" });
    user.post("/trader/allocate-value-in-trading", &out).await.ok();
    ready_at_once(&app, licence).await;

    // A licence into which nothing was ever put.
    fund(&app, &user, UserAccount::Available, 100).await;
    let bare: LicenceId = id(&buy(&user, PLAN_100).await).parse().unwrap();
    configure(&user, bare, json!({ "manualKey": true })).await.ok();
    refused(&user, bare, 409, "manual.no_topup").await;

    // The day's loss has stopped the desk.
    sqlx::query(
        "INSERT INTO robots.desk_day (mode, day, net, operations) VALUES ('simulated', $1, -10000000000, 1)",
    )
    .bind(day)
    .execute(&app.sql)
    .await
    .unwrap();
    refused(&user, licence, 409, "manual.desk_off").await;
    sqlx::query("UPDATE robots.desk_day SET net = net + 1")
        .execute(&app.sql)
        .await
        .unwrap();
    assert_eq!(page(&user, licence).await["ready"], true);

    time_out(&app, &user, 7).await.ok();
    refused(&user, licence, 403, "account.excluded").await;
    assert_eq!(count(&app, "robots.manual_order").await, 0);
    assert!(states(&app, &user).await.is_empty());
}

#[actix_web::test]
async fn two_at_once_are_one() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    desk(&app).await;
    let (one, two) = (steered(&app, &user, 200).await, steered(&app, &user, 100).await);
    let calls = [one, two, one, two, one, two].map(|licence| order(&user, licence));
    let replies = futures_util::future::join_all(calls).await;
    let taken = replies.iter().filter(|r| r.status == 202).count();
    assert_eq!(taken, 1);
    for reply in replies.iter().filter(|r| r.status != 202) {
        reply.refused(409, "manual.open");
    }
    assert_eq!(count(&app, "robots.manual_order").await, 1);
    assert_eq!(states(&app, &user).await, ["asked"]);
}

#[actix_web::test]
async fn a_minute_between_two_of_one_licence_and_of_one_person() {
    let app = TestApp::start().await;
    let (user, other) = (app.user("ana").await, app.user("bea").await);
    let fence = desk(&app).await;
    let (one, two) = (steered(&app, &user, 200).await, steered(&app, &user, 100).await);
    let others = steered(&app, &other, 100).await;
    let asked = order(&user, one).await.ok();
    fill(&app, fence, &user, Some(10_000)).await;
    for licence in [one, two] {
        let body = refused(&user, licence, 409, "manual.wait").await;
        let read = |text: &Value| {
            time::OffsetDateTime::parse(
                text.as_str().unwrap(),
                &time::format_description::well_known::Rfc3339,
            )
            .unwrap()
        };
        let waits = read(&body["params"]["at"]) - read(&asked["askedAt"]);
        assert!(
            waits >= Duration::seconds(60) && waits < Duration::seconds(70),
            "counted from its beginning: {waits}"
        );
        assert_eq!(page(&user, licence).await["nextAt"], body["params"]["at"]);
    }
    order(&other, others).await.ok();
    app.clock.advance(Duration::seconds(50));
    let user = app.renew(&user);
    refused(&user, two, 409, "manual.wait").await;
    app.clock.advance(Duration::seconds(20));
    let user = app.renew(&user);
    assert_eq!(order(&user, two).await.status, 202);
    exact(&app).await;
}

#[actix_web::test]
async fn what_nobody_takes_ends_by_itself_and_gives_the_turn_back() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    order(&user, licence).await.ok();
    app.clock.advance(Duration::seconds(65));
    let user = app.renew(&user);
    refused(&user, licence, 409, "manual.open").await;
    app.clock.advance(Duration::seconds(6));
    let user = app.renew(&user);
    let seen = page(&user, licence).await;
    assert_eq!(
        (
            &seen["ready"],
            &seen["orders"][0]["state"],
            &seen["orders"][0]["reason"]
        ),
        (&json!(true), &json!("refused"), &json!("expired"))
    );
    assert!(manual::take(&app.context, fence).await.unwrap().is_empty());

    // The next call ends an old one, too; and a desk hands over nothing that is too old.
    order(&user, licence).await.ok();
    app.clock.advance(Duration::seconds(71));
    let user = app.renew(&user);
    assert_eq!(order(&user, licence).await.status, 202);
    let taken = take(&app, fence).await;
    app.clock.advance(Duration::seconds(71));
    let share = share(&user, licence, Usdt::whole(10));
    let late = service::reserve_manual(&app.context, fence, taken.operation, &[share])
        .await
        .unwrap();
    assert!(late.is_empty(), "too old to be begun");
    assert!(manual::take(&app.context, fence).await.unwrap().is_empty());
    assert_eq!(
        states(&app, &user).await,
        ["asked", "refused", "asked", "refused", "asked", "sent", "refused"]
    );
    exact(&app).await;
}

#[actix_web::test]
async fn what_was_booked_counts_even_if_its_order_had_been_given_up() {
    let app = TestApp::start().await;
    // Longer than an order stands.
    settings(&app, |s| s.manual_wait_seconds = 600).await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    order(&user, licence).await.ok();
    let (taken, share) = begin(&app, fence, &user, 20).await;
    app.clock.advance(Duration::seconds(71));
    manual::expire(&app.context).await.unwrap();
    let user = app.renew(&user);
    assert_eq!(page(&user, licence).await["orders"][0]["state"], "refused");
    let late = batch(vec![done(&taken, share, Some(-30_000))]);
    let (a, b) = tokio::join!(
        service::settle(&app.context, fence, &late),
        service::settle(&app.context, fence, &late)
    );
    a.unwrap();
    b.unwrap();
    let seen = page(&user, licence).await;
    assert_eq!(
        (
            &seen["orders"][0]["state"],
            &seen["orders"][0]["reason"],
            &seen["orders"][0]["result"]
        ),
        (&json!("done"), &json!(null), &json!("-0.030000"))
    );
    assert_eq!(seen["refusal"], "manual.wait", "it has taken its turn");
    assert_eq!(
        states(&app, &user).await,
        ["asked", "sent", "sent", "refused", "done"]
    );
    assert_eq!(
        house(&app, HouseAccount::Trading(Mode::Simulated)).await,
        Usdt(30_000)
    );
    exact(&app).await;
}

/// A second connection could be the one that all others, waiting for this one's locks, already hold.
#[actix_web::test]
async fn an_order_needs_one_connection_at_a_time() {
    let app = TestApp::with_connections(1).await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    let forget = async || app.context.settings.forget().await;
    forget().await;
    order(&user, licence).await.ok();
    forget().await;
    let taken = take(&app, fence).await;
    let told = manual::refuse(&app.context, fence, taken.operation, ManualRefusal::Thin).await;
    told.unwrap();
    forget().await;
    assert_eq!(page(&user, licence).await["ready"], true);
    order(&user, licence).await.ok();
    forget().await;
    fill(&app, fence, &user, Some(1_000)).await;
    forget().await;
    assert_eq!(page(&user, licence).await["orders"][0]["state"], "done");
    assert_eq!(page(&user, licence).await["orders"][1]["reason"], "thin");
    manual::expire(&app.context).await.unwrap();
    exact(&app).await;
}

/// An order stands until its owner takes it back, or the desk has begun it.
#[actix_web::test]
async fn an_order_that_stands_is_taken_back_until_it_is_begun() {
    let app = TestApp::start().await;
    let (user, other) = (app.user("ana").await, app.user("bea").await);
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    let any = user.post("/trader/manual", &json!({ "licence": licence })).await;
    assert_eq!(any.status, 202, "{}", any.body);
    let any = any.body;
    assert_eq!((&any["route"], &any["begun"]), (&json!(null), &json!(false)));
    let taken = take(&app, fence).await;
    assert_eq!(taken.route, None);
    let asked = time::OffsetDateTime::parse(
        any["askedAt"].as_str().unwrap(),
        &time::format_description::well_known::Rfc3339,
    )
    .unwrap();
    let until = (asked + Duration::seconds(60)).unix_timestamp_nanos() / 1_000_000;
    assert_eq!(i128::from(taken.until_ms), until);
    let cancel = |by: &Client, order: &Value| {
        let by = by.clone();
        let path = format!("/trader/manual/{}/cancel", order["_id"].as_str().unwrap());
        async move { by.post(&path, &json!({})).await }
    };
    cancel(&other, &any).await.refused(404, "request.not_found");
    let ended = cancel(&user, &any).await.ok();
    assert_eq!(
        (&ended["state"], &ended["reason"]),
        (&json!("refused"), &json!("canceled"))
    );
    cancel(&user, &any).await.refused(409, "request.conflict");
    // The desk that still has it begins nothing.
    let share = share(&user, licence, Usdt::whole(20));
    let late = service::reserve_manual(&app.context, fence, taken.operation, &[share]).await;
    assert!(late.unwrap().is_empty());

    // Begun, it is nobody's to take back; what it took is written with its result.
    let again = user
        .post("/trader/manual", &json!({ "licence": licence }))
        .await
        .body;
    let (taken, share) = begin(&app, fence, &user, 20).await;
    assert_eq!(page(&user, licence).await["orders"][0]["begun"], true);
    cancel(&user, &again).await.refused(409, "request.conflict");
    let filled = batch(vec![done(&taken, share, Some(10_000))]);
    service::settle(&app.context, fence, &filled).await.unwrap();
    let seen = page(&user, licence).await;
    assert_eq!(seen["orders"][0]["state"], "done");
    assert_eq!(seen["orders"][0]["route"], json!(filled.operations[0].route));
    assert_eq!(seen["orders"][0]["unwound"], false);
    exact(&app).await;
}

/// A leg that failed: what the other had bought was sold again, at a loss, and the order says so wherever it is shown.
#[actix_web::test]
async fn an_order_that_was_unwound_says_so() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    order(&user, licence).await.ok();
    let (taken, share) = begin(&app, fence, &user, 10).await;
    let mut brought_back = done(&taken, share, Some(-20_000));
    brought_back.legs[1].unwinding = true;
    service::settle(&app.context, fence, &batch(vec![brought_back]))
        .await
        .unwrap();
    let shown = &page(&user, licence).await["orders"][0];
    assert_eq!(
        (&shown["state"], &shown["unwound"], &shown["result"]),
        (&json!("done"), &json!(true), &json!("-0.020000"))
    );
    let history = user.get(&format!("/trader/orders-history/{licence}")).await.ok();
    let row = &history["data"][0];
    assert_eq!(row["unwound"], true);
    assert_eq!(
        (&row["legs"][0]["unwinding"], &row["legs"][1]["unwinding"]),
        (&json!(false), &json!(true))
    );
    exact(&app).await;
}

/// Whoever asked for a time out while an order stood begins nothing.
#[actix_web::test]
async fn a_time_out_reaches_an_order_that_stands() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    order(&user, licence).await.ok();
    let taken = take(&app, fence).await;
    time_out(&app, &user, 7).await.ok();
    let share = share(&user, licence, Usdt::whole(20));
    let late = service::reserve_manual(&app.context, fence, taken.operation, &[share]).await;
    assert!(late.unwrap().is_empty());
    exact(&app).await;
}

#[actix_web::test]
async fn only_the_present_desk_begins_and_refuses() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let old = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    order(&user, licence).await.ok();
    let taken = take(&app, old).await;
    sqlx::query("UPDATE foundation.lease SET expires_at = now() - interval '1 second'")
        .execute(&app.sql)
        .await
        .unwrap();
    let new = desk(&app).await;
    assert!(new > old);
    let share = share(&user, licence, Usdt::whole(10));
    let begun = service::reserve_manual(&app.context, old, taken.operation, &[share]).await;
    assert_eq!(begun.unwrap_err().error_code().as_str(), "request.conflict");
    let told = manual::refuse(&app.context, old, taken.operation, ManualRefusal::Taken).await;
    assert_eq!(told.unwrap_err().error_code().as_str(), "request.conflict");
    assert!(manual::take(&app.context, old).await.is_ok_and(|o| o.is_empty()));
    let begun = service::reserve_manual(&app.context, new, taken.operation, &[share]).await;
    assert!(begun.unwrap().is_empty(), "the new desk never had it");
    // An operation that nobody ordered is not begun either.
    let fresh = OperationId::fresh();
    let begun = service::reserve_manual(&app.context, new, fresh, &[share]).await;
    assert!(begun.unwrap().is_empty());
    exact(&app).await;
}

#[actix_web::test]
async fn a_manual_share_needs_all_that_an_order_needs() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 100).await;
    order(&user, licence).await.ok();
    let taken = take(&app, fence).await;
    let reserved = async |amount: i64| {
        let share = share(&user, licence, Usdt::whole(amount));
        service::reserve_manual(&app.context, fence, taken.operation, &[share])
            .await
            .unwrap()
            .len()
    };
    for (change, back) in [
        ("manual_key = false", "manual_key = true"),
        (
            "manual_key = false, manual_revoked = true",
            "manual_key = true, manual_revoked = false",
        ),
        ("paused = true", "paused = false"),
        ("topup_at = NULL", "topup_at = now()"),
        ("gains = 3 * capital", "gains = 0"),
        ("state = 'ceiling_reached'", "state = 'active'"),
        (
            "goal_day = (now() AT TIME ZONE 'America/Sao_Paulo')::date",
            "goal_day = NULL",
        ),
    ] {
        for (set, expected) in [(change, 0), (back, -1)] {
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE licences.licence SET {set}")))
                .execute(&app.sql)
                .await
                .unwrap();
            if expected == 0 {
                assert_eq!(reserved(10).await, 0, "{set}");
            }
        }
    }
    assert_eq!(reserved(101).await, 0, "more than is free");
    assert_eq!(reserved(100).await, 1);
    assert!(
        service::reserve(
            &app.context,
            fence,
            OperationId::fresh(),
            &[share(&user, licence, Usdt::whole(1))]
        )
        .await
        .unwrap()
        .is_empty(),
        "it trades at its owner's word only"
    );
}

#[actix_web::test]
async fn staff_take_the_key_away_and_give_it_back() {
    let app = TestApp::start().await;
    let (user, admin) = (app.user("ana").await, app.admin("root").await);
    let fence = desk(&app).await;
    let licence = steered(&app, &user, 200).await;
    order(&user, licence).await.ok();
    let taken = take(&app, fence).await;
    let path = format!("/admin/licences/{licence}/manual-key");
    let decide = async |revoked: bool, reason: &str| {
        admin
            .post(&path, &json!({ "revoked": revoked, "reason": reason }))
            .await
    };
    user.post(&path, &json!({ "revoked": true, "reason": "mine" }))
        .await
        .refused(403, "auth.forbidden");
    decide(true, " ").await.refused(422, "decision.reason_missing");
    admin
        .post(
            &format!("/admin/licences/{}/manual-key", LicenceId::fresh()),
            &json!({ "revoked": true, "reason": "nobody's" }),
        )
        .await
        .refused(404, "licence.unknown");
    let view = decide(true, "orders by a program").await.ok();
    assert_eq!(
        (&view["manualKey"], &view["manualRevoked"]),
        (&json!(false), &json!(true)),
        "off at once"
    );
    let share = share(&user, licence, Usdt::whole(10));
    let begun = service::reserve_manual(&app.context, fence, taken.operation, &[share]).await;
    assert!(begun.unwrap().is_empty(), "also for an order in the air");
    configure(&user, licence, json!({ "manualKey": true }))
        .await
        .refused(409, "manual.revoked");
    configure(&user, licence, json!({ "manualKey": false }))
        .await
        .ok();
    let config = user
        .get(&format!("/trader/search-config-robot-trader?licence={licence}"))
        .await
        .ok();
    assert_eq!(
        (&config["manualKey"], &config["manualRevoked"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(page(&user, licence).await["refusal"], "manual.revoked");

    decide(false, "explained").await.ok();
    configure(&user, licence, json!({ "manualKey": true })).await.ok();
    let lines: Vec<(String, Value)> = sqlx::query_as(
        "SELECT action, details FROM foundation.audit WHERE action LIKE 'licence.manual%' AND actor = $1 AND subject = $2 ORDER BY id",
    )
    .bind(admin.user.0)
    .bind(user.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        lines,
        [
            (
                "licence.manual_revoked".to_owned(),
                json!({ "licence": licence, "reason": "orders by a program" })
            ),
            (
                "licence.manual_given_back".to_owned(),
                json!({ "licence": licence, "reason": "explained" })
            ),
        ]
    );
    let told = count(
        &app,
        "foundation.event WHERE kind = 'licence.changed' AND (payload -> 'licence' ->> 'manualRevoked')::boolean",
    )
    .await;
    assert!(told >= 1);
}

#[actix_web::test]
async fn the_report_sets_owners_beside_cohorts() {
    let app = TestApp::start().await;
    let (user, admin) = (app.user("ana").await, app.admin("root").await);
    let fence = desk(&app).await;
    let steered = steered(&app, &user, 200).await;
    let automatic = robot(&app, &user, 400).await;
    let none = admin.get("/admin/reports/manual").await.ok();
    assert_eq!((&none["data"], &none["meta"]["total"]), (&json!([]), &json!(0)));
    order(&user, steered).await.ok();
    let taken = take(&app, fence).await;
    let (mine, its) = (
        share(&user, steered, Usdt::whole(20)),
        share(&user, automatic, Usdt::whole(40)),
    );
    let (own, missed) = (OperationId::fresh(), OperationId::fresh());
    service::reserve_manual(&app.context, fence, taken.operation, &[mine])
        .await
        .unwrap();
    service::reserve(&app.context, fence, own, &[its]).await.unwrap();
    let nothing = Operation {
        legs: Vec::new(),
        ..operation(missed, &[(its, 0)])
    };
    let all = vec![
        done(&taken, mine, Some(-5_000)),
        operation(own, &[(its, 28_004)]),
        nothing,
    ];
    service::settle(&app.context, fence, &batch(all)).await.unwrap();
    user.get("/admin/reports/manual")
        .await
        .refused(403, "auth.forbidden");
    let report = admin.get("/admin/reports/manual?page=1&limit=5").await.ok();
    let day = business_day::of(app.context.now()).to_string();
    assert_eq!(
        report["data"],
        json!([{
            "day": day, "mode": "simulated",
            "manual": { "operations": 1, "volume": "20.000000", "net": "-0.005000", "edge": "-0.0250" },
            "cohort": { "operations": 1, "volume": "40.000000", "net": "0.028004", "edge": "0.0700" },
        }])
    );
    assert_eq!(report["meta"]["total"], 1);
    admin
        .get("/admin/reports/manual?limit=0")
        .await
        .refused(422, "request.invalid");
    // A day on which nobody ordered anything.
    app.clock.advance(Duration::days(1));
    let id = OperationId::fresh();
    service::reserve(&app.context, fence, id, &[its]).await.unwrap();
    service::settle(&app.context, fence, &batch(vec![operation(id, &[(its, 1_000)])]))
        .await
        .unwrap();
    let report = app.renew(&admin).get("/admin/reports/manual").await.ok();
    assert_eq!(report["data"][1]["day"], day);
    assert_eq!(
        report["data"][0]["manual"],
        json!({ "operations": 0, "volume": "0.000000", "net": "0.000000", "edge": null })
    );
    exact(&app).await;
}

/// The whole way: the call at this node, another node's desk that finds it, a market that moves.
#[actix_web::test]
async fn another_nodes_desk_takes_fills_and_books_it() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let licence = steered(&app, &user, 400).await;
    // Its own door to the database: it hears of no commit of this node.
    let clock: SharedClock = app.clock.clone();
    let context = Context {
        db: Db::new(app.context.db.pool().clone(), clock),
        ..app.context.clone()
    };
    let stop = tokio_util::sync::CancellationToken::new();
    let running = actix_web::rt::spawn(desk_runner::run(
        context,
        Arc::new(|_| {}),
        "simulated".parse().unwrap(),
        stop.clone(),
    ));
    // The next opportunity, whichever it is: that of one route may take longer to come again than an order stands.
    let mut last = Value::Null;
    for _ in 0..60 {
        // A desk that begins has no lease yet; an order before it has is refused.
        while page(&user, licence).await["ready"] != true {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let asked = user
            .post("/trader/manual", &json!({ "licence": licence }))
            .await
            .ok();
        for _ in 0..1_200 {
            last = page(&user, licence).await["orders"][0].clone();
            assert_eq!(last["_id"], asked["_id"]);
            if !matches!(last["state"].as_str(), Some("asked" | "sent")) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        if last["state"] == "done" {
            break;
        }
    }
    assert_eq!(last["state"], "done", "{last}");
    assert_eq!(last["mode"], "simulated");
    stop.cancel();
    running.await.unwrap();
    let filled: Vec<(bool, i64)> = sqlx::query_as(
        "SELECT o.manual, s.amount FROM robots.operation o JOIN robots.share s ON s.operation = o.id",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(filled.len(), 1);
    assert!(filled[0].0 && filled[0].1 <= 40_000_000, "a tenth at most");
    assert_eq!(balance(&app, &user, UserAccount::Available).await, Usdt::ZERO);
    exact(&app).await;
}
