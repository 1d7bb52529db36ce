//! Decisions of staff: the first person's, the second's, the last word against.

use super::{asks, unsaid};
use crate::{
    bonuses, bonuses_related,
    chain::{graduations, payout, payout::AWAY, sender},
    claw_back,
    guard::{send, settings},
    kit::{TestApp, statements},
    licences::{PLAN_100, fund, id},
    pix, pix_unpaid, pix_withdrawals, pools, presale, sponsorship, treasury,
};
use alloy::primitives::U256;
use protocol::money::Usdt;
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    ledger::model::UserAccount::{Available, Sponsored},
    wallet::chain::Coin,
};

#[actix_web::test]
async fn transfers_that_wait() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |s| {
        s.compliance_amount = Usdt::whole(40);
        s.two_person_limit = Usdt::whole(50);
    })
    .await;
    let (ana, _) = (app.user("ana").await, app.user("bea").await);
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    fund(&app, &ana, Available, 1_000).await;
    let path = "/admin/transfers-approve-reject";
    let word = |transfer: &Value, approve: bool| json!({ "id": transfer["_id"], "approve": approve, "reason": "Origem não explicada" });
    let held = send(&app, &ana, "ana", "bea", "40").await.ok();
    let name = "transfer that waited approved";
    asks(&app, &bia, name, bia.patch(path, &word(&held, true))).await;
    let large = send(&app, &ana, "ana", "bea", "60").await.ok();
    let name = "transfer that waited approved, the first of two";
    asks(&app, &bia, name, bia.patch(path, &word(&large, true))).await;
    unsaid(&app, &bia, ("transfer", "transfer"), &id(&large)).await;
    bia.patch(path, &word(&large, true)).await.ok();
    let name = "transfer that waited approved, the second of two";
    asks(&app, &caio, name, caio.patch(path, &word(&large, true))).await;
    let bad = send(&app, &ana, "ana", "bea", "45").await.ok();
    let name = "transfer that waited rejected";
    asks(&app, &bia, name, bia.patch(path, &word(&bad, false))).await;
}

#[actix_web::test]
async fn cases() {
    for (cleared, name) in [(true, "case cleared"), (false, "case not cleared")] {
        let app = statements::counted(TestApp::start()).await;
        let admin = app.admin("root").await;
        let ana = bonuses::first(&app, "ana").await;
        let bia = crate::affiliates::beneath(&app, "bia", ana.user).await;
        bonuses_related::relate(&app, &ana, &bia).await;
        fund(&app, &bia, Available, 200).await;
        bonuses::sell(&bia, 100).await;
        bonuses::works(&app).await;
        let open = admin.get("/admin/compliance/cases?status=open").await.ok();
        let body = json!({ "id": open["data"][0]["_id"], "cleared": cleared, "note": "Visto", "value": open["data"][0]["value"] });
        asks(&app, &admin, name, admin.patch("/admin/compliance/cases", &body)).await;
    }
}

#[actix_web::test]
async fn pool_revenue() {
    let app = statements::counted(TestApp::start()).await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let revenue = |proof: u8| pools::revenue(&app, &bia, "100", 3, 1, proof);
    let one = asks(&app, &bia, "pool revenue entered", revenue(1)).await;
    let name = "pool revenue approved by the second person";
    asks(&app, &caio, name, pools::decide(&caio, &one, true)).await;
    let two = revenue(2).await.ok();
    let name = "pool revenue rejected";
    asks(&app, &caio, name, pools::decide(&caio, &two, false)).await;
    let three = revenue(3).await.ok();
    unsaid(&app, &bia, ("pool revenue", "pool_revenue"), &id(&three)).await;

    let body = json!({ "name": "Liquidez 30", "termDays": 30, "minimum": "50" });
    asks(&app, &bia, "pool opened", bia.post("/admin/pools", &body)).await;
    let path = format!("/admin/pools/{}", pools::POOL_90);
    let body = json!({ "termDays": 10, "open": false, "version": 1 });
    asks(&app, &bia, "pool changed", bia.patch(&path, &body)).await;
}

#[actix_web::test]
async fn sponsorship_of_two() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |s| s.two_person_limit = Usdt::whole(5)).await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    fund(&app, &ana, Available, 100).await;
    fund(&app, &ana, Sponsored, 1).await;
    let licence = id(&crate::licences::buy(&ana, PLAN_100).await);
    let order = |operation: &'static str, licence: Option<String>| {
        let (bia, ana) = (&bia, &ana);
        async move { sponsorship::order(bia, ana, operation, "10", licence.as_deref()).await }
    };
    let agree = |request: &Value, agree: bool| {
        let body = json!({ "id": request["_id"], "approve": agree, "reason": "Engano" });
        let caio = &caio;
        async move { caio.patch("/admin/balance-manager/approve-reject", &body).await }
    };
    let name = "sponsorship that waits";
    let one = asks(&app, &bia, name, order("add", None)).await;
    let name = "sponsorship approved by the second person";
    asks(&app, &caio, name, agree(&one, true)).await;
    let two = order("add", Some(licence.clone())).await.ok();
    let name = "sponsorship in a licence approved by the second person";
    asks(&app, &caio, name, agree(&two, true)).await;
    let three = order("remove", None).await.ok();
    let name = "sponsorship taken back by the second person";
    asks(&app, &caio, name, agree(&three, true)).await;
    let four = order("remove", Some(licence)).await.ok();
    let name = "sponsorship in a licence taken back by the second person";
    asks(&app, &caio, name, agree(&four, true)).await;
    let five = order("add", None).await.ok();
    asks(&app, &caio, "sponsorship rejected", agree(&five, false)).await;
    let six = order("add", None).await.ok();
    unsaid(&app, &bia, ("sponsorship", "sponsorship"), &id(&six)).await;
}

#[actix_web::test]
async fn declared_holdings() {
    let app = statements::counted(TestApp::start()).await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let name = "holding declared";
    asks(&app, &bia, name, treasury::declare(&bia, "Kraken", "1000")).await;
    let name = "holding declared that waits";
    let waits = asks(&app, &bia, name, treasury::declare(&bia, "Kraken", "9000")).await;
    let name = "declared holding approved by the second person";
    asks(&app, &caio, name, treasury::decide(&caio, &waits, true, None)).await;
    let waits = treasury::declare(&bia, "Cofre", "9000").await.ok();
    let name = "declared holding rejected";
    asks(
        &app,
        &caio,
        name,
        treasury::decide(&caio, &waits, false, Some("Engano")),
    )
    .await;
    let waits = treasury::declare(&bia, "Cofre", "9000").await.ok();
    unsaid(&app, &bia, ("declared holding", "declared_holdings"), &id(&waits)).await;
}

#[actix_web::test]
async fn bonuses_of_ranks() {
    let (payout, ana, bia, eva) = statements::counted(graduations::scene(20_000)).await;
    let app = payout.app();
    let bronze = graduations::reached(&payout, &ana, 1, 50).await;
    let name = "rank's bonus paid by one person";
    asks(app, &bia, name, graduations::press(&bia, &bronze)).await;
    let name = "rank's bonus rejected";
    asks(app, &eva, name, graduations::reject(&eva, &bronze, "Engano")).await;
    let diamond = graduations::reached(&payout, &ana, 5, 7_500).await;
    let name = "rank's bonus paid, the first of two";
    let first = asks(app, &bia, name, graduations::press(&bia, &diamond)).await;
    let of = ("rank's bonus", "graduation_bonus");
    unsaid(app, &bia, of, &id(&first["data"])).await;
    graduations::press(&bia, &diamond).await.ok();
    let name = "rank's bonus paid, the second of two";
    asks(app, &eva, name, graduations::press(&eva, &diamond)).await;
}

#[actix_web::test]
async fn pix_withdrawals_decided() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    let ana = pix_withdrawals::customer(&app, "ana", "9000").await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let decide = pix_withdrawals::decide;
    let no = json!({ "status": "rejected", "reason": "Chave inválida" });
    pix_withdrawals::set_rate(&app, 50_000).await;
    let one = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    asks(
        &app,
        &bia,
        "PIX withdrawal rejected",
        decide(&bia, &one, no.clone()),
    )
    .await;

    let two = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    decide(&bia, &two, json!({})).await.ok();
    let path = |made: &Value, what: &str| format!("/admin/withdraw-pix/{}/{what}", pix_withdrawals::id(made));
    let bank = |n: &str| json!({ "endToEndId": pix::end_to_end(app.context.now(), n) });
    asks(
        &app,
        &bia,
        "PIX withdrawal paid",
        bia.post(&path(&two, "paid"), &bank("1")),
    )
    .await;
    let three = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    decide(&bia, &three, json!({})).await.ok();
    let path_of_three = path(&three, "receipt");
    asks(
        &app,
        &bia,
        "PIX withdrawal paid, its receipt",
        bia.upload(&path_of_three, "recibo.png", "image/png", pix::png(3)),
    )
    .await;
    let four = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    let name = "PIX withdrawal approved and paid";
    asks(&app, &bia, name, decide(&bia, &four, bank("2"))).await;
    let five = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    decide(&bia, &five, json!({})).await.ok();
    let name = "PIX withdrawal rejected by the bank";
    asks(&app, &bia, name, decide(&bia, &five, no)).await;

    let moved = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    pix_withdrawals::set_rate(&app, 48_000).await;
    let name = "PIX withdrawal whose rate moved";
    let asked = asks(&app, &bia, name, decide(&bia, &moved, json!({}))).await;
    let path = format!("/withdraw-pix/{}/requote", pix_withdrawals::id(&moved));
    let body = json!({ "brl": asked["offer"]["brl"] });
    asks(
        &app,
        &ana,
        "PIX withdrawal at the new rate",
        ana.post(&path, &body),
    )
    .await;
    let path = format!("/withdraw-pix/{}/cancel", pix_withdrawals::id(&moved));
    asks(&app, &ana, "PIX withdrawal canceled", ana.post(&path, &json!({}))).await;

    let large = pix_withdrawals::withdraw(&app, &ana, "ana", "5001").await;
    let name = "PIX withdrawal approved, the first of two";
    asks(&app, &bia, name, decide(&bia, &large, json!({}))).await;
    let of = pix_withdrawals::id(&large);
    unsaid(&app, &bia, ("PIX withdrawal", "pix_withdrawal"), &of).await;
    decide(&bia, &large, json!({})).await.ok();
    let name = "PIX withdrawal approved, the second of two";
    asks(&app, &caio, name, decide(&caio, &large, json!({}))).await;
}

/// What may be paid at the bank already, since somebody has seen its key.
#[actix_web::test]
async fn pix_withdrawals_not_paid() {
    let app = statements::counted(TestApp::start()).await;
    settings(&app, |_| {}).await;
    let ana = pix_withdrawals::customer(&app, "ana", "300").await;
    let (bia, caio, rui) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.admin("rui").await,
    );
    let made = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    pix_withdrawals::approve(&bia, &made).await.ok();
    let path = format!("/admin/withdraw-pix/{}/key", id(&made));
    let name = "PIX withdrawal's key shown";
    asks(&app, &caio, name, caio.post(&path, &json!({}))).await;
    let name = "PIX withdrawal not paid, said by who saw its key";
    asks(&app, &caio, name, pix_unpaid::reject(&caio, &made)).await;

    let made = pix_withdrawals::withdraw(&app, &ana, "ana", "50").await;
    pix_withdrawals::approve(&bia, &made).await.ok();
    pix_unpaid::look(&caio, &made).await;
    let name = "PIX withdrawal not paid, the first of two";
    asks(&app, &rui, name, pix_unpaid::reject(&rui, &made)).await;
    let of = ("unpaid PIX withdrawal", "pix_unpaid");
    unsaid(&app, &rui, of, &id(&made)).await;
    pix_unpaid::reject(&rui, &made).await.ok();
    let name = "PIX withdrawal not paid, the second of two";
    asks(&app, &bia, name, pix_unpaid::reject(&bia, &made)).await;

    let path = format!("/admin/pix/holder/{}", ana.user);
    let body = json!({ "reason": "Documento de outra pessoa" });
    let call = bia.send(bia.request(Method::DELETE, &path).json(&body));
    asks(&app, &bia, "document taken off a customer", call).await;
}

#[actix_web::test]
async fn crypto_withdrawals_decided() {
    let payout = statements::counted(payout::Payout::open()).await;
    let app = payout.app();
    payout.capital(Coin::Bnb, super::coins(10)).await;
    let (ana, bia, caio) = (
        payout.customer("ana", 9_000).await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let one = payout.pending(&ana, "usdt", AWAY, "100").await;
    let name = "crypto withdrawal rejected";
    asks(app, &bia, name, payout::reject(&bia, &one, "Endereço errado")).await;
    let two = payout.pending(&ana, "usdt", AWAY, "100").await;
    let body = json!({ "id": payout::id(&two) });
    asks(
        app,
        &ana,
        "crypto withdrawal canceled",
        ana.post("/withdraw/cancel", &body),
    )
    .await;
    let three = payout.approved(&ana, &bia, AWAY, "100").await;
    let name = "crypto withdrawal rejected, approved before";
    asks(app, &bia, name, payout::reject(&bia, &three, "Engano")).await;

    payout.price("BNB", Usdt::whole(600));
    let moved = payout.pending(&ana, "bnb", AWAY, "300").await;
    payout.price("BNB", Usdt::whole(590));
    let name = "crypto withdrawal whose rate moved";
    let asked = asks(app, &bia, name, payout::decide(&bia, &moved, json!({}))).await;
    let body = json!({ "id": payout::id(&moved), "amount": asked["offer"]["amount"] });
    asks(
        app,
        &ana,
        "crypto withdrawal at the new rate",
        ana.post("/withdraw/requote", &body),
    )
    .await;

    let large = payout.pending(&ana, "usdt", AWAY, "5001").await;
    let name = "crypto withdrawal approved, the first of two";
    asks(app, &bia, name, payout::decide(&bia, &large, json!({}))).await;
    let of = ("crypto withdrawal", "crypto_withdrawal");
    unsaid(app, &bia, of, &payout::id(&large)).await;
    payout::decide(&bia, &large, json!({})).await.ok();
    let name = "crypto withdrawal approved, the second of two";
    asks(app, &caio, name, payout::decide(&caio, &large, json!({}))).await;
}

#[actix_web::test]
async fn what_failed_on_the_chain() {
    let payout = statements::counted(payout::Payout::open()).await;
    let app = payout.app();
    let (ana, bia) = (payout.customer("ana", 500).await, app.admin("bia").await);
    let usdt = payout.desk.chain.contracts().usdt.unwrap();
    let faucet = payout.desk.chain.faucet();
    faucet
        .call(usdt, U256::ZERO, sender::PAUSE.to_vec())
        .await
        .unwrap();
    payout.desk.chain.mine(1).await;
    let (one, two) = (
        payout.approved(&ana, &bia, AWAY, "50").await,
        payout.approved(&ana, &bia, AWAY, "60").await,
    );
    payout.round().await;
    payout.finish().await;
    let name = "crypto withdrawal sent once more";
    asks(
        app,
        &bia,
        name,
        payout::decide(&bia, &one, json!({ "status": "retry" })),
    )
    .await;
    let name = "crypto withdrawal rejected, failed before";
    asks(app, &bia, name, payout::reject(&bia, &two, "A rede recusou")).await;
}

#[actix_web::test]
async fn deposits_taken_back() {
    let app = statements::counted(TestApp::start()).await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let deposit = claw_back::credited(&app, &ana, &bia, "100", 1).await;
    let name = "PIX deposit taken back";
    asks(&app, &bia, name, claw_back::reverse(&bia, &deposit)).await;
    let large = pix::with_proof(&ana, "5001", 2).await;
    let bank = pix::end_to_end(app.context.now(), "2");
    let name = "PIX deposit approved, the first of two";
    asks(&app, &bia, name, pix::approve(&bia, &large, &bank)).await;
    unsaid(&app, &bia, ("PIX deposit", "pix_deposit"), &pix::id(&large)).await;
    pix::approve(&bia, &large, &bank).await.ok();
    let name = "PIX deposit approved, the second of two";
    asks(&app, &caio, name, pix::approve(&caio, &large, &bank)).await;
    let name = "PIX deposit taken back, the first of two";
    asks(&app, &bia, name, claw_back::reverse(&bia, &large)).await;
    let of = ("credit of a PIX deposit", "pix_reversal");
    unsaid(&app, &bia, of, &pix::id(&large)).await;
    claw_back::reverse(&bia, &large).await.ok();
    let name = "PIX deposit taken back, the second of two";
    asks(&app, &caio, name, claw_back::reverse(&caio, &large)).await;
}

#[actix_web::test]
async fn rounds_of_pyx() {
    let app = statements::counted(TestApp::start()).await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let mut terms = presale::terms(&app);
    terms["startsAt"] = json!(presale::at(&app, time::Duration::HOUR));
    let made = asks(
        &app,
        &bia,
        "round of PYX proposed",
        bia.post("/admin/presale/rounds", &terms),
    )
    .await;
    let round = made["_id"].as_str().unwrap();
    terms["price"] = json!("0.6");
    let path = format!("/admin/presale/rounds/{round}");
    asks(&app, &bia, "round of PYX changed", bia.patch(&path, &terms)).await;
    asks(
        &app,
        &caio,
        "round of PYX agreed to",
        presale::agree_to(&caio, round, &json!(2)),
    )
    .await;
    terms["startsAt"] = json!(presale::at(&app, time::Duration::days(2)));
    terms["endsAt"] = json!(presale::at(&app, time::Duration::days(3)));
    let other = presale::propose(&bia, &terms).await;
    let path = format!("/admin/presale/rounds/{other}/withdraw");
    asks(
        &app,
        &caio,
        "round of PYX withdrawn",
        caio.post(&path, &json!({})),
    )
    .await;
    let other = presale::propose(&bia, &terms).await;
    unsaid(&app, &bia, ("round of PYX", "money_settings"), &other).await;
}
