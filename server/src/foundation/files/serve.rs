//! Who may see a file: the room of the thing that it belongs to answers. And how its bytes are given.

use super::{
    FileRow, Opened, Part as Lying, Purpose, Small,
    range::{Part, Wanted},
};
use crate::{error::Error, foundation::context::Context};
use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder,
    dev::Payload,
    http::{
        StatusCode,
        header::{self, Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue},
    },
};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream;
use protocol::{ErrorCode, ids::UserId, permission::Permissions};
use std::{
    collections::HashMap,
    future::{Ready, ready},
    sync::Arc,
};

/// Who asks for a file; the gate puts it into every signed-in request.
#[derive(Clone, Copy, Debug)]
pub struct Viewer {
    pub user: UserId,
    pub permissions: Permissions,
}

impl FromRequest for Viewer {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            req.extensions()
                .get::<Self>()
                .copied()
                .ok_or_else(|| Error::code(ErrorCode::Unauthenticated)),
        )
    }
}

/// A room's answer for the files of its things.
#[async_trait]
pub trait MaySee: Send + Sync + 'static {
    async fn may_see(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error>;
}

/// One answerer per purpose; a purpose without one is shown to nobody.
#[derive(Clone, Default)]
pub struct Authorisers(HashMap<Purpose, Arc<dyn MaySee>>);

impl Authorisers {
    #[must_use]
    pub fn with(mut self, purpose: Purpose, answers: impl MaySee) -> Self {
        self.0.insert(purpose, Arc::new(answers));
        self
    }

    /// # Errors
    /// `request.not_found` for what the viewer may not know of.
    pub async fn check(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<(), Error> {
        let allowed = match self.0.get(&file.purpose) {
            Some(room) => room.may_see(context, viewer, file).await?,
            None => false,
        };
        if allowed {
            Ok(())
        } else {
            Err(Error::code(ErrorCode::RequestNotFound))
        }
    }
}

/// A file's bytes, all or the part that is wanted: never a page of ours, whatever is in it. Piece by piece: a slow reader holds one piece,
/// nothing of the database and no connection.
#[must_use]
pub fn answer(opened: Opened, wanted: &Wanted) -> HttpResponse {
    let Opened { row, shelves } = opened;
    let length = u64::try_from(row.bytes).unwrap_or(0);
    let tag = format!("\"{}\"", row.id.0.simple());
    if wanted.has(&tag) {
        return unchanged(&row, tag);
    }
    let part = wanted.part(length, &tag);
    let (status, first, count) = match part {
        Part::Whole => (StatusCode::OK, 0, length),
        Part::Bytes(first, last) => (StatusCode::PARTIAL_CONTENT, first, last - first + 1),
        Part::Nowhere => (StatusCode::RANGE_NOT_SATISFIABLE, 0, 0),
    };
    let id = row.id;
    let mut response = headed(status, &row, &row.mime, tag);
    response.insert_header((header::ACCEPT_RANGES, "bytes"));
    match part {
        Part::Whole => {}
        Part::Bytes(first, last) => {
            let range = format!("bytes {first}-{last}/{length}");
            response.insert_header((header::CONTENT_RANGE, range));
        }
        Part::Nowhere => {
            response.insert_header((header::CONTENT_RANGE, format!("bytes */{length}")));
            return response.finish();
        }
    }
    let end = first + count;
    let body = stream::try_unfold((shelves, first), move |(shelves, at)| async move {
        if at == end {
            return Ok::<_, Error>(None);
        }
        let next = end.min(at + shelves.piece_length());
        let bytes = shelves.read(id, Lying::Served, at..next).await?;
        Ok(Some((bytes, (shelves, next))))
    });
    response.no_chunking(count).streaming(Box::pin(body))
}

/// A small picture of a file.
#[must_use]
pub fn answer_small(row: &FileRow, small: Small, bytes: Bytes) -> HttpResponse {
    // What it is packed as depends on what shows through.
    let mime = infer::get(&bytes).map_or("application/octet-stream", |found| found.mime_type());
    headed(StatusCode::OK, row, mime, small_tag(row, small)).body(bytes)
}

/// What is said instead to who has it already.
#[must_use]
pub fn known_small(row: &FileRow, small: Small, wanted: &Wanted) -> Option<HttpResponse> {
    let tag = small_tag(row, small);
    wanted.has(&tag).then(|| unchanged(row, tag))
}

fn small_tag(row: &FileRow, small: Small) -> String {
    format!("\"{}{}\"", row.id.0.simple(), small.ending())
}

/// Without a type: a reader keeps what it has.
fn unchanged(row: &FileRow, tag: String) -> HttpResponse {
    HttpResponse::NotModified()
        .insert_header(("Cross-Origin-Resource-Policy", "same-origin"))
        .insert_header(("Cache-Control", row.purpose.cached()))
        .insert_header((header::ETAG, tag))
        .finish()
}

fn headed(status: StatusCode, row: &FileRow, mime: &str, tag: String) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response
        .content_type(mime)
        .insert_header(("X-Content-Type-Options", "nosniff"))
        .insert_header(("Content-Security-Policy", "sandbox; default-src 'none'"))
        .insert_header(("Cross-Origin-Resource-Policy", "same-origin"))
        .insert_header(("Cache-Control", row.purpose.cached()))
        .insert_header((header::ETAG, tag))
        // Packed on the way, its parts would be parts of something else.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(ContentDisposition {
            disposition: DispositionType::Attachment,
            parameters: vec![DispositionParam::FilenameExt(ExtendedValue {
                charset: Charset::Ext("UTF-8".into()),
                language_tag: None,
                value: row.name.clone().into_bytes(),
            })],
        });
    response
}
