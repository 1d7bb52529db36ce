//! Orders of owners that stand: taken back, begun, unwound, given up, and what a desk that is gone left behind.

use crate::{
    guard::{settings, time_out},
    kit::{Client, TestApp},
    licences::{exact, house},
    manual::{begin, desk, done, fill, order, page, refused, states, steered, take},
    robots::{batch, share},
};
use protocol::{
    ids::OperationId,
    money::Usdt,
    views::{ManualRefusal, Mode},
};
use serde_json::{Value, json};
use server::{
    ledger::model::HouseAccount,
    robots::{manual::service as manual, service},
};
use time::Duration;

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
