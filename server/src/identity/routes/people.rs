//! Roles of people, for administrators.

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{
        caller::Caller,
        roles::{self, Change, RoleIds, RoleView},
        signals::Signals,
    },
};
use actix_web::{get, patch, post, web};
use protocol::ids::UserId;
use serde::Serialize;

#[derive(Serialize, utoipa::ToSchema)]
pub struct Roles {
    pub data: Vec<RoleView>,
}

#[utoipa::path(tag = "roles", security(("bearer" = [])), responses((status = 200, body = Roles), (status = 403, body = ErrorBody)))]
#[get("/admin/roles")]
pub(super) async fn list_roles(context: web::Data<Context>) -> Result<web::Json<Roles>, Error> {
    Ok(web::Json(Roles {
        data: roles::all(&context.db).await?,
    }))
}

/// Adds exactly the listed roles; answers with all that the user holds then.
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(("userId" = UserId, Path)), request_body = RoleIds, responses(
    (status = 200, body = Roles), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/roles/{userId}/add-role")]
pub(super) async fn add_role(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    user: web::Path<UserId>,
    body: web::Json<RoleIds>,
) -> Result<web::Json<Roles>, Error> {
    let data = roles::change(&context, &signals, caller.user, *user, &body.roles, Change::Add).await?;
    Ok(web::Json(Roles { data }))
}

/// Removes exactly the listed roles; answers with all that the user holds then.
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(("userId" = UserId, Path)), request_body = RoleIds, responses(
    (status = 200, body = Roles), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/roles/{userId}/remove-role")]
pub(super) async fn remove_role(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    user: web::Path<UserId>,
    body: web::Json<RoleIds>,
) -> Result<web::Json<Roles>, Error> {
    let data = roles::change(
        &context,
        &signals,
        caller.user,
        *user,
        &body.roles,
        Change::Remove,
    )
    .await?;
    Ok(web::Json(Roles { data }))
}
