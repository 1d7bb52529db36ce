//! What staff or a bank do to somebody reaches that person: a line of theirs, with why.

use crate::{
    claw_back::{credited, reverse},
    kit::{Client, TestApp},
    notifications::{codes, drain, inbox},
};
use serde_json::{Value, json};

/// The one line of this code in a person's inbox.
async fn told(app: &TestApp, who: &Client, code: &str) -> Value {
    drain(app).await;
    let inbox = inbox(who).await;
    let mut lines: Vec<&Value> = inbox["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["code"] == code)
        .collect();
    assert_eq!(lines.len(), 1, "{code}: {inbox}");
    lines.remove(0).clone()
}

/// How many lines somebody has.
async fn lines(app: &TestApp, who: &Client) -> usize {
    drain(app).await;
    codes(&inbox(who).await).len()
}

#[actix_web::test]
async fn a_credit_that_the_bank_took_back_is_told_with_why() {
    let app = TestApp::start().await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    let deposit = credited(&app, &ana, &root, "100", 1).await;
    told(&app, &ana, "pix_deposit_approved").await;
    assert_eq!(lines(&app, &ana).await, 1);
    reverse(&root, &deposit).await.ok();
    let line = told(&app, &ana, "pix_deposit_reversed").await;
    assert_eq!(
        (&line["group"], &line["amount"], &line["params"]["reason"]),
        (
            &json!("money_in"),
            &json!("100.000000"),
            &json!("Devolvido pelo banco")
        )
    );
    assert_eq!(lines(&app, &ana).await, 2, "the approval is not told again");
}
