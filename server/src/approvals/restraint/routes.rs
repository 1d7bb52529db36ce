//! One's own limits and time out over HTTP.

use super::{LimitKind, RestraintView, Wish};
use crate::{
    error::{Error, ErrorBody},
    foundation::{amounts::WrittenAmount, context::Context},
    identity::caller::Caller,
};
use actix_web::{get, post, web};
use protocol::{ErrorCode, money::Usdt};
use serde::Deserialize;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(shown).service(set_limit).service(exclude);
}

/// What one holds oneself to: limits of outgoing money and a time out.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = RestraintView)))]
#[get("/self-limits")]
pub async fn shown(context: web::Data<Context>, caller: Caller) -> Result<web::Json<RestraintView>, Error> {
    let mut tx = context.db.begin().await?;
    let view = super::view(&context, &mut tx, caller.user).await?;
    tx.rollback().await?;
    Ok(web::Json(view))
}

/// A limit of one's own.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewLimit {
    pub kind: LimitKind,
    /// USDT, at most the platform's limit; without it one's own limit ends.
    #[serde(default)]
    pub value: Option<WrittenAmount>,
    /// The code of `own-limits`, which binds the kind as its destination and the value as its amount.
    #[serde(default)]
    pub security_code: Option<String>,
}

/// Sets a limit of one's own, with a code. A lower one holds at once, a higher one or none in 24 hours.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = NewLimit, responses(
    (status = 200, body = RestraintView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody)))]
#[post("/self-limits")]
pub async fn set_limit(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<NewLimit>,
) -> Result<web::Json<RestraintView>, Error> {
    let wanted: Option<Usdt> = body
        .value
        .as_deref()
        .map(|value| {
            value
                .parse()
                .map_err(|_| Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid))
        })
        .transpose()?;
    let mut tx = context.db.begin().await?;
    let wish = Wish {
        user: caller.user,
        session: caller.session,
        kind: body.kind,
        wanted,
        security_code: body.security_code.as_deref(),
    };
    super::set_limit(&context, &mut tx, &wish).await?;
    let view = super::view(&context, &mut tx, caller.user).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// A time out.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewExclusion {
    /// From 1 to 365.
    pub days: i64,
    /// The code of `own-limits`, which binds `exclusion` as its destination and the days as its amount.
    #[serde(default)]
    pub security_code: Option<String>,
}

/// Begins a time out, or makes it longer: nothing is bought, topped up or allocated until its end. It cannot be taken back; money
/// can be taken out as ever. So it asks for a code.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = NewExclusion, responses(
    (status = 200, body = RestraintView), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/self-exclusion")]
pub async fn exclude(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<NewExclusion>,
) -> Result<web::Json<RestraintView>, Error> {
    let mut tx = context.db.begin().await?;
    let code = body.security_code.as_deref();
    super::exclude(&context, &mut tx, caller.user, body.days, code).await?;
    let view = super::view(&context, &mut tx, caller.user).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}
