//! What assets are worth in USDT according to the feed: the median of the venues, when they are fresh and agree.

use protocol::{glimpse::QuoteView, money::Usdt};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use time::{Duration, OffsetDateTime};

/// Fewer venues say nothing.
const VENUES: usize = 3;
const FRESH: Duration = Duration::seconds(60);
/// Between the lowest and the highest venue, in parts per million.
const SPREAD: i64 = 10_000;

/// Middle prices in USDT by asset and venue. Shared: the desk's node writes, whoever values a coin reads.
#[derive(Clone, Debug, Default)]
pub struct Rates(Arc<Mutex<HashMap<(String, String), Price>>>);

#[derive(Clone, Copy, Debug)]
struct Price {
    usdt: Usdt,
    at: OffsetDateTime,
}

impl Rates {
    /// A venue's price of one whole coin.
    pub fn note(&self, asset: &str, venue: &str, usdt: Usdt, at: OffsetDateTime) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((asset.to_owned(), venue.to_owned()), Price { usdt, at });
    }

    /// A venue's quote against USDT, at its middle; of other pairs nothing is kept.
    pub fn note_quote(&self, quote: &QuoteView, at: OffsetDateTime) {
        let Some(asset) = quote.symbol.strip_suffix("/USDT") else {
            return;
        };
        // Quotes have more decimals than USDT has.
        let read = |price: &str| {
            let (whole, fraction) = price.split_once('.').unwrap_or((price, ""));
            let fraction: String = fraction.chars().take(6).collect();
            let digits = if fraction.is_empty() { "0" } else { &fraction };
            format!("{whole}.{digits}").parse::<Usdt>().ok()
        };
        if let (Some(bid), Some(ask)) = (read(&quote.bid), read(&quote.ask))
            && let Some(middle) = bid.checked_add(ask).and_then(|sum| sum.mul_div_floor(1, 2))
        {
            self.note(asset, &quote.venue, middle, at);
        }
    }

    /// The median, or none when too few venues are fresh or they differ too much.
    #[must_use]
    pub fn usdt_per(&self, asset: &str, now: OffsetDateTime) -> Option<Usdt> {
        let mut prices: Vec<Usdt> = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .filter(|((a, _), price)| a == asset && now - price.at <= FRESH)
            .map(|(_, price)| price.usdt)
            .filter(|usdt| usdt.is_positive())
            .collect();
        prices.sort_unstable();
        let (low, high) = (prices.first()?, prices.last()?);
        let agree = high.0 - low.0 <= low.mul_div_floor(SPREAD, 1_000_000)?.0;
        (prices.len() >= VENUES && agree)
            .then(|| prices.get((prices.len() - 1) / 2).copied())
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_quote_is_worth_its_middle() {
        let now = datetime!(2026-11-20 12:00 UTC);
        let rates = Rates::default();
        for venue in ["a", "b", "c"] {
            rates.note_quote(
                &QuoteView {
                    venue: venue.into(),
                    symbol: "BNB/USDT".into(),
                    bid: "600.12345678".into(),
                    ask: "602".into(),
                },
                now,
            );
        }
        assert_eq!(rates.usdt_per("BNB", now), Some(Usdt(601_061_728)));
    }

    #[test]
    fn three_fresh_venues_that_agree() {
        let now = datetime!(2026-11-20 12:00 UTC);
        let rates = Rates::default();
        let note = |venue: &str, whole: i64, age: i64| {
            rates.note("BNB", venue, Usdt::whole(whole), now - Duration::seconds(age));
        };
        note("a", 600, 0);
        note("b", 602, 59);
        assert_eq!(rates.usdt_per("BNB", now), None, "two are too few");
        note("c", 601, 10);
        assert_eq!(rates.usdt_per("BNB", now), Some(Usdt::whole(601)));
        assert_eq!(rates.usdt_per("BUSD", now), None);
        note("d", 640, 0);
        assert_eq!(rates.usdt_per("BNB", now), None, "they disagree");
        assert_eq!(
            rates.usdt_per("BNB", now + Duration::minutes(2)),
            None,
            "they are old"
        );
    }
}
