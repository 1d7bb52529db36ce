//! OKX spot: the channel `bbo-tbt`, the best prices at every change.
//!
//! Documented: a connection on which nothing is sent for 30 seconds is cut, so the text `ping` goes out in time and `pong`
//! comes back; a request is at most 64 KB, 480 requests an hour. `seqId` grows with every change; after maintenance it may
//! begin anew, with a later time. Before an upgrade a notice asks to connect anew.

use super::venue::{Event, Half, Limits, Ping, Unreadable, Venue, half, quote};
use serde::Deserialize;
use std::time::Duration;

pub struct Okx;

#[derive(Deserialize)]
struct Push<'a> {
    #[serde(borrow)]
    arg: Arg<'a>,
    #[serde(borrow)]
    data: Vec<Book<'a>>,
}

#[derive(Deserialize)]
struct Arg<'a> {
    channel: &'a str,
    #[serde(rename = "instId")]
    instrument: &'a str,
}

#[derive(Deserialize)]
struct Book<'a> {
    /// Price, quantity, and two counts that say nothing to us.
    #[serde(borrow)]
    asks: Vec<Vec<&'a str>>,
    #[serde(borrow)]
    bids: Vec<Vec<&'a str>>,
    ts: &'a str,
    #[serde(rename = "seqId")]
    sequence: u64,
}

#[derive(Deserialize)]
struct Notice {
    event: String,
    code: Option<String>,
    msg: Option<String>,
    id: Option<String>,
}

impl Venue for Okx {
    fn name(&self) -> &'static str {
        "okx"
    }
    fn address(&self) -> &'static str {
        "wss://ws.okx.com:8443/ws/v5/public"
    }
    fn taker_fee_ppm(&self) -> u32 {
        1_000
    }
    fn limits(&self) -> Limits {
        Limits {
            instruments_per_message: 100,
            ping_every: Duration::from_secs(20),
            silence: Duration::from_secs(45),
            ..Limits::COMMON
        }
    }
    fn symbol(&self, base: &str, quote: &str) -> String {
        format!("{base}-{quote}")
    }
    fn subscribe(&self, symbols: &[String], request: u64) -> String {
        let args: Vec<_> = symbols
            .iter()
            .map(|s| serde_json::json!({ "channel": "bbo-tbt", "instId": s }))
            .collect();
        serde_json::json!({ "id": request.to_string(), "op": "subscribe", "args": args }).to_string()
    }
    fn refuses_each(&self) -> bool {
        true
    }
    fn ping(&self, _: u64) -> Ping {
        Ping::Text("ping".into())
    }
    fn read(&self, text: &str) -> Result<Vec<Event>, Unreadable> {
        if text == "pong" {
            return Ok(vec![Event::Pong]);
        }
        let Ok(push) = serde_json::from_str::<Push<'_>>(text) else {
            return notice(text);
        };
        if push.arg.channel != "bbo-tbt" {
            return Ok(vec![Event::Alive]);
        }
        push.data
            .iter()
            .map(|book| {
                let at_ms = book.ts.parse().map_err(|_| Unreadable("ts is no time".into()))?;
                let (bid, ask) = (side(&book.bids)?, side(&book.asks)?);
                let symbol = push.arg.instrument.to_owned();
                Ok(quote(symbol, bid, ask, Some(book.sequence), Some(at_ms)))
            })
            .collect()
    }
}

fn side(levels: &[Vec<&str>]) -> Result<Half, Unreadable> {
    match levels.first().map(Vec::as_slice) {
        None => Ok(Half::Gone),
        Some([price, quantity, ..]) => half(price, quantity),
        Some(_) => Err(Unreadable("a level without quantity".into())),
    }
}

fn notice(text: &str) -> Result<Vec<Event>, Unreadable> {
    let notice: Notice = serde_json::from_str(text)?;
    let request = notice.id.as_deref().and_then(|id| id.parse().ok());
    let reason = format!(
        "{} {}",
        notice.code.unwrap_or_default(),
        notice.msg.unwrap_or_default()
    );
    Ok(vec![match notice.event.as_str() {
        "subscribe" => Event::Ack(request),
        "error" => Event::Refused { request, reason },
        "notice" => Event::Leave(reason),
        _ => Event::Alive,
    }])
}

#[cfg(test)]
mod tests {
    use super::{super::venue::Top, *};

    const PUSH: &str = r#"{"arg":{"channel":"bbo-tbt","instId":"BTC-USDT"},"data":[{"asks":[["111.06","55154","0","2"]],"bids":[["111.05","57745","0","2"]],"ts":"1670324386802","seqId":363996337}]}"#;

    #[test]
    fn the_documented_message() {
        assert_eq!(
            Okx.read(PUSH).unwrap(),
            [Event::Quote(Top {
                symbol: "BTC-USDT".into(),
                bid: Half::At("111.05".parse().unwrap(), "57745".parse().unwrap()),
                ask: Half::At("111.06".parse().unwrap(), "55154".parse().unwrap()),
                order: Some(363_996_337),
                at_ms: Some(1_670_324_386_802),
                afresh: false,
            })]
        );
        let empty = PUSH.replace(r#"[["111.06","55154","0","2"]]"#, "[]");
        assert_eq!(
            Okx.read(&empty).unwrap(),
            [Event::Delete {
                symbol: "BTC-USDT".into()
            }]
        );
        assert!(
            Okx.read(&PUSH.replace(r#","0","2"]"#, "]").replace(r#","55154""#, ""))
                .is_err()
        );
    }

    #[test]
    fn asking_and_answers() {
        assert_eq!(
            Okx.subscribe(&["BTC-USDT".into()], 7),
            r#"{"args":[{"channel":"bbo-tbt","instId":"BTC-USDT"}],"id":"7","op":"subscribe"}"#
        );
        assert_eq!(Okx.read("pong").unwrap(), [Event::Pong]);
        let ack = r#"{"id":"7","event":"subscribe","arg":{"channel":"bbo-tbt","instId":"BTC-USDT"},"connId":"a4d3ae55"}"#;
        assert_eq!(Okx.read(ack).unwrap(), [Event::Ack(Some(7))]);
        let refusal = r#"{"id":"7","event":"error","code":"60018","msg":"Wrong URL or channel doesn't exist","connId":"a4d3ae55"}"#;
        assert!(
            matches!(&Okx.read(refusal).unwrap()[..], [Event::Refused { request: Some(7), reason }] if reason.contains("60018"))
        );
        let leave = r#"{"event":"notice","code":"64008","msg":"The connection will soon be closed for a service upgrade. Please reconnect.","connId":"a4d3ae55"}"#;
        assert!(matches!(Okx.read(leave).unwrap()[..], [Event::Leave(_)]));
    }
}
