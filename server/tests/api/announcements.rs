//! What staff say to everyone, or to a role: a line for each reader, once, whatever dies while they are written
//! (docs/rules/notifications.md#announcements).

use crate::{
    identity::people::mails,
    kit::{CUSTOMER, Client, STORE_EMPLOYEE, TestApp, live::Live},
    notifications::{codes, inbox},
};
use serde_json::{Value, json};
use server::{
    foundation::job_queue::{self, Claimed},
    jobs,
    notifications::announcements::{self, TELL},
};
use time::Duration;
use uuid::Uuid;

const PATH: &str = "/admin/notices";

fn words(title: &str) -> Value {
    let each = |text: &str| json!({ "pt": text, "en": format!("{text} (en)"), "es": format!("{text} (es)") });
    json!({ "id": Uuid::now_v7(), "title": each(title), "text": each("Das 22 h às 23 h.\n\nObrigado.") })
}

async fn publish(by: &Client, words: &Value) -> Value {
    let reply = by.post(PATH, words).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.ok()
}

async fn work(app: &TestApp) {
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

async fn told(client: &Client) -> Vec<String> {
    let lines = inbox(client).await;
    codes(&lines).into_iter().map(str::to_owned).collect()
}

#[actix_web::test]
async fn everyone_has_a_line_and_reads_the_words_in_their_language() {
    let app = TestApp::start().await;
    let (rui, ana, bia) = (
        app.admin("rui").await,
        app.user("ana").await,
        app.user("bia").await,
    );
    let off = json!({ "group": "news", "toast": false });
    bia.patch("/notifications/preferences", &off).await.ok();
    let mut lives = Vec::new();
    for who in [&ana, &bia] {
        let mut live = Live::open(&app, who).await;
        live.subscribe(&format!("user:{}", who.user)).await;
        lives.push(live);
    }
    let audience = rui.get("/admin/notices/audience").await.ok();
    assert_eq!(audience["people"], 3);
    let shown = publish(&rui, &words("Manutenção")).await;
    assert_eq!((&shown["told"], &shown["done"]), (&json!(0), &json!(false)));
    work(&app).await;
    for (live, quiet) in lives.iter_mut().zip([Value::Null, json!(true)]) {
        let event = live.fact("notification").await["event"].take();
        assert_eq!(event["code"], "announcement");
        assert_eq!(event["params"]["title"]["en"], "Manutenção (en)");
        assert_eq!(event["quiet"], quiet);
    }
    let line = inbox(&ana).await["data"][0].take();
    assert_eq!(
        (&line["code"], &line["group"]),
        (&json!("announcement"), &json!("news"))
    );
    let path = format!(
        "/announcements/{}",
        line["params"]["announcement"].as_str().unwrap()
    );
    assert_eq!(
        ana.get(&path).await.ok()["text"]["pt"],
        "Das 22 h às 23 h.\n\nObrigado."
    );
    let list = rui.get(PATH).await.ok();
    assert_eq!(
        (
            &list["data"][0]["told"],
            &list["data"][0]["done"],
            &list["data"][0]["by"]
        ),
        (&json!(3), &json!(true), &json!("rui"))
    );
    assert_eq!(mails(&app, "ana@example.com", "away").await, 0);
    // Who comes later was not spoken to.
    let leo = app.user("leo").await;
    assert!(told(&leo).await.is_empty());
    leo.get(&path).await.refused(404, "request.not_found");
}

#[actix_web::test]
async fn a_role_is_told_alone_and_who_is_switched_off_is_not() {
    let app = TestApp::start().await;
    let (rui, ana, bia) = (
        app.admin("rui").await,
        app.user("ana").await,
        app.person("bia", STORE_EMPLOYEE).await,
    );
    let gone = app.user("gone").await;
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(gone.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let mut to_customers = words("Novidade");
    to_customers["role"] = json!(CUSTOMER);
    let audience = rui.get("/admin/notices/audience?role=customer").await.ok();
    assert_eq!(audience["people"], 1);
    publish(&rui, &to_customers).await;
    work(&app).await;
    assert_eq!(told(&ana).await, ["announcement"]);
    for who in [&rui, &bia] {
        assert!(told(who).await.is_empty());
    }
    assert!(told(&gone).await.is_empty());
}

#[actix_web::test]
async fn words_are_whole_in_three_languages_few_a_day_and_of_who_decides() {
    let app = TestApp::start().await;
    let (rui, eva, bia) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.person("bia", STORE_EMPLOYEE).await,
    );
    bia.post(PATH, &words("Não")).await.refused(403, "auth.forbidden");
    let change = |field: &str, at: &str, text: String| {
        let mut new = words("Aviso");
        new[field][at] = json!(text);
        new
    };
    for bad in [
        change("title", "es", String::new()),
        change("title", "en", "a\nb".into()),
        change("text", "pt", " ".into()),
        json!({ "id": Uuid::now_v7(), "title": { "pt": "só um" }, "text": { "pt": "só um" } }),
    ] {
        rui.post(PATH, &bad).await.refused(422, "request.invalid");
    }
    for long in [
        change("title", "pt", "a".repeat(71)),
        change("text", "en", "a".repeat(2_001)),
    ] {
        rui.post(PATH, &long).await.refused(422, "message.too_long");
    }
    let mut to_nobody = words("Aviso");
    to_nobody["role"] = json!("king");
    rui.post(PATH, &to_nobody).await.refused(422, "request.invalid");
    // Sent twice it is one; another's id is another's.
    let first = words("Aviso");
    let one = publish(&rui, &first).await;
    assert_eq!(publish(&rui, &first).await["_id"], one["_id"]);
    eva.post(PATH, &first).await.refused(409, "request.conflict");
    for _ in 0..4 {
        publish(&rui, &words("Aviso")).await;
    }
    eva.post(PATH, &words("Aviso"))
        .await
        .refused(429, "request.rate_limited");
    let list = rui.get(PATH).await.ok();
    assert_eq!(list["meta"]["total"], 5);
    app.clock.advance(Duration::hours(25));
    publish(&app.renew(&eva), &words("Aviso")).await;
}

/// Several that write at once, and one that died between two steps: each reader has one line.
#[actix_web::test]
async fn each_reader_has_one_line_whatever_dies() {
    let app = TestApp::start().await;
    let rui = app.admin("rui").await;
    for number in 0..130 {
        app.user(&format!("m{number}")).await;
    }
    publish(&rui, &words("Aviso")).await;
    let job: Claimed = job_queue::claim(&app.sql, app.context.now(), 100)
        .await
        .unwrap()
        .into_iter()
        .find(|job| job.kind == TELL)
        .unwrap();
    // Dropped wherever it stands: its transaction is as if it had not been.
    for polls in [3, 9, 20, 40] {
        let mut begun = Box::pin(announcements::tell(&app.context, &job));
        for _ in 0..polls {
            if futures_util::poll!(&mut begun).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let all = futures_util::future::join_all((0..3).map(|_| announcements::tell(&app.context, &job))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    let (lines, readers): (i64, i64) = sqlx::query_as(
        "SELECT count(*), count(DISTINCT owner) FROM notifications.line WHERE code = 'announcement'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!((lines, readers), (131, 131));
    let facts: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.event WHERE kind = 'notification'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(facts, 131);
    let list = rui.get(PATH).await.ok();
    assert_eq!(
        (&list["data"][0]["told"], &list["data"][0]["done"]),
        (&json!(131), &json!(true))
    );
}
