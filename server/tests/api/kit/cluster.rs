//! One private PostgreSQL per test process; one database per test, copied from a migrated template and dropped when its test has
//! passed: a thousand of them would fill a disk. Nothing is taken over from an earlier process: a cluster full of left-over
//! databases takes longer to recover than a new one to make.

use server::foundation::{database::pool_options, embedded_postgres::Embedded};
use sqlx::{Connection, Executor, PgConnection, PgPool, postgres::PgConnectOptions};
use std::{
    fmt, fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
};
use tokio::sync::OnceCell;

static CLUSTER: OnceLock<Embedded> = OnceLock::new();
static FOLDER: OnceLock<PathBuf> = OnceLock::new();
static TEMPLATE: OnceCell<()> = OnceCell::const_new();
static NEXT: AtomicU32 = AtomicU32::new(1);

/// How the log is written: database, role and transaction before each line, statements without their values.
const LOG_SETTINGS: [(&str, &str); 2] = [
    ("log_line_prefix", "@%d %u %v@"),
    ("log_parameter_max_length", "0"),
];

tokio::task_local! {
    /// Databases that are made within it write every statement down.
    pub static COUNTED: ();
}

fn cluster() -> &'static Embedded {
    CLUSTER.get_or_init(|| {
        let exe = std::env::current_exe().unwrap();
        let name = exe
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .split('-')
            .next()
            .unwrap()
            .to_owned();
        let folder: PathBuf = exe
            .ancestors()
            .find(|p| p.ends_with("deps"))
            // A folder of its own in any case: it is swept.
            .map_or_else(
                || std::env::temp_dir().join("arbora-test-postgres"),
                |p| p.with_file_name("test-postgres"),
            );
        clear_ended(&folder);
        let own = folder.join(format!("{name}.{}", std::process::id()));
        let own = FOLDER.get_or_init(|| own);
        Embedded::start(own).expect("a private PostgreSQL for the tests")
    })
}

/// What the cluster writes down.
#[allow(dead_code)] // not every test program asks
pub fn log() -> PathBuf {
    FOLDER.get().expect("a cluster").join("pg.log")
}

/// Removes the clusters of processes that have ended, `<name>.<process id>`, and nothing else.
fn clear_ended(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let process = path
            .extension()
            .and_then(|id| id.to_str()?.parse::<u32>().ok())
            .map(|id| Path::new("/proc").join(id.to_string()));
        if process.is_some_and(|process| !process.exists()) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

fn options(role: &str, database: &str) -> PgConnectOptions {
    cluster().connect_options(role, database)
}

/// A pool of the given role on the given database.
pub async fn connect(role: &str, database: &str, max: u32) -> PgPool {
    let role = if role == "app" { owner() } else { role };
    pool_options()
        .max_connections(max)
        .connect_with(options(role, database))
        .await
        .unwrap()
}

/// The cluster's superuser, who owns everything.
const fn owner() -> &'static str {
    server::foundation::embedded_postgres::OWNER_ROLE
}

async fn template() {
    let mut admin = PgConnection::connect_with(&options(owner(), "postgres"))
        .await
        .unwrap();
    // Nobody cuts the power of these clusters, which live as long as their process: waiting for the disk is most of a test's time. That a
    // database outlives its end is asked of clusters of their own (tests/embedded_postgres.rs, tests/startup.rs).
    for setting in ["fsync", "full_page_writes", "synchronous_commit"] {
        admin
            .execute(sqlx::AssertSqlSafe(format!("ALTER SYSTEM SET {setting} = off")))
            .await
            .unwrap();
    }
    for (setting, value) in LOG_SETTINGS {
        admin
            .execute(sqlx::AssertSqlSafe(format!(
                "ALTER SYSTEM SET {setting} = '{value}'"
            )))
            .await
            .unwrap();
    }
    admin.execute("SELECT pg_reload_conf()").await.unwrap();
    admin.execute("CREATE DATABASE template_arbora").await.unwrap();
    let pool = connect("app", "template_arbora", 1).await;
    sqlx::migrate!("../migrations").run(&pool).await.unwrap();
    // As the product's own migration does.
    pool.execute("GRANT SELECT ON _sqlx_migrations TO arbora_app")
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO foundation.world (kind, chain_id) VALUES ('demo', 31337) ON CONFLICT DO NOTHING",
    )
    .execute(&pool)
    .await
    .unwrap();
    pool.close().await;
}

/// A test's database by its name, for as long as somebody holds it. That of a failed test stays, to be looked at.
#[derive(Clone)]
pub struct Database(Arc<Name>);

struct Name(String);

impl Deref for Database {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.0
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        static DROPPER: OnceLock<Sender<String>> = OnceLock::new();
        if std::thread::panicking() {
            return;
        }
        let dropper = DROPPER.get_or_init(|| {
            let (names, given) = channel();
            std::thread::spawn(move || drop_given(&given));
            names
        });
        let _ = dropper.send(std::mem::take(&mut self.0));
    }
}

/// Drops what is given, many at once: each begins with a checkpoint, which has little to write right after another.
#[tokio::main(flavor = "current_thread")]
async fn drop_given(given: &Receiver<String>) {
    const AT_ONCE: usize = 24;
    let mut waiting = Vec::with_capacity(AT_ONCE);
    for name in given {
        waiting.push(name);
        if waiting.len() < AT_ONCE {
            continue;
        }
        let mut admin = PgConnection::connect_with(&options(owner(), "postgres"))
            .await
            .unwrap();
        for name in waiting.drain(..) {
            // By force: a test does not wait for what it leaves behind.
            admin
                .execute(sqlx::AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)")))
                .await
                .unwrap();
        }
    }
}

/// A fresh database.
pub async fn fresh_database() -> Database {
    TEMPLATE.get_or_init(template).await;
    let name = format!("test_{}", NEXT.fetch_add(1, Ordering::SeqCst));
    let mut admin = PgConnection::connect_with(&options(owner(), "postgres"))
        .await
        .unwrap();
    admin
        .execute(sqlx::AssertSqlSafe(format!(
            "CREATE DATABASE {name} TEMPLATE template_arbora"
        )))
        .await
        .unwrap();
    if COUNTED.try_with(|()| ()).is_ok() {
        admin
            .execute(sqlx::AssertSqlSafe(format!(
                "ALTER DATABASE {name} SET log_statement = 'all'"
            )))
            .await
            .unwrap();
    }
    Database(Arc::new(Name(name)))
}
