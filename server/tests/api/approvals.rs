//! The one policy of approvals, on PIX deposits.

use crate::{
    kit::{Client, TestApp},
    pix::{approve, available, end_to_end, with_proof},
};
use serde_json::{Value, json};
use time::Duration;

/// Makes people members of the network.
async fn sponsors(app: &TestApp, sponsor: &Client, member: &Client) {
    for (person, above) in [
        (sponsor, "0190a000-0000-7000-8000-0000000000ff".to_owned()),
        (member, sponsor.user.to_string()),
    ] {
        for change in [
            "DELETE FROM affiliates.sponsor_counter WHERE sponsor = $1 AND $2::uuid IS NOT NULL",
            "DELETE FROM affiliates.member WHERE id = $1 AND $2::uuid IS NOT NULL",
            "INSERT INTO affiliates.member (id, sponsor, registered_at) VALUES ($1, $2::uuid, now())",
        ] {
            sqlx::query(change)
                .bind(person.user.0)
                .bind(&above)
                .execute(&app.sql)
                .await
                .unwrap();
        }
    }
}

async fn granted_by(app: &TestApp, person: &Client, by: &Client) {
    sqlx::query("UPDATE identity.account_role SET granted_by = $2 WHERE account = $1")
        .bind(person.user.0)
        .bind(by.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
}

fn standing(reply: &Value) -> (i64, i64, String) {
    (
        reply["approvals"].as_i64().unwrap(),
        reply["approvalsNeeded"].as_i64().unwrap(),
        reply["status"].as_str().unwrap().to_owned(),
    )
}

#[actix_web::test]
async fn above_the_limit_two_different_admins_decide() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let made = with_proof(&ana, "5000.000001", 1).await;
    let bank = end_to_end(app.context.now(), "1");
    let first = approve(&bia, &made, &bank).await.ok();
    assert_eq!(standing(&first), (1, 2, "pending_approval".into()));
    assert_eq!(available(&app, &ana).await, 0);
    approve(&bia, &made, &bank)
        .await
        .refused(409, "decision.same_person");
    // The second sees what the first one read off the statement.
    let queue = caio
        .get("/admin/list-deposits-pix-approve-reject?status=pending_approval")
        .await
        .ok();
    assert_eq!(
        queue["data"][0]["claim"]["endToEndId"].as_str(),
        Some(bank.as_str())
    );
    assert_eq!(queue["data"][0]["claim"]["by"], "bia de Teste");
    let second = approve(&caio, &made, &bank).await.ok();
    assert_eq!(standing(&second), (2, 2, "approved".into()));
    assert_eq!(available(&app, &ana).await, 5_000_002_000, "25000.01 BRL arrived");
}

#[actix_web::test]
async fn another_claim_has_no_approvals() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let made = with_proof(&ana, "6000", 1).await;
    approve(&bia, &made, &end_to_end(app.context.now(), "1"))
        .await
        .ok();
    // Another bank's id is another claim: it starts with its own first approval.
    let other = end_to_end(app.context.now(), "2");
    assert_eq!(
        standing(&approve(&caio, &made, &other).await.ok()),
        (1, 2, "pending_approval".into())
    );
    assert_eq!(available(&app, &ana).await, 0);
    assert_eq!(
        standing(&approve(&bia, &made, &other).await.ok()),
        (2, 2, "approved".into())
    );
    assert_eq!(available(&app, &ana).await, 6_000_000_000);
}

#[actix_web::test]
async fn small_decisions_add_up_within_a_day() {
    let app = TestApp::start().await;
    let (ana, rui, bia, caio) = (
        app.user("ana").await,
        app.user("rui").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let bank = |n: u32| end_to_end(app.context.now(), &n.to_string());
    let one = with_proof(&ana, "3000", 1).await;
    assert_eq!(standing(&approve(&bia, &one, &bank(1)).await.ok()).1, 1);
    // The customer's sum, by another approver.
    let two = with_proof(&ana, "2001", 2).await;
    assert_eq!(
        standing(&approve(&caio, &two, &bank(2)).await.ok()),
        (1, 2, "pending_approval".into())
    );
    // The approver's sum, for another customer.
    let three = with_proof(&rui, "2001", 3).await;
    assert_eq!(
        standing(&approve(&bia, &three, &bank(3)).await.ok()),
        (1, 2, "pending_approval".into())
    );
    // A day later both begin anew.
    app.clock.advance(Duration::hours(24) + Duration::seconds(1));
    let (rui, bia) = (app.renew(&rui), app.renew(&bia));
    let four = with_proof(&rui, "2001", 4).await;
    assert_eq!(
        standing(
            &approve(&bia, &four, &end_to_end(app.context.now(), "4"))
                .await
                .ok()
        )
        .1,
        1
    );
}

#[actix_web::test]
async fn one_admin_in_two_windows_stays_below_the_limit() {
    let app = TestApp::start().await;
    let (ana, rui, bia) = (
        app.user("ana").await,
        app.user("rui").await,
        app.admin("bia").await,
    );
    let (one, two) = (
        with_proof(&ana, "3000", 1).await,
        with_proof(&rui, "3000", 2).await,
    );
    let bank = [
        end_to_end(app.context.now(), "1"),
        end_to_end(app.context.now(), "2"),
    ];
    let (first, second) = futures_util::join!(approve(&bia, &one, &bank[0]), approve(&bia, &two, &bank[1]));
    let mut needed = [standing(&first.ok()).1, standing(&second.ok()).1];
    needed.sort_unstable();
    assert_eq!(needed, [1, 2]);
}

#[actix_web::test]
async fn who_made_the_other_an_approver_is_no_second_person() {
    let app = TestApp::start().await;
    let (ana, bia, caio, davi) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
        app.admin("davi").await,
    );
    granted_by(&app, &caio, &bia).await;
    let bank = end_to_end(app.context.now(), "1");
    let made = with_proof(&ana, "9000", 1).await;
    approve(&bia, &made, &bank).await.ok();
    approve(&caio, &made, &bank)
        .await
        .refused(403, "decision.granted");
    approve(&davi, &made, &bank).await.ok();
    // Nor the other way round.
    let bank = end_to_end(app.context.now(), "2");
    let made = with_proof(&ana, "9000", 2).await;
    approve(&caio, &made, &bank).await.ok();
    approve(&bia, &made, &bank).await.refused(403, "decision.granted");
}

#[actix_web::test]
async fn nobody_decides_on_own_money_or_in_the_direct_line() {
    let app = TestApp::start().await;
    let (ana, rui, bia, caio) = (
        app.user("ana").await,
        app.user("rui").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    sponsors(&app, &bia, &ana).await; // bia sponsors ana
    sponsors(&app, &rui, &caio).await; // rui sponsors caio
    let bank = |n: u32| end_to_end(app.context.now(), &n.to_string());
    let own = with_proof(&bia, "20", 1).await;
    approve(&bia, &own, &bank(1))
        .await
        .refused(403, "decision.own_money");
    let referral = with_proof(&ana, "20", 2).await;
    approve(&bia, &referral, &bank(2))
        .await
        .refused(403, "decision.own_money");
    let body = json!({ "id": referral["_id"], "status": "rejected", "reason": "x" });
    bia.patch("/admin/deposits-pix-approve-reject", &body)
        .await
        .refused(403, "decision.own_money");
    let sponsor = with_proof(&rui, "20", 3).await;
    approve(&caio, &sponsor, &bank(3))
        .await
        .refused(403, "decision.own_money");
    approve(&caio, &referral, &bank(2)).await.ok();
    approve(&caio, &own, &bank(1)).await.ok();
    approve(&bia, &sponsor, &bank(3)).await.ok();
}

#[actix_web::test]
async fn decisions_are_never_changed_and_never_forged() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    let made = with_proof(&ana, "20", 1).await;
    approve(&bia, &made, &end_to_end(app.context.now(), "1"))
        .await
        .ok();
    let as_owner = async |sql: &str| {
        sqlx::query(sqlx::AssertSqlSafe(sql.to_owned()))
            .execute(&app.sql)
            .await
    };
    for sql in [
        "UPDATE approvals.decision SET usdt = 0",
        "DELETE FROM approvals.decision",
        "TRUNCATE approvals.decision CASCADE",
        "TRUNCATE approvals.fallen",
    ] {
        assert!(
            as_owner(sql)
                .await
                .unwrap_err()
                .to_string()
                .contains("append-only"),
            "{sql}"
        );
    }
    let row = |by: &Client, kind: &str, needed: u8| {
        format!(
            "INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, position, needed, at)
             VALUES (gen_random_uuid(), '{kind}', gen_random_uuid(), '{}', sha256('x'), 1, '{}', 'approve', 1, {needed}, now())",
            ana.user, by.user
        )
    };
    assert!(as_owner(&row(&ana, "pix_deposit", 1)).await.is_err(), "own money");
    let rui = app.user("rui").await;
    assert!(
        as_owner(&row(&rui, "pix_deposit", 1)).await.is_err(),
        "no permission"
    );
    assert!(
        as_owner(&row(&bia, "money_settings", 1)).await.is_err(),
        "always two"
    );
    as_owner(&row(&bia, "money_settings", 2)).await.unwrap();
}
