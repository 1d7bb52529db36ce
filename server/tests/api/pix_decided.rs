//! Deposits by PIX as those who decide have them: what is credited once, what is refused, what the bank takes back.

use crate::{
    kit::{Client, TestApp},
    pix::{approve, approve_from, available, books_are_exact, deposit, end_to_end, id, png, with_proof},
};
use serde_json::{Value, json};
use server::pix;
use time::Duration;

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
