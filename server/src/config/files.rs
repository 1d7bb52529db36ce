//! Where the installation keeps its files.

use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use super::Problems;

/// Folders of this installation.
#[derive(Clone, Debug)]
pub struct Files {
    /// Everything that the server writes itself lies below.
    pub data: PathBuf,
    pub secrets: PathBuf,
    /// The signed heads of the audit.
    pub audit: PathBuf,
    /// The built single-page app.
    pub web: PathBuf,
}

impl Files {
    /// Whether what customers send will find its place. Nothing is made here: a start that is refused leaves nothing behind.
    pub(super) fn check_writable(&self, problems: &mut Problems) {
        let there = self
            .data
            .ancestors()
            .find(|path| path.exists() || path.as_os_str().is_empty());
        let place = there
            .filter(|path| !path.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if !place.is_dir() || access(place, AccessFlags::W_OK | AccessFlags::X_OK).is_err() {
            problems.add(format!(
                "ARBORA_DATA_DIR is {}, which this user cannot write: give the right to, or put another folder",
                self.data.display()
            ));
        }
    }

    pub(super) fn check(settings: &FilesSettings) -> Self {
        Self {
            data: settings.data_dir.clone(),
            secrets: settings.secrets_dir(),
            audit: settings.audit_dir(),
            web: settings.web_dir.clone(),
        }
    }

    /// Uploads: proofs and attachments, each under a uuid.
    pub fn uploads(&self) -> PathBuf {
        self.data.join("uploads")
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Files")]
pub struct FilesSettings {
    /// Folder for the private database, uploads and drawn secrets
    #[arg(
        long,
        env = "ARBORA_DATA_DIR",
        hide_env_values = true,
        global = true,
        default_value = ".data",
        value_name = "FOLDER"
    )]
    pub data_dir: PathBuf,
    /// Folder with one file per secret; `secrets` in the data folder by default
    #[arg(
        long,
        env = "ARBORA_SECRETS_DIR",
        hide_env_values = true,
        global = true,
        value_name = "FOLDER"
    )]
    pub secrets_dir: Option<PathBuf>,
    /// Folder for the signed heads of the audit, best on another disk than the database; `audit` in the data folder by default
    #[arg(
        long,
        env = "ARBORA_AUDIT_DIR",
        hide_env_values = true,
        global = true,
        value_name = "FOLDER"
    )]
    pub audit_dir: Option<PathBuf>,
    /// Folder of the built web app
    #[arg(
        long,
        env = "ARBORA_WEB_DIR",
        hide_env_values = true,
        global = true,
        default_value = "web/dist",
        value_name = "FOLDER"
    )]
    pub web_dir: PathBuf,
}

impl FilesSettings {
    pub fn secrets_dir(&self) -> PathBuf {
        self.secrets_dir
            .clone()
            .unwrap_or_else(|| self.data_dir.join("secrets"))
    }

    pub fn audit_dir(&self) -> PathBuf {
        self.audit_dir
            .clone()
            .unwrap_or_else(|| self.data_dir.join("audit"))
    }
}
