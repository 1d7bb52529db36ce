//! Tickets that nobody has taken, told to those who answer, asked for it and are away
//! (docs/rules/notifications.md#tickets-that-nobody-has-taken).

use crate::{
    identity::people::{lift_caps, mails},
    kit::{
        Client, STORE_EMPLOYEE, TestApp,
        live::Live,
        push::{Browser, Service},
    },
    notifications::inbox,
    push::{wake, work},
    support::{id_of, open, reply},
};
use serde_json::{Value, json};
use server::{notifications::away, support};
use time::Duration;

const PREFERENCES: &str = "/notifications/preferences";

/// All that is due now, and then, and what it told.
async fn later(app: &TestApp, seconds: i64) {
    work(app).await;
    app.clock.advance(Duration::seconds(seconds));
    for _ in 0..2 {
        work(app).await;
    }
}

/// Somebody who answers tickets, and asks to be told.
async fn asking(app: &TestApp, name: &str) -> Client {
    let agent = app.person(name, STORE_EMPLOYEE).await;
    wish(&agent, json!({ "wanted": true })).await.ok();
    agent
}

async fn wish(who: &Client, mut body: Value) -> crate::kit::Reply {
    body["group"] = json!("tickets");
    who.patch(PREFERENCES, &body).await
}

/// Of how many tickets somebody was told, by line, the newest first.
async fn told(app: &TestApp, who: &Client) -> Vec<i64> {
    sqlx::query_scalar(
        "SELECT (params ->> 'count')::bigint FROM notifications.line WHERE owner = $1 AND code = 'tickets_wait'
         ORDER BY at DESC, id DESC",
    )
    .bind(who.user)
    .fetch_all(&app.sql)
    .await
    .unwrap()
}

#[actix_web::test]
async fn who_asked_is_told_once_while_they_are_away_of_what_nobody_has_taken() {
    let (app, service) = (TestApp::start().await, Service::start());
    lift_caps(&app).await;
    let (ana, eva) = (app.user("ana").await, app.user("eva").await);
    let (bia, caio) = (
        asking(&app, "bia").await,
        app.person("caio", STORE_EMPLOYEE).await,
    );
    let phone = Browser::at(&service, "bia");
    phone.subscribe(&bia).await;
    let first = id_of(&open(&ana).await);
    later(&app, 10).await;
    assert!(told(&app, &bia).await.is_empty(), "she may be here");
    open(&eva).await;
    reply(&ana, &first, "ainda espero").await;
    later(&app, 81).await;
    assert_eq!(told(&app, &bia).await, [2], "tickets, not messages");
    assert!(told(&app, &caio).await.is_empty(), "he did not ask");
    let pushed = phone.told(&service.came());
    assert_eq!(pushed.len(), 1);
    assert_eq!(
        (&pushed[0]["title"], &pushed[0]["url"]),
        (
            &json!("Fila do suporte"),
            &json!("/customer-service/tickets-list")
        )
    );
    let lines = inbox(&bia).await;
    assert_eq!(lines["data"][0]["group"], "tickets");
    // She knows that there is something: no more is said until she was here.
    reply(&ana, &first, "alguém?").await;
    later(&app, 91).await;
    assert_eq!((told(&app, &bia).await, service.came().len()), (vec![2], 0));
    away::here(&app.context, &[bia.user]).await.unwrap();
    reply(&app.renew(&ana), &first, "oi").await;
    later(&app, 91).await;
    assert_eq!(
        told(&app, &bia).await,
        [1, 2],
        "of the one to which something came"
    );
    assert_eq!(phone.told(&service.came()).len(), 1);
    // By mail as well, after the delay of all mails, which she did not switch off.
    assert_eq!(mails(&app, "bia@example.com", "away").await, 0);
    later(&app, 660).await;
    assert_eq!(mails(&app, "bia@example.com", "away").await, 1);
}

#[actix_web::test]
async fn who_is_here_or_need_not_come_is_not_told() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = app.user("ana").await;
    let (bia, caio) = (
        asking(&app, "bia").await,
        app.person("caio", STORE_EMPLOYEE).await,
    );
    let ticket = id_of(&open(&ana).await);
    work(&app).await;
    let live = Live::open(&app, &bia).await;
    away::here(&app.context, &app.live.present()).await.unwrap();
    drop(live);
    later(&app, 91).await;
    assert!(told(&app, &bia).await.is_empty(), "a page of hers shows it");
    // A colleague took it meanwhile: what its customer says then is his.
    reply(&ana, &ticket, "ainda espero").await;
    work(&app).await;
    let take = format!("/support/take-ticket/{ticket}");
    caio.post(&take, &json!({ "from": null })).await.ok();
    later(&app, 91).await;
    reply(&ana, &ticket, "e agora?").await;
    later(&app, 91).await;
    assert!(told(&app, &bia).await.is_empty());
    assert_eq!(inbox(&app.renew(&caio)).await["data"][0]["code"], "ticket_said");
    // Of one's own as a customer one is told nothing; colleagues are.
    wish(&app.renew(&caio), json!({ "wanted": true })).await.ok();
    open(&app.renew(&bia)).await;
    later(&app, 91).await;
    assert_eq!(
        (told(&app, &bia).await, told(&app, &caio).await),
        (Vec::new(), vec![1])
    );
}

#[actix_web::test]
async fn it_is_asked_for_by_those_who_answer_and_goes_with_the_wish_and_with_the_role() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.person("bia", STORE_EMPLOYEE).await,
        asking(&app, "caio").await,
    );
    let row = async |who: &Client| {
        let seen = who.get(PREFERENCES).await.ok();
        let rows = seen["data"].as_array().unwrap();
        rows.iter().find(|row| row["group"] == "tickets").cloned()
    };
    assert_eq!(row(&ana).await, None);
    let refused = wish(&ana, json!({ "wanted": true })).await;
    refused.refused(422, "request.invalid");
    assert_eq!(
        row(&bia).await,
        Some(
            json!({ "group": "tickets", "inbox": false, "wanted": false, "mail": null, "toast": null, "push": null, "locked": false })
        )
    );
    let asked = wish(&bia, json!({ "wanted": true })).await.ok();
    assert_eq!(
        asked,
        json!({ "group": "tickets", "inbox": true, "wanted": true, "mail": true, "toast": null, "push": null, "locked": false })
    );
    let toast = wish(&bia, json!({ "toast": true })).await;
    toast.refused(422, "request.invalid");
    let body = json!({ "group": "money_in", "wanted": false });
    bia.patch(PREFERENCES, &body)
        .await
        .refused(422, "request.invalid");
    open(&ana).await;
    work(&app).await;
    wish(&bia, json!({ "wanted": false })).await.ok();
    sqlx::query(
        "DELETE FROM identity.account_role WHERE account = $1 AND role IN (SELECT id FROM identity.role WHERE name = $2)",
    )
    .bind(caio.user)
    .bind(STORE_EMPLOYEE)
    .execute(&app.sql)
    .await
    .unwrap();
    later(&app, 91).await;
    assert_eq!(
        (told(&app, &bia).await, told(&app, &caio).await),
        (Vec::new(), Vec::new())
    );
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM notifications.untaken")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(left, 0, "nothing stays under way");
}

/// Of a ticket that one has taken one is told unasked; pushed is what no page of theirs shows.
#[actix_web::test]
async fn what_is_said_in_a_taken_ticket_is_pushed_to_its_holder_who_is_away() {
    let (app, service) = (TestApp::start().await, Service::start());
    lift_caps(&app).await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let phone = Browser::at(&service, "bia");
    phone.subscribe(&bia).await;
    let ticket = id_of(&open(&ana).await);
    work(&app).await;
    let take = format!("/support/take-ticket/{ticket}");
    bia.post(&take, &json!({ "from": null })).await.ok();
    let says = async |text: &str| {
        reply(&app.renew(&ana), &ticket, text).await;
        work(&app).await;
        assert!(service.came().is_empty(), "she may be here");
    };
    let after = async || {
        app.clock.advance(Duration::seconds(91));
        wake(&app).await;
        phone.told(&service.came())
    };
    says("ainda espero").await;
    let pushed = after().await;
    assert_eq!(pushed.len(), 1);
    assert_eq!(
        pushed[0]["url"],
        format!("/customer-service/ticket-response/{ticket}"),
        "where it is answered, and no customer's page"
    );
    // Not what a page of hers has shown meanwhile, nor what she has read.
    says("alguém?").await;
    away::here(&app.context, &[bia.user]).await.unwrap();
    assert!(after().await.is_empty());
    says("e agora?").await;
    support::service::mark_read(&app.context, bia.user, true, ticket.parse().unwrap(), 4)
        .await
        .unwrap();
    assert!(after().await.is_empty());
    // However much is said, the first of it is told in its time.
    says("um").await;
    app.clock.advance(Duration::seconds(60));
    says("dois").await;
    app.clock.advance(Duration::seconds(31));
    wake(&app).await;
    assert_eq!(phone.told(&service.came()).len(), 1);
}
