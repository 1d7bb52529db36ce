//! Support through its calls: who may, what is stored once, what is refused and then changes nothing.

use crate::kit::{Client, SALESPERSON, STORE_EMPLOYEE, TestApp};
use protocol::ids::TicketId;
use serde_json::{Value, json};
use server::support::service;
use time::Duration;
use uuid::Uuid;

fn new_ticket() -> Value {
    json!({ "subject": "Meu depósito não entrou", "description": "Enviei ontem.", "category": "financial" })
}

/// Two who answer.
pub async fn agents(app: &TestApp) -> (Client, Client) {
    (
        app.person("bia", STORE_EMPLOYEE).await,
        app.person("rui", STORE_EMPLOYEE).await,
    )
}

pub async fn open(client: &Client) -> Value {
    client.post("/support/open-ticket", &new_ticket()).await.ok()
}

pub fn id_of(written: &Value) -> String {
    written["ticket"]["_id"].as_str().unwrap().to_owned()
}

pub async fn reply(client: &Client, ticket: &str, text: &str) -> Value {
    client
        .post(
            "/support/ticket-response",
            &json!({ "ticketId": ticket, "text": text }),
        )
        .await
        .ok()
}

/// Kinds of the facts of a stream, in order.
pub async fn facts(app: &TestApp, stream: &str) -> Vec<String> {
    sqlx::query_scalar("SELECT kind FROM foundation.event WHERE stream = $1 ORDER BY seq")
        .bind(stream)
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

async fn count(app: &TestApp, table: &'static str) -> i64 {
    let query = match table {
        "ticket" => "SELECT count(*) FROM support.ticket",
        "message" => "SELECT count(*) FROM support.message",
        "event" => "SELECT count(*) FROM foundation.event",
        "file" => "SELECT count(*) FROM foundation.file",
        _ => panic!("{table}"),
    };
    sqlx::query_scalar(query).fetch_one(&app.sql).await.unwrap()
}

fn png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_fn(8, 8, |x, y| image::Rgb([x as u8 * 30, y as u8 * 30, 90]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

#[actix_web::test]
async fn a_ticket_is_opened_answered_and_told_to_both_sides() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let opened = open(&ana).await;
    let id = id_of(&opened);
    assert_eq!(opened["ticket"]["number"], 1);
    assert_eq!(opened["ticket"]["status"], "open");
    assert_eq!(opened["ticket"]["lastMessage"], "Enviei ontem.");
    assert_eq!(opened["message"]["number"], 1);
    assert!(opened["ticket"]["waitingSince"].is_string());

    let all = bia.get("/support/list-tickets-all/").await.ok();
    assert_eq!(
        (&all["meta"]["limit"], &all["meta"]["total"]),
        (&json!(100), &json!(1))
    );
    assert_eq!(all["data"][0]["userName"], "ana de Teste");

    let answer = reply(&bia, &id, "Vou olhar.").await;
    assert_eq!(answer["message"]["side"], "staff");
    assert_eq!(answer["message"]["number"], 2);
    assert_eq!(answer["ticket"]["waitingSince"], Value::Null);
    let waits = reply(&ana, &id, "Obrigada").await;
    assert!(waits["ticket"]["waitingSince"].is_string());

    let seen = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
    assert_eq!(seen["description"], "Enviei ontem.");
    assert_eq!(seen["image"], Value::Null);
    assert_eq!(seen["hasOlder"], false);
    assert!(seen.get("customer").is_none());
    let numbers: Vec<i64> = seen["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["number"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(seen["seq"], 3);

    let staff = bia
        .get(&format!("/support/get-ticket-support-team/{id}"))
        .await
        .ok();
    assert_eq!(staff["customer"]["fullName"], "ana de Teste");
    assert_eq!(staff["customer"]["username"], "ana");
    assert_eq!(staff["customer"]["openTickets"], 1);

    assert_eq!(facts(&app, &format!("ticket:{id}")).await, ["ticket.message"; 3]);
    assert_eq!(
        facts(&app, "queue:tickets").await,
        [
            "ticket.opened",
            "ticket.activity",
            "ticket.desk",
            "ticket.activity"
        ]
    );
    assert_eq!(
        facts(&app, &format!("user:{}", ana.user)).await,
        ["ticket.opened", "ticket.activity", "ticket.activity"]
    );
}

#[actix_web::test]
async fn lists_filter_and_put_who_waits_longest_first_where_that_is_asked_for() {
    let app = TestApp::start().await;
    let (ana, rui, bia) = (
        app.user("ana").await,
        app.user("rui").await,
        app.person("bia", STORE_EMPLOYEE).await,
    );
    let mut ids = Vec::new();
    for who in [&ana, &rui, &ana] {
        ids.push(id_of(&open(who).await));
        app.clock.advance(Duration::minutes(1));
    }
    reply(&bia, &ids[0], "Feito").await;
    let order = async |query: &str| {
        let list = bia.get(&format!("/support/list-tickets-all/{query}")).await.ok();
        list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["_id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // Whoever names no order has that of every list: the newest first.
    assert_eq!(order("").await, [ids[2].clone(), ids[1].clone(), ids[0].clone()]);
    assert_eq!(
        order("?waiting=true&sortby=waiting_since").await,
        [ids[1].clone(), ids[2].clone()]
    );
    assert_eq!(order("?waiting=false").await, [ids[0].clone()]);
    assert_eq!(order("?category=other").await, [] as [String; 0]);
    assert_eq!(
        order("?sortby=created_at&sortdirection=asc&limit=1").await,
        [ids[0].clone()]
    );
    // By waiting the other way about: the shortest first, and who does not wait behind them still.
    assert_eq!(
        order("?sortby=waiting_since&sortdirection=asc").await,
        [ids[2].clone(), ids[1].clone(), ids[0].clone()]
    );
    assert_eq!(
        order("?sortby=waiting_since").await,
        [ids[1].clone(), ids[2].clone(), ids[0].clone()]
    );
    assert_eq!(order("?search=RUI").await, [ids[1].clone()]);
    assert_eq!(order("?search=%25").await, [] as [String; 0]);
    // A closed ticket waits for nobody.
    bia.post(&format!("/support/close-ticket/{}", ids[1]), &json!({}))
        .await
        .ok();
    assert_eq!(order("?waiting=true").await, [ids[2].clone()]);
    assert_eq!(order("?status=closed").await, [ids[1].clone()]);
    for bad in [
        "?category=x",
        "?status=x",
        "?sortby=subject",
        "?limit=501",
        "?page=0",
        "?waiting=maybe",
        "?agent=bia",
        "?age=2d",
    ] {
        bia.get(&format!("/support/list-tickets-all/{bad}"))
            .await
            .refused(422, "request.invalid");
    }
    let own = ana.get("/support/list-tickets-user/").await.ok();
    assert_eq!(
        (&own["meta"]["total"], &own["meta"]["limit"]),
        (&json!(2), &json!(10))
    );
    assert_eq!(own["data"][0]["_id"], ids[2]);
}

#[actix_web::test]
async fn strangers_meet_nothing_and_others_without_permission_are_refused() {
    let app = TestApp::start().await;
    let (ana, rui, bia) = (
        app.user("ana").await,
        app.user("rui").await,
        app.person("bia", STORE_EMPLOYEE).await,
    );
    let sales = app.person("sol", SALESPERSON).await;
    let written = open(&ana).await;
    let id = id_of(&written);
    let message = written["message"]["_id"].as_str().unwrap().to_owned();
    let before = (count(&app, "message").await, count(&app, "event").await);
    for other in [&rui, &sales] {
        other
            .get(&format!("/support/get-ticket-user/{id}"))
            .await
            .refused(404, "ticket.unknown");
        other
            .post(
                "/support/ticket-response",
                &json!({ "ticketId": id, "text": "oi" }),
            )
            .await
            .refused(404, "ticket.unknown");
        other
            .post(&format!("/support/close-ticket/{id}"), &json!({}))
            .await
            .refused(404, "ticket.unknown");
        other
            .patch(
                "/support/edit-ticket-message",
                &json!({ "messageId": message, "text": "oi" }),
            )
            .await
            .refused(404, "request.not_found");
        other
            .upload(
                &format!("/support/upload-image/{id}"),
                "a.png",
                "image/png",
                png(),
            )
            .await
            .refused(404, "ticket.unknown");
        other
            .get(&format!("/support/get-ticket-support-team/{id}"))
            .await
            .refused(403, "auth.forbidden");
        other
            .get("/support/list-tickets-all/")
            .await
            .refused(403, "auth.forbidden");
        other
            .delete(&format!("/support/delete-ticket/{id}"))
            .await
            .refused(403, "auth.forbidden");
        other
            .post("/support/email-send", &mail(&id, "oi"))
            .await
            .refused(403, "auth.forbidden");
        assert_eq!(
            other.get("/support/list-tickets-user/").await.ok()["meta"]["total"],
            0
        );
        let ticket: TicketId = id.parse().unwrap();
        assert_eq!(
            service::mark_read(&app.context, other.user, false, ticket, 1)
                .await
                .map_err(|e| e.error_code().status()),
            Err(404)
        );
    }
    // Staff sees every ticket, but only its owner sees it as the customer, and nobody edits another's words.
    bia.get(&format!("/support/get-ticket-user/{id}"))
        .await
        .refused(404, "ticket.unknown");
    bia.patch(
        "/support/edit-ticket-message",
        &json!({ "messageId": message, "text": "oi" }),
    )
    .await
    .refused(403, "auth.forbidden");
    bia.upload(
        &format!("/support/upload-image/{id}"),
        "a.png",
        "image/png",
        png(),
    )
    .await
    .refused(403, "auth.forbidden");
    let unknown = Uuid::now_v7();
    bia.get(&format!("/support/get-ticket-support-team/{unknown}"))
        .await
        .refused(404, "ticket.unknown");
    bia.get("/support/get-ticket-support-team/17")
        .await
        .refused(404, "request.not_found");
    assert_eq!(before, (count(&app, "message").await, count(&app, "event").await));
}

#[actix_web::test]
async fn a_message_that_comes_twice_is_stored_once() {
    let app = TestApp::start().await;
    let (ana, rui) = (app.user("ana").await, app.user("rui").await);
    let (ticket_key, message_key) = (Uuid::now_v7(), Uuid::now_v7());
    let mut body = new_ticket();
    body["clientId"] = json!(ticket_key);
    let (one, two) = futures_util::join!(
        ana.post("/support/open-ticket", &body),
        ana.post("/support/open-ticket", &body)
    );
    let (one, two) = (one.ok(), two.ok());
    assert_eq!(one["ticket"]["_id"], two["ticket"]["_id"]);
    let id = id_of(&one);
    assert_eq!(count(&app, "ticket").await, 1);

    let said = json!({ "ticketId": id, "text": "oi", "clientId": message_key });
    let (one, two) = futures_util::join!(
        ana.post("/support/ticket-response", &said),
        ana.post("/support/ticket-response", &said)
    );
    assert_eq!(one.ok()["message"]["_id"], two.ok()["message"]["_id"]);
    let again = ana.post("/support/ticket-response", &said).await.ok();
    assert_eq!(again["message"]["number"], 2);
    assert_eq!(again["message"]["clientId"], json!(message_key));
    assert_eq!(count(&app, "message").await, 2);
    assert_eq!(facts(&app, &format!("ticket:{id}")).await.len(), 2);

    // Another person's equal id is another message; the own id in another ticket is a defect of the client.
    let other = id_of(&open(&rui).await);
    rui.post(
        "/support/ticket-response",
        &json!({ "ticketId": other, "text": "oi", "clientId": message_key }),
    )
    .await
    .ok();
    let second = id_of(&open(&ana).await);
    ana.post(
        "/support/ticket-response",
        &json!({ "ticketId": second, "text": "oi", "clientId": message_key }),
    )
    .await
    .refused(409, "request.conflict");
}

#[actix_web::test]
async fn replies_at_once_get_numbers_without_a_gap() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    let sent = futures_util::future::join_all((0..30).map(|n| {
        let client = if n % 2 == 0 { ana.clone() } else { bia.clone() };
        let id = id.clone();
        async move {
            reply(&client, &id, &format!("mensagem {n}")).await["message"]["number"]
                .as_i64()
                .unwrap()
        }
    }))
    .await;
    let mut numbers = sent;
    numbers.sort_unstable();
    assert_eq!(numbers, (2..=31).collect::<Vec<_>>());
    // The stream tells them in the same order.
    let told: Vec<i64> = sqlx::query_scalar("SELECT (payload -> 'message' ->> 'number')::bigint FROM foundation.event WHERE stream = $1 ORDER BY seq")
        .bind(format!("ticket:{id}"))
        .fetch_all(&app.sql)
        .await
        .unwrap();
    assert_eq!(told, (1..=31).collect::<Vec<_>>());

    let page = ana
        .get(&format!("/support/get-ticket-user/{id}?limit=10"))
        .await
        .ok();
    let shown = |page: &Value| {
        page["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["number"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(&page), (22..=31).collect::<Vec<_>>());
    assert_eq!(
        (&page["hasOlder"], &page["description"]),
        (&json!(true), &json!("Enviei ontem."))
    );
    let older = ana
        .get(&format!("/support/get-ticket-user/{id}?limit=10&before=22"))
        .await
        .ok();
    assert_eq!(shown(&older), (12..=21).collect::<Vec<_>>());
    let rest = ana
        .get(&format!("/support/get-ticket-user/{id}?before=3"))
        .await
        .ok();
    assert_eq!((shown(&rest), &rest["hasOlder"]), (vec![1, 2], &json!(false)));
    let newer = ana
        .get(&format!("/support/get-ticket-user/{id}?after=29"))
        .await
        .ok();
    assert_eq!(shown(&newer), [30, 31]);
    for bad in [
        "limit=0",
        "limit=201",
        "before=-1",
        "before=1&after=1",
        "after=99999999999",
        "x=1",
    ] {
        ana.get(&format!("/support/get-ticket-user/{id}?{bad}"))
            .await
            .refused(422, "request.invalid");
    }
}

#[actix_web::test]
async fn own_words_can_be_corrected_for_a_quarter_of_an_hour() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let written = open(&ana).await;
    let (id, message) = (id_of(&written), written["message"]["_id"].clone());
    app.clock.advance(Duration::minutes(14));
    let ana = app.renew(&ana);
    let edited = ana
        .patch(
            "/support/edit-ticket-message",
            &json!({ "messageId": message, "text": "Enviei hoje." }),
        )
        .await
        .ok();
    assert_eq!(
        (&edited["text"], &edited["edited"]),
        (&json!("Enviei hoje."), &json!(true))
    );
    assert_eq!(
        facts(&app, &format!("ticket:{id}")).await,
        ["ticket.message", "ticket.message_changed"]
    );
    let list = ana.get("/support/list-tickets-user/").await.ok();
    assert_eq!(list["data"][0]["lastMessage"], "Enviei hoje.");
    ana.patch(
        "/support/edit-ticket-message",
        &json!({ "messageId": message, "text": "  " }),
    )
    .await
    .refused(422, "message.empty");
    app.clock.advance(Duration::minutes(2));
    let ana = app.renew(&ana);
    ana.patch(
        "/support/edit-ticket-message",
        &json!({ "messageId": message, "text": "tarde" }),
    )
    .await
    .refused(409, "message.too_old");
    ana.upload(
        &format!("/support/upload-image/{id}"),
        "a.png",
        "image/png",
        png(),
    )
    .await
    .refused(409, "message.too_old");
}

#[actix_web::test]
async fn a_closed_ticket_opens_by_its_customers_reply_within_a_week() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    let closed = bia
        .post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    assert_eq!(closed["status"], "closed");
    // Twice is once.
    ana.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    bia.post(
        "/support/ticket-response",
        &json!({ "ticketId": id, "text": "mais uma coisa" }),
    )
    .await
    .refused(409, "ticket.closed");
    app.clock.advance(Duration::days(7) - Duration::minutes(1));
    let ana = app.renew(&ana);
    let back = reply(&ana, &id, "Ainda não").await;
    assert_eq!(
        (&back["ticket"]["status"], &back["ticket"]["closedAt"]),
        (&json!("open"), &Value::Null)
    );
    assert_eq!(
        facts(&app, &format!("ticket:{id}")).await,
        [
            "ticket.message",
            "ticket.status",
            "ticket.status",
            "ticket.message"
        ]
    );
    ana.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    app.clock.advance(Duration::days(7) + Duration::seconds(1));
    let ana = app.renew(&ana);
    ana.post(
        "/support/ticket-response",
        &json!({ "ticketId": id, "text": "e agora?" }),
    )
    .await
    .refused(409, "ticket.closed");
    assert_eq!(count(&app, "message").await, 2);
}

#[actix_web::test]
async fn reading_moves_only_forward_and_does_not_end_the_waiting() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    let ticket: TicketId = id.parse().unwrap();
    for (up_to, expected) in [(99, 1), (0, 1), (-5, 1)] {
        service::mark_read(&app.context, bia.user, true, ticket, up_to)
            .await
            .unwrap();
        let seen = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
        assert_eq!(seen["ticket"]["readByStaff"], expected);
        assert!(seen["ticket"]["waitingSince"].is_string());
    }
    reply(&bia, &id, "Vou olhar").await;
    service::mark_read(&app.context, ana.user, false, ticket, 2)
        .await
        .unwrap();
    let seen = bia
        .get(&format!("/support/get-ticket-support-team/{id}"))
        .await
        .ok();
    assert_eq!(seen["ticket"]["readByCustomer"], 2);
    assert_eq!(
        facts(&app, &format!("ticket:{id}")).await,
        ["ticket.message", "ticket.read", "ticket.message", "ticket.read"]
    );
    // Each read mark is told on the reader's own list only.
    assert_eq!(
        facts(&app, "queue:tickets").await,
        [
            "ticket.opened",
            "ticket.activity",
            "ticket.activity",
            "ticket.desk"
        ]
    );
    assert_eq!(
        facts(&app, &format!("user:{}", ana.user)).await,
        ["ticket.opened", "ticket.activity", "ticket.activity"]
    );
}

#[actix_web::test]
async fn a_deleted_ticket_is_gone_for_all_and_stays_in_the_audit() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    assert_eq!(
        bia.delete(&format!("/support/delete-ticket/{id}")).await.status,
        204
    );
    bia.delete(&format!("/support/delete-ticket/{id}"))
        .await
        .refused(404, "ticket.unknown");
    ana.get(&format!("/support/get-ticket-user/{id}"))
        .await
        .refused(404, "ticket.unknown");
    ana.post(
        "/support/ticket-response",
        &json!({ "ticketId": id, "text": "oi" }),
    )
    .await
    .refused(404, "ticket.unknown");
    assert_eq!(
        bia.get("/support/list-tickets-all/").await.ok()["meta"]["total"],
        0
    );
    let audited: (Uuid, String, Value) =
        sqlx::query_as("SELECT actor, action, details FROM foundation.audit WHERE action = 'ticket.deleted'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!((audited.0, audited.1.as_str()), (bia.user.0, "ticket.deleted"));
    assert!(!audited.2.to_string().contains("Enviei"));
    let told: bool = sqlx::query_scalar("SELECT (payload -> 'ticket' ->> 'deleted')::boolean FROM foundation.event WHERE stream = $1 ORDER BY seq DESC LIMIT 1")
        .bind(format!("user:{}", ana.user))
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert!(told);
    assert_eq!(count(&app, "message").await, 1);
}

#[actix_web::test]
async fn one_honest_attachment_a_message() {
    let app = TestApp::start().await;
    let (ana, rui, bia) = (
        app.user("ana").await,
        app.user("rui").await,
        app.person("bia", STORE_EMPLOYEE).await,
    );
    let id = id_of(&open(&ana).await);
    let path = format!("/support/upload-image/{id}");
    let before = count(&app, "event").await;
    ana.upload(
        &path,
        "foto.png",
        "image/png",
        b"<html><script>alert(1)</script>".to_vec(),
    )
    .await
    .refused(422, "file.type");
    ana.upload(
        &path,
        "foto.svg",
        "image/svg+xml",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
    )
    .await
    .refused(422, "file.type");
    ana.upload(&path, "foto.png", "image/png", Vec::new())
        .await
        .refused(422, "file.empty");
    ana.upload(&path, "foto.png", "image/png", vec![0; 9 * 1024 * 1024])
        .await
        .refused(413, "file.too_large");
    ana.post(&path, &json!({}))
        .await
        .refused(415, "request.unsupported_media");
    assert_eq!(
        (count(&app, "file").await, count(&app, "event").await),
        (0, before)
    );

    let with = ana
        .upload(&path, "../../foto.png", "text/plain", png())
        .await
        .ok();
    let attachment = &with["message"]["attachment"];
    assert_eq!(
        (&attachment["name"], &attachment["mime"]),
        (&json!("foto.png"), &json!("image/png"))
    );
    let file = attachment["file"].as_str().unwrap();
    let seen = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
    assert_eq!(seen["image"], file);
    ana.upload(&path, "foto.png", "image/png", png())
        .await
        .refused(409, "request.conflict");

    for client in [&ana, &bia] {
        let got = client.get(&format!("/files/{file}")).await;
        assert_eq!(
            (got.status, got.headers["content-type"].to_str().unwrap()),
            (200, "image/png")
        );
    }
    rui.get(&format!("/files/{file}"))
        .await
        .refused(404, "request.not_found");

    // A reply's own attachment.
    let answer = reply(&bia, &id, "Veja").await;
    let message = answer["message"]["_id"].as_str().unwrap();
    bia.upload(
        &format!("{path}?messageId={message}"),
        "a.png",
        "image/png",
        png(),
    )
    .await
    .ok();
    ana.upload(
        &format!("{path}?messageId={message}"),
        "a.png",
        "image/png",
        png(),
    )
    .await
    .refused(403, "auth.forbidden");
    ana.upload(
        &format!("{path}?messageId={}", Uuid::now_v7()),
        "a.png",
        "image/png",
        png(),
    )
    .await
    .refused(404, "request.not_found");

    bia.delete(&format!("/support/delete-ticket/{id}")).await;
    ana.get(&format!("/files/{file}"))
        .await
        .refused(404, "request.not_found");
}

#[actix_web::test]
async fn bad_input_is_told_clearly_and_changes_nothing() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let with = |field: &str, value: Value| {
        let mut body = new_ticket();
        body[field] = value;
        body
    };
    for (body, code, field) in [
        (
            with("category", Value::Null),
            "ticket.category_missing",
            "category",
        ),
        (with("category", json!("")), "ticket.category_missing", "category"),
        (with("category", json!("bank")), "request.invalid", "category"),
        (with("subject", json!("  ")), "request.invalid", "subject"),
        (with("subject", json!("a\u{202e}b")), "request.invalid", "subject"),
        (
            with("subject", json!("a".repeat(121))),
            "message.too_long",
            "subject",
        ),
        (
            with("description", json!("\u{200b} \n")),
            "message.empty",
            "description",
        ),
        (
            with("description", json!("é".repeat(4_001))),
            "message.too_long",
            "description",
        ),
        (
            with("about", json!({ "kind": "pix_deposit", "id": Uuid::now_v7() })),
            "request.invalid",
            "about",
        ),
        (
            with("about", json!({ "kind": "user", "id": Uuid::now_v7() })),
            "request.invalid",
            "about",
        ),
    ] {
        let reply = ana.post("/support/open-ticket", &body).await;
        reply.refused(422, code);
        assert!(reply.body["errors"][field].is_array(), "{}", reply.body);
    }
    let reply = ana
        .post("/support/open-ticket", &with("category", Value::Null))
        .await;
    assert_eq!(reply.body["errors"]["category"][0], "Selecione uma categoria");
    for (body, status, code) in [
        (with("status", json!("closed")), 422, "request.invalid"),
        (with("user", json!(ana.user)), 422, "request.invalid"),
        (
            with("description", json!("a".repeat(300_000))),
            413,
            "request.too_large",
        ),
    ] {
        ana.post("/support/open-ticket", &body)
            .await
            .refused(status, code);
    }
    let raw = |body: &'static str, kind: &'static str| {
        ana.request(reqwest::Method::POST, "/support/open-ticket")
            .header("content-type", kind)
            .body(body)
    };
    ana.send(raw("{\"subject\": ", "application/json"))
        .await
        .refused(400, "request.malformed");
    ana.send(raw("subject=a", "application/x-www-form-urlencoded"))
        .await
        .refused(415, "request.unsupported_media");
    assert_eq!(count(&app, "ticket").await, 0);

    // A thing of one's own may be named.
    let deposit = Uuid::now_v7();
    sqlx::query("INSERT INTO foundation.subject (kind, id, owner, amount, status, at) VALUES ('pix_deposit', $1, $2, 5000000, 'approved', now())")
        .bind(deposit)
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let id = id_of(
        &ana.post(
            "/support/open-ticket",
            &with("about", json!({ "kind": "pix_deposit", "id": deposit })),
        )
        .await
        .ok(),
    );
    let about = &ana.get(&format!("/support/get-ticket-user/{id}")).await.ok()["about"];
    assert_eq!(
        [&about["kind"], &about["id"], &about["amount"], &about["status"]],
        [
            &json!("pix_deposit"),
            &json!(deposit),
            &json!("5.000000"),
            &json!("approved")
        ]
    );
    let bia = app.person("bia", STORE_EMPLOYEE).await;
    let panel = bia
        .get(&format!("/support/get-ticket-support-team/{id}"))
        .await
        .ok();
    assert_eq!(panel["customer"]["recent"][0]["amount"], "5.000000");
    // Text is text: markup is kept as it was written, lies about direction are not.
    let said = self::reply(&ana, &id, "<b>oi</b>\u{202e}").await;
    assert_eq!(said["message"]["text"], "<b>oi</b>");
}

fn mail(ticket: &str, text: &str) -> Value {
    json!({ "ticketId": ticket, "text": text, "clientId": Uuid::now_v7() })
}

#[actix_web::test]
async fn a_mail_goes_to_the_owner_is_kept_and_ends_no_waiting() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let opened = open(&ana).await;
    let id = id_of(&opened);
    for (text, code) in [("  ", "message.empty"), (&*"é".repeat(4_001), "message.too_long")] {
        bia.post("/support/email-send", &mail(&id, text))
            .await
            .refused(422, code);
    }
    bia.post("/support/email-send", &mail(&Uuid::now_v7().to_string(), "oi"))
        .await
        .refused(404, "ticket.unknown");
    assert_eq!(count(&app, "message").await, 1);
    let sent = bia
        .post("/support/email-send", &mail(&id, "Ligue para nós <b>hoje</b>."))
        .await
        .ok();
    let (recipient, html): (String, String) =
        sqlx::query_as("SELECT recipient, html_body FROM foundation.mail")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(recipient, "ana@example.com");
    assert!(html.contains("Ligue para n") && !html.contains("<b>hoje"));
    // Both sides find it in its place: who, when, where to, what.
    for (client, call) in [(&bia, "get-ticket-support-team"), (&ana, "get-ticket-user")] {
        let seen = client.get(&format!("/support/{call}/{id}")).await.ok();
        assert_eq!(seen["ticket"]["waitingSince"], opened["ticket"]["waitingSince"]);
        let kept = &seen["messages"][1];
        assert_eq!(*kept, sent["message"]);
        assert_eq!(kept["text"], "Ligue para nós <b>hoje</b>.");
        assert_eq!(kept["mailedTo"], "a***@example.com");
        assert_eq!(
            (&kept["authorName"], &kept["side"]),
            (&json!("bia de Teste"), &json!("staff"))
        );
        assert!(seen["messages"][0].get("mailedTo").is_none());
    }
    assert_eq!(facts(&app, &format!("ticket:{id}")).await, ["ticket.message"; 2]);
    let audited: String =
        sqlx::query_scalar("SELECT details::text FROM foundation.audit WHERE action = 'ticket.mailed'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert!(!audited.contains("Ligue") && !audited.contains("example.com"));
    assert!(audited.contains(sent["message"]["_id"].as_str().unwrap()));
}

#[actix_web::test]
async fn a_mail_goes_once_opens_nothing_and_is_never_corrected() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    ana.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    let body = mail(&id, "Resolvido.");
    let clicks = futures_util::future::join_all((0..4).map(|_| bia.post("/support/email-send", &body))).await;
    let first = clicks[0].body.clone();
    for click in clicks {
        assert_eq!(click.ok()["message"], first["message"]);
    }
    let mails: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.mail")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!((mails, count(&app, "message").await), (1, 2));
    assert_eq!(first["ticket"]["status"], "closed");
    // An id that stands for something else sends nothing.
    let other = id_of(&open(&ana).await);
    let mut elsewhere = body.clone();
    elsewhere["ticketId"] = json!(other);
    bia.post("/support/email-send", &elsewhere)
        .await
        .refused(409, "request.conflict");
    let said = json!({ "ticketId": other, "text": "oi", "clientId": Uuid::now_v7() });
    bia.post("/support/ticket-response", &said).await.ok();
    bia.post("/support/email-send", &said)
        .await
        .refused(409, "request.conflict");
    let message = first["message"]["_id"].as_str().unwrap();
    bia.patch(
        "/support/edit-ticket-message",
        &json!({ "messageId": message, "text": "outra coisa" }),
    )
    .await
    .refused(403, "auth.forbidden");
    bia.upload(
        &format!("/support/upload-image/{id}?messageId={message}"),
        "a.png",
        "image/png",
        png(),
    )
    .await
    .refused(403, "auth.forbidden");
    bia.post(
        "/support/email-send",
        &json!({ "ticketId": id, "text": "sem id" }),
    )
    .await
    .refused(422, "request.invalid");
}

/// What one employee writes comes before nobody's other mail for longer than an hour.
#[actix_web::test]
async fn letters_of_one_employee_are_bounded() {
    let app = TestApp::start().await;
    let (ana, caio) = (app.user("ana").await, app.user("caio").await);
    let (bia, dora) = (
        app.person("bia", STORE_EMPLOYEE).await,
        app.person("dora", STORE_EMPLOYEE).await,
    );
    let (id, other) = (id_of(&open(&ana).await), id_of(&open(&caio).await));
    for n in 0..5 {
        bia.post("/support/email-send", &mail(&id, &format!("Olá {n}")))
            .await
            .ok();
    }
    let sixth = bia.post("/support/email-send", &mail(&id, "Olá")).await;
    sixth.refused(429, "request.rate_limited");
    assert!(sixth.headers.contains_key("retry-after"));
    assert_eq!(count(&app, "message").await, 7, "what is refused is not kept");
    bia.post("/support/email-send", &mail(&other, "Olá")).await.ok();
    dora.post("/support/email-send", &mail(&id, "Olá")).await.ok();
    app.clock.advance(time::Duration::minutes(61));
    let bia = app.renew(&bia);
    bia.post("/support/email-send", &mail(&id, "Olá")).await.ok();
}

#[actix_web::test]
async fn floods_are_limited() {
    let app = TestApp::start_with(true).await;
    let ana = app.user("ana").await;
    let id = id_of(&open(&ana).await);
    // The limit fills up again while a slow machine sends: as many as it takes, many at once.
    let reply = |n: usize| {
        let body = json!({ "ticketId": id, "text": format!("{n}") });
        let ana = &ana;
        async move { ana.post("/support/ticket-response", &body).await }
    };
    let mut refused = None;
    for wave in 0..100 {
        let replies = futures_util::future::join_all((0..20).map(|n| reply(wave * 20 + n))).await;
        refused = replies.into_iter().find(|reply| reply.status == 429);
        if refused.is_some() {
            break;
        }
    }
    let refused = refused.expect("a flood is stopped");
    assert!(refused.headers.contains_key("retry-after"));
    let opened = futures_util::future::join_all(
        (0..30).map(|_| async { ana.post("/support/open-ticket", &new_ticket()).await.status }),
    )
    .await;
    assert!(opened.iter().filter(|s| **s == 200).count() <= 12, "{opened:?}");
}

#[actix_web::test]
async fn a_new_ticket_offers_the_latest_of_ones_own_things() {
    let app = TestApp::start().await;
    let (ana, rui) = (app.user("ana").await, app.user("rui").await);
    assert_eq!(ana.get("/support/subjects").await.ok(), json!({ "data": [] }));
    for (kind, count, minutes) in [("pix_deposit", 25, 60), ("licence", 1, 600), ("transfer", 2, 1)] {
        sqlx::query(
            "INSERT INTO foundation.subject (kind, id, owner, amount, status, at)
             SELECT $1, gen_random_uuid(), $2, n * 1000000, 'approved', now() - make_interval(mins => $4 + n)
             FROM generate_series(1, $3) AS n",
        )
        .bind(kind)
        .bind(ana.user.0)
        .bind(count)
        .bind(minutes)
        .execute(&app.sql)
        .await
        .unwrap();
    }
    let found = ana.get("/support/subjects").await.ok();
    let of = |kind: &str| -> Vec<String> {
        let all = found["data"].as_array().unwrap().iter();
        all.filter(|s| s["kind"] == kind)
            .map(|s| s["amount"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!((of("licence").len(), of("pix_deposit").len()), (1, 20));
    assert_eq!(of("transfer"), ["1.000000", "2.000000"]);
    assert_eq!(of("pix_deposit")[0], "1.000000");
    assert_eq!(found["data"][0]["kind"], "transfer", "the newest first");
    assert_eq!(rui.get("/support/subjects").await.ok(), json!({ "data": [] }));
}
