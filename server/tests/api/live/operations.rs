//! An operation with everything that the venue may do to it: partial fills, refusals, lost answers.

use super::{
    bench::{bench, venue_at},
    exchange::{self, Deed, lock},
};
use crate::{licences::exact, robots::fence};
use actors::desk::{cycles::Side, port::LiveDone};
use protocol::money::Usdt;
use serde_json::json;
use server::robots::live::venue::{Answer, Found};
use std::time::Duration;

#[actix_web::test]
async fn a_triangle_goes_round_and_is_booked() {
    let bench = bench().await;
    let order = bench.order().await;
    let done = bench.execute(&order).await.unwrap();
    assert_eq!(done.volume, Usdt::whole(100));
    assert_eq!(done.legs.len(), 6, "two trades an order");
    assert_eq!(
        (
            done.legs[0].venue.as_str(),
            done.legs[0].symbol.as_str(),
            done.legs[1].fee.as_str()
        ),
        ("binance", "BTC/USDT", "0.000001 BTC")
    );
    assert_eq!(
        bench.execute(&order).await.unwrap(),
        done,
        "asked again it is the same"
    );
    assert_eq!(bench.exchange().posts, 3);
    // Those who look hear of it twice: it is open, it is booked.
    const TOLD: &str = "SELECT count(*) FROM foundation.event WHERE stream = 'queue:settings' AND kind = 'live_operations.changed'";
    assert_eq!(bench.count(TOLD).await, 1);
    bench.settle(&order, &done).await.unwrap();
    assert_eq!(bench.count(TOLD).await, 2);
    bench.consistent().await;
    let residues: Vec<(String, i64)> =
        sqlx::query_as("SELECT asset, amount FROM robots.residue ORDER BY asset")
            .fetch_all(&bench.app.sql)
            .await
            .unwrap();
    assert_eq!(residues.len(), 2, "{residues:?}");
    let allocated: i64 = bench.count("SELECT allocated FROM licences.licence").await;
    let earned: i64 = bench.count("SELECT yield FROM licences.licence").await;
    assert_eq!(allocated + earned, 500_000_000 + done.result.0);
}

#[actix_web::test]
async fn what_stays_behind_at_the_venue_is_shown_by_asset() {
    let bench = bench().await;
    let staff = bench.app.person("eva", "system_employee").await;
    let path = "/admin/trading/live/residues";
    bench.user.get(path).await.refused(403, "auth.forbidden");
    let nothing = json!({ "assets": [], "operations": 0, "booked": 0 });
    assert_eq!(staff.get(path).await.ok(), nothing);
    let mut left: std::collections::BTreeMap<String, i64> = std::collections::BTreeMap::new();
    for round in 1..=2 {
        let order = bench.order().await;
        let done = bench.execute(&order).await.unwrap();
        let before = staff.get(path).await.ok();
        assert_eq!(before["booked"], json!(round - 1), "over, and in no book yet");
        bench.settle(&order, &done).await.unwrap();
        let rows: Vec<(String, i64)> =
            sqlx::query_as("SELECT asset, amount FROM robots.residue WHERE operation = $1")
                .bind(order.operation.0)
                .fetch_all(&bench.app.sql)
                .await
                .unwrap();
        assert!(!rows.is_empty());
        for (asset, amount) in rows {
            *left.entry(asset).or_default() += amount;
        }
    }
    let found = staff.get(path).await.ok();
    assert_eq!((&found["operations"], &found["booked"]), (&json!(2), &json!(2)));
    let shown: Vec<(String, i64)> = found["assets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| {
            assert_eq!(a["operations"], 2);
            let amount: actors::desk::market::Quantity = a["amount"].as_str().unwrap().parse().unwrap();
            (a["asset"].as_str().unwrap().to_owned(), amount.0)
        })
        .collect();
    assert_eq!(shown, left.into_iter().collect::<Vec<_>>());
    // None that left nothing counts, though it is booked.
    bench.exchange().deeds = [Deed::Fill(0)].into();
    let order = bench.order().await;
    let done = bench.execute(&order).await.unwrap();
    bench.settle(&order, &done).await.unwrap();
    let found = staff.get(path).await.ok();
    assert_eq!((&found["operations"], &found["booked"]), (&json!(2), &json!(3)));
}

#[actix_web::test]
async fn whatever_the_venue_does_it_comes_back_and_is_booked_once() {
    let bench = bench().await;
    use Deed::{Cut, Fill, Lose, Refuse, Rest, Vanish};
    let cases: Vec<(Vec<Deed>, usize)> = vec![
        // The first leg half, the second a third, the third a tenth: two sales at market.
        (vec![Fill(50), Fill(33), Fill(10)], 5),
        (vec![Fill(0)], 1),
        (
            vec![Refuse(
                -2010,
                "Account has insufficient balance for requested action.",
            )],
            0,
        ),
        (vec![Vanish], 0),
        (vec![Lose(100), Cut(40), Lose(100)], 4),
        (vec![Fill(100), Vanish], 2),
        (
            vec![Fill(100), Refuse(-1013, "Filter failure: PERCENT_PRICE_BY_SIDE")],
            2,
        ),
        // The sale at market is refused, vanishes, fills in parts.
        (
            vec![
                Fill(100),
                Fill(0),
                Refuse(-1013, "Market is closed."),
                Vanish,
                Lose(50),
            ],
            4,
        ),
        (vec![Fill(100), Rest], 2),
    ];
    for (deeds, expected) in cases {
        let order = bench.order().await;
        let before = {
            let mut exchange = bench.exchange();
            exchange.deeds = deeds.clone().into();
            exchange.taken.len()
        };
        let mut done = None;
        for _ in 0..600 {
            match bench.execute(&order).await {
                Ok(executed) => {
                    done = Some(executed);
                    break;
                }
                // The venue wants rest: the desk asks again later.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        let done = done.expect("it ends");
        assert_eq!(bench.exchange().taken.len() - before, expected, "{deeds:?}");
        bench.settle(&order, &done).await.unwrap();
        assert_eq!(
            bench.booked(&order).await,
            i64::from(!done.legs.is_empty()),
            "{deeds:?}"
        );
        bench.exchange().deeds.clear();
        bench.consistent().await;
    }
    assert_eq!(
        bench
            .count(
                "SELECT count(*) FROM robots.live_order WHERE state = 'refused' AND reason = 'never arrived'"
            )
            .await,
        3
    );
}

#[actix_web::test]
async fn a_commission_in_another_coin_costs_the_operation() {
    let bench = bench().await;
    bench.exchange().paid_in = Some("BNB");
    let order = bench.order().await;
    let done = bench.execute(&order).await.unwrap();
    // Three commissions of 0.001 BNB at 600, and 0.5 % of 100 USDT.
    assert_eq!(done.fees, "1.8".parse().unwrap());
    assert_eq!(done.result, "-1.3".parse().unwrap());
    bench.settle(&order, &done).await.unwrap();
    exact(&bench.app).await;
}

#[actix_web::test]
async fn the_database_books_nothing_live_without_the_venues_fills() {
    let bench = bench().await;
    let order = bench.order().await;
    let done = bench.execute(&order).await.unwrap();
    let more = LiveDone {
        result: done.result + Usdt(1),
        ..done.clone()
    };
    assert!(
        bench.settle(&order, &more).await.is_err(),
        "other figures than the fills give"
    );
    let invented = bench.order().await;
    assert!(bench.settle(&invented, &done).await.is_err(), "no fills at all");
    for sql in [
        "UPDATE robots.live_fill SET price = price + 1",
        "DELETE FROM robots.live_fill",
        "UPDATE robots.residue SET amount = amount + 1",
        "UPDATE robots.live_order SET state = 'refused', venue_order = NULL",
        "UPDATE robots.live_operation SET result = result + 1",
        "DELETE FROM robots.live_operation",
    ] {
        assert!(sqlx::query(sql).execute(&bench.app.sql).await.is_err(), "{sql}");
    }
    bench.settle(&order, &done).await.unwrap();
    assert_eq!(bench.booked(&order).await, 1);
}

#[actix_web::test]
async fn a_lost_lease_orders_nothing() {
    let bench = bench().await;
    let order = bench.order().await;
    bench.app.clock.advance(time::Duration::seconds(2));
    let newer = fence(&bench.app).await;
    assert!(newer > bench.fence);
    assert!(bench.execute(&order).await.is_err());
    assert_eq!(bench.exchange().posts, 0);
}

#[actix_web::test]
async fn the_venues_clock_rest_and_account() {
    let (exchange, address) = exchange::open();
    lock(&exchange).skew_ms = 86_400_000;
    let venue = venue_at(address);
    let held = venue.account().await.unwrap();
    assert!(held.may_trade && held.balances.iter().any(|(asset, _)| asset == "USDT"));
    // The clock jumps: asked again with the venue's time.
    lock(&exchange).skew_ms = -86_400_000;
    venue.account().await.unwrap();
    let order = actors::desk::live::Order {
        leg: 0,
        side: Side::Buy,
        amount: actors::desk::live::Amount::Base("0.001".parse().unwrap()),
        price: Some("100000".parse().unwrap()),
    };
    // An order with an old time is refused by the venue itself.
    let old = venue.time().await.unwrap() - 1_000;
    let answer = venue.place("BTCUSDT", "one", &order, old).await;
    assert!(
        matches!(&answer, Answer::Refused { reason, .. } if reason.starts_with("-1021")),
        "{answer:?}"
    );
    assert_eq!(venue.find("BTCUSDT", "one").await.unwrap(), Found::Missing);
    let now = venue.time().await.unwrap();
    assert!(matches!(
        venue.place("BTCUSDT", "one", &order, now).await,
        Answer::Over(_)
    ));
    // The same id again is no refusal: the order is there.
    let now = venue.time().await.unwrap();
    assert_eq!(venue.place("BTCUSDT", "one", &order, now).await, Answer::Unknown);
    let Found::Over(report) = venue.find("BTCUSDT", "one").await.unwrap() else {
        panic!("it is over")
    };
    assert_eq!(report.trades.len(), 2);
    lock(&exchange).deeds = [Deed::Rest].into();
    let posts = lock(&exchange).posts;
    for _ in 0..3 {
        let now = venue.time().await.unwrap();
        let answer = venue.place("BTCUSDT", "two", &order, now).await;
        assert!(matches!(answer, Answer::Refused { small: false, .. }));
    }
    assert_eq!(
        lock(&exchange).posts,
        posts + 1,
        "nothing goes out while it rests"
    );
}
