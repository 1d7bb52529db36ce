//! Declared holdings over HTTP. They are shown in the solvency report.

use super::service::{self, DeclaredHolding};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        amounts::WrittenAmount,
        context::Context,
        http::Headers,
        idempotency::{self, Key},
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, http::StatusCode, patch, post, web};
use protocol::{ErrorCode, Permission, ids::DeclarationId, money::Usdt};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(declare).service(decide);
}

/// What lies somewhere, as whoever declares it has seen it.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HoldingDeclaration {
    /// Where: a bank, an exchange, a safe. A newer declaration of the same place replaces this one.
    #[schema(example = "Kraken")]
    pub place: String,
    /// Its worth in USDT; zero: nothing is there any more.
    pub value: WrittenAmount,
    /// What it was read from.
    pub note: String,
}

/// Declares a holding, which is also the first approval. Above the two-person limit it waits for another person.
#[utoipa::path(
    tag = "treasury", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 201, body = DeclaredHolding), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[post("/admin/declared-holdings")]
pub async fn declare(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<HoldingDeclaration>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let value: Usdt = body
        .value
        .parse()
        .map_err(|_| Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid))?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::CREATED, async |tx| {
        service::declare(&context, tx, caller.user, &body.place, value, &body.note).await
    })
    .await
}

/// Another person's decision.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclarationDecision {
    pub id: DeclarationId,
    pub approve: bool,
    /// Needed to reject.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Agrees to a declaration that waits, or turns it down.
#[utoipa::path(
    tag = "treasury", security(("bearer" = [])),
    params(("Idempotency-Key" = String, Header)),
    responses((status = 200, body = DeclaredHolding), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody))
)]
#[patch("/admin/declared-holdings/approve-reject")]
pub async fn decide(
    context: web::Data<Context>,
    caller: Caller,
    headers: Headers,
    body: web::Json<DeclarationDecision>,
) -> Result<HttpResponse, Error> {
    caller.staff(protocol::Queue::Holdings.decides())?;
    let key = Key::from(&headers, caller.user, &*body)?;
    idempotency::run(&context.db, &key, StatusCode::OK, async |tx| {
        let reason = body.reason.as_deref();
        service::decide(&context, tx, caller.user, body.id, body.approve, reason).await
    })
    .await
}
