//! Calls of privacy (docs/rules/privacy.md).

use super::{
    closing,
    model::DataExports,
    retention::{self, Retention},
    service,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        files::{self, Wanted},
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, post, web};
use protocol::ids::DataExportId;
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(list).service(ask).service(download).service(how_long);
    cfg.service(closing::routes::own_closing)
        .service(closing::routes::ask_closing)
        .service(closing::routes::cancel_closing);
}

/// The code of purpose `export-data`, or the app's where it is on.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct DataExportCode {
    #[serde(default)]
    pub security_code: Option<String>,
}

/// The files with one's data that were asked for, the newest first.
#[utoipa::path(tag = "account", security(("bearer" = [])), responses((status = 200, body = DataExports), (status = "default", body = ErrorBody)))]
#[get("/me/export")]
async fn list(context: web::Data<Context>, caller: Caller) -> Result<web::Json<DataExports>, Error> {
    Ok(web::Json(service::list(&context, caller.user).await?))
}

/// Asks for a file with all that is kept about oneself. It is made in the background and told when it is ready; one a day at most.
#[utoipa::path(tag = "account", security(("bearer" = [])), request_body = DataExportCode, responses(
    (status = 200, body = DataExports), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = "default", body = ErrorBody)))]
#[post("/me/export")]
async fn ask(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<DataExportCode>,
) -> Result<web::Json<DataExports>, Error> {
    let code = body.security_code.as_deref().unwrap_or_default();
    Ok(web::Json(service::ask(&context, &caller, code).await?))
}

/// The file, a ZIP, for its owner and a fresh code alone.
#[utoipa::path(tag = "account", security(("bearer" = [])), params(("id" = DataExportId, Path)), request_body = DataExportCode, responses(
    (status = 200, body = Vec<u8>, content_type = "application/zip"), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody), (status = "default", body = ErrorBody)))]
#[post("/me/export/{id}/download")]
async fn download(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<DataExportId>,
    body: web::Json<DataExportCode>,
) -> Result<HttpResponse, Error> {
    let code = body.security_code.as_deref().unwrap_or_default();
    let opened = service::download(&context, &caller, id.into_inner(), code).await?;
    Ok(files::answer(opened, &Wanted::default()))
}

/// How long what is kept, of people and of what they did here.
#[utoipa::path(tag = "platform", responses((status = 200, body = Retention)))]
#[get("/privacy/retention")]
async fn how_long() -> web::Json<Retention> {
    web::Json(retention::shown())
}
