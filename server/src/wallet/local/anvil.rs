//! The node as a child process: started by a thread of its own, started again when it dies unasked, stopped gracefully.

use super::LocalChainError;
use crate::foundation::{embedded_postgres::process_identity::die_with_this_thread, private};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

const START_PATIENCE: Duration = Duration::from_secs(20);
const STOP_PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);

/// How a node is started.
#[derive(Clone, Debug, Default)]
pub struct AnvilOptions {
    /// Where its blocks are kept over restarts; none: they are forgotten.
    pub folder: Option<PathBuf>,
    /// Zero: a free one.
    pub port: u16,
}

/// A running node.
#[derive(Debug)]
pub struct Anvil {
    url: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    // Held for the node's life: one node per folder.
    _lock: Option<fs::File>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Set while the process exists and has not been reaped.
    process: Option<Pid>,
    stopping: bool,
}

impl Shared {
    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Where the node's program lies in the packages' folder.
fn program(tools: &Path) -> Result<PathBuf, LocalChainError> {
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-amd64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "aarch64") => "darwin-arm64",
        ("macos", _) => "darwin-amd64",
        _ => return Err(LocalChainError::NoTools(tools.to_owned())),
    };
    let path = tools.join(format!("@foundry-rs/anvil-{platform}/bin/anvil"));
    if path.is_file() {
        Ok(path)
    } else {
        Err(LocalChainError::NoTools(tools.to_owned()))
    }
}

impl Anvil {
    /// Starts the node and waits until it listens.
    ///
    /// # Errors
    /// As [`LocalChainError`] says.
    pub fn start(tools: &Path, options: AnvilOptions) -> Result<Self, LocalChainError> {
        let program = program(tools)?;
        let lock = options.folder.as_deref().map(lock).transpose()?;
        let shared = Arc::new(Shared::default());
        let (first_start, outcome) = mpsc::channel();
        let launcher = Launcher {
            program,
            options,
            shared: Arc::clone(&shared),
        };
        let thread = thread::Builder::new()
            .name("chain-keeper".to_owned())
            .spawn(move || launcher.keep(&first_start))
            .map_err(LocalChainError::io("a thread cannot be started"))?;
        let port = outcome
            .recv()
            .map_err(|_| LocalChainError::Start("its keeper ended".into()))??;
        Ok(Self {
            url: format!("http://127.0.0.1:{port}"),
            shared,
            thread: Some(thread),
            _lock: lock,
        })
    }

    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Kills the node the hard way, for tests; the keeper starts it again.
    pub fn kill(&self) {
        self.shared.with(|state| signal(state, Signal::SIGKILL));
    }

    /// Stops the node; it writes its blocks first.
    pub fn stop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        self.shared.with(|state| {
            state.stopping = true;
            signal(state, Signal::SIGINT);
        });
        // A panic of the keeper would already have been printed.
        let _ = thread.join();
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        self.stop();
    }
}

fn signal(state: &State, signal: Signal) {
    if let Some(pid) = state.process {
        // The process exists until the keeper clears the field; "already exiting" is the only failure.
        let _ = kill(pid, signal);
    }
}

fn lock(folder: &Path) -> Result<fs::File, LocalChainError> {
    let doing = || LocalChainError::io(format!("the folder {} cannot be written", folder.display()));
    private::make(folder).map_err(doing())?;
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))
        .map_err(doing())?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(LocalChainError::SecondInstance(folder.to_owned())),
        Err(fs::TryLockError::Error(error)) => Err(doing()(error)),
    }
}

struct Launcher {
    program: PathBuf,
    options: AnvilOptions,
    shared: Arc<Shared>,
}

impl Launcher {
    fn keep(mut self, first_start: &mpsc::Sender<Result<u16, LocalChainError>>) {
        let (mut child, port) = match self.launch() {
            Ok(started) => started,
            Err(error) => {
                let _ = first_start.send(Err(error));
                return;
            }
        };
        // A restart keeps the address that everybody knows.
        self.options.port = port;
        let _ = first_start.send(Ok(port));
        loop {
            self.wait(&mut child);
            if self.shared.with(|s| s.stopping) {
                return;
            }
            tracing::error!("the local chain ended unasked; starting it again");
            child = loop {
                match self.launch() {
                    Ok((child, _)) => break child,
                    Err(error) => tracing::error!(%error, "starting the local chain again"),
                }
                thread::sleep(Duration::from_secs(1));
                if self.shared.with(|s| s.stopping) {
                    return;
                }
            };
        }
    }

    /// A node on its kept blocks. When they cannot be read, on those of its last good start.
    fn launch(&self) -> Result<(Child, u16), LocalChainError> {
        let Some(folder) = &self.options.folder else {
            return self.spawn(None);
        };
        let (blocks, good) = (folder.join("blocks.json"), folder.join("blocks.good.json"));
        match self.spawn(Some(&blocks)) {
            Ok(started) => {
                if blocks.exists() {
                    let kept = folder.join(".blocks.copy");
                    let _ = fs::copy(&blocks, &kept).and_then(|_| fs::rename(&kept, &good));
                }
                Ok(started)
            }
            Err(error) if good.exists() && blocks.exists() => {
                tracing::error!(%error, "the local chain's blocks cannot be read; using those of its last good start");
                fs::copy(&good, &blocks).map_err(LocalChainError::io("the kept blocks"))?;
                self.spawn(Some(&blocks))
            }
            other => other,
        }
    }

    fn spawn(&self, blocks: Option<&Path>) -> Result<(Child, u16), LocalChainError> {
        let mut command = Command::new(&self.program);
        command
            // No account of its own: keys are ours, and published phrases hold nothing.
            .args(["--host", "127.0.0.1", "--accounts", "0", "--chain-id", "31337"])
            .args(["--port", &self.options.port.to_string()])
            .args(["--hardfork", "cancun"]);
        if let Some(blocks) = blocks {
            command
                .arg("--state")
                .arg(blocks)
                .args(["--state-interval", "20"]);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C in the terminal goes to the server, which stops the node after its own last use.
            .process_group(0);
        die_with_this_thread(&mut command);
        let mut child = command.spawn().map_err(LocalChainError::io(format!(
            "{} cannot be started",
            self.program.display()
        )))?;
        self.shared.with(|state| {
            state.process = i32::try_from(child.id()).ok().map(Pid::from_raw);
            if state.stopping {
                signal(state, Signal::SIGINT);
            }
        });
        let Some(output) = child.stdout.take() else {
            return Err(LocalChainError::Start("it has no output".into()));
        };
        let (listening, port) = mpsc::channel();
        // Reads to the end, so that the node never waits for a reader.
        thread::spawn(move || {
            let mut last = String::new();
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(address) = line.strip_prefix("Listening on ") {
                    let port = address
                        .rsplit(':')
                        .next()
                        .and_then(|p| p.trim().parse::<u16>().ok());
                    let _ = listening.send(port.ok_or_else(|| address.to_owned()));
                }
                if !line.trim().is_empty() {
                    last = line;
                }
            }
            let _ = listening.send(Err(last));
        });
        match port.recv_timeout(START_PATIENCE) {
            Ok(Ok(port)) => Ok((child, port)),
            failed => {
                let _ = child.kill();
                self.reap(&mut child);
                Err(LocalChainError::Start(match failed {
                    Ok(Err(line)) => line,
                    _ => format!("it was not ready after {START_PATIENCE:?}"),
                }))
            }
        }
    }

    /// Waits for the end, with limited patience once a stop was asked for.
    fn wait(&self, child: &mut Child) {
        let mut waited = Duration::ZERO;
        while matches!(child.try_wait(), Ok(None)) {
            thread::sleep(POLL);
            if self.shared.with(|s| s.stopping) {
                waited += POLL;
                if waited > STOP_PATIENCE {
                    let _ = child.kill();
                }
            }
        }
        self.reap(child);
    }

    fn reap(&self, child: &mut Child) {
        let _ = child.wait();
        self.shared.with(|state| state.process = None);
    }
}
