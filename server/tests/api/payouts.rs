//! What withdrawals of all kinds ask of the database: a decision locks a row once, and writes it once.

use crate::{
    chain::payout::{self, AWAY, Payout},
    identity::people::lift_caps,
    kit::{TestApp, statements},
    pix::end_to_end,
    pix_withdrawals::{customer, order},
};
use serde_json::json;

/// How often a row of the table is locked, and how often it is written.
fn touched(asked: &statements::Statements, table: &str) -> (usize, usize) {
    let (lock, write) = (format!("FROM {table} WHERE id = $1"), format!("UPDATE {table} "));
    let all = || asked.transactions.iter().flatten();
    (
        all()
            .filter(|sql| sql.contains(&lock) && sql.ends_with("FOR UPDATE"))
            .count(),
        all().filter(|sql| sql.contains(&write)).count(),
    )
}

#[actix_web::test]
async fn a_decision_touches_its_row_once() {
    let app = statements::counted(TestApp::start()).await;
    lift_caps(&app).await;
    let (ana, bia) = (customer(&app, "ana", "250").await, app.admin("bia").await);
    let body = order(&app, &ana, "ana", "100", "cpf", "529.982.247-25").await;
    let made = ana.post("/withdraw-pix", &body).await.ok();
    let mut body = json!({ "id": made["_id"], "status": "approved", "brl": made["brl"] });
    let (done, asked) =
        statements::of(&app, &bia, bia.patch("/admin/withdraw-pix-approve-reject", &body)).await;
    assert_eq!(done.ok()["status"], "approved");
    assert_eq!(touched(&asked, "pix.withdrawal"), (1, 1), "{asked}");

    // Paid in the same step: what was locked and written just now is not read anew.
    let made = {
        let body = order(&app, &ana, "ana", "50", "cpf", "529.982.247-25").await;
        ana.post("/withdraw-pix", &body).await.ok()
    };
    body["id"] = made["_id"].clone();
    body["brl"] = made["brl"].clone();
    body["endToEndId"] = end_to_end(app.context.now(), "A").into();
    let (done, asked) =
        statements::of(&app, &bia, bia.patch("/admin/withdraw-pix-approve-reject", &body)).await;
    assert!(done.ok()["paidAt"].is_string());
    assert_eq!(touched(&asked, "pix.withdrawal"), (1, 2), "{asked}");

    let payout = statements::counted(Payout::open()).await;
    let (rui, eva) = (payout.customer("rui", 250).await, payout.app().admin("eva").await);
    let made = payout.pending(&rui, "usdt", AWAY, "100").await;
    let (done, asked) = statements::of(payout.app(), &eva, payout::decide(&eva, &made, json!({}))).await;
    assert_eq!(done.ok()["status"], "approved");
    assert_eq!(touched(&asked, "wallet.withdrawal"), (1, 1), "{asked}");
}
