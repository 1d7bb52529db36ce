//! Pushing while a service takes nothing, or while there is more than a round or a job sends (docs/rules/notifications.md#push).

use crate::{
    kit::{
        Client, TestApp,
        push::{Browser, Service},
    },
    notifications::drain,
    push::{notice, wake, warning, work},
};
use server::jobs;
use time::{Duration, OffsetDateTime};

#[actix_web::test]
async fn what_piled_up_while_a_service_took_nothing_is_told_as_one() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let phone = Browser::at(&service, "phone");
    phone.subscribe(&ana).await;
    service.says(503, None);
    for _ in 0..5 {
        notice(&app, &ana).await;
        work(&app).await;
        assert!(!service.came().is_empty());
    }
    service.says(201, None);
    app.clock.advance(Duration::minutes(11));
    wake(&app).await;
    let told = phone.told(&service.came());
    assert_eq!(told.len(), 1, "none of them had been delivered: {told:?}");
    assert_eq!(told[0]["text"], "5 avisos novos.");
}

#[actix_web::test]
async fn a_service_that_wants_a_pause_has_it_from_all_and_no_other_waits_for_it() {
    let (app, tired, other) = (TestApp::start().await, Service::start(), Service::start());
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let (hers, theirs) = (Browser::at(&tired, "ana"), Browser::at(&tired, "bia"));
    let desk = Browser::at(&other, "bia");
    hers.subscribe(&ana).await;
    theirs.subscribe(&bia).await;
    desk.subscribe(&bia).await;
    tired.says(429, Some("120"));
    notice(&app, &ana).await;
    work(&app).await;
    assert_eq!(tired.came().len(), 1);
    notice(&app, &bia).await;
    work(&app).await;
    assert!(tired.came().is_empty(), "it is asked for nobody");
    assert_eq!(desk.told(&other.came()).len(), 1);
    tired.says(201, None);
    app.clock.advance(Duration::seconds(121));
    wake(&app).await;
    let came = tired.came();
    assert_eq!((hers.told(&came).len(), theirs.told(&came).len()), (1, 1));
}

/// How often a service was asked for what waits, and did not say when.
async fn tries(app: &TestApp) -> Vec<i32> {
    sqlx::query_scalar("SELECT attempts FROM notifications.push")
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

/// Its pauses are the service's own: however many there were, what waits comes as soon as it may.
#[actix_web::test]
async fn a_pause_that_a_service_asks_for_uses_no_try_up() {
    let (app, tired) = (TestApp::start().await, Service::start());
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let (hers, theirs) = (Browser::at(&tired, "ana"), Browser::at(&tired, "bia"));
    hers.subscribe(&ana).await;
    theirs.subscribe(&bia).await;
    tired.says(429, Some("60"));
    notice(&app, &ana).await;
    work(&app).await;
    assert_eq!(tired.came().len(), 1);
    // While it rests nobody asks it: no more is that a try.
    notice(&app, &bia).await;
    work(&app).await;
    assert!(tired.came().is_empty());
    for _ in 0..12 {
        app.clock.advance(Duration::seconds(61));
        wake(&app).await;
        assert!(!tired.came().is_empty(), "it is asked when it said");
    }
    assert_eq!(tries(&app).await, [0, 0]);
    // The first answer that says no time is the first try.
    tired.says(503, None);
    app.clock.advance(Duration::seconds(61));
    wake(&app).await;
    assert_eq!(tries(&app).await, [1, 1]);
    tired.came();
    tired.says(201, None);
    app.clock.advance(Duration::seconds(3));
    wake(&app).await;
    let came = tired.came();
    assert_eq!((hers.told(&came).len(), theirs.told(&came).len()), (1, 1));
}

/// How the only notice that waits for somebody was told, and when it is next.
async fn waiting(app: &TestApp, of: &Client) -> (Option<bool>, OffsetDateTime) {
    sqlx::query_as(
        "SELECT p.together, p.due_at FROM notifications.push p JOIN notifications.push_device d ON d.id = p.device
         WHERE d.owner = $1",
    )
    .bind(of.user)
    .fetch_one(&app.sql)
    .await
    .unwrap()
}

/// Who asked without an answer may have delivered it, and says the same again; for whom nobody was asked may be told otherwise.
#[actix_web::test]
async fn a_service_that_does_not_answer_is_left_alone_for_a_while() {
    let (app, service) = (TestApp::start().await, Service::start());
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for (who, name) in [(&ana, "ana"), (&bia, "bia")] {
        let gone = Browser {
            endpoint: format!("http://{nobody}/{name}"),
            ..Browser::at(&service, name)
        };
        gone.subscribe(who).await;
    }
    let begun = app.context.now();
    for (who, told) in [(&ana, Some(false)), (&bia, None)] {
        notice(&app, who).await;
        work(&app).await;
        let (together, due_at) = waiting(&app, who).await;
        assert_eq!(together, told);
        assert!(due_at >= begun + Duration::seconds(30), "{due_at}");
    }
}

/// So that all of a round is over before another node may take what it took.
#[actix_web::test]
async fn a_round_sends_so_much_and_the_rest_comes_again() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let phone = Browser::at(&service, "phone");
    phone.subscribe(&ana).await;
    for _ in 0..130 {
        warning(&app, &ana).await;
    }
    work(&app).await;
    let first = service.came();
    assert_eq!(first.len(), 128);
    app.clock.advance(Duration::seconds(46));
    wake(&app).await;
    let rest = service.came();
    assert_eq!(rest.len(), 2);
    let mut tags: Vec<String> = phone
        .told(&[first, rest].concat())
        .iter()
        .map(|told| told["tag"].to_string())
        .collect();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 130, "each once");
}

/// Whoever stops a node waits for the job that it has, not for all that is due.
#[actix_web::test]
async fn a_job_ends_after_a_few_rounds_and_the_next_has_the_rest() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    Browser::at(&service, "phone").subscribe(&ana).await;
    sqlx::query(
        "INSERT INTO notifications.push_device (id, owner, session, endpoint, p256dh, auth, name, since, hour_from)
         SELECT gen_random_uuid(), owner, session, endpoint || n, p256dh, auth, name, since, hour_from
         FROM notifications.push_device, generate_series(1, 329) n",
    )
    .execute(&app.sql)
    .await
    .unwrap();
    work(&app).await;
    notice(&app, &ana).await;
    drain(&app).await;
    jobs::round(&app.context).await.unwrap();
    assert_eq!(service.came().len(), 320, "eight rounds of forty devices");
    while jobs::round(&app.context).await.unwrap() > 0 {}
    assert_eq!(service.came().len(), 10);
}
