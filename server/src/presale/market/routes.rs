//! The book over HTTP.

use super::{
    service::{self, NewPyxOrder},
    shown::{self, PyxMarket, PyxPriceHistory},
    store::Filter,
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
};
use actix_web::{HttpResponse, get, http::StatusCode, post, web};
use protocol::{
    ErrorCode,
    ids::PyxOrderId,
    pyx::{PyxOrderView, PyxSide, PyxTradeView},
};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    // Fixed names before what could be an id.
    cfg.service(market)
        .service(trades)
        .service(history)
        .service(own)
        .service(place)
        .service(cancel);
}

/// The book's depth, its band and the last price.
#[utoipa::path(tag = "presale", security(("bearer" = [])), responses((status = 200, body = PyxMarket)))]
#[get("/orders/book")]
pub async fn market(context: web::Data<Context>) -> Result<web::Json<PyxMarket>, Error> {
    Ok(web::Json(shown::market(&context).await?))
}

/// Trades, the latest first.
#[utoipa::path(tag = "presale", security(("bearer" = [])), params(takes::Pages, takes::AsOf, takes::Sorting), responses((status = 200, body = Page<PyxTradeView>), (status = 422, body = ErrorBody)))]
#[get("/orders/trades")]
pub async fn trades(
    context: web::Data<Context>,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<PyxTradeView>>, Error> {
    params.one_order()?;
    let paging = params.paging(10)?;
    let (rows, total) = shown::trades(&context, &paging).await?;
    let newest = params.newest(&rows, |trade| trade.at);
    Ok(web::Json(
        Page::new(rows, &paging, total).growing(&paging, newest),
    ))
}

/// The price over time: the rounds' steps, then trades by the hour of the last 30 days.
#[utoipa::path(tag = "presale", security(("bearer" = [])), responses((status = 200, body = PyxPriceHistory)))]
#[get("/presale/price-history")]
pub async fn history(context: web::Data<Context>) -> Result<web::Json<PyxPriceHistory>, Error> {
    Ok(web::Json(shown::price_history(&context).await?))
}

const SORT: [&str; 4] = ["created_at", "price", "quantity", "status"];

/// One's own orders. Filters: `status`, `category` (`buy` or `sell`), startDate, endDate.
#[utoipa::path(tag = "presale", security(("bearer" = [])), params(takes::Pages, takes::AsOf, takes::Sorting, takes::Status, takes::Days, takes::Category, takes::Format), responses((status = 200, content((Page<PyxOrderView> = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/orders")]
pub async fn own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let (from, until) = params.days()?;
    let filter = Filter {
        status: named("status", params.status.as_deref(), |word| word.parse().ok())?,
        side: named("category", params.category.as_deref(), |word| word.parse().ok())?,
        from,
        until,
    };
    let sort = params.sort_key(&SORT)?;
    let (all, scope) = (context.clone(), caller.own());
    let read = async move |paging: Paging| shown::list(&all, scope, &filter, &paging, sort).await;
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |o| o.created_at, read).await
}

const FILE: File<PyxOrderView> = File {
    name: "pyx-orders",
    columns: &[
        ("date", |o, _| Cell::moment(o.created_at)),
        ("side", |o, locale| Cell::word(locale, o.side.as_str())),
        ("price", |o, _| Cell::number(Some(o.price))),
        ("quantity", |o, _| Cell::number(Some(o.quantity))),
        ("filled_quantity", |o, _| Cell::number(Some(o.filled))),
        ("total", |o, _| Cell::number(Some(o.total))),
        ("status", |o, locale| Cell::word(locale, o.status.as_str())),
    ],
};

/// An order with a limit.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PyxOrderBody {
    pub side: PyxSide,
    /// USDT of a whole PYX, in steps of 0.0001.
    pub price: WrittenAmount,
    /// PYX, in lots of 0.01.
    pub quantity: WrittenAmount,
    /// A session's first order needs it: the code of purpose `pyx-trading`, or the app's where it is on.
    #[serde(default, skip_serializing_if = "idempotency::is_left_out")]
    pub security_code: Option<String>,
}

/// Places an order. It meets what waits for it at the waiting price; the rest waits in the book. No fee. While the whitelist or a limit
/// of one's own is on, its price is `fairBuy` or `fairSell` of the book or better; what its trades lose against them counts in the limits
/// of outgoing money. The session's first order gives a security code.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = PyxOrderView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[post("/orders")]
pub async fn place(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PyxOrderBody>,
) -> Result<HttpResponse, Error> {
    let invalid =
        |field: &'static str| Error::code(ErrorCode::AmountInvalid).field(field, ErrorCode::AmountInvalid);
    let order = NewPyxOrder {
        user: caller.user,
        session: caller.session,
        security_code: body.security_code.as_deref(),
        side: body.side,
        price: body.price.parse().map_err(|_| invalid("price"))?,
        quantity: body.quantity.parse().map_err(|_| invalid("quantity"))?,
    };
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        service::place(&context, tx, &order).await
    })
    .await
}

/// Takes an open order back.
#[utoipa::path(
    tag = "presale", security(("bearer" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 200, body = PyxOrderView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody))
)]
#[post("/orders/{id}/cancel")]
pub async fn cancel(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id: PyxOrderId = id.parse().map_err(|_| Error::code(ErrorCode::OrderUnknown))?;
    let key = Key::from(&headers, caller.user, &id)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::cancel(tx, caller.user, id).await
    })
    .await
}
