//! The hot wallet over HTTP, for those who decide.

use super::service;
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
};
use actix_web::{get, post, web};
use protocol::{Permission, views::HotWalletView};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(hot_wallet).service(resume_hot_wallet);
}

/// The wallet that pays withdrawals: balances, what waits, what is wrong.
#[utoipa::path(tag = "wallet", responses((status = 200, body = HotWalletView), (status = 403, body = ErrorBody)))]
#[get("/admin/hot-wallet")]
pub async fn hot_wallet(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<HotWalletView>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    Ok(web::Json(service::view(&context).await?))
}

/// Why signing may go on.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HotWalletResume {
    pub reason: String,
    /// The transactions that were looked at, all of them.
    pub seen: Vec<String>,
}

/// Goes on signing after a person has looked at the transactions that are not ours.
#[utoipa::path(tag = "wallet", responses((status = 200, body = HotWalletView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/admin/hot-wallet/resume")]
pub async fn resume_hot_wallet(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<HotWalletResume>,
) -> Result<web::Json<HotWalletView>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    Ok(web::Json(
        service::resume(&context, caller.user, &body.reason, &body.seen).await?,
    ))
}
