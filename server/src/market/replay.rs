//! Plays a recording as if it happened now: same order, same distances in time, divided by the speed.

use super::{Feed, FeedError, recording::Recording};
use actors::desk::{Clock, inbox::Inbox, market::Market};
use futures_util::future::BoxFuture;
use protocol::views::Mode;
use std::{
    io::BufReader,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// How a recording is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// 100 is as recorded.
    pub speed_percent: u32,
    /// Begin again at the end.
    pub repeat: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            speed_percent: 100,
            repeat: true,
        }
    }
}

impl FromStr for Options {
    type Err = FeedError;
    fn from_str(text: &str) -> Result<Self, FeedError> {
        let mut options = Self::default();
        for option in text.split('&').filter(|o| !o.is_empty()) {
            let wrong = || FeedError::Option(option.to_owned());
            match option.split_once('=') {
                None if option == "once" => options.repeat = false,
                Some(("speed", factor)) => {
                    let (whole, part) = factor.split_once('.').unwrap_or((factor, "0"));
                    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
                    if !digits(whole) || !digits(part) || part.len() > 2 || whole.len() > 3 {
                        return Err(wrong());
                    }
                    let percent = format!("{whole}{part:0<2}").parse::<u32>().map_err(|_| wrong())?;
                    if !(10..=10_000).contains(&percent) {
                        return Err(wrong());
                    }
                    options.speed_percent = percent;
                }
                _ => return Err(wrong()),
            }
        }
        Ok(options)
    }
}

pub struct Replay {
    file: PathBuf,
    market: Arc<Market>,
    recording: Recording,
    options: Options,
}

impl Replay {
    /// Reads the whole recording: what is wrong in it is said before the desk starts.
    ///
    /// # Errors
    /// When the file cannot be read, or with the first line that is not as the format says.
    pub fn open(file: &Path, options: Options) -> Result<Self, FeedError> {
        let input = std::fs::File::open(file).map_err(|e| FeedError::File(file.to_owned(), e))?;
        let recording = Recording::read(BufReader::new(input))
            .map_err(|garbage| FeedError::Line(file.to_owned(), garbage.line, garbage.reason))?;
        Ok(Self {
            file: file.to_owned(),
            market: Arc::new(recording.market.clone()),
            recording,
            options,
        })
    }

    #[must_use]
    pub const fn recording(&self) -> &Recording {
        &self.recording
    }
}

impl Feed for Replay {
    fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("replay of {name}")
    }
    fn mode(&self) -> Mode {
        Mode::Simulated
    }
    fn market(&self) -> Arc<Market> {
        Arc::clone(&self.market)
    }
    fn run(
        self: Box<Self>,
        inbox: Arc<Inbox>,
        clock: Clock,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<(), FeedError>> {
        Box::pin(async move {
            loop {
                let begun = tokio::time::Instant::now();
                for (id, quote) in &self.recording.quotes {
                    let recorded = quote.at_ms.max(0).unsigned_abs();
                    let due = recorded.saturating_mul(100) / u64::from(self.options.speed_percent.max(1));
                    tokio::select! {
                        biased;
                        () = stop.cancelled() => return Ok(()),
                        () = tokio::time::sleep_until(begun + Duration::from_millis(due)) => {}
                    }
                    inbox.put(
                        *id,
                        actors::desk::market::Quote {
                            at_ms: clock(),
                            ..*quote
                        },
                    );
                }
                if !self.options.repeat {
                    inbox.end();
                    return Ok(());
                }
                // A recording of a single moment must not spin.
                tokio::select! {
                    () = stop.cancelled() => return Ok(()),
                    () = tokio::time::sleep(Duration::from_millis(100)) => {}
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::desk::market::{InstrumentId, Quote};
    use std::io::Write;

    fn sample() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/sample.ndjson")
    }

    #[tokio::test]
    async fn plays_every_quote_in_order() {
        let mut replay = Replay::open(
            &sample(),
            Options {
                speed_percent: 10_000,
                repeat: false,
            },
        )
        .unwrap();
        replay.recording.quotes.truncate(400);
        let expected = replay.recording.quotes.clone();
        let inbox = Arc::new(Inbox::new(replay.market().instruments().len()));
        let playing =
            tokio::spawn(Box::new(replay).run(Arc::clone(&inbox), Arc::new(|| 7), CancellationToken::new()));
        let mut played = Vec::new();
        while !inbox.has_ended() {
            tokio::time::sleep(Duration::from_millis(1)).await;
            inbox.take(&mut played, 1_000_000);
        }
        playing.await.unwrap().unwrap();
        assert!(played.iter().all(|(_, q)| q.at_ms == 7), "time is the desk's");
        // At 100 × some are conflated: what arrives of an instrument is in order and ends with its last quote.
        let prices = |of: &[(InstrumentId, Quote)], id| -> Vec<_> {
            of.iter()
                .filter(|(i, _)| *i == id)
                .map(|(_, q)| (q.bid, q.bid_quantity, q.ask, q.ask_quantity))
                .collect()
        };
        for (id, _) in &expected {
            let (all, some) = (prices(&expected, *id), prices(&played, *id));
            assert_eq!(all.last(), some.last());
            let mut rest = all.iter();
            assert!(
                some.iter().all(|q| rest.any(|r| r == q)),
                "out of order or invented"
            );
        }
        assert_eq!(played.len() as u64 + inbox.conflated(), expected.len() as u64);
    }

    #[tokio::test]
    async fn repeats_until_stopped() {
        let mut replay = Replay::open(&sample(), Options::default()).unwrap();
        replay.recording.quotes.truncate(1);
        let inbox = Arc::new(Inbox::new(replay.market().instruments().len()));
        let stop = CancellationToken::new();
        let playing = tokio::spawn(Box::new(replay).run(Arc::clone(&inbox), Arc::new(|| 7), stop.clone()));
        while inbox.conflated() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
        playing.await.unwrap().unwrap();
    }

    #[test]
    fn garbage_is_refused_with_file_and_line() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let text = std::fs::read_to_string(sample()).unwrap();
        let lines: Vec<&str> = text.lines().take(5).collect();
        writeln!(file, "{}\nnot a quote", lines.join("\n")).unwrap();
        let error = Replay::open(file.path(), Options::default())
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("line 6"), "{error}");
        let missing = Replay::open(Path::new("/nowhere/x.ndjson"), Options::default())
            .err()
            .unwrap()
            .to_string();
        assert!(missing.contains("/nowhere/x.ndjson"), "{missing}");
    }

    #[test]
    fn the_sample_is_small_and_whole() {
        assert!(std::fs::metadata(sample()).unwrap().len() <= 300 * 1024);
        let replay = Replay::open(&sample(), Options::default()).unwrap();
        assert!(replay.recording.quotes.len() > 1_000);
        assert!(replay.market().asset("USDT").is_some());
    }
}
