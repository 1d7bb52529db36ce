//! Who has taken a ticket: taken, handed over, let go, taken by answering; told to staff alone, and what lists and the report make of it.

use crate::{
    kit::{CUSTOMER, Client, STORE_EMPLOYEE, SYSTEM_EMPLOYEE, TestApp, live::Live},
    support::{agents, facts, id_of, open, reply},
};
use serde_json::{Value, json};
use server::foundation::{business_day, clock::Clock};
use time::Duration;
use uuid::Uuid;

async fn take(who: &Client, id: &str, from: Option<&Client>) -> crate::kit::Reply {
    let from = from.map(|holder| holder.user);
    who.post(&format!("/support/take-ticket/{id}"), &json!({ "from": from }))
        .await
}

async fn hand_over(who: &Client, id: &str, to: &Client) -> crate::kit::Reply {
    who.post(
        &format!("/support/hand-over-ticket/{id}"),
        &json!({ "to": to.user }),
    )
    .await
}

async fn let_go(who: &Client, id: &str) -> crate::kit::Reply {
    who.post(&format!("/support/let-go-ticket/{id}"), &json!({}))
        .await
}

async fn actions(app: &TestApp) -> Vec<(Uuid, String)> {
    sqlx::query_as("SELECT actor, action FROM foundation.audit WHERE category = 'support' ORDER BY id")
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn a_ticket_is_taken_handed_over_and_let_go_and_each_is_noted() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = (
        app.person("bia", STORE_EMPLOYEE).await,
        app.person("rui", SYSTEM_EMPLOYEE).await,
    );
    let id = id_of(&open(&ana).await);
    let taken = take(&bia, &id, None).await.ok();
    assert_eq!(
        taken["takenBy"],
        json!({ "_id": bia.user, "name": "bia de Teste" })
    );
    assert!(taken["takenAt"].is_string() && taken["firstAnsweredAt"].is_null());
    // Taken already: nothing changes, nothing is noted.
    assert_eq!(take(&bia, &id, None).await.ok()["version"], taken["version"]);

    // Who takes what a colleague has is told whose it is, and takes it by saying so.
    let refused = take(&rui, &id, None).await;
    refused.refused(409, "ticket.taken");
    assert_eq!(refused.body["params"]["name"], "bia de Teste");
    take(&rui, &id, Some(&ana)).await.refused(409, "ticket.taken");
    for other in [let_go(&rui, &id).await, hand_over(&rui, &id, &bia).await] {
        other.refused(409, "ticket.not_taken");
    }
    assert_eq!(
        take(&rui, &id, Some(&bia)).await.ok()["takenBy"]["_id"],
        json!(rui.user)
    );

    let handed = hand_over(&rui, &id, &bia).await.ok();
    assert_eq!(handed["takenBy"]["_id"], json!(bia.user));
    let free = let_go(&bia, &id).await.ok();
    assert!(free["takenBy"].is_null() && free["takenAt"].is_null());
    // Nobody's stays nobody's.
    assert_eq!(let_go(&rui, &id).await.ok()["version"], free["version"]);
    let deeds = [
        (&bia, "ticket.taken"),
        (&rui, "ticket.taken"),
        (&rui, "ticket.handed_over"),
        (&bia, "ticket.let_go"),
    ];
    let expected: Vec<_> = deeds.map(|(who, deed)| (who.user.0, deed.to_owned())).to_vec();
    assert_eq!(actions(&app).await, expected);
    assert_eq!(
        facts(&app, "queue:tickets").await,
        [
            "ticket.opened",
            "ticket.desk",
            "ticket.desk",
            "ticket.desk",
            "ticket.desk"
        ]
    );
}

#[actix_web::test]
async fn it_is_handed_only_to_who_answers_and_is_not_its_customer() {
    let app = TestApp::start().await;
    let (ana, sol) = (
        app.user("ana").await,
        app.person("sol", crate::kit::SALESPERSON).await,
    );
    let (bia, rui) = agents(&app).await;
    let id = id_of(&open(&rui).await);
    take(&bia, &id, None).await.ok();
    // On their own ticket staff are customers.
    take(&rui, &id, Some(&bia)).await.refused(403, "ticket.own");
    for other in [&ana, &sol, &rui] {
        hand_over(&bia, &id, other).await.refused(422, "agent.unknown");
    }
    let lui = app.person("lui", STORE_EMPLOYEE).await;
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(lui.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    hand_over(&bia, &id, &lui).await.refused(422, "agent.unknown");
    // Who may be handed one stands in the list, with what they have.
    let agents = bia.get("/support/agents").await.ok();
    assert_eq!(
        agents["data"],
        json!([
            { "_id": bia.user, "name": "bia de Teste", "open": 1, "answers": true },
            { "_id": rui.user, "name": "rui de Teste", "open": 0, "answers": true },
        ])
    );
    // A closed one is nobody's to give; whoever had it may let it go.
    bia.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    let gil = app.person("gil", STORE_EMPLOYEE).await;
    hand_over(&bia, &id, &gil).await.refused(409, "ticket.closed");
    take(&gil, &id, Some(&bia)).await.refused(409, "ticket.closed");
    let_go(&bia, &id).await.ok();
    let unknown = Uuid::now_v7().to_string();
    take(&bia, &unknown, None).await.refused(404, "ticket.unknown");
}

#[actix_web::test]
async fn an_answer_takes_what_nobody_has_and_a_mail_does_not() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let id = id_of(&open(&ana).await);
    let mail = json!({ "ticketId": id, "text": "Oi", "clientId": Uuid::now_v7() });
    bia.post("/support/email-send", &mail).await.ok();
    let desk = async || {
        let list = bia.get("/support/list-tickets-all/").await.ok();
        list["data"][0]["desk"].clone()
    };
    let before = desk().await;
    assert!(before["takenBy"].is_null() && before["firstAnsweredAt"].is_null());
    app.clock.advance(Duration::minutes(2));
    reply(&bia, &id, "Vou olhar.").await;
    let first = desk().await;
    assert_eq!(first["takenBy"]["_id"], json!(bia.user));
    assert!(first["firstAnsweredAt"].is_string());
    // Another's answer takes nothing away, and the first answer stays the first.
    app.clock.advance(Duration::minutes(2));
    reply(&rui, &id, "Também olho.").await;
    let second = desk().await;
    assert_eq!(
        (&second["takenBy"], &second["firstAnsweredAt"]),
        (&first["takenBy"], &first["firstAnsweredAt"])
    );
    assert_eq!(
        actions(&app).await,
        [
            (bia.user.0, "ticket.mailed".to_owned()),
            (bia.user.0, "ticket.taken".to_owned())
        ]
    );
    // What the customer says takes nothing.
    let other = id_of(&open(&ana).await);
    reply(&ana, &other, "Alguém?").await;
    let detail = bia
        .get(&format!("/support/get-ticket-support-team/{other}"))
        .await
        .ok();
    assert!(detail["desk"]["takenBy"].is_null());
}

/// Two take the same at once: one has it, the other is told.
#[actix_web::test]
async fn one_holder_whoever_takes_at_once() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let id = id_of(&open(&ana).await);
    let (one, two) = futures_util::join!(take(&bia, &id, None), take(&rui, &id, None));
    let mut answers = [one.status, two.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409]);
}

/// What staff alone know stands in nothing that a customer's calls or streams tell.
#[actix_web::test]
async fn the_customer_is_not_told_who_has_it() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let opened = open(&ana).await;
    let id = id_of(&opened);
    let mut theirs = Live::open(&app, &ana).await;
    theirs.subscribe(&format!("ticket:{id}")).await;
    theirs.subscribe(&format!("user:{}", ana.user)).await;
    let mut desk = Live::open(&app, &bia).await;
    desk.subscribe("queue:tickets").await;
    take(&bia, &id, None).await.ok();
    let fact = desk.fact("ticket.desk").await;
    assert_eq!(fact["event"]["desk"]["_id"], json!(id));
    assert_eq!(fact["event"]["desk"]["takenBy"]["_id"], json!(bia.user));
    assert!(fact["event"]["handedBy"].is_null());
    // The next that the customer hears is what was said after it.
    reply(&bia, &id, "Oi").await;
    let heard = theirs.expect("event").await;
    assert_eq!(heard["event"]["kind"], "ticket.message");
    for stream in [format!("ticket:{id}"), format!("user:{}", ana.user)] {
        assert!(!facts(&app, &stream).await.contains(&"ticket.desk".to_owned()));
    }
    let own = ana.get("/support/list-tickets-user/").await.ok();
    let seen = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
    for answer in [&own["data"][0], &seen, &opened] {
        let text = answer.to_string();
        for word in ["desk", "takenBy", "firstAnsweredAt"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }
    for filter in ["?agent=me", "?age=1d"] {
        let asked = ana.get(&format!("/support/list-tickets-user/{filter}")).await;
        asked.refused(422, "request.invalid");
    }
}

#[actix_web::test]
async fn who_is_handed_one_hears_from_whom() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let id = id_of(&open(&ana).await);
    take(&bia, &id, None).await.ok();
    let mut theirs = Live::open(&app, &rui).await;
    theirs.subscribe("queue:tickets").await;
    hand_over(&bia, &id, &rui).await.ok();
    let fact = theirs.fact("ticket.desk").await;
    assert_eq!(fact["event"]["desk"]["takenBy"]["_id"], json!(rui.user));
    assert_eq!(fact["event"]["handedBy"], "bia de Teste");
}

#[actix_web::test]
async fn lists_narrow_by_who_has_it_and_by_age() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(id_of(&open(&app.renew(&ana)).await));
        app.clock.advance(Duration::hours(30));
    }
    let (bia, rui) = (app.renew(&bia), app.renew(&rui));
    take(&bia, &ids[0], None).await.ok();
    take(&rui, &ids[1], None).await.ok();
    let found = async |query: &str| {
        let list = bia.get(&format!("/support/list-tickets-all/{query}")).await.ok();
        let rows = list["data"].as_array().unwrap();
        let found: Vec<String> = rows
            .iter()
            .map(|t| t["_id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(list["meta"]["total"], found.len());
        found
    };
    let of = |places: &[usize]| places.iter().map(|at| ids[*at].clone()).collect::<Vec<_>>();
    for (query, places) in [
        ("?agent=me", &[0][..]),
        ("?agent=nobody", &[2]),
        ("?agent=someone&sortby=waiting_since", &[0, 1]),
        ("?agent=someone&sortby=waiting_since&sortdirection=asc", &[1, 0]),
        ("?agent=me&status=closed", &[]),
        ("?age=1d", &[2, 1, 0]),
        ("?age=3d", &[0]),
        ("?age=30d", &[]),
        ("?age=1d&agent=nobody&category=financial&status=open", &[2]),
        ("?sortby=created_at", &[2, 1, 0]),
    ] {
        assert_eq!(found(query).await, of(places), "{query}");
    }
    // One colleague by their id, oneself too; who is nobody has nothing.
    let by = |who: Uuid| format!("?agent={who}");
    assert_eq!(found(&by(rui.user.0)).await, of(&[1]));
    assert_eq!(found(&by(bia.user.0)).await, of(&[0]));
    assert_eq!(found(&by(Uuid::now_v7())).await, of(&[]));
    assert_eq!(
        found(&format!("{}&age=3d", by(rui.user.0))).await,
        Vec::<String>::new()
    );
    for wrong in ["?agent=rui", "?agent=018f"] {
        bia.get(&format!("/support/list-tickets-all/{wrong}"))
            .await
            .refused(422, "request.invalid");
    }
    app.renew(&ana)
        .get(&format!("/support/list-tickets-user/{}", by(rui.user.0)))
        .await
        .refused(422, "request.invalid");
    let csv = bia.get("/support/list-tickets-all/?format=csv&agent=me").await;
    let text = csv.body.as_str().unwrap();
    assert!(
        text.contains("bia de Teste") && !text.contains("rui de Teste"),
        "{text}"
    );
}

/// Whoever answers no more is named while they have open tickets, so that those are found, and is handed none.
#[actix_web::test]
async fn who_left_is_named_while_something_is_theirs() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let (one, two) = (id_of(&open(&ana).await), id_of(&open(&ana).await));
    take(&rui, &one, None).await.ok();
    take(&bia, &two, None).await.ok();
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(rui.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let named = async || bia.get("/support/agents").await.ok()["data"].clone();
    let me = json!({ "_id": bia.user, "name": "bia de Teste", "open": 1, "answers": true });
    assert_eq!(
        named().await,
        json!([me, { "_id": rui.user, "name": "rui de Teste", "open": 1, "answers": false }])
    );
    hand_over(&bia, &two, &rui).await.refused(422, "agent.unknown");
    take(&bia, &one, Some(&rui)).await.ok();
    assert_eq!(
        named().await,
        json!([{ "_id": bia.user, "name": "bia de Teste", "open": 2, "answers": true }])
    );
}

/// The tickets that a list shows, with what was found in each.
async fn searched(client: &Client, list: &str, words: &str) -> Vec<(String, Value)> {
    let answer = client.get(&format!("{list}?search={words}")).await.ok();
    let rows = answer["data"].as_array().unwrap();
    rows.iter()
        .map(|row| (row["_id"].as_str().unwrap().to_owned(), row["found"].clone()))
        .collect()
}

/// In the three languages, by any form of a word, without accents and capitals, in one message; a note of staff is no message, and a customer finds
/// one's own alone.
#[actix_web::test]
async fn tickets_are_found_by_the_words_of_their_messages() {
    const ALL: &str = "/support/list-tickets-all/";
    const OWN: &str = "/support/list-tickets-user/";
    let app = TestApp::start().await;
    let (ana, rui) = (app.user("ana").await, app.user("rui").await);
    let bia = app.person("bia", STORE_EMPLOYEE).await;
    let (pt, es, en) = (
        id_of(&open(&ana).await),
        id_of(&open(&rui).await),
        id_of(&open(&rui).await),
    );
    let written = reply(
        &ana,
        &pt,
        "Minhas transferências de segunda ainda não apareceram na carteira",
    )
    .await;
    reply(&rui, &es, "Las retiradas llegaron tarde a mi cuenta").await;
    reply(&rui, &en, "I was charged twice for the licences that I cancelled").await;
    for (words, ticket) in [
        ("TRANSFERENCIA", &pt),
        ("transfer%C3%AAncia%20carteiras", &pt),
        ("retirada", &es),
        ("charging", &en),
        ("cancel%20licence", &en),
    ] {
        let found = searched(&bia, ALL, words).await;
        assert_eq!(found.len(), 1, "{words}: {found:?}");
        assert_eq!(&found[0].0, ticket, "{words}");
        assert_eq!(found[0].1["number"], 2, "{words}");
    }
    let found = searched(&bia, ALL, "transferencia").await;
    assert_eq!(
        found[0].1["text"],
        "Minhas transferências de segunda ainda não apareceram na carteira"
    );
    // All of the words, in one message; operators are words.
    for words in ["transferencia%20charged", "-charged%20zebra", "%7C", "%27%3A*"] {
        assert_eq!(searched(&bia, ALL, words).await, [], "{words}");
    }
    // The newest of several, and what is found otherwise names no message.
    reply(&bia, &pt, "As transferências estão em análise").await;
    assert_eq!(searched(&bia, ALL, "transferencias").await[0].1["number"], 3);
    assert_eq!(searched(&bia, ALL, "ana").await[0].1, Value::Null);
    // A note is staff's, and not found; a customer finds what is in their own tickets.
    bia.post(
        &format!("/support/ticket-notes/{pt}"),
        &json!({ "text": "Parece fraude", "clientId": uuid::Uuid::now_v7() }),
    )
    .await
    .ok();
    assert_eq!(searched(&bia, ALL, "fraude").await, []);
    assert_eq!(
        searched(&ana, OWN, "transferencias").await,
        [(pt.clone(), Value::Null)]
    );
    assert_eq!(searched(&rui, OWN, "transferencias").await, []);
    // What was corrected is found as it reads now.
    ana.patch(
        "/support/edit-ticket-message",
        &json!({ "messageId": written["message"]["_id"], "text": "Meus robôs pararam" }),
    )
    .await
    .ok();
    assert_eq!(searched(&bia, ALL, "carteira").await, []);
    assert_eq!(
        searched(&bia, ALL, "robo").await[0].1["text"],
        "Meus robôs pararam"
    );
}

#[actix_web::test]
async fn words_are_looked_up_in_their_index() {
    let app = TestApp::start().await;
    let of = app.user("ana").await.user.0;
    let ticket: uuid::Uuid = sqlx::query_scalar(
        "INSERT INTO support.ticket (id, owner, subject, category, last_message_at, created_at) VALUES (gen_random_uuid(), $1, 'x', 'other', now(), now())
         RETURNING id",
    )
    .bind(of)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO support.message (ticket, number, id, author, side, body, created_at)
         SELECT $1, n, gen_random_uuid(), $2, 'customer', 'palavra' || n, now() FROM generate_series(1, 5000) n",
    )
    .bind(ticket)
    .bind(of)
    .execute(&app.sql)
    .await
    .unwrap();
    sqlx::query("ANALYZE support.message")
        .execute(&app.sql)
        .await
        .unwrap();
    let plan: Vec<String> = sqlx::query_scalar(
        "EXPLAIN SELECT m.ticket FROM support.message m WHERE m.words @@ support.asked('palavra77')",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert!(plan.join("\n").contains("message_words"), "{plan:?}");
}

#[actix_web::test]
async fn the_report_counts_by_day_what_was_opened_solved_and_how_soon_answered() {
    let app = TestApp::start().await;
    // At noon of a day: none of it falls on another one.
    let tomorrow = business_day::of(app.clock.now()).next_day().unwrap();
    let noon = business_day::start(tomorrow) + Duration::hours(12);
    app.clock.advance(noon - app.clock.now());
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let day = |report: &Value, at: usize| report["data"][at].clone();
    let (one, two) = (id_of(&open(&ana).await), id_of(&open(&ana).await));
    app.clock.advance(Duration::minutes(10));
    reply(&bia, &one, "Oi").await;
    app.clock.advance(Duration::minutes(20));
    let bia = app.renew(&bia);
    reply(&bia, &two, "Oi").await;
    let today = bia.get("/support/desk-report?days=3").await.ok();
    assert_eq!(today["data"].as_array().unwrap().len(), 3);
    assert_eq!(
        (
            &day(&today, 0)["opened"],
            &day(&today, 0)["solved"],
            &day(&today, 0)["firstAnswerSeconds"]
        ),
        (&json!(2), &json!(0), &json!(600))
    );
    let name = day(&today, 0)["day"].as_str().unwrap().to_owned();
    app.clock.advance(Duration::hours(24));
    let (ana, bia) = (app.renew(&ana), app.renew(&bia));
    for id in [&one, &two] {
        bia.post(&format!("/support/close-ticket/{id}"), &json!({}))
            .await
            .ok();
    }
    // What is opened again is not solved.
    reply(&ana, &two, "Ainda não.").await;
    let later = bia.get("/support/desk-report?days=3").await.ok();
    let found = later["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| (day["opened"].as_i64().unwrap(), day["solved"].as_i64().unwrap()))
        .collect::<Vec<_>>();
    assert_eq!(found, [(0, 1), (2, 0), (0, 0)]);
    assert_eq!(day(&later, 1)["day"], json!(name));
    assert!(day(&later, 0)["firstAnswerSeconds"].is_null());
    for bad in ["0", "91", "x"] {
        bia.get(&format!("/support/desk-report?days={bad}"))
            .await
            .refused(422, "request.invalid");
    }
}

/// The list of refusals tries every call by its table; here, that nothing changes for who may not.
#[actix_web::test]
async fn who_may_not_changes_nothing() {
    let app = TestApp::start().await;
    let (ana, carla) = (app.user("ana").await, app.person("carla", CUSTOMER).await);
    let sol = app.person("sol", crate::kit::SALESPERSON).await;
    let id = id_of(&open(&ana).await);
    for who in [&ana, &carla, &sol] {
        take(who, &id, None).await.refused(403, "auth.forbidden");
        let_go(who, &id).await.refused(403, "auth.forbidden");
        hand_over(who, &id, &carla).await.refused(403, "auth.forbidden");
        for path in ["/support/agents", "/support/desk-report"] {
            who.get(path).await.refused(403, "auth.forbidden");
        }
    }
    assert_eq!(facts(&app, "queue:tickets").await, ["ticket.opened"]);
    assert!(actions(&app).await.is_empty());
}
