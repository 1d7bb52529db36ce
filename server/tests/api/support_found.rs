//! Words in a ticket's own messages: who may look for them, in which forms, page by page; a note of staff is found by nobody
//! (docs/rules/support.md#conversations-on-screen).

use crate::{
    kit::{Client, SALESPERSON, TestApp},
    support::{agents, id_of, open, reply},
};
use serde_json::{Value, json};
use uuid::Uuid;

const OWN: &str = "/support/search-ticket-user";
const TEAM: &str = "/support/search-ticket-support-team";

async fn found(who: &Client, call: &str, ticket: &str, asked: &str) -> Value {
    who.get(&format!("{call}/{ticket}?search={asked}")).await.ok()
}

fn numbers(found: &Value) -> Vec<i64> {
    let lines = found["data"].as_array().unwrap();
    lines
        .iter()
        .map(|line| line["number"].as_i64().unwrap())
        .collect()
}

#[actix_web::test]
async fn messages_of_a_ticket_are_found_by_their_words() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, _) = agents(&app).await;
    let (id, other) = (id_of(&open(&ana).await), id_of(&open(&ana).await));
    reply(&ana, &id, "Minhas transferências de segunda não apareceram").await;
    reply(&bia, &id, "A transferência está em análise").await;
    let written = reply(&ana, &id, "Obrigada, espero").await;
    reply(&ana, &other, "Outra transferência").await;
    for (who, call) in [(&ana, OWN), (&bia, TEAM)] {
        let all = found(who, call, &id, "TRANSFERENCIA").await;
        assert_eq!(numbers(&all), [3, 2]);
        assert_eq!((&all["total"], &all["hasOlder"]), (&json!(2), &json!(false)));
        let line = &all["data"][0];
        assert_eq!(
            (&line["text"], &line["author"], &line["authorName"]),
            (
                &json!("A transferência está em análise"),
                &json!(bia.user),
                &json!("bia de Teste")
            )
        );
        assert!(line["created_at"].is_string());
        // All of the words, in one message; operators are words.
        assert_eq!(
            numbers(&found(who, call, &id, "transferencia%20segundas").await),
            [2]
        );
        assert_eq!(
            numbers(&found(who, call, &id, "-transferencia%20zebra").await),
            [0; 0]
        );
    }
    // As it reads now.
    let corrected = json!({ "messageId": written["message"]["_id"], "text": "Obrigada, aguardo a resposta" });
    ana.patch("/support/edit-ticket-message", &corrected).await.ok();
    assert_eq!(numbers(&found(&ana, OWN, &id, "espero").await), [0; 0]);
    assert_eq!(numbers(&found(&ana, OWN, &id, "respostas").await), [4]);
}

#[actix_web::test]
async fn notes_are_found_by_nobody_and_tickets_by_who_may_read_them() {
    let app = TestApp::start().await;
    let (ana, eva) = (app.user("ana").await, app.user("eva").await);
    let seller = app.person("leo", SALESPERSON).await;
    let (bia, _) = agents(&app).await;
    let id = id_of(&open(&ana).await);
    bia.post(
        &format!("/support/ticket-notes/{id}"),
        &json!({ "text": "Parece fraude", "clientId": Uuid::now_v7() }),
    )
    .await
    .ok();
    for (who, call) in [(&ana, OWN), (&bia, TEAM)] {
        let none = found(who, call, &id, "fraude").await;
        assert_eq!(none, json!({ "data": [], "total": 0, "hasOlder": false }));
        assert_eq!(numbers(&found(who, call, &id, "ontem").await), [1]);
    }
    let ask = |call: &str| format!("{call}/{id}?search=ontem");
    eva.get(&ask(OWN)).await.refused(404, "ticket.unknown");
    // On somebody else's ticket who answers is no customer.
    bia.get(&ask(OWN)).await.refused(404, "ticket.unknown");
    for who in [&ana, &seller] {
        who.get(&ask(TEAM)).await.refused(403, "auth.forbidden");
    }
    for bad in [
        "?search=",
        "?search=%20",
        "?search=ontem&before=0",
        "?search=ontem&page=2",
    ] {
        ana.get(&format!("{OWN}/{id}{bad}"))
            .await
            .refused(422, "request.invalid");
    }
    bia.delete(&format!("/support/delete-ticket/{id}")).await;
    ana.get(&ask(OWN)).await.refused(404, "ticket.unknown");
}

#[actix_web::test]
async fn many_come_page_by_page_the_newest_first() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let id = id_of(&open(&ana).await);
    sqlx::query(
        "INSERT INTO support.message (ticket, number, id, author, side, body, created_at)
         SELECT $1, n, gen_random_uuid(), $2, 'customer', CASE WHEN n % 2 = 0 THEN 'par' ELSE 'outra coisa' END, now()
         FROM generate_series(2, 241) n",
    )
    .bind(id.parse::<Uuid>().unwrap())
    .bind(ana.user)
    .execute(&app.sql)
    .await
    .unwrap();
    let (mut seen, mut before) = (Vec::new(), String::new());
    for page in 0..3 {
        let answer = found(&ana, OWN, &id, &format!("par{before}")).await;
        let lines = numbers(&answer);
        assert_eq!(
            (lines.len(), &answer["total"], &answer["hasOlder"]),
            (if page < 2 { 50 } else { 20 }, &json!(120), &json!(page < 2))
        );
        before = format!("&before={}", lines.last().unwrap());
        seen.extend(lines);
    }
    let even: Vec<i64> = (1..=120).rev().map(|half| half * 2).collect();
    assert_eq!(seen, even);
}
