//! Internal notes: of staff for staff. Nothing that a customer's call, stream, mail, notice or file says has them (their file: `privacy`).

use crate::{
    kit::{Client, Reply, SALESPERSON, STORE_EMPLOYEE, TestApp, live::Live},
    notifications::{drain, inbox},
    support::{agents, facts, id_of, open, reply},
};
use serde_json::{Value, json};
use uuid::Uuid;

const NOTE: &str = "Parece fraude: ver o comprovante de novo.";

async fn add(who: &Client, id: &str, text: &str, client_id: Uuid) -> Reply {
    let body = json!({ "text": text, "clientId": client_id });
    who.post(&format!("/support/ticket-notes/{id}"), &body).await
}

async fn notes(who: &Client, id: &str) -> Value {
    who.get(&format!("/support/ticket-notes/{id}")).await.ok()["data"].clone()
}

#[actix_web::test]
async fn a_note_has_its_author_and_time_and_is_never_changed() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let id = id_of(&open(&ana).await);
    let key = Uuid::now_v7();
    let (one, two) = futures_util::join!(add(&bia, &id, NOTE, key), add(&bia, &id, NOTE, key));
    let (one, two) = (one.ok(), two.ok());
    assert_eq!(one, two);
    assert_eq!(
        (&one["number"], &one["text"], &one["author"]),
        (
            &json!(1),
            &json!(NOTE),
            &json!({ "_id": bia.user, "name": "bia de Teste" })
        )
    );
    assert!(one["created_at"].is_string());
    add(&rui, &id, "Visto.\nÉ dela mesma.", Uuid::now_v7()).await.ok();
    let all = notes(&rui, &id).await;
    assert_eq!(all[0], one);
    assert_eq!(
        (&all[1]["number"], &all[1]["text"]),
        (&json!(2), &json!("Visto.\nÉ dela mesma."))
    );
    // Also where nobody may answer any more; it opens nothing and ends no waiting.
    bia.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    add(&bia, &id, "Fica assim.", Uuid::now_v7()).await.ok();
    let list = bia.get("/support/list-tickets-all/").await.ok();
    let row = &list["data"][0];
    assert_eq!(
        (&row["status"], &row["desk"]["notes"]),
        (&json!("closed"), &json!(3))
    );
    assert!(row["waitingSince"].is_string() && row["desk"]["takenBy"].is_null());
    assert_eq!(row["lastNumber"], 1);
    for change in ["UPDATE support.note SET body = 'x'", "DELETE FROM support.note"] {
        assert!(
            sqlx::query(change).execute(app.context.db.pool()).await.is_err(),
            "{change}"
        );
    }
    let audited: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT actor, details::text FROM foundation.audit WHERE action = 'ticket.noted' ORDER BY id",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    let authors: Vec<Uuid> = audited.iter().map(|(actor, _)| *actor).collect();
    assert_eq!(authors, [bia.user.0, rui.user.0, bia.user.0]);
    assert!(audited.iter().all(|(_, details)| !details.contains("fraude")));
}

#[actix_web::test]
async fn no_note_reaches_the_customer_by_any_way() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    let mut theirs = Live::open(&app, &ana).await;
    theirs.subscribe(&format!("ticket:{id}")).await;
    theirs.subscribe(&format!("user:{}", ana.user)).await;
    let mut desk = Live::open(&app, &bia).await;
    desk.subscribe("queue:tickets").await;
    add(&bia, &id, NOTE, Uuid::now_v7()).await.ok();
    // Staff's queue says how many there are, not what they say.
    let fact = desk.fact("ticket.desk").await;
    assert_eq!(fact["event"]["desk"]["notes"], 1);
    assert!(!fact.to_string().contains("fraude"));
    // The customer's socket: the next that it hears is the answer.
    let answer = reply(&bia, &id, "Vou olhar.").await;
    let heard = theirs.expect("event").await;
    assert_eq!(heard["event"]["message"]["text"], "Vou olhar.");
    assert_eq!(facts(&app, &format!("ticket:{id}")).await, ["ticket.message"; 2]);

    // REST: whatever a customer may call about their ticket.
    let mail = json!({ "ticketId": id, "text": "Oi", "clientId": Uuid::now_v7() });
    bia.post("/support/email-send", &mail).await.ok();
    let written = reply(&ana, &id, "Obrigada.").await;
    let closed = ana
        .post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    let seen = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
    let own = ana.get("/support/list-tickets-user/").await.ok();
    drain(&app).await;
    for answer in [answer, written, closed, seen, own, inbox(&ana).await] {
        let text = answer.to_string();
        assert!(!text.contains("fraude") && !text.contains("notes"), "{text}");
    }
    ana.get(&format!("/support/ticket-notes/{id}"))
        .await
        .refused(403, "auth.forbidden");

    // Mails, facts of every stream, notices, jobs, the audit: its text stands in none of them.
    for (what, query) in [
        (
            "mail",
            "SELECT text_body || html_body || subject FROM foundation.mail",
        ),
        ("event", "SELECT payload::text FROM foundation.event"),
        ("line", "SELECT params::text FROM notifications.line"),
        ("job", "SELECT payload::text FROM foundation.job"),
        ("audit", "SELECT details::text FROM foundation.audit"),
    ] {
        let all: Vec<String> = sqlx::query_scalar(query).fetch_all(&app.sql).await.unwrap();
        assert!(all.iter().all(|text| !text.contains("fraude")), "{what}");
    }
    let mailed: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.mail")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert!(mailed > 0, "a mail was looked at");
}

#[actix_web::test]
async fn who_is_the_tickets_customer_reads_no_note_of_it() {
    let app = TestApp::start().await;
    let (bia, rui) = agents(&app).await;
    let id = id_of(&open(&rui).await);
    add(&bia, &id, NOTE, Uuid::now_v7()).await.ok();
    rui.get(&format!("/support/ticket-notes/{id}"))
        .await
        .refused(403, "ticket.own");
    add(&rui, &id, "oi", Uuid::now_v7())
        .await
        .refused(403, "ticket.own");
    for call in ["get-ticket-user", "get-ticket-support-team"] {
        let seen = rui.get(&format!("/support/{call}/{id}")).await.ok();
        assert!(!seen.to_string().contains("fraude"), "{call}");
    }
}

#[actix_web::test]
async fn what_is_refused_changes_nothing() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let sol = app.person("sol", SALESPERSON).await;
    let (id, other) = (id_of(&open(&ana).await), id_of(&open(&ana).await));
    for who in [&ana, &sol] {
        add(who, &id, NOTE, Uuid::now_v7())
            .await
            .refused(403, "auth.forbidden");
        who.get(&format!("/support/ticket-notes/{id}"))
            .await
            .refused(403, "auth.forbidden");
    }
    for (text, code) in [
        (" \n", "message.empty"),
        (&*"é".repeat(4_001), "message.too_long"),
    ] {
        add(&bia, &id, text, Uuid::now_v7()).await.refused(422, code);
    }
    let unknown = Uuid::now_v7().to_string();
    add(&bia, &unknown, NOTE, Uuid::now_v7())
        .await
        .refused(404, "ticket.unknown");
    let key = Uuid::now_v7();
    add(&bia, &id, NOTE, key).await.ok();
    add(&bia, &other, NOTE, key)
        .await
        .refused(409, "request.conflict");
    // A ticket holds so many; a deleted one none that anybody reads.
    sqlx::query(
        "INSERT INTO support.note (ticket, number, id, author, body, client_id, created_at)
         SELECT $1, n, gen_random_uuid(), $2, 'x', gen_random_uuid(), now() FROM generate_series(2, 200) n",
    )
    .bind(Uuid::parse_str(&id).unwrap())
    .bind(bia.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    sqlx::query("UPDATE support.ticket SET notes = 200 WHERE id = $1")
        .bind(Uuid::parse_str(&id).unwrap())
        .execute(&app.sql)
        .await
        .unwrap();
    add(&bia, &id, NOTE, Uuid::now_v7())
        .await
        .refused(409, "ticket.notes_full");
    bia.delete(&format!("/support/delete-ticket/{id}")).await;
    bia.get(&format!("/support/ticket-notes/{id}"))
        .await
        .refused(404, "ticket.unknown");
}
