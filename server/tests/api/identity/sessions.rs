//! Refresh rotation, reuse, devices, signing out.

use super::people::{PASSWORD, cookie, login, member, signed_in, with_cookie};
use crate::kit::{TestApp, live::Live};
use reqwest::Method;
use time::Duration;

#[actix_web::test]
async fn a_refresh_token_rotates_and_the_previous_is_good_once_more() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let first = with_cookie(&app, "/auth/refresh", &ana.refresh).await;
    assert_eq!(first.status, 200, "{}", first.body);
    let second = cookie(&first.headers, "token").unwrap();
    assert_ne!(second, ana.refresh);
    app.clock.advance(Duration::seconds(29));
    let lost = with_cookie(&app, "/auth/refresh", &ana.refresh).await;
    assert_eq!(
        (lost.status, cookie(&lost.headers, "token").unwrap()),
        (200, second.clone()),
        "the same successor"
    );
    assert_eq!(with_cookie(&app, "/auth/refresh", &second).await.status, 200);
}

#[actix_web::test]
async fn reuse_ends_the_family() {
    for wait in [1, 31] {
        let app = TestApp::start().await;
        let ana = member(&app, "Ana", "arbora").await;
        let second = cookie(
            &with_cookie(&app, "/auth/refresh", &ana.refresh).await.headers,
            "token",
        )
        .unwrap();
        if wait == 1 {
            // Once more within 30 s is fine; a third time is not.
            assert_eq!(with_cookie(&app, "/auth/refresh", &ana.refresh).await.status, 200);
        }
        app.clock.advance(Duration::seconds(wait));
        let reused = with_cookie(&app, "/auth/refresh", &ana.refresh).await;
        reused.refused(401, "auth.unauthenticated");
        assert_eq!(
            cookie(&reused.headers, "token").as_deref(),
            Some(""),
            "the cookies are taken away"
        );
        with_cookie(&app, "/auth/refresh", &second)
            .await
            .refused(401, "auth.unauthenticated");
        ana.client
            .get("/sessions")
            .await
            .refused(401, "auth.unauthenticated");
        let reason: String = sqlx::query_scalar("SELECT end_reason FROM identity.session WHERE id = $1")
            .bind(ana.client.session.0)
            .fetch_one(&app.sql)
            .await
            .unwrap();
        assert_eq!(reason, "reuse");
    }
}

#[actix_web::test]
async fn of_many_refreshes_at_once_at_most_two_get_the_one_successor() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let all =
        futures_util::future::join_all((0..2).map(|_| with_cookie(&app, "/auth/refresh", &ana.refresh)))
            .await;
    let tokens: Vec<_> = all
        .iter()
        .map(|r| (r.status, cookie(&r.headers, "token")))
        .collect();
    assert!(tokens.iter().all(|t| *t == tokens[0] && t.0 == 200), "{tokens:?}");
}

#[actix_web::test]
async fn made_up_and_expired_tokens_change_nothing() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    for bad in ["", "x", "AAAA", &ana.refresh[..40], &format!("{}A", ana.refresh)] {
        with_cookie(&app, "/auth/refresh", bad)
            .await
            .refused(401, "auth.unauthenticated");
    }
    assert_eq!(with_cookie(&app, "/auth/refresh", &ana.refresh).await.status, 200);
    let reply = login(&app, &ana.email, PASSWORD).await;
    let again = signed_in(&app, &reply, &ana.email, PASSWORD);
    app.clock.advance(Duration::days(31));
    with_cookie(&app, "/auth/refresh", &again.refresh)
        .await
        .refused(401, "auth.unauthenticated");
}

#[actix_web::test]
async fn cookies_act_from_our_own_pages_only() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let stranger = app.anonymous();
    for path in ["/auth/refresh", "/auth/logout"] {
        for (origin, header) in [
            (None, true),
            (Some("https://evil.example"), true),
            (Some("null"), true),
            (Some("http://127.0.0.1"), false),
        ] {
            let mut request = stranger
                .request(Method::POST, path)
                .header("Cookie", format!("token={}", ana.refresh));
            if let Some(origin) = origin {
                request = request.header("Origin", origin);
            }
            if header {
                request = request.header("X-Arbora", "1");
            }
            stranger.send(request).await.refused(403, "origin.refused");
        }
    }
    assert_eq!(
        ana.client.get("/sessions").await.status,
        200,
        "nobody was signed out"
    );
}

#[actix_web::test]
async fn signing_out_ends_the_session_and_takes_the_cookies() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let reply = with_cookie(&app, "/auth/logout", &ana.refresh).await;
    assert_eq!(reply.status, 204);
    assert_eq!(cookie(&reply.headers, "token").as_deref(), Some(""));
    assert_eq!(cookie(&reply.headers, "signed_in").as_deref(), Some(""));
    ana.client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    with_cookie(&app, "/auth/refresh", &ana.refresh)
        .await
        .refused(401, "auth.unauthenticated");
    assert_eq!(
        with_cookie(&app, "/auth/logout", &ana.refresh).await.status,
        204,
        "twice does no harm"
    );
}

#[actix_web::test]
async fn devices_are_listed_and_ended_by_their_owner_only() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let bia = member(&app, "Bia", "arbora").await;
    let reply = login(&app, &ana.email, PASSWORD).await;
    let phone = signed_in(&app, &reply, &ana.email, PASSWORD);
    let list = ana.client.get("/sessions").await.ok();
    let list = list["data"].as_array().unwrap();
    assert_eq!(list.len(), 2);
    assert_eq!(list.iter().filter(|s| s["current"] == true).count(), 1);
    assert!(
        list.iter()
            .all(|s| s["address"] == "127.0.0.1" && s["lastUsedAt"].is_string()),
        "{list:?}"
    );
    bia.client
        .delete(&format!("/sessions/{}", phone.client.session))
        .await
        .refused(404, "request.not_found");
    ana.client
        .delete("/sessions/not-an-id")
        .await
        .refused(404, "request.not_found");
    assert_eq!(
        ana.client
            .delete(&format!("/sessions/{}", phone.client.session))
            .await
            .status,
        204
    );
    phone
        .client
        .get("/sessions")
        .await
        .refused(401, "auth.unauthenticated");
    ana.client
        .delete(&format!("/sessions/{}", phone.client.session))
        .await
        .refused(404, "request.not_found");
    assert_eq!(
        ana.client.get("/sessions").await.ok()["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[actix_web::test]
async fn sockets_close_with_their_session_and_ask_again_when_rights_change() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    let admin = app.admin("rui").await;
    let mut live = Live::open(&app, &ana.client).await;
    let role: uuid::Uuid = sqlx::query_scalar("SELECT id FROM identity.role WHERE name = 'salesperson'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    admin
        .patch(
            &format!("/roles/{}/add-role", ana.client.user),
            &serde_json::json!({"roles": [role]}),
        )
        .await
        .ok();
    assert_eq!(live.closed().await, 4003);
    let mut live = Live::open(&app, &ana.client).await;
    assert_eq!(with_cookie(&app, "/auth/logout", &ana.refresh).await.status, 204);
    assert_eq!(live.closed().await, 4002);
}

#[actix_web::test]
async fn a_session_that_ended_elsewhere_changes_nothing_as_staff_from_that_moment() {
    let app = TestApp::start().await;
    let (admin, ana) = (app.admin("rui").await, app.user("ana").await);
    admin.get("/admin/roles").await.ok(); // the session is in the cache now
    // As another node would end it: this one has not heard of it yet.
    sqlx::query("UPDATE identity.session SET ended_at = now() WHERE id = $1")
        .bind(admin.session.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let role: uuid::Uuid = sqlx::query_scalar("SELECT id FROM identity.role WHERE name = 'salesperson'")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    admin
        .patch(
            &format!("/roles/{}/add-role", ana.user),
            &serde_json::json!({"roles": [role]}),
        )
        .await
        .refused(401, "auth.unauthenticated");
}

#[actix_web::test]
async fn hashing_is_bounded_and_says_when_it_is_busy() {
    let app = TestApp::start().await;
    let hashing = &app.context.hashing;
    let running = hashing.running.clone().acquire_many_owned(2).await.unwrap();
    let queue = u32::try_from(hashing.admitted.available_permits()).unwrap();
    assert_eq!(queue, 2 + 32);
    let full = hashing.admitted.clone().acquire_many_owned(queue).await.unwrap();
    let busy = login(&app, "nobody@example.com", PASSWORD).await;
    busy.refused(503, "service.busy");
    assert!(busy.headers.contains_key("retry-after"));
    drop((full, running));
    login(&app, "nobody@example.com", PASSWORD)
        .await
        .refused(401, "auth.failed");
}
