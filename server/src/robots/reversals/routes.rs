//! Calls of results taken back.

use super::{ResultReversalView, StaffOrderView};
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
use protocol::{
    Permission,
    ids::{LicenceId, OperationId},
};
use serde::{Deserialize, Serialize};
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(operations).service(reverse_result);
}

/// A robot's operations as staff see them, newest first: which results were taken back, and which are asked to be.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(("robotId" = LicenceId, Path), takes::Pages, takes::AsOf, takes::Sorting),
    responses((status = 200, body = Page<StaffOrderView>), (status = "default", body = ErrorBody)))]
#[get("/admin/robots/{robotId}/operations")]
async fn operations(
    context: Data<Context>,
    caller: Caller,
    robot: Path<LicenceId>,
    params: Query<ListParams>,
) -> Result<Json<Page<StaffOrderView>>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    params.sort_key(&["created_at"])?;
    let (rows, total) = super::orders(&context, caller.user, *robot, &paging).await?;
    let newest = params.newest(&rows, |row| row.order.created_at);
    Ok(Json(Page::new(rows, &paging, total).growing(&paging, newest)))
}

/// Why a result goes back; who agrees to what another has asked for need not say it again.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultReversal {
    pub reason: String,
}

/// Takes back what the settlement of an operation booked for this robot, by two persons: gain from its yield, loss to the lots that bore it.
/// Needs `Idempotency-Key`.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = ResultReversal,
    params(("robotId" = LicenceId, Path), ("operationId" = OperationId, Path), ("Idempotency-Key" = String, Header)),
    responses((status = 200, body = ResultReversalView), (status = "default", body = ErrorBody)))]
#[post("/admin/robots/{robotId}/operations/{operationId}/reverse")]
async fn reverse_result(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    of: Path<(LicenceId, OperationId)>,
    body: Json<ResultReversal>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let of = of.into_inner();
    let key = Key::from(&headers, caller.user, &(of, &*body))?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        super::reverse(&context, tx, caller.user, of, &body.reason).await
    })
    .await
}
