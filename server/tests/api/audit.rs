//! The chain over the audit: whole under many hands, and every way to change it is found.

use crate::kit::TestApp;
use server::foundation::audit::{
    Category,
    heads::{AuditHeads, SignedHead},
    linking::{self, Reach},
    record,
    verify::{self, Report},
};
use sqlx::raw_sql;
use time::Duration;

async fn write(app: &TestApp, count: usize) {
    let mut tx = app.context.db.begin().await.unwrap();
    for n in 0..count {
        let details = serde_json::json!({ "n": n, "of": "é" });
        record(&mut tx, None, None, Category::Money, "deposit.approved", details)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

async fn look(app: &TestApp, heads: &[SignedHead], key: &str) -> Report {
    let heads: Vec<_> = heads.iter().cloned().map(Ok).collect();
    let later = app.context.now() + Duration::hours(2);
    verify::verify(&app.context.db, &heads, key, later).await.unwrap()
}

/// As somebody who owns the tables and takes the guards off.
pub async fn tamper(app: &TestApp, sql: &'static str) {
    for table in ["audit", "audit_link"] {
        let off = format!("ALTER TABLE foundation.{table} DISABLE TRIGGER ALL");
        raw_sql(sqlx::AssertSqlSafe(off)).execute(&app.sql).await.unwrap();
    }
    raw_sql(sql).execute(&app.sql).await.unwrap();
    for table in ["audit", "audit_link"] {
        let on = format!("ALTER TABLE foundation.{table} ENABLE TRIGGER ALL");
        raw_sql(sqlx::AssertSqlSafe(on)).execute(&app.sql).await.unwrap();
    }
}

fn found(report: &Report, words: &str) {
    let said = report.first_difference.as_deref().unwrap_or("nothing");
    assert!(said.contains(words), "{said}");
}

#[actix_web::test]
async fn many_write_and_link_at_once_and_the_chain_is_one() {
    let app = TestApp::start().await;
    let hands = (0..8).map(|_| async {
        for _ in 0..5 {
            write(&app, 40).await;
            linking::link(&app.context.db, Reach::Recent).await.unwrap();
        }
    });
    futures_util::future::join_all(hands).await;
    linking::link(&app.context.db, Reach::Recent).await.unwrap();
    let report = look(&app, &[], "").await;
    assert!(report.whole(), "{report}");
    let lines: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.audit")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert!(lines >= 8 * 5 * 40);
    assert_eq!(report.links, lines);
}

#[actix_web::test]
async fn neither_the_server_nor_the_owner_changes_a_line() {
    let app = TestApp::start().await;
    write(&app, 2).await;
    linking::link(&app.context.db, Reach::Recent).await.unwrap();
    for sql in [
        "UPDATE foundation.audit SET action = 'x'",
        "DELETE FROM foundation.audit",
        "UPDATE foundation.audit_link SET seq = seq + 10",
        "DELETE FROM foundation.audit_link",
        "TRUNCATE foundation.audit CASCADE",
    ] {
        for pool in [app.context.db.pool(), &app.sql] {
            let refused = raw_sql(sql).execute(pool).await.unwrap_err();
            let code = refused
                .as_database_error()
                .and_then(|e| e.code().map(|c| c.into_owned()));
            assert_eq!(code.as_deref(), Some("42501"), "{sql}: {refused}");
        }
    }
    // A link without the one before it, and a second link on a line.
    for sql in [
        "INSERT INTO foundation.audit_link SELECT seq + 5, audit + 1000, digest, linked_at FROM foundation.audit_link WHERE seq = 1",
        "INSERT INTO foundation.audit_link SELECT (SELECT max(seq) + 1 FROM foundation.audit_link), audit, digest, linked_at FROM foundation.audit_link WHERE seq = 1",
    ] {
        assert!(
            raw_sql(sql).execute(app.context.db.pool()).await.is_err(),
            "{sql}"
        );
    }
}

#[actix_web::test]
async fn what_was_changed_is_named() {
    for (sql, words) in [
        (
            "UPDATE foundation.audit SET details = '{\"n\": 7}' WHERE id = (SELECT audit FROM foundation.audit_link WHERE seq = 2)",
            "(link 2, deposit.approved) or its link was changed",
        ),
        (
            "UPDATE foundation.audit SET actor = gen_random_uuid() WHERE id = (SELECT audit FROM foundation.audit_link WHERE seq = 1)",
            "link 1",
        ),
        (
            "DELETE FROM foundation.audit WHERE id = (SELECT audit FROM foundation.audit_link WHERE seq = 3)",
            "of link 3 is gone",
        ),
        ("DELETE FROM foundation.audit_link WHERE seq = 2", "link 2 is missing"),
        (
            "WITH one AS (SELECT audit FROM foundation.audit_link WHERE seq = 4), two AS (SELECT audit FROM foundation.audit_link WHERE seq = 5)
             UPDATE foundation.audit a SET category = 'roles' FROM one, two WHERE a.id IN (one.audit, two.audit)",
            "(link 4, deposit.approved) or its link was changed",
        ),
        (
            "INSERT INTO foundation.audit (at, category, action) SELECT min(at), 'money', 'deposit.approved' FROM foundation.audit",
            "in no link",
        ),
    ] {
        let app = TestApp::start().await;
        write(&app, 6).await;
        linking::link(&app.context.db, Reach::Recent).await.unwrap();
        assert!(look(&app, &[], "").await.whole());
        tamper(&app, sql).await;
        found(&look(&app, &[], "").await, words);
    }
}

#[actix_web::test]
async fn a_chain_made_anew_is_not_the_one_that_was_signed() {
    let app = TestApp::start().await;
    let folder = tempfile::tempdir().unwrap();
    let heads = AuditHeads::new(&[3; 32], folder.path().join("audit"));
    write(&app, 6).await;
    linking::link(&app.context.db, Reach::Recent).await.unwrap();
    let (seq, digest): (i64, Vec<u8>) =
        sqlx::query_as("SELECT seq, digest FROM foundation.audit_link ORDER BY seq DESC LIMIT 1")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    let signed = heads
        .sign(seq, &digest.try_into().unwrap(), app.context.now())
        .unwrap();
    let key = heads.public();
    let report = look(&app, std::slice::from_ref(&signed), &key).await;
    assert!(report.whole() && report.heads == 1, "{report}");
    // Another key's word is nobody's.
    let other = AuditHeads::new(&[4; 32], folder.path().join("other")).public();
    found(
        &look(&app, std::slice::from_ref(&signed), &other).await,
        "is not signed by the key",
    );
    // A line is changed and every digest recomputed, as the owner of the database could.
    tamper(
        &app,
        "UPDATE foundation.audit SET action = 'deposit.rejected' WHERE action = 'deposit.approved'; TRUNCATE foundation.audit_link",
    )
    .await;
    linking::link(&app.context.db, Reach::Whole).await.unwrap();
    assert!(look(&app, &[], &key).await.whole());
    found(
        &look(&app, std::slice::from_ref(&signed), &key).await,
        "is not the one that was signed",
    );
}

#[actix_web::test]
async fn the_day_is_signed_and_a_changed_one_is_not() {
    use server::foundation::{
        audit::{heads, jobs},
        context::Parts,
        job_queue::NewJob,
    };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("audit");
    let app =
        TestApp::start_with_parts(Parts::default().with(AuditHeads::new(&[5; 32], place.clone()))).await;
    write(&app, 3).await;
    let run = async |effect: &str| {
        let mut tx = app.context.db.begin().await.unwrap();
        tx.enqueue(NewJob::new(jobs::SIGN, effect, &()).unwrap());
        tx.commit().await.unwrap();
        while server::jobs::round(&app.context).await.unwrap() > 0 {}
    };
    run("sign:1").await;
    let kept = heads::read(&place.join(heads::FILE)).unwrap();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].as_ref().unwrap().seq >= 3);
    tamper(&app, "UPDATE foundation.audit SET action = 'deposit.rejected'").await;
    run("sign:2").await;
    assert_eq!(heads::read(&place.join(heads::FILE)).unwrap().len(), 1);
}
