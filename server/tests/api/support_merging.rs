//! Doubles: one ticket of a customer is merged into another, for good; what is said stands where it was merged into, and nowhere else from then on.

use crate::{
    kit::{Client, Reply, TestApp, live::Live},
    notifications::{codes, drain, inbox},
    support::{agents, id_of, open, reply},
};
use serde_json::{Value, json};
use time::Duration;
use uuid::Uuid;

async fn merge(who: &Client, id: &str, into: &str) -> Reply {
    who.post(&format!("/support/merge-ticket/{id}"), &json!({ "into": into }))
        .await
}

/// The next that is told of a ticket's row.
async fn row_of(live: &mut Live, id: &str) -> Value {
    loop {
        let ticket = live.fact("ticket.activity").await["event"]["ticket"].clone();
        if ticket["_id"] == json!(id) {
            return ticket;
        }
    }
}

async fn seen(who: &Client, call: &str, id: &str) -> Value {
    who.get(&format!("/support/{call}/{id}")).await.ok()
}

#[actix_web::test]
async fn a_double_closes_and_stands_where_it_was_merged_into() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let first = open(&ana).await;
    let into = id_of(&first);
    app.clock.advance(Duration::minutes(1));
    reply(&bia, &into, "Vou olhar.").await;
    app.clock.advance(Duration::minutes(1));
    let id = id_of(&open(&ana).await);
    let waits = reply(&ana, &id, "Alguém?").await["ticket"]["waitingSince"].clone();
    let note = json!({ "text": "Parece o mesmo.", "clientId": Uuid::now_v7() });
    rui.post(&format!("/support/ticket-notes/{id}"), &note).await.ok();

    let mut theirs = Live::open(&app, &ana).await;
    theirs.subscribe(&format!("ticket:{into}")).await;
    theirs.subscribe(&format!("ticket:{id}")).await;
    let merged = merge(&rui, &id, &into).await.ok();
    assert_eq!(merged["status"], "closed");
    assert_eq!(merged["mergedInto"], json!({ "_id": into, "number": 1 }));
    assert!(merged["waitingSince"].is_null() && merged.get("asksRating").is_none());
    // Both are told, each on its own stream.
    let mut told = [
        theirs.fact("ticket.status").await,
        theirs.fact("ticket.status").await,
    ]
    .map(|fact| fact["event"]["ticket"].clone());
    told.sort_by_key(|ticket| ticket["number"].as_i64());
    assert_eq!((&told[0]["_id"], &told[0]["doubles"]), (&json!(into), &json!(1)));
    assert_eq!(told[1]["mergedInto"]["number"], 1);
    // Both sides read its messages there, as they were; notes stay staff's.
    for (who, call) in [(&ana, "get-ticket-user"), (&bia, "get-ticket-support-team")] {
        let there = seen(who, call, &into).await;
        let double = &there["merged"][0];
        assert_eq!((&double["_id"], &double["number"]), (&json!(id), &json!(2)));
        let texts: Vec<&str> = double["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["text"].as_str().unwrap())
            .collect();
        assert_eq!(texts, ["Enviei ontem.", "Alguém?"]);
        assert_eq!(double["hasOlder"], false);
        assert_eq!(there["messages"].as_array().unwrap().len(), 2);
        // Who waited there waits here, as long.
        assert_eq!(there["ticket"]["waitingSince"], waits);
        assert!(!there.to_string().contains("Parece o mesmo"));
        let page = seen(who, call, &format!("{into}?before=2")).await;
        assert_eq!(page["merged"], json!([]));
    }
    // Found by its words where they stand, with the way to where one goes on.
    let found = bia.get("/support/list-tickets-all/?search=alguem").await.ok();
    assert_eq!(found["meta"]["total"], 1);
    assert_eq!(found["data"][0]["_id"], json!(id));
    assert_eq!(found["data"][0]["mergedInto"]["_id"], json!(into));
    drain(&app).await;
    let told = inbox(&ana).await;
    assert!(codes(&told).contains(&"ticket_merged"), "{told:?}");
    assert!(!codes(&told).contains(&"ticket_closed"), "{told:?}");
    let audited: (Uuid, String) = sqlx::query_as(
        "SELECT actor, details ->> 'into' FROM foundation.audit WHERE action = 'ticket.merged'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(audited, (rui.user.0, into));
}

/// Nothing is said, corrected, mailed or asked in a double any more; who had it has the other where nobody else does.
#[actix_web::test]
async fn what_was_merged_is_over_for_good() {
    let app = TestApp::start().await;
    let (ana, (bia, rui)) = (app.user("ana").await, agents(&app).await);
    let (id, into) = (id_of(&open(&ana).await), id_of(&open(&ana).await));
    let last = reply(&ana, &id, "Alguém?").await;
    reply(&bia, &id, "Sim.").await;
    merge(&bia, &id, &into).await.ok();
    let there = seen(&bia, "get-ticket-support-team", &into).await;
    assert_eq!(there["desk"]["takenBy"]["_id"], json!(bia.user));
    let say = json!({ "ticketId": id, "text": "Oi", "clientId": Uuid::now_v7() });
    for who in [&ana, &bia] {
        who.post("/support/ticket-response", &say)
            .await
            .refused(409, "ticket.merged");
    }
    bia.post("/support/email-send", &say)
        .await
        .refused(409, "ticket.merged");
    let edit = json!({ "messageId": last["message"]["_id"], "text": "Outra coisa" });
    ana.patch("/support/edit-ticket-message", &edit)
        .await
        .refused(409, "ticket.merged");
    ana.post(&format!("/support/rate-ticket/{id}"), &json!({ "score": 5 }))
        .await
        .refused(409, "ticket.not_ratable");
    rui.post(&format!("/support/take-ticket/{id}"), &json!({}))
        .await
        .refused(409, "ticket.closed");
    // It is left where it was merged into, closed or not.
    reply(&ana, &into, "Sigo aqui").await;
    for change in [
        "UPDATE support.ticket SET merged_into = NULL, merged_at = NULL WHERE merged_into IS NOT NULL",
        "UPDATE support.ticket SET status = 'open', closed_at = NULL WHERE merged_into IS NOT NULL",
    ] {
        assert!(sqlx::query(change).execute(&app.sql).await.is_err(), "{change}");
    }
}

#[actix_web::test]
async fn only_two_open_ones_of_one_customer_are_merged() {
    let app = TestApp::start().await;
    let (ana, caio) = (app.user("ana").await, app.user("caio").await);
    let (bia, rui) = agents(&app).await;
    let (one, two, three) = (
        id_of(&open(&ana).await),
        id_of(&open(&ana).await),
        id_of(&open(&ana).await),
    );
    let other = id_of(&open(&caio).await);
    let (own, own_too) = (id_of(&open(&rui).await), id_of(&open(&rui).await));
    let unknown = Uuid::now_v7().to_string();
    merge(&ana, &one, &two).await.refused(403, "auth.forbidden");
    merge(&bia, &one, &other)
        .await
        .refused(422, "ticket.other_person");
    merge(&bia, &one, &one).await.refused(422, "ticket.other_person");
    merge(&bia, &unknown, &one).await.refused(404, "ticket.unknown");
    merge(&bia, &one, &unknown).await.refused(404, "ticket.unknown");
    // On their own tickets staff are customers.
    merge(&rui, &own, &own_too).await.refused(403, "ticket.own");
    bia.post(&format!("/support/close-ticket/{two}"), &json!({}))
        .await
        .ok();
    merge(&bia, &one, &two).await.refused(409, "ticket.closed");
    // A closed one is merged as well as an open one; what was merged is merged no more, nor into, and there are no chains.
    merge(&bia, &two, &one).await.ok();
    merge(&bia, &two, &three).await.refused(409, "ticket.merged");
    merge(&bia, &three, &two).await.refused(409, "ticket.merged");
    merge(&bia, &one, &three).await.refused(409, "ticket.merged");
    merge(&bia, &three, &one).await.ok();
    let detail = seen(&bia, "get-ticket-support-team", &one).await;
    assert_eq!(detail["ticket"]["doubles"], 2);
    // Ten, and no more.
    for _ in 0..8 {
        let next = id_of(&open(&ana).await);
        merge(&bia, &next, &one).await.ok();
    }
    let next = id_of(&open(&ana).await);
    let full = merge(&bia, &next, &one).await;
    full.refused(409, "ticket.doubles_full");
    assert_eq!(full.body["params"]["maximum"], "10");
}

/// Two merge one another's way at once: one of them does, and nobody waits for ever.
#[actix_web::test]
async fn both_ways_at_once_is_one_way() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let (one, two) = (id_of(&open(&ana).await), id_of(&open(&ana).await));
    let (a, b) = futures_util::join!(merge(&bia, &one, &two), merge(&rui, &two, &one));
    let mut answers = [a.status, b.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409]);
}

/// Whichever of the two is deleted, the other points at it no more.
#[actix_web::test]
async fn what_was_merged_parts_from_what_is_deleted() {
    let app = TestApp::start().await;
    let (ana, (bia, rui)) = (app.user("ana").await, agents(&app).await);
    let [one, two, into] = [
        id_of(&open(&ana).await),
        id_of(&open(&ana).await),
        id_of(&open(&ana).await),
    ];
    reply(&ana, &one, "Alguém?").await;
    for double in [&one, &two] {
        merge(&bia, double, &into).await.ok();
    }
    drain(&app).await;
    let mut theirs = Live::open(&app, &ana).await;
    theirs.subscribe(&format!("user:{}", ana.user)).await;
    // A double is deleted: where it was merged into has one less, and says nothing of it any more.
    rui.delete(&format!("/support/delete-ticket/{two}")).await;
    assert_eq!(row_of(&mut theirs, &into).await["doubles"], 1);
    let there = seen(&ana, "get-ticket-user", &into).await;
    assert_eq!(there["merged"].as_array().unwrap().len(), 1);
    assert_eq!(there["merged"][0]["_id"], json!(one));
    // Where it was merged into is deleted: the other stands alone, closed as it was, and may be written in again.
    rui.delete(&format!("/support/delete-ticket/{into}")).await;
    assert_eq!(row_of(&mut theirs, &one).await["status"], "closed");
    let alone = seen(&ana, "get-ticket-user", &one).await;
    assert!(alone["ticket"].get("mergedInto").is_none_or(Value::is_null));
    reply(&ana, &one, "Sigo aqui.").await;
    let open_again = seen(&ana, "get-ticket-user", &one).await;
    assert_eq!(open_again["ticket"]["status"], "open");
    assert_eq!(open_again["messages"].as_array().unwrap().len(), 3);
    // Nobody has closed it anew, and nobody is told so.
    drain(&app).await;
    assert!(!codes(&inbox(&ana).await).contains(&"ticket_closed"));
    // What was merged and deleted stays deleted.
    ana.get(&format!("/support/get-ticket-user/{two}"))
        .await
        .refused(404, "ticket.unknown");
}
