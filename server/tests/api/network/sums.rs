//! Sums that are kept while things are booked, beside a slow reading of what they are of.

use super::Life;
use crate::kit::TestApp;
use rand::Rng;
use serde_json::json;
use server::{
    affiliates::closing::{service as closings, sums},
    foundation::job_queue::Claimed,
    robots::days,
};
use sqlx::{AssertSqlSafe, FromRow, postgres::PgRow};
use std::fmt::Debug;
use time::{Date, Duration};
use uuid::Uuid;

/// Of the day that is closed next; before the first closing of the last on which something was brought.
const DAY: &str = "(SELECT coalesce((SELECT max(day) + 1 FROM affiliates.closing),
    (SELECT max(day) FROM (SELECT day FROM affiliates.day_gain UNION ALL SELECT day FROM affiliates.gained) d)))";
/// What everybody's residual bonuses would be paid on, with all that is left to be summed.
const FORESEEN: &str = "SELECT n.member, g.first, g.second, g.third
     FROM affiliates.node n CROSS JOIN LATERAL affiliates.gains_of(n.member, DAY, 1000000) g
     WHERE (g.first, g.second, g.third) <> (0, 0, 0) ORDER BY 1";

async fn rows<T>(app: &TestApp, sql: &str) -> Vec<T>
where
    T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    sqlx::query_as(AssertSqlSafe(sql.replace("DAY", DAY)))
        .fetch_all(&app.sql)
        .await
        .unwrap()
}

async fn same<T>(app: &TestApp, what: &str, kept: &str, slow: &str)
where
    T: for<'r> FromRow<'r, PgRow> + Send + Unpin + PartialEq + Debug,
{
    let (kept, slow): (Vec<T>, Vec<T>) = (rows(app, kept).await, rows(app, slow).await);
    assert_eq!(kept, slow, "{what}");
}

/// Every sum is what a slow reading of its parts gives.
pub async fn equal(app: &TestApp) {
    same::<(Uuid, i64)>(
        app,
        "what robots brought their owners",
        "SELECT member, sum(result)::bigint FROM (
             SELECT member, result FROM affiliates.day_gain WHERE day = DAY
             UNION ALL
             SELECT u.member, u.result FROM affiliates.gained g CROSS JOIN LATERAL unnest(g.members, g.results) AS u(member, result)
             WHERE g.day = DAY) r
         GROUP BY 1 HAVING sum(result) <> 0 ORDER BY 1",
        "SELECT d.owner, sum(d.gain - d.loss)::bigint FROM robots.day_result d
         WHERE d.day = DAY GROUP BY d.owner HAVING sum(d.gain - d.loss) <> 0 ORDER BY 1",
    )
    .await;
    same::<(Uuid, i64)>(
        app,
        "what is set off first",
        "SELECT member, to_set_off FROM affiliates.day_gain WHERE to_set_off > 0 ORDER BY 1",
        "SELECT c.member, c.negative FROM affiliates.residual_carry c WHERE c.negative > 0 ORDER BY 1",
    )
    .await;
    same::<(Uuid, i64, i64, i64)>(
        app,
        "what residual bonuses would be paid on",
        FORESEEN,
        "WITH RECURSIVE up AS (
             SELECT n.sponsor AS above, 1 AS step, r.base FROM affiliates.node n JOIN (
                 SELECT d.owner, greatest(sum(d.gain - d.loss)
                            - coalesce((SELECT c.negative FROM affiliates.residual_carry c WHERE c.member = d.owner), 0), 0)::bigint AS base
                 FROM robots.day_result d WHERE d.day = DAY GROUP BY d.owner) r ON r.owner = n.member
             WHERE r.base > 0
             UNION ALL
             SELECT n.sponsor, u.step + 1, u.base FROM up u JOIN affiliates.node n ON n.no = u.above WHERE u.step < 3)
         SELECT a.member, coalesce(sum(u.base) FILTER (WHERE u.step = 1), 0)::bigint, coalesce(sum(u.base) FILTER (WHERE u.step = 2), 0)::bigint,
                coalesce(sum(u.base) FILTER (WHERE u.step = 3), 0)::bigint
         FROM up u JOIN affiliates.node a ON a.no = u.above WHERE a.sponsor IS NOT NULL GROUP BY a.member ORDER BY 1",
    )
    .await;
    same::<(i32, i64, i64, i64, i64)>(
        app,
        "those whom each brought",
        "SELECT n.no, d.referrals, d.active, d.active_left, d.active_right
         FROM affiliates.node n CROSS JOIN LATERAL affiliates.directs_of(n.no) d WHERE d.referrals > 0 ORDER BY n.no",
        "SELECT n.sponsor, count(*), count(*) FILTER (WHERE a.active), count(*) FILTER (WHERE a.active AND NOT n.on_right),
                count(*) FILTER (WHERE a.active AND n.on_right)
         FROM affiliates.node n CROSS JOIN LATERAL (SELECT affiliates.is_active(n.member) AS active) a
         WHERE n.sponsor IS NOT NULL GROUP BY n.sponsor ORDER BY n.sponsor",
    )
    .await;
    same::<(i32, Date, String, i16, i64, i64)>(
        app,
        "what bonuses brought in a month",
        "SELECT no, month, kind, level, paid, waiting FROM affiliates.bonus_month WHERE paid > 0 OR waiting > 0 ORDER BY 1, 2, 3, 4",
        "SELECT n.no, date_trunc('month', b.business_day::timestamp)::date, b.kind, b.level, sum(b.paid - b.returned)::bigint, sum(b.waiting)::bigint
         FROM affiliates.bonus b JOIN affiliates.node n ON n.member = b.receiver
         GROUP BY 1, 2, 3, 4 HAVING sum(b.paid - b.returned) > 0 OR sum(b.waiting) > 0 ORDER BY 1, 2, 3, 4",
    )
    .await;
    same::<(i32, Date, i64)>(
        app,
        "in which month they came",
        "SELECT sponsor, month, sum(referrals)::bigint FROM (
             SELECT sponsor, month, referrals FROM affiliates.directs_month
             UNION ALL
             SELECT n.no, u.month, 1 FROM affiliates.node n CROSS JOIN LATERAL affiliates.uncounted(n.no) u WHERE u.fresh) m
         GROUP BY 1, 2 ORDER BY 1, 2",
        "SELECT n.sponsor, date_trunc('month', m.registered_at AT TIME ZONE 'America/Sao_Paulo')::date, count(*)
         FROM affiliates.node n JOIN affiliates.member m ON m.id = n.member WHERE n.sponsor IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2",
    )
    .await;
}

/// How many results are in no sum.
async fn left(app: &TestApp) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM affiliates.gained")
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

/// What each would get residual bonuses on, by level.
async fn foreseen(app: &TestApp) -> Vec<(Uuid, i16, i64)> {
    rows::<(Uuid, i64, i64, i64)>(app, FORESEEN)
        .await
        .into_iter()
        .flat_map(|(member, first, second, third)| {
            [(1, first), (2, second), (3, third)].map(|(level, base)| (member, level, base))
        })
        .filter(|(.., base)| *base > 0)
        .collect()
}

/// What the last closing has booked residual bonuses on.
async fn booked(app: &TestApp) -> Vec<(Uuid, i16, i64)> {
    rows(
        app,
        "SELECT receiver, level, sum(base)::bigint FROM affiliates.bonus
         WHERE kind = 'residual' AND cause = (SELECT id FROM affiliates.closing ORDER BY day DESC LIMIT 1)
         GROUP BY 1, 2 ORDER BY 1, 2",
    )
    .await
}

impl Life {
    /// One of today's results is taken back.
    async fn take_result_back(&mut self, (who, licence, amount): (usize, Uuid, i64)) {
        let gone = sqlx::query(
            "WITH gone AS (DELETE FROM robots.day_result WHERE licence = $1 RETURNING day, owner, gain - loss AS result)
             SELECT affiliates.leave_results(day, now(), ARRAY[owner], ARRAY[-result]) FROM gone",
        )
        .bind(licence)
        .execute(&self.app.sql)
        .await
        .unwrap();
        assert_eq!(gone.rows_affected(), 1);
        self.network.gained(who, -amount);
    }
}

/// Days of sales, gains, losses, reversals of both, people who stand still and come back, closings: after each, every sum is the slow reading,
/// counted by the jobs or not, and what is foreseen at the end of a day is what its closing books.
#[actix_web::test]
async fn sums_are_what_a_slow_reading_gives() {
    for seed in [31, 32] {
        let mut life = Life::begin(seed).await;
        life.people(60).await;
        life.set_active(3, false).await;
        equal(&life.app).await;
        for day in 0..4 {
            let mut brought = Vec::new();
            for _ in 0..6 {
                life.live(2, 6).await;
                let who = life.anyone().unwrap();
                let amount = life.dice.random_range(-4_000_000..6_000_000);
                if amount != 0 {
                    brought.push((who, life.gain_of(who, amount).await, amount));
                }
                equal(&life.app).await;
                if life.chance(40) && !brought.is_empty() {
                    let at = life.dice.random_range(0..brought.len());
                    life.take_result_back(brought.swap_remove(at)).await;
                    equal(&life.app).await;
                }
                if life.chance(30) {
                    sums::count(&life.app.context).await.unwrap();
                    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM affiliates.touched")
                        .fetch_one(&life.app.sql)
                        .await
                        .unwrap();
                    assert_eq!(left, 0, "all is in the counters");
                    sums::gains(&life.app.context).await.unwrap();
                    assert_eq!(self::left(&life.app).await, 0, "all is in the sums");
                    equal(&life.app).await;
                }
            }
            let foreseen = foreseen(&life.app).await;
            assert!(!foreseen.is_empty());
            life.close().await;
            assert_eq!(booked(&life.app).await, foreseen, "day {day}");
            equal(&life.app).await;
            life.equal().await;
            let set_off: i64 =
                sqlx::query_scalar("SELECT count(*) FROM affiliates.day_gain WHERE to_set_off > 0")
                    .fetch_one(&life.app.sql)
                    .await
                    .unwrap();
            assert!(set_off > 0, "losses are carried after day {day}");
        }
    }
}

/// Robots of these members bring so much each on a day, in one transaction.
async fn book(app: &TestApp, day: Date, members: &[Uuid], amount: i64) {
    sqlx::query(
        "WITH day AS (
             INSERT INTO robots.day_result (licence, mode, day, owner, gain, loss, fees, operations, hits)
             SELECT gen_random_uuid(), 'simulated', $1, owner, greatest(amount, 0), greatest(-amount, 0), 0, 1, 0
             FROM unnest($2::uuid[], $3::bigint[]) AS t(owner, amount))
         SELECT affiliates.leave_results($1, now(), $2, $3)",
    )
    .bind(day)
    .bind(members)
    .bind(vec![amount; members.len()])
    .execute(&app.sql)
    .await
    .unwrap();
}

/// Many who book results below the same sponsors, and some who sum them, at once: all count, once.
#[actix_web::test]
async fn results_booked_and_summed_at_once_all_count() {
    let mut life = Life::begin(33).await;
    life.people(30).await;
    let day = life.date();
    let members: Vec<Uuid> = life.network.members.iter().skip(1).map(|m| m.id).collect();
    let mut backwards = members.clone();
    backwards.reverse();
    let app = &life.app;
    let book = async |members: &[Uuid], amount: i64| {
        for _ in 0..10 {
            self::book(app, day, members, amount).await;
        }
    };
    let sum = async || {
        for _ in 0..10 {
            sums::gains(&life.app.context).await.unwrap();
        }
    };
    futures_util::join!(
        book(&members, 300),
        book(&backwards, -200),
        book(&members, 50),
        book(&backwards, 7),
        sum(),
        sum()
    );
    equal(&life.app).await;
    sums::gains(&life.app.context).await.unwrap();
    assert_eq!(left(&life.app).await, 0);
    equal(&life.app).await;
}

/// Sums are written in parts; one that dies in the middle has taken nothing away, and whoever settles meanwhile waits for nobody.
#[actix_web::test]
async fn what_dies_while_it_sums_loses_nothing_and_holds_nobody_up() {
    let mut life = Life::begin(34).await;
    life.people(20).await;
    for who in 1..=20 {
        life.gain(who, 1_000_000 * i64::try_from(who).unwrap()).await;
    }
    let sum = "SELECT affiliates.count_gained($1)";
    let more: bool = sqlx::query_scalar(sum)
        .bind(5i64)
        .fetch_one(&life.app.sql)
        .await
        .unwrap();
    assert!(more);
    assert_eq!(left(&life.app).await, 15, "so many owners at a time");
    equal(&life.app).await;

    let mut dies = life.app.sql.begin().await.unwrap();
    let id: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(&mut *dies)
        .await
        .unwrap();
    let more: bool = sqlx::query_scalar(sum)
        .bind(5i64)
        .fetch_one(&mut *dies)
        .await
        .unwrap();
    assert!(more);
    // It holds the rows of those above: a settlement goes by, and another sum has nothing to do.
    life.trade(3, -700_000).await;
    life.trade(20, 900_000).await;
    sums::gains(&life.app.context).await.unwrap();
    assert_eq!(left(&life.app).await, 17);
    let ended: bool = sqlx::query_scalar("SELECT pg_terminate_backend($1, 10000)")
        .bind(id)
        .fetch_one(&life.app.sql)
        .await
        .unwrap();
    assert!(ended);
    assert!(dies.commit().await.is_err());
    assert_eq!(left(&life.app).await, 17, "nothing was taken");
    equal(&life.app).await;
    sums::gains(&life.app.context).await.unwrap();
    assert_eq!(left(&life.app).await, 0);
    equal(&life.app).await;
    life.close().await;
    life.equal().await;
}

/// A day is closed while what it brought is still summed and robots go on in the next one: what is set off meets what is left, once.
#[actix_web::test]
async fn a_closing_beside_the_sums_and_the_next_days_results_leaves_them_exact() {
    let mut life = Life::begin(35).await;
    life.people(30).await;
    let members: Vec<Uuid> = life.network.members.iter().skip(1).map(|m| m.id).collect();
    for _ in 0..3 {
        for who in 1..=members.len() {
            let amount = life.dice.random_range(-3_000_000..3_000_000);
            if amount != 0 {
                life.gain(who, amount).await;
            }
        }
        let foreseen = foreseen(&life.app).await;
        let tomorrow = life.date() + Duration::days(1);
        life.sleep();
        let app = &life.app;
        let sum = async || {
            for _ in 0..20 {
                sums::gains(&app.context).await.unwrap();
            }
        };
        let go_on = async || {
            for _ in 0..5 {
                book(app, tomorrow, &members, 400_000).await;
            }
        };
        let (closed, (), (), ()) = futures_util::join!(
            closings::close_due(&app.context, days::results_of),
            sum(),
            sum(),
            go_on()
        );
        assert_eq!(closed.unwrap(), 1);
        assert_eq!(booked(app).await, foreseen);
        life.closed().await;
        for who in 1..=members.len() {
            life.network.gained(who, 5 * 400_000);
        }
        equal(&life.app).await;
        life.equal().await;
        sums::gains(&life.app.context).await.unwrap();
        assert_eq!(left(&life.app).await, 0);
        equal(&life.app).await;
    }
}

/// Whatever is taken from a table fails so many times. What counts the times outlives what is undone.
async fn failing(app: &TestApp, table: &str, times: usize) {
    sqlx::raw_sql(AssertSqlSafe(format!(
        "CREATE SEQUENCE public.tries;
         CREATE FUNCTION public.fails() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
         BEGIN
             IF nextval('public.tries') <= {times} THEN
                 RAISE EXCEPTION 'it fails';
             END IF;
             RETURN NULL;
         END $$;
         CREATE TRIGGER fails BEFORE DELETE ON affiliates.{table} FOR EACH STATEMENT EXECUTE FUNCTION public.fails();"
    )))
    .execute(&app.sql)
    .await
    .unwrap();
}

/// A step that fails once is done again by the same job; one that fails twice comes back with it. Nothing is taken away, and the other step is done.
#[actix_web::test]
async fn a_step_that_fails_is_done_again_and_finds_all_of_it() {
    for (kind, table) in [
        (sums::SUM, "day_points"),
        (sums::SUM, "touched"),
        (sums::GAINS, "gained"),
    ] {
        for times in [1, 2] {
            let mut life = Life::begin(36).await;
            life.people(30).await;
            for who in 1..=30 {
                life.gain(who, 1_000_000 * i64::try_from(who).unwrap()).await;
            }
            // More than a look adds up by itself.
            sqlx::query(
                "INSERT INTO affiliates.points (licence, member, points, business_day, booked_at, kind)
                 SELECT gen_random_uuid(), $1, 1000000, $2, $3, 'sale' FROM generate_series(1, 501)",
            )
            .bind(life.network.members[30].id)
            .bind(life.date())
            .bind(life.app.context.now())
            .execute(&life.app.sql)
            .await
            .unwrap();
            let found = async |what: &str| -> bool {
                let sql = match what {
                    "day_points" => {
                        "SELECT count(*) > 0 FROM affiliates.unsummed((SELECT max(day) FROM affiliates.closing))"
                    }
                    "touched" => "SELECT count(*) > 0 FROM affiliates.touched",
                    _ => "SELECT count(*) > 0 FROM affiliates.gained",
                };
                sqlx::query_scalar(sql).fetch_one(&life.app.sql).await.unwrap()
            };
            failing(&life.app, table, times).await;
            let job = Claimed {
                id: 0,
                kind: kind.to_owned(),
                effect: format!("{kind}:0"),
                payload: json!({}),
                attempts: 1,
                max_attempts: 12,
            };
            let run = async || {
                let context = &life.app.context;
                match kind {
                    sums::SUM => sums::job(context, &job).await,
                    _ => sums::gains_job(context, &job).await,
                }
            };
            let done = async || -> bool {
                sqlx::query_scalar("SELECT EXISTS (SELECT FROM foundation.job_done WHERE effect = $1)")
                    .bind(&job.effect)
                    .fetch_one(&life.app.sql)
                    .await
                    .unwrap()
            };
            for what in ["day_points", "touched", "gained"] {
                assert!(found(what).await, "{what} is to be summed");
            }
            let first = run().await;
            assert_eq!(first.is_ok(), times == 1, "{table}, {times}: {first:?}");
            assert_eq!(done().await, times == 1, "{table}, {times}");
            if times == 2 {
                assert!(found(table).await, "{table}: all of it is still there");
                equal(&life.app).await;
                run().await.unwrap();
                assert!(done().await);
            }
            let others: &[&str] = if kind == sums::SUM {
                &["day_points", "touched"]
            } else {
                &["gained"]
            };
            for what in others {
                assert!(!found(what).await, "{what} is in the sums");
            }
            equal(&life.app).await;
        }
    }
}

/// Leaves so much of each of these for the sums alone.
async fn leave(app: &TestApp, day: Date, members: &[Uuid], amount: i64) {
    sqlx::query("SELECT affiliates.leave_results($1, now(), $2, $3)")
        .bind(day)
        .bind(members)
        .bind(vec![amount; members.len()])
        .execute(&app.sql)
        .await
        .unwrap();
}

/// A sum beyond the greatest amount is summed as it is and shown as that amount; one that is wrong, and falls below zero, is shown as nothing. Neither
/// keeps a day from being closed, whose set off losses are written with the sums.
#[actix_web::test]
async fn no_sum_keeps_a_day_from_being_closed() {
    for wrong in [false, true] {
        let mut life = Life::begin(37).await;
        let (ana, _) = life.client_below("ana", 0).await;
        let (bia, _) = life.client_below("bia", ana).await;
        let (caio, _) = life.client_below("caio", ana).await;
        let [ana, of_bia, of_caio] = [ana, bia, caio].map(|who| life.network.members[who].id);
        let shown = |amount| vec![(ana, 1i16, amount)];
        // Of tomorrow, while today is still to be closed: Bia's loss of today is set off against it.
        life.gain(bia, -3).await;
        let tomorrow = life.date() + Duration::days(1);
        leave(&life.app, tomorrow, &[of_bia, of_caio], i64::MAX).await;
        leave(&life.app, tomorrow, &[of_caio], i64::MAX).await;
        assert_eq!(foreseen(&life.app).await, shown(i64::MAX));
        sums::gains(&life.app.context).await.unwrap();
        assert_eq!(left(&life.app).await, 0);
        assert_eq!(foreseen(&life.app).await, shown(i64::MAX));
        let kept = "SELECT first::text FROM affiliates.gain_below WHERE member = $1";
        let sum: String = sqlx::query_scalar(kept)
            .bind(ana)
            .fetch_one(&life.app.sql)
            .await
            .unwrap();
        assert_eq!(
            sum,
            (3 * i128::from(i64::MAX)).to_string(),
            "nothing of it is lost"
        );
        // What goes back leaves what is true.
        for _ in 0..2 {
            leave(&life.app, tomorrow, &[of_caio], -i64::MAX).await;
        }
        leave(&life.app, tomorrow, &[of_bia], 10 - i64::MAX).await;
        assert_eq!(foreseen(&life.app).await, shown(10));
        sums::gains(&life.app.context).await.unwrap();
        assert_eq!(foreseen(&life.app).await, shown(10));
        if wrong {
            sqlx::query("UPDATE affiliates.gain_below SET first = 0 WHERE member = $1")
                .bind(ana)
                .execute(&life.app.sql)
                .await
                .unwrap();
        }
        life.close().await;
        let after = if wrong { Vec::new() } else { shown(7) };
        assert_eq!(foreseen(&life.app).await, after);
        leave(&life.app, tomorrow, &[of_caio], 5).await;
        sums::gains(&life.app.context).await.unwrap();
        assert_eq!(foreseen(&life.app).await, shown(if wrong { 2 } else { 12 }));
        // The greatest loss that can be set off, against the worst of days.
        leave(&life.app, tomorrow, &[of_bia], i64::MIN).await;
        sums::gains(&life.app.context).await.unwrap();
        sqlx::query("UPDATE affiliates.residual_carry SET negative = $2 WHERE member = $1")
            .bind(of_bia)
            .bind(i64::MAX)
            .execute(&life.app.sql)
            .await
            .unwrap();
        let after = if wrong { Vec::new() } else { shown(5) };
        assert_eq!(foreseen(&life.app).await, after);
    }
}
