//! Intents over HTTP.

use super::service::{self, Asked};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::Headers,
        idempotency::{self, Key},
        settings::percent,
    },
    identity::{
        acceptances,
        caller::{Caller, Completeness},
    },
    pools::service as pools,
    wallet::chain::Coin,
};
use actix_web::{HttpResponse, get, http::StatusCode, post, web};
use protocol::{
    ErrorCode,
    ids::{ChainDepositId, PlanId},
    money::Usdt,
    views::{ChainDepositView, DepositProduct},
};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(terms)
        .service(create)
        .service(quote)
        .service(quote_plan)
        .service(plain)
        .service(cancel);
}

/// How an intent is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub enum PaymentMethod {
    #[serde(rename = "usdt_bep20")]
    UsdtBep20,
}

/// A licence to be paid over the chain.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewIntent {
    /// The licence's value; must equal a plan on offer.
    pub license_value: WrittenAmount,
    pub product: PaymentMethod,
    pub is_high_risk: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<PlanId>,
    /// The risk notice was read, for this payment. Left out, the notice that the account accepted stands: the one in force, as
    /// registration and `POST /me/complete` record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_accepted: Option<bool>,
    /// What is paid for: a licence unless said. For a pool `licenseValue` is what goes in and `planId` the pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<DepositProduct>,
}

/// Reads an amount so that a refusal names its field.
fn amount(field: &str, text: &str) -> Result<Usdt, Error> {
    text.parse()
        .map_err(|_| Error::code(ErrorCode::AmountInvalid).field(field, ErrorCode::AmountInvalid))
}

/// Opens an intent: an address of its own, the exact amount, an hour.
#[utoipa::path(
    tag = "wallet",
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = ChainDepositView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody), (status = 503, body = ErrorBody))
)]
#[post("/trader/create-deposit-intent")]
pub async fn create(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<NewIntent>,
) -> Result<HttpResponse, Error> {
    if body.risk_accepted == Some(false) {
        return Err(Error::code(ErrorCode::RiskNotAccepted).field("riskAccepted", ErrorCode::RiskNotAccepted));
    }
    // The notice that is missing, by its name and with the call that records it, before "complete your registration".
    if body.risk_accepted.is_none() && caller.completeness != Completeness::Complete {
        let mut tx = context.db.begin().await?;
        acceptances::require_risk(&mut tx, caller.user).await?;
        tx.rollback().await?;
    }
    caller.require_complete()?;
    let key = Key::from(&headers, caller.user, &*body)?;
    let value = amount("licenseValue", &body.license_value)?;
    let risk_said = body.risk_accepted.is_some();
    let asked = match body.kind {
        None | Some(DepositProduct::License) => Asked::License {
            value,
            is_high_risk: body.is_high_risk,
            plan: body.plan_id,
            risk_said,
        },
        Some(DepositProduct::Pool) => Asked::Pool {
            value,
            plan: body.plan_id,
            risk_said,
        },
        Some(DepositProduct::Plain) => {
            return Err(Error::code(ErrorCode::RequestInvalid).field("kind", ErrorCode::RequestInvalid));
        }
    };
    answer(&context, &caller, &key, asked).await
}

async fn answer(context: &Context, caller: &Caller, key: &Key, asked: Asked) -> Result<HttpResponse, Error> {
    idempotency::run(&context.db, key, StatusCode::CREATED, async |tx| {
        service::create(context, tx, caller.user, asked).await
    })
    .await
}

/// What deposits over the chain cost, and how much may be asked for.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepositTerms {
    pub minimum: Usdt,
    pub maximum: Usdt,
    /// The fixed part of the fee, and its share of what is credited in percent.
    pub fee: Usdt,
    pub fee_percent: String,
    /// For how long an address waits for what was asked for.
    pub minutes: i64,
}

/// What deposits over the chain cost, and how much may be asked for.
#[utoipa::path(tag = "wallet", operation_id = "crypto_deposit_terms", responses((status = 200, body = DepositTerms)))]
#[get("/deposit/terms")]
pub async fn terms(context: web::Data<Context>) -> Result<web::Json<DepositTerms>, Error> {
    let in_force = context.settings.current(context.now()).await?;
    let settings = &in_force.settings;
    Ok(web::Json(DepositTerms {
        minimum: settings.deposit_minimum,
        maximum: settings.deposit_maximum,
        fee: settings.deposit_fee,
        fee_percent: percent(settings.deposit_fee_share),
        minutes: settings.deposit_minutes,
    }))
}

/// What an intent would cost, and the open one if there is one.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntentQuote {
    pub kind: DepositProduct,
    pub plan_id: PlanId,
    pub is_high_risk: bool,
    pub value: Usdt,
    /// The fixed part of the fee and its share in percent.
    pub fee: Usdt,
    pub fee_percent: String,
    /// To be paid.
    pub total: Usdt,
    pub minutes: i64,
    pub open: Option<ChainDepositView>,
}

/// Which risk is meant, where a value is sold with either.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct Risk {
    #[serde(default)]
    pub is_high_risk: Option<bool>,
}

async fn quoted(
    context: &Context,
    caller: &Caller,
    kind: &str,
    value: &str,
    risk: Option<bool>,
    plan: Option<PlanId>,
) -> Result<web::Json<IntentQuote>, Error> {
    let kind = match kind.parse() {
        Ok(DepositProduct::License) => DepositProduct::License,
        Ok(DepositProduct::Pool) => DepositProduct::Pool,
        _ => return Err(Error::code(ErrorCode::RequestNotFound)),
    };
    let value = amount("value", value)?;
    let (plan, is_high_risk) = if kind == DepositProduct::Pool {
        let pool = pools::offered(context, value, plan.map(|p| p.0)).await?;
        (PlanId(pool.0), false)
    } else {
        let plan = service::plan(context, value, risk, plan).await?;
        (plan.id, plan.is_high_risk)
    };
    let in_force = context.settings.current(context.now()).await?;
    let share = in_force.settings.deposit_fee_share;
    Ok(web::Json(IntentQuote {
        kind,
        plan_id: plan,
        is_high_risk,
        value,
        fee: in_force.settings.deposit_fee,
        fee_percent: percent(share),
        total: service::price(value, &in_force)?,
        minutes: in_force.settings.deposit_minutes,
        // Of a pool any sum may be under way: only this one is the same order.
        open: service::open(context, caller.user, kind, plan, value)
            .await?
            .filter(|open| open.value == Some(value)),
    }))
}

/// Quotes an intent; answers with one's open one for the same plan.
#[utoipa::path(tag = "wallet", params(("kind" = String, Path, description = "license or liquidity_for_pools"), ("value" = String, Path), Risk),
    responses((status = 200, body = IntentQuote), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/trader/get-deposit-intent/{kind}/{value}")]
pub async fn quote(
    context: web::Data<Context>,
    caller: Caller,
    path: web::Path<(String, String)>,
    risk: web::Query<Risk>,
) -> Result<web::Json<IntentQuote>, Error> {
    let (kind, value) = path.into_inner();
    quoted(&context, &caller, &kind, &value, risk.is_high_risk, None).await
}

/// Quotes an intent for one plan.
#[utoipa::path(tag = "wallet",
    params(("kind" = String, Path, description = "license or liquidity_for_pools"), ("value" = String, Path), ("planId" = String, Path)),
    responses((status = 200, body = IntentQuote), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/trader/get-deposit-intent/{kind}/{value}/{planId}")]
pub async fn quote_plan(
    context: web::Data<Context>,
    caller: Caller,
    path: web::Path<(String, String, String)>,
) -> Result<web::Json<IntentQuote>, Error> {
    let (kind, value, plan) = path.into_inner();
    let plan = plan.parse().map_err(|_| Error::code(ErrorCode::PlanUnknown))?;
    quoted(&context, &caller, &kind, &value, None, Some(plan)).await
}

/// A plain deposit: whatever arrives is credited after the fee.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewDeposit {
    pub coin: Coin,
    /// About how much, in USDT.
    pub value: WrittenAmount,
}

/// Opens a plain deposit: an address of its own.
#[utoipa::path(
    tag = "wallet",
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = ChainDepositView), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 503, body = ErrorBody))
)]
#[post("/deposit")]
pub async fn plain(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<NewDeposit>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    let asked = Asked::Plain {
        coin: body.coin,
        value: amount("value", &body.value)?,
    };
    answer(&context, &caller, &key, asked).await
}

/// Which deposit.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedDeposit {
    pub id: ChainDepositId,
}

/// Withdraws a deposit for which nothing was seen.
#[utoipa::path(
    tag = "wallet",
    responses((status = 200, body = ChainDepositView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody))
)]
#[post("/deposit/cancel")]
pub async fn cancel(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<NamedDeposit>,
) -> Result<web::Json<ChainDepositView>, Error> {
    let mut tx = context.db.begin().await?;
    let view = service::cancel(&context, &mut tx, caller.user, body.id).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}
