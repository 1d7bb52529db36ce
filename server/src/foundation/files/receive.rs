//! Taking a file in: one a person at a time, streamed to the disk within its limit, then looked at off the async threads with
//! memory of the budget for all.

use super::{
    Kind, Part, Purpose,
    content::{self, Checked, Plan, Refusal},
    decoding::Memory,
    honest_name,
    incoming::{INCOMING, Temporary, disk, private_file, private_folder, room, written},
    laid::Laid,
    quota,
    shelves::SENDING,
    video,
};
use crate::{
    error::Error,
    foundation::{context::Context, turns::Turn},
};
use actix_multipart::{Field, Multipart, MultipartError};
use futures_util::StreamExt;
use protocol::{
    ErrorCode,
    ids::{FileId, UserId},
};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::io::AsyncWriteExt;

/// What is read and dropped behind the limit, so that the sender hears why instead of a broken connection.
const DRAINED: u64 = 64 * 1024 * 1024;
const MAX_FIELDS: usize = 20;
const MAX_TEXT: usize = 64 * 1024;

/// A sender that is silent for so long has gone: the next upload of the same person waits for this one's end.
const SILENCE: Duration = Duration::from_secs(20);

/// A file that was taken in and looked at, not yet anybody's. Dropping it removes its bytes.
#[derive(Debug)]
pub struct Received {
    pub id: FileId,
    pub purpose: Purpose,
    pub kind: Kind,
    pub name: String,
    /// Size of what will be served.
    pub bytes: i64,
    /// Of the bytes as sent.
    pub sha256: Vec<u8>,
    pub pixels: Option<Vec<u8>>,
    pub(super) laid: Laid,
}

/// A multipart form: its text fields and its first file.
#[derive(Debug, Default)]
pub struct Form {
    pub fields: BTreeMap<String, String>,
    pub file: Option<Received>,
}

/// Takes in the one file of a multipart request.
///
/// # Errors
/// `request.unsupported_media`, `file.busy`, `file.quota`, `file.empty`, `file.too_large`, `file.type`, `file.damaged`, `file.dimensions`, `file.sides`, `file.frames`,
/// `file.active`, `service.busy`, `service.unavailable` when the disk is short.
pub async fn receive(
    context: &Context,
    sender: UserId,
    payload: Multipart,
    purpose: Purpose,
) -> Result<Received, Error> {
    receive_form(context, sender, payload, purpose)
        .await?
        .file
        .ok_or_else(|| refused(ErrorCode::FileEmpty, purpose))
}

/// Takes in a multipart form: all text fields and the first file; further files are read past.
///
/// # Errors
/// As [`receive`]; a form without a file is no error.
pub async fn receive_form(
    context: &Context,
    sender: UserId,
    mut payload: Multipart,
    purpose: Purpose,
) -> Result<Form, Error> {
    let turn = match admitted(context, sender, purpose).await {
        Ok(turn) => Arc::new(turn),
        Err(error) => {
            // Read past, or the sender meets a broken connection instead of the reason.
            if let Some(Ok(mut field)) = payload.next().await {
                drain(&mut field, DRAINED).await;
            }
            return Err(error);
        }
    };
    let mut form = Form::default();
    let mut seen = 0;
    while let Some(field) = heard(payload.next()).await? {
        let mut field = field.map_err(unreadable)?;
        seen += 1;
        if seen > MAX_FIELDS {
            return Err(Error::code(ErrorCode::RequestInvalid));
        }
        let sent_name = field
            .content_disposition()
            .and_then(|d| d.get_filename())
            .map(str::to_owned);
        let is_file = sent_name.is_some() || field.content_type().is_some_and(|t| t.type_() != "text");
        if is_file && form.file.is_none() {
            form.file = take(context, &turn, &mut field, sent_name.as_deref(), purpose).await?;
        } else if is_file {
            drain(&mut field, DRAINED).await;
        } else {
            let name = field.name().unwrap_or_default().to_owned();
            let bytes = heard(field.bytes(MAX_TEXT))
                .await?
                .map_err(|_| Error::code(ErrorCode::RequestTooLarge))?
                .map_err(unreadable)?;
            let text =
                String::from_utf8(bytes.to_vec()).map_err(|_| Error::code(ErrorCode::RequestMalformed))?;
            form.fields.insert(name, text);
        }
    }
    Ok(form)
}

async fn admitted(context: &Context, sender: UserId, purpose: Purpose) -> Result<Turn, Error> {
    let turn = context.decoding.turn(sender).await?;
    quota::check(context, sender, purpose).await?;
    Ok(turn)
}

async fn take(
    context: &Context,
    turn: &Arc<Turn>,
    field: &mut Field,
    sent_name: Option<&str>,
    purpose: Purpose,
) -> Result<Option<Received>, Error> {
    let folder = context.files.join(INCOMING);
    private_folder(&folder).await?;
    room(&folder, 3 * purpose.limit())?;
    let id = FileId::fresh();
    let path = folder.join(id.0.simple().to_string());
    let original = Temporary::at(path.clone());
    let mut file = private_file(&path).await?;
    let mut hash = Sha256::new();
    let mut size: u64 = 0;
    while let Some(chunk) = heard(field.next()).await? {
        let chunk = chunk.map_err(unreadable)?;
        size += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        if size > purpose.limit() {
            drain(field, DRAINED).await;
            return Err(refused(ErrorCode::FileTooLarge, purpose));
        }
        hash.update(&chunk);
        file.write_all(&chunk).await.map_err(disk)?;
    }
    if size == 0 {
        // A browser sends an unused file input as an empty, nameless part.
        return if sent_name.unwrap_or_default().is_empty() {
            Ok(None)
        } else {
            Err(refused(ErrorCode::FileEmpty, purpose))
        };
    }
    file.sync_all().await.map_err(disk)?;
    drop(file);

    // Held until what came of it is in its place: the copy takes memory, and so does what is sent to a bucket.
    let (checked, mut memory) = inspect(context, turn, path, size, purpose).await?;
    let Checked {
        kind,
        copy,
        pixels,
        smalls,
    } = checked;
    let mut bytes = size;
    let beside = |ending: &str| folder.join(format!("{}{ending}", id.0.simple()));
    let mut parts = Vec::new();
    match copy {
        Some(content) => {
            bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
            parts.push((Part::Served, written(beside(".copy"), &content).await?));
            if purpose.keeps_original() {
                parts.push((Part::Original, original));
            }
        }
        None => parts.push((Part::Served, original)),
    }
    for (small, content) in smalls {
        let place = beside(small.ending());
        parts.push((Part::Small(small), written(place, &content).await?));
    }
    if let Some(memory) = &mut memory {
        memory.shrink(SENDING);
    }
    let laid = Laid::lay(&context.shelves, id, parts).await?;
    drop(memory);
    Ok(Some(Received {
        id,
        purpose,
        kind,
        name: honest_name(sent_name, kind),
        bytes: i64::try_from(bytes).map_err(|_| Error::internal("a file beyond i64"))?,
        sha256: hash.finalize().to_vec(),
        pixels,
        laid,
    }))
}

/// Looks at a file on a thread of its own: first at its header, and with the memory that this asks for at all of it.
async fn inspect(
    context: &Context,
    turn: &Arc<Turn>,
    path: PathBuf,
    size: u64,
    purpose: Purpose,
) -> Result<(Checked, Option<Memory>), Error> {
    if purpose.takes_videos() {
        let place = path.clone();
        let held = Arc::clone(turn);
        let look = move || {
            let _turn = held;
            let mut file = std::fs::File::open(&place).map_err(Trouble::Disk)?;
            Ok(video::look(&mut file, size)?)
        };
        if let Some(kind) = aside(purpose, look).await? {
            return Ok((Checked::as_it_came(kind), None));
        }
        if size > purpose.limit_of(Kind::Pdf) {
            return Err(too_large(purpose.limit_of(Kind::Pdf)));
        }
    }
    let place = path.clone();
    let Plan { kind, memory } = aside(purpose, move || Ok(content::plan(&read(&place)?, purpose)?)).await?;
    let memory = context.decoding.memory(memory).await?;
    // Memory and turn go with the work: a sender who goes away does not free what is still in use.
    let turn = Arc::clone(turn);
    aside(purpose, move || {
        let _turn = turn;
        Ok((
            content::check(&read(&path)?, kind, purpose.smalls())?,
            Some(memory),
        ))
    })
    .await
}

/// Why a file cannot be looked at.
pub(super) enum Trouble {
    Disk(io::Error),
    Refused(Refusal),
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Trouble> {
    std::fs::read(path).map_err(Trouble::Disk)
}

/// Looks on a thread where that holds up nobody.
pub(super) async fn aside<T: Send + 'static>(
    purpose: Purpose,
    look: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(look).await;
    // A decoder that panics has met bytes that no honest program writes.
    done.unwrap_or(Err(Trouble::Refused(Refusal::Damaged)))
        .map_err(|trouble| match trouble {
            Trouble::Disk(error) => disk(error),
            Trouble::Refused(refusal) => refused(
                match refusal {
                    Refusal::Type => ErrorCode::FileType,
                    Refusal::Damaged => ErrorCode::FileDamaged,
                    Refusal::Dimensions => ErrorCode::FileDimensions,
                    Refusal::Sides => ErrorCode::FileSides,
                    Refusal::Frames => ErrorCode::FileFrames,
                    Refusal::Active => ErrorCode::FileActive,
                },
                purpose,
            ),
        })
}

/// What a sender says next; one that has gone silent is given up.
async fn heard<T>(next: impl Future<Output = T>) -> Result<T, Error> {
    tokio::time::timeout(SILENCE, next)
        .await
        .map_err(|_| Error::code(ErrorCode::RequestMalformed))
}

fn refused(code: ErrorCode, purpose: Purpose) -> Error {
    Error::code(code)
        .field("file", code)
        .with("maximum", purpose.limit() / super::MEGABYTE)
}

/// Larger than what its kind may be, though not than everything of its purpose.
fn too_large(limit: u64) -> Error {
    let code = ErrorCode::FileTooLarge;
    Error::code(code)
        .field("file", code)
        .with("maximum", limit / super::MEGABYTE)
}

async fn drain(field: &mut Field, at_most: u64) {
    let mut read: u64 = 0;
    while let Ok(Some(Ok(chunk))) = heard(field.next()).await {
        read += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        if read > at_most {
            return;
        }
    }
}

fn unreadable(error: MultipartError) -> Error {
    match error {
        MultipartError::ContentTypeMissing
        | MultipartError::ContentTypeParse
        | MultipartError::ContentTypeIncompatible
        | MultipartError::BoundaryMissing => Error::code(ErrorCode::RequestUnsupportedMedia),
        _ => Error::code(ErrorCode::RequestMalformed),
    }
}
