//! The first of two words: it counts while whoever spoke it may decide, it can be taken back, and it never stands in the way for ever.

use crate::{
    grants::{freeze, made},
    guard::settings,
    identity::roles::{remove, role},
    kit::{ADMINISTRATOR, Client, Reply, TestApp, live::Live, locks},
    licences::{exact, id},
    pix::{self, approve, end_to_end, with_proof},
    pools, presale, robots,
};
use futures_util::join;
use protocol::{
    ids::{LicenceId, OperationId},
    money::Usdt,
};
use serde_json::{Value, json};
use server::robots::service::{reserve, settle};
use sqlx::AssertSqlSafe;
use time::Duration;

pub async fn take_back(by: &Client, kind: &str, of: &str) -> Reply {
    by.post("/admin/approvals/take-back", &json!({ "kind": kind, "id": of }))
        .await
}

fn standing(reply: &Value) -> (i64, i64, &str) {
    (
        reply["approvals"].as_i64().unwrap(),
        reply["approvalsNeeded"].as_i64().unwrap(),
        reply["status"].as_str().unwrap(),
    )
}

/// How the words about something stand for who looks: whose count, and whether one's own is there.
async fn words(by: &Client, kind: &str, of: &str) -> Value {
    let seen = by
        .get(&format!("/admin/approvals/preview?kind={kind}&id={of}"))
        .await;
    match seen.status {
        200 => json!({ "needed": seen.body["needed"], "completes": seen.body["completes"],
            "given": seen.body["given"].as_array().unwrap().iter().map(|g| g["username"].clone()).collect::<Vec<_>>() }),
        _ => json!(seen.code()),
    }
}

async fn owner(app: &TestApp, sql: String) {
    sqlx::query(AssertSqlSafe(sql)).execute(&app.sql).await.unwrap();
}

async fn fallen(app: &TestApp) -> Vec<(String, String)> {
    sqlx::query_as(
        "SELECT a.username, f.why FROM approvals.fallen f JOIN approvals.decision d ON d.id = f.decision
         JOIN identity.account a ON a.id = d.decided_by ORDER BY f.at, d.id",
    )
    .fetch_all(&app.sql)
    .await
    .unwrap()
}

/// Makes somebody the sponsor of another, as if they had registered so.
async fn sponsor(app: &TestApp, of: &Client, by: &Client) {
    let mut tx = app.sql.begin().await.unwrap();
    let (of, by) = (of.user, by.user);
    for sql in [
        "SET LOCAL session_replication_role = replica".to_owned(),
        format!("UPDATE affiliates.member SET sponsor = '{by}' WHERE id = '{of}'"),
    ] {
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *tx).await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[actix_web::test]
async fn the_word_of_who_may_decide_no_more_counts_no_more() {
    let app = TestApp::start().await;
    let (ana, eva, leo) = (
        app.user("ana").await,
        app.admin("eva").await,
        app.admin("leo").await,
    );
    for (n, what) in ["role", "again", "off", "frozen", "line"].into_iter().enumerate() {
        let n = u8::try_from(n).unwrap() + 1;
        let rui = app.admin(&format!("rui{n}")).await;
        let deposit = with_proof(&ana, "9000", n).await;
        let bank = end_to_end(app.context.now(), &n.to_string());
        let first = approve(&rui, &deposit, &bank).await.ok();
        assert_eq!(standing(&first), (1, 2, "pending_approval"), "{what}");
        let (user, administrator) = (rui.user, role(&app, ADMINISTRATOR).await);
        let gone = format!(
            "DELETE FROM identity.account_role WHERE account = '{user}' AND role = '{administrator}'"
        );
        app.clock.advance(Duration::SECOND);
        match what {
            "role" => owner(&app, gone).await,
            "again" => {
                owner(&app, gone).await;
                let now = app.context.now();
                sqlx::query("INSERT INTO identity.account_role (account, role, granted_at, origin) VALUES ($1, $2::uuid, $3, 'console')")
                    .bind(user.0)
                    .bind(&administrator)
                    .bind(now)
                    .execute(&app.sql)
                    .await
                    .unwrap();
            }
            "off" => {
                owner(
                    &app,
                    format!("UPDATE identity.account SET status = 'inactive' WHERE id = '{user}'"),
                )
                .await;
            }
            "frozen" => {
                let other = app.admin("mia").await;
                freeze(&other, &rui).await.ok();
            }
            _ => sponsor(&app, &ana, &rui).await,
        }
        // The database by itself: no second word behind it, whatever the server does.
        let forged = sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, position, needed, at)
             SELECT gen_random_uuid(), kind, subject, customer, digest, usdt, '{}', 'approve', 2, 2, now() + interval '1 day'
             FROM approvals.decision WHERE decided_by = '{user}'",
            eva.user
        )))
        .execute(&app.sql)
        .await
        .unwrap_err();
        let constraint = forged.as_database_error().and_then(|e| e.constraint());
        assert_eq!(constraint, Some("decision_first_fell"), "{what}: {forged}");
        let of = pix::id(&deposit);
        assert_eq!(
            words(&eva, "pix_deposit", &of).await,
            json!({ "needed": 2, "completes": false, "given": [] }),
            "{what}"
        );
        let anew = approve(&eva, &deposit, &bank).await.ok();
        assert_eq!(standing(&anew), (1, 2, "pending_approval"), "{what}");
        assert_eq!(fallen(&app).await.last().unwrap().1, "speaker", "{what}");
        let done = approve(&leo, &deposit, &bank).await.ok();
        assert_eq!(standing(&done), (2, 2, "approved"), "{what}");
    }
    assert_eq!(fallen(&app).await.len(), 5);
    let told: i64 =
        sqlx::query_scalar("SELECT count(*) FROM foundation.audit WHERE action = 'decision.word_fell'")
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(told, 5);
    for sql in [
        "UPDATE approvals.fallen SET why = 'alone'",
        "DELETE FROM approvals.fallen",
        "TRUNCATE approvals.fallen",
    ] {
        let refused = sqlx::query(sql).execute(&app.sql).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{sql}");
    }
    exact(&app).await;
}

async fn pause(app: &TestApp, by: &Client) -> String {
    let day = (app.context.now() + Duration::days(3)).date().to_string();
    let body = json!({ "reason": "Investigação", "reviewDate": day });
    let pauses = by.post("/admin/outbound-pauses", &body).await.ok();
    pauses["data"][0]["_id"].as_str().unwrap().to_owned()
}

async fn lift(by: &Client, pause: &str) -> Reply {
    by.post(
        &format!("/admin/outbound-pauses/{pause}/lift"),
        &crate::pauses::ended(),
    )
    .await
}

#[actix_web::test]
async fn a_word_that_nobody_could_follow_is_not_in_the_way() {
    let app = TestApp::start().await;
    let (rui, eva, xico) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.user("xico").await,
    );
    made(&app, &rui, &eva, &xico).await;
    app.clock.advance(Duration::hours(25));
    let (rui, eva, xico) = (app.renew(&rui), app.renew(&eva), app.renew(&xico));
    let stands = pause(&app, &rui).await;
    let asked = lift(&xico, &stands).await.ok();
    assert_eq!(asked["data"][0]["liftAskedBy"], "xico");
    // Whoever gave him the permission is no second person of his, and there is no third: theirs is the first.
    let waits = rui.get("/admin/waiting").await.ok();
    assert!(waits.to_string().contains("pauses"));
    let anew = lift(&rui, &stands).await.ok();
    assert_eq!(
        (&anew["data"][0]["liftAskedBy"], &anew["data"][0]["liftedAt"]),
        (&json!("rui"), &Value::Null)
    );
    // Whom he made is still no second person of his.
    lift(&xico, &stands).await.refused(403, "decision.granted");
    let ended = lift(&eva, &stands).await.ok();
    assert!(ended["data"][0]["liftedAt"].is_string(), "{ended}");
    assert_eq!(fallen(&app).await, [("xico".to_owned(), "alone".to_owned())]);

    // Where there is a third one, the word stands: he or she can follow it.
    let davi = app.admin("davi").await;
    let stands = pause(&app, &rui).await;
    lift(&xico, &stands).await.ok();
    lift(&rui, &stands).await.refused(403, "decision.granted");
    // Frozen, the third one cannot.
    let mia = app.admin("mia").await;
    freeze(&mia, &davi).await.ok();
    let anew = lift(&rui, &stands).await.ok();
    assert_eq!(anew["data"][0]["liftAskedBy"], "rui");
    lift(&eva, &stands).await.ok();
}

#[actix_web::test]
async fn taking_the_permission_takes_the_word_out_of_the_way() {
    let app = TestApp::start().await;
    let (rui, eva, davi, xico) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("davi").await,
        app.user("xico").await,
    );
    made(&app, &rui, &eva, &xico).await;
    app.clock.advance(Duration::hours(25));
    let (rui, eva, davi, xico) = (
        app.renew(&rui),
        app.renew(&eva),
        app.renew(&davi),
        app.renew(&xico),
    );
    let stands = pause(&app, &davi).await;
    lift(&xico, &stands).await.ok();
    lift(&rui, &stands).await.refused(403, "decision.granted");
    let asked = remove(&rui, &xico, &[role(&app, ADMINISTRATOR).await]).await;
    let path = format!("/admin/grants/{}/approve", id(&asked.body["request"]));
    eva.post(&path, &json!({})).await.ok();
    // It is no longer shown as asked for.
    let list = rui.get("/admin/outbound-pauses").await.ok();
    assert_eq!(list["data"][0]["liftAskedBy"], Value::Null);
    let anew = lift(&rui, &stands).await.ok();
    assert_eq!(anew["data"][0]["liftAskedBy"], "rui");
    assert!(lift(&eva, &stands).await.ok()["data"][0]["liftedAt"].is_string());
}

#[actix_web::test]
async fn who_spoke_first_takes_the_word_back() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let (root, second) = (app.admin("root").await, app.admin("second").await);
    let before = with_proof(&bia, "4990", 1).await;
    approve(&root, &before, &end_to_end(app.context.now(), "1"))
        .await
        .ok();
    // Two are asked for because of what else this approver approved of today.
    let made = with_proof(&ana, "60", 2).await;
    let (of, bank) = (pix::id(&made), end_to_end(app.context.now(), "2"));
    take_back(&root, "pix_deposit", &of)
        .await
        .refused(409, "decision.no_word");
    assert_eq!(standing(&approve(&root, &made, &bank).await.ok()).0, 1);
    take_back(&ana, "pix_deposit", &of)
        .await
        .refused(403, "auth.forbidden");
    take_back(&second, "pix_deposit", &of)
        .await
        .refused(409, "decision.no_word");
    for wrong in ["wishes", "pix_key"] {
        take_back(&root, wrong, &of).await.refused(422, "request.invalid");
    }
    let mut socket = Live::open(&app, &second).await;
    socket.subscribe("queue:settings").await;
    socket.subscribe("queue:pix-deposits").await;
    assert_eq!(take_back(&root, "pix_deposit", &of).await.status, 204);
    let (mut fell, mut row) = (None, None);
    while fell.is_none() || row.is_none() {
        let message = socket.expect("event").await;
        match message["event"]["kind"].as_str() {
            Some("decision.word_fell") => fell = Some(message["event"].clone()),
            Some("queue.changed") => row = Some(message["event"]["item"]["deposit"].clone()),
            _ => {}
        }
    }
    let fell = fell.unwrap();
    assert_eq!(
        (&fell["decision"], &fell["subject"]),
        (&json!("pix_deposit"), &json!(of))
    );
    assert_eq!(standing(&row.unwrap()), (0, 2, "pending_approval"));
    take_back(&root, "pix_deposit", &of)
        .await
        .refused(409, "decision.no_word");
    assert_eq!(fallen(&app).await, [("root".to_owned(), "taken_back".to_owned())]);
    // Two were asked for once, and one is not enough now for who has approved of nothing else.
    assert_eq!(
        words(&second, "pix_deposit", &of).await,
        json!({ "needed": 2, "completes": false, "given": [] })
    );
    let queue = "/admin/list-deposits-pix-approve-reject?status=pending_approval";
    let shown = &second.get(queue).await.ok()["data"][0];
    let signals = shown["signals"].as_array().unwrap();
    assert!(signals.contains(&json!("large_amount")), "{shown}");
    assert_eq!(
        standing(&approve(&second, &made, &bank).await.ok()),
        (1, 2, "pending_approval")
    );
    assert_eq!(
        words(&root, "pix_deposit", &of).await,
        json!({ "needed": 2, "completes": true, "given": ["second"] })
    );
    assert_eq!(
        standing(&approve(&root, &made, &bank).await.ok()),
        (2, 2, "approved")
    );
    take_back(&second, "pix_deposit", &of)
        .await
        .refused(409, "decision.done");
    exact(&app).await;
}

/// Nothing falls away that is complete, and nothing completes what has fallen away.
#[actix_web::test]
async fn a_word_taken_back_and_its_second_meet_once() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    let (mut credited, mut back) = (0, 0);
    for n in 1..=8_u8 {
        let deposit = with_proof(&ana, "6000", n).await;
        let bank = end_to_end(app.context.now(), &n.to_string());
        approve(&bia, &deposit, &bank).await.ok();
        let of = pix::id(&deposit);
        let (taken, second) = join!(
            take_back(&bia, "pix_deposit", &of),
            approve(&caio, &deposit, &bank)
        );
        let second = second.ok();
        match taken.status {
            204 => {
                back += 1;
                assert_eq!(standing(&second), (1, 2, "pending_approval"));
            }
            _ => {
                credited += 1;
                assert_eq!(taken.code(), "decision.done");
                assert_eq!(standing(&second), (2, 2, "approved"));
            }
        }
    }
    assert_eq!(credited + back, 8);
    assert_eq!(pix::available(&app, &ana).await, 6_000_000_000 * credited);
    exact(&app).await;
}

/// The database by itself lets only one of them through, in whichever order they come.
#[actix_web::test]
async fn the_database_lets_a_word_fall_or_be_followed() {
    let app = TestApp::start().await;
    let (ana, bia, caio) = (
        app.user("ana").await,
        app.admin("bia").await,
        app.admin("caio").await,
    );
    for (n, falls) in [(1_u8, true), (2, false)] {
        let deposit = with_proof(&ana, "6000", n).await;
        approve(&bia, &deposit, &end_to_end(app.context.now(), &n.to_string()))
            .await
            .ok();
        let of = pix::id(&deposit);
        let fall = format!(
            "INSERT INTO approvals.fallen (decision, why, fell_by, at) SELECT id, 'taken_back', decided_by, at FROM approvals.decision WHERE subject = '{of}'"
        );
        let follow = format!(
            "INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, position, needed, at)
             SELECT gen_random_uuid(), kind, subject, customer, digest, usdt, '{}', 'approve', 2, 2, at
             FROM approvals.decision WHERE subject = '{of}'",
            caio.user
        );
        let (earlier, later) = if falls { (fall, follow) } else { (follow, fall) };
        let mut tx = app.sql.begin().await.unwrap();
        sqlx::query(AssertSqlSafe(earlier))
            .execute(&mut *tx)
            .await
            .unwrap();
        let waits = async {
            locks::waiting(&app, 1).await;
            tx.commit().await.unwrap();
        };
        let (refused, ()) = join!(sqlx::query(AssertSqlSafe(later)).execute(&app.sql), waits);
        let refused = refused.unwrap_err();
        let constraint = refused.as_database_error().and_then(|e| e.constraint());
        assert_eq!(constraint, Some("decision_done"), "{refused}");
    }
    // Not another's, and not what still counts.
    let deposit = with_proof(&ana, "6000", 3).await;
    approve(&bia, &deposit, &end_to_end(app.context.now(), "3"))
        .await
        .ok();
    for why in ["taken_back", "speaker", "alone"] {
        let refused = sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO approvals.fallen (decision, why, fell_by, at)
             SELECT id, '{why}', '{}', at FROM approvals.decision WHERE subject = '{}'",
            caio.user,
            pix::id(&deposit)
        )))
        .execute(&app.sql)
        .await
        .unwrap_err();
        let constraint = refused.as_database_error().and_then(|e| e.constraint());
        assert_eq!(constraint, Some("fallen_stands"), "{why}: {refused}");
    }
}

/// One thing of each kind that staff ask for by themselves, with its first word by this person.
async fn asked_for(app: &TestApp, by: &Client, other: &Client, ana: &Client) -> Vec<(&'static str, String)> {
    let bank = end_to_end(app.context.now(), "1");
    let credited = with_proof(ana, "9000", 1).await;
    approve(by, &credited, &bank).await.ok();
    approve(other, &credited, &bank).await.ok();
    crate::claw_back::reverse(by, &credited).await.ok();
    let stands = pause(app, other).await;
    lift(by, &stands).await.ok();
    let sponsored = by
        .post(
            "/admin/balance-manager/add-remove-balance",
            &json!({ "userId": ana.user, "operation": "add", "value": "6000", "reason": "Campanha" }),
        )
        .await
        .ok();
    let declared = json!({ "place": "Kraken", "value": "6000", "note": "Extrato" });
    let declared = by.post("/admin/declared-holdings", &declared).await.ok();
    let revenue = pools::revenue(app, by, "10", 3, 1, 1).await.ok();
    let round = presale::propose(by, &presale::terms(app)).await;
    let revision = by.get("/admin/settings").await.ok()["revision"].clone();
    let change = json!({ "revision": revision, "changes": { "withdrawalFee": "6" }, "reason": "Decisão" });
    let change = by.post("/admin/settings", &change).await.ok();
    let yara = app.user("yara").await;
    let grant = crate::identity::roles::add(by, &yara, &[role(app, ADMINISTRATOR).await]).await;
    let (mia, leo) = (app.admin("mia").await, app.admin("leo").await);
    let frozen = freeze(&mia, &leo).await.ok();
    by.post(&format!("/admin/freezes/{}/lift", id(&frozen)), &json!({}))
        .await
        .ok();
    let robot = crate::robots::robot(app, ana, 100).await;
    let wrong = settled(app, ana, robot).await;
    let path = format!("/admin/robots/{robot}/operations/{wrong}/reverse");
    let result = by.post(&path, &json!({ "reason": "Engano" })).await.ok();
    vec![
        ("result_reversal", id(&result)),
        ("pix_reversal", pix::id(&credited)),
        ("pause_lift", stands),
        ("sponsorship", id(&sponsored)),
        ("declared_holdings", id(&declared)),
        ("pool_revenue", id(&revenue)),
        ("money_settings", round),
        ("money_settings", id(&change)),
        ("admin_grant", id(&grant.body["request"])),
        ("admin_grant", id(&frozen)),
    ]
}

/// An operation of a robot, as the desk books it.
pub async fn settled(app: &TestApp, of: &Client, robot: LicenceId) -> OperationId {
    let operation = OperationId::fresh();
    let (fence, share) = (
        robots::fence(app).await,
        robots::share(of, robot, Usdt::whole(10)),
    );
    reserve(&app.context, fence, operation, &[share]).await.unwrap();
    let made = robots::batch(vec![robots::operation(operation, &[(share, 30_000)])]);
    settle(&app.context, fence, &made).await.unwrap();
    operation
}

#[actix_web::test]
async fn whatever_two_decide_its_first_word_can_be_taken_back() {
    let app = TestApp::start().await;
    settings(&app, |_| {}).await;
    let (ana, root, second) = (
        app.user("ana").await,
        app.admin("root").await,
        app.admin("second").await,
    );
    for (kind, of) in asked_for(&app, &root, &second, &ana).await {
        assert_eq!(words(&root, kind, &of).await, "decision.same_person", "{kind}");
        assert_eq!(
            words(&second, kind, &of).await,
            json!({ "needed": 2, "completes": true, "given": ["root"] }),
            "{kind}"
        );
        let reply = take_back(&root, kind, &of).await;
        assert_eq!(reply.status, 204, "{kind}: {}", reply.body);
        take_back(&root, kind, &of).await.refused(409, "decision.no_word");
        for one in [&root, &second] {
            assert_eq!(
                words(one, kind, &of).await,
                json!({ "needed": 2, "completes": false, "given": [] }),
                "{kind}"
            );
        }
    }
    for (list, shown) in [
        ("/admin/list-deposits-pix-approve-reject", "reversalAskedBy"),
        ("/admin/outbound-pauses", "liftAskedBy"),
    ] {
        let rows = second.get(list).await.ok();
        assert!(
            rows["data"][0].get(shown).is_none_or(Value::is_null),
            "{list}: {rows}"
        );
    }
}

/// An order's author is not bound to it: two others agree, or the author with another, and never the author behind another's word.
#[actix_web::test]
async fn what_was_ordered_is_agreed_to_by_two_others() {
    let app = TestApp::start().await;
    let (root, eva, leo) = (
        app.admin("root").await,
        app.admin("eva").await,
        app.admin("leo").await,
    );
    let revision = root.get("/admin/settings").await.ok()["revision"].clone();
    let change = json!({ "revision": revision, "changes": { "withdrawalFee": "6" }, "reason": "Decisão" });
    let change = root.post("/admin/settings", &change).await.ok();
    let yara = app.user("yara").await;
    let grant = crate::identity::roles::add(&root, &yara, &[role(&app, ADMINISTRATOR).await]).await;
    let (change, grant) = (id(&change), id(&grant.body["request"]));
    for (kind, of) in [("money_settings", &change), ("admin_grant", &grant)] {
        assert_eq!(take_back(&root, kind, of).await.status, 204);
    }
    let agree = format!("/admin/settings/changes/{change}/agree");
    assert_eq!(eva.post(&agree, &json!({})).await.ok()["status"], "waiting");
    root.post(&agree, &json!({}))
        .await
        .refused(409, "decision.same_person");
    assert_eq!(leo.post(&agree, &json!({})).await.ok()["status"], "agreed");
    let agree = format!("/admin/grants/{grant}/approve");
    assert_eq!(eva.post(&agree, &json!({})).await.ok()["status"], "waiting");
    root.post(&agree, &json!({}))
        .await
        .refused(409, "decision.same_person");
    assert_eq!(leo.post(&agree, &json!({})).await.ok()["status"], "done");
    let people = root.get("/admin/role-holders?search=yara").await.ok();
    let decides = &people["data"][0]["decides"];
    assert_eq!(
        (&decides["grantedBy"], &decides["secondedBy"]),
        (&json!("eva"), &json!("leo"))
    );
}

/// Of every kind that staff ask for by a request: its author is not the second, neither at the call, nor in what is said before it, nor
/// past the server; where nobody else would be one, the other's word makes way.
#[actix_web::test]
async fn an_author_is_never_the_second_of_two() {
    let app = TestApp::start().await;
    let (root, eva) = (app.admin("root").await, app.admin("eva").await);
    let ana = app.user("ana").await;
    let ordered = async || {
        let order = crate::sponsorship::order(&root, &ana, "add", "6000", None)
            .await
            .ok();
        let declared = crate::treasury::declare(&root, "Kraken", "6000").await.ok();
        [("sponsorship", id(&order)), ("declared_holdings", id(&declared))]
    };
    let agree = async |by: &Client, kind: &str, of: &str| {
        let path = match kind {
            "sponsorship" => "/admin/balance-manager/approve-reject",
            _ => "/admin/declared-holdings/approve-reject",
        };
        by.patch(path, &json!({ "id": of, "approve": true })).await
    };
    let (first, leo) = (ordered().await, app.admin("leo").await);
    for (kind, of) in &first {
        assert_eq!(take_back(&root, kind, of).await.status, 204, "{kind}");
        assert_eq!(agree(&eva, kind, of).await.ok()["approvals"], 1, "{kind}");
        agree(&root, kind, of).await.refused(409, "decision.same_person");
        root.get(&format!("/admin/approvals/preview?kind={kind}&id={of}"))
            .await
            .refused(409, "decision.same_person");
        let forced = sqlx::query(
            "INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, position, needed, at)
             SELECT gen_random_uuid(), kind, subject, customer, digest, usdt, $2, verdict, 2, needed, at FROM approvals.decision
             WHERE subject = $1::uuid AND decided_by <> $2 AND position = 1",
        )
        .bind(of)
        .bind(root.user.0)
        .execute(&app.sql)
        .await;
        assert!(
            forced.unwrap_err().to_string().contains("no second person"),
            "{kind}"
        );
        assert_eq!(agree(&leo, kind, of).await.ok()["approvals"], 2, "{kind}");
    }
    // Only the two are left: the other's word would wait for ever.
    freeze(&leo, &app.admin("mia").await).await.ok();
    for (kind, of) in &ordered().await {
        assert_eq!(take_back(&root, kind, of).await.status, 204, "{kind}");
        assert_eq!(agree(&eva, kind, of).await.ok()["approvals"], 1, "{kind}");
        assert_eq!(agree(&root, kind, of).await.ok()["approvals"], 1, "{kind}");
        assert_eq!(agree(&eva, kind, of).await.ok()["approvals"], 2, "{kind}");
    }
}
