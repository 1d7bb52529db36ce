//! Quiet hours: what can wait leaves when they are over, by its reader's clock; what warns and what was asked for does not wait
//! (docs/rules/notifications.md#quiet-hours).

use crate::kit::{Client, TestApp, live::Live};
use protocol::{ids::UserId, money::Usdt, views::Rank};
use serde_json::{Value, json};
use server::{
    foundation::{
        context::Context,
        mail::{self, Mail},
    },
    identity,
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
