//! Closings: against the reference, killed again and again, by two nodes, after missed days.

use super::Life;
use protocol::money::Usdt;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::json;
use server::{affiliates::closing::service as closings, robots::days};
use std::{
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll},
};
use time::Duration;
use uuid::Uuid;

/// So many people, so many days; equal after each.
async fn lived(seed: u64, people: usize, days: usize, events: usize) -> Life {
    let mut life = Life::begin(seed).await;
    life.people(people).await;
    for _ in 0..days {
        let newcomers = people / (4 * days);
        life.live(newcomers, events).await;
        life.close().await;
        life.equal().await;
    }
    life
}

#[actix_web::test]
async fn a_random_network_is_the_references() {
    // People, days, events a day: `make test-all` lives longer.
    let asked = std::env::var("ARBORA_NETWORK").unwrap_or_else(|_| "240,20,40".into());
    let sizes: Vec<usize> = asked.split(',').map(|n| n.parse().unwrap()).collect();
    let mut life = lived(7, sizes[0], sizes[1], sizes[2]).await;
    life.what_is_rare().await;
    life.close().await;
    life.equal().await;
    // Everything that can happen has happened.
    let (b, kinds) = (
        &life.network.bonuses,
        ["level", "direct_sale", "indirect_sale", "residual", "binary"],
    );
    for kind in kinds {
        assert!(b.iter().any(|b| b.kind == kind && b.paid > 0), "{kind}");
    }
    for reason in ["inactive", "not_qualified", "network_ceiling", "daily_cap"] {
        assert!(b.iter().any(|b| b.reason == Some(reason)), "{reason}");
    }
    assert!(b.iter().any(|b| b.returned > 0));
    assert!(
        b.iter()
            .any(|b| b.kind == "level" && b.returned > 0 && b.returned < b.paid),
        "capital that was taken back"
    );
    for status in ["cleared", "refused"] {
        assert!(b.iter().any(|b| b.review == Some(status)), "{status}");
    }
    assert!(
        b.iter().any(|b| b.review == Some("refused") && b.returned > 0),
        "refused and paid before"
    );
    assert!(
        b.iter().any(|b| b.kind == "binary" && b.review.is_some()),
        "matched points of somebody who belongs to the receiver"
    );
    assert!(life.network.paid_later > 0, "what waited was paid");
    assert!(!life.network.graduations.is_empty(), "a rank was reached");
    for kind in ["residual", "binary"] {
        for young in [true, false] {
            assert!(
                b.iter()
                    .any(|b| b.kind == kind && b.young_until.is_some() == young),
                "{kind}, young: {young}"
            );
        }
    }
}

/// A future that is dropped after so many looks at it.
struct Killed<F> {
    inner: F,
    left: usize,
}

impl<F: Future + Unpin> Future for Killed<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(left) = self.left.checked_sub(1) else {
            return Poll::Ready(None);
        };
        self.left = left;
        Pin::new(&mut self.inner).poll(cx).map(Some)
    }
}

#[actix_web::test]
async fn a_closing_that_is_killed_twenty_times_is_one_that_was_not() {
    let mut life = Life::begin(20).await;
    life.people(120).await;
    let mut dice = StdRng::seed_from_u64(20);
    // How often one that nobody kills is looked at: what is drawn from these kills nearly every first run, anywhere.
    life.live(2, 60).await;
    life.sleep();
    let whole = {
        let run = pin!(closings::close_due(&life.app.context, days::results_of));
        let mut alive = Killed {
            inner: run,
            left: usize::MAX,
        };
        assert_eq!((&mut alive).await.unwrap().unwrap(), 1);
        usize::MAX - alive.left
    };
    life.closed().await;
    life.equal().await;
    let mut kills = 0;
    while kills < 20 {
        life.live(2, 60).await;
        life.sleep();
        loop {
            let looks = dice.random_range(1..=whole);
            let run = pin!(closings::close_due(&life.app.context, days::results_of));
            let killed = Killed {
                inner: run,
                left: looks,
            };
            match killed.await {
                None => {
                    kills += 1;
                    // What died holds its lease until it runs out.
                    life.app.clock.advance(Duration::seconds(61));
                }
                Some(done) => {
                    // None was left to do where it was killed at its very end.
                    assert!(done.unwrap() <= 1);
                    break;
                }
            }
        }
        // Done again it changes nothing.
        assert_eq!(
            closings::close_due(&life.app.context, days::results_of)
                .await
                .unwrap(),
            0
        );
        life.closed().await;
        life.equal().await;
    }
}

#[actix_web::test]
async fn missed_days_are_closed_one_by_one() {
    let mut life = Life::begin(3).await;
    life.people(60).await;
    let (ana, _) = life.client_below("ana", 0).await;
    let (bia, _) = life.client_below("bia", ana).await;
    life.select(ana, true).await;
    let (caio, _) = life.client_below("caio", ana).await;
    life.sale(ana, 1_000, 5_000).await;
    life.live(0, 60).await;
    life.close().await;
    // Two days pass and nobody closes: what is booked belongs to its own day.
    for _ in 0..2 {
        life.live(3, 40).await;
        // Both days bring points on both legs and a result, each another amount.
        for who in [bia, caio] {
            life.sale(who, 500 * (life.day + 1), 10_000).await;
        }
        life.trade(caio, 4_000_000 + life.day).await;
        life.sleep();
        life.day += 1;
        life.network.today = life.day;
    }
    life.day -= 2;
    assert_eq!(
        closings::close_due(&life.app.context, days::results_of)
            .await
            .unwrap(),
        2
    );
    let days: Vec<time::Date> =
        sqlx::query_scalar("SELECT day FROM affiliates.closing WHERE step = 'done' ORDER BY opened_at")
            .fetch_all(&life.app.sql)
            .await
            .unwrap();
    assert!(days.is_sorted() && days.len() == 3);
    // The figures of each are its own, to the last digit.
    for _ in 0..2 {
        life.closed().await;
    }
    life.equal().await;
    for day in [1, 2] {
        assert!(life.network.matches.keys().any(|(on, _)| *on == day), "{day}");
        for kind in ["residual", "binary"] {
            let booked = |b: &super::reference::Bonus| b.day == day && b.kind == kind;
            assert!(life.network.bonuses.iter().any(booked), "{kind} of day {day}");
        }
    }
}

/// What a fault in the server must not get past: as the server's own role.
#[actix_web::test]
async fn a_closing_only_goes_forward() {
    let mut life = Life::begin(14).await;
    life.people(10).await;
    life.close().await;
    for step in ["residual", "binary", "graduations", "tell"] {
        let back = sqlx::query("UPDATE affiliates.closing SET step = $1, finished_at = NULL")
            .bind(step)
            .execute(life.app.context.db.pool())
            .await;
        let refused = back.unwrap_err().to_string();
        assert!(refused.contains("only goes forward"), "{step}: {refused}");
    }
}

/// What is written of many members in a closing names one that there is, and a closing stays who it is.
#[actix_web::test]
async fn what_is_written_of_a_closing_names_one() {
    let mut life = Life::begin(15).await;
    life.people(5).await;
    life.close().await;
    let (closing, member): (Uuid, Uuid) =
        sqlx::query_as("SELECT id, gen_random_uuid() FROM affiliates.closing")
            .fetch_one(&life.app.sql)
            .await
            .unwrap();
    for sql in [
        "INSERT INTO affiliates.closing_member (closing, member, qualified, daily_cap) VALUES ($1, $2, true, 1)",
        "INSERT INTO affiliates.match (closing, member, left_points, right_points, matched, lost) VALUES ($1, $2, 1, 1, 1, 0)",
    ] {
        let mut tx = life.app.context.db.pool().begin().await.unwrap();
        sqlx::query(sql)
            .bind(closing)
            .bind(member)
            .execute(&mut *tx)
            .await
            .unwrap();
        let refused = sqlx::query(sql)
            .bind(Uuid::now_v7())
            .bind(member)
            .execute(&mut *tx)
            .await
            .unwrap_err();
        let broken = refused.as_database_error().and_then(|e| e.constraint());
        assert_eq!(broken, Some("of_closing"), "{refused}");
    }
    // Not even by the owner of all tables.
    let refused = sqlx::query("UPDATE affiliates.closing SET id = gen_random_uuid()")
        .execute(&life.app.sql)
        .await
        .unwrap_err();
    let broken = refused.as_database_error().and_then(|e| e.constraint());
    assert_eq!(broken, Some("closing_id"), "{refused}");
}

#[actix_web::test]
async fn two_nodes_close_a_day_once() {
    let mut life = Life::begin(4).await;
    life.people(60).await;
    life.live(0, 80).await;
    life.sleep();
    let (one, two) = tokio::join!(
        closings::close_due(&life.app.context, days::results_of),
        closings::close_due(&life.app.context, days::results_of)
    );
    assert_eq!(one.unwrap() + two.unwrap(), 1);
    life.closed().await;
    life.equal().await;
}

/// The rules' own example: left 1 200, right 500 make 50, 700 stay; a member who is not qualified loses the points.
#[actix_web::test]
async fn left_1200_and_right_500_make_50() {
    let mut life = Life::begin(1).await;
    let (ana, _) = life.client_below("ana", 0).await;
    for (name, right) in [("bia", false), ("caio", true)] {
        life.select(ana, right).await;
        life.client_below(name, ana).await;
    }
    life.sale(ana, 1_000, 5_000).await;
    life.sale(2, 1_000, 5_000).await;
    life.sale(2, 200, 1_000).await;
    life.sale(3, 500, 2_500).await;
    life.close().await;
    life.equal().await;
    let paid: Vec<i64> = sqlx::query_scalar("SELECT paid FROM affiliates.bonus WHERE kind = 'binary'")
        .fetch_all(&life.app.sql)
        .await
        .unwrap();
    assert_eq!(paid, [Usdt::whole(50).0]);
    assert_eq!(life.network.members[ana].carry, [Usdt::whole(700).0, 0]);
    // Ana heard of it once.
    let told: Vec<serde_json::Value> = sqlx::query_scalar(
        "SELECT payload::jsonb FROM foundation.event WHERE payload ->> 'kind' = 'closing.booked'",
    )
    .fetch_all(&life.app.sql)
    .await
    .unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["share"]["kind"], json!("binary"));
    assert_eq!(told[0]["share"]["amount"], json!("50.000000"));
}

/// Matched points of a sale that young money paid: the bonus is booked, and stays in `bonus` until it is no longer young. Points of other
/// days count as well, and a sale that was taken back does not.
#[actix_web::test]
async fn a_binary_bonus_of_young_money_stays() {
    let mut life = Life::begin(2).await;
    let (ana, client) = life.client_below("ana", 0).await;
    for (name, right) in [("bia", false), ("caio", true)] {
        life.select(ana, right).await;
        life.client_below(name, ana).await;
    }
    let (bia, caio) = (2, 3);
    life.sale_of(ana, 1_000, 5_000, false).await;
    // Bia's money is young for three days from the first day on, Caio's sale matches it on the second.
    life.sale_of(bia, 500, 2_500, true).await;
    life.sale_of(caio, 50, 250, false).await;
    life.sale_of(caio, 1_000, 5_000, true).await;
    life.take_back(3).await;
    life.close().await;
    life.sale_of(caio, 300, 1_500, false).await;
    life.close().await;
    life.equal().await;
    let client = life.app.renew(&client);
    let list = client.get("/affiliates/bonus-log?bonusType=binary").await.ok();
    let rows = list["data"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|b| b["status"] == "young"), "{rows:?}");
    client
        .post("/bonus/withdraw", &json!({ "value": "35" }))
        .await
        .refused(422, "bonus.held");
    life.close().await;
    let client = life.app.renew(&client);
    client
        .post("/bonus/withdraw", &json!({ "value": "35" }))
        .await
        .ok();
    // Nobody's money is young any more.
    life.sale_of(caio, 100, 500, false).await;
    life.close().await;
    let young: Vec<bool> = sqlx::query_scalar(
        "SELECT young_until IS NOT NULL FROM affiliates.bonus WHERE kind = 'binary' ORDER BY business_day",
    )
    .fetch_all(&life.app.sql)
    .await
    .unwrap();
    assert_eq!(young, [true, true, false]);
}

/// Matched points of sellers who belong to their receiver: the bonus stays until each of them was looked at, one after the other; refused,
/// it goes back to the fund. Who belongs to the receiver and has sold nothing, or whose sale was taken back, holds nothing.
#[actix_web::test]
async fn a_binary_bonus_of_ones_own_sellers_waits_for_a_look_at_each() {
    for refused in [false, true] {
        let mut life = Life::begin(3).await;
        let (ana, client) = life.client_below("ana", 0).await;
        for (name, right) in [("bia", false), ("caio", true)] {
            life.select(ana, right).await;
            life.client_below(name, ana).await;
        }
        let (bia, caio) = (2, 3);
        // Below both, by others: what they sell brings Ana nothing but points.
        life.select(bia, false).await;
        let (dora, _) = life.client_below("dora", bia).await;
        let (ivo, _) = life.client_below("ivo", caio).await;
        let (lia, _) = life.client_below("lia", caio).await;
        for member in [ana, bia, caio] {
            life.sale_of(member, 1_000, 5_000, false).await;
        }
        life.sale_of(lia, 500, 2_500, false).await;
        let last = life.final_sales.len() - 1;
        life.take_back(last).await;
        life.close().await;
        life.equal().await;
        assert!(life.network.bonuses.iter().all(|b| b.review.is_none()));
        // One who sold nothing and one whose sale is gone hold nothing.
        for related in [dora, lia] {
            life.relate_to(related, ana).await;
        }
        for member in [bia, caio] {
            life.sale_of(member, 500, 2_500, false).await;
        }
        life.close().await;
        life.equal().await;
        let of_matches = |life: &Life| -> Vec<Option<&'static str>> {
            life.network
                .bonuses
                .iter()
                .filter(|b| b.kind == "binary" && b.receiver == ana)
                .map(|b| b.review)
                .collect()
        };
        assert_eq!(of_matches(&life), [None, None]);
        life.relate_to(ivo, ana).await;
        // What each sale brings Ana by itself opens its look; the first one by its id is the one that the matched points wait for.
        let mut own = [dora, ivo];
        own.sort_by_key(|seller| life.network.members[*seller].id);
        for seller in own {
            life.sale_of(seller, 300, 1_500, false).await;
        }
        life.close().await;
        life.equal().await;
        assert_eq!(of_matches(&life), [None, None, Some("open")]);
        let held = async |life: &Life| {
            let list = life
                .app
                .renew(&client)
                .get("/affiliates/bonus-log?bonusType=binary")
                .await
                .ok();
            list["data"][0].clone()
        };
        let row = held(&life).await;
        assert_eq!(
            (&row["status"], &row["reviewReasons"]),
            (&json!("in_review"), &json!(["same_payer"]))
        );
        assert!(life.decide(true).await);
        life.equal().await;
        assert_eq!(of_matches(&life), [None, None, Some("open")], "the other one");
        assert_eq!(held(&life).await["status"], "in_review");
        assert!(life.decide(!refused).await);
        life.equal().await;
        let (word, status) = if refused {
            ("refused", "taken_back")
        } else {
            ("cleared", "paid")
        };
        assert_eq!(of_matches(&life), [None, None, Some(word)]);
        assert_eq!(held(&life).await["status"], status);
        assert!(!life.decide(true).await, "nobody else to look at");
        // Who was cleared of it is not looked at again.
        if !refused {
            for seller in own {
                life.sale_of(seller, 100, 500, false).await;
            }
            life.close().await;
            life.equal().await;
            assert_eq!(of_matches(&life)[3], None);
        }
    }
}
