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

/// However many belong to a receiver: a closing asks once for all of them, and is told of those alone for whom something is held.
#[actix_web::test]
async fn a_closing_asks_as_often_of_many_as_of_one() {
    let mut asked_of_reviews = Vec::new();
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
        let mut expected: Vec<Uuid> = sellers.iter().map(|at| life.network.members[*at].id).collect();
        expected.sort_unstable();
        assert_eq!(holding(&life, ana).await, expected);
        while life.decide(true).await {}
        assert_eq!(holding(&life, ana).await, Vec::<Uuid>::new());
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
        assert_eq!(binary(&life, &client).await["status"], "paid");
        let count = |text: &str| {
            let all = asked.transactions.iter().flatten().chain(&asked.alone);
            all.filter(|sql| sql.contains(text)).count()
        };
        assert_eq!(count("affiliates.related_sellers("), 1);
        asked_of_reviews.push((count("affiliates.review"), count("affiliates.cleared_of")));
    }
    assert_eq!(asked_of_reviews[0], asked_of_reviews[1]);
}

/// What comes back of the question that a closing asks of Ana.
async fn holding(life: &Life, ana: usize) -> Vec<Uuid> {
    sqlx::query_scalar("SELECT seller FROM affiliates.related_sellers(ARRAY[$1]::uuid[], $2)")
        .bind(life.network.members[ana].id)
        .bind(life.app.context.now() - Duration::days(30))
        .fetch_all(&life.app.sql)
        .await
        .unwrap()
}
