//! Connections against venues on this machine that speak as documented, or fail in every way that real ones do.

use super::{super::venue, *};
use actors::desk::market::{InstrumentId, Quote};
use std::collections::HashMap;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tokio_tungstenite::{WebSocketStream, accept_async};

type Peer = WebSocketStream<TcpStream>;

/// A venue on this machine; the test plays its part on every socket that arrives.
struct Bench {
    line: Arc<Line>,
    arrivals: mpsc::Receiver<Peer>,
    stop: CancellationToken,
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work)
        .await
        .expect("it never happened")
}

impl Bench {
    async fn new(name: &str, symbols: &[&str], limits: impl FnOnce(&mut Limits)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ws://{}/ws", listener.local_addr().unwrap());
        let (sender, arrivals) = mpsc::channel(8);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let Ok(peer) = accept_async(tcp).await else {
                    continue;
                };
                if sender.send(peer).await.is_err() {
                    return;
                }
            }
        });
        let venue = venue::find(name).unwrap();
        let mut own = venue.limits();
        own.between_messages = Duration::from_millis(1);
        limits(&mut own);
        let ids = (0..).map(InstrumentId);
        let instruments: HashMap<_, _> = symbols.iter().map(|s| (*s).to_owned()).zip(ids).collect();
        let links = Arc::new(Links::default());
        links.expect(name);
        let line = Arc::new(Line {
            address: address.parse().unwrap(),
            limits: own,
            loopback: true,
            symbols: symbols.iter().map(|s| (*s).to_owned()).collect(),
            inbox: Arc::new(Inbox::new(symbols.len())),
            books: Mutex::new(Books::new(instruments)),
            clock: Arc::new(|| 1_700_000_000_000),
            links,
            venue,
            back_off: (Duration::from_millis(1), Duration::from_millis(20)),
        });
        let stop = CancellationToken::new();
        tokio::spawn(keep(Arc::clone(&line), stop.clone()));
        Self { line, arrivals, stop }
    }

    async fn arrival(&mut self) -> Peer {
        within(self.arrivals.recv()).await.unwrap()
    }

    /// The next quote that the desk would see.
    async fn quote(&self) -> (u32, Quote) {
        let mut read = Vec::new();
        within(async {
            while read.is_empty() {
                self.line.inbox.filled().await;
                self.line.inbox.take(&mut read, 1);
            }
        })
        .await;
        let (id, quote) = read.remove(0);
        (id.0, quote)
    }

    fn link(&self) -> super::super::health::LinkState {
        self.line.links.of(self.line.venue.name()).unwrap()
    }
}

/// The next text of ours; frames of the protocol are answered on the way.
async fn said(peer: &mut Peer) -> String {
    within(async {
        loop {
            match peer.next().await {
                Some(Ok(Message::Text(text))) => return text.to_string(),
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    })
    .await
}

async fn say(peer: &mut Peer, text: &str) {
    peer.send(Message::text(text)).await.unwrap();
}

const BINANCE: &str = r#"{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}"#;
const KRAKEN: &str = r#"{"channel":"ticker","type":"snapshot","data":[{"symbol":"ALGO/USD","bid":0.10025,"bid_qty":740.0,"ask":0.10036,"ask_qty":1361.44813783,"last":0.10035,"timestamp":"2023-09-25T09:04:31.742648Z"}]}"#;
const OKX: &str = r#"{"arg":{"channel":"bbo-tbt","instId":"BTC-USDT"},"data":[{"asks":[["111.06","55154","0","2"]],"bids":[["111.05","57745","0","2"]],"ts":"1670324386802","seqId":363996337}]}"#;
const BYBIT: &str = r#"{"topic":"orderbook.1.BTCUSDT","type":"snapshot","ts":1672304484978,"data":{"s":"BTCUSDT","b":[["16493.50","0.006"]],"a":[["16611.00","0.029"]],"u":18521288,"seq":7961638724}}"#;

/// Venue, symbol, documented message, its bid, what of it to replace so that the bid's size is 0.
type Documented = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    (&'static str, &'static str),
);
const ALL: [Documented; 4] = [
    (
        "binance",
        "BNBUSDT",
        BINANCE,
        "25.3519",
        ("31.21000000", "0.00000000"),
    ),
    ("kraken", "ALGO/USD", KRAKEN, "0.10025", ("740.0", "0.0")),
    ("okx", "BTC-USDT", OKX, "111.05", ("57745", "0")),
    ("bybit", "BTCUSDT", BYBIT, "16493.5", ("\"0.006\"", "\"0\"")),
];

#[tokio::test]
async fn the_documented_messages_become_quotes() {
    for (name, symbol, message, bid, (size, none)) in ALL {
        let mut bench = Bench::new(name, &[symbol], |_| {}).await;
        let mut peer = bench.arrival().await;
        assert_eq!(
            said(&mut peer).await,
            bench.line.venue.subscribe(&[symbol.to_owned()], 1)
        );
        say(&mut peer, message).await;
        let (id, quote) = bench.quote().await;
        assert_eq!((id, quote.bid.to_string().as_str()), (0, bid), "{name}");
        assert_eq!(
            quote.at_ms, 1_700_000_000_000,
            "prompt, whatever the venue's clock says"
        );
        say(&mut peer, "neither JSON nor sense").await;
        say(&mut peer, r#"{"s":"BNBUSDT","u":-1}"#).await;
        say(&mut peer, message).await;
        assert_eq!(bench.quote().await.1, quote, "a repeat confirms");
        say(&mut peer, &message.replace(size, none)).await;
        assert_eq!(bench.quote().await.1, gone(1_700_000_000_000), "size 0 deletes");
        let link = bench.link();
        assert_eq!(
            (link.connected, link.reconnects, link.since_ms),
            (1, 0, Some(1_700_000_000_000))
        );
    }
}

#[tokio::test]
async fn older_counts_are_dropped_and_a_fresh_count_is_taken() {
    let mut bench = Bench::new("bybit", &["BTCUSDT"], |_| {}).await;
    let mut peer = bench.arrival().await;
    say(&mut peer, BYBIT).await;
    bench.quote().await;
    let of = |u: &str, bid: &str| BYBIT.replace("18521288", u).replace("16493.50", bid);
    say(&mut peer, &of("18521287", "16000")).await;
    say(&mut peer, &of("1", "16001")).await;
    assert_eq!(
        bench.quote().await.1.bid.to_string(),
        "16001",
        "u = 1 resets, the older one was dropped"
    );
}

#[tokio::test]
async fn a_closed_connection_takes_its_prices_along_and_comes_back() {
    let mut bench = Bench::new("binance", &["BNBUSDT"], |_| {}).await;
    let mut peer = bench.arrival().await;
    say(&mut peer, BINANCE).await;
    assert!(bench.quote().await.1.is_sane());
    peer.close(None).await.unwrap();
    assert_eq!(bench.quote().await.1, gone(1_700_000_000_000));
    let mut again = bench.arrival().await;
    assert!(said(&mut again).await.contains("bnbusdt@bookTicker"));
    // The venue may have begun to count anew.
    say(&mut again, &BINANCE.replace("400900217", "5")).await;
    assert!(bench.quote().await.1.is_sane());
    assert_eq!(bench.link().reconnects, 1);
    drop(again);
    assert_eq!(
        bench.quote().await.1,
        gone(1_700_000_000_000),
        "torn off without a word"
    );
}

#[tokio::test]
async fn a_peer_that_says_nothing_any_more_is_left() {
    let mut bench = Bench::new("okx", &["BTC-USDT"], |l| l.silence = Duration::from_secs(2)).await;
    let mut peer = bench.arrival().await;
    say(&mut peer, OKX).await;
    bench.quote().await;
    // Half open: the socket stays, nothing comes.
    let mut again = bench.arrival().await;
    assert_eq!(bench.quote().await.1, gone(1_700_000_000_000));
    say(&mut again, OKX).await;
    assert!(bench.quote().await.1.is_sane());
    drop(peer);
}

#[tokio::test]
async fn a_subscription_without_quotes_is_left_though_the_heart_beats() {
    let mut bench = Bench::new("kraken", &["ALGO/USD"], |l| l.stale = Duration::from_millis(300)).await;
    let mut peer = bench.arrival().await;
    let beats = tokio::spawn(async move {
        while peer
            .send(Message::text(r#"{"channel":"heartbeat"}"#))
            .await
            .is_ok()
        {
            tokio::task::yield_now().await;
        }
    });
    bench.arrival().await;
    within(beats).await.unwrap();
    assert!(bench.link().reconnects >= 1);
}

#[tokio::test]
async fn pings_go_both_ways() {
    for (name, symbol, ..) in ALL {
        let mut bench = Bench::new(name, &[symbol], |l| l.ping_every = Duration::from_millis(20)).await;
        let mut peer = bench.arrival().await;
        said(&mut peer).await;
        match bench.line.venue.ping(2) {
            Ping::Frame => {
                // Answered by the peer's own protocol while it reads.
                within(async {
                    while bench.link().latency_ms.is_none() {
                        let _ = tokio::time::timeout(Duration::from_millis(5), peer.next()).await;
                    }
                })
                .await;
            }
            Ping::Text(text) => {
                assert_eq!(said(&mut peer).await, text, "{name}");
                say(
                    &mut peer,
                    match name {
                        "okx" => "pong",
                        "kraken" => r#"{"method":"pong","req_id":2}"#,
                        _ => r#"{"success":true,"ret_msg":"pong","conn_id":"c","req_id":"2","op":"ping"}"#,
                    },
                )
                .await;
                within(async {
                    while bench.link().latency_ms.is_none() {
                        tokio::task::yield_now().await;
                    }
                })
                .await;
            }
        }
        peer.send(Message::Ping(b"are you there".to_vec().into()))
            .await
            .unwrap();
        within(async {
            loop {
                if let Some(Ok(Message::Pong(answer))) = peer.next().await {
                    assert_eq!(&answer[..], b"are you there");
                    return;
                }
            }
        })
        .await;
    }
}

#[tokio::test]
async fn an_old_connection_stays_until_the_next_has_prices() {
    let mut bench = Bench::new("binance", &["BNBUSDT"], |l| l.life = Duration::from_millis(500)).await;
    let mut peer = bench.arrival().await;
    say(&mut peer, BINANCE).await;
    bench.quote().await;
    let mut next = bench.arrival().await;
    assert!(said(&mut next).await.contains("bnbusdt"));
    say(&mut peer, &BINANCE.replace("400900217", "400900218")).await;
    assert!(bench.quote().await.1.is_sane(), "the old one still speaks");
    say(&mut next, &BINANCE.replace("400900217", "400900219")).await;
    assert!(
        bench.quote().await.1.is_sane(),
        "and its going takes no price away"
    );
    within(async { while !matches!(peer.next().await, None | Some(Ok(Message::Close(_)) | Err(_))) {} })
        .await;
    let link = bench.link();
    assert_eq!((link.reconnects, link.since_ms.is_some()), (0, true));
}

#[tokio::test]
async fn a_refused_instrument_does_not_take_the_others_along() {
    let mut bench = Bench::new("bybit", &["BTCUSDT", "NONSENSE"], |_| {}).await;
    let mut peer = bench.arrival().await;
    let refuse = |id: &str| {
        format!(
            r#"{{"success":false,"ret_msg":"error:handler not found","conn_id":"c","req_id":"{id}","op":"subscribe"}}"#
        )
    };
    assert!(said(&mut peer).await.contains("NONSENSE"));
    say(&mut peer, &refuse("1")).await;
    assert!(!said(&mut peer).await.contains("NONSENSE"));
    assert!(said(&mut peer).await.contains("NONSENSE"));
    say(&mut peer, &refuse("3")).await;
    say(&mut peer, BYBIT).await;
    assert!(bench.quote().await.1.is_sane());
    assert_eq!((bench.link().refused, bench.link().reconnects), (1, 0));
}

#[tokio::test]
async fn where_each_is_refused_by_itself_nothing_is_asked_twice() {
    let mut bench = Bench::new("kraken", &["ALGO/USD", "ALGO/XYZ"], |l| {
        l.ping_every = Duration::from_millis(50);
    })
    .await;
    let mut peer = bench.arrival().await;
    assert!(said(&mut peer).await.contains("ALGO/XYZ"));
    say(
        &mut peer,
        r#"{"error":"Currency pair not supported ALGO/XYZ","method":"subscribe","req_id":1,"success":false,"symbol":"ALGO/XYZ"}"#,
    )
    .await;
    say(&mut peer, KRAKEN).await;
    assert!(bench.quote().await.1.is_sane());
    assert!(
        said(&mut peer).await.contains("ping"),
        "and no second subscription"
    );
    assert_eq!((bench.link().refused, bench.link().reconnects), (1, 0));
}

#[tokio::test]
async fn refused_altogether_it_tries_again() {
    let mut bench = Bench::new("kraken", &["ALGO/USD"], |_| {}).await;
    let mut peer = bench.arrival().await;
    said(&mut peer).await;
    say(
        &mut peer,
        r#"{"error":"Currency pair not supported","method":"subscribe","req_id":1,"success":false}"#,
    )
    .await;
    bench.arrival().await;
    assert_eq!(bench.link().refused, 1);
}

#[tokio::test]
async fn a_venue_that_stops_trading_or_asks_to_leave_is_believed() {
    let mut bench = Bench::new("kraken", &["ALGO/USD"], |_| {}).await;
    let mut peer = bench.arrival().await;
    say(&mut peer, KRAKEN).await;
    bench.quote().await;
    say(
        &mut peer,
        r#"{"channel":"status","type":"update","data":[{"system":"maintenance"}]}"#,
    )
    .await;
    assert_eq!(bench.quote().await.1, gone(1_700_000_000_000));

    let mut bench = Bench::new("okx", &["BTC-USDT"], |_| {}).await;
    let mut peer = bench.arrival().await;
    say(&mut peer, OKX).await;
    bench.quote().await;
    say(
        &mut peer,
        r#"{"event":"notice","code":"64008","msg":"The connection will soon be closed","connId":"c"}"#,
    )
    .await;
    assert_eq!(bench.quote().await.1, gone(1_700_000_000_000));
    bench.arrival().await;
}
