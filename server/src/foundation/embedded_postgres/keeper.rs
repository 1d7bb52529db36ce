//! The thread that owns the postmaster: starts it, waits for it, starts it again when it dies unasked, stops it.

use std::{
    fs::OpenOptions,
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    process::{Child, Stdio},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use nix::{
    sys::{
        signal::{Signal, kill},
        wait::{Id, WaitPidFlag, waitid},
    },
    unistd::Pid,
};

use super::{
    Binaries, EmbeddedError,
    cluster::{self, Paths},
    process_identity::{ProcessIdentity, die_with_this_thread},
};
use crate::foundation::private;

const START_PATIENCE: Duration = Duration::from_secs(60);
const STOP_PATIENCE: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(5);
/// After a postmaster was killed its sessions need a moment to notice; until then the shared memory counts as used.
const RESTART_PAUSE: Duration = Duration::from_millis(100);
const SETTINGS: [&str; 6] = [
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=120",
    "shared_buffers=128MB",
    "logging_collector=off",
    "timezone=UTC",
];

#[derive(Debug, Default)]
struct State {
    /// Set while the process exists and has not been reaped, so a signal can never reach a stranger.
    postmaster: Option<Pid>,
    stopping: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handle to the keeper thread. Dropping it stops the postmaster and joins the thread.
#[derive(Debug)]
pub struct Keeper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    data: std::path::PathBuf,
}

impl Keeper {
    /// Starts the thread and returns once PostgreSQL accepts connections.
    pub fn start(paths: Paths, binaries: Binaries, identity: ProcessIdentity) -> Result<Self, EmbeddedError> {
        let shared = Arc::new(Shared::default());
        let (first_start, outcome) = mpsc::channel();
        let data = paths.data.clone();
        let launcher = Launcher {
            paths,
            binaries,
            identity,
            shared: Arc::clone(&shared),
        };
        let thread = thread::Builder::new()
            .name("postgres-keeper".to_owned())
            .spawn(move || launcher.keep(&first_start))
            .map_err(EmbeddedError::io("a thread cannot be started"))?;
        let keeper = Self {
            shared,
            thread: Some(thread),
            data,
        };
        match outcome.recv() {
            Ok(Ok(())) => Ok(keeper),
            Ok(Err(error)) => Err(error),
            Err(mpsc::RecvError) => Err(EmbeddedError::Io {
                doing: "the thread that keeps PostgreSQL".to_owned(),
                source: std::io::ErrorKind::BrokenPipe.into(),
            }),
        }
    }

    pub fn postmaster(&self) -> Option<u32> {
        self.shared
            .state()
            .postmaster
            .and_then(|pid| u32::try_from(pid.as_raw()).ok())
    }

    /// Fast shutdown; the hard one (recovery at the next start) when that takes too long.
    pub fn stop(&mut self) -> Result<(), EmbeddedError> {
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        let mut outcome = Ok(());
        {
            let mut state = self.shared.state();
            state.stopping = true;
            signal(&state, Signal::SIGINT);
            self.shared.changed.notify_all();
            let (state, waited) = self
                .shared
                .changed
                .wait_timeout_while(state, STOP_PATIENCE, |state| state.postmaster.is_some())
                .unwrap_or_else(PoisonError::into_inner);
            if waited.timed_out() {
                signal(&state, Signal::SIGQUIT);
                outcome = Err(EmbeddedError::Stop(self.data.clone(), STOP_PATIENCE));
            }
        }
        // A panic of the keeper would already have been printed; its end is what matters here.
        let _ = thread.join();
        outcome
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            tracing::warn!(%error, "stopping the private PostgreSQL");
        }
    }
}

fn signal(state: &State, signal: Signal) {
    if let Some(pid) = state.postmaster {
        // The process exists until the keeper clears the field, so the only failure is "already exiting".
        let _ = kill(pid, signal);
    }
}

struct Launcher {
    paths: Paths,
    binaries: Binaries,
    identity: ProcessIdentity,
    shared: Arc<Shared>,
}

impl Launcher {
    fn keep(&self, first_start: &mpsc::Sender<Result<(), EmbeddedError>>) {
        let mut child = match self.launch_patiently() {
            Ok(child) => child,
            Err(error) => {
                let _ = first_start.send(Err(error));
                return;
            }
        };
        let _ = first_start.send(Ok(()));
        loop {
            self.wait(&mut child);
            if self.shared.state().stopping {
                return;
            }
            tracing::error!("the private PostgreSQL ended unasked; starting it again");
            child = loop {
                match self.launch_patiently() {
                    Ok(child) => break child,
                    Err(error) => tracing::error!(%error, "starting the private PostgreSQL again"),
                }
                if self.pause_or_stop(START_PATIENCE / 60) {
                    return;
                }
            };
        }
    }

    /// Tries until the sessions of a killed postmaster are gone, for they keep its shared memory.
    fn launch_patiently(&self) -> Result<Child, EmbeddedError> {
        let begun = Instant::now();
        loop {
            let outcome = self.launch();
            match &outcome {
                Err(EmbeddedError::Start { detail, .. })
                    if detail.contains("shared memory block") && begun.elapsed() < START_PATIENCE =>
                {
                    if self.pause_or_stop(RESTART_PAUSE) {
                        return outcome;
                    }
                }
                _ => return outcome,
            }
        }
    }

    fn launch(&self) -> Result<Child, EmbeddedError> {
        cluster::clear_leftovers(&self.paths)?;
        let program = self.binaries.postgres();
        let doing = || EmbeddedError::spawn(&program, &self.paths.data, self.identity);
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            // It may hold what people wrote.
            .mode(private::FILE)
            .open(&self.paths.log)
            .map_err(doing())?;
        let mut command = cluster::quiet_command(&self.binaries.postgres());
        command
            .arg("-D")
            .arg(&self.paths.data)
            .arg("-k")
            .arg(&self.paths.run);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command
            .stdout(log.try_clone().map_err(doing())?)
            .stderr(Stdio::from(log))
            // Ctrl-C in the terminal goes to the server, which stops PostgreSQL after its own last commit.
            .process_group(0);
        self.identity.apply(&mut command);
        die_with_this_thread(&mut command);
        let mut child = command.spawn().map_err(doing())?;
        {
            let mut state = self.shared.state();
            state.postmaster = i32::try_from(child.id()).ok().map(Pid::from_raw);
            if state.stopping {
                signal(&state, Signal::SIGINT); // asked while nothing was running that could hear it
            }
        }

        let begun = Instant::now();
        while !cluster::is_ready(&self.paths, child.id()) {
            let detail = if self.has_ended(&mut child) {
                self.paths.log_tail()
            } else if begun.elapsed() < START_PATIENCE {
                thread::sleep(POLL);
                continue;
            } else {
                let _ = child.kill();
                self.reap(&mut child);
                format!("it was not ready after {START_PATIENCE:?}")
            };
            return Err(EmbeddedError::Start {
                detail,
                log: self.paths.log.clone(),
            });
        }
        Ok(child)
    }

    /// Reaps the child when it has ended.
    fn has_ended(&self, child: &mut Child) -> bool {
        let mut state = self.shared.state();
        let ended = !matches!(child.try_wait(), Ok(None));
        if ended {
            state.postmaster = None;
            self.shared.changed.notify_all();
        }
        ended
    }

    /// Waits for the end without reaping first: only after `postmaster` is cleared may the number be used again.
    fn wait(&self, child: &mut Child) {
        if let Ok(pid) = i32::try_from(child.id()) {
            let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
            while waitid(Id::Pid(Pid::from_raw(pid)), flags) == Err(nix::errno::Errno::EINTR) {}
        }
        self.reap(child);
    }

    fn reap(&self, child: &mut Child) {
        let mut state = self.shared.state();
        state.postmaster = None;
        let _ = child.wait();
        self.shared.changed.notify_all();
    }

    /// True when the server wants to stop.
    fn pause_or_stop(&self, pause: Duration) -> bool {
        let state = self.shared.state();
        let (state, _) = self
            .shared
            .changed
            .wait_timeout_while(state, pause, |state| !state.stopping)
            .unwrap_or_else(PoisonError::into_inner);
        state.stopping
    }
}
