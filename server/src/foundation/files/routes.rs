//! `GET /files/{id}`.

use super::{Authorisers, Viewer, Wanted};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
};
use actix_web::{HttpResponse, get, web};
use protocol::{ErrorCode, ids::FileId};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(file);
}

/// An uploaded file, or the one range of its bytes that `Range` asks for. Its type is the one found in its bytes; it is never a page of ours:
/// attachment, nosniff, sandbox.
#[utoipa::path(
    tag = "files",
    params(("id" = String, Path, description = "The file's id")),
    responses(
        (status = 200, description = "The bytes", content_type = "application/octet-stream"),
        (status = 206, description = "The bytes of the range", content_type = "application/octet-stream"),
        (status = 416, description = "Nothing is there"),
        (status = 404, description = "No such file, or not for this caller", body = ErrorBody),
    )
)]
#[get("/files/{id}")]
pub async fn file(
    context: web::Data<Context>,
    authorisers: web::Data<Authorisers>,
    viewer: Viewer,
    wanted: Wanted,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id: FileId = id.parse().map_err(|_| Error::code(ErrorCode::RequestNotFound))?;
    let row = super::find(&context, id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    authorisers.check(&context, &viewer, &row).await?;
    let (row, handle) = super::open(&context, id).await?;
    super::answer(row, handle, &wanted).await
}
