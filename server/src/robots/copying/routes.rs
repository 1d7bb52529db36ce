//! Calls of copying.

use super::{
    model::{FollowOrder, LeaderView, LeadingOrder, LeadingView},
    service,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Page, takes},
    },
    identity::caller::Caller,
    licences::model::Named,
    robots::model::WhichRobot,
};
use actix_web::{
    get, post,
    web::{Data, Json, Query},
};
use protocol::views::FollowingView;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(leaders)
        .service(leading)
        .service(lead)
        .service(follow)
        .service(unfollow)
        .service(following);
}

/// What `ListParams` reads of an order that no other list has.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code)] // the document's words for two parameters
struct LeadersSorting {
    /// `return`, `operations`, `followers` or `days`.
    #[param(default = "return")]
    sortby: Option<String>,
    /// `asc` or `desc`.
    #[param(default = "desc")]
    sortdirection: Option<String>,
}

/// Robots that others may follow, and those that once could, the best return first; `search` looks for names.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(takes::Pages, LeadersSorting, takes::Search),
    responses((status = 200, body = Page<LeaderView>), (status = "default", body = ErrorBody)))]
#[get("/trader/leaders")]
async fn leaders(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Page<LeaderView>>, Error> {
    Ok(Json(service::leaders(&context, &caller, &params).await?))
}

/// Whether one's own robot leads, and what it lacks to.
#[utoipa::path(tag = "robots", security(("bearer" = [])), params(WhichRobot),
    responses((status = 200, body = LeadingView), (status = "default", body = ErrorBody)))]
#[get("/trader/leading")]
async fn leading(
    context: Data<Context>,
    caller: Caller,
    which: Query<WhichRobot>,
) -> Result<Json<LeadingView>, Error> {
    Ok(Json(service::leading(&context, &caller, which.licence).await?))
}

/// Opens one's own robot to followers, or closes it: all who follow it rest then.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = LeadingOrder,
    responses((status = 200, body = LeadingView), (status = "default", body = ErrorBody)))]
#[post("/trader/leading")]
async fn lead(
    context: Data<Context>,
    caller: Caller,
    body: Json<LeadingOrder>,
) -> Result<Json<LeadingView>, Error> {
    Ok(Json(service::lead(&context, &caller, &body).await?))
}

/// Lets one's own robot copy another.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = FollowOrder,
    responses((status = 200, body = FollowingView), (status = "default", body = ErrorBody)))]
#[post("/trader/follow")]
async fn follow(
    context: Data<Context>,
    caller: Caller,
    body: Json<FollowOrder>,
) -> Result<Json<FollowingView>, Error> {
    Ok(Json(service::follow(&context, &caller, &body).await?))
}

/// Ends one's own robot's copying; it goes on by itself.
#[utoipa::path(tag = "robots", security(("bearer" = [])), request_body = Named,
    responses((status = 200, body = FollowingView), (status = "default", body = ErrorBody)))]
#[post("/trader/unfollow")]
async fn unfollow(
    context: Data<Context>,
    caller: Caller,
    body: Json<Named>,
) -> Result<Json<FollowingView>, Error> {
    Ok(Json(service::unfollow(&context, &caller, body.licence).await?))
}

/// What one's own robots follow and have followed, newest first; at most 500.
#[utoipa::path(tag = "robots", security(("bearer" = [])),
    responses((status = 200, body = Vec<FollowingView>), (status = "default", body = ErrorBody)))]
#[get("/trader/following")]
async fn following(context: Data<Context>, caller: Caller) -> Result<Json<Vec<FollowingView>>, Error> {
    Ok(Json(service::following(&context, &caller).await?))
}
