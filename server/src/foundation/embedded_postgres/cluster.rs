//! The cluster on disk: folders, lock, `initdb`, version, and what a crash leaves behind.

use std::{
    fs::{self, File, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use super::{
    Binaries, EmbeddedError, OWNER_ROLE, PORT,
    process_identity::{ProcessIdentity, die_with_this_thread, hand_over},
};

/// `sun_path` holds 108 bytes with its closing zero.
const LONGEST_SOCKET_PATH: usize = 107;
/// How long an orphan may take for its fast shutdown before it is stopped the hard way (which recovers from the WAL).
const ORPHAN_PATIENCE: Duration = Duration::from_secs(15);
/// Sorts by code point, the same on every machine, and still knows upper and lower case beyond ASCII.
const LOCALE: &str = if cfg!(target_os = "macos") {
    "--locale=en_US.UTF-8"
} else {
    "--locale=C.UTF-8"
};
const POLL: Duration = Duration::from_millis(5);
/// The log of earlier runs is kept once, up to this size.
const LOG_LIMIT: u64 = 10 * 1024 * 1024;

/// Where everything of one cluster lies.
#[derive(Clone, Debug)]
pub struct Paths {
    pub data: PathBuf,
    pub run: PathBuf,
    pub log: PathBuf,
    fresh_data: PathBuf,
}

impl Paths {
    /// Makes the folders that PostgreSQL's user must own.
    pub fn prepare(root: &Path, identity: ProcessIdentity) -> Result<Self, EmbeddedError> {
        let log = root.join("pg.log");
        if fs::metadata(&log).is_ok_and(|meta| meta.len() > LOG_LIMIT) {
            fs::rename(&log, root.join("pg.log.1"))
                .map_err(EmbeddedError::io("the log cannot be renamed"))?;
        }
        let run = socket_dir(root, identity)?;
        Ok(Self {
            data: root.join("pg"),
            run,
            log,
            fresh_data: root.join("pg.new"),
        })
    }

    pub fn pid_file(&self) -> PathBuf {
        self.data.join("postmaster.pid")
    }

    /// The last lines of PostgreSQL's log that name an error, for the operator's one sentence.
    pub fn log_tail(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let named = text
            .lines()
            .rev()
            .take(20)
            .find(|line| line.contains("FATAL") || line.contains("PANIC"));
        named
            .or_else(|| text.lines().last())
            .unwrap_or("no log was written")
            .to_owned()
    }
}

/// Makes the data directory and proves that it can be written.
pub fn writable_root(data_dir: &Path) -> Result<PathBuf, EmbeddedError> {
    let unwritable = |source| EmbeddedError::Unwritable {
        path: data_dir.to_owned(),
        source,
    };
    fs::create_dir_all(data_dir).map_err(unwritable)?;
    let root = fs::canonicalize(data_dir).map_err(unwritable)?;
    tempfile::tempfile_in(&root).map_err(unwritable)?;
    Ok(root)
}

const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// One server per data directory. The kernel releases the lock when the process ends, however it ends.
pub fn lock(root: &Path) -> Result<File, EmbeddedError> {
    let path = root.join("pg.lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|source| EmbeddedError::Unwritable {
            path: path.clone(),
            source,
        })?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // Who ends now holds it a moment longer, and so does a child that was just forked and is not yet another program.
            Err(fs::TryLockError::WouldBlock) if begun.elapsed() < LOCK_PATIENCE => thread::sleep(LOCK_PAUSE),
            Err(fs::TryLockError::WouldBlock) => return Err(EmbeddedError::SecondInstance(root.to_owned())),
            Err(fs::TryLockError::Error(source)) => {
                return Err(EmbeddedError::Io {
                    doing: format!("{} cannot be locked", path.display()),
                    source,
                });
            }
        }
    }
}

/// `<data>/run`, or a private folder in the temporary directory when that path is too long for a socket.
fn socket_dir(root: &Path, identity: ProcessIdentity) -> Result<PathBuf, EmbeddedError> {
    let near = root.join("run");
    let dir = if socket_fits(&near) {
        near
    } else {
        short_socket_dir(root)?
    };
    let doing = || EmbeddedError::io(format!("the folder {} cannot be prepared", dir.display()));
    match fs::DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(doing()(error)),
        _ => {}
    }
    // In a shared temporary directory the name could have been taken by somebody else, or be a link of theirs.
    let meta = fs::symlink_metadata(&dir).map_err(doing())?;
    let ours = meta.uid() == identity.file_uid() || meta.uid() == nix::unistd::geteuid().as_raw();
    if !meta.is_dir() || !ours {
        return Err(EmbeddedError::UnsafeSocketDir(dir));
    }
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).map_err(doing())?;
    hand_over(&dir, identity).map_err(doing())?;
    Ok(dir)
}

fn socket_fits(dir: &Path) -> bool {
    dir.join(format!(".s.PGSQL.{PORT}")).as_os_str().len() <= LONGEST_SOCKET_PATH
}

/// The same folder for the same data directory at every start, so that nothing piles up.
fn short_socket_dir(root: &Path) -> Result<PathBuf, EmbeddedError> {
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    let dir = std::env::temp_dir().join(format!("arbora-{:016x}", hasher.finish()));
    if socket_fits(&dir) {
        Ok(dir)
    } else {
        Err(EmbeddedError::SocketPathTooLong(dir))
    }
}

/// Runs `initdb` when there is no cluster; refuses one that other binaries made. True when it was made now.
pub fn ensure_initialised(
    paths: &Paths,
    binaries: &Binaries,
    version: &str,
    identity: ProcessIdentity,
) -> Result<bool, EmbeddedError> {
    if let Ok(cluster) = fs::read_to_string(paths.data.join("PG_VERSION")) {
        let cluster = cluster.trim();
        return if version.split('.').next() == Some(cluster) {
            Ok(false)
        } else {
            Err(EmbeddedError::ForeignVersion {
                path: paths.data.clone(),
                cluster: cluster.to_owned(),
                bin: binaries.dir().to_owned(),
                binary: version.to_owned(),
            })
        };
    }
    init(paths, binaries, identity)?;
    Ok(true)
}

fn init(paths: &Paths, binaries: &Binaries, identity: ProcessIdentity) -> Result<(), EmbeddedError> {
    let making = &paths.fresh_data;
    let doing = || EmbeddedError::io(format!("{} cannot be prepared", making.display()));
    if making.exists() {
        fs::remove_dir_all(making).map_err(doing())?; // an initdb that was cut off
    }
    fs::DirBuilder::new()
        .mode(0o700)
        .create(making)
        .map_err(doing())?;
    hand_over(making, identity).map_err(doing())?;

    let mut command = quiet_command(&binaries.initdb());
    command
        .arg(format!("--username={OWNER_ROLE}"))
        // The socket's folder is closed to everybody else; nothing listens on a network.
        .args([
            "--auth-local=trust",
            "--auth-host=reject",
            "--encoding=UTF8",
            LOCALE,
            "-D",
        ])
        .arg(making);
    identity.apply(&mut command);
    die_with_this_thread(&mut command);
    let output = command
        .output()
        .map_err(EmbeddedError::spawn(&binaries.initdb(), &paths.data, identity))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let output = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect::<Vec<_>>()
            .join("; ");
        return Err(EmbeddedError::InitDb {
            path: making.clone(),
            output,
        });
    }
    fs::rename(making, &paths.data).map_err(doing())?;
    // The rename itself must survive a power cut as well.
    let parent = paths.data.parent().unwrap_or(&paths.data);
    File::open(parent).and_then(|dir| dir.sync_all()).map_err(doing())
}

/// A command that inherits nothing which could change how PostgreSQL behaves (PG* variables, locale, folder).
pub fn quiet_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir("/")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// Deals with the `postmaster.pid` of an earlier life. The caller holds the lock, so a postmaster that still runs on
/// this cluster has lost its server: it is finishing its fast shutdown, or is told to. A file whose process is dead, a
/// zombie, or somebody else's by now (process ids start again in a restarted container) is stale and removed, because
/// PostgreSQL itself only asks whether *any* process has that number.
pub fn clear_leftovers(paths: &Paths) -> Result<(), EmbeddedError> {
    let Some(pid) = recorded_postmaster(paths) else {
        return Ok(());
    };
    if runs_on(pid, &paths.data) {
        stop_orphan(pid, paths)?;
    }
    match fs::remove_file(paths.pid_file()) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(EmbeddedError::Io {
            doing: format!("{} cannot be removed", paths.pid_file().display()),
            source: error,
        }),
        _ => Ok(()),
    }
}

fn stop_orphan(pid: i32, paths: &Paths) -> Result<(), EmbeddedError> {
    tracing::warn!(pid, "stopping the PostgreSQL that an earlier server left behind");
    for signal in [Signal::SIGINT, Signal::SIGQUIT] {
        // It may be gone by now; the loop below finds out.
        let _ = kill(Pid::from_raw(pid), signal);
        let asked = Instant::now();
        while asked.elapsed() < ORPHAN_PATIENCE {
            if !runs_on(pid, &paths.data) {
                return Ok(());
            }
            thread::sleep(POLL);
        }
    }
    Err(EmbeddedError::Stop(paths.data.clone(), ORPHAN_PATIENCE * 2))
}

/// The process id in `postmaster.pid`, whoever that is by now.
pub fn recorded_postmaster(paths: &Paths) -> Option<i32> {
    fs::read_to_string(paths.pid_file())
        .ok()?
        .lines()
        .next()?
        .trim()
        .parse()
        .ok()
        .filter(|pid| *pid > 1)
}

/// True while `pid` is a live postmaster of this cluster: a postmaster's working directory is its data directory, and
/// a zombie has none.
#[cfg(target_os = "linux")]
fn runs_on(pid: i32, data: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == data)
}

#[cfg(not(target_os = "linux"))]
fn runs_on(pid: i32, data: &Path) -> bool {
    Command::new("ps")
        .args(["-o", "command=", "-p", &pid.to_string()])
        .output()
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&*data.to_string_lossy()))
}

/// True once the postmaster `pid` wrote that it accepts connections. The first line is compared because a stale file
/// says "ready" as well.
pub fn is_ready(paths: &Paths, pid: u32) -> bool {
    fs::read_to_string(paths.pid_file()).is_ok_and(|text| {
        let mut lines = text.lines();
        lines.next().and_then(|line| line.trim().parse::<u32>().ok()) == Some(pid)
            && lines.nth(6).is_some_and(|status| status.trim() == "ready")
    })
}
