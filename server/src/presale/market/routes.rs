//! The book over HTTP.

use super::{
    service::{self, NewPyxOrder, PyxMarket, PyxPriceHistory},
    store::Filter,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{Headers, ListParams, Page},
        idempotency::Key,
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
    Ok(web::Json(service::market(&context).await?))
}

/// Trades, the latest first.
#[utoipa::path(tag = "presale", security(("bearer" = [])), params(ListParams), responses((status = 200, body = Page<PyxTradeView>), (status = 422, body = ErrorBody)))]
#[get("/orders/trades")]
pub async fn trades(
    context: web::Data<Context>,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<PyxTradeView>>, Error> {
    let paging = params.paging(50)?;
    let (rows, total) = service::trades(&context, &paging).await?;
    Ok(web::Json(Page::new(rows, &paging, total)))
}

/// The price over time: the rounds' steps, then trades by the hour of the last 30 days.
#[utoipa::path(tag = "presale", security(("bearer" = [])), responses((status = 200, body = PyxPriceHistory)))]
#[get("/presale/price-history")]
pub async fn history(context: web::Data<Context>) -> Result<web::Json<PyxPriceHistory>, Error> {
    Ok(web::Json(service::price_history(&context).await?))
}

const SORT: [&str; 4] = ["created_at", "price", "quantity", "status"];

fn wrong(field: &str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

/// One's own orders. Filters: `status`, `category` (`buy` or `sell`), startDate, endDate.
#[utoipa::path(tag = "presale", security(("bearer" = [])), params(ListParams), responses((status = 200, body = Page<PyxOrderView>), (status = 422, body = ErrorBody)))]
#[get("/orders")]
pub async fn own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<PyxOrderView>>, Error> {
    let paging = params.paging(10)?;
    let (from, until) = params.days()?;
    let read = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let filter = Filter {
        status: read(&params.status)
            .map(|t| t.parse().map_err(|()| wrong("status")))
            .transpose()?,
        side: read(&params.category)
            .map(|t| t.parse().map_err(|()| wrong("category")))
            .transpose()?,
        from,
        until,
    };
    let sort = params.sort_key(&SORT)?;
    let (rows, total) = service::list(&context, caller.own(), &filter, &paging, sort).await?;
    Ok(web::Json(Page::new(rows, &paging, total)))
}

/// An order with a limit.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PyxOrderBody {
    pub side: PyxSide,
    /// USDT of a whole PYX, in steps of 0.0001.
    #[schema(example = "0.0500")]
    pub price: String,
    /// PYX, in lots of 0.01.
    #[schema(example = "100.00")]
    pub quantity: String,
}

/// Places an order. It meets what waits for it at the waiting price; the rest waits in the book. No fee.
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
        side: body.side,
        price: body.price.parse().map_err(|_| invalid("price"))?,
        quantity: body.quantity.parse().map_err(|_| invalid("quantity"))?,
    };
    let key = Key::from(&headers, caller.user, "POST /orders", &*body)?;
    let mut tx = context.db.begin().await?;
    if let Some(first) = key.first_answer(&mut tx).await? {
        return Ok(first.respond());
    }
    let view = service::place(&context, &mut tx, caller.user, &order).await?;
    key.keep(&mut tx, StatusCode::CREATED, &view).await?;
    tx.commit().await?;
    Ok(HttpResponse::Created().json(view))
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
    let key = Key::from(&headers, caller.user, "POST /orders/{id}/cancel", &id)?;
    let mut tx = context.db.begin().await?;
    if let Some(first) = key.first_answer(&mut tx).await? {
        return Ok(first.respond());
    }
    let view = service::cancel(&mut tx, caller.user, id).await?;
    key.keep(&mut tx, StatusCode::OK, &view).await?;
    tx.commit().await?;
    Ok(HttpResponse::Ok().json(view))
}
