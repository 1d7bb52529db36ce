//! Who decides is decided by two: roles that carry the permission, the chain of grants. Freezes: [`crate::grants_freezes`]; whom a permission
//! rests on: [`crate::grants_replay`].

use crate::{
    identity::roles::{add, remove, role},
    kit::{ADMINISTRATOR, CUSTOMER, Client, SALESPERSON, TestApp, live::Live},
    notifications::{codes, drain, inbox},
    pix::{approve as approve_deposit, end_to_end, with_proof},
};
use protocol::permission::ROLES;
use serde_json::{Value, json};
use server::foundation::{context::Context, locale::Locale, transaction::Db};
use time::Duration;

fn id(view: &Value) -> &str {
    view["_id"].as_str().unwrap()
}

/// Asks for the administrator's role for somebody; the request that waits.
pub async fn ask(app: &TestApp, by: &Client, to: &Client) -> Value {
    let reply = add(by, to, &[role(app, ADMINISTRATOR).await]).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    reply.body["request"].clone()
}

pub async fn ask_back(app: &TestApp, by: &Client, from: &Client) -> Value {
    let reply = remove(by, from, &[role(app, ADMINISTRATOR).await]).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    reply.body["request"].clone()
}

pub async fn agree(by: &Client, request: &Value) -> crate::kit::Reply {
    by.post(&format!("/admin/grants/{}/approve", id(request)), &json!({}))
        .await
}

pub async fn reject(by: &Client, request: &Value, reason: &str) -> crate::kit::Reply {
    by.post(
        &format!("/admin/grants/{}/reject", id(request)),
        &json!({ "reason": reason }),
    )
    .await
}

pub async fn freeze(by: &Client, whom: &Client) -> crate::kit::Reply {
    by.post(
        "/admin/freezes",
        &json!({ "userId": whom.user, "reason": "conta tomada" }),
    )
    .await
}

pub async fn lift(by: &Client, freeze: &Value) -> crate::kit::Reply {
    by.post(&format!("/admin/freezes/{}/lift", id(freeze)), &json!({}))
        .await
}

pub async fn made(app: &TestApp, first: &Client, second: &Client, whom: &Client) {
    let request = ask(app, first, whom).await;
    agree(second, &request).await.ok();
}

/// As the console works: as the owner of the tables.
pub fn console(app: &TestApp) -> Context {
    Context {
        db: Db::new(app.sql.clone(), app.clock.clone()),
        ..app.context.clone()
    }
}

/// Asking and taking back tells everybody who decides: no one of them fills the others' mailboxes.
#[actix_web::test]
async fn what_one_administrator_asks_for_is_bounded() {
    let app = TestApp::start().await;
    let (rui, eva, ana) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.user("ana").await,
    );
    for _ in 0..20 {
        let request = ask(&app, &rui, &ana).await;
        reject(&rui, &request, "não").await.ok();
    }
    add(&rui, &ana, &[role(&app, ADMINISTRATOR).await])
        .await
        .refused(429, "request.rate_limited");
    let late: i64 = sqlx::query_scalar("SELECT count(*) FROM foundation.mail WHERE due_at > created_at")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(late, 0);
    ask(&app, &eva, &ana).await;
}

#[actix_web::test]
async fn one_administrator_does_not_make_the_second_person() {
    let app = TestApp::start().await;
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let (xico, yara) = (app.user("xico").await, app.user("yara").await);

    // One word changes nothing, and the same person's second word is none.
    let request = ask(&app, &rui, &xico).await;
    assert_eq!(
        (&request["status"], &request["action"], &request["roles"]),
        (&json!("waiting"), &json!("add"), &json!(["administrator"]))
    );
    xico.get("/admin/roles").await.refused(403, "auth.forbidden");
    let twice = add(&rui, &xico, &[role(&app, ADMINISTRATOR).await]).await;
    twice.refused(409, "roles.waiting");
    assert!(twice.body["errors"]["roles"][0].is_string());
    agree(&rui, &request).await.refused(409, "decision.same_person");
    agree(&xico, &request).await.refused(403, "auth.forbidden");

    // With the second it is theirs at once: open sockets ask again. Their decisions do not count yet.
    let mut socket = Live::open(&app, &xico).await;
    let done = agree(&eva, &request).await.ok();
    assert_eq!(
        (&done["status"], &done["decidedBy"]),
        (&json!("done"), &json!("eva"))
    );
    assert_eq!(socket.closed().await, 4003);
    agree(&eva, &request).await.refused(409, "decision.done");
    assert_eq!(xico.get("/admin/roles").await.status, 200);
    let bank = end_to_end(app.context.now(), "1");
    let deposit = with_proof(&ana, "9000", 1).await;
    approve_deposit(&xico, &deposit, &bank)
        .await
        .refused(403, "decision.too_new");
    add(&xico, &yara, &[role(&app, ADMINISTRATOR).await])
        .await
        .refused(403, "decision.too_new");

    // A day later they do, but not beside those who gave them the permission.
    app.clock.advance(Duration::hours(24) + Duration::seconds(1));
    let (rui, eva, xico, yara) = (
        app.renew(&rui),
        app.renew(&eva),
        app.renew(&xico),
        app.renew(&yara),
    );
    let bank = end_to_end(app.context.now(), "2");
    let deposit = with_proof(&app.renew(&ana), "9000", 2).await;
    approve_deposit(&rui, &deposit, &bank).await.ok();
    approve_deposit(&xico, &deposit, &bank)
        .await
        .refused(403, "decision.granted");
    // Nor do they make another with one of them, nor take the honest one's role. Nobody could agree to what he asks: who does is the first.
    let request = ask(&app, &xico, &yara).await;
    assert_eq!(agree(&rui, &request).await.ok()["status"], "waiting");
    agree(&xico, &request).await.refused(409, "decision.same_person");
    reject(&eva, &request, "não").await.ok();
    let request = ask_back(&app, &rui, &eva).await;
    agree(&xico, &request).await.refused(403, "decision.granted");
    agree(&eva, &request).await.refused(403, "roles.own");
    reject(&eva, &request, "não").await.refused(403, "roles.own");
    assert_eq!(eva.get("/admin/roles").await.status, 200);
    // The two honest ones do.
    approve_deposit(&eva, &deposit, &bank).await.ok();
}

#[actix_web::test]
async fn a_permission_goes_back_through_any_chain() {
    let app = TestApp::start().await;
    let mut people = Vec::new();
    for name in ["rui", "eva", "davi", "edu"] {
        people.push(app.admin(name).await);
    }
    let [rui, eva, davi, edu]: [Client; 4] = people.try_into().ok().unwrap();
    let (ana, xico, yara, zeca) = (
        app.user("ana").await,
        app.user("xico").await,
        app.user("yara").await,
        app.user("zeca").await,
    );
    made(&app, &rui, &eva, &xico).await;
    app.clock.advance(Duration::hours(25));
    let renewed = |who: &Client| app.renew(who);
    made(&app, &renewed(&xico), &renewed(&davi), &yara).await;
    made(&app, &renewed(&rui), &renewed(&eva), &zeca).await;
    app.clock.advance(Duration::hours(25));
    let deposit = with_proof(&renewed(&ana), "9000", 1).await;
    let bank = end_to_end(app.context.now(), "1");
    approve_deposit(&renewed(&yara), &deposit, &bank).await.ok();
    // Two steps back, one step back, both granters: none of them is a second person of hers.
    for one in [&rui, &eva, &xico, &davi] {
        approve_deposit(&renewed(one), &deposit, &bank)
            .await
            .refused(403, "decision.granted");
    }
    approve_deposit(&renewed(&edu), &deposit, &bank).await.ok();
    // Two whom the same two made are two.
    let deposit = with_proof(&renewed(&ana), "9000", 2).await;
    let bank = end_to_end(app.context.now(), "2");
    approve_deposit(&renewed(&xico), &deposit, &bank).await.ok();
    approve_deposit(&renewed(&zeca), &deposit, &bank).await.ok();
    // The chain stays known when somebody in its middle has gone.
    let request = ask_back(&app, &renewed(&davi), &renewed(&xico)).await;
    agree(&renewed(&edu), &request).await.ok();
    renewed(&xico)
        .get("/admin/roles")
        .await
        .refused(403, "auth.forbidden");
    let deposit = with_proof(&renewed(&ana), "9000", 3).await;
    let bank = end_to_end(app.context.now(), "3");
    approve_deposit(&renewed(&yara), &deposit, &bank).await.ok();
    approve_deposit(&renewed(&rui), &deposit, &bank)
        .await
        .refused(403, "decision.granted");
    approve_deposit(&renewed(&edu), &deposit, &bank).await.ok();
}

#[actix_web::test]
async fn whom_one_person_made_alone_before_are_not_two() {
    let app = TestApp::start().await;
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let (xico, yara) = (app.admin("xico").await, app.admin("yara").await);
    for (whom, by) in [(&xico, &rui), (&yara, &xico)] {
        sqlx::query("UPDATE identity.account_role SET granted_by = $2 WHERE account = $1")
            .bind(whom.user.0)
            .bind(by.user.0)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    let zeca = app.admin("zeca").await;
    sqlx::query("UPDATE identity.account_role SET granted_by = $2 WHERE account = $1")
        .bind(zeca.user.0)
        .bind(rui.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let bank = end_to_end(app.context.now(), "1");
    let deposit = with_proof(&ana, "9000", 1).await;
    approve_deposit(&yara, &deposit, &bank).await.ok();
    for one in [&rui, &xico, &zeca] {
        approve_deposit(one, &deposit, &bank)
            .await
            .refused(403, "decision.granted");
    }
    approve_deposit(&eva, &deposit, &bank).await.ok();
}

#[actix_web::test]
async fn the_servers_role_gives_and_takes_nothing_by_itself() {
    let app = TestApp::start_production(server::foundation::context::Parts::default()).await;
    let (rui, eva, ana) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.user("ana").await,
    );
    let administrator = role(&app, ADMINISTRATOR).await;
    let request = ask(&app, &rui, &ana).await;
    let as_server = async |sql: String| {
        sqlx::query(sqlx::AssertSqlSafe(sql.clone()))
            .execute(app.context.db.pool())
            .await
            .map(|done| done.rows_affected())
            .map_err(|e| e.to_string())
    };
    let (rui_id, eva_id, ana_id, asked) = (rui.user, eva.user, ana.user, id(&request));
    for sql in [
        format!("INSERT INTO identity.account_role (account, role, granted_at) VALUES ('{ana_id}', '{administrator}', now())"),
        format!("INSERT INTO identity.account_role (account, role, granted_at, origin) VALUES ('{ana_id}', '{administrator}', now(), 'console')"),
        format!("INSERT INTO identity.account_role (account, role, granted_at, origin) VALUES ('{ana_id}', '{administrator}', now(), 'seed')"),
        // A request that one approved, and one that counts at once.
        format!("INSERT INTO identity.account_role (account, role, granted_at, counts_at, origin, request, granted_by, seconded_by)
                 VALUES ('{ana_id}', '{administrator}', now(), now() + interval '1 day', 'two', '{asked}', '{rui_id}', '{eva_id}')"),
        format!("UPDATE approvals.grant_request SET status = 'done', decided_by = '{eva_id}', decided_at = now() WHERE id = '{asked}'"),
        format!("UPDATE identity.account_role SET role = '{administrator}' WHERE account = '{ana_id}'"),
        format!("UPDATE identity.account_role SET granted_by = '{ana_id}' WHERE account = '{rui_id}'"),
        format!("DELETE FROM identity.account_role WHERE account = '{eva_id}'"),
        format!("UPDATE identity.account SET status = 'inactive' WHERE id = '{eva_id}'"),
    ] {
        let refused = as_server(sql.clone()).await.unwrap_err();
        assert!(refused.contains("two persons"), "{sql}: {refused}");
    }
    for sql in [
        "UPDATE identity.role SET permissions = permissions || ARRAY['admin_permissions']".to_owned(),
        "INSERT INTO identity.role (id, name, position, permissions) VALUES (gen_random_uuid(), 'x', 9, '{}')".into(),
        "INSERT INTO approvals.admin_grant (account) SELECT id FROM identity.account".into(),
        "UPDATE approvals.admin_grant SET rests_on = '{}'".into(),
        "UPDATE approvals.grant_request SET roles = '{}'".into(),
    ] {
        let refused = as_server(sql.clone()).await.unwrap_err();
        assert!(refused.contains("permission denied"), "{sql}: {refused}");
    }
    // With both words it passes once.
    agree(&eva, &request).await.ok();
    let again = "UPDATE approvals.grant_request SET status = 'waiting', decided_by = NULL, decided_at = NULL";
    assert!(as_server(again.into()).await.unwrap_err().contains("decided"));
}

#[actix_web::test]
async fn what_a_request_may_be() {
    let app = TestApp::start().await;
    let (rui, eva, davi, ana) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("davi").await,
        app.user("ana").await,
    );
    let (administrator, sales, customer) = (
        role(&app, ADMINISTRATOR).await,
        role(&app, SALESPERSON).await,
        role(&app, CUSTOMER).await,
    );
    // Mixed with others it is refused whole; what would change nothing needs nobody.
    add(&rui, &ana, &[administrator.clone(), sales.clone()])
        .await
        .refused(422, "roles.mixed");
    let same = add(&rui, &ana, &[administrator.clone(), customer.clone()]).await;
    assert_eq!(same.status, 202, "who is a customer already gets one role");
    reject(&rui, &same.body["request"], "não é isso").await.ok();
    assert_eq!(
        remove(&rui, &ana, std::slice::from_ref(&administrator))
            .await
            .status,
        200
    );
    add(&rui, &eva, std::slice::from_ref(&administrator)).await.ok();

    // Turned down by anybody, with a reason; nobody's about themself.
    let request = ask_back(&app, &rui, &davi).await;
    reject(&davi, &request, "eu não").await.refused(403, "roles.own");
    reject(&eva, &request, " ")
        .await
        .refused(422, "decision.reason_missing");
    let ended = reject(&eva, &request, "ele fica").await.ok();
    assert_eq!(
        (&ended["status"], &ended["reason"]),
        (&json!("rejected"), &json!("ele fica"))
    );
    agree(&eva, &request).await.refused(409, "decision.done");

    // After a week it is asked anew.
    let request = ask(&app, &rui, &ana).await;
    app.clock.advance(Duration::days(7));
    let (rui, eva) = (app.renew(&rui), app.renew(&eva));
    agree(&eva, &request).await.refused(409, "decision.done");
    let list = rui.get("/admin/grants").await.ok();
    assert_eq!(list["requests"][0]["status"], "lapsed");
    let request = ask(&app, &rui, &ana).await;
    // Two at once give it once.
    let davi = app.renew(&davi);
    let (a, b) = tokio::join!(agree(&eva, &request), agree(&davi, &request));
    let mut answers = [a.status, b.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409]);
    let people = rui.get("/admin/role-holders").await.ok();
    let shown = people["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|p| p["person"]["username"] == "ana")
        .unwrap()
        .clone();
    assert_eq!(
        (&shown["decides"]["origin"], &shown["decides"]["grantedBy"]),
        (&json!("two"), &json!("rui"))
    );
    assert_eq!(people["data"].as_array().unwrap().len(), 4);
    let second = rui.get("/admin/role-holders?limit=3&page=2").await.ok();
    assert_eq!(
        (second["data"].as_array().unwrap().len(), &second["meta"]["total"]),
        (1, &json!(4)),
        "none is left out silently"
    );
    let found = rui.get("/admin/role-holders?search=ANA").await.ok();
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn everybody_who_decides_hears_of_it() {
    let app = TestApp::start().await;
    let (rui, eva, davi, ana) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("davi").await,
        app.user("ana").await,
    );
    let mut socket = Live::open(&app, &davi).await;
    socket.subscribe(&format!("user:{}", davi.user)).await;
    let request = ask(&app, &rui, &ana).await;
    let fact = socket.fact("admin_grant.changed").await;
    assert_eq!(fact["event"]["grant"]["_id"], request["_id"]);
    agree(&eva, &request).await.ok();
    let fact = socket.fact("admin_grant.changed").await;
    assert_eq!(fact["event"]["grant"]["status"], "done");
    freeze(&rui, &eva).await.ok();
    let fact = socket.fact("admin_freeze.changed").await;
    assert_eq!(fact["event"]["freeze"]["frozen"]["username"], "eva");
    drain(&app).await;
    assert_eq!(
        codes(&inbox(&davi).await),
        ["admin_freeze_begun", "admin_grant_added", "admin_grant_asked_add"]
    );
    assert_eq!(
        codes(&inbox(&ana).await),
        ["admin_freeze_begun", "admin_grant_added"]
    );
    let mails: Vec<(String, i64)> = sqlx::query_as(
        "SELECT recipient, count(*) FROM foundation.mail WHERE template = 'admin_rights' GROUP BY recipient ORDER BY 1",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    let expected = [("ana", 2), ("davi", 3), ("eva", 3), ("rui", 3)];
    assert_eq!(
        mails,
        expected.map(|(name, n)| (format!("{name}@example.com"), n))
    );
    // Roles by their names in the reader's language.
    let bodies: Vec<String> = sqlx::query_scalar(
        "SELECT text_body FROM foundation.mail WHERE template = 'admin_rights' AND text_body LIKE '%Papéis%'",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap();
    assert!(!bodies.is_empty() && bodies.iter().all(|b| b.contains("Papéis: Administrador")));
    let names: Vec<String> = sqlx::query_scalar("SELECT name FROM identity.role ORDER BY position")
        .fetch_all(&app.sql)
        .await
        .unwrap();
    for locale in [Locale::Pt, Locale::En, Locale::Es] {
        let mut known = locale.keys("roles");
        known.sort_unstable();
        let mut all = ROLES.to_vec();
        all.sort_unstable();
        assert_eq!(known, all);
    }
    assert_eq!(names, ROLES);
}

/// Neither who brought somebody nor whom they brought gives, takes or agrees to a right of theirs.
#[actix_web::test]
async fn nobody_changes_the_rights_of_their_direct_line() {
    let app = TestApp::start().await;
    let (up, eva, leo) = (
        app.admin("up").await,
        app.admin("eva").await,
        app.admin("leo").await,
    );
    let (ana, down) = (app.user("ana").await, app.admin("down").await);
    crate::deciders::sponsor(&app, &ana, &up).await;
    crate::deciders::sponsor(&app, &down, &ana).await;
    let (administrator, salesperson) = (role(&app, ADMINISTRATOR).await, role(&app, SALESPERSON).await);
    let request = ask(&app, &eva, &ana).await;
    for near in [&up, &down] {
        for wanted in [&administrator, &salesperson] {
            add(near, &ana, std::slice::from_ref(wanted))
                .await
                .refused(403, "decision.own_money");
        }
        agree(near, &request).await.refused(403, "decision.own_money");
        reject(near, &request, "não")
            .await
            .refused(403, "decision.own_money");
    }
    agree(&leo, &request).await.ok();
    for near in [&up, &down] {
        remove(near, &ana, std::slice::from_ref(&administrator))
            .await
            .refused(403, "decision.own_money");
    }
    let back = ask_back(&app, &leo, &ana).await;
    for near in [&up, &down] {
        agree(near, &back).await.refused(403, "decision.own_money");
    }
    agree(&eva, &back).await.ok();
}
