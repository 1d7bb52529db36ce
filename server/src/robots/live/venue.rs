//! Binance spot, signed: orders, what became of them, the account. No I/O but HTTP; exact decimals only.
//!
//! Invariants: an order is sent at most once and carries the time that was stored for it, so the venue itself refuses it when
//! that is over ([`Venue::window`]); whatever is not clearly "taken" or "never taken" is [`Answer::Unknown`] and is asked for by
//! its id; after 429 and 418 nothing goes out until the venue's time is over; neither key, secret nor signature is ever printed.

use super::answers::{
    AccountAnswer, Fault, InfoAnswer, OrderAnswer, PriceAnswer, TimeAnswer, TradeAnswer, filters, is_over,
    is_refusal, number, whole,
};
use crate::{
    config::Secret,
    foundation::{
        clock::SharedClock,
        outbound::{self, NoClient, Purpose},
    },
};
use actors::desk::{
    cycles::Side,
    live::{Amount, Filters, Order, Trade},
    market::{Price, Quantity},
};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Method, StatusCode, header};
use serde::de::DeserializeOwned;
use sha2::Sha256;
use std::{
    collections::HashMap,
    fmt::{self, Write as _},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use url::Url;

/// As quotes and fills name it.
pub const NAME: &str = "binance";
/// How long one call may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long the venue's rules of a symbol are believed.
const RULES_HOLD: i64 = 600_000;
/// How long nothing goes out when the venue says "too many" without a time.
const REST: i64 = 60;

/// The signature of a request: HMAC-SHA256 of its query, in hexadecimal.
#[must_use]
pub fn sign(secret: &str, query: &str) -> String {
    let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(secret.as_bytes()) else {
        return String::new(); // a key of any length is taken
    };
    mac.update(query.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VenueError {
    #[error("the venue wants rest until {0}")]
    Resting(i64),
    #[error("the venue does not answer: {0}")]
    Unreachable(String),
    #[error("refused by the venue ({code}): {message}")]
    Refused { code: i64, message: String },
    #[error("an answer that makes no sense: {0}")]
    Nonsense(&'static str),
    #[error(transparent)]
    NoClient(#[from] NoClient),
}

/// An order as the venue reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub order: i64,
    pub trades: Vec<Trade>,
}

/// What came back when an order was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Over, with its trades.
    Over(Report),
    /// The venue never took it.
    Refused { small: bool, reason: String },
    /// It may be there or not.
    Unknown,
}

/// What is known of an order by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Over(Report),
    /// There, and not over.
    Open,
    /// Not there; it may still arrive while its time is not over.
    Missing,
}

/// What the account holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holdings {
    pub may_trade: bool,
    /// Free and locked together.
    pub balances: Vec<(String, Quantity)>,
}

#[derive(Default)]
struct State {
    /// The venue's clock minus ours.
    skew_ms: Option<i64>,
    rest_until_ms: i64,
    rules: HashMap<String, (i64, Filters)>,
}

/// The venue with one account's keys.
pub struct Venue {
    http: reqwest::Client,
    address: Url,
    key: Secret,
    secret: Secret,
    clock: SharedClock,
    window: Duration,
    state: Mutex<State>,
}

impl fmt::Debug for Venue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Venue({NAME})")
    }
}

/// An answer before it is understood.
struct Raw {
    status: StatusCode,
    body: Vec<u8>,
}

impl Raw {
    fn fault(&self) -> Option<Fault> {
        serde_json::from_slice(&self.body).ok()
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, VenueError> {
        if self.status.is_success() {
            return serde_json::from_slice(&self.body).map_err(|_| VenueError::Nonsense("unreadable"));
        }
        match self.fault() {
            Some(Fault { code, msg }) => Err(VenueError::Refused {
                code,
                message: msg.chars().take(200).collect(),
            }),
            None => Err(VenueError::Unreachable(format!("HTTP {}", self.status))),
        }
    }
}

impl Venue {
    /// # Errors
    /// When there can be no HTTP client.
    pub fn new(
        address: Url,
        key: Secret,
        secret: Secret,
        clock: SharedClock,
        window: Duration,
    ) -> Result<Self, VenueError> {
        let http = outbound::client(Purpose {
            repeats: false,
            ..Purpose::within(TIMEOUT)
        })?;
        Ok(Self {
            http,
            address,
            key,
            secret,
            clock,
            window,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> i64 {
        i64::try_from(self.clock.now().unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
    }

    /// How long after its time the venue takes an order.
    #[must_use]
    pub const fn window(&self) -> Duration {
        self.window
    }

    fn window_ms(&self) -> i64 {
        i64::try_from(self.window.as_millis()).unwrap_or(i64::MAX)
    }

    /// The venue's time of now, as far as we know it.
    ///
    /// # Errors
    /// Whatever the venue answers when it is asked for the first time.
    pub async fn time(&self) -> Result<i64, VenueError> {
        let known = self.state().skew_ms;
        match known {
            Some(skew) => Ok(self.now_ms() + skew),
            None => self.sync().await,
        }
    }

    /// Asks the venue for its time.
    ///
    /// # Errors
    /// Whatever the venue answers.
    pub async fn sync(&self) -> Result<i64, VenueError> {
        let raw = self.send(Method::GET, "time", "", false).await?;
        // The answer is older than its arrival: our idea of the venue's time is never ahead of it.
        let TimeAnswer { server_time } = raw.read()?;
        self.state().skew_ms = Some(server_time - self.now_ms());
        Ok(server_time)
    }

    /// Whether an order with this time, if it has not arrived, never will.
    ///
    /// # Errors
    /// Whatever the venue answers about its time.
    pub async fn is_too_late(&self, sent_ms: i64) -> Result<bool, VenueError> {
        // Twice the window: the venue's own clocks may differ among themselves.
        Ok(self.sync().await? > sent_ms.saturating_add(self.window_ms().saturating_mul(2)))
    }

    async fn send(&self, method: Method, path: &str, query: &str, keyed: bool) -> Result<Raw, VenueError> {
        let until = self.state().rest_until_ms;
        if self.now_ms() < until {
            return Err(VenueError::Resting(until));
        }
        let mut url = self
            .address
            .join(&format!("api/v3/{path}"))
            .map_err(|_| VenueError::Nonsense("an address"))?;
        url.set_query((!query.is_empty()).then_some(query));
        let mut request = self.http.request(method, url);
        if keyed {
            let mut key = header::HeaderValue::from_str(self.key.expose())
                .map_err(|_| VenueError::Nonsense("a key"))?;
            key.set_sensitive(true);
            request = request.header("X-MBX-APIKEY", key);
        }
        // Never the error's own words: they hold the address with the signature.
        let failed = |error: reqwest::Error| VenueError::Unreachable(outbound::told(&error));
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        if matches!(status.as_u16(), 429 | 418) {
            let after = answer
                .headers()
                .get(header::RETRY_AFTER)
                .and_then(|v| v.to_str().ok())
                .and_then(|v| v.parse::<i64>().ok())
                .unwrap_or(REST);
            let until = self.now_ms() + after.clamp(1, 300_000) * 1_000;
            self.state().rest_until_ms = until;
            tracing::warn!(%status, seconds = after, "the venue wants rest: no orders go out");
        }
        let body = answer.bytes().await.map_err(failed)?;
        Ok(Raw {
            status,
            body: body.to_vec(),
        })
    }

    async fn signed(
        &self,
        method: Method,
        path: &str,
        mut query: String,
        at: i64,
    ) -> Result<Raw, VenueError> {
        if !query.is_empty() {
            query.push('&');
        }
        let _ = write!(query, "recvWindow={}&timestamp={at}", self.window_ms());
        let signature = sign(self.secret.expose(), &query);
        let _ = write!(query, "&signature={signature}");
        let raw = self.send(method, path, &query, true).await?;
        if raw.fault().is_some_and(|f| f.code == -1021) {
            // Our clock and the venue's have drifted apart.
            self.state().skew_ms = None;
        }
        Ok(raw)
    }

    /// Asks with a signature; once more when only the clocks differed.
    async fn ask<T: DeserializeOwned>(&self, path: &str, query: &str) -> Result<T, VenueError> {
        let at = self.time().await?;
        match self.signed(Method::GET, path, query.to_owned(), at).await?.read() {
            Err(VenueError::Refused { code: -1021, .. }) => {
                let at = self.sync().await?;
                self.signed(Method::GET, path, query.to_owned(), at).await?.read()
            }
            answer => answer,
        }
    }

    /// The venue's rules of these symbols.
    ///
    /// # Errors
    /// Whatever the venue answers.
    pub async fn rules(&self, symbols: &[String]) -> Result<Vec<Filters>, VenueError> {
        let now = self.now_ms();
        let kept: Option<Vec<Filters>> = {
            let state = self.state();
            symbols
                .iter()
                .map(|s| {
                    state
                        .rules
                        .get(s)
                        .filter(|(at, _)| now - at < RULES_HOLD)
                        .map(|(_, f)| *f)
                })
                .collect()
        };
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let list: Vec<String> = symbols.iter().map(|s| format!("%22{s}%22")).collect();
        let query = format!("symbols=%5B{}%5D", list.join(","));
        let info: InfoAnswer = self
            .send(Method::GET, "exchangeInfo", &query, false)
            .await?
            .read()?;
        let mut found = Vec::with_capacity(symbols.len());
        for symbol in symbols {
            let answer = info.symbols.iter().find(|s| s.symbol == *symbol);
            found.push(filters(
                &answer.ok_or(VenueError::Nonsense("a symbol is missing"))?.filters,
            )?);
        }
        let mut state = self.state();
        for (symbol, filters) in symbols.iter().zip(&found) {
            state.rules.insert(symbol.clone(), (now, *filters));
        }
        Ok(found)
    }

    /// Sends an order under our own id, with the time that is stored for it. At most once per id.
    pub async fn place(&self, symbol: &str, id: &str, order: &Order, sent_ms: i64) -> Answer {
        let side = match order.side {
            Side::Buy => "BUY",
            Side::Sell => "SELL",
        };
        let mut query = format!("symbol={symbol}&side={side}");
        let _ = match (order.price, order.amount) {
            (Some(price), Amount::Base(quantity)) => {
                write!(
                    query,
                    "&type=LIMIT&timeInForce=IOC&quantity={quantity}&price={price}"
                )
            }
            (_, Amount::Base(quantity)) => write!(query, "&type=MARKET&quantity={quantity}"),
            (_, Amount::Quote(quantity)) => write!(query, "&type=MARKET&quoteOrderQty={quantity}"),
        };
        let _ = write!(query, "&newClientOrderId={id}&newOrderRespType=FULL");
        let raw = match self.signed(Method::POST, "order", query, sent_ms).await {
            Ok(raw) => raw,
            // Nothing left this machine.
            Err(VenueError::Resting(_)) => {
                return Answer::Refused {
                    small: false,
                    reason: "resting".into(),
                };
            }
            Err(_) => return Answer::Unknown,
        };
        if raw.status.is_success() {
            let Ok(answer) = raw.read::<OrderAnswer>() else {
                return Answer::Unknown;
            };
            return match whole(answer.fills, &answer.executed_qty) {
                Ok(Some(trades)) if is_over(&answer.status) => Answer::Over(Report {
                    order: answer.order_id,
                    trades,
                }),
                _ => Answer::Unknown,
            };
        }
        match raw.fault() {
            Some(fault) if raw.status.is_client_error() && is_refusal(&fault) => {
                if fault.code == -1013 || fault.code == -1111 {
                    self.state().rules.remove(symbol);
                }
                Answer::Refused {
                    small: fault.code == -1013 && fault.msg.contains("NOTIONAL"),
                    reason: format!(
                        "{} {}",
                        fault.code,
                        fault.msg.chars().take(120).collect::<String>()
                    ),
                }
            }
            _ => Answer::Unknown,
        }
    }

    /// What became of the order with our own id.
    ///
    /// # Errors
    /// Whatever the venue answers.
    pub async fn find(&self, symbol: &str, id: &str) -> Result<Found, VenueError> {
        let query = format!("symbol={symbol}&origClientOrderId={id}");
        let answer = match self.ask::<OrderAnswer>("order", &query).await {
            Ok(answer) => answer,
            Err(VenueError::Refused { code: -2013, .. }) => return Ok(Found::Missing),
            Err(error) => return Err(error),
        };
        if !is_over(&answer.status) {
            return Ok(Found::Open);
        }
        let executed: Quantity = number(&answer.executed_qty)?;
        if executed.0 == 0 {
            return Ok(Found::Over(Report {
                order: answer.order_id,
                trades: Vec::new(),
            }));
        }
        let query = format!("symbol={symbol}&orderId={}&limit=1000", answer.order_id);
        let trades: Vec<TradeAnswer> = self.ask("myTrades", &query).await?;
        // Trades may come later than the order's own state.
        Ok(match whole(trades, &answer.executed_qty)? {
            Some(trades) => Found::Over(Report {
                order: answer.order_id,
                trades,
            }),
            None => Found::Open,
        })
    }

    /// What one unit of an asset costs in another.
    ///
    /// # Errors
    /// Whatever the venue answers.
    pub async fn price(&self, asset: &str, settlement: &str) -> Result<Price, VenueError> {
        let query = format!("symbol={asset}{settlement}");
        let answer: PriceAnswer = self
            .send(Method::GET, "ticker/price", &query, false)
            .await?
            .read()?;
        let price: Price = number(&answer.price)?;
        if price.0 > 0 {
            Ok(price)
        } else {
            Err(VenueError::Nonsense("a price"))
        }
    }

    /// What the account holds, and whether it may trade.
    ///
    /// # Errors
    /// Whatever the venue answers.
    pub async fn account(&self) -> Result<Holdings, VenueError> {
        let answer: AccountAnswer = self.ask("account", "omitZeroBalances=true").await?;
        let mut balances = Vec::new();
        for balance in answer.balances {
            let (free, locked): (Quantity, Quantity) = (number(&balance.free)?, number(&balance.locked)?);
            let sum = free
                .0
                .checked_add(locked.0)
                .ok_or(VenueError::Nonsense("a balance"))?;
            balances.push((balance.asset, Quantity(sum)));
        }
        Ok(Holdings {
            may_trade: answer.can_trade,
            balances,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::clock::SystemClock;
    use std::sync::Arc;

    const SECRET: &str = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";

    #[test]
    fn the_documented_signature() {
        let query = "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559";
        assert_eq!(
            sign(SECRET, query),
            "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71"
        );
    }

    #[test]
    fn nothing_prints_a_key() {
        let venue = Venue::new(
            "https://example.org".parse().unwrap(),
            Secret::new("the key"),
            Secret::new(SECRET),
            Arc::new(SystemClock),
            Duration::from_secs(3),
        )
        .unwrap();
        assert_eq!(format!("{venue:?}"), "Venue(binance)");
    }
}
