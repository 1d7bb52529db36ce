//! What the joined statements read behind a lock was committed before they had it.

use crate::{
    copying::noon,
    kit::TestApp,
    licences::fund,
    results_reversed::settled,
    robots::{robot, share},
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    identity::service::HOUSE,
    ledger::{
        amount::Currency,
        model::{AccountRef, UserAccount::Available},
    },
};
use sqlx::AssertSqlSafe;

/// One connection holds a lock and writes behind it; another asks and has to wait; the first one commits: what the other then reads.
async fn read_behind(app: &TestApp, held: String, asked: String) -> Vec<Value> {
    let mut first = app.sql.acquire().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(format!(
        "BEGIN; SET LOCAL session_replication_role = replica; {held}"
    )))
    .execute(&mut *first)
    .await
    .unwrap();
    let mut second = app.sql.acquire().await.unwrap();
    let id: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(&mut *second)
        .await
        .unwrap();
    let answer = actix_web::rt::spawn(async move {
        sqlx::query_scalar::<_, Value>(AssertSqlSafe(format!("SELECT to_jsonb(x) FROM {asked} AS x")))
            .fetch_all(&mut *second)
            .await
            .unwrap()
    });
    let waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted)";
    while !sqlx::query_scalar::<_, bool>(waits)
        .bind(id)
        .fetch_one(&app.sql)
        .await
        .unwrap()
    {
        assert!(!answer.is_finished(), "it did not wait");
        actix_web::rt::task::yield_now().await;
    }
    sqlx::raw_sql("COMMIT").execute(&mut *first).await.unwrap();
    answer.await.unwrap()
}

#[actix_web::test]
async fn what_is_read_behind_a_lock_was_committed_before_it_was_had() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.admin("bia").await);
    fund(&app, &ana, Available, 100).await;
    let (user, staff, thing) = (ana.user, bia.user, uuid::Uuid::now_v7());
    let call = format!("foundation.first_answer('{user}', 'POST /x', 'a-key-of-sixteen')");
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO foundation.idempotency (user_id, route, key, body_hash, status, response, created_at)
             VALUES ('{user}', 'POST /x', 'a-key-of-sixteen', '', 201, '{{}}', now());"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0]["status"], 201);

    let nobody = uuid::Uuid::nil();
    let call = format!(
        "approvals.standing('{user}', true, now(), now() - interval '1 day', '{nobody}', '{nobody}', NULL, NULL)"
    );
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.outbound (id, user_id, action, usdt, at) VALUES ('{thing}', '{user}', 'transfer', 5, now());"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0]["used"], 5);

    let call = format!(
        "approvals.inquiry('{user}', true, now(), now() - interval '1 hour', now() - interval '1 day', now() - interval '30 days', '{nobody}', '{nobody}', NULL, NULL, '{{}}', NULL)"
    );
    let thing_too = uuid::Uuid::now_v7();
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.outbound (id, user_id, action, usdt, at) VALUES ('{thing_too}', '{user}', 'transfer', 5, now());"
        ),
        call,
    )
    .await;
    assert_eq!(
        (&rows[0]["used"], &rows[0]["outs_last_hour"]),
        (&json!(10), &json!(2))
    );

    let call = format!(
        "approvals.standings(ARRAY['{staff}', '{user}']::uuid[], now(), now() - interval '1 day', ARRAY['{nobody}', '{nobody}']::uuid[], ARRAY['{nobody}', '{nobody}']::uuid[])"
    );
    let thing_again = uuid::Uuid::now_v7();
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.outbound (id, user_id, action, usdt, at) VALUES ('{thing_again}', '{user}', 'pyx_trade', 5, now());"
        ),
        call,
    )
    .await;
    let own = rows.iter().find(|row| row["person"] == user.to_string()).unwrap();
    assert_eq!((rows.len(), &own["used"]), (2, &json!(15)));

    let digest = "decode(repeat('00', 32), 'hex')";
    let call = format!(
        "approvals.approved(true, '{staff}', '{user}', 'pix_deposit', '{thing}', {digest}, now() - interval '1 day')"
    );
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.decision (id, kind, subject, customer, digest, usdt, decided_by, verdict, position, needed, at)
             VALUES ('{thing}', 'pix_deposit', '{thing}', '{user}', {digest}, 5, '{staff}', 'approve', 1, 2, now());"
        ),
        call,
    )
    .await;
    assert_eq!((&rows[0]["position"], &rows[0]["needed"]), (&json!(1), &json!(2)));

    let call =
        "identity.tries(ARRAY['a'], ARRAY[now() - interval '1 day'], ARRAY[10]::bigint[], now(), true)"
            .to_owned();
    let rows = read_behind(&app, format!("SELECT * FROM {call};"), call.clone()).await;
    assert_eq!(rows[0]["count"], 1, "the other one's try");

    let call = format!(
        "identity.try_code(ARRAY['b'], ARRAY[now() - interval '1 day'], ARRAY[10]::bigint[], now(), '{user}', NULL, 'transfer', '', 5::smallint)"
    );
    let rows = read_behind(&app, format!("SELECT * FROM {call};"), call.clone()).await;
    assert_eq!(rows[0]["count"], 1, "the other one's try");

    let mail = |id: uuid::Uuid| {
        format!(
            "foundation.put_mail('{id}', 'a@b.c', NULL, 'notice', '', '', '', NULL, '2026-01-01 00:00Z'::timestamptz, '2025-12-31 23:00Z'::timestamptz, 1, false, false, true)"
        )
    };
    let first = format!("SELECT * FROM {};", mail(uuid::Uuid::now_v7()));
    let second = format!("date_part('epoch', {})", mail(uuid::Uuid::now_v7()));
    let rows = read_behind(&app, first, second).await;
    assert_eq!(rows[0], 1_767_229_200_i64, "an hour after the other's");

    let call = "foundation.queue_length('a queue', 'approvals.young_credit', 'usdt > 0')".to_owned();
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO approvals.young_credit (source, user_id, usdt, at, until) VALUES ('{thing}', '{user}', 5, now(), now() + interval '1 hour');"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0], 1);

    let call = format!("affiliates.lock_peak('{user}', now())");
    let rows = read_behind(
        &app,
        format!("SELECT * FROM {call}; UPDATE affiliates.peak SET peak = 7 WHERE member = '{user}';"),
        call,
    )
    .await;
    assert_eq!(rows[0], 7);

    let call = format!("affiliates.lock_place('{user}')");
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; UPDATE affiliates.sponsor_counter SET unlicensed_placed = 7 WHERE sponsor = '{HOUSE}';"
        ),
        call,
    )
    .await;
    assert_eq!(rows[0]["unlicensed_placed"], 7);

    sqlx::query("INSERT INTO presale.trading_session (session, opened_at) VALUES ($1, now())")
        .bind(ana.session.0)
        .execute(&app.sql)
        .await
        .unwrap();
    let call = format!("presale.enter_book('{}', '{user}', '2026-01-01')", ana.session);
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; INSERT INTO presale.reference (day, base, price, part, settings_version, updated_at) VALUES ('2026-01-01', 7, 7, 0, 1, now());"
        ),
        call,
    )
    .await;
    assert_eq!(
        (&rows[0]["opened"], &rows[0]["levels"]),
        (&json!(true), &json!([7]))
    );

    let row = AccountRef::User(user, Available).row_id(Currency::Usdt, 0);
    let call = format!(
        "ledger.lock_accounts(ARRAY['{row}']::uuid[], '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', ARRAY['a key'])"
    );
    let rows = read_behind(
        &app,
        format!(
            "SELECT * FROM {call}; UPDATE ledger.account SET balance = balance - 1, version = version + 1 WHERE id = '{row}';
             INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause)
             VALUES ('{thing}', now(), now()::date, 0, 2, 'user_transfer', 'a key', '', 'user', '{user}');"
        ),
        call,
    )
    .await;
    assert_eq!(rows.len(), 2, "the account, and that the key was booked");
    assert_eq!(rows[0]["balance"], 99_999_999);
    assert!(rows[1]["id"].is_null());
}

/// All that is asked of one settlement is held together: what of an operation is left is seen by whoever takes back the last of it.
#[actix_web::test]
async fn what_is_asked_of_a_settlement_is_read_behind_all_of_it() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (one, two) = (robot(&app, &ana, 200).await, robot(&app, &bea, 200).await);
    let shares = [
        share(&ana, one, Usdt::whole(10)),
        share(&bea, two, Usdt::whole(10)),
    ];
    let operation = settled(&app, &shares, &[vec![30_000, 20_000]]).await[0];
    let ask = |licence| format!("robots.ask_reversal(gen_random_uuid(), '{operation}', '{licence}', now())");
    for licence in [one, two] {
        sqlx::raw_sql(AssertSqlSafe(format!("SELECT FROM {}", ask(licence))))
            .execute(&app.sql)
            .await
            .unwrap();
    }
    let rows = read_behind(&app, format!("SELECT FROM {};", ask(one)), ask(two)).await;
    assert_eq!(rows[0]["reversed"], false, "the other robot's part stands");
    let rows = read_behind(
        &app,
        format!(
            "SELECT FROM {}; INSERT INTO robots.share_reversal (operation, licence, reversal, transfer, reason, at)
             SELECT '{operation}', r.licence, r.id, gen_random_uuid(), 'x', now() FROM robots.reversal r WHERE r.licence = '{one}';",
            ask(one)
        ),
        ask(one),
    )
    .await;
    assert_eq!((rows.len(), &rows[0]["reversed"]), (1, &json!(true)));
}
