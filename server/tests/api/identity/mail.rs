//! Mail: the mailbox page, a real SMTP server, notices above the cap.

use super::people::{
    Browser, PASSWORD, Person, email_factor, link, mail, mails, member, register, security_code,
    store_settings,
};
use crate::kit::TestApp;
use serde_json::Value;
use server::{
    error::Error,
    foundation::{
        context::{Context, World},
        locale::Locale,
        mail::{
            self, Mail, Recipient,
            smtp::{Mailer, deliver},
        },
        settings::Settings,
    },
    jobs,
};
use std::process::Stdio;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::ChildStdout,
};

#[actix_web::test]
async fn the_mailbox_shows_mail_with_its_links() {
    let app = TestApp::start().await;
    let ana = register(&app, "Ana", "arbora").await;
    let tail = link(&app, &ana.email, "confirm_email", "/verify-email/").await;
    let page = reqwest::get(format!("http://{}/dev/mailbox?to=ANA@example.com", app.address))
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(
        page.contains(&format!("<a href=\"http://127.0.0.1/verify-email/{tail}\">")),
        "{page}"
    );
    let list: Vec<Value> = reqwest::get(format!("http://{}/dev/mailbox.json", app.address))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(
        (list.len(), &list[0]["template"]),
        (1, &Value::from("confirm_email"))
    );
    assert!(list[0]["subject"].as_str().unwrap().starts_with("[DEMO] "));
    let none = reqwest::get(format!(
        "http://{}/dev/mailbox.json?to=bia@example.com",
        app.address
    ))
    .await
    .unwrap()
    .text()
    .await
    .unwrap();
    assert_eq!(none, "[]");
}

#[actix_web::test]
async fn production_has_no_mailbox() {
    let app = TestApp::start().await;
    for (world, mailbox) in [(World::Production, true), (World::Demo, false)] {
        let context = Context {
            world,
            mailbox,
            ..app.context.clone()
        };
        let service = actix_web::test::init_service(actix_web::App::new().configure(|cfg| {
            server::foundation::mail::mailbox::configure(cfg, &context);
        }))
        .await;
        let request = actix_web::test::TestRequest::get()
            .uri("/dev/mailbox")
            .to_request();
        assert_eq!(
            actix_web::test::call_service(&service, request).await.status(),
            404
        );
    }
}

#[actix_web::test]
async fn notices_above_the_cap_wait_and_are_not_lost() {
    let app = TestApp::start().await;
    store_settings(
        &app,
        &Settings {
            mails_per_hour: 1,
            ..Settings::default()
        },
    )
    .await;
    let ana = member(&app, "Ana", "arbora").await; // the first mail
    letter(&app, &ana).await; // a notice
    let waits = async |template: &str| -> Vec<bool> {
        sqlx::query_scalar(
            "SELECT due_at >= created_at + interval '59 minutes' FROM foundation.mail WHERE template = $1 ORDER BY created_at",
        )
        .bind(template)
        .fetch_all(&app.sql)
        .await
        .unwrap()
    };
    assert_eq!(waits("graduation_bonus").await, [true]);
    // Codes are not counted here, and what is about safety waits behind nothing.
    email_factor(&app, &ana).await;
    security_code(&app, &ana, "change-account-data").await;
    assert_eq!(waits("safety_changed").await, [false]);
    letter(&app, &ana).await;
    assert_eq!(
        waits("graduation_bonus").await.len(),
        2,
        "the warning took no other mail's place, and none was lost"
    );
    let due: bool = sqlx::query_scalar(
        "SELECT max(due_at) < max(created_at) + interval '121 minutes' FROM foundation.mail WHERE template = 'graduation_bonus'",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert!(due, "one an hour");
}

/// A notice that has nothing to do with safety.
async fn letter(app: &TestApp, to: &Person) {
    let letter = Mail::GraduationBonus {
        rank: protocol::views::Rank::Bronze,
        value: protocol::money::Usdt::whole(50),
        address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed".into(),
        transaction: None,
    };
    write(app, to, &letter).await.unwrap();
}

async fn write(app: &TestApp, to: &Person, letter: &Mail) -> Result<(), Error> {
    let account = server::identity::service::account(&app.context.db, to.client.user).await?;
    let mut tx = app.context.db.begin().await?;
    let to = server::identity::service::recipient_of(&account);
    server::foundation::mail::send(&app.context, &mut tx, &to, letter).await?;
    tx.commit().await?;
    Ok(())
}

/// Whatever fills the hour, and however far ahead it is: what warns is due at once.
#[actix_web::test]
async fn what_warns_of_money_of_another_address_and_of_a_strange_browser_waits_behind_nothing() {
    let app = TestApp::start().await;
    let one_an_hour = Settings {
        mails_per_hour: 1,
        ..Settings::default()
    };
    store_settings(&app, &one_an_hour).await;
    let ana = member(&app, "Ana", "arbora").await;
    for _ in 0..18 {
        letter(&app, &ana).await;
    }
    let withdrawal = |state| Mail::PixWithdrawal {
        state,
        value: protocol::money::Usdt::whole(50),
        fee: protocol::money::Usdt::whole(1),
        brl: protocol::money::Brl::ZERO,
        key: "***".into(),
        reason: None,
    };
    let another = |freeze_path: Option<&str>| Mail::EmailChangeLink {
        side: "old",
        email: "a***@example.com".into(),
        path: "/change-email/x".into(),
        until: app.context.now(),
        freeze_path: freeze_path.map(str::to_owned),
    };
    let warnings = [
        withdrawal("requested"),
        withdrawal("paid"),
        withdrawal("rejected"),
        Mail::CryptoWithdrawal {
            state: "complete",
            value: "50 USDT".into(),
            fee: protocol::money::Usdt::whole(1),
            receives: "49 USDT".into(),
            address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed".into(),
            transaction: None,
            reason: None,
        },
        another(Some("/freeze/x")),
        Mail::SignedIn {
            device: "Firefox".into(),
            address: "203.0.113.7".into(),
            at: app.context.now(),
            freeze_path: "/freeze/x".into(),
        },
        Mail::Tightened {
            what: "exclusion",
            details: vec![],
            at: app.context.now(),
            freeze_path: "/freeze/x".into(),
        },
    ];
    for warning in &warnings {
        write(&app, &ana, warning).await.unwrap();
    }
    let late: Vec<String> = sqlx::query_scalar(
        "SELECT template FROM foundation.mail WHERE template NOT IN ('confirm_email', 'graduation_bonus') AND due_at > created_at",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(late, Vec::<String>::new());
    // To whoever it may be another address belongs: no more than others may write to them.
    let refused = write(&app, &ana, &another(None)).await.unwrap_err();
    assert_eq!(refused.error_code(), protocol::ErrorCode::RateLimited);
    write(&app, &ana, &withdrawal("expired")).await.unwrap();
    let waits: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.mail WHERE template = 'pix_withdrawal' AND due_at > created_at",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(waits, 1, "what took nothing is a notice");
}

/// Whoever writes to a customer, and how often: it takes the place of nothing that the customer asks for.
#[actix_web::test]
async fn letters_of_staff_do_not_fill_a_customers_hour() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let said = Mail::Ticket {
        number: 7,
        subject: "Dúvida".into(),
        text: "Olá".into(),
        path: "/support".into(),
    };
    for _ in 0..20 {
        write(&app, &ana, &said).await.unwrap();
    }
    let link = Mail::CryptoWithdrawalLink {
        value: "50 USDT".into(),
        fee: protocol::money::Usdt::whole(1),
        receives: "49 USDT".into(),
        address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed".into(),
        path: "/withdraw/confirm/x".into(),
        until: app.context.now(),
    };
    write(&app, &ana, &link).await.unwrap();
    let waits: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.mail WHERE due_at > created_at")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(waits, 0);
}

#[actix_web::test]
async fn the_owner_hears_of_a_sign_in_by_a_strange_browser() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let told = async || mails(&app, &ana.email, "signed_in").await;
    let mut home = Browser::at("198.51.100.1");
    assert_eq!(home.login(&app, &ana.email, PASSWORD).await.status, 200);
    assert_eq!(told().await, 1);
    let text = mail(&app, &ana.email, "signed_in").await;
    assert!(text.contains("198.51.100.1"), "{text}");
    assert_eq!(home.login(&app, &ana.email, PASSWORD).await.status, 200);
    assert_eq!(told().await, 1, "known from now on");
    for n in 0..12 {
        let mut thief = Browser::at(&format!("203.0.113.{n}"));
        assert_eq!(thief.login(&app, &ana.email, PASSWORD).await.status, 200);
    }
    assert_eq!(told().await, 10, "who has the password floods no mailbox");
    app.clock.advance(time::Duration::hours(2));
    assert_eq!(
        Browser::at("203.0.113.9")
            .login(&app, &ana.email, PASSWORD)
            .await
            .status,
        200
    );
    assert_eq!(told().await, 11);
    // The mail's button shuts everybody out; a browser that was known is a strange one again.
    let token = link(&app, &ana.email, "signed_in", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    assert_eq!(
        reqwest::Client::new().post(&page).send().await.unwrap().status(),
        200
    );
    assert_eq!(home.login(&app, &ana.email, PASSWORD).await.code(), "auth.frozen");
}

/// An SMTP server of npm (`smtp-server`) that prints each message as a line of JSON.
struct Peer {
    process: tokio::process::Child,
    lines: Lines<BufReader<ChildStdout>>,
    mailer: Mailer,
}

/// The folder of the real servers that tests talk to, with their packages.
pub fn peers() -> &'static str {
    static THERE: std::sync::Once = std::sync::Once::new();
    let peers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");
    THERE.call_once(|| {
        let modules = std::path::Path::new(peers).join("node_modules");
        if ["smtp-server", "oidc-provider"]
            .iter()
            .all(|name| modules.join(name).exists())
        {
            return;
        }
        let done = std::process::Command::new("npm")
            .args(["ci", "--silent", "--no-audit", "--no-fund"])
            .current_dir(peers)
            .status();
        assert!(done.is_ok_and(|s| s.success()), "npm ci in {peers}");
    });
    peers
}

async fn peer(options: &[&str]) -> Peer {
    let mut process = tokio::process::Command::new("node")
        .arg("smtp.mjs")
        .args(options)
        .current_dir(peers())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node runs the SMTP server");
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let port: u16 = lines.next_line().await.unwrap().unwrap().parse().unwrap();
    let mailer = Mailer::connect(
        &format!("smtp://127.0.0.1:{port}"),
        "Arbora <no-reply@arbora.example>",
    )
    .unwrap();
    Peer {
        process,
        lines,
        mailer,
    }
}

/// The same program with a mail server.
fn with(app: &TestApp, peer: &Peer) -> Context {
    Context {
        mailbox: false,
        mailer: Some(peer.mailer.clone()),
        ..app.context.clone()
    }
}

/// Until the mail server has said what it takes; it is believed for a while then.
async fn told(app: &TestApp, peer: &Peer) {
    while peer.mailer.takes_beyond_ascii(app.context.now()).await.is_none() {}
}

/// Writes a mail to an address.
async fn write_to(context: &Context, email: &str) -> uuid::Uuid {
    let mut tx = context.db.begin().await.unwrap();
    let to = Recipient {
        user: None,
        email: email.into(),
        name: "Ana".into(),
        locale: Locale::Pt,
        anti_phishing: None,
        time_zone: None,
        quiet: Vec::new(),
        hours: None,
    };
    let letter = Mail::Invitation {
        path: "/new-password/canary".into(),
    };
    let id = mail::send(context, &mut tx, &to, &letter).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    id
}

/// Why a mail is parked, and what is left of it.
async fn parked(app: &TestApp, id: uuid::Uuid) -> (Option<String>, String) {
    sqlx::query_as("SELECT parked_for, text_body FROM foundation.mail WHERE id = $1 AND sent_at IS NULL")
        .bind(id)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn mail_that_can_never_be_sent_is_parked_with_its_reason() {
    let app = TestApp::start().await;
    let peer = peer(&["--ascii"]).await;
    told(&app, &peer).await;
    let context = with(&app, &peer);
    for (email, reason) in [
        (
            "josé@example.com",
            "the mail server takes no address beyond ASCII",
        ),
        ("not an address", "the recipient is not a mail address"),
    ] {
        let id = write_to(&context, email).await;
        assert_eq!(jobs::round(&context).await.unwrap(), 1);
        assert_eq!(parked(&app, id).await, (Some(reason.to_owned()), String::new()));
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.job WHERE kind = 'mail.send'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
        assert_eq!(left, 0, "{email}");
    }
    // A mailbox that there is not may be there tomorrow, and then never.
    let id = write_to(&context, "gone@example.com").await;
    deliver(&context, &peer.mailer, id).await.unwrap_err();
    assert_eq!(parked(&app, id).await.0, None);
    app.clock.advance(time::Duration::hours(25));
    deliver(&context, &peer.mailer, id).await.unwrap();
    assert_eq!(
        parked(&app, id).await.0.as_deref(),
        Some("the recipient's address was refused: 550")
    );
}

#[actix_web::test]
async fn addresses_beyond_ascii_are_taken_where_the_mail_server_takes_them() {
    let app = TestApp::start().await;
    let (plain, wide) = (peer(&["--ascii"]).await, peer(&[]).await);
    told(&app, &plain).await;
    told(&app, &wide).await;
    for (context, taken) in [
        (app.context.clone(), false),
        (with(&app, &plain), false),
        (with(&app, &wide), true),
    ] {
        let found = mail::require_reachable(&context, "josé@example.com").await;
        assert_eq!(found.is_ok(), taken);
        mail::require_reachable(&context, "jose@xn--exmple-cua.example")
            .await
            .unwrap();
    }
    let mut wide = wide;
    let context = with(&app, &wide);
    write_to(&context, "josé@example.com").await;
    assert_eq!(jobs::round(&context).await.unwrap(), 1);
    let message: Value = serde_json::from_str(&wide.lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(message["to"], "josé@example.com");
}

#[actix_web::test]
async fn mail_reaches_a_real_smtp_server_once_and_its_body_is_erased() {
    let Peer {
        process: mut peer,
        mut lines,
        mailer,
    } = peer(&[]).await;
    let app = TestApp::start().await;
    let context = Context {
        mailbox: false,
        mailer: Some(mailer.clone()),
        ..app.context.clone()
    };
    let account =
        server::identity::service::account(&context.db, member(&app, "José", "arbora").await.client.user)
            .await
            .unwrap();
    let mut tx = context.db.begin().await.unwrap();
    let to = server::identity::service::recipient_of(&account);
    let letter = server::foundation::mail::Mail::ResetPassword {
        path: "/reset-password/canary".into(),
        until: context.now(),
    };
    let id = server::foundation::mail::send(&context, &mut tx, &to, &letter)
        .await
        .unwrap()
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(jobs::round(&context).await.unwrap(), 1);

    let message: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(
        (message["from"].as_str(), message["to"].as_str()),
        (Some("no-reply@arbora.example"), Some("jose@example.com"))
    );
    let raw = message["raw"].as_str().unwrap();
    assert!(
        raw.contains(&format!("Message-ID: <{id}@arbora.example>")) && raw.contains("multipart/alternative"),
        "{raw}"
    );
    let (sent, text, html): (bool, String, String) =
        sqlx::query_as("SELECT sent_at IS NOT NULL, text_body, html_body FROM foundation.mail WHERE id = $1")
            .bind(id)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!((sent, text.as_str(), html.as_str()), (true, "", ""));
    deliver(&context, &mailer, id).await.unwrap(); // again: nothing is sent
    peer.kill().await.unwrap();
    assert!(lines.next_line().await.unwrap().is_none());

    // A server that is away: the job comes back later.
    let mut tx = context.db.begin().await.unwrap();
    server::foundation::mail::send(&context, &mut tx, &to, &letter)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(jobs::round(&context).await.unwrap(), 1);
    let waiting: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM foundation.job WHERE kind = 'mail.send' AND state = 'waiting' AND attempts = 1",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(waiting, 1);
}
