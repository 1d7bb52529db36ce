//! The private PostgreSQL against real processes: starts, restarts, crashes of either side, and what it refuses.
// What cannot be arranged fails the test, where it happens.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, User, geteuid},
};
use server::foundation::embedded_postgres::{Binaries, Embedded, EmbeddedError, OWNER_ROLE};
use sqlx::{ConnectOptions, Connection};

const HELPER: &str = "ARBORA_TEST_POSTGRES_HELPER";
const PATIENCE: Duration = Duration::from_secs(30);

// ---- the kit of this file ------------------------------------------------------------------------------------------

fn folder() -> tempfile::TempDir {
    let dir = tempfile::Builder::new().prefix("arbora-pg-").tempdir().unwrap();
    // The `postgres` user must be able to pass, as it can pass a checkout in a usual place.
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

fn ask(pg: &Embedded, sql: &'static str) -> Result<String, sqlx::Error> {
    let options = pg
        .connect_options(OWNER_ROLE, "postgres")
        .disable_statement_logging();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(async {
            let mut connection = sqlx::postgres::PgConnection::connect_with(&options).await?;
            sqlx::query_scalar::<_, String>(sql)
                .fetch_one(&mut connection)
                .await
        })
}

fn remember_a_row(pg: &Embedded) {
    let sql = "WITH made AS (SELECT lo_create(4242)) SELECT lo_create::text FROM made";
    assert_eq!(ask(pg, sql).unwrap(), "4242");
}

fn row_is_there(pg: &Embedded) -> bool {
    ask(
        pg,
        "SELECT count(*)::text FROM pg_largeobject_metadata WHERE oid = 4242",
    )
    .unwrap()
        == "1"
}

/// Asks again until the condition holds; the time only bounds a failure.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn alive(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Another server process: this test binary, started again, that holds a private PostgreSQL until its input ends.
struct Helper {
    child: Child,
    output: BufReader<ChildStdout>,
    /// Keeps the copied program for other users.
    _program: tempfile::TempDir,
}

impl Helper {
    fn command(data: &Path) -> (Command, tempfile::TempDir) {
        // The build folder may be closed to other users, so they get a copy. Not written by this process: a child that another
        // thread forks meanwhile would hold the file open for writing, and a file that is written cannot be executed.
        let place = folder();
        let program = place.path().join("helper");
        let copied = Command::new("cp")
            .arg(std::env::current_exe().unwrap())
            .arg(&program)
            .status();
        assert!(copied.unwrap().success());
        let mut command = Command::new(&program);
        command
            .args(["--exact", "helper_process", "--nocapture", "--test-threads=1"])
            .env(HELPER, data)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        (command, place)
    }

    fn start((mut command, program): (Command, tempfile::TempDir)) -> Self {
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            output,
            _program: program,
        }
    }

    /// `ready <postmaster>` or `refused <sentence>`, without the test harness's own lines.
    fn says(&mut self) -> String {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            if let Some(at) = line.find("ready ").or_else(|| line.find("refused ")) {
                return line.split_off(at).trim().to_owned();
            }
            line.clear();
        }
        panic!("the helper ended without a word");
    }

    fn postmaster(&mut self) -> i32 {
        let said = self.says();
        said.strip_prefix("ready ")
            .unwrap_or_else(|| panic!("{said}"))
            .parse()
            .unwrap()
    }

    fn ends(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test of its own: the body of [`Helper`].
#[test]
fn helper_process() {
    let Some(data) = std::env::var_os(HELPER) else {
        return;
    };
    match Embedded::start(Path::new(&data)) {
        Ok(pg) => {
            println!("ready {}", pg.postmaster().unwrap());
            let mut until_closed = String::new();
            std::io::stdin().read_line(&mut until_closed).unwrap();
            pg.stop().unwrap();
        }
        Err(error) => println!("refused {error}"),
    }
}

// ---- starts --------------------------------------------------------------------------------------------------------

#[test]
fn the_first_start_makes_a_durable_cluster_that_only_this_machine_user_can_open() {
    let place = folder();
    let pg = Embedded::start(&place.path().join("data")).unwrap();
    assert!(pg.fresh());
    for (setting, value) in [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
    ] {
        let sql = match setting {
            "fsync" => "SELECT current_setting('fsync')",
            "synchronous_commit" => "SELECT current_setting('synchronous_commit')",
            _ => "SELECT current_setting('full_page_writes')",
        };
        assert_eq!(ask(&pg, sql).unwrap(), value, "{setting}");
    }
    assert_eq!(
        ask(&pg, "SELECT current_setting('listen_addresses')").unwrap(),
        "",
        "no network port"
    );
    assert_eq!(fs::metadata(pg.socket_dir()).unwrap().mode() & 0o777, 0o700);
    pg.stop().unwrap();
}

#[test]
fn a_restart_finds_what_was_committed_and_leaves_no_process_behind() {
    let place = folder();
    let first = Embedded::start(place.path()).unwrap();
    let postmaster = i32::try_from(first.postmaster().unwrap()).unwrap();
    remember_a_row(&first);
    first.stop().unwrap();
    assert!(!alive(postmaster));

    let second = Embedded::start(place.path()).unwrap();
    assert!(!second.fresh());
    assert!(row_is_there(&second));
    drop(second); // a drop stops as well
    assert!(!place.path().join("pg/postmaster.pid").exists());
}

#[test]
fn an_initdb_that_was_cut_off_is_done_again() {
    let place = folder();
    fs::create_dir(place.path().join("pg.new")).unwrap();
    fs::write(place.path().join("pg.new/PG_VERSION"), "15").unwrap();
    let pg = Embedded::start(place.path()).unwrap();
    assert!(pg.fresh());
}

// ---- crashes -------------------------------------------------------------------------------------------------------

#[test]
fn a_killed_postmaster_is_started_again_by_itself() {
    let place = folder();
    let pg = Embedded::start(place.path()).unwrap();
    remember_a_row(&pg);
    let killed = pg.postmaster().unwrap();
    kill(Pid::from_raw(i32::try_from(killed).unwrap()), Signal::SIGKILL).unwrap();
    until("another postmaster", || {
        pg.postmaster().is_some_and(|pid| pid != killed)
    });
    until("it answers", || ask(&pg, "SELECT 'yes'").is_ok());
    assert!(row_is_there(&pg));
    pg.stop().unwrap();
}

#[test]
fn after_a_kill_of_the_server_its_postgres_ends_and_the_next_start_finds_everything() {
    let place = folder();
    let pg = Embedded::start(place.path()).unwrap();
    remember_a_row(&pg);
    pg.stop().unwrap();

    let mut helper = Helper::start(Helper::command(place.path()));
    let postmaster = helper.postmaster();
    helper.child.kill().unwrap();
    helper.child.wait().unwrap();
    // At once, while the old postmaster may still be going down.
    let next = Embedded::start(place.path()).unwrap();
    assert!(!alive(postmaster));
    assert!(row_is_there(&next));
}

#[test]
fn an_orphan_that_nobody_told_to_stop_is_stopped_by_the_next_start() {
    let place = folder();
    let first = Embedded::start(place.path()).unwrap();
    remember_a_row(&first);
    let binaries = Binaries::find(place.path()).unwrap();
    let socket = first.socket_dir().to_owned();
    first.stop().unwrap();

    let data = place.path().canonicalize().unwrap().join("pg");
    let owner = fs::metadata(&data).unwrap();
    let mut command = Command::new(binaries.postgres());
    command
        .arg("-D")
        .arg(&data)
        .arg("-k")
        .arg(&socket)
        .args(["-c", "listen_addresses="]);
    command
        .current_dir("/")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if geteuid().is_root() {
        command.uid(owner.uid()).gid(owner.gid());
    }
    let mut orphan = command.spawn().unwrap();
    until("the orphan is up", || {
        fs::read_to_string(data.join("postmaster.pid")).is_ok_and(|text| text.contains("ready"))
    });

    let next = Embedded::start(place.path()).unwrap();
    assert!(row_is_there(&next));
    assert_ne!(next.postmaster(), Some(orphan.id()));
    assert!(orphan.wait().unwrap().success(), "a fast shutdown, not a crash");
}

#[test]
fn a_stale_pid_file_does_not_stop_a_start() {
    let place = folder();
    Embedded::start(place.path()).unwrap().stop().unwrap();
    let mut zombie = Command::new("true").spawn().unwrap();
    let zombie_id = i32::try_from(zombie.id()).unwrap();
    until("the child ended", || !alive(zombie_id));
    let mut dead = Command::new("true").spawn().unwrap();
    dead.wait().unwrap();

    let recycled = std::process::id(); // a living process that is no PostgreSQL
    for pid in [zombie.id(), dead.id(), recycled, 1] {
        let stale = format!(
            "{pid}\n{}\n1700000000\n5432\n/nowhere\n\n  1 2\nready\n",
            place.path().display()
        );
        fs::write(place.path().join("pg/postmaster.pid"), stale).unwrap();
        let pg = Embedded::start(place.path()).unwrap_or_else(|error| panic!("pid {pid}: {error}"));
        assert_ne!(pg.postmaster(), Some(pid));
        pg.stop().unwrap();
    }
    zombie.wait().unwrap();
}

// ---- refusals ------------------------------------------------------------------------------------------------------

#[test]
fn a_second_instance_is_refused_and_harms_nothing() {
    let place = folder();
    let first = Embedded::start(place.path()).unwrap();
    let error = Embedded::start(place.path()).unwrap_err();
    assert!(matches!(error, EmbeddedError::SecondInstance(_)));

    let mut elsewhere = Helper::start(Helper::command(place.path()));
    assert!(
        elsewhere
            .says()
            .starts_with("refused another server is running on ")
    );
    elsewhere.ends();
    assert_eq!(ask(&first, "SELECT 'still here'").unwrap(), "still here");
}

#[test]
fn a_cluster_of_another_version_is_refused_and_left_alone() {
    let place = folder();
    let pg = place.path().join("pg");
    fs::create_dir(&pg).unwrap();
    fs::write(pg.join("PG_VERSION"), "9\n").unwrap();
    let error = Embedded::start(place.path()).unwrap_err();
    assert!(
        matches!(&error, EmbeddedError::ForeignVersion { cluster, .. } if cluster == "9"),
        "{error}"
    );
    assert_eq!(fs::read_dir(&pg).unwrap().count(), 1);
}

#[test]
fn a_wrong_binary_folder_is_refused_by_name() {
    let place = folder();
    let (mut command, program) = Helper::command(&place.path().join("data"));
    command.env("PG_BIN_DIR", place.path());
    let mut helper = Helper::start((command, program));
    let said = helper.says();
    assert!(
        said.starts_with("refused PG_BIN_DIR is ") && said.contains("no initdb"),
        "{said}"
    );
    helper.ends();
}

#[test]
fn a_long_data_path_gets_its_socket_in_a_short_private_folder() {
    let place = folder();
    let deep = place.path().join("d".repeat(120));
    let pg = Embedded::start(&deep).unwrap();
    assert!(pg.socket_dir().as_os_str().len() < 90);
    assert_eq!(fs::metadata(pg.socket_dir()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(ask(&pg, "SELECT 'yes'").unwrap(), "yes");
    let socket_dir = pg.socket_dir().to_owned();
    pg.stop().unwrap();
    fs::remove_dir_all(socket_dir).unwrap();
}

#[test]
fn no_folder_short_enough_for_a_socket_is_one_sentence() {
    let place = folder();
    let deep = place.path().join("d".repeat(120));
    fs::create_dir(&deep).unwrap();
    let (mut command, program) = Helper::command(&deep.join("data"));
    command.env("TMPDIR", &deep);
    let mut helper = Helper::start((command, program));
    let said = helper.says();
    assert!(
        said.starts_with("refused the socket path ") && said.contains("107 bytes"),
        "{said}"
    );
    helper.ends();
}

// ---- as whom -------------------------------------------------------------------------------------------------------

/// The test runs as root in containers and as somebody in a checkout: as root it also becomes an ordinary user.
fn as_ordinary_user(data: &Path) -> (Command, tempfile::TempDir) {
    let (mut command, program) = Helper::command(data);
    if geteuid().is_root() {
        let nobody = User::from_name("nobody").unwrap().unwrap();
        command.uid(nobody.uid.as_raw()).gid(nobody.gid.as_raw());
    }
    (command, program)
}

fn given_to_ordinary_user(place: &Path) -> PathBuf {
    let data = place.join("data");
    fs::create_dir(&data).unwrap();
    if geteuid().is_root() {
        let nobody = User::from_name("nobody").unwrap().unwrap();
        chown(&data, Some(nobody.uid.as_raw()), Some(nobody.gid.as_raw())).unwrap();
    }
    data
}

#[test]
fn an_ordinary_user_runs_it_and_owns_what_it_makes() {
    let place = folder();
    let data = given_to_ordinary_user(place.path());
    for _ in ["first", "again"] {
        let mut helper = Helper::start(as_ordinary_user(&data));
        let postmaster = helper.postmaster();
        let me = fs::metadata(&data).unwrap().uid();
        assert_eq!(fs::metadata(format!("/proc/{postmaster}")).unwrap().uid(), me);
        assert_eq!(fs::metadata(data.join("pg")).unwrap().uid(), me);
        helper.ends();
        assert!(!alive(postmaster));
    }
}

#[test]
fn a_folder_that_this_user_may_not_write_is_one_sentence() {
    if !geteuid().is_root() {
        return; // an ordinary user cannot make a folder of somebody else
    }
    let place = folder();
    let data = place.path().join("data");
    let mut helper = Helper::start(as_ordinary_user(&data));
    let said = helper.says();
    assert!(
        said.starts_with("refused the folder ") && said.contains("cannot be written"),
        "{said}"
    );
    helper.ends();
}

#[test]
fn root_never_runs_postgres_as_root() {
    if !geteuid().is_root() {
        return; // nothing to step down from
    }
    let place = folder();
    let pg = Embedded::start(place.path()).unwrap();
    let postmaster = pg.postmaster().unwrap();
    assert_ne!(fs::metadata(format!("/proc/{postmaster}")).unwrap().uid(), 0);
    pg.stop().unwrap();

    // An existing cluster decides: whoever owns it runs it.
    let owner = fs::metadata(place.path().join("pg")).unwrap().uid();
    let again = Embedded::start(place.path()).unwrap();
    assert_eq!(fs::metadata(place.path().join("pg")).unwrap().uid(), owner);
    drop(again);
}

#[test]
fn root_in_a_closed_folder_uses_a_user_namespace() {
    if !geteuid().is_root() {
        return; // an ordinary user needs none
    }
    let place = folder();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
    for fresh in [true, false] {
        let pg = Embedded::start(&place.path().join("data")).unwrap();
        assert_eq!(pg.fresh(), fresh);
        let status = fs::read_to_string(format!("/proc/{}/uid_map", pg.postmaster().unwrap())).unwrap();
        assert_eq!(status.split_whitespace().collect::<Vec<_>>(), ["1000", "0", "1"]);
        assert_eq!(ask(&pg, "SELECT 'yes'").unwrap(), "yes");
        pg.stop().unwrap();
    }
}
