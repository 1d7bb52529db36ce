//! Operations that owners order: from the call to the books, every refusal, turns. Orders that stand and end: [`crate::manual_standing`]; what
//! staff do, and another node's desk: [`crate::manual_staff`].

use crate::{
    guard::time_out,
    kit::{Client, TestApp},
    licences::{buy, exact, fund, house, id},
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
    ids::{LicenceId, NodeId},
    money::Usdt,
    views::Mode,
};
use serde_json::{Value, json};
use server::{
    foundation::{business_day, context::Context, lease},
    ledger::model::{HouseAccount, UserAccount},
    robots::{
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

pub async fn configure(user: &Client, licence: LicenceId, mut change: Value) -> crate::kit::Reply {
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

pub async fn page(user: &Client, licence: LicenceId) -> Value {
    user.get(&format!("/trader/manual?licence={licence}")).await.ok()
}

/// What the page says about the next order, which the order says, too.
pub async fn refused(user: &Client, licence: LicenceId, status: u16, code: &str) -> Value {
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

pub async fn states(app: &TestApp, user: &Client) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT payload -> 'order' ->> 'state' FROM foundation.event WHERE kind = 'robot.manual' AND stream = $1 ORDER BY seq",
    )
    .bind(format!("user:{}", user.user))
    .fetch_all(&app.sql)
    .await
    .unwrap()
}

pub async fn count(app: &TestApp, what: &'static str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {what}")))
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

/// The one order that waits, in the desk's hands now.
pub async fn take(app: &TestApp, fence: i64) -> ManualOrder {
    let mut orders = manual::take(&app.context, fence).await.unwrap();
    assert_eq!(orders.len(), 1);
    orders.remove(0)
}

/// What the desk would send of a filled order; without a result one that filled nothing.
pub fn done(order: &ManualOrder, share: Share, result: Option<i64>) -> Operation {
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
pub async fn begin(app: &TestApp, fence: i64, user: &Client, usdt: i64) -> (ManualOrder, Share) {
    let order = take(app, fence).await;
    let share = share(user, order.robot.licence, Usdt::whole(usdt));
    let reserved = service::reserve_manual(&app.context, fence, order.operation, &[share])
        .await
        .unwrap();
    assert_eq!(reserved, [share]);
    (order, share)
}

/// Takes, reserves and books the one order that waits.
pub async fn fill(app: &TestApp, fence: i64, user: &Client, result: Option<i64>) {
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
