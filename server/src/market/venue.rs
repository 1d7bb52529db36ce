//! What every exchange has in common for us: its limits, what is sent to it, and what its messages mean.
//!
//! A venue reads text and nothing else: no time, no socket, no state. What it finds are [`Event`]s; [`super::books`] makes
//! quotes of them, [`super::connection`] keeps the socket alive. Numbers stay decimal text until they are fixed-point:
//! also those that a venue sends as JSON numbers.

use actors::desk::market::{NumberError, Price, Quantity};
use serde_json::value::RawValue;
use std::{borrow::Cow, time::Duration};

/// One side of the best prices, as a message tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Not mentioned: as it was.
    Keep,
    /// Nobody stands there any more.
    Gone,
    At(Price, Quantity),
}

/// The best prices of one instrument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Top {
    /// As the venue calls it.
    pub symbol: String,
    pub bid: Half,
    pub ask: Half,
    /// Grows with every change at the venue, where it tells one.
    pub order: Option<u64>,
    /// The venue's own time in milliseconds since the epoch, where it tells one.
    pub at_ms: Option<i64>,
    /// Forget what is known of the instrument before taking this: the venue began to count anew.
    pub afresh: bool,
}

/// What a message means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Quote(Top),
    /// The instrument has no usable price now.
    Delete {
        symbol: String,
    },
    /// Nothing that was told before holds: the venue interrupts trading.
    Reset,
    /// Answer to our ping.
    Pong,
    /// A subscription holds. The request's number, where the venue repeats it.
    Ack(Option<u64>),
    /// The venue turns a request down.
    Refused {
        request: Option<u64>,
        reason: String,
    },
    /// The venue asks to connect anew.
    Leave(String),
    /// Nothing but a sign of life.
    Alive,
}

/// A message that is not as the venue documents it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// How a venue wants to be pinged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ping {
    /// A frame of the protocol.
    Frame,
    Text(String),
}

/// What a venue documents about its connections, and how long we wait before we do not believe in one any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub instruments_per_connection: usize,
    pub instruments_per_message: usize,
    /// Least time between two messages of ours.
    pub between_messages: Duration,
    pub ping_every: Duration,
    /// Without a single frame for so long the peer is gone, whatever TCP believes.
    pub silence: Duration,
    /// Without a single quote for so long the subscription is dead, whatever else arrives.
    pub stale: Duration,
    /// A connection is replaced when it is so old, before the venue cuts it.
    pub life: Duration,
    /// Connecting and subscribing take no longer.
    pub connect_within: Duration,
}

impl Limits {
    /// What no venue documents otherwise.
    pub(super) const COMMON: Self = Self {
        instruments_per_connection: 100,
        instruments_per_message: 20,
        between_messages: Duration::from_millis(300),
        ping_every: Duration::from_secs(15),
        silence: Duration::from_secs(40),
        stale: Duration::from_secs(60),
        life: Duration::from_secs(23 * 3_600),
        connect_within: Duration::from_secs(10),
    };
}

/// An exchange.
pub trait Venue: Send + Sync + 'static {
    /// As the configuration and the screens name it.
    fn name(&self) -> &'static str;
    /// Where its public stream is, unless configured otherwise.
    fn address(&self) -> &'static str;
    /// Millionths that a taker pays without any discount, unless configured otherwise.
    fn taker_fee_ppm(&self) -> u32;
    fn limits(&self) -> Limits;
    /// Its name of a pair.
    fn symbol(&self, base: &str, quote: &str) -> String;
    /// Asks for the best prices of these instruments.
    fn subscribe(&self, symbols: &[String], request: u64) -> String;
    /// Whether a refusal concerns one instrument of a message and leaves its others alone.
    fn refuses_each(&self) -> bool {
        false
    }
    fn ping(&self, request: u64) -> Ping;
    /// # Errors
    /// When the message is not one that the venue documents.
    fn read(&self, text: &str) -> Result<Vec<Event>, Unreadable>;
}

/// All venues that we know, by name.
#[must_use]
pub fn find(name: &str) -> Option<std::sync::Arc<dyn Venue>> {
    NAMES.iter().position(|n| *n == name).and_then(|at| {
        Some(match at {
            0 => std::sync::Arc::new(super::binance::Binance) as std::sync::Arc<dyn Venue>,
            1 => std::sync::Arc::new(super::okx::Okx),
            2 => std::sync::Arc::new(super::kraken::Kraken),
            3 => std::sync::Arc::new(super::bybit::Bybit),
            _ => return None,
        })
    })
}

/// In the order of [`find`].
pub const NAMES: [&str; 4] = ["binance", "okx", "kraken", "bybit"];

/// One side: without quantity or price nobody stands there; a price finer than we keep cannot be traded on.
pub(super) fn half(price: &str, quantity: &str) -> Result<Half, Unreadable> {
    let wrong = |what: &str, text: &str| Unreadable(format!("{what}: {text:?}"));
    let quantity: Quantity = finest(quantity, 8)
        .parse()
        .map_err(|_| wrong("quantity", quantity))?;
    match price.parse::<Price>() {
        Ok(price) if price.0 > 0 && quantity.0 > 0 => Ok(Half::At(price, quantity)),
        Ok(_) | Err(NumberError::TooPrecise) => Ok(Half::Gone),
        Err(_) => Err(wrong("price", price)),
    }
}

/// Cuts decimals beyond what is kept: of a quantity a little less is always true.
fn finest(text: &str, decimals: usize) -> &str {
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.len() > decimals && fraction.is_char_boundary(decimals) => {
            text.get(..whole.len() + 1 + decimals).unwrap_or(text)
        }
        _ => text,
    }
}

/// Both sides at once; a book crossed in itself has no price.
pub(super) fn quote(symbol: String, bid: Half, ask: Half, order: Option<u64>, at_ms: Option<i64>) -> Event {
    match (bid, ask) {
        (Half::At(b, _), Half::At(a, _)) if b > a => Event::Delete { symbol },
        (Half::Gone, _) | (_, Half::Gone) => Event::Delete { symbol },
        _ => Event::Quote(Top {
            symbol,
            bid,
            ask,
            order,
            at_ms,
            afresh: false,
        }),
    }
}

/// A JSON number as plain decimal text, exactly; no float is ever made of it. None when it is none or out of all proportion.
pub(super) fn plain(number: &RawValue) -> Option<Cow<'_, str>> {
    let text = number.get();
    let Some((digits, exponent)) = text.split_once(['e', 'E']) else {
        return Some(Cow::Borrowed(text));
    };
    let exponent: i32 = exponent
        .strip_prefix('+')
        .unwrap_or(exponent)
        .parse()
        .ok()
        .filter(|e| (-40..=40).contains(e))?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if digits.starts_with('-') || whole.len() + fraction.len() > 60 {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let point = i32::try_from(whole.len()).ok()? + exponent;
    let width = i32::try_from(all.len()).ok()?;
    Some(Cow::Owned(if point <= 0 {
        format!("0.{}{all}", "0".repeat(usize::try_from(-point).ok()?))
    } else if point >= width {
        format!("{all}{}", "0".repeat(usize::try_from(point - width).ok()?))
    } else {
        let (whole, fraction) = all.split_at(usize::try_from(point).ok()?);
        format!("{whole}.{fraction}")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.into()).unwrap()
    }

    #[test]
    fn json_numbers_are_read_digit_by_digit() {
        for (json, plainly) in [
            ("0.10025", "0.10025"),
            ("740.0", "740.0"),
            ("1361.44813783", "1361.44813783"),
            ("1e-8", "0.00000001"),
            ("1.5E+3", "1500"),
            ("12.345e1", "123.45"),
            ("123456789012345678.1", "123456789012345678.1"),
        ] {
            assert_eq!(plain(&number(json)).unwrap(), plainly);
        }
        assert_eq!(plain(&number("1e400")), None);
        assert_eq!(plain(&number("-1e2")), None);
    }

    #[test]
    fn halves() {
        assert_eq!(half("10", "0"), Ok(Half::Gone), "size 0 deletes");
        assert_eq!(half("0", "1"), Ok(Half::Gone));
        assert_eq!(half("0.00000000001", "1"), Ok(Half::Gone), "finer than we keep");
        assert_eq!(
            half("1.5", "2.123456789"),
            Ok(Half::At("1.5".parse().unwrap(), "2.12345678".parse().unwrap()))
        );
        for (price, quantity) in [
            ("-1", "1"),
            ("1", "-1"),
            ("NaN", "1"),
            ("1", ""),
            ("1e3", "1"),
            ("1", "1.é"),
        ] {
            assert!(half(price, quantity).is_err(), "{price} {quantity}");
        }
    }

    #[test]
    fn venues_are_found_by_name() {
        for name in NAMES {
            assert_eq!(find(name).unwrap().name(), name);
        }
        assert!(find("aurora").is_none());
    }

    /// What every parser owes: whatever comes, no panic, and no quote that is crossed or not positive.
    #[track_caller]
    fn holds(venue: &dyn Venue, text: &str) {
        for event in venue.read(text).unwrap_or_default() {
            let Event::Quote(top) = event else { continue };
            for side in [top.bid, top.ask] {
                if let Half::At(price, quantity) = side {
                    assert!(price.0 > 0 && quantity.0 > 0, "{text}");
                }
            }
            if let (Half::At(bid, _), Half::At(ask, _)) = (top.bid, top.ask) {
                assert!(bid <= ask, "{text}");
            }
        }
    }

    /// A documented message of each venue, with holes for two prices and two quantities.
    const SHAPES: [&str; 5] = [
        r#"{"u":400900217,"s":"BNBUSDT","b":"$0","B":"$1","a":"$2","A":"$3"}"#,
        r#"{"channel":"ticker","type":"update","data":[{"symbol":"ALGO/USD","bid":$0,"bid_qty":$1,"ask":$2,"ask_qty":$3,"timestamp":"2023-09-25T09:04:31.742648Z"}]}"#,
        r#"{"arg":{"channel":"bbo-tbt","instId":"BTC-USDT"},"data":[{"asks":[["$2","$3","0","2"]],"bids":[["$0","$1","0","2"]],"ts":"1670324386802","seqId":363996337}]}"#,
        r#"{"topic":"orderbook.1.BTCUSDT","type":"snapshot","ts":1672304484978,"data":{"s":"BTCUSDT","b":[["$0","$1"]],"a":[["$2","$3"]],"u":18521288,"seq":7961638724}}"#,
        r#"{"topic":"orderbook.1.BTCUSDT","type":"delta","ts":1672304484978,"data":{"s":"BTCUSDT","b":[["$0","$1"]],"a":[],"u":1,"seq":7961638724}}"#,
    ];

    proptest::proptest! {
        #[test]
        fn garbage_never_becomes_a_quote(text in ".{0,200}") {
            for name in NAMES {
                holds(&*find(name).unwrap(), &text);
            }
        }

        #[test]
        fn nor_do_strange_numbers(shape in 0usize..5, numbers in proptest::array::uniform4(
            proptest::prop_oneof!["-?[0-9]{1,12}(\\.[0-9]{1,12})?(e-?[0-9]{1,3})?", "[0-9.eE+-]{0,6}", ".{0,4}"])) {
            let text = numbers.iter().enumerate().fold(SHAPES[shape].to_owned(), |text, (at, number)| {
                text.replace(&format!("${at}"), number)
            });
            for name in NAMES {
                holds(&*find(name).unwrap(), &text);
            }
        }

        #[test]
        fn nor_do_torn_messages(shape in 0usize..5, cut in 0usize..250, put in ".{0,3}") {
            let whole = SHAPES[shape].replace("$0", "1.5").replace("$1", "2").replace("$2", "1.6").replace("$3", "3");
            let text: String = whole.chars().take(cut).collect::<String>() + &put + &whole.chars().skip(cut + 1).collect::<String>();
            for name in NAMES {
                holds(&*find(name).unwrap(), &text);
            }
        }
    }
}
