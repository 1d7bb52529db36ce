//! Who may see a file: the room of the thing that it belongs to answers. And how its bytes are given.

use super::{
    FileRow, Purpose,
    range::{Part, Wanted},
};
use crate::{error::Error, foundation::context::Context};
use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse,
    dev::Payload,
    http::{
        StatusCode,
        header::{self, Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue},
    },
};
use async_trait::async_trait;
use futures_util::stream;
use protocol::{ErrorCode, ids::UserId, permission::Permissions};
use std::{
    collections::HashMap,
    future::{Ready, ready},
    io::SeekFrom,
    sync::Arc,
};
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncSeekExt},
};

const CHUNK: usize = 64 * 1024;

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

/// A file's bytes, all or the part that is wanted: never a page of ours, whatever is in it. Piece by piece: a slow reader holds one piece
/// and the open file, nothing of the database.
///
/// # Errors
/// When the disk refuses.
pub async fn answer(row: FileRow, mut file: File, wanted: &Wanted) -> Result<HttpResponse, Error> {
    let length = u64::try_from(row.bytes).unwrap_or(0);
    let tag = format!("\"{}\"", row.id.0.simple());
    let part = wanted.part(length, &tag);
    let (status, first, count) = match part {
        Part::Whole => (StatusCode::OK, 0, length),
        Part::Bytes(first, last) => (StatusCode::PARTIAL_CONTENT, first, last - first + 1),
        Part::Nowhere => (StatusCode::RANGE_NOT_SATISFIABLE, 0, 0),
    };
    if first > 0 {
        let sought = file.seek(SeekFrom::Start(first)).await;
        sought.map_err(|e| Error::internal(format!("file {}: {e}", row.id)))?;
    }
    let body = stream::try_unfold(file.take(count), |mut file| async move {
        let mut buffer = bytes::BytesMut::with_capacity(CHUNK);
        let read = file.read_buf(&mut buffer).await?;
        Ok::<_, std::io::Error>((read > 0).then(|| (buffer.freeze(), file)))
    });
    let mut response = HttpResponse::build(status);
    response
        .content_type(row.mime.as_str())
        .insert_header(("X-Content-Type-Options", "nosniff"))
        .insert_header(("Content-Security-Policy", "sandbox; default-src 'none'"))
        .insert_header(("Cross-Origin-Resource-Policy", "same-origin"))
        .insert_header(("Cache-Control", row.purpose.cached()))
        .insert_header((header::ETAG, tag))
        .insert_header((header::ACCEPT_RANGES, "bytes"))
        // Packed on the way, its parts would be parts of something else.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(ContentDisposition {
            disposition: DispositionType::Attachment,
            parameters: vec![DispositionParam::FilenameExt(ExtendedValue {
                charset: Charset::Ext("UTF-8".into()),
                language_tag: None,
                value: row.name.into_bytes(),
            })],
        });
    match part {
        Part::Whole => {}
        Part::Bytes(first, last) => {
            let range = format!("bytes {first}-{last}/{length}");
            response.insert_header((header::CONTENT_RANGE, range));
        }
        Part::Nowhere => {
            response.insert_header((header::CONTENT_RANGE, format!("bytes */{length}")));
            return Ok(response.finish());
        }
    }
    Ok(response.no_chunking(count).streaming(Box::pin(body)))
}
