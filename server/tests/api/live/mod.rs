//! Live trading against a venue on this machine: partial fills, refusals, lost answers, a process killed at every step; the switch.

mod exchange;

use crate::{
    kit::{Client, TestApp},
    licences::exact,
    robots::{fence, robot, share},
};
use actors::desk::{
    cohort::Share,
    cycles::Side,
    live::LiveLeg,
    port::{Batch, LiveDone, LiveOrder, Operation, divided},
};
use exchange::{Deed, Exchange, KEY, SECRET, Shared, lock};
use futures_util::SinkExt;
use protocol::{
    ids::{BatchId, LicenceId, OperationId},
    money::Usdt,
    views::Mode,
};
use serde_json::{Value, json};
use server::{
    config::Secret,
    error::Error,
    foundation::{business_day, clock::SystemClock, context::Parts},
    market::{Choice, live::Places},
    robots::{
        desk_runner,
        live::{
            Live, service as live,
            venue::{Answer, Found, Venue},
        },
        manual::service as manual,
        service,
    },
};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context as Poller, Poll},
    time::Duration,
};
use tokio_tungstenite::{accept_async, tungstenite::Message};
use tokio_util::sync::CancellationToken;

const WINDOW: Duration = Duration::from_millis(250);

fn venue_at(address: url::Url) -> Arc<Venue> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (key, secret) = (Secret::new(KEY), Secret::new(SECRET));
    Arc::new(Venue::new(address, key, secret, Arc::new(SystemClock), WINDOW).unwrap())
}

/// A production server with the venue, live trading switched on by two persons, and one robot with 500 USDT at work.
struct Bench {
    app: TestApp,
    venue: Arc<Venue>,
    exchange: Shared,
    user: Client,
    licence: LicenceId,
    fence: i64,
}

async fn bench() -> Bench {
    let (exchange, address) = exchange::open();
    let venue = venue_at(address);
    let parts = Parts::default().with(Live {
        venue: Some(Arc::clone(&venue)),
        feed: true,
    });
    let app = TestApp::start_production(parts).await;
    let (one, two) = (app.admin("um").await, app.admin("dois").await);
    let wish = json!({ "word": "REAL", "reason": "we begin" });
    one.post("/admin/trading/live", &wish).await.ok();
    let on = two.post("/admin/trading/live/confirm", &json!({})).await.ok();
    assert_eq!(on["on"], json!(true));
    let user = app.user("ana").await;
    let licence = robot(&app, &user, 500).await;
    let fence = fence(&app).await;
    Bench {
        app,
        venue,
        exchange,
        user,
        licence,
        fence,
    }
}

fn legs() -> Vec<LiveLeg> {
    let leg = |base: &str, quote: &str, side, price: &str| LiveLeg {
        base: base.into(),
        quote: quote.into(),
        side,
        price: price.parse().unwrap(),
    };
    vec![
        leg("BTC", "USDT", Side::Buy, "100000"),
        leg("ETH", "BTC", Side::Buy, "0.04"),
        leg("ETH", "USDT", Side::Sell, "4020"),
    ]
}

impl Bench {
    fn exchange(&self) -> std::sync::MutexGuard<'_, Exchange> {
        lock(&self.exchange)
    }

    fn share(&self) -> Share {
        share(&self.user, self.licence, Usdt::whole(100))
    }

    /// Reserves a hundred USDT for an operation of now.
    async fn order(&self) -> LiveOrder {
        let operation = OperationId::fresh();
        let reserved = service::reserve(&self.app.context, self.fence, operation, &[self.share()])
            .await
            .unwrap();
        assert_eq!(reserved, [self.share()]);
        LiveOrder {
            operation,
            route: "USDT → BTC (binance) → ETH (binance) → USDT (binance)".into(),
            edge_ppm: 2_000,
            decided_ms: i64::try_from(self.app.context.now().unix_timestamp_nanos() / 1_000_000).unwrap(),
            manual: false,
            legs: legs(),
            shares: reserved,
        }
    }

    async fn execute(&self, order: &LiveOrder) -> Result<LiveDone, Error> {
        live::execute(&self.app.context, &self.venue, self.fence, order).await
    }

    /// Books what an operation brought, as the desk does.
    async fn settle(&self, order: &LiveOrder, done: &LiveDone) -> Result<(), Error> {
        let batch = Batch {
            id: BatchId::fresh(),
            mode: Mode::Live,
            operations: vec![Operation {
                id: order.operation,
                route: order.route.clone(),
                triangular: true,
                edge_ppm: order.edge_ppm,
                decided_ms: order.decided_ms,
                filled_ms: order.decided_ms + 1,
                legs: done.legs.clone(),
                volume: done.volume,
                fees: done.fees,
                result: done.result,
                manual: false,
                shares: divided(&order.shares, done.volume, done.fees, done.result),
            }],
        };
        service::settle(&self.app.context, self.fence, &batch)
            .await
            .map(|_| ())
    }

    async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.app.sql).await.unwrap()
    }

    async fn booked(&self, order: &LiveOrder) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM robots.operation WHERE id = $1")
            .bind(order.operation.0)
            .fetch_one(&self.app.sql)
            .await
            .unwrap()
    }

    /// Every order was right, the books are exact, nothing is reserved, and what the venue moved is what was booked.
    async fn consistent(&self) {
        let (taken, moved): (i64, i128) = {
            let exchange = self.exchange();
            assert!(exchange.wrong.is_empty(), "{:?}", exchange.wrong);
            let usdt = exchange.balances["USDT"] - 1_000_000 * 100_000_000;
            (exchange.taken.len().try_into().unwrap(), usdt)
        };
        exact(&self.app).await;
        assert_eq!(self.count("SELECT count(*) FROM robots.reservation").await, 0);
        assert_eq!(
            self.count("SELECT count(*) FROM robots.live_operation WHERE state <> 'booked'")
                .await,
            0
        );
        assert_eq!(
            self.count("SELECT count(*) FROM robots.live_order WHERE state = 'over'")
                .await,
            taken,
            "what the venue took is known here"
        );
        let (results, operations): (i64, i64) = sqlx::query_as(
            "SELECT coalesce(sum(result), 0)::bigint, count(*) FROM robots.operation WHERE mode = 'live'",
        )
        .fetch_one(&self.app.sql)
        .await
        .unwrap();
        // Each result is rounded down to a micro-unit.
        let off = moved - i128::from(results) * 100;
        assert!(
            (0..100 * i128::from(operations.max(1))).contains(&off),
            "{moved} {results}"
        );
    }
}

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
    bench.settle(&order, &done).await.unwrap();
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
async fn what_is_at_the_venue_while_nobody_has_its_keys_is_seen() {
    let bench = bench().await;
    let path = "/admin/trading/live";
    let staff = bench.app.person("eva", "system_employee").await;
    let idle = staff.get(path).await.ok();
    assert_eq!(
        [
            &idle["openOperations"],
            &idle["openSince"],
            &idle["openCapital"],
            &idle["stranded"]
        ],
        [&json!(0), &json!(null), &json!("0.000000"), &json!(false)]
    );
    let order = bench.order().await;
    bench.exchange().deeds = [Deed::Lose(100)].into();
    for looks in 1..100 {
        let begun = Killed {
            inner: Box::pin(bench.execute(&order)),
            looks,
        };
        assert!(begun.await.is_none());
        if bench.count("SELECT count(*) FROM robots.live_operation").await == 1 {
            break;
        }
    }
    let open = staff.get(path).await.ok();
    assert_eq!(
        [&open["openOperations"], &open["openCapital"], &open["stranded"]],
        [&json!(1), &json!("100.000000"), &json!(false)],
        "with the keys the next desk ends it"
    );
    assert!(open["openSince"].is_string());
    // The same world, started without its keys.
    let keyless = Parts::default().with(Live {
        venue: None,
        feed: true,
    });
    let bare = bench.app.another_with(keyless).await;
    let there = bare.admin("quatro").await;
    let open = there.get(path).await.ok();
    assert_eq!(
        [
            &open["missing"],
            &open["openOperations"],
            &open["openCapital"],
            &open["stranded"]
        ],
        [&json!(["keys"]), &json!(1), &json!("100.000000"), &json!(true)]
    );
    // Nor is that a matter of the switch.
    there.post("/admin/trading/live/off", &json!({})).await.ok();
    assert_eq!(there.get(path).await.ok()["stranded"], json!(true));
    // The keys are back: it is ended and booked.
    bench.app.clock.advance(time::Duration::seconds(2));
    let fence = fence(&bench.app).await;
    live::recover(&bench.app.context, &bench.venue, fence)
        .await
        .unwrap();
    let after = there.get(path).await.ok();
    assert_eq!(
        (&after["openOperations"], &after["stranded"]),
        (&json!(0), &json!(false))
    );
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
        for _ in 0..50 {
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

/// Ends what it wraps after so many looks at it: as a killed process, somewhere.
struct Killed<'a, T> {
    inner: Pin<Box<dyn Future<Output = T> + 'a>>,
    looks: usize,
}

impl<T> Future for Killed<'_, T> {
    type Output = Option<T>;
    fn poll(mut self: Pin<&mut Self>, poller: &mut Poller<'_>) -> Poll<Option<T>> {
        if self.looks == 0 {
            return Poll::Ready(None);
        }
        self.looks -= 1;
        self.inner.as_mut().poll(poller).map(Some)
    }
}

#[actix_web::test]
async fn killed_anywhere_it_is_ended_and_booked_once_by_the_next_desk() {
    let mut bench = bench().await;
    for looks in (1..400).step_by(3) {
        let order = bench.order().await;
        bench.exchange().deeds = [Deed::Fill(100), Deed::Lose(50), Deed::Fill(60)].into();
        let life = async {
            let done = bench.execute(&order).await?;
            bench.settle(&order, &done).await?;
            Ok::<_, Error>(())
        };
        let whole = Killed {
            inner: Box::pin(life),
            looks,
        }
        .await
        .map(|lived| lived.unwrap());
        // Another process takes the lease over.
        bench.app.clock.advance(time::Duration::seconds(2));
        bench.fence = fence(&bench.app).await;
        bench.exchange().deeds.clear();
        live::recover(&bench.app.context, &bench.venue, bench.fence)
            .await
            .unwrap();
        assert_eq!(
            live::recover(&bench.app.context, &bench.venue, bench.fence)
                .await
                .unwrap(),
            0
        );
        service::free_lapsed(&bench.app.context, bench.fence)
            .await
            .unwrap();
        bench.consistent().await;
        let posts = {
            let exchange = bench.exchange();
            exchange
                .taken
                .iter()
                .filter(|t| t.id.starts_with(&order.operation.0.simple().to_string()))
                .count()
        };
        assert_eq!(bench.booked(&order).await, i64::from(posts > 0));
        if whole.is_some() {
            assert!(looks > 20, "{looks}");
            return;
        }
    }
    panic!("it never ends by itself");
}

#[actix_web::test]
async fn what_is_at_the_venue_stays_reserved_and_is_not_booked_before_its_end() {
    let mut bench = bench().await;
    let order = bench.order().await;
    bench.exchange().deeds = [Deed::Lose(100)].into();
    // Killed as soon as it is written down.
    for looks in 1..100 {
        let begun = Killed {
            inner: Box::pin(bench.execute(&order)),
            looks,
        };
        assert!(begun.await.is_none());
        if bench.count("SELECT count(*) FROM robots.live_operation").await == 1 {
            break;
        }
    }
    assert_eq!(
        bench
            .count("SELECT count(*) FROM robots.live_operation WHERE state = 'working'")
            .await,
        1
    );
    // Much later, under another lease.
    bench.app.clock.advance(time::Duration::hours(1));
    bench.fence = fence(&bench.app).await;
    assert_eq!(
        service::free_lapsed(&bench.app.context, bench.fence)
            .await
            .unwrap(),
        0
    );
    assert_eq!(bench.count("SELECT count(*) FROM robots.reservation").await, 1);
    // Its owner's order is not given up either: what comes of it is still at the venue.
    sqlx::query(
        "INSERT INTO robots.manual_order (id, licence, owner, route, state, asked_at, sent)
         VALUES ($1, $2, $3, $4, 'sent', now() - interval '1 minute', $5)",
    )
    .bind(order.operation.0)
    .bind(bench.licence.0)
    .bind(bench.user.user.0)
    .bind(&order.route)
    .bind(bench.fence)
    .execute(&bench.app.sql)
    .await
    .unwrap();
    let waiting = "SELECT count(*) FROM robots.manual_order WHERE state = 'sent'";
    manual::expire(&bench.app.context).await.unwrap();
    assert_eq!(bench.count(waiting).await, 1);
    let nothing = LiveDone::default();
    assert!(bench.settle(&order, &nothing).await.is_err(), "not over");
    live::recover(&bench.app.context, &bench.venue, bench.fence)
        .await
        .unwrap();
    bench.consistent().await;
    manual::expire(&bench.app.context).await.unwrap();
    assert_eq!(bench.count(waiting).await, 0);
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

#[actix_web::test]
async fn two_different_persons_switch_it_on_and_anyone_off() {
    let (_, address) = exchange::open();
    let parts = Parts::default().with(Live {
        venue: Some(venue_at(address)),
        feed: true,
    });
    let app = TestApp::start_production(parts).await;
    let (one, two, user) = (
        app.admin("um").await,
        app.admin("dois").await,
        app.user("ana").await,
    );
    let eva = app.person("eva", "system_employee").await;
    let path = "/admin/trading/live";
    let wish = |word: &str, reason: &str| json!({ "word": word, "reason": reason });
    user.get(path).await.refused(403, "auth.forbidden");
    for call in ["", "/confirm", "/off"] {
        let path = format!("{path}{call}");
        user.post(&path, &wish("REAL", "x"))
            .await
            .refused(403, "auth.forbidden");
        eva.post(&path, &wish("REAL", "x"))
            .await
            .refused(403, "auth.forbidden");
    }
    let before = eva.get(path).await.ok();
    assert_eq!(
        (&before["on"], &before["missing"], &before["switch"]),
        (&json!(false), &json!([]), &json!(null))
    );
    one.post(&format!("{path}/confirm"), &json!({}))
        .await
        .refused(409, "live.state");
    one.post(&format!("{path}/off"), &json!({}))
        .await
        .refused(409, "live.state");
    one.post(path, &wish("real", "we begin"))
        .await
        .refused(422, "live.word");
    one.post(path, &wish("REAL", " "))
        .await
        .refused(422, "decision.reason_missing");
    let asked = one.post(path, &wish("REAL", "we begin")).await.ok();
    assert_eq!(
        (
            &asked["on"],
            &asked["switch"]["state"],
            &asked["switch"]["reason"]
        ),
        (&json!(false), &json!("asked"), &json!("we begin"))
    );
    two.post(path, &wish("REAL", "me too"))
        .await
        .refused(409, "live.state");
    one.post(&format!("{path}/confirm"), &json!({}))
        .await
        .refused(409, "decision.same_person");
    let on = two.post(&format!("{path}/confirm"), &json!({})).await.ok();
    assert_eq!((&on["on"], &on["switch"]["state"]), (&json!(true), &json!("on")));
    two.post(&format!("{path}/confirm"), &json!({}))
        .await
        .refused(409, "live.state");
    let off = one.post(&format!("{path}/off"), &json!({})).await.ok();
    assert_eq!(
        (&off["on"], &off["switch"]["state"]),
        (&json!(false), &json!("off"))
    );
    // A request that nobody confirms within a day is asked for anew.
    one.post(path, &wish("REAL", "again")).await.ok();
    app.clock.advance(time::Duration::hours(25));
    let (one, two) = (app.renew(&one), app.renew(&two));
    two.post(&format!("{path}/confirm"), &json!({}))
        .await
        .refused(409, "live.state");
    one.post(path, &wish("REAL", "anew")).await.ok();
    two.post(&format!("{path}/off"), &json!({})).await.ok();
    let actions: Vec<String> =
        sqlx::query_scalar("SELECT action FROM foundation.audit WHERE action LIKE 'live.%' ORDER BY at, id")
            .fetch_all(&app.sql)
            .await
            .unwrap();
    assert_eq!(
        actions,
        [
            "live.ask", "live.on", "live.off", "live.ask", "live.ask", "live.off"
        ]
    );
    let sneaky = sqlx::query("UPDATE robots.live_switch SET off_at = NULL, off_by = NULL")
        .execute(&app.sql)
        .await;
    assert!(sneaky.is_err());
}

#[actix_web::test]
async fn a_demo_and_a_bare_installation_refuse() {
    let (_, address) = exchange::open();
    let whole = Live {
        venue: Some(venue_at(address)),
        feed: true,
    };
    let wish = json!({ "word": "REAL", "reason": "we begin" });
    let demo = TestApp::start_with_parts(Parts::default().with(whole.clone())).await;
    let admin = demo.admin("root").await;
    admin
        .post("/admin/trading/live", &wish)
        .await
        .refused(409, "live.world");
    assert_eq!(
        admin.get("/admin/trading/live").await.ok()["missing"],
        json!(["world"])
    );
    let insert = sqlx::query(
        "INSERT INTO robots.live_switch (id, reason, digest, asked_by, asked_at)
         SELECT gen_random_uuid(), 'x', sha256(''), id, now() FROM identity.account WHERE username LIKE 'root%'",
    )
    .execute(&demo.sql)
    .await;
    assert!(insert.is_err(), "the database refuses it too");

    let no_keys = Live {
        venue: None,
        ..whole.clone()
    };
    let app = TestApp::start_production(Parts::default().with(no_keys)).await;
    let admin = app.admin("root").await;
    admin
        .post("/admin/trading/live", &wish)
        .await
        .refused(409, "live.keys");
    let no_feed = Live { feed: false, ..whole };
    let app = TestApp::start_production(Parts::default().with(no_feed)).await;
    let admin = app.admin("root").await;
    admin
        .post("/admin/trading/live", &wish)
        .await
        .refused(409, "live.feed");
}

/// The venue's quotes: a triangle worth two in a thousand after fees.
async fn quotes() -> url::Url {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}/ws", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut peer = accept_async(tcp).await.unwrap();
                let mut pace = tokio::time::interval(Duration::from_millis(20));
                for u in 1u64.. {
                    pace.tick().await;
                    for (symbol, bid, ask) in [
                        ("BTCUSDT", "99999", "100000"),
                        ("ETHBTC", "0.0399", "0.04"),
                        ("ETHUSDT", "4020", "4021"),
                    ] {
                        let text = json!({ "u": u, "s": symbol, "b": bid, "B": "5", "a": ask, "A": "5" });
                        if peer.send(Message::text(text.to_string())).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    address.parse().unwrap()
}

#[actix_web::test]
async fn the_desk_trades_live_while_it_is_on() {
    let bench = bench().await;
    let places = Places {
        addresses: [("binance".to_owned(), quotes().await)].into(),
        loopback: true,
        ..Places::default()
    };
    let choice: Choice = "live:binance?pairs=BTC-USDT,ETH-BTC,ETH-USDT".parse().unwrap();
    // The capital's minute of waiting is over, and so is the lease of the bench.
    bench.app.clock.advance(time::Duration::minutes(2));
    let stop = CancellationToken::new();
    let desk = actix_web::rt::spawn(desk_runner::run(
        bench.app.context.clone(),
        Arc::new(|_| ()),
        choice.at(places).unwrap(),
        stop.clone(),
    ));
    let staff = bench.app.admin("tres").await;
    let until = async |done: &dyn Fn(i64, &Value) -> bool| {
        for _ in 0..300 {
            let booked = bench
                .count("SELECT count(*) FROM robots.operation WHERE mode = 'live'")
                .await;
            let feeds = staff.get("/admin/feeds").await.ok();
            if done(booked, &feeds) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it does not come");
    };
    until(&|booked, feeds| booked > 0 && feeds["mode"] == "live").await;
    staff.post("/admin/trading/live/off", &json!({})).await.ok();
    until(&|_, feeds| feeds["mode"] == "paper" && feeds["running"] == true).await;
    let posts = bench.exchange().posts;
    stop.cancel();
    desk.await.unwrap();
    assert_eq!(bench.exchange().posts, posts, "off: nothing goes out");
    assert_eq!(
        bench
            .count("SELECT count(*) FROM robots.live_operation WHERE state <> 'booked'")
            .await,
        0
    );
    assert!(bench.exchange().wrong.is_empty());
    exact(&bench.app).await;
}

#[actix_web::test]
async fn yield_leaves_only_while_the_venue_holds_it() {
    let bench = bench().await;
    let order = bench.order().await;
    let done = bench.execute(&order).await.unwrap();
    assert!(done.result.is_positive(), "{:?}", done.result);
    bench.settle(&order, &done).await.unwrap();
    // The next day on which yield may leave.
    let today = business_day::of(bench.app.context.now());
    let mut day = today.next_day().unwrap();
    while day.day() != 5 {
        day = day.next_day().unwrap();
    }
    bench.app.clock.advance(day - today);
    let user = bench.app.renew(&bench.user);
    let take = json!({ "licence": bench.licence, "value": done.result });
    let path = "/trader/robot-withdraw";
    user.post(path, &take).await.refused(409, "yield.unreconciled");
    bench.exchange().balances.insert("USDT".into(), 0);
    assert!(
        !live::reconcile_once(&bench.app.context, &bench.venue)
            .await
            .unwrap()
    );
    user.post(path, &take).await.refused(409, "yield.unreconciled");
    bench
        .exchange()
        .balances
        .insert("USDT".into(), 2_000 * 100_000_000);
    bench.app.clock.advance(time::Duration::minutes(1));
    assert!(
        live::reconcile_once(&bench.app.context, &bench.venue)
            .await
            .unwrap()
    );
    user.post(path, &take).await.ok();
    exact(&bench.app).await;
    let old = sqlx::query("UPDATE licences.reconciliation SET booked = 0")
        .execute(&bench.app.sql)
        .await;
    assert!(old.is_err(), "what was found stays written");
}
