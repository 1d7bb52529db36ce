//! The house on one page: sums of what stands in the books and the facts, for whoever holds `admin_dashboard`.

use crate::{
    chain::{
        desk::Desk,
        payout::{AWAY, Payout},
    },
    chain_kit::CONFIRMATIONS,
    kit::{Client, SYSTEM_EMPLOYEE, TestApp},
    pix::end_to_end,
    pix_withdrawals::{approve, customer, withdraw},
    robots::{batch, fence, operation, robot, share},
};
use protocol::{ids::OperationId, money::Usdt};
use serde_json::{Value, json};
use server::{foundation::business_day, robots::service, wallet::chain::Coin};
use sqlx::AssertSqlSafe;

async fn view(of: &Client) -> Value {
    of.get("/admin/general-view").await.ok()
}

fn today(view: &Value) -> &Value {
    view["days"].as_array().unwrap().last().unwrap()
}

#[actix_web::test]
async fn it_tells_sums_to_whoever_may_see_the_dashboard() {
    let app = TestApp::start().await;
    let ana = customer(&app, "ana", "500").await;
    let root = app.admin("root").await;
    ana.get("/admin/general-view")
        .await
        .refused(403, "auth.forbidden");
    app.person("loja", "store_employee")
        .await
        .get("/admin/general-view")
        .await
        .refused(403, "auth.forbidden");
    let staff = app.person("sis", SYSTEM_EMPLOYEE).await;
    let first = view(&staff).await;
    let days = first["days"].as_array().unwrap();
    assert_eq!(days.len(), 30);
    let now = business_day::of(app.context.now());
    assert_eq!(today(&first)["day"], now.to_string());
    assert_eq!(days[0]["day"], (now - time::Duration::days(29)).to_string());
    // Each person of this test, the house itself not.
    assert_eq!(first["people"]["all"], 4);
    assert_eq!(first["people"]["active"], 4);
    assert_eq!(today(&first)["inPix"], "500.000000");
    assert_eq!(today(&first)["outPix"], "0.000000");
    assert_eq!(first["licences"]["active"], 0);
    assert_eq!(first["queues"].as_array().unwrap().len(), 15);
    assert_eq!(first["tickets"], json!({ "pending": 0, "oldest": null }));
    assert_eq!(first["health"]["jobsParked"], 0);

    let asked = withdraw(&app, &ana, "ana", "100").await;
    let waits = view(&staff).await;
    let queue = |view: &Value, name: &str| {
        let all = view["queues"].as_array().unwrap();
        all.iter().find(|q| q["queue"] == name).unwrap().clone()
    };
    assert_eq!(queue(&waits, "pix_withdrawals")["pending"], 1);
    let ticket = crate::support::open(&ana).await;
    let asks = view(&staff).await;
    assert_eq!(
        asks["tickets"],
        json!({ "pending": 1, "oldest": ticket["ticket"]["waitingSince"] })
    );
    // Held is not gone.
    assert_eq!(today(&waits)["outPix"], "0.000000");
    approve(&root, &asked).await.ok();
    let path = format!("/admin/withdraw-pix/{}/paid", asked["_id"].as_str().unwrap());
    let bank = json!({ "endToEndId": end_to_end(app.context.now(), "1") });
    root.post(&path, &bank).await.ok();
    let paid = view(&staff).await;
    assert_eq!(today(&paid)["outPix"], "100.000000");
    assert_eq!(today(&paid)["inPix"], "500.000000");
    assert_eq!(today(&paid)["outChain"], "0.000000");
    assert_eq!(queue(&paid, "pix_withdrawals")["pending"], 0);
}

#[actix_web::test]
async fn an_open_page_costs_what_one_reader_costs() {
    use server::{foundation::context::Parts, reports::overview::Kept};
    let app = TestApp::start_with_parts(Parts::default().with(Kept::default())).await;
    let staff = app.person("sis", SYSTEM_EMPLOYEE).await;
    let first = view(&staff).await;
    app.user("ana").await;
    assert_eq!(view(&staff).await, first);
    app.clock.advance(time::Duration::seconds(11));
    let later = view(&staff).await;
    assert_eq!(later["people"]["all"], 2);
}

/// Working are the robots that the desk trades with by itself.
#[actix_web::test]
async fn robots_that_rest_do_not_work() {
    let app = TestApp::start().await;
    let staff = app.person("sis", SYSTEM_EMPLOYEE).await;
    let mut robots = Vec::new();
    for name in ["works", "paused", "goal", "hand", "little", "idle"] {
        let owner = app.user(name).await;
        robots.push(robot(&app, &owner, 100).await);
    }
    let robots: Vec<uuid::Uuid> = robots.iter().map(|robot| robot.0).collect();
    let standing = async || {
        app.clock.advance(time::Duration::seconds(11));
        let robots = &view(&app.renew(&staff)).await["robots"];
        ["working", "paused", "idle", "manual"].map(|name| robots[name].as_i64().unwrap())
    };
    assert_eq!(standing().await, [6, 0, 0, 0]);
    let today = business_day::of(app.context.now());
    for (robot, set) in robots.iter().skip(1).zip([
        "paused = true".to_owned(),
        format!("goal_day = '{today}'"),
        "manual_key = true".to_owned(),
        "topup = topup + allocated - 9000000, allocated = 9000000".to_owned(),
        "topup = topup + allocated, allocated = 0".to_owned(),
    ]) {
        let sql = format!("UPDATE licences.licence SET {set} WHERE id = $1");
        sqlx::query(AssertSqlSafe(sql))
            .bind(robot)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    assert_eq!(standing().await, [1, 1, 1, 1]);
    // Yesterday's goal is no goal of today.
    sqlx::query("UPDATE licences.licence SET goal_day = goal_day - 1")
        .execute(&app.sql)
        .await
        .unwrap();
    assert_eq!(standing().await, [2, 1, 1, 1]);
}

/// A deposit that the chain confirmed counts with what was credited, not with what was paid; what it bought is sold and runs.
#[actix_web::test]
async fn what_comes_over_the_chain_and_what_it_buys() {
    let desk = Desk::open().await;
    let ana = desk.app.user("ana").await;
    let staff = desk.app.person("sis", SYSTEM_EMPLOYEE).await;
    let intent = desk.intent(&ana, "100").await;
    desk.chain.pay(Coin::Usdt, intent.address, intent.due).await;
    desk.mine(1).await;
    // Seen is not credited.
    let seen = view(&staff).await;
    assert_eq!(today(&seen)["inChain"], "0.000000");
    assert_eq!(today(&seen)["licencesSold"], 0);
    desk.mine(CONFIRMATIONS).await;
    let done = ana.deposit(&intent.id).await;
    assert_eq!(
        (&done["credited"], &done["fee"]),
        (&json!("100.000000"), &json!("5.000000"))
    );
    let after = view(&staff).await;
    let day = today(&after);
    assert_eq!(
        (
            &day["inChain"],
            &day["inPix"],
            &day["outChain"],
            &day["licencesSold"]
        ),
        (
            &json!("100.000000"),
            &json!("0.000000"),
            &json!("0.000000"),
            &json!(1)
        )
    );
    assert_eq!(
        (&after["licences"]["active"], &after["licences"]["value"]),
        (&json!(1), &json!("100.000000"))
    );
}

/// What left over the chain counts when its block is final, fee inside, and not as PIX.
#[actix_web::test]
async fn what_leaves_over_the_chain() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 250).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.approved(&ana, &admin, AWAY, "100").await;
    payout.round().await;
    // Under way is not gone.
    assert_eq!(today(&view(&admin).await)["outChain"], "0.000000");
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    let gone = view(&admin).await;
    assert_eq!(
        (&today(&gone)["outChain"], &today(&gone)["outPix"]),
        (&json!("100.000000"), &json!("0.000000"))
    );
}

#[actix_web::test]
async fn running_licences_and_what_their_robots_booked_today() {
    let app = TestApp::start().await;
    let staff = app.person("sis", SYSTEM_EMPLOYEE).await;
    assert_eq!(view(&staff).await["robots"]["today"], json!([]));
    let mut robots = Vec::new();
    for (name, results) in [("ana", [30_000, -50_000]), ("bia", [20_000, 10_000])] {
        let owner = app.user(name).await;
        let licence = robot(&app, &owner, 200).await;
        robots.push((share(&owner, licence, Usdt::whole(20)), results));
    }
    let lease = fence(&app).await;
    for (part, results) in robots {
        let mut operations = Vec::new();
        for result in results {
            let id = OperationId::fresh();
            let reserved = service::reserve(&app.context, lease, id, &[part]).await.unwrap();
            assert_eq!(reserved, [part]);
            operations.push(operation(id, &[(part, result)]));
        }
        service::settle(&app.context, lease, &batch(operations))
            .await
            .unwrap();
    }
    let booked = view(&staff).await;
    assert_eq!(
        booked["robots"]["today"],
        json!([{ "mode": "simulated", "gain": "0.060000", "loss": "0.050000", "operations": 4, "robots": 2 }])
    );
    let licences = &booked["licences"];
    assert_eq!(
        (&licences["active"], &licences["value"]),
        (&json!(2), &json!("200.000000"))
    );
    assert_eq!(
        licences["plans"],
        json!([{ "price": "100.000000", "isHighRisk": false, "active": 2, "value": "200.000000" }])
    );
    // What was lost left what trades; what was gained lies beside it.
    assert_eq!(licences["allocated"], "399.950000");
    assert_eq!(today(&booked)["licencesSold"], 2);
}

/// A job that was given up is somebody's to look at, and due no more.
#[actix_web::test]
async fn a_parked_job_is_told() {
    let app = TestApp::start().await;
    let staff = app.person("sis", SYSTEM_EMPLOYEE).await;
    let before = view(&staff).await["health"].clone();
    sqlx::query(
        "INSERT INTO foundation.job (kind, effect, payload, state, run_at, attempts, last_error, created_at)
         VALUES ('mail.send', 'mail.send:parked', '{}', 'parked', now() - interval '1 hour', 12, 'the relay said no', now())",
    )
    .execute(&app.sql)
    .await
    .unwrap();
    let after = view(&staff).await["health"].clone();
    assert_eq!(
        (&before["jobsParked"], &after["jobsParked"]),
        (&json!(0), &json!(1))
    );
    for figure in ["jobsDue", "jobsSince", "mailsDue"] {
        assert_eq!(after[figure], before[figure], "{figure}");
    }
}
