//! Calls of announcements.

use super::{AnnouncementText, AnnouncementView, Audience, NewAnnouncement};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Page, given, takes},
    },
    identity::caller::Caller,
};
use actix_web::{
    HttpResponse, get, post,
    web::{Data, Json, Path, Query},
};
use protocol::ids::AnnouncementId;
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(list).service(audience).service(publish).service(read);
}

/// To whom.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct To {
    /// A role's name; everyone without one.
    #[serde(default)]
    pub role: Option<String>,
}

/// What was published to everyone or to a role, newest first.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(takes::Pages),
    responses((status = 200, body = Page<AnnouncementView>), (status = "default", body = ErrorBody)))]
#[get("/admin/notices")]
async fn list(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
) -> Result<Json<Page<AnnouncementView>>, Error> {
    Ok(Json(super::list(&context, &caller, &params).await?))
}

/// How many would be told now.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(To),
    responses((status = 200, body = Audience), (status = "default", body = ErrorBody)))]
#[get("/admin/notices/audience")]
async fn audience(context: Data<Context>, caller: Caller, to: Query<To>) -> Result<Json<Audience>, Error> {
    let role = given(to.role.as_deref());
    Ok(Json(super::audience(&context, &caller, role).await?))
}

/// Publishes words in three languages: a line in the inbox of everyone, or of all who have a role. They never change.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = NewAnnouncement,
    responses((status = 201, body = AnnouncementView), (status = "default", body = ErrorBody)))]
#[post("/admin/notices")]
async fn publish(
    context: Data<Context>,
    caller: Caller,
    body: Json<NewAnnouncement>,
) -> Result<HttpResponse, Error> {
    let view = super::publish(&context, &caller, &body).await?;
    Ok(HttpResponse::Created().json(view))
}

/// The words of an announcement of which one has the line.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(("announcementId" = AnnouncementId, Path)),
    responses((status = 200, body = AnnouncementText), (status = "default", body = ErrorBody)))]
#[get("/announcements/{announcementId}")]
async fn read(
    context: Data<Context>,
    caller: Caller,
    id: Path<AnnouncementId>,
) -> Result<Json<AnnouncementText>, Error> {
    Ok(Json(super::read(&context, &caller, id.into_inner()).await?))
}
