//! Roles of people and who decides, over HTTP.

use super::{
    accounts, freezes,
    service::{self, AdminGrants, Changed, RoleHolder},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Page, takes},
    },
    identity::{
        caller::Caller,
        people::{self, EditUser},
        roles::{RoleIds, RoleView},
        signals::Signals,
    },
};
use actix_web::{HttpResponse, get, patch, post, web};
use protocol::{
    Permission,
    ids::{AdminFreezeId, AdminGrantId, UserId},
    views::{AdminFreezeView, AdminGrantView, GrantAction},
};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(edit_user)
        .service(add_role)
        .service(remove_role)
        .service(list_role_holders)
        .service(list_grants)
        .service(approve_grant)
        .service(reject_grant)
        .service(freeze_decisions)
        .service(lift_freeze);
}

/// What a person holds after a change of roles.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RolesAnswer {
    /// All that the person holds now.
    pub data: Vec<RoleView>,
    /// With 202: nothing has changed, this waits for a second person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<AdminGrantView>,
}

fn answer(changed: Changed) -> HttpResponse {
    match changed {
        Changed::Now(data) => HttpResponse::Ok().json(RolesAnswer { data, request: None }),
        Changed::Waits(data, request) => HttpResponse::Accepted().json(RolesAnswer {
            data,
            request: Some(*request),
        }),
    }
}

/// What became of a change.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct EditedUser {
    #[serde(rename = "_id")]
    pub id: UserId,
    /// With 202: `status`, `email` or `twoFactor` waits for a second person, the rest is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<AdminGrantView>,
}

/// Changes a person's account. Of `status`, `email` and `twoFactor` one at a time; they wait for a second person (202) where the person
/// decides about money, `twoFactor` always, `email` unless nobody has ever confirmed one. Nobody changes here their own account, or one of their
/// direct line.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), request_body = EditUser, responses(
    (status = 200, body = EditedUser), (status = 202, body = EditedUser), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/admin/user/{id}/edit")]
pub(super) async fn edit_user(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    id: web::Path<String>,
    body: web::Json<EditUser>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::UserEdit)?;
    let target = people::named(&context.db, &id).await?.id;
    let request = accounts::edit(&context, &signals, caller.user, target, &body).await?;
    let answer = EditedUser { id: target, request };
    Ok(if answer.request.is_some() {
        HttpResponse::Accepted().json(answer)
    } else {
        HttpResponse::Ok().json(answer)
    })
}

/// Adds exactly the listed roles. Those that carry `admin_permissions` wait for a second person (202), and are listed alone: a mixed
/// list is refused.
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(("userId" = UserId, Path)), request_body = RoleIds, responses(
    (status = 200, body = RolesAnswer), (status = 202, body = RolesAnswer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/roles/{userId}/add-role")]
pub(super) async fn add_role(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    user: web::Path<UserId>,
    body: web::Json<RoleIds>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let add = GrantAction::Add;
    service::change(&context, &signals, caller.user, *user, &body.roles, add)
        .await
        .map(answer)
        .map_err(|refused| refused.about("roles"))
}

/// Removes exactly the listed roles. Those that carry `admin_permissions` wait for a second person (202), and are listed alone: a mixed
/// list is refused.
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(("userId" = UserId, Path)), request_body = RoleIds, responses(
    (status = 200, body = RolesAnswer), (status = 202, body = RolesAnswer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/roles/{userId}/remove-role")]
pub(super) async fn remove_role(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    user: web::Path<UserId>,
    body: web::Json<RoleIds>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let remove = GrantAction::Remove;
    service::change(&context, &signals, caller.user, *user, &body.roles, remove)
        .await
        .map(answer)
        .map_err(|refused| refused.about("roles"))
}

/// People with their roles: by the beginning of username or name, or by exact e-mail (`search`); without it those who hold more than
/// a customer's role. Those who decide first.
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(takes::Pages, takes::Search), responses((status = 200, body = Page<RoleHolder>), (status = 403, body = ErrorBody)))]
#[get("/admin/role-holders")]
pub(super) async fn list_role_holders(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<RoleHolder>>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    params.one_order()?;
    let paging = params.paging(10)?;
    let (rows, total) = service::holders(&context, params.search.as_deref(), &paging).await?;
    Ok(web::Json(Page::new(rows, &paging, total)))
}

/// Requests to give or take roles that decide or to change accounts by two, and frozen decisions.
#[utoipa::path(tag = "roles", security(("bearer" = [])), responses((status = 200, body = AdminGrants), (status = 403, body = ErrorBody)))]
#[get("/admin/grants")]
pub(super) async fn list_grants(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<AdminGrants>, Error> {
    caller.staff(protocol::Queue::Grants.permission())?;
    Ok(web::Json(service::view(&context).await?))
}

/// The second person's approval: roles come or go at once. Decisions of a new administrator count later (`countsAt` of the person).
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(("id" = AdminGrantId, Path)), responses(
    (status = 200, body = AdminGrantView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
#[post("/admin/grants/{id}/approve")]
pub(super) async fn approve_grant(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    id: web::Path<AdminGrantId>,
) -> Result<web::Json<AdminGrantView>, Error> {
    caller.staff(protocol::Queue::Grants.decides())?;
    Ok(web::Json(
        service::approve(&context, &signals, &caller, *id).await?,
    ))
}

/// Why something is turned down, or stopped.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantReason {
    pub reason: String,
}

/// Turns a request down, or takes one's own back.
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(("id" = AdminGrantId, Path)), request_body = GrantReason, responses(
    (status = 200, body = AdminGrantView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/grants/{id}/reject")]
pub(super) async fn reject_grant(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<AdminGrantId>,
    body: web::Json<GrantReason>,
) -> Result<web::Json<AdminGrantView>, Error> {
    caller.staff(protocol::Queue::Grants.decides())?;
    Ok(web::Json(
        service::reject(&context, &caller, *id, &body.reason).await?,
    ))
}

/// Whose decisions are to stand still, and why.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewFreeze {
    pub user_id: UserId,
    pub reason: String,
}

/// Freezes another administrator's decisions at once, and the caller's own with them. It ends when two others agree; where there are
/// no two others (`lifters` of the list), only the installation's operator ends it, at the console.
#[utoipa::path(tag = "roles", security(("bearer" = [])), request_body = NewFreeze, responses(
    (status = 200, body = AdminFreezeView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/freezes")]
pub(super) async fn freeze_decisions(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<NewFreeze>,
) -> Result<web::Json<AdminFreezeView>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    Ok(web::Json(
        freezes::freeze(&context, &caller, body.user_id, &body.reason).await?,
    ))
}

/// Agrees to lift a freeze: the second of two others ends it.
#[utoipa::path(tag = "roles", security(("bearer" = [])), params(("id" = AdminFreezeId, Path)), responses(
    (status = 200, body = AdminFreezeView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
#[post("/admin/freezes/{id}/lift")]
pub(super) async fn lift_freeze(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<AdminFreezeId>,
) -> Result<web::Json<AdminFreezeView>, Error> {
    caller.staff(protocol::Queue::Grants.decides())?;
    Ok(web::Json(freezes::lift(&context, &caller, *id).await?))
}
