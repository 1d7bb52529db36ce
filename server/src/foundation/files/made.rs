//! A file that a room makes itself: written beside uploads under way, given its place with the change that it belongs to.

use super::{
    FileRow, Part, Purpose,
    incoming::{INCOMING, Temporary, private_file, private_folder, room},
    laid::Laid,
    store,
};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use protocol::ids::{FileId, UserId};

/// A file under way, not yet anybody's. Dropping it removes its bytes.
#[derive(Debug)]
pub struct Made {
    id: FileId,
    purpose: Purpose,
    bytes: Temporary,
}

/// What a file that was made is called, and what is in it.
#[derive(Clone, Debug)]
pub struct Finished {
    pub name: String,
    pub mime: &'static str,
    pub bytes: u64,
    pub sha256: Vec<u8>,
}

impl Made {
    /// An empty file to write to.
    ///
    /// # Errors
    /// `service.unavailable` when the disk is short; when it refuses.
    pub async fn begin(context: &Context, purpose: Purpose) -> Result<(Self, std::fs::File), Error> {
        let folder = context.files.join(INCOMING);
        private_folder(&folder).await?;
        room(&folder, purpose.limit())?;
        let id = FileId::fresh();
        let path = folder.join(id.0.simple().to_string());
        let bytes = Temporary::at(path.clone());
        let file = private_file(&path).await?.into_std().await;
        Ok((Self { id, purpose, bytes }, file))
    }

    #[must_use]
    pub const fn id(&self) -> FileId {
        self.id
    }

    /// Nothing more is written to it. Call it before the change that it belongs to begins: it may have to go over the network.
    ///
    /// # Errors
    /// `service.unavailable` while the bucket cannot be reached.
    pub async fn finish(self, context: &Context, finished: Finished) -> Result<Ready, Error> {
        let laid = Laid::lay(&context.shelves, self.id, vec![(Part::Served, self.bytes)]).await?;
        Ok(Ready {
            id: self.id,
            purpose: self.purpose,
            finished,
            laid,
        })
    }
}

/// A file that was made, not yet anybody's. Dropping it removes its bytes.
#[derive(Debug)]
pub struct Ready {
    id: FileId,
    purpose: Purpose,
    finished: Finished,
    laid: Laid,
}

impl Ready {
    /// Gives it a row and its place; call it in the transaction of the thing that it belongs to. The bytes are in place before the commit.
    ///
    /// # Errors
    /// Whatever the database or the disk refuses.
    pub async fn keep(self, tx: &mut Tx, context: &Context, owner: UserId) -> Result<FileRow, Error> {
        let row = FileRow {
            id: self.id,
            owner,
            purpose: self.purpose,
            mime: self.finished.mime.to_owned(),
            name: self.finished.name,
            bytes: i64::try_from(self.finished.bytes).map_err(|_| Error::internal("a file beyond i64"))?,
            sha256: self.finished.sha256,
            pixels: None,
            created_at: tx.now(),
        };
        store::insert(tx.conn(), &row).await?;
        self.laid.settle(&context.shelves).await?;
        Ok(row)
    }
}
