//! Pools over HTTP.

use super::{
    model::{
        NewPool, NewRevenue, PoolChange, PoolJoined, PoolOrder, PoolRevenueDecision, PoolRevenueView,
        PoolView,
    },
    rules, service,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        files::{self, Purpose},
        http::{Headers, ListParams, Page, takes},
        idempotency::{self, Key},
    },
    identity::caller::Caller,
};
use actix_multipart::Multipart;
use actix_web::{
    HttpResponse, get,
    http::StatusCode,
    patch, post,
    web::{Data, Json, Path, Query},
};
use protocol::{ErrorCode, Permission, ids::PoolId, money::Usdt, views::PoolEntryView};
use std::collections::BTreeMap;
use time::Date;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(pools)
        .service(join_pool)
        .service(my_pool_entries)
        .service(all_pools)
        .service(create_pool)
        .service(pool_revenue)
        .service(decide_pool_revenue)
        .service(order_pool_revenue)
        .service(change_pool);
}

fn pool_id(text: &str) -> Result<PoolId, Error> {
    text.parse().map_err(|_| service::unknown())
}

/// The pools on offer and those one is in, with one's own part.
#[utoipa::path(tag = "pools", security(("bearer" = [])), responses((status = 200, body = Vec<PoolView>), (status = "default", body = ErrorBody)))]
#[get("/pools")]
pub async fn pools(context: Data<Context>, caller: Caller) -> Result<Json<Vec<PoolView>>, Error> {
    Ok(Json(service::pools(&context, &caller).await?))
}

/// Puts balance into a pool until its term is over. Needs `Idempotency-Key`.
#[utoipa::path(tag = "pools", security(("bearer" = [])), request_body = PoolOrder, params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = PoolJoined), (status = "default", body = ErrorBody)))]
#[post("/pools/join")]
pub async fn join_pool(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<PoolOrder>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::join(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// What one has put in, newest first.
#[utoipa::path(tag = "pools", security(("bearer" = [])), params(takes::Pages, takes::Sorting),
    responses((status = 200, body = Page<PoolEntryView>), (status = "default", body = ErrorBody)))]
#[get("/pools/mine")]
pub async fn my_pool_entries(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Page<PoolEntryView>>, Error> {
    Ok(Json(service::mine(&context, &caller, &params).await?))
}

/// All pools.
#[utoipa::path(tag = "pools", security(("bearer" = [])), responses((status = 200, body = Vec<PoolView>), (status = 403, body = ErrorBody)))]
#[get("/admin/pools")]
pub async fn all_pools(context: Data<Context>, caller: Caller) -> Result<Json<Vec<PoolView>>, Error> {
    Ok(Json(service::all_pools(&context, &caller).await?))
}

/// Opens a pool.
#[utoipa::path(tag = "pools", security(("bearer" = [])), request_body = NewPool,
    responses((status = 201, body = PoolView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/pools")]
pub async fn create_pool(
    context: Data<Context>,
    caller: Caller,
    body: Json<NewPool>,
) -> Result<HttpResponse, Error> {
    Ok(HttpResponse::Created().json(service::create(&context, &caller, &body).await?))
}

/// Changes a pool for money that comes in later.
#[utoipa::path(tag = "pools", security(("bearer" = [])), params(("id" = String, Path)), request_body = PoolChange,
    responses((status = 200, body = PoolView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/admin/pools/{id}")]
pub async fn change_pool(
    context: Data<Context>,
    caller: Caller,
    id: Path<String>,
    body: Json<PoolChange>,
) -> Result<Json<PoolView>, Error> {
    Ok(Json(
        service::change(&context, &caller, pool_id(&id)?, &body).await?,
    ))
}

/// Revenue: what waits for a decision first, then the latest.
#[utoipa::path(tag = "pools", security(("bearer" = [])), params(takes::Pages, takes::Sorting, takes::Status),
    responses((status = 200, body = Page<PoolRevenueView>), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/pools/revenue")]
pub async fn pool_revenue(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Page<PoolRevenueView>>, Error> {
    caller.staff(protocol::Queue::PoolRevenue.permission())?;
    Ok(Json(service::revenue(&context, &params).await?))
}

/// Revenue of a period as a form: the document that proves a movement of custody, or the hash of a transaction.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[allow(dead_code)] // describes the form to the document
pub struct PoolRevenueForm {
    /// USDT.
    #[schema(format = "amount")]
    pub value: String,
    /// The days in which it was earned, both inclusive.
    pub from_day: String,
    pub to_day: String,
    pub note: String,
    pub tx_hash: Option<String>,
    #[schema(value_type = Option<String>, format = Binary)]
    pub file: Option<Vec<u8>>,
}

fn field<'a>(fields: &'a BTreeMap<String, String>, name: &str) -> &'a str {
    fields.get(name).map(|v| v.trim()).unwrap_or_default()
}

fn day(fields: &BTreeMap<String, String>, name: &str) -> Result<Date, Error> {
    business_day::read(field(fields, name))
        .ok_or_else(|| Error::code(ErrorCode::PoolPeriod).field(name, ErrorCode::PoolPeriod))
}

/// Records revenue; it is booked when another person approves it. Needs `Idempotency-Key`.
#[utoipa::path(tag = "pools", security(("bearer" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)),
    request_body(content = PoolRevenueForm, content_type = "multipart/form-data"),
    responses((status = 201, body = PoolRevenueView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/pools/{id}/revenue")]
pub async fn order_pool_revenue(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    id: Path<String>,
    payload: Multipart,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let pool = pool_id(&id)?;
    let form = files::receive_form(&context, caller.user, payload, Purpose::PoolProof).await?;
    let fields = &form.fields;
    let known = ["value", "fromDay", "toDay", "note", "txHash"];
    if fields.keys().any(|name| !known.contains(&name.as_str())) {
        return Err(Error::code(ErrorCode::RequestInvalid));
    }
    let value: Usdt = field(fields, "value")
        .parse()
        .map_err(|_| Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid))?;
    let tx_hash = match field(fields, "txHash") {
        "" => None,
        text => Some(rules::tx_hash(text).ok_or_else(|| {
            Error::code(ErrorCode::RequestInvalid).field("txHash", ErrorCode::RequestInvalid)
        })?),
    };
    let new = NewRevenue {
        pool,
        value,
        from_day: day(fields, "fromDay")?,
        to_day: day(fields, "toDay")?,
        tx_hash,
        note: field(fields, "note").to_owned(),
    };
    let proof = form.file.as_ref().map(|f| f.sha256.clone());
    let key = Key::from(&headers, caller.user, &(pool, &form.fields, proof))?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        service::order(&context, tx, &caller, new, form.file).await
    })
    .await
}

/// Approves or rejects revenue; two persons approve, whatever the amount. Needs `Idempotency-Key`.
#[utoipa::path(tag = "pools", security(("bearer" = [])), request_body = PoolRevenueDecision, params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = PoolRevenueView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/admin/pools/revenue-approve-reject")]
pub async fn decide_pool_revenue(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<PoolRevenueDecision>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::decide(&context, tx, &caller, &body).await
    })
    .await
}
