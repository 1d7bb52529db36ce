//! The users' wallets over HTTP.

use super::{
    rules, sends,
    service::{self, coins},
    store::Filter,
    swaps,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::{Headers, ListParams, Page, Paging, named, takes},
        idempotency::{self, Key},
        listing::{self, File},
        sheet::Cell,
    },
    identity::caller::Caller,
    wallet::{
        chain::{Coin, address, wei},
        intents::service::chain,
    },
};
use actix_web::{HttpResponse, get, post, web};
use alloy::primitives::U256;
use protocol::{ErrorCode, money::Usdt, views::WalletMoveView};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(open)
        .service(balances)
        .service(history)
        .service(reveal)
        .service(send_quote)
        .service(send)
        .service(swap_quote)
        .service(swap);
}

fn invalid(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

fn value(text: &str) -> Result<U256, Error> {
    rules::read(text).ok_or_else(|| invalid("value", ErrorCode::AmountInvalid))
}

/// One's own wallet on the chain.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserWalletView {
    /// With its checksum; it never changes.
    pub address: String,
    pub chain_id: u64,
    pub coins: Vec<Coin>,
    /// Whether there is an exchange to swap at.
    pub swaps: bool,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// Opens one's own wallet; the first time it is made.
#[utoipa::path(tag = "web3", security(("bearer" = [])), responses((status = 200, body = UserWalletView), (status = 503, body = ErrorBody)))]
#[post("/web3/wallet")]
pub(super) async fn open(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<UserWalletView>, Error> {
    let wallet = service::open(&context, caller.user).await?;
    let chain = chain(&context)?;
    Ok(web::Json(UserWalletView {
        address: address::write(wallet.address),
        chain_id: chain.client.id(),
        coins: coins(chain).into_iter().map(|(coin, _)| coin).collect(),
        swaps: chain.contracts.router.is_some(),
        created_at: wallet.created_at,
    }))
}

/// A coin of a wallet, in whole wei.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WalletBalance {
    pub coin: Coin,
    pub wei: String,
    /// What orders under way will take of it, the network's fee among it.
    pub aside: String,
    /// What it is worth; none where nobody says.
    pub usdt: Option<Usdt>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WalletBalances {
    pub address: String,
    pub data: Vec<WalletBalance>,
    /// Of those that have a price.
    pub total: Usdt,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// The balances of one's own wallet: BNB, USDT, BUSD, PYX. Another's address is as unknown as none.
#[utoipa::path(tag = "web3", security(("bearer" = [])), params(("param" = String, Path)),
    responses((status = 200, body = WalletBalances), (status = 404, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[get("/web3/readWalletBalances/{param}")]
pub(super) async fn balances(
    context: web::Data<Context>,
    caller: Caller,
    param: web::Path<String>,
) -> Result<web::Json<WalletBalances>, Error> {
    let (wallet, all) = service::balances(&context, caller.user, &param).await?;
    let total = all
        .iter()
        .filter_map(|b| b.usdt)
        .fold(Usdt::ZERO, |sum, usdt| sum.checked_add(usdt).unwrap_or(sum));
    Ok(web::Json(WalletBalances {
        address: address::write(wallet.address),
        data: all
            .into_iter()
            .map(|b| WalletBalance {
                coin: b.coin,
                wei: b.wei.to_string(),
                aside: b.aside.to_string(),
                usdt: b.usdt,
            })
            .collect(),
        total,
        at: context.now(),
    }))
}

/// What moved on one's own wallet, orders under way first. Filters: `kind` = send, swap, receive; `status`; `coin`; `search` in hashes
/// and addresses; startDate, endDate.
#[utoipa::path(tag = "web3", security(("bearer" = [])), params(("param" = String, Path), takes::Pages, takes::Sorting, takes::Search, takes::Status, takes::OfKind, takes::Days, takes::OfCoin, takes::Format),
    responses((status = 200, content((Page<WalletMoveView> = "application/json"), (String = "text/csv"))), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/web3/historic_wallet/{param}")]
pub(super) async fn history(
    context: web::Data<Context>,
    caller: Caller,
    param: web::Path<String>,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    params.sort_key(&["created_at"])?;
    let (all, filter, user) = (context.clone(), filter(&params)?, caller.user);
    let read = async move |paging: Paging| {
        let (rows, total) = service::history(&all, user, &param, &filter, &paging).await?;
        let data = rows
            .iter()
            .map(super::store::Row::view)
            .collect::<Result<_, _>>()?;
        Ok((data, total))
    };
    listing::answer(&context, user, &params, 10, FILE, read).await
}

const FILE: File<WalletMoveView> = File {
    name: "wallet",
    columns: &[
        ("date", |m, _| Cell::moment(m.created_at)),
        ("kind", |m, locale| Cell::word(locale, m.kind.as_str())),
        ("coin", |m, _| Cell::from(m.coin.as_str().to_uppercase())),
        ("crypto", |m, _| Cell::number(wei::coins(&m.wei))),
        ("coin_out", |m, _| {
            Cell::from(m.coin_out.map_or_else(String::new, |c| c.as_str().to_uppercase()))
        }),
        ("received", |m, _| {
            Cell::number(m.received.as_deref().and_then(wei::coins))
        }),
        ("address", |m, _| Cell::maybe(m.counterparty.as_deref())),
        ("hash", |m, _| Cell::maybe(m.transaction.as_deref())),
        ("status", |m, locale| Cell::word(locale, m.status.as_str())),
    ],
};

fn filter(params: &ListParams) -> Result<Filter, Error> {
    let (from, until) = params.days()?;
    Ok(Filter {
        kind: named("kind", params.kind.as_deref(), |word| word.parse().ok())?,
        status: named("status", params.status.as_deref(), |word| word.parse().ok())?,
        coin: named("coin", params.coin.as_deref(), |word| word.parse().ok())?,
        search: params.searched(),
        from,
        until,
    })
}

/// The code of purpose `reveal-phrase`, or the app's.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RevealPhrase {
    pub security_code: Option<String>,
}

/// The twelve words. Never stored, cached or shown again by us.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevealedPhrase<'a> {
    #[schema(value_type = String)]
    pub phrase: &'a str,
    pub derivation_path: &'static str,
}

/// Shows the twelve words of one's own wallet, three times a day at most.
#[utoipa::path(tag = "web3", security(("bearer" = [])), responses((status = 200, body = RevealedPhrase<'static>), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/web3/reveal-secret-phrase")]
pub(super) async fn reveal(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<RevealPhrase>,
) -> Result<HttpResponse, Error> {
    let phrase = service::reveal(&context, caller.user, body.security_code.as_deref()).await?;
    Ok(HttpResponse::Ok()
        .insert_header(("Cache-Control", "no-store"))
        // Compressing a secret would leave it in one more buffer.
        .insert_header(("Content-Encoding", "identity"))
        .json(RevealedPhrase {
            phrase: phrase.expose(),
            derivation_path: "m/44'/60'/0'/0/0",
        }))
}

/// A send to be looked at first.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendQuoteOrder {
    pub coin: Coin,
    pub address: String,
    /// In whole coins, at most 18 decimals; none: as much as there is.
    #[serde(default)]
    pub value: Option<WrittenAmount>,
}

/// What a send would be.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendQuote {
    /// With its checksum.
    pub address: String,
    /// In whole coins.
    pub value: String,
    /// What the code binds: the value with its coin.
    pub amount: String,
    /// The most that can be sent beside the network's fee, in whole coins.
    pub max: String,
    /// What the network takes now, and what is kept aside for it, in wei of BNB.
    pub fee: String,
    pub fee_most: String,
    /// None where nobody says.
    pub fee_usdt: Option<Usdt>,
    pub usdt: Usdt,
    /// BNB are missing for the fee.
    pub gas_missing: bool,
}

/// What a send would cost, and how much could be sent.
#[utoipa::path(tag = "web3", security(("bearer" = [])), responses((status = 200, body = SendQuote), (status = 404, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/web3/transferToken/quote")]
pub(super) async fn send_quote(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<SendQuoteOrder>,
) -> Result<web::Json<SendQuote>, Error> {
    let wei = body.value.as_deref().map(value).transpose()?;
    let asked = sends::Asked {
        coin: body.coin,
        to: &body.address,
        wei,
    };
    let plan = sends::plan(&context, caller.user, &asked).await?;
    let native = plan.standing.free(chain(&context)?, Coin::Bnb);
    Ok(web::Json(SendQuote {
        address: address::write(plan.to),
        value: rules::shown(plan.wei),
        amount: plan.amount(),
        max: rules::shown(plan.most),
        fee: plan.fee().to_string(),
        fee_most: plan.fee_most().to_string(),
        fee_usdt: swaps::worth(&context, Coin::Bnb, plan.fee()).await,
        usdt: plan.usdt,
        gas_missing: plan.fee_most() > native,
    }))
}

/// Coins from one's own wallet to an address.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewWalletSend {
    pub coin: Coin,
    pub address: String,
    /// In whole coins, at most 18 decimals.
    pub value: WrittenAmount,
    /// The code of purpose `transfer-tokens`, bound to address and amount (`10.5 BUSD`); the app's where it is on.
    #[serde(default, skip_serializing_if = "idempotency::is_left_out")]
    pub security_code: Option<String>,
}

/// Sends coins from one's own wallet. The network's fee is paid with its own BNB.
#[utoipa::path(tag = "web3", security(("bearer" = [])), params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = WalletMoveView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/web3/transferToken")]
pub(super) async fn send(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<NewWalletSend>,
) -> Result<HttpResponse, Error> {
    let wei = value(&body.value)?;
    let key = Key::from(&headers, caller.user, &*body)?;
    let asked = sends::Asked {
        coin: body.coin,
        to: &body.address,
        wei: Some(wei),
    };
    sends::send(&context, &key, caller.user, &asked, body.security_code.as_deref()).await
}

/// A swap to be looked at first.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SwapQuoteOrder {
    pub coin: Coin,
    pub coin_out: Coin,
    /// In whole coins, at most 18 decimals; none: as much as there is.
    #[serde(default)]
    pub value: Option<WrittenAmount>,
    /// Percent, 0.01 to 3, two decimals.
    #[schema(example = "0.5")]
    pub slippage: String,
}

/// What a swap would bring.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapQuote {
    /// In whole coins; also the most that could be swapped beside the network's fee.
    pub value: String,
    pub max: String,
    /// What the code binds: the value with its coin, and the coin that comes back.
    pub amount: String,
    pub destination: String,
    /// In wei of the coin that comes back: now, and at least.
    pub out: String,
    pub minimum: String,
    /// The coins along the way.
    pub route: Vec<Coin>,
    /// Percent by which the size of this swap worsens its price.
    pub impact: String,
    /// The exchange is allowed to take the coins first: two transactions.
    pub approval: bool,
    pub fee: String,
    pub fee_most: String,
    pub fee_usdt: Option<Usdt>,
    pub gas_missing: bool,
    /// Given back with the order.
    pub quote: String,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
}

fn swap_asked(from: Coin, to: Coin, wei: Option<U256>, slippage: &str) -> Result<swaps::Asked, Error> {
    Ok(swaps::Asked {
        from,
        to,
        wei,
        slippage: rules::slippage(slippage).ok_or_else(|| invalid("slippage", ErrorCode::SlippageInvalid))?,
    })
}

/// What a swap would bring now; good for a minute.
#[utoipa::path(tag = "web3", security(("bearer" = [])), responses((status = 200, body = SwapQuote), (status = 404, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/web3/swapTokens/quote")]
pub(super) async fn swap_quote(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<SwapQuoteOrder>,
) -> Result<web::Json<SwapQuote>, Error> {
    let wei = body.value.as_deref().map(value).transpose()?;
    let asked = swap_asked(body.coin, body.coin_out, wei, &body.slippage)?;
    let plan = swaps::plan(&context, caller.user, asked).await?;
    let chain = chain(&context)?;
    let quoted = swaps::quoted(&context, caller.user, &plan);
    let minimum = if quoted.out.is_zero() {
        U256::ZERO
    } else {
        rules::minimum(quoted.out, asked.slippage)
    };
    let native = plan.standing.free(chain, Coin::Bnb);
    let spent = if asked.from == Coin::Bnb {
        plan.wei
    } else {
        U256::ZERO
    };
    let at = context.now();
    Ok(web::Json(SwapQuote {
        value: rules::shown(plan.wei),
        max: rules::shown(plan.most),
        amount: swaps::amount(asked.from, plan.wei),
        destination: swaps::destination(asked.to),
        out: quoted.out.to_string(),
        minimum: minimum.to_string(),
        route: plan.coins(chain),
        impact: rules::percent(plan.impact),
        approval: plan.approval,
        fee: plan.fee().to_string(),
        fee_most: plan.fee_most().to_string(),
        fee_usdt: swaps::worth(&context, Coin::Bnb, plan.fee()).await,
        gas_missing: plan.fee_most() > native.saturating_sub(spent),
        quote: quoted.token(&context),
        at,
        expires_at: at + rules::QUOTE_LIFE,
    }))
}

/// A swap as its quote said.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewSwapOrder {
    pub coin: Coin,
    pub coin_out: Coin,
    /// In whole coins, at most 18 decimals.
    pub value: WrittenAmount,
    /// Percent, as quoted.
    #[schema(example = "0.5")]
    pub slippage: String,
    /// The accepted quote.
    pub quote: String,
    /// The code of purpose `swap-tokens`, bound to the quote's destination and amount; the app's where it is on.
    #[serde(default, skip_serializing_if = "idempotency::is_left_out")]
    pub security_code: Option<String>,
}

/// Swaps coins of one's own wallet, for at least what was quoted less the tolerance, within two minutes, or not at all.
#[utoipa::path(tag = "web3", security(("bearer" = [])), params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = WalletMoveView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/web3/swapTokens")]
pub(super) async fn swap(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<NewSwapOrder>,
) -> Result<HttpResponse, Error> {
    let wei = value(&body.value)?;
    let asked = swap_asked(body.coin, body.coin_out, Some(wei), &body.slippage)?;
    let key = Key::from(&headers, caller.user, &*body)?;
    let code = body.security_code.as_deref();
    swaps::swap(&context, &key, caller.user, asked, wei, &body.quote, code).await
}
