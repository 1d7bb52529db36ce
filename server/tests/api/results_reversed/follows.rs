//! What hangs on a result goes with it: its day, the end of its robot, a loan that it repaid, what others copied of it.

use super::{by_two, made, reverse, totals, whole};
use crate::{
    copying::{follow, following, leader, noon},
    kit::TestApp,
    licences::{buy, fund, id},
    robots::{batch, fence, operation, robot, share},
};
use protocol::{
    ids::{LicenceId, OperationId},
    money::Usdt,
};
use serde_json::json;
use server::{
    affiliates::closing::service as closings,
    ledger::model::UserAccount::Available,
    robots::{days, service},
};
use time::Duration;

#[actix_web::test]
async fn a_day_goes_with_its_result_until_the_network_has_closed_it() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let licence = robot(&app, &ana, 200).await;
    let (one, two) = (
        made(&app, &ana, licence, 1_500_000).await,
        made(&app, &ana, licence, -1_000_000).await,
    );
    app.clock.advance(Duration::days(1));
    let today = made(&app, &ana, licence, 500_000).await;
    // Yesterday is over and not closed: it goes out of yesterday alone.
    by_two(&app, (&rui, &eva), licence, one).await.ok();
    assert_eq!(totals(&app, &ana, licence).await["today"], "0.500000");
    whole(&app).await;
    closings::close_due(&app.context, days::results_of).await.unwrap();
    let before = totals(&app, &ana, licence).await;
    reverse(&app, &rui, licence, two, "Engano")
        .await
        .refused(409, "result.day_closed");
    assert_eq!(totals(&app, &ana, licence).await, before);
    by_two(&app, (&rui, &eva), licence, today).await.ok();
    whole(&app).await;
}

#[actix_web::test]
async fn a_robot_that_a_wrong_gain_had_ended_works_again() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let licence = robot(&app, &ana, 100).await;
    let wrong = made(&app, &ana, licence, 601_000_000).await;
    let ended = totals(&app, &ana, licence).await;
    assert_eq!(
        (&ended["state"], &ended["topup"]),
        (&json!("ceiling_reached"), &json!("100.000000"))
    );
    by_two(&app, (&rui, &eva), licence, wrong).await.ok();
    let back = totals(&app, &ana, licence).await;
    assert_eq!(
        (&back["state"], &back["limitLeft"], &back["yield"], &back["topup"]),
        (
            &json!("active"),
            &json!("600.000000"),
            &json!("0.000000"),
            &json!("100.000000")
        )
    );
    let active: bool = sqlx::query_scalar("SELECT active FROM affiliates.member_licence WHERE licence = $1")
        .bind(licence.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert!(active, "in the network too");
    app.renew(&ana)
        .post(
            "/trader/allocate-value-in-trading",
            &json!({ "licence": licence, "value": "100" }),
        )
        .await
        .ok();
    // A loss made room for a gain behind it: without it the maximum return is reached.
    let loss = made(&app, &ana, licence, -50_000_000).await;
    let _ = made(&app, &ana, licence, 640_000_000).await;
    assert_eq!(totals(&app, &ana, licence).await["state"], "active");
    by_two(&app, (&rui, &eva), licence, loss).await.ok();
    let ended = totals(&app, &ana, licence).await;
    assert_eq!(
        (&ended["state"], &ended["allocated"], &ended["topup"]),
        (
            &json!("ceiling_reached"),
            &json!("0.000000"),
            &json!("100.000000")
        )
    );
    whole(&app).await;
}

#[actix_web::test]
async fn what_a_gain_repaid_of_an_open_loan_is_owed_again() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    fund(&app, &ana, Available, 400).await;
    let licence: LicenceId = id(&buy(&ana, crate::licences::PLAN_100).await).parse().unwrap();
    ana.post("/licences/topup", &json!({ "licence": licence, "value": "300" }))
        .await
        .ok();
    app.clock.advance(Duration::days(31));
    let ana = app.renew(&ana);
    ana.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": licence, "value": "200" }),
    )
    .await
    .ok();
    ana.post("/licences/loan", &json!({ "licence": licence, "value": "100" }))
        .await
        .ok();
    app.clock.advance(Duration::minutes(1));
    let wrong = made(&app, &ana, licence, 10_000_000).await;
    let with = totals(&app, &ana, licence).await;
    assert_eq!(
        (&with["loan"], &with["yield"]),
        (&json!("-95.000000"), &json!("5.000000"))
    );
    by_two(&app, (&rui, &eva), licence, wrong).await.ok();
    let back = totals(&app, &ana, licence).await;
    assert_eq!(
        (&back["loan"], &back["yield"]),
        (&json!("-100.000000"), &json!("0.000000"))
    );
    whole(&app).await;
    // Once a loan is repaid whole, it is over, and so is what repaid of it.
    let other = made(&app, &ana, licence, 10_000_000).await;
    app.renew(&ana)
        .post(
            "/licences/loan-repay",
            &json!({ "licence": licence, "value": "95", "source": "available" }),
        )
        .await
        .ok();
    reverse(&app, &rui, licence, other, "Engano")
        .await
        .refused(409, "result.loan");
    whole(&app).await;
}

#[actix_web::test]
async fn a_copying_counts_no_more_what_was_taken_back() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let led = leader(&app, &ana, 200).await;
    let licence = robot(&app, &app.renew(&bea), 200).await;
    let booked = async |result: i64| {
        app.clock.advance(Duration::seconds(2));
        let (fence, id) = (fence(&app).await, OperationId::fresh());
        let share = share(&bea, licence, Usdt::whole(10));
        service::settle(
            &app.context,
            fence,
            &batch(vec![operation(id, &[(share, result)])]),
        )
        .await
        .unwrap();
        id
    };
    let before = booked(-1_000_000).await;
    app.clock.advance(Duration::seconds(1));
    follow(&app, &bea, licence, led, "5").await.ok();
    app.clock.advance(Duration::seconds(1));
    let (loss, gain) = (booked(-4_000_000).await, booked(3_000_000).await);
    let net = async || following(&app, &bea).await[0]["net"].clone();
    assert_eq!(net().await, "-1.000000");
    by_two(&app, (&rui, &eva), licence, before).await.ok();
    assert_eq!(net().await, "-1.000000", "it had not begun then");
    by_two(&app, (&rui, &eva), licence, gain).await.ok();
    assert_eq!(net().await, "-4.000000");
    by_two(&app, (&rui, &eva), licence, loss).await.ok();
    assert_eq!(net().await, "0.000000");
    // A gain that goes ends it as a loss would.
    let gain = booked(2_000_000).await;
    booked(-6_000_000).await;
    assert_eq!(following(&app, &bea).await[0]["state"], "active");
    by_two(&app, (&rui, &eva), licence, gain).await.ok();
    assert_eq!(following(&app, &bea).await[0]["state"], "loss");
    assert_eq!(totals(&app, &bea, licence).await["robotStatus"], "paused");
    whole(&app).await;
}
