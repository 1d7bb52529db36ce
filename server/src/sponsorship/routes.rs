//! Sponsorship over HTTP.

use super::service::{self, BalanceRow, BalanceSums, Operation, Order, RequestView};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::{Headers, ListParams, Meta, Page, Paging, takes},
        idempotency::{self, Key},
        listing::File,
        sheet::Cell,
    },
    identity::caller::{Caller, Scope},
    licences::service as licences,
};
use actix_web::{HttpResponse, get, http::StatusCode, patch, post, web};
use protocol::{
    ErrorCode, Permission,
    ids::{LicenceId, SponsorshipId, UserId},
    money::Usdt,
    views::LicenceView,
};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(people)
        .service(order)
        .service(requests)
        .service(decide)
        .service(user_licences);
}

const SORT: &[(&str, &str)] = &[
    ("created_at", "a.created_at"),
    ("username", "a.username_key"),
    ("balance", "b.balance"),
    ("sponsored", "b.sponsored"),
];

/// A page of people with the sums of all who were found.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BalancesPage {
    pub data: Vec<BalanceRow>,
    pub meta: Meta,
    pub sums: BalanceSums,
}

/// People with their balances, and what all of them have together.
#[utoipa::path(tag = "sponsorship", security(("bearer" = [])), params(takes::PagesOf100, takes::Sorting, takes::Search, takes::Format), responses((status = 200, content((BalancesPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/balance-manager")]
pub async fn people(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let keys: Vec<&'static str> = SORT.iter().map(|(key, _)| *key).collect();
    let key = params.sort_key(&keys)?;
    let sort = SORT
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("a.created_at", |(_, column)| column);
    let search = params.searched();
    let paging = params.paging(100)?;
    if params.file()? {
        let all = context.clone();
        let read =
            async move |paging: Paging| service::balances(&all, search.as_deref(), &paging, sort).await;
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = service::balances(&context, search.as_deref(), &paging, sort).await?;
    let sums = service::sums(&context, search.as_deref()).await?;
    let Page { data, meta } = Page::new(rows, &paging, total);
    Ok(HttpResponse::Ok().json(BalancesPage { data, meta, sums }))
}

const FILE: File<BalanceRow> = File {
    name: "balances",
    columns: &[
        ("user", |p, _| Cell::from(&*p.username)),
        ("name", |p, _| Cell::from(&*p.full_name)),
        ("email", |p, _| Cell::from(&*p.email)),
        ("available", |p, _| Cell::number(Some(p.balance))),
        ("bonus", |p, _| Cell::number(Some(p.bonus))),
        ("held", |p, _| Cell::number(Some(p.held))),
        ("sponsored", |p, _| Cell::number(Some(p.sponsored))),
        ("licences", |p, _| Cell::number(Some(p.licences))),
        ("status", |p, locale| Cell::word(locale, &p.status)),
    ],
};

/// Sponsored balance given or taken.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SponsorshipOrder {
    pub user_id: UserId,
    /// Places it there at once, or takes it from there when `sponsored` holds too little.
    #[serde(default)]
    pub licence_id: Option<LicenceId>,
    pub operation: Operation,
    /// USDT, more than zero.
    pub value: WrittenAmount,
    pub reason: String,
}

/// Gives or takes sponsored balance. Above the two-person limit the answer is `pending` until another person agrees.
#[utoipa::path(
    tag = "sponsorship", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = RequestView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[post("/admin/balance-manager/add-remove-balance")]
pub async fn order(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<SponsorshipOrder>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let value: Usdt = body
        .value
        .parse()
        .map_err(|_| Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid))?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        let order = Order {
            user: body.user_id,
            licence: body.licence_id,
            operation: body.operation,
            value,
            reason: &body.reason,
        };
        service::order(&context, tx, caller.user, &order).await
    })
    .await
}

/// Orders: those that wait first, then the latest.
#[utoipa::path(tag = "sponsorship", security(("bearer" = [])), params(takes::Pages, takes::Sorting), responses((status = 200, body = Page<RequestView>), (status = 403, body = ErrorBody)))]
#[get("/admin/balance-manager/requests")]
pub async fn requests(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<RequestView>>, Error> {
    caller.staff(protocol::Queue::Sponsorship.permission())?;
    params.one_order()?;
    let paging = params.paging(10)?;
    let (rows, total) = service::requests(&context, &paging).await?;
    Ok(web::Json(Page::new(rows, &paging, total)))
}

/// Another person's decision.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SponsorshipDecision {
    pub id: SponsorshipId,
    pub approve: bool,
    /// Needed to reject.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Agrees to an order that waits, or turns it down.
#[utoipa::path(
    tag = "sponsorship", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = RequestView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[patch("/admin/balance-manager/approve-reject")]
pub async fn decide(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<SponsorshipDecision>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::Sponsorship.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::decide(
            &context,
            tx,
            caller.user,
            body.id,
            body.approve,
            body.reason.as_deref(),
        )
        .await
    })
    .await
}

fn user_id(text: &str) -> Result<UserId, Error> {
    text.parse().map_err(|_| Error::code(ErrorCode::UserUnknown))
}

/// A person's licences, as they see them.
#[utoipa::path(tag = "sponsorship", security(("bearer" = [])), params(("id" = String, Path)), responses((status = 200, body = Vec<LicenceView>), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/balance-manager/get-user-licenses/{id}")]
pub async fn user_licences(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<Vec<LicenceView>>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let user = user_id(&id)?;
    crate::identity::service::account(&context.db, user).await?;
    Ok(web::Json(
        licences::views(&context, Scope::Own(user), None).await?,
    ))
}
