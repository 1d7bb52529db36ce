//! Feeds: where quotes come from, one file per source.
//!
//! A feed knows its market before it starts and from then on puts normalised quotes (fixed-point, our clock) into the
//! desk's inbox, where the newest per instrument wins; it never waits for the desk and holds no money. The mode follows
//! the feed: what is invented or played back is `simulated`, also where the prices once were real; real prices of now are
//! `paper`. No tables.

mod binance;
mod books;
mod bybit;
mod connection;
mod dial;
pub mod health;
mod kraken;
pub mod live;
mod okx;
mod rates;
pub mod recorder;
pub mod recording;
pub mod replay;
pub mod simulated;
mod venue;

pub use rates::Rates;

use actors::desk::{Clock, inbox::Inbox, market::Market};
use futures_util::future::BoxFuture;
use protocol::views::Mode;
use std::{path::PathBuf, str::FromStr, sync::Arc};
use tokio_util::sync::CancellationToken;

/// Why a feed cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error("unknown feed {0:?}; known are simulated, replay:FILE and live:VENUE,…")]
    Unknown(String),
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    #[error("the recording cannot be written: {0}")]
    Output(std::io::Error),
    #[error("{0}, line {1}: {2}")]
    Line(PathBuf, usize, String),
    #[error(
        "option {0:?} is not understood; known are speed=0.1…100 and once for replay, pairs=BTC-USDT,… for live"
    )]
    Option(String),
    #[error("{0:?} is no venue, or named twice; known are binance, okx, kraken and bybit")]
    Venue(String),
    #[error("{0:?} is no pair like BTC-USDT")]
    Pair(String),
}

/// The mode of the configured feed, for those who label what robots do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedMode(pub Mode);

/// A source of quotes.
pub trait Feed: Send {
    /// As people read it: `simulated`, `replay of sample.ndjson`.
    fn name(&self) -> String;
    fn mode(&self) -> Mode;
    fn market(&self) -> Arc<Market>;
    /// The state of its connections, if it has any.
    fn links(&self) -> Option<Arc<health::Links>> {
        None
    }
    /// Puts quotes into the inbox until told to stop or there are no more; times are the clock's.
    fn run(
        self: Box<Self>,
        inbox: Arc<Inbox>,
        clock: Clock,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<(), FeedError>>;
}

/// Which feed the configuration asks for: `simulated`, `replay:FILE` or `live:VENUE,…` with options behind a question mark
/// (`replay:day.ndjson?speed=10&once`, `live:binance,okx?pairs=BTC-USDT,ETH-USDT,ETH-BTC`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    Simulated,
    Replay(PathBuf, replay::Options),
    Live(live::Options),
}

impl FromStr for Choice {
    type Err = FeedError;
    fn from_str(text: &str) -> Result<Self, FeedError> {
        if text == "simulated" {
            return Ok(Self::Simulated);
        }
        if let Some(rest) = text.strip_prefix("live:") {
            return Ok(Self::Live(rest.parse()?));
        }
        let Some(rest) = text.strip_prefix("replay:").filter(|r| !r.is_empty()) else {
            return Err(FeedError::Unknown(text.to_owned()));
        };
        let (file, options) = rest.split_once('?').unwrap_or((rest, ""));
        Ok(Self::Replay(file.into(), options.parse()?))
    }
}

impl Choice {
    /// Opens the feed; a recording is read and checked whole. `seed` makes the simulated market what it is.
    ///
    /// # Errors
    /// When a recording cannot be read or is not one, with the line that is wrong.
    pub fn open(&self, seed: u64) -> Result<Box<dyn Feed>, FeedError> {
        Ok(match self {
            Self::Simulated => Box::new(simulated::Simulated::new(seed)),
            Self::Replay(file, options) => Box::new(replay::Replay::open(file, *options)?),
            Self::Live(options) => Box::new(live::Live::new(options)?),
        })
    }

    /// Where venues are and what they charge, as configured; of no concern to other feeds.
    ///
    /// # Errors
    /// When a place is configured of a venue that nobody knows.
    pub fn at(mut self, places: live::Places) -> Result<Self, FeedError> {
        let names = places.addresses.keys().chain(places.fees_ppm.keys());
        if let Some(unknown) = names.into_iter().find(|n| venue::find(n).is_none()) {
            return Err(FeedError::Venue(unknown.clone()));
        }
        if let Self::Live(options) = &mut self {
            options.places = places;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_are_chosen_by_one_word() {
        assert_eq!("simulated".parse::<Choice>().unwrap(), Choice::Simulated);
        let replay = |speed_percent, repeat| {
            Choice::Replay(
                "a/b.ndjson".into(),
                replay::Options {
                    speed_percent,
                    repeat,
                },
            )
        };
        assert_eq!("replay:a/b.ndjson".parse::<Choice>().unwrap(), replay(100, true));
        assert_eq!(
            "replay:a/b.ndjson?speed=2.5&once".parse::<Choice>().unwrap(),
            replay(250, false)
        );
        for wrong in [
            "",
            "binanec",
            "replay:",
            "replay:x?speed=0",
            "replay:x?speed=1000",
            "replay:x?fast",
            "replay:x?speed=1e2",
        ] {
            assert!(wrong.parse::<Choice>().is_err(), "{wrong}");
        }
    }
}
