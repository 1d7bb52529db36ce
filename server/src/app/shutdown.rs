//! When to stop: Ctrl-C, or SIGTERM from whoever runs the process.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens from the first moment on: a signal that comes while the server is starting is not lost.
pub struct Requests {
    interrupt: Signal,
    terminate: Signal,
}

impl Requests {
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Resolves at the next request to stop, with its name for the log.
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "Ctrl-C",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}
