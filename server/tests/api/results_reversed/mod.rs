//! A wrong result of a robot is taken back by two: money, lots, totals and days as if it had never been, or nothing at all.

mod follows;
mod guarded;

use crate::{
    copying::noon,
    kit::{Client, Reply, TestApp},
    licences::{exact, fund, house},
    robots::{batch, fence, operation, robot, share},
    words::take_back,
};
use actors::desk::cohort::Share;
use protocol::{
    ids::{LicenceId, OperationId},
    money::Usdt,
    views::Mode,
};
use serde_json::{Value, json};
use server::{
    affiliates::closing::sums,
    ledger::{
        model::{HouseAccount, UserAccount::Available},
        verify,
    },
    robots::service,
};
use sqlx::AssertSqlSafe;
use time::Duration;

/// Settles operations of these robots in one batch, each with a result for every share that could be reserved. Every other one is as if ordered
/// by hand, and has a route of its own.
pub async fn settled(app: &TestApp, shares: &[Share], results: &[Vec<i64>]) -> Vec<OperationId> {
    let fence = fence(app).await;
    let mut operations = Vec::new();
    for of in results {
        let id = OperationId::fresh();
        let accepted = service::reserve(&app.context, fence, id, shares).await.unwrap();
        let with: Vec<_> = shares
            .iter()
            .copied()
            .zip(of.iter().copied())
            .filter(|(share, _)| accepted.contains(share))
            .collect();
        if !with.is_empty() {
            let mut operation = operation(id, &with);
            if operations.len() % 2 == 1 {
                operation.manual = true;
                operation.route = "USDT → ETH (Aurora) → USDT (Boreal)".into();
            }
            operations.push(operation);
        }
    }
    let ids = operations.iter().map(|o| o.id).collect();
    service::settle(&app.context, fence, &batch(operations))
        .await
        .unwrap();
    // The next desk finds the lease free.
    app.clock.advance(Duration::seconds(2));
    ids
}

/// One operation of one robot.
pub async fn made(app: &TestApp, user: &Client, licence: LicenceId, result: i64) -> OperationId {
    let share = share(user, licence, Usdt::whole(10));
    settled(app, &[share], &[vec![result]]).await[0]
}

pub async fn reverse(
    app: &TestApp,
    by: &Client,
    licence: LicenceId,
    operation: OperationId,
    reason: &str,
) -> Reply {
    let path = format!("/admin/robots/{licence}/operations/{operation}/reverse");
    app.renew(by).post(&path, &json!({ "reason": reason })).await
}

async fn by_two(
    app: &TestApp,
    (one, two): (&Client, &Client),
    licence: LicenceId,
    operation: OperationId,
) -> Reply {
    reverse(app, one, licence, operation, "Preço errado da corretora")
        .await
        .ok();
    reverse(app, two, licence, operation, "").await
}

async fn rows(app: &TestApp, by: &Client, licence: LicenceId) -> Vec<Value> {
    let path = format!("/admin/robots/{licence}/operations");
    let list = app.renew(by).get(&path).await.ok();
    list["data"].as_array().unwrap().clone()
}

/// What a result changes of a licence, as its owner sees it.
async fn totals(app: &TestApp, user: &Client, licence: LicenceId) -> Value {
    let list = app.renew(user).get("/get-user-licenses").await.ok();
    let all = list["data"].as_array().unwrap();
    let seen = all.iter().find(|l| l["_id"] == licence.to_string()).unwrap();
    let names = [
        "state",
        "robotStatus",
        "topup",
        "allocated",
        "reserved",
        "yield",
        "loan",
        "limitLeft",
        "today",
        "totalGain",
        "totalLoss",
    ];
    names
        .iter()
        .map(|name| ((*name).to_owned(), seen[*name].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

async fn lots(app: &TestApp, licence: LicenceId) -> Vec<(String, i64)> {
    sqlx::query_as("SELECT origin, amount FROM licences.lot WHERE licence = $1 ORDER BY created_at, id")
        .bind(licence.0)
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

/// Copies, lots and days are what stands of the shares, and the books are exact.
async fn whole(app: &TestApp) {
    exact(app).await;
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
    // Left or summed: what is taken back of what stands in a sum leaves it.
    crate::network::sums::equal(app).await;
    sums::gains(&app.context).await.unwrap();
    crate::network::sums::equal(app).await;
    let standing = "(SELECT s.*, o.route, o.mode, o.manual FROM robots.share s JOIN robots.operation o ON o.id = s.operation
        WHERE NOT EXISTS (SELECT FROM robots.share_reversal x WHERE x.operation = s.operation AND x.licence = s.licence))";
    for (what, sql) in [
        (
            "totals of licences",
            format!(
                "SELECT count(*) FROM licences.licence l WHERE (l.gains, l.losses) <> (
                     SELECT coalesce(sum(greatest(result, 0)), 0), coalesce(sum(greatest(-result, 0)), 0) FROM {standing} s WHERE s.licence = l.id)"
            ),
        ),
        (
            "days of robots",
            format!(
                "SELECT count(*) FROM (SELECT licence, sum(gain) AS gain, sum(loss) AS loss, sum(fees) AS fees, sum(operations) AS n, sum(hits) AS hits
                     FROM robots.day_result GROUP BY 1) d
                 FULL JOIN (SELECT licence, sum(greatest(result, 0)) AS gain, sum(greatest(-result, 0)) AS loss, sum(fees) AS fees, count(*) AS n,
                     count(*) FILTER (WHERE result + cut > 0) AS hits FROM {standing} s GROUP BY 1) s USING (licence)
                 WHERE (d.gain, d.loss, d.fees, d.n, d.hits) IS DISTINCT FROM (s.gain, s.loss, s.fees, s.n, s.hits)"
            ),
        ),
        (
            "days of routes",
            format!(
                "SELECT count(*) FROM (SELECT licence, route, sum(gain) AS gain, sum(loss) AS loss, sum(fees) AS fees, sum(operations) AS n, sum(hits) AS hits
                     FROM robots.day_route GROUP BY 1, 2) d
                 FULL JOIN (SELECT licence, route, sum(greatest(result, 0)) AS gain, sum(greatest(-result, 0)) AS loss, sum(fees) AS fees, count(*) AS n,
                     count(*) FILTER (WHERE result + cut > 0) AS hits FROM {standing} s GROUP BY 1, 2) s USING (licence, route)
                 WHERE (d.gain, d.loss, d.fees, d.n, d.hits) IS DISTINCT FROM (s.gain, s.loss, s.fees, s.n, s.hits)"
            ),
        ),
        (
            "the desk's days",
            format!(
                "SELECT count(*) FROM (SELECT coalesce(sum(net), 0) AS net, coalesce(sum(operations), 0) AS n, coalesce(sum(volume), 0) AS volume
                     FROM robots.desk_day) d
                 WHERE (d.net, d.n, d.volume) <> (SELECT coalesce(sum(result + cut), 0), count(DISTINCT operation), coalesce(sum(volume), 0) FROM {standing} s)"
            ),
        ),
        (
            "what of them was ordered by hand",
            format!(
                "SELECT count(*) FROM (SELECT coalesce(sum(manual_net), 0) AS net, coalesce(sum(manual_operations), 0) AS n,
                     coalesce(sum(manual_volume), 0) AS volume FROM robots.desk_day) d
                 WHERE (d.net, d.n, d.volume) <> (SELECT coalesce(sum(result + cut), 0), count(DISTINCT operation), coalesce(sum(volume), 0)
                     FROM {standing} s WHERE s.manual)"
            ),
        ),
        (
            "the trading house",
            format!(
                "SELECT count(*) FROM (SELECT coalesce(sum(balance), 0) AS balance FROM ledger.account WHERE owner_kind = 'house' AND name LIKE 'trading:%') a
                 WHERE a.balance <> -(SELECT coalesce(sum(result), 0) FROM {standing} s)"
            ),
        ),
    ] {
        let wrong: i64 = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_one(&app.sql)
            .await
            .unwrap();
        assert_eq!(wrong, 0, "{what}");
    }
}

#[actix_web::test]
async fn a_gain_goes_back_by_two_and_its_owner_reads_why() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let licence = robot(&app, &ana, 200).await;
    app.clock.advance(Duration::minutes(2));
    let before = totals(&app, &ana, licence).await;
    let wrong = made(&app, &ana, licence, 30_000).await;
    let with = totals(&app, &ana, licence).await;
    assert_eq!(
        (&with["yield"], &with["today"]),
        (&json!("0.030000"), &json!("0.030000"))
    );

    let half = reverse(&app, &rui, licence, wrong, "Preço errado da corretora")
        .await
        .ok();
    assert_eq!(
        (&half["approvals"], &half["needed"], &half["reversed"]),
        (&json!(1), &json!(2), &json!(false))
    );
    assert_eq!(totals(&app, &ana, licence).await, with, "nothing has moved");
    let row = &rows(&app, &eva, licence).await[0];
    assert_eq!(
        (
            &row["askedBy"],
            &row["askedReason"],
            &row["together"],
            &row["gain"]
        ),
        (
            &json!("rui"),
            &json!("Preço errado da corretora"),
            &json!(1),
            &json!("0.030000")
        )
    );
    let own = app
        .renew(&ana)
        .get(&format!("/trader/orders-history/{licence}"))
        .await
        .ok();
    assert_eq!(
        own["data"][0]["reversedAt"],
        Value::Null,
        "no word to its owner yet"
    );
    reverse(&app, &rui, licence, wrong, "de novo")
        .await
        .refused(409, "decision.same_person");
    let of = half["_id"].as_str().unwrap();
    let seen = app
        .renew(&eva)
        .get(&format!("/admin/approvals/preview?kind=result_reversal&id={of}"))
        .await
        .ok();
    assert_eq!((&seen["needed"], &seen["completes"]), (&json!(2), &json!(true)));

    let done = reverse(&app, &eva, licence, wrong, "").await.ok();
    assert_eq!(
        (&done["approvals"], &done["reversed"], &done["_id"]),
        (&json!(2), &json!(true), &half["_id"])
    );
    assert_eq!(
        totals(&app, &ana, licence).await,
        before,
        "as if it had never been"
    );
    assert_eq!(
        house(&app, HouseAccount::Trading(Mode::Simulated)).await,
        Usdt::ZERO
    );
    let own = app
        .renew(&ana)
        .get(&format!("/trader/orders-history/{licence}"))
        .await
        .ok();
    assert_eq!(
        (
            own["data"][0]["reversedAt"].is_string(),
            &own["data"][0]["reversalReason"]
        ),
        (true, &json!("Preço errado da corretora"))
    );
    whole(&app).await;
    reverse(&app, &rui, licence, wrong, "outra vez")
        .await
        .refused(409, "result.reversed");
    let told: Vec<Value> =
        sqlx::query_scalar("SELECT payload FROM foundation.event WHERE kind = 'result.reversed'")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(
        (&told[0]["amount"], &told[0]["reason"]),
        (&json!("-0.030000"), &json!("Preço errado da corretora"))
    );
    let audited: Vec<String> = sqlx::query_scalar(
        "SELECT action FROM foundation.audit WHERE action LIKE 'licence.result%' ORDER BY id",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        audited,
        ["licence.result_reversal_asked", "licence.result_reversed"]
    );
    let line = app.renew(&ana).get("/activity").await.ok()["data"][0].clone();
    assert_eq!(
        (&line["kind"], &line["amount"]),
        (&json!("correction"), &json!("-0.030000"))
    );
}

#[actix_web::test]
async fn a_loss_goes_back_to_the_lots_that_bore_it() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let licence = robot(&app, &ana, 100).await;
    fund(&app, &ana, server::ledger::model::UserAccount::Sponsored, 50).await;
    app.clock.advance(Duration::minutes(1));
    let ana = app.renew(&ana);
    let lot = json!({ "licence": licence, "value": "50", "source": "sponsored" });
    ana.post("/licences/topup", &lot).await.ok();
    ana.post(
        "/trader/allocate-value-in-trading",
        &json!({ "licence": licence, "value": "50" }),
    )
    .await
    .ok();
    let (before, held) = (totals(&app, &ana, licence).await, lots(&app, licence).await);
    let all = share(&ana, licence, Usdt::whole(120));
    let wrong = settled(&app, &[all], &[vec![-110_000_000]]).await[0];
    assert_eq!(
        lots(&app, licence).await,
        [("available".to_owned(), 0), ("sponsored".to_owned(), 40_000_000)]
    );
    // What is taken out of another lot meanwhile does not change where it goes.
    let small = made(&app, &ana, licence, -1_000_000).await;
    by_two(&app, (&rui, &eva), licence, wrong).await.ok();
    assert_eq!(
        lots(&app, licence).await,
        [
            ("available".to_owned(), 100_000_000),
            ("sponsored".to_owned(), 49_000_000)
        ]
    );
    by_two(&app, (&rui, &eva), licence, small).await.ok();
    assert_eq!(lots(&app, licence).await, held);
    let after = totals(&app, &ana, licence).await;
    for name in ["allocated", "limitLeft", "today", "totalLoss", "yield"] {
        assert_eq!(after[name], before[name], "{name}");
    }
    whole(&app).await;
}

#[actix_web::test]
async fn what_one_settlement_did_to_one_robot_goes_back_whole_and_no_other_with_it() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let (one, two) = (robot(&app, &ana, 200).await, robot(&app, &bea, 200).await);
    let shares = [
        share(&ana, one, Usdt::whole(20)),
        share(&bea, two, Usdt::whole(20)),
    ];
    let (anas, beas) = (totals(&app, &ana, one).await, totals(&app, &bea, two).await);
    let made = settled(&app, &shares, &[vec![30_000, 20_000], vec![-50_000, 7_000]]).await;
    let with = totals(&app, &bea, two).await;
    let row = &rows(&app, &rui, one).await[0];
    assert_eq!(
        (&row["together"], &row["gain"], &row["loss"], &row["booked"]),
        (&json!(2), &json!("0.030000"), &json!("0.050000"), &json!(true))
    );
    by_two(&app, (&rui, &eva), one, made[1]).await.ok();
    assert_eq!(totals(&app, &ana, one).await, anas);
    assert_eq!(totals(&app, &bea, two).await, with);
    reverse(&app, &rui, one, made[0], "a outra")
        .await
        .refused(409, "result.reversed");
    whole(&app).await;
    by_two(&app, (&rui, &eva), two, made[0]).await.ok();
    assert_eq!(totals(&app, &bea, two).await, beas);
    whole(&app).await;
    let days: i64 = sqlx::query_scalar("SELECT count(*) FROM robots.day_result")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(days, 0, "a day of which nothing stands is no day");
    reverse(&app, &rui, one, OperationId::fresh(), "nada")
        .await
        .refused(404, "request.not_found");
}

#[actix_web::test]
async fn what_is_no_longer_there_is_not_fetched_from_elsewhere() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let licence = robot(&app, &ana, 200).await;
    let loss = made(&app, &ana, licence, -10_000_000).await;
    let gain = made(&app, &ana, licence, 3_000_000).await;
    let nothing = made(&app, &ana, licence, 0).await;
    reverse(&app, &rui, licence, nothing, "nada")
        .await
        .refused(409, "result.not_booked");
    reverse(&app, &rui, licence, gain, "Engano").await.ok();
    let ana = app.renew(&ana);
    let again = json!({ "licence": licence, "value": "2", "source": "yield", "sourceLicence": licence });
    ana.post("/licences/reinvest", &again).await.ok();
    let with = totals(&app, &ana, licence).await;
    let refused = reverse(&app, &eva, licence, gain, "").await;
    refused.refused(409, "result.spent");
    assert_eq!(refused.body["params"]["missing"], "2.000000");
    // A word that nobody can follow is taken back all the same.
    let row = rows(&app, &rui, licence).await;
    let of = row.iter().find(|r| r["_id"] == gain.to_string()).unwrap()["reversal"].clone();
    let reply = take_back(&app.renew(&rui), "result_reversal", of.as_str().unwrap()).await;
    assert_eq!(reply.status, 204, "{}", reply.body);
    // 500 is what the licence holds: 192 are there, 10 more have no room beside 300.
    fund(&app, &ana, Available, 305).await;
    ana.post("/licences/topup", &json!({ "licence": licence, "value": "305" }))
        .await
        .ok();
    let refused = reverse(&app, &rui, licence, loss, "Engano").await;
    refused.refused(409, "result.no_room");
    assert_eq!(refused.body["params"]["room"], "3.000000");
    let after = totals(&app, &ana, licence).await;
    for name in ["yield", "allocated", "totalGain", "totalLoss"] {
        assert_eq!(after[name], with[name], "{name}");
    }
    whole(&app).await;
}
