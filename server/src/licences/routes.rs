//! Calls of licences (docs/rules/licences.md).

use super::{
    model::{
        Amount, LicenceMoved, LicenceTerms, LoanTerms, Named, PlanView, Purchase, Reinvestment, Repayment,
        TopUp,
    },
    service,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{Headers, ListParams, Page, takes},
        idempotency::{self, Key},
    },
    identity::caller::Caller,
};
use actix_web::{
    HttpResponse, get,
    http::StatusCode,
    post,
    web::{Data, Json, Path, Query},
};
use protocol::{Permission, ids::LicenceId, money::Usdt, views::LicenceView};
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(plans)
        .service(terms)
        .service(buy)
        .service(topup)
        .service(reinvest)
        .service(cancel)
        .service(capital_withdraw)
        .service(loan)
        .service(loan_repay)
        .service(loan_terms)
        .service(manual_key)
        .service(get_user_licenses);
}

/// The plans on offer.
#[utoipa::path(tag = "licences", security(("bearer" = [])),
    responses((status = 200, body = Vec<PlanView>), (status = "default", body = ErrorBody)))]
#[get("/licences/plans")]
async fn plans(context: Data<Context>) -> Result<Json<Vec<PlanView>>, Error> {
    Ok(Json(service::plans(&context).await?))
}

/// For how long what is bought or put in now is bound.
#[utoipa::path(tag = "licences", security(("bearer" = [])),
    responses((status = 200, body = LicenceTerms), (status = "default", body = ErrorBody)))]
#[get("/licences/terms")]
async fn terms(context: Data<Context>) -> Result<Json<LicenceTerms>, Error> {
    let in_force = context.settings.current(context.now()).await?;
    Ok(Json(LicenceTerms {
        cancel_days: in_force.settings.cancel_days,
        locked_days: in_force.settings.lot_locked_days,
    }))
}

/// Buys a licence. Needs `Idempotency-Key`.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = Purchase,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/licences/buy")]
async fn buy(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Purchase>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::buy(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Puts capital into a licence. Needs `Idempotency-Key`.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = TopUp,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/licences/topup")]
async fn topup(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<TopUp>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::topup(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Puts yield or bonus into a licence, on any day. Needs `Idempotency-Key`.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = Reinvestment,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/licences/reinvest")]
async fn reinvest(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Reinvestment>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::reinvest(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Undoes a purchase within seven days while nothing was ever allocated. Needs `Idempotency-Key`.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = Named,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/licences/cancel")]
async fn cancel(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Named>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::cancel(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Takes free lots of the top-up out. Needs `Idempotency-Key`.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = Amount,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/licences/capital-withdraw")]
async fn capital_withdraw(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Amount>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::withdraw_capital(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Borrows on a licence's free capital. Needs `Idempotency-Key`.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = Amount,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/licences/loan")]
async fn loan(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Amount>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::take_loan(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// Repays a loan. Needs `Idempotency-Key`.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = Repayment,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = LicenceMoved), (status = "default", body = ErrorBody)))]
#[post("/licences/loan-repay")]
async fn loan_repay(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<Repayment>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        service::repay(&context, tx, &caller, &key, &body).await
    })
    .await
}

/// How much a loan is asked about.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// Quotes a loan of this value.
    #[serde(default)]
    value: Option<Usdt>,
}

/// What a licence lends now, what is owed, and on asking what a loan would give.
#[utoipa::path(tag = "licences", security(("bearer" = [])), params(("licence" = LicenceId, Path), Asked),
    responses((status = 200, body = LoanTerms), (status = "default", body = ErrorBody)))]
#[get("/licences/{licence}/loan-terms")]
async fn loan_terms(
    context: Data<Context>,
    caller: Caller,
    licence: Path<LicenceId>,
    asked: Query<Asked>,
) -> Result<Json<LoanTerms>, Error> {
    Ok(Json(
        service::loan_terms(&context, &caller, *licence, asked.value).await?,
    ))
}

/// Whether staff take the manual-operation key of a licence away or give it back, and why.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct ManualKeyOrder {
    revoked: bool,
    reason: String,
}

/// Takes the manual-operation key of a licence away, which switches it off at once, or gives it back.
#[utoipa::path(tag = "licences", security(("bearer" = [])), request_body = ManualKeyOrder, params(("id" = LicenceId, Path)),
    responses((status = 200, body = LicenceView), (status = "default", body = ErrorBody)))]
#[post("/admin/licences/{id}/manual-key")]
async fn manual_key(
    context: Data<Context>,
    caller: Caller,
    licence: Path<LicenceId>,
    body: Json<ManualKeyOrder>,
) -> Result<Json<LicenceView>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    Ok(Json(
        service::revoke_manual_key(&context, &caller, *licence, body.revoked, &body.reason).await?,
    ))
}

/// One's own licences in the order of their purchase.
#[utoipa::path(tag = "licences", security(("bearer" = [])), params(takes::Pages, takes::Sorting),
    responses((status = 200, body = Page<LicenceView>), (status = "default", body = ErrorBody)))]
#[get("/get-user-licenses")]
async fn get_user_licenses(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Page<LicenceView>>, Error> {
    let paging = params.paging(10)?;
    params.sort_key(&["created_at"])?;
    let mut all = service::views(&context, caller.own(), None).await?;
    if paging.descending {
        all.reverse();
    }
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let skip = usize::try_from(paging.offset).unwrap_or(usize::MAX);
    let page = all
        .into_iter()
        .skip(skip)
        .take(usize::try_from(paging.limit).unwrap_or(0));
    Ok(Json(Page::new(page.collect(), &paging, total)))
}
