//! Text that people type: names and messages that show something, joined emoji, passwords in every spelling.

use crate::{
    identity::people::{self, lift_caps},
    kit::{STORE_EMPLOYEE, TestApp},
    pix::{approve, end_to_end, with_proof},
};
use reqwest::Method;
use serde_json::json;
use server::foundation::locale::Locale;
use std::collections::HashMap;
use uuid::Uuid;

#[actix_web::test]
async fn names_and_messages_show_something_and_joined_emoji_stay() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let post = async |name: &str, email: &str| {
        let body = people::form(name, email);
        app.anonymous().post("/auth/register/arbora", &body).await
    };
    for (nth, name) in ["Ana 🤷\u{200d}♀\u{fe0f}", "علی\u{200c}رضا"].iter().enumerate() {
        post(name, &format!("good{nth}@example.com")).await.ok();
    }
    let kept: Vec<String> =
        sqlx::query_scalar("SELECT full_name FROM identity.account WHERE NOT is_house ORDER BY created_at")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(kept, ["Ana 🤷\u{200d}♀\u{fe0f}", "علی\u{200c}رضا"]);
    for name in [
        "\u{3164}\u{3164}",
        "\u{2800}\u{2800}",
        "\u{ad}\u{ad}",
        "\u{200d}\u{200d}",
        "A\u{200d}na",
    ] {
        let reply = post(name, "bad@example.com").await;
        assert_eq!(reply.status, 422, "{name:?}: {}", reply.body);
        assert!(reply.body["errors"]["fullName"].is_array(), "{}", reply.body);
    }
    let ana = app.user("ana").await;
    for (nothing, field) in [
        ("\u{3164}", "description"),
        ("\u{2800} \u{ad}", "description"),
        ("\u{2800}", "subject"),
    ] {
        let mut ticket = json!({ "category": "other", "subject": "Ajuda", "description": "Olá" });
        ticket[field] = nothing.into();
        let reply = ana.post("/support/open-ticket", &ticket).await;
        assert_eq!(reply.status, 422, "{nothing:?}: {}", reply.body);
    }
    let ticket = json!({ "category": "other", "subject": "🏳\u{fe0f}\u{200d}🌈", "description": "👩🏽\u{200d}💻\u{ad} ok" });
    let opened = ana.post("/support/open-ticket", &ticket).await.ok();
    assert_eq!(opened["ticket"]["subject"], "🏳\u{fe0f}\u{200d}🌈");
    let text: String = sqlx::query_scalar("SELECT body FROM support.message")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(text, "👩🏽\u{200d}💻 ok");
}

#[actix_web::test]
async fn names_that_stood_and_show_nothing_become_the_username() {
    let app = TestApp::start().await;
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    for (person, name) in [(&ana, "\u{3164}\u{2800} \u{ad}"), (&bea, "Bea ❤\u{fe0f}")] {
        sqlx::query("UPDATE identity.account SET full_name = $2 WHERE id = $1")
            .bind(person.user.0)
            .bind(name)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    let change = include_str!("../../../migrations/0114_identity_names_that_show.sql");
    sqlx::raw_sql(change).execute(&app.sql).await.unwrap();
    let names: Vec<String> =
        sqlx::query_scalar("SELECT full_name FROM identity.account WHERE NOT is_house ORDER BY username")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(names, ["ana", "Bea ❤\u{fe0f}"]);
}

#[actix_web::test]
async fn a_password_opens_in_every_spelling_and_older_hashes_go_on() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (nfc, nfd) = (
        "cora\u{e7}\u{e3}o bateria grampo",
        "corac\u{327}a\u{303}o bateria grampo",
    );
    let mut form = people::form("Ana da Silva", "ana@example.com");
    (form["password"], form["password_confirmation"]) = (nfd.into(), nfd.into());
    app.anonymous().post("/auth/register/arbora", &form).await.ok();
    for (typed, status) in [(nfc, 200), (nfd, 200), ("coracao bateria grampo", 401)] {
        assert_eq!(
            people::login(&app, "ana@example.com", typed).await.status,
            status,
            "{typed:?}"
        );
    }
    // As it was made of the bytes that were typed then.
    for bytes in [nfc, nfd, "cora\u{e7}\u{e3}o\u{a0}bateria\u{a0}grampo"] {
        use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
        let hash = Argon2::new(
            Algorithm::Argon2id,
            Version::V0x13,
            Params::new(19_456, 2, 1, None).unwrap(),
        )
        .hash_password(bytes.as_bytes())
        .unwrap()
        .to_string();
        sqlx::query("UPDATE identity.account SET password_hash = $1 WHERE NOT is_house")
            .bind(hash)
            .execute(&app.sql)
            .await
            .unwrap();
        let reply = people::login(&app, "ana@example.com", bytes).await;
        assert_eq!(reply.status, 200, "{bytes:?}: {}", reply.body);
    }
    let other = people::login(&app, "ana@example.com", nfd).await;
    assert_eq!(
        other.status, 401,
        "a blank of another kind was another password then"
    );
}

/// In a mail it stays as it was written; in a file it is one cell, of which no spreadsheet makes a formula.
#[actix_web::test]
async fn what_people_wrote_is_no_template_and_one_cell() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let subject = "Erro em {name} e {brand};=1+1;x,-2";
    let ticket = json!({ "category": "other", "subject": subject, "description": "{name}" });
    let opened = ana.post("/support/open-ticket", &ticket).await.ok();
    let body = json!({ "ticketId": opened["ticket"]["_id"], "text": "Olá {brand} {name}", "clientId": Uuid::now_v7() });
    bia.post("/support/email-send", &body).await.ok();
    let (title, text, html): (String, String, String) =
        sqlx::query_as("SELECT subject, text_body, html_body FROM foundation.mail WHERE template = 'ticket'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert!(title.ends_with(subject), "{title}");
    for body in [text, html] {
        assert!(body.contains("{brand} {name}"), "{body}");
    }
    for (locale, between) in [("pt", ';'), ("es", ';'), ("en", ',')] {
        let file = bia
            .clone()
            .locale(locale)
            .get("/support/list-tickets-all/?format=csv")
            .await;
        let text = file.body.as_str().unwrap();
        let cell = format!("{between}\"Erro em {{name}} e {{brand}};'=1+1;x,'-2\"{between}");
        assert!(text.contains(&cell), "{text}");
    }
}

/// What does not fit is refused with how much does, and nothing of it is kept; what fits is kept whole.
#[actix_web::test]
async fn a_reason_is_kept_whole_or_refused() {
    let app = TestApp::start().await;
    let (bia, caio, eva, ana) = (
        app.admin("bia").await,
        app.admin("caio").await,
        app.admin("eva").await,
        app.user("ana").await,
    );
    let (fits, long) = ("é".repeat(500), "é".repeat(501));
    let revision = bia.get("/admin/settings").await.ok()["revision"].clone();
    let deposit = with_proof(&ana, "30", 1).await;
    let bank = end_to_end(app.context.now(), "1");
    approve(&bia, &deposit, &bank).await.ok();
    let reverse = format!("/admin/deposits-pix/{}/reverse", deposit["_id"].as_str().unwrap());
    let other = with_proof(&ana, "30", 2).await;
    let day = (app.context.now() + time::Duration::days(3)).date().to_string();
    for (method, path, field, body) in [
        (Method::POST, reverse.as_str(), "reason", json!({})),
        (
            Method::PATCH,
            "/admin/deposits-pix-approve-reject",
            "reason",
            json!({ "id": other["_id"], "status": "rejected" }),
        ),
        (
            Method::POST,
            "/admin/settings",
            "reason",
            json!({ "revision": revision, "changes": { "withdrawalFee": "6" } }),
        ),
        (
            Method::POST,
            "/admin/declared-holdings",
            "note",
            json!({ "place": "Kraken", "value": "1" }),
        ),
        (
            Method::POST,
            "/admin/balance-manager/add-remove-balance",
            "reason",
            json!({ "userId": ana.user, "operation": "add", "value": "1" }),
        ),
        (
            Method::POST,
            "/admin/outbound-pauses",
            "reason",
            json!({ "username": "ana", "reviewDate": day }),
        ),
        (
            Method::POST,
            "/admin/freezes",
            "reason",
            json!({ "userId": caio.user }),
        ),
    ] {
        let mut body = body;
        body[field] = long.as_str().into();
        let refused = bia.send(bia.request(method.clone(), path).json(&body)).await;
        assert_eq!(
            (refused.status, refused.code()),
            (422, "message.too_long"),
            "{path}: {}",
            refused.body
        );
        assert!(
            refused.body["errors"][field].is_array(),
            "{path}: {}",
            refused.body
        );
        body[field] = fits.as_str().into();
        let taken = bia.send(bia.request(method, path).json(&body)).await;
        assert!(taken.status < 300, "{path}: {}", taken.body);
    }
    let kept: Vec<String> =
        sqlx::query_scalar("SELECT DISTINCT reason FROM approvals.decision WHERE reason IS NOT NULL")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(kept, [fits.as_str()]);
    let booked: Vec<String> =
        sqlx::query_scalar("SELECT reason FROM ledger.transfer WHERE reason IS NOT NULL")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(booked, [fits], "the books say why as the decision does");
    let place = json!({ "place": "x".repeat(61), "value": "1", "note": "Extrato" });
    eva.post("/admin/declared-holdings", &place)
        .await
        .refused(422, "message.too_long");
}

/// What a compliance case is about says its file as its screen does: a word that is missing would be a dot in it.
#[test]
fn the_file_of_cases_has_the_words_of_their_screen() {
    for (locale, name) in [(Locale::Pt, "pt"), (Locale::En, "en"), (Locale::Es, "es")] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/src/i18n");
        let screen = std::fs::read_to_string(format!("{path}/{name}/compliance.json")).unwrap();
        let screen: serde_json::Value = serde_json::from_str(&screen).unwrap();
        for of in ["flow", "reason"] {
            let words: HashMap<String, String> = serde_json::from_value(screen[of].clone()).unwrap();
            assert!(words.len() > 8, "{name} {of}");
            for (key, word) in words {
                assert_eq!(
                    locale.text("words", &format!("{of}_{key}")),
                    word,
                    "{name} {of} {key}"
                );
            }
        }
    }
}
