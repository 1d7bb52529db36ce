//! Kraken spot, API version 2: the channel `ticker`, asked to speak whenever the best prices change.
//!
//! Documented: prices and quantities are JSON numbers, which are kept digit by digit; a heartbeat comes every second when
//! nothing else does; `ping` is answered by `pong`; every symbol of a request is answered by itself. The status channel tells when
//! the venue stops trading.

use super::venue::{Event, Half, Limits, Ping, Unreadable, Venue, half, plain, quote};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::Duration;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

pub struct Kraken;

#[derive(Deserialize)]
struct Push<'a> {
    channel: &'a str,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Ticker<'a> {
    symbol: String,
    #[serde(borrow)]
    bid: &'a RawValue,
    #[serde(borrow)]
    bid_qty: &'a RawValue,
    #[serde(borrow)]
    ask: &'a RawValue,
    #[serde(borrow)]
    ask_qty: &'a RawValue,
    timestamp: Option<&'a str>,
}

#[derive(Deserialize)]
struct Status {
    system: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    method: String,
    success: Option<bool>,
    error: Option<String>,
    req_id: Option<u64>,
}

impl Venue for Kraken {
    fn name(&self) -> &'static str {
        "kraken"
    }
    fn address(&self) -> &'static str {
        "wss://ws.kraken.com/v2"
    }
    fn taker_fee_ppm(&self) -> u32 {
        4_000
    }
    fn limits(&self) -> Limits {
        Limits {
            instruments_per_message: 50,
            // Its heart beats every second.
            silence: Duration::from_secs(10),
            ..Limits::COMMON
        }
    }
    fn symbol(&self, base: &str, quote: &str) -> String {
        format!("{base}/{quote}")
    }
    fn subscribe(&self, symbols: &[String], request: u64) -> String {
        serde_json::json!({
            "method": "subscribe",
            "params": { "channel": "ticker", "symbol": symbols, "event_trigger": "bbo", "snapshot": true },
            "req_id": request,
        })
        .to_string()
    }
    fn refuses_each(&self) -> bool {
        true
    }
    fn ping(&self, request: u64) -> Ping {
        Ping::Text(serde_json::json!({ "method": "ping", "req_id": request }).to_string())
    }
    fn read(&self, text: &str) -> Result<Vec<Event>, Unreadable> {
        let Ok(push) = serde_json::from_str::<Push<'_>>(text) else {
            return answer(text);
        };
        match (push.channel, push.data) {
            ("ticker", Some(data)) => serde_json::from_str::<Vec<Ticker<'_>>>(data.get())?
                .into_iter()
                .map(ticker)
                .collect(),
            ("ticker", None) => Err(Unreadable("a ticker without data".into())),
            ("status", Some(data)) => Ok(serde_json::from_str::<Vec<Status>>(data.get())?
                .into_iter()
                .map(|status| match status.system.as_deref() {
                    None | Some("online" | "post_only" | "limit_only") => Event::Alive,
                    // Nobody can trade there, whatever the prices say.
                    Some(_) => Event::Reset,
                })
                .collect()),
            _ => Ok(vec![Event::Alive]),
        }
    }
}

fn ticker(ticker: Ticker<'_>) -> Result<Event, Unreadable> {
    let side = |price: &RawValue, quantity: &RawValue| -> Result<Half, Unreadable> {
        if price.get() == "null" || quantity.get() == "null" {
            return Ok(Half::Gone);
        }
        let text = |n| plain(n).ok_or_else(|| Unreadable(format!("{n} is no price or quantity")));
        half(&text(price)?, &text(quantity)?)
    };
    let at_ms = ticker
        .timestamp
        .map(|t| OffsetDateTime::parse(t, &Rfc3339))
        .transpose()
        .map_err(|e| Unreadable(format!("timestamp: {e}")))?
        .map(|t| i64::try_from(t.unix_timestamp_nanos() / 1_000_000).unwrap_or_default());
    let (bid, ask) = (
        side(ticker.bid, ticker.bid_qty)?,
        side(ticker.ask, ticker.ask_qty)?,
    );
    Ok(quote(ticker.symbol, bid, ask, None, at_ms))
}

fn answer(text: &str) -> Result<Vec<Event>, Unreadable> {
    let answer: Answer = serde_json::from_str(text)?;
    Ok(vec![match (answer.method.as_str(), answer.success) {
        ("pong", _) => Event::Pong,
        ("subscribe", Some(true)) => Event::Ack(answer.req_id),
        (_, Some(false)) => Event::Refused {
            request: answer.req_id,
            reason: answer.error.unwrap_or_default(),
        },
        _ => Event::Alive,
    }])
}

#[cfg(test)]
mod tests {
    use super::{super::venue::Top, *};

    const SNAPSHOT: &str = r#"{"channel":"ticker","type":"snapshot","data":[{"symbol":"ALGO/USD","bid":0.10025,"bid_qty":740.0,"ask":0.10036,"ask_qty":1361.44813783,"last":0.10035,"timestamp":"2023-09-25T09:04:31.742648Z"}]}"#;

    #[test]
    fn the_documented_message() {
        assert_eq!(
            Kraken.read(SNAPSHOT).unwrap(),
            [Event::Quote(Top {
                symbol: "ALGO/USD".into(),
                bid: Half::At("0.10025".parse().unwrap(), "740".parse().unwrap()),
                ask: Half::At("0.10036".parse().unwrap(), "1361.44813783".parse().unwrap()),
                order: None,
                at_ms: Some(1_695_632_671_742),
                afresh: false,
            })]
        );
        let long = SNAPSHOT.replace("0.10025", "0.1002500001");
        assert!(
            matches!(&Kraken.read(&long).unwrap()[..],
            [Event::Quote(Top { bid: Half::At(price, _), .. })] if price.to_string() == "0.1002500001"),
            "no float in between"
        );
        assert!(
            Kraken.read(&SNAPSHOT.replace("0.10025", "\"0.1\"")).is_err(),
            "numbers, not strings"
        );
    }

    #[test]
    fn asking_and_answers() {
        assert_eq!(
            Kraken.subscribe(&["BTC/USD".into()], 2),
            r#"{"method":"subscribe","params":{"channel":"ticker","event_trigger":"bbo","snapshot":true,"symbol":["BTC/USD"]},"req_id":2}"#
        );
        for (text, event) in [
            (r#"{"channel":"heartbeat"}"#, Event::Alive),
            (
                r#"{"method":"pong","req_id":9,"time_in":"2023-09-25T09:04:31.742599Z","time_out":"2023-09-25T09:04:31.742648Z"}"#,
                Event::Pong,
            ),
            (
                r#"{"method":"subscribe","req_id":2,"result":{"channel":"ticker","symbol":"BTC/USD"},"success":true}"#,
                Event::Ack(Some(2)),
            ),
            (
                r#"{"error":"Currency pair not supported BTC/XYZ","method":"subscribe","req_id":2,"success":false,"symbol":"BTC/XYZ"}"#,
                Event::Refused {
                    request: Some(2),
                    reason: "Currency pair not supported BTC/XYZ".into(),
                },
            ),
            (
                r#"{"channel":"status","type":"update","data":[{"system":"online","version":"2.0.0"}]}"#,
                Event::Alive,
            ),
            (
                r#"{"channel":"status","type":"update","data":[{"system":"maintenance","version":"2.0.0"}]}"#,
                Event::Reset,
            ),
        ] {
            assert_eq!(Kraken.read(text).unwrap(), [event]);
        }
    }
}
