//! Invitations over HTTP.

use super::{NewUser, NewUserAnswer, accept, invite};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{
        Browser,
        caller::Caller,
        keep_cookies,
        service::{NewPassword, Profile, profile},
    },
};
use actix_web::{HttpResponse, post, web};
use protocol::Permission;
use serde::Serialize;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(new_user).service(new_password);
}

/// Makes a person under an upline and mails the invitation, good for 7 days. What is refused stands in `errors`, field by field. A role
/// that decides is asked for (202), another person gives it.
#[utoipa::path(tag = "people", security(("bearer" = [])), request_body = NewUser, responses(
    (status = 201, body = NewUserAnswer), (status = 202, body = NewUserAnswer), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/admin/user")]
async fn new_user(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<NewUser>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::UserEdit)?;
    let made = invite(&context, caller.user, &body).await?;
    Ok(if made.request.is_some() {
        HttpResponse::Accepted().json(made)
    } else {
        HttpResponse::Created().json(made)
    })
}

/// The answer to an accepted invitation; no token where a second factor is on.
#[derive(Serialize, utoipa::ToSchema)]
pub struct InvitationAnswer {
    pub token: Option<String>,
    pub users: Profile,
}

#[utoipa::path(tag = "auth", params(("token" = String, Path), ("email" = String, Path)), request_body = NewPassword,
    responses((status = 200, body = InvitationAnswer), (status = 422, body = ErrorBody)))]
#[post("/new-password/{token}/{email}")]
async fn new_password(
    context: web::Data<Context>,
    browser: Browser,
    path: web::Path<(String, String)>,
    body: web::Json<NewPassword>,
) -> Result<HttpResponse, Error> {
    let (token, email) = path.into_inner();
    let (user, session) = accept(&context, &token, &email, &body, &browser).await?;
    let users = profile(&context, user).await?;
    let mut response = HttpResponse::Ok();
    let token = session.map(|session| keep_cookies(&context, &mut response, session));
    Ok(response.json(InvitationAnswer { token, users }))
}
