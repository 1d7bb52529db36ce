//! Binance spot: the stream `<symbol>@bookTicker`, one message for every change of the best prices.
//!
//! Documented: a connection lives 24 hours and carries at most 1 024 streams; the server pings every 20 seconds and wants the
//! pong within a minute; more than five messages a second from us end the connection, pings and pongs counted. A book
//! ticker has no time of its own; `u` grows with every change.

use super::venue::{Event, Limits, Ping, Unreadable, Venue, half, quote};
use serde::Deserialize;
use std::time::Duration;

pub struct Binance;

#[derive(Deserialize)]
struct BookTicker<'a> {
    u: u64,
    s: &'a str,
    b: &'a str,
    #[serde(rename = "B")]
    bid_quantity: &'a str,
    a: &'a str,
    #[serde(rename = "A")]
    ask_quantity: &'a str,
}

/// An answer: `{"result":null,"id":1}`, or with an error beside or around its fields.
#[derive(Deserialize)]
struct Answer {
    id: Option<u64>,
    error: Option<Fault>,
    code: Option<i64>,
    msg: Option<String>,
}

#[derive(Deserialize)]
struct Fault {
    code: Option<i64>,
    msg: Option<String>,
}

#[derive(Deserialize)]
struct Notice<'a> {
    e: &'a str,
}

impl Venue for Binance {
    fn name(&self) -> &'static str {
        "binance"
    }
    fn address(&self) -> &'static str {
        "wss://stream.binance.com:9443/ws"
    }
    fn taker_fee_ppm(&self) -> u32 {
        1_000
    }
    fn limits(&self) -> Limits {
        Limits {
            instruments_per_connection: 1_024,
            instruments_per_message: 200,
            // Its pings come every 20 seconds: two of them missing is a dead peer.
            ping_every: Duration::from_secs(20),
            silence: Duration::from_secs(45),
            ..Limits::COMMON
        }
    }
    fn symbol(&self, base: &str, quote: &str) -> String {
        format!("{base}{quote}")
    }
    fn subscribe(&self, symbols: &[String], request: u64) -> String {
        let streams: Vec<String> = symbols
            .iter()
            .map(|s| format!("{}@bookTicker", s.to_ascii_lowercase()))
            .collect();
        serde_json::json!({ "method": "SUBSCRIBE", "params": streams, "id": request }).to_string()
    }
    fn ping(&self, _: u64) -> Ping {
        Ping::Frame
    }
    fn read(&self, text: &str) -> Result<Vec<Event>, Unreadable> {
        let Ok(ticker) = serde_json::from_str::<BookTicker<'_>>(text) else {
            return other(text);
        };
        let bid = half(ticker.b, ticker.bid_quantity)?;
        let ask = half(ticker.a, ticker.ask_quantity)?;
        Ok(vec![quote(ticker.s.to_owned(), bid, ask, Some(ticker.u), None)])
    }
}

fn other(text: &str) -> Result<Vec<Event>, Unreadable> {
    if let Ok(notice) = serde_json::from_str::<Notice<'_>>(text) {
        return Ok(vec![if notice.e == "serverShutdown" {
            Event::Leave("the venue restarts".into())
        } else {
            Event::Alive
        }]);
    }
    let answer: Answer = serde_json::from_str(text)?;
    let refused = |code: Option<i64>, msg: Option<String>| Event::Refused {
        request: answer.id,
        reason: format!("{} {}", code.unwrap_or_default(), msg.unwrap_or_default()),
    };
    Ok(vec![match (answer.error, answer.code, answer.id) {
        (Some(fault), ..) => refused(fault.code, fault.msg),
        (None, Some(code), _) => refused(Some(code), answer.msg),
        (None, None, Some(id)) => Event::Ack(Some(id)),
        (None, None, None) => return Err(Unreadable("neither a ticker nor an answer".into())),
    }])
}

#[cfg(test)]
mod tests {
    use super::{
        super::venue::{Half, Top},
        *,
    };

    #[test]
    fn the_documented_message() {
        let text = r#"{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}"#;
        assert_eq!(
            Binance.read(text).unwrap(),
            [Event::Quote(Top {
                symbol: "BNBUSDT".into(),
                bid: Half::At("25.3519".parse().unwrap(), "31.21".parse().unwrap()),
                ask: Half::At("25.3652".parse().unwrap(), "40.66".parse().unwrap()),
                order: Some(400_900_217),
                at_ms: None,
                afresh: false,
            })]
        );
        let gone = text.replace("31.21000000", "0.00000000");
        assert_eq!(
            Binance.read(&gone).unwrap(),
            [Event::Delete {
                symbol: "BNBUSDT".into()
            }]
        );
        let crossed = text.replace("25.35190000", "25.40000000");
        assert_eq!(
            Binance.read(&crossed).unwrap(),
            [Event::Delete {
                symbol: "BNBUSDT".into()
            }]
        );
    }

    #[test]
    fn asking_and_answers() {
        let symbols = ["BTCUSDT".to_owned(), "ETHBTC".to_owned()];
        assert_eq!(
            Binance.subscribe(&symbols, 3),
            r#"{"id":3,"method":"SUBSCRIBE","params":["btcusdt@bookTicker","ethbtc@bookTicker"]}"#
        );
        assert_eq!(
            Binance.read(r#"{"result":null,"id":3}"#).unwrap(),
            [Event::Ack(Some(3))]
        );
        for refusal in [
            r#"{"error":{"code":2,"msg":"Invalid request: no such stream"},"id":3}"#,
            r#"{"code":2,"msg":"Invalid request: no such stream","id":3}"#,
        ] {
            assert_eq!(
                Binance.read(refusal).unwrap(),
                [Event::Refused {
                    request: Some(3),
                    reason: "2 Invalid request: no such stream".into()
                }]
            );
        }
        let leave = r#"{"e":"serverShutdown","E":1770123456789}"#;
        assert!(matches!(Binance.read(leave).unwrap()[..], [Event::Leave(_)]));
        assert!(Binance.read("{}").is_err());
    }
}
