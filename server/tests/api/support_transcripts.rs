//! A ticket's conversation by mail, for its customer: what is in it, what never is, and how often.

use crate::{
    identity::people::{mail, mails},
    kit::{Client, Reply, STORE_EMPLOYEE, TestApp, live::Live},
    support::{agents, facts, id_of, open, reply},
};
use serde_json::json;
use time::Duration;
use uuid::Uuid;

const TO: &str = "ana@example.com";

async fn ask(who: &Client, id: &str) -> Reply {
    who.post(&format!("/support/mail-transcript/{id}"), &json!({}))
        .await
}

#[actix_web::test]
async fn a_customer_gets_the_conversation_in_their_language_and_zone() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let (bia, _) = agents(&app).await;
    let id = id_of(&open(&ana).await);
    let answer = reply(&bia, &id, "Veja <b>aqui</b> {name}.").await;
    let png = {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::from_fn(8, 8, |_, _| image::Rgb([90, 30, 90]))
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bytes.into_inner()
    };
    let message = answer["message"]["_id"].as_str().unwrap();
    bia.upload(
        &format!("/support/upload-image/{id}?messageId={message}"),
        "comprovante.png",
        "image/png",
        png,
    )
    .await
    .ok();
    sqlx::query("UPDATE identity.account SET locale = 'en', time_zone = 'Asia/Tokyo' WHERE id = $1")
        .bind(ana.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let sent = ask(&ana, &id).await.ok();
    assert_eq!(sent, json!({ "sentTo": "a***@example.com" }));
    let text = mail(&app, TO, "transcript").await;
    let (first, second) = (
        text.find("Enviei ontem.").unwrap(),
        text.find("Veja <b>").unwrap(),
    );
    assert!(first < second, "{text}");
    for part in [
        "(Asia/Tokyo) · ana de Teste\nEnviei ontem.",
        "(Asia/Tokyo) · bia de Teste\nVeja <b>aqui</b> {name}.\nAttachment: comprovante.png",
        "http://127.0.0.1/support/ticket/",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (subject, html): (String, String) =
        sqlx::query_as("SELECT subject, html_body FROM foundation.mail WHERE template = 'transcript'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert!(subject.contains("ticket 1: Meu depósito não entrou"), "{subject}");
    assert!(!html.contains("<b>aqui"));
    // It changes nothing of the ticket, and the log keeps that it was sent, not what or where to.
    assert_eq!(
        facts(&app, &format!("ticket:{id}")).await,
        ["ticket.message", "ticket.message", "ticket.message_changed"]
    );
    let (actor, details): (Uuid, String) = sqlx::query_as(
        "SELECT actor, details::text FROM foundation.audit WHERE action = 'ticket.transcript'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(actor, ana.user.0);
    assert!(!details.contains("Enviei") && !details.contains("example.com"));
    // A closed one too.
    ana.post(&format!("/support/close-ticket/{id}"), &json!({}))
        .await
        .ok();
    ask(&ana, &id).await.ok();
    assert_eq!(mails(&app, TO, "transcript").await, 2);
}

/// What staff note, who has it, what is said in other tickets: not in the mail, the answer, or what the customer's streams tell of it.
#[actix_web::test]
async fn nothing_of_staff_alone_is_in_it() {
    const NOTE: &str = "Parece fraude: ver o comprovante de novo.";
    let app = TestApp::start().await;
    let (ana, caio) = (app.user("ana").await, app.user("caio").await);
    let (bia, rui) = agents(&app).await;
    let (id, other) = (id_of(&open(&ana).await), id_of(&open(&caio).await));
    reply(&caio, &other, "Segredo do caio").await;
    reply(&bia, &id, "Vou olhar.").await;
    let note = json!({ "text": NOTE, "clientId": Uuid::now_v7() });
    bia.post(&format!("/support/ticket-notes/{id}"), &note).await.ok();
    bia.post(
        &format!("/support/hand-over-ticket/{id}"),
        &json!({ "to": rui.user }),
    )
    .await
    .ok();
    let mut theirs = Live::open(&app, &ana).await;
    theirs.subscribe(&format!("ticket:{id}")).await;
    let sent = ask(&ana, &id).await.ok();
    reply(&ana, &id, "Obrigada").await;
    // Nothing was told between: the next fact is what was said after it.
    let heard = theirs.expect("event").await;
    assert_eq!(heard["event"]["message"]["text"], "Obrigada");
    let text = mail(&app, TO, "transcript").await;
    let html: String =
        sqlx::query_scalar("SELECT html_body FROM foundation.mail WHERE template = 'transcript'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    for part in [&text, &html, &sent.to_string(), &heard.to_string()] {
        for secret in ["fraude", "rui de Teste", "Segredo"] {
            assert!(!part.contains(secret), "{secret}: {part}");
        }
    }
    assert!(text.contains("Vou olhar."));
    // Nobody else's: neither another customer nor staff, who would learn nothing, but would mail it to themselves.
    for who in [&caio, &bia] {
        ask(who, &id).await.refused(404, "ticket.unknown");
    }
    assert_eq!(mails(&app, TO, "transcript").await, 1);
}

#[actix_web::test]
async fn a_long_conversation_is_cut_from_its_beginning() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = id_of(&open(&ana).await);
    reply(&bia, &id, "A segunda").await;
    sqlx::query(
        "INSERT INTO support.message (ticket, number, id, author, side, body, created_at)
         SELECT $1, n, gen_random_uuid(), $2, 'staff', 'numero ' || n || repeat('a', 3000), now() FROM generate_series(3, 30) n",
    )
    .bind(id.parse::<Uuid>().unwrap())
    .bind(bia.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    sqlx::query("UPDATE support.ticket SET last_number = 30 WHERE id = $1")
        .bind(id.parse::<Uuid>().unwrap())
        .execute(&app.sql)
        .await
        .unwrap();
    ask(&ana, &id).await.ok();
    let text = mail(&app, TO, "transcript").await;
    // 3 009 characters each: nineteen come to less than sixty thousand.
    assert!(text.contains("numero 12a") && text.contains("numero 30a"));
    assert!(!text.contains("numero 11a") && !text.contains("A segunda"));
    assert!(text.contains("página do chamado: 11."), "{text}");
    assert!(text.chars().count() < 65_000);
}

#[actix_web::test]
async fn five_a_day_whatever_they_are_of() {
    let app = TestApp::start().await;
    let mut ana = app.user("ana").await;
    let (one, two) = (id_of(&open(&ana).await), id_of(&open(&ana).await));
    for (n, id) in [&one, &two, &one, &two, &one].into_iter().enumerate() {
        ask(&ana, id).await.ok();
        assert_eq!(mails(&app, TO, "transcript").await, i64::try_from(n).unwrap() + 1);
        app.clock.advance(Duration::hours(2));
        ana = app.renew(&ana);
    }
    let sixth = ask(&ana, &two).await;
    sixth.refused(429, "request.rate_limited");
    assert!(sixth.headers.contains_key("retry-after"));
    assert_eq!(mails(&app, TO, "transcript").await, 5);
    // The first of them is a day ago.
    app.clock.advance(Duration::hours(14) + Duration::minutes(1));
    ask(&app.renew(&ana), &two).await.ok();
}

/// As often as it is asked for at once, no more than may leave.
#[actix_web::test]
async fn asked_for_at_once_it_is_counted_as_well() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let id = id_of(&open(&ana).await);
    let asked = futures_util::future::join_all((0..8).map(|_| ask(&ana, &id))).await;
    let sent = asked.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(sent, 5);
    assert_eq!(mails(&app, TO, "transcript").await, 5);
}
