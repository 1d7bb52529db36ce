//! The book PYX/USDT: orders meet in the right order, every unit is accounted for, nobody trades what they may not.

use crate::{
    guard::{settings, time_out},
    kit::{Client, Reply, TestApp, live::Live},
    licences::{balance, fund},
    presale::{self, exact, pyx},
};
use futures_util::future::join_all;
use protocol::money::{Pyx, Usdt};
use serde_json::{Value, json};
use server::{
    approvals::{guard, unsent},
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind,
            UserAccount::{self, Available, Held, PyxHeld},
        },
        service as ledger,
    },
};
use time::Duration;

/// A round at 0.50 that is over.
pub async fn open_market(app: &TestApp) {
    presale::round(app, &presale::terms(app)).await;
    app.clock.advance(Duration::hours(25));
}

/// Gives somebody free PYX, in the books.
pub async fn give_pyx(app: &TestApp, user: &Client, amount: i64) {
    let mut tx = app.context.db.begin().await.unwrap();
    let transfer = Transfer::new(
        TransferKind::PresaleVesting,
        uuid::Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, user.user.0),
        Orderer::System,
    )
    .pyx(AccountRef::House(HouseAccount::PyxSupply), -Pyx::whole(amount))
    .pyx(AccountRef::User(user.user, UserAccount::Pyx), Pyx::whole(amount));
    ledger::post(&mut tx, transfer).await.unwrap();
    tx.commit().await.unwrap();
}

/// Somebody whose session has given its code.
pub async fn trader(app: &TestApp, name: &str, usdt: i64, coins: i64) -> Client {
    let user = app.user(name).await;
    sqlx::query("INSERT INTO presale.trading_session (session, opened_at) VALUES ($1, $2)")
        .bind(user.session.0)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    if usdt > 0 {
        fund(app, &user, Available, usdt).await;
    }
    if coins > 0 {
        give_pyx(app, &user, coins).await;
    }
    user
}

pub async fn order(user: &Client, side: &str, price: &str, quantity: &str) -> Reply {
    user.post(
        "/orders",
        &json!({ "side": side, "price": price, "quantity": quantity }),
    )
    .await
}

pub async fn cancel(user: &Client, order: &Value) -> Reply {
    let id = order["_id"].as_str().unwrap();
    user.post(&format!("/orders/{id}/cancel"), &json!({})).await
}

pub async fn state(user: &Client, order: &Value) -> (String, String, Value) {
    let page = user.get("/orders?limit=100").await.ok();
    let found = page["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|o| o["_id"] == order["_id"])
        .unwrap()
        .clone();
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    (
        text(&found["status"]),
        text(&found["filled"]),
        found["end"].clone(),
    )
}

#[actix_web::test]
async fn orders_meet_by_price_then_time_and_the_better_price_is_the_takers() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (ana, bea, caio) = (
        trader(&app, "ana", 0, 100).await,
        trader(&app, "bea", 0, 100).await,
        trader(&app, "caio", 100, 0).await,
    );
    let late = order(&bea, "sell", "0.5100", "10").await.ok();
    let first = order(&ana, "sell", "0.5", "10").await.ok();
    let second = order(&bea, "sell", "0.5", "10").await.ok();
    assert_eq!(
        (first["status"].clone(), pyx(&app, &ana, PyxHeld).await),
        (json!("open"), Pyx::whole(10))
    );
    let market = caio.get("/orders/book").await.ok();
    assert_eq!(
        (
            &market["book"]["asks"][0],
            &market["book"]["asks"][1]["quantity"],
            &market["reference"],
            &market["low"],
            &market["high"],
            &market["open"],
        ),
        (
            &json!({ "price": "0.500000", "quantity": "20.000000" }),
            &json!("10.000000"),
            &json!("0.500000"),
            &json!("0.400000"),
            &json!("0.600000"),
            &json!(true)
        )
    );
    let mut socket = Live::open(&app, &ana).await;
    socket.subscribe(&format!("user:{}", ana.user)).await;
    // 15 at 0.50, then 5 of what is left at 0.51 are dearer than 0.505.
    let taken = order(&caio, "buy", "0.505", "25").await.ok();
    assert_eq!(
        (&taken["status"], &taken["filled"], &taken["total"]),
        (&json!("open"), &json!("20.000000"), &json!("10.000000"))
    );
    let fact = socket.fact("order.changed").await;
    assert_eq!(fact["event"]["order"]["status"], "filled");
    assert_eq!(state(&ana, &first).await.0, "filled");
    assert_eq!(state(&bea, &second).await.0, "filled");
    assert_eq!(state(&bea, &late).await.0, "open");
    // 20 × 0.50 paid, 5 × 0.505 set aside.
    assert_eq!(balance(&app, &caio, Available).await, Usdt(87_475_000));
    assert_eq!(balance(&app, &caio, Held).await, Usdt(2_525_000));
    assert_eq!(pyx(&app, &caio, UserAccount::Pyx).await, Pyx::whole(20));
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(5));
    // The seller who comes now gets the waiting price, and the maker's rest stays set aside.
    let sold = order(&ana, "sell", "0.49", "2").await.ok();
    assert_eq!(
        (&sold["status"], &sold["total"]),
        (&json!("filled"), &json!("1.010000"))
    );
    assert_eq!(balance(&app, &caio, Held).await, Usdt(1_515_000));
    let ended = cancel(&caio, &taken).await.ok();
    assert_eq!(
        (&ended["status"], &ended["filled"], &ended["end"]),
        (&json!("cancelled"), &json!("22.000000"), &json!("owner"))
    );
    cancel(&caio, &taken).await.refused(409, "order.done");
    cancel(&ana, &taken).await.refused(404, "order.unknown");
    assert_eq!(balance(&app, &caio, Held).await, Usdt::ZERO);
    assert_eq!(balance(&app, &caio, Available).await, Usdt(88_990_000));
    let trades = ana.get("/orders/trades").await.ok();
    assert_eq!(
        (
            &trades["meta"]["total"],
            &trades["data"][0]["number"],
            &trades["data"][0]["side"],
            &trades["data"][0]["price"]
        ),
        (&json!(3), &json!(3), &json!("sell"), &json!("0.505000"))
    );
    let history = ana.get("/presale/price-history").await.ok();
    assert_eq!(
        (
            &history["rounds"][0]["price"],
            &history["candles"].as_array().unwrap().last().unwrap()["close"]
        ),
        (&json!("0.500000"), &json!("0.505000"))
    );
    let day = ana.get("/orders/book").await.ok();
    assert_eq!(
        (&day["dayQuantity"], &day["last"]),
        (&json!("22.000000"), &json!("0.505000"))
    );
    exact(&app).await;
}

#[actix_web::test]
async fn what_an_order_holds_is_owed_as_held_for_orders_not_for_withdrawals() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (caio, root) = (trader(&app, "caio", 100, 0).await, app.admin("root").await);
    let waits = order(&caio, "buy", "0.5", "80").await.ok();
    let see = async || {
        let report = root.get("/admin/solvency").await.ok();
        let owed = report["owed"].as_array().unwrap().iter();
        let mut lines: Vec<(String, String)> = owed
            .filter_map(|o| Some((o["account"].as_str()?.to_owned(), o["usdt"].as_str()?.to_owned())))
            .collect();
        lines.push((
            "total".to_owned(),
            report["owedTotal"].as_str().unwrap().to_owned(),
        ));
        lines
    };
    let line = |account: &str, usdt: &str| (account.to_owned(), usdt.to_owned());
    assert_eq!(
        see().await,
        [
            line("available", "60.000000"),
            line("held_orders", "40.000000"),
            line("total", "100.000000")
        ]
    );
    cancel(&caio, &waits).await.ok();
    assert_eq!(
        see().await,
        [line("available", "100.000000"), line("total", "100.000000")]
    );
}

#[actix_web::test]
async fn what_cannot_be_ordered_is_refused_in_words() {
    let app = TestApp::start().await;
    settings(&app, |s| s.pyx_open_orders = 2).await;
    let ana = trader(&app, "ana", 10, 10).await;
    order(&ana, "buy", "0.5", "1")
        .await
        .refused(409, "order.market_closed");
    presale::round(&app, &presale::terms(&app)).await;
    order(&ana, "buy", "0.5", "1")
        .await
        .refused(409, "order.market_closed");
    app.clock.advance(Duration::hours(25));
    let ana = app.renew(&ana);
    for (side, price, quantity, code) in [
        ("buy", "0", "1", "amount.not_positive"),
        ("buy", "0.5", "-1", "amount.not_positive"),
        ("buy", "x", "1", "amount.invalid"),
        ("buy", "0.50005", "1", "order.tick"),
        ("sell", "0.5", "1.001", "order.lot"),
        ("buy", "0.3999", "1", "order.band"),
        ("sell", "0.6001", "1", "order.band"),
        ("buy", "0.5", "20.01", "balance.insufficient"),
        ("sell", "0.5", "10.01", "balance.insufficient"),
        ("hold", "0.5", "1", "request.invalid"),
    ] {
        order(&ana, side, price, quantity).await.refused(422, code);
    }
    let reply = order(&ana, "buy", "0.7", "1").await;
    assert_eq!(reply.body["message"], "O preço deve estar entre 0.4 e 0.6 USDT.");
    let keyed = ana.key("one-and-the-same");
    let one = order(&keyed, "buy", "0.45", "1").await.ok();
    assert_eq!(order(&keyed, "buy", "0.45", "1").await.ok(), one);
    order(&keyed, "buy", "0.45", "2")
        .await
        .refused(409, "idempotency.mismatch");
    order(&ana, "buy", "0.45", "1").await.ok();
    order(&ana, "buy", "0.45", "1")
        .await
        .refused(422, "order.too_many");
    // Who is inactive takes back what waits, and orders nothing.
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    server::identity::sessions::forget(ana.session).await;
    cancel(&ana, &one).await.ok();
    order(&ana, "sell", "0.5", "1")
        .await
        .refused(403, "auth.inactive");
    exact(&app).await;
}

#[actix_web::test]
async fn a_self_trade_ends_the_newer_order_and_keeps_what_came_before() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 50, 50).await,
        trader(&app, "bea", 0, 50).await,
    );
    let other = order(&bea, "sell", "0.49", "5").await.ok();
    let own = order(&ana, "sell", "0.5", "5").await.ok();
    let met = order(&ana, "buy", "0.51", "20").await.ok();
    assert_eq!(
        (&met["status"], &met["filled"], &met["end"]),
        (&json!("cancelled"), &json!("5.000000"), &json!("self_trade"))
    );
    assert_eq!(state(&bea, &other).await.0, "filled");
    assert_eq!(state(&ana, &own).await.0, "open");
    assert_eq!(balance(&app, &ana, Held).await, Usdt::ZERO);
    assert_eq!(balance(&app, &ana, Available).await, Usdt(47_550_000));
    exact(&app).await;
}

#[actix_web::test]
async fn young_money_holds_and_time_outs_stand_before_orders() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (ana, bea) = (
        trader(&app, "ana", 20, 20).await,
        trader(&app, "bea", 20, 20).await,
    );
    let mut tx = app.context.db.begin().await.unwrap();
    guard::note_pix_credit(&mut tx, ana.user, uuid::Uuid::now_v7(), Usdt::whole(15))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    order(&ana, "buy", "0.5", "10.01")
        .await
        .refused(422, "outbound.young");
    order(&ana, "buy", "0.5", "10").await.ok();
    order(&bea, "sell", "0.5", "20").await.ok();
    order(&ana, "buy", "0.5", "0.01")
        .await
        .refused(422, "outbound.young");
    sqlx::query("UPDATE identity.account SET hold_until = $2, hold_reason = 'password' WHERE id = $1")
        .bind(bea.user.0)
        .bind(app.context.now() + Duration::HOUR)
        .execute(&app.sql)
        .await
        .unwrap();
    order(&bea, "sell", "0.6", "1")
        .await
        .refused(403, "outbound.held");
    time_out(&app, &ana, 7).await.ok();
    order(&ana, "buy", "0.4", "1")
        .await
        .refused(403, "account.excluded");
    // Selling is taking out.
    order(&ana, "sell", "0.55", "1").await.ok();
    exact(&app).await;
}

#[actix_web::test]
async fn a_reversed_credit_ends_open_orders_to_buy() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let ana = trader(&app, "ana", 20, 20).await;
    let (buy, sell) = (
        order(&ana, "buy", "0.45", "10").await.ok(),
        order(&ana, "sell", "0.55", "10").await.ok(),
    );
    let mut tx = app.context.db.begin().await.unwrap();
    let canceled = unsent::cancel(&app.context, &mut tx, ana.user, "reorg")
        .await
        .unwrap();
    unsent::tell(&app.context, &mut tx, &canceled).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        state(&ana, &buy).await,
        ("cancelled".into(), "0.000000".into(), json!("reversal"))
    );
    assert_eq!(state(&ana, &sell).await.0, "open");
    assert_eq!(balance(&app, &ana, Available).await, Usdt::whole(20));
    exact(&app).await;
}

/// Fifty orders at once: what was there is still there, the book does not cross itself, the books are exact.
#[actix_web::test]
async fn many_orders_at_once_keep_every_unit() {
    use rand::{Rng, SeedableRng, rngs::StdRng};
    let app = TestApp::start().await;
    settings(&app, |s| {
        // Five people who trade with each other all the time.
        s.compliance_pair_trades = 1_000;
        s.compliance_pair_loss = Usdt::whole(100_000);
    })
    .await;
    open_market(&app).await;
    let mut people = Vec::new();
    for name in ["ana", "bea", "caio", "dora", "eva"] {
        people.push(trader(&app, name, 100, 100).await);
    }
    let seed: u64 = rand::random();
    let mut rng = StdRng::seed_from_u64(seed);
    let orders: Vec<(usize, &str, String, String)> = (0..50)
        .map(|n| {
            let side = if rng.random_bool(0.5) { "buy" } else { "sell" };
            let price = Usdt(rng.random_range(4_900..5_101) * 100).to_string();
            let quantity = Pyx(rng.random_range(1..1_500) * 10_000).to_string();
            (n % 5, side, price, quantity)
        })
        .collect();
    let replies = join_all(
        orders
            .iter()
            .map(|(who, side, price, quantity)| order(&people[*who], side, price, quantity)),
    )
    .await;
    for reply in &replies {
        // The band follows the trades.
        if reply.status != 201 {
            assert!(
                ["balance.insufficient", "order.band"].contains(&reply.code()),
                "seed {seed}: {} {}",
                reply.status,
                reply.body
            );
        }
    }
    let cancels = join_all(
        replies
            .iter()
            .zip(&orders)
            .filter(|(r, _)| r.status == 201 && r.body["status"] == "open")
            .step_by(2)
            .map(|(r, (who, ..))| cancel(&people[*who], &r.body)),
    )
    .await;
    assert!(
        cancels.iter().all(|r| matches!(r.status, 200 | 409)),
        "seed {seed}"
    );
    let (mut usdt, mut coins) = (Usdt::ZERO, Pyx::ZERO);
    for person in &people {
        usdt += balance(&app, person, Available).await + balance(&app, person, Held).await;
        coins += pyx(&app, person, UserAccount::Pyx).await + pyx(&app, person, PyxHeld).await;
    }
    assert_eq!((usdt, coins), (Usdt::whole(500), Pyx::whole(500)), "seed {seed}");
    let crossed: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM presale.trade_order b JOIN presale.trade_order s ON s.price <= b.price
         WHERE b.status = 'open' AND s.status = 'open' AND b.side = 'buy' AND s.side = 'sell'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(crossed, 0, "seed {seed}: the book crosses itself");
    let gaps: i64 = sqlx::query_scalar("SELECT COALESCE(max(number), 0) - count(*) FROM presale.trade")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(gaps, 0, "seed {seed}");
    exact(&app).await;
}

async fn glimpse(socket: &mut Live, kind: &str) -> Value {
    loop {
        let message = socket.expect("glimpse").await;
        if message["glimpse"]["kind"] == kind {
            return message["glimpse"].clone();
        }
    }
}

#[actix_web::test]
async fn everybody_who_watches_sees_depth_and_trades() {
    let app = TestApp::start().await;
    open_market(&app).await;
    let (ana, bea) = (trader(&app, "ana", 0, 10).await, trader(&app, "bea", 10, 0).await);
    let eva = app.user("eva").await;
    let stop = tokio_util::sync::CancellationToken::new();
    let shown = app.live.clone();
    actix_web::rt::spawn(server::presale::live::run(
        app.context.clone(),
        std::sync::Arc::new(move |glimpse| shown.glimpse(glimpse)),
        stop.clone(),
    ));
    let mut socket = Live::open(&app, &eva).await;
    socket.say(&json!({ "op": "watch", "topic": "pyx" })).await;
    // Words of one socket are heard in their order: from here on it watches.
    socket.subscribe(&format!("user:{}", eva.user)).await;
    order(&ana, "sell", "0.5", "10").await.ok();
    let book = glimpse(&mut socket, "pyx.book").await;
    assert_eq!(book["asks"][0]["quantity"], "10.000000");
    order(&bea, "buy", "0.5", "4").await.ok();
    let trade = glimpse(&mut socket, "pyx.trade").await;
    assert_eq!(
        (&trade["number"], &trade["quantity"], &trade["side"]),
        (&json!(1), &json!("4.000000"), &json!("buy"))
    );
    stop.cancel();
}
