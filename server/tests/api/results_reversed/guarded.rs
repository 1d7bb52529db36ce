//! Once, whole and decided: at once, around the program, and in whatever order.

use super::{by_two, made, reverse, settled, totals, whole};
use crate::{
    copying::noon,
    grants::freeze,
    kit::TestApp,
    robots::{robot, share},
};
use actors::desk::cohort::Share;
use protocol::money::Usdt;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

#[actix_web::test]
async fn at_once_it_goes_back_once() {
    let app = TestApp::start().await;
    noon(&app);
    let ana = app.user("ana").await;
    let (rui, eva, leo) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("leo").await,
    );
    let licence = robot(&app, &ana, 200).await;
    let before = totals(&app, &ana, licence).await;
    let wrong = made(&app, &ana, licence, 30_000).await;
    // Two first words at once are a first and a second one.
    let (a, b) = tokio::join!(
        reverse(&app, &rui, licence, wrong, "Engano"),
        reverse(&app, &eva, licence, wrong, "Engano")
    );
    let mut reversed = [a.ok()["reversed"].clone(), b.ok()["reversed"].clone()];
    reversed.sort_by_key(Value::to_string);
    assert_eq!(reversed, [json!(false), json!(true)]);
    assert_eq!(totals(&app, &ana, licence).await, before);
    let wrong = made(&app, &ana, licence, -40_000).await;
    reverse(&app, &rui, licence, wrong, "Engano").await.ok();
    let (a, b, booked) = tokio::join!(
        reverse(&app, &eva, licence, wrong, "Engano"),
        reverse(&app, &leo, licence, wrong, "Engano"),
        made(&app, &ana, licence, 5_000)
    );
    let mut statuses = [a.status, b.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", a.body, b.body);
    whole(&app).await;
    by_two(&app, (&rui, &eva), licence, booked).await.ok();
    assert_eq!(totals(&app, &ana, licence).await, before);
    whole(&app).await;
}

/// An operation counts for the desk as long as a share of it does: of two who take back the last two at once, one takes the operation along.
#[actix_web::test]
async fn what_is_left_of_an_operation_goes_back_at_once() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (rui, eva, leo) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("leo").await,
    );
    let (one, two) = (robot(&app, &ana, 200).await, robot(&app, &bea, 200).await);
    let shares = [
        share(&ana, one, Usdt::whole(10)),
        share(&bea, two, Usdt::whole(10)),
    ];
    for results in [
        [vec![30_000, 20_000], vec![9_000, -1_000]],
        [vec![-30_000, 20_000], vec![5_000, -80_000]],
        [vec![-30_000, -20_000], vec![70_000, 60_000]],
    ] {
        let made = settled(&app, &shares, &results).await;
        for licence in [one, two] {
            reverse(&app, &rui, licence, made[0], "Engano").await.ok();
        }
        let (a, b) = tokio::join!(
            reverse(&app, &eva, one, made[0], ""),
            reverse(&app, &leo, two, made[1], "")
        );
        assert_eq!(
            (&a.ok()["reversed"], &b.ok()["reversed"]),
            (&json!(true), &json!(true))
        );
        whole(&app).await;
        let counted: Vec<(i64, i64, i64)> =
            sqlx::query_as("SELECT operations, manual_operations, volume FROM robots.desk_day")
                .fetch_all(&app.sql)
                .await
                .unwrap();
        assert_eq!(counted, [(0, 0, 0)], "nothing stands");
    }
}

#[actix_web::test]
async fn the_database_takes_no_result_back_without_its_decision() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, rui, leo) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("leo").await,
    );
    let licence = robot(&app, &ana, 200).await;
    let wrong = made(&app, &ana, licence, 30_000).await;
    reverse(&app, &rui, licence, wrong, "Engano").await.ok();
    freeze(&app.renew(&rui), &leo).await.ok();
    reverse(&app, &leo, licence, wrong, "Engano")
        .await
        .refused(403, "decision.frozen");
    let forged = sqlx::query(
        "INSERT INTO robots.share_reversal (operation, licence, reversal, transfer, reason, at)
         SELECT $1, r.licence, r.id, (SELECT id FROM ledger.transfer LIMIT 1), 'x', now() FROM robots.reversal r",
    )
    .bind(wrong.0)
    .execute(app.context.db.pool())
    .await
    .unwrap_err();
    let constraint = forged.as_database_error().and_then(|e| e.constraint());
    assert_eq!(constraint, Some("result_reversal_approved"), "{forged}");
    for sql in [
        "UPDATE robots.reversal SET asked_at = now()",
        "DELETE FROM robots.share_reversal",
    ] {
        assert!(sqlx::query(sql).execute(&app.sql).await.is_err(), "{sql}");
    }
}

/// Whatever happens and is taken back, in whatever order: totals are the sums of what stands, and the books are exact.
#[actix_web::test]
async fn random_results_and_reversals_leave_what_stands() {
    let app = TestApp::start().await;
    noon(&app);
    let (ana, bea) = (app.user("ana").await, app.user("bea").await);
    let (rui, eva) = (app.admin("rui").await, app.admin("eva").await);
    let robots = [
        (&ana, robot(&app, &ana, 300).await),
        (&ana, robot(&app, &ana, 200).await),
        (&bea, robot(&app, &bea, 400).await),
    ];
    let shares: Vec<Share> = robots
        .iter()
        .map(|(user, licence)| share(user, *licence, Usdt::whole(20)))
        .collect();
    let mut random = StdRng::seed_from_u64(143);
    let mut operations = Vec::new();
    let mut done = 0;
    for round in 0..14 {
        if random.random_range(0..3) < 2 || operations.is_empty() {
            let results: Vec<Vec<i64>> = (0..random.random_range(1..=2))
                .map(|_| {
                    shares
                        .iter()
                        .map(|_| random.random_range(-9_000_000..9_000_000))
                        .collect()
                })
                .collect();
            operations.extend(settled(&app, &shares, &results).await);
        }
        let which = operations[random.random_range(0..operations.len())];
        let (_, licence) = robots[random.random_range(0..robots.len())];
        let first = reverse(&app, &rui, licence, which, "Engano").await;
        if first.status == 200 {
            let second = reverse(&app, &eva, licence, which, "").await;
            assert_eq!(second.ok()["reversed"], true);
            done += 1;
        } else {
            assert!(
                [
                    "result.reversed",
                    "result.no_room",
                    "result.spent",
                    "request.not_found"
                ]
                .contains(&first.code()),
                "{}",
                first.body
            );
        }
        if round % 5 == 4 {
            whole(&app).await;
        }
    }
    assert!(done > 4, "{done} taken back");
    whole(&app).await;
}
