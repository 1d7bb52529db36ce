//! A ZIP on its way to the disk, piece by piece: packed on a thread of its own, so that nobody's data lies in memory whole.

use crate::error::Error;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
};
use tokio::{sync::mpsc, task::JoinHandle};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Pieces that wait for the packer.
const WAITING: usize = 16;
const PIECE: usize = 64 * 1024;

enum Piece {
    /// Begins an entry.
    Entry {
        name: String,
        packed: bool,
    },
    /// Of the entry that was begun.
    Bytes(Vec<u8>),
    /// All of a file, of the entry that was begun.
    Copy(File),
    End,
}

/// What came of it.
pub struct Packed {
    pub bytes: u64,
    pub sha256: Vec<u8>,
}

/// An archive under way.
pub struct Archive {
    to: mpsc::Sender<Piece>,
    /// None: its end was heard.
    packer: Option<JoinHandle<Result<Packed, Error>>>,
}

fn disk(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("an archive under way: {error}"))
}

impl Archive {
    /// Into an empty file; what is longer than `most` is given up.
    pub fn begin(file: File, most: u64) -> Self {
        let (to, pieces) = mpsc::channel(WAITING);
        let packer = tokio::task::spawn_blocking(move || pack(file, most, pieces));
        Self {
            to,
            packer: Some(packer),
        }
    }

    async fn give(&mut self, piece: Piece) -> Result<(), Error> {
        if self.to.send(piece).await.is_ok() {
            return Ok(());
        }
        // It has ended before its end: it knows why.
        self.end().await?;
        Err(Error::internal("an archive ended early"))
    }

    async fn end(&mut self) -> Result<Packed, Error> {
        let packer = self
            .packer
            .take()
            .ok_or_else(|| Error::internal("an archive after its end"))?;
        packer
            .await
            .map_err(|_| Error::internal("an archive's packer panicked"))?
    }

    /// Begins an entry of text.
    ///
    /// # Errors
    /// What stopped the packer.
    pub async fn text(&mut self, name: impl Into<String>) -> Result<(), Error> {
        self.give(Piece::Entry {
            name: name.into(),
            packed: true,
        })
        .await
    }

    /// Adds to the entry that was begun.
    ///
    /// # Errors
    /// What stopped the packer.
    pub async fn write(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), Error> {
        self.give(Piece::Bytes(bytes.into())).await
    }

    /// An entry that is a file: pictures and papers are packed already.
    ///
    /// # Errors
    /// What stopped the packer.
    pub async fn file(&mut self, name: impl Into<String>, file: File) -> Result<(), Error> {
        self.give(Piece::Entry {
            name: name.into(),
            packed: false,
        })
        .await?;
        self.give(Piece::Copy(file)).await
    }

    /// The whole of it is on the disk.
    ///
    /// # Errors
    /// What stopped the packer.
    pub async fn finish(mut self) -> Result<Packed, Error> {
        self.give(Piece::End).await?;
        self.end().await
    }
}

fn pack(file: File, most: u64, mut pieces: mpsc::Receiver<Piece>) -> Result<Packed, Error> {
    let mut zip = ZipWriter::new(BufWriter::new(file));
    let mut left = most;
    let mut room = |length: usize| {
        left = left
            .checked_sub(u64::try_from(length).unwrap_or(u64::MAX))
            .ok_or_else(|| Error::internal("a person's data beyond what one file takes"))?;
        Ok::<(), Error>(())
    };
    while let Some(piece) = pieces.blocking_recv() {
        match piece {
            Piece::Entry { name, packed } => {
                let method = if packed {
                    CompressionMethod::Deflated
                } else {
                    CompressionMethod::Stored
                };
                let options = SimpleFileOptions::default().compression_method(method);
                zip.start_file(name, options).map_err(disk)?;
            }
            Piece::Bytes(bytes) => {
                room(bytes.len())?;
                zip.write_all(&bytes).map_err(disk)?;
            }
            Piece::Copy(mut from) => {
                let mut buffer = vec![0; PIECE];
                loop {
                    let read = from.read(&mut buffer).map_err(disk)?;
                    let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
                        break;
                    };
                    room(read)?;
                    zip.write_all(bytes).map_err(disk)?;
                }
            }
            Piece::End => {
                let written = zip.finish().map_err(disk)?;
                let file = written.into_inner().map_err(|e| disk(e.error()))?;
                return weighed(file).map_err(disk);
            }
        }
    }
    Err(Error::internal("an archive was given up"))
}

/// Its length and digest, when it is safely on the disk.
fn weighed(mut file: File) -> io::Result<Packed> {
    file.sync_all()?;
    file.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; PIECE];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else {
            break;
        };
        hash.update(part);
        bytes += u64::try_from(read).unwrap_or(0);
    }
    Ok(Packed {
        bytes,
        sha256: hash.finalize().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zip::ZipArchive;

    #[tokio::test]
    async fn what_was_given_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let picture = folder.path().join("a.png");
        std::fs::write(&picture, b"picture").unwrap();
        let place = folder.path().join("a.zip");
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&place)
            .unwrap();
        let mut archive = Archive::begin(file, 1_000);
        archive.text("data/a.json").await.unwrap();
        archive.write("[1,").await.unwrap();
        archive.write("2]").await.unwrap();
        archive
            .file("files/a.png", File::open(&picture).unwrap())
            .await
            .unwrap();
        let packed = archive.finish().await.unwrap();
        assert_eq!(packed.bytes, std::fs::metadata(&place).unwrap().len());
        assert_eq!(
            packed.sha256,
            Sha256::digest(std::fs::read(&place).unwrap()).to_vec()
        );
        let mut read = ZipArchive::new(File::open(&place).unwrap()).unwrap();
        for (name, holds) in [("data/a.json", "[1,2]"), ("files/a.png", "picture")] {
            let text = io::read_to_string(read.by_name(name).unwrap()).unwrap();
            assert_eq!(text, holds, "{name}");
        }
    }

    #[tokio::test]
    async fn one_that_is_too_long_is_given_up_and_says_so() {
        let mut archive = Archive::begin(tempfile::tempfile().unwrap(), 10);
        archive.text("a").await.unwrap();
        let mut given = Ok(());
        for _ in 0..100 {
            given = given.and(archive.write("0123456789").await);
        }
        assert!(given.is_err() || archive.finish().await.is_err());
    }
}
