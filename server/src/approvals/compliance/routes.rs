//! Cases and pauses over HTTP: what those who decide call.

use super::{
    pauses::{self, PauseOf, PauseView},
    service::{self, CaseFilter, Which},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        http::{ListParams, Meta, Page, Paging, given, takes},
        listing::File,
        sheet::Cell,
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, patch, post, web};
use protocol::{
    ErrorCode,
    ids::{CaseId, PauseId},
    money::Usdt,
    views::{CaseStatus, ComplianceCaseView},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(list_cases)
        .service(decide_case)
        .service(list_pauses)
        .service(propose_pause)
        .service(lift_pause);
}

/// A page of cases with the queue's length and age.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CasePage {
    pub data: Vec<ComplianceCaseView>,
    pub meta: Meta,
    /// How many are open, whatever the filters.
    pub pending: i64,
    /// Since when the oldest of them is.
    #[serde(with = "time::serde::rfc3339::option")]
    pub oldest: Option<OffsetDateTime>,
}

fn wrong(field: &str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

fn filter(params: &ListParams) -> Result<CaseFilter, Error> {
    let (from, until) = params.days()?;
    let which = match given(params.status.as_deref()) {
        None => Which::All,
        Some("decided") => Which::Decided,
        Some(text) => Which::Only(text.parse::<CaseStatus>().map_err(|()| wrong("status"))?),
    };
    Ok(CaseFilter {
        which,
        search: params.searched(),
        from,
        until,
    })
}

/// Cases for a person's look: open ones first, oldest first. Filters: `status` (also `decided`), `search` (a username, or a case's
/// id), startDate, endDate.
#[utoipa::path(tag = "approvals", security(("bearer" = [])), params(takes::Pages, takes::Sorting, takes::Search, takes::Status, takes::Days, takes::Format), responses((status = 200, content((CasePage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/compliance/cases")]
pub async fn list_cases(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::Compliance.permission())?;
    let paging = params.paging(10)?;
    params.one_order()?;
    let filter = filter(&params)?;
    if params.file()? {
        let all = context.clone();
        let read = async move |paging: Paging| service::cases(&all, &filter, &paging).await;
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = service::cases(&context, &filter, &paging).await?;
    let (pending, oldest) = service::queue(&context).await?;
    let Page { data, meta } = Page::new(rows, &paging, total);
    Ok(HttpResponse::Ok().json(CasePage {
        data,
        meta,
        pending,
        oldest,
    }))
}

const FILE: File<ComplianceCaseView> = File {
    name: "compliance",
    columns: &[
        ("date", |c, _| Cell::moment(c.opened_at)),
        ("user", |c, _| Cell::from(&*c.username)),
        ("counterparty", |c, _| Cell::maybe(c.counterparty.as_deref())),
        ("kind", |c, locale| {
            Cell::word(locale, &format!("flow_{}", c.flow))
        }),
        ("value", |c, _| Cell::number(Some(c.value))),
        ("reasons", |c, locale| {
            let words: Vec<&str> = c
                .reasons
                .iter()
                .map(|reason| locale.text("words", &format!("reason_{reason}")))
                .collect();
            Cell::from(words.join(" · "))
        }),
        ("status", |c, locale| Cell::word(locale, c.status.as_str())),
        ("decided_by", |c, _| Cell::maybe(c.decided_by.as_deref())),
        ("note", |c, _| Cell::maybe(c.note.as_deref())),
    ],
};

/// A person's word on a case that is decided by itself.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CaseDecision {
    pub id: CaseId,
    pub cleared: bool,
    /// Needed for what is not cleared.
    #[serde(default)]
    pub note: Option<String>,
    /// What the case was worth when it was looked at; needed to clear that of a bonus, to which more may come.
    #[serde(default)]
    pub value: Option<Usdt>,
}

/// Notes the decision on a case. What waits for a case is decided on its own screen; a held bonus may wait for a second person (202).
#[utoipa::path(tag = "approvals", security(("bearer" = [])), responses(
    (status = 202), (status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/admin/compliance/cases")]
pub async fn decide_case(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<CaseDecision>,
) -> Result<HttpResponse, Error> {
    let mut tx = context.db.begin().await?;
    let word = service::Word {
        cleared: body.cleared,
        note: body.note.as_deref(),
        seen: body.value,
    };
    let decided = service::decide_here(&context, &mut tx, body.id, caller.user, &word).await?;
    tx.commit().await?;
    Ok(if decided {
        HttpResponse::NoContent().finish()
    } else {
        HttpResponse::Accepted().finish()
    })
}

/// Pauses of outgoing money, of the desk and of registrations that stand or stood.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Pauses {
    pub data: Vec<PauseView>,
}

/// Pauses of outgoing money, of the desk and of registrations, those that stand first.
#[utoipa::path(tag = "approvals", security(("bearer" = [])), responses((status = 200, body = Pauses)))]
#[get("/admin/outbound-pauses")]
pub async fn list_pauses(context: web::Data<Context>, caller: Caller) -> Result<web::Json<Pauses>, Error> {
    caller.staff(protocol::Queue::Pauses.permission())?;
    Ok(web::Json(Pauses {
        data: pauses::all(&context).await?,
    }))
}

/// A pause: of money of one person or, without a username, of everyone; of the desk; of registrations.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PauseBody {
    /// Outgoing money where it is not said.
    #[serde(default)]
    pub what: PauseOf,
    /// Of money only.
    #[serde(default)]
    pub username: Option<String>,
    /// Shown to those whom it concerns.
    pub reason: String,
    /// The day, `YYYY-MM-DD`, by which it is looked at again; within 30 days.
    pub review_date: String,
}

/// It stands still from now on: one person is enough to protect.
#[utoipa::path(tag = "approvals", security(("bearer" = [])), responses(
    (status = 201, body = Pauses), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/outbound-pauses")]
pub async fn propose_pause(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<PauseBody>,
) -> Result<HttpResponse, Error> {
    let review_at = business_day::read(&body.review_date)
        .and_then(time::Date::next_day)
        .map(business_day::start)
        .ok_or_else(|| wrong("reviewDate"))?;
    let new = pauses::NewPause {
        what: body.what,
        username: body.username.as_deref().map(str::trim).filter(|u| !u.is_empty()),
        reason: &body.reason,
        review_at,
    };
    let mut tx = context.db.begin().await?;
    pauses::start(&mut tx, caller.user, &new).await?;
    tx.commit().await?;
    let data = pauses::all(&context).await?;
    Ok(HttpResponse::Created().json(Pauses { data }))
}

fn pause_id(text: &str) -> Result<PauseId, Error> {
    text.parse().map_err(|_| Error::code(ErrorCode::RequestNotFound))
}

/// Why a pause may end.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseLift {
    /// Shown to those whom it concerned. Whoever agrees to what another asked for need not say it again.
    #[serde(default)]
    pub reason: Option<String>,
}

/// One of two words that end a pause.
#[utoipa::path(tag = "approvals", security(("bearer" = [])), params(("id" = String, Path)), request_body = PauseLift, responses(
    (status = 200, body = Pauses), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody)))]
#[post("/admin/outbound-pauses/{id}/lift")]
pub async fn lift_pause(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    body: web::Json<PauseLift>,
) -> Result<web::Json<Pauses>, Error> {
    let mut tx = context.db.begin().await?;
    pauses::lift(
        &context,
        &mut tx,
        caller.user,
        pause_id(&id)?,
        body.reason.as_deref(),
    )
    .await?;
    tx.commit().await?;
    Ok(web::Json(Pauses {
        data: pauses::all(&context).await?,
    }))
}
