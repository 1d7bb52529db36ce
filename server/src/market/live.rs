//! The live feed: real prices of several exchanges at once. Its mode is `paper`: prices are real, fills are not.

use super::{
    Feed, FeedError,
    books::Books,
    connection::{Line, keep},
    health::Links,
    venue::{self, Limits, Venue},
};
use actors::desk::{
    Clock,
    inbox::Inbox,
    market::{InstrumentId, Market},
};
use futures_util::future::BoxFuture;
use protocol::views::Mode;
use std::{
    collections::{BTreeMap, HashMap},
    str::FromStr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

/// Pairs that nearly every venue lists; those that one does not list it refuses, and does without.
const PAIRS: &str = "BTC-USDT,ETH-USDT,SOL-USDT,XRP-USDT,ADA-USDT,DOGE-USDT,LTC-USDT,LINK-USDT,DOT-USDT,ETH-BTC,SOL-BTC,\
XRP-BTC,ADA-BTC,LTC-BTC,LINK-BTC,DOT-BTC,SOL-ETH,LINK-ETH,USDC-USDT,BTC-USDC,ETH-USDC";

/// What the feed's name asks for: `binance,okx?pairs=BTC-USDT,ETH-BTC`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub venues: Vec<String>,
    /// Base and quote.
    pub pairs: Vec<(String, String)>,
    pub places: Places,
}

/// Where venues are and what they charge, where that differs from what they publish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub addresses: BTreeMap<String, Url>,
    pub fees_ppm: BTreeMap<String, u32>,
    /// A demo world may reach this machine, also without TLS.
    pub loopback: bool,
}

impl FromStr for Options {
    type Err = FeedError;

    fn from_str(text: &str) -> Result<Self, FeedError> {
        let (venues, options) = text.split_once('?').unwrap_or((text, ""));
        let mut pairs = PAIRS;
        for option in options.split('&').filter(|o| !o.is_empty()) {
            match option.split_once('=') {
                Some(("pairs", wanted)) => pairs = wanted,
                _ => return Err(FeedError::Option(option.to_owned())),
            }
        }
        let venues: Vec<String> = venues.split(',').map(str::to_owned).collect();
        for (at, name) in venues.iter().enumerate() {
            if venue::find(name).is_none() || venues.iter().take(at).any(|v| v == name) {
                return Err(FeedError::Venue(name.clone()));
            }
        }
        let symbol = |s: &str| {
            (1..=15).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        };
        let pair = |text: &str| {
            text.split_once('-')
                .filter(|(base, quote)| symbol(base) && symbol(quote) && base != quote)
                .map(|(base, quote)| (base.to_owned(), quote.to_owned()))
                .ok_or_else(|| FeedError::Pair(text.to_owned()))
        };
        let pairs: Vec<_> = pairs.split(',').map(pair).collect::<Result<_, _>>()?;
        if !pairs.iter().any(|(_, quote)| quote == "USDT") {
            return Err(FeedError::Pair("none against USDT".into()));
        }
        Ok(Self {
            venues,
            pairs,
            places: Places::default(),
        })
    }
}

struct Side {
    venue: Arc<dyn Venue>,
    address: Url,
    limits: Limits,
    instruments: Vec<(String, InstrumentId)>,
}

pub struct Live {
    market: Arc<Market>,
    sides: Vec<Side>,
    loopback: bool,
    links: Arc<Links>,
    back_off: (Duration, Duration),
}

impl Live {
    /// # Errors
    /// An unknown venue, an address that is none, a pair listed twice.
    pub fn new(options: &Options) -> Result<Self, FeedError> {
        let mut market = Market::default();
        let mut sides = Vec::new();
        let wrong = |e: &dyn std::fmt::Display| FeedError::Option(e.to_string());
        for name in &options.venues {
            let venue = venue::find(name).ok_or_else(|| FeedError::Venue(name.clone()))?;
            let fee = options.places.fees_ppm.get(name).copied();
            market
                .add_venue(name, fee.unwrap_or_else(|| venue.taker_fee_ppm()))
                .map_err(|e| wrong(&e))?;
            let address = match options.places.addresses.get(name) {
                Some(address) => address.clone(),
                None => venue.address().parse().map_err(|e: url::ParseError| wrong(&e))?,
            };
            let mut instruments = Vec::new();
            for (base, quote) in &options.pairs {
                let id = market.add_instrument(name, base, quote).map_err(|e| wrong(&e))?;
                instruments.push((venue.symbol(base, quote), id));
            }
            sides.push(Side {
                limits: venue.limits(),
                venue,
                address,
                instruments,
            });
        }
        Ok(Self {
            market: Arc::new(market),
            sides,
            loopback: options.places.loopback,
            links: Arc::default(),
            back_off: (Duration::from_millis(500), Duration::from_secs(60)),
        })
    }
}

impl Feed for Live {
    fn name(&self) -> String {
        let names: Vec<&str> = self.market.venues().iter().map(|v| v.name.as_str()).collect();
        format!("live: {}", names.join(", "))
    }
    fn mode(&self) -> Mode {
        Mode::Paper
    }
    fn market(&self) -> Arc<Market> {
        Arc::clone(&self.market)
    }
    fn links(&self) -> Option<Arc<Links>> {
        Some(Arc::clone(&self.links))
    }
    fn run(
        self: Box<Self>,
        inbox: Arc<Inbox>,
        clock: Clock,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<(), FeedError>> {
        Box::pin(async move {
            let lines = TaskTracker::new();
            for side in self.sides {
                for part in side
                    .instruments
                    .chunks(side.limits.instruments_per_connection.max(1))
                {
                    self.links.expect(side.venue.name());
                    let line = Line {
                        venue: Arc::clone(&side.venue),
                        address: side.address.clone(),
                        limits: side.limits,
                        loopback: self.loopback,
                        symbols: part.iter().map(|(symbol, _)| symbol.clone()).collect(),
                        books: Mutex::new(Books::new(part.iter().cloned().collect::<HashMap<_, _>>())),
                        inbox: Arc::clone(&inbox),
                        clock: Arc::clone(&clock),
                        links: Arc::clone(&self.links),
                        back_off: self.back_off,
                    };
                    lines.spawn(keep(Arc::new(line), stop.clone()));
                }
            }
            lines.close();
            lines.wait().await;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn venues_and_pairs_are_chosen_by_name() {
        let all: Options = "binance,okx,kraken,bybit".parse().unwrap();
        let live = Live::new(&all).unwrap();
        assert_eq!(live.market().instruments().len(), 4 * 21);
        assert_eq!(live.mode(), Mode::Paper);
        assert_eq!(live.name(), "live: binance, okx, kraken, bybit");
        let mut few: Options = "kraken?pairs=BTC-USDT,ETH-BTC".parse().unwrap();
        few.places.fees_ppm.insert("kraken".into(), 2_600);
        let live = Live::new(&few).unwrap();
        assert_eq!(live.sides[0].instruments[1].0, "ETH/BTC");
        assert_eq!(live.market().venues()[0].taker_fee_ppm, 2_600);
        for wrong in [
            "",
            "aurora",
            "binance,binance",
            "binance?pairs=",
            "binance?pairs=BTCUSDT",
            "binance?pairs=btc-usdt",
            "binance?pairs=ETH-BTC",
            "binance?pair=BTC-USDT",
        ] {
            assert!(wrong.parse::<Options>().is_err(), "{wrong}");
        }
        assert!(Live::new(&"okx?pairs=BTC-USDT,BTC-USDT".parse().unwrap()).is_err());
    }
}
