//! Writes down what a feed says while it says it, in the format that [`super::recording`] reads.
//!
//! What is on the disk is a whole recording at any moment: every line is written whole, and handed over at least once a second.
//! Times count from the first quote and never fall; an instrument that loses its price says nothing, since a recording
//! knows quotes only.

use super::{Feed, FeedError, recording};
use actors::desk::{
    Clock,
    inbox::Inbox,
    market::{InstrumentId, Market, Quote},
};
use std::{io::Write, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

const HANDED_OVER_EVERY: Duration = Duration::from_secs(1);
/// All that an inbox can hold.
const AT_ONCE: usize = actors::desk::market::MAX_INSTRUMENTS;

/// A recording that grows.
pub struct Recorder<W: Write> {
    market: Arc<Market>,
    output: W,
    first_ms: Option<i64>,
    last_ms: i64,
    written: u64,
}

impl<W: Write> Recorder<W> {
    /// Writes the first line.
    ///
    /// # Errors
    /// Whatever the output refuses.
    pub fn begin(market: Arc<Market>, mut output: W) -> std::io::Result<Self> {
        recording::write_header(&market, &mut output)?;
        Ok(Self {
            market,
            output,
            first_ms: None,
            last_ms: 0,
            written: 0,
        })
    }

    fn put(&mut self, id: InstrumentId, quote: Quote) -> std::io::Result<()> {
        if !quote.is_sane() {
            return Ok(());
        }
        let first = *self.first_ms.get_or_insert(quote.at_ms);
        self.last_ms = self.last_ms.max(quote.at_ms - first);
        let at_ms = self.last_ms;
        recording::write_quote(&self.market, id, &Quote { at_ms, ..quote }, &mut self.output)?;
        self.written += 1;
        Ok(())
    }
}

/// Runs a feed and writes down what it says until told to stop or it ends; how many quotes were written.
///
/// # Errors
/// Whatever the output refuses, or the feed's own end.
pub async fn record<W: Write>(
    feed: Box<dyn Feed>,
    clock: Clock,
    mut recorder: Recorder<W>,
    stop: CancellationToken,
) -> Result<u64, FeedError> {
    let inbox = Arc::new(Inbox::new(recorder.market.instruments().len()));
    let over = stop.child_token();
    // What the feed does after the last line is of no interest any more.
    let _over = over.clone().drop_guard();
    let mut running = tokio::spawn(feed.run(Arc::clone(&inbox), clock, over));
    let mut hand_over = tokio::time::interval(HANDED_OVER_EVERY);
    let mut quotes = Vec::with_capacity(AT_ONCE);
    let mut ended = None;
    while ended.is_none() {
        tokio::select! {
            biased;
            () = stop.cancelled() => ended = Some(Ok(())),
            outcome = &mut running => ended = Some(outcome.unwrap_or(Ok(()))),
            _ = hand_over.tick() => recorder.output.flush().map_err(FeedError::Output)?,
            () = inbox.filled() => {}
        }
        inbox.take(&mut quotes, AT_ONCE);
        for (id, quote) in quotes.drain(..) {
            recorder.put(id, quote).map_err(FeedError::Output)?;
        }
    }
    recorder.output.flush().map_err(FeedError::Output)?;
    ended.unwrap_or(Ok(())).map(|()| recorder.written)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{recording::Recording, replay, simulated::Simulated},
        *,
    };
    use std::sync::{
        Mutex,
        atomic::{AtomicI64, Ordering},
    };

    /// Bytes that the test looks at while they grow.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn what_is_recorded_can_be_played() {
        let feed: Box<dyn Feed> = Box::new(Simulated::new(7));
        let output = Shared::default();
        let recorder = Recorder::begin(feed.market(), output.clone()).unwrap();
        let stop = CancellationToken::new();
        let time = Arc::new(AtomicI64::new(1_000));
        let clock: Clock = Arc::new(move || time.fetch_add(1, Ordering::Relaxed));
        let recording = tokio::spawn(record(feed, clock, recorder, stop.clone()));
        let enough = async {
            while output.0.lock().unwrap().len() < 20_000 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), enough)
            .await
            .unwrap();
        stop.cancel();
        let written = recording.await.unwrap().unwrap();
        let bytes = output.0.lock().unwrap().clone();
        let read = Recording::read(&bytes[..]).unwrap();
        assert_eq!(read.quotes.len() as u64, written);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        replay::Replay::open(file.path(), replay::Options::default()).unwrap();
    }

    #[test]
    fn times_never_fall_and_nothing_is_written_without_a_price() {
        let mut market = Market::default();
        market.add_venue("a", 0).unwrap();
        let id = market.add_instrument("a", "BTC", "USDT").unwrap();
        let output = Shared::default();
        let mut recorder = Recorder::begin(Arc::new(market), output.clone()).unwrap();
        let quote = |at_ms, bid: &str| Quote {
            bid: bid.parse().unwrap(),
            bid_quantity: "1".parse().unwrap(),
            ask: "9".parse().unwrap(),
            ask_quantity: "1".parse().unwrap(),
            at_ms,
        };
        for (at, bid) in [(500, "5"), (510, "6"), (505, "7"), (520, "0"), (530, "8")] {
            recorder.put(id, quote(at, bid)).unwrap();
        }
        let bytes = output.0.lock().unwrap().clone();
        let read = Recording::read(&bytes[..]).unwrap();
        let times: Vec<i64> = read.quotes.iter().map(|(_, q)| q.at_ms).collect();
        assert_eq!(times, [0, 10, 10, 30]);
    }
}
