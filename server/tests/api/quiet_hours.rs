//! Quiet hours: what can wait leaves when they are over, by its reader's clock; what warns and what was asked for does not wait
//! (docs/rules/notifications.md#quiet-hours).

use crate::{
    closing,
    identity::{
        email_change::moved,
        people::{lift_caps, link, member},
    },
    kit::{Client, TestApp, live::Live, locks},
    staff_people::move_mailbox,
};
use futures_util::future::join;
use protocol::{ids::UserId, money::Usdt, views::Rank};
use serde_json::{Value, json};
use server::{
    foundation::{
        context::Context,
        mail::{self, Mail},
    },
    identity, jobs,
    privacy::closing::rules::WAIT,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

const PATH: &str = "/notifications/quiet-hours";

/// As where there is a mail server: a job sends it.
async fn write(app: &TestApp, to: UserId, letter: &Mail) -> Uuid {
    let context = Context {
        mailbox: false,
        ..app.context.clone()
    };
    let mut tx = app.context.db.begin().await.unwrap();
    let to = identity::service::recipient(&mut tx, to).await.unwrap();
    let id = mail::send(&context, &mut tx, &to, letter).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    id
}

/// When a mail leaves, as its row and its job have it.
async fn due(app: &TestApp, id: Uuid) -> OffsetDateTime {
    let due: OffsetDateTime = sqlx::query_scalar("SELECT due_at FROM foundation.mail WHERE id = $1")
        .bind(id)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    let job: OffsetDateTime = sqlx::query_scalar("SELECT run_at FROM foundation.job WHERE effect = $1")
        .bind(format!("mail.send:{id}"))
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(job, due);
    due
}

fn arrived() -> Mail {
    Mail::GraduationBonus {
        rank: Rank::Bronze,
        value: Usdt::whole(50),
        address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed".into(),
        transaction: None,
    }
}

fn frozen() -> Mail {
    Mail::Frozen {
        path: "/forgot-password".into(),
    }
}

fn asked() -> Mail {
    Mail::Invitation {
        path: "/new-password/x/y".into(),
    }
}

/// A time of the day, as calls write it.
fn clock(at: OffsetDateTime) -> String {
    format!("{:02}:{:02}", at.hour(), at.minute())
}

/// Quiet from an hour ago for three hours, by a clock on UTC; when they end.
pub async fn sleep(app: &TestApp, who: &Client) -> OffsetDateTime {
    sqlx::query("UPDATE identity.account SET time_zone = 'UTC' WHERE id = $1")
        .bind(who.user)
        .execute(&app.sql)
        .await
        .unwrap();
    let now = app.context.now();
    let (from, until) = (now - Duration::HOUR, now + Duration::hours(2));
    let hours = json!({ "hours": { "from": clock(from), "until": clock(until) } });
    let kept = who.patch(PATH, &hours).await.ok();
    assert_eq!(
        (&kept["quietHours"], &kept["zone"]),
        (&hours["hours"], &json!("UTC"))
    );
    until
        - Duration::seconds(i64::from(until.second()))
        - Duration::nanoseconds(i64::from(until.nanosecond()))
}

#[actix_web::test]
async fn what_can_wait_leaves_when_they_are_over() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let end = sleep(&app, &ana).await;
    let held = write(&app, ana.user, &arrived()).await;
    assert_eq!(due(&app, held).await, end);
    // What warns, and what somebody asked for, is of no hour; another's hours are another's.
    let now = app.context.now();
    for (who, letter) in [(&ana, frozen()), (&ana, asked()), (&bia, arrived())] {
        let id = write(&app, who.user, &letter).await;
        assert!(due(&app, id).await <= now + Duration::MINUTE);
    }
    app.clock.advance(Duration::hours(3));
    let after = write(&app, ana.user, &arrived()).await;
    assert!(due(&app, after).await <= app.context.now());
}

/// The morning brings no more at once than any other hour, and what waits for it takes no place of what is asked for at night.
#[actix_web::test]
async fn the_morning_brings_no_more_than_any_hour() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let end = sleep(&app, &ana).await;
    let mut leave = Vec::new();
    for _ in 0..11 {
        let id = write(&app, ana.user, &arrived()).await;
        leave.push((due(&app, id).await - end).whole_hours());
    }
    assert_eq!(leave, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2]);
    let id = write(&app, ana.user, &asked()).await;
    assert!(due(&app, id).await < end);
}

#[actix_web::test]
async fn they_are_ones_own_are_told_and_end_with_the_wish() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let mut live = Live::open(&app, &ana).await;
    live.subscribe(&format!("user:{}", ana.user)).await;
    let kept = |client: &Client| {
        let client = client.clone();
        async move { client.get("/notifications/preferences").await.ok()["quietHours"].take() }
    };
    assert_eq!(kept(&ana).await, Value::Null);
    let night = json!({ "from": "22:00", "until": "07:30" });
    ana.patch(PATH, &json!({ "hours": night })).await.ok();
    assert_eq!(kept(&ana).await, night);
    assert_eq!(kept(&bia).await, Value::Null);
    assert_eq!(
        live.fact("user.changed").await["event"]["reason"],
        "notifications"
    );
    for (from, until) in [("22:00", "22:00"), ("24:00", "07:00"), ("ten", "07:00"), ("", "")] {
        let body = json!({ "hours": { "from": from, "until": until } });
        ana.patch(PATH, &body).await.refused(422, "request.invalid");
    }
    assert_eq!(kept(&ana).await, night);
    ana.patch(PATH, &json!({ "hours": null })).await.ok();
    assert_eq!(kept(&ana).await, Value::Null);
    let id = write(&app, ana.user, &arrived()).await;
    assert!(due(&app, id).await <= app.context.now());
}

/// Where a mail that is kept goes; none where it was dropped.
async fn goes_to(app: &TestApp, id: Uuid) -> Option<String> {
    sqlx::query_scalar("SELECT recipient FROM foundation.mail WHERE id = $1")
        .bind(id)
        .fetch_optional(&app.sql)
        .await
        .unwrap()
}

const OLD: &str = "ana@example.com";
const NEW: &str = "ana@nova.example";

/// To an address that is confirmed, by its owner's hand and by the link that takes it back; what was asked for at the old one stays there.
#[actix_web::test]
async fn what_waits_goes_where_its_reader_is() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let bia = app.user("bia").await;
    let end = sleep(&app, &ana.client).await;
    sleep(&app, &bia).await;
    let held = write(&app, ana.client.user, &arrived()).await;
    let at_once = write(&app, ana.client.user, &asked()).await;
    let others = write(&app, bia.user, &arrived()).await;
    moved(&app, &ana, NEW).await;
    assert_eq!(goes_to(&app, held).await.as_deref(), Some(NEW));
    assert_eq!(due(&app, held).await, end);
    assert_eq!(goes_to(&app, at_once).await.as_deref(), Some(OLD));
    assert_eq!(goes_to(&app, others).await.as_deref(), Some("bia@example.com"));

    let freeze = link(&app, OLD, "safety_changed", "/freeze/").await;
    let page = format!("http://{}/freeze/{freeze}", app.address);
    let done = reqwest::Client::new().post(&page).send().await.unwrap();
    assert_eq!(done.status(), 200);
    assert_eq!(goes_to(&app, held).await.as_deref(), Some(OLD));
}

/// Nobody has shown to read at the one that staff put in place, and nobody is there who has left.
#[actix_web::test]
async fn what_waits_is_dropped_where_nobody_is() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (rui, leo) = (app.admin("rui").await, app.admin("leo").await);
    let ana = member(&app, "Ana", "arbora").await;
    sleep(&app, &ana.client).await;
    let held = write(&app, ana.client.user, &arrived()).await;
    move_mailbox(&rui, &leo, &ana.client, NEW).await;
    assert_eq!(goes_to(&app, held).await, None);

    let bia = member(&app, "Bia", "arbora").await;
    closing::ask(&app, &bia).await.ok();
    app.clock.advance(WAIT - Duration::HOUR);
    sleep(&app, &app.renew(&bia.client)).await;
    let held = write(&app, bia.client.user, &arrived()).await;
    assert_eq!(goes_to(&app, held).await.as_deref(), Some("bia@example.com"));
    app.clock.advance(Duration::HOUR + Duration::SECOND);
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert_eq!(closing::status(&app, &bia.client).await, "closed");
    assert_eq!(goes_to(&app, held).await, None);
}

/// Another address in place, as whoever changes it does.
async fn move_to(app: &TestApp, who: UserId, from: &str, to: &str) {
    let mut tx = app.context.db.begin().await.unwrap();
    sqlx::query("UPDATE identity.account SET email = $2, email_key = $2 WHERE id = $1")
        .bind(who)
        .bind(to)
        .execute(tx.conn())
        .await
        .unwrap();
    mail::move_waiting(&mut tx, who, from, Some(to)).await.unwrap();
    tx.commit().await.unwrap();
}

/// A mail that is written in the moment in which the address changes: whichever is first, it goes along.
#[actix_web::test]
async fn what_is_being_written_goes_along() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    sleep(&app, &ana).await;
    let context = Context {
        mailbox: false,
        ..app.context.clone()
    };
    // Written, and its change not over: the other address waits for it.
    let mut writing = app.context.db.begin().await.unwrap();
    let to = identity::service::recipient(&mut writing, ana.user)
        .await
        .unwrap();
    let sent = mail::send(&context, &mut writing, &to, &arrived()).await.unwrap();
    join(move_to(&app, ana.user, OLD, NEW), async {
        locks::waiting(&app, 1).await;
        writing.commit().await.unwrap();
    })
    .await;
    assert_eq!(goes_to(&app, sent.unwrap()).await.as_deref(), Some(NEW));

    // The address was read, and is another one before the mail is written.
    let mut writing = app.context.db.begin().await.unwrap();
    let to = identity::service::recipient(&mut writing, ana.user)
        .await
        .unwrap();
    move_to(&app, ana.user, NEW, OLD).await;
    let sent = mail::send(&context, &mut writing, &to, &arrived()).await.unwrap();
    writing.commit().await.unwrap();
    assert_eq!(goes_to(&app, sent.unwrap()).await.as_deref(), Some(OLD));
}
