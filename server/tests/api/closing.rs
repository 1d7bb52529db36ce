//! A person closes their own account: empty, seven days later, for good.

use crate::{
    chain::restarts::cut,
    identity::people::{
        OTHER_PASSWORD, Person, email_factor, form, lift_caps, link, login, mails, member, other, register,
        security_code, with_cookie,
    },
    kit::{Client, Reply, TestApp, live::Live},
    staff_people::{approve as grant, edit, move_mailbox},
};
use serde_json::{Value, json};
use server::{
    foundation::{clock::Clock, job_queue::NewJob, locale::Locale},
    identity::{
        jobs as identity_jobs, kept,
        service::{self as identity, DemoUser},
    },
    jobs,
    privacy::closing::rules::WAIT,
};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

pub async fn ask(app: &TestApp, who: &Person) -> Reply {
    let code = security_code(app, who, "close-account").await;
    let body = json!({ "password": who.password, "securityCode": code });
    who.client.post("/me/closing", &body).await
}

/// How the newest request of somebody stands.
pub async fn state(app: &TestApp, who: &Client) -> String {
    sqlx::query_scalar(
        "SELECT state FROM privacy.closing WHERE owner = $1 ORDER BY asked_at DESC, id DESC LIMIT 1",
    )
    .bind(who.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap()
}

pub async fn status(app: &TestApp, who: &Client) -> String {
    sqlx::query_scalar("SELECT status FROM identity.account WHERE id = $1")
        .bind(who.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

pub async fn username(app: &TestApp, who: &Client) -> String {
    sqlx::query_scalar("SELECT username FROM identity.account WHERE id = $1")
        .bind(who.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

async fn work(app: &TestApp) {
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

pub async fn its_day(app: &TestApp) {
    app.clock.advance(WAIT + Duration::SECOND);
    work(app).await;
}

pub fn in_the_way(view: &Value) -> Vec<&str> {
    let needs = view["needs"].as_array().unwrap();
    needs.iter().map(|need| need["what"].as_str().unwrap()).collect()
}

#[actix_web::test]
async fn an_empty_account_is_closed_on_its_day_and_for_good() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let admin = app.admin("bia").await;
    let rui = member(&app, "Rui", "arbora").await;
    let rui_name = username(&app, &rui.client).await;
    let ana = member(&app, "Ana", &rui_name).await;
    let before = username(&app, &ana.client).await;
    let view = ana.client.get("/me/closing").await.ok();
    assert_eq!(
        view,
        json!({ "waiting": null, "needs": [], "left": null, "wallet": false, "wait": WAIT.whole_seconds() })
    );

    // What shows that it is the owner.
    let code = security_code(&app, &ana, "close-account").await;
    for (body, refusal) in [
        (
            json!({ "password": ana.password, "securityCode": "" }),
            "code.missing",
        ),
        (
            json!({ "password": "not the password", "securityCode": code }),
            "password.wrong",
        ),
        (
            json!({ "password": ana.password, "securityCode": other(&code) }),
            "code.wrong",
        ),
    ] {
        let reply = ana.client.post("/me/closing", &body).await;
        assert_eq!(reply.code(), refusal, "{}", reply.body);
    }
    // A code for something else is none for this.
    let foreign = security_code(&app, &ana, "change-account-data").await;
    let body = json!({ "password": ana.password, "securityCode": foreign });
    ana.client
        .post("/me/closing", &body)
        .await
        .refused(422, "code.wrong");
    assert_eq!(ana.client.get("/me/closing").await.ok()["waiting"], Value::Null);

    let asked = ask(&app, &ana).await.ok();
    let moment = |text: &Value| OffsetDateTime::parse(text.as_str().unwrap(), &Rfc3339).unwrap();
    assert_eq!(
        moment(&asked["waiting"]["dueAt"]) - moment(&asked["waiting"]["askedAt"]),
        WAIT
    );
    assert_eq!(
        ana.client.get("/me").await.ok()["user"]["closingAt"],
        asked["waiting"]["dueAt"]
    );
    assert_eq!(mails(&app, &ana.email, "closing").await, 1);
    ask(&app, &ana).await.refused(409, "request.conflict");
    let person = admin.get(&format!("/admin/user/{}", ana.client.user)).await.ok();
    assert_eq!(person["closingAt"], asked["waiting"]["dueAt"]);

    // Not before its day.
    app.clock.advance(WAIT - Duration::MINUTE);
    work(&app).await;
    assert_eq!(status(&app, &ana.client).await, "active");
    let ana = Person {
        client: app.renew(&ana.client),
        ..ana
    };
    let mut live = Live::open(&app, &ana.client).await;
    app.clock.advance(Duration::minutes(2));
    work(&app).await;
    assert_eq!(live.closed().await, 4002);
    assert_eq!(
        (
            &*status(&app, &ana.client).await,
            &*state(&app, &ana.client).await
        ),
        ("closed", "closed")
    );
    assert_eq!(mails(&app, &ana.email, "closing").await, 2);

    // Nobody comes in, and who has the password is told why.
    login(&app, &ana.email, &ana.password)
        .await
        .refused(403, "auth.closed");
    login(&app, &ana.email, "not the password")
        .await
        .refused(401, "auth.failed");
    assert_eq!(with_cookie(&app, "/auth/refresh", &ana.refresh).await.status, 401);
    let body = json!({ "email": ana.email });
    app.anonymous().post("/forgot-password", &body).await.ok();
    assert_eq!(mails(&app, &ana.email, "reset_password").await, 0);
    let taken = app
        .anonymous()
        .post("/auth/register/arbora", &form("Ana Outra", &ana.email))
        .await;
    assert_eq!(taken.code(), "email.taken");

    // What names nobody stays in its place, and the old name is nobody's.
    let after = username(&app, &ana.client).await;
    assert!(after.starts_with("closed-"), "{after}");
    let sponsor: uuid::Uuid = sqlx::query_scalar("SELECT sponsor FROM affiliates.member WHERE id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(sponsor, rui.client.user.0);
    for name in [&before, &after] {
        app.anonymous()
            .get(&format!("/affiliates/verify-upline/{name}"))
            .await
            .refused(404, "upline.unknown");
    }
    assert!(!named(&app, &before).await, "the name is given again");
    // Nor is it kept so that a list of names finds it, nor when it was: it would tell whose it was.
    let kept: (bool, bool, String) = sqlx::query_as(
        "SELECT keyed, digest = sha256(convert_to($1, 'UTF8')), pg_typeof(retired_on)::text FROM identity.retired_username",
    )
    .bind(&before)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(kept, (true, false, "date".to_owned()));
    let opened = sqlx::query("UPDATE identity.account SET status = 'active', closed_at = NULL WHERE id = $1")
        .bind(ana.client.user.0)
        .execute(&app.sql)
        .await;
    assert!(opened.is_err(), "closed is for good");

    // Staff see it and change nothing of it.
    let admin = app.renew(&admin);
    let list = admin.get("/admin/users-list/?status=closed").await.ok();
    assert_eq!(list["meta"]["total"], 1);
    let person = admin.get(&format!("/admin/user/{}", ana.client.user)).await.ok();
    assert_eq!(
        (&person["status"], &person["editable"], &person["fullName"]),
        (&json!("closed"), &json!(false), &json!("Ana da Silva"))
    );
    let edit = json!({ "status": "active", "reason": "voltou" });
    let path = format!("/admin/user/{}/edit", ana.client.user);
    assert_eq!(admin.patch(&path, &edit).await.code(), "user.unknown");
    let order = json!({ "userId": ana.client.user, "operation": "add", "value": "10", "reason": "presente" });
    let reply = admin
        .post("/admin/balance-manager/add-remove-balance", &order)
        .await;
    assert!(reply.status >= 400, "{}", reply.body);
}

/// Whether somebody new can be called so.
async fn named(app: &TestApp, username: &str) -> bool {
    let mut tx = app.context.db.begin().await.unwrap();
    let demo = DemoUser {
        email: "outra@example.com",
        full_name: "Outra Pessoa",
        username: Some(username),
        password: None,
        roles: &[],
        locale: Locale::Pt,
        two_factor_email: false,
    };
    let made = identity::create_demo_user(&app.context, &mut tx, &demo).await;
    tx.rollback().await.unwrap();
    made.is_ok()
}

/// Digests that were made before there was a key get one, and keep the name meanwhile.
#[actix_web::test]
async fn names_that_were_retired_without_a_key_get_one() {
    let app = TestApp::start().await;
    sqlx::query(
        "INSERT INTO identity.retired_username (digest, retired_on) VALUES (sha256(convert_to('dora12345', 'UTF8')), '2026-11-27')",
    )
    .execute(&app.sql)
    .await
    .unwrap();
    assert!(!named(&app, "dora12345").await && named(&app, "dora12346").await);
    prune(&app, "names").await;
    let bare: i64 = sqlx::query_scalar("SELECT count(*) FROM identity.retired_username WHERE NOT keyed")
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(bare, 0);
    assert!(!named(&app, "dora12345").await && named(&app, "dora12346").await);
}

/// The hourly run.
async fn prune(app: &TestApp, when: &str) {
    let mut tx = app.context.db.begin().await.unwrap();
    tx.enqueue(NewJob {
        kind: identity_jobs::PRUNE,
        effect: format!("closed:{when}"),
        payload: json!({}),
        run_at: None,
    });
    tx.commit().await.unwrap();
    work(app).await;
}

/// What names the person goes after the time that is told, and no sooner: what relates them to others and their wallet's words with it.
#[actix_web::test]
async fn what_the_law_keeps_goes_after_its_time() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    its_day(&app).await;
    for sql in [
        "INSERT INTO approvals.document (document, user_id, at) VALUES (sha256('cpf'), $1, $2)",
        "INSERT INTO approvals.payer (payer, user_id, at) VALUES (sha256('ana'), $1, $2)",
        "INSERT INTO wallet.master_key (version, fingerprint, created_at) VALUES (1, sha256(convert_to($1::uuid::text, 'UTF8')), $2)",
        "INSERT INTO wallet.user_wallet (id, owner, address, entropy, data_key, key_version, created_at)
         VALUES (gen_random_uuid(), $1, decode(repeat('ab', 20), 'hex'), '\\x00', '\\x00', 1, $2)",
    ] {
        sqlx::query(sql)
            .bind(ana.client.user.0)
            .bind(app.clock.now())
            .execute(&app.sql)
            .await
            .unwrap();
    }
    for (age, password, erased) in [
        (kept::CLOSED_PASSWORDS - Duration::MINUTE, true, false),
        (kept::CLOSED_PASSWORDS + Duration::MINUTE, false, false),
        (kept::CLOSED_ACCOUNTS - Duration::MINUTE, false, false),
        (kept::CLOSED_ACCOUNTS + Duration::MINUTE, false, true),
    ] {
        sqlx::query("UPDATE identity.account SET closed_at = $1 WHERE id = $2")
            .bind(app.clock.now() - age)
            .bind(ana.client.user.0)
            .execute(&app.sql)
            .await
            .unwrap();
        prune(&app, &age.to_string()).await;
        let beside: (i64, i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM approvals.document WHERE user_id = $1), (SELECT count(*) FROM approvals.payer WHERE user_id = $1),
                    (SELECT count(*) FROM wallet.user_wallet WHERE owner = $1 AND length(entropy) > 0)",
        )
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
        let stays = i64::from(!erased);
        assert_eq!(beside, (stays, stays, stays), "{age}");
        let row: (bool, bool, bool, String) = sqlx::query_as(
            "SELECT password_hash IS NOT NULL, erased_at IS NOT NULL, EXISTS (SELECT FROM identity.address d WHERE d.account = a.id),
                    a.full_name || a.email || COALESCE(a.mobile_number, '')
             FROM identity.account a WHERE a.id = $1",
        )
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
        assert_eq!((row.0, row.1, row.2), (password, erased, !erased), "{age}");
        assert_eq!(row.3.contains("Ana"), !erased, "{age}: {}", row.3);
        let said = if password { "auth.closed" } else { "auth.failed" };
        assert_eq!(login(&app, &ana.email, &ana.password).await.code(), said, "{age}");
    }
    // The address is free, the row and the place stay.
    register(&app, "Ana", "arbora").await;
    let places: i64 = sqlx::query_scalar("SELECT count(*) FROM affiliates.member WHERE id = $1")
        .bind(ana.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(places, 1);
}

#[actix_web::test]
async fn its_owner_cancels_and_so_does_a_freeze() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ana.client.delete("/me/closing").await.ok();
    assert_eq!(
        mails(&app, &ana.email, "closing").await,
        0,
        "there was nothing to cancel"
    );
    ask(&app, &ana).await.ok();
    let view = ana.client.delete("/me/closing").await.ok();
    assert_eq!(view["waiting"], Value::Null);
    assert_eq!(state(&app, &ana.client).await, "cancelled");
    assert_eq!(mails(&app, &ana.email, "closing").await, 2);
    its_day(&app).await;
    assert_eq!(status(&app, &ana.client).await, "active");

    let client = app.renew(&ana.client);
    let ana = Person { client, ..ana };
    ask(&app, &ana).await.ok();
    let token = link(&app, &ana.email, "closing", "/freeze/").await;
    let page = format!("http://{}/freeze/{token}", app.address);
    let done = reqwest::Client::new().post(&page).send().await.unwrap();
    assert_eq!(done.status(), 200);
    assert_eq!(state(&app, &ana.client).await, "cancelled");
    its_day(&app).await;
    assert_eq!(status(&app, &ana.client).await, "active");
}

/// Whoever asked may not be who has the account by now: a reset, another password, and what staff do for who was robbed call it off.
#[actix_web::test]
async fn an_account_in_other_hands_is_not_closed() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    for name in ["Ana", "Bea", "Caio", "Davi", "Enzo"] {
        let who = member(&app, name, "arbora").await;
        ask(&app, &who).await.ok();
        let words = json!({ "password": OTHER_PASSWORD, "password_confirmation": OTHER_PASSWORD });
        match name {
            "Ana" => {
                let mail = json!({ "email": who.email });
                app.anonymous().post("/forgot-password", &mail).await.ok();
                let token = link(&app, &who.email, "reset_password", "/reset-password/").await;
                let reply = app
                    .anonymous()
                    .post(&format!("/redefine-password/{token}"), &words)
                    .await;
                assert_eq!(reply.status, 204, "{}", reply.body);
            }
            "Bea" => {
                let mut change = words;
                change["currentPassword"] = json!(who.password);
                change["securityCode"] = json!(security_code(&app, &who, "change-password").await);
                let reply = who.client.post("/me/change-password", &change).await;
                assert_eq!(reply.status, 204, "{}", reply.body);
            }
            "Caio" => move_mailbox(&root, &eva, &who.client, "outro@example.com").await,
            "Davi" => {
                email_factor(&app, &who).await;
                let waits = edit(
                    &root,
                    &who.client,
                    json!({ "twoFactor": false, "reason": "perdeu" }),
                )
                .await;
                assert_eq!(waits.status, 202, "{}", waits.body);
                grant(&eva, &waits.body["request"]).await.ok();
            }
            _ => {
                let off = json!({ "status": "inactive", "reason": "suspeita" });
                assert_eq!(edit(&root, &who.client, off).await.status, 200);
            }
        }
        assert_eq!(state(&app, &who.client).await, "cancelled", "{name}");
        // Told where it was asked from.
        assert_eq!(mails(&app, &who.email, "closing").await, 2, "{name}");
        let kept: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM foundation.audit WHERE subject = $1 AND action = 'closing.cancelled' AND actor IS NULL",
        )
        .bind(who.client.user.0)
        .fetch_one(&app.sql)
        .await
        .unwrap();
        assert_eq!(kept, 1, "{name}");
    }
}

/// Staff put another address in place, which nobody has confirmed: the owner can still cancel what waits.
#[actix_web::test]
async fn who_has_not_confirmed_asks_and_cancels_too() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = register(&app, "Ana", "arbora").await;
    ana.client
        .post("/security-code", &json!({ "purpose": "change-password" }))
        .await
        .refused(403, "auth.email_unconfirmed");
    assert_eq!(in_the_way(&ana.client.get("/me/closing").await.ok()), [""; 0]);
    ask(&app, &ana).await.ok();
    assert_eq!(
        ana.client.delete("/me/closing").await.ok()["waiting"],
        Value::Null
    );
    assert_eq!(state(&app, &ana.client).await, "cancelled");
}

/// What staff stopped does not leave through another door.
#[actix_web::test]
async fn who_is_switched_off_waits_for_staff() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    sqlx::query("UPDATE identity.account SET status = 'inactive' WHERE id = $1")
        .bind(ana.client.user.0)
        .execute(&app.sql)
        .await
        .unwrap();
    its_day(&app).await;
    assert_eq!(
        (
            &*status(&app, &ana.client).await,
            &*state(&app, &ana.client).await
        ),
        ("inactive", "kept")
    );
}

/// Whoever is first, the request and the account say the same.
#[actix_web::test]
async fn cancelling_and_closing_at_once_leave_one_of_both() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let mut people = Vec::new();
    for name in ["Ana", "Bea", "Caio", "Davi"] {
        let who = member(&app, name, "arbora").await;
        ask(&app, &who).await.ok();
        people.push(who);
    }
    app.clock.advance(WAIT + Duration::SECOND);
    let clients: Vec<Client> = people.iter().map(|who| app.renew(&who.client)).collect();
    let cancels = clients.iter().map(|client| client.delete("/me/closing"));
    let (_, round) =
        futures_util::future::join(futures_util::future::join_all(cancels), jobs::round(&app.context)).await;
    round.unwrap();
    app.clock.advance(Duration::minutes(2));
    work(&app).await;
    for (who, client) in people.iter().zip(&clients) {
        let (account, request) = (status(&app, client).await, state(&app, client).await);
        assert!(
            matches!(
                (&*account, &*request),
                ("closed", "closed") | ("active", "cancelled")
            ),
            "{}: {account}, {request}",
            who.email
        );
        assert_eq!(mails(&app, &who.email, "closing").await, 2, "{}", who.email);
    }
}

#[actix_web::test]
async fn a_server_killed_between_any_two_steps_closes_once() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    work(&app).await;
    app.clock.advance(WAIT + Duration::SECOND);
    let mut polls = 1;
    while cut(jobs::round(&app.context), polls).await.is_none() {
        let closed = status(&app, &ana.client).await == "closed";
        assert_eq!(
            closed,
            state(&app, &ana.client).await == "closed",
            "{polls} polls"
        );
        assert_eq!(
            mails(&app, &ana.email, "closing").await,
            if closed { 2 } else { 1 },
            "{polls} polls"
        );
        // Another server takes what the killed one had in hand.
        app.clock.advance(Duration::minutes(2));
        sqlx::query("UPDATE foundation.job SET attempts = 0")
            .execute(&app.sql)
            .await
            .unwrap();
        polls += 1;
    }
    work(&app).await;
    assert!(polls > 3, "{polls}");
    assert_eq!(status(&app, &ana.client).await, "closed");
    assert_eq!(mails(&app, &ana.email, "closing").await, 2);
}
