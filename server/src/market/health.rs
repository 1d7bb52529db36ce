//! How a feed's venues are doing: written by their connections, read once a second by whoever shows it.

use actors::desk::{inbox::Inbox, market::Market};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// One venue's lines, put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkState {
    /// Connections that it needs, and that are subscribed.
    pub lines: usize,
    pub connected: usize,
    /// Since when all of them are, in milliseconds since the epoch.
    pub since_ms: Option<i64>,
    /// Half of the way of a ping and its answer.
    pub latency_ms: Option<i64>,
    /// Our clock less the venue's at prompt messages, the way included.
    pub delay_ms: Option<i64>,
    pub reconnects: u32,
    pub refused: u32,
}

/// The connections of a feed that has some. Cheap to share.
#[derive(Debug, Default)]
pub struct Links(Mutex<BTreeMap<String, LinkState>>);

impl Links {
    /// The state is whole between any two statements.
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, LinkState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, venue: &str, change: impl FnOnce(&mut LinkState)) {
        change(self.all().entry(venue.to_owned()).or_default());
    }

    /// The venue needs one more connection.
    pub fn expect(&self, venue: &str) {
        self.with(venue, |v| v.lines += 1);
    }

    pub fn up(&self, venue: &str, now_ms: i64) {
        self.with(venue, |v| {
            v.connected += 1;
            // One more while an old connection is replaced changes nothing.
            if v.connected == v.lines {
                v.since_ms = Some(now_ms);
            }
        });
    }

    pub fn down(&self, venue: &str) {
        self.with(venue, |v| {
            v.connected = v.connected.saturating_sub(1);
            if v.connected < v.lines {
                v.since_ms = None;
            }
        });
    }

    pub fn reconnecting(&self, venue: &str) {
        self.with(venue, |v| v.reconnects = v.reconnects.saturating_add(1));
    }

    pub fn refused(&self, venue: &str) {
        self.with(venue, |v| v.refused = v.refused.saturating_add(1));
    }

    pub fn latency(&self, venue: &str, ms: i64) {
        self.with(venue, |v| v.latency_ms = Some(ms));
    }

    pub fn delay(&self, venue: &str, ms: Option<i64>) {
        self.with(venue, |v| v.delay_ms = ms);
    }

    #[must_use]
    pub fn of(&self, venue: &str) -> Option<LinkState> {
        self.all().get(venue).cloned()
    }
}

/// A venue at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VenueHealth {
    pub venue: String,
    pub connected: bool,
    pub since_ms: Option<i64>,
    pub quotes_per_second: u32,
    pub latency_ms: Option<i64>,
    pub skew_ms: Option<i64>,
    pub reconnects: u32,
    pub last_quote_ms: Option<i64>,
}

/// Turns counters into figures; keep one per running feed and ask it regularly.
#[derive(Debug)]
pub struct Watch {
    begun_ms: i64,
    before_ms: i64,
    /// By venue: quotes so far.
    before: Vec<u64>,
}

impl Watch {
    #[must_use]
    pub fn new(market: &Market, now_ms: i64) -> Self {
        Self {
            begun_ms: now_ms,
            before_ms: now_ms,
            before: vec![0; market.venues().len()],
        }
    }

    /// All venues now. A feed without connections is connected for as long as it runs.
    pub fn look(
        &mut self,
        market: &Market,
        inbox: &Inbox,
        links: Option<&Links>,
        now_ms: i64,
    ) -> Vec<VenueHealth> {
        let mut counts = vec![(0u64, None::<i64>); market.venues().len()];
        for (instrument, (quotes, last)) in market.instruments().iter().zip(inbox.counts()) {
            if let Some((sum, latest)) = counts.get_mut(usize::from(instrument.venue.0)) {
                *sum += quotes;
                *latest = (*latest).max(last);
            }
        }
        let passed = u64::try_from(now_ms - self.before_ms).unwrap_or(0).max(1);
        self.before_ms = now_ms;
        let venues = market.venues().iter().zip(counts).zip(&mut self.before);
        venues
            .map(|((venue, (sum, last_quote_ms)), before)| {
                let fresh = sum - std::mem::replace(before, sum);
                let link = links.map(|l| l.of(&venue.name).unwrap_or_default());
                let latency_ms = link.as_ref().and_then(|l| l.latency_ms);
                VenueHealth {
                    venue: venue.name.clone(),
                    connected: link
                        .as_ref()
                        .is_none_or(|l| l.lines > 0 && l.connected >= l.lines),
                    since_ms: link.as_ref().map_or(Some(self.begun_ms), |l| l.since_ms),
                    quotes_per_second: u32::try_from(fresh * 1_000 / passed).unwrap_or(u32::MAX),
                    latency_ms,
                    skew_ms: link.as_ref().and_then(|l| Some(l.delay_ms? - l.latency_ms?)),
                    reconnects: link.map_or(0, |l| l.reconnects),
                    last_quote_ms,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::desk::market::{Price, Quantity, Quote};

    #[test]
    fn counters_become_figures() {
        let mut market = Market::default();
        for venue in ["a", "b"] {
            market.add_venue(venue, 0).unwrap();
        }
        let id = market.add_instrument("a", "BTC", "USDT").unwrap();
        let inbox = Inbox::new(1);
        let links = Links::default();
        links.expect("a");
        links.expect("a");
        links.expect("b");
        let mut watch = Watch::new(&market, 1_000);
        links.up("a", 1_100);
        let quote = Quote {
            bid: Price(1),
            ask: Price(1),
            bid_quantity: Quantity(1),
            ask_quantity: Quantity(1),
            at_ms: 1_500,
        };
        for _ in 0..20 {
            inbox.put(id, quote);
        }
        let seen = watch.look(&market, &inbox, Some(&links), 3_000);
        assert_eq!(
            (
                seen[0].connected,
                seen[0].quotes_per_second,
                seen[0].last_quote_ms
            ),
            (false, 10, Some(1_500))
        );
        links.up("a", 3_100);
        links.latency("a", 7);
        links.delay("a", Some(27));
        let seen = watch.look(&market, &inbox, Some(&links), 4_000);
        assert_eq!(
            (seen[0].connected, seen[0].since_ms, seen[0].quotes_per_second),
            (true, Some(3_100), 0)
        );
        assert_eq!((seen[0].latency_ms, seen[0].skew_ms), (Some(7), Some(20)));
        assert_eq!((seen[1].connected, seen[1].last_quote_ms), (false, None));
        links.down("a");
        links.reconnecting("a");
        let seen = watch.look(&market, &inbox, Some(&links), 5_000);
        assert_eq!(
            (seen[0].connected, seen[0].since_ms, seen[0].reconnects),
            (false, None, 1)
        );
        assert!(
            watch.look(&market, &inbox, None, 6_000)[1].connected,
            "nothing to lose"
        );
    }
}
