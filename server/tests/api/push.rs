//! Notices pushed to devices: a push service on this machine takes them, and the browser behind it opens them
//! (docs/rules/notifications.md#push).

use crate::{
    identity::people::{mail, mails},
    kit::{
        Client, TestApp,
        push::{Browser, DEVICES, Service, claims},
    },
    notifications::{deposit, drain, inbox},
    quiet_hours::sleep,
};
use data_encoding::BASE64URL_NOPAD;
use protocol::{
    LiveEvent, StreamId,
    ids::{LookId, PixDepositId},
    views::PixDepositStatus,
};
use serde_json::{Value, json};
use server::{
    foundation::job_queue::NewJob,
    jobs,
    notifications::push::{PUSH, sealing},
};
use time::Duration;

/// All that is due.
pub async fn work(app: &TestApp) {
    drain(app).await;
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

/// As every minute does.
pub async fn wake(app: &TestApp) {
    let mut tx = app.context.db.begin().await.unwrap();
    let job = NewJob::new(PUSH, format!("{PUSH}:{}", uuid::Uuid::now_v7()), &()).unwrap();
    tx.enqueue(job);
    tx.commit().await.unwrap();
    work(app).await;
}

/// A notice of the group `money_in`.
pub async fn notice(app: &TestApp, who: &Client) {
    deposit(app, who, PixDepositId::fresh(), PixDepositStatus::Approved, 1).await;
}

/// One of the group `security`.
pub async fn warning(app: &TestApp, who: &Client) {
    let mut tx = app.context.db.begin().await.unwrap();
    tx.emit(
        StreamId::User(who.user),
        LiveEvent::AccountSeen {
            look: LookId::fresh(),
            by: "rui".into(),
            role: "administrator".into(),
            reason: "chamado".into(),
        },
    );
    tx.commit().await.unwrap();
}

async fn devices(client: &Client) -> Vec<Value> {
    let seen = client.get(DEVICES).await.ok();
    seen["devices"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn a_notice_reaches_its_readers_device_sealed_for_it_alone() {
    let (app, service) = (TestApp::start().await, Service::start());
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let (phone, other) = (Browser::at(&service, "ana"), Browser::at(&service, "bia"));
    let device = phone.subscribe(&ana).await;
    other.subscribe(&bia).await;
    assert_eq!(
        (&device["name"], &device["lastSentAt"]),
        (&json!("Firefox, Linux"), &Value::Null)
    );
    notice(&app, &ana).await;
    work(&app).await;
    let came = service.came();
    assert_eq!(came.len(), 1, "one, and nothing for anybody else");
    let lines = inbox(&ana).await;
    let line = &lines["data"][0];
    let told = &phone.told(&came)[0];
    assert_eq!(
        told,
        &json!({ "id": line["id"], "tag": line["id"], "title": "Entradas", "url": "/wallet/my-deposits-pix", "at": line["at"],
            "text": "Depósito PIX de 50,00\u{a0}USDT aprovado. Valor já disponível no saldo." })
    );
    assert_eq!(other.open(&came[0].body), None, "nobody else reads it");
    let header = |name: &str| came[0].headers[name].as_str();
    assert_eq!(header("content-encoding"), "aes128gcm");
    assert_eq!(header("urgency"), "normal");
    assert_eq!(header("topic"), line["id"].as_str().unwrap().replace('-', ""));
    let ttl: i64 = header("ttl").parse().unwrap();
    assert!((80_000..=86_400).contains(&ttl), "{ttl}");
    let key = ana.get(DEVICES).await.ok()["key"].as_str().unwrap().to_owned();
    let claims = claims(&came[0], &key);
    assert_eq!(claims["aud"], service.url);
    assert_eq!(claims["sub"], "mailto:privacidade@arbora.example");
    let life = claims["exp"].as_i64().unwrap() - app.context.now().unix_timestamp();
    assert!((1..=86_400).contains(&life), "{life}");
    let seen = devices(&ana).await;
    assert_eq!(
        (&seen[0]["id"], seen[0]["lastSentAt"].is_string()),
        (&device["id"], true)
    );
    wake(&app).await;
    assert!(service.came().is_empty(), "told once");
}

#[actix_web::test]
async fn devices_are_ones_own_and_a_browser_is_one() {
    let (app, service) = (TestApp::start().await, Service::start());
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let phone = Browser::at(&service, "phone");
    let device = phone.subscribe(&ana).await;
    let one = format!("{DEVICES}/{}", device["id"].as_str().unwrap());
    bia.delete(&one).await.refused(404, "request.not_found");
    bia.post(&format!("{one}/try"), &json!({}))
        .await
        .refused(404, "request.not_found");
    assert!(devices(&bia).await.is_empty());
    // The same again, with other keys: the browser made them anew.
    let anew = phone.anew();
    assert_eq!(anew.subscribe(&ana).await["id"], device["id"]);
    assert_eq!(devices(&ana).await.len(), 1);
    notice(&app, &ana).await;
    work(&app).await;
    assert_eq!(anew.told(&service.came()).len(), 1);
    // Somebody else signs in there.
    let hers = anew.subscribe(&bia).await;
    assert_ne!(hers["id"], device["id"]);
    assert!(devices(&ana).await.is_empty());
    notice(&app, &ana).await;
    work(&app).await;
    assert!(service.came().is_empty(), "of the one before nothing comes there");
    // Of one more than ten the oldest goes.
    let mut ids = vec![hers["id"].clone()];
    for number in 1..=10 {
        let more = Browser::at(&service, &format!("more-{number}"));
        ids.push(more.subscribe(&bia).await["id"].clone());
    }
    let kept: Vec<Value> = devices(&bia).await.iter().map(|d| d["id"].clone()).collect();
    assert_eq!(kept, ids[1..]);
    let newest = format!("{DEVICES}/{}", ids[10].as_str().unwrap());
    assert_eq!(bia.delete(&newest).await.status, 204);
    assert_eq!(devices(&bia).await.len(), 9);
    bia.delete(&newest).await.refused(404, "request.not_found");
    let actions: Vec<String> = sqlx::query_scalar(
        "SELECT action FROM foundation.audit WHERE subject = $1 AND action LIKE 'notifications.push%' ORDER BY id",
    )
    .bind(ana.user)
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert_eq!(
        actions,
        ["notifications.push_added", "notifications.push_removed"]
    );
}

#[actix_web::test]
async fn whoever_holds_one_session_drives_out_its_own_devices_alone() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let thief = app.another_session(&ana).await;
    let phone = Browser::at(&service, "phone").subscribe(&ana).await;
    for number in 1..=12 {
        Browser::at(&service, &format!("invented-{number}"))
            .subscribe(&thief)
            .await;
    }
    let kept = devices(&ana).await;
    assert_eq!(kept.len(), 10);
    assert_eq!(kept[0]["id"], phone["id"]);
}

/// Whoever holds a stolen session silences nobody unheard.
#[actix_web::test]
async fn a_device_that_another_session_takes_off_is_told_to_its_owner() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let away = app.another_session(&ana).await;
    let (here, there) = (Browser::at(&service, "here"), Browser::at(&service, "there"));
    let own = here.subscribe(&ana).await;
    let path = |device: &Value| format!("{DEVICES}/{}", device["id"].as_str().unwrap());
    let told = async || {
        work(&app).await;
        let lines = inbox(&ana).await["data"].as_array().unwrap().clone();
        assert!(lines.iter().all(|line| line["code"] == "push_device_removed"));
        (
            lines.len(),
            mails(&app, "ana@example.com", "safety_changed").await,
        )
    };
    // By its own session, and by the end of it: no news.
    let device = there.subscribe(&away).await;
    assert_eq!(away.delete(&path(&device)).await.status, 204);
    assert_eq!(told().await, (0, 0));
    let device = there.subscribe(&away).await;
    assert_eq!(ana.delete(&path(&device)).await.status, 204);
    assert_eq!(told().await, (1, 1));
    let lines = inbox(&ana).await;
    let line = &lines["data"][0];
    assert_eq!(
        (&line["group"], &line["params"]["device"]),
        (&json!("security"), &json!("Firefox, Linux"))
    );
    let came = service.came();
    let (pushed, silent) = (here.told(&came), there.told(&came));
    assert_eq!((pushed.len(), silent.len()), (1, 0));
    assert_eq!(
        (&pushed[0]["title"], &pushed[0]["url"]),
        (&json!("Segurança"), &json!("/account-setting?tab=notifications"))
    );
    let letter = mail(&app, "ana@example.com", "safety_changed").await;
    assert!(letter.contains("foi removido em outra sessão"), "{letter}");
    // However often: each has its line, and an hour a few mails.
    for _ in 0..4 {
        let device = there.subscribe(&away).await;
        assert_eq!(ana.delete(&path(&device)).await.status, 204);
    }
    assert_eq!(told().await, (5, 3));
    there.subscribe(&away).await;
    let session = format!("/sessions/{}", away.session);
    assert!((200..300).contains(&ana.delete(&session).await.status));
    assert_eq!(ana.delete(&path(&own)).await.status, 204);
    assert_eq!(told().await, (5, 3));
    assert!(devices(&ana).await.is_empty());
    // Of who decides about money their owner alone hears as well: nobody comes in by it.
    app.admin("rui").await;
    let leo = app.admin("leo").await;
    let away = app.another_session(&leo).await;
    let device = there.subscribe(&away).await;
    assert_eq!(leo.delete(&path(&device)).await.status, 204);
    work(&app).await;
    assert_eq!(mails(&app, "leo@example.com", "safety_changed").await, 1);
    assert_eq!(mails(&app, "rui@example.com", "admin_rights").await, 0);
}

/// Of one more than ten somebody else's goes where the asking session has none: that is told as well.
#[actix_web::test]
async fn a_device_that_one_more_drives_out_is_told_where_another_session_had_it() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    for number in 1..=10 {
        Browser::at(&service, &format!("hers-{number}"))
            .subscribe(&ana)
            .await;
    }
    let away = app.another_session(&ana).await;
    Browser::at(&service, "eleventh").subscribe(&away).await;
    drain(&app).await;
    let lines = inbox(&ana).await;
    assert_eq!((&lines["unread"], devices(&ana).await.len()), (&json!(1), 10));
    assert_eq!(lines["data"][0]["code"], "push_device_removed");
}

#[actix_web::test]
async fn only_named_services_and_what_browsers_give_are_taken() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let phone = Browser::at(&service, "phone");
    let with = |field: &str, value: &str| {
        let mut given = phone.given();
        given[field] = json!(value);
        given
    };
    for endpoint in [
        "https://push.example.org/a",
        "http://127.0.0.2:9/a",
        "http://localhost:9/a",
        "https://fcm.googleapis.com:8443/a",
        "http://fcm.googleapis.com/a",
        "file:///etc/passwd",
        "",
    ] {
        let reply = ana.post(DEVICES, &with("endpoint", endpoint)).await;
        reply.refused(422, "push.host_unknown");
        assert!(reply.body["errors"]["endpoint"].is_array(), "{endpoint}");
    }
    let padded = format!("{}=", BASE64URL_NOPAD.encode(&phone.point()));
    for (field, value) in [
        ("p256dh", "AAAA"),
        ("p256dh", padded.as_str()),
        ("auth", "AAAA"),
        ("name", " "),
    ] {
        let reply = ana.post(DEVICES, &with(field, value)).await;
        reply.refused(422, "request.invalid");
        assert!(reply.body["errors"][field].is_array(), "{field}");
    }
    assert!(devices(&ana).await.is_empty());
    // Brought to one form, a browser is the same one.
    let plain = with("endpoint", "https://fcm.googleapis.com/fcm/send/a");
    let loud = with("endpoint", "https://FCM.googleapis.com:443/fcm/send/a");
    let first = ana.post(DEVICES, &plain).await.ok();
    assert_eq!(ana.post(DEVICES, &loud).await.ok()["id"], first["id"]);
}

#[actix_web::test]
async fn a_device_that_its_service_no_longer_knows_is_taken_off() {
    for status in [404, 410] {
        let (app, service) = (TestApp::start().await, Service::start());
        let ana = app.user("ana").await;
        Browser::at(&service, "phone").subscribe(&ana).await;
        service.says(status, None);
        notice(&app, &ana).await;
        work(&app).await;
        assert_eq!(service.came().len(), 1);
        assert!(devices(&ana).await.is_empty(), "{status}");
        notice(&app, &ana).await;
        wake(&app).await;
        assert!(service.came().is_empty());
    }
}

#[actix_web::test]
async fn groups_are_switched_but_for_safety() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let row = |seen: &Value, group: &str| {
        let mut rows = seen["data"].as_array().unwrap().iter();
        rows.find(|row| row["group"] == group).unwrap()["push"].clone()
    };
    let seen = ana.get("/notifications/preferences").await.ok();
    assert_eq!(row(&seen, "money_in"), Value::Null, "there is no device");
    let phone = Browser::at(&service, "phone");
    phone.subscribe(&ana).await;
    let seen = ana.get("/notifications/preferences").await.ok();
    assert_eq!(
        (row(&seen, "money_in"), row(&seen, "security")),
        (json!(true), json!(true))
    );
    let off = json!({ "group": "money_in", "push": false });
    let changed = ana.patch("/notifications/preferences", &off).await.ok();
    assert_eq!(
        (&changed["push"], &changed["toast"]),
        (&json!(false), &json!(true))
    );
    notice(&app, &ana).await;
    work(&app).await;
    assert!(service.came().is_empty());
    assert_eq!(inbox(&ana).await["unread"], 1, "the inbox is always written");
    let safety = json!({ "group": "security", "push": false });
    ana.patch("/notifications/preferences", &safety)
        .await
        .refused(409, "notifications.locked");
    warning(&app, &ana).await;
    work(&app).await;
    let came = service.came();
    assert_eq!(phone.told(&came)[0]["title"], "Segurança");
    assert_eq!(came[0].headers["urgency"], "high");
    // What waits of a group goes with the wish.
    let on = json!({ "group": "money_in", "push": true });
    ana.patch("/notifications/preferences", &on).await.ok();
    notice(&app, &ana).await;
    drain(&app).await;
    ana.patch("/notifications/preferences", &off).await.ok();
    work(&app).await;
    assert!(service.came().is_empty());
}

#[actix_web::test]
async fn quiet_hours_hold_what_can_wait_and_what_was_read_is_not_told() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let phone = Browser::at(&service, "phone");
    phone.subscribe(&ana).await;
    sleep(&app, &ana).await;
    notice(&app, &ana).await;
    warning(&app, &ana).await;
    work(&app).await;
    let told = phone.told(&service.came());
    assert_eq!((told.len(), &told[0]["title"]), (1, &json!("Segurança")));
    app.clock.advance(Duration::hours(3));
    wake(&app).await;
    let told = phone.told(&service.came());
    assert_eq!((told.len(), &told[0]["title"]), (1, &json!("Entradas")));
    // Another night: read before its end.
    let ana = app.renew(&ana);
    sleep(&app, &ana).await;
    notice(&app, &ana).await;
    work(&app).await;
    ana.post("/notifications/read-all", &json!({})).await.ok();
    app.clock.advance(Duration::hours(3));
    wake(&app).await;
    assert!(service.came().is_empty());
}

#[actix_web::test]
async fn who_is_signed_out_there_is_told_nothing_there() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let away = app.another_session(&ana).await;
    let (here, there) = (Browser::at(&service, "here"), Browser::at(&service, "there"));
    here.subscribe(&ana).await;
    there.subscribe(&away).await;
    assert_eq!(devices(&ana).await.len(), 2);
    // Written before, sent after.
    notice(&app, &ana).await;
    drain(&app).await;
    let session = format!("/sessions/{}", away.session);
    assert!((200..300).contains(&ana.delete(&session).await.status));
    work(&app).await;
    let came = service.came();
    assert_eq!((here.told(&came).len(), there.told(&came).len()), (1, 0));
    assert_eq!(devices(&ana).await.len(), 1);
    // A session that ran out by itself.
    sqlx::query("UPDATE identity.session SET expires_at = $2 WHERE id = $1")
        .bind(ana.session)
        .bind(app.context.now() - Duration::SECOND)
        .execute(&app.sql)
        .await
        .unwrap();
    notice(&app, &ana).await;
    work(&app).await;
    assert!(service.came().is_empty());
}

#[actix_web::test]
async fn a_deactivated_account_is_told_nothing_more() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    Browser::at(&service, "phone").subscribe(&ana).await;
    notice(&app, &ana).await;
    drain(&app).await;
    sqlx::query("UPDATE identity.account SET status = 'inactive', status_reason = 'teste' WHERE id = $1")
        .bind(ana.user)
        .execute(&app.sql)
        .await
        .unwrap();
    work(&app).await;
    assert!(service.came().is_empty());
    let left: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM notifications.push_device) + (SELECT count(*) FROM notifications.push)",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(left, 0, "nothing stays of it");
}

/// Whoever is killed between sending and its mark sends the same message once more, and the browser shows it in the first one's place.
#[actix_web::test]
async fn a_sender_that_is_killed_sends_the_same_message_again() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let phone = Browser::at(&service, "phone");
    phone.subscribe(&ana).await;
    *service.state.silent.lock().unwrap() = true;
    notice(&app, &ana).await;
    drain(&app).await;
    tokio::select! {
        done = jobs::round(&app.context) => panic!("{done:?}"),
        () = service.state.arrived.notified() => {}
    }
    *service.state.silent.lock().unwrap() = false;
    let first = service.came();
    // Whose it is may be alive still.
    wake(&app).await;
    assert!(service.came().is_empty());
    // More came meanwhile: what was begun alone stays alone.
    for _ in 0..3 {
        notice(&app, &ana).await;
    }
    drain(&app).await;
    app.clock.advance(Duration::seconds(61));
    work(&app).await;
    let again = service.came();
    let (one, all) = (phone.told(&first).remove(0), phone.told(&again));
    assert_eq!(all.len(), 4);
    assert_eq!(all.iter().filter(|told| told["tag"] == one["tag"]).count(), 1);
    assert!(all.contains(&one), "the very same message");
    let topic = &first[0].headers["topic"];
    assert_eq!(
        again
            .iter()
            .filter(|came| &came.headers["topic"] == topic)
            .count(),
        1
    );
    wake(&app).await;
    assert!(service.came().is_empty());
}

#[actix_web::test]
async fn a_service_that_cannot_now_is_asked_again_when_it_says_within_a_day() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let phone = Browser::at(&service, "phone");
    phone.subscribe(&ana).await;
    service.says(429, Some("120"));
    notice(&app, &ana).await;
    work(&app).await;
    assert_eq!(service.came().len(), 1);
    app.clock.advance(Duration::seconds(60));
    wake(&app).await;
    assert!(service.came().is_empty(), "not before it says");
    service.says(503, None);
    app.clock.advance(Duration::seconds(61));
    wake(&app).await;
    assert_eq!(service.came().len(), 1);
    service.says(201, None);
    app.clock.advance(Duration::seconds(10));
    wake(&app).await;
    assert_eq!(phone.told(&service.came()).len(), 1);
    // One that is never taken is old one day.
    service.says(503, None);
    notice(&app, &ana).await;
    work(&app).await;
    assert_eq!(service.came().len(), 1);
    app.clock.advance(Duration::hours(24));
    service.says(201, None);
    wake(&app).await;
    assert!(service.came().is_empty());
    // What is refused is not said again.
    service.says(413, None);
    notice(&app, &app.renew(&ana)).await;
    work(&app).await;
    assert_eq!(service.came().len(), 1);
    app.clock.advance(Duration::HOUR);
    wake(&app).await;
    assert!(service.came().is_empty());
    assert_eq!(devices(&app.renew(&ana)).await.len(), 1);
}

#[actix_web::test]
async fn many_are_told_as_one_and_an_hour_has_its_most() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await;
    let phone = Browser::at(&service, "phone");
    phone.subscribe(&ana).await;
    for _ in 0..5 {
        notice(&app, &ana).await;
    }
    work(&app).await;
    let came = service.came();
    let told = phone.told(&came);
    assert_eq!(told.len(), 1);
    assert_eq!(
        (&told[0]["text"], &told[0]["tag"], &told[0]["url"]),
        (
            &json!("5 avisos novos."),
            &json!("notices"),
            &json!("/notifications")
        )
    );
    assert_eq!(came[0].headers["topic"], "notices");
    for _ in 0..11 {
        notice(&app, &ana).await;
        work(&app).await;
    }
    assert_eq!(service.came().len(), 11, "twelve in all");
    for _ in 0..2 {
        notice(&app, &ana).await;
        work(&app).await;
    }
    assert!(service.came().is_empty());
    warning(&app, &ana).await;
    work(&app).await;
    assert_eq!(phone.told(&service.came())[0]["title"], "Segurança");
    app.clock.advance(Duration::HOUR);
    wake(&app).await;
    assert_eq!(service.came().len(), 2, "the rest of it, in the next");
}

#[actix_web::test]
async fn a_device_is_tried_by_its_owner_now_and_then() {
    let (app, service) = (TestApp::start().await, Service::start());
    let ana = app.user("ana").await.locale("en");
    let phone = Browser::at(&service, "phone");
    let device = phone.subscribe(&ana).await;
    let path = format!("{DEVICES}/{}/try", device["id"].as_str().unwrap());
    assert_eq!(ana.post(&path, &json!({})).await.status, 204);
    let told = phone.told(&service.came());
    assert_eq!(
        (&told[0]["tag"], &told[0]["url"]),
        (&json!("try"), &json!("/account-setting?tab=notifications"))
    );
    assert!(devices(&ana).await[0]["lastSentAt"].is_string());
    ana.post(&path, &json!({}))
        .await
        .refused(429, "request.rate_limited");
    assert!(service.came().is_empty());
    app.clock.advance(Duration::seconds(11));
    service.says(503, None);
    ana.post(&path, &json!({}))
        .await
        .refused(503, "service.unavailable");
    app.clock.advance(Duration::seconds(11));
    service.says(410, None);
    ana.post(&path, &json!({})).await.refused(409, "push.gone");
    assert!(devices(&ana).await.is_empty());
}

/// What is longest of it fits what services take.
#[actix_web::test]
async fn an_announcement_goes_to_every_device_of_who_reads_it() {
    let (app, service) = (TestApp::start().await, Service::start());
    let (ana, admin) = (app.user("ana").await, app.admin("rui").await);
    let (phone, desk) = (Browser::at(&service, "phone"), Browser::at(&service, "desk"));
    phone.subscribe(&ana).await;
    desk.subscribe(&ana).await;
    let title = "ç".repeat(70);
    let words = |word: &str| json!({ "pt": word, "en": word, "es": word });
    let new = json!({ "id": uuid::Uuid::now_v7(), "title": words(&title), "text": words("Amanhã.") });
    admin.post("/admin/notices", &new).await.ok();
    work(&app).await;
    let came = service.came();
    assert_eq!((phone.told(&came).len(), desk.told(&came).len()), (1, 1));
    let told = &phone.told(&came)[0];
    assert!(told["text"].as_str().unwrap().contains(&title), "{told}");
    let path = format!("/notifications?announcement={}", new["id"].as_str().unwrap());
    assert_eq!(told["url"], path);
    assert!(came.iter().all(|one| one.body.len() < sealing::MOST));
}
