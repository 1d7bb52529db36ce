//! The sales behind binary bonuses: those that are shown are the points that were on the legs, whichever way they are found; the way down
//! to a seller.

use super::Life;
use crate::kit::Client;
use protocol::{
    ids::{BonusId, UserId},
    money::Usdt,
};
use serde_json::{Value, json};
use server::{
    affiliates::{
        reports::detail::{
            self, BonusMatch,
            sales::{self, BOUNDS, Bounds, OF_DAYS, OF_MEMBERS},
        },
        service::Leg,
    },
    identity::caller::Scope,
};
use sqlx::AssertSqlSafe;
use std::collections::HashMap;
use time::{Date, Duration};
use uuid::Uuid;

/// Seller, points, day.
type Sale = (Uuid, i64, String);

/// The other way, in pieces so small that each of its ends is met.
const STEPS: Bounds = Bounds {
    members: 0,
    looked: 3,
    page: 2,
};

/// All pages of a leg; how many of them were short though there was more.
async fn all(life: &Life, of: (UserId, BonusId), leg: Leg, bounds: Bounds) -> (Vec<Sale>, usize) {
    let (receiver, bonus) = of;
    let (mut sales, mut short, mut after) = (Vec::new(), 0, None);
    loop {
        let scope = Scope::Own(receiver);
        let page = sales::page(&life.app.context, scope, bonus, leg, after.as_deref(), bounds)
            .await
            .unwrap();
        let full = i64::try_from(page.data.len()).unwrap() == bounds.page;
        short += usize::from(page.next.is_some() && !full);
        assert_eq!(page.next.is_some(), page.through.is_some());
        for sale in page.data {
            sales.push((sale.member.0, sale.points.0, sale.business_day));
            assert_eq!(sale.place, i64::try_from(sales.len()).unwrap());
            assert_eq!(sale.licence, None, "what staff alone see");
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return (sales, short),
        }
    }
}

/// What the rows of points say of everybody, the newest first.
async fn sold(life: &Life) -> Vec<(Uuid, i64, Date)> {
    sqlx::query_as(
        "SELECT member, points, business_day FROM affiliates.points ORDER BY business_day DESC, id DESC",
    )
    .fetch_all(&life.app.sql)
    .await
    .unwrap()
}

/// On which leg of somebody another one stands, walked up step by step.
fn stands(life: &Life, who: usize, above: usize) -> Option<Leg> {
    let mut at = who;
    loop {
        let member = &life.network.members[at];
        let up = member.parent?;
        if up == above {
            return Some(if member.right { Leg::Right } else { Leg::Left });
        }
        at = up;
    }
}

#[actix_web::test]
async fn what_is_shown_of_a_leg_and_what_was_left_there_are_its_points() {
    let mut life = Life::begin(21).await;
    life.people(30).await;
    for _ in 0..5 {
        life.live(3, 40).await;
        life.close().await;
    }
    life.equal().await;
    let places: HashMap<Uuid, usize> = (0..)
        .zip(&life.network.members)
        .map(|(at, m)| (m.id, at))
        .collect();
    let rows: Vec<(Uuid, Uuid, Date)> =
        sqlx::query_as("SELECT id, receiver, business_day FROM affiliates.bonus WHERE kind = 'binary'")
            .fetch_all(&life.app.sql)
            .await
            .unwrap();
    let sold = sold(&life).await;
    let (mut with_carry, mut taken_back, mut short) = (0, 0, 0);
    for (bonus, receiver, day) in &rows {
        let of = (UserId(*receiver), BonusId(*bonus));
        let legs: BonusMatch = detail::read(&life.app.context, Scope::Own(of.0), of.1)
            .await
            .unwrap()
            .legs
            .unwrap();
        // The match before, as the reference has it, and the bonus that it leads to.
        let number = (*day - life.first).whole_days();
        let before = (0..number)
            .rev()
            .find_map(|n| life.network.matches.get(&(n, *receiver)).map(|m| (n, m)));
        let since = before.map(|(n, _)| life.first + Duration::days(n));
        assert_eq!(legs.since, since.map(|d| d.to_string()));
        assert_eq!(
            (legs.left_carried.0, legs.right_carried.0),
            before.map_or((0, 0), |(_, m)| (m.left - m.matched, m.right - m.matched))
        );
        let earlier = rows
            .iter()
            .find(|(_, who, on)| who == receiver && Some(*on) == since);
        assert_eq!(legs.before, earlier.map(|(id, ..)| BonusId(*id)));
        with_carry += usize::from(earlier.is_some());
        for (leg, stood, carried) in [
            (Leg::Left, legs.left_points, legs.left_carried),
            (Leg::Right, legs.right_points, legs.right_carried),
        ] {
            let expected: Vec<Sale> = sold
                .iter()
                .filter(|(who, _, on)| {
                    on <= day
                        && since.is_none_or(|since| *on > since)
                        && stands(&life, places[who], places[receiver]) == Some(leg)
                })
                .map(|(who, points, on)| (*who, *points, on.to_string()))
                .collect();
            let (shown, never) = all(&life, of, leg, BOUNDS).await;
            assert_eq!((&shown, never), (&expected, 0));
            let (walked, ends) = all(&life, of, leg, STEPS).await;
            assert_eq!(walked, expected);
            short += ends;
            let sum: Usdt = shown.iter().map(|(_, points, _)| Usdt(*points)).sum();
            assert_eq!(sum + carried, stood);
            taken_back += shown.iter().filter(|(_, points, _)| *points < 0).count();
        }
    }
    // The life had of everything.
    assert!(
        rows.len() > 10 && with_carry > 3 && taken_back > 0 && short > 0,
        "{} {with_carry} {taken_back} {short}",
        rows.len()
    );
}

/// A member's newest binary bonus.
async fn newest(client: &Client) -> String {
    let log = client.get("/affiliates/bonus-log?bonusType=binary").await.ok();
    log["data"][0]["_id"].as_str().unwrap().to_owned()
}

/// However deep the seller stands, the way to it has a few names at each end.
#[actix_web::test]
async fn the_way_down_to_a_seller_is_as_long_as_a_screen() {
    let mut life = Life::begin(22).await;
    let (top, ana) = life.client_below("ana", 0).await;
    let mut at = top;
    let mut ids = Vec::new();
    for n in 1..=25 {
        let (next, client) = life.client_below(&format!("p{n}"), at).await;
        at = next;
        ids.push(client.user);
    }
    life.select(top, true).await;
    let (right, caio) = life.client_below("caio", top).await;
    for who in [top, at, right] {
        life.sale_of(who, 100, 500, false).await;
    }
    life.close().await;
    let (ana, caio) = (life.app.renew(&ana), life.app.renew(&caio));
    let bonus = newest(&ana).await;
    let way =
        async |who: &Client, to: UserId| who.get(&format!("/affiliates/bonus-log/{bonus}/path/{to}")).await;
    let name = |n: i64| format!("p{n}");
    // 19 steps are 20 names: all of them.
    let whole: Vec<String> = std::iter::once("ana".to_owned())
        .chain((1..=19).map(name))
        .collect();
    assert_eq!(
        way(&ana, ids[18]).await.ok(),
        json!({ "leg": "left", "path": whole, "between": 0, "last": [] })
    );
    let deep = way(&ana, ids[24]).await.ok();
    let last: Vec<String> = (16..=25).map(name).collect();
    assert_eq!(
        deep,
        json!({ "leg": "left", "path": whole[..10], "between": 6, "last": last })
    );
    assert_eq!(
        way(&ana, caio.user).await.ok(),
        json!({ "leg": "right", "path": ["ana", "caio"], "between": 0, "last": [] })
    );
    // Nobody stands below oneself but those below; of another's bonus nothing is told.
    for nobody in [ana.user, UserId(life.network.members[0].id), UserId::fresh()] {
        way(&ana, nobody).await.refused(404, "user.unknown");
    }
    way(&caio, ids[0]).await.refused(404, "request.not_found");
}

#[actix_web::test]
async fn the_own_sales_below_are_shown_and_nobody_elses() {
    let mut life = Life::begin(23).await;
    let (top, ana) = life.client_below("ana", 0).await;
    let (left, bia) = life.client_below("bia", top).await;
    life.select(top, true).await;
    let (right, _) = life.client_below("caio", top).await;
    life.sale_of(top, 1_000, 5_000, false).await;
    life.sale_of(left, 1_200, 6_000, false).await;
    life.sale_of(right, 500, 2_500, false).await;
    life.close().await;
    let day = (life.date() - Duration::DAY).to_string();
    let (ana, bia) = (life.app.renew(&ana), life.app.renew(&bia));
    let bonus = newest(&ana).await;
    let sales = async |who: &Client, rest: &str| {
        who.get(&format!("/affiliates/bonus-log/{bonus}/sales?{rest}"))
            .await
    };
    // No more than the tree shows, and the day.
    assert_eq!(
        sales(&ana, "leg=left").await.ok(),
        json!({ "data": [{
            "place": 1, "member": bia.user, "username": "bia", "points": "1200.000000", "businessDay": day, "licence": null,
        }], "next": null, "through": null })
    );
    let only = sales(&ana, "leg=right").await.ok();
    assert_eq!(
        (&only["data"][0]["username"], &only["data"][0]["points"]),
        (&json!("caio"), &json!("500.000000"))
    );
    sales(&bia, "leg=left").await.refused(404, "request.not_found");
    for wrong in ["", "leg=up", "leg=left&after=x", "leg=left&limit=5"] {
        sales(&ana, wrong).await.refused(422, "request.invalid");
    }
    // A bonus of another kind has no legs.
    let log = ana.get("/affiliates/bonus-log?bonusType=direct_sale").await.ok();
    let sold = log["data"][0]["_id"].as_str().unwrap();
    for rest in ["sales?leg=left".to_owned(), format!("path/{}", bia.user)] {
        ana.get(&format!("/affiliates/bonus-log/{sold}/{rest}"))
            .await
            .refused(404, "request.not_found");
    }
    // The next match begins where this one ended: 700 are left of it.
    life.sale_of(right, 100, 500, false).await;
    life.close().await;
    let ana = life.app.renew(&ana);
    let then = newest(&ana).await;
    let told = ana.get(&format!("/affiliates/bonus-log/{then}")).await.ok();
    assert_eq!(
        told["legs"],
        json!({
            "leftPoints": "700.000000", "rightPoints": "100.000000", "matched": "100.000000", "lost": "0.000000",
            "since": day, "leftCarried": "700.000000", "rightCarried": "0.000000", "before": bonus,
        })
    );
    let left = ana
        .get(&format!("/affiliates/bonus-log/{then}/sales?leg=left"))
        .await
        .ok();
    assert_eq!(left["data"], json!([]));
    assert_eq!(told["results"], Value::Null);
}

/// Neither way reads what is not asked for, however many sales there are.
#[actix_web::test]
async fn sales_are_found_by_their_indexes() {
    let life = Life::begin(24).await;
    let mut tx = life.app.sql.begin().await.unwrap();
    for sql in [
        "SET LOCAL session_replication_role = replica",
        "INSERT INTO affiliates.points (licence, member, points, business_day, booked_at, kind)
         SELECT gen_random_uuid(), md5((n % 5000)::text)::uuid, 1, '2026-01-01'::date + n / 200, now(), 'sale' FROM generate_series(1, 50000) n",
        "ANALYZE affiliates.points",
    ] {
        sqlx::query(sql).execute(&mut *tx).await.unwrap();
    }
    let members: Vec<Uuid> = sqlx::query_scalar("SELECT DISTINCT member FROM affiliates.points LIMIT 2000")
        .fetch_all(&mut *tx)
        .await
        .unwrap();
    let list = members.iter().map(Uuid::to_string).collect::<Vec<_>>().join(",");
    let with = |sql: &str, values: &[String]| {
        let filled = values
            .iter()
            .enumerate()
            .rev()
            .fold(sql.to_owned(), |sql, (at, value)| {
                sql.replace(&format!("${}", at + 1), value)
            });
        AssertSqlSafe(format!("EXPLAIN {filled}"))
    };
    let text = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<String>>();
    let of_members = [
        format!("'{{{list}}}'"),
        "'2026-03-01'".into(),
        "'2026-07-01'".into(),
        "0".into(),
        "21".into(),
    ];
    let of_days = text(&["'2026-03-01'", "'2026-07-01'", "0", "2000", "21", "1", "0"]);
    for (sql, values, index) in [
        (OF_MEMBERS, &of_members[..], "points_member"),
        (OF_DAYS, &of_days[..], "points_day"),
    ] {
        let plan: Vec<String> = sqlx::query_scalar(with(sql, values))
            .fetch_all(&mut *tx)
            .await
            .unwrap();
        let plan = plan.join("\n");
        assert!(
            plan.contains(index) && !plan.contains("Seq Scan on points"),
            "{plan}"
        );
    }
}
