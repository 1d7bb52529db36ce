//! Rates belong to sessions: none uses up what another needs, least of all to end it.

use crate::kit::{Client, Reply, TestApp};
use reqwest::Method;
use serde_json::json;

async fn call(by: &Client, method: Method, path: &str) -> Reply {
    let request = by.request(method, path);
    by.send(request.json(&json!({}))).await
}

/// As often as it goes, at most so often; how often it went.
async fn exhaust(by: &Client, method: &Method, path: &str, most: usize) -> usize {
    for went in 0..most {
        if call(by, method.clone(), path).await.status == 429 {
            return went;
        }
    }
    panic!("{path} has no bound");
}

#[actix_web::test]
async fn a_stolen_session_uses_up_its_own_rate() {
    let app = TestApp::start_with(true).await;
    let ana = app.user("ana").await;
    let thief = app.another_session(&ana).await;
    for (method, path, most) in [
        (Method::POST, "/ws-ticket", 5_000),
        (Method::POST, "/me/email", 100),
        (Method::POST, "/security-code", 100),
    ] {
        exhaust(&thief, &method, path, most).await;
        let own = call(&ana, method.clone(), path).await;
        assert_ne!(own.status, 429, "{path}: {}", own.body);
    }
    assert_eq!(
        ana.delete(&format!("/sessions/{}", thief.session)).await.status,
        204
    );
    assert_eq!(thief.get("/me").await.status, 401);
}

/// However many a thief has: a person's sessions together have a bound, and what protects stands outside of it.
#[actix_web::test]
async fn no_number_of_sessions_keeps_an_owner_from_ending_them() {
    let app = TestApp::start_with(true).await;
    let ana = app.user("ana").await;
    let mut thieves = Vec::new();
    for _ in 0..6 {
        let thief = app.another_session(&ana).await;
        exhaust(&thief, &Method::POST, "/me/email", 100).await;
        exhaust(&thief, &Method::POST, "/security-code", 100).await;
        exhaust(&thief, &Method::POST, "/me/change-password", 100).await;
        thieves.push(thief);
    }
    let left = exhaust(&ana, &Method::POST, "/me/email", 100).await;
    assert!(left < 8, "{left} of the ten that a session has");
    for path in ["/me/change-password", "/security-code", "/setup-2fa"] {
        let own = call(&ana, Method::POST, path).await;
        assert_ne!(own.status, 429, "{path}: {}", own.body);
    }
    assert_eq!(
        ana.get("/sessions").await.ok()["data"].as_array().unwrap().len(),
        7
    );
    for thief in &thieves {
        assert_eq!(
            ana.delete(&format!("/sessions/{}", thief.session)).await.status,
            204
        );
    }
}
