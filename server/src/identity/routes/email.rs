//! Another e-mail by the owner's hand.

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{
        browser::Browser,
        caller::Caller,
        email_change::{self, ChangeEmail, EmailChangeState},
        signals::Signals,
    },
};
use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};

/// Asks for another e-mail: a link goes to the address that stands and to the one that comes, and both confirm within 24 hours. Refused to
/// who decides about money: `email.by_two`.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = ChangeEmail, responses(
    (status = 202), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/me/email")]
pub(super) async fn change_email(
    context: web::Data<Context>,
    caller: Caller,
    browser: Browser,
    body: web::Json<ChangeEmail>,
) -> Result<HttpResponse, Error> {
    email_change::ask(&context, caller.user, caller.session, &body, &browser).await?;
    Ok(HttpResponse::Accepted().finish())
}

/// Takes the request back: its links are dead.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 204)))]
#[delete("/me/email")]
pub(super) async fn take_back(context: web::Data<Context>, caller: Caller) -> Result<HttpResponse, Error> {
    email_change::take_back(&context, caller.user).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What a mailed link is for; looking changes nothing.
#[utoipa::path(tag = "auth", params(("token" = String, Path)), responses((status = 200, body = EmailChangeState), (status = 422, body = ErrorBody)))]
#[get("/email/change/{token}")]
pub(super) async fn look(
    context: web::Data<Context>,
    token: web::Path<String>,
) -> Result<web::Json<EmailChangeState>, Error> {
    Ok(web::Json(email_change::look(&context, &token).await?))
}

/// Confirms the side that the link was sent to; the second one changes the e-mail. Without the header `X-Arbora`, which our page sends, it only
/// says what the link is for.
#[utoipa::path(tag = "auth", params(("token" = String, Path)), responses(
    (status = 200, body = EmailChangeState), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/email/change/{token}")]
pub(super) async fn confirm(
    context: web::Data<Context>,
    signals: Signals,
    req: HttpRequest,
    token: web::Path<String>,
) -> Result<web::Json<EmailChangeState>, Error> {
    let act = req.headers().contains_key("x-arbora");
    Ok(web::Json(if act {
        email_change::confirm(&context, &signals, &token).await?
    } else {
        email_change::look(&context, &token).await?
    }))
}
