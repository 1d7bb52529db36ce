//! Calls of the notification panel.

use super::service::{self, Inbox, Unread};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, takes},
    },
    identity::caller::Caller,
};
use actix_web::{
    get, post,
    web::{Data, Json, Query},
};
use protocol::{ErrorCode, ids::NotificationId};
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

/// Names in one call: a panel shows fewer.
const MAX_IDS: usize = 500;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(notifications).service(read_all);
}

/// Which lines were read; all of them without `ids`.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadLines {
    #[serde(default)]
    pub ids: Option<Vec<NotificationId>>,
}

/// A page of one's own notifications, newest first, with how many are unread in all.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(takes::Pages, takes::Sorting),
    responses((status = 200, body = Inbox), (status = "default", body = ErrorBody)))]
#[get("/notifications")]
async fn notifications(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Inbox>, Error> {
    Ok(Json(service::inbox(&context, &caller, &params).await?))
}

/// Marks notifications as read: the named ones, or all.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = ReadLines,
    responses((status = 200, body = Unread), (status = "default", body = ErrorBody)))]
#[post("/notifications/read-all")]
async fn read_all(
    context: Data<Context>,
    caller: Caller,
    body: Json<ReadLines>,
) -> Result<Json<Unread>, Error> {
    let ids = body.into_inner().ids;
    if ids.as_ref().is_some_and(|ids| ids.len() > MAX_IDS) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("ids", ErrorCode::RequestInvalid));
    }
    Ok(Json(service::mark_read(&context, &caller, ids).await?))
}
