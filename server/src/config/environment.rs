//! The environment and the file `.env`, as names that must all be known.

use std::{collections::BTreeMap, io::ErrorKind, path::Path};

use clap::CommandFactory;
use zeroize::Zeroizing;

use super::{Cli, secrets};

/// Read by other parts of the program, not by clap.
const ALSO_KNOWN: [&str; 1] = ["PG_BIN_DIR"];
const PREFIX: &str = "ARBORA_";

#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    #[error("the environment variable {0} is not known; `server --help` lists the names")]
    UnknownVariable(String),
    #[error("{file} sets {name}, which is not known; `server --help` lists the names")]
    UnknownInFile { file: String, name: String },
    #[error("{file} cannot be read: {reason}")]
    File { file: String, reason: String },
}

/// What the process was given. The file only fills in what the environment does not say.
#[derive(Default)]
pub struct Environment {
    process: BTreeMap<String, Zeroizing<String>>,
    file: BTreeMap<String, Zeroizing<String>>,
}

impl Environment {
    /// Reads both and refuses names that nobody would read.
    pub fn read(file: &Path) -> Result<Self, EnvironmentError> {
        let known = known();
        let is_known = |name: &str| known.iter().any(|known| known == name);
        let mut environment = Self::default();
        for (name, value) in std::env::vars_os() {
            let Some(name) = name.to_str() else { continue };
            if name.starts_with(PREFIX) && !is_known(name) {
                return Err(EnvironmentError::UnknownVariable(name.to_owned()));
            }
            if is_known(name)
                && let Some(value) = value.to_str()
            {
                environment
                    .process
                    .insert(name.to_owned(), Zeroizing::new(value.to_owned()));
            }
        }
        for (name, value) in entries(file)? {
            if !is_known(&name) {
                return Err(EnvironmentError::UnknownInFile {
                    file: file.display().to_string(),
                    name,
                });
            }
            environment.file.insert(name, Zeroizing::new(value));
        }
        Ok(environment)
    }

    pub fn get(&self, name: &str) -> Option<String> {
        self.process
            .get(name)
            .or_else(|| self.file.get(name))
            .map(|value| value.to_string())
    }

    /// What clap cannot see by itself.
    pub(super) fn in_file(&self, name: &str) -> Option<&str> {
        self.file.get(name).map(|value| value.as_str())
    }
}

fn entries(file: &Path) -> Result<Vec<(String, String)>, EnvironmentError> {
    let failed = |reason: String| EnvironmentError::File {
        file: file.display().to_string(),
        reason,
    };
    match dotenvy::from_path_iter(file) {
        Err(dotenvy::Error::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(error.to_string())),
        // A parser's message would repeat the line, and with it perhaps a secret.
        Ok(entries) => entries
            .collect::<Result<_, _>>()
            .map_err(|_| failed("a line is not NAME=value".to_owned())),
    }
}

/// Every name that means something: clap's own, the secrets', and a few more.
fn known() -> Vec<String> {
    let command = Cli::command();
    let settings = command
        .get_arguments()
        .filter_map(|arg| arg.get_env()?.to_str().map(str::to_owned));
    let secrets = secrets::NAMES.iter().map(|(variable, _)| (*variable).to_owned());
    settings
        .chain(secrets)
        .chain(ALSO_KNOWN.map(str::to_owned))
        .collect()
}
