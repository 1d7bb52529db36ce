//! A private PostgreSQL for installations that have no database server of their own.
//!
//! Purpose: `make run` on a fresh machine gets a real, durable PostgreSQL (fsync on) under `<data>/pg`, reachable only
//! through a unix socket that only this user may open. A `DATABASE_URL` makes all of this unused.
//!
//! Invariants:
//! - one server per data directory: a file lock is held for the life of [`Embedded`], the kernel drops it at any death;
//! - therefore a postmaster that is found on the directory while we hold the lock is an orphan, and is stopped;
//! - the postmaster never outlives this process by more than a fast shutdown (parent-death signal), and never
//!   disappears alone: the keeper thread starts it again when somebody kills it;
//! - a half-made cluster is never used: `initdb` works in `pg.new`, which becomes `pg` by a rename.
//!
//! Layout under the data directory: `pg` (cluster), `run` (socket), `pg.log`, `pg.lock`, `pgdist` (binaries fetched by
//! the run command when the machine has none).

mod binaries;
mod cluster;
mod keeper;
pub(crate) mod process_identity;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

pub use binaries::Binaries;
use process_identity::ProcessIdentity;

/// The role that owns every table and runs migrations. It is the cluster's superuser.
pub const OWNER_ROLE: &str = "arbora_owner";
/// The role that the running server uses. It owns nothing.
pub const APP_ROLE: &str = "arbora_app";
/// The database's name inside the private cluster.
pub const DATABASE: &str = "arbora";
/// Only names the socket file; nothing listens on a network port.
pub const PORT: u16 = 5432;

/// Why the private PostgreSQL cannot be used. Each text is the one sentence that the operator reads.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    #[error(
        "no PostgreSQL binaries were found: install the package postgresql, point PG_BIN_DIR to a folder with initdb and postgres, or set DATABASE_URL to a running server"
    )]
    NoBinaries,
    #[error("PG_BIN_DIR is {0}, but there is no initdb and postgres in it")]
    WrongBinDir(PathBuf),
    #[error("another server is running on {0}: stop it first, or choose another folder with ARBORA_DATA_DIR")]
    SecondInstance(PathBuf),
    #[error(
        "the folder {path} cannot be written ({source}): give this user the right to, or choose another folder with ARBORA_DATA_DIR"
    )]
    Unwritable { path: PathBuf, source: io::Error },
    #[error(
        "{path} belongs to another user (uid {owner}): start the server as that user, or choose another folder with ARBORA_DATA_DIR"
    )]
    ForeignOwner { path: PathBuf, owner: u32 },
    #[error(
        "{path} was made by PostgreSQL {cluster}, but the binaries in {bin} are version {binary}: point PG_BIN_DIR to version {cluster}, or move the folder away"
    )]
    ForeignVersion {
        path: PathBuf,
        cluster: String,
        bin: PathBuf,
        binary: String,
    },
    #[error(
        "the socket path {0} is longer than the 107 bytes that the system allows: choose a shorter folder with ARBORA_DATA_DIR or TMPDIR"
    )]
    SocketPathTooLong(PathBuf),
    #[error(
        "{0} is not a private folder of this user, so the database's socket cannot be put there: remove it"
    )]
    UnsafeSocketDir(PathBuf),
    #[error(
        "PostgreSQL refuses to run as root, and neither postgres nor nobody may enter {0}: choose an open folder with ARBORA_DATA_DIR, start the server as an ordinary user, or set DATABASE_URL"
    )]
    NoIdentity(PathBuf),
    #[error("initdb failed to make a database in {path}: {output}")]
    InitDb { path: PathBuf, output: String },
    #[error("PostgreSQL did not start: {detail} (whole log: {log})")]
    Start { detail: String, log: PathBuf },
    #[error("PostgreSQL in {0} did not stop within {1:?}")]
    Stop(PathBuf, Duration),
    #[error("{doing}: {source}")]
    Io { doing: String, source: io::Error },
}

impl EmbeddedError {
    /// A program that could not even be started; in a container the user namespace is often forbidden.
    fn spawn(program: &Path, place: &Path, identity: ProcessIdentity) -> impl FnOnce(io::Error) -> Self {
        let forbidden =
            (identity == ProcessIdentity::UserNamespace).then(|| Self::NoIdentity(place.to_owned()));
        let doing = format!("{} cannot be started", program.display());
        move |source| match forbidden {
            Some(no_identity) if source.kind() == io::ErrorKind::PermissionDenied => no_identity,
            _ => Self::Io { doing, source },
        }
    }

    fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

/// A running private PostgreSQL. Dropping it stops the postmaster (fast: sessions are cut, data is safe).
#[derive(Debug)]
pub struct Embedded {
    keeper: keeper::Keeper,
    socket_dir: PathBuf,
    version: String,
    fresh: bool,
    // Declared last: fields drop in order, and the lock must outlive the postmaster.
    _lock: fs::File,
}

impl Embedded {
    /// Makes the cluster when there is none, clears what a crash left behind, starts PostgreSQL and waits until it
    /// accepts connections. Blocks for tens of milliseconds (half a second the first time). May be called from any
    /// thread: the postmaster belongs to a thread of its own.
    pub fn start(data_dir: &Path) -> Result<Self, EmbeddedError> {
        let root = cluster::writable_root(data_dir)?;
        let lock = cluster::lock(&root)?;
        let binaries = Binaries::find(&root)?;
        let identity = ProcessIdentity::choose(&root, binaries.dir())?;
        let version = binaries.version()?;

        let paths = cluster::Paths::prepare(&root, identity)?;
        let fresh = cluster::ensure_initialised(&paths, &binaries, &version, identity)?;
        cluster::clear_leftovers(&paths)?;
        let socket_dir = paths.run.clone();
        let keeper = keeper::Keeper::start(paths, binaries, identity)?;
        tracing::info!(
            version,
            fresh,
            ?identity,
            socket = %socket_dir.display(),
            "private PostgreSQL is ready"
        );
        Ok(Self {
            keeper,
            socket_dir,
            version,
            fresh,
            _lock: lock,
        })
    }

    /// The folder that holds the socket: the `host` of a connection.
    pub fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// True when this start made the cluster.
    pub fn fresh(&self) -> bool {
        self.fresh
    }

    /// The PostgreSQL version, for example `15.13`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The postmaster's process id. It changes when the keeper had to start it again.
    pub fn postmaster(&self) -> Option<u32> {
        self.keeper.postmaster()
    }

    /// How to connect as `role` to `database`.
    pub fn connect_options(&self, role: &str, database: &str) -> sqlx::postgres::PgConnectOptions {
        sqlx::postgres::PgConnectOptions::new_without_pgpass()
            .socket(&self.socket_dir)
            .port(PORT)
            .username(role)
            .database(database)
    }

    /// Stops PostgreSQL: sessions are cut, everything committed is on disk.
    pub fn stop(mut self) -> Result<(), EmbeddedError> {
        self.keeper.stop()
    }
}
