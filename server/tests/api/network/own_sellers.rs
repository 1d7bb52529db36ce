//! For whom a bonus on matched points is held: kept when it is booked, looked at one after the other, asked for at once.

use super::Life;
use crate::kit::{Client, statements};
use serde_json::{Value, json};
use server::{affiliates::closing::service as closings, robots::days};
use time::Duration;
use uuid::Uuid;

/// Ana, who stands below somebody, with Bia on the left and Caio on the right, all with licences; below these two, by them, so many whose sales
/// bring Ana little but points: in the order of their ids.
async fn team(life: &mut Life, above: usize, left: &[&str], right: &[&str]) -> (usize, Client, Vec<usize>) {
    let (ana, client) = life.client_below("ana", above).await;
    let (bia, _) = life.client_below("bia", ana).await;
    life.select(ana, true).await;
    let (caio, _) = life.client_below("caio", ana).await;
    let mut below = Vec::new();
    for (sponsor, names) in [(bia, left), (caio, right)] {
        for name in names {
            below.push(life.client_below(name, sponsor).await.0);
        }
    }
    for member in [ana, bia, caio] {
        life.sale_of(member, 1_000, 5_000, false).await;
    }
    below.sort_by_key(|at| life.network.members[*at].id);
    (ana, client, below)
}

/// One browser was used in both accounts, so long ago.
async fn share_a_browser(life: &mut Life, who: usize, other: usize, ago: Duration) {
    let token = life.id();
    for at in [who, other] {
        sqlx::query(
            "INSERT INTO identity.device (account, token_hash, label, created_at, seen_at) VALUES ($1, sha256($2::text::bytea), '', $3, $3)",
        )
        .bind(life.network.members[at].id)
        .bind(token)
        .bind(life.app.context.now() - ago)
        .execute(&life.app.sql)
        .await
        .unwrap();
    }
    life.network.relate(who, other);
}

async fn binary(life: &Life, ana: &Client) -> Value {
    let list = life
        .app
        .renew(ana)
        .get("/affiliates/bonus-log?bonusType=binary")
        .await
        .ok();
    list["data"][0].clone()
}

/// Dora on the left and Ivo on the right share a browser each with Ana, and her bonus on their points is held.
async fn held() -> (Life, Client) {
    let mut life = Life::begin(5).await;
    let (ana, client, own) = team(&mut life, 0, &["dora"], &["ivo"]).await;
    for seller in own {
        share_a_browser(&mut life, seller, ana, Duration::days(28)).await;
        // What it brings Ana by itself opens its look: the first one by its id is the one that the matched points wait for.
        life.sale_of(seller, 300, 1_500, false).await;
    }
    life.close().await;
    life.equal().await;
    assert_eq!(binary(&life, &client).await["status"], "in_review");
    (life, client)
}

/// A browser relates for thirty days, and is forgotten later: who was related by it when the bonus was booked is looked at all the same.
#[actix_web::test]
async fn whoever_a_forgotten_browser_related_is_looked_at_all_the_same() {
    for (forgotten, cleared) in [(false, true), (true, false)] {
        let (mut life, ana) = held().await;
        if forgotten {
            sqlx::query("DELETE FROM identity.device")
                .execute(&life.app.sql)
                .await
                .unwrap();
        } else {
            life.app.clock.advance(Duration::days(2));
        }
        assert!(life.decide(true).await);
        life.equal().await;
        let row = binary(&life, &ana).await;
        assert_eq!(
            (&row["status"], &row["reviewReasons"]),
            (&json!("in_review"), &json!(["same_device"])),
            "the other one"
        );
        assert!(life.decide(cleared).await);
        life.equal().await;
        let status = if cleared { "paid" } else { "taken_back" };
        assert_eq!(binary(&life, &ana).await["status"], status);
        assert!(!life.decide(true).await, "nobody else to look at");
    }
}

/// What a fault in the server must not get past: as the server's own role.
#[actix_web::test]
async fn for_whom_a_bonus_is_held_is_kept_as_it_was_booked() {
    let (mut life, ana) = held().await;
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM affiliates.related_seller")
        .fetch_one(&life.app.sql)
        .await
        .unwrap();
    assert_eq!(kept, 2);
    // It has gone on to the second one: nobody is added, and nobody taken off.
    assert!(life.decide(true).await);
    for (change, refusal) in [
        (
            "UPDATE affiliates.related_seller SET reasons = ARRAY['same_payer']",
            "permission denied",
        ),
        ("DELETE FROM affiliates.related_seller", "permission denied"),
        (
            "INSERT INTO affiliates.related_seller (bonus, seller, reasons)
             SELECT b.id, m.id, ARRAY['same_payer'] FROM affiliates.bonus b, affiliates.member m
             WHERE b.kind = 'binary' AND b.review IS NOT NULL AND NOT EXISTS (
                 SELECT FROM affiliates.related_seller s WHERE s.bonus = b.id AND s.seller = m.id)",
            "are noted when",
        ),
        (
            "UPDATE affiliates.bonus SET review = NULL WHERE kind = 'binary' AND review IS NOT NULL",
            "leaves a review for the next one",
        ),
    ] {
        let done = sqlx::query(change).execute(life.app.context.db.pool()).await;
        let refused = done.unwrap_err().to_string();
        assert!(refused.contains(refusal), "{change}: {refused}");
    }
    // As the owner of the tables: neither is a bonus freed of whom nobody has cleared, nor does the list of them change.
    for (change, refusal) in [
        (
            "UPDATE affiliates.related_seller SET reasons = ARRAY['same_payer']",
            "append-only",
        ),
        ("DELETE FROM affiliates.related_seller", "append-only"),
        (
            "UPDATE affiliates.review SET status = 'cleared', decided_by = receiver, decided_at = now() WHERE status = 'open'",
            "whom nobody has cleared",
        ),
    ] {
        let done = sqlx::query(change).execute(&life.app.sql).await;
        let refused = done.unwrap_err().to_string();
        assert!(refused.contains(refusal), "{change}: {refused}");
    }
    assert_eq!(binary(&life, &ana).await["status"], "in_review");
}

/// However many belong to a receiver: a closing asks once for all of them, and of those for whom something is held it writes at once.
#[actix_web::test]
async fn a_closing_asks_as_often_of_many_as_of_one() {
    for cleared in [true, false] {
        let mut asked_of = Vec::new();
        for names in [&["dora"][..], &["dora", "lia", "rita", "vera"][..]] {
            let mut life = statements::counted(Life::begin(6)).await;
            let (above, _) = life.client_below("zoe", 0).await;
            life.sale_of(above, 1_000, 5_000, false).await;
            let (ana, client, own) = team(&mut life, above, names, &["ivo"]).await;
            // Who stands elsewhere and who has sold nothing hold nothing.
            let (idle, sellers) = own.split_last().unwrap();
            for who in [above, *idle] {
                life.relate_to(who, ana).await;
            }
            for seller in sellers {
                life.relate_to(*seller, ana).await;
                life.sale_of(*seller, 300, 1_500, false).await;
            }
            while cleared && life.decide(true).await {}
            life.sleep();
            let (done, asked) = statements::of(
                &life.app,
                &client,
                closings::close_due(&life.app.context, days::results_of),
            )
            .await;
            assert_eq!(done.unwrap(), 1);
            life.closed().await;
            life.equal().await;
            let mut expected: Vec<Uuid> = sellers.iter().map(|at| life.network.members[*at].id).collect();
            expected.sort_unstable();
            let (status, kept) = if cleared {
                ("paid", Vec::new())
            } else {
                ("in_review", expected)
            };
            assert_eq!(binary(&life, &client).await["status"], status);
            assert_eq!(held_for(&life).await, kept);
            let count = |text: &str| {
                let all = asked.transactions.iter().flatten().chain(&asked.alone);
                all.filter(|sql| sql.contains(text)).count()
            };
            assert_eq!(count("affiliates.sharers("), 1);
            assert_eq!(
                count("FOR NO KEY UPDATE) locked"),
                0,
                "accounts are locked once, when a booking is opened"
            );
            assert_eq!(
                count("INSERT INTO affiliates.related_seller"),
                usize::from(!cleared)
            );
            asked_of.push(
                [
                    "affiliates.review",
                    "affiliates.cleared_of",
                    "affiliates.related_seller",
                    "approvals.compliance_case",
                ]
                .map(count),
            );
        }
        assert_eq!(asked_of[0], asked_of[1], "cleared: {cleared}");
    }
}

/// Of many on one browser it is kept once who they are, and of a bonus which of them stand below its receiver: each is looked at all the same,
/// one after the other.
#[actix_web::test]
async fn many_on_one_browser_are_kept_once_and_each_is_looked_at() {
    for refused in [false, true] {
        let mut life = Life::begin(11).await;
        let (ana, client, mut own) = team(&mut life, 0, &["dora"], &["ivo"]).await;
        let bia = ana + 1;
        for n in 0..20 {
            own.push(life.client_below(&format!("seller{n}"), bia).await.0);
        }
        own.sort_by_key(|at| life.network.members[*at].id);
        let ids: Vec<Uuid> = own.iter().map(|at| life.network.members[*at].id).collect();
        let all = [&[ana][..], &own[..]].concat();
        for (at, one) in all.iter().enumerate() {
            sqlx::query(
                "INSERT INTO identity.device (account, token_hash, label, created_at, seen_at) VALUES ($1, sha256('browser'), '', $2, $2)",
            )
            .bind(life.network.members[*one].id)
            .bind(life.app.context.now())
            .execute(&life.app.sql)
            .await
            .unwrap();
            for other in &all[..at] {
                life.network.relate(*one, *other);
            }
        }
        for seller in &own {
            life.sale_of(*seller, 100, 500, false).await;
        }
        life.close().await;
        life.equal().await;
        assert_eq!(binary(&life, &client).await["status"], "in_review");
        let rows: Vec<i64> = sqlx::query_scalar(
            "SELECT count(*) FROM affiliates.related_seller UNION ALL SELECT count(*) FROM affiliates.related_group
             UNION ALL SELECT count(*) FROM affiliates.related_below",
        )
        .fetch_all(&life.app.sql)
        .await
        .unwrap();
        assert_eq!(
            rows,
            [0, 23, 1],
            "Ana has sold, too, and stands above all of them"
        );
        let held: Vec<(Uuid, Vec<String>)> = sqlx::query_as(
            "SELECT s.seller, s.reasons FROM affiliates.bonus b CROSS JOIN LATERAL affiliates.held_for(b.id) s
             WHERE b.kind = 'binary' ORDER BY s.seller",
        )
        .fetch_all(&life.app.sql)
        .await
        .unwrap();
        let expected: Vec<(Uuid, Vec<String>)> = ids
            .iter()
            .map(|id| (*id, vec!["same_device".to_owned()]))
            .collect();
        assert_eq!(held, expected);
        // Nobody is added, nobody is taken off, and nothing is free of whom nobody has cleared.
        for (change, refusal) in [
            ("UPDATE affiliates.related_group SET place = place + 1", "permission denied"),
            ("DELETE FROM affiliates.related_below", "permission denied"),
            (
                "INSERT INTO affiliates.related_group (id, place, seller, reason)
                 SELECT g.id, max(g.place) + 1, m.id, 'same_payer' FROM affiliates.related_group g, affiliates.member m
                 WHERE NOT EXISTS (SELECT FROM affiliates.related_group o WHERE o.seller = m.id) GROUP BY g.id, m.id LIMIT 1",
                "nobody is added",
            ),
            (
                "INSERT INTO affiliates.related_below (bonus, related, after, through)
                 SELECT b.id, gen_random_uuid(), 0, 1 FROM affiliates.bonus b WHERE b.kind = 'binary'",
                "are noted when",
            ),
        ] {
            let done = sqlx::query(change).execute(life.app.context.db.pool()).await;
            let told = done.unwrap_err().to_string();
            assert!(told.contains(refusal), "{change}: {told}");
        }
        for (change, refusal) in [
            ("DELETE FROM affiliates.related_group", "append-only"),
            (
                "UPDATE affiliates.review SET status = 'cleared', decided_by = receiver, decided_at = now() WHERE status = 'open'",
                "whom nobody has cleared",
            ),
        ] {
            let done = sqlx::query(change).execute(&life.app.sql).await;
            let told = done.unwrap_err().to_string();
            assert!(told.contains(refusal), "{change}: {told}");
        }
        for _ in 1..own.len() {
            assert!(life.decide(true).await);
            life.equal().await;
            assert_eq!(
                binary(&life, &client).await["status"],
                "in_review",
                "the next one"
            );
        }
        assert!(life.decide(!refused).await);
        life.equal().await;
        let status = if refused { "taken_back" } else { "paid" };
        assert_eq!(binary(&life, &client).await["status"], status);
        assert!(!life.decide(true).await, "nobody else to look at");
    }
}

/// For whom something is held.
async fn held_for(life: &Life) -> Vec<Uuid> {
    sqlx::query_scalar("SELECT seller FROM affiliates.related_seller ORDER BY seller")
        .fetch_all(&life.app.sql)
        .await
        .unwrap()
}

/// Of Ana's sellers those who had sold what stood when a day ended.
async fn selling(life: &Life, ana: usize, day: i64) -> Vec<Uuid> {
    sqlx::query_scalar(
        "SELECT member FROM affiliates.sharers(ARRAY[$1]::uuid[], $2, $3) WHERE sells AND member <> $1 ORDER BY member",
    )
    .bind(life.network.members[ana].id)
    .bind(life.app.context.now() - Duration::days(30))
    .bind(life.date() + Duration::days(day - life.day))
    .fetch_all(&life.app.sql)
    .await
    .unwrap()
}

/// The next day is open, and the closing waits to book anything: what is sold then is no sale of the day that is closed, and what is taken back
/// then was one of it.
#[actix_web::test]
async fn who_has_sold_what_stands_is_asked_of_the_day_that_is_closed() {
    let mut life = Life::begin(9).await;
    let (ana, client, own) = team(&mut life, 0, &["dora"], &["ivo"]).await;
    let (seller, other) = (own[0], own[1]);
    for at in [seller, other] {
        life.relate_to(at, ana).await;
    }
    life.sale_of(seller, 300, 1_500, false).await;
    life.sleep();
    let fund = life.hold_fund().await;
    let context = life.app.context.clone();
    let closing = actix_web::rt::spawn(async move { closings::close_due(&context, days::results_of).await });
    let waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
    while !sqlx::query_scalar::<_, bool>(waits)
        .fetch_one(&life.app.sql)
        .await
        .unwrap()
    {
        assert!(!closing.is_finished(), "it books while somebody holds the fund");
        actix_web::rt::task::yield_now().await;
    }
    let sale = life.sale_by(seller);
    let licence = life.undo_sale(sale).await;
    life.network.sale_undone(life.day + 1, licence);
    fund.rollback().await.unwrap();
    assert_eq!(closing.await.unwrap().unwrap(), 1);
    life.closed().await;
    life.equal().await;
    let row = binary(&life, &client).await;
    assert_eq!(row["status"], "in_review", "{row}");
    let (of_seller, of_other) = (life.network.members[seller].id, life.network.members[other].id);
    assert_eq!(held_for(&life).await, [of_seller]);
    // The other one sells on the day after: none of it is the first day's.
    life.sale_of(other, 300, 1_500, false).await;
    assert_eq!(selling(&life, ana, 0).await, [of_seller]);
    assert_eq!(selling(&life, ana, 1).await, [of_other]);
    life.close().await;
    life.equal().await;
}

/// Of twice as many on one browser twice as much is looked up, however they stand to one another.
#[actix_web::test]
async fn what_is_looked_up_of_those_on_one_browser_grows_as_they_do() {
    let mut life = Life::begin(8).await;
    let mut looks = Vec::new();
    for _ in 0..2 {
        life.people(60).await;
        let ids: Vec<Uuid> = life.network.members.iter().skip(1).map(|m| m.id).collect();
        let (now, day) = (life.app.context.now(), life.date());
        let mut tx = life.app.sql.begin().await.unwrap();
        sqlx::query("SET LOCAL session_replication_role = replica")
            .execute(&mut *tx)
            .await
            .unwrap();
        sqlx::query(
            "INSERT INTO identity.device (account, token_hash, label, created_at, seen_at)
             SELECT id, sha256('browser'), '', $2, $2 FROM unnest($1::uuid[]) AS t(id) ON CONFLICT DO NOTHING",
        )
        .bind(&ids)
        .bind(now)
        .execute(&mut *tx)
        .await
        .unwrap();
        sqlx::query(
            "INSERT INTO affiliates.points (licence, member, points, business_day, booked_at, kind)
             SELECT gen_random_uuid(), id, 1000000, $2, $3, 'sale' FROM unnest($1::uuid[]) AS t(id)",
        )
        .bind(&ids)
        .bind(day)
        .bind(now)
        .execute(&mut *tx)
        .await
        .unwrap();
        let mut scans = Vec::new();
        for asks in [false, true] {
            if asks {
                let found: i64 = sqlx::query_scalar(
                    "SELECT count(*) FROM affiliates.sharers($1, $2, $3) WHERE earns AND sells",
                )
                .bind(&ids)
                .bind(now - Duration::days(30))
                .bind(day)
                .fetch_one(&mut *tx)
                .await
                .unwrap();
                assert_eq!(usize::try_from(found).unwrap(), ids.len());
            }
            let scanned: i64 = sqlx::query_scalar(
                "SELECT sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::bigint FROM pg_stat_xact_user_tables",
            )
            .fetch_one(&mut *tx)
            .await
            .unwrap();
            scans.push(scanned);
        }
        tx.rollback().await.unwrap();
        looks.push(scans[1] - scans[0]);
    }
    assert!(looks[0] > 0 && looks[1] <= 2 * looks[0] + 20, "{looks:?}");
}
