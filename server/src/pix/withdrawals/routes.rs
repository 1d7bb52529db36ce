//! Withdrawals by PIX over HTTP: what a customer calls.

use super::{
    holder::{self, HolderView},
    service::{self, Order},
    store::Filter,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{Headers, ListParams, Page, Paging, takes},
        idempotency::{self, Key},
        listing::{self, File},
        sheet::Cell,
    },
    identity::caller::{Caller, Scope},
    pix::{keys::HolderMatch, rate::RateSource},
};
use actix_web::{HttpResponse, get, http::StatusCode, post, web};
use protocol::{
    ErrorCode,
    ids::PixWithdrawalId,
    money::{Brl, Usdt},
    views::{PixKeyKind, PixWithdrawalStatus, PixWithdrawalView},
};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use time::OffsetDateTime;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(holder_of_me)
        .service(put_holder)
        .service(quote)
        .service(withdraw)
        .service(cancel)
        .service(confirm)
        .service(list_own);
}

/// One's document, if it is on file.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct HolderAnswer {
    pub holder: Option<HolderView>,
}

/// The document on file that decides which keys are one's own; masked.
#[utoipa::path(tag = "pix", responses((status = 200, body = HolderAnswer)))]
#[get("/pix/holder")]
pub async fn holder_of_me(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<HolderAnswer>, Error> {
    let holder = holder::view(&context, caller.user).await?;
    Ok(web::Json(HolderAnswer { holder }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewHolder {
    /// CPF or CNPJ, with or without marks.
    pub document: String,
    /// The mailed code, purpose `change-account-data`.
    #[serde(default)]
    pub security_code: Option<String>,
    /// The authenticator's, where it is on.
    #[serde(default)]
    pub app_code: Option<String>,
}

/// Puts one's document on file, once; staff correct it.
#[utoipa::path(tag = "pix", request_body = NewHolder, responses(
    (status = 200, body = HolderAnswer), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/pix/holder")]
pub async fn put_holder(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<NewHolder>,
) -> Result<web::Json<HolderAnswer>, Error> {
    let mailed = body.security_code.as_deref().unwrap_or_default();
    let app = body.app_code.as_deref().unwrap_or_default();
    holder::put(&context, caller.user, &body.document, mailed, app).await?;
    let holder = holder::view(&context, caller.user).await?;
    Ok(web::Json(HolderAnswer { holder }))
}

/// How much, to which key.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PixWithdrawalOrder {
    /// USDT taken from the balance, at most 6 decimals.
    #[schema(format = "amount", example = "100.00")]
    pub value: String,
    pub key_kind: PixKeyKind,
    /// As people write it.
    pub key: String,
    /// The authenticator's code, or the e-mailed one of purpose `pix-withdraw` with the quote's destination and value.
    #[serde(default)]
    pub security_code: Option<String>,
}

/// What makes two orders the same: the code is not of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoneyFields<'a> {
    value: &'a str,
    key_kind: PixKeyKind,
    key: &'a str,
}

impl PixWithdrawalOrder {
    fn order(&self) -> Result<Order<'_>, Error> {
        // What is no number is an invalid amount for a withdrawal as well (docs/rules/pix.md#withdrawals).
        let value = Usdt::from_str(&self.value)
            .map_err(|_| service::refuse("value", ErrorCode::WithdrawalInvalid))?;
        Ok(Order {
            value,
            key_kind: self.key_kind,
            key: &self.key,
            security_code: self.security_code.as_deref(),
        })
    }
}

/// How a key stands to the document on file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PixKeyHolder {
    Matches,
    /// Staff look it up at the bank.
    Unknown,
    /// Somebody else's document: staff must agree.
    Differs,
}

impl From<HolderMatch> for PixKeyHolder {
    fn from(found: HolderMatch) -> Self {
        match found {
            HolderMatch::Matches => Self::Matches,
            HolderMatch::Unknown => Self::Unknown,
            HolderMatch::Differs => Self::Differs,
        }
    }
}

/// What a withdrawal would cost and bring now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PixWithdrawalQuote {
    pub value: Usdt,
    pub fee: Usdt,
    pub net: Usdt,
    pub brl: Brl,
    /// BRL per USDT, four decimals.
    pub rate: String,
    pub source: RateSource,
    #[serde(with = "time::serde::rfc3339::option")]
    pub at: Option<OffsetDateTime>,
    pub key_kind: PixKeyKind,
    /// As people read it.
    pub key: String,
    /// As a code binds it.
    pub destination: String,
    pub holder: PixKeyHolder,
}

/// What a withdrawal would cost and bring now, with everything that would refuse it but the code; nothing moves.
#[utoipa::path(tag = "pix", request_body = PixWithdrawalOrder, responses(
    (status = 200, body = PixWithdrawalQuote), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/withdraw-pix/quote")]
pub async fn quote(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<PixWithdrawalOrder>,
) -> Result<web::Json<PixWithdrawalQuote>, Error> {
    let mut tx = context.db.begin().await?;
    let quote = service::quote(&context, &mut tx, caller.user, &body.order()?).await?;
    tx.rollback().await?;
    Ok(web::Json(PixWithdrawalQuote {
        value: quote.value,
        fee: quote.parts.fee,
        net: quote.parts.net,
        brl: quote.brl,
        rate: quote.current.rate.to_string(),
        source: quote.current.source,
        at: quote.current.at,
        key_kind: quote.key.kind(),
        key: quote.key.written(),
        destination: quote.key.expose().to_owned(),
        holder: quote.holder.into(),
    }))
}

/// Asks for a withdrawal: the value is set aside, staff decide. `value` = fee (2 %, at least 1 USDT) + what leaves.
#[utoipa::path(tag = "pix", params(("Idempotency-Key" = String, Header)), request_body = PixWithdrawalOrder, responses(
    (status = 201, body = PixWithdrawalView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/withdraw-pix")]
pub async fn withdraw(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<PixWithdrawalOrder>,
) -> Result<HttpResponse, Error> {
    let fields = MoneyFields {
        value: &body.value,
        key_kind: body.key_kind,
        key: &body.key,
    };
    let key = Key::from(&headers, caller.user, &fields)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        service::withdraw(&context, tx, caller.user, &body.order()?).await
    })
    .await
}

pub(super) fn withdrawal_id(text: &str) -> Result<PixWithdrawalId, Error> {
    text.parse().map_err(|_| Error::code(ErrorCode::RequestNotFound))
}

/// Takes a request back until it is approved.
#[utoipa::path(tag = "pix", params(("id" = String, Path), ("Idempotency-Key" = String, Header)), responses(
    (status = 200, body = PixWithdrawalView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
#[post("/withdraw-pix/{id}/cancel")]
pub async fn cancel(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id = withdrawal_id(&id)?;
    let key = Key::from(&headers, caller.user, &id)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::cancel(&context, tx, caller.user, id).await
    })
    .await
}

/// The offer as its user saw it.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PixOfferTaken {
    pub brl: Brl,
}

/// Takes the value at the new rate: what moved by more than 1 % since the request is confirmed anew.
#[utoipa::path(tag = "pix", params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = PixOfferTaken, responses(
    (status = 200, body = PixWithdrawalView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/withdraw-pix/{id}/requote")]
pub async fn confirm(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    id: web::Path<String>,
    body: web::Json<PixOfferTaken>,
) -> Result<HttpResponse, Error> {
    let id = withdrawal_id(&id)?;
    let key = Key::from(&headers, caller.user, &(id, &*body))?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::confirm(&context, tx, caller.user, id, body.brl).await
    })
    .await
}

const OWN_SORT: &[&str] = &["created_at", "usdt", "fee", "brl", "status"];

/// Statuses of the lists: those of a withdrawal, and `paid` and `to_pay` of approved ones.
pub(super) fn filter(params: &ListParams) -> Result<Filter, Error> {
    let (from, until) = params.days()?;
    let invalid = || Error::code(ErrorCode::RequestInvalid).field("status", ErrorCode::RequestInvalid);
    let (status, paid) = match params.status.as_deref().filter(|s| !s.is_empty()) {
        None => (None, None),
        Some("paid") => (Some(PixWithdrawalStatus::Approved), Some(true)),
        Some("to_pay") => (Some(PixWithdrawalStatus::Approved), Some(false)),
        Some(text) => (Some(text.parse().map_err(|()| invalid())?), None),
    };
    let search = params
        .search
        .as_deref()
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.chars().take(100).collect());
    let function = params.role()?;
    Ok(Filter {
        status,
        paid,
        search,
        function,
        from,
        until,
    })
}

/// One's own withdrawals, newest first. Sorts by created_at, usdt, fee, brl or status; `status` also takes `paid` and `to_pay`.
#[utoipa::path(tag = "pix", params(takes::Pages, takes::Sorting, takes::Search, takes::Status, takes::Days, takes::Format), responses((status = 200, content((Page<PixWithdrawalView> = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/list-withdraws-pix")]
pub async fn list_own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let read = reader(
        &context,
        caller.own(),
        filter(&params)?,
        params.sort_key(OWN_SORT)?,
    );
    listing::answer(&context, caller.user, &params, 10, FILE, read).await
}

/// Reads a list's rows.
pub(super) fn reader(
    context: &Context,
    scope: Scope,
    filter: Filter,
    sort: &'static str,
) -> impl AsyncFn(Paging) -> Result<(Vec<PixWithdrawalView>, i64), Error> + use<> {
    let context = context.clone();
    async move |paging: Paging| {
        let (rows, total) = service::list(&context, scope, &filter, &paging, sort).await?;
        Ok((rows.iter().map(|r| r.view()).collect::<Result<_, _>>()?, total))
    }
}

pub(super) const FILE: File<PixWithdrawalView> = File {
    name: "pix-withdrawals",
    columns: &[
        ("date", |w, _| Cell::moment(w.created_at)),
        ("user", |w, _| Cell::from(&*w.username)),
        ("value", |w, _| Cell::number(Some(w.value))),
        ("fee", |w, _| Cell::number(Some(w.fee))),
        ("net", |w, _| Cell::number(Some(w.net))),
        ("brl", |w, _| Cell::number(Some(w.brl))),
        ("pix_key", |w, _| Cell::from(&*w.key)),
        ("end_to_end_id", |w, _| Cell::maybe(w.end_to_end_id.as_deref())),
        ("status", |w, locale| {
            let approved = w.status == PixWithdrawalStatus::Approved;
            let word = if approved && w.paid_at.is_some() {
                "paid"
            } else {
                w.status.as_str()
            };
            Cell::word(locale, word)
        }),
        ("reason", |w, _| Cell::maybe(w.reason.as_deref())),
    ],
};
