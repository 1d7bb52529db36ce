//! What somebody still has who closes their account: it is in the way, or it is left to the house by who names it whole.

use crate::{
    closing::{ask, in_the_way, its_day, state, status},
    identity::people::{lift_caps, mail, mails, member, security_code},
    kit::{Client, TestApp},
    licences::{balance, exact, fund, house},
    pix::{approve, end_to_end, with_proof},
    staff_people::edit,
};
use protocol::money::{Pyx, Usdt};
use serde_json::{Value, json};
use server::{
    foundation::clock::Clock,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use time::Duration;

#[actix_web::test]
async fn what_is_in_the_way_is_said_and_uses_no_code_up() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let admin = app.admin("bia").await;
    // Who decides, the last of them too, loses the role first.
    let body = json!({ "password": "any", "securityCode": "123456" });
    admin
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.by_two");

    let ana = member(&app, "Ana", "arbora").await;
    for (status, reason) in [("inactive", "suspeita"), ("active", "voltou")] {
        let change = json!({ "status": status, "reason": reason });
        assert_eq!(edit(&admin, &ana.client, change).await.status, 200);
    }
    let code = security_code(&app, &ana, "close-account").await;
    let body = json!({ "password": ana.password, "securityCode": code });
    let proof = with_proof(&ana.client, "40", 3).await;
    let now = app.clock.now();
    let add = [
        "UPDATE identity.account SET hold_until = $2 WHERE id = $1",
        "INSERT INTO approvals.compliance_case (id, user_id, flow, usdt, reasons, opened_at)
         VALUES (gen_random_uuid(), $1, 'transfer', 1, ARRAY['amount'], $2)",
    ];
    for sql in add {
        sqlx::query(sql)
            .bind(ana.client.user.0)
            .bind(now + Duration::HOUR)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    let view = ana.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&view), ["deposits", "cases", "hold"]);
    assert_eq!(
        (&view["needs"][0]["count"], &view["needs"][0]["ways"]),
        (&json!(1), &json!(["pix"]))
    );
    assert_eq!(view["needs"][1]["ways"], json!([]));
    assert!(view["needs"][2]["until"].is_string());
    let bea = member(&app, "Bea", "arbora").await;
    fund(&app, &bea.client, UserAccount::Available, 5).await;
    fund(&app, &bea.client, UserAccount::Sponsored, 7).await;
    let rich = bea.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&rich), ["available", "sponsored"]);
    assert_eq!(
        (&rich["needs"][0]["usdt"], &rich["needs"][1]["usdt"]),
        (&json!("5.000000"), &json!("7.000000"))
    );
    ana.client
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.unsettled");

    // One after the other is settled; the last thing alone is enough.
    let no = json!({ "id": proof["_id"], "status": "rejected", "reason": "Não chegou" });
    admin.patch("/admin/deposits-pix-approve-reject", &no).await.ok();
    let settle = [
        "UPDATE approvals.compliance_case SET status = 'cleared', decided_at = $2,
             decided_by = (SELECT id FROM identity.account WHERE username = 'bia') WHERE user_id = $1",
        "UPDATE identity.account SET hold_until = $2::timestamptz - interval '1 day' WHERE id = $1",
    ];
    for sql in settle {
        ana.client
            .post("/me/closing", &body)
            .await
            .refused(422, "closing.unsettled");
        sqlx::query(sql)
            .bind(ana.client.user.0)
            .bind(now)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    // A wallet of one's own is settled by its owner.
    sqlx::query(
        "WITH key AS (
             INSERT INTO wallet.master_key (version, fingerprint, created_at) VALUES (7, decode(repeat('c1', 32), 'hex'), now()) RETURNING version)
         INSERT INTO wallet.user_wallet (id, owner, address, entropy, data_key, key_version, created_at)
         SELECT gen_random_uuid(), $1, decode(repeat('c2', 20), 'hex'), decode(repeat('c3', 44), 'hex'), decode(repeat('c4', 60), 'hex'), version, now()
         FROM key",
    )
    .bind(ana.client.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    ana.client
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.wallet");
    let mut settled = body.clone();
    settled["walletSettled"] = json!(true);
    settled["reason"] = json!("Vou usar outra plataforma");
    let view = ana.client.post("/me/closing", &settled).await.ok();
    assert!(
        view["waiting"]["dueAt"].is_string(),
        "the refusals used no code up"
    );
    its_day(&app).await;
    let admin = app.renew(&admin);
    let person = admin.get(&format!("/admin/user/{}", ana.client.user)).await.ok();
    assert_eq!(person["closingReason"], "Vou usar outra plataforma");
    assert!(person["closedAt"].is_string());
    // What staff had said of it is not overwritten.
    assert_eq!(
        (&person["statusReason"], &person["statusBy"]["username"]),
        (&json!("voltou"), &json!("bia"))
    );
}

/// A change that one of the team asked for is no role that decides.
#[actix_web::test]
async fn a_change_that_waits_for_a_second_word_has_its_own_name() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let ana = member(&app, "Ana", "arbora").await;
    let waits = edit(&root, &ana.client, json!({ "email": "outro@example.com" })).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    let view = ana.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&view), ["change"]);
    let body = json!({ "password": ana.password, "securityCode": "123456" });
    ana.client
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.unsettled");
}

#[actix_web::test]
async fn what_came_in_meanwhile_keeps_it_open() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    fund(&app, &ana.client, UserAccount::Available, 5).await;
    its_day(&app).await;
    assert_eq!(
        (
            &*status(&app, &ana.client).await,
            &*state(&app, &ana.client).await
        ),
        ("active", "kept")
    );
    assert_eq!(mails(&app, &ana.email, "closing").await, 2);
    let client = app.renew(&ana.client);
    let me = client.get("/me").await.ok();
    assert_eq!(me["user"]["closingAt"], Value::Null);
    assert_eq!(in_the_way(&client.get("/me/closing").await.ok()), ["available"]);
}

/// A rank that somebody has reached, whose bonus nobody has asked to be paid.
async fn ranked(app: &TestApp, who: &Client) {
    sqlx::query(
        "WITH day AS (
             INSERT INTO affiliates.closing (id, day, settings_version, opened_at, step, finished_at)
             VALUES (gen_random_uuid(), '2026-11-01', 1, $2, 'done', $2) RETURNING id)
         INSERT INTO affiliates.graduation (id, member, rank, threshold, rate, amount, settings_version, closing, business_day, reached_at)
         SELECT gen_random_uuid(), $1, 1, 1000000000, 50000, 50000000, 1, id, '2026-11-01', $2 FROM day",
    )
    .bind(who.user.0)
    .bind(app.clock.now())
    .execute(&app.sql)
    .await
    .unwrap();
}

/// PYX of somebody's own, as a round that has ended brings them.
async fn coins(app: &TestApp, who: &Client, pyx: Pyx) {
    let mut tx = app.context.db.begin().await.unwrap();
    let vested = Transfer::new(
        TransferKind::PresaleVesting,
        "some-coins",
        Cause::new(CauseKind::User, who.user.0),
        Orderer::System,
    )
    .pyx(AccountRef::House(HouseAccount::PyxSupply), -pyx)
    .pyx(AccountRef::User(who.user, UserAccount::Pyx), pyx);
    ledger::post(&mut tx, vested).await.unwrap();
    tx.commit().await.unwrap();
}

/// Less than the smallest withdrawal, and a prize that nobody pays, keep nobody here who names them whole.
#[actix_web::test]
async fn what_is_too_little_to_be_taken_out_is_left_to_the_house() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    fund(&app, &ana.client, UserAccount::Available, 3).await;
    coins(&app, &ana.client, Pyx(400_000)).await;
    ranked(&app, &ana.client).await;
    let view = ana.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&view), ["available", "pyx", "ranks"]);
    let needs = view["needs"].as_array().unwrap();
    assert!(needs.iter().all(|need| need["leavable"] == true), "{view}");
    let code = security_code(&app, &ana, "close-account").await;
    let mut body = json!({ "password": ana.password, "securityCode": code });
    for left in [
        json!(null),
        json!({ "available": "3" }),
        json!({ "available": "3", "ranks": "50" }),
        json!({ "available": "2.999999", "pyx": "0.4", "ranks": "50" }),
        json!({ "available": "3.000001", "pyx": "0.4", "ranks": "50" }),
    ] {
        body["left"] = left;
        ana.client
            .post("/me/closing", &body)
            .await
            .refused(422, "closing.unsettled");
    }
    body["left"] = json!({ "available": "3", "pyx": "0.4", "ranks": "50" });
    let view = ana.client.post("/me/closing", &body).await.ok();
    assert_eq!(
        view["left"],
        json!({ "available": "3.000000", "pyx": "0.400000", "ranks": "50.000000" })
    );
    let said = mail(&app, &ana.email, "closing").await;
    for sum in ["3,00", "0,40", "50,00"] {
        assert!(said.contains(sum), "{said}");
    }
    assert_eq!(
        balance(&app, &ana.client, UserAccount::Available).await,
        Usdt::whole(3)
    );
    its_day(&app).await;
    assert_eq!(status(&app, &ana.client).await, "closed");
    assert_eq!(
        balance(&app, &ana.client, UserAccount::Available).await,
        Usdt::ZERO
    );
    assert_eq!(house(&app, HouseAccount::LeftBehind).await, Usdt::whole(3));
    let kept: (i64, i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM affiliates.graduation WHERE member = $1 AND given_up_at IS NOT NULL),
                (SELECT count(*) FROM foundation.audit WHERE subject = $1 AND action = 'closing.left_behind'
                    AND details ->> 'usdt' = '3.000000' AND details ->> 'ranks' = '50.000000'),
                (SELECT count(*) FROM ledger.transfer WHERE kind = 'left_behind' AND cause = $1),
                (SELECT balance::bigint FROM ledger.account WHERE name = 'left_behind' AND currency = 'PYX')",
    )
    .bind(ana.client.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(kept, (1, 1, 1, 400_000));
    exact(&app).await;
    // What is nobody's is told as such, and a prize that was given up is none that is paid or due.
    let admin = app.admin("bia").await;
    let report = admin.get("/admin/solvency").await.ok();
    assert_eq!(
        [
            &report["pyx"]["issued"],
            &report["pyx"]["owed"],
            &report["pyx"]["leftBehind"]
        ],
        [&json!("0.400000"), &json!("0.000000"), &json!("0.400000")]
    );
    let ranks = admin.get("/admin/graduation").await.ok();
    let all = &ranks["metrics"][0];
    assert_eq!(
        (&all["count"], &all["unpaid"], &all["bonus"]),
        (&json!(1), &json!(0), &json!("0.000000"))
    );
}

/// What was named is what is there, or nothing was left.
#[actix_web::test]
async fn another_sum_than_was_named_is_not_taken() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    fund(&app, &ana.client, UserAccount::Available, 3).await;
    let code = security_code(&app, &ana, "close-account").await;
    let body = json!({ "password": ana.password, "securityCode": code, "left": { "available": "3" } });
    ana.client.post("/me/closing", &body).await.ok();
    fund(&app, &ana.client, UserAccount::Available, 1).await;
    its_day(&app).await;
    assert_eq!(state(&app, &ana.client).await, "kept");
    assert_eq!(
        balance(&app, &ana.client, UserAccount::Available).await,
        Usdt::whole(4)
    );
    // As much as can be taken out is not left.
    fund(&app, &ana.client, UserAccount::Available, 6).await;
    let client = app.renew(&ana.client);
    let view = client.get("/me/closing").await.ok();
    assert_eq!(
        (&view["needs"][0]["usdt"], &view["needs"][0]["leavable"]),
        (&json!("10.000000"), &json!(false))
    );
}

/// Whoever said that they have no wallet, or that it is settled, has not said it of what came after.
#[actix_web::test]
async fn a_wallet_that_came_meanwhile_keeps_it_open() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    app.clock.advance(Duration::DAY);
    for sql in [
        "INSERT INTO wallet.master_key (version, fingerprint, created_at)
         VALUES (1, sha256(convert_to($1::uuid::text, 'UTF8')), $2)",
        "INSERT INTO wallet.user_wallet (id, owner, address, entropy, data_key, key_version, created_at)
         VALUES (gen_random_uuid(), $1, decode(repeat('ab', 20), 'hex'), '\\x00', '\\x00', 1, $2)",
    ] {
        sqlx::query(sql)
            .bind(ana.client.user.0)
            .bind(app.clock.now())
            .execute(&app.sql)
            .await
            .unwrap();
    }
    its_day(&app).await;
    assert_eq!(state(&app, &ana.client).await, "kept");
}

/// What was paid by PIX and is only found when its owner has left goes into no balance.
#[actix_web::test]
async fn a_deposit_by_pix_of_who_has_left_is_credited_to_nobody() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let proof = with_proof(&ana.client, "40", 3).await;
    sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
        .bind(ana.client.user.0)
        .bind(app.clock.now())
        .execute(&app.sql)
        .await
        .unwrap();
    let admin = app.admin("bia").await;
    approve(&admin, &proof, &end_to_end(app.clock.now(), "1"))
        .await
        .refused(403, "auth.closed");
    let no = json!({ "id": proof["_id"], "status": "rejected", "reason": "Devolvido a quem pagou" });
    admin.patch("/admin/deposits-pix-approve-reject", &no).await.ok();
}
