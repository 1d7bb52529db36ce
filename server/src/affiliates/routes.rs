//! Calls of the network, with registration and e-mail confirmation.

use super::{
    bonuses::service::{self as bonuses, BonusWithdrawal, BonusWithdrawn},
    service::{self, Leg, Standing, Upline},
};
use crate::{
    approvals::{
        compliance::pauses::{self, PauseOf},
        guard::state::PausedView,
    },
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::Headers,
        idempotency::{self, Key},
        locale::Locale,
    },
    identity::{
        Browser,
        caller::Caller,
        keep_cookies,
        routes::google::{self, GoogleAnswer},
        service::{Completion, ConfirmState, Registration},
        signals::Signals,
    },
};
use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, patch, post, web};
use protocol::{ErrorCode, ids::UserId};
use serde::{Deserialize, Serialize};
use utoipa_actix_web::service_config::ServiceConfig;

/// Registers the room's calls below `/api`.
pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(verify_upline)
        .service(register)
        .service(verify_email)
        .service(google_token)
        .service(my_upline)
        .service(complete)
        .service(save_selected_leg)
        .service(withdraw_bonus)
        .configure(super::invitations::routes::configure)
        .configure(super::network::routes::configure)
        .configure(super::reports::routes::configure)
        .configure(super::payout::routes::configure)
        .configure(super::graduations::routes::configure);
}

/// Gives what is missing of one's account (`missing` of `/me`) before anything else is done with it.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = Completion, responses(
    (status = 204), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/me/complete")]
async fn complete(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<Completion>,
) -> Result<HttpResponse, Error> {
    service::complete(&context, caller.user, &body).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Who brings somebody.
#[derive(Serialize, utoipa::ToSchema)]
pub struct UplineAnswer {
    #[serde(flatten)]
    pub upline: Upline,
    /// Registrations stand still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<PausedView>,
}

/// The member behind a referral link, and whether somebody may register there now.
#[utoipa::path(tag = "affiliates", params(("upline" = String, Path)), responses((status = 200, body = UplineAnswer), (status = 404, body = ErrorBody)))]
#[get("/affiliates/verify-upline/{upline}")]
async fn verify_upline(
    context: web::Data<Context>,
    name: web::Path<String>,
) -> Result<web::Json<UplineAnswer>, Error> {
    let (_, upline) = service::upline(&context, &name).await?;
    let pause = pauses::standing(context.db.pool(), PauseOf::SignUps).await?;
    Ok(web::Json(UplineAnswer {
        upline,
        pause: pause.map(Into::into),
    }))
}

/// An access token for 15 minutes; the refresh token comes as a cookie that scripts cannot read.
#[derive(Serialize, utoipa::ToSchema)]
pub struct RegisterAnswer {
    pub token: String,
}

#[utoipa::path(tag = "auth", params(("upline" = String, Path)), request_body = Registration, responses(
    (status = 200, body = RegisterAnswer), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/auth/register/{upline}")]
async fn register(
    context: web::Data<Context>,
    browser: Browser,
    name: web::Path<String>,
    body: web::Json<Registration>,
) -> Result<HttpResponse, Error> {
    let registered = service::register(&context, &name, &body, Locale::current(), &browser).await?;
    let mut response = HttpResponse::Ok();
    let token = keep_cookies(&context, &mut response, registered.signed_in);
    Ok(response.json(RegisterAnswer { token }))
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct ConfirmAnswer {
    pub state: ConfirmState,
}

/// Answers the link's state; with the header `X-Arbora`, which only our page's button sends, it confirms.
#[utoipa::path(tag = "auth", params(("id" = UserId, Path), ("token" = String, Path), ("X-Arbora" = Option<String>, Header)), responses(
    (status = 200, body = ConfirmAnswer), (status = 422, body = ErrorBody)))]
#[get("/email/verify/{id}/{token}")]
async fn verify_email(
    context: web::Data<Context>,
    signals: Signals,
    req: HttpRequest,
    path: web::Path<(String, String)>,
) -> Result<web::Json<ConfirmAnswer>, Error> {
    let (id, token) = path.into_inner();
    let user: UserId = id
        .parse()
        .map_err(|_| Error::code(ErrorCode::ConfirmationLinkInvalid))?;
    let act = req.headers().contains_key("x-arbora");
    Ok(web::Json(ConfirmAnswer {
        state: service::confirm(&context, &signals, user, &token, act).await?,
    }))
}

/// What a visit to Google led to, by the code of the page that it ended on: good once, for 60 seconds, in the browser that went there. Needs
/// the header `X-Arbora`, which only our page sends.
#[utoipa::path(tag = "auth", params(("token" = String, Path), ("X-Arbora" = Option<String>, Header)), responses(
    (status = 200, body = GoogleAnswer), (status = "default", body = ErrorBody)))]
#[get("/oauth/callback/token/{token}")]
async fn google_token(
    context: web::Data<Context>,
    signals: Signals,
    browser: Browser,
    req: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, Error> {
    if !req.headers().contains_key("x-arbora") {
        return Err(Error::code(ErrorCode::OriginRefused));
    }
    let mark = google::mark(&req);
    let done = service::enter_by_google(&context, &signals, &token, mark.as_deref(), &browser).await?;
    Ok(google::entered(&context, done))
}

#[utoipa::path(tag = "affiliates", security(("bearer" = [])), responses((status = 200, body = Standing), (status = 404, body = ErrorBody)))]
#[get("/affiliates/my-upline")]
async fn my_upline(context: web::Data<Context>, caller: Caller) -> Result<web::Json<Standing>, Error> {
    let mut standing = service::standing(&context, &context.db, caller.user).await?;
    // Who looks on is not shown them.
    if let Some(sponsor) = standing.as_mut().and_then(|standing| standing.sponsor.as_mut())
        && caller.seen_by.is_some()
    {
        sponsor.without_places();
    }
    standing
        .map(web::Json)
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SelectedLeg {
    pub selected_leg: Leg,
}

#[utoipa::path(tag = "affiliates", security(("bearer" = [])), request_body = SelectedLeg, responses(
    (status = 200, body = SelectedLeg), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/affiliates/binary-tree/save-selected-leg")]
async fn save_selected_leg(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<SelectedLeg>,
) -> Result<HttpResponse, Error> {
    service::select_leg(&context, caller.user, body.selected_leg).await?;
    Ok(HttpResponse::Ok().json(serde_json::json!({ "selectedLeg": body.selected_leg })))
}

/// Takes bonuses out to the balance, on any day. Needs `Idempotency-Key`.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), request_body = BonusWithdrawal,
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = BonusWithdrawn), (status = "default", body = ErrorBody)))]
#[post("/bonus/withdraw")]
async fn withdraw_bonus(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<BonusWithdrawal>,
) -> Result<HttpResponse, Error> {
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        bonuses::withdraw(&context, tx, &caller, &key, &body).await
    })
    .await
}
