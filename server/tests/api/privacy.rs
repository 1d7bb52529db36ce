//! The file with all that is kept about a person: asked for and taken by them alone, with a code each; in it stands what is theirs, and of
//! others no more than how they are called.

use crate::{
    files_kept::{face, photo, place},
    guard::{send, settings},
    identity::people::{PASSWORD, Person, app_factor, code, lift_caps, mails, member, other, security_code},
    kit::{
        Client, TestApp,
        push::{Browser, Service},
    },
    licences::{PLAN_100, buy, earn, id},
    notifications::{codes, drain, inbox},
    pix::with_proof,
    pix_withdrawals::{CPF, customer},
};
use protocol::ids::FileId;
use reqwest::Method;
use serde_json::{Value, json};
use server::jobs;
use std::io::{Cursor, Read};
use time::Duration;
use zip::ZipArchive;

const READY: &str = "data_export_ready";

async fn fresh_code(app: &TestApp, who: &Client, name: &str) -> String {
    let asked = who
        .post("/security-code", &json!({ "purpose": "export-data" }))
        .await
        .ok();
    assert_eq!(asked["method"], "email");
    code(app, &format!("{name}@example.com"), "security_code").await
}

async fn ask(app: &TestApp, who: &Client, name: &str) -> Value {
    let code = fresh_code(app, who, name).await;
    who.post("/me/export", &json!({ "securityCode": code }))
        .await
        .ok()
}

async fn work(app: &TestApp) {
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

fn newest(list: &Value) -> String {
    list["data"][0]["_id"].as_str().unwrap().to_owned()
}

/// What is in the file, by name.
async fn opened(who: &Client, export: &str, code: &str) -> Vec<(String, Vec<u8>)> {
    let answer = who
        .request(Method::POST, &format!("/me/export/{export}/download"))
        .json(&json!({ "securityCode": code }))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/zip");
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let mut zip = ZipArchive::new(Cursor::new(answer.bytes().await.unwrap())).unwrap();
    (0..zip.len())
        .map(|place| {
            let mut entry = zip.by_index(place).unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (entry.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

fn part(entries: &[(String, Vec<u8>)], room: &str) -> Value {
    let name = format!("data/{room}.json");
    let (_, bytes) = entries.iter().find(|(found, _)| *found == name).unwrap();
    serde_json::from_slice(bytes).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[actix_web::test]
async fn ones_data_are_for_oneself_with_a_fresh_code() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, bea, admin) = (
        customer(&app, "ana", "2500").await,
        app.user("bea").await,
        app.admin("bia").await,
    );
    let licence = id(&buy(&ana, PLAN_100).await);
    earn(&app, &licence, 3).await;
    send(&app, &ana, "ana", "bea", "12.345678").await.ok();
    with_proof(&ana, "40", 3).await;
    with_proof(&bea, "41", 4).await;
    let empty = ana.get("/me/export").await.ok();
    assert_eq!((&empty["data"], &empty["nextAt"]), (&json!([]), &Value::Null));

    // Asked for with a right code, once a day.
    ana.post("/me/export", &json!({}))
        .await
        .refused(422, "code.missing");
    let right = fresh_code(&app, &ana, "ana").await;
    ana.post("/me/export", &json!({ "securityCode": other(&right) }))
        .await
        .refused(422, "code.wrong");
    let asked = ana
        .post("/me/export", &json!({ "securityCode": right }))
        .await
        .ok();
    assert_eq!(asked["data"][0]["state"], "asked");
    assert!(asked["nextAt"].is_string());
    ana.post("/me/export", &json!({ "securityCode": "123456" }))
        .await
        .refused(429, "data_export.too_soon");
    let export = newest(&asked);
    ana.post(
        &format!("/me/export/{export}/download"),
        &json!({ "securityCode": "123456" }),
    )
    .await
    .refused(404, "request.not_found");

    work(&app).await;
    let ready = ana.get("/me/export").await.ok();
    assert_eq!(ready["data"][0]["state"], "ready");
    assert_eq!(mails(&app, "ana@example.com", "data_export").await, 1);
    drain(&app).await;
    assert_eq!(
        codes(&inbox(&ana).await).iter().filter(|c| **c == READY).count(),
        1
    );
    assert!(!codes(&inbox(&bea).await).contains(&READY));

    // By no other way, and for nobody else.
    let file: FileId = sqlx::query_scalar("SELECT file FROM privacy.export WHERE owner = $1")
        .bind(ana.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    for who in [&ana, &bea, &admin] {
        who.get(&format!("/files/{file}"))
            .await
            .refused(404, "request.not_found");
    }
    let path = format!("/me/export/{export}/download");
    ana.post(&path, &json!({})).await.refused(422, "code.missing");
    for (who, name) in [(&bea, "bea"), (&admin, "bia")] {
        let own = fresh_code(&app, who, name).await;
        who.post(&path, &json!({ "securityCode": own }))
            .await
            .refused(404, "request.not_found");
        assert_eq!(who.get("/me/export").await.ok()["data"], json!([]));
    }
    app.clock.advance(Duration::minutes(2));
    let ana = app.renew(&ana);
    let right = fresh_code(&app, &ana, "ana").await;
    let entries = opened(&ana, &export, &right).await;
    ana.post(&path, &json!({ "securityCode": right }))
        .await
        .refused(422, "code.used");
    let again = ana.get("/me/export").await.ok();
    assert!(again["data"][0]["downloadedAt"].is_string());
    drain(&app).await;
    assert_eq!(
        codes(&inbox(&ana).await).iter().filter(|c| **c == READY).count(),
        1
    );

    holds_ones_own(&entries);
}

/// What is the person's, and of others the username alone.
fn holds_ones_own(entries: &[(String, Vec<u8>)]) {
    let account = part(entries, "account");
    assert_eq!(account["account"][0]["email"], "ana@example.com");
    assert_eq!(account["address"][0]["city"], "São Paulo");
    assert!(
        account["log"]
            .as_array()
            .unwrap()
            .iter()
            .any(|l| l["action"] == "data_export.asked")
    );
    let money = part(entries, "money");
    let sent = &money["transfers"][0];
    assert_eq!(
        (&sent["direction"], &sent["other"], &sent["usdt"]),
        (&json!("sent"), &json!("bea"), &json!("12.345678"))
    );
    assert_eq!(money["results_by_day"][0]["net"], "3.000000");
    assert_eq!(money["deposits_by_pix"].as_array().unwrap().len(), 1);
    let moved = money["movements"].as_array().unwrap();
    assert!(moved.iter().any(|m| m["kind"] == "licence_purchase"));
    assert!(moved.iter().all(|m| m["kind"] != "settlement"));
    assert_eq!(part(entries, "licences")["licences"][0]["value"], "100.000000");
    for room in ["network", "exchange", "wallet", "messages"] {
        assert!(part(entries, room).is_object(), "{room}");
    }
    let uploaded: Vec<&str> = entries
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| name.starts_with("files/"))
        .collect();
    assert_eq!(uploaded.len(), 1, "{uploaded:?}");
    assert!(uploaded[0].starts_with("files/pix_proof/") && uploaded[0].ends_with("comprovante.png"));
    assert!(entries.iter().any(|(name, _)| name == "README.txt"));
    let digits: String = CPF.chars().filter(char::is_ascii_digit).collect();
    for (name, bytes) in entries.iter().filter(|(name, _)| !name.starts_with("files/")) {
        let text = String::from_utf8_lossy(bytes);
        for foreign in [
            "bea@example.com",
            "bea de Teste",
            "bia",
            CPF,
            digits.as_str(),
            "$argon2",
        ] {
            assert!(!text.contains(foreign), "{foreign} in {name}: {text}");
        }
    }
}

#[actix_web::test]
async fn a_file_whose_bytes_are_lost_is_named_and_holds_nothing_up() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let sent = with_proof(&ana, "40", 3).await;
    let lost = sent["proof"].as_str().unwrap();
    face(&ana, photo(40, 40)).await;
    std::fs::remove_file(place(&app, lost)).unwrap();
    let export = newest(&ask(&app, &ana, "ana").await);
    work(&app).await;
    app.clock.advance(Duration::minutes(2));
    let ana = app.renew(&ana);
    let right = fresh_code(&app, &ana, "ana").await;
    let entries = opened(&ana, &export, &right).await;
    let files: Vec<&str> = entries
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| name.starts_with("files/"))
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].starts_with("files/avatar/"));
    let (_, missing) = entries.iter().find(|(name, _)| name == "MISSING.txt").unwrap();
    let missing = String::from_utf8_lossy(missing);
    let named = format!("files/pix_proof/{}-comprovante.png", lost.replace('-', ""));
    assert!(missing.lines().any(|line| line == named), "{missing}");
    assert_eq!(
        part(&entries, "account")["account"][0]["email"],
        "ana@example.com"
    );
}

#[actix_web::test]
async fn the_file_goes_after_seven_days_and_another_may_be_asked_for_after_one() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let export = newest(&ask(&app, &ana, "ana").await);
    work(&app).await;
    app.clock.advance(Duration::DAY + Duration::SECOND);
    let ana = app.renew(&ana);
    assert_eq!(ana.get("/me/export").await.ok()["nextAt"], Value::Null);
    let second = newest(&ask(&app, &ana, "ana").await);
    assert_ne!(second, export);
    work(&app).await;

    app.clock.advance(Duration::days(6));
    let ana = app.renew(&ana);
    let right = fresh_code(&app, &ana, "ana").await;
    let path = format!("/me/export/{export}/download");
    // Its time is over, whether or not the job has come.
    ana.post(&path, &json!({ "securityCode": right }))
        .await
        .refused(404, "request.not_found");
    work(&app).await;
    let list = ana.get("/me/export").await.ok();
    let states: Vec<&Value> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["state"])
        .collect();
    assert_eq!(states, ["ready", "expired"]);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.file WHERE purpose = 'data_export'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(left, 1);
    // The refusal used no code up.
    assert!(!opened(&ana, &second, &right).await.is_empty());
}

#[actix_web::test]
async fn files_are_made_one_after_another() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    ask(&app, &ana, "ana").await;
    // As another's making holds it.
    let mut other = app.sql.begin().await.unwrap();
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('privacy.export', 152))")
        .execute(&mut *other)
        .await
        .unwrap();
    work(&app).await;
    assert_eq!(ana.get("/me/export").await.ok()["data"][0]["state"], "asked");
    other.rollback().await.unwrap();
    work(&app).await;
    assert_eq!(ana.get("/me/export").await.ok()["data"][0]["state"], "asked");
    app.clock.advance(Duration::minutes(1));
    work(&app).await;
    assert_eq!(ana.get("/me/export").await.ok()["data"][0]["state"], "ready");
}

#[actix_web::test]
async fn every_part_can_be_asked_of_a_person_who_has_nothing() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let export = newest(&ask(&app, &ana, "ana").await);
    work(&app).await;
    app.clock.advance(Duration::minutes(2));
    let ana = app.renew(&ana);
    let right = fresh_code(&app, &ana, "ana").await;
    let entries = opened(&ana, &export, &right).await;
    for room in [
        "account", "money", "licences", "network", "exchange", "wallet", "messages",
    ] {
        let told = part(&entries, room);
        assert!(told.as_object().unwrap().values().all(Value::is_array), "{told}");
    }
}

/// What staff confide to each other about somebody.
const NOTE: &str = "Canario anotado pela equipe";
/// On a ticket.
const NOTED: &str = "Canario no chamado";
const SUSPECTED: &str = "Canario da conformidade";
const THOUGHT_OF: &str = "Canario nunca decidido";
/// What one writes to the support, and what another does.
const ASKED: &str = "Canario que a ana escreveu";
const PRAISED: &str = "Canario que a ana elogiou";
const CONFIDED: &str = "Canario que a bea escreveu";
const PHRASE: &str = "canario contra golpes";

/// Secrets that lie in columns of text: of ana, and of all others what is more than a username.
async fn never_told(app: &TestApp, ana: &Person) -> Vec<String> {
    let mut never: Vec<String> = sqlx::query_scalar::<_, Option<String>>(
        "SELECT unnest(ARRAY[email, full_name, password_hash]) FROM identity.account WHERE id <> $1 AND NOT is_house
         UNION ALL SELECT password_hash FROM identity.account WHERE id = $1",
    )
    .bind(ana.client.user.0)
    .fetch_all(&app.sql)
    .await
    .unwrap()
    .into_iter()
    .flatten()
    .collect();
    // All that is kept as bytes is a digest, sealed, or on the chain; of the chain nothing is written here.
    let places: Vec<(String, String)> = sqlx::query_as(
        "SELECT format('%I.%I', c.table_schema, c.table_name), quote_ident(c.column_name)
         FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
         WHERE c.data_type = 'bytea' AND t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
           AND (c.table_name, c.column_name) <> ('user_wallet', 'address')",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    let mut kept = 0;
    for (table, column) in places {
        let all: Vec<Vec<u8>> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "SELECT {column} FROM {table} WHERE length({column}) > 7"
        )))
        .fetch_all(&app.sql)
        .await
        .unwrap();
        kept += all.len();
        for bytes in all {
            never.extend([hex::encode(&bytes), data_encoding::BASE64.encode(&bytes)]);
        }
    }
    assert!(kept > 10, "{kept} secrets are looked for");
    never.extend([NOTE, NOTED, SUSPECTED, THOUGHT_OF, CONFIDED, PHRASE, PASSWORD].map(str::to_owned));
    never.extend([ana.refresh.clone(), ana.client.token.clone().unwrap()]);
    never
}

#[actix_web::test]
async fn no_secret_and_nothing_of_others_is_in_it() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, admin) = (member(&app, "Ana", "arbora").await, app.admin("bia").await);
    let name: String = sqlx::query_scalar("SELECT username FROM identity.account WHERE id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let bea = member(&app, "Bea", &name).await;
    let code = security_code(&app, &ana, "change-account-data").await;
    let body =
        json!({ "antiPhishing": PHRASE, "birthDate": "1987-03-14", "document": CPF, "securityCode": code });
    ana.client.patch("/me", &body).await.ok();
    for (who, text) in [(&ana, ASKED), (&bea, CONFIDED)] {
        let body = json!({ "subject": "Pergunta", "description": text, "category": "financial" });
        who.client.post("/support/open-ticket", &body).await.ok();
    }
    let path = format!("/admin/user/{}/notes", ana.client.user);
    assert_eq!(admin.post(&path, &json!({ "text": NOTE })).await.status, 201);
    let tickets = admin.get("/support/list-tickets-all/").await.ok();
    for ticket in tickets["data"].as_array().unwrap() {
        let path = format!("/support/ticket-notes/{}", ticket["_id"].as_str().unwrap());
        let note = json!({ "text": NOTED, "clientId": uuid::Uuid::now_v7() });
        admin.post(&path, &note).await.ok();
    }
    assert_eq!(tickets["meta"]["total"], 2);
    let of_ana = |ticket: &&Value| ticket["user"] == json!(ana.client.user);
    let hers = tickets["data"].as_array().unwrap().iter().find(of_ana).unwrap();
    let hers = hers["_id"].as_str().unwrap();
    let answer = json!({ "ticketId": hers, "text": "Pronto." });
    admin.post("/support/ticket-response", &answer).await.ok();
    let path = format!("/support/close-ticket/{hers}");
    admin.post(&path, &json!({})).await.ok();
    let path = format!("/support/rate-ticket/{hers}");
    let rating = json!({ "score": 5, "comment": PRAISED });
    ana.client.post(&path, &rating).await.ok();
    let service = Service::start();
    let browser = Browser::at(&service, "of-ana");
    browser.subscribe(&ana.client).await;
    let wallet = "WITH key AS (
             INSERT INTO wallet.master_key (version, fingerprint, created_at) VALUES (7, decode(repeat('c1', 32), 'hex'), now()) RETURNING version)
         INSERT INTO wallet.user_wallet (id, owner, address, entropy, data_key, key_version, created_at)
         SELECT gen_random_uuid(), $1, decode(repeat('c2', 20), 'hex'), decode(repeat('c3', 44), 'hex'), decode(repeat('c4', 60), 'hex'), version, now()
         FROM key WHERE $2::uuid IS NOT NULL AND $3::text IS NOT NULL";
    let case = "INSERT INTO approvals.compliance_case (id, user_id, flow, usdt, reasons, opened_at, status, decided_by, decided_at, note)
         SELECT gen_random_uuid(), $1, 'transfer', 1, ARRAY['amount'], now(), 'refused', $2, now(), $3";
    let looked_at = "INSERT INTO foundation.audit (at, actor, subject, category, action, details)
         SELECT now(), $2, $1, 'money', 'compliance.decide', jsonb_build_object('note', $3::text)";
    let sponsored =
        "INSERT INTO sponsorship.request (id, user_id, operation, usdt, reason, digest, ordered_by, created_at)
         SELECT gen_random_uuid(), $1, 'add', 1000000, $3, decode(repeat('c5', 32), 'hex'), $2, now()";
    for (sql, text) in [
        (wallet, ""),
        (case, SUSPECTED),
        (looked_at, SUSPECTED),
        (sponsored, THOUGHT_OF),
    ] {
        sqlx::query(sql)
            .bind(ana.client.user.0)
            .bind(admin.user.0)
            .bind(text)
            .execute(&app.sql)
            .await
            .unwrap();
    }

    // Whoever has an app is asked for its codes, here as well.
    let (phone, recovery) = app_factor(&app, &ana).await;
    app.clock.advance(Duration::minutes(1));
    let who = app.renew(&ana.client);
    who.post("/me/export", &json!({ "securityCode": other(&phone.code(&app)) }))
        .await
        .refused(422, "code.wrong");
    let asked = who
        .post("/me/export", &json!({ "securityCode": phone.code(&app) }))
        .await
        .ok();
    work(&app).await;
    app.clock.advance(Duration::minutes(1));
    let who = app.renew(&who);
    let entries = opened(&who, &newest(&asked), &phone.code(&app)).await;

    let account = part(&entries, "account");
    assert_eq!(account["account"][0]["two_factor_app"], true);
    assert_eq!(account["document"].as_array().unwrap().len(), 1);
    assert_eq!(account["push_devices"][0]["name"], "Firefox, Linux");
    assert!(
        !account.to_string().contains(&browser.endpoint),
        "the address is as good as a key"
    );
    let log = account["log"].as_array().unwrap();
    assert!(log.iter().any(|line| line["action"] == "auth.factor"), "{log:?}");
    assert!(
        log.iter()
            .all(|line| line["action"] != "user.note" && line["action"] != "compliance.decide"),
        "{log:?}"
    );
    let network = part(&entries, "network");
    assert_eq!(network["direct_referrals"].as_array().unwrap().len(), 1);
    assert_eq!(part(&entries, "wallet")["wallet"].as_array().unwrap().len(), 1);
    let messages = part(&entries, "messages");
    assert_eq!(messages["ticket_messages"][0]["body"], ASKED);
    assert_eq!(messages["tickets"].as_array().unwrap().len(), 1);
    assert_eq!(messages["ticket_ratings"][0]["comment"], PRAISED);

    let mut never = never_told(&app, &ana).await;
    never.extend(recovery);
    for (name, bytes) in &entries {
        let text = String::from_utf8_lossy(bytes);
        for secret in &never {
            assert!(!text.contains(secret.as_str()), "{secret} in {name}");
        }
    }
}
