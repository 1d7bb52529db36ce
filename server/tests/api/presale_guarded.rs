//! The book beside the guard of outgoing money: what a trade loses against the reference is money that leaves, and who may meet whom.

use crate::{
    guard::{code, list_on, own_code, own_limit, settings, with_code},
    kit::{Client, TestApp, locks::waiting},
    licences::balance,
    notifications::{self, codes, inbox},
    presale::{exact, pyx},
    presale_market::{cancel, open_market, order, state, trader},
};
use futures_util::future::join_all;
use protocol::money::{Pyx, Usdt};
use serde_json::{Value, json};
use server::{
    approvals::compliance,
    foundation::business_day,
    ledger::model::UserAccount::{self, Available, Held},
    presale::rules::book::MOST_FILLS,
};
use time::Duration;

/// The round's price, with which the book begins.
const HALF: Usdt = Usdt(500_000);

/// What somebody owns at the round's price, free and set aside.
async fn worth(app: &TestApp, user: &Client) -> Usdt {
    let coins = pyx(app, user, UserAccount::Pyx).await + pyx(app, user, UserAccount::PyxHeld).await;
    balance(app, user, Available).await
        + balance(app, user, Held).await
        + HALF.mul_div_floor(coins.0, Pyx::ONE).unwrap()
}

async fn market(user: &Client, name: &str) -> String {
    let market = user.get("/orders/book").await.ok();
    market[name].as_str().unwrap().to_owned()
}

async fn reference(user: &Client) -> Usdt {
    market(user, "reference").await.parse().unwrap()
}

async fn trades(user: &Client) -> i64 {
    let page = user.get("/orders/trades?limit=1").await.ok();
    page["meta"]["total"].as_i64().unwrap()
}

async fn left_today(user: &Client) -> Usdt {
    let state = user.get("/outbound-state").await.ok();
    state["leftToday"].as_str().unwrap().parse().unwrap()
}

async fn limit(app: &TestApp, user: &Client, kind: &str, value: &str) {
    own_limit(app, user, kind, Some(value)).await.ok();
}

async fn whitelist(app: &TestApp, user: &Client) {
    list_on(app, user).await.ok();
}

async fn cases(admin: &Client) -> Value {
    admin.get("/admin/compliance/cases").await.ok()["data"].clone()
}

async fn cancel_all(user: &Client) {
    let page = user.get("/orders?status=open&limit=100").await.ok();
    for open in page["data"].as_array().unwrap() {
        cancel(user, open).await.ok();
    }
}

/// Noon of a business day from now: no midnight comes in between.
fn to_noon(app: &TestApp, days: i64) {
    let now = app.context.now();
    let noon = business_day::start(business_day::of(now) + Duration::days(days)) + Duration::hours(12);
    app.clock.advance(noon - now);
}

/// The same bank account paid in to both.
async fn same_payer(app: &TestApp, people: [&Client; 2]) {
    let mut tx = app.context.db.begin().await.unwrap();
    for person in people {
        compliance::note_payer(&mut tx, person.user, "Maria da Silva")
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

async fn hold(app: &TestApp, user: &Client) {
    sqlx::query("UPDATE identity.account SET hold_until = $2, hold_reason = 'password' WHERE id = $1")
        .bind(user.user.0)
        .bind(app.context.now() + Duration::HOUR)
        .execute(&app.sql)
        .await
        .unwrap();
}

/// Rounds of buying from the thief at the top of the band and selling back at the bottom.
async fn drain(victim: &Client, thief: &Client, rounds: usize) {
    for _ in 0..rounds {
        let (high, low) = (market(victim, "high").await, market(victim, "low").await);
        order(thief, "sell", &high, "100").await;
        order(victim, "buy", &high, "100").await;
        order(thief, "buy", &low, "100").await;
        order(victim, "sell", &low, "100").await;
    }
}

/// Pairs of accounts of one thief. To the book they are so many strangers.
async fn gang(app: &TestApp) -> [[Client; 2]; 3] {
    let member = async |name: &str| trader(app, name, 20_000, 20_000).await;
    [
        [member("mal-1").await, member("mal-2").await],
        [member("mal-3").await, member("mal-4").await],
        [member("mal-5").await, member("mal-6").await],
    ]
}

/// Each pair trades with itself at a price.
async fn wash(pairs: &[[Client; 2]], price: &str, quantity: &str) {
    for [seller, buyer] in pairs {
        order(seller, "sell", price, quantity).await.ok();
        let bought = order(buyer, "buy", price, quantity).await.ok();
        assert_eq!(bought["status"], "filled");
    }
}

#[actix_web::test]
async fn a_stolen_session_takes_nothing_past_whitelist_and_own_limit() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let victim = trader(&app, "ana", 2_000, 200).await;
    let thief = trader(&app, "thief", 2_000, 2_000).await;
    whitelist(&app, &victim).await;
    limit(&app, &victim, "day", "0").await;
    let before = worth(&app, &victim).await;
    drain(&victim, &thief, 10).await;
    assert_eq!(worth(&app, &victim).await, before);
    assert_eq!(trades(&victim).await, 0);
    exact(&app).await;
}

#[actix_web::test]
async fn without_a_whitelist_the_losses_stop_and_a_case_appears() {
    let app = TestApp::start().await;
    settings(&app, |s| s.compliance_pair_loss = Usdt::whole(60)).await;
    open_market(&app).await;
    let victim = trader(&app, "ana", 2_000, 200).await;
    let admin = app.admin("bia").await;
    let before = worth(&app, &victim).await;
    let thief = trader(&app, "thief", 2_000, 2_000).await;
    drain(&victim, &thief, 10).await;
    // The pair is kept apart once the case is open.
    assert_eq!(before - worth(&app, &victim).await, Usdt::whole(60));
    let open = cases(&admin).await;
    assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
    assert_eq!(
        [
            &open[0]["username"],
            &open[0]["counterparty"],
            &open[0]["flow"],
            &open[0]["reasons"],
            &open[0]["value"],
            &open[0]["waits"]
        ],
        [
            &json!("ana"),
            &json!("thief"),
            &json!("pyx_trade"),
            &json!(["trade_loss"]),
            &json!("60.000000"),
            &Value::Null
        ]
    );
    // With other accounts the thief comes no further.
    let second = trader(&app, "second", 2_000, 2_000).await;
    drain(&victim, &second, 10).await;
    assert_eq!(before - worth(&app, &victim).await, Usdt::whole(60));
    order(&second, "sell", "0.6", "1").await.ok();
    let refused = order(&victim, "buy", "0.6", "1").await;
    refused.refused(422, "order.loss");
    assert_eq!(
        refused.body["params"],
        json!({ "lost": "0.1", "maximum": "60", "left": "0" })
    );
    // At the reference nothing is lost.
    order(&second, "sell", "0.5", "1").await.ok();
    assert_eq!(order(&victim, "buy", "0.5", "1").await.ok()["status"], "filled");
    // A day later it is free again, as everything that leaves.
    app.clock.advance(Duration::hours(25));
    let (victim, second) = (app.renew(&victim), app.renew(&second));
    order(&second, "sell", "0.6", "1").await.ok();
    assert_eq!(order(&victim, "buy", "0.6", "1").await.ok()["status"], "filled");
    exact(&app).await;
}

/// Two who never traded, and several others: what an order can lose counts before it meets anybody.
#[actix_web::test]
async fn what_an_order_can_lose_counts_before_it_meets_anybody() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    open_market(&app).await;
    let victim = trader(&app, "ana", 10_000, 10_000).await;
    let (thief, second) = (
        trader(&app, "thief", 10_000, 10_000).await,
        trader(&app, "second", 10_000, 10_000).await,
    );
    let before = worth(&app, &victim).await;
    order(&thief, "sell", "0.6", "2800").await.ok();
    order(&victim, "buy", "0.6", "2800")
        .await
        .refused(422, "order.loss");
    assert_eq!(trades(&victim).await, 0);
    // Of several whom one order meets it is the sum.
    cancel_all(&thief).await;
    order(&second, "sell", "0.6", "1500").await.ok();
    order(&thief, "sell", "0.6", "1500").await.ok();
    order(&victim, "buy", "0.6", "2500")
        .await
        .refused(422, "order.loss");
    // Up to the limit, and of that by no other account more.
    order(&victim, "buy", "0.6", "1200").await.ok();
    assert_eq!(before - worth(&app, &victim).await, Usdt::whole(120));
    order(&second, "buy", "0.4", "1000").await.ok();
    order(&victim, "sell", "0.4", "1000")
        .await
        .refused(422, "order.loss");
    order(&victim, "sell", "0.4", "800").await.ok();
    assert_eq!(before - worth(&app, &victim).await, Usdt::whole(200));
    // What waits loses no more either: it ends.
    cancel_all(&second).await;
    cancel_all(&thief).await;
    let waits = order(&victim, "buy", "0.6", "10").await.ok();
    let sold = order(&thief, "sell", "0.6", "10").await.ok();
    assert_eq!(sold["status"], "open");
    assert_eq!(
        state(&victim, &waits).await,
        ("cancelled".into(), "0.000000".into(), json!("guarded"))
    );
    assert_eq!(before - worth(&app, &victim).await, Usdt::whole(200));
    exact(&app).await;
}

/// An order holds the book for a bounded number of meetings.
#[actix_web::test]
async fn an_order_meets_so_many_at_once_and_no_more() {
    let app = TestApp::start().await;
    settings(&app, |s| s.compliance_pair_trades = 1_000).await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 100, 0).await,
        trader(&app, "bea", 0, 100).await,
    );
    for _ in 0..MOST_FILLS + 5 {
        order(&bea, "sell", "0.5", "1").await.ok();
    }
    let bought = order(&ana, "buy", "0.5", "40").await.ok();
    assert_eq!(
        (&bought["filled"], &bought["status"], &bought["end"]),
        (&json!("25.000000"), &json!("cancelled"), &json!("limit"))
    );
    assert_eq!(trades(&ana).await, i64::try_from(MOST_FILLS).unwrap());
    // What is left may be ordered again.
    assert_eq!(order(&ana, "buy", "0.5", "5").await.ok()["status"], "filled");
    exact(&app).await;
}

#[actix_web::test]
async fn wash_trades_move_the_reference_no_further_than_a_day_may() {
    let app = TestApp::start().await;
    settings(&app, |s| {
        s.pyx_reference_volume = Usdt::whole(100);
        s.compliance_pair_loss = Usdt::whole(100_000);
    })
    .await;
    open_market(&app).await;
    to_noon(&app, 1);
    let one = trader(&app, "one", 20_000, 20_000).await;
    let other = trader(&app, "other", 20_000, 20_000).await;
    let admin = app.admin("bia").await;
    for _ in 0..60 {
        order(&one, "sell", "0.6", "100").await;
        order(&other, "buy", "0.6", "100").await;
    }
    // Twenty trades of the same two within a day, then they are kept apart; one case for the two and the day. They alone move nothing.
    assert_eq!(trades(&one).await, 20);
    assert_eq!(cases(&admin).await.as_array().unwrap().len(), 1);
    let mut base = reference(&one).await;
    assert_eq!(base, HALF);
    cancel_all(&one).await;
    cancel_all(&other).await;
    let mut pairs = gang(&app).await;
    for _ in 0..3 {
        to_noon(&app, 2);
        pairs = pairs.map(|pair| pair.map(|member| app.renew(&member)));
        for _ in 0..3 {
            let high = market(&pairs[0][0], "high").await;
            wash(&pairs, &high, "100").await;
        }
        let moved = reference(&pairs[0][0]).await;
        assert!(
            moved > base && moved.0 * 10 <= base.0 * 12,
            "{base} went to {moved}"
        );
        base = moved;
    }
    let days: i64 = sqlx::query_scalar("SELECT count(*) FROM presale.reference")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(days, 4, "a row for each day with an order");
    exact(&app).await;
}

/// A thief's other accounts move the reference; the stolen session would then trade at it as if that were fair.
#[actix_web::test]
async fn a_moved_reference_takes_nothing_from_a_bound_member() {
    let app = TestApp::start().await;
    settings(&app, |s| s.compliance_pair_loss = Usdt::whole(100_000)).await;
    open_market(&app).await;
    to_noon(&app, 1);
    let victim = trader(&app, "ana", 5_000, 5_000).await;
    whitelist(&app, &victim).await;
    limit(&app, &victim, "day", "1").await;
    let before = worth(&app, &victim).await;
    let pairs = gang(&app).await;
    // Two alone move nothing, not even with more than the least volume.
    wash(&pairs[..1], "0.6", "19000").await;
    assert_eq!(reference(&victim).await, HALF);
    wash(&pairs[1..], "0.6", "6000").await;
    assert_eq!(reference(&victim).await, Usdt(600_000));
    let [seller, buyer] = &pairs[0];
    let ask = order(buyer, "sell", "0.6", "4000").await.ok();
    let bid = order(seller, "buy", "0.55", "4000").await.ok();
    let refused = async |victim: &Client| {
        for (side, price) in [
            ("buy", "0.6"),
            ("buy", "0.5001"),
            ("sell", "0.55"),
            ("sell", "0.5999"),
        ] {
            let reply = order(victim, side, price, "4000").await;
            reply.refused(422, "order.reference");
            let message = reply.body["message"].as_str().unwrap();
            assert!(
                message.contains("0.5 USDT") && message.contains("0.6 USDT"),
                "{message}"
            );
        }
    };
    refused(&victim).await;
    assert_eq!(
        (
            market(&victim, "fairBuy").await,
            market(&victim, "fairSell").await
        ),
        ("0.500000".into(), "0.600000".into())
    );
    // At the opening or better it waits, and nobody else's price is taken.
    let plain = order(&victim, "buy", "0.5", "10").await.ok();
    assert_eq!(plain["status"], "open");
    cancel(&victim, &plain).await.ok();
    // The reference stays where it is, and the week's openings with it.
    to_noon(&app, 6);
    let victim = app.renew(&victim);
    refused(&victim).await;
    assert_eq!(worth(&app, &victim).await, before);
    assert_eq!(left_today(&victim).await, Usdt::whole(1));
    // A week after the day that it moved on, it is what the book has agreed on.
    to_noon(&app, 1);
    let (victim, seller, buyer) = (app.renew(&victim), app.renew(seller), app.renew(buyer));
    cancel(&buyer, &ask).await.ok();
    cancel(&seller, &bid).await.ok();
    assert_eq!(order(&victim, "buy", "0.6", "10").await.ok()["status"], "open");
    assert_eq!(worth(&app, &victim).await, before);
    exact(&app).await;
}

#[actix_web::test]
async fn losses_count_against_the_days_opening_not_the_moved_reference() {
    let app = TestApp::start().await;
    settings(&app, |s| {
        s.pyx_reference_volume = Usdt::whole(100);
        s.outbound_per_day = Usdt::whole(30);
    })
    .await;
    open_market(&app).await;
    to_noon(&app, 1);
    let (ana, bea) = (
        trader(&app, "ana", 2_000, 0).await,
        trader(&app, "bea", 0, 2_000).await,
    );
    let pairs = gang(&app).await;
    wash(&pairs, "0.6", "100").await;
    assert_eq!(reference(&ana).await, Usdt(600_000));
    // The thieves lost as much to each other.
    assert_eq!(left_today(&pairs[0][1]).await, Usdt::whole(20));
    assert_eq!(left_today(&pairs[0][0]).await, Usdt::whole(30));
    let [thief, other] = &pairs[0];
    order(thief, "sell", "0.6", "301").await.ok();
    assert_eq!(order(&ana, "buy", "0.6", "300").await.ok()["status"], "filled");
    assert_eq!(left_today(&ana).await, Usdt::ZERO);
    order(&ana, "buy", "0.6", "1")
        .await
        .refused(422, "outbound.day_limit");
    // Between the anchors both sides lose: 0.05 each.
    order(other, "buy", "0.55", "100").await.ok();
    assert_eq!(order(&bea, "sell", "0.55", "100").await.ok()["status"], "filled");
    assert_eq!(left_today(&bea).await, Usdt::whole(25));
    assert_eq!(left_today(other).await, Usdt::whole(15));
    exact(&app).await;
}

#[actix_web::test]
async fn related_accounts_never_meet_and_move_nothing() {
    let app = TestApp::start().await;
    settings(&app, |s| s.pyx_reference_volume = Usdt::whole(1)).await;
    open_market(&app).await;
    let (one, other) = (
        trader(&app, "one", 2_000, 20_000).await,
        trader(&app, "other", 20_000, 2_000).await,
    );
    let admin = app.admin("bia").await;
    same_payer(&app, [&one, &other]).await;
    for _ in 0..40 {
        order(&one, "sell", "0.6", "10").await.ok();
        order(&other, "buy", "0.6", "10").await.ok();
    }
    assert_eq!((trades(&one).await, reference(&one).await), (0, HALF));
    let open = cases(&admin).await;
    assert_eq!(
        (open.as_array().unwrap().len(), &open[0]["reasons"]),
        (1, &json!(["same_payer"]))
    );
    exact(&app).await;
}

#[actix_web::test]
async fn one_document_in_two_accounts_relates_them() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    open_market(&app).await;
    let (one, other) = (
        trader(&app, "one", 100, 100).await,
        trader(&app, "other", 100, 100).await,
    );
    let admin = app.admin("bia").await;
    for (person, name) in [(&one, "one"), (&other, "other")] {
        let code = code(&app, person, name, "change-account-data", "", "").await;
        let body = json!({ "document": "529.982.247-25", "securityCode": code });
        person.post("/pix/holder", &body).await.ok();
    }
    let ask = order(&one, "sell", "0.5", "1").await.ok();
    assert_eq!(order(&other, "buy", "0.5", "1").await.ok()["status"], "open");
    assert_eq!(state(&one, &ask).await.0, "open");
    let open = cases(&admin).await;
    assert_eq!(
        (open.as_array().unwrap().len(), &open[0]["reasons"]),
        (1, &json!(["same_document"]))
    );
    exact(&app).await;
}

#[actix_web::test]
async fn who_is_kept_apart_is_passed_by_and_others_meet_both_in_their_order() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let mut people = Vec::new();
    for name in ["ana", "bea", "caio", "dora"] {
        people.push(trader(&app, name, 100, 100).await);
    }
    let [ana, bea, caio, dora] = &people[..] else {
        unreachable!()
    };
    same_payer(&app, [ana, bea]).await;
    let first = order(bea, "sell", "0.49", "10").await.ok();
    let second = order(caio, "sell", "0.5", "10").await.ok();
    // Past bea's better price to caio's; what is left waits across bea's.
    let taken = order(ana, "buy", "0.51", "15").await.ok();
    assert_eq!(
        (&taken["status"], &taken["filled"], &taken["total"]),
        (&json!("open"), &json!("10.000000"), &json!("5.000000"))
    );
    assert_eq!(state(bea, &first).await.0, "open");
    assert_eq!(state(caio, &second).await.0, "filled");
    // Dora takes either at its own price: 5 of ana's at 0.51, bea's at 0.49.
    let sold = order(dora, "sell", "0.5", "5").await.ok();
    assert_eq!(
        (&sold["status"], &sold["total"]),
        (&json!("filled"), &json!("2.550000"))
    );
    let bought = order(dora, "buy", "0.5", "10").await.ok();
    assert_eq!(
        (&bought["status"], &bought["total"]),
        (&json!("filled"), &json!("4.900000"))
    );
    // Refused money between two keeps them apart too, and tells nobody again.
    let admin = app.admin("bia").await;
    let open = cases(&admin).await;
    assert_eq!(open.as_array().unwrap().len(), 1);
    let (caio_sells, dora_buys) = ("0.52", "0.53");
    sqlx::query(
        "INSERT INTO approvals.compliance_case (id, user_id, flow, usdt, counterparty, reasons, opened_at, status, decided_by, decided_at, note)
         VALUES ($1, $2, 'transfer', 1, $3, '{amount}', $4, 'refused', $5, $4, 'Origem não explicada')",
    )
    .bind(uuid::Uuid::now_v7())
    .bind(caio.user.0)
    .bind(dora.user.0)
    .bind(app.context.now())
    .bind(admin.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    let ask = order(caio, "sell", caio_sells, "1").await.ok();
    assert_eq!(order(dora, "buy", dora_buys, "1").await.ok()["status"], "open");
    assert_eq!(state(caio, &ask).await.0, "open");
    assert_eq!(cases(&admin).await.as_array().unwrap().len(), 2);
    exact(&app).await;
}

#[actix_web::test]
async fn whitelist_and_own_limits_bind_orders_to_the_reference() {
    let app = TestApp::start().await;
    open_market(&app).await;
    for (name, protect) in [("ana", "whitelist"), ("bea", "transaction"), ("caio", "day")] {
        let person = trader(&app, name, 1_000, 1_000).await;
        let dear = order(&person, "buy", "0.51", "10").await.ok();
        let cheap = order(&person, "buy", "0.5", "10").await.ok();
        let low = order(&person, "sell", "0.5201", "10").await.ok();
        // Selling below the reference rests while nobody buys there; its own buys stay below it.
        assert_eq!(person.get("/outbound-state").await.ok()["ordersBound"], false);
        match protect {
            "whitelist" => whitelist(&app, &person).await,
            kind => limit(&app, &person, kind, "50").await,
        }
        assert_eq!(person.get("/outbound-state").await.ok()["ordersBound"], true);
        assert_eq!(
            state(&person, &dear).await,
            ("cancelled".into(), "0.000000".into(), json!("guarded")),
            "{name}"
        );
        assert_eq!(state(&person, &cheap).await.0, "open");
        assert_eq!(state(&person, &low).await.0, "open");
        assert_eq!(balance(&app, &person, Held).await, Usdt::whole(5));
        notifications::drain(&app).await;
        assert_eq!(codes(&inbox(&person).await), ["order_ended"]);
        let reply = order(&person, "buy", "0.5001", "1").await;
        reply.refused(422, "order.reference");
        assert!(
            reply.body["message"].as_str().unwrap().contains("0.5 USDT"),
            "{}",
            reply.body
        );
        order(&person, "sell", "0.4999", "1")
            .await
            .refused(422, "order.reference");
        for (side, price) in [("buy", "0.4999"), ("sell", "0.5202")] {
            order(&person, side, price, "1").await.ok();
        }
        cancel_all(&person).await;
    }
    exact(&app).await;
}

/// The reference, or where the day began, is away from what a bound member has standing.
#[actix_web::test]
async fn an_order_that_the_anchors_left_behind_ends_when_somebody_would_meet_it() {
    for (base, price) in [(500_000, 480_000), (480_000, 500_000)] {
        left_behind(base, price).await;
    }
}

async fn left_behind(base: i64, price: i64) {
    let app = TestApp::start().await;
    settings(&app, |s| s.pyx_reference_volume = Usdt::whole(1)).await;
    open_market(&app).await;
    let ana = trader(&app, "ana", 100, 100).await;
    let (bea, caio) = (
        trader(&app, "bea", 100, 100).await,
        trader(&app, "caio", 100, 100).await,
    );
    whitelist(&app, &ana).await;
    let bid = order(&ana, "buy", "0.49", "10").await.ok();
    let lower = order(&bea, "buy", "0.47", "10").await.ok();
    // As if trades had moved it there, to 0.48 or from it.
    sqlx::query("DELETE FROM presale.reference")
        .execute(&app.sql)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO presale.reference (day, base, price, part, settings_version, updated_at) VALUES ($1, $2, $3, 100000, 0, $4)",
    )
    .bind(business_day::of(app.context.now()))
    .bind(base)
    .bind(price)
    .bind(app.context.now())
    .execute(&app.sql)
    .await
    .unwrap();
    let sold = order(&caio, "sell", "0.47", "4").await.ok();
    // Not at ana's price, which is no longer hers to pay, but at the next.
    assert_eq!(
        (&sold["status"], &sold["total"]),
        (&json!("filled"), &json!("1.880000"))
    );
    assert_eq!(
        state(&ana, &bid).await,
        ("cancelled".into(), "0.000000".into(), json!("guarded"))
    );
    assert_eq!(state(&bea, &lower).await.1, "4.000000");
    notifications::drain(&app).await;
    assert_eq!(codes(&inbox(&ana).await), ["order_ended"]);
    exact(&app).await;
}

/// What a thief left in the book stops with its owner's freeze.
#[actix_web::test]
async fn a_held_owners_orders_lose_nothing() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 100, 100).await,
        trader(&app, "bea", 100, 100).await,
    );
    let planted = order(&ana, "buy", "0.6", "10").await.ok();
    let fair = order(&ana, "buy", "0.5", "10").await.ok();
    hold(&app, &ana).await;
    let sold = order(&bea, "sell", "0.5", "10").await.ok();
    assert_eq!(
        (&sold["status"], &sold["total"]),
        (&json!("filled"), &json!("5.000000"))
    );
    assert_eq!(
        state(&ana, &planted).await,
        ("cancelled".into(), "0.000000".into(), json!("guarded"))
    );
    assert_eq!(state(&ana, &fair).await.0, "filled");
    exact(&app).await;
}

#[actix_web::test]
async fn a_waiting_order_ends_where_its_owner_has_no_room_to_lose() {
    let app = TestApp::start().await;
    settings(&app, |s| {
        s.outbound_per_day = Usdt::whole(100);
        s.outbound_per_transaction = Usdt::whole(100);
    })
    .await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 2_000, 0).await,
        trader(&app, "bea", 0, 2_000).await,
    );
    app.user("eva").await;
    // What left already is in the same limit.
    let sent = code(&app, &ana, "ana", "transfer", "eva", "95").await;
    with_code(&ana, "eva", "95", &sent).await.ok();
    let small = order(&ana, "buy", "0.55", "100").await.ok();
    let large = order(&ana, "buy", "0.54", "200").await.ok();
    let plain = order(&ana, "buy", "0.5", "10").await.ok();
    // 100 at 0.55 lose 5, which is what is left; the next order would lose 8 more.
    let sold = order(&bea, "sell", "0.5", "310").await.ok();
    assert_eq!(
        (&sold["filled"], &sold["total"]),
        (&json!("110.000000"), &json!("60.000000"))
    );
    assert_eq!(state(&ana, &small).await.0, "filled");
    assert_eq!(
        state(&ana, &large).await,
        ("cancelled".into(), "0.000000".into(), json!("guarded"))
    );
    assert_eq!(state(&ana, &plain).await.0, "filled");
    assert_eq!(left_today(&ana).await, Usdt::ZERO);
    // And what was lost is no longer there to be sent.
    let more = code(&app, &ana, "ana", "transfer", "eva", "1").await;
    with_code(&ana, "eva", "1", &more)
        .await
        .refused(422, "outbound.day_limit");
    exact(&app).await;
}

#[actix_web::test]
async fn each_session_gives_a_code_before_it_trades() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    open_market(&app).await;
    let ana = trader(&app, "ana", 100, 100).await;
    // Another session of hers, as a thief has it.
    let stolen = app.another_session(&ana).await;
    order(&ana, "sell", "0.5", "1").await.ok();
    order(&stolen, "sell", "0.5", "1")
        .await
        .refused(422, "code.missing");
    let with = async |code: &str, price: &str| {
        let body = json!({ "side": "sell", "price": price, "quantity": "1", "securityCode": code });
        stolen.post("/orders", &body).await
    };
    let mailed = code(&app, &stolen, "ana", "pyx-trading", "", "").await;
    with(&crate::identity::people::other(&mailed), "0.5")
        .await
        .refused(422, "code.wrong");
    // A refused order leaves the code unspent; the first that is taken opens this session and no other.
    with(&mailed, "0.7").await.refused(422, "order.band");
    with(&mailed, "0.5").await.ok();
    order(&stolen, "sell", "0.5", "1").await.ok();
    let opened: i64 = sqlx::query_scalar("SELECT count(*) FROM presale.trading_session")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(opened, 2);
    // A hold stands before the code.
    hold(&app, &ana).await;
    order(&stolen, "sell", "0.5", "1")
        .await
        .refused(403, "outbound.held");
    exact(&app).await;
}

/// A protection that is loosened in one session: what is open in others is asked anew, what is open there goes on.
#[actix_web::test]
async fn who_loosens_a_limit_closes_the_trading_of_other_sessions() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    open_market(&app).await;
    let ana = trader(&app, "ana", 100, 100).await;
    let stolen = app.another_session(&ana).await;
    let open = async || {
        let mailed = code(&app, &stolen, "ana", "pyx-trading", "", "").await;
        let body = json!({ "side": "sell", "price": "0.5", "quantity": "1", "securityCode": mailed });
        stolen.post("/orders", &body).await.ok();
        order(&stolen, "sell", "0.5", "1").await.ok();
    };
    open().await;
    limit(&app, &ana, "day", "10").await;
    whitelist(&app, &ana).await;
    // What is stronger closes nothing.
    order(&stolen, "sell", "0.5", "1").await.ok();
    let mailed = code(&app, &ana, "ana", "own-limits", "day", "20").await;
    let body = json!({ "kind": "day", "value": "20", "securityCode": mailed });
    ana.post("/self-limits", &body).await.ok();
    order(&stolen, "sell", "0.5", "1")
        .await
        .refused(422, "code.missing");
    order(&ana, "sell", "0.5", "1").await.ok();
    open().await;
    let mailed = code(&app, &ana, "ana", "whitelist", "off", "").await;
    ana.post("/whitelist/off", &json!({ "securityCode": mailed }))
        .await
        .ok();
    order(&stolen, "sell", "0.5", "1")
        .await
        .refused(422, "code.missing");
    exact(&app).await;
}

#[actix_web::test]
async fn no_order_away_from_the_reference_stays_for_a_moment() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let ana = trader(&app, "ana", 1_000, 1_000).await;
    let bea = trader(&app, "bea", 1_000, 1_000).await;
    enum Call {
        Order(usize, &'static str, &'static str),
        List(String),
        Limit(String),
    }
    let mut calls: Vec<Call> = (0..24)
        .map(|n| match n % 4 {
            0 => Call::Order(0, "buy", "0.55"),
            1 => Call::Order(1, "sell", "0.55"),
            2 => Call::Order(0, "sell", "0.6"),
            _ => Call::Order(1, "buy", "0.45"),
        })
        .collect();
    calls.insert(8, Call::List(own_code(&app, &ana, "whitelist", "on", "").await));
    calls.insert(
        12,
        Call::Limit(own_code(&app, &ana, "own-limits", "day", "10").await),
    );
    let people = [&ana, &bea];
    let replies = join_all(calls.iter().map(async |call| match call {
        Call::Order(who, side, price) => order(people[*who], side, price, "1").await,
        Call::List(code) => ana.post("/whitelist/on", &json!({ "securityCode": code })).await,
        Call::Limit(code) => {
            let body = json!({ "kind": "day", "value": "10", "securityCode": code });
            ana.post("/self-limits", &body).await
        }
    }))
    .await;
    for reply in &replies {
        assert!(
            matches!(reply.status, 200 | 201) || reply.code() == "order.reference",
            "{} {}",
            reply.status,
            reply.body
        );
    }
    let unfair: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM presale.trade_order WHERE user_id = $1 AND status = 'open'
             AND CASE side WHEN 'buy' THEN price > 500000 ELSE price < 500000 END",
    )
    .bind(ana.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(unfair, 0);
    exact(&app).await;
}

#[actix_web::test]
async fn the_database_holds_reference_and_losses() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 100, 0).await,
        trader(&app, "bea", 0, 100).await,
    );
    order(&bea, "sell", "0.55", "1.01").await.ok();
    order(&ana, "buy", "0.55", "1.01").await.ok();
    let stored: [i64; 5] =
        sqlx::query_as("SELECT reference, lowest, highest, buyer_lost, seller_lost FROM presale.trade")
            .fetch_one(&app.sql)
            .await
            .map(|(a, b, c, d, e)| [a, b, c, d, e])
            .unwrap();
    assert_eq!(stored, [500_000, 500_000, 500_000, 50_500, 0]);
    for forged in [
        "UPDATE presale.reference SET price = price * 2",
        "UPDATE presale.reference SET price = 600001",
        "INSERT INTO presale.reference SELECT day + 1, base + 1, price + 1, part, settings_version, updated_at FROM presale.reference",
        "INSERT INTO presale.reference SELECT day - 1, base, price, part, settings_version, updated_at FROM presale.reference",
        "UPDATE presale.trade SET buyer_lost = buyer_lost - 1",
        "UPDATE presale.trade SET buyer_lost = buyer_lost + 1",
        "UPDATE presale.trade SET seller_lost = seller_lost + 1",
        "UPDATE presale.trade SET lowest = lowest - 1",
        "UPDATE presale.trade SET lowest = highest + 1, buyer_lost = 50499",
        "UPDATE presale.trade SET lowest = NULL, buyer_lost = 0",
    ] {
        sqlx::query(forged).execute(&app.sql).await.unwrap_err();
    }
}

#[actix_web::test]
async fn trades_and_transfers_at_once_stay_within_one_limit() {
    let app = TestApp::start().await;
    settings(&app, |s| s.outbound_per_day = Usdt::whole(100)).await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 2_000, 0).await,
        trader(&app, "bea", 0, 2_000).await,
    );
    app.user("eva").await;
    for _ in 0..8 {
        order(&ana, "buy", "0.6", "100").await.ok();
    }
    let mut mailed = Vec::new();
    for value in ["11", "12", "13", "14", "15"] {
        mailed.push((value, code(&app, &ana, "ana", "transfer", "eva", value).await));
    }
    // Each sale would cost ana 10; with the transfers that is 145.
    let (sales, transfers) = futures_util::future::join(
        join_all((0..8).map(|_| order(&bea, "sell", "0.6", "100"))),
        join_all(
            mailed
                .iter()
                .map(|(value, code)| with_code(&ana, "eva", value, code)),
        ),
    )
    .await;
    for reply in &sales {
        assert_eq!(reply.status, 201, "{}", reply.body);
    }
    for reply in &transfers {
        assert!(
            reply.status == 201 || reply.code() == "outbound.day_limit",
            "{}",
            reply.body
        );
    }
    let (left, counted): (i64, i64) = sqlx::query_as(
        "SELECT (SELECT coalesce(sum(usdt), 0)::bigint FROM approvals.outbound WHERE user_id = $1),
                (SELECT coalesce(sum(buyer_lost), 0)::bigint FROM presale.trade WHERE buyer = $1)
                  + (SELECT coalesce(sum(usdt), 0)::bigint FROM transfers.transfer WHERE sender = $1)",
    )
    .bind(ana.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(left, counted);
    assert!(left <= Usdt::whole(100).0, "{left} left past the limit");
    assert_eq!(left_today(&ana).await, Usdt(Usdt::whole(100).0 - left));
    exact(&app).await;
}

#[actix_web::test]
async fn who_is_stopped_while_an_order_waits_for_the_book_orders_nothing() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let ana = trader(&app, "ana", 20, 20).await;
    // The session's first one.
    order(&ana, "buy", "0.45", "1").await.ok();
    for side in ["buy", "sell"] {
        let mut before = app.context.db.begin().await.unwrap();
        server::presale::market::service::lock(&mut before).await.unwrap();
        let stopped = async {
            waiting(&app, 1).await;
            hold(&app, &ana).await;
            before.commit().await.unwrap();
        };
        let (ordered, ()) = futures_util::join!(order(&ana, side, "0.5", "1"), stopped);
        ordered.refused(403, "outbound.held");
        sqlx::query("UPDATE identity.account SET hold_until = NULL, hold_reason = NULL")
            .execute(&app.sql)
            .await
            .unwrap();
    }
    exact(&app).await;
}
