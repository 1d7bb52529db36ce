//! Reconciliation over HTTP.

use super::{
    matching::Outcome,
    service,
    store::{Found, Listed},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Page, Paging, named, takes},
        listing::{self, File},
        sheet::Cell,
    },
    identity::caller::Caller,
};
use actix_multipart::Multipart;
use actix_web::{HttpResponse, get, post, web};
use protocol::{
    ErrorCode, Permission,
    ids::{PixDepositId, PixStatementId, PixWithdrawalId},
    money::Brl,
    views::PixDepositStatus,
};
use serde::Serialize;
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(upload).service(list).service(lines);
}

/// A statement that was compared.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixStatement {
    #[serde(rename = "_id")]
    pub id: PixStatementId,
    pub name: String,
    /// Who sent it.
    pub by: String,
    /// First and last day of its lines, `YYYY-MM-DD`.
    pub first_day: String,
    pub last_day: String,
    pub lines: i32,
    /// Findings that a person has to look at.
    pub open: i64,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl From<&Listed> for PixStatement {
    fn from(row: &Listed) -> Self {
        Self {
            id: PixStatementId(row.id),
            name: row.name.clone(),
            by: row.by.clone(),
            first_day: row.first_day.to_string(),
            last_day: row.last_day.to_string(),
            lines: row.lines,
            open: row.open,
            created_at: row.at,
        }
    }
}

/// One finding: a line of the file, or what we booked and the file lacks.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixStatementLine {
    #[serde(rename = "_id")]
    pub id: uuid::Uuid,
    /// Counted from 1 below the header; none for what the file lacks.
    pub number: Option<i32>,
    pub day: String,
    pub end_to_end_id: Option<String>,
    pub txid: Option<String>,
    pub payer_name: Option<String>,
    /// Below zero: it left.
    pub brl: Brl,
    pub outcome: Outcome,
    /// What our books say.
    pub booked: Option<Brl>,
    pub deposit: Option<PixDepositId>,
    /// Where the deposit stands now.
    pub deposit_status: Option<PixDepositStatus>,
    pub withdrawal: Option<PixWithdrawalId>,
    pub username: Option<String>,
}

impl PixStatementLine {
    fn new(row: &Found) -> Result<Self, Error> {
        Ok(Self {
            id: row.id,
            number: row.number,
            day: row.day.to_string(),
            end_to_end_id: row.end_to_end_id.clone(),
            txid: row.txid.clone(),
            payer_name: row.payer_name.clone(),
            brl: Brl(row.brl),
            outcome: Outcome::parse(&row.outcome)
                .ok_or_else(|| Error::internal("a finding of an unknown kind"))?,
            booked: row.booked_brl.map(Brl),
            deposit: row.deposit.map(PixDepositId),
            deposit_status: row
                .deposit_status
                .as_deref()
                .map(|s| {
                    s.parse()
                        .map_err(|()| Error::internal("a deposit of an unknown status"))
                })
                .transpose()?,
            withdrawal: row.withdrawal.map(PixWithdrawalId),
            username: row.username.clone(),
        })
    }
}

/// A bank's statement as multipart field `file`.
#[derive(utoipa::ToSchema)]
#[allow(dead_code)] // describes the form to the document
pub struct PixStatementForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
}

/// Compares a bank's statement with approvals and pending deposits. CSV with the columns `date`, `EndToEndId`, `txid`, `payer`, `BRL`
/// named in its first line; at most 5 MB and 20 000 lines. A line brings a deposit without proof before the approvers.
#[utoipa::path(tag = "pix", request_body(content = PixStatementForm, content_type = "multipart/form-data"), responses(
    (status = 201, body = PixStatement), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/pix/statements")]
pub async fn upload(
    context: web::Data<Context>,
    caller: Caller,
    payload: Multipart,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let uploaded = service::receive(payload).await?;
    let id = service::reconcile(&context, caller.user, uploaded).await?;
    let statement = PixStatement::from(&service::one(&context, id).await?);
    Ok(HttpResponse::Created().json(statement))
}

/// Statements that were compared, newest first.
#[utoipa::path(tag = "pix", params(takes::Pages, takes::Sorting), responses((status = 200, body = Page<PixStatement>), (status = 403, body = ErrorBody)))]
#[get("/admin/pix/statements")]
pub async fn list(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<PixStatement>>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    params.one_order()?;
    let paging = params.paging(10)?;
    let (rows, total) = service::list(&context, &paging).await?;
    let data = rows.iter().map(PixStatement::from).collect();
    Ok(web::Json(Page::new(data, &paging, total)))
}

/// What was found in a statement, what needs a person first. `status` is an outcome.
#[utoipa::path(tag = "pix", params(("id" = String, Path), takes::Pages, takes::Sorting, takes::Search, takes::Status, takes::Format), responses(
    (status = 200, content((Page<PixStatementLine> = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/pix/statements/{id}/lines")]
pub async fn lines(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let id: PixStatementId = id.parse().map_err(|_| Error::code(ErrorCode::RequestNotFound))?;
    params.checked()?;
    params.one_order()?;
    let outcome = named("status", params.status.as_deref(), Outcome::parse)?;
    let search = params.searched();
    service::one(&context, id).await?;
    let all = context.clone();
    let read = async move |paging: Paging| {
        let (rows, total) = service::lines(&all, id, outcome, search.as_deref(), &paging).await?;
        let data = rows.iter().map(PixStatementLine::new).collect::<Result<_, _>>()?;
        Ok((data, total))
    };
    listing::answer(&context, caller.user, &params, 10, FILE, read).await
}

const FILE: File<PixStatementLine> = File {
    name: "pix-statement",
    columns: &[
        ("line", |l, _| Cell::number(l.number)),
        ("outcome", |l, locale| {
            Cell::word(locale, &format!("found_{}", l.outcome.as_str()))
        }),
        ("date", |l, _| Cell::from(&*l.day)),
        ("brl", |l, _| Cell::number(Some(l.brl))),
        ("booked", |l, _| Cell::number(l.booked)),
        ("user", |l, _| Cell::maybe(l.username.as_deref())),
        ("payer", |l, _| Cell::maybe(l.payer_name.as_deref())),
        ("end_to_end_id", |l, _| Cell::maybe(l.end_to_end_id.as_deref())),
        ("reference", |l, _| Cell::maybe(l.txid.as_deref())),
    ],
};
