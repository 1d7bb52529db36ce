//! Calls of devices that notices are pushed to.

use super::{PushDevice, PushDevices, PushSubscription};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
};
use actix_web::{
    HttpResponse, delete, get, post,
    web::{Data, Json, Path},
};
use protocol::ids::PushDeviceId;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(push_devices)
        .service(add_push_device)
        .service(remove_push_device)
        .service(try_push_device);
}

/// One's devices that notices are pushed to, and the key that a browser is asked with for another.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), responses((status = 200, body = PushDevices), (status = "default", body = ErrorBody)))]
#[get("/me/push")]
async fn push_devices(context: Data<Context>, caller: Caller) -> Result<Json<PushDevices>, Error> {
    Ok(Json(super::list(&context, &caller).await?))
}

/// Has notices pushed to the browser that asks, for as long as its session lives. The same address again is renewed; another person's becomes one's
/// own. Of more than ten devices the oldest goes. A push service that is not among the operator's is `push.host_unknown`.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = PushSubscription,
    responses((status = 200, body = PushDevice), (status = "default", body = ErrorBody)))]
#[post("/me/push")]
async fn add_push_device(
    context: Data<Context>,
    caller: Caller,
    body: Json<PushSubscription>,
) -> Result<Json<PushDevice>, Error> {
    Ok(Json(super::add(&context, &caller, &body).await?))
}

/// Pushes nothing to this device any more.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(("pushDeviceId" = PushDeviceId, Path)),
    responses((status = 204), (status = "default", body = ErrorBody)))]
#[delete("/me/push/{pushDeviceId}")]
async fn remove_push_device(
    context: Data<Context>,
    caller: Caller,
    id: Path<PushDeviceId>,
) -> Result<HttpResponse, Error> {
    super::remove(&context, &caller, *id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Sends something to this device now, for its owner to see that it comes; at most one in ten seconds. One that its push service no longer knows is
/// taken off: `push.gone`.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(("pushDeviceId" = PushDeviceId, Path)),
    responses((status = 204), (status = "default", body = ErrorBody)))]
#[post("/me/push/{pushDeviceId}/try")]
async fn try_push_device(
    context: Data<Context>,
    caller: Caller,
    id: Path<PushDeviceId>,
) -> Result<HttpResponse, Error> {
    super::try_out(&context, &caller, *id).await?;
    Ok(HttpResponse::NoContent().finish())
}
