//! The inbox: lines from facts, once each, for their owner only.

use crate::{
    kit::{Client, STORE_EMPLOYEE, TestApp, live::Live},
    pix_withdrawals,
};
use protocol::{
    LiveEvent, StreamId,
    ids::{PixDepositId, TicketId},
    money::{Brl, Usdt},
    views::{PixDepositStatus, PixDepositView},
};
use serde_json::{Value, json};
use server::{
    foundation::mail::{self, Mail},
    notifications::{
        rules::{CODES, KINDS},
        service::consume,
    },
    support,
};

/// Reads until nothing is left. A transaction of another test on the same cluster may hold the newest facts back for a moment.
pub async fn drain(app: &TestApp) {
    let left = "SELECT count(*) FROM foundation.event e, notifications.cursor c
                WHERE (e.xid, e.id) > (c.xid::text::xid8, c.event) AND e.kind = ANY($1)";
    loop {
        consume(&app.context).await.unwrap();
        let left: i64 = sqlx::query_scalar(left)
            .bind(KINDS)
            .fetch_one(&app.sql)
            .await
            .unwrap();
        if left == 0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

pub async fn inbox(client: &Client) -> Value {
    client.get("/notifications").await.ok()
}

pub fn codes(inbox: &Value) -> Vec<&str> {
    inbox["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["code"].as_str().unwrap())
        .collect()
}

async fn ticket_of(ana: &Client) -> String {
    let body = json!({ "subject": "Oi", "description": "Oi", "category": "other" });
    ana.post("/support/open-ticket", &body).await.ok()["ticket"]["_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn say(client: &Client, ticket: &str) {
    client
        .post(
            "/support/ticket-response",
            &json!({ "ticketId": ticket, "text": "oi" }),
        )
        .await
        .ok();
}

/// As the room `pix` tells it.
pub async fn deposit(
    app: &TestApp,
    owner: &Client,
    id: PixDepositId,
    status: PixDepositStatus,
    version: i64,
) {
    let mut tx = app.context.db.begin().await.unwrap();
    let now = tx.now();
    let deposit = PixDepositView {
        id,
        user: owner.user,
        username: "ana".into(),
        usdt: Usdt::whole(50),
        brl: Brl(25_000),
        rate: "5.0000".into(),
        txid: "X".into(),
        br_code: None,
        proof: None,
        proof_kind: None,
        proof_seen_before: false,
        status,
        reason: (status == PixDepositStatus::Rejected).then(|| "ilegível".into()),
        brl_received: None,
        credited: None,
        reversed: false,
        reversal_asked_by: None,
        reversal_reason: None,
        waiting_since: None,
        approvals: 0,
        approvals_needed: 1,
        rate_locked_until: now,
        expires_at: now,
        created_at: now,
        version,
    };
    tx.emit(
        StreamId::User(owner.user),
        LiveEvent::PixDepositChanged {
            deposit: Box::new(deposit),
        },
    );
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn a_decision_on_a_deposit_is_news_once() {
    let app = TestApp::start().await;
    let (ana, rui) = (app.user("ana").await, app.user("rui").await);
    let id = PixDepositId::fresh();
    deposit(&app, &ana, id, PixDepositStatus::Pending, 1).await;
    deposit(&app, &ana, id, PixDepositStatus::PendingApproval, 2).await;
    drain(&app).await;
    assert_eq!(inbox(&ana).await["unread"], 0);
    deposit(&app, &ana, id, PixDepositStatus::Rejected, 3).await;
    deposit(&app, &ana, id, PixDepositStatus::Rejected, 4).await;
    drain(&app).await;
    drain(&app).await;
    let lines = inbox(&ana).await;
    assert_eq!(
        (codes(&lines), &lines["unread"]),
        (vec!["pix_deposit_rejected"], &json!(1))
    );
    let line = &lines["data"][0];
    assert_eq!(
        (&line["params"]["usdt"], &line["params"]["reason"]),
        (&json!("50.000000"), &json!("ilegível"))
    );
    assert_eq!(
        (&line["amount"], &line["read"]),
        (&json!("50.000000"), &json!(false))
    );
    assert_eq!(inbox(&rui).await["meta"]["total"], 0);
    // The line was told on the owner's stream as well.
    let told: Vec<Value> = sqlx::query_scalar(
        "SELECT payload FROM foundation.event WHERE stream = $1 AND kind = 'notification'",
    )
    .bind(format!("user:{}", ana.user))
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["id"], line["id"]);
}

#[actix_web::test]
async fn several_readers_write_each_line_once() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    for _ in 0..30 {
        deposit(&app, &ana, PixDepositId::fresh(), PixDepositStatus::Approved, 1).await;
    }
    let readers = (0..4).map(|_| async {
        for _ in 0..5 {
            consume(&app.context).await.unwrap();
        }
    });
    futures_util::future::join_all(readers).await;
    drain(&app).await;
    assert_eq!(inbox(&ana).await["meta"]["total"], 30);
    let told: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.event WHERE kind = 'notification'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(told, 30);
}

#[actix_web::test]
async fn unread_replies_of_a_ticket_are_one_line_that_reading_settles() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let id = ticket_of(&ana).await;
    let ticket: TicketId = id.parse().unwrap();
    drain(&app).await;
    assert_eq!(
        inbox(&ana).await["meta"]["total"],
        0,
        "one's own words are no news"
    );
    say(&bia, &id).await;
    drain(&app).await;
    say(&bia, &id).await;
    drain(&app).await;
    let lines = inbox(&ana).await;
    assert_eq!(
        (codes(&lines), &lines["unread"]),
        (vec!["ticket_reply"], &json!(1))
    );
    assert_eq!(
        (
            &lines["data"][0]["params"]["count"],
            &lines["data"][0]["params"]["number"]
        ),
        (&json!(2), &json!(1))
    );
    // Reading the ticket reads its lines.
    support::service::mark_read(&app.context, ana.user, false, ticket, 3)
        .await
        .unwrap();
    drain(&app).await;
    assert_eq!(inbox(&ana).await["unread"], 0);
    // What was read in the open chat makes no line.
    say(&bia, &id).await;
    support::service::mark_read(&app.context, ana.user, false, ticket, 4)
        .await
        .unwrap();
    drain(&app).await;
    assert_eq!(inbox(&ana).await["meta"]["total"], 1);
}

#[actix_web::test]
async fn a_ticket_closed_by_staff_is_news_and_by_its_customer_is_not() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let (one, two, three) = (
        ticket_of(&ana).await,
        ticket_of(&ana).await,
        ticket_of(&ana).await,
    );
    ana.post(&format!("/support/close-ticket/{one}"), &json!({}))
        .await
        .ok();
    bia.post(&format!("/support/close-ticket/{two}"), &json!({}))
        .await
        .ok();
    drain(&app).await;
    assert_eq!(codes(&inbox(&ana).await), ["ticket_closed"]);
    bia.delete(&format!("/support/delete-ticket/{three}")).await;
    drain(&app).await;
    assert_eq!(codes(&inbox(&ana).await), ["ticket_deleted", "ticket_closed"]);
}

#[actix_web::test]
async fn reading_is_ones_own_and_pages_are_bounded() {
    let app = TestApp::start().await;
    let (ana, rui) = (app.user("ana").await, app.user("rui").await);
    for _ in 0..12 {
        deposit(&app, &ana, PixDepositId::fresh(), PixDepositStatus::Approved, 1).await;
        app.clock.advance(time::Duration::seconds(1));
    }
    drain(&app).await;
    let page = inbox(&ana).await;
    assert_eq!(
        (&page["meta"]["total"], &page["meta"]["limit"], &page["unread"]),
        (&json!(12), &json!(10), &json!(12))
    );
    let newest = page["data"][0]["id"].clone();
    let second = ana.get("/notifications?page=2").await.ok();
    assert_eq!(second["data"].as_array().unwrap().len(), 2);
    // Another's names change nothing.
    rui.post("/notifications/read-all", &json!({ "ids": [newest] }))
        .await
        .ok();
    assert_eq!(inbox(&ana).await["unread"], 12);
    assert_eq!(
        ana.post("/notifications/read-all", &json!({ "ids": [newest] }))
            .await
            .ok()["unread"],
        11
    );
    assert_eq!(
        ana.post("/notifications/read-all", &json!({})).await.ok()["unread"],
        0
    );
    ana.post("/notifications/read-all", &json!({ "ids": ["x"] }))
        .await
        .refused(422, "request.invalid");
    ana.get("/notifications?limit=0")
        .await
        .refused(422, "request.invalid");
    app.anonymous()
        .get("/notifications")
        .await
        .refused(401, "auth.unauthenticated");
}

#[actix_web::test]
async fn lines_are_narrowed_by_group_and_by_what_was_read() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    deposit(&app, &ana, PixDepositId::fresh(), PixDepositStatus::Approved, 1).await;
    app.clock.advance(time::Duration::seconds(1));
    deposit(&app, &ana, PixDepositId::fresh(), PixDepositStatus::Rejected, 1).await;
    let (ticket, agent) = (ticket_of(&ana).await, app.person("agent", STORE_EMPLOYEE).await);
    app.clock.advance(time::Duration::seconds(1));
    say(&agent, &ticket).await;
    drain(&app).await;
    let shown = async |query: &str| ana.get(&format!("/notifications?{query}")).await.ok();
    let money = shown("group=money_in").await;
    assert_eq!(codes(&money), ["pix_deposit_rejected", "pix_deposit_approved"]);
    // The bell's number is of all lines, whatever is shown.
    assert_eq!(
        (
            &money["meta"]["total"],
            &money["unread"],
            &money["data"][0]["group"]
        ),
        (&json!(2), &json!(3), &json!("money_in"))
    );
    assert_eq!(codes(&shown("group=support").await), ["ticket_reply"]);
    assert!(codes(&shown("group=robots").await).is_empty());
    let read = money["data"][1]["id"].clone();
    ana.post("/notifications/read-all", &json!({ "ids": [read] }))
        .await
        .ok();
    assert_eq!(
        codes(&shown("unread=true").await),
        ["ticket_reply", "pix_deposit_rejected"]
    );
    assert_eq!(
        codes(&shown("unread=false&group=money_in").await),
        ["pix_deposit_approved"]
    );
    assert_eq!(codes(&shown("unread=&group=").await).len(), 3);
    for unknown in ["group=money", "unread=maybe"] {
        ana.get(&format!("/notifications?{unknown}"))
            .await
            .refused(422, "request.invalid");
    }
}

fn row(preferences: &Value, group: &str) -> Value {
    let all = preferences["data"].as_array().unwrap();
    let found = all.iter().find(|row| row["group"] == group);
    found.cloned().unwrap_or(Value::Null)
}

async fn preferences(client: &Client) -> Value {
    client.get("/notifications/preferences").await.ok()
}

#[actix_web::test]
async fn toasts_are_switched_by_group_and_the_inbox_is_always_written() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let seen = preferences(&ana).await;
    assert_eq!(
        row(&seen, "money_in"),
        json!({ "group": "money_in", "inbox": true, "wanted": null, "mail": true, "toast": true, "push": null, "locked": false })
    );
    assert_eq!(
        row(&seen, "security"),
        json!({ "group": "security", "inbox": true, "wanted": null, "mail": true, "toast": true, "push": null, "locked": true })
    );
    assert_eq!(row(&seen, "staff"), Value::Null, "customers hear nothing of it");
    assert!(row(&preferences(&app.admin("rui").await).await, "staff").is_object());

    let off = json!({ "group": "money_in", "toast": false });
    let changed = ana.patch("/notifications/preferences", &off).await.ok();
    assert_eq!(changed, row(&preferences(&ana).await, "money_in"));
    assert_eq!(changed["toast"], false);
    let mut lives = Vec::new();
    for who in [&ana, &bia] {
        let mut live = Live::open(&app, who).await;
        live.subscribe(&format!("user:{}", who.user)).await;
        deposit(&app, who, PixDepositId::fresh(), PixDepositStatus::Approved, 1).await;
        lives.push(live);
    }
    drain(&app).await;
    let told = lives[0].fact("notification").await["event"].take();
    assert_eq!(
        (&told["code"], &told["quiet"]),
        (&json!("pix_deposit_approved"), &json!(true))
    );
    assert_eq!(codes(&inbox(&ana).await), ["pix_deposit_approved"]);
    let told = lives[1].fact("notification").await["event"].take();
    assert_eq!(told.get("quiet"), None, "another's wish is another's");
    let on = json!({ "group": "money_in", "toast": true });
    assert_eq!(
        ana.patch("/notifications/preferences", &on).await.ok()["toast"],
        true
    );
    deposit(&app, &ana, PixDepositId::fresh(), PixDepositStatus::Approved, 1).await;
    drain(&app).await;
    let told = lives[0].fact("notification").await["event"].take();
    assert_eq!(told.get("quiet"), None);

    for group in ["security", "staff", "news", "weather"] {
        let body = json!({ "group": group, "mail": false });
        let (status, code) = match group {
            "security" => (409, "notifications.locked"),
            _ => (422, "request.invalid"),
        };
        ana.patch("/notifications/preferences", &body)
            .await
            .refused(status, code);
    }
}

/// That a withdrawal was asked for, and what became of it where it is the house's word, always comes; what came back by itself is mailed to who wants it.
#[actix_web::test]
async fn mails_are_switched_by_group_but_for_the_one_that_warns() {
    for (name, wanted, most) in [("ana", false, 2), ("bia", true, 3)] {
        let app = TestApp::start().await;
        crate::identity::people::lift_caps(&app).await;
        let admin = app.admin("root").await;
        let who = pix_withdrawals::customer(&app, name, "100").await;
        let wish = json!({ "group": "money_out", "mail": wanted });
        assert_eq!(
            who.patch("/notifications/preferences", &wish).await.ok()["mail"],
            wanted
        );
        let withdrawal = pix_withdrawals::withdraw(&app, &who, name, "20").await;
        let body = json!({ "id": withdrawal["_id"], "status": "rejected", "reason": "chave errada" });
        admin
            .patch("/admin/withdraw-pix-approve-reject", &body)
            .await
            .ok();
        let back = Mail::PixWithdrawal {
            state: "expired",
            value: Usdt::whole(20),
            fee: Usdt::whole(1),
            brl: Brl::ZERO,
            key: "***".into(),
            reason: None,
        };
        let mut tx = app.context.db.begin().await.unwrap();
        let to = server::identity::service::recipient(&mut tx, who.user)
            .await
            .unwrap();
        mail::send(&app.context, &mut tx, &to, &back).await.unwrap();
        tx.commit().await.unwrap();
        let address = format!("{name}@example.com");
        assert_eq!(
            crate::identity::people::mails(&app, &address, "pix_withdrawal").await,
            most,
            "{name}"
        );
        drain(&app).await;
        assert_eq!(codes(&inbox(&who).await), ["pix_withdrawal_rejected"], "{name}");
    }
}

/// The sentence of every code stands in the client, in three languages, and fits a line of the panel (docs/rules/notifications.md#inbox).
#[test]
fn every_code_has_a_short_sentence_in_three_languages() {
    for locale in ["pt", "en", "es"] {
        let path = format!(
            "{}/../web/src/i18n/{locale}/notifications.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let texts: std::collections::HashMap<String, String> =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let late = protocol::Queue::ALL.iter().map(|queue| queue.row().late);
        for code in CODES.iter().copied().chain(late) {
            let forms = [code.to_owned(), format!("{code}_one"), format!("{code}_other")];
            let found: Vec<_> = forms.iter().filter_map(|key| texts.get(key)).collect();
            assert!(!found.is_empty(), "{locale} lacks {code}");
            for text in found {
                let shown = text
                    .replace("{{usdt, usdt}}", "50.000,00 USDT")
                    .replace("{{brl, brl}}", "R$ 250.000,00")
                    .replace("{{reason, brief}}", "comprovante ilegíve…")
                    .replace("{{by, brief}}", "Maria Fernanda da S…")
                    .replace("{{person, brief}}", "carlos.eduardo.de.m…")
                    .replace("{{device, brief}}", "Chrome em Android 1…")
                    .replace("{{mode, mode}}", "SIMULATED")
                    .replace("{{number}}", "12345")
                    .replace("{{into}}", "12346")
                    .replace("{{amount, coins}}", "123.456,78901234")
                    .replace("{{ceiling, coins}}", "100,00")
                    .replace("{{coin}}", "USDT")
                    .replace("{{rank, rank}}", "Double Diamond")
                    .replace("{{lost, lost}}", "account or licence inactive")
                    .replace("{{pool, brief}}", "Liquidez de noventa…")
                    .replace("{{title, words}}", &"a".repeat(70))
                    .replace("{{count}}", "12");
                assert!(!shown.contains("{{"), "{locale} {code}: {shown}");
                assert!(
                    shown.chars().count() <= 90,
                    "{locale} {code}: {} characters",
                    shown.chars().count()
                );
            }
        }
    }
}
