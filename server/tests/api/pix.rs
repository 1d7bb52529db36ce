//! Deposits by PIX, from the BR Code to the balance.

use crate::kit::{Client, Reply, TestApp};
use serde_json::{Value, json};
use server::{jobs, pix};
use time::{Duration, OffsetDateTime, macros::format_description};

/// A small real picture; `shade` makes it another one.
pub fn png(shade: u8) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(32, 24, image::Rgb([shade, 90, 40]));
    let mut out = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

/// A bank's id of a payment ordered at a moment.
pub fn end_to_end(at: OffsetDateTime, tail: &str) -> String {
    let stamp = at
        .format(format_description!("[year][month][day][hour][minute]"))
        .unwrap();
    format!("E60701190{stamp}{tail:0>11}")
}

pub async fn deposit(user: &Client, usdt: &str) -> Value {
    user.post("/deposit-pix", &json!({ "usdt": usdt })).await.ok()
}

pub async fn with_proof(user: &Client, usdt: &str, shade: u8) -> Value {
    let made = deposit(user, usdt).await;
    user.upload(
        &format!("/deposit-pix/{}/proof", id(&made)),
        "comprovante.png",
        "image/png",
        png(shade),
    )
    .await
    .ok()
}

pub fn id(deposit: &Value) -> String {
    deposit["_id"].as_str().unwrap().to_owned()
}

pub async fn approve(admin: &Client, deposit: &Value, bank_id: &str) -> Reply {
    let payer = format!("{} de Teste", deposit["username"].as_str().unwrap_or("Ana"));
    approve_from(admin, deposit, bank_id, &payer).await
}

/// With this name of who paid.
pub async fn approve_from(admin: &Client, deposit: &Value, bank_id: &str, payer: &str) -> Reply {
    let body = json!({ "id": id(deposit), "status": "approved", "endToEndId": bank_id, "payerName": payer });
    admin.patch("/admin/deposits-pix-approve-reject", &body).await
}

pub async fn available(app: &TestApp, user: &Client) -> i64 {
    sqlx::query_scalar("SELECT COALESCE(max(balance), 0)::bigint FROM ledger.account WHERE owner = $1 AND name = 'available'")
        .bind(user.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

pub async fn books_are_exact(app: &TestApp) {
    let off: i64 = sqlx::query_scalar("SELECT count(*) FROM (SELECT currency FROM ledger.account GROUP BY currency HAVING sum(balance) <> 0) x")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(off, 0, "balances of a currency do not sum to zero");
}

async fn facts(app: &TestApp, stream: &str) -> Vec<Value> {
    let rows: Vec<(Value,)> =
        sqlx::query_as("SELECT payload FROM foundation.event WHERE stream = $1 ORDER BY seq")
            .bind(stream)
            .fetch_all(&app.sql)
            .await
            .unwrap();
    rows.into_iter().map(|r| r.0).collect()
}

#[actix_web::test]
async fn a_deposit_from_the_code_to_the_balance() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let rate = ana.get("/pix/rate").await.ok();
    assert_eq!(
        (
            rate["rate"].as_str(),
            rate["source"].as_str(),
            rate["at"].is_null()
        ),
        (Some("5.0000"), Some("default"), true)
    );

    let made = deposit(&ana, "100").await;
    assert_eq!(
        (
            made["usdt"].as_str(),
            made["brl"].as_str(),
            made["status"].as_str()
        ),
        (Some("100.000000"), Some("500.00"), Some("pending"))
    );
    let code = made["brCode"].as_str().unwrap();
    assert!(
        code.contains("5406500.00") && code.contains(made["txid"].as_str().unwrap()),
        "{code}"
    );
    assert!(made["txid"].as_str().unwrap().len() <= 25);

    let sent = ana
        .upload(
            &format!("/deposit-pix/{}/proof", id(&made)),
            "a.png",
            "image/png",
            png(1),
        )
        .await
        .ok();
    assert_eq!(
        (sent["status"].as_str(), sent["proofKind"].as_str()),
        (Some("pending_approval"), Some("image/png"))
    );
    assert!(sent.get("brCode").is_none(), "what is paid is not offered again");

    let queue = admin
        .get("/admin/list-deposits-pix-approve-reject?status=pending_approval")
        .await
        .ok();
    assert_eq!(
        (queue["pending"].as_i64(), queue["data"][0]["_id"].as_str()),
        (Some(1), made["_id"].as_str())
    );
    assert!(
        queue["data"][0]["signals"]
            .as_array()
            .unwrap()
            .contains(&json!("first_deposit"))
    );
    assert!(queue["data"][0].get("brCode").is_none());

    let bank = end_to_end(app.context.now(), "abc");
    let approved = approve(&admin, &made, &bank).await.ok();
    assert_eq!(
        (approved["status"].as_str(), approved["credited"].as_str()),
        (Some("approved"), Some("100.000000"))
    );
    assert_eq!(available(&app, &ana).await, 100_000_000);
    books_are_exact(&app).await;

    let own = facts(&app, &format!("user:{}", ana.user)).await;
    let kinds: Vec<_> = own.iter().map(|f| f["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"balance.changed"), "{kinds:?}");
    let last = own.iter().rfind(|f| f["kind"] == "pix_deposit.changed").unwrap();
    assert_eq!(
        (
            last["deposit"]["status"].as_str(),
            last["deposit"]["credited"].as_str()
        ),
        (Some("approved"), Some("100.000000"))
    );
    let queue = facts(&app, "queue:pix-deposits").await;
    assert_eq!(
        queue
            .iter()
            .map(|f| f["pending"].as_i64().unwrap())
            .collect::<Vec<_>>(),
        [1, 0]
    );
    // Personal values and the code stay out of what is kept for ever.
    for fact in own.iter().chain(&queue) {
        assert!(!fact.to_string().contains("Ana de Teste"));
    }
    let owner: (uuid::Uuid, i64, String) =
        sqlx::query_as("SELECT owner, amount, status FROM foundation.subject WHERE kind = 'pix_deposit'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(owner, (ana.user.0, 100_000_000, "approved".into()));
}

#[actix_web::test]
async fn the_rate_of_what_arrived() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    sqlx::query("INSERT INTO pix.rate (rate, at) VALUES (53923, $1)")
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    let rate = ana.get("/pix/rate").await.ok();
    assert_eq!(
        (
            rate["rate"].as_str(),
            rate["source"].as_str(),
            rate["at"].is_string()
        ),
        (Some("5.3923"), Some("service"), true)
    );
    let made = deposit(&ana, "100.5").await;
    assert_eq!(
        made["brl"].as_str(),
        Some("541.93"),
        "541.92615 is rounded up to the centavo"
    );
    ana.upload(
        &format!("/deposit-pix/{}/proof", id(&made)),
        "a.png",
        "image/png",
        png(1),
    )
    .await
    .ok();
    // 300.00 arrived: floor(300 / 5.3923) at 10⁻⁶.
    let body = json!({ "id": id(&made), "status": "approved", "endToEndId": end_to_end(app.context.now(), "1"), "payerName": "Ana", "brl": "300.00" });
    let done = admin
        .patch("/admin/deposits-pix-approve-reject", &body)
        .await
        .ok();
    assert_eq!(
        (done["credited"].as_str(), done["brlReceived"].as_str()),
        (Some("55.634886"), Some("300.00"))
    );
    assert_eq!(available(&app, &ana).await, 55_634_886);

    // An hour later the service's answer has grown old, and a demo world goes back to the default.
    app.clock.advance(Duration::minutes(61));
    let ana = app.renew(&ana);
    assert_eq!(ana.get("/pix/rate").await.ok()["source"], "default");
}

#[actix_web::test]
async fn a_payment_after_the_lock_gets_what_credits_less() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let set = async |rate: i64| {
        sqlx::query("INSERT INTO pix.rate (rate, at) VALUES ($1, $2) ON CONFLICT (singleton) DO UPDATE SET rate = $1, at = $2")
            .bind(rate)
            .bind(app.context.now())
            .execute(&app.sql)
            .await
            .unwrap();
    };
    set(50_000).await;
    let (first, second, third) = (
        with_proof(&ana, "100", 1).await,
        with_proof(&ana, "100", 2).await,
        with_proof(&ana, "100", 3).await,
    );
    let in_time = end_to_end(app.context.now() + Duration::minutes(29), "1");
    app.clock.advance(Duration::minutes(31));
    let admin = app.renew(&admin);
    let late = |n: &str| end_to_end(app.context.now(), n);
    set(40_000).await; // would credit more
    assert_eq!(
        approve(&admin, &first, &late("2")).await.ok()["credited"],
        "100.000000"
    );
    set(62_500).await; // credits less
    assert_eq!(
        approve(&admin, &second, &late("3")).await.ok()["credited"],
        "80.000000"
    );
    assert_eq!(
        approve(&admin, &third, &in_time).await.ok()["credited"],
        "100.000000"
    );
}

#[actix_web::test]
async fn the_same_key_gives_the_first_answer() {
    let app = TestApp::start().await;
    let (ana, admin) = (
        app.user("ana").await.key("0123456789abcdef"),
        app.admin("bia").await,
    );
    let first = ana.post("/deposit-pix", &json!({ "usdt": "20" })).await;
    let again = ana.post("/deposit-pix", &json!({ "usdt": "20" })).await;
    assert_eq!((first.status, again.status, &first.body), (201, 201, &again.body));
    ana.post("/deposit-pix", &json!({ "usdt": "21" }))
        .await
        .refused(409, "idempotency.mismatch");
    ana.key("short")
        .post("/deposit-pix", &json!({ "usdt": "20" }))
        .await
        .refused(422, "idempotency.missing");
    assert_eq!(ana.get("/list-deposits-pix").await.ok()["meta"]["total"], 1);
    let bare = ana
        .http
        .post(format!("{}/deposit-pix", ana.base))
        .bearer_auth(ana.token.clone().unwrap())
        .json(&json!({ "usdt": "20" }));
    ana.send(bare).await.refused(422, "idempotency.missing");

    ana.upload(
        &format!("/deposit-pix/{}/proof", id(&first.body)),
        "a.png",
        "image/png",
        png(1),
    )
    .await
    .ok();
    let (bank, keyed) = (end_to_end(app.context.now(), "1"), admin.key("fedcba9876543210"));
    let done = approve(&keyed, &first.body, &bank).await;
    let replay = approve(&keyed, &first.body, &bank).await;
    assert_eq!((done.status, &done.body), (200, &replay.body));
    assert_eq!(available(&app, &ana).await, 20_000_000);
    // Without the key it is a new order, and it is too late.
    approve(&admin, &first.body, &bank)
        .await
        .refused(409, "decision.done");
}

#[actix_web::test]
async fn amounts_that_are_none_change_nothing() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    for (body, status, code) in [
        (json!({ "usdt": "-5" }), 422, "amount.not_positive"),
        (json!({ "usdt": "0" }), 422, "amount.not_positive"),
        (json!({ "brl": "0.00" }), 422, "amount.not_positive"),
        (json!({ "usdt": "9.999999" }), 422, "deposit.too_small"),
        (json!({ "brl": "0.01" }), 422, "deposit.too_small"),
        (json!({ "usdt": "50000.000001" }), 422, "deposit.too_large"),
        (
            json!({ "usdt": "9223372036854.775807" }),
            422,
            "deposit.too_large",
        ),
        (json!({ "brl": "92233720368547758.07" }), 422, "deposit.too_large"),
        (json!({ "usdt": "1000000000000000000000" }), 422, "amount.invalid"),
        (json!({ "usdt": "10.0000001" }), 422, "amount.invalid"),
        (json!({ "brl": "100.001" }), 422, "amount.invalid"),
        (json!({ "usdt": "1e3" }), 422, "amount.invalid"),
        (json!({ "usdt": "10,50" }), 422, "amount.invalid"),
        (json!({ "usdt": "" }), 422, "amount.invalid"),
        (json!({}), 422, "amount.invalid"),
        (json!({ "usdt": "10", "brl": "50" }), 422, "amount.invalid"),
        (json!({ "usdt": [10] }), 422, "amount.invalid"),
        (json!({ "usdt": 10.000_000_1 }), 422, "amount.invalid"),
        (
            json!({ "usdt": "10", "status": "approved" }),
            422,
            "request.invalid",
        ),
    ] {
        let reply = ana.post("/deposit-pix", &body).await;
        assert_eq!(
            (reply.status, reply.code()),
            (status, code),
            "{body}: {}",
            reply.body
        );
    }
    let garbage = ana
        .request(reqwest::Method::POST, "/deposit-pix")
        .header("content-type", "application/json")
        .body("{");
    ana.send(garbage).await.refused(400, "request.malformed");
    let text = ana
        .request(reqwest::Method::POST, "/deposit-pix")
        .header("content-type", "text/plain")
        .body("{}");
    ana.send(text).await.refused(415, "request.unsupported_media");
    assert_eq!(ana.get("/list-deposits-pix").await.ok()["meta"]["total"], 0);
}

#[actix_web::test]
async fn at_most_three_stay_open() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let body = json!({ "brl": "100" });
    let replies = futures_util::future::join_all((0..6).map(|_| ana.post("/deposit-pix", &body))).await;
    assert_eq!(replies.iter().filter(|r| r.status == 201).count(), 3);
    assert!(
        replies
            .iter()
            .filter(|r| r.status != 201)
            .all(|r| r.code() == "deposit.too_many")
    );
    let one = replies.iter().find(|r| r.status == 201).unwrap();
    let path = format!("/deposit-pix/{}/cancel", id(&one.body));
    assert_eq!(ana.post(&path, &json!({})).await.ok()["status"], "canceled");
    assert_eq!(
        ana.post(&path, &json!({})).await.ok()["status"],
        "canceled",
        "twice changes nothing"
    );
    deposit(&ana, "20").await;
    // A proof frees a place; what has a proof is no longer the customer's to cancel.
    let list = ana
        .get("/list-deposits-pix?status=pending&function=customer")
        .await
        .ok();
    let open = id(&list["data"][0]);
    let none = ana.get("/list-deposits-pix?function=salesperson").await.ok();
    assert_eq!(none["meta"]["total"], 0);
    ana.upload(
        &format!("/deposit-pix/{open}/proof"),
        "a.png",
        "image/png",
        png(1),
    )
    .await
    .ok();
    ana.post(&format!("/deposit-pix/{open}/cancel"), &json!({}))
        .await
        .refused(409, "deposit.state");
    deposit(&ana, "20").await;
}

#[actix_web::test]
async fn a_day_without_proof_ends_a_deposit_until_a_proof_comes() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let made = deposit(&ana, "30").await;
    app.clock.advance(Duration::hours(23) + Duration::minutes(59));
    assert_eq!(pix::service::time_out(&app.context, 10).await.unwrap(), 0);
    app.clock.advance(Duration::minutes(2));
    // By the schedule, as the running server does it.
    let mut tx = app.context.db.begin().await.unwrap();
    tx.enqueue(
        server::foundation::job_queue::NewJob::new("pix.time_out", "pix.time_out:test", &json!({})).unwrap(),
    );
    tx.commit().await.unwrap();
    jobs::round(&app.context).await.unwrap();
    let (ana, admin) = (app.renew(&ana), app.renew(&admin));
    let list = ana.get("/list-deposits-pix").await.ok();
    assert_eq!(list["data"][0]["status"], "cancelled_timed_out");
    assert!(list["data"][0].get("brCode").is_none());
    ana.post(&format!("/deposit-pix/{}/cancel", id(&made)), &json!({}))
        .await
        .refused(409, "deposit.state");
    let sent = ana
        .upload(
            &format!("/deposit-pix/{}/proof", id(&made)),
            "a.png",
            "image/png",
            png(1),
        )
        .await
        .ok();
    assert_eq!(sent["status"], "pending_approval");
    let paid_in_time = app.context.now() - Duration::hours(24);
    assert_eq!(
        approve(&admin, &made, &end_to_end(paid_in_time, "1")).await.ok()["credited"],
        "30.000000"
    );
}

#[actix_web::test]
async fn the_database_refuses_what_the_server_must_not_do() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let made = with_proof(&ana, "10", 1).await;
    let try_sql = async |sql: &str| {
        sqlx::query(sqlx::AssertSqlSafe(sql.to_owned()))
            .execute(app.context.db.pool())
            .await
    };
    let deposit_id = id(&made);
    let approved = try_sql(&format!(
        "UPDATE pix.deposit SET status = 'approved' WHERE id = '{deposit_id}'"
    ))
    .await
    .unwrap_err();
    assert!(
        approved.to_string().contains("without its approvals"),
        "{approved}"
    );
    assert!(
        try_sql(&format!(
            "UPDATE pix.deposit SET usdt = usdt * 2 WHERE id = '{deposit_id}'"
        ))
        .await
        .is_err()
    );
    assert!(try_sql("DELETE FROM pix.deposit").await.is_err());
    assert!(try_sql("UPDATE pix.credit SET usdt = 1").await.is_err());
}
