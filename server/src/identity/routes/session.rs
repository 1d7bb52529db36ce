//! Signing in and out, devices, socket tickets.

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{
        browser::{self, Browser},
        caller::Caller,
        sessions::{self as sessions_of},
        sign_in::{self, FactorMethod, SignedIn, Step},
        signals::Signals,
    },
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, delete, get, post, web};
use protocol::{ErrorCode, ids::SessionId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// An access token for 15 minutes; the refresh token comes as a cookie that scripts cannot read.
#[derive(Serialize, utoipa::ToSchema)]
pub struct TokenAnswer {
    pub token: String,
}

/// Sets the cookies of a session and answers with its access token.
pub(super) fn signed_in(context: &Context, session: SignedIn) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    let token = browser::keep(context, &mut response, session);
    response.json(TokenAnswer { token })
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginBody {
    pub email: String,
    pub password: String,
}

/// A token, or the second step that is asked for.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_factor: Option<TwoFactorStep>,
}

#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TwoFactorStep {
    pub challenge: Uuid,
    pub methods: Vec<FactorMethod>,
    /// There are passkeys, and none of them is taken now: they lie aside until another password is set, or may have been copied.
    pub passkeys_aside: bool,
}

#[utoipa::path(tag = "auth", request_body = LoginBody, responses(
    (status = 200, body = SignInAnswer), (status = 401, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/auth/login")]
pub(super) async fn login(
    context: web::Data<Context>,
    browser: Browser,
    body: web::Json<LoginBody>,
) -> Result<HttpResponse, Error> {
    let step = sign_in::login(&context, &body.email, &body.password, &browser).await?;
    let mut response = HttpResponse::Ok();
    let answer = SignInAnswer::of(&context, &mut response, step);
    Ok(response.json(answer))
}

impl SignInAnswer {
    /// Sets the cookies of a session that has begun.
    pub(super) fn of(context: &Context, response: &mut HttpResponseBuilder, step: Step) -> Self {
        match step {
            Step::In(session) => Self {
                token: Some(browser::keep(context, response, session)),
                two_factor: None,
            },
            Step::Factor {
                challenge,
                methods,
                aside,
            } => Self {
                token: None,
                two_factor: Some(TwoFactorStep {
                    challenge,
                    methods,
                    passkeys_aside: aside,
                }),
            },
        }
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecondStepBody {
    pub challenge: Uuid,
    pub method: FactorMethod,
    pub code: String,
}

#[utoipa::path(tag = "auth", request_body = SecondStepBody, responses(
    (status = 200, body = TokenAnswer), (status = 401, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/auth/2fa")]
pub(super) async fn second_step(
    context: web::Data<Context>,
    browser: Browser,
    body: web::Json<SecondStepBody>,
) -> Result<HttpResponse, Error> {
    let session = sign_in::second_step(&context, body.challenge, body.method, &body.code, &browser).await?;
    Ok(signed_in(&context, session))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResendBody {
    pub challenge: Uuid,
}

#[utoipa::path(tag = "auth", request_body = ResendBody, responses((status = 204), (status = 401, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/auth/2fa/resend")]
pub(super) async fn resend(
    context: web::Data<Context>,
    browser: Browser,
    body: web::Json<ResendBody>,
) -> Result<HttpResponse, Error> {
    sign_in::resend(&context, body.challenge, &browser).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Needs the cookie, our Origin and the header `X-Arbora`.
#[utoipa::path(tag = "auth", responses((status = 200, body = TokenAnswer), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
#[post("/auth/refresh")]
pub(super) async fn refresh(
    context: web::Data<Context>,
    signals: Signals,
    browser: Browser,
    req: HttpRequest,
) -> Result<HttpResponse, Error> {
    browser::require_own_page(&req, &context)?;
    let outcome = match browser::refresh_token(&req) {
        Some(token) => sign_in::refresh(&context, &signals, &token, &browser).await,
        None => Err(Error::code(ErrorCode::Unauthenticated)),
    };
    match outcome {
        Ok(session) => Ok(signed_in(&context, session)),
        Err(error) if error.error_code() == ErrorCode::Unauthenticated => {
            let mut response = HttpResponse::Unauthorized();
            browser::drop(&context, &mut response);
            Ok(response.json(error.body(crate::foundation::locale::Locale::current())))
        }
        Err(error) => Err(error),
    }
}

/// Needs our Origin and the header `X-Arbora`; ends the cookie's session, if there is one.
#[utoipa::path(tag = "auth", responses((status = 204), (status = 403, body = ErrorBody)))]
#[post("/auth/logout")]
pub(super) async fn logout(
    context: web::Data<Context>,
    signals: Signals,
    req: HttpRequest,
) -> Result<HttpResponse, Error> {
    browser::require_own_page(&req, &context)?;
    if let Some(token) = browser::refresh_token(&req) {
        sign_in::logout(&context, &signals, &token).await?;
    }
    let mut response = HttpResponse::NoContent();
    browser::drop(&context, &mut response);
    Ok(response.finish())
}

/// A signed-in browser.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    #[serde(rename = "_id")]
    pub id: SessionId,
    /// The one that asks.
    pub current: bool,
    pub device: String,
    pub address: String,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub last_used_at: OffsetDateTime,
    /// By what it began: `password`, `email`, `app`, `recovery`, `passkey`, `google`, `registration`, `invitation`; none of an old one.
    pub method: Option<String>,
}

impl SessionView {
    pub(super) fn of(s: sessions_of::Listed, asking: SessionId) -> Self {
        Self {
            current: s.id == asking,
            id: s.id,
            device: s.device,
            address: s.address,
            created_at: s.created_at,
            last_used_at: s.seen_at,
            method: s.method,
        }
    }
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct Sessions {
    pub data: Vec<SessionView>,
}

#[utoipa::path(tag = "auth", security(("bearer" = [])), responses((status = 200, body = Sessions)))]
#[get("/sessions")]
pub(super) async fn sessions(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<Sessions>, Error> {
    let list = sessions_of::list(&context, caller.user).await?;
    let data = list
        .into_iter()
        .map(|s| SessionView::of(s, caller.session))
        .collect();
    Ok(web::Json(Sessions { data }))
}

#[utoipa::path(tag = "auth", security(("bearer" = [])), params(("id" = SessionId, Path)), responses((status = 204), (status = 404, body = ErrorBody)))]
#[delete("/sessions/{id}")]
pub(super) async fn end_session(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    id: web::Path<SessionId>,
) -> Result<HttpResponse, Error> {
    if sign_in::end_session(&context, &signals, caller.user, *id, sign_in::REVOKED).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(Error::code(ErrorCode::RequestNotFound))
    }
}
