//! Feeds as staff see them, and the limit on a day's loss: from a venue's socket to the page, from a booking to the people told.

use crate::{
    kit::TestApp,
    licences::{exact, house},
    robots::{batch, fence, operation, robot, share},
};
use actors::desk::port::Batch;
use futures_util::{SinkExt, StreamExt};
use protocol::{ids::OperationId, money::Usdt, views::Mode};
use serde_json::{Value, json};
use server::{
    foundation::settings::Settings,
    ledger::model::HouseAccount,
    market::{Choice, live::Places},
    robots::{desk_runner, service, watch},
};
use std::{sync::Arc, time::Duration};
use tokio_tungstenite::{accept_async, tungstenite::Message};
use tokio_util::sync::CancellationToken;

/// A venue on this machine that quotes without end; its address.
async fn venue() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}/ws", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut peer = accept_async(tcp).await.unwrap();
                let asked = peer.next().await.unwrap().unwrap();
                assert!(asked.to_text().unwrap().contains("btcusdt@bookTicker"));
                let mut pace = tokio::time::interval(Duration::from_millis(10));
                for u in 1u64.. {
                    pace.tick().await;
                    let text = json!({ "u": u, "s": "BTCUSDT", "b": "96000.1", "B": "0.5", "a": "96000.2", "A": "0.4" });
                    if peer.send(Message::text(text.to_string())).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

#[actix_web::test]
async fn staff_see_how_the_venues_of_the_feed_do() {
    let app = TestApp::start().await;
    let (user, staff) = (app.user("ana").await, app.person("eva", "system_employee").await);
    user.get("/admin/feeds").await.refused(403, "auth.forbidden");
    let none = staff.get("/admin/feeds").await.ok();
    assert_eq!(
        none,
        json!({ "feed": "off", "mode": null, "running": false, "venues": [] })
    );

    let mut places = Places {
        loopback: true,
        ..Places::default()
    };
    places
        .addresses
        .insert("binance".into(), venue().await.parse().unwrap());
    let choice: Choice = "live:binance?pairs=BTC-USDT".parse().unwrap();
    let stop = CancellationToken::new();
    let live = app.live.clone();
    let desk = actix_web::rt::spawn(desk_runner::run(
        app.context.clone(),
        Arc::new(move |glimpse| live.glimpse(glimpse)),
        choice.at(places).unwrap(),
        stop.clone(),
    ));
    let mut seen = Value::Null;
    for _ in 0..600 {
        seen = staff.get("/admin/feeds").await.ok();
        if seen["venues"][0]["quotesPerSecond"].as_u64().unwrap_or(0) > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(
        (&seen["feed"], &seen["mode"], &seen["running"]),
        (&json!("live: binance"), &json!("paper"), &json!(true))
    );
    let binance = &seen["venues"][0];
    assert_eq!(
        (&binance["venue"], &binance["connected"], &binance["reconnects"]),
        (&json!("binance"), &json!(true), &json!(0))
    );
    assert!(
        binance["since"].is_string() && binance["lastQuoteAt"].is_string(),
        "{binance}"
    );
    assert!(binance["skewMs"].is_null(), "this venue tells no time");

    stop.cancel();
    desk.await.unwrap();
    let after = staff.get("/admin/feeds").await.ok();
    assert_eq!(
        (&after["running"], &after["venues"][0]["connected"]),
        (&json!(false), &json!(false))
    );
}

#[actix_web::test]
async fn what_a_dead_node_stored_says_that_nothing_runs() {
    let app = TestApp::start().await;
    let staff = app.admin("root").await;
    let state = |feed: &str| watch::view(feed, Mode::Simulated, Vec::new());
    watch::store_state(&app.context, 5, &state("new")).await.unwrap();
    watch::store_state(&app.context, 4, &state("old")).await.unwrap();
    let seen = staff.get("/admin/feeds").await.ok();
    assert_eq!(
        (&seen["feed"], &seen["running"]),
        (&json!("new"), &json!(true)),
        "an older desk's word is late"
    );
    app.clock.advance(time::Duration::seconds(16));
    assert_eq!(
        app.renew(&staff).get("/admin/feeds").await.ok()["running"],
        json!(false)
    );
}

#[actix_web::test]
async fn the_days_loss_is_counted_per_mode_and_those_who_watch_are_told_once() {
    let app = TestApp::start().await;
    let (user, admin) = (app.user("ana").await, app.admin("root").await);
    let licence = robot(&app, &user, 400).await;
    let settings = Settings {
        desk_daily_loss: Usdt::whole(1),
        ..Settings::default()
    };
    let now = app.context.now();
    app.context
        .settings
        .store(&settings, now, None, "a test")
        .await
        .unwrap();
    let fence = fence(&app).await;
    let share = share(&user, licence, Usdt::whole(20));
    let settle = async |result: i64| -> (Batch, i64) {
        let id = OperationId::fresh();
        service::reserve(&app.context, fence, id, &[share]).await.unwrap();
        let batch = batch(vec![operation(id, &[(share, result)])]);
        let settled = service::settle(&app.context, fence, &batch).await.unwrap();
        (batch, settled.day.unwrap().net.0)
    };
    assert_eq!(settle(-600_000).await.1, -600_000);
    let told = async || -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM foundation.event WHERE kind = 'desk.halted'")
            .fetch_one(&app.sql)
            .await
            .unwrap()
    };
    assert_eq!(told().await, 0);
    let (last, net) = settle(-400_000).await;
    assert_eq!((net, told().await), (-1_000_000, 1), "one administrator");
    let again = service::settle(&app.context, fence, &last).await.unwrap();
    assert_eq!(
        again.day.unwrap().net.0,
        -1_000_000,
        "a batch sent again counts once"
    );
    settle(-100_000).await;
    assert_eq!(told().await, 1, "told once");

    // What a desk that starts now reads.
    let risk = watch::risk(&app.context, Mode::Simulated).await.unwrap();
    let day = risk.day.unwrap();
    assert_eq!((day.net, day.operations), (Usdt(-1_100_000), 3));
    assert_eq!(risk.limits.unwrap().daily_loss, Usdt::whole(1));
    assert_eq!(
        watch::risk(&app.context, Mode::Paper)
            .await
            .unwrap()
            .day
            .unwrap()
            .net,
        Usdt::ZERO
    );
    app.clock.advance(time::Duration::days(1));
    assert_eq!(
        watch::risk(&app.context, Mode::Simulated)
            .await
            .unwrap()
            .day
            .unwrap()
            .net,
        Usdt::ZERO,
        "tomorrow"
    );

    // A paper result is booked beside, and counts in a day of its own.
    let id = OperationId::fresh();
    service::reserve(&app.context, fence, id, &[share]).await.unwrap();
    let paper = Batch {
        mode: Mode::Paper,
        ..batch(vec![operation(id, &[(share, 50_000)])])
    };
    let booked = service::settle(&app.context, fence, &paper).await.unwrap();
    assert_eq!(booked.day.unwrap().net, Usdt(50_000));
    assert_eq!(
        house(&app, HouseAccount::Trading(Mode::Paper)).await,
        Usdt(-50_000)
    );

    crate::notifications::drain(&app).await;
    let lines = app.renew(&admin).get("/notifications").await.ok();
    let line = lines["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|l| l["code"] == "desk_halted")
        .unwrap();
    assert_eq!(line["amount"], "1.000000");
    exact(&app).await;
}
