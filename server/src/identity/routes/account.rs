//! One's own account: passwords, codes, factors, data.

use crate::{
    error::{Error, ErrorBody},
    foundation::{context::Context, files},
    identity::{
        acceptances::{self as accepted, Acceptance},
        avatar,
        browser::{self, Browser},
        caller::Caller,
        factors::{self, Setup, SetupAnswer},
        looks::{self, OwnLook},
        passwords::Strength,
        profile::{self, PatchMe, Profile},
        recovery::{self, ChangePassword, PasswordCheck, ResetPassword},
        registration::{self, EmailCorrection},
        signals::Signals,
    },
};
use actix_multipart::Multipart;
use actix_web::{HttpResponse, delete, get, patch, post, web};
use protocol::ids::FileId;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgotBody {
    pub email: String,
}

/// The same for every address that was asked for as often.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForgotAnswer {
    /// Seconds until another request sends the link again; until then the one that went, if any, is the newest.
    pub next_in: u32,
}

/// Neither the answer nor the time it takes tells whether the address is known. A repeated request sends the living link again,
/// at most every 15 minutes.
#[utoipa::path(tag = "auth", request_body = ForgotBody, responses((status = 200, body = ForgotAnswer), (status = 429, body = ErrorBody)))]
#[post("/forgot-password")]
pub(super) async fn forgot(
    context: web::Data<Context>,
    body: web::Json<ForgotBody>,
) -> Result<web::Json<ForgotAnswer>, Error> {
    let asked = recovery::ask_reset(&context, &body.email).await?;
    if let Some(due) = asked.due {
        actix_web::rt::spawn(async move {
            if let Err(error) = recovery::mail_reset(&context, &body.email, due).await {
                tracing::error!(?error, "a reset link was not sent");
            }
        });
    }
    Ok(web::Json(ForgotAnswer {
        next_in: asked.next_in,
    }))
}

/// How a password would be judged by the call that sets it: for the forms, while one types. Nothing is kept.
#[utoipa::path(tag = "auth", request_body = PasswordCheck, responses((status = 200, body = Strength), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/auth/password-strength")]
pub(super) async fn password_strength(
    context: web::Data<Context>,
    body: web::Json<PasswordCheck>,
) -> Result<web::Json<Strength>, Error> {
    Ok(web::Json(recovery::judge(&context, body.into_inner()).await?))
}

/// What a mailed link is for; looking changes nothing.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkState {
    pub valid: bool,
    /// `reset-password`, `invitation`, `confirm-email`, `freeze`, `email-change-old`, `email-change-new`.
    pub purpose: Option<&'static str>,
    /// Using it takes the authenticator's code, or a recovery code, as well.
    pub app_code: bool,
}

#[utoipa::path(tag = "auth", params(("signature" = String, Path)), responses((status = 200, body = LinkState)))]
#[get("/verifySignature/{signature}")]
pub(super) async fn verify_signature(
    context: web::Data<Context>,
    signature: web::Path<String>,
) -> Result<web::Json<LinkState>, Error> {
    let seen = recovery::look(&context, &signature).await?;
    Ok(web::Json(LinkState {
        valid: seen.is_some(),
        purpose: seen.as_ref().map(|seen| seen.purpose),
        app_code: seen.is_some_and(|seen| seen.app_code),
    }))
}

/// Ends all sessions and signs nobody in. Where the authenticator is on, `appCode` is its code or a recovery code.
#[utoipa::path(tag = "auth", params(("token" = String, Path)), request_body = ResetPassword, responses((status = 204), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/redefine-password/{token}")]
pub(super) async fn redefine(
    context: web::Data<Context>,
    signals: Signals,
    browser: Browser,
    token: web::Path<String>,
    body: web::Json<ResetPassword>,
) -> Result<HttpResponse, Error> {
    let device = recovery::redefine(&context, &signals, &token, body.into_inner(), &browser).await?;
    let mut response = HttpResponse::NoContent();
    browser::keep_device(&context, &mut response, device);
    Ok(response.finish())
}

#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = ChangePassword, responses(
    (status = 204), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/me/change-password")]
pub(super) async fn change_password(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    body: web::Json<ChangePassword>,
) -> Result<HttpResponse, Error> {
    recovery::change(&context, &signals, caller.user, caller.session, body.into_inner()).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = Setup, responses(
    (status = 200, body = SetupAnswer), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/setup-2fa")]
pub(super) async fn setup_two_factor(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    body: web::Json<Setup>,
) -> Result<web::Json<SetupAnswer>, Error> {
    Ok(web::Json(
        factors::setup(&context, &signals, caller.user, caller.session, body.into_inner()).await?,
    ))
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct UserAnswer {
    pub user: Profile,
}

/// Terms and risk notices that a person accepted.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Acceptances {
    /// Version by version, the newest first.
    pub data: Vec<Acceptance>,
}

/// The terms and risk notices that one has accepted, version by version.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = Acceptances), (status = "default", body = ErrorBody)))]
#[get("/me/acceptances")]
pub(super) async fn acceptances(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<Acceptances>, Error> {
    Ok(web::Json(Acceptances {
        data: accepted::of(&context.db, caller.user).await?,
    }))
}

/// Who of the staff looked at one's account, within a year.
#[derive(Serialize, utoipa::ToSchema)]
pub struct OwnLooks {
    /// The newest first.
    pub data: Vec<OwnLook>,
}

/// Who of the staff looked at one's account as one sees it oneself, why, and for how long, within a year.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = OwnLooks), (status = "default", body = ErrorBody)))]
#[get("/me/looks")]
pub(super) async fn own_looks(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<OwnLooks>, Error> {
    Ok(web::Json(OwnLooks {
        data: looks::of(&context.db, caller.user).await?,
    }))
}

#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = PatchMe, responses(
    (status = 200, body = UserAnswer), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[patch("/me")]
pub(super) async fn patch_me(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<PatchMe>,
) -> Result<web::Json<UserAnswer>, Error> {
    profile::patch(&context, caller.user, body.into_inner()).await?;
    Ok(web::Json(UserAnswer {
        user: profile::profile(&context, caller.user).await?,
    }))
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct AvatarAnswer {
    pub avatar: FileId,
}

/// A picture of at most 4 MB: JPEG, PNG or GIF by its content, as the multipart field `file`.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body(content = AvatarUpload, content_type = "multipart/form-data"), responses(
    (status = 200, body = AvatarAnswer), (status = 413, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/me/upload-image")]
pub(super) async fn upload_image(
    context: web::Data<Context>,
    caller: Caller,
    payload: Multipart,
) -> Result<web::Json<AvatarAnswer>, Error> {
    let received = files::receive(&context, caller.user, payload, files::Purpose::Avatar).await?;
    Ok(web::Json(AvatarAnswer {
        avatar: avatar::put(&context, caller.user, received).await?,
    }))
}

/// Takes one's own picture off.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 204)))]
#[delete("/me/avatar")]
pub(super) async fn remove_image(context: web::Data<Context>, caller: Caller) -> Result<HttpResponse, Error> {
    avatar::remove(&context, caller.user).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// The form of an upload.
#[derive(utoipa::ToSchema)]
#[allow(dead_code)] // names the field for the document
pub(super) struct AvatarUpload {
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

#[utoipa::path(tag = "auth", security(("bearer" = [])), responses((status = 204), (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/email/verification-notification")]
pub(super) async fn resend_confirmation(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<HttpResponse, Error> {
    registration::resend_confirmation(&context, caller.user).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Corrects an address that was never confirmed: the password again, then a new confirmation goes to the new address. Links that were
/// mailed before end.
#[utoipa::path(tag = "auth", security(("bearer" = [])), request_body = EmailCorrection, responses(
    (status = 204), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/email/correction")]
pub(super) async fn correct_email(
    context: web::Data<Context>,
    caller: Caller,
    browser: Browser,
    body: web::Json<EmailCorrection>,
) -> Result<HttpResponse, Error> {
    registration::correct_email(&context, caller.user, caller.session, &body, &browser).await?;
    Ok(HttpResponse::NoContent().finish())
}
