//! Who is placed when a closing has read the trees and waits for the day: what is newer than its reading is added to it
//! (docs/decisions/0112-newer-places-are-added.md).

use super::{Life, reference::UNIT};
use crate::{affiliates::outsider, kit::statements};
use actix_web::rt::task::{JoinHandle, yield_now};
use protocol::ids::UserId;
use server::{
    affiliates::{closing::service as closings, service as affiliates},
    error::Error,
    foundation::transaction::Tx,
    robots::days,
};
use sqlx::{AssertSqlSafe, Postgres, Transaction};
use time::Duration;
use uuid::Uuid;

/// A closing that has read the trees and waits for somebody who still books to the day.
struct Waits {
    closing: JoinHandle<Result<usize, Error>>,
    books: Transaction<'static, Postgres>,
}

impl Waits {
    async fn begin(life: &Life) -> Self {
        let mut books = life.app.sql.begin().await.unwrap();
        sqlx::query("SELECT foundation.open_day()")
            .execute(&mut *books)
            .await
            .unwrap();
        let context = life.app.context.clone();
        let closing =
            actix_web::rt::spawn(async move { closings::close_due(&context, days::results_of).await });
        let waits = "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                     WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted)";
        while !sqlx::query_scalar::<_, bool>(waits)
            .fetch_one(&life.app.sql)
            .await
            .unwrap()
        {
            assert!(!closing.is_finished(), "it closes while somebody books");
            yield_now().await;
        }
        Self { closing, books }
    }

    /// Nobody books to the day any more.
    async fn end(self) {
        assert!(!self.closing.is_finished());
        self.books.rollback().await.unwrap();
        assert_eq!(self.closing.await.unwrap().unwrap(), 1);
    }
}

impl Life {
    /// Somebody who stands below another in the sponsor tree and waits for a place: its address is not confirmed.
    async fn waits_for_a_place(&self, name: &str, sponsor: usize) -> Uuid {
        let id = outsider(&self.app, name).await.user.0;
        sqlx::query(
            "WITH counter AS (INSERT INTO affiliates.sponsor_counter (sponsor) VALUES ($1))
             INSERT INTO affiliates.member (id, sponsor, registered_at) VALUES ($1, $2, now())",
        )
        .bind(id)
        .bind(self.network.members[sponsor].id)
        .execute(&self.app.sql)
        .await
        .unwrap();
        id
    }

    async fn confirmed(&self, id: Uuid) {
        sqlx::query("UPDATE affiliates.member SET confirmed_at = now() WHERE id = $1")
            .bind(id)
            .execute(&self.app.sql)
            .await
            .unwrap();
    }

    /// It gets its place by this change.
    async fn placed_by(&self, mut tx: Tx, id: Uuid) {
        let placed = affiliates::place(&self.app.context, &mut tx, UserId(id)).await;
        assert!(placed.unwrap());
        tx.commit().await.unwrap();
    }

    /// What the last closing matched of somebody: points, and why what of them was not paid.
    fn matched(&self, who: usize) -> (i64, Option<&'static str>) {
        let found = &self.network.matches[&(self.day - 1, self.network.members[who].id)];
        (found.matched, found.reason)
    }
}

#[actix_web::test]
async fn who_is_placed_between_reading_and_lock_sells_for_those_above() {
    let mut life = Life::begin(41).await;
    // Ana and Caio are qualified, Bia is not: nobody whom she brought is active.
    let (ana, _) = life.client_below("ana", 0).await;
    let (bia, _) = life.client_below("bia", ana).await;
    life.select(ana, true).await;
    let (caio, _) = life.client_below("caio", ana).await;
    let (dora, _) = life.client_below("dora", caio).await;
    life.select(caio, true).await;
    let (ivo, _) = life.client_below("ivo", caio).await;
    for member in [ana, bia, caio, dora, ivo] {
        life.sale_of(member, 1_000, 50_000, false).await;
    }
    let lia = life.waits_for_a_place("lia", ivo).await;
    life.close().await;
    life.equal().await;

    // One has a number and is not committed when the trees are read, and somebody with a greater number is.
    let slow = outsider(&life.app, "slow").await.user;
    let mut under_way = life.app.context.db.begin().await.unwrap();
    let above = UserId(life.network.members[dora].id);
    affiliates::admit(&life.app.context, &mut under_way, slow, Some(above))
        .await
        .unwrap();
    let (eva, _) = life.client_below("eva", bia).await;

    life.sleep();
    let waits = Waits::begin(&life).await;
    under_way.commit().await.unwrap();
    let slow = life.network.join(slow.0, dora);
    // A chain on Bia's left leg, below somebody who was read.
    let (nina, _) = life.client_below("nina", eva).await;
    let (otto, _) = life.client_below("otto", nina).await;
    let (pedro, _) = life.client_below("pedro", otto).await;
    life.select(bia, true).await;
    let (rita, _) = life.client_below("rita", bia).await;
    let (sam, _) = life.client_below("sam", rita).await;
    // Both legs of Caio: below the one who was under way, and who has waited for a place.
    let (tina, _) = life.client_below("tina", dora).await;
    let (ugo, _) = life.client_below("ugo", slow).await;
    life.confirmed(lia).await;
    let tx = life.app.context.db.begin().await.unwrap();
    life.placed_by(tx, lia).await;
    let lia = life.network.join(lia, ivo);
    let (vera, _) = life.client_below("vera", lia).await;
    for (value, who) in (1..).zip([nina, otto, pedro, sam, slow, tina, ugo, lia, vera]) {
        life.sale_of(who, 100 * value, 50_000, false).await;
    }
    for who in [pedro, vera] {
        life.gain(who, 7 * UNIT).await;
    }
    waits.end().await;
    life.closed().await;
    life.equal().await;
    assert_eq!(life.matched(bia), (400 * UNIT, Some("not_qualified")));
    assert_eq!(life.matched(caio), (1_700 * UNIT, None));
    assert_eq!(life.matched(ana), (1_000 * UNIT, None));
    for source in [pedro, vera] {
        let bonuses = life.network.bonuses.iter();
        let of_source = bonuses.filter(|b| b.kind == "residual" && b.source == Some(source));
        assert_eq!(of_source.count(), 3, "three levels above who was not read");
    }
    // The day after it all stands in the trees.
    for who in [sam, ugo, vera] {
        life.sale_of(who, 500, 50_000, false).await;
    }
    life.close().await;
    life.equal().await;
}

/// Behind the lock the closing asks for what is newer and counts; both trees were read once, before. Whom neither tells, for its change began a day
/// before, is counted, and the trees are read again.
#[actix_web::test]
async fn behind_the_lock_no_more_is_read_than_what_is_newer() {
    for late in [false, true] {
        let mut life = statements::counted(Life::begin(42)).await;
        life.people(20).await;
        let (ana, client) = life.client_below("ana", 3).await;
        life.sale_of(ana, 1_000, 50_000, false).await;
        let lia = life.waits_for_a_place("lia", ana).await;
        life.confirmed(lia).await;
        let (licence, value, ceiling) = (life.id(), 300 * UNIT, 1_500 * UNIT);
        let long_under_way = life.app.context.db.begin().await.unwrap();
        life.sleep();
        let ((), asked) = statements::of(&life.app, &client, async {
            let waits = Waits::begin(&life).await;
            let tx = if late {
                long_under_way
            } else {
                life.app.context.db.begin().await.unwrap()
            };
            life.placed_by(tx, lia).await;
            life.sold(lia, licence, value, ceiling).await;
            waits.end().await;
        })
        .await;
        let lia = life.network.join(lia, ana);
        life.network.buy(lia, licence, value, ceiling);
        life.network.sale_final(life.day, lia, licence, value);
        life.closed().await;
        life.equal().await;
        let carry = life.network.members[ana].carry;
        assert_eq!(carry, [value, 0], "what she sold has reached Ana");
        let count = |text: &str| {
            let all = asked.transactions.iter().flatten().chain(&asked.alone);
            all.filter(|sql| sql.contains(text)).count()
        };
        assert_eq!(count("count(depth) AS places"), 1);
        for whole in [
            "array_agg(coalesce(sponsor, -1))",
            r#"array_agg(member) AS "member!""#,
        ] {
            assert_eq!(count(whole), 1 + usize::from(late), "{whole}, late: {late}");
        }
        // As the closing asks it, of those who have come within the time of what may be under way.
        let mut all = asked.transactions.iter().flatten();
        let newer = all.find(|sql| sql.contains("count(depth) AS places")).unwrap();
        let found: Vec<Option<i32>> = sqlx::query_scalar(AssertSqlSafe(format!(
            r#"SELECT "no?" FROM ({newer}) q ORDER BY 1"#
        )))
        .bind(i32::MAX)
        .bind(Vec::<i32>::new())
        .bind(life.app.context.now() - Duration::minutes(10))
        .fetch_all(&life.app.sql)
        .await
        .unwrap();
        let of_lia: i32 = sqlx::query_scalar("SELECT no FROM affiliates.node WHERE member = $1")
            .bind(life.network.members[lia].id)
            .fetch_one(&life.app.sql)
            .await
            .unwrap();
        assert_eq!(found, [Some(of_lia).filter(|_| !late)]);
    }
}

/// What a fault in the server must not get past, as its own role: what a closing has read of somebody with a place stays so.
#[actix_web::test]
async fn a_place_in_the_tree_is_taken_once() {
    let mut life = Life::begin(43).await;
    life.people(5).await;
    for change in [
        "sponsor = sponsor + 1",
        "parent = parent + 1",
        "on_right = NOT on_right",
        "depth = depth + 1",
        "jump = jump + 1",
        "placed_at = placed_at + interval '1 second'",
        "parent = NULL, on_right = NULL, depth = NULL, jump = NULL, placed_at = NULL",
        "member = gen_random_uuid()",
    ] {
        let refused = sqlx::query(AssertSqlSafe(format!(
            "UPDATE affiliates.node SET {change} WHERE parent IS NOT NULL"
        )))
        .execute(life.app.context.db.pool())
        .await
        .unwrap_err();
        let broken = refused.as_database_error().and_then(|e| e.constraint());
        assert_eq!(broken, Some("node_settled"), "{change}: {refused}");
    }
    let refused = sqlx::query("DELETE FROM affiliates.node")
        .execute(life.app.context.db.pool())
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("permission denied"), "{refused}");
}
