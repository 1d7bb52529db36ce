//! What staff or a bank do to somebody reaches that person: a line of theirs, with why.

use crate::{
    claw_back::{credited, reverse},
    grants::agree,
    guard::settings,
    identity::{
        people::{mail, mails},
        roles::{add, remove, role},
    },
    kit::{Client, SYSTEM_EMPLOYEE, TestApp},
    manual::steered,
    notifications::{codes, drain, inbox},
    pauses::{self, PAUSES},
    sponsorship::order,
    staff_people::edit,
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::foundation::locale::Locale;

const ANA: &str = "ana@example.com";

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

#[actix_web::test]
async fn sponsored_balance_is_told_when_it_is_given_and_when_it_is_taken() {
    let app = TestApp::start().await;
    settings(&app, |s| s.two_person_limit = Usdt::whole(50)).await;
    let ana = app.user("ana").await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    order(&bia, &ana, "add", "30", None).await.ok();
    let line = told(&app, &ana, "sponsorship_added").await;
    assert_eq!(
        (&line["group"], &line["amount"], &line["params"]["reason"]),
        (&json!("money_in"), &json!("30.000000"), &json!("Campanha"))
    );
    order(&bia, &ana, "remove", "10", None).await.ok();
    let line = told(&app, &ana, "sponsorship_removed").await;
    assert_eq!(
        (&line["amount"], &line["params"]["reason"]),
        (&json!("10.000000"), &json!("Campanha"))
    );

    // What waits for a second person has not happened, and what is refused never does.
    let before = lines(&app, &ana).await;
    let mut waits = Vec::new();
    for _ in 0..2 {
        let asked = order(&bia, &ana, "add", "60", None).await.ok();
        assert_eq!(asked["status"], "pending");
        waits.push(asked["_id"].as_str().unwrap().to_owned());
    }
    assert_eq!(lines(&app, &ana).await, before);
    for (id, agree) in waits.iter().zip([false, true]) {
        let body = json!({ "id": id, "approve": agree, "reason": "Não combinado" });
        caio.patch("/admin/balance-manager/approve-reject", &body)
            .await
            .ok();
        assert_eq!(lines(&app, &ana).await, before + usize::from(agree));
    }
}

#[actix_web::test]
async fn who_is_paused_hears_why_and_hears_when_it_is_over() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let mut body = pauses::body(&app, "outbound");
    body["username"] = json!("ana");
    let all = bia.post(PAUSES, &body).await.ok();
    let pause = all["data"][0]["_id"].as_str().unwrap().to_owned();
    let line = told(&app, &ana, "own_outbound_paused").await;
    assert_eq!(
        (&line["group"], &line["params"]["reason"]),
        (&json!("money_out"), &json!("Manutenção"))
    );

    // One of two words ends nothing.
    let lift = format!("{PAUSES}/{pause}/lift");
    for nothing in [json!({}), json!({ "reason": "  " })] {
        bia.post(&lift, &nothing)
            .await
            .refused(422, "decision.reason_missing");
    }
    let asked = bia.post(&lift, &pauses::ended()).await.ok();
    let (first, ends) = (&asked["data"][0], "Tudo conferido");
    assert_eq!(
        (&first["liftReason"], &first["liftedAt"]),
        (&json!(ends), &Value::Null)
    );
    assert_eq!(lines(&app, &ana).await, 1);
    // Who agrees need not say why again: the reason is the first one's.
    let done = caio.post(&lift, &json!({})).await.ok();
    assert_eq!(done["data"][0]["liftReason"], ends);
    let line = told(&app, &ana, "own_outbound_resumed").await;
    assert_eq!(line["params"]["reason"], ends);
    // Both directions are in the log with why, each word of it.
    let noted: Vec<(String, String)> = sqlx::query_as(
        "SELECT action, details ->> 'reason' FROM foundation.audit WHERE subject = $1 AND action LIKE 'outbound.%' ORDER BY id",
    )
    .bind(ana.user)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    let told_of = |action: &str, why: &str| (action.to_owned(), why.to_owned());
    assert_eq!(
        noted,
        [
            told_of("outbound.pause", "Manutenção"),
            told_of("outbound.resume", ends),
            told_of("outbound.resume", ends)
        ]
    );

    // Everyone's is told to everyone, as such, and is nobody's line.
    bia.post(PAUSES, &pauses::body(&app, "outbound")).await.ok();
    assert_eq!((lines(&app, &ana).await, lines(&app, &bea).await), (2, 0));
}

#[actix_web::test]
async fn who_is_switched_off_and_on_again_hears_why_by_line_and_mail() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    let off = json!({ "status": "inactive", "reason": "documento vencido" });
    assert_eq!(edit(&root, &ana, off.clone()).await.status, 200);
    let line = told(&app, &ana, "account_switched_off").await;
    assert_eq!(
        (&line["group"], &line["params"]["reason"]),
        (&json!("security"), &json!("documento vencido"))
    );
    let letter = mail(&app, ANA, "account_decided").await;
    assert!(letter.contains("documento vencido"), "{letter}");
    // What is so already is told nobody again.
    edit(&root, &ana, off.clone())
        .await
        .refused(409, "request.conflict");
    assert_eq!(mails(&app, ANA, "account_decided").await, 1);

    let on = json!({ "status": "active", "reason": "documento novo" });
    assert_eq!(edit(&root, &ana, on).await.status, 200);
    let line = told(&app, &ana, "account_switched_on").await;
    assert_eq!(line["params"]["reason"], "documento novo");
    assert_eq!(mails(&app, ANA, "account_decided").await, 2);
    assert_eq!(lines(&app, &ana).await, 2);

    // Who reads at an address that nobody has confirmed may be a stranger.
    sqlx::query("UPDATE identity.account SET email_confirmed_at = NULL WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    assert_eq!(edit(&root, &ana, off).await.status, 200);
    assert_eq!(mails(&app, ANA, "account_decided").await, 2);
}

#[actix_web::test]
async fn who_decides_and_is_switched_off_by_two_hears_it_once_and_why() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (rui, eva, leo) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("leo").await,
    );
    let off = json!({ "status": "inactive", "reason": "saiu da empresa" });
    let asked = edit(&rui, &leo, off).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    let letters = async || {
        let to = "leo@example.com";
        (
            mails(&app, to, "admin_rights").await,
            mails(&app, to, "account_decided").await,
        )
    };
    let (before, heard) = (letters().await, lines(&app, &leo).await);
    agree(&eva, &asked.body["request"]).await.ok();
    let line = told(&app, &leo, "account_switched_off").await;
    assert_eq!(line["params"]["reason"], "saiu da empresa");
    assert_eq!(lines(&app, &leo).await, heard + 1);
    assert_eq!(letters().await, (before.0 + 1, before.1));
    // Who decides hears of it as of every such change.
    told(&app, &rui, "admin_change_done").await;
}

#[actix_web::test]
async fn a_key_that_staff_take_away_or_give_back_is_told_once_with_why() {
    let app = TestApp::start().await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    let licence = steered(&app, &ana, 200).await;
    let path = format!("/admin/licences/{licence}/manual-key");
    let decide = async |revoked: bool, reason: &str| {
        let body = json!({ "revoked": revoked, "reason": reason });
        root.post(&path, &body).await.ok()
    };
    decide(true, "ordens de um programa").await;
    let line = told(&app, &ana, "manual_key_revoked").await;
    assert_eq!(
        (&line["group"], &line["params"]["reason"]),
        (&json!("robots"), &json!("ordens de um programa"))
    );
    assert!(line["params"]["number"].is_number(), "{line}");
    decide(true, "de novo").await;
    told(&app, &ana, "manual_key_revoked").await;
    decide(false, "esclarecido").await;
    let line = told(&app, &ana, "manual_key_given_back").await;
    assert_eq!(line["params"]["reason"], "esclarecido");
}

#[actix_web::test]
async fn a_role_that_decides_nothing_is_told_when_it_is_given_and_when_it_is_taken() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    let employee = [role(&app, SYSTEM_EMPLOYEE).await];
    add(&root, &ana, &employee).await.ok();
    let line = told(&app, &ana, "roles_given").await;
    assert_eq!(line["group"], "security");
    // By the name that its reader knows it by.
    let letter = mail(&app, ANA, "account_decided").await;
    let name = Locale::Pt.text("roles", SYSTEM_EMPLOYEE);
    assert!(letter.contains(name), "{letter}");
    // What they hold already is given to nobody.
    add(&root, &ana, &employee).await.ok();
    assert_eq!(mails(&app, ANA, "account_decided").await, 1);

    remove(&root, &ana, &employee).await.ok();
    told(&app, &ana, "roles_taken").await;
    assert_eq!(mails(&app, ANA, "account_decided").await, 2);
    assert_eq!(lines(&app, &ana).await, 2);
}

/// Giving and taking in turns fills nobody's mailbox, and takes the place of no mail that its owner asks for.
#[actix_web::test]
async fn what_one_of_the_staff_gives_and_takes_is_bounded() {
    let app = TestApp::start().await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    let employee = [role(&app, SYSTEM_EMPLOYEE).await];
    for _ in 0..20 {
        add(&root, &ana, &employee).await.ok();
        remove(&root, &ana, &employee).await.ok();
    }
    add(&root, &ana, &employee)
        .await
        .refused(429, "request.rate_limited");
    assert_eq!(mails(&app, ANA, "account_decided").await, 40);
    let late: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.mail WHERE due_at > created_at")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(late, 0);
}
