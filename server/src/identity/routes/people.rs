//! Roles, and what staff do with people's accounts. Giving and taking roles, and changes that need two persons, stand in
//! `approvals::grants`; making people in `affiliates::invitations`, which also places them.

use super::{
    account::{AvatarAnswer, AvatarUpload},
    session::{SessionView, Sessions},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        files,
        http::{ListParams, Page, takes},
    },
    identity::{
        avatar::{self, Picture},
        caller::Caller,
        people::{
            self,
            notes::{self, NewNote, StaffNote},
        },
        roles::{self, RoleView},
        sessions as sessions_of,
        signals::Signals,
    },
};
use actix_multipart::Multipart;
use actix_web::{HttpResponse, delete, get, post, web};
use protocol::Permission;
use serde::{Deserialize, Serialize};

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

/// Mails the invitation again to who has no password yet; earlier links end.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/admin/sendemail/creation/user/{id}")]
pub(super) async fn invite_again(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::UserEdit)?;
    let target = people::named(&context.db, &id).await?.id;
    people::invite_again(&context, caller.user, target).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// A person's picture: at most 4 MB, JPEG, PNG or GIF by its content, as the multipart field `file`.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)),
    request_body(content = AvatarUpload, content_type = "multipart/form-data"), responses(
    (status = 200, body = AvatarAnswer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 422, body = ErrorBody)))]
#[post("/admin/user/{id}/upload-image")]
pub(super) async fn upload_user_image(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    payload: Multipart,
) -> Result<web::Json<AvatarAnswer>, Error> {
    caller.staff(Permission::UserEdit)?;
    let received = files::receive(&context, caller.user, payload, files::Purpose::Avatar).await?;
    let target = people::named(&context.db, &id).await?.id;
    let avatar = people::put_avatar(&context, caller.user, target, Some(received)).await?;
    let avatar = avatar.ok_or_else(|| Error::internal("a picture vanished"))?;
    Ok(web::Json(AvatarAnswer { avatar }))
}

/// Takes a person's picture off.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[delete("/admin/user/{id}/avatar")]
pub(super) async fn remove_user_image(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::UserEdit)?;
    let target = people::named(&context.db, &id).await?.id;
    people::put_avatar(&context, caller.user, target, None).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What staff wrote down about a person, newest first. Nobody reads those about themself.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path), takes::Pages), responses(
    (status = 200, body = Page<StaffNote>), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/user/{id}/notes")]
pub(super) async fn list_notes(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<StaffNote>>, Error> {
    caller.staff(Permission::UserView)?;
    let paging = params.paging(10)?;
    let about = people::named(&context.db, &id).await?.id;
    let (rows, total) = notes::list(&context, caller.user, about, &paging).await?;
    Ok(web::Json(Page::new(rows, &paging, total)))
}

/// Writes down a note about a person: never changed, never shown to the person.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), request_body = NewNote, responses(
    (status = 201, body = StaffNote), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/user/{id}/notes")]
pub(super) async fn add_note(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    body: web::Json<NewNote>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::UserView)?;
    let about = people::named(&context.db, &id).await?.id;
    let note = notes::add(&context, caller.user, about, &body).await?;
    Ok(HttpResponse::Created().json(note))
}

/// A person's signed-in browsers, the last used first.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 200, body = Sessions), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/user/{id}/sessions")]
pub(super) async fn user_sessions(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<Sessions>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let account = people::named(&context.db, &id).await?;
    let list = sessions_of::list(&context, account.id).await?;
    let data = list
        .into_iter()
        .map(|s| SessionView::of(s, caller.session))
        .collect();
    Ok(web::Json(Sessions { data }))
}

/// How many sessions ended.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct EndedSessions {
    pub ended: usize,
}

/// Ends all of a person's sessions at once; sockets close with them.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 200, body = EndedSessions), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[delete("/admin/user/{id}/sessions")]
pub(super) async fn end_user_sessions(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<EndedSessions>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let target = people::named(&context.db, &id).await?.id;
    let ended = people::end_sessions(&context, &signals, caller.user, target).await?;
    Ok(web::Json(EndedSessions { ended }))
}

/// Whose pictures are asked for.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Named {
    /// Usernames, with commas between them; at most a hundred.
    #[param(max_length = 3300)]
    pub names: String,
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct Pictures {
    pub data: Vec<Picture>,
}

/// The pictures of people whom a screen names; who has none is left out.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(Named), responses(
    (status = 200, body = Pictures), (status = 422, body = ErrorBody)))]
#[get("/people/pictures")]
pub(super) async fn pictures(
    context: web::Data<Context>,
    caller: Caller,
    named: web::Query<Named>,
) -> Result<web::Json<Pictures>, Error> {
    let staff =
        caller.permissions.holds(Permission::ListUsers) || caller.permissions.holds(Permission::ListTickets);
    Ok(web::Json(Pictures {
        data: avatar::pictures(&context.db, &named.names, staff).await?,
    }))
}
