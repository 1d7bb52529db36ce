//! Calls of the rulebook: reading with `admin_dashboard`, changing with `admin_permissions` (docs/rules/settings.md#changing-settings).

use super::{
    plans,
    service::{self, RulePreview, SettingsView},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Page, given, takes},
    },
    identity::caller::Caller,
    licences::plans::{self as offered, PlanRow},
};
use actix_web::{get, patch, post, web};
use protocol::{
    Permission::{AdminDashboard, AdminPermissions},
    ids::{PlanId, RuleChangeId},
    views::RuleChangeView,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(settings)
        .service(history)
        .service(preview)
        .service(order)
        .service(agree)
        .service(withdraw)
        .service(plans_list)
        .service(new_plan)
        .service(change_plan);
}

/// Every setting with its value, default and bounds; and the changes that wait.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), responses((status = 200, body = SettingsView), (status = 403, body = ErrorBody)))]
#[get("/admin/settings")]
pub async fn settings(context: web::Data<Context>, caller: Caller) -> Result<web::Json<SettingsView>, Error> {
    caller.staff(protocol::Queue::Settings.permission())?;
    Ok(web::Json(service::view(&context).await?))
}

/// Changes of settings and plans, newest first; `search` names one setting's key.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), params(takes::Pages, takes::Sorting, takes::Search), responses((status = 200, body = Page<RuleChangeView>), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/settings/history")]
pub async fn history(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<RuleChangeView>>, Error> {
    caller.staff(AdminDashboard)?;
    params.one_order()?;
    let paging = params.paging(10)?;
    let key = given(params.search.as_deref());
    let (rows, total) = service::history(&context, key, &paging).await?;
    Ok(web::Json(Page::new(rows, &paging, total)))
}

/// Values by key, as people write them.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RulePreviewOrder {
    pub changes: BTreeMap<String, String>,
}

/// What a change of settings would do, in plain figures. Nothing is stored.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), request_body = RulePreviewOrder, responses((status = 200, body = RulePreview), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/settings/preview")]
pub async fn preview(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<RulePreviewOrder>,
) -> Result<web::Json<RulePreview>, Error> {
    caller.staff(AdminPermissions)?;
    Ok(web::Json(service::preview(&context, &body.changes).await?))
}

/// A change, and the revision that its author had read.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RuleOrder {
    pub revision: i64,
    pub changes: BTreeMap<String, String>,
    pub reason: String,
}

/// Changes settings: at once, or, where money is concerned, after a second person and 24 hours.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), request_body = RuleOrder, responses((status = 200, body = RuleChangeView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/settings")]
pub async fn order(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<RuleOrder>,
) -> Result<web::Json<RuleChangeView>, Error> {
    caller.staff(AdminPermissions)?;
    Ok(web::Json(
        service::order(&context, &caller, body.revision, &body.changes, &body.reason).await?,
    ))
}

/// A second person's agreement to a change of settings or plans.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), params(("id" = RuleChangeId, Path)), responses((status = 200, body = RuleChangeView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
#[post("/admin/settings/changes/{id}/agree")]
pub async fn agree(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<RuleChangeId>,
) -> Result<web::Json<RuleChangeView>, Error> {
    caller.staff(protocol::Queue::Settings.decides())?;
    Ok(web::Json(
        service::agree(&context, &caller, id.into_inner()).await?,
    ))
}

/// Why a change is taken back.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleWithdrawal {
    pub reason: String,
}

/// Takes a change back before it is in force.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), params(("id" = RuleChangeId, Path)), request_body = RuleWithdrawal, responses((status = 200, body = RuleChangeView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/settings/changes/{id}/withdraw")]
pub async fn withdraw(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<RuleChangeId>,
    body: web::Json<RuleWithdrawal>,
) -> Result<web::Json<RuleChangeView>, Error> {
    caller.staff(protocol::Queue::Settings.decides())?;
    Ok(web::Json(
        service::withdraw(&context, &caller, id.into_inner(), &body.reason).await?,
    ))
}

/// Plans on offer, then those taken off.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), responses((status = 200, body = Vec<PlanRow>), (status = 403, body = ErrorBody)))]
#[get("/admin/plans")]
pub async fn plans_list(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<Vec<PlanRow>>, Error> {
    caller.staff(AdminDashboard)?;
    Ok(web::Json(offered::rows(context.db.pool()).await?))
}

/// Orders a new plan: `value` and `isHighRisk`, the rest where it differs from the settings. Waits for a second person.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), request_body = RuleOrder, responses((status = 200, body = RuleChangeView), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/plans")]
pub async fn new_plan(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<RuleOrder>,
) -> Result<web::Json<RuleChangeView>, Error> {
    caller.staff(AdminPermissions)?;
    Ok(web::Json(
        plans::order(
            &context,
            &caller,
            None,
            body.revision,
            &body.changes,
            &body.reason,
        )
        .await?,
    ))
}

/// Orders other terms for a plan (`value`, `isHighRisk`, `maximumReturn`, `networkCeiling`, `allocationFactor`), or that it is taken
/// off sale or back (`active`). Waits for a second person; what was sold keeps its terms.
#[utoipa::path(tag = "rulebook", security(("bearer" = [])), params(("id" = PlanId, Path)), request_body = RuleOrder, responses((status = 200, body = RuleChangeView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/admin/plans/{id}")]
pub async fn change_plan(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<PlanId>,
    body: web::Json<RuleOrder>,
) -> Result<web::Json<RuleChangeView>, Error> {
    caller.staff(AdminPermissions)?;
    let plan = Some(id.into_inner());
    Ok(web::Json(
        plans::order(
            &context,
            &caller,
            plan,
            body.revision,
            &body.changes,
            &body.reason,
        )
        .await?,
    ))
}
