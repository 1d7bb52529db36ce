//! A person closes their own account: empty, seven days later, for good.

use crate::{
    chain::restarts::cut,
    identity::people::{
        OTHER_PASSWORD, Person, email_factor, form, lift_caps, link, login, mail, mails, member, other,
        register, security_code, with_cookie,
    },
    kit::{Client, Reply, TestApp, live::Live},
    licences::{balance, exact, fund, house},
    pix::{approve, end_to_end, with_proof},
    staff_people::{approve as grant, edit, move_mailbox},
};
use protocol::money::{Pyx, Usdt};
use serde_json::{Value, json};
use server::{
    foundation::{clock::Clock, job_queue::NewJob, locale::Locale},
    identity::{
        jobs as identity_jobs, kept,
        service::{self as identity, DemoUser},
    },
    jobs,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
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

async fn its_day(app: &TestApp) {
    app.clock.advance(WAIT + Duration::SECOND);
    work(app).await;
}

fn in_the_way(view: &Value) -> Vec<&str> {
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
async fn what_is_in_the_way_is_said_and_uses_no_code_up() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let admin = app.admin("bia").await;
    // Who decides, the last of them too, loses the role first.
    let body = json!({ "password": "any", "securityCode": "123456" });
    admin
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.by_two");

    let ana = member(&app, "Ana", "arbora").await;
    for (status, reason) in [("inactive", "suspeita"), ("active", "voltou")] {
        let change = json!({ "status": status, "reason": reason });
        assert_eq!(edit(&admin, &ana.client, change).await.status, 200);
    }
    let code = security_code(&app, &ana, "close-account").await;
    let body = json!({ "password": ana.password, "securityCode": code });
    let proof = with_proof(&ana.client, "40", 3).await;
    let now = app.clock.now();
    let add = [
        "UPDATE identity.account SET hold_until = $2 WHERE id = $1",
        "INSERT INTO approvals.compliance_case (id, user_id, flow, usdt, reasons, opened_at)
         VALUES (gen_random_uuid(), $1, 'transfer', 1, ARRAY['amount'], $2)",
    ];
    for sql in add {
        sqlx::query(sql)
            .bind(ana.client.user.0)
            .bind(now + Duration::HOUR)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    let view = ana.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&view), ["deposits", "cases", "hold"]);
    assert_eq!(
        (&view["needs"][0]["count"], &view["needs"][0]["ways"]),
        (&json!(1), &json!(["pix"]))
    );
    assert_eq!(view["needs"][1]["ways"], json!([]));
    assert!(view["needs"][2]["until"].is_string());
    let bea = member(&app, "Bea", "arbora").await;
    fund(&app, &bea.client, UserAccount::Available, 5).await;
    fund(&app, &bea.client, UserAccount::Sponsored, 7).await;
    let rich = bea.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&rich), ["available", "sponsored"]);
    assert_eq!(
        (&rich["needs"][0]["usdt"], &rich["needs"][1]["usdt"]),
        (&json!("5.000000"), &json!("7.000000"))
    );
    ana.client
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.unsettled");

    // One after the other is settled; the last thing alone is enough.
    let no = json!({ "id": proof["_id"], "status": "rejected", "reason": "Não chegou" });
    admin.patch("/admin/deposits-pix-approve-reject", &no).await.ok();
    let settle = [
        "UPDATE approvals.compliance_case SET status = 'cleared', decided_at = $2,
             decided_by = (SELECT id FROM identity.account WHERE username = 'bia') WHERE user_id = $1",
        "UPDATE identity.account SET hold_until = $2::timestamptz - interval '1 day' WHERE id = $1",
    ];
    for sql in settle {
        ana.client
            .post("/me/closing", &body)
            .await
            .refused(422, "closing.unsettled");
        sqlx::query(sql)
            .bind(ana.client.user.0)
            .bind(now)
            .execute(&app.sql)
            .await
            .unwrap();
    }
    // A wallet of one's own is settled by its owner.
    sqlx::query(
        "WITH key AS (
             INSERT INTO wallet.master_key (version, fingerprint, created_at) VALUES (7, decode(repeat('c1', 32), 'hex'), now()) RETURNING version)
         INSERT INTO wallet.user_wallet (id, owner, address, entropy, data_key, key_version, created_at)
         SELECT gen_random_uuid(), $1, decode(repeat('c2', 20), 'hex'), decode(repeat('c3', 44), 'hex'), decode(repeat('c4', 60), 'hex'), version, now()
         FROM key",
    )
    .bind(ana.client.user.0)
    .execute(&app.sql)
    .await
    .unwrap();
    ana.client
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.wallet");
    let mut settled = body.clone();
    settled["walletSettled"] = json!(true);
    settled["reason"] = json!("Vou usar outra plataforma");
    let view = ana.client.post("/me/closing", &settled).await.ok();
    assert!(
        view["waiting"]["dueAt"].is_string(),
        "the refusals used no code up"
    );
    its_day(&app).await;
    let admin = app.renew(&admin);
    let person = admin.get(&format!("/admin/user/{}", ana.client.user)).await.ok();
    assert_eq!(person["closingReason"], "Vou usar outra plataforma");
    assert!(person["closedAt"].is_string());
    // What staff had said of it is not overwritten.
    assert_eq!(
        (&person["statusReason"], &person["statusBy"]["username"]),
        (&json!("voltou"), &json!("bia"))
    );
}

/// A change that one of the team asked for is no role that decides.
#[actix_web::test]
async fn a_change_that_waits_for_a_second_word_has_its_own_name() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let root = app.admin("root").await;
    let ana = member(&app, "Ana", "arbora").await;
    let waits = edit(&root, &ana.client, json!({ "email": "outro@example.com" })).await;
    assert_eq!(waits.status, 202, "{}", waits.body);
    let view = ana.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&view), ["change"]);
    let body = json!({ "password": ana.password, "securityCode": "123456" });
    ana.client
        .post("/me/closing", &body)
        .await
        .refused(422, "closing.unsettled");
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

#[actix_web::test]
async fn what_came_in_meanwhile_keeps_it_open() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    fund(&app, &ana.client, UserAccount::Available, 5).await;
    its_day(&app).await;
    assert_eq!(
        (
            &*status(&app, &ana.client).await,
            &*state(&app, &ana.client).await
        ),
        ("active", "kept")
    );
    assert_eq!(mails(&app, &ana.email, "closing").await, 2);
    let client = app.renew(&ana.client);
    let me = client.get("/me").await.ok();
    assert_eq!(me["user"]["closingAt"], Value::Null);
    assert_eq!(in_the_way(&client.get("/me/closing").await.ok()), ["available"]);
}

/// A rank that somebody has reached, whose bonus nobody has asked to be paid.
async fn ranked(app: &TestApp, who: &Client) {
    sqlx::query(
        "WITH day AS (
             INSERT INTO affiliates.closing (id, day, settings_version, opened_at, step, finished_at)
             VALUES (gen_random_uuid(), '2026-11-01', 1, $2, 'done', $2) RETURNING id)
         INSERT INTO affiliates.graduation (id, member, rank, threshold, rate, amount, settings_version, closing, business_day, reached_at)
         SELECT gen_random_uuid(), $1, 1, 1000000000, 50000, 50000000, 1, id, '2026-11-01', $2 FROM day",
    )
    .bind(who.user.0)
    .bind(app.clock.now())
    .execute(&app.sql)
    .await
    .unwrap();
}

/// PYX of somebody's own, as a round that has ended brings them.
async fn coins(app: &TestApp, who: &Client, pyx: Pyx) {
    let mut tx = app.context.db.begin().await.unwrap();
    let vested = Transfer::new(
        TransferKind::PresaleVesting,
        "some-coins",
        Cause::new(CauseKind::User, who.user.0),
        Orderer::System,
    )
    .pyx(AccountRef::House(HouseAccount::PyxSupply), -pyx)
    .pyx(AccountRef::User(who.user, UserAccount::Pyx), pyx);
    ledger::post(&mut tx, vested).await.unwrap();
    tx.commit().await.unwrap();
}

/// Less than the smallest withdrawal, and a prize that nobody pays, keep nobody here who names them whole.
#[actix_web::test]
async fn what_is_too_little_to_be_taken_out_is_left_to_the_house() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    fund(&app, &ana.client, UserAccount::Available, 3).await;
    coins(&app, &ana.client, Pyx(400_000)).await;
    ranked(&app, &ana.client).await;
    let view = ana.client.get("/me/closing").await.ok();
    assert_eq!(in_the_way(&view), ["available", "pyx", "ranks"]);
    let needs = view["needs"].as_array().unwrap();
    assert!(needs.iter().all(|need| need["leavable"] == true), "{view}");
    let code = security_code(&app, &ana, "close-account").await;
    let mut body = json!({ "password": ana.password, "securityCode": code });
    for left in [
        json!(null),
        json!({ "available": "3" }),
        json!({ "available": "3", "ranks": "50" }),
        json!({ "available": "2.999999", "pyx": "0.4", "ranks": "50" }),
        json!({ "available": "3.000001", "pyx": "0.4", "ranks": "50" }),
    ] {
        body["left"] = left;
        ana.client
            .post("/me/closing", &body)
            .await
            .refused(422, "closing.unsettled");
    }
    body["left"] = json!({ "available": "3", "pyx": "0.4", "ranks": "50" });
    let view = ana.client.post("/me/closing", &body).await.ok();
    assert_eq!(
        view["left"],
        json!({ "available": "3.000000", "pyx": "0.400000", "ranks": "50.000000" })
    );
    let said = mail(&app, &ana.email, "closing").await;
    for sum in ["3,00", "0,40", "50,00"] {
        assert!(said.contains(sum), "{said}");
    }
    assert_eq!(
        balance(&app, &ana.client, UserAccount::Available).await,
        Usdt::whole(3)
    );
    its_day(&app).await;
    assert_eq!(status(&app, &ana.client).await, "closed");
    assert_eq!(
        balance(&app, &ana.client, UserAccount::Available).await,
        Usdt::ZERO
    );
    assert_eq!(house(&app, HouseAccount::LeftBehind).await, Usdt::whole(3));
    let kept: (i64, i64, i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM affiliates.graduation WHERE member = $1 AND given_up_at IS NOT NULL),
                (SELECT count(*) FROM foundation.audit WHERE subject = $1 AND action = 'closing.left_behind'
                    AND details ->> 'usdt' = '3.000000' AND details ->> 'ranks' = '50.000000'),
                (SELECT count(*) FROM ledger.transfer WHERE kind = 'left_behind' AND cause = $1),
                (SELECT balance::bigint FROM ledger.account WHERE name = 'left_behind' AND currency = 'PYX')",
    )
    .bind(ana.client.user.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(kept, (1, 1, 1, 400_000));
    exact(&app).await;
    // What is nobody's is told as such, and a prize that was given up is none that is paid or due.
    let admin = app.admin("bia").await;
    let report = admin.get("/admin/solvency").await.ok();
    assert_eq!(
        [
            &report["pyx"]["issued"],
            &report["pyx"]["owed"],
            &report["pyx"]["leftBehind"]
        ],
        [&json!("0.400000"), &json!("0.000000"), &json!("0.400000")]
    );
    let ranks = admin.get("/admin/graduation").await.ok();
    let all = &ranks["metrics"][0];
    assert_eq!(
        (&all["count"], &all["unpaid"], &all["bonus"]),
        (&json!(1), &json!(0), &json!("0.000000"))
    );
}

/// What was named is what is there, or nothing was left.
#[actix_web::test]
async fn another_sum_than_was_named_is_not_taken() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    fund(&app, &ana.client, UserAccount::Available, 3).await;
    let code = security_code(&app, &ana, "close-account").await;
    let body = json!({ "password": ana.password, "securityCode": code, "left": { "available": "3" } });
    ana.client.post("/me/closing", &body).await.ok();
    fund(&app, &ana.client, UserAccount::Available, 1).await;
    its_day(&app).await;
    assert_eq!(state(&app, &ana.client).await, "kept");
    assert_eq!(
        balance(&app, &ana.client, UserAccount::Available).await,
        Usdt::whole(4)
    );
    // As much as can be taken out is not left.
    fund(&app, &ana.client, UserAccount::Available, 6).await;
    let client = app.renew(&ana.client);
    let view = client.get("/me/closing").await.ok();
    assert_eq!(
        (&view["needs"][0]["usdt"], &view["needs"][0]["leavable"]),
        (&json!("10.000000"), &json!(false))
    );
}

/// Whoever said that they have no wallet, or that it is settled, has not said it of what came after.
#[actix_web::test]
async fn a_wallet_that_came_meanwhile_keeps_it_open() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    ask(&app, &ana).await.ok();
    app.clock.advance(Duration::DAY);
    for sql in [
        "INSERT INTO wallet.master_key (version, fingerprint, created_at)
         VALUES (1, sha256(convert_to($1::uuid::text, 'UTF8')), $2)",
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
    its_day(&app).await;
    assert_eq!(state(&app, &ana.client).await, "kept");
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

/// What was paid by PIX and is only found when its owner has left goes into no balance.
#[actix_web::test]
async fn a_deposit_by_pix_of_who_has_left_is_credited_to_nobody() {
    let app = TestApp::start().await;
    lift_caps(&app).await;
    let ana = member(&app, "Ana", "arbora").await;
    let proof = with_proof(&ana.client, "40", 3).await;
    sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
        .bind(ana.client.user.0)
        .bind(app.clock.now())
        .execute(&app.sql)
        .await
        .unwrap();
    let admin = app.admin("bia").await;
    approve(&admin, &proof, &end_to_end(app.clock.now(), "1"))
        .await
        .refused(403, "auth.closed");
    let no = json!({ "id": proof["_id"], "status": "rejected", "reason": "Devolvido a quem pagou" });
    admin.patch("/admin/deposits-pix-approve-reject", &no).await.ok();
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
