//! Bybit spot: the topic `orderbook.1.<symbol>`, the best prices at every change.
//!
//! Documented: `{"op":"ping"}` every 20 seconds keeps a connection; at most ten topics a request. Level 1 is a snapshot each
//! time; without a change for three seconds it is sent again with the same `u`, which shows that it still holds; a size of zero
//! deletes; `u` = 1 means that the venue began to count anew.

use super::venue::{Event, Half, Limits, Ping, Top, Unreadable, Venue, half};
use serde::Deserialize;
use std::time::Duration;

pub struct Bybit;

#[derive(Deserialize)]
struct Push<'a> {
    topic: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    ts: i64,
    #[serde(borrow)]
    data: Book<'a>,
}

#[derive(Deserialize)]
struct Book<'a> {
    s: &'a str,
    #[serde(borrow)]
    b: Vec<(&'a str, &'a str)>,
    #[serde(borrow)]
    a: Vec<(&'a str, &'a str)>,
    u: u64,
}

#[derive(Deserialize)]
struct Answer {
    success: Option<bool>,
    ret_msg: Option<String>,
    req_id: Option<String>,
    op: Option<String>,
}

impl Venue for Bybit {
    fn name(&self) -> &'static str {
        "bybit"
    }
    fn address(&self) -> &'static str {
        "wss://stream.bybit.com/v5/public/spot"
    }
    fn taker_fee_ppm(&self) -> u32 {
        1_000
    }
    fn limits(&self) -> Limits {
        Limits {
            instruments_per_message: 10,
            ping_every: Duration::from_secs(20),
            ..Limits::COMMON
        }
    }
    fn symbol(&self, base: &str, quote: &str) -> String {
        format!("{base}{quote}")
    }
    fn subscribe(&self, symbols: &[String], request: u64) -> String {
        let args: Vec<String> = symbols.iter().map(|s| format!("orderbook.1.{s}")).collect();
        serde_json::json!({ "req_id": request.to_string(), "op": "subscribe", "args": args }).to_string()
    }
    fn ping(&self, request: u64) -> Ping {
        Ping::Text(serde_json::json!({ "req_id": request.to_string(), "op": "ping" }).to_string())
    }
    fn read(&self, text: &str) -> Result<Vec<Event>, Unreadable> {
        let Ok(push) = serde_json::from_str::<Push<'_>>(text) else {
            return answer(text);
        };
        if !push.topic.starts_with("orderbook.1.") {
            return Ok(vec![Event::Alive]);
        }
        let snapshot = push.kind == "snapshot";
        let side = |levels: &[(&str, &str)]| match levels {
            [] if snapshot => Ok(Half::Gone),
            [] => Ok(Half::Keep),
            // The new best may stand beside the one that it replaces.
            levels => levels.iter().try_fold(Half::Gone, |best, (price, quantity)| {
                Ok::<_, Unreadable>(match half(price, quantity)? {
                    Half::Gone => best,
                    found => found,
                })
            }),
        };
        let symbol = push.data.s.to_owned();
        let (bid, ask) = (side(&push.data.b)?, side(&push.data.a)?);
        if matches!((bid, ask), (Half::At(b, _), Half::At(a, _)) if b > a) {
            return Ok(vec![Event::Delete { symbol }]);
        }
        Ok(vec![Event::Quote(Top {
            symbol,
            bid,
            ask,
            order: Some(push.data.u),
            at_ms: Some(push.ts),
            afresh: snapshot || push.data.u == 1,
        })])
    }
}

fn answer(text: &str) -> Result<Vec<Event>, Unreadable> {
    let answer: Answer = serde_json::from_str(text)?;
    let request = answer.req_id.as_deref().and_then(|id| id.parse().ok());
    let reason = answer.ret_msg.unwrap_or_default();
    Ok(vec![match (answer.op.as_deref(), answer.success) {
        (Some("pong"), _) => Event::Pong,
        (Some("ping"), _) if reason == "pong" => Event::Pong,
        (Some("subscribe"), Some(true)) => Event::Ack(request),
        (_, Some(false)) => Event::Refused { request, reason },
        (Some(_), _) => Event::Alive,
        (None, _) => return Err(Unreadable("neither a book nor an answer".into())),
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: &str = r#"{"topic":"orderbook.1.BTCUSDT","type":"snapshot","ts":1672304484978,"data":{"s":"BTCUSDT","b":[["16493.50","0.006"]],"a":[["16611.00","0.029"]],"u":18521288,"seq":7961638724}}"#;

    fn top(text: &str) -> Top {
        match Bybit.read(text).unwrap().remove(0) {
            Event::Quote(top) => top,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_documented_message() {
        assert_eq!(
            top(SNAPSHOT),
            Top {
                symbol: "BTCUSDT".into(),
                bid: Half::At("16493.5".parse().unwrap(), "0.006".parse().unwrap()),
                ask: Half::At("16611".parse().unwrap(), "0.029".parse().unwrap()),
                order: Some(18_521_288),
                at_ms: Some(1_672_304_484_978),
                afresh: true,
            }
        );
        assert_eq!(
            top(&SNAPSHOT.replace("0.006", "0")).bid,
            Half::Gone,
            "size 0 deletes"
        );
        let delta = SNAPSHOT
            .replace("snapshot", "delta")
            .replace(r#"[["16493.50","0.006"]]"#, "[]");
        assert_eq!((top(&delta).bid, top(&delta).afresh), (Half::Keep, false));
        let moved = delta.replace("[]", r#"[["16493.50","0"],["16493.00","1"]]"#);
        assert_eq!(
            top(&moved).bid,
            Half::At("16493".parse().unwrap(), "1".parse().unwrap())
        );
        assert!(top(&delta.replace("18521288", "1")).afresh, "u = 1 resets");
    }

    #[test]
    fn asking_and_answers() {
        assert_eq!(
            Bybit.subscribe(&["BTCUSDT".into()], 4),
            r#"{"args":["orderbook.1.BTCUSDT"],"op":"subscribe","req_id":"4"}"#
        );
        for (text, event) in [
            (
                r#"{"success":true,"ret_msg":"pong","conn_id":"c","req_id":"5","op":"ping"}"#,
                Event::Pong,
            ),
            (
                r#"{"req_id":"5","op":"pong","args":["1675418560633"],"conn_id":"c"}"#,
                Event::Pong,
            ),
            (
                r#"{"success":true,"ret_msg":"subscribe","conn_id":"c","req_id":"4","op":"subscribe"}"#,
                Event::Ack(Some(4)),
            ),
            (
                r#"{"success":false,"ret_msg":"error:handler not found","conn_id":"c","req_id":"4","op":"subscribe"}"#,
                Event::Refused {
                    request: Some(4),
                    reason: "error:handler not found".into(),
                },
            ),
        ] {
            assert_eq!(Bybit.read(text).unwrap(), [event]);
        }
    }
}
