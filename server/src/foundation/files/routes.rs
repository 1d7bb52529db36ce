//! `GET /files/{id}`.

use super::{Authorisers, Small, Viewer, Wanted};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
};
use actix_web::{HttpResponse, get, web};
use protocol::{ErrorCode, ids::FileId};
use serde::Deserialize;
use utoipa::IntoParams;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(file);
}

/// Which picture of a picture is wanted.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// A small one of it: faces have squares, what is shown on cards and in conversations a preview. Absent: the file itself.
    #[serde(default)]
    #[param(inline)]
    pub size: Option<Small>,
}

/// An uploaded file, or the one range of its bytes that `Range` asks for; with `size` a small picture of it. Its type is the one found in its bytes; it is never a page of ours:
/// attachment, nosniff, sandbox. Who names its `ETag` in `If-None-Match` is told that they have it.
#[utoipa::path(
    tag = "files",
    params(("id" = String, Path, description = "The file's id"), Which),
    responses(
        (status = 200, description = "The bytes, of one of these kinds; small pictures are PNG or JPEG", content(
            ("image/png"), ("image/jpeg"), ("image/gif"), ("application/pdf"), ("video/mp4"), ("video/webm")
        )),
        (status = 206, description = "The bytes of the range", content(
            ("image/png"), ("image/jpeg"), ("image/gif"), ("application/pdf"), ("video/mp4"), ("video/webm")
        )),
        (status = 304, description = "The reader has it already"),
        (status = 416, description = "Nothing is there"),
        (status = 404, description = "No such file, or none of this size, or not for this caller", body = ErrorBody),
        (status = 503, description = "Nobody can look at it now: a small picture that was never made waits for memory", body = ErrorBody),
    )
)]
#[get("/files/{id}")]
pub async fn file(
    context: web::Data<Context>,
    authorisers: web::Data<Authorisers>,
    viewer: Viewer,
    wanted: Wanted,
    which: web::Query<Which>,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id: FileId = id.parse().map_err(|_| Error::code(ErrorCode::RequestNotFound))?;
    let row = super::find(&context, id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    authorisers.check(&context, &viewer, &row).await?;
    if let Some(small) = which.size {
        if let Some(known) = super::known_small(&row, small, &wanted) {
            return Ok(known);
        }
        let bytes = super::small(&context, &row, small).await?;
        return Ok(super::answer_small(&row, small, bytes));
    }
    Ok(super::answer(super::open(&context, id).await?, &wanted))
}
