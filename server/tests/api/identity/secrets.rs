//! Secrets stay where they must be: a walk through all flows, then a search of every table.

use super::people::{
    Browser, OTHER_PASSWORD, PASSWORD, app_factor, code, lift_caps, link, login, member, security_code,
    with_cookie,
};
use crate::kit::TestApp;
use serde_json::json;
use sqlx::Row;
use std::sync::{Arc, Mutex};
use tracing_subscriber::layer::SubscriberExt;

#[derive(Clone, Default)]
pub struct Lines(pub Arc<Mutex<Vec<u8>>>);
impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Who paid, as the bank says; and what a customer confided to the support.
const PAYER: &str = "Canario Pagador";
const CONFIDED: &str = "O canario canta so para o suporte";

/// What somebody tells of themself.
const BORN: &str = "1987-03-14";
const DOCUMENT: &str = "52998224725";
const PLACE: &str = "canario_da_ana";

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Of RFC 4648, as the factor's secret is shown.
fn base32(text: &str) -> Vec<u8> {
    let (mut bits, mut held, mut bytes) = (0_u32, 0_u32, Vec::new());
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'2'..=b'7' => letter - b'2' + 26,
            _ => continue,
        };
        (bits, held) = ((bits << 5) | u32::from(value), held + 5);
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).unwrap());
        }
        bits &= 0xff;
    }
    bytes
}

/// Every row of every table as text, by table.
pub async fn tables(app: &TestApp) -> Vec<(String, String)> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'public')",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    let mut all = Vec::new();
    for name in names {
        let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
            "SELECT t::text AS line FROM {name} t"
        )))
        .fetch_all(&app.sql)
        .await
        .unwrap();
        let text = rows
            .iter()
            .map(|r| r.get::<String, _>("line"))
            .collect::<Vec<_>>()
            .join("\n");
        all.push((name, text));
    }
    all
}

#[actix_web::test]
async fn secrets_are_in_no_log_and_in_no_table_but_the_mail_that_carries_them() {
    let lines = Lines::default();
    let writer = lines.clone();
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(move || writer.clone())
        .with_ansi(false);
    let filter = tracing_subscriber::EnvFilter::new("trace,hyper=off,h2=off");
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(filter).with(layer));
    tracing::info!("the log is heard");

    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let confirm = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    login(&app, &ana.email, "a wrong passphrase, canary").await;
    let mut browser = Browser::at("198.51.100.1");
    assert_eq!(browser.login(&app, &ana.email, PASSWORD).await.status, 200);
    let judged = json!({"password": "a judged passphrase, canary", "email": ana.email});
    app.anonymous()
        .post("/auth/password-strength", &judged)
        .await
        .ok();
    let change = security_code(&app, &ana, "change-password").await;
    let body = json!({"currentPassword": PASSWORD, "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD, "securityCode": change});
    assert_eq!(ana.client.post("/me/change-password", &body).await.status, 204);
    let ana = super::people::Person {
        password: OTHER_PASSWORD.into(),
        ..ana
    };
    // What one tells of oneself, and another e-mail.
    let personal = json!({"birthDate": BORN, "document": DOCUMENT, "social": {"x": PLACE},
        "securityCode": security_code(&app, &ana, "change-account-data").await});
    ana.client.patch("/me", &personal).await.ok();
    let moved = json!({"email": "canario@nova.example", "password": OTHER_PASSWORD,
        "securityCode": security_code(&app, &ana, "change-account-data").await});
    assert_eq!(ana.client.post("/me/email", &moved).await.status, 202);
    let old_link = link(&app, &ana.email, "email_change_link", "/change-email/").await;
    let new_link = link(
        &app,
        "canario@nova.example",
        "email_change_link",
        "/change-email/",
    )
    .await;
    let stranger = app.anonymous();
    let confirmed = stranger.request(reqwest::Method::POST, &format!("/email/change/{new_link}"));
    stranger.send(confirmed.header("X-Arbora", "1")).await.ok();
    let refreshed = super::people::cookie(
        &with_cookie(&app, "/auth/refresh", &ana.refresh).await.headers,
        "token",
    )
    .unwrap();
    let offer = ana
        .client
        .post(
            "/setup-2fa",
            &json!({"method": "app", "enable": true, "password": OTHER_PASSWORD}),
        )
        .await
        .ok();
    let (_, recovery) = app_factor(&app, &ana).await;
    let freeze = link(&app, &ana.email, "safety_changed", "/freeze/").await;
    app.anonymous()
        .post("/forgot-password", &json!({"email": ana.email}))
        .await;
    let reset = link(&app, &ana.email, "reset_password", "/reset-password/").await;
    let data = security_code(&app, &ana, "change-account-data").await;
    assert_eq!(code(&app, &ana.email, "security_code").await, data);
    let ticket = ana.client.post("/ws-ticket", &json!({})).await.ok()["ticket"]
        .as_str()
        .unwrap()
        .to_owned();

    // Money and a ticket: what was written in confidence stays where it was written.
    let admin = app.admin("root").await;
    let deposit = crate::pix::with_proof(&ana.client, "20", 1).await;
    let approval = json!({
        "id": crate::pix::id(&deposit), "status": "approved", "payerName": PAYER,
        "endToEndId": crate::pix::end_to_end(app.context.now(), "1"),
    });
    admin
        .patch("/admin/deposits-pix-approve-reject", &approval)
        .await
        .ok();
    let question = json!({ "subject": "Uma pergunta", "description": CONFIDED, "category": "robot_trading" });
    ana.client.post("/support/open-ticket", &question).await.ok();

    let mut never = vec![
        PASSWORD.to_owned(),
        OTHER_PASSWORD.into(),
        "a wrong passphrase, canary".into(),
        "a judged passphrase, canary".into(),
        browser.device.clone().unwrap(),
        ana.refresh.clone(),
        refreshed,
        ana.client.token.clone().unwrap(),
        offer["secret"].as_str().unwrap().into(),
        ticket,
        DOCUMENT.into(),
    ];
    never.extend(recovery.iter().flat_map(|c| [c.clone(), c.replace('-', "")]));
    let mailed = [
        confirm.split_once('/').unwrap().1.to_owned(),
        freeze,
        reset,
        old_link,
        new_link,
    ];
    let found_in = |secret: &str, tables: &[(String, String)]| -> Vec<String> {
        tables
            .iter()
            .filter(|(_, text)| text.contains(secret))
            .map(|(name, _)| name.clone())
            .collect()
    };
    let all = tables(&app).await;
    for secret in &never {
        assert_eq!(found_in(secret, &all), Vec::<String>::new());
        // Bytes are shown as hexadecimal digits.
        assert_eq!(
            found_in(&hexadecimal(secret.as_bytes()), &all),
            Vec::<String>::new()
        );
    }
    let seed = base32(offer["secret"].as_str().unwrap());
    assert_eq!(
        found_in(&hexadecimal(&seed), &all),
        Vec::<String>::new(),
        "the factor's secret is sealed"
    );
    assert_eq!(found_in(PAYER, &all), ["pix.claim"]);
    let told = found_in(CONFIDED, &all);
    for table in [
        "foundation.audit",
        "foundation.idempotency",
        "foundation.job",
        "foundation.mail",
    ] {
        assert!(!told.iter().any(|t| t == table), "{table}");
    }
    for secret in &mailed {
        assert_eq!(found_in(secret, &all), ["foundation.mail"]);
    }
    // Six digits may stand in any long number by chance: only the tables of texts are searched for them.
    for code in [&change, &data] {
        for table in [
            "foundation.audit",
            "foundation.event",
            "foundation.idempotency",
            "foundation.job",
        ] {
            let text = &all.iter().find(|(name, _)| name == table).unwrap().1;
            assert!(
                !text
                    .split(|c: char| !c.is_ascii_digit())
                    .any(|word| word == code.as_str()),
                "{table}"
            );
        }
    }
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("the log is heard"));
    let confided = [PAYER.to_owned(), CONFIDED.to_owned()];
    for secret in never.iter().chain(&mailed).chain(&confided) {
        assert!(!log.contains(secret.as_str()), "a secret in the log");
    }
    let audit = &all.iter().find(|(name, _)| name == "foundation.audit").unwrap().1;
    for personal in [
        ana.email.as_str(),
        "Ana da Silva",
        "98765",
        "nova.example",
        BORN,
        PLACE,
    ] {
        assert!(!audit.contains(personal), "a personal value in the audit log");
    }
}
