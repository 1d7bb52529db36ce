//! A change works through its one connection: a second one could be the one that all others, waiting for it, already hold.

use crate::{
    kit::TestApp,
    licences::{buy, exact, fund, id},
    pix,
};
use futures_util::future::join_all;
use protocol::money::Usdt;
use serde_json::json;
use server::{
    foundation::{
        context::Context,
        settings::{Settings, SettingsReader},
    },
    ledger::model::UserAccount,
    licences::service as licences,
};

const PLAN_100: &str = "0190a000-0000-7000-8000-000000010002";

/// Every call reads the settings anew.
async fn forget_settings(app: &TestApp) {
    let now = app.context.now();
    app.context
        .settings
        .store(&Settings::default(), now, None, "a test")
        .await
        .unwrap();
}

#[actix_web::test]
async fn money_calls_need_one_connection_each() {
    let app = TestApp::with_connections(1).await;
    let (ana, admin) = (app.user("ana").await, app.admin("root").await);
    fund(&app, &ana, UserAccount::Available, 1_000).await;
    let licence = id(&buy(&ana, PLAN_100).await);
    let other = id(&buy(&ana, PLAN_100).await);
    let third = id(&buy(&ana, PLAN_100).await);
    for (path, body) in [
        ("/licences/topup", json!({ "licence": licence, "value": "300" })),
        (
            "/trader/allocate-value-in-trading",
            json!({ "licence": licence, "value": "200" }),
        ),
        (
            "/trader/relocate-value",
            json!({ "from": licence, "to": other, "value": "100" }),
        ),
        (
            "/trader/relocate-value",
            json!({ "from": licence, "value": "20" }),
        ),
        ("/licences/cancel", json!({ "licence": third })),
    ] {
        forget_settings(&app).await;
        ana.post(path, &body).await.ok();
    }
    forget_settings(&app).await;
    ana.patch(
        "/trader/config-robot-trader",
        &json!({ "licence": licence, "paused": true }),
    )
    .await
    .ok();
    forget_settings(&app).await;
    let deposit = pix::deposit(&ana, "100").await;
    let path = format!("/deposit-pix/{}/proof", pix::id(&deposit));
    ana.upload(&path, "proof.png", "image/png", pix::png(1))
        .await
        .ok();
    forget_settings(&app).await;
    pix::approve(&admin, &deposit, &pix::end_to_end(app.context.now(), "1"))
        .await
        .ok();
    exact(&app).await;
}

#[actix_web::test]
async fn the_desk_and_jobs_need_one_connection_each() {
    let app = TestApp::with_connections(1).await;
    let ana = app.user("ana").await;
    fund(&app, &ana, UserAccount::Available, 200).await;
    let licence = id(&buy(&ana, PLAN_100).await).parse().unwrap();
    let fresh = || Context {
        settings: SettingsReader::new(app.context.db.pool().clone()),
        ..app.context.clone()
    };
    let mut tx = app.context.db.begin().await.unwrap();
    licences::free_reservations(&fresh(), &mut tx, &[(licence, Usdt(0))])
        .await
        .unwrap();
    let mut outcomes = [];
    licences::settle(
        &fresh(),
        &mut tx,
        server::licences::settlement::InBatch {
            id: protocol::ids::BatchId::fresh(),
            mode: protocol::views::Mode::Simulated,
            lane: 0,
        },
        &mut outcomes,
        &[(licence, Usdt(0))],
    )
    .await
    .unwrap();
    licences::finalise(&fresh(), &mut tx, licence).await.unwrap();
    tx.commit().await.unwrap();
    exact(&app).await;
}

#[actix_web::test]
async fn many_at_once_share_two_connections() {
    const MANY: usize = 24;
    let app = TestApp::with_connections(2).await;
    let mut people = Vec::new();
    for n in 0..MANY {
        let person = app.user(&format!("person{n}")).await;
        fund(&app, &person, UserAccount::Available, 500).await;
        people.push(person);
    }
    forget_settings(&app).await;
    let calls = people.iter().map(|person| async move {
        let asked = json!({ "usdt": "100" });
        let order = json!({ "plan": PLAN_100, "riskAccepted": true });
        let (deposit, licence) = tokio::join!(
            person.post("/deposit-pix", &asked),
            person.post("/licences/buy", &order)
        );
        (deposit.status, licence.status)
    });
    assert_eq!(join_all(calls).await, vec![(201, 200); MANY]);
    exact(&app).await;
}

/// A request that ends, or a call that takes too long, gives its work up anywhere: also in the middle of a BEGIN.
#[actix_web::test]
async fn a_begin_that_is_given_up_swallows_no_later_change() {
    let app = TestApp::with_connections(1).await;
    let pool = app.context.db.pool();
    for round in 0..60_i64 {
        for polls in 0..round {
            let mut begin = std::pin::pin!(pool.begin());
            for _ in 0..=polls {
                if futures_util::poll!(&mut begin).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        sqlx::query("UPDATE foundation.stream_head SET seq = seq WHERE false")
            .execute(pool)
            .await
            .unwrap();
        let inside: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%')",
        )
        .fetch_one(&app.sql)
        .await
        .unwrap();
        assert!(
            !inside,
            "round {round}: what was written waits for an end that never comes"
        );
    }
}
