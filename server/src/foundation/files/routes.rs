//! `GET /files/{id}`.

use super::{Authorisers, Viewer};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
};
use actix_web::{
    HttpResponse, get,
    http::header::{ContentDisposition, DispositionParam, DispositionType},
    web,
};
use futures_util::stream;
use protocol::{ErrorCode, ids::FileId};
use tokio::io::AsyncReadExt;

const CHUNK: usize = 64 * 1024;

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(file);
}

/// An uploaded file. Its type is the one found in its bytes; it is never a page of ours: attachment, nosniff, sandbox.
#[utoipa::path(
    tag = "files",
    params(("id" = String, Path, description = "The file's id")),
    responses(
        (status = 200, description = "The bytes", content_type = "application/octet-stream"),
        (status = 404, description = "No such file, or not for this caller", body = ErrorBody),
    )
)]
#[get("/files/{id}")]
pub async fn file(
    context: web::Data<Context>,
    authorisers: web::Data<Authorisers>,
    viewer: Viewer,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id: FileId = id.parse().map_err(|_| Error::code(ErrorCode::RequestNotFound))?;
    let row = super::find(&context, id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    authorisers.check(&context, &viewer, &row).await?;
    let (row, handle) = super::open(&context, id).await?;
    let length = u64::try_from(row.bytes).unwrap_or(0);
    // Chunk by chunk: a slow reader holds one buffer, not the file.
    let body = stream::try_unfold(handle, |mut handle| async move {
        let mut buffer = bytes::BytesMut::with_capacity(CHUNK);
        let read = handle.read_buf(&mut buffer).await?;
        Ok::<_, std::io::Error>((read > 0).then(|| (buffer.freeze(), handle)))
    });
    Ok(HttpResponse::Ok()
        .content_type(row.mime.as_str())
        .insert_header(("X-Content-Type-Options", "nosniff"))
        .insert_header(("Content-Security-Policy", "sandbox; default-src 'none'"))
        .insert_header(("Cross-Origin-Resource-Policy", "same-origin"))
        .insert_header(("Cache-Control", row.purpose.cached()))
        .insert_header(("ETag", format!("\"{}\"", id.0.simple())))
        .insert_header(ContentDisposition {
            disposition: DispositionType::Attachment,
            parameters: vec![DispositionParam::FilenameExt(
                actix_web::http::header::ExtendedValue {
                    charset: actix_web::http::header::Charset::Ext("UTF-8".into()),
                    language_tag: None,
                    value: row.name.into_bytes(),
                },
            )],
        })
        .no_chunking(length)
        .streaming(Box::pin(body)))
}
