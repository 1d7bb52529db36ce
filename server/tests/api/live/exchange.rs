//! A venue on this machine: signatures and times are checked, orders fill, half fill, are refused, are answered wrongly or not
//! at all. It keeps an account: what is not there cannot be sold.

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use actors::desk::market::{PRICE_ONE, Price, QUANTITY_ONE, Quantity};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use server::foundation::clock::{Clock, SystemClock};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

pub const KEY: &str = "a key that only tests use";
pub const SECRET: &str = "a secret that only tests use";

/// What the venue does with the next order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Fills so many hundredths of it.
    Fill(i64),
    Refuse(i64, &'static str),
    /// Takes it, fills so many hundredths, and answers that it does not know.
    Lose(i64),
    /// Takes it and cuts the connection in the middle of the answer.
    Cut(i64),
    /// Answers that it does not know, and has not taken it.
    Vanish,
    /// Wants rest for a second.
    Rest,
}

#[derive(Clone, Debug)]
pub struct Taken {
    pub id: String,
    pub symbol: String,
    pub number: i64,
    pub wanted: i64,
    pub fills: Vec<Value>,
    pub executed: i64,
}

pub struct Exchange {
    pub deeds: VecDeque<Deed>,
    pub taken: Vec<Taken>,
    pub balances: BTreeMap<String, i128>,
    pub prices: HashMap<&'static str, &'static str>,
    pub wrong: Vec<String>,
    /// Added to our clock.
    pub skew_ms: i64,
    pub paid_in: Option<&'static str>,
    pub posts: usize,
    trades: i64,
}

pub type Shared = Arc<Mutex<Exchange>>;

pub fn lock(exchange: &Shared) -> MutexGuard<'_, Exchange> {
    exchange.lock().unwrap()
}

const PAIRS: [(&str, &str, &str); 4] = [
    ("BTCUSDT", "BTC", "USDT"),
    ("ETHBTC", "ETH", "BTC"),
    ("ETHUSDT", "ETH", "USDT"),
    ("BNBUSDT", "BNB", "USDT"),
];

fn ends(symbol: &str) -> (&'static str, &'static str) {
    let (_, base, quote) = PAIRS.iter().find(|(s, ..)| *s == symbol).unwrap();
    (base, quote)
}

impl Exchange {
    fn now(&self) -> i64 {
        i64::try_from(SystemClock.now().unix_timestamp_nanos() / 1_000_000).unwrap() + self.skew_ms
    }

    /// Takes an order and fills it; none when the account cannot pay.
    fn take(&mut self, asked: &HashMap<String, String>, hundredths: i64) -> Option<Taken> {
        let symbol = asked["symbol"].clone();
        let (base, quote) = ends(&symbol);
        let buys = asked["side"] == "BUY";
        let known: Price = self.prices[symbol.as_str()].parse().unwrap();
        let price = asked.get("price").map_or(known, |p| p.parse().unwrap());
        let wanted = match asked.get("quantity") {
            Some(quantity) => quantity.parse::<Quantity>().unwrap().0,
            None => {
                let quote: Quantity = asked["quoteOrderQty"].parse().unwrap();
                i64::try_from(i128::from(quote.0) * i128::from(PRICE_ONE) / i128::from(price.0)).unwrap()
            }
        };
        assert_eq!(wanted % 1_000, 0, "whole lots");
        let executed = wanted * hundredths / 100 / 1_000 * 1_000;
        let value = i128::from(executed) * i128::from(price.0) / i128::from(PRICE_ONE);
        let (gives, cost, gets, got) = if buys {
            (quote, value, base, i128::from(executed))
        } else {
            (base, i128::from(executed), quote, value)
        };
        if self.balances.get(gives).copied().unwrap_or(0) < cost {
            return None;
        }
        let (paid_in, commission) = match self.paid_in {
            Some(coin) => (coin, 100_000),
            None => (gets, got / 1_000),
        };
        *self.balances.entry(gives.into()).or_default() -= cost;
        *self.balances.entry(gets.into()).or_default() += got;
        let mut fills = Vec::new();
        if executed > 0 {
            *self.balances.entry(paid_in.into()).or_default() -= commission;
            // In two trades.
            let first = executed / 2 / 1_000 * 1_000;
            for (part, fee) in [(first, 0), (executed - first, commission)] {
                if part > 0 {
                    self.trades += 1;
                    fills.push(json!({
                        "price": price.to_string(), "qty": Quantity(part).to_string(), "tradeId": self.trades, "id": self.trades,
                        "commission": Quantity(i64::try_from(fee).unwrap()).to_string(), "commissionAsset": paid_in,
                    }));
                }
            }
        }
        let taken = Taken {
            id: asked["newClientOrderId"].clone(),
            symbol,
            number: i64::try_from(self.taken.len()).unwrap() + 1_000,
            wanted,
            fills,
            executed,
        };
        self.taken.push(taken.clone());
        Some(taken)
    }
}

fn fault(status: u16, code: i64, message: &str) -> HttpResponse {
    HttpResponse::build(status.try_into().unwrap()).json(json!({ "code": code, "msg": message }))
}

/// An order's answer and the list of trades name a trade's number differently.
fn without(fills: &[Value], name: &str) -> Value {
    let mut fills = fills.to_vec();
    for fill in &mut fills {
        fill.as_object_mut().unwrap().remove(name);
    }
    Value::Array(fills)
}

fn told(taken: &Taken, fills: bool) -> Value {
    let status = if taken.executed == taken.wanted {
        "FILLED"
    } else {
        "EXPIRED"
    };
    let mut body = json!({
        "symbol": taken.symbol, "orderId": taken.number, "clientOrderId": taken.id, "status": status,
        "executedQty": Quantity(taken.executed).to_string(),
    });
    if fills {
        body["fills"] = without(&taken.fills, "id");
    }
    body
}

fn signed(
    exchange: &mut Exchange,
    request: &HttpRequest,
) -> Result<HashMap<String, String>, Box<HttpResponse>> {
    let key = request
        .headers()
        .get("X-MBX-APIKEY")
        .and_then(|v| v.to_str().ok());
    if key != Some(KEY) {
        exchange.wrong.push("the key".into());
        return Err(Box::new(fault(
            401,
            -2015,
            "Invalid API-key, IP, or permissions for action.",
        )));
    }
    let query = request.query_string();
    let (payload, signature) = query.rsplit_once("&signature=").unwrap_or((query, ""));
    let mut mac = <Hmac<sha2::Sha256> as KeyInit>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(payload.as_bytes());
    if hex::encode(mac.finalize().into_bytes()) != signature {
        exchange.wrong.push(format!("the signature of {payload}"));
        return Err(Box::new(fault(
            400,
            -1022,
            "Signature for this request is not valid.",
        )));
    }
    let asked: HashMap<String, String> = url::form_urlencoded::parse(payload.as_bytes())
        .into_owned()
        .collect();
    let at: i64 = asked["timestamp"].parse().unwrap();
    let window: i64 = asked["recvWindow"].parse().unwrap();
    let now = exchange.now();
    if at >= now + 1_000 || now - at > window {
        return Err(Box::new(fault(
            400,
            -1021,
            "Timestamp for this request is outside of the recvWindow.",
        )));
    }
    Ok(asked)
}

fn post(exchange: &mut Exchange, asked: &HashMap<String, String>) -> HttpResponse {
    exchange.posts += 1;
    let deed = exchange.deeds.pop_front().unwrap_or(Deed::Fill(100));
    if exchange.taken.iter().any(|t| t.id == asked["newClientOrderId"]) {
        exchange
            .wrong
            .push(format!("{} twice", asked["newClientOrderId"]));
        return fault(400, -2010, "Duplicate order sent.");
    }
    match deed {
        Deed::Refuse(code, message) => return fault(400, code, message),
        Deed::Vanish => {
            return fault(
                503,
                -1000,
                "An unknown error occurred while processing the request.",
            );
        }
        Deed::Rest => {
            return HttpResponse::TooManyRequests()
                .insert_header(("Retry-After", "1"))
                .json(json!({ "code": -1003, "msg": "Too many requests." }));
        }
        Deed::Fill(_) | Deed::Lose(_) | Deed::Cut(_) => {}
    }
    let (Deed::Fill(part) | Deed::Lose(part) | Deed::Cut(part)) = deed else {
        unreachable!()
    };
    let Some(taken) = exchange.take(asked, part) else {
        return fault(
            400,
            -2010,
            "Account has insufficient balance for requested action.",
        );
    };
    match deed {
        Deed::Lose(_) => HttpResponse::GatewayTimeout().body("<html>"),
        Deed::Cut(_) => {
            let pieces = futures_util::stream::iter([
                Ok(web::Bytes::from_static(b"{\"symbol\":")),
                Err(std::io::Error::other("cut")),
            ]);
            HttpResponse::Ok().streaming(pieces)
        }
        _ => HttpResponse::Ok().json(told(&taken, true)),
    }
}

async fn answer(request: HttpRequest, exchange: web::Data<Mutex<Exchange>>) -> HttpResponse {
    let mut exchange = exchange.lock().unwrap();
    let (method, path) = (request.method().as_str().to_owned(), request.path().to_owned());
    let open = match path.as_str() {
        "/api/v3/time" => Some(json!({ "serverTime": exchange.now() })),
        "/api/v3/exchangeInfo" => {
            let filters = json!([
                { "filterType": "PRICE_FILTER", "tickSize": "0.01000000" },
                { "filterType": "LOT_SIZE", "minQty": "0.00001000", "maxQty": "9000.00000000", "stepSize": "0.00001000" },
                { "filterType": "MARKET_LOT_SIZE", "minQty": "0.00000000", "maxQty": "100.00000000", "stepSize": "0.00000000" },
                { "filterType": "NOTIONAL", "minNotional": "0.00010000" }
            ]);
            let symbols: Vec<Value> = PAIRS
                .iter()
                .map(|(symbol, ..)| json!({ "symbol": symbol, "filters": filters }))
                .collect();
            Some(json!({ "symbols": symbols }))
        }
        "/api/v3/ticker/price" => Some(json!({ "price": "600.00000000" })),
        _ => None,
    };
    if let Some(body) = open {
        return HttpResponse::Ok().json(body);
    }
    let asked = match signed(&mut exchange, &request) {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    match (method.as_str(), path.as_str()) {
        ("POST", "/api/v3/order") => post(&mut exchange, &asked),
        ("GET", "/api/v3/order") => {
            match exchange.taken.iter().find(|t| t.id == asked["origClientOrderId"]) {
                Some(taken) => HttpResponse::Ok().json(told(taken, false)),
                None => fault(400, -2013, "Order does not exist."),
            }
        }
        ("GET", "/api/v3/myTrades") => {
            let number: i64 = asked["orderId"].parse().unwrap();
            let taken = exchange.taken.iter().find(|t| t.number == number).unwrap();
            HttpResponse::Ok().json(without(&taken.fills, "tradeId"))
        }
        ("GET", "/api/v3/account") => {
            let balances: Vec<Value> = exchange
                .balances
                .iter()
                .map(|(asset, held)| {
                    json!({ "asset": asset, "free": Quantity(i64::try_from(*held).unwrap()).to_string(), "locked": "0.00000000" })
                })
                .collect();
            HttpResponse::Ok().json(json!({ "canTrade": true, "balances": balances }))
        }
        _ => HttpResponse::NotFound().finish(),
    }
}

/// Opens the venue; its address.
pub fn open() -> (Shared, url::Url) {
    let exchange = Exchange {
        deeds: VecDeque::new(),
        taken: Vec::new(),
        balances: [("USDT", 1_000_000), ("BNB", 10)]
            .map(|(asset, whole)| (asset.to_owned(), i128::from(whole) * i128::from(QUANTITY_ONE)))
            .into(),
        prices: HashMap::from([("BTCUSDT", "100000"), ("ETHBTC", "0.04"), ("ETHUSDT", "4020")]),
        wrong: Vec::new(),
        skew_ms: 0,
        paid_in: None,
        posts: 0,
        trades: 0,
    };
    let shared = Arc::new(Mutex::new(exchange));
    let data = web::Data::from(Arc::clone(&shared));
    let server = HttpServer::new(move || App::new().app_data(data.clone()).default_service(web::to(answer)))
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .unwrap();
    let address = format!("http://{}/", server.addrs()[0]).parse().unwrap();
    actix_web::rt::spawn(server.run());
    (shared, address)
}
