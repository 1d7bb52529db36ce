//! Canned replies: kept in three languages, in an order, retired and brought back; of staff alone.

use crate::{
    kit::{Client, Reply, SALESPERSON, STORE_EMPLOYEE, TestApp, live::Live},
    support::agents,
};
use serde_json::{Value, json};
use uuid::Uuid;

fn texts(text: &str) -> Value {
    json!({ "pt": text, "en": text, "es": text })
}

async fn create(who: &Client, title: &str, text: &str) -> Reply {
    let body = json!({ "title": title, "text": texts(text) });
    who.post("/support/canned-replies", &body).await
}

async fn all(who: &Client) -> Vec<(String, bool)> {
    let list = who.get("/support/canned-replies").await.ok();
    let rows = list["data"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            (
                row["title"].as_str().unwrap().to_owned(),
                row["retired"].as_bool().unwrap(),
            )
        })
        .collect()
}

fn id_of(reply: &Value) -> String {
    reply["_id"].as_str().unwrap().to_owned()
}

async fn retire(who: &Client, id: &str, retired: bool) -> Reply {
    let body = json!({ "retired": retired });
    who.post(&format!("/support/canned-replies/{id}/retire"), &body)
        .await
}

fn used(titles: &[&str]) -> Vec<(String, bool)> {
    titles.iter().map(|title| ((*title).to_owned(), false)).collect()
}

#[actix_web::test]
async fn replies_are_kept_changed_put_in_order_retired_and_brought_back() {
    let app = TestApp::start().await;
    let (bia, rui) = agents(&app).await;
    let mut desk = Live::open(&app, &rui).await;
    desk.subscribe("queue:tickets").await;
    let mut ids = Vec::new();
    for title in ["Prazo", "Comprovante", "Fim"] {
        ids.push(id_of(
            &create(&bia, title, "Olá, {name}! Chamado {ticket}.").await.ok(),
        ));
        desk.fact("canned_replies.changed").await;
    }
    assert_eq!(all(&rui).await, used(&["Prazo", "Comprovante", "Fim"]));

    let body = json!({
        "title": "Prazo do PIX",
        "text": { "pt": "Até um dia útil.", "en": "One working day.", "es": "Un día hábil." },
        "version": 1,
    });
    let path = format!("/support/canned-replies/{}", ids[0]);
    let changed = rui.patch(&path, &body).await.ok();
    assert_eq!(
        (&changed["version"], &changed["text"]["en"]),
        (&json!(2), &json!("One working day."))
    );
    // Another's change meanwhile is not written over.
    bia.patch(&path, &body).await.refused(409, "request.conflict");

    let order = json!({ "ids": [ids[2], ids[0], ids[1]] });
    let ordered = bia.post("/support/order-canned-replies", &order).await.ok();
    assert_eq!(ordered["data"][0]["title"], "Fim");
    assert_eq!(all(&rui).await, used(&["Fim", "Prazo do PIX", "Comprovante"]));
    for wrong in [
        json!([ids[0], ids[1]]),
        json!([ids[0], ids[1], ids[1], ids[2]]),
        json!([ids[0], ids[1], Uuid::now_v7()]),
    ] {
        bia.post("/support/order-canned-replies", &json!({ "ids": wrong }))
            .await
            .refused(409, "request.conflict");
    }

    retire(&bia, &ids[0], true).await.ok();
    let mut with_retired = used(&["Fim", "Comprovante"]);
    with_retired.push(("Prazo do PIX".into(), true));
    assert_eq!(all(&rui).await, with_retired);
    // A second time is the same.
    retire(&bia, &ids[0], true).await.ok();
    retire(&bia, &ids[0], false).await.ok();
    assert_eq!(all(&rui).await, used(&["Fim", "Comprovante", "Prazo do PIX"]));
    let deeds: Vec<String> = sqlx::query_scalar("SELECT action FROM foundation.audit ORDER BY id")
        .fetch_all(&app.sql)
        .await
        .unwrap();
    let expected = [
        "created",
        "created",
        "created",
        "edited",
        "ordered",
        "retired",
        "brought_back",
    ];
    assert_eq!(deeds, expected.map(|deed| format!("canned_reply.{deed}")));
}

#[actix_web::test]
async fn what_is_wrong_is_refused_at_its_field() {
    let app = TestApp::start().await;
    let bia = app.person("bia", STORE_EMPLOYEE).await;
    let with = |field: &str, value: Value| {
        let mut body = json!({ "title": "Prazo", "text": texts("Oi, {name}.") });
        match field {
            "title" => body["title"] = value,
            language => body["text"][language] = value,
        }
        body
    };
    for (field, value, code) in [
        ("title", json!(" "), "message.empty"),
        ("title", json!("a\u{202e}b"), "request.invalid"),
        ("title", json!("é".repeat(81)), "message.too_long"),
        ("pt", json!("Oi, {nome}."), "canned_reply.variable"),
        ("en", json!("Hi, {name"), "canned_reply.variable"),
        ("es", json!("\n"), "message.empty"),
        ("es", json!("é".repeat(4_001)), "message.too_long"),
    ] {
        let reply = bia.post("/support/canned-replies", &with(field, value)).await;
        reply.refused(422, code);
        assert!(reply.body["errors"][field].is_array(), "{}", reply.body);
    }
    // A language that is missing is missing.
    let body = json!({ "title": "Prazo", "text": { "pt": "Oi", "en": "Hi" } });
    assert_eq!(bia.post("/support/canned-replies", &body).await.status, 422);
    let reply = bia
        .post("/support/canned-replies", &with("pt", json!("{quem}")))
        .await;
    assert_eq!(
        reply.body["errors"]["pt"][0],
        "Entre chaves só valem {name}, {ticket}, {subject}, {agent}."
    );
    assert!(all(&bia).await.is_empty());
    create(&bia, "Prazo", "Oi").await.ok();
    create(&bia, "prazo", "Oi")
        .await
        .refused(409, "canned_reply.title");
    let unknown = Uuid::now_v7().to_string();
    retire(&bia, &unknown, true)
        .await
        .refused(404, "request.not_found");
}

/// A title is free again once its reply is retired, and who comes back finds it taken.
#[actix_web::test]
async fn a_retired_title_is_free_and_there_are_so_many_at_most() {
    let app = TestApp::start().await;
    let bia = app.person("bia", STORE_EMPLOYEE).await;
    let first = id_of(&create(&bia, "Prazo", "Oi").await.ok());
    retire(&bia, &first, true).await.ok();
    create(&bia, "Prazo", "Olá").await.ok();
    retire(&bia, &first, false)
        .await
        .refused(409, "canned_reply.title");
    sqlx::query(
        "INSERT INTO support.canned_reply (id, title, body_pt, body_en, body_es, place, changed_by, created_at, updated_at)
         SELECT gen_random_uuid(), 'n' || n, 'x', 'x', 'x', n, $1, now(), now() FROM generate_series(2, 200) n",
    )
    .bind(bia.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    create(&bia, "Mais uma", "Oi")
        .await
        .refused(409, "canned_reply.full");
    // Two who change at once leave no gap and no double: the database holds it, the lock keeps them in turn.
    let ids: Vec<String> =
        sqlx::query_scalar("SELECT id::text FROM support.canned_reply WHERE place IN (50, 51)")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    let (one, two) = futures_util::join!(retire(&bia, &ids[0], true), retire(&bia, &ids[1], true));
    one.ok();
    two.ok();
    let places: (i64, i64) = sqlx::query_as(
        "SELECT count(*), max(place)::bigint FROM support.canned_reply WHERE retired_at IS NULL",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(places, (198, 198));
}

#[actix_web::test]
async fn they_are_of_staff_who_answer() {
    let app = TestApp::start().await;
    let (ana, sol) = (app.user("ana").await, app.person("sol", SALESPERSON).await);
    let bia = app.person("bia", STORE_EMPLOYEE).await;
    let id = id_of(&create(&bia, "Prazo", "Oi").await.ok());
    for who in [&ana, &sol] {
        who.get("/support/canned-replies")
            .await
            .refused(403, "auth.forbidden");
        create(who, "Outra", "Oi").await.refused(403, "auth.forbidden");
        retire(who, &id, true).await.refused(403, "auth.forbidden");
        let body = json!({ "title": "X", "text": texts("X"), "version": 1 });
        who.patch(&format!("/support/canned-replies/{id}"), &body)
            .await
            .refused(403, "auth.forbidden");
        who.post("/support/order-canned-replies", &json!({ "ids": [id] }))
            .await
            .refused(403, "auth.forbidden");
    }
    assert_eq!(all(&bia).await, used(&["Prazo"]));
}
