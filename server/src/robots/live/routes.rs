//! Calls of live trading: its switch, and what its operations leave behind.

use super::{
    model::{LiveConfirmation, LiveResidues, LiveTrading, LiveWish},
    service, switch,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
};
use actix_web::{
    get, post,
    web::{Data, Json},
};
use protocol::Permission;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(state)
        .service(ask)
        .service(confirm)
        .service(off)
        .service(residues);
}

/// Whether operations go to a real venue, who asked for it, and what is missing.
#[utoipa::path(tag = "robots", security(("bearer" = [])),
    responses((status = 200, body = LiveTrading), (status = "default", body = ErrorBody)))]
#[get("/admin/trading/live")]
async fn state(context: Data<Context>, caller: Caller) -> Result<Json<LiveTrading>, Error> {
    caller.staff(protocol::Queue::Live.permission())?;
    Ok(Json(switch::view(&context).await?))
}

/// Asks for live trading, with the word `REAL` and a reason; a second person's word switches it on.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = LiveWish,
    responses((status = 200, body = LiveTrading), (status = "default", body = ErrorBody)))]
#[post("/admin/trading/live")]
async fn ask(
    context: Data<Context>,
    caller: Caller,
    body: Json<LiveWish>,
) -> Result<Json<LiveTrading>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    Ok(Json(switch::ask(&context, &caller, &body).await?))
}

/// The second person's word on the request that they have seen: from now on operations go to the venue.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = LiveConfirmation,
    responses((status = 200, body = LiveTrading), (status = "default", body = ErrorBody)))]
#[post("/admin/trading/live/confirm")]
async fn confirm(
    context: Data<Context>,
    caller: Caller,
    body: Json<LiveConfirmation>,
) -> Result<Json<LiveTrading>, Error> {
    caller.staff(protocol::Queue::Live.decides())?;
    Ok(Json(switch::confirm(&context, &caller, body.id).await?))
}

/// Switches live trading off at once, or takes the request back; what is at the venue is brought back and booked.
#[utoipa::path(tag = "robots", security(("bearer" = [])),
    responses((status = 200, body = LiveTrading), (status = "default", body = ErrorBody)))]
#[post("/admin/trading/live/off")]
async fn off(context: Data<Context>, caller: Caller) -> Result<Json<LiveTrading>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    Ok(Json(switch::off(&context, &caller).await?))
}

/// What live operations that are over have left at the venue, too little for any order: at no value in any book, the house's.
#[utoipa::path(tag = "robots", security(("bearer" = [])),
    responses((status = 200, body = LiveResidues), (status = "default", body = ErrorBody)))]
#[get("/admin/trading/live/residues")]
async fn residues(context: Data<Context>, caller: Caller) -> Result<Json<LiveResidues>, Error> {
    caller.staff(Permission::AdminDashboard)?;
    Ok(Json(service::residues(&context).await?))
}
