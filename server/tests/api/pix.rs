//! Deposits by PIX, from the BR Code to the balance.

use crate::kit::{CUSTOMER, Client, Reply, SYSTEM_EMPLOYEE, TestApp};
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

async fn books_are_exact(app: &TestApp) {
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

/// Who looks at the queue sees from the start what needs a second person, by the amount or by a sum of the last day.
#[actix_web::test]
async fn what_needs_two_is_said_before_anybody_approves() {
    let app = TestApp::start().await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let (first, second) = (
        with_proof(&ana, "3000", 1).await,
        with_proof(&ana, "3000", 2).await,
    );
    let (other, large) = (
        with_proof(&bea, "3000", 3).await,
        with_proof(&bea, "5001", 4).await,
    );
    let two = async |who: &Client| -> Vec<String> {
        let queue = who
            .get("/admin/list-deposits-pix-approve-reject?status=pending_approval&limit=50")
            .await
            .ok();
        let mut ids: Vec<String> = queue["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| {
                row["signals"]
                    .as_array()
                    .unwrap()
                    .contains(&json!("large_amount"))
            })
            .map(id)
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(two(&bia).await, [id(&large)]);
    let done = approve(&bia, &first, &end_to_end(app.context.now(), "1"))
        .await
        .ok();
    assert_eq!(done["status"], "approved");
    // The customer's sum for everybody, the approver's for the one who approved.
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(two(&bia).await, sorted(vec![id(&second), id(&other), id(&large)]));
    assert_eq!(two(&caio).await, sorted(vec![id(&second), id(&large)]));
    let half = approve(&caio, &second, &end_to_end(app.context.now(), "2"))
        .await
        .ok();
    assert_eq!(
        (&half["approvals"], &half["approvalsNeeded"]),
        (&json!(1), &json!(2))
    );
    app.clock.advance(time::Duration::hours(25));
    assert_eq!(
        two(&app.renew(&bia)).await,
        sorted(vec![id(&second), id(&large)]),
        "what was begun by two stays so"
    );
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
async fn two_admins_at_once_credit_once() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    for round in 0..5u8 {
        let made = with_proof(&ana, "10", round).await;
        let bank = [
            end_to_end(app.context.now(), &format!("b{round}")),
            end_to_end(app.context.now(), &format!("c{round}")),
        ];
        let (one, two) = futures_util::join!(approve(&bia, &made, &bank[0]), approve(&caio, &made, &bank[1]));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    }
    assert_eq!(available(&app, &ana).await, 50_000_000);
    books_are_exact(&app).await;
}

#[actix_web::test]
async fn a_banks_id_is_credited_once_for_ever() {
    let app = TestApp::start().await;
    let (ana, rui, admin, other) = (
        app.user("ana").await,
        app.user("rui").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let bank = end_to_end(app.context.now(), "same");
    let (first, second) = (with_proof(&ana, "10", 1).await, with_proof(&rui, "10", 2).await);
    let (one, two) = futures_util::join!(approve(&admin, &first, &bank), approve(&other, &second, &bank));
    let (won, lost) = if one.status == 200 { (one, two) } else { (two, one) };
    assert_eq!(won.status, 200);
    lost.refused(409, "pix.end_to_end_id_used");
    assert_eq!(
        available(&app, &ana).await + available(&app, &rui).await,
        10_000_000
    );
    // Also after the credit was taken back.
    let third = with_proof(&ana, "10", 3).await;
    let credited: uuid::Uuid = sqlx::query_scalar("SELECT deposit FROM pix.credit")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let mut tx = app.context.db.begin().await.unwrap();
    pix::service::reverse(
        &app.context,
        &mut tx,
        admin.user,
        credited.into(),
        "Devolvido pelo banco",
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    approve(&admin, &third, &bank)
        .await
        .refused(409, "pix.end_to_end_id_used");
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
async fn a_rejection_has_a_reason_and_is_final() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let made = with_proof(&ana, "30", 1).await;
    let reject = async |reason: Value| {
        admin
            .patch(
                "/admin/deposits-pix-approve-reject",
                &json!({ "id": id(&made), "status": "rejected", "reason": reason }),
            )
            .await
    };
    reject(Value::Null).await.refused(422, "decision.reason_missing");
    reject(json!("  \n "))
        .await
        .refused(422, "decision.reason_missing");
    assert_eq!(
        reject(json!("Comprovante ilegível")).await.ok()["status"],
        "rejected"
    );
    let own = ana.get("/list-deposits-pix?status=rejected").await.ok();
    assert_eq!(own["data"][0]["reason"], "Comprovante ilegível");
    approve(&admin, &made, &end_to_end(app.context.now(), "1"))
        .await
        .refused(409, "decision.done");
    ana.upload(
        &format!("/deposit-pix/{}/proof", id(&made)),
        "a.png",
        "image/png",
        png(2),
    )
    .await
    .refused(409, "deposit.state");
    assert_eq!(available(&app, &ana).await, 0);
}

#[actix_web::test]
async fn what_an_approver_types_is_checked() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let made = with_proof(&ana, "30", 1).await;
    let good = end_to_end(app.context.now(), "1");
    let future = end_to_end(app.context.now() + Duration::hours(1), "1");
    let ask = async |bank: &str, payer: &str, brl: Value| {
        let body = json!({ "id": id(&made), "status": "approved", "endToEndId": bank, "payerName": payer, "brl": brl });
        admin.patch("/admin/deposits-pix-approve-reject", &body).await
    };
    ask("", "Ana", Value::Null)
        .await
        .refused(422, "pix.end_to_end_id_invalid");
    ask(&good[..31], "Ana", Value::Null)
        .await
        .refused(422, "pix.end_to_end_id_invalid");
    ask(&future, "Ana", Value::Null)
        .await
        .refused(422, "pix.end_to_end_id_invalid");
    let older = end_to_end(app.context.now() - Duration::hours(13), "1");
    ask(&older, "Ana", Value::Null)
        .await
        .refused(422, "pix.end_to_end_id_older");
    ask(&good, " ", Value::Null).await.refused(422, "request.invalid");
    ask(&good, "An\u{202e}a", Value::Null)
        .await
        .refused(422, "request.invalid");
    ask(&good, "Ana", json!("-1"))
        .await
        .refused(422, "amount.not_positive");
    ask(&good, "Ana", json!("1.001"))
        .await
        .refused(422, "amount.invalid");
    ask(&good, "Ana", json!("99999999999.00"))
        .await
        .refused(422, "amount.too_large");
    // A deposit without proof cannot be decided, one that does not exist is not found.
    let bare = deposit(&ana, "30").await;
    approve(&admin, &bare, &good).await.refused(409, "deposit.state");
    let nobody = json!({ "_id": "0190a000-0000-7000-8000-00000000abcd" });
    approve(&admin, &nobody, &good)
        .await
        .refused(404, "request.not_found");
    assert_eq!(available(&app, &ana).await, 0);
}

#[actix_web::test]
async fn other_peoples_deposits_do_not_exist() {
    let app = TestApp::start().await;
    let (ana, rui, clerk) = (
        app.user("ana").await,
        app.user("rui").await,
        app.person("eva", SYSTEM_EMPLOYEE).await,
    );
    let made = with_proof(&ana, "30", 1).await;
    let (deposit_id, file) = (id(&made), made["proof"].as_str().unwrap().to_owned());
    rui.upload(
        &format!("/deposit-pix/{deposit_id}/proof"),
        "a.png",
        "image/png",
        png(2),
    )
    .await
    .refused(404, "request.not_found");
    rui.post(&format!("/deposit-pix/{deposit_id}/cancel"), &json!({}))
        .await
        .refused(404, "request.not_found");
    rui.post("/deposit-pix/no-id/cancel", &json!({}))
        .await
        .refused(404, "request.not_found");
    rui.get(&format!("/files/{file}"))
        .await
        .refused(404, "request.not_found");
    clerk
        .get(&format!("/files/{file}"))
        .await
        .refused(404, "request.not_found");
    assert_eq!(rui.get("/list-deposits-pix").await.ok()["meta"]["total"], 0);
    for person in [&rui, &clerk, &app.person("gil", CUSTOMER).await] {
        approve(person, &made, &end_to_end(app.context.now(), "1"))
            .await
            .refused(403, "auth.forbidden");
        person
            .get("/admin/list-deposits-pix-approve-reject")
            .await
            .refused(403, "auth.forbidden");
    }
    app.anonymous()
        .get("/list-deposits-pix")
        .await
        .refused(401, "auth.unauthenticated");
}

#[actix_web::test]
async fn lists_filter_and_the_queue_flags_a_proof_seen_before() {
    let app = TestApp::start().await;
    let (ana, rui, admin) = (
        app.user("ana").await,
        app.user("rui").await,
        app.admin("bia").await,
    );
    with_proof(&ana, "10", 7).await;
    let second = with_proof(&rui, "20", 7).await;
    with_proof(&rui, "30", 8).await;
    let all = admin
        .get("/admin/list-deposits-pix-approve-reject?sortby=usdt&sortdirection=asc")
        .await
        .ok();
    let seen: Vec<bool> = all["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            d["signals"]
                .as_array()
                .unwrap()
                .contains(&json!("proof_seen_before"))
        })
        .collect();
    assert_eq!(seen, [true, true, false]);
    let own = rui.get("/list-deposits-pix").await.ok();
    assert!(
        own["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|d| d.get("proofSeenBefore").is_none()),
        "the warning is for staff"
    );
    for (query, total) in [
        ("search=RUI", 2),
        ("search=%25", 0),
        (&format!("search={}", second["txid"].as_str().unwrap()), 1),
        ("status=approved", 0),
        (
            "status=pending_approval&startDate=2000-01-01&endDate=2099-12-31",
            3,
        ),
        ("endDate=2000-01-01", 0),
        ("limit=1&page=3", 3),
    ] {
        let page = admin
            .get(&format!("/admin/list-deposits-pix-approve-reject?{query}"))
            .await
            .ok();
        assert_eq!(page["meta"]["total"], total, "{query}");
        assert_eq!(page["pending"], 3);
    }
    for bad in [
        "status=lost",
        "sortby=owner",
        "limit=501",
        "page=0",
        "startDate=yesterday",
        "sortdirection=up",
    ] {
        admin
            .get(&format!("/admin/list-deposits-pix-approve-reject?{bad}"))
            .await
            .refused(422, "request.invalid");
    }
}

#[actix_web::test]
async fn money_that_the_bank_takes_back_becomes_debt() {
    let app = TestApp::start().await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    let (first, second) = (with_proof(&ana, "100", 1).await, with_proof(&ana, "40", 2).await);
    approve(&admin, &first, &end_to_end(app.context.now(), "1"))
        .await
        .ok();
    let take_back = async |deposit: &Value| {
        let mut tx = app.context.db.begin().await.unwrap();
        let done = pix::service::reverse(
            &app.context,
            &mut tx,
            admin.user,
            id(deposit).parse().unwrap(),
            "Devolvido pelo banco",
        )
        .await;
        if done.is_ok() {
            tx.commit().await.unwrap();
        }
        done
    };
    // Nothing spent: all of it goes back.
    assert!(take_back(&first).await.unwrap().reversed);
    assert_eq!(available(&app, &ana).await, 0);
    assert!(take_back(&first).await.is_err(), "only once");
    books_are_exact(&app).await;

    // Spent: what is missing is owed, and later credits repay it first.
    approve(&admin, &second, &end_to_end(app.context.now(), "2"))
        .await
        .ok();
    let mut tx = app.context.db.begin().await.unwrap();
    use server::ledger::{model::*, service as ledger};
    let spend = Transfer::new(
        TransferKind::LicencePurchase,
        "spend",
        Cause::new(CauseKind::User, ana.user.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::User(ana.user, UserAccount::Available),
        AccountRef::House(HouseAccount::LicenceSales),
        "25".parse().unwrap(),
    );
    ledger::post(&mut tx, spend).await.unwrap();
    tx.commit().await.unwrap();
    take_back(&second).await.unwrap();
    let debt = async || -> i64 {
        sqlx::query_scalar("SELECT balance::bigint FROM ledger.account WHERE owner = $1 AND name = 'debt'")
            .bind(ana.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap()
    };
    assert_eq!((available(&app, &ana).await, debt().await), (0, -25_000_000));
    books_are_exact(&app).await;
    let third = with_proof(&ana, "30", 3).await;
    approve(&admin, &third, &end_to_end(app.context.now(), "3"))
        .await
        .ok();
    assert_eq!((available(&app, &ana).await, debt().await), (5_000_000, 0));
    books_are_exact(&app).await;
}

/// The report adds up what was credited, by the day on which it began, with the filters of its list; what was taken back is not counted.
#[actix_web::test]
async fn what_was_credited_adds_up_by_day() {
    let app = TestApp::start().await;
    let (ana, bea, admin) = (
        app.user("ana").await,
        app.user("bea").await,
        app.admin("bia").await,
    );
    let credit = async |admin: &Client, user: &Client, usdt: &str, shade: u8| {
        let made = with_proof(user, usdt, shade).await;
        approve(admin, &made, &end_to_end(app.context.now(), &shade.to_string()))
            .await
            .ok();
        made
    };
    credit(&admin, &ana, "100", 1).await;
    credit(&admin, &bea, "40", 2).await;
    let back = credit(&admin, &bea, "30", 3).await;
    // Nobody has decided on this one.
    with_proof(&ana, "70", 4).await;
    let mut tx = app.context.db.begin().await.unwrap();
    let reason = "Devolvido pelo banco";
    pix::service::reverse(
        &app.context,
        &mut tx,
        admin.user,
        id(&back).parse().unwrap(),
        reason,
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    app.clock.advance(Duration::days(1));
    let caio = app.admin("caio").await;
    credit(&caio, &app.renew(&ana), "10.50", 5).await;
    let report = async |query: &str| caio.get(&format!("/admin/pix-deposits-report{query}")).await.ok();
    let all = report("").await;
    let days = all["days"].as_array().unwrap();
    assert_eq!(
        (&all["count"], &all["total"], days.len()),
        (&json!(3), &json!("150.500000"), 2)
    );
    assert_eq!(
        [&days[0]["count"], &days[0]["total"], &days[1]["total"]],
        [&json!(2), &json!("140.000000"), &json!("10.500000")]
    );
    let first = days[0]["day"].as_str().unwrap();
    let one_day = report(&format!("?startDate={first}&endDate={first}")).await;
    assert_eq!(
        (&one_day["total"], &one_day["days"]),
        (&json!("140.000000"), &json!([days[0]]))
    );
    for (query, total) in [
        ("?search=bea", "40.000000"),
        ("?function=customer&status=approved", "150.500000"),
        ("?function=salesperson", "0.000000"),
        ("?status=rejected", "0.000000"),
    ] {
        assert_eq!(report(query).await["total"], total, "{query}");
    }
    caio.get("/admin/pix-deposits-report?status=gold")
        .await
        .refused(422, "request.invalid");
    app.renew(&ana)
        .get("/admin/pix-deposits-report")
        .await
        .refused(403, "auth.forbidden");
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

#[actix_web::test]
async fn one_payer_in_two_accounts_is_a_case() {
    let app = TestApp::start().await;
    let (ana, rui, admin) = (
        app.user("ana").await,
        app.user("rui").await,
        app.admin("bia").await,
    );
    let mut last = Value::Null;
    for (n, user) in [&ana, &rui].into_iter().enumerate() {
        let made = with_proof(user, "10", u8::try_from(n).unwrap()).await;
        approve_from(
            &admin,
            &made,
            &end_to_end(app.context.now(), &n.to_string()),
            "Um Pagador",
        )
        .await
        .ok();
        last = made;
    }
    let cases: Vec<(uuid::Uuid, String, Vec<String>)> =
        sqlx::query_as("SELECT user_id, subject_kind, reasons FROM approvals.compliance_case")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(
        cases,
        [(rui.user.0, "pix_deposit".into(), vec!["payer_shared".into()])]
    );
    assert_eq!(available(&app, &rui).await, 0, "looked at first");
    let row = queue_row(&admin, &last).await;
    assert_eq!(
        (&row["status"], &row["approvals"], &row["case"]["status"]),
        (&json!("pending_approval"), &json!(0), &json!("open"))
    );
    let again = end_to_end(app.context.now(), "2");
    approve_from(&admin, &last, &again, "Um Pagador")
        .await
        .refused(403, "compliance.open");

    // The case is decided by itself; nobody's own, nobody's direct line.
    let case = json!({ "id": row["case"]["_id"], "cleared": true });
    let customer = rui.patch("/admin/compliance/cases", &case).await;
    customer.refused(403, "auth.forbidden");
    assert_eq!(admin.patch("/admin/compliance/cases", &case).await.status, 204);
    admin
        .patch("/admin/compliance/cases", &case)
        .await
        .refused(409, "decision.done");
    approve_from(&admin, &last, &again, "Um Pagador").await.ok();
    assert_eq!(available(&app, &rui).await, 10_000_000);

    // A case that was refused leaves only the rejection.
    let third = with_proof(&rui, "10", 3).await;
    approve_from(&admin, &third, &end_to_end(app.context.now(), "3"), "Um Pagador")
        .await
        .ok();
    let row = queue_row(&admin, &third).await;
    let case = json!({ "id": row["case"]["_id"], "cleared": false });
    admin
        .patch("/admin/compliance/cases", &case)
        .await
        .refused(422, "decision.reason_missing");
    let case = json!({ "id": row["case"]["_id"], "cleared": false, "note": "conta de terceiro" });
    assert_eq!(admin.patch("/admin/compliance/cases", &case).await.status, 204);
    approve_from(&admin, &third, &end_to_end(app.context.now(), "3"), "Um Pagador")
        .await
        .refused(409, "compliance.refused");
    assert_eq!(available(&app, &rui).await, 10_000_000);

    // Who may not decide on it opens no case and leaves no word of the bank's behind.
    let near = app.admin("near").await;
    crate::deciders::sponsor(&app, &rui, &near).await;
    let fourth = with_proof(&rui, "10", 4).await;
    approve_from(&near, &fourth, &end_to_end(app.context.now(), "4"), "Um Pagador")
        .await
        .refused(403, "decision.own_money");
    let left: (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM pix.claim WHERE deposit = $1), (SELECT count(*) FROM approvals.compliance_case WHERE subject = $1)",
    )
    .bind(fourth["_id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap())
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(left, (0, 0));
}

/// The deposit as those who decide see it.
async fn queue_row(admin: &Client, deposit: &Value) -> Value {
    let page = admin.get("/admin/list-deposits-pix-approve-reject").await.ok();
    let rows = page["data"].as_array().unwrap();
    rows.iter()
        .find(|row| row["_id"] == deposit["_id"])
        .unwrap()
        .clone()
}
