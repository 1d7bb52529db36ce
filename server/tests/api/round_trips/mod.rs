//! How often money calls, decisions and messages ask the database. What it says (`--nocapture`) stands in docs/performance.md#round-trips;
//! each call asks as often as its line says (`table`).

mod behind;
mod calls;
mod decisions;
mod staff;
mod table;
mod tickets;

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
    words::take_back,
};
use serde_json::{Value, json};
use server::{
    jobs,
    ledger::model::UserAccount::{Available, Sponsored},
    wallet::chain::Coin,
};
use time::Duration;

/// Runs a call that must succeed, says how often it asked, and refuses any other number than its line's.
async fn asks(app: &TestApp, who: &Client, name: &str, call: impl Future<Output = Reply>) -> Value {
    let (reply, asked) = statements::of(app, who, call).await;
    let of_route = |(route, calls): &(&'static str, &'static [(&'static str, usize)])| {
        let call = calls.iter().find(|(call, _)| *call == name);
        call.map(|(_, times)| (*route, *times))
    };
    let line = table::LINES.iter().find_map(of_route);
    let (route, times) = line.unwrap_or_else(|| panic!("{name} has no line"));
    assert!(
        reply.answers(route),
        "{name} is {} {}, not {route}",
        reply.method,
        reply.path
    );
    let answer = reply.ok();
    tell(name, times, &asked);
    answer
}

/// Whoever spoke the first of two words about something takes it back: what it is called in the table, its kind and its id.
async fn unsaid(app: &TestApp, who: &Client, (what, kind): (&str, &str), of: &str) {
    let name = format!("word taken back: {what}");
    asks(app, who, &name, take_back(who, kind, of)).await;
}

#[allow(clippy::print_stdout)] // the lines of the table in the documentation
fn tell(name: &str, times: usize, asked: &statements::Statements) {
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
    // Fewer is as wrong as more: between a number and what is true of it another statement would come unseen.
    assert_eq!(
        asked.count(),
        times,
        "{name} asks {} times, and {times} are written down: {asked}",
        asked.count()
    );
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
    let quoted = json!({ "value": "50", "keyKind": "cpf", "key": pix_withdrawals::CPF });
    let name = "PIX withdrawal quoted";
    asks(&app, &ana, name, ana.post("/withdraw-pix/quote", &quoted)).await;
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

    let bob = app.admin("bob").await;
    let large = desk.plain(&ana, "bnb", "10").await;
    desk.paid(Coin::Bnb, large.address, coins(10)).await;
    let body = json!({ "id": large.id, "status": "approved", "value": "6000" });
    let name = "crypto deposit approved, the first of two";
    asks(app, &ada, name, ada.patch(path, &body)).await;
    unsaid(app, &ada, ("crypto deposit", "crypto_deposit"), &large.id).await;
    ada.patch(path, &body).await.ok();
    let name = "crypto deposit approved, the second of two";
    asks(app, &bob, name, bob.patch(path, &body)).await;
}

#[actix_web::test]
async fn chain_withdrawals() {
    let payout = statements::counted(Payout::open()).await;
    let app = payout.app();
    let (ana, bia) = (payout.customer("ana", 250).await, app.admin("bia").await);
    let order = withdrawal("usdt", AWAY, "100");
    let name = "crypto withdrawal quoted";
    asks(app, &ana, name, ana.post("/withdraw/quote", &order)).await;
    let name = "crypto withdrawal asked for";
    let asked = asks(app, &ana, name, ana.post("/withdraw", &order)).await;
    app.clock.advance(Duration::minutes(20));
    let (ana, bia) = (app.renew(&ana), app.renew(&bia));
    let name = "crypto withdrawal's link mailed again";
    let again = json!({ "id": id(&asked) });
    asks(app, &ana, name, ana.post("/withdraw/resend", &again)).await;
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
    for (who, name) in [
        (&bia, "message of staff that takes the ticket"),
        (&bia, "message of staff"),
        (&ana, "message of a customer"),
    ] {
        asks(
            &app,
            who,
            name,
            who.post("/support/ticket-response", &say(uuid::Uuid::now_v7())),
        )
        .await;
    }
    bia.post(&format!("/support/close-ticket/{ticket}"), &json!({}))
        .await
        .ok();
    asks(
        &app,
        &ana,
        "message that opens a ticket again",
        ana.post("/support/ticket-response", &say(uuid::Uuid::now_v7())),
    )
    .await;
    // Of those some messages an hour are taken.
    sqlx::raw_sql(
        "UPDATE identity.account SET email_confirmed_at = NULL WHERE username = 'ana';
         UPDATE support.message SET created_at = created_at - interval '2 hours'",
    )
    .execute(&app.sql)
    .await
    .unwrap();
    asks(
        &app,
        &ana,
        "message of somebody without a confirmed address",
        ana.post("/support/ticket-response", &say(uuid::Uuid::now_v7())),
    )
    .await;
    let of_messages = table::LINES
        .iter()
        .filter(|(route, _)| *route == "POST /support/ticket-response")
        .flat_map(|(_, calls)| *calls);
    for (name, times) in of_messages {
        assert!(*times <= table::OF_A_MESSAGE, "{name}");
    }
    let mut socket = Live::open(&app, &bia).await;
    socket.subscribe(&format!("ticket:{ticket}")).await;
    let ((), asked) = statements::of(&app, &bia, async {
        socket
            .say(&json!({ "op": "read", "ticket": ticket, "upTo": 6 }))
            .await;
        socket.fact("ticket.read").await;
    })
    .await;
    let (name, times) = table::READ;
    tell(name, times, &asked);
}
