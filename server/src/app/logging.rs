//! Where log lines go: the error output, so that the standard output stays free for what a command prints.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// Installs the process-wide subscriber; a second call changes nothing.
pub fn install(log: &Log) {
    // The filter was checked with the configuration.
    let filter = EnvFilter::try_new(&log.filter).unwrap_or_default();
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let _ = match log.format {
        LogFormat::Text => lines.compact().try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
}
