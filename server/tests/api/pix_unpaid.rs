//! An approved withdrawal whose key somebody has seen may be paid at the bank already: who says that it was not.

use crate::{
    approval_preview::{preview, told},
    claw_back,
    identity::people::lift_caps,
    kit::{Client, Reply, TestApp},
    pix::{available, end_to_end},
    pix_withdrawals::{approve, customer, decide, id, withdraw},
};
use serde_json::{Value, json};
use server::ledger::{model::UserAccount, verify};

pub async fn look(by: &Client, made: &Value) {
    by.post(&format!("/admin/withdraw-pix/{}/key", id(made)), &json!({}))
        .await
        .ok();
}

pub async fn reject(by: &Client, made: &Value) -> Reply {
    decide(
        by,
        made,
        json!({ "status": "rejected", "reason": "O banco devolveu" }),
    )
    .await
}

/// How many have to say so, whether this person is the last of them, and who has.
async fn asked(by: &Client, made: &Value) -> (i64, bool, Vec<String>) {
    let shown = preview(by, "pix_unpaid", &format!("id={}", id(made))).await;
    let (needed, completes, given) = told(&shown);
    (needed, completes, given.into_iter().map(str::to_owned).collect())
}

async fn exact(app: &TestApp) {
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
}

#[actix_web::test]
async fn whoever_may_have_paid_says_that_it_was_not_or_two_do() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = customer(&app, "ana", "300").await;
    let (bia, caio, rui) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.admin("rui").await,
    );
    // Nobody can have paid; then who alone has seen the key.
    for looks in [false, true] {
        let made = withdraw(&app, &ana, "ana", "50").await;
        approve(&bia, &made).await.ok();
        if looks {
            look(&caio, &made).await;
        }
        assert_eq!(asked(&caio, &made).await, (1, true, vec![]));
        assert_eq!(reject(&caio, &made).await.ok()["status"], "rejected");
        assert_eq!(available(&app, &ana).await, 300_000_000);
    }

    // A look before the approval is one, too.
    let made = withdraw(&app, &ana, "ana", "50").await;
    look(&caio, &made).await;
    approve(&bia, &made).await.ok();
    assert_eq!(asked(&rui, &made).await, (2, false, vec![]));
    assert_eq!(reject(&rui, &made).await.ok()["status"], "approved");
    assert_eq!(available(&app, &ana).await, 250_000_000);
    reject(&rui, &made).await.refused(409, "decision.same_person");
    assert_eq!(asked(&bia, &made).await, (2, true, vec!["rui".to_owned()]));
    assert_eq!(reject(&bia, &made).await.ok()["status"], "rejected");
    assert_eq!(available(&app, &ana).await, 300_000_000);

    // Paid meanwhile: nothing is given back.
    let made = withdraw(&app, &ana, "ana", "50").await;
    approve(&bia, &made).await.ok();
    look(&caio, &made).await;
    assert_eq!(reject(&rui, &made).await.ok()["status"], "approved");
    let bank = json!({ "endToEndId": end_to_end(app.context.now(), "paid") });
    caio.post(&format!("/admin/withdraw-pix/{}/paid", id(&made)), &bank)
        .await
        .ok();
    assert_eq!(reject(&bia, &made).await.status, 409);
    assert_eq!(available(&app, &ana).await, 250_000_000);
    exact(&app).await;
}

#[actix_web::test]
async fn the_first_word_is_taken_back_and_the_database_takes_no_other_way() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = customer(&app, "ana", "100").await;
    let (bia, caio, rui) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.admin("rui").await,
    );
    let made = withdraw(&app, &ana, "ana", "50").await;
    approve(&bia, &made).await.ok();
    look(&caio, &made).await;
    assert_eq!(reject(&rui, &made).await.ok()["status"], "approved");
    let word = json!({ "kind": "pix_unpaid", "id": id(&made) });
    assert_eq!(rui.post("/admin/approvals/take-back", &word).await.status, 204);
    rui.post("/admin/approvals/take-back", &word)
        .await
        .refused(409, "decision.no_word");
    assert_eq!(reject(&bia, &made).await.ok()["status"], "approved");
    let refused =
        sqlx::query("UPDATE pix.withdrawal SET status = 'rejected', reason = 'x' WHERE id = $1::uuid")
            .bind(id(&made))
            .execute(&app.sql)
            .await
            .unwrap_err();
    let constraint = refused.as_database_error().and_then(|e| e.constraint());
    assert_eq!(constraint, Some("withdrawal_unpaid"), "{refused}");
    assert_eq!(reject(&rui, &made).await.ok()["status"], "rejected");
    exact(&app).await;
}

/// What may be paid is not taken for what is missing: it is owed, and comes back with the word that it was not paid.
#[actix_web::test]
async fn a_reversed_credit_leaves_what_may_be_paid() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, bia, caio) = (
        customer(&app, "ana", "1").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let deposit = claw_back::credited(&app, &ana, &bia, "100", 1).await;
    app.clock.advance(time::Duration::days(4));
    let [ana, bia, caio] = [&ana, &bia, &caio].map(|client| app.renew(client));
    let made = withdraw(&app, &ana, "ana", "60").await;
    approve(&bia, &made).await.ok();
    look(&caio, &made).await;
    claw_back::reverse(&bia, &deposit).await.ok();
    let own = ana.get("/list-withdraws-pix").await.ok();
    assert_eq!(own["data"][0]["status"], "approved");
    assert_eq!(
        claw_back::of(&app, &ana, UserAccount::Debt).await,
        -59_000_000,
        "of 101 there were 41 at hand"
    );
    assert_eq!(reject(&caio, &made).await.ok()["status"], "rejected");
    exact(&app).await;
}
