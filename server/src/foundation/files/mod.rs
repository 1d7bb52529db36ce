//! Uploaded files: taken in as a stream, known by their content, kept under a uuid, shown only to those whom the parent allows.
//!
//! Invariants: what the name or the sender says about a type is ignored; pictures are decoded and written anew (no metadata,
//! no tail) before anyone is served; a document that could act is refused (`document`); the original bytes of a proof stay
//! beside the copy as evidence and are never served. What looking at uploads may take of the machine is bounded (`decoding`).
//! Files and folders are their owner's alone, and no browser keeps what is about a person (2026-11-23).
//! Tables: `foundation.file`, `foundation.stray` (`sweeping`), `foundation.shelves` (`whose`). Places: `<files>/incoming` while taking in, a shelf
//! (`shelves`) after that: of the same folder, or of a bucket.

mod content;
pub mod decoding;
mod document;
mod incoming;
mod laid;
mod late;
mod made;
mod quota;
mod range;
mod receive;
pub mod routes;
mod serve;
mod shelves;
mod small;
mod store;
pub mod sweeping;
mod video;
pub mod whose;

use super::{
    context::Context,
    job_queue::{self, Claimed, NewJob},
    kept,
    transaction::Tx,
};
use crate::error::Error;
use protocol::{
    ErrorCode, Queue,
    ids::{FileId, UserId},
    permission::Permissions,
};
use time::OffsetDateTime;

pub(super) use incoming::{INCOMING, room};
pub use late::small;
pub use made::{Finished, Made, Ready};
pub use quota::Quota;
pub use range::Wanted;
pub use receive::{Form, Received, receive, receive_form};
pub use serve::{Authorisers, MaySee, Viewer, answer, answer_small, known_small};
pub use shelves::{Bucket, Shelves};
pub use small::Small;
pub use store::{FileRow, Similar};

/// What a file is for: decides which types and sizes pass and who may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    PixProof,
    /// The bank's receipt of a payment to a customer.
    PixPayment,
    TicketAttachment,
    Avatar,
    /// The document behind a pool's revenue.
    PoolProof,
    /// The picture on a card of a lesson or of material.
    ContentCover,
    /// A lesson's video or paper, material to hand on.
    ContentFile,
    /// All that is kept about a person: made by the house, uploaded by nobody.
    DataExport,
}

/// A type that we accept, as found in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Png,
    Jpeg,
    Gif,
    Pdf,
    Mp4,
    Webm,
}

impl Kind {
    #[must_use]
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Pdf => "application/pdf",
            Self::Mp4 => "video/mp4",
            Self::Webm => "video/webm",
        }
    }

    /// Looked at by its frame alone and kept as it came.
    const fn is_video(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm)
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Pdf => "pdf",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }
}

const MEGABYTE: u64 = 1024 * 1024;

impl Purpose {
    pub const ALL: [Self; 8] = [
        Self::PixProof,
        Self::PixPayment,
        Self::TicketAttachment,
        Self::Avatar,
        Self::PoolProof,
        Self::ContentCover,
        Self::ContentFile,
        Self::DataExport,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PixProof => "pix_proof",
            Self::PixPayment => "pix_payment",
            Self::TicketAttachment => "ticket_attachment",
            Self::Avatar => "avatar",
            Self::PoolProof => "pool_proof",
            Self::ContentCover => "content_cover",
            Self::ContentFile => "content_file",
            Self::DataExport => "data_export",
        }
    }

    #[must_use]
    pub const fn accepts(self) -> &'static [Kind] {
        match self {
            Self::PixProof | Self::PixPayment | Self::PoolProof => &[Kind::Png, Kind::Jpeg, Kind::Pdf],
            Self::TicketAttachment => &[Kind::Png, Kind::Jpeg, Kind::Gif, Kind::Pdf],
            Self::Avatar => &[Kind::Jpeg, Kind::Png, Kind::Gif],
            Self::ContentCover => &[Kind::Jpeg, Kind::Png],
            Self::ContentFile => &[Kind::Png, Kind::Jpeg, Kind::Gif, Kind::Pdf, Kind::Mp4, Kind::Webm],
            Self::DataExport => &[],
        }
    }

    /// In bytes.
    #[must_use]
    pub const fn limit(self) -> u64 {
        match self {
            Self::PixProof | Self::PixPayment | Self::PoolProof | Self::TicketAttachment => 8 * MEGABYTE,
            Self::Avatar | Self::ContentCover => 4 * MEGABYTE,
            Self::ContentFile => 64 * MEGABYTE,
            Self::DataExport => 256 * MEGABYTE,
        }
    }

    /// In bytes, of what is decoded or read whole: a video is neither.
    const fn limit_of(self, kind: Kind) -> u64 {
        match self {
            Self::ContentFile if !kind.is_video() => 8 * MEGABYTE,
            _ => self.limit(),
        }
    }

    /// What one person may send of it within a day. What the house keeps of itself has rules of its own; a face has one file.
    #[must_use]
    pub const fn quota(self) -> Option<Quota> {
        match self {
            Self::PixProof => Some(Quota {
                files: 60,
                megabytes: 200,
            }),
            Self::TicketAttachment => Some(Quota {
                files: 200,
                megabytes: 500,
            }),
            Self::PixPayment
            | Self::Avatar
            | Self::PoolProof
            | Self::ContentCover
            | Self::ContentFile
            | Self::DataExport => None,
        }
    }

    fn takes_videos(self) -> bool {
        self.accepts().iter().any(|kind| kind.is_video())
    }

    /// What a browser may keep: faces, and what everybody may see; of everything else nothing is left there for who comes after.
    const fn cached(self) -> &'static str {
        match self {
            Self::Avatar | Self::ContentCover | Self::ContentFile => "private, max-age=3600, immutable",
            Self::PixProof
            | Self::PixPayment
            | Self::TicketAttachment
            | Self::PoolProof
            | Self::DataExport => "no-store",
        }
    }

    /// The small ones that a picture gets: squares where it is a face, one that fits a card or a conversation where it is shown there.
    #[must_use]
    pub const fn smalls(self) -> &'static [Small] {
        match self {
            Self::Avatar => &Small::SQUARES,
            Self::TicketAttachment | Self::ContentCover | Self::ContentFile => &[Small::Preview],
            Self::PixProof | Self::PixPayment | Self::PoolProof | Self::DataExport => &[],
        }
    }

    /// Whether the bytes as sent are kept beside the copy that is served.
    const fn keeps_original(self) -> bool {
        matches!(self, Self::PixProof | Self::PixPayment | Self::PoolProof)
    }
}

impl std::str::FromStr for Purpose {
    type Err = ();
    fn from_str(s: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|p| p.as_str() == s).ok_or(())
    }
}

/// What lies under one id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// What is given out.
    Served,
    /// The bytes as sent.
    Original,
    Small(Small),
}

impl Part {
    /// The served one last.
    const ALL: [Self; 6] = [
        Self::Original,
        Self::Small(Small::Square32),
        Self::Small(Small::Square64),
        Self::Small(Small::Square128),
        Self::Small(Small::Preview),
        Self::Served,
    ];

    const fn ending(self) -> &'static str {
        match self {
            Self::Served => "",
            Self::Original => ".original",
            Self::Small(small) => small.ending(),
        }
    }
}

/// Gives received bytes a row and their place; call it in the transaction of the thing that they belong to.
///
/// The bytes are in place before the commit: a row never names a file that is not there. Should the change be undone, a file
/// without a row is left, which nobody is served and the sweep finds ([`sweeping`]).
///
/// # Errors
/// Whatever the database or the disk refuses.
pub async fn persist(
    tx: &mut Tx,
    context: &Context,
    owner: UserId,
    received: Received,
) -> Result<FileRow, Error> {
    let row = FileRow {
        id: received.id,
        owner,
        purpose: received.purpose,
        mime: received.kind.mime().to_owned(),
        name: received.name.clone(),
        bytes: received.bytes,
        sha256: received.sha256.clone(),
        pixels: received.pixels.clone(),
        created_at: tx.now(),
    };
    store::insert(tx.conn(), &row).await?;
    received.laid.settle(&context.shelves).await?;
    Ok(row)
}

/// A file whose bytes are there, to be given out.
#[derive(Debug)]
pub struct Opened {
    pub row: FileRow,
    shelves: Shelves,
}

impl Opened {
    /// Its bytes on this machine, for who cannot take them piece by piece.
    ///
    /// # Errors
    /// When they cannot be had.
    pub async fn on_disk(&self) -> Result<std::fs::File, Error> {
        self.shelves.on_disk(self.row.id, self.length()).await
    }

    fn length(&self) -> u64 {
        u64::try_from(self.row.bytes).unwrap_or(0)
    }
}

/// A file that has a row.
#[derive(Debug)]
pub enum Looked {
    Whole(Opened),
    /// Its bytes are not where they should be.
    Lost(FileRow),
}

/// A file's row and bytes, without asking who wants them; none: there is no such file.
///
/// # Errors
/// When the database or the store refuses.
pub async fn look(context: &Context, id: FileId) -> Result<Option<Looked>, Error> {
    let Some(row) = store::find(context.db.pool(), id).await? else {
        return Ok(None);
    };
    let length = context.shelves.length(id, Part::Served).await?;
    let shelves = context.shelves.clone();
    Ok(Some(match length {
        Some(_) => Looked::Whole(Opened { row, shelves }),
        None => Looked::Lost(row),
    }))
}

/// The same for who cannot do without.
///
/// # Errors
/// `request.not_found` when there is no such file.
pub async fn open(context: &Context, id: FileId) -> Result<Opened, Error> {
    match look(context, id).await? {
        Some(Looked::Whole(opened)) => Ok(opened),
        Some(Looked::Lost(_)) => Err(Error::internal(format!("file {id} has a row but no bytes"))),
        None => Err(Error::code(ErrorCode::RequestNotFound)),
    }
}

/// Removes the bytes of a file without a row.
pub const REMOVE: &str = "foundation.remove_file";

/// Takes a file's row away in the change that lets go of it; its bytes go after the commit.
///
/// # Errors
/// Whatever the database refuses.
pub async fn discard(tx: &mut Tx, id: FileId) -> Result<(), Error> {
    store::delete(tx.conn(), id).await?;
    tx.enqueue(NewJob::new(REMOVE, format!("{REMOVE}:{id}"), &id)?);
    Ok(())
}

/// The job behind [`discard`]: done again it finds nothing to do. From shelves that are another's it takes nothing: whoever they belong to
/// may have a row for it, and else finds it to be nobody's.
///
/// # Errors
/// When the disk or the database refuses; tried again.
pub async fn remove(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: FileId = serde_json::from_value(job.payload.clone())?;
    if whose::whose(context).await? == whose::Whose::Others {
        tracing::warn!(file = %id, "a file that was let go stays: the shelves are another database's");
    } else {
        forget(context, id).await?;
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Removes the bytes of a file that has no row: of one that was discarded, or whose change was undone.
///
/// # Errors
/// When the disk or the database refuses.
pub async fn forget(context: &Context, id: FileId) -> Result<(), Error> {
    if store::find(context.db.pool(), id).await?.is_some() {
        return Ok(());
    }
    context.shelves.forget(id).await
}

/// A file's row.
///
/// # Errors
/// Whatever the database refuses.
pub async fn find(context: &Context, id: FileId) -> Result<Option<FileRow>, Error> {
    store::find(context.db.pool(), id).await
}

/// Whether other files of this purpose have the same bytes or pixels.
///
/// # Errors
/// Whatever the database refuses.
pub async fn similar(tx: &mut Tx, row: &FileRow) -> Result<Similar, Error> {
    store::similar(tx.conn(), row).await
}

/// Removes what interrupted uploads left behind a while ago. A job calls it.
///
/// # Errors
/// When the folder cannot be read.
pub async fn sweep(context: &Context, now: OffsetDateTime) -> Result<u32, Error> {
    let folder = context.files.join(INCOMING);
    let mut removed = 0;
    let Ok(mut entries) = tokio::fs::read_dir(&folder).await else {
        return Ok(0); // nothing was ever received
    };
    while let Some(entry) = entries
        .next_entry()
        .await
        .map_err(|e| Error::internal(format!("incoming: {e}")))?
    {
        let Ok(modified) = entry.metadata().await.and_then(|m| m.modified()) else {
            continue;
        };
        if OffsetDateTime::from(modified) < now - kept::UPLOADS
            && tokio::fs::remove_file(entry.path()).await.is_ok()
        {
            removed += 1;
        }
    }
    Ok(removed)
}

/// What the database may hold of a file name that a stranger sent: one honest line without paths.
fn honest_name(sent: Option<&str>, kind: Kind) -> String {
    let tail = sent
        .unwrap_or_default()
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default();
    let stem = tail.rsplit_once('.').map_or(tail, |(stem, _)| stem);
    // Browsers write a quote and line breaks within a name like this.
    let told = stem.replace("%22", "\"").replace("%0D", " ").replace("%0A", " ");
    let clean: String = super::text::line(&told)
        .unwrap_or_default()
        .chars()
        .filter(|c| !matches!(c, '<' | '>'))
        .map(|c| if c == '"' { '\'' } else { c })
        .collect();
    let clean = super::text::cut(&clean, 80);
    let stem = if clean.trim().is_empty() {
        "arquivo"
    } else {
        clean.trim()
    };
    format!("{stem}.{}", kind.extension())
}

impl Viewer {
    #[must_use]
    pub const fn new(user: UserId, permissions: Permissions) -> Self {
        Self { user, permissions }
    }

    /// Whether they decide in a queue, and so see the evidence that lies there.
    #[must_use]
    pub const fn decides(&self, queue: Queue) -> bool {
        self.permissions.holds(queue.decides())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_paths_lies_and_false_endings() {
        for (sent, kept) in [
            (Some("comprovante pix.PDF"), "comprovante pix.png"),
            (Some("../../etc/passwd"), "passwd.png"),
            (Some("C:\\x\\a\u{202e}gnp.exe"), "arquivo.png"),
            (Some("<b>\".html"), "b'.png"),
            (Some("nota \"final\".png"), "nota 'final'.png"),
            (Some("nota %22final%22.png"), "nota 'final'.png"),
            (Some("50%; pago.png"), "50%; pago.png"),
            (Some("🤷\u{200d}♀\u{fe0f}.png"), "🤷\u{200d}♀\u{fe0f}.png"),
            (Some("\u{2800}.png"), "arquivo.png"),
            (Some(".png"), "arquivo.png"),
            (None, "arquivo.png"),
        ] {
            assert_eq!(honest_name(sent, Kind::Png), kept, "{sent:?}");
        }
    }
}
