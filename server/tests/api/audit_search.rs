//! The audit as staff search it: filters, an entry with its link, how the chain stands.

use crate::{
    audit::tamper,
    kit::{Client, TestApp},
};
use protocol::ids::UserId;
use serde_json::{Value, json};
use server::foundation::{
    audit::{
        Category,
        heads::AuditHeads,
        jobs,
        linking::{self, Reach},
        record,
    },
    business_day,
    context::Parts,
    job_queue::NewJob,
};
use sqlx::AssertSqlSafe;
use time::Duration;
use uuid::Uuid;

const THING: &str = "0190a000-0000-7000-8000-00000000abcd";
const HASH: &str = "0xA1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90";

async fn write(
    app: &TestApp,
    (actor, subject): (Option<UserId>, Option<Uuid>),
    category: Category,
    action: &str,
    details: Value,
) {
    let mut tx = app.context.db.begin().await.unwrap();
    record(&mut tx, actor, subject, category, action, details)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    app.clock.advance(Duration::seconds(1));
}

fn actions(page: &Value) -> Vec<&str> {
    let rows = page["data"].as_array().unwrap();
    rows.iter().map(|r| r["action"].as_str().unwrap()).collect()
}

async fn found(by: &Client, query: &str) -> Value {
    by.get(&format!("/admin/audit?{query}")).await.ok()
}

/// Five entries: Ana signs in, root edits Ana, a withdrawal is paid, content is created, the platform does something by itself.
async fn five(app: &TestApp) -> (Client, Client) {
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    let (by, of) = (Some(root.user), Some(ana.user.0));
    let session = json!({ "session": Uuid::nil() });
    write(
        app,
        (Some(ana.user), of),
        Category::Auth,
        "auth.signed_in",
        session,
    )
    .await;
    write(
        app,
        (by, of),
        Category::Profile,
        "user.edited",
        json!({ "fields": ["fullName"] }),
    )
    .await;
    let paid = json!({ "withdrawal": THING, "transaction": HASH, "usdt": "10.000000" });
    write(app, (by, of), Category::Money, "crypto_withdrawal.pay", paid).await;
    let item: Uuid = THING.parse().unwrap();
    write(
        app,
        (by, Some(item)),
        Category::Settings,
        "content.created",
        json!({ "item": THING }),
    )
    .await;
    write(
        app,
        (None, None),
        Category::Money,
        "hot_wallet.surplus",
        json!({ "coin": "usdt" }),
    )
    .await;
    (root, ana)
}

#[actix_web::test]
async fn entries_are_found_by_whom_what_and_when() {
    let app = TestApp::start().await;
    let (root, ana) = five(&app).await;
    let all = found(&root, "").await;
    assert_eq!(
        (&all["meta"]["limit"], &all["meta"]["total"]),
        (&json!(10), &json!(5))
    );
    assert_eq!(
        actions(&all),
        [
            "hot_wallet.surplus",
            "content.created",
            "crypto_withdrawal.pay",
            "user.edited",
            "auth.signed_in"
        ]
    );
    let edited = &all["data"][3];
    assert_eq!(
        (&edited["actor"]["username"], &edited["subject"]["username"]),
        (&json!("root"), &json!("ana"))
    );
    // By nobody, and about a thing.
    assert!(all["data"][0]["actor"].is_null() && all["data"][0]["about"].is_null());
    assert!(all["data"][1]["subject"].is_null());
    assert_eq!(all["data"][1]["about"], THING);

    let today = business_day::of(app.context.now());
    let (before, after) = (today - Duration::DAY, today + Duration::DAY);
    let id = ana.user;
    for (query, expected) in [
        ("actor=root".to_owned(), 3),
        ("actor=@ROOT".to_owned(), 3),
        (format!("actor={id}"), 1),
        ("subject=ana".to_owned(), 3),
        (format!("subject={THING}"), 1),
        ("actor=root&subject=ana".to_owned(), 2),
        ("actor=nobody".to_owned(), 0),
        ("category=money".to_owned(), 2),
        ("category=money&action=crypto_withdrawal.pay".to_owned(), 1),
        ("action=user.status".to_owned(), 0),
        (format!("startDate={before}&endDate={after}"), 5),
        (format!("startDate={after}"), 0),
        (format!("endDate={before}"), 0),
        ("actor=&subject=&action=&category=".to_owned(), 5),
    ] {
        assert_eq!(found(&root, &query).await["meta"]["total"], expected, "{query}");
    }
    let oldest = found(&root, "sortdirection=asc&limit=1").await;
    assert_eq!(actions(&oldest), ["auth.signed_in"]);
    for (wrong, field) in [
        ("action=user.pay", "action"),
        ("action=auth", "action"),
        ("category=gossip", "category"),
        ("sortby=action", "sortby"),
        ("startDate=yesterday", "startDate"),
        ("status=active", "status"),
    ] {
        let refused = root.get(&format!("/admin/audit?{wrong}")).await;
        assert!(
            refused.status == 422 && !refused.body["errors"][field].is_null(),
            "{wrong}: {}",
            refused.body
        );
    }
    // Looking is no event.
    assert_eq!(found(&root, "").await["meta"]["total"], 5);
}

#[actix_web::test]
async fn an_entry_is_found_by_its_number_and_by_the_ids_that_it_names() {
    let app = TestApp::start().await;
    let (root, ana) = five(&app).await;
    let all = found(&root, "").await;
    let number = all["data"][4]["_id"].as_i64().unwrap();
    for (typed, expected) in [
        (number.to_string(), vec!["auth.signed_in"]),
        (format!("%23{number}"), vec!["auth.signed_in"]),
        (THING.to_owned(), vec!["content.created", "crypto_withdrawal.pay"]),
        (
            THING.to_uppercase(),
            vec!["content.created", "crypto_withdrawal.pay"],
        ),
        (HASH.to_owned(), vec!["crypto_withdrawal.pay"]),
        (HASH.to_lowercase(), vec!["crypto_withdrawal.pay"]),
        (
            ana.user.to_string(),
            vec!["crypto_withdrawal.pay", "user.edited", "auth.signed_in"],
        ),
        // No part of an id, and no word.
        (HASH[..30].to_owned(), vec![]),
        ("usdt".to_owned(), vec![]),
        ("%25".to_owned(), vec![]),
    ] {
        let page = found(&root, &format!("search={typed}")).await;
        assert_eq!(actions(&page), expected, "{typed}");
    }
    let narrowed = found(&root, &format!("search={THING}&category=settings")).await;
    assert_eq!(actions(&narrowed), ["content.created"]);
}

#[actix_web::test]
async fn what_is_found_is_one_file() {
    let app = TestApp::start().await;
    let (root, ana) = five(&app).await;
    let csv = root.get("/admin/audit?format=csv&subject=ana").await;
    assert_eq!(csv.headers["x-total-rows"], "3");
    let text = csv.body.as_str().unwrap();
    for word in ["crypto_withdrawal.pay", "Dinheiro", "root", THING] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("content.created"), "{text}");
    for path in ["/admin/audit", "/admin/audit/1", "/admin/audit-chain"] {
        ana.get(path).await.refused(403, "auth.forbidden");
    }
}

#[actix_web::test]
async fn an_entry_has_its_link_and_a_changed_one_does_not_match_it() {
    let app = TestApp::start().await;
    let (root, _) = five(&app).await;
    let all = found(&root, "").await;
    let id = all["data"][3]["_id"].as_i64().unwrap();
    let path = format!("/admin/audit/{id}");
    let fresh = root.get(&path).await.ok();
    assert_eq!(fresh["entry"], all["data"][3]);
    assert!(fresh["link"].is_null(), "linked a moment later");

    linking::link(&app.context.db, Reach::Recent).await.unwrap();
    let links: Vec<Value> = {
        let mut links = Vec::new();
        for row in all["data"].as_array().unwrap().iter().rev() {
            links.push(root.get(&format!("/admin/audit/{}", row["_id"])).await.ok()["link"].clone());
        }
        links
    };
    assert!(links.iter().all(|link| link["matches"] == true), "{links:?}");
    let numbers: Vec<_> = links
        .iter()
        .map(|link| link["number"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(links[0]["before"], "0".repeat(64));
    for (one, next) in links.iter().zip(&links[1..]) {
        assert_eq!(one["digest"], next["before"]);
    }

    tamper(
        &app,
        "UPDATE foundation.audit SET action = 'user.status' WHERE action = 'user.edited'",
    )
    .await;
    let changed = root.get(&path).await.ok();
    assert_eq!(
        (&changed["entry"]["action"], &changed["link"]["matches"]),
        (&json!("user.status"), &json!(false))
    );
    // The link before is gone: nothing can be said for the one behind it.
    tamper(&app, "DELETE FROM foundation.audit_link WHERE seq = 1").await;
    let orphan = root.get(&path).await.ok();
    assert!(orphan["link"]["before"].is_null() && orphan["link"]["matches"] == false);
    root.get("/admin/audit/999999")
        .await
        .refused(404, "request.not_found");
    root.get("/admin/audit/first")
        .await
        .refused(404, "request.not_found");
}

#[actix_web::test]
async fn the_chain_says_when_it_was_last_verified_and_signed() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("audit");
    let heads = AuditHeads::new(&[5; 32], place.clone());
    let (key, file) = (heads.public(), heads.path());
    let app = TestApp::start_with_parts(Parts::default().with(heads)).await;
    let root = app.admin("root").await;
    let sign = async |effect: &str| {
        let mut tx = app.context.db.begin().await.unwrap();
        tx.enqueue(NewJob::new(jobs::SIGN, effect, &()).unwrap());
        tx.commit().await.unwrap();
        while server::jobs::round(&app.context).await.unwrap() > 0 {}
    };
    let stands = async |by: &Client| by.get("/admin/audit-chain").await.ok();

    let empty = stands(&root).await;
    assert_eq!(empty["entries"], 0);
    assert!(empty["digest"].is_null() && empty["signing"]["newest"].is_null());
    assert_eq!(
        (&empty["signing"]["overdue"], &empty["signing"]["key"]),
        (&json!(false), &json!(key))
    );

    let by = Some(root.user);
    write(&app, (by, None), Category::Money, "ledger.verify", json!({})).await;
    sign("sign:1").await;
    let signed = stands(&root).await;
    let newest = &signed["signing"]["newest"];
    assert_eq!(
        (&newest["number"], &newest["digest"], &newest["stands"]),
        (&signed["entries"], &signed["digest"], &json!(true))
    );
    assert_eq!(
        (&signed["signing"]["signatures"], &signed["signing"]["overdue"]),
        (&json!(1), &json!(false))
    );

    // A day without a signature, because the chain was found changed.
    write(&app, (by, None), Category::Money, "ledger.verify", json!({})).await;
    linking::link(&app.context.db, Reach::Recent).await.unwrap();
    tamper(
        &app,
        "UPDATE foundation.audit SET actor = gen_random_uuid() WHERE id = (SELECT max(id) FROM foundation.audit)",
    )
    .await;
    app.clock.advance(Duration::hours(27));
    let root = app.renew(&root);
    sign("sign:2").await;
    let late = stands(&root).await;
    assert_eq!(late["signing"]["newest"], *newest);
    assert_eq!(
        (&late["signing"]["overdue"], &late["signing"]["unreadable"]),
        (&json!(true), &json!(0))
    );

    // The link that was signed has another digest now.
    tamper(
        &app,
        "UPDATE foundation.audit_link SET digest = sha256(digest) WHERE seq = 1",
    )
    .await;
    assert_eq!(stands(&root).await["signing"]["newest"]["stands"], false);
    std::fs::write(&file, "no signature\n").unwrap();
    let unreadable = stands(&root).await;
    assert_eq!(
        (
            &unreadable["signing"]["unreadable"],
            &unreadable["signing"]["newest"]
        ),
        (&json!(1), &Value::Null)
    );

    let without = TestApp::start().await;
    let root = without.admin("root").await;
    assert!(stands(&root).await["signing"].is_null());
}

/// Each way to search has its index: with every other way forbidden, it is the one that is taken.
#[actix_web::test]
async fn every_search_has_its_index() {
    let app = TestApp::start().await;
    let mut tx = app.sql.begin().await.unwrap();
    for way in ["seqscan", "indexscan", "indexonlyscan"] {
        let off = AssertSqlSafe(format!("SET LOCAL enable_{way} = off"));
        sqlx::query(off).execute(&mut *tx).await.unwrap();
    }
    for (restriction, index) in [
        ("l.at >= now() - interval '1 day'", "audit_at"),
        (
            "l.actor = '0190a000-0000-7000-8000-00000000abcd'",
            "audit_of_actor",
        ),
        (
            "l.subject = '0190a000-0000-7000-8000-00000000abcd'",
            "audit_of_subject",
        ),
        ("l.category = 'roles'", "audit_of_category"),
        ("l.action = 'user.status'", "audit_of_action"),
        (
            "foundation.named_in(l.details) @> ARRAY['0190a000-0000-7000-8000-00000000abcd']",
            "audit_named",
        ),
    ] {
        let plan: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!(
            "EXPLAIN SELECT l.id FROM foundation.audit l WHERE {restriction} ORDER BY l.at DESC, l.id DESC LIMIT 10"
        )))
        .fetch_all(&mut *tx)
        .await
        .unwrap();
        let plan = plan.join("\n");
        assert!(plan.contains(index), "{restriction}: {plan}");
    }
}

/// An id that few entries bear, or none, is looked up, however many entries there are and whatever is expected of it.
#[actix_web::test]
async fn an_id_is_never_looked_for_from_the_newest_entry_down() {
    let app = TestApp::start().await;
    five(&app).await;
    let mut tx = app.sql.begin().await.unwrap();
    // As many as would be read before one is found.
    for sql in [
        "ANALYZE foundation.audit",
        "UPDATE pg_class SET reltuples = 1000000 WHERE oid = 'foundation.audit'::regclass",
    ] {
        sqlx::query(sql).execute(&mut *tx).await.unwrap();
    }
    let plan: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!(
        "EXPLAIN SELECT l.id FROM foundation.audit l
         WHERE l.id = ANY (ARRAY(SELECT n.id FROM foundation.audit n WHERE foundation.named_in(n.details) @> ARRAY['{THING}']))
         ORDER BY l.at DESC, l.id DESC LIMIT 10"
    )))
    .fetch_all(&mut *tx)
    .await
    .unwrap();
    let plan = plan.join("\n");
    assert!(
        plan.contains("audit_named") && !plan.contains("audit_at"),
        "{plan}"
    );
}
