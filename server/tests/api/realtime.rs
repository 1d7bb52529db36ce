//! Facts from the commit to a real socket: order, resume, refusal, revocation, two nodes.

use crate::kit::{Client, TestApp, live::Live};
use actors::bus::in_process::InProcess;
use protocol::{LiveEvent, StreamId};
use serde_json::json;

async fn happen(app: &TestApp, client: &Client, reason: &str) {
    let mut tx = app.context.db.begin().await.unwrap();
    tx.emit(
        StreamId::User(client.user),
        LiveEvent::UserChanged {
            reason: reason.into(),
        },
    );
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn a_cut_socket_gets_what_it_missed_once_and_in_order() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let stream = format!("user:{}", ana.user);
    let mut live = Live::open(&app, &ana).await;
    live.subscribe(&stream).await;
    happen(&app, &ana, "one").await;
    let first = live.fact("user.changed").await;
    assert_eq!(
        (first["seq"].as_i64(), first["event"]["reason"].as_str()),
        (Some(1), Some("one"))
    );
    drop(live);
    happen(&app, &ana, "two").await;
    happen(&app, &ana, "three").await;
    let mut again = Live::open(&app, &ana).await;
    again
        .say(&json!({"op": "subscribe", "stream": stream, "epoch": 1, "seq": 1}))
        .await;
    again.expect("subscribed").await;
    happen(&app, &ana, "four").await;
    for (seq, reason) in [(2, "two"), (3, "three"), (4, "four")] {
        let fact = again.expect("event").await;
        assert_eq!(
            (fact["seq"].as_i64(), fact["event"]["reason"].as_str()),
            (Some(seq), Some(reason))
        );
    }
}

#[actix_web::test]
async fn who_follows_from_where_the_profile_was_read_need_not_read_it_again() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let stream = format!("user:{}", ana.user);
    let place = async |of: &str| {
        let places = ana.get("/me").await.ok()["places"].clone();
        let places = places.as_array().unwrap().clone();
        let place = places.iter().find(|place| place["stream"] == of).unwrap();
        (place["epoch"].clone(), place["seq"].clone())
    };
    assert_eq!(
        place("public").await,
        (json!(1), json!(0)),
        "before its first fact"
    );
    let before = place(&stream).await;
    let mut live = Live::open(&app, &ana).await;
    let begun = live.subscribe(&stream).await;
    assert_eq!((begun["epoch"].clone(), begun["seq"].clone()), before);
    happen(&app, &ana, "one").await;
    let fact = live.fact("user.changed").await;
    assert_eq!(place(&stream).await, (fact["epoch"].clone(), fact["seq"].clone()));
    assert_ne!(
        place(&stream).await,
        before,
        "what happened since is another place"
    );
}

#[actix_web::test]
async fn what_cannot_be_replayed_is_a_reset() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    happen(&app, &ana, "one").await;
    happen(&app, &ana, "two").await;
    sqlx::query("DELETE FROM foundation.event WHERE seq = 1")
        .execute(&app.sql)
        .await
        .unwrap();
    let mut live = Live::open(&app, &ana).await;
    live.say(&json!({"op": "subscribe", "stream": format!("user:{}", ana.user), "epoch": 1, "seq": 0}))
        .await;
    let reset = live.expect("reset").await;
    assert_eq!(reset["seq"], 2);
}

#[actix_web::test]
async fn other_peoples_streams_and_unknown_ones_are_denied_alike() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let admin = app.admin("root").await;
    let mut live = Live::open(&app, &ana).await;
    let unknown = uuid::Uuid::now_v7();
    for stream in [
        format!("user:{}", bia.user),
        format!("ticket:{unknown}"),
        "queue:pix-deposits".into(),
        "queue:tickets".into(),
    ] {
        live.say(&json!({"op": "subscribe", "stream": stream})).await;
        let answer = live.next().await.unwrap();
        assert_eq!(answer, json!({"type": "denied", "stream": stream}));
    }
    let mut staff = Live::open(&app, &admin).await;
    staff.subscribe("queue:pix-deposits").await;
    staff.subscribe("queue:tickets").await;
    staff
        .say(&json!({"op": "subscribe", "stream": format!("user:{}", ana.user)}))
        .await;
    assert_eq!(staff.next().await.unwrap()["type"], "denied");
}

#[actix_web::test]
async fn a_ticket_opens_one_socket_and_bad_tokens_none() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let ticket = ana.post("/ws-ticket", &json!({})).await.ok()["ticket"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(Live::with_ticket(&app, &ticket).await.is_ok());
    assert_eq!(
        Live::with_ticket(&app, &ticket).await.err(),
        Some(4001),
        "a ticket is used once"
    );
    let late = ana.post("/ws-ticket", &json!({})).await.ok()["ticket"]
        .as_str()
        .unwrap()
        .to_owned();
    app.clock.advance(time::Duration::seconds(31));
    assert_eq!(
        Live::with_ticket(&app, &late).await.err(),
        Some(4001),
        "and lives 30 s"
    );
    let mut forged = Live::connect(&app).await;
    forged
        .say(&json!({"op": "auth", "token": "eyJhbGciOiJub25lIn0.e30."}))
        .await;
    assert_eq!(forged.closed().await, 4001);
    let mut rude = Live::open(&app, &ana).await;
    rude.raw("not json".into()).await;
    assert_eq!(rude.closed().await, 4006);
    let mut large = Live::open(&app, &ana).await;
    large.raw("x".repeat(70_000)).await;
    assert!(matches!(large.closed().await, 1009 | 1006));
}

#[actix_web::test]
async fn a_revoked_session_loses_its_sockets() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let mut live = Live::open(&app, &ana).await;
    app.live.revoke_session(ana.session);
    assert_eq!(live.closed().await, 4002);
}

#[actix_web::test]
async fn a_fact_of_one_node_reaches_the_sockets_of_another() {
    // No bus between them: the outbox poll alone brings it.
    let here = TestApp::start().await;
    let there = here.another_node(InProcess::alone()).await;
    let ana = here.user("ana").await;
    let mut live = Live::open(&there, &ana).await;
    live.subscribe(&format!("user:{}", ana.user)).await;
    for reason in ["one", "two", "three"] {
        happen(&here, &ana, reason).await;
    }
    for (seq, reason) in [(1, "one"), (2, "two"), (3, "three")] {
        let fact = live.expect("event").await;
        assert_eq!(
            (fact["seq"].as_i64(), fact["event"]["reason"].as_str()),
            (Some(seq), Some(reason))
        );
    }
}

/// What a load test says reaches all sockets, or one person's; where limits stand there is no such call.
#[actix_web::test]
async fn what_a_load_test_says_reaches_everyone_or_one_where_limits_are_lifted() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let mut live = Live::open(&app, &ana).await;
    live.subscribe("public").await;
    live.subscribe(&format!("user:{}", ana.user)).await;
    for (user, stream) in [
        (json!(bia.user), None),
        (json!(null), Some("public".to_owned())),
        (json!(ana.user), Some(format!("user:{}", ana.user))),
    ] {
        assert_eq!(say(&app, &json!({ "n": 7, "user": user })).await, 204);
        if let Some(stream) = stream {
            let fact = live.fact("announcement").await;
            assert_eq!(
                (&fact["stream"], &fact["event"]["params"]),
                (&json!(stream), &json!({ "n": "7" }))
            );
        }
    }
    let guarded = TestApp::start_with(true).await;
    assert_ne!(say(&guarded, &json!({ "n": 7 })).await, 204);
}

async fn say(app: &TestApp, body: &serde_json::Value) -> u16 {
    let page = format!("http://{}/dev/say", app.address);
    let said = reqwest::Client::new().post(&page).json(body).send().await;
    said.unwrap().status().as_u16()
}
