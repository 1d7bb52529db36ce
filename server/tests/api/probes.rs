//! What those who run the house ask a server.

use crate::kit::{Client, TestApp};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use server::{
    app::{api, probes::Probes},
    routes::PROBES,
};
use sqlx::Executor;
use time::Duration;
use tokio::sync::Mutex;

/// A request outside of `/api`.
fn asked(app: &TestApp, method: Method, path: &str) -> RequestBuilder {
    reqwest::Client::new().request(method, format!("http://{}{path}", app.address))
}

async fn get(app: &TestApp, path: &str) -> Response {
    asked(app, Method::GET, path).send().await.unwrap()
}

async fn ready(app: &TestApp) -> (u16, Value) {
    // Behind what was kept of the last look.
    app.clock.advance(Duration::seconds(2));
    let response = get(app, "/readyz").await;
    (response.status().as_u16(), response.json().await.unwrap())
}

#[actix_web::test]
async fn a_server_that_can_serve_says_so() {
    let app = TestApp::start().await;
    let alive = get(&app, "/healthz").await;
    assert_eq!(alive.headers()["cache-control"], "no-store");
    assert_eq!(
        (alive.status(), alive.text().await.unwrap()),
        (StatusCode::OK, "ok".to_owned())
    );
    let fine = json!({"ready": true, "reasons": [], "degraded": []});
    assert_eq!(ready(&app).await, (200, fine));
    // Not the pages, which answer for every other path.
    for (path, _) in PROBES {
        let posted = asked(&app, Method::POST, path).send().await.unwrap();
        assert!(posted.status().is_client_error(), "{path}");
        assert_ne!(
            get(&app, path).await.headers()["content-type"],
            "text/html; charset=utf-8",
            "{path}"
        );
    }
}

#[actix_web::test]
async fn a_schema_that_lacks_a_migration_is_a_reason_and_a_newer_one_is_not() {
    let app = TestApp::start().await;
    app.sql
        .execute("UPDATE _sqlx_migrations SET version = version + 1000000 WHERE version = (SELECT max(version) FROM _sqlx_migrations)")
        .await
        .unwrap();
    let newer = json!({"ready": true, "reasons": [], "degraded": ["update"]});
    assert_eq!(ready(&app).await, (200, newer));
    app.sql
        .execute("DELETE FROM _sqlx_migrations WHERE version > 1000000")
        .await
        .unwrap();
    let older = json!({"ready": false, "reasons": ["schema"], "degraded": []});
    assert_eq!(ready(&app).await, (503, older));
}

#[actix_web::test]
async fn a_database_that_does_not_answer_is_a_reason_and_is_asked_once_a_second() {
    let app = TestApp::start().await;
    assert_eq!(ready(&app).await.0, 200);
    app.context.db.aside().pool().close().await;
    // Within the second nobody asks.
    assert_eq!(get(&app, "/readyz").await.status(), 200);
    let gone = json!({"ready": false, "reasons": ["database"], "degraded": []});
    assert_eq!(ready(&app).await, (503, gone));
    assert_eq!(get(&app, "/healthz").await.status(), 200);
}

#[actix_web::test]
async fn a_server_that_stops_says_so_at_once_and_closes_behind_each_answer() {
    let app = TestApp::start().await;
    for path in ["/readyz", "/api/config", "/healthz"] {
        assert!(
            get(&app, path).await.headers().get("connection").is_none(),
            "{path}"
        );
    }
    app.face.probes.stop();
    let response = get(&app, "/readyz").await;
    assert_eq!(response.status(), 503);
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["reasons"], json!(["stopping"]));
    // Who asks now is still answered, for the last time on that connection.
    for (path, status) in [
        ("/api/config", 200),
        ("/api/me", 401),
        ("/healthz", 200),
        ("/api/nothing", 404),
    ] {
        let response = get(&app, path).await;
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(response.headers()["connection"], "close", "{path}");
    }
}

/// What is looked up stands in figures of the whole process, so two servers that are read at once would write over each other's.
static READER: Mutex<()> = Mutex::const_new(());

/// The page, read on this machine, with what could be looked up in time: a busy database may take longer than the page waits.
async fn page(app: &TestApp) -> String {
    let mut text = String::new();
    for _ in 0..60 {
        // Behind what was kept of the last look.
        app.clock.advance(Duration::seconds(6));
        text = read_page(app).await;
        if text.contains("database_read 1\n") {
            break;
        }
    }
    text
}

async fn read_page(app: &TestApp) -> String {
    let response = get(app, "/metrics").await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()["content-type"],
        "text/plain; version=0.0.4; charset=utf-8"
    );
    response.text().await.unwrap()
}

async fn nonsense(ana: &Client) {
    for path in [
        "/nothing/strange-word",
        "/statement/strange-word",
        "/notifications?strange-word=1",
    ] {
        ana.get(path).await;
    }
    let request = ana.request(Method::from_bytes(b"STRANGE").unwrap(), "/me");
    request.header("user-agent", "strange-word").send().await.unwrap();
}

#[actix_web::test]
async fn the_figures_tell_what_happens_by_template_and_nothing_that_was_sent() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    ana.get("/me").await.ok();
    nonsense(&ana).await;
    app.sql
        .execute("INSERT INTO foundation.job (kind, effect, payload, run_at, created_at) VALUES ('mail.send', 'x', '{}', now() - interval '1 minute', now())")
        .await
        .unwrap();
    let _alone = READER.lock().await;
    let text = page(&app).await;
    for line in [
        "# TYPE http_request_seconds histogram",
        "http_request_seconds_bucket{method=\"GET\",route=\"/me\",status=\"2xx\",le=\"0.002\"}",
        "http_request_seconds_count{method=\"other\",route=\"other\",status=\"4xx\"}",
        "jobs_due{kind=\"mail.send\"} 1\n",
        "jobs_due{kind=\"pix.rate\"} 0\n",
        "database_connections_max 16\n",
        "database_read 1\n",
        "signer_alive 0\n",
        "# TYPE sockets gauge",
        "outbox_read_facts ",
        "outbox_read_timestamp_seconds ",
        "build_info{version=\"",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(!text.to_lowercase().contains("strange"), "{text}");
    let undescribed = text
        .lines()
        .filter(|line| line.starts_with("# TYPE"))
        .filter(|line| {
            let name = line.split(' ').nth(2).unwrap();
            !text.contains(&format!("# HELP {name} "))
        });
    assert_eq!(undescribed.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[actix_web::test]
async fn the_figures_are_for_this_machine_alone_and_not_for_what_comes_through_a_proxy() {
    let _alone = READER.lock().await;
    let app = TestApp::start().await;
    for header in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"] {
        let request = asked(&app, Method::GET, "/metrics").header(header, "127.0.0.1");
        let response = request.send().await.unwrap();
        assert_eq!(
            (response.status(), response.text().await.unwrap()),
            (StatusCode::NOT_FOUND, String::new()),
            "{header}"
        );
    }
    // Another machine, and another one whose network the operator has named.
    let probes = Probes::new(&app.context, &app.live, vec!["10.1.0.0/16".parse().unwrap()]);
    let face = api::Face {
        probes,
        ..app.face.clone()
    };
    let service = actix_web::test::init_service(api::app(&face)).await;
    for (peer, status) in [
        ("10.1.2.3:9", 200),
        ("10.2.2.3:9", 404),
        ("[::ffff:127.0.0.1]:9", 200),
    ] {
        let request = actix_web::test::TestRequest::get()
            .uri("/metrics")
            .peer_addr(peer.parse().unwrap());
        let response = actix_web::test::call_service(&service, request.to_request()).await;
        assert_eq!(response.status().as_u16(), status, "{peer}");
    }
}
