//! Who may switch live trading on, and what it changes.

use super::{
    bench::{bench, venue_at},
    exchange,
};
use crate::{kit::TestApp, licences::exact};
use futures_util::SinkExt;
use serde_json::{Value, json};
use server::{
    foundation::{business_day, context::Parts},
    market::{Choice, live::Places},
    robots::{
        desk_runner,
        live::{Live, service as live},
    },
};
use std::{sync::Arc, time::Duration};
use tokio_tungstenite::{accept_async, tungstenite::Message};
use tokio_util::sync::CancellationToken;

#[actix_web::test]
async fn two_different_persons_switch_it_on_and_anyone_off() {
    let (_, address) = exchange::open();
    let parts = Parts::default().with(Live {
        venue: Some(venue_at(address)),
        feed: true,
    });
    let app = TestApp::start_production(parts).await;
    let (one, two, user) = (
        app.admin("um").await,
        app.admin("dois").await,
        app.user("ana").await,
    );
    let eva = app.person("eva", "system_employee").await;
    let path = "/admin/trading/live";
    let wish = |word: &str, reason: &str| json!({ "word": word, "reason": reason });
    user.get(path).await.refused(403, "auth.forbidden");
    for call in ["", "/confirm", "/off"] {
        let path = format!("{path}{call}");
        user.post(&path, &wish("REAL", "x"))
            .await
            .refused(403, "auth.forbidden");
        eva.post(&path, &wish("REAL", "x"))
            .await
            .refused(403, "auth.forbidden");
    }
    let before = eva.get(path).await.ok();
    assert_eq!(
        (&before["on"], &before["missing"], &before["switch"]),
        (&json!(false), &json!([]), &json!(null))
    );
    let nothing = json!({ "id": uuid::Uuid::now_v7() });
    one.post(&format!("{path}/confirm"), &nothing)
        .await
        .refused(409, "live.state");
    one.post(&format!("{path}/off"), &json!({}))
        .await
        .refused(409, "live.state");
    one.post(path, &wish("real", "we begin"))
        .await
        .refused(422, "live.word");
    one.post(path, &wish("REAL", " "))
        .await
        .refused(422, "decision.reason_missing");
    let asked = one.post(path, &wish("REAL", "we begin")).await.ok();
    assert_eq!(
        (
            &asked["on"],
            &asked["switch"]["state"],
            &asked["switch"]["reason"]
        ),
        (&json!(false), &json!("asked"), &json!("we begin"))
    );
    two.post(path, &wish("REAL", "me too"))
        .await
        .refused(409, "live.state");
    let seen = json!({ "id": asked["switch"]["_id"] });
    one.post(&format!("{path}/confirm"), &seen)
        .await
        .refused(409, "decision.same_person");
    // Another request than the one that was seen is not confirmed.
    two.post(&format!("{path}/confirm"), &nothing)
        .await
        .refused(409, "decision.changed");
    let on = two.post(&format!("{path}/confirm"), &seen).await.ok();
    assert_eq!((&on["on"], &on["switch"]["state"]), (&json!(true), &json!("on")));
    two.post(&format!("{path}/confirm"), &seen)
        .await
        .refused(409, "live.state");
    let off = one.post(&format!("{path}/off"), &json!({})).await.ok();
    assert_eq!(
        (&off["on"], &off["switch"]["state"]),
        (&json!(false), &json!("off"))
    );
    // A request that nobody confirms within a day is asked for anew.
    one.post(path, &wish("REAL", "again")).await.ok();
    app.clock.advance(time::Duration::hours(25));
    let (one, two) = (app.renew(&one), app.renew(&two));
    two.post(&format!("{path}/confirm"), &seen)
        .await
        .refused(409, "live.state");
    one.post(path, &wish("REAL", "anew")).await.ok();
    two.post(&format!("{path}/off"), &json!({})).await.ok();
    let actions: Vec<String> =
        sqlx::query_scalar("SELECT action FROM foundation.audit WHERE action LIKE 'live.%' ORDER BY at, id")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(
        actions,
        [
            "live.ask", "live.on", "live.off", "live.ask", "live.ask", "live.off"
        ]
    );
    let sneaky = sqlx::query("UPDATE robots.live_switch SET off_at = NULL, off_by = NULL")
        .execute(&app.sql)
        .await;
    assert!(sneaky.is_err());
}

#[actix_web::test]
async fn a_demo_and_a_bare_installation_refuse() {
    let (_, address) = exchange::open();
    let whole = Live {
        venue: Some(venue_at(address)),
        feed: true,
    };
    let wish = json!({ "word": "REAL", "reason": "we begin" });
    let demo = TestApp::start_with_parts(Parts::default().with(whole.clone())).await;
    let admin = demo.admin("root").await;
    admin
        .post("/admin/trading/live", &wish)
        .await
        .refused(409, "live.world");
    assert_eq!(
        admin.get("/admin/trading/live").await.ok()["missing"],
        json!(["world"])
    );
    let insert = sqlx::query(
        "INSERT INTO robots.live_switch (id, reason, digest, asked_by, asked_at)
         SELECT gen_random_uuid(), 'x', sha256(''), id, now() FROM identity.account WHERE username LIKE 'root%'",
    )
    .execute(&demo.sql)
    .await;
    assert!(insert.is_err(), "the database refuses it too");

    let no_keys = Live {
        venue: None,
        ..whole.clone()
    };
    let app = TestApp::start_production(Parts::default().with(no_keys)).await;
    let admin = app.admin("root").await;
    admin
        .post("/admin/trading/live", &wish)
        .await
        .refused(409, "live.keys");
    let no_feed = Live { feed: false, ..whole };
    let app = TestApp::start_production(Parts::default().with(no_feed)).await;
    let admin = app.admin("root").await;
    admin
        .post("/admin/trading/live", &wish)
        .await
        .refused(409, "live.feed");
}

/// The venue's quotes: a triangle worth two in a thousand after fees.
async fn quotes() -> url::Url {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}/ws", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut peer = accept_async(tcp).await.unwrap();
                let mut pace = tokio::time::interval(Duration::from_millis(20));
                for u in 1u64.. {
                    pace.tick().await;
                    for (symbol, bid, ask) in [
                        ("BTCUSDT", "99999", "100000"),
                        ("ETHBTC", "0.0399", "0.04"),
                        ("ETHUSDT", "4020", "4021"),
                    ] {
                        let text = json!({ "u": u, "s": symbol, "b": bid, "B": "5", "a": ask, "A": "5" });
                        if peer.send(Message::text(text.to_string())).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    address.parse().unwrap()
}

#[actix_web::test]
async fn the_desk_trades_live_while_it_is_on() {
    let bench = bench().await;
    let places = Places {
        addresses: [("binance".to_owned(), quotes().await)].into(),
        loopback: true,
        ..Places::default()
    };
    let choice: Choice = "live:binance?pairs=BTC-USDT,ETH-BTC,ETH-USDT".parse().unwrap();
    // The capital's minute of waiting is over, and so is the lease of the bench.
    bench.app.clock.advance(time::Duration::minutes(2));
    let stop = CancellationToken::new();
    let desk = actix_web::rt::spawn(desk_runner::run(
        bench.app.context.clone(),
        Arc::new(|_| ()),
        choice.at(places).unwrap(),
        stop.clone(),
    ));
    let staff = bench.app.admin("tres").await;
    let until = async |done: &dyn Fn(i64, &Value) -> bool| {
        for _ in 0..1_200 {
            let booked = bench
                .count("SELECT count(*) FROM robots.operation WHERE mode = 'live'")
                .await;
            let feeds = staff.get("/admin/feeds").await.ok();
            if done(booked, &feeds) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it does not come");
    };
    until(&|booked, feeds| booked > 0 && feeds["mode"] == "live").await;
    staff.post("/admin/trading/live/off", &json!({})).await.ok();
    until(&|_, feeds| feeds["mode"] == "paper" && feeds["running"] == true).await;
    let posts = bench.exchange().posts;
    stop.cancel();
    desk.await.unwrap();
    assert_eq!(bench.exchange().posts, posts, "off: nothing goes out");
    assert_eq!(
        bench
            .count("SELECT count(*) FROM robots.live_operation WHERE state <> 'booked'")
            .await,
        0
    );
    assert!(bench.exchange().wrong.is_empty());
    exact(&bench.app).await;
}

#[actix_web::test]
async fn yield_leaves_only_while_the_venue_holds_it() {
    let bench = bench().await;
    let order = bench.order().await;
    let done = bench.execute(&order).await.unwrap();
    assert!(done.result.is_positive(), "{:?}", done.result);
    bench.settle(&order, &done).await.unwrap();
    // The next day on which yield may leave.
    let today = business_day::of(bench.app.context.now());
    let mut day = today.next_day().unwrap();
    while day.day() != 5 {
        day = day.next_day().unwrap();
    }
    bench.app.clock.advance(day - today);
    let user = bench.app.renew(&bench.user);
    let take = json!({ "licence": bench.licence, "value": done.result });
    let path = "/trader/robot-withdraw";
    user.post(path, &take).await.refused(409, "yield.unreconciled");
    bench.exchange().balances.insert("USDT".into(), 0);
    assert!(
        !live::reconcile_once(&bench.app.context, &bench.venue)
            .await
            .unwrap()
    );
    user.post(path, &take).await.refused(409, "yield.unreconciled");
    bench
        .exchange()
        .balances
        .insert("USDT".into(), 2_000 * 100_000_000);
    bench.app.clock.advance(time::Duration::minutes(1));
    assert!(
        live::reconcile_once(&bench.app.context, &bench.venue)
            .await
            .unwrap()
    );
    user.post(path, &take).await.ok();
    exact(&bench.app).await;
    let old = sqlx::query("UPDATE licences.reconciliation SET booked = 0")
        .execute(&bench.app.sql)
        .await;
    assert!(old.is_err(), "what was found stays written");
}
