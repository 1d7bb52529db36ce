//! Staff look at an account as its owner sees it: what is marked and nothing else, and nothing is changed (docs/decisions/0085-looking-as-somebody.md).

use crate::{
    closing,
    deciders::sponsor,
    guard::{code, settings},
    identity::people::{lift_caps, link, mail, mails, member, other},
    kit::{Client, Reply, SYSTEM_EMPLOYEE, TestApp},
    licences::{PLAN_100, buy, earn, fund, id},
    notifications::{codes, drain, inbox},
    pix::{deposit, with_proof},
    staff_people::edit,
};
use serde_json::{Value, json};
use server::{
    foundation::job_queue::NewJob, jobs, ledger::model::UserAccount::Available,
    privacy::closing::rules::WAIT, routes::ROUTES,
};
use sqlx::AssertSqlSafe;
use std::collections::BTreeMap;
use time::Duration;

const HEADER: &str = "X-Arbora-Look";
const REASON: &str = "O saldo que ela vê no painel";

fn path(whom: &Client) -> String {
    format!("/admin/user/{}/look", whom.user)
}

/// Asks for a code and begins; `name` is whose account it is, as `of` is called.
async fn begin(app: &TestApp, of: &str, by: &Client, whom: &Client, name: &str) -> Reply {
    let code = code(app, by, of, "look-as", name, "").await;
    by.post(&path(whom), &json!({ "reason": REASON, "securityCode": code }))
        .await
}

async fn begun(app: &TestApp, of: &str, by: &Client, whom: &Client, name: &str) -> String {
    let reply = begin(app, of, by, whom, name).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    id(&reply.ok())
}

async fn call(by: &Client, look: &str, method: &str, path: &str) -> Reply {
    let request = by.request(method.parse().unwrap(), path).header(HEADER, look);
    let request = if method == "GET" {
        request
    } else {
        request.json(&json!({}))
    };
    by.send(request).await
}

async fn see(by: &Client, look: &str, path: &str) -> Reply {
    call(by, look, "GET", path).await
}

/// A digest of what stands in each table, but for the count of what was asked under looks.
async fn tables(app: &TestApp) -> BTreeMap<String, String> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables
         WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
             AND (table_schema, table_name) <> ('identity', 'look_call')",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert!(names.len() > 100, "{names:?}");
    let mut digests = BTreeMap::new();
    for name in names {
        let sql =
            format!("SELECT md5(COALESCE(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {name} t");
        let digest: String = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_one(&app.sql)
            .await
            .unwrap();
        digests.insert(name, digest);
    }
    digests
}

/// A customer with something to see on every screen, and a marked call of hers for each line of the table.
async fn customer(app: &TestApp) -> (Client, Vec<String>) {
    let ana = app.user("ana").await;
    fund(app, &ana, Available, 1_000).await;
    let licence = id(&buy(&ana, PLAN_100).await);
    earn(app, &licence, 3).await;
    with_proof(&ana, "40", 3).await;
    let statement = ana.get("/statement").await.ok();
    let transfer = statement["data"][0]["transfer"].as_str().unwrap();
    let nobody = "0190a000-0000-7000-8000-00000000abcd";
    let paths = ROUTES
        .iter()
        .filter(|route| route.seen)
        .map(|route| match route.path {
            "/affiliates/diagram-binary-tree/{param}" => route.path.replace("{param}", "me"),
            "/dashboard/analytics/{param}" => route.path.replace("{param}", "7d"),
            "/statement/{transfer}" => route.path.replace("{transfer}", transfer),
            "/licences/{licence}/loan-terms" => route.path.replace("{licence}", &licence),
            "/trader/orders-history/{robotId}" => route.path.replace("{robotId}", &licence),
            "/trader/search-config-robot-trader" | "/trader/manual" | "/trader/leading" => {
                format!("{}?licence={licence}", route.path)
            }
            other => other
                .split('/')
                .map(|part| if part.starts_with('{') { nobody } else { part })
                .collect::<Vec<_>>()
                .join("/"),
        })
        .collect();
    (ana, paths)
}

#[actix_web::test]
async fn what_is_marked_answers_as_the_owners_and_changes_nothing() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let root = app.admin("root").await;
    let (ana, paths) = customer(&app).await;
    assert!(paths.len() > 40, "{paths:?}");
    let look = begun(&app, "root", &root, &ana, "ana").await;
    let mut answered = 0;
    let before = tables(&app).await;
    let mut seen = Vec::new();
    for path in &paths {
        seen.push(see(&root, &look, path).await);
    }
    let after = tables(&app).await;
    let changed: Vec<_> = after
        .iter()
        .filter(|(table, digest)| before.get(*table) != Some(*digest))
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
    // Only now: what the owner opens may write.
    for (path, seen) in paths.iter().zip(seen) {
        let own = ana.get(path).await;
        assert_eq!(seen.status, own.status, "{path}: {}", seen.body);
        assert!(seen.status < 500, "{path}: {}", seen.body);
        answered += usize::from(seen.status == 200);
        if path != "/me" && path != "/list-deposits-pix" {
            assert_eq!(seen.body, own.body, "{path}");
        }
    }
    assert!(answered > 35, "{answered} answered");
    // As often as asked, and no more.
    let counted: i64 = sqlx::query_scalar("SELECT sum(times)::bigint FROM identity.look_call")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(usize::try_from(counted).unwrap(), paths.len());
}

#[actix_web::test]
async fn whatever_is_not_marked_is_refused_before_its_handler() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    let look = begun(&app, "root", &root, &ana, "ana").await;
    let before = tables(&app).await;
    let mut shut = 0;
    for route in ROUTES.iter().filter(|route| !route.seen) {
        let path: Vec<&str> = route
            .path
            .split('/')
            .map(|part| {
                if part.starts_with('{') {
                    "0190a000-0000-7000-8000-00000000abcd"
                } else {
                    part
                }
            })
            .collect();
        let reply = call(&root, &look, route.method, &path.join("/")).await;
        assert_eq!(
            (reply.status, reply.code()),
            (403, "look.refused"),
            "{} {}: {}",
            route.method,
            route.path,
            reply.body
        );
        shut += 1;
    }
    assert!(shut > 150, "{shut} lines");
    // A whole list as a file is none either, and nor is another person by a parameter.
    see(&root, &look, "/list-deposits-pix?format=csv")
        .await
        .refused(403, "look.refused");
    let bea = app.user("bea").await;
    see(
        &root,
        &look,
        &format!("/finance/individual-crypto-deposits-list?userId={}", bea.user),
    )
    .await
    .refused(403, "auth.forbidden");
    // Without its name the same session is who it is.
    let me = root.get("/me").await.ok();
    assert_eq!(me["user"]["username"], "root");
    let after = tables(&app).await;
    let changed: Vec<_> = after
        .iter()
        .filter(|(table, digest)| {
            // Bea came meanwhile.
            let of_bea = ["identity.", "affiliates."]
                .iter()
                .any(|room| table.starts_with(room));
            before.get(*table) != Some(*digest) && !of_bea
        })
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
}

#[actix_web::test]
async fn the_database_itself_refuses_what_a_look_would_write() {
    let app = TestApp::start().await;
    let shut = app.context.db.read_only();
    let write = "DELETE FROM identity.look_call";
    let mut tx = shut.begin().await.unwrap();
    let refusals = [
        sqlx::query(write).execute(shut.pool()).await.unwrap_err(),
        sqlx::query(write).execute(shut.files()).await.unwrap_err(),
        sqlx::query(write).execute(shut.aside().pool()).await.unwrap_err(),
        sqlx::query("INSERT INTO identity.look_call (look, route, times) VALUES (gen_random_uuid(), '/', 1)")
            .execute(tx.conn())
            .await
            .unwrap_err(),
    ];
    for refusal in refusals {
        let code = refusal.as_database_error().and_then(|error| error.code());
        assert_eq!(code.as_deref(), Some("25006"), "{refusal}");
    }
    sqlx::query("INSERT INTO identity.look_call SELECT gen_random_uuid(), '/', 1 WHERE false")
        .execute(app.context.db.pool())
        .await
        .unwrap();
}

#[actix_web::test]
async fn what_is_not_to_be_seen_is_left_out() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    with_proof(&ana, "40", 3).await;
    deposit(&ana, "50").await;
    sqlx::query(
        "UPDATE identity.account SET anti_phishing = 'capivara', hold_until = $2, hold_reason = 'factor' WHERE id = $1",
    )
    .bind(ana.user.0)
    .bind(app.context.now() + Duration::hours(3))
    .execute(&app.sql)
    .await
    .unwrap();
    let own = ana.get("/me").await.ok();
    assert_eq!(own["user"]["antiPhishing"], "capivara");
    assert_eq!(own["user"]["hold"]["reason"], "factor");
    assert_eq!(own["user"]["look"], Value::Null);
    let look = begun(&app, "root", &root, &ana, "ana").await;
    let seen = see(&root, &look, "/me").await.ok();
    let user = &seen["user"];
    assert_eq!(user["_id"], json!(ana.user));
    assert_eq!(
        (&user["antiPhishing"], &user["google"], &user["hold"]["reason"]),
        (&Value::Null, &Value::Null, &json!("safety"))
    );
    assert_eq!(
        (&user["look"]["_id"], &user["look"]["reason"]),
        (&json!(look), &json!(REASON))
    );
    let held = see(&root, &look, "/outbound-state").await.ok();
    assert_eq!(held["hold"]["reasonCode"], "safety");
    assert_eq!(
        ana.get("/outbound-state").await.ok()["hold"]["reasonCode"],
        "factor"
    );
    let own = ana.get("/list-deposits-pix").await.ok();
    assert!(own["data"][0]["brCode"].is_string(), "{own}");
    let list = see(&root, &look, "/list-deposits-pix").await.ok();
    let rows = list["data"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(row["brCode"], Value::Null, "{row}");
        assert_eq!(row["reversalAskedBy"], Value::Null, "{row}");
    }
}

#[actix_web::test]
async fn nobody_looks_but_who_may_change_the_account_and_with_a_code_for_it() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (root, eva, ana) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.user("ana").await,
    );
    let (bea, gil) = (app.user("bea").await, app.person("gil", SYSTEM_EMPLOYEE).await);
    let body = json!({ "reason": REASON, "securityCode": "123456" });
    for who in [&bea, &gil] {
        who.post(&path(&ana), &body).await.refused(403, "auth.forbidden");
        who.delete(&path(&ana)).await.refused(403, "auth.forbidden");
    }
    root.post(&path(&root), &body).await.refused(403, "user.own");
    let nobody = format!("/admin/user/{}/look", uuid::Uuid::nil());
    root.post(&nobody, &body).await.refused(404, "user.unknown");
    let without = json!({ "reason": " ", "securityCode": "123456" });
    root.post(&path(&ana), &without)
        .await
        .refused(422, "decision.reason_missing");
    root.post(&path(&ana), &json!({ "reason": REASON }))
        .await
        .refused(422, "code.missing");
    // A code is for one account.
    let right = code(&app, &root, "root", "look-as", "ana", "").await;
    let body = json!({ "reason": REASON, "securityCode": right });
    root.post(&path(&bea), &body).await.refused(422, "code.wrong");
    let wrong = json!({ "reason": REASON, "securityCode": other(&right) });
    root.post(&path(&ana), &wrong).await.refused(422, "code.wrong");
    // Of one's own line, and of who brought one, neither; no code is used up by a refusal.
    sponsor(&app, &ana, &root).await;
    root.post(&path(&ana), &body)
        .await
        .refused(403, "decision.own_money");
    sponsor(&app, &ana, &bea).await;
    assert_eq!(root.post(&path(&ana), &body).await.status, 201);
    root.post(&path(&ana), &body).await.refused(422, "code.used");
    // Whose word does not count looks at nobody.
    crate::grants::freeze(&eva, &root).await.ok();
    for who in [&root, &eva] {
        who.post(&path(&ana), &body).await.refused(403, "decision.frozen");
    }
}

#[actix_web::test]
async fn a_look_is_its_own_sessions_alone_and_one_stands_there() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (root, eva, ana, bea) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.user("ana").await,
        app.user("bea").await,
    );
    let look = begun(&app, "root", &root, &ana, "ana").await;
    see(&root, &look, "/me").await.ok();
    let elsewhere = app.another_session(&root).await;
    for who in [&elsewhere, &eva, &ana] {
        see(who, &look, "/me").await.refused(403, "look.over");
    }
    let two = format!("{look},{look}");
    for none in ["", "ana", two.as_str()] {
        see(&root, none, "/me").await.refused(403, "look.refused");
    }
    see(&root, &uuid::Uuid::now_v7().to_string(), "/me")
        .await
        .refused(403, "look.over");
    let stranger = app.anonymous();
    see(&stranger, &look, "/me")
        .await
        .refused(401, "auth.unauthenticated");
    // The next one takes its place.
    let second = begun(&app, "root", &root, &bea, "bea").await;
    see(&root, &look, "/me").await.refused(403, "look.over");
    assert_eq!(see(&root, &second, "/me").await.ok()["user"]["username"], "bea");
    assert_eq!(ended(&app, &look).await.as_deref(), Some("replaced"));
    root.delete(&path(&ana)).await.refused(404, "request.not_found");
    elsewhere
        .delete(&path(&bea))
        .await
        .refused(404, "request.not_found");
    root.delete(&path(&bea)).await.ok();
    see(&root, &second, "/me").await.refused(403, "look.over");
    assert_eq!(ended(&app, &second).await.as_deref(), Some("looker"));
}

async fn ended(app: &TestApp, look: &str) -> Option<String> {
    sqlx::query_scalar("SELECT ended_how FROM identity.look WHERE id = $1::uuid")
        .bind(look)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

async fn work(app: &TestApp) {
    let mut tx = app.context.db.begin().await.unwrap();
    tx.enqueue(NewJob {
        kind: server::identity::jobs::LOOKS,
        effect: format!("test:{}", uuid::Uuid::now_v7()),
        payload: json!({}),
        run_at: None,
    });
    tx.commit().await.unwrap();
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

#[actix_web::test]
async fn a_look_ends_with_its_time_its_session_the_right_and_the_freeze() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    // Its time, whether or not the job has come.
    let look = begun(&app, "root", &root, &ana, "ana").await;
    app.clock.advance(Duration::minutes(14));
    let root = app.renew(&root);
    see(&root, &look, "/me").await.ok();
    app.clock.advance(Duration::minutes(1));
    let root = app.renew(&root);
    see(&root, &look, "/me").await.refused(403, "look.over");
    assert_eq!(ended(&app, &look).await.as_deref(), Some("time"));

    // The right: taken, or one's decisions frozen.
    let look = begun(&app, "root", &root, &ana, "ana").await;
    let eva = app.admin("eva").await;
    crate::grants::freeze(&eva, &root).await.ok();
    see(&root, &look, "/me").await.refused(403, "look.over");
    assert_eq!(ended(&app, &look).await.as_deref(), Some("right"));
    let leo = app.admin("leo").await;
    let look = begun(&app, "leo", &leo, &ana, "ana").await;
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(leo.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    see(&leo, &look, "/me").await.refused(403, "look.over");
    assert_eq!(ended(&app, &look).await.as_deref(), Some("right"));

    // What nobody asks with any more ends by the job: here with its session.
    let mia = app.admin("mia").await;
    let look = begun(&app, "mia", &mia, &ana, "ana").await;
    sqlx::query("UPDATE identity.session SET ended_at = $2, end_reason = 'test' WHERE id = $1")
        .bind(mia.session.0)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
    work(&app).await;
    assert_eq!(ended(&app, &look).await.as_deref(), Some("signed_out"));
    // Signing out ends it at once.
    let ida = app.admin("ida").await;
    let look = begun(&app, "ida", &ida, &ana, "ana").await;
    ida.delete(&format!("/sessions/{}", ida.session)).await.ok();
    assert_eq!(ended(&app, &look).await.as_deref(), Some("signed_out"));

    // The owner's "it was not me".
    let ivo = app.admin("ivo").await;
    edit(&ivo, &ana, json!({ "mobileNumber": "+55 11 98765-4321" }))
        .await
        .ok();
    let look = begun(&app, "ivo", &ivo, &ana, "ana").await;
    see(&ivo, &look, "/me").await.ok();
    let token = link(&app, "ana@example.com", "safety_changed", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    let done = reqwest::Client::new().post(&page).send().await.unwrap();
    assert_eq!(done.status(), 200);
    see(&ivo, &look, "/me").await.refused(403, "look.over");
    assert_eq!(ended(&app, &look).await.as_deref(), Some("frozen"));
}

/// Who has left is looked at by nobody any more, and it is written down at once.
#[actix_web::test]
async fn a_look_ends_with_the_account() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    closing::ask(&app, &ana).await.ok();
    app.clock.advance(WAIT - Duration::minutes(5));
    let root = app.admin("root").await;
    let name = closing::username(&app, &ana.client).await;
    let look = begun(&app, "root", &root, &ana.client, &name).await;
    see(&root, &look, "/me").await.ok();
    app.clock.advance(Duration::minutes(6));
    work(&app).await;
    assert_eq!(closing::status(&app, &ana.client).await, "closed");
    assert_eq!(ended(&app, &look).await.as_deref(), Some("closed"));
    see(&app.renew(&root), &look, "/me")
        .await
        .refused(403, "look.over");
    // Nor is another begun.
    let again = json!({ "reason": REASON, "securityCode": "000000" });
    app.renew(&root)
        .post(&path(&ana.client), &again)
        .await
        .refused(404, "user.unknown");
}

#[actix_web::test]
async fn everybody_knows() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (root, ana, bea) = (
        app.admin("root").await,
        app.user("ana").await,
        app.user("bea").await,
    );
    assert_eq!(ana.get("/me/looks").await.ok()["data"], json!([]));
    let look = begun(&app, "root", &root, &ana, "ana").await;
    for _ in 0..2 {
        see(&root, &look, "/statement").await.ok();
    }
    see(&root, &look, "/me").await.ok();

    // By mail and in the inbox, at once; which group is on is no question.
    let letter = mail(&app, "ana@example.com", "account_seen").await;
    assert!(letter.contains(REASON) && letter.contains("root"), "{letter}");
    assert_eq!(mails(&app, "ana@example.com", "account_seen").await, 1);
    drain(&app).await;
    let lines = inbox(&ana).await;
    assert_eq!(codes(&lines), ["account_seen"]);
    assert_eq!(
        lines["data"][0]["params"],
        json!({ "by": "root", "role": "administrator", "reason": REASON })
    );
    assert!(codes(&inbox(&bea).await).is_empty());

    // On the account's own screen.
    let list = ana.get("/me/looks").await.ok();
    let row = &list["data"][0];
    assert_eq!(
        (
            &row["_id"],
            &row["by"],
            &row["role"],
            &row["reason"],
            &row["endedAt"]
        ),
        (
            &json!(look),
            &json!("root"),
            &json!("administrator"),
            &json!(REASON),
            &Value::Null
        )
    );
    root.delete(&path(&ana)).await.ok();
    assert!(ana.get("/me/looks").await.ok()["data"][0]["endedAt"].is_string());
    assert_eq!(bea.get("/me/looks").await.ok()["data"], json!([]));

    // In the log of the person, with who and what was asked.
    let log = root
        .get(&format!("/admin/user-logs-list/{}", ana.user))
        .await
        .ok();
    let of = |action: &str| {
        let rows = log["data"].as_array().unwrap();
        let row = rows.iter().find(|row| row["action"] == action);
        row.unwrap_or_else(|| panic!("no {action} in {log}")).clone()
    };
    assert_eq!(of("look.began")["details"]["reason"], REASON);
    let end = of("look.ended");
    assert_eq!(end["details"]["how"], "looker");
    assert_eq!(end["details"]["calls"], json!({ "/me": 1, "/statement": 2 }));

    // For a year.
    app.clock.advance(Duration::days(366));
    let ana = app.renew(&ana);
    assert_eq!(ana.get("/me/looks").await.ok()["data"], json!([]));
    server::identity::looks::prune(&app.context).await.unwrap();
    let left: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM identity.look l FULL JOIN identity.look_call c ON c.look = l.id",
    )
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(left, 0);
}

/// Limits count for who looks: however many look at somebody, the owner's own stay.
#[actix_web::test]
async fn looking_uses_up_the_lookers_rate_alone() {
    let app = TestApp::start_with(true).await;
    settings(&app, |_| {}).await;
    let (root, ana) = (app.admin("root").await, app.user("ana").await);
    let look = begun(&app, "root", &root, &ana, "ana").await;
    let mut limited = false;
    // It fills again by ten a second.
    for _ in 0..5_000 {
        limited = see(&root, &look, "/licences/terms").await.status == 429;
        if limited {
            break;
        }
    }
    assert!(limited);
    ana.get("/licences/terms").await.ok();
}
