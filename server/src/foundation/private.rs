//! What only the server's own user may read: uploads, drawn secrets, the demo's chain, the database's log.
//!
//! The data folder itself stays open to pass through, because PostgreSQL may run as another user below it.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::Path,
};

/// A folder for its owner.
pub const FOLDER: u32 = 0o700;
/// A file for its owner.
pub const FILE: u32 = 0o600;

/// Makes a folder with what is missing above it; the folder alone is closed.
///
/// # Errors
/// Whatever the file system refuses.
pub fn make(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    match fs::DirBuilder::new().mode(FOLDER).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made,
    }
}

/// Closes what an earlier version left open: a file, or a folder with everything below it; links are not followed. What is
/// not there needs nothing. How many were open.
///
/// # Errors
/// Whatever the file system refuses, for example to change what belongs to somebody else.
pub fn close(path: &Path) -> io::Result<u32> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        // Folders are closed after what is in them: an interrupted mending goes on at the next start, a finished one costs nothing.
        Ok(found) if !is_open(&found) => Ok(0),
        _ => close_all(path),
    }
}

fn is_open(found: &fs::Metadata) -> bool {
    found.permissions().mode() & 0o077 != 0
}

fn close_all(path: &Path) -> io::Result<u32> {
    let found = fs::symlink_metadata(path)?;
    let (mode, mut closed) = match found.file_type() {
        kind if kind.is_dir() => (FOLDER, 0),
        kind if kind.is_file() => (FILE, 0),
        _ => return Ok(0),
    };
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            closed += close_all(&entry?.path())?;
        }
    }
    if is_open(&found) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        closed += 1;
    }
    Ok(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_was_open_is_closed_and_links_lead_nowhere() {
        let place = tempfile::tempdir().unwrap();
        let (outside, uploads) = (place.path().join("outside"), place.path().join("data/uploads"));
        fs::create_dir_all(uploads.join("a7/inner")).unwrap();
        for file in [
            &outside,
            &uploads.join("a7/proof"),
            &uploads.join("a7/inner/deep"),
        ] {
            fs::write(file, "x").unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(uploads.join("a7"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(&uploads, fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(&outside, uploads.join("link")).unwrap();
        assert!(close(&uploads).unwrap() >= 3);
        for folder in ["", "a7", "a7/inner"] {
            assert_eq!(mode(&uploads.join(folder)), FOLDER, "{folder}");
        }
        for file in ["a7/proof", "a7/inner/deep"] {
            assert_eq!(mode(&uploads.join(file)), FILE, "{file}");
        }
        assert_eq!(mode(&outside), 0o644);
        assert_eq!(close(&uploads).unwrap(), 0);
        assert_eq!(close(&place.path().join("nothing")).unwrap(), 0);
        let made = place.path().join("data/secrets");
        make(&made).unwrap();
        make(&made).unwrap();
        assert_eq!(mode(&made), FOLDER);
    }
}
