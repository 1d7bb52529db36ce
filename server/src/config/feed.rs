//! Where the trading desk's quotes come from.

use std::{collections::BTreeMap, fmt, str::FromStr};

use url::Url;

use super::{Problems, World, places::Place};

/// A source of quotes, as `market` understands it when printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feed {
    /// No quotes: the desk rests.
    Off,
    /// Drawn quotes that behave like several venues.
    Simulated,
    /// A recording, one JSON object a line: its file, and options behind a question mark.
    Replay(String),
    /// Real prices of exchanges: their names, and options behind a question mark.
    Live(String),
}

/// What is configured of exchanges, by name, where it differs from what they publish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Venues {
    pub addresses: BTreeMap<String, Url>,
    pub fees_ppm: BTreeMap<String, u32>,
    /// Where Binance takes orders.
    pub binance_api: Option<Url>,
}

impl Venues {
    pub(super) fn check(settings: &FeedSettings, world: World, problems: &mut Problems) -> Self {
        let mut venues = Self::default();
        let play = |name: &str, url: &Url, problems: &mut Problems| {
            if let Some(place) = Place::of(url)
                && world.is_production()
                && (place.is_test_net() || place.is_example() || place.is_private())
            {
                problems.add(format!(
                    "{name} leads to {place}, where no real money trades: leave it out, or put the venue's own address"
                ));
            }
        };
        let named = |text: &str| text.split_once('=').map(|(n, v)| (n.to_owned(), v.to_owned()));
        for text in &settings.venue_urls {
            let found = named(text).and_then(|(name, url)| Some((name, url.parse::<Url>().ok()?)));
            match found {
                Some((name, url))
                    if url.scheme() == "wss" || (url.scheme() == "ws" && world == World::Demo) =>
                {
                    play("ARBORA_VENUE_URLS", &url, problems);
                    venues.addresses.insert(name, url);
                }
                _ => problems.add(format!("{text:?} is not NAME=wss://ADDRESS of a venue")),
            }
        }
        for text in &settings.venue_fees {
            match named(text).and_then(|(name, fee)| Some((name, fee.parse::<u32>().ok()?))) {
                Some((name, fee)) if fee < 1_000_000 => {
                    venues.fees_ppm.insert(name, fee);
                }
                _ => problems.add(format!("{text:?} is not NAME=FEE of a venue, in millionths")),
            }
        }
        match settings.binance_api_url.parse::<Url>() {
            Ok(url) if url.scheme() == "https" && url.path() == "/" => {
                play("BINANCE_API_URL", &url, problems);
                venues.binance_api = Some(url);
            }
            _ => problems.add("BINANCE_API_URL is not an https address without a path"),
        }
        venues
    }
}

impl Feed {
    /// `real`: money is earned by it.
    pub(super) fn check(settings: &FeedSettings, real: bool, problems: &mut Problems) -> Self {
        if real && !matches!(settings.feed, Self::Live(_)) {
            problems.add(format!(
                "ARBORA_FEED is {}: production trades on real prices alone; name the venues (live:binance,okx,kraken,bybit)",
                settings.feed
            ));
        } else if let Self::Replay(rest) = &settings.feed {
            let file = rest.split_once('?').map_or(rest.as_str(), |(file, _)| file);
            if let Err(error) = std::fs::File::open(file) {
                problems.add(format!("the recording {file} cannot be read ({error})"));
            }
        }
        settings.feed.clone()
    }
}

impl FromStr for Feed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "off" => Ok(Self::Off),
            None if text == "simulated" => Ok(Self::Simulated),
            Some(("replay", rest)) if !rest.is_empty() => Ok(Self::Replay(rest.to_owned())),
            Some(("live", rest)) if !rest.is_empty() => Ok(Self::Live(rest.to_owned())),
            _ => Err("use simulated, replay:FILE, live:VENUE,… or off".to_owned()),
        }
    }
}

impl fmt::Display for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Simulated => f.write_str("simulated"),
            Self::Replay(rest) => write!(f, "replay:{rest}"),
            Self::Live(rest) => write!(f, "live:{rest}"),
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Market")]
pub struct FeedSettings {
    /// Source of quotes: `simulated`, `replay:FILE` for a recording, `live:binance,okx,kraken,bybit` for real prices, or `off`. Production
    /// takes real prices only
    #[arg(
        long,
        env = "ARBORA_FEED",
        hide_env_values = true,
        global = true,
        default_value = "simulated",
        value_name = "FEED"
    )]
    pub feed: Feed,
    /// Public streams of venues, where they are not the published ones
    #[arg(
        long = "venue-url",
        env = "ARBORA_VENUE_URLS",
        hide_env_values = true,
        global = true,
        value_delimiter = ',',
        value_name = "NAME=URL"
    )]
    pub venue_urls: Vec<String>,
    /// What venues charge a taker, in millionths, where it is not the published fee
    #[arg(
        long = "venue-fee",
        env = "ARBORA_VENUE_FEES",
        hide_env_values = true,
        global = true,
        value_delimiter = ',',
        value_name = "NAME=FEE"
    )]
    pub venue_fees: Vec<String>,
    /// Where Binance takes orders, for live trading (BINANCE_API_KEY, BINANCE_API_SECRET; two persons switch it on)
    #[arg(
        long,
        env = "BINANCE_API_URL",
        hide_env_values = true,
        global = true,
        default_value = "https://api.binance.com/",
        value_name = "URL"
    )]
    pub binance_api_url: String,
}
