//! A production server beside a venue on this machine, live trading switched on, and one robot.

use super::exchange::{self, Exchange, KEY, SECRET, Shared, lock};
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
use protocol::{
    ids::{BatchId, LicenceId, OperationId},
    money::Usdt,
    views::Mode,
};
use serde_json::json;
use server::{
    config::Secret,
    error::Error,
    foundation::{clock::SystemClock, context::Parts},
    robots::{
        live::{Live, service as live, venue::Venue},
        service,
    },
};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context as Poller, Poll},
    time::Duration,
};

pub const WINDOW: Duration = Duration::from_millis(500);

pub fn venue_at(address: url::Url) -> Arc<Venue> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (key, secret) = (Secret::new(KEY), Secret::new(SECRET));
    Arc::new(Venue::new(address, key, secret, Arc::new(SystemClock), WINDOW).unwrap())
}

/// A production server with the venue, live trading switched on by two persons, and one robot with 500 USDT at work.
pub struct Bench {
    pub app: TestApp,
    pub venue: Arc<Venue>,
    pub exchange: Shared,
    pub user: Client,
    pub licence: LicenceId,
    pub fence: i64,
}

pub async fn bench() -> Bench {
    let (exchange, address) = exchange::open();
    let venue = venue_at(address);
    let parts = Parts::default().with(Live {
        venue: Some(Arc::clone(&venue)),
        feed: true,
    });
    let app = TestApp::start_production(parts).await;
    let (one, two) = (app.admin("um").await, app.admin("dois").await);
    let wish = json!({ "word": "REAL", "reason": "we begin" });
    let asked = one.post("/admin/trading/live", &wish).await.ok();
    let seen = json!({ "id": asked["switch"]["_id"] });
    let on = two.post("/admin/trading/live/confirm", &seen).await.ok();
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

pub fn legs() -> Vec<LiveLeg> {
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
    pub fn exchange(&self) -> std::sync::MutexGuard<'_, Exchange> {
        lock(&self.exchange)
    }

    pub fn share(&self) -> Share {
        share(&self.user, self.licence, Usdt::whole(100))
    }

    /// Reserves a hundred USDT for an operation of now.
    pub async fn order(&self) -> LiveOrder {
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

    pub async fn execute(&self, order: &LiveOrder) -> Result<LiveDone, Error> {
        live::execute(&self.app.context, &self.venue, self.fence, order).await
    }

    /// Books what an operation brought, as the desk does.
    pub async fn settle(&self, order: &LiveOrder, done: &LiveDone) -> Result<(), Error> {
        let batch = Batch {
            id: BatchId::fresh(),
            mode: Mode::Live,
            lane: 0,
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

    /// Begins an operation whose process dies as soon as it is written down.
    pub async fn die(&self, order: &LiveOrder) {
        for looks in 1..100 {
            let begun = Killed {
                inner: Box::pin(self.execute(order)),
                looks,
            };
            assert!(begun.await.is_none());
            if self.count("SELECT count(*) FROM robots.live_operation").await == 1 {
                return;
            }
        }
        panic!("it is never written down");
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.app.sql).await.unwrap()
    }

    pub async fn booked(&self, order: &LiveOrder) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM robots.operation WHERE id = $1")
            .bind(order.operation.0)
            .fetch_one(&self.app.sql)
            .await
            .unwrap()
    }

    /// Every order was right, the books are exact, nothing is reserved, and what the venue moved is what was booked.
    pub async fn consistent(&self) {
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

/// Ends what it wraps after so many looks at it: as a killed process, somewhere.
pub struct Killed<'a, T> {
    pub inner: Pin<Box<dyn Future<Output = T> + 'a>>,
    pub looks: usize,
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
