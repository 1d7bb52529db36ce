//! Money out over the chain as those who decide have it: by two where it is much, once, with what it does to the coverage.

use super::payout::{AWAY, Payout, Setup, decide, id, reject};
use crate::{
    approval_preview::{preview, told},
    guard::settings,
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::wallet::chain::Coin;

#[actix_web::test]
async fn two_persons_and_never_one_twice() {
    let payout = Payout::with(Setup {
        usdt: 50_000,
        ..Setup::default()
    })
    .await;
    let ana = payout.customer("ana", 20_000).await;
    let (bia, caio) = (payout.app().admin("bia").await, payout.app().admin("caio").await);
    let large = payout.pending(&ana, "usdt", AWAY, "6000").await;
    assert_eq!(large["approvalsNeeded"], 2);
    let half = decide(&bia, &large, json!({})).await.ok();
    assert_eq!(
        (&half["status"], &half["approvals"]),
        (&json!("pending"), &json!(1))
    );
    let said = preview(
        &caio,
        "crypto_withdrawal",
        &format!("id={}", large["_id"].as_str().unwrap()),
    )
    .await;
    assert_eq!(told(&said), (2, true, vec!["bia"]));
    payout.round().await;
    assert_eq!(payout.status(&ana, &large).await, "pending");
    decide(&bia, &large, json!({}))
        .await
        .refused(409, "decision.same_person");
    assert_eq!(decide(&caio, &large, json!({})).await.ok()["status"], "approved");
    // The database agrees to nothing less.
    let forced = sqlx::query("UPDATE wallet.withdrawal SET status = 'approved' WHERE status = 'pending'")
        .execute(&payout.app().sql)
        .await
        .unwrap();
    assert_eq!(forced.rows_affected(), 0);
    let other = payout.pending(&ana, "usdt", AWAY, "50").await;
    let forced = sqlx::query("UPDATE wallet.withdrawal SET status = 'approved', digest = decode(repeat('00', 32), 'hex') WHERE id = $1")
        .bind(uuid::Uuid::parse_str(&id(&other)).unwrap())
        .execute(&payout.app().sql)
        .await;
    assert!(forced.is_err(), "approved without approvals");
    // Nobody decides on own money.
    let dora = payout.app().admin("dora").await;
    payout.credit(&dora, 100).await;
    let own = payout.pending(&dora, "usdt", AWAY, "20").await;
    decide(&dora, &own, json!({}))
        .await
        .refused(403, "decision.own_money");
}

#[actix_web::test]
async fn decisions_at_the_same_moment() {
    let payout = Payout::open().await;
    let ana = payout.customer("ana", 1_000).await;
    let (bia, caio) = (payout.app().admin("bia").await, payout.app().admin("caio").await);
    for _ in 0..6 {
        // Two approve, one cancels: one of them wins, and the others are told.
        let row = payout.pending(&ana, "usdt", AWAY, "20").await;
        let cancel = json!({ "id": id(&row) });
        let (a, b, c) = tokio::join!(
            decide(&bia, &row, json!({})),
            decide(&caio, &row, json!({})),
            ana.post("/withdraw/cancel", &cancel)
        );
        let won = [&a, &b, &c].iter().filter(|r| r.status == 200).count();
        assert_eq!(won, 1, "{a:?} {b:?} {c:?}");
        // A link that two windows press.
        payout.ask_for(&ana, "usdt", AWAY, "20").await.ok();
        let token = json!({ "token": payout.link(&ana).await });
        let (a, b) = tokio::join!(
            ana.post("/withdraw/confirm", &token),
            ana.post("/withdraw/confirm", &token)
        );
        assert_eq!([a.status, b.status].iter().filter(|s| **s == 200).count(), 1);
        // The sender against a rejection: either it leaves, or it comes back.
        let row = payout.approved(&ana, &bia, AWAY, "10").await;
        let (refused, ()) = tokio::join!(reject(&caio, &row, "Engano"), payout.round());
        let status = payout.status(&ana, &row).await;
        assert_eq!(
            status == "rejected",
            refused.status == 200,
            "{status} {refused:?}"
        );
    }
    payout.finish().await;
    payout.round().await;
    payout.finish().await;
    let paid = payout
        .count("SELECT coalesce(sum(wei / 1000000000000), 0)::bigint FROM wallet.withdrawal WHERE status = 'complete'")
        .await;
    let came = payout.on_chain(Coin::Usdt, AWAY).await;
    assert_eq!(came, server::wallet::chain::wei::of(paid));
    payout.desk.exact().await;
}

#[actix_web::test]
async fn whoever_decides_sees_what_it_does_to_the_coverage() {
    let payout = Payout::open().await;
    payout.price("BNB", Usdt::whole(600));
    let ana = payout.customer("ana", 1_000).await;
    let admin = payout.app().admin("bia").await;
    let row = payout.pending(&ana, "usdt", AWAY, "100").await;
    let report = admin.get("/admin/solvency").await.ok();
    let effect = async |row: &Value| admin.get(&format!("/admin/coverage/crypto/{}", id(row))).await;
    let shown = effect(&row).await.ok();
    assert_eq!(shown["before"], report["coverage"]);
    // 98 of what is held leave, 100 of the 1 000 are owed no more.
    let held: Usdt = report["heldTotal"].as_str().unwrap().parse().unwrap();
    let parts = (held.0 - 98_000_000) / 90_000;
    assert_eq!(
        shown["after"],
        format!("{}.{:02}", parts / 100, parts % 100),
        "{held}"
    );
    decide(&admin, &row, json!({})).await.ok();
    assert_eq!(
        effect(&row).await.ok()["after"],
        shown["after"],
        "it has not left yet"
    );
    payout.round().await;
    for gone in [&row, &json!({ "_id": uuid::Uuid::now_v7().to_string() })] {
        effect(gone).await.refused(404, "request.not_found");
    }
    admin
        .get(&format!("/admin/coverage/pix/{}", id(&row)))
        .await
        .refused(404, "request.not_found");
    ana.get(&format!("/admin/coverage/crypto/{}", id(&row)))
        .await
        .refused(403, "auth.forbidden");
}

#[actix_web::test]
async fn a_case_is_shown_with_what_waits_and_ends_with_it() {
    let payout = Payout::open().await;
    settings(payout.app(), |s| s.compliance_amount = Usdt::whole(15)).await;
    let ana = payout.customer("ana", 100).await;
    let bia = payout.app().admin("bia").await;
    let only = async |status: &str| {
        let calls = format!("/admin/compliance/cases?status={status}");
        bia.get(&calls).await.ok()["data"].clone()
    };
    // Taken back by its owner: nobody decided.
    let first = payout.pending(&ana, "usdt", AWAY, "20").await;
    let list = bia.get("/admin/crypto-withdrawal-list?status=pending").await.ok();
    assert_eq!(list["data"][0]["case"]["status"], "open");
    assert_eq!(only("open").await[0]["subject"], first["_id"]);
    ana.post("/withdraw/cancel", &json!({ "id": id(&first) }))
        .await
        .ok();
    let lapsed = only("lapsed").await;
    assert_eq!(
        (&lapsed[0]["subject"], &lapsed[0]["decidedBy"]),
        (&first["_id"], &Value::Null)
    );
    // Rejected: refused with the reason. Approved: cleared, and it stays so when the money comes back.
    let second = payout.pending(&ana, "usdt", AWAY, "20").await;
    reject(&bia, &second, "Endereço suspeito").await.ok();
    let refused = only("refused").await;
    assert_eq!(
        (&refused[0]["subject"], &refused[0]["note"]),
        (&second["_id"], &json!("Endereço suspeito"))
    );
    let third = payout.approved(&ana, &bia, AWAY, "20").await;
    assert_eq!(only("cleared").await[0]["subject"], third["_id"]);
    reject(&bia, &third, "Engano").await.ok();
    assert_eq!(only("cleared").await[0]["subject"], third["_id"]);
    assert_eq!(only("open").await, json!([]));
}
