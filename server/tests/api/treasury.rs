//! What staff declare that the house holds elsewhere: by whom, when, agreed to by two above the limit, outside the coverage.

use crate::kit::{Client, Reply, TestApp, live::Live};
use serde_json::{Value, json};

pub async fn declare(admin: &Client, place: &str, value: &str) -> Reply {
    let body = json!({ "place": place, "value": value, "note": "Extrato de hoje" });
    admin.post("/admin/declared-holdings", &body).await
}

pub async fn decide(admin: &Client, row: &Value, approve: bool, reason: Option<&str>) -> Reply {
    let body = json!({ "id": row["_id"], "approve": approve, "reason": reason });
    admin
        .patch("/admin/declared-holdings/approve-reject", &body)
        .await
}

/// (place, value, status, who) of what is shown, and the sum that stands.
async fn shown(admin: &Client) -> (Vec<[String; 4]>, String) {
    let report = admin.get("/admin/solvency").await.ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = report["declared"].as_array().unwrap().iter();
    let rows = rows
        .map(|d| ["place", "value", "status", "username"].map(|name| text(&d[name])))
        .collect();
    (rows, text(&report["declaredTotal"]))
}

fn row(place: &str, value: &str, status: &str, who: &str) -> [String; 4] {
    [place, value, status, who].map(str::to_owned)
}

#[actix_web::test]
async fn one_person_declares_little_two_persons_much() {
    let app = TestApp::start().await;
    let (bia, caio, dora) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.admin("dora").await,
    );
    let first = declare(&bia, "Kraken", "1000").await;
    assert_eq!(first.status, 201);
    let first = first.ok();
    assert_eq!(
        (&first["status"], &first["approvalsNeeded"]),
        (&json!("standing"), &json!(1))
    );
    assert!(first["created_at"].is_string());
    let before = bia.get("/admin/solvency").await.ok();
    // With what one has agreed to within the day it is more than one person may.
    let more = declare(&bia, "  kraken ", "4000.000001").await.ok();
    assert_eq!(
        (&more["status"], &more["approvals"], &more["approvalsNeeded"]),
        (&json!("pending"), &json!(1), &json!(2))
    );
    assert_eq!(
        shown(&bia).await,
        (
            vec![
                row("Kraken", "1000.000000", "standing", "bia"),
                row("kraken", "4000.000001", "pending", "bia"),
            ],
            "1000.000000".to_owned()
        )
    );
    decide(&bia, &more, true, None)
        .await
        .refused(409, "decision.same_person");
    assert_eq!(decide(&caio, &more, true, None).await.ok()["status"], "standing");
    decide(&dora, &more, true, None)
        .await
        .refused(409, "decision.done");
    let (rows, total) = shown(&bia).await;
    assert_eq!(rows, [row("kraken", "4000.000001", "standing", "bia")]);
    assert_eq!(total, "4000.000001");
    // Beside the ratio, whatever is declared.
    let after = bia.get("/admin/solvency").await.ok();
    for name in ["heldTotal", "owedTotal", "coverage", "capital", "house"] {
        assert_eq!(before[name], after[name], "{name}");
    }
    // Nothing is there any more.
    declare(&dora, "KRAKEN", "0").await.ok();
    assert_eq!(shown(&bia).await, (Vec::new(), "0.000000".to_owned()));
}

#[actix_web::test]
async fn what_is_turned_down_never_stands() {
    let app = TestApp::start().await;
    let (bia, caio, ana) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.user("ana").await,
    );
    for (place, value, code) in [
        (" ", "10", "field.required"),
        ("Cofre", "-1", "amount.invalid"),
        ("Cofre", "dez", "amount.invalid"),
    ] {
        declare(&bia, place, value).await.refused(422, code);
    }
    let unread = json!({ "place": "Cofre", "value": "10", "note": " " });
    bia.post("/admin/declared-holdings", &unread)
        .await
        .refused(422, "decision.reason_missing");
    declare(&ana, "Cofre", "10").await.refused(403, "auth.forbidden");
    let waits = declare(&bia, "Cofre", "9000").await.ok();
    decide(&ana, &waits, true, None)
        .await
        .refused(403, "auth.forbidden");
    decide(&caio, &waits, false, Some(""))
        .await
        .refused(422, "decision.reason_missing");
    // The database agrees to nothing less than two.
    let forced = sqlx::query("UPDATE treasury.declaration SET status = 'standing'")
        .execute(&app.sql)
        .await;
    assert!(forced.is_err());
    let gone = decide(&caio, &waits, false, Some("Sem extrato")).await.ok();
    assert_eq!(
        (&gone["status"], &gone["rejectedReason"]),
        (&json!("rejected"), &json!("Sem extrato"))
    );
    decide(&caio, &waits, true, None)
        .await
        .refused(409, "decision.done");
    assert_eq!(shown(&bia).await, (Vec::new(), "0.000000".to_owned()));
}

#[actix_web::test]
async fn one_key_is_one_declaration_and_one_place_has_one_word() {
    let app = TestApp::start().await;
    let (bia, caio) = (app.admin("bia").await, app.admin("caio").await);
    let keyed = bia.clone().key("0123456789abcdef");
    let (a, b) = tokio::join!(declare(&keyed, "Cofre", "100"), declare(&keyed, "Cofre", "100"));
    let made: Vec<_> = [a, b].into_iter().filter(|r| r.status == 201).collect();
    assert!(!made.is_empty() && made.iter().all(|r| r.body["_id"] == made[0].body["_id"]));
    declare(&keyed, "Cofre", "101")
        .await
        .refused(409, "idempotency.mismatch");
    let (a, b) = tokio::join!(declare(&bia, "Cofre", "200"), declare(&caio, "cofre", "300"));
    assert_eq!((a.status, b.status), (201, 201));
    // However it is spelled, it is not counted twice.
    declare(&bia, "ＣÓＦＲＥ", "150").await.ok();
    let (rows, _) = shown(&bia).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
}

#[actix_web::test]
async fn who_looks_at_the_coverage_hears_of_each_declaration() {
    let app = TestApp::start().await;
    let (bia, caio, dora, ana) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.admin("dora").await,
        app.user("ana").await,
    );
    let stream = "queue:settings";
    let mut stranger = Live::open(&app, &ana).await;
    stranger
        .say(&json!({ "op": "subscribe", "stream": stream }))
        .await;
    assert_eq!(stranger.next().await.unwrap()["type"], "denied");
    let mut staff = Live::open(&app, &caio).await;
    staff.subscribe(stream).await;
    let little = declare(&bia, "Kraken", "1000").await.ok();
    let much = declare(&bia, "Cofre", "9000").await.ok();
    let more = declare(&bia, "Banco", "8000").await.ok();
    decide(&caio, &much, true, None).await.ok();
    decide(&caio, &more, false, Some("Sem extrato")).await.ok();
    // What is refused is no fact.
    decide(&caio, &more, true, None)
        .await
        .refused(409, "decision.done");
    declare(&bia, " ", "1").await.refused(422, "field.required");
    declare(&dora, "Kraken", "0").await.ok();
    for (row, place, value, status) in [
        (Some(&little), "Kraken", "1000.000000", "standing"),
        (Some(&much), "Cofre", "9000.000000", "pending"),
        (Some(&more), "Banco", "8000.000000", "pending"),
        (Some(&much), "Cofre", "9000.000000", "standing"),
        (Some(&more), "Banco", "8000.000000", "rejected"),
        (None, "Kraken", "0.000000", "standing"),
    ] {
        let fact = staff.fact("declared_holding.changed").await;
        let event = &fact["event"];
        assert_eq!(
            [&event["place"], &event["value"], &event["status"]],
            [place, value, status]
        );
        if let Some(row) = row {
            assert_eq!(event["declaration"], row["_id"]);
        }
    }
}
