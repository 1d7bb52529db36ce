//! Recordings of quotes: NDJSON, one JSON object a line, UTF-8.
//!
//! The first line names the format and the market, so that a recording needs nothing else to be played:
//! ```json
//! {"format":"arbora-quotes","version":1,"venues":[{"name":"Aurora","takerFeePpm":750}],"instruments":[["Aurora","BTC/USDT"]]}
//! ```
//! `takerFeePpm` is in millionths. Every other line is one quote, `t` in milliseconds since the first, never falling:
//! ```json
//! {"t":100,"v":"Aurora","s":"BTC/USDT","b":"96012.3","B":"0.0312","a":"96014.1","A":"0.027"}
//! ```
//! `b`/`a` are bid and ask, `B`/`A` their quantities, plain decimals as strings (prices ≤ 10, quantities ≤ 8 decimals). A line
//! that breaks any of this is refused with its number; an empty last line is allowed, other empty lines are not.

use actors::desk::market::{InstrumentId, Market, Quote};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};

const FORMAT: &str = "arbora-quotes";
const VERSION: u32 = 1;
/// A longer line is not one of ours.
const LONGEST_LINE: usize = 4_000_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Header {
    format: String,
    version: u32,
    venues: Vec<Venue>,
    instruments: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Venue {
    name: String,
    taker_fee_ppm: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    t: i64,
    v: std::borrow::Cow<'a, str>,
    s: std::borrow::Cow<'a, str>,
    b: std::borrow::Cow<'a, str>,
    #[serde(rename = "B")]
    bid_quantity: std::borrow::Cow<'a, str>,
    a: std::borrow::Cow<'a, str>,
    #[serde(rename = "A")]
    ask_quantity: std::borrow::Cow<'a, str>,
}

/// A whole recording in memory; `at_ms` of its quotes counts from its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub market: Market,
    pub quotes: Vec<(InstrumentId, Quote)>,
}

/// What is wrong with which line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Garbage {
    pub line: usize,
    pub reason: String,
}

impl Recording {
    /// Reads and checks every line.
    ///
    /// # Errors
    /// The first line that is not as the format says.
    pub fn read(mut input: impl BufRead) -> Result<Self, Garbage> {
        let mut text = String::new();
        let mut line = 0;
        let mut recording: Option<Self> = None;
        loop {
            line += 1;
            let garbage = |reason: String| Garbage { line, reason };
            text.clear();
            let read = std::io::Read::take(&mut input, LONGEST_LINE as u64).read_line(&mut text);
            if read.map_err(|e| garbage(e.to_string()))? == 0 {
                break;
            }
            if text.len() >= LONGEST_LINE {
                return Err(garbage("the line is too long".into()));
            }
            let json = text.trim_end_matches(['\n', '\r']);
            match &mut recording {
                None => {
                    recording = Some(Self {
                        market: header(json).map_err(garbage)?,
                        quotes: Vec::new(),
                    })
                }
                Some(recording) => recording.add(json).map_err(garbage)?,
            }
        }
        match recording {
            Some(recording) if !recording.quotes.is_empty() => Ok(recording),
            Some(_) => Err(Garbage {
                line,
                reason: "the recording holds no quotes".into(),
            }),
            None => Err(Garbage {
                line,
                reason: "the file is empty".into(),
            }),
        }
    }

    fn add(&mut self, json: &str) -> Result<(), String> {
        let line: Line<'_> = serde_json::from_str(json).map_err(|e| e.to_string())?;
        let (base, quote) = line
            .s
            .split_once('/')
            .ok_or_else(|| format!("{:?} is no pair", line.s))?;
        let id = self
            .market
            .instrument(&line.v, base, quote)
            .ok_or_else(|| format!("{} at {} is not in the first line", line.s, line.v))?;
        let number = |name: &str, e: &dyn std::fmt::Display| format!("{name}: {e}");
        let quote = Quote {
            bid: line.b.parse().map_err(|e| number("b", &e))?,
            bid_quantity: line.bid_quantity.parse().map_err(|e| number("B", &e))?,
            ask: line.a.parse().map_err(|e| number("a", &e))?,
            ask_quantity: line.ask_quantity.parse().map_err(|e| number("A", &e))?,
            at_ms: line.t,
        };
        if !quote.is_sane() {
            return Err("a bid above the ask or a price of zero".into());
        }
        let before = self.quotes.last().map_or(0, |(_, q)| q.at_ms);
        if line.t < before {
            return Err(format!("t falls from {before} to {}", line.t));
        }
        self.quotes.push((id, quote));
        Ok(())
    }

    /// Writes it in the format that [`Self::read`] reads.
    ///
    /// # Errors
    /// Whatever the output refuses.
    pub fn write(&self, mut output: impl Write) -> std::io::Result<()> {
        write_header(&self.market, &mut output)?;
        for (id, quote) in &self.quotes {
            write_quote(&self.market, *id, quote, &mut output)?;
        }
        Ok(())
    }
}

pub(super) fn write_header(market: &Market, mut output: impl Write) -> std::io::Result<()> {
    let venues = market.venues().iter().map(|v| Venue {
        name: v.name.clone(),
        taker_fee_ppm: v.taker_fee_ppm,
    });
    let header = Header {
        format: FORMAT.into(),
        version: VERSION,
        venues: venues.collect(),
        instruments: market
            .ids()
            .map(|id| (market.venue_name(id).to_owned(), market.symbol(id)))
            .collect(),
    };
    serde_json::to_writer(&mut output, &header)?;
    output.write_all(b"\n")
}

pub(super) fn write_quote(
    market: &Market,
    id: InstrumentId,
    quote: &Quote,
    mut output: impl Write,
) -> std::io::Result<()> {
    let line = Line {
        t: quote.at_ms,
        v: market.venue_name(id).into(),
        s: market.symbol(id).into(),
        b: quote.bid.to_string().into(),
        bid_quantity: quote.bid_quantity.to_string().into(),
        a: quote.ask.to_string().into(),
        ask_quantity: quote.ask_quantity.to_string().into(),
    };
    serde_json::to_writer(&mut output, &line)?;
    output.write_all(b"\n")
}

fn header(json: &str) -> Result<Market, String> {
    let header: Header = serde_json::from_str(json).map_err(|e| e.to_string())?;
    if header.format != FORMAT || header.version != VERSION {
        return Err(format!(
            "format {} {}, expected {FORMAT} {VERSION}",
            header.format, header.version
        ));
    }
    let mut market = Market::default();
    for venue in header.venues {
        market
            .add_venue(&venue.name, venue.taker_fee_ppm)
            .map_err(|e| e.to_string())?;
    }
    for (venue, symbol) in header.instruments {
        let (base, quote) = symbol
            .split_once('/')
            .ok_or_else(|| format!("{symbol:?} is no pair"))?;
        market
            .add_instrument(&venue, base, quote)
            .map_err(|e| e.to_string())?;
    }
    Ok(market)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"format":"arbora-quotes","version":1,"venues":[{"name":"A","takerFeePpm":750}],"instruments":[["A","BTC/USDT"]]}"#;
    const QUOTE: &str =
        r#"{"t":100,"v":"A","s":"BTC/USDT","b":"96012.3","B":"0.0312","a":"96014.1","A":"0.027"}"#;

    fn read(lines: &[&str]) -> Result<Recording, Garbage> {
        Recording::read(lines.join("\n").as_bytes())
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let recording = read(&[HEADER, QUOTE]).unwrap();
        let mut out = Vec::new();
        recording.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out.clone()).unwrap(),
            format!("{HEADER}\n{QUOTE}\n")
        );
        assert_eq!(Recording::read(&out[..]).unwrap(), recording);
    }

    #[test]
    fn garbage_is_refused_with_its_line() {
        let wrong = |line: &str| read(&[HEADER, QUOTE, line]).unwrap_err();
        for (line, reason) in [
            (" ", "EOF"),
            ("{", "EOF"),
            ("[]", "invalid length"),
            (r#"{"t":100}"#, "missing field"),
            (&QUOTE.replace("BTC/", "ETH/"), "not in the first line"),
            (
                &QUOTE.replace(r#""A","s""#, r#""Z","s""#),
                "not in the first line",
            ),
            (&QUOTE.replace("96012.3", "-1"), "b: not a plain decimal"),
            (&QUOTE.replace("96012.3", "1e5"), "b: not a plain decimal"),
            (&QUOTE.replace(r#""96012.3""#, "96012.3"), "invalid type"),
            (&QUOTE.replace("0.0312", "0.000000001"), "B: more decimals"),
            (&QUOTE.replace("96012.3", "99999"), "a bid above the ask"),
            (
                &QUOTE.replace(r#""t":100"#, r#""t":99"#),
                "t falls from 100 to 99",
            ),
            (&QUOTE.replace(r#""t""#, r#""x":1,"t""#), "unknown field"),
        ] {
            let garbage = wrong(line);
            assert_eq!(garbage.line, 3, "{line}");
            assert!(garbage.reason.contains(reason), "{line}: {}", garbage.reason);
        }
        assert_eq!(read(&[QUOTE]).unwrap_err().line, 1);
        assert_eq!(read(&[&HEADER.replace(":1,", ":2,")]).unwrap_err().line, 1);
        assert!(Recording::read(&b""[..]).unwrap_err().reason.contains("empty"));
        assert!(read(&[HEADER]).unwrap_err().reason.contains("no quotes"));
        assert!(Recording::read(&[0xff, 0xfe, b'\n'][..]).is_err());
    }
}
