//! The best prices of one connection's instruments, made whole from what a venue tells: pure.
//!
//! Messages that come again or out of order are not taken twice: what a venue counts lower than what is known is dropped. The
//! same count again confirms the prices and carries them on in time. A half that is not mentioned stays as it was.
//!
//! A quote's time is when it arrived, made older by what it was late: the least delay of the last minutes (network and the
//! difference of the clocks together) is what a prompt message takes; what takes longer has waited somewhere, and its
//! price with it.

use super::venue::{Event, Half, Top};
use actors::desk::market::{InstrumentId, Price, Quantity, Quote};
use std::collections::HashMap;

/// How long a delay counts as the least of its time, twice.
const WINDOW_MS: i64 = 60_000;

type Side = Option<(Price, Quantity)>;

#[derive(Clone, Copy, Debug, Default)]
struct Book {
    bid: Side,
    ask: Side,
    order: Option<u64>,
    at_ms: Option<i64>,
}

/// What is known of one connection's instruments.
#[derive(Debug)]
pub struct Books {
    instruments: HashMap<String, InstrumentId>,
    known: HashMap<InstrumentId, Book>,
    delay: Delay,
}

/// No price: taken by the desk as the instrument's disappearance.
#[must_use]
pub const fn gone(at_ms: i64) -> Quote {
    Quote {
        bid: Price(0),
        bid_quantity: Quantity(0),
        ask: Price(0),
        ask_quantity: Quantity(0),
        at_ms,
    }
}

impl Books {
    #[must_use]
    pub fn new(instruments: HashMap<String, InstrumentId>) -> Self {
        Self {
            instruments,
            known: HashMap::new(),
            delay: Delay::default(),
        }
    }

    /// What an event makes of an instrument; none when it changes nothing.
    pub fn take(&mut self, event: &Event, now_ms: i64) -> Option<(InstrumentId, Quote)> {
        match event {
            Event::Quote(top) => self.quote(top, now_ms),
            Event::Delete { symbol } => {
                let id = *self.instruments.get(symbol)?;
                self.known.remove(&id);
                Some((id, gone(now_ms)))
            }
            _ => None,
        }
    }

    fn quote(&mut self, top: &Top, now_ms: i64) -> Option<(InstrumentId, Quote)> {
        let id = *self.instruments.get(&top.symbol)?;
        let late = top.at_ms.map_or(0, |at| self.delay.late(now_ms, at));
        let book = self.known.entry(id).or_default();
        let lower = matches!((top.order, book.order), (Some(new), Some(old)) if new < old);
        // A count that falls while time goes on has begun anew; without a time only the venue's own word says so.
        let restarted =
            top.order == Some(1) || matches!((top.at_ms, book.at_ms), (Some(new), Some(old)) if new > old);
        if lower && !restarted {
            return None;
        }
        if top.afresh || (lower && restarted) {
            *book = Book::default();
        }
        for (known, told) in [(&mut book.bid, top.bid), (&mut book.ask, top.ask)] {
            match told {
                Half::Keep => {}
                Half::Gone => *known = None,
                Half::At(price, quantity) => *known = Some((price, quantity)),
            }
        }
        (book.order, book.at_ms) = (top.order, top.at_ms);
        let quote = match (book.bid, book.ask) {
            (Some((bid, bid_quantity)), Some((ask, ask_quantity))) if bid <= ask => Quote {
                bid,
                bid_quantity,
                ask,
                ask_quantity,
                at_ms: now_ms - late,
            },
            _ => gone(now_ms),
        };
        Some((id, quote))
    }

    /// Forgets all prices; the instruments that had one.
    pub fn reset(&mut self) -> Vec<InstrumentId> {
        self.known.drain().map(|(id, _)| id).collect()
    }

    /// Our clock less the venue's at prompt messages, the way included.
    #[must_use]
    pub fn least_delay_ms(&self) -> Option<i64> {
        self.delay.least()
    }
}

/// The least delay of the last one to two minutes.
#[derive(Clone, Copy, Debug, Default)]
struct Delay {
    begun_ms: i64,
    present: Option<i64>,
    before: Option<i64>,
}

impl Delay {
    fn late(&mut self, now_ms: i64, venue_ms: i64) -> i64 {
        let delay = now_ms.saturating_sub(venue_ms);
        if now_ms - self.begun_ms >= WINDOW_MS {
            (self.before, self.present) = (self.present, None);
            self.begun_ms = now_ms;
        }
        self.present = Some(self.present.map_or(delay, |least| least.min(delay)));
        delay.saturating_sub(self.least().unwrap_or(delay)).max(0)
    }

    fn least(&self) -> Option<i64> {
        [self.present, self.before].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: InstrumentId = InstrumentId(0);

    fn books() -> Books {
        Books::new(HashMap::from([("X".to_owned(), ID)]))
    }

    fn at(price: i64) -> Half {
        Half::At(Price(price), Quantity(1))
    }

    fn top(bid: Half, ask: Half, order: Option<u64>, at_ms: Option<i64>) -> Event {
        Event::Quote(Top {
            symbol: "X".into(),
            bid,
            ask,
            order,
            at_ms,
            afresh: false,
        })
    }

    fn prices(found: Option<(InstrumentId, Quote)>) -> Option<(i64, i64)> {
        found.map(|(_, q)| (q.bid.0, q.ask.0))
    }

    #[test]
    fn older_messages_are_dropped_and_repeats_confirm() {
        let mut books = books();
        assert_eq!(
            prices(books.take(&top(at(5), at(6), Some(10), None), 100)),
            Some((5, 6))
        );
        assert_eq!(prices(books.take(&top(at(4), at(6), Some(9), None), 101)), None);
        let again = books.take(&top(at(5), at(6), Some(10), None), 3_100).unwrap().1;
        assert_eq!(
            (again.bid.0, again.at_ms),
            (5, 3_100),
            "the same count: still so, now"
        );
        assert_eq!(
            prices(books.take(&top(at(7), at(8), Some(1), None), 3_200)),
            Some((7, 8)),
            "u = 1 resets"
        );
    }

    #[test]
    fn a_count_that_falls_while_time_goes_on_has_begun_anew() {
        let mut books = books();
        books.take(&top(at(5), at(6), Some(900), Some(1_000)), 1_010);
        assert_eq!(
            prices(books.take(&top(at(4), at(6), Some(3), Some(999)), 1_011)),
            None
        );
        assert_eq!(
            prices(books.take(&top(at(4), at(6), Some(3), Some(2_000)), 2_010)),
            Some((4, 6))
        );
        assert_eq!(
            prices(books.take(&top(at(5), at(6), Some(4), Some(2_001)), 2_011)),
            Some((5, 6))
        );
    }

    #[test]
    fn halves_are_put_together() {
        let mut books = books();
        assert_eq!(
            prices(books.take(&top(at(5), Half::Keep, Some(2), None), 1)),
            Some((0, 0)),
            "half a book is none"
        );
        assert_eq!(
            prices(books.take(&top(Half::Keep, at(6), Some(3), None), 2)),
            Some((5, 6))
        );
        assert_eq!(
            prices(books.take(&top(Half::Gone, Half::Keep, Some(4), None), 3)),
            Some((0, 0))
        );
        assert_eq!(
            prices(books.take(&top(at(7), Half::Keep, Some(5), None), 4)),
            Some((0, 0)),
            "crossed with what stays"
        );
        assert_eq!(books.reset(), [ID]);
        assert_eq!(
            prices(books.take(&top(at(7), Half::Keep, Some(6), None), 5)),
            Some((0, 0))
        );
        let deleted = books.take(&Event::Delete { symbol: "X".into() }, 9).unwrap();
        assert!(!deleted.1.is_sane());
        assert_eq!(
            books.take(&Event::Delete { symbol: "Y".into() }, 9),
            None,
            "not ours"
        );
    }

    #[test]
    fn what_was_late_is_old() {
        let mut books = books();
        // Their clock is 4 s behind ours; a prompt message takes 20 ms.
        let quote = |books: &mut Books, n: u64, venue: i64, now: i64| {
            books
                .take(&top(at(5), at(6), Some(n), Some(venue)), now)
                .unwrap()
                .1
                .at_ms
        };
        assert_eq!(quote(&mut books, 1, 6_000, 10_020), 10_020);
        assert_eq!(quote(&mut books, 2, 7_000, 11_020), 11_020);
        assert_eq!(
            quote(&mut books, 3, 7_100, 13_000),
            11_120,
            "it waited 1.88 s on its way"
        );
        assert_eq!(books.least_delay_ms(), Some(4_020));
        assert_eq!(
            quote(&mut books, 4, 200_000, 204_050),
            204_020,
            "the least of the last minutes"
        );
        quote(&mut books, 5, 300_000, 304_050);
        assert_eq!(
            quote(&mut books, 6, 400_000, 404_050),
            404_050,
            "old figures are forgotten"
        );
    }

    proptest! {
        #[test]
        fn no_quote_is_crossed_or_empty(events in proptest::collection::vec((0i64..4, 0i64..4, 0u64..6, proptest::option::of(0i64..9), any::<bool>()), 0..60)) {
            let mut books = books();
            let half = |n: i64| match n { 0 => Half::Keep, 1 => Half::Gone, n => at(n) };
            for (now, (bid, ask, order, venue, afresh)) in (0i64..).zip(events) {
                let event = Event::Quote(Top { symbol: "X".into(), bid: half(bid), ask: half(ask), order: Some(order), at_ms: venue, afresh });
                if let Some((_, quote)) = books.take(&event, now) {
                    prop_assert!(quote == gone(now) || (quote.is_sane() && quote.bid_quantity.0 > 0 && quote.ask_quantity.0 > 0));
                    prop_assert!(quote.at_ms <= now);
                }
            }
        }
    }
}
