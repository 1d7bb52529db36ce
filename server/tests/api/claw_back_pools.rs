//! A reversed credit whose money works in a pool: principal goes back before any licence, with its part of what is not paid yet.

use crate::{
    claw_back::{credited, licence, of, reverse, worth},
    kit::{Client, TestApp, live::Live},
    licences::{buy, fund, id},
    pools::{decide, exact, jobs, join, revenue, undistributed},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{ledger::model::UserAccount, pools::service as pools};
use time::Duration;

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

async fn entries(user: &Client) -> Vec<Value> {
    let mine = user.get("/pools/mine").await.ok();
    mine["data"].as_array().unwrap().clone()
}

async fn booked(app: &TestApp) -> uuid::Uuid {
    sqlx::query_scalar("SELECT id FROM pools.revenue WHERE status = 'booked'")
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn principal_goes_back_before_licences_newest_entry_first() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("root").await);
    fund(&app, &ana, UserAccount::Available, 150).await;
    let older = id(&join(&ana, "150").await);
    app.clock.advance(Duration::seconds(1));
    let deposit = credited(&app, &ana, &admin, "400", 1).await;
    let bought = id(&buy(&ana, PLAN_100).await);
    let newer = id(&join(&ana, "200").await);
    let mut live = Live::open(&app, &ana).await;
    live.subscribe(&format!("user:{}", ana.user)).await;
    // 100 available, 200 of the newer entry, 100 of the older one: the licence stays.
    let before = worth(&app, &ana).await;
    reverse(&admin, &deposit).await.ok();
    assert_eq!(worth(&app, &ana).await, before - 400_000_000);
    assert_eq!(licence(&ana, &bought).await["state"], "active");
    let told = live.fact("pool.changed").await["event"]["entry"].clone();
    assert_eq!(
        (&told["_id"], &told["value"], &told["taken"], &told["state"]),
        (
            &json!(newer),
            &json!("0.000000"),
            &json!("200.000000"),
            &json!("ended")
        )
    );
    let mine = entries(&ana).await;
    let shown: Vec<_> = mine
        .iter()
        .map(|e| (&e["_id"], &e["value"], &e["taken"], &e["state"]))
        .collect();
    assert_eq!(
        shown,
        [
            (
                &json!(newer),
                &json!("0.000000"),
                &json!("200.000000"),
                &json!("ended")
            ),
            (
                &json!(older),
                &json!("50.000000"),
                &json!("100.000000"),
                &json!("active")
            ),
        ]
    );
    assert_eq!(of(&app, &ana, UserAccount::Debt).await, 0);
    exact(&app).await;
    // At the end of the term only what is left comes back.
    app.clock.advance(Duration::days(91));
    jobs(&app).await;
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 50_000_000);
    exact(&app).await;
}

#[actix_web::test]
async fn what_no_pool_holds_comes_from_licences_and_then_is_owed() {
    let app = TestApp::start().await;
    let (ana, bia, admin) = (
        app.user("ana").await,
        app.user("bia").await,
        app.admin("root").await,
    );
    let deposit = credited(&app, &ana, &admin, "400", 1).await;
    join(&ana, "150").await;
    let bought = id(&buy(&ana, PLAN_100).await);
    let gone = server::ledger::model::AccountRef::User(ana.user, UserAccount::Available);
    crate::claw_back::moved(
        &app,
        gone,
        server::ledger::model::AccountRef::User(bia.user, UserAccount::Available),
        150,
    )
    .await;
    reverse(&admin, &deposit).await.ok();
    // 150 of the pool, 100 of the licence, 150 that nobody has.
    assert_eq!(licence(&ana, &bought).await["state"], "reversed");
    assert_eq!(of(&app, &ana, UserAccount::Debt).await, -150_000_000);
    assert_eq!(entries(&ana).await[0]["taken"], "150.000000");
    exact(&app).await;
}

/// Ana and bia with 200 each for the same three days, of which ana's came by a deposit that will be taken back; 100 more lie available.
async fn working(app: &TestApp, admin: &Client) -> (Client, Client, Value) {
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let deposit = credited(app, &ana, admin, "200", 1).await;
    fund(app, &bia, UserAccount::Available, 200).await;
    join(&ana, "200").await;
    join(&bia, "200").await;
    fund(app, &ana, UserAccount::Available, 100).await;
    app.clock.advance(Duration::days(4));
    let (one, other) = (app.admin("caio").await, app.admin("davi").await);
    let revenue = revenue(app, &one, "30", 3, 1, 1).await.ok();
    decide(&other, &revenue, true).await.ok();
    app.clock.advance(Duration::DAY);
    (app.renew(&ana), app.renew(&bia), deposit)
}

#[actix_web::test]
async fn revenue_that_is_not_divided_yet_is_divided_by_what_is_left() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let (ana, bia, deposit) = working(&app, &admin).await;
    reverse(&app.renew(&admin), &deposit).await.ok();
    pools::close(&app.context).await.unwrap();
    // 100 and 200 for the same days.
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 10_000_000);
    assert_eq!(of(&app, &bia, UserAccount::Available).await, 20_000_000);
    assert_eq!(undistributed(&app).await, Usdt::ZERO);
    exact(&app).await;
}

#[actix_web::test]
async fn a_share_that_is_not_paid_shrinks_and_nobody_elses_grows() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let (ana, bia, deposit) = working(&app, &admin).await;
    pools::plan(&app.context, booked(&app).await.into())
        .await
        .unwrap();
    reverse(&app.renew(&admin), &deposit).await.ok();
    pools::close(&app.context).await.unwrap();
    // Of 15 each, half of ana's went with half of her principal.
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 7_500_000);
    assert_eq!(of(&app, &bia, UserAccount::Available).await, 15_000_000);
    assert_eq!(undistributed(&app).await, Usdt(7_500_000));
    exact(&app).await;
    let list = app.renew(&admin).get("/admin/pools/revenue").await.ok();
    assert_eq!(
        (&list["data"][0]["shared"], &list["data"][0]["sharedOut"]),
        (&json!("22.500000"), &json!(true))
    );
}

#[actix_web::test]
async fn a_share_of_an_entry_that_is_taken_whole_is_never_paid() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let deposit = credited(&app, &ana, &admin, "200", 1).await;
    fund(&app, &bia, UserAccount::Available, 200).await;
    join(&ana, "200").await;
    join(&bia, "200").await;
    app.clock.advance(Duration::days(4));
    let (one, other) = (app.admin("caio").await, app.admin("davi").await);
    let revenue = revenue(&app, &one, "30", 3, 1, 1).await.ok();
    decide(&other, &revenue, true).await.ok();
    app.clock.advance(Duration::DAY);
    pools::plan(&app.context, booked(&app).await.into())
        .await
        .unwrap();
    reverse(&app.renew(&admin), &deposit).await.ok();
    pools::close(&app.context).await.unwrap();
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 0);
    assert_eq!(of(&app, &ana, UserAccount::Debt).await, 0);
    assert_eq!(of(&app, &bia, UserAccount::Available).await, 15_000_000);
    assert_eq!(undistributed(&app).await, Usdt::whole(15));
    app.clock.advance(Duration::days(90));
    jobs(&app).await;
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 0);
    assert_eq!(of(&app, &bia, UserAccount::Available).await, 215_000_000);
    exact(&app).await;
}

#[actix_web::test]
async fn a_reversal_beside_a_closing_and_the_end_of_the_term_takes_it_once() {
    for round in 0..4 {
        let app = TestApp::start().await;
        let admin = app.admin("root").await;
        let (ana, bia, deposit) = working(&app, &admin).await;
        if round % 2 == 1 {
            // The term is over: the principal is on its way back.
            app.clock.advance(Duration::days(90));
        }
        let admin = app.renew(&admin);
        let before = worth(&app, &ana).await + worth(&app, &bia).await + undistributed(&app).await.0;
        let (reversed, closed, ()) =
            tokio::join!(reverse(&admin, &deposit), pools::close(&app.context), jobs(&app));
        closed.unwrap();
        if reversed.code() == "balance.insufficient" {
            // Its plan was overtaken: nothing of it was kept.
            reverse(&admin, &deposit).await.ok();
        } else {
            reversed.ok();
        }
        pools::close(&app.context).await.unwrap();
        jobs(&app).await;
        let after = worth(&app, &ana).await + worth(&app, &bia).await + undistributed(&app).await.0;
        assert_eq!(after, before - 200_000_000, "round {round}");
        assert_eq!(of(&app, &ana, UserAccount::Debt).await, 0, "round {round}");
        let paid = of(&app, &bia, UserAccount::Available).await % 200_000_000;
        assert!([15_000_000, 20_000_000].contains(&paid), "round {round}: {paid}");
        exact(&app).await;
    }
}

#[actix_web::test]
async fn the_database_keeps_entries_and_account_the_same() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    fund(&app, &ana, UserAccount::Available, 200).await;
    join(&ana, "200").await;
    for wrong in [
        "UPDATE pools.entry SET value = value - 1, taken = taken + 1",
        "UPDATE pools.entry SET value = value - 1",
        "UPDATE pools.entry SET value = value + 1, taken = taken - 1",
        "UPDATE pools.entry SET value = 0, taken = 200000000",
        "UPDATE pools.entry SET ended_at = ends_at",
        "UPDATE pools.entry SET value = 0, taken = 200000000, ended_at = now()",
    ] {
        assert!(sqlx::query(wrong).execute(&app.sql).await.is_err(), "{wrong}");
    }
    exact(&app).await;
}
