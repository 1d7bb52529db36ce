//! How long what is kept: anybody reads it, and it is what the jobs do.

use crate::{
    identity::people::{login, member},
    kit::TestApp,
};
use serde_json::json;
use server::{
    foundation::{clock::Clock, job_queue::NewJob},
    jobs,
    privacy::retention::{Deleted, Kept, LINES},
};
use time::Duration;

#[actix_web::test]
async fn anybody_reads_how_long_what_is_kept() {
    let app = TestApp::start().await;
    let told = app.anonymous().get("/privacy/retention").await.ok();
    let rows = told["data"].as_array().unwrap();
    assert_eq!(rows.len(), LINES.len());
    for row in [
        json!({ "what": "codes", "seconds": 172_800 }),
        json!({ "what": "exports", "seconds": 604_800 }),
        json!({ "what": "facts", "seconds": 7_776_000 }),
        json!({ "what": "acceptances", "seconds": null }),
    ] {
        assert!(rows.contains(&row), "{row}");
    }
}

fn deleted(what: Kept) -> Deleted {
    let line = LINES.iter().find(|line| line.what == what).unwrap();
    line.deleted.unwrap()
}

async fn count(app: &TestApp, table: &str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}")))
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn what_is_told_is_what_the_jobs_delete_by() {
    let app = TestApp::start().await;
    let ana = member(&app, "Ana", "arbora").await;
    login(&app, &ana.email, "not the password")
        .await
        .refused(401, "auth.failed");
    ana.client
        .post("/security-code", &json!({ "purpose": "export-data" }))
        .await
        .ok();
    // What is under way makes facts and mails of its own.
    while jobs::round(&app.context).await.unwrap() > 0 {}
    // Sessions last: others point at them.
    for (what, table, column) in [
        (Kept::Facts, "foundation.event", "at"),
        (Kept::Mails, "foundation.mail", "created_at"),
        (Kept::JobEffects, "foundation.job_done", "done_at"),
        (Kept::Tries, "identity.failure", "at"),
        (Kept::Codes, "identity.code", "expires_at"),
        (Kept::Links, "identity.link", "expires_at"),
        (Kept::Sessions, "identity.session", "expires_at"),
    ] {
        let Deleted { after, job, .. } = deleted(what);
        for (age, stays) in [
            (after - Duration::MINUTE, true),
            (after + Duration::MINUTE, false),
        ] {
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE {table} SET {column} = $1")))
                .bind(app.clock.now() - age)
                .execute(&app.sql)
                .await
                .unwrap();
            let before = count(&app, table).await;
            assert!(before > 0, "{table} is empty");
            let mut tx = app.context.db.begin().await.unwrap();
            let effect = format!("{job}:{table}:{stays}");
            tx.enqueue(NewJob {
                kind: job,
                effect,
                payload: json!({}),
                run_at: None,
            });
            tx.commit().await.unwrap();
            while jobs::round(&app.context).await.unwrap() > 0 {}
            let left = count(&app, table).await;
            if table == "foundation.job_done" {
                // The job's own effect comes on top.
                assert_eq!(left, if stays { before + 1 } else { 1 }, "{table}");
            } else {
                assert_eq!(left, if stays { before } else { 0 }, "{table}");
            }
        }
    }
}
