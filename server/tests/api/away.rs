//! Mail to who is away: one for a burst, only of what is still unread, never of what anything says
//! (docs/rules/notifications.md#mail-to-who-is-away).

use crate::{
    identity::people::{lift_caps, mail, mails},
    kit::{Client, STORE_EMPLOYEE, TestApp, live::Live},
    notifications::{codes, drain, inbox},
    support::{id_of, open, reply},
};
use futures_util::future::{join, join_all};
use protocol::ids::UserId;
use serde_json::json;
use server::{jobs, notifications::away, support};
use time::Duration;

const MAIL: &str = "away";
const ANA: &str = "ana@example.com";

/// All that is due, and the lines of what it told.
async fn work(app: &TestApp) {
    drain(app).await;
    while jobs::round(&app.context).await.unwrap() > 0 {}
    drain(app).await;
}

async fn later(app: &TestApp, minutes: i64) {
    app.clock.advance(Duration::minutes(minutes));
    work(app).await;
}

/// Staff answer.
async fn says(app: &TestApp, who: &Client, ticket: &str) {
    reply(&app.renew(who), ticket, "o segredo do chamado").await;
    work(app).await;
}

struct Chat {
    app: TestApp,
    ana: Client,
    bia: Client,
    ticket: String,
}

/// Ana has a ticket that Bia has taken.
async fn chat() -> Chat {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let ticket = id_of(&open(&ana).await);
    // What she opened it with was said before anybody had it.
    work(&app).await;
    let take = format!("/support/take-ticket/{ticket}");
    bia.post(&take, &json!({ "from": null })).await.ok();
    work(&app).await;
    Chat {
        app,
        ana,
        bia,
        ticket,
    }
}

#[actix_web::test]
async fn a_burst_is_one_mail_after_its_delay_and_the_next_comes_after_they_were_here() {
    let Chat {
        app,
        ana,
        bia,
        ticket,
    } = chat().await;
    says(&app, &bia, &ticket).await;
    later(&app, 9).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 0);
    says(&app, &bia, &ticket).await;
    later(&app, 2).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 1);
    let text = mail(&app, ANA, MAIL).await;
    for part in [
        "Suporte: 1",
        "/notifications",
        "/account-setting?tab=notifications",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("segredo"), "{text}");
    // They know that there is something: no more is said until they come.
    says(&app, &bia, &ticket).await;
    later(&app, 60).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 1);
    away::here(&app.context, &[ana.user]).await.unwrap();
    later(&app, 60).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 1, "what was told then is old");
    says(&app, &bia, &ticket).await;
    later(&app, 11).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 2);
}

#[actix_web::test]
async fn who_reads_or_has_a_socket_is_not_mailed() {
    let Chat {
        app,
        ana,
        bia,
        ticket,
    } = chat().await;
    says(&app, &bia, &ticket).await;
    support::service::mark_read(&app.context, ana.user, false, ticket.parse().unwrap(), 2)
        .await
        .unwrap();
    later(&app, 11).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 0, "read in the chat");

    says(&app, &bia, &ticket).await;
    let read = app.renew(&ana);
    read.post("/notifications/read-all", &json!({})).await.ok();
    later(&app, 11).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 0, "read in the inbox");

    says(&app, &bia, &ticket).await;
    assert!(!app.live.present().contains(&ana.user));
    let live = Live::open(&app, &app.renew(&ana)).await;
    assert_eq!(app.live.present(), [ana.user]);
    away::here(&app.context, &app.live.present()).await.unwrap();
    drop(live);
    later(&app, 11).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 0, "here");
}

#[actix_web::test]
async fn what_is_switched_off_is_not_mailed() {
    let Chat {
        app,
        ana,
        bia,
        ticket,
    } = chat().await;
    let off = json!({ "group": "support", "mail": false });
    ana.patch("/notifications/preferences", &off).await.ok();
    says(&app, &bia, &ticket).await;
    later(&app, 11).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 0);
    let on = json!({ "group": "support", "mail": true });
    let ana = app.renew(&ana);
    ana.patch("/notifications/preferences", &on).await.ok();
    says(&app, &bia, &ticket).await;
    later(&app, 11).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 1);
}

/// Staff switch an account off, or on again.
pub async fn switch(app: &TestApp, who: &Client, status: &str) {
    sqlx::query("UPDATE identity.account SET status = $2 WHERE id = $1")
        .bind(who.user.0)
        .bind(status)
        .execute(&app.sql)
        .await
        .unwrap();
}

/// Whom staff switched off still has money and tickets here, and nothing else to come for.
#[actix_web::test]
async fn who_is_switched_off_is_mailed_of_what_they_may_still_do() {
    let Chat {
        app,
        ana,
        bia,
        ticket,
    } = chat().await;
    switch(&app, &ana, "inactive").await;
    says(&app, &bia, &ticket).await;
    later(&app, 11).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 1, "support answers them");

    for (status, most) in [("inactive", 0), ("active", 1)] {
        switch(&app, &bia, status).await;
        reply(&app.renew(&ana), &ticket, "ainda aí?").await;
        work(&app).await;
        later(&app, 11).await;
        assert_eq!(mails(&app, "bia@example.com", MAIL).await, most, "{status}");
    }
}

#[actix_web::test]
async fn in_quiet_hours_it_is_asked_for_again_at_their_end() {
    for read in [false, true] {
        let Chat {
            app,
            ana,
            bia,
            ticket,
        } = chat().await;
        // From now for three hours, by a clock on UTC.
        let minute = |at: time::OffsetDateTime| i16::from(at.hour()) * 60 + i16::from(at.minute());
        let now = app.context.now();
        sqlx::query(
            "UPDATE identity.account SET time_zone = 'UTC', quiet_from = $2, quiet_until = $3 WHERE id = $1",
        )
        .bind(ana.user.0)
        .bind(minute(now))
        .bind(minute(now + Duration::hours(3)))
        .execute(&app.sql)
        .await
        .unwrap();
        says(&app, &bia, &ticket).await;
        later(&app, 11).await;
        later(&app, 60).await;
        assert_eq!(mails(&app, ANA, MAIL).await, 0);
        if read {
            support::service::mark_read(&app.context, ana.user, false, ticket.parse().unwrap(), 2)
                .await
                .unwrap();
        }
        later(&app, 120).await;
        assert_eq!(mails(&app, ANA, MAIL).await, i64::from(!read));
    }
}

/// Whoever does the job at once with another, or again: one mail.
#[actix_web::test]
async fn several_that_work_at_once_mail_once() {
    let Chat { app, bia, ticket, .. } = chat().await;
    says(&app, &bia, &ticket).await;
    app.clock.advance(Duration::minutes(11));
    let job = server::foundation::job_queue::claim(&app.sql, app.context.now(), 100)
        .await
        .unwrap()
        .into_iter()
        .find(|job| job.kind == away::MAIL)
        .unwrap();
    let all = join_all((0..4).map(|_| away::mail(&app.context, &job))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(mails(&app, ANA, MAIL).await, 1);
    later(&app, 60).await;
    assert_eq!(mails(&app, ANA, MAIL).await, 1);
}

/// What its owner says is told to who has taken the ticket, until staff have read it.
#[actix_web::test]
async fn who_has_taken_a_ticket_hears_of_it_too() {
    let Chat {
        app,
        ana,
        bia,
        ticket,
    } = chat().await;
    reply(&ana, &ticket, "ainda aí?").await;
    work(&app).await;
    reply(&ana, &ticket, "oi?").await;
    work(&app).await;
    let lines = inbox(&bia).await;
    assert_eq!(
        (codes(&lines), &lines["unread"]),
        (vec!["ticket_said"], &json!(1))
    );
    assert_eq!(lines["data"][0]["params"]["count"], 2);
    assert!(codes(&inbox(&ana).await).is_empty());
    later(&app, 11).await;
    assert_eq!(mails(&app, "bia@example.com", MAIL).await, 1);
    assert!(mail(&app, "bia@example.com", MAIL).await.contains("Equipe: 1"));
    support::service::mark_read(&app.context, bia.user, true, ticket.parse().unwrap(), 3)
        .await
        .unwrap();
    work(&app).await;
    assert_eq!(inbox(&app.renew(&bia)).await["unread"], 0);
}

/// Bursts of these, whose rows lie in this order.
async fn bursts(app: &TestApp, owners: &[UserId]) {
    for owner in owners {
        sqlx::query("INSERT INTO notifications.burst (owner, id, since) VALUES ($1, gen_random_uuid(), $2)")
            .bind(owner)
            .bind(app.context.now())
            .execute(&app.sql)
            .await
            .unwrap();
    }
}

/// Nodes that have the same people end their bursts in one order: whoever waits for a row holds none of those behind it.
#[actix_web::test]
async fn nodes_take_rows_in_one_order() {
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for name in ["ana", "bia", "caio", "davi"] {
        people.push(app.user(name).await.user);
    }
    people.sort_unstable();
    let back: Vec<UserId> = people.iter().rev().copied().collect();
    bursts(&app, &back).await;
    let mut first = app.sql.begin().await.unwrap();
    sqlx::query("SELECT FROM notifications.burst WHERE owner = $1 FOR UPDATE")
        .bind(people[0])
        .execute(&mut *first)
        .await
        .unwrap();
    let (ended, free) = join(away::here(&app.context, &back), async {
        let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while !sqlx::query_scalar::<_, bool>(waits)
            .fetch_one(&app.sql)
            .await
            .unwrap()
        {
            actix_web::rt::task::yield_now().await;
        }
        let free: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM (SELECT FROM notifications.burst FOR UPDATE SKIP LOCKED) b",
        )
        .fetch_one(&app.sql)
        .await
        .unwrap();
        first.commit().await.unwrap();
        free
    })
    .await;
    ended.unwrap();
    assert_eq!(free, 3, "whoever waits for the first holds no other");

    bursts(&app, &back).await;
    let at_once = (0..8).map(|node| away::here(&app.context, if node % 2 == 0 { &people } else { &back }));
    let all = join_all(at_once).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM notifications.burst")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(left, 0);
}
