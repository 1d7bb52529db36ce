//! A customer's browser after hours without a connection, by its calls and its socket: what was missed is read once and in order, whatever became of the
//! ticket meanwhile, and what waited in the browser is stored once and in order.

use crate::{
    kit::{Client, TestApp, live::Live},
    support::{agents, facts, id_of, open, reply},
};
use serde_json::{Value, json};
use time::Duration;
use uuid::Uuid;

/// More than a page, and more than a browser shows of itself.
const MISSED: i64 = 70;

/// Numbers of the messages behind one, page by page.
async fn behind(who: &Client, ticket: &str, last: i64) -> Vec<i64> {
    let (mut all, mut after) = (Vec::new(), last);
    loop {
        let path = format!("/support/get-ticket-user/{ticket}?after={after}&limit=30");
        let page = who.get(&path).await.ok();
        let numbers: Vec<i64> = page["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["number"].as_i64().unwrap())
            .collect();
        let Some(newest) = numbers.last() else {
            return all;
        };
        after = *newest;
        all.extend(numbers);
    }
}

async fn queued(who: &Client, ticket: &str, text: &str, client_id: Uuid) -> Value {
    let said = json!({ "ticketId": ticket, "text": text, "clientId": client_id });
    who.post("/support/ticket-response", &said).await.ok()
}

#[actix_web::test]
async fn a_long_absence_is_made_up_for() {
    let app = TestApp::start().await;
    let (ana, (bia, rui)) = (app.user("ana").await, agents(&app).await);
    let id = id_of(&open(&ana).await);
    let stream = format!("ticket:{id}");
    // Where the browser stood; no process of the house remembers that far back.
    let (epoch, seq): (i32, i64) =
        sqlx::query_as("SELECT epoch, seq FROM foundation.event WHERE stream = $1 ORDER BY seq DESC LIMIT 1")
            .bind(&stream)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    // Meanwhile: answers, another holder, the end.
    for number in 1..=MISSED {
        reply(&bia, &id, &format!("Resposta {number}")).await;
    }
    bia.post(
        &format!("/support/hand-over-ticket/{id}"),
        &json!({ "to": rui.user }),
    )
    .await
    .ok();
    rui.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    app.clock.advance(Duration::hours(9));
    let [ana, bia] = [app.renew(&ana), app.renew(&bia)];
    // Too long ago to be told fact by fact.
    sqlx::query("DELETE FROM foundation.event WHERE stream = $1")
        .bind(&stream)
        .execute(&app.sql)
        .await
        .unwrap();
    let mut live = Live::open(&app, &ana).await;
    live.say(&json!({ "op": "subscribe", "stream": stream, "epoch": epoch, "seq": seq }))
        .await;
    live.expect("reset").await;
    let newest = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
    assert_eq!(newest["ticket"]["status"], "closed");
    assert_eq!(newest["ticket"]["lastNumber"], MISSED + 1);
    assert_eq!(newest["messages"].as_array().unwrap().len(), 50);
    assert_eq!(newest["hasOlder"], true);
    assert_eq!(behind(&ana, &id, 1).await, (2..=MISSED + 1).collect::<Vec<_>>());
    // What waited in the browser: each answer is lost once, and each is sent again.
    let mut theirs = Live::open(&app, &bia).await;
    theirs.subscribe(&stream).await;
    let waited = ["Ainda não entrou", "Segue o comprovante", "Obrigada"].map(|text| (text, Uuid::now_v7()));
    for (place, (text, client_id)) in waited.iter().enumerate() {
        let number = MISSED + 2 + i64::try_from(place).unwrap();
        for _ in 0..2 {
            let stored = queued(&ana, &id, text, *client_id).await;
            assert_eq!(stored["message"]["number"], number);
            assert_eq!(stored["ticket"]["status"], "open");
        }
    }
    for (place, (text, _)) in waited.iter().enumerate() {
        for live in [&mut live, &mut theirs] {
            let told = live.fact("ticket.message").await["event"]["message"].clone();
            assert_eq!(told["text"], json!(text));
            assert_eq!(told["number"], MISSED + 2 + i64::try_from(place).unwrap());
        }
    }
    assert_eq!(behind(&ana, &id, MISSED + 1).await.len(), waited.len());
    // Who has it now is nothing that the customer is told.
    let told = facts(&app, &stream).await;
    assert!(!told.contains(&"ticket.desk".to_owned()), "{told:?}");
}

/// Staff's own answers that waited: what the ticket does not take any more is refused, but for what it has taken before.
#[actix_web::test]
async fn what_waited_and_is_not_taken_any_more_is_refused() {
    let app = TestApp::start().await;
    let (ana, (bia, rui)) = (app.user("ana").await, agents(&app).await);
    let id = id_of(&open(&ana).await);
    let [lost, late] = [Uuid::now_v7(), Uuid::now_v7()];
    let stored = queued(&bia, &id, "Vou olhar.", lost).await;
    rui.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    assert_eq!(
        queued(&bia, &id, "Vou olhar.", lost).await["message"],
        stored["message"]
    );
    let said = json!({ "ticketId": id, "text": "Achei.", "clientId": late });
    bia.post("/support/ticket-response", &said)
        .await
        .refused(409, "ticket.closed");
    assert_eq!(behind(&ana, &id, 0).await, [1, 2]);
}
