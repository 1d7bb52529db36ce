//! Beginning and ending a look at an account as its owner sees it, over HTTP. What it is stands in `identity::looks`; the code that opens it is
//! bound to whose account it is, as those of money are to where it goes.

use super::guard;
use crate::{
    error::{Error, ErrorBody},
    foundation::{context::Context, text},
    identity::{
        caller::Caller,
        looks::{self, LookBegun},
        people,
        service::{self as identity, Purpose},
    },
};
use actix_web::{HttpResponse, delete, post, web};
use protocol::Permission;
use serde::Deserialize;

/// Why somebody's account is to be looked at.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewLook {
    /// At most 500 characters; the owner reads it.
    pub reason: String,
    /// Of purpose `look-as`, with the username as its destination; the authenticator's where it is on.
    #[serde(default)]
    pub security_code: Option<String>,
}

/// Begins to look at an account as its owner sees it, for a quarter of an hour: calls that name it in `X-Arbora-Look` are answered as the owner's
/// are, and change nothing. The owner is told at once. What this session looked at before ends.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), request_body = NewLook, responses(
    (status = 201, body = LookBegun), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[post("/admin/user/{id}/look")]
pub(super) async fn begin(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    body: web::Json<NewLook>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let reason = text::reason(&body.reason, "reason")?;
    let subject = people::named(&context.db, &id).await?.id;
    let mut tx = context.db.begin().await?;
    // Whom one may not look at is said before a code is asked for.
    let subject = looks::allow(&mut tx, &caller, subject).await?;
    let looker = identity::account_within(&mut tx, caller.user).await?;
    let purpose = Purpose::LookAs;
    let binding = guard::binding(purpose, subject.username(), "");
    let code = body.security_code.as_deref().unwrap_or_default();
    let proof = identity::check_factor(&context, &looker, purpose, &binding, code).await?;
    let begun = looks::begin(&context, &mut tx, &caller, subject, &reason, proof).await?;
    tx.commit().await?;
    Ok(HttpResponse::Created().json(begun))
}

/// Ends what this session looks at.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[delete("/admin/user/{id}/look")]
pub(super) async fn end(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let subject = people::named(&context.db, &id).await?.id;
    looks::end(&context, &caller, subject).await?;
    Ok(HttpResponse::NoContent().finish())
}
