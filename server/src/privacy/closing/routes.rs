//! Calls of closing one's account (docs/rules/privacy.md#closing).

use super::{
    model::{AskClosing, ClosingView},
    service,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
};
use actix_web::{delete, get, post, web};

/// Whether one's account can be closed, what must be settled first, and the request that waits.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = ClosingView), (status = "default", body = ErrorBody)))]
#[get("/me/closing")]
pub async fn own_closing(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<ClosingView>, Error> {
    Ok(web::Json(service::look(&context, caller.user).await?))
}

/// Asks that one's account be closed, seven days later. It has to be empty then as now; until then it is as always, and its owner may cancel.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = AskClosing, responses(
    (status = 200, body = ClosingView), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = "default", body = ErrorBody)))]
#[post("/me/closing")]
pub async fn ask_closing(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<AskClosing>,
) -> Result<web::Json<ClosingView>, Error> {
    Ok(web::Json(service::ask(&context, &caller, &body).await?))
}

/// Takes the request back; nothing happens where none waits.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = ClosingView), (status = "default", body = ErrorBody)))]
#[delete("/me/closing")]
pub async fn cancel_closing(
    context: web::Data<Context>,
    caller: Caller,
) -> Result<web::Json<ClosingView>, Error> {
    Ok(web::Json(service::cancel(&context, caller.user).await?))
}
