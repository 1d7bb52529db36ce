//! What waits on this machine: bytes on their way in, or made here, until they have their place. Nobody but the server's own user reads them.

use crate::{error::Error, foundation::private};
use protocol::ErrorCode;
use std::{
    io,
    path::{Path, PathBuf},
};
use tokio::{fs, io::AsyncWriteExt};

pub(in crate::foundation) const INCOMING: &str = "incoming";
/// Below it nothing is taken in: the database on the same disk needs room to breathe.
const SPARE_DISK: u64 = 256 * 1024 * 1024;

/// A path that is removed unless it was moved away.
#[derive(Debug)]
pub(super) struct Temporary(Option<PathBuf>);

impl Temporary {
    pub(super) const fn at(path: PathBuf) -> Self {
        Self(Some(path))
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    pub(super) fn file_name(&self) -> Option<&str> {
        self.path()?.file_name()?.to_str()
    }

    /// It has another place now.
    pub(super) fn moved(mut self) {
        self.0 = None;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // One unlink; what fails here the hourly sweep finds.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Writes bytes to a new file, safely on the disk.
pub(super) async fn written(path: PathBuf, content: &[u8]) -> Result<Temporary, Error> {
    let mut file = private_file(&path).await?;
    let temporary = Temporary::at(path);
    file.write_all(content).await.map_err(disk)?;
    file.sync_all().await.map_err(disk)?;
    Ok(temporary)
}

pub(super) async fn private_folder(folder: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(private::FOLDER);
    builder.create(folder).await.map_err(disk)
}

pub(super) async fn private_file(path: &Path) -> Result<fs::File, Error> {
    let mut options = fs::OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create_new(true)
        .mode(private::FILE);
    options.open(path).await.map_err(disk)
}

/// Refuses while the disk is short of so much and what the database needs.
pub(in crate::foundation) fn room(folder: &Path, wanted: u64) -> Result<(), Error> {
    let free = nix::sys::statvfs::statvfs(folder)
        .map(|s| s.blocks_available().saturating_mul(s.fragment_size()))
        .map_err(|e| Error::internal(format!("cannot ask the disk: {e}")))?;
    if free < SPARE_DISK + wanted {
        tracing::error!(free, "files are refused: the disk is short");
        return Err(Error::code(ErrorCode::Unavailable).retry_after(60));
    }
    Ok(())
}

pub(super) fn disk(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::StorageFull {
        tracing::error!("uploads are refused: the disk is full");
        return Error::code(ErrorCode::Unavailable).retry_after(60);
    }
    Error::internal(format!("disk: {error}"))
}
