//! Licences: buying, topping up, allocating, taking out, cancelling; every refusal; the ledger exact after all of it.

use crate::{
    guard::settings,
    kit::{Client, TestApp},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    identity::acceptances::RISK_VERSION,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use uuid::Uuid;

pub const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";
const PLAN_50_RISKY: &str = "0190a000-0000-7000-8000-000000020001";

/// Gives a user money, as a sponsor would: in the books, so that they stay exact.
pub async fn fund(app: &TestApp, user: &Client, account: UserAccount, amount: i64) {
    let mut tx = app.context.db.begin().await.unwrap();
    let key = uuid::Uuid::now_v7().to_string();
    let transfer = Transfer::new(
        TransferKind::SponsorshipAdd,
        key,
        Cause::new(CauseKind::User, user.user.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::House(HouseAccount::Sponsorship),
        AccountRef::User(user.user, account),
        Usdt::whole(amount),
    );
    ledger::post(&mut tx, transfer).await.unwrap();
    tx.commit().await.unwrap();
}

pub async fn balance(app: &TestApp, user: &Client, account: UserAccount) -> Usdt {
    ledger::usdt_balance(app.context.db.pool(), AccountRef::User(user.user, account))
        .await
        .unwrap()
}

pub async fn house(app: &TestApp, account: HouseAccount) -> Usdt {
    ledger::usdt_balance(app.context.db.pool(), AccountRef::House(account))
        .await
        .unwrap()
}

/// The copies in the licences' rows are the ledger's balances, the lots add up to the capital, and the books sum to zero.
pub async fn exact(app: &TestApp) {
    let wrong: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM licences.licence l
         WHERE EXISTS (SELECT FROM (VALUES ('price', l.price), ('topup', l.topup), ('allocated', l.allocated), ('yield', l.yield), ('loan', l.loan)) c(name, copy)
                       LEFT JOIN ledger.account a ON a.owner = l.id AND a.name = c.name WHERE coalesce(a.balance, 0) <> c.copy)
            OR (SELECT coalesce(sum(amount), 0) FROM licences.lot WHERE licence = l.id) <> l.topup + l.allocated
            OR l.reserved <> (SELECT coalesce(sum(amount), 0) FROM robots.reservation WHERE licence = l.id)",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(wrong, 0, "copies, lots or reservations differ from the books");
    let off: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT currency FROM ledger.account GROUP BY currency HAVING sum(balance) <> 0) x",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(off, 0, "the books do not sum to zero");
    let days: i64 = sqlx::query_scalar(
        "WITH rolled AS (SELECT owner, mode, day, net::numeric, settlements, last_at FROM robots.day_settled),
              booked AS (
                  SELECT owner, mode, (at AT TIME ZONE 'America/Sao_Paulo')::date, sum(net), count(*), max(at)
                  FROM (SELECT l.owner, t.id, t.at, t.mode, sum(p.amount) AS net
                        FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account
                        JOIN licences.licence l ON l.id = a.owner
                        WHERE t.kind = 'settlement' GROUP BY l.owner, t.id, t.at, t.mode) s
                  GROUP BY 1, 2, 3)
         SELECT count(*) FROM ((TABLE rolled EXCEPT TABLE booked) UNION ALL (TABLE booked EXCEPT TABLE rolled)) x",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(days, 0, "days of settlements differ from the books");
}

pub async fn buy(user: &Client, plan: &str) -> Value {
    user.post("/licences/buy", &json!({ "plan": plan, "riskAccepted": true }))
        .await
        .ok()
}

pub fn id(licence: &Value) -> String {
    licence["_id"].as_str().unwrap().to_owned()
}

/// For how long a purchase may be taken back and a top-up is bound are settings.
#[actix_web::test]
async fn how_long_things_are_bound_is_said_as_the_settings_say() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let terms = user.get("/licences/terms").await.ok();
    assert_eq!(terms, json!({ "cancelDays": 7, "lockedDays": 30 }));
    settings(&app, |s| (s.cancel_days, s.lot_locked_days) = (14, 45)).await;
    let terms = user.get("/licences/terms").await.ok();
    assert_eq!(terms, json!({ "cancelDays": 14, "lockedDays": 45 }));
}

#[actix_web::test]
async fn plans_are_offered_in_both_risks() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    let plans = user.get("/licences/plans").await.ok();
    let plans = plans.as_array().unwrap();
    assert_eq!(plans.len(), 16);
    assert_eq!(plans[1]["value"], "100.000000");
    assert_eq!(plans[1]["allocationLimit"], "500.000000");
    assert_eq!(
        (&plans[1]["maximumReturn"], &plans[1]["networkCeiling"]),
        (&json!("300.00"), &json!("500.00"))
    );
    assert_eq!(plans.iter().filter(|p| p["isHighRisk"] == true).count(), 8);
}

#[actix_web::test]
async fn from_purchase_to_allocation() {
    let app = TestApp::start().await;
    // A robot joins with the next full minute.
    app.clock.stop();
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 1_000).await;
    let licence = buy(&user, PLAN_100).await;
    assert_eq!(
        (&licence["price"], &licence["isFinal"], &licence["number"]),
        (&json!("100.000000"), &json!(false), &json!(1))
    );
    assert_eq!(licence["robotStatus"], "idle");
    let licence = id(&licence);
    let topped = user
        .post("/licences/topup", &json!({ "licence": licence, "value": "300" }))
        .await
        .ok();
    assert_eq!(
        (&topped["topup"], &topped["limitLeft"]),
        (&json!("300.000000"), &json!("1200.000000"))
    );
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(600)
    );
    exact(&app).await;

    let allocated = user
        .post(
            "/trader/allocate-value-in-trading",
            &json!({ "licence": licence, "value": "200" }),
        )
        .await
        .ok();
    assert_eq!(
        (&allocated["allocated"], &allocated["topup"]),
        (&json!("200.000000"), &json!("100.000000"))
    );
    assert_eq!(
        (&allocated["isFinal"], &allocated["price"]),
        (&json!(true), &json!("0.000000"))
    );
    assert_eq!(allocated["robotStatus"], "joining");
    assert_eq!(house(&app, HouseAccount::NetworkFund).await, Usdt::whole(75));
    assert_eq!(house(&app, HouseAccount::GraduationFund).await, Usdt::whole(5));
    assert_eq!(house(&app, HouseAccount::LicenceSales).await, Usdt::whole(20));
    let points: Vec<i64> = sqlx::query_scalar("SELECT points FROM affiliates.points WHERE member = $1")
        .bind(user.user.0)
        .fetch_all(&app.sql)
        .await
        .unwrap();
    assert_eq!(points, [100_000_000]);

    let refused = user
        .post("/licences/cancel", &json!({ "licence": licence }))
        .await;
    refused.refused(409, "licence.final");
    let back = user
        .post(
            "/trader/relocate-value",
            &json!({ "from": licence, "value": "200" }),
        )
        .await
        .ok();
    assert_eq!(
        (&back["allocated"], &back["topup"], &back["robotStatus"]),
        (&json!("0.000000"), &json!("300.000000"), &json!("idle"))
    );
    let list = user.get("/get-user-licenses").await.ok();
    assert_eq!(list["meta"]["total"], 1);
    let results = user.get("/dashboard/my-results").await.ok();
    assert_eq!(results["myResults"]["total"], "900.000000");
    assert_eq!(
        user.get("/dashboard/my-results/without-operation")
            .await
            .ok()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    exact(&app).await;
}

#[actix_web::test]
async fn what_was_accepted_is_kept_with_its_version_and_language() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    fund(&app, &ana, UserAccount::Available, 400).await;
    let accepted = async |about: Option<Uuid>| -> Vec<(String, String, String)> {
        sqlx::query_as(
            "SELECT what, version, language FROM identity.acceptance
             WHERE account = $1 AND about IS NOT DISTINCT FROM $2 ORDER BY what",
        )
        .bind(ana.user.0)
        .bind(about)
        .fetch_all(app.context.db.pool())
        .await
        .unwrap()
    };
    let line = |what: &str, language: &str| (what.to_owned(), RISK_VERSION.to_owned(), language.to_owned());
    let bought = ana
        .clone()
        .locale("es")
        .post(
            "/licences/buy",
            &json!({ "plan": PLAN_100, "riskAccepted": true }),
        )
        .await
        .ok();
    let licence: Uuid = bought["_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(accepted(Some(licence)).await, [line("risk", "es")]);
    ana.post("/licences/buy", &json!({ "plan": PLAN_100 }))
        .await
        .refused(422, "licence.risk_not_accepted");
    let all: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM identity.acceptance WHERE account = $1 AND about IS NOT NULL",
    )
    .bind(ana.user.0)
    .fetch_one(app.context.db.pool())
    .await
    .unwrap();
    assert_eq!(all, 1, "a refused purchase accepted nothing");
    let changed = sqlx::query("UPDATE identity.acceptance SET language = 'pt'")
        .execute(app.context.db.pool())
        .await;
    assert!(changed.is_err(), "what was accepted is never changed");
}

#[actix_web::test]
async fn refusals_change_nothing() {
    let app = TestApp::start().await;
    let (ana, eva) = (app.user("ana").await, app.user("eva").await);
    fund(&app, &ana, UserAccount::Available, 400).await;
    let unaccepted = ana.post("/licences/buy", &json!({ "plan": PLAN_100 })).await;
    unaccepted.refused(422, "licence.risk_not_accepted");
    ana.post(
        "/licences/buy",
        &json!({ "plan": uuid::Uuid::nil(), "riskAccepted": true }),
    )
    .await
    .refused(404, "plan.unknown");
    ana.post(
        "/licences/buy",
        &json!({ "plan": PLAN_100, "riskAccepted": true, "source": "bonus" }),
    )
    .await
    .refused(422, "request.invalid");
    ana.post(
        "/licences/buy",
        &json!({ "plan": PLAN_100, "riskAccepted": true, "price": "1" }),
    )
    .await
    .refused(422, "request.invalid");
    eva.post(
        "/licences/buy",
        &json!({ "plan": PLAN_100, "riskAccepted": true }),
    )
    .await
    .refused(422, "balance.insufficient");
    let licence = id(&buy(&ana, PLAN_50_RISKY).await);
    let topup = |value: &str| json!({ "licence": licence, "value": value });
    for (value, code) in [
        ("0", "amount.not_positive"),
        ("-1", "amount.not_positive"),
        ("0.0000001", "amount.invalid"),
        ("99999999999999999999", "amount.invalid"),
        ("1e3", "amount.invalid"),
        ("251", "licence.allocation_limit"),
    ] {
        ana.post("/licences/topup", &topup(value))
            .await
            .refused(422, code);
    }
    ana.post("/licences/topup", &json!({ "licence": licence, "value": [5] }))
        .await
        .refused(422, "amount.invalid");
    ana.post(
        "/licences/topup",
        &json!({ "licence": licence, "value": "5", "source": "bonus" }),
    )
    .await
    .refused(422, "balance.insufficient");
    ana.post(
        "/licences/topup",
        &json!({ "licence": licence, "value": "5", "source": "yield" }),
    )
    .await
    .refused(422, "request.invalid");
    ana.post("/licences/topup", &topup("100")).await.ok();
    // Somebody else's licence is unknown to every call.
    for (path, body) in [
        ("/licences/topup", topup("1")),
        ("/licences/cancel", json!({ "licence": licence })),
        ("/licences/capital-withdraw", topup("1")),
        ("/trader/allocate-value-in-trading", topup("10")),
        ("/trader/robot-withdraw", topup("1")),
        ("/trader/relocate-value", json!({ "from": licence, "value": "1" })),
    ] {
        eva.post(path, &body).await.refused(404, "licence.unknown");
    }
    eva.patch(
        "/trader/config-robot-trader",
        &json!({ "licence": licence, "paused": true }),
    )
    .await
    .refused(404, "licence.unknown");
    eva.get(&format!("/trader/orders-history/{licence}"))
        .await
        .refused(404, "licence.unknown");
    eva.get(&format!("/trader/search-config-robot-trader?licence={licence}"))
        .await
        .refused(404, "licence.unknown");
    assert_eq!(eva.get("/get-user-licenses").await.ok()["meta"]["total"], 0);

    let allocate = |value: &str| json!({ "licence": licence, "value": value });
    ana.post("/trader/allocate-value-in-trading", &allocate("9.999999"))
        .await
        .refused(422, "licence.allocation_too_small");
    ana.post("/trader/allocate-value-in-trading", &allocate("100.000001"))
        .await
        .refused(422, "balance.insufficient");
    ana.post("/trader/allocate-value-in-trading", &allocate("50"))
        .await
        .ok();
    ana.post(
        "/trader/relocate-value",
        &json!({ "from": licence, "value": "45" }),
    )
    .await
    .refused(422, "licence.allocation_too_small");
    ana.post(
        "/trader/relocate-value",
        &json!({ "from": licence, "to": licence, "value": "5" }),
    )
    .await
    .refused(422, "request.invalid");
    ana.post("/licences/capital-withdraw", &topup("10"))
        .await
        .refused(422, "licence.lots_locked");
    let config = |goal: &str| json!({ "licence": licence, "dailyGainGoal": goal });
    for goal in ["0.05", "10.01", "x", ""] {
        ana.patch("/trader/config-robot-trader", &config(goal))
            .await
            .refused(422, "robot.goal_out_of_range");
    }
    ana.anonymous_post("/licences/buy").await;
    exact(&app).await;
    assert_eq!(
        balance(&app, &ana, UserAccount::Available).await,
        Usdt::whole(250)
    );
}

impl Client {
    async fn anonymous_post(&self, path: &str) {
        let nobody = Self {
            token: None,
            ..self.clone()
        };
        nobody
            .post(path, &json!({}))
            .await
            .refused(401, "auth.unauthenticated");
    }
}

#[actix_web::test]
async fn cancelling_gives_everything_back_where_it_came_from() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 200).await;
    fund(&app, &user, UserAccount::Bonus, 30).await;
    fund(&app, &user, UserAccount::Sponsored, 20).await;
    let licence = id(&buy(&user, PLAN_100).await);
    for (source, value) in [
        ("available", "40"),
        ("bonus", "30"),
        ("sponsored", "20"),
        ("available", "2"),
    ] {
        user.post(
            "/licences/topup",
            &json!({ "licence": licence, "value": value, "source": source }),
        )
        .await
        .ok();
    }
    exact(&app).await;
    let cancelled = user
        .post("/licences/cancel", &json!({ "licence": licence }))
        .await
        .ok();
    assert_eq!(cancelled["state"], "cancelled");
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(200)
    );
    assert_eq!(balance(&app, &user, UserAccount::Bonus).await, Usdt::whole(30));
    assert_eq!(
        balance(&app, &user, UserAccount::Sponsored).await,
        Usdt::whole(20)
    );
    user.post("/licences/cancel", &json!({ "licence": licence }))
        .await
        .refused(409, "licence.state");
    user.post("/licences/topup", &json!({ "licence": licence, "value": "1" }))
        .await
        .refused(409, "licence.state");
    exact(&app).await;
}

#[actix_web::test]
async fn a_lot_of_yield_goes_back_to_its_licence_and_a_sponsored_price_to_the_sponsorship() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 200).await;
    fund(&app, &user, UserAccount::Sponsored, 200).await;
    let (one, two) = (id(&buy(&user, PLAN_100).await), id(&buy(&user, PLAN_100).await));
    earn(&app, &one, 12).await;
    let lot = json!({ "licence": two, "value": "12", "source": "yield", "sourceLicence": one });
    user.post("/licences/topup", &lot).await.ok();
    user.post("/licences/cancel", &json!({ "licence": two }))
        .await
        .ok();
    let list = user.get("/get-user-licenses?sortdirection=asc").await.ok();
    assert_eq!(list["data"][0]["yield"], "12.000000");
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(100)
    );
    let sponsored = json!({ "plan": PLAN_100, "riskAccepted": true, "source": "sponsored" });
    let given = house(&app, HouseAccount::Sponsorship).await;
    let [cancelled, kept] = [
        id(&user.post("/licences/buy", &sponsored).await.ok()),
        id(&user.post("/licences/buy", &sponsored).await.ok()),
    ];
    user.post("/licences/cancel", &json!({ "licence": cancelled }))
        .await
        .ok();
    assert_eq!(
        balance(&app, &user, UserAccount::Sponsored).await,
        Usdt::whole(100)
    );
    user.post("/licences/topup", &json!({ "licence": kept, "value": "20" }))
        .await
        .ok();
    user.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": kept, "value": "20" }),
    )
    .await
    .ok();
    assert_eq!(
        house(&app, HouseAccount::Sponsorship).await - given,
        Usdt::whole(100),
        "whole, and nothing to any fund"
    );
    assert_eq!(house(&app, HouseAccount::NetworkFund).await, Usdt::ZERO);
    let points: i64 = sqlx::query_scalar("SELECT count(*) FROM affiliates.points")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(points, 0, "no points");
    exact(&app).await;
}

#[actix_web::test]
async fn a_sale_becomes_final_after_seven_days() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 100).await;
    let licence = id(&buy(&user, PLAN_100).await);
    server::jobs::round(&app.context).await.unwrap();
    assert_eq!(house(&app, HouseAccount::LicenceSales).await, Usdt::ZERO);
    app.clock.advance(time::Duration::days(7));
    while server::jobs::round(&app.context).await.unwrap() > 0 {}
    assert_eq!(house(&app, HouseAccount::LicenceSales).await, Usdt::whole(20));
    let user = app.renew(&user);
    user.post("/licences/cancel", &json!({ "licence": licence }))
        .await
        .refused(409, "licence.final");
    exact(&app).await;
}

#[actix_web::test]
async fn capital_is_free_after_thirty_days_and_sponsored_money_stays_sponsored() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 200).await;
    fund(&app, &user, UserAccount::Sponsored, 50).await;
    let licence = id(&buy(&user, PLAN_100).await);
    user.post(
        "/licences/topup",
        &json!({ "licence": licence, "value": "50", "source": "sponsored" }),
    )
    .await
    .ok();
    app.clock.advance(time::Duration::days(1));
    let user = app.renew(&user);
    user.post("/licences/topup", &json!({ "licence": licence, "value": "100" }))
        .await
        .ok();
    app.clock.advance(time::Duration::days(29));
    let user = app.renew(&user);
    let out = |value: &str| json!({ "licence": licence, "value": value });
    user.post("/licences/capital-withdraw", &out("60"))
        .await
        .refused(422, "licence.lots_locked");
    app.clock.advance(time::Duration::days(1));
    let user = app.renew(&user);
    let left = user.post("/licences/capital-withdraw", &out("60")).await.ok();
    assert_eq!(
        (&left["topup"], &left["limitLeft"]),
        (&json!("90.000000"), &json!("570.000000"))
    );
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(10),
        "the oldest lot went first"
    );
    assert_eq!(
        balance(&app, &user, UserAccount::Sponsored).await,
        Usdt::whole(50)
    );
    exact(&app).await;
}

#[actix_web::test]
async fn relocation_moves_lots_with_their_dates() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 600).await;
    let (one, two) = (
        id(&buy(&user, PLAN_100).await),
        id(&buy(&user, PLAN_50_RISKY).await),
    );
    user.post("/licences/topup", &json!({ "licence": one, "value": "400" }))
        .await
        .ok();
    user.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": one, "value": "400" }),
    )
    .await
    .ok();
    let too_much = json!({ "from": one, "to": two, "value": "251" });
    user.post("/trader/relocate-value", &too_much)
        .await
        .refused(422, "licence.allocation_limit");
    let from = user
        .post(
            "/trader/relocate-value",
            &json!({ "from": one, "to": two, "value": "250" }),
        )
        .await
        .ok();
    assert_eq!(
        (&from["allocated"], &from["limitLeft"]),
        (&json!("150.000000"), &json!("750.000000"))
    );
    let lots: Vec<(i64, bool)> = sqlx::query_as(
        "SELECT n.amount, n.free_at = o.free_at FROM licences.lot n JOIN licences.lot o ON o.licence <> n.licence WHERE n.licence = $1",
    )
    .bind(two.parse::<uuid::Uuid>().unwrap())
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(lots, [(250_000_000, true)]);
    let views = user.get("/get-user-licenses?sortdirection=asc").await.ok();
    assert_eq!(
        views["data"][1]["isFinal"], true,
        "the first allocation, however it came"
    );
    exact(&app).await;
}

#[actix_web::test]
async fn the_same_key_is_one_purchase() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 1_000).await;
    let order = json!({ "plan": PLAN_100, "riskAccepted": true });
    let keyed = user.key("0123456789abcdef");
    let (a, b) = tokio::join!(
        keyed.post("/licences/buy", &order),
        keyed.post("/licences/buy", &order)
    );
    assert_eq!(id(&a.ok()), id(&b.ok()));
    let other = json!({ "plan": PLAN_50_RISKY, "riskAccepted": true });
    keyed
        .post("/licences/buy", &other)
        .await
        .refused(409, "idempotency.mismatch");
    assert_eq!(
        balance(&app, &user, UserAccount::Available).await,
        Usdt::whole(900)
    );
}

#[actix_web::test]
async fn concurrent_calls_never_cross_a_limit() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 10_000).await;
    let licence = id(&buy(&user, PLAN_100).await);
    let calls = (0..8).map(|_| {
        let (user, licence) = (user.clone(), licence.clone());
        async move {
            user.post("/licences/topup", &json!({ "licence": licence, "value": "150" }))
                .await
                .status
        }
    });
    let statuses = futures_util::future::join_all(calls).await;
    assert_eq!(
        statuses.iter().filter(|s| **s == 200).count(),
        3,
        "3 × 150 within 500"
    );
    let calls = (0..6).map(|_| {
        let (user, licence) = (user.clone(), licence.clone());
        async move {
            user.post(
                "/trader/allocate-value-in-trading",
                &json!({ "licence": licence, "value": "100" }),
            )
            .await
            .status
        }
    });
    let statuses = futures_util::future::join_all(calls).await;
    assert_eq!(
        statuses.iter().filter(|s| **s == 200).count(),
        4,
        "4 × 100 of 450"
    );
    assert_eq!(
        house(&app, HouseAccount::LicenceSales).await,
        Usdt::whole(20),
        "final once"
    );
    exact(&app).await;
}

#[actix_web::test]
async fn yield_leaves_on_its_days_only() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 100).await;
    let licence = id(&buy(&user, PLAN_100).await);
    let today = server::foundation::business_day::of(app.context.now());
    let mut day = today;
    while !matches!(day.day(), 6) {
        day = day.next_day().unwrap();
    }
    app.clock.advance(day - today);
    let user = app.renew(&user);
    let refused = user
        .post(
            "/trader/robot-withdraw",
            &json!({ "licence": licence, "value": "1" }),
        )
        .await;
    refused.refused(422, "yield.day");
    assert!(
        refused.body["params"]["next"]
            .as_str()
            .unwrap()
            .starts_with("20/"),
        "{}",
        refused.body
    );
    app.clock.advance(time::Duration::days(14));
    let user = app.renew(&user);
    user.post(
        "/trader/robot-withdraw",
        &json!({ "licence": licence, "value": "1" }),
    )
    .await
    .refused(422, "balance.insufficient");
}

#[actix_web::test]
async fn the_owner_configures_the_robot() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 200).await;
    let licence = id(&buy(&user, PLAN_100).await);
    user.post("/licences/topup", &json!({ "licence": licence, "value": "100" }))
        .await
        .ok();
    user.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": licence, "value": "100" }),
    )
    .await
    .ok();
    let path = format!("/trader/search-config-robot-trader?licence={licence}");
    let config = user.get(&path).await.ok();
    assert_eq!(
        (
            &config["dailyGainGoal"],
            &config["minimumGoal"],
            &config["maximumGoal"]
        ),
        (&json!("1.00"), &json!("0.10"), &json!("10.00"))
    );
    let change = json!({ "licence": licence, "paused": true, "dailyGainGoal": "2.5" });
    let view = user.patch("/trader/config-robot-trader", &change).await.ok();
    assert_eq!(
        (&view["robotStatus"], &view["dailyGainGoal"]),
        (&json!("paused"), &json!("2.50"))
    );
    let view = user
        .patch(
            "/trader/config-robot-trader",
            &json!({ "licence": licence, "paused": false, "manualKey": true }),
        )
        .await
        .ok();
    assert_eq!(
        (&view["robotStatus"], &view["manualKey"]),
        (&json!("manual"), &json!(true))
    );
}

#[actix_web::test]
async fn yield_and_bonus_are_reinvested_on_any_day() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 150).await;
    fund(&app, &user, UserAccount::Bonus, 30).await;
    let (one, two) = (
        id(&buy(&user, PLAN_100).await),
        id(&buy(&user, PLAN_50_RISKY).await),
    );
    earn(&app, &one, 12).await;
    let into = |licence: &str, value: &str, source: &str, of: Option<&str>| json!({ "licence": licence, "value": value, "source": source, "sourceLicence": of });
    for (source, of) in [
        ("available", None),
        ("sponsored", None),
        ("yield", None),
        ("bonus", Some(one.as_str())),
    ] {
        user.post("/licences/reinvest", &into(&one, "5", source, of))
            .await
            .refused(422, "request.invalid");
    }
    user.post("/licences/reinvest", &into(&two, "13", "yield", Some(&one)))
        .await
        .refused(422, "balance.insufficient");
    let after = user
        .post("/licences/reinvest", &into(&two, "12", "yield", Some(&one)))
        .await
        .ok();
    assert_eq!(
        (&after["topup"], &after["limitLeft"]),
        (&json!("12.000000"), &json!("186.000000")),
        "it counts as a top-up"
    );
    let keyed = user.key("0123456789abcdef");
    for _ in 0..2 {
        let after = keyed
            .post("/licences/reinvest", &into(&one, "30", "bonus", None))
            .await
            .ok();
        assert_eq!(after["topup"], "30.000000", "once for one key");
    }
    assert_eq!(balance(&app, &user, UserAccount::Bonus).await, Usdt::ZERO);
    let kinds: i64 = sqlx::query_scalar("SELECT count(*) FROM ledger.transfer WHERE kind = 'reinvestment'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(kinds, 2);
    exact(&app).await;
}

/// Yield of a licence, as the desk books it.
pub async fn earn(app: &TestApp, licence: &str, amount: i64) {
    let licence = licence.parse().unwrap();
    let mut outcomes = [server::licences::service::ShareOutcome::new(
        licence,
        protocol::ids::OperationId::fresh(),
        Usdt::whole(amount),
    )];
    let mode = protocol::views::Mode::Simulated;
    let mut tx = app.context.db.begin().await.unwrap();
    let booked = server::licences::service::settle(
        &app.context,
        &mut tx,
        server::licences::settlement::InBatch {
            id: protocol::ids::BatchId::fresh(),
            mode,
            lane: 0,
        },
        &mut outcomes,
        &[],
    )
    .await
    .unwrap();
    server::robots::days::settled(&mut tx, mode, &booked)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

/// Refused with a sentence of its own in each language, nothing left to fill in.
async fn says(user: &Client, patch: bool, path: &str, body: Value, code: &str) {
    let mut said = std::collections::BTreeSet::new();
    for language in ["pt-br", "en", "es"] {
        let user = user.clone().locale(language);
        let reply = if patch {
            user.patch(path, &body).await
        } else {
            user.post(path, &body).await
        };
        assert_eq!(reply.code(), code, "{path} {body}: {}", reply.body);
        let sentence = reply.body["message"].as_str().unwrap().to_owned();
        assert!(
            sentence.contains(' ') && !sentence.contains(['{', '}']) && sentence != code,
            "{code} in {language}: {sentence}"
        );
        for field in reply.body["errors"].as_object().into_iter().flatten() {
            assert!(!field.1[0].as_str().unwrap().contains('{'), "{}", reply.body);
        }
        assert!(
            said.insert(sentence),
            "{code}: {language} repeats another language"
        );
    }
}

#[actix_web::test]
async fn every_refusal_has_its_sentence_in_three_languages() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 520).await;
    let [cancelled, working, fresh] = [
        id(&buy(&user, PLAN_100).await),
        id(&buy(&user, PLAN_100).await),
        id(&buy(&user, PLAN_100).await),
    ];
    let post = async |path: &str, body: Value| user.post(path, &body).await.ok();
    post("/licences/cancel", json!({ "licence": cancelled })).await;
    post("/licences/topup", json!({ "licence": working, "value": "300" })).await;
    post("/licences/topup", json!({ "licence": fresh, "value": "20" })).await;
    post(
        "/trader/allocate-value-in-trading",
        json!({ "licence": working, "value": "200" }),
    )
    .await;
    sqlx::query("UPDATE licences.licence SET reserved = allocated")
        .execute(&app.sql)
        .await
        .unwrap();
    let today = server::foundation::business_day::of(app.context.now());
    if matches!(today.day(), 5 | 20) {
        app.clock.advance(time::Duration::DAY);
    }
    let user = app.renew(&user);
    let nobody = uuid::Uuid::now_v7();
    let of = |licence: &str, value: &str| json!({ "licence": licence, "value": value });
    for (path, body, code) in [
        (
            "/licences/buy",
            json!({ "plan": nobody, "riskAccepted": true }),
            "plan.unknown",
        ),
        (
            "/licences/buy",
            json!({ "plan": PLAN_100 }),
            "licence.risk_not_accepted",
        ),
        (
            "/licences/buy",
            json!({ "plan": PLAN_100, "riskAccepted": true, "source": "sponsored" }),
            "balance.insufficient",
        ),
        ("/licences/topup", of(&nobody.to_string(), "1"), "licence.unknown"),
        ("/licences/topup", of(&fresh, "0"), "amount.not_positive"),
        ("/licences/topup", of(&cancelled, "1"), "licence.state"),
        ("/licences/topup", of(&fresh, "481"), "licence.allocation_limit"),
        ("/licences/cancel", json!({ "licence": working }), "licence.final"),
        (
            "/licences/capital-withdraw",
            of(&fresh, "20"),
            "licence.lots_locked",
        ),
        (
            "/trader/allocate-value-in-trading",
            of(&fresh, "1"),
            "licence.allocation_too_small",
        ),
        (
            "/trader/relocate-value",
            json!({ "from": working, "value": "50" }),
            "licence.funds_reserved",
        ),
        ("/trader/robot-withdraw", of(&working, "1"), "yield.day"),
    ] {
        says(&user, false, path, body, code).await;
    }
    let goal = json!({ "licence": working, "dailyGainGoal": "50" });
    says(
        &user,
        true,
        "/trader/config-robot-trader",
        goal,
        "robot.goal_out_of_range",
    )
    .await;
}
