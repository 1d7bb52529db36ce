//! How often money calls, decisions and messages ask the database. What it says (`--nocapture`) stands in docs/performance.md#round-trips;
//! no call may ask more often than its line here.

mod calls;
mod decisions;

use crate::{
    chain::{
        desk::{Desk, coins},
        payout::{AWAY, Payout, decide, order as withdrawal},
    },
    chain_kit::milli,
    guard::{code, settings, with_code},
    kit::{Client, Reply, STORE_EMPLOYEE, TestApp, live::Live, statements},
    licences::{PLAN_100, earn, fund, id},
    pix, pix_withdrawals,
    presale::{self, terms},
    presale_market::{open_market, order, trader},
};
use serde_json::{Value, json};
use server::{
    identity::service::HOUSE,
    jobs,
    ledger::{
        amount::Currency,
        model::{
            AccountRef,
            UserAccount::{Available, Sponsored},
        },
    },
    wallet::chain::Coin,
};
use sqlx::AssertSqlSafe;
use time::Duration;

/// How often each call may ask.
const MOST: &[(&str, usize)] = &[
    ("crypto withdrawal asked for", 12),
    ("deposit intent", 13),
    ("crypto withdrawal confirmed", 6),
    ("crypto withdrawal approved", 10),
    ("crypto deposit approved", 14),
    ("crypto deposit rejected", 12),
    ("licence bought, the first", 15),
    ("licence bought", 13),
    ("top-up", 10),
    ("allocation that makes the sale final", 14),
    ("allocation", 13),
    ("relocation to the top-up", 8),
    ("relocation to another licence", 15),
    ("reinvestment", 10),
    ("yield withdrawn", 8),
    ("capital withdrawn", 10),
    ("loan", 10),
    ("loan repaid", 11),
    ("ticket opened", 4),
    ("message of staff", 4),
    ("licence canceled", 12),
    ("message of a customer", 4),
    ("message marked as read, over the socket", 5),
    ("PIX deposit opened, the first", 8),
    ("PIX deposit's proof, the first", 9),
    ("PIX deposit approved, the first", 15),
    ("PIX deposit opened", 8),
    ("PIX deposit's proof", 9),
    ("PIX withdrawal asked for", 15),
    ("PIX deposit approved", 15),
    ("PIX withdrawal approved", 10),
    ("PIX deposit rejected", 9),
    ("sponsorship", 10),
    ("sponsorship in a licence", 14),
    ("PYX bought, the first", 13),
    ("PYX bought", 13),
    ("PYX claimed", 12),
    ("transfer between members, the first", 13),
    ("transfer between members", 13),
    ("PYX order that waits", 10),
    ("PYX order that trades", 15),
    ("PYX order that trades with three", 15),
    ("PYX order canceled", 10),
    ("transfer that waited approved", 14),
    ("transfer that waited approved, the first of two", 9),
    ("transfer that waited approved, the second of two", 14),
    ("transfer that waited rejected", 13),
    ("case cleared", 6),
    ("case not cleared", 4),
    ("pool revenue entered", 13),
    ("pool revenue approved by the second person", 13),
    ("pool revenue rejected", 9),
    ("sponsorship that waits", 8),
    ("sponsorship approved by the second person", 9),
    ("sponsorship in a licence approved by the second person", 13),
    ("sponsorship taken back by the second person", 10),
    ("sponsorship in a licence taken back by the second person", 15),
    ("sponsorship rejected", 6),
    ("holding declared", 11),
    ("holding declared that waits", 8),
    ("declared holding approved by the second person", 11),
    ("declared holding rejected", 7),
    ("rank's bonus paid by one person", 14),
    ("rank's bonus rejected", 12),
    ("rank's bonus paid, the first of two", 14),
    ("rank's bonus paid, the second of two", 14),
    ("PIX withdrawal rejected", 13),
    ("PIX withdrawal paid", 12),
    ("PIX withdrawal paid, its receipt", 15),
    ("PIX withdrawal approved and paid", 15),
    ("PIX withdrawal rejected by the bank", 14),
    ("PIX withdrawal whose rate moved", 9),
    ("PIX withdrawal at the new rate", 6),
    ("PIX withdrawal canceled", 10),
    ("PIX withdrawal approved, the first of two", 10),
    ("PIX withdrawal approved, the second of two", 10),
    ("crypto withdrawal rejected", 13),
    ("crypto withdrawal canceled", 10),
    ("crypto withdrawal rejected, approved before", 13),
    ("crypto withdrawal whose rate moved", 9),
    ("crypto withdrawal at the new rate", 6),
    ("crypto withdrawal approved, the first of two", 10),
    ("crypto withdrawal approved, the second of two", 10),
    ("crypto withdrawal sent once more", 9),
    ("crypto withdrawal rejected, failed before", 13),
    ("PIX deposit taken back", 15),
    ("PIX deposit approved, the first of two", 11),
    ("PIX deposit approved, the second of two", 15),
    ("round of PYX proposed", 6),
    ("round of PYX changed", 6),
    ("round of PYX agreed to", 6),
    ("round of PYX withdrawn", 4),
    ("bonus withdrawn", 8),
    ("pool joined", 10),
    ("operation ordered by its owner", 14),
    ("PIX deposit canceled", 5),
    ("deposit intent canceled", 7),
    ("crypto deposit asked for", 10),
    ("PYX order that waits, worse than the anchors", 10),
    ("PYX order to buy by which the other loses", 15),
    ("PYX order to buy that loses", 15),
    ("PYX order to sell that loses", 15),
    ("PYX order to sell by which the other loses", 15),
    ("coins sent from one's own wallet", 15),
    ("coins swapped in one's own wallet", 15),
];

/// Runs a call that must succeed, says how often it asked, and refuses more statements than it may make.
async fn asks(app: &TestApp, who: &Client, name: &str, call: impl Future<Output = Reply>) -> Value {
    let (reply, asked) = statements::of(app, who, call).await;
    let answer = reply.ok();
    tell(name, &asked);
    answer
}

#[allow(clippy::print_stdout)] // the lines of the table in the documentation
fn tell(name: &str, asked: &statements::Statements) {
    println!(
        "| {name} | {} | {} | {} | {} |",
        asked.count(),
        asked.inside(),
        asked.round_trips(),
        asked.repeated().len()
    );
    if std::env::var_os("LIST").is_some() {
        println!("{asked}");
    }
    let (_, most) = MOST
        .iter()
        .find(|(call, _)| *call == name)
        .unwrap_or_else(|| panic!("{name} has no bound"));
    assert!(asked.count() <= *most, "{name} may ask {most} times: {asked}");
}

#[actix_web::test]
async fn transfers() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    fund(&app, &ana, Available, 100).await;
    for name in ["transfer between members, the first", "transfer between members"] {
        let code = code(&app, &ana, "ana", "transfer", "bea", "10").await;
        asks(&app, &ana, name, with_code(&ana, "bea", "10", &code)).await;
    }
}

#[actix_web::test]
async fn licences() {
    let app = statements::counted(TestApp::start()).await;
    let ana = app.user("ana").await;
    fund(&app, &ana, Available, 1_000).await;
    let of = |licence: &str, value: &str| json!({ "licence": licence, "value": value });
    let plan = json!({ "plan": PLAN_100, "riskAccepted": true });
    let first = asks(
        &app,
        &ana,
        "licence bought, the first",
        ana.post("/licences/buy", &plan),
    )
    .await;
    let one = id(&first);
    let second = asks(&app, &ana, "licence bought", ana.post("/licences/buy", &plan)).await;
    let two = id(&second);
    asks(
        &app,
        &ana,
        "top-up",
        ana.post("/licences/topup", &of(&one, "200")),
    )
    .await;
    asks(
        &app,
        &ana,
        "allocation that makes the sale final",
        ana.post("/trader/allocate-value-in-trading", &of(&one, "100")),
    )
    .await;
    asks(
        &app,
        &ana,
        "allocation",
        ana.post("/trader/allocate-value-in-trading", &of(&one, "50")),
    )
    .await;
    asks(
        &app,
        &ana,
        "relocation to the top-up",
        ana.post("/trader/relocate-value", &json!({ "from": one, "value": "50" })),
    )
    .await;
    asks(
        &app,
        &ana,
        "relocation to another licence",
        ana.post(
            "/trader/relocate-value",
            &json!({ "from": one, "to": two, "value": "50" }),
        ),
    )
    .await;
    earn(&app, &one, 12).await;
    asks(
        &app,
        &ana,
        "reinvestment",
        ana.post(
            "/licences/reinvest",
            &json!({ "licence": two, "value": "5", "source": "yield", "sourceLicence": one }),
        ),
    )
    .await;
    app.clock.advance(Duration::days(31));
    while jobs::round(&app.context).await.unwrap() > 0 {}
    let mut day = server::foundation::business_day::of(app.context.now());
    let mut ahead = Duration::ZERO;
    while ![5, 20].contains(&day.day()) {
        day = day.next_day().unwrap();
        ahead += Duration::DAY;
    }
    app.clock.advance(ahead);
    let ana = app.renew(&ana);
    asks(
        &app,
        &ana,
        "yield withdrawn",
        ana.post("/trader/robot-withdraw", &of(&one, "2")),
    )
    .await;
    asks(
        &app,
        &ana,
        "capital withdrawn",
        ana.post("/licences/capital-withdraw", &of(&one, "20")),
    )
    .await;
    asks(&app, &ana, "loan", ana.post("/licences/loan", &of(&one, "20"))).await;
    asks(
        &app,
        &ana,
        "loan repaid",
        ana.post(
            "/licences/loan-repay",
            &json!({ "licence": one, "value": "5", "source": "available" }),
        ),
    )
    .await;
    asks(
        &app,
        &ana,
        "licence canceled",
        ana.post(
            "/licences/cancel",
            &json!({ "licence": id(&crate::licences::buy(&ana, PLAN_100).await) }),
        ),
    )
    .await;
}

#[actix_web::test]
async fn sponsorship() {
    let app = statements::counted(TestApp::start()).await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    fund(&app, &ana, Available, 100).await;
    fund(&app, &ana, Sponsored, 1).await;
    let licence = id(&crate::licences::buy(&ana, PLAN_100).await);
    let order = |licence: Option<&str>| json!({ "userId": ana.user, "operation": "add", "value": "10", "licenceId": licence, "reason": "Campanha" });
    let path = "/admin/balance-manager/add-remove-balance";
    asks(&app, &bia, "sponsorship", bia.post(path, &order(None))).await;
    asks(
        &app,
        &bia,
        "sponsorship in a licence",
        bia.post(path, &order(Some(&licence))),
    )
    .await;
}

#[actix_web::test]
async fn pyx() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    let ana = app.user("ana").await;
    fund(&app, &ana, Available, 100).await;
    let round = presale::round(&app, &terms(&app)).await;
    asks(
        &app,
        &ana,
        "PYX bought, the first",
        presale::buy(&ana, &round, "5"),
    )
    .await;
    asks(&app, &ana, "PYX bought", presale::buy(&ana, &round, "5")).await;
    app.clock.advance(Duration::days(5));
    let ana = app.renew(&ana);
    asks(&app, &ana, "PYX claimed", ana.post("/presale/claim", &json!({}))).await;

    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    open_market(&app).await;
    let (seller, buyer) = (
        trader(&app, "sara", 0, 100).await,
        trader(&app, "rui", 100, 0).await,
    );
    for _ in 0..2 {
        asks(
            &app,
            &seller,
            "PYX order that waits",
            order(&seller, "sell", "0.5", "10"),
        )
        .await;
        asks(
            &app,
            &buyer,
            "PYX order that trades",
            order(&buyer, "buy", "0.5", "10"),
        )
        .await;
    }
    // However many it meets.
    for name in ["ada", "eva", "isa"] {
        let one = trader(&app, name, 0, 100).await;
        order(&one, "sell", "0.5", "10").await.ok();
    }
    asks(
        &app,
        &buyer,
        "PYX order that trades with three",
        order(&buyer, "buy", "0.5", "30"),
    )
    .await;
    let waiting = order(&seller, "sell", "0.5", "10").await.ok();
    asks(
        &app,
        &seller,
        "PYX order canceled",
        crate::presale_market::cancel(&seller, &waiting),
    )
    .await;
}

#[actix_web::test]
async fn pix_deposits() {
    let app = statements::counted(TestApp::start()).await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    for (n, which) in [", the first", ""].into_iter().enumerate() {
        let made = asks(
            &app,
            &ana,
            &format!("PIX deposit opened{which}"),
            ana.post("/deposit-pix", &json!({ "usdt": "100" })),
        )
        .await;
        let path = format!("/deposit-pix/{}/proof", pix::id(&made));
        let picture = pix::png(u8::try_from(n).unwrap());
        asks(
            &app,
            &ana,
            &format!("PIX deposit's proof{which}"),
            ana.upload(&path, "a.png", "image/png", picture),
        )
        .await;
        let bank = pix::end_to_end(app.context.now(), &format!("a{n}"));
        asks(
            &app,
            &bia,
            &format!("PIX deposit approved{which}"),
            pix::approve(&bia, &made, &bank),
        )
        .await;
    }
    let made = pix::with_proof(&ana, "100", 9).await;
    asks(
        &app,
        &bia,
        "PIX deposit rejected",
        bia.patch(
            "/admin/deposits-pix-approve-reject",
            &json!({ "id": pix::id(&made), "status": "rejected", "reason": "Não chegou" }),
        ),
    )
    .await;
}

#[actix_web::test]
async fn pix_withdrawals_too() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    let (ana, bia) = (
        pix_withdrawals::customer(&app, "ana", "250").await,
        app.admin("bia").await,
    );
    let order = pix_withdrawals::order(&app, &ana, "ana", "50", "cpf", pix_withdrawals::CPF).await;
    let made = asks(
        &app,
        &ana,
        "PIX withdrawal asked for",
        ana.post("/withdraw-pix", &order),
    )
    .await;
    asks(
        &app,
        &bia,
        "PIX withdrawal approved",
        pix_withdrawals::approve(&bia, &made),
    )
    .await;
}

#[actix_web::test]
async fn chain_deposits() {
    let desk = statements::counted(Desk::open()).await;
    let app = &desk.app;
    let (ana, ada) = (app.user("ana").await, app.admin("ada").await);
    let body =
        json!({ "licenseValue": "50", "product": "usdt_bep20", "isHighRisk": false, "riskAccepted": true });
    let intent = asks(
        app,
        &ana,
        "deposit intent",
        ana.post("/trader/create-deposit-intent", &body),
    )
    .await;
    let address = intent["address"].as_str().unwrap().parse().unwrap();
    desk.paid(Coin::Busd, address, coins(53)).await;
    desk.paid(Coin::Bnb, address, milli(100)).await;
    let queue = ada
        .get("/admin/all-crypto-deposits-list?status=pending_approval&sortby=created_at&sortdirection=asc")
        .await
        .ok();
    let path = "/admin/crypto-deposits-approve-reject";
    let body = json!({ "id": queue["data"][0]["_id"], "status": "approved", "value": "52.00" });
    asks(app, &ada, "crypto deposit approved", ada.patch(path, &body)).await;
    let refund = format!("0x{}", "ab".repeat(32));
    let body = json!({ "id": queue["data"][1]["_id"], "status": "rejected", "refund": refund });
    asks(app, &ada, "crypto deposit rejected", ada.patch(path, &body)).await;
}

#[actix_web::test]
async fn chain_withdrawals() {
    let payout = statements::counted(Payout::open()).await;
    let app = payout.app();
    let (ana, bia) = (payout.customer("ana", 250).await, app.admin("bia").await);
    let asked = asks(
        app,
        &ana,
        "crypto withdrawal asked for",
        ana.post("/withdraw", &withdrawal("usdt", AWAY, "100")),
    )
    .await;
    let token = payout.link(&ana).await;
    asks(
        app,
        &ana,
        "crypto withdrawal confirmed",
        ana.post("/withdraw/confirm", &json!({ "token": token })),
    )
    .await;
    asks(
        app,
        &bia,
        "crypto withdrawal approved",
        decide(&bia, &asked, json!({})),
    )
    .await;
}

#[actix_web::test]
async fn messages() {
    let app = statements::counted(TestApp::start()).await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let body = json!({ "subject": "Meu depósito não entrou", "description": "Enviei ontem.", "category": "financial" });
    let opened = asks(
        &app,
        &ana,
        "ticket opened",
        ana.post("/support/open-ticket", &body),
    )
    .await;
    let ticket = opened["ticket"]["_id"].as_str().unwrap();
    let say =
        |client_id: uuid::Uuid| json!({ "ticketId": ticket, "text": "Vou olhar.", "clientId": client_id });
    for (who, name) in [(&bia, "message of staff"), (&ana, "message of a customer")] {
        asks(
            &app,
            who,
            name,
            who.post("/support/ticket-response", &say(uuid::Uuid::now_v7())),
        )
        .await;
    }
    let mut socket = Live::open(&app, &bia).await;
    socket.subscribe(&format!("ticket:{ticket}")).await;
    let ((), asked) = statements::of(&app, &bia, async {
        socket
            .say(&json!({ "op": "read", "ticket": ticket, "upTo": 3 }))
            .await;
        socket.fact("ticket.read").await;
    })
    .await;
    tell("message marked as read, over the socket", &asked);
}

/// One connection holds a lock and writes behind it; another asks and has to wait; the first one commits: what the other then reads.
async fn read_behind(app: &TestApp, held: String, asked: String) -> Vec<Value> {
    let mut first = app.sql.acquire().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(format!(
        "BEGIN; SET LOCAL session_replication_role = replica; {held}"
    )))
    .execute(&mut *first)
    .await
    .unwrap();
    let mut second = app.sql.acquire().await.unwrap();
    let id: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(&mut *second)
        .await
        .unwrap();
    let answer = actix_web::rt::spawn(async move {
        sqlx::query_scalar::<_, Value>(AssertSqlSafe(format!("SELECT to_jsonb(x) FROM {asked} AS x")))
            .fetch_all(&mut *second)
            .await
            .unwrap()
    });
    let waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted)";
    while !sqlx::query_scalar::<_, bool>(waits)
        .bind(id)
        .fetch_one(&app.sql)
        .await
        .unwrap()
    {
        assert!(!answer.is_finished(), "it did not wait");
        actix_web::rt::task::yield_now().await;
    }
    sqlx::raw_sql("COMMIT").execute(&mut *first).await.unwrap();
    answer.await.unwrap()
}

#[actix_web::test]
async fn what_is_read_behind_a_lock_was_committed_before_it_was_had() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    fund(&app, &ana, Available, 100).await;
    let (user, staff, thing) = (ana.user, bia.user, uuid::Uuid::now_v7());
    let call = format!("foundation.first_answer('{user}', 'POST /x', 'a-key-of-sixteen')");
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO foundation.idempotency (user_id, route, key, body_hash, status, response, created_at)
             VALUES ('{user}', 'POST /x', 'a-key-of-sixteen', '', 201, '{{}}', now());"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0]["status"], 201);

    let nobody = uuid::Uuid::nil();
    let call = format!(
        "approvals.standing('{user}', true, now(), now() - interval '1 day', '{nobody}', '{nobody}', NULL, NULL)"
    );
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.outbound (id, user_id, action, usdt, at) VALUES ('{thing}', '{user}', 'transfer', 5, now());"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0]["used"], 5);

    let call = format!(
        "approvals.inquiry('{user}', true, now(), now() - interval '1 hour', now() - interval '1 day', now() - interval '30 days', '{nobody}', '{nobody}', NULL, NULL, '{{}}', NULL)"
    );
    let thing_too = uuid::Uuid::now_v7();
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.outbound (id, user_id, action, usdt, at) VALUES ('{thing_too}', '{user}', 'transfer', 5, now());"
        ),
        call,
    )
    .await;
    assert_eq!(
        (&rows[0]["used"], &rows[0]["outs_last_hour"]),
        (&json!(10), &json!(2))
    );

    let call = format!(
        "approvals.standings(ARRAY['{staff}', '{user}']::uuid[], now(), now() - interval '1 day', ARRAY['{nobody}', '{nobody}']::uuid[], ARRAY['{nobody}', '{nobody}']::uuid[])"
    );
    let thing_again = uuid::Uuid::now_v7();
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.outbound (id, user_id, action, usdt, at) VALUES ('{thing_again}', '{user}', 'pyx_trade', 5, now());"
        ),
        call,
    )
    .await;
    let own = rows.iter().find(|row| row["person"] == user.to_string()).unwrap();
    assert_eq!((rows.len(), &own["used"]), (2, &json!(15)));

    let digest = "decode(repeat('00', 32), 'hex')";
    let call = format!(
        "approvals.approved(true, '{staff}', '{user}', 'pix_deposit', '{thing}', {digest}, now() - interval '1 day')"
    );
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, position, needed, at)
             VALUES ('{thing}', 'pix_deposit', '{thing}', '{user}', {digest}, 5, '{staff}', 'approve', 1, 2, now());"
        ),
        call,
    )
    .await;
    assert_eq!((&rows[0]["position"], &rows[0]["needed"]), (&json!(1), &json!(2)));

    let call =
        "identity.tries(ARRAY['a'], ARRAY[now() - interval '1 day'], ARRAY[10]::bigint[], now(), true)"
            .to_owned();
    let rows = read_behind(&app, format!("SELECT * FROM {call};"), call.clone()).await;
    assert_eq!(rows[0]["count"], 1, "the other one's try");

    let call = format!(
        "identity.try_code(ARRAY['b'], ARRAY[now() - interval '1 day'], ARRAY[10]::bigint[], now(), '{user}', NULL, 'transfer', '', 5::smallint)"
    );
    let rows = read_behind(&app, format!("SELECT * FROM {call};"), call.clone()).await;
    assert_eq!(rows[0]["count"], 1, "the other one's try");

    let mail = |id: uuid::Uuid| {
        format!(
            "foundation.put_mail('{id}', 'a@b.c', NULL, 'notice', '', '', '', '2026-01-01 00:00Z'::timestamptz, '2025-12-31 23:00Z'::timestamptz, 1, false, false, true)"
        )
    };
    let first = format!("SELECT * FROM {};", mail(uuid::Uuid::now_v7()));
    let second = format!("date_part('epoch', {})", mail(uuid::Uuid::now_v7()));
    let rows = read_behind(&app, first, second).await;
    assert_eq!(rows[0], 1_767_229_200_i64, "an hour after the other's");

    let call = "foundation.queue_length('a queue', 'approvals.young_credit', 'usdt > 0')".to_owned();
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.young_credit (source, user_id, usdt, at, until) VALUES ('{thing}', '{user}', 5, now(), now() + interval '1 hour');"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0], 1);

    let call = format!("affiliates.lock_peak('{user}', now())");
    let rows = read_behind(
        &app,
        format!("SELECT * FROM {call}; UPDATE affiliates.peak SET peak = 7 WHERE member = '{user}';"),
        call,
    )
    .await;
    assert_eq!(rows[0], 7);

    let call = format!("affiliates.lock_place('{user}')");
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; UPDATE affiliates.sponsor_counter SET unlicensed_placed = 7 WHERE sponsor = '{HOUSE}';"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0]["unlicensed_placed"], 7);

    sqlx::query("INSERT INTO presale.trading_session (session, opened_at) VALUES ($1, now())")
        .bind(ana.session.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let call = format!("presale.enter_book('{}', '{user}', '2026-01-01')", ana.session);
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO presale.reference (day, base, price, part, settings_version, updated_at) VALUES ('2026-01-01', 7, 7, 0, 1, now());"
        ),
        call,
    )
    .await;
    assert_eq!(
        (&rows[0]["opened"], &rows[0]["levels"]),
        (&json!(true), &json!([7]))
    );

    let row = AccountRef::User(user, Available).row_id(Currency::Usdt, 0);
    let call = format!(
        "ledger.lock_accounts(ARRAY['{row}']::uuid[], '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', ARRAY['a key'])"
    );
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; UPDATE ledger.account SET balance = balance - 1, version = version + 1 WHERE id = '{row}';
             INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause)
             VALUES ('{thing}', now(), now()::date, 0, 2, 'user_transfer', 'a key', '', 'user', '{user}');"
        ),
        call,
    )
    .await;
    assert_eq!(rows.len(), 2, "the account, and that the key was booked");
    assert_eq!(rows[0]["balance"], 99_999_999);
    assert!(rows[1]["id"].is_null());
}
