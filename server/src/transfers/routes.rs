//! Transfers between members over HTTP.

use super::{
    service::{self, Order},
    store::{Filter, Row},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::{Headers, ListParams, Meta, Page, Paging, takes},
        idempotency::{self, Key},
        listing::{self, File},
        sheet::Cell,
    },
    identity::{
        caller::{Caller, Scope},
        service::{self as identity, FoundPerson},
    },
};
use actix_web::{HttpResponse, get, http::StatusCode, patch, post, web};
use protocol::{
    ErrorCode,
    ids::{CaseId, MemberTransferId},
    money::Usdt,
    views::MemberTransferView,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(search)
        .service(send)
        .service(list_own)
        .service(report)
        .service(decide);
}

/// At most ten members whose username begins so (three letters or more), or whose e-mail is exactly this.
#[utoipa::path(tag = "transfers", security(("bearer" = [])), params(("term" = String, Path)), responses((status = 200, body = Vec<FoundPerson>), (status = 429, body = ErrorBody)))]
#[get("/search-user/{term}")]
pub async fn search(
    context: web::Data<Context>,
    caller: Caller,
    term: web::Path<String>,
) -> Result<web::Json<Vec<FoundPerson>>, Error> {
    Ok(web::Json(
        identity::search_people(&context.db, caller.user, &term).await?,
    ))
}

/// Balance for another member.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewMemberTransfer {
    /// The receiver's username.
    pub receiver: String,
    /// USDT, more than zero, at most 6 decimals.
    pub value: WrittenAmount,
    /// The code of purpose `transfer`, bound to receiver and value; the app's where it is on.
    #[serde(default, skip_serializing_if = "idempotency::is_left_out")]
    pub security_code: Option<String>,
}

/// Sends balance at once. What the compliance rules hold answers `pending` and waits for a person.
#[utoipa::path(
    tag = "transfers", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = MemberTransferView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody))
)]
#[post("/transfer")]
pub async fn send(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<NewMemberTransfer>,
) -> Result<HttpResponse, Error> {
    let value: Usdt = body
        .value
        .parse()
        .map_err(|_| Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid))?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        let order = Order {
            receiver: &body.receiver,
            value,
            security_code: body.security_code.as_deref(),
        };
        service::send(&context, tx, caller.user, &order).await
    })
    .await
}

const SORT: &[(&str, &str)] = &[
    ("created_at", "t.created_at"),
    ("value", "t.usdt"),
    ("status", "t.status"),
    ("origin", "s.username_key"),
    ("destination", "r.username_key"),
];

fn sort(params: &ListParams) -> Result<&'static str, Error> {
    let keys: Vec<&'static str> = SORT.iter().map(|(key, _)| *key).collect();
    let key = params.sort_key(&keys)?;
    Ok(SORT
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("t.created_at", |(_, column)| column))
}

fn filter(params: &ListParams) -> Result<Filter, Error> {
    let (from, until) = params.days()?;
    let text = |value: &Option<String>| {
        value
            .as_deref()
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .map(str::to_owned)
    };
    let status = text(&params.status)
        .map(|s| {
            s.parse().map_err(|()| {
                Error::code(ErrorCode::RequestInvalid).field("status", ErrorCode::RequestInvalid)
            })
        })
        .transpose()?;
    Ok(Filter {
        search: params.searched(),
        status,
        function: params.role()?,
        from,
        until,
    })
}

/// One's own transfers, sent and received. `search` is of the other side, `function` its role.
#[utoipa::path(tag = "transfers", security(("bearer" = [])), params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format), responses((status = 200, content((Page<MemberTransferView> = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/transfers-list")]
pub async fn list_own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let read = reader(&context, caller.own(), filter(&params)?, sort(&params)?);
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |t| t.created_at, read).await
}

/// Reads a list's rows as its owner sees them.
fn reader(
    context: &Context,
    scope: Scope,
    filter: Filter,
    sort: &'static str,
) -> impl AsyncFn(Paging) -> Result<(Vec<MemberTransferView>, i64), Error> + use<> {
    let context = context.clone();
    async move |paging: Paging| {
        let (rows, total) = service::list(&context, scope, &filter, &paging, sort).await?;
        Ok((rows.iter().map(Row::view).collect::<Result<_, _>>()?, total))
    }
}

const FILE: File<MemberTransferView> = File {
    name: "transfers",
    columns: &[
        ("date", |t, _| Cell::moment(t.created_at)),
        ("origin", |t, _| Cell::from(&*t.origin.username)),
        ("destination", |t, _| Cell::from(&*t.destination.username)),
        ("value", |t, _| Cell::number(Some(t.value))),
        ("fee", |t, _| Cell::number(Some(t.fee))),
        ("status", |t, locale| Cell::word(locale, t.status.as_str())),
    ],
};

/// A transfer as staff see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferReportRow {
    #[serde(flatten)]
    pub transfer: MemberTransferView,
    /// The case of the compliance rules, where they held it.
    #[serde(rename = "case")]
    pub case_id: Option<CaseId>,
    /// Why a person was asked to look; empty when nobody was.
    pub signals: Vec<String>,
    pub approvals: i16,
    pub approvals_needed: i16,
}

/// A day's bar.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TransferDay {
    #[schema(value_type = String, format = Date)]
    pub day: String,
    pub count: i64,
    pub value: Usdt,
}

/// Staff's list with sums over the whole filter; only what arrived is added up.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TransferReport {
    pub data: Vec<TransferReportRow>,
    pub meta: Meta,
    pub count: i64,
    pub value: Usdt,
    pub fees: Usdt,
    /// How many of them wait for a person.
    pub pending: i64,
    /// How many wait for a person, whatever the filters, and since when the oldest.
    pub waiting: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
    pub days: Vec<TransferDay>,
}

/// All transfers with sums and days. Filters: search, status, function, startDate, endDate.
#[utoipa::path(tag = "transfers", security(("bearer" = [])), params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format), responses((status = 200, content((TransferReport = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/transfers-reports")]
pub async fn report(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let scope = caller.staff(protocol::Queue::Transfers.permission())?;
    let paging = params.paging(10)?;
    if params.file()? {
        let read = reader(&context, scope, filter(&params)?, sort(&params)?);
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let filter = filter(&params)?;
    let (rows, total) = service::list(&context, scope, &filter, &paging, sort(&params)?).await?;
    let totals = service::totals(&context, scope, &filter).await?;
    let (waiting, oldest) = service::queue(&context).await?;
    let data = rows
        .iter()
        .map(|row| {
            Ok(TransferReportRow {
                transfer: row.view()?,
                case_id: row.case_id.map(CaseId),
                signals: row.reasons.clone().unwrap_or_default(),
                approvals: row.approvals,
                approvals_needed: row.approvals_needed,
            })
        })
        .collect::<Result<_, Error>>()?;
    let newest = params.newest(&rows, |row| row.created_at);
    let Page { data, meta } = Page::new(data, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(TransferReport {
        data,
        meta,
        count: totals.count,
        value: totals.value,
        fees: totals.fees,
        pending: totals.pending,
        waiting,
        oldest,
        days: totals
            .days
            .into_iter()
            .map(|d| TransferDay {
                day: d.day.to_string(),
                count: d.count,
                value: d.value,
            })
            .collect(),
    }))
}

/// A person's decision on a transfer that waits.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TransferDecision {
    pub id: MemberTransferId,
    pub approve: bool,
    /// Needed to reject.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Releases or turns down a transfer that the compliance rules held.
#[utoipa::path(
    tag = "transfers", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = MemberTransferView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[patch("/admin/transfers-approve-reject")]
pub async fn decide(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<TransferDecision>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::Transfers.decides())?;
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
