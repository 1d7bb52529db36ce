//! Signing in with Google: going there, coming back, linking. What the page's code leads to stands in affiliates, which also places the person.

use super::session::{SignInAnswer, TwoFactorStep};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{
        browser,
        caller::Caller,
        google::{self, Done, GoogleChange, Returned},
    },
};
use actix_web::{HttpRequest, HttpResponse, get, http::header, post, web};
use serde::{Deserialize, Serialize};

pub use browser::visit as mark;

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GoogleStart {
    /// Whose referral link is open.
    #[serde(default)]
    pub upline: Option<String>,
}

/// Where the browser goes now.
#[derive(Serialize, utoipa::ToSchema)]
pub struct GooglePage {
    pub url: String,
}

fn gone(context: &Context, leaving: google::Leaving) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    browser::keep_visit(context, &mut response, Some(leaving.browser));
    response.json(GooglePage { url: leaving.url })
}

/// Begins a sign-in with Google: the page leads the browser to the address in the answer. Needs our Origin and the header `X-Arbora`.
#[utoipa::path(tag = "auth", request_body = GoogleStart, responses(
    (status = 200, body = GooglePage), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
#[post("/oauth/google")]
pub(super) async fn start(
    context: web::Data<Context>,
    req: HttpRequest,
    body: web::Json<GoogleStart>,
) -> Result<HttpResponse, Error> {
    browser::require_own_page(&req, &context)?;
    let leaving = google::begin(&context, body.upline.as_deref()).await?;
    Ok(gone(&context, leaving))
}

/// Where Google sends the browser back. Leads on to our page with a code that is good once, for 60 seconds, in this browser.
#[utoipa::path(tag = "auth", params(
    ("state" = Option<String>, Query), ("code" = Option<String>, Query), ("iss" = Option<String>, Query), ("error" = Option<String>, Query),
    ("error_description" = Option<String>, Query), ("error_uri" = Option<String>, Query), ("error_subtype" = Option<String>, Query),
    ("scope" = Option<String>, Query), ("authuser" = Option<String>, Query), ("hd" = Option<String>, Query),
    ("prompt" = Option<String>, Query), ("session_state" = Option<String>, Query)),
    responses((status = 303), (status = 404, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/oauth/google/callback")]
pub(super) async fn callback(
    context: web::Data<Context>,
    req: HttpRequest,
    returned: web::Query<Returned>,
) -> Result<HttpResponse, Error> {
    let mark = browser::visit(&req);
    let code = google::answer(&context, &returned, mark.as_deref()).await?;
    // The page asks for a code that is none, and says so in the person's language.
    let code = code.as_deref().unwrap_or("none");
    let page = format!("{}/oauth/callback/token/{code}", context.public_url);
    Ok(HttpResponse::SeeOther()
        .insert_header((header::LOCATION, page))
        .finish())
}

/// Begins to link a Google account to one's own, with the password and a current factor; the page leads on as for a sign-in.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = GoogleChange, responses(
    (status = 200, body = GooglePage), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/me/google")]
pub(super) async fn link(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<GoogleChange>,
) -> Result<HttpResponse, Error> {
    let leaving = google::begin_linking(&context, caller.user, caller.session, &body).await?;
    Ok(gone(&context, leaving))
}

/// Takes one's Google account off, with the password and a current factor. Who has no password is refused.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = GoogleChange, responses(
    (status = 204), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/me/google/remove")]
pub(super) async fn unlink(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<GoogleChange>,
) -> Result<HttpResponse, Error> {
    google::unlink(&context, caller.user, caller.session, &body).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// A session, the second step that is asked for, or an account that was linked.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoogleAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_factor: Option<TwoFactorStep>,
    /// The Google account was linked to the one that asked for it.
    pub linked: bool,
}

/// Sets the cookies of a session that has begun, and takes the visit's away.
#[must_use]
pub fn entered(context: &Context, done: Done) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    browser::keep_visit(context, &mut response, None);
    let answer = match done {
        Done::Linked => GoogleAnswer {
            token: None,
            two_factor: None,
            linked: true,
        },
        Done::Step(step) => {
            let SignInAnswer { token, two_factor } = SignInAnswer::of(context, &mut response, step);
            GoogleAnswer {
                token,
                two_factor,
                linked: false,
            }
        }
    };
    response.json(answer)
}
