//! How customers found their tickets solved: asked once, said once, told to staff live, and what the desk's figures make of it.

use crate::{
    kit::{Client, Reply, STORE_EMPLOYEE, TestApp, live::Live},
    support::{agents, facts, id_of, open, reply},
};
use serde_json::{Value, json};
use server::foundation::{business_day, clock::Clock};
use time::Duration;
use uuid::Uuid;

async fn rate(who: &Client, id: &str, body: &Value) -> Reply {
    who.post(&format!("/support/rate-ticket/{id}"), body).await
}

async fn close(who: &Client, id: &str) -> Value {
    who.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok()
}

/// A ticket of hers that he has answered and closed.
async fn solved(customer: &Client, agent: &Client) -> String {
    let id = id_of(&open(customer).await);
    reply(agent, &id, "Pronto.").await;
    close(agent, &id).await;
    id
}

#[actix_web::test]
async fn a_solved_ticket_is_rated_once_and_for_good() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    let first = json!({ "score": 4, "comment": " Rápido.\u{202e} " });
    // Nothing is asked of what is open, nor of what staff never answered.
    rate(&ana, &id, &first).await.refused(409, "ticket.not_ratable");
    let closed = close(&ana, &id).await;
    assert!(closed.get("asksRating").is_none());
    rate(&ana, &id, &first).await.refused(409, "ticket.not_ratable");
    reply(&ana, &id, "Alguém?").await;
    let answer = reply(&bia, &id, "Pronto.").await;
    assert!(answer["ticket"].get("asksRating").is_none());
    let closed = close(&bia, &id).await;
    assert_eq!(closed["asksRating"], true);
    let own = ana.get("/support/list-tickets-user/").await.ok();
    assert_eq!(own["data"][0]["asksRating"], true);

    // Only by its customer, in bounds; words stand beside a score.
    rate(&bia, &id, &first).await.refused(404, "ticket.unknown");
    for (wrong, code) in [
        (json!({ "score": 0 }), "request.invalid"),
        (json!({ "score": 6 }), "request.invalid"),
        (json!({ "comment": "Só palavras" }), "request.invalid"),
        (
            json!({ "score": 3, "comment": "a".repeat(501) }),
            "message.too_long",
        ),
    ] {
        rate(&ana, &id, &wrong).await.refused(422, code);
    }
    let rated = rate(&ana, &id, &first).await.ok();
    assert!(rated.get("asksRating").is_none());
    // The same again is the same; anything else comes too late.
    let again = rate(&ana, &id, &first).await.ok();
    assert_eq!(again["version"], rated["version"]);
    for other in [json!({ "score": 5 }), json!({}), json!({ "score": 4 })] {
        rate(&ana, &id, &other).await.refused(409, "ticket.rated");
    }
    for path in ["get-ticket-user", "get-ticket-support-team"] {
        let who = if path == "get-ticket-user" { &ana } else { &bia };
        let seen = who.get(&format!("/support/{path}/{id}")).await.ok();
        assert_eq!(seen["rating"]["score"], 4, "{path}");
        assert_eq!(seen["rating"]["comment"], "Rápido.", "{path}");
    }
    // Opened again and closed again: it was asked once.
    reply(&ana, &id, "Mais uma coisa").await;
    let closed = close(&bia, &id).await;
    assert!(closed.get("asksRating").is_none());
    rate(&ana, &id, &json!({ "score": 1 }))
        .await
        .refused(409, "ticket.rated");
}

#[actix_web::test]
async fn who_does_not_want_to_say_is_asked_no_more() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = solved(&ana, &bia).await;
    let before = facts(&app, "queue:tickets").await;
    let ticket = rate(&ana, &id, &json!({})).await.ok();
    assert!(ticket.get("asksRating").is_none());
    rate(&ana, &id, &json!({ "score": 5 }))
        .await
        .refused(409, "ticket.rated");
    // Staff are told of no score, since there is none.
    let mut expected = before;
    expected.push("ticket.activity".to_owned());
    assert_eq!(facts(&app, "queue:tickets").await, expected);
    let seen = bia
        .get(&format!("/support/get-ticket-support-team/{id}"))
        .await
        .ok();
    assert_eq!(
        (&seen["rating"], &seen["desk"]["rating"]),
        (&Value::Null, &Value::Null)
    );
    let report = bia.get("/support/desk-report").await.ok();
    assert_eq!(report["agents"], json!([]));
    assert_eq!(report["data"][0]["ratings"], 0);
}

#[actix_web::test]
async fn a_week_after_the_end_nothing_is_asked() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let (one, two) = (solved(&ana, &bia).await, solved(&ana, &bia).await);
    app.clock.advance(Duration::days(7) - Duration::minutes(1));
    let ana = app.renew(&ana);
    rate(&ana, &one, &json!({ "score": 5 })).await.ok();
    app.clock.advance(Duration::minutes(2));
    let ana = app.renew(&ana);
    rate(&ana, &two, &json!({ "score": 5 }))
        .await
        .refused(409, "ticket.not_ratable");
}

/// Two answers at once, one of them another one: one stands.
#[actix_web::test]
async fn one_rating_whoever_comes_first() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = solved(&ana, &bia).await;
    let (good, bad) = (json!({ "score": 5 }), json!({ "score": 1 }));
    let (one, two) = futures_util::join!(rate(&ana, &id, &good), rate(&ana, &id, &bad));
    let mut answers = [one.status, two.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409]);
}

/// Staff see the score at once where they work; the words are read with the ticket and stand in no fact. On the customer's streams stands only
/// that nothing is asked any more.
#[actix_web::test]
async fn staff_see_it_at_once() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = solved(&ana, &bia).await;
    let mut desk = Live::open(&app, &bia).await;
    desk.subscribe("queue:tickets").await;
    let mut theirs = Live::open(&app, &ana).await;
    theirs.subscribe(&format!("user:{}", ana.user)).await;
    let body = json!({ "score": 2, "comment": "Demorou muito" });
    rate(&ana, &id, &body).await.ok();
    let fact = desk.fact("ticket.desk").await;
    assert_eq!(fact["event"]["desk"]["_id"], json!(id));
    assert_eq!(fact["event"]["desk"]["rating"], 2);
    let heard = theirs.fact("ticket.activity").await;
    assert!(heard["event"]["ticket"].get("asksRating").is_none());
    let told: Vec<String> = sqlx::query_scalar("SELECT payload::text FROM foundation.event")
        .fetch_all(&app.sql)
        .await
        .unwrap();
    assert!(!told.is_empty() && told.iter().all(|fact| !fact.contains("Demorou")));
    let list = bia.get("/support/list-tickets-all/").await.ok();
    assert_eq!(list["data"][0]["desk"]["rating"], 2);
    let csv = bia.get("/support/list-tickets-all/?format=csv").await;
    let text = csv.body.as_str().unwrap();
    assert!(text.contains("Avaliação") && !text.contains("Demorou"), "{text}");
}

/// By the day on which it was said and by whose work it was: who has the ticket, or who answered it last where nobody does.
#[actix_web::test]
async fn figures_by_day_and_by_agent() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, rui) = agents(&app).await;
    let first = solved(&ana, &bia).await;
    rate(&ana, &first, &json!({ "score": 5 })).await.ok();
    app.clock.advance(Duration::days(1));
    let (ana, bia, rui) = (app.renew(&ana), app.renew(&bia), app.renew(&rui));
    let second = solved(&ana, &bia).await;
    rate(&ana, &second, &json!({ "score": 2 })).await.ok();
    // He answers last and nobody has it any more.
    let third = id_of(&open(&ana).await);
    reply(&bia, &third, "Vou ver.").await;
    reply(&rui, &third, "Feito.").await;
    bia.post(&format!("/support/let-go-ticket/{third}"), &json!({}))
        .await
        .ok();
    close(&rui, &third).await;
    rate(&ana, &third, &json!({ "score": 4 })).await.ok();
    let report = bia.get("/support/desk-report?days=7").await.ok();
    let today = business_day::of(app.clock.now());
    assert_eq!(report["data"][0]["day"], json!(today.to_string()));
    let of = |place: usize| {
        let day = &report["data"][place];
        (
            day["ratings"].as_i64().unwrap(),
            day["ratingSum"].as_i64().unwrap(),
        )
    };
    assert_eq!([of(0), of(1), of(2)], [(2, 6), (1, 5), (0, 0)]);
    let agents = json!([
        { "agent": { "_id": bia.user, "name": "bia de Teste" }, "ratings": 2, "ratingSum": 7 },
        { "agent": { "_id": rui.user, "name": "rui de Teste" }, "ratings": 1, "ratingSum": 4 },
    ]);
    assert_eq!(report["agents"], agents);
    // What was deleted counts nowhere; what was said before the span neither.
    bia.delete(&format!("/support/delete-ticket/{third}")).await;
    let report = bia.get("/support/desk-report?days=1").await.ok();
    assert_eq!(report["data"][0]["ratings"], 1);
    assert_eq!(
        report["agents"],
        json!([{ "agent": { "_id": bia.user, "name": "bia de Teste" }, "ratings": 1, "ratingSum": 2 }])
    );
}

/// The database keeps it by itself: one for a ticket, of what was asked about, in bounds, and never changed.
#[actix_web::test]
async fn the_database_refuses_what_was_not_asked() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let (closed, opened) = (solved(&ana, &bia).await, id_of(&open(&ana).await));
    let put = async |ticket: &str, score: Option<i16>, comment: Option<&str>, agent: Uuid| {
        sqlx::query(
            "INSERT INTO support.rating (ticket, score, comment, agent, created_at) VALUES ($1, $2, $3, $4, now())",
        )
        .bind(ticket.parse::<Uuid>().unwrap())
        .bind(score)
        .bind(comment)
        .bind(agent)
        .execute(&app.sql)
        .await
        .is_ok()
    };
    let (her, him) = (ana.user.0, bia.user.0);
    assert!(!put(&opened, Some(5), None, him).await, "an open ticket");
    assert!(!put(&closed, Some(0), None, him).await && !put(&closed, Some(6), None, him).await);
    assert!(!put(&closed, None, Some("x"), him).await, "words without a score");
    assert!(!put(&closed, Some(5), Some(" "), him).await, "empty words");
    assert!(!put(&closed, Some(5), None, her).await, "one's own work");
    assert!(put(&closed, Some(5), None, him).await);
    assert!(!put(&closed, Some(4), None, him).await, "twice");
    for change in [
        "UPDATE support.rating SET score = 1",
        "DELETE FROM support.rating",
        "TRUNCATE support.rating",
    ] {
        let refused = sqlx::query(change).execute(&app.sql).await;
        assert!(refused.is_err(), "{change}");
    }
}
