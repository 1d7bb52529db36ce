//! Copying: who may lead, who may follow, what a follower takes, and how it ends; to the last unit.

use crate::{
    kit::{Client, TestApp},
    licences::{exact, fund},
    notifications::drain,
    robots::{batch, fence, operation, robot, share},
};
use actors::desk::{
    cohort::{CohortRules, Roster, Share},
    port::{Batch, Operation, SettledBatch},
};
use protocol::{
    ids::{LicenceId, OperationId},
    money::Usdt,
    views::Mode,
};
use serde_json::{Value, json};
use server::{
    foundation::business_day,
    ledger::model::UserAccount,
    robots::{copying::service as copying, days, service},
};
use time::Duration;

/// Moves the clock to São Paulo's noon, so that no test crosses a midnight unasked.
pub fn noon(app: &TestApp) {
    let now = app.context.now();
    let today = business_day::of(now);
    let noon = business_day::start(today) + Duration::hours(12);
    let next = business_day::start(today.next_day().unwrap()) + Duration::hours(12);
    app.clock
        .advance(if noon > now { noon - now } else { next - now });
}

/// Books operations under a lease of their own.
async fn settle(app: &TestApp, operations: Vec<Operation>) -> SettledBatch {
    settle_in(app, Mode::Simulated, operations).await
}

async fn settle_in(app: &TestApp, mode: Mode, operations: Vec<Operation>) -> SettledBatch {
    // The lease before is over.
    app.clock.advance(Duration::seconds(2));
    let fence = fence(app).await;
    let batch = Batch {
        mode,
        ..batch(operations)
    };
    service::settle(&app.context, fence, &batch).await.unwrap()
}

/// Operations of one robot that bring this much each.
fn operations(user: &Client, licence: LicenceId, results: &[i64]) -> Vec<Operation> {
    let share = share(user, licence, Usdt::whole(1));
    results
        .iter()
        .map(|result| operation(OperationId::fresh(), &[(share, *result)]))
        .collect()
}

async fn earn(app: &TestApp, user: &Client, licence: LicenceId, results: &[i64]) -> SettledBatch {
    settle(app, operations(user, licence, results)).await
}

async fn lead(app: &TestApp, user: &Client, licence: LicenceId, open: bool) -> crate::kit::Reply {
    app.renew(user)
        .post("/trader/leading", &json!({ "licence": licence, "open": open }))
        .await
}

pub async fn follow(
    app: &TestApp,
    user: &Client,
    licence: LicenceId,
    leader: LicenceId,
    maximum_loss: &str,
) -> crate::kit::Reply {
    let body = json!({ "licence": licence, "leader": leader, "maximumLoss": maximum_loss });
    app.renew(user).post("/trader/follow", &body).await
}

pub async fn following(app: &TestApp, user: &Client) -> Vec<Value> {
    let list = app.renew(user).get("/trader/following").await.ok();
    list.as_array().unwrap().clone()
}

async fn leaders(app: &TestApp, user: &Client, query: &str) -> Vec<Value> {
    let list = app.renew(user).get(&format!("/trader/leaders{query}")).await.ok();
    list["data"].as_array().unwrap().clone()
}

async fn seen(app: &TestApp, user: &Client, licence: LicenceId) -> Value {
    let list = app.renew(user).get("/get-user-licenses").await.ok();
    let all = list["data"].as_array().unwrap();
    all.iter()
        .find(|l| l["_id"] == licence.to_string())
        .unwrap()
        .clone()
}

async fn configure(app: &TestApp, user: &Client, licence: LicenceId, change: Value) {
    let mut body = json!({ "licence": licence });
    body.as_object_mut()
        .unwrap()
        .extend(change.as_object().unwrap().clone());
    app.renew(user)
        .patch("/trader/config-robot-trader", &body)
        .await
        .ok();
}

/// Lines of the panel about copying.
async fn told(app: &TestApp, user: &Client) -> Vec<(String, Value)> {
    drain(app).await;
    let inbox = app.renew(user).get("/notifications?limit=100").await.ok();
    inbox["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|l| l["code"].as_str().unwrap().starts_with("following_"))
        .map(|l| (l["code"].as_str().unwrap().to_owned(), l["params"].clone()))
        .collect()
}

/// A robot that has done what a leader needs, and is open.
pub async fn leader(app: &TestApp, user: &Client, allocated: i64) -> LicenceId {
    let licence = robot(app, &app.renew(user), allocated).await;
    earn(app, user, licence, &[1_000; 100]).await;
    app.clock.advance(Duration::days(30));
    assert_eq!(lead(app, user, licence, true).await.ok()["open"], true);
    licence
}

/// What the desk is told of a robot: whom it follows; nothing when it does not trade.
async fn at_the_desk(app: &TestApp, licence: LicenceId) -> Option<Option<LicenceId>> {
    let eligible = service::eligible(&app.context).await.unwrap();
    eligible.iter().find(|r| r.licence == licence).map(|r| r.follows)
}

#[actix_web::test]
async fn a_leader_needs_days_operations_and_capital() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let licence = robot(&app, &ana, 200).await;
    robot(&app, &bea, 300).await;
    robot(&app, &cid, 400).await;
    let path = format!("/trader/leading?licence={licence}");
    let before = app.renew(&ana).get(&path).await.ok();
    assert_eq!(
        (&before["open"], &before["eligible"], &before["followers"]),
        (&json!(false), &json!(false), &json!(0))
    );
    assert_eq!(
        before["missing"],
        json!([
            "leader.too_young",
            "leader.too_few_operations",
            "leader.allocation_too_small"
        ])
    );
    assert_eq!(
        (
            &before["neededDays"],
            &before["neededOperations"],
            &before["allocated"],
            &before["median"]
        ),
        (
            &json!(30),
            &json!(100),
            &json!("200.000000"),
            &json!("300.000000")
        )
    );
    lead(&app, &ana, licence, true)
        .await
        .refused(422, "leader.too_young");
    // What another mode brought is not this world's.
    settle_in(&app, Mode::Paper, operations(&ana, licence, &[1; 10])).await;
    earn(&app, &ana, licence, &[1; 99]).await;
    app.clock.advance(Duration::days(29));
    let young = lead(&app, &ana, licence, true).await;
    young.refused(422, "leader.too_young");
    assert_eq!(young.body["params"], json!({ "days": "29", "needed": "30" }));
    app.clock.advance(Duration::days(1));
    let few = lead(&app, &ana, licence, true).await;
    few.refused(422, "leader.too_few_operations");
    assert_eq!(few.body["params"], json!({ "operations": "99", "needed": "100" }));
    earn(&app, &ana, licence, &[1]).await;
    let small = lead(&app, &ana, licence, true).await;
    small.refused(422, "leader.allocation_too_small");
    assert_eq!(small.body["params"], json!({ "median": "300.000000" }));

    fund(&app, &ana, UserAccount::Available, 100).await;
    let rich = app.renew(&ana);
    let body = json!({ "licence": licence, "value": "100" });
    rich.post("/licences/topup", &body).await.ok();
    rich.post("/trader/allocate-value-in-trading", &body).await.ok();
    configure(&app, &ana, licence, json!({ "manualKey": true })).await;
    lead(&app, &ana, licence, true)
        .await
        .refused(409, "leader.manual_key");
    configure(&app, &ana, licence, json!({ "manualKey": false })).await;

    lead(&app, &bea, licence, true)
        .await
        .refused(404, "licence.unknown");
    app.renew(&bea).get(&path).await.refused(404, "licence.unknown");
    let opened = lead(&app, &ana, licence, true).await.ok();
    assert_eq!(
        (&opened["open"], &opened["eligible"], &opened["missing"]),
        (&json!(true), &json!(true), &json!([]))
    );
    assert_eq!(
        (&opened["days"], &opened["operations"]),
        (&json!(30), &json!(100))
    );
    assert_eq!(
        lead(&app, &ana, licence, true).await.ok()["open"],
        true,
        "again changes nothing"
    );
    lead(&app, &bea, licence, false)
        .await
        .refused(404, "licence.unknown");
    assert_eq!(lead(&app, &ana, licence, false).await.ok()["open"], false);
    assert_eq!(lead(&app, &ana, licence, false).await.ok()["open"], false);
    sqlx::query("UPDATE licences.licence SET state = 'ceiling_reached' WHERE id = $1")
        .bind(licence.0)
        .execute(&app.sql)
        .await
        .unwrap();
    lead(&app, &ana, licence, true)
        .await
        .refused(409, "licence.state");
}

#[actix_web::test]
async fn a_robot_follows_one_leader_and_none_of_its_owner() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let (a, c) = (leader(&app, &ana, 200).await, leader(&app, &cid, 200).await);
    let (b, beside) = (
        robot(&app, &app.renew(&bea), 100).await,
        robot(&app, &app.renew(&ana), 100).await,
    );
    follow(&app, &bea, a, c, "5")
        .await
        .refused(404, "licence.unknown");
    follow(&app, &bea, b, LicenceId::fresh(), "5")
        .await
        .refused(404, "leader.unknown");
    follow(&app, &bea, b, beside, "5")
        .await
        .refused(404, "leader.unknown");
    follow(&app, &ana, beside, a, "5")
        .await
        .refused(422, "follow.own");
    follow(&app, &ana, a, a, "5").await.refused(422, "follow.own");
    follow(&app, &ana, a, c, "5").await.refused(409, "follow.leads");
    for wrong in ["0.999999", "100.000001", "-1"] {
        let refused = follow(&app, &bea, b, a, wrong).await;
        refused.refused(422, "follow.maximum_loss");
        assert_eq!(
            refused.body["params"],
            json!({ "minimum": "1.000000", "maximum": "100.000000" })
        );
    }
    configure(&app, &bea, b, json!({ "manualKey": true })).await;
    follow(&app, &bea, b, a, "5")
        .await
        .refused(409, "follow.manual_key");
    configure(&app, &bea, b, json!({ "manualKey": false })).await;
    assert_eq!(at_the_desk(&app, b).await, Some(None));

    let begun = follow(&app, &bea, b, a, "5").await.ok();
    assert_eq!(
        (
            &begun["licence"],
            &begun["leader"],
            &begun["name"],
            &begun["state"]
        ),
        (&json!(b), &json!(a), &json!("ana"), &json!("active"))
    );
    assert_eq!(
        (&begun["maximumLoss"], &begun["net"], &begun["endedAt"]),
        (&json!("5.000000"), &json!("0.000000"), &Value::Null)
    );
    assert_eq!(at_the_desk(&app, b).await, Some(Some(a)));
    follow(&app, &bea, b, c, "5").await.refused(409, "follow.twice");
    lead(&app, &bea, b, true).await.refused(409, "leader.follows");
    let list = leaders(&app, &bea, "").await;
    let of = |list: &[Value], id: LicenceId| {
        let one = list.iter().find(|l| l["_id"] == json!(id)).unwrap();
        (
            one["followers"].as_i64().unwrap(),
            one["followedByMe"] == true,
            one["own"] == true,
        )
    };
    assert_eq!(
        (of(&list, a), of(&list, c)),
        ((1, true, false), (0, false, false))
    );
    assert_eq!(of(&leaders(&app, &ana, "").await, a), (1, false, true));
    assert_eq!(following(&app, &bea).await, std::slice::from_ref(&begun));
    assert!(following(&app, &ana).await.is_empty());

    let unfollow = async |who: &Client, licence: LicenceId| {
        let body = json!({ "licence": licence });
        app.renew(who).post("/trader/unfollow", &body).await
    };
    unfollow(&ana, b).await.refused(404, "licence.unknown");
    let ended = unfollow(&bea, b).await.ok();
    assert_eq!((&ended["state"], &ended["_id"]), (&json!("ended"), &begun["_id"]));
    assert!(ended["endedAt"].is_string());
    unfollow(&bea, b).await.refused(409, "follow.none");
    assert_eq!(
        at_the_desk(&app, b).await,
        Some(None),
        "it goes on as an automatic robot"
    );
    assert!(told(&app, &bea).await.is_empty(), "who ended it knows");
    follow(&app, &bea, b, c, "100").await.ok();
    let history = following(&app, &bea).await;
    let states: Vec<_> = history
        .iter()
        .map(|f| (f["name"].as_str().unwrap(), f["state"].as_str().unwrap()))
        .collect();
    assert_eq!(states, [("cid", "active"), ("ana", "ended")]);
    let facts: Vec<String> = sqlx::query_scalar(
        "SELECT payload->'following'->>'state' FROM foundation.event WHERE kind = 'robot.following' ORDER BY id",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(facts, ["active", "ended", "active"]);
}

#[actix_web::test]
async fn of_two_calls_at_once_one_follows() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let (a, c) = (leader(&app, &ana, 200).await, leader(&app, &cid, 200).await);
    let b = robot(&app, &app.renew(&bea), 100).await;
    let calls = [a, c, a, c].map(|leader| follow(&app, &bea, b, leader, "5"));
    let replies = futures_util::future::join_all(calls).await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|r| r.status == 200);
    assert_eq!(won.len(), 1);
    for reply in lost {
        reply.refused(409, "follow.twice");
    }
    let running: i64 = sqlx::query_scalar("SELECT count(*) FROM robots.following WHERE state = 'active'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(running, 1);
}

#[actix_web::test]
async fn a_leader_cannot_close_before_who_just_followed_it_is_counted() {
    let app = TestApp::start().await;
    noon(&app);
    let ana = app.user("ana").await;
    let a = leader(&app, &ana, 200).await;
    let mut followers = Vec::new();
    for n in 0..4 {
        let user = app.user(&format!("user{n}")).await;
        let licence = robot(&app, &user, 100).await;
        followers.push((user, licence));
    }
    let follows = followers
        .iter()
        .map(|(user, licence)| follow(&app, user, *licence, a, "5"));
    let (replies, closed) = tokio::join!(
        futures_util::future::join_all(follows),
        lead(&app, &ana, a, false)
    );
    assert_eq!(closed.ok()["open"], false);
    for reply in &replies {
        assert!(
            reply.status == 200 || reply.code() == "leader.closed",
            "{}",
            reply.body
        );
    }
    let running: i64 = sqlx::query_scalar("SELECT count(*) FROM robots.following WHERE state = 'active'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(running, 0, "nobody follows a closed leader");
}

#[actix_web::test]
async fn when_a_leader_closes_its_followers_rest_and_hear_of_it() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let a = leader(&app, &ana, 200).await;
    let (b, c) = (
        robot(&app, &app.renew(&bea), 100).await,
        robot(&app, &app.renew(&cid), 100).await,
    );
    follow(&app, &bea, b, a, "5").await.ok();
    follow(&app, &cid, c, a, "7").await.ok();
    configure(&app, &cid, c, json!({ "paused": true })).await;
    assert_eq!(
        lead(&app, &ana, a, false).await.ok()["followers"],
        0,
        "all of them at once"
    );
    for (user, licence) in [(&bea, b), (&cid, c)] {
        let ended = following(&app, user).await;
        assert_eq!(ended[0]["state"], "left");
        assert_eq!(seen(&app, user, licence).await["robotStatus"], "paused");
        assert_eq!(at_the_desk(&app, licence).await, None);
        let lines = told(&app, user).await;
        assert_eq!(lines.len(), 1);
        assert_eq!(
            (lines[0].0.as_str(), &lines[0].1["by"], &lines[0].1["licence"]),
            ("following_left", &json!("ana"), &json!(licence))
        );
    }
    assert!(told(&app, &ana).await.is_empty());
    assert_eq!(at_the_desk(&app, a).await, Some(None), "who led goes on trading");
    follow(&app, &bea, b, a, "5").await.refused(409, "leader.closed");
    configure(&app, &bea, b, json!({ "paused": false })).await;
    assert_eq!(
        at_the_desk(&app, b).await,
        Some(None),
        "resumed, it is a robot like any other"
    );
    lead(&app, &ana, a, true).await.ok();
    assert_eq!(
        following(&app, &bea).await[0]["state"],
        "left",
        "nobody follows again by themselves"
    );
    follow(&app, &bea, b, a, "5").await.ok();
}

/// More followers than fit one transaction.
#[actix_web::test]
async fn a_leader_of_many_leaves_none_behind() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let a = leader(&app, &ana, 200).await;
    let b = robot(&app, &app.renew(&bea), 100).await;
    follow(&app, &bea, b, a, "5").await.ok();
    for copies in [
        "INSERT INTO licences.licence
         SELECT (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'number', l.number + n))).*
         FROM licences.licence l, generate_series(1, 250) n WHERE l.id = $1",
        "INSERT INTO robots.following
         SELECT (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'follower', l.id))).*
         FROM robots.following f JOIN licences.licence l ON l.owner = f.owner AND l.id <> $1 WHERE f.follower = $1",
    ] {
        sqlx::query(copies).bind(b.0).execute(&app.sql).await.unwrap();
    }
    let count = async |query: &'static str| {
        sqlx::query_scalar::<_, i64>(query)
            .fetch_one(&app.sql)
            .await
            .unwrap()
    };
    assert_eq!(
        count("SELECT count(*) FROM robots.following WHERE state = 'active'").await,
        251
    );
    assert_eq!(lead(&app, &ana, a, false).await.ok()["followers"], 0);
    assert_eq!(
        count("SELECT count(*) FROM robots.following WHERE state = 'left'").await,
        251
    );
    assert_eq!(
        count("SELECT count(*) FROM licences.licence WHERE paused").await,
        251
    );
    assert_eq!(
        count("SELECT count(*) FROM foundation.event WHERE kind = 'robot.following' AND payload->'following'->>'state' = 'left'")
            .await,
        251
    );
}

#[actix_web::test]
async fn at_its_maximum_loss_a_follower_rests_in_the_settlement_that_reaches_it() {
    let app = TestApp::start().await;
    // A robot joins with the next full minute.
    app.clock.stop();
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let a = leader(&app, &ana, 200).await;
    let (b, c) = (
        robot(&app, &app.renew(&bea), 100).await,
        robot(&app, &app.renew(&cid), 100).await,
    );
    follow(&app, &bea, b, a, "5").await.ok();
    follow(&app, &cid, c, a, "50").await.ok();
    let net = async |user: &Client| {
        let first = following(&app, user).await[0].clone();
        (
            first["net"].as_str().unwrap().to_owned(),
            first["state"].as_str().unwrap().to_owned(),
        )
    };
    let is = |net: &str, state: &str| (net.to_owned(), state.to_owned());
    let settled = earn(&app, &bea, b, &[-2_000_000, 1_000_000, -3_999_999]).await;
    assert_eq!(settled.robots[0].follows, Some(a));
    assert_eq!(net(&bea).await, is("-4.999999", "active"));
    assert_eq!(seen(&app, &bea, b).await["robotStatus"], "joining");

    let mut both = operations(&bea, b, &[-1]);
    both.extend(operations(&cid, c, &[-6_000_000]));
    let settled = settle(&app, both).await;
    let of = |id| settled.robots.iter().find(|r| r.licence == id).unwrap();
    assert_eq!((of(b).operating, of(b).follows), (false, None));
    assert_eq!((of(c).operating, of(c).follows), (true, Some(a)));
    assert_eq!(net(&bea).await, is("-5.000000", "loss"));
    assert_eq!(net(&cid).await, is("-6.000000", "active"));
    let rests = seen(&app, &bea, b).await;
    assert_eq!(
        (&rests["robotStatus"], &rests["allocated"], &rests["yield"]),
        (&json!("paused"), &json!("94.000000"), &json!("1.000000"))
    );
    assert_eq!(of(b).version, rests["version"].as_i64().unwrap());
    assert_eq!(at_the_desk(&app, b).await, None);
    // One transaction: the fact of the end has the settlement's own number of the database.
    let together: i64 = sqlx::query_scalar(
        "SELECT count(DISTINCT xid) FROM foundation.event WHERE id IN (
             (SELECT id FROM foundation.event WHERE kind = 'robot.following' ORDER BY id DESC LIMIT 1),
             (SELECT id FROM foundation.event WHERE kind = 'robots.settled' ORDER BY id DESC LIMIT 1))",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(together, 1);
    let last: Value = sqlx::query_scalar(
        "SELECT payload FROM foundation.event WHERE kind = 'robots.settled' AND payload->'robots'->0->>'licence' = $1 ORDER BY id DESC LIMIT 1",
    )
    .bind(b.to_string())
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(last["robots"][0]["status"], "paused");
    let lines = told(&app, &bea).await;
    assert_eq!(lines.len(), 1);
    assert_eq!(
        (lines[0].0.as_str(), &lines[0].1["usdt"]),
        ("following_loss", &json!("5.000000"))
    );
    assert!(told(&app, &cid).await.is_empty());
    // What was still in the air is booked to the robot and counts for nobody's copying.
    earn(&app, &bea, b, &[-1_000_000]).await;
    assert_eq!(net(&bea).await, is("-5.000000", "loss"));
    configure(&app, &bea, b, json!({ "paused": false })).await;
    assert_eq!(at_the_desk(&app, b).await, Some(None));
    exact(&app).await;
}

#[actix_web::test]
async fn behind_a_leader_that_is_gone_nobody_trades() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let admin = app.admin("root").await;
    let (a, c) = (leader(&app, &ana, 200).await, leader(&app, &cid, 200).await);
    let (b, other) = (
        robot(&app, &app.renew(&bea), 100).await,
        robot(&app, &app.renew(&bea), 100).await,
    );
    follow(&app, &bea, b, a, "5").await.ok();
    follow(&app, &bea, other, c, "5").await.ok();
    copying::sweep(&app.context).await.unwrap();
    assert_eq!(
        (at_the_desk(&app, b).await, at_the_desk(&app, other).await),
        (Some(Some(a)), Some(Some(c)))
    );

    // 300 % of 100 + 200.
    earn(&app, &ana, a, &[901_000_000]).await;
    assert_eq!(seen(&app, &ana, a).await["state"], "ceiling_reached");
    let status = async |active| {
        server::identity::service::set_status(
            &app.context,
            &server::identity::signals::Signals::default(),
            admin.user,
            cid.user,
            active,
            "a test",
        )
        .await
        .unwrap();
    };
    status(false).await;
    for licence in [b, other] {
        assert_eq!(
            at_the_desk(&app, licence).await,
            None,
            "at once, before anybody has looked"
        );
    }
    follow(&app, &bea, b, c, "5").await.refused(409, "leader.closed");
    copying::sweep(&app.context).await.unwrap();
    copying::sweep(&app.context).await.unwrap();
    for licence in [b, other] {
        assert_eq!(seen(&app, &bea, licence).await["robotStatus"], "paused");
    }
    assert!(following(&app, &bea).await.iter().all(|f| f["state"] == "left"));
    assert_eq!(told(&app, &bea).await.len(), 2);
    let list = leaders(&app, &bea, "").await;
    let why = |id| {
        let one = list.iter().find(|l| l["_id"] == json!(id)).unwrap();
        assert_eq!(one["open"], false);
        assert!(one["closedAt"].is_string());
        one["why"].as_str().unwrap().to_owned()
    };
    assert_eq!((why(a), why(c)), ("ceiling_reached".into(), "inactive".into()));
    status(true).await;
    copying::sweep(&app.context).await.unwrap();
    follow(&app, &bea, b, c, "5").await.refused(409, "leader.closed");

    // A follower whose own licence ends follows no more.
    lead(&app, &cid, c, true).await.ok();
    follow(&app, &bea, b, c, "5").await.ok();
    configure(&app, &bea, b, json!({ "paused": false })).await;
    earn(&app, &bea, b, &[601_000_000]).await;
    copying::sweep(&app.context).await.unwrap();
    assert_eq!(following(&app, &bea).await[0]["state"], "ended");
    exact(&app).await;
}

#[actix_web::test]
async fn leaders_are_listed_with_their_losses_and_when_they_have_closed() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    assert!(leaders(&app, &bea, "").await.is_empty());
    let a = robot(&app, &app.renew(&ana), 200).await;
    let c = robot(&app, &app.renew(&cid), 200).await;
    earn(&app, &ana, a, &[30_000; 100]).await;
    let mut worse = vec![-20_000; 99];
    worse.extend([5_000, 5_000]);
    earn(&app, &cid, c, &worse).await;
    app.clock.advance(Duration::days(1));
    earn(&app, &ana, a, &[-7_000_000, 2_000_000]).await;
    settle_in(&app, Mode::Paper, operations(&ana, a, &[9_000_000])).await;
    app.clock.advance(Duration::days(29));
    // What robots had when they opened: nobody's days are closed yet, and there is nothing to divide by.
    for (user, licence) in [(&ana, a), (&cid, c)] {
        let capital = json!({ "licence": licence, "value": "50" });
        fund(&app, user, UserAccount::Available, 50).await;
        let user = app.renew(user);
        user.post("/licences/topup", &capital).await.ok();
        user.post("/trader/allocate-value-in-trading", &capital)
            .await
            .ok();
    }
    // The richer one would lift the median above the other.
    lead(&app, &cid, c, true).await.ok();
    lead(&app, &ana, a, true).await.ok();
    let first = leaders(&app, &bea, "").await;
    assert!(
        first
            .iter()
            .all(|l| l["return"] == Value::Null && l["mode"] == "simulated")
    );
    days::close_due(&app.context).await.unwrap();
    let list = leaders(&app, &bea, "").await;
    let named = |list: &[Value]| {
        list.iter()
            .map(|l| l["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(named(&list), ["cid", "ana"], "the better return first");
    let of = |list: &[Value], id: LicenceId| list.iter().find(|l| l["_id"] == json!(id)).unwrap().clone();
    let one = of(&list, a);
    assert_eq!(
        (&one["gains"], &one["losses"], &one["net"]),
        (&json!("5.000000"), &json!("7.000000"), &json!("-2.000000"))
    );
    assert_eq!(
        (&one["operations"], &one["days"], &one["worstDay"]),
        (&json!(102), &json!(30), &json!("-5.000000"))
    );
    assert_eq!((&one["open"], &one["why"]), (&json!(true), &Value::Null));
    for (id, net) in [(a, -2_000_000i128), (c, -1_970_000)] {
        let (weight, worked): (String, i64) = sqlx::query_as(
            "SELECT sum(weight)::text, count(*) FROM robots.day_close WHERE licence = $1 AND name = 'allocated' AND weight > 0",
        )
        .bind(id.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
        let weight: i128 = weight.parse().unwrap();
        assert_eq!(worked, 30);
        // Four decimals of a percent, floored.
        let exact = (net * 100 * 86_400 * i128::from(worked) * 10_000).div_euclid(weight);
        let shown = of(&list, id)["return"].as_str().unwrap().replace('.', "");
        assert_eq!(shown.parse::<i128>().unwrap(), exact, "{id}");
    }
    let sorted = async |query: &str| named(&leaders(&app, &bea, query).await);
    assert_eq!(sorted("?sortby=return&sortdirection=asc").await, ["ana", "cid"]);
    assert_eq!(sorted("?sortby=operations").await, ["ana", "cid"]);
    assert_eq!(
        sorted("?sortby=operations&sortdirection=asc").await,
        ["cid", "ana"]
    );
    assert_eq!(sorted("?search=CI").await, ["cid"]);
    assert_eq!(sorted("?search=%25").await, Vec::<String>::new());
    assert_eq!(sorted("?limit=1&page=2").await, ["ana"]);
    app.renew(&bea)
        .get("/trader/leaders?sortby=email")
        .await
        .refused(422, "request.invalid");
    let b = robot(&app, &app.renew(&bea), 100).await;
    follow(&app, &bea, b, a, "5").await.ok();
    assert_eq!(sorted("?sortby=followers").await, ["ana", "cid"]);

    // Closed, its results stand as they were; what it does then is its own.
    lead(&app, &ana, a, false).await.ok();
    app.clock.advance(Duration::days(3));
    earn(&app, &ana, a, &[1_000_000]).await;
    sqlx::query("UPDATE licences.licence SET state = 'reversed' WHERE id = $1")
        .bind(c.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let list = leaders(&app, &bea, "").await;
    let closed = of(&list, a);
    assert_eq!(
        (&closed["open"], &closed["why"], &closed["net"], &closed["days"]),
        (&json!(false), &json!("owner"), &json!("-2.000000"), &json!(30))
    );
    assert_eq!(
        of(&list, c)["open"],
        false,
        "marked before anybody has looked for it"
    );
    copying::sweep(&app.context).await.unwrap();
    assert_eq!(of(&leaders(&app, &bea, "").await, c)["why"], "reversed");
    let text = serde_json::to_string(&list).unwrap();
    assert!(!text.contains('@') && !text.contains("allocated"), "{text}");
}

#[actix_web::test]
async fn a_follower_takes_its_leaders_fraction_to_the_last_unit() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let a = leader(&app, &ana, 200).await;
    let (b, c) = (
        robot(&app, &app.renew(&bea), 100).await,
        robot(&app, &app.renew(&cid), 100).await,
    );
    // An odd amount of capital, so that the fraction does not come out even.
    earn(&app, &bea, b, &[-33_333_337]).await;
    follow(&app, &bea, b, a, "20").await.ok();
    app.clock.advance(Duration::minutes(2));
    let now_ms = i64::try_from(app.context.now().unix_timestamp_nanos() / 1_000_000).unwrap();
    let mut roster = Roster::default();
    roster.replace(service::eligible(&app.context).await.unwrap());
    let formed = |size: Usdt| roster.form(size, 1_000, now_ms, &CohortRules::default());
    let amount = |shares: &[Share], id| shares.iter().find(|s| s.licence == id).map(|s| s.amount);
    let shares = formed(Usdt::whole(1_000));
    let led = amount(&shares, a).unwrap();
    let copied = amount(&shares, b).unwrap();
    let allocated = async |user: &Client, id: LicenceId| {
        let view = seen(&app, user, id).await;
        view["allocated"].as_str().unwrap().parse::<Usdt>().unwrap()
    };
    let (whole, own) = (allocated(&ana, a).await, allocated(&bea, b).await);
    assert_eq!((led, own), (Usdt::whole(20), Usdt(66_666_663)));
    assert_eq!(copied, Usdt(6_666_666));
    assert_eq!(
        i128::from(copied.0),
        i128::from(led.0) * i128::from(own.0) / i128::from(whole.0)
    );
    assert_eq!(shares.last().unwrap().licence, b, "behind the whole cohort");
    let cohort: Usdt = [a, c].iter().filter_map(|id| amount(&shares, *id)).sum();
    assert_eq!(
        amount(&formed(cohort), b),
        None,
        "it is cut first when size is short"
    );

    app.clock.advance(Duration::seconds(2));
    let fence = fence(&app).await;
    let id = OperationId::fresh();
    let reserved = service::reserve(&app.context, fence, id, &shares).await.unwrap();
    assert_eq!(reserved, shares, "reserved like any other share");
    let amounts: Vec<Usdt> = shares.iter().map(|s| s.amount).collect();
    let results = actors::desk::cohort::divide(Usdt(-123_457), &amounts);
    let parts: Vec<(Share, i64)> = shares.iter().copied().zip(results.iter().map(|r| r.0)).collect();
    service::settle(&app.context, fence, &batch(vec![operation(id, &parts)]))
        .await
        .unwrap();
    let lost = parts.iter().find(|(s, _)| s.licence == b).unwrap().1;
    assert_eq!(
        following(&app, &bea).await[0]["net"],
        json!(Usdt(lost)),
        "what was booked, to the last unit"
    );
    assert_eq!(allocated(&bea, b).await, own + Usdt(lost));
    exact(&app).await;
}

#[actix_web::test]
async fn without_its_leader_a_follower_reserves_nothing() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea, cid) = (
        app.user("ana").await,
        app.user("bea").await,
        app.user("cid").await,
    );
    let a = leader(&app, &ana, 200).await;
    let (b, c) = (
        robot(&app, &app.renew(&bea), 100).await,
        robot(&app, &app.renew(&cid), 100).await,
    );
    follow(&app, &bea, b, a, "5").await.ok();
    app.clock.advance(Duration::seconds(2));
    let fence = fence(&app).await;
    let led = share(&ana, a, Usdt::whole(20));
    let copied = share(&bea, b, Usdt::whole(10));
    let beside = share(&cid, c, Usdt::whole(10));
    let reserve = async |wanted: &[Share]| {
        service::reserve(&app.context, fence, OperationId::fresh(), wanted)
            .await
            .unwrap()
    };
    assert_eq!(reserve(&[led, beside, copied]).await, [led, beside, copied]);
    configure(&app, &ana, a, json!({ "paused": true })).await;
    assert_eq!(reserve(&[led, beside, copied]).await, [beside]);
    assert_eq!(seen(&app, &bea, b).await["reserved"], "10.000000");
    configure(&app, &ana, a, json!({ "paused": false })).await;
    assert_eq!(
        reserve(&[led, copied]).await,
        [led, copied],
        "a leader's pause ends nothing"
    );
    exact(&app).await;
}

#[actix_web::test]
async fn the_desk_lets_those_rest_whose_leader_is_gone() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let a = leader(&app, &ana, 200).await;
    let b = robot(&app, &app.renew(&bea), 100).await;
    follow(&app, &bea, b, a, "5").await.ok();
    let stop = tokio_util::sync::CancellationToken::new();
    app.clock.advance(Duration::seconds(2));
    let desk = actix_web::rt::spawn(server::robots::desk_runner::run(
        app.context.clone(),
        std::sync::Arc::new(|_| {}),
        "simulated".parse().unwrap(),
        stop.clone(),
    ));
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let mut state = String::new();
    for _ in 0..900 {
        state = following(&app, &bea).await[0]["state"]
            .as_str()
            .unwrap()
            .to_owned();
        if state == "left" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(state, "left");
    assert_eq!(seen(&app, &bea, b).await["robotStatus"], "paused");
    stop.cancel();
    desk.await.unwrap();
    exact(&app).await;
}
