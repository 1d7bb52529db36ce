//! Calls of the notification panel.

use super::{
    preferences::{
        self as wanted, DigestChange, Preference, PreferenceChange, Preferences, QuietHoursChange,
    },
    service::{self, Inbox, Shown, Unread},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, named, takes},
    },
    identity::caller::Caller,
};
use actix_web::{
    get, patch, post,
    web::{Data, Json, Query},
};
use protocol::{ErrorCode, ids::NotificationId};
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

/// Names in one call: a panel shows fewer.
const MAX_IDS: usize = 500;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(notifications)
        .service(read_all)
        .service(preferences)
        .service(change_preference)
        .service(keep_quiet)
        .service(want_digest);
    super::announcements::routes::configure(cfg);
    super::push::routes::configure(cfg);
}

/// Which lines were read; all of them without `ids`.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadLines {
    #[serde(default)]
    pub ids: Option<Vec<NotificationId>>,
}

/// Which lines are shown.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Chosen {
    /// A group of notices, as in the preferences; all when absent.
    #[serde(default)]
    pub group: Option<String>,
    /// `true`: what was not read yet. `false`: what was.
    #[serde(default)]
    pub unread: Option<String>,
}

impl Chosen {
    fn shown(&self) -> Result<Shown, Error> {
        Ok(Shown {
            group: named("group", self.group.as_deref(), |word| word.parse().ok())?,
            unread: named("unread", self.unread.as_deref(), |word| word.parse().ok())?,
        })
    }
}

/// A page of one's own notifications, newest first, with how many are unread in all.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), params(takes::Pages, takes::AsOf, takes::Sorting, Chosen),
    responses((status = 200, body = Inbox), (status = "default", body = ErrorBody)))]
#[get("/notifications")]
async fn notifications(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
    chosen: Query<Chosen>,
) -> Result<Json<Inbox>, Error> {
    Ok(Json(
        service::inbox(&context, &caller, &params, chosen.shown()?).await?,
    ))
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

/// Groups of notices, and where each comes: the inbox always, mail, toast and push by one's own wish; and one's quiet hours.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), responses((status = 200, body = Preferences), (status = "default", body = ErrorBody)))]
#[get("/notifications/preferences")]
async fn preferences(context: Data<Context>, caller: Caller) -> Result<Json<Preferences>, Error> {
    Ok(Json(wanted::list(&context, &caller).await?))
}

/// Switches mails, toasts or pushes of a group. What is about safety stays on: `notifications.locked`.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = PreferenceChange,
    responses((status = 200, body = Preference), (status = "default", body = ErrorBody)))]
#[patch("/notifications/preferences")]
async fn change_preference(
    context: Data<Context>,
    caller: Caller,
    body: Json<PreferenceChange>,
) -> Result<Json<Preference>, Error> {
    Ok(Json(wanted::change(&context, &caller, body.into_inner()).await?))
}

/// Sets the hours in which nothing is mailed or pushed that can wait, by one's own clock; none: nothing is held. What is about safety, codes and links
/// never wait.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = QuietHoursChange, responses((status = 200, body = Preferences), (status = "default", body = ErrorBody)))]
#[patch("/notifications/quiet-hours")]
async fn keep_quiet(
    context: Data<Context>,
    caller: Caller,
    body: Json<QuietHoursChange>,
) -> Result<Json<Preferences>, Error> {
    Ok(Json(
        wanted::keep_quiet(&context, &caller, body.into_inner()).await?,
    ))
}

/// Begins a mail each morning of what came in, by kind, or ends it. It tells of what comes from then on, and none comes where nothing happened.
#[utoipa::path(tag = "notifications", security(("bearer" = [])), request_body = DigestChange, responses((status = 200, body = Preferences), (status = "default", body = ErrorBody)))]
#[patch("/notifications/digest")]
async fn want_digest(
    context: Data<Context>,
    caller: Caller,
    body: Json<DigestChange>,
) -> Result<Json<Preferences>, Error> {
    Ok(Json(
        wanted::want_digest(&context, &caller, body.into_inner()).await?,
    ))
}
