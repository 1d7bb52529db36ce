//! Passkeys: one's own, and signing in with one.

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{
        browser::Browser,
        caller::Caller,
        passkeys::{
            self, NewPasskey, PasskeyAdded, PasskeyChange,
            forms::{PasskeyCreation, PasskeyRequest, PasskeyShown, PasskeyView},
        },
        routes::session::{TokenAnswer, signed_in},
        sign_in::passkey as sign_in,
        signals::Signals,
    },
};
use actix_web::{HttpResponse, get, patch, post, web};
use protocol::ids::PasskeyId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Of which half-done sign-in it is the second step; without one whoever has a passkey here signs in with it.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyAsk {
    #[serde(default)]
    pub challenge: Option<Uuid>,
}

/// What a page hands to `navigator.credentials.get` to sign in; good for five minutes.
#[utoipa::path(tag = "auth", request_body = PasskeyAsk, responses(
    (status = 200, body = PasskeyRequest), (status = 401, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/auth/passkey/options")]
pub(super) async fn options(
    context: web::Data<Context>,
    body: web::Json<PasskeyAsk>,
) -> Result<web::Json<PasskeyRequest>, Error> {
    Ok(web::Json(sign_in::options(&context, body.challenge).await?))
}

/// What a passkey showed, and of which half-done sign-in it is the second step.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeySignIn {
    #[serde(default)]
    pub challenge: Option<Uuid>,
    pub credential: PasskeyShown,
}

/// Signs in with a passkey: after the password, or without one.
#[utoipa::path(tag = "auth", request_body = PasskeySignIn, responses(
    (status = 200, body = TokenAnswer), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody)))]
#[post("/auth/passkey")]
pub(super) async fn enter(
    context: web::Data<Context>,
    signals: Signals,
    browser: Browser,
    body: web::Json<PasskeySignIn>,
) -> Result<HttpResponse, Error> {
    let session = sign_in::enter(&context, &signals, body.challenge, &body.credential, &browser).await?;
    Ok(signed_in(&context, session))
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct Passkeys {
    /// The oldest first.
    pub data: Vec<PasskeyView>,
}

/// One's own passkeys.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = Passkeys), (status = "default", body = ErrorBody)))]
#[get("/me/passkeys")]
pub(super) async fn list(context: web::Data<Context>, caller: Caller) -> Result<web::Json<Passkeys>, Error> {
    let data = passkeys::list(&context.db, caller.user).await?;
    Ok(web::Json(Passkeys { data }))
}

/// Begins another passkey, with the password and a current factor: what a page hands to `navigator.credentials.create`.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = PasskeyChange, responses(
    (status = 200, body = PasskeyCreation), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/me/passkeys/options")]
pub(super) async fn begin(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<PasskeyChange>,
) -> Result<web::Json<PasskeyCreation>, Error> {
    Ok(web::Json(
        passkeys::begin(&context, caller.user, caller.session, &body).await?,
    ))
}

/// Keeps the passkey that was made, within five minutes and in the same session. Other sessions end, outgoing money waits.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = NewPasskey, responses(
    (status = 200, body = PasskeyAdded), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/me/passkeys")]
pub(super) async fn add(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    body: web::Json<NewPasskey>,
) -> Result<web::Json<PasskeyAdded>, Error> {
    Ok(web::Json(
        passkeys::add(&context, &signals, caller.user, caller.session, &body).await?,
    ))
}

/// What a passkey showed of an action that was asked about (`POST /security-code/passkey`).
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyConfirmation {
    pub credential: PasskeyShown,
}

/// What stands where a code does, once, in this session, for the action that was asked about, within five minutes of the question.
#[derive(Serialize, utoipa::ToSchema)]
pub struct PasskeyProof {
    pub proof: String,
}

/// Makes of what a passkey showed what stands in the place of a code.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = PasskeyConfirmation, responses(
    (status = 200, body = PasskeyProof), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/security-code/passkey/proof")]
pub(super) async fn prove(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    body: web::Json<PasskeyConfirmation>,
) -> Result<web::Json<PasskeyProof>, Error> {
    let proof = passkeys::prove(&context, &signals, caller.user, caller.session, &body.credential).await?;
    Ok(web::Json(PasskeyProof { proof }))
}

/// Another name, of at most sixty characters.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasskeyRenaming {
    pub name: String,
}

/// Calls one of one's passkeys something else.
#[utoipa::path(tag = "account", security(("bearer" = [])), params(("id" = PasskeyId, Path)), request_body = PasskeyRenaming, responses(
    (status = 204), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[patch("/me/passkeys/{id}")]
pub(super) async fn rename(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<PasskeyId>,
    body: web::Json<PasskeyRenaming>,
) -> Result<HttpResponse, Error> {
    passkeys::rename(&context, caller.user, *id, &body.name).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Takes one of one's passkeys off, with the password and a current factor, or a recovery code. Other sessions end, outgoing money waits.
#[utoipa::path(tag = "account", security(("bearer" = [])), params(("id" = PasskeyId, Path)), request_body = PasskeyChange, responses(
    (status = 204), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/me/passkeys/{id}/remove")]
pub(super) async fn remove(
    context: web::Data<Context>,
    signals: Signals,
    caller: Caller,
    id: web::Path<PasskeyId>,
    body: web::Json<PasskeyChange>,
) -> Result<HttpResponse, Error> {
    passkeys::remove(&context, &signals, caller.user, caller.session, *id, &body).await?;
    Ok(HttpResponse::NoContent().finish())
}
