//! Calls of manual operations (docs/rules/desk.md#manual-operations).

use super::{
    model::{ManualDay, ManualDesk, ManualRobot, ManualWish},
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
use protocol::{Permission, ids::OperationId, views::ManualOrderView};
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(order).service(cancel).service(desk).service(report);
}

/// Orders one operation with one's own robot: the next opportunity of a route, as the board shows it, or of any, within a minute. What
/// becomes of it is told on one's stream (`robot.manual`). Needs `Idempotency-Key`.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = ManualWish, params(("Idempotency-Key" = String, Header)),
    responses((status = 202, body = ManualOrderView), (status = "default", body = ErrorBody)))]
#[post("/trader/manual")]
async fn order(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    body: Json<ManualWish>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::ACCEPTED, async |tx| {
        service::order(&context, tx, &caller, &body).await
    })
    .await
}

/// Takes one's own order back, while the desk has not begun it.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(("id" = String, Path)),
    responses((status = 200, body = ManualOrderView), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
#[post("/trader/manual/{id}/cancel")]
async fn cancel(
    context: Data<Context>,
    caller: Caller,
    id: Path<OperationId>,
) -> Result<Json<ManualOrderView>, Error> {
    Ok(Json(service::cancel(&context, &caller, id.into_inner()).await?))
}

/// Whether one's own robot may operate now, how much at most, and its newest orders.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(ManualRobot),
    responses((status = 200, body = ManualDesk), (status = "default", body = ErrorBody)))]
#[get("/trader/manual")]
async fn desk(
    context: Data<Context>,
    caller: Caller,
    robot: Query<ManualRobot>,
) -> Result<Json<ManualDesk>, Error> {
    Ok(Json(service::desk(&context, &caller, robot.licence).await?))
}

/// Days of the desk: what owners ordered beside what cohorts did.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(takes::Pages, takes::Sorting),
    responses((status = 200, body = Page<ManualDay>), (status = "default", body = ErrorBody)))]
#[get("/admin/reports/manual")]
async fn report(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Page<ManualDay>>, Error> {
    caller.staff(Permission::AdminDashboard)?;
    Ok(Json(service::report(&context, &params).await?))
}
