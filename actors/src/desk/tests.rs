//! The desk on its own thread, with a server in memory.

use super::*;
use market::{InstrumentId, PRICE_ONE, Price, QUANTITY_ONE, Quantity, Quote};
use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
    views::{ManualRefusal, Mode},
};
use std::sync::{
    Mutex,
    atomic::{AtomicI64, AtomicUsize, Ordering},
};

#[derive(Default)]
struct Books {
    batches: Mutex<Vec<Arc<port::Batch>>>,
    tries: AtomicUsize,
    refreshed: AtomicUsize,
    lease: AtomicI64,
    licence: Option<LicenceId>,
    asked_on: Mutex<Option<std::thread::ThreadId>>,
    manual: Mutex<Vec<bool>>,
    /// Robots at work, as the desk last showed.
    robots: Arc<AtomicUsize>,
    refused: Mutex<Vec<(OperationId, ManualRefusal)>>,
}

fn robot(licence: LicenceId) -> RobotSnapshot {
    RobotSnapshot {
        licence,
        user: UserId(licence.0),
        high_risk: false,
        allocated: Usdt::whole(1_000),
        operating: true,
        active_from_ms: 0,
        last_served_ms: 0,
        follows: None,
        version: 1,
    }
}

#[async_trait::async_trait]
impl Settle for Books {
    async fn eligible(&self) -> Result<Vec<RobotSnapshot>, SettleError> {
        *self.asked_on.lock().unwrap() = Some(std::thread::current().id());
        self.refreshed.fetch_add(1, Ordering::SeqCst);
        Ok(self.licence.into_iter().map(robot).collect())
    }
    async fn reserve(
        &self,
        _: Fence,
        _: OperationId,
        shares: &[Share],
        manual: bool,
    ) -> Result<Vec<Share>, SettleError> {
        self.manual.lock().unwrap().push(manual);
        Ok(shares.to_vec())
    }
    async fn refuse(
        &self,
        _: Fence,
        operation: OperationId,
        reason: ManualRefusal,
    ) -> Result<(), SettleError> {
        self.refused.lock().unwrap().push((operation, reason));
        Ok(())
    }
    async fn settle(&self, fence: Fence, batch: Arc<port::Batch>) -> Result<SettledBatch, SettleError> {
        if fence.0 < self.lease.load(Ordering::SeqCst) {
            return Err(SettleError::Fenced);
        }
        if self.tries.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err(SettleError::Unavailable("the first try gets lost".into()));
        }
        self.batches.lock().unwrap().push(batch);
        Ok(SettledBatch::default())
    }
}

fn desk<S: Settle>(books: &Arc<S>) -> (Arc<Inbox>, DeskHandle) {
    desk_shown(books, Arc::new(|_| {}))
}

/// A desk with a robot, once it knows that robot.
async fn desk_at_work(books: &Arc<Books>) -> (Arc<Inbox>, DeskHandle) {
    let robots = Arc::clone(&books.robots);
    let show = move |glimpse| {
        if let Glimpse::DeskStats(stats) = glimpse {
            robots.store(usize::try_from(stats.robots).unwrap(), Ordering::SeqCst);
        }
    };
    let (inbox, handle) = desk_shown(books, Arc::new(show));
    until("the robot at work", || books.robots.load(Ordering::SeqCst) == 1).await;
    (inbox, handle)
}

fn desk_shown<S: Settle>(books: &Arc<S>, show: Show) -> (Arc<Inbox>, DeskHandle) {
    let mut market = Market::default();
    for venue in ["a", "b"] {
        market.add_venue(venue, 1_000).unwrap();
        market.add_instrument(venue, "BTC", "USDT").unwrap();
    }
    let inbox = Arc::new(Inbox::new(market.instruments().len()));
    let started = std::time::Instant::now();
    let mut rules = FloorRules::new("test", Mode::Simulated, 1);
    rules.refusal_ppm = 0;
    rules.settle_every_ms = 50;
    let handle = start(Desk {
        settlement: market.asset("USDT").unwrap(),
        market: Arc::new(market),
        rules,
        fence: Fence(1),
        port: Arc::clone(books),
        inbox: Arc::clone(&inbox),
        clock: Arc::new(move || 1_700_000_000_000 + i64::try_from(started.elapsed().as_millis()).unwrap()),
        show,
    });
    (inbox, handle)
}

fn feed(inbox: &Inbox, sell_at: i64) {
    let quantity = Quantity(QUANTITY_ONE);
    for (id, bid, ask) in [(0, 99, 100), (1, sell_at, 110)] {
        let (bid, ask) = (Price(bid * PRICE_ONE), Price(ask * PRICE_ONE));
        let quote = Quote {
            bid,
            ask,
            bid_quantity: quantity,
            ask_quantity: quantity,
            at_ms: i64::MAX,
        };
        assert!(inbox.put(InstrumentId(id), quote));
    }
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if holds() {
            return;
        }
        timer::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not happen within a minute");
}

#[actix_rt::test]
async fn trades_books_and_closes() {
    let books = Arc::new(Books {
        licence: Some(LicenceId::fresh()),
        ..Books::default()
    });
    let (inbox, handle) = desk_at_work(&books).await;
    feed(&inbox, 105);
    until("an operation", || !books.manual.lock().unwrap().is_empty()).await;
    // Closed while the order is on its way: it is still filled and booked.
    handle.close(Duration::from_mins(1)).await;
    let batches = books.batches.lock().unwrap();
    assert_eq!(batches.len(), 1);
    assert_eq!(
        books.tries.load(Ordering::SeqCst),
        2,
        "the lost try was made good"
    );
    assert!(batches[0].operations[0].result.is_positive());
}

#[actix_rt::test]
async fn ends_by_itself_when_the_lease_is_lost() {
    let books = Arc::new(Books {
        licence: Some(LicenceId::fresh()),
        ..Books::default()
    });
    books.lease.store(2, Ordering::SeqCst);
    let (inbox, mut handle) = desk_at_work(&books).await;
    feed(&inbox, 105);
    timer::timeout(Duration::from_mins(1), handle.ended())
        .await
        .unwrap();
    assert!(books.batches.lock().unwrap().is_empty());
}

#[actix_rt::test]
async fn a_change_of_robots_is_noticed_at_once() {
    let books = Arc::new(Books::default());
    let (_inbox, handle) = desk(&books);
    until("the first refresh", || {
        books.refreshed.load(Ordering::SeqCst) == 1
    })
    .await;
    handle.wake();
    until("the second refresh", || {
        books.refreshed.load(Ordering::SeqCst) == 2
    })
    .await;
    handle.abandon().await;
}

#[actix_rt::test]
async fn an_owners_order_is_refused_or_filled() {
    let books = Arc::new(Books {
        tries: AtomicUsize::new(1),
        ..Books::default()
    });
    let (inbox, handle) = desk(&books);
    let orders = handle.orders();
    let order = || ManualOrder {
        operation: OperationId::fresh(),
        route: Some("USDT → BTC (a) → USDT (b)".into()),
        until_ms: 0,
        robot: robot(LicenceId::fresh()),
    };
    let early = order();
    assert!(orders.put(early.clone()));
    until("the refusal", || !books.refused.lock().unwrap().is_empty()).await;
    assert_eq!(
        *books.refused.lock().unwrap(),
        [(early.operation, ManualRefusal::Expired)]
    );
    // Until the desk has read the prices it has no opportunity to give.
    feed(&inbox, 105);
    let mut good = order();
    for tries in 1..100 {
        good = order();
        assert!(orders.put(good.clone()));
        let begun = || !books.manual.lock().unwrap().is_empty();
        until("an answer", || {
            begun() || books.refused.lock().unwrap().len() > tries
        })
        .await;
        if begun() {
            break;
        }
    }
    until("the booking", || !books.batches.lock().unwrap().is_empty()).await;
    {
        let batches = books.batches.lock().unwrap();
        let done = &batches[0].operations[0];
        assert_eq!((done.id, done.manual), (good.operation, true));
        assert!(done.filled_ms - done.decided_ms >= 150 && done.result.is_positive());
        assert_eq!(*books.manual.lock().unwrap(), [true]);
    }
    handle.close(Duration::from_mins(1)).await;
    assert!(!orders.put(order()), "nobody is there any more");
}

/// What a call opens outlives the desk's thread.
#[actix_rt::test]
async fn calls_run_where_the_desk_was_started() {
    let books = Arc::new(Books::default());
    let (_inbox, handle) = desk(&books);
    until("the first refresh", || books.refreshed.load(Ordering::SeqCst) > 0).await;
    assert_eq!(*books.asked_on.lock().unwrap(), Some(std::thread::current().id()));
    handle.abandon().await;
}

/// A server that answers when it is told to.
#[derive(Default)]
struct Slow {
    asked: tokio::sync::Notify,
    answer: tokio::sync::Notify,
    answered: AtomicUsize,
}

#[async_trait::async_trait]
impl Settle for Slow {
    async fn eligible(&self) -> Result<Vec<RobotSnapshot>, SettleError> {
        self.asked.notify_one();
        self.answer.notified().await;
        self.answered.fetch_add(1, Ordering::SeqCst);
        Ok(vec![])
    }
    async fn reserve(
        &self,
        _: Fence,
        _: OperationId,
        _: &[Share],
        _: bool,
    ) -> Result<Vec<Share>, SettleError> {
        Ok(vec![])
    }
    async fn settle(&self, _: Fence, _: Arc<port::Batch>) -> Result<SettledBatch, SettleError> {
        Ok(SettledBatch::default())
    }
}

#[actix_rt::test]
async fn a_call_under_way_is_not_cut_off_by_the_end() {
    let slow = Arc::new(Slow::default());
    let (_inbox, handle) = desk(&slow);
    slow.asked.notified().await;
    let mut closing = actix_rt::spawn(handle.close(Duration::from_mins(1)));
    let early = timer::timeout(Duration::from_millis(300), &mut closing).await;
    assert!(early.is_err(), "it ended while its call was under way");
    slow.answer.notify_one();
    closing.await.unwrap();
    assert_eq!(slow.answered.load(Ordering::SeqCst), 1);
}
