//! Pools: money in for a term, back at its end; revenue with proof and two approvals; shares paid once; the books exact after all.

use crate::{
    kit::{Client, Reply, TestApp, live::Live},
    licences::{balance, fund, house, id},
    pix::png,
};
use protocol::{ids::PoolEntryId, money::Usdt};
use reqwest::{Method, multipart};
use serde_json::{Value, json};
use server::{
    foundation::business_day,
    ledger::model::{HouseAccount, UserAccount},
    pools::service as pools,
};
use time::{Date, Duration};

pub const POOL_90: &str = "0190b000-0000-7000-8000-000000000001";
const POOL_180: &str = "0190b000-0000-7000-8000-000000000002";

pub fn order(pool: &str, value: &str) -> Value {
    json!({ "plan": pool, "value": value, "riskAccepted": true })
}

pub async fn join(user: &Client, value: &str) -> Value {
    user.post("/pools/join", &order(POOL_90, value)).await.ok()
}

fn today(app: &TestApp) -> Date {
    business_day::of(app.context.now())
}

/// Revenue of the days from `from` to `to` days ago.
pub async fn revenue(app: &TestApp, admin: &Client, value: &str, from: i64, to: i64, proof: u8) -> Reply {
    let form = dated(app, value, from, to).part("file", file(proof));
    send(admin, form).await
}

fn dated(app: &TestApp, value: &str, from: i64, to: i64) -> multipart::Form {
    let day = |ago: i64| (today(app) - Duration::days(ago)).to_string();
    multipart::Form::new()
        .text("value", value.to_owned())
        .text("fromDay", day(from))
        .text("toDay", day(to))
        .text("note", "Relatório da corretora")
}

fn file(shade: u8) -> multipart::Part {
    multipart::Part::bytes(png(shade))
        .file_name("proof.png")
        .mime_str("image/png")
        .unwrap()
}

async fn send(admin: &Client, form: multipart::Form) -> Reply {
    let path = format!("/admin/pools/{POOL_90}/revenue");
    admin
        .send(admin.request(Method::POST, &path).multipart(form))
        .await
}

pub async fn decide(admin: &Client, revenue: &Value, approve: bool) -> Reply {
    admin
        .patch(
            "/admin/pools/revenue-approve-reject",
            &json!({ "id": id(revenue), "approve": approve, "reason": "Sem lastro" }),
        )
        .await
}

pub async fn jobs(app: &TestApp) {
    while server::jobs::round(&app.context).await.unwrap() > 0 {}
}

/// Active entries are what the ledger holds as principal, and the books are exact.
pub async fn exact(app: &TestApp) {
    let wrong: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (
             SELECT pool, owner, sum(value) FILTER (WHERE ended_at IS NULL) AS held FROM pools.entry GROUP BY pool, owner) e
         LEFT JOIN ledger.account a ON a.owner = e.owner AND a.name = 'pool_principal:' || e.pool
         WHERE coalesce(a.balance, 0) <> coalesce(e.held, 0)",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(wrong, 0, "entries differ from the books");
    let report = server::ledger::verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
}

async fn available(app: &TestApp, user: &Client) -> Usdt {
    balance(app, user, UserAccount::Available).await
}

pub async fn undistributed(app: &TestApp) -> Usdt {
    house(app, HouseAccount::PoolRevenue(POOL_90.parse().unwrap())).await
}

#[actix_web::test]
async fn money_goes_in_for_its_term_and_comes_back() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 1_000).await;
    let offered = user.get("/pools").await.ok();
    assert_eq!(offered.as_array().unwrap().len(), 3);
    assert_eq!(
        (&offered[0]["termDays"], &offered[0]["minimum"]),
        (&json!(90), &json!("100.000000"))
    );
    let path = "/pools/join";
    user.post(path, &json!({ "plan": POOL_90, "value": "100" }))
        .await
        .refused(422, "licence.risk_not_accepted");
    user.post(path, &order(POOL_90, "99.999999"))
        .await
        .refused(422, "pool.minimum");
    user.post(path, &order(POOL_90, "0"))
        .await
        .refused(422, "amount.not_positive");
    user.post(path, &order(POOL_90, "1001"))
        .await
        .refused(422, "balance.insufficient");
    user.post(path, &order(&uuid::Uuid::nil().to_string(), "100"))
        .await
        .refused(404, "pool.unknown");
    let keyed = user.key("0123456789abcdef");
    let asked = order(POOL_90, "400");
    let (one, two) = tokio::join!(keyed.post(path, &asked), keyed.post(path, &asked));
    let entry = one.ok();
    assert_eq!(id(&entry), id(&two.ok()));
    assert_eq!(available(&app, &user).await, Usdt::whole(600));
    let begun = today(&app);
    assert_eq!(
        (entry["firstDay"].as_str(), entry["lastDay"].as_str()),
        (
            Some((begun + Duration::DAY).to_string().as_str()),
            Some((begun + Duration::days(90)).to_string().as_str())
        )
    );
    let receipt = entry["transfers"][0].as_str().unwrap();
    let origin = user.get(&format!("/statement/{receipt}")).await.ok();
    assert_eq!(
        (&origin["kind"], &origin["fact"]["type"], &origin["fact"]["pool"]),
        (&json!("pool_entry"), &json!("pool"), &json!("Liquidez 90"))
    );
    let mine = user.get("/pools/mine").await.ok();
    assert_eq!(mine["data"][0]["state"], "active");
    assert_eq!(
        app.user("eva").await.get("/pools/mine").await.ok()["meta"]["total"],
        0
    );
    exact(&app).await;

    // Nobody leaves early: not by a job that runs too soon, and not by a hand in the database.
    let entry: PoolEntryId = id(&entry).parse().unwrap();
    let mut tx = app.context.db.begin().await.unwrap();
    pools::exit(&app.context, &mut tx, entry).await.unwrap();
    tx.commit().await.unwrap();
    let early = sqlx::query("UPDATE pools.entry SET ended_at = now() - interval '1 day'")
        .execute(&app.sql)
        .await;
    assert!(early.is_err());
    assert_eq!(available(&app, &user).await, Usdt::whole(600));
    app.clock.advance(Duration::days(92));
    // A node that dies in the middle leaves the work to the next one.
    let mut tx = app.context.db.begin().await.unwrap();
    pools::exit(&app.context, &mut tx, entry).await.unwrap();
    tx.rollback().await.unwrap();
    jobs(&app).await;
    let mut tx = app.context.db.begin().await.unwrap();
    pools::exit(&app.context, &mut tx, entry).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(available(&app, &user).await, Usdt::whole(1_000), "once");
    let user = app.renew(&user);
    assert_eq!(user.get("/pools/mine").await.ok()["data"][0]["state"], "ended");
    exact(&app).await;
}

#[actix_web::test]
async fn at_once_no_more_goes_in_than_there_is() {
    let app = TestApp::start().await;
    let user = app.user("ana").await;
    fund(&app, &user, UserAccount::Available, 250).await;
    let calls = (0..4).map(|_| {
        let user = user.clone();
        async move { user.post("/pools/join", &order(POOL_90, "100")).await.status }
    });
    let statuses = futures_util::future::join_all(calls).await;
    assert_eq!(statuses.iter().filter(|s| **s == 200).count(), 2);
    assert_eq!(available(&app, &user).await, Usdt::whole(50));
    exact(&app).await;
}

#[actix_web::test]
async fn revenue_needs_its_proof_and_two_persons() {
    let app = TestApp::start().await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let ana = app.user("ana").await;
    send(&ana, dated(&app, "10", 3, 1))
        .await
        .refused(403, "auth.forbidden");
    send(&bia, dated(&app, "10", 3, 1))
        .await
        .refused(422, "pool.proof_missing");
    send(&bia, dated(&app, "10", 3, 0).part("file", file(1)))
        .await
        .refused(422, "pool.period");
    send(&bia, dated(&app, "10", 1, 3).part("file", file(1)))
        .await
        .refused(422, "pool.period");
    send(&bia, dated(&app, "0", 3, 1).part("file", file(1)))
        .await
        .refused(422, "amount.not_positive");
    send(&bia, dated(&app, "10", 3, 1).text("txHash", "0x12"))
        .await
        .refused(422, "request.invalid");
    let mut live = Live::open(&app, &caio).await;
    live.subscribe("queue:pool-revenue").await;
    let pending = async |live: &mut Live| live.fact("pool_revenue.changed").await["event"]["pending"].clone();
    let waiting = revenue(&app, &bia, "10", 3, 1, 1).await.ok();
    assert_eq!(pending(&mut live).await, 1);
    assert_eq!(
        (
            &waiting["status"],
            &waiting["approvals"],
            &waiting["approvalsNeeded"]
        ),
        (&json!("pending"), &json!(1), &json!(2)),
        "however small"
    );
    assert_eq!(undistributed(&app).await, Usdt::ZERO);
    decide(&bia, &waiting, true)
        .await
        .refused(409, "decision.same_person");
    decide(&ana, &waiting, true).await.refused(403, "auth.forbidden");
    let by_hand = sqlx::query("UPDATE pools.revenue SET status = 'booked', approvals = 2, business_day = now()::date, ended_at = now()")
        .execute(&app.sql)
        .await;
    assert!(by_hand.is_err(), "the database asks for both approvals");
    let proof = waiting["proof"].as_str().unwrap();
    assert_eq!(caio.get(&format!("/files/{proof}")).await.status, 200);
    assert_eq!(ana.get(&format!("/files/{proof}")).await.status, 404);
    let third = app.admin("davi").await;
    let (one, two) = tokio::join!(decide(&caio, &waiting, true), decide(&third, &waiting, true));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    assert_eq!(pending(&mut live).await, 0);
    assert_eq!(undistributed(&app).await, Usdt::whole(10));
    assert_eq!(house(&app, HouseAccount::CustodyExchange).await, Usdt::whole(-10));

    let again = revenue(&app, &bia, "10", 3, 1, 1).await.ok();
    assert_eq!(again["proofSeen"], true);
    decide(&caio, &again, false).await.ok();
    decide(&bia, &again, true).await.refused(409, "decision.done");

    // A transaction of the chain proves revenue once.
    let hash = format!("0x{}", "ab".repeat(32));
    let on_chain = || dated(&app, "5", 3, 1).text("txHash", hash.clone());
    let chain = send(&bia, on_chain()).await.ok();
    assert_eq!(
        (&chain["source"], &chain["txHash"]),
        (&json!("chain"), &json!(hash))
    );
    send(&caio, on_chain()).await.refused(409, "pool.revenue_seen");
    decide(&caio, &chain, true).await.ok();
    assert_eq!(undistributed(&app).await, Usdt::whole(15));
    let list = bia.get("/admin/pools/revenue?status=booked").await.ok();
    assert_eq!(list["meta"]["total"], 2);
    ana.get("/admin/pools/revenue")
        .await
        .refused(403, "auth.forbidden");
    exact(&app).await;
}

/// Two people with different principals and days, and revenue over six days.
async fn shared_pool(app: &TestApp) -> (Client, Client) {
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    fund(app, &ana, UserAccount::Available, 100).await;
    fund(app, &bia, UserAccount::Available, 200).await;
    join(&ana, "100").await;
    app.clock.advance(Duration::days(3));
    join(&app.renew(&bia), "200").await;
    app.clock.advance(Duration::days(4));
    let (admin, other) = (app.admin("caio").await, app.admin("davi").await);
    // Days 1–6 of ana's: she has six of them, bia the last three.
    let booked = revenue(app, &admin, "10.000001", 6, 1, 1).await.ok();
    decide(&other, &booked, true).await.ok();
    (ana, bia)
}

#[actix_web::test]
async fn shares_are_by_principal_and_full_days_and_paid_once() {
    let app = TestApp::start().await;
    let (ana, bia) = shared_pool(&app).await;
    pools::close(&app.context).await.unwrap();
    assert_eq!(available(&app, &ana).await, Usdt::ZERO, "at the day's closing");
    app.clock.advance(Duration::DAY);
    // Two nodes at once, and again.
    let (one, two) = tokio::join!(pools::close(&app.context), pools::close(&app.context));
    one.unwrap();
    two.unwrap();
    jobs(&app).await;
    pools::close(&app.context).await.unwrap();
    // Weights 100 × 6 and 200 × 3: half each, one micro-unit is left.
    assert_eq!(available(&app, &ana).await, Usdt(5_000_000));
    assert_eq!(available(&app, &bia).await, Usdt(5_000_000));
    assert_eq!(undistributed(&app).await, Usdt(1));
    let ana = app.renew(&ana);
    let mine = ana.get("/pools/mine").await.ok();
    assert_eq!(mine["data"][0]["received"], "5.000000");
    let pools = ana.get("/pools").await.ok();
    assert_eq!(
        (
            &pools[0]["booked"],
            &pools[0]["ownReceived"],
            &pools[0]["ownPrincipal"],
            &pools[0]["principal"]
        ),
        (
            &json!("10.000001"),
            &json!("5.000000"),
            &json!("100.000000"),
            &json!("300.000000")
        )
    );
    let admin = app.admin("edu").await;
    let list = admin.get("/admin/pools/revenue").await.ok();
    assert_eq!(
        (&list["data"][0]["shared"], &list["data"][0]["sharedOut"]),
        (&json!("10.000000"), &json!(true))
    );
    exact(&app).await;
}

/// Who has closed their account has given up what comes late: it would lie there for ever.
#[actix_web::test]
async fn who_has_left_has_no_share_of_what_comes_late() {
    let app = TestApp::start().await;
    let (ana, bia) = shared_pool(&app).await;
    sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
        .bind(bia.user.0)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    app.clock.advance(Duration::DAY);
    pools::close(&app.context).await.unwrap();
    jobs(&app).await;
    assert_eq!(available(&app, &bia).await, Usdt::ZERO);
    assert_eq!(available(&app, &ana).await, Usdt(10_000_001));
    exact(&app).await;
}

/// Accounts that were closed while a share of theirs was written down and waited, as once was possible: the others are paid, the share is the
/// house's, and nothing stands still.
#[actix_web::test]
async fn a_share_that_waited_for_who_has_left_is_the_houses() {
    let app = TestApp::start().await;
    let (ana, bia) = shared_pool(&app).await;
    app.clock.advance(Duration::DAY);
    let revenue: uuid::Uuid = sqlx::query_scalar("SELECT id FROM pools.revenue WHERE status = 'booked'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    pools::plan(&app.context, revenue.into()).await.unwrap();
    sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
        .bind(bia.user.0)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    let (one, two) = tokio::join!(pools::close(&app.context), pools::close(&app.context));
    one.unwrap();
    two.unwrap();
    jobs(&app).await;
    pools::close(&app.context).await.unwrap();
    assert_eq!(available(&app, &bia).await, Usdt::ZERO);
    assert_eq!(available(&app, &ana).await, Usdt(5_000_000));
    assert_eq!(house(&app, HouseAccount::LeftBehind).await, Usdt(5_000_000));
    assert_eq!(undistributed(&app).await, Usdt(1));
    let done: (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM pools.revenue WHERE shared_at IS NOT NULL),
                (SELECT count(*) FROM foundation.audit WHERE action = 'closing.left_behind' AND subject = $1
                    AND details ->> 'usdt' = '5.000000')",
    )
    .bind(bia.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(done, (1, 1));
    exact(&app).await;
}

#[actix_web::test]
async fn a_closing_that_died_goes_on_where_it_was() {
    let app = TestApp::start().await;
    let (ana, bia) = shared_pool(&app).await;
    app.clock.advance(Duration::DAY);
    let revenue: uuid::Uuid = sqlx::query_scalar("SELECT id FROM pools.revenue WHERE status = 'booked'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    // It wrote the shares down and died.
    pools::plan(&app.context, revenue.into()).await.unwrap();
    // Whoever comes later has no part in days that were before.
    let late = app.user("late").await;
    fund(&app, &late, UserAccount::Available, 500).await;
    join(&late, "500").await;
    let twice = sqlx::query("INSERT INTO pools.share (revenue, entry, days, value) SELECT revenue, (SELECT id FROM pools.entry WHERE value = 500000000), 1, 9000000 FROM pools.share LIMIT 1")
        .execute(&app.sql)
        .await;
    assert!(twice.is_err(), "no more is shared than came in");
    // It paid and died before it could say so.
    assert!(pools::pay_some(&app.context, revenue.into()).await.unwrap());
    jobs(&app).await;
    pools::close(&app.context).await.unwrap();
    for (user, got) in [(&ana, 5_000_000), (&bia, 5_000_000), (&late, 0)] {
        assert_eq!(available(&app, user).await, Usdt(got));
    }
    let open: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pools.revenue WHERE status = 'booked' AND shared_at IS NULL",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(open, 0);
    exact(&app).await;
}

#[actix_web::test]
async fn a_share_is_a_line_of_its_own_and_its_origin_the_entry() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    fund(&app, &ana, UserAccount::Available, 300).await;
    fund(&app, &bia, UserAccount::Available, 100).await;
    for (user, value) in [(&ana, "200"), (&ana, "100"), (&bia, "100")] {
        join(user, value).await;
    }
    app.clock.advance(Duration::days(3));
    let (admin, other) = (app.admin("caio").await, app.admin("davi").await);
    let booked = revenue(&app, &admin, "8", 2, 1, 1).await.ok();
    decide(&other, &booked, true).await.ok();
    app.clock.advance(Duration::DAY);
    pools::close(&app.context).await.unwrap();
    let (ana, bia) = (app.renew(&ana), app.renew(&bia));
    let shares = async |user: &Client| {
        let lines = user.get("/statement?kind=pool_revenue&limit=10").await.ok();
        let mut shares = Vec::new();
        for line in lines["data"].as_array().unwrap() {
            let transfer = line["transfer"].as_str().unwrap();
            let origin = user.get(&format!("/statement/{transfer}")).await.ok();
            assert_eq!(
                origin["postings"].as_array().unwrap().len(),
                1,
                "one's own: {origin}"
            );
            let fact = &origin["fact"];
            assert_eq!(
                (&fact["type"], &fact["pool"]),
                (&json!("pool"), &json!("Liquidez 90"))
            );
            shares.push((line["credit"].clone(), fact["value"].clone()));
        }
        shares.sort_by_key(|(credit, _)| credit.to_string());
        shares
    };
    assert_eq!(
        shares(&ana).await,
        [
            (json!("2.000000"), json!("100.000000")),
            (json!("4.000000"), json!("200.000000"))
        ]
    );
    assert_eq!(shares(&bia).await, [(json!("2.000000"), json!("100.000000"))]);
    let transfers =
        "SELECT count(*), sum(lines)::bigint FROM ledger.transfer WHERE kind = 'pool_revenue' AND mass";
    let transfers: (i64, i64) = sqlx::query_as(transfers).fetch_one(&app.sql).await.unwrap();
    assert_eq!(
        transfers,
        (2, 5),
        "a share of each person in one, then the second of hers"
    );
    exact(&app).await;
}

#[actix_web::test]
async fn staff_open_and_change_pools_and_terms_stay_as_joined() {
    let app = TestApp::start().await;
    let (admin, ana) = (app.admin("bia").await, app.user("ana").await);
    fund(&app, &ana, UserAccount::Available, 1_000).await;
    let entry = join(&ana, "100").await;
    ana.post(
        "/admin/pools",
        &json!({ "name": "Meu", "termDays": 1, "minimum": "1" }),
    )
    .await
    .refused(403, "auth.forbidden");
    let made = admin
        .post(
            "/admin/pools",
            &json!({ "name": " Liquidez 30 ", "termDays": 30, "minimum": "50" }),
        )
        .await
        .ok();
    assert_eq!(
        (&made["name"], &made["open"]),
        (&json!("Liquidez 30"), &json!(true))
    );
    for (body, code) in [
        (
            json!({ "name": "Liquidez 30", "termDays": 30, "minimum": "50" }),
            "pool.name_taken",
        ),
        (
            json!({ "name": "LÍQUIDEZ ３０", "termDays": 30, "minimum": "50" }),
            "pool.name_taken",
        ),
        (
            json!({ "name": "Outro", "termDays": 0, "minimum": "50" }),
            "request.invalid",
        ),
        (
            json!({ "name": " ", "termDays": 30, "minimum": "50" }),
            "request.invalid",
        ),
        (
            json!({ "name": "Outro", "termDays": 30, "minimum": "0" }),
            "amount.not_positive",
        ),
    ] {
        assert_eq!(admin.post("/admin/pools", &body).await.code(), code);
    }
    let path = format!("/admin/pools/{POOL_90}");
    let changed = admin
        .patch(&path, &json!({ "termDays": 10, "open": false, "version": 1 }))
        .await
        .ok();
    assert_eq!(
        (&changed["termDays"], &changed["open"]),
        (&json!(10), &json!(false))
    );
    admin
        .patch(&path, &json!({ "open": true, "version": 1 }))
        .await
        .refused(409, "request.conflict");
    ana.post("/pools/join", &order(POOL_90, "100"))
        .await
        .refused(409, "pool.closed");
    let mine = ana.get("/pools/mine").await.ok();
    assert_eq!(mine["data"][0]["lastDay"], entry["lastDay"]);
    assert_eq!(
        ana.get("/pools").await.ok().as_array().unwrap().len(),
        4,
        "hers too"
    );
    let quote = ana
        .get(&format!(
            "/trader/get-deposit-intent/liquidity_for_pools/300/{POOL_180}"
        ))
        .await
        .ok();
    assert_eq!(
        (&quote["kind"], &quote["planId"], &quote["total"]),
        (
            &json!("liquidity_for_pools"),
            &json!(POOL_180),
            &json!("313.000000")
        )
    );
    ana.get(&format!(
        "/trader/get-deposit-intent/liquidity_for_pools/249/{POOL_180}"
    ))
    .await
    .refused(422, "pool.minimum");
    exact(&app).await;
}
