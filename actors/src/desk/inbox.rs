//! The desk's inbox: one place per instrument, the newest quote wins.
//!
//! Bounded by construction: a feed faster than the desk overwrites what is not read yet, in place, and never waits.
//! Instruments are read in the order in which they first changed, so none is starved by a busier one.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use super::market::{InstrumentId, Quote};

struct Places {
    quotes: Vec<Option<Quote>>,
    order: VecDeque<InstrumentId>,
    /// By instrument: how many quotes came, and the time of the latest that had a price.
    counts: Vec<(u64, Option<i64>)>,
    /// Quotes overwritten before they were read.
    conflated: u64,
    ended: bool,
}

pub struct Inbox {
    places: Mutex<Places>,
    filled: Notify,
}

impl Inbox {
    #[must_use]
    pub fn new(instruments: usize) -> Self {
        let places = Places {
            quotes: vec![None; instruments],
            order: VecDeque::with_capacity(instruments),
            counts: vec![(0, None); instruments],
            conflated: 0,
            ended: false,
        };
        Self {
            places: Mutex::new(places),
            filled: Notify::new(),
        }
    }

    /// The state is whole between any two statements, so a panic elsewhere does not spoil it.
    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a quote in; false for an instrument that this market does not have.
    pub fn put(&self, id: InstrumentId, quote: Quote) -> bool {
        let mut places = self.places();
        let Some(place) = places.quotes.get_mut(id.index()) else {
            return false;
        };
        let before = place.replace(quote);
        if quote.is_sane()
            && let Some((count, latest)) = places.counts.get_mut(id.index())
        {
            *count += 1;
            *latest = Some(quote.at_ms);
        }
        if before.is_some() {
            places.conflated += 1;
        } else {
            places.order.push_back(id);
        }
        drop(places);
        self.filled.notify_one();
        true
    }

    /// Takes up to `most` quotes out into `into`.
    pub fn take(&self, into: &mut Vec<(InstrumentId, Quote)>, most: usize) {
        let mut places = self.places();
        for _ in 0..most {
            let Some(id) = places.order.pop_front() else { break };
            if let Some(quote) = places.quotes.get_mut(id.index()).and_then(Option::take) {
                into.push((id, quote));
            }
        }
        if !places.order.is_empty() {
            self.filled.notify_one();
        }
    }

    /// Returns once something may be there.
    pub async fn filled(&self) {
        self.filled.notified().await;
    }

    /// The feed has nothing more to say.
    pub fn end(&self) {
        self.places().ended = true;
        self.filled.notify_one();
    }
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let places = self.places();
        places.ended && places.order.is_empty()
    }
    /// By instrument: how many quotes came, and the time of the latest.
    #[must_use]
    pub fn counts(&self) -> Vec<(u64, Option<i64>)> {
        self.places().counts.clone()
    }
    /// Quotes that newer ones replaced before they were read.
    #[must_use]
    pub fn conflated(&self) -> u64 {
        self.places().conflated
    }
}

#[cfg(test)]
mod tests {
    use super::super::market::{Price, Quantity};
    use super::*;

    fn quote(n: i64) -> Quote {
        Quote {
            bid: Price(n),
            ask: Price(n),
            bid_quantity: Quantity(1),
            ask_quantity: Quantity(1),
            at_ms: n,
        }
    }

    #[test]
    fn the_newest_wins_and_nobody_waits() {
        let inbox = Inbox::new(2);
        for n in 1..=1_000 {
            assert!(inbox.put(InstrumentId(0), quote(n)));
        }
        assert!(inbox.put(InstrumentId(1), quote(7)));
        assert!(!inbox.put(InstrumentId(2), quote(7)));
        let mut read = Vec::new();
        inbox.take(&mut read, 1);
        inbox.take(&mut read, 10);
        assert_eq!(
            read,
            [(InstrumentId(0), quote(1_000)), (InstrumentId(1), quote(7))]
        );
        assert_eq!(inbox.conflated(), 999);
        inbox.end();
        assert!(inbox.has_ended());
    }
}
