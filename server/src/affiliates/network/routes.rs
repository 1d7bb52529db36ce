//! The network's pages over HTTP.

use super::{
    model::{BinaryTree, NetworkDashboard, Reference},
    service::{self, LEVELS, REFERENCE_LEVELS},
    store::ReferenceFilter,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Page, Paging, named, takes},
        listing::{self, File},
        sheet::Cell,
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, web};
use protocol::{ErrorCode, ids::UserId};
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(tree).service(references).service(dashboard);
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TreeParams {
    /// Levels below the topmost member, 1 to 6.
    #[serde(default)]
    #[param(minimum = 1, maximum = 6, default = 6)]
    pub levels: Option<i32>,
}

/// Part of the binary tree: `param` is `me`, or the id or the username of somebody who stands below.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("param" = String, Path), TreeParams), responses(
    (status = 200, body = BinaryTree), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/affiliates/diagram-binary-tree/{param}")]
pub async fn tree(
    context: web::Data<Context>,
    caller: Caller,
    whom: web::Path<String>,
    params: web::Query<TreeParams>,
) -> Result<web::Json<BinaryTree>, Error> {
    let levels = params.levels.unwrap_or(LEVELS);
    if !(1..=LEVELS).contains(&levels) {
        return Err(Error::code(ErrorCode::RequestInvalid).field("levels", ErrorCode::RequestInvalid));
    }
    Ok(web::Json(
        service::tree(&context, caller.user, &whom, levels).await?,
    ))
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReferenceParams {
    /// Steps down the sponsor tree, 1 to 10.
    #[serde(default)]
    #[param(minimum = 1, maximum = 10, default = 1)]
    pub level: Option<i64>,
    /// Whose references: somebody whom the asker brought, at any level. The asker by default.
    #[serde(default, rename = "affiliateId")]
    pub affiliate_id: Option<UserId>,
}

const SORT: &[(&str, &str)] = &[
    ("created_at", "m.registered_at"),
    ("username", "a.username_key"),
    ("points", "points"),
    ("rank", "rank"),
];

const FILE: File<Reference> = File {
    name: "references",
    columns: &[
        ("user", |r, _| Cell::from(&*r.username)),
        ("rank", |r, locale| match r.rank {
            Some(rank) => Cell::word(locale, &format!("rank_{rank}")),
            None => Cell::from(""),
        }),
        ("side", |r, locale| match r.leg {
            Some(leg) => Cell::word(locale, &format!("leg_{}", leg.as_str())),
            None => Cell::from(""),
        }),
        ("status", |r, locale| Cell::word(locale, r.status.as_str())),
        ("points", |r, _| Cell::number(Some(r.points))),
        ("brought", |r, _| Cell::number(Some(r.references))),
    ],
};

/// Those who came by the asker, level by level. Sorts by created_at, username, points or rank. Filters: search (username), status
/// (`active`, `inactive`).
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(ReferenceParams, takes::PagesOf50, takes::Sorting, takes::Search, takes::Status, takes::Format), responses(
    (status = 200, content((Page<Reference> = "application/json"), (String = "text/csv"))), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/affiliates/reference-list")]
pub async fn references(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    whose: web::Query<ReferenceParams>,
) -> Result<HttpResponse, Error> {
    params.checked()?;
    let wrong =
        |field: &'static str| Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid);
    let level = whose.level.unwrap_or(1);
    let level = i32::try_from(level)
        .ok()
        .filter(|_| (1..=REFERENCE_LEVELS).contains(&level))
        .ok_or_else(|| wrong("level"))?;
    let keys: Vec<&'static str> = SORT.iter().map(|(key, _)| *key).collect();
    let key = params.sort_key(&keys)?;
    let sort = SORT
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("m.registered_at", |(_, column)| column);
    let status = named("status", params.status.as_deref(), |s| s.parse().ok())?;
    let filter = ReferenceFilter {
        of: service::whose_references(&context, caller.user, whose.affiliate_id).await?,
        level,
        search: params.searched(),
        status,
        // Places elsewhere come with them; who looks on is not shown those.
        direct: level == 1
            && whose.affiliate_id.is_none_or(|id| id == caller.user)
            && caller.seen_by.is_none(),
    };
    let context_of = context.clone();
    let read = async move |paging: Paging| service::references(&context_of, &filter, &paging, sort).await;
    listing::answer(&context, caller.user, &params, 50, FILE, read).await
}

/// Team, points, bonuses by month, and what the next closing would bring if the day ended now.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), responses((status = 200, body = NetworkDashboard), (status = 404, body = ErrorBody)))]
#[get("/affiliates/dashboard")]
pub async fn dashboard(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<NetworkDashboard>, Error> {
    Ok(web::Json(service::dashboard(&context, caller.user).await?))
}
