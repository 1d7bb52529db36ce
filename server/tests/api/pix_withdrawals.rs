//! Money out by PIX, from the quote to the bank's payment.

use crate::{
    approval_preview::{preview, told},
    identity::people::{code, lift_caps, store_settings},
    kit::{Client, Reply, TestApp},
    pix::{self, available, end_to_end, png, with_proof},
};
use protocol::money::{Brl, Usdt};
use serde_json::{Value, json};
use server::{
    foundation::settings::Settings,
    jobs,
    ledger::{model::*, service as ledger, verify},
    payouts::service as withdrawals,
    pix::withdrawals::Pix,
};
use sqlx::AssertSqlSafe;
use time::Duration;

pub const CPF: &str = "529.982.247-25";
const OTHER_CPF: &str = "111.444.777-35";

/// Puts old money on an account: what came in by PIX long ago.
async fn fund(app: &TestApp, user: &Client, usdt: &str) {
    let amount: Usdt = usdt.parse().unwrap();
    fund_from(app, user, usdt, &Brl(amount.0 / 10_000 * 6).to_string()).await;
}

/// With so much BRL in the house's float for it.
async fn fund_from(app: &TestApp, user: &Client, usdt: &str, brl: &str) {
    let (amount, brl): (Usdt, Brl) = (usdt.parse().unwrap(), brl.parse().unwrap());
    let mut tx = app.context.db.begin().await.unwrap();
    let exchange = AccountRef::House(HouseAccount::Fx(Fx::Brl));
    let order = Transfer::new(
        TransferKind::DepositPix,
        uuid::Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, user.user.0),
        Orderer::System,
    )
    .brl(AccountRef::House(HouseAccount::CustodyPix), -brl)
    .brl(exchange, brl)
    .usdt(exchange, -amount)
    .usdt(AccountRef::User(user.user, UserAccount::Available), amount);
    ledger::post(&mut tx, order).await.unwrap();
    tx.commit().await.unwrap();
}

async fn document(app: &TestApp, user: &Client, name: &str, number: &str) {
    user.post("/security-code", &json!({ "purpose": "change-account-data" }))
        .await
        .ok();
    let code = code(app, &format!("{name}@example.com"), "security_code").await;
    user.post(
        "/pix/holder",
        &json!({ "document": number, "securityCode": code }),
    )
    .await
    .ok();
}

/// A customer with a document and money.
pub async fn customer(app: &TestApp, name: &str, usdt: &str) -> Client {
    let user = app.user(name).await;
    document(app, &user, name, CPF).await;
    fund(app, &user, usdt).await;
    user
}

/// Asks for the code of exactly this and returns the order with it.
pub async fn order(app: &TestApp, user: &Client, name: &str, value: &str, kind: &str, key: &str) -> Value {
    let mut order = json!({ "value": value, "keyKind": kind, "key": key });
    let quote = user.post("/withdraw-pix/quote", &order).await.ok();
    let ask =
        json!({ "purpose": "pix-withdraw", "destination": quote["destination"], "amount": quote["value"] });
    assert_eq!(user.post("/security-code", &ask).await.ok()["method"], "email");
    order["securityCode"] = code(app, &format!("{name}@example.com"), "security_code")
        .await
        .into();
    order
}

/// The quote says what the request would, before a code is asked for.
async fn both_refuse(user: &Client, value: &str, status: u16, code: &str) {
    let order = json!({ "value": value, "keyKind": "cpf", "key": CPF });
    for path in ["/withdraw-pix/quote", "/withdraw-pix"] {
        user.post(path, &order).await.refused(status, code);
    }
}

pub async fn withdraw(app: &TestApp, user: &Client, name: &str, value: &str) -> Value {
    let order = order(app, user, name, value, "cpf", CPF).await;
    user.post("/withdraw-pix", &order).await.ok()
}

pub fn id(withdrawal: &Value) -> String {
    withdrawal["_id"].as_str().unwrap().to_owned()
}

pub async fn decide(admin: &Client, withdrawal: &Value, more: Value) -> Reply {
    let mut body = json!({ "id": id(withdrawal), "status": "approved", "brl": withdrawal["brl"] });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    admin.patch("/admin/withdraw-pix-approve-reject", &body).await
}

pub async fn approve(admin: &Client, withdrawal: &Value) -> Reply {
    decide(admin, withdrawal, json!({})).await
}

async fn balance(app: &TestApp, account: &str) -> i64 {
    sqlx::query_scalar(
        "SELECT COALESCE(sum(balance), 0)::bigint FROM ledger.account WHERE name = $1 AND currency = 'USDT'",
    )
    .bind(account)
    .fetch_one(&app.sql)
    .await
    .unwrap()
}

async fn books_are_exact(app: &TestApp) {
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
}

pub async fn set_rate(app: &TestApp, rate: i64) {
    sqlx::query("INSERT INTO pix.rate (rate, at) VALUES ($1, $2) ON CONFLICT (singleton) DO UPDATE SET rate = $1, at = $2")
        .bind(rate)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
}

#[actix_web::test]
async fn from_the_request_to_the_banks_payment() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "250").await, app.admin("bia").await);
    set_rate(&app, 53_923).await;
    let terms = ana.get("/pix/rate").await.ok();
    assert_eq!(
        terms["withdrawal"],
        json!({ "minimum": "10.000000", "feePercent": "2.0000", "feeMinimum": "1.000000" })
    );
    let quote = ana
        .post(
            "/withdraw-pix/quote",
            &json!({ "value": "100", "keyKind": "cpf", "key": "52998224725" }),
        )
        .await
        .ok();
    assert_eq!(
        [
            &quote["fee"],
            &quote["net"],
            &quote["brl"],
            &quote["key"],
            &quote["holder"]
        ],
        ["2.000000", "98.000000", "528.44", CPF, "matches"],
        "528.4454 is floored to the centavo"
    );
    assert_eq!(available(&app, &ana).await, 250_000_000, "a quote moves nothing");

    let made = withdraw(&app, &ana, "ana", "100").await;
    assert_eq!(
        [
            &made["value"],
            &made["fee"],
            &made["net"],
            &made["brl"],
            &made["status"],
            &made["key"]
        ],
        [
            "100.000000",
            "2.000000",
            "98.000000",
            "528.44",
            "pending",
            "***.982.247-**"
        ]
    );
    assert_eq!(
        (available(&app, &ana).await, balance(&app, "held").await),
        (150_000_000, 100_000_000)
    );
    let queue = admin
        .get("/admin/list-withdraw-pix-approve-reject?status=pending")
        .await
        .ok();
    assert_eq!(
        (queue["pending"].as_i64(), &queue["data"][0]["_id"]),
        (Some(1), &made["_id"])
    );
    assert_eq!(queue["data"][0]["document"], "***.982.247-**");
    let signals = queue["data"][0]["signals"].as_array().unwrap();
    for expected in ["new_key", "first_withdrawal", "new_account"] {
        assert!(signals.contains(&json!(expected)), "{signals:?}");
    }
    let path = format!("/admin/withdraw-pix/{}/key", id(&made));
    assert_eq!(
        admin.post(&path, &json!({})).await.ok(),
        json!({ "key": CPF, "plain": "52998224725" })
    );

    let approved = approve(&admin, &made).await.ok();
    assert_eq!(
        (&approved["status"], approved["paidAt"].is_null()),
        (&json!("approved"), true)
    );
    assert_eq!(
        balance(&app, "held").await,
        100_000_000,
        "held until the bank has paid"
    );
    ana.post(&format!("/withdraw-pix/{}/cancel", id(&made)), &json!({}))
        .await
        .refused(409, "withdrawal.state");
    let bank = end_to_end(app.context.now(), "out");
    let paid = admin
        .post(
            &format!("/admin/withdraw-pix/{}/paid", id(&made)),
            &json!({ "endToEndId": bank }),
        )
        .await
        .ok();
    assert_eq!(
        (&paid["endToEndId"], paid["paidAt"].is_string()),
        (&json!(bank), true)
    );
    assert_eq!(
        (available(&app, &ana).await, balance(&app, "held").await),
        (150_000_000, 0)
    );
    assert_eq!(
        (
            balance(&app, "withdrawal_fees").await,
            balance(&app, "network_fund").await
        ),
        (1_000_000, 1_000_000),
        "half of the fee feeds the network fund"
    );
    books_are_exact(&app).await;

    let own = ana.get("/list-withdraws-pix?status=paid").await.ok();
    assert_eq!(
        (own["meta"]["total"].as_i64(), &own["data"][0]["endToEndId"]),
        (Some(1), &json!(bank))
    );
    let kinds: Vec<(String, i64)> = sqlx::query_as(
        "SELECT payload->>'kind', (payload->>'pending')::bigint FROM foundation.event WHERE stream = 'queue:pix-withdrawals' ORDER BY seq",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(kinds.iter().map(|k| k.1).collect::<Vec<_>>(), [1, 1, 0]);
    // The key stands in its own row only, sealed.
    for table in [
        "foundation.event",
        "foundation.audit",
        "foundation.idempotency",
        "foundation.subject",
        "approvals.decision",
        "pix.withdrawal",
        "pix.holder",
    ] {
        let found: i64 = sqlx::query_scalar(AssertSqlSafe(format!(
            "SELECT count(*) FROM {table} t WHERE t::text LIKE '%52998224725%' OR t::text LIKE '%529.982.247-25%'"
        )))
        .fetch_one(&app.sql)
        .await
        .unwrap();
        assert_eq!(found, 0, "{table}");
    }
    let mails: i64 =
        sqlx::query_scalar("SELECT count(*) FROM foundation.mail WHERE template = 'pix_withdrawal'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(mails, 2, "asked for, paid");
}

#[actix_web::test]
async fn what_cannot_be_withdrawn_says_so_in_the_products_words() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = customer(&app, "ana", "50").await;
    let ask = async |user: &Client, value: &str, kind: &str, key: &str| {
        let order = json!({ "value": value, "keyKind": kind, "key": key });
        user.post("/withdraw-pix", &order).await
    };
    for value in ["9.999999", "0", "-10", "x", "", "10.0000001"] {
        let reply = ask(&ana, value, "cpf", CPF).await;
        reply.refused(422, "withdrawal.invalid");
        assert_eq!(reply.body["message"], "Valor para retirada inválido.");
    }
    for (locale, text) in [
        ("pt-br", "O valor é maior que o seu saldo!"),
        ("en", "That amount is larger than your balance!"),
        ("es", "¡El valor es mayor que su saldo!"),
    ] {
        let ana = ana.clone().locale(locale);
        for path in ["/withdraw-pix", "/withdraw-pix/quote"] {
            let order = json!({ "value": "50.000001", "keyKind": "cpf", "key": CPF });
            let reply = ana.post(path, &order).await;
            reply.refused(422, "balance.insufficient");
            assert_eq!(reply.body["message"], text);
        }
    }
    ask(&ana, "20", "cpf", "529.982.247-26")
        .await
        .refused(422, "pix.key_invalid");
    ask(&ana, "20", "phone", "123")
        .await
        .refused(422, "pix.key_invalid");
    ask(&ana, "20", "cpf", CPF).await.refused(422, "code.missing");
    let rui = app.user("rui").await;
    fund(&app, &rui, "50").await;
    ask(&rui, "20", "cpf", CPF)
        .await
        .refused(422, "pix.document_missing");

    // A code authorises what it was asked for, nothing else, once.
    let good = order(&app, &ana, "ana", "20", "cpf", CPF).await;
    for (field, value) in [("value", "21"), ("key", OTHER_CPF)] {
        let mut other = good.clone();
        other[field] = value.into();
        ana.post("/withdraw-pix", &other).await.refused(422, "code.wrong");
    }
    ana.post("/withdraw-pix", &good).await.ok();
    ana.post("/withdraw-pix", &good).await.refused(422, "code.used");
    assert_eq!(available(&app, &ana).await, 30_000_000);
}

#[actix_web::test]
async fn one_key_one_order() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = customer(&app, "ana", "100").await;
    let good = order(&app, &ana, "ana", "20", "cpf", CPF).await;
    let keyed = ana.key("0123456789abcdef");
    let first = keyed.post("/withdraw-pix", &good).await;
    let again = keyed.post("/withdraw-pix", &good).await;
    assert_eq!((first.status, again.status, &first.body), (201, 201, &again.body));
    let mut other = good.clone();
    other["value"] = "21".into();
    keyed
        .post("/withdraw-pix", &other)
        .await
        .refused(409, "idempotency.mismatch");
    ana.key("short")
        .post("/withdraw-pix", &good)
        .await
        .refused(422, "idempotency.missing");
    assert_eq!(available(&app, &ana).await, 80_000_000);
}

#[actix_web::test]
async fn one_balance_pays_one_of_two_withdrawals() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    for round in 0..3 {
        let name = format!("ana{round}");
        let ana = customer(&app, &name, "100").await;
        let one = order(&app, &ana, &name, "60", "cpf", CPF).await;
        let two = order(&app, &ana, &name, "70", "cpf", CPF).await;
        let (one, two) =
            futures_util::join!(ana.post("/withdraw-pix", &one), ana.post("/withdraw-pix", &two));
        let (won, lost) = if one.status == 201 { (one, two) } else { (two, one) };
        assert_eq!(won.status, 201, "{}", won.body);
        lost.refused(422, "balance.insufficient");
        let left = 100_000_000
            - if won.body["value"] == "60.000000" {
                60_000_000
            } else {
                70_000_000
            };
        assert_eq!(available(&app, &ana).await, left);
    }
    books_are_exact(&app).await;
}

#[actix_web::test]
async fn two_admins_at_once_pay_once() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = customer(&app, "ana", "500").await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    for round in 0..3 {
        let made = withdraw(&app, &ana, "ana", "50").await;
        let bank =
            |who: &str| json!({ "endToEndId": end_to_end(app.context.now(), &format!("{who}{round}")) });
        let (one, two) = futures_util::join!(decide(&bia, &made, bank("b")), decide(&caio, &made, bank("c")));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    }
    assert_eq!(
        (available(&app, &ana).await, balance(&app, "held").await),
        (350_000_000, 0)
    );
    let payments: i64 = sqlx::query_scalar("SELECT count(*) FROM pix.payment")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(payments, 3);
    books_are_exact(&app).await;
}

#[actix_web::test]
async fn a_cancel_and_an_approval_do_not_both_happen() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "1000").await, app.admin("bia").await);
    let mut left = 1_000_000_000;
    for round in 0..6 {
        let made = withdraw(&app, &ana, "ana", "50").await;
        let (path, empty) = (format!("/withdraw-pix/{}/cancel", id(&made)), json!({}));
        let bank = json!({ "endToEndId": end_to_end(app.context.now(), &format!("r{round}")) });
        let (cancelled, approved) = if round % 2 == 0 {
            futures_util::join!(ana.post(&path, &empty), decide(&admin, &made, bank))
        } else {
            let (a, c) = futures_util::join!(decide(&admin, &made, bank), ana.post(&path, &empty));
            (c, a)
        };
        match (cancelled.status, approved.status) {
            (200, 409) => approved.refused(409, "withdrawal.state"),
            (409, 200) => left -= 50_000_000,
            other => panic!("{other:?} {} {}", cancelled.body, approved.body),
        }
        assert_eq!(
            (available(&app, &ana).await, balance(&app, "held").await),
            (left, 0)
        );
    }
    books_are_exact(&app).await;
}

/// How what was asked for in a small amount stands, of what somebody who decides is told needs two.
async fn needs_two(admin: &Client) -> Vec<Value> {
    let queue = admin
        .get("/admin/list-withdraw-pix-approve-reject?limit=50")
        .await
        .ok();
    let rows = queue["data"].as_array().unwrap();
    rows.iter()
        .filter(|row| {
            row["signals"]
                .as_array()
                .unwrap()
                .contains(&json!("large_amount"))
        })
        .inspect(|row| assert_eq!(row["approvalsNeeded"], 2, "{row}"))
        .filter(|row| row["value"] != "5001.000000")
        .map(|row| row["status"].clone())
        .collect()
}

#[actix_web::test]
async fn above_the_limit_two_persons_decide() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = customer(&app, "ana", "9000").await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let made = withdraw(&app, &ana, "ana", "5001").await;
    assert_eq!(made["approvalsNeeded"], 2);
    let half = approve(&bia, &made).await.ok();
    assert_eq!(
        (&half["status"], &half["approvals"]),
        (&json!("pending"), &json!(1))
    );
    approve(&bia, &made).await.refused(409, "decision.same_person");
    let said = preview(&caio, "pix_withdrawal", &format!("id={}", id(&made))).await;
    assert_eq!(told(&said), (2, true, vec!["bia"]));
    // Its digest is stored, but one of two is none.
    assert!(
        sqlx::query("UPDATE pix.withdrawal SET status = 'approved'")
            .execute(app.context.db.pool())
            .await
            .is_err()
    );
    bia.post(
        &format!("/admin/withdraw-pix/{}/paid", id(&made)),
        &json!({ "endToEndId": end_to_end(app.context.now(), "1") }),
    )
    .await
    .refused(409, "withdrawal.state");
    let whole = approve(&caio, &made).await.ok();
    assert_eq!(
        (&whole["status"], &whole["approvals"]),
        (&json!("approved"), &json!(2))
    );
    // Paid out small sums add up: the next one needs a second person too.
    let small = withdraw(&app, &ana, "ana", "50").await;
    let said = preview(&bia, "pix_withdrawal", &format!("id={}", id(&small))).await;
    assert_eq!(told(&said), (2, false, vec![]));
    assert_eq!(
        needs_two(&bia).await,
        ["pending"],
        "the queue says so before anybody approves"
    );
    assert_eq!(approve(&bia, &small).await.ok()["status"], "pending");
    // What is over asks nobody.
    let over = withdraw(&app, &ana, "ana", "60").await;
    ana.post(&format!("/withdraw-pix/{}/cancel", id(&over)), &json!({}))
        .await
        .ok();
    assert_eq!(needs_two(&caio).await, ["pending"]);
}

#[actix_web::test]
async fn nobody_decides_on_own_money() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let bia = app.admin("bia").await;
    document(&app, &bia, "bia", CPF).await;
    fund(&app, &bia, "100").await;
    let made = withdraw(&app, &bia, "bia", "50").await;
    approve(&bia, &made).await.refused(403, "decision.own_money");
    let caio = app.admin("caio").await;
    approve(&caio, &made).await.ok();
    bia.post(
        &format!("/admin/withdraw-pix/{}/paid", id(&made)),
        &json!({ "endToEndId": end_to_end(app.context.now(), "1") }),
    )
    .await
    .refused(403, "decision.own_money");
}

#[actix_web::test]
async fn a_rate_that_moved_asks_the_customer_again() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "9000").await, app.admin("bia").await);
    set_rate(&app, 50_000).await;
    let made = withdraw(&app, &ana, "ana", "100").await;
    set_rate(&app, 50_500).await;
    let small = withdraw(&app, &ana, "ana", "100").await;
    assert_eq!(small["brl"], "494.90");
    assert_eq!(
        approve(&admin, &made).await.ok()["brl"],
        "490.00",
        "one per cent is not more than one per cent"
    );
    set_rate(&app, 49_900).await;
    let asked = approve(&admin, &small).await.ok();
    assert_eq!(asked["status"], "awaiting_confirmation");
    assert_eq!(asked["offer"], json!({ "brl": "489.02", "rate": "4.9900" }));
    let path = format!("/withdraw-pix/{}/requote", id(&small));
    approve(&admin, &small).await.refused(409, "withdrawal.state");
    ana.post(&path, &json!({ "brl": "494.90" }))
        .await
        .refused(409, "withdrawal.state");
    let rui = app.user("rui").await;
    rui.post(&path, &json!({ "brl": "489.02" }))
        .await
        .refused(404, "request.not_found");
    let confirmed = ana.post(&path, &json!({ "brl": "489.02" })).await.ok();
    assert_eq!(
        (&confirmed["status"], &confirmed["brl"], confirmed.get("offer")),
        (&json!("pending"), &json!("489.02"), None)
    );
    approve(&admin, &small).await.refused(409, "decision.changed");
    assert_eq!(approve(&admin, &confirmed).await.ok()["status"], "approved");

    // An approval of the old value does not count for the new one.
    let large = withdraw(&app, &ana, "ana", "5500").await;
    approve(&admin, &large).await.ok();
    set_rate(&app, 52_000).await;
    let caio = app.admin("caio").await;
    let asked = approve(&caio, &large).await.ok();
    assert_eq!(
        (&asked["status"], &asked["approvals"]),
        (&json!("awaiting_confirmation"), &json!(0))
    );
    let path = format!("/withdraw-pix/{}/requote", id(&large));
    let large = ana
        .post(&path, &json!({ "brl": asked["offer"]["brl"] }))
        .await
        .ok();
    assert_eq!(approve(&caio, &large).await.ok()["approvals"], 1);
    assert_eq!(approve(&admin, &large).await.ok()["status"], "approved");
    books_are_exact(&app).await;
}

#[actix_web::test]
async fn what_is_not_paid_comes_back() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "300").await, app.admin("bia").await);
    let reject = async |made: &Value, reason: &str| {
        decide(&admin, made, json!({ "status": "rejected", "reason": reason })).await
    };

    let first = withdraw(&app, &ana, "ana", "50").await;
    reject(&first, "  ").await.refused(422, "decision.reason_missing");
    let rejected = reject(&first, "Chave inválida").await.ok();
    assert_eq!(
        (&rejected["status"], &rejected["reason"]),
        (&json!("rejected"), &json!("Chave inválida"))
    );
    approve(&admin, &first).await.refused(409, "decision.done");
    assert_eq!(available(&app, &ana).await, 300_000_000);

    // Approved, but the bank refused it.
    let second = withdraw(&app, &ana, "ana", "50").await;
    approve(&admin, &second).await.ok();
    assert_eq!(
        reject(&second, "Conta encerrada").await.ok()["status"],
        "rejected"
    );
    assert_eq!(available(&app, &ana).await, 300_000_000);

    let third = withdraw(&app, &ana, "ana", "50").await;
    let path = format!("/withdraw-pix/{}/cancel", id(&third));
    assert_eq!(ana.post(&path, &json!({})).await.ok()["status"], "canceled");
    assert_eq!(
        ana.post(&path, &json!({})).await.ok()["status"],
        "canceled",
        "twice changes nothing"
    );

    let (fourth, kept) = (
        withdraw(&app, &ana, "ana", "50").await,
        withdraw(&app, &ana, "ana", "60").await,
    );
    approve(&admin, &kept).await.ok();
    app.clock.advance(Duration::days(7) - Duration::minutes(1));
    assert!(!withdrawals::expire_one::<Pix>(&app.context).await.unwrap());
    app.clock.advance(Duration::minutes(2));
    let mut tx = app.context.db.begin().await.unwrap();
    let job =
        server::foundation::job_queue::NewJob::new("pix.withdrawals_expire", "test", &json!({})).unwrap();
    tx.enqueue(job);
    tx.commit().await.unwrap();
    jobs::round(&app.context).await.unwrap();
    let ana = app.renew(&ana);
    let list = ana.get("/list-withdraws-pix?status=expired").await.ok();
    assert_eq!(
        (list["meta"]["total"].as_i64(), &list["data"][0]["_id"]),
        (Some(1), &fourth["_id"])
    );
    assert_eq!(
        available(&app, &ana).await,
        240_000_000,
        "what was approved stays held"
    );

    // A claw-back takes everything unpaid back first.
    let mut tx = app.context.db.begin().await.unwrap();
    let taken = withdrawals::cancel_unsent::<Pix>(&mut tx, ana.user, "Crédito revertido")
        .await
        .unwrap();
    withdrawals::tell_canceled::<Pix>(&app.context, &mut tx, &taken)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        (
            taken.len(),
            available(&app, &ana).await,
            balance(&app, "held").await
        ),
        (1, 300_000_000, 0)
    );
    let released: i64 =
        sqlx::query_scalar("SELECT count(*) FROM approvals.outbound WHERE released_at IS NULL")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(released, 0, "the rolling limits are free again");
    books_are_exact(&app).await;
}

#[actix_web::test]
async fn a_key_that_is_not_the_holders_needs_a_look() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "300").await, app.admin("bia").await);
    for (kind, key, holder) in [
        ("cpf", OTHER_CPF, "differs"),
        ("email", "ana@example.com", "unknown"),
        ("evp", "123e4567-e12b-42d1-a456-426655440000", "unknown"),
    ] {
        let order = order(&app, &ana, "ana", "20", kind, key).await;
        let made = ana.post("/withdraw-pix", &order).await.ok();
        approve(&admin, &made).await.refused(422, "pix.holder_unchecked");
        let row = admin.get("/admin/list-withdraw-pix-approve-reject").await.ok()["data"][0].clone();
        assert_eq!((&row["_id"], &row["holder"]), (&made["_id"], &json!(holder)));
        assert_eq!(
            decide(&admin, &made, json!({ "holderChecked": true })).await.ok()["status"],
            "approved"
        );
    }
    for (role, total) in [("customer", 3), ("salesperson", 0)] {
        let path = format!("/admin/list-withdraw-pix-approve-reject?function={role}");
        assert_eq!(admin.get(&path).await.ok()["meta"]["total"], total, "{role}");
        // Of one's own all or none.
        let own = ana
            .get(&format!("/list-withdraws-pix?function={role}"))
            .await
            .ok();
        assert_eq!(own["meta"]["total"], total, "{role}");
    }
    // One document in two accounts, one key asked for by two.
    let rui = customer(&app, "rui", "100").await;
    let order = order(&app, &rui, "rui", "20", "cpf", OTHER_CPF).await;
    rui.post("/withdraw-pix", &order).await.ok();
    let row = admin
        .get("/admin/list-withdraw-pix-approve-reject?search=rui")
        .await
        .ok()["data"][0]
        .clone();
    let signals = row["signals"].as_array().unwrap();
    for expected in ["document_shared", "key_shared", "holder_differs"] {
        assert!(signals.contains(&json!(expected)), "{signals:?}");
    }
}

#[actix_web::test]
async fn the_guard_is_asked_again_at_the_approval() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "300").await, app.admin("bia").await);
    let made = withdraw(&app, &ana, "ana", "50").await;
    sqlx::query("UPDATE identity.account SET hold_until = $1, hold_reason = 'password' WHERE id = $2")
        .bind(app.context.now() + Duration::HOUR)
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    approve(&admin, &made).await.refused(403, "outbound.held");
    both_refuse(&ana, "20", 403, "outbound.held").await;
    app.clock.advance(Duration::hours(2));
    let admin = app.renew(&admin);
    approve(&admin, &made).await.ok();
    // A deposit that a bank may still take back does not leave.
    let (rui, clock) = (app.user("rui").await, app.context.now());
    document(&app, &rui, "rui", CPF).await;
    fund(&app, &rui, "20").await;
    let proof = crate::pix::with_proof(&rui, "100", 9).await;
    crate::pix::approve(&admin, &proof, &end_to_end(clock, "y"))
        .await
        .ok();
    both_refuse(&rui, "21", 422, "outbound.young").await;
    let old = order(&app, &rui, "rui", "20", "cpf", CPF).await;
    rui.post("/withdraw-pix", &old).await.ok();
}

#[actix_web::test]
async fn a_payment_has_its_evidence_once() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, rui, admin) = (
        customer(&app, "ana", "300").await,
        app.user("rui").await,
        app.admin("bia").await,
    );
    let (one, two, three) = (
        withdraw(&app, &ana, "ana", "50").await,
        withdraw(&app, &ana, "ana", "50").await,
        withdraw(&app, &ana, "ana", "50").await,
    );
    let pay = async |made: &Value, bank: &str| {
        let path = format!("/admin/withdraw-pix/{}/paid", id(made));
        admin.post(&path, &json!({ "endToEndId": bank })).await
    };
    let bank = end_to_end(app.context.now(), "once");
    pay(&one, &bank).await.refused(409, "withdrawal.state");
    approve(&admin, &one).await.ok();
    approve(&admin, &two).await.ok();
    pay(&one, "E1").await.refused(422, "pix.end_to_end_id_invalid");
    pay(&one, &end_to_end(app.context.now() + Duration::HOUR, "x"))
        .await
        .refused(422, "pix.end_to_end_id_invalid");
    for old in [Duration::hours(13), Duration::days(2_200)] {
        let older = end_to_end(app.context.now() - old, "old");
        pay(&one, &older).await.refused(422, "pix.end_to_end_id_older");
        decide(&admin, &three, json!({ "endToEndId": older }))
            .await
            .refused(422, "pix.end_to_end_id_older");
    }
    pay(&one, &bank).await.ok();
    pay(&one, &end_to_end(app.context.now(), "z"))
        .await
        .refused(409, "withdrawal.state");
    pay(&two, &bank).await.refused(409, "pix.payment_used");
    pay(&two, &bank.to_lowercase())
        .await
        .refused(409, "pix.payment_used");
    let path = format!("/admin/withdraw-pix/{}/receipt", id(&two));
    let receipt = admin.upload(&path, "recibo.png", "image/png", png(3)).await.ok();
    assert_eq!(
        (&receipt["proofKind"], receipt["paidAt"].is_string()),
        (&json!("image/png"), true)
    );
    let file = format!("/files/{}", receipt["proof"].as_str().unwrap());
    assert_eq!(ana.get(&file).await.status, 200);
    assert_eq!(admin.get(&file).await.status, 200);
    rui.get(&file).await.refused(404, "request.not_found");
    admin
        .upload(&path, "recibo.png", "image/png", png(4))
        .await
        .refused(409, "withdrawal.state");

    // The PIX float pays nothing that did not come in: what rui has came another way.
    fund_from(&app, &rui, "1000", "0.01").await;
    document(&app, &rui, "rui", CPF).await;
    let large = withdraw(&app, &rui, "rui", "900").await;
    approve(&admin, &large).await.ok();
    pay(&large, &end_to_end(app.context.now(), "f"))
        .await
        .refused(409, "pix.float_missing");
    books_are_exact(&app).await;
}

/// The report adds up what was paid, without its fees, by the day on which it was asked for, with the filters of its list.
#[actix_web::test]
async fn what_was_paid_adds_up_by_day() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, bia) = (customer(&app, "ana", "300").await, app.admin("bia").await);
    let pay = async |admin: &Client, made: &Value, tail: &str| {
        approve(admin, made).await.ok();
        let path = format!("/admin/withdraw-pix/{}/paid", id(made));
        let bank = json!({ "endToEndId": end_to_end(app.context.now(), tail) });
        admin.post(&path, &bank).await.ok();
    };
    pay(&bia, &withdraw(&app, &ana, "ana", "50").await, "1").await;
    // To be paid, and asked for.
    approve(&bia, &withdraw(&app, &ana, "ana", "20").await).await.ok();
    withdraw(&app, &ana, "ana", "10").await;
    app.clock.advance(Duration::days(1));
    let (ana, caio) = (app.renew(&ana), app.admin("caio").await);
    pay(&caio, &withdraw(&app, &ana, "ana", "100").await, "2").await;
    let report = async |query: &str| {
        caio.get(&format!("/admin/pix-withdrawals-report{query}"))
            .await
            .ok()
    };
    let all = report("").await;
    let days = all["days"].as_array().unwrap();
    assert_eq!(
        (&all["count"], &all["total"], days.len()),
        (&json!(2), &json!("147.000000"), 2)
    );
    assert_eq!(
        [&days[0]["total"], &days[1]["total"]],
        [&json!("49.000000"), &json!("98.000000")]
    );
    let second = days[1]["day"].as_str().unwrap();
    for (query, total) in [
        (format!("?startDate={second}"), "98.000000"),
        ("?search=ana&status=paid".to_owned(), "147.000000"),
        ("?status=to_pay".to_owned(), "0.000000"),
        ("?search=ninguem".to_owned(), "0.000000"),
    ] {
        assert_eq!(report(&query).await["total"], total, "{query}");
    }
    ana.get("/admin/pix-withdrawals-report")
        .await
        .refused(403, "auth.forbidden");
}

/// Money that came in pays nothing out by its own id, and the other way round, also for who writes it otherwise or has it taken back.
#[actix_web::test]
async fn one_bank_id_is_one_payment_in_or_out() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "300").await, app.admin("bia").await);
    let now = app.context.now();
    let came_in = end_to_end(now, "aBc");
    let deposit = with_proof(&ana, "20", 1).await;
    pix::approve(&admin, &deposit, &came_in).await.ok();
    let made = withdraw(&app, &ana, "ana", "50").await;
    decide(&admin, &made, json!({ "endToEndId": came_in }))
        .await
        .refused(409, "pix.payment_used");
    approve(&admin, &made).await.ok();
    let path = format!("/admin/withdraw-pix/{}/paid", id(&made));
    let pay = async |bank: &str| admin.post(&path, &json!({ "endToEndId": bank })).await;
    let reverse = format!("/admin/deposits-pix/{}/reverse", id(&deposit));
    for _ in 0..2 {
        for spelling in [&came_in, &came_in.to_lowercase(), &came_in.to_uppercase()] {
            pay(spelling).await.refused(409, "pix.payment_used");
        }
        let _ = admin.post(&reverse, &json!({ "reason": "MED" })).await;
    }
    let went_out = end_to_end(now, "xYz");
    let paid = pay(&went_out).await.ok();
    assert_eq!(paid["endToEndId"], went_out, "as the bank wrote it");
    let other = with_proof(&ana, "20", 2).await;
    for spelling in [&went_out, &went_out.to_lowercase()] {
        pix::approve(&admin, &other, spelling)
            .await
            .refused(409, "pix.end_to_end_id_used");
    }
    // Two people at once, one in and one out.
    let (second, bank) = (withdraw(&app, &ana, "ana", "50").await, end_to_end(now, "race"));
    approve(&admin, &second).await.ok();
    let path = format!("/admin/withdraw-pix/{}/paid", id(&second));
    let body = json!({ "endToEndId": bank });
    let (one, two) = futures_util::join!(admin.post(&path, &body), pix::approve(&admin, &other, &bank));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    // What writes past the server meets the table itself.
    let refused = sqlx::query("INSERT INTO pix.used_id (id, withdrawal) VALUES (upper($1), $2)")
        .bind(&came_in)
        .bind(uuid::Uuid::now_v7())
        .execute(app.context.db.pool())
        .await;
    assert!(refused.unwrap_err().to_string().contains("used_id_pkey"));
    books_are_exact(&app).await;
}

#[actix_web::test]
async fn other_peoples_withdrawals_do_not_exist() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, rui) = (customer(&app, "ana", "100").await, app.user("rui").await);
    let made = withdraw(&app, &ana, "ana", "50").await;
    rui.post(&format!("/withdraw-pix/{}/cancel", id(&made)), &json!({}))
        .await
        .refused(404, "request.not_found");
    assert_eq!(rui.get("/list-withdraws-pix").await.ok()["meta"]["total"], 0);
    approve(&rui, &made).await.refused(403, "auth.forbidden");
    assert_eq!(rui.get("/pix/holder").await.ok(), json!({ "holder": null }));
    for bad in ["status=lost", "sortby=owner", "limit=501", "startDate=yesterday"] {
        ana.get(&format!("/list-withdraws-pix?{bad}"))
            .await
            .refused(422, "request.invalid");
    }
    for (query, total) in [
        ("search=982", 1),
        ("search=ana", 0),
        ("status=to_pay", 0),
        ("status=pending&startDate=2000-01-01&endDate=2099-12-31", 1),
        ("endDate=2000-01-01", 0),
    ] {
        let page = ana.get(&format!("/list-withdraws-pix?{query}")).await.ok();
        assert_eq!(page["meta"]["total"], total, "{query}");
    }
}

#[actix_web::test]
async fn a_document_is_put_on_file_once_and_shown_masked() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (app.user("ana").await, app.admin("bia").await);
    ana.post("/pix/holder", &json!({ "document": "123", "securityCode": "1" }))
        .await
        .refused(422, "pix.document_invalid");
    ana.post("/pix/holder", &json!({ "document": CPF }))
        .await
        .refused(422, "code.missing");
    document(&app, &ana, "ana", "12.abc.345/01de-35").await;
    let holder = ana.get("/pix/holder").await.ok()["holder"].clone();
    assert_eq!(
        (&holder["kind"], &holder["document"]),
        (&json!("cnpj"), &json!("**.ABC.345/****-**"))
    );
    ana.post("/pix/holder", &json!({ "document": CPF, "securityCode": "1" }))
        .await
        .refused(409, "pix.document_set");
    let path = format!("/admin/pix/holder/{}", ana.user);
    let remove = async |who: &Client, reason: &str| {
        let request = who.request(reqwest::Method::DELETE, &path);
        who.send(request.json(&json!({ "reason": reason }))).await
    };
    remove(&ana, "erro").await.refused(403, "auth.forbidden");
    remove(&admin, "  ").await.refused(422, "decision.reason_missing");
    assert_eq!(remove(&admin, "digitou o CPF de outra pessoa").await.status, 204);
    remove(&admin, "de novo").await.refused(404, "request.not_found");
    let kept: String = sqlx::query_scalar(
        "SELECT details ->> 'reason' FROM foundation.audit WHERE action = 'pix_holder.remove' AND actor = $1",
    )
    .bind(admin.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(kept, "digitou o CPF de outra pessoa");
    fund(&app, &ana, "100").await;
    document(&app, &ana, "ana", CPF).await;
    both_refuse(&ana, "20", 403, "outbound.held").await;
}

#[actix_web::test]
async fn the_database_refuses_what_the_server_must_not_do() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (customer(&app, "ana", "100").await, app.admin("bia").await);
    let made = withdraw(&app, &ana, "ana", "50").await;
    let (id, by) = (id(&made), admin.user);
    let refused = async |text: String| {
        sqlx::query(AssertSqlSafe(text.clone()))
            .execute(app.context.db.pool())
            .await
            .expect_err(&text)
            .to_string()
    };
    let approved = refused(format!(
        "UPDATE pix.withdrawal SET status = 'approved' WHERE id = '{id}'"
    ))
    .await;
    assert!(approved.contains("without its approvals"), "{approved}");
    for text in [
        format!("UPDATE pix.withdrawal SET fee = fee - 1, net = net + 1 WHERE id = '{id}'"),
        format!("UPDATE pix.withdrawal SET key_sealed = 'x' WHERE id = '{id}'"),
        format!("UPDATE pix.withdrawal SET paid_at = now() WHERE id = '{id}'"),
        format!(
            "INSERT INTO pix.payment (withdrawal, end_to_end_id, transfer, brl, paid_by, at)
            VALUES ('{id}', 'E0000000020261120123400000000000', '{id}', 24500, '{by}', now())"
        ),
        "DELETE FROM pix.withdrawal".into(),
        "DELETE FROM pix.payment".into(),
        "UPDATE pix.payment SET brl = 1".into(),
    ] {
        refused(text).await;
    }
    approve(&admin, &made).await.ok();
    for text in [
        format!("UPDATE pix.withdrawal SET brl = brl + 1 WHERE id = '{id}'"),
        format!("UPDATE pix.withdrawal SET status = 'pending' WHERE id = '{id}'"),
        format!("UPDATE pix.withdrawal SET status = 'expired' WHERE id = '{id}'"),
    ] {
        refused(text).await;
    }
}

#[actix_web::test]
async fn settings_decide_what_it_costs() {
    let app = TestApp::start().await;
    let dear = Settings {
        withdrawal_minimum: "1".parse().unwrap(),
        withdrawal_fee: 100_000,
        withdrawal_fee_minimum: "5".parse().unwrap(),
        mails_per_hour: 10_000,
        codes_per_hour: 10_000,
        ..Settings::default()
    };
    store_settings(&app, &dear).await;
    let ana = customer(&app, "ana", "300").await;
    let quote = async |value: &str| {
        let order = json!({ "value": value, "keyKind": "cpf", "key": CPF });
        ana.post("/withdraw-pix/quote", &order).await
    };
    // A fee that eats all of it leaves nothing to pay.
    quote("5").await.refused(422, "withdrawal.invalid");
    assert_eq!(quote("6").await.ok()["net"], "1.000000");
    assert_eq!(quote("200").await.ok()["fee"], "20.000000");
}

#[actix_web::test]
async fn keys_and_documents_outlive_a_rotation_of_the_master_key() {
    use server::{
        foundation::context::{Context, Keys},
        identity::secrets,
        pix::resealing,
    };
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = customer(&app, "ana", "200").await;
    let admin = app.admin("bia").await;
    let rows = [
        withdraw(&app, &ana, "ana", "20").await,
        withdraw(&app, &ana, "ana", "30").await,
        withdraw(&app, &ana, "ana", "40").await,
    ];
    // One is approved already: what was agreed stays as it was under its new seal.
    approve(&admin, &rows[0]).await.ok();
    let rotated = Keys {
        sealing: [8; 32],
        sealing_previous: Some(app.context.keys.sealing),
        ..(*app.context.keys).clone()
    };
    let alone = Keys {
        sealing_previous: None,
        ..rotated.clone()
    };
    let context = Context {
        keys: std::sync::Arc::new(rotated),
        ..app.context.clone()
    };
    // Stopped in the middle: one was sealed anew and no more.
    let bound = [ana.user.0.as_bytes().as_slice(), b"key"].concat();
    let first: uuid::Uuid = rows[1]["_id"].as_str().unwrap().parse().unwrap();
    let sealed = "SELECT key_sealed FROM pix.withdrawal WHERE id = $1";
    let before: Vec<u8> = sqlx::query_scalar(sealed)
        .bind(first)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let anew = secrets::reseal(&context.keys, &bound, &before).unwrap().unwrap();
    sqlx::query("UPDATE pix.withdrawal SET key_sealed = $2 WHERE id = $1")
        .bind(first)
        .bind(&anew)
        .execute(&app.sql)
        .await
        .unwrap();
    let done = resealing::reseal(&context).await.unwrap();
    assert_eq!((done.keys, done.documents), (2, 1));
    let again = resealing::reseal(&context).await.unwrap();
    assert_eq!((again.keys, again.documents), (0, 0), "once more changes nothing");
    // The key before is not needed any more, and is good for nothing.
    let stored: Vec<Vec<u8>> = sqlx::query_scalar("SELECT key_sealed FROM pix.withdrawal")
        .fetch_all(&app.sql)
        .await
        .unwrap();
    assert_eq!(stored.len(), 3);
    for key in &stored {
        assert_eq!(secrets::open(&alone, &bound, key).unwrap(), b"52998224725");
        assert!(secrets::open(&app.context.keys, &bound, key).is_err());
    }
    let document: Vec<u8> = sqlx::query_scalar("SELECT sealed FROM pix.holder")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let bound = [ana.user.0.as_bytes().as_slice(), b"document"].concat();
    assert_eq!(secrets::open(&alone, &bound, &document).unwrap(), b"52998224725");
    // Another of one's own keys under this withdrawal's row is not opened: its MAC differs.
    let other = secrets::seal(
        &app.context.keys,
        &[ana.user.0.as_bytes().as_slice(), b"key"].concat(),
        b"11144477735",
    )
    .unwrap();
    sqlx::query("UPDATE pix.withdrawal SET key_sealed = $2 WHERE id = $1")
        .bind(first)
        .bind(&other)
        .execute(&app.sql)
        .await
        .unwrap();
    let path = format!("/admin/withdraw-pix/{}/key", id(&rows[1]));
    assert_eq!(admin.post(&path, &json!({})).await.status, 500);
    // A key changes its seal alone, and nothing else with it.
    let more = "UPDATE pix.withdrawal SET key_sealed = '\\x00', version = version + 1";
    assert!(sqlx::query(more).execute(&app.sql).await.is_err());
    assert_eq!(ana.get("/list-withdraws-pix").await.status, 200);
}
