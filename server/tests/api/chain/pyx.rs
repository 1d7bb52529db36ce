//! PYX of the books on their way to a wallet: whole, with a fee of their own from the balance.

use super::{
    desk::coins,
    payout::{AWAY, Payout, decide, id, order, reject},
    sender::PAUSE,
};
use crate::{
    guard::settings,
    kit::{Client, live::Live},
    notifications,
    presale::{self, pyx},
    presale_market::{self, trader},
};
use alloy::primitives::U256;
use protocol::money::{Pyx, Usdt};
use serde_json::json;
use server::{
    approvals::guard,
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind,
            UserAccount::{self, PyxHeld, PyxLocked},
        },
        service as ledger,
    },
    payouts::service as withdrawals,
    wallet::{
        chain::{Coin, wei},
        withdrawals::Crypto,
    },
};
use time::Duration;

async fn give(payout: &Payout, user: &Client, account: UserAccount, amount: i64) {
    let mut tx = payout.app().context.db.begin().await.unwrap();
    let transfer = Transfer::new(
        TransferKind::PresaleVesting,
        uuid::Uuid::now_v7().to_string(),
        Cause::new(CauseKind::User, user.user.0),
        Orderer::System,
    )
    .pyx(AccountRef::House(HouseAccount::PyxSupply), -Pyx::whole(amount))
    .pyx(AccountRef::User(user.user, account), Pyx::whole(amount));
    ledger::post(&mut tx, transfer).await.unwrap();
    tx.commit().await.unwrap();
}

/// A round at 0.50, the house's PYX on the chain and in the books, somebody with 100 of them and so many USDT.
async fn open(usdt: i64) -> (Payout, Client) {
    let payout = Payout::open().await;
    presale::round(payout.app(), &presale::terms(payout.app())).await;
    payout.fill(Coin::Pyx, coins(100_000)).await;
    payout.capital(Coin::Pyx, coins(100_000)).await;
    let ana = payout.customer("ana", usdt).await;
    give(&payout, &ana, UserAccount::Pyx, 100).await;
    (payout, ana)
}

async fn balances(payout: &Payout, user: &Client) -> [i64; 4] {
    [
        pyx(payout.app(), user, UserAccount::Pyx).await.0,
        pyx(payout.app(), user, PyxHeld).await.0,
        payout.desk.balance(user, "available").await,
        payout.desk.balance(user, "held").await,
    ]
}

const ONE: i64 = 1_000_000;

#[actix_web::test]
async fn from_the_books_to_the_wallet() {
    let (payout, ana) = open(10).await;
    let admin = payout.app().admin("bia").await;
    let terms = ana.get("/withdraw/terms").await.ok();
    assert_eq!(
        (&terms["pyxFee"], &terms["pyxMinimum"], &terms["coins"][3]),
        (&json!("1.000000"), &json!("1.000000"), &json!("pyx"))
    );
    let quote = ana
        .post("/withdraw/quote", &order("pyx", AWAY, "40.5"))
        .await
        .ok();
    let sent = wei::of(40_500_000);
    assert_eq!(
        [
            &quote["fee"],
            &quote["net"],
            &quote["value"],
            &quote["amount"],
            &quote["rate"],
            &quote["codeAmount"]
        ],
        [
            &json!("1.000000"),
            &json!("20.250000"),
            &json!("21.250000"),
            &json!(sent.to_string()),
            &json!("0.500000"),
            &json!("40.500000 PYX")
        ]
    );
    let mut socket = Live::open(payout.app(), &ana).await;
    socket.subscribe(&format!("user:{}", ana.user)).await;
    let row = payout.pending(&ana, "pyx", AWAY, "40.5").await;
    assert_eq!(
        balances(&payout, &ana).await,
        [59_500_000, 40_500_000, 9 * ONE, ONE]
    );
    let told = socket.fact("presale.changed").await;
    assert_eq!(told["event"]["balances"]["held"], "40.500000");
    let mail: String =
        sqlx::query_scalar("SELECT text_body FROM foundation.mail WHERE template = 'crypto_withdrawal_link'")
            .fetch_one(&payout.app().sql)
            .await
            .unwrap();
    assert!(mail.contains("40,50 PYX") && mail.contains("1,00 USDT"), "{mail}");
    let queue = admin.get("/admin/crypto-withdrawal-list?coin=pyx").await.ok();
    assert_eq!(queue["data"][0]["_id"], row["_id"]);
    decide(&admin, &row, json!({})).await.ok();
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "complete");
    assert_eq!(payout.on_chain(Coin::Pyx, AWAY).await, sent);
    // A ticket that points at it names the PYX, as its lines and its mail do, not their worth.
    let subject = &ana.get("/support/subjects").await.ok()["data"][0];
    assert_eq!(
        [&subject["kind"], &subject["amount"], &subject["currency"]],
        [&json!("crypto_withdrawal"), &json!("40.500000"), &json!("PYX")]
    );
    notifications::drain(payout.app()).await;
    let lines = notifications::inbox(&ana).await;
    assert_eq!(
        notifications::codes(&lines),
        ["pyx_withdrawal_complete", "pyx_withdrawal_sent"]
    );
    for line in lines["data"].as_array().unwrap() {
        let params = line["params"].as_object().unwrap();
        assert_eq!((&params["amount"], params.get("usdt")), (&json!("40.5"), None));
    }
    let mail: (String, String) =
        sqlx::query_as("SELECT subject, text_body FROM foundation.mail WHERE template = 'crypto_withdrawal'")
            .fetch_one(&payout.app().sql)
            .await
            .unwrap();
    assert!(
        mail.0.contains("40,50 PYX") && mail.1.contains("40,50 PYX") && !mail.1.contains("21,25"),
        "{mail:?}"
    );
    assert_eq!(balances(&payout, &ana).await, [59_500_000, 0, 9 * ONE, 0]);
    assert_eq!(
        (
            payout.desk.house("network_fund").await,
            payout.desk.house("withdrawal_fees").await
        ),
        (500_000, 500_000)
    );
    payout.desk.exact().await;
    // Beside the coverage: what people still have in the books, what has left them, what lies on the chain.
    let report = admin.get("/admin/solvency").await.ok();
    assert_eq!(
        [
            &report["pyx"]["owed"],
            &report["pyx"]["withdrawn"],
            &report["pyx"]["onChain"],
            &report["owedTotal"]
        ],
        [
            &json!("59.500000"),
            &json!("40.500000"),
            &json!("99959.500000"),
            &json!("9.000000")
        ]
    );
    let held = report["held"].as_array().unwrap();
    assert!(held.iter().all(|line| line["currency"] != "PYX"), "{report}");
}

#[actix_web::test]
async fn what_is_refused() {
    let (payout, ana) = open(1).await;
    give(&payout, &ana, PyxLocked, 500).await;
    let ask = |value: &'static str| payout.ask_for(&ana, "pyx", AWAY, value);
    for (value, code) in [
        ("0.999999", "withdrawal.invalid"),
        ("-1", "withdrawal.invalid"),
        ("dez", "withdrawal.invalid"),
        // What is still locked is not theirs to send.
        ("100.000001", "balance.insufficient"),
    ] {
        ask(value).await.refused(422, code);
    }
    let row = ask("99").await.ok();
    let reply = ask("1").await;
    reply.refused(422, "withdrawal.fee_uncovered");
    assert_eq!(
        reply.body["errors"]["value"][0],
        "Seu saldo em USDT não cobre a taxa deste saque."
    );
    ana.post("/withdraw/cancel", &json!({ "id": id(&row) }))
        .await
        .ok();
    // Young money pays no fee; what the PYX are worth does not draw on it.
    let mut tx = payout.app().context.db.begin().await.unwrap();
    guard::note_pix_credit(&mut tx, ana.user, uuid::Uuid::now_v7(), Usdt(500_000))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    ask("50").await.refused(422, "outbound.young");
    payout.credit(&ana, 1).await;
    ask("50").await.ok();
    // Without a fee none is held; the limits see what the PYX are worth.
    settings(payout.app(), |s| {
        s.pyx_withdrawal_fee = Usdt::ZERO;
        s.outbound_per_transaction = Usdt::whole(10);
    })
    .await;
    ask("20.000002").await.refused(422, "outbound.transaction_limit");
    ask("20").await.ok();
    assert_eq!(balances(&payout, &ana).await, [30 * ONE, 70 * ONE, ONE, ONE]);
    payout.desk.exact().await;
}

/// A trade at the bottom of the band does not make what leaves look smaller.
#[actix_web::test]
async fn what_leaves_is_worth_the_reference_at_least() {
    let (payout, ana) = open(10).await;
    let app = payout.app();
    app.clock.advance(Duration::hours(25));
    let (bea, caio) = (
        trader(app, "bea", 100, 0).await,
        trader(app, "caio", 0, 100).await,
    );
    presale_market::order(&bea, "buy", "0.42", "10").await.ok();
    let sold = presale_market::order(&caio, "sell", "0.42", "10").await.ok();
    assert_eq!(sold["total"], "4.200000");
    let quote = app
        .renew(&ana)
        .post("/withdraw/quote", &order("pyx", AWAY, "40"))
        .await
        .ok();
    assert_eq!(
        [&quote["rate"], &quote["net"]],
        [&json!("0.500000"), &json!("20.000000")]
    );
}

#[actix_web::test]
async fn without_a_price_nothing_is_asked_for() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 10).await;
    give(&payout, &ana, UserAccount::Pyx, 10).await;
    payout
        .ask_for(&ana, "pyx", AWAY, "5")
        .await
        .refused(503, "rate.unavailable");
}

#[actix_web::test]
async fn every_way_back_gives_both_back() {
    let (payout, ana) = open(10).await;
    let admin = payout.app().admin("bia").await;
    let full = [100 * ONE, 0, 10 * ONE, 0];
    let first = payout.ask_for(&ana, "pyx", AWAY, "20").await.ok();
    ana.post("/withdraw/cancel", &json!({ "id": id(&first) }))
        .await
        .ok();
    assert_eq!(balances(&payout, &ana).await, full);
    let second = payout.pending(&ana, "pyx", AWAY, "20").await;
    reject(&admin, &second, "Endereço suspeito").await.ok();
    assert_eq!(balances(&payout, &ana).await, full);
    payout.ask_for(&ana, "pyx", AWAY, "20").await.ok();
    payout.app().clock.advance(Duration::minutes(31));
    assert!(
        withdrawals::expire_one::<Crypto>(&payout.app().context)
            .await
            .unwrap()
    );
    assert_eq!(balances(&payout, &ana).await, full);
    // Approved and not sent yet.
    let (ana, admin) = (payout.app().renew(&ana), payout.app().renew(&admin));
    let third = payout.pending(&ana, "pyx", AWAY, "20").await;
    decide(&admin, &third, json!({})).await.ok();
    reject(&admin, &third, "Engano").await.ok();
    assert_eq!(balances(&payout, &ana).await, full);
    // A reversed credit takes back what has not left, the PYX too.
    payout.pending(&ana, "pyx", AWAY, "20").await;
    let context = &payout.app().context;
    let mut tx = context.db.begin().await.unwrap();
    let canceled = server::approvals::unsent::cancel(context, &mut tx, ana.user, "Crédito revertido")
        .await
        .unwrap();
    server::approvals::unsent::tell(context, &mut tx, &canceled)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(balances(&payout, &ana).await, full);
    let open = "SELECT count(*) FROM approvals.outbound WHERE released_at IS NULL";
    assert_eq!(payout.count(open).await, 0, "the rolling limits are free again");
    payout.desk.exact().await;
}

#[actix_web::test]
async fn what_the_chain_refuses_is_sent_again_or_given_back() {
    let (payout, ana) = open(10).await;
    let (bia, caio) = (payout.app().admin("bia").await, payout.app().admin("caio").await);
    // Worth more than the limit of one person: 100 at 0.50, and a limit of 40.
    settings(payout.app(), |s| s.two_person_limit = Usdt::whole(40)).await;
    let row = payout.pending(&ana, "pyx", AWAY, "100").await;
    assert_eq!(row["approvalsNeeded"], 2);
    assert_eq!(decide(&bia, &row, json!({})).await.ok()["status"], "pending");
    assert_eq!(decide(&caio, &row, json!({})).await.ok()["status"], "approved");
    let token = payout.desk.chain.contracts().pyx.unwrap();
    let faucet = payout.desk.chain.faucet();
    faucet.call(token, U256::ZERO, PAUSE.to_vec()).await.unwrap();
    payout.desk.chain.mine(1).await;
    payout.round().await;
    payout.finish().await;
    assert_eq!(payout.status(&ana, &row).await, "failed");
    reject(&bia, &row, "A rede recusou").await.ok();
    assert_eq!(balances(&payout, &ana).await, [100 * ONE, 0, 10 * ONE, 0]);
    assert_eq!(payout.on_chain(Coin::Pyx, AWAY).await, U256::ZERO);
    payout.desk.exact().await;
}

#[actix_web::test]
async fn many_at_once_keep_every_unit() {
    let (payout, ana) = open(4).await;
    let admin = payout.app().admin("bia").await;
    // 100 PYX and fees for four: of six tries of 30 at once three pass, whoever comes first.
    let tries = (0..6).map(|_| payout.ask_for(&ana, "pyx", AWAY, "30"));
    let replies = futures_util::future::join_all(tries).await;
    let won: Vec<_> = replies.iter().filter(|r| r.status == 201).collect();
    assert_eq!(won.len(), 3, "{replies:?}");
    assert_eq!(balances(&payout, &ana).await, [10 * ONE, 90 * ONE, ONE, 3 * ONE]);
    // The last one's link is pressed while another is cancelled and PYX are set aside for an order.
    let token = json!({ "token": payout.link(&ana).await });
    let cancel = json!({ "id": won[0].body["_id"] });
    let (confirmed, canceled) = tokio::join!(
        ana.post("/withdraw/confirm", &token),
        ana.post("/withdraw/cancel", &cancel)
    );
    assert_eq!(canceled.status, 200);
    if confirmed.status == 200 && confirmed.body["_id"] != won[0].body["_id"] {
        decide(&admin, &confirmed.body, json!({})).await.ok();
        payout.round().await;
        payout.finish().await;
        assert_eq!(payout.status(&ana, &confirmed.body).await, "complete");
        assert_eq!(balances(&payout, &ana).await, [40 * ONE, 30 * ONE, 2 * ONE, ONE]);
    }
    payout.desk.exact().await;
}
