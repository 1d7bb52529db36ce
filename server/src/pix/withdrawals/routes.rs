//! Withdrawals by PIX over HTTP: what a customer calls.

use super::{
    holder::{self, HolderView},
    screen::{FILE, filter},
    service::{Order, Pix},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::{self, WrittenAmount},
        context::Context,
        http::{Headers, ListParams, Page, takes},
        idempotency::{self, Key},
        listing,
    },
    identity::caller::Caller,
    payouts::{lists, refuse, service as payouts},
    pix::{keys::HolderMatch, rate::RateSource},
};
use actix_web::{HttpResponse, get, http::StatusCode, post, web};
use protocol::{
    ErrorCode,
    ids::PixWithdrawalId,
    money::{Brl, Usdt},
    views::{PixKeyKind, PixWithdrawalView},
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
    pub value: WrittenAmount,
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
        let value = Usdt::from_str(&self.value).map_err(|_| refuse("value", ErrorCode::WithdrawalInvalid))?;
        Ok(Order {
            value,
            key_kind: self.key_kind,
            key: &self.key,
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
    let quote = payouts::quote::<Pix>(&context, &mut tx, caller.user, &body.order()?).await?;
    tx.rollback().await?;
    let current = quote.beside.current;
    Ok(web::Json(PixWithdrawalQuote {
        value: quote.value,
        fee: quote.parts.fee,
        net: quote.parts.net,
        brl: quote.amount,
        rate: quote.rate.to_string(),
        source: current.source,
        at: current.at,
        key_kind: quote.to.kind(),
        key: quote.to.written(),
        destination: quote.to.expose().to_owned(),
        holder: quote.beside.holder.into(),
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
        let code = body.security_code.as_deref();
        payouts::request::<Pix>(&context, tx, caller.user, &body.order()?, code).await
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
        payouts::cancel::<Pix>(&context, tx, caller.user, id).await
    })
    .await
}

/// The offer as its user saw it.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PixOfferTaken {
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub brl: Brl,
}

/// Takes the value at the new rate: what moved by more than the tolerance since the request is confirmed anew.
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
        payouts::requote::<Pix>(&context, tx, caller.user, id, |brl| brl == body.brl).await
    })
    .await
}

const OWN_SORT: &[&str] = &["created_at", "usdt", "fee", "brl", "status"];

/// One's own withdrawals, newest first. Sorts by created_at, usdt, fee, brl or status; `status` also takes `paid` and `to_pay`.
#[utoipa::path(tag = "pix", params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format), responses((status = 200, content((Page<PixWithdrawalView> = "application/json"), (String = "text/csv"))), (status = 422, body = ErrorBody)))]
#[get("/list-withdraws-pix")]
pub async fn list_own(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    let (filter, sort) = (filter(&params)?, params.sort_key(OWN_SORT)?);
    let read = lists::reader(&context, caller.own(), filter, sort);
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |w| w.created_at, read).await
}
