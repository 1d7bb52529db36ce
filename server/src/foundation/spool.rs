//! A file on its way to a reader who may be slow: nothing that others wait for is held until it has been read.
//!
//! A file is written here as fast as it comes, in memory while it is small, beyond that on the disk in a file without a name,
//! and given on piece by piece (2026-11-26: three slow readers of lists held the three connections for them). It is its
//! person's alone ([`super::turns`]) until its last piece has been taken or [`PATIENCE`] is over.

use super::{
    files::{self, INCOMING},
    private,
    turns::Turn,
};
use crate::error::Error;
use actix_web::web::Bytes;
use futures_util::{Stream, stream};
use std::{
    io::{self, SeekFrom},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    fs::{self, File},
    io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt},
    sync::mpsc,
};
use uuid::Uuid;

/// How long a reader may take.
pub const PATIENCE: Duration = Duration::from_secs(300);
/// Pieces that wait for a slow reader.
pub const WAITING: usize = 2;
const PIECE: usize = 64 * 1024;
const MEGABYTE: usize = 1024 * 1024;
/// What lies in memory.
const IN_MEMORY: usize = MEGABYTE;
/// No list of ours is longer.
const MOST: usize = 256 * MEGABYTE;

/// A piece, the end, or why there are no more.
pub type Piece = Result<Option<Bytes>, Error>;

/// What has been written and not yet given on.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    memory: Vec<u8>,
    file: Option<File>,
    length: usize,
}

impl Spool {
    /// Beside what uploads leave there while they come in.
    #[must_use]
    pub fn new(files: &Path) -> Self {
        Self {
            folder: files.join(INCOMING),
            memory: Vec::new(),
            file: None,
            length: 0,
        }
    }

    /// Adds to it.
    ///
    /// # Errors
    /// `service.unavailable` while the disk is short; when it refuses, and for a file longer than any of ours.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.length += bytes.len();
        if self.length > MOST {
            return Err(Error::internal("a file longer than any list"));
        }
        if self.file.is_none() && self.memory.len() + bytes.len() <= IN_MEMORY {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(nameless(&self.folder).await?),
        };
        // Asked anew with each piece: others write as well.
        files::room(&self.folder, u64::try_from(bytes.len()).unwrap_or(u64::MAX))?;
        let before = std::mem::take(&mut self.memory);
        file.write_all(&before).await.map_err(disk)?;
        file.write_all(bytes).await.map_err(disk)
    }

    /// Gives all of it on; whoever has gone away gets no more.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn give(self, to: &mpsc::Sender<Piece>) -> Result<(), Error> {
        let Some(mut file) = self.file else {
            give_bytes(Bytes::from(self.memory), to).await;
            return Ok(());
        };
        file.flush().await.map_err(disk)?;
        file.seek(SeekFrom::Start(0)).await.map_err(disk)?;
        loop {
            let mut piece = bytes::BytesMut::with_capacity(PIECE);
            if file.read_buf(&mut piece).await.map_err(disk)? == 0
                || to.send(Ok(Some(piece.freeze()))).await.is_err()
            {
                return Ok(());
            }
        }
    }
}

/// A file that nobody else finds and that goes with its handle.
async fn nameless(folder: &Path) -> Result<File, Error> {
    let mut made = fs::DirBuilder::new();
    made.recursive(true).mode(private::FOLDER);
    made.create(folder).await.map_err(disk)?;
    files::room(folder, u64::try_from(MOST).unwrap_or(u64::MAX))?;
    let path = folder.join(Uuid::now_v7().simple().to_string());
    let mut options = fs::OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create_new(true)
        .mode(private::FILE);
    let file = options.open(&path).await.map_err(disk)?;
    fs::remove_file(&path).await.map_err(disk)?;
    Ok(file)
}

fn disk(error: io::Error) -> Error {
    Error::internal(format!("a file under way: {error}"))
}

async fn give_bytes(mut rest: Bytes, to: &mpsc::Sender<Piece>) {
    while !rest.is_empty() {
        let piece = rest.split_to(PIECE.min(rest.len()));
        if to.send(Ok(Some(piece))).await.is_err() {
            return;
        }
    }
}

/// A file that is whole in memory, at its reader's speed; the turn ends with its last piece.
pub fn read(bytes: Vec<u8>, turn: Turn) -> impl Stream<Item = Result<Bytes, Error>> {
    let (to, received) = mpsc::channel(WAITING);
    actix_web::rt::spawn(async move {
        let all = give_bytes(Bytes::from(bytes), &to);
        let end = tokio::time::timeout(PATIENCE, all).await.map(|()| None);
        drop(turn);
        end_with(&to, end.map_err(|_| too_slow())).await;
    });
    body(received)
}

/// Why a reader gets no more.
pub fn too_slow() -> Error {
    Error::internal("a file took longer than its time")
}

/// Tells the end. One who is too slow for more pieces hears of a failure when the pieces are gone.
pub async fn end_with(to: &mpsc::Sender<Piece>, end: Piece) {
    if end.is_ok() {
        // Nobody there: whoever asked has gone.
        let _ = to.send(end).await;
    } else {
        let _ = to.try_send(end);
    }
}

/// Pieces as an answer's body; what ends without saying so is a broken transfer.
pub fn body(received: mpsc::Receiver<Piece>) -> impl Stream<Item = Result<Bytes, Error>> {
    stream::unfold(Some(received), async |received| {
        let mut received = received?;
        match received.recv().await {
            Some(Ok(Some(bytes))) => Some((Ok(bytes), Some(received))),
            Some(Ok(None)) => None,
            Some(Err(error)) => {
                tracing::error!(error = ?error, "a file was cut short");
                Some((Err(error), None))
            }
            None => Some((Err(Error::internal("a file was cut short")), None)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::turns::Turns;
    use futures_util::StreamExt;
    use protocol::{ErrorCode, ids::UserId};

    async fn whole(stream: impl Stream<Item = Result<Bytes, Error>>) -> Vec<u8> {
        let pieces: Vec<_> = stream
            .map(|piece| piece.map_err(|e| e.error_code()))
            .collect()
            .await;
        pieces.into_iter().flat_map(|piece| piece.unwrap()).collect()
    }

    #[actix_web::test]
    async fn what_is_written_is_given_on_and_leaves_nothing() {
        let files = tempfile::tempdir().unwrap();
        for (rows, on_disk) in [(3, false), (40_000, true)] {
            let mut spool = Spool::new(files.path());
            let mut expected = Vec::new();
            for row in 0..rows {
                let line = format!("{row};a row as lists have them, of sixty characters or so;\n");
                spool.write(line.as_bytes()).await.unwrap();
                expected.extend(line.bytes());
            }
            assert_eq!(spool.file.is_some(), on_disk);
            let (to, received) = mpsc::channel(WAITING);
            actix_web::rt::spawn(async move {
                let end = spool.give(&to).await.map(|()| None);
                end_with(&to, end).await;
            });
            assert!(whole(body(received)).await == expected);
        }
        let left = std::fs::read_dir(files.path().join(INCOMING)).unwrap().count();
        assert_eq!(left, 0);
    }

    #[actix_web::test]
    async fn a_turn_lasts_until_the_file_has_been_read() {
        let turns = Turns::new(Duration::ZERO, ErrorCode::ExportBusy);
        let ana = UserId::fresh();
        let bytes = vec![b'x'; 10 * PIECE];
        let busy = async || turns.turn(ana).await.map(drop).map_err(|e| e.error_code());
        let reading = read(bytes.clone(), turns.turn(ana).await.unwrap());
        assert_eq!(busy().await, Err(ErrorCode::ExportBusy));
        assert!(whole(reading).await == bytes);
        assert_eq!(busy().await, Ok(()));
    }

    #[actix_web::test]
    async fn what_ends_without_its_end_is_a_broken_transfer() {
        let (to, received) = mpsc::channel(WAITING);
        to.send(Ok(Some(Bytes::from_static(b"a")))).await.unwrap();
        to.send(Ok(Some(Bytes::from_static(b"b")))).await.unwrap();
        // Nobody takes a piece: there is no room for the reason either.
        end_with(&to, Err(too_slow())).await;
        drop(to);
        let pieces: Vec<_> = body(received).collect().await;
        assert_eq!(pieces.len(), 3);
        assert!(pieces[2].is_err());
    }
}
